"""Rendering texts with the real engine, and what happens when it hangs or dies."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

from mexvoice.data import shipped
from mexvoice.speaking import synthesis_child
from mexvoice.speaking.synthesiser import (
    LIMIT_PER_CHARACTER,
    LIMIT_SECONDS,
    NoVoice,
    Speech,
    Synthesiser,
    SynthesisFailed,
    Voice,
)
from tests.speaking.reference import reference_speech

LANGUAGES = ("fr", "de", "ru", "en")
COUNTING = "63, 21, 400, 5, 12"


def espeak_id(language: str) -> str:
    """The voice that the locale names."""
    data = yaml.safe_load((shipped("locales") / f"{language}.yaml").read_text(encoding="utf-8"))
    return str(data["voice"]["espeak"])


@pytest.fixture(scope="module")
def synthesiser() -> Iterator[Synthesiser]:
    """One with the French voice."""
    with Synthesiser(espeak_id("fr")) as one:
        yield one


def loudness(speech: Speech) -> float:
    """Level in dB of full scale."""
    return float(10 * np.log10(np.mean((speech.samples / 32768.0) ** 2) + 1e-12))


def pitch(speech: Speech) -> float:
    """The median fundamental frequency (Hz) of the loud stretches, by autocorrelation."""
    size = speech.rate // 20
    found = []
    for start in range(0, len(speech.samples) - size, size):
        frame = speech.samples[start : start + size].astype(np.float64)
        if np.sqrt(np.mean(frame**2)) < 1500:
            continue
        likeness = np.correlate(frame, frame, "full")[size - 1 :]
        low, high = speech.rate // 400, speech.rate // 60
        found.append(speech.rate / (low + int(np.argmax(likeness[low:high]))))
    return float(np.median(found))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_voice_is_the_one_asked_for(synthesiser: Synthesiser, language: str) -> None:
    """The sound is as long as that of the same voice rendered without pyttsx3, and no other voice's is."""
    made = synthesiser.render(COUNTING, voice=espeak_id(language), rate=165)
    wanted = {code: reference_speech(espeak_id(code), COUNTING, 165) for code in LANGUAGES}
    off = {code: abs(made.seconds / speech.seconds - 1) for code, speech in wanted.items()}
    assert off[language] < 0.005
    assert all(off[code] > 0.02 for code in LANGUAGES if code != language)
    assert -30 < loudness(made) < -8


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_spoken_at_a_natural_pace(synthesiser: Synthesiser, language: str) -> None:
    """Between 8 and 25 characters a second."""
    text = {
        "fr": "Camille a lancé soixante-trois, encore deux lancers.",
        "de": "Camille hat dreiundsechzig geworfen, noch zwei Würfe.",
        "ru": "Камилла бросает шестьдесят три, ещё два броска.",
        "en": "Camille has thrown sixty-three, two more throws.",
    }[language]
    speech = synthesiser.render(text, voice=espeak_id(language))
    assert 8 < len(text) / speech.seconds < 25
    assert speech.samples.dtype == np.int16
    assert speech.samples.ndim == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_variants_of_a_voice_sound_like_other_people(synthesiser: Synthesiser, language: str) -> None:
    """A female variant is higher than a male one, and both are another sound than the plain voice."""
    voice = espeak_id(language)
    plain, woman, man = (synthesiser.render(COUNTING, voice=voice + end) for end in ("", "+f5", "+m7"))
    assert pitch(woman) > 1.2 * pitch(man)
    assert len({len(speech.samples) for speech in (plain, woman, man)}) == 3


def test_rate_and_pitch_are_obeyed(synthesiser: Synthesiser) -> None:
    """Half as many words a minute take about twice as long; a higher pitch is higher."""
    slow, fast = (synthesiser.render(COUNTING, rate=rate).seconds for rate in (120, 240))
    assert 1.6 < slow / fast < 2.4
    low, high = (pitch(synthesiser.render(COUNTING, pitch=height)) for height in (10, 90))
    assert high > 1.2 * low


