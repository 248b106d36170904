"""Where speech begins and ends, by its energy.

The recogniser's own endpoint needs half a second of decoded silence; the energy of the sound tells the end
of an utterance within a quarter of a second. Frames of 20 ms, one every 10 ms; their level in the band of
speech is compared with the noise floor of the last seconds and with the peak of the utterance itself.
"""

from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

RATE = 16000
"""Samples a second everywhere behind the sources of sound."""

HOP = 160
"""Samples between two frames: 10 ms."""

WINDOW = 320
"""Samples of a frame: 20 ms."""

HOP_SECONDS = HOP / RATE

LOWEST_DB = -72.0
"""No floor lies below this level (dB of full scale): digital silence counts as a quiet room."""

OPEN_DB = 9.0
"""Speech begins this far above the floor ..."""

OPEN_AMBIENT_DB = 5.0
"""... and this far above the ambience, the level that much of babble or music is below."""

CLOSE_DB = 5.0
"""Speech has ended when it is no further than this above the floor ..."""

DROP_SHARE = 0.6
"""... or has dropped from the utterance's peak by this share of the way down to the floor ..."""

DROP_DB = (8.0, 26.0)
"""... within these limits."""

OPEN_FRAMES = 6
"""So many frames in a row begin an utterance: windows and smoothing aside 30 ms, longer than a click."""

WEAK_DB = 36.0
"""Sounds this far below the peak still belong to the utterance, next to louder ones ..."""

WEAK_SECONDS = 0.2
"""... and for so long: the k of "кто" before, the end of a breath after."""

_GAP = 5  # frames of silence there may be between them

BACKGROUND_FRAMES = 30
"""Sound of so many frames, none of which belongs to what is said then, as loud as that is, was farther away:
the utterance begins after it."""

LOUD_FRAMES = 3
"""So many frames in a row prolong it: a single peak of the noise after it does not."""

FLOOR_SECONDS = 3.0
"""Noise floor and ambience are levels of this much of the past."""

_BAND_HZ = (150.0, 6000.0)
_PERCENT = (10.0, 60.0)  # of the frames of the past lie below the floor, below the ambience
_SETTLE = 10  # frames before anything counts: the floor is not known yet
_REFRESH = 5  # frames between two estimates of the floor


_HANNING = np.hanning(WINDOW + 1)[:WINDOW]
_SHAPE = (_HANNING / np.sqrt(np.mean(_HANNING**2)) / 32768.0).astype(np.float32)
_BAND = slice(*np.searchsorted(np.fft.rfftfreq(WINDOW, 1 / RATE), _BAND_HZ))


