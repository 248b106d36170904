"""Setting the table: what ``play`` and ``demo`` need, built from their options; fallbacks are announced."""

import random
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from mexvoice import portaudio
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.echo import EchoCanceller, FarEnd, WithoutEcho
from mexvoice.hearing.source import AudioFile, Microphone
from mexvoice.language.house import with_phrases
from mexvoice.language.locale import Locale
from mexvoice.language.locale import load as load_locale
from mexvoice.language.wording import Wording
from mexvoice.rules import Match, Options, Penalty, RulesError
from mexvoice.showing.display import Display
from mexvoice.showing.plain import choose_display
from mexvoice.speaking.output import Output
from mexvoice.speaking.player import DevicePlayer, open_player
from mexvoice.speaking.tape import Tape, check_path
from mexvoice.table.assistant import Assistant, DiceMode
from mexvoice.table.attention import Listening, attention
from mexvoice.table.chronicle import Chronicle
from mexvoice.table.cup import Cup
from mexvoice.table.demo import Players
from mexvoice.table.ears import Listener, Source
from mexvoice.table.effect import Effect, Say
from mexvoice.table.interruption import Interruption
from mexvoice.table.keeper import Keeper, Unkept
from mexvoice.table.likeness import house_notices, seat_hints
from mexvoice.table.mouth import Mouth
from mexvoice.table.session import Session

FALLBACK_LANGUAGE = "en"
"""Spoken where the record of a match does not tell."""

RANDOM = "random"
"""What ``--starter`` takes instead of a name."""

SHOWN = 8
"""How many missing phrases are named."""

FILE_TAIL_SECONDS = 1.0
"""Quiet after a sound file, so that its last utterance has an end."""


@dataclass(frozen=True)
class Place:
    """Where and how a match is played, whatever match it is: options of ``play`` and ``resume``."""

    model: Path | None
    audio: Path | None
    typed: bool
    device: str | None
    mute: bool
    plain: bool
    data: Path | None
    unkept: bool
    phrases: Path | None = None
    """A file of the house's own phrases."""
    listen: str = Listening.OPEN
    """When what is said counts."""
    headphones: bool = False
    """Whether nobody but the players hears what is said to them."""
    echo_cancel: bool = False
    """Whether what is said is taken out of what the microphone hears."""

    @property
    def interruption(self) -> Interruption:
        """What is listened to while the assistant speaks."""
        if self.headphones:
            return Interruption.HEADPHONES
        return Interruption.CANCELLER if self.echo_cancel else Interruption.NONE


@dataclass(frozen=True)
class Settings:
    """What match is played: the options of ``mexvoice play``, as on the command line."""

    language: str
    players: tuple[str, ...] | None
    lives: int
    max_throws: int
    starter: str | None
    penalty: str
    dice: str
    seed: int | None


def play(settings: Settings, place: Place) -> int:
    """Play a match at the table; the exit status.

    Raises:
        MexvoiceError: for players, options or files that make no match.
    """
    if not settings.players:
        raise MexvoiceError("Nobody plays yet: name at least two players, like --players Anna,Ben,Cleo.")
    cup = Cup(settings.seed)
    options = _options(settings, settings.players, cup)
    load = _house_loader(settings.language, place)
    with ExitStack() as stack:
        table = _Table(place, load(settings.language), stack)
        assistant = Assistant(
            settings.players,
            options,
            settings.language,
            cup,
            DiceMode(settings.dice),
            seed=cup.seed,
            load=load,
            keeper=table.keeper,
        )
        return table.run(assistant, assistant.begin)


def resume(number: int | None, language: str | None, place: Place) -> int:
    """Go on with a match on record, where it stopped; the exit status.

    Args:
        number: of the match; None for the one that was at the table last.
        language: code of the language to speak from now on; None for the one spoken last.

    Raises:
        MexvoiceError: if there is no such match.
    """
    with ExitStack() as stack:
        table = _Table(place, load_locale(language or FALLBACK_LANGUAGE), stack)
        if not isinstance(table.keeper, Chronicle):
            raise MexvoiceError("A match that is resumed is on record: leave out --unkept.")
        kept = table.keeper.resume(number)
        spoken = language or kept.language or FALLBACK_LANGUAGE
        assistant = Assistant(
            kept.match.players,
            kept.match.options,
            spoken,
            kept.cup,
            kept.dice,
            seed=kept.cup.seed,
            load=_house_loader(spoken, place),
            keeper=table.keeper,
        )
        table.keeper.speak(assistant.locale.code)
        return table.run(assistant, lambda: assistant.go_on(kept.match))


def _house_loader(language: str, place: Place) -> Callable[[str], Locale]:
    """Loads languages, the one of the start with the house's own phrases, which are in no other.

    Raises:
        MexvoiceError: if there are phrases, and they are wrong.
    """
    if place.phrases is None:
        return load_locale
    extended = with_phrases(load_locale(language), place.phrases)
    return lambda code: extended if code == language else load_locale(code)


