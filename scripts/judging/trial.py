"""The whole judgement of one language, part by part, each on the clips that are meant for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scripts.judging import commands, cost, evening, people
from scripts.judging.chain import Chain
from scripts.judging.material import Material
from scripts.judging.report import Report
from scripts.judging.talk import Talk
from scripts.judging.tally import Tally
from scripts.training.evaluate import Vocabulary
from scripts.training.texts import tested_words


@dataclass(frozen=True)
class Plan:
    """How much is played."""

    data: Path
    """Folder of the training data."""
    clips: int = 200
    """Clips in quiet, and of people, at most."""
    hours: float = 2.0
    """Of table talk where the machine throws, and a quarter as long where people do; 0 for none."""
    seed: int = 1
    """Of all that is random."""
    noisy: float = 0.3
    """So large a part of the clips in quiet is played in noise, at every ratio."""
    foreign: float = 2.0
    """So many times as many clips of foreign people are played."""


def judge(language: str, plan: Plan, say: Callable[[str], None]) -> Report:
    """Measure everything of a language; `say` is told what is being done.

    Raises:
        MexvoiceError: without test voices, or without a model.
    """
    material = Material.load(plan.data, language, seed=plan.seed)
    report = Report(language)
    _commands(material, plan, report, say)
    _people(material, plan, report, say)
    _cost(material, plan, report, say)
    if plan.hours:
        _evening(material, plan, report, say)
    return report


def _commands(material: Material, plan: Plan, report: Report, say: Callable[[str], None]) -> None:
    chain = Chain(material.language, material.players)
    chosen = material.commands(plan.clips)
    say(f"{material.language}: {len(chosen)} commands in quiet")
    report.add("quiet", "Commands in quiet", commands.in_quiet(chain, material, chosen))
    few = material.commands(max(1, round(plan.clips * plan.noisy)))
    say(f"{material.language}: {len(few)} commands in noise")
    report.noise = commands.in_noise(chain, material, few)
    report.add("noise", "Commands in noise", Tally.of(report.noise.values()))


def _people(material: Material, plan: Plan, report: Report, say: Callable[[str], None]) -> None:
    words = tested_words(material.language)
    vocabulary = Vocabulary.of_words(material.language, material.pronouncer)
    say(f"{material.language}: single words of people")
    report.add("words", "Single words of people", people.right_words(material, vocabulary, words))
    texts, short = people.short_texts(material)
    say(f"{material.language}: all {len(short)} short texts of people")
    tally = people.right_words(material, texts, short)
    report.add("texts", f"All {len(short)} short texts of people", tally)
    foreign = material.foreigners(round(plan.clips * plan.foreign))
    say(f"{material.language}: {len(foreign)} clips of foreign people")
    found = people.false_words(material, vocabulary, words, foreign)
    if found.cases:
        report.figures["foreign"], report.cases["foreign"] = found.wrong_share, found.cases
    report.confusions["Words in foreign people's clips"] = dict(found.confusions)


def _cost(material: Material, plan: Plan, report: Report, say: Callable[[str], None]) -> None:
    say(f"{material.language}: time and memory")
    spent = cost.of_language(material, max(1, round(plan.clips * plan.noisy)), plan.seed)
    if spent.delays:
        report.figures["delay"] = 1000 * float(np.median(spent.delays))
        report.figures["late"] = 1000 * float(np.percentile(spent.delays, 95))
        report.cases["delay"] = report.cases["late"] = len(spent.delays)
    report.figures["factor"] = spent.factor
    report.cases["factor"] = spent.clips
    report.figures["load"] = spent.load
    report.figures["memory"] = cost.memory()
    report.figures["size"] = spent.size / 1e6
    report.remarks.append(f"With the names of eight players a model is loaded in {spent.with_names:.2f} s.")


def _evening(material: Material, plan: Plan, report: Report, say: Callable[[str], None]) -> None:
    spent = evening.spend(
        Talk(material, plan.seed),
        material.language,
        material.players,
        plan.hours / (1 - evening.SPOKEN_SHARE),
        plan.seed,
        say,
    )
    actions = spent.actions()
    others = [one for one in spent.false if not one.action]
    for key, dice_said in (("actions", False), ("dice", True)):
        report.cases[key], report.figures[key] = spent.where(dice_said)
    kept_out = ", ".join(f"{reason} {times}" for reason, times in spent.kept_out.most_common())
    report.remarks.append(
        f"In {spent.seconds / 3600:.2f} hours of talk ({spent.speech_seconds / 3600:.2f} of speech) beside a "
        f"running match, {spent.dice_said_seconds / 3600:.2f} of them with dice said: "
        f"{len(actions)} game actions, "
        f"{len(others)} other commands ({spent.an_hour(len(others)):.1f} an hour), "
        f"{spent.answers} answers without a command. "
        f"Kept out, by the reason: {kept_out or 'nothing'}."
    )
    for what, found in (("Game actions", actions), ("Other commands", others)):
        pairs: dict[tuple[str, str], int] = {}
        for one in found:
            pair = (f"{one.said} [{one.situation}]", f"{one.heard} ({one.certainty:.1f})")
            pairs[pair] = pairs.get(pair, 0) + 1
        report.confusions[f"{what} by talk"] = pairs
