"""``mexvoice play`` as people use it: a real process, a virtual microphone, a virtual speaker, their echo."""

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mexvoice.language import locale
from mexvoice.language.command import CommandId
from mexvoice.language.phrasebook import PhraseBook
from tests.sound_server import SoundServer

AUDIO = Path(__file__).parents[1] / "audio"
PLAYERS = "Anna,Ben,Cleo"


class Game:
    """A running ``mexvoice play`` whose lines can be waited for."""

    def __init__(self, server: SoundServer, *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mexvoice", "play", "--players", PLAYERS, "--plain", "--unkept", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=server.env | {"PYTHONIOENCODING": "utf-8"},
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

    def wait_for(self, beginning: str, seconds: float = 20.0) -> str:
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

    def end(self) -> int:
        """Ends it and gives its exit status."""
        if self._process.poll() is None:
            self._process.terminate()
        return self._process.wait(10)


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


def clip_of_a_command(language: str) -> tuple[Path, str]:
    """A recording of somebody who wants something at the start of a match, and what is said in it."""
    book = PhraseBook(locale.load(language), PLAYERS.split(","))
    for phrase in book.phrases(ANSWERED):
        path = AUDIO / language / f"{phrase.replace(' ', '_')}.flac"
        if path.exists():
            return path, phrase
    raise AssertionError(f"no clip of a command in {AUDIO / language}")


@pytest.fixture
def speaking(sound_server: SoundServer) -> Iterator[SoundServer]:
    """Devices whose microphone hears the speaker, as on every laptop."""
    sound_server.loopback(True)
    yield sound_server
    sound_server.loopback(False)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "fr", "de", "ru"])
def test_a_spoken_command_is_heard_and_answered_aloud_and_the_answer_is_not_obeyed(
    speaking: SoundServer, language: str
) -> None:
    clip, phrase = clip_of_a_command(language)
    samples, rate = soundfile.read(clip, dtype="int16")
    recorder = speaking.record("speaker")
    game = Game(speaking, "--lang", language, "--seed", "7")
    try:
        game.wait_for("»")
        wait_until_silent(speaking)
        asked = time.monotonic()
        speaking.play_to_mic(np.asarray(samples), rate)
        assert phrase in game.wait_for("«").casefold()
        game.wait_for("»")
        wait_until_silent(speaking)
        time.sleep(2.0)
        heard = game.heard()
        recording = recorder.stop()
    finally:
        recorder.stop()
        game.end()
    assert len(heard) == 1, heard
    # The clip itself never reaches the speaker: what sounds there after it was asked is the answer.
    answers = [span for span in recording.spans() if span[0] > asked]
    assert answers
    assert sum(end - start for start, end in answers) > 0.5


def wait_until_silent(server: SoundServer, quiet: float = 1.2, limit: float = 40.0) -> None:
    """Waits until the speaker has been silent for ``quiet`` seconds."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        recorder = server.record("speaker")
        time.sleep(quiet)
        if not recorder.stop().spans():
            return
    raise AssertionError("the announcer never ends")


@pytest.mark.slow
def test_typed_lines_work_beside_the_microphone(sound_server: SoundServer) -> None:
    game = Game(sound_server, "--lang", "en", "--seed", "7", "--mute")
    try:
        game.wait_for("»")
        game.type("throw")
        assert "throw" in game.wait_for("«")
        game.wait_for("»")
        game.type("quit")
        game.wait_for("»")
        game.type("yes")
        assert game._process.wait(10) == 0
    finally:
        game.end()
