"""Hours of sound through the whole program, faster than real time: commands among table talk.

For each language, in a process of its own: people sit in a room (`scripts.evening`), talk, make noise, and
give commands by voice; a session hears them, plays by the rules, keeps the record and speaks, and its echo is
in the microphone. When a match is over a new one begins. Whose dice are thrown changes from match to match.

First a quiet run finds which commands are heard on their own: each recording and each voice alone in the
room, for every set of commands that can be open in a match, at both ends of loudness and noise of the
evening. In the soak people use only these, and every one of them has to be obeyed at once: what is not is
missed, listed, and typed so that the match goes on. A command is given where a person would be heard too:
after one second or more in which nobody talks, nothing clatters and the assistant is silent, at -8 to +3 dB
of a voice's usual loudness, in noise of -70 to -58 dB. Talk goes on while the assistant speaks, and is from
22 dB below to 3 dB above the usual. Talk that is taken for a command is listed as a false alarm; a language
it leads to is left again.

The exit status is 1 when a command was missed, when memory grew by 10 MB or more after the first ten minutes,
or when a thread, a file handle or a child is left over.
"""

import json
import multiprocessing
import os
import resource
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.memory import give_back
from mexvoice.hearing.model import BUILTIN
from mexvoice.language import locale as locales
from mexvoice.rules import Options
from mexvoice.showing.plain import Plain
from mexvoice.speaking.announcer import Announcer
from mexvoice.speaking.synthesiser import Synthesiser, Voice
from mexvoice.table.chronicle import Chronicle
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from mexvoice.table.session import Session
from scripts.evening import clip as clips
from scripts.evening.clip import Clip
from scripts.evening.company import LEFT_OUT, Company, Heard, Tally
from scripts.evening.room import Room
from scripts.evening.trial import heard_alone, situations
from scripts.evening.witness import Ears, Log, Still, Witness

LIVES = 4
SENTENCES = 150
"""Sentences of table talk that are spoken, again and again, by as many voices."""

SETTLED_SECONDS = 600.0
"""After so much of the evening memory may not grow any more ..."""

GROWTH_MB = 10.0
"""... by so much."""

SAMPLE_SECONDS = 60.0
"""How often memory is looked at, in seconds of the evening."""

_PROC = Path("/proc")


@dataclass(frozen=True)
class Soak:
    """What an evening in one language came to."""

    language: str
    hours: float
    """Of sound."""
    real_seconds: float
    quiet_clips: int
    """Clips that were heard on their own ..."""
    all_clips: int
    """... of so many."""
    commands: int
    missed: tuple[str, ...]
    typed: int
    talks: int
    false_alarms: tuple[str, ...]
    matches: int
    settled_mb: float
    """Memory after ten minutes of the evening, with the child that speaks; after all of a shorter one."""
    growth_mb: float
    """The most it was above that later."""
    left_over: tuple[str, ...]
    """Threads, file handles and children that were not there before."""

    @property
    def failed(self) -> bool:
        """Whether a limit was not kept."""
        return bool(self.missed or self.left_over or self.growth_mb >= GROWTH_MB)


class Memory:
    """The memory of this process and of a child, looked at now and then."""

    def __init__(self, room: Room, synthesiser: Synthesiser) -> None:
        """Begins with the evening."""
        self._room = room
        self._synthesiser = synthesiser
        self._next = 0.0
        self.settled = 0.0
        self.most = 0.0

    def look(self) -> None:
        """To be called with every block of sound."""
        now = self._room.now()
        if now < self._next:
            return
        self._next = now + SAMPLE_SECONDS
        used = resident_mb(os.getpid()) + resident_mb(self._synthesiser.child_pid)
        if now <= SETTLED_SECONDS:
            self.settled = self.most = used
        self.most = max(self.most, used)


