"""How well a model hears: commands of held-out voices, single words, people, and what it makes of other
speech.

``python3 scripts/training/run.py --stage evaluate`` prints the table; the functions here serve the benchmark
too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import vosk

from mexvoice.hearing import graph
from mexvoice.hearing.lexicon import token
from mexvoice.hearing.phones import Pronunciation
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.language.phrase import written
from scripts.training import export
from scripts.training.batches import corpora
from scripts.training.conditions import RATIOS, Conditions
from scripts.training.corpus import RATE, Clip, Corpus
from scripts.training.texts import book, tested_words

Samples = npt.NDArray[np.int16]
_BLOCK = RATE // 10
_SHORT = 3


@dataclass
class Count:
    """Outcomes of a test."""

    right: int = 0
    """The right command was heard."""
    wrong: int = 0
    """Another command was heard."""
    rejected: int = 0
    """Nothing was heard."""
    false: int = 0
    """A command was heard in speech that is none."""
    other: int = 0
    """Clips of such speech."""
    confusions: dict[tuple[str, str], int] = field(default_factory=dict)
    """(said, heard) and how often, for everything not right."""

    @property
    def commands(self) -> int:
        """Clips that are commands."""
        return self.right + self.wrong + self.rejected

    def rate(self) -> float:
        """Share of commands that were right."""
        return self.right / max(1, self.commands)

    def add(self, more: Count) -> None:
        """Add another test's outcomes."""
        self.right += more.right
        self.wrong += more.wrong
        self.rejected += more.rejected
        self.false += more.false
        self.other += more.other
        for pair, times in more.confusions.items():
            self.confusions[pair] = self.confusions.get(pair, 0) + times


class Listener:
    """One Vosk model with one grammar, judged by whole utterances: exactly one token, or nothing."""

    def __init__(self, model: vosk.Model, tokens: Iterable[str]) -> None:
        """``tokens`` must be in the model; ``[unk]`` is added."""
        self._grammar = json.dumps([*tokens, graph.UNKNOWN], ensure_ascii=False)
        self._recogniser = vosk.KaldiRecognizer(model, RATE, self._grammar)

    def hear(self, samples: Samples) -> str:
        """The token heard in a sound; empty when none, several, or anything beside it was."""
        heard: list[str] = []
        for start in range(0, len(samples), _BLOCK):
            if self._recogniser.AcceptWaveform(samples[start : start + _BLOCK].tobytes()):
                heard += json.loads(self._recogniser.Result())["text"].split()
        heard += json.loads(self._recogniser.FinalResult())["text"].split()
        return heard[0] if len(heard) == 1 and heard[0] != graph.UNKNOWN else ""


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a test and which of them count as the same."""

    tokens: tuple[str, ...]
    """All tokens of the grammar."""
    meaning: Mapping[str, str]
    """Per token, the command it stands for."""
    sounds: Mapping[Pronunciation, str]
    """Per pronunciation, one of the tokens that have it: what sounds the same cannot be told apart."""

    @classmethod
    def of_commands(cls, language: str, pronouncer: Pronouncer) -> Vocabulary:
        """All phrases of the locale; those of one command mean the same."""
        phrases = book(language)
        meaning = {
            token(text): repr(sorted(map(repr, phrases.commands[phrases.normalise(text)])))
            for text in phrases.phrases()
        }
        return cls._of(list(meaning), meaning, pronouncer)

    @classmethod
    def of_words(cls, language: str, pronouncer: Pronouncer) -> Vocabulary:
        """Digits 0 to 12, yes, no, stop and the like: single words."""
        return cls._of([token(word) for word in tested_words(language)], {}, pronouncer)

    @classmethod
    def of_clips(cls, clips: Iterable[Clip], pronouncer: Pronouncer) -> Vocabulary:
        """All short texts of some clips."""
        short = [token(written(clip.text)) for clip in clips if len(clip.text.split()) <= _SHORT]
        return cls._of(short, {}, pronouncer)

    @classmethod
    def _of(cls, tokens: Sequence[str], meaning: Mapping[str, str], pronouncer: Pronouncer) -> Vocabulary:
        found: dict[str, str] = {}
        sounds: dict[Pronunciation, str] = {}
        for name, readings in pronouncer.pronounce_all(dict.fromkeys(tokens)).items():
            for reading in readings:
                sounds.setdefault(reading, name)
            same = sounds[readings[0]]
            found[name] = meaning.get(name, meaning.get(same, same))
        return cls(tuple(found), found, sounds)

    def said(self, clip: Clip) -> str:
        """The token a clip is, by its text or by its sound; empty when it is none."""
        name = token(written(clip.text))
        return name if name in self.meaning else self.sounds.get(sum(clip.words, ()), "")


def judge(listener: Listener, vocabulary: Vocabulary, clips: Iterable[tuple[Clip, Samples]]) -> Count:
    """Play clips to a listener. Speech that is no token of the vocabulary must not be heard as one."""
    count = Count()
    for clip, samples in clips:
        said = vocabulary.said(clip)
        if not said and clip.kind == "command":
            continue  # a command of another test
        heard = listener.hear(samples)
        if not said:
            count.other += 1
            count.false += bool(heard)
            problem = bool(heard)
        elif not heard:
            count.rejected += 1
            problem = True
        else:
            problem = vocabulary.meaning[heard] != vocabulary.meaning[said]
            count.wrong += problem
            count.right += not problem
        if problem:
            pair = (said or clip.text, heard)
            count.confusions[pair] = count.confusions.get(pair, 0) + 1
    return count


@dataclass
class TestSet:
    """Held-out clips of one language and role, by source."""

    corpus: Corpus
    """All of them."""
    conditions: Conditions
    """The circumstances they are played in."""

    @classmethod
    def load(cls, data: Path, language: str, role: str) -> TestSet:
        """The clips of a role: of the language, and (for "tune" and "test") foreign speech of people."""
        foreign = {"tune": "human-be-tune", "test": "human-es-test"}[role]
        stems = [stem for stem in corpora(data, role) if f"-{language}-" in stem.name or stem.name == foreign]
        corpus = Corpus(stems)
        voices = [corpus.samples(at) for at in range(0, len(corpus), max(1, len(corpus) // 300))]
        return cls(corpus, Conditions(voices))

    def choose(self, source: str | None, limit: int | None, human: bool = False) -> list[int]:
        """Numbers of clips of a source (all synthetic ones for None), evenly thinned out to a limit."""
        chosen = [
            at
            for at in range(len(self.corpus))
            if self.corpus.store_name(at).startswith("human") == human
            and (source is None or self.corpus.store_name(at).startswith(source))
        ]
        step = max(1.0, len(chosen) / limit) if limit else 1.0
        return [chosen[int(at * step)] for at in range(int(len(chosen) / step))]

    def play(self, chosen: Iterable[int], ratio: float | None) -> Iterable[tuple[Clip, Samples]]:
        """Clips in a circumstance."""
        for at in chosen:
            yield self.corpus.clips[at], self.conditions(self.corpus.samples(at), at, ratio)


@dataclass
class Report:
    """The figures of one language."""

    language: str
    """Its code."""
    counts: dict[str, Count]
    """By the name of the test."""

    def rows(self) -> list[str]:
        """The table's rows, in Markdown."""
        made = []
        for name, count in self.counts.items():
            false = f"{count.false}/{count.other}" if count.other else "-"
            share = f"{100 * count.rate():.1f} %" if count.commands else "-"
            made.append(
                f"| {self.language} | {name} | {share} | {count.right} | {count.wrong} "
                f"| {count.rejected} | {false} |"
            )
        return made


