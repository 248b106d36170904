"""What holds for every run of the program, whatever it is given."""

import unicodedata
from collections.abc import Iterator

STATUSES = (0, 1, 2)
"""The exit statuses there are."""

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


def _steers(letter: str) -> bool:
    """Whether a character can do something to a terminal."""
    return letter not in "\n\t" and unicodedata.category(letter) == "Cc"
