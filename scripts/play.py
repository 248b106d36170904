"""Starts mexvoice from a checkout, installing it first where needed.

``python3 scripts/play.py --lang fr --players Anna,Ben`` starts ``mexvoice play`` with these options;
``python3 scripts/play.py demo --lang fr`` starts ``mexvoice demo``, and so on.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts import environment, system

# These are questions about the whole program, not options of `play`.
_WHOLE_PROGRAM = ("--help", "-h", "--version")


def words(arguments: Sequence[str]) -> list[str]:
    """The arguments for ``mexvoice``: `play` is what is meant when no command is named."""
    if arguments and (not arguments[0].startswith("-") or arguments[0] in _WHOLE_PROGRAM):
        return ["--help" if arguments[0] == "-h" else arguments[0], *arguments[1:]]
    return ["play", *arguments]


def main() -> int:
    """Makes everything ready and hands over to mexvoice; returns its exit status."""
    try:
        environment.require_python()
        environment.prepare()
    except environment.SetupError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. Starting again goes on with the installation.", file=sys.stderr)
        return 130
    system.install_missing()
    command = [str(environment.program("mexvoice")), *words(sys.argv[1:])]
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.call(command)  # Windows has no true exec: the shell would not wait


if __name__ == "__main__":
    sys.exit(main())
