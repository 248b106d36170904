"""Table talk that is nearly a command, every phrase of the language open."""

from functools import cache

import pytest

from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.model import BUILTIN, Model, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.language import locale as locales
from mexvoice.language.phrasebook import PhraseBook
from tests.hearing.clips import Clip, clips, in_room
from tests.hearing.conftest import PLAYERS, hear

OBEYED = {"en-talk-whats_the_story_here"}
"""Taken for commands all the same ("what's the score"). A clip that is left alone has to leave the list."""

TALK = [
    pytest.param(clip, marks=[pytest.mark.xfail(strict=True)] if clip.name in OBEYED else [], id=clip.name)
    for clip in clips()
    if clip.is_talk
]


@cache
def everything(language: str) -> tuple[Model, Grammar]:
    """All that can be said in a match of four, and a model of it."""
    locale = locales.load(language)
    book = PhraseBook(locale, PLAYERS)
    phrases = [text for text in book.phrases() if not any(letter.isdigit() for letter in text)]
    meanings = {phrase: book.commands.get(book.normalise(phrase)) for phrase in phrases}
    grammar = Grammar(phrases, book.decoys, book.fillers, meanings=meanings)
    model = model_for(language, BUILTIN, [*phrases, *book.decoys, *book.fillers], locale.pronounce)
    return model, grammar


@pytest.mark.parametrize("clip", TALK)
def test_it_is_left_alone(clip: Clip) -> None:
    """Though no talk has been heard before it, so that little certainty is asked for."""
    heard = hear(Recogniser(*everything(clip.language)), in_room(clip.samples(), 0.6, 1.0))
    assert heard, "it was not even noticed"
    assert [utterance.text for utterance in heard if utterance.text] == []
