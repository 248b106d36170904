"""A match from its first throw to its last, with every action taken so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mexvoice.rules.action import Action, ActionKind
from mexvoice.rules.dice import Counting, Dice
from mexvoice.rules.error import NotOpen
from mexvoice.rules.event import Event, Undone
from mexvoice.rules.option import Options
from mexvoice.rules.referee import Referee, open_actions
from mexvoice.rules.state import Phase, State


@dataclass(frozen=True, slots=True)
class Standing:
    """How one player stands."""

    name: str
    lives: int
    points: int
    out: bool


@dataclass(frozen=True, slots=True)
class Lowest:
    """Who has the lowest value of a round so far."""

    players: tuple[str, ...]
    """More than one if they share it; in the order they threw."""
    value: int
    counting: Counting


class Match:
    """A match that is being played. It keeps every state it has been in, so that undo is exact.

    "This round" means the normal or extra round being thrown; while a counting is chosen, and when the match
    is over, it means the one just thrown.

    Args:
        players: their names in seat order, 2 to 20, each of its own.
        options: see :class:`Options`.

    Raises:
        NotUnderstood: for names or options no match can have.
    """

    def __init__(self, players: Sequence[str], options: Options | None = None) -> None:
        self._referee = Referee(players, options or Options())
        self._states: list[State] = [self._referee.opening().state]
        self._actions: list[Action] = []

    def begin(self) -> tuple[Event, ...]:
        """The events that open the match. Changes nothing."""
        return self._referee.opening().events

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Let the player whose turn it is take ``action``, and say what came of it.

        Raises:
            NotOpen: if the action is not open now; the match stays as it is.
            NotUnderstood: if it is no action.
        """
        state, events = self._referee.judge(self._states[-1], action)
        self._states.append(state)
        self._actions.append(action)
        return events

    def undo(self) -> tuple[Event, ...]:
        """Take the last action back, across the end of a round or of the match too.

        Raises:
            NotOpen: if there is no action left to take back.
        """
        if not self._actions:
            raise NotOpen("there is nothing to undo")
        self._states.pop()
        action = self._actions.pop()
        turn = self._states[-1].turn
        assert turn is not None, "nobody acts when a match is over"
        return (Undone(action.kind, self.players[turn]),)

    @property
    def players(self) -> tuple[str, ...]:
        """Every player in seat order, those who are out too."""
        return self._referee.players

    @property
    def options(self) -> Options:
        """The options of the match."""
        return self._referee.options

    @property
    def state(self) -> State:
        """The present state as the rules keep it."""
        return self._states[-1]

    @property
    def history(self) -> tuple[Action, ...]:
        """Every action that was taken and not taken back."""
        return tuple(self._actions)

    @property
    def phase(self) -> Phase:
        """What the match waits for."""
        return self.state.phase

    @property
    def open(self) -> frozenset[ActionKind]:
        """The actions open now to :attr:`turn`. Undo is none of them: it is open while there is a history."""
        return open_actions(self.state)

    @property
    def turn(self) -> str | None:
        """Who is to act: the thrower, or the one to choose a counting; None when the match is over."""
        seat = self.state.turn
        return None if seat is None else self.players[seat]

    @property
    def starter(self) -> str:
        """Who opened the normal round."""
        return self.players[self.state.starter]

    @property
    def round_number(self) -> int:
        """The number of the normal round, from 1."""
        return self.state.number

    @property
    def limit(self) -> int | None:
        """The most throws of the present turn; None when nobody is to throw."""
        return None if self.phase in (Phase.CHOOSING, Phase.OVER) else self.state.limit

    @property
    def throws_taken(self) -> int:
        """The throws of the present turn so far."""
        return len(self.state.current)

    @property
    def throws_left(self) -> int:
        """The throws the present turn may still have; 0 when nobody is to throw."""
        return 0 if self.limit is None else self.limit - self.throws_taken

    @property
    def mexes(self) -> int:
        """How many Mexes the normal round has seen."""
        return len(self.state.mexes)

    @property
    def stake(self) -> int:
        """The lives the loser of the round will lose, as it stands."""
        return self.options.penalty.stake(self.mexes)

    @property
    def throws(self) -> Mapping[str, tuple[Dice, ...]]:
        """What each player who has thrown in this round threw, in the order they threw."""
        state = self.state
        turns = (*state.ended, state.current) if state.current else state.ended
        thrown = zip(state.order, turns, strict=False)  # those still to throw have no turn yet
        return MappingProxyType({self.players[seat]: dice for seat, dice in thrown})

    @property
    def counting(self) -> Counting:
        """How this round is counted."""
        return self._states[-1].counting

    @property
    def lowest(self) -> Lowest | None:
        """The lowest value of this round so far, with the last throw of the present turn, if any."""
        state = self.state
        values = state.values
        if state.current:
            values = (*values, state.current[-1].value(state.counting))
        if not values:
            return None
        value = min(values)
        seats = (seat for seat, other in zip(state.order, values, strict=False) if other == value)
        return Lowest(tuple(self.players[seat] for seat in seats), value, state.counting)

    @property
    def lives(self) -> Mapping[str, int]:
        """The lives of every player, 0 for one who is out."""
        return MappingProxyType(dict(zip(self.players, self.state.lives, strict=True)))

    @property
    def points(self) -> Mapping[str, int]:
        """The points of every player."""
        return MappingProxyType(dict(zip(self.players, self.state.points, strict=True)))

    @property
    def living(self) -> tuple[str, ...]:
        """The players who are not out, in seat order."""
        return tuple(name for name, lives in zip(self.players, self.state.lives, strict=True) if lives)

    @property
    def winner(self) -> str | None:
        """The last player left; None while the match goes on."""
        return self.living[0] if self.phase is Phase.OVER else None

    def standings(self) -> tuple[Standing, ...]:
        """How everybody stands, in seat order."""
        rows = zip(self.players, self.state.lives, self.state.points, strict=True)
        return tuple(Standing(name, lives, points, not lives) for name, lives, points in rows)
