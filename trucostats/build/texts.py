"""The texts of a batch as codes: each distinct text is looked at once, and hands of one match share theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trucostats.arrays import Coded, coded

if TYPE_CHECKING:
    from trucostats.batch import Batch


@dataclass(slots=True)
class Texts:
    """The matches of a batch and its tables of players; `seats` has the players of each distinct table, -1 beyond them."""

    match: Coded[str]
    tables: Coded[tuple[str, ...]]
    players: list[str]
    seats: NDArray[np.int32]


def texts_of(batch: Batch) -> Texts:
    """Return the texts of a batch."""
    tables = coded(batch.players, tuple)
    players: dict[str, int] = {}
    seats = np.full((len(tables.words), 6), -1, np.int32)
    for row, names in zip(seats, tables.words, strict=True):
        row[: len(names)] = [players.setdefault(name, len(players)) for name in names]
    return Texts(coded(batch.match), tables, list(players), seats)
