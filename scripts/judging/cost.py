"""How late a command comes, and what hearing costs: the latency benchmark, on the held-out voices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from mexvoice.data import shipped
from scripts.benches import latency
from scripts.judging.chain import BLOCK
from scripts.judging.material import Material
from scripts.training.corpus import RATE
from scripts.training.export import folder_size
from scripts.training.texts import LANGUAGES

AUDIO = Path(__file__).resolve().parents[2] / "tests" / "audio"
"""Clips of commands that came with the project."""

_LEVEL = 0.3
"""Clips are as loud as somebody at the table."""


@dataclass(frozen=True)
class Cost:
    """What hearing one language takes."""

    clips: int
    """Commands that were played."""
    delays: tuple[float, ...]
    """Seconds from the end of speech to the command, for those that were heard."""
    factor: float
    """Seconds of processor time for a second of sound."""
    load: float
    """Seconds to load the shipped model and make the first recogniser."""
    with_names: float
    """Seconds to put together, and load, a model with the names of the people at a table."""
    size: int
    """Bytes of the model's folder."""


def of_language(material: Material, limit: int, seed: int) -> Cost:
    """Play up to `limit` held-out commands, and the project's own, in a quiet room, in blocks of 50 ms."""
    ears = latency.ear(material.language)
    known = set(ears.grammar.phrases)
    chosen = [at for at in material.commands(2 * limit) if material.text(at) in known][:limit]
    clips = [latency.speech((material.corpus.samples(at) * _LEVEL).astype(np.int16)) for at in chosen]
    own = sorted((AUDIO / material.language).glob("*.flac"))
    clips += [latency.load(path) for path in own if not path.stem.startswith("talk")]
    rng = np.random.default_rng(seed)
    results = [latency.delay(ears, clip, BLOCK, rng) for clip in clips]
    seconds = sum(len(clip) / RATE + latency.AROUND for clip in clips)
    return Cost(
        len(clips),
        tuple(found.sound + found.work for found, _ in results if found is not None),
        sum(spent for _, spent in results) / seconds,
        ears.load_seconds,
        ears.assembly_seconds,
        folder_size(shipped("models") / material.language),
    )


@cache
def memory() -> float:
    """Megabytes of a process that hears all languages, at its largest."""
    return latency.memory(list(LANGUAGES))
