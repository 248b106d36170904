"""The trial run of a strange model, in a process of its own: ``python -m mexvoice.hearing.trial DIR``.

Vosk aborts or runs into a segmentation fault on some damaged models; here that costs a child process only.
Exit status 0: the model loaded, took a grammar, and decoded half a second of noise.
"""

import json
import random
import struct
import sys
from pathlib import Path

from mexvoice.hearing.model import UNKNOWN, load_vosk


def main(path: Path) -> None:
    """Load the model at `path` and decode with it, once with ``[unk]`` and once with a word of its own."""
    vosk = load_vosk()
    model = vosk.Model(model_path=str(path))
    grammar = [UNKNOWN, *_some_words(path)]
    noise = random.Random(1)
    for level in (30, 3000):
        sound = struct.pack("<8000h", *(round(noise.gauss(0, level)) for _ in range(8000)))
        recogniser = vosk.KaldiRecognizer(model, 16000, json.dumps(grammar, ensure_ascii=False))
        recogniser.AcceptWaveform(sound)
        json.loads(recogniser.FinalResult())


def _some_words(path: Path) -> list[str]:
    """A word of the model, when it has a list of them."""
    try:
        lines = (path / "graph" / "words.txt").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [line.split()[0] for line in lines[1:2] if line.strip()]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
