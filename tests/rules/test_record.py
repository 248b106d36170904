"""Matches, actions and events as JSON lines, and matches played again from them."""

import importlib
import json
import pkgutil
from dataclasses import fields
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mexvoice.rules
from mexvoice.rules import (
    EVENTS,
    Abort,
    Action,
    Ambiguous,
    Count,
    Counting,
    Dice,
    Event,
    Match,
    NotOpen,
    NotUnderstood,
    Options,
    Penalty,
    Phase,
    Record,
    RulesError,
    Stop,
    ThrowDice,
    Undo,
    action_record,
    event_record,
    match_record,
    parse_action,
    parse_event,
    parse_match,
    replay,
    standings_record,
    to_records,
)
from tests.rules.story import after, tell
from tests.rules.test_whole import HABITS, UNHURRIED, Habits, matches, play

FIRST = '{"players": ["Anna", "Ben"]}'


def fields_of(cls: type) -> dict[str, st.SearchStrategy[Any]]:
    """A strategy for each field of a dataclass, from its type."""
    hints = get_type_hints(cls)
    return {field.name: st.from_type(hints[field.name]) for field in fields(cls)}


@pytest.mark.parametrize("cls", EVENTS.values(), ids=EVENTS)
def test_every_event_comes_back_from_json(cls: type[Event]) -> None:
    @settings(UNHURRIED, max_examples=25)
    @given(st.builds(cls, **fields_of(cls)))
    def comes_back(event: Event) -> None:
        record = event_record(event)
        assert record["event"] == event.name
        there = json.dumps(record, ensure_ascii=False)
        assert parse_event(json.loads(there)) == event

    comes_back()


def test_every_class_of_event_is_known() -> None:
    found = set()
    for module in pkgutil.iter_modules(mexvoice.rules.__path__):
        for value in vars(importlib.import_module(f"mexvoice.rules.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Event) and value is not Event:
                found.add(value)
    assert found == set(EVENTS.values())
    assert len(found) > 10
    assert EVENTS["stake_raised"] is mexvoice.rules.StakeRaised


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"event": "party"},
        {"event": None},
        {"event": ["undone"]},
        {"event": "player_out"},
        {"event": "player_out", "player": "A", "more": 1},
        {"event": "undone", "action": "dance", "player": "A"},
    ],
    ids=str,
)
def test_what_is_no_event(record: dict[str, Any]) -> None:
    with pytest.raises(NotUnderstood):
        parse_event(record)


st.register_type_strategy(Dice, st.builds(Dice, st.integers(1, 6), st.integers(1, 6)))


@pytest.mark.parametrize("cls", [*get_args(Action), Undo])
def test_every_action_comes_back_from_json(cls: type) -> None:
    @UNHURRIED
    @given(st.builds(cls, **fields_of(cls)))
    def comes_back(action: Action | Undo) -> None:
        assert parse_action(json.dumps(action_record(action))) == action

    comes_back()


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ('{"throw": [6, 3]}', ThrowDice(Dice(6, 3))),
        ('{"throw": [1, 2]}', ThrowDice(Dice(1, 2))),
        ('  {"stop":true}\r\n', Stop()),
        ('{"abort": true}', Abort()),
        ('{"count": "mex"}', Count(Counting.MEX)),
        ('{"count": "pips"}', Count(Counting.PIPS)),
        ('{"undo": true}', Undo()),
    ],
)
def test_a_line_is_one_action(line: str, action: Action | Undo) -> None:
    assert parse_action(line) == action


@pytest.mark.parametrize(
    "line",
    [
        '{"throw": [6, 3], "stop": true}',
        '{"stop": true, "abort": true}',
        '{"count": "mex", "undo": true}',
        '{"throw": [6, 3], "stop": false}',
        '{"throw": [9, 9], "count": 1, "x": 0}',
    ],
)
def test_two_actions_in_a_line_are_ambiguous(line: str) -> None:
    with pytest.raises(Ambiguous, match="one action"):
        parse_action(line)


