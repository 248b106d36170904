"""The people of an evening: they talk, make noise, and give commands when it is quiet enough to be fair."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mexvoice.hearing.source import Block
from mexvoice.language.command import Command, CommandId
from mexvoice.rules import Counting, Phase
from mexvoice.table.assistant import DiceMode
from mexvoice.table.session import Voice
from scripts.evening.clip import Clip
from scripts.evening.room import Room
from scripts.evening.witness import Log, Witness

GAP_SECONDS = (1.0, 2.5)
"""So long nobody talks, nothing clatters and the assistant is silent before a command ..."""

ANSWER_SECONDS = 2.0
"""... and so long, at most, it is waited for the command to be obeyed."""

SILENCE_SECONDS = (0.2, 6.0)
BURST_SECONDS = (0.2, 4.0)
BURST_DB = (-45.0, -22.0)
TALK_DB = (-22.0, 3.0)
"""Loudness of talk, against a command's usual one."""
COMMAND_DB = (-8.0, 3.0)

TALK, NOISE = 0.6, 0.15
"""How often people talk, and how often something makes a noise, where nobody plays; else it is quiet."""

DECLINE_SECONDS = 10.0
"""So long nobody answers a question of yes or no that is to be left unanswered."""

_QUESTIONS = (
    CommandId.SCORES,
    CommandId.WHOSE_TURN,
    CommandId.LIVES_OF,
    CommandId.THROWS_LEFT,
    CommandId.LOWEST,
    CommandId.REPEAT,
    CommandId.HELP,
)
_RARE = (CommandId.UNDO, CommandId.UNDO, CommandId.PAUSE, CommandId.PAUSE, CommandId.QUIT)
LEFT_OUT = frozenset({CommandId.LANGUAGE, CommandId.SKIP})
"""Commands nobody gives: the one needs another model, the other is said when the assistant is deaf."""

Heard = Mapping[frozenset[CommandId], Collection[Clip]]
"""For each set of commands that may be open: the clips that are heard on their own then."""


def wish(match_of: Witness, last: CommandId | None, rng: random.Random) -> CommandId:
    """What somebody may want now who wants to get on with the match.

    Args:
        match_of: whose match it is.
        last: the last command that was given, which a question of yes or no is about.
        rng: for what is left open.
    """
    opened, match, chance = match_of.open_commands(), match_of.match, rng.random()
    if CommandId.YES in opened:
        wanted = last in (CommandId.NEW_MATCH, CommandId.ABORT) and chance < 0.85
        return CommandId.YES if wanted else CommandId.NO
    if CommandId.RESUME in opened:
        return CommandId.RESUME
    if chance < 0.2:
        return rng.choice(_QUESTIONS)
    if match.phase is Phase.OVER:
        return CommandId.NEW_MATCH
    if match.phase is Phase.CHOOSING:
        return rng.choice((CommandId.COUNT_PIPS, CommandId.COUNT_MEX))
    if chance < 0.26:
        return rng.choice(_RARE)
    if match.phase in (Phase.THROWN, Phase.WAITING) and match.turn:
        value = match.throws[match.turn][-1].value(Counting.MEX)
        if CommandId.ABORT in opened and value < 42 and chance > 0.85:
            return CommandId.ABORT
        if match.phase is Phase.THROWN and value >= 54:
            return CommandId.STOP
    return CommandId.DICE if CommandId.DICE in opened and chance > 0.4 else CommandId.THROW


@dataclass(frozen=True, slots=True)
class Miss:
    """A command that was heard on its own, and not this time."""

    at: float
    """Seconds of the evening."""
    clip: Clip
    gain_db: float
    instead: str
    """What was heard."""
    overtaken: bool
    """Whether the assistant began to speak meanwhile."""

    def __str__(self) -> str:
        """One line."""
        late = ", the assistant began to speak" if self.overtaken else ""
        return (
            f"at {self.at:.0f} s: '{self.clip.text}' ({self.clip.speaker}, {self.gain_db:+.0f} dB); "
            f"heard: {self.instead}{late}"
        )


@dataclass
class Tally:
    """What an evening came to."""

    spoken: int = 0
    misses: list[Miss] = field(default_factory=list)
    typed: int = 0
    """Commands that no clip could say, or that were missed, and had to be typed."""
    talks: int = 0
    false_alarms: list[str] = field(default_factory=list)
    matches: int = 0