def test_settings_of_one_text_do_not_stick(synthesiser: Synthesiser) -> None:
    """After another voice, rate and pitch the usual ones are back."""
    before = synthesiser.render(COUNTING)
    synthesiser.render(COUNTING, voice="zle/ru+f3", rate=300, pitch=90)
    after = synthesiser.render(COUNTING)
    assert after.seconds == pytest.approx(before.seconds, rel=0.01)
    assert pitch(after) == pytest.approx(pitch(before), rel=0.1)


def test_there_is_no_silence_around_the_words(synthesiser: Synthesiser) -> None:
    """Every silent moment is one in which nobody is listened to."""
    speech = synthesiser.render("Encore deux lancers.")
    loud = np.flatnonzero(np.abs(speech.samples.astype(int)) > 400)
    assert loud[0] < 0.06 * speech.rate
    assert loud[-1] > len(speech.samples) - 0.15 * speech.rate


@pytest.mark.parametrize("text", ["", "\x00\x1b[", "🎲🎲", "...", " \n"])
def test_nothing_to_say_is_no_sound(synthesiser: Synthesiser, text: str) -> None:
    """And no error either."""
    assert synthesiser.render(text).seconds == 0


HOSTILE = [
    "<speak><break time='99s'/>hi</speak>",
    "[[slnc 99999]] hi",
    "\u202eAnna\ud800",
    "กขค",
    "中文 123",
    "x" * 299,
]


@pytest.mark.parametrize("text", [*HOSTILE, "a" * 10_000, "mot " * 2500, "Un. " * 2500, "\x00" * 9_999 + "a"])
def test_any_text_is_safe(synthesiser: Synthesiser, text: str) -> None:
    """Strange and endless texts are spoken for two minutes at most, by the same child."""
    starts = synthesiser.starts
    assert 0 < synthesiser.render(text).seconds < 150
    assert synthesiser.starts == starts


def test_a_long_text_is_spoken_to_its_end(synthesiser: Synthesiser) -> None:
    """It is rendered in pieces, and none is missing."""
    sentence = "Camille a encore douze vies. "
    one, many = (synthesiser.render(sentence * count).seconds for count in (1, 30))
    assert many > 25 * one


def test_a_voice_that_does_not_exist_is_named(synthesiser: Synthesiser) -> None:
    """In one sentence; the child lives on."""
    starts = synthesiser.starts
    with pytest.raises(NoVoice, match="'xx/none'"):
        synthesiser.render("hello", voice="xx/none")
    assert not synthesiser.has_voice("xx/none", ["xx"])
    assert synthesiser.has_voice("roa/fr", ["fr-FR"])
    assert synthesiser.has_voice("roa/fr+f2")
    assert synthesiser.render("salut").seconds > 0.2
    assert synthesiser.starts == starts


# What goes wrong.


@pytest.fixture
def fragile() -> Iterator[Synthesiser]:
    """One whose child may be hurt."""
    with Synthesiser("roa/fr") as one:
        one.render("un")
        yield one


def child_of(synthesiser: Synthesiser) -> int:
    """Its process id."""
    assert synthesiser.child_pid is not None
    return synthesiser.child_pid


def test_a_killed_child_is_replaced(fragile: Synthesiser) -> None:
    """The next text is rendered as if nothing had happened, within half a second on an idle machine."""
    os.kill(child_of(fragile), signal.SIGKILL)
    assert fragile.render("Encore deux lancers.").seconds > 0.5
    assert fragile.starts == 2


def test_a_child_killed_in_the_middle_of_a_text_is_replaced(fragile: Synthesiser) -> None:
    """The text that was under way is rendered whole."""
    text = "Camille a encore douze vies. " * 30
    whole = fragile.render(text).seconds
    made: list[Speech] = []
    rendering = threading.Thread(target=lambda: made.append(fragile.render(text)))
    # Held, so that a fast machine has not rendered it all before the blow.
    os.kill(child_of(fragile), signal.SIGSTOP)
    rendering.start()
    time.sleep(0.1)
    assert rendering.is_alive()
    os.kill(child_of(fragile), signal.SIGKILL)
    rendering.join(30)
    assert made[0].seconds == pytest.approx(whole, rel=0.02)
    assert fragile.starts == 2


