"""The league table as a picture: a bar for each figure of each player.

It is written as SVG, as text by the standard library: sharp at every size, opened by every browser, the
figures still text that can be searched, and no plotting library to install for a few bars.
"""

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as xml

from mexvoice.ledger.league import COLUMNS, Line

HEADINGS: Final = {
    "matches": "Matches",
    "wins": "Wins",
    "rounds_lost": "Rounds lost",
    "mexes": "Mexes",
    "points": "Points",
    "longest_life": "Longest life (rounds)",
}
"""What the figures of a line are called."""

LONGEST_NAME: Final = 22
"""Characters of a name that have room beside the bars."""

_NAMES: Final = 190
_PANEL: Final = 150
_GAP: Final = 24
_BAR: Final = 96
"""The longest bar; the rest of a panel is for its figure."""
_FIGURE: Final = 38
"""Room for a figure of four digits and a sign."""
_ROW: Final = 26
_TOP: Final = 84
_MARGIN: Final = 24

_STYLE: Final = """
text { fill: #1f2328; }
.title { font-size: 18px; font-weight: 600; }
.heading { fill: #59636e; }
.figure { font-variant-numeric: tabular-nums; }
.ground { fill: #ffffff; }
.bar { fill: #2f6db5; }
.below { fill: #b5562f; }
.axis { stroke: #8c959f; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .heading { fill: #9198a1; } .ground { fill: #0d1117; }
  .bar { fill: #5b9bea; } .below { fill: #e0855c; } .axis { stroke: #656c76; }
}
"""


def draw(lines: Sequence[Line], title: str) -> str:
    """The picture of a league table as SVG: players from top to bottom, one panel of bars for each figure.

    Bars of one panel have one scale; figures below zero go to the left of the panel's axis.
    """
    width = 2 * _MARGIN + _NAMES + len(COLUMNS) * (_PANEL + _GAP) - _GAP
    height = _TOP + len(lines) * _ROW + _MARGIN
    svg = xml.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": f"{width}",
            "height": f"{height}",
            "viewBox": f"0 0 {width} {height}",
            "role": "img",
            "font-family": "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
            "font-size": "13",
        },
    )
    xml.SubElement(svg, "title").text = title
    xml.SubElement(svg, "style").text = _STYLE
    xml.SubElement(svg, "rect", {"class": "ground", "width": f"{width}", "height": f"{height}"})
    _text(svg, _MARGIN, 38, title, "title")
    for row, line in enumerate(lines):
        name = line.player
        if len(name) > LONGEST_NAME:
            name = name[: LONGEST_NAME - 1] + "…"
        _text(svg, _MARGIN, _base(row), name, "name")
    for place, column in enumerate(COLUMNS):
        left = _MARGIN + _NAMES + place * (_PANEL + _GAP)
        _panel(svg, left, HEADINGS[column], [getattr(line, column) for line in lines])
    return xml.tostring(svg, encoding="unicode", xml_declaration=False) + "\n"


def _panel(svg: xml.Element, left: int, heading: str, figures: Sequence[int]) -> None:
    _text(svg, left, _TOP - 14, heading, "heading")
    lowest, highest = min(0, *figures, 0), max(0, *figures, 0)
    # Figures below zero need room for their text on the left of the bars.
    room = _FIGURE if lowest < 0 else 0
    scale = (_BAR - room) / ((highest - lowest) or 1)
    zero = left + room - lowest * scale
    for row, figure in enumerate(figures):
        length = abs(figure) * scale
        start = zero if figure >= 0 else zero - length
        top = _TOP + row * _ROW + 5
        xml.SubElement(
            svg,
            "rect",
            {
                "class": "bar" if figure >= 0 else "below",
                "x": f"{start:.1f}",
                "y": f"{top}",
                "width": f"{length:.1f}",
                "height": f"{_ROW - 10}",
                "rx": "2",
            },
        )
        if figure >= 0:
            _text(svg, zero + length + 5, _base(row), f"{figure}", "figure")
        else:
            _text(svg, start - 5, _base(row), f"\N{MINUS SIGN}{-figure}", "figure", anchor="end")
    bottom = _TOP + len(figures) * _ROW
    xml.SubElement(
        svg,
        "line",
        {"class": "axis", "x1": f"{zero:.1f}", "x2": f"{zero:.1f}", "y1": f"{_TOP}", "y2": f"{bottom}"},
    )


def _base(row: int) -> int:
    return _TOP + row * _ROW + 18


def _text(svg: xml.Element, x: float, y: float, text: str, kind: str, anchor: str = "start") -> None:
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": kind, "text-anchor": anchor}
    xml.SubElement(svg, "text", attributes).text = text
