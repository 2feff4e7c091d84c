"""The truco ladder: who may raise, what a refusal costs, what an acceptance binds. Source: A.0.2, A.2.2, A.4.1."""

from __future__ import annotations

from typing import Any

from trucostats.errors import CODE_INDEX
from trucostats.kernel.jit import jit
from trucostats.kernel.scoring import end_hand
from trucostats.kernel.state import CALLED_TRUCO, NOBODY, NOT_YOUR_TURN, OK, RAISE, has, team
from trucostats.kernel.tricks import identify

NOT_OWNER = CODE_INDEX["NOT_OWNER"]
LADDER_ORDER = CODE_INDEX["LADDER_ORDER"]


@jit
def check_raise(s: Any, r: Any, seat: int, verb: int) -> int:
    """Judge a raise as to ownership and order of the ladder; turn and pending calls are judged elsewhere."""
    step = r.step_of[verb - RAISE]
    if s.pending > 0:
        return OK if step == s.pending + 1 else LADDER_ORDER
    if s.owner != NOBODY and s.owner != team(seat):
        return NOT_OWNER
    return OK if step == s.level + 1 else LADDER_ORDER


@jit
def raise_window(s: Any, r: Any, seat: int) -> int:
    """Judge whether a player may open or raise now, with no call waiting."""
    if r.truco_timing == 2 or seat == s.turn:
        return OK
    if r.truco_timing == 1:
        if s.last_card == seat and (r.after_card_window != 2 or s.played != 0):
            return OK
        if r.after_card_window == 1 and has(s.played, seat):
            return OK
    return NOT_YOUR_TURN


@jit
def call_truco(s: Any, r: Any, c: Any, seat: int, verb: int, committed: int) -> None:
    """Call the next step; over the other side's call this accepts that first."""
    if s.pending > 0:
        accept_truco(s, r, seat)
        if s.over:
            return
    s.pending = r.step_of[verb - RAISE]
    s.truco_seat = seat
    s.caller_played = 0
    s.truco_refused = 0
    s.called |= CALLED_TRUCO
    if committed > 0:
        s.committed[seat] = committed
        if not (s.held[seat] >> (committed - 1)) & 1:
            identify(s, seat, committed - 1, c)


@jit
def accept_truco(s: Any, r: Any, seat: int) -> None:
    """Accept the truco that waits; with an extra card in the caller's hand this wins the hand."""
    s.level = s.pending
    s.pending = 0
    s.owner = team(seat)
    s.truco_refused = 0
    if s.committed[s.truco_seat] > 0:
        s.bound[s.truco_seat] = 1
    if s.truco_seat == s.extra_seat:
        end_hand(s, r, team(s.extra_seat), r.worth[s.level])


@jit
def refuse_truco(s: Any, r: Any) -> None:
    """Refuse the truco that waits: the caller's side wins what the hand was worth before."""
    winner = team(s.truco_seat)
    s.pending = 0
    end_hand(s, r, winner, r.worth[s.level])


@jit
def cancel_truco(s: Any) -> None:
    """Take back the truco that waits, as if it had not been called."""
    s.pending = 0
    s.committed[s.truco_seat] = 0
    s.truco_seat = NOBODY
    s.truco_refused = 0
