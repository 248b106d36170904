"""``mexvoice models``: the official Vosk models, listed, installed, checked and removed.

No official model could be had where this was written: the path of one, from the publisher's list to the
rename, was proven with models of the same form from a server on the same machine.
"""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

from mexvoice.errors import MexvoiceError
from mexvoice.hearing import installed
from mexvoice.hearing.catalogue import LARGEST_LIST, Official, Sum, official_model, official_models
from mexvoice.hearing.download import Downloader
from mexvoice.hearing.installed import Record
from mexvoice.hearing.model import (
    BUILTIN,
    check_files,
    model_for,
    read_seal,
    seal,
    seal_matches,
    try_out,
)
from mexvoice.hearing.unpacking import unpack
from mexvoice.hearing.workshop import Site, locked_site
from mexvoice.language import locale as locales
from mexvoice.showing.lettering import visible
from mexvoice.table.coverage import Coverage, heard_in

_ROOM = 2.5
"""Bytes a model needs on the disk for each byte of its archive, besides the archive."""

Say = Callable[[str], None]


def list_models(out: TextIO, data: Path | None = None) -> int:
    """Print the official models, one a line, with their sizes and whether they are installed.

    Args:
        out: where to.
        data: the data folder, if not the usual one.

    Returns:
        The exit status, 0.
    """
    say = _printer(out)
    folder = installed.models_folder(data)
    say(f"Official models (kept in {folder}):")
    for code, official in official_models().items():
        found = installed.find(code, data)
        record = None if found is None else installed.read_record(found)
        part = Site(folder, code).part.size
        if found is not None:
            state = "installed and used" if record else "installed, its record is damaged"
            if record and record.name != official.name:
                state += f" ({record.name})"
        elif part:
            state = f"{_megabytes(part)} downloaded; 'mexvoice models install {code}' goes on"
        else:
            state = "not installed"
        how = "pinned SHA-256 sum" if official.pinned else "MD5 sum from the publisher's list"
        say(f"{code:3} {official.name:28} {_megabytes(official.size):>8}  {state}  [checked by: {how}]")
    return 0


def install(
    code: str,
    out: TextIO,
    data: Path | None = None,
    *,
    base: str | None = None,
    official: Official | None = None,
    downloader: Downloader | None = None,
) -> int:
    """Download the official model of a language, check it, try it, and put it in its place.

    Until the last step, one rename, whatever was there before stays in use. When this is interrupted, the
    same call goes on with the download where it was.

    Args:
        code: the language.
        out: where the progress goes; a bar on a terminal, some lines elsewhere.
        data: the data folder, if not the usual one.
        base: address of a folder to download from, instead of the publisher's.
        official: the model to install, if not that of the catalogue.
        downloader: how to download.

    Returns:
        The exit status, 0.

    Raises:
        MexvoiceError: when it cannot be had, is not what it should be, or does not run.
    """
    say = _printer(out)
    official = official or official_model(code, base)
    downloader = downloader or Downloader()
    with locked_site(code, data) as site:
        if _is_there(site, official, say):
            return 0
        expected = _expected(official, downloader, say)
        _require_room(site, expected)
        if done := site.part.size:
            say(f"{_megabytes(done)} are here already.")
        with _Gauge(official.name, expected.size, out) as gauge:
            downloader.file(official.url, site.part, expected, gauge)
        say(f"The {expected.algorithm.upper()} sum is right: {expected.digest}")
        record = Record(
            official.name,
            official.url,
            f"{expected.algorithm}:{expected.digest}",
            expected == official.pinned,
        )
        say("Unpacking and trying it ...")
        _put_in_place(site, record)
        site.part.discard()
    say(f"Installed in {site.path}. It is used for '{code}' from now on; '--model builtin' goes back.")
    return check(code, out, data)


def check(code: str | None, out: TextIO, data: Path | None = None) -> int:
    """Load the model that is used for a language, and print which words of the locale it does not know.

    Args:
        code: the language; None for every installed model.
        out: where to.
        data: the data folder, if not the usual one.

    Returns:
        The exit status: 0, or 1 when a model is damaged or some command cannot be said with it at all.

    Raises:
        MexvoiceError: when the one language asked for has no model or a damaged one.
    """
    say = _printer(out)
    if code is not None:
        return _check(code, say, data)
    codes = [known for known in locales.available() if installed.find(known, data) is not None]
    if not codes:
        say(
            "No official model is installed; the built-in ones are used."
            " 'mexvoice models list' shows what there is."
        )
    status = 0
    for known in codes:
        try:
            status = max(status, _check(known, say, data))
        except MexvoiceError as error:
            say(f"{known}: {error}")
            status = 1
    return status


