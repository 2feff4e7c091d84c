"""What a replay notes of hands, events, calls, seats and tricks: record types, and the words their codes stand for."""

from __future__ import annotations

from typing import Final

import numpy as np

from trucostats.vocab import FIRST_RAISE

NO_FAULT: Final = -2
DEAL_FAULT: Final = -1
ENDINGS: Final = ("open", "cards", "refusal", "mazo", "declined", "infraction", "game", "misdeal")
OPEN, BY_CARDS, BY_REFUSAL, BY_MAZO, BY_DECLINE, BY_INFRACTION, BY_GAME, BY_MISDEAL = range(8)
ANSWERS: Final = ("none", "quiero", "no-quiero", "raise", "mazo", "played", "cancelled")
NO_ANSWER, A_QUIERO, A_NO_QUIERO, A_RAISE, A_MAZO, A_PLAYED, A_CANCELLED = range(7)
(
    ENVIDO_CHANCE,
    ENVIDO_FIRST_WORD,
    ENVIDO_OPENED,
    TRUCO_CHANCE,
    TRUCO_OPENED,
    WORD_HELD,
    WORD_USED,
    FLOR_CHANCE,
    FLOR_ANNOUNCED,
) = (1 << bit for bit in range(9))
RAISE_BITS: Final = ((1 << 9) - 1) << FIRST_RAISE
ENVIDO_BITS: Final = 7 << 2


def _row(fields: str) -> np.dtype[np.void]:
    """Return a record type from `name:type` words."""
    return np.dtype((np.record, [tuple(field.split(":")) for field in fields.split()]))


# What is kept of the state a hand ends in; the names are those of `kernel.state`.
FINAL_SCALARS: Final = (
    "seats", "dealer", "turn", "level", "duel", "n_tricks", "n_leaders", "over", "void", "infraction", "hand_winner", "envido_side",
    "game_over", "game_winner", "envido_unknown", "flor_unknown", "warn_flor", "warn_conceded", "warn_proof",
)  # fmt: skip
FINAL_ROW: Final = np.dtype(
    (
        np.record,
        [("dealt", "i8", (6,))]
        + [(name, "i2", (2,)) for name in ("score", "points_envido", "points_flor", "points_truco")]
        + [(name, "i1", (6,)) for name in ("hidden_dealt", "value", "flor_value")]
        + [(name, "i1", (9,)) for name in ("all_tricks", "all_leaders")]
        + [("duel_winner", "i1", (3,))]
        + [(name, "i1") for name in FINAL_SCALARS],
    )
)
HAND_ROW: Final = _row(
    "fault:i2 fault_event:i2 events:i2 ending:i1 calls:i2 tricks:i1 called_level:i1 envido_calls:i1 envido_accepted:i1 "
    "bad_number:i1 bad_flor:i1 stake:i2 family_waiting:i1"
)
EVENT_ROW: Final = _row(
    "trick:i1 position:i1 turn:i1 pending:i1 level:i1 stake:i2 owner:i1 cards_left:i1 first_trick:i1 score_own:i2 "
    "score_rival:i2 legal:i4"
)
CALL_ROW: Final = _row(
    "hand:i4 event:i2 family:i1 verb:i1 opening:i1 step:i1 seat:i1 position:i1 trick:i1 after_card:i1 over_truco:i1 "
    "first_trick:i1 refused_worth:i2 accepted_worth:i2 answer:i1 answer_seat:i1 answer_event:i2 can_raise:i1 duel:i1"
)
SEAT_ROW: Final = _row("chances:i2 first_card:i1 declared:i1 conceded:i1 folded_in:i1 covered:i1 cards_left:i1")
TRICK_ROW: Final = np.dtype(
    (np.record, [("cards", "i1", (6,)), ("covered", "i1"), ("duel", "i1"), ("leader", "i1"), ("winner", "i1")])
)
