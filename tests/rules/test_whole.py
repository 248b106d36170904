"""Properties of whole matches of any players, options, dice and decisions."""

import random
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mexvoice.rules import (
    EVENTS,
    Abort,
    Action,
    ActionKind,
    Count,
    Counting,
    Dice,
    Event,
    LivesLost,
    Match,
    MatchWon,
    NotOpen,
    Options,
    Penalty,
    Phase,
    PlayerOut,
    PointsChanged,
    RoundLost,
    RoundStarted,
    Stop,
    ThrowDice,
)

ALL_DICE = [Dice(first, second) for first in range(1, 7) for second in range(1, 7)]
WITHOUT_DICE: dict[str, Action] = {
    "stop": Stop(),
    "abort": Abort(),
    "pips": Count(Counting.PIPS),
    "mex": Count(Counting.MEX),
}
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A whole match is long, and a busy machine slow: neither says anything about the rules."""
LONGEST = 20_000
"""More actions than any match here comes to."""


@dataclass(frozen=True)
class Habits:
    """How a table plays: its dice may be loaded, and its players may like one action more than another."""

    seed: int
    dice: tuple[Dice, ...]
    likes: tuple[int, int, int, int, int]
    """How likely throw, stop, abort, pips and mex are against each other."""

    def actions(self) -> "Chooser":
        """One who chooses by these habits, the same each time."""
        return Chooser(self)


class Chooser:
    """Chooses among open actions."""

    def __init__(self, habits: Habits) -> None:
        self._habits = habits
        self._rng = random.Random(habits.seed)
        self._likes = dict(zip(("throw", "stop", "abort", "pips", "mex"), habits.likes, strict=True))

    def choose(self, open_actions: frozenset[ActionKind]) -> Action:
        """One of the open actions."""
        kinds = sorted(open_actions)
        (kind,) = self._rng.choices(kinds, [self._likes[kind] for kind in kinds])
        if kind is ActionKind.THROW:
            return ThrowDice(self._rng.choice(self._habits.dice))
        return WITHOUT_DICE[kind]


def matches(most_players: int = 8, most_lives: int = 12) -> st.SearchStrategy[Match]:
    """Matches of any options before their first throw."""
    return st.builds(
        lambda count, starter, lives, max_throws, penalty: Match(
            [f"P{seat}" for seat in range(count)],
            Options(lives, max_throws, f"P{starter % count}", penalty),
        ),
        st.integers(2, most_players),
        st.integers(0, most_players),
        st.integers(1, most_lives),
        st.integers(1, 3),
        st.sampled_from(Penalty),
    )


# Two throws at least that differ in either counting: with fewer, a tie could never be broken.
LOADED = st.lists(st.sampled_from(ALL_DICE), min_size=2, max_size=6).filter(
    lambda dice: all(len({one.value(counting) for one in dice}) > 1 for counting in Counting)
)
HABITS = st.builds(
    Habits,
    st.integers(0, 2**32),
    st.one_of(st.just(ALL_DICE), LOADED).map(tuple),
    st.tuples(*[st.integers(1, 6)] * 5),
)


def play(match: Match, habits: Habits) -> list[Event]:
    """Play ``match`` to its end; every event from its opening on."""
    chooser = habits.actions()
    events = list(match.begin())
    while match.phase is not Phase.OVER:
        assert len(match.history) < LONGEST
        events += match.apply(chooser.choose(match.open))
    return events


def views(match: Match) -> tuple[object, ...]:
    """All that can be seen of a match, apart from its history."""
    return (
        match.state,
        match.phase,
        match.open,
        match.turn,
        match.starter,
        match.limit,
        match.throws_taken,
        match.throws_left,
        match.stake,
        match.mexes,
        match.round_number,
        dict(match.throws),
        dict(match.lives),
        dict(match.points),
        match.living,
        match.lowest,
        match.standings(),
        match.winner,
        len(match.history),
    )


@UNHURRIED
@given(matches(), HABITS)
def test_lives_never_grow_and_the_match_ends_with_one_player_left(match: Match, habits: Habits) -> None:
    chooser = habits.actions()
    lives = dict(match.lives)
    while match.phase is not Phase.OVER:
        assert len(match.history) < LONGEST
        assert match.turn in match.living
        match.apply(chooser.choose(match.open))
        assert all(0 <= match.lives[who] <= before for who, before in lives.items())
        lives = dict(match.lives)
    assert match.living == (match.winner,)
    assert match.open == {ActionKind.NEW_MATCH}


@UNHURRIED
@given(matches(), HABITS)
def test_exactly_one_player_loses_each_round(match: Match, habits: Habits) -> None:
    losers: dict[int, list[str]] = {}
    number = 0
    for event in play(match, habits):
        match event:
            case RoundStarted():
                assert event.number == number + 1
                number = event.number
                losers[number] = []
            case LivesLost():
                losers[number].append(event.player)
                assert event.lost >= 1
    assert number == match.round_number
    assert all(len(players) == 1 for players in losers.values())


@UNHURRIED
@given(matches(), HABITS)
def test_lives_and_points_are_the_sum_of_what_was_told(match: Match, habits: Habits) -> None:
    lives = dict(match.lives)
    points = dict.fromkeys(match.players, 0)
    out: list[str] = []
    stake = 0
    events = play(match, habits)
    for event in events:
        match event:
            case RoundLost():
                stake = event.stake
            case LivesLost():
                assert event.lost == min(stake, lives[event.player])
                lives[event.player] -= event.lost
                assert event.left == lives[event.player]
            case PlayerOut():
                out.append(event.player)
            case PointsChanged():
                points[event.player] += event.change
                assert event.points == points[event.player]
    assert lives == match.lives
    assert points == match.points
    assert sorted(out) == sorted(set(match.players) - {match.winner})
    assert events[-1] == MatchWon(str(match.winner), points[str(match.winner)])


@UNHURRIED
@given(matches(), HABITS)
def test_a_turn_has_no_more_throws_than_it_may(match: Match, habits: Habits) -> None:
    chooser = habits.actions()
    while match.phase is not Phase.OVER:
        match.apply(chooser.choose(match.open))
        throws = list(match.throws.values())
        assert all(len(thrown) <= match.options.max_throws for thrown in throws)
        assert all(len(thrown) <= len(throws[0]) for thrown in throws[1:])
        assert not any(dice.is_mex for thrown in throws for dice in thrown[:-1])


@UNHURRIED
@given(matches(most_players=6, most_lives=5), HABITS)
def test_undo_is_exact_at_every_point(match: Match, habits: Habits) -> None:
    chooser = habits.actions()
    seen = [views(match)]
    told = []
    while match.phase is not Phase.OVER:
        told.append(match.apply(chooser.choose(match.open)))
        seen.append(views(match))
    history = match.history
    for point in reversed(range(len(history))):
        assert match.undo()[0].name == "undone"
        assert views(match) == seen[point]
        assert match.history == history[:point]
    with pytest.raises(NotOpen):
        match.undo()
    for point, action in enumerate(history):
        assert match.apply(action) == told[point]
        assert views(match) == seen[point + 1]


@UNHURRIED
@given(matches(most_players=4, most_lives=3), HABITS, st.lists(st.integers(1, 40), max_size=10))
def test_another_way_after_undo_is_as_if_the_first_had_never_been(
    match: Match, habits: Habits, steps: list[int]
) -> None:
    chooser = habits.actions()
    for forth in steps:
        for _ in range(forth):
            if match.phase is not Phase.OVER:
                match.apply(chooser.choose(match.open))
        for _ in range(min(forth // 2, len(match.history))):
            match.undo()
    again = Match(match.players, match.options)
    for action in match.history:
        again.apply(action)
    assert views(again) == views(match)


@UNHURRIED
@given(matches(), HABITS)
def test_only_open_actions_are_taken(match: Match, habits: Habits) -> None:
    chooser = habits.actions()
    everything = [ThrowDice(Dice(6, 3)), *WITHOUT_DICE.values()]
    for _ in range(60):
        state = match.state
        for action in everything:
            if action.kind in match.open:
                match.apply(action)
                match.undo()
            else:
                with pytest.raises(NotOpen):
                    match.apply(action)
            assert match.state is state
        if match.phase is Phase.OVER:
            return
        match.apply(chooser.choose(match.open))


def test_every_event_is_told_by_some_match() -> None:
    told: set[str] = set()
    for seed in range(30):
        match = Match(["A", "B", "C"], Options(lives=5))
        told |= {event.name for event in play(match, Habits(seed, tuple(ALL_DICE), (3, 3, 1, 1, 1)))}
        told |= {event.name for event in match.undo()}
    assert told == set(EVENTS)
