"""Lines in bulk: thousands of records at once as integer arrays, the bad lines beside them as values.

`read_batch` accepts exactly the lines that `notation.decode_line` accepts. It decodes them with the same typed decoder, reads
every distinct event and hand once, and checks whole columns; what a check stops goes to `decode_line`, which says why.
"""

from __future__ import annotations

import datetime
import gc
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress, repeat
from operator import is_not
from typing import Annotated, Any, Final, Literal, cast

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from trucostats.errors import Finding, NotationError
from trucostats.notation import (
    DEPTH_LIMIT,
    EVENT_LIMIT,
    FIELDS,
    LINE_LIMIT,
    OPTIONAL,
    Extensions,
    OpenRecord,
    decode_line,
    decode_open,
    depth_of,
    extensions_of,
    keys_in,
    parse_turned,
    rules_or_refuse,
)
from trucostats.rules import Rules
from trucostats.vocab import CARDS, FORMATS, NO_CARD, VERBS
from trucostats.words import CACHE_LIMIT, CACHE_TEXT, CODE_MASK, EVENT_TABLES, SEAT_SHIFT, SEATS, family_of, parse_hand

Int = NDArray[np.int64]
HAND_LIMIT: Final = 4
SEAT_LIMIT: Final = 6
# Events the decoder may know; a real log has a few hundred.
KNOWN_LIMIT: Final = 4000
NO_TIME: Final = np.iinfo(np.int64).min
EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

# A packed hand is four signed bytes, one a card. A card takes six bits: the next bit of the last byte marks a fifth card,
# and three values that no hand has stand for what is no hand.
_NO_HAND: Final = -1
_NULL_HAND: Final = -(2**31)
_BAD_HAND: Final = _NULL_HAND + 1
_OVERFLOW: Final = 0x40


@dataclass(frozen=True, slots=True)
class Reject:
    """A line that is no record: its number from 1, its bytes as they were, and what is wrong."""

    line: int
    raw: bytes
    finding: Finding


@dataclass(slots=True)
class Batch:
    """The good lines of a batch as columns, n lines and N events, and the rejected lines.

    A card is an index of `vocab.CARDS`, `NO_CARD` one that nobody recorded, -1 no card. The events of line i are those from
    `event_start[i]` to `event_start[i + 1]`; `times` likewise.
    """

    line: NDArray[np.int64]  # number of the line in its file, from 1
    rules: list[Rules]  # the distinct rule sets
    rules_id: NDArray[np.int32]  # index into `rules`
    seats: NDArray[np.int8]
    dealer: NDArray[np.int8]
    score: NDArray[np.int16]  # [n, 2]
    turned: NDArray[np.int8]  # card, or NO_CARD where no card is turned
    format: NDArray[np.int8]  # index into vocab.FORMATS, 0 where the record has none
    deal: NDArray[np.int8]  # [n, 6, 4] cards, the first four of a hand
    null_hand: NDArray[np.bool_]  # [n, 6] the seat's hand is wholly unknown
    deal_overflow: NDArray[np.bool_]  # a hand of the line has more than four cards
    event_start: NDArray[np.int64]  # [n + 1]
    event_seat: NDArray[np.int8]  # [N]
    event_code: NDArray[np.int32]  # [N] see vocab.pack
    claim: NDArray[np.int16]  # [n, 2] claimed points, -1 without a claim
    match: list[str]
    game: NDArray[np.int32]  # 1 where absent
    hand: NDArray[np.int32]
    players: list[list[str]]
    at: NDArray[np.int64]  # microseconds since 1970 UTC, NO_TIME without a time
    source: list[str | None]
    times_start: NDArray[np.int64]  # [n + 1]
    times: NDArray[np.int32]  # milliseconds since the deal
    extensions: list[Extensions | None] | None  # None when no line has any
    rejects: list[Reject]  # in the order of their lines
    blank: int  # number of blank lines

    def __len__(self) -> int:
        """Return the number of good lines."""
        return len(self.line)


class _HandTable(dict[str | None, int]):
    """Hands already read, as four bytes packed into one integer; a text not met yet is read when asked for."""

    def __missing__(self, text: str | None) -> int:
        packed = _NULL_HAND if text is None else _pack_hand(text)
        if text is None or (len(text) <= CACHE_TEXT and len(self) < CACHE_LIMIT):
            self[text] = packed
        return packed


