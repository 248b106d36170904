"""Are commands heard: in quiet, and in rooms with noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scripts.judging.chain import Chain
from scripts.judging.material import Material
from scripts.training.conditions import KINDS, RATIOS
from scripts.training.corpus import RATE, Samples
from scripts.training.evaluate import Count

BEFORE, AFTER = 1.5, 0.5
"""Seconds of the room (with its noise) before and after a clip, beside those of the conditions: a
microphone is open before anybody speaks."""


def in_quiet(chain: Chain, material: Material, chosen: Sequence[int]) -> Count:
    """Play clips in a quiet room."""
    count = Count()
    for at in chosen:
        judge(chain, material, at, material.conditions(_padded(material, at), at, None), count)
    return count


def in_noise(chain: Chain, material: Material, chosen: Sequence[int]) -> dict[tuple[str, int], Count]:
    """Play each clip in a room at every ratio, each time with another kind of noise: by kind and ratio."""
    counts = {(kind, ratio): Count() for kind in KINDS for ratio in RATIOS}
    for turn, at in enumerate(chosen):
        sound = _padded(material, at)
        for place, ratio in enumerate(RATIOS):
            number = turn * len(RATIOS) + place
            played = material.conditions(sound, number, ratio)
            judge(chain, material, at, played, counts[KINDS[number % len(KINDS)], ratio])
    return counts


def judge(chain: Chain, material: Material, at: int, samples: Samples, count: Count) -> None:
    """Count what is heard in a clip: the right command and nothing else, another, or none."""
    said, heard = material.said(at), chain.hear(samples)
    if heard.commands and heard.commands <= said:
        count.right += 1
        return
    if heard.commands:
        count.wrong += 1
    else:
        count.rejected += 1
    pair = (material.text(at), heard.text)
    count.confusions[pair] = count.confusions.get(pair, 0) + 1


def total(counts: Sequence[Count]) -> Count:
    """All outcomes together."""
    both = Count()
    for count in counts:
        both.add(count)
    return both


def _padded(material: Material, at: int) -> Samples:
    before, after = (np.zeros(int(seconds * RATE), np.int16) for seconds in (BEFORE, AFTER))
    return np.concatenate([before, material.corpus.samples(at), after])
