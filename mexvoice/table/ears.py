"""Listening at the table: a source of sound, the recogniser of the language spoken now, and deafness."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.memory import give_back
from mexvoice.hearing.model import Model, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.source import Block
from mexvoice.hearing.utterance import Utterance
from mexvoice.language.command import CommandId
from mexvoice.table.assistant import Assistant


class Source(Protocol):
    """Sound, block by block: the microphone, a file, or the demo's own voices."""

    @property
    def dropped(self) -> int:
        """Blocks that were lost because nobody fetched them in time."""

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The blocks of sound as they come; None where ``timeout`` seconds brought nothing."""

    def close(self) -> None:
        """Give the device or the file back."""


class Listener:
    """Hears commands of the match in one language at a time.

    The grammar is what is open now; every other phrase of the locale and its decoys are heard too but
    lead to no action, so that they are not mistaken for what is open.

    Args:
        directory: a Vosk model directory to use for the language at the start, instead of the shipped model.
        on_missing: told the phrases that the model cannot hear, when there are any.
        called: listen for call words, too.
    """

    def __init__(
        self,
        assistant: Assistant,
        directory: Path | None,
        on_missing: Callable[[tuple[str, ...]], None],
        called: bool = False,
    ) -> None:
        self._assistant = assistant
        self._directory = directory
        self._first = assistant.locale.code
        self._on_missing = on_missing
        self._called = called
        self._model: Model | None = None
        self._loaded = ""
        self._told: set[str] = set()
        self._open: frozenset[CommandId] = frozenset()
        self._recogniser: Recogniser | None = None
        self._heard_since_reset = False
        self._guarded = False
        self.use()

    def use(self) -> None:
        """Take the model of the assistant's language, loading it when it is another than before.

        One model is in memory at a time: an evening in which the language changes needs no more than another.

        Raises:
            MexvoiceError: if the model is missing or broken.
        """
        code = self._assistant.locale.code
        if self._model is None or code != self._loaded:
            book = self._assistant.understanding.book
            phrases = [*book.phrases(), *book.decoys, *book.fillers, *self._calls()]
            accents = self._assistant.locale.pronounce
            directory = self._directory if code == self._first else None
            model = model_for(code, directory, phrases, accents)
            self._recogniser, self._model, self._loaded = None, model, code
            give_back()
            heard = [*book.phrases(), *self._calls()]
            missing = model.missing(Grammar(heard, alikes=book.alikes).fit(model).dropped)
            if missing and code not in self._told:
                self._on_missing(missing)
            self._told.add(code)
        self._recogniser = Recogniser(self._model, self._grammar())

    def _calls(self) -> tuple[str, ...]:
        return self._assistant.understanding.book.calls if self._called else ()

    def _grammar(self) -> Grammar:
        self._open = self._assistant.open_commands()
        book = self._assistant.understanding.book
        if self._guarded:
            # No decoys: a word that is half drowned is like many, and to be silent for nothing does no harm.
            return Grammar(book.hushes, fillers=book.fillers, calls=self._calls(), alikes=book.alikes)
        phrases = book.phrases(self._open)
        opened = set(phrases)
        closed = [phrase for phrase in book.phrases() if phrase not in opened]
        meanings = {phrase: book.commands.get(book.normalise(phrase)) for phrase in phrases}
        return Grammar(
            phrases,
            decoys=[*closed, *book.decoys],
            fillers=book.fillers,
            calls=self._calls(),
            meanings=meanings,
            alikes=book.alikes,
        )

    def accept(self, pcm: bytes) -> list[Utterance]:
        """Feed sound (mono, 16 bit, 16 kHz); the utterances that ended in it."""
        if self._assistant.open_commands() != self._open:
            self.recogniser.set_grammar(self._grammar())
        self._heard_since_reset = True
        return self.recogniser.accept(pcm)

    @property
    def guarded(self) -> bool:
        """Whether only what silences the assistant is listened for."""
        return self._guarded

    def guard(self, guarded: bool) -> None:
        """Listen from now on only for what silences the assistant, or for all again; forget the past."""
        if guarded is not self._guarded:
            self._guarded = guarded
            self.recogniser.set_grammar(self._grammar(), at_once=True)

    def flush(self) -> list[Utterance]:
        """End what is being said now."""
        return self.recogniser.flush()

    def overhear(self, pcm: bytes) -> None:
        """Take note of how loud the room is, and of nothing that is said."""
        self.recogniser.overhear(pcm)
        self._heard_since_reset = False

    def deafen(self) -> None:
        """Forget what was being said: what comes now is the assistant's own voice."""
        if self._heard_since_reset:
            self.recogniser.reset()
            self._heard_since_reset = False

    def seconds_since(self, time: float) -> float:
        """How long ago, in seconds of what was heard, a time of the stream was."""
        return self.recogniser.seconds - time

    @property
    def speaking(self) -> bool:
        """Whether somebody is saying something, command or not."""
        return self.recogniser.speaking

    @property
    def hearing(self) -> bool:
        """Whether somebody seems to be in the middle of a command."""
        return bool(self.recogniser.partial)

    @property
    def recogniser(self) -> Recogniser:
        """The recogniser of the language spoken now."""
        assert self._recogniser is not None
        return self._recogniser
