"""Recorded matches, and the record of them, harmed; names nobody has."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from mexvoice.ledger.entry import Draws, Entry
from mexvoice.ledger.ledger import FILE, Ledger
from mexvoice.rules import (
    Abort,
    ActionKind,
    Count,
    Counting,
    Match,
    Options,
    Phase,
    Stop,
    ThrowDice,
)
from mexvoice.rules.dice import Dice
from mexvoice.rules.record import to_records
from mexvoice.speaking.synthesiser import Synthesiser
from mexvoice.table.cup import Cup
from scripts.fuzzing import nasty
from scripts.fuzzing.case import Case, Command
from scripts.fuzzing.screens import allowed
from scripts.fuzzing.wording import TYPED

TYPING = (
    b"throw\nstop\nscores\nhow many lives has Anna\nundo\n",
    b"throw\nthrow\nhelp\nabort\nyes\nlowest\n",
    b"w\xc3\xbcrfeln\nspeak german\nwerfen\nauf englisch\n\x00\x1b[7731m\nthrow\n",
    b"\xff\xfe\xfd\n" + b"x" * 20_000 + b"\n",
    b"",
)


def replayed(rng: random.Random, folder: Path) -> Case:
    """``replay`` and ``import`` of a file of a match that is harmed."""
    path = folder / rng.choice(("match.jsonl", f"m\x1b[{nasty.MARK}m.jsonl", "-m"))
    path.write_bytes(_harmed_lines(rng))
    name = f"./{path.name}" if path.name.startswith("-") else str(path)
    commands = [Command(["replay", name])]
    if rng.random() < 0.5:
        data = str(folder / "data")
        commands.append(Command(["import", name, "--data", data]))
        commands.append(Command(["history", "--data", data]))
    elif rng.random() < 0.3:
        commands.append(Command(["import", "-", "--data", str(folder / "data")], typed=path.read_bytes()))
    return Case(commands)


def named(rng: random.Random, folder: Path) -> Case:
    """A match of people with such names, kept, shown, exported, resumed."""
    count = rng.choice((0, 1, 2, 2, 3, 8, 20, 21, 30))
    chosen = [nasty.argument(rng, rng.choice((12, 40, 41, 10_000))) for _ in range(count)]
    if rng.random() < 0.5:
        # One that is refused ends it all: without them the others are tried at the table, too.
        chosen = [name for name in chosen if "," not in name and allowed(name)]
        chosen = list({name.strip().casefold(): name for name in [*chosen, "Zoë", "Yann"]}.values())
    names = ",".join(chosen)
    data = ["--data", str(folder / "data")]
    typed = rng.choice(TYPING) * rng.choice((1, 3))
    words = [*TYPED[:1], "--players", names, *TYPED[3:]]
    words.remove("--unkept")
    commands = [Command([*words, *data, *_some(rng, ["--starter", nasty.argument(rng)], 0.2)], typed)]
    commands.append(Command(["history", *data, *_some(rng, ["--json"], 0.4)]))
    if rng.random() < 0.4:
        commands.append(Command(["history", *data, "--chart", str(folder / "chart.svg")]))
    commands.append(Command(["export", rng.choice(("-", str(folder / "out.jsonl"))), *data]))
    if rng.random() < 0.5:
        commands.append(Command(["resume", "--typed", "--mute", "--plain", *data], typed))
    return Case(commands)


_speaker: list[Synthesiser] = []


def spoken(rng: random.Random, folder: Path) -> Case:
    """Such names and texts, spoken."""
    del folder
    text = nasty.text(rng)
    voice = rng.choice(("gmw/en-us", "roa/fr", "gmw/de", "zle/ru"))
    if rng.random() < 0.3:
        text = text.replace("A", "\ud800")[:300] + "\udfff"

    def say() -> str:
        if not _speaker:
            _speaker.append(Synthesiser("gmw/en-us"))
        _speaker[0].render(text, voice)
        return ""

    return Case(call=say, note=f"{voice} {text[:60]!r}")


def kept(rng: random.Random, folder: Path) -> Case:
    """The record of matches, harmed."""
    data = folder / "data"
    data.mkdir()
    path = data / FILE
    _record(data, rng)
    _harm_record(rng, path)
    options = ["--data", str(data)]
    number = [f"{rng.choice((1, 2, 3, 99, 2**31, 2**63 - 1, 2**64))}"]
    every = [
        Command(["history", *options, *_some(rng, ["--json"], 0.3)]),
        Command(["export", "-", *options]),
        Command(["export", "-", *options, "--match", *number]),
        Command(["resume", "--typed", "--mute", "--plain", *options], rng.choice(TYPING)),
        Command(["resume", *number, "--typed", "--mute", "--plain", *options], rng.choice(TYPING)),
        Command([*(word for word in TYPED if word != "--unkept"), *options], rng.choice(TYPING)),
        Command(["history", *options, "--chart", str(folder / "chart.svg")]),
    ]
    return Case(rng.sample(every, rng.randrange(1, 5)))


def _some(rng: random.Random, words: list[str], chance: float) -> list[str]:
    return words if rng.random() < chance else []


def _match(rng: random.Random, names: list[str]) -> tuple[Match, Cup]:
    """A part of a match played by the rules, and the cup its dice are from."""
    match, cup = Match(names, Options(lives=rng.choice((2, 12)))), Cup(rng.randrange(1000))
    for _ in range(rng.randrange(1, 40)):
        if match.phase is Phase.OVER:
            break
        kinds = sorted(match.open)
        kind = rng.choice(kinds)
        match kind:
            case ActionKind.THROW:
                dice = cup.throw()
                match_action = ThrowDice(Dice(dice.first, dice.second))
                match.apply(match_action)
            case ActionKind.STOP:
                match.apply(Stop())
            case ActionKind.ABORT:
                match.apply(Abort())
            case ActionKind.PIPS:
                match.apply(Count(Counting.PIPS))
            case _:
                match.apply(Count(Counting.MEX))
    return match, cup


def _harmed_lines(rng: random.Random) -> bytes:
    match, _ = _match(rng, rng.choice((["Anna", "Ben"], ["Ä", "Б", "🎲"])))
    records: list[object] = list(to_records(match))
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.choice((0, 1, 100, 70_000)))
    if kind in (1, 2):
        first = records[0]
        assert isinstance(first, dict)
        names = [rng.choice((nasty.text(rng), "Anna\ud800", 7, None)) for _ in range(rng.randrange(6))]
        first["players"] = rng.choice((names, nasty.value(rng), [nasty.text(rng, 30) for _ in range(3)]))
    if kind in (3, 4):
        for _ in range(rng.choice((1, 3))):
            at = rng.randrange(len(records))
            record = records[at]
            if not isinstance(record, dict) or not record:
                continue  # harmed already
            key = rng.choice(list(record))
            harm: Callable[[], object] = rng.choice(
                (
                    lambda: nasty.value(rng),
                    lambda record=record, key=key: {**record, key: nasty.value(rng)},
                    lambda record=record: {**record, nasty.text(rng, 50): nasty.value(rng)},
                )
            )
            records[at] = harm()
    lines = [json.dumps(record, ensure_ascii=rng.random() < 0.5) for record in records]
    if kind == 5:
        depth = rng.choice((50, 3000, 60_000))
        lines[rng.randrange(len(lines))] = rng.choice(
            (
                '{"throw": ' + "[" * depth + "]" * depth + "}",
                '{"players":' * depth,
                '{"throw": [' + "9" * rng.choice((20, 5000)) + ", 1]}",
                '{"lives": 1e999, "players": ["A", "B"]}',
                '{"players": ["A", "B"], "lives": ' + "9" * 5000 + "}",
            )
        )
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    if kind in (6, 7):
        tokens = (
            b"{",
            b"}",
            b"[",
            b'"',
            b"\x00",
            b"\xef\xbb\xbf",
            b"\x1b[7731m",
            b"NaN",
            b"1e999",
            b"\n",
            b"\\ud800",
        )
        return nasty.mangled(rng, data, tokens)
    return data


_made: dict[int, bytes] = {}


def _record(data: Path, rng: random.Random) -> None:
    """A record of a few matches; made once for each of a few numbers."""
    number = rng.randrange(4)
    if number not in _made:
        chance = random.Random(number)
        with Ledger.open(data, lambda _: None) as ledger:
            for opened in range(1, 4):
                match, cup = _match(chance, ["Anna", "Ben", "Cleo"][: chance.randrange(2, 4)])
                entry = Entry(match.players, match.options, "en", "machine", Draws(cup.seed))
                entry.actions.extend(match.history)
                entry.opened = opened
                ledger.keep([entry])
        _made[number] = (data / FILE).read_bytes()
        shutil.rmtree(data)
        data.mkdir()
    (data / FILE).write_bytes(_made[number])


def _harm_record(rng: random.Random, path: Path) -> None:
    data = path.read_bytes()
    match rng.randrange(9):
        case 0:
            path.write_bytes(rng.randbytes(rng.choice((0, 1, 100, 4096, 20_000))))
        case 1:
            path.write_bytes(data[: rng.randrange(len(data))])
        case 2 | 3:
            path.write_bytes(nasty.mangled(rng, data))
        case 4:
            head = data[:100]
            path.write_bytes(nasty.mangled(rng, head) + data[100:])
        case 5:
            path.with_name(path.name + rng.choice(("-journal", "-wal", "-shm"))).write_bytes(
                rng.randbytes(600)
            )
        case _:
            with closing(sqlite3.connect(path)) as connection:
                for _ in range(rng.choice((1, 1, 2, 4))):
                    with suppress(sqlite3.Error, OverflowError):
                        _rewrite(rng, connection)


def _rewrite(rng: random.Random, connection: sqlite3.Connection) -> None:
    """One change by SQLite itself: values of other types, other tables, other versions."""
    columns = {
        "match": [
            "id",
            "key",
            "started",
            "ended",
            "language",
            "opening",
            "dice",
            "seed",
            "drawn",
            "returned",
            "after",
            "opened",
        ],
        "action": ["match", "number", "record"],
    }
    table = rng.choice(list(columns))
    with connection:
        match rng.randrange(8):
            case 0:
                connection.execute(f"PRAGMA user_version = {rng.choice((0, 1, 2, 99, -1, 2**31 - 1))}")
            case 1:
                connection.execute(f"PRAGMA application_id = {rng.choice((0, 1, 2**31 - 1))}")
            case 2:
                connection.execute(
                    rng.choice(
                        (f"DROP TABLE {table}", f"ALTER TABLE {table} RENAME TO x", "CREATE TABLE y (z)")
                    )
                )
            case 3:
                connection.execute("UPDATE match SET opening = ?", (json.dumps(_opening(rng)),))
            case _:
                column = rng.choice(columns[table])
                connection.execute(f"UPDATE {table} SET {column} = ?", (_cell(rng),))


def _opening(rng: random.Random) -> object:
    players = [nasty.text(rng, rng.choice((20, 40, 10_000))) for _ in range(rng.randrange(4))]
    return {"players": players, "lives": rng.choice((12, nasty.value(rng)))}


def _cell(rng: random.Random) -> object:
    return rng.choice(
        (
            None,
            rng.choice([number for number in nasty.NUMBERS if number < 2**63]),
            -rng.choice([number for number in nasty.NUMBERS if number < 2**63]),
            rng.random() * 1e300,
            rng.randbytes(20),
            nasty.text(rng).encode("utf-8", "surrogatepass"),
            nasty.text(rng).encode("utf-8", "replace").decode(),
            '{"throw": [7, 9]}',
            '{"undo": true}',
            "[[6, 3], [1, 1]]",
            "[" * 5000,
        )
    )
