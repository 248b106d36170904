"""Learning how certain a phrase is: the weights of :mod:`mexvoice.hearing.certainty`.

Voices and people of the training say phrases and everything else, in quiet and in noise; whatever is heard as
a phrase is a case, true or false. The weights are those of a logistic regression over the cases of all
languages.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.alignment import SILENCE, Segment
from mexvoice.hearing.certainty import EVIDENCE, Certainty, Evidence, Weights, evidence_of, phone_scores
from mexvoice.hearing.decoder import Decoder, Samples
from mexvoice.hearing.endpoint import Activity
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.graph import assemble_model
from mexvoice.hearing.lexicon import token
from mexvoice.hearing.margin import margin
from mexvoice.hearing.model import Model
from mexvoice.hearing.phones import INVENTORY, nativise
from scripts.training.augmentation import Augmentation
from scripts.training.batches import TRAINING_MUSIC, music
from scripts.training.conditions import RATIOS, TALKERS, Conditions
from scripts.training.corpus import RATE, Clip, Corpus, fairly
from scripts.training.evaluate import Vocabulary
from scripts.training.export import pronouncer as export_pronouncer

_DRAWS = 3
"""Vocabularies of phrases that are drawn, beside the one of single words ..."""
_DRAWN = 60
"""... and how many phrases each has: few, so that much that is none is heard as one."""
_PHRASES = 80
"""Clips of its phrases that held-out voices say, for each vocabulary."""
_OTHERS = 240
"""Clips of people who speak another language, and half as many of other speech, for each."""
_OWN = 160
"""Clips of people who speak the language, each one of their short texts."""
_NOISES = 60
"""Pieces of music and babble with nobody near ..."""
_NOISE_LEVEL = 2000.0
"""... and how loud they are, of 32767."""
_CUT = 0.9 - 0.3
"""Seconds taken off the silence at the end: an utterance is looked at as soon as it has ended."""
_LEAST = 5
"""A phone met less often than this is taken for an average one."""
_PENALTY = 0.01
"""On the squares of the weights, of evidence at unit variance."""


@dataclass(frozen=True)
class Case:
    """Something was heard as a phrase."""

    outputs: Outputs
    """The network's view of the utterance."""
    segments: list[Segment]
    """The phrase laid over it."""
    margin: float
    """See :meth:`mexvoice.hearing.certainty.Certainty.of`."""
    level: float
    """The same."""
    several: bool
    """The same."""
    true: bool
    """Whether it was said."""

    def evidence(self, weights: Weights) -> Evidence:
        """What there is to be weighed."""
        return evidence_of(self.outputs, self.segments, self.margin, self.level, self.several, weights)


class _Ear:
    """Hears the phrases of one grammar in whole clips."""

    def __init__(self, base: Path, language: str, phrases: Sequence[str], certainty: Certainty) -> None:
        with tempfile.TemporaryDirectory(prefix="mexvoice-") as folder:
            assemble_model(base, Path(folder), map(token, phrases), export_pronouncer(language))
            model = Model(Path(folder), trusted=True)
        self._grammar = Grammar(phrases, sequences=True).fit(model)
        self._decoder = Decoder(model, self._grammar)
        self._certainty = certainty

    def hear(self, samples: Samples, right: Callable[[str], bool]) -> Case | None:
        """The case a sound makes; None when no phrase is heard in it."""
        activity = Activity()
        activity.feed(samples)
        if not activity.speaking:
            return None
        decoding = self._decoder.judge(samples, activity.peak)
        reading = self._grammar.read(decoding.tokens)
        if not reading.whole:
            return None
        gain = margin(self._decoder, self._grammar, decoding, samples, activity.peak)
        outputs = self._certainty.outputs(self._decoder.dressed(samples, activity.peak).astype(np.float32))
        segments = self._certainty.segments(outputs, decoding.tokens)
        if not segments:
            return None
        several = len(decoding.words) > 1
        return Case(outputs, segments, gain, activity.excess, several, right(reading.text))


