"""Columns of records as integer arrays: from what the decoder gives to what the replay takes.

Each function takes one field of many records and returns arrays, and marks the records whose field is not of the notation.
Why it is not is for `notation.decode_line` to say. A *mask* here is a boolean array, one entry a record.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, compress, repeat
from operator import is_not
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from trucostats.errors import NotationError
from trucostats.notation import DEPTH_LIMIT, depth_of, keys_in, parse_turned, rules_or_refuse
from trucostats.rules import Rules
from trucostats.vocab import CARD_INDEX, NO_CARD
from trucostats.words import EVENT_TABLES, family_of, parse_hand

Int = NDArray[np.int64]
Mask = NDArray[np.bool_]
HAND_LIMIT: Final = 4
SEAT_LIMIT: Final = 6
EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

# Cards by the size of the text and its last two bytes; the first byte of a text of three is looked at apart.
_NEWLINE, _SPACE = b"\n "
_BAD_CARD: Final = -2
_LONG: Final = 4
_CARD_TABLE: Final = np.full((_LONG + 1, 1 << 16), _BAD_CARD, np.int8)
for _name, _card in CARD_INDEX.items():
    _CARD_TABLE[len(_name), ord(_name[-2]) | ord(_name[-1]) << 8] = _card
for _before in (_NEWLINE, _SPACE):
    _CARD_TABLE[1, _before | ord("?") << 8] = NO_CARD


def given(column: Sequence[Any]) -> Mask:
    """Mark the records that have an optional field.

    >>> given((1, UNSET)).tolist()
    [True, False]
    """
    count = len(column)
    if count and column[0] is UNSET and column == (UNSET,) * count:
        return np.zeros(count, np.bool_)
    return np.fromiter(map(is_not, column, repeat(UNSET)), np.bool_, count)


def given_only(column: Sequence[Any], mask: Mask) -> Sequence[Any]:
    """Return the values of the marked records."""
    if not mask.any():
        return ()
    return column if mask.all() else list(compress(column, mask))


def marked(count: int, rows: Int) -> Mask:
    """Mark some records by their indices.

    >>> marked(3, np.array([2, 2])).tolist()
    [False, False, True]
    """
    mask = np.zeros(count, np.bool_)
    mask[rows] = True
    return mask


def lengths_of(column: Sequence[Any]) -> Int:
    """Return the length of each value."""
    return np.fromiter(map(len, column), np.int64, len(column))


def starts_of(lengths: Int) -> Int:
    """Return where each of some values of these lengths begins when they stand in one row, and where the last ends.

    >>> starts_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def pair_column(column: Sequence[Any]) -> NDArray[np.int16]:
    """Return points of two teams as rows."""
    return np.fromiter(chain.from_iterable(column), np.int16, 2 * len(column)).reshape(-1, 2)


def moment_column(column: Sequence[Any]) -> list[int]:
    """Return times as microseconds since 1970, UTC."""
    # NumPy converts a timedelta four times slower.
    gone = [moment - EPOCH for moment in column]
    return [(gap.days * 86_400 + gap.seconds) * 1_000_000 + gap.microseconds for gap in gone]


@lru_cache(maxsize=1024)
def turned_card(text: str) -> int:
    """Return the turned card, or -1 if the text is none."""
    try:
        return parse_turned(text)
    except NotationError:
        return -1


@lru_cache(maxsize=1024)
def _rule_set(spec: str | bytes) -> tuple[Rules | None, int, int]:
    """Return the rule set of a name or of an object's JSON, its family of words, and how many keys the object has."""
    try:
        if isinstance(spec, str):
            rules, keys = rules_or_refuse(spec), 0
        elif not spec or depth_of(spec) >= DEPTH_LIMIT:
            return None, 0, 0
        else:
            options = msgspec.json.decode(spec)
            rules, keys = rules_or_refuse(options), keys_in(options)
    except NotationError:
        return None, 0, 0
    return rules, family_of(rules), keys


def _rules_text(spec: str | dict[str, Any]) -> str | bytes:
    if isinstance(spec, str):
        return spec
    try:
        return msgspec.json.encode(spec)
    except RecursionError:
        return b""


def rule_columns(column: Sequence[Any]) -> tuple[list[Rules], Int, Int, Int]:
    """Return the distinct rule sets; each record's index into them, -1 for none; its family of words; its keys.

    The keys are those of a rule set written as an object, at all depths.
    """
    count = len(column)
    specs: Sequence[str | bytes] = column
    try:
        distinct = dict.fromkeys(specs)
    except TypeError:  # one of them is an object
        specs = [_rules_text(spec) for spec in column]
        distinct = dict.fromkeys(specs)
    index: dict[Rules, int] = {}
    place: dict[str | bytes, int] = {}
    rows: list[tuple[int, int, int]] = []
    for spec in distinct:
        rules, family, keys = _rule_set(spec)
        place[spec] = len(rows)
        rows.append((-1 if rules is None else index.setdefault(rules, len(index)), family, keys))
    which = np.zeros(count, np.int64) if len(rows) == 1 else np.fromiter(map(place.__getitem__, specs), np.int64, count)
    ids, families, counts = np.array(rows, np.int64).reshape(-1, 3).T
    return list(index), ids[which], families[which], counts[which]


