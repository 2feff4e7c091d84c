"""The tables `hands` and `seats`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from trucostats.arrays import Ints, Mask, Maybe, Words, as_table, strings, taken, text_column
from trucostats.build.context import Context
from trucostats.build.names import CARD, CODE, ENDING, FORMAT, STATUS, constant
from trucostats.columns import HAND_LIMIT
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
    source = batch.source if whole else [batch.source[i] for i in k.tolist()]
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[k],
        "file": constant(file, n),
        "line": batch.line[k],
        "match": Words(strings(x.texts.match.words))(x.texts.match.codes[k]),
        "game": batch.game[k],
        "hand": batch.hand[k],
        "rules": x.rules(rules),
        "base_rules": Words(strings(base_names))(base),
        "seats": batch.seats[k],
        "players": _tables_of_players(x),
        "dealer": batch.dealer[k],
        "mano": (batch.dealer[k] + 1) % batch.seats[k],
        "format": FORMAT(batch.format[k], batch.seats[k] != 6),
        "turned": CARD(np.where(turned == NO_CARD, 0, turned), turned == NO_CARD),
        "at": Maybe(at, at == NO_TIME),
        "source": text_column(source) if any(source) else pa.nulls(n, pa.dictionary(pa.int32(), pa.string())),
        "score0": batch.score[k, 0],
        "score1": batch.score[k, 1],
        "status": STATUS(status),
        "legal": ~fault,
        "fault": CODE(hands["fault"], ~fault),
        "fault_event": Maybe(hands["fault_event"], ~fault),
        "events": hands["events"],
        "tricks": final["n_tricks"].astype(np.int8),
        **{f"trick{i + 1}": Maybe(tricks[:, i].astype(np.int8), final["n_tricks"] <= i) for i in range(3)},
        "hand_winner": Maybe(winner.astype(np.int8), no_hand),
        "mano_won": Maybe(winner == mano_team, no_hand | pica),
        "ended_by": ENDING(hands["ending"]),
        "level": final["level"].astype(np.int8),
        "called_level": hands["called_level"],
        "stake": hands["stake"],
        "envido_calls": hands["envido_calls"],
        "envido_accepted": hands["envido_accepted"] != 0,
        **{f"envido{i}": Maybe(final["points_envido"][:, i].astype(np.int16), unknown_envido) for i in range(2)},
        **{f"flor{i}": Maybe(final["points_flor"][:, i].astype(np.int16), unknown_flor) for i in range(2)},
        **{f"truco{i}": final["points_truco"][:, i].astype(np.int16) for i in range(2)},
        **{f"score{i}_after": Maybe(final["score"][:, i].astype(np.int16), unknown_score) for i in range(2)},
        "hand_over": over,
        "game_over": final["game_over"] != 0,
        "game_winner": Maybe(final["game_winner"].astype(np.int8), final["game_winner"] < 0),
        "next_dealer": Maybe(np.where(void, batch.dealer[k], (batch.dealer[k] + 1) % batch.seats[k]), ~over),
        "void": void,
        "infraction": final["infraction"] != 0,
        "claim0": Maybe(claim[:, 0], claim[:, 0] < 0),
        "claim1": Maybe(claim[:, 1], claim[:, 0] < 0),
        "hand_key": name[k],
        "content_key": content[k],
    }
    return as_table("hands", columns)


def _tables_of_players(x: Context) -> pa.DictionaryArray:
    """Return the names at each table in seat order."""
    tables = x.texts.tables
    return Words(strings([" / ".join(names) for names in tables.words]))(tables.codes[x.keep])


def _seen_by(winner: Ints, side: Ints, null: Mask) -> Maybe:
    """Return a trick as a side sees it: 1 won, 0 lost, 2 tied."""
    return Maybe(np.where(winner == TIE, 2, winner == side).astype(np.int8), null)


def seats_table(x: Context) -> pa.Table:
    """Return the table `seats` of the kept hands."""
    batch, h, s = x.batch, x.seat_hand, x.seat_seat.astype(np.int8)
    final = x.replayed.final
    rows = {name: taken(x.replayed.seats[name], x.place) for name in x.replayed.seats.dtype.names}
    n_seats = batch.seats[h]
    side = s & 1
    own_side = h * 2 + side
    rival_side = own_side ^ 1
    duel_mano = ((batch.dealer + 1) % batch.seats)[h]
    position = s - duel_mano
    position += n_seats * (position < 0)
    of_duel = final["duel"] >= 0
    pica = of_duel[h]
    hand_over = (final["over"] != 0) & (x.replayed.hands["fault_event"] != DEAL_FAULT)
    winner = final["hand_winner"][h]
    if of_duel.any():
        winner = np.where(pica, taken(final["duel_winner"], h * 3 + position % 3), winner)
    undecided = (~hand_over & ~of_duel)[h] | (winner < 0)
    hidden_envido, hidden_flor = final["envido_unknown"] != 0, final["flor_unknown"] != 0
    unknown_envido, unknown_flor, unknown = hidden_envido[h], hidden_flor[h], (hidden_envido | hidden_flor)[h]
    points = {name: np.ascontiguousarray(final[f"points_{name}"]) for name in ("envido", "flor", "truco")}
    total = points["envido"] + points["flor"] + points["truco"]
    own = {name: taken(given, own_side) for name, given in points.items()}
    rival = {name: taken(given, rival_side) for name, given in points.items()}
    value, flor = taken(final["value"], x.place), taken(final["flor_value"], x.place)
    n_tricks = final["n_tricks"]
    chances, first = rows["chances"], rows["first_card"]
    no_first = (first < 0) | (first == NO_CARD)
    envido_side = final["envido_side"][h]
    two = n_seats == 2
    rival_at = np.where(two, np.arange(len(s)) + 1 - 2 * side, 0)
    columns: dict[str, Any] = {
        "hand_id": x.hand_id[h],
        "seat": s,
        "player": x.players(x.player),
        "rival": x.players(x.player[rival_at], ~two),
        "team": side,
        "position": position,
        "is_mano": np.where(pica, position < 3, position == 0),
        "is_pie": np.where(pica, position >= 3, position >= n_seats - 2) if len(s) else np.zeros(0, bool),
        "rules": x.rules(x.replayed.rules_id[h]),
        "cards": x.cards,
        "envido": Maybe(value, value < 0),
        "flor": Maybe(flor, flor < 0),
        "known": x.known,
        "strength": Maybe(x.strength, np.isnan(x.strength)),
        "score_own": taken(batch.score, own_side),
        "score_rival": taken(batch.score, rival_side),
        "won": Maybe(winner == side, undecided),
        "points_own": Maybe(taken(total, own_side), unknown),
        "points_rival": Maybe(taken(total, rival_side), unknown),
        "envido_own": Maybe(own["envido"], unknown_envido),
        "envido_rival": Maybe(rival["envido"], unknown_envido),
        "flor_own": Maybe(own["flor"], unknown_flor),
        "flor_rival": Maybe(rival["flor"], unknown_flor),
        "truco_own": own["truco"],
        "truco_rival": rival["truco"],
        **{
            f"{word}_trick": _seen_by(final["all_tricks"][:, i][h], side, ((n_tricks <= i) | of_duel)[h])
            for i, word in enumerate(("first", "second", "third"))
        },
        "first_card": CARD(np.where(no_first, 0, first), no_first),
        "first_card_rank": _first_rank(x, first),
        "envido_chance": (chances & ENVIDO_CHANCE) != 0,
        "envido_first_word": (chances & ENVIDO_FIRST_WORD) != 0,
        "envido_opened": (chances & ENVIDO_OPENED) != 0,
        "envido_won": Maybe(envido_side == side, (envido_side < 0) | (envido_side == TIE) | pica),
        "truco_chance": (chances & TRUCO_CHANCE) != 0,
        "truco_opened": (chances & TRUCO_OPENED) != 0,
        "word_held": (chances & WORD_HELD) != 0,
        "word_used": (chances & WORD_USED) != 0,
        "flor_chance": (chances & FLOR_CHANCE) != 0,
        "flor_announced": (chances & FLOR_ANNOUNCED) != 0,
        "declared": Maybe(rows["declared"], rows["declared"] < 0),
        "conceded": rows["conceded"] != 0,
        "folded_in": Maybe(rows["folded_in"], rows["folded_in"] < 0),
        "covered": rows["covered"],
    }
    return as_table("seats", columns)


def _first_rank(x: Context, first: Ints) -> Maybe:
    """Return the place of the first card among the dealt cards: 1 the strongest (equal cards share the better place)."""
    batch, book = x.batch, x.replayed.book
    deal = batch.deal.reshape(-1, HAND_LIMIT)[x.place]
    dealt = (deal >= 0) & (deal < NO_CARD)
    good = x.known & (first >= 0) & (first < NO_CARD) & (dealt.sum(axis=1) == 3)
    turned = np.where(batch.turned == NO_CARD, NO_TURNED, batch.turned)
    # Where the strengths of the cards of each hand begin when those of all rule sets stand in one row.
    levels = np.ascontiguousarray(book.cards[:, :, STRENGTH]).astype(np.int8)
    begin = ((book.rows["cards"][x.replayed.rules_id] * levels.shape[1] + turned) * levels.shape[2])[x.seat_hand]
    own = taken(levels, begin + np.where(good, first, 0))
    rank = np.ones(len(first), np.int8)
    for card, there in zip(deal.T, dealt.T, strict=True):
        rank += (taken(levels, begin + np.where(there, card, 0)) > own) & there
    return Maybe(rank, ~good)
