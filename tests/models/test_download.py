"""Downloads from a server that cuts, stalls, lies and errs."""

import hashlib
import random
import time
from pathlib import Path

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.catalogue import Sum
from mexvoice.hearing.download import Downloader, Part
from tests.models.server import (
    Answer,
    Request,
    Site,
    claim,
    cut,
    in_chunks,
    raw,
    redirect,
    silent,
    stall,
    status,
    trickle,
    whole,
)

DATA = random.Random(1).randbytes(100_000)
OTHER = random.Random(2).randbytes(100_000)
EXPECTED = Sum("sha256", hashlib.sha256(DATA).hexdigest(), len(DATA))


@pytest.fixture
def part(tmp_path: Path) -> Part:
    """A download that has not begun."""
    return Part(tmp_path / "file.part")


def test_whole_file(site: Site, hasty: Downloader, part: Part) -> None:
    """A good server needs one request, and the progress runs to the end."""
    seen: list[int] = []
    hasty.file(site.serve("/file", whole(DATA)), part, EXPECTED, seen.append)
    assert part.path.read_bytes() == DATA
    assert seen[0] == 0 and seen[-1] == len(DATA) and seen == sorted(seen)
    assert site.asked_from() == [""]


def test_cut_connection_goes_on_in_the_same_run(site: Site, hasty: Downloader, part: Part) -> None:
    """Each request asks for what is missing, of the same version."""
    url = site.serve("/file", cut(DATA, 30_000), cut(DATA, 20_000), whole(DATA))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", "bytes=30000-", "bytes=50000-"]
    assert [asked.headers.get("If-Range") for asked in site.requests] == [None, '"v1"', '"v1"']


def test_cut_connection_goes_on_in_the_next_run(site: Site, hasty: Downloader, part: Part) -> None:
    """What came in a run that failed is not asked for again."""
    url = site.serve("/file", cut(DATA, 40_000), status(503))
    with pytest.raises(MexvoiceError, match=r"out of order \(HTTP 503\).*0\.0 MB are here already"):
        hasty.file(url, part, EXPECTED)
    site.serve("/file", whole(DATA))
    site.requests.clear()
    hasty.file(url, Part(part.path), EXPECTED)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["bytes=40000-"]


def test_many_cuts(site: Site, hasty: Downloader, part: Part) -> None:
    """As long as something new comes, there is no end to the patience."""
    url = site.serve("/file", cut(DATA, 7_000))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", *(f"bytes={at}-" for at in range(7_000, 100_000, 7_000))]


def test_finished_part_is_not_downloaded_again(site: Site, hasty: Downloader, part: Part) -> None:
    """A run that ended between download and installation left all bytes."""
    url = site.serve("/file", whole(DATA))
    hasty.file(url, part, EXPECTED)
    hasty.file(url, part, EXPECTED)
    assert len(site.requests) == 1


def test_server_that_cannot_go_on(site: Site, hasty: Downloader, part: Part) -> None:
    """A server without ranges sends all of it again; the beginning is not doubled."""
    url = site.serve("/file", cut(DATA, 30_000, ranges=False), whole(DATA, ranges=False))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", "bytes=30000-"]


@pytest.mark.parametrize("etag", ['"v2"', None, 'W/"v1"'])
def test_file_that_changes_between_two_parts(
    site: Site, hasty: Downloader, part: Part, etag: str | None
) -> None:
    """The first part is of another file; the result is the second file, whole, or nothing."""
    url = site.serve("/file", cut(OTHER, 30_000, etag='"v1"'), whole(DATA, etag=etag))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA


def test_file_that_changes_where_versions_have_no_names(site: Site, hasty: Downloader, part: Part) -> None:
    """Two parts of two files have the wrong sum; then all of it is downloaded once more."""
    url = site.serve("/file", cut(OTHER, 30_000, etag=None), whole(DATA, etag=None))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", "bytes=30000-", ""]


