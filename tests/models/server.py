"""A web server on this machine that behaves as badly as asked."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

Answer = Callable[["Request"], None]
"""Answers one request."""


class Request(BaseHTTPRequestHandler):
    """One request; an `Answer` writes what it likes."""

    protocol_version = "HTTP/1.1"
    site: ClassVar["Site"]

    def do_GET(self) -> None:
        """Hand the request to the site."""
        self.site.requests.append(Asked(self.path, dict(self.headers.items())))
        self.close_connection = True
        answer = self.site.next_answer(self.path)
        if answer is None:
            self.head(404, {"Content-Length": "0"})
        else:
            answer(self)

    def head(self, status: int, headers: dict[str, str]) -> None:
        """Send a status and headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    path: str
    headers: dict[str, str]


@dataclass
class Site:
    """What is served: per path the answers, one after the other, the last one for ever."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    requests: list[Asked] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def serve(self, path: str, *answers: Answer) -> str:
        """Answer a path so; its address."""
        self.answers[path] = list(answers)
        return self.url + path.removeprefix("/")

    def next_answer(self, path: str) -> Answer | None:
        """The answer that is due."""
        waiting = self.answers.get(path)
        if not waiting:
            return None
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    def asked_from(self) -> list[str]:
        """The ranges asked for, in order; empty where the whole was."""
        return [asked.headers.get("Range", "") for asked in self.requests]

    def __enter__(self) -> Self:
        handler = type("Handler", (Request,), {"site": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        # The reader goes away whenever it likes here: no traceback for that.
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def whole(
    data: bytes, etag: str | None = '"v1"', ranges: bool = True, headers: dict[str, str] | None = None
) -> Answer:
    """A good server: the file, or the rest asked for when the version is the one it has."""

    def answer(request: Request) -> None:
        start = 0
        asked = request.headers.get("Range", "")
        version = request.headers.get("If-Range")
        if ranges and asked and (version is None or version == etag):
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
        own = {"Content-Length": str(len(data) - start), **(headers or {})}
        if etag is not None:
            own["ETag"] = etag
        if start >= len(data) and start:
            request.head(416, {"Content-Range": f"bytes */{len(data)}", "Content-Length": "0"})
            return
        if start:
            own["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        request.head(206 if start else 200, own)
        request.wfile.write(data[start:])

    return answer


def cut(data: bytes, after: int, etag: str | None = '"v1"', ranges: bool = True) -> Answer:
    """Promise the rest of the file and send `after` bytes of it."""
    good = whole(data, etag, ranges)

    def answer(request: Request) -> None:
        request.wfile = _Short(request.wfile, after)  # type: ignore[assignment]
        good(request)

    return answer


class _Short:
    """Lets headers pass, and so many bytes of a body."""

    def __init__(self, stream: Any, left: int) -> None:
        self._stream = stream
        self._left = left
        self._head = True
        self.closed = False

    def write(self, data: bytes) -> None:
        """Write what may still be written."""
        if self._head:
            self._stream.write(data)
            self._head = not data.endswith(b"\r\n\r\n")
            return
        self._stream.write(data[: self._left])
        self._left -= min(self._left, len(data))

    def flush(self) -> None:
        """Send what is there."""
        self._stream.flush()

    def close(self) -> None:
        """Close."""
        self._stream.close()


def stall(data: bytes, after: int, site: Site) -> Answer:
    """Send some bytes, then nothing, and keep the line open."""

    def answer(request: Request) -> None:
        request.head(200, {"Content-Length": str(len(data)), "ETag": '"v1"'})
        request.wfile.write(data[:after])
        request.wfile.flush()
        site.closing.wait(30)

    return answer


def trickle(data: bytes, pause: float, site: Site) -> Answer:
    """Send the file byte by byte."""

    def answer(request: Request) -> None:
        request.head(200, {"Content-Length": str(len(data))})
        for at in range(len(data)):
            request.wfile.write(data[at : at + 1])
            request.wfile.flush()
            if site.closing.wait(pause):
                return

    return answer


def silent(site: Site) -> Answer:
    """Say nothing at all."""

    def answer(_: Request) -> None:
        site.closing.wait(30)

    return answer


def status(number: int, body: bytes = b"") -> Answer:
    """Nothing but a status."""

    def answer(request: Request) -> None:
        request.head(number, {"Content-Length": str(len(body))})
        request.wfile.write(body)

    return answer


def redirect(where: str, number: int = 302) -> Answer:
    """Another place."""

    def answer(request: Request) -> None:
        request.head(number, {"Location": where, "Content-Length": "0"})

    return answer


def claim(data: bytes, length: int | None) -> Answer:
    """Send `data` and claim another length; None claims nothing and closes the line at the end."""

    def answer(request: Request) -> None:
        request.head(200, {} if length is None else {"Content-Length": str(length)})
        request.wfile.write(data)

    return answer


def in_chunks(data: bytes, end: bool = True) -> Answer:
    """Send `data` in pieces that say how long they are, and not how long the whole is."""

    def answer(request: Request) -> None:
        request.head(200, {"Transfer-Encoding": "chunked"})
        for at in range(0, len(data), 1000):
            piece = data[at : at + 1000]
            request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if end:
            request.wfile.write(b"0\r\n\r\n")

    return answer


def raw(data: bytes) -> Answer:
    """Send bytes that need not be HTTP."""

    def answer(request: Request) -> None:
        request.wfile.write(data)

    return answer
