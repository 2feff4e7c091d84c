"""What the replay of a line says: the JSON object of `trucostats replay`, and the findings of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from trucostats.errors import CODE_NAMES, CODES, Finding
from trucostats.kernel.state import BUENAS, DECLARE, NOBODY, TIE
from trucostats.reasons import remedy_of
from trucostats.replay import Replayed
from trucostats.rows import DEAL_FAULT, NO_FAULT
from trucostats.vocab import PENDING, VERB_MASK, event_name

if TYPE_CHECKING:
    from trucostats.batch import Batch, Reject

NO_CLAIM: Final = -1


def status_of(replayed: Replayed, i: int) -> str:
    """Return `complete`, `open`, `void` or `illegal` for hand i."""
    hand, state = replayed.hands[i], replayed.final[i]
    if hand.fault_event != NO_FAULT:
        return "illegal"
    if state.void:
        return "void"
    return "complete" if state.over else "open"


def _side(value: int) -> int | None:
    return None if value == NOBODY else int(value)


def _points(values: Any, unknown: int) -> list[int] | None:
    return None if unknown else [int(value) for value in values]


def verdict(batch: Batch, replayed: Replayed, i: int, findings: list[Finding] | None = None) -> dict[str, Any]:
    """Return what the replay of hand i of a batch says, with the keys of the notation.

    `findings` are those of this hand (see `findings_of`); computed when left out.
    """
    hand, s = replayed.hands[i], replayed.final[i]
    deal_fault = hand.fault_event == DEAL_FAULT
    over = bool(s.over) and not deal_fault
    scores_known = not (s.envido_unknown or s.flor_unknown)
    zero = [0, 0]
    next_dealer = None
    if over:
        next_dealer = int(s.dealer) if s.void else int((s.dealer + 1) % s.seats)
    return {
        "line": int(batch.line[i]),
        "match": batch.match[i],
        "game": int(batch.game[i]),
        "hand": int(batch.hand[i]),
        "status": status_of(replayed, i),
        "legal": bool(hand.fault_event == NO_FAULT),
        "illegal_at": None if hand.fault_event == NO_FAULT else "deal" if deal_fault else int(hand.fault_event),
        "reason": None if hand.fault_event == NO_FAULT else CODE_NAMES[hand.fault],
        "findings": [_told(finding) for finding in (findings_of(batch, replayed, i) if findings is None else findings)],
        "tricks": ["tie" if winner == TIE else int(winner) for winner in s.all_tricks[: s.n_tricks]],
        "leaders": [int(seat) for seat in s.all_leaders[: s.n_leaders]],
        "hand_winner": [_side(w) for w in s.duel_winner[: duels_decided(s)]] if s.duel >= 0 else _side(s.hand_winner),
        "stake": None if deal_fault else int(hand.stake),
        "turn": None if over or deal_fault else int(s.turn),
        "pending": None if deal_fault else PENDING[hand.family_waiting],
        "envido_values": [int(v) if v >= 0 else None for v in s.value[: s.seats]],
        "flor_values": [int(v) if v >= 0 else None for v in s.flor_value[: s.seats]],
        "points": {
            "envido": _points(s.points_envido, s.envido_unknown),
            "flor": _points(s.points_flor, s.flor_unknown),
            "truco": [int(value) for value in s.points_truco],
            "other": zero,
        },
        "score_after": [int(value) for value in s.score] if scores_known else None,
        "hand_over": over,
        "game_over": bool(s.game_over),
        "game_winner": _side(s.game_winner),
        "next_dealer": next_dealer,
        "void": bool(s.void),
        "infraction": "BETTING_FORBIDDEN" if s.infraction else None,
    }


def duels_decided(s: Any) -> int:
    """Return how many pica-pica duels of a deal are decided."""
    if s.duel < 0:
        return 0
    return int(s.duel) + int(
        bool(s.over) and (s.duel_winner[s.duel] != NOBODY or not s.game_over or bool(s.infraction))
    )


def _told(finding: Finding) -> dict[str, Any]:
    return {
        "family": finding.family,
        "severity": finding.severity,
        "code": finding.code,
        "event": finding.event,
        "message": finding.message,
    }


def malformed_verdict(reject: Reject) -> dict[str, Any]:
    """Return what the replay says of a line that is not a record."""
    finding = reject.finding
    keys = (
        "tricks", "leaders", "hand_winner", "stake", "turn", "pending", "envido_values", "flor_values", "points", "score_after",
        "hand_over", "game_over", "game_winner", "next_dealer", "void", "infraction",
    )  # fmt: skip
    return {
        "line": reject.line,
        "match": finding.match,
        "game": finding.game,
        "hand": finding.hand,
        "status": "malformed",
        "legal": False,
        "illegal_at": finding.event,
        "reason": finding.code,
        "findings": [_told(finding)],
    } | dict.fromkeys(keys)


def findings_of(batch: Batch, replayed: Replayed, i: int, file: str | None = None) -> list[Finding]:
    """Return the findings of hand i: the fault, the warnings, and what contradicts the claim or the score."""
    hand, s = replayed.hands[i], replayed.final[i]
    found: list[tuple[str, str, int | str | None]] = []
    if hand.fault_event != NO_FAULT:
        code = CODE_NAMES[hand.fault]
        found.append(
            (
                code,
                _fault_message(batch, replayed, i, code, int(hand.fault_event)),
                "deal" if hand.fault_event == DEAL_FAULT else int(hand.fault_event),
            )
        )
    rules = replayed.book.rules[replayed.rules_id[i]]
    found += [("FLOR_NOT_ANNOUNCED", CODES["FLOR_NOT_ANNOUNCED"].meaning, None)] * int(s.warn_flor)
    found += [("CONCEDED_BETTER", CODES["CONCEDED_BETTER"].meaning, None)] * int(s.warn_conceded)
    found += [("MISSING_PROOF", CODES["MISSING_PROOF"].meaning, None)] * int(s.warn_proof)
    names = batch.players[i]
    for seat in range(int(s.seats)):
        if (int(hand.bad_number) >> seat) & 1:
            number = int(replayed.seats[i, seat].declared)
            found.append(
                ("DECLARED_IMPOSSIBLE", f"{names[seat]} said {number}; the cards seen later cannot make it", None)
            )
        if (int(hand.bad_flor) >> seat) & 1:
            found.append(("FLOR_IMPOSSIBLE", f"{names[seat]} announced a flor; the cards seen later are none", None))
    before = [int(value) for value in batch.score[i]]
    if max(before) >= rules.target:
        found.append(
            (
                "SCORE_OVER_TARGET",
                f"the score before the deal is {before[0]}-{before[1]}; {rules.name} ends at {rules.target}",
                None,
            )
        )
    if batch.claim[i][0] != NO_CLAIM and hand.fault_event == NO_FAULT and not (s.envido_unknown or s.flor_unknown):
        claim = [int(value) for value in batch.claim[i]]
        won = [int(s.score[side]) - before[side] for side in range(2)]
        if claim != won:
            found.append(
                ("POINTS_DIFFER", f"the log claims {claim[0]}-{claim[1]}; the events give {won[0]}-{won[1]}", None)
            )
    return [
        Finding(code, message, int(batch.line[i]), file, batch.match[i], int(batch.game[i]), int(batch.hand[i]), event)
        for code, message, event in found
    ]


def _fault_message(batch: Batch, replayed: Replayed, i: int, code: str, event: int) -> str:
    meaning = CODES[code].meaning
    if event == DEAL_FAULT:
        return f"{meaning}; {CODES[code].remedy}"
    at = int(batch.event_start[i]) + event
    seat, done, names = int(batch.event_seat[at]), int(batch.event_code[at]), batch.players[i]
    waits = bool(replayed.hands[i].family_waiting) or done & VERB_MASK in (DECLARE, BUENAS)
    remedy = remedy_of(code, replayed.final[i], seat, names, waits=waits)
    return f"{meaning}; {names[seat]} did `{event_name(done)}`; {remedy}"


def hands_with_findings(batch: Batch, replayed: Replayed) -> Iterator[int]:
    """Yield the index of every hand that may have findings, found without looking at each in Python."""
    final, hands = replayed.final, replayed.hands
    suspect = (hands["fault_event"] != NO_FAULT) | (
        final["warn_flor"] + final["warn_conceded"] + final["warn_proof"] > 0
    )
    suspect |= (hands["bad_number"] != 0) | (hands["bad_flor"] != 0)
    targets = np.array([rules.target for rules in replayed.book.rules] or [0])
    suspect |= batch.score.max(axis=1, initial=0) >= targets[replayed.rules_id]
    suspect |= (batch.claim[:, 0] != NO_CLAIM) & (final["score"] - batch.score != batch.claim).any(axis=1)
    yield from (int(i) for i in np.flatnonzero(suspect))
