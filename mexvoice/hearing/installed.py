"""The models the user has installed: where they are and what they are.

Below the data folder there is ``models/``, and in it one folder a language.
"""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from mexvoice.data import data_folder

RECORD = "installed.json"
"""In an installed model: what it is and where it came from. A folder without it is none."""

CODE = re.compile(r"[a-z]{2,3}")
"""The code of a language; nothing else names a folder of a model."""


@dataclass(frozen=True, slots=True)
class Record:
    """What an installed model is."""

    name: str
    """The publisher's name for it."""
    url: str
    """Where it came from."""
    sum: str
    """What its archive was checked against: ``sha256:...`` or ``md5:...``."""
    pinned: bool
    """Whether that sum came with this program; else it came from the publisher's list."""


def models_folder(data: Path | None = None) -> Path:
    """The folder of the installed models, below `data_folder`."""
    return data_folder(data).absolute() / "models"


def find(code: str, data: Path | None = None) -> Path | None:
    """The directory of the installed model of a language; None when none is installed.

    It is complete; that its files are unharmed is for `mexvoice.hearing.model.Model` to check.
    """
    if not CODE.fullmatch(code):
        return None
    path = models_folder(data) / code
    try:
        return path if (path / RECORD).is_file() else None
    except OSError:  # a data folder that is not ours to read
        return None


def read_record(path: Path) -> Record | None:
    """What the installed model in `path` is; None when its record is gone or damaged."""
    try:
        return Record(**json.loads((path / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def write_record(path: Path, record: Record) -> None:
    """Write what a model is into its directory.

    Raises:
        OSError: when it cannot be written.
    """
    text = json.dumps(asdict(record), indent=1) + "\n"
    (path / RECORD).write_text(text, encoding="utf-8", newline="\n")
