"""The command line: options in, one call each, failures as one sentence."""

import os
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

import click

from mexvoice import __version__
from mexvoice.data import DATA_VARIABLE
from mexvoice.errors import MexvoiceError

USER_ERROR = 2

LONGEST_SENTENCE = 600
"""Letters of a failure that are shown; of a longer one the beginning and the end."""


def _known_language(_: click.Context, __: click.Parameter, code: str | None) -> str | None:
    """Checks a language when it is used, so that a new locale file counts at once."""
    if code is None:
        return None
    from mexvoice.language import locale

    codes = locale.available()
    if code.lower() not in codes:
        raise click.BadParameter(f"there is no language '{code}': choose one of {', '.join(codes)}.")
    return code.lower()


def _move_data(_: click.Context, __: click.Parameter, folder: Path | None) -> Path | None:
    """Lets every part of the program, and its children, keep and find everything in the folder."""
    if folder is not None:
        os.environ[DATA_VARIABLE] = str(folder)
    return folder


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
    help="A Vosk model directory to hear with, or 'builtin' for the one that came with the program.",
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


_audio = click.option(
    "--audio", type=click.Path(path_type=Path), help="Hear this WAV or FLAC file, not the microphone."
)
_typed = click.option("--typed", is_flag=True, help="Type the commands; no microphone is used.")
_device = click.option("--device", help="Microphone: its number or a part of its name.")
_data = click.option(
    "--data",
    type=click.Path(path_type=Path),
    callback=_move_data,
    help="Folder of the record and of installed models. [default: the platform's own]",
)
_unkept = click.option("--unkept", is_flag=True, help="Keep no record of the match.")
_phrases = click.option(
    "--phrases",
    type=click.Path(path_type=Path),
    help="A YAML file of the house's own phrases: more ways to say a command.",
)
_listen = click.option(
    "--listen",
    type=click.Choice(["open", "key", "call"]),
    default="open",
    show_default=True,
    help="What counts: all that is said, what is said after a key was pressed (the space bar, or an empty"
    " line with --plain), or what a call word comes before ('Mex, throw').",
)
_headphones = click.option(
    "--headphones",
    is_flag=True,
    help="The announcer is heard in headphones only: listen while it speaks ('stop' silences it).",
)
_echo_cancel = click.option(
    "--echo-cancel",
    is_flag=True,
    help="Take the announcer's voice out of what the microphone hears, so that 'stop' and 'skip' silence it;"
    " needs mexvoice[echo].",
)
_over = (_listen, _headphones, _echo_cancel)
_place = (_model, _phrases, _audio, _typed, _device, *_over, _mute, _plain, _data, _unkept)


@cli.command()
@_options(_language)
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
@_options(_seed, *_place)
def play(**options: Any) -> int:
    """Play a match at the table."""
    from mexvoice.table import evening

    place = {field.name: options.pop(field.name) for field in fields(evening.Place)}
    return evening.play(evening.Settings(**options), evening.Place(**place))


@cli.command()
@click.argument("number", type=click.IntRange(1), required=False)
@click.option("--lang", "language", callback=_known_language, help="Language to go on in.")
@_options(*_place)
def resume(number: int | None, language: str | None, **place: Any) -> int:
    """Go on with a match on record, the last one or match NUMBER, exactly where it stopped."""
    from mexvoice.table import evening

    return evening.resume(number, language, evening.Place(**place))


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
@_options(_language, _model, _phrases)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    callback=_move_data,
    expose_value=False,
    help="Folder of installed models. [default: the platform's own]",
)
@click.option("--words", help="Hear these words only (a,b,c), to judge a model alone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def hear(
    files: tuple[Path, ...],
    language: str,
    model: Path | None,
    phrases: Path | None,
    words: str | None,
    as_json: bool,
) -> int:
    """Print what is said in sound files, and which command it is."""
    from mexvoice.table.hear import hear_files

    # What was no UTF-8 on the command line cannot be a word.
    text = None if words is None else words.encode("utf-8", "replace").decode()
    chosen = None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())
    if chosen == ():
        raise MexvoiceError("--words names no word: give at least one, like --words yes,no.")
    return hear_files(files, language, chosen, as_json, model, sys.stdout, sys.stderr, phrases)


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
def replay(file: Path) -> int:
    """Play a recorded match (one JSON object a line) and print its events and standings."""
    from mexvoice.table.replay import replay_file

    return replay_file(file, sys.stdout)


