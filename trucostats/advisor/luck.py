"""The luck of the deal: what a player's cards are worth above or below the average, by the blueprint.

What the truco is worth to each hand of ranks before anybody has acted follows exactly from the worths the blueprint keeps. The luck of a
deal is the sum of two parts, each zero on average: what the own hand is worth above the game, and what the rival's falls short of it. What the
two hands do to each other beyond that is left out, and so is the envido. It too is zero on average, so that result less luck is as true a measure as the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from trucostats.rules import Rules
from trucostats.solver.blueprint import Blueprint, blueprint_of
from trucostats.solver.deck import HAND_SIZE, deals
from trucostats.solver.growth import BETS, CARDS, CHILD, FIRST, LEFT_0, PLAYER, RANK
from trucostats.vocab import CARD_INDEX


@dataclass(frozen=True, eq=False)
class DealValues:
    """What the truco is worth, in points, to the mano and to the pie by the hand of ranks each is dealt; `game` to the mano on average."""

    blueprint: Blueprint
    mano: NDArray[np.float64]
    pie: NDArray[np.float64]
    game: float

    def luck(self, mano_cards: list[str] | None, pie_cards: list[str] | None) -> float:
        """Return the luck of a deal to the mano in points; a hand that is None or not wholly known adds nothing.

        >>> from trucostats.rules import rules_of
        >>> values = deal_values(rules_of("argentino"))
        >>> values.luck(["1e", "1b", "7e"], None) > 1 > 0 > values.luck(["4e", "4b", "5o"], None)
        True
        """
        total = 0.0
        if (mine := self._place(mano_cards)) is not None:
            total += float(self.mano[mine]) - self.game
        if (other := self._place(pie_cards)) is not None:
            total -= float(self.pie[other]) + self.game
        return total

    def _place(self, cards: list[str] | None) -> int | None:
        if cards is None or "?" in cards or len(cards) != HAND_SIZE:
            return None
        deck = self.blueprint.deck
        return deck.index(deck.rank_of[CARD_INDEX[name]] for name in cards)


@lru_cache(maxsize=8)
def deal_values(rules: Rules, turned: str | None = None) -> DealValues | None:
    """Return what each hand is worth before anybody has acted, or None for rules whose truco the package has no blueprint of."""
    plan = blueprint_of(rules, turned)
    if plan is None:
        return None
    weights = deals(plan.deck)
    mano = node_value(plan, 0)
    here, mix = plan.grown.nodes[0], plan.mix(0)
    bets, left = int(here[BETS]), int(here[LEFT_0 + int(here[PLAYER])])
    pie = np.zeros(len(mano))
    for k in range(bets + int(here[CARDS])):
        action = plan.grown.actions[int(here[FIRST]) + k]
        if action[RANK] < 0:
            done = mix[k].astype(np.float64)
        else:
            slot = plan.deck.slot[left, action[RANK], : len(mano)]
            done = np.where(slot >= 0, mix[bets + np.maximum(slot, 0), np.arange(len(mano))], 0.0)
        # Of the deals with each hand of the pie, so many go this way.
        pie += (done @ weights) * node_value(plan, int(action[CHILD]))
    pie /= weights.sum(axis=0)
    return DealValues(plan, mano, pie, float(plan.about["value"]))


def node_value(plan: Blueprint, node: int) -> NDArray[np.float64]:
    """Return what a node is worth to the player who acts there, by his hand; 0 for hands no deal leads there with."""
    worth = plan.worth(node)
    assert worth is not None
    value: NDArray[np.float64] = (np.nan_to_num(worth) * plan.mix(node)).sum(axis=0)
    return value


__all__ = ["DealValues", "deal_values", "node_value"]
