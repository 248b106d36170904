"""A match by voice with nobody there: synthetic players speak, the assistant hears them."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
import soxr

from mexvoice.hearing.source import Block
from mexvoice.language.command import CommandId
from mexvoice.rules import Counting, Phase
from mexvoice.speaking.synthesiser import Speech
from mexvoice.table.assistant import Assistant

RATE = 16000
BLOCK = 1600
"""Samples of a block of sound (100 ms)."""

PAUSE_SECONDS = 0.35
"""Quiet before a player speaks."""

AFTER_SECONDS = 1.2
"""Quiet after a player has spoken, enough for the recogniser to end the utterance."""

ROOM_NOISE = 12.0
"""Standard deviation of the room's noise, in 16-bit steps (-69 dB below full scale)."""

GOOD_ENOUGH = 54
"""A synthetic player keeps a value from here on."""

CHATTER = 0.12
"""How often a player asks something instead of going on."""

TRIES = 4
"""How often a player says the same command, in other words, before typing it."""

VARIANTS = ("f2", "m3", "f5", "m7", "f1", "m1")
"""Variants of an espeak voice, one a player, so that players sound different."""

_QUESTIONS = (
    CommandId.SCORES,
    CommandId.WHOSE_TURN,
    CommandId.LIVES_OF,
    CommandId.THROWS_LEFT,
    CommandId.LOWEST,
    CommandId.REPEAT,
)


class Mouth(Protocol):
    """Renders what a player says."""

    def render(self, text: str, voice: str | None = None) -> Speech:
        """The sound of ``text`` in a voice."""


class Players:
    """Synthetic players: a source of sound that says what players would say, until the match is over.

    Args:
        assistant: the game master they talk to; they look at its match as people look at the table.
        mouth: renders their words.
        hear_aloud: called with each spoken command before it is heard, to play or record it.
        type_line: types a command that was not heard ``TRIES`` times.
        seed: of all their decisions.
    """

    def __init__(
        self,
        assistant: Assistant,
        mouth: Mouth,
        hear_aloud: Callable[[Speech], None],
        type_line: Callable[[str], None],
        seed: int,
    ) -> None:
        self._assistant = assistant
        self._mouth = mouth
        self._hear_aloud = hear_aloud
        self._type_line = type_line
        self._random = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._time = 0.0
        self.spoken = 0
        """Commands that were spoken, repetitions not counted."""
        self.heard_at_once = 0
        """Those of them that were obeyed the first time they were said."""
        self.typed = 0
        """Those that were never heard and had to be typed."""

    dropped = 0
    """Nobody is ever late here."""

    def close(self) -> None:
        """Nothing to give back."""

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The players' sound, blocks of 100 ms; ends when the match has a winner."""
        del timeout
        while self._assistant.match.winner is None:
            command = self._decide()
            self.spoken += 1
            before = self._state()
            for attempt in range(TRIES):
                yield from self._speak(command)
                if self._state() != before:
                    self.heard_at_once += attempt == 0
                    break
            else:
                self.typed += 1
                self._type_line(self._words(command))
                yield None

    def _state(self) -> tuple[object, ...]:
        assistant = self._assistant
        return (assistant.obeyed, assistant.match.history, assistant.open_commands())

    def _decide(self) -> CommandId:
        match, chance = self._assistant.match, self._random.random()
        open_commands = self._assistant.open_commands()
        if CommandId.YES in open_commands:
            return CommandId.YES
        if match.phase is Phase.CHOOSING:
            return self._random.choice((CommandId.COUNT_PIPS, CommandId.COUNT_MEX))
        if chance < CHATTER:
            return self._random.choice(_QUESTIONS)
        if match.phase in (Phase.THROWN, Phase.WAITING) and match.turn:
            value = match.throws[match.turn][-1].value(Counting.MEX)
            if CommandId.ABORT in open_commands and value < 42 and chance > 0.6:
                return CommandId.ABORT
            if match.phase is Phase.THROWN and value >= GOOD_ENOUGH:
                return CommandId.STOP
        return CommandId.THROW

    def _words(self, command: CommandId) -> str:
        return self._random.choice(self._assistant.understanding.book.phrases((command,)))

    def _voice(self) -> str:
        players: Sequence[str] = self._assistant.players
        seat = players.index(self._assistant.match.turn or players[0])
        return f"{self._assistant.locale.voice.espeak}+{VARIANTS[seat % len(VARIANTS)]}"

    def _speak(self, command: CommandId) -> Iterator[Block]:
        speech = self._mouth.render(self._words(command), voice=self._voice())
        self._hear_aloud(speech)
        samples = soxr.resample(speech.samples.astype(np.float32), speech.rate, RATE)
        sound = np.concatenate([self._quiet(PAUSE_SECONDS), samples, self._quiet(AFTER_SECONDS)])
        sound = sound + self._noise.normal(scale=ROOM_NOISE, size=len(sound))
        pcm = np.clip(np.rint(sound), -32768, 32767).astype("<i2")
        before = self._state()
        for start in range(0, len(pcm), BLOCK):
            block = pcm[start : start + BLOCK]
            power = float(np.mean(block.astype(np.float64) ** 2)) + 1e-9
            yield Block(self._time, block.tobytes(), 10.0 * float(np.log10(power / 32768.0**2)))
            self._time += len(block) / RATE
            if self._state() != before:
                return

    @staticmethod
    def _quiet(seconds: float) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
        return np.zeros(int(seconds * RATE), np.float32)
