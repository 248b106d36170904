"""How late the answer comes, what hearing costs, and how much memory it takes."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.model import BUILTIN, Model, find_model, load_vosk, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.source import AudioFile
from mexvoice.language import locale as locales
from mexvoice.language.command import CommandId
from mexvoice.language.understanding import Understanding, Understood

_RATE = 16000
_PLAYERS = ("1", "2", "3", "4", "5", "6", "7", "8")
_BEFORE, _AFTER = 1.0, 2.0
"""Seconds of a quiet room around each clip."""
AROUND = _BEFORE + _AFTER
"""Both together."""

Samples = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Ear:
    """All that hearing a language takes."""

    model: Model
    grammar: Grammar
    understanding: Understanding
    load_seconds: float
    """To load the shipped model and make the first recogniser."""

    assembly_seconds: float
    """To put together, and load, one with the seats of eight players."""


@dataclass(frozen=True)
class Delay:
    """One clip that was heard."""

    sound: float
    """Seconds of sound after the end of speech until the recogniser gave the utterance."""

    work: float
    """Seconds of processor time from that block of sound to the command."""


def ear(code: str) -> Ear:
    """Load everything for one language; the grammar is the whole of it."""
    locale = locales.load(code)
    understanding = Understanding(locale, _PLAYERS)
    book = understanding.book
    phrases = [text for text in book.phrases() if not any(letter.isdigit() for letter in text)]
    meanings = {phrase: book.commands.get(book.normalise(phrase)) for phrase in phrases}
    grammar = Grammar(phrases, book.decoys, book.fillers, meanings=meanings)
    load_vosk()
    started = time.perf_counter()
    Recogniser(find_model(code, BUILTIN), grammar)
    loaded = time.perf_counter()
    model = model_for(code, BUILTIN, [*phrases, *book.decoys, *book.fillers], locale.pronounce)
    return Ear(model, grammar, understanding, loaded - started, time.perf_counter() - loaded)


def speech(samples: Samples) -> Samples:
    """A clip without the silence around the speech: what is within 35 dB of its loudest 10 ms."""
    size = _RATE // 100
    power = np.square(samples[: len(samples) // size * size].astype(np.float64).reshape(-1, size)).mean(
        axis=1
    )
    loud = np.flatnonzero(power > power.max() * 10**-3.5)
    return samples[loud[0] * size : (loud[-1] + 1) * size]


def load(path: Path) -> Samples:
    """The speech of a sound file, at 16 kHz."""
    return speech(np.frombuffer(b"".join(block.pcm for block in AudioFile(path)), "<i2").astype(np.int16))


def delay(ears: Ear, clip: Samples, block: int, rng: np.random.Generator) -> tuple[Delay | None, float]:
    """Hear one clip, block by block: the delay (None without a command), and the processor time of it all."""
    sound = rng.normal(0, 8, len(clip) + round((_BEFORE + _AFTER) * _RATE))
    begin = round(_BEFORE * _RATE)
    sound[begin : begin + len(clip)] += clip
    samples = np.clip(np.rint(sound), -32768, 32767).astype("<i2")
    recogniser = Recogniser(ears.model, ears.grammar)
    found: Delay | None = None
    total = 0.0
    for at in range(0, len(samples), block):
        started = time.process_time()
        for utterance in recogniser.accept(samples[at : at + block].tobytes()):
            outcome = ears.understanding.hear(utterance.text, frozenset(CommandId))
            if isinstance(outcome, Understood) and found is None:
                spent = time.process_time() - started
                found = Delay((at + block - begin - len(clip)) / _RATE, spent)
        total += time.process_time() - started
    return found, total


def memory(codes: list[str]) -> float:
    """Megabytes of a process that hears these languages, at its largest."""
    program = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from scripts.benches.latency import ear\n"
        "from mexvoice.hearing.recogniser import Recogniser\n"
        "ears = [ear(code) for code in sys.argv[1:]]\n"
        "for one in ears:\n"
        "    recogniser = Recogniser(one.model, one.grammar)\n"
        "    recogniser.accept(bytes(32000) + b'\\0\\x20\\0\\xe0' * 8000 + bytes(32000))\n"
        "status = Path('/proc/self/status')\n"
        "if status.exists():\n"  # what the system says of a child includes what its parent had
        "    largest = next(l.split()[1] for l in status.read_text().splitlines() if 'VmHWM' in l)\n"
        "    print(int(largest) / 1024)\n"
        "else:\n"
        "    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "    print(largest / (1024 * 1024 if sys.platform == 'darwin' else 1024))\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program, *codes], cwd=root, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


@click.command()
@click.option(
    "--audio",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(__file__).resolve().parents[2] / "tests" / "audio",
    help="Folder with LANGUAGE/*.flac clips of commands.  [default: tests/audio]",
)
@click.option("--block", type=click.IntRange(160), default=800, show_default=True, help="Samples of a block.")
@click.option("--seed", default=1, show_default=True, help="Of the noise around the clips.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(audio: Path, block: int, seed: int, as_json: bool) -> None:
    """Time from the end of speech to the command, real-time factor, load time and memory."""
    rng = np.random.default_rng(seed)
    codes = [code for code in locales.available() if (audio / code).is_dir()]
    rows = []
    for code in codes:
        ears = ear(code)
        clips = [
            load(path) for path in sorted((audio / code).glob("*.flac")) if not path.stem.startswith("talk")
        ]
        results = [delay(ears, clip, block, rng) for clip in clips]
        delays = [found.sound + found.work for found, _ in results if found is not None]
        seconds = sum(len(clip) / _RATE + AROUND for clip in clips)
        rows.append(
            {
                "language": code,
                "clips": len(clips),
                "commands": len(delays),
                "median_ms": round(1000 * float(np.median(delays))) if delays else None,
                "p95_ms": round(1000 * float(np.percentile(delays, 95))) if delays else None,
                "real_time_factor": round(sum(spent for _, spent in results) / seconds, 4),
                "load_s": round(ears.load_seconds, 3),
                "with_names_s": round(ears.assembly_seconds, 3),
                "memory_mb": round(memory([code])),
            }
        )
    every = round(memory(codes))
    if as_json:
        click.echo(json.dumps({"languages": rows, "memory_mb_all": every}))
        return
    click.echo(
        "language  clips  commands  end of speech to command, ms   real-time  "
        "load, s  with names, s  memory, MB"
    )
    click.echo("                            median  95th percentile         factor")
    for row in rows:
        click.echo(
            "{:8}  {:5}  {:8}  {!s:>6}  {!s:>15}  {:13.4f}  {:7.3f}  {:13.3f}  {:10}".format(*row.values())
        )
    click.echo(f"all {len(codes)} languages in one process: {every} MB")
