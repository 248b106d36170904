"""How certain a phrase must be."""

from math import exp

import pytest

from mexvoice.hearing.grammar import Grammar, Reading
from mexvoice.hearing.guards import STRICT, TOLERANT, Guards
from mexvoice.hearing.model import BUILTIN, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.rejection import Rejection


def asked(phrases: int, guards: Guards, talked: bool = True) -> float:
    """The certainty asked for where so many phrases may be said."""
    rejection = Rejection(guards)
    rejection.phrases = phrases
    if talked:
        rejection.talk.heard(1.0, "")
    return rejection.least_certainty(Reading("throw", True), 2.0)


@pytest.mark.parametrize(
    ("phrases", "more"), [(1, -1), (250 / exp(0.5), -0.5), (250, 0), (500, 0.693), (5000, 1)]
)
def test_while_people_talk_more_is_asked_the_more_phrases_there_are(phrases: float, more: float) -> None:
    assert asked(round(phrases), STRICT) == pytest.approx(STRICT.certainty_in_talk + more, abs=0.01)
    assert asked(round(phrases), STRICT, talked=False) == STRICT.certainty


def test_it_is_never_less_than_in_quiet() -> None:
    assert asked(1, Guards(certainty=1.5, certainty_in_talk=2.0)) == 1.5
    assert asked(1, TOLERANT) == TOLERANT.certainty


def test_the_phrases_of_the_grammar_are_counted() -> None:
    recogniser = Recogniser(
        model_for("en", BUILTIN, ["throw", "stop"]), Grammar(["throw", "stop"], decoys=["row"])
    )
    assert recogniser._rejection.phrases == 2
