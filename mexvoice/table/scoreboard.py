"""The table as a display shows it."""

from mexvoice.rules import ThrowDice
from mexvoice.showing.display import Seat, View
from mexvoice.table.assistant import Assistant


def view_of(assistant: Assistant) -> View:
    """The table as it is now."""
    match = assistant.match
    turn = match.turn
    thrown = match.throws.get(turn, ()) if turn else ()
    if not thrown and match.history and isinstance(match.history[-1], ThrowDice):
        thrown = (match.history[-1].dice,)
    return View(
        labels=dict(assistant.locale.labels),
        round_number=match.round_number,
        stake=match.stake,
        turn=turn,
        dice=(thrown[-1].first, thrown[-1].second) if thrown else None,
        throws_left=match.throws_left,
        seats=tuple(
            Seat(
                name=line.name,
                lives=line.lives,
                points=line.points,
                out=line.out,
                on_turn=line.name == turn,
                throws=tuple(
                    assistant.wording.value(dice.value(match.counting))
                    for dice in match.throws.get(line.name, ())
                ),
            )
            for line in match.standings()
        ),
        can_say=assistant.can_say(),
        winner=match.winner,
        full_lives=match.options.lives,
    )
