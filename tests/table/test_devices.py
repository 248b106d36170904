"""Devices, and the child that speaks, taken away from a running match: it goes on, says so, and recovers."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mexvoice.speaking.player import RETRY_SECONDS
from mexvoice.table.session import REOPEN_SECONDS
from tests.sound_server import SoundServer
from tests.table.game import AUDIO, PROGRAM, Game, wait_until_silent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

CLIP = AUDIO / "en" / "how_many_lives_for_player_two.flac"
ANSWER = "twelve lives"

# The program, with a shorter queue and the microphone of a machine that knows one rate only, and stereo.
STUBBORN = """
import sys
import sounddevice
from mexvoice import cli
from mexvoice.hearing import source
source.QUEUE_SECONDS = 1.0
RawInputStream = sounddevice.RawInputStream
def stubborn(samplerate, channels, **rest):
    if (samplerate, channels) != (44100, 2):
        raise sounddevice.PortAudioError("Invalid sample rate", -9997)
    return RawInputStream(samplerate=samplerate, channels=channels, **rest)
sounddevice.RawInputStream = stubborn
sys.argv[0] = "mexvoice"
cli.main()
"""


LOST, BACK, SILENT = "» There is no microphone.", "» The microphone is back.", "! There is no loudspeaker."


WRITTEN_SECONDS, SPOKEN_SECONDS = 4.0, 15.0
"""A hanging voice costs a second until what it should say is written, and some more until it is replaced."""


def count(game: Game, beginning: str) -> int:
    """How many of its lines begin so."""
    return sum(line.startswith(beginning) for line in game.lines)


@contextlib.contextmanager
def running(devices: Mapping[str, str], *options: str, program: Sequence[str] = PROGRAM) -> Iterator[Game]:
    """A match that has begun and listens."""
    game = Game(devices, "--lang", "en", "--seed", "7", *options, program=program)
    try:
        game.wait_for("»")
        yield game
    finally:
        game.end()


def heard_again(game: Game, server: SoundServer, device: str) -> None:
    """Somebody says a command, again if need be, and it is obeyed."""
    samples, rate = soundfile.read(CLIP, dtype="int16")
    for _ in range(4):
        server.play_to_mic(np.asarray(samples), rate, device=device)
        with contextlib.suppress(AssertionError):
            if ANSWER in game.wait_for("»", 4):
                return
    raise AssertionError(f"it hears nothing: {game.lines}")


def children(pid: int) -> list[int]:
    """The children of a process."""
    lists = Path("/proc", str(pid), "task").glob("*/children")
    return [int(child) for text in lists for child in text.read_text().split()]


def test_a_microphone_that_goes_stalls_and_comes_back(sound_server: SoundServer) -> None:
    """Of a machine with a rate of its own, too, and one that stands still for a while."""
    program = (sys.executable, "-c", STUBBORN)
    with sound_server.second_mic() as devices, running(devices, "--mute", program=program) as game:
        heard_again(game, sound_server, "mic")

        sound_server.take_away("mic")
        assert "brings no sound" in game.wait_for("! “")
        game.wait_for(LOST)
        game.type("throw")
        game.wait_for("« throw (understood)")
        sound_server.give_back("mic")
        game.wait_for(BACK)
        heard_again(game, sound_server, "mic")

        sound_server.stall("mic")
        game.wait_for(LOST)
        time.sleep(REOPEN_SECONDS + 1)  # by now it has been opened again, and still brings nothing
        game.type("throw")
        game.wait_for("« throw (understood)")
        assert (count(game, LOST), count(game, BACK)) == (2, 1), game.lines
        sound_server.stall("mic", False)
        game.wait_for(BACK)

        sound_server.choose_mic("mic2")
        sound_server.take_away("mic")
        game.wait_for(LOST)
        game.wait_for(BACK)

        os.kill(game.pid, signal.SIGSTOP)
        time.sleep(2.5)
        os.kill(game.pid, signal.SIGCONT)
        assert "blocks of sound were not heard" in game.wait_for("! The machine is too slow")
        heard_again(game, sound_server, "mic2")
        assert (count(game, LOST), count(game, BACK)) == (3, 3), game.lines


def test_a_speaker_that_goes_in_the_middle_of_a_sentence_and_a_voice_that_dies_or_hangs(
    sound_server: SoundServer,
) -> None:
    with running(sound_server.env) as game:
        game.type("help")
        game.wait_for("» What you can say")
        time.sleep(0.5)
        sound_server.take_away("speaker")
        game.wait_for(SILENT)
        game.type("throw")
        game.wait_for("» ", 2)
        sound_server.give_back("speaker")
        [child] = children(game.pid)
        os.kill(child, signal.SIGKILL)
        time.sleep(RETRY_SECONDS)
        assert_spoken(game, sound_server, "throw")

        [child] = children(game.pid)
        os.kill(child, signal.SIGSTOP)
        assert_spoken(game, sound_server, "whose turn")
        assert children(game.pid) != [child]
        assert count(game, SILENT) == 1, game.lines


def assert_spoken(game: Game, server: SoundServer, line: str) -> None:
    """A typed line is answered in writing soon, whatever the voice does, and aloud after a while."""
    wait_until_silent(server, 0.8)
    recorder = server.record()
    try:
        game.type(line)
        game.wait_for("« ")
        game.wait_for("» ", WRITTEN_SECONDS)
        limit = time.monotonic() + SPOKEN_SECONDS
        while not recorder.stop().spans():
            assert time.monotonic() < limit, game.lines
            recorder = server.record()
            time.sleep(0.7)
    finally:
        recorder.stop()
