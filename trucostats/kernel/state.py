"""The state of a hand: one NumPy record, its fields documented once, and the small integers used in it.

Seats are 0 to 5, teams 0 and 1 (seat % 2). Sets of seats and of cards are bit masks.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from trucostats.errors import CODE_INDEX
from trucostats.kernel.jit import jit
from trucostats.vocab import FIRST_RAISE, VERB_INDEX

PLAY: Final = VERB_INDEX["play"]
COVER: Final = VERB_INDEX["cover"]
ENVIDO: Final = VERB_INDEX["envido"]
REAL: Final = VERB_INDEX["real-envido"]
FALTA: Final = VERB_INDEX["falta-envido"]
DECLARE: Final = VERB_INDEX["declare"]
BUENAS: Final = VERB_INDEX["son-buenas"]
FLOR: Final = VERB_INDEX["flor"]
CONTRAFLOR: Final = VERB_INDEX["contraflor"]
AL_RESTO: Final = VERB_INDEX["contraflor-al-resto"]
QUIERO: Final = VERB_INDEX["quiero"]
NO_QUIERO: Final = VERB_INDEX["no-quiero"]
MAZO: Final = VERB_INDEX["mazo"]
ACCEPT: Final = VERB_INDEX["accept-hand"]
DECLINE: Final = VERB_INDEX["decline-hand"]
SHOW: Final = VERB_INDEX["show"]
ASK_COUNT: Final = VERB_INDEX["ask-count"]
RAISE: Final = FIRST_RAISE
N_VERBS: Final = len(VERB_INDEX)

OK: Final = CODE_INDEX["OK"]
NOT_YOUR_TURN: Final = CODE_INDEX["NOT_YOUR_TURN"]
CARD_NOT_HELD: Final = CODE_INDEX["CARD_NOT_HELD"]

NOBODY: Final = -1
EVEN_SEATS: Final = 21  # the sets of seats of team 0 and team 1
ODD_SEATS: Final = 42
TIE: Final = 2
UNKNOWN_SIDE: Final = 2
UNKNOWN_VALUE: Final = -3
NO_VALUE: Final = -1
NOT_SPOKEN: Final = -2
CONCEDED: Final = -1

NOTHING, TRUCO_CALL, ENVIDO_CALL, FLOR_CALL, DECISION = range(5)
ENVIDO_NONE, ENVIDO_PENDING, ENVIDO_DECLARING, ENVIDO_DONE, ENVIDO_CANCELLED = range(5)
FLOR_NONE, FLOR_OPEN, FLOR_CONTRA, FLOR_RESTO, FLOR_DONE = range(5)
CALLED_TRUCO, CALLED_ENVIDO, CALLED_FLOR = 1, 2, 4

STATE_FIELDS: Final[tuple[tuple[str, tuple[int, ...], str], ...]] = (
    # name, shape, meaning
    ("seats", (), "players at the table"),
    ("dealer", (), "seat of the dealer"),
    ("mano", (), "seat that leads first, of the duel in pica-pica"),
    ("turned", (), "turned card, 40 if none"),
    ("dealt_each", (), "cards dealt to each: 3, or 1"),
    ("extra_seat", (), "seat that was dealt a fourth card, or -1"),
    ("duel", (), "number of the duel, -1 where all play together"),
    ("members", (), "set of seats in this hand or duel"),
    ("still_in", (), "set of seats that have not folded"),
    ("dealt", (6,), "set of known dealt cards of each seat"),
    ("held", (6,), "set of known cards each seat still holds"),
    ("hidden", (6,), "unknown cards each seat still holds"),
    ("unnamed", (6,), "known cards covered without being named"),
    ("hidden_dealt", (6,), "dealt cards of each seat that nobody has identified"),
    ("shown", (6,), "set of cards of each seat seen face up"),
    ("seen", (), "set of cards known to be dealt to somebody or turned"),
    ("value", (6,), "envido of the dealt cards, -1 for none, -3 for unknown"),
    ("flor_value", (6,), "flor of the dealt cards, -1 for none, -3 for unknown"),
    ("trick", (), "tricks completed in this hand or duel"),
    ("turn", (), "seat that plays the next card"),
    ("leader", (), "seat that leads the current trick"),
    ("trick_open", (), "the current trick is not complete"),
    ("played", (), "set of seats that have played to the current trick"),
    ("cards_played", (6,), "cards each seat has played"),
    ("best", (), "best strength in the current trick, -2 before the first card"),
    ("best_sides", (), "set of teams that hold the best strength"),
    ("best_seat", (), "first seat to have played the best strength"),
    ("best_last", (), "last seat to have played it"),
    ("results", (3,), "winning team of each trick of the hand or duel, 2 for a tie"),
    ("last_card", (), "seat that has just played and nobody has acted since, or -1"),
    ("all_tricks", (9,), "winners of all tricks of the deal, 2 for a tie"),
    ("all_leaders", (9,), "leaders of all tricks of the deal"),
    ("n_tricks", (), "tricks completed in the deal"),
    ("n_leaders", (), "tricks begun or about to begin in the deal"),
    ("level", (), "accepted step of the truco ladder"),
    ("pending", (), "step of the truco that waits, 0 if none"),
    ("truco_seat", (), "seat that called it last"),
    ("owner", (), "team that may raise, -1 if either"),
    ("caller_played", (), "the caller has played a card while his call is open"),
    ("refused", (), "set of seats that have refused the envido or flor that waits"),
    ("truco_refused", (), "set of seats that have refused the truco that waits"),
    ("committed", (6,), "card put forward with a call, plus one"),
    ("bound", (6,), "whether the card put forward must be played"),
    ("called", (), "families called so far: 1 truco, 2 envido, 4 flor"),
    ("envido", (), "none, pending, declaring, done, cancelled"),
    ("envido_seat", (), "seat that called it last"),
    ("n_envido", (), "plain envidos called"),
    ("n_real", (), "real envidos called"),
    ("n_falta", (), "falta envidos called"),
    ("envido_before", (), "points if the last envido call is refused"),
    ("envido_sum", (), "points of the plain and real calls"),
    ("spoken", (6,), "number each seat has said, -1 conceded, -2 not spoken"),
    ("speaker", (), "seat that declares next, or -1"),
    ("best_speaker", (), "seat with the best number said so far, or -1"),
    ("score_then", (2,), "score when the envido or flor was accepted"),
    ("envido_side", (), "team that won the envido by numbers, -1 none, 2 unknown"),
    ("envido_winner", (), "seat that won the envido by numbers, or -1"),
    ("proof_seat", (3,), "seat that must prove its envido, of each duel, or -1"),
    ("proof_number", (3,), "the number it must prove"),
    ("proof_points", (3,), "the points it won"),
    ("flor", (), "none, open, contraflor waits, al resto waits, done"),
    ("flor_seat", (), "seat of the last flor word"),
    ("announced", (), "set of seats that have announced a flor"),
    ("flor_refused", (), "points if the contraflor that waits is refused"),
    ("unannounced", (), "set of seats that played a card with an unannounced flor"),
    ("special", (), "team on the special score, -1 none, 2 both"),
    ("deciding", (), "the special hand waits for its decision"),
    ("infraction", (), "a forbidden bet ended the hand"),
    ("over", (), "the hand is decided"),
    ("void", (), "misdeal: the hand does not count"),
    ("hand_winner", (), "team that won the hand or last duel, -1 nobody"),
    ("duel_winner", (3,), "winners of the duels"),
    ("reached", (), "with scoring at the end of the hand, team that has already reached the target"),
    ("game_over", (), "the game is won"),
    ("game_winner", (), "team that won it, or -1"),
    ("score", (2,), "score now"),
    ("points_envido", (2,), "envido points of this deal"),
    ("points_flor", (2,), "flor points of this deal"),
    ("points_truco", (2,), "truco points of this deal"),
    ("unknown_points", (), "most points that nobody knows who won"),
    ("envido_unknown", (), "the envido was won by nobody knows whom"),
    ("flor_unknown", (), "the flor was won by nobody knows whom"),
    ("warn_flor", (), "warnings FLOR_NOT_ANNOUNCED so far"),
    ("warn_conceded", (), "warnings CONCEDED_BETTER so far"),
    ("warn_proof", (), "warnings MISSING_PROOF so far"),
)
# All fields are 64-bit: one integer type keeps Numba from compiling every function several times.
STATE: Final = np.dtype((np.record, [(name, "i8", shape) for name, shape, _ in STATE_FIELDS]))


def _blank() -> Any:
    """Return one state row with every field at its value before the deal."""
    rows = np.zeros(1, STATE)
    row = rows[0]
    for name in (
        "extra_seat", "duel", "last_card", "truco_seat", "owner", "envido_seat", "speaker", "best_speaker", "envido_side",
        "envido_winner", "flor_seat", "special", "hand_winner", "reached", "game_winner", "best_seat", "best_last",
    ):  # fmt: skip
        setattr(row, name, -1)
    row.value[:] = UNKNOWN_VALUE
    row.flor_value[:] = UNKNOWN_VALUE
    row.spoken[:] = NOT_SPOKEN
    row.duel_winner[:] = NOBODY
    row.proof_seat[:] = NOBODY
    row.best = -2
    return rows


BLANK: Final = _blank()


def blank_states() -> Any:
    """Return the two rows `engine.step` works on, a state before the deal and scratch."""
    return np.repeat(BLANK, 2).view(STATE)


@jit
def team(seat: int) -> int:
    """Return the team of a seat."""
    return seat & 1


@jit
def has(seats: int, seat: int) -> bool:
    """Say whether a set of seats contains one."""
    return (seats >> seat) & 1 == 1


@jit
def side(s: Any, which: int) -> int:
    """Return the set of seats of one team that are still in."""
    return s.still_in & (EVEN_SEATS if which == 0 else ODD_SEATS)


@jit
def next_in(s: Any, seat: int) -> int:
    """Return the next seat in order of play that is still in."""
    follower = (seat + 1) % s.seats
    while not has(s.still_in, follower):
        follower = (follower + 1) % s.seats
    return follower


@jit
def first_in(s: Any, seat: int) -> int:
    """Return this seat if it is still in, else the next in order that is."""
    return seat if has(s.still_in, seat) else next_in(s, seat)


@jit
def count_cards(cards: int) -> int:
    """Return how many cards a set has."""
    n = 0
    while cards:
        cards &= cards - 1
        n += 1
    return n


@jit
def remaining(s: Any, seat: int) -> int:
    """Return how many cards a seat still holds."""
    return count_cards(s.held[seat]) + s.hidden[seat] - s.unnamed[seat]


@jit
def may_hold(s: Any, seat: int, card: int) -> bool:
    """Say whether a seat can play this card, as far as is known."""
    if (s.held[seat] >> card) & 1:
        return remaining(s, seat) > 0
    return s.hidden[seat] > 0 and not (s.seen >> card) & 1
