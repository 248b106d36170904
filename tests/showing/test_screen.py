"""The screen, in its real application: without a terminal by Textual's pilot, and on a pseudo-terminal."""

import asyncio
import io
import os
import queue
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest
from rich.text import Text
from textual import events
from textual.pilot import Pilot

from mexvoice.errors import MexvoiceError
from mexvoice.showing import application, painting
from mexvoice.showing.application import LONGEST_LINE, CommandLine, TableApp
from mexvoice.showing.display import Ear, Verdict
from mexvoice.showing.keyboard import MOST_WAITING
from mexvoice.showing.lettering import visible, width
from mexvoice.showing.screen import Screen
from tests.showing.views import CAN_SAY, LABELS, seat, view

SIZES = [(80, 24), (140, 40)]

ROOT = Path(__file__).parents[2]


class Evening:
    """A screen with a match that lasts until it is told to end, and a record of what the screen told."""

    def __init__(self, work: Callable[[], int] | None = None, status: int = 3) -> None:
        self.out = io.StringIO()
        self.screen = Screen(LABELS, out=self.out)
        self.lines: list[str] = []
        self.keys = 0
        self.leaves = 0
        self.end = threading.Event()
        self.status = status
        self.work = work or self._work
        self.app: TableApp | None = None

    def _work(self) -> int:
        assert self.end.wait(20)
        return self.status

    def _key(self) -> None:
        self.keys += 1

    def _leave(self) -> None:
        self.leaves += 1
        self.end.set()

    def play(
        self,
        script: Callable[[Pilot[None]], Awaitable[None]],
        size: tuple[int, int] = (80, 24),
        talk: Callable[[], None] | None = None,
    ) -> int:
        """Run the application in a terminal of ``size`` while ``script`` acts; the exit status."""
        self.app = app = self.screen.application(self.lines.append, self._key, self.work, self._leave, talk)

        async def run() -> None:
            async with app.run_test(size=size) as pilot:
                await pilot.pause()
                await script(pilot)

        try:
            asyncio.run(run())
            return self.screen.close(app)
        finally:
            self.end.set()

    def rows(self) -> list[str]:
        """The terminal, as it is now."""
        assert self.app is not None
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    def text(self) -> str:
        """The terminal as one text."""
        return "\n".join(self.rows())


async def settled(pilot: Pilot[None]) -> None:
    """Wait until what other threads asked for is drawn."""
    await pilot.pause(0.05)
    await pilot.pause()


async def gone(evening: Evening) -> None:
    """Wait until the application has ended."""
    assert evening.app is not None
    end = time.monotonic() + 10
    while evening.app.is_running and time.monotonic() < end:
        await asyncio.sleep(0.02)
    assert not evening.app.is_running


def shown(evening: Evening, size: tuple[int, int] = (80, 24)) -> list[str]:
    """The terminal after everything told so far."""
    rows: list[str] = []

    async def look(pilot: Pilot[None]) -> None:
        await settled(pilot)
        rows.extend(evening.rows())

    evening.play(look, size)
    return rows


