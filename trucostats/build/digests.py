"""Digests of hands: of their names, and of everything their records say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from trucostats.arrays import Coded, coded
from trucostats.build.texts import Texts, texts_of
from trucostats.columns import SEAT_LIMIT
from trucostats.record import to_json
from trucostats.vocab import NO_CARD

if TYPE_CHECKING:
    from trucostats.batch import Batch

Ints = NDArray[Any]
Digests = NDArray[np.uint64]
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15))


def _mixed(values: Ints) -> Digests:
    """Spread 64-bit integers (the finaliser of SplitMix64)."""
    x = values.astype(np.uint64)
    x += _MIX[2]
    shifted = x >> np.uint64(30)
    x ^= shifted
    x *= _MIX[0]
    np.right_shift(x, np.uint64(27), out=shifted)
    x ^= shifted
    x *= _MIX[1]
    np.right_shift(x, np.uint64(31), out=shifted)
    x ^= shifted
    return x


# What a card adds to the digest of a deal, by seat and card; the first place of a seat is for no card.
_KINDS: Final = NO_CARD + 2
_CARDS: Final = np.zeros((SEAT_LIMIT, _KINDS), np.uint64)
_CARDS[:, 1:] = _mixed(np.arange(SEAT_LIMIT * (NO_CARD + 1))).reshape(SEAT_LIMIT, -1)


def _digest(text: str | bytes) -> int:
    return xxhash.xxh3_64_intdigest(text.encode() if isinstance(text, str) else text)


def _texts(words: Sequence[str | None]) -> Digests:
    """Return the digest of every text, 0 for None."""
    return np.fromiter((0 if text is None else _digest(text) for text in words), np.uint64, len(words))


def _column(values: Sequence[str | None]) -> Digests:
    column: Coded[str | None] = coded(values)
    return _texts(column.words)[column.codes]


def _tables(texts: Texts) -> Digests:
    """Return the digest of the players at each distinct table."""
    names = np.append(_texts(texts.players), np.uint64(0))[texts.seats]
    seats = _mixed(names + np.arange(SEAT_LIMIT, dtype=np.uint64))
    total: Digests = np.where(texts.seats >= 0, seats, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    return total


def _chained(parts: Sequence[Digests]) -> Digests:
    total = np.zeros_like(parts[0])
    for part in parts:
        total = _mixed(total * _MIX[0] + part)
    return total


def _summed(values: Digests, start: Ints) -> Digests:
    """Sum the values of each hand, modulo 2**64."""
    running = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, out=running[1:])
    return np.diff(running[start])


def _places(start: Ints) -> Ints:
    """Return 0, 1, 2, … within each hand."""
    places: Ints = np.arange(start[-1])
    places -= np.repeat(start[:-1], np.diff(start))
    return places


def hand_keys(batch: Batch, texts: Texts | None = None) -> tuple[Digests, Digests]:
    """Return two digests of every hand: of its name (match, game, hand) and of everything its record says.

    The content digest does not depend on the order of keys, on white space, on aliases, on the order of the cards of a hand, or
    on the other hands of the batch.
    """
    n = len(batch)
    if n == 0:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    texts = texts or texts_of(batch)
    name = _chained([_texts(texts.match.words)[texts.match.codes], _mixed(batch.game), _mixed(batch.hand)])
    rules = _texts([str(rules) for rules in batch.rules])[batch.rules_id]
    events = _places(batch.event_start)
    events |= batch.event_code.astype(np.int64) << 16
    events |= batch.event_seat.astype(np.int64) << 12
    seats = int(batch.seats.max())
    place = batch.deal[:, :seats].astype(np.int16) + (np.arange(seats, dtype=np.int16) * _KINDS + 1)[:, None]
    cards = _CARDS.reshape(-1)[place.reshape(n, -1)].sum(axis=1, dtype=np.uint64)
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
        _summed(_mixed(events), batch.event_start),
        _tables(texts)[texts.tables.codes],
    ]
    content = _chained([*parts, _mixed(batch.at)])
    # What few records have is added, so that a hand without it has the same digest in every batch.
    if any(batch.source):
        content += _column(batch.source) * _MIX[0]
    if len(batch.times):
        content += _summed(_mixed((batch.times.astype(np.int64) << 16) | _places(batch.times_start)), batch.times_start)
    if batch.extensions is not None:
        written = [to_json(extension, sort_keys=True).decode() if extension else None for extension in batch.extensions]
        content += _column(written)
    return name, content
