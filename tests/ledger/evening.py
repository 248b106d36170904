"""An evening to be kept: an assistant with a chronicle, told its commands one by one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path

from mexvoice.errors import MexvoiceError
from mexvoice.language import locale as locales
from mexvoice.language.command import Command, CommandId
from mexvoice.language.understanding import Understood
from mexvoice.rules import Dice, Options
from mexvoice.table.assistant import Assistant, DiceMode
from mexvoice.table.chronicle import Chronicle, Kept
from mexvoice.table.cup import Cup

load = cache(locales.load)


class Evening:
    """Plays in ``data``: begins a match there, or goes on with one that was resumed."""

    def __init__(
        self,
        data: Path,
        players: tuple[str, ...] = ("Anna", "Ben"),
        options: Options | None = None,
        language: str = "en",
        seed: int = 7,
        dice: DiceMode = DiceMode.MACHINE,
        resume: int | None = None,
        begin: bool = True,
    ) -> None:
        self.troubles: list[MexvoiceError] = []
        self.data = data
        self.chronicle = Chronicle(data, self.troubles.append)
        if begin:
            cup = Cup(seed)
            self.assistant = Assistant(
                players, options or Options(), language, cup, dice, load=load, keeper=self.chronicle
            )
            self.assistant.begin()
        else:
            kept = self.chronicle.resume(resume)
            self.assistant = Assistant(
                kept.match.players,
                kept.match.options,
                kept.language or language,
                kept.cup,
                kept.dice,
                load=load,
                keeper=self.chronicle,
            )
            self.assistant.go_on(kept.match)

    @property
    def told(self) -> list[str]:
        """What the players were told about the record."""
        return [str(trouble) for trouble in self.troubles]

    def do(self, *names: str) -> None:
        """Give commands by their ids; two digits are dice said aloud. What has to be confirmed is."""
        for name in names:
            command = (
                Command(CommandId.DICE, dice=(int(name[0]), int(name[1])))
                if name.isdigit()
                else Command(CommandId(name))
            )
            self.assistant.obey(Understood(command), 0.0)
            if CommandId.YES in self.assistant.open_commands():
                self.assistant.obey(Understood(Command(CommandId.YES)), 0.0)

    def dice_to_come(self, count: int = 10) -> list[Dice]:
        """The next throws, which stay the next."""
        cup = deepcopy(self.assistant.cup)
        return [cup.throw() for _ in range(count)]


def cut(evening: Evening, copy: Path) -> Evening:
    """The evening as it goes on after a power cut: from what is on the disk at this moment alone."""
    shutil.copytree(evening.data, copy)
    return Evening(copy, begin=False)


def same(kept: Kept | Evening, evening: Evening) -> None:
    """What was resumed must be what was being played, the dice to come included."""
    resumed = kept.assistant if isinstance(kept, Evening) else kept
    assistant = evening.assistant
    assert resumed.match.players == assistant.match.players
    assert resumed.match.options == assistant.match.options
    assert resumed.match.history == assistant.match.history
    assert resumed.match.state == assistant.match.state
    assert resumed.dice is assistant.dice
    cup = deepcopy(resumed.cup)
    if assistant.dice is DiceMode.MACHINE:
        assert [cup.throw() for _ in range(10)] == evening.dice_to_come()


@contextmanager
def no_privileges() -> Iterator[None]:
    """Be nobody for a while, since root may write everywhere."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        if user == 0:
            os.seteuid(0)
