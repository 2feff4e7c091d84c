"""The legal set: which verbs, and which whole events, a player may use now. Derived from `check` alone."""

from __future__ import annotations

from typing import Any

from trucostats.kernel.check import check, check_card, check_pending, judge, may_cover, waiting
from trucostats.kernel.envido import envido_window
from trucostats.kernel.flor import flor_window
from trucostats.kernel.jit import jit
from trucostats.kernel.settle import settle
from trucostats.kernel.state import (
    ACCEPT,
    AL_RESTO,
    ASK_COUNT,
    BUENAS,
    COVER,
    DECLARE,
    DECLINE,
    ENVIDO,
    ENVIDO_DECLARING,
    FLOR,
    FLOR_OPEN,
    MAZO,
    N_VERBS,
    NO_QUIERO,
    NO_VALUE,
    NOBODY,
    NOTHING,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    TRUCO_CALL,
    has,
    may_hold,
    remaining,
    team,
)
from trucostats.kernel.values import could_be, lowest
from trucostats.vocab import NO_CARD

LAYING = (1 << PLAY) | (1 << COVER)


@jit
def candidates(s: Any, r: Any, seat: int) -> int:
    """Return a set of verbs that contains every legal one; only a shortcut for `legal_settled`, which judges each."""
    family = waiting(s)
    # Any step but the next is out of order, unless a bet of any kind is an infraction.
    words = r.raise_bit[(s.pending if s.pending > 0 else s.level) + 1]
    if s.special != NOBODY:
        words = (((1 << (N_VERBS - RAISE)) - 1) << RAISE) | (7 << ENVIDO) | (7 << FLOR)
    else:
        if r.envido and envido_window(s, r, seat) == OK:
            words |= 7 << ENVIDO
        if r.flor and flor_window(s, seat) == OK and (s.flor_value[seat] != NO_VALUE or has(s.announced, seat)):
            words |= 7 << FLOR
    cards = (1 << PLAY) | ((1 << COVER) if r.covered_from > 0 else 0)
    if family == NOTHING:
        return words | cards | (1 << MAZO)
    words |= (1 << QUIERO) | (1 << NO_QUIERO) | (1 << MAZO)
    if family == TRUCO_CALL:
        if s.extra_seat >= 0:
            words |= 1 << ASK_COUNT
        if r.accept_by_play:
            words |= cards
    return words


@jit
def some_card(s: Any, r: Any, seat: int, verb: int) -> bool:
    """Say whether some card can be played or covered, turn and pending calls apart."""
    if remaining(s, seat) <= 0:
        return False
    return verb == PLAY or (may_cover(s, r, seat) and not s.bound[seat])


@jit
def legal_settled(s: Any, r: Any, c: Any, seat: int) -> int:
    """Return the set of verbs a seat may use in a settled state; numbers and concessions apart."""
    if s.over or not has(s.members & s.still_in, seat):
        return 0
    if s.deciding:
        return (1 << ACCEPT) | (1 << DECLINE) if team(seat) == s.special else 0
    verbs = 0
    left = candidates(s, r, seat)
    if seat == s.turn and may_lay(s, r, seat):
        for verb in (PLAY, COVER):
            if has(left, verb) and some_card(s, r, seat, verb):
                verbs |= 1 << verb
    left &= ~LAYING
    while left:
        verb = lowest(left)
        left &= left - 1
        if judge(s, r, c, seat, verb, 0) == OK:
            verbs |= 1 << verb
    return verbs


@jit
def may_lay(s: Any, r: Any, seat: int) -> bool:
    """Say whether no waiting call keeps a seat from playing a card."""
    family = waiting(s)
    return family == NOTHING or check_pending(s, r, seat, PLAY, family) == OK


@jit
def legal(states: Any, r: Any, c: Any, seat: int) -> int:
    """Return the set of verbs (bit k for `VERBS[k]`) that a seat may use now; `show` is left out.

    `states` has two rows, the second is scratch. `declare` is in the set if the seat speaks next; its number must still fit.
    """
    s = states[0]
    verbs = 0
    if s.envido == ENVIDO_DECLARING and not s.over and has(s.still_in, seat) and seat == s.speaker:
        verbs |= 1 << DECLARE
        if s.best_speaker != NOBODY:
            verbs |= 1 << BUENAS
    if s.flor == FLOR_OPEN:
        for verb in range(FLOR, AL_RESTO + 1):
            if check(s, r, c, seat, verb, 0) == OK:
                verbs |= 1 << verb
    if s.envido == ENVIDO_DECLARING or s.flor == FLOR_OPEN:
        states[1] = states[0]
        settle(states[1], r, c)
        return verbs | legal_settled(states[1], r, c, seat)
    return legal_settled(s, r, c, seat)


@jit
def list_actions(states: Any, r: Any, c: Any, seats: Any, codes: Any) -> int:
    """Write every legal event but `show` into two arrays (seat, code) and return how many there are."""
    n = 0
    s = states[0]
    for seat in range(s.seats):
        verbs = legal(states, r, c, seat)
        for verb in range(N_VERBS):
            if not (verbs >> verb) & 1:
                continue
            if verb == PLAY or verb == COVER:
                for card in range(40):
                    if may_hold(s, seat, card) and check_card(s, r, seat, verb, card) == OK:
                        seats[n] = seat
                        codes[n] = verb | (card << 5)
                        n += 1
                if verb == COVER and s.hidden[seat] > 0:
                    seats[n] = seat
                    codes[n] = verb | (NO_CARD << 5)
                    n += 1
                continue
            if verb == DECLARE:
                for number in range(48):
                    if could_be(s, seat, c, number, False):
                        seats[n] = seat
                        codes[n] = verb | (number << 5)
                        n += 1
                continue
            seats[n] = seat
            codes[n] = verb
            n += 1
            if verb >= RAISE and r.commit:
                for card in range(40):
                    if check_card(s, r, seat, verb, card + 1) == OK:
                        seats[n] = seat
                        codes[n] = verb | ((card + 1) << 5)
                        n += 1
    return n
