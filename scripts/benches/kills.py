"""Kill a running match at random moments, resume it, and compare with what had been announced.

The match runs in a child process: an assistant with a chronicle, given typed commands as fast as it takes
them. After each command it writes, in one piece, what the table would have heard by then. The parent kills it
with SIGKILL, reads what is on record (from a copy, so that nothing is repaired before the match is resumed),
and starts the next child, which resumes and plays on. For each kill it checks that

- every action announced is on record, in order, each once, and at most the command in hand is there beyond;
- the match resumed is the one announced, with its players, options, language and state;
- the dice to come are those that would have come, by an account of the dice kept apart from the program's.
"""

import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from mexvoice.ledger.entry import Entry, take
from mexvoice.ledger.ledger import Ledger
from mexvoice.rules import (
    Match,
    Options,
    Penalty,
    Undo,
    action_record,
    match_record,
    parse_action,
    parse_match,
)
from mexvoice.table.assistant import Assistant
from mexvoice.table.chronicle import Chronicle
from mexvoice.table.cup import Cup

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = ("Anna", "Ben", "Клео", "Dürten")
OPTIONS = Options(lives=5, starter="Клео", penalty=Penalty.DOUBLING)
LANGUAGES = ("fr", "de", "ru", "en")

DICE_AHEAD = 6
"""Throws to come that are compared."""

PLAY_SECONDS = 0.6
"""The longest a child plays before it is killed."""

START_SECONDS = 180.0
"""The longest a child may take to begin or resume."""

EARLY = 0.15
"""The part of the kills that fall before the child has begun or resumed."""

Record = dict[str, Any]


# The child


def play(data: Path, seed: int, commands: int | None = None) -> None:
    """Begin a match in ``data``, or resume the one there, and play until killed, or for so many commands."""
    rng = random.Random(seed)
    chronicle = Chronicle(data, lambda text: print(text, file=sys.stderr, flush=True))
    with Ledger.read(data) or ExitStack() as ledger:
        first = not (isinstance(ledger, Ledger) and ledger.numbers())
    if first:
        cup = Cup(seed)
        assistant = Assistant(PLAYERS, OPTIONS, LANGUAGES[seed % len(LANGUAGES)], cup, keeper=chronicle)
        assistant.begin()
        _announce(assistant, "begun")
    else:
        kept = chronicle.resume()
        assistant = Assistant(
            kept.match.players,
            kept.match.options,
            kept.language or "",
            kept.cup,
            kept.dice,
            keeper=chronicle,
        )
        assistant.go_on(kept.match)
        _announce(assistant, "resumed")
    for _ in itertools.count() if commands is None else range(commands):
        match, before, language = assistant.match, assistant.match.history, assistant.locale.code
        _command(assistant, rng)
        after = assistant.match.history
        if assistant.match is not match:
            _announce(assistant, "begun")
        elif len(after) < len(before):
            _announce(assistant, "acted", [action_record(Undo())])
        elif len(after) > len(before):
            _announce(assistant, "acted", [action_record(action) for action in after[len(before) :]])
        elif assistant.locale.code != language:
            _announce(assistant, "spoke")


def _command(assistant: Assistant, rng: random.Random) -> None:
    """Type one command: a throw most of the time, an undo often, a question or a new match now and then."""
    commands = {command.value: command for command in assistant.open_commands()}
    names = ("throw", "stop", "abort", "undo", "scores", "new_match", "language")
    wanted = rng.choices(names, weights=(60, 15, 5, 15, 3, 1, 1))[0]
    if assistant.match.winner is not None and wanted != "undo":
        wanted = "new_match"
    for name in ("yes", wanted, rng.choice(("count_pips", "count_mex")), "throw"):
        if name in commands:
            phrase = rng.choice(assistant.understanding.book.phrases((commands[name],)))
            outcome = assistant.understanding.hear(phrase, assistant.open_commands())
            assistant.obey(outcome, time.monotonic())
            return


def _announce(assistant: Assistant, what: str, records: list[dict[str, object]] | None = None) -> None:
    """Write one line: what has just been announced, and all that must be so from now on."""
    cup = deepcopy(assistant.cup)
    line = {
        "what": what,
        "records": records or [],
        "opening": match_record(assistant.match),
        "state": state_of(assistant.match),
        "language": assistant.locale.code,
        "seed": cup.seed,
        "dice": [[dice.first, dice.second] for dice in (cup.throw() for _ in range(DICE_AHEAD))],
    }
    # One write of less than 4096 bytes to a pipe arrives whole or not at all.
    os.write(1, json.dumps(line).encode() + b"\n")


def state_of(match: Match) -> str:
    """A short print of all that the rules know of a match, and of how it came to be so."""
    return hashlib.sha256(repr((match.state, match.history)).encode()).hexdigest()[:16]


