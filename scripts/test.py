"""Runs every check of the project: all tests, ruff, and mypy --strict; installs what they need first.

``python3 scripts/test.py`` is all of it. Further words go to pytest (``scripts/test.py -k announcer``).
The exit status is 0 only if every check passed. Tests that need a system package which is neither there nor
could be installed are skipped, and the summary says so.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts import environment, system

_NOTHING_COLLECTED = 5  # pytest's exit status
_CHECKS = {
    "ruff check": ("-m", "ruff", "check", "."),
    "ruff format": ("-m", "ruff", "format", "--check", "."),
    "mypy --strict": ("-m", "mypy", "--strict"),
}


class Result(NamedTuple):
    """How one check went."""

    name: str
    """What was run."""
    passed: bool
    """Whether it found nothing wrong."""
    seconds: float
    """How long it took."""
    output: str = ""
    """What it printed, for those that did not print to the screen."""


class Counts(NamedTuple):
    """Tests by outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def plus(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def _python(*words: str) -> list[str]:
    return [str(environment.program("python")), *words]


def check(name: str) -> Result:
    """Runs one of the checks that read the sources, quietly."""
    started = time.monotonic()
    done = subprocess.run(
        _python(*_CHECKS[name]),
        cwd=environment.ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return Result(name, done.returncode == 0, time.monotonic() - started, done.stdout)


def read_counts(report: Path) -> Counts:
    """The counts of a JUnit report as pytest writes it; none if there is no readable one."""
    try:
        suites = list(ElementTree.parse(report).iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return Counts()
    total, failures, errors, skipped = (
        sum(int(suite.get(key, "0")) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    )
    return Counts(total - failures - errors - skipped, failures + errors, skipped)


def in_parallel() -> list[str]:
    """Pytest's words for running tests on two cores, where the plugin for it is installed."""
    found = subprocess.run(_python("-c", "import xdist"), capture_output=True, cwd=environment.ROOT)
    return [] if found.returncode else ["-n", "2"]


def run_tests(name: str, arguments: Sequence[str]) -> tuple[Result, Counts]:
    """Runs pytest with these arguments, its output on the screen."""
    print(f"\n== {name} ==", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = _python("-m", "pytest", "-q", "-rs", f"--junitxml={report}", *arguments)
        status = subprocess.call(command, cwd=environment.ROOT, stdin=subprocess.DEVNULL)
        counts = read_counts(report)
    passed = status in (0, _NOTHING_COLLECTED)
    if not passed and not counts.failed:
        counts = counts._replace(failed=1)  # pytest itself failed, before or after the tests
    return Result(name, passed, time.monotonic() - started), counts


def main() -> int:
    """Runs everything and prints a summary; returns the exit status."""
    started = time.monotonic()
    try:
        environment.require_python()
        environment.prepare(["test"])
    except environment.SetupError as error:
        print(error, file=sys.stderr)
        return 2
    missing = system.install_missing(testing=True)
    results: list[Result] = []
    extra = sys.argv[1:]
    with ThreadPoolExecutor(max_workers=1) as pool:
        # The checks of the sources share the cores with the tests that do not mind; those that look at the
        # clock or use sound devices (marker `alone`, see tests/conftest.py) come after, one by one.
        waiting: list[Future[Result]] = [pool.submit(check, name) for name in _CHECKS]
        shared, counts = run_tests("tests", ["-m", "not alone", *in_parallel(), *extra])
        results += [future.result() for future in waiting]
    alone, more = run_tests("tests, one at a time", ["-m", "alone", *extra])
    counts = counts.plus(more)
    results += [shared, alone]
    for result in results:
        if not result.passed and result.output:
            print(f"\n== {result.name} ==\n{result.output.rstrip()}")
    print("\n== summary ==")
    for result in results:
        print(f"{'ok' if result.passed else 'FAILED':7}{result.name} ({result.seconds:.0f} s)")
    for need in missing:
        print(f"missing: {need.package} ({need.purpose})")
    print(f"{time.monotonic() - started:.0f} seconds in all")
    print(f"tests: {counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped", flush=True)
    return 0 if counts.passed and all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
