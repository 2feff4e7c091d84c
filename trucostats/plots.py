"""Pictures of statistics: an Arrow table in, a matplotlib Axes out. Nothing here queries, opens a file or shows a window.

`PLOTS` holds one plot for each question: `.query` names the statistic whose table it takes, `.draw(table, axes)` draws it. The
pictures are made for `figure.subplots()` of a figure of `.size` inches with `layout="constrained"`.

>>> PLOTS["envido-wins"].query
'envido_win_by_value'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MultipleLocator

Row = dict[str, Any]
# Okabe and Ito's colours, told apart by readers with any colour vision, and in print by their lightness.
MANO: Final = "#0072B2"
PIE: Final = "#D55E00"
INK: Final = "#222222"
PALE: Final = "#6b6b6b"
GRID: Final = "#e4e4e4"
SMALL: Final = 30
LARGEST: Final = 80.0
SMALLEST: Final = 10.0
MARKERS: Final = {MANO: "o", PIE: "s"}
DASHES: Final = (0, (4, 2))
# No hand counts 8 to 19, so the axis leaves them out.
LAST_SINGLE, FIRST_PAIR, LAST_PAIR, BREAK = 7, 20, 33, 2
PERCENT: Final = FuncFormatter(lambda value, _: f"{100 * value:.0f} %")
# What accepting needs to win, where points are only points: (accepted - refused) / (2 * accepted).
BREAK_EVEN: Final = {"truco": 1 / 4, "truc": 1 / 4, "retruco": 1 / 6, "retruc": 1 / 6, "vale-cuatro": 1 / 8}
ONE_TWO_THREE_FOUR: Final = ("argentino", "rioplatense", "uruguayo", "gaucho", "truc")
LADDER: Final = ("truc", "truco", "retruc", "retruco", "seis", "nove", "dez", "vale-cuatro", "doze")


@dataclass(frozen=True, slots=True)
class Plot:
    """One picture: the statistic whose table it draws, the question it answers, the size it is made for in inches."""

    query: str
    question: str
    size: tuple[float, float]
    paint: Callable[[list[Row], Axes], str]

    def draw(self, table: pa.Table, axes: Axes) -> Axes:
        """Draw the table of the statistic into the axes and return them.

        A picture shows one rule set: of several, the one with the most cases, and says which it left out. A table without cases
        gives empty axes with a sentence.
        """
        rows, shown = _one_group([row for row in table.to_pylist() if row.get("n")])
        if rows:
            shown = f"{shown}. {self.paint(rows, axes)}"
        else:
            axes.text(
                0.5,
                0.5,
                _why_empty(table),
                transform=axes.transAxes,
                ha="center",
                va="center",
                color=PALE,
                fontsize=11,
                wrap=True,
            )
            axes.set_axis_off()
        headline(axes, self.question, wrapped(shown, int(12 * self.size[0])))
        return axes


def _one_group(rows: list[Row]) -> tuple[list[Row], str]:
    """Return the rows of the rule set (and split) with the most cases, and what to say of the choice."""
    counts: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = _group_of(row)
        counts[key] = counts.get(key, 0) + row["n"]
    if not counts:
        return [], ""
    chosen = max(counts, key=lambda key: counts[key])
    said = ", ".join(chosen)
    others = sorted(", ".join(key) for key in counts if key != chosen)
    if others:
        said += f" (not shown: {'; '.join(others[:2])}{f' and {len(others) - 2} more' if len(others) > 2 else ''})"
    return [row for row in rows if _group_of(row) == chosen], said


def _group_of(row: Row) -> tuple[str, ...]:
    return tuple(row[key] for key in ("rules", "split") if row.get(key) not in (None, "all"))


def _why_empty(table: pa.Table) -> str:
    reasons = sorted({f"{row['rules']}: {row['reason']}" for row in table.to_pylist() if row.get("reason")})
    return "\n".join(["No hand in this selection has a case to count.", *reasons[:3]])


def headline(axes: Axes, question: str, lines: list[str]) -> None:
    """Write the question above the axes, and under it what there is to say of the data."""
    pad = 11 + 12.5 * len(lines) + (17 if axes.get_legend() else 0)
    axes.set_title(question, loc="left", fontsize=13, fontweight="bold", color=INK, pad=pad)
    offset = 8 + (17 if axes.get_legend() else 0)
    axes.annotate(
        "\n".join(lines), (0, 1), xycoords="axes fraction", xytext=(0, offset), textcoords="offset points", ha="left", va="bottom",
        fontsize=9, color=PALE, linespacing=1.25, annotation_clip=False,
    )  # fmt: skip


def wrapped(text: str, width: int) -> list[str]:
    """Return a text as lines of about so many letters."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _legend(axes: Axes, handles: Sequence[Any]) -> None:
    axes.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), bbox_transform=axes.transAxes, ncols=len(handles), frameon=False,
        borderaxespad=0.2, borderpad=0, handletextpad=0.5, columnspacing=1.4, fontsize=9, labelcolor=INK,
    )  # fmt: skip


