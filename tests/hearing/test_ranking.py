"""How well phrases fit an utterance beside each other, and what any speech is worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.alignment import IMPOSSIBLE, PAUSE_UNIT, align, score_of
from mexvoice.hearing.graph import UnknownModel
from mexvoice.hearing.phone_loop import CHANGE, NEVER, PhoneLoop
from mexvoice.hearing.ranking import FARTHEST, Ranking

PHONES = 6
reading = some.lists(some.integers(1, PHONES - 1), min_size=1, max_size=6).map(tuple)


def random_outputs(seed: int, frames: int) -> Outputs:
    return np.random.default_rng(seed).normal(0, 3, (frames, 2 * PHONES)).astype(np.float32)


@given(some.lists(reading, min_size=1, max_size=400), some.integers(0, 99), some.integers(1, 12))
def test_a_phrase_is_worth_what_its_best_path_is(
    readings: list[tuple[int, ...]], seed: int, frames: int
) -> None:
    """The ranking and the alignment were written apart; they must agree, also when phrases are many."""
    outputs = random_outputs(seed, frames)
    scores = Ranking({str(at): [units] for at, units in enumerate(readings)}).scores(outputs)
    for score, units in zip(scores, readings, strict=True):
        path = align(outputs, [units])
        assert score == pytest.approx(score_of(outputs, path), abs=1e-3) if path else score == IMPOSSIBLE


@given(reading, reading, some.integers(0, 99), some.integers(2, 12))
def test_the_best_pronunciation_counts(
    one: tuple[int, ...], other: tuple[int, ...], seed: int, frames: int
) -> None:
    with_pause = (*one, PAUSE_UNIT, *other)
    ranking = Ranking({"a": [one], "b": [with_pause], "both": [one, with_pause]})
    alone, paused, both = ranking.scores(random_outputs(seed, frames))
    assert both == max(alone, paused)


def test_where_a_phrase_stands() -> None:
    ranking = Ranking({"a": [(1,)], "b": [(2,)], "as": [(1,), (3,)], "b2": [(4,)]})
    scores = np.array([-10.0, -12.0, -10.0, -11.0], np.float32)
    alone = ranking.rank("b", scores, lambda _other: False)
    assert alone.ahead == pytest.approx(-2.0)
    weight = np.exp([0.0, -2.0, 0.0, -1.0])
    assert alone.share == pytest.approx(np.log(weight[1] / weight.sum()))
    same = ranking.rank("b", scores, lambda other: other == "b2")
    assert same.ahead == pytest.approx(-2.0)
    assert same.share == pytest.approx(np.log(weight[[1, 3]].sum() / weight.sum()))


def test_what_sounds_the_same_is_no_rival() -> None:
    ranking = Ranking({"a": [(1,)], "b": [(2,)], "as": [(1,), (3,)]})
    found = ranking.rank("a", np.array([-10.0, -13.0, -9.0], np.float32), lambda _other: False)
    assert found.ahead == pytest.approx(3.0)


def test_farther_than_far_is_no_farther() -> None:
    ranking = Ranking({"a": [(1,)], "b": [(2,)]})
    scores = np.array([-500.0, -10.0], np.float32)
    first, last = (ranking.rank(token, scores, lambda _other: False) for token in ("b", "a"))
    assert (first.ahead, last.ahead, last.share) == (FARTHEST, -FARTHEST, -FARTHEST)
    assert first.share == pytest.approx(0.0)
    lonely = Ranking({"a": [(1,)]})
    assert lonely.rank("a", scores[:1], lambda _other: False).ahead == FARTHEST


def test_the_best_that_fits() -> None:
    ranking = Ranking({"a": [(1,)], "b": [(2,)], "long": [(1, 2, 3)], "mute": []})
    assert ranking.tokens == ("a", "b", "long")
    assert "mute" not in ranking
    scores = np.array([-3.0, -1.0, IMPOSSIBLE], np.float32)
    assert ranking.best(scores, lambda _token: True) == "b"
    assert ranking.best(scores, lambda token: token != "b") == "a"
    assert ranking.best(scores, lambda token: token == "long") is None
    assert ranking.best(ranking.scores(random_outputs(1, 0)), lambda _token: True) is None


def enumerated(outputs: Outputs, step: dict[tuple[int, int], float], start: dict[int, float]) -> float:
    """The likeliest way through a loop, by trying all of them: phone by phone, each frame new or not."""
    ways = {(phone, 0): start[phone] + float(outputs[0, 2 * phone]) for phone in start}
    for frame in outputs[1:]:
        longer: dict[tuple[int, int], float] = {}
        for number, ((phone, _), value) in enumerate(ways.items()):
            longer[phone, number] = value + float(frame[2 * phone + 1])
            for other in start:
                longer[other, len(ways) * (phone + 1) + number + 1] = (
                    value + step[phone, other] + float(frame[2 * other])
                )
        ways = longer
    return max(ways.values())


def test_any_speech_is_worth_its_likeliest_phones() -> None:
    unknown = UnknownModel(
        start={"a": -0.5, "b": -1.0}, following={"a": {"b": -0.3}}, backoff={"a": -1.5, "b": -0.1},
        any_phone={"a": -0.7, "b": -0.9}, each=-0.25,
    )  # fmt: skip
    loop = PhoneLoop(unknown, {"SIL": 0, "a": 1, "b": 2, "c": 3})
    start = {0: 0.0, 1: -0.75, 2: -1.25, 3: NEVER}
    step = {(at, to): NEVER for at in start for to in start}
    step |= {(0, to): start[to] for to in (1, 2)} | {(at, 0): 0.0 for at in (1, 2, 3)}
    step |= {(1, 1): -2.45, (1, 2): -0.55, (2, 1): -1.05, (2, 2): -1.25}
    free = {(at, to): CHANGE for at in start for to in start}
    for seed in range(20):
        outputs = np.random.default_rng(seed).normal(0, 2, (5, 8)).astype(np.float32)
        assert loop.likely(outputs) == pytest.approx(enumerated(outputs, step, start), abs=1e-4)
        assert loop.any(outputs) == pytest.approx(
            enumerated(outputs, free, dict.fromkeys(start, 0.0)), abs=1e-4
        )
