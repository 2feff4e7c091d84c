"""Measure the ingest of every rule set against argentino in the same run: the same number of hands, as many players, plain policy.

    python benchmarks/bench_rules.py [--hands 100000] [--runs 5]

What is measured is processor time, so that a busy machine matters less, of one job in a process that has ingested a few hands
before. The claim is about hands a second, the figure of argentino elsewhere. How much a hand is differs between rule sets, so events
and bytes a second stand beside it, without a claim: most of the cost is that of a hand and its seats (their rows and texts), so a
rule set of short hands does more hands and fewer events a second without being slower at anything.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgspec
from report import RUNS, Row, say, show

from trucostats.rules import NAMES, rules_of
from trucostats.simulate import simulate

HANDS = 100_000
WARM = 300
BASE = "argentino"
INGEST = """
import sys, time
from trucostats.ingest import ingest
log, few, out = sys.argv[1:]
ingest(few, out + "-few", jobs=1)
started = time.process_time()
ingest(log, out, jobs=1)
print(time.process_time() - started)
"""


@dataclass(frozen=True)
class Log:
    """A simulated log: rule set, players, files (all hands, and a few), and how much it is."""

    rules: str
    players: int
    path: Path
    few: Path
    hands: int
    events: int
    bytes: int


class _Events(msgspec.Struct):
    events: list[str]


def logs(folder: Path, hands: int) -> list[Log]:
    """Return a log of so many hands for every rule set, for two players or as few as can be, and one of argentino for each such number."""
    tables = [(name, min(rules_of(name).players)) for name in NAMES]
    tables += [
        (BASE, players) for players in sorted({players for _, players in tables}) if (BASE, players) not in tables
    ]
    found = []
    for name, players in tables:
        path = folder / f"rules-{name}-{players}-{hands}.jsonl"
        if not path.exists():
            say(f"  simulating {hands:,} hands of {name} for {players}")
            part = path.with_suffix(".part")
            with part.open("wb") as file:
                file.writelines(
                    line + b"\n" for line in simulate(name, hands=hands, players=players, seed=1, policy="plain")
                )
            part.rename(path)
        few = path.with_suffix(".few.jsonl")
        decode = msgspec.json.Decoder(_Events).decode
        with path.open("rb") as file:
            few.write_bytes(b"".join(islice(file, WARM)))
            file.seek(0)
            events = sum(len(decode(line).events) for line in file)
        found.append(Log(name, players, path, few, hands, events, path.stat().st_size))
    return found


def processor_seconds(log: Log) -> float:
    """Ingest a log in a process of its own and return the seconds of processor that the ingest took."""
    with tempfile.TemporaryDirectory(dir=log.path.parent) as folder:
        call = [sys.executable, "-c", INGEST, str(log.path), str(log.few), str(Path(folder, "out"))]
        return float(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def measure(folder: Path, hands: int = HANDS, runs: int = RUNS) -> list[Row]:
    """Ingest the logs of all rule sets in turns, each round beginning with another one."""
    tables = logs(folder, hands)
    processor_seconds(tables[0])  # compiles
    times: dict[Path, list[float]] = {log.path: [] for log in tables}
    for turn in range(runs):
        say(f"  run {turn + 1} of {runs}")
        for log in tables[turn % len(tables) :] + tables[: turn % len(tables)]:
            times[log.path].append(processor_seconds(log))
    rows = []
    for log in tables:
        if log.rules == BASE:
            continue
        base = next(other for other in tables if (other.rules, other.players) == (BASE, log.players))
        own, reference = statistics.median(times[log.path]), statistics.median(times[base.path])
        amounts = {
            "hands": (log.hands, base.hands),
            "events": (log.events, base.events),
            "MB": (log.bytes / 1e6, base.bytes / 1e6),
        }
        rates = {unit: (amount / own, other / reference) for unit, (amount, other) in amounts.items()}
        for unit, (rate, other) in rates.items():
            target = ">= 0.9" if unit == "hands" else ""
            rows.append(
                Row(
                    f"ingest, {log.rules}, {log.players} players",
                    rate,
                    other,
                    f"{unit}/s",
                    target,
                    f"{BASE}, {log.players} players",
                )
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("out/bench"))
    parser.add_argument("--hands", type=int, default=HANDS)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(show(measure(options.folder, options.hands, options.runs)))


if __name__ == "__main__":
    main()
