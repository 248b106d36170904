"""A second evaluation of the rules of Mex, written from their text and from nothing of ``mexvoice.rules``.

It knows no state and no events. A round is a plain list of what each player did, from the first throw to the
last, and every answer is worked out again from that whole list, in the words of the rules. It is slow, and
meant to be read beside the rules.

All ways a round can go are listed as plain actions ``(who, kind, detail)``, ways with a common beginning
next to each other. What is open after a beginning is then whatever some way goes on with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import NamedTuple

Throw = tuple[int, int]
Act = tuple[str, str, Throw | None]
"""Who acts, what they do (throw, stop, abort, pips or mex), and the dice of a throw."""

_AS_LISTED = "31 32 41 42 43 51 52 53 54 61 62 63 64 65 100 200 300 400 500 600 Mex"
RANKING = _AS_LISTED.split()
"""Lowest to highest."""


class Turn(NamedTuple):
    """All of one player's turn in a normal round."""

    throws: tuple[Throw, ...]
    aborted: bool


class Extra(NamedTuple):
    """All of one extra round: the choice of the last of the tied players, and one throw of each of them."""

    counting: str
    throws: tuple[Throw, ...]


@dataclass(frozen=True)
class Rules:
    """The options of a match."""

    lives: int
    max_throws: int
    doubling: bool


@dataclass
class Result:
    """What a round came to: a loser, or players still tied."""

    tied: list[str]
    """The players of the lowest value; the loser alone if there is only one."""
    value: int
    stake: int
    counting: str
    mex_throwers: list[str] = field(default_factory=list)
    """Who threw a Mex in the normal round."""


@cache
def name_of(throw: Throw) -> str:
    """Higher die = tens, lower die = units; a pair = pips x 100; 2 and 1 = Mex."""
    if sorted(throw) == [1, 2]:
        return "Mex"
    if throw[0] == throw[1]:
        return f"{throw[0]}00"
    return f"{max(throw)}{min(throw)}"


def worth(throw: Throw, counting: str) -> int:
    """The number of a throw; that of a Mex is 1000, any number above 600 would do."""
    if counting == "pips":
        return sum(throw)
    name = name_of(throw)
    assert name in RANKING
    return 1000 if name == "Mex" else int(name)


def rank(throw: Throw, counting: str) -> int:
    """What decides between two throws: the place in the ranking, or the sum of the dice."""
    return sum(throw) if counting == "pips" else RANKING.index(name_of(throw))


def has_mex(turns: Sequence[Turn]) -> bool:
    """Whether anybody has thrown a Mex."""
    return any(name_of(throw) == "Mex" for turn in turns for throw in turn.throws)


def limit_for(turns: Sequence[Turn], rules: Rules) -> int:
    """The most throws of the turn after ``turns``: up to the number the starter took."""
    return len(turns[0].throws) if turns else rules.max_throws


def ends_by_itself(turns: Sequence[Turn], order: Sequence[str], rules: Rules) -> bool:
    """Whether the last of ``turns`` ended without a word.

    A Mex ends it. So does the last throw, unless the turn waits: no Mex in the round, players still to throw.
    """
    last = turns[-1].throws
    if name_of(last[-1]) == "Mex":
        return True
    no_throw_left = len(last) == limit_for(turns[:-1], rules)
    waits = not has_mex(turns) and len(turns) < len(order)
    return no_throw_left and not waits


def rounds(
    order: Sequence[str], rules: Rules, dice: Sequence[Throw], turns: tuple[Turn, ...] = ()
) -> Iterator[tuple[Turn, ...]]:
    """Every way a normal round among ``order`` can go, or go on after ``turns``."""
    if turns and (turns[-1].aborted or len(turns) == len(order)):
        yield turns
        return
    for throws in throw_lists(dice, limit_for(turns, rules)):
        if any(name_of(throw) == "Mex" for throw in throws[:-1]):
            continue  # a Mex ends the turn: nothing was thrown after it
        for aborted in (False, True):
            following = (*turns, Turn(throws, aborted))
            if aborted and (has_mex(following) or ends_by_itself(following, order, rules)):
                continue
            yield from rounds(order, rules, dice, following)


def throw_lists(dice: Sequence[Throw], most: int) -> list[tuple[Throw, ...]]:
    """Every list of one to ``most`` throws, those with a common beginning next to each other."""
    return sorted(throws for length in range(1, most + 1) for throws in product(dice, repeat=length))


