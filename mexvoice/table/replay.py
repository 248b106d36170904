"""``mexvoice replay``: play a recorded match again and print what happens in it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

import click

from mexvoice.errors import MexvoiceError
from mexvoice.rules import Ambiguous, NotOpen, NotUnderstood, RulesError
from mexvoice.rules.record import replay
from mexvoice.showing.lettering import visible
from mexvoice.table.jsonline import json_text

LONGEST_LINE: Final = 65536
"""The longest line a record may have, in bytes: far more than 20 names of 40 characters need."""

_REFUSED: Final = {NotUnderstood: "not understood", NotOpen: "not open now", Ambiguous: "ambiguous"}


def replay_file(path: Path, out: TextIO) -> int:
    """Play the match recorded in ``path`` again: each event to ``out`` as a JSON line, last the standings.

    The format is that of :mod:`mexvoice.rules.record`. A line that is not understood, not open or ambiguous
    ends the replay: the standings it left are still printed, and a line on stderr gives its number and why.

    Returns:
        The exit status: 0, or 2 if a line was refused.

    Raises:
        MexvoiceError: if the file is missing, unreadable, empty, not text in UTF-8, or has a line longer
            than ``LONGEST_LINE``.
    """
    shown = visible(click.format_filename(path))
    try:
        for record in replay(_lines(path, shown)):
            print(json_text(record, out), file=out)
    except RulesError as error:
        if error.line is None:
            raise MexvoiceError(
                f"{shown} is empty: the first line of a match names its players, "
                'as in {"players": ["Anna", "Ben"]}.'
            ) from error
        out.flush()  # the events come before what ended them, also where both go to one terminal
        print(f"{shown}, line {error.line}: {_REFUSED[type(error)]}: {error}", file=sys.stderr)
        return 2
    return 0


def _lines(path: Path, shown: str) -> Iterator[str]:
    """The lines of a text file, one at a time, however large it is.

    Raises:
        MexvoiceError: if the file cannot be read, or is no text file of lines of a sensible length.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise MexvoiceError(
                        f"{shown}, line {number} is longer than {LONGEST_LINE} bytes: "
                        "a recorded match has one action a line."
                    )
                # A byte order mark may stand before the first line, as some editors write it.
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise MexvoiceError(
            f"{shown}, line {number} is not text in UTF-8: give the file of a recorded match."
        ) from error
    except OSError as error:
        raise MexvoiceError(
            f"Cannot read {shown} ({error.strerror}): give the file of a recorded match."
        ) from error
