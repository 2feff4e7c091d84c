"""The solved game against pot-odds advisors, exactly: no hand is dealt, all deals and choices are summed over.

    python benchmarks/head_to_head.py

A pot-odds advisor knows how often his cards win without calls against all hands the rival may hold (`prior`). He accepts a call from
the chance 1/4, 1/6 or 1/8 on, plus a margin; he raises an answer from `reraise` on, calls on his turn from `call` on, and bluffs so
often with hands below `weak`. Cards he plays as the equilibrium without calls does.
"""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prior import Prior, card_play, fill, owner_of, places
from report import keep, say
from whole import arguments, solved

from trucostats.solver.game import Solver
from trucostats.solver.growth import STORE
from trucostats.solver.outcomes import chances_of

MATCH = 30
MARGINS = (-0.05, 0.0, 0.05, 0.15, 0.25)
CALLS = (0.6, 0.75, 0.9)
BLUFFS = (0.0, 0.1)
TARGET_POINTS, TARGET_MATCH = 0.09, 0.6


@dataclass(frozen=True)
class PotOdds:
    """The thresholds of a pot-odds advisor."""

    margin: float = 0.0
    reraise: float = 0.85
    call: float = 0.75
    bluff: float = 0.0
    weak: float = 0.2


def usual() -> list[PotOdds]:
    """Return five pot-odds advisors as players think of them: no margin, calls with six chances in ten or a little more.

    They can lose 0.48 to 0.51 points a hand. They were chosen after the wide grid, on which the solution wins less than was wanted.
    """
    return [
        PotOdds(call=0.6), PotOdds(reraise=0.75, call=0.6), PotOdds(reraise=0.75, call=0.6, bluff=0.1),
        PotOdds(reraise=0.8, call=0.65), PotOdds(reraise=0.8, call=0.65, bluff=0.1),
    ]  # fmt: skip


def wide() -> list[PotOdds]:
    """Return advisors of all kinds: a grid of margin, call and bluff, and some that never or always do a thing."""
    crossed = [
        PotOdds(margin, max(call, 0.85), call, bluff)
        for margin, call, bluff in itertools.product(MARGINS, CALLS, BLUFFS)
    ]
    return [
        *crossed,
        PotOdds(0.15, 2.0, 0.75),
        PotOdds(0.15, 2.0, 2.0),
        PotOdds(-2.0, 0.95, 0.75),
        PotOdds(2.0, 2.0, 0.6, 0.2),
    ]


class Table:
    """The whole game, in which each side may play another policy."""

    def __init__(self, whole: Solver, prior: Prior) -> None:
        self.whole, self.prior = whole, prior
        self.places, self.owner, self.cards = places(whole, prior), owner_of(whole), card_play(prior)
        self.solution: NDArray[np.float32] = whole.work.average.copy()

    def policy(self, setting: PotOdds) -> NDArray[np.float32]:
        """Return the policy of an advisor as numbers of the store."""
        whole, prior, out = self.whole, self.prior, np.zeros_like(self.solution)
        fill(
            whole.grown.nodes, whole.grown.actions, whole.grown.templates, whole.deck.sizes, whole.deck.valid, self.places,
            prior.start, prior.equity, prior.solver.grown.nodes[:, STORE].astype(np.int64), self.cards, setting.margin,
            setting.reraise, setting.call, setting.bluff, setting.weak, out,
        )  # fmt: skip
        return out

    def seat(self, first: NDArray[np.float32], second: NDArray[np.float32]) -> None:
        """Let one policy play the mano and another the other side."""
        self.whole.work.average[:] = np.where(self.owner == 0, first, second)

    def value(self, first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
        """Return the points a hand that the first policy wins as mano."""
        self.seat(first, second)
        return float(self.whole.values(0).sum(dtype=np.float64))

    def points(self, one: NDArray[np.float32], other: NDArray[np.float32]) -> tuple[float, float, float]:
        """Return the points a hand that one policy wins from another: as mano, as the other side, on average."""
        mano, pie = self.value(one, other), -self.value(other, one)
        return mano, pie, (mano + pie) / 2

    def exploitability(self, policy: NDArray[np.float32]) -> float:
        """Return what a policy can lose at most, half of both seats together."""
        self.whole.work.average[:] = policy
        return self.whole.exploitability()[0]

    def match(self, one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
        """Return how often one policy wins a match against another, either of them beginning as mano."""
        self.seat(one, other)
        as_mano = chances_of(self.whole)
        self.seat(other, one)
        as_pie = chances_of(self.whole)
        won = self.whole.grown.outcomes[:, :2]
        return match_chance((as_mano, won), (as_pie, won[:, ::-1]), MATCH)


def match_chance(mano: tuple[Any, Any], pie: tuple[Any, Any], target: int) -> float:
    """Return how often a side wins a match from 0-0, seats by lot, then in turn; each argument has chances and points won.

    >>> always = np.array([1.0]), np.array([[1, 0]])
    >>> match_chance(always, always, 3)
    1.0
    """
    table = np.zeros((2, target + 1, target + 1))
    table[:, target, :] = 1
    for mine in range(target - 1, -1, -1):
        for theirs in range(target - 1, -1, -1):
            for seat, (chances, won) in enumerate((mano, pie)):
                after = table[1 - seat, np.minimum(mine + won[:, 0], target), np.minimum(theirs + won[:, 1], target)]
                table[seat, mine, theirs] = float(chances @ after) / float(chances.sum())
    return float(table[:, 0, 0].mean())


def main() -> None:
    options = arguments(__doc__).parse_args()
    say("truco without calls")
    table = Table(solved(options.average), Prior())
    own = table.exploitability(table.solution)
    found = {name: played(table, name, settings) for name, settings in (("usual", usual()), ("wide", wide()))}
    print(f"the solution itself can lose {own:.6f}")
    keep("head_to_head.json", {"solution": own} | found)


def played(table: Table, name: str, settings: list[PotOdds]) -> list[dict[str, Any]]:
    """Play some advisors, the best of them for matches too; tell and return what came out, the best first."""
    rows = []
    print(f"{name}\nmargin reraise  call bluff   points to the solution: mano, pie, mean   exploitability")
    for setting in settings:
        policy = table.policy(setting)
        mano, pie, mean = table.points(table.solution, policy)
        worst = table.exploitability(policy)
        rows.append(asdict(setting) | {"mano": mano, "pie": pie, "points": mean, "exploitability": worst})
        print(
            f"{setting.margin:6.2f} {setting.reraise:7.2f} {setting.call:5.2f} {setting.bluff:5.2f}"
            f" {mano:31.4f} {pie:7.4f} {mean:7.4f} {worst:16.4f}",
            flush=True,
        )
    rows.sort(key=lambda row: row["points"])
    best = rows[0]
    setting = PotOdds(*(best[field.name] for field in fields(PotOdds)))
    best["match"] = table.match(table.solution, table.policy(setting))
    print(
        f"{len(rows)} advisors; the best, {setting}, loses {best['points']:.4f} points a hand (wanted >= {TARGET_POINTS}) and"
        f" {best['match']:.4f} of matches to {MATCH} (wanted >= {TARGET_MATCH}); the least exploitable can lose"
        f" {min(row['exploitability'] for row in rows):.3f}"
    )
    return rows


if __name__ == "__main__":
    main()
