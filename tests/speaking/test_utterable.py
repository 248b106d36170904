"""What of a text is given to a speech engine."""

import random
import unicodedata

import pytest

from mexvoice.speaking.utterable import LONGEST_PIECE, LONGEST_TEXT, pieces, utterable

CASES = [
    ("Anna : soixante-trois.", "Anna : soixante-trois."),
    ("Анна, брось ещё раз!", "Анна, брось ещё раз!"),
    ("  two\n\tlines\r\n", "two lines"),
    ("", ""),
    (" \n ", ""),
    ("...", ""),
    ("\x00\x07\x1b", ""),
    ("🎲🎲", ""),
    ("Anna 🎲 wins", "Anna wins"),
    ("👩‍👩‍👧 Ben", "Ben"),
    ("1️⃣ Cleo", "1 Cleo"),
    ("<speak><break time='9s'/>hi</speak>", "speak break time='9s'/ hi /speak"),
    ("[[slnc 9000]] hi", "slnc 9000 hi"),
    ("\u202eevil\u202c \u200bname", "evil name"),
    ("Anna\ud800", "Anna"),
    ("e\u0301te\u0301", "été"),
    ("\ue000\U000f0000private", "private"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_only_what_can_be_said_is_left(text: str, expected: str) -> None:
    """Markup, control characters and emoji are gone, words are whole."""
    assert utterable(text) == expected


def test_a_very_long_text_is_cut_at_a_word() -> None:
    """No announcement speaks for minutes."""
    cut = utterable("mot " * 2500)
    assert LONGEST_TEXT - 10 < len(cut) <= LONGEST_TEXT
    assert set(cut.split()) == {"mot"}
    assert len(utterable("a" * 10_000)) == LONGEST_TEXT


def test_pieces_end_where_a_speaker_would_pause() -> None:
    """At sentences first, then at commas, then at words."""
    sentence = "Anna has thrown sixty-three and keeps it. "
    assert all(piece.endswith(".") for piece in pieces(utterable(sentence * 20)))
    clause = "Anna has thrown sixty-three, "
    assert all(piece.endswith(",") for piece in pieces(utterable(clause * 30)))
    assert all(piece.endswith("word") for piece in pieces(utterable("word " * 150)))


@pytest.mark.parametrize("seed", range(20))
def test_pieces_lose_nothing(seed: int) -> None:
    """Put together again, any text's pieces are the text, and none is too long or without a word."""
    chance = random.Random(seed)
    letters = "abc déЖ1, . ; ! 🎲<\x1b"
    text = utterable("".join(chance.choice(letters) for _ in range(chance.randrange(3000))))
    found = pieces(text)
    assert all(0 < len(piece) <= LONGEST_PIECE for piece in found)
    assert all(any(character.isalnum() for character in piece) for piece in found)
    wanted = [character for character in text if character.isalnum()]
    assert [character for character in "".join(found) if character.isalnum()] == wanted


def test_no_character_at_all_gets_through_that_steers_an_engine() -> None:
    """Every character of Unicode: nothing of the categories C is left, and no brackets."""
    kept: set[str] = set()
    step = LONGEST_TEXT - 2
    for start in range(0, 0x110000, step):
        kept |= set(utterable("a" + "".join(map(chr, range(start, min(start + step, 0x110000))))))
    assert len(kept) > 100_000
    assert {character for character in kept if unicodedata.category(character)[0] == "C"} == set()
    assert not kept & set("<>[]{}")
