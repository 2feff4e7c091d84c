"""The statistics: one SQL file each in `sql/`, found, described and run over a dataset.

A file is a header of comments (`-- key: value`, continued by lines that start with three blanks) and one SELECT over the views of
`dataset.connect`. The header is read and checked when the package's queries are first listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from trucostats.dataset import Filters, add_manilhas, connect, fetch
from trucostats.errors import QueryError, RulesError, did_you_mean
from trucostats.rules import Rules, rules_of_label
from trucostats.tables import TABLES

KEYS: Final = (
    "name",
    "title",
    "question",
    "grain",
    "needs",
    "columns",
    "params",
    "hidden",
    "reference",
    "catalogue",
    "rules",
)
HIDDEN: Final = ("none", "all-known", "shown-only")
FEATURES: Final[dict[str, Callable[[Rules], bool]]] = {
    "envido": lambda rules: bool(rules.envido),
    "flor": lambda rules: bool(rules.flor),
    "covered cards": lambda rules: rules.covered_from is not None,
    "special hand": lambda rules: rules.special_hand is not None,
    "turned card": lambda rules: rules.turns_card,
    "manilhas": lambda rules: rules.turns_card or " " not in rules.order_strong_to_weak[0],
    "game for two": lambda rules: 2 in rules.players,
}
COMMON_COLUMNS: Final = {
    "rules": "rule set with its options",
    "split": "the player, or the group the parameter `by` makes",
    "x": "cases",
    "n": "opportunities",
    "rate": "x / n, null without an opportunity",
    "low": "lower end of the Wilson 95 % interval of the rate",
    "high": "upper end of the Wilson 95 % interval of the rate",
    "mean": "mean",
    "sd": "standard deviation",
    "se": "standard error of the mean",
    "reference": "the exact value, null where it does not apply",
    "selection": "all-known, or shown-only (biased: cards that were not shown are missing)",
    "reason": "why there is no number; null if there is one",
}
SECTIONS: Final = (
    (9, "Volume and result"), (28, "Envido"), (34, "Flor"), (58, "Truco"), (68, "Card play"), (70, "Position"), (77, "Score"),
    (80, "Players and pairs"), (87, "Quality"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a query: name, default, the words it may be (none: any value of the default's type), meaning."""

    name: str
    default: int | float | str
    choices: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Query:
    """One statistic: the header of its file, and its SELECT.

    `needs` holds (table, columns) pairs, `columns` (name, meaning) pairs, `rules` the features without which a rule set has no
    value, `catalogue` the numbers of the catalogue of statistics that it answers.
    """

    name: str
    title: str
    question: str
    grain: str
    needs: tuple[tuple[str, tuple[str, ...]], ...]
    columns: tuple[tuple[str, str], ...]
    params: tuple[Param, ...]
    hidden: str
    reference: str
    catalogue: tuple[int, ...]
    rules: tuple[str, ...]
    sql: str

    @property
    def section(self) -> str:
        """The chapter of the catalogue it belongs to."""
        if not self.catalogue:
            return "The data"
        return next(name for last, name in SECTIONS if self.catalogue[0] <= last)


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Rows of a query, kept as an Arrow table; `query` is None for free SQL.

    Anything that takes the Arrow stream interface takes a result itself.
    """

    table: pa.Table
    query: Query | None = None

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def arrow(self) -> pa.Table:
        """Return the rows as a pyarrow table."""
        return self.table

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows

    def polars(self) -> Any:
        """Return the rows as a Polars data frame; needs `trucostats[polars]`."""
        return _extra("polars").from_arrow(self.table)

    def pandas(self) -> Any:
        """Return the rows as a pandas data frame; needs `trucostats[pandas]`."""
        _extra("pandas")
        return self.table.to_pandas()


def _extra(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise QueryError(f'{name} is not installed; pip install "trucostats[{name}]"') from error


def parse_query(text: str, source: str) -> Query:
    """Return the query that a file's text stands for.

    Raises `QueryError` for a header that lacks a key, needs a column that no table declares, or names what does not exist.
    """
    header, body = _split(text)
    if missing := [key for key in KEYS if key not in header]:
        raise QueryError(f"{source}: the header has no {missing[0]!r}")
    if unknown := [key for key in header if key not in KEYS]:
        raise QueryError(f"{source}: the header has an unknown key {unknown[0]!r}{did_you_mean(unknown[0], KEYS)}")
    hidden = header["hidden"].split(":")[0].strip()
    if hidden not in HIDDEN:
        raise QueryError(f"{source}: hidden is {hidden!r}; it may be {', '.join(HIDDEN)}")
    features = _listed(header["rules"])
    if wrong := [feature for feature in features if feature not in FEATURES]:
        raise QueryError(f"{source}: no rule set has a feature {wrong[0]!r} (known: {', '.join(FEATURES)})")
    return Query(
        header["name"], header["title"], header["question"], header["grain"], _needs(header["needs"], source),
        tuple(_column(line, source) for line in header["columns"].splitlines()), _params(header["params"], source), header["hidden"],
        header["reference"], tuple(int(number) for number in _listed(header["catalogue"])), features, body,
    )  # fmt: skip


def _split(text: str) -> tuple[dict[str, str], str]:
    header: dict[str, str] = {}
    lines = text.splitlines()
    key = ""
    for index, line in enumerate(lines):
        if match := re.fullmatch(r"-- (\w+): *(.*)", line):
            key, header[match[1]] = match[1], match[2]
        elif key and line.startswith("--   "):
            header[key] = f"{header[key]}\n{line[5:].strip()}".strip()
        else:
            return header, "\n".join(lines[index:]).strip() + "\n"
    return header, ""


def _listed(text: str) -> tuple[str, ...]:
    return () if text == "none" else tuple(item.strip() for item in text.split(","))


def _needs(text: str, source: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    needs = []
    for line in text.splitlines():
        table, _, names = line.partition(":")
        columns = tuple(names.split())
        if table not in TABLES:
            raise QueryError(f"{source}: needs a table {table!r} that is not declared{did_you_mean(table, TABLES)}")
        declared = [column.name for column in TABLES[table].columns]
        if absent := [column for column in columns if column not in declared]:
            raise QueryError(
                f"{source}: needs {table}.{absent[0]}, which is not declared{did_you_mean(absent[0], declared)}"
            )
        needs.append((table, columns))
    return tuple(needs)


def _column(line: str, source: str) -> tuple[str, str]:
    name, _, meaning = line.partition(":")
    found = meaning.strip() or COMMON_COLUMNS.get(name)
    if not found:
        raise QueryError(f"{source}: the column {name!r} has no meaning")
    return name, found


def _params(text: str, source: str) -> tuple[Param, ...]:
    if text == "none":
        return ()
    params = []
    for line in text.splitlines():
        match = re.fullmatch(r"(\w+)=([^:]+): (.+)", line)
        if not match:
            raise QueryError(f"{source}: a parameter is written name=default: meaning, not {line!r}")
        words = match[2].split("|")
        number = re.fullmatch(r"-?\d+(\.\d+)?", words[0])
        default: int | float | str = words[0] if not number else float(words[0]) if number[1] else int(words[0])
        params.append(Param(match[1], default, () if number else tuple(words), match[3]))
    return tuple(params)


@lru_cache(maxsize=1)
def _queries() -> dict[str, Query]:
    folder = resources.files("trucostats").joinpath("sql")
    found = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            query = parse_query(file.read_text("utf-8"), file.name)
            if f"{query.name}.sql" != file.name:
                raise QueryError(f"{file.name}: the header's name is {query.name!r}")
            found[query.name] = query
    return found


def list_queries() -> list[Query]:
    """Return every statistic, by section and name.

    >>> [query.name for query in list_queries() if query.section == "Position"]
    ['mano_advantage', 'mano_envido_win', 'mano_hand_win', 'mano_points']
    """
    order = [name for _, name in SECTIONS]
    return sorted(
        _queries().values(),
        key=lambda query: (order.index(query.section) if query.section in order else len(order), query.name),
    )


def find(name: str) -> Query:
    """Return a statistic by its name, written with `_`, `-` or blanks.

    Raises `QueryError` with the nearest name if there is none.

    >>> find("hand-win").title
    'Hands won'
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    if key not in _queries():
        hint = did_you_mean(key, _queries()) or "; `trucostats stats` lists them"
        raise QueryError(f"there is no statistic {name!r}{hint}")
    return _queries()[key]


