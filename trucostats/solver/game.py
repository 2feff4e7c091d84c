"""Solve a game of two players on a public tree, and say how far from the equilibrium the answer is."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.home import cores
from trucostats.kernel.jit import jit
from trucostats.solver.deck import HAND_SIZE, Deck
from trucostats.solver.growth import (
    BETS,
    BLOCK,
    CARDS,
    CHILD,
    DECISION_NODE,
    FIRST,
    KIND,
    LEFT_0,
    LEFT_1,
    MOST_BETS,
    N_BLOCKS,
    N_STORE,
    Grown,
    first_block,
)
from trucostats.solver.walk import EVALUATE, LEARN, RESPOND, SEND, TAKE, WHOLE, Front, Game, Work, walk, walk_parts

ALPHA, BETA, GAMMA = 1.5, 0.5, 2.0  # the powers of what is gained and of the average; what is left of what is lost
MOST_TREMBLE: Final = np.float64(0.1)
LONGEST: Final = 40  # the deepest path of a hand has fewer decisions
CUT_AFTER: Final = 2  # cards
LEAST_LEFT: Final = 3  # cards of both; a tree with fewer at its front takes less time than the cut would save


@jit
def fill_blocks(
    blocks: Any, lefts: Any, sizes: Any, fulls: Any, full_from: Any, hands: Any, joint: Any, flipped: Any
) -> None:
    """Copy the joint weights of the full hands into one block for each public set of played cards; no more than `lefts` are left."""
    for left0 in range(lefts[0] + 1):
        for left1 in range(lefts[1] + 1):
            begin = first_block(sizes, left0, left1)
            n0, n1 = int(sizes[left0]), int(sizes[left1])
            for played0 in range(int(sizes[3 - left0])):
                for played1 in range(int(sizes[3 - left1])):
                    start = int(blocks[begin + played0 * int(sizes[3 - left1]) + played1])
                    if start < 0:
                        continue
                    from0 = int(full_from[left0]) + played0 * n0
                    from1 = int(full_from[left1]) + played1 * n1
                    for i in range(n0):
                        a = int(fulls[from0 + i])
                        for j in range(n1):
                            b = int(fulls[from1 + j])
                            x = np.float32(0)
                            if a >= 0 and b >= 0:
                                x = hands[a, b]
                            joint[start + i * n1 + j] = x
                            flipped[start + j * n0 + i] = x


@jit
def discount_by(how: Any, t: int, rates: Any) -> None:
    """Set what iteration `t` of discounted CFR does to regrets and averages; rates are alpha, beta, gamma and the tremble."""
    power = float(t) ** rates[0]
    how[0] = power / (power + 1)
    how[1] = rates[1]
    how[2] = float(t) ** rates[2]
    how[3] = min(rates[3] / t, MOST_TREMBLE)


@jit
def iterate(g: Any, w: Any, front: Any, reach0: Any, reach1: Any, first: int, count: int, rates: Any) -> None:
    """Run iterations `first` to `first + count - 1` of discounted CFR, the players learning in turn."""
    n0, n1 = len(reach0), len(reach1)
    for t in range(first, first + count):
        discount_by(w.how, t, rates)
        w.own[0, :n0] = reach0
        w.rival[0, :n1] = reach1
        walk(g, w, 0, LEARN, front, WHOLE, 0, 0)
        w.own[0, :n1] = reach1
        w.rival[0, :n0] = reach0
        walk(g, w, 1, LEARN, front, WHOLE, 0, 0)


def front_of(grown: Grown, sizes: NDArray[np.int64]) -> Front:
    """Cut a tree where two more cards have been played than at its root; no part if so few are left that it is small anyway."""
    nodes, actions = grown.nodes, grown.actions
    left = nodes[:, LEFT_0] + nodes[:, LEFT_1]
    begins = int(left[0]) - CUT_AFTER
    mark = np.full(len(nodes), -1, np.int32)
    roots, depths = [], []
    level = np.zeros(1, np.int64) if begins >= LEAST_LEFT else np.zeros(0, np.int64)
    depth = 0
    while len(level):
        here = left[level] <= begins
        roots.append(level[here])
        depths.append(np.full(len(roots[-1]), depth, np.int64))
        inner = level[~here & (nodes[level, KIND] == DECISION_NODE)]
        ways = nodes[inner, BETS] + nodes[inner, CARDS]
        starts = np.cumsum(ways) - ways
        at = np.repeat(nodes[inner, FIRST] - starts, ways) + np.arange(int(ways.sum()))
        level, depth = actions[at, CHILD].astype(np.int64), depth + 1
    root, deep = (np.concatenate(column) if column else np.zeros(0, np.int64) for column in (roots, depths))
    mark[root] = np.arange(len(root))
    wide = int(sizes[nodes[root][:, [LEFT_0, LEFT_1]].max(initial=0)])
    own, rival, value = np.zeros((3, len(root), wide), np.float32)
    return Front(mark, root, deep, own, rival, value)


@lru_cache(maxsize=64)
def full_hands(deck: Deck) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the hand of three that each remaining multiset makes with each played one, and where each count of cards begins."""
    parts, begins, at = [], [], 0
    for left in range(HAND_SIZE + 1):
        begins.append(at)
        for which in range(int(deck.sizes[HAND_SIZE - left])):
            parts.append(deck.full(HAND_SIZE - left, which))
            at += int(deck.sizes[left])
    return np.concatenate(parts), np.array(begins, np.int64)


def weigh_blocks(grown: Grown, deck: Deck, hands: NDArray[np.floating], joint: Any, flipped: Any) -> None:
    """Copy joint weights of the full hands into the blocks of a tree, by the first player's hand first and by the other's."""
    lefts = grown.nodes[0, [LEFT_0, LEFT_1]]
    fill_blocks(grown.blocks, lefts, deck.sizes, *full_hands(deck), hands.astype(np.float32), joint, flipped)


