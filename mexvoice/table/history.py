"""What ``mexvoice history``, ``export`` and ``import`` do."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mexvoice.data import data_folder
from mexvoice.errors import MexvoiceError
from mexvoice.ledger.account import Account, account_of
from mexvoice.ledger.chart import HEADINGS, draw
from mexvoice.ledger.entry import Entry
from mexvoice.ledger.failure import Damaged, brief, shown
from mexvoice.ledger.league import COLUMNS, Line, league
from mexvoice.ledger.ledger import Ledger
from mexvoice.rules import Ambiguous, NotOpen, NotUnderstood, RulesError
from mexvoice.table.jsonline import json_text

LARGEST_FILE: Final = 16 * 2**20
"""The largest file that is imported, in bytes: 600,000 actions."""

_REFUSED: Final = {NotUnderstood: "not understood", NotOpen: "not open now", Ambiguous: "ambiguous"}


def show_history(
    data: Path | None,
    chart: Path | None,
    as_json: bool,
    out: TextIO,
    err: TextIO,
) -> int:
    """Print every match on record and the league table over all evenings.

    Args:
        data: the folder of the record; None for the platform's data folder.
        chart: an SVG file to draw the league table to as well; it must not be there yet.
        as_json: print one JSON object instead, with the keys ``matches`` and ``league``.
        err: told of matches that cannot be read, and of the chart.

    Returns:
        The exit status: 0, or 1 if a match on record cannot be read.

    Raises:
        MexvoiceError: if the record or the chart cannot be used.
    """
    folder = data_folder(data)
    accounts: list[Account] = []
    unreadable = 0
    ledger = Ledger.read(folder)
    if ledger is not None:
        with ledger:
            for entry in ledger.entries():
                if isinstance(entry, Damaged):
                    unreadable += 1
                    print(entry, file=err)
                else:
                    accounts.append(account_of(entry))
    lines = league(accounts)
    if as_json:
        report = {"matches": [_match_record(account) for account in accounts], "league": _records(lines)}
        print(json_text(report, out, indent=2), file=out)
    elif accounts:
        console = Console(file=out, highlight=False, markup=False, emoji=False)
        console.print(_matches_table(accounts))
        if lines:
            console.print(_league_table(lines))
    else:
        print(f"No match is on record in {shown(folder)}.", file=out)
    if chart is not None:
        _write_new(chart, draw(lines, "Mex: league table"))
        print(f"The league table is drawn in {shown(chart)}.", file=err)
    return 1 if unreadable else 0


def export_match(data: Path | None, number: int | None, file: Path, out: TextIO) -> int:
    """Write a match on record to ``file`` in the format of ``mexvoice replay``, what was taken back included.

    Args:
        data: the folder of the record; None for the platform's data folder.
        number: of the match; None for the one that was at the table last.
        file: must not be there yet; ``-`` writes to ``out``.
        out: told what was written.

    Returns:
        The exit status, 0.

    Raises:
        MexvoiceError: if there is no such match, it is damaged, or the file cannot be written.
    """
    folder = data_folder(data)
    ledger = Ledger.read(folder)
    entry: Entry | None = None
    if ledger is not None:
        with ledger:
            entry = ledger.last() if number is None else ledger.entry(number)
    if entry is None:
        raise MexvoiceError(
            f"No match is on record in {shown(folder)}: name the folder of the record with --data."
        )
    text = "".join(f"{line}\n" for line in entry.lines())
    if str(file) == "-":
        out.write(text)
        return 0
    _write_new(file, text)
    print(f"Match {entry.number} is written to {shown(file)}.", file=out)
    return 0


def import_match(data: Path | None, file: Path, out: TextIO, tell: Callable[[MexvoiceError], None]) -> int:
    """Take a match in the format of ``mexvoice replay`` into the record, if the rules allow every line of it.

    Args:
        data: the folder of the record; None for the platform's data folder.
        file: the match; ``-`` reads the standard input.
        out: told the number it got.
        tell: told if the record was damaged and set aside.

    Returns:
        The exit status, 0.

    Raises:
        MexvoiceError: if the file cannot be read, a line is refused (with its number), the match is on record
            already, or the record cannot be used. Nothing is changed then.
    """
    try:
        entry = Entry.from_lines(_read(file).split("\n"))
    except RulesError as error:
        if error.line is None:
            raise MexvoiceError(
                f"{shown(file)} is empty: the first line of a match names its players, "
                'as in {"players": ["Anna", "Ben"]}.'
            ) from error
        why = f"{_REFUSED[type(error)]}: {brief(error)}"
        raise MexvoiceError(f"{shown(file)}, line {error.line}: {why}; nothing is imported.") from error
    with Ledger.open(data_folder(data), tell) as ledger:
        lines = entry.lines()
        for other in ledger.entries():
            if isinstance(other, Entry) and other.lines() == lines:
                raise MexvoiceError(f"{shown(file)} is match {other.number} on record already.")
        if entry.match().winner is not None:
            entry.ended = entry.started
        ledger.keep([entry])
    print(f"{shown(file)} is match {entry.number} on record now.", file=out)
    return 0


# Files


def _read(file: Path) -> str:
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            with file.open("rb") as source:
                data = source.read(LARGEST_FILE + 1)
    except OSError as error:
        raise MexvoiceError(
            f"Cannot read {shown(file)} ({error.strerror}): give the file of a recorded match."
        ) from error
    if len(data) > LARGEST_FILE:
        raise MexvoiceError(f"{shown(file)} is larger than {LARGEST_FILE} bytes: no match is that long.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise MexvoiceError(
            f"{shown(file)}, line {line} is not text in UTF-8: give the file of a recorded match."
        ) from error


def _write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all.

    Raises:
        MexvoiceError: if it is there, or cannot be written.
    """
    try:
        with file.open("x", encoding="utf-8", newline="\n") as target:
            try:
                target.write(text)
                target.flush()
                os.fsync(target.fileno())
            except OSError:
                file.unlink(missing_ok=True)
                raise
    except FileExistsError as error:
        raise MexvoiceError(f"{shown(file)} is there already: name a new file.") from error
    except OSError as error:
        raise MexvoiceError(
            f"Cannot write {shown(file)} ({error.strerror}): name a file where there is room for it."
        ) from error


