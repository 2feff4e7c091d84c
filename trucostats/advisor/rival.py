"""A rival as he plays: how often he gives way to a call, by what is on record, and what that makes a call worth.

The rate is shrunk to the pool: everybody's decisions count as `STRENGTH` of his own. The rival's strategy at the answer to each call that the
hero may make now is then moved, hand by hand in the order of the equilibrium, until he folds that often in all; whatever else he does stays the
equilibrium's. The hero answers with the best response. Only the answers to the call of this moment are locked, not what the rival calls or plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.advisor.intervals import Z
from trucostats.advisor.losses import Decision, mirrored
from trucostats.advisor.position import Position, position_from
from trucostats.errors import PositionError
from trucostats.kernel.state import NO_QUIERO, QUIERO, RAISE
from trucostats.queries import sql
from trucostats.solver.blueprint import blueprint_of, shape
from trucostats.solver.growth import BETS, CHILD, CODE, FIRST, LEFT_0
from trucostats.solver.live import holding, names_of, ranges_of
from trucostats.solver.solve import Solution, points, solve
from trucostats.solver.walk import EVALUATE, RESPOND
from trucostats.vocab import VERBS

STRENGTH: Final = 20.0  # decisions of the pool that count as the rival's own
TARGET: Final = 0.002
EDGE: Final = 1e-3  # of a choice the equilibrium never makes, so that it can be moved
STEPS: Final = 60
_QUERY: Final = """
SELECT word, tally(answerer = $player AND answer IN ('no-quiero', 'mazo')) AS x, tally(answerer = $player) AS n,
    tally(answer IN ('no-quiero', 'mazo')) AS pool_x, count(*) AS pool_n
FROM calls JOIN hands USING (hand_id)
WHERE calls.family = 'truco' AND answer IN ('quiero', 'no-quiero', 'raise', 'mazo', 'played') AND hands.seats = 2 AND base_rules = $rules
GROUP BY ALL ORDER BY word
"""


@dataclass(frozen=True, slots=True)
class FoldRate:
    """How often a rival folds to a call: `x` of `n` on record, `pool` everybody's share, the shrunk `rate` and its 95 % interval."""

    word: str
    x: int
    n: int
    pool: float
    pool_n: int
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, word: str, x: int, n: int, pool_x: int, pool_n: int) -> FoldRate:
        """Return the rate with the pool as a beta prior of `STRENGTH` decisions.

        >>> rate = FoldRate.of("truco", 10, 10, 50, 100)
        >>> round(rate.rate, 3), rate.low < rate.rate < rate.high
        (0.667, True)
        """
        pool = (pool_x + 1) / (pool_n + 2)
        weight = n + STRENGTH
        rate = (x + STRENGTH * pool) / weight
        wide = Z * sqrt(rate * (1 - rate) / (weight + 1))
        return cls(word, x, n, pool, pool_n, rate, max(rate - wide, 0.0), min(rate + wide, 1.0))


@dataclass(frozen=True, slots=True)
class Exploit:
    """One option of the hero: what it is worth against the equilibrium and against the rival as he plays, in points.

    For a call, `fold_equilibrium` is how often the equilibrium folds to it, `fold` the rival's rate; `low` and `high` are the worth at
    the ends of the interval of that rate.
    """

    action: str
    equilibrium: float
    against: float
    low: float
    high: float
    fold_equilibrium: float | None
    fold: FoldRate | None


@dataclass(frozen=True, slots=True)
class Counter:
    """The counter to a rival at a decision.

    `gain` is what the best option against him wins more than the equilibrium's best one, against him; `risk` what it loses if he plays the
    equilibrium after all; `exploitability` what a perfect rival wins, in points a hand, off somebody who makes the counter with every hand of his range here and
    plays the equilibrium from there on, over what he wins off the solution.
    """

    player: str
    options: tuple[Exploit, ...]
    best: str
    best_equilibrium: str
    gain: float
    risk: float
    exploitability: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def fold_rates(tables_dir: Path | str, player: str, rules: str) -> dict[str, FoldRate]:
    """Return how often a player folds to each call of the truco in hands of two by a base rule set.

    Raises `PositionError` for a player who answered none.
    """
    rows = sql(_QUERY, tables_dir, params={"player": player, "rules": rules}).rows()
    found = {row["word"]: FoldRate.of(**row) for row in rows}
    if not any(rate.n for rate in found.values()):
        raise PositionError(
            f"{player!r} answers no truco between two by the rules {rules} in {str(tables_dir)!r}; check the name and the tables"
        )
    return found