def work_of(size: int, regret: Any, average: Any, how: Any) -> Work:
    """Return what one walk writes, over tables that all share."""
    wide = LONGEST, size
    deep = LONGEST, MOST_BETS + HAND_SIZE + 1, size
    return Work(
        regret=regret, average=average, own=np.zeros(wide, np.float32), rival=np.zeros(wide, np.float32),
        value=np.zeros(wide, np.float32), sigma=np.zeros(deep, np.float32), action_value=np.zeros(deep, np.float32), how=how,
        path=np.zeros((LONGEST, 4), np.int64),
    )  # fmt: skip


class Solver:
    """A tree with the ranges of both players, to be solved step by step."""

    def __init__(self, deck: Deck, grown: Grown, hands: NDArray[np.float64], worth: NDArray[np.float64]) -> None:
        """Join a tree and its payoffs: `hands` are joint weights of the players' full hands, of any sum; `worth` what each outcome is worth to player 0."""
        self.deck, self.grown, self.iterations, self.seconds = deck, grown, 0, 0.0
        joint, flipped = np.zeros((2, int(grown.used[N_BLOCKS])), np.float32)
        weigh_blocks(grown, deck, hands, joint, flipped)
        n0, n1 = (int(deck.sizes[left]) for left in grown.nodes[0, [LEFT_0, LEFT_1]])
        start = int(grown.nodes[0, BLOCK])
        total = joint[start : start + n0 * n1].sum(dtype=np.float64)
        joint /= total
        flipped /= total
        self.joint = joint[start : start + n0 * n1].reshape(n0, n1)
        # A hand that nobody can hold never comes: its rows need not be looked at, which is most of them once numbers are said.
        held = self.joint != 0
        self.reach = np.any(held, axis=1).astype(np.float32), np.any(held, axis=0).astype(np.float32)
        self.game = Game(
            grown.nodes,
            grown.actions,
            grown.templates,
            joint,
            flipped,
            deck.up,
            deck.slot,
            deck.valid,
            deck.sizes,
            worth.astype(np.float32),
        )
        store = int(grown.used[N_STORE])
        regret, average, how = np.zeros(store, np.float32), np.zeros(store, np.float32), np.zeros(6, np.float32)
        self.front = front_of(grown, deck.sizes)
        size, parts = int(deck.sizes.max()), len(self.front.root)
        walkers = min(cores(), parts)
        # The top has a row of its own: what it leaves there of the root is read afterwards.
        self.work = work_of(size, regret, average, how)
        self._workers = [work_of(size, regret, average, how) for _ in range(walkers)]
        self._shares = [np.arange(first, parts, walkers) for first in range(walkers)]
        self._pool = ThreadPoolExecutor(max(walkers, 1))

    def run(
        self,
        count: int,
        alpha: float = ALPHA,
        beta: float = BETA,
        gamma: float = GAMMA,
        tremble: float = 0.0,
        depth: int = 0,
    ) -> None:
        """Run so many more iterations. With a tremble, nodes down to `depth` are left to chance, `tremble / t` of the time in
        iteration t, so that what follows on an action nobody should take is solved too; the average is kept without it.
        """
        begun = time.perf_counter()
        self.work.how[4] = depth
        rates, next_one = np.array([alpha, beta, gamma, tremble]), self.iterations + 1
        if len(self.front.root):
            for t in range(next_one, next_one + count):
                discount_by(self.work.how, t, rates)
                for player in (0, 1):
                    self._walk(self.game, player, LEARN)
        else:
            iterate(self.game, self.work, self.front, *self.reach, next_one, count, rates)
        self.iterations += count
        self.seconds += time.perf_counter() - begun

    def _walk(self, game: Game, player: int, mode: int) -> None:
        """Walk the tree: its parts side by side, its top before to send them what comes there, and after to take what they found."""
        jobs = list(zip(self._workers, self._shares, strict=True))
        self._walk_top(game, player, mode, SEND)
        list(self._pool.map(lambda job: walk_parts(game, job[0], player, mode, self.front, job[1]), jobs))
        self._walk_top(game, player, mode, TAKE)

    def _walk_top(self, game: Game, player: int, mode: int, phase: int) -> None:
        mine, theirs = self.reach[player], self.reach[1 - player]
        self.work.own[0, : len(mine)] = mine
        self.work.rival[0, : len(theirs)] = theirs
        walk(game, self.work, player, mode, self.front, phase, 0, 0)

    def values(
        self, player: int, mode: int = EVALUATE, worth: NDArray[np.floating] | None = None
    ) -> NDArray[np.float32]:
        """Return what each hand of a player is worth at the root, times how likely it is; with `worth` for other payoffs."""
        game = self.game if worth is None else self.game._replace(worth=worth.astype(np.float32))
        if len(self.front.root):
            self._walk(game, player, mode)
        else:
            self._walk_top(game, player, mode, WHOLE)
        return self.work.value[0, : len(self.reach[player])].copy()

    def record(self, mode: int, worth: NDArray[np.floating] | None = None) -> None:
        """Write what every action is worth to who acts over the regrets, both answering with `RESPOND` or going on with `EVALUATE`; `worth` as in `values`."""
        self.work.how[5] = 1
        for player in (0, 1):
            self.values(player, mode, worth)
        self.work.how[5] = 0

    def exploitability(self) -> tuple[float, float, float]:
        """Return half the sum of what both could gain by best answers, and the interval of the value of player 0."""
        best = [float(self.values(player, RESPOND).sum(dtype=np.float64)) for player in (0, 1)]
        return (best[0] + best[1]) / 2, -best[1], best[0]
