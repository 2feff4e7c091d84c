"""What it costs to solve the envido and the truco of one hand apart, in the game of both: exact best answers to the two parts played together.

    python benchmarks/envido_joint.py              # about half an hour on two cores, once the whole truco is solved
    python benchmarks/envido_joint.py --calls envido,real-envido,falta-envido

The player asked about plays the equilibrium of the envido by his number alone and that of the truco by his ranks alone. His rival
knows that, keeps his own whole hand in mind, counts every pair of hands of cards, and reads the cards from what was said of the
envido and the number from what was played. The game is that of argentino from the deal: the envido may be called by the mano before
his first card, and by the pie after the mano's first card or truco, before any answer. As everywhere in the solver, of cards that
are played only the ranks tell. What the rival wins more than the value of the two parts is told by what he uses:

    envido   he calls and answers the envido by all his cards, and plays the truco as the equilibrium
    silent   ... and answers the truco as well as he can, as long as nobody has shown a number
    all      ... and also once numbers were shown: what the parts together can lose at most
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from report import keep, say
from whole import RULES, arguments, solved

from trucostats.hand import Hand
from trucostats.home import cores
from trucostats.rules import rules_of
from trucostats.solver.blueprint import shape
from trucostats.solver.calls import Choice, End, Node, Outcome, Showdown
from trucostats.solver.deck import HAND_SIZE
from trucostats.solver.envido import solve_envido
from trucostats.solver.game import Solver, weigh_blocks, work_of
from trucostats.solver.growth import BETS, CARDS, CHILD, FIRST, N_BLOCKS, RANK
from trucostats.solver.ranges import hands_of, pairs
from trucostats.solver.walk import EVALUATE, RESPOND, WHOLE, walk

CALLS = "envido,real-envido"
TARGET = 5e-5
SAME = 1e-4  # points
LEAST = -1e3  # what an action without the card for it is worth
NOTHING = 1e-9  # a share of all deals that comes to no digit shown
Vector = NDArray[np.float64]


class Uses(NamedTuple):
    """What a rival of the two parts makes use of; without any he plays the parts himself."""

    envido: bool
    silent: bool
    shown: bool


KINDS = {
    "parts": Uses(False, False, False),
    "envido": Uses(True, False, False),
    "silent": Uses(True, True, False),
    "all": Uses(True, True, True),
}


class Worths(NamedTuple):
    """What the truco is worth to each type of the rival: before the mano's first action, and after each."""

    before: Vector  # (types,)
    after: Vector  # (actions, types), only those of the type's own cards count where the rival is the mano


class Parts:
    """Both equilibria, and the pairs of hands by type of ranks and number."""

    def __init__(self, whole: Solver, calls: list[str]) -> None:
        self.whole = whole
        self.envido = solve_envido(Hand.deal(RULES, [None, None]), calls=calls, target=TARGET)
        self.numbers = np.array(self.envido.numbers)
        hands = hands_of(rules_of(RULES))
        labels, place = np.unique(hands.types * 64 + hands.envido, return_inverse=True)
        every = np.ones(len(hands))
        self.kind, self.number = labels // 64, np.searchsorted(self.numbers, labels % 64)
        deals = pairs(hands, place, len(labels), every, every)
        self.deals = deals / deals.sum()
        deck, grown = whole.deck, whole.grown
        self.types = int(deck.sizes[HAND_SIZE])
        root = grown.nodes[0]
        bets, ways = int(root[BETS]), int(root[BETS] + root[CARDS])
        self.actions = grown.actions[int(root[FIRST]) : int(root[FIRST]) + ways]
        slots = deck.slot[HAND_SIZE][self.actions[:, RANK]]
        self.row = np.where(self.actions[:, RANK][:, None] < 0, np.arange(ways)[:, None], bets + slots)
        self.can = (self.actions[:, RANK][:, None] < 0) | (slots >= 0)  # (actions, types)
        rows, size, start = shape(grown, deck, 0)
        kept = np.maximum(whole.work.average[start : start + rows * size].reshape(rows, size).astype(float), 0)
        mixed = kept / kept.sum(axis=0)
        self.first = np.where(self.can, np.take_along_axis(mixed, self.row, axis=0), 0.0)

    def value(self, seat: int) -> float:
        """Return what both parts together are worth to a seat."""
        truco = float(self.whole.values(seat).sum(dtype=np.float64))
        return truco + (self.envido.value if seat == 0 else -self.envido.value)


class Bench(local):
    """What one thread writes."""

    def __init__(self, parts: Parts) -> None:
        whole = parts.whole
        self.joint, self.flipped = np.zeros((2, int(whole.grown.used[N_BLOCKS])), np.float32)
        self.game = whole.game._replace(joint=self.joint, flipped=self.flipped)
        how = np.zeros(6, np.float32)
        self.work = work_of(int(whole.deck.sizes.max()), whole.work.regret, whole.work.average, how)


