"""Time every statistic against a bare scan of the columns it reads.

    python benchmarks/synthetic_tables.py 1000000 /tmp/big
    python benchmarks/bench_queries.py /tmp/big

Prints, per statistic, the medians of five runs in milliseconds and their ratio. A scan counts the values of each column.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from trucostats.dataset import connect, fetch
from trucostats.queries import Query, list_queries

RUNS = 5


def median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables")
    parser.add_argument("names", nargs="*", help="statistics to time; all by default")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    connection = connect(options.tables, threads=options.threads, comments=False)

    def scan(query: Query) -> None:
        for table, columns in query.needs:
            fetch(connection, f"SELECT {', '.join(f'count({column})' for column in columns)} FROM {table}")

    print(f"{'statistic':<26} {'rows':>7} {'ms':>8} {'scan ms':>8} {'ratio':>6}")
    for query in list_queries():
        if options.names and query.name not in options.names:
            continue
        params = {param.name: param.default for param in query.params}
        rows = fetch(connection, query.sql, params).num_rows
        taken = median_ms(lambda query=query, params=params: fetch(connection, query.sql, params))
        bare = median_ms(lambda query=query: scan(query))
        print(f"{query.name:<26} {rows:>7} {taken:>8.1f} {bare:>8.1f} {taken / bare:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
