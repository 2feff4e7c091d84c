"""Every statistic on a few hand-made rows, and what holds for all of them: headers, columns read, filters, formats, faults."""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from table_rows import read_rows, write_rows

from trucostats import dataset, queries
from trucostats.dataset import Filters
from trucostats.errors import QueryError
from trucostats.queries import Query, describe, find, lacks, list_queries, parse_query, run, sql
from trucostats.rules import rules_of
from trucostats.tables import TABLES

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "queries"
QUERIES = {query.name: query for query in list_queries()}


def expected(path: Path, table: pa.Table) -> list[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames is not None
        return [{name: read(text, table.schema.field(name).type) for name, text in row.items()} for row in reader]


def read(text: str, kind: pa.DataType) -> Any:
    if not text:
        return None
    if pa.types.is_boolean(kind):
        return text == "true"
    if pa.types.is_floating(kind):
        return pytest.approx(float(text), rel=1e-6, abs=1e-7)
    return int(text) if pa.types.is_integer(kind) else text


def defaults(query: Query) -> dict[str, Any]:
    return {param.name: param.default for param in query.params}


@pytest.mark.parametrize("name", QUERIES)
def test_a_statistic_counts_what_its_header_says(name: str, tmp_path: Path) -> None:
    rows = read_rows(CASES / name / "input.jsonl")
    params = rows.pop(0)["params"] if "params" in rows[0] else {}
    result = run(name, write_rows(tmp_path, rows), params=params)
    wanted = expected(CASES / name / "expect.csv", result.arrow())
    assert [{key: row[key] for key in wanted[0]} for row in result.rows()] == wanted
    assert set(wanted[0]) == set(result.arrow().column_names), "every column is checked"


def test_every_case_belongs_to_a_statistic() -> None:
    assert {path.name for path in CASES.iterdir()} == set(QUERIES)


def view(connection: duckdb.DuckDBPyConnection, table: str, columns: list[str]) -> None:
    types = {column.name: dataset._SQL_TYPES[column.kind] for column in TABLES[table].columns}
    chosen = [f'NULL::{types[column]} AS "{column}"' for column in columns] or ["1 AS nothing"]
    connection.execute(f"CREATE OR REPLACE VIEW {table} AS SELECT {', '.join(chosen)}")


@pytest.mark.parametrize("name", QUERIES)
def test_a_statistic_needs_the_columns_it_reads_and_no_others(name: str) -> None:
    query = QUERIES[name]
    connection = duckdb.connect()
    connection.execute(dataset._macros(None))
    dataset._load_exact_envido(connection)
    for table, columns in query.needs:
        view(connection, table, list(columns))
    for small, condition in dataset.SMALL.items():
        if small in query.sql:
            connection.execute(f"CREATE VIEW {small} AS SELECT hand_id FROM hands WHERE {condition}")
    connection.execute(dataset.MANILHAS)
    explain = f"EXPLAIN {query.sql}"
    connection.execute(explain, defaults(query) or None)
    for table, columns in query.needs:
        for column in columns:
            view(connection, table, [other for other in columns if other != column])
            with pytest.raises(duckdb.Error):
                connection.execute(explain, defaults(query) or None)
        view(connection, table, list(columns))


@pytest.mark.parametrize("name", QUERIES)
def test_a_statistic_of_nothing_has_its_columns_and_no_rows(name: str, tmp_path: Path) -> None:
    table = run(name, write_rows(tmp_path, [])).arrow()
    query = QUERIES[name]
    assert table.column_names == [column for column, _ in query.columns] + (["reason"] if query.rules else [])
    assert table.num_rows == 0
    assert not [field for field in table.schema if pa.types.is_null(field.type) or pa.types.is_decimal(field.type)]
    if "rate" in table.column_names:
        assert {"x", "n", "low", "high"} <= set(table.column_names)
    if "sd" in table.column_names:
        assert {"n", "mean", "se"} <= set(table.column_names)


@pytest.mark.parametrize("name", QUERIES)
def test_a_statistic_splits_by_every_word_it_offers(name: str, tmp_path: Path) -> None:
    seats = [
        {"table": "seats", "hand_id": 1, "player": player, "is_mano": player == "ana", "score_own": 20}
        for player in ("ana", "ben")
    ]
    folder = write_rows(tmp_path, seats)
    for param in QUERIES[name].params:
        for choice in param.choices:
            assert run(name, folder, params={param.name: choice}).arrow() is not None


def test_splits(tmp_path: Path) -> None:
    folder = write_rows(
        tmp_path,
        [
            {"table": "seats", "hand_id": 1, "player": "ana", "is_mano": True, "score_own": 15, "score_rival": 2},
            {"table": "seats", "hand_id": 1, "player": "ben", "score_own": 2, "score_rival": 15},
        ],
    )
    found = {
        by: [row["split"] for row in run("hands_played", folder, params={"by": by}).rows()]
        for by in ("player", "all", "mano", "half", "lead")
    }
    assert found == {
        "player": ["ana", "ben"], "all": ["all"], "mano": ["mano", "not mano"], "half": ["buenas", "malas"], "lead": ["ahead 10+", "behind 10+"],
    }  # fmt: skip


def test_wilson_against_known_values() -> None:
    # Newcombe (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29.
    known = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    connection = duckdb.connect()
    connection.execute(dataset._macros(None))
    for (x, n), ends in known.items():
        found = connection.execute("SELECT wilson_low($x, $n), wilson_high($x, $n)", {"x": x, "n": n}).fetchone()
        assert found == pytest.approx(ends, abs=5e-5)
    assert connection.execute("SELECT rate(0, 0), wilson_low(0, 0), wilson_high(0, 0)").fetchone() == (None, None, None)


def test_the_exact_envido_table_is_that_of_the_catalogue() -> None:
    connection = duckdb.connect()
    dataset._load_exact_envido(connection)
    rows = connection.execute(
        "SELECT value, 100 * deals / 76767600, 100 * (rival_lower + rival_equal) / deals, 100 * rival_lower / deals FROM envido_exact"
    ).fetchall()
    assert len(rows) == 22
    shares = {value: [round(share, 2) for share in rest] for value, *rest in rows}
    assert shares[0] == [1.09, 0.57, 0.0]
    assert shares[7] == [10.97, 40.66, 31.82]
    assert shares[27] == [7.89, 83.25, 75.19]
    assert shares[33] == [1.54, 100.0, 98.72]


def test_can_knows_the_words() -> None:
    connection = duckdb.connect()
    connection.execute(dataset._macros(None))
    found = connection.execute("SELECT can(1 << 19, 'truco'), can(1 << 19, 'retruco'), can(1, 'play')").fetchone()
    assert found == (True, False, True)


# Headers.

HEADER = """-- name: {name}
-- title: t
-- question: q?
-- grain: P: one row
-- needs:
--   {needs}
-- columns:
--   n: hands
-- params: {params}
-- hidden: none
-- reference: none
-- catalogue: 1
-- rules: none

SELECT count(*) AS n FROM hands
"""


def header(**changes: str) -> str:
    return HEADER.format(**({"name": "a", "needs": "hands: hand_id", "params": "none"} | changes))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (header(needs="hands: hand_idd"), r"needs hands\.hand_idd, which is not declared; did you mean 'hand_id'\?"),
        (header(needs="handz: hand_id"), "needs a table 'handz' that is not declared; did you mean 'hands'"),
        (header(params="by"), "a parameter is written name=default: meaning, not 'by'"),
        (header().replace("-- grain: P: one row\n", ""), "the header has no 'grain'"),
        (header().replace("-- title", "-- titel: x\n-- title"), "unknown key 'titel'; did you mean 'title'"),
        (header().replace("--   n: hands", "--   z"), "the column 'z' has no meaning"),
        (header().replace("hidden: none", "hidden: some"), "hidden is 'some'; it may be none, all-known, shown-only"),
        (header().replace("rules: none", "rules: flores"), "no rule set has a feature 'flores'"),
    ],
)
def test_a_header_is_refused_when_it_is_loaded(text: str, fault: str) -> None:
    with pytest.raises(QueryError, match=fault):
        parse_query(text, "a.sql")


