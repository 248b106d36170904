"""The speaker, on a real (virtual) sound device that is recorded, cut, stalled and taken away."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sounddevice

from mexvoice import portaudio
from mexvoice.errors import MexvoiceError
from mexvoice.speaking import player as player_module
from mexvoice.speaking.announcer import TAIL_SECONDS, Announcer
from mexvoice.speaking.output import SpeakerLost
from mexvoice.speaking.player import RETRY_SECONDS, STALL_SECONDS, DevicePlayer, open_player
from mexvoice.speaking.synthesiser import Speech, Synthesiser
from tests.sound_server import Recording, SoundServer

DEVICE_SECONDS = 0.06
"""A recorded moment and a computed one may differ by so much: blocks of the device and of the recorder."""


def tone(seconds: float, pitch: float = 440.0, rate: int = 22050) -> Speech:
    """A sine of -12 dBFS."""
    times = np.arange(round(seconds * rate)) / rate
    return Speech(np.asarray(8000 * np.sin(2 * np.pi * pitch * times), np.int16), rate)


def strongest(recording: Recording) -> float:
    """The strongest frequency (Hz)."""
    samples = recording.samples.astype(np.float64)
    return float(np.argmax(np.abs(np.fft.rfft(samples))) * recording.rate / len(samples))


@pytest.fixture
def speaker(sound_server: SoundServer) -> Iterator[DevicePlayer]:
    """A player on the virtual speaker."""
    with sound_server.in_process():
        player = open_player()
        yield player
        player.close()


def until_lost(player: DevicePlayer, limit: float) -> float:
    """Seconds until the player notices that the device is gone."""
    started = time.monotonic()
    with pytest.raises(SpeakerLost):
        player.wait(limit)
        pytest.fail("the loss was not noticed")
    return time.monotonic() - started


@pytest.mark.parametrize("rate", [16000, 22050, 48000])
def test_it_plays_what_it_is_given(sound_server: SoundServer, speaker: DevicePlayer, rate: int) -> None:
    """At its pitch, for its length, without waiting; and it knows when the sound ends."""
    recorder = sound_server.record()
    speaker.play(tone(0.2, rate=rate))
    speaker.wait(5)
    started = time.monotonic()
    speaker.play(tone(0.8, 660, rate))
    assert time.monotonic() - started < 0.5
    assert speaker.playing
    predicted = speaker.sounding_until
    assert speaker.wait(5)
    until = speaker.sounding_until
    time.sleep(0.3)
    [*_, (start, end)] = (recording := recorder.stop()).spans(gap=0.1)
    assert end - start == pytest.approx(0.8, abs=DEVICE_SECONDS)
    assert until == pytest.approx(end, abs=DEVICE_SECONDS)
    assert predicted == pytest.approx(end, abs=0.3)
    assert strongest(recording) == pytest.approx(660, abs=5)


def test_speeches_follow_each_other(sound_server: SoundServer, speaker: DevicePlayer) -> None:
    """A second one waits for the first, whatever its rate, and nothing is lost between them."""
    recorder = sound_server.record()
    speaker.play(tone(0.5, 440, 22050))
    speaker.play(tone(0.5, 440, 16000))
    assert speaker.wait(5)
    time.sleep(0.3)
    [(start, end)] = recorder.stop().spans(gap=0.1)
    assert end - start == pytest.approx(1.0, abs=DEVICE_SECONDS)


def test_many_short_speeches_are_all_heard(sound_server: SoundServer, speaker: DevicePlayer) -> None:
    """Each to its end, whether the stream still runs from the one before or not."""
    recorder = sound_server.record()
    for number in range(8):
        speaker.play(tone(0.15))
        assert speaker.wait(5)
        time.sleep((0.15, 0.4)[number % 2])
    spans = recorder.stop().spans(gap=0.05)
    assert [end - start for start, end in spans] == pytest.approx([0.15] * 8, abs=DEVICE_SECONDS)


def test_no_samples_are_no_sound(speaker: DevicePlayer) -> None:
    """And open no device."""
    speaker.play(Speech(np.zeros(0, np.int16), 22050))
    assert not speaker.playing
    assert speaker.sounding_until == 0.0


def test_a_cut_is_heard_within_50_ms(sound_server: SoundServer, speaker: DevicePlayer) -> None:
    """Measured on what the speaker played, ten times; the next speech is whole."""
    late = []
    for _ in range(10):
        recorder = sound_server.record()
        speaker.play(tone(3))
        time.sleep(0.4)
        speaker.abort()
        cut = time.monotonic()
        assert not speaker.wait(0) or not speaker.playing
        time.sleep(0.15)
        [(_, end)] = recorder.stop().spans()
        late.append(end - cut)
    assert max(late) < 0.05
    recorder = sound_server.record()
    speaker.play(tone(0.5))
    assert speaker.wait(5)
    time.sleep(0.3)
    [(start, end)] = recorder.stop().spans()
    assert end - start == pytest.approx(0.5, abs=DEVICE_SECONDS)


def test_a_speaker_that_goes_in_the_middle_is_missed_and_found_again(
    sound_server: SoundServer, speaker: DevicePlayer
) -> None:
    """At once; then playing fails, quickly, until it is back."""
    speaker.play(tone(5))
    time.sleep(0.3)
    sound_server.take_away("speaker")
    assert until_lost(speaker, 5) < 1
    assert not speaker.playing
    for _ in range(3):
        started = time.monotonic()
        with pytest.raises(SpeakerLost):
            speaker.play(tone(1))
        assert time.monotonic() - started < 1
    sound_server.give_back("speaker")
    time.sleep(RETRY_SECONDS)
    heard_again(sound_server, speaker)


def heard_again(sound_server: SoundServer, speaker: DevicePlayer) -> None:
    """Plays, and finds it in the recording."""
    recorder = sound_server.record()
    speaker.play(tone(0.5))
    assert speaker.wait(5)
    time.sleep(0.3)
    [(start, end)] = recorder.stop().spans()
    assert end - start == pytest.approx(0.5, abs=DEVICE_SECONDS)


def test_a_speaker_changed_between_two_speeches_is_not_even_noticed(
    sound_server: SoundServer, speaker: DevicePlayer
) -> None:
    """The stream has died unseen; a new one is opened."""
    speaker.play(tone(0.2))
    assert speaker.wait(5)
    sound_server.take_away("speaker")
    sound_server.give_back("speaker")
    heard_again(sound_server, speaker)


def test_a_speaker_that_takes_nothing_is_given_up(sound_server: SoundServer, speaker: DevicePlayer) -> None:
    """It is there but asks for no sound; after two seconds it is given up, until it works again."""
    speaker.play(tone(10))
    time.sleep(0.3)
    sound_server.stall("speaker")
    assert STALL_SECONDS - 0.5 < until_lost(speaker, 10) < STALL_SECONDS + 2
    assert not speaker.playing
    sound_server.stall("speaker", False)
    heard_again(sound_server, speaker)


def test_a_sound_server_that_comes_late_is_found(sound_server: SoundServer) -> None:
    """PortAudio knew of no device when it started; it is started anew."""
    assert sound_server._daemon is not None
    sound_server._daemon.kill()
    sound_server._daemon.wait()
    with sound_server.in_process():
        player = DevicePlayer()
        with pytest.raises(SpeakerLost, match="no speaker"):
            player.play(tone(1))
        with pytest.raises(MexvoiceError, match="no speaker"):
            open_player()
        sound_server.reset()
        time.sleep(RETRY_SECONDS)
        heard_again(sound_server, player)
        player.close()


@pytest.mark.parametrize("name", ["no such speaker", "97"])
def test_an_unknown_speaker_is_named(sound_server: SoundServer, name: str) -> None:
    """In one sentence."""
    with sound_server.in_process(), pytest.raises(MexvoiceError, match=name):
        open_player(name)


def test_a_speaker_may_be_named_in_part(sound_server: SoundServer) -> None:
    """Or by its number."""
    with sound_server.in_process():
        assert open_player("puls").check() == "pulse"
        assert open_player("0").check() == sounddevice.query_devices(0)["name"]


class Choosy:
    """The module `sounddevice` for a device that takes one rate and two channels only."""

    def __init__(self) -> None:
        self.PortAudioError = sounddevice.PortAudioError
        self.CallbackStop = sounddevice.CallbackStop
        self.opened: list[tuple[int, int]] = []

    def query_devices(self, device: object, kind: str) -> object:
        """Asks the real one."""
        return sounddevice.query_devices(device, kind)

    def OutputStream(self, samplerate: int, channels: int, **rest: Any) -> Any:
        """Opens it if it suits the device."""
        if (samplerate, channels) != (44100, 2):
            raise sounddevice.PortAudioError("Invalid sample rate", -9997)
        self.opened.append((samplerate, channels))
        return sounddevice.OutputStream(samplerate=samplerate, channels=channels, **rest)


def test_a_device_with_a_rate_of_its_own_gets_it(
    sound_server: SoundServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Speech is resampled, and keeps its pitch and length."""
    choosy = Choosy()
    monkeypatch.setattr(portaudio, "refresh", lambda _: False)
    with sound_server.in_process():
        player = DevicePlayer(sounddevice=choosy)
        recorder = sound_server.record()
        player.play(tone(0.6, 500))
        assert player.wait(5)
        time.sleep(0.3)
        [(start, end)] = (recording := recorder.stop()).spans()
        player.close()
    assert choosy.opened == [(44100, 2)]
    assert end - start == pytest.approx(0.6, abs=DEVICE_SECONDS)
    assert strongest(recording) == pytest.approx(500, abs=5)


