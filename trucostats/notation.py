"""The notation: one hand, one JSON line. A line in, a `Record` out, and back.

The reader does not know the rules of the game. It knows what a record is: its fields, their types and bounds, the cards, the
words, the seats. Whatever is not of the notation is refused with a code, a place and a remedy.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, Final, NoReturn

import msgspec
from msgspec import UNSET

from trucostats.errors import NotationError, RulesError, did_you_mean
from trucostats.record import FIELDS, OPTIONAL, VERSION, Extensions, OpenRecord, Record, record_schema
from trucostats.rules import Rules, rules_of
from trucostats.vocab import NO_CARD
from trucostats.words import canonical_event, hand_name, parse_event, parse_hand, shorten

__all__ = ["Extensions", "Record", "canonical", "decode_line", "record_schema", "write_record"]

LINE_LIMIT: Final = 1_000_000
DEPTH_LIMIT: Final = 32
BOM: Final = b"\xef\xbb\xbf"

_FIELD_SET: Final = frozenset(FIELDS)

_decode_strict: Final = msgspec.json.Decoder(Record).decode
decode_open: Final = msgspec.json.Decoder(OpenRecord).decode
_decode_any: Final = msgspec.json.Decoder().decode
_decode_raw: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode


def decode_line(line: bytes, *, first: bool = False) -> Record:
    """Return the record of one line of a log.

    With `first`, the line is the first of its file and may begin with a byte order mark. A carriage return and other white
    space around the object are allowed. The record keeps the words as they are written; `canonical` makes them uniform.
    Raises `NotationError` with one of the malformed codes and, as `where`, the JSON path of the fault.

    >>> decode_line(b'{"v":1,"match":"m","hand":"1"}')
    Traceback (most recent call last):
        ...
    trucostats.errors.NotationError: $.hand: expected a whole number without quotes, got a text in "quotes"; deal of the game, from 1
    """
    line = _body(line, first)
    try:
        record = _decode_strict(line)
        if not _has_keys(line, fields_given(record)):
            _explain(line)
    except (msgspec.DecodeError, RecursionError):
        record = _decode_extended(line)
    _check(record)
    return record


def _body(line: bytes, first: bool) -> bytes:
    """Return the line without its byte order mark; refuse what is no text or too large to look into."""
    if first:
        line = line.removeprefix(BOM)
    if len(line) > LINE_LIMIT:
        _refuse("TOO_LONG", f"the line has {len(line):,} bytes; the limit is {LINE_LIMIT:,}, and one line is one hand")
    if (place := line.find(b"\0")) >= 0:
        _refuse(
            "NUL_BYTE",
            f"the line has a NUL byte (byte {place}); the file is damaged, or UTF-16 and to be saved as UTF-8",
        )
    if (depth := depth_of(line)) > DEPTH_LIMIT:
        _refuse(
            "TOO_DEEP", f"the line is nested {depth} deep; the limit is {DEPTH_LIMIT}: flatten the extension fields"
        )
    return line


# An unterminated string runs to the end of the line, so that no quote is looked at twice.
_BRACKET: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def depth_of(line: bytes) -> int:
    """Return how deeply a line is nested, without recursion and without believing that it is JSON."""
    if line.count(b"{") + line.count(b"[") <= DEPTH_LIMIT:
        return 0
    depth = deepest = 0
    for found in _BRACKET.finditer(line):
        token = found[0]
        if token in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"]}":
            depth -= 1
    return deepest


def _refuse(code: str, message: str, where: str | None = None) -> NoReturn:
    raise NotationError(code, message if where in (None, "$") else f"{where}: {message}", where) from None


def fields_given(record: Record) -> int:
    """Return how many keys a line must have to give this record and nothing else; extensions not counted."""
    given = len(FIELDS) - sum(getattr(record, name) is UNSET for name in OPTIONAL)
    return given + (keys_in(record.rules) if isinstance(record.rules, dict) else 0)


def keys_in(value: Any) -> int:
    """Return the number of keys of a JSON value, at all depths."""
    if isinstance(value, dict):
        return len(value) + sum(keys_in(item) for item in value.values() if isinstance(item, (dict, list)))
    if isinstance(value, list):
        return sum(keys_in(item) for item in value if isinstance(item, (dict, list)))
    return 0


def extensions_of(line: bytes, given: int) -> Extensions | None:
    """Return the extension fields of a line whose other fields, `given` in number, are known to be good.

    None if the line has anything else: an unknown field, a key given twice, too deep a value, a value that is not JSON.
    """
    found = Extensions()
    keys, known = given, _FIELD_SET
    try:
        for key, raw in _decode_raw(line).items():
            if key in known:
                continue
            if key[:1] != "_":
                return None
            found[key] = value = _decode_any(raw)
            keys += 1
            if type(value) in (dict, list):
                if depth_of(line) > DEPTH_LIMIT:
                    return None
                keys += keys_in(value)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if _has_keys(line, keys) else None


def _has_keys(line: bytes, count: int) -> bool:
    """Whether no key of a line of JSON is given twice; `count` is the number of its distinct keys at all depths.

    Every key has a colon, so as many colons as keys are proof. Where texts hold colons too, so are as many `":` as keys if
    no colon stands apart from its key. Only where this fails too is the line read again.
    """
    if line.count(b":") == count:
        return True
    apart = b" :" in line or b"\t:" in line or b"\n:" in line or b"\r:" in line
    if not apart and line.count(b'":') == count:
        return True
    return _duplicate(line) is None


def _decode_extended(line: bytes) -> Record:
    """Return the record of a line that is not a plain one: with extension fields, or with a fault to name."""
    try:
        record = decode_open(line)
    except (msgspec.DecodeError, RecursionError):
        _explain(line)
    found = extensions_of(line, fields_given(record))
    if found is None:
        _explain(line)
    return Record(**{name: getattr(record, name) for name in FIELDS}, extensions=found)


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, as written."""


