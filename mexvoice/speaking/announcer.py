"""Says sentences one after the other without ever holding up the game, and writes each of them too."""

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from mexvoice.errors import MexvoiceError
from mexvoice.speaking.output import Output
from mexvoice.speaking.synthesiser import NoVoice, Speech, Synthesiser, SynthesisFailed, Voice

TAIL_SECONDS = 0.4
"""The room and the microphone's own latency still carry our voice for so long after its end."""

PATIENCE_SECONDS = 1.0
"""When the synthesiser takes longer, what waits to be said is written at once, not when its turn comes."""

RETRY_SECONDS = 5.0
"""A synthesiser that has failed, though tried twice, is left alone for so long."""

_POLL_SECONDS = 0.02
_CUT_SECONDS = 0.2
_CLOSE_SECONDS = 2.0


@dataclass
class _Sentence:
    """One sentence on its way."""

    text: str
    voice: Voice | None
    written: bool = False


class Announcer:
    """Speaks and writes sentences, in the order in which they are said.

    Every sentence is written exactly once: when its sound is about to begin, or at once when there is no
    sound, when the synthesiser is slow, or when it is cut. So a cut loses sound, never a word of the record.
    """

    def __init__(
        self,
        synthesiser: Synthesiser | None,
        output: Output | None,
        on_text: Callable[[str], None],
        on_trouble: Callable[[MexvoiceError | None], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Starts; without a synthesiser or an output it only writes.

        Args:
            synthesiser: makes the sound; closed by its owner, not here. A sentence is spoken in the voice it
                has when the sentence is said.
            output: where the sound goes; closed by its owner, not here.
            on_text: told each sentence: in a thread of the announcer, or, if it only writes, within `say`.
            on_trouble: told why there is no sound, once, and None when there is sound again; in the same
                thread, and in order with the sentences.
            clock: seconds, monotonic.
        """
        self._synthesiser = synthesiser
        self._output = output
        self._on_text = on_text
        self._on_trouble = on_trouble
        self._clock = clock
        # Held while the output is told to play or to stop, so that a cut never hits a sentence said after it.
        self._sound = threading.Lock()
        # Guards what follows.
        self._changed = threading.Condition()
        self._waiting: deque[_Sentence] = deque()
        self._current: _Sentence | None = None
        self._cuts = 0
        self._slow = False
        self._unwritten = 0
        self._closed = False
        self._troubled = False
        self._retry_at = 0.0
        self._to_write: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        if synthesiser is not None and output is not None:
            self._renderer = ThreadPoolExecutor(1, "rendering")
            for name, work in (("announcer", self._run), ("announcer's writing", self._write_all)):
                self._threads.append(threading.Thread(target=work, name=name, daemon=True))
            for thread in self._threads:
                thread.start()

    @property
    def muted(self) -> bool:
        """Whether it only writes."""
        return not self._threads

    @property
    def speaking(self) -> bool:
        """Whether something is being said or waits to be said."""
        with self._changed:
            return bool(self._waiting) or self._current is not None

    @property
    def deaf_until(self) -> float:
        """The monotonic time until which the assistant must not listen; 0.0 if it never spoke.

        While something sounds this is its expected end and the tail; before its sound begins there is nothing
        to be deaf to.
        """
        until = self._output.sounding_until if self._output else 0.0
        return until + TAIL_SECONDS if until else 0.0

    def say(self, text: str, urgent: bool = False) -> None:
        """Says a sentence after those that wait already; returns at once.

        Args:
            text: it is written as it is, and spoken as far as it can be.
            urgent: say it now instead: what is being said is cut, and what waits comes after it.
        """
        sentence = _Sentence(text, self._synthesiser.voice if self._synthesiser else None)
        if self.muted or self._closed:
            self._on_text(text)
        elif urgent:
            self._stop_sound(lambda: self._waiting.appendleft(sentence))
        else:
            with self._changed:
                self._waiting.append(sentence)
                if self._slow:
                    self._write(sentence)
                self._changed.notify_all()

    def cut(self) -> None:
        """Ends the sound now and drops what waits to be said, which is written at once instead."""
        if not self.muted:
            self._stop_sound(self._drop_waiting)

    def wait(self, timeout: float) -> bool:
        """Waits until all is said and written; False if `timeout` seconds were not enough."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not self._waiting and self._current is None and not self._unwritten, timeout
            )

    def close(self) -> None:
        """Cuts, and ends the announcer's threads; what is said later is only written. Safe to call again."""
        if self.muted or self._closed:
            return
        self.cut()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._to_write.put(None)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(_CLOSE_SECONDS)
        self._renderer.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> "Announcer":
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def _stop_sound(self, rearrange: Callable[[], None]) -> None:
        """Cuts what is being said, after what waits has been rearranged."""
        assert self._output is not None
        # Opening a device may take long; then the announcer itself stops the sound as soon as it can.
        mine = self._sound.acquire(timeout=_CUT_SECONDS)
        try:
            with self._changed:
                self._cuts += 1
                if self._current:
                    self._write(self._current)
                rearrange()
                self._changed.notify_all()
            if mine:
                self._output.abort()
        finally:
            if mine:
                self._sound.release()

    def _drop_waiting(self) -> None:
        while self._waiting:
            self._write(self._waiting.popleft())

    def _write(self, sentence: _Sentence) -> None:
        """Has a sentence written, unless it has been; with `_changed` held, so that their order is kept."""
        if not sentence.written:
            sentence.written = True
            self._unwritten += 1
            self._to_write.put(lambda: self._on_text(sentence.text))

    def _write_all(self) -> None:
        """The writing thread: nobody who speaks, says or cuts has to wait for the display."""
        while (write := self._to_write.get()) is not None:
            try:
                write()
            except Exception:
                logging.getLogger(__name__).exception("a sentence could not be written")
            with self._changed:
                self._unwritten -= 1
                self._changed.notify_all()

    def _run(self) -> None:
        """The speaking thread."""
        while True:
            with self._changed:
                self._current = None
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._waiting) or self._closed)
                if self._closed:
                    return
                self._current = sentence = self._waiting.popleft()
                cuts = self._cuts
                self._write(sentence)
            try:
                self._speak(sentence, cuts)
            except MexvoiceError as error:
                self._report(error)
            except Exception as error:  # never may a fault of an engine or a driver end the announcements
                text = f"The announcer failed ({error!r}); it goes on in writing."
                self._report(SynthesisFailed(text, "speech_fails", reason=repr(error)))

    def _speak(self, sentence: _Sentence, cuts: int) -> None:
        """Lets a sentence sound to its end, or until it is cut.

        Raises:
            SynthesisFailed: if it cannot be rendered.
            SpeakerLost: if it cannot be played.
        """
        assert self._output is not None
        if self._clock() < self._retry_at:
            return
        try:
            speech = self._rendered(sentence, cuts)
        except NoVoice:
            raise  # another language may have one
        except SynthesisFailed:
            self._retry_at = self._clock() + RETRY_SECONDS
            raise
        if speech is None:
            return
        with self._sound:
            if self._cuts != cuts:
                return
            self._output.play(speech)
        while self._cuts == cuts and not self._output.wait(_POLL_SECONDS):
            pass
        if self._cuts == cuts:
            self._report(None)
        else:
            # The cut may have come while the device was being opened; nobody else can have played since.
            self._output.abort()

    def _rendered(self, sentence: _Sentence, cuts: int) -> Speech | None:
        """The sound of a sentence, or None if it was cut meanwhile."""
        assert self._synthesiser is not None
        future: Future[Speech] = self._renderer.submit(
            self._synthesiser.render, sentence.text, sentence.voice
        )
        future.add_done_callback(self._wake)
        with self._changed:
            while not self._changed.wait_for(
                lambda: future.done() or self._cuts != cuts or self._closed, PATIENCE_SECONDS
            ):
                self._slow = True
                for waiting in self._waiting:
                    self._write(waiting)
            self._slow = False
        return future.result() if future.done() else None

    def _wake(self, _: object) -> None:
        with self._changed:
            self._changed.notify_all()

    def _report(self, error: MexvoiceError | None) -> None:
        """Tells of trouble when it begins and when it is over."""
        if (error is not None) == self._troubled:
            return
        self._troubled = error is not None
        if self._on_trouble is not None:
            tell = self._on_trouble
            with self._changed:
                self._unwritten += 1
                self._to_write.put(lambda: tell(error))
