"""``mexvoice doctor``: all that a match by voice needs, tried, one line each, in the language."""

import random
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, TextIO

from mexvoice import portaudio
from mexvoice.errors import MexvoiceError
from mexvoice.hearing import installed
from mexvoice.hearing.source import Microphone, MicrophoneLost
from mexvoice.language import locale as locales
from mexvoice.language.locale import Locale
from mexvoice.language.wording import Wording
from mexvoice.showing.checklist import Checklist
from mexvoice.speaking.player import DevicePlayer, open_player
from mexvoice.speaking.synthesiser import Speech, Synthesiser
from mexvoice.table import audition, inventory
from mexvoice.table.audition import Ear
from mexvoice.table.finding import Finding, Mark

LABELS: Final = ("microphone", "test_word", "speaker", "voice", "model", "data", "versions")


def examine(language: str, device: str | None, data: Path | None, test_word: bool, out: TextIO) -> int:
    """Try everything, print a line for each, and say what to type next.

    Args:
        language: what the match would be played in, and what the lines are written in.
        device: the microphone, its number or a part of its name; None for the default one.
        data: the data folder, if not the usual one.
        test_word: whether somebody is there to say a word.
        out: where to.

    Returns:
        The exit status: 0 if a match can be played by voice in the language, else 1.

    Raises:
        MexvoiceError: if the language is unknown or its file broken.
    """
    doctor = Doctor(locales.load(language), device, data)
    checklist = Checklist(out, doctor.names)
    checklist.say(doctor.say("doctor_begins"))
    with ExitStack() as stack:
        for finding in doctor.findings(checklist, test_word, stack):
            checklist.check(finding.mark, finding.what, finding.text)
    checklist.say(doctor.verdict)
    return 0 if doctor.well else 1


