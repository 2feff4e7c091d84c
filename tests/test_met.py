"""The command met: a table, one score, every format, a picture, how hands end in a league, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cli_calls import DONE, refused, rows_of, run
from matplotlib.figure import Figure

from trucostats.advisor.league import league_outcomes
from trucostats.dataset import Filters
from trucostats.errors import DatasetError
from trucostats.heatmap import QUESTION, SIZE, draw_equity
from trucostats.queries import sql
from trucostats.rules import rules_of
from trucostats.solver.equity import COLUMNS, LATE, match_equity
from trucostats.solver.outcomes import Outcome, Outcomes, equilibrium

ARGENTINO = rules_of("argentino")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of gaucho matches of two, and some hands of four."""
    folder = tmp_path_factory.mktemp("league")
    logs = [folder / "two.jsonl", folder / "four.jsonl"]
    for log, words in zip(
        logs, (["--matches", "20", "--seed", "3"], ["--hands", "30", "--players", "4", "--seed", "4"]), strict=True
    ):
        assert run("simulate", "--rules", "gaucho", *words, "-o", log).exit_code == DONE
    assert run("ingest", *logs, "--out", folder / "tables", "--jobs", "1").exit_code == DONE
    return folder / "tables"


def league(**words: object) -> Outcomes:
    rows = [Outcome(0.45, 1, 0), Outcome(0.5, 0, 1), Outcome(0.05, 2, 1, "mano")]
    return Outcomes.of(rows, rules=ARGENTINO, status="made up", **words)  # type: ignore[arg-type]


# The table


def test_a_table_shows_the_scores_that_matter() -> None:
    result = run("met")
    assert result.exit_code == DONE
    assert max(map(len, result.stdout.split("\n\n")[2].splitlines())) < 80
    heads = [line.split() for line in result.stdout.splitlines() if line.startswith("own ")]
    assert heads == [["own", "0", "5", "10", "15", "20", "25", "26", "27", "28", "29"]] * 3
    even = match_equity(equilibrium(ARGENTINO))
    rows = dict(line.split(maxsplit=1) for line in result.stdout.splitlines() if re.match(r" *\d+  ", line))
    assert set(rows) == {"0", "5", "10", "15", "20", "25", "26", "27", "28", "29"}
    assert f"{100 * even.chance(28, 27, 0):.1f}" in result.stdout
    assert equilibrium(ARGENTINO).status in result.stdout


def test_all_scores_and_other_targets() -> None:
    whole = run("met", "--all").stdout
    assert len([line for line in whole.splitlines() if re.match(r" *\d+  ", line)]) == 90
    short = [line.split() for line in run("met", "--target", "9").stdout.splitlines() if line.startswith("own ")]
    assert short[0] == ["own", "0", "2", "4", "5", "6", "7", "8"]
    assert run("met", "--target", "1").exit_code == DONE


def test_formats(tmp_path: Path) -> None:
    rows = rows_of(run("met", "--format", "json"))
    assert len(rows) == 900
    assert list(rows[0]) == list(COLUMNS)
    as_csv = list(csv.DictReader(io.StringIO(run("met", "--format", "csv").stdout)))
    assert [float(row["chance_pie"]) for row in as_csv] == [row["chance_pie"] for row in rows]
    assert len(run("met", "--format", "markdown").stdout.splitlines()) == 102
    assert len(run("met", "--format", "markdown", "--all").stdout.splitlines()) == 902
    out = tmp_path / "met.parquet"
    assert run("met", "--outcomes", "truco", "-o", out).exit_code == DONE
    table = pq.read_table(out)
    assert table.to_pylist() == list(match_equity(equilibrium(ARGENTINO, "truco")).rows())
    assert table.schema.field("point_mano").metadata[b"comment"]
    assert table.schema.metadata[b"rules"] == b"argentino"


# One score


def test_one_score(tmp_path: Path) -> None:
    result = run("met", "--score", "28-28")
    assert result.exit_code == DONE
    text = re.sub(r" +", " ", result.stdout)
    equity = match_equity(equilibrium(ARGENTINO))
    chances = [f"{100 * equity.chance(28, 28, mano):.1f} %" for mano in (0, 1)]
    truco = f"truco 2 1 25.0 % {100 * equity.take_points(28, 28)[0].chance:.1f} %"
    for said in (f"mano {chances[0]}", f"pie {chances[1]}", truco, "retruco 3 2 16.7 % 0.0 %"):
        assert said in text
    rows = rows_of(run("met", "--score", " 27 - 25", "--format", "json"))
    assert Counter(row["next_hand"] for row in rows) == {"mano": 3, "pie": 3}
    assert rows[0]["take"] == equity.take_points(27, 25, 0)[0].chance
    assert rows[5]["point"] == equity.point_value(27, 25, 1)
    assert rows[0]["low"] is None
    out = tmp_path / "score.parquet"
    assert run("met", "--score", "27-25", "-o", out).exit_code == DONE
    assert pq.read_table(out).num_rows == 6


