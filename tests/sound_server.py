"""Virtual sound devices: a microphone and a speaker made of PulseAudio null sinks.

A machine without sound hardware can have both. What is played into the sink ``mic`` is what a person says
into the microphone; what the program plays to the sink ``spk`` is what the room hears, and can be recorded. A
loopback from the one to the other is the echo. Nothing of the user's own sound set-up is read or changed: the
server has a folder, a socket and an environment of its own, and ends when the process that started it ends.

Tests take the fixture ``sound_server`` (see ``conftest.py``).
"""

import contextlib
import ctypes.util
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import soundfile

Device = Literal["mic", "speaker"]
Samples = npt.NDArray[np.int16]

_SINKS: Mapping[Device, str] = {"mic": "mic", "speaker": "spk"}
_MODULES: Mapping[Device, tuple[str, ...]] = {
    "mic": (
        "module-null-sink sink_name=mic rate=16000 channels=1 format=s16le norewinds=1",
        "module-remap-source master=mic.monitor source_name=vmic",
    ),
    "speaker": ("module-null-sink sink_name=spk rate=48000 channels=2 norewinds=1",),
}
_PROGRAMS = ("pulseaudio", "pactl", "pacat", "parec")
_DAEMON = (
    *("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no"),
    *("--exit-idle-time=-1", "--disable-shm=yes"),
)
_START_TRIES = 3
_START_LIMIT = 10.0
_COMMAND_LIMIT = 10.0
_RECORDING_RATE = 48000


def missing_parts() -> str:
    """What this machine lacks to have virtual sound devices, as one sentence; empty if nothing."""
    lacking = [program for program in _PROGRAMS if shutil.which(program) is None]
    if lacking:
        return f"virtual sound devices need {', '.join(lacking)} (packages pulseaudio, pulseaudio-utils)"
    if ctypes.util.find_library("portaudio") is None:
        return "virtual sound devices need the PortAudio library (package libportaudio2)"
    plugins = "alsa-lib/libasound_module_pcm_pulse.so"
    if not any(
        any(Path(top).glob(f"**/{plugins}")) for top in ("/usr/lib", "/usr/lib64") if Path(top).is_dir()
    ):
        return "virtual sound devices need ALSA's PulseAudio plugin (package libasound2-plugins)"
    return ""


@dataclass(frozen=True)
class Recording:
    """What a virtual device carried."""

    samples: Samples
    """Mono samples."""
    rate: int
    """Samples a second."""
    started: float
    """Monotonic time (s) at which the first sample sounded."""

    def spans(self, quiet: float = -55.0, gap: float = 0.2) -> list[tuple[float, float]]:
        """Stretches of sound as (start, end) in monotonic seconds.

        Args:
            quiet: level (dBFS over 5 ms) up to which a moment counts as silent.
            gap: silences shorter than this (s) do not split a stretch.
        """
        step = self.rate // 200
        count = len(self.samples) // step
        if count == 0:
            return []
        frames = self.samples[: count * step].astype(np.float64).reshape(count, step) / 32768
        loud = np.flatnonzero(np.sqrt(np.mean(frames**2, axis=1)) > 10 ** (quiet / 20))
        spans: list[tuple[float, float]] = []
        for index in loud:
            start, end = (self.started + float(index + offset) * step / self.rate for offset in (0, 1))
            if spans and start - spans[-1][1] < gap:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        return spans


