"""Replay of a batch: every hand through the kernel, with the state before every event and the fate of every call.

`replay_batch` turns the integer arrays of a `Batch` into the arrays of a `Replayed`; it knows no names and builds no tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import CODE_INDEX
from trucostats.kernel.check import is_envido, is_flor, waiting
from trucostats.kernel.deal import start
from trucostats.kernel.engine import step
from trucostats.kernel.jit import jit
from trucostats.kernel.legal import legal
from trucostats.kernel.params import RuleBook
from trucostats.kernel.scoring import hand_worth
from trucostats.kernel.settle import finish
from trucostats.kernel.state import (
    BUENAS,
    COVER,
    DECLARE,
    ENVIDO_CALL,
    ENVIDO_DECLARING,
    FLOR,
    FLOR_CALL,
    MAZO,
    NO_QUIERO,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    TRUCO_CALL,
    blank_states,
    remaining,
)
from trucostats.notes import answer_call, check_words, ending_of, new_call, note_before, note_chances, note_final
from trucostats.rows import (
    A_CANCELLED,
    A_MAZO,
    A_NO_QUIERO,
    A_PLAYED,
    A_QUIERO,
    A_RAISE,
    BY_GAME,
    BY_MISDEAL,
    CALL_ROW,
    DEAL_FAULT,
    ENVIDO_BITS,
    EVENT_ROW,
    FINAL_ROW,
    HAND_ROW,
    NO_FAULT,
    OPEN,
    RAISE_BITS,
    SEAT_ROW,
    TRICK_ROW,
)
from trucostats.vocab import NO_CARD

if TYPE_CHECKING:
    from trucostats.batch import Batch


@dataclass(slots=True)
class Replayed:
    """What a replay knows of n hands and their N events: final states and rows of the types named above.

    `start` are the states after the deal, `final` those after the last legal event with everything settled; `calls` are in
    order of hand and event; `tricks` is (n, 9).
    """

    book: RuleBook
    rules_id: NDArray[np.int32]
    final: Any
    hands: Any
    events: Any
    calls: Any
    seats: Any
    tricks: Any


@jit
def replay_hands(
    rows: Any, cards: Any, rules_id: Any, table: Any, deal: Any, null_hand: Any, event_start: Any, event_seat: Any, event_code: Any,
    blank: Any, final: Any, hands: Any, events: Any, calls: Any, seats: Any, tricks: Any, notes: bool,
) -> int:  # fmt: skip
    """Replay all hands; return how many calls were written. With `notes` off only final states and faults are kept."""
    states = blank.copy()
    work = states[:2]
    n_calls = 0
    for h in range(len(rules_id)):
        r = rows[rules_id[h]]
        c = cards[r.cards, table[h, 2]]
        work[0] = blank[0]
        hand = hands[h]
        hand.fault = start(work[0], r, c, table[h], deal[h], null_hand[h])
        hand.fault_event = DEAL_FAULT if hand.fault != OK else NO_FAULT
        if hand.fault == OK:
            n_calls = replay_events(
                work, r, c, h, event_start[h], event_start[h + 1], event_seat, event_code, hand, events, calls, n_calls, seats[h], tricks[h], notes
            )  # fmt: skip
        s = work[0]
        hand.stake = hand_worth(s, r)
        hand.family_waiting = 0 if s.over else waiting(s)
        note_final(s, final[h])
    return n_calls


@jit
def replay_events(
    work: Any, r: Any, c: Any, h: int, first: int, end: int, event_seat: Any, event_code: Any,
    hand: Any, events: Any, calls: Any, n_calls: int, seats: Any, tricks: Any, notes: bool,
) -> int:  # fmt: skip
    """Replay the events of one hand; return how many calls have been written so far."""
    s = work[0]
    first_call = n_calls
    truco_at = -1
    envido_at = -1
    flor_at = -1
    hand.ending = BY_MISDEAL if s.over else OPEN
    last_verb = -1
    for k in range(first, end):
        seat = int(event_seat[k])
        code = int(event_code[k])
        verb = code & 31
        argument = code >> 5
        verbs = 0
        family = waiting(s)
        over_before = s.over
        trick_before = s.n_leaders - 1
        complete_before = s.n_tricks
        duel_before = s.duel
        if notes:
            verbs = legal(work, r, c, seat)
            note_before(s, r, events[k], seat, verbs)
            chances = seats[seat].chances
            note_chances(s, seats[seat], seat, verb, verbs)
        pending_before = s.pending
        leader_before = s.leader
        cards_before = s.cards_played[seat]
        fault = step(work, r, c, seat, code)
        if fault != OK:
            hand.fault = fault
            hand.fault_event = k - first
            if notes:
                seats[seat].chances = chances
            last_verb = verb
            break
        hand.events += 1
        if notes:
            row = seats[seat]
            if verb == PLAY or verb == COVER:
                tricks[trick_before].cards[seat] = argument
                tricks[trick_before].duel = duel_before
                hand.tricks = max(hand.tricks, trick_before + 1)
                tricks[trick_before].leader = leader_before
                if s.n_tricks > complete_before:
                    tricks[trick_before].winner = s.all_tricks[complete_before]
                if verb == COVER:
                    tricks[trick_before].covered |= 1 << seat
                    row.covered += 1
                if cards_before == 0:
                    row.first_card = argument
                if pending_before > 0 and s.pending == 0:
                    answer_call(calls, truco_at, A_PLAYED, seat, k - first, (verbs & RAISE_BITS) != 0)
            elif verb == DECLARE:
                row.declared = argument
            elif verb == BUENAS:
                row.conceded = 1
            elif verb == MAZO:
                row.folded_in = max(trick_before + 1, 1)
                if s.over or s.duel != duel_before:
                    if family == FLOR_CALL:
                        answer_call(calls, flor_at, A_MAZO, seat, k - first, False)
                    elif family == ENVIDO_CALL:
                        answer_call(calls, envido_at, A_MAZO, seat, k - first, False)
                    answer_call(calls, truco_at, A_MAZO, seat, k - first, (verbs & RAISE_BITS) != 0)
            elif verb == QUIERO or verb == NO_QUIERO:
                if s.over or s.duel != duel_before or waiting(s) != family:
                    answer = A_QUIERO if verb == QUIERO else A_NO_QUIERO
                    if family == TRUCO_CALL:
                        answer_call(calls, truco_at, answer, seat, k - first, (verbs & RAISE_BITS) != 0)
                    elif family == ENVIDO_CALL:
                        answer_call(calls, envido_at, answer, seat, k - first, (verbs & ENVIDO_BITS) != 0)
                        hand.envido_accepted |= verb == QUIERO
                    else:
                        answer_call(calls, flor_at, answer, seat, k - first, (verbs >> (FLOR + 2)) & 1 == 1)
            elif (verb >= RAISE or is_envido(verb) or is_flor(verb)) and not s.infraction:
                if verb >= RAISE:
                    if pending_before > 0:
                        answer_call(calls, truco_at, A_RAISE, seat, k - first, True)
                elif is_envido(verb):
                    if family == ENVIDO_CALL:
                        answer_call(calls, envido_at, A_RAISE, seat, k - first, True)
                    hand.envido_calls += 1
                else:
                    answer_call(calls, envido_at, A_CANCELLED, seat, k - first, False)
                    answer_call(calls, flor_at, A_RAISE, seat, k - first, True)
                if pending_before > 0 and s.pending == 0 and verb < RAISE:
                    answer_call(calls, truco_at, A_CANCELLED, seat, k - first, False)
                new_call(s, r, calls[n_calls], h, k - first, seat, verb, 1 if pending_before > 0 else 0)
                if verb >= RAISE:
                    truco_at = n_calls
                    hand.called_level = max(hand.called_level, s.pending)
                elif is_envido(verb):
                    envido_at = n_calls
                else:
                    flor_at = n_calls
                n_calls += 1
        if s.over and not over_before:
            hand.ending = ending_of(s, verb)
        if s.duel != duel_before:
            truco_at = -1
            envido_at = -1
            flor_at = -1
    if not (hand.fault != OK and s.envido == ENVIDO_DECLARING and (last_verb == DECLARE or last_verb == BUENAS)):
        over_before = s.over
        finish(s, r, c)
        if s.over and not over_before:
            hand.ending = BY_GAME
    if notes:
        check_words(s, c, hand, seats)
        for seat in range(s.seats):
            seats[seat].cards_left = remaining(s, seat)
    hand.calls = n_calls - first_call
    return n_calls


def replay_batch(batch: Batch, book: RuleBook | None = None, *, notes: bool = True) -> Replayed:
    """Replay every hand of a batch.

    `book` may be shared between batches so that rule sets are prepared once. With `notes` off only final states and faults are
    computed (the rows of events, calls, seats and tricks stay empty).
    """
    book = book or RuleBook()
    ids = np.array([book.add(rules) for rules in batch.rules], np.int32)
    n = len(batch.line)
    rules_id = ids[batch.rules_id] if n else np.zeros(0, np.int32)
    table = np.empty((n, 6), np.int64)
    table[:, 0] = batch.seats
    table[:, 1] = batch.dealer
    table[:, 2] = np.where(batch.turned == NO_CARD, 40, batch.turned)
    table[:, 3] = batch.format
    table[:, 4:] = batch.score
    n_events = len(batch.event_code) if notes else 0
    final = np.zeros(n, FINAL_ROW)
    hands = np.zeros(n, HAND_ROW)
    events = np.zeros(n_events, EVENT_ROW)
    calls = np.zeros(n_events, CALL_ROW)
    seats = np.zeros((n, 6), SEAT_ROW)
    for name in ("first_card", "declared", "folded_in"):
        seats[name] = -1
    tricks = np.zeros((n, 9), TRICK_ROW)
    tricks["cards"] = -1
    tricks["duel"] = -1
    tricks["winner"] = -1
    blank = blank_states()
    n_calls = replay_hands(
        book.rows, book.cards, rules_id, table, batch.deal, batch.null_hand, batch.event_start, batch.event_seat, batch.event_code,
        blank, final, hands, events, calls, seats, tricks, notes,
    )  # fmt: skip
    if n and batch.deal_overflow.any():
        over = batch.deal_overflow
        hands["fault"][over] = CODE_INDEX["DEAL_SIZE"]
        hands["fault_event"][over] = DEAL_FAULT
    return Replayed(book, rules_id, final, hands, events, calls[:n_calls], seats, tricks)