# A picture


def test_a_picture(tmp_path: Path) -> None:
    for ending, magic in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        out = tmp_path / f"met.{ending}"
        result = run("met", "--score", "27-25", "--plot", out)
        assert result.exit_code == DONE
        assert result.stdout.startswith("27 to 25")
        assert out.read_bytes().startswith(magic)


@pytest.mark.parametrize("target", [1, 2, 12, 30])
def test_the_picture_says_what_it_shows(target: int) -> None:
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = draw_equity(match_equity(league(), target).arrow(), figure.subplots())
    figure.draw_without_rendering()
    assert axes.get_title(loc="left") == QUESTION
    assert any(f"to {target} points" in text.get_text() and "made up" in text.get_text() for text in axes.texts)
    assert [panel.get_title(loc="left") for panel in axes.child_axes] == ["chance to win the match", "worth of a point"]


# A league


def test_a_league_is_counted(tables: Path) -> None:
    found = league_outcomes(tables, "gaucho")
    assert sum(row.chance for row in found.rows) == pytest.approx(1)
    (counted,) = sql(
        f"""SELECT count(*) AS n, avg(if(mano = 0, 1, -1) * (score0_after - score0 - score1_after + score1)) AS mean
        FROM hands ANTI JOIN uncounted USING (hand_id) WHERE seats = 2 AND greatest(score0, score1) < {LATE * 24}""",
        tables,
    ).rows()
    assert found.hands == counted["n"] > 200
    assert found.mean == pytest.approx(counted["mean"])
    assert f"{found.hands} hands of 2 players" in found.status
    fewer = league_outcomes(tables, "gaucho", least=1, filters=Filters(where="dealer = 0 OR false"))
    assert 0 < (fewer.hands or 0) < (found.hands or 0)
    assert league_outcomes(tables, "gaucho", least=1, seats=4).hands


def test_a_league_has_an_interval(tables: Path) -> None:
    text = run("met", "--rules", "gaucho", "--outcomes", tables, "--score", "12-13").stdout
    assert "low" in text
    rows = json.loads(
        run("met", "--rules", "gaucho", "--outcomes", tables, "--score", "12-13", "--format", "json").stdout
    )
    assert all(row["low"] < row["chance"] < row["high"] for row in rows)
    few, many = (match_equity(league(hands=n)).interval(12, 13) for n in (200, 20_000))
    assert None not in (*few, *many)
    assert few[1] - few[0] > 5 * (many[1] - many[0])  # type: ignore[operator]


def test_too_few_hands_are_refused(tables: Path, tmp_path: Path) -> None:
    said = refused("met", "--outcomes", tables)
    for part in ("0 hands of argentino with 2 players are too few", "gaucho with 2 players (", "equilibrium"):
        assert part in said
    assert "4 players are too few" in refused("met", "--outcomes", tables, "--rules", "gaucho", "--seats", "4")
    assert "not a dataset" in refused("met", "--outcomes", tmp_path)
    assert "ingest" in refused("met", "--outcomes", tmp_path / "nowhere")
    with pytest.raises(DatasetError, match="at least 1000"):
        league_outcomes(tables, "gaucho", least=1000)


# What is refused


def test_met_refuses(tmp_path: Path) -> None:
    assert "27-25" in refused("met", "--score", "27")
    assert "0 to 29" in refused("met", "--score", "30-12")
    assert "0 to 14" in refused("met", "--target", "15", "--score", "16-12")
    assert "argentino" in refused("met", "--rules", "argentin")
    assert "--outcomes DIR" in refused("met", "--rules", "uruguayo")
    assert "two players" in refused("met", "--seats", "4")
    assert ".png, .svg" in refused("met", "--plot", tmp_path / "met.gif")
    assert "--target" in refused("met", "--target", "0")
    assert "check the path" in refused("met", "-o", tmp_path / "no" / "met.csv")
    assert list(tmp_path.iterdir()) == []
