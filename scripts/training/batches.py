"""Batches for training: clips drawn by weight, augmented anew each time, sorted so that lengths agree."""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from scripts.training.augmentation import Augmentation
from scripts.training.corpus import RATE, Clip, Corpus
from scripts.training.network import STRIDE
from scripts.training.texts import LANGUAGES

LANGUAGE_ROWS = (*LANGUAGES, "other")
"""Rows of the phone bigram."""

SOURCE_WEIGHTS = {
    "kokoro": 8.0, "human": 5.0, "rhvoice": 4.0, "mbrola": 3.0, "pico": 2.0, "flite": 2.0, "festival": 1.5,
    "espeak": 1.2,
}  # fmt: skip
"""How often each source is drawn within a language, whatever its size."""
_LANGUAGE_WEIGHTS = {"en": 1.0, "fr": 1.05, "de": 1.05, "ru": 1.0, "other": 0.35}
_ASIDE = 0.25
"""How often the other languages are drawn, of what they are otherwise, when one is learned."""
_NOISE_SHARE = 0.04
_VIEWS = 2
_POOL = 8
_OUTPUTS = 64 * 70
_LONGEST_CLIP = 5.0
_BACKGROUND_CLIPS = 1500
_RELOAD_AFTER = 150


@dataclass(frozen=True)
class Batch:
    """What one step of training needs."""

    features: npt.NDArray[np.float32]
    """[batch, frames, 40], the last frame repeated to the end."""
    lengths: npt.NDArray[np.int64]
    """Output frames of each utterance."""
    words: list[list[list[int]]]
    """Phone numbers, word by word."""
    languages: npt.NDArray[np.int64]
    """Rows of the bigram."""
    sources: list[str]
    """Where each utterance comes from: for the log."""


def corpora(data: Path, role: str) -> list[Path]:
    """The stores of one role."""
    return sorted(path.with_suffix("") for path in (data / "corpora").glob(f"*-{role}.jsonl"))


def row_of(language: str) -> int:
    """Row of a language in the bigram."""
    return LANGUAGE_ROWS.index(language if language in LANGUAGES else "other")


def music(folders: Sequence[Path], limit: int = 60) -> list[npt.NDArray[np.int16]]:
    """Music and sounds of packages, in pieces of up to 30 s at the corpus rate."""
    pieces: list[npt.NDArray[np.int16]] = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".ogg", ".wav", ".flac") or len(pieces) >= limit:
                continue
            try:
                with soundfile.SoundFile(path) as stream:
                    stereo = stream.read(30 * stream.samplerate, dtype="float32", always_2d=True)
                    rate = stream.samplerate
            except (OSError, RuntimeError):
                continue
            mono = soxr.resample(stereo.mean(1), rate, RATE)
            if len(mono) > RATE // 2:
                pieces.append((mono * (20000 / (np.abs(mono).max() + 1e-6))).astype(np.int16))
    return pieces


TRAINING_MUSIC = (
    Path("/usr/share/games/hedgewars/Data/Music"),
    Path("/usr/share/games/hedgewars/Data/Sounds"),
)
"""Music for training (package hedgewars-data); that of asterisk-moh-opsound-wav is kept for the tests."""


