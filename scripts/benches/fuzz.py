"""Bad input, at length: sound, locales, phrases, matches, names, records, models and options, all harmed.

The law: exit status 0, 1 or 2; never a traceback, a hang, or a control character of the input on the
terminal; a sentence for every refusal. Most cases run in a worker process by the function the command line
calls, a share as processes of their own. Every failure is printed with its seed, and
``fuzz --only KIND --case SEED`` runs it again.
"""

import sys
import time

import click

from scripts.fuzzing.campaign import LIMIT_SECONDS, Failure, Report, Worker, run

KINDS = (
    "sound: hear",
    "sound: play",
    "sound: blocks",
    "locale",
    "phrases",
    "replay",
    "names",
    "names: spoken",
    "record",
    "model",
    "model: judge",
    "options",
    "screen",
)


def table(report: Report, seconds: float) -> str:
    """The counts, one line a kind."""
    heads = ("cases", "commands", "processes", "status 0", "refused", "seconds", "slowest", "failures")
    lines = [f"{'kind':16}" + "".join(f"{head:>11}" for head in heads)]
    for kind, tally in report.tallies.items():
        counts = (tally.cases, tally.commands, tally.processes, tally.accepted, tally.refused)
        lines.append(
            f"{kind:16}"
            + "".join(f"{count:11}" for count in counts)
            + f"{tally.seconds:11.0f}{tally.slowest:9.1f} s{tally.failures:11}"
        )
    cases = sum(tally.cases for tally in report.tallies.values())
    commands = sum(tally.commands for tally in report.tallies.values())
    failures = sum(tally.failures for tally in report.tallies.values())
    lines.append(
        f"{cases} cases, {commands} commands and calls in {seconds:.0f} s: {failures} failed, "
        f"of which {report.crashes} crashed and {report.hangs} hung"
    )
    return "\n".join(lines)


@click.command()
@click.option("--minutes", type=click.FloatRange(0), help="How long. [default: 1, without --cases]")
@click.option("--cases", type=click.IntRange(1), help="How many.")
@click.option("--seed", default=1, show_default=True, help="Of everything.")
@click.option("--only", type=click.Choice(KINDS), multiple=True, help="These kinds only.")
@click.option("--case", help="Run one case again, by the seed that was printed with it; needs --only.")
@click.option("--process", is_flag=True, help="With --case: as a process of its own.")
def command(
    minutes: float | None,
    cases: int | None,
    seed: int,
    only: tuple[str, ...],
    case: str | None,
    process: bool,
) -> None:
    """Throw harmed input of every kind at the program, and count what becomes of it."""
    if case is not None:
        if len(only) != 1:
            raise click.UsageError("--case needs one --only KIND.")
        try:
            answer = Worker().run({"kind": only[0], "seed": case, "process": process}, LIMIT_SECONDS)
        except TimeoutError:
            raise click.ClickException(f"no end within {LIMIT_SECONDS:.0f} s") from None
        except EOFError as death:
            raise click.ClickException(f"the process died, status {death.args[0]}") from None
        click.echo(f"statuses {answer['statuses']}; " + ("\n".join(answer["faults"]) or "nothing wrong"))
        sys.exit(1 if answer["faults"] else 0)
    if minutes is None and cases is None:
        minutes = 1.0
    started = time.monotonic()
    seconds = None if minutes is None else 60 * minutes
    report = run(only or KINDS, seed, cases, seconds, _tell)
    click.echo(table(report, time.monotonic() - started))
    sys.exit(1 if report.failures else 0)


def _tell(failure: Failure) -> None:
    click.echo(f"FAILED --only '{failure.kind}' --case {failure.seed}: {failure.fault!a:.600}")
