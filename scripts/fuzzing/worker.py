"""The process that runs cases: ``python -m scripts.fuzzing.worker``.

It reads ``{"kind": ..., "seed": ..., "process": true}`` from its standard input, one a line, and answers each
with ``{"faults": [...], "statuses": [...]}``. What native code does to it, it does to this process only.
"""

import contextlib
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final
from unittest.mock import patch

from mexvoice import cli
from mexvoice.data import DATA_VARIABLE
from mexvoice.errors import MexvoiceError
from mexvoice.language import locale
from scripts.fuzzing import law, matches, models, options, screens, sound, terminal, wording
from scripts.fuzzing.case import Case, Command, Maker, Verdict

KINDS: Final[dict[str, Maker]] = {
    "sound: hear": sound.heard,
    "sound: play": sound.played,
    "sound: blocks": sound.accepted,
    "locale": wording.locale,
    "phrases": wording.house,
    "replay": matches.replayed,
    "names": matches.named,
    "names: spoken": matches.spoken,
    "record": matches.kept,
    "model": models.model,
    "model: judge": models.judged,
    "screen": screens.screen,
    "options": options.line,
}

MEMORY: Final = 3 * 2**30
"""Bytes a case may take; what takes more would stop a small machine."""

PROCESS_SECONDS: Final = 60.0
_PROGRAM: Final = (
    "import sys; from pathlib import Path; from mexvoice import cli; from mexvoice.language import locale\n"
    "folder = sys.argv.pop(1)\n"
    "if folder: locale.shipped = lambda name: Path(folder)\n"
    "cli.main()"
)


def make(kind: str, seed: str, folder: Path) -> Case:
    """The case of a seed, its files in an empty folder."""
    return KINDS[kind](random.Random(f"{kind} {seed}"), folder)


def judge(case: Case, folder: Path, as_process: bool) -> Verdict:
    """Run a case in a folder, and judge it."""
    verdict = Verdict()
    if case.call is not None:
        _call(case, verdict)
    for command in case.commands:
        if case.terminal:
            status, out = terminal.run(_program(command), command.script, folder, _environment(folder))
            err = b""
        elif as_process:
            status, out, err = _as_process(command, folder)
        else:
            status, out, err = run_here(command, folder)
        verdict.statuses.append(status)
        faults = law.screen_breaches(status, out) if case.terminal else law.breaches(status, out, err)
        verdict.faults += [f"{list(command.words)!r:.300}: {fault}" for fault in faults]
    return verdict


def _call(case: Case, verdict: Verdict) -> None:
    assert case.call is not None
    try:
        shown, status = case.call(), 0
    except MexvoiceError as error:
        shown, status = str(error), 2
    except Exception as error:
        verdict.faults.append(f"{case.note}: {error!r:.300}")
        return
    verdict.statuses.append(status)
    err = shown.encode("utf-8", "replace") if status else b""
    verdict.faults += [f"{case.note}: {fault}" for fault in law.breaches(status, b"", err)]


def run_here(command: Command, folder: Path) -> tuple[int, bytes, bytes]:
    """The program in this very process: its exit status, and what it wrote."""
    out, err = io.BytesIO(), io.BytesIO()
    typed = folder / "typed"
    typed.write_bytes(command.typed)
    with (
        typed.open(encoding="utf-8", errors="surrogateescape") as stdin,
        _streams(stdin, out, err),
        _surroundings(folder, command.locales),
    ):
        sys.argv = ["mexvoice", *command.words]
        try:
            cli.main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
            status = 70
        sys.stdout.flush()
        sys.stderr.flush()
    return status, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def _streams(stdin: IO[str], out: io.BytesIO, err: io.BytesIO) -> Iterator[None]:
    kept = sys.stdin, sys.stdout, sys.stderr, sys.argv
    sys.stdin = stdin
    sys.stdout, sys.stderr = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8")
    try:
        yield
    finally:
        for wrapper in (sys.stdout, sys.stderr):
            with contextlib.suppress(ValueError):
                wrapper.detach()  # or the bytes would go with it
        sys.stdin, sys.stdout, sys.stderr, sys.argv = kept


@contextlib.contextmanager
def _surroundings(folder: Path, locales: Path | None) -> Iterator[None]:
    """The folder of the case as the working directory, a data folder there, and perhaps other locales."""
    environment, where = dict(os.environ), Path.cwd()
    os.environ[DATA_VARIABLE] = str(folder / "data of its own")
    os.chdir(folder)
    moved = patch.object(locale, "shipped", lambda _: locales) if locales else contextlib.nullcontext()
    try:
        with moved:
            yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(environment)


def _environment(folder: Path) -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    return os.environ | {DATA_VARIABLE: str(folder / "data of its own"), "PYTHONPATH": root}


def _program(command: Command) -> list[str | bytes]:
    words = [word.encode("utf-8", "surrogateescape") for word in command.words]
    return [sys.executable, "-c", _PROGRAM, str(command.locales or ""), *words]


def _as_process(command: Command, folder: Path) -> tuple[int, bytes, bytes]:
    try:
        done = subprocess.run(
            _program(command),
            input=command.typed,
            capture_output=True,
            cwd=folder,
            env=_environment(folder),
            timeout=PROCESS_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, b"", f"no end within {PROCESS_SECONDS:.0f} s".encode()
    return done.returncode, done.stdout, done.stderr


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory(prefix="mexfuzz-") as top:
        tempfile.tempdir = top
        os.environ["TMPDIR"] = top
        for number, line in enumerate(sys.stdin):
            request = json.loads(line)
            folder = Path(top) / f"case{number}"
            folder.mkdir()
            case = make(request["kind"], request["seed"], folder)
            verdict = judge(case, folder, bool(request.get("process")))
            shutil.rmtree(folder, ignore_errors=True)
            answer = {"faults": verdict.faults, "statuses": verdict.statuses}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
