"""Matches and events as JSON objects, one a line: what ``mexvoice replay`` reads and prints.

The first line of a match holds its players and options, each line after it one action or an undo::

    {"players": ["Anna", "Ben"], "lives": 12, "max_throws": 3, "starter": null, "penalty": "twice"}
    {"throw": [6, 3]}
    {"stop": true}
    {"abort": true}
    {"count": "mex"}
    {"undo": true}

Only ``players`` must be there in the first line. Anything else in a line, or a key twice, is not understood;
two actions in one line are ambiguous. Blank lines count as lines and say nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from reprlib import repr as shown
from typing import Final, NoReturn, get_type_hints

from mexvoice.rules.action import Abort, Action, Count, Stop, ThrowDice
from mexvoice.rules.dice import Counting, Dice
from mexvoice.rules.error import Ambiguous, NotUnderstood, RulesError
from mexvoice.rules.event import EVENTS, Event
from mexvoice.rules.match import Match
from mexvoice.rules.option import Options, Penalty

Record = dict[str, object]
"""One JSON object."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The line of a record that takes back the last action."""


_PLAIN: Final[dict[str, type[Stop | Abort | Undo]]] = {"stop": Stop, "abort": Abort, "undo": Undo}
_ACTIONS: Final = ("throw", "count", *_PLAIN)
_OPTIONS: Final = tuple(field.name for field in fields(Options))


def replay(lines: Iterable[str]) -> Iterator[Record]:
    """Play a recorded match: every event as a record, and last :func:`standings_record`.

    Raises:
        RulesError: for a line that is not understood, not open or ambiguous, with its number as ``line``;
            the records of all events before it, and the standings it left, have been yielded then.
        NotUnderstood: if there is no line at all; ``line`` is None.
    """
    match: Match | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if match is None:
                match = parse_match(line)
                events = match.begin()
            else:
                action = parse_action(line)
                events = match.undo() if isinstance(action, Undo) else match.apply(action)
        except RulesError as error:
            error.line = number
            if match is not None:
                yield standings_record(match)
            raise
        yield from map(event_record, events)
    if match is None:
        raise NotUnderstood("there is no match in it")
    yield standings_record(match)


def parse_match(line: str) -> Match:
    """The match that the first line of a record starts.

    Raises:
        NotUnderstood: if it is not the first line of a record, or the rules refuse its players or options.
    """
    record = _parse(line)
    if "players" not in record:
        raise NotUnderstood('the first line must hold "players"')
    players = record.pop("players")
    if not isinstance(players, list):
        raise NotUnderstood('"players" is a list of names')
    unknown = [key for key in record if key not in _OPTIONS]
    if unknown:
        raise NotUnderstood(f"no option is called {shown(unknown[0])}; there are {', '.join(_OPTIONS)}")
    penalty = record.get("penalty")
    if isinstance(penalty, str) and penalty in list(Penalty):
        record["penalty"] = Penalty(penalty)
    return Match(players, Options(**record))  # type: ignore[arg-type]  # Options checks what it is given


def parse_action(line: str) -> Action | Undo:
    """The action in one line of a record after the first.

    Raises:
        NotUnderstood: if the line is no such record.
        Ambiguous: if it holds more than one action.
    """
    record = _parse(line)
    named = [key for key in record if key in _ACTIONS]
    if len(named) > 1:
        raise Ambiguous(f"one line holds one action, not {' and '.join(named)}")
    if len(record) != 1 or not named:
        raise NotUnderstood(f"a line holds one of {', '.join(_ACTIONS)} and nothing else")
    key = named[0]
    value = record[key]
    if key == "throw":
        if not isinstance(value, list) or len(value) != 2:
            raise NotUnderstood('"throw" holds a list of two dice')
        return ThrowDice(Dice(*value))
    if key == "count":
        if not isinstance(value, str) or value not in list(Counting):
            raise NotUnderstood('"count" holds "mex" or "pips"')
        return Count(Counting(value))
    if value is not True:
        raise NotUnderstood(f'"{key}" holds true and nothing else')
    return _PLAIN[key]()


def to_records(match: Match) -> list[Record]:
    """The match as records that play it again: its first line, then every action not taken back."""
    return [match_record(match), *map(action_record, match.history)]


def match_record(match: Match) -> Record:
    """The first line of a record of ``match``, with every option."""
    options = match.options
    return {
        "players": list(match.players),
        "lives": options.lives,
        "max_throws": options.max_throws,
        "starter": options.starter,
        "penalty": options.penalty.value,
    }


def action_record(action: Action | Undo) -> Record:
    """One action, or an undo, as :func:`parse_action` reads it."""
    match action:
        case ThrowDice(dice):
            return {"throw": [dice.first, dice.second]}
        case Stop():
            return {"stop": True}
        case Abort():
            return {"abort": True}
        case Count(counting):
            return {"count": counting.value}
        case Undo():
            return {"undo": True}


def event_record(event: Event) -> Record:
    """One event: its name as ``event``, then its fields."""
    record: Record = {"event": event.name}
    for field in fields(event):  # type: ignore[arg-type]  # every class of event is a dataclass
        value = getattr(event, field.name)
        record[field.name] = list(value) if isinstance(value, tuple) else value
    return record


def parse_event(record: Mapping[str, object]) -> Event:
    """The event that :func:`event_record` made ``record`` of, after any way through JSON.

    Raises:
        NotUnderstood: if it is no record of an event.
    """
    values = dict(record)
    name = values.pop("event", None)
    event = EVENTS.get(name) if isinstance(name, str) else None
    if event is None:
        raise NotUnderstood(f"no event is called {shown(name)}")
    hints = get_type_hints(event)
    try:
        return event(**{key: _restored(hints[key], value) for key, value in values.items()})
    except (KeyError, TypeError, ValueError) as error:
        raise NotUnderstood(f"not the fields of {name}: {shown(list(values))}") from error


def standings_record(match: Match) -> Record:
    """How ``match`` stands: the players in seat order, the winner, whose turn it is, and what is open."""
    return {
        "standings": [
            {"name": row.name, "lives": row.lives, "points": row.points, "out": row.out}
            for row in match.standings()
        ],
        "winner": match.winner,
        "turn": match.turn,
        "open": sorted(kind.value for kind in match.open),
    }


def _restored(hint: object, value: object) -> object:
    """A field of an event as its class keeps it: lists as tuples, words of a StrEnum as its members."""
    if isinstance(value, list):
        return tuple(value)
    return hint(value) if isinstance(hint, type) else value


def _parse(line: str) -> Record:
    """The JSON object in ``line``.

    Raises:
        NotUnderstood: if it is not JSON as the standard has it, no object, or has a key twice.
    """
    try:
        record = json.loads(line, object_pairs_hook=_without_twins, parse_constant=_no_constant)
    except NotUnderstood:
        raise
    except (ValueError, RecursionError) as error:
        raise NotUnderstood("it is not a JSON object") from error
    if not isinstance(record, dict):
        raise NotUnderstood("it is not a JSON object")
    return record


def _without_twins(pairs: list[tuple[str, object]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise NotUnderstood("a key stands in it twice")
    return record


def _no_constant(name: str) -> NoReturn:
    raise NotUnderstood(f"{name} is not JSON")
