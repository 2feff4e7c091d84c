"""Every statistic against a bare scan of the columns it reads: one row each, medians of five.

    python benchmarks/synthetic_tables.py 1000000 /tmp/big
    python benchmarks/bench_queries.py /tmp/big

A scan counts the values of each column, which makes DuckDB decode all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path

from report import Row, medians, say, show

from trucostats.dataset import connect, fetch
from trucostats.queries import Query, list_queries


def measure(tables: Path, names: Collection[str] = (), threads: int = 2) -> list[Row]:
    """Time some statistics, all if none is named."""
    connection = connect(tables, threads=threads, comments=False)

    def scan(query: Query) -> None:
        for table, columns in query.needs:
            fetch(connection, f"SELECT {', '.join(f'count({column})' for column in columns)} FROM {table}")

    rows = []
    for query in list_queries():
        if names and query.name not in names:
            continue
        params = {param.name: param.default for param in query.params}
        fetch(connection, query.sql, params)
        taken, bare = medians(
            lambda query=query, params=params: fetch(connection, query.sql, params), lambda query=query: scan(query)
        )
        rows.append(
            Row(f"statistic {query.name}", 1000 * taken, 1000 * bare, "ms", "", "DuckDB scans the columns it reads")
        )
        say(f"  {query.name}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path)
    parser.add_argument("names", nargs="*", help="statistics to time; all by default")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(show(measure(options.tables, options.names, options.threads)))


if __name__ == "__main__":
    main()
