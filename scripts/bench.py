"""Measure one part of mexvoice: ``python scripts/bench.py NAME``; ``--help`` lists the names.

Every module of ``scripts/benches`` is one benchmark, of the module's name. It is imported only when it is
asked for, or listed, so that a benchmark needs no more than what it measures.
"""

import importlib
import sys
from pathlib import Path
from typing import cast

import click

_BENCHES = Path(__file__).resolve().parent / "benches"


class Benches(click.Group):
    """The modules of ``scripts/benches`` as subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the context is click's
        """The names of the benchmarks."""
        return sorted(path.stem for path in _BENCHES.glob("*.py") if path.stem != "__init__")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The benchmark of that name; None if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        root = str(_BENCHES.parent.parent)
        if root not in sys.path:  # run as a script, only the script's own folder is there
            sys.path.insert(0, root)
        return cast(click.Command, importlib.import_module(f"scripts.benches.{cmd_name}").command)


@click.command(cls=Benches)
def main() -> None:
    """Measure one part of mexvoice on this machine."""


if __name__ == "__main__":
    main()
