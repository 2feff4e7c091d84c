"""Arrow arrays from NumPy columns and lists, and back: numbers with nulls from masks, words from codes, tables as declared.

The arrays are put together from buffers: `pa.array` looks at every value again and imports pandas where it is installed, and so
does `np.asarray` of an Arrow array.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import ne
from typing import Any, Final, Generic, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.tables import schema

Ints = NDArray[Any]
Mask = NDArray[np.bool_]
Value = TypeVar("Value", bound=Hashable)
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)


def _bits(mask: Mask) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))


def _validity(null: Mask | None) -> pa.Buffer | None:
    return _bits(~null) if null is not None and null.any() else None


def array_of(kind: pa.DataType, values: NDArray[Any], null: Mask | None = None) -> pa.Array:
    """Return numbers or booleans as an array of a type, null where the mask says so.

    >>> array_of(pa.int8(), np.array([3, 4]), np.array([False, True])).to_pylist()
    [3, None]
    """
    if pa.types.is_boolean(kind):
        data = _bits(values.astype(np.bool_, copy=False))
    else:
        native = np.int64 if pa.types.is_timestamp(kind) else kind.to_pandas_dtype()
        data = pa.py_buffer(np.ascontiguousarray(values, native))
    return pa.Array.from_buffers(kind, len(values), [_validity(null), data])


def strings(values: Sequence[str | None]) -> pa.Array:
    """Return strings as an array.

    >>> strings(["ana", None, "ñu"]).to_pylist()
    ['ana', None, 'ñu']
    """
    data = [(value or "").encode() for value in values]
    ends = np.zeros(len(data) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, data), np.int32, len(data)), out=ends[1:])
    validity = _validity(_missing(values)) if None in values else None
    return pa.StringArray.from_buffers(len(data), pa.py_buffer(ends), pa.py_buffer(b"".join(data)), validity)


def _missing(values: Sequence[Any]) -> Mask:
    return np.fromiter((value is None for value in values), np.bool_, len(values))


@dataclass(slots=True)
class Words:
    """Builds dictionary-encoded string arrays from integer codes."""

    names: pa.Array

    def __call__(self, codes: Ints, null: Mask | None = None) -> pa.DictionaryArray:
        """Return the words of some codes, null where the mask says so."""
        return pa.DictionaryArray.from_arrays(array_of(pa.int32(), codes, null), self.names, safe=False)


@dataclass(slots=True)
class Coded(Generic[Value]):
    """A column by its distinct values: row i has `words[codes[i]]`."""

    words: list[Value]
    codes: NDArray[np.int32]


def coded(values: Sequence[Any], key: Callable[[Any], Value] = lambda value: value) -> Coded[Value]:
    """Return a column as codes; a run of equal values is looked up once. `key` makes a hashable value of one that is not.

    >>> column = coded(["m1", "m1", "m2", "m1"])
    >>> column.words, column.codes.tolist()
    (['m1', 'm2'], [0, 0, 1, 0])
    """
    new = np.ones(len(values), np.bool_)
    if len(values) > 1:
        new[1:] = np.fromiter(map(ne, values, islice(values, 1, None)), np.bool_, len(values) - 1)
    starts = np.flatnonzero(new)
    index: dict[Value, int] = {}
    runs = [index.setdefault(key(values[i]), len(index)) for i in starts.tolist()]
    return Coded(list(index), np.repeat(np.array(runs, np.int32), np.diff(starts, append=len(values))))


def text_column(values: Sequence[str | None]) -> pa.DictionaryArray:
    """Return strings, dictionary-encoded."""
    column: Coded[str | None] = coded(values)
    null = column.codes == column.words.index(None) if None in column.words else None
    return Words(strings([word or "" for word in column.words]))(column.codes, null)


def listed(kind: pa.DataType, values: Sequence[Any]) -> pa.Array:
    """Return a list of numbers, truths, moments or strings, None for null, as an array of a type.

    >>> listed(pa.int16(), [3, None]).to_pylist()
    [3, None]
    """
    if pa.types.is_dictionary(kind):
        return text_column(values)
    if pa.types.is_string(kind):
        return strings(values)
    if pa.types.is_timestamp(kind):
        values = [None if value is None else (value - _EPOCH) // _MICROSECOND for value in values]
    native = np.float64 if pa.types.is_floating(kind) else np.int64
    return array_of(kind, np.array([value or 0 for value in values], native), _missing(values))


def numbers_of(column: pa.Array | pa.ChunkedArray, missing: int = -1) -> NDArray[Any]:
    """Return a column of numbers or booleans, or the codes of one of words, as NumPy has them; a null becomes `missing`.

    >>> numbers_of(listed(pa.int16(), [3, None, 5])).tolist()
    [3, -1, 5]
    """
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    found = [_numbers(chunk.indices if pa.types.is_dictionary(chunk.type) else chunk, missing) for chunk in chunks]
    return found[0] if len(found) == 1 else np.concatenate(found) if found else np.zeros(0, np.int64)


def _numbers(array: pa.Array, missing: int) -> NDArray[Any]:
    validity, data = array.buffers()
    rows = slice(array.offset, array.offset + len(array))
    if pa.types.is_boolean(array.type):
        values = _unpacked(data)[rows].astype(np.int8)
    else:
        native = np.int64 if pa.types.is_timestamp(array.type) else array.type.to_pandas_dtype()
        values = np.frombuffer(data, native)[rows]
    return np.where(_unpacked(validity)[rows], values, missing) if array.null_count else values


def _unpacked(bits: pa.Buffer) -> Mask:
    return np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little").astype(np.bool_)


def picked(column: pa.Array, places: Ints) -> pa.Array:
    """Return some rows of an array of numbers, truths, moments or words; `pa.Array.take` would load all of Arrow's functions.

    >>> picked(text_column(["ana", None, "ben"]), np.array([2, 1])).to_pylist()
    ['ben', None]
    """
    if pa.types.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(picked(column.indices, places), column.dictionary, safe=False)
    validity = column.buffers()[0]
    null = None if validity is None else ~_unpacked(validity)[column.offset + places]
    return array_of(column.type, _numbers(column, 0)[places], null)


def taken(values: NDArray[Any], place: Ints) -> NDArray[Any]:
    """Return the values at some places, all axes counted as one."""
    found: NDArray[Any] = np.ascontiguousarray(values).reshape(-1)[place]
    return found


@dataclass(slots=True)
class Maybe:
    """Values of a column, null where the mask says so."""

    values: Ints
    null: Mask


def as_table(name: str, columns: dict[str, Any]) -> pa.Table:
    """Return columns, lists, `Maybe`, NumPy or Arrow arrays, as a table of the declared schema."""
    fields = schema(name)
    return pa.Table.from_arrays([_column(field.type, columns[field.name]) for field in fields], schema=fields)


def rows_table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    """Return rows, one dictionary each, as a table of the declared schema."""
    return as_table(name, {column: [row[column] for row in rows] for column in schema(name).names})


def _column(kind: pa.DataType, column: Any) -> pa.Array:
    if isinstance(column, np.ndarray):
        return array_of(kind, column)
    if isinstance(column, Maybe):
        return array_of(kind, column.values, column.null)
    if isinstance(column, list):
        return listed(kind, column)
    if column.type == kind:
        return column
    if pa.types.is_string(kind) and pa.types.is_dictionary(column.type):
        words = [*column.dictionary.to_pylist(), None]
        return strings([words[code] for code in numbers_of(column).tolist()])
    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return column.cast(kind)
