"""Two dice and what a throw of them is worth."""

from dataclasses import dataclass
from enum import StrEnum
from reprlib import repr as shown
from typing import Final

from mexvoice.rules.error import NotUnderstood

MEX: Final = 1000
"""The value of a Mex in mex counting: above 600, the highest of all others."""


class Counting(StrEnum):
    """How the value of a throw is counted."""

    MEX = "mex"
    """Higher die tens and lower die units (31 to 65), a pair its pips x 100 (100 to 600), 2 and 1 = Mex."""
    PIPS = "pips"
    """The sum of the dice, 2 to 12; 2 and 1 are 3 and no Mex. In extra rounds only, when chosen."""


@dataclass(frozen=True, slots=True)
class Dice:
    """One throw of both dice, each 1 to 6, in the order they were read.

    Raises:
        NotUnderstood: if a die is not a whole number from 1 to 6.
    """

    first: int
    second: int

    def __post_init__(self) -> None:
        for pips in (self.first, self.second):
            if type(pips) is not int or not 1 <= pips <= 6:
                raise NotUnderstood(f"a die shows a whole number from 1 to 6, not {shown(pips)}")

    @property
    def high(self) -> int:
        """The higher die, or either of a pair."""
        return max(self.first, self.second)

    @property
    def low(self) -> int:
        """The lower die, or either of a pair."""
        return min(self.first, self.second)

    @property
    def is_mex(self) -> bool:
        """Whether the dice show 2 and 1."""
        return self.first + self.second == 3

    def value(self, counting: Counting) -> int:
        """What the throw is worth: 31..65, 100..600 or ``MEX`` in mex counting, 2..12 in pips counting."""
        first, second = self.first, self.second
        if counting is Counting.PIPS:
            return first + second
        if first == second:
            return 100 * first
        if first + second == 3:
            return MEX
        return 10 * first + second if first > second else 10 * second + first
