"""Saying sentences: their order, their record, cutting, and what happens when something fails."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.speaking.announcer import PATIENCE_SECONDS, TAIL_SECONDS, Announcer
from mexvoice.speaking.output import SpeakerLost
from mexvoice.speaking.synthesiser import NoVoice, Speech, Synthesiser, SynthesisFailed, Voice
from mexvoice.speaking.tape import Tape


class Record:
    """What the announcer told, with the moment and the thread."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.troubles: list[MexvoiceError | None] = []
        self.moments: list[float] = []
        self.threads: set[int] = set()

    def text(self, text: str) -> None:
        """Takes a sentence."""
        self.moments.append(time.monotonic())
        self.threads.add(threading.get_ident())
        self.texts.append(text)

    def trouble(self, error: MexvoiceError | None) -> None:
        """Takes trouble, or its end."""
        self.troubles.append(error)


class Clockwork:
    """A speaker without a device: each speech takes as long as it would."""

    def __init__(self) -> None:
        self.played: list[Speech] = []
        self.aborted = 0
        self.broken = False
        self.sounding_until = 0.0

    @property
    def playing(self) -> bool:
        """Whether the time is not over yet."""
        return time.monotonic() < self.sounding_until

    def play(self, speech: Speech) -> None:
        """Starts, unless broken."""
        if self.broken:
            raise SpeakerLost("gone")
        self.played.append(speech)
        self.sounding_until = time.monotonic() + speech.seconds

    def abort(self) -> None:
        """Is over."""
        self.aborted += 1
        self.sounding_until = min(self.sounding_until, time.monotonic())

    def wait(self, timeout: float) -> bool:
        """Waits."""
        time.sleep(max(0.0, min(timeout, self.sounding_until - time.monotonic())))
        return not self.playing

    def close(self) -> None:
        """Nothing to close."""


def nothing(_: str) -> None:
    """A behaviour: none."""


class Chorus(Synthesiser):
    """A synthesiser without an engine: 0.1 s of sound for each sentence, or whatever `behave` does."""

    def __init__(self, behave: Callable[[str], object] = nothing, seconds: float = 0.1) -> None:
        self.voice = Voice("roa/fr")
        self.behave = behave
        self.seconds = seconds
        self.asked: list[tuple[str, object]] = []

    def render(
        self, text: str, voice: str | Voice | None = None, rate: int | None = None, pitch: int | None = None
    ) -> Speech:
        """Silence, after `behave`."""
        del rate, pitch
        self.asked.append((text, voice))
        self.behave(text)
        return Speech(np.zeros(round(self.seconds * 22050), np.int16), 22050)


def fail(error: Exception) -> Callable[[str], None]:
    """A behaviour: raises this."""

    def behave(_: str) -> None:
        raise error

    return behave


@pytest.fixture
def record() -> Record:
    """An empty record."""
    return Record()


@pytest.fixture
def no_threads_left() -> Iterator[None]:
    """Fails the test if it leaves threads running."""
    before = set(threading.enumerate())
    yield
    limit = time.monotonic() + 3
    while set(threading.enumerate()) - before and time.monotonic() < limit:
        time.sleep(0.01)
    assert not set(threading.enumerate()) - before


pytestmark = pytest.mark.usefixtures("no_threads_left")

LINES = ["Anna : soixante-trois.", "Encore deux lancers.", "À Ben."]


def test_real_speech_in_order_on_a_tape(record: Record) -> None:
    """The real voices: the tape holds the sentences' own sounds, one after the other."""
    tape = Tape(pause=0)
    with Synthesiser("roa/fr") as synthesiser:
        alone = [synthesiser.render(line).seconds for line in LINES]
        with Announcer(synthesiser, tape, record.text, record.trouble) as announcer:
            for line in LINES:
                announcer.say(line)
            assert announcer.speaking
            assert announcer.wait(30)
            assert not announcer.speaking
    assert record.texts == LINES
    assert tape.seconds == pytest.approx(sum(alone), rel=0.02)
    assert record.troubles == []


def test_saying_returns_at_once_and_text_comes_when_its_sound_begins(record: Record) -> None:
    """The game never waits; a sentence is on screen when it is heard, not before."""
    speaker = Clockwork()
    with Announcer(Chorus(seconds=0.4), speaker, record.text) as announcer:
        started = time.monotonic()
        for line in LINES:
            announcer.say(line)
        assert time.monotonic() - started < 0.1
        time.sleep(0.2)
        assert record.texts == LINES[:1]
        assert announcer.wait(10)
    assert record.texts == LINES
    assert np.diff(record.moments) == pytest.approx([0.4, 0.4], abs=0.15)
    assert threading.get_ident() not in record.threads


