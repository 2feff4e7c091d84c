"""The tables `calls`, `tricks` and `events`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from trucostats.build.arrays import ANSWER, CARD, FAMILY, PENDING_WORD, VERB, as_table, maybe
from trucostats.build.context import Context
from trucostats.kernel.state import ENVIDO_CALL, FLOR_CALL, TRUCO_CALL
from trucostats.vocab import FIRST_RAISE, NO_CARD, VERB_INDEX

PLAY, COVER, DECLARE = (VERB_INDEX[name] for name in ("play", "cover", "declare"))
COVER_WORD: Final = 40


def calls_table(x: Context) -> pa.Table:
    """Return the table `calls` of the kept hands."""
    calls, final, batch = x.replayed.calls, x.replayed.final, x.batch
    if len(x.keep) < len(batch):
        calls = calls[x.hand_id[calls["hand"]] >= 0]
    h, seat = calls["hand"].astype(np.int64), calls["seat"].astype(np.int64)
    side = seat % 2
    n_seats = batch.seats[h].astype(np.int64)
    new_hand = np.concatenate([[True], h[1:] != h[:-1]]) if len(h) else np.zeros(0, bool)
    number = np.arange(len(h)) - np.maximum.accumulate(np.where(new_hand, np.arange(len(h)), 0)) if len(h) else h
    answerer = np.where((calls["answer_seat"] < 0) & (n_seats == 2), 1 - seat, calls["answer_seat"]).astype(np.int64)
    nobody = answerer < 0
    at_caller = x.flat[h, seat]
    at_answer = x.flat[h, np.where(nobody, 0, answerer)]
    family = calls["family"]
    winner = final["hand_winner"][h]
    duel = calls["duel"].astype(np.int64)
    winner = np.where(duel >= 0, final["duel_winner"][h, np.maximum(duel, 0)], winner)
    net = np.zeros(len(h), np.int64)
    null_net = np.zeros(len(h), bool)
    for code, name in ((TRUCO_CALL, "truco"), (ENVIDO_CALL, "envido"), (FLOR_CALL, "flor")):
        points = final[f"points_{name}"]
        own = points[h, side] - points[h, 1 - side]
        net = np.where(family == code, own, net)
        if name != "truco":
            null_net |= (family == code) & (final[f"{name}_unknown"][h] != 0)
    is_truco = family == TRUCO_CALL
    won = np.where(is_truco, winner == side, net > 0)
    null_won = np.where(is_truco, winner < 0, null_net | (net == 0))
    envido = final["value"][h, seat]
    other_envido = final["value"][h, np.where(nobody, 0, answerer)]
    strength, other_strength = x.strength[at_caller], x.strength[at_answer]
    names = x.players.indices.to_numpy()
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "call": number.astype(np.int8),
        "event": calls["event"],
        "family": FAMILY(family),
        "word": VERB(calls["verb"]),
        "opening": calls["opening"] != 0,
        "step": calls["step"],
        "seat": calls["seat"],
        "player": pa.DictionaryArray.from_arrays(pa.array(names[at_caller]), x.players.dictionary),
        "team": side.astype(np.int8),
        "is_mano": calls["position"] == 0,
        "position": calls["position"],
        "rules": x.rules(x.replayed.rules_id[h]),
        "trick": calls["trick"],
        "after_card": calls["after_card"] != 0,
        "over_truco": calls["over_truco"] != 0,
        "first_trick": maybe(calls["first_trick"], calls["first_trick"] < 0),
        "refused_worth": calls["refused_worth"],
        "accepted_worth": calls["accepted_worth"],
        "score_own": batch.score[h, side],
        "score_rival": batch.score[h, 1 - side],
        "envido": maybe(envido.astype(np.int8), envido < 0),
        "strength": maybe(strength, np.isnan(strength)),
        "answer": ANSWER(calls["answer"]),
        "answer_seat": maybe(answerer.astype(np.int8), nobody),
        "answerer": pa.DictionaryArray.from_arrays(pa.array(names[at_answer], mask=nobody), x.players.dictionary),
        "answerer_is_mano": maybe(answerer == (seat - calls["position"]) % n_seats, nobody),
        "answerer_envido": maybe(other_envido.astype(np.int8), nobody | (other_envido < 0)),
        "answerer_strength": maybe(other_strength, nobody | np.isnan(other_strength)),
        "can_raise": calls["can_raise"] != 0,
        "answer_event": maybe(calls["answer_event"], calls["answer_event"] < 0),
        "won": maybe(won, null_won),
        "net": maybe(net.astype(np.int16), null_net),
    }
    return as_table("calls", columns)


def tricks_table(x: Context) -> pa.Table:
    """Return the table `tricks` of the kept hands."""
    counts = x.replayed.hands["tricks"][x.keep].astype(np.int64)
    h = np.repeat(x.keep, counts)
    number = np.arange(len(h)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = x.replayed.tricks[h, number]
    cards = rows["cards"]
    begun = (cards >= 0).any(axis=1) if len(h) else np.zeros(0, bool)
    h, number, rows, cards = h[begun], number[begun], rows[begun], cards[begun]
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "trick": (number + 1).astype(np.int8),
        "duel": maybe(rows["duel"] + 1, rows["duel"] < 0),
        "leader": rows["leader"],
        "complete": rows["winner"] >= 0,
        "winner": maybe(rows["winner"], rows["winner"] < 0),
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
    is_card = (verb == PLAY) | ((verb == COVER) & (argument != NO_CARD)) | ((verb >= FIRST_RAISE) & (argument > 0))
    card = np.where(verb >= FIRST_RAISE, argument - 1, argument)
    time = pa.nulls(len(h), pa.int32())
    if len(batch.times):
        lengths = np.diff(batch.times_start)
        timed = lengths[h] > 0
        place = np.where(timed, batch.times_start[h] + index, 0)
        time = maybe(batch.times[place], ~timed)
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "event": index.astype(np.int16),
        "seat": seat,
        "word": VERB(verb),
        "card": CARD(np.where(is_card, card, 0), ~is_card),
        "number": maybe(np.where(verb == DECLARE, argument, 0).astype(np.int8), verb != DECLARE),
        "pending": PENDING_WORD(rows["pending"], rows["pending"] == 0),
        "owner": maybe(rows["owner"], rows["owner"] < 0),
        "first_trick": maybe(rows["first_trick"], rows["first_trick"] < 0),
        "time_ms": time,
    }
    for name in ("trick", "position", "turn", "level", "stake", "cards_left", "score_own", "score_rival", "legal"):
        columns[name] = np.ascontiguousarray(rows[name])
    return as_table("events", columns)
