"""The quiet run: which commands are heard on their own, whatever may be open."""

import random
from collections.abc import Callable, Sequence

import numpy as np

from mexvoice.language.command import CommandId
from mexvoice.language.understanding import Understood
from mexvoice.rules import Options
from mexvoice.table.assistant import DiceMode
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from scripts.evening.clip import RATE, Clip
from scripts.evening.company import COMMAND_DB, wish
from scripts.evening.room import FLOOR_DB
from scripts.evening.witness import Still, Witness

QUIET_SECONDS = 1.0
"""Quiet before and after a clip."""

CONDITIONS = ((FLOOR_DB[0], COMMAND_DB[1]), (FLOOR_DB[1], COMMAND_DB[0]))
"""Noise of the room and gain of the clip (dB): the best and the worst of an evening."""

STEPS = 4000
"""Commands of the typed matches in which it is found out what can be open."""

Ears = Callable[[Still], Listener]


def situations(
    players: Sequence[str], options: Options, code: str, seed: int
) -> tuple[frozenset[CommandId], ...]:
    """The sets of commands that are open in a match, each once, as they come up in typed matches."""
    found: dict[frozenset[CommandId], None] = {}
    for dice in DiceMode:
        assistant = Witness(players, options, code, Cup(seed), dice)
        rng, last = random.Random(seed), None
        for step in range(STEPS // 2):
            opened = assistant.open_commands()
            found[opened] = None
            last = wish(assistant, last, rng)
            text = assistant.understanding.book.example(last)
            assistant.obey(assistant.understanding.hear(text, opened), float(step), typed=True)
            assistant.take_obeyed()
    return tuple(found)


def heard_alone(
    clips: Sequence[Clip],
    opened_sets: Sequence[frozenset[CommandId]],
    assistant: Still,
    ears: Ears,
    seed: int,
) -> dict[frozenset[CommandId], list[Clip]]:
    """The clips that are taken for what they are when nothing else sounds, for each set of open commands.

    They have to be under the best and the worst `CONDITIONS`.

    Args:
        clips: commands.
        opened_sets: what may be open.
        assistant: whose ears they are.
        ears: makes the listener of an assistant.
        seed: of the room's noise.
    """
    listener = ears(assistant)
    rng = np.random.default_rng(seed)
    found: dict[frozenset[CommandId], list[Clip]] = {}
    for opened in opened_sets:
        assistant.opened = opened
        found[opened] = [
            clip
            for clip in clips
            if clip.meant(opened)
            and all(_heard(clip, *condition, assistant, listener, rng) for condition in CONDITIONS)
        ]
    return found


def _heard(
    clip: Clip,
    floor_db: float,
    gain_db: float,
    assistant: Still,
    listener: Listener,
    rng: np.random.Generator,
) -> bool:
    around = round(QUIET_SECONDS * RATE)
    sound = rng.normal(0.0, 10 ** (floor_db / 20), len(clip.samples) + 2 * around)
    sound[around : around + len(clip.samples)] += clip.sound(gain_db)
    pcm = np.clip(np.rint(sound * 32768.0), -32768, 32767).astype("<i2").tobytes()
    opened = assistant.opened
    outcomes = [
        assistant.understanding.hear(utterance.text, opened)
        for at in range(0, len(pcm), RATE // 10)
        for utterance in listener.accept(pcm[at : at + RATE // 10])
        if utterance.text
    ]
    listener.deafen()
    meant = clip.meant(opened)
    assert meant is not None
    return outcomes == [Understood(meant)]
