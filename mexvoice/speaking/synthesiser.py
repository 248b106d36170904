"""Text to sound, by a child process that is killed and started again when it hangs or dies."""

import contextlib
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from mexvoice.errors import Trouble
from mexvoice.speaking import synthesis_child
from mexvoice.speaking.utterable import pieces, utterable

START_SECONDS = 15.0
"""A child that is not ready by then is given up (it takes about 0.25 s)."""

LIMIT_SECONDS = 2.0
"""Time limit of a piece of text, however short (it takes about 0.02 s)."""

LIMIT_PER_CHARACTER = 0.02
"""Added for each character: five times as long as espeak-ng needs on a slow machine."""

END_SECONDS = 1.0
"""A child that was asked to end gets this long."""

_QUIET = 80
"""Samples up to this (of 32768; -52 dB) count as silence at both ends of a text."""
_LEAD_SECONDS = 0.02
_TAIL_SECONDS = 0.05

Samples = npt.NDArray[np.int16]


class SynthesisFailed(Trouble):
    """A text could not be turned into sound; the game goes on in writing."""


class NoVoice(SynthesisFailed):
    """This machine has no voice for the language, or no speech engine at all."""


@dataclass(frozen=True)
class Speech:
    """Sound of a spoken text."""

    samples: Samples
    """Mono samples."""
    rate: int
    """Samples a second."""

    @property
    def seconds(self) -> float:
        """How long it sounds."""
        return len(self.samples) / self.rate


@dataclass(frozen=True)
class Voice:
    """Who speaks, and how."""

    espeak: str
    """Id of espeak-ng's voice: ``roa/fr``, or with a variant, ``roa/fr+f2``."""
    languages: tuple[str, ...] = ()
    """Language tags by which the system's own voices are tried first, best first; none: espeak-ng's."""
    rate: int = 165
    """Words a minute."""
    pitch: int = synthesis_child.PITCH
    """0 to 99, espeak-ng only."""