@cli.command()
@_options(_data)
@click.option("--chart", type=click.Path(path_type=Path), help="Draw the league table to this SVG file, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def history(data: Path | None, chart: Path | None, as_json: bool) -> int:
    """Show the matches on record, and the league table of all evenings."""
    from mexvoice.table.history import show_history

    return show_history(data, chart, as_json, sys.stdout, sys.stderr)


@cli.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--match", "number", type=click.IntRange(1), help="Its number. [default: the last one played]")
@_options(_data)
def export_(file: Path, number: int | None, data: Path | None) -> int:
    """Write a match on record to FILE ('-': the screen), one JSON object a line, as replay reads it."""
    from mexvoice.table.history import export_match

    return export_match(data, number, file, sys.stdout)


@cli.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@_options(_data)
def import_(file: Path, data: Path | None) -> int:
    """Put the match in FILE ('-': typed lines) on record, if the rules allow it."""
    from mexvoice.table.history import import_match

    return import_match(data, file, sys.stdout, lambda trouble: click.echo(str(trouble), err=True))


@cli.command()
@_options(_language, _device, _data)
@click.option(
    "--test-word/--no-test-word", default=True, help="Whether somebody is there to say a word. [default: yes]"
)
def doctor(language: str, device: str | None, data: Path | None, test_word: bool) -> int:
    """Try everything that a match by voice needs, and say what to do where it fails."""
    from mexvoice.table.doctor import examine

    return examine(language, device, data, test_word, sys.stdout)


@cli.group()
def models() -> None:
    """Official Vosk models: larger ears, for who has a network once."""


@models.command("list")
@_options(_data)
def models_list(data: Path | None) -> int:
    """Show which official models there are, and which are installed."""
    from mexvoice.table.models import list_models

    return list_models(sys.stdout, data)


@models.command("install")
@click.argument("language", callback=_known_language)
@click.option("--from", "base", metavar="URL", help="Download from this address, not from the publisher's.")
@_options(_data)
def models_install(language: str, base: str | None, data: Path | None) -> int:
    """Download the official model of LANGUAGE, check it and use it from now on."""
    from mexvoice.table.models import install

    return install(language, sys.stdout, data, base=base)


@models.command("check")
@click.argument("language", callback=_known_language, required=False)
@_options(_data)
def models_check(language: str | None, data: Path | None) -> int:
    """Load the model in use and name the words it does not know."""
    from mexvoice.table.models import check

    return check(language, sys.stdout, data)


@models.command("remove")
@click.argument("language", callback=_known_language)
@_options(_data)
def models_remove(language: str, data: Path | None) -> int:
    """Remove the official model of LANGUAGE; the built-in one is used again."""
    from mexvoice.table.models import remove

    return remove(language, sys.stdout, data)


def main() -> NoReturn:
    """Run the command line; every failure is one sentence and a status that is not zero."""
    # A program without a console has no standard streams at all.
    sys.stdin = sys.stdin or Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
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
    except OSError as error:
        _end(
            f"Something could not be read or written ({error.strerror or error}): make room and try again.",
            USER_ERROR,
        )
    sys.exit(status if isinstance(status, int) else 0)


def _end(sentence: str, status: int) -> NoReturn:
    from mexvoice.showing.lettering import visible

    # A sentence may name what was typed or found in a file, of any length.
    sentence = visible(sentence)
    if len(sentence) > LONGEST_SENTENCE:
        half = LONGEST_SENTENCE // 2
        sentence = f"{sentence[:half]} … {sentence[-half:]}"
    click.echo(f"mexvoice: {sentence}", err=True)
    sys.exit(status)
