"""Make the command models, from the voices to ``models/``: ``python3 scripts/training/run.py``.

Every stage can be repeated and goes on where it was interrupted. ``--stage`` chooses some of them;
``--minutes`` is the time for the training proper; what is made on the way lies in the folder ``--data``. To
train the shipped models further: ``--stage train --stage export --stage weigh --start
scripts/training/checkpoint.npz``; with ``--language en`` the network of one language alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
if str(TOP) not in sys.path:
    sys.path.insert(0, str(TOP))

from mexvoice.errors import MexvoiceError  # noqa: E402

STAGES = ("install", "speak", "train", "export", "weigh", "evaluate", "clips")
"""The stages, in order."""

ROLES = ("train", "tune", "test")
"""What voices are for."""

_KOKORO_CLIPS = {"test": 40, "tune": 20, "near": 250}
"""Clips a language that Kokoro says for each role but training."""

_PENALTIES = Path(__file__).with_name("penalties.json")
_SETTINGS = {
    # blocks of memory are kept instead of given back and taken anew in every step: half the time of a step
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 34),
    "MALLOC_TOP_PAD_": str(1 << 28),
    "OMP_NUM_THREADS": "1",
}


def _restart_with(settings: Mapping[str, str]) -> None:
    """Start this program again with an environment that must be there from the beginning."""
    if any(os.environ.get(name) != value for name, value in settings.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **settings})


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stage", action="append", choices=STAGES, help="only this stage (may be repeated)")
    parser.add_argument(
        "--data", type=Path, default=cache / "mexvoice-training", help="folder for what is made"
    )
    parser.add_argument("--minutes", type=float, default=85.0, help="time for training (default %(default)s)")
    parser.add_argument(
        "--start",
        type=Path,
        help="weights to start from, e.g. scripts/training/checkpoint.npz (default: none)",
    )
    parser.add_argument(
        "--peak",
        type=float,
        default=2.5e-3,
        help="highest learning rate (default %(default)s; less to go on)",
    )
    parser.add_argument(
        "--deeper", type=int, default=0, help="blocks to add to the weights started from (default none)"
    )
    parser.add_argument(
        "--roles",
        nargs="+",
        choices=ROLES,
        default=ROLES,
        help="what is spoken: test alone is what scripts/bench.py hearing takes (default all)",
    )
    parser.add_argument(
        "--keep-penalties", action="store_true", help="export with the penalties of penalties.json"
    )
    parser.add_argument(
        "--language", default="", help="the training goes on for the network of this language alone"
    )
    parser.add_argument("--kokoro-minutes", type=float, default=40.0, help="time for Kokoro to speak")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the clips of the other voices")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clips", type=int, default=400, help="clips a test, at most")
    parser.add_argument("--noisy", type=int, default=150, help="clips a test at each ratio of noise, at most")
    return parser.parse_args(words)


def _speak(options: argparse.Namespace) -> None:
    from scripts.training import recordings, synthesis

    recordings.store(options.data, options.roles)
    for job in synthesis.jobs():
        if job.role in options.roles:
            print(f"{job.synthesiser} {job.language} {job.role}", flush=True)
            synthesis.run_job(job, options.data, options.seed, options.scale if job.role == "train" else 1.0)
    if (options.data / "npm" / "package").exists():
        for role, clips in _KOKORO_CLIPS.items():
            if role in options.roles:
                synthesis.run_kokoro(options.data, options.seed, role, 60, clips)
        if "train" in options.roles:
            synthesis.run_kokoro(options.data, options.seed, "train", options.kokoro_minutes)
    print(synthesis.report(options.data))


def _train(options: argparse.Namespace) -> None:
    from scripts.training.train import Plan, Trainer, folder_of

    folder = folder_of(options.data, options.language)
    if options.start is not None:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(options.start, folder / "start.npz")
    deeper = ((-1, 0),) * options.deeper
    plan = Plan(options.minutes, options.peak, seed=options.seed, focus=options.language, deeper=deeper)
    Trainer(options.data, plan, lambda line: print(line, flush=True)).run()


def _checkpoint(data: Path, language: str) -> Path | None:
    """The weights of one language, or of all, newly trained ones put in place of those of before."""
    from scripts.training.train import folder_of

    trained = folder_of(data, language) / "checkpoint.npz"
    shared = Path(__file__).with_name(f"checkpoint-{language}.npz" if language else "checkpoint.npz")
    if trained.exists() and not (shared.exists() and trained.read_bytes() == shared.read_bytes()):
        shutil.copyfile(trained, shared)
    return shared if shared.exists() else None


def _export(options: argparse.Namespace) -> None:
    from scripts.training import export, penalties
    from scripts.training.texts import LANGUAGES

    common = _checkpoint(options.data, "")
    chosen: dict[str, list[float]] = json.loads(_PENALTIES.read_text(encoding="utf-8"))
    for language in [options.language] if options.language else LANGUAGES:
        base = TOP / "models" / language
        weights = _checkpoint(options.data, language) or common
        if weights is None:
            raise MexvoiceError("there are no weights yet: train first")
        export.export(weights, language, base, export.Penalties(*chosen.get(language, [0.0, -1.2])))
        if not options.keep_penalties:
            best = penalties.choose(base, options.data, language, penalties.grid())
            chosen[language] = [best.words, best.each]
            export.export(weights, language, base, best)
        print(f"{base}: {export.folder_size(base) / 1e6:.2f} MB, {chosen[language]}", flush=True)
    _PENALTIES.write_text(json.dumps(chosen) + "\n", encoding="utf-8")


def _weigh(options: argparse.Namespace) -> None:
    from mexvoice.hearing.model import WEIGHTS, seal
    from scripts.training import weighing
    from scripts.training.cases import Gatherer
    from scripts.training.texts import LANGUAGES

    cases = []
    for language in LANGUAGES:
        found = list(Gatherer(TOP / "models" / language, options.data, language).gather())
        print(f"{language}: {weighing.count(found)}", flush=True)
        cases += found
    weights = weighing.learn(cases)
    print(weighing.curve(cases, weights), flush=True)
    for language in LANGUAGES:
        weights.write(TOP / "models" / language / WEIGHTS)
        seal(TOP / "models" / language)


def _evaluate(options: argparse.Namespace) -> None:
    from scripts.training import evaluate
    from scripts.training.texts import LANGUAGES

    print(evaluate.HEADER)
    for language in LANGUAGES:
        model = TOP / "models" / language
        report = evaluate.evaluate(model, options.data, language, clips=options.clips, noisy=options.noisy)
        print("\n".join(report.rows()), flush=True)


def _clips(options: argparse.Namespace) -> None:
    from scripts.training import clips
    from scripts.training.texts import LANGUAGES

    for language in LANGUAGES:
        folder = TOP / "tests" / "audio" / language
        print(
            folder, *clips.write_clips(TOP / "models" / language, options.data, language, folder), flush=True
        )


def main(words: Sequence[str] | None = None) -> int:
    """Run the stages; returns the exit status."""
    options = _arguments(words)
    options.data.mkdir(parents=True, exist_ok=True)
    try:
        for stage in options.stage or STAGES:
            if stage == "install":
                from scripts.training.installation import install

                install(options.data)
            else:
                work = {
                    "speak": _speak,
                    "train": _train,
                    "export": _export,
                    "weigh": _weigh,
                    "evaluate": _evaluate,
                    "clips": _clips,
                }
                work[stage](options)
    except MexvoiceError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    _restart_with(_SETTINGS)
    sys.exit(main())
