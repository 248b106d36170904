"""What the people at the table see: the snapshot a display draws, and what every display can do."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Verdict(StrEnum):
    """What became of something that was heard or typed."""

    OBEYED = "understood"
    NOT_OPEN = "not_open"
    AMBIGUOUS = "ambiguous"
    NOT_UNDERSTOOD = "not_understood"
    IGNORED = "ignored"


class Ear(StrEnum):
    """What the assistant is doing with its ears."""

    LISTENING = "listening"
    SPEAKING = "speaking"
    """Deaf, since it speaks itself."""
    PAUSED = "paused"
    KEY = "press_space"
    """Waits for the key that opens the ears."""
    CALL = "call_first"
    """Waits for a call word."""
    TYPED = "type_here"
    """No microphone: it reads typed commands."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One line of the scoreboard."""

    name: str
    lives: int
    points: int
    out: bool
    on_turn: bool
    throws: tuple[str, ...]
    """The values thrown in this round, as they are said ("63", "Mex"); the last one counts."""


@dataclass(frozen=True, slots=True)
class View:
    """Everything a display draws, as it is now. Texts are in the language of the match."""

    labels: dict[str, str]
    """The `labels` of the locale."""
    round_number: int
    stake: int
    """Lives the loser of this round will lose."""
    turn: str | None
    """Who is to act; None when the match is over."""
    dice: tuple[int, int] | None
    """The dice on the table, None before the first throw of a turn."""
    throws_left: int
    seats: tuple[Seat, ...]
    can_say: tuple[str, ...]
    """One phrase for each command that is open, the most important first."""
    winner: str | None
    full_lives: int = 0
    """Lives each player started with, the full length of a bar of lives; 0 = not known."""


class Display(Protocol):
    """Where everything is shown. Any thread may call any of these."""

    def show(self, view: View) -> None:
        """Draw the table as it is now."""

    def said(self, text: str) -> None:
        """Write what the assistant says, as it says it."""

    def heard(self, text: str, verdict: Verdict) -> None:
        """Write what was heard or typed, and what became of it."""

    def notice(self, text: str) -> None:
        """Write something about the program itself (a lost microphone, a fallback)."""

    def level(self, dbfs: float) -> None:
        """Show the loudness of the last block of sound, in dB below full scale (0 is the loudest)."""

    def ear(self, ear: Ear) -> None:
        """Show whether the assistant listens, speaks or is paused."""

    talk_hint: str
    """Which label of the locale says what to press before one speaks."""

    def run(
        self,
        on_line: Callable[[str], None],
        on_key: Callable[[], None],
        work: Callable[[], int],
        on_leave: Callable[[], None] | None = None,
        on_talk: Callable[[], None] | None = None,
    ) -> int:
        """Run ``work`` (the match) in a thread of its own until it ends; return its exit status.

        Each typed line goes to ``on_line``, in the order typed; every key pressed (a display without
        keys: every line) to ``on_key``, which cuts the announcer. Leaving the display (Ctrl-C, Ctrl-Q,
        the end of typed input) calls ``on_leave`` once, after the lines typed before; ``work`` is then
        to end soon. The status of a match that was left with Ctrl-C or Ctrl-Q is 0.

        With ``on_talk`` one key opens the ears: it is told of that key (also when it is held and repeats
        itself), and ``on_key`` of all others. On a screen this is the space bar while nothing is typed,
        else an empty line.

        The callbacks are called from the display's own thread and must return at once.
        Whatever ``work`` or a callback raises is raised again here, after the terminal is back as it was.
        """
