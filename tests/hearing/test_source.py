"""Sound files of every kind, and microphones that work, do not work, and go away."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.source import AudioFile, Block, Microphone, MicrophoneLost

RATE = 16000


def tone(seconds: float = 1.0, rate: int = RATE, frequency: float = 440.0) -> np.ndarray:
    """A sine of half of full scale."""
    return 0.5 * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


def write(path: Path, sound: np.ndarray, rate: int = RATE, subtype: str | None = None) -> Path:
    soundfile.write(path, sound, rate, subtype=subtype)
    return path


def read(path: Path, **options: Any) -> np.ndarray:
    """All samples of a file."""
    source = AudioFile(path, **options)
    blocks = list(source)
    source.close()
    return np.concatenate([np.frombuffer(block.pcm, "<i2") for block in blocks])


def pitch(samples: np.ndarray) -> float:
    """Frequency of the strongest part, in Hz."""
    middle = samples[len(samples) // 4 : -len(samples) // 4].astype(float)
    return float(np.argmax(np.abs(np.fft.rfft(middle))) * RATE / len(middle))


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 32000, 44100, 48000, 96000])
def test_every_rate_becomes_16_khz(rate: int, tmp_path: Path) -> None:
    samples = read(write(tmp_path / "a.wav", tone(1.5, rate), rate))
    assert len(samples) == pytest.approx(1.5 * RATE, abs=4)
    assert pitch(samples) == pytest.approx(440, abs=2)
    assert np.abs(samples[2000:-2000]).max() == pytest.approx(16384, rel=0.02)


@pytest.mark.parametrize(
    ("suffix", "subtype"),
    [
        (".wav", "PCM_U8"),
        (".wav", "PCM_16"),
        (".wav", "PCM_24"),
        (".wav", "PCM_32"),
        (".wav", "FLOAT"),
        (".wav", "DOUBLE"),
        (".wav", "ULAW"),
        (".flac", "PCM_16"),
        (".flac", "PCM_24"),
        (".ogg", "VORBIS"),
        (".aiff", "PCM_16"),
    ],
)
def test_every_format_is_read(suffix: str, subtype: str, tmp_path: Path) -> None:
    samples = read(write(tmp_path / f"a{suffix}", tone(), subtype=subtype))
    assert pitch(samples) == pytest.approx(440, abs=2)
    assert np.abs(samples).max() == pytest.approx(16384, rel=0.1)


def test_the_name_of_a_file_does_not_say_what_it_is(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "flac", tone(), RATE, format="FLAC")
    (tmp_path / "flac").rename(tmp_path / "noise.wav")
    assert pitch(read(tmp_path / "noise.wav")) == pytest.approx(440, abs=2)


def test_channels_become_one(tmp_path: Path) -> None:
    left, quiet = tone(), np.zeros(RATE)
    both = read(write(tmp_path / "both.wav", np.stack([left, left], axis=1)))
    one_side = read(write(tmp_path / "left.wav", np.stack([left, quiet], axis=1)))
    opposite = read(write(tmp_path / "opposite.wav", np.stack([left, -left], axis=1)))
    six = read(write(tmp_path / "six.wav", np.stack([left] * 6, axis=1)))
    for samples in (both, one_side, opposite, six):
        assert np.abs(samples).max() == pytest.approx(16384, rel=0.02)


def test_too_loud_floats_are_clipped(tmp_path: Path) -> None:
    samples = read(write(tmp_path / "a.wav", 6 * tone(), subtype="FLOAT"))
    assert (samples.max(), samples.min()) == (32767, -32768)


def test_blocks_know_their_time_and_level(tmp_path: Path) -> None:
    write(tmp_path / "a.wav", np.concatenate([np.zeros(RATE), tone()]))
    blocks = list(AudioFile(tmp_path / "a.wav", clock=lambda: 100.0))
    assert [block.time for block in blocks] == pytest.approx([100 + 0.05 * n for n in range(1, 41)])
    assert all(len(block.pcm) == 1600 for block in blocks)
    assert blocks[0].level == pytest.approx(-100.0)
    assert blocks[-2].level == pytest.approx(-9.03, abs=0.1)


def test_noise_put_around_a_file_is_as_loud_as_its_own(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).normal(0, 0.001, RATE)
    write(tmp_path / "a.wav", noise)
    samples = read(tmp_path / "a.wav", lead=0.5, tail=1.0)
    assert len(samples) == 2.5 * RATE
    assert np.std(samples[:8000]) == pytest.approx(32.8, rel=0.3)
    assert np.std(samples[-8000:]) == pytest.approx(32.8, rel=0.3)
    write(tmp_path / "silent.wav", np.zeros(RATE))
    assert 2 < np.std(read(tmp_path / "silent.wav", lead=0.5)[:8000]) < 20
    write(tmp_path / "loud.wav", tone())
    assert np.std(read(tmp_path / "loud.wav", lead=0.5)[:8000]) < 150


def test_a_paced_file_takes_its_time(tmp_path: Path) -> None:
    write(tmp_path / "a.wav", tone(0.6))
    began = time.monotonic()
    last = list(AudioFile(tmp_path / "a.wav", paced=True))[-1]
    assert 0.5 < time.monotonic() - began < 2.0
    assert last.time == pytest.approx(began + 0.6, abs=0.1)


def test_a_file_serves_where_a_microphone_does(tmp_path: Path) -> None:
    blocks = list(AudioFile(write(tmp_path / "a.wav", tone())).blocks(0.1))
    assert len(blocks) == 20
    assert all(isinstance(block, Block) for block in blocks)


def _not_numbers(path: Path) -> None:
    sound = tone()
    sound[5000] = np.nan
    write(path, sound, subtype="FLOAT")


def _endless(path: Path) -> None:
    sound = tone()
    sound[5000] = np.inf
    write(path, sound, subtype="FLOAT")


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda _: None, "There is no file"),
    "folder": (lambda path: path.mkdir(), "folder"),
    "empty": (lambda path: path.write_bytes(b""), "empty"),
    "text": (lambda path: path.write_text("not a sound\n" * 100), "no sound file"),
    "png": (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10), "no sound file"),
    "noise": (lambda path: path.write_bytes(np.random.default_rng(1).bytes(5000)), "no sound file"),
    "header only": (lambda path: path.write_bytes(b"RIFF\x00\x00\x00\x00WAVE"), "no sound file"),
    "no frames": (lambda path: write(path, np.zeros(0)), "no sound"),
    "nan": (_not_numbers, "no numbers"),
    "inf": (_endless, "no numbers"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_sound_gets_a_sentence(kind: str, tmp_path: Path) -> None:
    make, words = BAD[kind]
    path = tmp_path / "a.wav"
    make(path)
    with pytest.raises(MexvoiceError, match=words) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unreadable_file_gets_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.wav", tone())

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(MexvoiceError, match="Permission denied"):
        AudioFile(path)


def test_a_truncated_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", tone(2.0))
    path.write_bytes(path.read_bytes()[: RATE * 2])
    assert len(read(path)) == pytest.approx(RATE, abs=100)


class FakeSound:
    """The parts of the module sounddevice a microphone uses, with devices of its own."""

    class PortAudioError(Exception):
        """As in sounddevice."""

    def __init__(
        self, *devices: dict[str, Any], rates: tuple[int, ...] = (16000,), channels: int = 1
    ) -> None:
        self.devices = list(devices)
        self.rates, self.channels = rates, channels
        self.opened: list[SimpleNamespace] = []

    def query_devices(self, device: Any = None, kind: str | None = None) -> Any:
        if kind is None:
            return self.devices
        found = [
            one
            for number, one in enumerate(self.devices)
            if device is None or device == number or (isinstance(device, str) and device in one["name"])
        ]
        if not found:
            raise ValueError(f"No input device matching {device!r}")
        return found[0]

    def RawInputStream(self, *, samplerate: int, channels: int, callback: Any, **rest: Any) -> Any:
        if samplerate not in self.rates or channels != self.channels:
            raise self.PortAudioError("Invalid sample rate")
        stream = SimpleNamespace(active=True, rate=samplerate, callback=callback, **rest)
        stream.start = lambda: None
        stream.close = lambda: setattr(stream, "active", False)
        self.opened.append(stream)
        return stream


@pytest.fixture(autouse=True)
def _no_real_portaudio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mexvoice.portaudio.refresh", lambda _: True)


def device(name: str = "Headset", channels: int = 1, rate: float = 48000.0, index: int = 0) -> dict[str, Any]:
    return {"name": name, "max_input_channels": channels, "default_samplerate": rate, "index": index}


def spoken_into(microphone: Microphone, stream: SimpleNamespace, sound: np.ndarray) -> list[Block]:
    """What the microphone brings of a sound."""
    size = stream.blocksize
    for at in range(0, len(sound), size):
        stream.callback(sound[at : at + size].tobytes(), size, None, None)
    found = []
    for block in microphone.blocks(0.05):
        if block is None:
            break
        found.append(block)
    return found


def test_a_microphone_brings_blocks() -> None:
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound)
    samples = np.rint(32767 * tone()).astype("<i2")
    blocks = spoken_into(microphone, sound.opened[0], samples)
    assert np.array_equal(np.frombuffer(b"".join(b.pcm for b in blocks), "<i2"), samples)
    assert blocks[0].level == pytest.approx(-9.03, abs=0.2)
    microphone.close()
    assert not sound.opened[0].active


@pytest.mark.parametrize(("rates", "channels"), [((48000,), 1), ((44100,), 1), ((48000,), 2)])
def test_a_microphone_of_another_rate_is_resampled(rates: tuple[int, ...], channels: int) -> None:
    sound = FakeSound(device(channels=2, rate=float(rates[0])), rates=rates, channels=channels)
    microphone = Microphone(sounddevice=sound)
    wave = np.rint(32767 * tone(2.0, rates[0])).astype("<i2")
    frames = np.stack([wave] * channels, axis=1)
    blocks = spoken_into(microphone, sound.opened[0], frames)
    samples = np.frombuffer(b"".join(b.pcm for b in blocks), "<i2")
    assert pitch(samples) == pytest.approx(440, abs=2)
    assert len(samples) == pytest.approx(2 * RATE, rel=0.02)


def test_a_full_queue_drops_and_counts() -> None:
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound)
    for _ in range(230):
        sound.opened[0].callback(bytes(1600), 800, None, None)
    assert microphone.dropped == 30
    assert next(iter(microphone.blocks(0.1))) is not None


def test_what_the_driver_dropped_is_counted_too() -> None:
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound)
    for overflow in (False, True, True):
        flags = SimpleNamespace(input_overflow=overflow)
        sound.opened[0].callback(bytes(1600), 800, None, flags)
    assert microphone.dropped == 2


@pytest.mark.parametrize(
    ("recorded", "late"), [(99.95, 0.0), (97.95, 2.0), (0.0, 0.0), (200.0, 0.0)], ids=str
)
def test_a_block_that_comes_late_has_the_time_of_its_sound(recorded: float, late: float) -> None:
    """So that the assistant's own voice is known for what it is, however long it waited in a buffer."""
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound, clock=lambda: 1000.0)
    times = SimpleNamespace(currentTime=100.0, inputBufferAdcTime=recorded)
    sound.opened[0].callback(bytes(1600), 800, times, None)
    assert next(iter(microphone)).time == pytest.approx(1000.0 - late)


