"""System packages that pip cannot bring, and how to get them on Linux.

Windows and macOS need none: their wheels carry everything. Plain standard library: this runs before anything
is installed.
"""

from __future__ import annotations

import ctypes.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


class Need(NamedTuple):
    """One thing of the system that mexvoice or its tests use."""

    package: str
    """Name of its Debian package."""
    purpose: str
    """What does not work without it."""
    present: Callable[[], bool]
    """Whether the machine has it."""


def _library(name: str) -> Callable[[], bool]:
    return lambda: ctypes.util.find_library(name) is not None


def _program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _has_pulse_plugin() -> bool:
    """Whether ALSA programs, PortAudio among them, can reach a PulseAudio server."""
    name = "alsa-lib/libasound_module_pcm_pulse.so"
    folders = [Path("/usr/lib"), Path("/usr/lib64"), *Path("/usr/lib").glob("*-linux-gnu*")]
    return any((folder / name).exists() for folder in folders)


_PORTAUDIO = Need("libportaudio2", "the microphone and the speaker", _library("portaudio"))
_ESPEAK = Need("espeak-ng", "the voices", _library("espeak-ng"))
_TESTING = (
    Need("pulseaudio", "the tests with virtual sound devices", _program("pulseaudio")),
    Need("pulseaudio-utils", "the tests with virtual sound devices", _program("pactl")),
    Need("libasound2-plugins", "the tests with virtual sound devices", _has_pulse_plugin),
)


def needs(testing: bool = False) -> tuple[Need, ...]:
    """What this machine should have to play, or with `testing` also for the tests; nothing but on Linux."""
    if not sys.platform.startswith("linux"):
        return ()
    # espeak-ng comes as a wheel for the common kind of machine only.
    speech = () if platform.machine() in ("x86_64", "AMD64") else (_ESPEAK,)
    return (_PORTAUDIO, *speech, *(_TESTING if testing else ()))


def administrator() -> tuple[str, ...] | None:
    """The words to put before a command that needs the administrator's rights; None if there is no way."""
    if os.name != "posix":
        return None
    if os.geteuid() == 0:
        return ()
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ("sudo", "-n")
    return None


def _apt_install(prefix: Sequence[str], packages: Sequence[str]) -> str:
    """Installs Debian packages; returns what apt complained about, empty if it worked."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # sudo drops the environment, so the setting goes through env.
    start = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y"]
    install = [*start, "install", "--no-install-recommends", *packages]
    complaint = ""
    for command in (install, [*start, "update"], install):
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if done.returncode == 0 and command is install:
            return ""
        # A failed update need not matter: the second install tells.
        complaint = (done.stderr or done.stdout).strip()
    return complaint or "apt-get failed"


def install(packages: Sequence[str]) -> bool:
    """Installs system packages, or says what to install; never raises.

    Args:
        packages: names of Debian packages.

    Returns:
        Whether they are installed now.
    """
    names = " ".join(packages)
    prefix = administrator()
    if shutil.which("apt-get") is None:
        print(
            f"Please install these with your system's package manager (Debian's names): {names}", flush=True
        )
        return False
    if prefix is None:
        print(f"Please run: sudo apt-get install {names}", flush=True)
        return False
    print(f"Installing system packages: {names}", flush=True)
    complaint = _apt_install(prefix, packages)
    if complaint:
        print(f"{complaint.splitlines()[-1]}\nThat did not work. Please install: {names}", flush=True)
    return not complaint


def install_missing(testing: bool = False) -> tuple[Need, ...]:
    """Installs what `needs` names and the machine lacks.

    Returns:
        What is still missing; each has been named on the screen with what will not work.
    """
    missing = [need for need in needs(testing) if not need.present()]
    if not missing:
        return ()
    install([need.package for need in missing])
    left = tuple(need for need in missing if not need.present())
    for need in left:
        print(f"Going on without {need.package}: {need.purpose} will not work.", flush=True)
    return left
