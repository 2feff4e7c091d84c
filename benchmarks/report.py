"""What a benchmark says: one row a claim, the same columns for all, as a table for people and as JSON.

A row compares two numbers of one run on one machine: what trucostats does, and a reference. Each is the median of some
runs that take turns, so that a busy moment of the machine hits both.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RUNS = 5
OUT = Path(__file__).parent.parent / "out"


@dataclass(frozen=True)
class Row:
    """A value beside its reference, and what their ratio should be: `target` is "<= 5", ">= 100", or empty if nothing is claimed."""

    name: str
    value: float
    reference: float | None = None
    unit: str = "s"
    target: str = ""
    against: str = ""

    @property
    def ratio(self) -> float | None:
        """Value by reference."""
        return self.value / self.reference if self.reference else None

    @property
    def ok(self) -> bool | None:
        """The ratio is as claimed; None if nothing is."""
        if not self.target or self.ratio is None:
            return None
        sign, limit = self.target.split()
        return self.ratio <= float(limit) if sign == "<=" else self.ratio >= float(limit)


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def medians(*works: Callable[[], object], runs: int = RUNS) -> list[float]:
    """Time some calls that take turns; return the median of each in seconds."""
    times = [[seconds(work) for work in works] for _ in range(runs)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def machine() -> dict[str, Any]:
    """Return what the numbers depend on."""
    import duckdb
    import numba
    import numpy as np
    import pyarrow as pa

    versions = {module.__name__: module.__version__ for module in (duckdb, numba, np, pa)}
    return {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count(), **versions}


def number(value: float | None) -> str:
    """Write a number with three digits that count, or all of those before the point."""
    if value is None:
        return ""
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


def show(rows: list[Row]) -> str:
    """Return the rows as a table of text."""
    head = ("name", "value", "reference", "unit", "ratio", "target", "ok", "reference is")
    verdicts = {True: "yes", False: "NO", None: ""}
    cells = [head] + [
        (
            row.name,
            number(row.value),
            number(row.reference),
            row.unit,
            number(row.ratio),
            row.target,
            verdicts[row.ok],
            row.against,
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    right = {1, 2, 4}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def in_out(name: str) -> Path:
    """Return the path of a file below `out`, whose folder is made."""
    return with_folder(OUT / name)


def with_folder(path: Path) -> Path:
    """Return a path whose folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def keep(name: str, found: dict[str, Any]) -> None:
    """Write what was found to a JSON file below `out`, with the machine and its load."""
    write(OUT / name, {"machine": machine(), "load": os.getloadavg()} | found)


def save(rows: list[Row], path: Path) -> None:
    """Write the rows and the machine as JSON."""
    rated = [asdict(row) | {"ratio": row.ratio, "ok": row.ok} for row in rows]
    write(path, {"machine": machine(), "rows": rated})


def write(path: Path, data: dict[str, Any]) -> None:
    """Write data as JSON."""
    with_folder(path).write_text(json.dumps(data, indent=2) + "\n", "utf-8")


def say(text: str) -> None:
    """Tell on standard error what is being measured."""
    print(text, file=sys.stderr, flush=True)
