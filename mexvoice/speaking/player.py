"""The speaker: a sounddevice stream of our own that can be cut at once and is missed when it goes away."""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import soxr

from mexvoice import portaudio
from mexvoice.speaking.output import SpeakerLost
from mexvoice.speaking.synthesiser import Samples, Speech

BLOCK_SECONDS = 0.02
"""Length of a block the device asks for (the shorter, the sooner a cut takes effect)."""

LATENCY_SECONDS = 0.1
"""The latency asked for: enough that a busy machine does not stutter."""

LINGER_SECONDS = 0.05
"""The stream ends so long after its last sample has sounded."""

STALL_SECONDS = 2.0
"""A device that asks for nothing for so long has gone."""

RETRY_SECONDS = 3.0
"""A device that could not be opened is tried again after so long."""

_POLL_SECONDS = 0.01
_WRONG_FORMAT = {-9997, -9998}
"""PortAudio's errors paInvalidSampleRate and paInvalidChannelCount: another format may do."""


class DevicePlayer:
    """Plays speech on an output device, opened when it is first needed and again when it has come back."""

    def __init__(
        self,
        device: str | None = None,
        *,
        sounddevice: Any = None,
        clock: Callable[[], float] = time.monotonic,
        on_sound: Callable[[Samples, int, float], None] | None = None,
    ) -> None:
        """Finds PortAudio; the device is looked for when there is something to play.

        Args:
            device: its number, or a part of its name; None for the default one.
            sounddevice: the module of that name, unless given.
            clock: seconds, monotonic.
            on_sound: told what sounds, its rate and the time of its first sample, a little before that; by
                the driver's thread, so it must be quick.

        Raises:
            MexvoiceError: without PortAudio.
        """
        self._sd = portaudio.library() if sounddevice is None else sounddevice
        self._device: str | int | None = int(device) if device and device.strip().isdigit() else device
        self._clock = clock
        self._on_sound = on_sound
        self._stream: Any = None
        self._channels = 1
        self._rate = 0
        self._latency = 0.0
        # `_queued` guards what the callback touches, `_device_use` the calls of PortAudio, which may be slow.
        self._queued = threading.Lock()
        self._device_use = threading.RLock()
        self._samples: deque[Samples] = deque()
        self._left = 0
        self._running = False
        self._cuts = 0
        self._called_at = 0.0
        self._until = 0.0
        self._lost = False
        self._failed_at: float | None = None
        portaudio.register(self)

    def check(self) -> str:
        """The name of the device that would be used now.

        Raises:
            MexvoiceError: if there is none, or none of that name.
        """
        return str(self._info()["name"])

    @property
    def playing(self) -> bool:
        """Whether something can still be heard, or will be."""
        return not self._lost and (self._left > 0 or self._clock() < self._until)

    @property
    def sounding_until(self) -> float:
        """Monotonic time (s) at which the last sample leaves the speaker, latency included; 0.0: never."""
        if self._left > 0 and not self._lost:
            return max(self._until, self._clock() + self._left / self._rate)
        return self._until

    def play(self, speech: Speech) -> None:
        """Plays after what is playing already; returns at once.

        Raises:
            SpeakerLost: if there is no device, or it cannot be opened.
        """
        if not len(speech.samples):
            return
        cuts = self._cuts
        with self._device_use:
            if self._lost:
                self._close_stream()
            for _ in range(2):
                if self._stream is None:
                    self._open(speech.rate)
                try:
                    self._play_on(speech, cuts)
                    return
                except Exception:
                    # It went away while it was not needed; another one, or the same again, may be there.
                    self._close_stream()
            self._failed_at = self._clock()
            raise _gone()

    def _play_on(self, speech: Speech, cuts: int) -> None:
        """Puts a speech where the callback finds it, and sees to it that the stream runs.

        A running stream first plays the silence in its buffer, one that is started anew begins at once. So a
        stream runs only while there is something to play.
        """
        samples = speech.samples
        if speech.rate != self._rate:
            samples = soxr.resample(samples, speech.rate, self._rate)
        with self._queued:
            if self._running:
                self._append(samples, cuts)
                return
        self._stream.abort()  # one that has ended has to be stopped before it is started
        with self._queued:
            if not self._append(samples, cuts):
                return
            self._running = True
            self._called_at = self._clock()
        self._stream.start()

    def _append(self, samples: Samples, cuts: int) -> bool:
        """Queues samples unless there was a cut in the meantime; with `_queued` held."""
        if self._cuts != cuts:
            return False
        self._samples.append(samples)
        self._left += len(samples)
        self._until = max(self._until, self._clock() + self._latency) + len(samples) / self._rate
        return True

    def abort(self) -> None:
        """Ends all sound now (within 50 ms)."""
        with self._queued:
            self._cuts += 1
            self._samples.clear()
            self._left = 0
            self._running = False
            self._until = min(self._until, self._clock() + BLOCK_SECONDS)
        with self._device_use, contextlib.suppress(Exception):
            if self._stream is not None:
                self._stream.abort()

    def wait(self, timeout: float) -> bool:
        """Waits until nothing can be heard any more; False if `timeout` seconds were not enough.

        Raises:
            SpeakerLost: if the device went away, or has asked for nothing for two seconds.
        """
        limit = self._clock() + timeout
        while True:
            stalled = self._left > 0 and self._clock() - self._called_at > STALL_SECONDS
            if self._lost or stalled:
                with self._device_use:
                    self._close_stream()
                raise _gone()
            if not self.playing:
                return True
            if self._clock() >= limit:
                return False
            time.sleep(_POLL_SECONDS)

    def release(self) -> None:
        """Closes the device while nothing is playing, so that PortAudio can be started anew."""
        if self._device_use.acquire(blocking=False):
            try:
                if not self.playing:
                    self._close_stream()
            finally:
                self._device_use.release()

    def close(self) -> None:
        """Gives the device back, ending all sound; safe to call again."""
        self.abort()
        with self._device_use:
            self._close_stream()

    def _fill(self, out: Any, frames: int, timing: Any, _: Any) -> None:
        """Hands the device its next samples; called by PortAudio in a thread of its own."""
        now = self._clock()
        out.fill(0)
        with self._queued:
            self._called_at = now
            done = 0
            while done < frames and self._samples:
                head = self._samples.popleft()
                part = head[: frames - done]
                out[done : done + len(part)] = part[:, np.newaxis]
                done += len(part)
                if len(part) < len(head):
                    self._samples.appendleft(head[len(part) :])
            self._left -= done
            if done:
                # Some drivers give no times; then the latency they promised has to do.
                ahead = timing.outputBufferDacTime - timing.currentTime
                if ahead <= 0:
                    ahead = self._latency
                self._until = now + ahead + (done + self._left) / self._rate
                if self._on_sound is not None:
                    self._on_sound(out[:done, 0].copy(), self._rate, now + ahead)
            # Some drivers drop what is still in their buffer when a stream ends, so silence comes last.
            if not self._left and now > self._until + LINGER_SECONDS:
                self._running = False
                raise self._sd.CallbackStop

    def _finished(self) -> None:
        """The stream has ended; if nobody wanted that, the device is gone."""
        with self._queued:
            if self._running and self._left > 0:
                self._lost = True
            self._running = False

    def _info(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self._sd.query_devices(self._device, "output")
        except (ValueError, self._sd.PortAudioError) as error:
            if self._device is None:
                raise SpeakerLost(
                    "There is no speaker, so announcements are only written: plug one in, or go on reading.",
                    "speaker_missing",
                ) from error
            raise SpeakerLost(
                f"There is no speaker '{self._device}', so announcements are only written: "
                "plug it in, or choose another."
            ) from error
        return found

    def _open(self, rate: int) -> None:
        """Opens the device for speech of a rate, or at its own rate if it does not take that.

        Raises:
            SpeakerLost: if that fails, or failed a moment ago.
        """
        now = self._clock()
        if self._failed_at is not None and now - self._failed_at < RETRY_SECONDS:
            raise _gone()
        with portaudio.lock:
            try:
                self._open_now(rate)
            except Exception:
                # A device that was plugged in after the start is only seen by a PortAudio started anew.
                with contextlib.suppress(Exception):
                    portaudio.refresh(self._sd)
                try:
                    self._open_now(rate)
                except SpeakerLost:
                    self._failed_at = self._clock()
                    raise
                except Exception as error:
                    self._failed_at = self._clock()
                    raise _gone() from error
        self._failed_at = None
        self._lost = False

    def _open_now(self, rate: int) -> None:
        last: Exception | None = None
        for try_rate, channels in self._formats(rate):
            try:
                self._stream = self._sd.OutputStream(
                    samplerate=try_rate,
                    channels=channels,
                    dtype="int16",
                    device=self._device,
                    blocksize=round(BLOCK_SECONDS * try_rate),
                    latency=LATENCY_SECONDS,
                    callback=self._fill,
                    finished_callback=self._finished,
                )
            except self._sd.PortAudioError as error:
                if not _WRONG_FORMAT & set(error.args):
                    raise
                last = error
                continue
            self._rate = try_rate
            self._latency = float(self._stream.latency)
            return
        assert last is not None
        raise last

    def _formats(self, rate: int) -> Iterator[tuple[int, int]]:
        """Rates and channels to try, from the plainest to what every device takes."""
        info = self._info()
        own = int(info["default_samplerate"])
        most = int(info["max_output_channels"])
        yield rate, 1
        if most >= 2:
            yield rate, 2
        if own != rate:
            yield own, 1
            if most >= 2:
                yield own, 2

    def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(Exception):
                stream.close()
        with self._queued:
            self._samples.clear()
            self._left = 0
            self._until = min(self._until, self._clock())
            self._running = False
            self._lost = False


def _gone() -> SpeakerLost:
    return SpeakerLost(
        "The speaker does not play, so announcements are only written: plug it in, or choose another.",
        "speaker_silent",
    )


def open_player(device: str | None = None) -> DevicePlayer:
    """The speaker, if there is one now.

    Raises:
        MexvoiceError: without PortAudio, without a speaker, or without this one.
    """
    player = DevicePlayer(device)
    player.check()
    return player
