"""Judging an event: may this player do this now? The order of checks is that of A.7.1 items 2 to 4 and docs/rulings.md."""

from __future__ import annotations

from typing import Any

from trucostats.errors import CODE_INDEX
from trucostats.kernel.envido import check_declaration, check_envido_step, envido_window, pie_of
from trucostats.kernel.flor import check_flor, check_flor_step, flor_window
from trucostats.kernel.jit import jit
from trucostats.kernel.stake import check_raise, raise_window
from trucostats.kernel.state import (
    ACCEPT,
    AL_RESTO,
    ASK_COUNT,
    BUENAS,
    CARD_NOT_HELD,
    CONTRAFLOR,
    COVER,
    DECISION,
    DECLARE,
    DECLINE,
    ENVIDO,
    ENVIDO_CALL,
    ENVIDO_DECLARING,
    ENVIDO_PENDING,
    FALTA,
    FLOR,
    FLOR_CALL,
    FLOR_CONTRA,
    FLOR_OPEN,
    FLOR_RESTO,
    MAZO,
    NO_QUIERO,
    NOBODY,
    NOT_YOUR_TURN,
    NOTHING,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    TIE,
    TRUCO_CALL,
    has,
    may_hold,
    next_in,
    remaining,
    team,
)
from trucostats.vocab import NO_CARD

GAME_OVER = CODE_INDEX["GAME_OVER"]
HAND_OVER = CODE_INDEX["HAND_OVER"]
NOT_IN_DUEL = CODE_INDEX["NOT_IN_DUEL"]
FOLDED = CODE_INDEX["FOLDED"]
DECISION_PENDING = CODE_INDEX["DECISION_PENDING"]
NOT_YOUR_DECISION = CODE_INDEX["NOT_YOUR_DECISION"]
UNKNOWN_CALL = CODE_INDEX["UNKNOWN_CALL"]
BETTING_FORBIDDEN = CODE_INDEX["BETTING_FORBIDDEN"]
OWN_CALL = CODE_INDEX["OWN_CALL"]
BET_PENDING = CODE_INDEX["BET_PENDING"]
NOTHING_PENDING = CODE_INDEX["NOTHING_PENDING"]
COVER_NOT_ALLOWED = CODE_INDEX["COVER_NOT_ALLOWED"]
COMMITTED_CARD = CODE_INDEX["COMMITTED_CARD"]
ILLEGAL_BET, BETTOR_LOSES_HAND, TEN_PAIR_LOSES, BETTOR_LOSES_GAME = range(4)


@jit
def waiting(s: Any) -> int:
    """Return the family of the call that waits for an answer."""
    if s.deciding:
        return DECISION
    if s.flor == FLOR_CONTRA or s.flor == FLOR_RESTO:
        return FLOR_CALL
    if s.envido == ENVIDO_PENDING:
        return ENVIDO_CALL
    return TRUCO_CALL if s.pending > 0 else NOTHING


@jit
def caller(s: Any, family: int) -> int:
    """Return the seat whose call of a family waits."""
    if family == FLOR_CALL:
        return s.flor_seat
    return s.envido_seat if family == ENVIDO_CALL else s.truco_seat


@jit
def is_envido(verb: int) -> bool:
    """Say whether a verb is an envido call."""
    return ENVIDO <= verb <= FALTA


@jit
def is_flor(verb: int) -> bool:
    """Say whether a verb is a flor word."""
    return FLOR <= verb <= AL_RESTO


@jit
def is_bet(verb: int) -> bool:
    """Say whether a verb is a call that a special hand forbids."""
    return verb >= RAISE or is_envido(verb) or is_flor(verb)


