"""What comes from the terminal, keys above all: whatever it is, it does not end the match."""

from threading import Event
from typing import Any

from textual.driver import Driver


class _Forgiving:
    """Over a driver of Textual: goes on after bytes that are no text, and reports that make no sense.

    A terminal that does not speak UTF-8 sends such bytes for "ü". What came together with them is lost.
    """

    exit_event: Event
    """Of Textual's driver: set when it is to end."""

    def run_input_thread(self) -> None:
        """Read until the driver ends."""
        driver: Any = super()
        while True:
            try:
                driver.run_input_thread()
            # Of bytes that are no UTF-8; of numbers too large, and of a terminal with no columns.
            except (ValueError, ArithmeticError):
                if self.exit_event.is_set():
                    return
            else:
                return


def forgiving(driver: type[Driver]) -> type[Driver]:
    """A driver that nothing typed can end, from Textual's for this machine; one that reads no bytes stays."""
    if not hasattr(driver, "run_input_thread"):
        return driver
    return type(f"Forgiving{driver.__name__}", (_Forgiving, driver), {})
