"""What comes from the terminal, keys above all: whatever it is, it neither ends the match nor halts it."""

import asyncio
import codecs
import sys
import time
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

from textual.driver import Driver
from textual.message import Message

MOST_WAITING = 100
"""So many keys wait to be obeyed; those after them wait in the terminal, where they delay nobody else."""

LOOK_SECONDS = 0.005
"""How often it is looked whether fewer wait."""


class _Forgiving:
    """Over a driver of Textual: goes on after bytes that are no text, and reports that make no sense.

    A terminal that does not speak UTF-8 sends such bytes for "ü": they are passed over. With a
    senseless report what came together with it is lost.

    It takes keys no faster than they are obeyed. Somebody who leaves would otherwise leave after all the
    thousands that came before, and their wake-ups would fill the loop's pipe.
    """

    exit_event: Event
    """Of Textual's driver: set when it is to end."""
    _loop: asyncio.AbstractEventLoop
    """Of Textual's driver."""

    waiting: Callable[[], int]
    """How many messages the application has not obeyed yet."""

    _given = 0
    _arrived = 0

    def run_input_thread(self) -> None:
        """Read until the driver ends."""
        driver: Any = super()
        while True:
            try:
                driver.run_input_thread()
            # Of numbers too large, and of a terminal with no columns.
            except (ValueError, ArithmeticError):
                if self.exit_event.is_set():
                    return
            else:
                return

    def process_message(self, message: Message) -> None:
        """Hand on what the thread of the input has read, and wait while too much is on its way."""
        if self.exit_event.is_set():
            return  # nobody obeys it any more, and the end waits for this thread
        driver: Any = super()
        driver.process_message(message)
        self._given += 1
        self._loop.call_soon_threadsafe(self._arrive)
        while self._given - self._arrived + self.waiting() > MOST_WAITING and not self.exit_event.is_set():
            time.sleep(LOOK_SECONDS)

    def _arrive(self) -> None:
        self._arrived += 1


def _lenient(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """A decoder that passes over what it cannot read."""
    return partial(codecs.getincrementaldecoder(encoding), errors="ignore")


def forgiving(driver: type[Driver], waiting: Callable[[], int]) -> type[Driver]:
    """A driver that nothing typed can end, from Textual's for this machine; one that reads no bytes stays.

    Args:
        driver: Textual's.
        waiting: tells how many messages the application has not obeyed yet.
    """
    if not hasattr(driver, "run_input_thread"):
        return driver
    # Textual leaves no choice of what becomes of bytes that are no text: it ends, and loses the keys after.
    reading = sys.modules[driver.__module__]
    if hasattr(reading, "getincrementaldecoder"):
        setattr(reading, "getincrementaldecoder", _lenient)  # noqa: B010 - it is not ours
    return type(f"Forgiving{driver.__name__}", (_Forgiving, driver), {"waiting": staticmethod(waiting)})
