"""What is known of a rival's three cards: every hand he may have been dealt, one by one, and what they come to together.

A range is a vector of weights over `Hands`, all sets of three cards of the deck (9,880 without a turned card). Facts that are public
take hands out of it exactly: cards seen, a number said, *son buenas*, a flor announced or not. How he bets is no fact of this kind;
whoever has an opinion of that multiplies the weights. `joint` turns the ranges of both into the weights that `solve` takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.kernel.jit import jit
from trucostats.kernel.params import NO_TURNED, card_tables
from trucostats.kernel.state import NOBODY, team
from trucostats.kernel.values import envido_of, flor_of
from trucostats.rules import Rules
from trucostats.solver.deck import HAND_SIZE, Deck, deck_of, turned_index
from trucostats.vocab import CARD_INDEX, ENVIDO_CALLS, FLOR_CALLS, parse_card

ROUNDING: Final = (
    1e-12  # a share of all pairs below this is what is left of a difference of floats, not a pair of hands
)
NONE_LEFT: Final = "no hands agree with all that is known"
TWO: Final = np.zeros((40, 40), np.int64)  # the number of a pair of cards, the lower first
TWO[np.triu_indices(40, 1)] = np.arange(780)
GOOD_ENVIDO: Final = 27
NUMBERS: Final = 41  # envido numbers are below, with piezas too
Weights = NDArray[np.float64] | NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Hands:
    """All hands of three cards of a deck, in lexicographic order of card numbers, as columns.

    `masks` are sets of cards (bit k is card k of `vocab.CARDS`); `envido` is -1 for a hand that has none (two piezas), `flor` -1 for no
    flor; `types` is the multiset of ranks, a number among `deck.multisets[3]`.
    """

    deck: Deck
    cards: NDArray[np.int64]  # (hands, 3)
    masks: NDArray[np.int64]
    envido: NDArray[np.int64]
    flor: NDArray[np.int64]
    types: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.masks)

    def index(self, cards: Iterable[str]) -> int:
        """Return the number of a hand.

        >>> from trucostats.rules import rules_of
        >>> hands_of(rules_of("argentino")).index(["1e", "2e", "4e"])
        1
        """
        (found,) = np.flatnonzero(self.masks == mask_of(cards))
        return int(found)


@jit
def fill_values(masks: Any, c: Any, envido: Any, flor: Any) -> None:
    """Write the envido and the flor of every set of three cards."""
    for k in range(len(masks)):
        envido[k] = envido_of(masks[k], c)
        flor[k] = flor_of(masks[k], c)


@lru_cache(maxsize=64)
def hands_of(rules: Rules, turned: int = NO_TURNED) -> Hands:
    """Return all hands of three cards under a rule set, without the turned card where one is turned.

    >>> from trucostats.rules import rules_of
    >>> len(hands_of(rules_of("argentino"))), len(hands_of(rules_of("uruguayo"), 0))
    (9880, 9139)
    """
    deck = deck_of(rules, turned)
    cards = np.array(list(combinations([card for card in range(40) if card != turned], HAND_SIZE)), np.int64)
    masks = (np.int64(1) << cards).sum(axis=1)
    envido, flor = np.zeros((2, len(masks)), np.int64)
    fill_values(masks, card_tables(rules)[turned], envido, flor)
    ranks = np.sort(deck.rank_of[cards], axis=1)
    places = deck.ranks ** np.arange(HAND_SIZE)
    numbers = np.full(deck.ranks**HAND_SIZE, -1, np.int64)
    numbers[np.array(deck.multisets[HAND_SIZE]) @ places] = np.arange(deck.sizes[HAND_SIZE])
    columns = cards, masks, envido, flor, numbers[ranks @ places]
    for column in columns:
        column.setflags(write=False)
    return Hands(deck, *columns)


def hands_at(hand: Hand) -> Hands:
    """Return all hands of three cards that the deck of a deal has."""
    return hands_of(hand.rules, turned_index(hand.turned))


def mask_of(cards: Iterable[str]) -> int:
    """Return a set of cards from their names.

    >>> mask_of(["1e", "3e"])
    5
    """
    return sum(1 << parse_card(name) for name in set(cards))


@dataclass(frozen=True)
class Known:
    """What is public of one player's three cards.

    `holds` are cards he was dealt for certain, `lacks` cards that somebody else has; `number` is the envido he has said, `most` the
    number he has conceded to, that his does not beat; `flor` says whether he has one, None where nobody can tell.
    """

    holds: int = 0
    lacks: int = 0
    number: int | None = None
    most: int | None = None
    flor: bool | None = None

    @classmethod
    def of(cls, hand: Hand, seat: int, viewer_cards: Iterable[str] = (), *, honest: bool = True) -> Known:
        """Return what a viewer knows of the cards of a seat; by default one who holds none, as all see it.

        Only what is on the table or was said counts, whatever else the record says of the hands. That nobody concedes the better
        number, nor hides a flor that he may announce, holds of `honest` players only; leave it out for others. A card covered stays
        unknown. Raises `SolverError` for deals of other than three cards.

        >>> hand = Hand.deal("argentino", [None, None]).play("0 envido", "1 quiero", "0 28", "1 son-buenas", "0 7c", "1 3b")
        >>> known = Known.of(hand, 1, ["7c", "1c", "4b"])
        >>> known.most, known.holds == mask_of(["3b"]), known.lacks == mask_of(["7c", "1c", "4b"])
        (28, True, True)
        """
        state = hand.kernel[0][0]
        if int(state.dealt_each) != HAND_SIZE or int(state.extra_seat) >= 0:
            raise SolverError("ranges are of deals of three cards to each")
        lacks = mask_of(viewer_cards)
        for other in range(hand.seats):
            if other != seat:
                lacks |= int(state.shown[other])
        number, most = said(hand, seat)
        flor = has_flor(hand, seat) if hand.rules.flor and int(state.special) == NOBODY else None
        if not honest:
            most, flor = None, flor or None
        return cls(int(state.shown[seat]), lacks, number, most, flor)

    def possible(self, hands: Hands) -> NDArray[np.bool_]:
        """Return which hands agree with all that is known."""
        masks = hands.masks
        fine: NDArray[np.bool_] = (masks & (self.holds | self.lacks)) == self.holds
        if self.number is not None:
            fine &= hands.envido == self.number
        if self.most is not None:
            fine &= hands.envido <= self.most
        if self.flor is not None:
            fine &= (hands.flor >= 0) == self.flor
        return fine


def said(hand: Hand, seat: int) -> tuple[int | None, int | None]:
    """Return the envido number that a seat has said, and the rivals' number that it has conceded to.

    The concession is to the best number so far. Who spoke before wins ties, so a hand that equals it may concede. Conceding to
    one's own partner says nothing of one's number.
    """
    number, best, speaker = None, -1, -1
    for text in hand.events:
        who, _, word = text.partition(" ")
        if word in ENVIDO_CALLS:
            best = -1
        elif word == "son-buenas":
            if int(who) == seat:
                return None, best if team(speaker) != team(seat) else None
        elif word.isdigit():
            if int(who) == seat:
                number = int(word)
            if int(word) > best:
                best, speaker = int(word), int(who)
    return number, None


def has_flor(hand: Hand, seat: int) -> bool | None:
    """Say whether a seat has announced a flor (True), has played its first card without (False), or may still announce one.

    Where a contraflor waits the partners cannot speak, so their silence says nothing.
    """
    contra = False
    for text in hand.events:
        who, _, word = text.partition(" ")
        if word in FLOR_CALLS:
            if int(who) == seat:
                return True
            contra = contra or word != "flor"
        elif int(who) == seat and (word in CARD_INDEX or word.startswith("cover")):
            return None if contra and hand.seats > 2 else False
    return None


def possible(hand: Hand, seat: int, viewer_cards: Iterable[str] = (), *, honest: bool = True) -> NDArray[np.bool_]:
    """Return which of `hands_at(hand)` a seat may have been dealt, as somebody sees it who was dealt `viewer_cards`.

    See `Known.of` for what counts.

    >>> hand = Hand.deal("argentino", [None, None]).play("0 envido", "1 quiero", "0 20", "1 27")
    >>> int(possible(hand, 1).sum()), int(possible(hand, 1, ["1e", "7c", "4b"]).sum())
    (780, 573)
    """
    return Known.of(hand, seat, viewer_cards, honest=honest).possible(hands_at(hand))


def pairs(
    hands: Hands, labels: NDArray[np.int64], count: int, weights0: Weights, weights1: Weights
) -> NDArray[np.float64]:
    """Return, by the labels of two hands that share no card, the sum of the products of their weights: (count, count).

    `labels` are numbers below `count`, one for each hand. Exact up to rounding: all pairs, less those that share a card, plus those
    that share two, less those of equal hands, by the products of four tables of weights.
    """
    rows, tables = [], []
    for weights in (weights0, weights1):
        some = np.flatnonzero(weights)
        present, label = np.unique(labels[some], return_inverse=True)
        weight, cards = weights[some].astype(np.float64), hands.cards[some]
        ones = table(label, len(present), cards.T, 40, weight)
        twos = table(
            label, len(present), [TWO[cards[:, i], cards[:, j]] for i, j in ((0, 1), (0, 2), (1, 2))], 780, weight
        )
        rows.append(present)
        tables.append((np.bincount(label, weight, len(present)), ones, twos))
    (all0, one0, two0), (all1, one1, two1) = tables
    everything = np.outer(all0, all1)
    part = everything - one0 @ one1.T + two0 @ two1.T
    equal, row, column = np.intersect1d(rows[0], rows[1], return_indices=True)
    both = np.flatnonzero(weights0.astype(np.bool_) & weights1.astype(np.bool_))
    part[row, column] -= np.bincount(labels[both], weights0[both].astype(np.float64) * weights1[both], count)[equal]
    part[part <= ROUNDING * everything] = 0
    total = np.zeros((count, count))
    total[np.ix_(rows[0], rows[1])] = part
    return total


def table(
    label: NDArray[np.int64], count: int, columns: Iterable[NDArray[np.int64]], width: int, weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights of hands summed by label and by what each of some columns says: (count, width)."""
    sums = np.zeros(count * width)
    for column in columns:
        sums += np.bincount(label * width + column, weight, count * width)
    return sums.reshape(count, width)


