"""What one check of the doctor found."""

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """How it stands."""

    GOOD = "✓"
    NOTE = "!"
    """Worth knowing; a match can be played all the same."""
    BAD = "✗"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's."""

    what: str
    """What was looked at, as people call it."""
    mark: Mark
    text: str
    """How it is, and where it is not good what to do."""
