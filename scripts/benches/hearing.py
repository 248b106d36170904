"""How well a table is heard: held-out voices in quiet and in noise, people, and other people's talk."""

from __future__ import annotations

import json
import os
import sys
import time
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


def say(text: str) -> None:
    """Tell what is being done, with the time of day."""
    click.echo(f"{time.strftime('%H:%M:%S')} {text}", err=True)


@click.command()
@click.option(
    "--lang",
    "languages",
    multiple=True,
    type=click.Choice(LANGUAGES),
    help="Only this language (may be repeated).",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=default_data,
    help="Folder of the training data.  [default: as that of scripts/training/run.py]",
)
@click.option(
    "--clips", default=200, show_default=True, type=click.IntRange(10), help="Clips of a test, at most."
)
@click.option(
    "--hours", default=2.0, show_default=True, type=click.FloatRange(0), help="Of table talk; 0 for none."
)
@click.option(
    "--chart", type=click.Path(dir_okay=False, path_type=Path), help="An SVG file to draw the figures to."
)
@click.option(
    "--json",
    "as_json",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file to write all results to.",
)
@click.option("--seed", default=1, show_default=True, help="Of all that is random.")
def command(
    languages: tuple[str, ...],
    data: Path,
    clips: int,
    hours: float,
    chart: Path | None,
    as_json: Path | None,
    seed: int,
) -> None:
    """How well held-out voices and people are heard, and how little table talk is taken for commands."""
    for file in (chart, as_json):
        if file is not None and not file.parent.is_dir():
            fail(f"There is no folder {file.parent} to write to: make it first.")
    try:
        # What judging takes is heavy, and not installed with the program.
        from scripts.judging.picture import draw
        from scripts.judging.trial import Plan, judge
    except ImportError as error:
        fail(
            f"The benchmark lacks what the training needs ({error}): "
            "run 'python3 scripts/training/run.py --stage install'."
        )
    plan = Plan(data, clips, hours, seed)
    reports = []
    try:
        for language in dict.fromkeys(languages or LANGUAGES):
            report = judge(language, plan, say)
            click.echo(report.markdown())
            reports.append(report)
            # After every language: whoever stops it keeps what there is.
            if chart is not None:
                chart.write_text(draw(reports, "How well a table is heard"), encoding="utf-8")
            if as_json is not None:
                text = json.dumps([one.json() for one in reports], ensure_ascii=False, indent=1)
                as_json.write_text(text + "\n", encoding="utf-8")
    except MexvoiceError as error:
        fail(str(error))
    except OSError as error:
        fail(f"The results could not be written ({error}): choose another file.")


def fail(sentence: str) -> NoReturn:
    """Give up with a sentence."""
    click.echo(sentence, err=True)
    sys.exit(2)
