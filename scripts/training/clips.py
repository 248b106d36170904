"""Clips for the recogniser's tests, of held-out voices that may be passed on: ``tests/audio/``."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import soundfile
import vosk

from mexvoice.hearing.lexicon import token
from mexvoice.language.phrase import written
from scripts.training import export
from scripts.training.corpus import RATE, Samples
from scripts.training.evaluate import Listener, TestSet, Vocabulary
from scripts.training.texts import short_words, tested_words

FREE = ("kokoro", "flite", "espeak")
"""Synthesisers whose sound may be passed on."""
_TALK = 3
_COMMANDS = 12
_LEVEL = 0.2
_SILENCE = (0.25, 0.7)


def _spread(items: Iterable[int], rng: random.Random) -> list[int]:
    shuffled = list(items)
    rng.shuffle(shuffled)
    return shuffled


def _padded(samples: Samples) -> Samples:
    """A clip at an ordinary level with silence around it."""
    before, after = (np.zeros(int(seconds * RATE)) for seconds in _SILENCE)
    return np.asarray(np.rint(np.concatenate([before, samples * _LEVEL, after])), np.int16)


def write_clips(base: Path, data: Path, language: str, folder: Path) -> list[str]:
    """Write a dozen commands that the model in ``base`` hears, and a few sentences; returns their names."""
    rng = random.Random(f"clips-{language}")
    pronouncer = export.pronouncer(language)
    tests = TestSet.load(data, language, "test")
    commands = Vocabulary.of_commands(language, pronouncer)
    known = {word for phrase in commands.tokens for word in phrase.split("_")}
    known |= {written(word) for word in (*tested_words(language), *short_words(language))}
    free = [at for source in FREE for at in _spread(tests.choose(source, None), rng)[:200]]
    chosen: dict[str, int] = {}
    meanings: set[str] = set()
    with export.scratch_model(base, commands.tokens, pronouncer) as model:
        listener = Listener(vosk.Model(model), commands.tokens)
        for at in free:
            if len(chosen) == _COMMANDS + _TALK:
                break
            clip = tests.corpus.clips[at]
            said = commands.said(clip)
            heard = listener.hear(_padded(tests.corpus.samples(at)))
            if (
                said
                and heard == said
                and commands.meaning[said] not in meanings
                and len(meanings) < _COMMANDS
            ):
                chosen[said] = at
                meanings.add(commands.meaning[said])
            elif (
                clip.kind == "speech"
                and not heard
                and 3 <= len(clip.text.split()) <= 6
                and known.isdisjoint(written(clip.text).split())
                and sum(name.startswith("talk-") for name in chosen) < _TALK
            ):
                chosen["talk-" + token(written(clip.text))] = at
    folder.mkdir(parents=True, exist_ok=True)
    for name, at in chosen.items():
        soundfile.write(folder / f"{name}.flac", _padded(tests.corpus.samples(at)), RATE, subtype="PCM_16")
    return sorted(chosen)
