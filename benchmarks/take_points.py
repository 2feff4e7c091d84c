"""How sure of the hand one must be to accept: the chance P(win | quiero) at which quiero and no quiero are worth the same.

    python benchmarks/take_points.py

Read off the whole solved game: at every answer to a call, for every hand, what quiero is worth more than no quiero, and how often it then
wins. The chance "alike" is the mean of those answers where both are worth the same, within 0.02 points; the fitted one is that from which on
accepting loses least. Each answer is weighted by how often it comes about.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from report import keep
from whole import arguments, solved

from trucostats.kernel.jit import jit
from trucostats.kernel.state import QUIERO, RAISE
from trucostats.solver.blueprint import shape
from trucostats.solver.game import Solver
from trucostats.solver.growth import BETS, CARDS, CHILD, CODE, DECISION_NODE, FIRST, KIND, LEFT_0, LEFT_1, PLAYER, STORE
from trucostats.solver.walk import EVALUATE

CALLS = ("truco", "retruco", "vale-cuatro")
STAGES = ("deal", "one card", "trick 1", "trick 2")
LEAST = 20
LEAST_MASS = 1e-9
SAME = 0.02  # points


@jit
def raises(nodes: Any, actions: Any, found: Any) -> None:
    """Write how many raises were said at each node."""
    for node in range(len(nodes)):
        if nodes[node, KIND] == DECISION_NODE:
            first = nodes[node, FIRST]
            for k in range(nodes[node, BETS] + nodes[node, CARDS]):
                more = 1 if k < nodes[node, BETS] and actions[first + k, CODE] >= RAISE else 0
                found[actions[first + k, CHILD]] = found[node] + more


def recorded(whole: Solver, worth: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return what each action is worth to who takes it, times how likely chance and the rival bring it about."""
    whole.record(EVALUATE, worth)
    return whole.work.regret.copy()


def answers(whole: Solver) -> NDArray[np.float64]:
    """Return a row for each hand at each answer: call, stage, mass, P(win | quiero), what quiero is worth more."""
    grown, deck, points = whole.grown, whole.deck, whole.game.worth.astype(np.float64)
    wins, gains = recorded(whole, np.sign(points) / 2), recorded(whole, points)
    nodes, level = grown.nodes, np.zeros(len(grown.nodes), np.int32)
    raises(nodes, grown.actions, level)
    asked = np.flatnonzero((nodes[:, KIND] == DECISION_NODE) & (nodes[:, BETS] > 0))
    asked = asked[grown.actions[nodes[asked, FIRST], CODE] == QUIERO]
    average, parts = whole.work.average, []
    root = average[: shape(grown, deck, 0)[0] * deck.sizes[3]].reshape(-1, deck.sizes[3]).sum(axis=0).max()
    for node in asked:
        here = nodes[node]
        size, at, refused = int(deck.sizes[here[LEFT_0 + here[PLAYER]]]), int(here[STORE]), int(level[node])
        mass = gains[at + size : at + 2 * size].astype(np.float64) / -refused
        rows = int(here[BETS])
        own = average[at : at + rows * size].reshape(rows, size).sum(axis=0, dtype=np.float64) / root
        some = mass * own > LEAST_MASS / size
        if some.any():
            chance = 0.5 + wins[at : at + size][some] / mass[some]
            more = gains[at : at + size][some] / mass[some] + refused
            stage = (0, 1, 2, 2, 3, 3)[6 - int(here[LEFT_0]) - int(here[LEFT_1])]
            n = int(some.sum())
            parts.append(
                np.column_stack([np.full(n, level[node] - 1), np.full(n, stage), (mass * own)[some], chance, more])
            )
    return np.concatenate(parts)


def threshold(mass: NDArray[np.float64], chance: NDArray[np.float64], more: NDArray[np.float64]) -> tuple[float, float]:
    """Return from which chance on accepting loses least, and what it loses on average against accepting by hand."""
    order = np.argsort(chance)
    lost = np.concatenate([[0.0], np.cumsum((mass * more)[order])])  # by refusing so many of the weakest
    best = int(np.argmin(lost))
    never = float((mass * np.maximum(more, 0)).sum() - (mass * more).sum())
    edges = np.concatenate([chance[order], [1.0]])
    low = edges[best - 1] if best else 0.0
    return float((low + edges[best]) / 2), max(never + float(lost[best]), 0.0) / float(mass.sum())


def alike(mass: NDArray[np.float64], chance: NDArray[np.float64], more: NDArray[np.float64]) -> tuple[float, float]:
    """Return how likely a hand wins to which quiero and no quiero are worth the same, and the share of such hands."""
    same = np.abs(more) < SAME
    weight = float(mass[same].sum())
    return float((mass * chance)[same].sum()) / weight if weight > 0 else np.nan, weight / float(mass.sum())


def loss_at(point: float, mass: NDArray[np.float64], chance: NDArray[np.float64], more: NDArray[np.float64]) -> float:
    """Return what accepting from a chance on loses on average against accepting by hand."""
    lost = np.maximum(more, 0) - np.where(chance >= point, more, 0)
    return float((mass * lost).sum() / mass.sum())


def main() -> None:
    options = arguments(__doc__).parse_args()
    table, rows = answers(solved(options.average)), []
    print(
        "call         stage      answers by hand   theory    alike (share)   fitted   points lost by the theory, by the fitted"
    )
    for call, word in enumerate(CALLS):
        theory = 1 / (2 * (call + 2))
        for stage in (None, 0, 1, 2, 3):
            these = table[:, 0] == call
            these &= True if stage is None else table[:, 1] == stage
            if these.sum() < LEAST:
                continue
            columns = table[these, 2], table[these, 3], table[these, 4]
            point, left = threshold(*columns)
            even, share = alike(*columns)
            name = "all" if stage is None else STAGES[stage]
            rows.append({
                "call": word, "stage": name, "n": int(these.sum()), "theory": theory, "alike": even, "alike_share": share, "fitted": point,
                "lost_by_theory": loss_at(theory, *columns), "lost": left,
            })  # fmt: skip
            print(
                f"{word:12} {name:10} {these.sum():15d} {theory:8.4f} {even:8.4f} {share:7.3f} {point:8.4f}"
                f" {rows[-1]['lost_by_theory']:21.5f} {left:15.5f}"
            )
    keep("take_points.json", {"rows": rows})


if __name__ == "__main__":
    main()
