"""Where a model is installed, and how one gets there whole or not at all.

A model is unpacked and tried beside its place, in a folder whose name begins with a dot, and moved there by
one rename; what is in its place is therefore complete, also when the program was killed or the power failed.
A lock that dies with its owner keeps two installations of one language apart, so anything left over when the
lock is free is of a run that has ended.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import filelock

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.download import Part
from mexvoice.hearing.installed import CODE, RECORD, models_folder
from mexvoice.hearing.unpacking import sync_folder


class Site:
    """The place where the model of one language is installed, locked for this process.

    Attributes:
        path: the model's directory, there or not.
        part: its download.
    """

    def __init__(self, folder: Path, code: str) -> None:
        self._folder = folder
        self._code = code
        self.path = folder / code
        self.part = Part(folder / f".{code}.zip.part")

    @contextlib.contextmanager
    def workshop(self) -> Iterator[Path]:
        """A new folder beside the place; gone afterwards unless it was published.

        Raises:
            MexvoiceError: when something in it cannot be written.
        """
        try:
            path = Path(tempfile.mkdtemp(prefix=f".{self._code}-new-", dir=self._folder))
        except OSError as error:
            raise unwritable(self._folder, error) from error
        path.chmod(0o755)
        try:
            yield path
        except OSError as error:
            raise unwritable(self._folder, error) from error
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def publish(self, workshop: Path) -> None:
        """Put a finished model in its place, instead of an older one.

        Raises:
            OSError: when it cannot be done; what was there is still there.
        """
        for file in workshop.iterdir():
            if file.is_file():  # what was written after unpacking: the record and the seal
                _sync(file)
        sync_folder(workshop)
        if not self.path.exists():
            workshop.rename(self.path)
        else:
            aside = self._aside()
            self.path.rename(aside / "model")
            try:
                workshop.rename(self.path)
            except OSError:
                (aside / "model").rename(self.path)
                raise
            _destroy(aside)
        sync_folder(self._folder)

    def clear(self) -> bool:
        """Remove the model and what there is of its download; whether there was a model.

        Raises:
            MexvoiceError: when it cannot be removed.
        """
        there = (self.path / RECORD).is_file()
        try:
            if there:
                aside = self._aside()
                self.path.rename(aside / "model")
                _destroy(aside)
            self.part.discard()
        except OSError as error:
            raise MexvoiceError(
                f"{self.path} cannot be removed ({error.strerror}): end every other mexvoice first."
            ) from error
        return there

    def _aside(self) -> Path:
        return Path(tempfile.mkdtemp(prefix=f".{self._code}-old-", dir=self._folder))

    def sweep(self) -> None:
        """Remove what killed runs have left; a model they had moved aside goes back to its place."""
        for aside in self._folder.glob(f".{self._code}-old-*"):
            if not self.path.exists() and (aside / "model" / RECORD).is_file():
                with contextlib.suppress(OSError):
                    (aside / "model").rename(self.path)
            _destroy(aside)
        for new in self._folder.glob(f".{self._code}-new-*"):
            shutil.rmtree(new, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.part.tidy()


def _sync(file: Path) -> None:
    with file.open("r+b") as stream:
        os.fsync(stream.fileno())


def _destroy(aside: Path) -> None:
    """Remove a model that was moved aside, its record first: what is half removed must not come back."""
    with contextlib.suppress(OSError):
        (aside / "model" / RECORD).unlink(missing_ok=True)
        shutil.rmtree(aside)


@contextlib.contextmanager
def locked_site(code: str, data: Path | None = None) -> Iterator[Site]:
    """The place for the model of a language, swept, for this process alone.

    Raises:
        MexvoiceError: when another process has it, or the data folder cannot be written.
    """
    if not CODE.fullmatch(code):
        raise MexvoiceError(f"'{code}' is no language: give a code like 'de'.")
    folder = models_folder(data)
    lock = filelock.FileLock(folder / f".{code}.lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise MexvoiceError(
            f"Another mexvoice is at work on the model '{code}': wait until it has finished."
        ) from None
    except (OSError, NotImplementedError) as error:
        raise unwritable(folder, error) from error
    try:
        site = Site(folder, code)
        site.sweep()
        yield site
    finally:
        lock.release()


def unwritable(folder: Path, error: Exception) -> MexvoiceError:
    """The sentence for a data folder that cannot be written."""
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return MexvoiceError(
        f"The models folder {folder} cannot be written ({reason}):"
        " make room there, or give another folder with --data DIR."
    )
