"""The pictures: every table of a plot's statistic can be drawn, small samples are seen to be small, and nothing is claimed that does not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from trucostats.ingest import ingest
from trucostats.plots import PLOTS, SMALL
from trucostats.queries import find, run
from trucostats.simulate import simulate

LOGS = {
    "argentino": {"hands": 400, "seed": 3},
    "brasileiro": {"hands": 150, "seed": 3, "players": 4},
    "uruguayo": {"hands": 100, "seed": 3},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plots")
    for rules, arguments in LOGS.items():
        lines = simulate(rules, match=rules, **arguments)  # type: ignore[arg-type]
        (folder / f"{rules}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    ingest(folder, folder / "tables", jobs=1)
    return folder / "tables"


def drawn(name: str, table: pa.Table) -> Axes:
    plot = PLOTS[name]
    figure = Figure(figsize=plot.size, layout="constrained")
    axes = figure.subplots()
    assert plot.draw(table, axes) is axes
    figure.draw_without_rendering()
    return axes


def texts(axes: Axes) -> str:
    said = [axes.get_title(loc="left"), *(text.get_text() for text in axes.texts)]
    for panel in axes.child_axes:
        said += [panel.get_title(loc="left"), *(text.get_text() for text in panel.texts)]
    legend = axes.get_legend()
    return "\n".join([*said, *((text.get_text() for text in legend.get_texts()) if legend else ())])


def only(table: pa.Table, rules: str) -> pa.Table:
    return pa.Table.from_pylist([row for row in table.to_pylist() if row["rules"] == rules], schema=table.schema)


@pytest.mark.parametrize("name", PLOTS)
def test_title_is_the_question(name: str, tables: Path) -> None:
    axes = drawn(name, run(PLOTS[name].query, tables).arrow())
    assert axes.get_title(loc="left") == PLOTS[name].question
    assert PLOTS[name].question.endswith("?")
    assert find(PLOTS[name].query).name == PLOTS[name].query


@pytest.mark.parametrize("name", PLOTS)
def test_without_cases_a_sentence(name: str, tables: Path) -> None:
    axes = drawn(name, run(PLOTS[name].query, tables).arrow().slice(0, 0))
    assert "No hand in this selection" in texts(axes)
    assert not axes.collections


def test_rules_without_envido_say_so(tables: Path) -> None:
    table = run("envido_win_by_value", tables).arrow()
    assert "these rules have no envido" in texts(drawn("envido-wins", only(table, "brasileiro")))


@pytest.mark.parametrize("name", PLOTS)
def test_one_rule_set_and_which_are_left_out(name: str, tables: Path) -> None:
    table = run(PLOTS[name].query, tables).arrow()
    said = texts(drawn(name, table)).replace("\n", " ")
    assert "argentino (not shown:" in said
    assert "uruguayo" in said
    assert "not shown" not in texts(drawn(name, only(table, "argentino")))


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("rules", LOGS)
def test_every_row_alone(name: str, rules: str, tables: Path) -> None:
    table = only(run(PLOTS[name].query, tables).arrow(), rules)
    for start in range(0, table.num_rows, max(1, table.num_rows // 6)):
        drawn(name, table.slice(start, 1))


def test_small_samples_are_hollow(tables: Path) -> None:
    table = run("envido_win_by_value", tables).arrow()
    axes = drawn("envido-wins", only(table, "argentino"))
    points = [collection for collection in axes.collections if isinstance(collection, PathCollection)]
    hollow = sum(int((face[:3] == 1).all()) for collection in points for face in collection.get_facecolors())  # type: ignore[attr-defined]
    rows = [row for row in table.to_pylist() if row["rules"] == "argentino" and row["n"]]
    assert hollow == sum(row["n"] < SMALL for row in rows) > 0


def test_break_even_only_where_it_holds(tables: Path) -> None:
    table = run("truco_accept_by_strength", tables).arrow()
    said = texts(drawn("truco-acceptance", only(table, "argentino")))
    assert [share for share in ("25 %", "16.7 %", "12.5 %") if f"break-even {share}" not in said] == []
    assert "break-even" not in texts(drawn("truco-acceptance", only(table, "brasileiro"))).lower()


def test_exact_envido_is_that_of_all_deals(tables: Path) -> None:
    assert "52.57 % / 47.43 %" in texts(
        drawn("mano-advantage", only(run("mano_advantage", tables).arrow(), "argentino"))
    )
    assert "exact" not in texts(drawn("mano-advantage", only(run("mano_advantage", tables).arrow(), "uruguayo")))


def test_a_bucket_is_drawn_at_its_middle(tables: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "rules": "argentino",
            "split": "all",
            "word": "truco",
            "position": "mano",
            "strength_from": 0.75,
            "x": 3,
            "n": 4,
            "rate": 0.75,
            "low": 0.3,
            "high": 0.95,
        }
    ]
    axes = drawn("truco-acceptance", pa.Table.from_pylist(rows))
    (points,) = [
        part for part in axes.child_axes[0].collections if isinstance(part, PathCollection) and len(part.get_offsets())
    ]
    assert 0.75 < points.get_offsets()[0][0] < 1  # type: ignore[index]
