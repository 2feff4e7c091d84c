"""Counterfactual regret minimisation over hand vectors on a public tree, and its exact best response.

One walk of the tree carries, for every public state at once, how often each player's hands come here by his own choices, and brings
back what each hand of one player is worth. Sources: Zinkevich et al. 2007; Tammelin, CFR+, arXiv 1407.5042; Brown and Sandholm,
discounted CFR, arXiv 1809.04040; Johanson et al. 2011 (best response on the public tree).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trucostats.kernel.jit import jit
from trucostats.solver.growth import (
    BETS,
    BLOCK,
    CARDS,
    CHILD,
    FIRST,
    KIND,
    LAST_CARD,
    LEFT_0,
    OUTCOME,
    PLAYER,
    RANK,
    STORE,
    TEMPLATE,
    TERMINAL,
)
from trucostats.solver.last import EVALUATE, LEARN, ONE, RESPOND, TINY, ZERO, last_leader, last_rival, worths

LEAST = np.float32(-1e30)
NODE, NEXT, OWN_ROW, RIVAL_ROW = range(4)
ENTER = -1
WHOLE, SEND, TAKE = range(3)


class Game(NamedTuple):
    """What a walk reads: the tree, the joint weights of hands (by player 0's hand, and by player 1's), hands, and payoffs.

    `worth` is what each outcome is worth to player 0.
    """

    nodes: NDArray[np.int32]
    actions: NDArray[np.int32]
    templates: NDArray[np.int32]
    joint: NDArray[np.float32]
    flipped: NDArray[np.float32]
    up: NDArray[np.int32]
    slot: NDArray[np.int32]
    valid: NDArray[np.float32]
    sizes: NDArray[np.int64]
    worth: NDArray[np.float32]


class Work(NamedTuple):
    """What a walk writes: regrets and the sum of strategies of every hand and action, and a row of vectors for each depth.

    `how` holds, as floats: the factors on positive and negative regrets, the weight of this iteration in the average, the tremble
    (the share of an even mix in every strategy), and down to which depth players tremble, whether to record.
    """

    regret: NDArray[np.float32]
    average: NDArray[np.float32]
    own: NDArray[np.float32]
    rival: NDArray[np.float32]
    value: NDArray[np.float32]
    sigma: NDArray[np.float32]
    action_value: NDArray[np.float32]
    how: NDArray[np.float32]
    path: NDArray[np.int64]


class Front(NamedTuple):
    """Nodes at which the tree is cut into parts that can be walked side by side, and what passes between the top and the parts.

    `mark` has the part that begins at each node, -1 elsewhere; by part, `root` is that node, `depth` how far down it is, `own` and
    `rival` the reach with which the top comes there, and `value` what the part is worth.
    """

    mark: NDArray[np.int32]
    root: NDArray[np.int64]
    depth: NDArray[np.int64]
    own: NDArray[np.float32]
    rival: NDArray[np.float32]
    value: NDArray[np.float32]


@jit
def mix(table: Any, start: int, sigma: Any, valid: Any, size: int, bets: int, slots: int, tremble: float) -> None:
    """Write a strategy into `sigma`, in proportion to the positive entries of a table that begin at `start`."""
    n = bets + slots
    total = sigma[n]
    for h in range(size):
        total[h] = ZERO
    for a in range(n):
        out = sigma[a]
        at = start + a * size
        for h in range(size):
            x = max(table[at + h], ZERO)
            out[h] = x
            total[h] += x
    some = False
    for h in range(size):
        x = total[h]
        some = some or x <= TINY
        total[h] = ONE / x if x > TINY else ZERO
    for a in range(n):
        out = sigma[a]
        for h in range(size):
            out[h] *= total[h]
    if not some and tremble == ZERO:
        return
    keep = ONE - tremble
    for h in range(size):
        count = np.float32(bets)
        for a in range(slots):
            count += valid[a, h]
        even = ONE / count if count > ZERO else ZERO
        for a in range(n):
            fair = even if a < bets else even * valid[a - bets, h]
            sigma[a, h] = fair if total[h] == ZERO else keep * sigma[a, h] + tremble * fair


@jit
def weigh(weights: Any, start: int, rival: Any, rivals: int, out: Any, size: int, worth: float) -> None:
    """Write into `out` what an outcome known to both is worth to each hand of a player, from the weights by the rival's hand."""
    for h in range(size):
        out[h] = ZERO
    for b in range(rivals):
        q = rival[b] * worth
        if q != ZERO:
            at = start + b * size
            for h in range(size):
                out[h] += weights[at + h] * q


