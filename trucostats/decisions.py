"""The decisions that a review has judged, put into a dataset: one more table beside those of the ingest.

A hand is found by match, game and deal. A review of it takes the place of the one before.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from trucostats.arrays import rows_table
from trucostats.dataset import DECISIONS, connect, fetch
from trucostats.dataset import read_manifest as check_dataset
from trucostats.parts import TableWriter
from trucostats.store import open_store, writing
from trucostats.tables import schema

SCRATCH: Final = f".tmp-{DECISIONS}.parquet"


def write_decisions(tables_dir: str | os.PathLike[str], decisions: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Put judged decisions into a dataset; return how many were written and how many are of hands that it does not have.

    Each has `match`, `game` and `hand`, and the columns of the table but `hand_id`. The file appears whole or not at all. Raises
    `DatasetError` for a folder that is no dataset, or that another is writing to.
    """
    check_dataset(Path(tables_dir))
    with open_store(tables_dir) as store:
        connection = connect(store.root, comments=False)
        try:
            known = fetch(connection, "SELECT match, game, hand, hand_id FROM hands").to_pylist()
        finally:
            connection.close()
        ids = {(row["match"], row["game"], row["hand"]): row["hand_id"] for row in known}
        columns = [column.name for column in schema(DECISIONS)]
        rows, missing = [], 0
        for decision in decisions:
            hand_id = ids.get((decision["match"], decision["game"], decision["hand"]))
            if hand_id is None:
                missing += 1
            else:
                rows.append({name: hand_id if name == "hand_id" else decision[name] for name in columns})
        _write(store.root / DECISIONS, rows)
    return len(rows), missing


def _write(folder: Path, rows: list[dict[str, Any]]) -> None:
    table = rows_table(DECISIONS, rows)
    path = folder / f"{DECISIONS}.parquet"
    with writing(folder):
        folder.mkdir(exist_ok=True)
        if path.exists():
            before = pq.read_table(path, use_threads=False)
            stays = pc.invert(pc.is_in(before["hand_id"], pc.unique(table["hand_id"])))
            table = pa.concat_tables([before.filter(stays).cast(schema(DECISIONS)), table]).unify_dictionaries()
        table = table.sort_by([("hand_id", "ascending"), ("event", "ascending")])
        with TableWriter(folder / SCRATCH, DECISIONS) as writer:
            writer.add(table)
        (folder / SCRATCH).replace(path)


__all__ = ["write_decisions"]
