"""A store of spoken clips on disk: a file of samples and one of descriptions, only ever appended to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.phones import Pronunciation

RATE = 16_000
"""Samples a second of everything stored."""
_PEAK = 20_000
_SILENCE = 150
_MARGIN = (400, 800)
_SHORTEST = 1_600
_STRIDE = 7919
"""A prime, larger than the number of clips of any speaker."""

Samples = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Clip:
    """One utterance: what is said, by whom, and where its samples lie."""

    text: str
    """What is said."""
    kind: str
    """``command`` or ``speech``."""
    language: str
    """Code of the language."""
    speaker: str
    """One person or one synthetic voice, over all sources; splits go by it."""
    role: str
    """``train``, ``tune`` (choosing penalties) or ``test``."""
    words: tuple[Pronunciation, ...]
    """Phones, word by word."""
    start: int = 0
    """First sample in the file of samples."""
    length: int = 0
    """Number of samples."""


def trim(sound: npt.NDArray[Any]) -> Samples | None:
    """Bring a mono sound to a common peak and cut the silence around it; None when nothing is left."""
    loudest = float(np.abs(sound).max()) if len(sound) else 0.0
    if loudest <= 0:
        return None
    scaled = sound.astype(np.float64) * (_PEAK / loudest)
    loud = np.nonzero(np.abs(scaled) > _SILENCE)[0]
    if len(loud) < 2 or loud[-1] - loud[0] < _SHORTEST:
        return None
    cut = scaled[max(0, loud[0] - _MARGIN[0]) : loud[-1] + _MARGIN[1]]
    return np.rint(cut).astype(np.int16)


class CorpusWriter:
    """Appends clips to ``<stem>.pcm`` and ``<stem>.jsonl``; use as a context manager."""

    def __init__(self, stem: Path) -> None:
        """Open the two files, creating the folder; a torn tail of an interrupted run is cut off."""
        stem.parent.mkdir(parents=True, exist_ok=True)
        clips = list(read_clips(stem))
        self.count = len(clips)
        self._position = clips[-1].start + clips[-1].length if clips else 0
        self._samples = _open_at(stem.with_suffix(".pcm"), self._position * 2)
        lines = stem.with_suffix(".jsonl")
        kept = lines.read_bytes().splitlines(keepends=True)[: self.count] if lines.exists() else []
        self._lines = _open_at(lines, sum(map(len, kept)))

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._samples.close()
        self._lines.close()

    def append(self, clip: Clip, samples: Samples) -> None:
        """Add one clip; its ``start`` and ``length`` are filled in here."""
        described = {**asdict(clip), "start": self._position, "length": len(samples)}
        self._samples.write(samples.astype("<i2").tobytes())
        self._samples.flush()
        self._lines.write(json.dumps(described, ensure_ascii=False).encode() + b"\n")
        self._lines.flush()
        self._position += len(samples)
        self.count += 1


def _open_at(path: Path, size: int) -> IO[bytes]:
    stream = path.open("r+b" if path.exists() else "w+b")
    stream.truncate(size)
    stream.seek(size)
    return stream


def read_clips(stem: Path) -> Iterator[Clip]:
    """The descriptions of all whole clips of a corpus."""
    lines, sound = stem.with_suffix(".jsonl"), stem.with_suffix(".pcm")
    if not lines.exists() or not sound.exists():
        return
    size = sound.stat().st_size // 2
    for line in lines.read_bytes().splitlines():
        try:
            fields = json.loads(line)
        except ValueError:
            return
        fields["words"] = tuple(tuple(word) for word in fields["words"])
        clip = Clip(**fields)
        if clip.start + clip.length > size:
            return
        yield clip


class Corpus:
    """All clips of several stores, with their samples mapped into memory."""

    def __init__(self, stems: Sequence[Path]) -> None:
        """Read the descriptions of every store that has at least one clip."""
        self.clips: list[Clip] = []
        self._sounds: list[npt.NDArray[np.int16]] = []
        self._store: list[int] = []
        self._names: list[str] = []
        for stem in stems:
            found = list(read_clips(stem))
            if found:
                self._store += [len(self._sounds)] * len(found)
                self._sounds.append(np.memmap(stem.with_suffix(".pcm"), dtype="<i2", mode="r"))
                self._names.append(stem.name)
                self.clips += found

    def __len__(self) -> int:
        return len(self.clips)

    def store_name(self, at: int) -> str:
        """Name of the store a clip comes from."""
        return self._names[self._store[at]]

    def samples(self, at: int) -> Samples:
        """The samples of a clip."""
        clip = self.clips[at]
        return np.asarray(self._sounds[self._store[at]][clip.start : clip.start + clip.length])


def fairly(corpus: Corpus, found: Sequence[int]) -> list[int]:
    """Numbers of clips in another order: the first of every speaker, then all the second ones, and so on."""
    by_speaker: dict[str, list[int]] = {}
    for at in found:
        by_speaker.setdefault(corpus.clips[at].speaker, []).append(at)
    # A stride that meets every clip of a speaker once: the first ones taken are spread over all.
    ranked = [
        ((place * _STRIDE) % len(clips), speaker, at)
        for speaker, clips in by_speaker.items()
        for place, at in enumerate(clips)
    ]
    return [at for _, _, at in sorted(ranked)]