def describe(name: str) -> str:
    """Return the definition of a statistic as text: question, grain, columns, parameters, needs and its SELECT.

    >>> print(describe("hand_win").splitlines()[0])
    hand_win: Hands won
    """
    query = find(name)
    lines = [f"{query.name}: {query.title}", "", query.question, ""]
    lines += [f"grain      {query.grain}", f"hidden     {query.hidden}", f"reference  {query.reference}"]
    lines += [
        f"catalogue  {', '.join(map(str, query.catalogue)) or 'none'}",
        f"rules      {', '.join(query.rules) or 'all'}",
        "",
        "columns",
    ]
    lines += [f"  {column:<12} {meaning}" for column, meaning in query.columns]
    if query.params:
        lines += ["", "parameters", *(f"  {_param_text(param)}: {param.meaning}" for param in query.params)]
    lines += ["", "reads", *(f"  {table}: {' '.join(columns)}" for table, columns in query.needs), "", query.sql]
    return "\n".join(lines)


def _param_text(param: Param) -> str:
    return f"{param.name}={'|'.join(param.choices) if param.choices else param.default}"


def run(
    name: str,
    tables_dir: Path | str,
    *,
    filters: Filters | None = None,
    params: Mapping[str, Any] | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
) -> Result:
    """Run one statistic over the hands that the filters keep.

    Only legal, complete hands of known points count unless the statistic says otherwise. A rule set without what the statistic
    is about, or hands that give it no case, has a row whose `reason` says so. Raises `QueryError` and `DatasetError`.

    >>> run("truco_open", "logs/tables", params={"by": "mano"}).rows()  # doctest: +SKIP
    [{'rules': 'argentino', 'split': 'mano', 'x': 1, 'n': 3, 'rate': 0.333, 'low': 0.061, 'high': 0.792}]
    """
    query = find(name)
    values = _values(query, params or {})
    connection = connect(tables_dir, filters=filters, memory_limit=memory_limit, threads=threads, comments=False)
    try:
        if "manilhas" in query.rules:
            add_manilhas(connection)
        table = fetch(connection, query.sql, values)
        if query.rules:
            labels = fetch(connection, "SELECT DISTINCT rules FROM hands ORDER BY rules").column(0).to_pylist()
            table = _with_reasons(query, table, labels)
    finally:
        connection.close()
    return Result(table, query)


