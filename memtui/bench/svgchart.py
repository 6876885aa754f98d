"""The chart as files: an SVG written by hand, and a PNG of it."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from memtui.bench.curves import Curve, Panel, panels_of, spread
from memtui.errors import InputError, StoreFullError

_COLOURS: Final[dict[str, str]] = {
    "memtui": "#0b6e4f",
    "naive6": "#c8553d",
    "naive10": "#b07aa1",
    "window20": "#3d7ea6",
    "stability+": "#0b6e4f",
    "stability": "#b8860b",
    "salience": "#b07aa1",
    "fsrs": "#c8553d",
    "strength": "#3d7ea6",
    "naive": "#555555",
    "window": "#7a5c2e",
}
"""Told apart by the colour-blind too: dark green, brick, mauve, steel; the dashes differ as well."""
_DASHES: Final[dict[str, str]] = {
    "memtui": "",
    "naive6": "7 4",
    "naive10": "2 3",
    "window20": "9 3 2 3",
    "stability+": "",
    "stability": "7 4",
    "salience": "2 3",
    "fsrs": "5 2 1 2",
    "strength": "9 3 2 3",
    "naive": "12 4",
    "window": "3 3",
}
_OTHERS: Final = (
    ("#0b6e4f", ""),
    ("#c8553d", "7 4"),
    ("#3d7ea6", "9 3 2 3"),
    ("#b07aa1", "2 3"),
    ("#b8860b", "5 2 1 2"),
    ("#555555", "12 4"),
)
"""Colour and dashes of curves that are no agent's, by their place, as in the terminal; the first is drawn bold."""
_BOLD: Final = ("memtui", "stability+")
_INK, _FAINT, _LINE, _PAPER = "#1c2128", "#68717d", "#e3e7ec", "#ffffff"
_FONT: Final = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
_WIDTH, _HEIGHT = 1260, 440
_MARGIN, _TOP, _GAP = 52, 104, 26
_LABELS: Final = 106
"""Room right of each plot for the curves' names."""
_WIDE_LABELS: Final = 140
"""The same where there is one plot alone."""
_PLOT_HEIGHT: Final = _HEIGHT - _TOP - 62
_UNFIT: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")
_ZOOM: Final = 2
"""Pixels of the PNG to a unit of the SVG."""


def need_png() -> None:
    """Say early that the PNG can't be made.

    Raises:
        InputError: the extra is not installed.
    """
    if not can_paint():
        raise InputError(
            "--chart: the PNG needs the extra 'chart', which is not installed.",
            safe="Nothing was run.",
            todo="Install it with: pip install 'memtui[chart]'. Without --chart the chart is drawn in the terminal.",
        )


def chart_warning() -> str:
    """Say early that the PNG can't be made, or (in what is returned) that it will be without words; "" when all is well.

    Raises:
        InputError: the extra is not installed.
    """
    need_png()
    return "" if png_has_words() else "chart: no font is installed here, so the PNG will hold no words; the SVG does."


def png_has_words() -> bool:
    """Whether this machine has a font for the PNG's words; without one they would be left out in silence."""
    import resvg_py

    frame = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="{_FONT}">{{}}</svg>'
    blank, lettered = (bytes(resvg_py.svg_to_bytes(svg_string=frame.format(t))) for t in ("", '<text y="16">M</text>'))
    return blank != lettered


def write_charts(record: Mapping[str, Any], folder: Path) -> tuple[Path, Path]:
    """Write `NAME.svg` and `NAME.png` of a scenario's record into `folder` (made if absent); returns both paths.

    A name that was taken by another scenario of the run gets a number: the caller passes unique `scenario` names.

    Raises:
        InputError: the extra for the PNG is not installed.
        StoreFullError: the folder can't be written.
    """
    return write_drawing(svg_of(record), folder, Path(str(record["scenario"])).stem)


def write_drawing(svg: str, folder: Path, stem: str) -> tuple[Path, Path]:
    """Write a drawing as `STEM.svg` and `STEM.png` into `folder`; raises as `write_charts` does."""
    need_png()
    try:
        drawn, *painted = save_drawing(svg, folder, stem)
    except OSError as error:
        raise StoreFullError(
            f"{folder} can't be written: {error.strerror or error}.", todo="Name another folder with --chart."
        ) from error
    return drawn, painted[0]


def save_drawing(svg: str, folder: Path, stem: str) -> list[Path]:
    """Write `STEM.svg` into `folder` (made if absent), and `STEM.png` where the extra for it is installed.

    Raises:
        OSError: the folder can't be written.
    """
    drawn, painted = folder / f"{stem}.svg", folder / f"{stem}.png"
    folder.mkdir(parents=True, exist_ok=True)
    drawn.write_text(svg, encoding="utf-8")
    if not can_paint():
        return [drawn]
    import resvg_py

    painted.write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_ZOOM, font_family="DejaVu Sans")))
    return [drawn, painted]


def can_paint() -> bool:
    """Whether what makes the PNG is installed."""
    return importlib.util.find_spec("resvg_py") is not None


def svg_of(record: Mapping[str, Any]) -> str:
    """The three panels of a scenario side by side as one SVG document."""
    probes = next(iter(record["agents"].values()))["n"]
    said = f"{record['turns']} turns, {probes} probes, {record['mind']}; tokens: mean of ten turns"
    return drawing(str(record["scenario"]), said, panels_of(record))


