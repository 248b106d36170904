"""The phones all models share, and how espeak-ng's transcriptions become them.

One set of IPA phones serves all languages, so that a phone learnt from the voices of one language is known in
the others. espeak-ng writes each language in its own habits (length marks, diphthongs in one piece, two signs
for one sound); the tables below undo them. They are data: a new language needs one entry in ``NATIVE`` and,
if espeak-ng has habits there, one in ``QUIRKS``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

SILENCE = "SIL"
"""The phone of silence; always the first in a phone file."""

PAUSE = "_"
"""In a pronunciation of several words: a place between words, where a speaker may pause."""

Pronunciation = tuple[str, ...]
"""Phones of a word or phrase, without silence; with :data:`PAUSE` between words where asked for."""

_PALATAL = "ʲ"
_NASAL = "\u0303"
_SYLLABIC = "\u0329"

QUIRKS: Mapping[str, Mapping[str, str]] = {
    # sounds written the same in every language; replacements are phones with blanks between
    "*": {
        "g": "ɡ", "ɫ": "l", "ɭ": "l", "ʎ": "lʲ", "ɲ": "nʲ", "ʍ": "w", "ʉ": "u", "ᵻ": "ɪ", "ɵ": "o", "œ̃": "ɛ̃",
        "ɝ": "ɜ ɹ", "pf": "p f", "tʃʲ": "tʃ", "tɕ": "tʃ", "tsʲ": "ts", "ɥ": "y", "χ": "x", "ɣ": "ɡ", "β": "v",
        "ɬ": "l", "ʔ": "", "ʂ": "ʃ", "ʐ": "ʒ", "dz": "d z", "ɯ": "u", "ɤ": "ʌ", "ɟ": "ɡʲ", "ʋ": "v",
        "c": "kʲ", "ɱ": "m", "ʃʲ": "ʃ", "ʒʲ": "ʒ", "jʲ": "j", "lʲʲ": "lʲ", "eʲ": "e", "ɻ": "ɹ", "ɸ": "f",
        "n̩": "ə n", "l̩": "ə l", "m̩": "ə m", "ɘ": "ə", "ɞ": "ɜ", "ʀ": "ʁ", "ɹ̩": "ɚ", "ä": "a", "ŋʲ": "ŋ",
        "ʔʲ": "", "ɶ": "œ", "dʒʲ": "dʒ",
    },
    "en": {"ʔ": "t", "r": "ɹ", "ɐ": "ə", "eʲ": "ɪ", "ʁ": "ɹ"},
    "fr": {"r": "ʁ", "ɹ": "ʁ", "dʒ": "d ʒ", "tʃ": "t ʃ"},
    "de": {"r": "ʁ", "ɾ": "ʁ", "ɜ": "ɐ", "ɑ": "a", "ɔø": "ɔ ɪ"},
    "ru": {"ʌ": "ɐ", "ɑ": "a", "ɑʲ": "a", "y": "ɨ", "ɔ": "o"},
}  # fmt: skip
"""Per language (``*``: all of them), what a symbol of espeak-ng stands for."""

_VOWELS = {
    "en": "i ɪ e ɛ æ a ɑ ɒ ɔ o ʊ u ʌ ə ɚ ɜ",
    "fr": "i e ɛ a ɔ o u y ø œ ə ɑ̃ ɔ̃ ɛ̃",
    "de": "i ɪ e ɛ a ɔ o ʊ u y ʏ ø œ ə ɐ",
    "ru": "i ɪ e ɛ a ɐ o u ɨ",
}
_CONSONANTS = {
    "en": "p b t d k ɡ f v s z ʃ ʒ θ ð h m n ŋ l ɹ ɾ j w tʃ dʒ",
    "fr": "p b t d k ɡ f v s z ʃ ʒ m n ŋ nʲ l ʁ j w",
    "de": "p b t d k ɡ f v s z ʃ ʒ ç x h m n ŋ l ʁ j ts tʃ dʒ",
    "ru": "p b t d k ɡ f v s z ʃ ʒ x m n l r j ts tʃ ɕ ʑ pʲ bʲ tʲ dʲ kʲ ɡʲ fʲ vʲ sʲ mʲ nʲ lʲ rʲ xʲ",
}
NATIVE: Mapping[str, frozenset[str]] = {
    language: frozenset((_VOWELS[language] + " " + _CONSONANTS[language]).split()) for language in _VOWELS
}
"""Per language, the phones its own words are made of."""

INVENTORY: tuple[str, ...] = (SILENCE, *sorted(frozenset().union(*NATIVE.values())))
"""Every phone, in the order of the network's outputs."""

