"""The tables `calls`, `tricks` and `events`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from trucostats.arrays import Maybe, as_table, taken
from trucostats.build.context import Context
from trucostats.build.names import ANSWER, CARD, FAMILY, PENDING_WORD, VERB
from trucostats.columns import SEAT_LIMIT
from trucostats.kernel.state import ENVIDO_CALL, FLOR_CALL, TRUCO_CALL
from trucostats.vocab import FIRST_RAISE, NO_CARD, VERB_INDEX

PLAY, COVER, DECLARE = (VERB_INDEX[name] for name in ("play", "cover", "declare"))
COVER_WORD: Final = 40


def calls_table(x: Context) -> pa.Table:
    """Return the table `calls` of the kept hands."""
    calls, final, batch = x.replayed.calls, x.replayed.final, x.batch
    if len(x.keep) < len(batch):
        calls = calls[x.hand_id[calls["hand"]] >= 0]
    h, seat = calls["hand"].astype(np.int64), np.ascontiguousarray(calls["seat"])
    side = seat & 1
    own_side = h * 2 + side
    rival_side = own_side ^ 1
    n_seats = batch.seats[h]
    begin = np.flatnonzero(np.diff(h, prepend=-1))
    number = np.arange(len(h)) - np.repeat(begin, np.diff(begin, append=len(h)))
    answerer = np.where((calls["answer_seat"] < 0) & (n_seats == 2), 1 - seat, calls["answer_seat"])
    nobody = answerer < 0
    caller_place = h * SEAT_LIMIT + seat
    answer_place = h * SEAT_LIMIT + np.where(nobody, 0, answerer)
    at_caller, at_answer = taken(x.flat, caller_place), taken(x.flat, answer_place)
    family = np.ascontiguousarray(calls["family"])
    winner = final["hand_winner"][h]
    duel = calls["duel"]
    if (duel >= 0).any():
        winner = np.where(duel >= 0, taken(final["duel_winner"], h * 3 + np.maximum(duel, 0)), winner)
    net = np.zeros(len(h), np.int16)
    null_net = np.zeros(len(h), bool)
    for code, name in ((TRUCO_CALL, "truco"), (ENVIDO_CALL, "envido"), (FLOR_CALL, "flor")):
        ours = family == code
        if not ours.any():
            continue
        points = final[f"points_{name}"]
        net = np.where(ours, taken(points, own_side) - taken(points, rival_side), net)
        if name != "truco":
            null_net |= ours & (final[f"{name}_unknown"] != 0)[h]
    is_truco = family == TRUCO_CALL
    won = np.where(is_truco, winner == side, net > 0)
    null_won = np.where(is_truco, winner < 0, null_net | (net == 0))
    envido, other_envido = taken(final["value"], caller_place), taken(final["value"], answer_place)
    strength, other_strength = x.strength[at_caller], x.strength[at_answer]
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "call": number,
        "event": calls["event"],
        "family": FAMILY(family),
        "word": VERB(calls["verb"]),
        "opening": calls["opening"] != 0,
        "step": calls["step"],
        "seat": calls["seat"],
        "player": x.players(x.player[at_caller]),
        "team": side,
        "is_mano": calls["position"] == 0,
        "position": calls["position"],
        "rules": x.rules(x.replayed.rules_id[h]),
        "trick": calls["trick"],
        "after_card": calls["after_card"] != 0,
        "over_truco": calls["over_truco"] != 0,
        "first_trick": Maybe(calls["first_trick"], calls["first_trick"] < 0),
        "refused_worth": calls["refused_worth"],
        "accepted_worth": calls["accepted_worth"],
        "score_own": taken(batch.score, own_side),
        "score_rival": taken(batch.score, rival_side),
        "envido": Maybe(envido, envido < 0),
        "strength": Maybe(strength, np.isnan(strength)),
        "answer": ANSWER(calls["answer"]),
        "answer_seat": Maybe(answerer, nobody),
        "answerer": x.players(x.player[at_answer], nobody),
        "answerer_is_mano": Maybe(answerer == (seat - calls["position"]) % n_seats, nobody),
        "answerer_envido": Maybe(other_envido, nobody | (other_envido < 0)),
        "answerer_strength": Maybe(other_strength, nobody | np.isnan(other_strength)),
        "can_raise": calls["can_raise"] != 0,
        "answer_event": Maybe(calls["answer_event"], calls["answer_event"] < 0),
        "won": Maybe(won, null_won),
        "net": Maybe(net, null_net),
    }
    return as_table("calls", columns)


def tricks_table(x: Context) -> pa.Table:
    """Return the table `tricks` of the kept hands."""
    counts = x.replayed.hands["tricks"][x.keep].astype(np.int64)
    h = np.repeat(x.keep, counts)
    number = np.arange(len(h)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = taken(x.replayed.tricks, h * x.replayed.tricks.shape[1] + number)
    cards = rows["cards"]
    begun = (cards >= 0).any(axis=1) if len(h) else np.zeros(0, bool)
    h, number, rows, cards = h[begun], number[begun], rows[begun], cards[begun]
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "trick": (number + 1).astype(np.int8),
        "duel": Maybe(rows["duel"] + 1, rows["duel"] < 0),
        "leader": rows["leader"],
        "complete": rows["winner"] >= 0,
        "winner": Maybe(rows["winner"], rows["winner"] < 0),
        **{
            f"card{i}": CARD(np.where(cards[:, i] == NO_CARD, COVER_WORD, np.maximum(cards[:, i], 0)), cards[:, i] < 0)
            for i in range(6)
        },
        "covered": rows["covered"],
    }
    return as_table("tricks", columns)


def events_table(x: Context) -> pa.Table:
    """Return the table `events` of the kept hands."""
    batch, events = x.batch, x.replayed.events
    counts = x.replayed.hands["events"][x.keep].astype(np.int64)
    h = np.repeat(x.keep, counts)
    index = np.arange(len(h)) - np.repeat(np.cumsum(counts) - counts, counts)
    if len(h) == len(batch.event_code):
        code, seat, rows = batch.event_code, batch.event_seat, events
    else:
        place = batch.event_start[h] + index
        code, seat, rows = batch.event_code[place], batch.event_seat[place], events[place]
    verb, argument = code & 31, code >> 5
    raised = verb >= FIRST_RAISE
    is_card = (verb == PLAY) | ((verb == COVER) & (argument != NO_CARD)) | (raised & (argument > 0))
    card = np.where(is_card, argument - raised, 0)
    declared = verb == DECLARE
    time: Any = pa.nulls(len(h), pa.int32())
    if len(batch.times):
        lengths = np.diff(batch.times_start)
        timed = lengths[h] > 0
        place = np.where(timed, batch.times_start[h] + index, 0)
        time = Maybe(batch.times[place], ~timed)
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "event": index,
        "seat": seat,
        "word": VERB(verb),
        "card": CARD(card, ~is_card),
        "number": Maybe(np.where(declared, argument, 0), ~declared),
        "pending": PENDING_WORD(rows["pending"], rows["pending"] == 0),
        "owner": Maybe(rows["owner"], rows["owner"] < 0),
        "first_trick": Maybe(rows["first_trick"], rows["first_trick"] < 0),
        "time_ms": time,
    }
    for name in ("trick", "position", "turn", "level", "stake", "cards_left", "score_own", "score_rival", "legal"):
        columns[name] = rows[name]
    return as_table("events", columns)
