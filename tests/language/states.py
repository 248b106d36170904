"""What is open in the states of a match, as the assistant has it."""

from mexvoice.language.command import CommandId

_ALWAYS = frozenset(
    CommandId(name)
    for name in (
        "undo",
        "repeat",
        "scores",
        "lives_of",
        "whose_turn",
        "lowest",
        "throws_left",
        "help",
        "pause",
        "new_match",
        "quit",
        "language",
        "skip",
    )
)

STATES: dict[str, frozenset[CommandId]] = {
    "before_throw": _ALWAYS | {CommandId.THROW},
    "thrown": _ALWAYS | {CommandId.THROW, CommandId.STOP, CommandId.ABORT},
    "choosing": _ALWAYS | {CommandId.COUNT_PIPS, CommandId.COUNT_MEX},
    "confirming": frozenset({CommandId.YES, CommandId.NO, CommandId.REPEAT, CommandId.SKIP}),
    "spoken_dice": _ALWAYS | {CommandId.THROW, CommandId.DICE, CommandId.STOP, CommandId.ABORT},
    "paused": frozenset({CommandId.RESUME, CommandId.QUIT}),
    "over": _ALWAYS,
    "anything": frozenset(CommandId) - {CommandId.DICE},
    "anything_with_dice": frozenset(CommandId) - {CommandId.COUNT_MEX},
}
"""The commands open in each state. Dice and the choice to count as Mex exclude each other."""
