"""A second, naive solver of the truco between two, for decks of a few cards: every deal, every history, every legal word.

It plays without `trucostats.solver`: cards are cards, a player knows his own cards and all that was said and played, and no
action is left out as useless. Both sides play CFR+, and best responses to their averages enclose the value. The rules come from the
kernel, asked once for each situation that differs by more than the faces of the cards.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from trucostats.hand import Hand
from trucostats.kernel.engine import step
from trucostats.kernel.jit import jit
from trucostats.kernel.legal import list_actions
from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.kernel.state import ACCEPT, COVER, DECLINE, NO_QUIERO, OK, PLAY, QUIERO, RAISE, STATE, STATE_FIELDS
from trucostats.rules import Rules
from trucostats.solver.deck import Deck, deck_of_strengths
from trucostats.vocab import CARDS, parse_card

PASS = -1  # he who has just played keeps his mouth shut
FACES = ("dealt", "held", "shown", "seen", "best", "value", "flor_value")
ANSWERS = (QUIERO, NO_QUIERO, ACCEPT, DECLINE)


@dataclass
class Situation:
    """What all histories share that differ only by the faces of cards: who acts, his words, and where a card leads to.

    `cards` is empty where no card may be played; else it has one situation, or three where the card falls short of the one on the
    table, equals or beats it (None where no card can).
    """

    player: int
    payoff: float = 0.0
    words: list[tuple[int, int]] = field(default_factory=list)
    cards: list[int | None] = field(default_factory=list)


class Graph:
    """The situations that may follow a hand, found with the kernel's own list of legal events."""

    def __init__(self, hand: Hand) -> None:
        hidden = Hand.from_record(hand.record.but(deal=[None, None]))
        states, self.row, self.table = hidden.kernel
        self.base = states[0].score.copy()
        self.known: dict[bytes, int] = {}
        self.found: list[Situation] = []
        self.visit(states[0].copy(), False)

    def visit(self, state, passed: bool) -> int:
        key = b"".join(state[name].tobytes() for name, _, _ in STATE_FIELDS if name not in FACES) + bytes([passed])
        if key in self.known:
            return self.known[key]
        number = self.known[key] = len(self.found)
        self.found.append(Situation(-1))
        if state.over:
            won = state.score - self.base
            self.found[number].payoff = float(won[0] - won[1])
            return number
        events = self.legal(state)
        here = self.found[number]
        answering = [seat for seat, code in events if code in ANSWERS]
        just = int(state.last_card)
        if answering:
            here.player = answering[0]
        elif not passed and just not in (-1, state.turn) and any(s == just and c >= RAISE for s, c in events):
            here.player = just
            here.words.append((PASS, self.visit(state, True)))
        else:
            here.player = int(state.turn)
        words = [code for seat, code in events if seat == here.player and code & 31 != PLAY]
        here.words += [(code, self.visit(self.after(state, here.player, code), False)) for code in words]
        codes = [code for seat, code in events if seat == here.player and code & 31 == PLAY]
        if codes and state.played == 0:
            here.cards = [self.visit(self.after(state, here.player, self.middle(codes)), False)]
        elif codes:
            for sign in (-1, 0, 1):
                fit = [code for code in codes if np.sign(self.strength(code) - state.best) == sign]
                here.cards.append(self.visit(self.after(state, here.player, fit[0]), False) if fit else None)
        return number

    def legal(self, state) -> list[tuple[int, int]]:
        """Every legal event but covered cards and cards put forward with a call."""
        states = np.zeros(2, STATE)
        states[0] = state
        seats, codes = np.zeros(2048, np.int64), np.zeros(2048, np.int64)
        n = list_actions(states, self.row, self.table, seats, codes)
        return [
            (int(seats[k]), int(codes[k]))
            for k in range(n)
            if codes[k] & 31 == PLAY or (codes[k] < 32 and codes[k] != COVER)
        ]

    def after(self, state, seat: int, code: int):
        states = np.zeros(2, STATE)
        states[0] = state
        assert step(states, self.row, self.table, seat, code) == OK
        return states[0].copy()

    def strength(self, code: int) -> int:
        return int(self.table[STRENGTH, code >> 5])

    def middle(self, codes: list[int]) -> int:
        """A card that others beat, equal and fall short of, so that what follows shows all three."""
        levels = [self.strength(code) for code in codes]
        return next(
            c for c, x in zip(codes, levels, strict=True) if min(levels) < x < max(levels) and levels.count(x) > 1
        )


