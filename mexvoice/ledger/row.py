"""A match as a row of the file, and back."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from mexvoice.ledger.entry import Draws, Entry
from mexvoice.rules import Dice, parse_action, parse_match

MOST_DRAWN: Final = 1_000_000
"""More throws than any evening has: a file that tells of more is damaged, and would keep us busy for long."""


def entry_of(number: int, row: Sequence[Any], actions: Sequence[tuple[Any, Any]]) -> Entry:
    """The entry of a row and its actions.

    Raises:
        ValueError, TypeError: for values that were not written by us.
    """
    key, started, ended, language, opening, dice, seed, drawn, returned, after, opened = row
    for text in (key, opening, dice):
        if not isinstance(text, str):
            raise ValueError("a text is missing")
    if not (key.isascii() and dice.isascii() and dice.isprintable()):
        raise ValueError("a word of ours is not as it was written")
    if not (language is None or (isinstance(language, str) and language.isprintable())):
        raise ValueError("its language is no word")
    if not (opened is None or isinstance(opened, int)):
        raise ValueError("its place among the others is no number")
    match = parse_match(opening)
    for place, (line, _) in enumerate(actions, start=1):
        if line != place:
            raise ValueError(f"its action {place} is missing")
    return Entry(
        match.players,
        match.options,
        language,
        dice,
        _draws(seed, drawn, returned, after),
        [parse_action(record) for _, record in actions],
        _moment(started),
        None if ended is None else _moment(ended),
        opened,
        number,
        key,
    )


def _draws(seed: object, drawn: object, returned: object, after: object) -> Draws | None:
    if seed is None:
        return None
    # A seed may be longer than any number SQLite has.
    if not (isinstance(seed, str) and isinstance(drawn, int) and isinstance(after, int)):
        raise ValueError("its dice are not those of a seed")
    if not (0 <= drawn <= MOST_DRAWN and after >= 0 and isinstance(returned, str)):
        raise ValueError("its dice are not those of a seed")
    return Draws(int(seed), drawn, tuple(Dice(*pair) for pair in json.loads(returned)), after)


def draws_columns(draws: Draws | None) -> tuple[str | None, int | None, str | None, int | None]:
    """The columns ``seed``, ``drawn``, ``returned`` and ``after``."""
    if draws is None:
        return None, None, None, None
    returned = json.dumps([[dice.first, dice.second] for dice in draws.returned])
    return str(draws.seed), draws.drawn, returned, draws.after


def time_text(moment: datetime | None) -> str | None:
    """The column of a time."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


def _moment(text: object) -> datetime:
    """The time in ``text``.

    Raises:
        ValueError: if it is none, or has no zone.
    """
    if not isinstance(text, str):
        raise ValueError("a time is missing")
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time has no zone")
    return moment.astimezone(UTC)
