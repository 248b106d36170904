"""The parts of the screen as text: dice, scoreboard, what can be said, conversation, ear and level.

Every function gets the room it has (cells and lines) and fills no more. Colours are the terminal's own
sixteen, and nothing is told by colour alone, so it reads on dark, light and monochrome terminals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from io import StringIO

from rich.console import Console
from rich.text import Text

from mexvoice.showing.display import Ear, Seat, Verdict, View
from mexvoice.showing.lettering import fit, visible, width

Labels = Mapping[str, str]

_PIPS = {
    1: ("   ", " o ", "   "),
    2: ("o  ", "   ", "  o"),
    3: ("o  ", " o ", "  o"),
    4: ("o o", "   ", "o o"),
    5: ("o o", " o ", "o o"),
    6: ("o o", "o o", "o o"),
}
"""Where the pips of each face are, in three rows of three."""

_QUIETEST = -60.0
"""The level, in dB below full scale, at which the meter is empty."""

_WRAPPER = Console(file=StringIO(), width=80)


class Mark(Enum):
    """How a line of the conversation begins."""

    SAID = "»"
    HEARD = "«"
    NOTICE = "!"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the conversation; ``verdict`` only for what was heard."""

    mark: Mark
    text: str
    verdict: Verdict | None = None


_VERDICTS = {
    Verdict.OBEYED: ("✓", "green"),
    Verdict.NOT_OPEN: ("✗", "magenta"),
    Verdict.AMBIGUOUS: ("?", "magenta"),
    Verdict.NOT_UNDERSTOOD: ("?", "magenta"),
    Verdict.IGNORED: ("·", "dim"),
}

_EARS = {
    Ear.LISTENING: ("●", "green"),
    Ear.SPEAKING: ("»", "cyan"),
    Ear.PAUSED: ("‖", "magenta"),
    Ear.KEY: ("○", "magenta"),
    Ear.CALL: ("○", "green"),
}


def heading(title: str, cells: int, right: str = "") -> Text:
    """A title over a part of the screen: its name, a rule, and what stands at its end."""
    title, right = visible(title), visible(right)
    if right and width(title) + width(right) + 6 > cells:
        title = ""
    text = Text(no_wrap=True)
    if title:
        text.append(fit(title, min(width(title), cells)), "bold").append(" ")
    rule = cells - text.cell_len - (width(right) + 1 if right else 0)
    text.append("─" * max(0, rule), "dim")
    if right:
        text.append(" ").append(right if width(right) < cells else fit(right, cells - 1), "bold")
    return text


def die(pips: int | None, large: bool = False) -> tuple[str, ...]:
    """The lines of one die: 11 x 5 cells, or 22 x 10 when ``large``. None draws it without pips."""
    pip = ("▄██▄", "▀██▀") if large else ("●",)
    gap = "  " if large else " "
    empty = " " * len(pip[0])
    faces = [
        gap + gap.join(part if place == "o" else empty for place in row) + gap
        for row in (_PIPS[pips] if pips is not None else ("   ",) * 3)
        for part in pip
    ]
    if large:
        blank = " " * len(faces[0])
        faces = [*faces[:2], blank, *faces[2:4], blank, *faces[4:]]
    else:
        faces = [f" {face} " for face in faces]
    edge = "─" * len(faces[0])
    return (f"╭{edge}╮", *(f"│{face}│" for face in faces), f"╰{edge}╯")


