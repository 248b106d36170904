"""A match at the table: what is heard or typed goes to the assistant, what it answers is said and shown."""

import queue
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.source import Block
from mexvoice.hearing.utterance import Utterance
from mexvoice.language.understanding import Outcome, Understood
from mexvoice.showing.display import Display, Ear, Verdict
from mexvoice.speaking.announcer import TAIL_SECONDS
from mexvoice.table.assistant import Assistant
from mexvoice.table.attention import Attention, Listening
from mexvoice.table.ears import Listener, Source
from mexvoice.table.effect import Cut, Effect, Leave, Say, Switch
from mexvoice.table.interruption import Interruption
from mexvoice.table.scoreboard import view_of

BLOCK_SECONDS = 0.1
"""How long to wait for sound before looking at the keyboard again."""

TELL_SECONDS = 10.0
"""How often it is told at most that sound was lost."""

REOPEN_SECONDS = 3.0
"""How often a lost microphone is looked for."""

GOODBYE_SECONDS = 30.0
"""How long the last announcement may take."""


class Voice(Protocol):
    """What the session needs of an announcer."""

    @property
    def speaking(self) -> bool:
        """Whether something is being said or waits to be said."""

    @property
    def deaf_until(self) -> float:
        """The monotonic time until which the assistant must not listen."""

    def say(self, text: str) -> None:
        """Say ``text`` after what waits already; returns at once."""

    def cut(self) -> None:
        """Stop the sound now and drop what waits."""

    def wait(self, timeout: float) -> bool:
        """Wait until all is said; False when ``timeout`` seconds were not enough."""