def sql(
    text: str,
    tables_dir: Path | str,
    *,
    filters: Filters | None = None,
    params: Mapping[str, Any] | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    allow_files: bool = False,
) -> Result:
    """Run one SELECT of your own over the views hands, seats, calls, tricks, events, games, matches, decisions, findings and files.

    It may read the dataset and nothing else, unless `allow_files`. Raises `QueryError` and `DatasetError`.

    >>> sql("SELECT ended_by, count(*) AS n FROM hands GROUP BY ALL", "logs/tables").rows()  # doctest: +SKIP
    [{'ended_by': 'cards', 'n': 2}]
    """
    connection = connect(
        tables_dir, filters=filters, memory_limit=memory_limit, threads=threads, comments=False, allow_files=allow_files
    )
    try:
        return Result(fetch(connection, text, params, allow_files=allow_files))
    finally:
        connection.close()


def _values(query: Query, given: Mapping[str, Any]) -> dict[str, Any]:
    known = {param.name: param for param in query.params}
    if unknown := [name for name in given if name not in known]:
        takes = f"it takes {', '.join(_param_text(param) for param in query.params)}" if known else "it takes none"
        raise QueryError(f"{query.name} has no parameter {unknown[0]!r}; {takes}")
    values = {}
    for name, param in known.items():
        value = given.get(name, param.default)
        if param.choices and value not in param.choices:
            raise QueryError(
                f"{query.name}: {name} is {value!r}; it may be {', '.join(param.choices)}{did_you_mean(value, param.choices)}"
            )
        try:
            values[name] = type(param.default)(value)
        except (TypeError, ValueError) as error:
            raise QueryError(f"{query.name}: {name} is {value!r}; it is a number, such as {param.default}") from error
    return values