def test_server_that_ignores_the_version(site: Site, hasty: Downloader, part: Part) -> None:
    """A piece that says it is of another version is not added."""

    def piece(request: Request) -> None:
        start = int(request.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        rest = DATA[start:]
        headers = {"Content-Range": f"bytes {start}-{len(DATA) - 1}/{len(DATA)}", "ETag": '"v2"'}
        request.head(206, {"Content-Length": str(len(rest)), **headers})
        request.wfile.write(rest)

    seen: list[int] = []
    url = site.serve("/file", cut(OTHER, 30_000), piece, whole(DATA))
    hasty.file(url, part, EXPECTED, seen.append)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", "bytes=30000-", ""]
    again = len(seen) - seen[::-1].index(0) - 1
    assert max(seen[:again]) == 30_000


@pytest.mark.parametrize("piece", ["bytes 0-99999/100000", "bytes 31000-99999/100000", "nonsense", ""])
def test_wrong_piece(site: Site, hasty: Downloader, part: Part, piece: str) -> None:
    """A server that answers with another piece than asked for gets a new start."""

    def answer(request: Request) -> None:
        request.head(206, {"Content-Length": "70000", "Content-Range": piece})
        request.wfile.write(DATA[30_000:])

    url = site.serve("/file", cut(DATA, 30_000), answer, whole(DATA))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", "bytes=30000-", ""]


def test_stale_part_of_another_address(site: Site, hasty: Downloader, part: Part) -> None:
    """A beginning that came from another place is of no use."""
    with pytest.raises(MexvoiceError):
        hasty.file(site.serve("/other", cut(OTHER, 30_000), status(404)), part, EXPECTED)
    site.requests.clear()
    hasty.file(site.serve("/file", whole(DATA)), part, EXPECTED)
    assert site.asked_from() == [""]


@pytest.mark.parametrize(
    "note", ["", "[]", "{}", '{"url": 1, "validator": 2}', '{"url": "x\\n", "validator": "\\n"}', "[" * 9999]
)
def test_damaged_note(site: Site, hasty: Downloader, part: Part, note: str) -> None:
    """A part whose note is damaged is downloaded anew."""
    part.path.write_bytes(OTHER[:500])
    part.path.with_name("file.part.json").write_text(note, encoding="utf-8")
    hasty.file(site.serve("/file", whole(DATA)), part, EXPECTED)
    assert part.path.read_bytes() == DATA


def test_part_that_is_too_long(site: Site, hasty: Downloader, part: Part) -> None:
    """So is one with more bytes than the file has."""
    url = site.serve("/file", cut(DATA, 30_000), status(404))
    with pytest.raises(MexvoiceError):
        hasty.file(url, part, EXPECTED)
    part.path.write_bytes(DATA + b"more")
    site.serve("/file", whole(DATA))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA


FATAL: dict[str, tuple[Answer, str]] = {
    "another file of the same length": (whole(OTHER), "SHA256 sum is not"),
    "another file, longer": (whole(OTHER + b"x"), "100001 bytes, not 100000"),
    "another file, shorter": (whole(OTHER[:-1]), "99999 bytes, not 100000"),
    "a page instead of the file": (whole(b"<html>Please log in</html>"), "26 bytes, not 100000"),
    "a page in chunks": (in_chunks(b"<html>Please log in</html>"), "fewer than 100000"),
    "another file in chunks": (in_chunks(OTHER + b"x"), "more than 100000"),
    "no end": (claim(DATA * 20, None), "more than 100000"),
    "an absurd length": (claim(DATA, 10**14), "100000000000000 bytes, not"),
    "nothing there": (status(404), r"There is nothing at .*HTTP 404"),
    "gone": (status(410), r"HTTP 410"),
    "forbidden": (status(403), r"not allowed from here \(HTTP 403\)"),
    "a proxy": (status(407), r"not allowed from here \(HTTP 407\)"),
    "no content": (status(204), r"HTTP 204"),
    "a piece nobody asked for": (status(206, DATA), r"HTTP 206"),
    "not satisfiable": (status(416), r"HTTP 416"),
    "a teapot": (status(418), r"HTTP 418"),
    "another coding": (whole(DATA, headers={"Content-Encoding": "gzip"}), "another form"),
}


@pytest.mark.parametrize("name", FATAL)
def test_no_second_attempt(site: Site, hasty: Downloader, part: Part, name: str) -> None:
    """What another attempt cannot mend is said at once, and no wrong byte is kept."""
    answer, message = FATAL[name]
    with pytest.raises(MexvoiceError, match=message):
        hasty.file(site.serve("/file", answer), part, EXPECTED)
    assert len(site.requests) == 1
    assert not part.path.exists()


PASSING: dict[str, tuple[Answer, str]] = {
    "error 500": (status(500), r"out of order \(HTTP 500\)"),
    "too many": (status(429), r"out of order \(HTTP 429\)"),
    "not HTTP": (raw(b"220 smtp ready\r\n"), "cannot be reached"),
    "plays with the terminal": (raw(b"\x1b]0;title\x07\x9b2J\r\n"), r"cannot be reached \([ -~]*\)\."),
    "hangs up": (raw(b""), "cannot be reached"),
    "endless header": (raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n"), "cannot be reached"),
    "wrong chunks": (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), "was cut"),
    "no length, too short": (claim(DATA[:1000], None), "was cut"),
    "promises more than it sends, always": (claim(DATA[:1000], len(DATA)), "was cut"),
    "chunks that end early": (in_chunks(DATA[:5000], end=False), "was cut"),
}


@pytest.mark.parametrize("name", PASSING)
def test_some_more_attempts(site: Site, hasty: Downloader, part: Part, name: str) -> None:
    """What may pass is tried some times more; then the user is told."""
    answer, message = PASSING[name]
    with pytest.raises(MexvoiceError, match=f"failed: .*{message}.*Run the same command again"):
        hasty.file(site.serve("/file", answer), part, EXPECTED)
    assert 3 <= len(site.requests) <= 5


@pytest.mark.parametrize("name", PASSING)
def test_it_passes(site: Site, hasty: Downloader, part: Part, name: str) -> None:
    """And when it has passed, the file comes."""
    hasty.file(site.serve("/file", PASSING[name][0], whole(DATA)), part, EXPECTED)
    assert part.path.read_bytes() == DATA
    assert len(site.requests) == 2


@pytest.mark.alone
def test_stalled_connection(site: Site, impatient: Downloader, part: Part) -> None:
    """A line on which nothing comes is given up, and the rest comes by another."""
    url = site.serve("/file", stall(DATA, 30_000, site), silent(site), whole(DATA))
    started = time.monotonic()
    impatient.file(url, part, EXPECTED)
    assert 1.4 <= time.monotonic() - started < 20
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", "bytes=30000-", "bytes=30000-"]


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["stalls", "never answers", "trickles"])
def test_connection_that_always_stalls(site: Site, impatient: Downloader, part: Part, kind: str) -> None:
    """A server that keeps the line open for ever does not keep the user for ever."""
    answer = {
        "stalls": stall(DATA, 0, site),
        "never answers": silent(site),
        "trickles": trickle(DATA, 0.1, site),
    }
    said = {"stalls": "nothing came for", "never answers": "does not answer", "trickles": "next to nothing"}
    started = time.monotonic()
    with pytest.raises(MexvoiceError, match=said[kind]):
        impatient.file(site.serve("/file", answer[kind]), part, EXPECTED)
    assert time.monotonic() - started < 30


