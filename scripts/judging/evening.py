"""A match that runs while other people talk: whatever the program does then, nobody asked it to.

The session is the program's own, with its ears and its assistant; it says nothing aloud, so that it is never
deaf. Nobody plays: now and then the match is put into another situation, so that everything is open at
some time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from mexvoice.hearing.model import BUILTIN
from mexvoice.hearing.source import Block
from mexvoice.hearing.utterance import Utterance
from mexvoice.language.command import Command, CommandId
from mexvoice.language.understanding import Understood
from mexvoice.rules import (
    Action,
    ActionKind,
    Count,
    Counting,
    Dice,
    Match,
    Options,
    Phase,
    Stop,
    ThrowDice,
    Undo,
)
from mexvoice.showing.display import Ear, Verdict, View
from mexvoice.table.assistant import Assistant, DiceMode
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from mexvoice.table.session import Session
from scripts.judging.chain import BLOCK
from scripts.training.corpus import RATE, Samples

ASKED = "asked yes or no"
"""The situation in which a round would be ended by a yes."""

SITUATIONS = {
    "before the throw": 0.30,
    "thrown": 0.30,
    "last throw used": 0.12,
    "choosing": 0.10,
    "extra round": 0.06,
    ASKED: 0.12,
}
"""What the match waits for, and how often."""

SPOKEN_SHARE = 0.2
"""How often real dice are thrown and said, when every pair of numbers is an action."""

DICE_SAID = ", dice said"
"""Ends the name of a situation in which real dice are."""

SITUATION_SECONDS = (15.0, 40.0)
"""A situation lasts so long."""

_PART_SECONDS = 600.0
"""After so much talk a match is over; it is, too, when it is left, or goes on in another language."""

ALOUD = frozenset({Verdict.NOT_OPEN, Verdict.NOT_UNDERSTOOD, Verdict.AMBIGUOUS})
"""What gets an answer though it is not obeyed."""

_LOW, _HIGH = Dice(3, 2), Dice(5, 4)


class Talkers(Protocol):
    """People who talk: see `scripts.judging.talk.Talk`."""

    speech_seconds: float
    """How much they have talked so far."""

    def pieces(self, seconds: float) -> Iterator[Samples]:
        """What they say in the next seconds."""

    def at(self, start: float, end: float) -> str:
        """What they said within some seconds."""


@dataclass(frozen=True)
class Mistake:
    """Something the program did though nobody asked it to."""

    seconds: float
    """When, from the beginning of the talk."""
    heard: str
    """The phrase it took the sound for."""
    said: str
    """What was said, as far as is known."""
    situation: str
    """What the match waited for."""
    action: bool
    """Whether it changed the game, rather than being another command."""
    certainty: float
    """Log-odds that it was said, as far as the model knows."""


@dataclass
class Evening:
    """What happened while people talked."""

    seconds: float = 0.0
    """Of talk."""
    speech_seconds: float = 0.0
    """Of it, speech."""
    dice_said_seconds: float = 0.0
    """Of it, beside a match in which people throw real dice and say them."""
    false: list[Mistake] = field(default_factory=list)
    """Everything obeyed."""
    answers: int = 0
    """How often the program answered that it had not understood, or that something was not open."""
    kept_out: Counter[str] = field(default_factory=Counter)
    """What was heard and did not count, by the reason the recogniser gives."""

    def actions(self) -> list[Mistake]:
        """What changed the game."""
        return [one for one in self.false if one.action]

    def an_hour(self, count: int) -> float:
        """So many, as a rate."""
        return 3600 * count / max(self.seconds, 1e-9)

    def where(self, dice_said: bool) -> tuple[int, float]:
        """Game actions while people said their dice, or while the machine threw them; and their rate."""
        count = sum(one.situation.endswith(DICE_SAID) == dice_said for one in self.actions())
        seconds = self.dice_said_seconds if dice_said else self.seconds - self.dice_said_seconds
        return count, 3600 * count / max(seconds, 1e-9)


class _Mute:
    """A voice that says nothing."""

    speaking = False
    deaf_until = float("-inf")

    def say(self, text: str) -> None:
        """Nothing is said."""

    def cut(self) -> None:
        """Nothing is being said."""

    def wait(self, timeout: float) -> bool:  # noqa: ARG002  # the session's
        """There is nothing to wait for."""
        return True


class _Witness:
    """Sees what the program shows and what it keeps; a display and a keeper in one."""

    talk_hint = ""

    def __init__(self, evening: Evening, tell: Callable[[str, bool], Mistake]) -> None:
        self._evening = evening
        self._tell = tell
        self._acted = False

    def heard(self, text: str, verdict: Verdict) -> None:
        acted, self._acted = self._acted, False
        if verdict is Verdict.OBEYED:
            self._evening.false.append(self._tell(text, acted))
        elif verdict in ALOUD:
            self._evening.answers += 1

    def act(self, action: Action | Undo) -> None:
        del action
        self._acted = True

    def begin(self, assistant: Assistant) -> None:
        """A new match that was confirmed by mistake is an action; the first one is not."""
        self._acted = bool(assistant.obeyed)

    def run(self, *callbacks: Any, **more: Any) -> int:
        """Never called: nobody types, and the match runs by itself."""
        raise NotImplementedError

    def speak(self, language: str) -> None: ...
    def show(self, view: View) -> None: ...
    def said(self, text: str) -> None: ...
    def notice(self, text: str) -> None: ...
    def level(self, dbfs: float) -> None: ...
    def ear(self, ear: Ear) -> None: ...


class _Ears(Listener):
    """Ears that remember how sure they were, and count why what they heard did not count."""

    def __init__(self, assistant: Assistant, kept_out: Counter[str]) -> None:
        super().__init__(assistant, BUILTIN, lambda _missing: None)
        self.kept_out = kept_out
        self.certainty = float("inf")

    def accept(self, pcm: bytes) -> list[Utterance]:
        """Hear a block."""
        found = super().accept(pcm)
        for utterance in found:
            self.certainty = utterance.certainty
            if utterance.reason:
                self.kept_out[utterance.reason] += 1
        return found


class _Guests:
    """The talk as a source of sound, which puts the match into one situation after another."""

    dropped = 0

    def __init__(self, talk: Talkers, language: str, seed: int) -> None:
        self._talk = talk
        self._language = language
        self._rng = np.random.default_rng([seed, 30])
        self._sound: Iterator[Samples] = iter(())
        self._rest = np.zeros(0, np.int16)
        self._assistant: Assistant | None = None
        self._ears: _Ears | None = None
        self.situation = ""
        self.samples = 0
        self.with_dice_said = 0

    def close(self) -> None:
        """Nothing to give back."""

    def begin(self, seconds: float) -> None:
        """Talk for some seconds more."""
        self._sound = self._talk.pieces(seconds)

    def seat(self, assistant: Assistant, ears: _Ears) -> None:
        """The next match, and what hears for it."""
        self._assistant, self._ears = assistant, ears

    @property
    def certainty(self) -> float:
        """That of the last utterance heard."""
        return float("inf") if self._ears is None else self._ears.certainty

    @property
    def now(self) -> float:
        """Seconds of sound so far."""
        return self.samples / RATE

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The talk, as long as the language is the one that is talked."""
        del timeout
        assert self._assistant is not None and self._ears is not None
        until = 0.0
        while True:
            if self._assistant.locale.code != self._language:
                return  # heard a wish for another language: a new match is begun
            if self.now >= until:
                self.situation = str(self._rng.choice(list(SITUATIONS), p=list(SITUATIONS.values())))
                spoken = bool(self._rng.random() < SPOKEN_SHARE)
                put(self._assistant, self.situation, spoken, self.now)
                self._ears.deafen()  # it would be announced, and nothing be heard meanwhile
                until = self.now + self._rng.uniform(*SITUATION_SECONDS)
                if spoken:
                    self.situation += DICE_SAID
            if ASKED in self.situation and CommandId.YES not in self._assistant.open_commands():
                self.situation = self.situation.replace(ASKED, "thrown")  # silence was a no
            while len(self._rest) < BLOCK:
                piece = next(self._sound, None)
                if piece is None:
                    return
                self._rest = np.concatenate([self._rest, piece])
            block, self._rest = self._rest[:BLOCK], self._rest[BLOCK:]
            self.samples += BLOCK
            self.with_dice_said += BLOCK * self.situation.endswith(DICE_SAID)
            power = float(np.mean(block.astype(np.float64) ** 2)) + 1e-9
            yield Block(self.now, block.astype("<i2").tobytes(), 10 * float(np.log10(power / 32768.0**2)))


