"""Asking a server for a file: which addresses are allowed, and what a bad network may do.

Only https is spoken, and plain http to this very machine. Addresses given by redirects obey the same rule,
and a site on the network cannot redirect to this machine.
"""

import contextlib
import functools
import http.client
import ipaddress
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mexvoice import __version__
from mexvoice.errors import MexvoiceError

_CHUNK = 1 << 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
_GONE = frozenset({404, 410})
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_OUTSIDE = frozenset({403, 407, 451, 511})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a bad network is put up with. Times in seconds."""

    silence: float = 20.0
    """A connection that brings nothing for this time is given up."""
    window: float = 60.0
    """So is one that over this time ..."""
    trickle: int = 16_384
    """... brings fewer bytes than this."""
    tries: int = 5
    """Attempts in a row that bring nothing new before a download is given up."""
    pause: float = 1.0
    """Wait before the second attempt; it doubles with each."""


class Cut(Exception):
    """An attempt ended early; another one may do better. The text says why."""


@contextlib.contextmanager
def answer(url: str, headers: Mapping[str, str], patience: Patience) -> Iterator[http.client.HTTPResponse]:
    """A server's answer to a GET, redirects followed, whatever its status.

    Raises:
        Cut: when the server cannot be reached.
        MexvoiceError: when an address is not allowed, or the server is not the one it should be.
    """
    at = url
    for _ in range(_MOST_REDIRECTS + 1):
        _require_safe(at, url)
        response = _request(at, headers, patience.silence)
        with contextlib.closing(response):
            where = response.getheader("Location")
            if response.status not in _REDIRECTS or not where:
                yield response
                return
            try:
                at = urllib.parse.urljoin(at, where)
            except ValueError:
                at = where  # no address at all, and refused as such
    raise MexvoiceError(f"{url} redirects for ever: nothing was taken.")


def chunks(response: http.client.HTTPResponse, patience: Patience) -> Iterator[bytes]:
    """The body of an answer as it comes, until its end.

    Raises:
        Cut: when nothing, or next to nothing, comes any more, or the connection breaks.
    """
    began, got = time.monotonic(), 0
    while True:
        try:
            chunk = response.read1(_CHUNK)
        except TimeoutError:
            raise Cut(f"nothing came for {patience.silence:.0f} seconds") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Cut(f"the connection was cut ({_reason(error)})") from error
        if not chunk:
            return
        got += len(chunk)
        yield chunk
        now = time.monotonic()
        if now - began > patience.window:
            if got < patience.trickle:
                raise Cut("next to nothing came any more")
            began, got = now, 0


def refusal(url: str, status: int) -> Exception:
    """What to raise for an answer that is no success: `Cut` where another attempt may help."""
    if status in _GONE:
        return MexvoiceError(
            f"There is nothing at {url} (HTTP {status}): get a newer mexvoice, or use --from."
        )
    if status in _PASSING:
        return Cut(f"the server is out of order (HTTP {status})")
    if status in _OUTSIDE:
        return MexvoiceError(f"{url} is not allowed from here (HTTP {status}): try another network.")
    return MexvoiceError(f"{url} was answered with HTTP {status}: nothing was taken.")


def _request(url: str, headers: Mapping[str, str], silence: float) -> http.client.HTTPResponse:
    request = urllib.request.Request(
        url, headers={"User-Agent": f"mexvoice/{__version__}", "Accept-Encoding": "identity", **headers}
    )
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        opened = _opener(_is_here(host)).open(request, timeout=silence)
    except (OSError, http.client.HTTPException, ValueError) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, TimeoutError):
            raise Cut(f"{host} does not answer") from None
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise MexvoiceError(
                f"{host} could not prove that it is {host} ({cause.verify_message}): check the date of this"
                " machine and the network it is in."
            ) from error
        raise Cut(f"{host} cannot be reached ({_reason(cause)})") from error
    assert isinstance(opened, http.client.HTTPResponse)
    return opened


@functools.cache
def _opener(here: bool) -> urllib.request.OpenerDirector:
    """Speaks http and https only (no files, no ftp); leaves every status and redirect to the caller."""
    context = ssl.create_default_context()
    # Python on macOS does not know the system's certificates; certifi comes with Vosk.
    with contextlib.suppress(ImportError, OSError):
        import certifi

        context.load_verify_locations(certifi.where())
    opener = urllib.request.OpenerDirector()
    opener.add_handler(urllib.request.ProxyHandler({} if here else None))
    opener.add_handler(urllib.request.HTTPHandler())
    opener.add_handler(urllib.request.HTTPSHandler(context=context))
    return opener


def _require_safe(url: str, asked: str) -> None:
    """Refuse addresses that are neither https nor http on this machine.

    Args:
        url: the address.
        asked: the address the user asked for; `url` is another one after a redirect.

    Raises:
        MexvoiceError: when it is refused.
    """
    scheme, host = _place(url)
    here = _is_here(host)
    if url == asked:
        if not host or scheme not in ("http", "https"):
            raise MexvoiceError(
                f"'{url}' is no address to download from: give one that begins with https://."
            )
        if scheme == "http" and not here:
            raise MexvoiceError(f"'{url}' is not safe: give an address that begins with https://.")
        return
    asked_here = _is_here(_place(asked)[1])
    if not host or not (scheme == "https" or (scheme == "http" and here and asked_here)):
        raise MexvoiceError(f"{asked} redirects to an unsafe place ({url[:200]!a}): nothing was taken.")
    if here and not asked_here:
        raise MexvoiceError(f"{asked} redirects to this machine ({url[:200]!a}): nothing was taken.")


def _place(url: str) -> tuple[str, str]:
    """Scheme and host of an address; empty when it is none."""
    try:
        parts = urllib.parse.urlsplit(url)
        _ = parts.port  # ValueError when it is no number
    except ValueError:
        return "", ""
    return parts.scheme, parts.hostname or ""


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _reason(error: object) -> str:
    """An error in a few words; they may be the server's, so nothing in them may reach the terminal's ear."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    plain = re.sub(r"[^ -~]+", " ", text[:1000])
    return " ".join(plain.split())[:100] or type(error).__name__
