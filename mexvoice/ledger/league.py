"""The league table over all evenings."""

from collections.abc import Iterable
from dataclasses import dataclass

from mexvoice.ledger.account import Account
from mexvoice.rules import name_key


@dataclass(slots=True)
class Line:
    """One player's line of the table."""

    player: str
    """As the name was written last."""
    matches: int = 0
    """Those the player sat in, also if they were not played to their end."""
    wins: int = 0
    rounds_lost: int = 0
    mexes: int = 0
    """Throws that counted as a Mex, those of extra rounds too."""
    points: int = 0
    """The sum of the points of all matches; those of a match not played to its end as they stood."""
    longest_life: int = 0
    """The most rounds the player came out of with a life left, in one match."""


COLUMNS = ("matches", "wins", "rounds_lost", "mexes", "points", "longest_life")
"""The figures of a line, in the order they are shown."""


def league(accounts: Iterable[Account]) -> list[Line]:
    """The table over ``accounts``, given in the order the matches were begun.

    A player is who has the same name, however it is written (see :func:`mexvoice.rules.name_key`). Matches
    without any action do not count. The order is by wins, then points, then fewer rounds lost, then name.
    """
    lines: dict[str, Line] = {}
    for account in accounts:
        if not account.actions:
            continue
        for player, share in account.shares.items():
            line = lines.setdefault(name_key(player), Line(player))
            line.player = player
            line.matches += 1
            line.wins += share.won
            line.rounds_lost += share.rounds_lost
            line.mexes += share.mexes
            line.points += share.points
            line.longest_life = max(line.longest_life, share.survived)
    return sorted(
        lines.values(), key=lambda line: (-line.wins, -line.points, line.rounds_lost, name_key(line.player))
    )
