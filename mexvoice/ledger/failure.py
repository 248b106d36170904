"""What can go wrong with the file matches are kept in, as one sentence each."""

import errno
import sqlite3
from pathlib import Path
from typing import Final

from mexvoice.errors import MexvoiceError, Trouble


class Damaged(Trouble):
    """The file, or one match in it, is not what was written."""


class Missing(Trouble):
    """There is no match of that number."""


class InUse(Trouble):
    """Another process keeps its match in the file."""


class Newer(Trouble):
    """A newer version of the program wrote the file."""


class Lost(Trouble):
    """The file was moved or deleted while a match was being kept in it."""


FAILURES: Final = (sqlite3.Error, UnicodeError)
"""What working on the file may raise: a damaged one may tell what is wrong in letters that are none."""

LONGEST_REASON: Final = 160

ELSEWHERE: Final = "or name another folder with --data"

_NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def printable(text: str) -> str:
    """``text`` for a sentence: no character of it can do anything to a terminal."""
    return text if text.isprintable() else ascii(text)


def brief(reason: object) -> str:
    """What somebody else says is wrong, as a part of one sentence: on one line, and not too long."""
    text = printable(" ".join(str(reason).split()))
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"


def shown(path: Path) -> str:
    """``path`` for a sentence."""
    return printable(str(path))


def explained(error: Exception, path: Path) -> MexvoiceError:
    """The failure a user can act on that stands behind ``error``.

    Args:
        error: one of ``FAILURES``, or an ``OSError``, met while working on ``path``.
        path: the file matches are kept in, or its folder.
    """
    if isinstance(error, MexvoiceError):
        return error
    if isinstance(error, OSError):
        return _of_system(error, path)
    # The extended code holds the primary one in its low byte; a value that is not UTF-8 has no code at all.
    extended = getattr(error, "sqlite_errorcode", None)
    code = None if extended is None else extended & 0xFF
    if extended == sqlite3.SQLITE_READONLY_DBMOVED:
        return Lost(
            f"The record {shown(path)} was moved or deleted while it was in use.",
            "record_lost",
            file=shown(path),
        )
    if code == sqlite3.SQLITE_FULL:
        return _no_room(path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return in_use(path)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return _no_right(path)
    if code == sqlite3.SQLITE_IOERR:
        return _fails(
            f"The disk failed at the record {shown(path)} ({brief(error)}): look after it, {ELSEWHERE}.",
            path,
            brief(error),
        )
    if code in (None, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, *_OF_CONTENT):
        return damaged(path, error)
    return _fails(
        f"The record {shown(path)} cannot be used ({brief(error)}): move it away, {ELSEWHERE}.",
        path,
        brief(error),
    )


_OF_CONTENT: Final = (
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_EMPTY,
)
"""What a sound file of ours never answers to our statements."""


def damaged(path: Path, reason: object) -> Damaged:
    """The file ``path`` is not what was written, and what is wrong with it."""
    text = f"The record {shown(path)} is damaged ({brief(reason)})."
    return Damaged(text, "record_damaged", file=shown(path), reason=brief(reason))


def in_use(path: Path) -> InUse:
    """Another process keeps its match in ``path``."""
    text = f"Another mexvoice keeps its match in {shown(path)}: end that one first, {ELSEWHERE}."
    return InUse(text, "record_in_use", file=shown(path))


def _of_system(error: OSError, path: Path) -> MexvoiceError:
    if error.errno in _NO_ROOM:
        return _no_room(path)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return _no_right(path)
    reason = brief(error.strerror or error)
    return _fails(
        f"The folder of the record {shown(path)} cannot be used ({reason}): name another one with --data.",
        path,
        reason,
    )


def _fails(text: str, path: Path, reason: str) -> Trouble:
    return Trouble(text, "record_fails", file=shown(path), reason=reason)


def _no_room(path: Path) -> Trouble:
    return Trouble(
        f"The disk is full, the record {shown(path)} cannot grow: make room on that disk, {ELSEWHERE}.",
        "record_full",
        file=shown(path),
    )


def _no_right(path: Path) -> Trouble:
    return Trouble(
        f"The record {shown(path)} cannot be opened for writing: allow it for the file and its folder, "
        f"{ELSEWHERE}.",
        "record_forbidden",
        file=shown(path),
    )