def _key(colour: str, label: str) -> Line2D:
    return Line2D([], [], color=colour, marker=MARKERS[colour], markersize=6.5, linestyle="none", label=label)


def _small_key() -> Line2D:
    return Line2D(
        [], [], color=PALE, marker="o", markersize=6.5, markerfacecolor="white", linestyle="none", label=f"n < {SMALL}"
    )


def _clean(axes: Axes) -> None:
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(PALE)
    axes.tick_params(colors=INK, labelsize=9, length=0)


def _areas(counts: Sequence[int], most: int) -> list[float]:
    return [SMALLEST + (LARGEST - SMALLEST) * count / most for count in counts]


def _dots(axes: Axes, x: Sequence[float], rows: Sequence[Row], colour: str, most: int) -> None:
    """Draw one marker for each row: its area says n, and it is hollow where n is small."""
    counts = [row["n"] for row in rows]
    faces = ["white" if count < SMALL else colour for count in counts]
    axes.scatter(
        x, [row["rate"] for row in rows], s=_areas(counts, most), marker=MARKERS[colour], facecolors=faces, edgecolors=colour, linewidths=1.1,
        zorder=4, clip_on=False,
    )  # fmt: skip


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


# The envido: how often each number wins.


def _place(value: int) -> int:
    return value if value <= LAST_SINGLE else value - FIRST_PAIR + LAST_SINGLE + BREAK


def _envido_wins(rows: list[Row], axes: Axes) -> str:
    most = max(row["n"] for row in rows)
    for colour, position, shift in ((MANO, "mano", -0.14), (PIE, "pie", 0.14)):
        own = sorted((row for row in rows if row["position"] == position), key=lambda row: int(row["value"]))
        for part in _parts(own):
            x = [_place(row["value"]) for row in part]
            low, high = [row["low"] for row in part], [row["high"] for row in part]
            exact = [float(row["reference"]) for row in part if row.get("reference") is not None]
            if len(part) > 1:
                axes.plot(x[: len(exact)], exact, color=colour, linewidth=1.4, linestyle=DASHES, zorder=2)
                axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0, zorder=1)
                for edge in (low, high):
                    axes.plot(x, edge, color=colour, alpha=0.45, linewidth=0.8, zorder=1)
            else:
                axes.vlines(x[0] + shift, low, high, color=colour, alpha=0.3, linewidth=5, zorder=1)
                axes.hlines(exact, x[0] - 0.3, x[0] + 0.3, color=colour, linewidth=1.4, linestyle=DASHES, zorder=2)
        _dots(axes, [_place(row["value"]) + shift for row in own], own, colour, most)
    _clean(axes)
    values = [*range(LAST_SINGLE + 1), *range(FIRST_PAIR, LAST_PAIR + 1)]
    axes.set_xticks([_place(value) for value in values], [str(value) for value in values])
    axes.text(
        (LAST_SINGLE + _place(FIRST_PAIR)) / 2,
        0,
        "//",
        ha="center",
        va="center",
        color=PALE,
        fontsize=11,
        backgroundcolor="white",
        zorder=5,
    )
    axes.set_xlim(-0.6, _place(LAST_PAIR) + 0.6)
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_locator(MultipleLocator(0.25))
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel("own envido (points; 8 to 19 do not exist)", color=INK)
    axes.set_ylabel("accepted envidos won", color=INK)
    handles = [_key(MANO, "mano"), _key(PIE, "pie"), _small_key()]
    if any(row.get("reference") is not None for row in rows):
        handles.append(Line2D([], [], color=INK, linewidth=1.3, linestyle=DASHES, label="exact, against any hand"))
    _legend(axes, handles)
    played = sum(row["n"] for row in rows)
    return (
        f"{_counted(played, 'number')} in accepted envidos of two players. Band: 95 % interval. Marker area: n, at most {most:,}. "
        "Who accepts tends to hold a good number, so wins lie below the exact curve." + _bias(rows)
    )


