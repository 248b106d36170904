"""The scripts that start and test the program: what they say when a machine lacks something."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import environment, play, system, test

NO_NETWORK = "no connection"
NOT_FOUND = "could not be found"
COMPLAINTS = [
    (
        "WARNING: Retrying ... NewConnectionError('<pip...>: Failed to establish a connection')",
        NO_NETWORK,
    ),
    ("socket.gaierror: [Errno -3] Temporary failure in name resolution", NO_NETWORK),
    ("urlopen error [Errno 11001] getaddrinfo failed", NO_NETWORK),
    ("ReadTimeoutError: Read timed out.\nERROR: No matching distribution found for vosk", NO_NETWORK),
    ("ERROR: Could not find a version that satisfies ... (from versions: none)", NOT_FOUND),
    ("ERROR: No matching distribution found for numpy>=99 (from versions: 1.0, 2.0)", "for this machine"),
    (
        "ERROR: Could not install packages: OSError: [Errno 28] No space left on device",
        "disk is full",
    ),
    ("OSError: [WinError 112] There is not enough space on the disk", "disk is full"),
    ("Error: [Errno 13] Permission denied: '/opt/mexvoice/.venv'", "cannot be written"),
    ("Error: [Errno 30] Read-only file system: 'x'", "cannot be written"),
    ("error: metadata-generation-failed", "lines above"),
    ("", "lines above"),
]


@pytest.mark.parametrize(("complaint", "said"), COMPLAINTS)
def test_what_went_wrong_is_one_sentence(complaint: str, said: str) -> None:
    """Whatever pip and venv print, the last line says what to do."""
    text = environment.explain(complaint)
    assert said in text
    assert "\n" not in text


WORDS = [
    ([], ["play"]),
    (["--lang", "fr"], ["play", "--lang", "fr"]),
    (["play", "--lang", "fr"], ["play", "--lang", "fr"]),
    (["demo"], ["demo"]),
    (["hear", "x.wav", "--json"], ["hear", "x.wav", "--json"]),
    (["--help"], ["--help"]),
    (["-h"], ["--help"]),
    (["--version"], ["--version"]),
]


@pytest.mark.parametrize(("given", "passed_on"), WORDS)
def test_play_is_meant_when_no_command_is_named(given: list[str], passed_on: list[str]) -> None:
    """Everything else is passed on as it is."""
    assert play.words(given) == passed_on


def test_an_old_python_is_told_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """When there is no newer one on the machine."""
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(environment.SetupError, match=r"3\.11"):
        environment.require_python()


def test_an_old_python_hands_over_to_a_newer_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the same words, and its exit status is passed on."""
    newer = tmp_path / "python3.12"
    newer.write_text('#!/bin/sh\necho "$@" > "$(dirname "$0")/words"\nexit 7\n')
    newer.chmod(0o755)
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(sys, "argv", ["scripts/play.py", "demo", "--lang", "fr"])
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.defpath}")
    monkeypatch.setattr(shutil, "which", lambda name: str(newer) if name == "python3.12" else None)
    with pytest.raises(SystemExit) as ended:
        environment.require_python()
    assert ended.value.code == 7
    assert (tmp_path / "words").read_text() == "scripts/play.py demo --lang fr\n"


def test_without_venv_the_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on Debian without python3-venv, for somebody who is not root."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr(system, "administrator", lambda: None)
    with pytest.raises(environment.SetupError, match=rf"install python3\.{sys.version_info[1]}-venv"):
        environment._make()
    assert "venv" in capsys.readouterr().out


def lacking(name: str) -> system.Need:
    """A need that is never met."""
    return system.Need(name, "a thing", lambda: False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="system packages are a matter of Linux")
