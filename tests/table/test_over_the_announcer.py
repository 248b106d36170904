"""``mexvoice play`` interrupted by voice, on virtual devices."""

import numpy as np
import pytest
import soundfile

from mexvoice.language import locale
from mexvoice.language.command import CommandId
from mexvoice.language.phrase import written
from tests.sound_server import SoundServer
from tests.table.game import Game, clip_of_a_command, wait_until_silent
from tests.table.room import Voices

pytestmark = pytest.mark.slow


def test_skip_cuts_an_answer_heard_in_headphones(sound_server: SoundServer, voices: Voices) -> None:
    skip = voices("en")("skip that")
    game = Game(sound_server.env, "--lang", "en", "--seed", "7", "--headphones")
    recorder = sound_server.record("speaker")
    try:
        game.wait_for("»")
        game.type("help")  # which cuts what was being said
        assert "help" in game.wait_for("«")
        game.wait_for("»")
        sound_server.play_to_mic(skip)
        assert "skip that (understood)" in game.wait_for("«")
        wait_until_silent(sound_server)
        answer = recorder.stop().spans(gap=1.0)[-1]
    finally:
        recorder.stop()
        game.end()
    # The whole of it takes seven seconds.
    assert answer[1] - answer[0] < 5.0


def test_a_canceller_lets_no_announcement_be_obeyed_and_commands_after_it(sound_server: SoundServer) -> None:
    pytest.importorskip("pywebrtc_audio")
    clip, phrase = clip_of_a_command("en")
    samples, rate = soundfile.read(clip, dtype="int16")
    sound_server.loopback(True)
    game = Game(sound_server.env, "--lang", "en", "--seed", "7", "--echo-cancel")
    try:
        game.wait_for("»")
        game.type("help")  # the answer is made of commands
        game.wait_for("»")
        wait_until_silent(sound_server)
        # What is left of the echo may ask for silence, as the answer itself names "skip", but never for more.
        english = locale.load("en")
        silence = {written(text) for text in (*english.phrases[CommandId.SKIP], *english.hush)}
        for line in game.heard()[1:]:
            text, _, verdict = line.removeprefix("« ").partition(" (")
            assert text in silence or verdict != "understood)"
        for _ in range(3):  # the canceller may weaken a voice, whose owner then says it again
            sound_server.play_to_mic(np.asarray(samples), rate)
            wait_until_silent(sound_server)
            if any(line.casefold().startswith("« " + phrase) for line in game.heard()):
                break
        assert any(line.casefold().startswith("« " + phrase) for line in game.heard())
    finally:
        game.end()