def test_a_header_is_read() -> None:
    query = parse_query(header(params="most=23: the most"), "a.sql")
    assert query.needs == (("hands", ("hand_id",)),)
    assert query.params == (queries.Param("most", 23, (), "the most"),)
    assert query.sql == "SELECT count(*) AS n FROM hands\n"


def test_there_are_enough_statistics_and_one_select_in_each() -> None:
    assert len(QUERIES) >= 36
    for query in QUERIES.values():
        assert len(duckdb.extract_statements(query.sql)) == 1
        assert "SELECT *" not in query.sql


def test_find_and_describe() -> None:
    assert find("Hand-Win") is QUERIES["hand_win"]
    with pytest.raises(QueryError, match=r"there is no statistic 'hand_wim'; did you mean 'hand_win'\?"):
        find("hand_wim")
    text = describe("envido_bluff")
    for word in ("how", "most=23", "by=player|all|mano|half|lead", "calls: hand_id", "selection", "SELECT"):
        assert word.lower() in text.lower()


def test_the_page_of_statistics_is_current() -> None:
    assert (ROOT / "docs" / "statistics.md").read_text("utf-8") == queries.statistics_markdown()


def test_rule_sets_without_a_part_of_the_game() -> None:
    assert lacks("brasileiro scale=2-4-8-12", "envido")
    assert not lacks("paulista", "covered cards")
    assert lacks(str(rules_of({"base": "paulista", "covered_from": None})), "covered cards")
    assert lacks(str(rules_of({"base": "truc", "special_hand": None})), "special hand")
    assert [lacks(name, "manilhas") for name in ("truc", "argentino", "paulista", "mineiro")] == [
        True,
        False,
        False,
        False,
    ]
    assert lacks("brasileiro", "game for two")
    assert not lacks("a rule set of a later version", "flor")