def flat() -> Weights:
    """Weights that count nothing and know no phone."""
    phones = len(INVENTORY)
    return Weights(0.0, dict.fromkeys(EVIDENCE, 0.0), np.zeros(phones), np.ones(phones))


def gather(base: Path, data: Path, language: str, seed: int = 5) -> Iterator[Case]:
    """The cases of one language, heard with the model in ``base``."""
    stores = sorted(path.with_suffix("") for path in (data / "corpora").glob("*.jsonl"))
    corpus = Corpus([store for store in stores if _serves(store.name, language)])
    clips = corpus.clips
    synthetic = [at for at in range(len(corpus)) if not corpus.store_name(at).startswith("human-")]
    people = [at for at in range(len(corpus)) if corpus.store_name(at).startswith("human-")]
    voices = [corpus.samples(at) for at in fairly(corpus, people)[:300]]
    conditions = Conditions(voices, seed, music(TRAINING_MUSIC))
    pronouncer = export_pronouncer(language)
    certainty = Certainty(base, pronouncer, flat())

    vocabularies = [Vocabulary.of_words(language, pronouncer)]
    whole = Vocabulary.of_commands(language, pronouncer)
    said = sorted({whole.said(clips[at]) for at in synthetic} - {""})
    chance = random.Random(f"{seed}-{language}")
    for _ in range(_DRAWS):
        half = [chance.sample(tokens, min(_DRAWN // 2, len(tokens))) for tokens in (said, whole.tokens)]
        drawn = tuple(dict.fromkeys([*half[0], *half[1]]))
        sounds = {sound: name for sound, name in whole.sounds.items() if name in drawn}
        vocabularies.append(Vocabulary(drawn, {name: whole.meaning[name] for name in drawn}, sounds))

    def played(at: int, ratio: float | None) -> Samples:
        sound = conditions(corpus.samples(at), at, ratio)
        return sound[: len(sound) - int(_CUT * RATE)]

    for vocabulary in vocabularies:
        ear = _Ear(base, language, [name.replace("_", " ") for name in vocabulary.tokens], certainty)
        chosen = fairly(corpus, [at for at in synthetic if vocabulary.said(clips[at])])[:_PHRASES]
        others = [at for at in people if clips[at].language != language]
        others = [at for at in others if not _like(clips[at], vocabulary, language)]
        speech = [at for at in synthetic if not _like(clips[at], vocabulary, language)]
        wrong = [*fairly(corpus, others)[:_OTHERS], *fairly(corpus, speech)[: _OTHERS // 2]]
        for turn, at in enumerate([*chosen, *wrong]):
            meant = vocabulary.said(clips[at])
            loud = RATIOS[turn % len(RATIOS)]
            for ratio in (None, loud) if meant else (None,):
                case = ear.hear(played(at, ratio), partial(_same, vocabulary, meant))
                if case is not None:
                    yield case
        for number in range(_NOISES):
            source = Augmentation(np.random.default_rng([seed, number]), voices, conditions.pieces, TALKERS)
            noise = source.noise_of(("babble", "music")[number % 2], 2 * RATE) * _NOISE_LEVEL
            case = ear.hear(noise.astype(np.int16), lambda _: False)
            if case is not None:
                yield case
    own = [at for at in people if clips[at].language == language]
    vocabulary = Vocabulary.of_clips((clips[at] for at in own), pronouncer)
    if vocabulary.tokens:
        spoken = [name.replace("_", " ") for name in vocabulary.tokens]
        ear = _Ear(base, language, spoken, certainty)
        for at in fairly(corpus, [at for at in own if vocabulary.said(clips[at])])[:_OWN]:
            meant = vocabulary.said(clips[at])
            case = ear.hear(played(at, None), partial(_same, vocabulary, meant))
            if case is not None:
                yield case


def _serves(store: str, language: str) -> bool:
    """Whether a store has voices kept for tuning, or people who were in training."""
    source, spoken, role = store.split("-")
    return role in ("train", "tune") if source == "human" else (role, spoken) == ("tune", language)


def _like(clip: Clip, vocabulary: Vocabulary, language: str) -> bool:
    """Whether a clip is, or sounds like, a phrase."""
    sound = nativise(sum(clip.words, ()), language)
    return bool(vocabulary.said(clip) or vocabulary.sounds.get(sound, ""))


def _same(vocabulary: Vocabulary, said: str, text: str) -> bool:
    """Whether a text means what was said."""
    return bool(said) and vocabulary.meaning.get(token(text)) == vocabulary.meaning[said]


def typical(cases: Sequence[Case]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How the network sees each phone of true phrases: mean and spread of its log-probability."""
    seen: list[list[float]] = [[] for _ in INVENTORY]
    for case in cases:
        if case.true:
            scores = phone_scores(case.outputs)
            for segment in case.segments:
                if segment.phone != SILENCE:
                    seen[segment.phone].append(
                        float(scores[segment.start : segment.end, segment.phone].mean())
                    )
    everything = np.concatenate([np.array(values) for values in seen if values])
    mean = np.full(len(seen), everything.mean())
    spread = np.full(len(seen), everything.std())
    for phone, values in enumerate(seen):
        if len(values) >= _LEAST:
            share = len(values) / (len(values) + _LEAST)
            mean[phone] = share * np.mean(values) + (1 - share) * everything.mean()
            spread[phone] = share * np.std(values) + (1 - share) * everything.std()
    return mean, spread


def learn(cases: Sequence[Case], steps: int = 30) -> Weights:
    """The weights that tell true cases from false ones, both kinds counting the same in all."""
    mean, spread = typical(cases)
    start = Weights(0.0, dict.fromkeys(EVIDENCE, 0.0), mean, spread)
    evidence = np.array([case.evidence(start) for case in cases])
    true = np.array([case.true for case in cases])
    centre, scale = evidence.mean(0), evidence.std(0) + 1e-6
    unit = np.c_[(evidence - centre) / scale, np.ones(len(cases))]
    share = np.where(true, 0.5 / true.sum(), 0.5 / (~true).sum())
    penalty = np.diag([_PENALTY] * len(EVIDENCE) + [0.0])
    found = np.zeros(unit.shape[1])
    for _ in range(steps):  # Newton's method on the regularised log-likelihood
        odds = 1.0 / (1.0 + np.exp(-unit @ found))
        gradient = unit.T @ (share * (true - odds)) - penalty @ found
        curvature = (unit * (share * odds * (1 - odds))[:, None]).T @ unit + penalty
        found += np.linalg.solve(curvature + 1e-9 * np.eye(len(found)), gradient)
    each = found[:-1] / scale
    bias = float(found[-1] - each @ centre)
    return Weights(bias, dict(zip(EVIDENCE, map(float, each), strict=True)), mean, spread)


def count(cases: Sequence[Case]) -> str:
    """How many cases of each kind there are, in words."""
    true = sum(case.true for case in cases)
    return f"{true} phrases heard that were said, {len(cases) - true} that were not"


def curve(cases: Sequence[Case], weights: Weights) -> str:
    """A table: at each certainty asked for, which share of the true and of the false cases passes."""
    each = np.array([weights.each[name] for name in EVIDENCE])
    odds = np.array([weights.bias + case.evidence(weights) @ each for case in cases])
    true = np.array([case.true for case in cases])
    lines = ["certainty  true kept  false kept"]
    for least in np.arange(-3.0, 2.1, 0.5):
        kept = 100 * np.mean(odds[true] >= least), 100 * np.mean(odds[~true] >= least)
        lines.append(f"{least:9.1f}  {kept[0]:8.1f}%  {kept[1]:9.1f}%")
    return "\n".join(lines)
