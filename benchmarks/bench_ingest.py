"""Measure the ingest: one process against the bare decoder, two against one, and the memory of each at two sizes.

    trucostats simulate --hands 400000 -o /tmp/log.jsonl
    python benchmarks/bench_ingest.py /tmp/log.jsonl [LARGE]

Every run is a process of its own, start-up included, and the three kinds take turns, so that a busy machine slows all of them.
The package is compiled to byte code before, as an installed one is: it may be that Python is told not to write any here.
"""

from __future__ import annotations

import argparse
import compileall
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from report import RUNS, Row, say, show

import trucostats

MEMORY = 600

DECODE = """
import gc, sys, time
import msgspec
from trucostats.notation import Record
gc.disable()
decode = msgspec.json.Decoder(Record).decode
started = time.perf_counter()
with open(sys.argv[1], "rb") as log:
    for line in log:
        decode(line)
print(time.perf_counter() - started)
"""
INGEST = """
import resource, sys
from trucostats.ingest import ingest
report = ingest(sys.argv[1], sys.argv[2], jobs=int(sys.argv[3]))
peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(report.seconds, max(peaks) // 1024)
"""


def told(*command: str) -> list[float]:
    """Run a script and return the numbers it prints: seconds, then for an ingest the peak memory of its largest process in MB."""
    run = subprocess.run([sys.executable, "-c", *command], stdout=subprocess.PIPE, text=True, check=True)
    return [float(number) for number in run.stdout.split()]


def measure(log: Path, large: Path | None = None, runs: int = RUNS) -> list[Row]:
    """Ingest a log again and again, and a larger one once for its memory."""
    compileall.compile_dir(Path(trucostats.__file__).parent, quiet=1)
    with log.open("rb") as file:
        hands = sum(1 for _ in file)
    with tempfile.TemporaryDirectory(dir=log.parent) as folder:
        out = Path(folder, "out")

        def ingest(source: Path, jobs: int) -> list[float]:
            shutil.rmtree(out, ignore_errors=True)
            return told(INGEST, str(source), str(out), str(jobs))

        ingest(log, 1)  # compiles the kernels once and fills the cache of files
        rounds = []
        for turn in range(runs):
            say(f"  run {turn + 1} of {runs}")
            rounds.append((told(DECODE, str(log)), ingest(log, 1), ingest(log, 2)))
        decode, one, two = (statistics.median(run[0] for run in kind) for kind in zip(*rounds, strict=True))
        peak = max(run[1] for kind in rounds for run in kind[1:])
        rows = [
            Row("ingest, one job", one, decode, "s", "<= 5", "bare msgspec decode of the lines"),
            Row("ingest, two jobs", hands / two, hands / one, "hands/s", ">= 1.7", "one job"),
            Row("ingest, peak memory of a process", peak, MEMORY, "MB", "<= 1", "the limit"),
        ]
        if large:
            say("  the large log")
            large_peak = ingest(large, 2)[1]
            rows += [
                Row("the same, large log", large_peak, MEMORY, "MB", "<= 1", "the limit"),
                Row("the same, large log", large_peak, peak, "MB", "<= 1.1", "the smaller log"),
            ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    parser.add_argument("large", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    print(show(measure(options.log, options.large, options.runs)))


if __name__ == "__main__":
    main()
