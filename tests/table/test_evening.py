"""The program where its parts meet: a real terminal, a sound file, standard streams that are gone."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mexvoice.language import locale
from tests.table.game import AUDIO, clip_of_a_command

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals on Windows")

TYPED = ("--typed", "--mute", "--unkept", "--players", "Anna,Ben")


def mexvoice(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mexvoice", *arguments]


def test_the_full_screen_is_drawn_and_left() -> None:
    main, terminal = pty.openpty()
    os.set_blocking(main, False)
    process = subprocess.Popen(
        mexvoice("play", "--lang", "fr", *TYPED),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"},
        start_new_session=True,
    )
    os.close(terminal)
    drawn = ""

    def read(until: str, seconds: float = 40.0) -> bool:
        nonlocal drawn
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            try:
                drawn += os.read(main, 65536).decode("utf-8", "replace")
            except BlockingIOError:
                time.sleep(0.05)
            except OSError:
                break
            if until in drawn:
                return True
        return False

    try:
        assert read("Anna"), drawn[-2000:]
        assert "╭" in drawn
        os.write(main, b"quitter\r")
        time.sleep(1.0)
        os.write(main, b"oui\r")
        limit = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < limit:
            read("\0", 0.2)
        assert process.poll() == 0
    finally:
        process.kill()
        os.close(main)


def test_commands_in_a_sound_file_are_obeyed_in_order(tmp_path: Path) -> None:
    clip, phrase = clip_of_a_command("de")
    samples, rate = soundfile.read(clip, dtype="float32")
    quiet = np.random.default_rng(1).normal(scale=0.0004, size=int(1.5 * rate)).astype(np.float32)
    soundfile.write(tmp_path / "talk.wav", np.concatenate([quiet, samples, quiet, samples, quiet]), rate)
    done = subprocess.run(
        mexvoice("play", "--lang", "de", *TYPED[1:], "--plain", "--audio", str(tmp_path / "talk.wav")),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    heard = [line for line in done.stdout.splitlines() if line.startswith("«")]
    assert [line.split(" (")[0] for line in heard] == [f"« {phrase}"] * 2


def test_a_sound_file_that_breaks_off_ends_the_match_with_a_sentence(tmp_path: Path) -> None:
    samples = np.zeros(48000, np.float32)
    samples[40000] = np.nan
    soundfile.write(tmp_path / "broken.wav", samples, 16000, subtype="FLOAT")
    done = subprocess.run(
        mexvoice("play", *TYPED[1:], "--plain", "--audio", str(tmp_path / "broken.wav")),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "broken.wav" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_missing_standard_stream_is_no_traceback(stream: int) -> None:
    program = f"import os, sys; os.close({stream}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", program, "-m", "mexvoice", "play", *TYPED, "--plain"],
        input="throw\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout
    assert done.returncode in (0, 1, 2)


def test_a_spoken_phrase_that_is_not_open_gets_an_answer(tmp_path: Path) -> None:
    samples, rate = soundfile.read(AUDIO / "en" / "i_keep_it.flac", dtype="float32")
    quiet = np.random.default_rng(1).normal(scale=0.0004, size=int(1.5 * rate)).astype(np.float32)
    soundfile.write(tmp_path / "talk.wav", np.concatenate([quiet, samples, quiet]), rate)
    done = subprocess.run(
        mexvoice("play", *TYPED[1:], "--plain", "--audio", str(tmp_path / "talk.wav")),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    lines = done.stdout.splitlines()
    heard = lines.index(f"« i keep it ({locale.load('en').labels['not_open']})")
    assert lines[heard + 1].startswith("»")
    assert re.search(r"\bstop\b", lines[heard + 1])  # named as the screen names it
