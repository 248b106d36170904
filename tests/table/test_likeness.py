"""Which names can be told apart by ear."""

import pytest

from mexvoice.rules import Options
from mexvoice.table.assistant import Assistant
from mexvoice.table.cup import Cup
from mexvoice.table.effect import Say
from mexvoice.table.likeness import alike, seat_hints


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
