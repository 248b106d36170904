"""Where sound comes from: a microphone or a file, block by block, always 16 kHz, mono, 16 bit."""

import contextlib
import queue
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mexvoice import portaudio
from mexvoice.errors import MexvoiceError, Trouble
from mexvoice.hearing.endpoint import RATE

BLOCK_SECONDS = 0.05
"""Length of a block."""

QUEUE_SECONDS = 10.0
"""So much sound waits at most; what comes when the queue is full is dropped, and counted."""

FIRST_SECONDS = 5.0
"""A microphone that has just been opened may take so long to bring its first block (some take 1.7 s)."""

STILL_SECONDS = 1.0
"""A wait that took so much longer than it was to was the machine's, not the microphone's."""

LOST_SECONDS = 2.0
"""A running microphone that brings nothing for so long is gone."""

LATEST_SECONDS = 60.0
"""Sound that a driver says is later than this is not: its clock makes no sense."""

RATES = (1000, 1_000_000)
"""Samples a second a file may have: below there is no speech, above no time to hear it."""

MOST_AT_ONCE = 2_000_000
"""Samples of a file, of all its channels together, that are read at a time."""

LOUDEST = 16.0
"""Samples of a file beyond this (full scale is 1.0) are cut off: no sum of them can get out of hand."""

ROOM_DB = (-72.0, -50.0)
"""Noise put around a file is as loud as its own quietest parts, within these limits (dB of full scale)."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of sound."""

    time: float
    """Clock time (time.monotonic) at which its last sample was there."""

    pcm: bytes
    """16 kHz, mono, 16-bit little-endian samples."""

    level: float
    """Its level in dB of full scale; -100 for digital silence."""


class MicrophoneLost(Trouble):
    """The microphone brings no sound any more, or never did."""


