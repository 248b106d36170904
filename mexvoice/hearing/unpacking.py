"""Unpacking the archive of a model, which may come from anybody.

Nothing of an archive is trusted: not its names (paths that lead out, devices of Windows, two names for one
file), not its kinds of file (links, devices), not its sizes (bombs). What is refused is refused before a byte
is written, and what the archive says about sizes is held against what really comes out.
"""

import errno
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mexvoice.errors import MexvoiceError


@dataclass(frozen=True, slots=True)
class Limits:
    """What no archive of a small model exceeds; the English one has some 15 files and grows to 70 MB."""

    files: int = 200
    """Files and folders in it."""
    total: int = 500_000_000
    """Bytes unpacked, all together."""
    ratio: float = 30.0
    """Bytes unpacked for one byte packed, of the whole and of any file over `ratio_from`."""
    ratio_from: int = 1_000_000
    """Files below this size (bytes) may shrink as they like: a list of numbers shrinks well."""
    depth: int = 6
    """Folders inside each other."""
    directory: int = 200_000
    """Bytes of the archive's own table of contents."""


_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
"""A name of a file or folder in a model: no drive, no stream, no blank, no control character."""

_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_STORED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_CHUNK = 1 << 18
_END = b"PK\x05\x06"
_END_SIZE = 22
_LARGE = b"PK\x06\x07"
_LONGEST_COMMENT = 0xFFFF

_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    LookupError,
    OverflowError,
    struct.error,
)
"""What Python's reader raises for a damaged archive."""


class _Refused(Exception):
    """Why an archive is not unpacked."""


