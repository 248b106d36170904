"""How much of a language a model can hear: unknown words, what stands for them, and phrases that are lost."""

from collections.abc import Iterator, Sequence

from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.model import Model
from mexvoice.language.command import CommandId
from mexvoice.language.locale import Locale
from mexvoice.language.phrasebook import PhraseBook

_SEATS = tuple(str(number) for number in range(1, 9))
"""Who is at the table when nobody is: the seats, by number."""

_SHOWN = 3


class Coverage:
    """What a model knows of a locale, players' names aside.

    Attributes:
        unknown: the words of the phrases the model does not know.
        stand_ins: per unknown word what is listened for instead, as far as the model knows it.
        minor: the words of decoys and fillers it does not know; nothing is lost without them.
        lost: per command the phrases that cannot be heard.
        mute: the commands no phrase of which can be heard.
    """

    def __init__(self, locale: Locale, model: Model) -> None:
        """Compare `locale` with `model`."""
        book = PhraseBook(locale, _SEATS)
        phrases = {command: _without_digits(book.phrases([command])) for command in CommandId}
        every = [phrase for found in phrases.values() for phrase in found]
        dropped = frozenset(Grammar(every, alikes=book.alikes).fit(model).dropped)
        self.unknown = model.missing(every)
        self.stand_ins = {
            word: tuple(other for other in book.alikes.get(word, ()) if not model.missing([other]))
            for word in self.unknown
        }
        known = frozenset(self.unknown)
        self.minor = tuple(word for word in model.missing([*book.decoys, *book.fillers]) if word not in known)
        self.lost = {
            command: tuple(phrase for phrase in found if phrase in dropped)
            for command, found in phrases.items()
        }
        self.mute = tuple(
            command for command, found in phrases.items() if found and len(self.lost[command]) == len(found)
        )

    @property
    def playable(self) -> bool:
        """Whether every command can be said in some way."""
        return not self.mute

    def lines(self) -> Iterator[str]:
        """The findings, for people."""
        if not self.unknown:
            yield "it knows every word of the phrases"
        else:
            yield f"it does not know {_count(len(self.unknown), 'word')} of the phrases:"
        for word in self.unknown:
            yield f"  {word}: {' or '.join(self.stand_ins[word]) or 'nothing'} is heard instead"
        if self.minor:
            yield f"it may take {_count(len(self.minor), 'word')} of table talk for others, not knowing them:"
            yield f"  {', '.join(self.minor)}"
        lost = [phrase for found in self.lost.values() for phrase in found]
        if lost:
            more = f", and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
            yield f"phrases that cannot be heard: {', '.join(lost[:_SHOWN])}{more}"
        for command in self.mute:
            yield f"no way to say '{command.value}' can be heard: this model is no good for a match by voice"


def heard_in(locale: Locale) -> list[str]:
    """All that is listened for in a language when nobody has a name."""
    book = PhraseBook(locale, _SEATS)
    return [*_without_digits(book.phrases()), *book.decoys, *book.fillers]


def _without_digits(phrases: Sequence[str]) -> list[str]:
    """Phrases without the seats' numbers written as digits: they are said as words, which are phrases too."""
    return [phrase for phrase in phrases if not any(letter.isdigit() for letter in phrase)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
