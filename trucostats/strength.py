"""Strength of a dealt hand: the share of rival hands it beats with open cards and best play, mano and pie averaged.

Exact by enumeration over the types of hands (triples of strengths), each weighted by the number of deals it stands for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trucostats.kernel.jit import jit
from trucostats.kernel.params import NO_TURNED, STRENGTH

LEVELS = 20


@jit
def second_half(first: int, lead0: int, lead1: int, reply0: int, reply1: int, mano_leads: bool) -> bool:
    """Say whether the leader of the second trick wins, each side holding two cards, the first trick won by him or tied."""
    for turn in range(2):
        card = lead0 if turn == 0 else lead1
        last = lead1 if turn == 0 else lead0
        wins = True
        for answer in range(2):
            rival = reply0 if answer == 0 else reply1
            rival_last = reply1 if answer == 0 else reply0
            if first == 1:
                wins = wins and (card >= rival or last >= rival_last)
            elif card == rival:
                wins = wins and (last > rival_last or (last == rival_last and mano_leads))
            else:
                wins = wins and card > rival
        if wins:
            return True
    return False


@jit
def mano_wins(a: Any, b: Any) -> bool:
    """Say whether the mano with three strengths `a` beats `b`, both hands open and both sides playing best."""
    for i in range(3):
        a0 = a[(i + 1) % 3]
        a1 = a[(i + 2) % 3]
        wins = True
        for j in range(3):
            b0 = b[(j + 1) % 3]
            b1 = b[(j + 2) % 3]
            if a[i] > b[j]:
                wins = wins and second_half(1, a0, a1, b0, b1, True)
            elif a[i] == b[j]:
                wins = wins and second_half(0, a0, a1, b0, b1, True)
            else:
                wins = wins and not second_half(1, b0, b1, a0, a1, False)
        if wins:
            return True
    return False


@jit
def ways(hand: Any, left: Any) -> float:
    """Return how many sets of cards make a triple of strengths (high to low) from the cards left of each strength."""
    x, y, z = hand[0], hand[1], hand[2]
    n, m, k = left[x], left[y], left[z]
    if x == z:
        return n * (n - 1.0) * (n - 2.0) / 6.0
    if x == y:
        return n * (n - 1.0) / 2.0 * k
    if y == z:
        return n * (m * (m - 1.0) / 2.0)
    return 1.0 * n * m * k


@jit
def fill_strengths(types: Any, counts: Any, table: Any) -> None:
    """Write the strength of every type of hand, given how many cards of each strength the deck has."""
    left = counts.copy()
    n = len(types)
    for i in range(n):
        a = types[i]
        for x in range(3):
            left[a[x]] -= 1
        total = 0.0
        won = 0.0
        for j in range(n):
            weight = ways(types[j], left)
            if weight > 0.0:
                total += weight
                if mano_wins(a, types[j]):
                    won += weight * 0.5
                if not mano_wins(types[j], a):
                    won += weight * 0.5
        for x in range(3):
            left[a[x]] += 1
        table[(a[0] * LEVELS + a[1]) * LEVELS + a[2]] = won / total


@lru_cache(maxsize=256)
def _table(counts: tuple[int, ...]) -> NDArray[np.float32]:
    types = np.array(
        [
            (x, y, z)
            for x in range(LEVELS)
            for y in range(x + 1)
            for z in range(y + 1)
            if counts[x]
            and counts[y]
            and counts[z]
            and ((x, y, z).count(x) <= counts[x] and (x, y, z).count(y) <= counts[y])
        ],
        np.int64,
    )
    table = np.full(LEVELS**3, np.nan, np.float32)
    fill_strengths(types, np.array(counts, np.int64), table)
    return table


def strength_table(cards: NDArray[np.int64], turned: int = NO_TURNED) -> NDArray[np.float32]:
    """Return the strengths of all hands under one card table (3, 40), indexed by `strength_index`.

    `cards` is a row of `kernel.params.card_tables`; `turned` the card out of play, 40 if none.
    """
    levels = cards[STRENGTH]
    dealt = np.delete(levels, turned) if turned != NO_TURNED else levels
    # How many cards there are of each strength is all that matters, not which: the turned cards of one rank share a table.
    return _table(tuple(np.bincount(dealt, minlength=LEVELS).tolist()))


def strength_index(levels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index into a strength table of hands given as (n, 3) strengths in any order."""
    ordered = np.sort(levels, axis=1)
    index: NDArray[np.int64] = (ordered[:, 2] * LEVELS + ordered[:, 1]) * LEVELS + ordered[:, 0]
    return index
