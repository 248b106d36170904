"""Call words in a grammar: before a phrase, before fillers, alone, and where they are phrases themselves."""

import dataclasses

import pytest

from mexvoice.hearing.grammar import Grammar, Reading
from mexvoice.hearing.guards import STRICT
from mexvoice.hearing.model import find_model
from mexvoice.hearing.recogniser import Recogniser
from tests.hearing.clips import AUDIO, Clip, in_room
from tests.hearing.conftest import hear
from tests.hearing.test_grammar import Phrases, Words

GRAMMAR = Grammar(
    ("throw", "mex counting"),
    decoys=("stop",),
    fillers=("uh", "please", "hey"),
    calls=("mex", "hey mex"),
)
MODEL = Phrases("throw", "mex_counting", "stop", "uh", "please", "hey", "mex", "hey_mex")


@pytest.mark.parametrize(
    ("tokens", "reading"),
    [
        ("mex throw", Reading("throw", True, call="mex")),
        ("hey_mex throw", Reading("throw", True, call="hey mex")),
        ("uh mex uh throw please", Reading("throw", True, call="mex")),
        ("hey mex throw", Reading("throw", True, call="mex")),
        ("mex stop", Reading("stop", False, True, call="mex")),
        ("mex", Reading("", True, call="mex")),
        ("mex please", Reading("", True, call="mex")),
        ("throw", Reading("throw", True)),
        ("mex_counting", Reading("mex counting", True)),
        ("mex mex_counting", Reading("mex counting", True, call="mex")),
        ("throw mex", Reading("throw mex", False)),
        ("mex throw throw", Reading("mex throw throw", False)),
        ("mex [unk]", Reading("mex …", False)),
        ("[unk] mex throw", Reading("… mex throw", False)),
        ("[unk] mex", Reading("… mex", False)),
    ],
)
def test_what_follows_a_call_word_is_read(tokens: str, reading: Reading) -> None:
    assert GRAMMAR.fit(MODEL).read(tokens.split()) == reading


def test_without_call_words_the_same_is_table_talk() -> None:
    grammar = Grammar(("throw",), decoys=("mex",))
    assert grammar.fit(MODEL).read(["mex", "throw"]) == Reading("mex throw", False)


def test_a_call_word_that_is_a_phrase_now_is_that_phrase_and_waits_for_more() -> None:
    fitted = Grammar(("mex", "throw"), calls=("mex",)).fit(MODEL)
    assert fitted.read(["mex"]) == Reading("mex", True)
    assert fitted.read(["mex", "mex"]) == Reading("mex", True, call="mex")
    assert fitted.can_grow(fitted.read(["mex"]).text)
    assert not fitted.can_grow(fitted.read(["mex", "throw"]).text)
    assert not fitted.can_grow(fitted.read(["throw"]).text)


def test_a_call_word_alone_waits_for_what_it_calls_for() -> None:
    fitted = GRAMMAR.fit(MODEL)
    assert fitted.can_grow(fitted.read(["mex"]).text)


def test_models_of_words_take_what_sounds_like_a_call_word() -> None:
    model = Words("throw", "necks", "hey")
    fitted = Grammar(("throw",), calls=("mex", "hey mex"), alikes={"mex": ["necks"]}).fit(model)
    assert fitted.read(["necks", "throw"]) == Reading("throw", True, call="mex")
    assert fitted.read(["hey", "necks", "throw"]) == Reading("throw", True, call="hey mex")


@pytest.mark.parametrize(
    ("begin", "end", "least", "call"),
    [(0, 6000, STRICT.call, "mex"), (0, 5000, STRICT.call, ""), (0, 5000, -99.0, "mex")],
)
def test_a_call_word_alone_must_be_certain(begin: int, end: int, least: float, call: str) -> None:
    """In table talk every short sound that is a little like one would open the ears."""
    sound = Clip(AUDIO / "en" / "mex_counting.flac", "en").samples()[begin:end]
    guards = dataclasses.replace(STRICT, call=least)
    recogniser = Recogniser(find_model("en"), Grammar(("throw",), calls=("mex",)), guards=guards)
    (heard,) = hear(recogniser, in_room(sound, 0.8, 1.0))
    assert (heard.call, heard.text) == (call, "")
