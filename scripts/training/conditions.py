"""The circumstances of a test: quiet, or a room with noise of some kind at some ratio. All seeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scripts.training import augmentation
from scripts.training.batches import music
from scripts.training.corpus import RATE

KINDS = ("babble", "music", "kitchen", "street")
"""Kinds of noise in the tests."""
RATIOS = (6, 9, 12, 15, 18, 21, 24)
"""Signal to noise in dB over which the figure "in noise" is the mean."""
TALKERS = (4, 8)
"""People in the babble of a test: no one of them can be followed."""
TEST_MUSIC = (Path("/usr/share/asterisk/moh"),)
"""Music the training never hears (package asterisk-moh-opsound-wav)."""

_LEVEL = 3000.0
_FLOOR = 3.0
_LEAD, _TAIL = 0.3, 0.9


@dataclass
class Conditions:
    """Puts clips into the circumstances of a test."""

    voices: Sequence[npt.NDArray[np.int16]]
    """Speech for the babble; from speakers of the test."""
    seed: int = 7
    """Everything random follows from it and the number of the clip."""
    pieces: Sequence[npt.NDArray[np.int16]] = field(default_factory=lambda: music(TEST_MUSIC))
    """Music."""

    def __call__(
        self, clip: npt.NDArray[np.int16], number: int, ratio: float | None
    ) -> npt.NDArray[np.int16]:
        """A clip with silence around it: quiet (``ratio`` None), or in a room with a noise."""
        rng = np.random.default_rng([self.seed, number, int(ratio or 0)])
        voice = clip.astype(np.float32)
        loud = voice[np.abs(voice) > 0.02 * np.abs(voice).max()]
        voice = voice * (_LEVEL / (np.sqrt(np.mean(loud**2)) + 1e-9))
        sound = np.concatenate(
            [np.zeros(int(_LEAD * RATE), np.float32), voice, np.zeros(int(_TAIL * RATE), np.float32)]
        )
        if ratio is not None:
            response = augmentation.room(rng)
            sound = np.convolve(sound, response)[: len(sound)].astype(np.float32)
            noise = self._noise(KINDS[number % len(KINDS)], len(sound), rng)
            sound = sound + noise * np.float32(_LEVEL * 10 ** (-ratio / 20))
        sound = sound + rng.standard_normal(len(sound), np.float32) * np.float32(_FLOOR)
        return np.asarray(np.clip(np.rint(sound), -32768, 32767), np.int16)

    def _noise(self, kind: str, length: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        source = augmentation.Augmentation(rng, self.voices, self.pieces, TALKERS)
        return source.noise_of(kind, length)
