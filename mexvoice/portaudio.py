"""PortAudio, which the microphone and the speaker share.

Its list of devices is made once, when it starts. To see a device that was plugged in later it has to be
started anew, and that closes every open stream of the process: so opening a stream and starting anew exclude
each other (`lock`), and nothing is started anew while a stream is open (`refresh`).
"""

import gc
import os
import sys
import threading
import weakref
from typing import Any, Protocol

from mexvoice.errors import Trouble

lock = threading.RLock()
"""Held while a stream is being opened, and while PortAudio is started anew."""

_hushed = False


class Holder(Protocol):
    """Something that keeps a stream open while it does not use it."""

    def release(self) -> None:
        """Closes the stream if it is not in use; must not wait for anything."""


_holders: weakref.WeakSet[Holder] = weakref.WeakSet()


def register(holder: Holder) -> None:
    """From now on `refresh` asks the holder to close its stream first."""
    _holders.add(holder)


def library() -> Any:
    """The module `sounddevice`.

    Raises:
        MexvoiceError: if the PortAudio library is not there.
    """
    try:
        import sounddevice
    except OSError as error:
        raise Trouble(
            "The sound library PortAudio is missing: install it (Debian and Ubuntu: "
            "sudo apt-get install libportaudio2) and start again.",
            "portaudio_missing",
        ) from error
    return sounddevice


def refresh(sounddevice: Any) -> bool:
    """Starts PortAudio anew, so that it sees the devices there are now.

    Args:
        sounddevice: the module, as `library` returns it.

    Returns:
        False if nothing was done because a stream is in use.
    """
    with lock:
        for holder in list(_holders):
            holder.release()
        # Streams are registered nowhere, and a forgotten one would crash the process: so look at them all.
        streams = [item for item in gc.get_objects() if isinstance(item, sounddevice._StreamBase)]
        # One that could not be opened has a pointer too, but to nothing.
        if any(not stream.closed and hasattr(stream, "_blocksize") for stream in streams):
            return False
        sounddevice._terminate()
        sounddevice._initialize()
        return True


def hush() -> None:
    """Sends what C libraries print to the error output to nowhere; Python's own output goes on as before.

    PortAudio and ALSA print lines of their own when a device goes away, which would tear up a full-screen
    display. To be called once, before such a display starts, and only by the program itself.
    """
    global _hushed
    if _hushed or sys.__stderr__ is None:
        return
    try:
        kept = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except OSError:
        return  # no error output at all: nothing to keep clean
    sys.__stderr__.flush()
    os.dup2(nowhere, 2)
    os.close(nowhere)
    replaced = sys.stderr is sys.__stderr__
    encoding = sys.__stderr__.encoding
    sys.__stderr__ = os.fdopen(kept, "w", buffering=1, encoding=encoding, errors="backslashreplace")  # type: ignore[misc]
    if replaced:
        sys.stderr = sys.__stderr__
    _hushed = True
