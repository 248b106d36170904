"""The process that runs cases: ``python -m scripts.fuzzing.worker``.

It reads ``{"kind": ..., "seed": ..., "process": true}`` from its standard input, one a line, and answers each
with ``{"faults": [...], "statuses": [...]}``. What native code does to it, it does to this process only.
"""

import contextlib
import io
import json
import os
import pty
import random
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final
from unittest.mock import patch

from mexvoice import cli
from mexvoice.data import DATA_VARIABLE
from mexvoice.errors import MexvoiceError
from mexvoice.language import locale
from scripts.fuzzing import law, matches, models, nasty, options, sound, wording
from scripts.fuzzing.case import Case, Command, Maker, Verdict

KINDS: Final[dict[str, Maker]] = {
    "sound: hear": sound.heard,
    "sound: play": sound.played,
    "sound: blocks": sound.accepted,
    "locale": wording.locale,
    "phrases": wording.house,
    "replay": matches.replayed,
    "names": matches.named,
    "names: screen": matches.screened,
    "names: spoken": matches.spoken,
    "record": matches.kept,
    "model": models.model,
    "options": options.line,
}

MEMORY: Final = 3 * 2**30
"""Bytes a case may take; what takes more would stop a small machine."""

PROCESS_SECONDS: Final = 60.0
SCREEN_SECONDS: Final = 2.0
"""So long what was typed is given to be drawn."""

END_SECONDS: Final = 10.0
"""A program that has let go of the terminal, or was left, gets so long to end."""

SCREEN_BYTES: Final = 1000
"""A screen has been drawn when there are so many: the program is there, and Ctrl-C is for it."""

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
            status, out, err = _on_terminal(command, folder)
        elif as_process:
            status, out, err = _as_process(command, folder)
        else:
            status, out, err = run_here(command, folder)
        verdict.statuses.append(status)
        faults = _screen_breaches(status, out) if case.terminal else law.breaches(status, out, err)
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


def _as_process(command: Command, folder: Path) -> tuple[int, bytes, bytes]:
    words = [word.encode("utf-8", "surrogateescape") for word in command.words]
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(command.locales or ""), *words],
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


def _on_terminal(command: Command, folder: Path) -> tuple[int, bytes, bytes]:
    """The program on a pseudo-terminal, with its full screen; left with Ctrl-C after a while."""
    main, terminal = pty.openpty()
    words = [word.encode("utf-8", "surrogateescape") for word in command.words]
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, "", *words],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=folder,
        env=_environment(folder) | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"},
        start_new_session=True,
    )
    os.close(terminal)
    drawn = b""
    typed, started = command.typed, time.monotonic()
    leave_at = started
    try:
        while time.monotonic() - started < PROCESS_SECONDS:
            if select.select([main], [], [], 0.1)[0]:
                try:
                    drawn += os.read(main, 65536)
                except OSError:
                    break
            now = time.monotonic()
            if typed and len(drawn) > SCREEN_BYTES:
                os.write(main, typed)
                typed, leave_at = b"", now + SCREEN_SECONDS
            elif not typed and now > leave_at:
                os.write(main, b"\x03")
                leave_at = now + SCREEN_SECONDS
            if process.poll() is not None:
                break
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
        status = process.poll()
    finally:
        process.kill()
        process.wait()
        os.close(main)
    return 124 if status is None else status, drawn, b""


def _screen_breaches(status: int, drawn: bytes) -> Iterator[str]:
    """A screen is full of escape sequences; none of them may be one of the input's."""
    if b"Traceback (most recent call last)" in drawn:
        yield f"traceback: {drawn[-300:]!r}"
    for mark in (f"[{nasty.MARK}", f"]{nasty.MARK}", f"P{nasty.MARK}"):
        if b"\x1b" + mark.encode() in drawn or f"\x9b{nasty.MARK}".encode() in drawn:
            yield "an escape sequence of the input reached the terminal"
    if status not in law.STATUSES:
        yield f"exit status {status}: {drawn[-200:]!r}"


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
