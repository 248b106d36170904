"""What is told of all evenings: the matches, the league table, its picture, and matches out and in."""

import io
import json
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.ledger.account import account_of
from mexvoice.ledger.chart import draw
from mexvoice.ledger.entry import Entry, take
from mexvoice.ledger.league import COLUMNS, Line, league
from mexvoice.ledger.ledger import Ledger
from mexvoice.rules import Match, Options, Phase, Stop, Undo
from mexvoice.table.history import export_match, import_match, show_history
from mexvoice.table.replay import replay_file
from tests.ledger.evening import Evening
from tests.rules.story import action

SVG = "{http://www.w3.org/2000/svg}"


def told(story: str, *players: str, lives: int = 12) -> Entry:
    """A match of one throw each on record: ``"63 undo 52"`` as in :mod:`tests.rules.story`.

    Whoever waits and could abort stops, without a word of the story.
    """
    match = Match(players or ("Anna", "Ben", "Cleo"), Options(lives=lives, max_throws=1))
    entry = Entry(match.players, match.options)
    for word in story.split():
        if match.phase is Phase.WAITING and word != "undo":
            entry.actions.append(Stop())
            take(match, Stop())
        entry.actions.append(Undo() if word == "undo" else action(word))
        take(match, entry.actions[-1])
    return entry


def test_what_a_match_came_to() -> None:
    entry = told("21 66 31 54 63 64 65 41 32 32", lives=3)
    account = account_of(entry)
    # Round 1: Cleo loses with 31 at a stake of 2; she starts round 2: Cleo 54, Anna 63, Ben 64: Cleo is out.
    # Round 3 goes on with the next living player, Anna: 65 against 41, Ben loses; he starts round 4: 32, 32.
    assert account.rounds == 3
    assert account.actions == 10 + 4  # four times somebody stopped
    assert account.winner is None
    anna, ben, cleo = account.shares.values()
    assert (anna.mexes, ben.mexes, cleo.mexes) == (1, 0, 0)
    assert (anna.rounds_lost, ben.rounds_lost, cleo.rounds_lost) == (0, 1, 2)
    assert (anna.survived, ben.survived, cleo.survived) == (3, 3, 1)
    assert (anna.lives, ben.lives, cleo.lives) == (3, 2, 0)
    assert (anna.points, ben.points, cleo.points) == (1 + 2 + 1 + 1, 1 + 1 - 1, -2)
    assert not (anna.won or ben.won or cleo.won)


def test_what_was_taken_back_does_not_count() -> None:
    plain, corrected = told("21 66 31", lives=1), told("21 undo 21 66 undo 66 31 undo 31", lives=1)
    before, after = account_of(plain), account_of(corrected)
    assert (before.shares, before.rounds, before.actions) == (after.shares, after.rounds, after.actions)


def test_the_winner_lives_through_every_round() -> None:
    account = account_of(told("64 31", "Anna", "Ben", lives=1))
    assert account.winner == "Anna"
    assert account.rounds == 1
    assert account.shares["Anna"].survived == 1
    assert account.shares["Ben"].survived == 0
    assert account.shares["Anna"].won


def test_the_league_adds_the_evenings_of_each_name_however_it_is_written() -> None:
    entries = [
        told("64 31", "Anna", "Ben", lives=1),
        told("64 31", "BEN", " anna", lives=1),
        told("", "Anna", "Nobody"),
        told("21 66 31", "Ben", "Anna", "Cleo"),
    ]
    lines = league(map(account_of, entries))
    assert [line.player for line in lines] == ["Ben", "Anna", "Cleo"]
    ben, anna, cleo = lines
    assert ben == Line("Ben", 3, 1, 1, 1, (-1) + (1 + 5) + (1 + 2), 1)
    assert anna == Line("Anna", 3, 1, 1, 0, (1 + 5) + (-1) + 1, 1)
    assert cleo == Line("Cleo", 1, 0, 1, 0, -1, 1)


def test_the_order_is_by_wins_then_points_then_rounds_lost_then_name() -> None:
    entries = [
        told("64 31", "D", "E", lives=1),
        told("64 31", "C", "B", lives=2),
        told("63 31", "A", "F", lives=2),
    ]
    assert [line.player for line in league(map(account_of, entries))] == ["D", "A", "C", "B", "E", "F"]


# The picture