def _pack_hand(text: str) -> int:
    try:
        cards = parse_hand(text)
    except NotationError:
        return _BAD_HAND
    packed = np.full(HAND_LIMIT, -1, np.int8)
    packed[: len(cards)] = cards[:HAND_LIMIT]
    if len(cards) > HAND_LIMIT:
        packed[-1] |= _OVERFLOW
    return int(packed.view("<i4")[0])


class _TurnedTable(dict[Any, int]):
    """Turned cards already read; -1 is none of the notation."""

    def __missing__(self, text: str) -> int:
        try:
            card = parse_turned(text)
        except NotationError:
            return -1
        self[text] = card
        return card


@lru_cache(maxsize=1024)
def _rules(spec: str | bytes) -> tuple[Rules | None, int, int]:
    """Return the rule set of a name or of an object's JSON, its family of words, and how many keys the object has."""
    try:
        if isinstance(spec, str):
            rules, keys = rules_or_refuse(spec), 0
        elif depth_of(spec) >= DEPTH_LIMIT:
            return None, 0, 0
        else:
            given = msgspec.json.decode(spec)
            rules, keys = rules_or_refuse(given), keys_in(given)
    except NotationError:
        return None, 0, 0
    return rules, family_of(rules), keys


_HANDS: Final = _HandTable()
_TURNED: Final = _TurnedTable({UNSET: NO_CARD})
_FORMAT: Final[dict[Any, int]] = {UNSET: 0} | {name: index for index, name in enumerate(FORMATS)}
# Keeps the joined lines small enough to stay in cache.
_BLOCK: Final = 256
_BOM: Final = b"\xef\xbb\xbf"


def read_batch(lines: Sequence[bytes], first_line: int = 1, *, file: str | None = None) -> Batch:
    """Return the records of some lines as columns, and the lines that are no records as rejects.

    `first_line` is the number of the first of them in its file, `file` the name that findings give. Never raises for what a
    line holds. A byte order mark is taken off line 1; blank lines are counted and passed over.

    >>> line = (b'{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],'
    ...         b'"deal":["7c 5c 12e",null],"events":["0 truc","1 vull"]}')
    >>> batch = read_batch([line, b"", line.replace(b"truc", b"trucco"), line])
    >>> len(batch), batch.line.tolist(), batch.blank, str(batch.rejects[0].finding)[:37]
    (2, [1, 4], 1, 'line 3: $.rules: there is no rule set')
    >>> batch.event_start.tolist(), batch.event_seat.tolist(), batch.deal[0, 0].tolist()
    ([0, 2, 4], [0, 1, 0, 1], [36, 34, 9, -1])
    """
    with _no_gc():
        return _read(lines, first_line, file)


def _read(lines: Sequence[bytes], first_line: int, file: str | None) -> Batch:
    records, dropped = _decode(lines, first_line)
    index = np.delete(np.arange(len(lines)), dropped)
    kept = list(lines) if not dropped else [lines[i] for i in index.tolist()]
    columns, bad = _columns(records, kept)
    if bad.any():
        good = np.flatnonzero(~bad)
        dropped = sorted([*dropped, *index[bad].tolist()])
        index = index[good]
        columns, bad = _columns([records[i] for i in good.tolist()], [kept[i] for i in good.tolist()])
    rejects = []
    for i in dropped:
        blank = lines[i].removeprefix(_BOM) if first_line + i == 1 else lines[i]
        if blank.strip():
            rejects.append(_reject(lines[i], first_line + i, file))
    return Batch(line=index + first_line, rejects=rejects, blank=len(dropped) - len(rejects), **columns)


@contextmanager
def _no_gc() -> Iterator[None]:
    # The collector looks again and again at a heap that only grows here; it makes decoding several times slower.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Decoder:
    """A decoder that knows the events it has met: it finds each in a table and need not make a new text of it."""

    def __init__(self) -> None:
        words = [*CARDS, *(verb for verb in VERBS if verb not in ("play", "declare", "show")), *map(str, range(34))]
        self.texts = {f"{seat} {word}" for word in words for seat in SEATS}
        self._build()

    def _build(self) -> None:
        known = cast(Any, Literal)[tuple(self.texts)]
        events = cast(Any, Annotated)[cast(Any, list)[known], msgspec.Meta(max_length=EVENT_LIMIT)]
        settings: dict[str, Any] = {"frozen": True, "kw_only": True, "gc": False, "forbid_unknown_fields": False}
        record = msgspec.defstruct("KnownRecord", [("events", events)], bases=(OpenRecord,), **settings)
        self.decode: Callable[[bytes], OpenRecord] = msgspec.json.Decoder(cast(type[OpenRecord], record)).decode

    def learn(self, records: Iterable[OpenRecord]) -> None:
        """Know the events of these records from now on, as far as they are events and there is room."""
        met = {text for record in records for text in record.events if len(text) <= CACHE_TEXT}
        new = {text for text in met - self.texts if any(table[text] >= 0 for table in EVENT_TABLES)}
        if new and len(self.texts) + len(new) <= KNOWN_LIMIT:
            self.texts |= new
            self._build()