def test_no_server(hasty: Downloader, part: Part) -> None:
    """Where no one listens, that is said."""
    with Site() as gone:
        url = gone.url
    with pytest.raises(MexvoiceError, match=r"127\.0\.0\.1 cannot be reached \(Connection refused\)"):
        hasty.file(url + "file", part, EXPECTED)


def test_unknown_host(hasty: Downloader, part: Part) -> None:
    """A host that does not exist (or no network at all) is a sentence too."""
    with pytest.raises(MexvoiceError, match=r"no-such-host\.invalid cannot be reached"):
        hasty.file("https://no-such-host.invalid/file", part, EXPECTED)


def test_waits_grow(site: Site) -> None:
    """Attempts are spaced: 1, 1, 2, 4 seconds with the usual patience."""
    waits: list[float] = []
    downloader = Downloader(sleep=waits.append)
    with pytest.raises(MexvoiceError):
        downloader.text(site.serve("/list", status(500)), 1000)
    assert waits == [1, 2, 4, 8]


def test_short_text(site: Site, hasty: Downloader) -> None:
    """A short file comes whole, also when the first line was cut."""
    assert hasty.text(site.serve("/list", cut(b"a" * 900, 100), whole(b"a" * 900)), 1000) == b"a" * 900


@pytest.mark.parametrize("answer", [whole(b"a" * 1001), in_chunks(b"a" * 5000), claim(b"a" * 5000, None)])
def test_short_text_that_is_long(site: Site, hasty: Downloader, answer: Answer) -> None:
    """No more is taken than may come."""
    with pytest.raises(MexvoiceError, match="far more than expected"):
        hasty.text(site.serve("/list", answer), 1000)


