"""A dataset folder as a DuckDB connection: one view a table, the macros the statistics share, and no way out of the folder.

    DIR/dataset.json                        {"format": 1, "derived": "<generation>"}
    DIR/parts/<id>/<table>.parquet          committed parts; a name that starts with "." is still being written
    DIR/derived/<generation>/<table>.parquet    games, matches, the findings between hands, and files of all parts
    DIR/decisions/decisions.parquet         what a review has judged, if there was one

This is the only module that imports DuckDB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from importlib import resources
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from trucostats.errors import DatasetError, QueryError, RulesError
from trucostats.rules import NAMES, rules_of, rules_of_label
from trucostats.rules.manilhas import manilhas
from trucostats.tables import FORMAT_VERSION, TABLES
from trucostats.vocab import CARDS, VERBS

MANIFEST: Final = "dataset.json"
PARTS: Final = "parts"
DERIVED: Final = "derived"
DECISIONS: Final = "decisions"
PART_TABLES: Final = ("hands", "seats", "calls", "tricks", "events", "findings", "files")
DERIVED_TABLES: Final = ("games", "matches", "findings", "files")
# Hands that most statistics leave out: those that do not count anywhere, and those whose tricks run on through three duels.
SMALL: Final = {
    "uncounted": "status <> 'complete' OR score0_after IS NULL",
    "pica_pica": "format = 'pica-pica'",
}

_SQL_TYPES: Final = {
    "i1": "TINYINT", "i2": "SMALLINT", "i4": "INTEGER", "i8": "BIGINT", "u8": "UBIGINT", "f4": "FLOAT", "bool": "BOOLEAN",
    "word": "VARCHAR", "text": "VARCHAR", "time": "TIMESTAMPTZ",
}  # fmt: skip
# Both run text as SQL, which would pass by the test of what the statement does.
_RUNS_TEXT: Final = re.compile(
    r'\b(json_execute_serialized_sql|query)\b"?(\s|/\*.*?\*/|--[^\n]*\n)*\(', re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which hands to look at; every part that is given must hold.

    `player`: hands in which that player sat, and his rows only in statistics about players. `rules`: a rule set's name, with
    or without its options. `since`, `until`: time of the deal, the second one excluded, as ISO 8601 text (UTC if it names no
    zone) or a datetime; a hand without a time is left out. `where`: an SQL condition on the columns of `hands`.

    >>> Filters(player="ana", since="2026-03-01", where="seats = 2").since
    '2026-03-01'
    """

    player: str | None = None
    rules: str | None = None
    since: str | date | None = None
    until: str | date | None = None
    where: str | None = None

    def condition(self) -> str:
        """Return the SQL condition on the columns of `hands`, empty without a filter."""
        parts = []
        if self.player is not None:
            parts.append(f"hand_id IN (SELECT hand_id FROM seats WHERE player = {quote(self.player)})")
        if self.rules is not None:
            parts.append(f"(rules = {quote(self.rules)} OR base_rules = {quote(self.rules)})")
        for name, sign in (("since", ">="), ("until", "<")):
            if (value := getattr(self, name)) is not None:
                parts.append(f'"at" {sign} TIMESTAMPTZ {quote(_instant(name, value))}')
        if self.where is not None:
            parts.append(f"({self.where}\n)")
        return " AND ".join(parts)


def _instant(name: str, value: str | date) -> str:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError as error:
        raise QueryError(
            f"filter {name!r} is {value!r}; a time is written 2026-03-14 or 2026-03-14T21:30:00Z"
        ) from error
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f+00")


