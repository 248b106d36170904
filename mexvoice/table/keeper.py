"""Keeping the record of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mexvoice.rules import Action, Undo

if TYPE_CHECKING:
    from mexvoice.table.assistant import Assistant


class Keeper(Protocol):
    """Keeps the record of a match: whatever it is given is safe when the call returns."""

    def begin(self, assistant: Assistant) -> None:
        """A match has begun; its players, options, dice and language are the assistant's."""

    def act(self, action: Action | Undo) -> None:
        """An action was taken (or the last one taken back) and is about to be announced."""

    def speak(self, language: str) -> None:
        """The language of this code is spoken from now on."""


class Unkept:
    """A keeper that keeps nothing."""

    def begin(self, assistant: Assistant) -> None:
        """Nothing to do."""

    def act(self, action: Action | Undo) -> None:
        """Nothing to do."""

    def speak(self, language: str) -> None:
        """Nothing to do."""