_decoder: Final = lru_cache(maxsize=1)(_Decoder)


def _decode(lines: Sequence[bytes], first_line: int) -> tuple[list[OpenRecord], list[int]]:
    """Return the lines that decode, and the indices of those that do not."""
    stream: Sequence[bytes] = lines
    if first_line == 1 and lines and lines[0].startswith(_BOM):
        stream = [lines[0].removeprefix(_BOM), *lines[1:]]
    if max(map(len, lines), default=0) > LINE_LIMIT:
        stream = [line if len(line) <= LINE_LIMIT else b"" for line in stream]
    decoder = _decoder()
    records: list[OpenRecord] = []
    unmet: list[OpenRecord] = []
    dropped: list[int] = []
    decoded = map(decoder.decode, stream)
    while True:
        try:
            # What was decoded before an error stays in the list, and the iterator goes on behind the line that raised it.
            records.extend(decoded)
        except (msgspec.DecodeError, RecursionError):
            place = len(records) + len(dropped)
            try:
                unmet.append(decode_open(stream[place]))
                records.append(unmet[-1])
            except (msgspec.DecodeError, RecursionError):
                dropped.append(place)
        else:
            decoder.learn(unmet)
            return records, dropped


def _given(column: Sequence[Any]) -> NDArray[np.bool_]:
    count = len(column)
    if count and column[0] is UNSET and column == (UNSET,) * count:
        return np.zeros(count, np.bool_)
    return np.fromiter(map(is_not, column, repeat(UNSET)), np.bool_, count)


def _lengths(column: Sequence[Any]) -> Int:
    return np.fromiter(map(len, column), np.int64, len(column))


def _starts(lengths: Int) -> Int:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _pairs(column: Sequence[Any]) -> NDArray[np.int16]:
    return np.fromiter(chain.from_iterable(column), np.int16, 2 * len(column)).reshape(-1, 2)


