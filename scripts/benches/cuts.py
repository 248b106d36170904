"""Cut the power of a running match at random moments, resume it, and compare with what had been announced.

A kill leaves the operating system running, which still writes to the disk what the program gave it. A power
cut does not. So the system calls of a match are traced (``strace``), and disks are made of them as they may
be after a cut: what was synced is there, and of each write that was not, any part or nothing; a file that was
made or deleted without a sync of its folder may be there or not. On each such disk the match is resumed, and
compared with what had been announced before the cut, as in :mod:`scripts.benches.kills`.
"""

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import click

from mexvoice.table.chronicle import Chronicle
from scripts.benches.kills import DICE_AHEAD, ROOT, Heard, Record, Wrong, on_record, state_of

SECTOR = 512
"""Bytes a disk writes wholly or not at all."""

CALLS = ("openat", "close", "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "unlink", "rename")
_LINE = re.compile(r"(\w+)\((.*)\) += (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True, slots=True)
class Call:
    """One system call that succeeded."""

    name: str
    numbers: tuple[int, ...]
    """Its whole numbers in order; the flags of ``openat`` are none."""
    texts: tuple[bytes, ...]
    flags: str
    result: int


def trace(arguments: Sequence[str], log: Path) -> list[Call]:
    """The calls of :data:`CALLS` that a program made.

    Raises:
        click.ClickException: if there is no strace, or it may not trace.
    """
    strace = shutil.which("strace")
    if strace is None:
        raise click.ClickException("strace is needed to see what is written: install it")
    command = [strace, "-qq", "-xx", "-s", "1000000", "-o", str(log), "-e", f"trace={','.join(CALLS)}"]
    result = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, check=False)
    if result.returncode:
        raise click.ClickException(result.stderr.decode(errors="replace").strip() or "strace failed")
    return list(_calls(log))


def _calls(log: Path) -> Iterator[Call]:
    with log.open() as lines:
        for line in lines:
            matched = _LINE.match(line)
            if matched is None or matched[3].startswith("-"):
                continue
            texts = tuple(bytes.fromhex(text.replace("\\x", "")) for text in _TEXT.findall(matched[2]))
            rest = _TEXT.sub("", matched[2])
            numbers = tuple(int(part) for part in rest.split(", ") if part.strip().isdigit())
            yield Call(matched[1], numbers, texts, rest, int(matched[3]))


@dataclass
class _File:
    """One file, as the disk surely has it, and what it may have besides."""

    synced: bytearray = field(default_factory=bytearray)
    unsynced: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Writes at a place; None cuts the file off there."""

    def sync(self) -> None:
        """Everything written so far is on the disk."""
        for place, data in self.unsynced:
            _apply(self.synced, place, data)
        self.unsynced.clear()


def _apply(content: bytearray, place: int, data: bytes | None) -> None:
    if data is None:
        del content[place:]
        content.extend(bytes(max(0, place - len(content))))
        return
    content.extend(bytes(max(0, place + len(data) - len(content))))
    content[place : place + len(data)] = data


class Disk:
    """The files of one folder, through all that a program does to them.

    Raises:
        ValueError: for a call that cannot be followed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._files: dict[str, _File] = {}
        """What the program sees, by name."""
        self._entries: dict[str, _File] = {}
        """What the folder on the disk surely holds."""
        self._open: dict[int, str] = {}
        """Paths of the files and folders that are open."""

    def follow(self, call: Call) -> None:
        """Take in one call."""
        match call.name:
            case "openat":
                path = call.texts[0].decode()
                self._open[call.result] = path
                name = self._name(path)
                if name is not None and "O_CREAT" in call.flags:
                    self._files.setdefault(name, _File())
            case "close":
                self._open.pop(call.numbers[0], None)
            case "pwrite64" | "ftruncate":
                name = self._name(self._open.get(call.numbers[0], ""))
                if name is not None:
                    data = call.texts[0][: call.result] if call.texts else None
                    self._files[name].unsynced.append((call.numbers[-1], data))
            case "fsync" | "fdatasync":
                path = self._open.get(call.numbers[0], "")
                name = self._name(path)
                if name is not None:
                    self._files[name].sync()
                elif path == self._folder:
                    self._entries = dict(self._files)
            case "unlink":
                self._files.pop(self._name(call.texts[0].decode()) or "", None)
            case "write" if self._name(self._open.get(call.numbers[0], "")) is not None:
                raise ValueError("a file is written from where it was read")
            case "rename" if any(self._name(text.decode()) is not None for text in call.texts):
                raise ValueError("a file of the record is renamed")

    def _name(self, path: str) -> str | None:
        folder, _, name = path.rpartition("/")
        return name if folder == self._folder and name else None

    def after_cut(self, rng: random.Random, mercy: float) -> dict[str, bytes]:
        """The files that are there when the power comes back.

        Args:
            mercy: how likely each sector that was not synced was written all the same, and each file made or
                deleted without a sync of the folder is made or deleted.
        """
        found: dict[str, bytes] = {}
        for name in sorted({*self._files, *self._entries}):
            seen = self._files if rng.random() < mercy else self._entries
            file = seen.get(name)
            if file is None:
                continue
            content = bytearray(file.synced)
            for place, data in file.unsynced:
                if data is None:
                    if rng.random() < mercy:
                        _apply(content, place, None)
                    continue
                for start in range(0, len(data), SECTOR):
                    if rng.random() < mercy:
                        _apply(content, place + start, data[start : start + SECTOR])
            found[name] = bytes(content)
        return found


@dataclass
class Report:
    """What came of all cuts."""

    cuts: int = 0
    announced: int = 0
    """Actions the traced match announced."""
    unannounced: int = 0
    """Cuts after which an action was on record that had not been announced yet."""
    syncs: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0


def cut_and_resume(
    cuts: int, commands: int, seed: int, progress: Callable[[], None] = lambda: None
) -> Report:
    """Trace one match of so many commands, and cut its power as often as wanted.

    Half of the cuts come right after an announcement, the others between any two calls; in a third of them
    nothing that was not synced is on the disk, in a third everything is, in a third any part.

    Raises:
        click.ClickException: if there is no strace.
    """
    rng = random.Random(seed)
    report = Report()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mexvoice-cuts-") as name:
        folder = Path(name).resolve()
        play = [sys.executable, "-m", "scripts.benches.kills", str(folder / "data"), str(seed), str(commands)]
        calls = trace(play, folder / "calls")
        spoken = [place for place, call in enumerate(calls) if _told(call) is not None]
        moments = sorted(
            rng.choice(spoken) if rng.random() < 0.5 else rng.randrange(len(calls)) for _ in range(cuts)
        )
        disk, heard = Disk(folder / "data"), Heard()
        told: Record | None = None
        for place, call in enumerate(calls):
            disk.follow(call)
            report.syncs += call.name in ("fsync", "fdatasync")
            told = _told(call) or told
            if (line := _told(call)) is not None:
                heard.hear(line)
            for _ in range(moments.count(place)):
                mercy = rng.choice((0.0, 0.5, 1.0))
                try:
                    report.unannounced += _resume(disk.after_cut(rng, mercy), folder / "cut", heard)
                except Wrong as wrong:
                    report.failures.append(f"call {place} of {len(calls)}, mercy {mercy}: {wrong}")
                report.cuts += 1
                progress()
        report.announced = heard.announced
    report.seconds = time.monotonic() - began
    return report


def _told(call: Call) -> Record | None:
    """What the match announced by ``call``, if it did."""
    if call.name != "write" or call.numbers[0] != 1 or not call.texts[0].startswith(b'{"what"'):
        return None
    record: Record = json.loads(call.texts[0])
    return record


def _resume(files: dict[str, bytes], folder: Path, heard: Heard) -> bool:
    """Resume on a disk with ``files``; whether more was on record than announced.

    Raises:
        Wrong: if it is not the match that was announced.
    """
    shutil.rmtree(folder, ignore_errors=True)
    data = folder / "data"
    data.mkdir(parents=True)
    for name, content in files.items():
        (data / name).write_bytes(content)
    account = deepcopy(heard)
    account.compare(*on_record(data, folder / "copy"))
    if not account.matches:
        return False
    complaints: list[str] = []
    with Chronicle(data, lambda trouble: complaints.append(str(trouble))) as chronicle:
        kept = chronicle.resume()
        line = {
            "what": "resumed",
            "records": [],
            "opening": account.openings[-1],
            "state": state_of(kept.match),
            "language": kept.language,
            "seed": kept.cup.seed,
            "dice": [[dice.first, dice.second] for dice in (kept.cup.throw() for _ in range(DICE_AHEAD))],
        }
    if complaints:
        raise Wrong(complaints[0])
    account.hear(line)
    return account.unannounced > 0 or len(account.matches) > len(heard.matches)


@click.command()
@click.option("--cuts", default=1000, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--commands", default=200, show_default=True, type=click.IntRange(1), help="Of the match.")
@click.option("--seed", default=1, show_default=True, help="Of commands, dice and cuts.")
def command(cuts: int, commands: int, seed: int) -> None:
    """Cut the power of a match, resume it, compare with what was announced."""
    with click.progressbar(length=cuts, file=sys.stderr) as bar:
        report = cut_and_resume(cuts, commands, seed, lambda: bar.update(1))
    click.echo(
        f"{report.cuts} power cuts in {report.seconds:.0f} s, of a match with {report.announced} actions "
        f"announced and {report.syncs} syncs; after {report.unannounced} more was on record than announced"
    )
    for failure in report.failures:
        click.echo(failure)
    click.echo(f"lost or doubled: {len(report.failures) or 'nothing'}")
    if report.failures:
        raise SystemExit(1)
