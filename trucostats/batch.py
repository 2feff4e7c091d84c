"""Lines in bulk: thousands of records at once as integer arrays, the bad lines beside them as values.

`read_batch` accepts exactly the lines that `notation.decode_line` accepts. It decodes them with the same typed decoder and
checks whole columns; what a check stops goes to `decode_line`, which says why.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, cast

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from trucostats.columns import (
    SEAT_LIMIT,
    Int,
    Mask,
    deal_columns,
    event_column,
    given,
    given_only,
    lengths_of,
    lines_with_more_keys,
    marked,
    moment_column,
    pair_column,
    rule_columns,
    starts_of,
    time_columns,
    turned_card,
)
from trucostats.errors import Finding, NotationError
from trucostats.notation import BOM, LINE_LIMIT, decode_line, decode_open, extensions_of
from trucostats.record import EVENT_LIMIT, FIELDS, OPTIONAL, Extensions, OpenRecord
from trucostats.rules import Rules
from trucostats.vocab import CARDS, FORMATS, NO_CARD, VERBS
from trucostats.words import CACHE_TEXT, CODE_MASK, EVENT_TABLES, SEAT_SHIFT, SEATS

NO_TIME: Final = int(np.iinfo(np.int64).min)
# Events the decoder may know; a real log has a few hundred.
KNOWN_LIMIT: Final = 4000
# Keeps the joined lines small enough to stay in cache.
_BLOCK: Final = 256


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

    line: Int  # number of the line in its file, from 1
    rules: list[Rules]  # the distinct rule sets
    rules_id: NDArray[np.int32]  # index into `rules`
    seats: NDArray[np.int8]
    dealer: NDArray[np.int8]
    score: NDArray[np.int16]  # [n, 2]
    turned: NDArray[np.int8]  # card, or NO_CARD where no card is turned
    format: NDArray[np.int8]  # index into vocab.FORMATS, 0 where the record has none
    deal: NDArray[np.int8]  # [n, 6, 4] cards, the first four of a hand
    null_hand: Mask  # [n, 6] the seat's hand is wholly unknown
    deal_overflow: Mask  # a hand of the line has more than four cards
    event_start: Int  # [n + 1]
    event_seat: NDArray[np.int8]  # [N]
    event_code: NDArray[np.int32]  # [N] see vocab.pack
    claim: NDArray[np.int16]  # [n, 2] claimed points, -1 without a claim
    match: list[str]
    game: NDArray[np.int32]  # 1 where absent
    hand: NDArray[np.int32]
    players: list[list[str]]
    at: Int  # microseconds since 1970 UTC, NO_TIME without a time
    source: list[str | None]
    times_start: Int  # [n + 1]
    times: NDArray[np.int32]  # milliseconds since the deal
    extensions: list[Extensions | None] | None  # None when no line has any
    rejects: list[Reject]  # in the order of their lines
    blank: int  # number of blank lines

    def __len__(self) -> int:
        """Return the number of good lines."""
        return len(self.line)


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
    with without_gc():
        return _read(lines, first_line, file)


@contextmanager
def without_gc() -> Iterator[None]:
    """Keep the cyclic garbage collector off for a while."""
    # The collector looks again and again at a heap that only grows here; it makes decoding several times slower.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(lines: Sequence[bytes], first_line: int, file: str | None) -> Batch:
    records, dropped = _decode(lines, first_line)
    index = np.delete(np.arange(len(lines)), dropped)
    kept = [lines[i] for i in index.tolist()] if dropped else list(lines)
    columns, bad = _columns(records, kept)
    if bad.any():
        good = np.flatnonzero(~bad)
        dropped = sorted([*dropped, *index[bad].tolist()])
        index = index[good]
        columns = _kept(columns, good)
    rejects = []
    for i in dropped:
        text = lines[i].removeprefix(BOM) if first_line + i == 1 else lines[i]
        if text.strip():
            rejects.append(_reject(lines[i], first_line + i, file))
    return Batch(line=index + first_line, rejects=rejects, blank=len(dropped) - len(rejects), **columns)


def _kept(columns: dict[str, Any], good: Int) -> dict[str, Any]:
    """Return the columns of some of the lines."""
    kept: dict[str, Any] = {}
    for name, column in columns.items():
        if isinstance(column, list) and name != "rules":
            kept[name] = [column[i] for i in good.tolist()]
        elif isinstance(column, np.ndarray) and name not in (
            "event_start",
            "event_seat",
            "event_code",
            "times_start",
            "times",
        ):
            kept[name] = column[good]
        else:
            kept[name] = column
    for start, many in (("event_start", ("event_seat", "event_code")), ("times_start", ("times",))):
        lengths = np.diff(columns[start])
        mask = np.repeat(marked(len(lengths), good), lengths)
        kept[start] = starts_of(lengths[good])
        kept |= {name: columns[name][mask] for name in many}
    kept["extensions"] = kept["extensions"] if any(kept["extensions"] or ()) else None
    return kept


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
    if first_line == 1 and lines and lines[0].startswith(BOM):
        stream = [lines[0].removeprefix(BOM), *lines[1:]]
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


def _columns(records: list[OpenRecord], lines: list[bytes]) -> tuple[dict[str, Any], Mask]:
    """Return the columns of a batch, and which records are not of the notation."""
    n = len(records)
    names = OpenRecord.__struct_fields__
    values = zip(*map(msgspec.structs.astuple, records), strict=True) if n else ((),) * len(names)
    column = dict(zip(names, values, strict=True))
    has = {name: given(column[name]) for name in OPTIONAL}
    told = {name: given_only(column[name], has[name]) for name in OPTIONAL}

    seats = lengths_of(column["players"])
    dealer = np.fromiter(column["dealer"], np.int64, n)
    rules, rules_id, families, rule_keys = rule_columns(column["rules"])
    allowed = np.zeros((len(rules) + 1, SEAT_LIMIT + 1), np.bool_)
    turns = np.zeros(len(rules) + 1, np.bool_)
    for i, one in enumerate(rules):
        allowed[i] = [count in one.players for count in range(SEAT_LIMIT + 1)]
        turns[i] = one.turns_card
    turned = np.full(n, NO_CARD)
    card_of = {text: turned_card(text) for text in set(told["turned"])}
    turned[has["turned"]] = np.fromiter(map(card_of.__getitem__, told["turned"]), np.int64, len(told["turned"]))
    deal, null_hand, overflow, bad_deal = deal_columns(column["deal"])

    lengths = lengths_of(column["events"])
    packed = event_column(column["events"], families, int(lengths.sum()))
    event_seat = packed >> SEAT_SHIFT
    # An event that is none has the seat -1, which as an unsigned number is beyond every table.
    wrong = event_seat.view(np.uint64) >= np.repeat(seats, lengths).view(np.uint64)
    bad_event = marked(n, np.repeat(np.arange(n), lengths)[wrong]) if wrong.any() else np.zeros(n, np.bool_)
    times, times_start, bad_times = time_columns(column["times"], has["times"], lengths)

    keys = rule_keys + sum(has.values(), np.full(n, len(FIELDS) - len(OPTIONAL)))
    extensions, bad_keys = _extension_column(lines, keys)
    bad = ~allowed[rules_id, seats] | (seats != lengths_of(column["deal"])) | (dealer >= seats)
    bad |= (turns[rules_id] != has["turned"]) | (turned < 0) | (has["format"] & (seats != SEAT_LIMIT))
    bad |= bad_deal | bad_event | bad_times | bad_keys

    form = np.zeros(n, np.int8)
    form[has["format"]] = [FORMATS.index(name) for name in told["format"]]
    claim = np.full((n, 2), -1, np.int16)
    claim[has["points"]] = pair_column(told["points"])
    game = np.ones(n, np.int32)
    game[has["game"]] = np.fromiter(told["game"], np.int32, len(told["game"]))
    at = np.full(n, NO_TIME)
    at[has["at"]] = moment_column(told["at"])
    source = [None if text is UNSET else text for text in column["source"]] if told["source"] else [None] * n
    columns = {
        "rules": rules,
        "rules_id": rules_id.astype(np.int32),
        "seats": seats.astype(np.int8),
        "dealer": dealer.astype(np.int8),
        "score": pair_column(column["score"]),
        "turned": turned.astype(np.int8),
        "format": form,
        "deal": deal,
        "null_hand": null_hand,
        "deal_overflow": overflow,
        "event_start": starts_of(lengths),
        "event_seat": event_seat.astype(np.int8),
        "event_code": (packed & CODE_MASK).astype(np.int32),
        "claim": claim,
        "match": list(column["match"]),
        "game": game,
        "hand": np.fromiter(column["hand"], np.int32, n),
        "players": list(column["players"]),
        "at": at,
        "source": source,
        "times_start": times_start,
        "times": times,
        "extensions": extensions,
    }
    return columns, bad


def _extension_column(lines: list[bytes], keys: Int) -> tuple[list[Extensions | None] | None, Mask]:
    """Return the extension fields, and the records with an unknown field or a key given twice.

    `keys` are the keys that each line is known to have.
    """
    bad = np.zeros(len(lines), np.bool_)
    extensions: list[Extensions | None] | None = None
    for start in range(0, len(lines), _BLOCK):
        for i in lines_with_more_keys(lines[start : start + _BLOCK], keys[start : start + _BLOCK]):
            found = extensions_of(lines[start + i].removeprefix(BOM), int(keys[start + i]))
            if found is None:
                bad[start + i] = True
            elif found:
                extensions = extensions or [None] * len(lines)
                extensions[start + i] = found
    return extensions, bad


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
    identity = _Identity()
    if len(line) <= LINE_LIMIT:
        with suppress(msgspec.DecodeError, RecursionError):
            identity = _decode_identity(line.removeprefix(BOM))
    place = _PLACE.match(error.where or "")
    event: int | str | None = None
    if place:
        event = "deal" if place[2] else int(place[1])
    match = identity.match if isinstance(identity.match, str) else None
    game, hand = _number(identity.game), _number(identity.hand)
    return Finding(error.code, str(error), line=number, file=file, match=match, game=game, hand=hand, event=event)


def _number(value: Any) -> int | None:
    return value if type(value) is int and 0 < value <= 1_000_000 else None