def counter(
    position: Position,
    player: str,
    rates: dict[str, FoldRate],
    *,
    target: float = TARGET,
    iterations: int | None = None,
) -> Counter:
    """Return the counter to a rival who folds so often to the calls that the hero may make now.

    Raises `PositionError` where the hero may not call, and `SolverError` where the solver cannot go.
    """
    view, hero = position.hero_view(), position.hero
    if view.seats == 2 and view.mano == 1:
        view, hero = mirrored(view.record), 1 - hero
    ranges = ranges_of(view, hero, blueprint_of(view.rules, view.turned))
    found = solve(view, weights=ranges.weights, worth=points, target=target, iterations=iterations)
    if found.player != hero:
        raise PositionError(f"it is {view.players[found.player]} who decides here; ask about his rival's decision")
    h = holding(view, hero, found.deck)
    named = names_of(view, hero, found.deck, found.solver.grown, 0)
    lock = _Lock(found, hero, rates)
    if not lock.calls:
        raise PositionError(f"{position.source}: there is no call to make here whose answers are on record")
    plain = lock.values("equilibrium", EVALUATE)
    ways = {name: lock.values(name, RESPOND) for name in ("rate", "low", "high")}
    options = []
    for row, words in named:
        at = {name: float(values[row, h]) for name, values in ways.items()}
        rate = lock.calls.get(row)
        low, high = sorted((at["low"], at["high"]))
        for word in words:
            options.append(
                Exploit(
                    word, float(plain[row, h]), at["rate"], low, high, None if rate is None else lock.folds[row], rate
                )
            )
    best = max(options, key=lambda option: option.against)
    sound = max(options, key=lambda option: option.equilibrium)
    return Counter(
        player, tuple(options), best.action, sound.action, best.against - sound.against, sound.equilibrium - best.equilibrium,
        lock.exploitability(ways["rate"]),
    )  # fmt: skip


def counters(
    decisions: Iterable[Decision], player: str, tables_dir: Path | str, *, target: float = TARGET
) -> Iterator[tuple[Decision, Counter]]:
    """Yield the decisions of a review in which a rival could be called, each with the counter to him.

    Those before the first card are passed over: each would take a minute. The decisions are read again from their places, so the log has to be
    a file. Raises `PositionError` for a rival who answers no truco in the tables.
    """
    rates: dict[str, dict[str, FoldRate]] = {}
    for decision in decisions:
        if decision.kind != "raise" or not decision.evaluated:
            continue
        position = position_from(decision.place)
        hand = position.hand
        if hand.players[1 - position.hero] != player or not (hand.table or hand.results):
            continue
        rules = hand.rules.name
        if rules not in rates:
            rates[rules] = fold_rates(tables_dir, player, rules)
        yield decision, counter(position, player, rates[rules], target=target)


