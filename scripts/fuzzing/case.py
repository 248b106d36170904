"""One case: some files, and one or more commands or a call that gets them."""

import random
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Size:
    """The terminal gets another size."""

    lines: int
    columns: int


@dataclass(frozen=True, slots=True)
class Hangup:
    """The terminal is closed."""


Event = bytes | Size | signal.Signals | Hangup
"""What comes from a terminal: bytes (keys, pastes, reports), or what happens to it or the program."""


@dataclass(frozen=True, slots=True)
class Command:
    """One run of the program."""

    words: Sequence[str]
    """What stands after ``mexvoice``."""
    typed: bytes = b""
    """What comes in by the standard input."""
    script: Sequence[Event] = ()
    """What happens on the terminal, in order, where there is one; it ends with the program left."""
    locales: Path | None = None
    """A folder of locales instead of those that came with the program."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is done, in order; the law holds for each part."""

    commands: Sequence[Command] = ()
    call: Callable[[], str] | None = None
    """Something called directly; it returns what would be shown, or raises MexvoiceError."""
    terminal: bool = False
    """Whether the commands run on a terminal, as processes of their own."""
    note: str = ""
    """What is special about it."""


Maker = Callable[[random.Random, Path], Case]
"""Makes a case of one kind from a source of chance and an empty folder."""


@dataclass(slots=True)
class Verdict:
    """What became of a case."""

    faults: list[str] = field(default_factory=list)
    """Each breach of the law, in one line."""
    statuses: list[int] = field(default_factory=list)
    """The exit status of each command; a call that was refused counts as 2."""
