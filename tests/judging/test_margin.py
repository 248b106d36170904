"""What a margin lets through."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs what the training needs")

from scripts.judging.margin import Trace, share

RIGHT = Trace(((2.0, False, True),))
NOISE_BEHIND = Trace(((4.0, False, True), (1.0, False, False)))
ROW = Trace(((2.2, True, False),))


@pytest.mark.parametrize(
    ("trace", "margin", "sequence", "outcome"),
    [
        (RIGHT, 2.0, 2.0, "right"),
        (RIGHT, 2.1, 2.1, "missed"),
        (NOISE_BEHIND, 0.5, 0.5, "wrong"),
        (NOISE_BEHIND, 1.5, 1.5, "right"),
        (ROW, 1.0, 1.0, "wrong"),
        (ROW, 1.0, 2.5, "missed"),
        (Trace(()), 0.0, 0.0, "missed"),
    ],
)
def test_an_outcome_follows_from_what_passes(
    trace: Trace, margin: float, sequence: float, outcome: str
) -> None:
    assert trace.outcome(margin, sequence) == outcome


def test_shares_are_percent() -> None:
    traces = [RIGHT, NOISE_BEHIND, ROW, Trace(())]
    assert share(traces, "right", 1.5, 2.5) == 50.0
    assert share(traces, "missed", 1.5, 2.5) == 50.0
    assert share([], "right", 1.5, 2.5) == 0.0
