"""The application that draws the screen: where its parts are, its keys, and the match beside it."""

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.theme import Theme
from textual.widget import Widget
from textual.widgets import Input

from mexvoice.showing import painting
from mexvoice.showing.display import Ear, View
from mexvoice.showing.keyboard import forgiving
from mexvoice.showing.lettering import without_controls
from mexvoice.showing.painting import Line

LEAVE_SECONDS = 5.0
"""How long the match may take to end after somebody left."""

LONGEST_LINE = 300
"""Letters of a typed line. No command has so many, and in a line of thousands each key would take seconds."""

LEVEL_SECONDS = 0.1
"""The level meter is drawn at most this often."""

LEVEL_FADES = 1.0
"""Seconds after which the last level is no longer true."""

_COLOURS = Theme(
    name="mexvoice",
    primary="ansi_blue",
    secondary="ansi_cyan",
    warning="ansi_magenta",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
)


@dataclass(slots=True)
class Scene:
    """What is to be seen now. Written by any thread, each field as a whole; drawn by the application."""

    labels: Mapping[str, str]
    view: View | None = None
    lines: Sequence[Line] = field(default_factory=list)
    """The conversation, oldest first."""
    news: int = 0
    """How many of its lines were not drawn yet."""
    ear: Ear = Ear.TYPED
    level: tuple[float, float] | None = None
    """The last level of the sound in dB below full scale, and the monotonic time it came."""

    def current_level(self) -> float | None:
        """The last level; None when there was none for a while."""
        if self.level is None or time.monotonic() - self.level[1] > LEVEL_FADES:
            return None
        return self.level[0]


