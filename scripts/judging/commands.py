"""Are commands heard: in quiet, and in rooms with noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scripts.judging.chain import Chain
from scripts.judging.material import Material
from scripts.judging.tally import Tally
from scripts.training.corpus import RATE, Samples

BEFORE, AFTER = 1.5, 0.5
"""Seconds of the room (with its noise) before and after a clip, beside those of the conditions: a
microphone is open before anybody speaks."""

Noises = dict[tuple[str, int], Tally]
"""Outcomes by the kind of a noise and the ratio of speech to it in dB."""


def in_quiet(chain: Chain, material: Material, chosen: Sequence[int]) -> Tally:
    """Play clips in a quiet room."""
    tally = Tally()
    for at in chosen:
        judge(chain, material, at, material.conditions(padded(material, at), at, None), tally)
    return tally


def in_noise(chain: Chain, material: Material, chosen: Sequence[int]) -> Noises:
    """Play each clip in a room at every ratio, each time with another kind of noise."""
    from scripts.training.conditions import KINDS, RATIOS  # needs what only the training needs

    tallies = {(kind, ratio): Tally() for kind in KINDS for ratio in RATIOS}
    for turn, at in enumerate(chosen):
        sound = padded(material, at)
        for place, ratio in enumerate(RATIOS):
            number = turn * len(RATIOS) + place
            played = material.conditions(sound, number, ratio)
            judge(chain, material, at, played, tallies[KINDS[number % len(KINDS)], ratio])
    return tallies


def judge(chain: Chain, material: Material, at: int, samples: Samples, tally: Tally) -> None:
    """Count what is heard in a clip: the right command and nothing else, another, or none."""
    said, heard = material.said(at), chain.hear(samples)
    if heard.commands and heard.commands <= said:
        tally.right += 1
        return
    if heard.commands:
        tally.wrong += 1
    else:
        tally.missed += 1
    tally.confuse(material.text(at), heard.text)


def padded(material: Material, at: int) -> Samples:
    """A clip with the silence of an open microphone around it."""
    before, after = (np.zeros(int(seconds * RATE), np.int16) for seconds in (BEFORE, AFTER))
    return np.concatenate([before, material.corpus.samples(at), after])
