"""Recording what is said without any device."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from mexvoice.errors import MexvoiceError
from mexvoice.speaking.synthesiser import Samples, Speech
from mexvoice.speaking.tape import PAUSE_SECONDS, RATE, Tape, check_path


def tone(pitch: float, rate: int, seconds: float = 0.5) -> Speech:
    """A sine of -12 dBFS."""
    return Speech(
        np.asarray(8000 * np.sin(2 * np.pi * pitch * np.arange(int(seconds * rate)) / rate), np.int16), rate
    )


def strongest(samples: Samples, rate: int) -> float:
    """The strongest frequency (Hz)."""
    return float(np.argmax(np.abs(np.fft.rfft(samples.astype(float)))) * rate / len(samples))


@pytest.mark.parametrize("ending", [".wav", ".flac", ".WAV"])
def test_everything_is_on_the_tape_in_order(tmp_path: Path, ending: str) -> None:
    """Speeches of any rate, one after the other with a pause, at their own pitch."""
    tape = Tape()
    for pitch, rate in ((440, 22050), (660, 16000), (880, 48000)):
        tape.play(tone(pitch, rate))
        assert not tape.playing
        assert tape.wait(0)
    tape.save(tmp_path / f"out{ending}")
    samples, rate = soundfile.read(tmp_path / f"out{ending}", dtype="int16")
    assert rate == RATE
    assert len(samples) / rate == pytest.approx(1.5 + 2 * PAUSE_SECONDS, abs=0.01)
    assert len(samples) / rate == pytest.approx(tape.seconds)
    step = int((0.5 + PAUSE_SECONDS) * RATE)
    for place, pitch in enumerate((440, 660, 880)):
        part = samples[place * step + 1000 : place * step + 10000]
        assert strongest(part, rate) == pytest.approx(pitch, abs=4)
    assert np.abs(samples[int(0.55 * RATE) : int(0.7 * RATE)]).max() < 50


def test_an_empty_tape_is_a_file_without_sound(tmp_path: Path) -> None:
    """Nothing said is nothing lost."""
    tape = Tape()
    tape.play(Speech(np.zeros(0, np.int16), 22050))
    tape.save(tmp_path / "out.wav")
    assert soundfile.info(tmp_path / "out.wav").frames == 0


class Loudspeaker:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.playing = True
        self.sounding_until = 5.0

    def play(self, speech: Speech) -> None:
        """Plays."""
        self.calls.append(f"play {speech.seconds}")

    def abort(self) -> None:
        """Stops."""
        self.calls.append("abort")

    def wait(self, timeout: float) -> bool:
        """Never ends."""
        self.calls.append(f"wait {timeout}")
        return False

    def close(self) -> None:
        """Closes."""
        self.calls.append("close")


def test_a_speaker_plays_along() -> None:
    """What is recorded can be heard at the same time, and then takes its time."""
    speaker = Loudspeaker()
    tape = Tape(speaker)
    tape.play(tone(440, 22050))
    assert tape.playing and tape.sounding_until == 5.0
    assert not tape.wait(0.5)
    tape.abort()
    tape.close()
    assert speaker.calls == ["play 0.5", "wait 0.5", "abort", "close"]
    assert tape.seconds == 0.5


@pytest.mark.parametrize(
    "name", ["out", "out.txt", "out.raw", "missing/out.wav", "folder.wav", "out.wav/x.wav"]
)
def test_a_name_that_cannot_be_written_is_refused_before_anything_is_said(tmp_path: Path, name: str) -> None:
    """In one sentence, and nothing is left where it would have been."""
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "out.wav").write_bytes(b"")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(MexvoiceError) as caught:
        check_path(tmp_path / name)
    assert "\n" not in str(caught.value)
    with pytest.raises(MexvoiceError):
        Tape().save(tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before


def test_checking_a_name_changes_no_file(tmp_path: Path) -> None:
    """Neither one that is there nor one that is not."""
    (tmp_path / "old.wav").write_bytes(b"old")
    check_path(tmp_path / "old.wav")
    check_path(tmp_path / "new.wav")
    assert (tmp_path / "old.wav").read_bytes() == b"old"
    assert not (tmp_path / "new.wav").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """Writing fails only at the end; it is one sentence all the same."""
    (tmp_path / "out.wav").symlink_to("/dev/full")
    tape = Tape()
    tape.play(tone(440, 22050))
    with pytest.raises(MexvoiceError, match="room"):
        tape.save(tmp_path / "out.wav")