class _Table:
    """A display, a record, ears and a mouth for one match.

    Raises:
        MexvoiceError: for a file that is no sound, or a record that cannot be used.
    """

    def __init__(self, place: Place, locale: Locale, stack: ExitStack) -> None:
        if place.typed and place.audio:
            raise MexvoiceError("A match is typed or heard from a file: choose one of --typed and --audio.")
        if place.listen == Listening.KEY and (place.typed or place.audio):
            raise MexvoiceError("A key opens the microphone: leave out --listen key, or --typed and --audio.")
        if place.headphones and place.echo_cancel:
            raise MexvoiceError("Headphones bring no echo: choose one of --headphones and --echo-cancel.")
        self._place = place
        self._stack = stack
        self._wording = Wording(locale, random.Random())
        self._assistant: Assistant | None = None
        self._far = FarEnd() if place.echo_cancel else None
        self._canceller = EchoCanceller(self._far) if self._far is not None else None
        portaudio.hush()
        self._audio: AudioFile | None = None
        if place.audio:
            self._audio = stack.enter_context(closing(AudioFile(place.audio, tail=FILE_TAIL_SECONDS)))
        self._display = choose_display(locale.labels, place.plain, place.typed, read=self._audio is None)
        self.keeper: Keeper = Unkept()
        if not place.unkept:
            self.keeper = stack.enter_context(Chronicle(place.data, self._tell))

    def run(self, assistant: Assistant, opening: Callable[[], list[Effect]]) -> int:
        """Play; the exit status."""
        place, display = self._place, self._display
        self._assistant = assistant
        listener = None
        if not place.typed:
            # The model comes first: who waits for it must not lose the first sound.
            listener = Listener(
                assistant,
                place.model,
                lambda missing: _tell_missing(display, assistant, missing),
                called=place.listen == Listening.CALL,
            )
        # A speaker that is not there yet is missed by the first announcement, and found by a later one.
        told = self._far.played if self._far is not None else None
        output = None if place.mute else _speaker(display, assistant, lambda: DevicePlayer(on_sound=told))
        mouth = Mouth(assistant, display, output, self._stack)

        def hints() -> list[Effect]:
            if not listener:
                return [Say(assistant.wording.say("typed_hint"))]
            if place.phrases is not None:
                for notice in house_notices(assistant, load_locale(assistant.locale.code)):
                    display.notice(notice)
            return [*seat_hints(assistant), *_listening_hints(place, assistant, display)]

        session = Session(
            assistant,
            display,
            mouth.announcer,
            listener,
            self._sound(),
            echo=self._audio is None,
            switch_voice=mouth.switch,
            opening=lambda: [*opening(), *hints()],
            attention=attention(Listening(place.listen)),
            interruption=place.interruption,
        )
        talk = session.talk if place.listen == Listening.KEY else None
        return display.run(session.type, session.key, session.run, session.leave, talk)

    def _tell(self, trouble: MexvoiceError) -> None:
        """Show what is the matter with the record, in the language spoken now."""
        wording = self._wording if self._assistant is None else self._assistant.wording
        self._display.notice(wording.trouble(trouble))

    def _sound(self) -> Callable[[], Source] | None:
        audio, device, canceller = self._audio, self._place.device, self._canceller
        if audio is not None:
            return lambda: audio
        if self._place.typed:
            return None
        if canceller is None:
            return lambda: Microphone(device)
        return lambda: WithoutEcho(Microphone(device), canceller)


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
    portaudio.hush()
    cup = Cup(seed)
    locale = load_locale(language)
    players = tuple(locale.players[:3])
    assistant = Assistant(players, Options(lives=lives), language, cup, seed=cup.seed)
    with ExitStack() as stack:
        display = choose_display(locale.labels, plain, read=False)
        through = None if fast or mute else _speaker(display, assistant, open_player)
        tape = stack.enter_context(closing(Tape(through)))
        voice = Mouth(assistant, display, tape, stack)
        if voice.synthesiser is None:
            raise MexvoiceError("The demo needs a voice, and there is none: install espeak-ng.")
        crowd = Players(assistant, voice.synthesiser, tape.play, lambda line: session.type(line), cup.seed)
        listener = Listener(assistant, model, lambda missing: _tell_missing(display, assistant, missing))
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
        counts = {"spoken": crowd.spoken, "heard": crowd.heard_at_once, "missed": crowd.typed}
        display.notice(assistant.wording.say("demo_over", **counts))
        if record is not None:
            tape.save(record)
            seconds = round(tape.seconds)
            display.notice(assistant.wording.say("recorded", seconds=seconds, file=str(record)))
        return status


def _options(settings: Settings, players: tuple[str, ...], cup: Cup) -> Options:
    """The options of a match these people can play.

    Raises:
        MexvoiceError: if they cannot.
    """
    starter = settings.starter
    if starter is not None and starter.casefold() == RANDOM:
        starter = random.Random(cup.seed).choice(players)
    try:
        options = Options(settings.lives, settings.max_throws, starter, Penalty(settings.penalty))
        Match(players, options)
    except RulesError as error:
        raise MexvoiceError(f"These people cannot play: {error}") from error
    return options


def _listening_hints(place: Place, assistant: Assistant, display: Display) -> list[Effect]:
    """What to do before one speaks, said at the beginning."""
    if place.listen == Listening.KEY:
        return [Say(f"{assistant.locale.labels[display.talk_hint]}.")]
    if place.listen == Listening.CALL:
        call, phrase = assistant.locale.call[0], assistant.can_say()[0]
        return [Say(assistant.wording.say("call_hint", call=call, phrase=phrase))]
    return []


def _speaker(display: Display, assistant: Assistant, find: Callable[[], Output]) -> Output | None:
    try:
        return find()
    except MexvoiceError as error:
        display.notice(assistant.wording.trouble(error))
        return None


def _tell_missing(display: Display, assistant: Assistant, missing: tuple[str, ...]) -> None:
    shown = [*missing[:SHOWN], *(["…"] if len(missing) > SHOWN else [])]
    display.notice(assistant.wording.say("phrases_lost", number=len(missing), phrases=shown))
