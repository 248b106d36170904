"""What happened, as the rules tell it: one class an event, each with a ``name`` and plain fields."""

import re
from dataclasses import dataclass
from typing import ClassVar

from mexvoice.rules.action import ActionKind
from mexvoice.rules.dice import Counting


class Event:
    """Something that happened in a match."""

    __slots__ = ()
    name: ClassVar[str]
    """The name of the event: the class name in snake_case."""

    def __init_subclass__(cls) -> None:
        cls.name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        # A dataclass with slots replaces its class by a new one, which comes here too and takes the place.
        EVENTS[cls.name] = cls


EVENTS: dict[str, type[Event]] = {}
"""Every class of event by its name."""


@dataclass(frozen=True, slots=True)
class MatchStarted(Event):
    """A match begins."""

    players: tuple[str, ...]
    """In seat order."""
    lives: int
    """What everybody starts with."""
    starter: str


@dataclass(frozen=True, slots=True)
class RoundStarted(Event):
    """A normal round begins."""

    number: int
    """From 1."""
    starter: str


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """A player is to throw."""

    player: str
    throws: int
    """The most throws this turn may have."""
    extra: bool
    """Whether it is a turn of an extra round."""


@dataclass(frozen=True, slots=True)
class DiceThrown(Event):
    """Both dice were thrown."""

    player: str
    first: int
    second: int
    value: int
    """As counted by ``counting``."""
    mex: bool
    """Whether it counts as a Mex: never in pips counting."""
    counting: Counting
    extra: bool
    """Whether it is a throw of an extra round."""
    throws_left: int
    """How many more this turn may have; 0 after a Mex."""


@dataclass(frozen=True, slots=True)
class StakeRaised(Event):
    """A Mex of a normal round raised the stake."""

    player: str
    mexes: int
    """Mexes in this round so far."""
    stake: int
    """The lives the loser of the round will lose now."""


@dataclass(frozen=True, slots=True)
class TurnWaiting(Event):
    """No throw is left, but the player may still stop or abort."""

    player: str


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """A turn ended other than by aborting the round."""

    player: str
    value: int
    """The value of the last throw, as counted by ``counting``."""
    throws: int
    """How many throws the turn had."""
    counting: Counting = Counting.MEX


@dataclass(frozen=True, slots=True)
class LimitSet(Event):
    """The starter's turn ended and limits the others."""

    player: str
    throws: int
    """The most throws each of the others may take in this round."""


@dataclass(frozen=True, slots=True)
class RoundAborted(Event):
    """A player ended the round there and then; who has not thrown is out of it."""

    player: str
    value: int
    """The aborter's value as it counts, lowered already if ``lowered``."""
    lowered: bool
    """Whether the value was lowered by 1, since it equalled the lowest before."""


@dataclass(frozen=True, slots=True)
class ExtraRoundStarted(Event):
    """Players share the lowest value and play an extra round; ``chooser`` is to choose how it is counted."""

    players: tuple[str, ...]
    """In the order they will throw."""
    chooser: str
    value: int
    """The value they share, as counted in the round just thrown."""
    number: int
    """From 1 within one round."""
    counting: Counting = Counting.MEX
    """How the round just thrown was counted."""


@dataclass(frozen=True, slots=True)
class CountingChosen(Event):
    """It was chosen how the extra round is counted."""

    player: str
    counting: Counting


@dataclass(frozen=True, slots=True)
class RoundLost(Event):
    """A round, with its extra rounds, is lost."""

    player: str
    value: int
    """The value it was lost with, as counted by ``counting``."""
    stake: int
    counting: Counting = Counting.MEX


@dataclass(frozen=True, slots=True)
class LivesLost(Event):
    """The loser of a round lost lives."""

    player: str
    lost: int
    """How many the player had and has no more: the stake, or all that were left if those were fewer."""
    left: int
    """0 or more."""


@dataclass(frozen=True, slots=True)
class PlayerOut(Event):
    """A player has no life left."""

    player: str


@dataclass(frozen=True, slots=True)
class PointsChanged(Event):
    """The points of a player changed by all that a round, and the end of the match, brought."""

    player: str
    change: int
    points: int
    """The new score, which may be negative."""


@dataclass(frozen=True, slots=True)
class MatchWon(Event):
    """One player is left: the match is over."""

    player: str
    points: int
    """The winner's final score."""


@dataclass(frozen=True, slots=True)
class Undone(Event):
    """The last action was taken back."""

    action: ActionKind
    player: str
    """Whose action it was."""
