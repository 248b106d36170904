"""Clips to hear: ``tests/audio/<language>/<phrase with underscores>.flac``, table talk in ``talk``."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

AUDIO = Path(__file__).resolve().parent.parent / "audio"
RATE = 16000
Samples = npt.NDArray[np.int16]

MISSED = frozenset(Path(__file__).with_name("missed.txt").read_text(encoding="utf-8").split())
"""Clips of commands that the models do not hear yet. A clip that is heard has to leave the list."""


@dataclass(frozen=True)
class Clip:
    """One clip."""

    path: Path
    language: str

    @property
    def text(self) -> str:
        """What is said in it; "" for table talk."""
        return "" if self.is_talk else self.path.stem.replace("_", " ")

    @property
    def is_talk(self) -> bool:
        """Whether it is no command."""
        return self.path.parent.name == "talk" or self.path.stem.startswith("talk")

    @property
    def name(self) -> str:
        """For the name of a test."""
        return f"{self.language}-{self.path.stem}"

    def samples(self) -> Samples:
        """Its sound, without the silence around the speech."""
        samples, rate = soundfile.read(self.path, dtype="int16")
        assert rate == RATE, f"{self.path} has {rate} samples a second"
        begin, end = speech(samples)
        return np.asarray(samples[begin:end], np.int16)


def clips() -> list[Clip]:
    """All of them, in order."""
    found = [Clip(path, path.relative_to(AUDIO).parts[0]) for path in AUDIO.rglob("*.flac")]
    return sorted(found, key=lambda clip: str(clip.path))


def words(language: str) -> list[Clip]:
    """The clips of one language that say a single word, the longest first, then those that say more.

    Those that the models miss are left out.
    """
    heard = [clip for clip in spoken(language) if clip.name not in MISSED]
    return sorted(heard, key=lambda clip: (len(clip.text.split()), -len(clip.text)))


def spoken(language: str) -> list[Clip]:
    """The clips of one language that say a phrase."""
    return [clip for clip in clips() if clip.language == language and not clip.is_talk]


def speech(samples: npt.NDArray[np.int16]) -> tuple[int, int]:
    """Where in a clip the speech is: from the first to the last 10 ms within 35 dB of the loudest."""
    size = RATE // 100
    frames = samples[: len(samples) // size * size].astype(np.float64).reshape(-1, size)
    power = np.square(frames).mean(axis=1)
    loud = np.flatnonzero(power > power.max() * 10**-3.5)
    return int(loud[0]) * size, int(loud[-1] + 1) * size


def room(seconds: float, level: float = 8.0, seed: int = 0) -> Samples:
    """The noise of a quiet room; `level` is its standard deviation in 16-bit steps (8: -72 dBFS)."""
    noise = np.random.default_rng(seed).normal(0, level, round(seconds * RATE))
    return np.rint(noise).astype(np.int16)


def in_room(samples: Samples, before: float, after: float, level: float = 8.0) -> Samples:
    """A clip with so many seconds of the room around it, and the room's noise under it too."""
    sound = room(before + after + len(samples) / RATE, level)[: round((before + after) * RATE) + len(samples)]
    sound = sound.astype(np.int32)
    at = round(before * RATE)
    sound[at : at + len(samples)] += samples
    return np.clip(sound, -32768, 32767).astype(np.int16)