def drawing(title: str, said: str, panels: Sequence[Panel]) -> str:
    """Panels side by side as one SVG document, under a title and a line of what was measured."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="{_FONT}" font-size="13">',
        f"<title>{_text(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="10" fill="{_PAPER}"/>',
        _label(24, 38, title, _INK, size=20, weight="bold"),
        _label(24, 60, said, _FAINT),
    ]
    room = (_WIDTH - 2 * 20 - (len(panels) - 1) * _GAP) / max(1, len(panels))
    for number, panel in enumerate(panels):
        left = 20 + _MARGIN - 16 + number * (room + _GAP)
        labels = _LABELS if len(panels) > 1 else _WIDE_LABELS
        parts.extend(_panel(panel, _Plot(left, room - _MARGIN - labels + 4)))
    return "\n".join([*parts, "</svg>\n"])


class _Plot(NamedTuple):
    """Where a panel's plot stands."""

    left: float
    width: float

    @property
    def right(self) -> float:
        return self.left + self.width

    def x(self, panel: Panel, turn: float) -> float:
        steps = panel.turns - panel.first
        return self.left + self.width * ((turn - panel.first) / steps if steps > 0 else 0.5)


def _panel(panel: Panel, plot: _Plot) -> list[str]:
    bottom, left = _TOP + _PLOT_HEIGHT, plot.left
    parts = [_label(left, _TOP - 14, _short(panel.title), _INK, weight="bold")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = bottom - share * _PLOT_HEIGHT
        colour = _FAINT if share == 0 else _LINE
        parts.append(f'<path d="M{left:.1f} {y:.1f}H{plot.right:.1f}" stroke="{colour}" stroke-width="1"/>')
        if share in (0.0, 0.5, 1.0):
            parts.append(_label(left - 8, y + 4.5, panel.said(share * panel.top), _FAINT, anchor="end"))
    for turn in panel.ticks:
        x = plot.x(panel, turn)
        parts.append(f'<path d="M{x:.1f} {bottom:.1f}v5" stroke="{_FAINT}"/>')
        parts.append(_label(x, bottom + 21, str(turn), _FAINT, anchor="middle"))
    parts.append(_label(left + plot.width / 2, bottom + 42, panel.axis, _FAINT, anchor="middle"))
    parts.extend(_line(curve, panel, plot) for curve in reversed(panel.curves))
    parts.extend(_names(panel, plot))
    return parts


def _look(panel: Panel, name: str) -> tuple[str, str, bool]:
    """Colour, dashes and boldness of a curve."""
    if name in _COLOURS:
        return _COLOURS[name], _DASHES[name], name in _BOLD
    place = [curve.agent for curve in panel.curves].index(name)
    colour, dashes = _OTHERS[place % len(_OTHERS)]
    return colour, dashes, place == 0


def _line(curve: Curve, panel: Panel, plot: _Plot) -> str:
    points = [(plot.x(panel, x), _y(panel, y)) for x, y in curve.points]
    colour, dashes, bold = _look(panel, curve.agent)
    if len(points) == 1:
        return f'<circle cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="4" fill="{colour}"/>'
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    width = 3.2 if bold else 1.9
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    style = f'fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"'
    dots = points[: -1 if len(points) > 2 else None] if panel.shares and not curve.ends else []
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width:.1f}" fill="{colour}"/>' for x, y in dots)
    return f'<path d="{path}" {style}{dashed}/>{marks}'


def _names(panel: Panel, plot: _Plot) -> list[str]:
    """Each curve's name and last value beside its end, joined to it by a thin line where it had to move."""
    ends = [_y(panel, curve.last) for curve in panel.curves]
    places = spread(ends, 17.0, _TOP + 4.0, _TOP + _PLOT_HEIGHT - 4.0)
    parts = []
    for curve, end, place in zip(panel.curves, ends, places, strict=True):
        colour, _, bold = _look(panel, curve.agent)
        from_x = plot.x(panel, curve.points[-1][0]) if curve.ends else plot.right
        join = f"M{from_x + 2:.1f} {end:.1f}L{plot.right + 12:.1f} {place:.1f}"
        parts.append(f'<path d="{join}" fill="none" stroke="{colour}" stroke-width="1" opacity="0.6"/>')
        weight, said = "bold" if bold else "normal", f"{curve.agent} {panel.said(curve.last)}"
        parts.append(_label(plot.right + 16, place + 4.5, said, colour, weight=weight))
    return parts


def _y(panel: Panel, value: float) -> float:
    return _TOP + _PLOT_HEIGHT * (1 - min(1.0, max(0.0, value / panel.top)))


def _short(title: str) -> str:
    return title.partition(" (")[0]


def _label(
    x: float, y: float, text: str, colour: str, *, size: int = 13, weight: str = "normal", anchor: str = "start"
) -> str:
    looks = f'fill="{colour}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {looks}>{_text(text)}</text>'


def _text(value: object) -> str:
    """XML text; characters that XML can't hold are left out."""
    return escape("".join(c for c in str(value) if c in "\t\n" or (c >= " " and not _UNFIT.match(c))))


def unique_names(files: Sequence[Path]) -> list[str]:
    """A name for each file, such as `a.jsonl`; where two share one the later gets `a-2.jsonl`."""
    out: list[str] = []
    for file in files:
        name, number = file.name, 1
        while name in out:
            number += 1
            name = f"{file.stem}-{number}{file.suffix}"
        out.append(name)
    return out