class _Lock:
    """A solution in which the rival's answers to the hero's calls can be moved."""

    def __init__(self, found: Solution, hero: int, rates: dict[str, FoldRate]) -> None:
        self.solver, self.hero, self.deck = found.solver, hero, found.deck
        self.mass = np.where(found.mass > 0, found.mass, np.nan)
        grown = self.solver.grown
        self.root = grown.nodes[0]
        self.calls: dict[int, FoldRate] = {}
        self.folds: dict[int, float] = {}
        self.kept = self.solver.work.average.copy()
        self.solver.values(hero, EVALUATE)
        self.sigma = self.solver.work.sigma[0].copy()
        for k in range(int(self.root[BETS])):
            child, _, code = (int(x) for x in grown.actions[int(self.root[FIRST]) + k])
            word = VERBS[code] if 0 <= code < len(VERBS) else ""
            if code >= RAISE and word in rates and self._answers(child) is not None:
                self.calls[k] = rates[word]
                self.folds[k] = float(self._weight(k) @ self._mix(child)[self._answers(child)])

    def _answers(self, node: int) -> int | None:
        """Return the row of the refusal at a node where a call is answered."""
        here = self.solver.grown.nodes[node]
        first, bets = int(here[FIRST]), int(here[BETS])
        codes = [int(code) for code in self.solver.grown.actions[first : first + bets, CODE]]
        return codes.index(NO_QUIERO) if NO_QUIERO in codes and QUIERO in codes else None

    def _mix(self, node: int) -> NDArray[np.float64]:
        rows, size, start = shape(self.solver.grown, self.deck, node)
        average = self.kept[start : start + rows * size].reshape(rows, size).astype(np.float64)
        total = average.sum(axis=0)
        return np.where(total > 0, average / np.where(total > 0, total, 1), 1 / rows)

    def _weight(self, k: int) -> NDArray[np.float64]:
        """Return how likely each of the rival's hands is where the hero makes a call, as the equilibrium calls."""
        joint = self.solver.joint if self.hero == 0 else self.solver.joint.T
        often = self.sigma[k, : joint.shape[0]].astype(np.float64)
        weight: NDArray[np.float64] = often @ joint
        if weight.sum() <= 0:
            weight = joint.sum(axis=0, dtype=np.float64)
        share: NDArray[np.float64] = weight / weight.sum()
        return share

    def values(self, which: str, mode: int) -> NDArray[np.float64]:
        """Return what each action is worth by the hero's hand, the rival folding as in `which`: equilibrium, or rate, low, high."""
        try:
            if which != "equilibrium":
                for k, rate in self.calls.items():
                    self._move(k, float(getattr(rate, which)))
            self.solver.values(self.hero, mode)
            found: NDArray[np.float64] = self.solver.work.action_value[0].astype(np.float64)[:, : len(self.mass)]
            each: NDArray[np.float64] = found / self.mass
            return each
        finally:
            self.solver.work.average[:] = self.kept

    def _move(self, k: int, wanted: float) -> None:
        """Move the rival's refusals of a call until they are `wanted` of all, hands keeping their order."""
        node = int(self.solver.grown.actions[int(self.root[FIRST]) + k, CHILD])
        refusal, mix, weight = self._answers(node), self._mix(node), self._weight(k)
        assert refusal is not None
        moved = moved_folds(mix[refusal], weight, wanted)
        left = np.where(mix[refusal] < 1, (1 - moved) / np.maximum(1 - mix[refusal], EDGE * EDGE), 0.0)
        new = mix * left
        # Who never did anything but refuse accepts plainly.
        plain = next(row for row in range(len(mix)) if row != refusal)
        new[plain] += np.maximum(1 - moved - np.delete(new, refusal, axis=0).sum(axis=0), 0.0)
        new[refusal] = moved
        _, _, start = shape(self.solver.grown, self.deck, node)
        self.solver.work.average[start : start + new.size] = new.ravel().astype(np.float32)

    def exploitability(self, against: NDArray[np.float64]) -> float:
        """Return what a perfect rival wins more off the counter than off the solution."""
        rows, size, start = shape(self.solver.grown, self.deck, 0)
        before = float(self.solver.values(1 - self.hero, RESPOND).sum(dtype=np.float64))
        worth = np.where(np.isnan(against[:rows, :size]), -np.inf, against[:rows, :size])
        # Card rows that a hand does not have are worth 0 in the walk, and are never played.
        worth = np.where(self.sigma[:rows, :size] + self._legal(rows, size) > 0, worth, -np.inf)
        pure = np.zeros((rows, size), np.float32)
        pure[worth.argmax(axis=0), np.arange(size)] = 1
        try:
            self.solver.work.average[start : start + rows * size] = pure.ravel()
            after = float(self.solver.values(1 - self.hero, RESPOND).sum(dtype=np.float64))
        finally:
            self.solver.work.average[:] = self.kept
        return max(after - before, 0.0)

    def _legal(self, rows: int, size: int) -> NDArray[np.float64]:
        """Return 1 for calls, and for the card rows each hand has: as many as it has ranks."""
        legal = np.ones((rows, size))
        bets, left = int(self.root[BETS]), int(self.root[LEFT_0 + self.hero])
        if rows > bets:
            slots = self.deck.slot[left, :, :size]
            for slot in range(rows - bets):
                legal[bets + slot] = (slots == slot).any(axis=0)
        return legal


def moved_folds(folds: NDArray[np.float64], weight: NDArray[np.float64], wanted: float) -> NDArray[np.float64]:
    """Return refusals by hand whose weighted mean is `wanted`: the odds of every hand are multiplied by one number.

    >>> [round(float(share), 2) for share in moved_folds(np.array([0.2, 0.8]), np.array([0.5, 0.5]), 0.5)]
    [0.2, 0.8]
    >>> moved = moved_folds(np.array([0.2, 0.8]), np.array([0.5, 0.5]), 0.8)
    >>> round(float(moved.mean()), 3), bool(moved[0] < moved[1])
    (0.8, True)
    """
    odds = np.clip(folds, EDGE, 1 - EDGE)
    odds = odds / (1 - odds)
    low, high = -30.0, 30.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        share = 1 / (1 + np.exp(-(np.log(odds) + middle)))
        low, high = (middle, high) if float(weight @ share) < wanted else (low, middle)
    return 1 / (1 + np.exp(-(np.log(odds) + (low + high) / 2)))


__all__ = ["Counter", "Exploit", "FoldRate", "counter", "counters", "fold_rates", "moved_folds"]
