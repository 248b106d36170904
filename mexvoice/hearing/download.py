"""Downloading one file over a bad network: it goes on where it was cut off, and is never taken for whole too
early.

A download is kept in a ``.part`` file, with a note (``.part.json``) of where it comes from and which version
of the file it is. After a cut, in this run or the next, only the rest is asked for (RFC 9110: Range with
If-Range); a server that cannot do that, or has another version by now, sends the whole file and gets a new
start.
"""

import hashlib
import http.client
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.catalogue import Sum
from mexvoice.hearing.connection import Cut, Patience, answer, chunks, refusal

Progress = Callable[[int], None]
"""Told the bytes that are there; they can become fewer, when a download has to start again."""

_PLAIN = re.compile(r"[ -~]*")
"""What may stand in a header."""

_CONTENT_RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15}|\*)")


@dataclass(frozen=True, slots=True)
class _Note:
    """What is known of the file a part belongs to."""

    url: str
    validator: str
    """The ETag, or the date of the last change; empty when the server gave neither."""


class Part:
    """A download that may be unfinished.

    Args:
        path: of its file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._note_path = path.with_name(path.name + ".json")

    @property
    def size(self) -> int:
        """Bytes that are there."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    @property
    def note(self) -> _Note | None:
        """What its bytes belong to; None when that is not known, and they are of no use."""
        try:
            content = json.loads(self._note_path.read_text(encoding="utf-8"))
            url, validator = content["url"], content["validator"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        if not isinstance(url, str) or not isinstance(validator, str) or not _PLAIN.fullmatch(validator):
            return None
        return _Note(url, validator)

    def begin(self, note: _Note, anew: bool) -> int:
        """Get ready for more bytes; the open file's descriptor, at its end."""
        if anew:
            self.discard()  # before the note changes: these bytes must not get the note of another version
        self._note_path.write_text(json.dumps(asdict(note)) + "\n", encoding="utf-8")
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)

    def discard(self) -> None:
        """Throw away what is there."""
        self.path.unlink(missing_ok=True)
        self._note_path.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Throw away a note without bytes: what is left of a run that was killed before the first of them, or
        while it discarded them."""
        if not self.path.exists():
            self._note_path.unlink(missing_ok=True)

    def matches(self, expected: Sum) -> bool:
        """Whether it has the size and the sum it must have.

        Raises:
            OSError: when it cannot be read.
        """
        if self.size != expected.size:
            return False
        with self.path.open("rb") as stream:
            # MD5 is no protection against forgery, but it is what the publisher gives for some models.
            digest = hashlib.file_digest(
                stream, lambda: hashlib.new(expected.algorithm, usedforsecurity=False)
            )
        return digest.hexdigest() == expected.digest


class Downloader:
    """Downloads files.

    Args:
        patience: how long to wait and how often to try.
        sleep: waits some seconds between attempts.
    """

    def __init__(self, patience: Patience | None = None, sleep: Callable[[float], None] = time.sleep) -> None:
        self._patience = patience or Patience()
        self._sleep = sleep

    def text(self, url: str, limit: int) -> bytes:
        """A short file, whole.

        Args:
            url: its address.
            limit: the most bytes it may have.

        Raises:
            MexvoiceError: when it cannot be had.
        """
        fruitless = 0
        while True:
            try:
                return self._whole(url, limit)
            except Cut as cut:
                fruitless += 1
                self._wait(url, fruitless, str(cut))

    def file(self, url: str, part: Part, expected: Sum, progress: Progress | None = None) -> None:
        """Download a file into `part`, going on where an earlier attempt left off, until it is what it must
        be.

        Args:
            url: its address.
            part: where the bytes go; it may hold a beginning from an earlier run.
            expected: size and sum of the file.
            progress: told how far it is.

        Raises:
            MexvoiceError: when it cannot be had. What has come stays in `part`, unless it is of no use.
        """
        progress = progress or (lambda _: None)
        pieces = self._fetch(url, part, expected.size, progress)
        if not part.matches(expected) and pieces > 1:
            # Pieces of two versions, where the server did not tell them apart: all of it again.
            part.discard()
            self._fetch(url, part, expected.size, progress)
        if not part.matches(expected):
            part.discard()
            raise MexvoiceError(
                f"{url} sends another file than expected (its {expected.algorithm.upper()} sum is not"
                f" {expected.digest}): nothing was installed."
            )

    def _fetch(self, url: str, part: Part, size: int, progress: Progress) -> int:
        """Try until `part` has `size` bytes; how many pieces it is made of, at least."""
        best = fruitless = pieces = 0
        while True:
            before = part.size
            try:
                return pieces + self._attempt(url, part, size, progress)
            except Cut as cut:
                done = part.size
                pieces += done > before
                fruitless = 0 if done > best else fruitless + 1
                best = max(best, done)
                self._wait(url, fruitless, str(cut), done)

    def _wait(self, url: str, fruitless: int, why: str, kept: int = 0) -> None:
        """Wait for the next attempt, or give up."""
        if fruitless >= self._patience.tries:
            rest = f"; {kept / 1e6:.1f} MB are here already" if kept else ""
            raise MexvoiceError(
                f"The download of {url} failed: {why}. Run the same command again later{rest}."
            )
        self._sleep(self._patience.pause * 2 ** max(0, fruitless - 1))

    def _whole(self, url: str, limit: int) -> bytes:
        with answer(url, {}, self._patience) as response:
            if response.status != 200:
                raise refusal(url, response.status)
            total = _total(response)
            got = bytearray()
            for chunk in chunks(response, self._patience):
                got += chunk
                if len(got) > limit:
                    raise MexvoiceError(f"{url} sends far more than expected: nothing was taken.")
        if total is not None and len(got) != total:
            raise Cut("the connection was cut")
        return bytes(got)

    def _attempt(self, url: str, part: Part, size: int, progress: Progress) -> int:
        """One request; returns when all bytes are there, with the number of pieces (1 or 2) that makes.

        Raises:
            Cut: when they are not, and another attempt may bring more.
            MexvoiceError: when no attempt will.
        """
        note, have = part.note, part.size
        if note is None or note.url != url or have > size:
            note, have = None, 0
        if note is not None and have == size:
            progress(have)
            return 2
        headers = {}
        if note is not None and have:
            headers["Range"] = f"bytes={have}-"
            if note.validator:
                headers["If-Range"] = note.validator
        with answer(url, headers, self._patience) as response:
            start, total = self._begin(url, response, part, have, note)
            if total not in (None, size):
                raise _another(url, f"{total} bytes, not {size}")
            validator = _validator(response) or (note.validator if note and start else "")
            done = self._receive(response, part, start, _Note(url, validator), size, progress)
            whole = response.chunked and response.isclosed()
        if done > size or (done < size and whole):
            part.discard()
            raise _another(url, f"{'more' if done > size else 'fewer'} than {size} bytes")
        if done < size:
            raise Cut("the connection was cut")
        return 2 if start else 1

    def _begin(
        self, url: str, response: http.client.HTTPResponse, part: Part, have: int, note: _Note | None
    ) -> tuple[int, int | None]:
        """Where in the file the answer begins, and the bytes of the whole file if the server says."""
        if response.getheader("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
            raise MexvoiceError(f"{url} sends the file in another form than asked for: nothing was taken.")
        if response.status == 200:
            return 0, _total(response)
        if response.status == 206 and have:
            found = _CONTENT_RANGE.fullmatch(response.getheader("Content-Range", "").strip())
            if found is None or int(found[1]) != have:
                part.discard()
                raise Cut("the server sent another piece of the file than asked for")
            validator = _validator(response)
            if note is not None and note.validator and validator and validator != note.validator:
                part.discard()
                raise Cut("the file at the server has changed")
            return have, None if found[2] == "*" else int(found[2])
        if response.status == 416 and have:
            part.discard()
            raise Cut("the file at the server has changed")
        raise refusal(url, response.status)

    def _receive(
        self,
        response: http.client.HTTPResponse,
        part: Part,
        start: int,
        note: _Note,
        size: int,
        progress: Progress,
    ) -> int:
        """Write what comes to `part`, from byte `start` on, until that is more than `size`; the bytes that
        came to be there, or would have."""
        done = start
        try:
            descriptor = part.begin(note, anew=not start)
        except OSError as error:
            raise _unwritable(part, error) from error
        try:
            progress(done)
            for chunk in chunks(response, self._patience):
                done += len(chunk)
                if done > size:
                    return done
                try:
                    _write(descriptor, chunk)
                except OSError as error:
                    raise _unwritable(part, error) from error
                progress(done)
        finally:
            os.close(descriptor)
        return done


def _another(url: str, how: str) -> MexvoiceError:
    return MexvoiceError(f"{url} sends another file than expected ({how}): nothing was installed.")


def _unwritable(part: Part, error: OSError) -> MexvoiceError:
    return MexvoiceError(
        f"The download cannot be written to {part.path.parent} ({error.strerror}):"
        " make room there, or give another folder with --data DIR."
    )


def _validator(response: http.client.HTTPResponse) -> str:
    """What tells this version of a file from others: a strong ETag, or else the date of the last change."""
    tag = (response.getheader("ETag") or "").strip()
    chosen = tag if tag and not tag.startswith("W/") else (response.getheader("Last-Modified") or "").strip()
    return chosen if _PLAIN.fullmatch(chosen) else ""


def _total(response: http.client.HTTPResponse) -> int | None:
    """The length an answer says it has."""
    text = (response.getheader("Content-Length") or "").strip()
    return int(text) if re.fullmatch(r"\d{1,15}", text) else None


def _write(descriptor: int, data: bytes) -> None:
    """Write all of `data`, unbuffered: the size of the file is then what has come, also after a crash."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
