"""Cases to learn from how certain a phrase is: what voices and people of the training say, with the phrase
that fits best laid over it, true or false.

Phrases are said in quiet and in noise; other speech and noise fit some phrase, too, and make the false cases.
What is heard is listened to as the program listens: compared with every phrase of a vocabulary.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.certainty import Certainty, Weights
from mexvoice.hearing.decoder import Samples, dressed
from mexvoice.hearing.endpoint import Activity
from mexvoice.hearing.evidence import EVIDENCE, Fit, Numbers, Typical, evidence_of
from mexvoice.hearing.lexicon import token
from mexvoice.hearing.phones import INVENTORY, nativise
from mexvoice.hearing.pronunciation import Pronouncer
from scripts.training.augmentation import Augmentation
from scripts.training.batches import TRAINING_MUSIC, music
from scripts.training.conditions import RATIOS, TALKERS, Conditions
from scripts.training.corpus import RATE, Clip, Corpus, fairly
from scripts.training.evaluate import Vocabulary
from scripts.training.export import pronouncer as export_pronouncer
from scripts.training.texts import book

_DRAWS = 4
"""Vocabularies of phrases that are drawn, beside all phrases, single words and what people say ..."""
_DRAWN = 60
"""... how many phrases each has: few, so that much that is none fits one best ..."""
_DECOYS = 20
"""... and how many decoys."""
_SAID = {"whole": 600, "own": 400}
"""Clips of voices, or people, that say a phrase, for each vocabulary ..."""
_SAID_OTHERWISE = 190
"""... and for all others; each in quiet and at three ratios of noise, people in quiet alone."""
_RATIOS_APART = (0, 3, 5)
"""Which ratios, counted on from one that is another for each clip."""
_OTHER = 600
"""Clips of people, and as many of voices, who say anything else, for each vocabulary ..."""
_MORE_OTHER = 1400
"""... and for all phrases and single words; a third of them in noise, some cut out of what was said."""
_NEAR = 2500
"""Clips of phrases and of what is nearly one, all phrases open; a third of them in noise, too."""
_NOISES = 90
"""Pieces of music and babble with nobody near, for each vocabulary ..."""
_NOISE_LEVEL = 2000.0
"""... and how loud they are, of 32767."""
_AS_IT_IS = 3
"""One clip of so many is played at its own speed ..."""
_WARP = (-0.22, 0.22)
"""... the others at one between these (logarithms), which changes pitch and vocal tract, too."""
_CUT = 0.9 - 0.3
"""Seconds taken off the silence at the end: an utterance is looked at as soon as it has ended."""
_LONGEST = 4.5
"""Seconds of sound; what goes on for longer is talk, whatever it is."""


@dataclass(frozen=True)
class Case:
    """The likeliest phrase of something that was heard."""

    outputs: npt.NDArray[np.float16]
    """The network's view of the utterance."""
    fit: Fit
    """The phrase laid over it."""
    true: bool
    """Whether it was said."""

    def evidence(self, typical: Typical) -> Numbers:
        """What there is to be weighed."""
        return evidence_of(self.outputs.astype(np.float32), self.fit, typical)


def flat() -> Weights:
    """Weights that count nothing and know no phone."""
    ones, zeros = np.ones(len(INVENTORY)), np.zeros(len(INVENTORY))
    width = len(EVIDENCE)
    typical = Typical(zeros, ones, zeros, ones)
    return Weights(
        np.zeros(width), np.ones(width), np.zeros((1, width)), np.zeros(1), np.zeros(1), 0.0, typical
    )


