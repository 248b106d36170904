"""What benchmarks share that judge hearing with voices and people kept apart; light enough for ``--help``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from mexvoice.errors import MexvoiceError

LANGUAGES = ("en", "fr", "de", "ru")
"""The languages that models are made for."""


def default_data() -> Path:
    """Where the training keeps what it makes, unless it is told otherwise."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "mexvoice-training"


_LANGUAGES = click.option(
    "--lang",
    "languages",
    multiple=True,
    type=click.Choice(LANGUAGES),
    default=LANGUAGES,
    help="Only this language (may be repeated).",
)
_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=default_data,
    help="Folder of the training data.  [default: as that of scripts/training/run.py]",
)
_SEED = click.option("--seed", default=1, show_default=True, help="Of all that is random.")


def speaking(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command ``--lang`` and ``--seed``: its arguments languages and seed."""
    given: Callable[..., None] = _LANGUAGES(_SEED(command))
    return given


def judging(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command ``--data``, too: its argument data."""
    given: Callable[..., None] = speaking(_DATA(command))
    return given


def say(text: str) -> None:
    """Tell what is being done, with the time of day."""
    click.echo(f"{time.strftime('%H:%M:%S')} {text}", err=True)


def fail(sentence: str) -> NoReturn:
    """Give up with a sentence."""
    click.echo(sentence, err=True)
    sys.exit(2)


@contextmanager
def sentences() -> Iterator[None]:
    """What goes wrong in a judgement is told in a sentence: what judging takes is heavy, and not installed
    with the program."""
    try:
        yield
    except ImportError as error:
        fail(
            f"The benchmark lacks what the training needs ({error}): "
            "run 'python3 scripts/training/run.py --stage install'."
        )
    except MexvoiceError as error:
        fail(str(error))
