"""What the voices are given to say: general speech, and commands and numbers for about a third."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from num2words import num2words

from mexvoice.language.locale import Locale, load
from mexvoice.language.phrase import written
from mexvoice.language.phrasebook import PhraseBook

LANGUAGES = ("en", "fr", "de", "ru")
"""The languages models are made for."""

PLAYERS = 4
"""Players at the table of the tests and of the shipped graphs."""
_MOST_PLAYERS = 8

_ALPHABETS = {
    "en": "[a-z']+",
    "fr": "[a-zàâçéèêëîïôûùüœ'-]+",
    "de": "[a-zäöüß]+",
    "ru": "[а-яё-]+",
}
_WHOLE = 2 / 3
_TOP_WORDS = 25_000
_COMMON_WORDS = 1_500


@dataclass(frozen=True)
class Text:
    """Something to say."""

    words: str
    """The words, as a voice gets them."""
    kind: str
    """``command`` (a whole phrase or word a player says to the machine) or ``speech``."""


def short_words(language: str) -> list[str]:
    """The short words of ``words.yaml``."""
    return [str(word) for word in _lists()[language]["words"]]


def tested_words(language: str) -> list[str]:
    """The words of the single-word test: the numbers 0 to 12, and ``tested`` of ``words.yaml``."""
    return [
        *number_words(language, range(13)),
        *(written(str(word)) for word in _lists()[language]["tested"]),
    ]


def names(language: str) -> list[str]:
    """The first names of ``words.yaml``."""
    return [str(name) for name in _lists()[language]["names"]]


@cache
def _lists() -> dict[str, Any]:
    path = Path(__file__).with_name("words.yaml")
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 takes yes, no, on and off for truth values
    for lists in loaded.values():
        for key in ("tested", "words", "names"):
            lists[key] = [
                {True: "yes", False: "no"}.get(item, item) if isinstance(item, bool) else item
                for item in lists[key]
            ]
    return loaded


def number_words(language: str, numbers: Sequence[int]) -> list[str]:
    """Numbers as words of a language, as a recogniser knows them."""
    words = [written(str(num2words(number, lang=language))) for number in numbers]
    return [word.replace(" and ", " ") if language == "en" else word for word in words]


@cache
def locale(language: str) -> Locale:
    """The locale of a language."""
    return load(language)


def book(language: str, players: Sequence[str] | None = None) -> PhraseBook:
    """Everything that can be said at a table of some players (four of ``words.yaml`` if None)."""
    return PhraseBook(locale(language), list(players or names(language)[:PLAYERS]))


def command_phrases(language: str, players: Sequence[str] | None = None) -> list[str]:
    """Every phrase of the locale, its slots filled: dice, values, players and seats, languages."""
    return list(book(language, players).phrases())


@dataclass
class TextSource:
    """An endless, seeded supply of texts in one language."""

    language: str
    rng: random.Random
    _dictionary: list[str] = field(init=False)
    _common: list[str] = field(init=False)

    def __post_init__(self) -> None:
        from wordfreq import top_n_list

        allowed = re.compile(_ALPHABETS[self.language])
        words = [word for word in top_n_list(self.language, _TOP_WORDS) if allowed.fullmatch(word)]
        self._dictionary = [word for word in words if len(word) > 1]
        self._common = words[:_COMMON_WORDS]
        self._commands = command_phrases(self.language, self.rng.sample(names(self.language), _MOST_PLAYERS))
        self._short = short_words(self.language)
        self._numbers = number_words(self.language, [*range(21), *range(20, 101, 10)])
        self._all_numbers = number_words(self.language, [*range(101), 200, 300, 400, 500, 600])
        self._digits = number_words(self.language, list(range(13)))

    def next(self) -> Text:
        """The next text."""
        roll = self.rng.random
        kind = roll()
        if kind < 0.13 and self._commands:
            return Text(self.rng.choice(self._commands), "command")
        if kind < 0.23:
            return Text(self.rng.choice(self._short), "command")
        if kind < 0.33:
            numbers = self._digits if roll() < 0.6 else self._numbers if roll() < 0.5 else self._all_numbers
            return Text(self.rng.choice(numbers), "command")
        if kind < 0.40:
            mixed = self._short + self._numbers * 2
            return Text(" ".join(self.rng.choice(mixed) for _ in range(self.rng.randint(2, 4))), "speech")
        if kind < 0.44:
            return Text(self.rng.choice(names(self.language)), "speech")
        if kind < 0.62:
            return Text(" ".join(self.rng.sample(self._dictionary, self.rng.randint(1, 2))), "speech")
        return Text(" ".join(self.word() for _ in range(self.rng.randint(2, 6))), "speech")

    def word(self) -> str:
        """Any word, a common one more often than not."""
        return self.rng.choice(self._common if self.rng.random() < 0.55 else self._dictionary)


def nearly_commands(language: str, rng: random.Random) -> Iterator[Text]:
    """Texts without end that are phrases of the locale, every third one but for a word: one more, one less,
    or another. The whole ones keep whoever learns from them from doubting what is long and well said.
    """
    source = TextSource(language, rng)
    phrases = book(language)
    commands = [text.split() for text in phrases.phrases()]
    while True:
        words, other = list(rng.choice(commands)), source.word()
        if rng.random() < _WHOLE:
            yield Text(" ".join(words), "command")
            continue
        at = rng.randrange(len(words) + 1)
        change = rng.choice(("more", "less", "another"))
        if change == "less" and len(words) > 2:
            del words[min(at, len(words) - 1)]
        elif change == "another" and len(words) > 1:
            words[min(at, len(words) - 1)] = other
        else:
            words.insert(at, other)
        if phrases.normalise(" ".join(words)) not in phrases.commands:
            yield Text(" ".join(words), "speech")
