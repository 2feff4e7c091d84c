"""What follows a hand and a game: the format of the next hand of six players, and who has won a match of several games.

Source: rules reference A.2.9 (pica-pica), A.4.1 (queda), A.7.1 item 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from trucostats.kernel.jit import jit
from trucostats.rules import Rules
from trucostats.rules.options import OPTIONS
from trucostats.vocab import FORMATS

Format = Literal["redonda", "pica-pica"]
Series = Literal["best_of_3", "queda"]

SERIES: Final[tuple[Series, ...]] = ("best_of_3", "queda")
PICA_POLICIES: Final[tuple[str, ...]] = OPTIONS["pica_policy"].choices
UNTIL_TARGET_MINUS_5, ALWAYS, LEADER_5_TO_24, BOTH_5_TO_25, UNTIL_HALF = range(len(PICA_POLICIES))
REDONDA, PICA_PICA = range(len(FORMATS))
NO_FORMAT: Final = -1


@jit
def pica_window(policy: int, target: int, high: int, low: int) -> bool:
    """Say whether the score, `high` to `low`, lets pica-pica be played."""
    if policy == ALWAYS:
        return True
    if policy == LEADER_5_TO_24:
        return 5 <= high < 25
    if policy == BOTH_5_TO_25:
        return low >= 5 and high < 25
    if policy == UNTIL_HALF:
        return high < target // 2
    return high < target - 5


@jit
def format_after(policy: int, target: int, high: int, low: int, previous: int) -> int:
    """Return the format that comes next, as an index of `vocab.FORMATS`; `previous` is -1 before the first hand."""
    if not pica_window(policy, target, high, low):
        return REDONDA
    if previous == REDONDA or (previous == NO_FORMAT and policy == BOTH_5_TO_25):
        return PICA_PICA
    return REDONDA


def next_format(rules: Rules, score: Sequence[int], previous_format: str | None) -> Format:
    """Return the format of the next hand of six players, from the score and the format of the hand before (None if first).

    Redonda and pica-pica take turns, a redonda first, as long as the score is in the window of the rules' `pica_policy`.

    >>> from trucostats.rules import rules_of
    >>> [next_format(rules_of("argentino"), score, "redonda") for score in ([24, 3], [25, 3])]
    ['pica-pica', 'redonda']
    """
    previous = NO_FORMAT if previous_format is None else FORMATS.index(previous_format)
    policy = PICA_POLICIES.index(rules.pica_policy)
    chosen = format_after(policy, int(rules.target), int(max(score)), int(min(score)), previous)
    return "pica-pica" if chosen == PICA_PICA else "redonda"


def match_winner(series: str, games: Sequence[int | None]) -> int | None:
    """Return the team that has won a match, from the winners of its games in order (None for a tied game); None if undecided.

    `best_of_3`: two games. `queda`: two games, or one game and two ties.

    >>> match_winner("queda", [None, 1, None]), match_winner("best_of_3", [0, 1]), match_winner("best_of_3", [0, 1, 0])
    (1, None, 0)
    """
    if series not in SERIES:
        raise ValueError(f"there is no series {series!r}; it is {' or '.join(SERIES)}")
    wins, ties = [0, 0], 0
    for winner in games:
        if winner is None:
            ties += 1
        else:
            wins[winner] += 1
        best = int(wins[1] > wins[0])
        if wins[best] >= 2 or (series == "queda" and wins[best] == 1 and ties >= 2):
            return best
    return None
