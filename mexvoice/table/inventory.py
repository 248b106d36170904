"""What of the doctor's checks makes no sound: the data folder, and the versions of all parts."""

import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from mexvoice import __version__, portaudio
from mexvoice.data import data_folder
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.pronunciation import Espeak
from mexvoice.language.locale import Locale
from mexvoice.language.wording import Wording
from mexvoice.ledger.failure import Damaged, brief
from mexvoice.ledger.ledger import Ledger
from mexvoice.table.finding import Finding, Mark

LEAST_FREE: Final = 10_000_000
"""Bytes that must be free in the data folder: a long evening takes a tenth of it."""

PACKAGES: Final = ("vosk", "sounddevice", "pyttsx3")
"""The parts whose version is told, as pip knows them."""

ANOTHER_FOLDER: Final = "mexvoice doctor --data FOLDER"


def data_finding(data: Path | None, locale: Locale, wording: Wording) -> Finding:
    """Whether matches can be kept in the data folder, and those there are can be read."""
    name = locale.labels["data"]
    folder = data_folder(data).absolute()
    try:
        free = _try_folder(folder)
    except (OSError, ValueError) as error:
        reason = brief(getattr(error, "strerror", None) or error)
        text = wording.say("doctor_data_fails", folder=str(folder), reason=reason, command=ANOTHER_FOLDER)
        return Finding(name, Mark.BAD, text)
    if free < LEAST_FREE:
        text = wording.say(
            "doctor_data_full", folder=str(folder), free=free // 1_000_000, command=ANOTHER_FOLDER
        )
        return Finding(name, Mark.BAD, text)
    try:
        matches = _matches(folder)
    except Damaged as error:
        # The next match sets it aside and begins a new one.
        reason = wording.trouble(error).rstrip(".")
        text = wording.say("doctor_record_fails", folder=str(folder), reason=reason)
        return Finding(name, Mark.NOTE, text)
    except MexvoiceError as error:
        reason = wording.trouble(error).rstrip(".")
        text = wording.say("doctor_data_fails", folder=str(folder), reason=reason, command=ANOTHER_FOLDER)
        return Finding(name, Mark.BAD, text)
    text = wording.say("doctor_data_good", folder=str(folder), free=free // 1_000_000, number=matches)
    return Finding(name, Mark.GOOD, text)


def version_findings(locale: Locale, wording: Wording) -> Iterator[Finding]:
    """The versions of all parts in one line, and a line for each part that is missing."""
    versions = [f"mexvoice {__version__}", f"Python {platform.python_version()}"]
    for package, command, find in (
        *((package, f"pip install {package}", _package(package)) for package in PACKAGES),
        ("PortAudio", portaudio_command(), _portaudio),
        ("espeak-ng", espeak_command(), lambda: Espeak.shared().version),
    ):
        try:
            versions.append(f"{package} {find()}")
        except (MexvoiceError, metadata.PackageNotFoundError):
            text = wording.say("doctor_part_missing", part=package, command=command)
            yield Finding(locale.labels["versions"], Mark.BAD, text)
    versions.append(platform.platform())
    yield Finding(locale.labels["versions"], Mark.GOOD, ", ".join(versions))


def portaudio_command() -> str:
    """What to type when PortAudio is missing."""
    if platform.system() == "Linux":
        return "sudo apt-get install libportaudio2"
    return "pip install --force-reinstall sounddevice"


def espeak_command() -> str:
    """What to type when espeak-ng, or a voice of it, is missing."""
    if platform.system() == "Linux" and platform.machine() != "x86_64":
        return "sudo apt-get install espeak-ng"
    return "pip install --force-reinstall espeakng-loader"


def _try_folder(folder: Path) -> int:
    """Write in a folder, or where it would be made; the bytes that are free there.

    Raises:
        OSError, ValueError: if it cannot be used.
    """
    there = folder
    while not os.path.lexists(there) and there != there.parent:
        there = there.parent
    with tempfile.NamedTemporaryFile(dir=there, prefix=".mexvoice-") as file:
        file.write(b"mexvoice")
        file.flush()
        os.fsync(file.fileno())
    return shutil.disk_usage(there).free


def _matches(folder: Path) -> int:
    """How many matches are on record.

    Raises:
        MexvoiceError: if the record, or a match in it, cannot be read.
    """
    ledger = Ledger.read(folder)
    if ledger is None:
        return 0
    with ledger:
        entries = list(ledger.entries())
    for entry in entries:
        if isinstance(entry, MexvoiceError):
            raise entry
    return len(entries)


def _package(name: str) -> Callable[[], str]:
    return lambda: metadata.version(name)


def _portaudio() -> str:
    return str(portaudio.library().get_portaudio_version()[1]).split(",")[0].removeprefix("PortAudio ")
