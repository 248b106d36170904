"""Each rule of extra rounds and of a whole match by its name, its events in their order, and undo."""

import pytest

from mexvoice.rules import (
    ActionKind,
    Counting,
    CountingChosen,
    DiceThrown,
    Event,
    ExtraRoundStarted,
    LimitSet,
    LivesLost,
    Match,
    MatchStarted,
    MatchWon,
    NotOpen,
    Options,
    Phase,
    PlayerOut,
    PointsChanged,
    RoundLost,
    RoundStarted,
    StakeRaised,
    Standing,
    ThrowDice,
    TurnEnded,
    TurnStarted,
    TurnWaiting,
    Undone,
)
from tests.rules.story import action, after, tell

PIPS, MEX = Counting.PIPS, Counting.MEX


def test_the_match_opens_with_its_players_and_the_first_turn() -> None:
    match = Match(["Anna", "Ben"], Options(lives=3, max_throws=2, starter="Ben"))
    assert match.begin() == (
        MatchStarted(("Anna", "Ben"), 3, "Ben"),
        RoundStarted(1, "Ben"),
        TurnStarted("Ben", 2, False),
    )
    tell(match, "63")
    assert match.begin()[0] == MatchStarted(("Anna", "Ben"), 3, "Ben")
    assert match.throws_taken == 1


def events_of(seats: str, story: str, options: Options | None = None) -> list[Event]:
    """The events of the last word of ``story``."""
    words = story.split()
    match = after(" ".join(words[:-1]), seats, options)
    return list(match.apply(action(words[-1])))


EVENTS = [
    (
        "a throw with throws left",
        "63",
        [DiceThrown("A", 6, 3, 63, False, MEX, False, 2)],
    ),
    (
        "the dice keep their order",
        "36",
        [DiceThrown("A", 3, 6, 63, False, MEX, False, 2)],
    ),
    (
        "a last throw that waits",
        "63 31 44",
        [DiceThrown("A", 4, 4, 400, False, MEX, False, 0), TurnWaiting("A")],
    ),
    (
        "the starter stops",
        "63 31 stop",
        [TurnEnded("A", 31, 2), LimitSet("A", 2), TurnStarted("B", 2, False)],
    ),
    (
        "the starter's Mex",
        "63 21",
        [
            DiceThrown("A", 2, 1, 1000, True, MEX, False, 0),
            StakeRaised("A", 1, 2),
            TurnEnded("A", 1000, 2),
            LimitSet("A", 2),
            TurnStarted("B", 2, False),
        ],
    ),
    (
        "the end of a round",
        "63 stop 21 41",
        [
            DiceThrown("C", 4, 1, 41, False, MEX, False, 0),
            TurnEnded("C", 41, 1),
            RoundLost("C", 41, 2),
            LivesLost("C", 2, 10),
            PointsChanged("A", 1, 1),
            PointsChanged("B", 3, 3),
            PointsChanged("C", -1, -1),
            RoundStarted(2, "C"),
            TurnStarted("C", 3, False),
        ],
    ),
    (
        "a tie",
        "43 stop 52 stop 34",
        [
            DiceThrown("C", 3, 4, 43, False, MEX, False, 0),
            TurnEnded("C", 43, 1),
            ExtraRoundStarted(("A", "C"), "C", 43, 1),
        ],
    ),
    (
        "a choice",
        "43 stop 52 stop 34 pips",
        [CountingChosen("C", PIPS), TurnStarted("A", 1, True)],
    ),
    (
        "a throw of an extra round",
        "43 stop 52 stop 34 pips 12",
        [
            DiceThrown("A", 1, 2, 3, False, PIPS, True, 0),
            TurnEnded("A", 3, 1, PIPS),
            TurnStarted("C", 1, True),
        ],
    ),
    (
        "a Mex of an extra round",
        "43 stop 52 stop 34 mex 12",
        [
            DiceThrown("A", 1, 2, 1000, True, MEX, True, 0),
            TurnEnded("A", 1000, 1),
            TurnStarted("C", 1, True),
        ],
    ),
    (
        "still tied",
        "43 stop 52 stop 34 pips 52 43",
        [
            DiceThrown("C", 4, 3, 7, False, PIPS, True, 0),
            TurnEnded("C", 7, 1, PIPS),
            ExtraRoundStarted(("A", "C"), "C", 7, 2, PIPS),
        ],
    ),
    (
        "the end of an extra round",
        "43 stop 21 34 pips 52 12",
        [
            DiceThrown("C", 1, 2, 3, False, PIPS, True, 0),
            TurnEnded("C", 3, 1, PIPS),
            RoundLost("C", 3, 2, PIPS),
            LivesLost("C", 2, 10),
            PointsChanged("A", 1, 1),
            PointsChanged("B", 3, 3),
            PointsChanged("C", -1, -1),
            RoundStarted(2, "C"),
            TurnStarted("C", 3, False),
        ],
    ),
]


