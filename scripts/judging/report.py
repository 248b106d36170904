"""The results of a language: figures against their targets, and what is behind each figure, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scripts.judging.tally import Tally
from scripts.judging.target import Target, targets

SHOWN = 25
"""Confusions of a figure that are listed, the most frequent first."""

Row = tuple[str, ...]


@dataclass
class Report:
    """All there is to tell about a language."""

    language: str
    """Its code."""
    figures: dict[str, float] = field(default_factory=dict)
    """By the key of the target; what was not measured is missing."""
    cases: dict[str, int] = field(default_factory=dict)
    """Clips (or whatever) behind a figure, by its key."""
    noise: dict[tuple[str, int], Tally] = field(default_factory=dict)
    """Commands in noise, by its kind and its ratio."""
    confusions: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    """What went wrong, by what was done: (said, heard) and how often."""
    remarks: list[str] = field(default_factory=list)
    """Further sentences."""

    def add(self, key: str, what: str, tally: Tally) -> None:
        """Take a test's shares of right and of wrong ones, and what was confused."""
        if tally.cases:
            self.figures[key], self.figures[f"{key}_wrong"] = tally.right_share, tally.wrong_share
            self.cases[key] = self.cases[f"{key}_wrong"] = tally.cases
        self.confusions[what] = dict(tally.confusions)

    def markdown(self) -> str:
        """The table of figures, the table of noises, and the confusions."""
        parts = [f"## {self.language}", "", self._figures(), ""]
        if self.noise:
            parts += ["Right in noise, by its kind and ratio:", "", self._noises(), ""]
        for remark in self.remarks:
            parts += [remark, ""]
        for what, pairs in self.confusions.items():
            parts += [_confusions(what, pairs), ""]
        return "\n".join(parts)

    def json(self) -> dict[str, Any]:
        """The same for other programs."""
        judged = targets(self.language)
        return {
            "language": self.language,
            "figures": self.figures,
            "cases": self.cases,
            "met": {
                target.key: target.met(self.figures[target.key])
                for target in judged
                if target.key in self.figures
            },
            "noise": [
                {"kind": kind, "db": ratio, "right": tally.right, "wrong": tally.wrong,
                 "missed": tally.missed}
                for (kind, ratio), tally in self.noise.items()
            ],
            "confusions": {
                what: [[*pair, times] for pair, times in _ordered(pairs)]
                for what, pairs in self.confusions.items()
            },
            "remarks": self.remarks,
        }  # fmt: skip

    def _figures(self) -> str:
        rows: list[Row] = [("what", "figure", "of", "asked for", "", "aim")]
        for target in targets(self.language):
            figure = self.figures.get(target.key)
            if figure is None:
                rows.append((target.what, "not measured", "", target.asked(), "", _aim(target)))
                continue
            verdict = "met" if target.met(figure) else "**missed**"
            cases = self.cases.get(target.key)
            shown = "" if cases is None else f"{cases}"
            rows.append((target.what, target.shown(figure), shown, target.asked(), verdict, _aim(target)))
        return table(rows, "lrrlll")

    def _noises(self) -> str:
        kinds = [*dict.fromkeys(kind for kind, _ in self.noise)]
        ratios = [*dict.fromkeys(ratio for _, ratio in self.noise)]
        rows: list[Row] = [("", *(f"{ratio} dB" for ratio in ratios), "all")]
        for kind in kinds:
            tallies = [self.noise[kind, ratio] for ratio in ratios]
            rows.append((kind, *map(_share, tallies), _share(Tally.of(tallies))))
        by_ratio = [Tally.of(self.noise[kind, ratio] for kind in kinds) for ratio in ratios]
        rows.append(("all", *map(_share, by_ratio), _share(Tally.of(by_ratio))))
        return table(rows, "l" + "r" * (len(ratios) + 1))


def table(rows: Sequence[Row], sides: str) -> str:
    """A Markdown table; the first row is its head, `sides` has "l" or "r" for each column."""
    lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("---:" if side == "r" else "---" for side in sides) + " |")
    return "\n".join(lines)


def _aim(target: Target) -> str:
    return "" if target.aim is None else f"{target.aim:g} {target.unit}".strip()


def _share(tally: Tally) -> str:
    return f"{tally.right_share:.0f} %" if tally.cases else "-"


def _ordered(pairs: Mapping[tuple[str, str], int]) -> list[tuple[tuple[str, str], int]]:
    return sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))


def _confusions(what: str, pairs: Mapping[tuple[str, str], int]) -> str:
    if not pairs:
        return f"{what}: nothing went wrong."
    shown = [
        f"{said} → {heard or '-'}" + (f" ×{times}" if times > 1 else "")
        for (said, heard), times in _ordered(pairs)[:SHOWN]
    ]
    more = len(pairs) - len(shown)
    return f"{what}: " + "; ".join(shown) + (f"; and {more} more" if more else "") + "."