class Pane(Widget):
    """A part of the screen that paints itself into whatever room it has."""

    def __init__(self, paint: Callable[[int, int], Text], id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self._paint = paint

    def render(self) -> Text:
        """The text for the room there is."""
        return self._paint(self.content_size.width, self.content_size.height)


class CommandLine(Input):
    """The line for typed commands. It tells of every key."""

    class Touched(Message):
        """A key was pressed."""

    class Talked(Message):
        """The key that opens the ears was pressed."""

    talks = False
    """Whether the space bar opens the ears while nothing is typed."""

    def replace(self, text: str, start: int, end: int) -> None:
        """Put a text that is typed or pasted in the place of another, without what would steer a terminal."""
        super().replace(without_controls(text), start, end)

    def on_key(self, event: events.Key) -> None:
        """Tell of the key; the line then takes it as usual, unless it was one to speak."""
        if self.talks and event.key == "space" and not self.value:
            event.prevent_default()
            self.post_message(self.Talked())
        else:
            self.post_message(self.Touched())


class TableApp(App[None]):
    """Draws a scene, and runs the match beside itself."""

    CSS_PATH = "screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", priority=True),
        Binding("ctrl+q", "leave", priority=True),
        Binding("up", "scroll_back(1)"),
        Binding("down", "scroll_back(-1)"),
        Binding("pageup", "scroll_back(8)"),
        Binding("pagedown", "scroll_back(-8)"),
    ]

    class Changed(Message):
        """The display has something new to draw."""

    class Finished(Message):
        """The match has ended."""

    def __init__(
        self,
        scene: Scene,
        on_line: Callable[[str], None],
        on_key: Callable[[], None],
        work: Callable[[], int],
        on_leave: Callable[[], None] | None,
        on_talk: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(ansi_color=True)
        self.driver_class = forgiving(self.driver_class, self._waiting)
        self.register_theme(_COLOURS)
        self.theme = _COLOURS.name
        self.status: int | None = None
        """What the match returned; None when it has not ended, or not well."""
        self.error: BaseException | None = None
        """What the match or a callback raised."""
        self.left = False
        """Whether somebody left before the match ended."""
        self.drawing = False
        """Whether there is something to draw on."""
        self._scene = scene
        self._on_line = on_line
        self._on_touch = on_key
        self._on_leave = on_leave
        self._on_talk = on_talk
        self._match = threading.Thread(target=self._play, args=(work,), name="match", daemon=True)
        # Elsewhere than on a Unix system keys must do.
        names = ("SIGINT", "SIGTERM", "SIGHUP") if os.name == "posix" else ()
        self._signals = {signal.Signals[name]: signal.getsignal(signal.Signals[name]) for name in names}
        """The signals that leave, and how they are handled before and after."""
        self._back = 0
        self._metered = -1
        self._drawn: View | None = None
        self._turn = Pane(self._paint_view(painting.turn), "turn", "left")
        self._board = Pane(self._paint_view(painting.board), "board", "right")
        self._sayings = Pane(self._paint_view(painting.sayings), "sayings", "left")
        self._conversation = Pane(self._paint_conversation, "conversation", "right")
        self._status = Pane(self._paint_status, "status")
        self._line = CommandLine(id="line", max_length=LONGEST_LINE)
        self._line.talks = on_talk is not None

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        with Horizontal(id="table", classes="row"):
            yield self._turn
            yield self._board
        with Horizontal(id="lower", classes="row"):
            yield self._sayings
            yield self._conversation
        yield self._status
        with Horizontal(id="entry"):
            yield Pane(lambda *_: Text("›", "bold"), "prompt")
            yield self._line

    def on_mount(self) -> None:
        """Start drawing, and the match."""
        self._line.cursor_blink = False
        self._line.focus()
        self._heed_signals(asyncio.get_running_loop())
        self.drawing = True
        self._draw()
        self.set_interval(LEVEL_SECONDS, self._draw_level)
        self._match.start()

    def _heed_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave at a signal.

        Not by `loop.add_signal_handler`: a signal is lost there while the pipe of the loop is full,
        and a few hundred keys fill it.
        """

        def leave(*_: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has been closed: it ends anyway
                loop.call_soon_threadsafe(self.action_leave)

        with contextlib.suppress(ValueError):  # only the main thread has signals to handle
            for number in self._signals:
                signal.signal(number, leave)

    def _give_signals_back(self) -> None:
        with contextlib.suppress(ValueError):
            for number, handler in self._signals.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _waiting(self) -> int:
        """How many messages are not obeyed yet, keys among them."""
        return self.message_queue_size + self._line.message_queue_size

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout for the size of the terminal."""
        cells, lines = event.size
        self.screen.set_class(cells >= 112 and lines >= 34, "large")
        self.screen.set_class(cells < 66, "narrow")
        self.screen.set_class(lines < 24, "flat")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Hand a typed line on."""
        line = event.value.strip()
        event.input.clear()
        self._back = 0
        if line:
            self._call(lambda: self._on_line(line))

    def on_command_line_touched(self) -> None:
        """A key was pressed."""
        self._call(self._on_touch)

    def on_command_line_talked(self) -> None:
        """The key that opens the ears was pressed."""
        if self._on_talk is not None:
            self._call(self._on_talk)

    def on_table_app_changed(self) -> None:
        """Draw what is new."""
        self._draw()

    def on_table_app_finished(self) -> None:
        """The match has ended: so does the screen."""
        self.exit()

    def action_leave(self) -> None:
        """Leave the match: it is told, and has a while to end; a second time it is not waited for."""
        if self.left or self._on_leave is None:
            self.left = True
            self.exit()
            return
        self.left = True
        self._call(self._on_touch)
        self._call(self._on_leave)
        self.set_timer(LEAVE_SECONDS, self.exit)

    def action_scroll_back(self, lines: int) -> None:
        """Look further up in the conversation, or (negative) come back down."""
        self._back = max(0, min(self._back + lines, self._lines_above()))
        self._conversation.refresh()

    def end_work(self) -> None:
        """After the screen has closed: let the match end, for a while."""
        self._give_signals_back()
        if self._match.ident is None:
            return
        if not self.left and self._match.is_alive() and self._on_leave is not None:
            self._on_leave()
        self._match.join(LEAVE_SECONDS if not self.left else 0.1)

    def _play(self, work: Callable[[], int]) -> None:
        try:
            self.status = work()
        except BaseException as error:
            self._fail(error)
        with contextlib.suppress(RuntimeError):
            self.post_message(self.Finished())

    def _call(self, callback: Callable[[], None]) -> None:
        """Call somebody else's code; a failure ends the screen and is raised when it has closed."""
        try:
            callback()
        except Exception as error:
            self._fail(error)
            self.exit()

    def _fail(self, error: BaseException) -> None:
        # The first failure is the cause of what follows.
        if self.error is None:
            self.error = error

    def _draw(self) -> None:
        scene = self._scene
        news, scene.news = scene.news, 0
        if scene.view is not self._drawn:
            self._drawn = scene.view
            for part in (self._turn, self._board, self._sayings):
                part.refresh()
        if self._back and news:
            # What somebody is reading stays where it is.
            self._back = min(self._back + self._rows(scene.lines[-news:]), self._lines_above())
        self._conversation.refresh()
        self._status.refresh()
        self._line.placeholder = painting.invitation(scene.ear, scene.labels)

    def _draw_level(self) -> None:
        metered = painting.steps(self._scene.current_level(), self._status.content_size.width)
        if metered != self._metered:
            self._metered = metered
            self._status.refresh()

    def _rows(self, lines: Sequence[Line]) -> int:
        cells = self._conversation.content_size.width
        return sum(len(painting.wrapped(line, self._scene.labels, cells)) for line in lines)

    def _lines_above(self) -> int:
        room = self._conversation.content_size.height - 1
        return max(0, self._rows(self._scene.lines) - room)

    def _paint_view(self, paint: Callable[[View, int, int], Text]) -> Callable[[int, int], Text]:
        def painted(cells: int, lines: int) -> Text:
            view = self._scene.view
            return Text() if view is None else paint(view, cells, lines)

        return painted

    def _paint_status(self, cells: int, _: int) -> Text:
        scene = self._scene
        return painting.status(scene.ear, scene.current_level(), scene.labels, cells)

    def _paint_conversation(self, cells: int, lines: int) -> Text:
        return painting.conversation(self._scene.lines, self._scene.labels, cells, lines, self._back)
