"""The display without a screen, and which display is chosen where."""

import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.showing.display import Ear, Verdict
from mexvoice.showing.plain import Plain, choose_display
from mexvoice.showing.screen import Screen
from tests.showing.views import LABELS, seat, view

ROOT = Path(__file__).parents[2]


def plain(lines: io.TextIOBase | None = None, typed: bool = False) -> tuple[Plain, io.StringIO]:
    """A display that writes to memory."""
    out = io.StringIO()
    return Plain(out, lines, LABELS, typed), out  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "end"),
    [
        (Verdict.OBEYED, "(understood)"),
        (Verdict.NOT_OPEN, "(not now)"),
        (Verdict.AMBIGUOUS, "(which one)"),
        (Verdict.NOT_UNDERSTOOD, "(what was that)"),
        (Verdict.IGNORED, "(table talk)"),
    ],
)
def test_each_line_begins_with_what_it_is(verdict: Verdict, end: str) -> None:
    display, out = plain()
    display.said("Anna: sixty-three.")
    display.heard("throw", verdict)
    display.notice("The microphone is gone.")
    display.level(-20)
    assert out.getvalue().splitlines() == [
        "» Anna: sixty-three.",
        f"« throw {end}",
        "! The microphone is gone.",
    ]


def test_a_verdict_without_a_label_is_still_told() -> None:
    out = io.StringIO()
    Plain(out).heard("throw", Verdict.NOT_OPEN)
    assert out.getvalue() == "« throw (not open)\n"


def test_the_score_is_written_when_it_changes() -> None:
    display, out = plain()
    display.show(view())
    display.show(view(dice=(1, 1)))
    display.show(view(seat("Anna", 12, 4), seat("Ben", 4, -3), seat("Cleo", 0, -1)))
    assert out.getvalue().splitlines() == [
        "# Anna 12 ♥ 3 | Ben 5 ♥ -2 | Cleo ✗ -1",
        "# Anna 12 ♥ 4 | Ben 4 ♥ -3 | Cleo ✗ -1",
    ]


def test_what_can_be_typed_is_written_when_nothing_listens() -> None:
    display, out = plain()
    display.show(view(can_say=("throw", "help")))
    display.ear(Ear.TYPED)
    display.show(view(can_say=("throw", "help")))
    display.show(view(can_say=("throw", "help")))
    display.show(view(can_say=("throw", "stop", "help")))
    display.ear(Ear.LISTENING)
    display.show(view(can_say=("throw", "abort")))
    assert out.getvalue().splitlines()[1:] == ["? throw | help", "? throw | stop | help"]


def test_whether_the_key_has_opened_the_ears_is_written_once_each_time() -> None:
    display, out = plain()
    for ear in (Ear.LISTENING, Ear.KEY, Ear.SPEAKING, Ear.KEY, Ear.LISTENING, Ear.SPEAKING, Ear.KEY):
        display.ear(ear)
    assert out.getvalue().splitlines() == ["~ Enter, then speak", "~ Listening", "~ Enter, then speak"]


def test_an_empty_line_is_the_key_that_opens_the_ears() -> None:
    match = Match()
    display, _ = plain(io.StringIO("\nthrow\n  \n"), typed=True)
    display.run(match.line, match.key, match.work, match.leave, lambda: match.told.append("talk"))
    assert match.told == ["talk", "cut", "throw", "talk", "left"]


def test_nothing_steers_the_terminal() -> None:
    display, out = plain()
    display.said("a\x1b[2Jb\rc\nd\x9bm\u202ee")
    display.heard("\x07", Verdict.IGNORED)
    display.show(view(seat("[red]\x1b]0;x\x07", turn=True)))
    assert out.getvalue().splitlines() == [
        "» a␛[2Jb c d�me",
        "« ␇ (table talk)",
        "# [red]␛]0;x␇ 12 ♥ 0",
    ]


