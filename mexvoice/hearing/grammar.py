"""What may be said now, in the form a model takes; and what came out of it, read back.

Vosk makes a bigram model with back-off from a grammar, so its words come out in other orders and numbers
too ("throw throw"). What comes out is therefore compared with the phrases, exactly.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product
from typing import Protocol

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.model import UNKNOWN

MOST_VARIANTS = 12
"""Of a phrase with words a model lacks, no more combinations of their sound-alikes are listened for."""

ELLIPSIS = "…"
"""Stands in a text for speech that is none of the grammar's words."""


class Vocabulary(Protocol):
    """The part of a model a grammar needs."""

    def has(self, token: str) -> bool:
        """Whether the model knows the token."""

    def tokens(self, phrase: str) -> tuple[str, ...]:
        """The tokens of the model that make up a phrase."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sequence of tokens says."""

    text: str
    """The words heard, ``…`` for each stretch of unknown speech; "" when there was nothing else."""

    whole: bool
    """True when the tokens are one phrase of the grammar and nothing else but fillers."""

    decoy: bool = False
    """True when they are one decoy and nothing else but fillers."""

    several: bool = False
    """True when they are several phrases of the grammar in a row."""

    call: str = ""
    """The call word before the phrase or the decoy; alone when `whole` without a `text`."""

    @property
    def spoken(self) -> str:
        """The text with the call word."""
        return f"{self.call} {self.text}".strip()


