"""What was said, taken for a command: exactly, nearly, or not at all."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from mexvoice.language.command import ANSWERS, SERIOUS, Command, CommandId
from mexvoice.language.locale import Locale
from mexvoice.language.phrase import plain
from mexvoice.language.phrasebook import PhraseBook

EXACT_LETTERS: Final = 5
"""Texts of so few letters, spaces aside, count only when exact: "stop" is one letter from "shop"."""

THRESHOLD: Final = 0.82
"""The least likeness of a text to a phrase that stands for it (1 minus edits by length)."""

DICE_THRESHOLD: Final = 0.9
"""The same for dice: the words of numbers are alike ("neununddreißig" is 0.87 of "einunddreißig")."""

WORD_THRESHOLD: Final = 0.65
"""The least likeness of each word to its counterpart; another word is another meaning."""

ONLY_WORD_THRESHOLD: Final = 0.85
"""The same where there is but one word: "heiter" is 0.83 of "weiter"."""

MARGIN: Final = 0.06
"""How much less like any phrase of another command has to be."""

DICE_MARGIN: Final = 0.1
"""The same where dice are the best or the second best."""

CLOSED_THRESHOLD: Final = 0.9
"""The least likeness to a phrase that is not open now to be answered as such."""

NEAR_THRESHOLD: Final = 0.68
"""Above this likeness to something open, a text was meant for the assistant, though not understood."""

ROOM: Final = 60
"""So many letters of fillers a text may have beyond the longest phrase; a longer one is no command."""

_SHORT: Final = 3
"""A word of so few letters has to be right."""

_LONG: Final = 4
"""In a phrase of so many words one letter of a short word may be wrong."""


@dataclass(frozen=True, slots=True)
class Understood:
    """The text is this command, open now."""

    command: Command


@dataclass(frozen=True, slots=True)
class NotOpen:
    """The text is this command, but it is not open now."""

    command: Command


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The text may be any of these commands, all open now."""

    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """The text is no command."""

    text: str
    near: bool
    """Whether it was close to one and deserves an answer; else it is table talk."""


Outcome = Understood | NotOpen | Ambiguous | NotUnderstood


