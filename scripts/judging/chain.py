"""The program's own ears and understanding, given clips instead of a microphone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mexvoice.hearing.model import BUILTIN
from mexvoice.language.command import Command, CommandId
from mexvoice.language.understanding import Ambiguous, Understood
from mexvoice.rules import Options
from mexvoice.table.assistant import Assistant
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from scripts.training.corpus import Samples

BLOCK = 800
"""Samples of a block, as a microphone brings them."""


class AllOpen(Assistant):
    """An assistant that would obey any command at any time."""

    def open_commands(self) -> frozenset[CommandId]:
        """Every command there is."""
        return frozenset(CommandId)


@dataclass(frozen=True)
class Heard:
    """What was made of a clip."""

    commands: frozenset[Command]
    """The command understood; several when the state of the match would decide among them; none."""
    text: str
    """What it sounded like; with the reason in brackets when that did not count."""


class Chain:
    """Listens as a match does, with every phrase of a language open at once."""

    def __init__(self, language: str, players: Sequence[str]) -> None:
        """Load the shipped model of a language.

        Raises:
            MexvoiceError: when it is missing or broken.
        """
        self._assistant = AllOpen(players, Options(), language, Cup(1))
        self._listener = Listener(self._assistant, BUILTIN, lambda _missing: None)

    def hear(self, samples: Samples) -> Heard:
        """Hear a clip from its beginning to its end, as a stream of its own."""
        self._listener.use()
        utterances = []
        for start in range(0, len(samples), BLOCK):
            utterances += self._listener.accept(samples[start : start + BLOCK].tobytes())
        utterances += self._listener.flush()
        found: list[frozenset[Command]] = []
        texts = []
        for utterance in utterances:
            texts.append(utterance.text or f"{utterance.heard} ({utterance.reason})".strip())
            if utterance.text:
                open_now = self._assistant.open_commands()
                outcome = self._assistant.understanding.hear(utterance.text, open_now)
                if isinstance(outcome, Understood):
                    found.append(frozenset({outcome.command}))
                elif isinstance(outcome, Ambiguous):
                    found.append(frozenset(outcome.commands))
        # Two commands out of one: whatever was said, one of them is wrong.
        return Heard(frozenset[Command]().union(*found), " + ".join(texts))
