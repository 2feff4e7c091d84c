"""`solve`: the equilibrium of a truco between two players from a public state on, with a certificate of how exact it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.kernel.state import NOBODY
from trucostats.solver.deck import HAND_SIZE, Deck, consistent, deck_at
from trucostats.solver.game import Solver
from trucostats.solver.growth import BETS, CARDS, FIRST, LAST_CODE, LEFT_0, PASS_CODE, PLAYER, grow_tree, played_ranks
from trucostats.solver.walk import EVALUATE
from trucostats.vocab import VERBS

Worth = Callable[[int, int, int | None], float]
TARGET: Final = 0.002
STEP: Final = 25  # iterations between two looks at the exploitability, at most
LEAST_STEP: Final = 10
FALLS: Final = 1.5  # the power of the iterations with which the exploitability falls, about
TREMBLE: Final = 0.2  # of the first decision, over the number of the iteration
MOST: Final = 5000  # iterations, where nothing else ends a solve


def points(won0: int, won1: int, game: int | None) -> float:
    """Return what an outcome is worth to team 0 in points: what it wins less what the other wins."""
    return float(won0 - won1)


def worths_of(outcomes: Iterable[Any], worth: Worth) -> NDArray[np.float64]:
    """Return what outcomes are worth to team 0: rows of the points both win and the team that wins the game by them, -1 for none."""
    return np.array([worth(int(won0), int(won1), None if game < 0 else int(game)) for won0, won1, game in outcomes])


@dataclass(frozen=True)
class Action:
    """One thing a player may do at the root: its name and, by hand, how often he does it and what it is worth to him.

    `rank` is the rank of a card to play, None for a call or an answer. `frequency` and `worth` are by the multiset of ranks
    still held (`Deck.multisets`), NaN for hands that cannot be his or cannot do it.
    """

    name: str
    code: int
    rank: int | None
    frequency: NDArray[np.float64]
    worth: NDArray[np.float64]


@dataclass(frozen=True)
class Solution:
    """The equilibrium from a hand on, as far as it was solved."""

    hand: Hand
    solver: Solver
    values: tuple[float, float]
    exploitability: float

    @property
    def deck(self) -> Deck:
        """The ranks and hands the solution speaks of."""
        return self.solver.deck

    @property
    def player(self) -> int:
        """The seat that acts."""
        return int(self.solver.grown.nodes[0, PLAYER])

    @property
    def mass(self) -> NDArray[np.float64]:
        """How likely each hand of the acting player is."""
        return self.solver.joint.sum(axis=1 - self.player, dtype=np.float64)

    def win_chances(self) -> dict[str, NDArray[np.float64]]:
        """Return, for each thing the player may do, how likely he then wins the hand, by hand, if both go on as in the solution.

        A fold wins it for the other; a hand that is void counts half. NaN where `Action.worth` is.

        >>> hand = Hand.deal({"base": "argentino", "envido": False}, [None, None]).play("0 3c", "1 2e", "0 4e", "1 5c")
        >>> chances = solve(hand.play("1 truco"), target=0.001).win_chances()
        >>> [[round(float(chances[answer][rank]), 2) for rank in (0, 10, 13)] for answer in ("quiero", "no-quiero")]
        [[0.28, 0.91, 1.0], [0.0, 0.0, 0.0]]
        """
        outcomes = self.solver.grown.outcomes
        won = np.sign(outcomes[:, 0] - outcomes[:, 1]).astype(float)
        return {action.name: (1 + action.worth) / 2 for action in self.actions(won)}

    def actions(self, worth: NDArray[np.float64] | None = None) -> list[Action]:
        """Return what the player may do now, with frequencies and worths by hand; `worth` of each outcome to team 0, if another."""
        solver, root = self.solver, self.solver.grown.nodes[0]
        solver.values(self.player, EVALUATE, worth)
        size = len(self.mass)
        sigma, gains = solver.work.sigma[0], solver.work.action_value[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(self.mass > 0, 1 / self.mass, np.nan)
        found = []
        bets, cards, first = int(root[BETS]), int(root[CARDS]), int(root[FIRST])
        left = int(root[LEFT_0 + self.player])
        for k in range(bets + cards):
            _, rank, code = (int(x) for x in solver.grown.actions[first + k])
            if rank < 0:
                found.append(Action(bet_name(code), code, None, sigma[k, :size] + 0 * scale, gains[k, :size] * scale))
                continue
            slot = self.deck.slot[left, rank, :size]
            has = slot >= 0
            at = np.maximum(slot, 0) + bets, np.arange(size)
            found.append(
                Action(
                    self.deck.name(rank), code, rank,
                    np.where(has, sigma[:, :size][at], np.nan) + 0 * scale, np.where(has, gains[:, :size][at] * scale, np.nan),
                )
            )  # fmt: skip
        return found


def bet_name(code: int) -> str:
    """Return the word of an action that is no card of a known rank."""
    if code == PASS_CODE:
        return "pass"
    return "card" if code == LAST_CODE else VERBS[code]


def solver_of(
    hand: Hand,
    *,
    deck: Deck | None = None,
    weights: NDArray[np.float64] | None = None,
    worth: Worth = points,
) -> Solver:
    """Return the unsolved tree of a two-player hand, the players' hands being unknown but for what they have played.

    `weights` are joint weights of their full hands by rank; by default all hands that contain the cards played are as likely; `worth` says what an outcome is worth
    to team 0, from the points both win and the team that wins the game by them. `deck` is for playing with fewer cards than the rules have.
    """
    check_hand(hand)
    if deck is None:
        deck = deck_at(hand.rules, hand.turned)
    if any(-1 in ranks for ranks in played_ranks(hand, deck)):
        raise SolverError("a card was played that is not in the deck")
    if weights is None:
        weights = consistent(deck, played_ranks(hand, deck))
    grown = grow_tree(hand, deck, weights=weights)
    return Solver(deck, grown, weights, worths_of(grown.outcomes, worth))


def check_hand(hand: Hand) -> None:
    """Raise `SolverError` for a hand that is no two-player truco under way."""
    if hand.seats != 2:
        raise SolverError("the solver plays hands of two; this one has " + str(hand.seats) + " players")
    if hand.over:
        raise SolverError("the hand is over: there is nothing to solve")
    if hand.pending in ("envido", "flor"):
        raise SolverError(f"an unanswered {hand.pending} waits; the solver starts where it is settled")
    state = hand.kernel[0][0]
    if state.dealt_each != HAND_SIZE or state.extra_seat != NOBODY:
        raise SolverError(f"the solver plays hands of {HAND_SIZE} cards each")
    shown = [int(cards).bit_count() for cards in state.shown]
    if state.committed.any() or shown != state.cards_played.tolist():
        raise SolverError("a card was covered, shown or put forward; the solver knows only cards played face up")


def solve(
    hand: Hand,
    *,
    deck: Deck | None = None,
    weights: NDArray[np.float64] | None = None,
    worth: Worth = points,
    target: float = TARGET,
    seconds: float | None = None,
    iterations: int | None = None,
) -> Solution:
    """Solve a hand from its public state on, until its exploitability is at most `target`, or the seconds or iterations are spent.

    Cards that nobody has played count as unknown, whatever the record says of them. The value is zero-sum, in the unit of
    `worth`: points by default. Raises `SolverError` for a hand that is over, of more than two, or in an envido. Source: vector
    CFR with discounting, see `walk`.

    >>> hand = Hand.deal({"base": "argentino", "envido": False}, [None, None])
    >>> spot = solve(hand.play("0 3c", "1 2e", "0 4e", "1 5c"), target=0.0005)
    >>> round(spot.values[0], 2), spot.exploitability < 0.0005
    (0.21, True)
    """
    solver = solver_of(hand, deck=deck, weights=weights, worth=worth)
    exploitability = run_until(solver, target=target, seconds=seconds, iterations=iterations, tremble=TREMBLE)
    value = float(solver.values(0, EVALUATE).sum(dtype=np.float64))
    return Solution(hand, solver, (value, -value), exploitability)


def run_until(
    solver: Solver, *, target: float, seconds: float | None, iterations: int | None, tremble: float = 0.0
) -> float:
    """Iterate until the exploitability is at most the target, or seconds or iterations are spent; return it."""
    most = MOST if iterations is None else iterations
    begun, step = time.perf_counter(), STEP
    while True:
        spent = time.perf_counter() - begun
        solver.run(min(step, most - solver.iterations), tremble=tremble)
        exploitability = solver.exploitability()[0]
        if target > 0:  # look again when it should be low enough
            more = solver.iterations * (max(exploitability / target, 1) ** (1 / FALLS) - 1)
            step = min(max(int(more), LEAST_STEP), STEP)
        late = seconds is not None and solver.iterations > STEP and spent * (1 + STEP / solver.iterations) > seconds
        if exploitability <= target or solver.iterations >= most or late:
            return max(exploitability, 0.0)


__all__ = ["Action", "Solution", "points", "run_until", "solve", "solver_of", "worths_of"]
