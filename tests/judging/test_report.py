"""Figures are held against what is asked for, and shown with what is behind them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from scripts.bench import main
from scripts.judging.picture import draw
from scripts.judging.report import SHOWN, Report
from scripts.judging.tally import Tally
from scripts.judging.target import Target, targets


def test_tallies_add_up() -> None:
    one, other = Tally(3, 1, 0, {("no", "now"): 1}), Tally(1, 1, 2, {("no", "now"): 1, ("two", ""): 2})
    both = Tally.of([one, other])
    assert (both.right, both.wrong, both.missed, both.cases) == (4, 2, 2, 8)
    assert (both.right_share, both.wrong_share) == (50.0, 25.0)
    assert both.confusions == {("no", "now"): 2, ("two", ""): 2}
    assert one.confusions == {("no", "now"): 1}


@pytest.mark.parametrize(
    ("target", "figure", "met"),
    [
        (Target("a", "a", "%", 97, 99, more_is_better=True), 97.0, True),
        (Target("a", "a", "%", 97, 99, more_is_better=True), 96.9, False),
        (Target("a", "a", "ms", 350, 200), 350.0, True),
        (Target("a", "a", "ms", 350, 200), 351.0, False),
        (Target("a", "a", "an hour", 2, None, strictly=True), 2.0, False),
        (Target("a", "a", "an hour", 2, None, strictly=True), 1.5, True),
    ],
)
def test_a_target_is_met_or_missed(target: Target, figure: float, met: bool) -> None:
    assert target.met(figure) is met


def report() -> Report:
    made = Report("de")
    made.add("quiet", "Commands in quiet", Tally(98, 1, 1, {("los", "stopp"): 1, ("nein", ""): 1}))
    made.noise = {("music", 6): Tally(3, 1, 0), ("music", 9): Tally(4), ("street", 6): Tally(1, 0, 3),
                  ("street", 9): Tally(2, 2)}  # fmt: skip
    made.add("noise", "Commands in noise", Tally.of(made.noise.values()))
    made.figures["delay"] = 250.0
    return made


def test_the_table_says_what_is_met_and_what_is_missed() -> None:
    lines = report().markdown().splitlines()
    rows = {line.split(" | ")[0].strip("| "): line for line in lines if line.startswith("|")}
    assert "98.0 % | 100 | at least 97 % | met" in rows["right command, voices held out whole, quiet"]
    assert "62.5 % | 16 | at least 92 % | **missed**" in next(
        row for what, row in rows.items() if what.startswith("the same")
    )
    assert "not measured" in rows["single words of people, right"]
    assert rows["music"] == "| music | 75 % | 100 % | 88 % |"
    assert rows["all"] == "| all | 50 % | 75 % | 62 % |"
    assert "Commands in quiet: los → stopp; nein → -." in lines
    assert "Commands in noise: nothing went wrong." in lines


def test_of_many_confusions_the_most_frequent_are_listed() -> None:
    made = Report("en")
    tally = Tally()
    for number in range(SHOWN + 5):
        tally.confuse(f"word {number:02}", "x", times=1 + (number == SHOWN + 4))
    made.add("quiet", "Commands", tally)
    text = made.markdown()
    assert f"Commands: word {SHOWN + 4} → x ×2; word 00 → x; " in text
    assert "and 5 more." in text


def test_json_holds_the_same() -> None:
    made = json.loads(json.dumps(report().json()))
    assert made["figures"]["quiet"] == 98.0
    assert made["met"] == {"quiet": True, "noise": False, "delay": True}
    assert {"kind": "street", "db": 6, "right": 1, "wrong": 0, "missed": 3} in made["noise"]
    assert ["los", "stopp", 1] in made["confusions"]["Commands in quiet"]


def test_the_picture_has_a_bar_for_every_figure_coloured_by_its_target() -> None:
    other = Report("en")
    other.figures["quiet"] = 80.0
    root = ElementTree.fromstring(draw([report(), other], "A <title>"))
    bars = [bar.get("class") for bar in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert bars == ["ground", "met", "missed", "missed", "met"]
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "A <title>"
    assert {"98.0 %", "80.0 %", "62.5 %", "250 ms", "not measured"} <= set(texts)


@pytest.mark.parametrize("language", ["en", "fr", "de", "ru"])
def test_every_figure_of_a_language_has_a_name_of_its_own(language: str) -> None:
    keys = [target.key for target in targets(language)]
    assert len(set(keys)) == len(keys) >= 14


def test_without_test_voices_one_sentence_says_how_to_make_them(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="what only the training needs is asked for first")
    result = CliRunner().invoke(main, ["hearing", "--lang", "fr", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert "run.py --stage install --stage speak --roles test" in result.stderr
    assert str(tmp_path) in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""