def test_the_picture_has_a_bar_and_a_figure_for_each_number_of_each_player() -> None:
    lines = [Line("A<b>&\"'", 3, 2, 1, 0, -7, 9), Line("Клео", 3, 1, 5, 4, 14, 3)]
    root = xml.fromstring(draw(lines, "Mex"))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "A<b>&\"'" in texts and "Клео" in texts
    bars = [element for element in root.iter(f"{SVG}rect") if element.get("class") in ("bar", "below")]
    figures = [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "figure"]
    assert len(bars) == len(figures) == len(lines) * len(COLUMNS)
    assert figures == ["3", "3", "2", "1", "1", "5", "0", "4", "−7", "14", "9", "3"]
    width = [float(bar.get("width", "")) for bar in bars]
    assert width[0] == width[1] > 0
    assert width[2] == pytest.approx(2 * width[3], abs=0.2)
    assert width[6] == 0
    assert width[9] == pytest.approx(2 * width[8], abs=0.2)
    assert [bar.get("class") for bar in bars].count("below") == 1


def test_every_bar_stays_within_its_panel() -> None:
    lines = [Line("A", 1000, 0, 0, 0, -1000, 1), Line("B", 0, 0, 0, 0, 5, 1), Line("C", 0, 0, 0, 0, 99999, 1)]
    root = xml.fromstring(draw(lines, "Mex"))
    whole = float(root.get("width", ""))
    for bar in root.iter(f"{SVG}rect"):
        start = float(bar.get("x", "0"))
        assert 0 <= start <= start + float(bar.get("width", "")) <= whole


def test_a_table_of_nobody_is_drawn_too() -> None:
    assert xml.fromstring(draw([], "Mex")).tag == f"{SVG}svg"


# The command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with an evening on record."""
    folder = tmp_path / "data"
    first = told("64 31", "Anna", "Клео", lives=1)
    first.started = first.ended = datetime(2026, 1, 2, 20, 0, tzinfo=UTC)
    second = told("21 66", "Anna", "Клео")
    second.opened = 1
    with Ledger.open(folder, print) as ledger:
        ledger.keep([first, second])
    return folder


def history(data: Path, chart: Path | None = None, as_json: bool = False) -> tuple[int, str, str]:
    """The status, and what was printed where."""
    out, err = io.StringIO(), io.StringIO()
    return show_history(data, chart, as_json, out, err), out.getvalue(), err.getvalue()


def test_matches_and_league_in_the_terminal(data: Path) -> None:
    status, out, err = history(data)
    assert (status, err) == (0, "")
    assert "Anna 6, Клео -1" in out
    assert "not over" in out
    lines = {line.split("│")[1].strip(): line for line in out.splitlines() if line.count("│") == 8}
    assert [cell.strip() for cell in lines["Anna"].split("│")[2:8]] == ["2", "1", "0", "1", "9", "1"]


def test_matches_and_league_as_json(data: Path) -> None:
    status, out, err = history(data, as_json=True)
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["league"][0] == {
        "player": "Anna",
        "matches": 2,
        "wins": 1,
        "rounds_lost": 0,
        "mexes": 1,
        "points": 9,
        "longest_life": 1,
    }
    first, second = report["matches"]
    assert first["match"] == 1
    assert first["winner"] == "Anna"
    assert first["started"] == first["ended"] == "2026-01-02T20:00:00+00:00"
    assert first["players"][1] == {
        "name": "Клео",
        "lives": 0,
        "points": -1,
        "rounds_lost": 1,
        "mexes": 0,
        "survived": 0,
    }
    assert (second["winner"], second["ended"], second["actions"], second["rounds"]) == (None, None, 2, 1)


def test_the_league_as_a_picture(data: Path, tmp_path: Path) -> None:
    chart = tmp_path / "league.svg"
    status, _, err = history(data, chart)
    assert (status, err) == (0, f"The league table is drawn in {chart}.\n")
    assert "Клео" in [text.text for text in xml.parse(chart).iter(f"{SVG}text")]
    with pytest.raises(MexvoiceError, match="is there already: name a new file"):
        history(data, chart)
    with pytest.raises(MexvoiceError, match="Cannot write"):
        history(data, tmp_path / "nowhere" / "league.svg")


def test_no_match_is_on_record(tmp_path: Path) -> None:
    assert history(tmp_path / "x") == (0, f"No match is on record in {tmp_path / 'x'}.\n", "")
    assert json.loads(history(tmp_path / "x", as_json=True)[1]) == {"matches": [], "league": []}
    assert not (tmp_path / "x").exists()


def test_a_match_that_cannot_be_read_is_said_and_the_others_are_told(data: Path) -> None:
    connection = sqlite3.connect(data / "matches.db")
    with connection:
        connection.execute("UPDATE action SET record = '{}' WHERE match = 1")
    connection.close()
    status, out, err = history(data)
    assert status == 1
    assert err.startswith("Match 1 on record is damaged: ")
    assert "not over" in out


def test_a_match_being_played_is_told(tmp_path: Path) -> None:
    evening = Evening(tmp_path, players=("Anna", "Ben"))
    evening.do("throw")
    assert "Anna 0, Ben 0" in history(tmp_path)[1]
    evening.chronicle.close()


# Out and in


