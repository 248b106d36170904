"""What each decoy of a locale costs and saves: commands that are taken for it, and talk that would be obeyed
without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from mexvoice.hearing.decoder import Decoder
from mexvoice.hearing.endpoint import Activity
from mexvoice.hearing.grammar import FittedGrammar, Grammar
from mexvoice.hearing.guards import STRICT
from mexvoice.hearing.judgement import Judgement
from mexvoice.hearing.model import BUILTIN, Model, model_for
from mexvoice.language import locale as locales
from scripts.judging.material import Material
from scripts.training.corpus import Samples


@dataclass
class Balance:
    """Outcomes by decoy."""

    lost: Counter[str] = field(default_factory=Counter)
    """Commands that were taken for it, and would be heard rightly without it."""
    kept_out: Counter[str] = field(default_factory=Counter)
    """Other speech that was taken for it, and would be obeyed without it."""
    examples: dict[str, list[str]] = field(default_factory=dict)
    """What was said in either case, and what would be heard."""


class _Table:
    """Hears whole clips with every phrase of a locale open."""

    def __init__(self, material: Material) -> None:
        self._book = material.book
        self._language = material.language
        self._accents = locales.load(material.language).pronounce

    def ears(self, without: str = "") -> Callable[[Samples], tuple[str, str]]:
        """What hears a clip with a model that neither knows the decoy `without` nor compares phrases with it:
        the phrase heard for certain, and the decoy heard; each may be ""."""
        decoys = [decoy for decoy in self._book.decoys if decoy != without]
        phrases = [*self._book.phrases(), *decoys, *self._book.fillers]
        model = model_for(self._language, BUILTIN, phrases, self._accents)
        grammar = Grammar(self._book.phrases(), decoys, self._book.fillers).fit(model)
        return partial(self._hear, model, grammar)

    @staticmethod
    def _hear(model: Model, grammar: FittedGrammar, samples: Samples) -> tuple[str, str]:
        decoder = Decoder(model, grammar)
        activity = Activity()
        activity.feed(samples)
        decoding = decoder.judge(samples, activity.peak)
        reading = grammar.read(decoding.tokens)
        judgement = Judgement(model, grammar, decoder, samples, activity.peak, activity.excess)
        decoy, needed = reading.text if reading.decoy else "", STRICT.certainty
        if not reading.whole:
            likeliest = judgement.likeliest()
            if likeliest is None:
                return "", decoy
            decoding, reading = likeliest, grammar.read(likeliest.tokens)
            needed += STRICT.over_decoy if decoy else STRICT.over_unknown
        return (reading.text, "") if judgement.certainty(decoding) >= needed else ("", decoy)


def weigh(material: Material, commands: Sequence[int], talk: Sequence[int], ratio: float | None) -> Balance:
    """Hear clips with and, where a decoy was heard, without it.

    Args:
        material: the clips.
        commands: clips that are commands.
        talk: clips that are none.
        ratio: dB of speech to noise; None for a quiet room.
    """
    table, balance = _Table(material), Balance()

    def played(at: int) -> Samples:
        return material.conditions(material.corpus.samples(at), at, ratio)

    hear = table.ears()
    taken: dict[str, list[int]] = {}
    for at in [*commands, *talk]:
        if decoy := hear(played(at))[1]:
            taken.setdefault(decoy, []).append(at)
    for decoy, clips in taken.items():  # one model after the other: together they would fill the memory
        hear = table.ears(without=decoy)
        for at in clips:
            text, _ = hear(played(at))
            meant = frozenset(material.book.commands.get(material.book.normalise(text), ()))
            counter = (
                balance.lost if meant and meant <= material.said(at) else balance.kept_out if meant else None
            )
            if counter is not None:
                counter[decoy] += 1
                balance.examples.setdefault(decoy, []).append(f"{material.text(at)} → {text}")
    return balance
