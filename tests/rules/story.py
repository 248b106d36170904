"""Matches told in short: ``"63 stop 21 52"`` are throws of 6 and 3, then a stop, a Mex, and 5 and 2."""

from mexvoice.rules import Abort, Action, Count, Counting, Dice, Event, Match, Options, Stop, ThrowDice

_WORDS: dict[str, Action] = {
    "stop": Stop(),
    "abort": Abort(),
    "pips": Count(Counting.PIPS),
    "mex": Count(Counting.MEX),
}


def action(word: str) -> Action:
    """One word of a story: two digits for the dice, or stop, abort, pips or mex."""
    return _WORDS[word] if word in _WORDS else ThrowDice(Dice(int(word[0]), int(word[1])))


def tell(match: Match, story: str) -> list[Event]:
    """Let ``match`` go on as ``story`` says; ``undo`` is a word too. Every event of it."""
    events: list[Event] = []
    for word in story.split():
        events += match.undo() if word == "undo" else match.apply(action(word))
    return events


def after(story: str, seats: str = "ABC", options: Options | None = None) -> Match:
    """A match of players with names of one letter, after ``story``."""
    match = Match(list(seats), options)
    tell(match, story)
    return match