def lacks(label: str, feature: str) -> bool:
    """Say whether a rule set, by its label in the tables, is played without a feature.

    >>> lacks("argentino", "flor"), lacks("argentino flor=true", "flor"), lacks("truc", "envido")
    (True, False, True)
    """
    try:
        return not FEATURES[feature](rules_of_label(label))
    except RulesError:
        return False


def _with_reasons(query: Query, table: pa.Table, labels: list[str]) -> pa.Table:
    counts = table.column("n").to_pylist() if "n" in table.column_names else [1] * table.num_rows
    table = table.append_column("reason", pa.array(["no opportunity" if not n else None for n in counts], pa.string()))
    found = set(table.column("rules").to_pylist())
    told = []
    without = []
    for label in labels:
        if missing := [feature for feature in query.rules if lacks(label, feature)]:
            without.append(label)
            told.append({"rules": label, "reason": f"these rules have no {missing[0]}"})
        elif label not in found:
            told.append({"rules": label, "reason": "no opportunity"})
    if not told:
        return table
    kept = table.filter(pa.array([label not in without for label in table.column("rules").to_pylist()], pa.bool_()))
    return pa.concat_tables([kept, pa.Table.from_pylist(told, schema=table.schema)])


def statistics_markdown() -> str:
    """Return the page of all statistics, as `docs/statistics.md` holds it."""
    queries = list_queries()
    lines = [
        "# Statistics", "", "Generated from the headers of `trucostats/sql/*.sql`. A rate has cases `x`, opportunities `n`, `rate` and its Wilson",
        "95 % interval; a mean has `n`, `mean`, `sd` and `se`; \"no data\" is null. Only legal, complete hands whose points are known count",
        "unless the statistic says otherwise. Grain: **P** player and hand, **D** decision, **E** event, **H** hand, **M** match.",
        "A statistic about part of the game has a column `reason`: rule sets without that part, or without a case, get a row that says so.", "",
        "SQL of your own may use the same tables and macros: `rate(x, n)`, `wilson_low(x, n)`, `wilson_high(x, n)`, `tally(condition)`,",
        "`standard_error(value)`, `can(legal, 'truco')`, `target_of(rules)`, `half_of(score, rules)`, `lead_of(own, rival)`, `has_flor(rules)`,",
        "`undecided(first_trick, second_trick)`; `ANTI JOIN uncounted USING (hand_id)` leaves out the hands that do not count, `pica_pica`",
        "those played as duels, and `envido_exact` is the exact table of the envido. The column `at` is written `\"at\"`, a word of DuckDB.", "",
    ]  # fmt: skip
    for section in dict.fromkeys(query.section for query in queries):
        lines += [
            f"- {section}: "
            + ", ".join(f"[{query.name}](#{query.name})" for query in queries if query.section == section)
        ]
    section = ""
    for query in queries:
        if query.section != section:
            section = query.section
            lines += ["", f"## {section}"]
        lines += ["", f"### {query.name}", "", f"**{query.title}.** {query.question}", "", f"- Grain: {query.grain}"]
        lines += [f"- Hidden cards: {query.hidden}"] if query.hidden != "none" else []
        lines += [f"- Reference: {query.reference}"] if query.reference != "none" else []
        lines += [f"- Needs rules with: {', '.join(query.rules)}"] if query.rules else []
        lines += [f"- Parameter `{_param_text(param)}`: {param.meaning}" for param in query.params]
        own = [f"`{column}` {meaning}" for column, meaning in query.columns if COMMON_COLUMNS.get(column) != meaning]
        lines += [
            "- Columns: "
            + ", ".join(f"`{column}`" for column, _ in query.columns)
            + (" (" + "; ".join(own) + ")" if own else "")
        ]
        lines += ["- Reads: " + "; ".join(f"{table} ({', '.join(columns)})" for table, columns in query.needs)]
    return "\n".join(lines) + "\n"