# Filters.


@pytest.fixture
def league(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {"table": "hands", "hand_id": 1, "match": "m1", "at": 0, "score0": 3},
        {"table": "hands", "hand_id": 2, "match": "m1", "at": 86_400_000_000, "score0": 20},
        {"table": "hands", "hand_id": 3, "match": "m2", "rules": "truc target=9", "base_rules": "truc", "at": None},
        {"table": "matches", "match": "m1", "winner": 0},
        {"table": "matches", "match": "m2", "team1": "cleo", "winner": 1, "rules": "truc target=9"},
        {"table": "games", "match": "m2"},
        {"table": "findings", "hand_id": 3, "code": "HAND_GAP"},
        {"table": "findings", "hand_id": None, "code": "BAD_JSON"},
    ]
    for hand, players in ((1, ("ana", "ben")), (2, ("ana", "ben")), (3, ("ana", "cleo"))):
        for seat, player in enumerate(players):
            label = "truc target=9" if hand == 3 else "argentino"
            rows.append({"table": "seats", "hand_id": hand, "player": player, "seat": seat, "rules": label})
    return write_rows(tmp_path, rows)


COUNTS = "SELECT " + ", ".join(
    f"(SELECT count(*) FROM {table}) AS {table}" for table in ("hands", "seats", "matches", "games", "findings")
)


