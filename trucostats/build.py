"""From a replayed batch to Arrow tables: `hands`, `seats`, `calls`, `tricks`, `events`, `findings`, and the digests of hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import xxhash
from numpy.typing import NDArray

from trucostats.errors import CODE_NAMES, Finding
from trucostats.kernel.params import NO_TURNED, STRENGTH
from trucostats.kernel.state import ENVIDO_CALL, FLOR_CALL, TIE, TRUCO_CALL
from trucostats.replay import (
    ANSWERS,
    DEAL_FAULT,
    ENDINGS,
    ENVIDO_CHANCE,
    ENVIDO_FIRST_WORD,
    ENVIDO_OPENED,
    FLOR_ANNOUNCED,
    FLOR_CHANCE,
    NO_FAULT,
    TRUCO_CHANCE,
    TRUCO_OPENED,
    WORD_HELD,
    WORD_USED,
    Replayed,
)
from trucostats.strength import strength_index, strength_table
from trucostats.tables import schema
from trucostats.verdicts import findings_of, hands_with_findings
from trucostats.vocab import CARDS, FIRST_RAISE, FORMATS, NO_CARD, PENDING, STATUSES, VERB_INDEX, VERBS

if TYPE_CHECKING:
    from trucostats.batch import Batch

Ints = NDArray[Any]
Mask = NDArray[np.bool_]
NO_TIME: Final = np.iinfo(np.int64).min
COMPLETE, OPEN, VOID, ILLEGAL = range(4)
PLAY, COVER, DECLARE, SHOW = (VERB_INDEX[name] for name in ("play", "cover", "declare", "show"))
FAMILIES: Final = ("", "truco", "envido", "flor")
CARD_WORDS: Final = pa.array([*CARDS, "cover"])
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15))


def _mixed(values: Ints) -> NDArray[np.uint64]:
    """Spread 64-bit integers (the finaliser of SplitMix64)."""
    x = values.astype(np.int64).view(np.uint64) + _MIX[2]
    x = (x ^ (x >> np.uint64(30))) * _MIX[0]
    x = (x ^ (x >> np.uint64(27))) * _MIX[1]
    return x ^ (x >> np.uint64(31))


@lru_cache(maxsize=1 << 16)
def _text_digest(text: str | bytes) -> int:
    return xxhash.xxh3_64_intdigest(text.encode() if isinstance(text, str) else text)


def _texts(values: Sequence[str | bytes | None]) -> NDArray[np.uint64]:
    return np.fromiter((0 if text is None else _text_digest(text) for text in values), np.uint64, len(values))


def _chained(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    total = np.zeros_like(parts[0])
    for part in parts:
        total = _mixed((total * _MIX[0] + part).view(np.int64))
    return total


def _summed(values: NDArray[np.uint64], start: Ints) -> NDArray[np.uint64]:
    """Sum the values of each hand, modulo 2**64."""
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
    return running[start[1:]] - running[start[:-1]]


def hand_keys(batch: Batch) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return two digests of every hand: of its name (match, game, hand) and of everything its record says.

    The content digest does not depend on the order of keys, on white space, on aliases or on the order of the cards of a hand.
    """
    n = len(batch)
    if n == 0:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    name = _chained([_texts(batch.match), _mixed(batch.game), _mixed(batch.hand)])
    rules = _texts([str(rules) for rules in batch.rules])[batch.rules_id]
    position = np.arange(len(batch.event_code)) - np.repeat(batch.event_start[:-1], np.diff(batch.event_start))
    events = _mixed((batch.event_code.astype(np.int64) << 16) | (batch.event_seat.astype(np.int64) << 12) | position)
    seat = np.arange(6) * 64
    cards = np.where(batch.deal >= 0, _mixed(batch.deal + seat[None, :, None]).astype(np.uint64), np.uint64(0)).sum(axis=(1, 2), dtype=np.uint64)
    names = _mixed(_texts(list(chain.from_iterable(batch.players))).view(np.int64) + np.concatenate([np.arange(k) for k in batch.seats.tolist()]))
    name_start = np.concatenate([[0], np.cumsum(batch.seats.astype(np.int64))])
    small = batch.null_hand @ (1 << np.arange(6))
    table = (batch.dealer.astype(np.int64) << 32) | (batch.turned.astype(np.int64) << 16) | (batch.format.astype(np.int64) << 8) | small
    scores = (batch.score[:, 0].astype(np.int64) << 48) | (batch.score[:, 1].astype(np.int64) << 32)
    claims = ((batch.claim[:, 0].astype(np.int64) + 1) << 16) | (batch.claim[:, 1].astype(np.int64) + 1)
    parts = [name, rules, _mixed(table), _mixed(scores | claims), cards, _summed(events, batch.event_start), _summed(names, name_start), _mixed(batch.at)]
    if any(batch.source):
        parts.append(_texts(batch.source))
    if len(batch.times):
        order = np.arange(len(batch.times)) - np.repeat(batch.times_start[:-1], np.diff(batch.times_start))
        parts.append(_summed(_mixed((batch.times.astype(np.int64) << 16) | order), batch.times_start))
    if batch.extensions is not None:
        encode = msgspec.json.Encoder(order="sorted").encode
        parts.append(_texts([encode(extension) if extension else None for extension in batch.extensions]))
    content = _chained(parts)
    return name, content


