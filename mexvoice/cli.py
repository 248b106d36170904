"""The command line: ``mexvoice play``, ``demo``, ``hear`` and ``replay``."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from mexvoice import __version__
from mexvoice.errors import MexvoiceError

USER_ERROR = 2


def _known_language(_: click.Context, __: click.Parameter, code: str) -> str:
    """Checks a language when it is used, so that a new locale file counts at once."""
    from mexvoice.language import locale

    codes = locale.available()
    if code.lower() not in codes:
        raise click.BadParameter(f"there is no language '{code}': choose one of {', '.join(codes)}.")
    return code.lower()


def _names(_: click.Context, __: click.Parameter, names: str | None) -> tuple[str, ...] | None:
    """Names separated by commas."""
    return None if names is None else tuple(name.strip() for name in names.split(","))


_language = click.option(
    "--lang",
    "language",
    callback=_known_language,
    default="en",
    show_default=True,
    help="Language heard and spoken.",
)
_model = click.option(
    "--model",
    type=click.Path(path_type=Path),
    help="A Vosk model directory to hear with, instead of the shipped one.",
)
_seed = click.option("--seed", type=click.IntRange(0), help="Seed of the dice: the same seed, the same dice.")
_plain = click.option("--plain", is_flag=True, help="Plain lines instead of the full screen.")
_mute = click.option("--mute", is_flag=True, help="Write the announcements, do not speak them.")


def _options(*options: Callable[..., Any]) -> Callable[..., Any]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mexvoice")
def cli() -> None:
    """The spoken game master for the dice game Mex: it hears you, plays by the rules, says what happened."""


@cli.command()
@_options(_language, _model, _seed, _plain, _mute)
@click.option("--players", callback=_names, help="Names in seat order: Anna,Ben,Cleo.")
@click.option(
    "--lives", type=click.IntRange(1, 99), default=12, show_default=True, help="Lives at the start."
)
@click.option(
    "--max-throws", type=click.IntRange(1, 3), default=3, show_default=True, help="Throws of the starter."
)
@click.option("--starter", help="Who starts: a player's name, or 'random'. [default: the first]")
@click.option(
    "--penalty",
    type=click.Choice(["twice", "doubling"]),
    default="twice",
    show_default=True,
    help="Stake with Mexes: twice their number, or doubled by each.",
)
@click.option(
    "--dice",
    type=click.Choice(["machine", "spoken"]),
    default="machine",
    show_default=True,
    help="Whose dice: the machine throws, or you throw real ones and say them.",
)
@click.option(
    "--audio", type=click.Path(path_type=Path), help="Hear this WAV or FLAC file, not the microphone."
)
@click.option("--typed", is_flag=True, help="Type the commands; no microphone is used.")
@click.option("--device", help="Microphone: its number or a part of its name.")
def play(**options: Any) -> int:
    """Play a match at the table."""
    from mexvoice.table import evening

    return evening.play(evening.Settings(**options))


@cli.command()
@_options(_language, _model, _seed, _plain, _mute)
@click.option(
    "--record", type=click.Path(path_type=Path), help="Write the whole conversation to this WAV file."
)
@click.option("--lives", type=click.IntRange(1, 99), default=2, show_default=True, help="Lives at the start.")
@click.option("--fast", is_flag=True, help="Do not play the sound, even where there is a speaker.")
def demo(**options: Any) -> int:
    """Watch synthetic players play a short match by voice; needs no sound device."""
    from mexvoice.table import evening

    return evening.demo(**options)


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@_options(_language, _model)
@click.option("--words", help="Hear these words only (a,b,c), to judge a model alone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def hear(files: tuple[Path, ...], language: str, model: Path | None, words: str | None, as_json: bool) -> int:
    """Print what is said in sound files, and which command it is."""
    from mexvoice.table.hear import hear_files

    chosen = None if words is None else tuple(word.strip() for word in words.split(",") if word.strip())
    if chosen == ():
        raise MexvoiceError("--words names no word: give at least one, like --words yes,no.")
    return hear_files(files, language, chosen, as_json, model, sys.stdout, sys.stderr)


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
def replay(file: Path) -> int:
    """Play a recorded match (one JSON object a line) and print its events and standings."""
    from mexvoice.table.replay import replay_file

    return replay_file(file, sys.stdout)


def main() -> NoReturn:
    """Run the command line; every failure is one sentence and a status that is not zero."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        status = cli.main(standalone_mode=False)
    except MexvoiceError as error:
        _end(str(error), USER_ERROR)
    except click.ClickException as error:
        _end(error.format_message(), USER_ERROR)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone: nothing is left to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _end(sentence: str, status: int) -> NoReturn:
    click.echo(f"mexvoice: {sentence}", err=True)
    sys.exit(status)
