"""Follow the events of a hand through a public tree, and with them what each player would have held to act so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trucostats.hand import Hand
from trucostats.kernel.state import COVER, NO_QUIERO, PLAY, QUIERO, RAISE
from trucostats.solver.deck import HAND_SIZE, Deck
from trucostats.solver.growth import (
    BETS,
    CARDS,
    CODE,
    DECISION_NODE,
    FIRST,
    KIND,
    LAST_CARD,
    LAST_CODE,
    LEFT_0,
    PASS_CODE,
    PLAYER,
    Grown,
    played_ranks,
)
from trucostats.vocab import ENVIDO_CALLS, FLOR_CALLS, VERB_BITS, VERB_INDEX, VERBS
from trucostats.words import parse_event

Mix = Callable[[int], NDArray[np.floating]]  # the strategy of a node: (bets + card slots, hands)
Calls = Callable[
    [int, int], NDArray[np.floating]
]  # how often each rank calls once a last card is shown, by node and that card
ACCEPT_HAND: Final = VERB_INDEX["accept-hand"]
DECLINE_HAND: Final = VERB_INDEX["decline-hand"]
SUSPENDING: Final = (*ENVIDO_CALLS, *FLOR_CALLS[1:])
TREMBLE: Final = 0.005


@dataclass(frozen=True)
class Track:
    """Where a hand is in a tree: the node, or the last one reached if the hand went on out of the tree (`inside` is false).

    `reach[p]` says for each full hand of player p how often it acts as he did, errors of `TREMBLE` allowed; `events` how many
    events were followed.
    """

    node: int
    inside: bool
    events: int
    reach: tuple[NDArray[np.float64], NDArray[np.float64]]


def track(
    hand: Hand,
    grown: Grown,
    deck: Deck,
    mix: Mix,
    tremble: float = TREMBLE,
    *,
    mano: int = 0,
    since: int = 0,
    calls: Calls | None = None,
) -> Track:
    """Follow a hand through a tree that was grown from its deal, or from the state after its first `since` events.

    `mano` is the seat that the tree calls player 0; `reach` is by seat. Without `calls` nobody is followed past a shown last card. Events
    that are no part of the truco (the envido, the flor, `show`) are passed over.
    """
    node, at, shown = 0, since, -1
    played: list[list[int]] = [[], []]
    if since:
        before = Hand.from_record(hand.record.but(events=hand.events[:since]))
        ranks = played_ranks(before, deck)
        played = [ranks[mano], ranks[1 - mano]]
    reach = [np.ones(deck.sizes[HAND_SIZE - len(ranks)]) for ranks in played]

    def end(inside: bool) -> Track:
        full = [np.zeros(deck.sizes[HAND_SIZE]) for _ in (0, 1)]
        for player in (0, 1):
            hands = deck.full(len(played[player]), deck.index(played[player]))
            full[player][hands[hands >= 0]] = reach[player][hands >= 0]
        return Track(node, inside, at, (full[mano], full[1 - mano]))

    def take(code: int, rank: int | None) -> bool:
        """Go to the child of an action; say whether there is one."""
        nonlocal node
        here = grown.nodes[node]
        if here[KIND] != DECISION_NODE:
            return False
        player, bets, cards, first = int(here[PLAYER]), int(here[BETS]), int(here[CARDS]), int(here[FIRST])
        for k in range(bets + cards):
            child, its_rank, its_code = (int(x) for x in grown.actions[first + k])
            if (rank is None and (its_rank >= 0 or its_code != code)) or (rank is not None and its_rank != rank):
                continue
            sigma = mix(node)
            left = int(here[LEFT_0 + player])
            if rank is None:
                reach[player] = reach[player] * trembling(sigma[k], len(sigma), tremble)
            else:
                reach[player] = after_card(deck, left, rank, bets, sigma, reach[player], tremble)
                played[player].append(rank)
            node = child
            return True
        return False

    def show(rank: int) -> bool:
        """Let the leader of the last trick show his last card; say whether the tree has that."""
        nonlocal node, shown
        if grown.nodes[node][KIND] == DECISION_NODE and not take(LAST_CODE, None):
            return False
        here = grown.nodes[node]
        if here[KIND] != LAST_CARD or shown >= 0 or calls is None:
            return False
        player, shown = int(here[PLAYER]), rank
        reach[player] = reach[player][[deck.index([rank])]]
        played[player].append(rank)
        return True

    asked = False  # whether an envido or a contraflor waits, which is answered before a truco
    for event in hand.events[since:]:
        seat, code = parse_event(event, hand.rules)
        verb = code & ((1 << VERB_BITS) - 1)
        if VERBS[verb] in SUSPENDING or (asked and verb in (QUIERO, NO_QUIERO)):
            asked = VERBS[verb] in SUSPENDING
            at += 1
            continue
        if verb == COVER:
            return end(False)
        if verb == PLAY or verb >= RAISE or verb in (QUIERO, NO_QUIERO, ACCEPT_HAND, DECLINE_HAND):
            here = grown.nodes[node]
            waits_for = grown.actions[int(here[FIRST]), CODE] if here[BETS] > 0 else 0
            if waits_for == PASS_CODE and not (verb >= RAISE and (seat - mano) % 2 == here[PLAYER]):
                take(PASS_CODE, None)
                here = grown.nodes[node]
            if verb >= RAISE and here[KIND] == LAST_CARD and shown >= 0 and calls is not None:
                other = 1 - int(here[PLAYER])
                reach[other] = reach[other] * trembling(calls(node, shown), 2, tremble)
                at += 1
                continue
            answers = here[KIND] == DECISION_NODE and here[BETS] > 0 and grown.actions[int(here[FIRST]), CODE] == QUIERO
            if verb in (QUIERO, NO_QUIERO) and not answers:
                at += 1  # the answer to an envido or a flor
                continue
            if verb == PLAY and answers and not take(QUIERO, None):
                return end(False)
            rank = int(deck.rank_of[code >> VERB_BITS]) if verb == PLAY else None
            last = here[KIND] == LAST_CARD or (here[BETS] > 0 and grown.actions[int(here[FIRST]), CODE] == LAST_CODE)
            if not (show(rank) if last and rank is not None else take(verb, rank)):
                return end(False)
        at += 1
    here = grown.nodes[node]
    return end(bool(here[KIND] == DECISION_NODE))


def after_card(
    deck: Deck, left: int, rank: int, bets: int, sigma: NDArray[np.floating], reach: NDArray[np.float64], tremble: float
) -> NDArray[np.float64]:
    """Return the reach of what is still held after a card of a rank, from that of the `left` cards held before and a node's strategy."""
    hands, slot = deck.up[left, rank, : deck.sizes[left - 1]], deck.slot[left, rank]
    safe = np.maximum(hands, 0)
    done = trembling(sigma[bets + slot[safe], safe], len(sigma), tremble)
    return np.where(hands >= 0, reach[safe] * done, 0.0)


def trembling(share: NDArray[np.floating], actions: int, tremble: float) -> NDArray[np.float64]:
    """Return frequencies with a small part of an even choice mixed in, so that nothing is impossible."""
    return np.asarray(share, np.float64) * (1 - tremble) + tremble / actions


__all__ = ["TREMBLE", "Mix", "Track", "track"]
