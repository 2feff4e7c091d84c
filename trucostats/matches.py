"""Across the hands of a match: games, matches, and what does not follow from one hand to the next.

Everything here compares the results the kernel gave for single hands; no rule of play is repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.arrays import Maybe, Words, as_table, numbers_of, picked, strings
from trucostats.errors import CODES, Finding
from trucostats.rules import rules_of_label
from trucostats.series import next_format

# The columns of `hands` that `derive` needs.
NEEDED: Final = (
    "hand_id", "file", "line", "match", "game", "hand", "rules", "base_rules", "seats", "players", "dealer", "format", "at",
    "score0", "score1", "legal", "score0_after", "score1_after", "hand_over", "game_over", "game_winner", "next_dealer",
)  # fmt: skip


def derive(hands: Iterable[pa.RecordBatch]) -> Iterator[dict[str, pa.Table]]:
    """Yield chunks of the tables `games`, `matches` and `findings` from hands sorted by match, game and hand.

    `hands` has the columns `NEEDED`. A chunk never cuts a match.
    """
    carry: pa.Table | None = None
    for batch in hands:
        table = pa.Table.from_batches([batch]).select(list(NEEDED))
        carry = table if carry is None else pa.concat_tables([carry, table], promote_options="permissive")
        match = _codes(carry["match"])
        starts = np.flatnonzero(match[1:] != match[:-1]) + 1
        if len(starts):
            last = int(starts[-1])
            yield _derive(carry.slice(0, last).combine_chunks())
            carry = carry.slice(last)
    if carry is not None and carry.num_rows:
        yield _derive(carry.combine_chunks())


def _codes(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of words as codes: equal words have equal codes, a null has -1."""
    return numbers_of(
        column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    )


