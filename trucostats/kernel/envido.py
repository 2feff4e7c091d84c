"""The envido: its ladder, the falta, declarations and settling. Source: A.2.3 to A.2.8, A.7.1 items 3 to 5."""

from __future__ import annotations

from typing import Any

from trucostats.errors import CODE_INDEX
from trucostats.kernel.jit import jit
from trucostats.kernel.scoring import FAR, add_points, add_unknown
from trucostats.kernel.stake import cancel_truco
from trucostats.kernel.state import (
    BUENAS,
    CALLED_ENVIDO,
    CONCEDED,
    ENVIDO,
    ENVIDO_CALL,
    ENVIDO_DECLARING,
    ENVIDO_DONE,
    ENVIDO_NONE,
    ENVIDO_PENDING,
    EVEN_SEATS,
    FLOR_NONE,
    NOBODY,
    NOT_SPOKEN,
    ODD_SEATS,
    OK,
    REAL,
    UNKNOWN_SIDE,
    UNKNOWN_VALUE,
    has,
    team,
)
from trucostats.kernel.values import could_be, envido_of

ENVIDO_CLOSED = CODE_INDEX["ENVIDO_CLOSED"]
ENVIDO_AFTER_CARD = CODE_INDEX["ENVIDO_AFTER_CARD"]
NOT_PIE = CODE_INDEX["NOT_PIE"]
LADDER_ORDER = CODE_INDEX["LADDER_ORDER"]
NOTHING_TO_CONCEDE = CODE_INDEX["NOTHING_TO_CONCEDE"]
FALSE_DECLARATION = CODE_INDEX["FALSE_DECLARATION"]


@jit
def envido_window(s: Any, r: Any, seat: int) -> int:
    """Judge whether the envido is open, and for this player."""
    if s.envido == ENVIDO_PENDING:  # also after a fold has completed the first trick
        return OK
    if s.trick > 0 or s.level > 0 or s.flor != FLOR_NONE or s.envido != ENVIDO_NONE:
        return ENVIDO_CLOSED
    if s.cards_played[seat] > 0 and not (r.envido_window == 1 and s.pending > 0 and team(s.truco_seat) != team(seat)):
        return ENVIDO_AFTER_CARD
    if r.envido_caller == 1 and seat != pie_of(s, team(seat)):
        return NOT_PIE
    return OK


@jit
def pie_of(s: Any, which: int) -> int:
    """Return the last player of a team still in, in the order that starts at the mano."""
    last = NOBODY
    for step in range(s.seats):
        seat = (s.mano + step) % s.seats
        if has(s.still_in, seat) and team(seat) == which:
            last = seat
    return last


@jit
def check_envido_step(s: Any, r: Any, verb: int) -> int:
    """Judge the order of the envido ladder: plain, real, falta, never back."""
    if s.n_falta > 0:
        return LADDER_ORDER
    if verb == ENVIDO and (s.n_real > 0 or (r.max_envido > 0 and s.n_envido >= r.max_envido)):
        return LADDER_ORDER
    if verb == REAL and s.n_real > 0 and r.real_once:
        return LADDER_ORDER
    return OK


@jit
def call_envido(s: Any, r: Any, seat: int, verb: int) -> None:
    """Open or raise the envido; over a truco that waits this suspends or cancels it."""
    if s.envido == ENVIDO_NONE and s.pending > 0 and r.envido_over_truco == 1:
        cancel_truco(s)
    s.envido_before = max(s.envido_sum, 1)
    if verb == ENVIDO:
        s.n_envido += 1
        s.envido_sum += 2
    elif verb == REAL:
        s.n_real += 1
        s.envido_sum += 3
    else:
        s.n_falta += 1
    s.envido = ENVIDO_PENDING
    s.envido_seat = seat
    s.refused = 0
    s.called |= CALLED_ENVIDO


