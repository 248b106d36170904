"""The rules themselves: which actions a state allows, and what an action makes of it."""

from collections.abc import Sequence
from reprlib import repr as shown
from typing import Final, NamedTuple

from mexvoice.rules.action import Abort, Action, ActionKind, Count, Stop, ThrowDice
from mexvoice.rules.dice import Counting, Dice
from mexvoice.rules.error import NotOpen, NotUnderstood
from mexvoice.rules.event import (
    CountingChosen,
    DiceThrown,
    Event,
    ExtraRoundStarted,
    LimitSet,
    LivesLost,
    MatchStarted,
    MatchWon,
    PlayerOut,
    PointsChanged,
    RoundAborted,
    RoundLost,
    RoundStarted,
    StakeRaised,
    TurnEnded,
    TurnStarted,
    TurnWaiting,
)
from mexvoice.rules.option import Options, checked_names, starting_seat
from mexvoice.rules.state import Phase, State

POINTS_LOST_ROUND: Final = -1
POINTS_SURVIVED_ROUND: Final = 1
POINTS_MEX: Final = 2
POINTS_LAST_LEFT: Final = 5

_OPEN: Final = {
    Phase.BEFORE_THROW: frozenset({ActionKind.THROW}),
    Phase.THROWN: frozenset({ActionKind.THROW, ActionKind.STOP, ActionKind.ABORT}),
    Phase.WAITING: frozenset({ActionKind.STOP, ActionKind.ABORT}),
    Phase.CHOOSING: frozenset({ActionKind.PIPS, ActionKind.MEX}),
    Phase.EXTRA: frozenset({ActionKind.THROW}),
    Phase.OVER: frozenset({ActionKind.NEW_MATCH}),
}
_OPEN_AFTER_MEX: Final = frozenset({ActionKind.THROW, ActionKind.STOP})


class Step(NamedTuple):
    """What an action led to."""

    state: State
    events: tuple[Event, ...]


def open_actions(state: State) -> frozenset[ActionKind]:
    """The actions open in ``state``; nobody can abort a round in which a Mex was thrown."""
    if state.phase is Phase.THROWN and state.mexes:
        return _OPEN_AFTER_MEX
    return _OPEN[state.phase]


