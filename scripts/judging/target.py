"""What hearing must reach, figure by figure, and what it aims at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """One figure of a language and what it must be."""

    key: str
    """Its name in the results."""
    what: str
    """What is measured."""
    unit: str
    """"%", "an hour", "ms", "s", "MB" or none."""
    least: float
    """The figure must be as good as this ..."""
    aim: float | None
    """... and should be as good as this; None where nothing more is asked for."""
    more_is_better: bool = False
    """Whether the figure must be at least, not at most, what is asked for."""
    strictly: bool = False
    """Whether a figure just as good is not good enough."""
    digits: int = 1
    """Decimals that are shown."""
    heading: str = ""
    """What is measured, where it stands alone; "" when that is no other."""

    def met(self, figure: float, wanted: float | None = None) -> bool:
        """Whether a figure is good enough, for the target or for something else that is wanted."""
        wanted = self.least if wanted is None else wanted
        if figure == wanted:
            return not self.strictly
        return (figure > wanted) == self.more_is_better

    def shown(self, figure: float) -> str:
        """A figure with its unit."""
        return f"{figure:.{self.digits}f} {self.unit}".strip()

    def asked(self) -> str:
        """What is asked for, as it stands in a table."""
        word = "at least" if self.more_is_better else "under" if self.strictly else "at most"
        return f"{word} {self.least:g} {self.unit}".strip()


FOREIGN: Mapping[str, float] = {"en": 9.0, "fr": 5.0, "de": 0.3, "ru": 1.0}
"""In so many percent of other people's foreign clips Whisper base finds a word of the list."""

RIGHT_IN_QUIET = Target("quiet", "right command, voices held out whole, quiet", "%", 97.0, 99.0, True)
RIGHT_IN_NOISE = Target(
    "noise", "the same, 6 to 24 dB of babble, music, kitchen, street, in rooms", "%", 92.0, 97.6, True,
    heading="right command, 6 to 24 dB, in rooms",
)  # fmt: skip
_PEOPLE = (
    Target("words", "single words of people, right", "%", 88.0, 97.0, True),
    Target("words_wrong", "... taken for another", "%", 5.0, None, strictly=True,
           heading="single words of people, wrong"),
    Target("texts", "all short texts of people, right", "%", 88.0, 97.0, True),
    Target("texts_wrong", "... taken for another", "%", 5.0, None, strictly=True,
           heading="all short texts of people, wrong"),
)  # fmt: skip
_WORK = (
    Target("actions", "game actions by other people's speech and music", "an hour", 2.0, 0.187,
           strictly=True, digits=2),
    Target("dice", "... where people throw and say their dice", "an hour", 2.0, 0.187,
           strictly=True, digits=2, heading="game actions by talk, dice said"),
    Target("delay", "end of speech to action, median", "ms", 350.0, 200.0, digits=0),
    Target("late", "... 95th percentile", "ms", 600.0, 350.0, digits=0,
           heading="end of speech to action, 95th percentile"),
    Target("factor", "real-time factor", "", 0.05, 0.025, digits=3),
    Target("load", "load time", "s", 0.2, 0.1, digits=3),
    Target("memory", "memory with all four languages", "MB", 150.0, 75.0, digits=0),
    Target("size", "size of the language", "MB", 2.0, 1.0, digits=2),
)  # fmt: skip


def targets(language: str) -> tuple[Target, ...]:
    """Every figure of a language, in the order of the table."""
    foreign = Target(
        "foreign", "foreign people's clips with a word in them", "%", FOREIGN[language], None, strictly=True
    )
    return (RIGHT_IN_QUIET, RIGHT_IN_NOISE, *_PEOPLE, foreign, *_WORK)