@jit
def best_of(gains: Any, valid: Any, value: Any, size: int, bets: int, slots: int) -> None:
    """Write the value of the best action of each hand."""
    for h in range(size):
        value[h] = LEAST
    for a in range(bets + slots):
        for h in range(size):
            if a < bets or valid[a - bets, h] > ZERO:
                value[h] = max(value[h], gains[a, h])


@jit
def learn(
    regret: Any,
    average: Any,
    start: int,
    gains: Any,
    sigma: Any,
    value: Any,
    own: Any,
    valid: Any,
    size: int,
    bets: int,
    slots: int,
    up: float,
    down: float,
    weight: float,
    tremble: float,
) -> None:
    """Update the regrets and the average of a node from the values of its actions; a tremble is left out of the average."""
    for a in range(bets + slots):
        at = start + a * size
        gain, mixed = gains[a], sigma[a]
        for h in range(size):
            x = regret[at + h] + gain[h] - value[h]
            regret[at + h] = x * (up if x > ZERO else down)
            average[at + h] += weight * own[h] * mixed[h]
        if a >= bets:
            allowed = valid[a - bets]
            for h in range(size):
                regret[at + h] *= allowed[h]
    if tremble > ZERO:
        for h in range(size):
            count = np.float32(bets)
            for a in range(slots):
                count += valid[a, h]
            chance = weight * own[h] * tremble / count if count > ZERO else ZERO
            for a in range(bets + slots):
                if a < bets or valid[a - bets, h] > ZERO:
                    average[start + a * size + h] -= chance


@jit
def walk_parts(g: Any, w: Any, player: int, mode: int, front: Any, parts: Any) -> None:
    """Walk some parts of a tree, with the reach that the top has sent, and leave there what they are worth."""
    wide = front.value.shape[1]
    for part in parts:
        w.own[0, :wide] = front.own[part]
        w.rival[0, :wide] = front.rival[part]
        walk(g, w, player, mode, front, WHOLE, front.root[part], front.depth[part])
        front.value[part] = w.value[0, :wide]