class Rival:
    """One who knows both parts, in a seat and with an envido number; values are by type of ranks, weighted by how often he has it."""

    def __init__(self, parts: Parts, bench: Bench, seat: int, number: int) -> None:
        self.parts, self.bench, self.seat, self.number, self.walks = parts, bench, seat, number, 0
        mine = parts.number == number
        pairs_of = parts.deals if seat == 0 else parts.deals.T
        self.rows = np.zeros((parts.types, len(parts.kind)))
        self.rows[parts.kind[mine]] = pairs_of[mine]
        self.kept: dict[tuple[bytes, int], Worths] = {}

    def weighed(self, weights: Vector) -> Vector:
        """Return the weight of each type of his with each of the other's, by weights of the other's numbers."""
        chosen = self.rows * weights[self.parts.number]
        by_type = np.zeros((self.parts.types, self.parts.types))
        np.add.at(by_type.T, self.parts.kind, chosen.T)
        return by_type

    def mass(self, weights: Vector, first: int | None) -> Vector:
        """Return how often each type of his comes here."""
        theirs = weights[self.parts.number]
        if self.seat == 1 and first is not None:
            theirs = theirs * self.parts.first[first][self.parts.kind]
        return self.rows @ theirs

    def truco(self, weights: Vector, mode: int) -> Worths:
        """Return what the truco is worth to him."""
        if mode == EVALUATE:
            basis = [(share, np.eye(len(weights))[k]) for k, share in enumerate(weights) if share > 0]
            if len(basis) != 1 or basis[0][0] != 1:
                return summed([(share, self.truco(one, mode)) for share, one in basis], self.parts)
        elif np.count_nonzero(weights) == 1 and weights.max() != 1:
            return summed([(float(weights.max()), self.truco((weights > 0).astype(float), mode))], self.parts)
        key = weights.tobytes(), mode
        if key not in self.kept:
            self.kept[key] = self.walked(weights, mode)
        return self.kept[key]

    def walked(self, weights: Vector, mode: int) -> Worths:
        """Walk the whole truco."""
        parts, bench, whole = self.parts, self.bench, self.parts.whole
        pairs_here = self.weighed(weights)
        found = Worths(np.zeros(parts.types), np.zeros((len(parts.actions), parts.types)))
        if pairs_here.sum() < NOTHING:
            return found
        self.walks += 1
        deck, work = whole.deck, bench.work
        weigh_blocks(whole.grown, deck, pairs_here if self.seat == 0 else pairs_here.T, bench.joint, bench.flipped)
        if self.seat == 0:
            work.rival[0, : parts.types] = 1
            walk(bench.game, work, 0, mode, whole.front, WHOLE, 0, 0)
            gains = work.action_value[0, :, : parts.types].astype(float)
            found.after[:] = np.where(parts.can, np.take_along_axis(gains, parts.row, axis=0), LEAST)
            found.before[:] = work.value[0, : parts.types]
            return found
        for k, (child, rank) in enumerate(zip(parts.actions[:, CHILD], parts.actions[:, RANK], strict=True)):
            reach = parts.first[k]
            if rank >= 0:
                up = deck.up[HAND_SIZE, rank][: int(deck.sizes[HAND_SIZE - 1])]
                reach = np.where(up >= 0, reach[up], 0)
            work.rival[0, : len(reach)] = reach
            walk(bench.game, work, 1, mode, whole.front, WHOLE, int(child), 1)
            found.after[k] = work.value[0, : parts.types]
        found.before[:] = found.after.sum(axis=0)
        return found

    def best(self, uses: Uses) -> float:
        """Return what he wins a deal, both games together."""
        return float(self.play(self.parts.envido.game.tree, np.ones(len(self.parts.numbers)), None, (), uses).sum())

    def play(self, node: Node, weights: Vector, first: int | None, said: tuple[str, ...], uses: Uses) -> Vector:
        """Return what a moment is worth, by type: the other's numbers weighing so much, after the mano's first action or before."""
        if isinstance(node, End):
            return self.after(node.outcome, weights, first, RESPOND if uses.silent else EVALUATE)
        if isinstance(node, Showdown):
            return self.shown(node, weights, first, RESPOND if uses.shown else EVALUATE)
        line = self.parts.envido.line(*said)
        words = [word for word, _ in node.ways]
        assert list(line.words) == words
        shares = np.nan_to_num(line.frequency)
        if node.player != self.seat:
            each = [
                self.went(node, way, weights * share, first, said, uses)
                for way, share in zip(node.ways, shares, strict=True)
            ]
            return np.sum(each, axis=0)
        values = [self.went(node, way, weights, first, said, uses) for way in node.ways]
        if uses.envido:
            return np.max(values, axis=0)
        return np.sum([share * value for share, value in zip(shares[:, self.number], values, strict=True)], axis=0)

    def went(
        self, node: Choice, way: tuple[str, Node], weights: Vector, first: int | None, said: tuple[str, ...], uses: Uses
    ) -> Vector:
        """Return what a word is worth; the mano passes by an action of the truco."""
        word, follows = way
        if weights.sum() == 0:
            return np.zeros(self.parts.types)
        go = partial(self.play, follows, weights, said=(*said, word), uses=uses)
        if node.player != 0 or said:
            return go(first=first)
        if word != "pass":
            return go(first=None)
        every = [go(first=k) for k in range(len(self.parts.actions))]
        if self.seat == 1:
            return np.sum(every, axis=0)
        if uses.silent:
            return np.max(every, axis=0)
        return np.sum(
            [share * value for share, value in zip(self.parts.first, every, strict=True)],
            axis=0,
        )

    def after(self, outcome: Outcome, weights: Vector, first: int | None, mode: int) -> Vector:
        """Return what an end of the envido and the truco after it are worth."""
        won = (outcome[0] - outcome[1]) * (1 if self.seat == 0 else -1)
        worths = self.truco(weights, mode)
        return won * self.mass(weights, first) + (worths.before if first is None else worths.after[first])

    def shown(self, node: Showdown, weights: Vector, first: int | None, mode: int) -> Vector:
        """Return what an accepted envido is worth: the mano says his number, the pie his if it is better."""
        assert node.player == 0
        total = np.zeros(self.parts.types)
        mine, numbers = self.number, np.arange(len(weights))
        if self.seat == 1:
            for k in np.flatnonzero(weights):
                outcome = node.higher if k > mine else node.equal if k == mine else node.lower
                total = total + self.after(outcome, np.where(numbers == k, weights, 0), first, mode)
            return total
        for k in np.flatnonzero(weights[mine + 1 :]) + mine + 1:
            total = total + self.after(node.lower, np.where(numbers == k, weights, 0), first, mode)
        assert node.equal == node.higher
        return total + self.after(node.higher, np.where(numbers <= mine, weights, 0), first, mode)