def dice_pips(rows: list[str]) -> list[tuple[int, bool]]:
    """Of each die drawn: how many pips it has, and whether one is in its middle."""
    top = next(number for number, row in enumerate(rows) if row.count("╭") == 2)
    bottom = next(number for number, row in enumerate(rows) if row.count("╰") == 2)
    found = []
    left = rows[top].index("╭")
    for _ in range(2):
        right = rows[top].index("╮", left)
        inside = [row[left + 1 : right] for row in rows[top + 1 : bottom]]
        pips = sum(row.count("●") + row.count("▄██▄") for row in inside)
        middle = inside[len(inside) // 2][len(inside[0]) // 2]
        found.append((pips, middle != " "))
        left = rows[top].find("╭", right)
    return found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pair", [(6, 3), (5, 4), (2, 1), (1, 1), (6, 6), (2, 5)])
def test_the_dice_are_those_of_the_view(size: tuple[int, int], pair: tuple[int, int]) -> None:
    evening = Evening()
    evening.screen.show(view(dice=pair))
    assert dice_pips(shown(evening, size)) == [(pips, pips % 2 == 1) for pips in pair]


@pytest.mark.parametrize("size", SIZES)
def test_before_the_first_throw_the_dice_have_no_pips(size: tuple[int, int]) -> None:
    evening = Evening()
    evening.screen.show(view(dice=None))
    assert dice_pips(shown(evening, size)) == [(0, False)] * 2


@pytest.mark.parametrize("size", SIZES)
def test_turn_stake_round_and_throws_left_are_to_be_read(size: tuple[int, int]) -> None:
    evening = Evening()
    evening.screen.show(view())
    rows = shown(evening, size)
    assert len(rows) == size[1]
    assert rows[0].startswith(" On turn ─")
    assert "Scores ─" in rows[0] and rows[0].rstrip().endswith("─ Round 7 · Stake 4")
    assert rows[1].startswith("  ▸ Anna ")
    throws = next(row for row in rows if "Throws left" in row)
    # Beside the throws left stands what the dice on the table are worth.
    assert throws.split()[2] == "2" and "63" in throws.split()
    assert sum(row.count("Throws left 2") for row in rows) == 1


@pytest.mark.parametrize("size", SIZES)
def test_the_scoreboard_has_a_line_for_each_player(size: tuple[int, int]) -> None:
    evening = Evening()
    evening.screen.show(view())
    rows = shown(evening, size)
    board = [row[30 if size[0] < 100 else 53 :] for row in rows[1:11]]
    anna, ben, cleo = (next(row for row in board if name in row) for name in ("Anna", "Ben", "Cleo"))
    assert anna.split() == ["▸", "Anna", "12", *anna.split()[3:-3], "3", "42", "63"]
    assert anna.count("♥") == 12
    assert ben.split()[:2] == ["Ben", "5"] and ben.split()[-1] == "-2"
    assert (ben.count("♥"), ben.count("·")) == (5, 7)
    assert cleo.split() == ["✗", "Cleo", "0", "gone", "-1"]


def test_the_winner_is_shown_in_place_of_who_is_on_turn() -> None:
    evening = Evening()
    evening.screen.show(view(seat("Anna", 4, 9), seat("Ben", 0, -3), winner="Anna", dice=None))
    rows = shown(evening)
    assert rows[1].startswith("  ★ Anna")
    assert any("★ Anna" in row[30:] for row in rows)
    assert not any(word in row for row in rows for word in ("On turn", "Throws left", "╭"))


NAMES = [
    "[red]Anna[/red]",
    "[/]",
    "אברהם",
    "👩‍👧 Mia ❤️",
    "한글이름",
    "Zoë\x1b[31m\x1b]0;title\x07",
    "abc\u202edef\nghi",
    "M" * 40,
]


@pytest.mark.parametrize("size", [*SIZES, (50, 30), (30, 12)])
def test_no_name_is_taken_as_markup_or_breaks_the_layout(size: tuple[int, int]) -> None:
    evening = Evening()
    evening.screen.show(view(*(seat(name, 5, 1, turn=place == 0) for place, name in enumerate(NAMES))))
    for name in NAMES:
        evening.screen.said(name)
        evening.screen.heard(name, Verdict.IGNORED)
    rows = shown(evening, size)
    assert [width(row) for row in rows] == [size[0]] * size[1]
    assert not any(letter in row for row in rows for letter in "\x1b\x07\u202e\u200d\ufe0f")
    if size[0] >= 80:
        lives = [row for row in rows if "♥" in row]
        assert len(lives) == len(NAMES)
        # The hearts of all players stand below each other, in cells.
        assert len({width(row[: row.index("♥")]) for row in lives}) == 1
        assert any("[red]Anna[/red]" in row for row in lives)
        assert any(" [/] " in row for row in lives)
        assert any("Zoë␛[31m␛]0" in row for row in lives)
        assert any("M" * 15 in row for row in lives)


def test_more_players_than_lines_keep_the_one_on_turn_in_sight() -> None:
    evening = Evening()
    evening.screen.show(view(*(seat(f"Player{place}", turn=place == 17) for place in range(20))))
    assert any("▸ Player17" in row[30:] for row in shown(evening))


def test_a_long_life_is_a_bar_in_scale() -> None:
    evening = Evening()
    evening.screen.show(view(seat("Anna", 99, turn=True), seat("Ben", 50), seat("Cleo", 1), full_lives=99))
    hearts = [row.count("♥") for row in shown(evening) if "♥" in row]
    assert hearts[0] > 10 and hearts[1] == pytest.approx(hearts[0] / 2, abs=1) and hearts[2] == 1


def test_the_conversation_tells_what_became_of_what_was_heard() -> None:
    evening = Evening()
    evening.screen.said("Anna: sixty-three.")
    evening.screen.heard("throw", Verdict.OBEYED)
    evening.screen.heard("abort", Verdict.NOT_OPEN)
    evening.screen.heard("Max has a beer", Verdict.IGNORED)
    evening.screen.heard("spring", Verdict.NOT_UNDERSTOOD)
    evening.screen.heard("six", Verdict.AMBIGUOUS)
    evening.screen.notice("The microphone is gone.")
    rows = [row[32:].rstrip() for row in shown(evening)]
    start = rows.index("» Anna: sixty-three.")
    assert rows[start : start + 7] == [
        "» Anna: sixty-three.",
        "« throw  ✓",
        "« abort  ✗ not now",
        "« Max has a beer  · table talk",
        "« spring  ? what was that",
        "« six  ? which one",
        "! The microphone is gone.",
    ]


def test_the_conversation_follows_its_end_and_can_be_scrolled_back() -> None:
    evening = Evening()

    async def script(pilot: Pilot[None]) -> None:
        for number in range(60):
            evening.screen.said(f"sentence {number}.")
        await settled(pilot)
        assert "sentence 59." in evening.text() and "sentence 0." not in evening.text()
        for _ in range(12):
            await pilot.press("pageup")
        assert "sentence 0." in evening.text() and "sentence 59." not in evening.text()
        evening.screen.said("one more.")
        await settled(pilot)
        # What somebody reads does not move away.
        assert "sentence 0." in evening.text() and "one more." not in evening.text()
        for _ in range(12):
            await pilot.press("pagedown")
        assert "one more." in evening.text()

    evening.play(script)


def test_a_long_sentence_is_wrapped() -> None:
    evening = Evening()
    words = [f"word{number}" for number in range(30)]
    evening.screen.said(" ".join(words))
    text = " ".join(row[32:] for row in shown(evening)).split()
    assert [word for word in text if word.startswith("word")] == words


@pytest.mark.parametrize("size", SIZES)
def test_what_can_be_said_is_listed(size: tuple[int, int]) -> None:
    evening = Evening()
    evening.screen.show(view())
    rows = shown(evening, size)
    start = next(number for number, row in enumerate(rows) if row.startswith(" You can say"))
    assert [row[:30].strip() for row in rows[start + 1 : start + 7]] == list(CAN_SAY)


def test_many_phrases_share_lines_the_most_important_first() -> None:
    evening = Evening()
    evening.screen.show(view(can_say=tuple(f"phrase {number}" for number in range(40))))
    rows = shown(evening)
    start = next(number for number, row in enumerate(rows) if row.startswith(" You can say"))
    assert rows[start + 1][:30].strip() == "phrase 0 · phrase 1"


@pytest.mark.parametrize("ear", list(Ear))
def test_the_state_of_the_ears_is_named(ear: Ear) -> None:
    evening = Evening()
    evening.screen.ear(ear)
    status, line = shown(evening)[-2:]
    if ear is Ear.TYPED:
        assert status.rstrip() == " Ctrl-Q leaves" and line.rstrip() == " › Type a command"
    else:
        assert f" {LABELS[ear.value]}  ─" in status
        assert line.rstrip() == " › Type a command · Ctrl-Q leaves"


def test_the_space_bar_opens_the_ears_only_while_nothing_is_typed() -> None:
    evening = Evening()
    talked: list[int] = []

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("space", "space", "a", "space", "b", "enter")

    evening.play(script, talk=lambda: talked.append(evening.keys))
    assert talked == [0, 0]
    assert evening.lines == ["a b"]
    assert evening.keys == 4


def test_the_space_bar_is_a_key_like_others_where_it_opens_nothing() -> None:
    evening = Evening()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("a", "space", "b", "enter", "space")

    evening.play(script)
    assert evening.lines == ["a b"]
    assert evening.keys == 5


def watch_meter(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """The levels the status line is painted with, from now on."""
    painted: list[float | None] = []
    paint = painting.status

    def counted(ear: Ear, level: float | None, labels: Mapping[str, str], cells: int) -> Text:
        painted.append(level)
        return paint(ear, level, labels, cells)

    monkeypatch.setattr(painting, "status", counted)
    return painted


def test_the_meter_grows_with_the_level_and_is_drawn_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening()
    painted = watch_meter(monkeypatch)

    async def script(pilot: Pilot[None]) -> None:
        evening.screen.ear(Ear.LISTENING)
        filled = []
        for level in (-60.0, -30.0, -6.0):
            evening.screen.level(level)
            await pilot.pause(0.3)
            filled.append(evening.rows()[-2].count("━"))
        assert filled[0] == 0 < filled[1] < filled[2]
        painted.clear()
        end = time.monotonic() + 1
        calls = 0
        while time.monotonic() < end:
            evening.screen.level(-60.0 + calls % 60)
            calls += 1
            await asyncio.sleep(0.001)
        assert calls > 60
        assert 3 <= len(painted) <= 14
        # A level that nobody confirms is not true for ever.
        evening.screen.level(-6.0)
        await pilot.pause(application.LEVEL_FADES + 0.5)
        assert "━" not in evening.rows()[-2]

    evening.play(script)


def test_an_unchanged_level_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening()
    painted = watch_meter(monkeypatch)

    async def script(pilot: Pilot[None]) -> None:
        evening.screen.level(-20.0)
        await pilot.pause(0.3)
        painted.clear()
        for _ in range(10):
            evening.screen.level(-20.01)
            await pilot.pause(0.06)
        assert painted == []

    evening.play(script)


def test_keys_cut_and_still_make_a_line() -> None:
    evening = Evening()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press(*"throw")
        assert evening.keys == 5
        assert evening.lines == []
        assert evening.rows()[-1].startswith(" › throw")
        await pilot.press("enter")
        await pilot.pause()
        assert evening.keys == 6
        assert evening.lines == ["throw"]
        assert "throw" not in evening.rows()[-1]
        assert "Type a command" in evening.rows()[-1]
        await pilot.press("escape")
        await pilot.press("enter")
        assert evening.keys == 8
        assert evening.lines == ["throw"]

    evening.play(script)


def test_a_line_without_end_is_not_typed() -> None:
    """In a line of thousands each key would take seconds."""
    evening = Evening()

    async def script(pilot: Pilot[None]) -> None:
        line = pilot.app.query_one(CommandLine)
        line.insert_text_at_cursor("x" * LONGEST_LINE)
        await pilot.press("y", "z")
        line.insert_text_at_cursor("y" * 10_000)
        await pilot.press("enter")

    evening.play(script)
    assert evening.lines == ["x" * LONGEST_LINE]


def test_what_is_pasted_does_not_steer_the_terminal() -> None:
    evening = Evening()

    async def script(pilot: Pilot[None]) -> None:
        pilot.app.query_one(CommandLine).post_message(events.Paste("Ma\x9b31m\x1b[31m\x85\u2028 שלום é"))
        await settled(pilot)
        assert "\x9b" not in evening.text() and "Ma31m" in evening.rows()[-1]
        await pilot.press("enter")

    evening.play(script)
    assert evening.lines and not set(evening.lines[0]) & set("\x9b\x1b\x85\u2028")
    assert evening.lines[0].startswith("Ma31m")


def test_what_is_typed_is_not_markup_either() -> None:
    evening = Evening()

    async def script(pilot: Pilot[None]) -> None:
        for key in ("left_square_bracket", "r", "e", "d", "right_square_bracket"):
            await pilot.press(key)
        assert evening.rows()[-1].startswith(" › [red]")
        await pilot.press("enter")
        await pilot.pause()
        assert evening.lines == ["[red]"]

    evening.play(script)


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c"])
def test_leaving_tells_the_match_and_ends_well(key: str) -> None:
    evening = Evening(status=3)

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press(key)
        await gone(evening)

    started = time.monotonic()
    assert evening.play(script) == 0
    assert time.monotonic() - started < application.LEAVE_SECONDS
    assert evening.leaves == 1


def test_a_match_that_does_not_end_is_left_at_the_second_time() -> None:
    forever = threading.Event()
    evening = Evening(work=lambda: int(not forever.wait(20)))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+c")
        await pilot.pause(0.2)
        assert pilot.app.is_running
        await pilot.press("ctrl+c")
        await gone(evening)

    started = time.monotonic()
    assert evening.play(script) == 0
    assert time.monotonic() - started < application.LEAVE_SECONDS
    assert evening.leaves == 1
    forever.set()


def test_a_match_that_never_ends_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "LEAVE_SECONDS", 0.3)
    forever = threading.Event()
    evening = Evening(work=lambda: int(not forever.wait(20)))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+q")
        await gone(evening)

    assert evening.play(script) == 0
    forever.set()


def test_the_end_of_the_match_ends_the_screen_with_its_status() -> None:
    evening = Evening(status=3)

    async def script(_: Pilot[None]) -> None:
        evening.end.set()
        await gone(evening)

    assert evening.play(script) == 3
    assert evening.leaves == 0


def test_what_the_match_raises_is_raised_again() -> None:
    def work() -> int:
        raise MexvoiceError("The model is broken: get another.")

    evening = Evening(work=work)

    async def script(_: Pilot[None]) -> None:
        await gone(evening)

    with pytest.raises(MexvoiceError, match="The model is broken"):
        evening.play(script)


def test_what_a_callback_raises_is_raised_again_and_ends_the_match() -> None:
    evening = Evening()

    class Bad(list[str]):
        def append(self, line: str) -> None:
            raise MexvoiceError(f"{line} is bad.")

    evening.lines = Bad()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("x", "enter")
        await gone(evening)

    with pytest.raises(MexvoiceError, match="x is bad"):
        evening.play(script)
    assert evening.leaves == 1


def test_the_last_lines_and_the_score_stay_when_the_screen_has_closed() -> None:
    evening = Evening()
    for number in range(30):
        evening.screen.said(f"sentence {number}.")
    evening.screen.show(view())
    shown(evening)
    left = evening.out.getvalue().split("\n")
    assert left[0] == "» sentence 18." and left[11] == "» sentence 29."
    assert any(row.split()[:3] == ["▸", "Anna", "12"] for row in left[12:])
    assert any(row.split()[:3] == ["✗", "Cleo", "0"] for row in left[12:])


def test_any_thread_may_tell_the_screen_anything_at_any_time() -> None:
    evening = Evening()
    stop = threading.Event()
    failures: queue.SimpleQueue[BaseException] = queue.SimpleQueue()

    def chatter() -> None:
        try:
            number = 0
            while not stop.is_set():
                number += 1
                evening.screen.show(view(dice=(1 + number % 6, 3)))
                evening.screen.said(f"sentence {number}.")
                evening.screen.heard("throw", Verdict.OBEYED)
                evening.screen.level(-20.0)
                evening.screen.ear(Ear.SPEAKING if number % 2 else Ear.LISTENING)
                time.sleep(0.002)
        except BaseException as error:
            failures.put(error)

    threads = [threading.Thread(target=chatter) for _ in range(4)]
    for thread in threads:
        thread.start()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.pause(0.5)
        assert "« throw" in evening.text()

    evening.play(script)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures.empty()


DRIVER = """
    import os, sys, time
    from mexvoice.errors import MexvoiceError
    from mexvoice.showing.screen import Screen
    from tests.showing.views import LABELS, view

    screen = Screen(LABELS)

    def work():
        os.write(2, b"ALSA lib noise\\n")
        screen.show(view())
        screen.said("Good evening.")
        end = time.monotonic() + {seconds}
        while time.monotonic() < end and not left:
            time.sleep(0.02)
            waiting.append(screen._app.message_queue_size + screen._app._line.message_queue_size)
        if {raises}:
            raise {raises}("It broke: mend it.")
        return 3

    left, waiting = [], [0]
    try:
        status = screen.run(lambda line: None, lambda: None, work, lambda: left.append(True))
    except MexvoiceError as error:
        print(error)
        status = 2
    print("waited at most:", max(waiting))
    sys.exit(status)
"""


def on_a_terminal(
    raises: str, seconds: float, number: str | None = None, keys: bytes = b"", **extra: str
) -> tuple[int, str]:
    """Run the driver on a pseudo-terminal, 80 by 24, until it ends (by a signal, if any, amid the keys).

    Checks that the terminal is afterwards as it was; returns the exit status and what was written.
    """
    import pty
    import termios

    keyboard, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(DRIVER.format(raises=raises, seconds=seconds))],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=ROOT,
        env={**environment, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **extra},
        start_new_session=True,
    )
    written = bytearray()

    def read() -> None:
        while True:
            try:
                part = os.read(keyboard, 65536)
            except OSError:
                return
            written.extend(part)

    pressed = bytearray()

    def press() -> None:
        while len(pressed) < len(keys) and child.poll() is None:
            part = keys[len(pressed) : len(pressed) + 500]
            try:
                os.write(keyboard, part)
            except OSError:
                return  # the terminal has been closed
            pressed.extend(part)

    presser = threading.Thread(target=press, daemon=True)
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        if number is not None:
            end = time.monotonic() + 20
            while b"Good evening." not in written and time.monotonic() < end:
                time.sleep(0.05)
            presser.start()
            while len(pressed) < len(keys) // 2 and time.monotonic() < end:
                time.sleep(0.01)
            child.send_signal(signal.Signals[number])
        status = child.wait(30)
        assert termios.tcgetattr(terminal) == before
    finally:
        child.kill()
        os.close(terminal)
        reader.join(5)
        if presser.ident is not None:
            presser.join(5)
        os.close(keyboard)
    return status, written.decode("utf-8")


