"""A call word must come first: in one breath or after a pause, but not before the answer to a question."""

import pytest

from mexvoice.rules import Counting, Dice
from mexvoice.showing.display import Ear
from mexvoice.table.assistant import DiceMode
from mexvoice.table.attention import ANSWER_SECONDS, CALL_SECONDS, CallWord, Listening
from tests.table.room import Room, Voices


@pytest.mark.parametrize(
    ("language", "throw"), [("en", "throw"), ("fr", "je lance"), ("de", "würfeln"), ("ru", "бросаю")]
)
def test_only_what_a_call_word_comes_before_is_obeyed(voices: Voices, language: str, throw: str) -> None:
    say = voices(language)
    room = Room(Listening.CALL, language)
    call = room.assistant.locale.call[0]
    room.say(1.0, say(throw))
    room.at(3.0, lambda: obeyed.append(room.assistant.obeyed))
    room.say(3.0, say(f"{call}, {throw}"))
    obeyed: list[int] = []
    room.run()
    assert not room.missing
    assert obeyed == [0]
    assert room.assistant.obeyed == 1
    assert len(room.assistant.match.history) == 1


def test_the_phrase_may_come_after_a_pause_but_not_too_late(voices: Voices) -> None:
    say = voices("en")
    room = Room(Listening.CALL)
    called = room.say(1.0, say("Game master"))
    end = room.say(called + CALL_SECONDS - 1.0, say("throw"))
    room.at(end + 1.0, lambda: obeyed.append(room.assistant.obeyed))
    again = room.say(end + 1.5, say("throw"))
    room.at(again + 1.0, lambda: obeyed.append(room.assistant.obeyed))
    called = room.say(again + 2.0, say("Game master"))
    room.say(called + CALL_SECONDS + 2.0, say("throw"))
    obeyed: list[int] = []
    room.run()
    # One call is for one phrase.
    assert obeyed == [1, 1]
    assert room.assistant.obeyed == 1
    assert [ear for _, ear in room.display.ears] == [Ear.CALL, Ear.LISTENING] * 2 + [Ear.CALL]


def choosing(room: Room) -> None:
    """Make it a tie, so that somebody has to choose how to count."""
    match = room.assistant.match
    for _ in range(len(match.players)):
        room.assistant.cup.put_back(Dice(5, 3))
    session = room.session
    for _ in range(len(match.players)):
        session.type("mex, throw")
        session.type("stop")


def test_mex_answers_the_question_how_to_count_without_a_call(voices: Voices) -> None:
    room = Room(Listening.CALL)
    room.at(0.5, lambda: choosing(room))
    room.say(2.0, voices("en")("mex"))
    room.run()
    assert room.heard()[-1] == "mex (understood)"
    assert room.assistant.match.counting is Counting.MEX


def test_mex_calls_when_the_question_was_long_ago(voices: Voices) -> None:
    say = voices("en")
    room = Room(Listening.CALL)
    room.at(0.5, lambda: choosing(room))
    late = 1.0 + ANSWER_SECONDS + 1.0
    end = room.say(late, say("mex"))
    room.at(end + 1.0, lambda: counted.append(room.assistant.match.history[-1]))
    room.say(end + 1.5, say("mex counting"))
    counted: list[object] = []
    room.run()
    assert "Count" not in str(counted[0])
    assert room.heard()[-1] == "mex counting (understood)"


def test_yes_and_no_need_no_call(voices: Voices) -> None:
    say = voices("en")
    room = Room(Listening.CALL)
    end = room.say(1.0, say("Mex, new game"))
    room.say(end + 1.5, say("no thanks"))
    room.run()
    assert room.heard() == ["new game (understood)", "no thanks (understood)"]


def test_pause_and_resume_are_called_for(voices: Voices) -> None:
    say = voices("en")
    room = Room(Listening.CALL)
    end = room.say(1.0, say("Mex, take a break"))
    room.at(end + 1.0, lambda: paused.append(room.assistant.paused))
    end = room.say(end + 1.5, say("carry on"))
    room.at(end + 1.0, lambda: paused.append(room.assistant.paused))
    end = room.say(end + 1.5, say("Mex, carry on"))
    room.at(end + 1.0, lambda: paused.append(room.assistant.paused))
    paused: list[bool] = []
    room.run()
    assert paused == [True, True, False]


def test_dice_that_were_asked_for_need_no_call(voices: Voices) -> None:
    say = voices("en")
    room = Room(Listening.CALL, dice=DiceMode.SPOKEN)
    end = room.say(1.0, say("six three"))
    end = room.say(end + 1.5, say("Mex, throw"))
    room.say(end + 1.5, say("six three"))
    room.run()
    assert [heard.split(" (")[1] for heard in room.heard()] == ["ignored)", "understood)", "understood)"]
    assert room.assistant.match.throws["Anna"] == (Dice(6, 3),)


def test_a_phrase_that_is_not_open_is_answered_only_when_called(voices: Voices) -> None:
    say = voices("en")
    room = Room(Listening.CALL)
    end = room.say(1.0, say("I keep it"))
    room.say(end + 1.5, say("Mex, I keep it"))
    room.run()
    assert room.heard() == ["i keep it (ignored)", "i keep it (not now)"]


def test_who_is_asked_to_say_it_again_need_not_call_again() -> None:
    attention = CallWord()
    assert attention.admits(1.0, called=True, answer=False)
    assert not attention.admits(2.0, called=False, answer=False)
    attention.puzzled(3.0)
    attention.rest(5.0)
    assert attention.admits(5.0 + ANSWER_SECONDS - 0.1, called=False, answer=False)
    assert not attention.admits(5.0 + ANSWER_SECONDS, called=False, answer=False)


def test_a_typed_line_may_begin_with_the_call_word_and_need_not() -> None:
    room = Room(Listening.CALL)
    room.at(0.5, lambda: room.session.type("Hey Mex, throw"))
    room.at(0.6, lambda: room.session.type("throw"))
    room.run()
    assert room.heard() == ["Hey Mex, throw (understood)", "throw (understood)"]
