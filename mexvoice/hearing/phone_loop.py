"""How likely an utterance is as any speech at all: phones in a row that need be no word.

Two measures: phones in an order that the language likes, which is what ``[unk]`` is in the graphs; and phones
in any order, which is the most the sound can be worth. Between the two and the phrase that was heard lies how
much was made to fit.
"""

from collections.abc import Mapping

import numpy as np

from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.alignment import SILENCE
from mexvoice.hearing.graph import UnknownModel

NEVER = -12.0
"""Log-probability of a phone after another, or at the beginning, that the language does not have."""

CHANGE = -2.0
"""Log-probability of going on to another phone when any may follow."""


class PhoneLoop:
    """Any phones in a row."""

    def __init__(self, unknown: UnknownModel, number: Mapping[str, int]) -> None:
        """Prepare the loop.

        Args:
            unknown: what follows what in the language.
            number: index of each phone of the network.

        Raises:
            ValueError: when a number is not finite.
        """
        count = len(number)
        self._start = np.full(count, NEVER, np.float32)
        self._moves = np.full((count, count), NEVER, np.float32)
        for phone, at in number.items():
            if phone in unknown.start:
                self._start[at] = unknown.start[phone] + unknown.each
            for other, to in number.items():
                if phone in unknown.backoff and other in unknown.any_phone:
                    usual = unknown.backoff[phone] + unknown.any_phone[other]
                    self._moves[at, to] = unknown.following.get(phone, {}).get(other, usual) + unknown.each
        self._moves[SILENCE, :] = self._start
        self._moves[:, SILENCE] = 0.0
        self._moves[SILENCE, SILENCE] = NEVER
        self._start[SILENCE] = 0.0
        if not (np.isfinite(self._start).all() and np.isfinite(self._moves).all()):
            raise ValueError("what follows what is not a number")

    def likely(self, outputs: Outputs) -> float:
        """Log-likelihood of [frames, 2 * phones] as phones in an order of the language."""
        score = self._start + outputs[0, 0::2]
        for frame in outputs[1:]:
            entered = (score[:, None] + self._moves).max(axis=0)
            score = np.maximum(score + frame[1::2], entered + frame[0::2])
        return float(score.max())

    def any(self, outputs: Outputs) -> float:
        """Log-likelihood of [frames, 2 * phones] as phones in any order."""
        score = outputs[0, 0::2]
        for frame in outputs[1:]:
            score = np.maximum(score + frame[1::2], score.max() + CHANGE + frame[0::2])
        return float(score.max())
