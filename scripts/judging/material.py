"""What a language is judged with: clips of voices and people that no model was trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.phones import nativise
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.language import locale as locales
from mexvoice.language.command import Command
from mexvoice.language.phrase import written
from mexvoice.language.phrasebook import PhraseBook
from scripts.training.corpus import Clip, Corpus, fairly
from scripts.training.texts import PLAYERS, names

if TYPE_CHECKING:  # they need what only the training needs
    from scripts.training.conditions import Conditions
    from scripts.training.evaluate import Vocabulary

_BABBLE = 300
"""Clips the babble is mixed of."""

HOW_TO_MAKE = (
    "make them with 'python3 scripts/training/run.py --stage install --stage speak --roles test --data DIR'"
)


@dataclass(frozen=True)
class Material:
    """Held-out clips for one language."""

    language: str
    """Its code."""
    corpus: Corpus
    """Synthetic voices of the language, and people of all languages."""
    conditions: Conditions
    """The circumstances they are played in."""
    book: PhraseBook
    """What can be said at the table of `players`."""
    players: tuple[str, ...]
    """Who sits there: the names that the clips have in them."""
    pronouncer: Pronouncer
    """The pronunciations of the language."""

    @classmethod
    def load(cls, data: Path, language: str, role: str = "test", seed: int = 1) -> Material:
        """Find the clips of a role in the data folder of the training.

        Args:
            data: the folder.
            language: code of the language.
            role: "test"; or "tune", for whoever looks for better settings.
            seed: of the circumstances the clips are played in.

        Raises:
            MexvoiceError: when there are none.
        """
        stores = sorted(path.with_suffix("") for path in (data / "corpora").glob(f"*-{role}.jsonl"))
        corpus = Corpus(
            [store for store in stores if store.name.split("-")[1] == language or _is_human(store.name)]
        )
        synthetic = [at for at in range(len(corpus)) if not _is_human(corpus.store_name(at))]
        if not synthetic:
            raise MexvoiceError(f"There are no test voices for '{language}' in {data}: {HOW_TO_MAKE}.")
        from scripts.training.conditions import Conditions

        voices = [corpus.samples(at) for at in synthetic[:: max(1, len(synthetic) // _BABBLE)]]
        players = tuple(names(language)[:PLAYERS])
        locale = locales.load(language)
        pronouncer = Pronouncer(language, locale.pronounce)
        book = PhraseBook(locale, players)
        return cls(language, corpus, Conditions(voices, seed), book, players, pronouncer)

    def is_human(self, at: int) -> bool:
        """Whether a clip is a recording of somebody."""
        return _is_human(self.corpus.store_name(at))

    def said(self, at: int) -> frozenset[Command]:
        """The commands a clip is, word for word; none for other speech."""
        text = self.book.normalise(self.corpus.clips[at].text)
        return frozenset(self.book.commands.get(text, ()))

    def commands(self, limit: int) -> list[int]:
        """Numbers of up to `limit` clips of synthetic voices that are a command, as many of each voice."""
        return self.voices(lambda at: self.corpus.clips[at].kind == "command" and bool(self.said(at)), limit)

    def voices(self, fits: Callable[[int], bool], limit: int) -> list[int]:
        """Numbers of up to `limit` clips of synthetic voices that fit, as many of each voice."""
        found = [at for at in range(len(self.corpus)) if not self.is_human(at) and fits(at)]
        return sorted(fairly(self.corpus, found)[:limit])

    def people(self) -> list[int]:
        """Numbers of the recordings of people who speak the language."""
        return [at for at in self._human() if self.corpus.clips[at].language == self.language]

    def foreigners(self, limit: int | None = None) -> list[int]:
        """Numbers of up to `limit` recordings of people who speak another, as many of each language."""
        found = [at for at in self._human() if self.corpus.clips[at].language != self.language]
        return sorted(fairly(self.corpus, found)[:limit])

    def talk(self) -> tuple[list[int], list[int]]:
        """Speech that is no command: of people, and of synthetic voices in the language."""
        from scripts.training.evaluate import Vocabulary

        phrases = Vocabulary.of_commands(self.language, self.pronouncer)
        people, voices = [], []
        for at, clip in enumerate(self.corpus.clips):
            if self.said(at) or self.sounds_like(clip, phrases):
                continue
            if self.is_human(at):
                people.append(at)
            elif clip.kind == "speech":
                voices.append(at)
        return people, voices

    def sounds_like(self, clip: Clip, vocabulary: Vocabulary) -> str:
        """The token of a vocabulary that a clip is, by its text or its sound; "" when it is none.

        The sound is taken as it is and as somebody who speaks this language hears it.
        """
        sound = nativise(sum(clip.words, ()), self.language)
        return vocabulary.said(clip) or vocabulary.sounds.get(sound, "")

    def text(self, at: int) -> str:
        """What is said in a clip, in small letters."""
        return written(self.corpus.clips[at].text)

    def _human(self) -> list[int]:
        return [at for at in range(len(self.corpus)) if self.is_human(at)]


def _is_human(store: str) -> bool:
    return store.startswith("human-")
