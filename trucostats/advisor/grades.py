"""How a decision is graded: the thresholds of the marks, the rates of a player, PR and accuracy. Frozen under one name.

A loss is what the best option is worth more than what was done, as the player saw it. It is normalised by the match: the loss in chances
to win the match over what a point is worth at 0-0, so that it reads as points at the start of a match. Numbers are comparable only under the same
`METRIC`; whoever changes a threshold or a formula gives it a new name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import Final, Literal

Kind = Literal["envido", "answer", "raise", "card"]
Mark = Literal["doubtful", "bad", "very bad"]

METRIC: Final = "truco-pr@1"
KINDS: Final[tuple[Kind, ...]] = ("envido", "answer", "raise", "card")
# From these losses on, in points at 0-0.
THRESHOLDS: Final[tuple[tuple[Mark, float], ...]] = (("very bad", 0.40), ("bad", 0.15), ("doubtful", 0.05))
PR_SCALE: Final = 500.0  # backgammon's: 500 times the mean error
ACCURACY_SCALE: Final = 5.0
MILLI: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Rate:
    """Millipoints lost per decision over `n` decisions, with the standard error of the mean; None without (enough) decisions."""

    n: int
    mean: float | None
    se: float | None

    @classmethod
    def of(cls, losses: Sequence[float]) -> Rate:
        """Return the rate of some losses in points.

        >>> Rate.of([0.0, 0.5])
        Rate(n=2, mean=250.0, se=250.0)
        """
        n = len(losses)
        if not n:
            return cls(0, None, None)
        mean = sum(losses) / n
        if n == 1:
            return cls(1, MILLI * mean, None)
        spread = sqrt(sum((loss - mean) ** 2 for loss in losses) / (n - 1))
        return cls(n, MILLI * mean, MILLI * spread / sqrt(n))


def mark_of(loss: float | None) -> Mark | None:
    """Return the mark of a normalised loss in points at 0-0, None for a decision that is fine or not evaluated.

    >>> [mark_of(loss) for loss in (0.04, 0.05, 0.2, 0.4)]
    [None, 'doubtful', 'bad', 'very bad']
    """
    return None if loss is None else next((mark for mark, least in THRESHOLDS if loss >= least), None)


def pr(losses: Iterable[float]) -> float | None:
    """Return the performance rating, 500 times the mean normalised loss: 0 is flawless, less is better; None without decisions.

    >>> pr([0.0, 0.02])
    5.0
    """
    found = list(losses)
    return PR_SCALE * sum(found) / len(found) if found else None


def accuracy(losses: Iterable[float]) -> float | None:
    """Return the accuracy in percent, 100 exp(-5 x mean normalised loss): a convention, not fitted to anybody's play.

    >>> round(accuracy([0.0, 0.1]), 1)
    77.9
    """
    found = list(losses)
    return 100 * exp(-ACCURACY_SCALE * sum(found) / len(found)) if found else None


__all__ = ["KINDS", "METRIC", "THRESHOLDS", "Kind", "Mark", "Rate", "accuracy", "mark_of", "pr"]