HEADER = (
    "| language | test | right | right | wrong | rejected | heard in other speech |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
)
"""Head of the table of :meth:`Report.rows`."""


def evaluate(
    base: Path, data: Path, language: str, role: str = "test", clips: int = 400, noisy: int = 150
) -> Report:
    """Test the model in ``base`` on the held-out clips in the data folder: commands, noise, words, people."""
    pronouncer = export.pronouncer(language)
    tests = TestSet.load(data, language, role)
    counts: dict[str, Count] = {}
    commands = Vocabulary.of_commands(language, pronouncer)
    with export.scratch_model(base, commands.tokens, pronouncer) as folder:
        listener = Listener(vosk.Model(folder), commands.tokens)
        for source in dict.fromkeys(
            tests.corpus.store_name(at).split("-")[0] for at in range(len(tests.corpus))
        ):
            human = source == "human"
            counts[f"commands, {source}"] = judge(
                listener, commands, tests.play(tests.choose(source, clips if not human else 300, human), None)
            )
        synthetic = Count()
        for name, count in counts.items():
            if not name.endswith("human"):
                synthetic.add(count)
        counts["commands, all synthetic voices, quiet"] = synthetic
        noise = Count()
        for ratio in RATIOS:
            noise.add(judge(listener, commands, tests.play(tests.choose(None, noisy), ratio)))
        counts["commands, 6 to 24 dB, rooms"] = noise
    words = Vocabulary.of_words(language, pronouncer)
    with export.scratch_model(base, words.tokens, pronouncer) as folder:
        listener = Listener(vosk.Model(folder), words.tokens)
        counts["words, synthetic"] = judge(listener, words, tests.play(tests.choose(None, clips), None))
        counts["words, people"] = judge(listener, words, tests.play(tests.choose(None, None, True), None))
    people = [at for at in tests.choose(None, None, True) if tests.corpus.clips[at].language == language]
    own = Vocabulary.of_clips([tests.corpus.clips[at] for at in people], pronouncer)
    with export.scratch_model(base, own.tokens, pronouncer) as folder:
        listener = Listener(vosk.Model(folder), own.tokens)
        short = [at for at in people if own.said(tests.corpus.clips[at])]
        counts[f"people, {len(own.tokens)} short texts"] = judge(listener, own, tests.play(short, None))
    return Report(language, counts)
