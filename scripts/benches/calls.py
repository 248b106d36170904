"""What a call word costs and what it saves: commands heard and table talk obeyed, with it and without it.

Said by espeak variants; the talk is that of ``tests/language/data``, one sentence every few seconds.
"""

import random
from collections.abc import Iterator, Sequence

import click
import numpy as np
import soxr
import yaml

from mexvoice.hearing.utterance import Utterance
from mexvoice.language import locale as locales
from mexvoice.language.command import CommandId
from mexvoice.rules import Options
from mexvoice.speaking.synthesiser import Synthesiser, Voice
from mexvoice.table.assistant import Assistant
from mexvoice.table.attention import CALL_SECONDS
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from tests.hearing.clips import RATE, Samples, clips, room
from tests.language.tables import DATA

_VARIANTS = ("f2", "m3", "f4", "m7", "f5", "m1")
_BLOCK = RATE // 20


class Table:
    """Ears of a table somebody has thrown at once, with or without call words."""

    def __init__(self, language: str, called: bool) -> None:
        self.assistant = Assistant(locales.load(language).players[:3], Options(), language, Cup(1))
        self.assistant.begin()
        throw = self.assistant.understanding.hear(
            self.assistant.understanding.book.example(CommandId.THROW), self.assistant.open_commands()
        )
        self.assistant.obey(throw, 0.0)
        self.listener = Listener(self.assistant, None, lambda _: None, called=called)
        self._called = called
        self._until = 0.0

    def obeyed(self, samples: Samples) -> list[str]:
        """The phrases in some sound that would be obeyed."""
        sound = np.concatenate([room(0.7), samples, room(1.2)])
        heard = (
            utterance
            for at in range(0, len(sound), _BLOCK)
            for utterance in self.listener.accept(sound[at : at + _BLOCK].tobytes())
        )
        return [utterance.text for utterance in heard if self._counts(utterance)]

    def _counts(self, utterance: Utterance) -> bool:
        if utterance.call and not utterance.heard:
            self._until = utterance.end + CALL_SECONDS
            return False
        if not utterance.text:
            return False
        counts = not self._called or bool(utterance.call) or utterance.start <= self._until
        if counts:
            self._until = 0.0
        return counts


@click.command()
@click.option("--lang", "languages", multiple=True, default=("en", "fr", "de", "ru"), show_default=True)
@click.option("--commands", default=40, show_default=True, help="Commands a language and way to speak.")
@click.option("--talk", default=120, show_default=True, help="Sentences of table talk.")
def command(languages: tuple[str, ...], commands: int, talk: int) -> None:
    """Compare --listen call with --listen open."""
    for language in languages:
        for line in _compare(language, commands, talk):
            click.echo(f"{language}: {line}")


def _compare(language: str, commands: int, talk: int) -> Iterator[str]:
    choice = random.Random(1)
    locale = locales.load(language)
    tables = {"open": Table(language, False), "call": Table(language, True)}
    book = tables["open"].assistant.understanding.book
    phrases = book.phrases(tables["open"].assistant.open_commands())
    spoken = [phrase for phrase in phrases if not any(letter.isdigit() for letter in phrase)]
    with Synthesiser(Voice(locale.voice.espeak, tuple(locale.voice.languages), 150)) as synthesiser:

        def say(text: str) -> Samples:
            voice = f"{locale.voice.espeak}+{choice.choice(_VARIANTS)}"
            speech = synthesiser.render(text, voice=voice)
            sound = soxr.resample(speech.samples.astype(np.float32), speech.rate, RATE) * 0.5
            samples: Samples = np.clip(sound, -32768, 32767).astype(np.int16)
            return samples

        said = [choice.choice(spoken) for _ in range(commands)]
        plain = [(phrase, say(phrase)) for phrase in said]
        called = [(phrase, say(f"{choice.choice(locale.call)}, {phrase}")) for phrase in said]
        yield f"open: {_right(tables['open'], plain)} of {commands} commands heard"
        yield f"call: {_right(tables['call'], called)} of {commands} commands heard"
        unmeant = sum(bool(tables["call"].obeyed(samples)) for _, samples in plain)
        yield f"call: {unmeant} of {commands} commands obeyed without a call word"
        sentences = yaml.safe_load((DATA / f"{language}.yaml").read_text("utf-8"))["talk"]
        chatter = [say(choice.choice(sentences)) for _ in range(talk)]
    chatter += [clip.samples() for clip in clips() if clip.language == language and clip.is_talk]
    minutes = sum(len(samples) / RATE + 1.9 for samples in chatter) / 60
    for name, table in tables.items():
        obeyed = [text for samples in chatter for text in table.obeyed(samples)]
        yield f"{name}: {len(obeyed)} obeyed in {minutes:.1f} minutes of talk {obeyed[:5] or ''}"


def _right(table: Table, said: Sequence[tuple[str, Samples]]) -> int:
    return sum(phrase in table.obeyed(samples) for phrase, samples in said)
