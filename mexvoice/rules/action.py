"""What a player can do."""

from dataclasses import dataclass
from enum import StrEnum
from reprlib import repr as shown
from typing import ClassVar

from mexvoice.rules.dice import Counting, Dice
from mexvoice.rules.error import NotUnderstood


class ActionKind(StrEnum):
    """The kinds of action that can be open; :mod:`mexvoice.rules.referee` says when each is."""

    THROW = "throw"
    STOP = "stop"
    ABORT = "abort"
    PIPS = "pips"
    MEX = "mex"
    NEW_MATCH = "new_match"
    """Open when the match is over; not an action on this match, whoever holds it starts another."""


@dataclass(frozen=True, slots=True)
class ThrowDice:
    """The player whose turn it is throws, and the dice fall like this.

    Raises:
        NotUnderstood: if ``dice`` are not :class:`Dice`.
    """

    kind: ClassVar[ActionKind] = ActionKind.THROW
    dice: Dice

    def __post_init__(self) -> None:
        if not isinstance(self.dice, Dice):
            raise NotUnderstood(f"{shown(self.dice)} are no dice")


@dataclass(frozen=True, slots=True)
class Stop:
    """The player whose turn it is keeps the last throw."""

    kind: ClassVar[ActionKind] = ActionKind.STOP


@dataclass(frozen=True, slots=True)
class Abort:
    """The player whose turn it is ends the round there and then."""

    kind: ClassVar[ActionKind] = ActionKind.ABORT


@dataclass(frozen=True, slots=True)
class Count:
    """The last of the tied players chooses how the extra round is counted.

    Raises:
        NotUnderstood: if ``counting`` is not a :class:`Counting`.
    """

    counting: Counting

    def __post_init__(self) -> None:
        if not isinstance(self.counting, Counting):
            raise NotUnderstood(f"an extra round is counted 'mex' or 'pips', not {shown(self.counting)}")

    @property
    def kind(self) -> ActionKind:
        """The kind of this action: ``PIPS`` or ``MEX``."""
        return ActionKind.PIPS if self.counting is Counting.PIPS else ActionKind.MEX


Action = ThrowDice | Stop | Abort | Count