@pytest.mark.parametrize("who", ["user", "no apt", "apt fails"])
def test_what_cannot_be_installed_is_named_and_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], who: str
) -> None:
    """Never an error: it says what to install and what will not work."""
    monkeypatch.setattr(system, "needs", lambda _: (lacking("libfirst"), lacking("libsecond")))
    monkeypatch.setattr(system, "administrator", lambda: None if who == "user" else ())
    monkeypatch.setattr(shutil, "which", lambda name: None if who == "no apt" else f"/usr/bin/{name}")
    monkeypatch.setattr(system, "_apt_install", lambda prefix, packages: f"E: {prefix} {packages}")
    assert [need.package for need in system.install_missing()] == ["libfirst", "libsecond"]
    printed = capsys.readouterr().out
    assert "libfirst libsecond" in printed
    assert "Going on without libfirst: a thing will not work." in printed


def test_nothing_missing_is_nothing_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing done."""
    monkeypatch.setattr(system, "needs", lambda _: (system.Need("libfirst", "a thing", lambda: True),))
    monkeypatch.setattr(system, "install", lambda _: pytest.fail("installed"))
    assert system.install_missing() == ()
    assert capsys.readouterr().out == ""


def test_counts_are_those_of_the_report(tmp_path: Path) -> None:
    """From a report that pytest wrote, errors counted as failures; none from what is no report."""
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "def test_one(): pass\n"
        "def test_two(): assert False\n"
        "@pytest.mark.skip\ndef test_three(): pass\n"
        "@pytest.fixture\ndef broken(): raise ValueError\n"
        "def test_four(broken): pass\n"
    )
    report = tmp_path / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--junitxml={report}",
        str(tmp_path),
    ]
    subprocess.run([*command, f"--rootdir={tmp_path}"], capture_output=True, cwd=tmp_path)
    assert test.read_counts(report) == test.Counts(passed=1, failed=2, skipped=1)
    assert test.read_counts(tmp_path / "missing.xml") == test.Counts()
    assert test.Counts(1, 2, 3).plus(test.Counts(4, 5, 6)) == test.Counts(5, 7, 9)


@pytest.mark.slow
def test_without_a_network_the_first_start_says_so(tmp_path: Path) -> None:
    """The real script in a copy of the project, and a real pip that finds nobody to ask."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(environment.ROOT / name, tmp_path)
    for name in ("scripts", "mexvoice", "locales"):
        ignored = shutil.ignore_patterns("__pycache__", "training")
        shutil.copytree(environment.ROOT / name, tmp_path / name, ignore=ignored)
    (tmp_path / "models").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    offline = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1"}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "scripts" / "play.py")],
        env={**kept, **offline, "PIP_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert NO_NETWORK in done.stderr.splitlines()[-1] or NOT_FOUND in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr.splitlines()[-1]
    assert not (tmp_path / ".venv" / "mexvoice.json").exists()


def test_an_environment_that_is_up_to_date_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is run when nothing changed; another pyproject.toml, extra or folder is a change."""
    runs: list[list[str]] = []

    def run(command: list[str]) -> tuple[int, str]:
        runs.append(command)
        if "venv" in command:
            python = environment.program("python")
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()
        return 0, ""

    def lay_out(folder: Path) -> None:
        (folder / "mexvoice").mkdir(parents=True)
        (folder / "mexvoice" / "__init__.py").write_text("")
        (folder / "pyproject.toml").write_text("one")
        monkeypatch.setattr(environment, "ROOT", folder)
        monkeypatch.setattr(environment, "FOLDER", folder / ".venv")

    monkeypatch.setattr(environment, "_run", run)
    lay_out(tmp_path / "here")
    environment.prepare()
    assert len(runs) == 2
    environment.prepare()
    assert len(runs) == 2
    environment.prepare(["test"])
    assert len(runs) == 3
    assert runs[-1][-1].endswith("[test]")
    environment.prepare()
    environment.prepare(["test"])
    assert len(runs) == 3
    (environment.ROOT / "pyproject.toml").write_text("two")
    environment.prepare()
    assert len(runs) == 5
    shutil.move(tmp_path / "here", tmp_path / "there")
    monkeypatch.setattr(environment, "ROOT", tmp_path / "there")
    monkeypatch.setattr(environment, "FOLDER", tmp_path / "there" / ".venv")
    environment.prepare()
    assert len(runs) == 7
