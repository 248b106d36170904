"""The keeper of the record: what happens at the table goes into the ledger before it is announced.

A match never stops because it cannot be kept. When keeping fails the chronicle says so once, keeps the match
in a folder for temporary files meanwhile, tries again with every action, and says when it is on record again.
That is possible since it holds all that is not on record, and the ledger adds only what it lacks.
"""

import contextlib
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mexvoice.data import data_folder
from mexvoice.errors import MexvoiceError, Trouble, Troubles
from mexvoice.ledger.entry import Draws, Entry, take
from mexvoice.ledger.failure import Damaged, Lost, shown
from mexvoice.ledger.ledger import Ledger
from mexvoice.rules import Action, Match, Phase, ThrowDice, Undo
from mexvoice.table.assistant import Assistant, DiceMode
from mexvoice.table.cup import Cup


@dataclass(frozen=True, slots=True)
class Kept:
    """A match on record, ready to go on with: ``Assistant(...)`` takes the rest, ``go_on`` the match."""

    match: Match
    cup: Cup
    dice: DiceMode
    language: str | None
    """Spoken last; None where the record does not tell (an imported match)."""


class Chronicle:
    """A :class:`mexvoice.table.keeper.Keeper` with one folder.

    Args:
        data: the folder (``--data``); None for the platform's data folder.
        tell: told what the players should know about the record. From the opening it is
            called in the thread that opens it, later in the thread of the match.
        now: the time of day, for the dates on record.

    Raises:
        MexvoiceError: if the folder cannot be used, as when another mexvoice keeps a match there.
    """

    def __init__(
        self,
        data: Path | None,
        tell: Callable[[MexvoiceError], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder = data_folder(data)
        self._tell = tell
        self._now = now
        # Who ends the match from outside may close it while the thread of the match still acts.
        self._guard = threading.RLock()
        self._closed = False
        try:
            self._ledger: Ledger | None = Ledger.open(self._folder, tell)
        except MexvoiceError as error:
            raise type(error)(f"{str(error)[:-1]}, or play without a record with --unkept.") from error
        self._openings = self._ledger.openings()
        self._match: Match | None = None
        self._entry: Entry | None = None
        self._pending: list[Entry] = []
        """What may not be on record as it is; the present match is the last."""
        self._complaint: str | None = None
        """Why keeping fails, as it was told; None while it works."""
        self._refuge: Ledger | None = None
        self._sheltered = False
        """Whether all that is pending is in the refuge."""

    def __enter__(self) -> "Chronicle":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What the assistant calls

    def begin(self, assistant: Assistant) -> None:
        """A match has begun: put it on record."""
        with self._guard:
            if not self._closed:
                self._begin(assistant)

    def act(self, action: Action | Undo) -> None:
        """An action was taken, or the last one taken back: put it on record."""
        with self._guard:
            if not self._closed:
                self._act(action)

    def speak(self, language: str) -> None:
        """Another language is spoken from now on: put it on record."""
        with self._guard:
            if not self._closed:
                self._present()[0].language = language
                self._keep()

    def _begin(self, assistant: Assistant) -> None:
        machine = assistant.dice is DiceMode.MACHINE
        entry = Entry(
            assistant.match.players,
            assistant.match.options,
            assistant.locale.code,
            assistant.dice.value,
            self._draws(assistant.cup) if machine else None,
            started=self._now(),
        )
        self._take_up(entry, Match(entry.players, entry.options))
        self._keep()

    def _act(self, action: Action | Undo) -> None:
        entry, match = self._present()
        take(match, action)
        entry.actions.append(action)
        over = match.phase is Phase.OVER
        if over != (entry.ended is not None):
            entry.ended = self._now() if over else None
        self._keep()

    # What the evening calls

    def resume(self, number: int | None = None) -> Kept:
        """Take up a match where it stopped; what happens from now on is added to its record.

        Args:
            number: of the match; None for the one that was at the table last.

        Returns:
            The match, the language, and the cup, from which the same dice come as if nothing had happened.

        Raises:
            MexvoiceError: if there is no such match, or it is damaged.
        """
        assert self._ledger is not None, "a match is resumed before any is played"
        entry = self._ledger.last() if number is None else self._ledger.entry(number)
        if entry is None:
            raise MexvoiceError(
                f"No match to go on with is on record in {shown(self._folder)}: "
                "begin one with mexvoice play, or name the folder with --data."
            )
        match = entry.match()
        try:
            dice = DiceMode(entry.dice)
        except ValueError as error:
            raise Damaged(f"Match {entry.number} on record is damaged: nobody throws its dice.") from error
        cup = restored_cup(entry) if dice is DiceMode.MACHINE else Cup()
        if cup is None:
            cup = Cup()
            if entry.draws is not None:
                text = f"The dice of match {entry.number} are not those of its seed: new ones come now."
                self._tell(Trouble(text, "record_other_dice", number=str(entry.number)))
            entry.draws = Draws(cup.seed, after=len(entry.actions))
        self._take_up(entry, match)
        self._keep()
        # A match of its own, so that nothing the assistant does reaches the record but through `act`.
        return Kept(entry.match(), cup, dice, entry.language)

    def close(self) -> None:
        """Keep what could not be kept so far, or say where it is; let others keep matches in the folder.

        A match without a single action is taken off the record: nobody wants to resume it. What happens
        after this is not kept.
        """
        with self._guard:
            if not self._closed:
                self._closed = True
                self._close()

    def _close(self) -> None:
        if self._complaint is not None:
            self._keep()
        entry = self._entry
        if self._complaint is None and self._ledger and entry and entry.opened and not entry.actions:
            with contextlib.suppress(MexvoiceError):
                self._ledger.drop(entry)
        if self._complaint is not None and self._sheltered and self._refuge is not None:
            folder = shown(self._refuge.path.parent)
            text = f"The match is not on record, but in {folder}: "
            text += "go on with mexvoice resume --data and that folder."
            self._tell(Trouble(text, "record_elsewhere", folder=folder))
        elif self._complaint is not None:
            self._tell(Trouble("The match is not on record.", "record_missing"))
        for ledger in (self._ledger, self._refuge):
            if ledger is not None:
                ledger.close()
        self._ledger = self._refuge = self._entry = self._match = None

    # Keeping

    def _present(self) -> tuple[Entry, Match]:
        assert self._entry is not None and self._match is not None, "nothing happens before a match begins"
        return self._entry, self._match

    def _take_up(self, entry: Entry, match: Match) -> None:
        self._openings += 1
        entry.opened = self._openings
        self._entry, self._match = entry, match
        self._pending.append(entry)

    def _draws(self, cup: Cup) -> Draws:
        """Where the dice of ``cup`` stand: where the match before left them, if it had the same cup."""
        before = self._entry.draws_now() if self._entry is not None else None
        return before if before is not None and before.seed == cup.seed else Draws(cup.seed)

    def _keep(self) -> None:
        try:
            try:
                self._write()
            except (Lost, Damaged) as error:
                # The file will not get better, but a new one may do.
                self._write()
                text = "A new one is begun, and all of this match is in it."
                self._tell(Troubles(error, Trouble(text, "record_renewed")))
        except MexvoiceError as error:
            self._fail(error)
            return
        self._pending = self._pending[-1:]
        if self._complaint is not None:
            self._complaint = None
            self._leave_refuge()
            self._tell(Trouble("The match is on record again, nothing of it is missing.", "record_back"))

    def _write(self) -> None:
        try:
            if self._ledger is None:
                self._ledger = Ledger.open(self._folder, self._tell)
            self._ledger.keep(self._pending)
        except MexvoiceError:
            # Nothing is sure about a file that failed, so the next attempt opens it anew.
            if self._ledger is not None:
                self._ledger.close()
                self._ledger = None
            raise

    def _fail(self, reason: MexvoiceError) -> None:
        self._sheltered = self._shelter()
        text = "The match goes on; every action tries the record again, and it is kept"
        if self._sheltered and self._refuge is not None:
            folder = shown(self._refuge.path.parent)
            outlook = Trouble(f"{text} in {folder} until then.", "record_sheltered", folder=folder)
        else:
            outlook = Trouble(f"{text} nowhere until then.", "record_waits")
        complaint = Troubles(reason, outlook)
        if str(complaint) != self._complaint:
            self._complaint = str(complaint)
            self._tell(complaint)

    def _shelter(self) -> bool:
        """Keep what is pending in a folder for temporary files; False if that cannot be done either."""
        # Numbers belong to a folder: those given there are not those of the record.
        numbers = [entry.number for entry in self._pending]
        try:
            if self._refuge is None:
                folder = Path(tempfile.mkdtemp(prefix="mexvoice-"))
                try:
                    self._refuge = Ledger.open(folder, self._tell)
                except MexvoiceError:
                    shutil.rmtree(folder, ignore_errors=True)
                    raise
            self._refuge.keep(self._pending)
        except (MexvoiceError, OSError):
            return False
        finally:
            for entry, number in zip(self._pending, numbers, strict=True):
                entry.number = number
        return True

    def _leave_refuge(self) -> None:
        if self._refuge is not None:
            self._refuge.close()
            shutil.rmtree(self._refuge.path.parent, ignore_errors=True)
            self._refuge = None


def restored_cup(entry: Entry) -> Cup | None:
    """The cup as it stood after the last line of ``entry``, by drawing everything again.

    None if that is not known, or if the dice on record are not those that come.

    Raises:
        Damaged: if an undo on record has nothing to take back.
    """
    draws = entry.draws
    if draws is None:
        return None
    cup = Cup(draws.seed)
    for _ in range(draws.drawn):
        cup.throw()
    for dice in draws.returned:
        cup.put_back(dice)
    for index, step in enumerate(entry.steps()):
        if index < draws.after:
            continue
        if isinstance(step.action, ThrowDice):
            if cup.throw() != step.action.dice:
                return None
        elif isinstance(step.undone, ThrowDice):
            cup.put_back(step.undone.dice)
    return cup
