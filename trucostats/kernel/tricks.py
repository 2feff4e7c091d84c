"""Cards, tricks and folds. Source: A.0.2, A.2.8, A.4.1."""

from __future__ import annotations

from typing import Any

from trucostats.kernel.jit import jit
from trucostats.kernel.params import STRENGTH
from trucostats.kernel.scoring import begin_trick, end_hand, hand_worth
from trucostats.kernel.state import NOBODY, TIE, first_in, has, next_in, team
from trucostats.kernel.values import set_values
from trucostats.vocab import NO_CARD


@jit
def identify(s: Any, seat: int, card: int, c: Any) -> None:
    """Note that an unknown dealt card of a seat, held or else covered unnamed, turns out to be this one."""
    s.dealt[seat] |= 1 << card
    s.seen |= 1 << card
    if s.hidden[seat] > 0:
        s.held[seat] |= 1 << card
        s.hidden[seat] -= 1
    s.hidden_dealt[seat] -= 1
    set_values(s, seat, c)


@jit
def spend_card(s: Any, seat: int, card: int, c: Any) -> None:
    """Take a card, named or not, out of a hand."""
    if card == NO_CARD:
        if s.hidden[seat] > 0:
            s.hidden[seat] -= 1
        else:
            s.unnamed[seat] += 1
        return
    if not (s.held[seat] >> card) & 1:
        identify(s, seat, card, c)
    s.held[seat] &= ~(1 << card)


@jit
def lay_card(s: Any, r: Any, c: Any, seat: int, card: int, covered: bool) -> None:
    """Play a card, face up or covered, and complete the trick if it was the last."""
    if r.flor and s.cards_played[seat] == 0 and s.flor_value[seat] >= 0 and not has(s.announced, seat):
        s.unannounced |= 1 << seat
        s.warn_flor += 1
    spend_card(s, seat, card, c)
    strength = -1
    if not covered:
        strength = c[STRENGTH, card]
        s.shown[seat] |= 1 << card
    if strength > s.best:
        s.best = strength
        s.best_sides = 1 << team(seat)
        s.best_seat = seat
        s.best_last = seat
    elif strength == s.best:
        s.best_last = seat
        s.best_sides |= 1 << team(seat)
    s.played |= 1 << seat
    s.cards_played[seat] += 1
    if s.bound[seat] or s.committed[seat] == card + 1:
        s.committed[seat] = 0
        s.bound[seat] = 0
    s.last_card = seat
    advance(s, r)


@jit
def advance(s: Any, r: Any) -> None:
    """Pass the turn to the next player who has yet to play to this trick, or complete the trick."""
    if s.still_in & ~s.played:
        while has(s.played, s.turn) or not has(s.still_in, s.turn):
            s.turn = next_in(s, s.turn)
        if s.played == 0 and s.turn != s.leader:
            s.leader = s.turn
            s.all_leaders[s.n_leaders - 1] = s.turn
        return
    result = TIE if s.best_sides == 3 else s.best_sides - 1
    s.results[s.trick] = result
    s.all_tricks[s.n_tricks] = result
    s.trick += 1
    s.n_tricks += 1
    s.played = 0
    s.trick_open = 0
    winner = decided(s, r)
    if winner != NOBODY or s.trick == s.dealt_each:
        end_hand(s, r, winner, hand_worth(s, r))
        return
    leader = s.best_seat if result == TIE or r.partner_lead == 0 else s.best_last
    if result == TIE and r.tie_leader == 0:
        leader = s.leader
    begin_trick(s, first_in(s, leader))


@jit
def decided(s: Any, r: Any) -> int:
    """Return the team that has won the hand by the tricks so far, or -1."""
    first = s.results[0]
    last = s.results[s.trick - 1]
    if s.trick == 1:
        if s.dealt_each == 3:
            return NOBODY
    elif s.trick == 2:
        if first == TIE:
            return last if last != TIE else NOBODY
        return first if last == first or last == TIE else NOBODY
    elif first != TIE and last == TIE:
        return first if r.third_tied == 0 else NOBODY
    if last != TIE:
        return last
    if r.all_tied == 1:
        return NOBODY
    return team(s.mano) if r.all_tied == 0 else 1 - team(s.dealer)
