"""What the voices are given to say: general speech, and commands and numbers for about a third."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from num2words import num2words

from scripts.training import REPOSITORY

LANGUAGES = ("en", "fr", "de", "ru")
"""The languages models are made for."""

_ALPHABETS = {
    "en": "[a-z']+",
    "fr": "[a-zàâçéèêëîïôûùüœ'-]+",
    "de": "[a-zäöüß]+",
    "ru": "[а-яё-]+",
}
_SLOT = re.compile(r"\{(\w+)\}")
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


def names(language: str) -> list[str]:
    """The first names of ``words.yaml``."""
    return [str(name) for name in _lists()[language]["names"]]


@cache
def _lists() -> dict[str, Any]:
    path = Path(__file__).with_name("words.yaml")
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 takes yes, no, on and off for truth values
    for lists in loaded.values():
        for key in ("words", "names"):
            lists[key] = [
                {True: "yes", False: "no"}.get(item, item) if isinstance(item, bool) else item
                for item in lists[key]
            ]
    return loaded


def number_words(language: str, numbers: Sequence[int]) -> list[str]:
    """Numbers as words of a language, hyphens as blanks (a voice and the graph need no hyphen)."""
    spoken = [str(num2words(number, lang=language)) for number in numbers]
    return [word.replace("-", " ").replace(" and ", " ") for word in spoken]


def locale(language: str) -> dict[str, Any]:
    """The locale file of a language as plain data; empty when there is none yet."""
    path = REPOSITORY / "locales" / f"{language}.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


def command_phrases(language: str, players: Sequence[str] = (), seats: int = 8) -> list[str]:
    """Every phrase of the locale, its slots filled: dice, values, the given players and seats, languages."""
    data = locale(language)
    numbers = data.get("numbers", {})
    dice = [word for options in numbers.get("digits", {}).values() for word in options]
    seat_words = [
        word for seat, options in data.get("seats", {}).items() if seat <= seats for word in options
    ]
    fillings: dict[str, list[str]] = {
        "die": dice,
        "value": [word for options in numbers.get("values", {}).values() for word in options],
        "mex": list(numbers.get("mex", [])),
        "player": [*players, *seat_words],
        "language": [word for options in data.get("languages", {}).values() for word in options],
    }
    found: dict[str, None] = {}
    for templates in data.get("phrases", {}).values():
        for template in templates:
            partial = [
                str(template) if not isinstance(template, bool) else {True: "yes", False: "no"}[template]
            ]
            while partial and _SLOT.search(partial[0]):
                partial = [
                    _SLOT.sub(lambda _, word=word: word, text, count=1)  # type: ignore[misc]
                    for text in partial
                    for word in fillings[_SLOT.search(text).group(1)]  # type: ignore[union-attr]
                ]
            found.update(dict.fromkeys(spoken(text) for text in partial))
    return list(found)


def spoken(text: str) -> str:
    """A text as a token sees it: lower case, no punctuation but the apostrophe and the hyphen."""
    return " ".join(re.sub(r"[^\w'’\- ]+", " ", text.lower()).split())


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
        self._commands = command_phrases(self.language, names(self.language)[:12])
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
        count = self.rng.randint(2, 6)
        words = [self.rng.choice(self._common if roll() < 0.55 else self._dictionary) for _ in range(count)]
        return Text(" ".join(words), "speech")