def resident_mb(pid: int | None) -> float:
    """Megabytes of memory a process uses now; where that cannot be seen, the most this one ever used."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
    except OSError:
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024
        return largest / unit if pid == os.getpid() else 0.0
    return pages * resource.getpagesize() / 2**20


def belongings() -> list[str]:
    """The threads, file handles and children this process has."""
    me = _PROC / "self"
    found = [f"thread {thread.name}" for thread in threading.enumerate()]
    if not me.exists():
        return found
    found += [f"native thread {path.name}" for path in (me / "task").iterdir()]
    for path in (me / "task").glob("*/children"):
        found += [f"child {pid}" for pid in path.read_text().split()]
    for path in (me / "fd").iterdir():
        try:
            found.append(f"file handle {path.name} {path.readlink()}")
        except OSError:
            continue  # that of the listing itself
    return found


def prepare(
    code: str, options: Options, model: Path, voices: int, seed: int
) -> tuple[Heard, list[Clip], int]:
    """The clips that are heard on their own, the talk, and how many clips there are."""
    locale = locales.load(code)
    still = Still(locale.players, options, code, Cup(seed))
    book = still.understanding.book
    said = clips.commands(locale, book, LEFT_OUT, voices, seed)
    talk = clips.talk(locale, book, SENTENCES, seed)
    heard = heard_alone(
        said,
        situations(locale.players, options, code, seed),
        still,
        lambda assistant: Listener(assistant, model, lambda _: None),
        seed,
    )
    return heard, talk, len(said)


def evening(
    code: str,
    options: Options,
    model: Path,
    seconds: float,
    count: int,
    seed: int,
    heard: Heard,
    talk: list[Clip],
) -> tuple[Tally, Memory, float]:
    """Spend an evening; what it came to, its memory, and how long it was (s)."""
    log = Log()
    with ExitStack() as stack:
        display = Plain(stack.enter_context(Path(os.devnull).open("w", encoding="utf-8")))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        chronicle = stack.enter_context(Chronicle(folder, lambda trouble: display.notice(str(trouble))))
        cup = Cup(seed)
        locale = locales.load(code)
        assistant = Witness(locale.players, options, code, cup, seed=cup.seed, keeper=chronicle)
        voice = Voice(locale.voice.espeak, tuple(locale.voice.languages), locale.voice.rate)
        synthesiser = stack.enter_context(Synthesiser(voice))
        room = Room(seed)
        announcer = stack.enter_context(
            Announcer(synthesiser, room, display.said, on_trouble=_fail, clock=room.now)
        )
        room.speaking = lambda: announcer.speaking
        memory = Memory(room, synthesiser)
        listener = Ears(assistant, model, lambda _: None)
        listener.log = log
        company = Company(
            assistant,
            room,
            announcer,
            lambda line: session.type(line),
            heard,
            talk,
            seconds,
            count,
            seed,
            log,
            memory.look,
        )
        session = Session(assistant, display, announcer, listener, lambda: company, clock=room.now)
        session.run()
    return company.tally, memory, room.now()


def _fail(error: MexvoiceError | None) -> None:
    if error is not None:
        raise RuntimeError("the announcer has failed") from error


def soak(code: str, hours: float, count: int, voices: int, model: Path, seed: int) -> Soak:
    """Spend an evening in one language."""
    options = Options(lives=LIVES)
    heard, talk, clip_count = prepare(code, options, model, voices, seed)
    usable = {clip for found in heard.values() for clip in found}
    give_back()
    before = belongings()
    started = time.monotonic()
    tally, memory, seconds = evening(code, options, model, hours * 3600, count, seed, heard, talk)
    real = time.monotonic() - started
    give_back()
    left = [item for item in belongings() if item not in before]
    return Soak(
        code,
        seconds / 3600,
        real,
        len(usable),
        clip_count,
        tally.spoken,
        tuple(str(miss) for miss in tally.misses),
        tally.typed,
        tally.talks,
        tuple(tally.false_alarms),
        tally.matches,
        memory.settled,
        memory.most - memory.settled,
        tuple(left),
    )


def _end_with_parent() -> None:
    """Have this process end when the one that started it does, however that ended."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@click.command()
@click.option("--hours", default=4.0, show_default=True, help="Of sound in each language.")
@click.option("--commands", "count", default=1000, show_default=True, help="Given by voice.")
@click.option("--lang", "languages", multiple=True, help="Language; may be repeated.  [default: all]")
@click.option(
    "--voices", type=click.IntRange(1), default=8, show_default=True, help="Clips made of each command."
)
@click.option("--model", type=click.Path(path_type=Path), default=BUILTIN, help="Model to hear with.")
@click.option("--seed", default=1, show_default=True, help="Of everything.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a language instead of a table.")
def command(
    hours: float, count: int, languages: tuple[str, ...], voices: int, model: Path, seed: int, as_json: bool
) -> None:
    """Four hours of sound a language through the whole program: what is missed, what leaks."""
    if not as_json:
        click.echo(
            "language  hours  took, s  clips heard alone  commands  missed  typed  talk  false alarms  "
            "matches  memory, MB  growth, MB  left over"
        )
    failed = False
    # Memory that one language has given back would hide what another one takes.
    spawn = multiprocessing.get_context("spawn")
    for code in languages or locales.available():
        with ProcessPoolExecutor(1, spawn, _end_with_parent) as pool:
            result = pool.submit(soak, code, hours, count, voices, model, seed).result()
        failed = failed or result.failed
        if as_json:
            click.echo(json.dumps(asdict(result), ensure_ascii=False))
            continue
        click.echo(
            f"{code:8}  {result.hours:5.2f}  {result.real_seconds:7.0f}  "
            f"{result.quiet_clips:11} of {result.all_clips:3}  {result.commands:8}  {len(result.missed):6}  "
            f"{result.typed:5}  {result.talks:4}  {len(result.false_alarms):12}  {result.matches:7}  "
            f"{result.settled_mb:10.1f}  {result.growth_mb:9.1f}  {len(result.left_over):9}"
        )
        for title, lines in (
            ("missed", result.missed),
            ("false alarm", result.false_alarms),
            ("left over", result.left_over),
        ):
            for line in lines:
                click.echo(f"  {title} {line}")
    sys.exit(1 if failed else 0)