def levels(samples: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Level in the band of speech (dB of full scale) of each whole frame of a sound of 16-bit samples."""
    count = max(0, (len(samples) - WINDOW) // HOP + 1)
    if not count:
        return np.zeros(0, np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP][:count] * _SHAPE
    power = np.square(np.abs(np.fft.rfft(frames)[:, _BAND])).sum(axis=1) * (2.0 / WINDOW**2)
    found: npt.NDArray[np.float32] = (10.0 * np.log10(power + 1e-10)).astype(np.float32)
    return found


class Activity:
    """Follows the energy of a stream of sound.

    Times are seconds of the stream, from its first sample.

    Attributes:
        now: time up to which frames have been looked at.
        floor: level of the noise in dB of full scale, in its pauses.
        ambience: level of the noise most of the time.
        level: level of the last frames, smoothed over 30 ms.
        speaking: True from the first loud frames of an utterance until `end`.
        onset: time at which the present utterance began.
        end_of_sound: time at which the last sound of the present utterance ended, weak ones included.
        last_loud: time at which the last loud frame of the present utterance ended.
        previous: time at which the last loud frame before the present utterance ended.
        peak: highest level within the present utterance.
        loud_seconds: how long the utterance was loud, pauses left out.
    """

    def __init__(self) -> None:
        """A stream that has not begun."""
        self._rest = np.zeros(WINDOW - HOP, np.float32)
        self._history: deque[float] = deque(maxlen=round(FLOOR_SECONDS / HOP_SECONDS))
        self._recent: deque[float] = deque([LOWEST_DB] * 3, maxlen=3)
        self._frames = 0
        self._run = 0
        self.now = 0.0
        self.floor = LOWEST_DB
        self.ambience = LOWEST_DB
        self.level = LOWEST_DB
        self.speaking = False
        self.onset = 0.0
        self.last_loud = 0.0
        self.end_of_sound = 0.0
        self.previous = -1.0
        self.peak = LOWEST_DB
        self.loud_seconds = 0.0

    @property
    def quiet_seconds(self) -> float:
        """How long it has been quiet within the present utterance."""
        return self.now - self.last_loud

    @property
    def excess(self) -> float:
        """How far the peak of the present utterance is above the floor, in dB."""
        return self.peak - self.floor

    def feed(self, samples: npt.NDArray[np.int16]) -> None:
        """Look at the next samples of the stream."""
        sound = np.concatenate([self._rest, samples.astype(np.float32)])
        found = levels(sound)
        self._rest = sound[len(found) * HOP :]
        for level in found:
            self._frame(float(level))

    def end(self) -> None:
        """The present utterance is over: what comes is the next."""
        self.previous = self.last_loud
        self.speaking = False
        self._run = 0

    def _frame(self, level: float) -> None:
        self._frames += 1
        self.now = self._frames * HOP_SECONDS
        self._recent.append(level)
        self.level = sum(self._recent) / len(self._recent)
        self._history.append(self.level)
        if self._frames % _REFRESH == 0:
            floor, ambience = np.percentile(np.array(self._history), _PERCENT)
            self.floor, self.ambience = max(LOWEST_DB, float(floor)), max(LOWEST_DB, float(ambience))
        if self.speaking:
            if self.level > self.peak:
                self.peak = self.level
                self._leave_background()
            self._run = self._run + 1 if self.level > self._lowest_loud() else 0
            if self._run >= LOUD_FRAMES:
                self.last_loud = self.end_of_sound = self.now
                self.loud_seconds += HOP_SECONDS
            elif self._is_weak() and self.now - self.last_loud <= WEAK_SECONDS:
                self.end_of_sound = self.now
        else:
            loud = self.level > max(self.floor + OPEN_DB, self.ambience + OPEN_AMBIENT_DB)
            self._run = self._run + 1 if loud else 0
            if self._run >= OPEN_FRAMES and self._frames > _SETTLE:
                self._begin()

    def _lowest_loud(self) -> float:
        """The level above which a frame belongs to the present utterance."""
        low, high = DROP_DB
        drop = min(max(DROP_SHARE * (self.peak - self.floor), low), high)
        return max(self.floor + CLOSE_DB, self.peak - drop)

    def _is_weak(self) -> bool:
        """Whether this frame is more than noise, though it may not be loud."""
        return self.level > max(self.floor + CLOSE_DB, self.peak - WEAK_DB)

    def _leave_background(self) -> None:
        """Let the utterance begin anew when all before it is quiet beside what is said now."""
        frames = min(len(self._history), round((self.now - self.onset) / HOP_SECONDS))
        levels = np.array(self._history)[len(self._history) - frames :]
        loud = np.flatnonzero(levels > self._lowest_loud())
        if len(loud) and loud[0] >= BACKGROUND_FRAMES:
            since = (frames - int(loud[0])) * HOP_SECONDS
            self.onset = self.now - since - WEAK_SECONDS
            self.loud_seconds = len(loud) * HOP_SECONDS

    def _weak_onset(self) -> float:
        """When the utterance that has just been noticed began, weak first sounds included."""
        onset, gap = self._run, 0
        for back, level in enumerate(reversed(self._history)):
            gap = 0 if level > self.floor + CLOSE_DB else gap + 1
            if gap > _GAP or (back - self._run) * HOP_SECONDS > WEAK_SECONDS:
                break
            if not gap:
                onset = max(onset, back + 1)
        return max(self.now - onset * HOP_SECONDS, self.previous)

    def _begin(self) -> None:
        self.speaking = True
        self.onset = self._weak_onset()
        self.end_of_sound = self.now
        self.last_loud = self.now
        self.loud_seconds = self._run * HOP_SECONDS
        self.peak = self.level
