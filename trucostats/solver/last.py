"""The last trick, from the moment its leader shows his last card: a game in which the other side knows whether he wins."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from trucostats.kernel.jit import jit
from trucostats.solver.growth import BEFORE_LOSE, BEFORE_TIE, FOLD, LAST_STORE

LEARN, RESPOND, EVALUATE = range(3)
ZERO: Final = np.float32(0)
ONE: Final = np.float32(1)
HALF: Final = np.float32(0.5)
TINY: Final = np.float32(1e-30)


@jit
def last_rival(
    weights: Any,
    start: int,
    size: int,
    values: Any,
    calls: bool,
    leader: Any,
    own: Any,
    out: Any,
    regret: Any,
    average: Any,
    store: int,
    mode: int,
    up: float,
    down: float,
    weight: float,
) -> None:
    """Play out the last trick for the rival of its leader, who knows whether he wins once the leader's card is shown.

    Whether a loser calls is the one choice that matters: winners, and those whose tie gives nobody points, lose nothing by calling.
    """
    before_lose, before_tie, before_win = values[0], values[1], values[2]
    fold, after_lose, after_tie, after_win = values[3], values[4], values[5], values[6]
    tie_loses = values[7] > ZERO
    for h in range(size):
        out[h] = ZERO
    for shown in range(size):
        reach = leader[shown]
        if not calls:
            if reach != ZERO:
                at = start + shown * size
                for h in range(shown):
                    out[h] += weights[at + h] * reach * before_lose
                out[shown] += weights[at + shown] * reach * before_tie
                for h in range(shown + 1, size):
                    out[h] += weights[at + h] * reach * before_win
            continue
        base = store + shown * LAST_STORE
        table = regret if mode == LEARN else average
        call = share(table[base + 1], table[base])
        accept = share(table[base + 2], table[base + 3])
        bluff = accept * after_lose + (ONE - accept) * fold
        lose = (ONE - call) * before_lose + call * bluff
        if mode == RESPOND:
            lose = max(before_lose, bluff)
        win = accept * after_win + (ONE - accept) * fold
        tie = lose if tie_loses else accept * after_tie + (ONE - accept) * fold
        at = start + shown * size
        if reach != ZERO:
            for h in range(shown):
                out[h] += weights[at + h] * reach * lose
            out[shown] += weights[at + shown] * reach * tie
            for h in range(shown + 1, size):
                out[h] += weights[at + h] * reach * win
        if mode == LEARN:
            regret[base] = discount(regret[base] + reach * (before_lose - lose), up, down)
            regret[base + 1] = discount(regret[base + 1] + reach * (bluff - lose), up, down)
            mass = ZERO
            for h in range(shown + 1 if tie_loses else shown):
                mass += weights[at + h] * own[h]
            mass *= weight
            average[base] += mass * (ONE - call)
            average[base + 1] += mass * call


@jit
def last_leader(
    weights: Any,
    start: int,
    size: int,
    values: Any,
    calls: bool,
    rival: Any,
    own: Any,
    out: Any,
    regret: Any,
    average: Any,
    store: int,
    mode: int,
    up: float,
    down: float,
    weight: float,
) -> None:
    """Play out the last trick for its leader: all he may decide, once his card is shown, is whether to say quiero to a call."""
    before_lose, before_tie, before_win = values[0], values[1], values[2]
    fold, after_lose, after_tie, after_win = values[3], values[4], values[5], values[6]
    tie_loses = values[7] > ZERO
    for shown in range(size):
        at = start + shown * size
        losing, winning, tying = ZERO, ZERO, weights[at + shown] * rival[shown]
        for h in range(shown):
            losing += weights[at + h] * rival[h]
        for h in range(shown + 1, size):
            winning += weights[at + h] * rival[h]
        if tie_loses:
            losing += tying
            tying = ZERO
        if not calls:
            out[shown] = -(losing * before_lose + tying * before_tie + winning * before_win)
            continue
        base = store + shown * LAST_STORE
        table = regret if mode == LEARN else average
        call = share(table[base + 1], table[base])
        accept = share(table[base + 2], table[base + 3])
        quiero = -(call * losing * after_lose + tying * after_tie + winning * after_win)
        refuse = -(call * losing + tying + winning) * fold
        best = max(quiero, refuse) if mode == RESPOND else accept * quiero + (ONE - accept) * refuse
        out[shown] = best - (ONE - call) * losing * before_lose
        if mode == LEARN:
            regret[base + 2] = discount(regret[base + 2] + quiero - best, up, down)
            regret[base + 3] = discount(regret[base + 3] + refuse - best, up, down)
            mass = own[shown] * weight
            average[base + 2] += mass * accept
            average[base + 3] += mass * (ONE - accept)


@jit
def share(a: Any, b: Any) -> Any:
    """Return the share of the first of two positive parts, a half where there is none."""
    first, second = max(a, ZERO), max(b, ZERO)
    return first / (first + second) if first + second > TINY else HALF


@jit
def discount(regret: float, up: float, down: float) -> float:
    """Return a regret after the discount of this iteration."""
    return regret * (up if regret > ZERO else down)


@jit
def worths(template: Any, worth: Any, sign: float, values: Any) -> bool:
    """Write what the outcomes of the last trick are worth to the rival of its leader and say whether he may call; the eighth says whether a
    tie is lost."""
    for k in range(7):
        values[k] = sign * worth[template[k]] if template[k] >= 0 else ZERO
    values[7] = ONE if template[BEFORE_TIE] == template[BEFORE_LOSE] else ZERO
    return template[FOLD] >= 0
