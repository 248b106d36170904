"""What speaks for the phrases that an utterance may be."""

import numpy as np

from mexvoice.hearing.acoustics import STRIDE, Outputs
from mexvoice.hearing.alignment import SILENCE
from mexvoice.hearing.certainty import Certainty
from mexvoice.hearing.decoder import Decoder, Decoding, Samples, Word, dressed
from mexvoice.hearing.grammar import FittedGrammar
from mexvoice.hearing.margin import margin
from mexvoice.hearing.model import Model
from mexvoice.hearing.ranking import Scores

FRAME = STRIDE / 100
"""Seconds of an output frame."""

_BESIDE = 3
"""Output frames looked at before and after one phrase of several."""


class Judgement:
    """Judges what was decoded from one utterance; nothing is worked out before it is asked for, or twice."""

    def __init__(
        self,
        model: Model,
        grammar: FittedGrammar,
        decoder: Decoder,
        speech: Samples,
        loud_db: float,
        excess: float,
    ) -> None:
        """Judge an utterance.

        Args:
            model: what heard it.
            grammar: what was listened for.
            decoder: of both.
            speech: the utterance.
            loud_db: level of its loud part, in dB of full scale.
            excess: dB by which that is above the noise.
        """
        self._model = model
        self._grammar = grammar
        self._decoder = decoder
        self._excess = excess
        self._outputs: Outputs | None = None
        self._scores: Scores | None = None
        self._margins: dict[tuple[str, ...], float] = {}
        self._certainties: dict[tuple[str, ...], float] = {}
        self.speech = speech
        self.loud_db = loud_db

    def margin(self, decoding: Decoding) -> float:
        """Log-likelihood, a word, by which a decoding beats unknown speech; infinite where unknown."""
        known = self.known_margin(decoding)
        if decoding.tokens not in self._margins:
            known = margin(self._decoder, self._grammar, decoding, self.speech, self.loud_db)
            self._margins[decoding.tokens] = known
        return known

    def known_margin(self, decoding: Decoding) -> float:
        """The margin of a decoding if it was asked for; else infinite."""
        return self._margins.get(decoding.tokens, float("inf"))

    @property
    def is_weighed(self) -> bool:
        """Whether the model has weights for the certainty; else the margin is all there is."""
        return self._model.certainty is not None

    def known_certainty(self, decoding: Decoding) -> float:
        """The certainty of a decoding if it was asked for; else infinite."""
        return self._certainties.get(decoding.tokens, float("inf"))

    def certainty(self, decoding: Decoding) -> float:
        """Log-odds that what was decoded was said; infinite for a model that has no weights for it.

        Several phrases are as certain as the least certain of them, each looked at alone.
        """
        judge = self._model.certainty
        if judge is None:
            return float("inf")
        if decoding.tokens not in self._certainties:
            places = self._grammar.places(decoding.tokens)
            found = [self._of_phrase(judge, decoding, first, last) for first, last in places]
            self._certainties[decoding.tokens] = min(found, default=float("-inf"))
        return self._certainties[decoding.tokens]

    def likeliest(self) -> Decoding | None:
        """The phrase that fits best, whatever Vosk has heard; None when none can have been said, or the model
        has nothing to compare phrases with."""
        judge = self._model.certainty
        if judge is None:
            return None
        outputs = self._seen(judge)
        token = judge.ranking.best(self._ranked(judge), self._grammar.has)
        spoken = [part for part in judge.segments(outputs, [token] if token else []) if part.phone != SILENCE]
        if token is None or not spoken:
            return None
        return Decoding((Word(token, spoken[0].start * FRAME, spoken[-1].end * FRAME),))

    def _of_phrase(self, judge: Certainty, decoding: Decoding, first: int, last: int) -> float:
        """The certainty of the phrase at the place `last`, with the call word at `first` before it."""
        tokens, words, outputs = decoding.tokens, decoding.words, self._seen(judge)
        if tokens[last] not in judge.ranking:
            return float("-inf")
        if len(tokens) == 1:
            scores = self._ranked(judge)
        else:
            scores = judge.ranking.scores(_cut(outputs, words[last], words[last]))
            outputs = _cut(outputs, words[first], words[last])
        rank = judge.ranking.rank(tokens[last], scores, lambda other: self._grammar.same(tokens[last], other))
        return judge.of(outputs, judge.fit(outputs, tokens[first : last + 1], rank, self._excess))

    def _seen(self, judge: Certainty) -> Outputs:
        if self._outputs is None:
            sound = dressed(self.speech, self.loud_db)
            self._outputs = judge.outputs(sound.astype(np.float32))
        return self._outputs

    def _ranked(self, judge: Certainty) -> Scores:
        if self._scores is None:
            self._scores = judge.ranking.scores(self._seen(judge))
        return self._scores


def _cut(outputs: Outputs, first: Word, last: Word) -> Outputs:
    """The frames of some words and a little beside them."""
    start = max(0, int(first.start / FRAME) - _BESIDE)
    return outputs[start : int(np.ceil(last.end / FRAME)) + _BESIDE]
