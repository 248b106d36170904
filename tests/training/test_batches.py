"""Which clips a batch is made of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from mexvoice.hearing.phones import INVENTORY
from scripts.training.batches import LANGUAGE_ROWS, Batcher
from scripts.training.corpus import Clip, CorpusWriter


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Clips of hum in all languages."""
    hum = (8000 * np.sin(np.arange(12000) / 5)).astype(np.int16)
    for language in ("en", "fr", "de", "ru"):
        with CorpusWriter(tmp_path / "corpora" / f"espeak-{language}-train") as writer:
            for _ in range(10):
                writer.append(Clip("mm", "speech", language, "hum", "train", (("m",),)), hum)
    return tmp_path


@pytest.mark.parametrize(("focus", "least", "most"), [("", 0.15, 0.4), ("de", 0.5, 0.7)])
def test_the_language_that_is_learned_is_drawn_most(
    data: Path, focus: str, least: float, most: float
) -> None:
    batches = iter(Batcher(data, INVENTORY, 1, focus))
    drawn: Counter[str] = Counter()
    while drawn.total() < 400:
        drawn.update(LANGUAGE_ROWS[row] for row in next(batches).languages)
    assert least < drawn["de"] / drawn.total() < most
    assert all(drawn[language] > 10 for language in ("en", "fr", "ru"))