def joint(hand: Hand, weights0: Weights | None = None, weights1: Weights | None = None) -> NDArray[np.float64]:
    """Return the joint weights of the two players' hands of three ranks, as `solve(weights=...)` takes them: (types, types).

    The weights are over `hands_at(hand)`; by default all that is `possible` as everybody sees it is as likely. Every pair of hands
    without a common card counts with the product of its weights, so suits matter exactly as far as the past goes: without knowledge
    these are the `deals` of the deck, and after cards have been played what `consistent` gives, but for a factor. What the cards
    still to come say of suits is lost in the ranks. Raises `SolverError` if no two hands are left.

    >>> hand = Hand.deal("argentino", [None, None])
    >>> int(joint(hand).sum())
    76767600
    """
    if hand.seats != 2:
        raise SolverError(f"joint weights are of hands of two; this one has {hand.seats} players")
    hands = hands_at(hand)
    first = possible(hand, 0) if weights0 is None else weights0
    second = possible(hand, 1) if weights1 is None else weights1
    weights = pairs(hands, hands.types, int(hands.deck.sizes[HAND_SIZE]), first, second)
    if not weights.any():
        raise SolverError(NONE_LEFT)
    return weights


def hero_row(hand: Hand, hero_cards: Iterable[str], weights: Weights) -> NDArray[np.float64]:
    """Return the weights of a rival's hands of three ranks, given the exact three cards of the hero: (types,).

    `weights` are the rival's over `hands_at(hand)`; hands that share a card with the hero's do not count.

    >>> hand = Hand.deal("argentino", [None, None])
    >>> int(hero_row(hand, ["1e", "7c", "4b"], possible(hand, 1)).sum())
    7770
    """
    hands = hands_at(hand)
    free = (hands.masks & mask_of(hero_cards)) == 0
    sums = np.bincount(hands.types, np.where(free, weights, 0.0), int(hands.deck.sizes[HAND_SIZE]))
    return sums.astype(np.float64)


