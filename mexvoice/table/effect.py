"""What the assistant wants done."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Say:
    """Speak and write this."""

    text: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Stop speaking now."""


@dataclass(frozen=True, slots=True)
class Switch:
    """Hear and speak this language from now on."""

    language: str


@dataclass(frozen=True, slots=True)
class Leave:
    """End the program when all is said."""


Effect = Say | Cut | Switch | Leave
