"""Where in an utterance each phone of a phrase is, supposing that the phrase is what was said.

The likeliest path through one chain of phones a pronunciation (Viterbi), with silence around it and, where a
pause may be, between words. As in the graphs of the models a phone has one output of the network for its
first frame and one for the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.acoustics import Outputs

SILENCE = 0
"""Index of silence among the phones of a network."""

PAUSE_UNIT = -1
"""Stands in a pronunciation for a place where a pause may be."""

IMPOSSIBLE = np.float32(-1e9)
"""Score of what cannot be."""

Units = Sequence[int]
"""A pronunciation: indices of phones, and `PAUSE_UNIT` between words."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of frames given to one phone, or to silence."""

    phone: int
    """Index of the phone; `SILENCE`."""
    start: int
    """First output frame."""
    end: int
    """The output frame after the last."""
    word: int
    """Number of the word it belongs to, counted by the places for pauses before it."""


def align(outputs: Outputs, pronunciations: Sequence[Units]) -> list[Segment]:
    """The segments of the likeliest pronunciation.

    Args:
        outputs: [frames, 2 * phones] of the network; the outputs of phone p are 2p (first frame) and 2p + 1.
        pronunciations: indices of phones, and `PAUSE_UNIT` between words.

    Returns:
        The segments in order, without gaps; none when every pronunciation has more phones than there are
        frames.
    """
    frames = len(outputs)
    chains = [chain_of(units) for units in pronunciations if 0 < sum(u >= 0 for u in units) <= frames]
    if not chains:
        return []
    phones, skippable = table_of(chains)
    score = np.full(phones.shape, IMPOSSIBLE, np.float32)
    start = outputs[0][2 * phones[:, :2]]
    score[:, :2] = start
    moves = np.zeros((frames, *phones.shape), np.int8)
    for frame in range(1, frames):
        one = np.pad(score, ((0, 0), (1, 0)), constant_values=IMPOSSIBLE)[:, :-1]
        two = np.pad(score, ((0, 0), (2, 0)), constant_values=IMPOSSIBLE)[:, :-2]
        two = np.where(skippable, two, IMPOSSIBLE)
        stay = score + outputs[frame][2 * phones + 1]
        enter = np.maximum(one, two) + outputs[frame][2 * phones]
        moves[frame] = np.where(stay >= enter, 0, np.where(one >= two, 1, 2))
        score = np.maximum(stay, enter)
    ends = [(float(score[row, last]), row, last) for row, chain in enumerate(chains)
            for last in (len(chain) - 1, len(chain) - 2)]  # fmt: skip
    _, row, unit = max(ends)
    return _trace(moves[:, row], chains[row], unit)


def score_of(outputs: Outputs, segments: Sequence[Segment]) -> float:
    """Log-likelihood of a path: the network's outputs along it."""
    total = 0.0
    for segment in segments:
        first, others = 2 * segment.phone, 2 * segment.phone + 1
        total += float(outputs[segment.start, first] + outputs[segment.start + 1 : segment.end, others].sum())
    return total


def chain_of(units: Units) -> list[int]:
    """The phones of a pronunciation with silence around it and in its pauses."""
    return [SILENCE, *(SILENCE if unit == PAUSE_UNIT else unit for unit in units), SILENCE]


def table_of(chains: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Chains as one table: their phones [chains, units], and whether the unit before may be passed over."""
    longest = max(map(len, chains))
    phones = np.zeros((len(chains), longest), np.int64)
    optional = np.zeros((len(chains), longest), bool)
    for row, chain in enumerate(chains):
        phones[row, : len(chain)] = chain
        optional[row, : len(chain)] = [phone == SILENCE for phone in chain]
    return phones, np.pad(optional, ((0, 0), (1, 0)))[:, :-1]


def _trace(moves: npt.NDArray[np.int8], chain: list[int], unit: int) -> list[Segment]:
    """The segments of one chain, from its last unit backwards."""
    pauses = np.cumsum([phone == SILENCE for phone in chain])
    found: list[Segment] = []
    end = len(moves)
    for frame in range(len(moves) - 1, -1, -1):
        move = int(moves[frame, unit]) if frame else 1
        if move:
            found.append(Segment(chain[unit], frame, end, int(pauses[unit]) - 1))
            end = frame
            unit -= move
    return found[::-1]
