"""Perft: count the legal histories of a hand by depth, as chess engines do, to find out whether two engines play the same game.

`divide` counts below each first event; where two engines differ, follow the event whose counts differ.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from trucostats.hand import ACTION_ROOM, Hand
from trucostats.kernel.engine import step
from trucostats.kernel.jit import jit
from trucostats.kernel.legal import list_actions
from trucostats.kernel.state import ACCEPT, BUENAS, COVER, DECLARE, DECLINE, MAZO, NO_QUIERO, PLAY, QUIERO, STATE
from trucostats.record import EVENT_LIMIT, Record
from trucostats.rules import Rules, rules_of
from trucostats.vocab import VERB_INDEX, VERBS

ALWAYS: Final = 1 << PLAY | 1 << COVER | 1 << QUIERO | 1 << NO_QUIERO | 1 << ACCEPT | 1 << DECLINE
NUMBERS: Final = 1 << DECLARE | 1 << BUENAS
EVERYTHING: Final = (1 << len(VERBS)) - 1


@dataclass(frozen=True, slots=True)
class Perft:
    """How many histories there are: `counts[k]` of k + 1 more events, `leaves` of any length that cannot go on.

    With a depth, `leaves` counts only those shorter than it.
    """

    counts: tuple[int, ...]
    leaves: int


@jit
def wanted_actions(states: Any, r: Any, c: Any, verbs: int, seats: Any, codes: Any) -> int:
    """Write the legal events whose verb is in a set into two arrays and return how many there are."""
    n = list_actions(states, r, c, seats, codes)
    kept = 0
    for k in range(n):
        if (verbs >> (int(codes[k]) & 31)) & 1:
            seats[kept] = seats[k]
            codes[kept] = codes[k]
            kept += 1
    return kept


@jit
def count_histories(stack: Any, r: Any, c: Any, verbs: int, depth: int, seats: Any, codes: Any, counts: Any) -> int:
    """Walk every history from `stack[0]`, write the counts and return the number of leaves.

    `stack` has two rows for each depth, the second scratch; `seats` and `codes` one row of actions for each.
    """
    left = np.zeros(depth + 1, np.int64)
    leaves = 0
    at = 0
    left[0] = wanted_actions(stack[0:2], r, c, verbs, seats[0], codes[0])
    counts[0] += left[0]
    if left[0] == 0:
        return 1
    while at >= 0:
        if left[at] == 0 or at + 1 == depth:
            at -= 1
            continue
        left[at] -= 1
        k = left[at]
        child = 2 * at + 2
        stack[child] = stack[2 * at]
        step(stack[child : child + 2], r, c, seats[at, k], codes[at, k])
        n = wanted_actions(stack[child : child + 2], r, c, verbs, seats[at + 1], codes[at + 1])
        if n == 0:
            leaves += 1
            continue
        at += 1
        left[at] = n
        counts[at] += n
    return leaves


def perft(
    hand: Record | Hand,
    depth: int | None = None,
    *,
    mazo: bool = True,
    declarations: bool = False,
    calls: Collection[str] | None = None,
    stop_at_game_over: bool = True,
) -> Perft:
    """Return how many legal histories of a hand there are, by depth, from where its events end.

    `depth` is how many more events at most, None for all. Left out are `show`, `mazo` if so asked, and declarations unless
    asked for; `calls` lists the raises, envido and flor words to keep (None for all). Cards and answers are always in. With
    `stop_at_game_over` false a game won before the end of the hand does not cut it short.

    >>> hand = Hand.deal("argentino", ["1e 3c 11o", "7e 2b 10c"])
    >>> perft(hand, mazo=False, calls=())
    Perft(counts=(3, 9, 18, 36, 20, 20), leaves=36)
    >>> perft(hand, 4).counts
    (8, 44, 148, 445)
    """
    start = _from(hand, stop_at_game_over)
    return _count(start, depth, _verbs(start.rules, mazo, declarations, calls))


def divide(
    hand: Record | Hand,
    depth: int | None = None,
    *,
    mazo: bool = True,
    declarations: bool = False,
    calls: Collection[str] | None = None,
    stop_at_game_over: bool = True,
) -> dict[str, int]:
    """Return for each first event how many histories of exactly `depth` events begin with it (None: how many leaves).

    The arguments are those of `perft`, and the sum is its count.

    >>> divide(Hand.deal("argentino", ["1e 3c 11o", "7e 2b 10c"]), 2, mazo=False)
    {'0 1e': 7, '0 11o': 7, '0 3c': 7, '0 envido': 5, '0 real-envido': 3, '0 falta-envido': 2, '0 truco': 6}
    """
    start = _from(hand, stop_at_game_over)
    verbs = _verbs(start.rules, mazo, declarations, calls)
    below: dict[str, int] = {}
    for (_, code), event in zip(start.actions(), start.legal(), strict=True):
        if verbs >> (code & 31) & 1:
            if depth == 1:
                below[event] = 1
                continue
            found = _count(start.play(event), None if depth is None else depth - 1, verbs)
            below[event] = (
                found.leaves if depth is None else found.counts[depth - 2] if len(found.counts) >= depth - 1 else 0
            )
    return below


def _from(hand: Record | Hand, stop_at_game_over: bool) -> Hand:
    start = hand if isinstance(hand, Hand) else Hand.from_record(hand)
    if stop_at_game_over:
        return start
    record = start.record
    spec = {"base": record.rules} if isinstance(record.rules, str) else dict(record.rules)
    return Hand.from_record(record.but(rules=rules_of(spec | {"score_timing": "end_of_hand"}).spec()))


def _verbs(rules: Rules, mazo: bool, declarations: bool, calls: Collection[str] | None) -> int:
    verbs = EVERYTHING & ~NUMBERS & ~(1 << MAZO)
    if calls is not None:
        if unknown := sorted(set(calls) - set(VERBS)):
            raise ValueError(
                f"there is no call {unknown[0]!r}; the ladder of {rules.name} is {', '.join(rules.raises)}"
            )
        verbs = ALWAYS | sum(1 << VERB_INDEX[call] for call in set(calls))
    return verbs | (1 << MAZO) * mazo | NUMBERS * declarations


def _count(hand: Hand, depth: int | None, verbs: int) -> Perft:
    limit = EVENT_LIMIT - len(hand.events) if depth is None else depth
    states, row, cards = hand.kernel
    stack = np.zeros(2 * limit + 2, STATE)
    stack[:2] = states
    seats, codes = np.zeros((limit + 1, ACTION_ROOM), np.int64), np.zeros((limit + 1, ACTION_ROOM), np.int64)
    counts = np.zeros(limit + 1, np.int64)
    if limit == 0:
        return Perft((), 0)
    leaves = count_histories(stack, row, cards, verbs, limit, seats, codes, counts)
    return Perft(tuple(int(n) for n in counts if n), int(leaves))