@dataclass(slots=True)
class _Words:
    """Builds dictionary-encoded string arrays from integer codes."""

    names: pa.Array

    def __call__(self, codes: Ints, null: Mask | None = None) -> pa.DictionaryArray:
        indices = pa.array(codes.astype(np.int32), mask=null)
        return pa.DictionaryArray.from_arrays(indices, self.names)


_STATUS: Final = _Words(pa.array(STATUSES[:4]))
_ENDING: Final = _Words(pa.array(ENDINGS))
_CODE: Final = _Words(pa.array(CODE_NAMES))
_CARD: Final = _Words(CARD_WORDS)
_VERB: Final = _Words(pa.array(VERBS))
_FAMILY: Final = _Words(pa.array(FAMILIES))
_ANSWER: Final = _Words(pa.array(ANSWERS))
_PENDING: Final = _Words(pa.array([name or "" for name in PENDING]))
_FORMAT: Final = _Words(pa.array(FORMATS))


def _text_column(values: Sequence[str | None]) -> pa.DictionaryArray:
    return pa.array(values, pa.string()).dictionary_encode()


def _constant(text: str, n: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


@lru_cache(maxsize=1)
def _hand_words() -> pa.Array:
    """Return the names of all 9,880 hands by their number (see `_hand_numbers`)."""
    return pa.array([f"{CARDS[a]} {CARDS[b]} {CARDS[c]}" for c in range(2, 40) for b in range(1, c) for a in range(b)])


def _hand_numbers(ordered: Ints) -> Ints:
    """Return the number of hands given as (n, 3) rising card indices: their place in `_hand_words`."""
    a, b, c = ordered[:, 0].astype(np.int64), ordered[:, 1].astype(np.int64), ordered[:, 2].astype(np.int64)
    return c * (c - 1) * (c - 2) // 6 + b * (b - 1) // 2 + a


def _maybe(values: Ints, null: Mask) -> pa.Array:
    return pa.array(values, mask=null)


def _table(name: str, columns: dict[str, Any]) -> pa.Table:
    fields = schema(name)
    arrays = []
    for field in fields:
        column = columns[field.name]
        array = column if isinstance(column, pa.Array) else pa.array(column)
        arrays.append(array if array.type == field.type else array.cast(field.type))
    return pa.Table.from_arrays(arrays, schema=fields)


@dataclass(slots=True)
class _Context:
    """What several tables need, computed once; seat columns are flat, one entry per player and kept hand."""

    batch: Batch
    replayed: Replayed
    keep: Ints  # indices of the kept hands
    hand_id: Ints
    seat_hand: Ints  # hand index of each flat seat
    seat_seat: Ints
    flat: Ints  # (n, 6) place of a seat in the flat columns, -1 outside
    players: pa.DictionaryArray
    rules: _Words
    strength: NDArray[np.float32]
    known: Mask
    cards: pa.Array


def build_tables(batch: Batch, replayed: Replayed, file: str, first_hand_id: int, keep: Mask | None = None) -> dict[str, pa.Table]:
    """Return the tables of the kept hands of a batch; `hand_id` counts on from `first_hand_id`.

    Rejected lines of the batch appear in `findings` without a hand.
    """
    n = len(batch)
    kept = np.arange(n) if keep is None else np.flatnonzero(keep)
    hand_id = np.full(n, -1, np.int64)
    hand_id[kept] = first_hand_id + np.arange(len(kept))
    context = _context(batch, replayed, kept, hand_id)
    return {
        "hands": _hands(context, file),
        "seats": _seats(context),
        "calls": _calls(context),
        "tricks": _tricks(context),
        "events": _events(context),
        "findings": _findings(context, file),
    }


def _context(batch: Batch, replayed: Replayed, kept: Ints, hand_id: Ints) -> _Context:
    n = len(batch)
    sizes = batch.seats[kept].astype(np.int64)
    seat_hand = np.repeat(kept, sizes)
    seat_seat = np.arange(len(seat_hand)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    flat = np.full((n, 6), -1, np.int64)
    flat[seat_hand, seat_seat] = np.arange(len(seat_hand))
    names = batch.players if len(kept) == n else [batch.players[i] for i in kept.tolist()]
    final = replayed.final
    dealt = final["dealt"][seat_hand, seat_seat]
    complete = final["hidden_dealt"][seat_hand, seat_seat] == 0
    complete &= (dealt != 0) & (replayed.hands["fault_event"][seat_hand] != DEAL_FAULT)
    cards, triple = _dealt_cards(batch, dealt, complete, seat_hand, seat_seat)
    return _Context(
        batch, replayed, kept, hand_id, seat_hand, seat_seat, flat,
        _text_column(list(chain.from_iterable(names))),
        _Words(pa.array([str(rules) for rules in replayed.book.rules], pa.string())),
        _strengths(batch, replayed, triple, complete, seat_hand),
        complete, cards,
    )  # fmt: skip


def _dealt_cards(batch: Batch, dealt: Ints, complete: Mask, seat_hand: Ints, seat_seat: Ints) -> tuple[pa.Array, Ints]:
    """Return the names of the dealt hands and, for known hands of three, their cards as (n, 3) rising indices (else -1)."""
    deal = np.sort(batch.deal[seat_hand, seat_seat].astype(np.int64), axis=1)
    triple = deal[:, 1:]
    as_dealt = complete & (deal[:, 0] == -1) & (triple[:, 0] >= 0) & (triple[:, 2] < NO_CARD)
    for i in np.flatnonzero(complete & ~as_dealt):  # identified during play, or not three cards
        cards = [card for card in range(40) if (int(dealt[i]) >> card) & 1]
        if len(cards) == 3:
            triple[i] = cards
            as_dealt[i] = True
        else:
            triple[i] = -1
    numbers = np.where(as_dealt, _hand_numbers(np.where(as_dealt[:, None], triple, np.arange(3))), 0)
    odd = complete & ~as_dealt
    words = _hand_words()
    if odd.any():
        names = [" ".join(CARDS[card] for card in range(40) if (int(mask) >> card) & 1) for mask in dealt[odd]]
        extra = sorted(set(names))
        numbers[odd] = [len(words) + extra.index(name) for name in names]
        words = pa.concat_arrays([words, pa.array(extra)])
    triple[~as_dealt] = -1
    return _Words(words)(numbers, ~complete), triple


def _strengths(batch: Batch, replayed: Replayed, triple: Ints, complete: Mask, seat_hand: Ints) -> NDArray[np.float32]:
    """Return the strength of every flat seat, NaN where it has none."""
    result = np.full(len(triple), np.nan, np.float32)
    rules = replayed.rules_id[seat_hand]
    turned = np.where(batch.turned == NO_CARD, NO_TURNED, batch.turned)[seat_hand].astype(np.int64)
    three = triple[:, 0] >= 0
    kinds = rules.astype(np.int64) * 64 + turned
    for kind in np.unique(kinds[three]).tolist():
        rows = three & (kinds == kind)
        cards = replayed.book.cards[kind >> 6, kind & 63]
        levels = cards[STRENGTH][triple[rows]]
        result[rows] = strength_table(cards, kind & 63)[strength_index(levels)]
    return result


def _hands(x: _Context, file: str) -> pa.Table:
    batch, k = x.batch, x.keep
    hands, final = x.replayed.hands[k], x.replayed.final[k]
    n = len(k)
    fault = hands["fault_event"] != NO_FAULT
    deal_fault = hands["fault_event"] == DEAL_FAULT
    over = (final["over"] != 0) & ~deal_fault
    void = final["void"] != 0
    status = np.where(fault, ILLEGAL, np.where(void, VOID, np.where(over, COMPLETE, OPEN)))
    status_words = {COMPLETE: "complete", OPEN: "open", VOID: "void", ILLEGAL: "illegal"}
    pica = final["duel"] >= 0
    winner = final["hand_winner"]
    mano_team = (batch.dealer[k] + 1) % batch.seats[k] % 2
    tricks = final["all_tricks"]
    unknown_envido, unknown_flor = final["envido_unknown"] != 0, final["flor_unknown"] != 0
    unknown_score = unknown_envido | unknown_flor
    no_hand = ~over | (winner < 0)
    at = batch.at[k]
    rules = x.replayed.rules_id[k]
    bases = [r.name for r in x.replayed.book.rules]
    base_names = sorted(set(bases))
    base = np.array([base_names.index(name) for name in bases] or [0])[rules]
    turned = batch.turned[k]
    claim = batch.claim[k]
    name, content = hand_keys(batch)
    match = batch.match if n == len(batch) else [batch.match[i] for i in k.tolist()]
    names = batch.players if n == len(batch) else [batch.players[i] for i in k.tolist()]
    source = batch.source if n == len(batch) else [batch.source[i] for i in k.tolist()]
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[k],
        "file": _constant(file, n),
        "line": batch.line[k],
        "match": _text_column(match),
        "game": batch.game[k],
        "hand": batch.hand[k],
        "rules": x.rules(rules),
        "base_rules": _Words(pa.array(base_names, pa.string()))(base),
        "seats": batch.seats[k],
        "players": _text_column([" / ".join(row) for row in names]),
        "dealer": batch.dealer[k],
        "mano": (batch.dealer[k] + 1) % batch.seats[k],
        "format": _FORMAT(batch.format[k], batch.seats[k] != 6),
        "turned": _CARD(np.where(turned == NO_CARD, 0, turned), turned == NO_CARD),
        "at": pa.array(np.where(at == NO_TIME, 0, at), pa.timestamp("us", tz="UTC"), mask=at == NO_TIME),
        "source": _text_column(source) if any(source) else pa.nulls(n, pa.dictionary(pa.int32(), pa.string())),
        "score0": batch.score[k, 0],
        "score1": batch.score[k, 1],
        "status": _Words(pa.array([status_words[i] for i in range(4)]))(status),
        "legal": ~fault,
        "fault": _CODE(hands["fault"], ~fault),
        "fault_event": _maybe(hands["fault_event"], ~fault),
        "events": hands["events"],
        "tricks": final["n_tricks"].astype(np.int8),
        **{f"trick{i + 1}": _maybe(tricks[:, i].astype(np.int8), final["n_tricks"] <= i) for i in range(3)},
        "hand_winner": _maybe(winner.astype(np.int8), no_hand),
        "mano_won": _maybe(winner == mano_team, no_hand | pica),
        "ended_by": _ENDING(hands["ending"]),
        "level": final["level"].astype(np.int8),
        "called_level": hands["called_level"],
        "stake": hands["stake"],
        "envido_calls": hands["envido_calls"],
        "envido_accepted": hands["envido_accepted"] != 0,
        **{f"envido{i}": _maybe(final["points_envido"][:, i].astype(np.int16), unknown_envido) for i in range(2)},
        **{f"flor{i}": _maybe(final["points_flor"][:, i].astype(np.int16), unknown_flor) for i in range(2)},
        **{f"truco{i}": final["points_truco"][:, i].astype(np.int16) for i in range(2)},
        **{f"score{i}_after": _maybe(final["score"][:, i].astype(np.int16), unknown_score) for i in range(2)},
        "hand_over": over,
        "game_over": final["game_over"] != 0,
        "game_winner": _maybe(final["game_winner"].astype(np.int8), final["game_winner"] < 0),
        "next_dealer": _maybe(np.where(void, batch.dealer[k], (batch.dealer[k] + 1) % batch.seats[k]), ~over),
        "void": void,
        "infraction": final["infraction"] != 0,
        "claim0": _maybe(claim[:, 0], claim[:, 0] < 0),
        "claim1": _maybe(claim[:, 1], claim[:, 0] < 0),
        "hand_key": name[k],
        "content_key": content[k],
    }
    return _table("hands", columns)


def _seen_by(winner: Ints, side: Ints, null: Mask) -> pa.Array:
    """Return a trick as a side sees it: 1 won, 0 lost, 2 tied."""
    return _maybe(np.where(winner == TIE, 2, winner == side).astype(np.int8), null)


def _seats(x: _Context) -> pa.Table:
    batch, h, s = x.batch, x.seat_hand, x.seat_seat
    final, rows = x.replayed.final, x.replayed.seats[h, s]
    n_seats = batch.seats[h].astype(np.int64)
    side = s % 2
    duel_mano = (batch.dealer[h] + 1) % n_seats
    position = (s - duel_mano) % n_seats
    pica = final["duel"][h] >= 0
    over = (final["over"][h] != 0) & (x.replayed.hands["fault_event"][h] != DEAL_FAULT)
    winner = final["hand_winner"][h]
    for duel in range(3):
        inside = pica & (position % 3 == duel)
        winner = np.where(inside, final["duel_winner"][h, duel], winner)
    undecided = (~over & ~pica) | (winner < 0)
    unknown_envido, unknown_flor = final["envido_unknown"][h] != 0, final["flor_unknown"][h] != 0
    points = {name: final[f"points_{name}"][h].astype(np.int16) for name in ("envido", "flor", "truco")}
    own = {name: np.take_along_axis(values, side[:, None], 1)[:, 0] for name, values in points.items()}
    rival = {name: np.take_along_axis(values, 1 - side[:, None], 1)[:, 0] for name, values in points.items()}
    total_own, total_rival = sum(own.values()), sum(rival.values())
    unknown = unknown_envido | unknown_flor
    value, flor = final["value"][h, s], final["flor_value"][h, s]
    tricks, n_tricks = final["all_tricks"][h], final["n_tricks"][h]
    flags, first = rows["flags"], rows["first_card"]
    envido_side = final["envido_side"][h]
    two = n_seats == 2
    rival_at = np.where(two, x.flat[h, np.where(two, 1 - s, 0)], 0)
    rival_name = pa.DictionaryArray.from_arrays(pa.array(x.players.indices.to_numpy()[rival_at], mask=~two), x.players.dictionary)
    levels = x.replayed.book.cards[x.replayed.rules_id[h], np.where(batch.turned == NO_CARD, NO_TURNED, batch.turned)[h], STRENGTH]
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "seat": s.astype(np.int8),
        "player": x.players,
        "rival": rival_name,
        "team": side.astype(np.int8),
        "position": position.astype(np.int8),
        "is_mano": np.where(pica, position < 3, position == 0),
        "is_pie": np.where(pica, position >= 3, position >= n_seats - 2) if len(s) else np.zeros(0, bool),
        "rules": x.rules(x.replayed.rules_id[h]),
        "cards": x.cards,
        "envido": _maybe(value.astype(np.int8), value < 0),
        "flor": _maybe(flor.astype(np.int8), flor < 0),
        "known": x.known,
        "strength": _maybe(x.strength, np.isnan(x.strength)),
        "score_own": np.take_along_axis(batch.score[h], side[:, None], 1)[:, 0],
        "score_rival": np.take_along_axis(batch.score[h], 1 - side[:, None], 1)[:, 0],
        "won": _maybe(winner == side, undecided),
        "points_own": _maybe(total_own, unknown),
        "points_rival": _maybe(total_rival, unknown),
        "envido_own": _maybe(own["envido"], unknown_envido),
        "envido_rival": _maybe(rival["envido"], unknown_envido),
        "flor_own": _maybe(own["flor"], unknown_flor),
        "flor_rival": _maybe(rival["flor"], unknown_flor),
        "truco_own": own["truco"],
        "truco_rival": rival["truco"],
        **{
            f"{word}_trick": _seen_by(tricks[:, i], side, (n_tricks <= i) | pica)
            for i, word in enumerate(("first", "second", "third"))
        },
        "first_card": _CARD(np.where((first < 0) | (first == NO_CARD), 0, first), (first < 0) | (first == NO_CARD)),
        "first_card_rank": _first_rank(x, levels, first),
        "envido_chance": (flags & ENVIDO_CHANCE) != 0,
        "envido_first_word": (flags & ENVIDO_FIRST_WORD) != 0,
        "envido_opened": (flags & ENVIDO_OPENED) != 0,
        "envido_won": _maybe(envido_side == side, (envido_side < 0) | (envido_side == TIE) | pica),
        "truco_chance": (flags & TRUCO_CHANCE) != 0,
        "truco_opened": (flags & TRUCO_OPENED) != 0,
        "word_held": (flags & WORD_HELD) != 0,
        "word_used": (flags & WORD_USED) != 0,
        "flor_chance": (flags & FLOR_CHANCE) != 0,
        "flor_announced": (flags & FLOR_ANNOUNCED) != 0,
        "declared": _maybe(rows["declared"], rows["declared"] < 0),
        "conceded": rows["conceded"] != 0,
        "folded_in": _maybe(rows["folded_in"], rows["folded_in"] < 0),
        "covered": rows["covered"],
    }
    return _table("seats", columns)


