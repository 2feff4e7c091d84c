"""Datasets from a few hand-made rows: only the columns that matter are given, the rest is filled in by the schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from trucostats.dataset import DECISIONS, DERIVED_TABLES
from trucostats.tables import FORMAT_VERSION, TABLES, schema

DEFAULTS: dict[str, Any] = {
    "rules": "argentino", "base_rules": "argentino", "status": "complete", "legal": True, "seats": 2, "score0_after": 1, "score1_after": 0,
    "player": "ana", "team0": "ana", "team1": "ben", "players": "ana / ben", "match": "m1", "game": 1, "hand": 1, "file": "log.jsonl",
    "line": 1, "known": True, "metric": "made-up@1", "done": "quiero", "points_own": 0, "points_rival": 0, "envido_own": 0, "envido_rival": 0, "flor_own": 0, "flor_rival": 0,
    "answer": "none", "trick": 1, "ended_by": "cards", "finished": True, "family": "truco", "hands": 1, "games": 1,
}  # fmt: skip
BLANK = {"bool": False, "word": "", "text": ""}
Row = Mapping[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Read rows written one JSON object a line, each naming its table."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def write_rows(folder: Path, rows: Iterable[Row]) -> Path:
    """Write a dataset of one part; a hand that other tables mention and `hands` does not is an ordinary complete hand."""
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for row in rows:
        tables[row["table"]].append({key: value for key, value in row.items() if key != "table"})
    for number, hand in enumerate(tables["hands"]):
        tables["hands"][number] = {"hand_id": number + 1, **hand}
    known = {row["hand_id"] for row in tables["hands"]}
    for name in ("seats", "calls", "events", "tricks"):
        for row in tables[name]:
            if row["hand_id"] not in known:
                known.add(row["hand_id"])
                label = row.get("rules", "argentino")
                tables["hands"].append({"hand_id": row["hand_id"], "rules": label, "base_rules": label.split(" ")[0]})
    for name, found in tables.items():
        place = folder / "derived" / "g1" if name in DERIVED_TABLES and name != "findings" else folder / "parts" / "p1"
        place = folder / DECISIONS if name == DECISIONS else place
        write_table(place / f"{name}.parquet", name, found)
    write_table(folder / "derived" / "g1" / "findings.parquet", "findings", [])
    (folder / "dataset.json").write_text(json.dumps({"format": FORMAT_VERSION, "derived": "g1"}), "utf-8")
    return folder


def write_table(path: Path, name: str, rows: list[Row]) -> None:
    """Write one Parquet file; refuse a column that the table does not have."""
    columns = TABLES[name].columns
    names = {column.name for column in columns}
    for row in rows:
        assert not (unknown := set(row) - names), f"{name} has no column {unknown}"
    arrays = []
    for column, field in zip(columns, schema(name), strict=True):
        default = None if column.nullable else BLANK.get(column.kind, 0)
        if (name, column.name) != ("events", "legal"):
            default = DEFAULTS.get(column.name, default)
        values = [row.get(column.name, default) for row in rows]
        plain = pa.string() if column.kind == "word" else pa.int64() if column.kind == "time" else field.type
        arrays.append(pa.array(values, plain).cast(field.type))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema(name)), path)