def quote(text: str) -> str:
    """Return a text as an SQL literal.

    >>> quote("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def read_manifest(tables_dir: Path | str) -> dict[str, Any]:
    """Return what `dataset.json` says, or raise `DatasetError` if the folder is no dataset of this format."""
    folder = Path(tables_dir)
    if not folder.is_dir():
        raise DatasetError(f"there is no folder {str(folder)!r}; `trucostats ingest` makes a dataset")
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise DatasetError(f"{str(folder)!r} is not a dataset: it has no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise DatasetError(f"{str(folder / MANIFEST)!r} cannot be read: {error}") from error
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT_VERSION:
        raise DatasetError(
            f"the dataset {str(folder)!r} has format {found}; this version reads format {FORMAT_VERSION}: ingest the logs again"
        )
    return dict(manifest)


def table_files(tables_dir: Path | str) -> dict[str, list[Path]]:
    """Return the Parquet files of every table, those of committed parts and of the current derived generation."""
    folder = Path(tables_dir).resolve()
    generation = read_manifest(folder).get(DERIVED)
    files: dict[str, list[Path]] = {name: [] for name in TABLES}
    parts = folder / PARTS
    for part in sorted(parts.iterdir()) if parts.is_dir() else []:
        if part.is_dir() and not part.name.startswith("."):
            for name in PART_TABLES:
                files[name].append(part / f"{name}.parquet")
    if generation and (derived := folder / DERIVED / str(generation)).is_dir():
        for name in DERIVED_TABLES:
            files[name].append(derived / f"{name}.parquet")
        if (derived / "files.parquet").is_file():  # it sums up those of the parts
            files["files"] = files["files"][-1:]
        else:
            files["files"].pop()
    if (decisions := folder / DECISIONS / f"{DECISIONS}.parquet").is_file():
        files[DECISIONS].append(decisions)
    for path in (path for paths in files.values() for path in paths):
        if not path.is_file():
            raise DatasetError(f"the dataset is damaged: {str(path)!r} is missing; ingest the logs again")
    return files


def connect(
    tables_dir: Path | str,
    *,
    filters: Filters | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    comments: bool = True,
    allow_files: bool = False,
) -> duckdb.DuckDBPyConnection:
    """Open a dataset as an in-memory DuckDB connection with one view for every table.

    `filters` narrows every view to the hands they keep. `comments` attaches the meaning of every column. Unless `allow_files`,
    the connection reads no other file, loads no extension and cannot be configured; what a statement may do is checked by
    `fetch`. Raises `DatasetError` for a folder that is no dataset, `QueryError` for a filter that cannot run.

    >>> connect("logs/tables").sql("SELECT count(*) FROM hands").fetchone()  # doctest: +SKIP
    (1000000,)
    """
    files = table_files(tables_dir)
    settings: dict[str, Any] = {"memory_limit": memory_limit, "python_enable_replacements": False, "TimeZone": "UTC"}
    if threads is not None:
        settings["threads"] = threads
    try:
        connection = duckdb.connect(":memory:", config={"temp_directory": ""} if not allow_files else {})
        for name, value in settings.items():
            connection.execute(f"SET {name} = {quote(str(value)) if isinstance(value, str) else value}")
    except duckdb.Error as error:
        raise QueryError(f"DuckDB does not take these settings: {_sentence(error)}") from error
    try:
        _prepare(connection, files, filters or Filters(), allow_files)
        if comments:
            _comment(connection)
    except duckdb.Error as error:
        connection.close()
        raise _failure(error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(
    connection: duckdb.DuckDBPyConnection, files: Mapping[str, list[Path]], filters: Filters, allow_files: bool
) -> None:
    for name, paths in files.items():
        try:
            connection.execute(f"CREATE VIEW {name} AS {_source(name, paths)}")
        except duckdb.BinderException as error:
            reason = f"the table {name} of the dataset is not as this version writes it: {_sentence(error)}"
            raise DatasetError(f"{reason}; ingest the logs again") from error
    connection.execute(_macros(filters.player))
    _load_exact_envido(connection)
    if not allow_files:
        # DuckDB compares names literally, and the views ask by the pattern that stands for the name.
        allowed = {form for paths in files.values() for path in paths for form in (str(path), _pattern(path))}
        connection.execute(f"SET allowed_paths = [{', '.join(quote(path) for path in sorted(allowed))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    if condition := filters.condition():
        _filter(connection, files, condition, allow_files)
    # Tables, not views: DuckDB must know that they are small, or it hashes the other side of the join.
    for name, condition in SMALL.items():
        connection.execute(f"CREATE TEMP TABLE {name} AS SELECT hand_id FROM hands WHERE {condition}")


def _source(name: str, paths: list[Path]) -> str:
    columns = TABLES[name].columns
    if paths:
        chosen = ", ".join(f'"{column.name}"' for column in columns)
        return f"SELECT {chosen} FROM read_parquet([{', '.join(quote(_pattern(path)) for path in paths)}])"
    return (
        "SELECT " + ", ".join(f'NULL::{_SQL_TYPES[column.kind]} AS "{column.name}"' for column in columns) + " LIMIT 0"
    )


def _pattern(path: Path) -> str:
    return re.sub(r"[*?[]", r"[\g<0>]", str(path))


def _filter(
    connection: duckdb.DuckDBPyConnection, files: Mapping[str, list[Path]], condition: str, allow_files: bool
) -> None:
    text = f"SELECT hand_id FROM hands WHERE {condition}"
    try:
        _check(connection, text, {}, allow_files)
        connection.execute(f"CREATE TEMP TABLE kept AS {text}")
    except (duckdb.Error, QueryError) as error:
        reason = _sentence(error) if isinstance(error, duckdb.Error) else str(error)
        raise QueryError(f"the filter cannot run: {reason}") from error
    for name in TABLES:
        if any(column.name == "hand_id" for column in TABLES[name].columns):
            connection.execute(
                f"CREATE OR REPLACE VIEW {name} AS FROM ({_source(name, files[name])}) SEMI JOIN kept USING (hand_id)"
            )
    for name in ("games", "matches"):
        matches = "(SELECT DISTINCT match FROM hands)"
        connection.execute(
            f"CREATE OR REPLACE VIEW {name} AS FROM ({_source(name, files[name])}) SEMI JOIN {matches} USING (match)"
        )


def _macros(player: str | None) -> str:
    verbs = ", ".join(quote(verb) for verb in VERBS)
    sets = [rules_of(name) for name in NAMES]
    targets = " ".join(f"WHEN {quote(rules.name)} THEN {rules.target}" for rules in sets)
    plain = ", ".join(quote(rules.name) for rules in sets if rules.envido and not rules.turns_card)
    flor = ", ".join(quote(rules.name) for rules in sets if rules.flor)
    return f"""
    CREATE MACRO tally(condition) AS count(*) FILTER (WHERE condition);
    CREATE MACRO rate(x, n) AS CASE WHEN n > 0 THEN x / n END;
    CREATE MACRO wilson_low(x, n) AS CASE WHEN n > 0 THEN greatest(0.0,
        (x + 1.9207294103470627 - 1.959963984540054 * sqrt(x * (n - x) / n + 0.9603647051735313)) / (n + 3.8414588206941254)) END;
    CREATE MACRO wilson_high(x, n) AS CASE WHEN n > 0 THEN least(1.0,
        (x + 1.9207294103470627 + 1.959963984540054 * sqrt(x * (n - x) / n + 0.9603647051735313)) / (n + 3.8414588206941254)) END;
    CREATE MACRO standard_error(v) AS stddev_samp(v) / sqrt(count(v));
    CREATE MACRO square(v) AS v * v;
    CREATE MACRO sum_sd(s, ss, n) AS CASE WHEN n > 1 THEN sqrt(greatest(0.0, (ss - s * s / n) / (n - 1))) END;
    CREATE MACRO sum_se(s, ss, n) AS CASE WHEN n > 1 THEN sqrt(greatest(0.0, (ss - s * s / n) / (n - 1) / n)) END;
    CREATE MACRO can(legal, word) AS legal & (1 << (list_position([{verbs}], word) - 1)) <> 0;
    CREATE MACRO undecided(first, second) AS first + second = 1 OR (first = 2 AND second = 2);
    CREATE MACRO wanted(player) AS {"true" if player is None else f"player = {quote(player)}"};
    CREATE MACRO target_of(rules) AS coalesce(
        try_cast(nullif(regexp_extract(rules, 'target=([0-9]+)', 1), '') AS INTEGER), CASE split_part(rules, ' ', 1) {targets} END);
    CREATE MACRO has_flor(rules) AS CASE regexp_extract(rules, ' flor=(true|false)', 1)
        WHEN 'true' THEN true WHEN 'false' THEN false ELSE split_part(rules, ' ', 1) IN ({flor}) END;
    CREATE MACRO selection(unknown) AS if(unknown = 0, 'all-known', 'shown-only');
    CREATE MACRO plain_envido(rules) AS split_part(rules, ' ', 1) IN ({plain}) AND NOT contains(rules, 'turned_card=');
    CREATE MACRO half_of(score, rules) AS if(2 * score < target_of(rules), 'malas', 'buenas');
    CREATE MACRO lead_of(own, rival) AS CASE
        WHEN own - rival >= 10 THEN 'ahead 10+' WHEN own - rival >= 4 THEN 'ahead 4-9' WHEN own - rival > -4 THEN 'close'
        WHEN own - rival > -10 THEN 'behind 4-9' ELSE 'behind 10+' END;
    CREATE MACRO split_of(kind, player, is_mano, rules, own, rival) AS CASE kind
        WHEN 'player' THEN player WHEN 'all' THEN 'all' WHEN 'mano' THEN if(is_mano, 'mano', 'not mano')
        WHEN 'half' THEN half_of(own, rules) WHEN 'lead' THEN lead_of(own, rival) END;
    """


def _load_exact_envido(connection: duckdb.DuckDBPyConnection) -> None:
    lines = resources.files("trucostats").joinpath("sql", "envido_exact.csv").read_text("utf-8").split()
    rows = ", ".join(f"({line})" for line in lines[1:])
    connection.execute(f"CREATE VIEW envido_exact AS FROM (VALUES {rows}) AS t({lines[0]})")


# The cards that rank alone above all others, and their names, by rule set and turned card ('' for none); see `rules.manilhas`.
MANILHAS: Final = "CREATE TEMP TABLE manilhas (rules VARCHAR, turned VARCHAR, cards VARCHAR[], names VARCHAR[])"


def add_manilhas(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table `manilhas` of the rule sets that the hands have."""
    connection.execute(MANILHAS)
    for (label,) in connection.execute("SELECT DISTINCT rules FROM hands").fetchall():
        try:
            rules = rules_of_label(label)
        except RulesError:
            continue
        rows = []
        for turned in CARDS if rules.turns_card else (None,):
            cards = manilhas(rules, turned)
            rows += [(label, turned or "", [card for card, _ in cards], [name for _, name in cards])] if cards else []
        if rows:
            connection.executemany("INSERT INTO manilhas VALUES (?, ?, ?, ?)", rows)


