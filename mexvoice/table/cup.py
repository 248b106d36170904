"""The dice cup: the machine's dice, seeded, outside the rules."""

import random
import secrets

from mexvoice.rules import Dice


class Cup:
    """Throws two dice; dice that were put back come out again first.

    Putting back is what undo needs: it repairs a misheard word and does not buy a new throw
    (rules, "What is open to whom, and when").

    Args:
        seed: the same seed gives the same dice; None draws one, kept in ``seed``.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = secrets.randbits(32) if seed is None else seed
        self._random = random.Random(self.seed)
        self._returned: list[Dice] = []

    def throw(self) -> Dice:
        """The next two dice."""
        if self._returned:
            return self._returned.pop()
        return Dice(self._random.randint(1, 6), self._random.randint(1, 6))

    def put_back(self, dice: Dice) -> None:
        """Make ``dice`` the next ones to come out; the last put back comes first."""
        self._returned.append(dice)
