"""The tables of the file, and how an older file becomes a present one."""

import sqlite3
from pathlib import Path
from typing import Final

from mexvoice.errors import MexvoiceError
from mexvoice.ledger.failure import ELSEWHERE, FAILURES, Newer, damaged, shown

APPLICATION: Final = 0x4D455856
"""What marks the file as ours ("MEXV"), so that a database of another program is left alone."""

STEPS: Final[tuple[str, ...]] = (
    """
    CREATE TABLE match (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        started TEXT NOT NULL,
        ended TEXT,
        language TEXT,
        opening TEXT NOT NULL,
        dice TEXT NOT NULL,
        seed TEXT,
        drawn INTEGER,
        returned TEXT,
        after INTEGER,
        opened INTEGER
    );
    CREATE TABLE action (
        match INTEGER NOT NULL REFERENCES match (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (match, number)
    ) WITHOUT ROWID;
    """,
)
"""What leads from each version of the file to the next: a new version is one more text at the end, and the
ones before it never change. ``match.opening`` and ``action.record`` are lines of the replay format
(:mod:`mexvoice.rules.record`); times are ISO 8601 in UTC; ``seed``, ``drawn``, ``returned`` (a JSON list of
dice) and ``after`` are :class:`mexvoice.ledger.entry.Draws`, or null together."""

_COLUMNS: Final = {
    "match": "id, key, started, ended, language, opening, dice, seed, drawn, returned, after, opened",
    "action": "match, number, record",
}


def version() -> int:
    """The version of the file that this program writes."""
    return len(STEPS)


def check(connection: sqlite3.Connection, path: Path) -> int:
    """Make sure that the file is ours, whole and not newer than this program; its version, 0 if it is empty.

    Raises:
        MexvoiceError: if it is a database of another program.
        Newer: if a newer version of this program wrote it.
        Damaged: if it is ours and not as it was written.
        sqlite3.Error: for what SQLite itself finds.
    """
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables and not application and not found:
        return 0
    if application != APPLICATION:
        raise MexvoiceError(f"{shown(path)} is a database of another program: move it away, {ELSEWHERE}.")
    if found > version():
        raise Newer(
            f"A newer mexvoice wrote the record {shown(path)} (version {found}, this one knows {version()}): "
            f"update mexvoice, {ELSEWHERE}."
        )
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise damaged(path, verdict)
    if found < 1:
        raise damaged(path, "it has no version")
    if found == version():
        for table, columns in _COLUMNS.items():
            connection.execute(f"SELECT {columns} FROM {table} LIMIT 0")
    return int(found)


def migrate(connection: sqlite3.Connection, found: int) -> None:
    """Bring the tables from version ``found`` to the present one, wholly or not at all.

    Raises:
        sqlite3.Error: for what SQLite finds.
    """
    if found == version():
        return
    script = "".join(STEPS[found:])
    try:
        # The pragmas are part of the transaction: the version never tells of tables that are not there.
        connection.executescript(
            f"BEGIN IMMEDIATE;{script}"
            f"PRAGMA application_id = {APPLICATION};PRAGMA user_version = {version()};COMMIT;"
        )
    except FAILURES:
        if connection.in_transaction:
            connection.rollback()
        raise