class Session:
    """Runs a match until somebody quits.

    Everything happens in the one thread that calls ``run``; typed lines, keys and leaving may come
    from others.

    Args:
        listener: None for a match that is only typed.
        open_source: opens the sound (again, after it was lost); needed with a listener.
        echo: whether the source may hear the announcer (a microphone does, a file does not). Without
            it the announcer is waited for instead of not listened to.
        switch_voice: makes the announcer speak the language the assistant speaks now.
        opening: begins the evening, if not a new match does.
        attention: when what is said counts; always by default.
        interruption: what is listened to while the announcer speaks.
    """

    def __init__(
        self,
        assistant: Assistant,
        display: Display,
        voice: Voice,
        listener: Listener | None = None,
        open_source: Callable[[], Source] | None = None,
        echo: bool = True,
        switch_voice: Callable[[], None] = lambda: None,
        opening: Callable[[], list[Effect]] | None = None,
        clock: Callable[[], float] = time.monotonic,
        attention: Attention | None = None,
        interruption: Interruption = Interruption.NONE,
    ) -> None:
        self._assistant = assistant
        self._display = display
        self._voice = voice
        self._listener = listener
        self._open_source = open_source
        self._source: Source | None = None
        self._blocks: Iterator[Block | None] = iter(())
        self._lost_at: float | None = None
        self._dropped = 0
        self._told_dropped_at = -TELL_SECONDS
        self._sound_time: float | None = None
        self._echo = echo
        self._switch_voice = switch_voice
        self._opening = opening or assistant.begin
        self._clock = clock
        self._attention = attention or Attention()
        self._interruption = interruption
        self._spoke_at = float("-inf")
        self._typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._left = False
        self._ear: Ear | None = None

    # From other threads

    def type(self, line: str) -> None:
        """Take a typed line as if it had been heard."""
        self._typed.put(line)

    def key(self) -> None:
        """A key was pressed: whatever is being said is cut at once."""
        self._voice.cut()

    def talk(self) -> None:
        """The key that opens the ears was pressed: whoever presses it wants to speak, so it is quiet here."""
        if self._attention.press(self._clock()):
            self._voice.cut()

    def leave(self) -> None:
        """End the session from outside; what was typed before is still obeyed."""
        self._typed.put(None)

    # The match

    def run(self) -> int:
        """Play until somebody quits, or the sound of a file ends; the exit status."""
        if self._listener is not None and self._open_source is not None:
            self._open(self._open_source)
        self._do(self._opening())
        self._show()
        try:
            while not self._left:
                self._read_typed()
                if not self._left:
                    self._listen()
                    self._tick()
            self._voice.wait(GOODBYE_SECONDS)
        finally:
            if self._source is not None:
                self._source.close()
        return 0

    def _read_typed(self) -> None:
        while not self._left:
            try:
                line = self._typed.get(timeout=0 if self._source else BLOCK_SECONDS)
            except queue.Empty:
                return
            if line is None:
                self._left = True
            elif line.strip():
                self._read(line)

    # Sound

    def _open(self, open_source: Callable[[], Source]) -> None:
        try:
            self._source = open_source()
        except MexvoiceError as error:
            if self._lost_at is None:
                self._display.notice(self._assistant.wording.trouble(error))
                self._do([Say(self._assistant.wording.say("no_microphone"))])
            self._lost_at = self._clock()
            return
        self._blocks = self._source.blocks(BLOCK_SECONDS)
        self._dropped = self._source.dropped

    def _listen(self) -> None:
        if self._source is None:
            lost = self._lost_at
            if lost is not None and self._open_source and self._clock() - lost >= REOPEN_SECONDS:
                self._open(self._open_source)
            return
        if not self._echo:
            self._voice.wait(GOODBYE_SECONDS)
        try:
            block = next(self._blocks)
        except StopIteration:
            self._heard_all()
        except MexvoiceError as error:
            if not self._echo:
                raise  # A file that breaks off is not plugged in again.
            self._lose(error)
        else:
            if block is not None:
                if self._lost_at is not None:
                    # Not before: a device may be there again and still bring nothing.
                    self._lost_at = None
                    self._do([Say(self._assistant.wording.say("microphone_back"))])
                self._sound_time = block.time
                self._accept(block)

    def _lose(self, error: MexvoiceError) -> None:
        """The microphone has gone: say so once, and go on without it until it brings sound again."""
        assert self._source is not None and self._listener is not None
        self._source.close()
        self._source = None
        self._listener.deafen()  # what was being said is lost, and does not go on when there is sound again
        if self._lost_at is None:
            self._display.notice(self._assistant.wording.trouble(error))
            self._do([Say(self._assistant.wording.say("no_microphone"))])
        self._lost_at = self._clock()

    def _heard_all(self) -> None:
        assert self._listener is not None
        self._hear_all(self._listener.flush())
        self._left = True

    def _accept(self, block: Block) -> None:
        assert self._listener is not None
        self._tell_dropped()
        if self._speaks(block.time):
            self._attention.rest(block.time)
        if self._deaf(block.time):
            self._listener.deafen()
            return
        if self._interruption is Interruption.CANCELLER:
            self._listener.guard(self._speaks(block.time))
        elif block.time < self._voice.deaf_until - TAIL_SECONDS:
            self._spoke_at = block.time
        before = self._attention.attentive(block.time, False)
        if not self._attention.listens(block.time, self._listener.speaking):
            if before:
                # The key ends what is being said at once.
                self._hear_all(self._listener.flush())
            self._listener.overhear(block.pcm)
            return
        self._display.level(block.level)
        self._hear_all(self._listener.accept(block.pcm))

    def _hear_all(self, utterances: list[Utterance]) -> None:
        for utterance in utterances:
            if utterance.heard:
                self._attention.heard()
            self._hear(utterance)

    def _speaks(self, at: float) -> bool:
        """Whether sound that ended at this monotonic time may be the assistant's own, or its echo."""
        return self._echo and at < self._voice.deaf_until

    def _deaf(self, at: float) -> bool:
        """Whether sound that ended at this monotonic time is not to be listened to at all."""
        return self._interruption is Interruption.NONE and self._speaks(at)

    def _tell_dropped(self) -> None:
        assert self._source is not None
        lost, now = self._source.dropped - self._dropped, self._clock()
        if lost and now - self._told_dropped_at >= TELL_SECONDS:
            self._dropped, self._told_dropped_at = self._source.dropped, now
            self._display.notice(self._assistant.wording.say("sound_lost", blocks=lost))

    def _hear(self, utterance: Utterance) -> None:
        assert self._listener is not None
        if self._listener.guarded:
            self._hear_guarded(utterance)
            return
        book = self._assistant.understanding.book
        phrase = utterance.text
        if utterance.reason == "decoy" and book.normalise(utterance.heard) in book.commands:
            # A phrase that is not open now: it gets the short answer that says so.
            phrase = utterance.heard
        if phrase:
            self._hear_phrase(phrase, utterance)
        elif utterance.call and not utterance.heard:
            self._attention.called(self._now())
        elif utterance.heard:
            self._display.heard(utterance.heard, Verdict.IGNORED)

    def _hear_phrase(self, phrase: str, utterance: Utterance) -> None:
        """Act on a phrase, if it is meant for the assistant."""
        assert self._listener is not None
        outcome = self._assistant.understanding.hear(phrase, self._assistant.open_commands())
        answer = isinstance(outcome, Understood) and outcome.command.id in self._assistant.awaited
        began = self._began(utterance)
        if self._attention.admits(began, bool(utterance.call), answer):
            over = began < self._spoke_at
            if over and isinstance(outcome, Understood):
                self._voice.cut()
            if over and phrase in self._assistant.understanding.book.hushes:
                self._hush(phrase)
            else:
                self._obey(phrase, outcome, typed=False)
        elif phrase in self._assistant.understanding.book.calls:
            # "Mex" is a way to count, too, but only for who has just been asked.
            self._attention.called(self._now())
        else:
            self._display.heard(phrase, Verdict.IGNORED)

    def _hear_guarded(self, utterance: Utterance) -> None:
        """Nothing but silence can be asked for while the assistant may be hearing itself."""
        if utterance.text and self._attention.admits(self._began(utterance), bool(utterance.call), False):
            self._hush(utterance.text)

    def _hush(self, phrase: str) -> None:
        self._display.heard(phrase, Verdict.OBEYED)
        self._voice.cut()

    def _began(self, utterance: Utterance) -> float:
        """The monotonic time at which an utterance that has just ended began."""
        assert self._listener is not None
        now = self._now() if self._sound_time is None else self._sound_time
        return now - self._listener.seconds_since(utterance.start)

    def _now(self) -> float:
        """Monotonic seconds: of the sound where it does not come as time passes (a file), or of the clock."""
        if self._echo or self._sound_time is None:
            return self._clock()
        return self._sound_time

    # Understanding and acting

    def _read(self, line: str) -> None:
        """Act on a typed line; it may begin with a call word where one is needed in speech."""
        called = self._attention.mode is Listening.CALL
        text = self._assistant.understanding.book.without_call(line) if called else line
        outcome = self._assistant.understanding.hear(text, self._assistant.open_commands())
        self._obey(line, outcome, typed=True)

    def _obey(self, text: str, outcome: Outcome, typed: bool) -> None:
        verdict, effects = self._assistant.obey(outcome, self._now(), typed)
        self._display.heard(text, verdict)
        self._do(effects)
        if verdict in (Verdict.NOT_UNDERSTOOD, Verdict.AMBIGUOUS):
            self._attention.puzzled(self._now())
        if verdict is Verdict.OBEYED:
            self._show()

    def _do(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Say(text):
                    self._voice.say(text)
                    self._attention.said(self._now())
                case Cut():
                    self._voice.cut()
                case Switch():
                    self._switch()
                case Leave():
                    self._left = True

    def _switch(self) -> None:
        for switch in (self._switch_voice, self._listener.use if self._listener else None):
            try:
                if switch is not None:
                    switch()
            except MexvoiceError as error:  # who has no voice can still hear
                self._display.notice(self._assistant.wording.trouble(error))

    def _tick(self) -> None:
        effects = self._assistant.tick(
            self._now(), quiet=not self._voice.speaking and not self._being_spoken_to()
        )
        if effects:
            self._do(effects)
            self._show()
        self._show_ear()

    def _being_spoken_to(self) -> bool:
        if self._listener is None or self._source is None:
            return False
        # Who has pressed the key is about to speak.
        return self._listener.hearing or (self._attention.mode is Listening.KEY and self._attentive())

    def _attentive(self) -> bool:
        """Whether what is said now counts."""
        return self._attention.attentive(self._now(), bool(self._assistant.awaited))

    # Showing

    def _show(self) -> None:
        self._display.show(view_of(self._assistant))

    def _show_ear(self) -> None:
        if self._source is None or self._lost_at is not None:
            ear = Ear.TYPED
        elif self._interruption is not Interruption.HEADPHONES and self._speaks(self._clock()):
            ear = Ear.SPEAKING
        elif self._attention.mode is Listening.KEY:
            ear = Ear.LISTENING if self._attentive() else Ear.KEY
        elif self._assistant.paused:
            ear = Ear.PAUSED
        elif not self._attentive():
            ear = Ear.CALL
        else:
            ear = Ear.LISTENING
        if ear is not self._ear:
            self._ear = ear
            self._display.ear(ear)
