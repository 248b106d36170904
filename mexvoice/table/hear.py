"""``mexvoice hear``: what is said in sound files, and which command that is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import click

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.guards import STRICT, TOLERANT, Guards
from mexvoice.hearing.model import Model, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.source import AudioFile
from mexvoice.hearing.utterance import Utterance
from mexvoice.language import locale as locales
from mexvoice.language.command import Command, CommandId
from mexvoice.language.house import with_phrases
from mexvoice.language.locale import Locale
from mexvoice.language.understanding import Ambiguous, Understanding, Understood
from mexvoice.showing.lettering import visible
from mexvoice.table.jsonline import json_text

LEAD_SECONDS = 0.5
"""Faint noise before each file, so that a word cut tightly has a beginning; no time is counted for it."""

TAIL_SECONDS = 0.8
"""The same after it, enough for the recogniser to end the last utterance."""

_PHRASES_NAMED = 8
"""So many of the phrases that a model lacks are named."""

SEATS = tuple(str(number) for number in range(1, 9))
"""Who is at the table when nobody is: the seats, by number."""


@dataclass(frozen=True)
class _Ear:
    """All that hearing takes, whatever the file."""

    model: Model
    grammar: Grammar
    guards: Guards
    understanding: Understanding
    given: dict[str, str]
    """Words as they were given, by the form in which the model has them."""


def hear_files(
    files: Sequence[Path],
    language: str,
    words: Sequence[str] | None,
    as_json: bool,
    model_dir: Path | None,
    out: TextIO,
    err: TextIO,
    phrases: Path | None = None,
) -> int:
    """Print every utterance in the files: where it begins and ends in seconds, its text, and its command.

    Args:
        files: sound files.
        language: code of the language spoken.
        words: hear these words only, alone or several in a row, to judge the model; None for all phrases.
        as_json: one object a line (file, start, end, text, command; dice, player or language when the command
            has them) instead of text for people.
        model_dir: a Vosk model to use instead of the shipped one.
        out: where the utterances go.
        err: where sentences about files and missing words go.
        phrases: a file of the house's own phrases, heard besides those of the language.

    Returns:
        The exit status: 0, or 2 when a file could not be heard (the others are).

    Raises:
        MexvoiceError: when the language or the model is wrong, or the model knows none of the words.
    """
    if words is not None and phrases is not None:
        raise MexvoiceError("--words hears nothing but these words: leave out --phrases, or --words.")
    locale = locales.load(language)
    if phrases is not None:
        locale = with_phrases(locale, phrases)
    ear = _every_phrase(locale, model_dir) if words is None else _these_words(locale, words, model_dir)
    _report_missing(ear, err)
    status = 0
    for file in files:
        try:
            for utterance in _utterances(file, ear):
                print(_line(file, utterance, ear, as_json, out), file=out, flush=True)
        except MexvoiceError as error:
            out.flush()  # both may go to one terminal
            print(f"mexvoice: {visible(str(error))}", file=err)
            status = 2
    return status


def _every_phrase(locale: Locale, model_dir: Path | None) -> _Ear:
    """Hear every phrase of a language, as at a table where no one has a name."""
    understanding = Understanding(locale, SEATS)
    book = understanding.book
    # The seats' numbers are said as words; as digits they would be phrases of their own.
    phrases = [text for text in book.phrases() if not any(letter.isdigit() for letter in text)]
    every = [*phrases, *book.decoys, *book.fillers]
    model = model_for(locale.code, model_dir, every, locale.pronounce)
    meanings = {phrase: book.commands.get(book.normalise(phrase)) for phrase in phrases}
    grammar = Grammar(phrases, book.decoys, book.fillers, meanings=meanings, alikes=book.alikes)
    return _Ear(model, grammar, STRICT, understanding, {})


def _these_words(locale: Locale, words: Sequence[str], model_dir: Path | None) -> _Ear:
    """Hear some words only."""
    lowered = {word.lower(): word for word in words}
    model = model_for(locale.code, model_dir, lowered, locale.pronounce)
    # A model of somebody else may have capitals in its words.
    given = {
        word if model.missing([low]) and not model.missing([word]) else low: word
        for low, word in lowered.items()
    }
    return _Ear(model, Grammar(tuple(given), sequences=True), TOLERANT, Understanding(locale, SEATS), given)


def _report_missing(ear: _Ear, err: TextIO) -> None:
    # Words whose sound-alikes the model has are heard.
    missing = ear.model.missing(ear.grammar.fit(ear.model).dropped)
    if missing:
        shown = missing if ear.given else missing[:_PHRASES_NAMED]  # words were asked for, each of them
        more = f" and {len(missing) - len(shown)} more" if len(shown) < len(missing) else ""
        named = ", ".join(ear.given.get(word, word) for word in shown) + more
        sentence = f"The model {ear.model.path} lacks {named}: nothing with it will be heard."
        print(f"mexvoice: {visible(sentence)}", file=err)


def _utterances(file: Path, ear: _Ear) -> Iterator[Utterance]:
    """What is said in one file."""
    source = AudioFile(file, lead=LEAD_SECONDS, tail=TAIL_SECONDS)
    recogniser = Recogniser(ear.model, ear.grammar, guards=ear.guards)
    try:
        for block in source:
            yield from recogniser.accept(block.pcm)
        yield from recogniser.flush()
    finally:
        source.close()


def _line(file: Path, utterance: Utterance, ear: _Ear, as_json: bool, out: TextIO) -> str:
    start = max(0.0, utterance.start - LEAD_SECONDS)
    end = max(start, utterance.end - LEAD_SECONDS)
    text = _text(utterance, ear)
    command = _command(utterance.text, ear.understanding)
    if as_json:
        fields: dict[str, Any] = {"file": str(file), "start": round(start, 2), "end": round(end, 2)}
        fields |= {"text": text, "command": None if command is None else str(command.id)}
        fields |= _slots(command)
        return json_text(fields, out)
    name = visible(click.format_filename(file))
    said = f'"{text}"' if text else "(speech)"
    # What comes out of the grammar but does not count is worth knowing for who wonders why.
    why = f" ({utterance.reason})" if text and utterance.reason else ""
    slots = "".join(f" {value}" for value in _slots(command).values())
    return f"{name}  {start:.2f}-{end:.2f}  {said}  {'-' if command is None else command.id}{slots}{why}"


def _text(utterance: Utterance, ear: _Ear) -> str:
    if not ear.given:
        return utterance.text or utterance.heard
    return ear.given.get(utterance.text) or " ".join(
        ear.given.get(word, word) for word in utterance.text.split()
    )


def _command(text: str, understanding: Understanding) -> Command | None:
    """The command a phrase is; the first, when it depends on the state of a match."""
    outcome = understanding.hear(text, frozenset(CommandId))
    if isinstance(outcome, Understood):
        return outcome.command
    return outcome.commands[0] if isinstance(outcome, Ambiguous) else None


def _slots(command: Command | None) -> dict[str, Any]:
    """What fills the slots of a command, as far as it has any."""
    if command is None:
        return {}
    slots = {
        "dice": None if command.dice is None else list(command.dice),
        "player": command.player,
        "language": command.language,
    }
    return {name: value for name, value in slots.items() if value is not None}
