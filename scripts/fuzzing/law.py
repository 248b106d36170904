"""What holds for every run of the program, whatever it is given."""

import re
import unicodedata
from collections.abc import Iterator

from scripts.fuzzing import nasty

STATUSES = (0, 1, 2)
"""The exit statuses there are."""

_SEQUENCE = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")
_CAUSE = re.compile(rb"(?m)^\w+(Error|Exception|Interrupt)\b.{0,200}|[\w/.]+\.py:\d+ in \w+")
"""Of a traceback as it is drawn: where, and what."""

MODES = {b"1049": "other screen", b"2004": "pastes in brackets", b"1004": "reports of the focus"}
"""What a screen switches on and has to switch off again."""

LONGEST_SENTENCE = 4000
"""Letters of a refusal: a sentence, not the file."""


def breaches(status: int, out: bytes, err: bytes) -> Iterator[str]:
    """What is wrong with a run, by its exit status and what it wrote."""
    for name, data in (("output", out), ("error output", err)):
        text = data.decode("utf-8", "replace")
        if "Warning: " in text:
            yield f"a warning of Python in the {name}: {text[:200]!r}"
        if "Traceback (most recent call last)" in text:
            yield f"traceback in the {name}: {text.strip().splitlines()[-1][:200]}"
        control = next((letter for letter in text if _steers(letter)), None)
        if control is not None:
            at = text.index(control)
            yield f"control character {control!r} in the {name}: {text[max(0, at - 40) : at + 20]!r}"
    if status not in STATUSES:
        yield f"exit status {status}: {err[-200:]!r}"
    if status and not err.strip() and not out.strip():
        yield f"exit status {status} without a word"
    if status == 2:
        if not err.strip():
            yield "refused without a sentence on the error output"
        if len(err) > LONGEST_SENTENCE:
            yield f"a refusal of {len(err)} bytes"


def screen_breaches(status: int, drawn: bytes) -> Iterator[str]:
    """What is wrong with a run on the full screen, by its exit status and what it drew.

    A screen is full of escape sequences; none of them may be one of the input's, and what was switched on
    is switched off at the end.
    """
    if b"Traceback" in drawn:
        plain = _SEQUENCE.sub(b"", drawn[drawn.index(b"Traceback") :])
        yield f"traceback: {[found.group() for found in _CAUSE.finditer(plain)]!r:.500}"
    for start in ("\x1b[", "\x1b]", "\x1bP", "\x9b"):
        if f"{start}{nasty.MARK}".encode() in drawn:
            yield f"an escape sequence of the input reached the terminal, begun by {start!r}"
    for mode, what in MODES.items():
        if drawn.rfind(b"\x1b[?" + mode + b"h") > drawn.rfind(b"\x1b[?" + mode + b"l"):
            yield f"the terminal is left with its {what}"
    if status not in STATUSES:
        yield f"exit status {status}: {drawn[-200:]!r}"


def _steers(letter: str) -> bool:
    """Whether a character can do something to a terminal."""
    return letter not in "\n\t" and unicodedata.category(letter) == "Cc"
