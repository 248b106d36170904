"""Pronunciations by the real espeak-ng."""

from __future__ import annotations

import threading
import time

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.phones import NATIVE, PAUSE
from mexvoice.hearing.pronunciation import Espeak, Pronouncer

LANGUAGES = ("en", "fr", "de", "ru")


@pytest.fixture(scope="module")
def pronouncers() -> dict[str, Pronouncer]:
    return {language: Pronouncer(language) for language in LANGUAGES}


@pytest.mark.parametrize(
    ("language", "text", "reading"),
    [
        ("en", "three", "θ ɹ i"),
        ("en", "four", "f ɔ ɹ"),
        ("en", "four", "f ɔ"),
        ("en", "lives for two", "l a ɪ v z f ɚ t u"),
        ("en", "six and one", "s ɪ k s ə n w ʌ n"),
        ("en", "what are you", "w ʌ t ɚ j u"),
        ("fr", "un", "ɛ̃"),
        ("fr", "quatre", "k a t ʁ"),
        ("fr", "quatre", "k a t"),
        ("fr", "je lance", "ʒ l ɑ̃ s"),
        ("de", "vier", "f i ʁ"),
        ("de", "vier", "f i ɐ"),
        ("de", "werfen", "v ɛ ɐ f n"),
        ("de", "fünf und eine zwei", "f ʏ n f ʊ n n ə ts v a ɪ"),
        ("de", "einundvierzig", "a ɪ n ʊ n f i ɐ ts ɪ ç"),
        ("ru", "да", "d a"),
        ("ru", "четыре", "tʃ i t ɨ rʲ i"),
    ],
)
def test_readings(pronouncers: dict[str, Pronouncer], language: str, text: str, reading: str) -> None:
    assert tuple(reading.split()) in pronouncers[language].pronounce(text)


def test_four_has_no_weak_form(pronouncers: dict[str, Pronouncer]) -> None:
    for text in ("a four and a six", "four", "pair of four"):
        for reading in map(" ".join, pronouncers["en"].pronounce(text)):
            assert "f ə" not in reading and "f ɚ" not in reading


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "name", ["Xenia", "Maël", "Ксения", "Łukasz", "Øyvind", "Zoë-Anne", "Jean Paul", "R2D2"]
)
def test_any_name_is_said_in_sounds_of_the_language(
    pronouncers: dict[str, Pronouncer], language: str, name: str
) -> None:
    readings = pronouncers[language].pronounce(name)
    assert readings
    for reading in readings:
        assert set(reading) <= NATIVE[language]
        assert len(reading) >= 3


def test_a_latin_name_in_a_russian_phrase_is_read_in_several_ways(pronouncers: dict[str, Pronouncer]) -> None:
    readings = pronouncers["ru"].pronounce("сколько жизней у Xenia")
    endings = {reading[-6:] for reading in readings}
    assert ("k", "s", "e", "n", "i", "a") in endings
    assert len(endings) > 1


def test_underscores_are_blanks_and_pauses_are_marked_on_request(pronouncers: dict[str, Pronouncer]) -> None:
    speaker = pronouncers["en"]
    assert speaker.pronounce("how_many_lives") == speaker.pronounce("how many lives")
    marked = speaker.pronounce("how many lives", pauses=True)
    assert all(reading.count(PAUSE) == 2 for reading in marked)
    assert PAUSE not in speaker.pronounce("how many lives")[0]


@pytest.mark.parametrize("text", ["", "...", "?!"])
def test_a_text_without_sound_has_no_reading(pronouncers: dict[str, Pronouncer], text: str) -> None:
    assert pronouncers["en"].pronounce(text) == ()


def test_words_come_one_by_one(pronouncers: dict[str, Pronouncer]) -> None:
    assert pronouncers["de"].words("eins zwei drei") == (
        ("a", "ɪ", "n", "s"),
        ("ts", "v", "a", "ɪ"),
        ("d", "ʁ", "a", "ɪ"),
    )


def test_unknown_accents_are_passed_over_and_none_at_all_is_an_error() -> None:
    assert Pronouncer("en", ["en-mars", "en-gb"]).accents == ("en-gb",)
    with pytest.raises(MexvoiceError, match="xx"):
        Pronouncer("xx")


def test_a_language_beyond_the_four_works_by_its_own_voice() -> None:
    assert Pronouncer("it").pronounce("grazie")


def test_a_word_takes_less_than_a_millisecond() -> None:
    words = [f"word {number}" for number in range(500)]
    best = min(_timed(Pronouncer("en"), words) for _ in range(3))
    assert best / len(words) < 0.001 * 2  # two accents


def _timed(speaker: Pronouncer, words: list[str]) -> float:
    start = time.process_time()
    speaker.pronounce_all(words)
    return time.process_time() - start


def test_threads_do_not_disturb_each_other() -> None:
    expected = {language: Pronouncer(language).pronounce("2 4 6 8 10") for language in LANGUAGES}
    wrong: list[str] = []

    def speak(language: str) -> None:
        readings = [Pronouncer(language).pronounce("2 4 6 8 10") for _ in range(30)]
        wrong.extend(language for reading in readings if reading != expected[language])

    threads = [threading.Thread(target=speak, args=(language,)) for language in LANGUAGES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert Espeak.shared() is Espeak.shared()