class AudioFile:
    """A sound file of any rate, number of channels and format libsndfile reads (WAV, FLAC, OGG, ...)."""

    def __init__(
        self,
        path: Path,
        *,
        paced: bool = False,
        lead: float = 0.0,
        tail: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open the file.

        Args:
            path: the file.
            paced: bring the blocks when they would have been spoken, not as fast as they can be read.
            lead: seconds of a room's faint noise put before the sound.
            tail: the same after it.
            clock: the clock of `Block.time`.

        Raises:
            MexvoiceError: when it cannot be read, is no sound, or is empty.
        """
        self.path = path
        self._paced, self._clock = paced, clock
        self._lead, self._tail = lead, tail
        self._file = _open(path)
        self._at_once = max(1, min(self._file.samplerate, MOST_AT_ONCE // self._file.channels))

    def __iter__(self) -> Iterator[Block]:
        """The blocks to the end of the file.

        Raises:
            MexvoiceError: when it breaks off with what is not sound.
        """
        started = self._clock()
        done = 0
        for samples in _blocks(self._sound()):
            done += len(samples)
            due = started + done / RATE
            if self._paced:
                time.sleep(max(0.0, due - self._clock()))
            yield _block(due, samples)

    dropped = 0
    """A file waits for whoever reads it."""

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The same as iterating; `timeout` is there for likeness with the microphone."""
        del timeout
        yield from self

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _sound(self) -> Iterator[Floats]:
        """The sound of the file at 16 kHz with the noise around it, in pieces of any length."""
        resample = _resampler(int(self._file.samplerate))
        noise_db: float | None = None
        while True:
            try:
                frames: Floats = self._file.read(self._at_once, dtype="float32", always_2d=True)
            except RuntimeError as error:
                raise MexvoiceError(f"The file {self.path} cannot be read to its end ({error}).") from error
            if not np.isfinite(frames).all():
                raise MexvoiceError(
                    f"The file {self.path} has samples that are no numbers: convert it again."
                )
            sound = _mono(np.clip(frames, -LOUDEST, LOUDEST))
            if noise_db is None:
                noise_db = _noise_db(sound, int(self._file.samplerate))
                yield _room(self._lead, noise_db)
            yield resample(sound, not len(frames))
            if not len(frames):
                break
        yield _room(self._tail, noise_db)


class Microphone:
    """A microphone, opened when it is iterated over."""

    def __init__(
        self,
        device: str | None = None,
        *,
        sounddevice: Any = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Find the device and open it.

        Args:
            device: its number, or a part of its name; None for the default one.
            sounddevice: the module of that name, unless given.
            clock: the clock of `Block.time`.

        Raises:
            MexvoiceError: without PortAudio, without a microphone, or without this one.
        """
        self._sd = portaudio.library() if sounddevice is None else sounddevice
        self._clock = clock
        self._dropped = 0
        self._queue: queue.Queue[tuple[float, bytes]] = queue.Queue(round(QUEUE_SECONDS / BLOCK_SECONDS))
        with portaudio.lock:
            portaudio.refresh(self._sd)  # or a microphone that was plugged in a moment ago would not be seen
            info = self._find(device)
            self.name = str(info["name"])
            self._stream, self._rate, self._channels = self._open(info)
        self._started = self._clock()

    @property
    def dropped(self) -> int:
        """Blocks lost so far because nobody fetched them in time."""
        return self._dropped

    def __iter__(self) -> Iterator[Block]:
        """The blocks, as they come, without end.

        Raises:
            MicrophoneLost: when none comes for 5 s at the start or 2 s later.
        """
        for block in self.blocks(0.5):
            if block is not None:
                yield block

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The blocks as they come; None where `timeout` seconds brought nothing.

        Raises:
            MicrophoneLost: when none comes for 5 s at the start or 2 s later.
        """
        resample = _resampler(self._rate)
        waited, patience, before = 0.0, FIRST_SECONDS, self._clock()
        rest = np.zeros(0, np.float32)
        while True:
            try:
                at, data = self._queue.get(timeout=timeout)
            except queue.Empty:
                now = self._clock()
                # A machine that stood still has not lost its microphone.
                waited += timeout if now - before > timeout + STILL_SECONDS else now - before
                before = now
                if waited > patience or not self._stream.active:
                    raise MicrophoneLost(
                        f"The microphone '{self.name}' brings no sound: plug it in, or choose one.",
                        "microphone_silent",
                        device=self.name,
                    ) from None
                yield None
                continue
            waited, patience, before = 0.0, LOST_SECONDS, self._clock()
            frames = np.frombuffer(data, "<i2").reshape(-1, self._channels).astype(np.float32) / 32768.0
            rest = np.concatenate([rest, resample(_mono(frames), False)])
            if len(rest):
                yield _block(at, rest)
                rest = rest[:0]

    def close(self) -> None:
        """Give the device back. Safe to call again."""
        with contextlib.suppress(Exception):
            self._stream.close()

    def _find(self, device: str | None) -> dict[str, Any]:
        wanted: str | int | None = device
        if device is not None and device.strip().isdigit():
            wanted = int(device)
        try:
            found: dict[str, Any] = self._sd.query_devices(wanted, "input")
        except (ValueError, self._sd.PortAudioError) as error:
            raise self._unknown(device) from error
        if int(found["max_input_channels"]) < 1:
            raise self._unknown(device)
        return found

    def _unknown(self, device: str | None) -> Trouble:
        names = [
            f"{number} {info['name']}"
            for number, info in enumerate(self._sd.query_devices())
            if info["max_input_channels"] > 0
        ]
        if not names:
            return Trouble("There is no microphone: connect one, or play with --typed.", "microphone_missing")
        if device is None:
            return Trouble(
                f"There is no default microphone: choose one with --device ({', '.join(names)}).",
                "microphone_unchosen",
                devices=names,
            )
        return Trouble(
            f"There is no microphone '{device}': choose one of {', '.join(names)}.",
            "microphone_unknown",
            device=device,
            devices=names,
        )

    def _open(self, info: dict[str, Any]) -> tuple[Any, int, int]:
        """Start the stream: 16 kHz mono if the device can, else what it likes best."""
        own = round(float(info["default_samplerate"]))
        most = int(info["max_input_channels"])
        problem: Exception | None = None
        for rate, channels in ((RATE, 1), (own, 1), (own, min(2, most))):
            try:
                stream = self._sd.RawInputStream(
                    samplerate=rate,
                    channels=channels,
                    dtype="int16",
                    device=info["index"],
                    blocksize=round(rate * BLOCK_SECONDS),
                    callback=self._hear,
                )
                stream.start()
            except (self._sd.PortAudioError, ValueError) as error:
                problem = error
                continue
            return stream, rate, channels
        raise Trouble(
            f"The microphone '{info['name']}' cannot be opened ({problem}): free it, or choose another.",
            "microphone_busy",
            device=str(info["name"]),
            reason=str(problem),
        )

    def _hear(self, indata: Any, frames: int, times: Any, status: Any) -> None:
        """Called by PortAudio: queue a copy and be gone."""
        del frames
        if getattr(status, "input_overflow", False):
            self._dropped += 1  # by the driver, before this block; how much it does not tell
        try:
            self._queue.put_nowait((self._clock() - _lateness(times), bytes(indata)))
        except queue.Full:
            self._dropped += 1


def _lateness(times: Any) -> float:
    """Seconds since the last sample of a block was there, as far as the driver knows.

    On a busy machine, or after it slept, blocks that were recorded long ago come all at once; among them may
    be the end of what the assistant said.
    """
    if times is None:
        return 0.0
    late = float(times.currentTime - times.inputBufferAdcTime) - BLOCK_SECONDS
    return late if 0.0 < late < LATEST_SECONDS else 0.0


def _open(path: Path) -> Any:
    import soundfile

    if path.is_dir():
        raise MexvoiceError(f"{path} is a folder, not a sound file.")
    try:
        with path.open("rb") as stream:
            empty = not stream.read(1)
    except FileNotFoundError as error:
        raise MexvoiceError(f"There is no file {path}.") from error
    except OSError as error:
        raise MexvoiceError(f"The file {path} cannot be read ({error.strerror or error}).") from error
    if empty:
        raise MexvoiceError(f"The file {path} is empty.")
    try:
        file = soundfile.SoundFile(str(path))
    except (RuntimeError, TypeError, ValueError, OSError) as error:
        raise MexvoiceError(
            f"The file {path} is no sound file that can be read: give a WAV or FLAC file."
        ) from error
    if not file.frames:
        file.close()
        raise MexvoiceError(f"The file {path} holds no sound.")
    if not RATES[0] <= file.samplerate <= RATES[1]:
        rate = file.samplerate
        file.close()
        raise MexvoiceError(f"The file {path} has {rate} samples a second: convert it to 16000.")
    return file


def _mono(frames: Floats) -> Floats:
    """The channels of `frames` (frames x channels) as one.

    The mean, unless the channels cancel each other out or one is silent: then the loudest.
    """
    if frames.shape[1] == 1:
        return frames[:, 0]
    mean: Floats = frames.mean(axis=1)
    power = np.square(frames).mean(axis=0) if len(frames) else np.zeros(frames.shape[1])
    loudest = int(np.argmax(power))
    if np.square(mean).mean() < 0.3 * power[loudest] if len(frames) else False:
        return frames[:, loudest]
    return mean


def _resampler(rate: int) -> Callable[[Floats, bool], Floats]:
    """A function that brings pieces of sound of `rate` to 16 kHz; its second argument marks the last."""
    if rate == RATE:
        return lambda sound, _last: sound
    import soxr

    stream = soxr.ResampleStream(rate, RATE, 1, dtype="float32", quality="HQ")

    def resample(sound: Floats, last: bool) -> Floats:
        done: Floats = stream.resample_chunk(np.ascontiguousarray(sound), last=last)
        return done

    return resample


def _noise_db(sound: Floats, rate: int) -> float:
    """Level of the quietest parts of a sound, in dB of full scale, within what a room may have."""
    size = max(1, rate // 50)
    frames = sound[: len(sound) // size * size].reshape(-1, size)
    if not len(frames):
        return ROOM_DB[0]
    power = float(np.percentile(np.square(frames).mean(axis=1), 5.0))
    return float(np.clip(10.0 * np.log10(power + 1e-10), *ROOM_DB))


def _room(seconds: float, level_db: float) -> Floats:
    """The noise of a room, always the same."""
    return np.random.default_rng(2).normal(0, 10 ** (level_db / 20), round(seconds * RATE)).astype(np.float32)


def _blocks(pieces: Iterator[Floats]) -> Iterator[Floats]:
    """The pieces of sound cut into blocks; the last may be shorter."""
    size = round(BLOCK_SECONDS * RATE)
    rest = np.zeros(0, np.float32)
    for piece in pieces:
        rest = np.concatenate([rest, piece])
        for at in range(0, len(rest) - size + 1, size):
            yield rest[at : at + size]
        rest = rest[len(rest) // size * size :]
    if len(rest):
        yield rest


def _block(at: float, samples: Floats) -> Block:
    power = float(np.mean(np.square(samples))) if len(samples) else 0.0
    pcm = np.clip(np.rint(samples * 32768.0), -32768, 32767).astype("<i2").tobytes()
    return Block(at, pcm, 10.0 * float(np.log10(power + 1e-10)))
