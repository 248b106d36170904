"""What speaks for the phrases that an utterance may be."""

import numpy as np

from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.decoder import Decoder, Decoding, Samples
from mexvoice.hearing.grammar import FittedGrammar
from mexvoice.hearing.margin import margin
from mexvoice.hearing.model import Model


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
        self._margins: dict[tuple[str, ...], float] = {}
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

    def certainty(self, decoding: Decoding) -> float:
        """Log-odds that it was said; infinite for a model that has no weights for it."""
        judge = self._model.certainty
        if judge is None:
            return float("inf")
        if self._outputs is None:
            sound = self._decoder.dressed(self.speech, self.loud_db)
            self._outputs = judge.outputs(sound.astype(np.float32))
        several = self._grammar.read(decoding.tokens).several
        return judge.of(self._outputs, decoding.tokens, self.margin(decoding), self._excess, several)