class Company:
    """People at a table, as a source of sound (`mexvoice.table.ears.Source`).

    Args:
        assistant: the game master they talk to.
        room: where they sit.
        voice: the announcer, which they wait for before they give a command.
        type_line: types a command.
        heard: the clips they may use.
        talk: their table talk.
        seconds: how long the evening is; longer if the commands need it.
        count: how many commands they give by voice.
        seed: of all they do.
        log: what was heard, shown with what was missed.
        each_block: called with every block of sound.
    """

    dropped = 0
    """Nobody is ever late here."""

    def __init__(
        self,
        assistant: Witness,
        room: Room,
        voice: Voice,
        type_line: Callable[[str], None],
        heard: Heard,
        talk: Sequence[Clip],
        seconds: float,
        count: int,
        seed: int,
        log: Log,
        each_block: Callable[[], None] = lambda: None,
    ) -> None:
        self._assistant = assistant
        self._code = assistant.locale.code
        self._room = room
        self._voice = voice
        self._type_line = type_line
        self._heard = heard
        self._talk = talk
        self._seconds = seconds
        self._count = count
        self._random = random.Random(seed)
        self._log = log
        self._each_block = each_block
        self._last: CommandId | None = None
        self._overheard = ""
        self.tally = Tally()

    def close(self) -> None:
        """Nothing to give back."""

    def blocks(self, timeout: float) -> Iterator[Block | None]:
        """The sound of the whole evening."""
        del timeout
        for block in self._evening():
            self._each_block()
            yield block

    def _evening(self) -> Iterator[Block]:
        tally = self.tally
        while tally.spoken < self._count:
            yield from self._between(self._seconds * (tally.spoken + 1) / (self._count + 1))
            yield from self._quiet_gap()
            yield from self._speak_again()
            if self._asked() and self._random.random() < 0.08:
                yield from self._room.pass_time(DECLINE_SECONDS)
                continue
            yield from self._command()
        yield from self._between(self._seconds)
        yield from self._quiet_gap()
        self._note_false_alarms()

    def _speak_again(self) -> Iterator[Block]:
        """Go back to the language of the evening, if something was taken for the wish to leave it."""
        self._note_false_alarms()
        if self._assistant.locale.code != self._code:
            back = Command(CommandId.LANGUAGE, language=self._code)
            yield from self._write(self._assistant.understanding.book.example(back))
            yield from self._quiet_gap()

    def _asked(self) -> bool:
        """Whether the assistant waits for a yes or no."""
        return CommandId.YES in self._assistant.open_commands()

    def _between(self, until: float) -> Iterator[Block]:
        """Talk, noise and silence, unless the assistant has asked something."""
        rng, room = self._random, self._room
        while room.now() < until and not self._asked():
            chance = rng.random()
            if chance < TALK:
                self.tally.talks += 1
                clip = rng.choice(self._talk)
                self._overheard = f"somebody had said '{clip.text}' ({clip.speaker})"
                yield from room.sound(clip.sound(rng.uniform(*TALK_DB)))
                yield from room.pass_time(rng.uniform(0.0, 1.0))
            elif chance < TALK + NOISE:
                self._overheard = "something had made a noise"
                yield from room.sound(room.burst(rng.uniform(*BURST_SECONDS), rng.uniform(*BURST_DB)))
            else:
                yield from room.pass_time(rng.uniform(*SILENCE_SECONDS))
            self._note_false_alarms()

    def _quiet_gap(self) -> Iterator[Block]:
        """Quiet until a command may fairly be given."""
        room = self._room
        needed, since = self._random.uniform(*GAP_SECONDS), room.now()
        while room.now() - since < needed:
            yield from room.pass_time(0.05)
            if self._voice.speaking or room.now() < self._voice.deaf_until:
                since = room.now()

    def _command(self) -> Iterator[Block]:
        """Give a command by voice, if it can be; type it, if not, or when it was not obeyed."""
        assistant, rng = self._assistant, self._random
        opened = assistant.open_commands()
        wanted = wish(assistant, self._last, rng)
        if wanted is CommandId.YES and self._last is CommandId.NEW_MATCH:
            # Nobody has a turn now: the time to change whose dice are thrown in the next match.
            assistant.dice = rng.choice(tuple(DiceMode))
        self._last = wanted
        self._note_false_alarms()
        meanings = [(clip, clip.meant(opened)) for clip in self._heard.get(opened, ())]
        choice = [(clip, meant) for clip, meant in meanings if meant and meant.id is wanted]
        if choice:
            clip, meant = rng.choice(choice)
            assert meant is not None
            yield from self._say(clip, meant)
        else:
            yield from self._write(assistant.understanding.book.example(wanted))

    def _say(self, clip: Clip, meant: Command) -> Iterator[Block]:
        assistant, room, tally = self._assistant, self._room, self.tally
        self._log.clear()
        tally.spoken += 1
        gain = self._random.uniform(*COMMAND_DB)
        began = room.now()
        overtaken = False
        for block in self._spoken(clip, gain):
            yield block
            overtaken = overtaken or (self._voice.speaking and not assistant.fresh)
            if assistant.fresh:
                break
        obeyed = assistant.take_obeyed()
        if [entry.command for entry in obeyed] == [meant]:
            self._count_match(meant)
            return
        tally.misses.append(Miss(began, clip, gain, str(self._log), overtaken))
        if not obeyed:
            yield from self._write(clip.text)

    def _spoken(self, clip: Clip, gain: float) -> Iterator[Block]:
        yield from self._room.sound(clip.sound(gain))
        yield from self._room.pass_time(ANSWER_SECONDS)

    def _write(self, text: str) -> Iterator[Block]:
        """Type a command, and wait until it is obeyed."""
        self.tally.typed += 1
        self._type_line(text)
        for block in self._room.pass_time(1.0):
            yield block
            if self._assistant.fresh:
                break
        for entry in self._assistant.take_obeyed():
            self._count_match(entry.command)

    def _count_match(self, command: Command) -> None:
        self.tally.matches += command.id is CommandId.YES and not self._assistant.match.history

    def _note_false_alarms(self) -> None:
        """What was obeyed though nobody gave a command."""
        for entry in self._assistant.take_obeyed():
            self.tally.false_alarms.append(
                f"at {self._room.now():.0f} s: {entry.command.id.value}, {self._overheard}"
            )
