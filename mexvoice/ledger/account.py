"""What one match came to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mexvoice.ledger.entry import Entry
from mexvoice.rules import DiceThrown, Match, RoundLost


@dataclass(slots=True)
class Share:
    """What one player had of one match. What was taken back does not count."""

    points: int = 0
    lives: int = 0
    """Left at the end, or so far."""
    won: bool = False
    rounds_lost: int = 0
    mexes: int = 0
    """Throws that counted as a Mex, those of extra rounds too."""
    survived: int = 0
    """Rounds the player came out of with a life left, that is how long the player lived in this match."""


@dataclass(slots=True)
class Account:
    """What a match came to, or has come to so far."""

    entry: Entry
    rounds: int = 0
    """Rounds that were lost by somebody."""
    actions: int = 0
    """Those that were not taken back."""
    winner: str | None = None
    shares: Mapping[str, Share] = field(default_factory=dict)
    """By player, in seat order."""


def account_of(entry: Entry) -> Account:
    """Tell what ``entry`` came to.

    Raises:
        Damaged: if the rules refuse anything in it.
    """
    history = entry.match().history
    match = Match(entry.players, entry.options)
    shares = {player: Share() for player in match.players}
    account = Account(entry, actions=len(history), shares=shares)
    for action in history:
        for event in match.apply(action):
            if isinstance(event, DiceThrown):
                shares[event.player].mexes += event.mex
            elif isinstance(event, RoundLost):
                account.rounds += 1
                shares[event.player].rounds_lost += 1
                for player in match.living:
                    shares[player].survived += 1
    for standing in match.standings():
        shares[standing.name].points = standing.points
        shares[standing.name].lives = standing.lives
        shares[standing.name].won = standing.name == match.winner
    account.winner = match.winner
    return account
