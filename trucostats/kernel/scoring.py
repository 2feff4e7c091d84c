"""Adding points, ending hands, duels and games. Source: A.0.2, A.2.8, A.7.1 items 9 to 11."""

from __future__ import annotations

from typing import Any

from trucostats.kernel.jit import jit
from trucostats.kernel.state import (
    ENVIDO_CALL,
    ENVIDO_NONE,
    FLOR_CALL,
    FLOR_NONE,
    NOBODY,
    NOT_SPOKEN,
    TRUCO_CALL,
    has,
    team,
)


@jit
def scores_known(s: Any) -> bool:
    """Say whether every point so far has a known winner."""
    return not (s.envido_unknown or s.flor_unknown)


@jit
def end_game(s: Any, winner: int) -> None:
    """End the game, and the hand with it."""
    s.game_over = 1
    s.game_winner = winner
    s.over = 1


@jit
def add_points(s: Any, r: Any, family: int, which: int, points: int) -> None:
    """Add points of a family to a team; reaching the target ends the game now or after the hand."""
    if s.game_over:
        return
    s.score[which] += points
    if family == TRUCO_CALL:
        s.points_truco[which] += points
    elif family == ENVIDO_CALL:
        s.points_envido[which] += points
    else:
        s.points_flor[which] += points
    if s.score[which] >= r.target and scores_known(s):
        if r.score_timing == 0 or family == TRUCO_CALL:
            end_game(s, which)
            s.envido_ended = family == ENVIDO_CALL
        elif s.reached == NOBODY:
            s.reached = which


@jit
def hand_worth(s: Any, r: Any) -> int:
    """Return what winning the tricks is worth now."""
    if s.special == 0 or s.special == 1:
        return r.special_value
    return r.worth[s.level]


@jit
def end_hand(s: Any, r: Any, winner: int, points: int) -> None:
    """Decide the hand or duel: add its points, settle unannounced flores, and start the next duel or end the deal."""
    s.hand_winner = winner
    if s.duel >= 0:
        s.duel_winner[s.duel] = winner
    if s.reached != NOBODY:
        end_game(s, s.reached)
    elif winner != NOBODY:
        add_points(s, r, TRUCO_CALL, winner, points)
        if s.special == 2 and not s.game_over:
            end_game(s, winner)
    if not s.game_over and r.flor_unannounced == 1:
        for step in range(s.seats):
            seat = (s.mano + step) % s.seats
            if has(s.unannounced, seat) and not s.game_over:
                add_points(s, r, FLOR_CALL, 1 - team(seat), 3)
        if s.reached != NOBODY and not s.game_over:
            end_game(s, s.reached)
    if not s.game_over and 0 <= s.duel < 2:
        begin_duel(s, s.duel + 1, (s.dealer + 2 + s.duel) % s.seats)
        return
    s.over = 1


@jit
def begin_duel(s: Any, duel: int, mano: int) -> None:
    """Put the table into the state before the first card of a duel between `mano` and the player opposite."""
    s.duel = duel
    s.mano = mano
    s.members = (1 << mano) | (1 << ((mano + 3) % 6))
    s.still_in = s.members
    s.trick = 0
    s.turn = mano
    s.results[:] = NOBODY
    s.level = 0
    s.pending = 0
    s.truco_seat = NOBODY
    s.owner = NOBODY
    s.caller_played = 0
    s.refused = 0
    s.called = 0
    s.envido = ENVIDO_NONE
    s.envido_seat = NOBODY
    s.n_envido = 0
    s.n_real = 0
    s.n_falta = 0
    s.envido_before = 0
    s.envido_sum = 0
    s.spoken[:] = NOT_SPOKEN
    s.speaker = NOBODY
    s.best_speaker = NOBODY
    s.envido_side = NOBODY
    s.envido_winner = NOBODY
    s.envido_ended = 0
    s.flor = FLOR_NONE
    s.flor_seat = NOBODY
    s.announced = 0
    s.unannounced = 0
    s.reached = NOBODY
    begin_trick(s, mano)


@jit
def begin_trick(s: Any, leader: int) -> None:
    """Clear the table for the next trick."""
    s.leader = leader
    s.turn = leader
    s.played = 0
    s.best = -2
    s.best_sides = 0
    s.best_seat = NOBODY
    s.all_leaders[s.n_leaders] = leader
    s.n_leaders += 1
