"""What somebody near says is heard among what others say farther away."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mexvoice.hearing.decoder import Word
from mexvoice.hearing.endpoint import Activity
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
    assert _seconds(nearest(sound, found, 8.0)) == pytest.approx(stretch, abs=0.02)


def test_the_loudest_stretch_goes_from_the_first_loud_frame_to_the_last() -> None:
    sound, _ = _row((1.0, -12.0), (0.3, 0.0), (0.5, -12.0), (0.3, 0.0), (1.0, -12.0))
    assert _seconds(loudest(sound, 8.0)) == pytest.approx((0.8, 2.3), abs=0.04)
    assert loudest(sound, 20.0) is None, "nothing is so much quieter"
    assert loudest(np.zeros(100, np.int16), 8.0) is None


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


def _knock() -> Samples:
    """A cup put down: 60 ms."""
    sound = np.random.default_rng(3).normal(0, 8000, round(0.06 * RATE))
    return np.asarray(sound * np.exp(-np.arange(len(sound)) / 300), np.int16)


def test_a_knock_is_neither_a_word_nor_talk(model: Models, grammar: Grammars) -> None:
    """After talk a phrase has to be surer than after a knock."""
    clip = words("en")[0]
    sound = in_room(np.concatenate([_knock(), room(1.0), clip.samples()]), 0.6, 1.0)
    recogniser = Recogniser(model("en"), grammar("en"))
    assert [u.text for u in hear(recogniser, sound) if u.text] == [clip.text]
    assert recogniser._talk_until < 0
    short = (clip.samples()[: round(0.1 * RATE)]).astype(np.int16)
    heard = hear(Recogniser(model("en"), grammar("en")), in_room(short, 0.6, 1.0))
    assert all(not utterance.text for utterance in heard)
    assert STRICT.knock > 0.1


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
