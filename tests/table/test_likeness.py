"""Which names, and which phrases of the house, can be told apart by ear."""

from pathlib import Path

import pytest

from mexvoice.language import locale
from mexvoice.language.house import own_phrases, with_phrases
from mexvoice.rules import Options
from mexvoice.table.assistant import Assistant
from mexvoice.table.cup import Cup
from mexvoice.table.effect import Say
from mexvoice.table.likeness import MOST_COMPARED, alike, house_notices, seat_hints, unclear


def assistant(language: str, *players: str) -> Assistant:
    return Assistant(players, Options(), language, Cup(1))


@pytest.mark.parametrize(
    ("language", "players", "expected"),
    [
        ("en", ("Anna", "Ben", "Cleo"), ()),
        ("en", ("Anna", "Hannah", "Ben"), ("Anna", "Hannah")),
        ("en", ("Meg", "Peg", "Stop"), ("Stop",)),
        ("en", ("Sean", "Shawn", "Ben"), ("Sean", "Shawn")),
        ("fr", ("Maël", "Cécile", "Hugo"), ()),
        ("de", ("Meier", "Mayer", "Lena"), ("Meier", "Mayer")),
        ("ru", ("Анна", "Борис", "Вера"), ()),
        ("ru", ("Алёна", "Алена", "Вера"), None),
    ],
)
def test_names_that_sound_alike_are_found(
    language: str, players: tuple[str, ...], expected: tuple[str, ...] | None
) -> None:
    found = alike(assistant(language, *players))
    if expected is None:
        assert "Вера" not in found
    else:
        assert found == expected


def test_the_seat_is_offered_instead_and_understood() -> None:
    table = assistant("en", "Ben", "Anna", "Hannah")
    (hint,) = seat_hints(table)
    assert isinstance(hint, Say)
    seat = table.locale.seats[3][0]
    assert seat in hint.text
    assert table.understanding.book.commands[f"how many lives has {seat}"][0].player == "Hannah"


def test_clear_names_get_no_hint() -> None:
    assert seat_hints(assistant("de", "Anton", "Berta", "Cäsar")) == []


def with_house(language: str, folder: Path, text: str, *players: str) -> Assistant:
    """An assistant that knows the phrases of a house."""
    path = folder / "house.yaml"
    path.write_text(text, encoding="utf-8")
    extended = with_phrases(locale.load(language), path)
    return Assistant(players, Options(), language, Cup(1), load=lambda _: extended)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "throw: [let the bones tumble, here they come]\n", {}),
        ("en", "throw: [stock]\n", {"stock": "stop"}),
        ("en", "undo: [hanna]\n", {"hanna": "Hannah"}),
        ("en", "undo: [anna]\n", {"anna": "Anna"}),
        ("en", "undo: [may be]\n", {"may be": "maybe"}),  # a decoy
        ("en", "throw: [humble tumble]\nstop: [fumble tumble]\n", {"humble tumble": "fumble tumble"}),
        ("en", 'lives_of: ["what is left of {player}"]\n', {}),  # names have a warning of their own
        ("en", "throw: [thrown, thro]\n", {}),  # it means the same
        ("de", "throw: [hinein ins vergnügen]\n", {}),
        ("de", "undo: [würfen]\n", {"würfen": "würfeln"}),
        ("fr", "throw: [je coup]\n", {"je coup": "je coupe"}),
        ("ru", "throw: [стоб, полетели кубики вперёд]\n", {"стоб": "стоп"}),
    ],
)
def test_phrases_of_the_house_that_sound_like_something_else_are_named(
    language: str, text: str, expected: dict[str, str], tmp_path: Path
) -> None:
    table = with_house(language, tmp_path, text, "Anna", "Ben", "Hannah")
    found = unclear(table, locale.load(language))
    assert set(found) == set(expected)
    for phrase, other in expected.items():
        assert other in found[phrase]
    notices = list(house_notices(table, locale.load(language)))
    assert len(notices) == len(expected)
    for notice, (phrase, _) in zip(notices, expected.items(), strict=True):
        assert phrase in notice and found[phrase][0] in notice


def test_of_many_fillings_the_first_stands_for_all(tmp_path: Path) -> None:
    words = ("lo {die} {die}", "behold {die} {die}", "see {die} {die}", "throw {die} {die}")
    table = with_house("en", tmp_path, f"dice: {list(words)}\nthrow: [stock]\n", "Anna", "Ben")
    own = own_phrases(table.locale, locale.load("en"), table.players)
    assert sum(phrase.spoken for phrase in own) > MOST_COMPARED
    assert set(unclear(table, locale.load("en"))) == {"stock"}
