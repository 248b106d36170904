"""A match on the full screen, and what comes from a terminal: keys, pastes, reports, other sizes, its end."""

import random
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from mexvoice.rules import Match, Options, RulesError
from scripts.fuzzing import nasty
from scripts.fuzzing.case import Case, Command, Event, Hangup, Size

WORDS: Final = {
    "en": (
        "throw",
        "stop",
        "scores",
        "undo",
        "help",
        "abort",
        "yes",
        "speak german",
        "how many lives has Anna",
    ),
    "fr": ("lance", "je coupe", "annuler", "aide", "oui", "non", "en anglais"),
    "de": ("würfeln", "stopp", "punkte", "hilfe", "ja", "auf englisch"),
    "ru": ("бросаю", "стоп", "счёт", "помощь", "да", "по-английски"),
}
LEAVING: Final = b"\x03\x11"
"""The keys that leave."""
CODES: Final = rb"[A [B [C [D OA [H [F [5~ [6~ [3~ [2~ [1;5C [1;2D [Z OP [24~ x [ \x1b".split()
KEYS: Final = (
    *(bytes([code]) for code in (*range(32), 127) if code not in LEAVING),
    *(b"\x1b" + code for code in CODES),
)
REPORTS: Final = (
    *(b"\x1b[" + code for code in rb"I O <0;5;5M <0;9999;9999m <64;1;1M Mxyz ?2026;2$y ?2048;2$y".split()),
    *(b"\x1b[" + code for code in rb"48;24;80;0;0t 48;0;0;0;0t 24;80R ?1;2c 97;5u 0u 97;999u".split()),
    *(b"\x1b[" + code for code in (b"99999999999u", b"57441;;1114112u", b"9" * 5000)),
    *(b"\x1b]11;rgb:0000/0000/0000\x1b\\", b"\x1bP>|x\x1b\\", b"\x1b]", b"\x1bP"),
)
SIZES: Final = (1, 2, 3, 5, 10, 20, 23, 24, 40, 65, 66, 80, 112, 200, 300)
FAR_SIZES: Final = (1, 4, 600)


def screen(rng: random.Random, folder: Path) -> Case:
    """A match on a terminal where anything is typed."""
    del folder
    language = rng.choice(list(WORDS))
    words = ["play", "--lang", language, "--players", _players(rng), "--typed", "--mute", "--unkept"]
    words += ["--seed", "1", *rng.choice(([], ["--dice", "spoken"], ["--lives", "1"]))]
    events: list[Event] = [Size(rng.choice(SIZES), rng.choice(SIZES))] if rng.random() < 0.3 else []
    for _ in range(rng.choice((5, 40, 120))):
        events += _some(rng, language)
    # A paste that never ended would swallow every key after it.
    events += [b"\x1b[201~", *_ending(rng)]
    return Case([Command(words, script=tuple(events))], terminal=True)


def _players(rng: random.Random) -> str:
    strange = [nasty.argument(rng, 38).replace(",", "").strip() for _ in range(rng.choice((0, 4, 20)))]
    return ",".join(dict.fromkeys(["Anna", *[name for name in strange if allowed(name)][:6], "Ben"]))


def allowed(name: str) -> bool:
    """Whether the rules let somebody play under a name, and a command line can hold it."""
    try:
        Match([name, "Anna", "Ben"], Options())
    except RulesError:
        return False
    return not name.startswith("-")


def _some(rng: random.Random, language: str) -> Sequence[Event]:
    """One thing that comes from a terminal, in one piece or several."""
    makers: tuple[Callable[[random.Random], Sequence[Event]], ...] = (
        lambda rng: [rng.choice(WORDS[language]).encode() + b"\r"],
        lambda rng: [rng.choice(WORDS[language]).encode() + b"\r"],
        lambda rng: [rng.choice(KEYS) for _ in range(rng.choice((1, 3, 10)))],
        lambda rng: [rng.choice(REPORTS)],
        _pasted,
        _resized,
        _bytes,
        lambda rng: [_clean(nasty.text(rng, 300).encode("utf-8", "replace")), b"\r"],
        _torn,
    )
    return rng.choice(makers)(rng)


def _pasted(rng: random.Random) -> Sequence[Event]:
    text = nasty.text(rng, rng.choice((50, 3000))).encode("utf-8", "replace")
    end = rng.choice((b"\x1b[201~", b"\x1b[201~", b"\x1b[201~\r", b""))
    return [b"\x1b[200~" + _clean(text) + end]


def _resized(rng: random.Random) -> Sequence[Event]:
    sizes = SIZES if rng.random() < 0.9 else FAR_SIZES
    return [Size(rng.choice(sizes), rng.choice(sizes)) for _ in range(rng.choice((1, 1, 5)))]


def _bytes(rng: random.Random) -> Sequence[Event]:
    return [_clean(rng.randbytes(rng.choice((1, 2, 8, 60))))]


def _torn(rng: random.Random) -> Sequence[Event]:
    """A sequence that comes in two pieces."""
    whole = rng.choice((*KEYS, *REPORTS, "é".encode(), "🎲".encode(), "👨\u200d👩\u200d👧".encode()))
    at = rng.randrange(len(whole) + 1)
    return [whole[:at], whole[at:]]


def _clean(data: bytes) -> bytes:
    """Without the keys that leave: they have their place at the end."""
    return data.translate(None, LEAVING)


def _ending(rng: random.Random) -> Sequence[Event]:
    return rng.choice(
        (
            [b"\x03"],
            [b"\x11"],
            [b"\x03", b"\x03", b"\x03"],
            [signal.SIGTERM],
            [signal.SIGINT, signal.SIGINT],
            [signal.SIGHUP],
            [Hangup()],
        )
    )