class _Hands:
    """Sorted hands as NumPy columns, with the comparisons between neighbours."""

    game: NDArray[np.int64]
    hand: NDArray[np.int64]
    seats: NDArray[np.int64]
    dealer: NDArray[np.int64]
    game_winner: NDArray[np.int64]
    next_dealer: NDArray[np.int64]
    legal: NDArray[np.bool_]
    hand_over: NDArray[np.bool_]
    game_over: NDArray[np.bool_]

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.n = table.num_rows
        self.match = _codes(table["match"])
        self.rules = _codes(table["rules"])
        self.players = _codes(table["players"])
        self.score = np.stack([numbers_of(table["score0"]), numbers_of(table["score1"])], 1)
        self.after = np.stack([numbers_of(table[name], -999) for name in ("score0_after", "score1_after")], 1)
        for name in ("game", "hand", "seats", "dealer", "game_winner", "next_dealer"):
            setattr(self, name, numbers_of(table[name]).astype(np.int64))
        for name in ("legal", "hand_over", "game_over"):
            setattr(self, name, numbers_of(table[name]) == 1)
        same_match = np.zeros(self.n, bool)
        same_match[1:] = self.match[1:] == self.match[:-1]
        self.same_match = same_match
        self.same_game = same_match.copy()
        self.same_game[1:] &= self.game[1:] == self.game[:-1]

    def before(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the hand before each (the first hand sees its own)."""
        return np.concatenate([values[:1], values[:-1]])


def _derive(table: pa.Table) -> dict[str, pa.Table]:
    hands = _Hands(table)
    found = list(_compare(hands))
    faulty = np.zeros(hands.n, bool)
    faulty[[i for i, _, _ in found]] = True
    return {"games": _games(hands, faulty), "matches": _matches(hands), "findings": _findings(hands, found)}


def _compare(hands: _Hands) -> Iterator[tuple[int, str, str]]:
    """Yield (row, code, message) for everything that does not follow from the hand before."""
    follows = hands.same_game & (hands.hand == hands.before(hands.hand) + 1)
    known = hands.before(hands.legal) & hands.before(hands.hand_over)
    before_after, before_hand = hands.before(hands.after), hands.before(hands.hand)
    checks: list[tuple[str, NDArray[np.bool_], Any]] = [
        ("RULES_CHANGED", hands.same_match & (hands.rules != hands.before(hands.rules)), None),
        ("PLAYERS_CHANGED", hands.same_match & (hands.players != hands.before(hands.players)), None),
        (
            "HAND_GAP",
            hands.same_game & ~follows,
            lambda i: f"hand {hands.hand[i]} follows hand {before_hand[i]}; what is between is missing or was rejected",
        ),
        (
            "HAND_AFTER_END",
            hands.same_game & hands.before(hands.game_over),
            lambda i: f"hand {before_hand[i]} had already won the game",
        ),
        (
            "SCORE_NOT_CARRIED",
            follows
            & known
            & (before_after[:, 0] > -999)
            & (hands.score != before_after).any(axis=1)
            & ~hands.before(hands.game_over),
            lambda i: (
                f"the score is {hands.score[i, 0]}-{hands.score[i, 1]}; hand {before_hand[i]} ended at {before_after[i, 0]}-{before_after[i, 1]}"
            ),
        ),
        (
            "DEALER_NOT_PASSED",
            follows
            & known
            & (hands.before(hands.next_dealer) >= 0)
            & (hands.dealer != hands.before(hands.next_dealer)),
            lambda i: (
                f"seat {hands.dealer[i]} deals; after hand {before_hand[i]} it is the turn of seat {hands.before(hands.next_dealer)[i]}"
            ),
        ),
    ]
    new_game = hands.same_match & ~hands.same_game
    checks += [
        (
            "GAME_GAP",
            new_game & (hands.game != hands.before(hands.game) + 1),
            lambda i: f"game {hands.game[i]} follows game {hands.before(hands.game)[i]}",
        ),
        (
            "GAME_UNFINISHED",
            new_game & ~hands.before(hands.game_over),
            lambda i: f"game {hands.before(hands.game)[i]} was not won",
        ),
        ("GAME_AFTER_END", new_game & _series_won(hands), None),
    ]
    for code, rows, tell in checks:
        for i in np.flatnonzero(rows).tolist():
            yield i, code, tell(i) if tell else ""
    yield from _formats(hands, follows)


def _formats(hands: _Hands, follows: NDArray[np.bool_]) -> Iterator[tuple[int, str, str]]:
    """Yield the hands of six players whose format is not the one that comes next."""
    six = np.flatnonzero((hands.seats == 6) & (follows | (hands.hand == 1)))
    if not len(six):
        return
    formats = hands.table["format"].to_pylist()
    labels = hands.table["rules"].to_pylist()
    for i in six.tolist():
        expected = next_format(
            rules_of_label(labels[i]), hands.score[i].tolist(), formats[i - 1] if follows[i] else None
        )
        if formats[i] != expected:
            yield (
                i,
                "FORMAT_NOT_NEXT",
                f"this hand is {formats[i]}; at {hands.score[i, 0]}-{hands.score[i, 1]} the next is {expected}",
            )


class _Rows:
    """Some rows of the hands, a column at a time."""

    def __init__(self, hands: _Hands, places: NDArray[np.int64]) -> None:
        self._table, self._places = hands.table, places

    def __getitem__(self, name: str) -> pa.Array:
        return picked(self._table[name].chunk(0), self._places)


def _game_starts(hands: _Hands) -> NDArray[np.int64]:
    return np.flatnonzero(~hands.same_game)


def _game_results(hands: _Hands) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return first row, last row and winner (-1 if unfinished) of every game."""
    first = _game_starts(hands)
    last = np.append(first[1:], hands.n) - 1
    return first, last, np.where(hands.game_over[last], hands.game_winner[last], -1)


def _series_won(hands: _Hands) -> NDArray[np.bool_]:
    """Flag the hands of games that began after a side had won two games of the match."""
    first, last, winner = _game_results(hands)
    begins = np.maximum.accumulate(np.where(~hands.same_match[first], np.arange(len(first)), 0))
    over = np.zeros(len(first), bool)
    for side in range(2):
        won = winner == side
        before = np.cumsum(won) - won
        over |= before - before[begins] >= 2
    return np.repeat(over, last - first + 1)


def _games(hands: _Hands, faulty: NDArray[np.bool_]) -> pa.Table:
    first, last, winner = _game_results(hands)
    clean = np.logical_and.reduceat(hands.legal & ~faulty, first) if len(first) else np.zeros(0, bool)
    unknown = hands.after[last, 0] == -999
    start, end = _Rows(hands, first), _Rows(hands, last)
    return as_table(
        "games",
        {
            "match": start["match"],
            "game": start["game"],
            "rules": start["rules"],
            "seats": start["seats"],
            "hands": last - first + 1,
            "first_hand": start["hand"],
            "last_hand": end["hand"],
            "score0": Maybe(hands.after[last, 0], unknown),
            "score1": Maybe(hands.after[last, 1], unknown),
            "finished": hands.game_over[last],
            "winner": Maybe(winner, winner < 0),
            "clean": clean,
        },
    )


def _matches(hands: _Hands) -> pa.Table:
    first = np.flatnonzero(~hands.same_match)
    last = np.append(first[1:], hands.n) - 1
    game_first, _, winner = _game_results(hands)
    place = np.searchsorted(first, game_first, "right") - 1
    games = np.bincount(place, minlength=len(first))
    won = [np.bincount(place[winner == side], minlength=len(first)) for side in range(2)]
    finished = hands.game_over[last]
    best = np.where(won[0] > won[1], 0, np.where(won[1] > won[0], 1, -1))
    start, end = _Rows(hands, first), _Rows(hands, last)
    tables = start["players"]
    names = [text.split(" / ") for text in tables.dictionary.to_pylist()]

    def told(texts: list[str]) -> pa.Array:
        return Words(strings(texts))(numbers_of(tables))

    return as_table(
        "matches",
        {
            "match": start["match"],
            "rules": start["rules"],
            "seats": start["seats"],
            "players": tables,
            "team0": told([" + ".join(row[0::2]) for row in names]),
            "team1": told([" + ".join(row[1::2]) for row in names]),
            "games": games,
            "hands": last - first + 1,
            "won0": won[0],
            "won1": won[1],
            "finished": finished,
            "winner": Maybe(best, (best < 0) | ~finished),
            "first_at": start["at"],
            "last_at": end["at"],
        },
    )


def _findings(hands: _Hands, found: list[tuple[int, str, str]]) -> pa.Table:
    rows = _Rows(hands, np.array([i for i, _, _ in found], np.int64))
    findings = [Finding(code, "") for _, code, _ in found]
    return as_table(
        "findings",
        {
            "file": rows["file"],
            "line": rows["line"],
            "hand_id": rows["hand_id"],
            "match": rows["match"],
            "game": rows["game"],
            "hand": rows["hand"],
            "event": pa.nulls(len(found), pa.int16()),
            "family": [finding.family for finding in findings],
            "severity": [finding.severity for finding in findings],
            "code": [code for _, code, _ in found],
            "message": [message or CODES[code].meaning for _, code, message in found],
        },
    )
