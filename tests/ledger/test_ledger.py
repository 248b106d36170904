"""The file: what is kept is kept once, and every bad file is a sentence and never a loss."""

import contextlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mexvoice.data import DATA_VARIABLE, data_folder
from mexvoice.errors import MexvoiceError
from mexvoice.ledger import schema
from mexvoice.ledger.entry import Draws, Entry
from mexvoice.ledger.failure import Damaged, InUse, Newer
from mexvoice.ledger.ledger import FILE, LOCK, Ledger
from mexvoice.rules import Action, Dice, Options, Penalty, Stop, ThrowDice, Undo
from tests.ledger.evening import no_privileges

ACTIONS: list[Action | Undo] = [ThrowDice(Dice(6, 3)), Stop(), ThrowDice(Dice(5, 4)), Undo()]


def entry(actions: int = 4, **values: object) -> Entry:
    """A match with some actions."""
    return Entry(("Anna", "Клео"), Options(lives=3), actions=ACTIONS[:actions], **values)  # type: ignore[arg-type]


def opened(folder: Path) -> Ledger:
    """The record to keep matches in, which must have nothing to say."""
    told: list[str] = []
    ledger = Ledger.open(folder, lambda trouble: told.append(str(trouble)))
    assert told == []
    return ledger


def read(folder: Path) -> Ledger:
    """The record to read, which must be there."""
    ledger = Ledger.read(folder)
    assert ledger is not None
    return ledger


