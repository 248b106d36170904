"""The tables in ``data``: what is heard and said, by language."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from mexvoice.language.understanding import Ambiguous, NotOpen, NotUnderstood, Outcome

DATA = Path(__file__).parent / "data"
CODES = sorted(path.stem for path in DATA.glob("*.yaml"))


@cache
def table(code: str) -> dict[str, Any]:
    """The table of a language."""
    data: dict[str, Any] = yaml.safe_load((DATA / f"{code}.yaml").read_text("utf-8"))
    return data


def heard(code: str) -> Iterator[tuple[str, str, str]]:
    """State, expected outcome and text, one by one."""
    for state, expected in table(code)["heard"].items():
        for outcome, texts in expected.items():
            for text in texts:
                yield state, outcome, text


def short(outcome: Outcome) -> str:
    """An outcome as the tables write it: "throw", "dice 6 3", "closed stop", "ambiguous", "nothing"."""
    match outcome:
        case NotUnderstood():
            return "nothing"
        case Ambiguous():
            return "ambiguous"
    command = outcome.command
    parts = [command.id.value, *map(str, command.dice or ())]
    parts += [part for part in (command.player, command.language) if part]
    return ("closed " if isinstance(outcome, NotOpen) else "") + " ".join(parts)
