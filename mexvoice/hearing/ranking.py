"""How well each of many phrases fits an utterance, all at once.

What a phrase is worth shows beside the others: a command that was said fits better by far than whatever else
could have been, and table talk fits several alike. Vosk tells the best one only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.alignment import IMPOSSIBLE, SILENCE, Units, chain_of, table_of

Scores = npt.NDArray[np.float32]

FARTHEST = 25.0
"""Log-likelihoods farther apart than this are no farther apart."""

_BLOCK = 256
"""Pronunciations worked on together; those of like length, as the longest sets the cost."""


@dataclass(frozen=True, slots=True)
class Rank:
    """Where a phrase stands among all the phrases there are."""

    ahead: float
    """Log-likelihood by which it is ahead of the best that means something else; below zero when behind."""
    share: float
    """Logarithm of its share, with those that mean the same, of the likelihood of all."""


class Ranking:
    """Phrases ready to be compared with utterances."""

    def __init__(self, readings: Mapping[str, Sequence[Units]]) -> None:
        """Prepare some phrases.

        Args:
            readings: their pronunciations, by token.
        """
        self.tokens = tuple(token for token, found in readings.items() if found)
        self._place = {token: at for at, token in enumerate(self.tokens)}
        self._sounds = [frozenset(map(tuple, readings[token])) for token in self.tokens]
        rows = [(chain_of(units), at) for at, token in enumerate(self.tokens) for units in readings[token]]
        rows.sort(key=lambda row: len(row[0]))
        self._blocks = [_Block(rows[at : at + _BLOCK]) for at in range(0, len(rows), _BLOCK)]

    def __contains__(self, token: str) -> bool:
        return token in self._place

    def scores(self, outputs: Outputs) -> Scores:
        """[tokens] log-likelihood of each in its likeliest pronunciation, silence around it.

        Args:
            outputs: [frames, 2 * phones] of the network for the utterance.
        """
        found = np.full(len(self.tokens), IMPOSSIBLE, np.float32)
        if len(outputs):
            for block in self._blocks:
                block.score(outputs, found)
        return found

    def best(self, scores: Scores, fits: Callable[[str], bool]) -> str | None:
        """The likeliest token that fits; None when none can have been said."""
        for at in np.argsort(-scores):
            if scores[at] <= IMPOSSIBLE / 2:
                return None
            token = self.tokens[int(at)]
            if fits(token):
                return token
        return None

    def rank(self, token: str, scores: Scores, same: Callable[[str], bool]) -> Rank:
        """Where a token stands.

        Args:
            token: one of `tokens`.
            scores: of all of them for the utterance.
            same: whether another token means the same; one that sounds the same is taken for it, too.
        """
        at = self._place[token]
        alike = np.array(
            [
                other == at or not self._sounds[at].isdisjoint(self._sounds[other]) or same(name)
                for other, name in enumerate(self.tokens)
            ]
        )
        near = scores > scores.max() - 2 * FARTHEST
        rest = scores[~alike]
        ahead = float(scores[at] - rest.max()) if len(rest) else FARTHEST
        likely = np.exp(scores[near] - scores.max())
        own = float(likely[alike[near]].sum())
        share = np.log(own / float(likely.sum())) if own > 0 else -FARTHEST
        return Rank(float(np.clip(ahead, -FARTHEST, FARTHEST)), max(float(share), -FARTHEST))


class _Block:
    """Pronunciations of about the same length."""

    def __init__(self, rows: Sequence[tuple[list[int], int]]) -> None:
        chains = [chain for chain, _ in rows]
        self._owners = np.array([owner for _, owner in rows])
        self._phones, skippable = table_of(chains)
        self._fixed = ~skippable
        self._last = np.array([len(chain) - 1 for chain in chains])
        self._frames = np.array([sum(phone != SILENCE for phone in chain) for chain in chains])

    def score(self, outputs: Outputs, found: Scores) -> None:
        """Raise what is `found` to the scores of these pronunciations."""
        first, others = 2 * self._phones, 2 * self._phones + 1
        score = np.full(self._phones.shape, IMPOSSIBLE, np.float32)
        score[:, :2] = outputs[0][first[:, :2]]
        one, two = np.full_like(score, IMPOSSIBLE), np.full_like(score, IMPOSSIBLE)
        for frame in outputs[1:]:
            one[:, 1:] = score[:, :-1]
            two[:, 2:] = score[:, :-2]
            two[self._fixed] = IMPOSSIBLE
            enter = np.maximum(one, two) + frame[first]
            score = np.maximum(score + frame[others], enter)
        rows = np.arange(len(score))
        ends = np.maximum(score[rows, self._last], score[rows, self._last - 1])
        ends[self._frames > len(outputs)] = IMPOSSIBLE
        np.maximum.at(found, self._owners, ends)
