"""Names that sound like another name, or like a command: such players are called by their seat."""

from collections.abc import Iterable

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.lexicon import Lexicon, token
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.language.command import CommandId
from mexvoice.table.assistant import Assistant
from mexvoice.table.effect import Effect, Say

NEAR = 0.25
"""Two names clash when no more than this share of their sounds differs: Anna and Hannah."""

_LONGER = 2.0
"""A phrase with this many times the letters of a name cannot be taken for it."""


def alike(assistant: Assistant) -> tuple[str, ...]:
    """The players whose names cannot be told by ear from another's or from a command, in seat order.

    Raises:
        MexvoiceError: if there is no espeak-ng to pronounce the names.
    """
    names = {token(name.casefold()): name for name in assistant.players}
    longest = _LONGER * max(len(name) for name in names)
    short = [phrase for phrase in _commands(assistant) if len(phrase) <= longest]
    lexicon = Lexicon.of([*names, *short], Pronouncer(assistant.locale.code, assistant.locale.pronounce))
    found = {name for pair in lexicon.clashes(list(names), NEAR) for name in pair}
    found.update(token(phrase) for phrase in short)
    return tuple(name for sound, name in names.items() if sound in found)


def _commands(assistant: Assistant) -> Iterable[str]:
    """The phrases of commands that hold no name."""
    return assistant.understanding.book.phrases(set(CommandId) - {CommandId.LIVES_OF})


def seat_hints(assistant: Assistant) -> list[Effect]:
    """Say which players are better called by their seat, and how; nothing when all names are clear."""
    hints: list[str] = []
    try:
        unclear = alike(assistant)
    except MexvoiceError:
        # Without espeak-ng nobody knows how names sound, and the match is played all the same.
        return []
    for name in unclear:
        seat = assistant.players.index(name) + 1
        words = assistant.locale.seats.get(seat)
        if words:
            hints.append(assistant.wording.say("seat_hint", player=name, seat=words[0]))
    return [Say(" ".join(hints))] if hints else []
