"""Digests of hands: of their names, and of everything their records say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import xxhash
from numpy.typing import NDArray

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


@lru_cache(maxsize=1 << 16)
def _text_digest(text: str | bytes) -> int:
    return xxhash.xxh3_64_intdigest(text.encode() if isinstance(text, str) else text)


def _texts(values: Sequence[str | bytes | None]) -> NDArray[np.uint64]:
    return np.fromiter((0 if text is None else _text_digest(text) for text in values), np.uint64, len(values))


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


def hand_keys(batch: Batch) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return two digests of every hand: of its name (match, game, hand) and of everything its record says.

    The content digest does not depend on the order of keys, on white space, on aliases or on the order of the cards of a hand.
    """
    n = len(batch)
    if n == 0:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    name = _chained([_texts(batch.match), _mixed(batch.game), _mixed(batch.hand)])
    rules = _texts([str(rules) for rules in batch.rules])[batch.rules_id]
    position = np.arange(len(batch.event_code)) - np.repeat(batch.event_start[:-1], np.diff(batch.event_start))
    events = _mixed((batch.event_code.astype(np.int64) << 16) | (batch.event_seat.astype(np.int64) << 12) | position)
    seat = np.arange(6) * 64
    cards = np.where(batch.deal >= 0, _mixed(batch.deal + seat[None, :, None]).astype(np.uint64), np.uint64(0)).sum(
        axis=(1, 2), dtype=np.uint64
    )
    names = _mixed(
        _texts(list(chain.from_iterable(batch.players))).view(np.int64)
        + np.concatenate([np.arange(k) for k in batch.seats.tolist()])
    )
    name_start = np.concatenate([[0], np.cumsum(batch.seats.astype(np.int64))])
    small = batch.null_hand @ (1 << np.arange(6))
    table = (
        (batch.dealer.astype(np.int64) << 32)
        | (batch.turned.astype(np.int64) << 16)
        | (batch.format.astype(np.int64) << 8)
        | small
    )
    scores = (batch.score[:, 0].astype(np.int64) << 48) | (batch.score[:, 1].astype(np.int64) << 32)
    claims = ((batch.claim[:, 0].astype(np.int64) + 1) << 16) | (batch.claim[:, 1].astype(np.int64) + 1)
    parts = [
        name,
        rules,
        _mixed(table),
        _mixed(scores | claims),
        cards,
        _summed(events, batch.event_start),
        _summed(names, name_start),
        _mixed(batch.at),
    ]
    if any(batch.source):
        parts.append(_texts(batch.source))
    if len(batch.times):
        order = np.arange(len(batch.times)) - np.repeat(batch.times_start[:-1], np.diff(batch.times_start))
        parts.append(_summed(_mixed((batch.times.astype(np.int64) << 16) | order), batch.times_start))
    if batch.extensions is not None:
        encode = msgspec.json.Encoder(order="sorted").encode
        parts.append(_texts([encode(extension) if extension else None for extension in batch.extensions]))
    content = _chained(parts)
    return name, content
