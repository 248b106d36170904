"""The file every match is kept in.

Durability. A transaction is one command's action, and ``keep`` returns when it is on the disk: the journal is
written and synced, then the file, then the end of the journal (``journal_mode=PERSIST, synchronous=FULL``).
Of SQLite's journals, PERSIST is taken since

- with FULL it syncs the end of the transaction too, which DELETE does not (the journal that a power cut
  brings back would undo what was announced);
- it makes no file and changes no length, so it is the quickest of the rollback journals;
- a write-ahead log would sync once instead of five times, but then the newest actions are not in the file
  until it is checkpointed (a copy of the file misses them), a folder that cannot be written cannot be read,
  and network drives are out. It would save some milliseconds before a sentence, which nobody hears.
"""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from mexvoice.errors import MexvoiceError, Trouble, Troubles
from mexvoice.ledger import damage, schema
from mexvoice.ledger.entry import Entry
from mexvoice.ledger.failure import ELSEWHERE, FAILURES, Damaged, Missing, brief, explained, shown
from mexvoice.ledger.lock import Lock
from mexvoice.ledger.row import draws_columns, entry_of, time_text
from mexvoice.rules import action_record

FILE: Final = "matches.db"
LOCK: Final = "matches.lock"

MOST_OPENED: Final = 2**62
"""More than matches were ever begun."""

BUSY_SECONDS: Final = 2.0
"""How long to wait for somebody who reads the file at that moment."""