class Batcher:
    """Makes batches without end."""

    def __init__(self, data: Path, phones: Sequence[str], seed: int, focus: str = "") -> None:
        """``phones``: the inventory; clips with other phones are left out. ``focus``: the language that most
        of the clips are of, if any.
        """
        self._data, self._seed, self._focus = data, seed, focus
        self._index = {phone: at for at, phone in enumerate(phones)}
        self._rng = np.random.default_rng(seed)
        self._music = music(TRAINING_MUSIC)
        self._load()

    def _load(self) -> None:
        self._corpus = Corpus(corpora(self._data, "train"))
        clips = self._corpus.clips
        usable = [at for at, clip in enumerate(clips) if self._usable(clip)]
        groups: dict[tuple[str, str], list[int]] = {}
        for at in usable:
            language = clips[at].language if clips[at].language in LANGUAGES else "other"
            groups.setdefault((language, self._source(at)), []).append(at)
        weights: dict[tuple[str, str], float] = {}
        for (language, source), members in groups.items():
            small = min(1.0, len(members) / 400)  # a handful of clips is not heard over and over
            weights[language, source] = SOURCE_WEIGHTS[source] * small
        for language in LANGUAGE_ROWS:
            total = sum(weight for key, weight in weights.items() if key[0] == language)
            share = _LANGUAGE_WEIGHTS[language] * (_ASIDE if self._focus not in ("", language) else 1.0)
            for key in weights:
                if key[0] == language:
                    weights[key] *= share / total
        self._groups = [np.array(members) for members in groups.values()]
        shares = np.array([weights[key] for key in groups])
        self._shares = shares / shares.sum()
        chosen = self._rng.choice(usable, min(_BACKGROUND_CLIPS, len(usable)), replace=False)
        self._augmentation = Augmentation(
            self._rng, [self._corpus.samples(int(at)) for at in chosen], self._music
        )

    def _source(self, at: int) -> str:
        return self._corpus.store_name(at).split("-")[0]

    def _usable(self, clip: Clip) -> bool:
        phones = sum(map(len, clip.words))
        seconds = clip.length / RATE
        known = all(phone in self._index for word in clip.words for phone in word)
        return known and seconds < _LONGEST_CLIP and 0 < phones < seconds * 22

    def _draw(self) -> list[tuple[Any, ...]]:
        """One augmented clip, seen in a few ways: features, words, language row, source of each."""
        rng = self._rng
        group = self._groups[int(rng.choice(len(self._groups), p=self._shares))]
        at = int(group[int(rng.integers(len(group)))])
        clip, source = self._corpus.clips[at], self._source(at)
        row = row_of(clip.language)
        if rng.random() < _NOISE_SHARE:
            sound = self._augmentation.noise_alone(int(rng.integers(RATE // 2, 2 * RATE)))
            words, name = [], "noise"
        else:
            sound = self._augmentation.sound(self._corpus.samples(at), source != "human")
            words = [[self._index[phone] for phone in word] for word in clip.words]
            name = f"{source}-{LANGUAGE_ROWS[row]}"
        seen = [(self._augmentation.frames(sound), words, row, name) for _ in range(_VIEWS)]
        needed = sum(map(len, words)) + 3
        return [view for view in seen if len(view[0]) // STRIDE >= needed]

    def __iter__(self) -> Iterator[Batch]:
        made = 0
        while True:
            drawn: list[tuple[Any, ...]] = []
            while len(drawn) < 64 * _POOL:
                drawn += self._draw()
            drawn.sort(key=lambda utterance: len(utterance[0]))
            batches, start = [], 0
            for end in range(1, len(drawn) + 1):
                longest = len(drawn[min(end, len(drawn) - 1)][0]) // STRIDE + 1
                if end == len(drawn) or longest * (end + 1 - start) > _OUTPUTS:
                    batches.append(drawn[start:end])
                    start = end
            for at in self._rng.permutation(len(batches)):
                yield _collate(batches[int(at)])
                made += 1
            if made >= _RELOAD_AFTER:
                made = 0
                self._load()


def _collate(drawn: Sequence[tuple[Any, ...]]) -> Batch:
    longest = max(len(frames) for frames, *_ in drawn)
    features = np.stack(
        [np.concatenate([frames, np.repeat(frames[-1:], longest - len(frames), 0)]) for frames, *_ in drawn]
    ).astype(np.float32)
    lengths = np.array([(len(frames) + STRIDE - 1) // STRIDE for frames, *_ in drawn])
    return Batch(
        features, lengths, [u[1] for u in drawn], np.array([u[2] for u in drawn]), [u[3] for u in drawn]
    )


def _work(
    data: Path, phones: Sequence[str], seed: int, focus: str, out: multiprocessing.Queue[Batch]
) -> None:
    for batch in Batcher(data, phones, seed, focus):
        out.put(batch)


class Loader:
    """Runs :class:`Batcher` in other processes; iterate over it."""

    def __init__(
        self, data: Path, phones: Sequence[str], seed: int, focus: str = "", workers: int = 1
    ) -> None:
        """Start the processes; they end with :meth:`close` (or with the program)."""
        self._queue: multiprocessing.Queue[Batch] = multiprocessing.Queue(12)
        self._workers = [
            multiprocessing.Process(
                target=_work, args=(data, phones, seed + at, focus, self._queue), daemon=True
            )
            for at in range(workers)
        ]
        for worker in self._workers:
            worker.start()

    def __iter__(self) -> Iterator[Batch]:
        while True:
            try:
                yield self._queue.get(timeout=120)
            except queue.Empty:
                raise RuntimeError("the processes that make batches have stopped") from None

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.terminate()
