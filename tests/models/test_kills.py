"""An installation killed at any moment leaves the model that was there or the new one, never a half."""

import hashlib
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from mexvoice.hearing.installed import find, read_record
from mexvoice.hearing.model import read_seal, seal_matches
from mexvoice.hearing.workshop import locked_site
from tests.models.server import Answer, Request, Site

ROOT = Path(__file__).parents[2]
# The trial run takes most of the time and changes nothing: without it the kills fall on what counts.
INSTALL = """
import sys
from mexvoice.hearing.catalogue import Official
from mexvoice.hearing.connection import Patience
from mexvoice.hearing.download import Downloader
from mexvoice.table import models
models.try_out = lambda path: None
models.check = lambda *_: 0
url, name, size, digest = sys.argv[1:]
official = Official("de", name, int(size), digest, url, "model-list.json")
downloader = Downloader(Patience(pause=0.01))
print("ready", flush=True)
sys.stdin.readline()
models.install("de", sys.stdout, official=official, downloader=downloader)
"""


def slow(data: bytes, pieces: int, pause: float) -> Answer:
    """A good server on a slow line."""

    def answer(request: Request) -> None:
        start = int(request.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        headers = {"ETag": '"1"', "Content-Length": str(len(data) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        request.head(206 if start else 200, headers)
        step = len(data) // pieces + 1
        for at in range(start, len(data), step):
            request.wfile.write(data[at : at + step])
            request.wfile.flush()
            time.sleep(pause)

    return answer


class Runs:
    """Installations of models with ever new names, each in a process of its own."""

    def __init__(self, site: Site, archive: bytes) -> None:
        self._site = site
        self._archive = archive
        self._digest = hashlib.sha256(archive).hexdigest()

    def start(self, name: str, kill_after: float | None) -> bool:
        """Install the model `name`; whether the process was killed, some seconds after it had begun."""
        self._site.serve(f"/{name}.zip", slow(self._archive, pieces=10, pause=0.01))
        command = [sys.executable, "-c", INSTALL, self._site.url, name, str(len(self._archive)), self._digest]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert child.stdin is not None and child.stdout is not None
        with child:
            assert child.stdout.readline() == "ready\n"
            child.stdin.write("go\n")
            child.stdin.flush()
            if kill_after is not None:
                time.sleep(kill_after)
                child.kill()
            child.stdout.read()
        assert child.returncode in (0, -signal.SIGKILL)
        return child.returncode != 0


def installed_name() -> str | None:
    """Name of the model that is there, complete to the last byte; None when none is there."""
    path = find("de")
    if path is None:
        return None
    record, sums = read_record(path), read_seal(path)
    assert record is not None
    assert sums is not None and seal_matches(path, sums)
    return record.name


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_killed_at_any_moment(site: Site, data: Path, official_archive: bytes) -> None:
    """Forty kills at random moments while one model takes the place of another."""
    runs = Runs(site, official_archive)
    names = [f"model-{number}" for number in range(41)]
    started = time.monotonic()
    assert not runs.start(names[0], None)
    usual = time.monotonic() - started
    chance = random.Random(5)
    killed = replaced = 0
    for before, name in pairwise(names):
        there = installed_name()
        killed += runs.start(name, chance.uniform(0, usual))
        assert installed_name() in (there, name, None)
        with locked_site("de"):  # the next run puts things in order
            after = installed_name()
        assert after in (there, name), "a model that was there is lost"
        replaced += after == name
        assert left(data) in (["de"], [".de.zip.part", ".de.zip.part.json", "de"]), before
    assert killed >= 5
    assert not runs.start("the-last", None)
    assert installed_name() == "the-last" and left(data) == ["de"]
    print(f"{killed} of 40 killed, {replaced} replaced the model")


def test_a_note_without_bytes_is_swept(data: Path) -> None:
    """A run killed before the first byte, or between the two files it discards, leaves a note alone."""
    folder = data / "models"
    folder.mkdir(parents=True)
    note = folder / ".de.zip.part.json"
    for code, bytes_there in (("fr", False), ("de", False), ("de", True)):
        note.write_text("{}", encoding="utf-8")
        if bytes_there:
            (folder / ".de.zip.part").write_bytes(b"PK")
        with locked_site(code):
            assert note.exists() is (code == "fr" or bytes_there)


def left(data: Path) -> list[str]:
    """What lies in the models folder, locks aside."""
    return sorted(path.name for path in (data / "models").iterdir() if path.suffix != ".lock")