def extras(
    order: Sequence[str], turns: Sequence[Turn], rules: Rules, dice: Sequence[Throw], most: int
) -> Iterator[tuple[Extra, ...]]:
    """Every way the extra rounds after ``turns`` can go; after ``most`` of them a tie is left as it is."""

    def further(played: tuple[Extra, ...]) -> Iterator[tuple[Extra, ...]]:
        tied = result(order, turns, played, rules).tied
        if len(tied) == 1 or len(played) == most:
            yield played
            return
        for counting in ("pips", "mex"):
            for throws in product(dice, repeat=len(tied)):
                yield from further((*played, Extra(counting, throws)))

    return further(())


def result(order: Sequence[str], turns: Sequence[Turn], played: Sequence[Extra], rules: Rules) -> Result:
    """Who loses the round, with what value and for how many lives, or who is still tied."""
    threw = list(order[: len(turns)])  # players who have not thrown are out of an aborted round
    mex_throwers = [who for who, turn in zip(threw, turns, strict=True) if has_mex([turn])]
    mexes = len(mex_throwers)  # a Mex ends the turn, so no player throws two
    stake = 1
    if mexes > 0:
        stake = 2**mexes if rules.doubling else 2 * mexes
    ranks = {who: float(rank(turn.throws[-1], "mex")) for who, turn in zip(threw, turns, strict=True)}
    numbers = {who: worth(turn.throws[-1], "mex") for who, turn in zip(threw, turns, strict=True)}
    aborter = threw[-1]
    before = [ranks[who] for who in threw[:-1]]
    if turns[-1].aborted and before and ranks[aborter] == min(before):
        ranks[aborter] -= 0.5  # below what it was, above whatever is lower
        numbers[aborter] -= 1
    tied = [who for who in threw if ranks[who] == min(ranks.values())]
    value, counting = numbers[tied[0]], "mex"
    for extra in played:
        counting = extra.counting
        in_extra = dict(zip(tied, extra.throws, strict=True))
        lowest = min(rank(throw, counting) for throw in extra.throws)
        tied = [who for who in tied if rank(in_extra[who], counting) == lowest]
        value = worth(in_extra[tied[0]], counting)
    return Result(tied, value, stake, counting, mex_throwers)


def acts(order: Sequence[str], turns: Sequence[Turn], played: Sequence[Extra], rules: Rules) -> list[Act]:
    """The round as the actions the players took, in their order."""
    listed: list[Act] = []
    for index, turn in enumerate(turns):
        who = order[index]
        listed += [(who, "throw", throw) for throw in turn.throws]
        if turn.aborted:
            listed.append((who, "abort", None))
        elif not ends_by_itself(turns[: index + 1], order, rules):
            listed.append((who, "stop", None))
    for index, extra in enumerate(played):
        tied = result(order, turns, played[:index], rules).tied
        listed.append((tied[-1], extra.counting, None))
        listed += [(who, "throw", throw) for who, throw in zip(tied, extra.throws, strict=True)]
    return listed


@dataclass(frozen=True)
class Table:
    """How a match stands between two rounds."""

    seats: tuple[str, ...]
    lives: dict[str, int]
    points: dict[str, int]
    starter: str
    number: int

    @property
    def living(self) -> list[str]:
        """The players with a life left, in seat order."""
        return [who for who in self.seats if self.lives[who] > 0]

    @property
    def order(self) -> list[str]:
        """From the starter through the living players in seat order."""
        start = self.living.index(self.starter)
        return self.living[start:] + self.living[:start]


def first_table(seats: Sequence[str], rules: Rules, starter: str) -> Table:
    """How a match stands before its first round."""
    return Table(tuple(seats), dict.fromkeys(seats, rules.lives), dict.fromkeys(seats, 0), starter, 1)


def next_table(table: Table, lost: Result) -> Table:
    """How the match stands after a round was lost: lives, points and who starts the next."""
    (loser,) = lost.tied
    lives = {**table.lives, loser: max(0, table.lives[loser] - lost.stake)}
    left = [who for who in table.seats if lives[who] > 0]
    points = dict(table.points)
    for who in table.living:
        if who == loser:
            points[who] -= 1
            continue
        points[who] += 1
        if who in lost.mex_throwers:
            points[who] += 2
        if left == [who]:
            points[who] += 5
    # The loser starts; a loser who is out is followed in seat order by the next who is not.
    after = table.seats.index(loser)
    around = table.seats[after:] + table.seats[:after]
    starter = next(who for who in around if lives[who] > 0)
    return Table(table.seats, lives, points, starter, table.number + 1)