@jit
def falta_worth(s: Any, r: Any, winner: int) -> int:
    """Return what a falta is worth to its winner, by the score at its acceptance. Source: A.2.6."""
    if s.duel >= 0 and r.pica_falta > 0:
        return r.pica_falta
    target = r.target
    half = target // 2
    lead = max(s.score_then[0], s.score_then[1])
    own = s.score_then[winner]
    worth = target - lead
    if r.falta == 1:
        worth = target - own
    elif lead < half:
        if r.falta == 2:
            worth = target - own
        elif r.falta == 3:
            worth = half - lead
        elif r.falta == 4:
            worth = half - own
    return max(worth, 1)


@jit
def accept_envido(s: Any, r: Any) -> None:
    """Accept the envido: numbers are said from the mano on."""
    s.envido = ENVIDO_DECLARING
    s.refused = 0
    s.score_then[0] = s.score[0]
    s.score_then[1] = s.score[1]
    s.speaker = next_speaker(s, r, NOBODY)


@jit
def refuse_envido(s: Any, r: Any) -> None:
    """Refuse the envido: the last caller's side takes what was accepted before."""
    s.envido = ENVIDO_DONE
    s.refused = 0
    add_points(s, r, ENVIDO_CALL, team(s.envido_seat), s.envido_before)


@jit
def next_speaker(s: Any, r: Any, after: int) -> int:
    """Return the seat that declares after another (-1: the first), or -1 when all have."""
    started = after == NOBODY
    for step in range(s.seats):
        seat = (s.mano + step) % s.seats
        if started and has(s.still_in, seat):
            if r.envido_declaration == 0 or s.best_speaker == NOBODY or team(s.best_speaker) != team(seat):
                return seat
        if seat == after:
            started = True
    return NOBODY


@jit
def check_declaration(s: Any, c: Any, seat: int, verb: int, number: int) -> int:
    """Judge a number or a concession, turn apart."""
    if verb == BUENAS:
        return OK if s.best_speaker != NOBODY else NOTHING_TO_CONCEDE
    return OK if number >= 0 and could_be(s, seat, c, number, False) else FALSE_DECLARATION


@jit
def declare(s: Any, r: Any, c: Any, seat: int, verb: int, number: int) -> None:
    """Say a number or concede; the last to speak settles the envido."""
    if verb == BUENAS:
        s.spoken[seat] = CONCEDED
    else:
        s.spoken[seat] = number
        if s.best_speaker == NOBODY or number > s.spoken[s.best_speaker]:
            s.best_speaker = seat
    s.speaker = next_speaker(s, r, seat)
    if s.speaker == NOBODY:
        settle_envido(s, r, c)


@jit
def claimed_value(s: Any, r: Any, seat: int) -> int:
    """Return the number a seat stands for: said, or by its cards; `NOT_SPOKEN` for one that conceded."""
    if s.spoken[seat] == CONCEDED and not (r.envido_resolution == 1 and s.value[seat] != UNKNOWN_VALUE):
        return NOT_SPOKEN
    return s.spoken[seat] if s.spoken[seat] >= 0 else s.value[seat]


@jit
def settle_envido(s: Any, r: Any, c: Any) -> None:
    """Find the winner of an accepted envido and add its points; unknown hands may leave the winner unknown."""
    s.envido = ENVIDO_DONE
    s.speaker = NOBODY
    ends = best_by_pass(s, r) if r.envido_declaration == 1 else best_of_all(s, r)
    sides = (1 if ends & EVEN_SEATS else 0) | (2 if ends & ODD_SEATS else 0)
    sure = falta_known(s, r) or s.n_falta == 0
    if sides == 3 or not sure:
        s.envido_side = UNKNOWN_SIDE if sides == 3 else sides - 1
        s.envido_unknown = 1
        add_unknown(s, max(envido_worth(s, r, 0), envido_worth(s, r, 1)) if sure else FAR)
        return
    winner = sides - 1
    seat = 0
    while not has(ends, seat):
        seat += 1
    before = s.points_envido[winner]
    add_points(s, r, ENVIDO_CALL, winner, envido_worth(s, r, winner))
    s.envido_side = winner
    if ends == 1 << seat and claimed_value(s, r, seat) != UNKNOWN_VALUE:
        s.envido_winner = seat
        number = claimed_value(s, r, seat)
        place = max(s.duel, 0)
        s.proof_seat[place] = seat if number >= 0 else NOBODY
        s.proof_number[place] = number
        s.proof_points[place] = s.points_envido[winner] - before
        warn_conceded(s, r, seat, number)


