"""Plays every way the oracle knows of a small match on the engine, and compares all that can be compared."""

from dataclasses import dataclass
from typing import Any

from mexvoice.rules import (
    Abort,
    Action,
    Count,
    Counting,
    Dice,
    Event,
    Match,
    Options,
    Penalty,
    Phase,
    State,
    Stop,
    ThrowDice,
    event_record,
)
from tests.rules.oracle import (
    Act,
    Extra,
    Result,
    Rules,
    Table,
    Throw,
    Turn,
    acts,
    extras,
    first_table,
    name_of,
    next_table,
    result,
    rounds,
)

Record = dict[str, Any]


_WITHOUT_DICE: dict[str, Action] = {
    "stop": Stop(),
    "abort": Abort(),
    "pips": Count(Counting.PIPS),
    "mex": Count(Counting.MEX),
}


@dataclass(frozen=True)
class Small:
    """A match small enough to play every way it can go."""

    seats: str
    """One letter a player."""
    dice: tuple[Throw, ...]
    max_throws: int = 1
    lives: int = 1
    rounds: int = 1
    """How many rounds are played, unless the match ends sooner."""
    extras: int = 1
    """How many extra rounds a round may have; a tie left then must be waiting for a choice."""
    penalty: Penalty = Penalty.TWICE
    starter: str | None = None


@dataclass
class Tally:
    """How much was compared."""

    outcomes: int = 0
    """Ways to the end of a round, or to the tie the walk stops at."""
    actions: int = 0
    """Actions taken on the engine; after each, what is open and to whom was compared."""
    wins: int = 0
    """Outcomes that ended the match."""


def walk(small: Small) -> Tally:
    """Compare the engine with the oracle in every way ``small`` can go."""
    return _Walker(small).run()


class _Walker:
    def __init__(self, small: Small) -> None:
        self.small = small
        self.rules = Rules(small.lives, small.max_throws, small.penalty is Penalty.DOUBLING)
        options = Options(small.lives, small.max_throws, small.starter, small.penalty)
        self.match = Match(list(small.seats), options)
        self.tally = Tally()

    def run(self) -> Tally:
        small = self.small
        start = self.match.state
        self.visit(first_table(list(small.seats), self.rules, small.starter or small.seats[0]), small.rounds)
        assert self.match.state == start
        assert self.match.history == ()
        return self.tally

    def visit(self, table: Table, rounds_left: int) -> None:
        """Play every way the round that ``table`` stands before can go, and the rounds after it."""
        small, order = self.small, table.order
        path = _Path(self.match, table, self.tally)
        for turns in rounds(order, self.rules, small.dice):
            for played in extras(order, turns, self.rules, small.dice, small.extras):
                events = path.follow(acts(order, turns, played, self.rules))
                came_to = result(order, turns, played, self.rules)
                self.tally.outcomes += 1
                if len(came_to.tied) > 1:
                    compare_tie(self.match, events, came_to, played)
                    continue
                after = next_table(table, came_to)
                compare_round(self.match, events, table, after, came_to, turns, small.max_throws)
                if len(after.living) == 1:
                    self.tally.wins += 1
                elif rounds_left > 1:
                    self.visit(after, rounds_left - 1)
        path.follow([])


