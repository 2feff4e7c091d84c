"""Arrow arrays from NumPy columns: words from codes, hands from cards, nulls from masks."""

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


CARD_WORDS: Final = pa.array([*CARDS, "cover"])


@dataclass(slots=True)
class Words:
    """Builds dictionary-encoded string arrays from integer codes."""

    names: pa.Array

    def __call__(self, codes: Ints, null: Mask | None = None) -> pa.DictionaryArray:
        """Return the words of some codes, null where the mask says so."""
        indices = pa.array(codes.astype(np.int32), mask=null)
        return pa.DictionaryArray.from_arrays(indices, self.names)


STATUS: Final = Words(pa.array(STATUSES[:4]))
ENDING: Final = Words(pa.array(ENDINGS))
CODE: Final = Words(pa.array(CODE_NAMES))
CARD: Final = Words(CARD_WORDS)
VERB: Final = Words(pa.array(VERBS))
FAMILY: Final = Words(pa.array(FAMILIES))
ANSWER: Final = Words(pa.array(ANSWERS))
PENDING_WORD: Final = Words(pa.array([name or "" for name in PENDING]))
FORMAT: Final = Words(pa.array(FORMATS))


def text_column(values: Sequence[str | None]) -> pa.DictionaryArray:
    """Return strings, dictionary-encoded."""
    return pa.array(values, pa.string()).dictionary_encode()


def constant(text: str, n: int) -> pa.DictionaryArray:
    """Return one string n times, dictionary-encoded."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


@cache
def hand_words() -> pa.Array:
    """Return the names of all 9,880 hands by their number (see `hand_numbers`)."""
    return pa.array([f"{CARDS[a]} {CARDS[b]} {CARDS[c]}" for c in range(2, 40) for b in range(1, c) for a in range(b)])


def hand_numbers(ordered: Ints) -> Ints:
    """Return the number of hands given as (n, 3) rising card indices: their place in `hand_words`."""
    a, b, c = ordered[:, 0].astype(np.int64), ordered[:, 1].astype(np.int64), ordered[:, 2].astype(np.int64)
    return c * (c - 1) * (c - 2) // 6 + b * (b - 1) // 2 + a


def maybe(values: Ints, null: Mask) -> pa.Array:
    """Return values with nulls where the mask says so."""
    return pa.array(values, mask=null)


def as_table(name: str, columns: dict[str, Any]) -> pa.Table:
    """Return columns as a table of the declared schema."""
    fields = schema(name)
    arrays = []
    for field in fields:
        column = columns[field.name]
        array = column if isinstance(column, pa.Array) else pa.array(column)
        arrays.append(array if array.type == field.type else array.cast(field.type))
    return pa.Table.from_arrays(arrays, schema=fields)
