"""What somebody near says, among what others say farther away."""

from collections.abc import Sequence

import numpy as np

from mexvoice.hearing.decoder import Samples, Word
from mexvoice.hearing.endpoint import HOP_SECONDS, RATE, levels

EDGE_SECONDS = 0.2
"""Sound kept on both sides of the words of somebody near."""

LOUDEST_PERCENT = 80.0
"""A word is as loud as this share of its frames are at most: its vowels, not its pauses."""


def nearest(samples: Samples, words: Sequence[Word], farther: float) -> slice | None:
    """The stretch of a sound that holds its loudest words, when all others are farther away.

    Args:
        samples: the sound.
        words: what is heard in it, with times from its beginning.
        farther: dB by which the others must be less loud than the loudest.

    Returns:
        The samples from the first to the last of the loud words, with a little before and after; None when
        no word is farther away, or one that is lies between others.
    """
    frames = levels(samples)
    loud = [
        _loudness(frames[round(word.start / HOP_SECONDS) : round(word.end / HOP_SECONDS)]) for word in words
    ]
    if not loud:
        return None
    near = [at for at, level in enumerate(loud) if level > max(loud) - farther]
    if len(near) == len(words) or near[-1] - near[0] >= len(near):
        return None
    start = round((words[near[0]].start - EDGE_SECONDS) * RATE)
    return slice(max(0, start), round((words[near[-1]].end + EDGE_SECONDS) * RATE))


def loudest(samples: Samples, farther: float) -> slice | None:
    """The stretch of a sound from its first to its last loud frame; None when that is nearly all of it.

    Args:
        samples: the sound.
        farther: dB by which what is cut off is less loud than the peak.
    """
    frames = levels(samples)
    loud = np.flatnonzero(frames > frames.max(initial=-np.inf) - farther)
    if not len(loud):
        return None
    start, end = (round(at * HOP_SECONDS * RATE) for at in (loud[0], loud[-1] + 2))
    edge = round(EDGE_SECONDS * RATE)
    if start < edge * 1.5 and end > len(samples) - edge * 2.5:
        return None
    return slice(max(0, start - edge), end + edge)


def _loudness(frames: np.ndarray[tuple[int], np.dtype[np.float32]]) -> float:
    return float(np.percentile(frames, LOUDEST_PERCENT)) if len(frames) else -np.inf
