"""What the margins of the recogniser's guards cost in words heard, and save in words nobody said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.recogniser import STRICT, TOLERANT, Guards
from scripts.benches.hearing import LANGUAGES, default_data, fail, say

if TYPE_CHECKING:
    from scripts.judging.margin import Trace

MARGINS = (-99.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0)
"""Margins that are tried; the first lets everything pass."""


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
    "--role",
    type=click.Choice(["tune", "test"]),
    default="tune",
    show_default=True,
    help="The voices that margins are chosen with, or those that hearing is judged with.",
)
@click.option("--clips", default=100, show_default=True, type=click.IntRange(10), help="Clips of a test.")
@click.option("--seed", default=1, show_default=True, help="Of all that is random.")
def command(languages: tuple[str, ...], data: Path, role: str, clips: int, seed: int) -> None:
    """What is right and what is found in other people's speech, by the margin of the guards."""
    try:
        from scripts.judging import margin
        from scripts.judging.material import Material
    except ImportError as error:
        fail(f"The benchmark lacks what the training needs ({error}).")
    try:
        for language in dict.fromkeys(languages or LANGUAGES):
            material = Material.load(data, language, role, seed)
            say(f"{language}: single words")
            tests = margin.words(material, clips)
            for label, sequence in (("", None), (" (a sequence at least 2.5)", 2.5)):
                click.echo(f"\n{language}, hear --words{label}, in percent:\n")
                click.echo(_table(tests, TOLERANT, sequence))
            say(f"{language}: commands")
            click.echo(f"\n{language}, every phrase open, in percent:\n")
            click.echo(_table(margin.commands(material, clips), STRICT, None))
    except MexvoiceError as error:
        fail(str(error))


def _table(tests: Mapping[str, Sequence[Trace]], guards: Guards, sequence: float | None) -> str:
    from scripts.judging.margin import share
    from scripts.judging.report import Row, table

    head = [f"{name} ({len(traces)})" for name, traces in tests.items()]
    wrong = [name for name in tests if name.startswith("right")]
    rows: list[Row] = [("margin", *head, *(name.replace("right", "wrong") for name in wrong))]
    for at in MARGINS:
        several = at if sequence is None else max(at, sequence)
        figures = [
            # What is found where there is nothing is wrong, whatever it is.
            share(traces, "right" if name.startswith("right") else "wrong", at, several)
            for name, traces in tests.items()
        ]
        figures += [share(tests[name], "wrong", at, several) for name in wrong]
        mark = " (now)" if at == guards.margin else ""
        label = "none" if at == MARGINS[0] else f"{at:g}{mark}"
        rows.append((label, *(f"{figure:.1f}" for figure in figures)))
    return table(rows, "l" + "r" * (len(rows[0]) - 1))
