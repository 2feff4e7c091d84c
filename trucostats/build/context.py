"""What several tables of a batch need, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.arrays import Ints, Mask, Words, strings, taken
from trucostats.build.names import all_hands, hand_numbers, hand_words
from trucostats.build.texts import Texts
from trucostats.columns import HAND_LIMIT, SEAT_LIMIT
from trucostats.kernel.params import NO_TURNED, STRENGTH
from trucostats.replay import Replayed
from trucostats.rows import DEAL_FAULT
from trucostats.strength import strength_index, strength_table
from trucostats.vocab import CARDS, NO_CARD

if TYPE_CHECKING:
    from trucostats.batch import Batch


@dataclass(slots=True)
class Context:
    """What several tables need, computed once; seat columns are flat, one entry per player and kept hand."""

    batch: Batch
    replayed: Replayed
    keep: Ints  # indices of the kept hands
    hand_id: Ints
    seat_hand: Ints  # hand index of each flat seat
    seat_seat: Ints
    place: Ints  # of each flat seat in an array [n, 6]
    flat: Ints  # (n, 6) place of a seat in the flat columns, -1 outside
    texts: Texts
    players: Words
    player: NDArray[np.int32]  # name of each flat seat
    rules: Words
    strength: NDArray[np.float32]
    known: Mask
    cards: pa.Array


def context_of(batch: Batch, replayed: Replayed, kept: Ints, hand_id: Ints, texts: Texts) -> Context:
    """Return the shared columns of a batch, of which `kept` hands go into the tables."""
    n = len(batch)
    sizes = batch.seats[kept].astype(np.int64)
    seat_hand = np.repeat(kept, sizes)
    seat_seat = np.arange(len(seat_hand)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = seat_hand * SEAT_LIMIT + seat_seat
    flat = np.full((n, SEAT_LIMIT), -1, np.int64)
    flat.reshape(-1)[place] = np.arange(len(seat_hand))
    final = replayed.final
    dealt = taken(final["dealt"], place)
    complete = taken(final["hidden_dealt"], place) == 0
    complete &= (dealt != 0) & (replayed.hands["fault_event"] != DEAL_FAULT)[seat_hand]
    numbers, triple, words = _dealt_cards(batch, dealt, complete, place)
    return Context(
        batch, replayed, kept, hand_id, seat_hand, seat_seat, place, flat,
        texts, Words(strings(texts.players)), taken(texts.seats[texts.tables.codes], place),
        Words(strings([str(rules) for rules in replayed.book.rules])),
        _strengths(batch, replayed, numbers, triple, seat_hand),
        complete, words(numbers, ~complete),
    )  # fmt: skip


def _dealt_cards(batch: Batch, dealt: Ints, complete: Mask, place: Ints) -> tuple[Ints, Mask, Words]:
    """Return the numbers of the dealt hands among the names returned, and which are known hands of three."""
    deal = np.sort(batch.deal.reshape(-1, HAND_LIMIT)[place], axis=1)
    triple = complete & (deal[:, 0] == -1) & (deal[:, 1] >= 0) & (deal[:, 3] < NO_CARD)
    ordered = deal[:, 1:]
    if not triple.all():
        ordered = np.where(triple[:, None], ordered, np.arange(3, dtype=np.int8))
        for i in np.flatnonzero(complete & ~triple).tolist():  # identified during play, or not three cards
            cards = [card for card in range(40) if (int(dealt[i]) >> card) & 1]
            if len(cards) == 3:
                ordered[i] = cards
                triple[i] = True
    numbers = hand_numbers(ordered)
    odd = complete & ~triple
    words = hand_words()
    if odd.any():
        names = [" ".join(CARDS[card] for card in range(40) if (int(mask) >> card) & 1) for mask in dealt[odd]]
        extra = sorted(set(names))
        numbers[odd] = [len(words) + extra.index(name) for name in names]
        words = pa.concat_arrays([words, strings(extra)])
    return numbers, triple, Words(words)


def _strengths(batch: Batch, replayed: Replayed, numbers: Ints, triple: Mask, seat_hand: Ints) -> NDArray[np.float32]:
    """Return the strength of every flat seat, NaN where it has none."""
    book = replayed.book
    turned = np.where(batch.turned == NO_CARD, NO_TURNED, batch.turned).astype(np.int64)
    kind_of = book.rows["cards"][replayed.rules_id] * 64 + turned
    kinds = np.flatnonzero(np.bincount(kind_of))
    tables = [
        _hand_strengths(np.ascontiguousarray(book.cards[kind >> 6, kind & 63, STRENGTH]).tobytes(), kind & 63)
        for kind in kinds.tolist()
    ]
    result = np.full(len(triple), np.nan, np.float32)
    if tables:
        own = np.searchsorted(kinds, kind_of)[seat_hand[triple]]
        result[triple] = np.stack(tables)[own, numbers[triple]]
    return result


@lru_cache(maxsize=256)
def _hand_strengths(levels: bytes, turned: int) -> NDArray[np.float32]:
    """Return the strengths of all hands of three by their number, under the strengths of the cards."""
    cards = np.frombuffer(levels, np.int64)
    return strength_table(cards[None], turned)[strength_index(cards[all_hands()])]
