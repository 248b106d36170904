"""The engine against the oracle, over every outcome of small matches."""

from itertools import combinations_with_replacement

import pytest

from mexvoice.rules import Counting, Dice, Penalty
from tests.rules.oracle import RANKING, Throw, name_of, rank, worth
from tests.rules.walk import Small, walk

ALL = tuple((high, low) for low, high in combinations_with_replacement(range(1, 7), 2))
"""All 21 throws that differ."""
EIGHT: tuple[Throw, ...] = ((2, 1), (3, 1), (3, 2), (6, 5), (5, 2), (4, 3), (1, 1), (6, 6))
"""Lowest, highest, a Mex, pairs, neighbours, and three different throws of seven pips."""
SIX = EIGHT[:4] + EIGHT[-2:]
FIVE: tuple[Throw, ...] = ((2, 1), (3, 1), (3, 2), (4, 1), (1, 1))
"""A Mex, a pair, the two lowest values, and two different throws of five pips."""
THREE: tuple[Throw, ...] = ((1, 2), (3, 1), (2, 2))
"""A Mex, the lowest value, and a pair of as many pips as that."""
DOUBLING = Penalty.DOUBLING

# The numbers of outcomes, counted by the oracle, show a walk that leaves some out.
QUICK = [
    # 20 throws that are no Mex are followed by an abort or by 21 throws, the Mex by 21 throws; each of the
    # 21 ties becomes 2 choices of 21 x 21 throws: 20 x 22 + 21 - 21 + 21 x 2 x 441.
    pytest.param(Small("AB", ALL), 18_962, id="every throw"),
    pytest.param(Small("AB", SIX, max_throws=2, lives=3), 14_477, id="two throws a turn"),
    pytest.param(Small("AB", THREE, max_throws=3, lives=3), 2_170, id="three throws a turn"),
    pytest.param(Small("AB", FIVE, extras=2, starter="B"), 3_214, id="two extra rounds"),
    pytest.param(Small("AB", THREE, extras=3, penalty=DOUBLING), 3_734, id="three extra rounds"),
    pytest.param(Small("ABC", SIX, lives=2), 6_027, id="three players"),
    pytest.param(Small("ABC", THREE, max_throws=2, lives=3), 6_625, id="three players, two throws"),
    pytest.param(Small("ABC", THREE, lives=9, extras=2, penalty=DOUBLING, starter="C"), 4_242, id="doubling"),
    pytest.param(Small("ABCD", THREE, lives=20, penalty=DOUBLING, starter="B"), 1_741, id="four, doubling"),
    pytest.param(Small("ABCD", THREE, lives=20, starter="C"), 1_741, id="four players"),
    pytest.param(Small("AB", THREE, lives=2, rounds=3), 17_918, id="matches of two lives"),
    pytest.param(Small("ABC", THREE, rounds=2, starter="B"), 12_249, id="matches of three players"),
]
LONG = [
    pytest.param(Small("AB", EIGHT, max_throws=2, lives=3), 61_959, id="more throws, two a turn"),
    pytest.param(
        Small("AB", FIVE[:1] + FIVE[2:], max_throws=3, lives=2), 18_590, id="more throws, three a turn"
    ),
    pytest.param(Small("ABC", EIGHT, lives=2, penalty=DOUBLING), 19_420, id="more throws, three players"),
    pytest.param(Small("ABC", THREE, lives=2, rounds=2), 38_568, id="matches of three players, two lives"),
]


@pytest.mark.parametrize(("small", "outcomes"), QUICK)
def test_every_outcome(small: Small, outcomes: int) -> None:
    assert walk(small).outcomes == outcomes


@pytest.mark.slow
@pytest.mark.timeout(900)  # some 10 s of work each, on a machine that may be busy
@pytest.mark.parametrize(("small", "outcomes"), LONG)
def test_every_outcome_of_more(small: Small, outcomes: int) -> None:
    assert walk(small).outcomes == outcomes


@pytest.mark.parametrize("first", range(1, 7))
@pytest.mark.parametrize("second", range(1, 7))
def test_every_throw_has_its_value(first: int, second: int) -> None:
    dice, throw = Dice(first, second), (first, second)
    assert dice.value(Counting.MEX) == worth(throw, "mex")
    assert dice.value(Counting.PIPS) == worth(throw, "pips")
    assert dice.is_mex == (name_of(throw) == "Mex")


def test_values_rank_as_the_rules_list_them() -> None:
    assert len({name_of(throw) for throw in ALL}) == len(RANKING) == 21
    by_rank = sorted(ALL, key=lambda throw: rank(throw, "mex"))
    values = [Dice(*throw).value(Counting.MEX) for throw in by_rank]
    assert values == sorted(set(values))
