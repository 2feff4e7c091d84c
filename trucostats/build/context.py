"""What several tables of a batch need, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.build.arrays import Ints, Mask, Words, hand_numbers, hand_words, text_column
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
    flat: Ints  # (n, 6) place of a seat in the flat columns, -1 outside
    players: pa.DictionaryArray
    rules: Words
    strength: NDArray[np.float32]
    known: Mask
    cards: pa.Array


def context_of(batch: Batch, replayed: Replayed, kept: Ints, hand_id: Ints) -> Context:
    """Return the shared columns of a batch, of which `kept` hands go into the tables."""
    n = len(batch)
    sizes = batch.seats[kept].astype(np.int64)
    seat_hand = np.repeat(kept, sizes)
    seat_seat = np.arange(len(seat_hand)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    flat = np.full((n, 6), -1, np.int64)
    flat[seat_hand, seat_seat] = np.arange(len(seat_hand))
    names = batch.players if len(kept) == n else [batch.players[i] for i in kept.tolist()]
    final = replayed.final
    dealt = final["dealt"][seat_hand, seat_seat]
    complete = final["hidden_dealt"][seat_hand, seat_seat] == 0
    complete &= (dealt != 0) & (replayed.hands["fault_event"][seat_hand] != DEAL_FAULT)
    cards, triple = _dealt_cards(batch, dealt, complete, seat_hand, seat_seat)
    return Context(
        batch, replayed, kept, hand_id, seat_hand, seat_seat, flat,
        text_column(list(chain.from_iterable(names))),
        Words(pa.array([str(rules) for rules in replayed.book.rules], pa.string())),
        _strengths(batch, replayed, triple, complete, seat_hand),
        complete, cards,
    )  # fmt: skip


def _dealt_cards(batch: Batch, dealt: Ints, complete: Mask, seat_hand: Ints, seat_seat: Ints) -> tuple[pa.Array, Ints]:
    """Return the names of the dealt hands and, for known hands of three, their cards as (n, 3) rising indices (else -1)."""
    deal = np.sort(batch.deal[seat_hand, seat_seat].astype(np.int64), axis=1)
    triple = deal[:, 1:]
    as_dealt = complete & (deal[:, 0] == -1) & (triple[:, 0] >= 0) & (triple[:, 2] < NO_CARD)
    for i in np.flatnonzero(complete & ~as_dealt):  # identified during play, or not three cards
        cards = [card for card in range(40) if (int(dealt[i]) >> card) & 1]
        if len(cards) == 3:
            triple[i] = cards
            as_dealt[i] = True
        else:
            triple[i] = -1
    numbers = np.where(as_dealt, hand_numbers(np.where(as_dealt[:, None], triple, np.arange(3))), 0)
    odd = complete & ~as_dealt
    words = hand_words()
    if odd.any():
        names = [" ".join(CARDS[card] for card in range(40) if (int(mask) >> card) & 1) for mask in dealt[odd]]
        extra = sorted(set(names))
        numbers[odd] = [len(words) + extra.index(name) for name in names]
        words = pa.concat_arrays([words, pa.array(extra)])
    triple[~as_dealt] = -1
    return Words(words)(numbers, ~complete), triple


def _strengths(batch: Batch, replayed: Replayed, triple: Ints, complete: Mask, seat_hand: Ints) -> NDArray[np.float32]:
    """Return the strength of every flat seat, NaN where it has none."""
    result = np.full(len(triple), np.nan, np.float32)
    book = replayed.book
    tables = book.rows["cards"][replayed.rules_id][seat_hand]
    turned = np.where(batch.turned == NO_CARD, NO_TURNED, batch.turned)[seat_hand].astype(np.int64)
    three = triple[:, 0] >= 0
    kinds = tables * 64 + turned
    for kind in np.unique(kinds[three]).tolist():
        rows = three & (kinds == kind)
        cards = book.cards[kind >> 6, kind & 63]
        levels = cards[STRENGTH][triple[rows]]
        result[rows] = strength_table(cards, kind & 63)[strength_index(levels)]
    return result
