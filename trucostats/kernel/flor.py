"""The flor and its contraflores. Source: A.2.10, A.7.1 item 6."""

from __future__ import annotations

from typing import Any

from trucostats.errors import CODE_INDEX
from trucostats.kernel.envido import falta_known, falta_worth
from trucostats.kernel.jit import jit
from trucostats.kernel.scoring import FAR, add_points, add_unknown
from trucostats.kernel.stake import cancel_truco
from trucostats.kernel.state import (
    AL_RESTO,
    CALLED_FLOR,
    CONTRAFLOR,
    ENVIDO_CANCELLED,
    ENVIDO_PENDING,
    EVEN_SEATS,
    FLOR,
    FLOR_CALL,
    FLOR_CONTRA,
    FLOR_DONE,
    FLOR_OPEN,
    FLOR_RESTO,
    NOBODY,
    ODD_SEATS,
    OK,
    UNKNOWN_VALUE,
    has,
    team,
)
from trucostats.kernel.values import could_be

FLOR_CLOSED = CODE_INDEX["FLOR_CLOSED"]
FLOR_NOT_HELD = CODE_INDEX["FLOR_NOT_HELD"]
FLOR_DUPLICATE = CODE_INDEX["FLOR_DUPLICATE"]
FLOR_NO_RIVAL = CODE_INDEX["FLOR_NO_RIVAL"]
LADDER_ORDER = CODE_INDEX["LADDER_ORDER"]


@jit
def flor_window(s: Any, seat: int) -> int:
    """Judge whether a flor word is still possible for this player."""
    return FLOR_CLOSED if s.trick > 0 or s.cards_played[seat] > 0 or s.flor == FLOR_DONE else OK


@jit
def check_flor(s: Any, c: Any, seat: int, verb: int) -> int:
    """Judge holding, duplicates and rivals of a flor word."""
    if not has(s.announced, seat) and not could_be(s, seat, c, 0, True):
        return FLOR_NOT_HELD
    if verb == FLOR:
        return FLOR_DUPLICATE if has(s.announced, seat) else OK
    return OK if s.announced & (ODD_SEATS if team(seat) == 0 else EVEN_SEATS) else FLOR_NO_RIVAL


@jit
def check_flor_step(s: Any, verb: int) -> int:
    """Judge the order of the flor ladder."""
    if s.flor == FLOR_RESTO or (s.flor == FLOR_CONTRA and verb == CONTRAFLOR):
        return LADDER_ORDER
    return OK


@jit
def call_flor(s: Any, r: Any, c: Any, seat: int, verb: int) -> None:
    """Announce a flor, or answer one with a contraflor; a flor that nobody can answer is settled at once."""
    if s.envido == ENVIDO_PENDING:
        s.envido = ENVIDO_CANCELLED
    if s.pending > 0 and s.flor == 0 and r.envido_over_truco == 1:
        cancel_truco(s)
    s.refused = 0
    s.called |= CALLED_FLOR
    s.announced |= 1 << seat
    s.flor_seat = seat
    if verb == FLOR:
        s.flor = FLOR_OPEN
        if (s.announced & EVEN_SEATS == 0 or s.announced & ODD_SEATS == 0) and not others_can_announce(s, c):
            settle_flor(s, r, 0)
    elif verb == AL_RESTO:
        s.flor_refused = 6 if s.flor == FLOR_CONTRA else 3 if r.resto_refused == 1 else 4
        s.flor = FLOR_RESTO
    else:
        s.flor_refused = 4
        s.flor = FLOR_CONTRA


@jit
def others_can_announce(s: Any, c: Any) -> bool:
    """Say whether somebody still in may hold a flor he has not announced and may yet announce."""
    for seat in range(s.seats):
        if has(s.still_in & ~s.announced, seat) and s.cards_played[seat] == 0 and could_be(s, seat, c, 0, True):
            return True
    return False


@jit
def accept_flor(s: Any, r: Any) -> None:
    """Accept the contraflor that waits."""
    s.refused = 0
    s.score_then[0] = s.score[0]
    s.score_then[1] = s.score[1]
    settle_flor(s, r, 1 if s.flor == FLOR_CONTRA else 2)


@jit
def refuse_flor(s: Any, r: Any) -> None:
    """Refuse the contraflor that waits."""
    s.refused = 0
    s.flor = FLOR_DONE
    add_points(s, r, FLOR_CALL, team(s.flor_seat), s.flor_refused)


@jit
def best_flor(s: Any, one_side: bool) -> int:
    """Return the seat of the best announced flor, nearest to the mano if equal; -1 if the side is unknown."""
    best = NOBODY
    for step in range(s.seats):
        seat = (s.mano + step) % s.seats
        if has(s.announced & s.still_in, seat):
            if s.flor_value[seat] == UNKNOWN_VALUE and not one_side:
                return NOBODY
            if best == NOBODY or s.flor_value[seat] > s.flor_value[best]:
                best = seat
    return best


@jit
def count_flores(s: Any, seats: int) -> int:
    """Return how many of some seats have announced."""
    n = 0
    for seat in range(s.seats):
        if has(s.announced & s.still_in & seats, seat):
            n += 1
    return n


@jit
def settle_flor(s: Any, r: Any, accepted: int) -> None:
    """Add the points of the flores: plain (0), an accepted contraflor (1) or contraflor al resto (2)."""
    s.flor = FLOR_DONE
    even = count_flores(s, EVEN_SEATS)
    odd = count_flores(s, ODD_SEATS)
    if accepted == 0 and (even == 0 or odd == 0):
        each = r.flor_points == 1 or r.flor_points == 2
        add_points(s, r, FLOR_CALL, 0 if even else 1, 3 * (even + odd) if each else 3)
        return
    if accepted == 0 and r.flor_points == 2:
        first = team(s.mano)
        add_points(s, r, FLOR_CALL, first, 3 * (even if first == 0 else odd))
        add_points(s, r, FLOR_CALL, 1 - first, 3 * (odd if first == 0 else even))
        return
    best = best_flor(s, even == 0 or odd == 0)
    sure = accepted != 2 or falta_known(s, r)
    most = max(best_flor_worth(s, r, accepted, 0, even + odd), best_flor_worth(s, r, accepted, 1, even + odd))
    if best == NOBODY or not sure:
        s.flor_unknown = 1
        add_unknown(s, most if sure else FAR)
        return
    add_points(s, r, FLOR_CALL, team(best), best_flor_worth(s, r, accepted, team(best), even + odd))


@jit
def best_flor_worth(s: Any, r: Any, accepted: int, winner: int, flores: int) -> int:
    """Return what the best of flores on both sides is worth to its side."""
    if accepted == 1:
        return 6
    if accepted == 2:
        return falta_worth(s, r, winner) + (3 * flores if r.resto_adds_flores else 0)
    if r.flor_points == 1:
        return 3 * flores
    return 4 if r.flor_points == 3 else 3