class Ledger:
    """The matches in one folder, made by :meth:`open` or :meth:`read`; all its errors are MexvoiceErrors."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None) -> None:
        self.path = path
        """The file."""
        self._connection = connection
        self._lock = lock

    @classmethod
    def open(cls, folder: Path, tell: Callable[[MexvoiceError], None]) -> "Ledger":
        """Open the record to keep matches in; it, and its folder, are made where missing.

        A damaged file is set aside under a new name, ``tell`` is told so, and a new one is begun with the
        matches that can still be read.

        Raises:
            InUse: if another process does the same at this moment.
            Newer: if the file was written by a newer version.
            MexvoiceError: if the folder or file cannot be used.
        """
        path = _path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise explained(error, folder) from error
        lock = Lock(folder / LOCK, path)
        try:
            try:
                return cls(path, _opened(path), lock)
            except Damaged as damaged:
                aside = damage.set_aside(path)
                text = f"It is set aside as {shown(aside)}, and a new one is begun."
                tell(Troubles(damaged, Trouble(text, "record_set_aside", file=shown(aside))))
            ledger = cls(path, _opened(path), lock)
            ledger._rescue(aside, tell)
            return ledger
        except BaseException:
            lock.release()
            raise

    @classmethod
    def read(cls, folder: Path) -> "Ledger | None":
        """Open the record only to read it, also while a match is kept in it; None where there is none.

        A file of an older version is brought up to date.

        Raises:
            Damaged: if the file is damaged; it is left as it is.
            Newer: if the file was written by a newer version.
            MexvoiceError: if it cannot be read.
        """
        path = _path(folder)
        try:
            if not path.stat().st_size:
                return None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise explained(error, path) from error
        connection = _connected(path, "rw")
        try:
            found = schema.check(connection, path)
            if 0 < found < schema.version():
                lock = Lock(folder / LOCK, path)
                try:
                    schema.migrate(connection, found)
                finally:
                    lock.release()
            connection.execute("PRAGMA query_only = ON")
        except (*FAILURES, MexvoiceError) as error:
            connection.close()
            raise explained(error, path) from error
        if not found:
            connection.close()
            return None
        return cls(path, connection, None)

    def close(self) -> None:
        """Close the file and let others keep matches in it."""
        with contextlib.suppress(*FAILURES):
            self._connection.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Writing

    def keep(self, entries: Sequence[Entry]) -> None:
        """Make the file hold ``entries`` as they are now; they are on the disk when it returns, or none is.

        Of an entry it has already, what is new is added: to keep one twice changes nothing, so that a
        failure can be answered by trying again. Entries kept for the first time get their ``number``.

        Raises:
            MexvoiceError: if they could not be kept; the file is as it was before.
        """
        numbers = [entry.number for entry in entries]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for entry in entries:
                self._put(entry)
            self._connection.execute("COMMIT")
        except BaseException as error:
            self._undo()
            for entry, number in zip(entries, numbers, strict=True):
                entry.number = number
            if not isinstance(error, FAILURES):
                raise
            raise explained(error, self.path) from error

    def drop(self, entry: Entry) -> None:
        """Take a match out of the file.

        Raises:
            MexvoiceError: if that could not be done.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM match WHERE key = ?", (entry.key,))
            self._connection.execute("COMMIT")
        except FAILURES as error:
            self._undo()
            raise explained(error, self.path) from error

    def _undo(self) -> None:
        with contextlib.suppress(*FAILURES):
            if self._connection.in_transaction:
                self._connection.rollback()

    def _put(self, entry: Entry) -> None:
        changing = (time_text(entry.ended), entry.language, entry.opened, *draws_columns(entry.draws))
        row = self._connection.execute(
            "SELECT ended, language, opened, seed, drawn, returned, after, id FROM match WHERE key = ?",
            (entry.key,),
        ).fetchone()
        if row is None:
            opening = entry.lines()[0]
            # A number from another file is kept (rescue) unless it is taken.
            number = entry.number if entry.number is not None and not self._has(entry.number) else None
            cursor = self._connection.execute(
                "INSERT INTO match (id, key, started, opening, dice, ended, language, opened, seed, drawn, "
                "returned, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, entry.key, time_text(entry.started), opening, entry.dice, *changing),
            )
            entry.number = cursor.lastrowid
        else:
            entry.number = row[-1]
            if row[:-1] != changing:
                self._connection.execute(
                    "UPDATE match SET ended = ?, language = ?, opened = ?, "
                    "seed = ?, drawn = ?, returned = ?, after = ? WHERE id = ?",
                    (*changing, entry.number),
                )
        (kept,) = self._connection.execute(
            "SELECT coalesce(max(number), 0) FROM action WHERE match = ?", (entry.number,)
        ).fetchone()
        self._connection.executemany(
            "INSERT INTO action (match, number, record) VALUES (?, ?, ?)",
            (
                (entry.number, number, json.dumps(action_record(action)))
                for number, action in enumerate(entry.actions[kept:], start=kept + 1)
            ),
        )

    def _has(self, number: int) -> bool:
        row = self._connection.execute("SELECT 1 FROM match WHERE id = ?", (number,)).fetchone()
        return row is not None

    def _rescue(self, aside: Path, tell: Callable[[MexvoiceError], None]) -> None:
        """Keep what can still be read of the file set aside, which stays whatever happens here."""
        try:
            with Ledger(aside, _connected(aside, "ro&immutable=1"), None) as damaged:
                for number in damaged._readable_numbers():
                    with contextlib.suppress(Damaged):
                        self.keep([damaged.entry(number)])
        except MexvoiceError:
            pass
        count = len(self.numbers())
        if count:
            text = f"Matches that could be taken over from it: {count}."
            tell(Trouble(text, "record_rescued", number=str(count)))

    def _readable_numbers(self) -> list[int]:
        numbers: list[int] = []
        with contextlib.suppress(*FAILURES):
            for (number,) in self._connection.execute("SELECT id FROM match"):
                if isinstance(number, int):
                    numbers.append(number)
        return sorted(numbers)

    # Reading

    def numbers(self) -> list[int]:
        """The number of every match, in the order they were begun.

        Raises:
            MexvoiceError: if the file cannot be read.
        """
        try:
            return [number for (number,) in self._connection.execute("SELECT id FROM match ORDER BY id")]
        except FAILURES as error:
            raise explained(error, self.path) from error

    def entry(self, number: int) -> Entry:
        """The match of that number.

        Raises:
            Damaged: if the file, or that match in it, is not what was written.
            Missing: if there is no such match.
            MexvoiceError: if the file cannot be read.
        """
        try:
            row = self._connection.execute(
                "SELECT key, started, ended, language, opening, dice, seed, drawn, returned, after, opened "
                "FROM match WHERE id = ?",
                (number,),
            ).fetchone()
            actions = self._connection.execute(
                "SELECT number, record FROM action WHERE match = ? ORDER BY number", (number,)
            ).fetchall()
        except FAILURES as error:
            raise explained(error, self.path) from error
        except OverflowError:
            row = None
        if row is None:
            raise Missing(
                f"There is no match {number} in {shown(self.path)}: mexvoice history lists those there are."
            )
        try:
            entry = entry_of(number, row, actions)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise Damaged(f"Match {number} on record is damaged: {brief(error)}.") from error
        entry.match()
        return entry

    def openings(self) -> int:
        """How often a match was begun or resumed: the highest ``opened`` of all.

        Raises:
            MexvoiceError: if the file cannot be read.
        """
        try:
            (highest,) = self._connection.execute("SELECT max(opened) FROM match").fetchone()
        except FAILURES as error:
            raise explained(error, self.path) from error
        # A damaged one may be the highest number there is, after which there must be others.
        return min(highest, MOST_OPENED) if isinstance(highest, int) else 0

    def entries(self) -> Iterator[Entry | Damaged]:
        """Every match in the order they were begun, or why one of them cannot be read.

        Raises:
            MexvoiceError: if the file cannot be read.
        """
        for number in self.numbers():
            try:
                yield self.entry(number)
            except Missing:
                continue  # whoever plays at this moment took it off the record
            except Damaged as damaged:
                yield damaged

    def last(self) -> Entry | None:
        """The match that was last at the table: begun, or resumed, after all others. None if there is none.

        Raises:
            Damaged: if it is damaged.
            MexvoiceError: if the file cannot be read.
        """
        try:
            row = self._connection.execute(
                "SELECT id FROM match WHERE opened IS NOT NULL ORDER BY opened DESC, id DESC LIMIT 1"
            ).fetchone()
        except FAILURES as error:
            raise explained(error, self.path) from error
        return None if row is None else self.entry(row[0])