def remove(code: str, out: TextIO, data: Path | None = None) -> int:
    """Remove the installed model of a language, and what there is of its download.

    Returns:
        The exit status, 0.

    Raises:
        MexvoiceError: when there is none or it cannot be removed.
    """
    with locked_site(code, data) as site:
        downloaded = site.part.size
        if not site.clear() and not downloaded:
            raise MexvoiceError(
                f"No model is installed for '{code}': 'mexvoice models list' shows what there is."
            )
    _printer(out)(f"Removed. The built-in model is used for '{code}' from now on.")
    return 0


def _is_there(site: Site, official: Official, say: Say) -> bool:
    """Whether the model is installed already and unharmed.

    Raises:
        MexvoiceError: when something else is in its place.
    """
    if site.path.exists() and not (site.path / installed.RECORD).is_file():
        raise MexvoiceError(f"{site.path} is in the way and was not installed by mexvoice: move it away.")
    record = installed.read_record(site.path)
    if record is None or record.name != official.name:
        return False
    sums = read_seal(site.path)
    if sums is not None and seal_matches(site.path, sums):
        say(f"{official.name} is installed already in {site.path}.")
        return True
    say(f"{official.name} is installed but damaged; it is installed again.")
    return False


def _expected(official: Official, downloader: Downloader, say: Say) -> Sum:
    """What the archive must be: as pinned, or as the publisher says now."""
    if official.pinned is not None:
        say(f"{official.name} from {official.base}, checked by the SHA-256 sum that mexvoice knows.")
        return official.pinned
    say(
        f"{official.name} from {official.base}: mexvoice knows no sum of it. It is checked by the MD5 sum in"
        f" {official.list_url}, which shows that the download is whole, not who made it."
    )
    return official.listed(downloader.text(official.list_url, LARGEST_LIST))


def _require_room(site: Site, expected: Sum) -> None:
    """Refuse to begin what the disk cannot hold."""
    needed = expected.size * (1 + _ROOM) - site.part.size
    free = shutil.disk_usage(site.path.parent).free
    if free < needed:
        raise MexvoiceError(
            f"The model needs {_megabytes(needed)} in {site.path.parent} and there are {_megabytes(free)}:"
            " make room there, or give another folder with --data DIR."
        )


def _put_in_place(site: Site, record: Record) -> None:
    """Unpack the archive beside its place, try the model, and move it there.

    An archive that is of no use is thrown away; one for which there was no room is kept.
    """
    with site.workshop() as new:
        try:
            unpack(site.part.path, new)
            _try(new, record)
        except MexvoiceError:
            site.part.discard()
            raise
        # These two are ours to write, whatever the archive brought.
        installed.write_record(new, record)
        seal(new, whole_phrases=False)
        site.publish(new)


def _try(path: Path, record: Record) -> None:
    """Let a model hear something, in a process of its own.

    Raises:
        MexvoiceError: when it cannot.
    """
    try:
        check_files(path)
        try_out(path)
    except MexvoiceError as error:
        reason = str(error).replace(f" {path}", "").replace(str(path), "it").split(": ")[0]
        raise MexvoiceError(
            f"{record.name} has arrived as it was published but does not run here ({reason}),"
            " so it was not installed: tell the makers of mexvoice."
        ) from error


def _check(code: str, say: Say, data: Path | None) -> int:
    locale = locales.load(code)
    path = installed.find(code, data)
    if path is not None:
        record = installed.read_record(path)
        sums = read_seal(path)
        if record is None or sums is None or not seal_matches(path, sums):
            raise MexvoiceError(
                f"The model in {path} is no longer what was installed: run 'mexvoice models install {code}'."
            )
        how = "pinned" if record.pinned else "from the publisher's list"
        say(f"{code}: {record.name}, installed from {record.url} ({record.sum}, {how})")
        say("  all its files are as they were installed")
    else:
        say(f"{code}: the built-in model")
    started = time.monotonic()
    model = model_for(code, path or BUILTIN, heard_in(locale), locale.pronounce)
    say(f"  it loads in {time.monotonic() - started:.1f} s")
    coverage = Coverage(locale, model)
    for line in coverage.lines():
        say(f"  {line}")
    return 0 if coverage.playable else 1


def _printer(out: TextIO) -> Say:
    def say(line: str) -> None:
        print(visible(line), file=out, flush=True)

    return say


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB"


class _Gauge:
    """Shows how far a download is: a bar on a terminal, a line for each quarter elsewhere."""

    def __init__(self, name: str, size: int, out: TextIO) -> None:
        self._size = size
        self._out = out
        self._quarter = 0
        self._bar: Progress | None = None
        if out.isatty():
            columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(file=out))
            self._task = self._bar.add_task(name, total=size)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int) -> None:
        """Show that `done` bytes are there."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
            return
        quarter = 4 * done // self._size
        if quarter > self._quarter:
            print(f"{_megabytes(done)} of {_megabytes(self._size)}", file=self._out, flush=True)
        self._quarter = quarter
