"""The program's own chain hears clips, words and talk, and what it does is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from mexvoice.hearing.lexicon import token
from mexvoice.language import locale as locales
from mexvoice.language.command import CommandId
from mexvoice.language.phrasebook import PhraseBook
from mexvoice.rules import Options, Phase
from mexvoice.table.assistant import Assistant
from mexvoice.table.cup import Cup
from scripts.judging import commands, evening, people
from scripts.judging.chain import Chain
from scripts.judging.material import Material
from scripts.judging.tally import Tally
from scripts.training.corpus import RATE, Clip, Corpus, CorpusWriter, Samples
from tests.hearing.clips import clips, spoken

PLAYERS = ("Anna", "Ben")


def quiet(seconds: float) -> Samples:
    """A room in which nobody speaks."""
    return np.rint(np.random.default_rng(1).normal(0, 6, round(seconds * RATE))).astype(np.int16)


def within_quiet(samples: Samples) -> Samples:
    return np.concatenate([quiet(1.0), samples, quiet(1.5)])


def stored(folder: Path, language: str, said: Sequence[tuple[str, Samples]]) -> Material:
    """Material of one person, whose texts and sounds are given."""
    with CorpusWriter(folder / "corpora" / f"human-{language}-test") as writer:
        for text, samples in said:
            writer.append(Clip(text, "speech", language, "somebody", "test", ((text,),)), samples)
    book = PhraseBook(locales.load(language), PLAYERS)
    corpus = Corpus([folder / "corpora" / f"human-{language}-test"])
    conditions = cast(Any, lambda clip, _number, _ratio: within_quiet(clip))
    return Material(language, corpus, conditions, book, PLAYERS, cast(Any, None))


def test_commands_are_right_when_their_own_meaning_is_heard(tmp_path: Path) -> None:
    said = [
        (clip.text, clip.samples()) for clip in sorted(spoken("en"), key=lambda clip: -len(clip.text))[:4]
    ]
    right = stored(tmp_path / "right", "en", said)
    chain = Chain("en", PLAYERS)
    tally = commands.in_quiet(chain, right, range(len(said)))
    assert tally.right >= len(said) - 1, tally.confusions
    # The same sounds under other names: now nothing that is heard is right.
    other = [(text, samples) for (text, _), (_, samples) in zip(said, said[1:] + said[:1], strict=True)]
    wrong = commands.in_quiet(chain, stored(tmp_path / "wrong", "en", other), range(len(said)))
    assert wrong.right == 0
    assert wrong.wrong >= len(said) - 1
    assert sum(wrong.confusions.values()) == len(said)


def test_talk_is_no_command() -> None:
    chain = Chain("de", PLAYERS)
    talk = [clip for clip in clips() if clip.is_talk and clip.language == "de"]
    assert talk
    assert [chain.hear(within_quiet(clip.samples())).commands for clip in talk] == [frozenset()] * len(talk)


def test_words_are_heard_by_the_command_line_s_own_function(tmp_path: Path) -> None:
    words = ["throw", "two hundred", "i keep it", "four"]
    by_text = {clip.text: clip.samples() for clip in spoken("en")}
    said = [(text, by_text[text]) for text in words[:3]] + [("four", by_text["i keep it"])]
    material = stored(tmp_path, "en", said)
    meaning = {token(word): word for word in words}
    vocabulary = cast(Any, type("Words", (), {"meaning": meaning}))
    tally = people.right_words(material, vocabulary, words)
    assert tally == Tally(3, 1, 0, {("four", "i keep it"): 1})


class Scripted:
    """Somebody says the same thing every ten seconds."""

    speech_seconds = 0.0

    def __init__(self, samples: Samples) -> None:
        self._samples = samples

    def pieces(self, seconds: float) -> Iterator[Samples]:
        """Ten seconds each."""
        for _ in range(round(seconds / 10)):
            yield np.concatenate([quiet(5.0), self._samples, quiet(5.0)])[: 10 * RATE]

    def at(self, start: float, end: float) -> str:
        """What it is."""
        assert 0 <= start < end
        return "the same"


def samples_of(text: str) -> Samples:
    return next(clip.samples() for clip in spoken("en") if clip.text == text)


def test_what_a_running_match_does_by_itself_is_counted() -> None:
    spent = evening.spend(Scripted(samples_of("throw")), "en", PLAYERS, 100 / 3600, seed=1)
    assert spent.seconds == 100.0
    heard = {(one.heard, one.said) for one in spent.false}
    assert heard == {("throw", "the same")}
    actions = spent.actions()
    # Where real dice are said, throwing is none; where a question is open, it is no answer.
    assert actions
    assert {one.situation for one in actions} <= set(evening.SITUATIONS) - {"choosing", "asked yes or no"}
    assert 0 < spent.dice_said_seconds < spent.seconds
    machine, said = spent.where(dice_said=False), spent.where(dice_said=True)
    assert machine[0] + said[0] == len(actions)
    assert machine[1] == pytest.approx(3600 * machine[0] / (spent.seconds - spent.dice_said_seconds))
    assert machine[1] > said[1]  # "throw" only calls for the dice where people throw them
    assert spent.an_hour(len(actions)) == pytest.approx(36 * len(actions))


def test_nothing_is_counted_when_nobody_says_anything_of_it() -> None:
    talk = next(clip for clip in clips() if clip.is_talk and clip.language == "en")
    spent = evening.spend(Scripted(talk.samples()), "en", PLAYERS, 60 / 3600, seed=1)
    assert spent.false == []


@pytest.mark.parametrize("spoken_dice", [False, True])
def test_every_situation_opens_what_it_should(spoken_dice: bool) -> None:
    assistant = Assistant(PLAYERS, Options(), "en", Cup(1))
    opened = {}
    for situation in evening.SITUATIONS:
        evening.put(assistant, situation, spoken_dice, now=1.0)
        opened[situation] = assistant.open_commands(), assistant.match.phase
    opens = {situation: commands_ for situation, (commands_, _) in opened.items()}
    assert opened["before the throw"][1] is Phase.BEFORE_THROW
    assert opened["extra round"][1] is Phase.EXTRA
    assert CommandId.STOP in opens["thrown"] & opens["last throw used"]
    assert CommandId.ABORT in opens["last throw used"] - opens["before the throw"]
    assert {CommandId.COUNT_MEX, CommandId.COUNT_PIPS} <= opens["choosing"]
    assert CommandId.YES in opens["asked yes or no"]
    assert CommandId.YES not in opens["thrown"]
    assert (CommandId.DICE in opens["thrown"]) is spoken_dice


def test_a_pause_and_a_question_do_not_outlast_a_situation() -> None:
    from mexvoice.language.command import Command
    from mexvoice.language.understanding import Understood

    assistant = Assistant(PLAYERS, Options(), "en", Cup(1))
    evening.put(assistant, "asked yes or no", False, 1.0)
    evening.put(assistant, "before the throw", False, 2.0)
    assert CommandId.THROW in assistant.open_commands()
    assistant.obey(Understood(Command(CommandId.PAUSE)), 3.0)
    evening.put(assistant, "thrown", False, 4.0)
    assert CommandId.STOP in assistant.open_commands()
