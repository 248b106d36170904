"""``mexvoice replay``'s files: good ones, refused lines, and what is no such file."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.rules import Match, Options, event_record, standings_record, to_records
from mexvoice.table.replay import LONGEST_LINE, replay_file
from tests.rules.story import after, tell

FIRST = '{"players": ["Anna", "Ben"], "lives": 1}\n'


def run(path: Path, text: str | bytes) -> tuple[int, list[dict[str, Any]]]:
    """The exit status and the records printed for a file of that text."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    out = io.StringIO()
    status = replay_file(path, out)
    return status, [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "match.jsonl"


def test_every_event_and_last_the_standings(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = Match(["Анна", "Zoé", "李"], Options(lives=2))
    events = [*match.begin(), *tell(match, "63 31 stop 21 31 64 65 stop 31 31 stop 31 mex 52 53")]
    assert match.winner == "Zoé"
    text = "\n".join(json.dumps(record) for record in to_records(match))
    status, printed = run(file, text)
    assert status == 0
    assert printed == [json.loads(json.dumps(event_record(event))) for event in events] + [
        standings_record(match)
    ]
    assert capsys.readouterr() == ("", "")


def test_letters_are_printed_as_they_are(file: Path) -> None:
    file.write_text('{"players": ["Анна", "Zoé"]}', "utf-8")
    out = io.StringIO()
    assert replay_file(file, out) == 0
    assert '"players": ["Анна", "Zoé"]' in out.getvalue()


def test_letters_the_output_has_not_are_escaped(file: Path) -> None:
    file.write_text('{"players": ["Анна", "Zoé"]}', "utf-8")
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="latin-1")
    assert replay_file(file, out) == 0
    out.flush()
    assert json.loads(raw.getvalue().decode("latin-1").splitlines()[0])["players"] == ["Анна", "Zoé"]


@pytest.mark.parametrize(
    "text",
    [
        FIRST + '{"throw": [6, 3]}',
        FIRST + '\n\n  \n{"throw": [6, 3]}\n\n',
        "\n" + FIRST + '{"throw": [6, 3]}\n',
        FIRST.replace("\n", "\r\n") + '{"throw": [6, 3]}\r\n',
        b"\xef\xbb\xbf" + FIRST.encode() + b'{"throw": [6, 3]}\n',
    ],
    ids=["no end of line", "blank lines", "blank first line", "carriage returns", "byte order mark"],
)
def test_forms_of_the_file(file: Path, text: str | bytes) -> None:
    status, printed = run(file, text)
    assert status == 0
    assert printed[-2]["event"] == "dice_thrown"
    assert printed[-1] == standings_record(after("63", "AB")) | {
        "standings": [
            {"name": "Anna", "lives": 1, "points": 0, "out": False},
            {"name": "Ben", "lives": 1, "points": 0, "out": False},
        ],
        "turn": "Anna",
    }


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"count": "mex"}', "not open now: 'mex' is not open to Anna now; open: abort, stop, throw"),
        ('{"throw": [6, 7]}', "not understood: a die shows a whole number from 1 to 6, not 7"),
        ('{"stop": false}', 'not understood: "stop" holds true and nothing else'),
        ("stop", "not understood: it is not a JSON object"),
        ('{"throw": [6, 3], "stop": true}', "ambiguous: one line holds one action, not throw and stop"),
    ],
)
def test_a_refused_line(file: Path, line: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, printed = run(file, FIRST + '\n{"throw": [6, 3]}\n' + line + '\n{"stop": true}\n')
    assert status == 2
    assert [record.get("event") for record in printed[3:]] == ["dice_thrown", None]
    assert printed[-1]["open"] == ["abort", "stop", "throw"]
    assert capsys.readouterr() == ("", f"{file}, line 4: {why}\n")


def test_a_match_that_is_over_takes_nothing_but_undo(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    over = FIRST + '{"throw": [6, 3]}\n{"stop": true}\n{"throw": [3, 1]}\n'
    status, printed = run(file, over + '{"throw": [6, 3]}\n')
    assert status == 2
    assert (printed[-1]["winner"], printed[-1]["turn"], printed[-1]["open"]) == ("Anna", None, ["new_match"])
    assert "line 5: not open now: the match is over" in capsys.readouterr().err
    status, printed = run(file, over + '{"undo": true}\n{"throw": [6, 4]}')
    assert status == 0
    assert {"event": "undone", "action": "throw", "player": "Ben"} in printed
    assert printed[-1]["winner"] == "Ben"


def test_a_refused_first_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, printed = run(file, '{"players": ["Anna"]}\n')
    assert (status, printed) == (2, [])
    assert "line 1: not understood: a match has 2 to 20 players, not 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "is empty"),
        (b"\n  \n\n", "is empty"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe\n", "line 1 is not text in UTF-8"),
        (FIRST.encode("utf-16"), "line 1 is not text in UTF-8"),
        (FIRST.encode() + b'{"stop": "\xe9"}\n', "line 2 is not text in UTF-8"),
        (b"[" * (LONGEST_LINE + 1), f"line 1 is longer than {LONGEST_LINE} bytes"),
        (FIRST.encode() + b" " * (LONGEST_LINE + 1), "line 2 is longer than"),
    ],
    ids=["nothing", "blank", "binary", "utf-16", "latin-1", "huge line", "huge blank line"],
)
def test_what_is_no_such_file(file: Path, text: bytes, why: str) -> None:
    with pytest.raises(MexvoiceError, match=why) as caught:
        run(file, text)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_longest_line_is_read(file: Path) -> None:
    line = b'{"throw": [6, 3]}'
    status, printed = run(file, FIRST.encode() + line + b" " * (LONGEST_LINE - len(line) - 1) + b"\n")
    assert status == 0
    assert len(printed) == 5


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="No such file"):
        replay_file(tmp_path / "none.jsonl", io.StringIO())


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="Cannot read"):
        replay_file(tmp_path, io.StringIO())


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no endless file")
def test_an_endless_file() -> None:
    with pytest.raises(MexvoiceError, match="line 1 is longer than"):
        replay_file(Path("/dev/zero"), io.StringIO())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_a_file_one_may_not_read(file: Path) -> None:
    file.write_text(FIRST, "utf-8")
    file.chmod(0)
    with pytest.raises(MexvoiceError, match="Permission denied"):
        replay_file(file, io.StringIO())
