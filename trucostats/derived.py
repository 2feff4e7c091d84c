"""What depends on the hands of all parts: games, matches and the findings between hands, computed anew for a dataset."""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from trucostats.parts import ORDINAL_SHIFT, TableWriter, kept_memory

DERIVED_TABLES: Final = ("games", "matches", "findings")


@dataclass(slots=True)
class Derived:
    """The findings between hands: how many of each code in each part, and the first error of each part as a row."""

    codes: Counter[tuple[int, str]] = field(default_factory=Counter)
    errors: dict[int, dict[str, Any]] = field(default_factory=dict)

    def add(self, findings: Any) -> None:
        """Count the rows of a table of findings."""
        for row in findings.to_pylist():
            part = row["hand_id"] >> ORDINAL_SHIFT
            self.codes[part, row["code"]] += 1
            if row["severity"] == "error" and row["hand_id"] <= self.errors.get(part, row)["hand_id"]:
                self.errors[part] = row


@dataclass(frozen=True, slots=True)
class Derivation:
    """A folder to write the derived tables into, the `hands` files of all parts, a folder to make for large data."""

    folder: Path
    hands: list[Path]
    spill: Path

    def run(self) -> Derived:
        """Write the tables and return what they found."""
        from trucostats.by_match import hands_by_match  # noqa: PLC0415
        from trucostats.matches import NEEDED, derive  # noqa: PLC0415  (heavy, and often another process runs this)

        found = Derived()
        try:
            with kept_memory(), contextlib.ExitStack() as stack:
                writers = {
                    name: stack.enter_context(TableWriter(self.folder / f"{name}.parquet", name))
                    for name in DERIVED_TABLES
                }
                for tables in derive(hands_by_match(self.hands, NEEDED, self.spill)):
                    for name, table in tables.items():
                        writers[name].add(table)
                    found.add(tables["findings"])
        finally:
            shutil.rmtree(self.spill, ignore_errors=True)
        return found