def test_a_child_that_hangs_is_replaced_in_time(fragile: Synthesiser) -> None:
    """It is stopped like a process that never comes back; the limit and a new start are all that is lost."""
    hung = child_of(fragile)
    os.kill(hung, signal.SIGSTOP)
    started = time.monotonic()
    assert fragile.render("Encore deux lancers.").seconds > 0.5
    assert time.monotonic() - started < LIMIT_SECONDS + 20 * LIMIT_PER_CHARACTER + 5
    assert fragile.starts == 2
    assert not Path(f"/proc/{hung}").exists()


def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> Synthesiser:
    """A synthesiser whose child is this program instead."""
    program = tmp_path / "child.py"
    program.write_text("import sys, time, os\n" + body)
    monkeypatch.setattr(synthesis_child, "__file__", str(program))
    monkeypatch.setattr("mexvoice.speaking.synthesiser.LIMIT_SECONDS", 0.3)
    monkeypatch.setattr("mexvoice.speaking.synthesiser.START_SECONDS", 0.6)
    return Synthesiser("roa/fr")


READY = "print('{\"ready\": true}', flush=True)\n"
BROKEN = {
    "hangs at the start": "time.sleep(60)",
    "hangs at each text": READY + "time.sleep(60)",
    "ends at the start": "sys.exit(3)",
    "ends at each text": READY + "sys.stdin.readline(); os._exit(1)",
    "talks nonsense": READY + "sys.stdin.readline(); print('%%%', flush=True); time.sleep(60)",
    "makes no sound": READY
    + '\nfor line in sys.stdin: print(\'{"error": "speech", "reason": "x"}\', flush=True)',
    "promises a file": READY + '\nfor line in sys.stdin: print(\'{"file": "/nowhere/x.wav"}\', flush=True)',
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_an_engine_that_never_works_is_an_error_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    """Two tries, then one sentence that says what becomes of the announcements; nothing is left running."""
    before = children_of(os.getpid())
    synthesiser = stub(tmp_path, monkeypatch, body)
    started = time.monotonic()
    with pytest.raises(SynthesisFailed, match=r"."):
        synthesiser.render("Bonjour")
    assert time.monotonic() - started < 10
    synthesiser.close()
    assert children_of(os.getpid()) == before


def test_no_engine_at_all_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without espeak-ng."""
    body = 'print(\'{"error": "engine", "reason": "no library"}\', flush=True)'
    with stub(tmp_path, monkeypatch, body) as synthesiser, pytest.raises(NoVoice, match="install espeak-ng"):
        synthesiser.render("Bonjour")


def test_closing_ends_even_a_text_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that waits for it gets an error instead of a new child."""
    before = children_of(os.getpid())
    synthesiser = stub(tmp_path, monkeypatch, READY + "time.sleep(60)")
    monkeypatch.setattr("mexvoice.speaking.synthesiser.LIMIT_SECONDS", 30)
    failed: list[Exception] = []

    def render() -> None:
        try:
            synthesiser.render("Bonjour")
        except SynthesisFailed as error:
            failed.append(error)

    thread = threading.Thread(target=render)
    thread.start()
    time.sleep(0.5)
    synthesiser.close()
    thread.join(5)
    assert failed
    assert children_of(os.getpid()) == before
    with pytest.raises(SynthesisFailed):
        synthesiser.render("Bonjour")


# What is left behind.


def children_of(pid: int) -> list[int]:
    """The running child processes of a process that are children of this module's making."""
    listing = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True
    ).stdout
    return [
        int(line.split()[0]) for line in listing.splitlines() if "child.py" in line or "synthesis" in line
    ]


