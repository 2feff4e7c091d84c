"""What a replay notes down: the state before an event, chances, calls and answers, endings, final states."""

from __future__ import annotations

from typing import Any

from trucostats.kernel.check import is_envido, is_flor, waiting
from trucostats.kernel.envido import envido_worth, falta_worth
from trucostats.kernel.jit import jit
from trucostats.kernel.scoring import hand_worth
from trucostats.kernel.state import (
    ASK_COUNT,
    CALLED_TRUCO,
    COVER,
    DECLINE,
    ENVIDO_CALL,
    ENVIDO_NONE,
    FALTA,
    FLOR,
    FLOR_CALL,
    FLOR_NONE,
    MAZO,
    NO_QUIERO,
    NOBODY,
    PLAY,
    RAISE,
    TRUCO_CALL,
    remaining,
    team,
)
from trucostats.kernel.values import could_be
from trucostats.rows import (
    BY_CARDS,
    BY_DECLINE,
    BY_GAME,
    BY_INFRACTION,
    BY_MAZO,
    BY_MISDEAL,
    BY_REFUSAL,
    ENVIDO_BITS,
    ENVIDO_CHANCE,
    ENVIDO_FIRST_WORD,
    ENVIDO_OPENED,
    FLOR_ANNOUNCED,
    FLOR_CHANCE,
    NO_ANSWER,
    RAISE_BITS,
    TRUCO_CHANCE,
    TRUCO_OPENED,
    WORD_HELD,
    WORD_USED,
)


@jit
def own_result(s: Any, seat: int) -> int:
    """Return the first trick as the seat's side sees it: 1 won, 0 lost, 2 tied, -1 not yet."""
    if s.trick == 0:
        return -1
    if s.results[0] == 2:
        return 2
    return 1 if s.results[0] == team(seat) else 0


@jit
def note_before(s: Any, r: Any, row: Any, seat: int, verbs: int) -> None:
    """Write the state before an event."""
    row.trick = max(s.n_leaders, 1)
    row.position = (seat - s.mano) % s.seats
    row.turn = s.turn
    row.pending = waiting(s)
    row.level = s.level
    row.stake = hand_worth(s, r)
    row.owner = s.owner
    row.cards_left = remaining(s, seat)
    row.first_trick = own_result(s, seat)
    row.score_own = s.score[team(seat)]
    row.score_rival = s.score[1 - team(seat)]
    row.legal = verbs


@jit
def note_chances(s: Any, row: Any, seat: int, verb: int, verbs: int) -> None:
    """Write which chances the player had at this event, and which he took."""
    chances = 0
    if s.special != NOBODY:  # a bet here is an infraction, not a chance
        verbs &= ~(RAISE_BITS | ENVIDO_BITS)
    if s.envido == ENVIDO_NONE and s.flor == FLOR_NONE and verbs & ENVIDO_BITS:
        chances |= ENVIDO_CHANCE
        if seat == s.mano and s.trick == 0 and s.played == 0 and s.called == 0:
            chances |= ENVIDO_FIRST_WORD
        if is_envido(verb):
            chances |= ENVIDO_OPENED
    if verbs & RAISE_BITS:
        if s.called & CALLED_TRUCO == 0:
            chances |= TRUCO_CHANCE
            if verb >= RAISE:
                chances |= TRUCO_OPENED
        elif s.pending == 0 and s.level > 0 and seat == s.turn:
            chances |= WORD_HELD
            if verb >= RAISE:
                chances |= WORD_USED
    if (verbs >> FLOR) & 1 and s.flor_value[seat] >= 0:
        chances |= FLOR_CHANCE
    if is_flor(verb):
        chances |= FLOR_ANNOUNCED
    row.chances |= chances


@jit
def answer_call(calls: Any, at: int, answer: int, seat: int, event: int, can_raise: bool) -> None:
    """Write the answer of an open call."""
    if at >= 0 and calls[at].answer == NO_ANSWER:
        calls[at].answer = answer
        calls[at].answer_seat = seat
        calls[at].answer_event = event
        calls[at].can_raise = 1 if can_raise else 0


