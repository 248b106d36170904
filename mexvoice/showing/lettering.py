"""Text from people, made safe to show: no control characters, no markup, a known width in cells."""

import re
import unicodedata

from rich.cells import cell_len, set_cell_size

_JOINED = re.compile("[\u200d\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]")
"""What joins or modifies emoji. Terminals disagree about the width of the result, so each is shown alone."""

_LEFT_TO_RIGHT_MARK = "\u200e"


def visible(text: str) -> str:
    """``text`` in one line, with everything that could steer a terminal made visible or left out.

    Control characters become their Unicode pictures (ESC is ``␛``), line breaks and tabs one space,
    unpaired surrogates ``�``; invisible format characters (which can reverse the order of a line) are left
    out. A text with right-to-left letters ends with a left-to-right mark, without width, so that a
    terminal that reorders letters does not reorder the numbers after it.
    """
    text = unicodedata.normalize("NFC", _JOINED.sub("", text))
    shown = "".join(map(_shown, text))
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in shown):
        shown += _LEFT_TO_RIGHT_MARK
    return shown


def without_controls(text: str) -> str:
    """``text`` without control characters, line breaks and unpaired surrogates; all else as it is."""
    return "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp"))


def _shown(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter in "\t\n\r\v\f\x85" or category in ("Zl", "Zp"):
        return " "
    if category == "Cc":
        code = ord(letter)
        return "␡" if code == 0x7F else chr(0x2400 + code) if code < 0x20 else "\ufffd"
    if category == "Cs":
        return "\ufffd"
    # U+200C parts letters in Persian names, without a width; the Hangul fillers are invisible letters.
    if (category == "Cf" and letter != "\u200c") or letter in "\u115f\u1160\u3164\uffa0":
        return ""
    return letter


def width(text: str) -> int:
    """How many cells of a terminal ``text`` (of ``visible``) takes."""
    return cell_len(text)


def fit(text: str, cells: int) -> str:
    """``text`` (of ``visible``) in exactly ``cells`` cells: filled up with spaces, or cut at ``…``."""
    if cells <= 0:
        return ""
    if width(text) <= cells:
        return text + " " * (cells - width(text))
    mark = _LEFT_TO_RIGHT_MARK if text.endswith(_LEFT_TO_RIGHT_MARK) else ""
    return set_cell_size(set_cell_size(text, cells - 1).rstrip() + "…", cells) + mark