class Naive:
    """All histories below a hand of two from every deal of a few cards, each deal as likely."""

    def __init__(self, hand: Hand, deck: str) -> None:
        self.graph = Graph(hand)
        names = deck.split()
        self.strength = np.array([self.graph.strength(parse_card(name) << 5) for name in names])
        shown = [
            [names.index(event[2:]) for event in hand.events if event[0] == seat and event[2:] in names]
            for seat in "01"
        ]
        laid = list(hand.table.values())
        self._deal(len(names), shown, names.index(laid[0]) if laid else -1)
        self._spread()
        self._number()

    def _deal(self, size: int, shown: list[list[int]], laid: int) -> None:
        rest = [card for card in range(size) if card not in shown[0] + shown[1]]
        left = [3 - len(cards) for cards in shown]
        pairs = [
            (sum(1 << card for card in first), sum(1 << card for card in second))
            for first in combinations(rest, left[0])
            for second in combinations([card for card in rest if card not in first], left[1])
        ]
        self.deals = len(pairs)
        self.held = np.array(pairs, np.int64)
        self.laid = np.full(len(pairs), laid)

    def _spread(self) -> None:
        """Lay out the histories breadth first, the children of each side by side and in the same order in an infoset."""
        place, seen = np.zeros(self.deals, np.int64), np.zeros(self.deals, np.int64)
        held, laid = self.held, self.laid
        players = np.array([situation.player for situation in self.graph.found])
        payoffs = np.array([situation.payoff for situation in self.graph.found])
        columns: list[tuple[np.ndarray, ...]] = []
        self.levels, sets = [0], 0
        while len(place):
            who = players[place]
            # What a player knows: what was said and played (`seen`), and what he holds.
            _, infoset = np.unique(seen << len(self.strength) | held[np.arange(len(who)), who], return_inverse=True)
            moves = [part for number in np.unique(place) for part in self._moves(number, place, held, laid)]
            parent, order = (np.concatenate([move[k] for move in moves] or [place[:0]]) for k in (0, 1))
            sort = np.lexsort([order, parent])
            many = np.bincount(parent, minlength=len(who))
            self.levels.append(self.levels[-1] + len(who))
            columns.append((who, payoffs[place], sets + infoset, many, self.levels[-1] + np.cumsum(many) - many))
            sets += int(infoset.max()) + 1
            if not moves:
                break
            place, held, laid = (np.concatenate([move[k] for move in moves])[sort] for k in (2, 3, 4))
            _, seen = np.unique(seen[parent[sort]] << 10 | order[sort], return_inverse=True)
        self.player, self.payoff, self.infoset, self.count, self.first = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )

    def _moves(self, number: int, place, held, laid):
        """The histories that follow those in one situation: parent, order of the action, situation, cards held, card on the table."""
        here = self.graph.found[number]
        rows = np.flatnonzero(place == number)
        found = []
        for k, (_, to) in enumerate(here.words):
            found.append((rows, np.full(len(rows), k), np.full(len(rows), to), held[rows], laid[rows]))
        for card in range(len(self.strength) if here.cards else 0):
            has = rows[held[rows, here.player] >> card & 1 == 1]
            less = held[has].copy()
            less[:, here.player] -= 1 << card
            if len(here.cards) == 1:
                to, table = np.full(len(has), here.cards[0]), np.full(len(has), card)
            else:
                sign = np.sign(self.strength[card] - self.strength[laid[has]])
                ends = np.array([-1 if end is None else end for end in here.cards])
                to, table = ends[sign + 1], np.full(len(has), -1)
                assert (to >= 0).all()
            found.append((has, np.full(len(has), len(here.words) + card), to, less, table))
        return found

    def _number(self) -> None:
        """Number the infosets and give each action of each a place of its own."""
        acts = np.flatnonzero(self.player >= 0)
        _, one, self.infoset[acts] = np.unique(self.infoset[acts], return_index=True, return_inverse=True)
        self.one = acts[one]
        self.size = self.count[self.one]
        self.base = np.cumsum(self.size) - self.size
        assert (self.size[self.infoset[acts]] == self.count[acts]).all()
        self.regret, self.sum, self.sigma, self.gains = (np.zeros(self.size.sum()) for _ in range(4))
        self.own, self.other, self.value = (np.zeros(len(self.player)) for _ in range(3))
        self.tree = self.first, self.count, self.player, self.infoset, self.base
        self.iterations = 0

    @property
    def histories(self) -> int:
        """How many histories there are, chance and the ends included."""
        return len(self.player)

    def run(self, iterations: int) -> None:
        """Improve both sides in turn, later strategies counting more."""
        for _ in range(iterations):
            self.iterations += 1
            for who in (0, 1):
                mix(self.regret, self.base, self.size, self.sigma)
                self._pass(who, self.sigma)
                improve(*self.tree, self.sigma, self.value, self.regret, who)
                np.maximum(self.regret, 0, out=self.regret)
                later = float(self.iterations) ** 2
                average(self.one, self.player, self.base, self.size, self.own, self.sigma, self.sum, who, later)

    def _pass(self, who: int, sigma) -> None:
        forward(*self.tree, sigma, who, self.deals, self.own, self.other)
        backward(*self.tree, sigma, who, self.other, self.payoff, self.value)

    def best(self, who: int) -> float:
        """What a best response of one seat to the average strategy of the other wins."""
        mix(self.sum, self.base, self.size, self.sigma)
        self._pass(who, self.sigma)
        respond(*self.tree, who, self.other, self.payoff, self.value, self.gains, np.array(self.levels))
        return float(self.value[: self.deals].sum())

    def solve(self, gap: float, most: int = 4000) -> tuple[float, float]:
        """Return bounds of what seat 0 wins that are at most `gap` apart, or as near as so many iterations bring them."""
        while True:
            self.run(50)
            low, high = -self.best(1), self.best(0)
            if high - low <= gap or self.iterations >= most:
                return low, high


