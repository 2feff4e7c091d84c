"""Make the bank of spots that `advisor_bank.py` measures with: positions of argentino between two, with the worth of each option.

    python benchmarks/bank.py        # writes benchmarks/bank.jsonl.gz; wants the solved game (`whole.py`), takes about 15 minutes

Spots on the path come from hands that the solved game plays against itself, and are labelled by it. Spots off the path come from hands
in which every decision is a random one `ERRORS` of the time, and are kept where the solved game comes less than `RARE` of the time;
they are solved again to `EXACT` points with the ranges that the advisor has: there is no other truth where nobody comes. The same seed makes the same bank.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prior import Prior
from report import say
from whole import RULES, arguments, solved

from trucostats.hand import Hand
from trucostats.kernel.state import QUIERO, RAISE
from trucostats.rules import rules_of
from trucostats.solver.blueprint import Blueprint, blueprint_of, shape
from trucostats.solver.deck import Deck, consistent, scaled
from trucostats.solver.game import Solver
from trucostats.solver.growth import (
    BETS,
    BLOCK,
    CARDS,
    CHILD,
    CODE,
    DECISION_NODE,
    FIRST,
    KIND,
    LEFT_0,
    LEFT_1,
    PLAYER,
    RANK,
    played_ranks,
)
from trucostats.solver.live import each_way, follow, names_of
from trucostats.solver.solve import solve, solver_of
from trucostats.solver.track import Track
from trucostats.solver.walk import EVALUATE
from trucostats.vocab import CARDS as CARD_NAMES
from trucostats.vocab import VERBS

FILE = Path(__file__).parent / "bank.jsonl.gz"
SEED = 20
SPOTS = 2000
KINDS = ("truco", "retruco", "vale-cuatro", "raise", "card")
STAGES = ("deal", "one card", "trick 1", "trick 2")
ERRORS = 0.3
RARE = 1e-4
EXACT = 1e-4
LONGEST = 150.0  # seconds for one solve
ON_CAP, OFF_CAP = 120, 60
HANDS = 20_000
# How many hands of one public state are asked off the path, by stage: solves from early on are dear.
HANDS_OF_A_STATE = (60, 30, 5, 5)


@dataclass
class Spot:
    """A decision met in a hand: the way to it through the tree, and the cards of the acting player."""

    node: int
    hero: int
    events: tuple[str, ...]
    cards: tuple[str, ...]
    path: tuple[tuple[int, int], ...]  # nodes and numbers of actions
    raises: int
    kind: str
    stage: int
    values: dict[str, float] = field(default_factory=dict)
    error: float = 0.0


def kind_of(grown: Any, node: int, raises: int) -> str:
    """Return the kind of a decision: the call to answer, or a turn on which one may raise, or only play."""
    here = grown.nodes[node]
    codes = grown.actions[here[FIRST] : here[FIRST] + here[BETS], CODE]
    if QUIERO in codes:
        return KINDS[raises - 1]
    return "raise" if (codes >= RAISE).any() else "card"


class Player:
    """Plays hands by the average strategies of the solved game, in its tree."""

    def __init__(self, whole: Solver, rng: np.random.Generator) -> None:
        self.whole, self.deck, self.grown, self.rng = whole, whole.deck, whole.grown, rng

    def hand(self, errors: float) -> list[Spot]:
        """Deal and play a hand; return its decisions up to the last card, those with one choice left out."""
        grown, deck = self.grown, self.deck
        dealt = self.rng.permutation(40)[:6].tolist()
        held = [sorted(dealt[:3]), sorted(dealt[3:])]
        names = [tuple(CARD_NAMES[card] for card in cards) for cards in held]
        events: list[str] = []
        path: list[tuple[int, int]] = []
        node, raises, found = 0, 0, []
        while grown.nodes[node][KIND] == DECISION_NODE:
            here = grown.nodes[node]
            player, bets, first = int(here[PLAYER]), int(here[BETS]), int(here[FIRST])
            ranks = sorted({int(deck.rank_of[card]) for card in held[player]}) if here[CARDS] else []
            size, own = int(deck.sizes[len(held[player])]), deck.index_of_cards(held[player])
            start = shape(grown, deck, node)[2]
            rows = np.arange(bets + len(ranks))
            weights = np.maximum(self.whole.work.average[start + rows * size + own].astype(float), 0)
            if len(rows) > 1:
                kind = kind_of(grown, node, raises)
                stage = stage_of(here)
                found.append(Spot(node, player, tuple(events), names[player], tuple(path), raises, kind, stage))
            if weights.sum() <= 0 or self.rng.random() < errors:
                weights[:] = 1
            chosen = int(self.rng.choice(len(rows), p=weights / weights.sum()))
            if chosen < bets:
                k, code = chosen, int(grown.actions[first + chosen, CODE])
                if code < 0:
                    break  # the last card is shown: what follows has no node of its own
                raises += code >= RAISE
                events.append(f"{player} {VERBS[code]}")
            else:
                rank = ranks[chosen - bets]
                k = next(k for k in range(bets, bets + int(here[CARDS])) if grown.actions[first + k, RANK] == rank)
                card = next(card for card in held[player] if deck.rank_of[card] == rank)
                held[player].remove(card)
                events.append(f"{player} {CARD_NAMES[card]}")
            path.append((node, k))
            node = int(grown.actions[first + k, CHILD])
        return found


def stage_of(here: NDArray[np.int32]) -> int:
    """Return the stage of a node: no card, one, a trick, or two tricks played."""
    played = 6 - int(here[LEFT_0]) - int(here[LEFT_1])
    return (0, 1, 2, 2, 3, 3)[played]


def reach_of(whole: Solver, path: tuple[tuple[int, int], ...]) -> list[NDArray[np.float64]]:
    """Return how often each hand of both goes along a path by its own choices."""
    deck, grown = whole.deck, whole.grown
    reach = [each.astype(np.float64) for each in whole.reach]
    for node, k in path:
        here = grown.nodes[node]
        player, bets, left = int(here[PLAYER]), int(here[BETS]), int(here[LEFT_0 + int(here[PLAYER])])
        rows, size, start = shape(grown, deck, node)
        average = np.maximum(whole.work.average[start : start + rows * size].reshape(rows, size), 0)
        total = average.sum(axis=0)
        sigma = average / np.where(total > 0, total, 1)
        rank = int(grown.actions[int(here[FIRST]) + k, RANK])
        if rank < 0:
            reach[player] = reach[player] * sigma[k]
            continue
        hands = deck.up[left, rank, : deck.sizes[left - 1]]
        safe = np.maximum(hands, 0)
        slot = np.maximum(deck.slot[left, rank, safe], 0)
        reach[player] = np.where(hands >= 0, reach[player][safe] * sigma[bets + slot, safe], 0)
    return reach


def hand_of(spot: Spot) -> Hand:
    """Return a spot as its player sees it."""
    return Hand.deal(RULES, [" ".join(spot.cards) if seat == spot.hero else None for seat in (0, 1)]).play(*spot.events)


def common(whole: Solver, spot: Spot) -> tuple[float, NDArray[np.float64]]:
    """Return how often the solved game comes to the public state of a spot, and the mass of each hand of its player."""
    here, reach = whole.grown.nodes[spot.node], reach_of(whole, spot.path)
    n0, n1 = (int(whole.deck.sizes[here[which]]) for which in (LEFT_0, LEFT_1))
    weights = whole.game.joint[here[BLOCK] : here[BLOCK] + n0 * n1].reshape(n0, n1).astype(np.float64)
    mass = weights @ reach[1] if spot.hero == 0 else reach[0] @ weights
    return float(mass @ reach[spot.hero]), mass


def by_the_whole(whole: Solver, gains: NDArray[np.float32], spot: Spot, mass: NDArray[np.float64]) -> dict[str, float]:
    """Return what each option of a spot is worth in the solved game."""
    hand = hand_of(spot)
    rows, size, start = shape(whole.grown, whole.deck, spot.node)
    own = whole.deck.index(whole.deck.rank_of[CARD_NAMES.index(card)] for card in hand.cards(spot.hero))
    table = gains[start : start + rows * size].reshape(rows, size)[:, own] / mass[own]
    return by_word(whole.deck, whole.grown, spot.node, hand, spot.hero, table)


def by_word(deck: Deck, grown: Any, node: int, hand: Hand, hero: int, table: NDArray[Any]) -> dict[str, float]:
    """Return the worths of a node's rows for one hand by the words of the actions."""
    values = {}
    for row, words in names_of(hand, hero, deck, grown, node):
        values |= {word: round(float(table[row]), 6) for word in words}
    return values


