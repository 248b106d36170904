"""When what is said is meant for the assistant: always, after a key was pressed, or after a call word."""

from collections import deque
from enum import StrEnum

OPEN_SECONDS = 8.0
"""After a key was pressed the ears stay open for so long, when nobody says anything."""

REPEAT_SECONDS = 0.75
"""Presses closer than this are one key held down: no keyboard waits longer before it repeats a key."""

LINGER_SECONDS = 0.4
"""People press again while their last sound is still on its way: so long after it is listened to the end."""

FINISH_SECONDS = 4.0
"""Who is in the middle of a command when the time is over is heard for so much longer."""

CALL_SECONDS = 4.0
"""The command may follow the call word after so long a pause."""

ANSWER_SECONDS = 8.0
"""The answer to what the assistant has asked needs no call word for so long."""


class Listening(StrEnum):
    """The ways to speak to the assistant."""

    OPEN = "open"
    """Whatever is said counts."""
    KEY = "key"
    """Only what is said while a key is held, or after it was pressed."""
    CALL = "call"
    """Only what a call word comes before."""


class Attention:
    """Attention to all that is said; the other ways differ from it.

    Times are monotonic seconds; a time of sound is that of its last sample.
    """

    mode = Listening.OPEN

    def press(self, now: float) -> bool:
        """The key was pressed, or is held and repeats itself (from any thread); whether it is a new press."""
        del now
        return True

    def listens(self, now: float, speaking: bool) -> bool:
        """Whether the ears are open for the sound of this time; ``speaking``: somebody says something."""
        del now, speaking
        return True

    def rest(self, now: float) -> None:
        """The assistant itself can be heard at this time: what was to be said to it may come later."""

    def heard(self) -> None:
        """Words were heard while the ears were open."""

    def said(self, now: float) -> None:
        """The assistant says or writes something."""

    def called(self, now: float) -> None:
        """A call word was heard, and nothing else."""

    def puzzled(self, now: float) -> None:
        """What was heard was not clear, and the assistant said so: it may be said again."""

    def admits(self, began: float, called: bool, answer: bool) -> bool:
        """Whether a phrase that was heard counts.

        Args:
            began: when it began.
            called: a call word came before it.
            answer: it answers a question of the assistant.
        """
        del began, called, answer
        return True

    def attentive(self, now: float, awaited: bool) -> bool:
        """Whether a command would count at this time that neither key nor call word comes before.

        Args:
            now: the time.
            awaited: the assistant has asked something.
        """
        del now, awaited
        return True


class PushToTalk(Attention):
    """Attention while a key is held, or from one press to the next, one utterance or eight seconds.

    Terminals tell of presses only; a held key repeats itself, so presses that follow each other quickly are
    one, and it has been let go when they end.
    """

    mode = Listening.KEY

    def __init__(self) -> None:
        """Closed."""
        self._presses: deque[tuple[float, bool]] = deque()
        self._last_press = float("-inf")
        self._open = False
        self._held = False
        self._since = 0.0
        self._end = float("inf")

    def press(self, now: float) -> bool:
        """The key was pressed (from any thread); whether it is a new press and no repetition."""
        new = now - self._last_press >= REPEAT_SECONDS
        self._last_press = now
        self._presses.append((now, new))
        return new

    def listens(self, now: float, speaking: bool) -> bool:
        """Whether the ears are open for the sound of this time."""
        self._follow(now)
        if self._open:
            end = self._last_press + REPEAT_SECONDS if self._held else self._since + OPEN_SECONDS
            if now >= min(self._end, end + (FINISH_SECONDS if speaking else 0.0)):
                self._open = False
        return self._open

    def rest(self, now: float) -> None:
        """The assistant can be heard: the eight seconds begin when it cannot any more."""
        self._follow(now)
        self._since = max(self._since, now)

    def heard(self) -> None:
        """One utterance is all, unless the key is held."""
        if not self._held:
            self._open = False

    def attentive(self, now: float, awaited: bool) -> bool:
        """Whether the ears were open when they were last asked for."""
        del now, awaited
        return self._open

    def _follow(self, now: float) -> None:
        """Take the presses up to this time into account."""
        while self._presses and self._presses[0][0] <= now:
            at, new = self._presses.popleft()
            if not new:
                self._held = self._open and self._end == float("inf")
            elif self._open:
                self._end = at + LINGER_SECONDS
            else:
                self._open, self._held, self._since, self._end = True, False, at, float("inf")


class CallWord(Attention):
    """Attention to what a call word comes before, in one breath or after a pause, and to answers."""

    mode = Listening.CALL

    def __init__(self) -> None:
        """Not called yet."""
        self._since = self._said = float("-inf")
        self._seconds = 0.0

    def rest(self, now: float) -> None:
        """The assistant can be heard: the time for what may be said begins when it cannot any more."""
        self._said = max(self._said, now)
        if self._is_open(now):
            self._since = max(self._since, now)

    def said(self, now: float) -> None:
        """The assistant says something: the time for an answer begins."""
        self._said = max(self._said, now)

    def called(self, now: float) -> None:
        """A call word was heard, and nothing else."""
        self._since, self._seconds = now, CALL_SECONDS

    def puzzled(self, now: float) -> None:
        """Who is asked to say it again need not call again."""
        self._since, self._seconds = now, ANSWER_SECONDS

    def admits(self, began: float, called: bool, answer: bool) -> bool:
        """Whether a phrase counts; a call is for one phrase."""
        admitted = called or self.attentive(began, answer)
        if admitted:
            self._seconds = 0.0
        return admitted

    def attentive(self, now: float, awaited: bool) -> bool:
        """Whether somebody has just called, or been asked."""
        return self._is_open(now) or (awaited and now - self._said <= ANSWER_SECONDS)

    def _is_open(self, now: float) -> bool:
        return now - self._since <= self._seconds


def attention(mode: Listening) -> Attention:
    """The attention of a way to speak to the assistant."""
    kinds = {Listening.OPEN: Attention, Listening.KEY: PushToTalk, Listening.CALL: CallWord}
    return kinds[mode]()