def test_the_callback_copies_what_portaudio_will_overwrite() -> None:
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound)
    buffer = bytearray(b"\x01\x00" * 800)
    sound.opened[0].callback(memoryview(buffer), 800, None, None)
    buffer[:] = b"\x02\x00" * 800
    block = next(iter(microphone))
    assert block.pcm == b"\x01\x00" * 800


@pytest.mark.parametrize("wanted", [None, "1", "Room"])
def test_a_microphone_is_found_by_number_or_name(wanted: str | None) -> None:
    sound = FakeSound(device("Headset"), device("Room microphone", index=1))
    assert Microphone(wanted, sounddevice=sound).name == ("Headset" if wanted is None else "Room microphone")


def test_a_microphone_that_is_not_there_gets_a_sentence() -> None:
    with pytest.raises(MexvoiceError, match=r"no microphone 'Nemo'.*0 Headset"):
        Microphone("Nemo", sounddevice=FakeSound(device()))
    with pytest.raises(MexvoiceError, match="no microphone: connect one"):
        Microphone(sounddevice=FakeSound())
    with pytest.raises(MexvoiceError, match="cannot be opened"):
        Microphone(sounddevice=FakeSound(device(), rates=()))


def test_a_missing_portaudio_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise MexvoiceError("The sound library PortAudio is missing: install it.")

    monkeypatch.setattr("mexvoice.portaudio.library", missing)
    with pytest.raises(MexvoiceError, match="PortAudio"):
        Microphone()


