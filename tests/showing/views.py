"""A table to show, for the tests of the displays."""

from mexvoice.showing.display import Seat, View

LABELS = {
    "turn": "On turn",
    "throws_left": "Throws left",
    "stake": "Stake",
    "lives": "Lives",
    "points": "Points",
    "say": "You can say",
    "heard": "Heard",
    "understood": "understood",
    "not_understood": "what was that",
    "ignored": "table talk",
    "not_open": "not now",
    "ambiguous": "which one",
    "listening": "Listening",
    "speaking": "Speaking",
    "paused": "On pause",
    "call_first": "Waits for its name",
    "press_space": "Space, then speak",
    "press_enter": "Enter, then speak",
    "type_here": "Type a command",
    "out": "gone",
    "round": "Round",
    "scoreboard": "Scores",
    "keys_hint": "Ctrl-Q leaves",
}

CAN_SAY = ("throw", "stop", "abort", "who is on turn", "help", "quit")


def seat(
    name: str, lives: int = 12, points: int = 0, throws: tuple[str, ...] = (), turn: bool = False
) -> Seat:
    """A line of the scoreboard; out without lives."""
    return Seat(name, lives, points, lives == 0, turn, throws)


def view(
    *seats: Seat,
    dice: tuple[int, int] | None = (6, 3),
    winner: str | None = None,
    can_say: tuple[str, ...] = CAN_SAY,
    full_lives: int = 12,
    throws_left: int = 2,
) -> View:
    """A table in round 7 with a stake of 4; by default Anna is on turn, with Ben, and Cleo who is out."""
    seats = seats or (
        seat("Anna", 12, 3, ("42", "63"), turn=True),
        seat("Ben", 5, -2),
        seat("Cleo", 0, -1),
    )
    turn = next((one.name for one in seats if one.on_turn), None)
    return View(LABELS, 7, 4, turn, dice, throws_left, seats, can_say, winner, full_lives)
