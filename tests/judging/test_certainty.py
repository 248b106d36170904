"""What is let through when a certainty is asked for."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs what the training needs")

from scripts.judging.certainty import Trace, share

RIGHT = Trace(((2.0, True),))
NOISE_BEHIND = Trace(((4.0, True), (1.0, False)))


@pytest.mark.parametrize(
    ("trace", "certainty", "outcome"),
    [
        (RIGHT, 2.0, "right"),
        (RIGHT, 2.1, "missed"),
        (NOISE_BEHIND, 0.5, "wrong"),
        (NOISE_BEHIND, 1.5, "right"),
        (Trace(()), 0.0, "missed"),
    ],
)
def test_an_outcome_follows_from_what_passes(trace: Trace, certainty: float, outcome: str) -> None:
    assert trace.outcome(certainty) == outcome


def test_shares_are_percent() -> None:
    traces = [RIGHT, NOISE_BEHIND, Trace(((1.2, False),)), Trace(())]
    assert share(traces, "right", 1.5) == 50.0
    assert share(traces, "missed", 1.5) == 50.0
    assert share([], "right", 1.5) == 0.0