@dataclass(frozen=True)
class Grammar:
    """What is listened for."""

    phrases: Sequence[str]
    """The phrases that count, words separated by one space."""

    decoys: Sequence[str] = ()
    """Words that are heard but never obeyed: they sound near a phrase, or belong to table talk."""

    fillers: Sequence[str] = ()
    """Words that may stand before or after a phrase ("well", "äh")."""

    calls: Sequence[str] = ()
    """Call words: they may stand before a phrase or a decoy, with fillers around them, or alone."""

    sequences: bool = False
    """Whether several phrases in a row are an answer as well (``hear --words``)."""

    meanings: Mapping[str, object] = field(default_factory=dict)
    """What phrases mean, those of the grammar and others: a longer phrase that means the same need not be
    waited for, and one that is nearly as likely is no reason to doubt."""

    alikes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Per word what to listen for in its stead, best first, where the model lacks the word."""

    unknown: int = 1
    """How often ``[unk]`` stands in the grammar: n times makes it log(n) more likely than any one phrase."""

    def json(self, model: Vocabulary) -> str:
        """The grammar as Vosk takes it for this model."""
        return self.fit(model).json

    def fit(self, model: Vocabulary) -> "FittedGrammar":
        """The grammar in the tokens of `model`; phrases with a word that it lacks, as it does all the word's
        sound-alikes, are left out.

        Raises:
            MexvoiceError: when nothing at all remains, not even ``[unk]``.
        """
        return FittedGrammar(self, model)


class FittedGrammar:
    """A grammar in the tokens of one model.

    Attributes:
        json: for ``vosk.KaldiRecognizer``; never empty.
        dropped: the phrases the model cannot hear.
        size: how many phrases it has.
        most_letters: letters of the longest phrase.
        entries: how many entries the grammar has for Vosk; each is as likely as the others.
    """

    def __init__(self, grammar: Grammar, model: Vocabulary) -> None:
        """Fit `grammar` to `model`."""
        self._sequences = grammar.sequences
        phrases = frozenset(grammar.phrases)
        self._phrases, self.dropped = _fit(grammar.phrases, model, grammar.alikes)
        self.size = len(self._phrases)
        # A word that is both is a phrase: what counts must not be lost to a list of decoys.
        decoys, _ = _fit((word for word in grammar.decoys if word not in phrases), model, grammar.alikes)
        fillers, _ = _fit((word for word in grammar.fillers if word not in phrases), model, grammar.alikes)
        self._decoys = {tokens: word for tokens, word in decoys.items() if tokens not in self._phrases}
        self._calls, _ = _fit(grammar.calls, model, grammar.alikes)
        self._spoken = {**decoys, **fillers, **self._calls, **self._phrases}
        self._fillers = sorted(fillers, key=len, reverse=True)
        self._longest = max((len(tokens) for tokens in self._phrases), default=1)
        self.most_letters = _most_letters(self._phrases.values()) + _most_letters(self._calls.values())
        self._growing = _growing(self._phrases.values(), grammar.meanings)
        other, _ = _fit((text for text in grammar.meanings if text not in phrases), model, grammar.alikes)
        known = {**other, **self._phrases}
        self._meanings = {tokens: grammar.meanings.get(phrase) for tokens, phrase in known.items()}
        entries = [" ".join(tokens) for tokens in self._spoken]
        # Vosk knows what may follow what from the entries only: else a longer phrase that sounds a little
        # like both would always be likelier than a call word and a phrase.
        entries += [" ".join((*call, *tokens)) for call in self._calls for tokens in self._phrases]
        if model.has(UNKNOWN):
            entries += [UNKNOWN] * grammar.unknown
        if not entries:
            raise MexvoiceError(
                "The model knows none of the phrases of this language: give another with --model DIR."
            )
        self.entries = len(entries)
        # Vosk's reader takes \uXXXX for no letter at all, so the letters stand as they are.
        self.json = json.dumps(entries, ensure_ascii=False)

    def read(self, tokens: Sequence[str]) -> Reading:
        """What the tokens that came out of the recogniser say."""
        core = self._without_fillers(tuple(tokens))
        if core in self._phrases:
            return Reading(self._phrases[core], True)
        called = self._read_called(tuple(tokens)) if self._calls else None
        if called is not None:
            return called
        if core in self._decoys:
            return Reading(self._decoys[core], False, True)
        parts = self._split(core)
        text = " ".join(parts)
        if self._sequences and parts and all(part in self._phrases.values() for part in parts):
            return Reading(text, True, several=len(parts) > 1)
        return Reading("" if all(part == ELLIPSIS for part in parts) else text, False)

    def has(self, token: str) -> bool:
        """Whether a token is a whole phrase."""
        return (token,) in self._phrases

    def same(self, token: str, other: str) -> bool:
        """Whether two tokens are phrases, of this grammar or not, that are known to mean the same."""
        meaning = self._meanings.get((token,))
        return meaning is not None and meaning == self._meanings.get((other,))

    def places(self, tokens: Sequence[str]) -> list[tuple[int, int]]:
        """Where whole phrases are among tokens: of each the place, after that of a call word before it, which
        is the same when there is none."""
        found: list[tuple[int, int]] = []
        call: int | None = None
        for at, token in enumerate(tokens):
            # A call word that is a phrase, too, calls when there is something after it.
            if (token,) in self._calls and any(map(self.has, tokens[at + 1 :])):
                call = at
            elif self.has(token):
                found.append((at if call is None else call, at))
                call = None
        return found

    def can_grow(self, text: str) -> bool:
        """Whether a longer phrase of the grammar, with another meaning, begins with `text`.

        A call word, after which there is no text yet, can: whoever says one is about to go on.
        """
        return self._sequences or not text or text in self._growing or text in self._calls.values()

    def _read_called(self, tokens: tuple[str, ...]) -> Reading | None:
        """A call word and the phrase or decoy after it, if any; None when there is more, or no call word."""
        start = 0
        while True:
            for call, word in self._calls.items():
                if tokens[start : start + len(call)] == call:
                    rest = self._without_fillers(tokens[start + len(call) :])
                    if rest in self._phrases:
                        return Reading(self._phrases[rest], True, call=word)
                    if rest in self._decoys:
                        return Reading(self._decoys[rest], False, True, call=word)
                    if not rest:
                        return Reading("", True, call=word)
            filler = next((f for f in self._fillers if tokens[start : start + len(f)] == f), ())
            if not filler:
                return None
            start += len(filler)

    def _without_fillers(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """What is left when fillers, of one word or several, are taken off both ends."""
        core = tokens
        while core not in self._phrases:
            before = next((f for f in self._fillers if core[: len(f)] == f), ())
            after = next((f for f in self._fillers if core[len(before) :][-len(f) :] == f), ())
            if not before and not after:
                break
            core = core[len(before) : len(core) - len(after)]
        return core

    def _split(self, tokens: tuple[str, ...]) -> list[str]:
        """The tokens as words and phrases, the longest first; one ``…`` for a run of unknown speech."""
        parts: list[str] = []
        at = 0
        while at < len(tokens):
            for length in range(min(self._longest, len(tokens) - at), 0, -1):
                spoken = self._spoken.get(tokens[at : at + length])
                if spoken is not None:
                    break
            else:
                length, spoken = 1, ELLIPSIS if tokens[at] == UNKNOWN else tokens[at]
            if spoken != ELLIPSIS or parts[-1:] != [ELLIPSIS]:
                parts.append(spoken)
            at += length
        return parts


def _most_letters(phrases: Iterable[str]) -> int:
    return max((len(phrase.replace(" ", "")) for phrase in phrases), default=0)


def _fit(
    phrases: Iterable[str], model: Vocabulary, alikes: Mapping[str, Sequence[str]]
) -> tuple[dict[tuple[str, ...], str], tuple[str, ...]]:
    """Token sequence -> phrase for those phrases the model can hear, and the phrases it cannot."""
    fitted: dict[tuple[str, ...], str] = {}
    incomplete: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        tokens = model.tokens(phrase)
        if tokens and all(model.has(token) for token in tokens):
            fitted.setdefault(tokens, phrase)
        else:
            incomplete[phrase] = tokens
    # After all others: a phrase that is there in its own words is never lost to another's sound-alikes.
    dropped = []
    for phrase, tokens in incomplete.items():
        variants = _variants(tokens, model, alikes)
        if phrase not in [fitted.setdefault(variant, phrase) for variant in variants]:
            dropped.append(phrase)
    return fitted, tuple(dropped)


def _variants(
    tokens: tuple[str, ...], model: Vocabulary, alikes: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    """The tokens with every one the model lacks replaced by what sounds like it; none if that cannot be."""
    choices: list[list[tuple[str, ...]]] = []
    for token in tokens:
        known = [model.tokens(other) for other in ((token,) if model.has(token) else alikes.get(token, ()))]
        choices.append([found for found in known if found and all(model.has(part) for part in found)])
    combined = islice(product(*choices), MOST_VARIANTS) if tokens else ()
    return [tuple(chain.from_iterable(parts)) for parts in combined]


def _growing(phrases: Iterable[str], meanings: Mapping[str, object]) -> frozenset[str]:
    """The phrases that are the beginning, in whole words, of one that means something else."""
    found: set[str] = set()
    for phrase in phrases:
        words = phrase.split()
        for count in range(1, len(words)):
            beginning = " ".join(words[:count])
            if beginning not in meanings or meanings[beginning] != meanings.get(phrase):
                found.add(beginning)
    return frozenset(found)
