"""Kills of a running match lose and double nothing, and the benchmark that says so would see it."""

import copy
import json
from typing import Any

import pytest
from click.testing import CliRunner

from mexvoice.rules import Match, action_record, match_record
from mexvoice.table.cup import Cup
from scripts.bench import main
from scripts.benches.kills import DICE_AHEAD, Heard, Wrong, coming_dice, kill_and_resume, state_of
from tests.rules.story import action


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_twenty_kills_lose_and_double_nothing() -> None:
    report = kill_and_resume(20, seed=3, load=1)
    assert report.failures == []
    assert report.kills == 20
    assert report.heard.announced > 0


@pytest.mark.slow
def test_the_command_says_what_came_of_it() -> None:
    result = CliRunner().invoke(main, ["kills", "--kills", "2", "--load", "0"])
    assert result.exit_code == 0
    assert "lost or doubled: nothing" in result.output


def line(
    what: str, match: Match, cup: Cup, *records: dict[str, object], language: str = "en"
) -> dict[str, Any]:
    """What a child would write."""
    ahead = copy.deepcopy(cup)
    dice = [ahead.throw() for _ in range(DICE_AHEAD)]
    told = {
        "what": what,
        "records": list(records),
        "opening": match_record(match),
        "state": state_of(match),
        "language": language,
        "seed": cup.seed,
        "dice": [[pair.first, pair.second] for pair in dice],
    }
    return json.loads(json.dumps(told))  # type: ignore[no-any-return]


@pytest.fixture
def heard() -> tuple[Heard, Match, Cup]:
    """A match that began, and two throws and a stop of it."""
    heard, match, cup = Heard(), Match(["A", "B"]), Cup(5)
    heard.hear(line("begun", match, cup))
    for word in ("throw", "throw", "stop"):
        act = throw(cup) if word == "throw" else action(word)
        match.apply(act)
        heard.hear(line("acted", match, cup, action_record(act)))
    return heard, match, cup


def throw(cup: Cup) -> Any:
    """The next throw of ``cup``."""
    dice = cup.throw()
    return action(f"{dice.first}{dice.second}")


def records(heard: Heard) -> tuple[list[dict[str, Any]], list[list[dict[str, Any]]]]:
    """What is on record, in English, if nothing went wrong."""
    return copy.deepcopy(heard.openings), copy.deepcopy(heard.matches)


def test_what_is_as_it_should_be_passes(heard: tuple[Heard, Match, Cup]) -> None:
    account, match, cup = heard
    account.compare(*records(account), "en")
    account.hear(line("resumed", match, cup))
    assert account.announced == 3


def test_the_command_in_hand_may_be_on_record(heard: tuple[Heard, Match, Cup]) -> None:
    account, match, cup = heard
    openings, matches = records(account)
    act = throw(cup)
    match.apply(act)
    matches[0].append(action_record(act))
    account.compare(openings, matches, "en")
    account.hear(line("resumed", match, cup))
    assert (account.announced, account.unannounced) == (3, 1)


def test_a_match_begun_and_not_announced_may_be_on_record(heard: tuple[Heard, Match, Cup]) -> None:
    account, _, cup = heard
    openings, matches = records(account)
    account.compare([*openings, match_record(Match(["A", "B"]))], [*matches, []], "en")
    account.hear(line("resumed", Match(["A", "B"]), cup))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda actions: actions[:-1],
        lambda actions: actions[:0],
        lambda actions: [actions[0], actions[0], *actions[1:]],
        lambda actions: [actions[1], actions[0], *actions[2:]],
        lambda actions: [*actions, {"throw": [1, 1]}, {"throw": [1, 1]}],
        lambda actions: [*actions, {"stop": True}, {"throw": [1, 1]}, {"stop": True}],
    ],
)
def test_a_record_that_lost_or_doubled_something_is_seen(heard: tuple[Heard, Match, Cup], spoil: Any) -> None:
    account, _, _ = heard
    openings, matches = records(account)
    with pytest.raises(Wrong):
        account.compare(openings, [spoil(matches[0])], "en")


def test_a_match_that_is_lost_or_doubled_is_seen(heard: tuple[Heard, Match, Cup]) -> None:
    account, _, _ = heard
    openings, matches = records(account)
    with pytest.raises(Wrong, match="match 1 is lost"):
        account.compare([], [], "")
    with pytest.raises(Wrong, match="was not announced"):
        account.compare(openings * 2, matches * 2, "en")


@pytest.mark.parametrize("key", ["opening", "state", "language", "dice"])
def test_another_match_than_the_announced_one_is_seen(heard: tuple[Heard, Match, Cup], key: str) -> None:
    account, match, cup = heard
    told = line("resumed", match, cup)
    told[key] = {"opening": match_record(Match(["A", "C"])), "dice": [*told["dice"][1:], [1, 1]]}.get(
        key, "x"
    )
    with pytest.raises(Wrong, match=f"{key} is"):
        account.hear(told)


def test_the_account_of_the_dice_is_that_of_the_cup() -> None:
    cup = Cup(11)
    first, second = cup.throw(), cup.throw()
    thrown: list[dict[str, Any]] = [
        {"throw": [first.first, first.second]},
        {"stop": True},
        {"throw": [second.first, second.second]},
    ]
    ahead = [[dice.first, dice.second] for dice in (cup.throw() for _ in range(DICE_AHEAD))]
    assert coming_dice(11, [thrown]) == ahead
    undo: dict[str, Any] = {"undo": True}
    assert coming_dice(11, [[*thrown, undo]]) == [thrown[2]["throw"], *ahead][:DICE_AHEAD]
    back = [thrown[0]["throw"], thrown[2]["throw"], *ahead][:DICE_AHEAD]
    assert coming_dice(11, [[*thrown, undo, undo, undo], []]) == back
    with pytest.raises(Wrong):
        coming_dice(12, [thrown])


def test_the_language_in_hand_may_be_on_record_but_no_action_with_it(heard: tuple[Heard, Match, Cup]) -> None:
    account, match, cup = heard
    openings, matches = records(account)
    with pytest.raises(Wrong, match="fr is on record, en was announced"):
        account.compare(openings, [[*matches[0], {"stop": True}]], "fr")
    account.matches[0].pop()
    account.compare(openings, matches, "fr")
    account.hear(line("resumed", match, cup, language="fr"))
    account.hear(line("spoke", match, cup, language="de"))
    with pytest.raises(Wrong, match="language is fr and should be de"):
        account.hear(line("resumed", match, cup, language="fr"))
