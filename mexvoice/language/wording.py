"""The sentences the assistant says, in one language."""

import random
from collections.abc import Sequence
from functools import lru_cache

from num2words import num2words

from mexvoice.errors import MexvoiceError, Trouble, Troubles
from mexvoice.language.locale import Locale, Noun
from mexvoice.language.sentence import SENTENCES, Kind, pieces
from mexvoice.rules import MEX

_SENTENCE_ENDS = (".", "!", "?", "…")


class Wording:
    """Says things in the words of a locale.

    Args:
        locale: the language.
        rng: chooses among the variants of a sentence.
    """

    def __init__(self, locale: Locale, rng: random.Random) -> None:
        self._locale = locale
        self._rng = rng
        self._last: dict[str, str] = {}

    def say(self, key: str, **values: object) -> str:
        """A sentence, in another variant than the last time.

        Args:
            key: one of `sentence.SENTENCES`.
            values: what fills its fields; more than its templates need is no harm. Names and other texts
                are inserted as they are, whatever they hold.

        Raises:
            KeyError: if there is no such sentence, or a value for one of its fields is not given.
            TypeError: if a value does not fit its field.
        """
        variants = self._locale.wording[key]
        fresh = [variant for variant in variants if variant != self._last.get(key)] or variants
        template = self._rng.choice(fresh)
        self._last[key] = template
        return self.fill(key, template, values)

    def trouble(self, error: MexvoiceError) -> str:
        """What an error says, in this language if it has a sentence for it."""
        if isinstance(error, Troubles):
            return " ".join(map(self.trouble, error.parts))
        if isinstance(error, Trouble) and error.kind:
            return self.say(error.kind, **error.details)
        return str(error)

    def fill(self, key: str, template: str, values: dict[str, object]) -> str:
        """One template of a sentence, filled; errors as for `say`."""
        fields = SENTENCES[key]
        sentence = ""
        for piece in pieces(template):
            sentence += piece.literal
            if piece.field is None:
                continue
            text = self._field(fields[piece.field], values[piece.field], piece.noun)
            begun = sentence.rstrip(" \"'“«„([")
            if piece.noun and (not begun or begun.endswith(_SENTENCE_ENDS)):
                text = text[:1].upper() + text[1:]
            sentence += text
        return sentence

    def value(self, value: int) -> str:
        """What a throw is worth, as it is said and shown: "63", or the word for Mex."""
        return self._locale.values.mex if value == MEX else str(value)

    def count(self, number: int, noun: str) -> str:
        """A counted noun of the locale, the number in words: "one life", "vingt et une vies".

        Raises:
            KeyError: if the locale has no such noun.
        """
        forms = self._locale.nouns[noun]
        if number == 0 and forms.zero is not None:
            return forms.zero
        form = forms.form(self._locale.cldr.plural_form(abs(number))) or forms.other
        if form is None:
            raise KeyError(noun)
        counted = form.replace("{n}", self._spelled(abs(number), forms))
        return f"{_minus(self._spelling)}{counted}" if number < 0 else counted

    @property
    def _spelling(self) -> str:
        return self._locale.numbers.spelling or self._locale.code

    def _spelled(self, number: int, noun: Noun) -> str:
        """A number in words as the noun wants it, e.g. "vingt et une" for a feminine one."""
        words = _words(number, self._spelling)
        for ending in sorted(noun.ending, key=len, reverse=True):
            if words.endswith(ending):
                return words.removesuffix(ending) + noun.ending[ending]
        return words

    def _field(self, kind: Kind, value: object, noun: str) -> str:
        match kind, value:
            case Kind.NAME, str():
                return value
            case Kind.TEXT, str() | int():
                return str(value)
            case Kind.NAMES, Sequence():
                return self._joined([str(name) for name in value])
            case Kind.TEXTS, Sequence():
                return self._locale.joining.between.join(str(text) for text in value)
            case Kind.VALUE, int() if not noun or value == MEX:
                return self.value(value)
            case Kind.NUMBER, int() if not noun:
                return str(value)
            case Kind.NUMBER | Kind.VALUE, int():
                return self.count(value, noun)
        raise TypeError(f"{value!r} is no {kind.value}")

    def _joined(self, names: list[str]) -> str:
        joining = self._locale.joining
        if len(names) < 2:
            return "".join(names)
        return joining.between.join(names[:-1]) + joining.last + names[-1]


@lru_cache(maxsize=4096)
def _words(number: int, language: str) -> str:
    """A number in words, or in digits where num2words does not know the language."""
    try:
        words: str = num2words(number, lang=language)
    except Exception:  # each of its languages fails in its own way at what it does not know
        return str(number)
    return words


@lru_cache(maxsize=64)
def _minus(language: str) -> str:
    """What stands before a number below zero, e.g. "minus "; a sign where num2words has no word."""
    one, below = _words(1, language), _words(-1, language)
    return below.removesuffix(one) if below.endswith(one) else "−"