@jit
def new_call(s: Any, r: Any, row: Any, hand: int, event: int, seat: int, verb: int, before_pending: int) -> None:
    """Write a call from the state after it."""
    row.hand = hand
    row.event = event
    row.verb = verb
    row.seat = seat
    row.position = (seat - s.mano) % s.seats
    row.trick = max(s.n_leaders, 1)
    row.after_card = (s.played >> seat) & 1
    row.first_trick = own_result(s, seat)
    row.answer = NO_ANSWER
    row.answer_seat = -1
    row.answer_event = -1
    row.duel = s.duel
    row.over_truco = 0
    if verb >= RAISE:
        row.family = TRUCO_CALL
        row.step = s.pending
        row.opening = 1 if s.pending == 1 else 0
        row.refused_worth = r.worth[s.level]
        row.accepted_worth = r.worth[s.pending]
        return
    row.over_truco = before_pending
    if is_envido(verb):
        row.family = ENVIDO_CALL
        row.step = s.n_envido + s.n_real + s.n_falta
        row.opening = 1 if row.step == 1 else 0
        row.refused_worth = s.envido_before
        worth = s.envido_sum
        if verb == FALTA:
            s.score_then[0] = s.score[0]
            s.score_then[1] = s.score[1]
            worth = envido_worth(s, r, team(seat))
        row.accepted_worth = worth
        return
    row.family = FLOR_CALL
    row.step = verb - FLOR + 1
    row.opening = 1 if s.announced == 1 << seat else 0
    row.refused_worth = 0 if verb == FLOR else s.flor_refused
    row.accepted_worth = 3 if verb == FLOR else 6
    if verb == FLOR + 2:
        s.score_then[0] = s.score[0]
        s.score_then[1] = s.score[1]
        row.accepted_worth = falta_worth(s, r, team(seat))


@jit
def ending_of(s: Any, verb: int) -> int:
    """Return how the hand ended, from the verb that ended it."""
    if s.void:
        return BY_MISDEAL
    if s.infraction:
        return BY_INFRACTION
    if verb == PLAY or verb == COVER:
        return BY_CARDS
    if verb == MAZO:
        return BY_MAZO
    if verb == DECLINE:
        return BY_DECLINE
    if s.game_over and (s.hand_winner < 0 or (s.duel >= 0 and s.duel_winner[s.duel] < 0)):
        return BY_GAME
    if verb == NO_QUIERO:
        return BY_REFUSAL
    return BY_MISDEAL if verb == ASK_COUNT else BY_CARDS


@jit
def note_final(s: Any, row: Any) -> None:
    """Keep what the tables need of the state a hand ends in."""
    row.seats = s.seats
    row.dealer = s.dealer
    row.turn = s.turn
    row.level = s.level
    row.duel = s.duel
    row.n_tricks = s.n_tricks
    row.n_leaders = s.n_leaders
    row.over = s.over
    row.void = s.void
    row.infraction = s.infraction
    row.hand_winner = s.hand_winner
    row.envido_side = s.envido_side
    row.game_over = s.game_over
    row.game_winner = s.game_winner
    row.envido_unknown = s.envido_unknown
    row.flor_unknown = s.flor_unknown
    row.warn_flor = s.warn_flor
    row.warn_conceded = s.warn_conceded
    row.warn_proof = s.warn_proof
    for side in range(2):
        row.score[side] = s.score[side]
        row.points_envido[side] = s.points_envido[side]
        row.points_flor[side] = s.points_flor[side]
        row.points_truco[side] = s.points_truco[side]
    for seat in range(6):
        row.dealt[seat] = s.dealt[seat]
        row.hidden_dealt[seat] = s.hidden_dealt[seat]
        row.value[seat] = s.value[seat]
        row.flor_value[seat] = s.flor_value[seat]
    for trick in range(9):
        row.all_tricks[trick] = s.all_tricks[trick]
        row.all_leaders[trick] = s.all_leaders[trick]
    for duel in range(3):
        row.duel_winner[duel] = s.duel_winner[duel]


@jit
def check_words(s: Any, c: Any, hand: Any, seats: Any) -> None:
    """Note the numbers and flores that cards seen later contradict."""
    for seat in range(s.seats):
        number = seats[seat].declared
        if number >= 0 and not could_be(s, seat, c, number, False):
            hand.bad_number |= 1 << seat
        if seats[seat].chances & FLOR_ANNOUNCED and not could_be(s, seat, c, 0, True):
            hand.bad_flor |= 1 << seat
