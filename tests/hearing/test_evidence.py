"""What speaks for a phrase and against it, of outputs made by hand."""

import numpy as np
import pytest

from mexvoice.hearing.alignment import PAUSE_UNIT, Units, align, score_of
from mexvoice.hearing.evidence import EVIDENCE, Fit, Typical, evidence_of
from mexvoice.hearing.ranking import Rank
from tests.hearing.test_certainty import outputs

PHONES = 5
TYPICAL = Typical(np.zeros(PHONES), np.ones(PHONES), np.zeros(PHONES), np.ones(PHONES))


def evidence(heard: str, phrase: Units) -> dict[str, float]:
    """The evidence for a phrase where phones were heard ("0" silence, "1", ... a frame each)."""
    seen = outputs(heard)
    segments = align(seen, [phrase])
    fit = Fit(segments, score_of(seen, segments), 0.0, 0.0, Rank(1.0, -1.0), 20.0)
    return dict(zip(EVIDENCE, evidence_of(seen, fit, TYPICAL).tolist(), strict=True))


def test_a_phrase_as_it_should_be_has_no_bad_stretch_and_nothing_in_its_pauses() -> None:
    found = evidence("0111222000333000", (1, 2, PAUSE_UNIT, 3))
    assert found["worst stretch"] == pytest.approx(0.0, abs=0.01)
    assert found["spoken pauses"] == 0


def test_a_word_too_many_is_said_in_a_pause_and_makes_a_bad_stretch() -> None:
    found = evidence("0111222444444333000", (1, 2, PAUSE_UNIT, 3))
    assert found["spoken pauses"] == 6
    assert found["worst stretch"] == pytest.approx(8.0)  # no frame counts more


def test_what_is_said_before_and_after_is_not_in_a_pause() -> None:
    found = evidence("4440011122200444", (1, 2))
    assert found["spoken pauses"] == 0
    assert found["worst stretch"] == pytest.approx(0.0, abs=0.01)


def test_a_short_phrase_has_a_worst_stretch_of_all_its_frames() -> None:
    assert evidence("12", (1, 2))["worst stretch"] == pytest.approx(0.0, abs=0.01)
    assert evidence("14", (1, 2))["worst stretch"] == pytest.approx(8.0 / 5)