@jit
def best_of_all(s: Any, r: Any) -> int:
    """Return the set of seats that may have the best number; ties go to the nearer to the mano."""
    ends = 0
    best = NOBODY
    for step in range(s.seats):
        seat = (s.mano + step) % s.seats
        value = claimed_value(s, r, seat) if has(s.still_in, seat) else NOT_SPOKEN
        if value == UNKNOWN_VALUE:
            ends |= 1 << seat
        elif value != NOT_SPOKEN and (best == NOBODY or value > claimed_value(s, r, best)):
            best = seat
    return ends if best == NOBODY else ends | (1 << best)


@jit
def best_by_pass(s: Any, r: Any) -> int:
    """Return the set of seats that may end as the best where only rivals of the best so far speak."""
    ends = 0
    for step in range(s.seats):
        seat = (s.mano + step) % s.seats
        value = claimed_value(s, r, seat) if has(s.still_in, seat) else NOT_SPOKEN
        if value == NOT_SPOKEN:
            continue
        after = 0 if ends else 1 << seat
        for best in range(s.seats):
            if has(ends, best):
                rival = claimed_value(s, r, best)
                if team(best) == team(seat):
                    after |= 1 << best
                elif value == UNKNOWN_VALUE or rival == UNKNOWN_VALUE:
                    after |= (1 << best) | (1 << seat)
                else:
                    after |= 1 << (seat if value > rival else best)
        ends = after
    return ends


@jit
def envido_worth(s: Any, r: Any, winner: int) -> int:
    """Return what the envido, as called so far, is worth to a winner by the score at its acceptance."""
    if s.n_falta == 0:
        return s.envido_sum
    return falta_worth(s, r, winner) + (s.envido_sum if r.falta_stack == 1 else 0)


@jit
def falta_known(s: Any, r: Any) -> bool:
    """Say whether the worth of a falta is known; it is not once some points have nobody knows whom as winner."""
    return (s.duel >= 0 and r.pica_falta > 0) or not (s.envido_unknown or s.flor_unknown)


@jit
def warn_conceded(s: Any, r: Any, winner: int, number: int) -> None:
    """Count the concessions of players whose known cards would have won."""
    if winner == NOBODY or r.envido_resolution == 1:
        return
    for seat in range(s.seats):
        if s.spoken[seat] == CONCEDED and s.value[seat] >= 0:
            nearer = (seat - s.mano) % s.seats < (winner - s.mano) % s.seats
            if s.value[seat] > number or (s.value[seat] == number and nearer):
                s.warn_conceded += 1


@jit
def check_proof(s: Any, r: Any, c: Any) -> None:
    """At the end of a decided hand, warn of winning numbers never seen; with `forfeit` take their points back."""
    if r.proof == 0 or not s.over:
        return
    for place in range(3):
        seat = s.proof_seat[place]
        if seat == NOBODY or envido_of(s.shown[seat], c) >= s.proof_number[place]:
            continue
        s.warn_proof += 1
        winner = team(seat)
        points = s.proof_points[place]
        ended = s.game_over and s.game_winner == winner and s.score[winner] - points < r.target
        if r.proof == 2 and not ended:
            s.score[winner] -= points
            s.points_envido[winner] -= points