@pytest.mark.parametrize(
    "line",
    [
        "throw",
        "{",
        "{}",
        "[]",
        "null",
        "63",
        '"stop"',
        '{"throw": [6, 3]} {"stop": true}',
        '{"throw": [6, 3]},',
        '{"throw": [6]}',
        '{"throw": [6, 3, 1]}',
        '{"throw": []}',
        '{"throw": 63}',
        '{"throw": "63"}',
        '{"throw": {"6": 3}}',
        '{"throw": [0, 3]}',
        '{"throw": [7, 3]}',
        '{"throw": [6, -3]}',
        '{"throw": [6.0, 3]}',
        '{"throw": ["6", "3"]}',
        '{"throw": [true, 3]}',
        '{"throw": [null, 3]}',
        '{"throw": [[6], 3]}',
        '{"throw": [NaN, 3]}',
        '{"throw": [6, Infinity]}',
        '{"throw": [6, 1e0]}',
        '{"throw": [6, ' + "9" * 5000 + "]}",
        '{"throw": [6, 3], "throw": [6, 3]}',
        '{"throw": [6, 3], "player": "Anna"}',
        '{"stop": false}',
        '{"stop": 1}',
        '{"stop": "true"}',
        '{"stop": null}',
        '{"abort": []}',
        '{"undo": 2}',
        '{"undo": false}',
        '{"count": true}',
        '{"count": "MEX"}',
        '{"count": ["mex"]}',
        '{"count": {}}',
        '{"Stop": true}',
        '{"dance": true}',
        '{"players": ["Anna", "Ben"]}',
        "{'stop': true}",
        '{"stop": true}\x00',
        "[" * 50_000,
        '{"stop": ' * 20_000,
    ],
    ids=lambda line: line[:30],
)
def test_what_is_not_understood(line: str) -> None:
    with pytest.raises(NotUnderstood):
        parse_action(line)


