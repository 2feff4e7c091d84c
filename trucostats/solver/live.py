"""What every action of a player is worth in a hand of two, solved from the state the hand is in, as he sees it.

The ranges come from what is public of the cards (`ranges`), and from what the blueprint's players would have held to act so; the
tree below is then solved with them. Until each has played a card the blueprint knows the answer itself, if no envido was spoken of.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.kernel.state import NOBODY, QUIERO
from trucostats.solver.blueprint import Blueprint, blueprint_of, shape
from trucostats.solver.deck import HAND_SIZE, Deck, consistent, deck_at, scaled, ways_played
from trucostats.solver.growth import (
    BEFORE_LOSE,
    BEFORE_TIE,
    BETS,
    CARDS,
    CODE,
    FIRST,
    KIND,
    LAST_CARD,
    LAST_CODE,
    LAST_STORE,
    LEFT_0,
    PLAYER,
    RANK,
    STORE,
    TEMPLATE,
    Grown,
    played_ranks,
    public,
)
from trucostats.solver.ranges import hands_at, hero_row, joint, possible
from trucostats.solver.solve import TARGET, Solution, Worth, bet_name, points, solve, worths_of
from trucostats.solver.track import Track, track
from trucostats.solver.walk import EVALUATE, RESPOND
from trucostats.vocab import CARD_INDEX

Status = Literal["exact", "solved", "blueprint"]
Utility = Literal["points", "match"]
POINT: Final = 0.1  # a chance to win the match this great stands for a point when a target is given in points
AFTER_A_TRICK: Final = 2  # cards
RARE: Final = 2e-5  # states that the blueprint's players reach less often are solved again: it has hardly learned what to do there
SURE: Final = 1e-9  # below this exploitability nothing is left to solve
WHOLE: Final = 60.0  # seconds for a hand from the deal that no blueprint knows


@dataclass(frozen=True)
class Option:
    """One action: how often the equilibrium takes it with this hand (None if there is none), and what it brings the acting side.

    `points` are net points from here on, `match` the match-winning chance (None without a match equity), `win` the chance to win
    the hand (half where nobody does), `error` how much more the best play from there on could make of it, in what the players play for.
    """

    action: str
    frequency: float | None
    points: float
    match: float | None
    win: float | None
    error: float | None


@dataclass(frozen=True)
class Rival:
    """One set of ranks the rival may still hold: how likely it is, and how often the hero wins the hand against it.

    `prior` is how likely it was from the cards alone, `told` with what was said of the envido, before what he did; `win` is for the hero's accepting the call that
    waits, or else for his playing on as the solution does; None where that was not solved.
    """

    ranks: tuple[int, ...]
    share: float
    prior: float
    told: float
    win: float | None


@dataclass(frozen=True)
class Live:
    """A decision, evaluated: the options, the rival's range, and how exact it is.

    `utility` is what the players play for, and the unit of `exploitability`: points a hand, or chances to win the match. `inside`
    says whether the blueprint's players ever come here; where they do not, ranges rest on small errors of theirs.
    """

    hand: Hand
    hero: int
    deck: Deck
    status: Status
    exploitability: float
    iterations: int
    seconds: float
    options: tuple[Option, ...]
    rivals: tuple[Rival, ...]
    inside: bool
    utility: Utility = "points"

    @property
    def best(self) -> Option:
        """The action that is worth most, in what the players play for."""
        by_match = self.utility == "match"
        return max(self.options, key=lambda option: (option.match or 0) if by_match else option.points)

    def option(self, action: str) -> Option | None:
        """Return an option by its word, or None."""
        return next((option for option in self.options if option.action == action), None)


@dataclass(frozen=True)
class Ranges:
    """Joint weights of both players' full hands of ranks, the hero's row exact for his cards.

    `prior`, `told` and `rival` are shares of the rival's full hands given the hero's cards: by the cards that lie open, by what was
    said of the envido too, and by how he acted too; `spoken` says whether words about the envido narrow the ranges.
    """

    weights: NDArray[np.float64]
    rival: NDArray[np.float64]
    prior: NDArray[np.float64]
    told: NDArray[np.float64]
    mine: int
    spoken: bool
    track: Track | None


def ranges_of(hand: Hand, hero: int, blueprint: Blueprint | None) -> Ranges:
    """Return what both can hold as the hero sees it: his cards, what is public, and, with a blueprint, how its players act."""
    deck = deck_at(hand.rules, hand.turned)
    cards = hand.dealt(hero)
    if "?" in cards:
        raise SolverError(
            "the hero's cards must be known; write them in the deal, or ask `solve` about all hands at once"
        )
    weights, spoken = in_public(hand, deck)
    row = hero_row(hand, cards, possible(hand, 1 - hero))
    prior = hero_row(hand, cards, on_the_table(hand, 1 - hero))
    told = row
    followed = None
    if blueprint is not None:
        followed = follow(hand, blueprint)
        reach = each_way(followed.reach, hand, deck)
        weights = scaled(weights, *reach)
        row = row * reach[1 - hero]
    if row.sum() <= 0:
        raise SolverError(
            "no hand of the rival agrees with what is known; check the cards and the numbers that were said"
        )
    mine = deck.index(deck.rank_of[CARD_INDEX[name]] for name in cards)
    own = weights[mine] if hero == 0 else weights[:, mine]
    own[:] = row * ((own.sum() or weights.sum() / len(row)) / row.sum())
    return Ranges(weights, row / row.sum(), prior / prior.sum(), told / told.sum(), mine, spoken, followed)


def in_public(hand: Hand, deck: Deck) -> tuple[NDArray[np.float64], bool]:
    """Return the joint weights of both players' full hands by what is public, and whether words about the envido narrow them."""
    seen = possible(hand, 0), possible(hand, 1)
    spoken = any(bool(np.any(seen[seat] != on_the_table(hand, seat))) for seat in (0, 1))
    return joint(hand, *seen) if spoken else consistent(deck, played_ranks(hand, deck)), spoken