@pytest.mark.parametrize(("story", "events"), [case[1:] for case in EVENTS], ids=[case[0] for case in EVENTS])
def test_what_an_action_tells(story: str, events: list[Event]) -> None:
    assert events_of("ABC", story) == events


def test_extra_round_goes_in_the_order_they_threw() -> None:
    match = after("43 stop 52 stop 34", options=Options(starter="B"))  # B, C, A threw: B and A are tied
    assert match.turn == "A"
    tell(match, "mex")
    assert (match.turn, match.phase, match.throws_left) == ("B", Phase.EXTRA, 1)
    assert match.open == {ActionKind.THROW}
    tell(match, "31")
    assert match.turn == "A"
    tell(match, "32")
    assert match.lives == {"A": 12, "B": 11, "C": 12}


def test_pips_and_mex_lose_differently() -> None:
    assert after("43 stop 43 stop 52 pips 11 31").lives["A"] == 11  # 2 against 4
    assert after("43 stop 43 stop 52 mex 11 31").lives["B"] == 11  # 100 against 31


def test_a_mex_of_pips_counting_is_three_pips() -> None:
    assert after("43 stop 43 stop 52 pips 21 31").lives == {"A": 11, "B": 12, "C": 12}
    assert after("43 stop 43 stop 52 mex 21 31").lives == {"A": 12, "B": 11, "C": 12}


def test_a_second_extra_round_is_among_those_still_tied_with_a_new_choice_by_the_last_of_them() -> None:
    match = after("43 stop 43 stop 43 pips 43 52 66")
    assert (match.phase, match.turn, match.state.extra) == (Phase.CHOOSING, "B", 2)
    tell(match, "mex 52 43")
    assert match.lives == {"A": 12, "B": 11, "C": 12}
    assert match.points == {"A": 1, "B": -1, "C": 1}


def test_who_threw_a_mex_and_loses_the_extra_round_gets_nothing_for_it() -> None:
    match = after("21 12 mex 65 64", "AB")
    assert match.lives == {"A": 12, "B": 8}
    assert match.points == {"A": 3, "B": -1}


def test_a_mex_of_an_extra_round_gives_no_points() -> None:
    assert after("43 stop 43 stop 52 mex 21 31").points == {"A": 1, "B": -1, "C": 1}


def test_the_winner_may_have_got_points_for_a_mex_too() -> None:
    match = after("21 31", "AB", Options(lives=1))
    assert match.points == {"A": 1 + 2 + 5, "B": -1}


def test_lives_are_never_shown_below_zero() -> None:
    events = events_of("ABC", "21 12 31", Options(lives=3))
    assert RoundLost("C", 31, 4) in events
    assert LivesLost("C", 3, 0) in events
    assert PlayerOut("C") in events


def test_exactly_no_life_left_is_out() -> None:
    assert PlayerOut("B") in events_of("ABC", "21 31 32", Options(lives=2))
    assert PlayerOut("B") not in events_of("ABC", "21 31 32", Options(lives=3))


@pytest.mark.parametrize(
    ("story", "starter"),
    [
        ("31 stop 41 stop 42", "B"),  # A is out: the next living in seat order
        ("41 stop 31 stop 42", "C"),
        ("41 stop 42 stop 31", "A"),  # round the table
        ("41 stop 42 stop 31 41 stop 31", None),  # C, then B
    ],
)
def test_after_a_loser_who_is_out_the_next_living_player_starts(story: str, starter: str | None) -> None:
    match = after(story, options=Options(lives=1))
    assert match.turn == starter