@pytest.mark.parametrize(
    ("filters", "counts"),
    [
        (Filters(), (3, 6, 2, 1, 2)),
        (Filters(player="cleo"), (1, 2, 1, 1, 1)),
        (Filters(player="o'hara"), (0, 0, 0, 0, 0)),
        (Filters(rules="truc"), (1, 2, 1, 1, 1)),
        (Filters(rules="truc target=9"), (1, 2, 1, 1, 1)),
        (Filters(since="1970-01-02"), (1, 2, 1, 0, 0)),
        (Filters(until="1970-01-02T00:00:00Z"), (1, 2, 1, 0, 0)),
        (Filters(since="1970-01-01", until="1971-01-01"), (2, 4, 1, 0, 0)),
        (Filters(where="score0 >= 15 -- behind"), (1, 2, 1, 0, 0)),
        (Filters(where="hand_id IN (SELECT hand_id FROM seats WHERE player = 'ben')", player="ana"), (2, 4, 1, 0, 0)),
    ],
)
def test_a_filter_narrows_every_view(league: Path, filters: Filters, counts: tuple[int, ...]) -> None:
    assert tuple(sql(COUNTS, league, filters=filters).rows()[0].values()) == counts


def test_the_player_of_a_filter_is_the_one_the_statistic_is_about(league: Path) -> None:
    assert [(row["split"], row["n"]) for row in run("hands_played", league, filters=Filters(player="ben")).rows()] == [
        ("ben", 2)
    ]
    assert [row["player"] for row in run("match_win", league, filters=Filters(player="cleo")).rows()] == ["cleo"]


@pytest.mark.parametrize(
    ("filters", "fault"),
    [
        (Filters(where="scor0 > 3"), 'the filter cannot run: Referenced column "scor0" not found'),
        (Filters(where="score0 >"), "the filter cannot run: syntax error"),
        (Filters(where="1=1); DELETE FROM hands; SELECT (1"), "the filter cannot run"),
        (
            Filters(where="(SELECT count(*) FROM read_csv('/etc/passwd')) > 0"),
            "reads the dataset and nothing else|cannot access",
        ),
        (Filters(since="yesterday"), "filter 'since' is 'yesterday'; a time is written 2026-03-14"),
    ],
)
def test_a_bad_filter_is_named(league: Path, filters: Filters, fault: str) -> None:
    with pytest.raises(QueryError, match=f"(?i){fault}"):
        run("hands_played", league, filters=filters)


# Parameters, formats, imports.


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({"buy": "all"}, "envido_bluff has no parameter 'buy'; it takes by=player"),
        ({"by": "playr"}, "by is 'playr'; it may be player, all, mano, half, lead; did you mean 'player'"),
        ({"most": "few"}, "most is 'few'; it is a number, such as 23"),
    ],
)
def test_a_bad_parameter_is_named(league: Path, params: dict[str, Any], fault: str) -> None:
    with pytest.raises(QueryError, match=fault):
        run("envido_bluff", league, params=params)


def test_a_parameter_may_be_text(league: Path) -> None:
    rows = run("envido_bluff", league, params={"most": "20"}).rows()
    assert [row["reason"] for row in rows] == ["no opportunity", "these rules have no envido"]


def test_a_result_in_every_form(league: Path) -> None:
    result = run("hands_played", league, params={"by": "all"})
    rows = [{"rules": "argentino", "split": "all", "n": 4}, {"rules": "truc target=9", "split": "all", "n": 2}]
    assert len(result) == 2
    assert result.rows() == rows
    assert result.arrow().to_pylist() == rows
    assert pa.table(result).to_pylist() == rows
    assert result.polars().to_dicts() == rows
    assert result.pandas().to_dict("records") == rows


def test_a_missing_extra_is_named(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(QueryError, match=re.escape('polars is not installed; pip install "trucostats[polars]"')):
        run("hands_played", league).polars()


def test_importing_the_package_does_not_import_duckdb() -> None:
    code = "import sys, trucostats; assert not {'duckdb', 'polars', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys, trucostats.queries; assert not {'polars', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_statistic_runs_on_the_synthetic_tables(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("synthetic_tables", ROOT / "benchmarks" / "synthetic_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.write_dataset(tmp_path, 2_000)
    for name in QUERIES:
        for row in run(name, tmp_path).rows():
            if row.get("rate") is not None:
                assert 0 <= row["low"] <= row["rate"] <= row["high"] <= 1, name
                assert row["x"] <= row["n"], name
