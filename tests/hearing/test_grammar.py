"""Grammars: what a model is given, and how what comes out is read."""

import json

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.grammar import Grammar, Reading


class Words:
    """A model of plain words."""

    def __init__(self, *known: str) -> None:
        self.known = {"[unk]", *known}

    def has(self, token: str) -> bool:
        return token in self.known

    def tokens(self, phrase: str) -> tuple[str, ...]:
        return tuple(phrase.split())


class Phrases(Words):
    """A model with one token a phrase."""

    def tokens(self, phrase: str) -> tuple[str, ...]:
        return ("_".join(phrase.split()),)


def test_our_models_get_one_token_a_phrase() -> None:
    model = Phrases("throw", "throw_the_dice")
    assert json.loads(Grammar(("throw", "throw the dice")).json(model)) == [
        "throw",
        "throw_the_dice",
        "[unk]",
    ]


def test_other_models_get_words() -> None:
    model = Words("throw", "the", "dice")
    assert json.loads(Grammar(("throw", "throw the dice")).json(model)) == [
        "throw",
        "throw the dice",
        "[unk]",
    ]


def test_letters_are_not_escaped() -> None:
    """Vosk's JSON reader does not decode them, and would lose the word."""
    assert Grammar(("бросай", "würfle")).json(Words("бросай", "würfle")) == '["бросай", "würfle", "[unk]"]'


def test_a_phrase_with_a_missing_word_is_left_out_and_named() -> None:
    fitted = Grammar(("stop", "mex is good")).fit(Words("stop", "is", "good"))
    assert json.loads(fitted.json) == ["stop", "[unk]"]
    assert fitted.dropped == ("mex is good",)


def test_a_grammar_is_never_empty() -> None:
    assert json.loads(Grammar(("mex",)).json(Words())) == ["[unk]"]
    nothing = Words()
    nothing.known.clear()
    with pytest.raises(MexvoiceError, match="--model"):
        Grammar(("mex",)).fit(nothing)


def test_unknown_can_be_made_likelier() -> None:
    assert json.loads(Grammar(("stop",), unknown=3).json(Words("stop"))) == [
        "stop",
        "[unk]",
        "[unk]",
        "[unk]",
    ]


def test_a_phrase_is_not_lost_to_the_decoys() -> None:
    fitted = Grammar(("stop",), decoys=("stop", "top"), fillers=("stop",)).fit(Words("stop", "top"))
    assert json.loads(fitted.json).count("stop") == 1
    assert fitted.read(["stop"]) == Reading("stop", True)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("stop", Reading("stop", True)),
        ("throw_the_dice", Reading("throw the dice", True)),
        ("well stop", Reading("stop", True)),
        ("well stop well well", Reading("stop", True)),
        ("stop stop", Reading("stop stop", False)),
        ("[unk] stop", Reading("… stop", False)),
        ("stop [unk] [unk]", Reading("stop …", False)),
        ("top", Reading("top", False, True)),
        ("well top", Reading("top", False, True)),
        ("top stop", Reading("top stop", False)),
        ("well", Reading("", False)),
        ("[unk]", Reading("", False)),
        ("[unk] [unk]", Reading("", False)),
        ("", Reading("", False)),
    ],
)
def test_reading_whole_phrases(tokens: str, expected: Reading) -> None:
    model = Phrases("stop", "throw_the_dice", "top", "well")
    fitted = Grammar(("stop", "throw the dice"), decoys=("top",), fillers=("well",)).fit(model)
    assert fitted.read(tokens.split()) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("throw the dice", Reading("throw the dice", True)),
        ("throw", Reading("throw", True)),
        ("well now throw the dice", Reading("throw the dice", True)),
        ("throw dice", Reading("throw dice", False)),
        ("the dice throw", Reading("the dice throw", False)),
        ("throw throw the dice", Reading("throw throw the dice", False)),
        ("throw [unk] dice", Reading("throw … dice", False)),
        ("the dice are cold", Reading("the dice are cold", False, True)),
    ],
)
def test_reading_words(words: str, expected: Reading) -> None:
    model = Words("throw", "the", "dice", "well", "now", "are", "cold")
    grammar = Grammar(
        ("throw", "throw the dice"), decoys=("the dice are cold",), fillers=("well", "well now")
    )
    assert grammar.fit(model).read(words.split()) == expected


def test_sequences_are_read_where_they_are_wanted() -> None:
    fitted = Grammar(("two", "three"), sequences=True).fit(Words("two", "three"))
    assert fitted.read(["two", "three"]) == Reading("two three", True, several=True)
    assert fitted.read(["two"]) == Reading("two", True)
    assert fitted.read(["two", "[unk]"]) == Reading("two …", False)


def test_a_phrase_can_grow_into_one_that_means_something_else() -> None:
    model = Phrases("stop", "stop_the_match", "throw", "throw_the_dice", "how_many")
    phrases = ("stop", "stop the match", "throw", "throw the dice", "how many")
    plain = Grammar(phrases).fit(model)
    assert [text for text in phrases if plain.can_grow(text)] == ["stop", "throw"]
    meanings = {"stop": 1, "stop the match": 2, "throw": 3, "throw the dice": 3}
    known = Grammar(phrases, meanings=meanings).fit(model)
    assert [text for text in phrases if known.can_grow(text)] == ["stop"]


@pytest.mark.parametrize(
    ("tokens", "places"),
    [
        ("throw", [(0, 0)]),
        ("well throw", [(1, 1)]),
        ("mex throw", [(0, 1)]),
        ("well mex well throw", [(1, 3)]),
        ("mex", [(0, 0)]),  # a call word that is a phrase, too
        ("mex mex", [(0, 1)]),
        ("throw stop", [(0, 0), (1, 1)]),
        ("game_master", []),
        ("though [unk]", []),
    ],
)
def test_where_phrases_are_among_tokens(tokens: str, places: list[tuple[int, int]]) -> None:
    model = Phrases("throw", "stop", "mex", "game_master", "well", "though")
    grammar = Grammar(("throw", "stop", "mex"), ("though",), ("well",), ("mex", "game master")).fit(model)
    assert grammar.places(tokens.split()) == places


def test_phrases_mean_the_same_only_where_that_is_known() -> None:
    model = Phrases("throw", "roll", "stop", "though")
    meanings = {"throw": 1, "roll": 1, "stop": 2}
    grammar = Grammar(("throw", "roll", "stop"), ("though",), meanings=meanings).fit(model)
    assert grammar.same("throw", "roll")
    assert not grammar.same("throw", "stop")
    assert not grammar.same("throw", "though")
    assert not Grammar(("throw", "roll")).fit(model).same("throw", "roll")
    assert [grammar.has(token) for token in ("roll", "though", "unheard")] == [True, False, False]
