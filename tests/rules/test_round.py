"""Each rule of a normal round by its name, with what is open in each state of it."""

from dataclasses import dataclass

import pytest

from mexvoice.rules import (
    Abort,
    Counting,
    LimitSet,
    Lowest,
    Match,
    NotOpen,
    NotUnderstood,
    Options,
    Penalty,
    Phase,
    RoundAborted,
    StakeRaised,
    TurnWaiting,
)
from tests.rules.story import action, after, tell


@dataclass(frozen=True)
class State:
    """Where a story of three players A, B and C has come to."""

    rule: str
    story: str
    phase: Phase
    turn: str | None
    open: str
    left: int
    limit: int | None
    max_throws: int = 3
    starter: str | None = None


BEFORE, THROWN, WAITING, CHOOSING = Phase.BEFORE_THROW, Phase.THROWN, Phase.WAITING, Phase.CHOOSING
STATES = [
    State("the starter throws first", "", BEFORE, "A", "throw", 3, 3),
    State("or another starter", "", BEFORE, "B", "throw", 3, 3, starter="B"),
    State("the starter may stop after the first throw", "63", THROWN, "A", "abort stop throw", 2, 3),
    State("or after the second", "63 31", THROWN, "A", "abort stop throw", 1, 3),
    State("the third is the last: the turn waits", "63 31 42", WAITING, "A", "abort stop", 0, 3),
    State("until the starter stops", "63 31 42 stop", BEFORE, "B", "throw", 3, 3),
    State("the starter's throws limit the others to one", "63 stop", BEFORE, "B", "throw", 1, 1),
    State("or to two", "63 31 stop", BEFORE, "B", "throw", 2, 2),
    State("up to the limit, not exactly", "63 31 stop 42", THROWN, "B", "abort stop throw", 1, 2),
    State("one may stop below it", "63 31 stop 42 stop", BEFORE, "C", "throw", 2, 2),
    State("the limit is the starter's, not the last player's", "63 31 stop 42 stop 51", THROWN, "C",
          "abort stop throw", 1, 2),
    State("the last throw waits while others are to throw", "63 stop 42", WAITING, "B", "abort stop", 0, 1),
    State("a Mex ends the turn at once", "21", BEFORE, "B", "throw", 1, 1),
    State("and limits the others to the throws so far", "63 12", BEFORE, "B", "throw", 2, 2),
    State("nobody aborts after a Mex", "63 21 41", THROWN, "B", "stop throw", 1, 2),
    State("nor waits after one", "63 21 41 52", BEFORE, "C", "throw", 2, 2),
    State("nor after a later player's", "63 stop 21", BEFORE, "C", "throw", 1, 1),
    State("the last player may stop or abort with throws left", "63 31 stop 42 stop 61", THROWN, "C",
          "abort stop throw", 1, 2),
    State("the last player's last throw ends the turn", "63 stop 42 stop 31", BEFORE, "C", "throw", 3, 3),
    State("the round goes on in seat order", "63 stop", BEFORE, "C", "throw", 1, 1, starter="B"),
    State("and round the table", "63 stop 42 stop", BEFORE, "A", "throw", 1, 1, starter="B"),
    State("one throw each if the option says so", "", BEFORE, "A", "throw", 1, 1, max_throws=1),
    State("which waits too", "63", WAITING, "A", "abort stop", 0, 1, max_throws=1),
    State("two at most if the option says so", "63 64", WAITING, "A", "abort stop", 0, 2, max_throws=2),
    State("a tie asks the last of the tied", "42 stop 63 stop 24", CHOOSING, "C", "mex pips", 0, None),
    State("who need not be the last in the round", "42 stop 24 stop 63", CHOOSING, "B", "mex pips", 0, None),
]  # fmt: skip


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.rule)
def test_what_is_open(state: State) -> None:
    match = after(state.story, options=Options(max_throws=state.max_throws, starter=state.starter))
    assert (match.phase, match.turn, match.throws_left, match.limit) == (
        state.phase,
        state.turn,
        state.left,
        state.limit,
    )
    assert " ".join(sorted(kind.value for kind in match.open)) == state.open


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.rule)
def test_what_is_not_open_is_refused_and_changes_nothing(state: State) -> None:
    match = after(state.story, options=Options(max_throws=state.max_throws, starter=state.starter))
    before = (match.state, match.history)
    for word in {"64", "stop", "abort", "pips", "mex"}:
        if action(word).kind in match.open:
            continue
        with pytest.raises(NotOpen, match=f"'{action(word).kind}' is not open to {state.turn} now; open: "):
            match.apply(action(word))
        assert (match.state, match.history) == before


