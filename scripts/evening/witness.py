"""The game master of a bench: it notes down what became of all that it was told."""

from collections import deque
from dataclasses import dataclass

from mexvoice.hearing.utterance import Utterance
from mexvoice.language.command import Command, CommandId
from mexvoice.language.understanding import Outcome, Understood
from mexvoice.showing.display import Verdict
from mexvoice.table.assistant import Assistant
from mexvoice.table.ears import Listener
from mexvoice.table.effect import Effect


@dataclass(frozen=True, slots=True)
class Obeyed:
    """A command that was obeyed."""

    command: Command
    typed: bool


class Witness(Assistant):
    """An assistant that remembers what it has obeyed since it was last asked."""

    fresh: tuple[Obeyed, ...] = ()

    def obey(self, outcome: Outcome, now: float, typed: bool = False) -> tuple[Verdict, list[Effect]]:
        """As the assistant does."""
        verdict, effects = super().obey(outcome, now, typed)
        if isinstance(outcome, Understood) and verdict is Verdict.OBEYED:
            self.fresh = (*self.fresh, Obeyed(outcome.command, typed))
        return verdict, effects

    def take_obeyed(self) -> tuple[Obeyed, ...]:
        """What has been obeyed since the last call."""
        fresh, self.fresh = self.fresh, ()
        return fresh


class Still(Assistant):
    """An assistant that never gets on: the same commands are open until others are set."""

    opened: frozenset[CommandId] = frozenset({CommandId.THROW})

    def open_commands(self) -> frozenset[CommandId]:
        """The commands that were set."""
        return self.opened


class Ears(Listener):
    """Ears that log whatever they hear, and why it does not count."""

    log: "Log | None" = None

    def accept(self, pcm: bytes) -> list[Utterance]:
        """As the listener does."""
        found = super().accept(pcm)
        for utterance in found if self.log else ():
            assert self.log is not None
            self.log.add(f"{utterance.heard} ({utterance.reason or 'counts'})")
        return found


class Log:
    """The last things that were heard, for the eye."""

    def __init__(self, length: int = 6) -> None:
        """Remembers so many."""
        self._lines: deque[str] = deque(maxlen=length)

    def add(self, text: str) -> None:
        """Something was heard."""
        self._lines.append(text)

    def clear(self) -> None:
        """Forgets all of it."""
        self._lines.clear()

    def __str__(self) -> str:
        """All of it in one line."""
        return "; ".join(self._lines) or "nothing"
