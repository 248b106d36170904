"""Sound of people: commands and table talk, from recordings and from espeak-ng's voices."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr
import yaml

from mexvoice.hearing.source import AudioFile
from mexvoice.language.command import Command, CommandId
from mexvoice.language.locale import Locale
from mexvoice.language.phrasebook import PhraseBook
from mexvoice.speaking.synthesiser import Speech, Synthesiser

ROOT = Path(__file__).resolve().parents[2]
AUDIO = ROOT / "tests" / "audio"
TALK = ROOT / "tests" / "language" / "data"

RATE = 16000
VARIANTS = ("f1", "f2", "f3", "f4", "f5", "m1", "m2", "m3", "m4", "m5", "m6", "m7")
"""Variants of an espeak voice: as many people."""

WORDS_A_MINUTE = (135, 195)
"""How slowly and how fast they speak."""

PITCHES = (35, 65)

LOUDEST = 0.35
"""The peak of a voice at its usual level, of full scale."""

Samples = npt.NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Clip:
    """Somebody says something."""

    text: str
    """What is said, written as the phrases of a locale are."""
    speaker: str
    """A recording's file name, or the voice."""
    samples: Samples
    """16 kHz, without the silence around it."""
    commands: tuple[Command, ...] = ()
    """What it asks for; nothing, if it is table talk."""

    def meant(self, opened: frozenset[CommandId]) -> Command | None:
        """The command it stands for where these are open; None where it stands for none."""
        return next((command for command in self.commands if command.id in opened), None)

    def sound(self, gain_db: float) -> npt.NDArray[np.float32]:
        """Its samples, from -1 to 1, so many dB louder than usual."""
        return np.asarray(self.samples.astype(np.float32) * (10 ** (gain_db / 20) / 32768.0), np.float32)


def commands(
    locale: Locale, book: PhraseBook, left_out: frozenset[CommandId], voices: int, seed: int
) -> list[Clip]:
    """Commands of a match: the recordings there are, and more in the voices of espeak-ng.

    Args:
        locale: the language.
        book: its phrases.
        left_out: commands nobody gives.
        voices: clips of each command in such a voice, each with a phrase, voice, pace and pitch of its own.
        seed: of these.
    """
    found = [clip for clip in _recordings(locale.code, book, talk=False) if clip.commands]
    rng = random.Random(seed)
    with Synthesiser(locale.voice.espeak) as synthesiser:
        for command in (command for command in CommandId if command not in left_out):
            phrases = book.phrases((command,))
            texts = rng.choices(phrases, k=voices) if phrases else []
            found.extend(_spoken(text, book, locale, synthesiser, rng) for text in texts)
    return [clip for clip in found if not left_out & {command.id for command in clip.commands}]


def talk(locale: Locale, book: PhraseBook, count: int, seed: int) -> list[Clip]:
    """Table talk: the recordings there are, and the sentences of the tests of understanding, spoken.

    Args:
        locale: the language.
        book: its phrases; a sentence that is one of them is no talk.
        count: how many sentences are spoken; all of them, in turn, as often as it takes.
        seed: of their order and voices.
    """
    found = list(_recordings(locale.code, book, talk=True))
    rng = random.Random(seed + 1)
    known: Any = yaml.safe_load((TALK / f"{locale.code}.yaml").read_text(encoding="utf-8"))
    texts = [str(text) for text in known["talk"]]
    texts = [text for text in texts if book.normalise(text) not in book.commands]
    rng.shuffle(texts)
    with Synthesiser(locale.voice.espeak) as synthesiser:
        spoken = itertools.islice(itertools.cycle(texts), count)
        found.extend(_spoken(text, book, locale, synthesiser, rng) for text in spoken)
    return found


def _recordings(code: str, book: PhraseBook, talk: bool) -> Iterator[Clip]:
    for path in sorted((AUDIO / code).glob("*.flac")):
        if path.stem.startswith("talk") is not talk:
            continue
        text = path.stem.replace("_", " ")
        pcm = b"".join(block.pcm for block in AudioFile(path))
        samples = _levelled(np.frombuffer(pcm, "<i2").astype(np.float32))
        yield Clip(text, path.name, samples, () if talk else book.commands.get(book.normalise(text), ()))


def _spoken(
    text: str, book: PhraseBook, locale: Locale, synthesiser: Synthesiser, rng: random.Random
) -> Clip:
    voice, rate, pitch = rng.choice(VARIANTS), rng.randint(*WORDS_A_MINUTE), rng.randint(*PITCHES)
    speech: Speech = synthesiser.render(text, f"{locale.voice.espeak}+{voice}", rate, pitch)
    sound = soxr.resample(speech.samples.astype(np.float32), speech.rate, RATE)
    return Clip(
        text, f"{voice} {rate} {pitch}", _levelled(sound), book.commands.get(book.normalise(text), ())
    )


def _levelled(sound: npt.NDArray[np.float32]) -> Samples:
    """A sound without what is 35 dB below its loudest at both ends, at the usual level."""
    size = RATE // 100
    frames = sound[: len(sound) // size * size].reshape(-1, size)
    power = np.square(frames).mean(axis=1)
    loud = np.flatnonzero(power > power.max() * 10**-3.5)
    sound = sound[loud[0] * size : (loud[-1] + 1) * size]
    levelled: Samples = np.rint(sound * (LOUDEST * 32767.0 / float(np.abs(sound).max()))).astype(np.int16)
    return levelled
