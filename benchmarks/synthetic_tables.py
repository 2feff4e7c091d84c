"""Write a big dataset of made-up hands in seconds: every table and column, plausible shares, no rules engine.

The hands are not legal truco; the tables have the shapes, types and shares of real ones, which is what a timing needs.

    python benchmarks/synthetic_tables.py 1000000 /tmp/big
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from trucostats.tables import FORMAT_VERSION, TABLES, schema
from trucostats.vocab import CARDS, VERB_INDEX

PART = 100_000
HANDS_PER_GAME = 20
TARGET = 30
RULES = ("argentino", "rioplatense", "truc")
PLAYERS = tuple(f"player {index:03}" for index in range(200))
LADDER = ("truco", "retruco", "vale-cuatro")
ENVIDO = ("envido", "real-envido", "falta-envido")
ANSWERS = ("quiero", "no-quiero", "raise", "mazo", "none")

Columns = dict[str, Any]


def _words(codes: np.ndarray, names: tuple[str, ...], missing: np.ndarray | None = None) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=missing), pa.array(names, pa.string()))


def _maybe(values: np.ndarray, missing: np.ndarray) -> pa.Array:
    return pa.array(values, mask=missing)


def write_table(name: str, columns: Columns, path: Path, rows: int) -> None:
    """Write one table; a column that is not given is null, or zero where it may not be."""
    arrays = []
    for column, field in zip(TABLES[name].columns, schema(name), strict=True):
        values = columns.get(column.name)
        if values is None:
            filled = {"word": "none", "text": "", "bool": False}.get(column.kind, 0)
            array = (
                pa.nulls(rows, field.type)
                if column.nullable
                else pa.array([filled], field.type).take(pa.array(np.zeros(rows, np.int8)))
            )
        else:
            array = values if isinstance(values, pa.Array) else pa.array(values)
        arrays.append(array if array.type == field.type else array.cast(field.type))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema(name)), path, compression="zstd", compression_level=1)


class Deals:
    """What each of the 9,880 hands of three cards holds: name, envido, flor, and a rough strength."""

    def __init__(self) -> None:
        order = np.argsort(np.argsort([(int(card[:-1]) - 4) % 10 + 0.1 * (card[-1] in "eb") for card in CARDS]))
        triples = list(itertools.combinations(range(40), 3))
        self.index = np.zeros((40, 40, 40), np.int16)
        self.names, self.envido, self.flor, self.strength, self.ranked = [], [], [], [], []
        for number, triple in enumerate(triples):
            self.index[triple] = number
            ranked = sorted(triple, key=lambda card: -order[card])
            suits = [card // 10 for card in triple]
            values = [min(card % 10 + 1, 8) % 8 for card in triple]
            pairs = [values[a] + values[b] + 20 for a, b in ((0, 1), (0, 2), (1, 2)) if suits[a] == suits[b]]
            self.names.append(" ".join(CARDS[card] for card in ranked))
            self.envido.append(max(pairs, default=max(values)))
            self.flor.append(20 + sum(values) if len(set(suits)) == 1 else -1)
            self.strength.append(float(sum(order[card] for card in triple)))
            self.ranked.append(ranked)
        self.names = tuple(self.names)
        self.envido, self.flor, self.ranked = np.array(self.envido), np.array(self.flor), np.array(self.ranked)
        self.strength = np.argsort(np.argsort(self.strength)) / len(triples)


def _hands(rng: np.random.Generator, first: int, count: int, deals: Deals) -> dict[str, Any]:
    """Draw everything the tables share: players, cards, scores, results."""
    number = first + np.arange(count)
    match = number // HANDS_PER_GAME
    cards = np.sort(np.argpartition(rng.random((count, 40)), 6, axis=1)[:, :6].reshape(count, 2, 3), axis=2)
    deal = deals.index[cards[..., 0], cards[..., 1], cards[..., 2]].astype(np.int64)
    rules = np.searchsorted([0.7, 0.9], np.random.default_rng(1).random(match.max() + 1)[match])
    strength, envido = deals.strength[deal], deals.envido[deal]
    within = number % HANDS_PER_GAME
    score = np.stack([np.minimum(within * 1.4 + rng.integers(0, 3, count), TARGET - 1) for _ in range(2)], 1).astype(
        np.int16
    )
    mano = within % 2
    edge = strength[:, 0] - strength[:, 1] + np.where(mano == 0, 0.05, -0.05) + rng.normal(0, 0.3, count)
    winner = (edge < 0).astype(np.int8)
    level = np.searchsorted([0.55, 0.85, 0.96], rng.random(count))
    tanto = np.where((envido[:, 0] > envido[:, 1]) | ((envido[:, 0] == envido[:, 1]) & (mano == 0)), 0, 1)
    return {
        "number": number, "match": match, "within": within, "deal": deal, "rules": rules, "strength": strength, "envido": envido,
        "flor": deals.flor[deal], "score": score, "mano": mano, "winner": winner, "level": level, "tanto": tanto,
        "has_envido": rules < 2, "asked": (rng.random(count) < 0.45) & (rules < 2), "taken": rng.random(count) < 0.5,
        "folded": rng.random(count) < 0.35, "known": rng.random((count, 2)) < 0.9, "opener": rng.integers(0, 2, count),
        "complete": rng.random(count) < 0.99, "last": within == HANDS_PER_GAME - 1,
        "player": np.stack([match * 7 % 200, (match * 11 + 3) % 200], 1), "truco_by": rng.integers(0, 2, count),
        "trick": np.searchsorted([0.4, 0.8], rng.random(count)) + 1, "file": number // 50_000,
        "trick1": np.where(rng.random(count) < 0.08, 2, np.where(rng.random(count) < 0.8, winner, 1 - winner)),
    }  # fmt: skip


def write_part(directory: Path, first: int, count: int, deals: Deals, rng: np.random.Generator) -> None:
    """Write one committed part of a dataset."""
    h = _hands(rng, first, count, deals)
    seat = np.arange(2)
    rules, players = _words(h["rules"], RULES), PLAYERS
    open_hand = ~h["complete"]
    truco = np.where(h["folded"], np.maximum(h["level"], 1), h["level"] + 1)
    won = h["winner"][:, None] == seat
    ask_points = np.where(h["asked"], np.where(h["taken"], 2, 1), 0)
    ask_winner = np.where(h["taken"], h["tanto"], h["opener"])
    envido = ask_points[:, None] * (ask_winner[:, None] == seat)
    points = envido + truco[:, None] * won
    trick2 = np.where(h["trick1"] == 2, h["winner"], np.where(rng.random(count) < 0.5, h["winner"], 1 - h["winner"]))
    third = (h["trick1"] != 2) & (h["trick1"] != trick2)
    ended = np.where(open_hand, 3, np.where(h["folded"], np.where(h["level"] > 0, 1, 2), 0))
    part = directory / "parts" / f"p{first:09}"
    write_table("hands", {
        "hand_id": h["number"], "file": _words(h["file"], tuple(f"log{n}.jsonl" for n in range(h["file"].max() + 1))),
        "line": h["number"] % 50_000 + 1, "match": _words(h["match"] - h["match"][0], tuple(f"m{n}" for n in range(h["match"][0], h["match"][-1] + 1))),
        "game": np.ones(count, np.int32), "hand": h["within"] + 1, "rules": rules, "base_rules": rules, "seats": np.full(count, 2),
        "players": _words(np.unique(h["match"], return_inverse=True)[1], tuple(f"{PLAYERS[n * 7 % 200]} / {PLAYERS[(n * 11 + 3) % 200]}" for n in np.unique(h["match"]))),
        "dealer": 1 - h["mano"], "mano": h["mano"], "score0": h["score"][:, 0], "score1": h["score"][:, 1],
        "at": pa.array(1_700_000_000_000_000 + h["number"] * 60_000_000, pa.timestamp("us", tz="UTC")),
        "status": _words(open_hand.astype(int), ("complete", "open")), "legal": np.ones(count, bool), "events": rng.integers(4, 14, count),
        "tricks": np.where(third, 3, 2), "trick1": h["trick1"], "trick2": trick2, "trick3": _maybe(h["winner"], ~third),
        "hand_winner": _maybe(h["winner"], open_hand), "mano_won": _maybe(h["winner"] == h["mano"], open_hand),
        "ended_by": _words(ended, ("cards", "refusal", "mazo", "open")), "level": h["level"], "called_level": h["level"],
        "stake": h["level"] + 1, "envido_calls": h["asked"].astype(np.int8), "envido_accepted": h["asked"] & h["taken"],
        "envido0": envido[:, 0], "envido1": envido[:, 1], "flor0": np.zeros(count), "flor1": np.zeros(count),
        "truco0": truco * won[:, 0], "truco1": truco * won[:, 1], "score0_after": _maybe(h["score"][:, 0] + points[:, 0], open_hand),
        "score1_after": _maybe(h["score"][:, 1] + points[:, 1], open_hand), "hand_over": h["complete"], "game_over": h["last"],
        "game_winner": _maybe(h["winner"], ~h["last"]), "hand_key": h["number"].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15),
        "content_key": h["number"].astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F),
    }, part / "hands.parquet", count)  # fmt: skip
    write_table(
        "seats",
        _seats(h, rng, players, points, envido, truco[:, None] * won, trick2, third),
        part / "seats.parquet",
        2 * count,
    )
    _write_calls(h, rng, envido, part)
    _write_events(h, rng, part)
    _write_tricks(h, rng, third, trick2, part)
    write_table("findings", {
        "file": _words(h["file"][::500], tuple(f"log{n}.jsonl" for n in range(h["file"].max() + 1))), "line": h["number"][::500] % 50_000 + 1,
        "hand_id": h["number"][::500], "family": _words(np.zeros(len(h["file"][::500])), ("inconsistent",)),
        "severity": _words(np.zeros(len(h["file"][::500])), ("warning",)), "code": _words(np.arange(len(h["file"][::500])) % 2, ("MISSING_PROOF", "CONCEDED_BETTER")),
    }, part / "findings.parquet", len(h["file"][::500]))  # fmt: skip
    write_table(
        "files",
        {
            "file": pa.array([f"log{first}.jsonl"]),
            "accepted": np.array([count]),
            "lines": np.array([count + 7]),
            "rejected": np.array([7]),
        },
        part / "files.parquet",
        1,
    )


def _seats(h: Columns, rng: np.random.Generator, players: tuple[str, ...], points: np.ndarray, envido: np.ndarray, truco: np.ndarray,
           trick2: np.ndarray, third: np.ndarray) -> Columns:  # fmt: skip
    count = len(h["number"])
    seat = np.tile(np.arange(2), count)
    both = {key: np.repeat(h[key], 2) for key in ("number", "rules", "mano", "asked", "taken", "opener", "tanto", "winner", "trick1", "complete",
                                                  "has_envido", "truco_by", "level", "folded", "trick")}  # fmt: skip
    unknown = ~h["known"].ravel()
    flor = h["flor"].ravel()

    def side(winner: np.ndarray) -> np.ndarray:
        return np.where(winner == 2, 2, (winner == seat).astype(np.int8))

    def own(values: np.ndarray) -> np.ndarray:
        return values.ravel()

    def rival(values: np.ndarray) -> np.ndarray:
        return values[:, ::-1].ravel()

    is_mano, open_hand, size = both["mano"] == seat, ~both["complete"], 2 * count
    played = both["asked"] & both["taken"]
    opened = both["asked"] & (both["opener"] == seat)
    truco_opened = (both["level"] + both["folded"] > 0) & (both["truco_by"] == seat)
    return {
        "hand_id": both["number"], "seat": seat, "player": _words(own(h["player"]), players), "rival": _words(rival(h["player"]), players),
        "team": seat, "position": (~is_mano).astype(np.int8), "is_mano": is_mano, "is_pie": np.ones(size, bool), "rules": _words(both["rules"], RULES),
        "cards": _words(own(h["deal"]), DEALS.names, unknown), "envido": _maybe(own(h["envido"]), unknown | ~both["has_envido"]),
        "flor": _maybe(flor, unknown | (flor < 0) | (both["rules"] != 1)), "known": ~unknown, "strength": _maybe(own(h["strength"]), unknown),
        "score_own": own(h["score"]), "score_rival": rival(h["score"]), "won": _maybe(both["winner"] == seat, open_hand),
        "points_own": _maybe(own(points), open_hand), "points_rival": _maybe(rival(points), open_hand), "envido_own": own(envido),
        "envido_rival": rival(envido), "flor_own": np.zeros(size), "flor_rival": np.zeros(size), "truco_own": own(truco), "truco_rival": rival(truco),
        "first_trick": side(both["trick1"]), "second_trick": side(np.repeat(trick2, 2)), "third_trick": _maybe(side(both["winner"]), ~np.repeat(third, 2)),
        "first_card": _words(rng.integers(0, 40, size), CARDS), "first_card_rank": _maybe(rng.integers(1, 4, size), unknown),
        "envido_chance": both["has_envido"] & (rng.random(size) < 0.8), "envido_first_word": is_mano & both["has_envido"], "envido_opened": opened,
        "envido_won": _maybe(both["tanto"] == seat, ~played), "truco_chance": rng.random(size) < 0.9, "truco_opened": truco_opened,
        "word_held": rng.random(size) < 0.2, "word_used": rng.random(size) < 0.05, "flor_chance": flor >= 0, "flor_announced": flor >= 20,
        "declared": _maybe(own(h["envido"]), ~played | (rng.random(size) < 0.4)), "conceded": played & (rng.random(size) < 0.3),
        "folded_in": _maybe(both["trick"], ~both["folded"] | (both["winner"] == seat) | (rng.random(size) < 0.7)), "covered": (rng.random(size) < 0.02).astype(np.int8),
    }  # fmt: skip


def _write_calls(h: Columns, rng: np.random.Generator, envido: np.ndarray, part: Path) -> None:
    steps = np.minimum(h["level"] + h["folded"], 3)
    rows = {"envido": (np.flatnonzero(h["asked"]), None)} | {
        word: (np.flatnonzero(steps > step), step) for step, word in enumerate(LADDER)
    }
    blocks: list[Columns] = []
    words = (*LADDER, *ENVIDO)
    for at, step in rows.values():
        size, truco = len(at), step is not None
        seat = (h["truco_by"][at] + (step or 0)) % 2 if truco else h["opener"][at]
        rival = 1 - seat
        kind = np.full(size, step) if truco else 3 + np.searchsorted([0.75, 0.92], rng.random(size))
        last = steps[at] == (step or 0) + 1 if truco else np.ones(size, bool)
        refused = h["folded"][at] if truco else ~h["taken"][at]
        answer = np.where(
            last, np.where(refused, np.where(rng.random(size) < 0.9, 1, 3), 0), np.where(rng.random(size) < 0.5, 2, 0)
        )
        worth = (step or 0) + 1 if truco else 1
        blocks.append({
            "hand": at, "call": np.full(size, (step or 0) + 1 if truco else 0), "event": np.full(size, (step or 0) * 2 + 3 if truco else 0),
            "family": np.full(size, 0 if truco else 1), "word": kind, "opening": np.full(size, step in (None, 0)), "step": np.full(size, (step or 0) + 1),
            "seat": seat, "player": h["player"][at, seat], "team": seat, "is_mano": seat == h["mano"][at], "position": (seat != h["mano"][at]).astype(int),
            "rules": h["rules"][at], "trick": h["trick"][at] if truco else np.ones(size, int), "over_truco": np.zeros(size, bool) if truco else rng.random(size) < 0.1,
            "refused_worth": np.full(size, worth), "accepted_worth": np.full(size, worth + 1) if truco else np.array([2, 3, 15])[kind - 3],
            "score_own": h["score"][at, seat], "score_rival": h["score"][at, rival], "envido": h["envido"][at, seat], "strength": h["strength"][at, seat],
            "answer": answer, "answerer": h["player"][at, rival], "answer_seat": rival, "answerer_is_mano": rival == h["mano"][at],
            "answerer_envido": h["envido"][at, rival], "answerer_strength": h["strength"][at, rival], "can_raise": np.full(size, step != 2),
            "known": h["known"][at, seat], "rival_known": h["known"][at, rival], "won": (h["winner"][at] if truco else h["tanto"][at]) == seat,
            "net": np.where((h["winner"][at] == seat) if truco else (h["tanto"][at] == seat), 1, -1) * (worth + 1),
        })  # fmt: skip
    merged = {key: np.concatenate([block[key] for block in blocks]) for key in blocks[0]}
    order = np.lexsort((merged["call"], merged["hand"]))
    c = {key: values[order] for key, values in merged.items()}
    none = ~c["known"]
    write_table("calls", {
        **{key: c[key] for key in ("call", "event", "opening", "step", "seat", "team", "is_mano", "position", "trick", "over_truco", "refused_worth",
                                   "accepted_worth", "score_own", "score_rival", "can_raise", "answer_seat", "answerer_is_mano", "won", "net")},
        "hand_id": h["number"][c["hand"]], "family": _words(c["family"], ("truco", "envido")), "word": _words(c["word"], words),
        "player": _words(c["player"], PLAYERS), "rules": _words(c["rules"], RULES), "answer": _words(c["answer"], ANSWERS),
        "answerer": _words(c["answerer"], PLAYERS), "envido": _maybe(c["envido"], none), "strength": _maybe(c["strength"], none),
        "answerer_envido": _maybe(c["answerer_envido"], ~c["rival_known"]), "answerer_strength": _maybe(c["answerer_strength"], ~c["rival_known"]),
        "first_trick": _maybe(rng.integers(0, 3, len(order)), c["trick"] == 1), "after_card": np.zeros(len(order), bool),
    }, part / "calls.parquet", len(order))  # fmt: skip


def _write_events(h: Columns, rng: np.random.Generator, part: Path) -> None:
    count = rng.integers(5, 12, len(h["number"]))
    hand = np.repeat(np.arange(len(count)), count)
    size = len(hand)
    index = np.arange(size) - np.repeat(np.cumsum(count) - count, count)
    words = ("play", "truco", "quiero", "no-quiero", "envido", "mazo")
    word = np.searchsorted([0.55, 0.66, 0.8, 0.9, 0.97], rng.random(size))
    pending = np.searchsorted([0.25, 0.35], rng.random(size))
    trick = np.minimum(index // 3 + 1, 3)
    seat = index % 2
    legal = (
        (1 << VERB_INDEX["play"])
        | (1 << VERB_INDEX["truco"]) * (index > 1)
        | (1 << VERB_INDEX["envido"]) * (trick == 1)
        | (1 << VERB_INDEX["mazo"])
    )
    write_table("events", {
        "hand_id": h["number"][hand], "event": index, "seat": seat, "word": _words(word, words),
        "card": _words(rng.integers(0, 40, size), CARDS, word != 0), "trick": trick, "position": (seat != h["mano"][hand]).astype(int),
        "turn": seat, "pending": _words(np.maximum(pending - 1, 0), ("truco", "envido"), pending == 0), "level": np.minimum(h["level"][hand], trick - 1),
        "stake": np.minimum(h["level"][hand], trick - 1) + 1, "owner": _maybe(seat, trick == 1), "cards_left": 4 - trick,
        "first_trick": _maybe(rng.integers(0, 3, size), trick == 1), "score_own": h["score"][hand, seat], "score_rival": h["score"][hand, 1 - seat],
        "legal": legal, "time_ms": index * 1500 + rng.integers(0, 1400, size),
    }, part / "events.parquet", size)  # fmt: skip


def _write_tricks(h: Columns, rng: np.random.Generator, third: np.ndarray, trick2: np.ndarray, part: Path) -> None:
    count = np.where(third, 3, 2)
    hand = np.repeat(np.arange(len(count)), count)
    index = np.arange(len(hand)) - np.repeat(np.cumsum(count) - count, count)
    winner = np.select([index == 0, index == 1], [h["trick1"][hand], trick2[hand]], h["winner"][hand])
    write_table("tricks", {
        "hand_id": h["number"][hand], "trick": index + 1, "leader": h["mano"][hand], "complete": np.ones(len(hand), bool), "winner": winner,
        "card0": _words(rng.integers(0, 40, len(hand)), CARDS), "card1": _words(rng.integers(0, 40, len(hand)), CARDS),
    }, part / "tricks.parquet", len(hand))  # fmt: skip


def _write_derived(directory: Path, hands: int) -> None:
    number = -(-hands // HANDS_PER_GAME)
    match = np.arange(number)
    names = tuple(f"m{n}" for n in range(number))
    rules = _words(np.searchsorted([0.7, 0.9], np.random.default_rng(1).random(number)), RULES)
    left, right = [PLAYERS[n] for n in match * 7 % 200], [PLAYERS[n] for n in (match * 11 + 3) % 200]
    winner = np.random.default_rng(2).integers(0, 2, number)
    losing = np.random.default_rng(3).integers(5, TARGET, number)
    unfinished = match % 50 == 0
    folder = directory / "derived" / "g1"
    shared = {"match": _words(match, names), "rules": rules, "seats": np.full(number, 2), "hands": np.full(number, HANDS_PER_GAME),
              "finished": ~unfinished, "winner": _maybe(winner, unfinished)}  # fmt: skip
    write_table("games", shared | {
        "game": np.ones(number), "first_hand": np.ones(number), "last_hand": np.full(number, HANDS_PER_GAME),
        "score0": np.where(winner == 0, TARGET, losing), "score1": np.where(winner == 1, TARGET, losing), "clean": np.ones(number, bool),
    }, folder / "games.parquet", number)  # fmt: skip
    write_table("matches", shared | {
        "players": pa.array([f"{a} / {b}" for a, b in zip(left, right, strict=True)]), "team0": pa.array(left), "team1": pa.array(right),
        "games": np.ones(number), "won0": winner == 0, "won1": winner == 1,
    }, folder / "matches.parquet", number)  # fmt: skip
    write_table("findings", {}, folder / "findings.parquet", 0)


def write_dataset(directory: Path, hands: int, seed: int = 0) -> None:
    """Write a dataset of that many hands, in parts of 100,000."""
    for first in range(0, hands, PART):
        write_part(directory, first, min(PART, hands - first), DEALS, np.random.default_rng([seed, first]))
    _write_derived(directory, hands)
    (directory / "dataset.json").write_text(json.dumps({"format": FORMAT_VERSION, "derived": "g1"}), "utf-8")


DEALS = Deals()

if __name__ == "__main__":
    write_dataset(Path(sys.argv[2]), int(sys.argv[1]))
