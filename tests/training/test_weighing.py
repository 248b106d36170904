"""Learning what speaks for a phrase."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs what the training needs")

from mexvoice.hearing.alignment import align, score_of
from mexvoice.hearing.evidence import Fit
from mexvoice.hearing.phones import INVENTORY
from mexvoice.hearing.ranking import Rank
from scripts.training import weighing
from scripts.training.cases import Case


def case(rng: np.random.Generator, true: bool) -> Case:
    """Phones 1, 2 and 3 laid over an utterance in which they sound, or in which one is another phone."""
    sounding = [1, 2, 3] if true else [1, int(rng.integers(4, 20)), 3]
    frames = [0] * 3 + [phone for phone in sounding for _ in range(int(rng.integers(2, 5)))] + [0] * 3
    outputs = rng.normal(0, 1.0, (len(frames), 2 * len(INVENTORY))).astype(np.float32)
    for at, phone in enumerate(frames):
        outputs[at, 2 * phone : 2 * phone + 2] += 4.0
    segments = align(outputs, [(1, 2, 3)])
    score, rank = score_of(outputs, segments), Rank(float(rng.normal(3, 2)), -0.5)
    return Case(outputs.astype(np.float16), Fit(segments, score, score - 5, score + 5, rank, 30.0), true)


def some_cases(seed: int, count: int) -> list[Case]:
    rng = np.random.default_rng(seed)
    return [case(rng, turn % 2 == 0) for turn in range(count)]


def test_weights_tell_what_was_said_from_what_was_not() -> None:
    cases = some_cases(1, 400)
    weights = weighing.learn(cases[:300])
    odds = weights.log_odds(np.array([one.evidence(weights.typical) for one in cases[300:]]))
    true = np.array([one.true for one in cases[300:]])
    assert np.mean((odds > 0) == true) > 0.95


def test_learning_can_be_repeated() -> None:
    cases = some_cases(4, 60)
    one, other, third = (weighing.learn(cases, seed) for seed in (1, 1, 2))
    assert one.hidden.tolist() == other.hidden.tolist() != third.hidden.tolist()


def test_what_is_typical_of_a_phone_comes_from_phrases_that_were_said() -> None:
    usual = weighing.typical(some_cases(2, 100))
    seen, length = usual.seen, usual.length
    assert seen.shape == usual.seen_spread.shape == length.shape == (len(INVENTORY),)
    assert seen[2] == pytest.approx(seen[1], abs=0.3)  # false ones, in which 2 is seen badly, do not count
    assert seen[40] == pytest.approx(np.mean(seen[1:4]), abs=0.3)  # never met: taken for an average one
    assert length[1] == pytest.approx(np.log([2, 3, 4]).mean(), abs=0.1)
    assert (usual.seen_spread > 0).all() and (usual.length_spread > 0).all()


def test_the_curve_keeps_fewer_the_more_is_asked_for() -> None:
    cases = some_cases(3, 100)
    rows = [
        line.replace("%", "").split()
        for line in weighing.curve(cases, weighing.learn(cases)).splitlines()[1:]
    ]
    true, false = ([float(row[column]) for row in rows] for column in (1, 2))
    assert true == sorted(true, reverse=True)
    assert false == sorted(false, reverse=True)
    assert true[0] > false[-1]
