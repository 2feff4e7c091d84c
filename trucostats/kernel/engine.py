"""Playing an event: `step` judges it and changes the state. Source: A.7.1 and docs/rulings.md."""

from __future__ import annotations

from typing import Any

from trucostats.kernel.check import caller, check, is_bet, is_envido, is_flor, waiting
from trucostats.kernel.envido import accept_envido, call_envido, declare, refuse_envido
from trucostats.kernel.flor import accept_flor, call_flor, refuse_flor
from trucostats.kernel.jit import jit
from trucostats.kernel.scoring import close_hand, end_game, end_hand, hand_worth, pays_special
from trucostats.kernel.settle import settle, unsettled
from trucostats.kernel.stake import accept_truco, call_truco, refuse_truco
from trucostats.kernel.state import (
    ACCEPT,
    BUENAS,
    CARD_NOT_HELD,
    COVER,
    DECLARE,
    DECLINE,
    ENVIDO_CALL,
    EVEN_SEATS,
    FLOR_CALL,
    MAZO,
    NO_QUIERO,
    NOBODY,
    NOTHING,
    ODD_SEATS,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    SHOW,
    TRUCO_CALL,
    side,
    team,
)
from trucostats.kernel.tricks import advance, identify, lay_card

ILLEGAL_BET, BETTOR_LOSES_HAND, TEN_PAIR_LOSES, BETTOR_LOSES_GAME = range(4)


@jit
def step(states: Any, r: Any, c: Any, seat: int, code: int) -> int:
    """Apply an event code to `states[0]` and return OK, or return its fault and leave `states[0]` as it was.

    `states` has two rows; the second is scratch. Total: any seat of the table and any code of the vocabulary may be given.
    """
    s = states[0]
    seat = int(seat)
    verb = int(code) & 31
    argument = int(code) >> 5
    if verb == SHOW:
        return show(states, r, c, seat, argument)
    if unsettled(s, verb):
        states[1] = states[0]
        settle(states[1], r, c)
        fault = check(states[1], r, c, seat, verb, argument)
        if fault == OK:
            states[0] = states[1]
    else:
        fault = check(s, r, c, seat, verb, argument)
    if fault == OK:
        apply(s, r, c, seat, verb, argument)
    return fault


@jit
def show(states: Any, r: Any, c: Any, seat: int, cards: int) -> int:
    """Show cards; they must be the speaker's as far as is known."""
    states[1] = states[0]
    s = states[1]
    settle(s, r, c)
    while cards > 0:
        card = (cards & 63) - 1
        if not (s.dealt[seat] >> card) & 1:
            if s.hidden_dealt[seat] == 0 or (s.seen >> card) & 1:
                return CARD_NOT_HELD
            identify(s, seat, card, c)
        s.shown[seat] |= 1 << card
        cards >>= 6
    states[0] = states[1]
    return OK


@jit
def apply(s: Any, r: Any, c: Any, seat: int, verb: int, argument: int) -> None:
    """Change the state by a legal event."""
    family = waiting(s)
    if verb == PLAY or verb == COVER:
        if s.pending > 0:
            if team(s.truco_seat) == team(seat):
                s.caller_played = 1
            else:
                accept_truco(s, r, seat)
                if s.over:
                    return
        lay_card(s, r, c, seat, argument, verb == COVER)
        return
    s.last_card = NOBODY
    if s.special != NOBODY and is_bet(verb):
        forbidden_bet(s, r, team(seat))
    elif verb >= RAISE:
        call_truco(s, r, c, seat, verb, argument)
    elif is_envido(verb):
        call_envido(s, r, seat, verb)
    elif is_flor(verb):
        call_flor(s, r, c, seat, verb)
    elif verb == DECLARE or verb == BUENAS:
        declare(s, r, c, seat, verb, argument)
    elif verb == QUIERO:
        if family == FLOR_CALL:
            accept_flor(s, r)
        elif family == ENVIDO_CALL:
            accept_envido(s, r)
        else:
            accept_truco(s, r, seat)
    elif verb == NO_QUIERO:
        if family == TRUCO_CALL:
            s.truco_refused |= 1 << seat
        else:
            s.refused |= 1 << seat
        if all_refused(s, r, team(seat), family):
            refuse(s, r, family)
    elif verb == MAZO:
        leave(s, r, seat, family)
    elif verb == ACCEPT:
        s.deciding = 0
    elif verb == DECLINE:
        s.deciding = 0
        end_hand(s, r, 1 - team(seat), r.special_pass_value)
    else:
        s.void = 1
        close_hand(s)


@jit
def all_refused(s: Any, r: Any, which: int, family: int) -> bool:
    """Say whether a side has refused the call that waits."""
    refused = s.truco_refused if family == TRUCO_CALL else s.refused
    return r.refusal == 0 or r.reply_by != 0 or side(s, which) & ~refused == 0


@jit
def refuse(s: Any, r: Any, family: int) -> None:
    """Refuse the call that waits."""
    if family == FLOR_CALL:
        refuse_flor(s, r)
    elif family == ENVIDO_CALL:
        refuse_envido(s, r)
    else:
        refuse_truco(s, r)


@jit
def leave(s: Any, r: Any, seat: int, family: int) -> None:
    """Fold: the player, or his side, is out; when nobody of it is left the hand is lost."""
    which = team(seat)
    early = s.trick == 0 and s.called == 0 and r.mazo_early_extra == 1 and not pays_special(s, r)
    s.still_in &= ~(1 << seat)
    if r.mazo_scope == 1:
        s.still_in &= ODD_SEATS if which == 0 else EVEN_SEATS
    if side(s, which) == 0:
        if family == FLOR_CALL or family == ENVIDO_CALL:
            refuse(s, r, family)
        if not s.game_over:
            s.pending = 0
            end_hand(s, r, 1 - which, hand_worth(s, r) + (1 if early else 0))
        return
    duel = s.duel
    refused = s.truco_refused if family == TRUCO_CALL else s.refused
    if family != NOTHING and r.refusal == 1 and team(caller(s, family)) != which and side(s, which) & ~refused == 0:
        refuse(s, r, family)
        if s.over or s.duel != duel:
            return
    advance(s, r)


@jit
def forbidden_bet(s: Any, r: Any, bettor: int) -> None:
    """End a special hand by the bet somebody made in it. Source: A.4.1."""
    s.infraction = 1
    if r.special_on_bet == BETTOR_LOSES_GAME:
        end_game(s, 1 - bettor)
        return
    loser = bettor
    if r.special_on_bet == TEN_PAIR_LOSES and s.special != 2:
        loser = s.special
    end_hand(s, r, 1 - loser, r.special_value)