def dice(pair: tuple[int, int] | None, cells: int, large: bool = False) -> Text:
    """Both dice side by side in the middle of ``cells``; empty and dim before the first throw."""
    first, second = (die(pips, large) for pips in (pair or (None, None)))
    style = "dim" if pair is None else "bold"
    text = Text(no_wrap=True)
    for left, right in zip(first, second, strict=True):
        row = f"{left}  {right}"
        text.append(" " * max(0, (cells - len(row)) // 2)).append(row[:cells] + "\n", style)
    return text


def turn(view: View, cells: int, lines: int) -> Text:
    """Who is to act, the dice, the throws left and what the last throw is worth.

    The dice are large where there is room for it.
    """
    large = cells >= 46 and lines >= 15
    text = heading(view.labels.get("turn", "") if view.winner is None else "", cells).append("\n")
    name = visible(view.winner if view.winner is not None else view.turn or "")
    sign = "★" if view.winner is not None else "▸" if name else " "
    text.append(fit(f" {sign} {name}", cells), "bold reverse" if name else "dim").append("\n")
    if view.winner is not None and view.dice is None:
        return text
    text.append("\n").append_text(dice(view.dice, cells, large)).append("\n" if lines >= 10 else "")
    if view.winner is not None:
        return text
    worth = next((seat.throws[-1] for seat in view.seats if seat.on_turn and seat.throws), "")
    left = f"  {visible(view.labels.get('throws_left', ''))} "
    number = str(view.throws_left)
    text.append(left, "dim").append(number, "bold")
    if view.dice is not None and worth:
        worth = visible(worth)
        text.append(" " * max(1, cells - width(left) - width(number) - width(worth) - 2)).append(
            worth, "bold"
        )
    return text


@dataclass(frozen=True, slots=True)
class _Columns:
    """How wide each column of the scoreboard is, in cells; 0 = left out."""

    name: int
    lives: int
    bar: int
    """Hearts of the bar of lives, of which each takes ``step`` cells."""
    step: int
    points: int
    throws: int


def _columns(view: View, cells: int) -> _Columns:
    """Share out ``cells``: the names (to 16), then this round's throws, the bar of lives, longer names."""
    longest = max((width(visible(seat.name)) for seat in view.seats), default=0)
    lives = min(6, max(3, width(visible(view.labels.get("lives", "")))))
    points = min(7, max(3, width(visible(view.labels.get("points", "")))))
    room = max(0, cells - len("▸ ") - 1 - lives - 1 - points)
    name = min(longest, 16, room)
    room -= name
    throws = min(14, max(8, *(width(_throws(seat).plain) for seat in view.seats), 0)) if room >= 10 else 0
    room -= throws + 2 if throws else 0
    full = _full(view)
    bar = min(full, 20, room - 1) if room - 1 >= min(full, 5) else 0
    step = 2 if room - 1 >= 2 * bar + longest - name else 1
    room -= bar * step + 1 if bar else 0
    return _Columns(name + max(0, min(longest - name, room)), lives, bar, step, points, throws)


def _full(view: View) -> int:
    return max(view.full_lives, *(seat.lives for seat in view.seats), 1)


def _throws(seat: Seat) -> Text:
    """The throws of a seat: the last one counts, the others are only told."""
    *before, last = [visible(throw) for throw in seat.throws] or [""]
    return Text.assemble((" ".join(before), "dim"), " " if before else "", (last, "bold"), no_wrap=True)


def board(view: View, cells: int, lines: int) -> Text:
    """The scoreboard: a line for each player with lives, points and the throws of this round.

    When there are more players than lines, those around the one on turn are shown.
    """
    labels = {key: visible(label) for key, label in view.labels.items()}
    columns = _columns(view, cells)
    right = f"{labels.get('round', '')} {view.round_number} · {labels.get('stake', '')} {view.stake}".strip()
    text = heading(labels.get("scoreboard", ""), cells, right)
    bar = f" {' ' * columns.bar * columns.step}" if columns.bar else ""
    lives, points = (
        _right(labels.get("lives", ""), columns.lives),
        _right(labels.get("points", ""), columns.points),
    )
    text.append(f"\n  {' ' * columns.name} {lives}{bar} {points}", "dim")
    room = max(1, lines - 2)
    between = "\n\n" if 2 * len(view.seats) <= room + 1 else "\n"
    at = next((place for place, seat in enumerate(view.seats) if seat.on_turn), 0)
    start = max(0, min(at - room // 2, len(view.seats) - room))
    for place, seat in enumerate(view.seats[start : start + room]):
        text.append(between if place else "\n").append_text(_seat(view, seat, columns))
    return text


def _right(text: str, cells: int) -> str:
    return " " * max(0, cells - width(text)) + text if width(text) <= cells else fit(text, cells)


def _seat(view: View, seat: Seat, columns: _Columns) -> Text:
    won = view.winner == seat.name
    sign = "★" if won else "✗" if seat.out else "▸" if seat.on_turn else " "
    style = "dim" if seat.out else "bold" if seat.on_turn or won else ""
    text = Text(no_wrap=True)
    text.append(f"{sign} {fit(visible(seat.name), columns.name)} ", style)
    text.append(_right(str(seat.lives), columns.lives), style)
    if columns.bar:
        full = _full(view)
        hearts = seat.lives if full <= columns.bar else -(-seat.lives * columns.bar // full)
        if seat.out:
            text.append(" " + fit(visible(view.labels.get("out", "")), columns.bar * columns.step), "dim")
        else:
            text.append(" " + "♥".ljust(columns.step) * hearts, "red")
            text.append("·".ljust(columns.step) * (columns.bar - hearts), "dim")
    text.append(" " + _right(str(seat.points), columns.points), style)
    if columns.throws and seat.throws:
        throws = _throws(seat)
        throws.truncate(columns.throws, overflow="ellipsis")
        text.append("  ").append_text(throws)
    return text


def sayings(view: View, cells: int, lines: int) -> Text:
    """What can be said now, the most important first: one a line, or run together when there are many."""
    text = heading(view.labels.get("say", ""), cells)
    phrases = [visible(phrase) for phrase in view.can_say]
    room = max(0, lines - 1)
    rows = [[phrase] for phrase in phrases]
    if len(rows) > room:
        rows = []
        for phrase in phrases:
            if rows and width(" · ".join([*rows[-1], phrase])) <= cells - 2:
                rows[-1].append(phrase)
            else:
                rows.append([phrase])
    for row in rows[:room]:
        text.append("\n  ")
        line = Text(" · ").join(Text(phrase) for phrase in row)
        line.truncate(max(1, cells - 2), overflow="ellipsis")
        text.append_text(line)
    return text


def wrapped(line: Line, labels: Labels, cells: int) -> list[Text]:
    """A line of the conversation as lines of the screen, wrapped with its mark hanging."""
    text = Text(visible(line.text), "bold" if line.mark is Mark.SAID else "")
    sign_style = {Mark.SAID: "cyan", Mark.HEARD: "bold", Mark.NOTICE: "magenta"}[line.mark]
    if line.verdict is not None:
        sign, style = _VERDICTS[line.verdict]
        if line.verdict is Verdict.IGNORED:
            text.stylize("dim")
        label = "" if line.verdict is Verdict.OBEYED else " " + verdict_label(line.verdict, labels)
        text.append(f"  {sign}{label}", style)
    rows = text.wrap(_WRAPPER, max(4, cells - 2), overflow="fold") or [Text()]
    signs = [Text(line.mark.value, sign_style), *(Text(" ") for _ in rows[1:])]
    return [Text.assemble(sign, " ", row, no_wrap=True) for sign, row in zip(signs, rows, strict=True)]


def verdict_label(verdict: Verdict, labels: Labels) -> str:
    """What a verdict is called in the language of the match."""
    return visible(labels.get(verdict.value, verdict.value.replace("_", " ")))


def conversation(said: Sequence[Line], labels: Labels, cells: int, lines: int, back: int = 0) -> Text:
    """The end of the conversation, or, ``back`` lines of the screen further up, what came before."""
    room = max(0, lines - 1)
    rows: list[Text] = []
    for line in reversed(said):
        if len(rows) >= room + back:
            break
        rows[:0] = wrapped(line, labels, cells)
    back = max(0, min(back, len(rows) - room))
    end = len(rows) - back
    text = heading(labels.get("heard", ""), cells, "↓" if back else "")
    for row in rows[max(0, end - room) : end]:
        text.append("\n").append_text(row)
    return text


def steps(level: float | None, cells: int) -> int:
    """How far a meter of ``cells`` is filled, in half cells, by a level in dB below full scale."""
    if level is None:
        return 0
    return round(max(0.0, min(1.0, 1 - level / _QUIETEST)) * cells * 2)


def status(ear: Ear, level: float | None, labels: Labels, cells: int) -> Text:
    """Whether the assistant listens and how loud it is, in one line; without a microphone, what keys do."""
    if ear is Ear.TYPED:
        return Text(fit(visible(labels.get("keys_hint", "")), cells), "dim", no_wrap=True)
    sign, style = _EARS[ear]
    text = Text(no_wrap=True)
    text.append(sign + " ", style).append(visible(labels.get(ear.value, "")), "bold")
    room = min(40, cells // 2, cells - text.cell_len - 2)
    if room >= 4:
        text.append("  ").append_text(meter(level, room))
    return text


def meter(level: float | None, cells: int) -> Text:
    """A bar of ``cells``, filled by a level in dB below full scale; red where it is too loud."""
    filled = steps(level, cells)
    loud = "red" if level is not None and level > -3 else "green"
    text = Text("━" * (filled // 2) + "╸" * (filled % 2), loud, no_wrap=True)
    return text.append("─" * (cells - filled // 2 - filled % 2), "dim")


def invitation(ear: Ear, labels: Labels) -> str:
    """What the empty line for commands says: that one can type, and what keys do if ``status`` does not."""
    parts = [
        visible(labels.get("type_here", "")),
        "" if ear is Ear.TYPED else visible(labels.get("keys_hint", "")),
    ]
    return " · ".join(filter(None, parts))
