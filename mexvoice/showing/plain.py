"""The display without a screen: line after line, for a pipe, a log, a simple terminal or a screen reader."""

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import TextIO

from mexvoice.showing.display import Display, Ear, Seat, Verdict, View
from mexvoice.showing.lettering import visible
from mexvoice.showing.painting import Line, Mark, verdict_label

LEAVE_SECONDS = 5.0
"""How long the match may take to end after Ctrl-C."""

SAYINGS = 6
"""How many of the phrases that are open are written."""


class Plain:
    """Writes what happens, each line at once, and reads typed lines.

    Each line begins with what it is:

    - ``» text``: the assistant says it
    - ``« text (verdict)``: this was heard or typed, and what became of it
    - ``! text``: about the program itself
    - ``# Anna 12 ♥ 3 | Ben 9 ♥ -1 | Cleo ✗ 2``: lives and points of each player, when they changed
    - ``? throw | stop | abort``: what can be typed now, when it changed and nothing listens
    - ``~ Listening``: the ears are open, or wait for the key, where a key opens them

    The end of the input ends a match that is only typed, after the lines read before.

    Args:
        out: where to write; made able to write every language.
        lines: where typed lines come from; None reads nothing.
        labels: the ``labels`` of the locale, until the first view brings them.
        typed: whether there is no other source than ``lines`` (``ear`` tells it too).
    """

    def __init__(
        self,
        out: TextIO,
        lines: TextIO | None = None,
        labels: Mapping[str, str] | None = None,
        typed: bool = False,
    ) -> None:
        self._out = _able(out, labels or {})
        self._lines = lines
        self._labels: Mapping[str, str] = dict(labels or {})
        self._lock = threading.RLock()
        self._typed = typed
        self._listened = False
        self._told: Ear | None = None
        self._read_all = threading.Event()
        self._broken = False
        self._leaving = False
        self._on_leave: Callable[[], None] | None = None
        self._score = ""
        self._sayings: tuple[str, ...] = ()
        self._error: BaseException | None = None
        self._status: int | None = None
        self._ended = threading.Event()

    talk_hint = "press_enter"

    def show(self, view: View) -> None:
        """Write the score, and what can be typed, if they changed."""
        with self._lock:
            self._labels = view.labels
            score = score_line(view)
            if score != self._score:
                self._score = score
                self.line(score)
            sayings = view.can_say[:SAYINGS]
            if self._typed and sayings and sayings != self._sayings:
                self._sayings = sayings
                self.line("? " + " | ".join(map(visible, sayings)))

    def said(self, text: str) -> None:
        """Write what the assistant says."""
        self.write(Line(Mark.SAID, text))

    def heard(self, text: str, verdict: Verdict) -> None:
        """Write what was heard or typed, and what became of it."""
        self.write(Line(Mark.HEARD, text, verdict))

    def notice(self, text: str) -> None:
        """Write something about the program itself."""
        self.write(Line(Mark.NOTICE, text))

    def level(self, dbfs: float) -> None:
        """Nothing: a level is nothing to read."""

    def ear(self, ear: Ear) -> None:
        """Remember whether anything but typed lines can come."""
        if ear is Ear.KEY or (ear is Ear.LISTENING and self._told is Ear.KEY):
            self._tell_ear(ear)
        if ear in (Ear.LISTENING, Ear.KEY, Ear.CALL):
            self._listened = True
            self._typed = False
        elif ear is Ear.TYPED and not self._listened:
            # A microphone that was lost may come back; one that never was there does not.
            self._typed = True
        self._leave_after_input()

    def _tell_ear(self, ear: Ear) -> None:
        """Write whether the ears are open or wait for the key, when that has changed."""
        if ear is not self._told:
            self._told = ear
            label = self.talk_hint if ear is Ear.KEY else ear.value
            self.line("~ " + visible(self._labels.get(label, label)))

    def write(self, line: Line) -> None:
        """Write one line of the conversation."""
        verdict = "" if line.verdict is None else f" ({verdict_label(line.verdict, self._labels)})"
        self.line(f"{line.mark.value} {visible(line.text)}{verdict}")

    def line(self, text: str) -> None:
        """Write one line as it is. A reader that went away ends the match quietly."""
        with self._lock:
            if self._broken:
                return
            try:
                self._out.write(text + "\n")
                self._out.flush()
            except (OSError, ValueError):
                self._broken = True
                _forget(self._out)
        if self._broken:
            self._leave()

    def run(
        self,
        on_line: Callable[[str], None],
        on_key: Callable[[], None],
        work: Callable[[], int],
        on_leave: Callable[[], None] | None = None,
        on_talk: Callable[[], None] | None = None,
    ) -> int:
        """Run ``work`` in a thread of its own until it ends (see ``Display.run``)."""
        self._on_leave = on_leave
        interrupted = False
        try:
            threading.Thread(target=self._play, args=(work,), name="match", daemon=True).start()
            if self._lines is not None:
                threading.Thread(
                    target=self._read,
                    args=(self._lines, on_line, on_key, on_talk or on_key),
                    name="keyboard",
                    daemon=True,
                ).start()
            else:
                self._read_all.set()
                self._leave_after_input()
            self._wait(math.inf)
        except KeyboardInterrupt:
            interrupted = True
            with contextlib.suppress(KeyboardInterrupt):
                on_key()
                self._leave()
                self._wait(LEAVE_SECONDS if on_leave is not None else 0)
        if self._error is not None:
            raise self._error
        return 0 if interrupted or self._status is None else self._status

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        # In short pieces: on Windows a Ctrl-C does not end a wait.
        while not self._ended.wait(min(0.2, max(0.0, end - time.monotonic()))) and time.monotonic() < end:
            pass

    def _play(self, work: Callable[[], int]) -> None:
        try:
            self._status = work()
        except BaseException as error:
            self._fail(error)
        self._ended.set()

    def _read(
        self,
        lines: TextIO,
        on_line: Callable[[str], None],
        on_key: Callable[[], None],
        on_empty: Callable[[], None],
    ) -> None:
        try:
            # An input that goes away, or is not text, has ended.
            with contextlib.suppress(OSError, UnicodeError):
                while line := lines.readline():
                    if not line.strip():
                        on_empty()
                        continue
                    on_key()
                    on_line(line.strip())
        except BaseException as error:
            self._fail(error)
        self._read_all.set()
        self._leave_after_input()

    def _leave_after_input(self) -> None:
        if self._typed and self._read_all.is_set():
            self._leave()

    def _leave(self) -> None:
        with self._lock:
            if self._leaving:
                return
            self._leaving = True
        if self._on_leave is None:
            self._ended.set()
            return
        try:
            self._on_leave()
        except BaseException as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        # The first failure is the cause of what follows.
        self._error = self._error or error
        self._ended.set()