def _path(folder: Path) -> Path:
    """The file in ``folder``.

    Raises:
        MexvoiceError: if something else is in the place of either.
    """
    path = folder / FILE
    try:
        if folder.exists() and not folder.is_dir():
            raise MexvoiceError(f"{shown(folder)} is no folder: name one to keep the record in with --data.")
        if path.is_dir():
            raise MexvoiceError(
                f"{shown(path)} is a folder where the record should be a file: move it away, {ELSEWHERE}."
            )
        if path.exists() and not path.is_file():
            raise MexvoiceError(
                f"{shown(path)} is no file that can hold a record: move it away, {ELSEWHERE}."
            )
    except (OSError, ValueError) as error:
        raise MexvoiceError(
            f"The folder of the record {shown(folder)} cannot be used ({brief(error)}): "
            "name another one with --data."
        ) from error
    return path


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to ``path``.

    Raises:
        MexvoiceError: if it cannot be opened.
    """
    try:
        # The match is played in another thread than the one that opens and closes the file, one at a time.
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
    except FAILURES as error:
        raise explained(error, path) from error
    # What is no UTF-8 becomes characters that no name may hold.
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to keep matches by, to a file of the present version.

    Raises:
        MexvoiceError: see :meth:`Ledger.open`.
    """
    connection = _connected(path, "rwc")
    try:
        connection.execute("PRAGMA cell_size_check = ON")
        found = schema.check(connection, path)
        connection.execute("PRAGMA journal_mode = PERSIST")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: past the disk's own cache too
        connection.execute("PRAGMA foreign_keys = ON")
        schema.migrate(connection, found)
        # Fails where the file can only be read, which SQLite would else tell with the first action.
        connection.execute("DELETE FROM match WHERE 0")
    except (*FAILURES, MexvoiceError) as error:
        connection.close()
        raise explained(error, path) from error
    return connection