def test_without_portaudio_a_sentence_says_what_to_install() -> None:
    """The library is looked for when it is needed, not when the program starts."""
    script = (
        "import ctypes.util\n"
        "ctypes.util.find_library = lambda name: None\n"
        "from mexvoice.errors import MexvoiceError\n"
        "from mexvoice.speaking.player import DevicePlayer\n"
        "try: DevicePlayer()\n"
        "except MexvoiceError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "libportaudio2" in done.stdout


def test_portaudio_is_not_started_anew_under_an_open_stream(
    sound_server: SoundServer, speaker: DevicePlayer
) -> None:
    """The microphone may be open while the speaker is looked for: it must go on."""
    speaker.play(tone(0.1))
    assert speaker.wait(5)
    blocks = 0

    def count(*_: object) -> None:
        nonlocal blocks
        blocks += 1

    stream = sounddevice.InputStream(samplerate=16000, channels=1, dtype="int16", callback=count)
    with stream:
        while not blocks:
            time.sleep(0.01)
        assert not portaudio.refresh(sounddevice)
        before = blocks
        time.sleep(0.3)
        assert stream.active
        assert blocks > before
    assert portaudio.refresh(sounddevice)  # the speaker, which plays nothing, has given way
    speaker.play(tone(1))
    assert not portaudio.refresh(sounddevice)
    assert speaker.wait(5)
    heard_again(sound_server, speaker)


def test_c_libraries_are_hushed_and_python_is_not() -> None:
    """PortAudio's and ALSA's own lines would tear up the screen, which uses the same output."""
    script = (
        "import os, sys\n"
        "from mexvoice import portaudio\n"
        "portaudio.hush(); portaudio.hush()\n"
        "os.write(2, b'noise of a library')\n"
        "print('python', file=sys.stderr); print('screen', file=sys.__stderr__)\n"
        "raise SystemExit('last words')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.split("\n") == ["python", "screen", "last words", ""]


# With the announcer and real voices.


def test_the_announcer_knows_when_it_can_listen_again(
    sound_server: SoundServer, speaker: DevicePlayer
) -> None:
    """`deaf_until` is the recorded end of each announcement and the tail, within a block or two."""
    ends: list[float] = []
    recorder = sound_server.record()
    with Synthesiser("roa/fr") as synthesiser, Announcer(synthesiser, speaker, lambda _: None) as announcer:
        for text in ("Anna : soixante-trois.", "Encore deux lancers.", "C'est à Ben de lancer les dés."):
            announcer.say(text)
            assert announcer.wait(10)
            ends.append(announcer.deaf_until)
            time.sleep(0.6)
    spans = recorder.stop().spans(gap=0.4)
    assert len(spans) == 3
    for (_, end), deaf_until in zip(spans, ends, strict=True):
        assert end + TAIL_SECONDS - 0.03 < deaf_until < end + TAIL_SECONDS + 0.05 + DEVICE_SECONDS


def test_an_announcement_is_heard_soon_and_cut_soon(sound_server: SoundServer, speaker: DevicePlayer) -> None:
    """From `say` to the first sample, and from `cut` to the last; the text is there before the sound."""
    heard: list[float] = []
    written: list[float] = []
    with (
        Synthesiser("roa/fr") as synthesiser,
        Announcer(synthesiser, speaker, lambda _: written.append(time.monotonic())) as announcer,
    ):
        synthesiser.render("un")
        for _ in range(5):
            recorder = sound_server.record()
            said = time.monotonic()
            announcer.say("Une phrase bien plus longue, coupée avant la fin, que personne n'entend entière.")
            time.sleep(1.2)
            announcer.cut()
            cut = time.monotonic()
            time.sleep(0.2)
            spans = recorder.stop().spans(gap=0.4)
            assert written[-1] < spans[0][0]
            heard.append(spans[0][0] - said)
            assert spans[-1][1] - cut < 0.05
    assert float(np.median(heard)) < 0.5


def test_the_game_goes_on_while_the_speaker_is_away(
    sound_server: SoundServer, speaker: DevicePlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It vanishes in the middle of a sentence: texts go on, one sentence tells of it, and of its return."""
    monkeypatch.setattr(player_module, "RETRY_SECONDS", 0.5)
    texts: list[str] = []
    troubles: list[MexvoiceError | None] = []
    with (
        Synthesiser("roa/fr") as synthesiser,
        Announcer(synthesiser, speaker, texts.append, troubles.append) as announcer,
    ):
        announcer.say("Une phrase assez longue pour que le haut-parleur s'en aille au milieu.")
        while not speaker.playing:
            time.sleep(0.01)
        sound_server.take_away("speaker")
        for number in range(5):
            announcer.say(f"Tour {number}.")
        assert announcer.wait(10)
        assert len(texts) == 6
        assert [type(trouble) for trouble in troubles] == [SpeakerLost]
        sound_server.give_back("speaker")
        time.sleep(0.6)
        recorder = sound_server.record()
        announcer.say("Me revoilà.")
        assert announcer.wait(10)
        time.sleep(0.3)
        assert recorder.stop().spans()
        assert [type(trouble) for trouble in troubles] == [SpeakerLost, type(None)]


def test_playing_and_cutting_from_several_threads(speaker: DevicePlayer) -> None:
    """Nothing hangs, crashes or goes on sounding."""
    limit = time.monotonic() + 3

    def play() -> None:
        while time.monotonic() < limit:
            speaker.play(tone(0.2))
            time.sleep(0.01)

    def cut() -> None:
        while time.monotonic() < limit:
            speaker.abort()
            time.sleep(0.013)

    threads = [threading.Thread(target=work) for work in (play, play, cut)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    speaker.abort()
    assert speaker.wait(1)