def each_way(
    reach: tuple[NDArray[np.float64], NDArray[np.float64]], hand: Hand, deck: Deck
) -> list[NDArray[np.float64]]:
    """Return a reach by hands for each way to have played the cards shown, which the weights of hands count already."""
    ways = [ways_played(deck, played) for played in played_ranks(hand, deck)]
    return [each / np.where(way > 0, way, 1) for each, way in zip(reach, ways, strict=True)]


def follow(hand: Hand, blueprint: Blueprint) -> Track:
    """Follow a hand as far as the blueprint goes, and on through a solution of the state where it ends.

    Without the second step a call after the first trick would tell nothing of the caller's cards. `inside` is that of the blueprint.
    """
    early = blueprint.track(hand)
    if (
        early.inside
        or early.events >= len(hand.events)
        or int(np.sum(hand.kernel[0][0].cards_played[:2])) < AFTER_A_TRICK
    ):
        return early
    try:
        before = hand.record.but(events=hand.events[: early.events])
        later = solved_from(public(Hand.from_record(before)), hand.events[: early.events], blueprint)
    except SolverError:  # a card was covered, say: the solver does not go there
        return early
    solver, store = later.solver, later.solver.grown.nodes[:, STORE]

    def mix(node: int) -> NDArray[np.float64]:
        rows, size, start = shape(solver.grown, later.deck, node)
        left = int(solver.grown.nodes[node, LEFT_0 + int(solver.grown.nodes[node, PLAYER])])
        bets = int(solver.grown.nodes[node, BETS])
        table = solver.work.average[start : start + rows * size].reshape(rows, size).astype(np.float64)
        fair = np.ones((rows, size))
        fair[bets:] = later.deck.valid[left, : rows - bets, :size]
        table = np.where(table.sum(axis=0) > 0, np.maximum(table, 0), fair)
        even: NDArray[np.float64] = table / np.maximum(table.sum(axis=0), 1e-30)
        return even

    def calls(node: int, shown: int) -> NDArray[np.float64]:
        ranks, template = np.arange(later.deck.ranks), solver.grown.templates[solver.grown.nodes[node, TEMPLATE]]
        stays, says = (float(x) for x in solver.work.average[store[node] + LAST_STORE * shown :][:2])
        loses = ranks <= shown if template[BEFORE_TIE] == template[BEFORE_LOSE] else ranks < shown
        return np.where(loses, says / (says + stays) if says + stays > 0 else 0.5, 1.0)

    late = track(hand, solver.grown, later.deck, mix, since=early.events, calls=calls)
    # The node is still that of the blueprint, and the hand outside of it: nothing may be looked up there.
    return Track(early.node, False, late.events, (early.reach[0] * late.reach[0], early.reach[1] * late.reach[1]))


@lru_cache(maxsize=64)
def solved_from(hand: Hand, events: tuple[str, ...], blueprint: Blueprint) -> Solution:
    """Return the solution of a public state with the ranges of the blueprint there; kept by the events, which make the ranges."""
    assert hand.events == events
    deck, early = blueprint.deck, blueprint.track(hand)
    reach = each_way(early.reach, hand, deck)
    weights, _ = in_public(hand, deck)
    return solve(hand, weights=scaled(weights, *reach), target=TARGET)


def on_the_table(hand: Hand, seat: int) -> NDArray[np.bool_]:
    """Return which of `hands_at(hand)` a seat may have been dealt by the cards that lie open alone."""
    masks = hands_at(hand).masks
    shown = [int(cards) for cards in hand.kernel[0][0].shown]
    others = sum(shown[other] for other in range(hand.seats) if other != seat)
    fine: NDArray[np.bool_] = masks & (shown[seat] | others) == shown[seat]
    return fine


