"""What the certainty that is asked for costs in words heard, and saves in words nobody said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mexvoice.hearing.guards import STRICT, TOLERANT, Guards
from scripts.judging.options import judging, say, sentences

if TYPE_CHECKING:
    from scripts.judging.certainty import Trace

CERTAINTIES = (-99.0, -3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0)
"""Log-odds that are tried; the first lets everything pass."""


@click.command()
@judging
@click.option(
    "--role",
    type=click.Choice(["tune", "test"]),
    default="tune",
    show_default=True,
    help="The voices that it is chosen with, or those that hearing is judged with.",
)
@click.option("--clips", default=100, show_default=True, type=click.IntRange(10), help="Clips of a test.")
def command(languages: tuple[str, ...], data: Path, role: str, clips: int, seed: int) -> None:
    """What is right and what is found in other people's speech, by the certainty asked for."""
    with sentences():
        from scripts.judging import certainty
        from scripts.judging.material import Material

        for language in dict.fromkeys(languages):
            material = Material.load(data, language, role, seed)
            say(f"{language}: single words")
            click.echo(f"\n{language}, hear --words, in percent:\n")
            click.echo(_table(certainty.words(material, clips), TOLERANT))
            say(f"{language}: commands")
            click.echo(f"\n{language}, every phrase open, in percent:\n")
            click.echo(_table(certainty.commands(material, clips), STRICT))


def _table(tests: Mapping[str, Sequence[Trace]], guards: Guards) -> str:
    from scripts.judging.certainty import share
    from scripts.judging.report import Row, table

    head = [f"{name} ({len(traces)})" for name, traces in tests.items()]
    wrong = [name for name in tests if name.startswith("right")]
    rows: list[Row] = [("certainty", *head, *(name.replace("right", "wrong") for name in wrong))]
    for at in CERTAINTIES:
        figures = [
            # What is found where there is nothing is wrong, whatever it is.
            share(traces, "right" if name.startswith("right") else "wrong", at)
            for name, traces in tests.items()
        ]
        figures += [share(tests[name], "wrong", at) for name in wrong]
        mark = " (now)" if at == guards.certainty else ""
        label = "none" if at == CERTAINTIES[0] else f"{at:g}{mark}"
        rows.append((label, *(f"{figure:.1f}" for figure in figures)))
    return table(rows, "l" + "r" * (len(rows[0]) - 1))
