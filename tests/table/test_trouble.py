"""Trouble with devices and the record in the middle of a match is told in the language of the match."""

import errno
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest

from mexvoice.errors import MexvoiceError, Trouble
from mexvoice.hearing.source import Microphone
from mexvoice.language import locale
from mexvoice.language.wording import Wording
from mexvoice.ledger.failure import explained
from mexvoice.ledger.ledger import FILE, Ledger
from mexvoice.speaking.player import DevicePlayer
from mexvoice.speaking.synthesiser import Synthesiser
from mexvoice.table.inventory import data_finding
from tests.ledger.evening import Evening
from tests.table.game import Game

# The program on a machine without any sound device.
BARE = """
import sys
import sounddevice
from mexvoice import cli
def none(wanted=None, kind=None):
    if kind is not None:
        raise ValueError("no device")
    return []
sounddevice.query_devices = none
sys.argv[0] = "mexvoice"
cli.main()
"""


class PortAudioError(Exception):
    """What the library raises."""


def library(*names: str, default: bool = True) -> Any:
    """A sound library whose devices, microphones of these names, cannot be opened."""
    devices = [
        {"name": name, "max_input_channels": 1, "default_samplerate": 48000.0, "index": number}
        for number, name in enumerate(names)
    ]

    def query(wanted: str | int | None = None, kind: str | None = None) -> Any:
        if kind is None:
            return devices
        found = [one for one in devices if wanted is None or one["name"] == wanted]
        if kind == "output" or not found or (wanted is None and not default):
            raise ValueError("no such device")
        return found[0]

    def stream(**_: object) -> Any:
        raise PortAudioError("Device unavailable", -9985)

    return SimpleNamespace(
        PortAudioError=PortAudioError,
        query_devices=query,
        RawInputStream=stream,
        OutputStream=stream,
        _StreamBase=type("_StreamBase", (), {}),
        _terminate=lambda: None,
        _initialize=lambda: None,
    )


def nobody() -> None:
    with Synthesiser("no/such-voice") as synthesiser:
        synthesiser.render("x")


def record_met(error: Exception) -> None:
    raise explained(error, Path("matches.db"))


def moved() -> sqlite3.Error:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DBMOVED
    return error


def twice() -> None:
    with TemporaryDirectory() as folder, Ledger.open(Path(folder), print):
        Ledger.open(Path(folder), print)


def no_record() -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / FILE).write_bytes(b"no record" * 1000)
        Ledger.read(Path(folder))


RAISED: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "microphone_missing": (lambda: Microphone(sounddevice=library()), ()),
    "microphone_unchosen": (lambda: Microphone(sounddevice=library("Desk", default=False)), ("0 Desk",)),
    "microphone_unknown": (lambda: Microphone("Nemo", sounddevice=library("Desk")), ("Nemo", "0 Desk")),
    "microphone_busy": (lambda: Microphone(sounddevice=library("Desk")), ("Desk", "Device unavailable")),
    "speaker_missing": (lambda: DevicePlayer(sounddevice=library()).check(), ()),
    "no_voice": (nobody, ()),
    "record_full": (lambda: record_met(OSError(errno.ENOSPC, "No space")), ("matches.db",)),
    "record_forbidden": (lambda: record_met(OSError(errno.EROFS, "Read-only")), ("matches.db",)),
    "record_fails": (lambda: record_met(OSError(errno.EIO, "Input error")), ("matches", "Input error")),
    "record_lost": (lambda: record_met(moved()), ("matches.db",)),
    "record_in_use": (twice, (FILE,)),
    "record_damaged": (no_record, (FILE, "file is not a database")),
}


@pytest.mark.parametrize("kind", RAISED)
def test_trouble_is_told_in_every_language(kind: str) -> None:
    provoke, named = RAISED[kind]
    with pytest.raises(Trouble) as caught:
        provoke()
    assert caught.value.kind == kind
    told: dict[str, str] = {}
    for code in locale.available():
        sentence = Wording(locale.load(code), random.Random(1)).trouble(caught.value)
        assert all(name in sentence for name in named)
        told[sentence] = code
    assert len(told) == len(locale.available())
    assert told.get(str(caught.value), "en") == "en"


def test_an_error_without_a_sentence_is_told_as_it_is() -> None:
    wording = Wording(locale.load("de"), random.Random(1))
    for error in (MexvoiceError("The disk is full."), Trouble("The disk is full.")):
        assert wording.trouble(error) == "The disk is full."


@pytest.mark.parametrize("code", ["de", "en", "fr", "ru"])
def test_trouble_with_the_record_and_its_end_are_told_in_every_language(code: str, tmp_path: Path) -> None:
    """The folder is in the way as a file; then it is not any more."""
    wording = locale.load(code).wording
    evening = Evening(tmp_path / "a", language=code)
    evening.do("throw")
    evening.chronicle._ledger.close()  # type: ignore[union-attr]
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "a").write_text("in the way")
    evening.chronicle._ledger = None
    evening.do("throw")
    (tmp_path / "a").unlink()
    evening.do("throw")
    told = [evening.assistant.wording.trouble(trouble) for trouble in evening.troubles]
    refuge, back = wording["record_sheltered"][0], wording["record_back"][0]
    begin, _, end = refuge.partition("{folder}")
    assert begin in told[0] and told[0].endswith(end)
    assert told[1:] == [back]
    evening.chronicle.close()


@pytest.mark.parametrize("code", ["de", "fr", "ru"])
def test_a_damaged_record_is_set_aside_in_the_language_of_the_match(code: str, tmp_path: Path) -> None:
    with Evening(tmp_path).chronicle:
        pass
    (tmp_path / FILE).write_bytes(b"no record" * 1000)
    words = ["play", "--lang", code, "--players", "Anna,Ben", "--typed", "--mute", "--plain"]
    done = subprocess.run(
        [sys.executable, "-m", "mexvoice", *words, "--data", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=True,
    )
    (aside,) = tmp_path.glob("*-damaged-*.db")
    wording = locale.load(code).wording
    file, reason = str(tmp_path / FILE), "file is not a database"
    first = wording["record_damaged"][0].format(file=file, reason=reason)
    second = wording["record_set_aside"][0].format(file=aside)
    assert f"! {first} {second}\n" in done.stdout


def test_doctor_gives_its_reasons_in_its_language(tmp_path: Path) -> None:
    with Evening(tmp_path).chronicle:
        pass
    (tmp_path / FILE).write_bytes(b"no record" * 1000)
    german = locale.load("de")
    finding = data_finding(tmp_path, german, Wording(german, random.Random(1)))
    reason = german.wording["record_damaged"][0].format(file=tmp_path / FILE, reason="file is not a database")
    assert reason.rstrip(".") in finding.text


def test_a_match_without_devices_says_so_in_its_language() -> None:
    game = Game(os.environ, "--lang", "fr", "--seed", "1", program=(sys.executable, "-c", BARE))
    try:
        words = locale.load("fr").wording
        game.wait_for(f"! {words['microphone_missing'][0]}")
        game.wait_for(f"! {words['speaker_missing'][0]}")
    finally:
        game.end()
    assert not any("There is no" in line for line in game.lines)
