"""Match equity: the chance of winning the match at every score, and what follows from it for a call.

Points are only worth what they do for the match, so near the end a hand is played for the match. `match_equity` goes backwards over
the scores: a hand ends in one of its outcomes, the score has grown, the other side is mano. That supposes hands that are played alike
at every score, which is why an accepted falta envido, whose points depend on the score, is at best an average. Where both sides
score in a hand and both reach the target, the envido, scored before the truco, has won the game.

The method is that of backgammon's match equity tables: G. Zadeh and G. Kobliska, On optimal doubling in backgammon, 1977.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.rules import Rules
from trucostats.solver.outcomes import Outcome, Outcomes, chances_of, combine, equilibrium, outcomes_of, write_outcomes
from trucostats.solver.solve import Worth

if TYPE_CHECKING:
    import pyarrow as pa

EVEN: Final = 0.5
# A share of the target. From there on people play for the match, and the game's end cuts hands short.
LATE: Final = 0.8
RESAMPLED: Final = 40
MANO, PIE = 0, 1
COLUMNS: Final = {
    "score_0": "points of side 0",
    "score_1": "points of side 1",
    "chance_mano": "chance that side 0 wins the match if it is mano in the next hand",
    "chance_pie": "chance that side 0 wins the match if side 1 is mano in the next hand",
    "point_mano": "what a point is worth to side 0 if it is mano in the next hand: half of what one won differs from one lost",
    "point_pie": "what a point is worth to side 0 if side 1 is mano in the next hand",
}


@dataclass(frozen=True, slots=True)
class TakePoint:
    """What accepting a call needs: the call, what the hand is worth accepted and refused, and the least chance of winning it.

    `linear` is that chance if points are only points, `chance` that at the score, None if it is not known or ends the match.
    """

    word: str
    accepted: int
    refused: int
    linear: float
    chance: float | None


@dataclass(frozen=True, eq=False)
class MatchEquity:
    """The chance of team 0 to win the match at every score.

    `table[m, a, b]` is that chance at a to b where team m is mano in the next hand; `target` wins the match.
    """

    outcomes: Outcomes
    target: int
    table: NDArray[np.float64]

    def chance(self, score0: int, score1: int, mano: int = MANO) -> float:
        """Return the chance of team 0 to win the match at a score, `mano` being the team that is mano in the next hand.

        A side at or over the target has won. Raises `SolverError` for a score below zero, or with both at the target.
        """
        if min(score0, score1) < 0 or min(score0, score1) >= self.target:
            raise SolverError(f"{score0}-{score1} is no score of a match to {self.target}")
        if mano not in (0, 1):
            raise SolverError(f"the mano of the next hand is of team 0 or 1, not {mano}")
        return float(self.table[mano, min(score0, self.target), min(score1, self.target)])

    def interval(self, score0: int, score1: int, mano: int = MANO) -> tuple[float | None, float | None]:
        """Return the 95 % interval of a chance whose outcomes were counted, (None, None) where they were computed.

        It holds for hands that are independent of each other, and says nothing of what the model leaves out.
        """
        chance = self.chance(score0, score1, mano)
        if self.outcomes.hands is None:
            return None, None
        wide = 1.96 * float(self._resampled[:, mano, min(score0, self.target), min(score1, self.target)].std(ddof=1))
        return max(chance - wide, 0.0), min(chance + wide, 1.0)

    @cached_property
    def _resampled(self) -> NDArray[np.float64]:
        hands, rows = int(self.outcomes.hands or 0), self.outcomes.rows
        drawn = np.random.default_rng(0).multinomial(hands, [row.chance for row in rows], size=RESAMPLED) / hands
        samples = (
            replace(
                self.outcomes, rows=tuple(replace(row, chance=float(x)) for row, x in zip(rows, chances, strict=True))
            )
            for chances in drawn
        )
        return np.stack([match_equity(sample, self.target).table for sample in samples])

    def point_value(self, score0: int, score1: int, mano: int = MANO) -> float:
        """Return what a point is worth at a score: half the difference between team 0 having it and team 1 having it."""
        self._going_on(score0, score1)
        return (self.chance(score0 + 1, score1, mano) - self.chance(score0, score1 + 1, mano)) / 2

    def take_point(self, score0: int, score1: int, accepted: int, refused: int, mano: int = MANO) -> float:
        """Return the least chance of winning the accepted points with which team 0 should accept a call of team 1.

        It is (refuse - lose) / (win - lose), in chances to win the match after refusing, after accepting and losing, and after
        accepting and winning; one over what refusing leaves nothing of is 0: then there is nothing to lose. `mano` is the team
        that is mano in the next hand.
        """
        self._going_on(score0, score1)
        lose = self.chance(score0, score1 + accepted, mano)
        win = self.chance(score0 + accepted, score1, mano)
        refuse = self.chance(score0, score1 + refused, mano)
        return (refuse - lose) / (win - lose) if win > lose else 0.0

    def take_points(self, score0: int, score1: int, mano: int = MANO) -> list[TakePoint]:
        """Return what accepting each call of the rule set's ladder needs at a score, team 0 being asked.

        The score is that at the time of the call. Further raises are left out: who accepts may still raise.

        >>> from trucostats.rules import rules_of
        >>> even = Outcomes.of([Outcome(0.5, 1, 0), Outcome(0.5, 0, 1)], rules=rules_of("argentino"), status="coins")
        >>> [(step.word, step.linear, step.chance) for step in match_equity(even).take_points(28, 28)][0]
        ('truco', 0.25, 0.25)
        """
        found, refused = [], int(self.outcomes.rules.hand_value)
        for word, accepted in self.outcomes.rules.ladder:
            linear = (accepted - refused) / (2 * accepted)
            chance = self.take_point(score0, score1, accepted, refused, mano)
            found.append(TakePoint(word, accepted, refused, linear, chance))
            refused = accepted
        return found

    def worth(self, hand: Hand) -> Worth:
        """Return what the outcomes of a hand under way are worth to team 0: its chance to win the match less one half.

        It is the `worth` of `solver.solve.solve`, for a hand at its score now, an accepted envido given to who has won it; the
        other side is mano next. Raises `SolverError` for a hand to another target, or whose score nobody knows.
        """
        if hand.rules.target != self.target:
            raise SolverError(f"the hand is played to {hand.rules.target}, the match equity is for {self.target}")
        score = hand.settled().score
        if score is None:
            raise SolverError("nobody knows the score of this hand: points were won whose owner is unknown")
        score0, score1 = score
        following = 1 - hand.mano % 2

        def worth(won0: int, won1: int, game: int | None) -> float:
            if game is not None:
                return EVEN if game == 0 else -EVEN
            return self.chance(score0 + won0, score1 + won1, following) - EVEN

        return worth

    def rows(self) -> Iterator[dict[str, float]]:
        """Return a row for every score, with the columns of `COLUMNS`."""
        for score0 in range(self.target):
            for score1 in range(self.target):
                values = (
                    score0, score1, self.chance(score0, score1, MANO), self.chance(score0, score1, PIE),
                    self.point_value(score0, score1, MANO), self.point_value(score0, score1, PIE),
                )  # fmt: skip
                yield dict(zip(COLUMNS, values, strict=True))

    def arrow(self) -> pa.Table:
        """Return `rows` as an Arrow table that explains its columns and says which outcomes it rests on."""
        import pyarrow as pa  # noqa: PLC0415  (solving needs none)

        fields: list[Any] = [
            pa.field(name, pa.int16() if name.startswith("score") else pa.float64(), False, {"comment": meaning})
            for name, meaning in COLUMNS.items()
        ]
        about = {
            "table": "match_equity", "grain": "one row per score", "rules": str(self.outcomes.rules), "target": str(self.target),
            "outcomes": self.outcomes.status,
        }  # fmt: skip
        return pa.Table.from_pylist(list(self.rows()), schema=pa.schema(fields, about))

    def _going_on(self, score0: int, score1: int) -> None:
        if not (0 <= score0 < self.target and 0 <= score1 < self.target):
            raise SolverError(
                f"{score0}-{score1} is no score of a match to {self.target} that goes on; each side has 0 to {self.target - 1}"
            )


def is_late(score: tuple[int, int] | None, target: int) -> bool:
    """Say whether a match is so near its end that players play for it rather than for points: one side has four fifths of the target.

    >>> is_late((24, 3), 30), is_late((23, 23), 30), is_late(None, 30)
    (True, False, False)
    """
    return score is not None and max(score) >= LATE * target


@lru_cache(maxsize=16)
def equity_of(rules: Rules) -> MatchEquity | None:
    """Return the match equity of equilibrium play by some rules, None where nobody has computed how their hands end."""
    try:
        return match_equity(equilibrium(rules), rules.target)
    except SolverError:
        return None


def match_equity(outcomes: Outcomes, target: int | None = None) -> MatchEquity:
    """Return the chance to win the match at every score, if every hand ends as `outcomes` say; to the rule set's target if left out.

    Exact: points only grow, so each score follows from those above it; a hand that gives nobody points is dealt again with the
    other side mano, which joins two unknowns. Raises `SolverError` for a target below 1 and for hands that never give points.

    >>> from trucostats.rules import rules_of
    >>> rules = rules_of("argentino")
    >>> mano = Outcomes.of([Outcome(0.6, 1, 0), Outcome(0.4, 0, 1)], rules=rules, status="made up")
    >>> equity = match_equity(mano, target=2)
    >>> round(equity.chance(1, 1), 3), round(equity.chance(0, 1), 3), round(equity.chance(0, 0), 3)
    (0.6, 0.24, 0.552)
    """
    goal = int(outcomes.rules.target) if target is None else target
    if goal < 1:
        raise SolverError(f"a match is played to 1 point or more, not to {goal}")
    void = outcomes.void
    if void >= 1:
        raise SolverError("no hand gives anybody points, so no match ends")
    scoring = [row for row in outcomes.rows if row.mano or row.pie]
    chances = np.array([row.chance for row in scoring])
    won = np.array([(row.mano, row.pie) for row in scoring])
    first = np.array([row.first == "mano" for row in scoring])
    table = np.zeros((2, goal + 1, goal + 1))
    table[:, goal, :] = 1.0
    table[:, goal, goal] = np.nan  # both over the target: never looked at as a score
    for score0 in range(goal - 1, -1, -1):
        for score1 in range(goal - 1, -1, -1):
            hand = [0.0, 0.0]
            for mano in (MANO, PIE):
                after0 = np.minimum(score0 + won[:, mano], goal)
                after1 = np.minimum(score1 + won[:, 1 - mano], goal)
                both = (after0 == goal) & (after1 == goal)
                hand[mano] = float(chances @ np.where(both, first == (mano == MANO), table[1 - mano, after0, after1]))
            for mano in (MANO, PIE):
                table[mano, score0, score1] = (hand[mano] + void * hand[1 - mano]) / (1 - void * void)
    table.setflags(write=False)
    return MatchEquity(outcomes, goal, table)


__all__ = [
    "COLUMNS",
    "LATE",
    "MatchEquity",
    "Outcome",
    "Outcomes",
    "TakePoint",
    "chances_of",
    "combine",
    "equilibrium",
    "is_late",
    "match_equity",
    "outcomes_of",
    "write_outcomes",
]
