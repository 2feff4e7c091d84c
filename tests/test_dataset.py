"""A dataset folder as DuckDB views: what is read, what is refused, and that a query gets out of neither folder nor memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from table_rows import write_rows, write_table

from trucostats.dataset import connect, fetch, quote, table_files
from trucostats.errors import DatasetError, QueryError
from trucostats.queries import sql
from trucostats.tables import TABLES, schema

ROWS = [
    {"table": "seats", "hand_id": 1, "player": "ana"},
    {"table": "calls", "hand_id": 1},
    {"table": "findings", "hand_id": 1},
]


def test_every_table_is_a_view_with_its_columns_and_their_meaning(tmp_path: Path) -> None:
    connection = connect(write_rows(tmp_path, ROWS))
    for name, table in TABLES.items():
        found = connection.execute(
            "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = $name AND schema_name = 'main' ORDER BY column_index",
            {"name": name},
        ).fetchall()
        assert [column for column, _ in found] == [column.name for column in table.columns]
        assert all(
            comment and comment.startswith(column.meaning)
            for (_, comment), column in zip(found, table.columns, strict=True)
        )


def test_an_empty_dataset_has_typed_views(tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_text('{"format": 1, "derived": null}')
    empty, full = connect(tmp_path, comments=False), connect(write_rows(tmp_path / "full", ROWS), comments=False)
    for name in TABLES:
        shapes = [
            fetch(connection, f"SELECT column_name, column_type FROM (DESCRIBE {name})").to_pylist()
            for connection in (empty, full)
        ]
        assert shapes[0] == shapes[1]
        assert fetch(empty, f"FROM {name}").schema.names == schema(name).names


def test_parts_that_are_still_being_written_are_ignored(tmp_path: Path) -> None:
    write_rows(tmp_path, ROWS)
    (tmp_path / "parts" / ".p2").mkdir()
    write_table(tmp_path / "parts" / ".p2" / "hands.parquet", "hands", [{"hand_id": 2}])
    assert sql("SELECT hand_id FROM hands", tmp_path).rows() == [{"hand_id": 1}]


def test_findings_are_those_of_the_parts_and_those_between_hands(tmp_path: Path) -> None:
    write_rows(tmp_path, ROWS)
    write_table(tmp_path / "derived" / "g1" / "findings.parquet", "findings", [{"code": "HAND_GAP"}])
    assert len(sql("SELECT code FROM findings", tmp_path)) == 2


@pytest.mark.parametrize("derived", [True, False])
def test_files_are_the_derived_ones_or_else_those_of_the_parts(tmp_path: Path, derived: bool) -> None:
    write_rows(tmp_path, ROWS)
    write_table(tmp_path / "parts" / "p1" / "files.parquet", "files", [{"file": "part", "ingested_at": 0}])
    place = tmp_path / "derived" / "g1" / "files.parquet"
    if derived:
        write_table(place, "files", [{"file": "derived", "ingested_at": 0}])
    else:
        place.unlink()
    assert sql("SELECT file FROM files", tmp_path).rows() == [{"file": "derived" if derived else "part"}]


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "it's [1] * of ? ñ"
    folder.mkdir()
    assert sql("SELECT player FROM seats", write_rows(folder, ROWS)).rows() == [{"player": "ana"}]


def test_what_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="there is no folder"):
        connect(tmp_path / "nothing")
    with pytest.raises(DatasetError, match=r"is not a dataset: it has no dataset\.json"):
        connect(tmp_path)
    (tmp_path / "dataset.json").write_text("{")
    with pytest.raises(DatasetError, match="cannot be read"):
        connect(tmp_path)
    (tmp_path / "dataset.json").write_text(json.dumps({"format": 2}))
    with pytest.raises(DatasetError, match="has format 2; this version reads format 1: ingest the logs again"):
        connect(tmp_path)


def test_a_damaged_dataset(tmp_path: Path) -> None:
    hands = write_rows(tmp_path, ROWS) / "parts" / "p1" / "hands.parquet"
    whole = hands.read_bytes()
    hands.write_bytes(b"PAR1 this is no Parquet file PAR1")
    with pytest.raises(DatasetError, match="cannot be read"):
        sql("SELECT count(*) FROM hands", tmp_path)
    hands.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatasetError, match="cannot be read"):
        sql("SELECT count(*) FROM hands", tmp_path)
    hands.unlink()
    with pytest.raises(DatasetError, match=r"the dataset is damaged: .*hands\.parquet' is missing"):
        table_files(tmp_path)


def test_a_dataset_with_other_columns(tmp_path: Path) -> None:
    write_rows(tmp_path, ROWS)
    (tmp_path / "parts" / "p1" / "hands.parquet").write_bytes(
        (tmp_path / "parts" / "p1" / "seats.parquet").read_bytes()
    )
    with pytest.raises(DatasetError, match="the table hands of the dataset is not as this version writes it"):
        connect(tmp_path)


REFUSED = [
    "COPY (SELECT 1) TO '{out}'",
    "COPY hands TO '{hands}' (FORMAT parquet, USE_TMP_FILE false)",
    "WITH z AS (COPY (SELECT 1 AS a) TO '{out}') SELECT 1",
    "WITH z AS (COPY (SELECT 1 AS a) TO '{hands}' (FORMAT parquet, USE_TMP_FILE false)) FROM z",
    "FROM query('WITH z AS (COPY (SELECT 1) TO ''{out}'') SELECT 1')",
    "FROM json_execute_serialized_sql(json_serialize_sql('WITH z AS (COPY (SELECT 1) TO ''{hands}'') SELECT 1'))",
    "FROM \"json_execute_serialized_sql\" /* */ (json_serialize_sql('SELECT 1'))",
    "ATTACH '{out}' AS other",
    "ATTACH ':memory:' AS other",
    "EXPORT DATABASE '{out}'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA threads=1",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "CALL enable_logging()",
    "CREATE TABLE t AS SELECT 1",
    "DROP VIEW hands",
    "INSERT INTO uncounted VALUES (1)",
    "WITH z AS (DELETE FROM uncounted RETURNING *) FROM z",
    "SELECT 1; DROP VIEW hands",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT content FROM read_text('/etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM 'https://example.com/a.parquet'",
    "SELECT * FROM read_parquet('s3://bucket/a.parquet')",
    "FROM enable_profiling(format := 'json', save_location := '{out}')",
    "FROM enable_logging(level := 'trace', storage := 'file', storage_config := {{'path': '{out}'}})",
    "FROM duckdb_secrets()",
    "CREATE SECRET s (TYPE s3)",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_query_reads_the_dataset_and_nothing_else(text: str, tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "tables", ROWS)
    hands = folder / "parts" / "p1" / "hands.parquet"
    before = hands.read_bytes()
    with pytest.raises(QueryError) as caught:
        sql(text.format(out=tmp_path / "out", hands=hands), folder)
    assert "\n" not in str(caught.value)
    assert "LINE 1" not in str(caught.value)
    assert hands.read_bytes() == before
    assert not (tmp_path / "out").exists()


def test_a_connection_is_locked_too(tmp_path: Path) -> None:
    connection = connect(write_rows(tmp_path / "tables", ROWS))
    for text in (
        "COPY hands TO '{out}'",
        "ATTACH '{out}'",
        "FROM read_csv('/etc/passwd')",
        "SET lock_configuration = false",
        "INSTALL httpfs",
    ):
        with pytest.raises(Exception, match=r"disabled by configuration|has been locked"):
            connection.execute(text.format(out=tmp_path / "out"))


def test_files_may_be_allowed(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "tables", ROWS)
    note = tmp_path / "note.csv"
    note.write_text("a\n1\n")
    assert sql(f"FROM read_csv({quote(str(note))})", folder, allow_files=True).rows() == [{"a": 1}]
    sql(f"COPY (SELECT 2 AS a) TO {quote(str(note))} (HEADER)", folder, allow_files=True)
    assert note.read_text() == "a\n2\n"


def test_variables_of_the_caller_are_not_tables(tmp_path: Path) -> None:
    import pyarrow as pa

    mine = pa.table({"a": [1]})
    with pytest.raises(QueryError, match="Table with name mine does not exist"):
        sql("SELECT a FROM mine", write_rows(tmp_path, ROWS))
    assert mine.num_rows == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the query is empty"),
        ("SELECT", "SELECT clause without selection list"),
        ("SELECT playr FROM seats", 'Referenced column "playr" not found.*"player"'),
        ("SELECT player FROM seat", "Table with name seat does not exist.*seats"),
        ("SELECT CAST(player AS INTEGER) FROM seats", "Could not convert string 'ana'"),
        ("SELECT $x", "parameters: x"),
    ],
)
def test_a_query_that_cannot_run_says_why_in_one_sentence(text: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=fault) as caught:
        sql(text, write_rows(tmp_path, ROWS))
    assert "\n" not in str(caught.value)


def test_too_little_memory_is_named(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="give a higher memory_limit"):
        sql(
            "SELECT list(a ORDER BY a DESC) FROM range(20000000) AS t(a)",
            write_rows(tmp_path, ROWS),
            memory_limit="50MB",
            threads=1,
        )
    with pytest.raises(QueryError, match="DuckDB does not take these settings"):
        connect(tmp_path, memory_limit="lots")


def test_sums_are_plain_integers(tmp_path: Path) -> None:
    table = sql(
        "SELECT sum(hand_id) AS s, count_if(true) AS c, sum(0.5) AS d FROM hands", write_rows(tmp_path, ROWS)
    ).arrow()
    assert [str(kind) for kind in table.schema.types[:2]] == ["int64", "int64"]
    assert table.to_pylist()[0]["s"] == 1


def test_times_are_utc(tmp_path: Path) -> None:
    rows = [{"table": "hands", "hand_id": 1, "at": 0}]
    assert sql('SELECT "at"::VARCHAR AS t FROM hands', write_rows(tmp_path, rows)).rows() == [
        {"t": "1970-01-01 00:00:00+00"}
    ]
