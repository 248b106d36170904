"""Speaking while the assistant speaks, with headphones: "stop" silences it, and commands are obeyed."""

import pytest

from mexvoice.rules import Stop
from mexvoice.showing.display import Ear
from mexvoice.speaking.announcer import TAIL_SECONDS
from mexvoice.table.attention import Listening
from mexvoice.table.interruption import Interruption
from tests.table.room import Room, Speaker, Voices

LONG = 20.0
"""Seconds an announcement takes that somebody wants to end."""


def listening(interruption: Interruption, mode: Listening = Listening.OPEN) -> Room:
    """A table that hears one long announcement, said at half a second, after one throw."""
    speaker = Speaker()
    room = Room(mode, voice=speaker, interruption=interruption)
    room.at(0.1, lambda: room.session.type("throw"))
    room.at(0.5, lambda: speaker.sound(LONG))
    return room


@pytest.mark.parametrize(("phrase", "cut"), [("stop", True), ("skip that", True), ("good luck", False)])
def test_stop_and_skip_silence_it_and_do_nothing_else(voices: Voices, phrase: str, cut: bool) -> None:
    say = voices("en")
    for interruption in (Interruption.HEADPHONES, Interruption.CANCELLER):
        room = listening(interruption)
        end = room.say(2.0, say(phrase))
        room.run()
        assert bool(room.cuts) is cut
        if cut:
            assert end < room.cuts[0] < end + 1.0
        # The turn goes on: nobody has stopped.
        assert Stop() not in room.assistant.match.history
        assert room.assistant.obeyed == 1


def test_without_either_it_is_deaf_while_it_speaks(voices: Voices) -> None:
    room = listening(Interruption.NONE)
    room.say(2.0, voices("en")("stop"))
    room.run()
    assert not room.cuts and room.assistant.obeyed == 1 and len(room.heard()) == 1


def test_stop_stops_the_turn_again_when_it_is_quiet(voices: Voices) -> None:
    say = voices("en")
    for interruption in (Interruption.HEADPHONES, Interruption.CANCELLER):
        room = listening(interruption)
        room.say(0.5 + LONG + TAIL_SECONDS + 0.5, say("stop"))
        room.run()
        assert Stop() in room.assistant.match.history


def test_a_command_over_headphones_is_obeyed_and_cuts_what_is_being_said(voices: Voices) -> None:
    room = listening(Interruption.HEADPHONES)
    room.say(2.0, voices("en")("throw again"))
    room.run()
    assert len(room.cuts) == 1
    assert room.assistant.obeyed == 2
    assert Ear.SPEAKING not in [ear for at, ear in room.display.ears if at < 2.0]


def test_no_command_gets_through_an_echo_canceller(voices: Voices) -> None:
    say = voices("en")
    room = listening(Interruption.CANCELLER)
    end = room.say(2.0, say("throw again"))
    # Nor one that is still being said when the announcement ends: its beginning may have been its echo.
    room.say(max(end + 1.0, 0.5 + LONG - 0.3), say("throw again"))
    room.run()
    assert not room.cuts
    assert room.assistant.obeyed == 1
    assert Ear.SPEAKING in [ear for _, ear in room.display.ears]


def test_a_call_word_is_needed_to_silence_it_where_one_is_needed(voices: Voices) -> None:
    say = voices("en")
    for interruption in (Interruption.HEADPHONES, Interruption.CANCELLER):
        room = listening(interruption, Listening.CALL)
        end = room.say(2.0, say("stop"))
        called = room.say(end + 2.0, say("Mex, stop"))
        room.run()
        assert len(room.cuts) == 1 and room.cuts[0] > called
        assert Stop() not in room.assistant.match.history
