"""What somebody near says, among what others say farther away."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.decoder import Word
from mexvoice.hearing.endpoint import HOP_SECONDS, RATE

EDGE_SECONDS = 0.2
"""Sound kept on both sides of the words of somebody near."""

LOUDEST_PERCENT = 80.0
"""A word is as loud as this share of its frames are at most: its vowels, not its pauses."""


_NEARLY_ALL = (0.3, 0.5)
"""Seconds before and after the loud frames that any utterance has: nothing is to be cut off."""

Levels = npt.NDArray[np.float32]


def nearest(frames: Levels, words: Sequence[Word], farther: float) -> slice | None:
    """The stretch of a sound that holds its loudest words, when all others are farther away.

    Args:
        frames: the sound, as `mexvoice.hearing.endpoint.levels` sees it.
        words: what is heard in it, with times from its beginning.
        farther: dB by which the others must be less loud than the loudest.

    Returns:
        The samples from the first to the last of the loud words, with a little before and after; None when
        no word is farther away, or one that is lies between others.
    """
    if not words:
        return None
    loud = [
        _loudness(frames[round(word.start / HOP_SECONDS) : round(word.end / HOP_SECONDS)]) for word in words
    ]
    near = [at for at, level in enumerate(loud) if level > max(loud) - farther]
    if len(near) == len(words) or near[-1] - near[0] >= len(near):
        return None
    return _stretch(words[near[0]].start, words[near[-1]].end)


def loudest(frames: Levels, farther: float) -> slice | None:
    """The stretch of a sound from its first to its last loud frame; None when that is nearly all of it.

    Args:
        frames: the sound, as `mexvoice.hearing.endpoint.levels` sees it.
        farther: dB by which what is cut off is less loud than the peak.
    """
    loud = np.flatnonzero(frames > frames.max(initial=-np.inf) - farther)
    if not len(loud):
        return None
    start, end = float(loud[0] * HOP_SECONDS), float((loud[-1] + 2) * HOP_SECONDS)
    before, after = _NEARLY_ALL
    if start < before and end > len(frames) * HOP_SECONDS - after:
        return None
    return _stretch(start, end)


def _stretch(start: float, end: float) -> slice:
    """The samples between two times in seconds, with a little before and after."""
    return slice(max(0, round((start - EDGE_SECONDS) * RATE)), round((end + EDGE_SECONDS) * RATE))


def _loudness(frames: Levels) -> float:
    return float(np.percentile(frames, LOUDEST_PERCENT)) if len(frames) else -np.inf
