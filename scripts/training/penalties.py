"""Choosing what ``[unk]`` pays: on held-out voices of their own and on people who say no command."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import vosk

from mexvoice.hearing import graph
from mexvoice.hearing.lexicon import Lexicon
from mexvoice.hearing.phones import read_phones
from scripts.training.evaluate import Count, Listener, TestSet, Vocabulary, judge
from scripts.training.export import Penalties, write_settings
from scripts.training.export import pronouncer as export_pronouncer

WORDS = (0.0,)
"""Penalties of a token that are tried."""
EACH = (-0.9, -1.2, -1.5)
"""Penalties of the phones of ``[unk]`` that are tried."""

_CLIPS = 130
_PEOPLE = 90
_WRONG_COSTS = 2.0
_FALSE_COSTS = 1.5


def cost(commands: Count, words: Count) -> float:
    """What a choice costs: missed commands, more for wrong ones, and commands heard in other speech."""
    total = 0.0
    for count in (commands, words):
        total += (count.rejected + _WRONG_COSTS * count.wrong) / max(1, count.commands)
        total += _FALSE_COSTS * count.false / max(1, count.other)
    return total


def choose(
    base: Path, data: Path, language: str, candidates: Sequence[Penalties], say: Callable[[str], None] = print
) -> Penalties:
    """The cheapest of some penalties for the model in ``base``, half of the clips in noise."""
    pronouncer = export_pronouncer(language)
    tests = TestSet.load(data, language, "tune")
    clips = [*tests.choose(None, _CLIPS), *tests.choose(None, _PEOPLE, human=True)]
    quiet, loud = list(tests.play(clips[::2], None)), list(tests.play(clips[1::2], 12))
    vocabularies = (Vocabulary.of_commands(language, pronouncer), Vocabulary.of_words(language, pronouncer))
    lexicons = [Lexicon.of(vocabulary.tokens, pronouncer) for vocabulary in vocabularies]
    phones = read_phones(base / graph.PHONES_FILE)
    unknown = graph.UnknownModel.read(base / graph.UNKNOWN_FILE)
    best: tuple[float, Penalties] | None = None
    for penalties in candidates:
        model = replace(unknown, words=penalties.words, each=penalties.each)
        counts = []
        for vocabulary, lexicon in zip(vocabularies, lexicons, strict=True):
            with tempfile.TemporaryDirectory(prefix="mexvoice-") as folder:
                write_settings(base, Path(folder))
                graph.build_graph(Path(folder) / "graph", phones, lexicon, model)
                listener = Listener(vosk.Model(folder), vocabulary.tokens)
                counts.append(judge(listener, vocabulary, [*quiet, *loud]))
        price = cost(*counts)
        if best is None or price < best[0]:
            best = (price, penalties)
        commands, words = counts
        say(
            f"{language} words {penalties.words:+.1f} each {penalties.each:+.1f} cost {price:.3f}: commands "
            f"{commands.right}/{commands.commands} wrong {commands.wrong} "
            f"false {commands.false}/{commands.other}, "
            f"words {words.right}/{words.commands} wrong {words.wrong} false {words.false}/{words.other}"
        )
    assert best is not None
    return best[1]


def grid(words: Iterable[float] = WORDS, each: Iterable[float] = EACH) -> list[Penalties]:
    """All combinations."""
    each = list(each)
    return [Penalties(word, phone) for word in words for phone in each]