# The parent's account


class Wrong(Exception):
    """Something announced is lost or doubled, or what was resumed is not what was announced."""


def coming_dice(seed: int, matches: list[list[Record]]) -> list[list[int]]:
    """The throws that come after all of ``matches``, which must have been thrown with the dice of ``seed``.

    Raises:
        Wrong: if another throw is on record than came.
    """
    stream = random.Random(seed)
    coming: list[list[int]] = []
    for records in matches:
        standing: list[list[int] | None] = []
        for record in records:
            if "undo" in record:
                back = standing.pop()
                coming[:0] = [] if back is None else [back]
            elif "throw" not in record:
                standing.append(None)
            else:
                thrown = coming.pop(0) if coming else [stream.randint(1, 6), stream.randint(1, 6)]
                if thrown != record["throw"]:
                    raise Wrong(f"{record['throw']} is on record where {thrown} came")
                standing.append(thrown)
    while len(coming) < DICE_AHEAD:
        coming.append([stream.randint(1, 6), stream.randint(1, 6)])
    return coming[:DICE_AHEAD]


@dataclass
class Heard:
    """Everything that was announced, or came to be on record unannounced when a child was killed."""

    openings: list[Record] = field(default_factory=list)
    """Of each match in turn."""
    matches: list[list[Record]] = field(default_factory=list)
    """The actions and undos of each."""
    seed: int | None = None
    """Of the dice, as the first line of all tells."""
    language: str = ""
    announced: int = 0
    """Actions and undos that were announced."""
    unannounced: int = 0
    """Those on record when a child was killed before it announced them."""

    def hear(self, told: Record) -> None:
        """Take in one line of a child, and see that it fits everything before.

        Raises:
            Wrong: if it does not.
        """
        if told["what"] == "begun":
            self.openings.append(told["opening"])
            self.matches.append([])
        if self.seed is None:
            self.seed = told["seed"]
        self.language = self.language or told["language"]
        if told["what"] == "spoke":
            self.language = told["language"]
        if not self.matches:
            raise Wrong("a match was resumed before one was begun")
        self.matches[-1] += told["records"]
        self.announced += len(told["records"])
        match = parse_match(json.dumps(self.openings[-1]))
        for record in self.matches[-1]:
            take(match, parse_action(json.dumps(record)))
        expected = {
            "opening": self.openings[-1],
            "state": state_of(match),
            "language": self.language,
            "dice": coming_dice(self.seed, self.matches),
        }
        for key, value in expected.items():
            if told[key] != value:
                raise Wrong(f"{told['what']}: {key} is {told[key]} and should be {value}")

    def compare(self, openings: list[Record], matches: list[list[Record]], language: str) -> None:
        """See that what is on record is what was announced, and at most the command in hand besides.

        Args:
            openings: of all matches on record.
            matches: their actions and undos.
            language: that of the last of them.

        Raises:
            Wrong: if it is not.
        """
        if len(matches) < len(self.matches):
            raise Wrong(f"match {len(matches) + 1} is lost")
        begun = len(matches) - len(self.matches)
        before = self.unannounced
        for place, announced in enumerate(self.matches):
            found = matches[place]
            beyond = found[len(announced) :]
            if openings[place] != self.openings[place] or found[: len(announced)] != announced:
                raise Wrong(f"match {place + 1}: {announced} was announced, {found} is on record")
            if beyond and (begun or place + 1 < len(self.matches)):
                raise Wrong(f"match {place + 1}: {beyond} came after the next match was begun")
            one_command = len(beyond) < 2 or (beyond[0] == {"stop": True} and "throw" in beyond[1])
            if len(beyond) > 2 or not one_command:
                raise Wrong(f"match {place + 1}: {beyond} is on record, more than one command unannounced")
            self.matches[place] = found
            self.unannounced += len(beyond)
        if begun > 1 or any(matches[len(self.matches) :]):
            raise Wrong(f"match {len(self.matches) + 1} was not announced, but is played")
        self.openings += openings[len(self.matches) :]
        self.matches += matches[len(self.matches) :]
        if language != self.language:
            if self.language and (begun or self.unannounced > before):
                raise Wrong(f"{language} is on record, {self.language} was announced")
            self.language = language


@dataclass
class Report:
    """What came of all kills."""

    kills: int = 0
    early: int = 0
    """Kills before the child had begun or resumed."""
    heard: Heard = field(default_factory=Heard)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0