def execute(folder: Path, *statements: str) -> None:
    """Do something to the file behind its back."""
    with contextlib.closing(sqlite3.connect(folder / FILE)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


# Keeping


def test_everything_of_a_match_comes_back(tmp_path: Path) -> None:
    kept = Entry(
        ("Anna", "Клео", "Dürten"),
        Options(lives=3, max_throws=2, starter="Клео", penalty=Penalty.DOUBLING),
        "ru",
        "machine",
        Draws(2**90, 12, (Dice(1, 2), Dice(6, 6)), 1),
        list(ACTIONS),
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        datetime(2026, 1, 2, 5, 0, 0, tzinfo=UTC),
        5,
    )
    with opened(tmp_path / "new" / "folder") as ledger:
        ledger.keep([kept])
    with read(tmp_path / "new" / "folder") as ledger:
        assert ledger.numbers() == [1]
        assert ledger.entry(1) == kept
        assert ledger.last() == kept
        assert ledger.openings() == 5


def test_what_is_kept_twice_is_there_once_and_what_is_new_is_added(tmp_path: Path) -> None:
    first, second = entry(1), entry(0)
    with opened(tmp_path) as ledger:
        ledger.keep([first, second])
        ledger.keep([first, second])
        first.actions += ACTIONS[1:]
        first.language = "de"
        ledger.keep([second, first])
        assert (first.number, second.number) == (1, 2)
        assert [ledger.entry(1), ledger.entry(2)] == [first, second]


def test_a_transaction_that_fails_changes_nothing(tmp_path: Path) -> None:
    good, bad = entry(), entry()
    bad.opened = 2**70  # more than the file can hold
    with opened(tmp_path) as ledger:
        with pytest.raises(OverflowError):
            ledger.keep([good, bad])
        assert ledger.numbers() == []
        assert good.number is None
        ledger.keep([good])
        assert ledger.entry(1) == good


def test_an_imported_match_is_never_the_last(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        assert ledger.last() is None
        ledger.keep([entry(opened=1), entry()])
        last = ledger.last()
        assert last is not None and last.number == 1


def test_the_whole_disk_write_is_synced_before_it_returns(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        connection = ledger._connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("persist",)


def test_the_data_folder_is_the_platforms_unless_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "moved"))
    assert data_folder(None) == tmp_path / "moved"
    monkeypatch.delenv(DATA_VARIABLE)
    assert data_folder(tmp_path) == tmp_path
    assert data_folder(None).name == "mexvoice"


def test_a_record_that_is_being_kept_can_be_read(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.keep([entry()])
        with read(tmp_path) as reader:
            assert reader.entry(1).actions == ACTIONS
            ledger.keep([entry()])
            assert reader.numbers() == [1, 2]


def test_nothing_to_read(tmp_path: Path) -> None:
    assert Ledger.read(tmp_path / "nowhere") is None
    assert Ledger.read(tmp_path) is None
    (tmp_path / FILE).touch()
    assert Ledger.read(tmp_path) is None
    assert not (tmp_path / LOCK).exists()


def test_a_match_taken_off_while_others_are_read_is_no_failure(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        gone = entry()
        ledger.keep([entry(), gone, entry()])
        with read(tmp_path) as reader:
            entries = reader.entries()
            next(entries)
            ledger.drop(gone)
            assert [other.number for other in entries if isinstance(other, Entry)] == [3]


# Two at once


def test_a_second_process_is_refused_until_the_first_has_ended_in_any_way(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from mexvoice.ledger.ledger import Ledger\n"
        "ledger = Ledger.open(Path(sys.argv[1]), print); print('open', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"open\n"
    with pytest.raises(InUse, match="Another mexvoice keeps its match in"):
        Ledger.open(tmp_path, print)
    process.kill()
    process.wait()
    process.stdout.close()
    opened(tmp_path).close()


# Versions


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.keep([entry()])
    execute(tmp_path, "PRAGMA user_version = 2")
    before = (tmp_path / FILE).read_bytes()
    sentence = r"A newer mexvoice wrote the record .* \(version 2, this one knows 1\): update mexvoice"
    with pytest.raises(Newer, match=sentence):
        Ledger.open(tmp_path, print)
    with pytest.raises(Newer, match=sentence):
        Ledger.read(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("reader", [False, True])
def test_a_file_of_an_older_version_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: bool
) -> None:
    with opened(tmp_path) as ledger:
        ledger.keep([entry()])
    monkeypatch.setattr(
        schema, "STEPS", (*schema.STEPS, "ALTER TABLE match ADD COLUMN place TEXT; CREATE TABLE guest (x);")
    )
    with read(tmp_path) if reader else opened(tmp_path) as ledger:
        assert ledger.entry(1).actions == ACTIONS
        assert ledger._connection.execute("SELECT place FROM match").fetchall() == [(None,)]
        assert ledger._connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_step_to_a_new_version_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as ledger:
        ledger.keep([entry()])
    with monkeypatch.context() as patch:
        patch.setattr(
            schema, "STEPS", (*schema.STEPS, "CREATE TABLE guest (x); INSERT INTO nowhere VALUES (1);")
        )
        with pytest.raises(MexvoiceError):
            Ledger.read(tmp_path)
    with opened(tmp_path) as ledger:
        assert ledger.entry(1).actions == ACTIONS
        assert ledger._connection.execute("SELECT * FROM sqlite_master WHERE name = 'guest'").fetchall() == []


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    execute(tmp_path, "CREATE TABLE recipe (x)", "INSERT INTO recipe VALUES ('soup')")
    before = (tmp_path / FILE).read_bytes()
    for attempt in (Ledger.read, lambda folder: Ledger.open(folder, print)):
        with pytest.raises(MexvoiceError, match="is a database of another program: move it away"):
            attempt(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


# What is in the way


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(MexvoiceError, match=r"matches\.db is a folder where the record should be a file"):
        Ledger.open(tmp_path, print)
    with pytest.raises(MexvoiceError, match=r"matches\.db is a folder where the record should be a file"):
        Ledger.read(tmp_path)


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(MexvoiceError, match="data is no folder: name one"):
        Ledger.open(tmp_path / "data", print)
    with pytest.raises(MexvoiceError, match="cannot be used"):
        Ledger.open(tmp_path / "data" / "deeper", print)


def test_a_device_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to("/dev/null")
    with pytest.raises(MexvoiceError, match="is no file that can hold a record"):
        Ledger.open(tmp_path, print)


def open_to_nobody(folder: Path) -> None:
    """Let a process without privileges come as far as the folder."""
    for place in [folder, *folder.parents]:
        if str(place).startswith(str(Path(tempfile.gettempdir()) / "pytest-")):
            place.chmod(0o755)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    open_to_nobody(tmp_path)
    folder = tmp_path / "data"
    with opened(folder) as ledger:
        ledger.keep([entry()])
    folder.chmod(0o555)
    (folder / FILE).chmod(0o444)
    (folder / LOCK).unlink()
    try:
        with no_privileges():
            with pytest.raises(MexvoiceError, match=r"The record .* cannot be opened for writing: allow it"):
                Ledger.open(folder, print)
            with pytest.raises(MexvoiceError, match="cannot be opened for writing"):
                Ledger.open(folder / "deeper", print)
            with read(folder) as ledger:
                assert ledger.entry(1).actions == ACTIONS
    finally:
        folder.chmod(0o755)


def test_a_file_that_cannot_be_written_is_said_before_anything_is_played(tmp_path: Path) -> None:
    open_to_nobody(tmp_path)
    with opened(tmp_path) as ledger:
        ledger.keep([entry()])
    tmp_path.chmod(0o777)
    (tmp_path / LOCK).chmod(0o666)
    (tmp_path / FILE).chmod(0o444)
    (tmp_path / f"{FILE}-journal").chmod(0o444)
    with no_privileges(), pytest.raises(MexvoiceError, match="cannot be opened for writing"):
        Ledger.open(tmp_path, print)


def test_a_file_that_may_not_grow_keeps_what_it_has(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.keep([entry()])
        ledger._connection.execute("PRAGMA max_page_count = 1")
        big = entry()
        big.actions = [ThrowDice(Dice(6, 3)), Undo()] * 2000
        with pytest.raises(MexvoiceError, match=r"The disk is full, the record .* cannot grow: make room"):
            ledger.keep([big])
        assert ledger.numbers() == [1]
        ledger._connection.execute("PRAGMA max_page_count = 100000")
        ledger.keep([big])
        assert ledger.entry(2) == big


# Damage


def test_a_file_that_is_no_database_is_set_aside_and_a_new_one_is_begun(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("not a database, and longer than the head of one would be: " + "x" * 100)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(Damaged, match=r"matches\.db is damaged \(file is not a database\)"):
        Ledger.read(tmp_path)
    told: list[str] = []
    with Ledger.open(tmp_path, lambda trouble: told.append(str(trouble))) as ledger:
        ledger.keep([entry()])
    (aside,) = tmp_path.glob("matches-damaged-*.db")
    assert aside.read_bytes() == before
    assert len(told) == 1
    assert (
        f"is damaged (file is not a database). It is set aside as {aside}, and a new one is begun." in told[0]
    )
    opened(tmp_path).close()


def test_a_second_damaged_file_does_not_replace_the_first(tmp_path: Path) -> None:
    for content in ("one", "two", "three"):
        (tmp_path / FILE).write_text(content * 100)
        Ledger.open(tmp_path, lambda _: None).close()
    asides = tmp_path.glob("matches-damaged-*.db")
    assert sorted(path.read_text()[:3] for path in asides) == ["one", "thr", "two"]


def test_the_matches_that_can_still_be_read_are_taken_over(tmp_path: Path) -> None:
    entries = [entry() for _ in range(300)]
    with opened(tmp_path) as ledger:
        ledger.keep(entries)
    with (tmp_path / FILE).open("r+b") as file:
        file.seek(4096 * 7)
        file.write(b"\xff" * 4096)
    told: list[str] = []
    with Ledger.open(tmp_path, lambda trouble: told.append(str(trouble))) as ledger:
        taken = ledger.numbers()
        assert 0 < len(taken) < 300
        assert told[1:] == [f"Matches that could be taken over from it: {len(taken)}."]
        for number in taken:
            assert ledger.entry(number) == entries[number - 1]


@pytest.mark.parametrize(
    ("table", "column", "value", "reason"),
    [
        ("action", "record", '{"throw": [6, 9]}', "a die shows a whole number"),
        ("action", "record", '{"abort": true}', "is damaged at its action 1: 'abort' is not open"),
        ("action", "record", '{"undo": true}', "is damaged at its action 1: there is nothing to undo"),
        ("action", "record", b"\xff", "damaged"),
        ("action", "record", b'{"stop": true}\xff', "damaged"),
        ("action", "record", "[" * 100_000, "not a JSON object"),
        ("action", "number", 9, "its action 1 is missing"),
        ("match", "opening", '{"players": ["A\\u001b[2J", "B"]}', "cannot be shown"),
        ("match", "opening", '{"players": ["Anna", "Ben"], "starter": "Cleo"}', "not one of the players"),
        ("match", "opening", "{}", "the first line must hold"),
        ("match", "opening", b"{}", "a text is missing"),
        ("match", "dice", b"machine", "a text is missing"),
        ("match", "dice", "\x1b[2J", "a word of ours"),
        ("match", "key", "é", "a word of ours"),
        ("match", "language", b"en", "its language is no word"),
        ("match", "language", "\x1b[2J", "its language is no word"),
        ("match", "started", "yesterday \x1b[2J", "isoformat"),
        ("match", "started", "0001-01-01T00:00:00+14:00", "out of range"),
        ("match", "started", "2026-01-01T00:00:00", "a time has no zone"),
        ("match", "ended", b"5", "a time is missing"),
        ("match", "opened", "x", "its place among the others"),
        ("match", "drawn", 999_999_999_999, "not those of a seed"),
        ("match", "drawn", -1, "not those of a seed"),
        ("match", "drawn", None, "not those of a seed"),
        ("match", "after", -1, "not those of a seed"),
        ("match", "seed", "one", "invalid literal"),
        ("match", "seed", "9" * 5000, "digits"),
        ("match", "returned", "[[1]]", "missing 1 required"),
        ("match", "returned", "[", "Expecting value"),
        ("match", "returned", "7", "not iterable"),
    ],
)
def test_a_damaged_match_is_said_and_the_other_is_read(
    tmp_path: Path, table: str, column: str, value: object, reason: str
) -> None:
    with opened(tmp_path) as ledger:
        ledger.keep([entry(1, opened=2, draws=Draws(1)), entry(opened=1)])
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        key = "id" if table == "match" else "match"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = 1", (value,))
    with read(tmp_path) as ledger:
        broken, whole = ledger.entries()
        assert isinstance(broken, Damaged)
        assert re.search(reason, str(broken))
        assert str(broken).isprintable()
        assert isinstance(whole, Entry) and whole.actions == ACTIONS
        with pytest.raises(Damaged, match=reason):
            ledger.entry(1)


def spoil(content: bytearray, rng: random.Random) -> None:
    """Do to a file what a bad disk does."""
    kind = rng.randrange(4)
    if kind == 0:
        del content[rng.randrange(len(content)) :]
    elif kind == 1:
        start = rng.randrange(len(content))
        content[start : start + 4096] = bytes(min(4096, len(content) - start))
    elif kind == 2:
        start = rng.randrange(len(content))
        content[start : start + 512] = rng.randbytes(min(512, len(content) - start))
    else:
        for _ in range(rng.randrange(1, 20)):
            # The head of the file and of its pages decide most.
            place = rng.randrange(rng.choice((100, 4096, len(content))))
            content[place] = rng.randrange(256)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_whatever_a_bad_disk_makes_of_the_file_is_a_sentence_and_nothing_is_thrown_away(
    tmp_path: Path, seed: int
) -> None:
    with opened(tmp_path / "whole") as ledger:
        ledger.keep([entry(number % 5, opened=number) for number in range(1, 120)])
    whole = (tmp_path / "whole" / FILE).read_bytes()
    rng = random.Random(seed)
    asides = 0
    for trial in range(60):
        content = bytearray(whole)
        spoil(content, rng)
        folder = tmp_path / f"{trial}"
        folder.mkdir()
        (folder / FILE).write_bytes(content)
        with contextlib.suppress(MexvoiceError):
            reader = Ledger.read(folder)
            if reader is not None:
                with reader:
                    list(reader.entries())
        told: list[MexvoiceError] = []
        try:
            ledger = Ledger.open(folder, told.append)
        except MexvoiceError as error:
            # Refused: then it is left as it was.
            assert str(error).isprintable() and len(str(error)) < 500
            assert (folder / FILE).read_bytes() == bytes(content)
            continue
        with ledger:
            fresh = entry()
            ledger.keep([fresh])
            assert fresh.number is not None and ledger.entry(fresh.number) == fresh
        if told:
            asides += 1
            assert all(str(trouble).isprintable() for trouble in told)
            (aside,) = folder.glob("matches-damaged-*.db")
            assert aside.read_bytes() == bytes(content)
        shutil.rmtree(folder)
    assert asides > 10
