"""What of the doctor's checks makes or hears sound: microphone, test word, speaker, voices and models."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import soxr

from mexvoice import portaudio
from mexvoice.errors import MexvoiceError
from mexvoice.hearing import installed
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.model import Model, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.source import Microphone, MicrophoneLost
from mexvoice.language.command import CommandId
from mexvoice.language.locale import Locale
from mexvoice.language.phrasebook import PhraseBook
from mexvoice.speaking.synthesiser import Speech, Synthesiser, SynthesisFailed, Voice
from mexvoice.table.coverage import Coverage

RATE: Final = 16000

METER_SECONDS: Final = 3.0
"""So long the level is shown before the test word."""

WORD_SECONDS: Final = 12
"""So long the test word is waited for."""

LONGEST_SECONDS: Final = 10.0
"""After the meter's own time a microphone that stutters is waited for no longer than this."""

SILENT_DB: Final = -95.0
"""A microphone that is switched on is never as quiet as this."""

TRIES: Final = 3
"""So many phrases the voice says to a model before it is said not to understand."""

PAUSE_SECONDS: Final = 0.5
AFTER_SECONDS: Final = 1.0
_ROOM_NOISE: Final = 12.0
_BLOCK_SECONDS: Final = 0.1

Meter = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of waiting for the test word."""

    word: str = ""
    """The phrase that was heard and means what was asked for."""
    other: str = ""
    """What was heard last, if that was not it."""
    loudest: float = -100.0
    """The highest level, in dB of full scale."""


def microphones() -> list[str]:
    """Number and name of every microphone there is; none without PortAudio.

    Raises:
        MexvoiceError: without PortAudio.
    """
    sounddevice = portaudio.library()
    return [
        f"{number} {device['name']}"
        for number, device in enumerate(sounddevice.query_devices())
        if device["max_input_channels"] > 0
    ]


def measure(microphone: Microphone, seconds: float, meter: Meter) -> float:
    """Show the level for some seconds; the highest of them, in dB of full scale.

    Raises:
        MicrophoneLost: when it brings nothing.
    """
    loudest, begun = -100.0, None
    limit = time.monotonic() + seconds + LONGEST_SECONDS
    for block in microphone.blocks(_BLOCK_SECONDS):
        now = time.monotonic()
        if block is not None:
            begun = now if begun is None else begun
            loudest = max(loudest, block.level)
            meter(block.level)
        if (begun is not None and now - begun >= seconds) or now >= limit:
            break
    if begun is None:
        raise MicrophoneLost(f"The microphone '{microphone.name}' brings no sound.")
    return loudest


class Ear:
    """The model of a language, listening for everything that can be said in it.

    Raises:
        MexvoiceError: if the model is missing or broken.
    """

    def __init__(self, locale: Locale, data: Path | None) -> None:
        book = PhraseBook(locale, ())
        phrases = book.phrases()
        self.installed = installed.find(locale.code, data)
        heard = [*phrases, *book.decoys, *book.fillers]
        self.model: Model = model_for(locale.code, self.installed, heard, locale.pronounce)
        meanings = {phrase: book.commands.get(book.normalise(phrase)) for phrase in phrases}
        grammar = Grammar(phrases, book.decoys, book.fillers, meanings=meanings, alikes=book.alikes)
        self._recogniser = Recogniser(self.model, grammar)
        self.wanted: Sequence[str] = book.phrases([CommandId.THROW])
        """The phrases that count as the test word."""
        self.example = book.example(CommandId.THROW)
        """The one asked for."""
        self.playable = Coverage(locale, self.model).playable
        """Whether every command can be said in some way."""

    @property
    def installed_name(self) -> str:
        """The publisher's name of an installed model, "" for the built-in one."""
        if self.installed is None:
            return ""
        record = installed.read_record(self.installed)
        return record.name if record else self.installed.name

    def listen(self, microphone: Microphone, seconds: float, meter: Meter) -> Heard:
        """Wait for the test word, for so many seconds at most.

        Raises:
            MicrophoneLost: when the microphone brings nothing any more.
        """
        self._recogniser.reset()
        other, loudest = "", -100.0
        limit = time.monotonic() + seconds
        for block in microphone.blocks(_BLOCK_SECONDS):
            if block is not None:
                loudest = max(loudest, block.level)
                meter(block.level)
                for utterance in self._recogniser.accept(block.pcm):
                    if utterance.text in self.wanted:
                        return Heard(utterance.text, loudest=loudest)
                    other = utterance.text or utterance.heard or other
            if time.monotonic() >= limit:
                break
        return Heard(other=other, loudest=loudest)

    def understands(self, synthesiser: Synthesiser, locale: Locale) -> bool:
        """Whether it understands the voice of its language, in one of a few phrases.

        Raises:
            SynthesisFailed: if the voice does not speak.
        """
        rng = np.random.default_rng(1)
        for phrase in self.wanted[:TRIES]:
            speech = synthesiser.render(phrase, locale.voice.espeak)
            samples = soxr.resample(speech.samples.astype(np.float32), speech.rate, RATE)
            sound = np.concatenate([_quiet(PAUSE_SECONDS), samples, _quiet(AFTER_SECONDS)])
            sound = sound + rng.normal(scale=_ROOM_NOISE, size=len(sound))
            pcm = np.clip(np.rint(sound), -32768, 32767).astype("<i2").tobytes()
            self._recogniser.reset()
            heard = [*self._recogniser.accept(pcm), *self._recogniser.flush()]
            if any(utterance.text in self.wanted for utterance in heard):
                return True
        return False


def voice_of(synthesiser: Synthesiser, locale: Locale) -> str | None:
    """The exact voice that speaks a language; None if there is none."""
    try:
        return synthesiser.voice_name(locale.voice.espeak, locale.voice.languages)
    except SynthesisFailed:
        return None


def speak(synthesiser: Synthesiser, locale: Locale, text: str) -> Speech | None:
    """The sound of a sentence in the voice of a language; None if it cannot be spoken."""
    voice = Voice(locale.voice.espeak, tuple(locale.voice.languages), locale.voice.rate)
    try:
        speech = synthesiser.render(text, voice)
    except SynthesisFailed:
        return None
    return speech if len(speech.samples) else None


def play(player: Any, speech: Speech) -> bool:
    """Play a sentence to its end; False if the speaker fails."""
    try:
        player.play(speech)
        return bool(player.wait(speech.seconds + 3.0))
    except MexvoiceError:
        return False


def _quiet(seconds: float) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    return np.zeros(round(seconds * RATE), np.float32)