@pytest.mark.parametrize("lacking", ["synthesiser", "output"])
def test_muted_it_only_writes(record: Record, lacking: str) -> None:
    """At once, in the caller's thread; nothing is to be deaf to."""
    synthesiser = None if lacking == "synthesiser" else Chorus()
    output = None if lacking == "output" else Clockwork()
    with Announcer(synthesiser, output, record.text) as announcer:
        for line in LINES:
            announcer.say(line, urgent=line == LINES[1])
            assert record.texts[-1] == line
        announcer.cut()
        assert announcer.muted
        assert not announcer.speaking
        assert announcer.wait(0)
        assert announcer.deaf_until == 0
    assert record.threads == {threading.get_ident()}


def test_a_cut_ends_the_sound_and_loses_no_word(record: Record) -> None:
    """What waited is written in order, and not spoken; the next sentence is."""
    speaker = Clockwork()
    with Announcer(Chorus(seconds=5), speaker, record.text) as announcer:
        for line in LINES:
            announcer.say(line)
        while not speaker.played:
            time.sleep(0.01)
        announcer.cut()
        assert not speaker.playing
        assert announcer.wait(1)
        assert record.texts == LINES
        announcer.say("Après.")
        while len(speaker.played) < 2:
            time.sleep(0.01)
        announcer.cut()
    assert record.texts == [*LINES, "Après."]
    assert len(speaker.played) == 2


