"""How often "stop" and "skip" cut an announcement the microphone hears too, and how often it cuts itself.

A real match on virtual devices, its speaker looped back into its microphone. One answer after the other is
asked for by typed lines; over every second one somebody speaks (an espeak voice, not the announcer's).
"""

import contextlib
import fcntl
import queue
import subprocess
import threading
import time
from dataclasses import dataclass, field

import click
import numpy as np
import soxr

from mexvoice.language import locale as locales
from mexvoice.language.command import CommandId
from mexvoice.language.phrasebook import PhraseBook
from mexvoice.speaking.synthesiser import Synthesiser, Voice
from tests.sound_server import Samples, SoundServer, missing_parts
from tests.table.game import PLAYERS, Game, wait_until_silent

_RATE = 16000
_INTO = 1.5
"""Seconds of the answer before somebody speaks."""
_LIMIT = 2.5
"""So soon after the word the answer must have been cut."""
_VARIANTS = ("f2", "m3", "f4", "m7")


class Person:
    """Somebody at the microphone, silent most of the time.

    A voice that came and went would change the delay of the virtual echo each time, as no room does.
    """

    def __init__(self, server: SoundServer) -> None:
        """Takes a seat."""
        self._process = subprocess.Popen(
            [
                *("pacat", "--playback", "--device=mic", "--latency-msec=100"),
                *("--raw", "--format=s16le", "--channels=1", f"--rate={_RATE}"),
            ],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=server.env,
        )
        self._said: queue.SimpleQueue[Samples | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._feed, daemon=True)
        self._thread.start()

    def say(self, samples: Samples) -> None:
        """Says it now."""
        self._said.put(samples)

    def leave(self) -> None:
        """Gets up."""
        self._said.put(None)
        self._thread.join(5)
        self._process.terminate()
        self._process.wait(5)

    def _feed(self) -> None:
        assert self._process.stdin is not None
        fcntl.fcntl(self._process.stdin, fcntl.F_SETPIPE_SZ, 4096)  # an eighth of a second, not two seconds
        left = np.zeros(0, np.int16)
        while True:
            with contextlib.suppress(queue.Empty):
                said = self._said.get_nowait()
                if said is None:
                    return
                left = np.concatenate([left, said])
            piece, left = left[:320], left[320:]
            try:
                self._process.stdin.write(np.pad(piece, (0, 320 - len(piece))).tobytes())
                self._process.stdin.flush()
            except OSError:
                return


@dataclass
class Count:
    """What happened."""

    tries: int = 0
    cut: int = 0
    left_alone: int = 0
    cut_itself: int = 0
    actions: int = 0
    missed: list[str] = field(default_factory=list)


@click.command()
@click.option("--lang", "languages", multiple=True, default=("en", "fr", "de", "ru"), show_default=True)
@click.option("--tries", default=10, show_default=True, help="Interruptions a language.")
@click.option("--loudness", default=0.0, show_default=True, help="Of who speaks, dB above the announcer.")
@click.option("--echo/--headphones", default=True, show_default=True, help="What the match is played with.")
def command(languages: tuple[str, ...], tries: int, loudness: float, echo: bool) -> None:
    """Interrupt announcements by voice, with an echo canceller or with headphones."""
    if reason := missing_parts():
        raise click.ClickException(reason)
    server = SoundServer()
    try:
        for language in languages:
            server.reset()
            server.loopback(echo)
            count = _try(server, language, tries, loudness, "--echo-cancel" if echo else "--headphones")
            click.echo(
                f"{language}: {count.cut} of {count.tries} cut by voice; of {count.left_alone} answers left"
                f" alone {count.cut_itself} cut themselves; {count.actions} commands obeyed that nobody gave"
                + (f"; not heard: {', '.join(count.missed)}" if count.missed else "")
            )
    finally:
        server.close()


def _try(server: SoundServer, language: str, tries: int, loudness: float, option: str) -> Count:
    locale = locales.load(language)
    book = PhraseBook(locale, PLAYERS.split(","))
    count = Count()
    person = Person(server)
    game = Game(server.env, "--lang", language, "--seed", "7", option)
    try:
        with Synthesiser(Voice(locale.voice.espeak, tuple(locale.voice.languages), 150)) as synthesiser:
            game.wait_for("»")
            wait_until_silent(server)
            for number in range(2 * tries):
                game.type(book.example((CommandId.HELP, CommandId.SCORES)[number // 2 % 2]))
                game.wait_for("»")
                before = len(game.heard())
                if number % 2:
                    wait_until_silent(server)
                    count.left_alone += 1
                    count.cut_itself += len(game.heard()) > before
                    continue
                phrase = book.hushes[number // 2 % len(book.hushes)]
                voice = f"{locale.voice.espeak}+{_VARIANTS[number // 2 % len(_VARIANTS)]}"
                speech = synthesiser.render(phrase, voice=voice)
                time.sleep(_INTO)
                said = _levelled(speech.samples, speech.rate, loudness)
                person.say(said)
                end = time.monotonic() + len(said) / _RATE + _LIMIT
                while time.monotonic() < end and len(game.heard()) == before:
                    time.sleep(0.02)
                count.tries += 1
                count.cut += len(game.heard()) > before
                if len(game.heard()) == before:
                    count.missed.append(phrase)
                wait_until_silent(server)
            obeyed = [line for line in game.heard() if line.endswith(f"({locale.labels['understood']})")]
            silenced = [line for line in obeyed if line[2:].rsplit(" (", 1)[0] in book.hushes]
            count.actions = len(obeyed) - len(silenced) - 2 * tries
    finally:
        game.end()
        person.leave()
    return count


def _levelled(samples: Samples, rate: int, loudness: float) -> Samples:
    """The samples at 16 kHz, so many dB above the level at which espeak speaks."""
    sound = soxr.resample(samples.astype(np.float32), rate, _RATE) * 10 ** (loudness / 20)
    levelled: Samples = np.clip(sound, -32768, 32767).astype(np.int16)
    return levelled
