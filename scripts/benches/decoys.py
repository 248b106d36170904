"""Which decoys of a locale are worth having: the commands each loses, and the talk each keeps out."""

from __future__ import annotations

from pathlib import Path

import click

from scripts.judging.options import judging, say, sentences

_EXAMPLES = 4


@click.command()
@judging
@click.option(
    "--role",
    type=click.Choice(["train", "tune"]),
    default="train",
    show_default=True,
    help="Whose voices: those of the test must not choose what is tested.",
)
@click.option("--clips", default=400, show_default=True, type=click.IntRange(10), help="Clips of each kind.")
@click.option("--ratio", type=float, help="dB of speech to noise.  [default: a quiet room]")
def command(
    languages: tuple[str, ...], data: Path, role: str, clips: int, ratio: float | None, seed: int
) -> None:
    """What each decoy costs in commands, and saves in talk that would be obeyed."""
    with sentences():
        from scripts.judging import decoys
        from scripts.judging.material import Material

        for language in dict.fromkeys(languages):
            say(language)
            material = Material.load(data, language, role, seed)
            people, voices = material.talk()
            talk = [*people[:: max(1, len(people) // clips)], *voices[:: max(1, len(voices) // clips)]]
            balance = decoys.weigh(material, material.commands(clips), talk, ratio)
            click.echo(f"\n{language}: commands lost, talk kept out, by decoy\n")
            total = balance.lost + balance.kept_out
            for decoy, _ in total.most_common():
                examples = "; ".join(balance.examples[decoy][:_EXAMPLES])
                click.echo(f"{balance.lost[decoy]:4} {balance.kept_out[decoy]:4}  {decoy}: {examples}")