@jit
def check_word(s: Any, r: Any, verb: int, argument: int) -> int:
    """Judge whether the rule set has the word, and whether bets are allowed."""
    if verb >= RAISE and (r.step_of[verb - RAISE] == 0 or (argument > 0 and not r.commit)):
        return UNKNOWN_CALL
    if (is_envido(verb) or verb == DECLARE or verb == BUENAS) and not r.envido:
        return UNKNOWN_CALL
    if is_flor(verb) and not r.flor:
        return UNKNOWN_CALL
    if is_bet(verb):
        return BETTING_FORBIDDEN if s.special != NOBODY and r.special_on_bet == ILLEGAL_BET else OK
    if verb == ACCEPT or verb == DECLINE:
        return OK if r.special_at > 0 else UNKNOWN_CALL
    if verb == ASK_COUNT:
        return OK if r.misdeal else UNKNOWN_CALL
    return OK


@jit
def check_pending(s: Any, r: Any, seat: int, verb: int, family: int) -> int:
    """Judge an event against the call that waits."""
    own = team(caller(s, family)) == team(seat)
    is_card = verb == PLAY or verb == COVER
    if own:
        if verb >= RAISE or is_envido(verb) or is_flor(verb) or verb == QUIERO or verb == NO_QUIERO:
            raises_own = r.allow_self_raise and family == ENVIDO_CALL and is_envido(verb)
            return OK if raises_own else OWN_CALL
        plays_on = (
            is_card
            and family == TRUCO_CALL
            and r.accept_by_play
            and r.caller_may_play
            and seat == s.truco_seat
            and seat == s.turn
            and not s.caller_played
        )
        return OK if plays_on else BET_PENDING
    if verb == QUIERO or verb == NO_QUIERO:
        return OK
    plain_truco = family == TRUCO_CALL and s.pending == 1
    allowed = False
    if verb == MAZO:
        allowed = not (family == ENVIDO_CALL and r.mazo_envido == 1)
    elif verb >= RAISE:
        allowed = family == TRUCO_CALL
    elif is_envido(verb) or verb == FLOR:
        allowed = family == ENVIDO_CALL or plain_truco
    elif is_flor(verb):
        allowed = family == FLOR_CALL or plain_truco
    elif is_card:
        allowed = family == TRUCO_CALL and r.accept_by_play == 1
    elif verb == ASK_COUNT:
        allowed = family == TRUCO_CALL and s.truco_seat == s.extra_seat
    return OK if allowed else BET_PENDING


@jit
def may_reply(s: Any, r: Any, seat: int, family: int) -> bool:
    """Say whether this player of the answering side may give the answer."""
    if has(s.truco_refused if family == TRUCO_CALL else s.refused, seat):
        return False
    if r.reply_by == 0:
        return True
    if r.reply_by == 1:
        return seat == pie_of(s, team(seat))
    follower = next_in(s, caller(s, family))
    while team(follower) != team(seat):
        follower = next_in(s, follower)
    return follower == seat


@jit
def check_turn(s: Any, r: Any, seat: int, verb: int, family: int) -> int:
    """Judge whether this player may act now."""
    fine = True
    if verb == QUIERO or verb == NO_QUIERO:
        fine = may_reply(s, r, seat, family)
    elif verb == DECLARE or verb == BUENAS:
        fine = seat == s.speaker
    elif verb == ASK_COUNT:
        fine = seat == s.dealer
    elif verb == MAZO:
        fine = family != NOTHING or seat == s.turn or r.mazo_timing == 1
    elif verb >= RAISE:
        if family == NOTHING:
            return raise_window(s, r, seat)
        fine = may_reply(s, r, seat, family)
    elif is_envido(verb) or is_flor(verb):
        if family == NOTHING:
            fine = seat == s.turn or (is_flor(verb) and s.flor == FLOR_OPEN)
        else:
            fine = team(caller(s, family)) == team(seat) or may_reply(s, r, seat, family)
    else:
        fine = seat == s.turn
    return OK if fine else NOT_YOUR_TURN


