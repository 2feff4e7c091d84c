"""The envido alone, between two: its equilibrium on the tree of calls that the kernel's own `check` and `step` grow.

Each player's secret is his envido number, the joint chances of the two numbers are exact by cards, and the calls, what each is worth
and who wins a tie are the kernel's. Left out: truco, flor, and what the cards and the numbers said tell for the truco to come.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.kernel.check import check, waiting
from trucostats.kernel.engine import step
from trucostats.kernel.params import PIEZA
from trucostats.kernel.state import (
    DECLARE,
    ENVIDO_CALL,
    ENVIDO_DECLARING,
    ENVIDO_NONE,
    ENVIDO_PENDING,
    FLOR_NONE,
    NO_QUIERO,
    NOTHING,
    OK,
    PLAY,
    QUIERO,
    TRUCO_CALL,
)
from trucostats.solver.calls import CallGame, Choice, End, Line, Node, Outcome, Showdown
from trucostats.solver.growth import public
from trucostats.solver.ranges import NONE_LEFT, Weights, hands_at, pairs, possible
from trucostats.solver.solve import Worth, check_hand, points
from trucostats.vocab import ENVIDO_CALLS, VERB_BITS, VERB_INDEX

PASS: Final = "pass"
TARGET: Final = 1e-4
LOW, HIGH = 25, 26  # any two numbers tell what a showdown is worth; these can be made with every card played
MOST_CALLS: Final = 6  # the longest ladder grown, for rules that have no end to it


@dataclass(frozen=True)
class EnvidoSolution:
    """The equilibrium of an envido, as far as it was solved.

    `numbers` are the envido numbers that the vectors of the lines go by; `value` is what the envido is worth to team 0, in the
    unit of the worth it was solved for.
    """

    hand: Hand
    numbers: tuple[int, ...]
    game: CallGame
    value: float
    exploitability: float
    outcomes: dict[Outcome, float]
    lines: tuple[Line, ...]

    @property
    def mano_value(self) -> float:
        """What the envido is worth to the mano."""
        return self.value if self.hand.mano == 0 else -self.value

    def points(self) -> dict[tuple[int, int], float]:
        """Return the chances of what is won: (points of the mano, points of the pie), by falling chance."""
        mano = self.hand.mano
        found: dict[tuple[int, int], float] = {}
        for outcome, chance in self.outcomes.items():
            won = outcome[mano], outcome[1 - mano]
            found[won] = found.get(won, 0.0) + chance
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def line(self, *said: str) -> Line:
        """Return the moment of decision after some words: `line("pass", "envido")`; none is the first.

        Raises `SolverError` where nobody decides after these words.
        """
        for line in self.lines:
            if line.said == said:
                return line
        raise SolverError(f"nobody decides in the envido after {' '.join(said) or 'nothing'}")

    def valued(self, worth: Worth) -> EnvidoSolution:
        """Return the same play with the worths of its lines in another unit; value and exploitability stay as they are."""
        return replace(self, lines=tuple(self.game.tell(worth).lines))

    def likelihood(self, seat: int, *said: str) -> NDArray[np.float64]:
        """Return how likely a player's own words among some said are with each of `ranges.hands_at`, 0 for hands that do not play.

        Multiplied into a range it tells of his cards what his calls tell, if he plays the equilibrium.
        """
        chance = np.ones(len(self.numbers))
        for k, word in enumerate(said):
            line = self.line(*said[:k])
            if word not in line.words:
                raise SolverError(f"{word} is not among {', '.join(line.words)}")
            if line.player == seat:
                chance *= np.nan_to_num(line.frequency[line.words.index(word)])
        hands = hands_at(self.hand)
        place = np.minimum(np.searchsorted(self.numbers, hands.envido), len(self.numbers) - 1)
        plays = np.asarray(self.numbers)[place] == hands.envido
        if self.hand.rules.flor:
            plays &= hands.flor < 0
        return np.where(plays, chance[place], 0.0)


def solve_envido(
    hand: Hand,
    *,
    calls: Collection[str] = ENVIDO_CALLS,
    weights: tuple[Weights, Weights] | None = None,
    worth: Worth = points,
    target: float = TARGET,
    seconds: float | None = None,
    iterations: int | None = None,
) -> EnvidoSolution:
    """Solve the envido of a hand of two from its public state on, until its exploitability is at most `target`.

    `calls` are the words in play; how many envidos, what a falta is worth at this score and the rest is by the rules of the hand.
    `weights` are the players' ranges over `ranges.hands_at(hand)`, by default all hands that agree with what is public; hands with a
    flor, where the rules have it, are left out, since they do not play the envido. `worth` says what an outcome is worth to team
    0 from the points both win and the team that wins the game by them; `target` is in its unit, points by default. A player passes by
    playing his first card, which here tells nothing. Raises `SolverError` where the envido is closed, or settled by words to come.

    >>> hand = Hand.deal({"base": "argentino", "max_envido": 1}, [None, None])
    >>> solution = solve_envido(hand, calls=["envido"], target=1e-3)
    >>> [" ".join(line.said) or "first" for line in solution.lines]
    ['first', 'pass', 'pass envido', 'envido']
    >>> solution.line("envido").overall["quiero"] > 0.5
    True
    """
    tree = grow_envido(hand, calls)
    numbers, chances = number_pairs(hand, weights)
    if chances.sum() <= 0:
        raise SolverError(NONE_LEFT)
    game = CallGame(tree, chances, worth)
    exploitability = game.solve(target=target, seconds=seconds, iterations=iterations)
    told = game.tell()
    return EnvidoSolution(
        hand, tuple(numbers.tolist()), game, game.value, exploitability, told.outcomes, tuple(told.lines)
    )


def number_pairs(
    hand: Hand, weights: tuple[Weights, Weights] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the envido numbers there are, and the weight of all pairs of hands without a common card that have each two of them.

    By default every pair that agrees with what is public counts one. Hands with a flor, where the rules have it, do not count.

    >>> numbers, ways = number_pairs(Hand.deal("argentino", [None, None]))
    >>> len(numbers), int(ways.sum())
    (22, 76767600)
    """
    hands = hands_at(hand)
    plays = hands.envido >= 0
    if hand.rules.flor:
        plays &= hands.flor < 0
    first, second = (possible(hand, seat) for seat in (0, 1)) if weights is None else weights
    numbers = np.unique(hands.envido[plays])
    labels = np.searchsorted(numbers, hands.envido)
    return numbers, pairs(hands, labels, len(numbers), first * plays, second * plays)


