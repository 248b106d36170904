"""One process at a time keeps matches in a file."""

import contextlib
import sqlite3
from pathlib import Path

from mexvoice.ledger.failure import explained, in_use


class Lock:
    """Holds ``path`` (an empty file beside the record) until it is released or the process ends in any way.

    It is SQLite's own exclusive lock on an empty database: the same on every platform, known to work where
    the record works, and let go by the system itself after a kill. Nothing stale can be left over. The record
    is not locked itself, so that it can be read while a match is played.

    Raises:
        InUse: if another process, or another lock of this one, holds it.
        MexvoiceError: if the file cannot be made.
    """

    def __init__(self, path: Path, record: Path) -> None:
        try:
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise explained(error, record) from error
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._connection.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise in_use(record) from error
            raise explained(error, path) from error

    def release(self) -> None:
        """Let others have it; a second time does nothing."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