class Understanding:
    """Understands texts at one table in one language.

    A text is a command when it is one of the open phrases, fillers at both ends aside; or when it is so
    like one, word by word and as a whole, that a slip of the recogniser or of the keyboard explains it,
    and no other command comes close. A part of a text never counts: "we should not stop the music" holds
    "stop" and is none. Yes and no count only exactly, and so does what cannot be taken back: "about the
    round" is not "abort the round".

    Args:
        locale: the language.
        players: names in seat order.
        others: further words for languages by code (see `PhraseBook`).
    """

    def __init__(
        self, locale: Locale, players: Sequence[str], others: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.book = PhraseBook(locale, players, others)
        self._fillers = frozenset(tuple(self.book.normalise(text).split()) for text in self.book.fillers)
        self._decoys = frozenset(self.book.normalise(text) for text in self.book.decoys)
        self._longest = max(len(text) for text in self.book.commands) + ROOM
        self._texts: dict[CommandId, list[str]] = {command_id: [] for command_id in CommandId}
        for text, commands in self.book.commands.items():
            for command_id in {command.id for command in commands} - ANSWERS:
                self._texts[command_id].append(text)

    def hear(self, text: str, open: Collection[CommandId]) -> Outcome:
        """What a text means while the ``open`` commands would be obeyed. Never raises.

        Args:
            text: what was heard or typed.
            open: the commands that can be understood now.
        """
        nothing = NotUnderstood(text, near=False)
        heard = self.book.normalise(text)
        if not heard or len(heard) > self._longest:
            return nothing
        cores = self._cores(heard.split())
        exact = self._exact(text, cores, open)
        return self._nearly(text, cores, open) if exact is None else exact

    def _cores(self, words: list[str]) -> list["_Core"]:
        """The text and what is left of it without fillers at its ends, the longest first."""
        starts = self._filled(words, backwards=False)
        ends = [len(words) - count for count in self._filled(words[::-1], backwards=True)]
        cores = [_Core(words, start, end) for start in starts for end in ends if start < end]
        return sorted(cores, key=lambda core: core.start - core.end)

    def _filled(self, words: list[str], backwards: bool) -> list[int]:
        """How many words from the start can be fillers: 0 and whatever whole fillers add up to."""
        reached = {0}
        for start in range(len(words)):
            if start in reached:
                for filler in self._fillers:
                    end = start + len(filler)
                    if tuple(words[start:end]) == (filler[::-1] if backwards else filler):
                        reached.add(end)
        return sorted(reached)

    def _exact(self, text: str, cores: list["_Core"], open: Collection[CommandId]) -> Outcome | None:
        """The command or decoy the text is in so many words, or None."""
        closed: Command | None = None
        answer = False
        for core in cores:
            if core.text in self._decoys:
                return NotUnderstood(text, near=False)
            commands = self.book.commands.get(core.text) or self.book.unaccented.get(plain(core.text), ())
            now = tuple(command for command in commands if command.id in open)
            if now and now[0].id in ANSWERS and self._answers(core) - {now[0].id}:
                return NotUnderstood(text, near=True)
            if now:
                return Understood(now[0]) if len(now) == 1 else Ambiguous(now)
            for command in commands:
                if command.id in ANSWERS:
                    answer = True
                elif closed is None:
                    closed = command
        if closed is not None:
            return NotOpen(closed)
        return NotUnderstood(text, near=False) if answer else None

    def _answers(self, core: "_Core") -> set[CommandId]:
        """The answers among the fillers around a core: "okay, no" is no clear no."""
        parts = {*core.before, *core.after, " ".join(core.before), " ".join(core.after)}
        commands = [command for part in parts for command in self.book.commands.get(part, ())]
        return {command.id for command in commands if command.id in ANSWERS}

    def _nearly(self, text: str, cores: list["_Core"], open: Collection[CommandId]) -> Outcome:
        """The open command the text is like, and no other."""
        tried = [cores[0].text, cores[-1].text]
        likely = self._likely(tried, open)
        first = next((one for one in likely if one.sure), None)
        least = max(CLOSED_THRESHOLD, first.likeness if first else 0.0)
        for other in self._likely(tried, set(CommandId) - set(open) - ANSWERS, least):
            if other.sure and (first is None or other.likeness > first.likeness):
                return NotOpen(other.command)
        if first is None:
            return NotUnderstood(text, near=bool(likely))
        rivals = [one for one in likely if one is not first and one.rivals(first)]
        sure = [one.command for one in rivals if one.sure]
        if sure:
            return Ambiguous((first.command, *sure))
        return NotUnderstood(text, near=True) if rivals else Understood(first.command)

    def _likely(
        self, tried: Iterable[str], commands: Collection[CommandId], least: float = NEAR_THRESHOLD
    ) -> list["_Likely"]:
        """The commands with a phrase like one of the texts, each once: the sure first, then by likeness."""
        phrases = [phrase for command_id in commands for phrase in self._texts[command_id]]
        best: dict[Command, _Likely] = {}
        for core in dict.fromkeys(tried):
            for phrase, likeness, _ in process.extract(
                core, phrases, scorer=OSA.normalized_similarity, score_cutoff=least, limit=None
            ):
                alike = min(_letters(phrase), _letters(core)) > EXACT_LETTERS and _alike(core, phrase)
                for command in self.book.commands[phrase]:
                    one = _Likely(command, likeness, alike)
                    if command.id in commands and (command not in best or best[command].rank < one.rank):
                        best[command] = one
        return sorted(best.values(), key=lambda one: one.rank, reverse=True)


@dataclass(frozen=True, slots=True)
class _Core:
    """The part of an utterance between fillers."""

    words: list[str]
    start: int
    end: int

    @property
    def text(self) -> str:
        return " ".join(self.words[self.start : self.end])

    @property
    def before(self) -> list[str]:
        return self.words[: self.start]

    @property
    def after(self) -> list[str]:
        return self.words[self.end :]


@dataclass(frozen=True, slots=True)
class _Likely:
    """A command that a text may be."""

    command: Command
    likeness: float
    alike: bool
    """Whether phrase and text are long enough to be compared, and alike word by word."""

    @property
    def sure(self) -> bool:
        """Whether it is like enough to stand for the command, others aside."""
        threshold = DICE_THRESHOLD if self.command.id is CommandId.DICE else THRESHOLD
        return self.alike and self.likeness >= threshold and self.command.id not in SERIOUS

    @property
    def rank(self) -> tuple[bool, float]:
        return self.sure, self.likeness

    def rivals(self, best: "_Likely") -> bool:
        """Whether this is so likely that the best is not to be trusted."""
        if CommandId.DICE in (self.command.id, best.command.id):
            return best.likeness - self.likeness < DICE_MARGIN
        return self.alike and best.likeness - self.likeness < MARGIN


def _letters(text: str) -> int:
    return len(text) - text.count(" ")


def _alike(text: str, phrase: str) -> bool:
    """Whether two texts are alike word by word, or all but the same when their spaces are left out."""
    words, others = text.split(), phrase.split()
    if len(words) != len(others):
        joined = OSA.normalized_similarity("".join(words), "".join(others))
        return abs(len(words) - len(others)) == 1 and joined >= CLOSED_THRESHOLD
    if len(words) == 1:
        return OSA.normalized_similarity(text, phrase) >= ONLY_WORD_THRESHOLD
    slips = 0
    for word, other in zip(words, others, strict=True):
        if word == other:
            continue
        if max(len(word), len(other)) <= _SHORT:
            slips += 1
            if slips > 1 or len(others) < _LONG or OSA.distance(word, other) > 1:
                return False
        elif OSA.normalized_similarity(word, other) < WORD_THRESHOLD:
            return False
    return True
