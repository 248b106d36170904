"""How much of what is nearly a command is obeyed."""

from __future__ import annotations

import click

from scripts.judging.options import say, sentences, speaking


@click.command()
@speaking
@click.option("--clips", default=200, show_default=True, type=click.IntRange(1), help="Texts a language.")
@click.option("--list", "listed", is_flag=True, help="Show what was obeyed, and as what.")
def command(languages: tuple[str, ...], seed: int, clips: int, listed: bool) -> None:
    """Phrases with a word too many, too few or another one: in a quiet room, no talk before them."""
    with sentences():
        from scripts.judging.nearly import outcomes

        for language in dict.fromkeys(languages):
            say(language)
            found = list(outcomes(language, clips, seed))
            obeyed = [one for one in found if one.obeyed]
            click.echo(f"{language}: {len(obeyed)} of {len(found)} obeyed")
            for one in obeyed if listed else ():
                click.echo(f"  {one.text}: {one.heard}")
