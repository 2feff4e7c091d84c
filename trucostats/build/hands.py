"""The tables `hands` and `seats`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from trucostats.build.arrays import (
    CARD,
    CODE,
    ENDING,
    FORMAT,
    STATUS,
    Ints,
    Mask,
    Words,
    as_table,
    constant,
    maybe,
    text_column,
)
from trucostats.build.context import Context
from trucostats.kernel.params import NO_TURNED, STRENGTH
from trucostats.kernel.state import TIE
from trucostats.rows import (
    DEAL_FAULT,
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
)
from trucostats.vocab import NO_CARD, STATUSES

NO_TIME: Final = np.iinfo(np.int64).min
COMPLETE, OPEN, VOID, ILLEGAL = (STATUSES.index(name) for name in ("complete", "open", "void", "illegal"))


def hands_table(x: Context, file: str, keys: tuple[Ints, Ints]) -> pa.Table:
    """Return the table `hands` of the kept hands."""
    batch, k = x.batch, x.keep
    n = len(k)
    whole = n == len(batch)
    hands, final = (x.replayed.hands, x.replayed.final) if whole else (x.replayed.hands[k], x.replayed.final[k])
    fault = hands["fault_event"] != NO_FAULT
    deal_fault = hands["fault_event"] == DEAL_FAULT
    over = (final["over"] != 0) & ~deal_fault
    void = final["void"] != 0
    status = np.where(fault, ILLEGAL, np.where(void, VOID, np.where(over, COMPLETE, OPEN)))
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
    name, content = keys
    match = batch.match if whole else [batch.match[i] for i in k.tolist()]
    source = batch.source if whole else [batch.source[i] for i in k.tolist()]
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[k],
        "file": constant(file, n),
        "line": batch.line[k],
        "match": text_column(match),
        "game": batch.game[k],
        "hand": batch.hand[k],
        "rules": x.rules(rules),
        "base_rules": Words(pa.array(base_names, pa.string()))(base),
        "seats": batch.seats[k],
        "players": _tables_of_players(x),
        "dealer": batch.dealer[k],
        "mano": (batch.dealer[k] + 1) % batch.seats[k],
        "format": FORMAT(batch.format[k], batch.seats[k] != 6),
        "turned": CARD(np.where(turned == NO_CARD, 0, turned), turned == NO_CARD),
        "at": pa.array(np.where(at == NO_TIME, 0, at), pa.timestamp("us", tz="UTC"), mask=at == NO_TIME),
        "source": text_column(source) if any(source) else pa.nulls(n, pa.dictionary(pa.int32(), pa.string())),
        "score0": batch.score[k, 0],
        "score1": batch.score[k, 1],
        "status": STATUS(status),
        "legal": ~fault,
        "fault": CODE(hands["fault"], ~fault),
        "fault_event": maybe(hands["fault_event"], ~fault),
        "events": hands["events"],
        "tricks": final["n_tricks"].astype(np.int8),
        **{f"trick{i + 1}": maybe(tricks[:, i].astype(np.int8), final["n_tricks"] <= i) for i in range(3)},
        "hand_winner": maybe(winner.astype(np.int8), no_hand),
        "mano_won": maybe(winner == mano_team, no_hand | pica),
        "ended_by": ENDING(hands["ending"]),
        "level": final["level"].astype(np.int8),
        "called_level": hands["called_level"],
        "stake": hands["stake"],
        "envido_calls": hands["envido_calls"],
        "envido_accepted": hands["envido_accepted"] != 0,
        **{f"envido{i}": maybe(final["points_envido"][:, i].astype(np.int16), unknown_envido) for i in range(2)},
        **{f"flor{i}": maybe(final["points_flor"][:, i].astype(np.int16), unknown_flor) for i in range(2)},
        **{f"truco{i}": final["points_truco"][:, i].astype(np.int16) for i in range(2)},
        **{f"score{i}_after": maybe(final["score"][:, i].astype(np.int16), unknown_score) for i in range(2)},
        "hand_over": over,
        "game_over": final["game_over"] != 0,
        "game_winner": maybe(final["game_winner"].astype(np.int8), final["game_winner"] < 0),
        "next_dealer": maybe(np.where(void, batch.dealer[k], (batch.dealer[k] + 1) % batch.seats[k]), ~over),
        "void": void,
        "infraction": final["infraction"] != 0,
        "claim0": maybe(claim[:, 0], claim[:, 0] < 0),
        "claim1": maybe(claim[:, 1], claim[:, 0] < 0),
        "hand_key": name[k],
        "content_key": content[k],
    }
    return as_table("hands", columns)


def _tables_of_players(x: Context) -> pa.DictionaryArray:
    """Return the names at each table in seat order; names are joined only where they differ from the hand before."""
    names = np.full((len(x.batch), 6), -1, np.int32)
    names[x.seat_hand, x.seat_seat] = x.players.indices.to_numpy()
    names = names[x.keep]
    new = np.ones(len(names), bool)
    new[1:] = (names[1:] != names[:-1]).any(axis=1)
    joined = [" / ".join(x.batch.players[i]) for i in x.keep[new].tolist()]
    column = text_column(joined)
    return pa.DictionaryArray.from_arrays(column.indices.take(pa.array(np.cumsum(new) - 1)), column.dictionary)


def _seen_by(winner: Ints, side: Ints, null: Mask) -> pa.Array:
    """Return a trick as a side sees it: 1 won, 0 lost, 2 tied."""
    return maybe(np.where(winner == TIE, 2, winner == side).astype(np.int8), null)


def seats_table(x: Context) -> pa.Table:
    """Return the table `seats` of the kept hands."""
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
    own = {name: final[f"points_{name}"][h, side] for name in ("envido", "flor", "truco")}
    rival = {name: final[f"points_{name}"][h, 1 - side] for name in own}
    total_own = own["envido"] + own["flor"] + own["truco"]
    total_rival = rival["envido"] + rival["flor"] + rival["truco"]
    unknown = unknown_envido | unknown_flor
    value, flor = final["value"][h, s], final["flor_value"][h, s]
    tricks, n_tricks = final["all_tricks"][h], final["n_tricks"][h]
    chances, first = rows["chances"], rows["first_card"]
    envido_side = final["envido_side"][h]
    two = n_seats == 2
    rival_at = np.where(two, x.flat[h, np.where(two, 1 - s, 0)], 0)
    rival_name = pa.DictionaryArray.from_arrays(
        pa.array(x.players.indices.to_numpy()[rival_at], mask=~two), x.players.dictionary
    )
    levels = x.replayed.book.cards[
        x.replayed.book.rows["cards"][x.replayed.rules_id[h]],
        np.where(batch.turned == NO_CARD, NO_TURNED, batch.turned)[h],
        STRENGTH,
    ]
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
        "envido": maybe(value.astype(np.int8), value < 0),
        "flor": maybe(flor.astype(np.int8), flor < 0),
        "known": x.known,
        "strength": maybe(x.strength, np.isnan(x.strength)),
        "score_own": batch.score[h, side],
        "score_rival": batch.score[h, 1 - side],
        "won": maybe(winner == side, undecided),
        "points_own": maybe(total_own, unknown),
        "points_rival": maybe(total_rival, unknown),
        "envido_own": maybe(own["envido"], unknown_envido),
        "envido_rival": maybe(rival["envido"], unknown_envido),
        "flor_own": maybe(own["flor"], unknown_flor),
        "flor_rival": maybe(rival["flor"], unknown_flor),
        "truco_own": own["truco"],
        "truco_rival": rival["truco"],
        **{
            f"{word}_trick": _seen_by(tricks[:, i], side, (n_tricks <= i) | pica)
            for i, word in enumerate(("first", "second", "third"))
        },
        "first_card": CARD(np.where((first < 0) | (first == NO_CARD), 0, first), (first < 0) | (first == NO_CARD)),
        "first_card_rank": _first_rank(x, levels, first),
        "envido_chance": (chances & ENVIDO_CHANCE) != 0,
        "envido_first_word": (chances & ENVIDO_FIRST_WORD) != 0,
        "envido_opened": (chances & ENVIDO_OPENED) != 0,
        "envido_won": maybe(envido_side == side, (envido_side < 0) | (envido_side == TIE) | pica),
        "truco_chance": (chances & TRUCO_CHANCE) != 0,
        "truco_opened": (chances & TRUCO_OPENED) != 0,
        "word_held": (chances & WORD_HELD) != 0,
        "word_used": (chances & WORD_USED) != 0,
        "flor_chance": (chances & FLOR_CHANCE) != 0,
        "flor_announced": (chances & FLOR_ANNOUNCED) != 0,
        "declared": maybe(rows["declared"], rows["declared"] < 0),
        "conceded": rows["conceded"] != 0,
        "folded_in": maybe(rows["folded_in"], rows["folded_in"] < 0),
        "covered": rows["covered"],
    }
    return as_table("seats", columns)


def _first_rank(x: Context, levels: Ints, first: Ints) -> pa.Array:
    """Return the place of the first card among the dealt cards: 1 the strongest (equal cards share the better place)."""
    deal = x.batch.deal[x.seat_hand, x.seat_seat].astype(np.int64)
    dealt = (deal >= 0) & (deal < NO_CARD)
    good = x.known & (first >= 0) & (first < NO_CARD) & (dealt.sum(axis=1) == 3)
    own = np.take_along_axis(levels, np.where(good, first, 0)[:, None].astype(np.int64), 1)
    others = np.take_along_axis(levels, np.where(dealt, deal, 0), 1)
    rank = 1 + ((others > own) & dealt).sum(axis=1)
    return maybe(rank.astype(np.int8), ~good)