def grow_envido(hand: Hand, calls: Collection[str] = ENVIDO_CALLS) -> Node:
    """Return the tree of the calls still possible in the envido of a hand of two."""
    if hand.seats != 2 or hand.over:
        check_hand(hand)
    states, row, cards = public(hand).kernel
    state = states[0]
    if state.envido not in (ENVIDO_NONE, ENVIDO_PENDING) or state.flor != FLOR_NONE or state.trick > 0:
        raise SolverError("the envido of this hand is closed")
    score = int(state.score[0]), int(state.score[1])
    verbs = [VERB_INDEX[word] for word in ENVIDO_CALLS if word in calls]
    tree = Grower(row, cards, score, verbs).grow(states)
    if not isinstance(tree, Choice):
        raise SolverError("the envido of this hand is closed")
    return tree


class Grower:
    """Grows the calls of one envido."""

    def __init__(self, row: Any, cards: Any, score: tuple[int, int], verbs: list[int]) -> None:
        """Take the rules, the card table, the score before, and the calls in play."""
        self.row, self.cards, self.score, self.verbs = row, cards, score, verbs

    def grow(self, states: Any) -> Node:
        """Return the node of a state and all that follows."""
        s = states[0]
        family = waiting(s)
        if family == ENVIDO_CALL:
            player = 1 - int(s.envido_seat)
            quiero = "quiero", self.showdown(self.after(states, player, QUIERO))
            refuse = "no-quiero", End(self.outcome(self.after(states, player, NO_QUIERO)))
            return Choice(player, (quiero, refuse, *self.raises(states, player)))
        if family not in (NOTHING, TRUCO_CALL) or s.over or s.trick > 0:
            return End(self.outcome(states))
        player = 1 - int(s.truco_seat) if family == TRUCO_CALL else int(s.turn)
        passed: Node = End(self.outcome(states))
        if family == NOTHING:
            plain = self.plain_card(s, player)
            passed = self.grow(self.after(states, player, PLAY | plain << VERB_BITS))
        ways = self.raises(states, player)
        return Choice(player, ((PASS, passed), *ways)) if ways else passed

    def raises(self, states: Any, player: int) -> list[tuple[str, Node]]:
        """Return the calls that a player may make, each with what follows."""
        s = states[0]
        if int(s.n_envido + s.n_real + s.n_falta) >= MOST_CALLS:
            return []
        return [
            (ENVIDO_CALLS[verb - VERB_INDEX[ENVIDO_CALLS[0]]], self.grow(self.after(states, player, verb)))
            for verb in self.verbs
            if check(s, self.row, self.cards, player, verb, 0) == OK
        ]

    def after(self, states: Any, seat: int, code: int) -> Any:
        """Return the state after an event that is legal."""
        new = states.copy()
        fault = step(new, self.row, self.cards, seat, code)
        assert fault == OK, f"seat {seat}, code {code}: fault {fault}"
        return new

    def plain_card(self, s: Any, player: int) -> int:
        """Return a card that a player may lead or follow with and that is no pieza."""
        for card in range(40):
            if self.cards[PIEZA, card] == 0 and check(s, self.row, self.cards, player, PLAY, card) == OK:
                return card
        raise SolverError("no card is left to pass with")

    def outcome(self, states: Any) -> Outcome:
        """Return what has been won since the beginning."""
        s = states[0]
        return int(s.score[0]) - self.score[0], int(s.score[1]) - self.score[1], int(s.game_winner)

    def showdown(self, states: Any) -> Showdown:
        """Return what follows an envido accepted, by saying numbers for both."""
        mano = int(states[0].mano)
        lower, equal, higher = (self.declared(states, *numbers) for numbers in ((LOW, HIGH), (LOW, LOW), (HIGH, LOW)))
        return Showdown(mano, lower, equal, higher)

    def declared(self, states: Any, mano_number: int, pie_number: int) -> Outcome:
        """Return the outcome when the mano and then the pie say these numbers."""
        mano = int(states[0].mano)
        new = self.after(states, mano, DECLARE | mano_number << VERB_BITS)
        if new[0].envido == ENVIDO_DECLARING:
            new = self.after(new, 1 - mano, DECLARE | pie_number << VERB_BITS)
        return self.outcome(new)


__all__ = ["EnvidoSolution", "grow_envido", "number_pairs", "solve_envido"]