@dataclass(frozen=True)
class Summary:
    """A range told to people: how many hands it has, its entropy in bits over types of ranks, and the shares of classes of hands.

    The classes overlap: each share is of the whole weight.
    """

    hands: int
    types: int
    entropy: float
    shares: dict[str, float]


def summary(hands: Hands, weights: Weights, gone: int = 0) -> Summary:
    """Return what a range comes to; `gone` is a set of cards already played, which the classes of cards leave out.

    A mata is a card that no other equals in strength (1e 1b 7e 7o, and manilhas or piezas).

    >>> from trucostats.rules import rules_of
    >>> hands = hands_of(rules_of("argentino"))
    >>> told = summary(hands, (hands.masks & mask_of(["1e", "7c", "4b"])) == 0)
    >>> round(told.entropy, 2), round(told.shares["a mata"], 3)
    (8.13, 0.23)
    """
    deck = hands.deck
    weight = weights.astype(np.float64)
    total = float(weight.sum())
    if total <= 0:
        raise SolverError(NONE_LEFT)
    some = np.flatnonzero(weight)
    weight, masks, envido = weight[some] / total, hands.masks[some] & ~gone, hands.envido[some]
    by_type = np.bincount(hands.types[some], weight)
    by_type = by_type[by_type > 0]

    def share(which: NDArray[np.bool_]) -> float:
        return float(weight[which].sum())

    sets = [sum(1 << int(card) for card in row if card >= 0) for row in deck.cards_of]
    matas = sum(cards for cards, count in zip(sets, deck.counts, strict=True) if count == 1)
    shares = {"a mata": share((masks & matas) != 0)}
    for rank in reversed(range(deck.ranks)):
        shares[f"a {deck.name(rank)}"] = share((masks & sets[rank]) != 0)
    for rank in reversed(range(deck.ranks)):
        if deck.counts[rank] > 1:
            held = masks & sets[rank]
            shares[f"two {deck.name(rank)}"] = share((held & (held - 1)) != 0)
    shares[f"envido {GOOD_ENVIDO} or more"] = share(envido >= GOOD_ENVIDO)
    shares[f"envido 20 to {GOOD_ENVIDO - 1}"] = share((envido >= 20) & (envido < GOOD_ENVIDO))
    shares["envido below 20"] = share((envido >= 0) & (envido < 20))
    shares["flor"] = share(hands.flor[some] >= 0)
    return Summary(len(some), len(by_type), float(-(by_type * np.log2(by_type)).sum()), shares)


def types_by_number(hands: Hands, weights: Weights) -> NDArray[np.float64]:
    """Return how often each type of ranks comes with each envido number in a range: (types, 41), the numbers being 0 to 40.

    Hands without an envido are left out. With weights of 1 the rows, each by its sum, are the chances of every number given the
    ranks, and the columns the ranks given a number.

    >>> from trucostats.rules import rules_of
    >>> hands = hands_of(rules_of("argentino"))
    >>> int((types_by_number(hands, hands.envido >= 0) > 0).sum())
    1476
    """
    some = np.flatnonzero(weights.astype(np.bool_) & (hands.envido >= 0))
    count = int(hands.deck.sizes[HAND_SIZE])
    return table(hands.types[some], count, [hands.envido[some]], NUMBERS, weights[some].astype(np.float64))


__all__ = [
    "NUMBERS", "Hands", "Known", "Summary", "hands_at", "hands_of", "hero_row", "joint", "mask_of", "pairs", "possible",
    "summary", "types_by_number",
]  # fmt: skip