def _columns(records: list[OpenRecord], lines: list[bytes]) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Return the columns of a batch, and which records are not of the notation."""
    n = len(records)
    fields = (
        zip(*map(msgspec.structs.astuple, records), strict=True) if n else ((),) * len(OpenRecord.__struct_fields__)
    )
    column = dict(zip(OpenRecord.__struct_fields__, fields, strict=True))
    given = {name: _given(column[name]) for name in OPTIONAL}

    seats = _lengths(column["players"])
    dealer = np.fromiter(column["dealer"], np.int64, n)
    bad = (seats != _lengths(column["deal"])) | (dealer >= seats)

    rules, rules_id, families, rule_keys = _rule_columns(column["rules"])
    allowed = np.zeros((len(rules) + 1, SEAT_LIMIT + 1), np.bool_)
    turns = np.zeros(len(rules) + 1, np.bool_)
    for i, one in enumerate(rules):
        allowed[i, list(one.players)] = True
        turns[i] = one.turns_card
    bad |= ~allowed[rules_id, seats] | (turns[rules_id] != given["turned"]) | (given["format"] & (seats != SEAT_LIMIT))

    turned = np.full(n, NO_CARD)
    turned[given["turned"]] = [_TURNED[text] for text in _only(column["turned"], given["turned"])]
    bad |= turned < 0
    deal, null_hand, overflow, bad_deal = _deal_columns(column["deal"])
    bad |= bad_deal

    events = column["events"]
    lengths = _lengths(events)
    packed = _event_column(events, families[rules_id], int(lengths.sum()))
    event_seat = packed >> SEAT_SHIFT
    # An event that is none has the seat -1, which as an unsigned number is beyond every table.
    wrong = event_seat.view(np.uint64) >= np.repeat(seats, lengths).view(np.uint64)
    if wrong.any():
        bad[np.repeat(np.arange(n), lengths)[wrong]] = True

    times, times_start, bad_times = _time_columns(column["times"], given["times"], lengths)
    bad |= bad_times
    claim = np.full((n, 2), -1, np.int16)
    claim[given["points"]] = _pairs(_only(column["points"], given["points"]))
    game = np.ones(n, np.int32)
    game[given["game"]] = np.fromiter(_only(column["game"], given["game"]), np.int32)
    at = np.full(n, NO_TIME, np.int64)
    at[given["at"]] = _microseconds(_only(column["at"], given["at"]))

    keys = rule_keys + sum((mask for mask in given.values()), np.full(n, len(FIELDS) - len(OPTIONAL)))
    extensions, bad_keys = _extension_column(lines, keys)
    bad |= bad_keys
    columns = {
        "rules": rules,
        "rules_id": rules_id.astype(np.int32),
        "seats": seats.astype(np.int8),
        "dealer": dealer.astype(np.int8),
        "score": _pairs(column["score"]),
        "turned": turned.astype(np.int8),
        "format": np.fromiter(map(_FORMAT.__getitem__, column["format"]), np.int8, n),
        "deal": deal,
        "null_hand": null_hand,
        "deal_overflow": overflow,
        "event_start": _starts(lengths),
        "event_seat": event_seat.astype(np.int8),
        "event_code": (packed & CODE_MASK).astype(np.int32),
        "claim": claim,
        "match": list(column["match"]),
        "game": game,
        "hand": np.fromiter(column["hand"], np.int32, n),
        "players": list(column["players"]),
        "at": at,
        "source": [None if text is UNSET else text for text in column["source"]],
        "times_start": times_start,
        "times": times,
        "extensions": extensions,
    }
    return columns, bad


def _only(column: Sequence[Any], mask: NDArray[np.bool_]) -> Sequence[Any]:
    return column if mask.all() else list(compress(column, mask)) if mask.any() else ()


def _rule_columns(column: Sequence[Any]) -> tuple[list[Rules], Int, Int, Int]:
    """Return the distinct rule sets, each record's index into them (-1: none), families by index, keys by record."""
    n = len(column)
    specs: Sequence[str | bytes] = column
    try:
        distinct = dict.fromkeys(specs)
    except TypeError:  # a rule set written as an object
        specs = [spec if isinstance(spec, str) else msgspec.json.encode(spec) for spec in column]
        distinct = dict.fromkeys(specs)
    index: dict[Rules, int] = {}
    families: list[int] = []
    place: dict[str | bytes, int] = {}
    ids: list[int] = []
    keys: list[int] = []
    for spec in distinct:
        rules, family, count = _rules(spec)
        if rules is not None and rules not in index:
            index[rules] = len(index)
            families.append(family)
        place[spec] = len(ids)
        ids.append(-1 if rules is None else index[rules])
        keys.append(count)
    which = np.zeros(n, np.int64) if len(ids) == 1 else np.fromiter(map(place.__getitem__, specs), np.int64, n)
    return list(index), np.array(ids, np.int64)[which], np.array([*families, 0]), np.array(keys, np.int64)[which]