def played_for(match: Worth | None, by_match: bool, target: float) -> tuple[Utility, Worth, float]:
    """Return what players play for, as a word and as the worth of outcomes, and a target given in points in that unit.

    They play for the match only where its worth is known.
    """
    if by_match and match is not None:
        return "match", match, target * POINT
    return "points", points, target


def evaluate(
    hand: Hand,
    hero: int,
    *,
    match: Worth | None = None,
    target: float = TARGET,
    seconds: float | None = None,
    iterations: int | None = None,
    by_match: bool = False,
    blueprint: bool = True,
    tell: Callable[[str], None] = lambda _text: None,
) -> Live:
    """Return what every action is worth to the player who acts, in a hand of two as he sees it (other cards unknown).

    `match` turns outcomes into match-winning chances less a half (`MatchEquity.worth`); with `by_match` the players play for them,
    else for points. `target` is in points either way, a tenth of a match standing for one. With `blueprint` false all hands are taken as
    equally likely to have acted so, and nothing is looked up. `tell` hears of a solve that takes long. Raises `SolverError` where the solver cannot go; see `solve`.

    >>> hand = Hand.deal("argentino", ["7c 5c 3e", None]).play("0 3e", "1 2e", "0 5c", "1 7e", "1 truco")
    >>> now = evaluate(hand, 0)
    >>> [option.action for option in now.options], now.status
    (['quiero', 'no-quiero', 'retruco'], 'solved')
    """
    begun = time.perf_counter()
    special = int(hand.kernel[0][0].special) != NOBODY
    plan = blueprint_of(hand.rules, hand.turned) if blueprint and not special else None
    ranges = ranges_of(hand, hero, plan)
    followed = ranges.track
    if (
        plan is not None
        and followed is not None
        and followed.inside
        and not ranges.spoken
        and not by_match
        and seconds is None
    ):
        worths, win = plan.worth(followed.node), plan.win_chance(followed.node)
        his_turn = (int(plan.grown.nodes[followed.node, PLAYER]) + hand.mano) % 2 == hero
        if worths is not None and his_turn and plan.share(hand) >= RARE:
            return looked_up(hand, hero, plan, followed.node, worths, win, ranges, time.perf_counter() - begun)
    if seconds is None and not any(hand.kernel[0][0].cards_played[:2]):
        seconds = WHOLE
        tell("no blueprint answers this; solving the hand from the deal takes a minute or more (--seconds for less)")
    utility, worth, target = played_for(match, by_match, target)
    found = solve(hand, weights=ranges.weights, worth=worth, target=target, seconds=seconds, iterations=iterations)
    if found.player != hero:
        raise SolverError(f"it is {hand.players[found.player]} (seat {found.player}) who decides")
    return from_solution(hand, hero, found, ranges, match, utility, time.perf_counter() - begun)


def names_of(hand: Hand, hero: int, deck: Deck, grown: Grown, node: int) -> list[tuple[int, list[str]]]:
    """Return for each action of a node that the hero's cards allow its row in the strategy and its words: his cards of that rank."""
    here = grown.nodes[node]
    held, h = hand.cards(hero), holding(hand, hero, deck)
    left, bets, first = int(here[LEFT_0 + int(here[PLAYER])]), int(here[BETS]), int(here[FIRST])
    found = []
    for k, action in enumerate(grown.actions[first : first + bets + int(here[CARDS])]):
        row = k
        if action[RANK] >= 0:
            row = bets + int(deck.slot[left, action[RANK], h])
            words = [card for card in held if deck.rank_of[CARD_INDEX[card]] == action[RANK]]
        else:
            words = held if action[CODE] == LAST_CODE else [bet_name(int(action[CODE]))]
        found.append((row, words))
    return [(row, words) for row, words in found if words]


def holding(hand: Hand, hero: int, deck: Deck) -> int:
    """Return the number of the multiset of ranks the hero still holds."""
    return deck.index(deck.rank_of[CARD_INDEX[card]] for card in hand.cards(hero))


def looked_up(
    hand: Hand,
    hero: int,
    plan: Blueprint,
    node: int,
    worth: NDArray[np.float64],
    win: NDArray[np.float64] | None,
    ranges: Ranges,
    seconds: float,
) -> Live:
    """Return what the blueprint says of a node of its early stages."""
    h, mix = holding(hand, hero, plan.deck), plan.mix(node)
    options = []
    for row, words in names_of(hand, hero, plan.deck, plan.grown, node):
        chance = None if win is None else float(win[row, h])
        options += [
            Option(word, float(mix[row, h]) / len(words), float(worth[row, h]), None, chance, None) for word in words
        ]
    about = plan.about
    return Live(
        hand, hero, plan.deck, "blueprint", about["exploitability"], about["iterations"], seconds, tuple(options),
        rivals_of(hand, hero, plan.deck, ranges, None), True,
    )  # fmt: skip


