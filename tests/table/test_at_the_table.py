"""``mexvoice play`` as people use it: a real process, a virtual microphone, a virtual speaker, their echo."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
import soundfile

from tests.sound_server import SoundServer
from tests.table.game import Game, clip_of_a_command, wait_until_silent


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
    game = Game(speaking.env, "--lang", language, "--seed", "7")
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


@pytest.mark.slow
def test_typed_lines_work_beside_the_microphone(sound_server: SoundServer) -> None:
    game = Game(sound_server.env, "--lang", "en", "--seed", "7", "--mute")
    try:
        game.wait_for("»")
        game.type("throw")
        assert "throw" in game.wait_for("«")
        game.wait_for("»")
        game.type("quit")
        game.wait_for("»")
        game.type("yes")
        assert game.wait(10) == 0
    finally:
        game.end()