@dataclass(frozen=True)
class Loss:
    """Who loses the first round of a story of three players with 12 lives, and what it costs."""

    rule: str
    story: str
    lives: tuple[int, int, int]
    points: tuple[int, int, int]
    next: str
    penalty: Penalty = Penalty.TWICE


LOSSES = [
    Loss("the lowest value loses", "63 stop 42 stop 64", (12, 11, 12), (1, -1, 1), "B"),
    Loss("the last throw counts, not the best", "65 31 stop 42 stop 64 stop", (11, 12, 12), (-1, 1, 1), "A"),
    Loss("a pair is above 65", "65 stop 11 stop 66", (11, 12, 12), (-1, 1, 1), "A"),
    Loss("a Mex makes it two lives", "63 stop 21 42", (12, 12, 10), (1, 3, -1), "C"),
    Loss("the starter's too", "12 42 43", (12, 10, 12), (3, -1, 1), "B"),
    Loss("two Mexes make it four", "21 12 66", (12, 12, 8), (3, 3, -1), "C"),
    Loss("or four by doubling", "21 12 66", (12, 12, 8), (3, 3, -1), "C", Penalty.DOUBLING),
    Loss("three Mexes make it six", "21 12 21 mex 31 32 33", (6, 12, 12), (-1, 3, 3), "A"),
    Loss("or eight by doubling", "21 12 21 mex 31 32 33", (4, 12, 12), (-1, 3, 3), "A", Penalty.DOUBLING),
    Loss("one life without a Mex by doubling too", "63 stop 42 stop 64", (12, 11, 12), (1, -1, 1), "B",
         Penalty.DOUBLING),
    Loss("a Mex after a worse throw counts", "31 21 61 stop 62 stop", (12, 10, 12), (3, -1, 1), "B"),
    Loss("no stake by extra rounds", "42 stop 42 stop 63 mex 21 31", (12, 11, 12), (1, -1, 1), "B"),
    Loss("a starter who aborts alone loses", "65 abort", (11, 12, 12), (-1, 1, 1), "A"),
    Loss("who has not thrown cannot lose", "63 stop 42 abort", (12, 11, 12), (1, -1, 1), "B"),
    Loss("who aborts with a higher value does not lose", "42 stop 63 abort", (11, 12, 12), (-1, 1, 1), "A"),
    Loss("who shares the lowest and aborts loses", "42 stop 24 abort", (12, 11, 12), (1, -1, 1), "B"),
    Loss("also against two who share it", "42 61 stop 42 61 stop 16 abort", (12, 12, 11), (1, 1, -1), "C"),
    Loss("also by one below the lowest there is", "31 stop 13 abort", (12, 11, 12), (1, -1, 1), "B"),
    Loss("an equal value that is not the lowest is not lowered", "63 31 stop 63 stop 63 abort", (11, 12, 12),
         (-1, 1, 1), "A"),
    Loss("abort in the waiting state", "63 61 62 stop 63 61 31 abort", (12, 11, 12), (1, -1, 1), "B"),
    Loss("abort with throws left", "63 61 62 stop 31 abort", (12, 11, 12), (1, -1, 1), "B"),
]  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.rule)
def test_who_loses_what(loss: Loss) -> None:
    match = after(loss.story, options=Options(penalty=loss.penalty))
    assert tuple(match.lives.values()) == loss.lives
    assert tuple(match.points.values()) == loss.points
    assert (match.round_number, match.turn, match.starter, match.phase) == (2, loss.next, loss.next, BEFORE)
    assert (match.limit, match.stake, match.mexes, match.throws) == (3, 1, 0, {})