def from_solution(
    hand: Hand, hero: int, found: Solution, ranges: Ranges, match: Worth | None, utility: Utility, seconds: float
) -> Live:
    """Return what a solved tree says of the hero's hand at its root."""
    solver, deck = found.solver, found.deck
    h = holding(hand, hero, deck)
    mass = float(found.mass[h])
    if mass <= 0:
        raise SolverError("the solution gives no weight to the hero's own cards")
    outcomes = solver.grown.outcomes
    in_points = worths_of(outcomes, points)
    in_wins = np.sign(in_points) / 2
    in_match = None if match is None else worths_of(outcomes, match)
    if solver.grown.nodes[0, KIND] == LAST_CARD:
        # Nothing is left to decide but what to do once the card lies there.
        def worth(of: NDArray[np.float64]) -> float:
            return float(solver.values(hero, worth=of)[h]) / mass

        equity = None if in_match is None else worth(in_match) + 0.5
        options = [Option(hand.cards(hero)[0], 1.0, worth(in_points), equity, worth(in_wins) + 0.5, 0.0)]
    else:

        def gains(of: NDArray[np.float64] | None, mode: int = EVALUATE) -> NDArray[np.float64]:
            solver.values(hero, mode, of)
            each: NDArray[np.float64] = solver.work.action_value[0, :, h].astype(np.float64) / mass
            return each

        net, best = gains(in_points), gains(None, RESPOND)
        played = net if np.array_equal(solver.game.worth, in_points) else gains(None)
        win = gains(in_wins) + 0.5
        chances = None if in_match is None else gains(in_match) + 0.5
        options = [
            Option(
                word, float(solver.work.sigma[0, row, h]) / len(words), float(net[row]), None if chances is None else float(chances[row]),
                float(win[row]), max(float(best[row] - played[row]), 0.0),
            )
            for row, words in names_of(hand, hero, deck, solver.grown, 0)
            for word in words
        ]  # fmt: skip
    wins = wins_by_rival(found, hero, h, in_wins)
    status: Status = "exact" if found.exploitability < SURE else "solved"
    inside = ranges.track is None or ranges.track.inside or ranges.track.events >= len(hand.events)
    return Live(
        hand, hero, deck, status, found.exploitability, solver.iterations, seconds, tuple(options),
        rivals_of(hand, hero, deck, ranges, wins), inside, utility,
    )  # fmt: skip


def wins_by_rival(found: Solution, hero: int, h: int, in_wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the hero's chance to win the hand against each multiset the rival holds, if he says quiero where he is asked.

    `in_wins` is plus or minus one half for each outcome, for a win or a loss of team 0.
    """
    solver = found.solver
    root = solver.grown.nodes[0]
    n, size, start = int(root[BETS]), solver.deck.sizes[root[LEFT_0 + hero]], int(root[STORE])
    codes = [int(code) for code in solver.grown.actions[int(root[FIRST]) : int(root[FIRST]) + n, CODE]]
    kept = {}
    if QUIERO in codes:
        for k in range(n):
            at = start + k * int(size) + h
            kept[at] = float(solver.work.average[at])
            solver.work.average[at] = float(codes[k] == QUIERO)
    mine = np.zeros(int(size), np.float32)
    mine[h] = 1
    reach = solver.reach
    others = reach[1 - hero]
    solver.reach = (mine, others) if hero == 0 else (others, mine)
    # The rival's values are the hero's, turned round.
    value = solver.values(1 - hero, worth=in_wins).astype(np.float64)
    solver.reach = reach
    for at, average in kept.items():
        solver.work.average[at] = average
    weight = solver.joint[h].astype(np.float64) if hero == 0 else solver.joint[:, h].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(weight > 0, 0.5 - value / weight, np.nan)


def rivals_of(hand: Hand, hero: int, deck: Deck, ranges: Ranges, wins: NDArray[np.float64] | None) -> tuple[Rival, ...]:
    """Return the rival's range by the ranks he still holds, the likeliest first."""
    played = played_ranks(hand, deck)[1 - hero]
    full = deck.full(len(played), deck.index(played))
    held = deck.multisets[HAND_SIZE - len(played)]
    found = [
        Rival(
            held[j], float(ranges.rival[which]), float(ranges.prior[which]), float(ranges.told[which]),
            None if wins is None or not np.isfinite(wins[j]) else float(wins[j]),
        )
        for j, which in enumerate(full)
        if which >= 0 and (ranges.rival[which] > 0 or ranges.prior[which] > 0)
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda rival: -rival.share))


__all__ = ["Live", "Option", "Ranges", "Rival", "Utility", "evaluate", "played_for", "ranges_of"]