def _first_rank(x: _Context, levels: Ints, first: Ints) -> pa.Array:
    """Return the place of the first card among the dealt cards: 1 the strongest (equal cards share the better place)."""
    deal = x.batch.deal[x.seat_hand, x.seat_seat].astype(np.int64)
    dealt = (deal >= 0) & (deal < NO_CARD)
    good = x.known & (first >= 0) & (first < NO_CARD) & (dealt.sum(axis=1) == 3)
    own = np.take_along_axis(levels, np.where(good, first, 0)[:, None].astype(np.int64), 1)
    others = np.take_along_axis(levels, np.where(dealt, deal, 0), 1)
    rank = 1 + ((others > own) & dealt).sum(axis=1)
    return _maybe(rank.astype(np.int8), ~good)


def _calls(x: _Context) -> pa.Table:
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
    winner = np.where(duel >= 0, np.take_along_axis(final["duel_winner"][h], np.maximum(duel, 0)[:, None], 1)[:, 0], winner)
    net = np.zeros(len(h), np.int64)
    null_net = np.zeros(len(h), bool)
    for code, name in ((TRUCO_CALL, "truco"), (ENVIDO_CALL, "envido"), (FLOR_CALL, "flor")):
        points = final[f"points_{name}"][h]
        own = np.take_along_axis(points, side[:, None], 1)[:, 0] - np.take_along_axis(points, 1 - side[:, None], 1)[:, 0]
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
        "family": _FAMILY(family),
        "word": _VERB(calls["verb"]),
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
        "first_trick": _maybe(calls["first_trick"], calls["first_trick"] < 0),
        "refused_worth": calls["refused_worth"],
        "accepted_worth": calls["accepted_worth"],
        "score_own": np.take_along_axis(batch.score[h], side[:, None], 1)[:, 0],
        "score_rival": np.take_along_axis(batch.score[h], 1 - side[:, None], 1)[:, 0],
        "envido": _maybe(envido.astype(np.int8), envido < 0),
        "strength": _maybe(strength, np.isnan(strength)),
        "answer": _ANSWER(calls["answer"]),
        "answer_seat": _maybe(answerer.astype(np.int8), nobody),
        "answerer": pa.DictionaryArray.from_arrays(pa.array(names[at_answer], mask=nobody), x.players.dictionary),
        "answerer_is_mano": _maybe(answerer == (seat - calls["position"]) % n_seats, nobody),
        "answerer_envido": _maybe(other_envido.astype(np.int8), nobody | (other_envido < 0)),
        "answerer_strength": _maybe(other_strength, nobody | np.isnan(other_strength)),
        "can_raise": calls["can_raise"] != 0,
        "answer_event": _maybe(calls["answer_event"], calls["answer_event"] < 0),
        "won": _maybe(won, null_won),
        "net": _maybe(net.astype(np.int16), null_net),
    }
    return _table("calls", columns)


