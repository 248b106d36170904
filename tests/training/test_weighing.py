"""Learning what speaks for a phrase."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs what the training needs")

from mexvoice.hearing.alignment import align
from mexvoice.hearing.certainty import EVIDENCE
from mexvoice.hearing.phones import INVENTORY
from scripts.training import weighing


def case(rng: np.random.Generator, true: bool) -> weighing.Case:
    """Phones 1, 2 and 3 laid over an utterance in which they sound, or in which one is another phone."""
    sounding = [1, 2, 3] if true else [1, int(rng.integers(4, 20)), 3]
    frames = [0] * 3 + [phone for phone in sounding for _ in range(int(rng.integers(2, 5)))] + [0] * 3
    outputs = rng.normal(0, 1.0, (len(frames), 2 * len(INVENTORY))).astype(np.float32)
    for at, phone in enumerate(frames):
        outputs[at, 2 * phone : 2 * phone + 2] += 4.0
    return weighing.Case(outputs, align(outputs, [(1, 2, 3)]), float(rng.normal(3, 2)), 30.0, False, true)


def test_weights_tell_what_was_said_from_what_was_not() -> None:
    rng = np.random.default_rng(1)
    cases = [case(rng, turn % 2 == 0) for turn in range(300)]
    weights = weighing.learn(cases[:200])
    each = np.array([weights.each[name] for name in EVIDENCE])
    odds = np.array([weights.bias + one.evidence(weights) @ each for one in cases[200:]])
    true = np.array([one.true for one in cases[200:]])
    assert np.mean((odds > 0) == true) > 0.95
    assert weights.each["worst"] > 0


def test_what_is_typical_of_a_phone_comes_from_phrases_that_were_said() -> None:
    rng = np.random.default_rng(2)
    cases = [case(rng, turn % 2 == 0) for turn in range(100)]
    mean, spread = weighing.typical(cases)
    assert mean.shape == spread.shape == (len(INVENTORY),)
    assert mean[2] == pytest.approx(mean[1], abs=0.3)  # false ones, in which 2 is seen badly, do not count
    assert mean[40] == pytest.approx(np.mean(mean[1:4]), abs=0.3)  # never met: taken for an average one
    assert (spread > 0).all()


def test_the_curve_keeps_fewer_the_more_is_asked_for() -> None:
    rng = np.random.default_rng(3)
    cases = [case(rng, turn % 2 == 0) for turn in range(100)]
    rows = [
        line.replace("%", "").split()
        for line in weighing.curve(cases, weighing.learn(cases)).splitlines()[1:]
    ]
    true, false = ([float(row[column]) for row in rows] for column in (1, 2))
    assert true == sorted(true, reverse=True)
    assert false == sorted(false, reverse=True)
    assert true[0] > false[-1]
