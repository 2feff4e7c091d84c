"""Hands as the truco sees them: multisets of ranks, where a rank is a class of cards of equal strength.

Cards that have been played are public, so a player's secret is what he still holds: three, two or one rank. `Deck` numbers these
multisets and knows how to take a rank out of one and in how many ways of cards two hands can be dealt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, perm, prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.rules import Rules
from trucostats.vocab import CARDS, parse_card

HAND_SIZE: Final = 3


@dataclass(frozen=True, eq=False)
class Deck:
    """The ranks of a deck, weakest first, and the multisets of none to three of them, in lexicographic order.

    `sizes[k]` is how many multisets of k ranks there are; `up[k, r, j]` the multiset of k ranks that is multiset j of k - 1 ranks
    with r added, -1 if there are not so many cards; `slot[k, r, h]` the place of rank r among the distinct ranks of h, -1 if it
    has none; `valid[k, a, h]` is 1 where h has more than a distinct ranks.
    """

    rank_of: NDArray[np.int64]  # (40,), -1 for a card that is not dealt
    cards_of: NDArray[np.int64]  # (ranks, most cards of a rank), -1 filled
    counts: NDArray[np.int64]  # (ranks,)
    sizes: NDArray[np.int64]  # (4,)
    up: NDArray[np.int32]
    slot: NDArray[np.int32]
    valid: NDArray[np.float32]
    multisets: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return len(self.counts)

    def name(self, rank: int) -> str:
        """Return the name of a rank: its number, with the suits where they matter.

        >>> from trucostats.rules import rules_of
        >>> deck = deck_of(rules_of("argentino"))
        >>> [deck.name(rank) for rank in range(deck.ranks)]
        ['4', '5', '6', '7b 7c', '10', '11', '12', '1o 1c', '2', '3', '7o', '7e', '1b', '1e']
        """
        cards = [int(card) for card in self.cards_of[rank] if card >= 0]
        numbers = {CARDS[card][:-1] for card in cards}
        alike = [card for card in range(40) if self.rank_of[card] >= 0 and CARDS[card][:-1] in numbers]
        return (
            CARDS[cards[0]][:-1]
            if len(numbers) == 1 and len(alike) == len(cards)
            else " ".join(CARDS[card] for card in cards)
        )

    def index(self, ranks: Any) -> int:
        """Return the number of a multiset of ranks among those of its size."""
        wanted = tuple(sorted(int(rank) for rank in ranks))
        return self.multisets[len(wanted)].index(wanted)

    def index_of_cards(self, cards: Any) -> int:
        """Return the number of the multiset of ranks of some cards."""
        return self.index(self.rank_of[card] for card in cards)

    def full(self, played: int, which: int) -> NDArray[np.int32]:
        """Return, for a played multiset `which` of `played` ranks, the hand of three that each remaining multiset makes with it.

        The array has one entry for each multiset of the `3 - played` ranks still held, -1 where the deck has not so many.
        """
        hands = np.arange(self.sizes[HAND_SIZE - played], dtype=np.int32)
        for size, rank in enumerate(self.multisets[played][which], start=HAND_SIZE - played + 1):
            hands = np.where(hands >= 0, self.up[size, rank][hands], -1).astype(np.int32)
        return hands


@lru_cache(maxsize=128)
def deck_of(rules: Rules, turned: int = NO_TURNED) -> Deck:
    """Return the deck of a rule set, for a turned card where one is turned (it is not dealt then)."""
    strength = card_tables(rules)[turned][STRENGTH]
    dealt = [card for card in range(40) if card != turned]
    return _deck(tuple(int(strength[card]) if card in dealt else -1 for card in range(40)))


def turned_index(turned: str | None) -> int:
    """Return the number of a turned card by its name, `NO_TURNED` where none is turned."""
    return NO_TURNED if turned is None else parse_card(turned)


def deck_at(rules: Rules, turned: str | None) -> Deck:
    """Return the deck of a rule set and the name of a turned card."""
    return deck_of(rules, turned_index(turned))


def deck_of_strengths(strengths: list[int]) -> Deck:
    """Return a deck in which card i has a strength, -1 for a card that is not dealt; for small decks in tests."""
    return _deck(tuple(strengths + [-1] * (40 - len(strengths))))


def deck_of_secrets(count: int) -> Deck:
    """Return the deck of a game without card play: each of so many secrets, an envido number say, is a whole hand that nobody plays.

    >>> deck_of_secrets(22).sizes.tolist()
    [1, 0, 0, 22]
    """
    nothing = np.full((HAND_SIZE + 1, count, count), -1, np.int32)
    return Deck(
        np.full(40, -1, np.int64), np.full((count, 1), -1, np.int64), np.ones(count, np.int64), np.array([1, 0, 0, count], np.int64),
        nothing, nothing, np.zeros((HAND_SIZE + 1, HAND_SIZE, count), np.float32), (((),), (), (), tuple((k,) for k in range(count))),
    )  # fmt: skip


def _deck(strengths: tuple[int, ...]) -> Deck:
    levels = sorted({level for level in strengths if level >= 0})
    rank_of = np.array([levels.index(level) if level >= 0 else -1 for level in strengths], np.int64)
    counts = np.array([int(np.sum(rank_of == rank)) for rank in range(len(levels))], np.int64)
    cards_of = np.full((len(levels), int(counts.max())), -1, np.int64)
    for rank in range(len(levels)):
        cards_of[rank, : counts[rank]] = np.flatnonzero(rank_of == rank)
    multisets = tuple(
        tuple(hand for hand in combinations_with_replacement(range(len(levels)), size) if all(hand.count(r) <= counts[r] for r in hand))
        for size in range(HAND_SIZE + 1)
    )  # fmt: skip
    sizes = np.array([len(hands) for hands in multisets], np.int64)
    most = int(sizes.max())
    up = np.full((HAND_SIZE + 1, len(levels), most), -1, np.int32)
    slot = np.full((HAND_SIZE + 1, len(levels), most), -1, np.int32)
    valid = np.zeros((HAND_SIZE + 1, HAND_SIZE, most), np.float32)
    for size in range(1, HAND_SIZE + 1):
        number = {hand: index for index, hand in enumerate(multisets[size])}
        for rank in range(len(levels)):
            for index, hand in enumerate(multisets[size - 1]):
                up[size, rank, index] = number.get(tuple(sorted((*hand, rank))), -1)
        for hand, index in number.items():
            for place, rank in enumerate(sorted(set(hand))):
                slot[size, rank, index] = place
                valid[size, place, index] = 1
    return Deck(rank_of, cards_of, counts, sizes, up, slot, valid, multisets)


@lru_cache(maxsize=32)
def deals(deck: Deck) -> NDArray[np.float64]:
    """Return how many deals of cards there are for each two hands of three ranks: (hands, hands), 76,767,600 in all for 40 cards."""
    hands = np.array([[hand.count(rank) for rank in range(deck.ranks)] for hand in deck.multisets[HAND_SIZE]])
    ways = np.ones((len(hands), len(hands)))
    for rank, count in enumerate(deck.counts.tolist()):
        table = np.array(
            [[comb(count, a) * comb(max(count - a, 0), b) for b in range(HAND_SIZE + 1)] for a in range(HAND_SIZE + 1)],
            float,
        )
        ways *= table[hands[:, rank][:, None], hands[:, rank][None, :]]
    ways.setflags(write=False)
    return ways


def consistent(deck: Deck, played: tuple[Sequence[int], Sequence[int]]) -> NDArray[np.float64]:
    """Return joint weights in which every two hands of cards that contain the cards played are as likely.

    `deals` counts ranks: a hand with two cards of a rank has two ways to have played one, so it weighs twice here.
    """
    return scaled(deals(deck), ways_played(deck, played[0]), ways_played(deck, played[1]))


def scaled(
    weights: NDArray[np.float64], first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return joint weights of hands, those of either player's hands times a factor by hand."""
    found = weights * first[:, None]
    found *= second
    return found


def ways_played(deck: Deck, played: Sequence[int]) -> NDArray[np.float64]:
    """Return for each hand of three ranks in how many ways of its cards it can have played some ranks, 0 where it cannot."""
    return _ways(deck, tuple(sorted(played)))


@lru_cache(maxsize=1024)
def _ways(deck: Deck, played: tuple[int, ...]) -> NDArray[np.float64]:
    hands = deck.multisets[HAND_SIZE]
    return np.array([prod(perm(hand.count(rank), played.count(rank)) for rank in set(played)) for hand in hands], float)
