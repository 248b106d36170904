"""The command line: what bad input gets, and a typed match from beginning to end."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mexvoice.data import DATA_VARIABLE

USER_ERROR = 2

OWN_DATA = Path(tempfile.mkdtemp(prefix="mexvoice-test-"))
"""Where these programs keep their record: tests that run beside each other must not share one."""


def run(*arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
    """Runs ``mexvoice`` as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "mexvoice", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env=os.environ | {DATA_VARIABLE: str(OWN_DATA)},
    )


TYPED = ("play", "--typed", "--mute", "--unkept", "--players", "Anna,Ben")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("throw",), "throw"),
        (("play", "--no-such-option"), "--no-such-option"),
        (("play", "--typed"), "--players"),
        (("play", "--typed", "--players", "Anna"), "2"),
        (("play", "--typed", "--players", "Anna,anna"), "anna"),
        (("play", "--typed", "--players", "Anna,"), "name"),
        (("play", "--typed", "--players", ""), "players"),
        ((*TYPED, "--lang", "xx"), "xx"),
        ((*TYPED, "--lives", "0"), "--lives"),
        ((*TYPED, "--lives", "many"), "--lives"),
        ((*TYPED, "--max-throws", "4"), "--max-throws"),
        ((*TYPED, "--starter", "Zoe"), "Zoe"),
        ((*TYPED, "--penalty", "none"), "--penalty"),
        ((*TYPED, "--audio", "x.wav"), "--audio"),
        (("play", "--players", "Anna,Ben", "--audio", "{missing}"), "no-such-file.wav"),
        (("play", "--players", "Anna,Ben", "--audio", "{text}"), "text.wav"),
        (("play", "--players", "Anna,Ben", "--audio", "{empty}"), "empty.wav"),
        (("play", "--players", "Anna,Ben", "--audio", "{sound}", "--model", "{folder}"), "model"),
        (("play", "--players", "Anna,Ben", "--audio", "{sound}", "--model", "{missing}"), "no-such-file.wav"),
        (("hear", "{missing}", "--lang", "en"), "no-such-file.wav"),
        (("hear", "{sound}", "--lang", "xx"), "xx"),
        (("hear", "{sound}", "--words", ","), "--words"),
        (("hear",), "FILES"),
        (("demo", "--fast", "--record", "{folder}/no/such/folder.wav"), "folder.wav"),
        (("demo", "--fast", "--record", "{folder}/talk.txt"), "talk"),
        (("replay", "{missing}"), "no-such-file.wav"),
        (("replay", "{text}"), "1"),
        (("replay", "{empty}"), "empty.wav"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(
    arguments: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    (tmp_path / "text.wav").write_text("this is no sound\n", encoding="utf-8")
    (tmp_path / "empty.wav").write_bytes(b"")
    soundfile.write(tmp_path / "sound.wav", np.zeros(16000, np.int16), 16000)
    places = {
        "missing": tmp_path / "no-such-file.wav",
        "text": tmp_path / "text.wav",
        "empty": tmp_path / "empty.wav",
        "sound": tmp_path / "sound.wav",
        "folder": tmp_path,
    }
    done = run(*(argument.format(**places) for argument in arguments))
    assert done.returncode == USER_ERROR
    assert "Traceback" not in done.stderr
    complaints = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(complaints) == 1, done.stderr
    assert named in complaints[0]


def test_the_data_folder_reaches_hearing(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "sound.wav", np.zeros(16000, np.int16), 16000)
    (tmp_path / "models" / "en").mkdir(parents=True)
    (tmp_path / "models" / "en" / "installed.json").write_text("{}", encoding="utf-8")
    done = run("hear", str(tmp_path / "sound.wav"), "--data", str(tmp_path))
    assert done.returncode == USER_ERROR
    assert str(tmp_path / "models" / "en") in done.stderr
    assert (
        run("hear", str(tmp_path / "sound.wav"), "--data", str(tmp_path), "--model", "builtin").returncode
        == 0
    )


def test_a_typed_match_from_beginning_to_end() -> None:
    lines = ["throw", "nonsense", "stop", "scores", "how many lives has Ben", "undo", "quit", "yes"]
    done = run(*TYPED, "--plain", "--seed", "5", typed="\n".join(lines) + "\n")
    assert done.returncode == 0
    assert done.stderr == ""
    heard = [line for line in done.stdout.splitlines() if line.startswith("«")]
    assert [line.split(" (")[0].removeprefix("« ") for line in heard] == lines


def test_the_same_seed_gives_the_same_match() -> None:
    lines = "throw\nthrow\nthrow\nthrow\nthrow\nthrow\n"
    first, second = (run(*TYPED, "--plain", "--seed", "9", typed=lines).stdout for _ in range(2))
    other = run(*TYPED, "--plain", "--seed", "10", typed=lines).stdout
    assert first == second
    assert first != other


def test_a_locale_that_is_broken_is_refused_with_its_line(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from mexvoice import cli; "
        "from mexvoice.language import locale; "
        "folder = Path(sys.argv.pop()); locale.shipped = lambda name: folder; cli.main()"
    )
    text = (Path(__file__).parents[1] / "locales" / "en.yaml").read_text(encoding="utf-8")
    lines = text.splitlines()
    where = next(number for number, line in enumerate(lines) if line.startswith("values:"))
    lines[where] = "values: {mexx: Mex}"
    (tmp_path / "en.yaml").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", program, *TYPED, str(tmp_path)],
        capture_output=True,
        text=True,
        input="",
        timeout=60,
        check=False,
    )
    assert done.returncode == USER_ERROR
    assert f"en.yaml:{where + 1}:" in done.stderr
    assert "Traceback" not in done.stderr