_NEAREST = {
    "θ": "s t", "ð": "z d", "h": "x ʁ", "x": "h k", "xʲ": "x ç h", "ç": "xʲ ʃ", "ɹ": "ʁ r", "ʁ": "r ɹ",
    "r": "ʁ ɹ", "rʲ": "r ʁ ɹ", "ɾ": "t r d", "w": "v u", "ŋ": "n", "ts": "t", "tʃ": "ʃ", "dʒ": "ʒ",
    "ɕ": "ʃ", "ʑ": "ʒ",
    "æ": "ɛ a e", "ɑ": "a ɐ", "ɒ": "ɔ o", "ʌ": "a ɐ", "ɐ": "ʌ ə a", "ə": "ɐ œ ɪ", "ɚ": "ɐ ə œ", "ɜ": "œ ɛ",
    "ɪ": "i", "i": "ɪ", "ʊ": "u", "y": "u", "ʏ": "y u", "ø": "ɜ œ o", "œ": "ɜ ø ɛ o", "ɨ": "ɪ i", "ɛ": "e",
    "e": "ɛ", "ɔ": "o", "o": "ɔ", "a": "æ ɑ", "ɑ̃": "ɑ a", "ɔ̃": "ɔ o", "ɛ̃": "æ ɛ", "j": "i",
    "ʃ": "s", "ʒ": "ʃ", "nʲ": "n",
}  # fmt: skip
"""For a phone a language lacks, what its speakers say instead, best first."""

_DROPPED = frozenset("ˈˌː:̪\u0308\u030a\u0325\u032c\u0306\u0361\u031e\u031d\u02d1\u200d\u032f-?!'\"^;")
"""Stress, length, ties and fine detail: signs that change no phone."""

_KNOWN = frozenset(INVENTORY)

_REMEMBERED = 4096
"""Words, as the phrases of a game share most of theirs."""


def _symbols(raw: str, table: Mapping[str, str]) -> list[str]:
    """Cut a transcription into symbols: the longest known first, marks kept with their letter."""
    found: list[str] = []
    at = 0
    while at < len(raw):
        for length in (3, 2):
            piece = raw[at : at + length]
            following = raw[at + length : at + length + 1]
            if len(piece) == length and piece in table and following not in (_PALATAL, _NASAL):
                break
        else:
            piece = raw[at]
            while at + len(piece) < len(raw) and raw[at + len(piece)] in (_PALATAL, _NASAL):
                piece += raw[at + len(piece)]
        found.append(piece)
        at += len(piece)
    return found


_AFFRICATES = {"ts": "ts", "dʒ": "dʒ"}
_TABLES = {
    language: {**_AFFRICATES, **QUIRKS["*"], **QUIRKS.get(language, {})} for language in (*NATIVE, "*")
}


@lru_cache(_REMEMBERED)
def normalise(raw: str, language: str) -> Pronunciation:
    """Turn one word as espeak-ng writes it (IPA, ``_`` between phones) into phones of the shared set.

    ``language`` chooses the table of habits. Signs nothing is known about are left out; a phone twice in a
    row counts once, since length is not told apart.
    """
    table = _TABLES.get(language, _TABLES["*"])
    phones: list[str] = []
    for part in unicodedata.normalize("NFD", raw).replace("c\u0327", "ç").split("_"):
        marked = "".join(letter for letter in part if letter not in _DROPPED)
        bare = marked.replace(_SYLLABIC, "")
        symbols = next(([form] for form in (marked, bare) if form in table), _symbols(bare, table))
        for symbol in symbols:
            meant = table.get(symbol, symbol)
            if meant and all(phone not in _KNOWN for phone in meant.split()):
                plain = symbol.replace(_PALATAL, "").replace(_NASAL, "")
                meant = table.get(plain, plain)
            phones.extend(phone for phone in meant.split() if phone in _KNOWN)
    return _without_repeats(phones)


def _without_repeats(phones: Sequence[str]) -> Pronunciation:
    return tuple(phone for at, phone in enumerate(phones) if at == 0 or phones[at - 1] != phone)


@lru_cache(_REMEMBERED)
def nativise(phones: Pronunciation, language: str) -> Pronunciation:
    """Replace each phone that ``language`` lacks by the one its speakers use (in a name from elsewhere)."""
    native = NATIVE.get(language)
    if native is None:
        return tuple(phones)
    said: list[str] = []
    for phone in phones:
        options = [phone, phone.removesuffix(_PALATAL), *_NEAREST.get(phone, "").split()]
        options += [other for option in options[1:] for other in _NEAREST.get(option, "").split()]
        chosen = next((option for option in options if option in native), None)
        if chosen is not None:
            if phone.endswith(_PALATAL) and chosen == phone.removesuffix(_PALATAL) and "j" in native:
                said.append(chosen)  # n followed by j, as a speaker without nʲ says it
                chosen = "j"
            said.append(chosen)
    return _without_repeats(said)


def read_phones(path: Path) -> tuple[str, ...]:
    """Read a phone file: one phone a line, in the order of the network's outputs, silence first.

    Raises ValueError when the file does not begin with silence or names a phone twice.
    """
    phones = tuple(path.read_text(encoding="utf-8").split())
    if not phones or phones[0] != SILENCE or len(set(phones)) != len(phones):
        raise ValueError(f"{path} is not a phone file")
    return phones


def write_phones(path: Path, phones: Sequence[str] = INVENTORY) -> None:
    """Write a phone file that :func:`read_phones` reads."""
    path.write_text("\n".join(phones) + "\n", encoding="utf-8")
