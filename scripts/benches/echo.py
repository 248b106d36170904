"""Announcements of a running match played back into its microphone: none may be obeyed.

A real ``mexvoice play`` runs on virtual devices (`tests.sound_server`) whose microphone hears the speaker as
loud as it is, 50 ms late. People give commands by voice, each about a second after the announcement before it
has ended; the answer is the next announcement. What is heard beyond these commands is the assistant itself.

Commands are clips (`scripts.evening.clip`) that are heard on their own in a quiet room; one that is not heard
at once counts as missed, and is said again, or typed in the end, so that the match goes on. An assistant
beside the bench with the same dice tells what is open. All of it takes as long as people take to speak, and
the virtual devices need a machine that is not busy: on a busy one their sound stutters.

The exit status is 1 when an announcement was obeyed, or a command missed.
"""

import json
import random
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

from mexvoice.hearing.model import BUILTIN
from mexvoice.language import locale as locales
from mexvoice.language.command import CommandId
from mexvoice.language.understanding import Understood
from mexvoice.rules import Options
from mexvoice.showing.display import Verdict
from mexvoice.showing.painting import verdict_label
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener
from scripts.evening import clip as clips
from scripts.evening.clip import Clip
from scripts.evening.company import Heard, wish
from scripts.evening.trial import heard_alone, situations
from scripts.evening.witness import Still, Witness
from tests.sound_server import SoundServer, missing_parts
from tests.table.game import PLAYERS, Game, wait_until_silent

PATIENCE_SECONDS = 5.0
"""So long it is waited for a command to be heard."""

TRIES = 3
"""How often a command is said before it is typed."""

GAP_SECONDS = 1.0
"""The speaker has been silent for so long, at least, before a command."""

LEFT_OUT = frozenset(
    {
        *(CommandId.LANGUAGE, CommandId.SKIP, CommandId.ABORT, CommandId.QUIT, CommandId.NEW_MATCH),
        *(CommandId.YES, CommandId.NO, CommandId.DICE),
    }
)
"""Commands nobody gives: a question of yes or no is over after some seconds, whatever the bench does."""


@dataclass
class Count:
    """What happened in one language."""

    language: str
    announcements: int = 0
    obeyed: list[str] = field(default_factory=list)
    """Announcements, or parts of one, that were obeyed."""
    overheard: list[str] = field(default_factory=list)
    """Those that were heard, and not obeyed."""
    commands: int = 0
    missed: list[str] = field(default_factory=list)
    """Commands that were not obeyed at once."""

    @property
    def failed(self) -> bool:
        """Whether a limit was not kept."""
        return bool(self.obeyed or self.missed)


