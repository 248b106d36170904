"""What can be set before a match, and who may play."""

from typing import Any

import pytest

from mexvoice.rules import Match, NotUnderstood, Options, Penalty

TWENTY = [f"Player {seat}" for seat in range(1, 21)]


def test_defaults() -> None:
    match = Match(["Anna", "Ben"])
    assert match.options == Options(lives=12, max_throws=3, starter=None, penalty=Penalty.TWICE)
    assert match.lives == {"Anna": 12, "Ben": 12}
    assert match.points == {"Anna": 0, "Ben": 0}
    assert (match.turn, match.starter, match.limit, match.round_number) == ("Anna", "Anna", 3, 1)


@pytest.mark.parametrize("lives", [1, 12, 99])
def test_lives(lives: int) -> None:
    assert Match(["Anna", "Ben"], Options(lives=lives)).lives["Ben"] == lives


@pytest.mark.parametrize("max_throws", [1, 2, 3])
def test_max_throws(max_throws: int) -> None:
    assert Match(["Anna", "Ben"], Options(max_throws=max_throws)).throws_left == max_throws


@pytest.mark.parametrize("starter", ["Ben", " ben", "BEN"])
def test_starter(starter: str) -> None:
    match = Match(["Anna", "Ben", "Cleo"], Options(starter=starter))
    assert match.turn == match.starter == "Ben"


def test_starter_who_does_not_play() -> None:
    with pytest.raises(NotUnderstood, match="'Dora' is not one of the players"):
        Match(["Anna", "Ben"], Options(starter="Dora"))


@pytest.mark.parametrize(
    ("penalty", "stakes"), [(Penalty.TWICE, [1, 2, 4, 6, 8]), (Penalty.DOUBLING, [1, 2, 4, 8, 16])]
)
def test_stakes(penalty: Penalty, stakes: list[int]) -> None:
    assert [penalty.stake(mexes) for mexes in range(5)] == stakes


@pytest.mark.parametrize(
    "options",
    [
        {"lives": 0},
        {"lives": 100},
        {"lives": -1},
        {"lives": True},
        {"lives": 12.0},
        {"lives": "12"},
        {"lives": None},
        {"max_throws": 0},
        {"max_throws": 4},
        {"max_throws": True},
        {"starter": 1},
        {"penalty": "treble"},
        {"penalty": "doubling"},  # a word is not yet a Penalty: only records turn words into one
        {"penalty": None},
    ],
    ids=str,
)
def test_no_other_options(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(NotUnderstood, match=name):
        Options(**options)


@pytest.mark.parametrize(
    "players",
    [
        ["Anna", "Ben"],
        TWENTY,
        ["Анна", "Änne", "O'Neill", "Jean-Luc", "李", "Anna Maria", "2"],
        ["a" * 40, "b"],
        ["Aé", "Ae"],
    ],
    ids=len,
)
def test_players(players: list[str]) -> None:
    assert Match(players).players == tuple(players)


def test_names_lose_the_spaces_around_them() -> None:
    assert Match([" Anna ", "Ben\n"]).players == ("Anna", "Ben")


@pytest.mark.parametrize(
    ("players", "why"),
    [
        ([], "2 to 20 players, not 0"),
        (["Anna"], "2 to 20 players, not 1"),
        ([*TWENTY, "One More"], "2 to 20 players, not 21"),
        (["Anna", "Anna"], "same name: 'Anna' and 'Anna'"),
        (["Anna", "anna "], "same name: 'Anna' and 'anna'"),
        (["Ben", "Анна", "АННА"], "same name"),
        (["Strauß", "STRAUSS"], "same name"),
        (["Zoé", "Zoe\u0301"], "same name"),
        (["Anna  Maria", "Anna Maria"], "same name"),
        (["Anna", ""], "empty"),
        (["Anna", " \t"], "empty"),
        (["Anna", "b" * 41], "longer than 40"),
        (["Anna", "B\x1b[2Jen"], "cannot be shown"),
        (["Anna", "B\nen"], "cannot be shown"),
        (["Anna", "B\u200ben"], "cannot be shown"),
        (["Anna", "B\u202een"], "cannot be shown"),
        (["Anna", "B\u2028en"], "cannot be shown"),
        (["Anna", "\ud800"], "cannot be shown"),
        (["Anna", 2], "list of names"),
        (["Anna", None], "list of names"),
        ("AB", "list of names"),
    ],
)
def test_no_other_players(players: list[str], why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        Match(players)
