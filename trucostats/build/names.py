"""The words that codes of the tables stand for, and the hands of three by their numbers."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import pyarrow as pa

from trucostats.arrays import Ints, Words, strings
from trucostats.errors import CODE_NAMES
from trucostats.rows import ANSWERS, ENDINGS
from trucostats.vocab import CARDS, FORMATS, PENDING, STATUSES, VERBS

FAMILIES: Final = ("", "truco", "envido", "flor")
CARD_WORDS: Final = strings([*CARDS, "cover"])
STATUS: Final = Words(strings(STATUSES[:4]))
ENDING: Final = Words(strings(ENDINGS))
CODE: Final = Words(strings(CODE_NAMES))
CARD: Final = Words(CARD_WORDS)
VERB: Final = Words(strings(VERBS))
FAMILY: Final = Words(strings(FAMILIES))
ANSWER: Final = Words(strings(ANSWERS))
PENDING_WORD: Final = Words(strings([name or "" for name in PENDING]))
FORMAT: Final = Words(strings(FORMATS))


def constant(text: str, n: int) -> pa.DictionaryArray:
    """Return one string n times, dictionary-encoded."""
    return Words(strings([text]))(np.zeros(n, np.int32))


@cache
def all_hands() -> Ints:
    """Return the cards of all 9,880 hands of three, rising, by their number (see `hand_numbers`)."""
    return np.array([(a, b, c) for c in range(2, 40) for b in range(1, c) for a in range(b)])


@cache
def hand_words() -> pa.Array:
    """Return the names of all 9,880 hands by their number (see `hand_numbers`)."""
    return strings([" ".join(CARDS[card] for card in hand) for hand in all_hands().tolist()])


def hand_numbers(ordered: Ints) -> Ints:
    """Return the number of hands given as (n, 3) rising card indices: their place in `hand_words`."""
    a, b, c = (np.ascontiguousarray(ordered[:, i]) for i in range(3))
    numbers: Ints = _THREES[c] + _PAIRS[b] + a
    return numbers


_PAIRS: Final = np.array([b * (b - 1) // 2 for b in range(40)])
_THREES: Final = np.array([c * (c - 1) * (c - 2) // 6 for c in range(40)])