# JSON


def _match_record(account: Account) -> dict[str, object]:
    entry = account.entry
    return {
        "match": entry.number,
        "started": entry.started.isoformat(timespec="seconds"),
        "ended": None if entry.ended is None else entry.ended.isoformat(timespec="seconds"),
        "language": entry.language,
        "dice": entry.dice,
        "rounds": account.rounds,
        "actions": account.actions,
        "winner": account.winner,
        "players": [
            {
                "name": player,
                "lives": share.lives,
                "points": share.points,
                "rounds_lost": share.rounds_lost,
                "mexes": share.mexes,
                "survived": share.survived,
            }
            for player, share in account.shares.items()
        ],
    }


def _records(lines: Sequence[Line]) -> list[dict[str, object]]:
    return [
        {"player": line.player, **{column: getattr(line, column) for column in COLUMNS}} for line in lines
    ]


# Tables


def _matches_table(accounts: Sequence[Account]) -> Table:
    table = Table(title="Matches", title_justify="left")
    for heading in ("Match", "Begun", "Players", "Rounds", "Winner"):
        table.add_column(heading, justify="right" if heading in ("Match", "Rounds") else "left")
    for account in accounts:
        entry = account.entry
        players = ", ".join(f"{name} {share.points}" for name, share in account.shares.items())
        table.add_row(
            f"{entry.number}",
            f"{entry.started.astimezone():%Y-%m-%d %H:%M}",
            Text(players),
            f"{account.rounds}",
            Text(account.winner or "not over"),
        )
    return table


def _league_table(lines: Sequence[Line]) -> Table:
    table = Table(title="League", title_justify="left")
    table.add_column("Player")
    for column in COLUMNS:
        table.add_column(HEADINGS[column], justify="right")
    for line in lines:
        table.add_row(Text(line.player), *(f"{getattr(line, column)}" for column in COLUMNS))
    return table
