"""The display on the whole terminal, and what it leaves there when it has closed."""

import contextlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import TextIO

from mexvoice.errors import MexvoiceError
from mexvoice.showing import painting
from mexvoice.showing.application import Scene, TableApp
from mexvoice.showing.display import Ear, Verdict, View
from mexvoice.showing.painting import Line, Mark
from mexvoice.showing.plain import Plain

KEPT_LINES = 500
"""How many lines of the conversation can be scrolled back to."""

LAST_LINES = 12
"""How many of them stay on the terminal when the screen has closed."""


class Screen:
    """A display on the whole terminal.

    Args:
        labels: the ``labels`` of the locale, until the first view brings them.
        out: where the last lines and the final scoreboard go when the screen has closed; by default
            the standard output.
    """

    talk_hint = "press_space"

    def __init__(self, labels: Mapping[str, str], out: TextIO | None = None) -> None:
        self._lock = threading.Lock()
        self._scene = Scene(dict(labels))
        self._app: TableApp | None = None
        self._out = out
        self._closed = False

    def show(self, view: View) -> None:
        """Draw the table as it is now."""
        self._scene.view = view
        self._scene.labels = view.labels
        self._changed()

    def said(self, text: str) -> None:
        """Add what the assistant says to the conversation."""
        self._add(Line(Mark.SAID, text))

    def heard(self, text: str, verdict: Verdict) -> None:
        """Add what was heard or typed to the conversation, and what became of it."""
        self._add(Line(Mark.HEARD, text, verdict))

    def notice(self, text: str) -> None:
        """Add something about the program itself to the conversation."""
        line = Line(Mark.NOTICE, text)
        self._add(line)
        if self._closed:
            # The screen is gone, and its last lines are printed: this one comes after them.
            self._printer().write(line)

    def level(self, dbfs: float) -> None:
        """Show the loudness of the last block of sound, in dB below full scale."""
        # Only kept: the application looks at it LEVEL_SECONDS later at the latest.
        self._scene.level = (dbfs, time.monotonic())

    def ear(self, ear: Ear) -> None:
        """Show whether the assistant listens, speaks or is paused."""
        self._scene.ear = ear
        self._changed()

    def run(
        self,
        on_line: Callable[[str], None],
        on_key: Callable[[], None],
        work: Callable[[], int],
        on_leave: Callable[[], None] | None = None,
        on_talk: Callable[[], None] | None = None,
    ) -> int:
        """Show the screen while ``work`` runs in a thread of its own (see ``Display.run``)."""
        app = self.application(on_line, on_key, work, on_leave, on_talk)
        with _own_terminal() as noise:
            # Without the mouse the terminal's own selecting and copying go on working.
            app.run(mouse=False)
        if app.return_code or not isinstance(app.error, MexvoiceError | None):
            sys.stderr.write(noise.getvalue())
        return self.close(app)

    def application(
        self,
        on_line: Callable[[str], None],
        on_key: Callable[[], None],
        work: Callable[[], int],
        on_leave: Callable[[], None] | None = None,
        on_talk: Callable[[], None] | None = None,
    ) -> TableApp:
        """The application that draws this display, not yet running."""
        self._app = TableApp(self._scene, on_line, on_key, work, on_leave, on_talk)
        return self._app

    def close(self, app: TableApp) -> int:
        """After ``app`` has ended: print what should stay to be read, and give the exit status.

        Raises:
            BaseException: what the match or a callback raised.
        """
        self._app = None
        app.end_work()
        self._print_last()
        if app.error is not None:
            raise app.error
        if app.left:
            return 0
        return app.status if app.status is not None else app.return_code or 1

    def _printer(self) -> Plain:
        return Plain(self._out if self._out is not None else sys.stdout, labels=self._scene.labels)

    def _print_last(self) -> None:
        self._closed = True
        plain = self._printer()
        for line in self._scene.lines[-LAST_LINES:]:
            plain.write(line)
        view = self._scene.view
        if view is not None and view.seats:
            rows = painting.board(view, 78, len(view.seats) + 2)
            for row in rows.plain.split("\n"):
                plain.line(row.rstrip())

    def _add(self, line: Line) -> None:
        with self._lock:
            # A new list each time: the screen may be painting the old one.
            self._scene.lines = [*self._scene.lines, line][-KEPT_LINES:]
            self._scene.news += 1
        self._changed()

    def _changed(self) -> None:
        app = self._app
        if app is not None and app.drawing:
            # The loop may close at any moment; then there is nothing to draw on any more.
            with contextlib.suppress(RuntimeError):
                app.post_message(TableApp.Changed())


@contextlib.contextmanager
def _own_terminal() -> Iterator[StringIO]:
    """Give the screen the terminal for itself, while libraries write to the standard error.

    Sound libraries (ALSA, JACK) write there whatever they dislike about a machine, right across the
    screen. The screen gets a file of its own for the terminal. What the libraries write goes aside,
    and is in the value of this context when it has ended.
    """
    noise = StringIO()
    error = sys.__stderr__
    if os.name != "posix" or error is None:
        yield noise
        return
    error.flush()
    # The standard error may have been hushed already: then descriptor 2 is not the terminal any more.
    drawn_on = os.dup(error.fileno())
    kept = os.dup(2)
    with tempfile.TemporaryFile() as aside, os.fdopen(drawn_on, "w", encoding="utf-8") as terminal:
        os.dup2(aside.fileno(), 2)
        setattr(sys, "__stderr__", terminal)  # noqa: B010 - typed as final, but the screen draws on what it names
        try:
            yield noise
        finally:
            setattr(sys, "__stderr__", error)  # noqa: B010
            terminal.flush()
            error.flush()
            os.dup2(kept, 2)
            os.close(kept)
            aside.seek(0)
            noise.write(aside.read().decode("utf-8", "replace"))
