"""Models and grammars the tests of hearing share."""

from collections.abc import Callable, Iterator

import pytest

from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.model import Model, find_model
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.utterance import Utterance
from mexvoice.language import locale as locales
from mexvoice.language.phrasebook import PhraseBook
from tests.hearing.clips import Samples, spoken

STEP = 1600

PLAYERS = ("Anna", "Ben", "Carla", "David")


@pytest.fixture(scope="session")
def model() -> Callable[[str], Model]:
    """Loads the shipped model of a language, once."""
    loaded: dict[str, Model] = {}

    def load(code: str) -> Model:
        if code not in loaded:
            loaded[code] = find_model(code)
        return loaded[code]

    return load


@pytest.fixture(scope="session")
def grammar() -> Callable[[str], Grammar]:
    """The phrases of all clips of a language, as a grammar that knows what all phrases of the game mean."""

    def make(code: str) -> Grammar:
        book = PhraseBook(locales.load(code), PLAYERS)
        meanings = {phrase: book.commands.get(book.normalise(phrase)) for phrase in book.phrases()}
        return Grammar(tuple(dict.fromkeys(clip.text for clip in spoken(code))), meanings=meanings)

    return make


def feed(recogniser: Recogniser, samples: Samples, step: int = STEP) -> Iterator[tuple[int, Utterance]]:
    """Hear samples block by block: each utterance, with the number of samples given until it came."""
    for at in range(0, len(samples), step):
        block = samples[at : at + step]
        for utterance in recogniser.accept(block.tobytes()):
            yield at + len(block), utterance


def hear(recogniser: Recogniser, samples: Samples, step: int = STEP) -> list[Utterance]:
    """Hear samples to their end."""
    found = [utterance for _, utterance in feed(recogniser, samples, step)]
    return found + recogniser.flush()