def deal_columns(column: Sequence[Any]) -> tuple[NDArray[np.int8], Mask, Mask, Mask]:
    """Return cards [n, 6, 4], unknown hands [n, 6], records with a hand of over four cards, records with what is no card."""
    count = len(column)
    dealt = np.arange(SEAT_LIMIT) < lengths_of(column)[:, None]
    hands = list(chain.from_iterable(column))
    deal = np.full((count, SEAT_LIMIT, HAND_LIMIT), -1, np.int8)
    null_hand = np.zeros((count, SEAT_LIMIT), np.bool_)
    if None in hands:
        known = np.fromiter(map(is_not, hands, repeat(None)), np.bool_, len(hands))
        null_hand[dealt] = ~known
        dealt[dealt] = known
        hands = list(compress(hands, known))
    deal[dealt], overflow, bad = _hands(hands)
    row = np.nonzero(dealt)[0]
    return deal, null_hand, marked(count, row[overflow]), marked(count, row[bad])


def _hands(hands: list[str]) -> tuple[NDArray[np.int8], Mask, Mask]:
    """Return the first four cards of each hand, -1 for none; which hands have more, and which have what is no card.

    One text is made of all hands and cut at its blanks: to look each hand up costs more, there are 59,280.
    """
    count = len(hands)
    cards = np.full((count, HAND_LIMIT), -1, np.int8)
    overflow = np.zeros(count, np.bool_)
    bad = np.ones(count, np.bool_)
    text = np.frombuffer(("\n\n" + "\n".join(hands) + "\n").lower().encode(), np.uint8)
    ends = np.flatnonzero((text == _SPACE) | (text == _NEWLINE))[1:]
    sizes = np.minimum(np.diff(ends) - 1, _LONG)
    ends = ends[1:]
    last = np.flatnonzero(text[ends] == _NEWLINE)
    # A hand with a line break in it would shift all behind it.
    if len(last) == count:
        found = _CARD_TABLE[sizes, text[ends - 2] | text[ends - 1].astype(np.int64) << 8]
        found[(sizes == 3) & (text[ends - 3] != ord("1"))] = _BAD_CARD
        counts = np.diff(last, prepend=-1)
        hand = np.repeat(np.arange(count), counts)
        place = np.arange(len(hand)) - (last - counts + 1)[hand]
        overflow = counts > HAND_LIMIT
        inside = place < HAND_LIMIT if overflow.any() else slice(None)
        cards[hand[inside], place[inside]] = found[inside]
        bad = marked(count, hand[found == _BAD_CARD])
    # What this does not read parse_hand may: an empty hand, two blanks in a row.
    for i in np.flatnonzero(bad).tolist():
        try:
            named = parse_hand(hands[i])
        except NotationError:
            continue
        cards[i] = (named + [-1] * HAND_LIMIT)[:HAND_LIMIT]
        overflow[i] = len(named) > HAND_LIMIT
        bad[i] = False
    return cards, overflow, bad


def event_column(column: Sequence[Any], families: Int, count: int) -> Int:
    """Return the events of all records in one row, packed as in `words.EventTable`; `count` is their number."""
    spoken = np.flatnonzero(np.bincount(families)).tolist()
    if len(spoken) <= 1:
        table = EVENT_TABLES[spoken[0] if spoken else 0]
        return np.fromiter(map(table.__getitem__, chain.from_iterable(column)), np.int64, count)
    tables = map(EVENT_TABLES.__getitem__, families.tolist())
    both = (table[text] for table, events in zip(tables, column, strict=True) for text in events)
    return np.fromiter(both, np.int64, count)


def time_columns(column: Sequence[Any], has: Mask, events: Int) -> tuple[NDArray[np.int32], Int, Mask]:
    """Return the times of all records in one row, where each record's begin, and the records whose times are no good.

    `has` marks the records that have times, `events` is their number of events.
    """
    count = len(column)
    lengths = np.zeros(count, np.int64)
    told = given_only(column, has)
    lengths[has] = lengths_of(told)
    times = np.fromiter(chain.from_iterable(told), np.int32, int(lengths.sum()))
    row = np.repeat(np.arange(count), lengths)
    falls = (np.diff(times) < 0) & (np.diff(row) == 0)
    return times, starts_of(lengths), (has & (lengths != events)) | marked(count, row[1:][falls])


def lines_with_more_keys(lines: list[bytes], keys: Int) -> list[int]:
    """Return the indices of the lines that may have more keys than these; the proof is that of `notation`, on many lines.

    >>> lines_with_more_keys([b'{"a":1}', b'{"a":1,"a":2}'], np.array([1, 1]))
    [1]
    """
    text = np.frombuffer(b"\n".join(lines), np.uint8)
    colon = text == ord(":")
    # A line never has fewer colons than keys, so the sums agree only if every line does.
    if np.count_nonzero(colon) == keys.sum():
        return []
    starts = starts_of(lengths_of(lines) + 1)[:-1]
    before = text[:-1]
    doubtful = np.add.reduceat(colon, starts, dtype=np.int64) != keys
    if not np.any(colon[1:] & (before <= _SPACE)):
        colon[1:] &= before == ord('"')
        doubtful &= np.add.reduceat(colon, starts, dtype=np.int64) != keys
    return [int(i) for i in np.flatnonzero(doubtful)]
