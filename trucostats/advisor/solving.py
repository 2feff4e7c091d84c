"""`solve` for a position: ranges and utility by name, and the strategy of who acts as rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trucostats.advisor.position import Position
from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.solver.blueprint import blueprint_of
from trucostats.solver.deck import HAND_SIZE, Deck, deck_at, scaled
from trucostats.solver.equity import equity_of
from trucostats.solver.growth import LEFT_0
from trucostats.solver.live import each_way, follow
from trucostats.solver.ranges import joint
from trucostats.solver.solve import Solution, Worth, points, solve


def solve_position(
    position: Position,
    *,
    ranges: str = "uniform",
    utility: str = "points",
    target: float = 0.002,
    seconds: float | None = None,
    iterations: int | None = None,
) -> Solution:
    """Solve the public state of a position.

    `ranges` is `uniform` (all hands that agree with what is public), `blueprint`, or a JSON file: an array of two objects, for team
    0 and 1, from hands (`"1e 7o 4c"`) to weights; `utility` is `points` or `match`. Raises `SolverError` for ranges that are none.
    """
    hand = position.hand
    worth: Worth = points
    if utility == "match":
        equity = equity_of(hand.rules)
        if equity is None:
            raise SolverError(f"there is no match equity for {hand.rules}; solve for points")
        worth = equity.worth(hand)
    return solve(
        hand, weights=weights_of(hand, ranges), worth=worth, target=target, seconds=seconds, iterations=iterations
    )


def weights_of(hand: Hand, ranges: str) -> NDArray[np.float64]:
    """Return the joint weights of both players' full hands under ranges by name."""
    deck = deck_at(hand.rules, hand.turned)
    weights = joint(hand)
    if ranges == "uniform":
        return weights
    if ranges == "blueprint":
        plan = blueprint_of(hand.rules, hand.turned)
        if plan is None:
            raise SolverError(f"there is no blueprint of {hand.rules}; use --ranges uniform")
        first, second = each_way(follow(hand, plan).reach, hand, deck)
    else:
        first, second = read_ranges(ranges, deck)
    return scaled(weights, first, second)


def read_ranges(path: str, deck: Deck) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of a JSON file by hand of ranks, for both teams; hands that are not in it weigh nothing."""
    from trucostats.words import parse_hand  # noqa: PLC0415

    try:
        found = json.loads(Path(path).read_bytes())
    except ValueError as error:
        raise SolverError(f"{path}: no JSON ({error}); it is an array of two objects from hands to weights") from None
    if not (isinstance(found, list) and len(found) == 2 and all(isinstance(part, dict) for part in found)):
        raise SolverError(f"{path}: ranges are an array of two objects, from hands to weights")
    both = []
    for part in found:
        weights = np.zeros(deck.sizes[HAND_SIZE])
        for name, weight in part.items():
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
                raise SolverError(f"{path}: the weight of {name!r} is {weight!r}; weights are numbers from 0 up")
            weights[deck.index_of_cards(parse_hand(name))] += weight
        both.append(weights)
    return both[0], both[1]


def strategy_rows(found: Solution) -> list[dict[str, Any]]:
    """Return a row for each hand and action of the acting player, the likeliest hands first.

    `hand` names the ranks he holds, `weight` is how likely that is, `worth` what the action is worth to him.
    """
    mass = found.mass
    held = found.deck.multisets[int(found.solver.grown.nodes[0, LEFT_0 + found.player])]
    actions = found.actions()
    rows = []
    for h in np.argsort(-mass, kind="stable"):
        if mass[h] <= 0:
            continue
        for action in actions:
            if np.isfinite(action.worth[h]):
                rows.append(
                    {
                        "hand": ", ".join(found.deck.name(rank) for rank in held[h]), "weight": float(mass[h]), "action": action.name,
                        "frequency": float(action.frequency[h]), "worth": float(action.worth[h]),
                    }
                )  # fmt: skip
    return rows


__all__ = ["solve_position", "strategy_rows", "weights_of"]