@jit
def may_cover(s: Any, r: Any, seat: int) -> bool:
    """Say whether the rules let a player cover a card in this trick."""
    if r.covered_from == 0 or s.trick + 1 < r.covered_from or (r.covered_by == 1 and seat != s.leader):
        return False
    return r.cover_after_tie == 1 or s.trick == 0 or s.results[s.trick - 1] != TIE


@jit
def check_card(s: Any, r: Any, seat: int, verb: int, argument: int) -> int:
    """Judge the card of a play, a covered card or a card put forward."""
    if verb >= RAISE:
        if argument == 0:
            return OK
        if not may_hold(s, seat, argument - 1):
            return CARD_NOT_HELD
        return COMMITTED_CARD if s.bound[seat] and s.committed[seat] != argument else OK
    if verb == COVER and argument == NO_CARD:
        if remaining(s, seat) <= 0:
            return CARD_NOT_HELD
    elif not may_hold(s, seat, argument):
        return CARD_NOT_HELD
    if verb == COVER:
        if not may_cover(s, r, seat):
            return COVER_NOT_ALLOWED
        return COMMITTED_CARD if s.bound[seat] else OK
    return COMMITTED_CARD if s.bound[seat] and s.committed[seat] != argument + 1 else OK


@jit
def check(s: Any, r: Any, c: Any, seat: int, verb: int, argument: int) -> int:
    """Return the first fault of an event in a settled state, in the order of A.7.1, or OK."""
    if s.game_over:
        return GAME_OVER
    if s.over:
        return HAND_OVER
    if not has(s.members, seat):
        return NOT_IN_DUEL
    if not has(s.still_in, seat):
        return FOLDED
    if s.deciding:
        if verb != ACCEPT and verb != DECLINE:
            return DECISION_PENDING
        return OK if team(seat) == s.special else NOT_YOUR_DECISION
    return judge(s, r, c, seat, verb, argument)


@jit
def judge(s: Any, r: Any, c: Any, seat: int, verb: int, argument: int) -> int:
    """Return the first fault of an event of a player still in, in a hand under way that waits for no decision."""
    fault = check_word(s, r, verb, argument)
    if fault != OK:
        return fault
    if s.special != NOBODY and is_bet(verb):
        return check_card(s, r, seat, verb, argument) if verb >= RAISE else OK
    if is_envido(verb):
        fault = envido_window(s, r, seat)
    elif is_flor(verb):
        fault = flor_window(s, seat)
    if fault != OK:
        return fault
    family = waiting(s)
    if (s.envido == ENVIDO_DECLARING and (verb == DECLARE or verb == BUENAS)) or (
        s.flor == FLOR_OPEN and is_flor(verb)
    ):
        family = NOTHING
    if family != NOTHING:
        fault = check_pending(s, r, seat, verb, family)
    elif verb == QUIERO or verb == NO_QUIERO or verb == ACCEPT or verb == DECLINE or verb == ASK_COUNT:
        fault = NOTHING_PENDING
    elif verb == DECLARE or verb == BUENAS:
        fault = check_declaration(s, c, seat, verb, argument) if s.envido == ENVIDO_DECLARING else NOTHING_PENDING
    elif (verb == CONTRAFLOR or verb == AL_RESTO) and s.flor == FLOR_OPEN and team(s.flor_seat) == team(seat):
        fault = OWN_CALL
    if fault != OK:
        return fault
    if is_flor(verb):
        fault = check_flor(s, c, seat, verb)
        if fault == OK:
            fault = check_flor_step(s, verb)
    elif is_envido(verb):
        fault = check_envido_step(s, r, verb)
    elif verb >= RAISE:
        fault = check_raise(s, r, seat, verb)
    if fault != OK:
        return fault
    fault = check_turn(s, r, seat, verb, family)
    if fault != OK:
        return fault
    if verb == PLAY or verb == COVER or verb >= RAISE:
        return check_card(s, r, seat, verb, argument)
    return OK