class _Ear:
    """Finds the phrase of one vocabulary that fits a sound best."""

    def __init__(
        self, base: Path, vocabulary: Vocabulary, decoys: Sequence[str], pronouncer: Pronouncer
    ) -> None:
        unlike = [
            name
            for name in decoys
            if name not in vocabulary.meaning
            and not any(reading in vocabulary.sounds for reading in pronouncer.pronounce(name))
        ]
        self._meaning: Mapping[str, str] = vocabulary.meaning
        self._certainty = Certainty(base, pronouncer, [*vocabulary.tokens, *unlike], flat())

    def hear(self, samples: Samples, said: str = "") -> Case | None:
        """The case that a sound makes in which a token is `said`, or none; None when nothing fits it."""
        activity = Activity()
        activity.feed(samples)
        if not activity.speaking or len(samples) > _LONGEST * RATE:
            return None
        outputs: Outputs = self._certainty.outputs(dressed(samples, activity.peak).astype(np.float32))
        ranking = self._certainty.ranking
        scores = ranking.scores(outputs)
        best = ranking.best(scores, self._meaning.__contains__)
        if best is None:
            return None
        meaning = self._meaning[best]
        rank = ranking.rank(best, scores, lambda other: self._meaning.get(other) == meaning)
        fit = self._certainty.fit(outputs, [best], rank, activity.excess)
        if fit is None:
            return None
        return Case(outputs.astype(np.float16), fit, bool(said) and self._meaning[said] == meaning)


