"""The texts of a batch as codes: each distinct text is looked at once, and hands of one match share theirs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import ne
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.build.arrays import Mask, Words, strings

if TYPE_CHECKING:
    from trucostats.batch import Batch

Text = TypeVar("Text", bound=Hashable)


@dataclass(slots=True)
class Coded(Generic[Text]):
    """A column by its distinct values: row i has `words[codes[i]]`."""

    words: list[Text]
    codes: NDArray[np.int32]


def coded(values: Sequence[Text]) -> Coded[Text]:
    """Return a column as codes.

    >>> column = coded(["m1", "m1", "m2", "m1"])
    >>> column.words, column.codes.tolist()
    (['m1', 'm2'], [0, 0, 1, 0])
    """
    starts = _starts(values)
    index: dict[Text, int] = {}
    runs = [index.setdefault(values[i], len(index)) for i in starts.tolist()]
    return Coded(list(index), _repeated(runs, starts, len(values)))


def _starts(values: Sequence[object]) -> NDArray[np.int64]:
    """Return the rows that differ from the row before, the first among them."""
    new = np.ones(len(values), np.bool_)
    if len(values) > 1:
        new[1:] = np.fromiter(map(ne, values, islice(values, 1, None)), np.bool_, len(values) - 1)
    return np.flatnonzero(new)


def _repeated(codes: list[int], starts: NDArray[np.int64], n: int) -> NDArray[np.int32]:
    return np.repeat(np.array(codes, np.int32), np.diff(starts, append=n))


def text_column(values: Sequence[str | None]) -> pa.DictionaryArray:
    """Return strings, dictionary-encoded."""
    column = coded(values)
    null: Mask | None = None
    words = column.words
    if None in words:
        null = column.codes == words.index(None)
        words = [word or "" for word in words]
    return Words(strings([word or "" for word in words]))(column.codes, null)


@dataclass(slots=True)
class Texts:
    """The matches of a batch and its tables of players; `seats` has the players of each distinct table, -1 beyond them."""

    match: Coded[str]
    tables: Coded[tuple[str, ...]]
    players: list[str]
    seats: NDArray[np.int32]


def texts_of(batch: Batch) -> Texts:
    """Return the texts of a batch."""
    starts = _starts(batch.players)
    index: dict[tuple[str, ...], int] = {}
    runs = [index.setdefault(tuple(batch.players[i]), len(index)) for i in starts.tolist()]
    tables = Coded(list(index), _repeated(runs, starts, len(batch)))
    players: dict[str, int] = {}
    seats = np.full((len(tables.words), 6), -1, np.int32)
    for row, names in zip(seats, tables.words, strict=True):
        row[: len(names)] = [players.setdefault(name, len(players)) for name in names]
    return Texts(coded(batch.match), tables, list(players), seats)