def test_a_match_goes_out_as_replay_reads_it_and_comes_in_again(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a", options=Options(lives=2, starter="Ben"))
    evening.do("throw", "undo", "throw", "stop")
    evening.chronicle.close()
    file, out = tmp_path / "match.jsonl", io.StringIO()
    assert export_match(tmp_path / "a", None, file, out) == 0
    assert out.getvalue() == f"Match 1 is written to {file}.\n"
    events = io.StringIO()
    assert replay_file(file, events) == 0
    last = json.loads(events.getvalue().splitlines()[-1])
    assert last["turn"] == evening.assistant.match.turn
    assert '"undone"' in events.getvalue()
    out = io.StringIO()
    assert import_match(tmp_path / "b", file, out, print) == 0
    assert out.getvalue() == f"{file} is match 1 on record now.\n"
    again = tmp_path / "again.jsonl"
    export_match(tmp_path / "b", 1, again, out)
    assert again.read_text() == file.read_text()


def test_a_match_is_not_taken_in_twice(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text(
        '\ufeff{"max_throws": 1,\t"players": ["Anna", "Клео"]}\r\n\r\n{"throw":[2,1]}\r\n{"throw":[6,6]}',
        encoding="utf-8",
    )
    with pytest.raises(MexvoiceError, match="is match 2 on record already"):
        import_match(data, file, io.StringIO(), print)


def test_a_match_that_is_over_is_taken_in_as_ended(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text("\n".join(told("64 31", "A", "B", lives=1).lines()))
    import_match(tmp_path / "data", file, io.StringIO(), print)
    ledger = Ledger.read(tmp_path / "data")
    assert ledger is not None and ledger.entry(1).ended is not None


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (['{"players": ["A", "B"]}', '{"stop": true}'], "line 2: not open now: 'stop' is not open to A now"),
        (['{"players": ["A", "B"]}', "", '{"throw": [6, 7]}'], "line 3: not understood: a die shows"),
        (['{"players": ["A", "B"]}', '{"undo": true}'], "line 2: not open now: there is nothing to undo"),
        (['{"players": ["A", "B"]}', '{"stop": true, "abort": true}'], "line 2: ambiguous"),
        (['{"players": ["A"]}'], "line 1: not understood: a match has 2 to 20 players"),
        (['{"players": ["A\\u001b[2J", "B"]}'], "line 1: not understood"),
        (["", "\x1b[2J"], "line 2: not understood"),
        (["", " "], "is empty: the first line"),
        ([], "is empty: the first line"),
    ],
)
def test_what_the_rules_refuse_is_not_taken_in(tmp_path: Path, lines: list[str], reason: str) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text("\n".join(lines))
    with pytest.raises(MexvoiceError) as refused:
        import_match(tmp_path / "data", file, io.StringIO(), print)
    assert reason in str(refused.value)
    assert str(refused.value).isprintable()
    assert not (tmp_path / "data").exists()


def test_files_that_are_no_matches(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    with pytest.raises(MexvoiceError, match="Cannot read"):
        import_match(tmp_path / "data", file, io.StringIO(), print)
    with pytest.raises(MexvoiceError, match="Cannot read"):
        import_match(tmp_path / "data", tmp_path, io.StringIO(), print)
    file.write_bytes(b'{"players": ["A", "B"]}\n\n{"\xff')
    with pytest.raises(MexvoiceError, match=r"line 3 is not text in UTF-8"):
        import_match(tmp_path / "data", file, io.StringIO(), print)
    file.write_bytes(b" " * (16 * 2**20 + 1))
    with pytest.raises(MexvoiceError, match="is larger than 16777216 bytes"):
        import_match(tmp_path / "data", file, io.StringIO(), print)


def test_nothing_is_written_over(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text("mine")
    with pytest.raises(MexvoiceError, match="is there already: name a new file"):
        export_match(data, 1, file, io.StringIO())
    assert file.read_text() == "mine"


def test_a_match_that_is_not_there_is_not_written(data: Path, tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="There is no match 7 in"):
        export_match(data, 7, tmp_path / "x", io.StringIO())
    with pytest.raises(MexvoiceError, match="No match is on record in"):
        export_match(tmp_path / "nowhere", None, tmp_path / "x", io.StringIO())
    assert not (tmp_path / "x").exists()


def test_a_match_goes_through_standard_output_and_input(data: Path, tmp_path: Path) -> None:
    out = io.StringIO()
    export_match(data, 1, Path("-"), out)
    code = (
        "import sys; from pathlib import Path; from mexvoice.table.history import import_match\n"
        "import_match(Path(sys.argv[1]), Path('-'), sys.stdout, print)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "b")], input=out.getvalue().encode(), capture_output=True
    )
    assert result.stdout.decode() == "- is match 1 on record now.\n"
