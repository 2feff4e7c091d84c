"""Arrow arrays from NumPy columns: words from codes, hands from cards, nulls from masks.

The arrays are put together from buffers: `pa.array` looks at every value again and imports pandas where it is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.errors import CODE_NAMES
from trucostats.rows import ANSWERS, ENDINGS
from trucostats.tables import schema
from trucostats.vocab import CARDS, FORMATS, PENDING, STATUSES, VERBS

Ints = NDArray[Any]
Mask = NDArray[np.bool_]
FAMILIES: Final = ("", "truco", "envido", "flor")


def _bits(mask: Mask) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))


def array_of(kind: pa.DataType, values: NDArray[Any], null: Mask | None = None) -> pa.Array:
    """Return numbers or booleans as an array of a type, null where the mask says so.

    >>> array_of(pa.int8(), np.array([3, 4]), np.array([False, True])).to_pylist()
    [3, None]
    """
    validity = _bits(~null) if null is not None and null.any() else None
    if pa.types.is_boolean(kind):
        data = _bits(values.astype(np.bool_, copy=False))
    else:
        native = np.int64 if pa.types.is_timestamp(kind) else kind.to_pandas_dtype()
        data = pa.py_buffer(np.ascontiguousarray(values, native))
    return pa.Array.from_buffers(kind, len(values), [validity, data])


def strings(values: Sequence[str]) -> pa.Array:
    """Return strings as an array; for the few distinct words of a column.

    >>> strings(["ana", "ñu"]).to_pylist()
    ['ana', 'ñu']
    """
    data = [value.encode() for value in values]
    ends = np.zeros(len(data) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, data), np.int32, len(data)), out=ends[1:])
    return pa.StringArray.from_buffers(len(data), pa.py_buffer(ends), pa.py_buffer(b"".join(data)))


@dataclass(slots=True)
class Words:
    """Builds dictionary-encoded string arrays from integer codes."""

    names: pa.Array

    def __call__(self, codes: Ints, null: Mask | None = None) -> pa.DictionaryArray:
        """Return the words of some codes, null where the mask says so."""
        return pa.DictionaryArray.from_arrays(array_of(pa.int32(), codes, null), self.names, safe=False)


CARD_WORDS: Final = strings([*CARDS, "cover"])
STATUS: Final = Words(strings(STATUSES[:4]))
ENDING: Final = Words(strings(ENDINGS))
CODE: Final = Words(strings(CODE_NAMES))
CARD: Final = Words(CARD_WORDS)
VERB: Final = Words(strings(VERBS))
FAMILY: Final = Words(strings(FAMILIES))
ANSWER: Final = Words(strings(ANSWERS))
PENDING_WORD: Final = Words(strings([name or "" for name in PENDING]))
FORMAT: Final = Words(strings(FORMATS))


def constant(text: str, n: int) -> pa.DictionaryArray:
    """Return one string n times, dictionary-encoded."""
    return Words(strings([text]))(np.zeros(n, np.int32))


@cache
def all_hands() -> Ints:
    """Return the cards of all 9,880 hands of three, rising, by their number (see `hand_numbers`)."""
    return np.array([(a, b, c) for c in range(2, 40) for b in range(1, c) for a in range(b)])


@cache
def hand_words() -> pa.Array:
    """Return the names of all 9,880 hands by their number (see `hand_numbers`)."""
    return strings([" ".join(CARDS[card] for card in hand) for hand in all_hands().tolist()])


def hand_numbers(ordered: Ints) -> Ints:
    """Return the number of hands given as (n, 3) rising card indices: their place in `hand_words`."""
    a, b, c = (np.ascontiguousarray(ordered[:, i]) for i in range(3))
    numbers: Ints = _THREES[c] + _PAIRS[b] + a
    return numbers


_PAIRS: Final = np.array([b * (b - 1) // 2 for b in range(40)])
_THREES: Final = np.array([c * (c - 1) * (c - 2) // 6 for c in range(40)])


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
    """Return columns, NumPy or Arrow arrays or `Maybe`, as a table of the declared schema."""
    fields = schema(name)
    arrays = []
    for field in fields:
        column = columns[field.name]
        if isinstance(column, np.ndarray):
            arrays.append(array_of(field.type, column))
        elif isinstance(column, Maybe):
            arrays.append(array_of(field.type, column.values, column.null))
        else:
            arrays.append(column if column.type == field.type else column.cast(field.type))
    return pa.Table.from_arrays(arrays, schema=fields)