def solved_again(spot: Spot, plan: Blueprint, count: int, rng: np.random.Generator) -> list[Spot]:
    """Solve a spot's public state; return the spot and other hands of the same state, labelled.

    The other hands are drawn from the ranges of the blueprint as far as it goes, the labels are by the ranges the advisor has.
    """
    public = Hand.deal(RULES, [None, None]).play(*spot.events)
    deck = plan.deck
    share = solver_of(public, weights=weighed(public, plan.track(public), deck)).joint.sum(
        axis=1 - spot.hero, dtype=np.float64
    )
    own = deck.index(deck.rank_of[CARD_NAMES.index(card)] for card in hand_of(spot).cards(spot.hero))
    others = rng.choice(len(share), size=min(count - 1, int((share > 0).sum())), replace=False, p=share / share.sum())
    left = 3 - sum(event.startswith(f"{spot.hero} ") and event.split()[1] in CARD_NAMES for event in spot.events)
    spots = [spot]
    for which in others:
        if which != own:
            cards = cards_for(deck, deck.multisets[left][int(which)], spot, public)
            spots.append(Spot(spot.node, spot.hero, spot.events, cards, spot.path, spot.raises, spot.kind, spot.stage))
    label(spots, plan)
    return [spot for spot in spots if len(spot.values) > 1]


