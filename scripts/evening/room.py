"""A room in which time passes as fast as it is heard: a speaker, a microphone, people, and their noise.

The clock of the room is its sound: it goes on by one block whenever the assistant fetches one, and waits
while the assistant renders what it is about to say. So deafness, reminders and everything else that takes
time take as much of the room's time as they take of a real evening's.
"""

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import soxr

from mexvoice.hearing.source import Block
from mexvoice.speaking.synthesiser import Speech

RATE = 16000
BLOCK = 800
"""Samples of a block of sound: 50 ms, as a microphone brings them."""

LATENCY_SECONDS = 0.1
"""From being told to play to the first sample."""

WAY_SECONDS = 0.05
"""From the speaker to the microphone."""

ECHO = 0.35
"""The assistant's voice in the microphone, as a factor (-9 dB)."""

FLOOR_DB = (-70.0, -58.0)
"""The room's own noise wanders between these levels (dB of full scale)."""

STUCK_SECONDS = 60.0
"""An announcer that renders for so long will never end."""

Sound = npt.NDArray[np.float32]


class Room:
    """A speaker (`mexvoice.speaking.output.Output`) whose echo a microphone hears, among people."""

    def __init__(self, seed: int) -> None:
        """An empty room in which nobody has spoken yet.

        Args:
            seed: of its noise.
        """
        self._random = np.random.default_rng(seed)
        # One minute of noise, cut anywhere, costs a tenth of noise that is always new.
        self._noise = self._random.normal(0.0, 1.0, 60 * RATE).astype(np.float32)
        self._floor_db = float(np.mean(FLOOR_DB))
        self._people = np.zeros(0, np.float32)
        self._echo = np.zeros(0, np.float32)
        self._samples = 0
        self._until = 0.0
        self._changed = threading.Condition()
        self.speaking: Callable[[], bool] = lambda: False
        """Whether the announcer has something to say; while it has, the clock waits for it to be played."""

    def now(self) -> float:
        """Seconds since the evening began."""
        return self._samples / RATE

    # The speaker

    @property
    def playing(self) -> bool:
        """See `Output.playing`."""
        return self.now() < self._until

    @property
    def sounding_until(self) -> float:
        """See `Output.sounding_until`."""
        return self._until

    def play(self, speech: Speech) -> None:
        """Plays after what is playing already; the microphone hears it, too."""
        if not len(speech.samples):
            return
        sound = soxr.resample(speech.samples.astype(np.float32) / 32768.0, speech.rate, RATE) * ECHO
        with self._changed:
            start = max(self._until, self.now() + LATENCY_SECONDS)
            self._echo = _mixed(self._echo, sound, round((start + WAY_SECONDS - self.now()) * RATE))
            self._until = start + speech.seconds

    def abort(self) -> None:
        """Ends all sound of the speaker now."""
        with self._changed:
            self._echo = self._echo[:0]
            self._until = min(self._until, self.now())
            self._changed.notify_all()

    def wait(self, timeout: float) -> bool:
        """Waits until the speaker is silent; False if `timeout` seconds of real time were not enough."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.playing, timeout)

    def close(self) -> None:
        """Nothing to give back."""

    # The microphone

    def pass_time(self, seconds: float) -> Iterator[Block]:
        """What the microphone hears in so many seconds."""
        end = self._samples + round(seconds * RATE)
        while self._samples < end:
            yield self._block()

    def sound(self, samples: Sound) -> Iterator[Block]:
        """The same, while somebody makes a sound, to its end."""
        self._people = _mixed(self._people, samples, 0)
        yield from self.pass_time(len(samples) / RATE)

    def burst(self, seconds: float, level_db: float) -> Sound:
        """A noise that swells and dies away: a chair, a tap, a lorry outside."""
        length = round(seconds * RATE)
        noise = self._cut(length)
        rumble = np.cumsum(noise) - np.linspace(0.0, float(noise.sum()), length)
        rumble /= float(np.abs(rumble).max()) or 1.0
        both = 0.5 * noise + 2.0 * rumble
        shape = np.sin(np.linspace(0.0, np.pi, length)) ** 2
        return np.asarray(both * shape * 10 ** (level_db / 20), np.float32)

    def _block(self) -> Block:
        self._let_speak()
        self._floor_db = float(np.clip(self._floor_db + self._random.normal(0.0, 0.1), *FLOOR_DB))
        block = self._cut(BLOCK) * 10 ** (self._floor_db / 20)
        with self._changed:
            for heard in (self._people[:BLOCK], self._echo[:BLOCK]):
                block[: len(heard)] += heard
            self._people, self._echo = self._people[BLOCK:], self._echo[BLOCK:]
            self._samples += BLOCK
            if not self.playing:
                self._changed.notify_all()
            now = self.now()
        pcm = np.clip(np.rint(block * 32768.0), -32768, 32767).astype("<i2").tobytes()
        return Block(now, pcm, 10.0 * float(np.log10(np.mean(np.square(block)) + 1e-10)))

    def _let_speak(self) -> None:
        """Waits, without any time passing in the room, while the announcer prepares what it will say."""
        limit = time.monotonic() + STUCK_SECONDS
        while self.speaking() and not self.playing:
            if time.monotonic() > limit:
                raise RuntimeError(f"the announcer has been stuck for {STUCK_SECONDS:.0f} s")
            time.sleep(0.0003)

    def _cut(self, length: int) -> Sound:
        at = int(self._random.integers(0, len(self._noise) - length))
        return self._noise[at : at + length].copy()


def _mixed(ahead: Sound, sound: Sound, at: int) -> Sound:
    """What is to be heard from now on, with a sound added that begins ``at`` samples from now."""
    if len(ahead) < at + len(sound):
        ahead = np.concatenate([ahead, np.zeros(at + len(sound) - len(ahead), np.float32)])
    ahead[at : at + len(sound)] += sound
    return ahead