class Match:
    """A match that obeys what is typed until it is left."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.ended = threading.Event()

    def line(self, line: str) -> None:
        """Take a typed line."""
        self.told.append(line)

    def key(self) -> None:
        """Be cut."""
        self.told.append("cut")

    def leave(self) -> None:
        """Be left."""
        self.told.append("left")
        self.ended.set()

    def work(self) -> int:
        """Last until left, 0; or for a second, 7."""
        return 0 if self.ended.wait(1) else 7

    def play(self, display: Plain) -> int:
        """Run it on ``display``."""
        return display.run(self.line, self.key, self.work, self.leave)


def test_the_end_of_the_input_ends_a_typed_match_after_its_lines() -> None:
    match = Match()
    display, _ = plain(io.StringIO("throw\n\n  stop \nquit"), typed=True)
    assert match.play(display) == 0
    assert match.told == ["cut", "throw", "cut", "cut", "stop", "cut", "quit", "left"]


def test_the_end_of_the_input_does_not_end_a_match_that_listens() -> None:
    match = Match()
    display, _ = plain(io.StringIO("throw\n"))
    display.ear(Ear.LISTENING)
    # A microphone that is lost for a moment does not end it either.
    threading.Timer(0.3, display.ear, [Ear.TYPED]).start()
    assert match.play(display) == 7
    assert match.told == ["cut", "throw"]


def test_the_end_of_the_input_ends_a_match_without_a_microphone() -> None:
    match = Match()
    display, _ = plain(io.StringIO("throw\n"))
    threading.Timer(0.3, display.ear, [Ear.TYPED]).start()
    assert match.play(display) == 0
    assert match.told == ["cut", "throw", "left"]


def test_without_input_the_match_runs_to_its_end() -> None:
    match = Match()
    display, _ = plain()
    assert match.play(display) == 7
    assert match.told == []


def test_what_the_match_raises_is_raised_again() -> None:
    def work() -> int:
        raise MexvoiceError("The model is broken: get another.")

    display, _ = plain()
    with pytest.raises(MexvoiceError, match="The model is broken"):
        display.run(print, print, work)


def test_what_a_callback_raises_is_raised_again() -> None:
    def bad(line: str) -> None:
        raise MexvoiceError(f"{line} is bad.")

    match = Match()
    display, _ = plain(io.StringIO("x\n"))
    with pytest.raises(MexvoiceError, match="x is bad"):
        display.run(bad, match.key, match.work, match.leave)


@pytest.mark.parametrize(
    ("encoding", "text", "written"),
    [
        ("ascii", "бросай", "utf-8"),
        ("latin-1", "бросай", "utf-8"),
        ("cp1251", "бросай", "cp1251"),
        ("utf-8", "бросай", "utf-8"),
    ],
)
def test_every_output_can_take_every_language(encoding: str, text: str, written: str) -> None:
    raw = io.BytesIO()
    display = Plain(io.TextIOWrapper(raw, encoding=encoding), labels={"turn": "ходит"})
    display.said(text)
    display.said("한")
    lines = raw.getvalue().decode(written).splitlines()
    assert lines == [f"» {text}", "» 한" if written == "utf-8" else "» ?"]


def test_an_encoding_that_fits_the_language_is_kept() -> None:
    raw = io.BytesIO()
    display = Plain(io.TextIOWrapper(raw, encoding="latin-1"), labels={"throws_left": "Würfe übrig"})
    display.said("Würfe")
    display.said("Дима")
    assert raw.getvalue().decode("latin-1").splitlines() == ["» Würfe", "» ????"]


DRIVER = """
    import queue, sys, time
    from mexvoice.showing.plain import choose_display
    from tests.showing.views import LABELS

    display = choose_display(LABELS)
    lines = queue.SimpleQueue()

    def work():
        display.said("Good evening.")
        for number in range(10000):
            try:
                line = lines.get(timeout=0.02)
            except queue.Empty:
                line = ""
            if line is None:
                display.said("Left.")
                return 5
            if line == "end":
                return 4
            display.said(line or f"sentence {number}.")
        return 9

    sys.exit(display.run(lines.put, lambda: None, work, lambda: lines.put(None)))
"""


def driver() -> subprocess.Popen[bytes]:
    """The driver as a program of its own, between pipes."""
    pipe = subprocess.PIPE
    # A program started in the background ignores interrupts, and so would its children.
    hear = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code = hear + textwrap.dedent(DRIVER)
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)


def test_a_program_ends_quietly_while_its_input_stays_open() -> None:
    with driver() as program:
        assert program.stdin and program.stdout and program.stderr
        program.stdin.write("grüße\nend\n".encode())
        program.stdin.flush()
        out = program.stdout.read().decode()
        assert program.wait(20) == 4
        assert program.stderr.read() == b""
    assert "» grüße" in out.splitlines()


def test_a_reader_that_goes_away_ends_the_match_quietly() -> None:
    with driver() as program:
        assert program.stdout and program.stderr
        assert program.stdout.readline().decode() == "» Good evening.\n"
        program.stdout.close()
        started = time.monotonic()
        assert program.wait(20) == 5
        assert time.monotonic() - started < 5
        assert program.stderr.read() == b""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_an_interrupt_leaves_the_match() -> None:
    with driver() as program:
        assert program.stdout and program.stderr
        assert program.stdout.readline().decode() == "» Good evening.\n"
        program.send_signal(signal.SIGINT)
        out = program.stdout.read().decode()
        assert program.wait(20) == 0
        assert program.stderr.read() == b""
    assert out.splitlines()[-1] == "» Left."


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


@pytest.mark.parametrize(
    ("terminals", "term", "wanted", "expected"),
    [
        (("stdin", "stdout", "stderr"), "xterm-256color", False, Screen),
        (("stdin", "stdout", "stderr"), "xterm-256color", True, Plain),
        (("stdin", "stdout", "stderr"), "dumb", False, Plain),
        (("stdin", "stdout", "stderr"), None, False, Plain),
        (("stdout", "stderr"), "xterm-256color", False, Plain),
        (("stdin", "stderr"), "xterm-256color", False, Plain),
        (("stdin", "stdout"), "xterm-256color", False, Plain),
        ((), "xterm-256color", False, Plain),
    ],
)
def test_the_screen_is_for_a_whole_terminal(
    monkeypatch: pytest.MonkeyPatch,
    terminals: tuple[str, ...],
    term: str | None,
    wanted: bool,
    expected: type,
) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, Terminal() if name in terminals else io.StringIO())
    if term is None:
        monkeypatch.delenv("TERM", raising=False)
    else:
        monkeypatch.setenv("TERM", term)
    assert type(choose_display(LABELS, plain=wanted)) is expected


def test_a_program_without_any_stream_has_a_plain_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert type(choose_display(LABELS)) is Plain
