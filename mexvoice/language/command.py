"""The commands people can give, in no particular language."""

from dataclasses import dataclass
from enum import StrEnum


class CommandId(StrEnum):
    """What a phrase asks for; the values are the keys under ``phrases`` of a locale file."""

    THROW = "throw"
    STOP = "stop"
    ABORT = "abort"
    COUNT_PIPS = "count_pips"
    COUNT_MEX = "count_mex"
    DICE = "dice"
    UNDO = "undo"
    REPEAT = "repeat"
    SCORES = "scores"
    LIVES_OF = "lives_of"
    WHOSE_TURN = "whose_turn"
    LOWEST = "lowest"
    THROWS_LEFT = "throws_left"
    HELP = "help"
    PAUSE = "pause"
    RESUME = "resume"
    YES = "yes"
    NO = "no"
    NEW_MATCH = "new_match"
    QUIT = "quit"
    LANGUAGE = "language"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Command:
    """One command with what fills its slot."""

    id: CommandId
    dice: tuple[int, int] | None = None
    """Of ``dice`` only: the pips of the two dice, the higher first."""
    player: str | None = None
    """Of ``lives_of`` only: the player's name as typed."""
    language: str | None = None
    """Of ``language`` only: the code of the language to change to."""


ANSWERS = frozenset({CommandId.YES, CommandId.NO})
"""The answers to a question. Only their exact words count, and only while something is asked."""

SERIOUS = frozenset({CommandId.ABORT, CommandId.NEW_MATCH, CommandId.QUIT})
"""What cannot be taken back by a word. Only the exact words count, and they are confirmed."""

EXCLUSIVE: frozenset[frozenset[CommandId]] = frozenset({frozenset({CommandId.COUNT_MEX, CommandId.DICE})})
"""Pairs of commands that are never open together, so that a phrase may belong to both.

"Mex" is the name of a throw (``dice``) and of a way to count (``count_mex``). Dice are called during a
turn; the way to count is chosen before the first throw of an extra round, when nobody has a turn.
"""

SLOTS: dict[CommandId, frozenset[str]] = {
    CommandId.DICE: frozenset({"die", "value", "mex"}),
    CommandId.LIVES_OF: frozenset({"player"}),
    CommandId.LANGUAGE: frozenset({"language"}),
}
"""The slots a phrase of a command may hold; commands that are not listed have none."""


def together(one: CommandId, other: CommandId) -> bool:
    """Whether two commands can be open at the same time (see `EXCLUSIVE`)."""
    return frozenset({one, other}) not in EXCLUSIVE