class Table:
    """A running game, and an assistant beside it in the same state."""

    def __init__(self, server: SoundServer, code: str, seed: int) -> None:
        """Starts the game and waits for its first announcement."""
        self._server = server
        self._random = random.Random(seed)
        self._locale = locales.load(code)
        self._mark = f"({verdict_label(Verdict.OBEYED, self._locale.labels)})"
        self._double = Witness(PLAYERS.split(","), Options(), code, Cup(seed), seed=seed)
        self._double.begin()
        self._seen = 0
        self.count = Count(code)
        self.game = Game(server.env, "--lang", code, "--seed", str(seed), "--model", str(BUILTIN))
        self.game.wait_for("»", 60)

    def command(self, heard: Heard) -> None:
        """Wait for the end of the announcement, then give a command until it is heard."""
        wait_until_silent(self._server, GAP_SECONDS)
        self._note_echo()
        opened = self._double.open_commands()
        clip = self._choose(heard, opened)
        meant = clip.meant(opened)
        assert meant is not None
        self.count.commands += 1
        for attempt in range(TRIES):
            speaker = self._server.record("speaker")
            self._server.play_to_mic(clip.samples, clips.RATE)
            overtaken = ", while the assistant spoke" if speaker.stop().spans() else ""
            if self._obeyed():
                break
            if not attempt:
                self.count.missed.append(f"'{clip.text}' ({clip.speaker}{overtaken}); heard: {self._rest()}")
            wait_until_silent(self._server, GAP_SECONDS)
        else:
            self.game.type(clip.text)
            self._obeyed()
        self._seen = len(self.game.lines)
        self._double.obey(Understood(meant), time.monotonic())

    def end(self) -> Count:
        """Wait for the end of the last announcement, and end the game."""
        wait_until_silent(self._server, GAP_SECONDS)
        time.sleep(1.0)
        self._note_echo()
        self.count.announcements = sum(line.startswith("»") for line in self.game.lines)
        self.game.end()
        return self.count

    def _choose(self, heard: Heard, opened: frozenset[CommandId]) -> Clip:
        wanted = wish(self._double, None, self._random)
        known = [(clip, clip.meant(opened)) for clip in heard[opened]]
        choice = [clip for clip, meant in known if meant and meant.id is wanted]
        return self._random.choice(choice or [clip for clip, _ in known])

    def _obeyed(self) -> bool:
        """Whether something is obeyed soon."""
        limit = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < limit:
            if any(self._mark in line for line in self.game.lines[self._seen :] if line.startswith("«")):
                return True
            time.sleep(0.05)
        return False

    def _rest(self) -> str:
        lines = [line for line in self.game.lines[self._seen :] if line.startswith("«")]
        self._seen = len(self.game.lines)
        return "; ".join(lines) or "nothing"

    def _note_echo(self) -> None:
        """What was heard since the last command: nobody has said anything but the assistant."""
        for line in self.game.lines[self._seen :]:
            if line.startswith("«"):
                (self.count.obeyed if self._mark in line else self.count.overheard).append(line)
        self._seen = len(self.game.lines)


def known_clips(code: str, voices: int, seed: int) -> Heard:
    """The commands that are heard on their own, for each set of open ones."""
    locale, players = locales.load(code), PLAYERS.split(",")
    still = Still(players, Options(), code, Cup(seed))
    said = clips.commands(locale, still.understanding.book, LEFT_OUT, voices, seed)
    return heard_alone(
        said,
        situations(players, Options(), code, seed),
        still,
        lambda assistant: Listener(assistant, Path(BUILTIN), lambda _: None),
        seed,
    )


@click.command()
@click.option("--announcements", default=25, show_default=True, help="To be answered in each language.")
@click.option("--lang", "languages", multiple=True, help="Language; may be repeated.  [default: all]")
@click.option("--voices", type=click.IntRange(1), default=2, show_default=True, help="Clips of each command.")
@click.option("--seed", default=1, show_default=True, help="Of the dice and of all that people do.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a language instead of a table.")
def command(announcements: int, languages: tuple[str, ...], voices: int, seed: int, as_json: bool) -> None:
    """Announcements played back into the microphone: what of them is obeyed, and who is heard after them."""
    if reason := missing_parts():
        raise click.ClickException(reason)
    if not as_json:
        click.echo("language  announcements  obeyed  overheard  commands after them  missed")
    failed = False
    for code in languages or locales.available():
        heard = known_clips(code, voices, seed)
        server = SoundServer()
        try:
            server.loopback(True)
            table = Table(server, code, seed)
            for _ in range(announcements):
                table.command(heard)
            count = table.end()
        finally:
            server.close()
        failed = failed or count.failed
        if as_json:
            click.echo(json.dumps(asdict(count), ensure_ascii=False))
            continue
        click.echo(
            f"{code:8}  {count.announcements:13}  {len(count.obeyed):6}  {len(count.overheard):9}  "
            f"{count.commands:19}  {len(count.missed):6}"
        )
        for title, lines in (
            ("obeyed", count.obeyed),
            ("overheard", count.overheard),
            ("missed", count.missed),
        ):
            for line in lines:
                click.echo(f"  {title} {line}")
    sys.exit(1 if failed else 0)