def score_line(view: View) -> str:
    """Lives and points of all players in one line."""
    return "# " + " | ".join(map(_score, view.seats))


def _score(seat: Seat) -> str:
    lives = "✗" if seat.out else f"{seat.lives} ♥"
    return f"{visible(seat.name)} {lives} {seat.points}"


def choose_display(
    labels: Mapping[str, str], plain: bool = False, typed: bool = False, read: bool = True
) -> Display:
    """The display for where the program runs: a ``Screen`` on a terminal, else ``Plain``.

    Args:
        labels: the ``labels`` of the locale.
        plain: whether ``Plain`` is wanted anywhere.
        typed: whether the match is only typed.
        read: whether ``Plain`` reads the standard input.
    """
    if not plain and _has_screen():
        # It takes a third of a second to load, which who has no terminal need not wait for.
        from mexvoice.showing.screen import Screen

        return Screen(labels)
    return Plain(sys.stdout, _typed_lines() if read else None, labels, typed)


def _typed_lines() -> TextIO | None:
    """The standard input by a stream of its own; None where there is none.

    The end of the program waits for the lock of ``sys.stdin``, which a thread that still reads it holds.
    """
    try:
        source = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    return open(source, encoding=sys.stdin.encoding, errors="replace", closefd=False)


def _has_screen() -> bool:
    """Whether a whole terminal is there: to read keys from, and to draw on (by the standard error)."""
    # The standard streams are None in a program without a console.
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if not all(stream is not None and stream.isatty() for stream in streams):
        return False
    return os.name != "posix" or os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")


def _able(out: TextIO, labels: Mapping[str, str]) -> TextIO:
    """``out``, able to write the language of ``labels`` (else as UTF-8) and never failing at a letter."""
    reconfigure = getattr(out, "reconfigure", None)
    if reconfigure is not None:
        try:
            ("»«" + "".join(labels.values())).encode(out.encoding)
            reconfigure(errors="replace")
        except (UnicodeEncodeError, LookupError):
            reconfigure(encoding="utf-8", errors="replace")
    return out


def _forget(out: TextIO) -> None:
    """Let nothing more go to ``out``, so that not even the end of the program complains about it."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, out.fileno())
        os.close(nowhere)
