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

    def run(self, on_line: Callable[[str], None], on_key: Callable[[], None], work: Callable[[], int]) -> int:
        """Run ``work`` (the match) in a thread of its own until it ends; return its exit status.

        Each typed line goes to ``on_line``; every key pressed outside a line, and each key while the
        assistant speaks, to ``on_key`` (it cuts the announcer). Leaving the display (Ctrl-C, Ctrl-Q)
        sends the line given by ``leave`` of the constructor, by default nothing, and ends.
        """
