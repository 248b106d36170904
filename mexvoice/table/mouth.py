"""The assistant's voice: the announcer and its synthesiser, in the language spoken now."""

from contextlib import ExitStack

from mexvoice.errors import MexvoiceError
from mexvoice.showing.display import Display
from mexvoice.speaking.announcer import Announcer
from mexvoice.speaking.output import Output
from mexvoice.speaking.synthesiser import Synthesiser, Voice
from mexvoice.table.assistant import Assistant


class Mouth:
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
        try:
            if synthesiser.has_voice(voice.espeak, voice.languages):
                return
        except MexvoiceError as error:  # it may yet work: every announcement tries
            self._display.notice(self._assistant.wording.trouble(error))
            return
        self._display.notice(self._assistant.wording.say("no_voice"))

    def _trouble(self, error: MexvoiceError | None) -> None:
        if error is not None:
            self._display.notice(self._assistant.wording.say("no_speaker"))
            self._display.notice(self._assistant.wording.trouble(error))
