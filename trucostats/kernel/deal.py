"""From a deal to the first state, and the faults of a deal. Source: A.0.1, A.1, A.4.1, A.7.1 item 2."""

from __future__ import annotations

from typing import Any

from trucostats.errors import CODE_INDEX
from trucostats.kernel.jit import jit
from trucostats.kernel.params import NO_TURNED
from trucostats.kernel.scoring import begin_duel, begin_trick, set_special
from trucostats.kernel.state import NOBODY, OK, team
from trucostats.kernel.values import set_values
from trucostats.vocab import NO_CARD

DEAL_SIZE = CODE_INDEX["DEAL_SIZE"]
ONE_CARD_DEAL_NOT_ALLOWED = CODE_INDEX["ONE_CARD_DEAL_NOT_ALLOWED"]
DUPLICATE_CARD = CODE_INDEX["DUPLICATE_CARD"]


@jit
def start(s: Any, r: Any, c: Any, table: Any, deal: Any, null_hand: Any) -> int:
    """Fill a blank state from a deal and return a fault code.

    `table` is (seats, dealer, turned, format, score 0, score 1); `deal` is (6, 4) cards, -1 where there is none and `NO_CARD`
    where it is unknown; `null_hand` flags wholly unknown hands.
    """
    s.seats = table[0]
    s.dealer = table[1]
    s.turned = table[2]
    s.score[0] = table[4]
    s.score[1] = table[5]
    s.mano = (s.dealer + 1) % s.seats
    s.members = (1 << s.seats) - 1
    s.still_in = s.members
    fault = count_deal(s, r, deal, null_hand)
    if fault != OK:
        return fault
    if s.turned != NO_TURNED:
        s.seen |= 1 << int(s.turned)
    for seat in range(s.seats):
        if null_hand[seat]:
            s.hidden[seat] = s.dealt_each
            s.hidden_dealt[seat] = s.dealt_each
            continue
        for place in range(4):
            card = int(deal[seat, place])
            if card == NO_CARD:
                s.hidden[seat] += 1
                s.hidden_dealt[seat] += 1
            elif card >= 0:
                if (s.seen >> card) & 1:
                    return DUPLICATE_CARD
                s.seen |= 1 << card
                s.dealt[seat] |= 1 << card
        s.held[seat] = s.dealt[seat]
        set_values(s, seat, c)
    s.results[:] = NOBODY
    set_special(s, r)
    if s.extra_seat >= 0 and team(s.extra_seat) == team(s.dealer):
        s.void = 1
        s.over = 1
        return OK
    if table[3] == 1 and s.seats == 6:
        begin_duel(s, 0, s.mano)
    else:
        begin_trick(s, s.mano)
    return OK


@jit
def count_deal(s: Any, r: Any, deal: Any, null_hand: Any) -> int:
    """Find the size of the deal and a fourth card."""
    size = 0
    for seat in range(s.seats):
        if not null_hand[seat]:
            n = cards_in(deal, seat)
            if n == 4 and r.misdeal and s.extra_seat == NOBODY:
                s.extra_seat = seat
            elif size == 0:
                size = n
            elif n != size:
                return DEAL_SIZE
    if size == 0:
        size = 3
    s.dealt_each = size
    if size == 1:
        if not r.one_card or s.extra_seat >= 0:
            return DEAL_SIZE
        if r.special_at > 0 and max(s.score[0], s.score[1]) >= r.special_at:
            return ONE_CARD_DEAL_NOT_ALLOWED
        return OK
    return OK if size == 3 else DEAL_SIZE


@jit
def cards_in(deal: Any, seat: int) -> int:
    """Return how many cards a hand was dealt, known or not."""
    n = 0
    for place in range(4):
        if deal[seat, place] >= 0:
            n += 1
    return n
