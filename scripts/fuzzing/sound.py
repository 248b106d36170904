"""Sound files that are none, or strange ones, and blocks of sound of any length."""

import random
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import soundfile

from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.guards import STRICT, TOLERANT
from mexvoice.hearing.model import Model, find_model
from mexvoice.hearing.recogniser import Recogniser
from scripts.fuzzing import nasty
from scripts.fuzzing.case import Case, Command

CLIPS = Path(__file__).resolve().parents[2] / "tests" / "audio"
LANGUAGES = ("de", "en", "fr", "ru")
CLIP_SAMPLES = 24_000
"""More of a clip would only take longer."""

RATES = (0, 1, 7, 100, 4000, 8000, 11025, 16000, 44100, 48000, 192000, 999_999, 2**31 - 1, 2**32 - 1)
CHANNELS = (0, 1, 2, 3, 8, 64, 255, 1024, 65535)
SUFFIXES = (".wav", ".flac", ".ogg", ".mp3", ".aiff", ".au", ".raw", ".caf", ".w64", "", ".txt")
FORMATS = (
    ("WAV", "PCM_16"),
    ("WAV", "PCM_U8"),
    ("WAV", "PCM_24"),
    ("WAV", "FLOAT"),
    ("WAV", "DOUBLE"),
    ("WAV", "ULAW"),
    ("WAV", "IMA_ADPCM"),
    ("WAV", "GSM610"),
    ("FLAC", "PCM_16"),
    ("FLAC", "PCM_24"),
    ("OGG", "VORBIS"),
    ("OGG", "OPUS"),
    ("MP3", "MPEG_LAYER_III"),
    ("AIFF", "PCM_16"),
    ("AU", "PCM_16"),
    ("CAF", "ALAC_16"),
    ("W64", "PCM_16"),
    ("RF64", "PCM_16"),
)


def heard(rng: random.Random, folder: Path) -> Case:
    """``mexvoice hear`` on one or several such files."""
    files = [str(_file(rng, folder, number)) for number in range(rng.choice((1, 1, 1, 3)))]
    words = ["hear", *files, "--lang", rng.choice(LANGUAGES)]
    if rng.random() < 0.2:
        words.append("--json")
    return Case([Command(words)])


def played(rng: random.Random, folder: Path) -> Case:
    """``mexvoice play --audio`` on such a file."""
    file = str(_file(rng, folder, 0))
    words = ["play", "--players", "Anna,Ben", "--mute", "--plain", "--unkept", "--audio", file]
    return Case([Command([*words, "--lang", rng.choice(LANGUAGES), "--seed", "1"])])


def accepted(rng: random.Random, folder: Path) -> Case:
    """Blocks of any length straight into the recogniser, with changes of the grammar in between."""
    del folder
    language = rng.choice(LANGUAGES)
    seed = rng.randrange(2**32)
    return Case(call=lambda: _accept(language, random.Random(seed)), note=f"{language} {seed}")


def _accept(language: str, rng: random.Random) -> str:
    model = _model(language)
    phrases = _phrases(language)
    recogniser = Recogniser(model, _grammar(rng, phrases), guards=rng.choice((STRICT, TOLERANT)))
    said: list[str] = []
    for _ in range(rng.randrange(1, 40)):
        match rng.randrange(12):
            case 0:
                recogniser.set_grammar(_grammar(rng, phrases), at_once=rng.random() < 0.5)
            case 1:
                recogniser.reset()
            case 2:
                said += [utterance.heard for utterance in recogniser.flush()]
            case _:
                said += [utterance.heard for utterance in recogniser.accept(_block(rng))]
    said += [utterance.heard for utterance in recogniser.flush()]
    if not np.isfinite(recogniser.seconds):
        raise AssertionError("the stream has no length")
    return "\n".join(said)


def _grammar(rng: random.Random, phrases: Sequence[str]) -> Grammar:
    count = rng.choice((1, 2, 5, len(phrases)))
    chosen = rng.sample(list(phrases), min(count, len(phrases)))
    decoys = rng.sample(list(phrases), rng.randrange(len(phrases)))
    return Grammar(chosen, decoys, sequences=rng.random() < 0.3)