class Clock:
    """A clock that goes half a second forward each time it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.5
        return self.now


def test_a_microphone_that_never_says_anything_is_lost_after_five_seconds() -> None:
    clock = Clock()
    microphone = Microphone(sounddevice=FakeSound(device()), clock=clock)
    began = clock.now
    with pytest.raises(MicrophoneLost, match="Headset"):
        list(microphone.blocks(0.001))
    assert 5.0 <= clock.now - began <= 7.0


def test_a_microphone_that_falls_silent_is_lost_after_two_seconds() -> None:
    clock = Clock()
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound, clock=clock)
    sound.opened[0].callback(bytes(1600), 800, None, None)
    blocks = microphone.blocks(0.001)
    assert next(blocks) is not None
    began = clock.now
    with pytest.raises(MicrophoneLost):
        list(blocks)
    assert 2.0 <= clock.now - began <= 4.0


def test_a_machine_that_stood_still_has_not_lost_its_microphone() -> None:
    clock = Clock()
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound, clock=clock)
    blocks = microphone.blocks(0.001)
    sound.opened[0].callback(bytes(1600), 800, None, None)
    assert next(blocks) is not None
    clock.now += 3600.0
    assert next(blocks) is None
    sound.opened[0].callback(bytes(1600), 800, None, None)
    assert next(blocks) is not None


def test_a_microphone_that_is_pulled_out_is_lost_at_once() -> None:
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound)
    sound.opened[0].active = False
    began = time.monotonic()
    with pytest.raises(MicrophoneLost):
        list(microphone.blocks(0.01))
    assert time.monotonic() - began < 1.0


def test_blocks_arrive_while_the_device_goes_on() -> None:
    sound = FakeSound(device())
    microphone = Microphone(sounddevice=sound)

    def run() -> None:
        for _ in range(20):
            sound.opened[0].callback(bytes(1600), 800, None, None)
            time.sleep(0.005)

    thread = threading.Thread(target=run)
    thread.start()
    got = [block for _, block in zip(range(20), microphone, strict=False)]
    thread.join()
    assert len(got) == 20
    assert sorted(block.time for block in got) == [block.time for block in got]
