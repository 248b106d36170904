"""A recording of everything that is said, made without any device and without waiting."""

from pathlib import Path

import numpy as np
import soundfile
import soxr

from mexvoice.errors import MexvoiceError
from mexvoice.speaking.output import Output
from mexvoice.speaking.synthesiser import Samples, Speech

RATE = 22050
"""Samples a second of a tape."""

PAUSE_SECONDS = 0.25
"""Silence between one speech and the next."""


class Tape:
    """Lays one speech after the other, and plays them on a speaker as well if it has one.

    Without a speaker nothing takes any time: a speech is over as soon as it is laid.
    """

    def __init__(self, through: Output | None = None, pause: float = PAUSE_SECONDS) -> None:
        """An empty tape.

        Args:
            through: a speaker that plays what is laid.
            pause: silence between two speeches (s).
        """
        self._through = through
        self._pause = np.zeros(round(pause * RATE), np.int16)
        self._parts: list[Samples] = []

    @property
    def samples(self) -> Samples:
        """All that has been laid, mono, at `RATE` samples a second."""
        return np.concatenate(self._parts) if self._parts else np.zeros(0, np.int16)

    @property
    def seconds(self) -> float:
        """Length of all that has been laid."""
        return sum(len(part) for part in self._parts) / RATE

    @property
    def playing(self) -> bool:
        """Whether the speaker still plays; never without one."""
        return self._through is not None and self._through.playing

    @property
    def sounding_until(self) -> float:
        """See `Output.sounding_until`; 0.0 without a speaker."""
        return self._through.sounding_until if self._through else 0.0

    def play(self, speech: Speech) -> None:
        """Lays a speech after the last one, and plays it on the speaker.

        Raises:
            SpeakerLost: if the speaker does not play; it is laid nevertheless.
        """
        samples = speech.samples
        if not len(samples):
            return
        if speech.rate != RATE:
            samples = soxr.resample(samples, speech.rate, RATE)
        if self._parts:
            self._parts.append(self._pause)
        self._parts.append(samples)
        if self._through:
            self._through.play(speech)

    def abort(self) -> None:
        """Ends the sound of the speaker; what is laid stays."""
        if self._through:
            self._through.abort()

    def wait(self, timeout: float) -> bool:
        """Waits for the speaker.

        Raises:
            SpeakerLost: if it went away.
        """
        return self._through.wait(timeout) if self._through else True

    def close(self) -> None:
        """Gives the speaker back; the tape can still be saved."""
        if self._through:
            self._through.close()

    def save(self, path: Path) -> None:
        """Writes the tape as a sound file of the kind its name says (WAV, FLAC, OGG, ...).

        Raises:
            MexvoiceError: if it cannot be written, or the name says no kind of sound file.
        """
        check_path(path)
        try:
            soundfile.write(path, self.samples, RATE)
        except (OSError, RuntimeError, ValueError, TypeError) as error:
            raise _unwritable(path) from error


def check_path(path: Path) -> None:
    """Finds out before anything is recorded whether it could be saved.

    Raises:
        MexvoiceError: if a file of this name could not be written, or its ending is of no kind of sound file.
    """
    if path.suffix[1:].upper() not in set(soundfile.available_formats()) - {"RAW"}:
        raise MexvoiceError(
            f"'{path.name}' does not say what kind of file it is to be: name it {path.stem}.wav."
        )
    existed = path.exists()
    try:
        path.open("ab").close()
        if not existed:
            path.unlink()
    except OSError as error:
        raise _unwritable(path) from error


def _unwritable(path: Path) -> MexvoiceError:
    return MexvoiceError(
        f"{path} cannot be written: choose a file in a folder of yours, on a disk with room."
    )
