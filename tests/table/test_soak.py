"""A minute of the long evening of ``scripts/bench.py soak``, and what it takes for a fault."""

from dataclasses import replace

import numpy as np
import pytest

from mexvoice.hearing.model import BUILTIN
from mexvoice.language import locale as locales
from mexvoice.language.command import CommandId
from mexvoice.rules import Options
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from scripts.benches.soak import Soak, belongings, evening
from scripts.evening import clip as clips
from scripts.evening.clip import Clip
from scripts.evening.company import Heard
from scripts.evening.trial import heard_alone, situations
from scripts.evening.witness import Still

OPTIONS = Options(lives=4)
SEED = 3
GIVEN = frozenset({CommandId.THROW, CommandId.STOP, CommandId.SCORES})
SECONDS, COUNT = 75.0, 5


@pytest.fixture(scope="module")
def heard() -> Heard:
    """A few commands in French that are heard on their own."""
    locale = locales.load("fr")
    still = Still(locale.players, OPTIONS, "fr", Cup(SEED))
    said = clips.commands(locale, still.understanding.book, frozenset(CommandId) - GIVEN, 1, SEED)
    return heard_alone(
        said,
        situations(locale.players, OPTIONS, "fr", SEED),
        still,
        lambda assistant: Listener(assistant, BUILTIN, lambda _: None),
        SEED,
    )


@pytest.fixture(scope="module")
def talk() -> list[Clip]:
    """A few sentences of table talk."""
    locale = locales.load("fr")
    book = Still(locale.players, OPTIONS, "fr", Cup(SEED)).understanding.book
    return clips.talk(locale, book, 8, SEED)


@pytest.mark.slow
def test_what_is_heard_on_its_own_is_heard_among_talk_and_nothing_is_left(
    heard: Heard, talk: list[Clip]
) -> None:
    before = belongings()
    tally, memory, seconds = evening("fr", OPTIONS, BUILTIN, SECONDS, COUNT, SEED, heard, talk)
    assert any(heard.values())
    assert tally.spoken == COUNT
    assert tally.misses == []
    assert tally.talks > 0
    assert seconds >= SECONDS
    assert memory.settled > 0
    assert [item for item in belongings() if item not in before] == []


@pytest.mark.slow
def test_a_command_nobody_can_hear_is_missed_and_typed(heard: Heard, talk: list[Clip]) -> None:
    hiss = np.random.default_rng(SEED).normal(0, 300, 8000).astype(np.int16)
    unheard = {opened: [replace(clip, samples=hiss) for clip in found] for opened, found in heard.items()}
    tally, _, _ = evening("fr", OPTIONS, BUILTIN, 20.0, 2, SEED, unheard, talk)
    assert len(tally.misses) == tally.spoken == 2
    assert tally.typed >= 2


@pytest.mark.slow
def test_an_evening_goes_back_to_its_language(heard: Heard) -> None:
    """Somebody asks for German among the talk, and is obeyed: that is no command of the evening."""
    locale = locales.load("fr")
    book = Still(locale.players, OPTIONS, "fr", Cup(SEED)).understanding.book
    left_out = frozenset(CommandId) - {CommandId.LANGUAGE}
    asking = [clip for clip in clips.commands(locale, book, left_out, 4, SEED) if "deutsch" in clip.text]
    tally, _, _ = evening("fr", OPTIONS, BUILTIN, 60.0, 3, SEED, heard, asking)
    assert any("language" in line for line in tally.false_alarms)
    assert tally.misses == []


def test_every_limit_counts() -> None:
    good = Soak("fr", 4.0, 1.0, 1, 1, 1, (), 0, 1, (), 1, 100.0, 9.9, ())
    assert not good.failed
    assert replace(good, missed=("throw",)).failed
    assert replace(good, growth_mb=10.0).failed
    assert replace(good, left_over=("thread reader",)).failed
