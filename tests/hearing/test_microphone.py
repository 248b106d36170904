"""A real microphone: PortAudio on a virtual device, into which clips are played."""

import time
from collections.abc import Callable

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.model import Model
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.source import Microphone, MicrophoneLost
from mexvoice.hearing.utterance import Utterance
from tests.hearing.clips import in_room, words
from tests.sound_server import SoundServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def started(microphone: Microphone) -> None:
    """Wait for the first block: a virtual device takes up to two seconds."""
    next(iter(microphone))


def test_a_command_spoken_into_a_microphone_is_heard(
    sound_server: SoundServer, model: Callable[[str], Model], grammar: Callable[[str], Grammar]
) -> None:
    clip = words("en")[0]
    recogniser = Recogniser(model("en"), grammar("en"))
    heard: list[Utterance] = []
    with sound_server.in_process():
        microphone = Microphone()
        started(microphone)
        process = sound_server.play_to_mic(in_room(clip.samples(), 0.6, 1.0), wait=False)
        limit = time.monotonic() + 30
        for block in microphone:
            heard += recogniser.accept(block.pcm)
            if heard or time.monotonic() > limit:
                break
        process.wait(10)
        dropped = microphone.dropped
        microphone.close()
    assert [utterance.text for utterance in heard] == [clip.text]
    assert dropped == 0


@pytest.mark.parametrize("how", ["unplugged", "stalled"])
def test_a_microphone_that_goes_away_is_noticed(how: str, sound_server: SoundServer) -> None:
    with sound_server.in_process():
        microphone = Microphone()
        started(microphone)
        if how == "unplugged":
            sound_server.take_away("mic")
        else:
            sound_server.stall("mic")
        began = time.monotonic()
        with pytest.raises(MicrophoneLost):
            for _ in microphone.blocks(0.2):
                assert time.monotonic() - began < 20
        microphone.close()
        microphone.close()


def test_a_microphone_of_an_unknown_name_gets_a_sentence(sound_server: SoundServer) -> None:
    with sound_server.in_process(), pytest.raises(MexvoiceError, match="no microphone 'Nemo'"):
        Microphone("Nemo")
