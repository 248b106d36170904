"""A lexicon: the tokens a model can hear, each with its pronunciations.

A token is a whole phrase in one piece, blanks written as underscores (``how_many_lives``): the decoder then
hears the phrase or does not, and cannot make up another one from its words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from mexvoice.hearing.phones import PAUSE, Pronunciation
from mexvoice.hearing.pronunciation import Pronouncer

MOST_PHONES = 200
"""The longest pronunciation, pauses included: over ten seconds."""


def token(text: str) -> str:
    """The token of a phrase: blanks become underscores."""
    return "_".join(text.split())


@dataclass(frozen=True)
class Lexicon:
    """Tokens and their pronunciations."""

    entries: Mapping[str, tuple[Pronunciation, ...]]
    """Per token its pronunciations, the likeliest first; never empty."""

    @classmethod
    def of(cls, texts: Iterable[str], pronouncer: Pronouncer) -> Lexicon:
        """The lexicon of some phrases or tokens.

        A text that has no sound (punctuation), and one that nobody could say in one breath, is left out.
        """
        tokens = list(dict.fromkeys(token(text) for text in texts))
        pronounced = pronouncer.pronounce_all(tokens, pauses=True)
        short = {
            name: tuple(reading for reading in readings if len(reading) <= MOST_PHONES)
            for name, readings in pronounced.items()
        }
        return cls({name: readings for name, readings in short.items() if name and readings})

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def clashes(self, names: Collection[str], distance: float = 0.2) -> list[tuple[str, str]]:
        """Which of the tokens ``names`` sound like another token: pairs (name, other), each pair once.

        Two tokens clash when readings of theirs differ in at most ``distance`` of the longer one's phones
        (always when they are equal). Names missing from the lexicon are passed over.
        """
        plain = {name: [_plain(reading) for reading in readings] for name, readings in self.entries.items()}
        wanted = [name for name in names if name in plain]
        found: list[tuple[str, str]] = []
        for at, name in enumerate(wanted):
            before = set(wanted[:at])
            for other, readings in plain.items():
                if other == name or other in before:
                    continue
                gap = min(
                    Levenshtein.normalized_distance(own, reading)
                    for own in plain[name]
                    for reading in readings
                )
                if gap <= distance:
                    found.append((name, other))
        return found


def _plain(reading: Pronunciation) -> Pronunciation:
    return tuple(phone for phone in reading if phone != PAUSE)
