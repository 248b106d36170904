"""An evening of other people's talk: hours of speech that is no command, music and noise, all seeded.

People talk near and far, alone or two at once, in single words and in whole sentences, with pauses of all
lengths between; behind them is silence, other talk, music, the kitchen or the street, now and then louder.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import soxr

from scripts.judging.material import Material
from scripts.training import augmentation
from scripts.training.conditions import KINDS, TALKERS
from scripts.training.corpus import RATE, Samples

Sound = npt.NDArray[np.float32]

PIECE_SECONDS = 60.0
"""For so long the noise behind the talk stays the same."""

_FULL_SCALE = 32768.0
_SHORT_WORDS = 2
"""A clip of so few words may stand alone."""
_PEOPLE = 0.6
"""Share of the talk that is people's, not synthetic."""

_SHARES = {"word": 0.45, "sentences": 0.33, "both": 0.14, "silence": 0.08}
"""What happens next: a word or two alone, one to four clips in a row, two people at once, or nothing."""

_LEVELS = {"near": (-30.0, -16.0), "across": (-38.0, -24.0), "far": (-48.0, -34.0)}
"""Level of the speech (dB of full scale) by where who speaks is."""

_BEDS = {"quiet": 0.4, **{kind: 0.6 / len(KINDS) for kind in KINDS}}
"""What is behind the talk."""

_BED_DB = (-62.0, -36.0)
"""How loud that is ..."""
_LOUD_BED_DB = (-34.0, -20.0)
"""... or, now and then, in the foreground."""
_LOUD = 0.15


@dataclass(frozen=True)
class Spoken:
    """Something that was said."""

    start: float
    """Seconds from the beginning."""
    end: float
    """The same of its end."""
    text: str
    """What, with the language in brackets when it is a foreign one."""


