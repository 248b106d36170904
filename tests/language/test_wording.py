"""What is said: in every language for everything that happens, in right grammar, and not always the same."""

import dataclasses
import random
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from mexvoice.language import locale
from mexvoice.language.narration import Narration
from mexvoice.language.sentence import EVENTS, FREQUENT, LABELS, SENTENCES, Kind, pieces
from mexvoice.language.wording import Wording
from mexvoice.rules import EVENTS as RULES_EVENTS
from mexvoice.rules import MEX, ActionKind, Counting
from tests.language.tables import CODES, table

NUMBERS = (0, 1, 2, 3, 5, 11, 21, 22, 101)
SHIPPED = locale.available()

SAMPLES: dict[Kind, list[Any]] = {
    Kind.NAME: ["Anna", "{player}", "100 %"],
    Kind.NAMES: [("Anna", "Ben"), ("Anna", "Ben", "{0}")],
    Kind.NUMBER: [0, 1, 2, 21, -1, -3],
    Kind.VALUE: [2, 31, 63, 600, MEX],
    Kind.TEXT: ["throw", "{first}"],
    Kind.TEXTS: [("throw", "stop"), ()],
}


def wording(code: str, seed: int = 1) -> Wording:
    return Wording(locale.load(code), random.Random(seed))


def test_every_shipped_language_has_a_table() -> None:
    assert set(SHIPPED) == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_tables_are_long_enough(code: str) -> None:
    texts = [
        text for expected in table(code)["heard"].values() for some in expected.values() for text in some
    ]
    talk = table(code)["talk"]
    assert len(texts) + len(talk) >= 120
    assert len(set(talk)) >= 40


@pytest.mark.parametrize("code", CODES)
def test_counted_nouns(code: str) -> None:
    """Every noun of the language for 0 1 2 3 5 11 21 22 101, as written out by hand."""
    counted = table(code)["counted"]
    says = wording(code)
    assert set(counted) == set(locale.load(code).nouns), "a noun is missing in the table"
    for noun, forms in counted.items():
        assert tuple(forms) == NUMBERS
        assert {number: says.count(number, noun) for number in NUMBERS} == forms


@pytest.mark.parametrize(
    ("code", "case"), [(code, case) for code in CODES for case in range(len(table(code)["said"]))]
)
def test_sentences_in_full(code: str, case: int) -> None:
    """Every variant of some sentences, for numbers that show gender and case."""
    expected = table(code)["said"][case]
    says = wording(code)
    variants = locale.load(code).wording[expected["key"]]
    said = [says.fill(expected["key"], variant, expected["values"]) for variant in variants]
    assert sorted(said) == sorted(expected["sentences"])


@pytest.mark.parametrize("code", SHIPPED)
def test_every_template_can_be_filled(code: str) -> None:
    """With each sample of each field; names with braces are names."""
    says = wording(code)
    for key, variants in locale.load(code).wording.items():
        for number in range(6):
            values = {
                field: SAMPLES[kind][number % len(SAMPLES[kind])] for field, kind in SENTENCES[key].items()
            }
            for variant in variants:
                said = says.fill(key, variant, values)
                assert said.strip() == said and said
                used = {piece.field for piece in pieces(variant)}
                assert "{" not in said or any("{" in str(values[field]) for field in used if field), said


@pytest.mark.parametrize("code", SHIPPED)
def test_sentences_begin_and_end_like_sentences(code: str) -> None:
    for key, variants in locale.load(code).wording.items():
        for variant in variants:
            assert variant.rstrip("”»“\"'").endswith((".", "!", "?", "…", ":")), (key, variant)
            assert variant[0] in "{“„«¿¡" or variant[0].isupper(), (key, variant)


@pytest.mark.parametrize("name", sorted(RULES_EVENTS))
def test_every_event_of_the_rules_has_sentences(name: str) -> None:
    """A new event without words fails here."""
    assert [key for key in EVENTS if key == name or key.startswith(f"{name}_")], name