def unpack(archive: Path, target: Path, limits: Limits | None = None) -> None:
    """Unpack the one folder that is in `archive`, so that its contents are the contents of `target`.

    Everything is on the disk (synchronised) when this returns. When it raises, `target` may hold a part of
    it.

    Args:
        archive: a zip file.
        target: a folder that is there and empty.
        limits: of sizes and numbers; those for small models if None.

    Raises:
        MexvoiceError: when the archive is damaged, is no such archive or is dangerous.
        OSError: when `target` cannot be written.
    """
    limits = limits or Limits()
    try:
        with archive.open("rb") as stream:
            _check_directory(stream, limits)
            with zipfile.ZipFile(stream) as opened:
                members = _members(opened, archive.stat().st_size, limits)
                for info, parts in members:
                    place = target.joinpath(*parts)
                    if info.is_dir():
                        place.mkdir(parents=True, exist_ok=True)
                    else:
                        place.parent.mkdir(parents=True, exist_ok=True)
                        _extract(opened, info, place)
    except _Refused as refused:
        raise MexvoiceError(f"The archive {archive.name} is refused: {refused}.") from refused
    except (*_FAULTS, OSError) as error:
        # A place in the archive before its beginning is an invalid argument; all else is about the disk.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        why = ascii(str(error))[1:-1][:100]
        raise MexvoiceError(f"The archive {archive.name} is damaged ({why}): download it again.") from error
    for folder, _, _ in os.walk(target, topdown=False):
        sync_folder(Path(folder))


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can do that (not on Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_directory(stream: BinaryIO, limits: Limits) -> None:
    """Refuse a table of contents too long to be read; Python's reader would take it all into memory."""
    size = stream.seek(0, os.SEEK_END)
    start = max(0, size - _END_SIZE - _LONGEST_COMMENT - 20)
    stream.seek(start)
    tail = stream.read()
    at = len(tail) - _END_SIZE
    if at < 0 or not (tail[at : at + 4] == _END and tail[-2:] == b"\0\0"):
        at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise _Refused("it is not a zip file")
    if tail[max(0, at - 20) : at].startswith(_LARGE):
        raise _Refused("it is a zip file of the large kind, which no small model needs")
    (length,) = struct.unpack_from("<I", tail, at + 12)
    if length > limits.directory:
        raise _Refused("its table of contents is too long")


def _members(
    opened: zipfile.ZipFile, size: int, limits: Limits
) -> list[tuple[zipfile.ZipInfo, tuple[str, ...]]]:
    """What is to be written, with its path below the archive's one folder.

    Args:
        opened: the archive.
        size: its bytes.
        limits: of sizes and numbers.

    Raises:
        _Refused: for the first thing that is wrong.
    """
    infos = opened.infolist()
    if len(infos) > limits.files:
        raise _Refused(f"it holds more than {limits.files} files")
    kept = [(info, _parts(info, limits)) for info in infos]
    members = [(info, parts) for info, parts in kept if not _is_litter(parts)]
    tops = {parts[0] for _, parts in members}
    if len(tops) != 1 or any(len(parts) == 1 and not info.is_dir() for info, parts in members):
        raise _Refused("it does not hold just one folder with a model in it")
    _check_sizes([info for info, _ in members], size, limits)
    _check_names(members)
    return [(info, parts[1:]) for info, parts in members if len(parts) > 1]


def _parts(info: zipfile.ZipInfo, limits: Limits) -> tuple[str, ...]:
    """The path of a member, whose every part is a harmless name."""
    name = info.orig_filename
    shown = ascii(name[:80])[1:-1]
    if name != info.filename or "\\" in name or "\0" in name:
        raise _Refused(f"the name '{shown}' is not a plain path")
    if name.startswith("/") or ":" in name:
        raise _Refused(f"'{shown}' is a path of another place than the archive")
    parts = tuple(name.removesuffix("/").split("/"))
    if ".." in parts or "." in parts or "" in parts:
        raise _Refused(f"the path '{shown}' leads out of the archive")
    if len(parts) > limits.depth:
        raise _Refused(f"the path '{shown}' is too deep")
    if not _is_litter(parts):
        for part in parts:
            if not _PART.fullmatch(part) or part.endswith(".") or _DEVICES.fullmatch(part) or len(part) > 100:
                raise _Refused(f"'{shown}' has a name that no file of a model has")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _Refused(f"'{shown}' is a link or a device, not a file")
    if kind == stat.S_IFDIR and not info.is_dir():
        raise _Refused(f"'{shown}' is a folder and a file")
    if info.flag_bits & _ENCRYPTED:
        raise _Refused(f"'{shown}' is encrypted")
    if info.compress_type not in _STORED:
        raise _Refused(f"'{shown}' is packed in an unusual way")
    return parts


def _is_litter(parts: tuple[str, ...]) -> bool:
    """Whether a path is what some systems leave in archives (``.DS_Store``, ``__MACOSX``): passed over."""
    return parts[0] == "__MACOSX" or any(part.startswith(".") for part in parts)


def _check_sizes(infos: list[zipfile.ZipInfo], size: int, limits: Limits) -> None:
    """Refuse bombs: by what the table of contents says; `_extract` holds the rest to its word."""
    total = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if total > limits.total:
        raise _Refused(f"it would take {total / 1e6:.0f} MB, more than any small model")
    # Members that lie upon each other make much out of a few bytes.
    if packed > size:
        raise _Refused("its files lie upon each other")
    if total > limits.ratio_from and total > limits.ratio * size:
        raise _Refused("it grows too much when it is unpacked")
    for info in infos:
        if info.file_size > limits.ratio_from and info.file_size > limits.ratio * info.compress_size:
            raise _Refused(f"'{info.filename}' grows too much when it is unpacked")


def _check_names(members: list[tuple[zipfile.ZipInfo, tuple[str, ...]]]) -> None:
    """Refuse two members that would be one file, on any system, and files that would be folders too."""
    seen: set[tuple[str, ...]] = set()
    files: set[tuple[str, ...]] = set()
    for info, parts in members:
        key = tuple(part.casefold() for part in parts)
        if key in seen:
            raise _Refused(f"'{info.filename}' is in it twice")
        seen.add(key)
        if not info.is_dir():
            files.add(key)
    for key in seen:
        if any(above in files for above in _above(key)):
            raise _Refused(f"'{'/'.join(key)}' lies in a file")


def _above(key: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (key[:length] for length in range(1, len(key)))


def _extract(opened: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path) -> None:
    """Write one file, new, and have it on the disk."""
    left = info.file_size
    # The reader stops at the size the archive gives, and then finds the checksum wrong if there is more.
    # "x": nothing that is there already is written to or followed.
    with opened.open(info) as source, place.open("xb") as file:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            file.write(chunk)
        if left:
            raise _Refused(f"'{info.filename}' is smaller than it says")
        file.flush()
        os.fsync(file.fileno())