def summed(shares: list[tuple[float, Worths]], parts: Parts) -> Worths:
    """Return a weighted sum."""
    total = Worths(np.zeros(parts.types), np.zeros((len(parts.actions), parts.types)))
    for share, one in shares:
        total.before[:] += share * one.before
        total.after[:] += share * one.after
    return total


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--calls", default=CALLS, help="the words of the envido in play (default: %(default)s)")
    options = parser.parse_args()
    parts = Parts(solved(options.average), options.calls.split(","))
    bench, begun = Bench(parts), time.perf_counter()

    def asked(job: tuple[int, int]) -> tuple[dict[str, float], int]:
        rival = Rival(parts, bench, *job)
        found = {kind: rival.best(uses) for kind, uses in KINDS.items()}
        say(f"seat {job[0]}, number {parts.numbers[job[1]]}: {rival.walks} walks, {time.perf_counter() - begun:.0f} s")
        return found, rival.walks

    jobs = [(seat, number) for seat in (0, 1) for number in range(len(parts.numbers))]
    with ThreadPoolExecutor(cores()) as pool:
        results = list(pool.map(asked, jobs))
    wins: dict[str, Any] = {
        kind: [
            sum(found[kind] for (seat, _), (found, _) in zip(jobs, results, strict=True) if seat == side)
            for side in (0, 1)
        ]
        for kind in KINDS
    }
    value = parts.value(0)
    # Points of both games add up, so this has to be the same by both seats: a check of the whole reckoning.
    assert max(abs(wins["parts"][0] - value), abs(wins["parts"][1] + value)) < SAME, wins["parts"]
    print(
        f"value of the two parts to the mano {value:.5f}, played together {wins['parts'][0]:.5f} and {-wins['parts'][1]:.5f}"
    )
    print("rival uses   wins more as mano     as pie       mean")
    gains = {}
    for kind in ("envido", "silent", "all"):
        mano, pie = (wins[kind][seat] - wins["parts"][seat] for seat in (0, 1))
        gains[kind] = {"mano": mano, "pie": pie, "mean": (mano + pie) / 2}
        print(f"{kind:<12} {mano:17.4f} {pie:10.4f} {(mano + pie) / 2:10.4f}")
    keep(
        "envido_joint.json",
        {"calls": options.calls, "value": value, "gains": gains, "walks": sum(w for _, w in results)},
    )


if __name__ == "__main__":
    main()
