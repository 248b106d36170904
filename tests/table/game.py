"""A running ``mexvoice play`` for tests and benches: a real process on virtual devices."""

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mexvoice.language import locale
from mexvoice.language.command import CommandId
from mexvoice.language.phrasebook import PhraseBook
from tests.sound_server import SoundServer

AUDIO = Path(__file__).parents[1] / "audio"
PLAYERS = "Anna,Ben,Cleo"
PROGRAM = (sys.executable, "-m", "mexvoice")


ANSWERED = (
    CommandId.THROW,
    CommandId.SCORES,
    CommandId.LOWEST,
    CommandId.WHOSE_TURN,
    CommandId.THROWS_LEFT,
    CommandId.REPEAT,
    CommandId.HELP,
    CommandId.LIVES_OF,
)
"""Commands that are open at the start of a match and get an answer, the most telling first."""


class Game:
    """A running ``mexvoice play`` whose lines can be waited for."""

    def __init__(self, devices: Mapping[str, str], *options: str, program: Sequence[str] = PROGRAM) -> None:
        """Starts it.

        Args:
            devices: the environment in which it finds them.
            options: of ``play``.
            program: what to run instead of ``python -m mexvoice``.
        """
        self._process = subprocess.Popen(
            [*program, "play", "--players", PLAYERS, "--plain", "--unkept", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**devices, "PYTHONIOENCODING": "utf-8"},
            text=True,
            encoding="utf-8",
        )
        self.lines: list[str] = []
        self._fresh: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._fresh.put(self.lines[-1])

    def wait_for(self, beginning: str, seconds: float = 45.0) -> str:
        """The next line that begins so."""
        limit = time.monotonic() + seconds
        while True:
            try:
                line = self._fresh.get(timeout=max(0.01, limit - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no '{beginning}' in {seconds} s after: {self.lines}") from None
            if line.startswith(beginning):
                return line

    def heard(self) -> list[str]:
        """What it heard so far."""
        return [line for line in self.lines if line.startswith("«")]

    def type(self, line: str) -> None:
        """Types a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def wait(self, seconds: float) -> int:
        """Waits for its end and gives its exit status."""
        return self._process.wait(seconds)

    def end(self) -> int:
        """Ends it and gives its exit status."""
        if self._process.poll() is None:
            self._process.terminate()
        return self._process.wait(10)


def clip_of_a_command(language: str) -> tuple[Path, str]:
    """A recording of somebody who wants something at the start of a match, and what is said in it."""
    book = PhraseBook(locale.load(language), PLAYERS.split(","))
    for phrase in book.phrases(ANSWERED):
        path = AUDIO / language / f"{phrase.replace(' ', '_')}.flac"
        if path.exists():
            return path, phrase
    raise AssertionError(f"no clip of a command in {AUDIO / language}")


def wait_until_silent(server: SoundServer, quiet: float = 1.2, limit: float = 40.0) -> None:
    """Waits until the speaker has been silent for ``quiet`` seconds."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        recorder = server.record("speaker")
        time.sleep(quiet)
        if not recorder.stop().spans():
            return
    raise AssertionError("the announcer never ends")
