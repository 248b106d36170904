"""Talk that is a phrase of the game but for a word: how much of it is obeyed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import soxr

from scripts.judging.chain import Chain
from scripts.training import voices
from scripts.training.corpus import RATE, Samples, trim
from scripts.training.texts import LANGUAGES, PLAYERS, names, nearly_commands

SYNTHESISERS = ("mbrola", "flite", "rhvoice", "espeak")
"""Whose test voices say it: no model, and nothing in a model, has heard them."""

_LEVEL = 0.5
_NOISE = 8.0
_SILENCE = (0.6, 1.0)


@dataclass(frozen=True)
class Outcome:
    """What became of one text."""

    text: str
    """What was said."""
    heard: str
    """What it sounded like, with the reason in brackets when that did not count."""
    obeyed: bool
    """Whether it was taken for a command."""


def outcomes(language: str, clips: int, seed: int) -> Iterator[Outcome]:
    """Have texts spoken that are nearly commands, and hear each alone in a quiet room, all phrases open.

    Args:
        language: code of the language, one of ``LANGUAGES``.
        clips: how many texts.
        seed: of texts, voices and noise.
    """
    assert language in LANGUAGES
    rng, noise = random.Random(f"nearly-{seed}-{language}"), np.random.default_rng(seed)
    chain = Chain(language, names(language)[:PLAYERS])
    pool = [
        voice
        for synthesiser in SYNTHESISERS
        if voices.available(synthesiser)
        for voice in voices.voices(synthesiser, language)
        if voice.role == "test"
    ]
    texts = (text for text in nearly_commands(language, rng) if text.kind == "speech")
    done = 0
    while done < clips:
        text = next(texts)
        sound = voices.speak(rng.choice(pool), text.words, rng)
        samples = trim(soxr.resample(*sound, RATE)) if sound is not None else None
        if samples is not None:
            done += 1
            heard = chain.hear(_in_room(samples, noise))
            yield Outcome(text.words, heard.text, bool(heard.commands))


def _in_room(samples: Samples, noise: np.random.Generator) -> Samples:
    before, after = (np.zeros(round(seconds * RATE)) for seconds in _SILENCE)
    sound = np.concatenate([before, samples * _LEVEL, after])
    return np.asarray(np.rint(sound + noise.normal(0.0, _NOISE, len(sound))), np.int16)
