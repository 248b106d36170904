"""The benchmark of the rules measures whole matches, the same ones each time."""

import random
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from mexvoice.rules import Options
from scripts.bench import main
from scripts.benches.matches import measure, play


def test_whole_matches() -> None:
    match = play(6, Options(), random.Random(1))
    assert match.winner in match.players
    assert len(match.players) == 6
    assert sum(match.lives.values()) == match.lives[match.winner] <= 12


def test_one_seed_gives_the_same_matches() -> None:
    assert play(4, Options(), random.Random(7)).history == play(4, Options(), random.Random(7)).history
    assert play(4, Options(), random.Random(7)).history != play(4, Options(), random.Random(8)).history


def test_the_rate_is_of_the_time_that_passed() -> None:
    times: Iterator[float] = iter([10.0, 12.5])
    rate = measure(3, 4, seed=1, clock=lambda: next(times))
    rng = random.Random(1)
    assert rate.actions == sum(len(play(4, Options(), rng).history) for _ in range(3))
    assert (rate.matches, rate.seconds) == (3, 2.5)


def test_the_command_prints_matches_a_second() -> None:
    result = CliRunner().invoke(main, ["matches", "--matches", "3", "--players", "4"])
    assert result.exit_code == 0
    assert result.output.startswith("3 matches of 4 players, ")
    assert "matches/s" in result.output


@pytest.mark.parametrize(
    "arguments", [["matches", "--players", "1"], ["matches", "--matches", "0"], ["nothing"]]
)
def test_what_cannot_be_measured(arguments: list[str]) -> None:
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_help_lists_every_benchmark() -> None:
    assert "matches" in CliRunner().invoke(main, ["--help"]).output
