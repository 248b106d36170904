"""Recordings of people, from Debian packages, with what they say.

Languages beyond the four are taken along: in one shared phone set a Spanish vowel teaches the network
something about how people, rather than machines, sound.
"""

from __future__ import annotations

import gzip
import re
import string
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import babel
import numpy as np
import numpy.typing as npt
import soundfile
import soxr
import yaml
from num2words import num2words

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.phones import Pronunciation
from mexvoice.hearing.pronunciation import Pronouncer
from scripts.training.corpus import RATE, Clip, CorpusWriter, trim

_LONGEST = 6.0
"""Seconds; longer recordings are left out."""


@dataclass(frozen=True)
class Recording:
    """One recording, or a part of one."""

    path: Path
    """Its file."""
    language: str
    """Code of the language."""
    speaker: str
    """Who speaks."""
    role: str
    """``train``, ``tune`` or ``test``."""
    text: str
    """What is said."""
    words: tuple[Pronunciation, ...] | None = None
    """Phones, where the package gives them; else espeak-ng does."""
    part: tuple[float, float] | None = None
    """Start and end in seconds, where it is a part."""


_STAMPS = Path("/usr/share/tuxpaint/stamps")
_STAMP_LANGUAGES = ("fr", "ru", "es", "ca", "ro", "bg", "el", "da", "nl", "lt", "en_GB", "be")
_STAMP_TUNING = "be"  # speech that is nobody's command, for choosing penalties


def tuxpaint() -> Iterator[Recording]:
    """``tuxpaint-stamps-default``: descriptions of pictures, one reader a language."""
    for page in sorted(_STAMPS.rglob("*.txt")):
        lines = page.read_text(encoding="utf-8", errors="replace").splitlines()
        texts = dict(line.split(".utf8=", 1) for line in lines if ".utf8=" in line)
        for code in _STAMP_LANGUAGES:
            sound = page.with_name(f"{page.stem}_desc_{code}.ogg")
            text = lines[0] if code == "en_GB" and lines else texts.get(code, "")
            if sound.exists() and text.strip():
                role = "tune" if code == _STAMP_TUNING else "train"
                yield Recording(sound, code.split("_")[0], f"tuxpaint-{code}", role, text.strip())
        sound = page.with_name(f"{page.stem}_desc.ogg")
        if sound.exists() and lines and lines[0].strip():
            yield Recording(sound, "en", "tuxpaint-en", "train", lines[0].strip())


_ASTERISK = Path("/usr/share/asterisk/sounds")
_ASTERISK_VOICES = {
    "en": ("en_US_f_Allison", "test"),
    "fr": ("fr_CA_f_June", "test"),
    "ru": ("ru_RU_f_IvrvoiceRU", "test"),
    "es": ("es_MX_f_Allison", "test"),
    "it": ("it_IT_m_Carlo", "train"),
}


def asterisk() -> Iterator[Recording]:
    """``asterisk-core-sounds-*-g722``: telephone announcements, numbers, letters; one speaker a language."""
    for language, (folder, role) in _ASTERISK_VOICES.items():
        texts = Path(f"/usr/share/doc/asterisk-core-sounds-{language}/core-sounds-{language}.txt.gz")
        if not texts.exists():
            continue
        for line in gzip.decompress(texts.read_bytes()).decode("utf-8", "replace").splitlines():
            name, _, text = line.partition(":")
            sound = _ASTERISK / folder / f"{name.strip()}.g722"
            if (
                text.strip()
                and not line.startswith(";")
                and not re.search(r"[\[(<]", text)
                and sound.exists()
            ):
                yield Recording(sound, language, f"asterisk-{folder}", role, text.strip())


_KLETTRES = Path("/usr/share/klettres")


def klettres() -> Iterator[Recording]:
    """``klettres-data``: letters and syllables for children."""
    for code in ("de", "en", "en_GB", "fr", "ru", "it", "es", "nl", "da", "cs"):
        index = _KLETTRES / code / "sounds.xml"
        if not index.exists():
            continue
        for sound in ElementTree.parse(index).iter("sound"):
            path = _KLETTRES / (sound.get("file") or "")
            name = (sound.get("name") or "").strip().lower()
            if path.is_file() and name:
                yield Recording(path, code.split("_")[0], f"klettres-{code}", "train", name)


_TUBERLING = Path("/usr/share/ktuberling/sounds")


def ktuberling() -> Iterator[Recording]:
    """``ktuberling-data``: names of things. English and French files are named by what is said."""
    for code in ("en", "fr"):
        for sound in sorted((_TUBERLING / code).iterdir()):
            text = re.sub(r"[-_]", " ", sound.stem.split("_", 1)[-1])
            if sound.suffix in (".ogg", ".wav") and not re.search(r"\d|[A-Z]", text):
                yield Recording(sound, code, f"ktuberling-{code}", "train", text)
    named: dict[str, str] = yaml.safe_load(
        Path(__file__).with_name("tuberling.yaml").read_text(encoding="utf-8")
    )
    for name, text in named.items():
        sound = _TUBERLING / "de" / f"{name}.ogg"
        if sound.exists():
            yield Recording(sound, "de", "ktuberling-de", "test", text)