class Referee:
    """Judges the actions of one match. Holds what never changes in it, and no state.

    Raises:
        NotUnderstood: for names or options no match can have.
    """

    def __init__(self, players: Sequence[str], options: Options) -> None:
        self.players = checked_names(players)
        self.options = options
        self._first = starting_seat(self.players, options.starter)

    def opening(self) -> Step:
        """The state before the first throw, and the events that open the match."""
        everybody = range(len(self.players))
        lives = self.options.lives
        started = MatchStarted(self.players, lives, self.players[self._first])
        state, events = self._new_round(
            tuple(lives for _ in everybody), tuple(0 for _ in everybody), 1, self._first
        )
        return Step(state, (started, *events))

    def judge(self, state: State, action: Action) -> Step:
        """What ``action`` of the player whose turn it is makes of ``state``.

        Raises:
            NotOpen: if the action is not open in ``state``.
            NotUnderstood: if it is no action.
        """
        if not isinstance(action, Action):
            raise NotUnderstood(f"{shown(action)} is no action")
        if action.kind not in open_actions(state):
            raise NotOpen(self._refusal(state, action.kind))
        match action:
            case ThrowDice(dice):
                return self._extra_throw(state, dice) if state.extra else self._throw(state, dice)
            case Stop():
                return self._end_turn(state, [])
            case Abort():
                return self._abort(state)
            case Count(counting):
                return self._count(state, counting)

    def _refusal(self, state: State, kind: ActionKind) -> str:
        open_now = ", ".join(sorted(open_actions(state)))
        if state.turn is None:
            return f"the match is over, so '{kind}' is not open; open: {open_now}"
        return f"'{kind}' is not open to {self.players[state.turn]} now; open: {open_now}"

    def _new_round(self, lives: tuple[int, ...], points: tuple[int, ...], number: int, starter: int) -> Step:
        """The round goes from the starter through the living players in seat order."""
        seats = len(lives)
        order = tuple(seat for i in range(seats) if lives[seat := (starter + i) % seats])
        limit = self.options.max_throws
        state = State(Phase.BEFORE_THROW, lives, points, number, starter, limit, order)
        name = self.players[starter]
        return Step(state, (RoundStarted(number, name), TurnStarted(name, limit, False)))

    def _throw(self, state: State, dice: Dice) -> Step:
        """A throw in a normal round: a Mex ends the turn, so does the last throw unless it has to wait."""
        turn = len(state.ended)
        seat = state.order[turn]
        name = self.players[seat]
        thrown = (*state.current, dice)
        mex = dice.is_mex
        left = 0 if mex else state.limit - len(thrown)
        value = dice.value(Counting.MEX)
        events: list[Event] = [
            DiceThrown(name, dice.first, dice.second, value, mex, Counting.MEX, False, left)
        ]
        mexes = state.mexes
        if mex:
            mexes = (*mexes, seat)
            events.append(StakeRaised(name, len(mexes), self.options.penalty.stake(len(mexes))))
        if left:
            return Step(state._replace(phase=Phase.THROWN, current=thrown), tuple(events))
        if not mexes and turn + 1 < len(state.order):
            events.append(TurnWaiting(name))
            return Step(state._replace(phase=Phase.WAITING, current=thrown), tuple(events))
        return self._end_turn(state._replace(current=thrown, mexes=mexes), events)

    def _extra_throw(self, state: State, dice: Dice) -> Step:
        """The one throw of a turn in an extra round. A Mex is the highest value there, and nothing more."""
        name = self.players[state.order[len(state.ended)]]
        counting = state.counting
        mex = dice.is_mex and counting is Counting.MEX
        thrown = DiceThrown(name, dice.first, dice.second, dice.value(counting), mex, counting, True, 0)
        return self._end_turn(state._replace(current=(dice,)), [thrown])

    def _end_turn(self, state: State, events: list[Event]) -> Step:
        """The last throw counts; the throws of the starter limit the others; the next in order follows."""
        turn = len(state.ended)
        name = self.players[state.order[turn]]
        extra = state.extra > 0
        value = state.current[-1].value(state.counting)
        throws = len(state.current)
        events.append(TurnEnded(name, value, throws, state.counting))
        limit = state.limit
        if turn == 0 and not extra:
            limit = throws
            events.append(LimitSet(name, limit))
        ended = state._replace(
            phase=Phase.EXTRA if extra else Phase.BEFORE_THROW,
            limit=limit,
            ended=(*state.ended, state.current),
            values=(*state.values, value),
            current=(),
        )
        if turn + 1 == len(state.order):
            return self._settle(ended, events)
        events.append(TurnStarted(self.players[state.order[turn + 1]], limit, extra))
        return Step(ended, tuple(events))

    def _abort(self, state: State) -> Step:
        """The round ends here; an aborter who shares the lowest value so far loses it alone."""
        name = self.players[state.order[len(state.ended)]]
        value = state.current[-1].value(state.counting)
        lowered = value == min(state.values, default=None)
        if lowered:
            value -= 1
        ended = state._replace(ended=(*state.ended, state.current), values=(*state.values, value), current=())
        return self._settle(ended, [RoundAborted(name, value, lowered)])

    def _settle(self, state: State, events: list[Event]) -> Step:
        """All turns there will be have ended: the lowest value loses, and a tie goes to an extra round."""
        lowest = min(state.values)
        tied = tuple(seat for seat, value in zip(state.order, state.values, strict=False) if value == lowest)
        if len(tied) == 1:
            return self._lose(state, tied[0], lowest, events)
        names = tuple(self.players[seat] for seat in tied)
        number = state.extra + 1
        events.append(ExtraRoundStarted(names, names[-1], lowest, number, state.counting))
        return Step(state._replace(phase=Phase.CHOOSING, extra=number, tied=tied), tuple(events))

    def _count(self, state: State, counting: Counting) -> Step:
        """The last of the tied players has chosen: they throw once each, in the order they threw before."""
        chooser, first = self.players[state.tied[-1]], self.players[state.tied[0]]
        extra = state._replace(
            phase=Phase.EXTRA, limit=1, order=state.tied, ended=(), values=(), counting=counting, tied=()
        )
        return Step(extra, (CountingChosen(chooser, counting), TurnStarted(first, 1, True)))

    def _lose(self, state: State, loser: int, value: int, events: list[Event]) -> Step:
        """Lives and points after a round, then the next round or the end of the match."""
        name = self.players[loser]
        stake = self.options.penalty.stake(len(state.mexes))
        before = state.lives[loser]
        left = max(0, before - stake)
        events += RoundLost(name, value, stake, state.counting), LivesLost(name, before - left, left)
        if not left:
            events.append(PlayerOut(name))
        lives = (*state.lives[:loser], left, *state.lives[loser + 1 :])
        living = [seat for seat, count in enumerate(lives) if count]
        won = len(living) == 1
        points = list(state.points)
        for seat, alive in enumerate(state.lives):
            if not alive:
                continue
            if seat == loser:
                change = POINTS_LOST_ROUND
            else:
                change = POINTS_SURVIVED_ROUND + (POINTS_MEX if seat in state.mexes else 0)
                change += POINTS_LAST_LEFT if won else 0
            points[seat] += change
            events.append(PointsChanged(self.players[seat], change, points[seat]))
        if won:
            winner = living[0]
            events.append(MatchWon(self.players[winner], points[winner]))
            over = state._replace(phase=Phase.OVER, lives=lives, points=tuple(points))
            return Step(over, tuple(events))
        starter = loser if left else next((seat for seat in living if seat > loser), living[0])
        following, opening = self._new_round(lives, tuple(points), state.number + 1, starter)
        return Step(following, (*events, *opening))