def _parts(rows: Iterable[Row]) -> list[list[Row]]:
    """Cut a sorted series where numbers are missing, so that no band bridges what nobody held."""
    parts: list[list[Row]] = []
    for row in rows:
        if parts and _place(row["value"]) == _place(parts[-1][-1]["value"]) + 1:
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def _bias(rows: list[Row]) -> str:
    return (
        " Only hands whose cards were seen (biased)."
        if any(row.get("selection") == "shown-only" for row in rows)
        else ""
    )


# The truco: who accepts what with which cards.


def _truco_acceptance(rows: list[Row], axes: Axes) -> str:
    words = sorted(
        {row["word"] for row in rows}, key=lambda word: (LADDER.index(word) if word in LADDER else len(LADDER), word)
    )
    buckets = _buckets([row["strength_from"] for row in rows])
    most = max(row["n"] for row in rows)
    base, _, options = rows[0]["rules"].partition(" ")
    plain = base in ONE_TWO_THREE_FOUR and "ladder=" not in options
    axes.set_axis_off()
    gap = 0.035
    width = (1 - gap * (len(words) - 1)) / len(words)
    for number, word in enumerate(words):
        panel = axes.inset_axes((number * (width + gap), 0.0, width, 0.86))
        _acceptance_panel(panel, [row for row in rows if row["word"] == word], buckets, most)
        need = BREAK_EVEN.get(word) if plain else None
        if need is not None:
            panel.axvline(need, color=INK, linewidth=1.2, linestyle=DASHES, zorder=2)
        calls = sum(row["n"] for row in rows if row["word"] == word)
        panel.set_title(
            f"n = {calls:,}" + (f"  ·  break-even {100 * need:.3g} %" if need is not None else ""),
            loc="left",
            fontsize=9,
            color=PALE,
        )
        panel.annotate(
            word.replace("-", " "), (0, 1), xycoords="axes fraction", xytext=(0, 19), textcoords="offset points", fontsize=10.5,
            fontweight="bold", color=INK,
        )  # fmt: skip
        if number:
            panel.tick_params(labelleft=False)
        else:
            panel.set_ylabel("calls accepted or raised", color=INK)
        if number == len(words) // 2:
            panel.set_xlabel("strength of the dealt cards (% of all rival hands they beat)", color=INK)
            if len(words) % 2 == 0:
                panel.xaxis.set_label_coords(0, -0.11)
    handles = [_key(MANO, "mano"), _key(PIE, "not mano"), _small_key()]
    if plain:
        handles.append(
            Line2D([], [], color=INK, linewidth=1.1, linestyle=DASHES, label="break-even: accepting pays to the right")
        )
    _legend(axes, handles)
    faced = sum(row["n"] for row in rows)
    said = (
        f"{_counted(faced, 'call')} answered with known cards. Bars: 95 % interval. Marker area: n, at most {most:,}."
    )
    return said + (" Break-even: the caller may hold anything, and no score is near the end." if plain else "")


def _buckets(starts: Sequence[float]) -> int:
    """Return into how many buckets the strength was cut, the usual 10 if that fits."""
    return next(
        (k for k in (10, *range(1, 101)) if all(abs(start * k - round(start * k)) < 1e-4 for start in starts)), 10
    )


def _acceptance_panel(panel: Axes, rows: list[Row], buckets: int, most: int) -> None:
    for colour, mano, shift in ((MANO, True, -0.09), (PIE, False, 0.09)):
        own = sorted(
            (row for row in rows if (row["position"] == "mano") == mano), key=lambda row: float(row["strength_from"])
        )
        x = [row["strength_from"] + (0.5 + shift) / buckets for row in own]
        panel.plot(x, [row["rate"] for row in own], color=colour, linewidth=1.2, alpha=0.75, zorder=2)
        panel.vlines(
            x,
            [row["low"] for row in own],
            [row["high"] for row in own],
            color=colour,
            linewidth=1.3,
            alpha=0.55,
            zorder=3,
        )
        _dots(panel, x, own, colour, most)
    _clean(panel)
    panel.set_xlim(0, 1)
    panel.set_ylim(0, 1.02)
    panel.xaxis.set_major_locator(MultipleLocator(0.25))
    panel.yaxis.set_major_locator(MultipleLocator(0.25))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}"))
    panel.yaxis.set_major_formatter(PERCENT)


