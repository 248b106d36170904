"""What a throw is worth, and what dice there are."""

import pytest

from mexvoice.rules import MEX, Counting, Dice, NotUnderstood, ThrowDice

MEX_COUNTING = [
    ((3, 1), 31),
    ((1, 3), 31),
    ((3, 2), 32),
    ((6, 5), 65),
    ((5, 6), 65),
    ((1, 1), 100),
    ((4, 4), 400),
    ((6, 6), 600),
    ((2, 1), MEX),
    ((1, 2), MEX),
]
PIPS_COUNTING = [((1, 1), 2), ((2, 1), 3), ((1, 2), 3), ((2, 5), 7), ((3, 3), 6), ((6, 6), 12)]


@pytest.mark.parametrize(("pips", "value"), MEX_COUNTING)
def test_mex_counting(pips: tuple[int, int], value: int) -> None:
    assert Dice(*pips).value(Counting.MEX) == value


@pytest.mark.parametrize(("pips", "value"), PIPS_COUNTING)
def test_pips_counting(pips: tuple[int, int], value: int) -> None:
    assert Dice(*pips).value(Counting.PIPS) == value


def test_mex_is_above_everything() -> None:
    others = [Dice(a, b) for a in range(1, 7) for b in range(1, 7) if {a, b} != {1, 2}]
    assert len(others) == 34
    assert max(dice.value(Counting.MEX) for dice in others) == 600 < Dice(1, 2).value(Counting.MEX)
    assert not any(dice.is_mex for dice in others)
    assert Dice(1, 2).is_mex
    assert Dice(2, 1).is_mex


def test_dice_keep_the_order_they_were_read_in() -> None:
    dice = Dice(2, 5)
    assert (dice.first, dice.second, dice.high, dice.low) == (2, 5, 5, 2)
    assert dice != Dice(5, 2)


@pytest.mark.parametrize("pips", [(0, 1), (1, 7), (-1, 2), (True, 2), (2.0, 1), ("6", 3), (None, 1)])
def test_no_other_dice(pips: tuple[int, int]) -> None:
    with pytest.raises(NotUnderstood, match="1 to 6"):
        Dice(*pips)


def test_only_dice_can_be_thrown() -> None:
    with pytest.raises(NotUnderstood, match="no dice"):
        ThrowDice((6, 3))  # type: ignore[arg-type]
