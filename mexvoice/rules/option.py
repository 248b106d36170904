"""What can be set before a match, and who may take part in it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from reprlib import repr as shown
from typing import Final

from mexvoice.rules.error import NotUnderstood

LIVES: Final = range(1, 100)
"""The lives a player may start with."""
MAX_THROWS: Final = range(1, 4)
"""The throws a starter may be allowed."""
PLAYERS: Final = range(2, 21)
"""How many may play: one has nobody to lose to, and a round of more than twenty is no game any more."""
NAME_LENGTH: Final = 40
"""The longest name, in characters."""


class Penalty(StrEnum):
    """What the Mexes of a normal round do to the stake."""

    TWICE = "twice"
    """2 lives for each Mex: 1, 2, 4, 6, ... (the rule of the game)."""
    DOUBLING = "doubling"
    """Each Mex doubles it: 1, 2, 4, 8, ... (the commonest house rule)."""

    def stake(self, mexes: int) -> int:
        """The lives at stake after ``mexes`` Mexes in the normal round; 1 without any."""
        if self is Penalty.DOUBLING:
            return int(2**mexes)
        return 2 * mexes or 1


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match.

    Raises:
        NotUnderstood: if a value is of the wrong type or out of range.
    """

    lives: int = 12
    """The lives everybody starts with, 1 to 99."""
    max_throws: int = 3
    """The throws the starter of a round may take, 1 to 3."""
    starter: str | None = None
    """The name of the player who starts the first round; None for the first in seat order."""
    penalty: Penalty = Penalty.TWICE
    """What the Mexes of a normal round do to the stake."""

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("lives", self.lives, LIVES),
            ("max_throws", self.max_throws, MAX_THROWS),
        ):
            if type(value) is not int or value not in allowed:
                raise NotUnderstood(
                    f"{name} is a whole number from {allowed[0]} to {allowed[-1]}, not {shown(value)}"
                )
        if self.starter is not None and not isinstance(self.starter, str):
            raise NotUnderstood(f"starter is the name of a player, not {shown(self.starter)}")
        if not isinstance(self.penalty, Penalty):
            raise NotUnderstood(f"penalty is one of {', '.join(Penalty)}, not {shown(self.penalty)}")


def name_key(name: str) -> str:
    """What two names must not share: the name without regard to case, composition of accents or spaces."""
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).split())


def checked_names(players: Sequence[str]) -> tuple[str, ...]:
    """The names of the players in seat order, without spaces around them.

    Raises:
        NotUnderstood: if there are too few or too many, or a name is not text, empty, longer than
            ``NAME_LENGTH``, holds a character that cannot be shown, or is the same as another
            (see :func:`name_key`).
    """
    if isinstance(players, str) or not all(isinstance(name, str) for name in players):
        raise NotUnderstood("the players are a list of names")
    names = tuple(name.strip() for name in players)
    if len(names) not in PLAYERS:
        raise NotUnderstood(f"a match has {PLAYERS[0]} to {PLAYERS[-1]} players, not {len(names)}")
    seen: dict[str, str] = {}
    for name in names:
        if not name:
            raise NotUnderstood("a player's name is empty")
        if len(name) > NAME_LENGTH:
            raise NotUnderstood(
                f"a player's name is longer than {NAME_LENGTH} characters: {name[:NAME_LENGTH]!r}..."
            )
        if any(_is_hidden(character) for character in name):
            raise NotUnderstood(f"a player's name holds a character that cannot be shown: {name!a}")
        key = name_key(name)
        if key in seen:
            raise NotUnderstood(f"two players have the same name: {seen[key]!r} and {name!r}")
        seen[key] = name
    return names


def _is_hidden(character: str) -> bool:
    """Whether it is a control, format, surrogate, private, unassigned, line or paragraph character."""
    category = unicodedata.category(character)
    return category[0] == "C" or category in ("Zl", "Zp")


def starting_seat(players: Sequence[str], starter: str | None) -> int:
    """The seat (from 0) of the player named ``starter``; 0 for None.

    Raises:
        NotUnderstood: if nobody has that name.
    """
    if starter is None:
        return 0
    for seat, name in enumerate(players):
        if name_key(name) == name_key(starter):
            return seat
    raise NotUnderstood(f"the starter {shown(starter)} is not one of the players")
