"""Phrases: one form for comparing them, and slots filled in full."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING

from mexvoice.language.command import Command, CommandId
from mexvoice.language.document import Place

if TYPE_CHECKING:
    from mexvoice.language.locale import Locale

SLOT = re.compile(r"\{(\w*)\}")
_BETWEEN_WORDS = re.compile(r"[^\w']+|_|'(?!\w)|(?<!\w)'")
MEX_DICE = (2, 1)

MOST_MISHEARD = 100
"""The most ways in which one phrase is taken for misheard: a long one would have more than can be counted."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with its slots filled."""

    text: str
    """As the locale file writes it."""
    command: Command
    place: Place
    """Where the locale file has its template."""
    filling: Place = ()
    """Where the locale file has the word in its slot, if it has."""
    spoken: bool = True
    """Whether it is one to listen for; else it is only understood when it comes (digits, homophones)."""


def written(text: str) -> str:
    """Words of a text in small letters with one space between them, as a recogniser knows them.

    Apostrophes inside words and all accents stay.
    """
    text = unicodedata.normalize("NFC", text).replace("’", "'").lower()
    return " ".join(_BETWEEN_WORDS.sub(" ", text).split())


def normalise(text: str, fold: Mapping[str, str] | None = None) -> str:
    """The form in which texts are compared: as `written`, with case folded, no apostrophes, letters folded.

    Args:
        text: anything.
        fold: letters to write as others, e.g. ``{"ё": "е"}``.
    """
    text = unicodedata.normalize("NFC", written(text).casefold()).replace("'", "")
    for letter, other in (fold or {}).items():
        text = text.replace(letter, other)
    return text


def plain(text: str) -> str:
    """A normalised text without accents, for those who type none."""
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not unicodedata.combining(sign)))


def slots(template: str) -> tuple[str, ...]:
    """The names of the slots of a phrase, in order, sorted out by braces alone."""
    return tuple(SLOT.findall(template))


def value_dice(value: int) -> tuple[int, int]:
    """The dice of a value in mex counting, the higher first: 63 is 6 and 3, 400 is 4 and 4."""
    return (value // 100, value // 100) if value >= 100 else (value // 10, value % 10)


def phrases(
    locale: "Locale", players: Sequence[str], others: Mapping[str, Sequence[str]] | None = None
) -> Iterator[Phrase]:
    """Every phrase of a locale, slots filled.

    Args:
        locale: the language.
        players: names in seat order; they and the words for their seats fill ``{player}``.
        others: more words for languages, by code.
    """
    named = _players(locale, players)
    languages = _languages(locale, others or {})
    for command_id, templates in locale.phrases.items():
        for index, template in enumerate(templates):
            place: Place = ("phrases", command_id.value, index)
            if command_id is CommandId.DICE:
                yield from _dice(locale, template, place)
            elif command_id is CommandId.LIVES_OF:
                for word, player, filling in named:
                    text = template.replace("{player}", word)
                    yield Phrase(text, Command(command_id, player=player), place, filling)
            elif command_id is CommandId.LANGUAGE:
                for word, code, filling in languages:
                    text = template.replace("{language}", word)
                    yield Phrase(text, Command(command_id, language=code), place, filling)
            else:
                yield Phrase(template, Command(command_id), place)
    yield from _digits()


def _players(locale: "Locale", players: Sequence[str]) -> list[tuple[str, str, Place]]:
    """What a player is called, with the name; a name of signs alone cannot be said."""
    named: list[tuple[str, str, Place]] = [(name, name, ()) for name in players if normalise(name)]
    for seat, player in enumerate(players, start=1):
        for index, word in enumerate(locale.seats.get(seat, ())):
            named.append((word, player, ("seats", seat, index)))
    return named


def _languages(locale: "Locale", others: Mapping[str, Sequence[str]]) -> list[tuple[str, str, Place]]:
    """The words for languages, with their codes."""
    words: list[tuple[str, str, Place]] = [
        (word, code, ("languages", code, index))
        for code, names in locale.languages.items()
        for index, word in enumerate(names)
    ]
    words += [(word, code, ()) for code, names in others.items() for word in names]
    return words


def _dice(locale: "Locale", template: str, place: Place) -> Iterator[Phrase]:
    numbers = locale.numbers
    fillings: list[tuple[tuple[str, ...], tuple[int, int], Place]]
    match slots(template):
        case ("die", "die"):
            fillings = [
                (words, (max(pips), min(pips)), ("numbers", "digits", pips[1]))
                for pips in product(sorted(numbers.digits, reverse=True), repeat=2)
                for words in product(*(numbers.digits[die] for die in pips))
            ]
        case ("die",):
            fillings = [
                ((word,), (die, die), ("numbers", "digits", die))
                for die, words in numbers.digits.items()
                for word in words
            ]
        case ("value",):
            fillings = [
                ((word,), value_dice(value), ("numbers", "values", value))
                for value, words in numbers.values.items()
                for word in words
            ]
        case ("mex",):
            fillings = [((word,), MEX_DICE, ("numbers", "mex")) for word in numbers.mex]
        case _:
            return
    for words, dice, filling in fillings:
        word = iter(words)
        text = SLOT.sub(lambda _, word=word: next(word), template)  # type: ignore[misc]
        command = Command(CommandId.DICE, dice=dice)
        yield Phrase(text, command, place, filling)
        for heard in _misheard(text, locale):
            yield Phrase(heard, command, place, filling, spoken=False)


def _misheard(text: str, locale: "Locale") -> Iterator[str]:
    """The text with words of numbers replaced by what sounds like them: "six to" for "six two"."""
    same: dict[str, list[str]] = {}
    for homophone, word in locale.numbers.homophones.items():
        same.setdefault(normalise(word), []).append(homophone)
    words = normalise(text).split()
    choices = [[word, *same.get(word, ())] for word in words]
    for choice in islice(product(*choices), MOST_MISHEARD):
        if list(choice) != words:
            yield " ".join(choice)


def _digits() -> Iterator[Phrase]:
    """Dice in figures, as somebody types them: "6 3", "36", "600"."""
    for first, second in product(range(1, 7), repeat=2):
        command = Command(CommandId.DICE, dice=(max(first, second), min(first, second)))
        place: Place = ("numbers", "digits")
        yield Phrase(f"{first} {second}", command, place, spoken=False)
        yield Phrase(f"{first}{second}", command, place, spoken=False)
        if first == second:
            yield Phrase(f"{first}00", command, place, spoken=False)