unix = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")


@unix
@pytest.mark.parametrize(
    ("raises", "seconds", "number", "status"),
    [
        ("None", 1.5, None, 3),
        ("MexvoiceError", 1.5, None, 2),
        ("ValueError", 1.5, None, 1),
        ("None", 60.0, "SIGTERM", 0),
        ("None", 60.0, "SIGINT", 0),
    ],
)
def test_a_real_terminal_is_left_as_it_was(
    raises: str, seconds: float, number: str | None, status: int
) -> None:
    ended, text = on_a_terminal(raises, seconds, number)
    assert ended == status
    assert "\x1b[?1049h" in text
    screen, _, after = text.rpartition("\x1b[?1049l")
    assert "Good evening." in screen
    assert "ALSA" not in screen
    assert "» Good evening." in after
    assert "▸ Anna" in after
    assert ("It broke: mend it." in after) is (raises != "None")
    # What libraries complained about is of interest only when nobody expected the failure.
    assert ("ALSA" in after) is (raises == "ValueError")
    assert ("Traceback" in text) is (raises == "ValueError")


@unix
def test_a_signal_amid_thousands_of_keys_ends_it() -> None:
    """The keys wait in the terminal, and the signal and the end of the match wait for none of them."""
    ended, text = on_a_terminal("None", 60.0, "SIGTERM", b"x\x7f" * 20_000)
    assert ended == 0
    _, _, after = text.rpartition("\x1b[?1049l")
    assert "» Good evening." in after
    waited = re.search(r"waited at most: (\d+)", after)
    assert waited is not None
    assert 1 < int(waited[1]) < 5 * MOST_WAITING


@unix
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_no_signal_is_lost_in_a_loop_full_of_work(number: str) -> None:
    evening = Evening()
    before = signal.getsignal(signal.Signals[number])

    async def script(pilot: Pilot[None]) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(20_000):
            loop.call_soon_threadsafe(lambda: None)
        os.kill(os.getpid(), signal.Signals[number])
        for _ in range(100):
            await pilot.pause(0.02)
            if evening.leaves:
                break
        assert evening.leaves
        evening.end.set()

    assert evening.play(script) == 0
    assert signal.getsignal(signal.Signals[number]) is before


@unix
def test_only_the_colours_of_the_terminal_are_used_and_none_if_unwanted() -> None:
    def colours(text: str) -> set[str]:
        return {
            code
            for codes in re.findall("\x1b\\[([0-9;]+)m", text)
            for code in re.findall("[34]8;[25]|(?<![0-9])(?:[349][0-7]|10[0-7])(?![0-9])", codes)
        }

    assert colours(on_a_terminal("None", 1.5)[1]) == {"31", "36"}
    assert colours(on_a_terminal("None", 1.5, NO_COLOR="1")[1]) == set()


def test_a_name_is_made_visible_only_once() -> None:
    for name in NAMES:
        assert visible(visible(name)) == visible(name)
