"""What a voice goes through before the network hears it: another speaker, a room, noise, a microphone, a
level.

Everything is drawn anew for every utterance of every epoch, from a generator the caller seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import soxr

from mexvoice.hearing.features import SIZE, Frames, cosines, log_mel
from scripts.training.corpus import RATE

Sound = npt.NDArray[np.float32]
_FULL_SCALE = 32767.0


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _fast(length: int) -> int:
    """The next length that is a power of two, or five or six eighths of one: quick to transform."""
    power = 1 << max(2, length - 1).bit_length()
    return next(size for size in (power * 5 // 8, power * 3 // 4, power) if size >= length)


def _unit(sound: Sound) -> Sound:
    return np.asarray(sound / (np.sqrt(np.mean(sound**2)) + 1e-9), np.float32)


def room(rng: np.random.Generator) -> Sound:
    """The impulse response of a random room: direct sound, a few early echoes, a decaying tail."""
    t60 = _log_uniform(rng, 0.1, 0.9)
    length = int(min(t60, 0.6) * RATE)
    response = rng.standard_normal(length, np.float32) * 10 ** (
        -3 * np.arange(length, dtype=np.float32) / (t60 * RATE)
    )
    gap = int(rng.integers(15, 160))
    response[:gap] = 0.0
    for _ in range(int(rng.integers(0, 7))):
        response[int(rng.integers(gap, min(length, 1200)))] += 3 * rng.standard_normal()
    direct_to_tail = rng.uniform(-3.0, 15.0)
    response *= 10 ** (-direct_to_tail / 20) / (np.sqrt((response**2).sum()) + 1e-9)
    response[0] = 1.0
    return response.astype(np.float32)


def colour(rng: np.random.Generator, bins: int) -> Sound:
    """A random frequency response [bins] from 0 Hz to 8 kHz: a microphone, a telephone, a loudspeaker."""
    frequency = np.linspace(1.0, RATE / 2, bins, dtype=np.float32)
    decibels = np.zeros(bins, np.float32)
    if rng.random() < 0.6:  # a smooth random curve
        points = np.sort(np.log(np.exp(rng.uniform(np.log(60), np.log(8000), 6))))
        decibels += np.interp(np.log(frequency), points, rng.uniform(-8, 8, 6)).astype(np.float32)
        decibels += rng.uniform(-3.5, 3.5) * np.log2(frequency / 1000.0).clip(-4, 4)  # thin or dull
    kind = rng.random()
    if kind < 0.12:  # telephone
        decibels -= 40 * (frequency > rng.uniform(3300, 4000))
        decibels -= 24 * np.log2(rng.uniform(150, 350) / frequency).clip(0, None)
    elif kind < 0.24:  # dull microphone, or one behind cloth
        decibels -= rng.uniform(6, 36) * np.log2(frequency / rng.uniform(2000, 7000)).clip(0, None)
    elif kind < 0.38:  # small loudspeaker or laptop
        decibels -= rng.uniform(6, 24) * np.log2(rng.uniform(80, 500) / frequency).clip(0, None)
    return np.asarray(10 ** (decibels.clip(-60, 30) / 20), np.float32)


def _coloured_noise(rng: np.random.Generator, length: int) -> Sound:
    """Steady noise whose spectrum falls at a random rate: hiss, fan, traffic."""
    size = _fast(length)
    spectrum = np.fft.rfft(rng.standard_normal(size, np.float32))
    frequency = np.linspace(1.0, RATE / 2, len(spectrum))
    shape = (frequency / 500.0).clip(0.1, None) ** -rng.uniform(-0.2, 1.3)
    if rng.random() < 0.3:
        shape = shape * colour(rng, len(spectrum))
    sound = np.asarray(np.fft.irfft(spectrum * shape.astype(np.float32), size)[:length], np.float32)
    if rng.random() < 0.35:  # comes and goes
        slow = np.sin(2 * np.pi * rng.uniform(0.3, 4.0) * np.arange(length) / RATE + rng.uniform(0, 6))
        sound *= (1 + 0.8 * slow).astype(np.float32)
    if rng.random() < 0.25:  # hum of the mains
        time = np.arange(length) / RATE
        base = rng.choice([50.0, 60.0, 100.0])
        hum = sum(rng.uniform(0, 1) * np.sin(2 * np.pi * base * part * time) for part in range(1, 6))
        sound = _unit(sound) + rng.uniform(0.2, 2) * np.asarray(hum, np.float32)
    return sound


def _clatter(rng: np.random.Generator, length: int) -> Sound:
    """Short ringing knocks: dice on a table, cutlery, cups, keys."""
    sound = np.zeros(length + RATE, np.float32)
    for _ in range(int(rng.integers(1, 3 + length // 3000))):
        ring = int(_log_uniform(rng, 150, 3500))
        time = np.arange(ring, dtype=np.float32) / RATE
        knock = rng.standard_normal(ring, np.float32) * rng.uniform(0.1, 1)
        for _ in range(int(rng.integers(0, 4))):
            knock += rng.uniform(0.2, 2) * np.sin(2 * np.pi * _log_uniform(rng, 300, 7000) * time).astype(
                np.float32
            )
        start = int(rng.integers(0, length))
        sound[start : start + ring] += rng.uniform(0.1, 1) * knock * np.exp(-5 * np.arange(ring) / ring)
    return sound[:length] + 0.02 * rng.standard_normal(length, np.float32)


@dataclass
class Augmentation:
    """Turns clips into what a microphone might have caught."""

    rng: np.random.Generator
    """Source of all chance."""
    speech: Sequence[npt.NDArray[np.int16]]
    """Clips that people in the background say."""
    music: Sequence[npt.NDArray[np.int16]] = field(default_factory=list)
    """Music and other recorded noise."""
    talkers: tuple[int, int] = (1, 8)
    """How many people talk in a babble, at least and at most."""

    def sound(self, clip: npt.NDArray[np.int16], synthetic: bool) -> Sound:
        """A clip said by a somewhat different speaker somewhere else, in the range of 16-bit samples.

        ``synthetic`` voices are changed more often than people, who differ enough.
        """
        rng = self.rng
        voice = clip.astype(np.float32)
        if rng.random() < (0.85 if synthetic else 0.6):
            factor = rng.uniform(0.84, 1.24)
            voice = np.asarray(soxr.resample(voice, RATE, RATE / factor, quality="LQ"), np.float32)
        before, after = (int(_log_uniform(rng, 300, 9000)) for _ in range(2))
        sound = np.concatenate([np.zeros(before, np.float32), voice, np.zeros(after, np.float32)])
        loud = np.sqrt(np.mean(voice**2)) + 1e-6
        sound = self._reverberate(sound)
        if rng.random() < 0.85:
            sound += self.noise(len(sound)) * loud * 10 ** (-self._ratio() / 20)
        return self._record(sound)

    def noise_alone(self, length: int) -> Sound:
        """Noise with nobody speaking to the microphone."""
        return self._record(self._reverberate(self.noise(length) * 2000))

    def _ratio(self) -> float:
        """Signal to noise in dB: from a loud party to a quiet room."""
        return float(self.rng.uniform(0, 30) if self.rng.random() < 0.75 else self.rng.uniform(25, 45))

    def noise(self, length: int) -> Sound:
        """A noise of a random kind, at unit power."""
        kind = self.rng.random()
        for name, share in (("babble", 0.4), ("music", 0.6), ("kitchen", 0.72)):
            if kind < share:
                return self.noise_of(name, length)
        return self.noise_of("street", length)

    def noise_of(self, kind: str, length: int) -> Sound:
        """A noise at unit power: ``babble``, ``music``, ``kitchen`` (knocks, clinks) or ``street``."""
        rng = self.rng
        if kind == "babble" and self.speech:
            return _unit(self._babble(length))
        if kind == "music" and self.music:
            piece = self.music[int(rng.integers(len(self.music)))]
            start = int(rng.integers(0, max(1, len(piece) - length)))
            return _unit(np.resize(piece[start : start + length], length).astype(np.float32))
        if kind == "kitchen":
            return _unit(_clatter(rng, length))
        return _unit(_coloured_noise(rng, length))

    def _babble(self, length: int) -> Sound:
        rng = self.rng
        sound = np.zeros(length, np.float32)
        for _ in range(int(rng.integers(self.talkers[0], self.talkers[1] + 1))):
            voices = [self.speech[int(rng.integers(len(self.speech)))] for _ in range(3)]
            gap = np.zeros(int(rng.integers(500, 6000)), np.int16)
            line = np.concatenate([piece for voice in voices for piece in (voice, gap)])
            sound += np.roll(np.resize(line, length), int(rng.integers(length))) * np.float32(
                rng.uniform(0.3, 1)
            )
        return self._reverberate(sound)

    def _reverberate(self, sound: Sound) -> Sound:
        """A room and the colour of a microphone, in one pass through the frequency domain."""
        rng = self.rng
        in_room = rng.random() < 0.75
        response = room(rng) if in_room else np.ones(1, np.float32)
        size = _fast(len(sound) + len(response) - 1)
        spectrum = np.fft.rfft(sound, size)
        if in_room:
            spectrum *= np.fft.rfft(response, size)
        spectrum *= colour(rng, len(spectrum))
        return np.asarray(np.fft.irfft(spectrum, size)[: len(sound)], np.float32)

    def _record(self, sound: Sound) -> Sound:
        """Level, clipping, the noise of the converter, and a stretch of digital silence at times."""
        rng = self.rng
        peak = np.abs(sound).max() + 1.0
        sound = sound * (_FULL_SCALE / peak * 10 ** (rng.uniform(-42, -0.5) / 20))
        if rng.random() < 0.08:
            sound = np.clip(
                sound * rng.uniform(1.5, 5) * _FULL_SCALE / (np.abs(sound).max() + 1), -32000, 32000
            )
            sound *= rng.uniform(0.1, 1)
        if rng.random() < 0.5:
            sound = sound + rng.standard_normal(len(sound), np.float32) * rng.choice([0.3, 1.0, 3.0])
        if rng.random() < 0.3:
            silences = [np.zeros(int(rng.integers(1, 5000)), np.float32) for _ in range(2)]
            sound = np.concatenate([silences[0], sound, silences[1]])
        return np.rint(sound).clip(-32768, 32767).astype(np.float32)

    def frames(self, sound: Sound) -> Frames:
        """MFCC of a sound, with a vocal tract of another length, another pace, and pieces masked."""
        rng = self.rng
        warp = rng.uniform(0.86, 1.16) if rng.random() < 0.6 else 1.0
        energies = log_mel(sound[int(rng.integers(480)) :], warp)
        if not len(energies):
            return energies
        if rng.random() < 0.4:
            pace = rng.uniform(0.8, 1.25)
            chosen = (np.arange(int(len(energies) * pace)) / pace).astype(int)
            energies = energies[np.minimum(chosen, len(energies) - 1)]
        if rng.random() < 0.3:
            width = int(rng.integers(2, 8))
            start = int(rng.integers(0, SIZE - width))
            energies[:, start : start + width] = energies[:, start : start + width].mean(0, keepdims=True)
        if rng.random() < 0.4:
            width = int(rng.integers(2, 9))
            start = int(rng.integers(0, max(1, len(energies) - width)))
            energies[start : start + width] = energies[start]
        return energies @ cosines()