def kill_and_resume(kills: int, seed: int, load: int, progress: Callable[[], None] = lambda: None) -> Report:
    """Kill that many children, each of which resumes what the one before left.

    Args:
        kills: how many.
        seed: of the commands, the dice and the moments.
        load: how many processes keep the processors and the disk busy meanwhile.
        progress: called after each kill.
    """
    rng = random.Random(seed)
    report = Report()
    clock = time.monotonic()
    start_seconds = 1.0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mexvoice-kills-")))
        for number in range(load):
            stack.enter_context(_load(folder / f"load-{number}"))
        data = folder / "data"
        try:
            while report.kills < kills:
                child = _Child(data, seed + report.kills)
                if rng.random() < EARLY:
                    told = child.kill(rng.uniform(0.0, start_seconds))
                else:
                    start_seconds = child.wait()
                    told = child.kill(rng.uniform(0.0, PLAY_SECONDS))
                report.kills += 1
                report.early += not told
                for line in told:
                    report.heard.hear(line)
                report.heard.compare(*on_record(data, folder / "copy"))
                progress()
            child = _Child(data, seed)
            child.wait()
            report.heard.hear(child.kill(0.0)[0])
        except Wrong as wrong:
            report.failures.append(f"kill {report.kills}: {wrong}")
    report.seconds = time.monotonic() - clock
    return report


def on_record(data: Path, copy: Path) -> tuple[list[Record], list[list[Record]], str]:
    """What :meth:`Heard.compare` wants to know of the record in ``data``, read from a copy of the folder.

    Raises:
        Wrong: if a match, or the whole file, cannot be read.
    """
    language = ""
    if not data.exists():
        return [], [], language
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data, copy)
    if aside := [path.name for path in data.iterdir() if "damaged" in path.name]:
        raise Wrong(f"the record was set aside as {aside}")
    ledger = Ledger.read(copy)
    openings: list[Record] = []
    matches: list[list[Record]] = []
    if ledger is None:
        return openings, matches, language
    with ledger:
        for entry in ledger.entries():
            if not isinstance(entry, Entry):
                raise Wrong(str(entry))
            opening, *actions = map(json.loads, entry.lines())
            openings.append(opening)
            matches.append(actions)
            language = entry.language or ""
    return openings, matches, language


class _Child:
    """A running match, and what it announces."""

    def __init__(self, data: Path, seed: int) -> None:
        self._began = time.monotonic()
        self._lines: list[bytes] = []
        self._first = threading.Event()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scripts.benches.kills", str(data), str(seed)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line)
            self._first.set()
        self._first.set()

    def wait(self) -> float:
        """Wait until it has begun or resumed; how long that took, in seconds.

        Raises:
            Wrong: if it ended, or did not come to that.
        """
        if not self._first.wait(START_SECONDS) or not self._lines:
            self.kill(0.0)
            raise Wrong("a child did not begin or resume")
        return time.monotonic() - self._began

    def kill(self, seconds: float) -> list[Record]:
        """Let it run for so long, then kill it; what it announced.

        Raises:
            Wrong: if it ended by itself, or complained.
        """
        time.sleep(seconds)
        self._process.kill()
        self._reader.join()
        assert self._process.stdout is not None and self._process.stderr is not None
        complaint = self._process.stderr.read().decode(errors="replace").strip()
        status = self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()
        if complaint or status >= 0:
            raise Wrong(f"a child ended with status {status}: {complaint}")
        return [json.loads(line) for line in self._lines if line.endswith(b"\n")]


@contextmanager
def _load(path: Path) -> Iterator[None]:
    """A process that computes, writes to ``path`` and syncs it, over and over."""
    code = (
        "import hashlib, os, sys\n"
        "with open(sys.argv[1], 'wb') as file:\n"
        "    while True:\n"
        "        digest = hashlib.sha256(bytes(3_000_000)).digest()\n"
        "        file.seek(0); file.write(digest * 1000); file.flush(); os.fsync(file.fileno())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@click.command()
@click.option("--kills", default=200, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--seed", default=1, show_default=True, help="Of commands, dice and moments.")
@click.option(
    "--load",
    default=2,
    show_default=True,
    type=click.IntRange(0),
    help="Processes that keep the machine busy.",
)
def command(kills: int, seed: int, load: int) -> None:
    """Kill a match, resume it, compare with what was announced."""
    with click.progressbar(length=kills, file=sys.stderr) as bar:
        report = kill_and_resume(kills, seed, load, lambda: bar.update(1))
    heard = report.heard
    click.echo(
        f"{report.kills} kills in {report.seconds:.0f} s ({report.early} before the match was resumed): "
        f"{len(heard.matches)} matches, {heard.announced} actions announced, "
        f"{heard.unannounced} on record before they were announced"
    )
    for failure in report.failures:
        click.echo(failure)
    click.echo("lost or doubled: " + ("SOMETHING, see above" if report.failures else "nothing"))
    if report.failures:
        raise SystemExit(1)


if __name__ == "__main__":
    play(Path(sys.argv[1]), *map(int, sys.argv[2:]))
