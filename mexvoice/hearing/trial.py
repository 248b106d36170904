"""The trial run of a strange model, in a process of its own: ``python -m mexvoice.hearing.trial DIR``.

Vosk aborts or runs into a segmentation fault on some damaged models; here that costs a child process only.
Exit status 0: its graph keeps within its bounds, the model loaded, took a grammar of many of its words, and
decoded some seconds of what sounds like speech, in every way the program decodes.
"""

import json
import re
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mexvoice.hearing import transducer
from mexvoice.hearing.model import UNKNOWN, load_vosk

RATE = 16000
MOST_WORDS = 500
"""So many words of the model are in the grammar: a match has a few hundred phrases."""

SYLLABLES = 12
BLOCK = 1600
"""Samples that are decoded at a time, as from a microphone."""

_NO_WORD = re.compile(r"[<#\[!].*")
_LOG_PROBABILITIES = b"<LogProbs> FV \x04"
_FORMANTS = np.array([[300, 2300, 3000], [700, 1200, 2600], [350, 800, 2400], [500, 1800, 2500]], np.float64)
"""Resonances, in Hz, of four vowels."""
_WIDTHS = np.array([[80.0], [110.0], [160.0]])


def main(path: Path) -> None:
    """Load the model at `path` and decode with it.

    Raises:
        ValueError: when its graph has numbers that are out of bounds.
    """
    words = _words(path / "graph")
    _check_graph(path, max(words.values(), default=None))
    vosk = load_vosk()
    model = vosk.Model(model_path=str(path))
    known = [UNKNOWN] if model.vosk_model_find_word(UNKNOWN) > 0 else []
    plain = [word for word in words if not _NO_WORD.match(word) and model.vosk_model_find_word(word) > 0]
    some = plain[:: -(-len(plain) // MOST_WORDS) or 1]
    sound = speech_like(1)
    for grammar in filter(None, ([*some, *known], known)):
        text = json.dumps(grammar, ensure_ascii=False)
        _hear_whole(vosk.KaldiRecognizer(model, RATE, text), sound)
        _hear_blocks(vosk.KaldiRecognizer(model, RATE, text), sound)


def _hear_whole(recogniser: Any, sound: npt.NDArray[np.int16]) -> None:
    recogniser.SetMaxAlternatives(1)
    recogniser.SetWords(True)
    recogniser.AcceptWaveform(sound.tobytes())
    json.loads(recogniser.FinalResult())


def _hear_blocks(recogniser: Any, sound: npt.NDArray[np.int16]) -> None:
    recogniser.SetWords(True)
    for at in range(0, len(sound), BLOCK):
        recogniser.AcceptWaveform(sound[at : at + BLOCK].tobytes())
        json.loads(recogniser.PartialResult())
    json.loads(recogniser.FinalResult())


def speech_like(seed: int) -> npt.NDArray[np.int16]:
    """Syllables at 16 kHz: a hiss, a buzz with moving resonances, a pause, each of another length."""
    rng = np.random.default_rng(seed)
    parts = [rng.normal(0, 10, RATE // 4)]
    for syllable in range(SYLLABLES):
        hiss = np.diff(rng.normal(0, 700, rng.integers(500, 1800)), prepend=0.0)
        level = rng.uniform(500, 6000)
        buzz = level * _buzz(int(rng.integers(1200, 4000)), rng.choice(len(_FORMANTS), 2), 190 - 8 * syllable)
        pause = rng.normal(0, 10, rng.integers(100, 6000 if syllable % 4 == 3 else 1500))
        parts += [hiss, buzz, pause]
    return np.clip(np.concatenate(parts), -32768, 32767).astype("<i2")


def _buzz(samples: int, vowels: npt.NDArray[np.int64], pitch: float) -> npt.NDArray[np.float64]:
    """A voice that glides from one vowel to another, its loudest sample 1.0."""
    along = np.linspace(0, 1, samples)
    frequency = pitch * (1.1 - 0.2 * along)
    phase = 2 * np.pi * np.cumsum(frequency) / RATE
    formants = _FORMANTS[vowels[0]][:, None] * (1 - along) + _FORMANTS[vowels[1]][:, None] * along
    sound = np.zeros(samples)
    for harmonic in range(1, int(3800 / pitch)):
        gain = (1 / (1 + ((harmonic * frequency - formants) / _WIDTHS) ** 2)).sum(axis=0)
        sound += gain * np.sin(harmonic * phase)
    sound *= np.sin(np.pi * along) ** 0.3
    loudest: float = np.abs(sound).max()
    return sound / loudest


def _check_graph(path: Path, most: int | None) -> None:
    """Whether the graph, where it is of the simple kind, keeps within its own bounds."""
    graph = path / "graph"
    symbols = [int(line) for line in (graph / "disambig_tid.int").read_text(encoding="ascii").split()]
    transducer.check(graph / "HCLr.fst", _transitions(path / "am" / "final.mdl"), most, symbols)
    transducer.check(graph / "Gr.fst", most, most)


def _transitions(path: Path) -> int | None:
    """How many transitions an acoustic model has; None when it does not say so where it should."""
    data = path.read_bytes()
    at = data.find(_LOG_PROBABILITIES) + len(_LOG_PROBABILITIES)
    if at < len(_LOG_PROBABILITIES) or at + 4 > len(data):
        return None
    (length,) = struct.unpack_from("<i", data, at)
    return int(length) - 1  # there is none with the number 0


def _words(graph: Path) -> dict[str, int]:
    """The words of a model and their numbers: from a list of them, or from within the graph."""
    try:
        data = (graph / "words.txt").read_bytes()
    except FileNotFoundError:
        return transducer.symbols(graph / "Gr.fst")
    # As bytes: what is a blank to Unicode is none to Vosk.
    pairs = (line.split() for line in data.split(b"\n") if line.strip())
    return {word.decode("utf-8", "replace"): int(number) for word, number in pairs}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