_FESTVOX = Path("/usr/share/festival/voices/russian/msu_ru_nsh_clunits")
_FESTVOX_PHONES: Mapping[str, str] = {
    "aa": "a", "a": "ɐ", "ay": "ɐ", "ae": "ɪ", "ee": "e", "e": "ɪ", "ii": "i", "i": "ɪ", "yy": "ɨ", "y": "ɨ",
    "oo": "o", "uu": "u", "u": "u", "ur": "u", "sch": "ɕ", "ch": "tʃ", "sh": "ʃ", "zh": "ʒ", "c": "ts",
    "h": "x", "hh": "xʲ", "j": "j", "g": "ɡ", "gg": "ɡʲ",
    **{letter: letter for letter in "bvdzklmnprstf"},
    **{letter * 2: f"{letter}ʲ" for letter in "bvdklmnprstf"},
    "zz": "ʑ",
}  # fmt: skip


def festvox_ru() -> Iterator[Recording]:
    """``festvox-ru``: a man reads 620 sentences; its own phone labels are used, cut at the pauses."""
    for labels in sorted((_FESTVOX / "lab").glob("*.lab")):
        sound = _FESTVOX / "wav" / f"{labels.stem}.wav"
        phones: list[str] = []
        start = end = 0.0
        rows = [line.split() for line in labels.read_text(encoding="utf-8").splitlines()]
        for row in [*(row for row in rows if len(row) == 3), ["", "", "pau"]]:
            if row[2] == "pau":
                if len(phones) >= 3 and sound.exists():
                    margin = 0.05
                    words = (tuple(phones),)
                    part = (max(0.0, start - margin), end + margin)
                    yield Recording(sound, "ru", "festvox-ru", "train", labels.stem, words, part)
                phones = []
                start = float(row[0] or 0.0)
            elif row[2] in _FESTVOX_PHONES:
                phones.append(_FESTVOX_PHONES[row[2]])
            end = float(row[0] or 0.0) if row[2] != "pau" else end


_PROMPTS = Path("usr/share/asterisk/sounds/de")
_NUMBERS = (*range(21), *range(30, 100, 10))
_CUT = "highpass=f=150,atrim=start=0.02,asetpts=PTS-STARTPTS"  # a knock begins these files


def prompts(data: Path) -> Iterator[Recording]:
    """``asterisk-prompt-de``, unpacked in the data folder: German numbers, days, months, letters and words by
    telephone.
    """
    names = babel.Locale("de")
    days, months = names.days["stand-alone"]["wide"], names.months["stand-alone"]["wide"]
    texts = {f"digits/{number}": num2words(number, lang="de") for number in _NUMBERS}
    texts |= {f"digits/day-{day}": days[(day - 1) % 7] for day in range(7)}  # Sunday is their day 0
    texts |= {f"digits/mon-{month}": months[month + 1] for month in range(12)}
    texts |= {f"letters/{letter}": letter for letter in string.ascii_lowercase}
    texts |= yaml.safe_load(Path(__file__).with_name("prompts.yaml").read_text(encoding="utf-8"))
    for name, text in texts.items():
        sound = data / "asterisk-prompt-de" / _PROMPTS / f"{name}.gsm"
        if sound.exists():
            yield Recording(sound, "de", "asterisk-prompt-de", "train", text.lower())


SOURCES: tuple[Callable[[], Iterator[Recording]], ...] = (
    tuxpaint,
    asterisk,
    klettres,
    ktuberling,
    festvox_ru,
)
"""Every source of recordings that are installed."""


def read(recording: Recording) -> npt.NDArray[np.float32] | None:
    """The samples of a recording at the corpus rate; None when it cannot be read."""
    try:
        if recording.path.suffix in (".g722", ".gsm"):
            path, effect = str(recording.path), _CUT if recording.path.suffix == ".gsm" else "anull"
            command = [
                "ffmpeg",
                "-v",
                "error",
                "-i",
                path,
                "-af",
                effect,
                "-f",
                "s16le",
                "-ar",
                str(RATE),
                "-",
            ]
            raw = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout
            samples, rate = np.frombuffer(raw, "<i2").astype(np.float32) / 32768, RATE
        else:
            stereo, rate = soundfile.read(recording.path, dtype="float32", always_2d=True)
            samples = stereo.mean(1)
    except (OSError, RuntimeError, subprocess.SubprocessError):
        return None
    if recording.part is not None:
        start, end = (int(seconds * rate) for seconds in recording.part)
        samples = samples[start:end]
    return np.asarray(soxr.resample(samples, rate, RATE), np.float32)


def store(data: Path, roles: Collection[str] = ("train", "tune", "test")) -> None:
    """Put the recordings of some roles into corpora named ``human-<language>-<role>``; does nothing where
    they exist.
    """
    done = {path.stem for path in (data / "corpora").glob("human-*.jsonl")}
    writers: dict[str, CorpusWriter] = {}
    pronouncers: dict[str, Pronouncer] = {}
    sources: list[Callable[[], Iterator[Recording]]] = [*SOURCES, partial(prompts, data)]
    for source in sources:
        for recording in source():
            name = f"human-{recording.language}-{recording.role}"
            if name in done or recording.role not in roles:
                continue
            samples = read(recording)
            cut = trim(samples) if samples is not None and len(samples) else None
            if cut is None or len(cut) > _LONGEST * RATE:
                continue
            words = recording.words
            if words is None:
                try:
                    pronouncer = pronouncers.setdefault(recording.language, Pronouncer(recording.language))
                except MexvoiceError:
                    continue
                words = pronouncer.words(recording.text)
            if not words:
                continue
            clip = Clip(
                recording.text, "speech", recording.language, recording.speaker, recording.role, words
            )
            writers.setdefault(name, CorpusWriter(data / "corpora" / name)).append(clip, cut)
    for writer in writers.values():
        writer.__exit__()
