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

FAR = 1000  # more points than any game has


@jit
def end_game(s: Any, winner: int) -> None:
    """End the game, and the hand with it."""
    s.game_over = 1
    s.game_winner = winner
    close_hand(s)


@jit
def close_hand(s: Any) -> None:
    """End the deal; a trick in which nobody has played was not begun."""
    s.over = 1
    forget_trick(s)


@jit
def forget_trick(s: Any) -> None:
    """Take back the leader of a trick that nobody has played to."""
    if s.trick_open and s.played == 0:
        s.n_leaders -= 1
    s.trick_open = 0


@jit
def add_points(s: Any, r: Any, family: int, which: int, points: int) -> None:
    """Add points of a family to a team; reaching the target ends the game now or after the hand."""
    if s.game_over or s.reached != NOBODY:
        return
    if r.score_cap:
        points = max(min(points, r.target - s.score[which]), 0)
    s.score[which] += points
    if family == TRUCO_CALL:
        s.points_truco[which] += points
    elif family == ENVIDO_CALL:
        s.points_envido[which] += points
    else:
        s.points_flor[which] += points
    if s.score[which] >= r.target:
        other = 1 - which
        winner = which if s.score[other] + s.unknown_points < r.target else NOBODY
        if r.score_timing == 0 or family == TRUCO_CALL:
            end_game(s, winner)
        else:
            s.reached = which


@jit
def add_unknown(s: Any, most: int) -> None:
    """Note points, at most so many, of which nobody knows whose they are."""
    if not s.game_over and s.reached == NOBODY:
        s.unknown_points += most


@jit
def pays_special(s: Any, r: Any) -> bool:
    """Say whether the hand is worth the value of a special hand."""
    return s.special == 0 or s.special == 1 or (s.special == 2 and r.both_special_value == 1)


@jit
def hand_worth(s: Any, r: Any) -> int:
    """Return what winning the tricks is worth now."""
    return r.special_value if pays_special(s, r) else r.worth[s.level]


@jit
def end_hand(s: Any, r: Any, winner: int, points: int) -> None:
    """Decide the hand or duel: add its points, settle unannounced flores, and start the next duel or end the deal."""
    s.hand_winner = winner
    if s.duel >= 0:
        s.duel_winner[s.duel] = winner
    if s.reached != NOBODY:
        end_game(s, reached_winner(s, r))
    elif winner != NOBODY:
        add_points(s, r, TRUCO_CALL, winner, points)
        if s.special == 2 and not s.game_over:
            end_game(s, winner)
    if not s.game_over and r.flor_unannounced == 1:
        for turn in range(2):
            receiver = team(s.mano) if turn == 0 else 1 - team(s.mano)
            for seat in range(s.seats):
                if has(s.unannounced, seat) and team(seat) != receiver:
                    add_points(s, r, FLOR_CALL, receiver, 3)
        if s.reached != NOBODY and not s.game_over:
            end_game(s, reached_winner(s, r))
    if not s.game_over and 0 <= s.duel < 2:
        forget_trick(s)
        begin_duel(s, s.duel + 1, (s.dealer + 2 + s.duel) % s.seats)
        set_special(s, r)
        return
    close_hand(s)


@jit
def set_special(s: Any, r: Any) -> None:
    """Find out whether this is a special hand, and whether a side must decide."""
    s.special = NOBODY
    if r.special_at == 0 or s.envido_unknown or s.flor_unknown:
        return
    zero = s.score[0] == r.special_at or (r.special_scope == 1 and s.score[0] > r.special_at)
    one = s.score[1] == r.special_at or (r.special_scope == 1 and s.score[1] > r.special_at)
    if zero and one:
        s.special = 2
    elif zero or one:
        s.special = 0 if zero else 1
        s.deciding = 1


@jit
def reached_winner(s: Any, r: Any) -> int:
    """Return the team that reached the target first, -1 if the other may have with points nobody knows who won."""
    other = 1 - s.reached
    return s.reached if s.score[other] + s.unknown_points < r.target else NOBODY


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
    s.truco_refused = 0
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
    s.best_last = NOBODY
    s.all_leaders[s.n_leaders] = leader
    s.n_leaders += 1
    s.trick_open = 1