class Gatherer:
    """Gathers the cases of one language."""

    def __init__(self, base: Path, data: Path, language: str, seed: int = 5) -> None:
        """Find the clips.

        Args:
            base: the model that listens.
            data: folder of the training data.
            language: code of the language.
            seed: of all that is random.
        """
        stores = sorted(path.with_suffix("") for path in (data / "corpora").glob("*.jsonl"))
        self._base, self._language, self._seed = base, language, seed
        self._corpus = corpus = Corpus([store for store in stores if _serves(store.name, language)])
        stored = [corpus.store_name(at) for at in range(len(corpus))]
        self._people = [at for at, name in enumerate(stored) if name.startswith("human-")]
        self._near = [at for at, name in enumerate(stored) if name.endswith("-near") or _is_like_people(name)]
        self._voices = sorted({*range(len(corpus))} - {*self._people, *self._near})
        self._babble = [corpus.samples(at) for at in fairly(corpus, self._people)[:300]]
        self._conditions = Conditions(self._babble, seed, music(TRAINING_MUSIC))
        self._pronouncer = export_pronouncer(language)
        self._whole = Vocabulary.of_commands(language, self._pronouncer)
        self._decoys = [token(word) for word in book(language).decoys]

    def gather(self) -> Iterator[Case]:
        """All cases."""
        chance = random.Random(f"{self._seed}-{self._language}")
        words = Vocabulary.of_words(self._language, self._pronouncer)
        whole, clips = self._whole, self._corpus.clips
        yield from self._of("words", words, self._voices, [])
        yield from self._of("whole", whole, self._voices, self._decoys)
        yield from self._nearly(whole)
        said = sorted({whole.said(clips[at]) for at in self._voices} - {""})
        for turn in range(_DRAWS):
            half = [chance.sample(found, min(_DRAWN // 2, len(found))) for found in (said, whole.tokens)]
            decoys = chance.sample(self._decoys, min(_DECOYS, len(self._decoys))) if turn % 2 else []
            yield from self._of("drawn", _part(whole, [*half[0], *half[1]]), self._voices, decoys)
        own = [at for at in self._people if clips[at].language == self._language]
        people = Vocabulary.of_clips((clips[at] for at in own), self._pronouncer)
        if people.tokens:
            yield from self._of("own", people, own, [])

    def _of(
        self, name: str, vocabulary: Vocabulary, speakers: list[int], decoys: Sequence[str]
    ) -> Iterator[Case]:
        """The cases of one vocabulary, whose phrases some clips say."""
        ear = _Ear(self._base, vocabulary, decoys, self._pronouncer)
        clips, noisy = self._corpus.clips, name != "own"
        chosen = [at for at in speakers if vocabulary.said(clips[at])]
        for turn, at in enumerate(fairly(self._corpus, chosen)[: _SAID.get(name, _SAID_OTHERWISE)]):
            ratios = [RATIOS[(turn + apart) % len(RATIOS)] for apart in _RATIOS_APART] if noisy else []
            for ratio in (None, *ratios):
                played = self._played(self._corpus.samples(at), 11 * at + (ratio or 0), ratio)
                case = ear.hear(played, vocabulary.said(clips[at]))
                if case is not None:
                    yield case
        count = _MORE_OTHER if name in ("words", "whole") else _OTHER
        for group in (self._people, self._voices):
            # A phrase of the program that is not of this vocabulary is too near: the program knows them all.
            other = [
                at
                for at in group
                if not self._like(clips[at], vocabulary) and not self._whole.said(clips[at])
            ]
            for turn, at in enumerate(fairly(self._corpus, other)[:count]):
                sound = _piece(self._corpus.samples(at), np.random.default_rng([at, len(vocabulary.tokens)]))
                ratio = None if turn % 3 else RATIOS[turn % len(RATIOS)]
                case = ear.hear(self._played(sound, 13 * at, ratio))
                if case is not None:
                    yield case
        for number in range(_NOISES):
            rng = np.random.default_rng([self._seed, number])
            source = Augmentation(rng, self._babble, self._conditions.pieces, TALKERS)
            noise = source.noise_of(("babble", "music")[number % 2], 2 * RATE) * _NOISE_LEVEL
            case = ear.hear(noise.astype(np.int16))
            if case is not None:
                yield case

    def _nearly(self, vocabulary: Vocabulary) -> Iterator[Case]:
        """What is a phrase of a vocabulary, or one but for a word."""
        ear = _Ear(self._base, vocabulary, self._decoys, self._pronouncer)
        clips = self._corpus.clips
        chosen = [
            at for at in self._near if vocabulary.said(clips[at]) or not self._like(clips[at], vocabulary)
        ]
        for turn, at in enumerate(fairly(self._corpus, chosen)[:_NEAR]):
            for ratio in (None,) if turn % 3 else (None, RATIOS[turn % len(RATIOS)]):
                played = self._played(self._corpus.samples(at), 17 * at + (ratio or 0), ratio)
                case = ear.hear(played, vocabulary.said(clips[at]))
                if case is not None:
                    yield case

    def _played(self, sound: Samples, number: int, ratio: int | None) -> Samples:
        """A clip in some circumstances, most of them by a bigger or smaller speaker, slower or faster."""
        if number % _AS_IT_IS:
            factor = np.exp(np.random.default_rng([self._seed, number]).uniform(*_WARP))
            at = np.arange(0, len(sound) - 1, factor)
            sound = np.interp(at, np.arange(len(sound)), sound).astype(np.int16)
        played = self._conditions(sound, number, ratio)
        return played[: len(played) - int(_CUT * RATE)]

    def _like(self, clip: Clip, vocabulary: Vocabulary) -> bool:
        """Whether a clip is, or sounds like, a phrase."""
        sound = nativise(sum(clip.words, ()), self._language)
        return bool(vocabulary.said(clip) or vocabulary.sounds.get(sound, ""))


def _part(whole: Vocabulary, tokens: Sequence[str]) -> Vocabulary:
    """Some phrases of a vocabulary."""
    drawn = tuple(dict.fromkeys(tokens))
    sounds = {sound: name for sound, name in whole.sounds.items() if name in drawn}
    return Vocabulary(drawn, {name: whole.meaning[name] for name in drawn}, sounds)


def _piece(sound: Samples, rng: np.random.Generator) -> Samples:
    """Half of all longer clips are cut: talk is heard from anywhere to anywhere."""
    seconds = len(sound) / RATE
    if seconds < 1.1 or rng.random() < 0.5:
        return sound
    length = int(rng.uniform(0.35, min(2.0, seconds - 0.2)) * RATE)
    start = int(rng.integers(0, len(sound) - length))
    piece = sound[start : start + length]
    return piece if np.abs(piece).max() > _AUDIBLE else sound


_AUDIBLE = 300
"""Of 32767: what is all below is silence."""


def _serves(store: str, language: str) -> bool:
    """Whether a store has voices kept for tuning, or people who were in training."""
    source, spoken, role = store.split("-")
    if source == "human":
        return role in ("train", "tune")
    return spoken == language and (role in ("tune", "near") or _is_like_people(store))


def _is_like_people(store: str) -> bool:
    """Whether its voices, though of the training, say words as people do and not as espeak-ng writes them."""
    source, _, role = store.split("-")
    return (source, role) == ("kokoro", "train")
