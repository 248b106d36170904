"""Whole random matches a second, on one core: how fast the rules are."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import click

from mexvoice.rules import (
    Abort,
    Action,
    ActionKind,
    Count,
    Counting,
    Dice,
    Match,
    Options,
    Phase,
    Stop,
    ThrowDice,
)

_THROWS = tuple(ThrowDice(Dice(first, second)) for first in range(1, 7) for second in range(1, 7))
"""Every way two dice can fall, each as likely as the others."""
_THROW = ActionKind.THROW
_WITHOUT_DICE: dict[ActionKind, Action] = {
    ActionKind.STOP: Stop(),
    ActionKind.ABORT: Abort(),
    ActionKind.PIPS: Count(Counting.PIPS),
    ActionKind.MEX: Count(Counting.MEX),
}
_ORDERED: dict[frozenset[ActionKind], tuple[ActionKind, ...]] = {}
"""Open actions in an order that does not change from run to run, as that of a set does."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What was measured."""

    matches: int
    actions: int
    seconds: float
    """Of processor time of this process, which has one thread."""


def random_action(open_actions: frozenset[ActionKind], rng: random.Random) -> Action:
    """One of the open actions, each as likely as the others, and fair dice."""
    kinds = _ORDERED.get(open_actions)
    if kinds is None:
        kinds = _ORDERED[open_actions] = tuple(sorted(open_actions))
    kind = rng.choice(kinds)
    return rng.choice(_THROWS) if kind is _THROW else _WITHOUT_DICE[kind]


def play(players: int, options: Options, rng: random.Random) -> Match:
    """One whole match of random actions."""
    match = Match([f"Player {seat}" for seat in range(1, players + 1)], options)
    while match.phase is not Phase.OVER:
        match.apply(random_action(match.open, rng))
    return match


def measure(matches: int, players: int, seed: int, clock: Callable[[], float] = time.process_time) -> Rate:
    """Play that many matches of that many players, always the same ones for one seed."""
    rng = random.Random(seed)
    options = Options()
    start = clock()
    actions = sum(len(play(players, options, rng).history) for _ in range(matches))
    return Rate(matches, actions, clock() - start)


@click.command()
@click.option("--matches", default=1000, show_default=True, type=click.IntRange(1), help="How many to play.")
@click.option("--players", default=6, show_default=True, type=click.IntRange(2, 20), help="How many play.")
@click.option("--seed", default=1, show_default=True, help="Of the dice and the choices.")
def command(matches: int, players: int, seed: int) -> None:
    """Whole random matches a second, on one core."""
    rate = measure(matches, players, seed)
    click.echo(
        f"{rate.matches} matches of {players} players, {rate.actions} actions, in {rate.seconds:.2f} s: "
        f"{rate.matches / rate.seconds:.0f} matches/s, {rate.actions / rate.seconds:.0f} actions/s"
    )
