"""The results as a picture: for every figure a bar a language, and a mark at what is asked for.

SVG written by the standard library, as the league table is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as xml

from scripts.judging.report import Report
from scripts.judging.target import Target, targets

_MARGIN: Final = 24
_PANEL: Final = 330
_GAP: Final = 36
_COLUMNS: Final = 2
_NAMES: Final = 34
_BAR: Final = 200
"""From nothing to the end of the scale."""
_ROW: Final = 20
_HEAD: Final = 44
_TOP: Final = 64
_BROKEN: Final = 60.0
"""The scale of a share that must be high begins here, in percent: what matters is what is missing."""

_STYLE: Final = """
text { fill: #1f2328; }
.title { font-size: 18px; font-weight: 600; }
.heading { font-weight: 600; }
.asked { fill: #59636e; }
.ground { fill: #ffffff; }
.met { fill: #2f6db5; }
.missed { fill: #b5562f; }
.mark { stroke: #1f2328; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .asked { fill: #9198a1; } .ground { fill: #0d1117; }
  .met { fill: #5b9bea; } .missed { fill: #e0855c; } .mark { stroke: #e6edf3; }
}
"""


def draw(reports: Sequence[Report], title: str) -> str:
    """The picture as SVG: one panel a figure that was measured, one bar a language."""
    keys = [
        target.key
        for target in targets(reports[0].language)
        if any(target.key in report.figures for report in reports)
    ]
    lines = -(-len(keys) // _COLUMNS)
    high = _HEAD + len(reports) * _ROW + _GAP // 2
    width = 2 * _MARGIN + _COLUMNS * (_PANEL + _GAP) - _GAP
    height = _TOP + lines * high + _MARGIN
    svg = xml.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": f"{width}",
            "height": f"{height}",
            "viewBox": f"0 0 {width} {height}",
            "role": "img",
            "font-family": "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
            "font-size": "12",
        },
    )
    xml.SubElement(svg, "title").text = title
    xml.SubElement(svg, "style").text = _STYLE
    xml.SubElement(svg, "rect", {"class": "ground", "width": f"{width}", "height": f"{height}"})
    _text(svg, _MARGIN, 38, title, "title")
    for place, key in enumerate(keys):
        left = _MARGIN + place % _COLUMNS * (_PANEL + _GAP)
        _panel(svg, left, _TOP + place // _COLUMNS * high, key, reports)
    return xml.tostring(svg, encoding="unicode") + "\n"


def _panel(svg: xml.Element, left: int, top: int, key: str, reports: Sequence[Report]) -> None:
    asked = [_target(report, key) for report in reports]
    figures = [report.figures.get(key) for report in reports]
    _text(svg, left, top + 12, asked[0].heading or asked[0].what, "heading")
    same = len({target.least for target in asked}) == 1
    _text(svg, left, top + 28, asked[0].asked() if same else "less than Whisper base", "asked")
    lowest, highest = _scale(asked, [figure for figure in figures if figure is not None])

    def across(value: float) -> float:
        return _BAR * (min(max(value, lowest), highest) - lowest) / ((highest - lowest) or 1.0)

    for row, (report, target, figure) in enumerate(zip(reports, asked, figures, strict=True)):
        base = top + _HEAD + row * _ROW
        begin = left + _NAMES
        _text(svg, left, base + 10, report.language, "name")
        shown = "not measured" if figure is None else target.shown(figure)
        end = 0.0 if figure is None else across(figure)
        if figure is not None:
            kind = "met" if target.met(figure) else "missed"
            size = {"width": f"{end:.1f}", "height": "12", "rx": "2"}
            xml.SubElement(svg, "rect", {"class": kind, "x": f"{begin}", "y": f"{base}", **size})
        mark = begin + across(target.least)
        ends = {"x1": f"{mark:.1f}", "x2": f"{mark:.1f}", "y1": f"{base - 3}", "y2": f"{base + 15}"}
        xml.SubElement(svg, "line", {"class": "mark", **ends})
        _text(svg, begin + max(end, across(target.least)) + 6, base + 10, shown, "figure")


def _target(report: Report, key: str) -> Target:
    return next(target for target in targets(report.language) if target.key == key)


def _scale(asked: Sequence[Target], figures: Sequence[float]) -> tuple[float, float]:
    if asked[0].more_is_better:
        return min(_BROKEN, *figures, 100.0), 100.0
    return 0.0, 1.05 * max(*(target.least for target in asked), *figures)


def _text(svg: xml.Element, x: float, y: float, text: str, kind: str) -> None:
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": kind}
    xml.SubElement(svg, "text", attributes).text = text
