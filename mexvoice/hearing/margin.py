"""How much likelier a phrase is than unknown speech, by Vosk's own likelihoods."""

import numpy as np

from mexvoice.hearing.decoder import Decoder, Decoding, Samples
from mexvoice.hearing.grammar import FittedGrammar

GRAPH_SCALE = 0.9
"""Vosk weighs the costs of the grammar by this much against those of the sound."""


def margin(
    decoder: Decoder, grammar: FittedGrammar, decoding: Decoding, samples: Samples, loud_db: float
) -> float:
    """Log-likelihood, a word, by which a decoding beats unknown speech; infinite when it has no likelihood.

    Args:
        decoder: what decoded it.
        grammar: of the decoder.
        decoding: of the whole utterance.
        samples: the utterance.
        loud_db: level of its loud part, in dB of full scale.
    """
    if decoding.score is None or not decoding.words:
        return float("inf")
    unknown = decoder.unknown(samples, loud_db)
    gain = (decoding.score - (unknown.score or 0.0)) / len(decoding.words)
    # The more entries a grammar has, the less likely Vosk thinks each, whatever the sound; a call word and
    # its phrase are one entry.
    called = bool(grammar.read(decoding.tokens).call)
    share = max(1, len(decoding.words) - called) / len(decoding.words)
    return gain + share * GRAPH_SCALE * float(np.log(grammar.entries))