@pytest.mark.parametrize("name", sorted(RULES_EVENTS))
@pytest.mark.parametrize("code", SHIPPED)
def test_every_event_can_be_told(code: str, name: str) -> None:
    """In each circumstance: every value of every flag and of every enum of the event."""
    kind = RULES_EVENTS[name]
    hints = get_type_hints(kind)
    samples: dict[str, list[Any]] = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        hint = hints[field.name]
        if hint is bool:
            samples[field.name] = [True, False]
        elif hint in (Counting, ActionKind):
            samples[field.name] = list(hint)
        elif hint is int:
            samples[field.name] = [3, 1]
        else:
            samples[field.name] = ["Anna"] if hint is str else [("Anna", "Ben")]
    if "action" in samples:  # a new match is no action of a match, so it is never taken back
        samples["action"].remove(ActionKind.NEW_MATCH)
    tells = Narration(wording(code), max_throws=3)
    for number in range(24):
        chosen = {
            field: some[(number // (index + 1)) % len(some)]
            for index, (field, some) in enumerate(samples.items())
        }
        for sentence in tells.tell([kind(**chosen)]):
            assert sentence and "{" not in sentence


@pytest.mark.parametrize("code", SHIPPED)
def test_frequent_sentences_vary(code: str) -> None:
    for key in FREQUENT:
        assert len(set(locale.load(code).wording[key])) >= 3, key


@pytest.mark.parametrize("code", SHIPPED)
def test_never_the_same_variant_twice_running(code: str) -> None:
    says = wording(code)
    for key in ("dice_thrown", "not_understood", "turn_started"):
        said = [says.say(key, player="Anna", value=63, throws=2) for _ in range(60)]
        assert all(one != other for one, other in pairwise(said))
        assert len(set(said)) == len(locale.load(code).wording[key]), "every variant has its turn"


def test_a_single_variant_is_said_again() -> None:
    says = wording("en")
    assert [says.say("typed_hint") for _ in range(3)] == ["Type a command and press Enter."] * 3


def test_the_same_seed_says_the_same() -> None:
    def evening(seed: int) -> list[str]:
        says = wording("de", seed)
        return [says.say("dice_thrown", player="Lena", value=41) for _ in range(20)]

    assert evening(3) == evening(3)
    assert evening(3) != evening(4)


@pytest.mark.parametrize("code", SHIPPED)
def test_names_are_said_as_typed(code: str) -> None:
    says = wording(code)
    for name in ("anna", "ÉLODIE", "{value}", "{0}", "100%s", "O’Neil", "Анна-Мария", "  x  "):
        for _ in range(8):
            assert name in says.say("turn_started", player=name, throws=2)


@pytest.mark.parametrize("code", SHIPPED)
def test_values(code: str) -> None:
    says = wording(code)
    assert says.value(63) == "63"
    assert says.value(MEX) == locale.load(code).values.mex
    assert says.value(30) == "30", "a value lowered by an abort"


@pytest.mark.parametrize("code", SHIPPED)
def test_points_below_zero(code: str) -> None:
    says = wording(code)
    minus = {"en": "minus", "de": "minus", "fr": "moins", "ru": "минус"}[code]
    assert says.count(-3, "point") == f"{minus} {says.count(3, 'point')}"


def test_lists_of_names() -> None:
    def lowest(code: str, *players: str) -> str:
        says = wording(code)
        template = locale.load(code).wording["lowest"][0]
        return says.fill("lowest", template, {"players": players, "value": 31})

    assert "Anna with" in lowest("en", "Anna")
    assert "Anna and Ben with" in lowest("en", "Anna", "Ben")
    assert "Anna, Ben and Zoë with" in lowest("en", "Anna", "Ben", "Zoë")
    assert "Anna, Ben und Zoë mit" in lowest("de", "Anna", "Ben", "Zoë")


def test_a_value_that_is_not_given_or_not_fitting_is_an_error() -> None:
    says = wording("en")
    with pytest.raises(KeyError):
        says.say("player_out")
    with pytest.raises(KeyError):
        says.say("no such sentence")
    with pytest.raises(TypeError):
        says.say("player_out", player=3)
    with pytest.raises(TypeError):
        says.say("lives_of", player="Anna", left="many")
    with pytest.raises(KeyError):
        says.count(1, "elephant")


@pytest.mark.parametrize("code", SHIPPED)
def test_languages_share_their_keys(code: str) -> None:
    loaded = locale.load(code)
    assert set(loaded.wording) == set(SENTENCES)
    assert set(loaded.labels) == set(LABELS)


@pytest.mark.parametrize("path", sorted((Path(locale.__file__).parents[2] / "locales").glob("*.yaml")))
def test_no_latin_letter_in_a_cyrillic_word(path: Path) -> None:
    text = path.read_text("utf-8")
    for word in "".join(sign if sign.isalpha() else " " for sign in text).split():
        scripts = {unicodedata.name(letter).split()[0] for letter in word}
        assert not {"LATIN", "CYRILLIC"} <= scripts, word
