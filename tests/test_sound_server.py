"""The virtual devices themselves: what the other sound tests stand on."""

import subprocess
import sys
import time

import numpy as np
import pytest

from tests.sound_server import Recording, Samples, SoundServer


def tone(seconds: float, rate: int = 16000, pitch: float = 440.0) -> Samples:
    """A sine of -10 dBFS."""
    return np.asarray(
        10 ** (-10 / 20) * 32767 * np.sin(2 * np.pi * pitch * np.arange(int(seconds * rate)) / rate),
        dtype=np.int16,
    )


def pitch_of(samples: Samples, rate: int) -> float:
    """The strongest frequency (Hz)."""
    spectrum = np.abs(np.fft.rfft(samples.astype(np.float64)))
    return float(np.argmax(spectrum) * rate / len(samples))


_HEAR = """
import sys, time, sounddevice, numpy
blocks = []
with sounddevice.InputStream(samplerate=16000, channels=1, dtype="int16",
                             callback=lambda data, *rest: blocks.append(data.copy())):
    limit = time.monotonic() + 8
    while not blocks and time.monotonic() < limit: time.sleep(0.01)
    print("listening", flush=True)
    time.sleep(1.5)
sys.stdout.buffer.write(numpy.concatenate(blocks).tobytes())
"""


def test_what_is_said_reaches_a_program_at_the_microphone(sound_server: SoundServer) -> None:
    """Through PortAudio, as the program hears it, at the right pitch and length."""
    with subprocess.Popen(
        [sys.executable, "-c", _HEAR], env=sound_server.env, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"listening\n"
        sound_server.play_to_mic(tone(0.8))
        heard = np.frombuffer(program.stdout.read(), dtype=np.int16)
    loud = heard[np.abs(heard) > 3000]
    assert pitch_of(heard, 16000) == pytest.approx(440, abs=4)
    assert 0.6 * 16000 < len(loud) / (1 - 2 * np.arcsin(3000 / 10362) / np.pi) < 0.85 * 16000


def test_what_a_program_plays_can_be_recorded(sound_server: SoundServer) -> None:
    """Through PortAudio, as the program speaks."""
    recorder = sound_server.record("speaker")
    script = (
        "import sounddevice, numpy; times = numpy.arange(24000) / 48000; "
        "sounddevice.play(0.3 * numpy.sin(2 * numpy.pi * 660 * times), 48000, blocking=True)"
    )
    subprocess.run([sys.executable, "-c", script], env=sound_server.env, check=True)
    time.sleep(0.2)
    recording = recorder.stop()
    [(start, end)] = recording.spans()
    assert 0.4 < end - start < 0.6
    assert pitch_of(recording.samples, recording.rate) == pytest.approx(660, abs=5)


@pytest.mark.parametrize("on", [True, False])
def test_the_echo_can_be_switched(sound_server: SoundServer, on: bool) -> None:
    """With the loopback the microphone hears the speaker; without, it does not."""
    sound_server.loopback(on)
    recorder = sound_server.record("mic")
    subprocess.run(
        ["pacat", "--playback", "--device=spk", "--raw", "--format=s16le", "--channels=1", "--rate=16000"],
        input=tone(0.5).tobytes(),
        env=sound_server.env,
        check=True,
    )
    time.sleep(0.5)
    assert bool(recorder.stop().spans()) is on


@pytest.mark.parametrize("device", ["mic", "speaker"])
def test_a_device_can_be_taken_away_and_given_back(sound_server: SoundServer, device: str) -> None:
    """A stream on it breaks instead of moving to another device; a new one works once it is back."""
    assert device in ("mic", "speaker")
    recorder = sound_server.record(device)  # type: ignore[arg-type]
    sound_server.take_away(device)  # type: ignore[arg-type]
    assert recorder._process.wait(3) != 0
    sound_server.give_back(device)  # type: ignore[arg-type]
    assert sound_server.record(device).stop().rate == 48000  # type: ignore[arg-type]


def test_the_server_comes_back_when_it_died(sound_server: SoundServer) -> None:
    """A crash in one test must not take the others along."""
    assert sound_server._daemon is not None
    sound_server._daemon.kill()
    sound_server._daemon.wait()
    sound_server.reset()
    sound_server.play_to_mic(tone(0.1))
    assert "vmic" in sound_server.pactl("list", "short", "sources")


def test_nothing_is_left_when_the_starter_is_killed() -> None:
    """The daemon ends with its parent even if the parent had no time to say goodbye."""
    script = (
        "import os, signal; from tests.sound_server import SoundServer; "
        "server = SoundServer(); print(server._daemon.pid, server.folder, flush=True); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    pid, folder = done.stdout.split()
    limit = time.monotonic() + 5
    while (
        subprocess.run(["kill", "-0", pid], capture_output=True).returncode == 0 and time.monotonic() < limit
    ):
        time.sleep(0.05)
    assert subprocess.run(["kill", "-0", pid], capture_output=True).returncode != 0
    subprocess.run(["rm", "-r", folder], check=True)


def test_spans_are_timed() -> None:
    """Two tones with a pause between them are two stretches at the right moments."""
    silence = np.zeros(16000, dtype=np.int16)
    recording = Recording(np.concatenate([silence, tone(0.5), silence, tone(0.25)]), 16000, 100.0)
    [first, second] = recording.spans()
    assert first == pytest.approx((101.0, 101.5), abs=0.006)
    assert second == pytest.approx((102.5, 102.75), abs=0.006)
