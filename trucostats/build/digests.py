"""Digests of hands: of their names, and of everything their records say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from trucostats.build.arrays import text_column
from trucostats.record import to_json

if TYPE_CHECKING:
    from trucostats.batch import Batch

Ints = NDArray[Any]
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15))


def _mixed(values: Ints) -> NDArray[np.uint64]:
    """Spread 64-bit integers (the finaliser of SplitMix64)."""
    x = values.astype(np.int64).view(np.uint64) + _MIX[2]
    x = (x ^ (x >> np.uint64(30))) * _MIX[0]
    x = (x ^ (x >> np.uint64(27))) * _MIX[1]
    return x ^ (x >> np.uint64(31))


def _digest(text: str | bytes) -> int:
    return xxhash.xxh3_64_intdigest(text.encode() if isinstance(text, str) else text)


def _texts(values: Sequence[str | None]) -> NDArray[np.uint64]:
    """Return the digest of every text, 0 for None; each distinct text is hashed once."""
    column = text_column(values)
    distinct = np.fromiter((_digest(text) for text in column.dictionary.to_pylist()), np.uint64, len(column.dictionary))
    distinct = np.append(distinct, np.uint64(0))
    place = column.indices
    places: Ints = np.asarray(place.fill_null(len(distinct) - 1) if place.null_count else place)
    return distinct[places]


def _chained(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    total = np.zeros_like(parts[0])
    for part in parts:
        total = _mixed((total * _MIX[0] + part).view(np.int64))
    return total


def _summed(values: NDArray[np.uint64], start: Ints) -> NDArray[np.uint64]:
    """Sum the values of each hand, modulo 2**64."""
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
    summed: NDArray[np.uint64] = running[start[1:]] - running[start[:-1]]
    return summed


def _places(start: Ints) -> Ints:
    """Return 0, 1, 2, … within each hand."""
    places: Ints = np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))
    return places


def hand_keys(batch: Batch) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return two digests of every hand: of its name (match, game, hand) and of everything its record says.

    The content digest does not depend on the order of keys, on white space, on aliases, on the order of the cards of a hand, or
    on the other hands of the batch.
    """
    n = len(batch)
    if n == 0:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    name = _chained([_texts(batch.match), _mixed(batch.game), _mixed(batch.hand)])
    rules = _texts([str(rules) for rules in batch.rules])[batch.rules_id]
    code, seat = batch.event_code.astype(np.int64), batch.event_seat.astype(np.int64)
    events = _mixed((code << 16) | (seat << 12) | _places(batch.event_start))
    deal = batch.deal[:, : int(batch.seats.max())].astype(np.int64)
    cards = _mixed(deal + np.arange(deal.shape[1])[None, :, None] * 64)
    cards = np.where(deal >= 0, cards, np.uint64(0)).reshape(n, -1).sum(axis=1, dtype=np.uint64)
    name_start = np.concatenate([[0], np.cumsum(batch.seats.astype(np.int64))])
    names = _mixed(_texts(list(chain.from_iterable(batch.players))).view(np.int64) + _places(name_start))
    table = batch.dealer.astype(np.int64)
    for column, bits in ((batch.turned, 8), (batch.format, 2), (batch.null_hand @ (1 << np.arange(6)), 6)):
        table = (table << bits) | column
    numbers = np.concatenate([batch.score, batch.claim + 1], axis=1).astype(np.int64)
    scores = (numbers << np.array([48, 32, 16, 0])).sum(axis=1)
    parts = [
        name,
        rules,
        _mixed(table),
        _mixed(scores),
        cards,
        _summed(events, batch.event_start),
        _summed(names, name_start),
    ]
    content = _chained([*parts, _mixed(batch.at)])
    # What few records have is added, so that a hand without it has the same digest in every batch.
    if any(batch.source):
        content += _texts(batch.source) * _MIX[0]
    if len(batch.times):
        content += _summed(_mixed((batch.times.astype(np.int64) << 16) | _places(batch.times_start)), batch.times_start)
    if batch.extensions is not None:
        texts = [to_json(extension, sort_keys=True).decode() if extension else None for extension in batch.extensions]
        content += _texts(texts)
    return name, content
