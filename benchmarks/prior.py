"""Truco without calls, solved: how often a hand wins against all hands that the rival can hold. What a naive advisor goes by.

Once the vale cuatro is accepted nobody calls any more, so that part of the game is truco without calls. `Prior` has, for each public
state of the cards, how often each hand of either player wins against the prior range: every rival's hand that holds the cards
he has played, whatever he did to come here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trucostats.kernel.jit import jit
from trucostats.kernel.state import QUIERO, RAISE
from trucostats.rules import rules_of
from trucostats.solver.blueprint import from_the_deal
from trucostats.solver.game import Solver
from trucostats.solver.growth import (
    BEFORE_LOSE,
    BEFORE_TIE,
    BEFORE_WIN,
    BETS,
    BLOCK,
    CARDS,
    CHILD,
    CODE,
    DECISION_NODE,
    FIRST,
    FOLD,
    KIND,
    LAST_CARD,
    LAST_STORE,
    LEFT_0,
    LEFT_1,
    NO_CALL,
    OUTCOME,
    PLAYER,
    RANK,
    STORE,
    TEMPLATE,
    TERMINAL,
)
from trucostats.solver.solve import solver_of

CALLED = ("0 truco", "1 retruco", "0 vale-cuatro", "1 quiero")
ITERATIONS = 120
STATE, LEVEL = range(2)


class Prior:
    """The equilibrium without calls: its strategy, and `equity[start[state, player]:]`, the chances to win by hand."""

    def __init__(self, rules: str = "argentino", iterations: int = ITERATIONS) -> None:
        hand = from_the_deal(rules_of(rules), None).play(*CALLED)
        self.solver = solver_of(hand)
        self.solver.run(iterations)
        self.exploitability = self.solver.exploitability()[0] / float(np.abs(self.solver.game.worth).max())
        self.start, self.equity = self._equities()
        self.next = self._next()

    def win(self, state: int, player: int, which: int) -> float:
        """Return how often a player wins with a multiset of the ranks he holds."""
        return float(self.equity[self.start[state, player] + which])

    def after(self, ranks: list[int]) -> int:
        """Return the state after some ranks were played in turn."""
        state = 0
        for rank in ranks:
            state = int(self.next[state, rank])
        return state

    def _next(self) -> NDArray[np.int32]:
        nodes, actions = self.solver.grown.nodes, self.solver.grown.actions
        found = np.full((len(nodes), self.solver.deck.ranks), -1, np.int32)
        for node in np.flatnonzero((nodes[:, KIND] == DECISION_NODE) & (nodes[:, CARDS] > 0)):
            first, n = int(nodes[node, FIRST]), int(nodes[node, CARDS])
            found[node, actions[first : first + n, RANK]] = actions[first : first + n, CHILD]
        return found

    def _equities(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        deck, grown, joint, work = self.solver.deck, self.solver.grown, self.solver.game.joint, self.solver.work
        won = (1 + np.sign(grown.outcomes[:, 0] - grown.outcomes[:, 1])) / 2
        wins: dict[int, NDArray[np.float32]] = {}
        start = np.zeros((len(grown.nodes), 2), np.int64)
        parts, at = [], 0
        for node in range(len(grown.nodes) - 1, -1, -1):
            here = grown.nodes[node]
            n0, n1 = int(deck.sizes[here[LEFT_0]]), int(deck.sizes[here[LEFT_1]])
            actor, left = int(here[PLAYER]), int(here[LEFT_0 + int(here[PLAYER])])
            if here[KIND] == TERMINAL:
                matrix = np.full((n0, n1), won[here[OUTCOME]], np.float32)
            elif here[KIND] == LAST_CARD:
                low, tie, high = won[grown.templates[here[TEMPLATE], [BEFORE_LOSE, BEFORE_TIE, BEFORE_WIN]]]
                answer = np.sign(
                    np.arange(n1 if actor == 0 else n0)[None, :] - np.arange(n0 if actor == 0 else n1)[:, None]
                )
                matrix = np.choose(answer + 1, [low, tie, high]).astype(np.float32)
                matrix = matrix if actor == 0 else np.ascontiguousarray(matrix.T)
            else:
                size, slots, store = int(deck.sizes[left]), left, int(here[STORE])
                average = work.average[store : store + slots * size].reshape(slots, size)
                total = average.sum(axis=0)
                count = np.maximum(sum(deck.valid[left, k, :size] for k in range(slots)), 1)
                sigma = np.where(
                    total > 0, average / np.where(total > 0, total, 1), deck.valid[left, :slots, :size] / count
                )
                matrix = np.zeros((n0, n1), np.float32)
                for action in grown.actions[here[FIRST] : here[FIRST] + here[CARDS]]:
                    rank, child = int(action[RANK]), wins.pop(int(action[CHILD]))
                    hands = deck.up[left, rank, : deck.sizes[left - 1]]
                    has = np.flatnonzero(hands >= 0)
                    share = sigma[deck.slot[left, rank, hands[has]], hands[has]]
                    if actor == 0:
                        matrix[hands[has]] += share[:, None] * child[has]
                    else:
                        matrix[:, hands[has]] += share[None, :] * child[:, has]
            wins[node] = matrix
            weights = joint[here[BLOCK] : here[BLOCK] + n0 * n1].reshape(n0, n1)
            for player in (0, 1):
                mass = weights.sum(axis=1 - player, dtype=np.float64)
                mine = (weights * (matrix if player == 0 else 1 - matrix)).sum(axis=1 - player, dtype=np.float64)
                start[node, player] = at
                parts.append(np.where(mass > 0, mine / np.where(mass > 0, mass, 1), 0.5).astype(np.float32))
                at += len(mass)
        return start, np.concatenate(parts)


@jit
def follow(nodes: Any, actions: Any, nexts: Any, found: Any) -> None:
    """Write for each node of the whole tree its state of the cards and how many raises were said."""
    for node in range(len(nodes)):
        here = nodes[node]
        if here[KIND] != DECISION_NODE:
            continue
        for k in range(here[BETS] + here[CARDS]):
            rank, code, child = (
                actions[here[FIRST] + k, RANK],
                actions[here[FIRST] + k, CODE],
                actions[here[FIRST] + k, CHILD],
            )
            state = found[node, STATE]
            found[child, STATE] = state if rank < 0 else nexts[state, rank]
            found[child, LEVEL] = found[node, LEVEL] + (1 if rank < 0 and code >= RAISE else 0)


def places(whole: Solver, prior: Prior) -> NDArray[np.int32]:
    """Return the state of the cards and the raises said for each node of the whole tree: (nodes, 2)."""
    found = np.zeros((len(whole.grown.nodes), 2), np.int32)
    follow(whole.grown.nodes, whole.grown.actions, prior.next, found)
    return found


@jit
def fill(
    nodes: Any, actions: Any, templates: Any, sizes: Any, slot_valid: Any, found: Any, start: Any, equity: Any,
    cards_store: Any, cards_sigma: Any, margin: float, reraise: float, call: float, bluff: float, weak: float, out: Any,
) -> None:  # fmt: skip
    """Write the policy of a pot-odds advisor into the store of the whole tree, see `PotOdds`."""
    for node in range(len(nodes)):
        here = nodes[node]
        if here[KIND] == TERMINAL:
            continue
        actor, level, state = here[PLAYER], found[node, LEVEL], found[node, STATE]
        left = here[LEFT_0 + actor]
        size, bets, cards, first, at = sizes[left], here[BETS], here[CARDS], here[FIRST], here[STORE]
        mine = start[state, actor]
        if here[KIND] == LAST_CARD:
            if templates[here[TEMPLATE], FOLD] == NO_CALL:
                continue
            take = 0.5 / (level + 2)
            for h in range(size):
                accept = 1.0 if equity[mine + h] >= take + margin else 0.0
                base = at + h * LAST_STORE
                out[base] = 1 - bluff
                out[base + 1] = bluff
                out[base + 2] = accept
                out[base + 3] = 1 - accept
            continue
        raising = -1
        for k in range(bets):
            if actions[first + k, CODE] >= RAISE:
                raising = k
        answers = bets > 0 and actions[first, CODE] == QUIERO
        take = 0.5 / (level + 1)
        slots = left if cards > 0 else 0
        for h in range(size):
            win = equity[mine + h]
            for k in range(bets + slots):
                out[at + k * size + h] = 0.0
            if answers:
                if raising >= 0 and win >= reraise:
                    out[at + raising * size + h] = 1.0
                elif win >= take + margin:
                    out[at + h] = 1.0
                else:
                    out[at + size + h] = 1.0
                continue
            said = 0.0
            if raising >= 0:
                said = 1.0 if win >= call else bluff if win <= weak else 0.0
                out[at + raising * size + h] = said
            if slots == 0:
                out[at + h] = 1.0 - said
            for a in range(slots):
                out[at + (bets + a) * size + h] = (1.0 - said) * cards_sigma[cards_store[state] + a * size + h]


@jit
def owners(nodes: Any, templates: Any, sizes: Any, out: Any) -> None:
    """Write which player owns each number of the store."""
    for node in range(len(nodes)):
        here = nodes[node]
        if here[KIND] == TERMINAL:
            continue
        actor, at = here[PLAYER], here[STORE]
        size = sizes[here[LEFT_0 + actor]]
        if here[KIND] == LAST_CARD:
            if templates[here[TEMPLATE], FOLD] != NO_CALL:
                for h in range(size):
                    for k in range(LAST_STORE):
                        out[at + h * LAST_STORE + k] = 1 - actor if k < 2 else actor
            continue
        rows = here[BETS] + (here[LEFT_0 + actor] if here[CARDS] > 0 else 0)
        for k in range(rows * size):
            out[at + k] = actor


def owner_of(whole: Solver) -> NDArray[np.int8]:
    """Return for each number of the store of the whole tree whose it is."""
    found = np.zeros(len(whole.work.average), np.int8)
    owners(whole.grown.nodes, whole.grown.templates, whole.deck.sizes, found)
    return found


def card_play(prior: Prior) -> NDArray[np.float32]:
    """Return the normalised strategy without calls, in the store of its tree; even where it never comes."""
    deck, nodes, average = prior.solver.deck, prior.solver.grown.nodes, prior.solver.work.average
    sigma = np.zeros_like(average)
    for node in np.flatnonzero((nodes[:, KIND] == DECISION_NODE) & (nodes[:, CARDS] > 0)):
        left = int(nodes[node, LEFT_0 + int(nodes[node, PLAYER])])
        size, at = int(deck.sizes[left]), int(nodes[node, STORE])
        table = average[at : at + left * size].reshape(left, size)
        valid = deck.valid[left, :left, :size]
        table = np.where(table.sum(axis=0) > 0, table, valid)
        sigma[at : at + left * size] = (table / np.maximum(table.sum(axis=0), 1e-30)).ravel()
    return sigma