@UNHURRIED
@given(st.text())
def test_any_text_is_refused_in_one_of_the_three_ways(line: str) -> None:
    with pytest.raises(RulesError):
        parse_action(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@UNHURRIED
@given(st.dictionaries(st.sampled_from(["throw", "stop", "abort", "count", "undo", "x"]), JSON, max_size=3))
def test_any_json_is_an_action_or_refused(record: dict[str, Any]) -> None:
    try:
        action = parse_action(json.dumps(record))
    except RulesError:
        return
    assert action_record(action) == record


@UNHURRIED
@given(
    st.fixed_dictionaries(
        {"players": st.just(["A", "B"]) | JSON},
        optional={"lives": JSON, "max_throws": JSON, "starter": JSON, "penalty": JSON},
    )
)
def test_any_json_is_a_match_or_refused(record: dict[str, Any]) -> None:
    try:
        match = parse_match(json.dumps(record))
    except NotUnderstood:
        return
    assert record["players"] == list(match.players)
    assert match_record(match).items() >= record.items()


@pytest.mark.parametrize(
    ("line", "options"),
    [
        (FIRST, Options()),
        ('{"players": ["Anna", "Ben"], "lives": 3}', Options(lives=3)),
        ('{"lives": 3, "players": ["Anna", "Ben"]}', Options(lives=3)),
        ('{"players": ["Anna", "Ben"], "max_throws": 1}', Options(max_throws=1)),
        ('{"players": ["Anna", "Ben"], "starter": "Ben"}', Options(starter="Ben")),
        ('{"players": ["Anna", "Ben"], "starter": null}', Options()),
        ('{"players": ["Anna", "Ben"], "penalty": "doubling"}', Options(penalty=Penalty.DOUBLING)),
        ('{"players": ["Anna", "Ben"], "penalty": "twice"}', Options()),
    ],
)
def test_the_first_line_is_a_match(line: str, options: Options) -> None:
    match = parse_match(line)
    assert match.players == ("Anna", "Ben")
    assert match.options == options


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"throw": [6, 3]}', "the first line must hold"),
        ("{}", "the first line must hold"),
        ("hello", "not a JSON object"),
        ('{"players": 2}', "list of names"),
        ('{"players": "AB"}', "list of names"),
        ('{"players": {"Anna": 1, "Ben": 2}}', "list of names"),
        ('{"players": [1, 2]}', "list of names"),
        ('{"players": ["Anna"]}', "2 to 20"),
        ('{"players": ["Anna", "ANNA"]}', "same name"),
        ('{"players": ["Anna", "\\ud800"]}', "cannot be shown"),
        ('{"players": ["Anna", "Ben"], "lives": 0}', "lives"),
        ('{"players": ["Anna", "Ben"], "lives": true}', "lives"),
        ('{"players": ["Anna", "Ben"], "lives": 12.0}', "lives"),
        ('{"players": ["Anna", "Ben"], "lives": NaN}', "NaN"),
        ('{"players": ["Anna", "Ben"], "max_throws": 4}', "max_throws"),
        ('{"players": ["Anna", "Ben"], "starter": "Cleo"}', "'Cleo'"),
        ('{"players": ["Anna", "Ben"], "starter": 1}', "starter"),
        ('{"players": ["Anna", "Ben"], "penalty": "treble"}', "penalty"),
        ('{"players": ["Anna", "Ben"], "penalty": ["twice"]}', "penalty"),
        ('{"players": ["Anna", "Ben"], "penalty": "' + "x" * 60_000 + '"}', "'x{12}[.]{3}x{13}'$"),
        ('{"players": ["Anna", "Ben"], "live": 3}', "no option is called 'live'"),
        ('{"players": ["Anna", "Ben"], "players": ["Cleo", "Dan"]}', "twice"),
    ],
)
def test_no_other_first_line(line: str, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        parse_match(line)


def lines_of(match: Match) -> list[str]:
    return [json.dumps(record, ensure_ascii=False) for record in to_records(match)]


@UNHURRIED
@given(matches(), HABITS)
def test_replay_equals_play(match: Match, habits: Habits) -> None:
    played = [event_record(event) for event in play(match, habits)]
    assert list(replay(lines_of(match))) == [*played, standings_record(match)]


@UNHURRIED
@given(matches(most_players=4, most_lives=2), HABITS, st.integers(1, 10))
def test_replay_of_a_match_with_undos(match: Match, habits: Habits, back: int) -> None:
    chooser = habits.actions()
    lines = [json.dumps(match_record(match))]
    told = [*match.begin()]
    while match.phase is not Phase.OVER and len(lines) < 200:
        action = chooser.choose(match.open)
        lines.append(json.dumps(action_record(action)))
        told += match.apply(action)
        if len(lines) % 10 == 0:
            for _ in range(min(back, len(match.history))):
                lines.append(json.dumps(action_record(Undo())))
                told += match.undo()
    assert list(replay(lines)) == [*map(event_record, told), standings_record(match)]


def test_records_hold_the_options_and_what_was_not_taken_back() -> None:
    match = Match(["Anna", "Ben"], Options(lives=3, max_throws=2, starter="Ben", penalty=Penalty.DOUBLING))
    tell(match, "63 31 undo stop 63 pips")
    assert to_records(match) == [
        {"players": ["Anna", "Ben"], "lives": 3, "max_throws": 2, "starter": "Ben", "penalty": "doubling"},
        {"throw": [6, 3]},
        {"stop": True},
        {"throw": [6, 3]},
        {"count": "pips"},
    ]


@pytest.mark.parametrize(
    ("story", "winner", "turn", "open_now"),
    [
        ("", None, "A", ["throw"]),
        ("63", None, "A", ["abort", "stop", "throw"]),
        ("63 21 52", None, "B", ["stop", "throw"]),
        ("63 31 52", None, "A", ["abort", "stop"]),
        ("63 stop 63 stop 64", None, "B", ["mex", "pips"]),
        ("63 stop 63 stop 64 mex", None, "A", ["throw"]),
        ("63 stop 62 stop 64 63 stop 62", "C", None, ["new_match"]),
    ],
)
def test_standings(story: str, winner: str | None, turn: str | None, open_now: list[str]) -> None:
    match = after(story, options=Options(lives=1))
    record = standings_record(match)
    assert (record["winner"], record["turn"], record["open"]) == (winner, turn, open_now)
    assert record["standings"] == [
        {"name": who, "lives": match.lives[who], "points": match.points[who], "out": not match.lives[who]}
        for who in match.players
    ]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"stop": true}', NotOpen),
        ('{"throw": [6, 7]}', NotUnderstood),
        ('{"stop": true, "undo": true}', Ambiguous),
    ],
)
def test_a_refused_line_is_told_by_its_number_after_all_before_it(line: str, error: type[RulesError]) -> None:
    told: list[Record] = []
    with pytest.raises(error) as caught:
        told.extend(replay(["", FIRST, "  \n", '{"throw": [2, 1]}', line, "never read"]))
    assert caught.value.line == 5
    assert [record.get("event") for record in told] == [
        "match_started",
        "round_started",
        "turn_started",
        "dice_thrown",
        "stake_raised",
        "turn_ended",
        "limit_set",
        "turn_started",
        None,
    ]
    assert told[-1]["turn"] == "Ben"


def test_undo_before_anything_is_not_open() -> None:
    with pytest.raises(NotOpen, match="nothing to undo"):
        list(replay([FIRST, '{"undo": true}']))


def test_a_refused_first_line_leaves_nothing_to_stand() -> None:
    records = replay(['{"players": []}'])
    with pytest.raises(NotUnderstood) as caught:
        next(records)
    assert caught.value.line == 1


@pytest.mark.parametrize("lines", [[], ["", "  ", "\n"]])
def test_no_line_is_no_match(lines: list[str]) -> None:
    with pytest.raises(NotUnderstood) as caught:
        list(replay(lines))
    assert caught.value.line is None