def _tricks(x: _Context) -> pa.Table:
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
        "duel": _maybe(rows["duel"] + 1, rows["duel"] < 0),
        "leader": rows["leader"],
        "complete": rows["winner"] >= 0,
        "winner": _maybe(rows["winner"], rows["winner"] < 0),
        **{f"card{i}": _CARD(np.where(cards[:, i] == NO_CARD, 40, np.maximum(cards[:, i], 0)), cards[:, i] < 0) for i in range(6)},
        "covered": rows["covered"],
    }
    return _table("tricks", columns)


def _events(x: _Context) -> pa.Table:
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
        time = _maybe(batch.times[place], ~timed)
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "event": index.astype(np.int16),
        "seat": seat,
        "word": _VERB(verb),
        "card": _CARD(np.where(is_card, card, 0), ~is_card),
        "number": _maybe(np.where(verb == DECLARE, argument, 0).astype(np.int8), verb != DECLARE),
        "pending": _PENDING(rows["pending"], rows["pending"] == 0),
        "owner": _maybe(rows["owner"], rows["owner"] < 0),
        "first_trick": _maybe(rows["first_trick"], rows["first_trick"] < 0),
        "time_ms": time,
    }
    for name in ("trick", "position", "turn", "level", "stake", "cards_left", "score_own", "score_rival", "legal"):
        columns[name] = np.ascontiguousarray(rows[name])
    return _table("events", columns)