def test_an_abort_says_the_value_it_counts_and_whether_it_was_lowered() -> None:
    assert tell(after("42 stop"), "24 abort")[2] == RoundAborted("B", 41, True)
    assert tell(after("42 stop"), "43 abort")[2] == RoundAborted("B", 43, False)
    assert tell(after("31 stop"), "31 abort")[2] == RoundAborted("B", 30, True)
    assert tell(after(""), "31 abort")[1] == RoundAborted("A", 31, False)
    # 63 was thrown before, but the lowest before is 31
    assert tell(after("63 31 stop 63 stop"), "63 abort")[1] == RoundAborted("C", 63, False)


def test_those_who_tie_before_a_higher_aborter_play_an_extra_round() -> None:
    match = after("42 61 stop 61 stop 62 abort")
    assert (match.phase, match.turn) == (CHOOSING, "B")
    tell(match, "pips 11 21")
    assert match.lives == {"A": 11, "B": 12, "C": 12}


def test_the_limit_is_told_when_the_starter_stops_and_only_then() -> None:
    match = after("63")
    assert [event for event in tell(match, "64 stop") if isinstance(event, LimitSet)] == [LimitSet("A", 2)]
    assert not [event for event in tell(match, "64 stop 65 stop") if isinstance(event, LimitSet)]


def test_the_turn_that_waits_says_so() -> None:
    assert tell(after("63 stop"), "42")[-1] == TurnWaiting("B")


def test_each_mex_raises_the_stake() -> None:
    match = after("")
    raised = [event for event in tell(match, "21 12") if isinstance(event, StakeRaised)]
    assert raised == [StakeRaised("A", 1, 2), StakeRaised("B", 2, 4)]
    assert (match.mexes, match.stake) == (2, 4)


LOWEST = [
    ("", None),
    ("63", Lowest(("A",), 63, Counting.MEX)),
    ("63 31", Lowest(("A",), 31, Counting.MEX)),
    ("63 31 stop", Lowest(("A",), 31, Counting.MEX)),
    ("63 31 stop 31", Lowest(("A", "B"), 31, Counting.MEX)),
    ("63 42 stop 31 stop 61", Lowest(("B",), 31, Counting.MEX)),
    ("63 stop 63 stop 63", Lowest(("A", "B", "C"), 63, Counting.MEX)),
    ("63 stop 63 stop 63 pips", None),
    ("63 stop 63 stop 63 pips 33", Lowest(("A",), 6, Counting.PIPS)),
    ("63 stop 63 stop 63 pips 33 15", Lowest(("A", "B"), 6, Counting.PIPS)),
    ("63 stop 63 stop 31", None),
]


@pytest.mark.parametrize(("story", "lowest"), LOWEST)
def test_who_is_lowest_so_far(story: str, lowest: Lowest | None) -> None:
    assert after(story).lowest == lowest


def test_the_throws_of_the_round() -> None:
    match = after("63 31 stop 52")
    assert [
        (who, [dice.high * 10 + dice.low for dice in thrown]) for who, thrown in match.throws.items()
    ] == [
        ("A", [63, 31]),
        ("B", [52]),
    ]
    assert (match.throws_taken, match.throws_left) == (1, 1)


def test_what_is_no_action_is_not_understood() -> None:
    match = Match(["A", "B"])
    for nonsense in ("throw", None, Abort):
        with pytest.raises(NotUnderstood, match="no action"):
            match.apply(nonsense)  # type: ignore[arg-type]