def test_short_text_that_is_cut_for_ever(site: Site, hasty: Downloader) -> None:
    """A cut list is never taken for a whole one."""
    with pytest.raises(MexvoiceError, match="the connection was cut"):
        hasty.text(site.serve("/list", cut(b"a" * 900, 100)), 1000)


def test_redirects_on_this_machine(site: Site, hasty: Downloader, part: Part) -> None:
    """Redirects are followed, relative ones too, and the ranges go with them."""
    site.serve("/there", cut(DATA, 30_000), whole(DATA))
    url = site.serve("/file", redirect("there"), redirect(site.url + "there", 307))
    hasty.file(url, part, EXPECTED)
    assert part.path.read_bytes() == DATA
    assert site.asked_from() == ["", "", "bytes=30000-", "bytes=30000-"]


@pytest.mark.parametrize(
    "where",
    [
        "http://example.org/file",
        "ftp://127.0.0.1/file",
        "file:///etc/passwd",
        "data:text/plain,hello",
        "//example.org/file",
        "http://127.0.0.1@example.org/file",
        "http://127.0.0.1.example.org/file",
        "http://[::1",
        "http://127.0.0.1:port/file",
        "javascript:alert(1)",
        "https:///file",
    ],
)
def test_redirect_to_an_unsafe_place(site: Site, hasty: Downloader, part: Part, where: str) -> None:
    """From this machine one may be sent to https, or about this machine, and nowhere else."""
    with pytest.raises(MexvoiceError, match="redirects to an unsafe place"):
        hasty.file(site.serve("/file", redirect(where)), part, EXPECTED)
    assert not part.path.exists()


def test_redirect_without_end(site: Site, hasty: Downloader, part: Part) -> None:
    """A circle ends."""
    with pytest.raises(MexvoiceError, match="redirects for ever"):
        hasty.file(site.serve("/file", redirect("/file")), part, EXPECTED)
    assert len(site.requests) == 6


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://example.org/f", "not safe"),
        ("ftp://example.org/f", "no address to download from"),
        ("file:///etc/passwd", "no address to download from"),
        ("example.org/f", "no address to download from"),
        ("https://", "no address to download from"),
        ("", "no address to download from"),
        ("http://127.0.0.1:99999/f", "no address to download from"),
    ],
)
def test_unsafe_address(hasty: Downloader, part: Part, url: str, message: str) -> None:
    """Only https, and http on this machine."""
    with pytest.raises(MexvoiceError, match=message):
        hasty.file(url, part, EXPECTED)


def test_md5_is_checked_too(site: Site, hasty: Downloader, part: Part) -> None:
    """Where the publisher gives an MD5 sum it must be right."""
    right = Sum("md5", hashlib.md5(DATA).hexdigest(), len(DATA))
    url = site.serve("/file", whole(DATA))
    hasty.file(url, part, right)
    part.discard()
    with pytest.raises(MexvoiceError, match="MD5 sum is not"):
        hasty.file(url, part, Sum("md5", "0" * 32, len(DATA)))
    assert not part.path.exists()


def test_folder_that_cannot_be_written(site: Site, hasty: Downloader, tmp_path: Path) -> None:
    """A file where the folder should be: one sentence, which names the way out."""
    (tmp_path / "folder").write_text("a file", encoding="ascii")
    with pytest.raises(MexvoiceError, match=r"cannot be written .*--data DIR"):
        hasty.file(site.serve("/file", whole(DATA)), Part(tmp_path / "folder" / "x.part"), EXPECTED)
