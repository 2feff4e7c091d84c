"""How much anybody can win from the best pot-odds advisor of the head-to-head who is himself hardly to be beaten.

    python benchmarks/head_to_head_bound.py                    # five minutes on two cores, once the whole truco is solved
    python benchmarks/head_to_head_bound.py --share 0.02 0.1   # other chances; the small ones want more --iterations

A rival who plays as the advisor with a chance `share`, told to nobody, and else as he likes: the value B of that game to us (a restricted
Nash response, Johanson, Zinkevich and Bowling, NIPS 2007) bounds what every strategy can win. If u is what a strategy wins from the advisor
and w what it wins at least from anybody, share u + (1 - share) w <= B. So with an exploitability e in a game worth v,
u <= (B - (1 - share) (v - e)) / share. B is taken from above, by an exact best answer to the rival's half of what was solved, so the bound
holds however far the solve has come; the strategy that was solved says from below how close it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from head_to_head import PotOdds, Table
from numpy.typing import NDArray
from prior import Prior
from report import keep, say
from whole import arguments, solved, unsolved

from trucostats.kernel.jit import jit
from trucostats.solver.deck import HAND_SIZE
from trucostats.solver.game import ALPHA, BETA, GAMMA, Solver, discount_by
from trucostats.solver.growth import (
    BEFORE_LOSE,
    BEFORE_TIE,
    BETS,
    BLOCK,
    CARDS,
    CHILD,
    DECISION_NODE,
    FIRST,
    FOLD,
    KIND,
    LAST_CARD,
    LAST_STORE,
    LEFT_0,
    MOST_BETS,
    NO_CALL,
    PLAYER,
    RANK,
    STORE,
    TEMPLATE,
    TERMINAL,
)
from trucostats.solver.last import share
from trucostats.solver.walk import LEARN, RESPOND, mix

BEST = PotOdds(margin=0.15, reraise=0.9, call=0.9)  # of the grid of 34
ITERATIONS = 200
RATES = np.array([ALPHA, BETA, GAMMA, 0.0])  # without a tremble
BUDGETS = (0.0, 1e-4, 5e-4, 1e-3, 2.2e-3)


@jit
def lay_out(nodes: Any, actions: Any, sizes: Any, who: int, at: Any) -> int:
    """Write where the reach of one player's hands begins for each node, shared where the other acts; return how many numbers that takes."""
    free = int(sizes[nodes[0, LEFT_0 + who]])
    for node in range(len(nodes)):
        here = nodes[node]
        if here[KIND] != DECISION_NODE:
            continue
        for k in range(here[BETS] + here[CARDS]):
            child = actions[here[FIRST] + k, CHILD]
            at[child] = at[node]
            if here[PLAYER] == who:
                at[child] = free
                free += int(sizes[nodes[child, LEFT_0 + who]])
    return free


@jit
def blend(
    nodes: Any, actions: Any, templates: Any, sizes: Any, up: Any, slot: Any, valid: Any, weights: Any, who: int, part: float,
    table: Any, script: Any, at: Any, free: Any, fixed: Any, out: Any,
) -> None:  # fmt: skip
    """Write what a player does who follows the script with chance `part` and else the strategy of a table.

    `weights` are joint weights by the other's hand first. `free` and `fixed` are room for the reach of either kind. What is written is in
    proportion to how often it happens, as a sum of strategies is.
    """
    plain = np.zeros((MOST_BETS + HAND_SIZE + 1, int(sizes[HAND_SIZE])), np.float32)
    for h in range(sizes[nodes[0, LEFT_0 + who]]):
        free[h], fixed[h] = 1.0, 1.0
    for node in range(len(nodes)):
        here = nodes[node]
        if here[KIND] == TERMINAL:
            continue
        begin, base = at[node], int(here[STORE])
        if here[KIND] == LAST_CARD:
            template = templates[here[TEMPLATE]]
            if template[FOLD] == NO_CALL:
                continue
            size = int(sizes[1])
            ties = 1 if template[BEFORE_TIE] == template[BEFORE_LOSE] else 0
            for shown in range(size):
                entry = base + shown * LAST_STORE
                if here[PLAYER] == who:  # the leader of the last trick, who may be called
                    first, his, scripted = entry + 2, free[begin + shown], fixed[begin + shown]
                else:  # who wins calls anyway: the choice is that of the hands that lose
                    first, his, scripted = entry, 0.0, 0.0
                    for h in range(shown + ties):
                        weight = weights[here[BLOCK] + shown * size + h]
                        his += weight * free[begin + h]
                        scripted += weight * fixed[begin + h]
                one = float(share(table[first], table[first + 1]))
                out[first] = (1 - part) * his * one + part * scripted * script[first]
                out[first + 1] = (1 - part) * his * (1 - one) + part * scripted * script[first + 1]
            continue
        if here[PLAYER] != who:
            continue
        left = int(here[LEFT_0 + who])
        size, bets, first = int(sizes[left]), int(here[BETS]), int(here[FIRST])
        slots = left if here[CARDS] > 0 else 0
        mix(table, base, plain, valid[left], size, bets, slots, np.float32(0))
        for a in range(bets + slots):
            for h in range(size):
                place = base + a * size + h
                out[place] = (1 - part) * free[begin + h] * plain[a, h] + part * fixed[begin + h] * script[place]
        for k in range(bets + int(here[CARDS])):
            rank, below = actions[first + k, RANK], at[actions[first + k, CHILD]]
            for j in range(size if rank < 0 else int(sizes[left - 1])):
                h = j if rank < 0 else int(up[left, rank, j])
                row = k if rank < 0 or h < 0 else bets + int(slot[left, rank, h])
                free[below + j] = free[begin + h] * plain[row, h] if h >= 0 else 0.0
                fixed[below + j] = fixed[begin + h] * script[base + row * size + h] if h >= 0 else 0.0


