"""A list of checks, one line each, with a meter for the sound while somebody speaks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mexvoice.showing.lettering import visible, width
from mexvoice.showing.painting import meter

COLOURS = {"✓": "green", "!": "yellow", "✗": "red"}
"""The colour of each mark."""

_METER_CELLS = 40


class Checklist:
    """Writes lines as they come: in columns on a terminal, elsewhere one line of text each.

    Args:
        out: where to.
        names: the names of all checks, for the width of their column.
    """

    def __init__(self, out: TextIO, names: list[str]) -> None:
        self._console = Console(file=out, highlight=False, markup=False, emoji=False)
        self._cells = max((width(visible(name)) for name in names), default=0)

    def say(self, text: str) -> None:
        """Write a sentence on a line of its own."""
        self._console.print(Text(visible(text)), soft_wrap=not self._console.is_terminal)

    def check(self, mark: str, name: str, text: str) -> None:
        """Write the line of one check."""
        if not self._console.is_terminal:
            self._console.print(Text(f"{mark} {visible(name)}: {visible(text)}"), soft_wrap=True)
            return
        row = Table.grid(padding=(0, 1))
        row.add_column(width=1)
        row.add_column(width=self._cells, no_wrap=True)
        row.add_column(overflow="fold")
        row.add_row(Text(mark, COLOURS.get(mark, "")), Text(visible(name), "bold"), Text(visible(text)))
        self._console.print(row)

    @contextmanager
    def metering(self, text: str) -> Iterator[Callable[[float], None]]:
        """Show a sentence, and behind it the level of the sound; gone afterwards on a terminal.

        Yields:
            To be told each level, in dB below full scale.
        """
        if not self._console.is_terminal:
            if text:
                self.say(text)
            yield _unseen
            return
        sentence = Text(f"{visible(text)} " if text else "", "bold")
        with Live(sentence, console=self._console, transient=True, refresh_per_second=15) as live:
            yield lambda dbfs: live.update(Text.assemble(sentence, meter(dbfs, _METER_CELLS)))


def _unseen(dbfs: float) -> None:
    """A level where there is nothing to draw on."""