class Talk:
    """A stream of talk, made piece by piece."""

    def __init__(self, material: Material, seed: int) -> None:
        """Nothing is made before it is asked for."""
        self._material = material
        self._rng = np.random.default_rng([seed, 20])
        conditions = material.conditions
        self._noise = augmentation.Augmentation(self._rng, conditions.voices, conditions.pieces, TALKERS)
        people, voices = material.talk()
        self._all = (people, voices)
        self._short = tuple([at for at in clips if self._words(at) <= _SHORT_WORDS] for clips in self._all)
        self._waiting: dict[int, deque[int]] = {}
        self._heard: set[int] = set()
        self._tail = np.zeros(0, np.float32)
        self._start = 0.0
        self.bed = ""
        """What is behind the talk now."""
        self.spoken: list[Spoken] = []
        """Everything said so far."""
        self.speech_seconds = 0.0
        """How much of it was speech."""

    def pieces(self, seconds: float) -> Iterator[Samples]:
        """The sound, a minute at a time, up to a length; can be called again for what comes next."""
        end = self._start + seconds
        while self._start < end - 1e-6:
            yield self._piece(min(PIECE_SECONDS, end - self._start))

    def at(self, start: float, end: float) -> str:
        """What was said within some seconds."""
        within = [one.text for one in self.spoken if one.start < end and one.end > start]
        return " / ".join(within) or f"({self.bed})"

    def _words(self, at: int) -> int:
        return len(self._material.corpus.clips[at].text.split())

    def _piece(self, seconds: float) -> Samples:
        rng, length = self._rng, round(seconds * RATE)
        sound = np.zeros(length + 20 * RATE, np.float32)
        begin = len(self._tail)
        sound[:begin] += self._tail
        at = begin + int(rng.uniform(0.2, 2.0) * RATE)
        while at < length:
            at = self._turn(sound, at)
        self._tail = sound[length : max(length, min(at, len(sound)))].copy()
        sound = sound[:length] + self._background(length)
        sound += rng.standard_normal(length, np.float32) * np.float32(rng.uniform(1.0, 6.0))
        self._start += seconds
        return np.asarray(np.rint(np.clip(sound, -_FULL_SCALE, _FULL_SCALE - 1)), np.int16)

    def _turn(self, sound: Sound, at: int) -> int:
        """Let something happen from a sample on; the sample at which the next may."""
        rng = self._rng
        kind = str(rng.choice(list(_SHARES), p=list(_SHARES.values())))
        if kind == "silence":
            return at + int(rng.uniform(4, 15) * RATE)
        if kind == "word":
            end = self._say(sound, at, self._clip(short=True), self._place())
            return end + int(float(np.exp(rng.uniform(np.log(0.35), np.log(4.0)))) * RATE)
        end = self._row(sound, at)
        if kind == "both":
            end = max(end, self._row(sound, at + int(rng.uniform(0.1, 1.5) * RATE)))
        return end + int(float(np.exp(rng.uniform(np.log(0.3), np.log(5.0)))) * RATE)

    def _row(self, sound: Sound, at: int) -> int:
        """A speaker says several things with hardly a pause."""
        place = self._place()
        for _ in range(int(self._rng.integers(1, 5))):
            if at > len(sound) - 14 * RATE:
                break
            at = self._say(sound, at, self._clip(short=False), place)
            at += int(self._rng.uniform(0.05, 0.6) * RATE)
        return at

    def _place(self) -> str:
        return str(self._rng.choice(list(_LEVELS), p=[0.45, 0.35, 0.2]))

    def _clip(self, short: bool) -> int:
        """The next clip; every one is taken before any is taken again."""
        people = self._rng.random() < _PEOPLE
        pool = (self._short if short else self._all)[0 if people else 1] or self._all[0] or self._all[1]
        waiting = self._waiting.setdefault(id(pool), deque())
        if not waiting:
            waiting.extend(int(at) for at in self._rng.permutation(pool))
        return waiting.popleft()

    def _say(self, sound: Sound, at: int, number: int, place: str) -> int:
        """Put a clip into the sound; where it ends."""
        rng, material = self._rng, self._material
        voice = material.corpus.samples(number).astype(np.float32)
        if number in self._heard:  # nobody says anything twice in the same way
            pace = rng.uniform(0.92, 1.08)
            voice = np.asarray(soxr.resample(voice, RATE, RATE / pace, quality="LQ"), np.float32)
        self._heard.add(number)
        loud = voice[np.abs(voice) > 0.02 * np.abs(voice).max()]
        level = _FULL_SCALE * 10 ** (rng.uniform(*_LEVELS[place]) / 20)
        voice *= np.float32(level / (np.sqrt(np.mean(loud**2)) + 1e-9))
        said = voice if place == "near" else _in_room(voice, augmentation.room(rng))
        said = said[: len(sound) - at]
        sound[at : at + len(said)] += said
        end = at + min(len(voice), len(said))
        clip = material.corpus.clips[number]
        text = clip.text if clip.language == material.language else f"{clip.text} ({clip.language})"
        start = self._start
        self.spoken.append(Spoken(start + at / RATE, start + end / RATE, text))
        self.speech_seconds += (end - at) / RATE
        return end

    def _background(self, length: int) -> Sound:
        rng = self._rng
        self.bed = str(rng.choice(list(_BEDS), p=list(_BEDS.values())))
        if self.bed == "quiet":
            return np.zeros(length, np.float32)
        # Music and street are there to be heard; babble and knocks that drown the talk are rarer.
        levels = _LOUD_BED_DB if rng.random() < _LOUD else _BED_DB
        level = np.float32(_FULL_SCALE * 10 ** (rng.uniform(*levels) / 20))
        edge = min(RATE // 2, length // 2)
        ramp = np.linspace(0, 1, edge, dtype=np.float32)
        noise = self._noise.noise_of(self.bed, length) * level
        noise[:edge] *= ramp
        noise[length - edge :] *= ramp[::-1]
        return noise


def _in_room(voice: Sound, response: Sound) -> Sound:
    size = 1 << int(np.ceil(np.log2(len(voice) + len(response))))
    both = np.fft.rfft(voice, size) * np.fft.rfft(response, size)
    return np.fft.irfft(both, size)[: len(voice) + len(response)].astype(np.float32)
