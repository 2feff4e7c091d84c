"""How much the envido number tells of the truco, by exact enumeration of all hands and of all pairs of them (argentino).

    python benchmarks/envido_coupling.py

Strength is the share of rival hands that a hand beats with open cards and best play, mano and pie averaged, without calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trucostats.hand import Hand
from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.rules import rules_of
from trucostats.solver.envido import number_pairs, solve_envido
from trucostats.solver.ranges import Hands, hands_at, joint, pairs, possible, summary, types_by_number
from trucostats.solver.solve import solve
from trucostats.strength import mano_wins, strength_index, strength_table

RULES = "argentino"
NUMBERS = (*range(8), *range(20, 34))
LED = ("0 3c", "1 2e", "0 4e", "1 5c")  # a spot: the mano has won the first trick and leads


def entropy(weights: NDArray[np.float64]) -> float:
    """Return the entropy in bits of weights of any sum."""
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log2(shares)).sum())


def mutual(table: NDArray[np.float64]) -> float:
    """Return the mutual information in bits of the two sides of a table of weights."""
    return entropy(table.sum(axis=0)) + entropy(table.sum(axis=1)) - entropy(table.ravel())


def strengths(hands: Hands) -> NDArray[np.float64]:
    """Return the strength of every hand."""
    cards = card_tables(rules_of(RULES))[NO_TURNED]
    found: NDArray[np.float64] = strength_table(cards)[strength_index(cards[STRENGTH][hands.cards])].astype(np.float64)
    return found


def mano_table(hands: Hands) -> NDArray[np.bool_]:
    """Return whether the mano with each type of ranks beats each of the pie with open cards: (types, types)."""
    types = [np.array(ranks[::-1], np.int64) for ranks in hands.deck.multisets[3]]
    return np.array([[mano_wins(mine, theirs) for theirs in types] for mine in types])


def both_phases(hands: Hands) -> dict[str, float]:
    """Return the chances over all deals that the mano wins the envido by numbers, the tricks with open cards, and both."""
    labels, place = np.unique(hands.types * 64 + hands.envido, return_inverse=True)
    every = np.ones(len(hands))
    deals = pairs(hands, place, len(labels), every, every)
    kind, number = labels // 64, labels % 64
    envido = number[:, None] >= number[None, :]
    tricks = mano_table(hands)[np.ix_(kind, kind)]
    total = deals.sum()
    return {
        "types of ranks and number": float(len(labels)),
        "deals": float(total),
        "envido": float((deals * envido).sum() / total),
        "tricks": float((deals * tricks).sum() / total),
        "both": float((deals * (envido & tricks)).sum() / total),
    }


def by_number(hands: Hands) -> list[tuple[int, float, float, float, float]]:
    """Return for each number: its share, the mean strength, the chance of a mata, and the bits left of the type of ranks."""
    strength, rows = strengths(hands), []
    for number in NUMBERS:
        which = hands.envido == number
        told = summary(hands, which)
        rows.append((number, which.mean(), float(strength[which].mean()), told.shares["a mata"], told.entropy))
    return rows


def spot(numbers: tuple[int, int] | None) -> float:
    """Return what the spot of `LED` is worth to the mano, with the numbers that both have said, if any."""
    hand = Hand.deal(RULES, [None, None])
    if numbers is not None:
        hand = hand.play("0 envido", "1 quiero", f"0 {numbers[0]}", f"1 {numbers[1]}")
    hand = hand.play(*LED)
    return solve(hand, weights=joint(hand), target=0.0005).values[0]


def after_words(hands: Hands) -> list[tuple[str, float, float, float]]:
    """Return what the equilibrium's words tell of a speaker's truco: the words, bits of the type, mean strength, chance of a mata."""
    hand = Hand.deal(RULES, [None, None])
    solution, strength = solve_envido(hand, target=2e-4), strengths(hands)
    rows = []
    for seat, said in (
        (0, ("envido",)), (0, ("real-envido",)), (0, ("pass",)), (1, ("envido", "quiero")), (1, ("envido", "no-quiero")),
        (1, ("pass", "envido")), (1, ("pass", "pass")),
    ):  # fmt: skip
        weights = possible(hand, seat) * solution.likelihood(seat, *said)
        told = summary(hands, weights)
        mean = float((strength * weights).sum() / weights.sum())
        rows.append((" ".join(said), told.entropy, mean, told.shares["a mata"]))
    return rows


def at_scores() -> list[tuple[str, float, float, dict[str, float]]]:
    """Return for some scores what the envido is worth to the mano, how exact that is, and how often he opens with what."""
    rows = []
    for score in ((0, 0), (15, 15), (25, 20), (28, 28), (29, 29)):
        solution = solve_envido(Hand.deal(RULES, [None, None], score=score), target=5e-5)
        rows.append((f"{score[0]}-{score[1]}", solution.mano_value, solution.exploitability, solution.line().overall))
    return rows


def milliseconds(call: Callable[[], object], times: int) -> float:
    """Return how long a call takes on average."""
    call()
    begun = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - begun) / times * 1000


def main() -> None:
    """Print everything."""
    hand = Hand.deal(RULES, [None, None])
    hands = hands_at(hand)
    every = np.ones(len(hands))
    table = types_by_number(hands, every)
    print(f"bits: type of ranks {entropy(table.sum(axis=1)):.3f}, number {entropy(table.sum(axis=0)):.3f}", end="")
    print(f", in common {mutual(table):.3f}")
    numbers, ways = number_pairs(hand)
    print(f"bits that one's own number tells of the rival's: {mutual(ways):.4f} ({len(numbers)} numbers)")
    strength = strengths(hands)
    print(f"correlation of number and strength: {np.corrcoef(hands.envido, strength)[0, 1]:.3f}")
    means = np.array([strength[hands.envido == number].mean() for number in hands.envido])
    print(f"share of the variance of strength that the number explains: {means.var() / strength.var():.3f}")
    chances = both_phases(hands)
    print(", ".join(f"{name} {value:,.4f}".removesuffix(".0000") for name, value in chances.items()))
    print(f"tricks if the envido is won {chances['both'] / chances['envido']:.4f}", end="")
    print(f", if lost {(chances['tricks'] - chances['both']) / (1 - chances['envido']):.4f}")
    print("number  share  strength  a mata  bits of the type")
    for row in by_number(hands):
        print("{:6d} {:6.4f} {:9.3f} {:7.3f} {:17.2f}".format(*row))
    print("what has been said in the envido's equilibrium: bits, strength, a mata of who spoke last")
    for row in after_words(hands):
        print("{:20} {:6.3f} {:6.3f} {:6.3f}".format(*row))
    print(f"worth of {' '.join(LED)} to the mano: {spot(None):.3f}", end="")
    print("".join(f", with {a} and {b} {spot((a, b)):.3f}" for a, b in ((24, 5), (7, 28), (27, 27), (31, 5))))
    print("score, worth of the envido to the mano in points, exploitability, how he opens")
    for name, worth, exploitability, opening in at_scores():
        print(
            f"{name:6} {worth:8.4f} {exploitability:9.6f} ", " ".join(f"{word} {x:.3f}" for word, x in opening.items())
        )
    later = hand.play("0 envido", "1 quiero", "0 20", "1 27", "0 7c", "1 12e")
    print(f"ms: possible {milliseconds(lambda: possible(later, 1, ['1e', '7c', '4b']), 200):.3f}", end="")
    print(f", joint of all {milliseconds(lambda: joint(hand, every, every), 5):.0f}", end="")
    print(f", joint of two cards and a number known {milliseconds(lambda: joint(later), 20):.1f}")


if __name__ == "__main__":
    main()