class Blend:
    """A game in which one player follows a script with some chance, to be solved for the other."""

    def __init__(
        self, solver: Solver, owner: NDArray[np.int8], who: int, part: float, script: NDArray[np.float32]
    ) -> None:
        self.solver, self.who, self.part, self.script = solver, who, part, script
        self.theirs = owner == who
        grown, deck = solver.grown, solver.deck
        self.at = np.zeros(len(grown.nodes), np.int64)
        reach = np.zeros((2, lay_out(grown.nodes, grown.actions, deck.sizes, who, self.at)), np.float32)
        game = solver.game
        self.tree = (
            grown.nodes, grown.actions, grown.templates, deck.sizes, deck.up, deck.slot, deck.valid,
            game.flipped if who == 0 else game.joint, who, part,
        )  # fmt: skip
        self.reach = reach
        self.out = np.zeros_like(solver.work.average)
        self.kept = np.zeros_like(solver.work.average)

    def mixed(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what the player does who follows the script or a table."""
        blend(*self.tree, table, self.script, self.at, *self.reach, self.out)
        return self.out

    def run(self, count: int) -> None:
        """Run iterations: our player learns against the blend, the other, when he is free, against our player."""
        solver = self.solver
        regret = solver.work.regret
        for t in range(solver.iterations + 1, solver.iterations + count + 1):
            discount_by(solver.work.how, t, RATES)
            np.copyto(self.kept, regret, where=self.theirs)
            np.copyto(regret, self.mixed(regret), where=self.theirs)
            solver._walk(solver.game, 1 - self.who, LEARN)
            np.copyto(regret, self.kept, where=self.theirs)
            solver._walk(solver.game, self.who, LEARN)
        solver.iterations += count

    def measured(self) -> dict[str, float]:
        """Return what our player wins from the script and at least from anybody, and at most from the blend."""
        solver, average = self.solver, self.solver.work.average
        least = -float(solver.values(self.who, RESPOND).sum(dtype=np.float64))
        np.copyto(self.kept, average)
        np.copyto(average, self.mixed(self.kept), where=self.theirs)
        most = float(solver.values(1 - self.who, RESPOND).sum(dtype=np.float64))
        np.copyto(average, self.script, where=self.theirs)
        won = float(solver.values(1 - self.who).sum(dtype=np.float64))
        np.copyto(average, self.kept)
        return {"from_script": won, "least": least, "most_from_blend": most}


def bound(part: float, most: float, worth: float, budget: float) -> float:
    """Return how much a strategy can win from the script that loses at most a budget.

    >>> round(bound(0.1, 0.01, 0.0, 0.0), 3), round(bound(0.1, 0.01, 0.0, 0.001), 3)
    (0.1, 0.109)
    """
    return (most - (1 - part) * (worth - budget)) / part


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--share", type=float, nargs="+", default=[0.1], help="how often the rival follows the script")
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    options = parser.parse_args()
    say("truco without calls, and the advisor")
    table = Table(solved(options.average), Prior())
    script, owner = table.policy(BEST), table.owner
    _, low, high = table.whole.exploitability()
    print(f"the solution wins {table.points(table.solution, script)[2]:.5f} points a hand from {BEST}")
    del table
    found = []
    for part in options.share:
        seats = []
        for who in (1, 0):
            game = Blend(unsolved(), owner, who, part, script)
            for _ in range(0, options.iterations, 50):
                game.run(min(50, options.iterations - game.solver.iterations))
                say(f"share {part}, advisor in seat {who}, {game.solver.iterations} iterations: {game.measured()}")
            seats.append(game.measured() | {"worth": low if who == 1 else -high})
            del game
        mean = {name: sum(seat[name] for seat in seats) / 2 for name in seats[0]}
        print(
            f"share {part}: solved, it wins {mean['from_script']:.4f} points a hand from the advisor and can lose"
            f" {mean['worth'] - mean['least']:.4f}; nobody who can lose"
        )
        limits = {budget: bound(part, mean["most_from_blend"], mean["worth"], budget) for budget in BUDGETS}
        for budget, most in limits.items():
            print(f"    {budget:7.4f} wins more than {most:.4f}")
        found.append({"share": part, "seats": seats, "limits": list(limits.items())})
    keep("head_to_head_bound.json", {"iterations": options.iterations, "rows": found})


if __name__ == "__main__":
    main()