def _findings(x: _Context, file: str) -> pa.Table:
    found: list[tuple[int | None, Finding]] = [(None, reject.finding) for reject in x.batch.rejects]
    for i in hands_with_findings(x.batch, x.replayed):
        if x.hand_id[i] >= 0:
            found += [(int(x.hand_id[i]), finding) for finding in findings_of(x.batch, x.replayed, i, file)]
    return findings_table(found, file)


def findings_table(found: Sequence[tuple[int | None, Finding]], file: str) -> pa.Table:
    """Return findings, each with the id of its hand or None, as the `findings` table."""
    findings = [finding for _, finding in found]
    columns: dict[str, Any] = {
        "file": _text_column([finding.file or file for finding in findings]),
        "line": pa.array([finding.line for finding in findings], pa.int64()),
        "hand_id": pa.array([hand_id for hand_id, _ in found], pa.int64()),
        "match": pa.array([finding.match for finding in findings], pa.string()),
        "game": pa.array([finding.game for finding in findings], pa.int32()),
        "hand": pa.array([finding.hand for finding in findings], pa.int32()),
        "event": pa.array([-1 if finding.event == "deal" else finding.event for finding in findings], pa.int16()),
        "family": _text_column([finding.family for finding in findings]),
        "severity": _text_column([finding.severity for finding in findings]),
        "code": _text_column([finding.code for finding in findings]),
        "message": pa.array([finding.message for finding in findings], pa.string()),
    }
    return _table("findings", columns)


__all__ = ["SHOW", "build_tables", "findings_table", "hand_keys"]
