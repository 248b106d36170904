"""Folders of models with harmed files."""

import json
import random
import shutil
from pathlib import Path

from mexvoice.hearing.model import SEAL, WEIGHTS, seal
from scripts.fuzzing import nasty
from scripts.fuzzing.case import Case, Command

ROOT = Path(__file__).resolve().parents[2]
CLIP = {"en": "throw", "de": "werfen", "fr": "je_coupe", "ru": "нет"}
CONFIGURED = (
    "--sample-frequency=0\n",
    "--sample-frequency=-1\n",
    "--frame-length=0\n",
    "--num-ceps=9999\n",
    "--beam=-1\n",
    "--max-active=0\n",
    "--endpoint.silence-phones=x\n",
    "--nonsense=1\n",
    "--frame-subsampling-factor=0\n",
)


def model(rng: random.Random, folder: Path) -> Case:
    """``mexvoice hear`` and ``models check`` with a harmed model, given or installed."""
    code = rng.choice(list(CLIP))
    installed = rng.random() < 0.3
    path = _copied(code, folder)
    if rng.random() < 0.7:
        (path / SEAL).unlink(missing_ok=True)
    if installed:
        (path / "installed.json").write_text('{"name": "x", "url": "y", "sum": "z", "pinned": true}')
    for _ in range(rng.choice((1, 1, 2))):
        files = _files(path)
        if rng.random() < 0.2:
            _swap(rng, path, code)
        elif files:
            _harm(rng, rng.choice(files))
    if installed:
        data = ["--data", str(folder)]
        return Case([Command([*_hear(code), *data]), Command(["models", "check", *data])])
    return Case([Command([*_hear(code), "--model", str(path)])])


def judged(rng: random.Random, folder: Path) -> Case:
    """``mexvoice hear`` and a match with a model whose own small files are harmed and sealed all the same.

    These are the files that the program reads itself. With a seal there is no trial run before.
    """
    code = rng.choice(list(CLIP))
    path = _copied(code, folder)
    own = [file for file in _files(path) if file.suffix == ".json" and file.name != SEAL]
    own += [path / "phones.txt"]
    file = path / WEIGHTS if rng.random() < 0.7 else rng.choice(own)
    if file.suffix == ".json" and file.is_file() and rng.random() < 0.85:
        _harm_values(rng, file)
    elif file.is_file():
        _harm(rng, file)
    seal(path)
    clip = ROOT / "tests" / "audio" / code / f"{CLIP[code]}.flac"
    match = ["play", "--players", "Anna,Ben", "--mute", "--plain", "--unkept", "--lang", code]
    words = _hear(code) if rng.random() < 0.7 else [*match, "--audio", str(clip)]
    return Case([Command([*words, "--model", str(path)])])


def _copied(code: str, folder: Path) -> Path:
    path = folder / "models" / code
    shutil.copytree(ROOT / "models" / code, path)
    return path


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file())


def _hear(code: str) -> list[str]:
    return ["hear", str(ROOT / "tests" / "audio" / code / f"{CLIP[code]}.flac"), "--lang", code]


def _swap(rng: random.Random, path: Path, code: str) -> None:
    """One file in the place of another, of this model or of another language's."""
    files = _files(path)
    if not files:
        return
    file = rng.choice(files)
    other = ROOT / "models" / rng.choice([name for name in CLIP if name != code]) / file.relative_to(path)
    source = other if rng.random() < 0.6 and other.is_file() else rng.choice(files)
    data = source.read_bytes()
    file.write_bytes(data)


def _harm(rng: random.Random, file: Path) -> None:
    data = file.read_bytes()
    match rng.randrange(7):
        case 0:
            file.unlink()
        case 1:
            file.write_bytes(data[: rng.randrange(len(data) + 1)])
        case 2:
            file.write_bytes(rng.randbytes(min(len(data), 5000)))
        case 3 if file.suffix in (".conf", ".txt", ".int", ".json"):
            file.write_bytes(data + rng.choice(CONFIGURED).encode())
        case 4:
            file.unlink()
            file.mkdir()
        case _:
            file.write_bytes(nasty.mangled(rng, data))


def _harm_values(rng: random.Random, file: Path) -> None:
    """A JSON file in which some values are others: of a wrong type or size, no number, too many, missing."""
    content = json.loads(file.read_bytes())
    for _ in range(rng.choice((1, 1, 2, 5))):
        content = _other(rng, content)
    file.write_text(json.dumps(content, ensure_ascii=rng.random() < 0.5), "utf-8", "surrogatepass")


def _other(rng: random.Random, value: object) -> object:
    """The same with one change somewhere in it."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {name: one for name, one in value.items() if name != key}
        return {**value, key: _other(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        match rng.randrange(4):
            case 0:
                return value[:at]
            case 1:
                return value + value * rng.choice((1, 50))
            case 2:
                return [_other(rng, one) for one in value] if rng.random() < 0.3 else [value]
            case _:
                return [*value[:at], _other(rng, value[at]), *value[at + 1 :]]
    numbers: tuple[object, ...] = (
        0,
        0.0,
        -0.0,
        -1,
        1e-300,
        1e300,
        float("nan"),
        float("inf"),
        -float("inf"),
        "1",
        "nan",
        [],
        [1],
    )
    return rng.choice((*numbers, True, None, nasty.value(rng), nasty.value(rng)))
