"""What somebody near says is heard among what others say farther away."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mexvoice.hearing.decoder import Word
from mexvoice.hearing.endpoint import Activity, levels
from mexvoice.hearing.foreground import loudest, nearest
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.guards import STRICT, Guards
from mexvoice.hearing.model import Model
from mexvoice.hearing.recogniser import Recogniser
from tests.hearing.clips import RATE, Samples, clips, in_room, room, words
from tests.hearing.conftest import hear

Models = Callable[[str], Model]
Grammars = Callable[[str], Grammar]
LANGUAGES = sorted({clip.language for clip in clips()})


def _tone(seconds: float, decibels: float) -> Samples:
    time = np.arange(round(seconds * RATE)) / RATE
    return np.asarray(10000 * 10 ** (decibels / 20) * np.sin(2 * np.pi * 700 * time), np.int16)


def _row(*pieces: tuple[float, float]) -> tuple[Samples, list[Word]]:
    """Tones of so many seconds and dB in a row, as if each were a word."""
    ends = np.cumsum([seconds for seconds, _ in pieces])
    found = [
        Word(str(at), float(end) - seconds, float(end))
        for at, (end, (seconds, _)) in enumerate(zip(ends, pieces, strict=True))
    ]
    return np.concatenate([_tone(*piece) for piece in pieces]), found


def _seconds(stretch: slice | None) -> tuple[float, float] | None:
    return None if stretch is None else (stretch.start / RATE, stretch.stop / RATE)


@pytest.mark.parametrize(
    ("pieces", "stretch"),
    [
        (((1.0, -12.0), (1.0, 0.0), (1.0, -12.0)), (0.8, 2.2)),
        (((1.0, -12.0), (1.0, 0.0), (1.0, -3.0)), (0.8, 3.2)),
        (((1.0, -4.0), (1.0, 0.0), (1.0, -4.0)), None),  # all of them near
        (((1.0, 0.0), (1.0, -12.0), (1.0, 0.0)), None),  # said by one who mumbles between
        (((1.0, 0.0),), None),
        ((), None),
    ],
)
def test_loud_words_are_those_of_somebody_near(
    pieces: tuple[tuple[float, float], ...], stretch: tuple[float, float] | None
) -> None:
    sound, found = _row(*pieces) if pieces else (room(1.0), [])
    assert _seconds(nearest(levels(sound), found, 8.0)) == pytest.approx(stretch, abs=0.02)


def test_the_loudest_stretch_goes_from_the_first_loud_frame_to_the_last() -> None:
    sound, _ = _row((1.0, -12.0), (0.3, 0.0), (0.5, -12.0), (0.3, 0.0), (1.0, -12.0))
    assert _seconds(loudest(levels(sound), 8.0)) == pytest.approx((0.8, 2.3), abs=0.04)
    assert loudest(levels(sound), 20.0) is None, "nothing is so much quieter"
    assert loudest(levels(np.zeros(100, np.int16)), 8.0) is None


def test_an_utterance_begins_where_it_stands_out() -> None:
    """Not where the talk behind it woke the ears."""
    activity = Activity()
    activity.feed(np.concatenate([room(2.0), _tone(1.2, -30.0)]))
    assert activity.speaking
    assert activity.onset == pytest.approx(2.0, abs=0.1)
    activity.feed(_tone(0.5, 0.0))
    assert activity.onset == pytest.approx(3.0, abs=0.1)
    assert activity.loud_seconds == pytest.approx(0.5, abs=0.1)


def test_an_utterance_that_grows_louder_keeps_its_beginning() -> None:
    activity = Activity()
    activity.feed(np.concatenate([room(2.0), _tone(0.5, -12.0), _tone(0.5, 0.0)]))
    assert activity.onset == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_near_is_heard_amid_talk_far_away(language: str, model: Models, grammar: Grammars) -> None:
    """Without a pause before or after; the talk is of the same kind, 24 dB below."""
    said = words(language)[:8]
    right = 0
    for place, clip in enumerate(said):
        talk = np.concatenate([other.samples() for other in said[place + 1 :] + said[:place]])
        far = (talk[: round(1.2 * RATE)] * 10 ** (-24 / 20)).astype(np.int16)
        sound = in_room(np.concatenate([far, clip.samples(), far]), 0.6, 1.0)
        heard = hear(Recogniser(model(language), grammar(language)), sound)
        texts = [utterance.text for utterance in heard if utterance.text]
        right += texts == [clip.text]
    assert right >= len(said) - 2


def test_a_command_within_talk_as_loud_does_not_count(model: Models, grammar: Grammars) -> None:
    said = words("en")[:6]
    for place, clip in enumerate(said):
        other = said[place - 1]
        sound = in_room(np.concatenate([other.samples(), clip.samples(), other.samples()]), 0.6, 1.0)
        assert not [u.text for u in hear(Recogniser(model("en"), grammar("en")), sound) if u.text]


def _burst(samples: Samples, seconds: float) -> Samples:
    """The loudest piece of a sound: too short for a word."""
    middle = int(np.argmax(np.abs(samples.astype(int))))
    start = max(0, middle - round(seconds * RATE / 2))
    return samples[start : start + round(seconds * RATE)]


def _ringing(hertz: float, seconds: float) -> Samples:
    """A tone that dies away."""
    time = np.arange(round(seconds * RATE)) / RATE
    return np.asarray(9000 * np.sin(2 * np.pi * hertz * time) * np.exp(-12 * time), np.int16)


KNOCKS = {
    "a piece of a vowel": _burst(words("en")[0].samples(), 0.12),
    "a ringing cup": _ringing(1500.0, 0.6),
}


@pytest.mark.parametrize("name", KNOCKS)
def test_after_a_knock_no_more_certainty_is_asked_than_in_quiet(
    name: str, model: Models, grammar: Grammars
) -> None:
    """As would be after talk; here so much that nothing would count."""
    command = words("en")[2]
    guards = replace(STRICT, certainty_in_talk=99.0)

    def heard(before: Samples) -> list[str]:
        sound = in_room(np.concatenate([before, room(1.0), command.samples()]), 0.6, 1.0)
        return [u.text for u in hear(Recogniser(model("en"), grammar("en"), guards=guards), sound) if u.text]

    assert heard(KNOCKS[name]) == [command.text]
    talk = np.concatenate([clip.samples() for clip in words("en")[3:5]])
    assert heard(talk) == []


def test_a_knock_is_no_word(model: Models, grammar: Grammars) -> None:
    """Unless it is more certain than most."""
    clip = words("en")[0]
    sound = in_room(_burst(clip.samples(), 0.12), 0.6, 1.0)

    def heard(knock: float) -> tuple[str, str]:
        guards = replace(STRICT, certainty=-np.inf, shortest=0.0, knock=knock)
        (utterance,) = hear(Recogniser(model("en"), grammar("en"), guards=guards), sound)
        return utterance.text, utterance.reason

    assert heard(0.0) == (clip.text, "")
    assert heard(STRICT.knock) == ("", "length")


def test_what_is_heard_only_without_the_rest_must_be_surer(model: Models, grammar: Grammars) -> None:
    """Talk half as loud behind and before: some commands come out only when it is left out."""
    said = words("ru")[:8]

    def right(guards: Guards) -> int:
        count = 0
        for place, clip in enumerate(said):
            other = said[place - 1].samples()
            far = (other[: round(0.7 * RATE)] * 10 ** (-14 / 20)).astype(np.int16)
            sound = in_room(np.concatenate([far, clip.samples(), far]), 0.6, 1.0)
            heard = hear(Recogniser(model("ru"), grammar("ru"), guards=guards), sound)
            count += [utterance.text for utterance in heard if utterance.text] == [clip.text]
        return count

    assert right(STRICT) > right(replace(STRICT, over_rest=99.0)) == right(replace(STRICT, farther=np.inf))