@jit
def walk(g: Any, w: Any, player: int, mode: int, front: Any, phase: int, root: int, base: int) -> None:
    """Write into `value[0]` what each hand of a player is worth at a root, `base` below that of the tree, weighted by the rival's reach.

    The phase says what becomes of parts: they belong to the `WHOLE`, or the top of the tree is walked, to `SEND` them the reach
    without learning, or to `TAKE` what they are worth.

    Row 0 of `own` and `rival` holds the reach of the player's hands and of the rival's at the root. With `LEARN` the strategy is
    that of the regrets, and the player's regrets and average are updated; with `RESPOND` the player answers the rival's average
    as well as he can; with `EVALUATE` both play their averages. To record is to write what each action of the player is worth over
    his regrets.
    """
    nodes, actions, sizes, worth = g.nodes, g.actions, g.sizes, g.worth
    regret, average, path = w.regret, w.average, w.path
    own, rival, values, sigma, gains = w.own, w.rival, w.value, w.sigma, w.action_value
    up, down, weight, tremble = w.how[0], w.how[1], w.how[2], w.how[3]
    table = regret if mode == LEARN else average
    by_rival = g.flipped if player == 0 else g.joint  # rows by the rival's hand
    by_own = g.joint if player == 0 else g.flipped
    sign = ONE if player == 0 else -ONE
    ends = np.zeros(8, np.float32)
    depth: Any = 0
    path[0, NODE] = root
    path[0, OWN_ROW] = 0
    path[0, RIVAL_ROW] = 0
    path[0, NEXT] = ENTER
    while depth >= 0:
        node = path[depth, NODE]
        here = nodes[node]
        own_row, rival_row = path[depth, OWN_ROW], path[depth, RIVAL_ROW]
        k: Any = path[depth, NEXT]
        width = sizes[here[LEFT_0 + player]]
        rivals = sizes[here[LEFT_0 + 1 - player]]
        value = values[depth]
        if phase != WHOLE and front.mark[node] >= 0:
            part = np.int64(front.mark[node])
            if phase == SEND:
                front.rival[part, :rivals] = rival[rival_row, :rivals]
                if mode == LEARN:
                    front.own[part, :width] = own[own_row, :width]
                for h in range(width):
                    value[h] = ZERO
            else:
                for h in range(width):
                    value[h] = front.value[part, h]
            depth -= 1
            continue
        if here[KIND] == TERMINAL:
            weigh(by_rival, here[BLOCK], rival[rival_row], rivals, value, width, sign * worth[here[OUTCOME]])
            depth -= 1
            continue
        actor = np.int64(here[PLAYER])
        if here[KIND] == LAST_CARD:
            calls = worths(g.templates[here[TEMPLATE]], worth, ONE if actor == 1 else -ONE, ends)
            if actor == player:
                last_leader(
                    by_own, here[BLOCK], width, ends, calls, rival[rival_row], own[own_row], value, regret, average, here[STORE],
                    mode, up, down, weight,
                )  # fmt: skip
            else:
                last_rival(
                    by_rival, here[BLOCK], width, ends, calls, rival[rival_row], own[own_row], value, regret, average, here[STORE],
                    mode, up, down, weight,
                )  # fmt: skip
            depth -= 1
            continue
        left = np.int64(here[LEFT_0 + actor])
        size = sizes[left]
        bets, cards, first = np.int64(here[BETS]), np.int64(here[CARDS]), np.int64(here[FIRST])
        slots = left if cards > 0 else np.int64(0)
        own_turn = actor == player
        below = depth + 1
        error = tremble if mode == LEARN and base + depth <= w.how[4] else ZERO
        if k == ENTER:
            if not (own_turn and mode == RESPOND):
                mix(
                    table,
                    here[STORE],
                    sigma[depth],
                    g.valid[left],
                    size,
                    bets,
                    slots,
                    error,
                )
            if own_turn:
                for a in range(bets, bets + slots):
                    for h in range(size):
                        gains[depth, a, h] = ZERO
            else:
                for h in range(width):
                    value[h] = ZERO
            k = np.int64(0)
        else:
            under = values[below]
            if not own_turn:
                for h in range(width):
                    value[h] += under[h]
            elif k < bets:
                into = gains[depth, k]
                for h in range(size):
                    into[h] = under[h]
            else:
                rank = actions[first + k, RANK]
                moved, slot = g.up[left, rank], g.slot[left, rank]
                for j in range(sizes[left - 1]):
                    h = int(moved[j])
                    if h >= 0:
                        gains[depth, bets + slot[h], h] = under[j]
            k += 1
        if k < bets + cards:
            path[depth, NEXT] = k
            path[below, NODE] = actions[first + k, CHILD]
            path[below, NEXT] = ENTER
            path[below, OWN_ROW] = own_row
            path[below, RIVAL_ROW] = rival_row
            if own_turn and mode != LEARN:
                depth = below
                continue
            source, target = rival[rival_row], rival[below]
            if own_turn:
                source, target = own[own_row], own[below]
                path[below, OWN_ROW] = below
            else:
                path[below, RIVAL_ROW] = below
            if k < bets:
                mixed = sigma[depth, k]
                for h in range(size):
                    target[h] = source[h] * mixed[h]
            else:
                rank = actions[first + k, RANK]
                moved, slot = g.up[left, rank], g.slot[left, rank]
                for j in range(sizes[left - 1]):
                    h = int(moved[j])
                    target[j] = source[h] * sigma[depth, bets + slot[h], h] if h >= 0 else ZERO
            depth = below
            continue
        if own_turn and phase != SEND:
            if mode == RESPOND:
                best_of(gains[depth], g.valid[left], value, size, bets, slots)
            else:
                for h in range(size):
                    value[h] = ZERO
                for a in range(bets + slots):
                    gain, mixed = gains[depth, a], sigma[depth, a]
                    for h in range(size):
                        value[h] += mixed[h] * gain[h]
                if mode == LEARN:
                    learn(
                        regret, average, here[STORE], gains[depth], sigma[depth], value, own[own_row], g.valid[left], size, bets,
                        slots, up, down, weight,
                        error,
                    )  # fmt: skip
            if mode != LEARN and w.how[5] > ZERO:
                for a in range(bets + slots):
                    at = np.int64(here[STORE]) + a * size
                    for h in range(size):
                        regret[at + h] = gains[depth, a, h]
        depth -= 1


__all__ = ["EVALUATE", "LEARN", "RESPOND", "SEND", "TAKE", "WHOLE", "Front", "Game", "Work", "walk", "walk_parts"]