def test_who_is_out_is_passed_over() -> None:
    match = after("41 stop 31 stop 42", options=Options(lives=1))  # B is out, C starts
    assert match.living == ("A", "C")
    tell(match, "65 stop")
    assert match.turn == "A"
    assert match.standings() == (
        Standing("A", 1, 1, False),
        Standing("B", 0, -1, True),
        Standing("C", 1, 1, False),
    )


def test_who_is_out_gets_no_more_points() -> None:
    match = after("41 stop 31 stop 42 41 stop 42", options=Options(lives=1))
    assert match.points == {"A": 1 + 1 + 5, "B": -1, "C": 1 - 1}


def test_the_last_player_left_wins() -> None:
    events = events_of("AB", "63 stop 31", Options(lives=1))
    assert events[-4:] == [
        PlayerOut("B"),
        PointsChanged("A", 6, 6),
        PointsChanged("B", -1, -1),
        MatchWon("A", 6),
    ]


def test_a_match_that_is_over() -> None:
    match = after("63 stop 31", "AB", Options(lives=1))
    assert (match.phase, match.turn, match.winner) == (Phase.OVER, None, "A")
    assert match.open == {ActionKind.NEW_MATCH}
    assert (match.limit, match.throws_left) == (None, 0)
    for word in ("63", "stop", "abort", "pips", "mex"):
        with pytest.raises(NotOpen, match="the match is over"):
            match.apply(action(word))


def test_nobody_has_won_before() -> None:
    assert after("63 stop", "AB", Options(lives=1)).winner is None


UNDOS = [
    ("a throw", "63", ActionKind.THROW, "A"),
    ("a throw that ended the turn", "63 21", ActionKind.THROW, "A"),
    ("a stop", "63 31 stop", ActionKind.STOP, "A"),
    ("an abort, which ended the round", "63 stop 31 abort", ActionKind.ABORT, "B"),
    ("a throw that ended the round", "63 stop 31 stop 52", ActionKind.THROW, "C"),
    ("a throw that led to an extra round", "63 stop 31 stop 31", ActionKind.THROW, "C"),
    ("a choice of pips", "31 stop 31 stop 63 pips", ActionKind.PIPS, "B"),
    ("a choice of mex", "31 stop 31 stop 63 mex", ActionKind.MEX, "B"),
    ("a throw of an extra round", "31 stop 31 stop 63 mex 52", ActionKind.THROW, "A"),
    ("a throw that ended an extra round", "31 stop 31 stop 63 mex 52 53", ActionKind.THROW, "B"),
    ("a throw that led to the next extra round", "31 stop 31 stop 63 mex 52 25", ActionKind.THROW, "B"),
    ("a throw that put a player out", "21 21 31", ActionKind.THROW, "C"),
    ("a throw that ended the match", "31 stop 52 stop 53 21 31", ActionKind.THROW, "C"),
    ("a stop that ended the match", "31 stop 52 stop 53 62 63 stop 31 stop", ActionKind.STOP, "C"),
    ("an abort that ended the match", "31 stop 52 stop 53 31 abort", ActionKind.ABORT, "B"),
]


@pytest.mark.parametrize(
    ("story", "kind", "player"), [case[1:] for case in UNDOS], ids=[case[0] for case in UNDOS]
)
def test_undo(story: str, kind: ActionKind, player: str) -> None:
    words = story.split()
    options = Options(lives=1)
    before, match = (after(" ".join(part), options=options) for part in (words[:-1], words))
    assert match.state != before.state
    assert match.undo() == (Undone(kind, player),)
    assert (match.state, match.history, match.open) == (before.state, before.history, before.open)
    assert match.apply(action(words[-1])) == before.apply(action(words[-1]))


def test_undo_of_everything() -> None:
    match = after("63 stop 31")
    for _ in range(3):
        match.undo()
    assert match.state == after("").state
    with pytest.raises(NotOpen, match="nothing to undo"):
        match.undo()


def test_a_throw_taken_back_may_become_another() -> None:
    match = after("63 stop 31 stop 52 undo 32")
    assert match.lives == {"A": 12, "B": 11, "C": 12}
    assert match.history[-1] == action("32")
    assert isinstance(match.history[-1], ThrowDice)
