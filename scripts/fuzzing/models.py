"""Folders of models with harmed files."""

import random
import shutil
from pathlib import Path

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
    path = folder / "models" / code
    shutil.copytree(ROOT / "models" / code, path)
    if rng.random() < 0.7:
        (path / "mexvoice.json").unlink(missing_ok=True)
    if installed:
        (path / "installed.json").write_text('{"name": "x", "url": "y", "sum": "z", "pinned": true}')
    for _ in range(rng.choice((1, 1, 2))):
        files = sorted(file for file in path.rglob("*") if file.is_file())
        _harm(rng, rng.choice(files))
    clip = str(ROOT / "tests" / "audio" / code / f"{CLIP[code]}.flac")
    hear = ["hear", clip, "--lang", code]
    if installed:
        data = ["--data", str(folder)]
        return Case([Command([*hear, *data]), Command(["models", "check", *data])])
    return Case([Command([*hear, "--model", str(path)])])


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
