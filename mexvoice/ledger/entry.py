"""One match as it is kept."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from mexvoice.ledger.failure import Damaged
from mexvoice.rules import (
    Action,
    Dice,
    Match,
    NotUnderstood,
    Options,
    RulesError,
    ThrowDice,
    Undo,
    action_record,
    match_record,
    parse_action,
    parse_match,
)

MACHINE = "machine"
"""The dice of the program were thrown; any other word means dice of the players' own."""


class Step(NamedTuple):
    """One line of the record, with what it took back."""

    action: Action | Undo
    undone: Action | None
    """The action an undo took back; None for an action."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Where the program's dice stood when a match came to use them; its throws tell the rest.

    The dice themselves are the business of who throws them. Here it only counts that a seed gives the same
    dice each time, and that dice taken back come out again first, the last of them before the others.
    """

    seed: int
    drawn: int = 0
    """Throws of the seed used up before."""
    returned: tuple[Dice, ...] = ()
    """Dice taken back by then and not thrown again; the last comes out first."""
    after: int = 0
    """How many lines of the match (actions and undos) came before."""


@dataclass(slots=True)
class Entry:
    """A match on record: how it began, and every action and undo since, in order."""

    players: tuple[str, ...]
    options: Options
    language: str | None = None
    """Code of the locale spoken last; None where nobody knows, as in an imported match."""
    dice: str = MACHINE
    draws: Draws | None = None
    """None where the dice to come are not known."""
    actions: list[Action | Undo] = field(default_factory=list)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended: datetime | None = None
    """When it was won; None while it goes on, or if it was left."""
    opened: int | None = None
    """Its place among all beginnings and resumptions, the later the higher; None if it was at no table."""
    number: int | None = None
    """The number people call it by, given when it is first kept."""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    """What makes it this match and no other, whatever file it is in."""

    def steps(self) -> Iterator[Step]:
        """Every line in order. Lines the rules refuse may be among them: see :meth:`match`.

        Raises:
            Damaged: if an undo has nothing to take back.
        """
        taken: list[Action] = []
        for number, action in enumerate(self.actions, start=1):
            if isinstance(action, Undo):
                if not taken:
                    raise self._damaged(number, "there is nothing to undo")
                yield Step(action, taken.pop())
            else:
                taken.append(action)
                yield Step(action, None)

    def match(self) -> Match:
        """The match, played again to its last line.

        Raises:
            Damaged: if the rules refuse anything in it.
        """
        try:
            match = Match(self.players, self.options)
        except RulesError as error:
            raise self._damaged(0, str(error)) from error
        for number, action in enumerate(self.actions, start=1):
            try:
                take(match, action)
            except RulesError as error:
                raise self._damaged(number, str(error)) from error
        return match

    def draws_now(self) -> Draws | None:
        """Where the program's dice stand after the last line; None where it is not known.

        The result goes with a match that is still to begin, so its ``after`` is 0.
        """
        if self.draws is None or self.dice != MACHINE:
            return None
        drawn, returned = self.draws.drawn, list(self.draws.returned)
        for index, step in enumerate(self.steps()):
            if index < self.draws.after:
                continue
            if isinstance(step.action, ThrowDice):
                if returned:
                    returned.pop()
                else:
                    drawn += 1
            elif isinstance(step.undone, ThrowDice):
                returned.append(step.undone.dice)
        return Draws(self.draws.seed, drawn, tuple(returned))

    def lines(self) -> list[str]:
        """The match in the format of ``mexvoice replay``, one line each, undos included."""
        opening = match_record(Match(self.players, self.options))
        return [_json(opening), *(_json(action_record(action)) for action in self.actions)]

    @classmethod
    def from_lines(cls, lines: list[str]) -> "Entry":
        """The match that :meth:`lines` wrote, or anybody else in that format; blank lines are allowed.

        Raises:
            RulesError: for what is not understood, ambiguous or not open, with its line number as ``line``;
                None for no line at all.
        """
        match: Match | None = None
        actions: list[Action | Undo] = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                if match is None:
                    match = parse_match(line)
                else:
                    actions.append(parse_action(line))
                    take(match, actions[-1])
            except RulesError as error:
                error.line = number
                raise
        if match is None:
            raise NotUnderstood("there is no match in it")
        return cls(match.players, match.options, actions=actions)

    def _damaged(self, number: int, reason: str) -> Damaged:
        where = f"its action {number}" if number else "its beginning"
        return Damaged(f"Match {self.number} on record is damaged at {where}: {reason}.")


def take(match: Match, action: Action | Undo) -> None:
    """Let ``match`` take one line of a record.

    Raises:
        RulesError: if the rules refuse it.
    """
    if isinstance(action, Undo):
        match.undo()
    else:
        match.apply(action)


def _json(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False)
