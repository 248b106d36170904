"""The three ways, and no other, in which the rules refuse something."""


class RulesError(ValueError):
    """What the rules refuse; ``str(error)`` says what and why."""

    line: int | None = None
    """The number of the line of a record that was refused, from 1; None for what is no line of a record."""


class NotUnderstood(RulesError):
    """It is not an action, an option, a player or a record at all."""


class NotOpen(RulesError):
    """It is understood, but the state of the match does not allow it now."""


class Ambiguous(RulesError):
    """It can be read as more than one action."""
