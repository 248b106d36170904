"""Questions about a match, and what is answered: scores, lives, whose turn it is, what is to be beaten."""

from collections.abc import Callable, Mapping
from typing import Final

from mexvoice.language.command import Command, CommandId
from mexvoice.language.wording import Wording
from mexvoice.rules import Match, Phase


def answer(command: Command, match: Match, wording: Wording) -> list[str]:
    """The sentences that answer a question.

    Raises:
        KeyError: if the command is none of `QUESTIONS`.
    """
    return QUESTIONS[command.id](command, match, wording)


def score_of(player: str, match: Match, wording: Wording) -> str:
    """The lives and points of a player, in a sentence."""
    line = next(line for line in match.standings() if line.name == player)
    return wording.say("scores_entry", player=line.name, lives=line.lives, points=line.points)


def _scores(_: Command, match: Match, wording: Wording) -> list[str]:
    lines = [score_of(line.name, match, wording) for line in match.standings()]
    return [wording.say("scores_intro"), *lines]


def _lives_of(command: Command, match: Match, wording: Wording) -> list[str]:
    player = command.player or match.turn or match.players[0]
    lives = match.lives[player]
    if not lives:
        return [wording.say("lives_of_out", player=player)]
    return [wording.say("lives_of", player=player, left=lives)]


def _whose_turn(_: Command, match: Match, wording: Wording) -> list[str]:
    return _between_turns(match, wording) or [wording.say("whose_turn", player=match.turn)]


def _lowest(_: Command, match: Match, wording: Wording) -> list[str]:
    lowest = match.lowest
    if lowest is None:
        return [wording.say("lowest_none")]
    return [wording.say("lowest", players=lowest.players, value=lowest.value)]


def _throws_left(_: Command, match: Match, wording: Wording) -> list[str]:
    other = _between_turns(match, wording)
    if other:
        return other
    if not match.throws_left:
        return [wording.say("throws_left_none", player=match.turn)]
    return [wording.say("throws_left", player=match.turn, throws=match.throws_left)]


def _between_turns(match: Match, wording: Wording) -> list[str]:
    """What is said of a turn when nobody has one to throw in; nothing when somebody has."""
    if match.turn is None:
        return [wording.say("match_over_hint")]
    if match.phase is Phase.CHOOSING:
        return [wording.say("choose_counting", player=match.turn)]
    return []


QUESTIONS: Final[Mapping[CommandId, Callable[[Command, Match, Wording], list[str]]]] = {
    CommandId.SCORES: _scores,
    CommandId.LIVES_OF: _lives_of,
    CommandId.WHOSE_TURN: _whose_turn,
    CommandId.LOWEST: _lowest,
    CommandId.THROWS_LEFT: _throws_left,
}
"""The commands that ask about the match, and what answers them."""
