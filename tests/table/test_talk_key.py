"""Push-to-talk: what is said outside the key is not heard, whatever it is."""

import pytest

from mexvoice.showing.display import Ear
from mexvoice.table.attention import OPEN_SECONDS, REPEAT_SECONDS, Listening, PushToTalk
from tests.table.room import Room, clip

THROW = clip("en", "throw")


def key_room() -> Room:
    return Room(Listening.KEY)


def test_only_what_is_said_after_the_key_counts() -> None:
    room = key_room()
    room.say(1.0, THROW)
    room.press(3.0)
    end = room.say(3.3, THROW)
    room.say(end + 2.0, THROW)
    room.run()
    assert room.heard() == ["throw (understood)"]
    assert room.assistant.obeyed == 1


def test_an_open_table_hears_all_three() -> None:
    room = Room(Listening.OPEN)
    for at in (1.0, 3.3, 6.0):
        room.say(at, THROW)
    room.run()
    assert room.assistant.obeyed == 3


def test_the_ears_close_after_an_utterance_and_the_display_says_so() -> None:
    room = key_room()
    room.press(1.0)
    end = room.say(1.5, THROW)
    lines = room.run()
    assert [ear for _, ear in room.display.ears] == [Ear.KEY, Ear.LISTENING, Ear.KEY]
    (_, _), (opened, _), (closed, _) = room.display.ears
    assert 1.0 <= opened <= 1.1 and end <= closed <= end + 1.0
    assert [line for line in lines if line.startswith("~")] == [
        "~ Press Enter, then speak",
        "~ Listening",
        "~ Press Enter, then speak",
    ]


def test_a_second_press_closes_and_ends_what_is_being_said() -> None:
    room = key_room()
    room.press(1.0)
    end = room.say(2.0, THROW)
    room.press(end + 0.05)
    room.say(end + 1.0, THROW)
    room.run()
    assert room.heard() == ["throw (understood)"]
    assert room.display.ears[-1][0] <= end + 0.6


def test_a_press_that_nobody_speaks_after_lasts_eight_seconds() -> None:
    room = key_room()
    room.press(1.0)
    room.say(1.0 + OPEN_SECONDS + 1.0, THROW)
    room.run()
    assert room.heard() == []
    closed, ear = room.display.ears[-1]
    assert ear is Ear.KEY and closed == pytest.approx(1.0 + OPEN_SECONDS, abs=0.11)


def test_who_speaks_when_the_time_is_over_is_heard_to_the_end() -> None:
    room = key_room()
    room.press(1.0)
    room.say(1.0 + OPEN_SECONDS - 0.25, THROW)
    room.run()
    assert room.heard() == ["throw (understood)"]


def test_a_key_that_is_held_hears_all_that_is_said_and_a_little_more() -> None:
    room = key_room()
    end = room.say(1.5, THROW)
    second = room.say(end + 1.0, THROW)
    held = [1.0 + 0.5 * number for number in range(int((second - 1.0) / 0.5) + 1)]
    room.press(*held)
    room.say(held[-1] + REPEAT_SECONDS + 1.0, THROW)
    room.run()
    assert room.heard() == ["throw (understood)"] * 2
    closed, ear = room.display.ears[-1]
    assert ear is Ear.KEY and -0.1 <= closed - (held[-1] + REPEAT_SECONDS) < 1.0


def test_a_held_key_cuts_the_announcer_once() -> None:
    key = PushToTalk()
    assert [key.press(1.0 + 0.03 * number) for number in range(20)] == [True] + [False] * 19
    assert key.press(1.0 + 0.03 * 19 + REPEAT_SECONDS)


def test_pause_and_resume_need_the_key() -> None:
    room = Room(Listening.KEY, "de")
    pause = clip("de", "pause")
    room.say(1.0, pause)
    room.at(3.0, lambda: heard_paused.append(room.assistant.paused))
    room.press(3.0)
    end = room.say(3.3, pause)
    room.at(end + 1.0, lambda: heard_paused.append(room.assistant.paused))
    heard_paused: list[bool] = []
    room.run()
    assert heard_paused == [False, True]