def weighed(public: Hand, followed: Track, deck: Deck) -> NDArray[np.float64]:
    """Return the joint weights of hands of which players act as they did."""
    return scaled(consistent(deck, played_ranks(public, deck)), *each_way(followed.reach, public, deck))


def label(spots: list[Spot], plan: Blueprint) -> None:
    """Solve the public state of some spots to `EXACT` points with the advisor's ranges, and write what their options are worth."""
    public, deck, hero = Hand.deal(RULES, [None, None]).play(*spots[0].events), plan.deck, spots[0].hero
    found = solve(public, weights=weighed(public, follow(public, plan), deck), target=EXACT, seconds=LONGEST)
    actions, grown = found.actions(), found.solver.grown
    bets, left = int(grown.nodes[0, BETS]), int(grown.nodes[0, LEFT_0 + hero])
    for spot in spots:
        hand = hand_of(spot)
        which = deck.index(deck.rank_of[CARD_NAMES.index(card)] for card in hand.cards(hero))
        table = np.full(bets + left, np.nan)
        for k, action in enumerate(actions):
            slot = k if action.rank is None else int(deck.slot[left, action.rank, which])
            if action.rank is None or slot >= 0:
                table[slot if action.rank is None else bets + slot] = action.worth[which]
        spot.values = by_word(deck, grown, 0, hand, hero, table)
        spot.error = found.exploitability


def cards_for(deck: Deck, ranks: tuple[int, ...], spot: Spot, public: Hand) -> tuple[str, ...]:
    """Return three cards of a player: those he has played, and free ones of some ranks."""
    played = [event.split()[1] for event in spot.events if event.split()[1] in CARD_NAMES]
    own = [e.split()[1] for e in spot.events if e.startswith(f"{spot.hero} ") and e.split()[1] in CARD_NAMES]
    chosen: list[str] = []
    for rank in ranks:
        free = (CARD_NAMES[card] for card in deck.cards_of[rank] if card >= 0)
        chosen.append(next(card for card in free if card not in played and card not in chosen))
    return (*own, *chosen)


def on_the_path(whole: Solver, rng: np.random.Generator) -> list[Spot]:
    """Return spots of the solved game's own hands, labelled by it, at most `ON_CAP` of a kind and stage."""
    whole.record(EVALUATE)
    gains = whole.work.regret.copy()
    player, have, found = Player(whole, rng), Counter(), []
    for _ in range(HANDS):
        for spot in player.hand(0.0):
            if have[spot.kind, spot.stage] >= ON_CAP:
                continue
            often, mass = common(whole, spot)
            if often >= RARE:
                spot.values = by_the_whole(whole, gains, spot, mass)
                have[spot.kind, spot.stage] += 1
                found.append(spot)
    return found


def off_the_path(whole: Solver, rng: np.random.Generator) -> list[Spot]:
    """Return spots that the solved game hardly comes to, solved again, at most `OFF_CAP` of a kind and stage."""
    plan = blueprint_of(rules_of(RULES))
    assert plan is not None
    player, have, found = Player(whole, rng), Counter(), []
    for _ in range(HANDS):
        for spot in player.hand(ERRORS):
            cell = spot.kind, spot.stage
            early = spot.stage < 2 and (spot.raises < 2 or (spot.stage == 0 and spot.kind in ("raise", "card")))
            if have[cell] >= OFF_CAP or early or (spot.stage == 0 and have[cell]) or common(whole, spot)[0] >= RARE:
                continue
            again = solved_again(spot, plan, HANDS_OF_A_STATE[spot.stage], rng)
            have[cell] += len(again)
            found += again
            say(f"{spot.kind}, {STAGES[spot.stage]}: {' '.join(spot.events)} to {again[0].error if again else 0:.6f}")
    return found


def main() -> None:
    options = arguments(__doc__).parse_args()
    rng = np.random.default_rng(SEED)
    whole, prior = solved(options.average), Prior()
    spots = on_the_path(whole, rng)
    on = len(spots)
    say(f"{on} spots on the path")
    spots += off_the_path(whole, rng)
    say(f"{len(spots) - on} spots off the path")
    keep = sorted(rng.permutation(len(spots))[:SPOTS].tolist())
    with gzip.GzipFile(FILE, "wb", mtime=0) as file:
        for at in keep:
            spot = spots[at]
            ranks = [
                int(whole.deck.rank_of[CARD_NAMES.index(e.split()[1])])
                for e in spot.events
                if e.split()[1] in CARD_NAMES
            ]
            held = hand_of(spot).cards(spot.hero)
            own = whole.deck.index(whole.deck.rank_of[CARD_NAMES.index(card)] for card in held)
            row = {
                "kind": spot.kind, "stage": STAGES[spot.stage], "path": at < on, "hero": spot.hero, "cards": " ".join(spot.cards),
                "events": list(spot.events), "values": spot.values, "prior": round(prior.win(prior.after(ranks), spot.hero, own), 5),
                "error": round(spot.error, 7),
            }  # fmt: skip
            file.write(json.dumps(row).encode() + b"\n")
    say(f"{len(keep)} spots in {FILE}")


if __name__ == "__main__":
    main()
