"""What the certainty that the guards ask for costs and saves: everything is heard without it, and each
utterance keeps the certainty it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.guards import STRICT, TOLERANT, Guards
from mexvoice.hearing.lexicon import token
from mexvoice.hearing.model import BUILTIN, Model, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.language import locale as locales
from mexvoice.language.command import Command, CommandId
from mexvoice.language.understanding import Ambiguous, Understanding, Understood
from scripts.judging.chain import BLOCK
from scripts.judging.commands import padded
from scripts.judging.material import Material
from scripts.training.corpus import Samples
from scripts.training.evaluate import Vocabulary
from scripts.training.texts import tested_words

RATIO = 15.0
"""dB of the noise where there is noise: the middle of those that are judged."""

_NONE = float("-inf")


@dataclass(frozen=True)
class Trace:
    """What came of one clip."""

    passed: tuple[tuple[float, bool], ...]
    """Of each utterance nothing else objects to: its certainty, and whether it is what was said."""

    def outcome(self, certainty: float) -> str:
        """ "right", "wrong" or "missed" when so much is asked for."""
        left = [right for at, right in self.passed if at >= certainty]
        return "missed" if not left else "right" if left == [True] else "wrong"


def share(traces: Sequence[Trace], what: str, certainty: float) -> float:
    """How many of some clips come out as `what`, in percent."""
    count = sum(trace.outcome(certainty) == what for trace in traces)
    return 100 * count / max(1, len(traces))


@dataclass(frozen=True)
class Ears:
    """A model and grammar, with guards that let everything through, however uncertain."""

    model: Model
    grammar: Grammar
    guards: Guards

    def trace(self, samples: Samples, is_right: Callable[[str], bool]) -> Trace:
        """Hear a clip."""
        recogniser = Recogniser(self.model, self.grammar, guards=self.guards)
        utterances = []
        for start in range(0, len(samples), BLOCK):
            utterances += recogniser.accept(samples[start : start + BLOCK].tobytes())
        utterances += recogniser.flush()
        heard = [utterance for utterance in utterances if utterance.text]
        return Trace(tuple((one.certainty, is_right(one.text)) for one in heard))


def words(material: Material, limit: int) -> dict[str, list[Trace]]:
    """`hear --words` on voices, on people of the language, and on foreign people who say none of them."""
    listed = tested_words(material.language)
    vocabulary = Vocabulary.of_words(material.language, material.pronouncer)
    model = model_for(material.language, BUILTIN, listed, locales.load(material.language).pronounce)
    grammar = Grammar(tuple(listed), sequences=True)
    ears = Ears(model, grammar, replace(TOLERANT, certainty=_NONE))

    def meaning(text: str) -> str | None:
        return vocabulary.meaning.get(token(text))

    def is_right(said: str | None, text: str) -> bool:
        return said is not None and meaning(text) == said

    def traces(chosen: Sequence[int], ratio: float | None = None) -> list[Trace]:
        made = []
        for at in chosen:
            sound = material.conditions(padded(material, at), at, ratio)
            made.append(ears.trace(sound, partial(is_right, meaning(material.text(at)))))
        return made

    voices = material.voices(lambda at: meaning(material.text(at)) is not None, limit)
    foreign = [
        at
        for at in material.foreigners(2 * limit)
        if not material.sounds_like(material.corpus.clips[at], vocabulary)
    ]
    return {
        "right, quiet": traces(voices),
        "right, noise": traces(voices, RATIO),
        "right, people": traces([at for at in material.people() if meaning(material.text(at)) is not None]),
        "found, foreign people": traces(foreign),
    }


def commands(material: Material, limit: int) -> dict[str, list[Trace]]:
    """Every phrase open at once: on voices, on foreign people, and on speech of voices that is no command."""
    locale = locales.load(material.language)
    understanding = Understanding(locale, material.players)
    book = understanding.book
    phrases = book.phrases()
    model = model_for(material.language, BUILTIN, [*phrases, *book.decoys, *book.fillers], locale.pronounce)
    meanings = {phrase: book.commands.get(book.normalise(phrase)) for phrase in phrases}
    grammar = Grammar(phrases, book.decoys, book.fillers, meanings=meanings, alikes=book.alikes)
    ears = Ears(model, grammar, replace(STRICT, certainty=_NONE))

    def means(text: str) -> set[Command]:
        outcome = understanding.hear(text, frozenset(CommandId))
        if isinstance(outcome, Understood):
            return {outcome.command}
        return set(outcome.commands) if isinstance(outcome, Ambiguous) else set()

    def is_right(said: frozenset[Command], text: str) -> bool:
        return bool(means(text)) and means(text) <= said

    def traces(chosen: Sequence[int], ratio: float | None = None) -> list[Trace]:
        made = []
        for at in chosen:
            sound = material.conditions(padded(material, at), at, ratio)
            made.append(ears.trace(sound, partial(is_right, material.said(at))))
        return made

    voices = material.commands(limit)
    people, talk = material.talk()
    return {
        "right, quiet": traces(voices),
        "right, noise": traces(voices, RATIO),
        "found, foreign people": traces(people[:: max(1, len(people) // (2 * limit))]),
        "found, talk of voices": traces(talk[:: max(1, len(talk) // limit)]),
    }
