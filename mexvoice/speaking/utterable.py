"""What of a text can be said aloud, in pieces a speech engine takes well."""

import re
import unicodedata

LONGEST_TEXT = 1000
"""Characters of one announcement that are spoken (over a minute); all of it is written."""

LONGEST_PIECE = 300
"""Characters given to the engine in one run, so that its time limit can be short."""

# Control and format characters, surrogates, private and unassigned ones; symbols, emoji among them, and marks
# that enclose. Engines skip them, read out their names, or take them for instructions.
_UNSPOKEN = {"Cc", "Cf", "Cs", "Co", "Cn", "So", "Sk", "Me"}
# What begins markup or instructions in some engine.
_MARKUP = frozenset("<>{}[]|\\^~`*_#&@")
_SELECTORS = range(0xFE00, 0xFE10)


def utterable(text: str) -> str:
    """A text without what cannot be said: one line, no markup, no emoji, at most `LONGEST_TEXT` characters.

    Empty if there is nothing to say in it.
    """
    kept = "".join(
        " " if _silent(character) else character for character in unicodedata.normalize("NFC", text)
    )
    line = " ".join(kept.split())
    if len(line) > LONGEST_TEXT:
        line = line[:LONGEST_TEXT].rpartition(" ")[0] or line[:LONGEST_TEXT]
    return line if any(character.isalnum() for character in line) else ""


def _silent(character: str) -> bool:
    category = unicodedata.category(character)
    return category in _UNSPOKEN or character in _MARKUP or ord(character) in _SELECTORS


def pieces(text: str) -> list[str]:
    """An utterable text in pieces of at most `LONGEST_PIECE` characters, cut where a speaker would pause.

    Pieces hold whole sentences where that is possible, else parts of a sentence, whole words, or, for a word
    that is too long itself, a part of it.
    """
    found: list[str] = []
    while len(text) > LONGEST_PIECE:
        head = text[:LONGEST_PIECE]
        for pattern in (r".*[.!?…](?=\s)", r".*[,;:](?=\s)", r".*(?=\s)"):
            match = re.match(pattern, text[: LONGEST_PIECE + 1], re.DOTALL)
            if match and match.group().strip():
                head = match.group()
                break
        found.append(head.strip())
        text = text[len(head) :].strip()
    return [piece for piece in [*found, text] if any(character.isalnum() for character in piece)]