def open_files() -> int:
    """How many file handles this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts file handles in /proc")
def test_a_hundred_renders_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One child for all of them; no file handle, thread, process or folder more than before."""
    with Synthesiser("roa/fr") as warm:
        warm.render("un")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children_of(os.getpid())
    files, threads = open_files(), threading.active_count()
    with Synthesiser("roa/fr") as synthesiser:
        for number in range(100):
            assert synthesiser.render(f"Tour {number}").seconds > 0.3
            [folder] = tmp_path.iterdir()
            assert not list(folder.iterdir())
        assert synthesiser.starts == 1
    for _ in range(5):
        Synthesiser("gmw/de").close()
    assert open_files() == files
    assert threading.active_count() == threads
    assert not list(tmp_path.iterdir())
    assert children_of(os.getpid()) == before


def test_the_child_ends_with_its_parent() -> None:
    """Even when the parent is killed: the child sees the end of its input, and removes its folder."""
    script = (
        "import os, signal\n"
        "from mexvoice.speaking.synthesiser import Synthesiser\n"
        "one = Synthesiser('roa/fr'); one.render('un')\n"
        "print(one.child_pid, one._child.folder, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    pid, folder = done.stdout.split()
    limit = time.monotonic() + 5
    while (Path(f"/proc/{pid}").exists() or Path(folder).exists()) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()
    assert not Path(folder).exists()


def test_the_child_ignores_the_terminals_interrupt(fragile: Synthesiser) -> None:
    """Ctrl-C goes to every process of a terminal; only the parent decides what it means."""
    os.kill(child_of(fragile), signal.SIGINT)
    time.sleep(0.1)
    fragile.render("deux")
    assert fragile.starts == 1


# The child by itself.


VOICES = [
    ("espeak/af", ["af"]),
    ("sapi/zira", ["en-US"]),
    ("sapi/george", ["en-GB"]),
    ("apple/amelie", ["fr_CA"]),
    ("apple/thomas", ["fr_FR"]),
    ("apple/milena", ["ru_RU"]),
]
CHOICES = [
    (["fr-FR", "fr"], "apple/thomas"),
    (["fr"], "apple/amelie"),
    (["fr-BE"], "apple/amelie"),
    (["en", "en-GB"], "sapi/george"),
    (["EN_gb"], "sapi/george"),
    (["ru"], "apple/milena"),
    (["de", "de-DE"], None),
    ([], None),
]


@pytest.mark.parametrize(("languages", "expected"), CHOICES)
def test_a_systems_voice_is_chosen_by_language(languages: list[str], expected: str | None) -> None:
    """An exact tag first, then the same language of another country, else none."""
    assert synthesis_child.choose_voice(VOICES, languages) == expected


class LosingEngine:
    """An engine that needs several runs: it loses the voice, writes an empty file, then does its work."""

    def __init__(self, empty: bytes) -> None:
        self.finished = threading.Event()
        self.runs = 0
        self.properties: dict[str, object] = {}
        self.job = ("", "")
        self.empty = empty
        self.proxy = self

    def setBusy(self, busy: bool) -> None:
        """Settings are taken at once anyway."""

    def setProperty(self, name: str, value: object) -> None:
        """Takes a setting."""
        self.properties[name] = value

    def getProperty(self, name: str) -> object:
        """A setting, the voice wrong after the first run."""
        return "gmw/en" if name == "voice" and self.runs == 1 else self.properties[name]

    def save_to_file(self, text: str, file: str) -> None:
        """Takes the text."""
        self.job = (text, file)

    def runAndWait(self) -> None:
        """Writes the file."""
        self.runs += 1
        Path(self.job[1]).write_bytes(self.empty if self.runs == 2 else b"R" * 2000)
        self.finished.set()


def losing_speaker(engine: LosingEngine) -> synthesis_child.Speaker:
    """What runs in the process of the synthesiser, with this engine as espeak-ng."""
    speaker = synthesis_child.Speaker.__new__(synthesis_child.Speaker)
    vars(speaker).update(_engines={"espeak": engine}, _native=None, _finished=engine.finished)
    vars(speaker).update(_voices={"espeak": [("roa/fr", ["fr"])]})
    return speaker


@pytest.mark.parametrize(("empty", "runs"), [(b"R" * 44, 3), (b"R" * 500, 2)])
def test_lost_settings_and_empty_files_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty: bytes, runs: int
) -> None:
    """As pyttsx3's engines lose them now and then."""
    engine = LosingEngine(empty)
    speaker = losing_speaker(engine)
    monkeypatch.setattr(synthesis_child, "_espeak_parameter", lambda name: engine.properties[name.lower()])
    monkeypatch.setattr(synthesis_child, "_espeak_works", lambda: False)
    speaker.save("un", str(tmp_path / "speech.wav"), "roa/fr", [], 165, 50)
    assert engine.runs == runs


