"""One state of a match: all the rules need to know to judge the next action. It never changes."""

from enum import StrEnum
from typing import NamedTuple

from mexvoice.rules.dice import Counting, Dice


class Phase(StrEnum):
    """What the match waits for."""

    BEFORE_THROW = "before_throw"
    """The first throw of a turn."""
    THROWN = "thrown"
    """Another throw, or the end of the turn."""
    WAITING = "waiting"
    """Stop or abort: the last throw is used."""
    CHOOSING = "choosing"
    """The choice of the counting of an extra round."""
    EXTRA = "extra"
    """The one throw of a turn of an extra round."""
    OVER = "over"
    """Nothing: one player is left."""


class State(NamedTuple):
    """A match between two actions. Players are seats here, counted from 0.

    "This round" is the normal or extra round being thrown; while a counting is chosen, and when the match
    is over, it is the one just thrown.
    """

    phase: Phase
    lives: tuple[int, ...]
    """By seat, 0 for a player who is out."""
    points: tuple[int, ...]
    """By seat."""
    number: int
    """Of the normal round, from 1."""
    starter: int
    """Who opened the normal round."""
    limit: int
    """The most throws of the present turn; 1 in an extra round."""
    order: tuple[int, ...]
    """The seats of this round in the order they throw; turns are known by their place in it."""
    ended: tuple[tuple[Dice, ...], ...] = ()
    """The throws of each turn that ended."""
    values: tuple[int, ...] = ()
    """The value of each turn that ended, an aborter's lowered one included."""
    current: tuple[Dice, ...] = ()
    """The throws of the present turn."""
    mexes: tuple[int, ...] = ()
    """Who threw a Mex in the normal round; a Mex ends a turn, so nobody twice."""
    extra: int = 0
    """How many extra rounds this round came to; 0 while the normal round is thrown."""
    counting: Counting = Counting.MEX
    """How this round is counted."""
    tied: tuple[int, ...] = ()
    """While a counting is chosen, the seats that will play the extra round, in their order."""

    @property
    def turn(self) -> int | None:
        """The seat that is to act: the thrower, or the one to choose a counting; None when over."""
        if self.phase is Phase.OVER:
            return None
        if self.phase is Phase.CHOOSING:
            return self.tied[-1]
        return self.order[len(self.ended)]
