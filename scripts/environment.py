"""The Python environment of a checkout: ``.venv`` at its top, with mexvoice installed in it.

Made on the first run, left alone when nothing changed. Plain standard library, and written so that an older
Python can still read it far enough to say that it is too old.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts import system

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
OLDEST = (3, 11)
_STAMP = "mexvoice.json"

_NO_NETWORK = (
    *("newconnectionerror", "name resolution", "getaddrinfo", "connection refused", "network is unreachable"),
    *("connecttimeout", "readtimeout", "timed out", "proxyerror", "connection broken", "sslerror"),
    *("max retries exceeded", "connection aborted", "remotedisconnected"),
)
_DISK_FULL = ("no space left", "errno 28", "not enough space on the disk", "disk quota exceeded")
_NOT_FOR_HERE = ("no matching distribution", "is not a supported wheel", "requires a different python")


class SetupError(Exception):
    """The environment cannot be made; the text says why and what to do."""


def require_python() -> None:
    """Goes on with a newer Python of this machine when this one is too old.

    Raises:
        SetupError: if there is none.
    """
    if sys.version_info >= OLDEST:
        return
    for minor in range(20, OLDEST[1] - 1, -1):  # pragma: no cover - only on an old Python
        newer = shutil.which(f"python3.{minor}")
        if newer:
            raise SystemExit(subprocess.call([newer, *sys.argv]))
    raise SetupError(
        f"mexvoice needs Python {OLDEST[0]}.{OLDEST[1]} or newer, and this is {sys.version.split()[0]}: "
        "install a newer one and start this again with it."
    )


def program(name: str) -> Path:
    """Where the environment keeps a program of this name (``python``, ``mexvoice``, ...)."""
    if os.name == "nt":
        return FOLDER / "Scripts" / f"{name}.exe"
    return FOLDER / "bin" / name


def _fingerprint() -> str:
    """Changes when the installation has to be done again.

    The sources are installed in place, so of them only the version counts.
    """
    digest = hashlib.sha256()
    for part in (str(ROOT), sys.version, sys.prefix):
        digest.update(part.encode())
    for path in (ROOT / "pyproject.toml", ROOT / "mexvoice" / "__init__.py", Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _installed(fingerprint: str) -> set[str] | None:
    """The extras that are installed, or None when the environment is not there or not up to date."""
    try:
        stamp = json.loads((FOLDER / _STAMP).read_text(encoding="utf-8"))
        extras = set(stamp["extras"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if stamp.get("fingerprint") != fingerprint or not program("python").exists():
        return None
    return extras


def _run(command: Sequence[str]) -> tuple[int, str]:
    """Runs a command, showing all it prints; returns its exit status and what it complained about."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=ROOT)
    complaint = []
    assert process.stderr is not None
    with process.stderr as stream:
        for raw in stream:
            line = raw.decode(errors="replace")
            complaint.append(line)
            sys.stderr.write(line)
            sys.stderr.flush()
    return process.wait(), "".join(complaint)


def explain(complaint: str) -> str:
    """Turns what pip or venv complained about into one sentence that says what to do."""
    low = complaint.lower()
    if any(sign in low for sign in _DISK_FULL):
        return f"The disk is full: make room (about 500 MB) where {ROOT} is, and start this again."
    if any(sign in low for sign in _NO_NETWORK):
        return (
            "The Python packages could not be fetched: no connection. "
            "The first start needs the network once; connect and start this again."
        )
    if "permission denied" in low or "read-only file system" in low or "errno 13" in low:
        return f"{ROOT} cannot be written to: copy the project to a folder of yours and start it there."
    if "from versions: none" in low:
        return (
            "A Python package could not be found: connect to the network (it is needed once) and start this "
            "again; if you are connected, the package named above does not exist for this machine."
        )
    if any(sign in low for sign in _NOT_FOR_HERE):
        return "A package mexvoice needs does not exist for this machine; its name is in the lines above."
    return "The installation failed; the lines above say why. Start this again to try once more."


def _make() -> None:
    """Makes an empty environment with pip.

    Raises:
        SetupError: if it cannot be made.
    """
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python3.{sys.version_info[1]}-venv"
        print("This Python cannot make environments.", flush=True)
        system.install([package])
        importlib.invalidate_caches()
        if importlib.util.find_spec("ensurepip") is None:
            raise SetupError(f"Python's venv is missing: install {package} and start this again.")
    print(f"Making the environment {FOLDER}", flush=True)
    status, complaint = _run([sys.executable, "-m", "venv", "--clear", str(FOLDER)])
    if status:
        raise SetupError(explain(complaint))


def prepare(extras: Sequence[str] = ()) -> None:
    """Makes the environment and installs mexvoice with these extras; does nothing when that is done already.

    Raises:
        SetupError: if it cannot be done.
    """
    try:
        fingerprint = _fingerprint()
        have = _installed(fingerprint)
        if have is not None and set(extras) <= have:
            return
        if have is None:
            _make()
        wanted = sorted(set(extras) | (have or set()))
        print("Installing mexvoice and what it needs", flush=True)
        target = f"{ROOT}[{','.join(wanted)}]" if wanted else str(ROOT)
        pip = [str(program("python")), "-m", "pip", "install", "--disable-pip-version-check"]
        status, complaint = _run([*pip, "--editable", target])
        if status:
            raise SetupError(explain(complaint))
        stamp = json.dumps({"fingerprint": fingerprint, "extras": wanted})
        (FOLDER / _STAMP).write_text(stamp, encoding="utf-8")
    except OSError as error:
        raise SetupError(explain(str(error))) from error
