"""Texts, numbers and bytes that programs stumble over."""

import random
from collections.abc import Callable, Sequence

MARK = "7731"
"""In every escape sequence made here, so that it can be told from those of the program itself."""

ESCAPES = (
    f"\x1b[{MARK}m",
    f"\x1b]{MARK};title\x07",
    f"\x1bP{MARK}q\x1b\\",
    f"\x9b{MARK}m",
    f"\x1b[{MARK}H\x1b[2J",
    "\x07\x08\x0c\x7f",
    "\r\x1b[A",
)

TEXTS = (
    "",
    " ",
    "\t",
    "\u200b",
    "\u202eanna\u202c",
    "\u2066ben\u2069",
    "שלום",
    "مرحبا",
    "אבא 12",
    "👨\u200d👩\u200d👧\u200d👦",
    "🎲🎲",
    "🇫🇷",
    "e\u0301\u0301\u0301" * 20,
    "Z\u0338\u0337\u0335a\u0336l\u0332g\u0330o",
    "ﬀ",
    "İ",
    "ß",
    "李小龙",
    "さくら",
    "한국",
    "अनु",
    "ก็",
    "Œuvre",
    "O'Neil-Smith",
    "--help",
    "-1",
    "0",
    "{player}",
    "{player:life}",
    "%s%n",
    "[bold]x[/bold]",
    "[/]",
    "<speak>",
    "<mark name='x'/>",
    "&amp;",
    "$(id)",
    "`id`",
    "../../x",
    "null",
    "NaN",
    "yes",
    "random",
    "\ufeff",
    "\ufffd",
    "\ufffe",
    "\u2028",
    "\x85",
    "\u0000"[:0],
    "\U000e0041",
    "\U0010ffff",
    "\ue000",
    "ﷺ" * 5,
    "_",
    "'",
    '"',
    "\\",
    "a" * 41,
    "x" * 10_000,
    "й" * 10_000,
    "😀" * 3_000,
    "word " * 2_000,
)

NUMBERS = (0, 1, -1, 2, 6, 7, 12, 99, 100, 255, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 10**30)


def text(rng: random.Random, longest: int = 10_000) -> str:
    """One such text, or a mixture; no NUL, which no argument can hold."""
    found = rng.choice((_chosen, _chosen, _escaped, _random, _joined))(rng)
    return found.replace("\0", "")[:longest]


def argument(rng: random.Random, longest: int = 10_000) -> str:
    """A text as it may come from a command line: what is no UTF-8 there is a low surrogate here."""
    found = text(rng, longest)
    found = "".join(letter for letter in found if not 0xD800 <= ord(letter) < 0xE000)
    if rng.random() < 0.1:
        found += "".join(chr(rng.randrange(0xDC80, 0xDD00)) for _ in range(rng.randrange(1, 4)))
    return found


def value(rng: random.Random, depth: int = 0) -> object:
    """Any value JSON and YAML know."""
    if depth < 4 and rng.random() < 0.25:
        size = rng.randrange(4)
        if rng.random() < 0.5:
            return [value(rng, depth + 1) for _ in range(size)]
        return {text(rng, 60): value(rng, depth + 1) for _ in range(size)}
    return rng.choice(
        (
            None,
            True,
            False,
            rng.choice(NUMBERS),
            -rng.choice(NUMBERS),
            rng.random() * 1e9,
            float("nan"),
            float("inf"),
            text(rng, 400),
            text(rng, 400),
        )
    )


def mangled(rng: random.Random, data: bytes, tokens: Sequence[bytes] = ()) -> bytes:
    """Some bytes with a few changes: flipped, cut out, doubled, put in, cut off."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(found) + 1)
        length = min(len(found) - at, rng.choice((1, 1, 2, 4, 16, 200)))
        match rng.randrange(6):
            case 0 if at < len(found):
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                del found[at : at + length]
            case 2:
                found[at:at] = found[at : at + length] * rng.choice((1, 2, 50))
            case 3:
                found[at : at + length] = rng.randbytes(length)
            case 4 if tokens:
                found[at:at] = rng.choice(tokens) * rng.choice((1, 1, 1, 30))
            case _:
                if rng.random() < 0.3:
                    del found[at:]
                else:
                    found[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(found)


def _chosen(rng: random.Random) -> str:
    return rng.choice(TEXTS)


def _escaped(rng: random.Random) -> str:
    return rng.choice(("", "Anna", "x")) + rng.choice(ESCAPES) + rng.choice(("", "Ben"))


def _random(rng: random.Random) -> str:
    pick: Callable[[], int] = rng.choice(
        (
            lambda: rng.randrange(0x20),
            lambda: rng.randrange(0x20, 0x7F),
            lambda: rng.randrange(0x80, 0x250),
            lambda: rng.randrange(0x300, 0x700),
            lambda: rng.randrange(0x2000, 0x2100),
            lambda: rng.randrange(0x1F300, 0x1FAFF),
            lambda: rng.randrange(0x110000),
        )
    )
    return "".join(chr(pick()) for _ in range(rng.choice((1, 3, 10, 40))))


def _joined(rng: random.Random) -> str:
    return rng.choice((" ", ",", "", "\n")).join(_chosen(rng)[:200] for _ in range(rng.randrange(2, 5)))
