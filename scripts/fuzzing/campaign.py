"""Many cases, one after the other, in a worker that is replaced when it dies or hangs."""

import contextlib
import json
import queue
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

LIMIT_SECONDS: Final = 90.0
"""A case that takes longer hangs: the slowest, a model in its trial run, take 10 s on a busy machine."""

PROCESSES: Final = {
    "sound: hear": 0.02,
    "sound: play": 0.02,
    "locale": 0.02,
    "phrases": 0.02,
    "replay": 0.02,
    "names": 0.02,
    "record": 0.02,
    "model": 0.05,
    "model: judge": 0.05,
    "options": 0.03,
}
"""The share of the cases of a kind that is run as processes of their own."""

SHARES: Final = {
    "screen": 8.0,
    "model": 3.0,
    "model: judge": 2.0,
    "sound: hear": 2.0,
    "sound: play": 2.0,
    "names": 1.5,
    "record": 1.5,
    "phrases": 1.5,
}
"""How much of the time a kind gets, where not as much as the others: what takes long needs more of it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that broke the law."""

    kind: str
    seed: str
    fault: str


@dataclass(slots=True)
class Tally:
    """What came of the cases of one kind."""

    cases: int = 0
    commands: int = 0
    processes: int = 0
    accepted: int = 0
    """Commands that ended with status 0."""
    refused: int = 0
    """Commands that ended with status 1 or 2 and a sentence."""
    failures: int = 0
    slowest: float = 0.0
    """Seconds of the slowest case."""
    seconds: float = 0.0
    """How long all of them took."""


@dataclass(slots=True)
class Report:
    """What came of a campaign."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    crashes: int = 0
    hangs: int = 0


class Worker:
    """A process that runs cases, one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def run(self, request: dict[str, object], seconds: float) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            TimeoutError: if there is none in time; the process is gone then.
            EOFError: if the process died; its argument is the exit status.
        """
        process = self._process or self._start()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise TimeoutError from None
        if not line:
            status = process.wait()
            self._process = None
            raise EOFError(status)
        found: dict[str, Any] = json.loads(line)
        return found

    def _start(self) -> "subprocess.Popen[str]":
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "scripts.fuzzing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            cwd=Path(__file__).resolve().parents[2],
        )
        self._answers = queue.SimpleQueue()
        threading.Thread(target=_read, args=(process, self._answers), daemon=True).start()
        return process

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()


def _read(process: "subprocess.Popen[str]", answers: "queue.SimpleQueue[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        answers.put(line)
    answers.put("")


def run(
    kinds: Sequence[str],
    seed: int,
    cases: int | None,
    seconds: float | None,
    tell: Callable[[Failure], None],
) -> Report:
    """Run cases until there are enough of them, or the time is over.

    Args:
        kinds: what is tried.
        seed: of everything.
        cases: how many of all kinds together; None for as many as the time allows.
        seconds: how long; None for as long as it takes.
        tell: told of each failure at once.

    The cases of a kind are always the same ones in the same order; how many of them are tried depends on how
    long they take, so that each kind gets its share of the time.
    """
    report = Report({kind: Tally() for kind in kinds})
    worker = Worker()
    started = time.monotonic()
    number = 0
    try:
        while (cases is None or number < cases) and (seconds is None or time.monotonic() - started < seconds):
            # Each kind once, then whichever is most behind: a short campaign has something of all.
            kind = kinds[number] if number < len(kinds) else most_behind(report.tallies)
            case = f"{seed}/{report.tallies[kind].cases}"
            as_process = random.Random(f"process {kind} {case}").random() < PROCESSES.get(kind, 0.0)
            number += 1
            _one(worker, kind, case, as_process, report, tell)
    finally:
        worker.close()
    return report


def most_behind(tallies: Mapping[str, Tally]) -> str:
    """The kind that has had the least of the time it should get."""
    return min(tallies, key=lambda kind: tallies[kind].seconds / SHARES.get(kind, 1.0))


def _one(
    worker: Worker, kind: str, seed: str, as_process: bool, report: Report, tell: Callable[[Failure], None]
) -> None:
    tally = report.tallies[kind]
    tally.cases += 1
    begun = time.monotonic()
    faults: list[str] = []
    try:
        answer = worker.run({"kind": kind, "seed": seed, "process": as_process}, LIMIT_SECONDS)
    except TimeoutError:
        report.hangs += 1
        faults = [f"no end within {LIMIT_SECONDS:.0f} s"]
    except EOFError as death:
        report.crashes += 1
        faults = [f"the process died, status {death.args[0]}"]
    else:
        faults = answer["faults"]
        statuses = answer["statuses"]
        tally.commands += len(statuses)
        tally.processes += len(statuses) if as_process or kind == "screen" else 0
        tally.accepted += statuses.count(0)
        tally.refused += statuses.count(1) + statuses.count(2)
    took = time.monotonic() - begun
    tally.seconds += took
    tally.slowest = max(tally.slowest, took)
    tally.failures += bool(faults)
    for fault in faults:
        failure = Failure(kind, seed, fault)
        report.failures.append(failure)
        tell(failure)
