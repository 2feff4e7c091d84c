"""Measure every claim and print one table: `make bench`, or `make bench-full` with the large log. Writes out/bench.json too.

The ratios hold on any machine that is not busy with something else; the seconds are those of this one.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
from collections.abc import Callable
from pathlib import Path

import bench_ingest
import bench_queries
import bench_replay
import bench_rules
import bench_start
from report import OUT, Row, save, say, show
from synthetic_tables import write_dataset

from trucostats.simulate import simulate

ROOT = Path(__file__).parent.parent
BUSY = 0.5


def simulated(folder: Path, hands: int) -> Path:
    """Return a log of so many simulated hands, written if it is not there yet."""
    log = folder / f"log-{hands}.jsonl"
    if not log.exists():
        say(f"simulating {hands:,} hands")
        part = log.with_suffix(".part")
        with part.open("wb") as file:
            file.writelines(line + b"\n" for line in simulate("argentino", hands=hands, seed=1))
        part.rename(log)
    return log


def made_up(folder: Path, hands: int) -> Path:
    """Return tables of so many made-up hands, written if they are not there yet in the present columns."""
    columns = hashlib.sha256((ROOT / "schemas" / "tables.json").read_bytes()).hexdigest()[:8]
    tables = folder / f"tables-{hands}-{columns}"
    if not tables.exists():
        say(f"making up tables of {hands:,} hands")
        part = folder / f"part-{hands}"
        write_dataset(part, hands)
        part.rename(tables)
    return tables


def summary(rows: list[Row]) -> list[Row]:
    """Return the usual statistic and the dearest, by ratio."""
    ordered = sorted(rows, key=lambda row: row.ratio or 0)
    ratios = [row.ratio or 0 for row in rows]
    usual = min(ordered, key=lambda row: abs((row.ratio or 0) - statistics.median(ratios)))
    return [
        Row(f"median {usual.name}", usual.value, usual.reference, "ms", "", usual.against),
        Row(f"dearest {ordered[-1].name}", ordered[-1].value, ordered[-1].reference, "ms", "", usual.against),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="measure the memory with 2,000,000 hands too")
    parser.add_argument("--hands", type=int, default=400_000, help="hands of the log")
    parser.add_argument("--large", type=int, default=2_000_000, help="hands of the large log")
    parser.add_argument("--tables", type=int, default=1_000_000, help="hands of the tables for the statistics")
    parser.add_argument("--only", choices=("start", "replay", "ingest", "rules", "queries"), help="one part")
    options = parser.parse_args()
    folder = OUT / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    log = simulated(folder, options.hands)
    parts: dict[str, Callable[[], list[Row]]] = {
        "start": lambda: bench_start.measure(log),
        "replay": lambda: bench_replay.measure(log),
        "ingest": lambda: bench_ingest.measure(log, simulated(folder, options.large) if options.full else None),
        "rules": lambda: bench_rules.measure(folder),
        "queries": lambda: bench_queries.measure(made_up(folder, options.tables)),
    }
    if os.getloadavg()[0] > BUSY:
        say(f"the machine is busy (load {os.getloadavg()[0]:.1f}): the ratios may be off")
    rows: list[Row] = []
    shown: list[Row] = []
    for name, measure in parts.items():
        if options.only in (None, name):
            say(f"measuring {name}")
            found = measure()
            rows += found
            shown += summary(found) if name == "queries" else found
    save(rows, OUT / "bench.json")
    print(show(shown))
    print("every statistic: out/bench.json")


if __name__ == "__main__":
    main()
