"""`check`, `step` and `legal`: the one authority on play. Source: A.7.1 items 2 to 8 and docs/rulings.md."""

from __future__ import annotations

from typing import Any

from trucostats.errors import CODE_INDEX
from trucostats.kernel.envido import (
    accept_envido,
    call_envido,
    check_declaration,
    check_envido_step,
    check_proof,
    declare,
    envido_window,
    pie_of,
    refuse_envido,
    settle_envido,
)
from trucostats.kernel.flor import (
    accept_flor,
    call_flor,
    check_flor,
    check_flor_step,
    flor_window,
    refuse_flor,
    settle_flor,
)
from trucostats.kernel.jit import jit
from trucostats.kernel.scoring import close_hand, end_game, end_hand, hand_worth
from trucostats.kernel.stake import accept_truco, call_truco, check_raise, raise_window, refuse_truco
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
    ENVIDO_NONE,
    ENVIDO_PENDING,
    FALTA,
    FLOR,
    FLOR_CALL,
    FLOR_CONTRA,
    FLOR_OPEN,
    FLOR_RESTO,
    MAZO,
    N_VERBS,
    NO_CARD,
    NO_QUIERO,
    NOBODY,
    NOT_YOUR_TURN,
    NOTHING,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    SHOW,
    TRUCO_CALL,
    has,
    may_hold,
    next_in,
    remaining,
    side,
    team,
)
from trucostats.kernel.tricks import advance, identify, lay_card
from trucostats.kernel.values import could_be

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
    elif is_envido(verb):
        allowed = family == ENVIDO_CALL or plain_truco
    elif verb == FLOR:
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
        fine = family != NOTHING or seat == s.turn
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
    return r.covered_from > 0 and s.trick + 1 >= r.covered_from and (r.covered_by == 0 or seat == s.leader)


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
    if (s.envido == ENVIDO_DECLARING and (verb == DECLARE or verb == BUENAS)) or (s.flor == FLOR_OPEN and is_flor(verb)):
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


@jit
def unsettled(s: Any, verb: int) -> bool:
    """Say whether an event of this verb first settles an accepted envido or an announced flor."""
    if s.envido == ENVIDO_DECLARING and verb != DECLARE and verb != BUENAS:
        return True
    return s.flor == FLOR_OPEN and not is_flor(verb)


@jit
def settle(s: Any, r: Any, c: Any) -> None:
    """Settle whatever waits for more words of its kind."""
    if s.envido == ENVIDO_DECLARING:
        settle_envido(s, r, c)
    if s.flor == FLOR_OPEN:
        settle_flor(s, r, 0)


@jit
def finish(s: Any, r: Any, c: Any) -> None:
    """End the record here: settle what waits and judge the proof of the envido."""
    settle(s, r, c)
    check_proof(s, r, c)


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
    early = s.trick == 0 and s.called == 0 and r.mazo_early_extra == 1 and (s.special == NOBODY or s.special == 2)
    s.still_in &= ~(1 << seat)
    if r.mazo_scope == 1:
        s.still_in &= 42 if which == 0 else 21
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


@jit
def candidates(s: Any, r: Any) -> int:
    """Return a set of verbs that contains every legal one in a settled state; only a shortcut for `legal`."""
    if s.over:
        return 0
    family = waiting(s)
    if family == DECISION:
        return (1 << ACCEPT) | (1 << DECLINE)
    # Any step but the next is out of order, unless a bet of any kind is an infraction.
    raises = ((1 << (N_VERBS - RAISE)) - 1) << RAISE
    words = 0
    if s.special != NOBODY:
        words = (7 << ENVIDO) | (7 << FLOR)
    else:
        raises = r.raise_bit[(s.pending if s.pending > 0 else s.level) + 1]
    if r.envido and (s.envido == ENVIDO_PENDING or (s.trick == 0 and s.envido == ENVIDO_NONE and s.level == 0)):
        words |= 7 << ENVIDO
    if r.flor and s.trick == 0:
        words |= 7 << FLOR
    if family == NOTHING:
        return words | raises | (1 << PLAY) | (1 << COVER) | (1 << MAZO)
    answers = (1 << QUIERO) | (1 << NO_QUIERO) | (1 << MAZO)
    if family == TRUCO_CALL:
        answers |= raises | (1 << ASK_COUNT)
        if r.accept_by_play:
            answers |= (1 << PLAY) | (1 << COVER)
    return words | answers


@jit
def some_card(s: Any, r: Any, seat: int, verb: int) -> bool:
    """Say whether some card can be played or covered, turn and pending calls apart."""
    if remaining(s, seat) <= 0:
        return False
    return verb == PLAY or (may_cover(s, r, seat) and not s.bound[seat])


@jit
def legal_settled(s: Any, r: Any, c: Any, seat: int) -> int:
    """Return the set of verbs a seat may use in a settled state; numbers and concessions apart."""
    verbs = 0
    left = candidates(s, r)
    verb = 0
    while left:
        if left & 1:
            if verb == PLAY or verb == COVER:
                if seat == s.turn and can_act_with_card(s, r, seat) and some_card(s, r, seat, verb):
                    verbs |= 1 << verb
            elif check(s, r, c, seat, verb, 0) == OK:
                verbs |= 1 << verb
        left >>= 1
        verb += 1
    return verbs


@jit
def can_act_with_card(s: Any, r: Any, seat: int) -> bool:
    """Say whether no waiting call and no fold keeps a seat from playing a card."""
    if not has(s.still_in, seat) or s.deciding:
        return False
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


__all__ = [
    "ENVIDO_NONE",
    "check",
    "finish",
    "legal",
    "list_actions",
    "step",
    "waiting",
]
