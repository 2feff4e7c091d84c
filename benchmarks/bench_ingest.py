"""Measure the ingest: one process against the bare decoder, two against one, and the memory of each at two sizes.

    trucostats simulate --hands 400000 -o /tmp/log.jsonl
    python benchmarks/bench_ingest.py /tmp/log.jsonl [LARGE]

Every run is a process of its own, start-up included, and the three kinds take turns, so that a busy machine slows all of them.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import RUNS, Row, say, show

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
import sys
from trucostats.ingest import ingest
report = ingest(sys.argv[1], sys.argv[2], jobs=int(sys.argv[3]))
print(report.seconds)
"""


def processes(root: int) -> list[int]:
    """Return a process and all that it started."""
    found = [root]
    for process in found:
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def peaks_of(command: list[str]) -> tuple[float, float, list[int]]:
    """Run a command; return the seconds it tells, those it took, and the peak memory of each process in MB, largest first."""
    started = time.perf_counter()
    peaks: dict[int, int] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        while run.poll() is None:
            try:
                for process in processes(run.pid):
                    status = Path(f"/proc/{process}/status").read_text()
                    if found := re.search(r"VmHWM:\s+(\d+)", status):
                        peaks[process] = int(found[1]) // 1024
            except OSError:
                pass
            time.sleep(0.02)
        took = time.perf_counter() - started
        assert run.stdout is not None
        assert run.returncode == 0, command
        return float(run.stdout.read()), took, sorted(peaks.values(), reverse=True)


def measure(log: Path, large: Path | None = None, runs: int = RUNS) -> list[Row]:
    """Ingest a log again and again, and a larger one once for its memory."""
    with log.open("rb") as file:
        hands = sum(1 for _ in file)
    with tempfile.TemporaryDirectory(dir=log.parent) as folder:
        out = Path(folder, "out")

        def ingest(source: Path, jobs: int) -> tuple[float, float, list[int]]:
            shutil.rmtree(out, ignore_errors=True)
            return peaks_of([sys.executable, "-c", INGEST, str(source), str(out), str(jobs)])

        ingest(log, 1)  # compiles the kernels once and fills the cache of files
        rounds = []
        for turn in range(runs):
            say(f"  run {turn + 1} of {runs}")
            rounds.append((peaks_of([sys.executable, "-c", DECODE, str(log)]), ingest(log, 1), ingest(log, 2)))
        decode, one, two = (statistics.median(run[0] for run in kind) for kind in zip(*rounds, strict=True))
        peak = max(max(run[2]) for kind in rounds for run in kind[1:])
        rows = [
            Row("ingest, one job", one, decode, "s", "<= 5", "bare msgspec decode of the lines"),
            Row("ingest, two jobs", hands / two, hands / one, "hands/s", ">= 1.7", "one job"),
            Row("ingest, peak memory of a process", peak, MEMORY, "MB", "<= 1", "the limit"),
        ]
        if large:
            say("  the large log")
            large_peak = max(ingest(large, 2)[2])
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
