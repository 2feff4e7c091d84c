"""What a dataset already holds, as digests: which hands are new, repeated or in conflict, and which rejects are on record.

Sixteen bytes a hand, in sorted runs that are merged when they are of like size, so that adding stays cheap as they grow.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Mask = NDArray[np.bool_]
Verdicts = NDArray[np.uint8]

NEW: Final = 0
REPEATED: Final = 1
CONFLICT: Final = 2


class KnownHands:
    """The hands of a dataset: for each the digest that names it and the digest of what it says.

    >>> known = KnownHands()
    >>> known.judge(np.array([7, 8, 7, 7], np.uint64), np.array([1, 1, 1, 2], np.uint64)).tolist()
    [0, 0, 1, 2]
    >>> known.judge(np.array([8, 9], np.uint64), np.array([3, 3], np.uint64)).tolist(), len(known)
    ([2, 0], 3)
    """

    def __init__(self) -> None:
        self._runs: list[tuple[Keys, Keys]] = []

    def __len__(self) -> int:
        """Return the number of hands."""
        return sum(len(keys) for keys, _ in self._runs)

    def add(self, keys: Keys, contents: Keys) -> None:
        """Take hands as known that are known to be new."""
        if len(keys):
            order = np.argsort(keys)
            self._push(keys[order], contents[order])

    def judge(self, keys: Keys, contents: Keys) -> Verdicts:
        """Return NEW, REPEATED or CONFLICT for each hand in order, and take the new ones as known.

        A hand is judged by the first of its name, in the dataset or among these.
        """
        if not len(keys):
            return np.zeros(0, np.uint8)
        order = np.argsort(keys, kind="stable")
        keys, contents = keys[order], contents[order]
        first = np.ones(len(keys), np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        names, owners = keys[first], contents[first]
        old = np.zeros(len(names), np.bool_)
        for known, said in self._runs:
            at = np.minimum(np.searchsorted(known, names), len(known) - 1)
            found = known[at] == names
            owners = np.where(found, said[at], owners)
            old |= found
        group = np.cumsum(first) - 1
        sorted_verdicts = np.where(contents == owners[group], REPEATED, CONFLICT).astype(np.uint8)
        sorted_verdicts[np.flatnonzero(first)[~old]] = NEW
        if not old.all():
            self._push(names[~old], owners[~old])
        verdicts = np.empty_like(sorted_verdicts)
        verdicts[order] = sorted_verdicts
        return verdicts

    def _push(self, keys: Keys, contents: Keys) -> None:
        self._runs.append((keys, contents))
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            small, large = sorted((self._runs.pop(), self._runs.pop()), key=lambda run: len(run[0]))
            self._runs.append(_merge(large, small))


def _merge(large: tuple[Keys, Keys], small: tuple[Keys, Keys]) -> tuple[Keys, Keys]:
    places = np.searchsorted(large[0], small[0]) + np.arange(len(small[0]))
    rest = np.ones(len(large[0]) + len(small[0]), np.bool_)
    rest[places] = False
    merged = []
    for ours, theirs in zip(large, small, strict=True):
        column = np.empty(len(rest), np.uint64)
        column[places] = theirs
        column[rest] = ours
        merged.append(column)
    return merged[0], merged[1]


class RecordedRejects:
    """The digests of the rejected lines that earlier runs wrote down, each as often as they did.

    >>> recorded = RecordedRejects(np.array([5, 5, 6], np.uint64))
    >>> recorded.fresh(np.array([5, 4, 4, 5, 5, 6], np.uint64)).tolist()
    [False, True, True, False, True, False]
    """

    def __init__(self, digests: Keys) -> None:
        self._digests, self._left = np.unique(digests, return_counts=True)

    def fresh(self, digests: Keys) -> Mask:
        """Return which of these rejected lines, in order, are not on record; a line on record is met once for each time."""
        fresh = np.ones(len(digests), np.bool_)
        if not len(self._digests) or not len(digests):
            return fresh
        at = np.minimum(np.searchsorted(self._digests, digests), len(self._digests) - 1)
        for i in np.flatnonzero(self._digests[at] == digests).tolist():
            if self._left[at[i]]:
                self._left[at[i]] -= 1
                fresh[i] = False
        return fresh
