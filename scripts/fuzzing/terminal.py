"""The program on a pseudo-terminal, and what happens there."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from scripts.fuzzing.case import Event, Hangup, Size

FIRST_SIZE: Final = Size(30, 100)
DRAWN_BYTES: Final = 1000
"""A screen has been drawn when there are so many: the program is there, and takes keys."""

LEFT: Final = b"\x1b[?1049l"
"""What a program writes that has left the screen."""

START_SECONDS: Final = 40.0
"""It takes so long at most to draw its first screen, on a busy machine."""

GAP_SECONDS: Final = 0.02
"""Between two events: less than it takes to draw, so that some come in the middle of it."""

LAST_GAP_SECONDS: Final = 1.0
"""Before the last event, which leaves."""

AGAIN_SECONDS: Final = 4.0
"""A key that leaves is pressed again so often: what came before may have made something else of it."""

ROOM_SECONDS: Final = 1.0
"""So long it is waited for room in the terminal for a key, and for the last one as long as for the end."""

END_SECONDS: Final = 20.0
"""A program that was left gets so long to end."""


def run(
    program: Sequence[str | bytes], script: Sequence[Event], folder: Path, environment: Mapping[str, str]
) -> tuple[int, bytes]:
    """Run a program on a terminal where all of this happens; its exit status, and what it drew.

    The status is 124 for a program that did not end, 0 for one that was ended by the last event of the
    script, a signal or a closed terminal.
    """
    main, terminal = pty.openpty()
    _resize(main, FIRST_SIZE)
    ours = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        program,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=folder,
        env=ours | {"TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(terminal)
    drawn = bytearray()
    closed = False
    try:
        limit = time.monotonic() + START_SECONDS
        while len(drawn) < DRAWN_BYTES and process.poll() is None and time.monotonic() < limit:
            _read(main, drawn, 0.1)
        for left, event in zip(range(len(script) - 1, -1, -1), script, strict=True):
            if process.poll() is not None or LEFT in drawn:
                break  # what is typed now, the system itself draws
            _read(main, drawn, GAP_SECONDS if left else LAST_GAP_SECONDS)
            if isinstance(event, Hangup):
                os.close(main)
                closed = True
                process.send_signal(signal.SIGHUP)  # which the system sends with a terminal that goes
            else:
                _happen(event, main, process, drawn, ROOM_SECONDS if left else END_SECONDS)
        told = time.monotonic()
        limit = told + END_SECONDS
        while process.poll() is None and time.monotonic() < limit:
            if closed:
                time.sleep(0.05)
                continue
            _read(main, drawn, 0.1)
            last = script[-1] if script else None
            if isinstance(last, bytes) and time.monotonic() - told > AGAIN_SECONDS and LEFT not in drawn:
                told = time.monotonic()
                _write(main, last, drawn, END_SECONDS)
        if not closed:
            _read(main, drawn, 0.1)
        status = process.poll()
    finally:
        process.kill()
        process.wait()
        if not closed:
            os.close(main)
    return _judged(status, script), bytes(drawn) if not closed else b""


def _judged(status: int | None, script: Sequence[Event]) -> int:
    if status is None:
        return 124
    last = script[-1] if script else b""
    by_signal = isinstance(last, signal.Signals) and -status in (last, signal.SIGHUP)
    return 0 if by_signal or isinstance(last, Hangup) else status


def _happen(
    event: Event, main: int, process: "subprocess.Popen[bytes]", drawn: bytearray, room_seconds: float
) -> None:
    match event:
        case Size():
            _resize(main, event)
            process.send_signal(signal.SIGWINCH)
        case signal.Signals():
            process.send_signal(event)
        case bytes():
            _write(main, event, drawn, room_seconds)


def _write(main: int, data: bytes, drawn: bytearray, seconds: float) -> None:
    """Type, as far as the terminal takes it: what finds no room for so long is not typed.

    What is drawn meanwhile is taken, for a program that cannot draw does not read either.
    """
    limit = time.monotonic() + seconds
    with contextlib.suppress(OSError):
        while data and (rest := limit - time.monotonic()) > 0:
            readable, writable, _ = select.select([main], [main], [], rest)
            if readable:
                drawn += os.read(main, 65536)
            if writable:
                data = data[os.write(main, data[:512]) :]
                limit = time.monotonic() + seconds


def _read(main: int, drawn: bytearray, seconds: float) -> None:
    """Take what is drawn within some seconds."""
    limit = time.monotonic() + seconds
    while (rest := limit - time.monotonic()) > 0:
        try:
            if not select.select([main], [], [], rest)[0]:
                return
            drawn += os.read(main, 65536)
        except OSError:
            return  # nobody is there any more


def _resize(main: int, size: Size) -> None:
    fcntl.ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", size.lines, size.columns, 0, 0))