@jit
def mix(weights, base, size, sigma):
    for k in range(len(base)):
        total = 0.0
        for a in range(base[k], base[k] + size[k]):
            total += max(weights[a], 0.0)
        for a in range(base[k], base[k] + size[k]):
            sigma[a] = max(weights[a], 0.0) / total if total > 0 else 1.0 / size[k]


@jit
def forward(first, count, player, infoset, base, sigma, who, deals, own, other):
    own[:deals] = 1.0
    other[:deals] = 1.0 / deals
    for h in range(len(first)):
        for a in range(count[h]):
            p = sigma[base[infoset[h]] + a]
            own[first[h] + a] = own[h] * (p if player[h] == who else 1.0)
            other[first[h] + a] = other[h] * (1.0 if player[h] == who else p)


@jit
def backward(first, count, player, infoset, base, sigma, who, other, payoff, value):
    """Weigh what `who` wins from each history on by the chance that the others bring it about."""
    for h in range(len(first) - 1, -1, -1):
        if player[h] < 0:
            value[h] = other[h] * (payoff[h] if who == 0 else -payoff[h])
            continue
        value[h] = 0.0
        for a in range(count[h]):
            value[h] += value[first[h] + a] * (sigma[base[infoset[h]] + a] if player[h] == who else 1.0)


@jit
def improve(first, count, player, infoset, base, sigma, value, regret, who):
    for h in range(len(first)):
        if player[h] == who:
            for a in range(count[h]):
                regret[base[infoset[h]] + a] += value[first[h] + a] - value[h]


@jit
def average(one, player, base, size, own, sigma, total, who, weight):
    for k in range(len(base)):
        if player[one[k]] == who:
            for a in range(base[k], base[k] + size[k]):
                total[a] += weight * own[one[k]] * sigma[a]


@jit
def respond(first, count, player, infoset, base, who, other, payoff, value, gains, levels):
    """Value every history for `who`, who does in each infoset what is worth most to him."""
    gains[:] = 0.0
    for level in range(len(levels) - 2, -1, -1):
        for h in range(levels[level], levels[level + 1]):
            if player[h] == who:
                for a in range(count[h]):
                    gains[base[infoset[h]] + a] += value[first[h] + a]
        for h in range(levels[level], levels[level + 1]):
            if player[h] < 0:
                value[h] = other[h] * (payoff[h] if who == 0 else -payoff[h])
            elif player[h] == who:
                begin = base[infoset[h]]
                value[h] = value[first[h] + np.argmax(gains[begin : begin + count[h]])]
            else:
                value[h] = 0.0
                for a in range(count[h]):
                    value[h] += value[first[h] + a]


def toy_deck(rules: Rules, names: str) -> Deck:
    """The deck that the fast solver plays a few cards with."""
    strength = card_tables(rules)[NO_TURNED][STRENGTH]
    return deck_of_strengths([int(strength[c]) if CARDS[c] in names.split() else -1 for c in range(40)])