@pytest.mark.parametrize("lost", ["RATE", "PITCH"])
def test_what_cannot_be_said_at_its_rate_or_pitch_is_said_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """As espeak-ng rarely keeps another one however often it is told."""
    engine = LosingEngine(b"R" * 2000)
    engine.runs = 2
    speaker = losing_speaker(engine)
    used = {"RATE": 165, "PITCH": 50} | {lost: 1}
    monkeypatch.setattr(synthesis_child, "SETTING_SECONDS", 0.01)
    monkeypatch.setattr(synthesis_child, "_espeak_parameter", used.__getitem__)
    monkeypatch.setattr(synthesis_child, "_espeak_works", lambda: False)
    file = tmp_path / "speech.wav"
    speaker.save("un", str(file), "roa/fr", [], 165, 50)
    assert engine.runs == 3
    assert file.stat().st_size == 2000


def test_no_text_is_handed_over_before_its_settings_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """espeak-ng takes settings in a thread of its own, and a run cancels those it has not taken yet."""
    engine = LosingEngine(b"R" * 2000)
    engine.runs = 2
    speaker = losing_speaker(engine)
    asked: list[int] = []

    def taken(name: str) -> int:
        asked.append(engine.runs)
        return {"RATE": 165, "PITCH": 50}[name] if len(asked) > 10 else 1

    monkeypatch.setattr(synthesis_child, "TRIES", 1)
    monkeypatch.setattr(synthesis_child, "_espeak_parameter", taken)
    monkeypatch.setattr(synthesis_child, "_espeak_works", iter([True, False] * 50).__next__)
    speaker.save("un", str(tmp_path / "speech.wav"), "roa/fr", [], 165, 50)
    assert asked[10:] == [2, 2]


def test_nothing_an_engine_prints_gets_among_the_answers(tmp_path: Path) -> None:
    """pyttsx3 prints a line for each file; every line that comes out is an answer all the same."""
    request = {
        "text": "un",
        "file": str(tmp_path / "x.wav"),
        "espeak": "roa/fr",
        "languages": [],
        "rate": 165,
        "pitch": 50,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "mexvoice.speaking.synthesis_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        lines = [child.stdout.readline()]
        for _ in range(3):
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            lines.append(child.stdout.readline())
        child.stdin.close()
        lines += child.stdout.readlines()
    assert [json.loads(line) for line in lines] == [{"ready": True}, *[{"file": request["file"]}] * 3]


def test_a_systems_own_voice_comes_first() -> None:
    """Where a system has a voice for the language; else, and for variants, espeak-ng's is used."""
    speaker = synthesis_child.Speaker.__new__(synthesis_child.Speaker)
    known = {"nsss": VOICES[1:], "espeak": [("roa/fr", ["fr-fr"]), ("gmw/de", ["de"])]}
    vars(speaker).update(_engines={}, _voices=known, _native="nsss")
    assert speaker.find("roa/fr", ["fr-FR"]) == ("nsss", "apple/thomas")
    assert speaker.find("gmw/de", ["de-DE"]) == ("espeak", "gmw/de")
    assert speaker.find("roa/fr+f2", []) == ("espeak", "roa/fr+f2")


def test_a_voice_carries_its_rate() -> None:
    """The rate of a `Voice` counts unless another is given."""
    with Synthesiser(Voice("roa/fr", ("fr",), rate=120)) as synthesiser:
        slow = synthesiser.render(COUNTING).seconds
        synthesiser.voice = Voice("roa/fr", ("fr",), rate=240)
        assert slow > 1.6 * synthesiser.render(COUNTING).seconds
