"""Power cuts lose and double nothing, and the benchmark that says so would see it."""

import random
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from scripts.bench import main
from scripts.benches.cuts import SECTOR, Call, Disk, cut_and_resume, trace

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@needs_strace
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_power_cuts_lose_and_double_nothing() -> None:
    report = cut_and_resume(cuts=150, commands=60, seed=4)
    assert report.failures == []
    assert report.cuts == 150
    assert report.announced > 30
    assert report.syncs > 3 * report.announced


@needs_strace
@pytest.mark.slow
def test_the_command_says_what_came_of_it() -> None:
    result = CliRunner().invoke(main, ["cuts", "--cuts", "10", "--commands", "10"])
    assert result.exit_code == 0
    assert "lost or doubled: nothing" in result.output


WRITER = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1] + "/x.db", isolation_level=None)
connection.execute("PRAGMA journal_mode = " + sys.argv[2])
connection.execute("PRAGMA synchronous = " + sys.argv[3])
connection.execute("CREATE TABLE x (n)")
for number in range(30):
    connection.execute("INSERT INTO x VALUES (?)", (number,))
    os.write(1, b"told")
"""


@needs_strace
@pytest.mark.parametrize(
    ("journal", "synchronous", "safe"),
    [
        ("PERSIST", "FULL", True),
        ("DELETE", "FULL", False),
        ("PERSIST", "OFF", False),
        ("WAL", "NORMAL", False),
    ],
)
def test_what_is_announced_before_it_is_on_the_disk_is_seen_to_be_lost(
    tmp_path: Path, journal: str, synchronous: str, safe: bool
) -> None:
    (tmp_path / "data").mkdir()
    arguments = [sys.executable, "-c", WRITER, str(tmp_path / "data"), journal, synchronous]
    calls = trace(arguments, tmp_path / "calls")
    disk, told, lost = Disk(tmp_path / "data"), 0, 0
    for call in calls:
        if call.name == "write" and call.numbers[0] == 1:
            told += 1
            lost += rows(disk.after_cut(random.Random(told), 0.0), tmp_path / "cut") < told
        else:
            disk.follow(call)
    assert told == 30
    assert (lost == 0) is safe


def rows(files: dict[str, bytes], folder: Path) -> int:
    """How many rows are there after a cut."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    connection = sqlite3.connect(folder / "x.db")
    try:
        return int(connection.execute("SELECT count(*) FROM x").fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        connection.close()


def call(name: str, *numbers: int, text: bytes | None = None, flags: str = "", result: int = 0) -> Call:
    """A system call."""
    return Call(name, numbers, () if text is None else (text,), flags, result)


def test_what_is_synced_is_there_and_what_is_not_may_be() -> None:
    disk = Disk(Path("/d"))
    disk.follow(call("openat", text=b"/d/a", flags="O_RDWR|O_CREAT", result=3))
    disk.follow(call("openat", text=b"/d", flags="O_RDONLY", result=4))
    disk.follow(call("pwrite64", 3, 6, 0, text=b"synced", result=6))
    disk.follow(call("fdatasync", 3))
    rng = random.Random(1)
    assert disk.after_cut(rng, 0.0) == {}
    disk.follow(call("fsync", 4))
    assert disk.after_cut(rng, 0.0) == {"a": b"synced"}
    disk.follow(call("pwrite64", 3, 3, 8, text=b"not", result=3))
    assert disk.after_cut(rng, 0.0) == {"a": b"synced"}
    assert disk.after_cut(rng, 1.0) == {"a": b"synced\0\0not"}
    disk.follow(call("ftruncate", 3, 2))
    assert disk.after_cut(rng, 1.0) == {"a": b"sy"}
    disk.follow(call("unlink", text=b"/d/a"))
    assert disk.after_cut(rng, 0.0) == {"a": b"synced"}
    assert disk.after_cut(rng, 1.0) == {}
    disk.follow(call("fsync", 4))
    assert disk.after_cut(rng, 0.0) == {}


def test_a_write_may_be_there_in_part() -> None:
    disk = Disk(Path("/d"))
    disk.follow(call("openat", text=b"/d/a", flags="O_RDWR|O_CREAT", result=3))
    disk.follow(call("openat", text=b"/d", flags="O_RDONLY", result=4))
    disk.follow(call("fsync", 4))
    disk.follow(call("pwrite64", 3, 4 * SECTOR, 0, text=b"x" * 4 * SECTOR, result=4 * SECTOR))
    found = {disk.after_cut(random.Random(seed), 0.5)["a"].count(b"x") for seed in range(40)}
    assert found == {0, SECTOR, 2 * SECTOR, 3 * SECTOR, 4 * SECTOR}


def test_files_elsewhere_are_not_followed() -> None:
    disk = Disk(Path("/d"))
    disk.follow(call("openat", text=b"/e/a", flags="O_RDWR|O_CREAT", result=3))
    disk.follow(call("pwrite64", 3, 6, 0, text=b"synced", result=6))
    disk.follow(call("close", 3))
    assert disk.after_cut(random.Random(1), 1.0) == {}
