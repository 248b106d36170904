"""The assistant's own voice, taken out of what the microphone hears, by WebRTC's echo canceller.

It compares what the microphone brings with what the speaker plays, so it has to know what sounds when. Both
are kept by time, sample by sample; the speaker's sound is given a little too early, since an echo that comes
before its cause would never be found, and one that comes up to half a second later is.
"""

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import soxr

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.endpoint import RATE
from mexvoice.hearing.source import Block

FRAME = RATE // 100
"""The canceller takes 10 ms at a time."""

EARLY_SECONDS = 0.06
"""So much earlier than it is said to sound the speaker's sound is given to the canceller."""

JITTER_SECONDS = 0.06
"""Sound of the speaker that is off by less than this is taken for what comes next, without a gap."""

LOSS_SECONDS = 0.012
"""A microphone that is late by more than this ..."""

LATE_BLOCKS = 10
"""... for so many blocks has lost sound."""

KEPT_SECONDS = 3.0
"""So much of the past of the speaker is kept."""

AFTER_SECONDS = 1.0
"""So long after the speaker's last sound its echo is looked for; then what is heard is left as it is."""

Samples = npt.NDArray[np.int16]


class Source(Protocol):
    """A microphone."""

    @property
    def dropped(self) -> int:
        """Blocks that were lost."""

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The blocks as they come; None where ``timeout`` seconds brought nothing."""

    def close(self) -> None:
        """Give the device back."""


class FarEnd:
    """What the speaker plays, by time. Written by the speaker's thread, read by the microphone's."""

    def __init__(self) -> None:
        """Nothing has been played."""
        self._lock = threading.Lock()
        self._pieces: deque[tuple[int, Samples]] = deque()
        self._next = 0
        self._rate = 0
        self._resample: Any = None

    def played(self, samples: Samples, rate: int, at: float) -> None:
        """The speaker plays these.

        Args:
            samples: mono.
            rate: samples a second.
            at: monotonic time (s) at which the first of them sounds.
        """
        with self._lock:
            start = round(at * RATE)
            if (
                self._resample is None
                or rate != self._rate
                or abs(start - self._next) > JITTER_SECONDS * RATE
            ):
                self._rate, self._next = rate, start
                self._resample = soxr.ResampleStream(rate, RATE, 1, dtype="int16", quality="HQ")
            sound = self._resample.resample_chunk(samples) if rate != RATE else samples
            self._pieces.append((self._next, sound))
            self._next += len(sound)
            while self._pieces[0][0] < self._next - (KEPT_SECONDS + AFTER_SECONDS) * RATE:
                self._pieces.popleft()

    def between(self, start: int, count: int) -> Samples:
        """``count`` samples of what sounds from sample ``start`` of the clock on, silence included."""
        found = np.zeros(count, np.int16)
        with self._lock:
            for at, samples in self._pieces:
                first, last = max(at, start), min(at + len(samples), start + count)
                if first < last:
                    found[first - start : last - start] = samples[first - at : last - at]
        return found

    @property
    def silent_from(self) -> float:
        """Monotonic time (s) after which nothing has sounded, as far as it is known."""
        return self._next / RATE


class EchoCanceller:
    """Takes what the speaker plays out of what the microphone hears."""

    def __init__(self, far: FarEnd) -> None:
        """A canceller that has heard nothing yet.

        Raises:
            MexvoiceError: when the package is not installed.
        """
        try:
            from pywebrtc_audio import EchoCanceller as WebRtc
        except ImportError as error:
            raise MexvoiceError(
                "Echo cancelling needs one package more: run 'pip install mexvoice[echo]', "
                "or leave out --echo-cancel."
            ) from error
        self._far = far
        self._canceller = WebRtc(RATE, 1)
        self._rest = np.zeros(0, np.int16)
        self._clock: int | None = None
        self._late: deque[int] = deque(maxlen=LATE_BLOCKS)

    def clean(self, block: Block) -> Block:
        """The block without the echo; its length is that of the whole 10 ms frames that are there now."""
        sound = np.concatenate([self._rest, np.frombuffer(block.pcm, "<i2")])
        whole = len(sound) // FRAME * FRAME
        near, self._rest = sound[:whole], sound[whole:]
        start = self._follow(block.time, whole)
        far = self._far.between(start + round(EARLY_SECONDS * RATE), whole)
        out = np.zeros(whole, np.int16)
        for at in range(0, whole, FRAME):
            frame = slice(at, at + FRAME)
            out[frame] = self._canceller.process(np.ascontiguousarray(near[frame]), far[frame])
        # It dampens what it takes for an echo, so where none can be its work is not wanted.
        echo = start / RATE < self._far.silent_from + AFTER_SECONDS
        kept = out if echo else near
        return Block(block.time - len(self._rest) / RATE, kept.astype("<i2").tobytes(), _level(kept))

    def _follow(self, end: float, count: int) -> int:
        """The time, in samples of the clock, of the first of ``count`` samples.

        Blocks come in bursts, so what follows is taken to follow without a gap: an echo that comes now a
        little sooner and now a little later would have to be found anew each time. When all blocks of half a
        second come late, something was lost before them; none comes early.
        """
        start = round(end * RATE) - len(self._rest) - count
        if self._clock is None:
            self._clock = start
        self._late.append(start - self._clock)
        gap = min(self._late)
        if gap < -LOSS_SECONDS * RATE or (len(self._late) == LATE_BLOCKS and gap > LOSS_SECONDS * RATE):
            self._clock += gap
            self._late.clear()
        start, self._clock = self._clock, self._clock + count
        return start


def _level(samples: Samples) -> float:
    power = float(np.mean(np.square(samples / 32768.0))) if len(samples) else 0.0
    return 10.0 * float(np.log10(power + 1e-10))


class WithoutEcho:
    """A microphone whose sound goes through an echo canceller."""

    def __init__(self, source: Source, canceller: EchoCanceller) -> None:
        """Both are the caller's; `close` closes the microphone."""
        self._source = source
        self._canceller = canceller

    @property
    def dropped(self) -> int:
        """Blocks lost so far because nobody fetched them in time."""
        return self._source.dropped

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The blocks as they come; None where ``timeout`` seconds brought nothing.

        Raises:
            MicrophoneLost: when the microphone brings no sound any more.
        """
        for block in self._source.blocks(timeout):
            yield None if block is None else self._canceller.clean(block)

    def close(self) -> None:
        """Give the device back."""
        self._source.close()