class Doctor:
    """Looks at one thing after the other.

    Args:
        locale: the language of the match, and of what is said about it.
        device: the microphone.
        data: the data folder, if not the usual one.
    """

    def __init__(self, locale: Locale, device: str | None, data: Path | None) -> None:
        self._locale = locale
        self._device = device
        self._data = data
        self._wording = Wording(locale, random.Random(0))
        self.well = True
        """Whether nothing yet stands in the way of a match by voice."""
        data_words = ["--data", str(data)] if data is not None else []
        device_words = ["--device", device] if device is not None else []
        self._options = [*device_words, *data_words]
        self._without_device = shlex.join(["mexvoice", "doctor", "--lang", locale.code, *data_words])
        self._again = shlex.join(["mexvoice", "doctor", "--lang", locale.code, *self._options])
        self._speaker_works = False
        self._speaker_name = ""

    @property
    def names(self) -> list[str]:
        """What is looked at, for the width of a column."""
        names = [self._locale.labels[label] for label in LABELS]
        return names + [
            self._named(label, other) for label in ("voice", "model") for other in self._languages()
        ]

    @property
    def verdict(self) -> str:
        """The last sentence."""
        if not self.well:
            return self.say("doctor_ill", command=self._again)
        players = ",".join(self._locale.players[:3])
        words = ["mexvoice", "play", "--lang", self._locale.code, "--players", players]
        return self.say("doctor_well", command=shlex.join([*words, *self._options]))

    def say(self, key: str, **values: object) -> str:
        """A sentence of the doctor's."""
        return self._wording.say(key, **values)

    def findings(self, checklist: Checklist, test_word: bool, stack: ExitStack) -> Iterator[Finding]:
        """Every finding, as soon as it is there; what must be good for a match and is not makes it ill."""
        portaudio.hush()
        ear = self._ear(self._locale)
        for finding in self._microphone(checklist, ear, test_word):
            yield self._needed(finding)
        synthesiser = stack.enter_context(Synthesiser(self._locale.voice.espeak))
        player = self._player(stack)
        voices = list(self._voices(synthesiser, player))
        yield self._needed(self._speaker(player))
        for other, finding in voices:
            yield self._needed(finding) if other.code == self._locale.code else finding
        for other in self._languages():
            own = other.code == self._locale.code
            finding = self._model(other, ear if own else self._ear(other), synthesiser)
            yield self._needed(finding) if own else finding
        yield self._needed(inventory.data_finding(self._data, self._locale, self._wording))
        for finding in inventory.version_findings(self._locale, self._wording):
            yield self._needed(finding)

    def _needed(self, finding: Finding) -> Finding:
        self.well = self.well and finding.mark is not Mark.BAD
        return finding

    def _finding(self, label: str, mark: Mark, key: str, **values: object) -> Finding:
        return Finding(self._locale.labels[label], mark, self.say(key, **values))

    def _named(self, label: str, other: Locale) -> str:
        return f"{self._locale.labels[label]} ({other.name})"

    def _languages(self) -> list[Locale]:
        """The language of the match, then all others whose files are right."""
        found = [self._locale]
        for code in locales.available():
            if code != self._locale.code:
                try:
                    found.append(locales.load(code))
                except MexvoiceError:
                    continue  # a match in this language does not need it
        return found

    # Hearing

    def _microphone(self, checklist: Checklist, ear: Ear | None, test_word: bool) -> Iterator[Finding]:
        try:
            devices = audition.microphones()
        except MexvoiceError:
            command = inventory.portaudio_command()
            yield self._finding("microphone", Mark.BAD, "doctor_no_portaudio", command=command)
            return
        if not devices:
            yield self._finding("microphone", Mark.BAD, "doctor_no_microphone", command=self._again)
            return
        try:
            microphone = Microphone(self._device)
        except MexvoiceError as error:
            yield self._finding(
                "microphone",
                Mark.BAD,
                "doctor_microphone_fails",
                reason=self._wording.trouble(error).rstrip("."),
                devices=devices,
                command=f"{self._without_device} --device {devices[0].split()[0]}",
            )
            return
        with closing(microphone):
            yield from self._listen(microphone, devices, checklist, ear, test_word)

    def _listen(
        self, microphone: Microphone, devices: list[str], checklist: Checklist, ear: Ear | None, word: bool
    ) -> Iterator[Finding]:
        name = microphone.name
        try:
            with checklist.metering("") as meter:
                loudest = audition.measure(microphone, audition.METER_SECONDS, meter)
            heard = audition.Heard()
            if word and ear is not None:
                with checklist.metering(self.say("doctor_say_word", phrase=ear.example)) as meter:
                    heard = ear.listen(microphone, audition.WORD_SECONDS, meter)
        except MicrophoneLost:
            yield self._finding(
                "microphone", Mark.BAD, "doctor_microphone_dead", device=name, command=self._again
            )
            return
        loudest = max(loudest, heard.loudest)
        if loudest <= audition.SILENT_DB:
            yield self._finding(
                "microphone", Mark.BAD, "doctor_microphone_mute", device=name, devices=devices
            )
        else:
            yield self._finding(
                "microphone", Mark.GOOD, "doctor_microphone_good", device=name, level=f"{loudest:.0f}"
            )
        if ear is not None:
            yield (
                self._word(ear, heard)
                if word
                else self._finding("test_word", Mark.NOTE, "doctor_word_skipped", command=self._again)
            )

    def _word(self, ear: Ear, heard: audition.Heard) -> Finding:
        if heard.word:
            return self._finding("test_word", Mark.GOOD, "doctor_word_heard", phrase=heard.word)
        if heard.other:
            return self._finding(
                "test_word",
                Mark.BAD,
                "doctor_word_wrong",
                heard=heard.other,
                phrase=ear.example,
                command=self._again,
            )
        seconds = audition.WORD_SECONDS
        return self._finding(
            "test_word", Mark.BAD, "doctor_word_missed", seconds=seconds, command=self._again
        )

    # Speaking

    def _player(self, stack: ExitStack) -> DevicePlayer | None:
        try:
            player = stack.enter_context(closing(open_player()))
            self._speaker_name = player.check()
        except MexvoiceError:
            return None
        return player

    def _speaker(self, player: DevicePlayer | None) -> Finding:
        if self._speaker_works:
            return self._finding("speaker", Mark.GOOD, "doctor_speaker_good", device=self._speaker_name)
        key = "doctor_no_speaker" if player is None else "doctor_speaker_fails"
        return self._finding("speaker", Mark.BAD, key, command=self._again)

    def _voices(
        self, synthesiser: Synthesiser, player: DevicePlayer | None
    ) -> Iterator[tuple[Locale, Finding]]:
        """A sentence in each language, spoken aloud where there is a speaker."""
        works = player is not None
        for other in self._languages():
            what = self._named("voice", other)
            voice = audition.voice_of(synthesiser, other)
            speech: Speech | None = None
            if voice is not None:
                text = Wording(other, random.Random(0)).say("language_changed")
                speech = audition.speak(synthesiser, other, text)
            if speech is None:
                text = self.say("doctor_voice_missing", command=inventory.espeak_command())
                yield other, Finding(what, Mark.BAD, text)
                continue
            if works and player is not None:
                works = self._speaker_works = audition.play(player, speech)
            yield other, Finding(what, Mark.GOOD, self.say("doctor_voice_good", voice=voice))

    # Models

    def _ear(self, locale: Locale) -> Ear | None:
        try:
            return Ear(locale, self._data)
        except MexvoiceError:
            return None

    def _model(self, other: Locale, ear: Ear | None, synthesiser: Synthesiser) -> Finding:
        what = self._named("model", other)
        if ear is None:
            is_installed = installed.find(other.code, self._data) is not None
            command = f"mexvoice models install {other.code}"
            if not is_installed:
                command = "pip install --force-reinstall mexvoice"
            return Finding(what, Mark.BAD, self.say("doctor_model_broken", command=command))
        if not ear.playable:
            command = f"mexvoice models remove {other.code}"
            return Finding(what, Mark.BAD, self.say("doctor_model_mute", command=command))
        try:
            understood = ear.understands(synthesiser, other)
        except MexvoiceError:
            return Finding(what, Mark.NOTE, self.say("doctor_model_untried"))
        if not understood:
            return Finding(what, Mark.NOTE, self.say("doctor_model_loads"))
        if ear.installed is not None:
            text = self.say("doctor_model_installed", model=ear.installed_name)
            return Finding(what, Mark.GOOD, text)
        return Finding(what, Mark.GOOD, self.say("doctor_model_good"))
