"""Hands played out by the rules with the strategies of a solution win what the solution says."""

import numpy as np
import pytest

from trucostats.hand import Hand
from trucostats.kernel.engine import step
from trucostats.kernel.state import N_VERBS, NO_QUIERO, OK, PLAY, QUIERO, RAISE
from trucostats.solver.growth import (
    AFTER_LOSE,
    AFTER_TIE,
    BEFORE_LOSE,
    BEFORE_TIE,
    BETS,
    CARDS,
    CHILD,
    CODE,
    FIRST,
    FOLD,
    KIND,
    LAST_CARD,
    LAST_CODE,
    LAST_STORE,
    NO_CALL,
    PASS_CODE,
    PLAYER,
    RANK,
    STORE,
    TEMPLATE,
    TERMINAL,
)  # fmt: skip
from trucostats.solver.solve import solve

HANDS = 6000


class Table:
    """One deal played by the kernel, whose players follow a solution."""

    def __init__(self, solution, states, row, cards, held, rng):
        self.solver, self.states, self.row, self.cards, self.rng = solution.solver, states, row, cards, rng
        self.deck, self.grown, self.average = solution.deck, solution.solver.grown, solution.solver.work.average
        self.held = held

    def do(self, seat, code):
        assert step(self.states, self.row, self.cards, seat, code) == OK

    def play(self, seat, rank):
        card = next(card for card in self.held[seat] if self.deck.rank_of[card] == rank)
        self.held[seat].remove(card)
        self.do(seat, PLAY | card << 5)

    def choose(self, node, seat):
        """Draw the number of an action, cards by the place of their rank."""
        held = self.held[seat]
        size, own = int(self.deck.sizes[len(held)]), self.deck.index_of_cards(held)
        bets, slots = int(node[BETS]), len(held) if node[CARDS] else 0
        table = self.average[node[STORE] :][: (bets + slots) * size].reshape(bets + slots, size)[:, own]
        ranks = sorted({int(self.deck.rank_of[card]) for card in held}) if slots else []
        weights = np.maximum(table[: bets + len(ranks)].astype(float), 0)
        if weights.sum() <= 0:
            weights[:] = 1
        k = int(self.rng.choice(len(weights), p=weights / weights.sum()))
        return (k, None) if k < bets else (None, ranks[k - bets])

    def run(self):
        """Play to the end and return what seat 0 wins."""
        before = self.states[0].score.copy()
        node = self.grown.nodes[0]
        while node[KIND] != TERMINAL:
            seat = int(node[PLAYER])
            if node[KIND] == LAST_CARD:
                self.finish(node, seat)
                break
            actions = self.grown.actions[node[FIRST] : node[FIRST] + node[BETS] + node[CARDS]]
            k, rank = self.choose(node, seat)
            if rank is not None:
                k = next(k for k in range(int(node[BETS]), len(actions)) if actions[k, RANK] == rank)
                self.play(seat, rank)
            elif actions[k, CODE] not in (PASS_CODE, LAST_CODE):
                self.do(seat, int(actions[k, CODE]))
            node = self.grown.nodes[actions[k, CHILD]]
        assert self.states[0].over
        won = self.states[0].score - before
        return int(won[0] - won[1])

    def finish(self, node, leader):
        """The leader shows his last card, the other may call, and plays his."""
        other, template = 1 - leader, self.grown.templates[node[TEMPLATE]]
        shown, answer = (int(self.deck.rank_of[self.held[seat][0]]) for seat in (leader, other))
        self.play(leader, shown)
        if template[FOLD] != NO_CALL:
            stays, calls, accepts, refuses = self.average[node[STORE] + LAST_STORE * shown :][:4].astype(float)
            tie_loses = template[BEFORE_TIE] == template[BEFORE_LOSE] and template[AFTER_TIE] == template[AFTER_LOSE]
            loses = answer < shown or (answer == shown and tie_loses)
            if not loses or self.happens(calls, stays):
                verb = next(v for v in range(RAISE, N_VERBS) if step(self.states, self.row, self.cards, other, v) == OK)
                assert verb >= RAISE
                if not self.happens(accepts, refuses):
                    self.do(leader, NO_QUIERO)
                    return
                self.do(leader, QUIERO)
        self.play(other, answer)

    def happens(self, yes, no):
        return self.rng.random() * (yes + no) < yes if yes + no > 0 else self.rng.random() < 0.5


@pytest.mark.parametrize(
    ("rules", "events"),
    [
        ("argentino", ("0 3c", "1 12e")),
        ("argentino", ("0 3c", "1 3e")),
        ("argentino", ("0 truco", "1 quiero", "0 4c", "1 10e")),
        ("truc", ("0 2c", "1 7e")),
    ],
    ids=["trick won", "trick tied", "truco accepted", "calls also after one's card"],
)
def test_hands_played_with_the_solution_win_what_it_says(rules, events):
    hand = Hand.deal({"base": rules, "envido": False}, [None, None]).play(*events)
    solution = solve(hand, target=0.005)
    rng = np.random.default_rng(7)
    states, row, cards = hand.kernel
    left = [card for card in range(40) if not states[0].seen >> card & 1]
    won = np.zeros(HANDS)
    for n in range(HANDS):
        four = rng.permutation(left)[:4].tolist()
        table = Table(solution, states.copy(), row, cards, [four[:2], four[2:]], rng)
        won[n] = table.run()
    error = won.std() / np.sqrt(HANDS)
    assert 0 < error < 0.05
    assert abs(won.mean() - solution.values[0]) < 4 * error
