"""The picture of a match equity: the chance of winning at every score, and what a point is worth there."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from trucostats.plots import INK, MANO, PALE, PIE, headline, wrapped

SIZE: Final = (10.4, 5.9)
QUESTION: Final = "What is a score worth?"
CHANCES: Final = LinearSegmentedColormap.from_list("chances", [PIE, "#ffffff", MANO])
POINTS: Final = LinearSegmentedColormap.from_list("points", ["#ffffff", "#9ecae1", MANO, "#08306b"])
TENTHS: Final = [level / 10 for level in range(1, 10)]
STEPS: Final = (0.02, 0.04, 0.06, 0.1, 0.2)
# Near the end a point is worth many times what it is elsewhere; all above this is of one colour.
MOST: Final = 0.15


def draw_equity(table: pa.Table, axes: Axes) -> Axes:
    """Draw the table of a match equity (`MatchEquity.arrow`) into the axes and return them.

    Left, the chance of side 0, mano in the next hand, with a line for each tenth; right, what a point is worth to it. Made for a
    figure of `SIZE` inches.
    """
    rows = table.to_pylist()
    target = 1 + max(row["score_0"] for row in rows)
    chance = [[0.0] * target for _ in range(target)]
    point = [[0.0] * target for _ in range(target)]
    for row in rows:
        chance[row["score_0"]][row["score_1"]] = row["chance_mano"]
        point[row["score_0"]][row["score_1"]] = row["point_mano"]
    axes.set_axis_off()
    left, right = axes.inset_axes((0.06, 0.08, 0.415, 0.84)), axes.inset_axes((0.585, 0.08, 0.415, 0.84))
    _panel(left, chance, TENTHS, "chance to win the match", CHANCES, (0.0, 1.0), percent=True)
    top = max(map(max, point))
    _panel(
        right, point, [step for step in STEPS if step < top], "worth of a point", POINTS, (0.0, min(top, MOST)), False
    )
    about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    said = f"{about.get('rules', '')}, to {about.get('target', target)} points; own side mano in the next hand. How hands end: {about.get('outcomes', '')}."
    headline(axes, QUESTION, wrapped(said, int(12 * SIZE[0])))
    return axes


def _panel(
    panel: Axes,
    values: list[list[float]],
    levels: list[float],
    title: str,
    colours: LinearSegmentedColormap,
    limits: tuple[float, float],
    percent: bool,
) -> None:
    panel.imshow(
        values, origin="lower", cmap=colours, vmin=limits[0], vmax=limits[1], aspect="equal", interpolation="nearest"
    )
    if len(values) > 1 and levels:
        lines = panel.contour(values, levels=levels, colors=INK, linewidths=0.8)
        panel.clabel(lines, fmt=lambda level: f"{100 * level:.0f} %" if percent else f"{level:.2f}", fontsize=8)
    panel.set_title(title, loc="left", fontsize=10.5, fontweight="bold", color=INK)
    panel.set_xlabel("points of the rival", color=INK)
    panel.set_ylabel("own points", color=INK)
    step = 5 if len(values) > 15 else 2
    ticks = list(range(0, len(values), step))
    panel.set_xticks(ticks)
    panel.set_yticks(ticks)
    for side in panel.spines.values():
        side.set_color(PALE)
    panel.tick_params(colors=INK, labelsize=9, length=0)


__all__ = ["QUESTION", "SIZE", "draw_equity"]