class Recorder:
    """Records a virtual device until `stop`; each sample's time is known to about 10 ms."""

    def __init__(self, source: str, env: Mapping[str, str]) -> None:
        """Starts recording the PulseAudio source and returns once the first samples are there."""
        self._chunks: list[bytes] = []
        self._started = float("inf")
        self._first = threading.Event()
        self._process = subprocess.Popen(
            ["parec", f"--device={source}", "--latency-msec=10", *_sample_format(_RECORDING_RATE)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        if not self._first.wait(_COMMAND_LIMIT):
            self.stop()
            raise RuntimeError(f"nothing could be recorded from {source}")

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        frames = 0
        while chunk := stream.read1(65536):  # type: ignore[attr-defined]
            now = time.monotonic()
            self._chunks.append(chunk)
            frames += len(chunk) // 2
            # No chunk arrives before its last sample has sounded, so the earliest estimate is the best one.
            self._started = min(self._started, now - frames / _RECORDING_RATE)
            self._first.set()
        self._first.set()

    def stop(self) -> Recording:
        """Ends the recording and returns it; safe to call again."""
        _end(self._process)
        self._thread.join(_COMMAND_LIMIT)
        data = b"".join(self._chunks)
        samples = np.frombuffer(data[: len(data) // 2 * 2], dtype=np.int16)
        return Recording(samples, _RECORDING_RATE, self._started)


class SoundServer:
    """A PulseAudio server of our own with one microphone (``vmic``) and one speaker (``spk``)."""

    def __init__(self) -> None:
        """Starts the server.

        Raises:
            RuntimeError: if it does not come up in three tries.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="mexsound-"))
        own = str(self.folder)
        self.env: dict[str, str] = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PULSE_")},
            **dict.fromkeys(("HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH"), own),
            "XDG_DATA_HOME": f"{own}/data",
            "XDG_CACHE_HOME": f"{own}/cache",
            "XDG_CONFIG_HOME": f"{own}/config",
            "PULSE_COOKIE": f"{own}/cookie",
            "PULSE_CONFIG": f"{own}/daemon.conf",
            "PULSE_SERVER": f"unix:{own}/native",
            "PULSE_SOURCE": "vmic",
            "PULSE_SINK": "spk",
        }
        # Streams of a device that is taken away must die with it, not move to another one.
        self._alsa = self.folder / "alsa.conf"
        (self.folder / "daemon.conf").write_text("rescue-streams = no\n")
        self._processes: list[subprocess.Popen[bytes]] = []
        self._loaded: dict[str, list[str]] = {}
        self._daemon: subprocess.Popen[bytes] | None = None
        for _ in range(_START_TRIES):
            if self._start():
                return
        log = (self.folder / "log").read_text(errors="replace")
        self.close()
        raise RuntimeError(f"PulseAudio did not start: {log[-2000:]}")

    def _start(self) -> bool:
        """Starts the daemon and loads the devices; False if it does not answer in time."""
        self._stop_daemon()
        self._loaded.clear()
        modules = [
            "module-cli exit_on_eof=1",  # ends the daemon when this process is gone, however it went
            # The default device is one that nobody uses: streams on a default device that goes would move.
            "module-null-sink sink_name=nowhere",
            f"module-native-protocol-unix socket={self.folder}/native auth-anonymous=1",
        ]
        with (self.folder / "log").open("ab") as log:
            self._daemon = subprocess.Popen(
                [*_DAEMON, *(part for module in modules for part in ("-L", module))],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=self.env,
            )
        limit = time.monotonic() + _START_LIMIT
        while time.monotonic() < limit and self._daemon.poll() is None:
            with contextlib.suppress(RuntimeError):
                self.pactl("info")
                self.pactl("set-default-sink", "nowhere")
                self.pactl("set-default-source", "nowhere.monitor")
                self.give_back("mic")
                self.give_back("speaker")
                return True
            time.sleep(0.05)
        return False

    def pactl(self, *words: str) -> str:
        """Runs ``pactl`` on this server and returns what it printed.

        Raises:
            RuntimeError: if it fails or takes more than ten seconds.
        """
        try:
            done = subprocess.run(
                ["pactl", *words], env=self.env, capture_output=True, text=True, timeout=_COMMAND_LIMIT
            )
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"pactl {' '.join(words)}: no answer") from None
        if done.returncode:
            raise RuntimeError(f"pactl {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def _load(self, key: str, *modules: str) -> None:
        if key not in self._loaded:
            self._loaded[key] = []
            for module in modules:
                self._loaded[key].append(self.pactl("load-module", *module.split()).strip())

    def _unload(self, key: str) -> None:
        for number in reversed(self._loaded.pop(key, [])):
            # A module that lost its master has unloaded itself already.
            with contextlib.suppress(RuntimeError):
                self.pactl("unload-module", number)

    def give_back(self, device: Device) -> None:
        """Plugs the device in (again)."""
        self._load(device, *_MODULES[device])

    def take_away(self, device: Device) -> None:
        """Unplugs the device: every stream on it breaks."""
        self._unload(device)

    @contextlib.contextmanager
    def second_mic(self) -> Iterator[dict[str, str]]:
        """Plugs in a microphone ``mic2``; see `choose_mic`.

        Returns:
            The environment of programs that use the microphone that was chosen last, at first ``mic``.
        """
        self._load(
            "mic2",
            "module-null-sink sink_name=mic2 rate=16000 channels=1 format=s16le norewinds=1",
            "module-remap-source master=mic2.monitor source_name=vmic2",
        )
        self.choose_mic("mic")
        try:
            yield {**self.env, "PULSE_SOURCE": "", "ALSA_CONFIG_PATH": str(self._alsa)}
        finally:
            self._unload("mic2")

    def choose_mic(self, name: str) -> None:
        """Makes a microphone the default one, for who opens it from now on.

        PulseAudio's own default will not do: it moves the streams that are there already.
        """
        self._alsa.write_text(f"pcm.default {{ type pulse device v{name} }}\nctl.default {{ type pulse }}\n")

    def stall(self, device: Device, stalled: bool = True) -> None:
        """Makes the device deliver (or take) nothing while it stays plugged in, or lets it go on."""
        flag = "1" if stalled else "0"
        self.pactl("suspend-sink", _SINKS[device], flag)
        if device == "mic":
            self.pactl("suspend-source", "vmic", flag)

    def loopback(self, on: bool) -> None:
        """Lets the microphone hear the speaker, about 50 ms late and always equally late, or no longer."""
        if on:
            module = "module-loopback source=spk.monitor sink=mic latency_msec=50 adjust_time=0"
            self._load("echo", f"{module} source_dont_move=1")
        else:
            self._unload("echo")

    def play_to_mic(
        self, sound: Path | Samples, rate: int = 16000, wait: bool = True, device: str = "mic"
    ) -> subprocess.Popen[bytes]:
        """Says something into the microphone.

        Args:
            sound: a sound file, or int16 mono samples.
            rate: samples a second, for samples.
            wait: return when the last sample has been played, else at once.
            device: the sink whose monitor is the microphone, see `second_mic`.

        Returns:
            The playing process; terminate it to stop.
        """
        if isinstance(sound, Path):
            read, rate = soundfile.read(sound, dtype="int16", always_2d=True)
            sound = read[:, 0]
        data = np.ascontiguousarray(sound, dtype=np.int16).tobytes()
        # With less in advance a busy machine tears holes into what is said.
        process = subprocess.Popen(
            ["pacat", "--playback", f"--device={device}", "--latency-msec=400", *_sample_format(rate)],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.env,
        )
        self._processes.append(process)

        def feed() -> None:
            assert process.stdin is not None
            with contextlib.suppress(OSError):  # the reader may be stopped at any time
                process.stdin.write(data)
            with contextlib.suppress(OSError):
                process.stdin.close()

        threading.Thread(target=feed, daemon=True).start()
        if wait:
            process.wait(len(data) / 2 / rate + _COMMAND_LIMIT)
        return process

    def record(self, device: Device = "speaker") -> Recorder:
        """Starts recording what the speaker plays, or what is said into the microphone (at 48 kHz, mono)."""
        recorder = Recorder(f"{_SINKS[device]}.monitor", self.env)
        self._processes.append(recorder._process)
        return recorder

    @contextlib.contextmanager
    def in_process(self) -> Iterator[None]:
        """Lets this very process use the devices: sets its environment and starts PortAudio anew."""
        import sounddevice

        before = dict(os.environ)
        os.environ.update(self.env)
        sounddevice._terminate()
        sounddevice._initialize()
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
            sounddevice._terminate()
            sounddevice._initialize()

    def reset(self) -> None:
        """Puts everything back to how it was at the start: both devices there, nothing playing, no echo."""
        for process in self._processes:
            _end(process)
        self._processes.clear()
        if self._daemon is None or self._daemon.poll() is not None:
            if not self._start():
                raise RuntimeError("PulseAudio died and did not start again")
            return
        self.loopback(False)
        self.give_back("mic")
        self.give_back("speaker")
        self.stall("mic", False)
        self.stall("speaker", False)

    def _stop_daemon(self) -> None:
        if self._daemon is not None:
            if self._daemon.stdin is not None:
                self._daemon.stdin.close()
            _end(self._daemon)
            self._daemon = None

    def close(self) -> None:
        """Ends the server and everything started through it, and removes its folder."""
        for process in self._processes:
            _end(process)
        self._stop_daemon()
        shutil.rmtree(self.folder, ignore_errors=True)


def _sample_format(rate: int) -> tuple[str, ...]:
    """The words that tell PulseAudio's programs: bare int16 samples, mono."""
    return ("--raw", "--format=s16le", "--channels=1", f"--rate={rate}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process of ours, by force if it does not go."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(2)