def put(assistant: Assistant, situation: str, spoken: bool, now: float) -> None:
    """Put the assistant's match into a situation (a key of `SITUATIONS`).

    Args:
        spoken: whether people throw real dice.
        now: monotonic seconds.
    """

    def tell(command: CommandId) -> None:
        if command in assistant.open_commands():
            assistant.obey(Understood(Command(command)), now, typed=True)

    tell(CommandId.RESUME)
    tell(CommandId.NO)
    assistant.dice = DiceMode.SPOKEN if spoken else DiceMode.MACHINE
    match = Match(assistant.players, assistant.options)
    if situation in ("thrown", ASKED):
        match.apply(ThrowDice(_HIGH))
    elif situation == "last throw used":
        while ActionKind.THROW in match.open:
            match.apply(ThrowDice(_LOW))
    elif situation in ("choosing", "extra round"):
        while match.phase is not Phase.CHOOSING:
            match.apply(ThrowDice(_LOW))
            if ActionKind.STOP in match.open and match.phase is not Phase.BEFORE_THROW:
                match.apply(Stop())
        if situation == "extra round":
            match.apply(Count(Counting.PIPS))
    assistant.match = match
    if situation == ASKED:
        tell(CommandId.ABORT)


def spend(
    talk: Talkers,
    language: str,
    players: Sequence[str],
    hours: float,
    seed: int,
    say: Callable[[str], None] = lambda _line: None,
) -> Evening:
    """Let people talk beside a match for some hours of their time.

    Args:
        talk: what they say.
        language: in which the match is played.
        players: who sits at the table.
        hours: of talk.
        seed: of the situations and the dice.
        say: told of the progress.
    """
    evening = Evening()
    guests = _Guests(talk, language, seed)

    def tell(text: str, acted: bool) -> Mistake:
        # Known half a second after its end at most; it may have begun long before.
        said = talk.at(guests.now - 3.0, guests.now - 0.2)
        return Mistake(guests.now, text, said, guests.situation, acted, guests.certainty)

    while guests.now < 3600 * hours - 1:
        witness = _Witness(evening, tell)
        assistant = Assistant(players, Options(), language, Cup(seed), seed=seed, keeper=witness)
        ears = _Ears(assistant, evening.kept_out)
        guests.seat(assistant, ears)
        guests.begin(min(_PART_SECONDS, 3600 * hours - guests.now))
        Session(assistant, witness, _Mute(), ears, lambda: guests, echo=False).run()
        evening.seconds, evening.speech_seconds = guests.now, talk.speech_seconds
        evening.dice_said_seconds = guests.with_dice_said / RATE
        say(
            f"{language}: {guests.now / 60:.0f} minutes of talk, {len(evening.actions())} actions, "
            f"{len(evening.false)} commands"
        )
    return evening
