"""``mexvoice doctor`` on machines that are well and on machines that are not, each broken in one way."""

import io
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
import soundfile

from mexvoice.hearing.source import Microphone
from mexvoice.language import locale
from mexvoice.language.wording import Wording
from mexvoice.showing.checklist import Checklist
from mexvoice.table import audition, inventory
from mexvoice.table.audition import Ear
from mexvoice.table.finding import Mark
from tests.sound_server import SoundServer

AUDIO = Path(__file__).parents[1] / "audio"


class Patient:
    """A running doctor whose lines can be waited for."""

    def __init__(self, env: Mapping[str, str] | None, *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mexvoice", "doctor", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            encoding="utf-8",
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def end(self) -> int:
        """Waits for it: it has to end by itself."""
        status = self._process.wait(90)
        self._reader.join(5)
        assert self._process.stderr is not None
        assert "Traceback" not in self._process.stderr.read()
        return status

    def bad(self) -> list[str]:
        """What is wrong, by name."""
        return [line[2:].split(":")[0] for line in self.lines if line.startswith("✗")]


@pytest.mark.slow
def test_all_is_well_where_the_word_is_heard_and_the_voices_sound(sound_server: SoundServer) -> None:
    samples, rate = soundfile.read(AUDIO / "en" / "throw.flac", dtype="int16")
    recorder = sound_server.record("speaker")
    patient = Patient(sound_server.env, "--lang", "en")
    limit = time.monotonic() + 60
    while patient.running and time.monotonic() < limit and not any("heard" in line for line in patient.lines):
        if any("“throw”" in line for line in patient.lines):
            sound_server.play_to_mic(samples, rate)
        time.sleep(1.0)
    assert patient.end() == 0, patient.lines
    assert patient.bad() == []
    marked = [line for line in patient.lines if line[:2] in ("✓ ", "! ", "✗ ")]
    assert len(marked) == 3 + 2 * len(locale.available()) + 2
    assert any(line.startswith("✓ Test word: ") and "throw" in line for line in marked)
    assert any("roa/fr" in line for line in marked)
    assert "mexvoice play --lang en --players" in patient.lines[-1]
    # A sentence in each language came out of the speaker.
    assert sum(end - start for start, end in recorder.stop().spans()) > 0.5 * len(locale.available())


def test_without_a_sound_device_and_with_a_broken_model_and_record(tmp_path: Path) -> None:
    (tmp_path / "models" / "fr").mkdir(parents=True)
    (tmp_path / "models" / "fr" / "installed.json").write_text("{}", encoding="utf-8")
    (tmp_path / "matches.db").mkdir()
    nowhere = {"PULSE_SERVER": f"unix:{tmp_path}/none", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    patient = Patient(nowhere, "--lang", "fr", "--data", str(tmp_path))
    assert patient.end() == 1
    wrong = {line[2:].split(" : ")[0].split(":")[0]: line for line in patient.lines if line.startswith("✗")}
    advice = {
        "Micro": "mexvoice doctor --lang fr",
        "Haut-parleur": "mexvoice doctor --lang fr",
        "Modèle (français)": "mexvoice models install fr",
        "Dossier de données": "mexvoice doctor --data FOLDER",
    }
    if any("PortAudio" in line for line in wrong.values()):
        advice |= {"Micro": "libportaudio2", "Versions": "libportaudio2"}
    assert set(wrong) == set(advice)
    for name, typed in advice.items():
        assert typed in wrong[name]
    assert any(line.startswith("✓ Modèle (Deutsch)") for line in patient.lines)
    assert f"mexvoice doctor --lang fr --data {tmp_path}" in patient.lines[-1]


def test_nobody_speaks(sound_server: SoundServer) -> None:
    ear = Ear(locale.load("en"), None)
    with sound_server.in_process():
        microphone = Microphone()
        try:
            levels: list[float] = []
            assert audition.measure(microphone, 0.5, levels.append) <= audition.SILENT_DB
            assert levels
            heard = ear.listen(microphone, 1.0, levels.append)
        finally:
            microphone.close()
    assert (heard.word, heard.other) == ("", "")


def test_the_data_folder(tmp_path: Path) -> None:
    english = locale.load("en")
    wording = Wording(english, random.Random(0))
    fresh = inventory.data_finding(tmp_path / "not" / "yet", english, wording)
    assert fresh.mark is Mark.GOOD and "matches on record: 0" in fresh.text
    assert not (tmp_path / "not").exists()
    (tmp_path / "matches.db").write_bytes(b"this is no record" * 100)
    damaged = inventory.data_finding(tmp_path, english, wording)
    assert damaged.mark is Mark.NOTE and "matches.db" in damaged.text
    assert [path.name for path in tmp_path.iterdir()] == ["matches.db"]
    file = inventory.data_finding(tmp_path / "matches.db", english, wording)
    assert file.mark is Mark.BAD and "--data" in file.text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_meter_moves_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    drawn: dict[str, str] = {}
    for name, out in (("terminal", Terminal()), ("file", io.StringIO())):
        checklist = Checklist(out, ["Microphone"])
        with checklist.metering("Say a \x1b[31mword") as meter:
            meter(-60.0)
            meter(-5.0)
        checklist.check("✓", "Microphone", "works")
        drawn[name] = out.getvalue()
    assert drawn["file"] == "Say a ␛[31mword\n✓ Microphone: works\n"
    assert "━━━━━━━━" in drawn["terminal"]
    assert "␛[31mword" in drawn["terminal"]
