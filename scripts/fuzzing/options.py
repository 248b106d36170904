"""Command lines nobody would type."""

import random
from pathlib import Path

import click

from mexvoice.cli import cli
from scripts.fuzzing import nasty
from scripts.fuzzing.case import Case, Command

PLACES = (
    "/",
    ".",
    "/dev/null",
    "/dev/full",
    "/proc/self/mem",
    "no-such-file",
    "a/b/c",
    "file",
    "folder",
    "-",
    "",
)
ADDRESSES = (
    "http://127.0.0.1:9/",
    "file:///etc/",
    "http://[",
    "ftp://127.0.0.1:9/",
    "x",
    "",
    "http://\x1b[7731m/",
)
NEVER = {"demo", "doctor"}
"""They take their time; with wrong options they are tried all the same."""


def line(rng: random.Random, folder: Path) -> Case:
    """A command with options and words of every kind."""
    (folder / "file").write_bytes(rng.randbytes(100))
    (folder / "folder").mkdir()
    command: click.Command = cli
    words: list[str] = []
    while isinstance(command, click.Group) and command.commands:
        name = rng.choice(sorted(command.commands))
        if rng.random() < 0.05:
            return Case([Command([*words, nasty.argument(rng, 300)])])
        words.append(name)
        command = command.commands[name]
    wrong = words[0] in NEVER
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            words += [_value(rng, parameter) for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))]
        elif rng.random() < 0.35 and isinstance(parameter, click.Option):
            words.append(rng.choice(parameter.opts))
            if not parameter.is_flag:
                words.append(_value(rng, parameter))
            if rng.random() < 0.03:
                words.append(words[-1])
    if words[0] == "play":
        words += ["--typed", "--mute", "--plain", *_mostly(rng, ["--players", "Anna,Ben"])]
    if words[:2] == ["models", "install"] and "--from" not in words:
        words += ["--from", "http://127.0.0.1:9/"]
    if wrong:
        words.append(rng.choice(("--nonsense", "--lang=xx", "--lang", "\x1b[7731m")))
    if rng.random() < 0.05:
        words.insert(rng.randrange(len(words) + 1), nasty.argument(rng, 300))
    return Case([Command(words, rng.choice((b"", b"throw\nquit\nyes\n", rng.randbytes(300))))])


def _mostly(rng: random.Random, words: list[str]) -> list[str]:
    return words if rng.random() < 0.8 else []


def _value(rng: random.Random, parameter: click.Parameter) -> str:
    name = parameter.name or ""
    chance = rng.random()
    if name == "base":
        return rng.choice(ADDRESSES)
    if isinstance(parameter.type, click.Choice) and chance < 0.8:
        return str(rng.choice(list(parameter.type.choices)))
    if isinstance(parameter.type, click.IntRange) and chance < 0.8:
        return str(rng.choice((*nasty.NUMBERS, "1.5", "٣", "1_0", "0x1", " 2 ", "9" * 5000)))
    if isinstance(parameter.type, click.Path) and chance < 0.8:
        return rng.choice((*PLACES, "builtin", f"n\x1b[{nasty.MARK}m"))
    if name == "language" and chance < 0.7:
        return rng.choice(("de", "en", "fr", "ru", "EN", "xx", "", "..", "../en"))
    return nasty.argument(rng, rng.choice((20, 300, 10_000)))