def _deal_columns(
    column: Sequence[Any],
) -> tuple[NDArray[np.int8], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the cards, the unknown hands, the records with a hand of more than four cards, and those with no card."""
    n = len(column)
    hands = _lengths(column)
    dealt = np.arange(SEAT_LIMIT) < hands[:, None]
    packed = np.full((n, SEAT_LIMIT), _NO_HAND, "<i4")
    packed[dealt] = np.fromiter(map(_HANDS.__getitem__, chain.from_iterable(column)), np.int32, int(hands.sum()))
    bad = np.asarray((packed == _BAD_HAND).any(axis=1))
    null_hand = packed == _NULL_HAND
    packed[null_hand] = _NO_HAND
    deal = packed.view(np.int8).reshape(n, SEAT_LIMIT, HAND_LIMIT)
    marked = deal[:, :, -1] >= _OVERFLOW
    deal[:, :, -1][marked] -= _OVERFLOW
    return deal, null_hand, np.asarray(marked.any(axis=1)), bad


def _event_column(column: Sequence[Any], families: Int, count: int) -> Int:
    """Return the packed events of all records in one row."""
    spoken = np.unique(families).tolist()
    if len(spoken) <= 1:
        table = EVENT_TABLES[spoken[0] if spoken else 0]
        return np.fromiter(map(table.__getitem__, chain.from_iterable(column)), np.int64, count)
    tables = map(EVENT_TABLES.__getitem__, families.tolist())
    both = (table[text] for table, events in zip(tables, column, strict=True) for text in events)
    return np.fromiter(both, np.int64, count)


def _time_columns(
    column: Sequence[Any], given: NDArray[np.bool_], events: Int
) -> tuple[NDArray[np.int32], Int, NDArray[np.bool_]]:
    """Return the times of all records in one row, where each record's begin, and the records whose times are no good."""
    n = len(column)
    lengths = np.zeros(n, np.int64)
    if not given.any():
        return np.zeros(0, np.int32), _starts(lengths), np.zeros(n, np.bool_)
    told = _only(column, given)
    lengths[given] = _lengths(told)
    times = np.fromiter(chain.from_iterable(told), np.int32, int(lengths.sum()))
    row = np.repeat(np.arange(n), lengths)
    bad = given & (lengths != events)
    bad[row[1:][(np.diff(times) < 0) & (np.diff(row) == 0)]] = True
    return times, _starts(lengths), bad


def _microseconds(column: Sequence[Any]) -> list[int]:
    # NumPy converts a timedelta four times slower.
    gaps = [moment - EPOCH for moment in column]
    return [(gone.days * 86_400 + gone.seconds) * 1_000_000 + gone.microseconds for gone in gaps]


def _extension_column(lines: list[bytes], keys: Int) -> tuple[list[Extensions | None] | None, NDArray[np.bool_]]:
    """Return the extension fields, and the records with an unknown field or a key given twice.

    `keys` are the keys that each line is known to have.
    """
    bad = np.zeros(len(lines), np.bool_)
    extensions: list[Extensions | None] | None = None
    for start in range(0, len(lines), _BLOCK):
        block = slice(start, start + _BLOCK)
        for i in _more_keys(lines[block], keys[block]):
            found = extensions_of(lines[start + i].removeprefix(_BOM), int(keys[start + i]))
            if found is None:
                bad[start + i] = True
            elif found:
                extensions = extensions or [None] * len(lines)
                extensions[start + i] = found
    return extensions, bad


def _more_keys(lines: list[bytes], keys: Int) -> list[int]:
    """Return the indices of the lines that may have more keys than these; the proof is that of `notation`, on many lines."""
    text = np.frombuffer(b"\n".join(lines), np.uint8)
    colon = text == ord(":")
    # A line never has fewer colons than keys, so the sums agree only if every line does.
    if np.count_nonzero(colon) == keys.sum():
        return []
    starts = _starts(np.fromiter(map(len, lines), np.int64, len(lines)) + 1)[:-1]
    before = text[:-1]
    colons = np.add.reduceat(colon, starts, dtype=np.int64)
    colon[1:] &= before == ord('"')
    quoted = np.add.reduceat(colon, starts, dtype=np.int64)
    doubtful = colons != keys
    if not np.any((text[1:] == ord(":")) & (before <= ord(" "))):
        doubtful &= quoted != keys
    return np.flatnonzero(doubtful).tolist()


class _Identity(msgspec.Struct):
    match: Any = None
    game: Any = None
    hand: Any = None


_decode_identity: Final = msgspec.json.Decoder(_Identity).decode
_PLACE: Final = re.compile(r"\$\.(?:events\[(\d+)\]|(deal)\b)")


def _reject(line: bytes, number: int, file: str | None) -> Reject:
    """Return the reject of a line that the checks of the columns stopped."""
    try:
        decode_line(line, first=number == 1)
    except NotationError as error:
        return Reject(number, line, finding_of(error, line, number, file))
    raise RuntimeError(f"line {number} was stopped in bulk, and nothing is wrong with it: {line[:200]!r}")


def finding_of(error: NotationError, line: bytes, number: int | None = None, file: str | None = None) -> Finding:
    """Return the finding that an error of `decode_line` amounts to, with what the line says of its match and hand.

    >>> finding_of(NotationError("UNKNOWN_EVENT", "no such word", "$.events[4]"), b'{"match":"m"}', 12).event
    4
    """
    try:
        identity = _decode_identity(line[:LINE_LIMIT])
    except (msgspec.DecodeError, RecursionError):
        identity = _Identity()
    place = _PLACE.match(error.where or "")
    event: int | str | None = None
    if place:
        event = "deal" if place[2] else int(place[1])
    return Finding(
        error.code,
        str(error),
        line=number,
        file=file,
        match=identity.match if isinstance(identity.match, str) else None,
        game=_small(identity.game),
        hand=_small(identity.hand),
        event=event,
    )


def _small(value: Any) -> int | None:
    return value if type(value) is int and 0 < value <= 1_000_000 else None