def test_many_cuts_and_sentences_at_once(record: Record) -> None:
    """From several threads: each sentence is written exactly once, each thread's in its order."""
    speaker = Clockwork()
    with Announcer(Chorus(seconds=0.01), speaker, record.text) as announcer:

        def talk(name: int) -> None:
            for number in range(60):
                announcer.say(f"{name} {number}", urgent=False)
                if number % 7 == name:
                    announcer.cut()

        threads = [threading.Thread(target=talk, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert announcer.wait(30)
    assert sorted(record.texts) == sorted(f"{name} {number}" for name in range(4) for number in range(60))
    for name in range(4):
        own = [text for text in record.texts if text.startswith(f"{name} ")]
        assert own == [f"{name} {number}" for number in range(60)]


def test_what_is_urgent_overtakes_and_drops_nothing(record: Record) -> None:
    """It cuts what sounds, is said next, and what waited is said after it."""
    speaker = Clockwork()
    chorus = Chorus(seconds=0.3)
    with Announcer(chorus, speaker, record.text) as announcer:
        announcer.say("one")
        announcer.say("two")
        while not speaker.played:
            time.sleep(0.01)
        announcer.say("now", urgent=True)
        assert announcer.wait(10)
    assert record.texts == ["one", "now", "two"]
    assert [text for text, _ in chorus.asked] == ["one", "now", "two"]
    assert speaker.aborted >= 1


def test_a_sentence_keeps_the_voice_it_was_said_in(record: Record) -> None:
    """A change of language does not reach what waits already."""
    chorus = Chorus()
    with Announcer(chorus, Clockwork(), record.text) as announcer:
        announcer.say("bonjour")
        announcer.say("encore")
        chorus.voice = Voice("gmw/de")
        announcer.say("hallo")
        assert announcer.wait(10)
    assert [voice.espeak for _, voice in chorus.asked if isinstance(voice, Voice)] == ["roa/fr"] * 2 + [
        "gmw/de"
    ]


def test_deaf_from_the_first_sample_to_the_last_and_a_tail(record: Record) -> None:
    """Known while it sounds, and not earlier."""
    speaker = Clockwork()
    with Announcer(Chorus(seconds=0.5), speaker, record.text) as announcer:
        assert announcer.deaf_until == 0
        announcer.say("one")
        while not speaker.played:
            time.sleep(0.001)
        assert announcer.deaf_until - time.monotonic() == pytest.approx(0.5 + TAIL_SECONDS, abs=0.1)
        announcer.cut()
        assert announcer.deaf_until - time.monotonic() == pytest.approx(TAIL_SECONDS, abs=0.1)


# What fails.


def test_a_hanging_synthesiser_holds_up_nothing(record: Record) -> None:
    """Texts appear all the same, those that wait after a second; cutting and closing work meanwhile."""
    release = threading.Event()
    with Announcer(Chorus(lambda _: release.wait(20)), Clockwork(), record.text) as announcer:
        started = time.monotonic()
        announcer.say("one")
        announcer.say("two")
        assert time.monotonic() - started < 0.1
        while len(record.texts) < 2 and time.monotonic() - started < 10:
            time.sleep(0.01)
        assert PATIENCE_SECONDS <= record.moments[1] - started < PATIENCE_SECONDS + 1
        announcer.say("three")
        time.sleep(0.3)
        assert record.texts == ["one", "two", "three"]
        before = time.monotonic()
        announcer.cut()
        assert time.monotonic() - before < 0.3
        assert announcer.wait(1)
        release.set()
    assert record.texts == ["one", "two", "three"]


def test_a_real_child_that_hangs_costs_one_limit(record: Record) -> None:
    """Stopped while a sentence is under way: text at once, sound a little later, no trouble told."""
    tape = Tape()
    with (
        Synthesiser("roa/fr") as synthesiser,
        Announcer(synthesiser, tape, record.text, record.trouble) as announcer,
    ):
        announcer.say(LINES[0])
        assert announcer.wait(30)
        assert synthesiser.child_pid is not None
        os.kill(synthesiser.child_pid, signal.SIGSTOP)
        started = time.monotonic()
        announcer.say(LINES[1])
        assert announcer.wait(30)
        assert record.moments[1] - started < 0.5
        assert synthesiser.starts == 2
    assert tape.seconds > 2
    assert record.troubles == []


def test_trouble_is_told_once_and_its_end_too(record: Record) -> None:
    """Not before every sentence."""
    speaker = Clockwork()
    with Announcer(Chorus(seconds=0.01), speaker, record.text, record.trouble) as announcer:
        for broken in (False, True, True, False, False, True):
            speaker.broken = broken
            announcer.say("one")
            assert announcer.wait(10)
    assert [error and str(error) for error in record.troubles] == ["gone", None, "gone"]
    assert record.texts == ["one"] * 6


def test_a_failing_synthesiser_is_left_alone_for_a_while(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that not every sentence takes the time of two tries; then it is tried again."""
    monkeypatch.setattr("mexvoice.speaking.announcer.RETRY_SECONDS", 0.5)
    chorus = Chorus(fail(SynthesisFailed("broken")), seconds=0.01)
    with Announcer(chorus, Clockwork(), record.text, record.trouble) as announcer:
        for _ in range(5):
            announcer.say("one")
        assert announcer.wait(10)
        assert len(chorus.asked) == 1
        chorus.behave = nothing
        time.sleep(0.6)
        announcer.say("two")
        assert announcer.wait(10)
    assert len(chorus.asked) == 2
    assert [type(error) for error in record.troubles] == [SynthesisFailed, type(None)]
    assert record.texts == ["one"] * 5 + ["two"]


def test_a_language_without_a_voice_is_written_and_another_spoken(record: Record) -> None:
    """With the real engine: one sentence says so, and the next language is spoken at once."""
    tape = Tape()
    with (
        Synthesiser("xx/none") as synthesiser,
        Announcer(synthesiser, tape, record.text, record.trouble) as announcer,
    ):
        announcer.say("not spoken")
        synthesiser.voice = Voice("gmw/de")
        announcer.say("Anna ist dran.")
        assert announcer.wait(30)
    assert record.texts == ["not spoken", "Anna ist dran."]
    assert [type(error) for error in record.troubles] == [NoVoice, type(None)]
    assert 0.5 < tape.seconds < 3


@pytest.mark.parametrize("where", ["synthesiser", "display"])
def test_a_fault_anywhere_does_not_end_the_announcements(record: Record, where: str) -> None:
    """Whatever a driver or a display may raise."""
    chorus = Chorus(seconds=0.01)

    def write(text: str) -> None:
        record.text(text)
        if where == "display" and text == "one":
            raise ValueError("display")

    with Announcer(chorus, Clockwork(), write, record.trouble) as announcer:
        if where == "synthesiser":
            chorus.behave = fail(ValueError("engine"))
        announcer.say("one")
        assert announcer.wait(10)
        chorus.behave = nothing
        announcer.say("two")
        assert announcer.wait(10)
        assert not announcer.speaking
    assert record.texts == ["one", "two"]


def test_a_display_that_waits_for_the_one_who_cuts_is_no_deadlock(record: Record) -> None:
    """As a screen does whose thread draws what is said and takes the key that cuts."""
    screen = threading.Lock()

    def write(text: str) -> None:
        with screen:
            record.text(text)

    with Announcer(Chorus(seconds=1), Clockwork(), write) as announcer:
        with screen:
            for line in LINES:
                announcer.say(line)
            time.sleep(0.2)
            started = time.monotonic()
            announcer.cut()
            announcer.say("Après.")
            assert time.monotonic() - started < 0.4
        announcer.cut()
        assert announcer.wait(5)
    assert record.texts == [*LINES, "Après."]


def test_after_closing_it_still_writes(record: Record) -> None:
    """The goodbye is never lost; closing twice does no harm."""
    announcer = Announcer(Chorus(seconds=3), Clockwork(), record.text)
    for line in LINES:
        announcer.say(line)
    announcer.close()
    announcer.close()
    announcer.say("late")
    announcer.cut()
    assert record.texts == [*LINES, "late"]
