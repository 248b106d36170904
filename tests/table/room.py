"""A table without devices: clips of people at their times, keys between them, and a clock of its own."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from mexvoice.hearing.source import Block
from mexvoice.rules import Options
from mexvoice.showing.display import Ear
from mexvoice.showing.plain import Plain
from mexvoice.speaking.announcer import TAIL_SECONDS, Announcer
from mexvoice.table.assistant import Assistant, DiceMode
from mexvoice.table.attention import Listening, attention
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from mexvoice.table.interruption import Interruption
from mexvoice.table.session import Session
from tests.hearing.clips import RATE, Clip, Samples, room

Speak = Callable[[str], Samples]
"""Says a text."""

Voices = Callable[[str], Speak]
"""Who speaks a language, by its code."""

BLOCK = RATE // 20
PLAYERS = ("Anna", "Ben", "Cleo")
AUDIO = Path(__file__).parents[1] / "audio"


def clip(language: str, name: str) -> Samples:
    """A clip of the tests."""
    return Clip(AUDIO / language / f"{name}.flac", language).samples()


class Watcher(Plain):
    """The plain display, with the state of the ears by time."""

    def __init__(self, labels: dict[str, str], clock: Callable[[], float]) -> None:
        super().__init__(io.StringIO(), None, labels)
        self.ears: list[tuple[float, Ear]] = []
        self._now = clock

    def ear(self, ear: Ear) -> None:
        """Note it, and write it as ever."""
        self.ears.append((self._now(), ear))
        super().ear(ear)


class Speaker:
    """A voice that sounds when it is told to, in the time of a room, and notes when it is cut."""

    def __init__(self) -> None:
        self.cuts: list[float] = []
        self.clock: Callable[[], float] = lambda: 0.0
        self._until = 0.0

    def sound(self, seconds: float) -> None:
        """Begin to speak, for so long."""
        self._until = self.clock() + seconds

    @property
    def speaking(self) -> bool:
        """Whether it sounds."""
        return self.clock() < self._until

    @property
    def deaf_until(self) -> float:
        """The end of its sound and of the tail."""
        return self._until + TAIL_SECONDS if self._until else 0.0

    def say(self, text: str) -> None:
        """Nothing: it sounds when it is told to."""

    def cut(self) -> None:
        """End the sound."""
        if self.speaking:
            self.cuts.append(self.clock())
            self._until = self.clock()

    def wait(self, timeout: float) -> bool:
        """Nothing to wait for: time goes by with the sound of the room."""
        del timeout
        return True


class Room:
    """Sound that comes as time passes, and what happens at a table that hears it."""

    dropped = 0

    def __init__(
        self,
        mode: Listening,
        language: str = "en",
        dice: DiceMode = DiceMode.MACHINE,
        voice: Speaker | None = None,
        interruption: Interruption = Interruption.NONE,
    ) -> None:
        self.now = 0.0
        self._events: list[tuple[float, Callable[[], object]]] = []
        self._sounds: list[tuple[float, Samples]] = []
        self._end = 0.0
        self.assistant = Assistant(PLAYERS, Options(), language, Cup(1), dice)
        self.display = Watcher(self.assistant.locale.labels, lambda: self.now)
        self.missing: list[str] = []
        self.session = Session(
            self.assistant,
            self.display,
            voice or Announcer(None, None, self.display.said),
            Listener(self.assistant, None, self.missing.extend, called=mode is Listening.CALL),
            lambda: self,
            clock=lambda: self.now,
            attention=attention(mode),
            interruption=interruption,
        )
        if voice is not None:
            voice.clock = lambda: self.now
        self.cuts = [] if voice is None else voice.cuts

    def say(self, at: float, *samples: Samples) -> float:
        """Somebody says something at this time; the time at which it ends."""
        sound = np.concatenate(samples)
        self._sounds.append((at, sound))
        end = at + len(sound) / RATE
        self._end = max(self._end, end)
        return end

    def at(self, time: float, event: Callable[[], object]) -> None:
        """Something happens at this time."""
        self._events.append((time, event))
        self._end = max(self._end, time)

    def press(self, *times: float) -> None:
        """The key that opens the ears is pressed."""
        for time in times:
            self.at(time, self.session.talk)

    def run(self, after: float = 2.0) -> list[str]:
        """Let it all happen, and so many seconds more; what was written."""
        self._end += after
        self._events.sort(key=lambda event: event[0])
        self.session.run()
        return self.lines()

    def lines(self) -> list[str]:
        """What was written so far."""
        return self.display._out.getvalue().splitlines()  # type: ignore[attr-defined, no-any-return]

    def heard(self) -> list[str]:
        """What was heard."""
        return [line[2:] for line in self.lines() if line.startswith("« ")]

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The sound, for the session."""
        del timeout
        sound = room(self._end + 1.0).astype(np.int32)[: round(self._end / 0.05) * BLOCK]
        for at, samples in self._sounds:
            start = round(at * RATE)
            sound[start : start + len(samples)] += samples[: max(0, len(sound) - start)]
        pcm = np.clip(sound, -32768, 32767).astype("<i2")
        for start in range(0, len(pcm), BLOCK):
            end = (start + BLOCK) / RATE
            while self._events and self._events[0][0] <= end:
                self.now, event = self._events.pop(0)
                event()
            self.now = end
            yield Block(end, pcm[start : start + BLOCK].tobytes(), -60.0)

    def close(self) -> None:
        """Nothing to give back."""
