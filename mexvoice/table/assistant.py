"""The game master: commands and the match on one side, sentences and other effects on the other.

It has no sound, no screen and no clock of its own: outcomes and the time come in, effects go out.
"""

import random
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum

from mexvoice.errors import MexvoiceError
from mexvoice.language import locale as locales
from mexvoice.language.command import Command, CommandId
from mexvoice.language.narration import Narration
from mexvoice.language.understanding import NotOpen, Outcome, Understanding, Understood
from mexvoice.language.wording import Wording
from mexvoice.rules import (
    Abort,
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
from mexvoice.rules import event as events
from mexvoice.showing.display import Verdict
from mexvoice.table import enquiry
from mexvoice.table.cup import Cup
from mexvoice.table.effect import Cut, Effect, Leave, Say, Switch
from mexvoice.table.keeper import Keeper, Unkept
from mexvoice.table.refusal import Refusals

CONFIRM_SECONDS = 8.0
"""Quiet seconds after a question of yes or no; then the answer is no."""

ASK_SECONDS = 30.0
"""Seconds after which a question of yes or no is over, however much is said meanwhile: the answer is no."""

REMIND_SECONDS = 12.0
"""Quiet seconds before an open choice is asked again; each time twice as long."""


class DiceMode(StrEnum):
    """Whose dice are thrown."""

    MACHINE = "machine"
    SPOKEN = "spoken"
    """People throw real dice and say what they show."""


_ALWAYS = (
    CommandId.UNDO,
    CommandId.REPEAT,
    CommandId.SCORES,
    CommandId.LIVES_OF,
    CommandId.WHOSE_TURN,
    CommandId.LOWEST,
    CommandId.THROWS_LEFT,
    CommandId.HELP,
    CommandId.PAUSE,
    CommandId.NEW_MATCH,
    CommandId.QUIT,
    CommandId.LANGUAGE,
    CommandId.SKIP,
)
_CONFIRMED = {
    CommandId.ABORT: "confirm_abort",
    CommandId.NEW_MATCH: "confirm_new_match",
    CommandId.QUIT: "confirm_quit",
}


class Assistant:
    """Leads one match after another for the same people.

    Args:
        players: names in seat order.
        options: of every match.
        language: code of the locale to begin with.
        cup: the machine's dice.
        dice: whose dice are thrown.
        seed: of the choice among variants of a sentence.
        load: gives a locale by its code.
        keeper: keeps every action before it is announced.

    Raises:
        MexvoiceError: if the locale is unknown or broken.
    """

    def __init__(
        self,
        players: Sequence[str],
        options: Options,
        language: str,
        cup: Cup,
        dice: DiceMode = DiceMode.MACHINE,
        seed: int = 0,
        load: Callable[[str], locales.Locale] = locales.load,
        keeper: Keeper | None = None,
    ) -> None:
        self.players = tuple(players)
        self.options = options
        self.dice = dice
        self.cup = cup
        self._keeper = keeper or Unkept()
        self._load = load
        self._random = random.Random(seed)
        self.match = Match(self.players, options)
        self._pending: CommandId | None = None
        self._dice_awaited = False
        self._asked_at: float | None = None
        self.paused = False
        self.obeyed = 0
        """Commands obeyed so far."""
        self._quiet_since: float | None = None
        self._reminders = 0
        self._last_said: list[str] = []
        self._refusals = Refusals()
        self._use(language)

    def _use(self, language: str) -> None:
        self.locale = self._load(language)
        self.understanding = Understanding(self.locale, self.players)
        self.wording = Wording(self.locale, self._random)
        self._narration = Narration(self.wording, self.options.max_throws)

    # What is open

    def open_commands(self) -> frozenset[CommandId]:
        """The commands that would be obeyed now."""
        if self._pending is not None:
            return frozenset({CommandId.YES, CommandId.NO, CommandId.REPEAT, CommandId.SKIP})
        if self.paused:
            return frozenset({CommandId.RESUME, CommandId.QUIT})
        commands = set(_ALWAYS)
        kinds = self.match.open
        if ActionKind.THROW in kinds or self.match.phase is Phase.WAITING:
            commands.add(CommandId.THROW)
            if self.dice is DiceMode.SPOKEN:
                commands.add(CommandId.DICE)
        for kind, command in (
            (ActionKind.STOP, CommandId.STOP),
            (ActionKind.ABORT, CommandId.ABORT),
            (ActionKind.PIPS, CommandId.COUNT_PIPS),
            (ActionKind.MEX, CommandId.COUNT_MEX),
        ):
            if kind in kinds:
                commands.add(command)
        return frozenset(commands)

    @property
    def awaited(self) -> frozenset[CommandId]:
        """The commands that answer what the assistant has asked; none when it has not."""
        if self._pending is not None:
            return frozenset({CommandId.YES, CommandId.NO})
        if self.paused:
            return frozenset()
        if self.match.phase is Phase.CHOOSING:
            return frozenset({CommandId.COUNT_PIPS, CommandId.COUNT_MEX})
        answers = {CommandId.STOP, CommandId.ABORT} if self.match.phase is Phase.WAITING else set()
        return frozenset(answers | ({CommandId.DICE} if self._dice_awaited else set()))

    # What comes in

    def begin(self) -> list[Effect]:
        """Open the match."""
        self._keeper.begin(self)
        return self._tell(self.match.begin())

    def go_on(self, match: Match) -> list[Effect]:
        """Go on with a match that was kept, where it stopped."""
        self.match = match
        return [
            *self._act(Command(CommandId.SCORES)),
            *self._act(Command(CommandId.WHOSE_TURN)),
        ]

    def obey(self, outcome: Outcome, now: float, typed: bool = False) -> tuple[Verdict, list[Effect]]:
        """Act on what was understood.

        Args:
            outcome: what the understanding made of an utterance or a typed line, heard while
                ``open_commands`` was as it is now.
            now: seconds on a monotonic clock.
            typed: it was typed, so that it is meant for the assistant and always gets an answer.
        """
        self._quiet_since = None
        match outcome:
            case Understood(command):
                if command.id not in self.open_commands():
                    return self._refuse(NotOpen(command), now, typed)
                self._refusals.forget()
                self.obeyed += 1
                return Verdict.OBEYED, self._act(command)
            case _:
                return self._refuse(outcome, now, typed)

    def tick(self, now: float, quiet: bool) -> list[Effect]:
        """What time alone brings: silence counts as no, and an open choice is asked again.

        Args:
            now: seconds on a monotonic clock.
            quiet: nobody speaks, the assistant included; only quiet time counts.
        """
        if self._pending is not None and self._asked_at is None:
            self._asked_at = now
        if self._pending is not None and self._asked_at is not None and now - self._asked_at >= ASK_SECONDS:
            return self._decline()
        if not quiet or (self._pending is None and self.match.phase is not Phase.CHOOSING) or self.paused:
            self._quiet_since = None
            return []
        if self._quiet_since is None:
            self._quiet_since = now
        waited = now - self._quiet_since
        if self._pending is not None and waited >= CONFIRM_SECONDS:
            return self._decline()
        if self._pending is None and waited >= REMIND_SECONDS * 2**self._reminders:
            self._reminders += 1
            self._quiet_since = None
            return [Say(self._question_again())]
        return []

    # Commands

    def _act(self, command: Command) -> list[Effect]:
        if self._pending is not None and command.id in (CommandId.YES, CommandId.NO):
            return self._confirmed() if command.id is CommandId.YES else self._decline()
        if command.id in _CONFIRMED:
            self._pending, self._asked_at = command.id, None
            return self._ask(_CONFIRMED[command.id])
        if command.id in enquiry.QUESTIONS:
            return self._said(enquiry.answer(command, self.match, self.wording))
        act: Callable[[Command], list[Effect]] = getattr(self, f"_on_{command.id.value}")
        return act(command)

    def _confirmed(self) -> list[Effect]:
        pending, self._pending = self._pending, None
        if pending is CommandId.ABORT:
            return self._apply(Abort())
        if pending is CommandId.QUIT:
            return [Say(self.wording.say("goodbye")), Leave()]
        self.match = Match(self.players, self.options)
        self._dice_awaited = False
        self._reminders = 0
        return self.begin()

    def _decline(self) -> list[Effect]:
        self._pending = None
        self._quiet_since = None
        return self._answer("declined")

    def _on_throw(self, _: Command) -> list[Effect]:
        passed = self._take(Stop()) if self.match.phase is Phase.WAITING else ()
        if self.dice is DiceMode.SPOKEN:
            self._dice_awaited = True
            said = self._narration.tell(passed)
            return self._said([*said, self.wording.say("call_dice", player=self.match.turn)])
        return self._throw(self.cup.throw(), passed)

    def _on_dice(self, command: Command) -> list[Effect]:
        if command.dice is None:
            raise ValueError("a dice command carries dice")
        passed = self._take(Stop()) if self.match.phase is Phase.WAITING else ()
        return self._throw(Dice(*command.dice), passed)

    def _throw(self, dice: Dice, passed: tuple[events.Event, ...]) -> list[Effect]:
        # The next player's throw says it all: the end of the turn before needs no sentence.
        told = tuple(event for event in passed if isinstance(event, events.LimitSet))
        return self._tell((*told, *self._take(ThrowDice(dice))))

    def _on_stop(self, _: Command) -> list[Effect]:
        return self._apply(Stop())

    def _on_count_pips(self, _: Command) -> list[Effect]:
        return self._apply(Count(Counting.PIPS))

    def _on_count_mex(self, _: Command) -> list[Effect]:
        return self._apply(Count(Counting.MEX))

    def _on_undo(self, _: Command) -> list[Effect]:
        if not self.match.history:
            return self._answer("nothing_to_undo")
        self._dice_awaited = False
        last = self.match.history[-1]
        lives = dict(self.match.lives)
        undone = self.match.undo()
        self._keeper.act(Undo())
        if isinstance(last, ThrowDice) and self.dice is DiceMode.MACHINE:
            self.cup.put_back(last.dice)
        changed = [line.name for line in self.match.standings() if line.lives != lives[line.name]]
        return self._said(
            [
                *self._narration.tell(undone),
                *(enquiry.score_of(name, self.match, self.wording) for name in changed),
            ]
        )

    def _on_repeat(self, _: Command) -> list[Effect]:
        if not self._last_said:
            return [Say(self.wording.say("nothing_to_repeat"))]
        return [Say(" ".join(self._last_said))]

    def _on_help(self, _: Command) -> list[Effect]:
        return self._answer("help", phrases=self.can_say()[:6])

    def _on_pause(self, _: Command) -> list[Effect]:
        self.paused = True
        return self._answer("paused")

    def _on_resume(self, _: Command) -> list[Effect]:
        self.paused = False
        return self._answer("resumed")

    def _on_language(self, command: Command) -> list[Effect]:
        if command.language is None:
            raise ValueError("a language command carries a language")
        try:
            self._use(command.language)
        except MexvoiceError as error:
            return [Say(str(error))]
        self._keeper.speak(command.language)
        return [Switch(command.language), *self._answer("language_changed")]

    def _on_skip(self, _: Command) -> list[Effect]:
        return [Cut()]

    def _refuse(self, outcome: Outcome, now: float, typed: bool) -> tuple[Verdict, list[Effect]]:
        book = self.understanding.book
        verdict, sentence = self._refusals.refuse(outcome, now, typed, self.wording, book)
        return verdict, [] if sentence is None else [Say(sentence)]

    # Saying

    def _apply(self, action: Action) -> list[Effect]:
        return self._tell(self._take(action))

    def _take(self, action: Action) -> tuple[events.Event, ...]:
        self._dice_awaited = False
        happened = self.match.apply(action)
        self._keeper.act(action)
        return happened

    def _tell(self, batch: tuple[events.Event, ...]) -> list[Effect]:
        if self.match.phase is not Phase.CHOOSING:
            self._reminders = 0
        sentences = self._narration.tell(batch)
        if any(isinstance(event, events.MatchWon) for event in batch):
            sentences += [
                self.wording.say("final_points", player=line.name, points=line.points)
                for line in sorted(self.match.standings(), key=lambda line: -line.points)
            ]
            sentences.append(self.wording.say("match_over_hint"))
        return self._said(sentences)

    def _answer(self, key: str, **fields: object) -> list[Effect]:
        return self._said([self.wording.say(key, **fields)])

    def _ask(self, key: str) -> list[Effect]:
        return self._said([self.wording.say(key, player=self.match.turn or "")])

    def _said(self, sentences: list[str]) -> list[Effect]:
        if not sentences:
            return []
        self._last_said = sentences
        return [Say(" ".join(sentences))]

    def _question_again(self) -> str:
        return self.wording.say("choose_counting_again", player=self.match.turn)

    def _phrase(self, command: Command | CommandId) -> str:
        return self.understanding.book.example(command)

    # What is shown

    def can_say(self, commands: Collection[CommandId] | None = None) -> tuple[str, ...]:
        """One phrase for each open command: what is asked for first, then the game, then the questions."""
        commands = self.open_commands() if commands is None else commands
        first = [CommandId.YES, CommandId.NO, CommandId.RESUME]
        if self.match.phase is Phase.OVER:
            first += [CommandId.NEW_MATCH, CommandId.QUIT]
        # "Skip" is for keys and typed lines: the assistant is deaf while it speaks.
        order = (command for command in dict.fromkeys((*first, *CommandId)) if command is not CommandId.SKIP)
        return tuple(self._phrase(command) for command in order if command in commands)
