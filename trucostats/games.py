"""Simulated games: who acts, hand after hand until the game is won. The kernel judges every event."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from trucostats.chance import below, deal_cards, happens, pick_bit
from trucostats.kernel.check import waiting
from trucostats.kernel.deal import start
from trucostats.kernel.engine import step
from trucostats.kernel.jit import jit
from trucostats.kernel.legal import legal
from trucostats.kernel.params import NO_TURNED
from trucostats.kernel.settle import finish
from trucostats.kernel.state import (
    ACCEPT,
    BUENAS,
    DECLARE,
    DECLINE,
    ENVIDO_DECLARING,
    FLOR,
    FLOR_OPEN,
    MAZO,
    NO_QUIERO,
    NOBODY,
    NOTHING,
    OK,
    QUIERO,
    SHOW,
    next_in,
)
from trucostats.kernel.values import envido_of
from trucostats.policies import (
    A_CARDS,
    A_PLAIN,
    A_RANDOM,
    BETS,
    RAISE_WORDS,
    SILENT,
    any_choice,
    choose,
    fill_powers,
    raise_of,
    true_words,
)
from trucostats.series import format_after

# A record holds 200 events; past this many a hand gets no more bets, so that it ends.
BET_LIMIT: Final = 120
EVENT_ROOM: Final = 200
ONE_CARD_IN: Final = 25
GAME_ROW: Final = np.dtype(
    (
        np.record,
        [(name, "i8") for name in ("dealer", "turned", "format", "event_end", "over", "winner")]
        + [("score", "i8", (2,)), ("points", "i8", (2,)), ("deal", "i8", (6, 4)), ("shown", "i8", (6,))],
    )
)
WORDS_SAID: Final = 1 << DECLARE | 1 << BUENAS
TABLE_FIELDS: Final = ("dealer", "score 0", "score 1", "format before")


@jit
def without(verbs: int, words: int) -> int:
    """Return a set of verbs without some of them, unless nothing would be left."""
    return verbs & ~words if verbs & ~words else verbs


@jit
def free_event(work: Any, r: Any, c: Any, rng: Any, bets: bool, chosen: Any) -> None:
    """Write into `chosen` a seat of those that may act, each as likely, and one of its events; seat -1 if there is none."""
    s = work[0]
    seats = 0
    for seat in range(s.seats):
        if true_words(s, seat, legal(work, r, c, seat)):
            seats |= 1 << seat
    chosen[0] = NOBODY
    if seats == 0:
        return
    seat = pick_bit(rng, seats)
    verbs = true_words(s, seat, legal(work, r, c, seat))
    chosen[0] = seat
    chosen[1] = any_choice(s, r, rng, seat, verbs if bets else without(verbs, BETS))


@jit
def flor_seat(work: Any, r: Any, c: Any, policy: Any) -> int:
    """Return a seat that holds a flor it may still announce, and would; -1 if there is none."""
    s = work[0]
    for seat in range(s.seats):
        if s.flor_value[seat] >= 0 and policy[seat] != A_CARDS and (legal(work, r, c, seat) >> FLOR) & 1:
            return seat
    return NOBODY


@jit
def next_event(work: Any, r: Any, c: Any, powers: Any, rng: Any, policy: Any, bets: bool, chosen: Any) -> None:
    """Write into `chosen` the seat that acts next and the event its policy chooses; seat -1 if settling ends the game."""
    s = work[0]
    barred = 0 if bets else BETS
    chosen[0] = NOBODY
    seat = s.turn
    # A hand with no number to say leaves the envido to be settled by what comes next.
    if s.envido == ENVIDO_DECLARING and true_words(s, s.speaker, legal(work, r, c, s.speaker)) & WORDS_SAID:
        seat = s.speaker
    elif s.flor == FLOR_OPEN and flor_seat(work, r, c, policy) != NOBODY:
        seat = flor_seat(work, r, c, policy)
    elif waiting(s) != NOTHING:
        # The side that must answer, asked in order of play: the first who wants the call, else the last.
        seat = s.mano
        for _ in range(s.seats):
            verbs = true_words(s, seat, legal(work, r, c, seat))
            if verbs & (1 << QUIERO | 1 << ACCEPT):
                chosen[0] = seat
                chosen[1] = choose(s, r, c, powers, rng, policy[seat], seat, without(verbs, barred))
                if chosen[1] != NO_QUIERO and chosen[1] != MAZO and chosen[1] != DECLINE:
                    return
            seat = next_in(s, seat)
        return
    elif s.last_card >= 0 and r.truco_timing == 1 and policy[s.last_card] == A_PLAIN and happens(rng, 5):
        verbs = legal(work, r, c, s.last_card)
        if verbs & RAISE_WORDS and bets:
            chosen[0] = s.last_card
            chosen[1] = raise_of(s, r, c, powers, rng, s.last_card, verbs)
            return
    verbs = true_words(s, seat, legal(work, r, c, seat))
    if verbs:
        chosen[0] = seat
        chosen[1] = choose(s, r, c, powers, rng, policy[seat], seat, without(verbs, barred))


@jit
def play_hand(
    work: Any, r: Any, c: Any, powers: Any, rng: Any, policy: Any, free: bool, chosen: Any, event_seat: Any, event_code: Any,
    n_events: int,
) -> int:  # fmt: skip
    """Play a dealt hand to its end, append its events and return how many there are now."""
    s = work[0]
    first = n_events
    while not s.over:
        bets = n_events - first < BET_LIMIT
        if free:
            free_event(work, r, c, rng, bets, chosen)
        else:
            next_event(work, r, c, powers, rng, policy, bets, chosen)
        if chosen[0] == NOBODY or chosen[1] == SILENT:
            break
        fault = step(work, r, c, chosen[0], chosen[1])
        if fault != OK or n_events - first >= EVENT_ROOM - 6:
            return -1 - fault
        event_seat[n_events] = chosen[0]
        event_code[n_events] = chosen[1]
        n_events += 1
    if r.proof > 0:
        for place in range(3):
            seat = s.proof_seat[place]
            if seat >= 0 and envido_of(s.shown[seat], c) < s.proof_number[place]:
                code = 0
                for card in range(40):
                    if (s.dealt[seat] >> card) & 1:
                        code = (code << 6) | (card + 1)
                code = SHOW | (code << 5)
                step(work, r, c, seat, code)
                event_seat[n_events] = seat
                event_code[n_events] = code
                n_events += 1
    finish(s, r, c)
    return n_events


@jit
def play_game(
    r: Any, cards: Any, seats: int, turns: int, pica: int, policy: Any, rng: Any, table: Any, blank: Any, hands: Any,
    event_seat: Any, event_code: Any,
) -> int:  # fmt: skip
    """Play hands of one game from the state of `table` until it is won or `hands` is full; return how many were played.

    `table` (see `TABLE_FIELDS`) is carried on. A negative result means that the kernel refused an event: a fault of a policy.
    """
    work = blank.copy()
    s = work[0]
    powers = np.zeros(40, np.int64)
    pack = np.zeros(40, np.int64)
    chosen = np.zeros(2, np.int64)
    null_hand = np.zeros(6, np.bool_)
    setting = np.zeros(6, np.int64)
    free = True
    for seat in range(seats):
        free = free and policy[seat] == A_RANDOM
    n_events = 0
    turned = -1
    for h in range(len(hands)):
        row = hands[h]
        each = 3
        if r.one_card and max(table[1], table[2]) < r.special_at and below(rng, ONE_CARD_IN) == 0:
            each = 1
        deal_cards(s, r, rng, seats, each, turns, pack, row.deal)
        now = pack[0] if turns else NO_TURNED
        c = cards[now]
        if now != turned:
            fill_powers(c, powers)
            turned = now
        form = 0
        if seats == 6:
            form = format_after(pica, r.target, max(table[1], table[2]), min(table[1], table[2]), table[3])
        setting[0] = seats
        setting[1] = table[0]
        setting[2] = now
        setting[3] = form
        setting[4] = table[1]
        setting[5] = table[2]
        row.dealer = table[0]
        row.turned = now
        row.format = form
        row.score[0] = table[1]
        row.score[1] = table[2]
        work[0] = blank[0]
        fault = start(s, r, c, setting, row.deal, null_hand)
        if fault != OK:
            return -1 - fault
        n_events = play_hand(work, r, c, powers, rng, policy, free, chosen, event_seat, event_code, n_events)
        if n_events < 0:
            return n_events
        row.event_end = n_events
        row.points[0] = s.score[0] - table[1]
        row.points[1] = s.score[1] - table[2]
        row.over = s.game_over
        row.winner = s.game_winner
        for seat in range(6):
            row.shown[seat] = s.shown[seat]
        if not s.void:
            table[0] = (s.dealer + 1) % s.seats
        table[1] = s.score[0]
        table[2] = s.score[1]
        table[3] = form
        if s.game_over:
            return h + 1
    return len(hands)