# What it is worth to be mano.

MEASURES: Final = ("hands won", "accepted envidos won", "points per hand")


def _mano_advantage(rows: list[Row], axes: Axes) -> str:
    measures = [measure for measure in MEASURES if any(row["measure"] == measure for row in rows)]
    shares = [measure for measure in measures if measure != MEASURES[-1]]
    axes.set_axis_off()
    heights = [len(shares), len(measures) - len(shares)]
    unit = (1 - 0.22) / sum(heights)
    left, top = 0.2, 0.97
    for group, height in ((shares, heights[0]), (measures[len(shares) :], heights[1])):
        if group:
            panel = axes.inset_axes((left, top - unit * height, 1 - left, unit * height))
            _advantage_panel(panel, group, rows)
            top -= unit * height + 0.2
    handles = [_key(MANO, "mano's side"), _key(PIE, "other side")]
    exact = {row["side"]: float(row["reference"]) for row in rows if row["reference"] is not None}
    if exact:
        said = " / ".join(f"{100 * share:.2f} %" for share in exact.values())
        handles.append(
            Line2D(
                [],
                [],
                color=INK,
                marker="|",
                markersize=13,
                markeredgewidth=1.4,
                linestyle="none",
                label=f"exact for envidos, if all were accepted: {said}",
            )
        )
    _legend(axes, handles)
    hands = next((row["n"] for row in rows if row["measure"] == MEASURES[-1]), max(row["n"] for row in rows))
    return f"{_counted(hands, 'hand')}. Bars: 95 % interval."


def _advantage_panel(panel: Axes, measures: list[str], rows: list[Row]) -> None:
    percent = MEASURES[-1] not in measures
    names = []
    for place, measure in enumerate(measures):
        pair = [row for row in rows if row["measure"] == measure]
        names.append(f"{measure}\nn = {pair[0]['n']:,}")
        for row in pair:
            colour, lift = (MANO, -0.17) if row["side"] == "mano" else (PIE, 0.17)
            at, value = place + lift, float(row["value"])
            ends = [value if row[end] is None else float(row[end]) for end in ("low", "high")]
            panel.hlines(at, ends[0], ends[1], color=colour, linewidth=2.2, alpha=0.6, zorder=3)
            panel.scatter(
                [value],
                [at],
                s=58,
                marker=MARKERS[colour],
                facecolors="white" if row["n"] < SMALL else colour,
                edgecolors=colour,
                zorder=4,
            )
            said = f"{100 * value:.1f} %" if percent else f"{value:.2f}"
            panel.annotate(
                said, (value, at), xytext=(0, 8 if lift < 0 else -8), textcoords="offset points", ha="center",
                va="bottom" if lift < 0 else "top", fontsize=9, color=colour, fontweight="bold",
            )  # fmt: skip
            if row["reference"] is not None:
                panel.vlines(float(row["reference"]), at - 0.12, at + 0.12, color=INK, linewidth=1.4, zorder=2)
    _clean(panel)
    panel.grid(visible=False)
    panel.grid(axis="x", color=GRID, linewidth=0.8)
    panel.set_yticks(range(len(measures)), names)
    panel.set_ylim(len(measures) - 0.45, -0.55)
    ends = [
        float(row[end])
        for row in rows
        if row["measure"] in measures
        for end in ("low", "high", "reference")
        if row[end] is not None
    ]
    if percent:
        reach = max(0.1, *(abs(end - 0.5) for end in ends)) + 0.03
        panel.set_xlim(0.5 - reach, 0.5 + reach)
        panel.axvline(0.5, color=PALE, linewidth=1, zorder=1)
        panel.xaxis.set_major_formatter(PERCENT)
        panel.set_xlabel("share won", color=INK, fontsize=9)
    else:
        panel.set_xlim(0, max([*ends, 1.0]) * 1.1)
        panel.set_xlabel("points the side takes per hand", color=INK, fontsize=9)


PLOTS: Final[dict[str, Plot]] = {
    "envido-wins": Plot("envido_win_by_value", "How often does each envido win?", (9.0, 5.4), _envido_wins),
    "truco-acceptance": Plot(
        "truco_accept_by_strength", "With what cards is a truco accepted?", (9.6, 5.0), _truco_acceptance
    ),
    "mano-advantage": Plot("mano_advantage", "What is it worth to be mano?", (8.4, 4.6), _mano_advantage),
}
