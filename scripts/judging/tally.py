"""Outcomes of a test, counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Tally:
    """How often something that was said was heard as it should be."""

    right: int = 0
    """The right thing, and nothing else."""
    wrong: int = 0
    """Another thing."""
    missed: int = 0
    """Nothing, though there was something to hear; or, of speech that is nothing: rightly nothing."""
    confusions: dict[tuple[str, str], int] = field(default_factory=dict)
    """(said, heard) and how often, for all that went wrong."""

    @classmethod
    def of(cls, tallies: Iterable[Tally]) -> Tally:
        """Several together."""
        both = cls()
        for tally in tallies:
            both.right += tally.right
            both.wrong += tally.wrong
            both.missed += tally.missed
            for pair, times in tally.confusions.items():
                both.confuse(*pair, times=times)
        return both

    def confuse(self, said: str, heard: str, times: int = 1) -> None:
        """Remember what something was heard as."""
        self.confusions[said, heard] = self.confusions.get((said, heard), 0) + times

    @property
    def cases(self) -> int:
        """How often something was said."""
        return self.right + self.wrong + self.missed

    @property
    def right_share(self) -> float:
        """Right, in percent; 0 without a case."""
        return 100 * self.right / max(1, self.cases)

    @property
    def wrong_share(self) -> float:
        """Wrong, in percent; 0 without a case."""
        return 100 * self.wrong / max(1, self.cases)