class _Child:
    """One running child process with the folder its sound files are put in."""

    def __init__(self) -> None:
        """Starts it; returns at once.

        Raises:
            SynthesisFailed: if no process or folder can be made.
        """
        self.folder = ""
        try:
            self.folder = tempfile.mkdtemp(prefix="mexvoice-")
            # By its path, not by -m: it starts faster, and whatever the working directory holds.
            self.process = subprocess.Popen(
                [sys.executable, "-P", synthesis_child.__file__, self.folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise SynthesisFailed(
                f"The speech process cannot be started ({error.strerror}).",
                "speech_fails",
                reason=error.strerror or str(error),
            ) from error
        self.ready = False
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="synthesis answers", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(line)
        self._answers.put(b"")

    def ask(self, request: dict[str, object], limit: float) -> dict[str, Any]:
        """Sends a request and waits for its answer, and for the child to be ready before that.

        Raises:
            TimeoutError: if there is none within `limit` seconds.
            EOFError: if the process has ended.
        """
        if not self.ready:
            first = self._answer(START_SECONDS)
            if "error" in first:
                return first
            self.ready = True
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self.process.stdin.flush()
        except (OSError, ValueError) as error:
            raise EOFError from error
        return self._answer(limit)

    def _answer(self, limit: float) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=limit)
        except queue.Empty:
            raise TimeoutError from None
        try:
            found: dict[str, Any] = json.loads(line)
        except ValueError as error:  # the end, or the last words of a dying process
            raise EOFError from error
        return found

    def kill(self) -> None:
        """Ends the process by force, and removes all that it had."""
        self.process.kill()
        self._finish()

    def close(self) -> None:
        """Asks the process to end, and makes it."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._finish()

    def _finish(self) -> None:
        self.process.wait()
        self._reader.join(END_SECONDS)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Synthesiser:
    """Renders texts as sound, one after the other; safe to use from several threads.

    A text that takes too long or kills the child is tried once more with a new one.
    """

    def __init__(self, voice: str | Voice, rate: int | None = None, languages: Sequence[str] = ()) -> None:
        """Starts the child in the background.

        Args:
            voice: the usual voice, or the id of espeak-ng's.
            rate: words a minute; the voice's own if None.
            languages: see `Voice.languages`.
        """
        self.voice = Voice(voice, tuple(languages)) if isinstance(voice, str) else voice
        """The voice of texts that ask for no other; may be set at any time."""
        if rate is not None:
            self.voice = replace(self.voice, rate=rate)
        self.starts = 0
        """How many children have been started so far."""
        self._lock = threading.Lock()
        self._closed = False
        self._child: _Child | None = None
        with contextlib.suppress(SynthesisFailed):  # told by the first text instead
            self._running()

    @property
    def child_pid(self) -> int | None:
        """The child's process id, or None when there is none just now."""
        child = self._child
        return child.process.pid if child else None

    def render(
        self, text: str, voice: str | Voice | None = None, rate: int | None = None, pitch: int | None = None
    ) -> Speech:
        """The sound of a text, without silence around it; empty for a text with nothing to say in it.

        Args:
            text: of any length and content, see `mexvoice.speaking.utterable`.
            voice: another voice than the usual one, or the id of one of espeak-ng's.
            rate: words a minute; the voice's own if None.
            pitch: 0 to 99; the voice's own if None.

        Raises:
            NoVoice: if there is no such voice, or no speech engine.
            SynthesisFailed: if it does not work for another reason, or has been closed.
        """
        wanted = self.voice if voice is None else voice
        if isinstance(wanted, str):
            wanted = Voice(wanted, rate=self.voice.rate)
        if rate is not None:
            wanted = replace(wanted, rate=rate)
        if pitch is not None:
            wanted = replace(wanted, pitch=pitch)
        with self._lock:
            parts = [self._render_piece(piece, wanted) for piece in pieces(utterable(text))]
        if not parts:
            return Speech(np.zeros(0, np.int16), 22050)
        # All pieces come from one voice, so their rate is the same.
        return Speech(np.concatenate([part.samples for part in parts]), parts[0].rate)

    def has_voice(self, espeak: str, languages: Sequence[str] = ()) -> bool:
        """Whether this machine has a voice for a language: one of espeak-ng's, or one of its own.

        Raises:
            SynthesisFailed: if it cannot be found out.
        """
        return self.voice_name(espeak, languages) is not None

    def voice_name(self, espeak: str, languages: Sequence[str] = ()) -> str | None:
        """The engine and the voice that would speak, like ``espeak roa/fr``; None if there is none.

        Raises:
            SynthesisFailed: if it cannot be found out.
        """
        request: dict[str, object] = {"find": True, "espeak": espeak, "languages": list(languages)}
        with self._lock:
            try:
                answer = self._ask(request, LIMIT_SECONDS)
            except NoVoice:
                return None
        return f"{answer.get('engine')} {answer.get('voice')}"

    def close(self) -> None:
        """Ends the child and removes its files, even in the middle of a text; safe to call again."""
        self._closed = True
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def __enter__(self) -> "Synthesiser":
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def _running(self) -> _Child:
        if self._closed:
            raise SynthesisFailed("The announcer has been closed.")
        child = self._child
        if child is None:
            child = self._child = _Child()
            self.starts += 1
            if self._closed:  # in between, by another thread
                self._drop(child)
                raise SynthesisFailed("The announcer has been closed.")
        return child

    def _drop(self, child: _Child) -> None:
        if self._child is child:
            self._child = None
        child.kill()

    def _ask(self, request: dict[str, object], limit: float) -> dict[str, Any]:
        """Asks the child, and a second one if the first hangs or dies.

        Raises:
            NoVoice: as the child says.
            SynthesisFailed: if the second fails too.
        """
        reason = ""
        for _ in range(2):
            child = self._running()
            if "text" in request:
                request["file"] = str(Path(child.folder) / "speech.wav")
            try:
                answer = child.ask(request, limit)
            except TimeoutError:
                reason = f"no answer within {limit:.0f} s"
                self._drop(child)
                continue
            except EOFError:
                status = child.process.poll()
                reason = f"it ended by itself, status {status}"
                self._drop(child)
                continue
            if "error" not in answer:
                return answer
            if answer["error"] == "engine":
                self._drop(child)
                raise NoVoice(
                    "There is no speech engine, so announcements are only written: install espeak-ng "
                    "(Debian and Ubuntu: sudo apt-get install espeak-ng).",
                    "speech_missing",
                )
            if answer["error"] == "voice":
                raise NoVoice(
                    f"This machine has no voice '{request['espeak']}', so announcements are only written.",
                    "no_voice",
                )
            # An engine that lost its settings once may go on losing them.
            reason = str(answer.get("reason"))
            self._drop(child)
        raise SynthesisFailed(
            f"The speech engine does not work ({reason}); announcements are only written.",
            "speech_fails",
            reason=reason,
        )

    def _render_piece(self, text: str, voice: Voice) -> Speech:
        request: dict[str, object] = {
            "text": text,
            "espeak": voice.espeak,
            "languages": list(voice.languages),
            "rate": voice.rate,
            "pitch": voice.pitch,
        }
        answer = self._ask(request, LIMIT_SECONDS + LIMIT_PER_CHARACTER * len(text))
        path = Path(answer["file"])
        try:
            samples, rate = soundfile.read(path, dtype="int16", always_2d=True)
            path.unlink()
        except (OSError, RuntimeError) as error:
            raise SynthesisFailed("The speech engine's sound file cannot be read.") from error
        return Speech(_trimmed(samples[:, 0], rate), int(rate))


def _trimmed(samples: Samples, rate: int) -> Samples:
    """Sound without the silence an engine puts around it: the sooner the end, the sooner we listen again."""
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _QUIET)
    if not len(loud):
        return samples[:0]
    start = max(0, int(loud[0]) - int(_LEAD_SECONDS * rate))
    return samples[start : int(loud[-1]) + 1 + int(_TAIL_SECONDS * rate)].copy()


def measure_start() -> float:
    """Seconds from starting a child to its being ready."""
    started = time.monotonic()
    child = _Child()
    try:
        child.ask({"find": True, "espeak": "", "languages": []}, LIMIT_SECONDS)
        return time.monotonic() - started
    finally:
        child.close()