def _block(rng: random.Random) -> bytes:
    length = rng.choice((0, 1, 2, 3, 7, 799, 800, 801, 1600, 1601, 3200, 16000, 60_001))
    match rng.randrange(6):
        case 0:
            return rng.randbytes(length)
        case 1:
            return bytes(length)
        case 2:
            return b"\xff\x7f\x00\x80" * (length // 4)
        case _:
            clip = _clip(rng)
            at = rng.randrange(len(clip))
            return clip[at : at + length].tobytes()[: max(0, 2 * length - rng.randrange(2))]


@lru_cache(maxsize=4)
def _model(language: str) -> Model:
    return find_model(language, Path("builtin"))


@lru_cache(maxsize=4)
def _phrases(language: str) -> tuple[str, ...]:
    lines = (_model(language).path / "graph" / "words.txt").read_text(encoding="utf-8").splitlines()
    tokens = [line.split()[0] for line in lines if line.strip()]
    return tuple(token.replace("_", " ") for token in tokens if token[0].isalpha())


@lru_cache(maxsize=64)
def _clips() -> tuple[Path, ...]:
    return tuple(sorted(CLIPS.rglob("*.flac")))


def _clip(rng: random.Random) -> "np.ndarray[tuple[int], np.dtype[np.int16]]":
    samples, _ = soundfile.read(rng.choice(_clips()), dtype="int16", frames=CLIP_SAMPLES)
    return np.asarray(samples, np.int16)


def _file(rng: random.Random, folder: Path, number: int) -> Path:
    name = rng.choice((f"sound{number}", f"a\x1b[{nasty.MARK}mb{number}", f"né\u202e {number}"))
    path = folder / f"{name}{rng.choice(SUFFIXES)}"
    make: Callable[[random.Random, Path], None] = rng.choice(
        (_noise, _header, _odd, _numbers, _coded, _coded)
    )
    make(rng, path)
    return path


def _noise(rng: random.Random, path: Path) -> None:
    magic = rng.choice(
        (b"", b"RIFF", b"RIFF\xff\xff\xff\xffWAVEfmt ", b"fLaC", b"OggS", b"ID3", b"FORM", b".snd")
    )
    path.write_bytes(magic + rng.randbytes(rng.choice((0, 1, 2, 43, 44, 45, 1000, 40_000))))


def _header(rng: random.Random, path: Path) -> None:
    """A WAV file with anything in its header."""
    channels, rate = rng.choice(CHANNELS), rng.choice(RATES)
    bits = rng.choice((0, 1, 4, 8, 12, 16, 24, 32, 64, 65535))
    tag = rng.choice((0, 1, 1, 1, 2, 3, 6, 7, 17, 49, 85, 0xFFFE, 0xFFFF))
    data = rng.randbytes(rng.choice((0, 1, 2, 3, 100, 5001, 64_000)))
    align = rng.choice((channels * bits // 8 % 65536, 0, 1, 65535))
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * align % 2**32, align, bits)
    size = rng.choice((len(data), len(data), 0, 1, 2**31 - 1, 2**32 - 1))
    fact = (
        b"fact" + struct.pack("<II", 4, rng.choice((0, len(data), 2**32 - 1))) if rng.random() < 0.2 else b""
    )
    body = b"WAVEfmt " + struct.pack("<I", rng.choice((16, 16, 16, 0, 18, 40, 2**32 - 1))) + form + fact
    body += b"data" + struct.pack("<I", size) + data
    path.write_bytes(rng.choice((b"RIFF", b"RIFF", b"RIFX", b"RF64")) + struct.pack("<I", len(body)) + body)


def _odd(rng: random.Random, path: Path) -> None:
    """Few samples, or many channels, or an absurd rate, all written as they should be."""
    frames = rng.choice((1, 2, 3, 10, 79, 801, 20_000))
    channels = rng.choice((1, 2, 3, 8, 64, 255, 1000))
    rate = rng.choice([rate for rate in RATES if 0 < rate < 2**31])
    samples = np.frombuffer(rng.randbytes(2 * channels * min(frames, 500_000 // channels)), np.int16)
    _write(path, samples.reshape(-1, channels), rate, "WAV", "PCM_16")


def _numbers(rng: random.Random, path: Path) -> None:
    """Floats that are no numbers, or far too large."""
    clip = _clip(rng).astype(np.float64) / 32768
    strange = (np.nan, np.inf, -np.inf, 1e38, -1e300, 1e-320, 2.0)
    for _ in range(rng.choice((1, 3, 1000))):
        clip[rng.randrange(len(clip))] = rng.choice(strange)
    if rng.random() < 0.3:
        clip = np.clip(clip * 1e6, -1, 1)
    _write(path, clip, rng.choice((8000, 16000, 44100)), "WAV", rng.choice(("FLOAT", "DOUBLE")))


def _coded(rng: random.Random, path: Path) -> None:
    """A clip in some format, harmed."""
    kind, subtype = rng.choice(FORMATS)
    rate = 48000 if subtype == "OPUS" else rng.choice((8000, 16000, 44100))
    _write(path, _clip(rng), rate, kind, subtype)
    if not path.exists():
        return
    data = path.read_bytes()
    match rng.randrange(4):
        case 0:
            path.write_bytes(data[: rng.randrange(len(data) + 1)])
        case 1:
            head = data[: rng.choice((16, 64, 200))]
            path.write_bytes(nasty.mangled(rng, head) + data[len(head) :])
        case 2:
            path.write_bytes(nasty.mangled(rng, data))


def _write(path: Path, samples: object, rate: int, kind: str, subtype: str) -> None:
    try:
        soundfile.write(path, samples, rate, format=kind, subtype=subtype)
    except (RuntimeError, ValueError, TypeError):
        path.write_bytes(b"RIFF")