def _comment(connection: duckdb.DuckDBPyConnection) -> None:
    for table in TABLES.values():
        connection.execute(f"COMMENT ON VIEW {table.name} IS {quote(table.grain)}")
        for column in table.columns:
            meaning = f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
            connection.execute(f'COMMENT ON COLUMN {table.name}."{column.name}" IS {quote(meaning)}')


def fetch(
    connection: duckdb.DuckDBPyConnection,
    text: str,
    params: Mapping[str, Any] | None = None,
    *,
    allow_files: bool = False,
) -> pa.Table:
    """Run one SELECT and return its rows as an Arrow table.

    Raises `QueryError` with one sentence for SQL that cannot run and, unless `allow_files`, for anything that is not a single
    SELECT; `DatasetError` when a Parquet file of the dataset cannot be read.
    """
    values = dict(params or {})
    try:
        _check(connection, text, values, allow_files)
        relation = connection.sql(text, params=values) if values else connection.sql(text)
        if relation is None:
            return pa.table({})
        return _whole_numbers(relation.to_arrow_table())
    except duckdb.Error as error:
        raise _failure(error) from error


def _check(connection: duckdb.DuckDBPyConnection, text: str, params: Mapping[str, Any], allow_files: bool) -> None:
    statements = connection.extract_statements(text)
    if not statements:
        raise QueryError("the query is empty")
    if allow_files:
        return
    if len(statements) > 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise QueryError("a query is one SELECT; nothing else may run on a dataset")
    if match := _RUNS_TEXT.search(text):
        raise QueryError(f"the function {match[1]} may not run on a dataset")
    # Only at the top of a statement does DuckDB let a WITH clause write (COPY, INSERT), so binding it one level down refuses that.
    body = text.strip().rstrip(";")
    connection.execute(f"EXPLAIN SELECT * FROM ({body}\n)", dict(params) or None).fetchall()


def _whole_numbers(table: pa.Table) -> pa.Table:
    """Turn DuckDB's 128-bit sums into 64-bit integers where they fit."""
    for index, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            try:
                table = table.set_column(index, field.name, table.column(index).cast(pa.int64()))
            except pa.ArrowInvalid:
                continue
    return table


def _sentence(error: BaseException) -> str:
    """Return the message of a DuckDB error without its class, its position and its line breaks."""
    text = str(error).split("\n\nLINE ")[0]
    text = re.sub(r"^(\w+ )*?Error: ", "", text.strip())
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


def _failure(error: duckdb.Error) -> DatasetError | QueryError:
    text = _sentence(error)
    if isinstance(error, duckdb.PermissionException) or "configuration has been locked" in text:
        return QueryError(f"a query reads the dataset and nothing else: {text}")
    if isinstance(error, duckdb.OutOfMemoryException):
        return QueryError(f"the query needs more memory than it may use; give a higher memory_limit ({text})")
    if isinstance(error, duckdb.IOException) or re.search("parquet|thrift", text, re.IGNORECASE):
        return DatasetError(f"a file cannot be read: {text}")
    return QueryError(text)
