"""The hands of all parts, match by match and in order, in memory that does not grow with the dataset.

A small dataset is sorted at once. A large one is first dealt out into bins by the name of the match, one file each, and every
bin is sorted by itself: a match is never in two bins, and which match comes first does not matter.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from trucostats.arrays import array_of, numbers_of
from trucostats.errors import DatasetError

BIN_HANDS: Final = 400_000
BATCH_HANDS: Final = 65_536


def hands_by_match(files: Sequence[Path], columns: Sequence[str], spill: Path) -> Iterator[pa.RecordBatch]:
    """Yield columns of `hands` files sorted within every match, the hands of a match together.

    `columns` must contain match, game, hand and hand_id. `spill` is a folder to make for large data and to leave to the caller.
    """
    total = sum(_opened(file).metadata.num_rows for file in files)
    bins = -(-total // BIN_HANDS)
    if bins <= 1:
        tables = [_read(file, columns) for file in files]
        if total:
            yield from _sorted(pa.concat_tables(tables))
        return
    spill.mkdir()
    paths = [spill / f"{number}.arrow" for number in range(bins)]
    with contextlib.ExitStack() as stack:
        sinks: list[Any] = []
        for file in files:
            table = _read(file, columns)
            if not sinks:
                sinks = [stack.enter_context(pa.ipc.new_stream(str(path), table.schema)) for path in paths]
            bin_of = _bins(_codes(table["match"]), bins)
            for number in np.unique(bin_of).tolist():
                sinks[number].write_table(_compact(table.filter(array_of(pa.bool_(), bin_of == number))))
    for path in paths:
        with pa.OSFile(str(path)) as source:
            table = pa.ipc.open_stream(source).read_all()
        path.unlink()
        if table.num_rows:
            yield from _sorted(table)


def _opened(file: Path) -> Any:
    try:
        return pq.ParquetFile(file)
    except (OSError, ValueError) as error:
        raise DatasetError(f"{file} cannot be read: {error}") from error


def _read(file: Path, columns: Sequence[str]) -> pa.Table:
    try:
        with pq.ParquetFile(file) as opened:
            return opened.read(list(columns), use_threads=False).unify_dictionaries().combine_chunks()
    except (OSError, ValueError) as error:
        raise DatasetError(f"{file} cannot be read: {error}") from error


def _codes(column: pa.ChunkedArray) -> Any:
    """Return a column of words as one array of codes."""
    array = column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _bins(match: Any, bins: int) -> Any:
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in match.dictionary.to_pylist()]
    return (np.frombuffer(b"".join(digests), "<u8") % bins)[numbers_of(match)]


def _compact(table: pa.Table) -> pa.Table:
    """Leave out the words that no row uses; a bin would hold the whole vocabulary of every part."""
    columns = [
        column.cast(pa.string()).combine_chunks().dictionary_encode() if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.Table.from_arrays(columns, schema=table.schema)


def _sorted(table: pa.Table) -> Iterator[pa.RecordBatch]:
    table = table.unify_dictionaries().combine_chunks()
    keys = [numbers_of(table[name]) for name in ("hand_id", "hand", "game")]
    order = np.lexsort([*keys, numbers_of(table["match"])])
    if (np.diff(order) != 1).any():
        table = table.take(array_of(pa.int64(), order))
    yield from table.to_batches(max_chunksize=BATCH_HANDS)
