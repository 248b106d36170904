"""How well a table is heard: held-out voices in quiet and in noise, people, and other people's talk."""

from __future__ import annotations

import json
from pathlib import Path

import click

from scripts.judging.options import fail, judging, say, sentences


@click.command()
@judging
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
    reports = []
    with sentences():
        from scripts.judging.picture import draw
        from scripts.judging.trial import Plan, judge

        plan = Plan(data, clips, hours, seed)
        for language in dict.fromkeys(languages):
            report = judge(language, plan, say)
            click.echo(report.markdown())
            reports.append(report)
            # After every language: whoever stops it keeps what there is.
            try:
                if chart is not None:
                    chart.write_text(draw(reports, "How well a table is heard"), encoding="utf-8")
                if as_json is not None:
                    text = json.dumps([one.json() for one in reports], ensure_ascii=False, indent=1)
                    as_json.write_text(text + "\n", encoding="utf-8")
            except OSError as error:
                fail(f"The results could not be written ({error}): choose another file.")