class _Path:
    """The actions of one round that the engine has taken, and what went on from each point of them."""

    def __init__(self, match: Match, table: Table, tally: Tally) -> None:
        self.match = match
        self.table = table
        self.tally = tally
        self.taken: list[Act] = []
        self.states: list[State] = []
        self.went_on: list[set[str]] = [set()]
        self.open: list[set[str]] = [self._open()]

    def follow(self, listed: list[Act]) -> tuple[Event, ...]:
        """Take the engine from where it is to the end of ``listed``; the events of the last action."""
        common = 0
        while common < min(len(listed), len(self.taken)) and listed[common] == self.taken[common]:
            common += 1
        assert common < len(listed) or not listed, "the oracle lists a way twice, or the beginning of another"
        while len(self.taken) > common:
            self._back()
        events: tuple[Event, ...] = ()
        for act in listed[common:]:
            events = self._forth(act)
        if not listed:
            assert self.went_on[0] == self.open[0]
        return events

    def _forth(self, act: Act) -> tuple[Event, ...]:
        who, kind, dice = act
        match = self.match
        assert match.turn == who
        assert match.lives == self.table.lives
        assert match.points == self.table.points
        normal = [] if any(kind in ("pips", "mex") for _, kind, _ in self.taken) else self.taken
        if normal:
            assert match.mexes == sum(throw is not None and name_of(throw) == "Mex" for _, _, throw in normal)
        self.went_on[-1].add(kind)
        self.states.append(match.state)
        events = match.apply(_action(kind, dice))
        self.taken.append(act)
        self.went_on.append(set())
        self.open.append(self._open())
        self.tally.actions += 1
        return events

    def _back(self) -> None:
        went_on, was_open = self.went_on.pop(), self.open.pop()
        if went_on:  # else it was the end of the round, compared there
            assert went_on == was_open, (self.taken, went_on, was_open)
        who, kind, _ = self.taken.pop()
        (undone,) = self.match.undo()
        assert event_record(undone) == {"event": "undone", "action": kind, "player": who}
        assert self.match.state == self.states.pop()

    def _open(self) -> set[str]:
        return {kind.value for kind in self.match.open}


def _action(kind: str, dice: Throw | None) -> Action:
    if dice is not None:
        return ThrowDice(Dice(*dice))
    return _WITHOUT_DICE[kind]


def compare_tie(match: Match, events: tuple[Event, ...], tie: Result, played: tuple[Extra, ...]) -> None:
    """The engine must be asking the last of the tied players how to count."""
    assert event_record(events[-1]) == {
        "event": "extra_round_started",
        "players": tie.tied,
        "chooser": tie.tied[-1],
        "value": tie.value,
        "number": len(played) + 1,
        "counting": tie.counting,
    }
    assert match.phase is Phase.CHOOSING
    assert match.turn == tie.tied[-1]
    assert {kind.value for kind in match.open} == {"pips", "mex"}


def compare_round(
    match: Match,
    events: tuple[Event, ...],
    table: Table,
    after: Table,
    lost: Result,
    turns: tuple[Turn, ...],
    max_throws: int,
) -> None:
    """The engine must have told the end of the round event by event, and stand as the oracle says."""
    records = [event_record(event) for event in events]
    names = [record["event"] for record in records]
    assert records[names.index("round_lost") :] == ending(table, after, lost, max_throws)
    if turns[-1].aborted and "round_aborted" in names:
        assert records[0]["lowered"] == (lost.tied == [table.order[len(turns) - 1]] and _shared(turns))
    assert match.lives == after.lives
    assert match.points == after.points
    won = len(after.living) == 1
    assert match.winner == (after.living[0] if won else None)
    assert match.turn == (None if won else after.starter)
    assert {kind.value for kind in match.open} == ({"new_match"} if won else {"throw"})
    if not won:
        assert (match.starter, match.round_number, match.stake) == (after.starter, after.number, 1)
        assert match.limit == match.throws_left == max_throws


def _shared(turns: tuple[Turn, ...]) -> bool:
    """Whether the last of ``turns`` ended on a value that one before it had."""
    *before, own = (name_of(turn.throws[-1]) for turn in turns)
    return own in before


def ending(table: Table, after: Table, lost: Result, max_throws: int) -> list[Record]:
    """The events from the loss of a round to the next throw, or to the end of the match."""
    (loser,) = lost.tied
    left = after.lives[loser]
    records: list[Record] = [
        {
            "event": "round_lost",
            "player": loser,
            "value": lost.value,
            "stake": lost.stake,
            "counting": lost.counting,
        },
        {"event": "lives_lost", "player": loser, "lost": table.lives[loser] - left, "left": left},
    ]
    if left == 0:
        records.append({"event": "player_out", "player": loser})
    for who in table.living:
        change = after.points[who] - table.points[who]
        records.append(
            {"event": "points_changed", "player": who, "change": change, "points": after.points[who]}
        )
    if len(after.living) == 1:
        winner = after.living[0]
        records.append({"event": "match_won", "player": winner, "points": after.points[winner]})
    else:
        starter = after.starter
        records.append({"event": "round_started", "number": after.number, "starter": starter})
        records.append({"event": "turn_started", "player": starter, "throws": max_throws, "extra": False})
    return records
