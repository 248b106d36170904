"""Setting the table: what ``play`` and ``demo`` need, built from their options; fallbacks are announced."""

import random
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.source import AudioFile, Microphone
from mexvoice.language.locale import load as load_locale
from mexvoice.rules import Options, Penalty, RulesError
from mexvoice.speaking.announcer import Announcer
from mexvoice.speaking.output import Output
from mexvoice.speaking.player import open_player
from mexvoice.speaking.synthesiser import Synthesiser, Voice
from mexvoice.speaking.tape import Tape, check_path
from mexvoice.table.assistant import Assistant, DiceMode
from mexvoice.table.cup import Cup
from mexvoice.table.demo import Players
from mexvoice.table.display import Display
from mexvoice.table.ears import Listener, Source
from mexvoice.table.plain import choose_display
from mexvoice.table.session import Session

RANDOM = "random"
"""What ``--starter`` takes instead of a name."""

SHOWN = 8
"""How many missing phrases are named."""

FILE_TAIL_SECONDS = 1.0
"""Quiet after a sound file, so that its last utterance has an end."""


@dataclass(frozen=True)
class Settings:
    """The options of ``mexvoice play``, as on the command line."""

    language: str
    players: tuple[str, ...] | None
    lives: int
    max_throws: int
    starter: str | None
    penalty: str
    dice: str
    seed: int | None
    model: Path | None
    audio: Path | None
    typed: bool
    device: str | None
    mute: bool
    plain: bool


def play(settings: Settings) -> int:
    """Play a match at the table; the exit status.

    Raises:
        MexvoiceError: for players, options or files that make no match.
    """
    if not settings.players:
        raise MexvoiceError("Nobody plays yet: name at least two players, like --players Anna,Ben,Cleo.")
    if settings.typed and settings.audio:
        raise MexvoiceError("A match is typed or heard from a file: choose one of --typed and --audio.")
    cup = Cup(settings.seed)
    assistant = _assistant(settings, settings.players, cup)
    with ExitStack() as stack:
        # A file that is no sound is refused before anything begins.
        audio = None
        if settings.audio:
            audio = stack.enter_context(closing(AudioFile(settings.audio, tail=FILE_TAIL_SECONDS)))
        labels = assistant.locale.labels
        display = choose_display(labels, settings.plain, settings.typed, read=audio is None)
        speaker = None if settings.mute else _speaker(display)
        voice = _Mouth(assistant, display, speaker, stack)
        listener = None
        open_source: Callable[[], Source] | None = None
        if audio is not None:
            sound = audio
            open_source = lambda: sound  # noqa: E731
        elif not settings.typed:
            open_source = lambda: Microphone(settings.device)  # noqa: E731
        if open_source is not None:
            listener = Listener(assistant, settings.model, lambda missing: _tell_missing(display, missing))
        session = Session(
            assistant,
            display,
            voice.announcer,
            listener,
            open_source,
            echo=audio is None,
            switch_voice=voice.switch,
        )
        return display.run(session.type, session.key, session.run, session.leave)


def demo(
    language: str,
    model: Path | None,
    seed: int | None,
    plain: bool,
    mute: bool,
    record: Path | None,
    lives: int,
    fast: bool,
) -> int:
    """Let synthetic players play a short match by voice; the exit status.

    Args:
        record: a sound file to write the whole conversation to.
        fast: do not play the sound on a speaker, which takes as long as people take to speak.

    Raises:
        MexvoiceError: if there is no voice for the language, or the recording cannot be written.
    """
    if record is not None:
        check_path(record)
    cup = Cup(seed)
    locale = load_locale(language)
    players = tuple(locale.players[:3])
    assistant = Assistant(players, Options(lives=lives), language, cup, seed=cup.seed)
    with ExitStack() as stack:
        display = choose_display(locale.labels, plain, read=False)
        through = None if fast or mute else _speaker(display)
        tape = stack.enter_context(closing(Tape(through)))
        voice = _Mouth(assistant, display, tape, stack)
        if voice.synthesiser is None:
            raise MexvoiceError("The demo needs a voice, and there is none: install espeak-ng.")
        crowd = Players(assistant, voice.synthesiser, tape.play, lambda line: session.type(line), cup.seed)
        listener = Listener(assistant, model, lambda missing: _tell_missing(display, missing))
        session = Session(
            assistant,
            display,
            voice.announcer,
            listener,
            lambda: crowd,
            echo=False,
            switch_voice=voice.switch,
        )
        status = display.run(session.type, session.key, session.run, session.leave)
        display.notice(
            f"{crowd.spoken} commands spoken, {crowd.heard_at_once} heard at once, {crowd.typed} never heard."
        )
        if record is not None:
            tape.save(record)
            display.notice(f"{tape.seconds:.0f} s of conversation are in {record}.")
        return status


class _Mouth:
    """The announcer with its synthesiser, in the voice of the language the assistant speaks now."""

    def __init__(
        self, assistant: Assistant, display: Display, output: Output | None, stack: ExitStack
    ) -> None:
        self._assistant = assistant
        self._display = display
        self.synthesiser: Synthesiser | None = None
        if output is not None:
            self.synthesiser = stack.enter_context(Synthesiser(self._voice()))
            self._check(self.synthesiser)
        self.announcer = stack.enter_context(
            Announcer(self.synthesiser, output, display.said, on_trouble=self._trouble)
        )

    def switch(self) -> None:
        """Speak in the voice of the assistant's language from now on."""
        if self.synthesiser is not None:
            self.synthesiser.voice = self._voice()
            self._check(self.synthesiser)

    def _voice(self) -> Voice:
        voice = self._assistant.locale.voice
        return Voice(voice.espeak, tuple(voice.languages), voice.rate)

    def _check(self, synthesiser: Synthesiser) -> None:
        voice = self._voice()
        if not synthesiser.has_voice(voice.espeak, voice.languages):
            name = self._assistant.locale.name
            self._display.notice(f"This machine has no voice for {name}: announcements are only written.")

    def _trouble(self, error: MexvoiceError | None) -> None:
        if error is not None:
            self._display.notice(self._assistant.wording.say("no_speaker"))
            self._display.notice(str(error))


def _assistant(settings: Settings, players: tuple[str, ...], cup: Cup) -> Assistant:
    starter = settings.starter
    if starter is not None and starter.casefold() == RANDOM:
        starter = random.Random(cup.seed).choice(players)
    try:
        options = Options(
            lives=settings.lives,
            max_throws=settings.max_throws,
            starter=starter,
            penalty=Penalty(settings.penalty),
        )
        return Assistant(players, options, settings.language, cup, DiceMode(settings.dice), seed=cup.seed)
    except RulesError as error:
        raise MexvoiceError(f"These people cannot play: {error}") from error


def _speaker(display: Display) -> Output | None:
    try:
        return open_player()
    except MexvoiceError as error:
        display.notice(str(error))
        return None


def _tell_missing(display: Display, missing: tuple[str, ...]) -> None:
    shown = ", ".join(missing[:SHOWN]) + (", ..." if len(missing) > SHOWN else "")
    display.notice(f"The model cannot hear {len(missing)} of the phrases: {shown}")