def _duplicate(line: bytes) -> str | None:
    """Return the JSON path of the first key that is given twice in its object, or None. The line is known to be JSON."""
    # Numbers are not looked at, and Python refuses to convert very long ones.
    tree = json.loads(line, object_pairs_hook=_Pairs, parse_int=len, parse_float=len)
    stack = [("$", tree)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, _Pairs):
            seen = set()
            for key, item in value:
                if key in seen:
                    return f"{path}.{key}"
                seen.add(key)
                stack.append((f"{path}.{key}", item))
        elif isinstance(value, list):
            stack += [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    return None


def _explain(line: bytes) -> NoReturn:
    """Raise the error that says what is wrong with a line that is no record."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        _refuse(
            "BAD_UTF8", f"byte {error.start} is 0x{line[error.start]:02x}, which is not UTF-8; save the log as UTF-8"
        )
    if not line.strip():
        _refuse("BAD_JSON", "the line is empty; write one JSON object per line")
    try:
        tree = _decode_any(line)
    except msgspec.ValidationError as error:
        message, where = _msgspec(error)
        _refuse("OUT_OF_RANGE", f"{message}; no number of a record is that large", where)
    except msgspec.DecodeError as error:
        _refuse("BAD_JSON", f"the line is not JSON: {_json_fault(line, str(error))}")
    if not isinstance(tree, dict):
        _refuse("NOT_AN_OBJECT", f"the line is {_kind(tree)}, not an object; write one JSON object per line")
    if path := _duplicate(line):
        _refuse("DUPLICATE_KEY", "the key is given twice; keep one of the two", path)
    version = tree.get("v")
    if type(version) is int and version != VERSION:
        _refuse(
            "UNKNOWN_VERSION", f"version {version} of the notation is not known; this reader knows v {VERSION}", "$.v"
        )
    for key in tree:
        if key not in _FIELD_SET and not key.startswith("_"):
            near = did_you_mean(key, FIELDS) or "; start it with _ to keep it as an extension"
            _refuse(
                "UNKNOWN_FIELD", f"the notation has no field {shorten(key)}{near}", f"$.{shorten(key, quote=False)}"
            )
    try:
        _decode_strict(_encode({key: value for key, value in tree.items() if key in _FIELD_SET}))
    except msgspec.ValidationError as error:
        message, where = _msgspec(error)
        if missing := re.search(r"missing required field `(\w+)`", message):
            name = missing[1]
            _refuse("MISSING_FIELD", f"the field {name!r} is missing: {_description(name)}", "$")
        code = "OUT_OF_RANGE" if re.search(r"[<>]= |of length|enum value|out of range", message) else "WRONG_TYPE"
        named = re.match(r"\$\.(\w+)", where)
        about = f"; {_description(named[1])}" if named else ""
        _refuse(code, f"{_in_words(message)}{about}", where)
    raise RuntimeError(f"no fault was found in a line that was refused: {line[:200]!r}")


def _msgspec(error: Exception) -> tuple[str, str]:
    """Return the sentence and the JSON path of an error of the decoder."""
    message, _, where = str(error).partition(" - at `")
    return message, where.rstrip("`") or "$"


_KINDS: Final = {
    "int": "a whole number without quotes", "float": "a number with a fraction", "str": 'a text in "quotes"', "array": "a list in [brackets]",
    "object": "an object in {braces}", "bool": "true or false", "null": "null", "datetime": "a time",
}  # fmt: skip


def _in_words(message: str) -> str:
    """Return what the decoder says in words for who writes a log by hand.

    >>> _in_words("Expected `int`, got `str`"), _in_words("Expected `array` of length >= 2")
    ('expected a whole number without quotes, got a text in "quotes"', 'expected a list in [brackets] of length >= 2')
    """

    def kinds(found: re.Match[str]) -> str:
        return " or ".join(_KINDS.get(kind, kind) for kind in found[1].split(" | "))

    message = re.sub(r"`([^`]+)`", kinds, message)
    return message[:1].lower() + message[1:]


def _json_fault(line: bytes, message: str) -> str:
    message = message.removeprefix("JSON is malformed: ")
    if re.search(rb"\\u[dD][89a-fA-F]", line):
        return f"{message}; half a surrogate pair such as \\ud83d is no character, write the character itself"
    if re.search(rb"[:\[,]\s*-?(NaN|Infinity|nan|inf)\b", line):
        return f"{message}; JSON has no NaN or Infinity"
    if line.startswith(BOM):
        return "a byte order mark, which may stand only at the beginning of a file"
    return f"{message}; write one JSON object per line"


def _kind(value: Any) -> str:
    kinds = {list: "an array", str: "a text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")


@lru_cache(maxsize=1)
def _descriptions() -> dict[str, str]:
    return {name: field["description"] for name, field in record_schema()["properties"].items()}


def _description(name: str) -> str:
    return _descriptions()[name]


def rules_or_refuse(spec: str | dict[str, Any]) -> Rules:
    """Return the rule set of a record's `rules` field; raise `NotationError` (UNKNOWN_RULES) if there is none."""
    try:
        return rules_of(spec)
    except RulesError as error:
        raise NotationError("UNKNOWN_RULES", f"$.rules: {error}", "$.rules") from None


def _check(record: Record) -> None:
    """Refuse a record whose fields, each good by itself, do not agree. Hand sizes and repeated cards are for the replay."""
    rules = rules_or_refuse(record.rules)
    seats = len(record.players)
    if seats not in rules.players:
        allowed = ", ".join(map(str, rules.players))
        _refuse("SEAT_COUNT", f"{seats} players, but {rules.name} is played by {allowed}", "$.players")
    if len(record.deal) != seats:
        _refuse(
            "SEAT_COUNT", f"{len(record.deal)} hands for {seats} players; write one for each, null if unknown", "$.deal"
        )
    if record.dealer >= seats:
        _refuse(
            "UNKNOWN_SEAT", f"there is no seat {record.dealer} at a table of {seats}; seats count from 0", "$.dealer"
        )
    if rules.turns_card and record.turned is UNSET:
        _refuse(
            "TURNED_MISSING", f"{rules.name} turns a card, and the record does not name it; add the field `turned`", "$"
        )
    if not rules.turns_card and record.turned is not UNSET:
        _refuse("TURNED_UNUSED", f"{rules.name} turns no card; remove the field `turned`", "$.turned")
    if record.format is not UNSET and seats != 6:
        _refuse(
            "FORMAT_UNUSED", f"only six players have a format, here are {seats}; remove the field `format`", "$.format"
        )
    if record.turned is not UNSET:
        _parse("$.turned", parse_turned, record.turned)
    for seat, hand in enumerate(record.deal):
        if hand is not None:
            _parse(f"$.deal[{seat}]", parse_hand, hand)
    for index, text in enumerate(record.events):
        seat, _ = _parse(f"$.events[{index}]", parse_event, text, rules)
        if seat >= seats:
            where = f"$.events[{index}]"
            _refuse("UNKNOWN_SEAT", f"there is no seat {seat} at a table of {seats}; seats count from 0", where)
    if record.times is not UNSET:
        if len(record.times) != len(record.events):
            _refuse("BAD_TIMES", f"{len(record.times)} times for {len(record.events)} events; one per event", "$.times")
        for index, (before, after) in enumerate(zip(record.times, record.times[1:], strict=False), 1):
            if after < before:
                _refuse("BAD_TIMES", f"{after} comes after {before}; times do not decrease", f"$.times[{index}]")


def _parse(where: str, parse: Any, *arguments: Any) -> Any:
    try:
        return parse(*arguments)
    except NotationError as error:
        raise NotationError(error.code, f"{where}: {error}", where) from None


def parse_turned(text: str) -> int:
    """Return the index of the turned card; raise `NotationError` (UNKNOWN_CARD) for anything but one known card."""
    cards = parse_hand(text)
    if len(cards) != 1 or cards[0] == NO_CARD:
        raise NotationError("UNKNOWN_CARD", f"{shorten(text)} is not one card; the turned card lies open, as in '7o'")
    return cards[0]


def canonical(record: Record) -> Record:
    """Return the record with canonical words, cards and spacing; nothing else changes, and doing it again changes nothing.

    Raises `NotationError` for words that are none.

    >>> record = decode_line(b'{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],'
    ...                      b'"deal":["7C  5c 12e",null],"events":["0 Truc","1 Vull"]}')
    >>> canonical(record).deal, canonical(record).events
    (['7c 5c 12e', None], ['0 truc', '1 quiero'])
    """
    rules = rules_or_refuse(record.rules)
    return msgspec.structs.replace(
        record,
        turned=record.turned if record.turned is UNSET else hand_name([parse_turned(record.turned)]),
        deal=[hand if hand is None else hand_name(parse_hand(hand)) for hand in record.deal],
        events=[canonical_event(text, rules) for text in record.events],
    )


def write_record(record: Record) -> bytes:
    """Return the canonical line of a record, without the line break: fields in order, canonical words, extensions last.

    >>> line = (b'{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],'
    ...         b'"deal":["7c 5c 12e",null],"events":["0 truc"],"_table":4}')
    >>> write_record(decode_line(line)) == line
    True
    """
    line = _encode(msgspec.structs.replace(canonical(record), extensions=UNSET))
    if not record.extensions:
        return line
    return line[:-1] + b"," + _encode(dict(record.extensions))[1:]
