"""The synthesisers: each is a program or library of a package, and says a text in one of its voices.

Which voices there are, and which of them are held out, is the table ``voices.yaml``.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile
import yaml

Sound = tuple[npt.NDArray[np.float32], int]
"""Samples and their rate."""

DEFAULT_ACCENTS = {"en": "en-us", "fr": "fr-fr", "de": "de", "ru": "ru"}
"""The accent that labels a voice which names none."""

_TIME_LIMIT = 60


@dataclass(frozen=True)
class Voice:
    """One synthetic voice."""

    synthesiser: str
    """Name of its synthesiser: a key of ``voices.yaml`` and of :data:`SPEAK`."""
    name: str
    """What the synthesiser calls it."""
    language: str
    """Code of the language it says."""
    accent: str
    """espeak-ng voice whose phones label it."""
    speaker: str
    """Who it is, over all synthesisers."""
    role: str
    """``train``, ``tune`` or ``test``."""


@cache
def table() -> dict[str, Any]:
    """``voices.yaml``."""
    loaded: dict[str, Any] = yaml.safe_load(
        Path(__file__).with_name("voices.yaml").read_text(encoding="utf-8")
    )
    return loaded


def voices(synthesiser: str, language: str) -> list[Voice]:
    """The voices of a synthesiser for a language (none for Kokoro, which mixes its own)."""
    rows = table()[synthesiser]
    if synthesiser == "espeak":
        return [
            Voice("espeak", f"{accent}+{variant}", language, accent, f"espeak:{variant}", role)
            for role in ("train", "tune", "test")
            for variant in rows[role]
            for accent in rows["accents"][language]
        ]
    return [
        Voice(
            synthesiser,
            row["voice"],
            language,
            row.get("accent", DEFAULT_ACCENTS[language]),
            row.get("speaker", row["voice"]),
            row["role"],
        )
        for row in rows.get(language, [])
    ]


def _run(command: list[str], text: str | None = None) -> None:
    subprocess.run(
        command,
        input=text.encode() if text is not None else None,
        check=True,
        timeout=_TIME_LIMIT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _espeak(voice: Voice, text: str, path: Path, rng: random.Random) -> None:
    speed, pitch = str(rng.randint(110, 205)), str(rng.randint(20, 80))
    _run(["espeak-ng", "-v", voice.name, "-s", speed, "-p", pitch, "-w", str(path), text])


def _mbrola(voice: Voice, text: str, path: Path, rng: random.Random) -> None:
    speed, pitch = str(rng.randint(95, 185)), str(rng.randint(25, 75))
    _run(["espeak-ng", "-v", f"mb-{voice.name}", "-s", speed, "-p", pitch, "-w", str(path), text])


def _pico(voice: Voice, text: str, path: Path, rng: random.Random) -> None:
    marked = (
        f'<speed level="{rng.randint(75, 150)}"><pitch level="{rng.randint(75, 135)}">{text}</pitch></speed>'
    )
    _run(["pico2wave", "-l", voice.name, "-w", str(path), marked])


def _rhvoice(voice: Voice, text: str, path: Path, rng: random.Random) -> None:
    rate, pitch = str(rng.randint(75, 150)), str(rng.randint(75, 130))
    _run(["RHVoice-test", "-p", voice.name, "-r", rate, "-t", pitch, "-o", str(path)], text)


_FLITE_PITCH = {"kal": 100, "kal16": 100, "awb": 110, "rms": 100, "slt": 170}


def _flite(voice: Voice, text: str, path: Path, rng: random.Random) -> None:
    pitch = _FLITE_PITCH[voice.name] * rng.uniform(0.8, 1.25)
    command = ["flite", "-voice", voice.name, "--setf", f"duration_stretch={rng.uniform(0.75, 1.35):.2f}"]
    if rng.random() < 0.5:
        command += ["--setf", f"int_f0_target_mean={pitch:.0f}"]
    _run([*command, "-t", text, "-o", str(path)])


def _festival(voice: Voice, text: str, path: Path, rng: random.Random) -> None:
    quoted = text.replace("\\", "").replace('"', "")
    program = (
        f"(voice_{voice.name})(Parameter.set 'Duration_Stretch {rng.uniform(0.8, 1.35):.2f})"
        f'(set! u (utt.synth (Utterance Text "{quoted}")))(utt.save.wave u "{path}" \'riff)'
    )
    _run(["festival", "--pipe"], program)


SPEAK: Mapping[str, Callable[[Voice, str, Path, random.Random], None]] = {
    "espeak": _espeak,
    "mbrola": _mbrola,
    "pico": _pico,
    "rhvoice": _rhvoice,
    "flite": _flite,
    "festival": _festival,
}
"""Synthesisers run as programs: each writes a sound file, at a random pace and pitch."""

PROGRAMS = {
    "espeak": "espeak-ng",
    "mbrola": "mbrola",
    "pico": "pico2wave",
    "rhvoice": "RHVoice-test",
    "flite": "flite",
    "festival": "festival",
}
"""The program each synthesiser needs."""


def available(synthesiser: str) -> bool:
    """Whether the synthesiser's program is installed."""
    return shutil.which(PROGRAMS[synthesiser]) is not None


def speak(voice: Voice, text: str, rng: random.Random) -> Sound | None:
    """Say a text; None when the synthesiser fails or says nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.wav"
        try:
            SPEAK[voice.synthesiser](voice, text, path, rng)
            samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        except (subprocess.SubprocessError, OSError, RuntimeError):
            return None
    return samples[:, 0], int(rate)
