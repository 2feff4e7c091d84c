"""One line in, one line out: what is a record, what is refused and with which words."""

from __future__ import annotations

import datetime
import json
import re
import string
import sys
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trucostats.errors import CODES, NotationError
from trucostats.notation import LINE_LIMIT, Extensions, Record, canonical, decode_line, record_schema, write_record
from trucostats.record import FIELDS
from trucostats.vocab import CARDS

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "hand_cases.jsonl"
RECORDS = [json.loads(line)["record"] for line in CASES.read_text(encoding="utf-8").splitlines()]

VALIDATOR = jsonschema.Draft202012Validator(record_schema())

PAGE = (
    b'{"v":1,"match":"club-2026-03-14-07","game":1,"hand":12,"rules":"argentino","players":["ana","ben"],"dealer":1,'
    b'"score":[12,20],"deal":["7c 5c 12e","12o 11o 3b"],'
    b'"events":["0 envido","1 falta-envido","0 quiero","0 32","1 son-buenas"],"points":[10,0]}'
)
BASE: dict[str, Any] = {
    "v": 1,
    "match": "m",
    "hand": 1,
    "rules": "argentino",
    "players": ["ana", "ben"],
    "dealer": 1,
    "score": [0, 0],
    "deal": ["7c 5c 12e", "12o 11o 3b"],
    "events": ["0 7c", "1 12o"],
}


def line_of(**changes: Any) -> bytes:
    """The base record with some fields changed, or taken out with `...`."""
    record = {key: value for key, value in (BASE | changes).items() if value is not ...}
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def refused(line: bytes, **options: Any) -> NotationError:
    with pytest.raises(NotationError) as caught:
        decode_line(line, **options)
    assert CODES[caught.value.code].family == "malformed"
    return caught.value


# The notation page


def test_the_example_of_the_notation_is_already_canonical() -> None:
    assert write_record(decode_line(PAGE)) == PAGE


@pytest.mark.parametrize("record", RECORDS, ids=[record["match"] for record in RECORDS])
def test_every_case_is_a_record_and_survives_a_round_trip(record: dict[str, Any]) -> None:
    line = json.dumps(record).encode()
    if record["match"] == "AR-164":
        assert refused(line).code == "UNKNOWN_CARD"
        return
    read = decode_line(line)
    assert json.loads(write_record(read)) == record
    assert decode_line(write_record(read)) == read


def test_a_rule_set_may_be_an_object() -> None:
    read = decode_line(line_of(rules={"base": "argentino", "target": 15, "flor": True}))
    assert read.rules == {"base": "argentino", "target": 15, "flor": True}


def test_partial_information_is_normal() -> None:
    read = decode_line(line_of(deal=["? ? 12e", None], events=["0 cover", "1 3b"], rules="argentino"))
    assert read.deal == ["? ? 12e", None]


def test_optional_fields_tell_absent_from_given() -> None:
    assert decode_line(line_of()).game is msgspec.UNSET
    assert decode_line(line_of(game=1)).game == 1
    assert b'"game"' not in write_record(decode_line(line_of()))


def test_every_field_is_read_and_written_in_order() -> None:
    line = (
        b'{"v":1,"match":"m","game":2,"hand":3,"rules":"uruguayo","players":["a","b","c","d","e","f"],"dealer":5,'
        b'"score":[1,2],"turned":"7o","format":"pica-pica","deal":["1e 2e 3e",null,"? ? ?",null,null,null],'
        b'"events":["0 1e"],"points":[1,0],"at":"2026-03-14T21:04:00-03:00","source":"club","times":[1500],'
        b'"_table":{"no":[4,5.5,null,true,"\xc3\xb1"]},"_b":1}'
    )
    read = decode_line(line)
    assert write_record(read) == line
    assert read.at == datetime.datetime(2026, 3, 14, 21, 4, tzinfo=datetime.timezone(datetime.timedelta(hours=-3)))
    assert read.extensions == {"_table": {"no": [4, 5.5, None, True, "ñ"]}, "_b": 1}


def test_a_record_made_by_hand_is_written_like_a_read_one() -> None:
    read = decode_line(PAGE[:-1] + b',"_id":7}')
    made = Record(**{name: getattr(read, name) for name in FIELDS}, extensions=Extensions(_id=7))
    assert made == read
    assert write_record(made) == PAGE[:-1] + b',"_id":7}'


def test_canonical_changes_words_and_nothing_else() -> None:
    read = decode_line(line_of(deal=[" 7C  5c 12E", None], events=["0 Quiero Retruco", "1 me voy"], _x=1))
    assert (read.deal, read.events) == ([" 7C  5c 12E", None], ["0 Quiero Retruco", "1 me voy"])
    made = canonical(read)
    assert (made.deal, made.events) == (["7c 5c 12e", None], ["0 retruco", "1 mazo"])
    assert canonical(made) == made
    assert write_record(read) == write_record(made)
    assert made.extensions == {"_x": 1}


def test_canonical_keeps_the_order_of_cards_and_writes_the_turned_card() -> None:
    read = decode_line(line_of(rules="paulista", turned=" 12E ", deal=["12e 7c 5c", "3b ? 1o"], events=[]))
    assert (canonical(read).turned, canonical(read).deal) == ("12e", ["12e 7c 5c", "3b ? 1o"])


def test_what_cannot_be_written_is_refused_when_written() -> None:
    record = msgspec.structs.replace(decode_line(PAGE), events=["0 trucco"])
    with pytest.raises(NotationError, match="did you mean 'truco'"):
        write_record(record)


# Bytes


def test_carriage_returns_and_white_space_are_allowed() -> None:
    assert decode_line(b"  " + PAGE + b" \r\n") == decode_line(PAGE)
    assert decode_line(json.dumps(json.loads(PAGE), indent=1).encode()) == decode_line(PAGE)


def test_byte_order_mark_on_the_first_line_only() -> None:
    assert decode_line(b"\xef\xbb\xbf" + PAGE, first=True) == decode_line(PAGE)
    error = refused(b"\xef\xbb\xbf" + PAGE)
    assert (error.code, "byte order mark" in str(error)) == ("BAD_JSON", True)


BYTES: list[tuple[str, bytes, str, str]] = [
    ("empty", b"", "BAD_JSON", "the line is empty"),
    ("blank", b" \t\r\n", "BAD_JSON", "the line is empty"),
    ("truncated", PAGE[:-1], "BAD_JSON", "truncated"),
    ("trailing text", PAGE + b"}", "BAD_JSON", "trailing characters"),
    ("two records", PAGE + PAGE, "BAD_JSON", "trailing characters"),
    ("trailing comma", PAGE[:-1] + b",}", "BAD_JSON", "trailing comma"),
    ("no comma", PAGE.replace(b',"dealer"', b' "dealer"'), "BAD_JSON", "expected ','"),
    ("single quotes", PAGE.replace(b'"', b"'"), "BAD_JSON", "must be strings"),
    ("control character", PAGE.replace(b"ana", b"a\x01a"), "BAD_JSON", "invalid character"),
    ("leading zero", PAGE.replace(b'"hand":12', b'"hand":012'), "BAD_JSON", "invalid number"),
    ("NaN", PAGE.replace(b"12,20", b"NaN,20"), "BAD_JSON", "JSON has no NaN or Infinity"),
    ("Infinity", PAGE.replace(b"12,20", b"12,-Infinity"), "BAD_JSON", "JSON has no NaN or Infinity"),
    ("NaN in an extension", PAGE[:-1] + b',"_x":NaN}', "BAD_JSON", "JSON has no NaN or Infinity"),
    ("lone surrogate", PAGE.replace(b"ana", rb"a\ud83d"), "BAD_JSON", "half a surrogate pair"),
    ("lone surrogate in an extension", PAGE[:-1] + rb',"_x":"\ud83da"}', "BAD_JSON", "half a surrogate pair"),
    ("not UTF-8", PAGE.replace(b"ana", b"a\xf1a"), "BAD_UTF8", "is 0xf1, which is not UTF-8"),
    ("not UTF-8 in an extension", PAGE[:-1] + b',"_x":"\xff"}', "BAD_UTF8", "is 0xff, which is not UTF-8"),
    ("not UTF-8 in a key", PAGE[:-1] + b',"_\xff":1}', "BAD_UTF8", "is 0xff, which is not UTF-8"),
    ("surrogate as UTF-8", PAGE.replace(b"ana", b"\xed\xa0\x80"), "BAD_UTF8", "which is not UTF-8"),
    ("NUL byte", PAGE.replace(b"ana", b"a\0a"), "NUL_BYTE", "has a NUL byte (byte 88)"),
    ("UTF-16", PAGE.decode().encode("utf-16"), "NUL_BYTE", "UTF-16"),
    ("too long", PAGE + b" " * LINE_LIMIT, "TOO_LONG", "the limit is 1,000,000"),
    ("too deep", PAGE[:-1] + b',"_x":' + b"[" * 32 + b"]" * 32 + b"}", "TOO_DEEP", "nested 33 deep"),
    ("far too deep", PAGE[:-1] + b',"_x":' + b"[" * 200_000 + b"}", "TOO_DEEP", "nested 200001 deep"),
    ("deep objects", PAGE[:-1] + b',"_x":' + b'{"a":' * 100_000 + b"}", "TOO_DEEP", "nested 100001 deep"),
    ("deep rules", PAGE.replace(b'"argentino"', b'{"base":' * 900 + b"1" + b"}" * 900), "TOO_DEEP", "nested 901 deep"),
    ("array", b"[1]", "NOT_AN_OBJECT", "the line is an array, not an object"),
    ("text", b'"x"', "NOT_AN_OBJECT", "the line is a text, not an object"),
    ("number", b"1", "NOT_AN_OBJECT", "the line is a number, not an object"),
    ("null", b"null", "NOT_AN_OBJECT", "the line is null, not an object"),
    ("true", b"true", "NOT_AN_OBJECT", "the line is a truth value, not an object"),
]


@pytest.mark.parametrize(("line", "code", "text"), [case[1:] for case in BYTES], ids=[case[0] for case in BYTES])
def test_bytes_that_are_no_record(line: bytes, code: str, text: str) -> None:
    error = refused(line)
    assert (error.code, error.where) == (code, None)
    assert text in str(error)


def test_as_deep_as_allowed() -> None:
    line = PAGE[:-1] + b',"_x":' + b"[" * 31 + b"]" * 31 + b"}"
    assert decode_line(line).extensions


def test_brackets_in_texts_do_not_nest() -> None:
    line = line_of(match='[{"' * 200 + "\\")
    assert decode_line(line).match == '[{"' * 200 + "\\"


@pytest.mark.parametrize("tail", [b'"' + b'\\"' * 300_000, b'"' * 300_001, b"\\" * 300_000, b"[" * 600_000])
def test_hostile_lines_take_no_time(tail: bytes) -> None:
    assert refused(b"{" * 40 + tail).code in ("TOO_DEEP", "BAD_JSON")
    assert refused(b"[" * 33 + b"]" * 33 + tail).code in ("TOO_DEEP", "BAD_JSON")


# Keys


KEYS: list[tuple[str, bytes, str, str | None, str]] = [
    ("the same twice", PAGE[:-1] + b',"dealer":0}', "DUPLICATE_KEY", "$.dealer", "given twice"),
    ("written with an escape", PAGE[:-1] + b',"\\u0064ealer":0}', "DUPLICATE_KEY", "$.dealer", "given twice"),
    ("an extension", PAGE[:-1] + b',"_x":0,"_x":0}', "DUPLICATE_KEY", "$._x", "given twice"),
    ("inside an extension", PAGE[:-1] + b',"_x":[{"a":{"b":1,"b":2}}]}', "DUPLICATE_KEY", "$._x[0].a.b", "given twice"),
    (
        "inside the rules",
        PAGE.replace(b'"argentino"', b'{"base":"truc","base":"argentino"}'),
        "DUPLICATE_KEY",
        "$.rules.base",
        "given twice",
    ),
    ("colon apart", PAGE[:-1] + b',"dealer" :0}', "DUPLICATE_KEY", "$.dealer", "given twice"),
    (
        "hidden by colons in texts",
        PAGE.replace(b"ana", b"a:b").replace(b'"hand":', b'"hand" :')[:-1] + b',"hand":12}',
        "DUPLICATE_KEY",
        "$.hand",
        "given twice",
    ),
    ("unknown", PAGE[:-1] + b',"dealr":0}', "UNKNOWN_FIELD", "$.dealr", "no field 'dealr'; did you mean 'dealer'?"),
    ("unknown, nothing near", PAGE[:-1] + b',"zzz":0}', "UNKNOWN_FIELD", "$.zzz", "start it with _ to keep it"),
    ("capital", PAGE[:-1] + b',"Turned":0}', "UNKNOWN_FIELD", "$.Turned", "did you mean 'turned'?"),
    ("empty key", PAGE[:-1] + b',"":0}', "UNKNOWN_FIELD", "$.", "no field ''"),
    ("the name of our own field", PAGE[:-1] + b',"extensions":{}}', "UNKNOWN_FIELD", "$.extensions", "'extensions'"),
    ("beside an extension", PAGE[:-1] + b',"_x":0,"notes":""}', "UNKNOWN_FIELD", "$.notes", "no field 'notes'"),
    ("another version", PAGE.replace(b'"v":1', b'"v":2,"new":1'), "UNKNOWN_VERSION", "$.v", "this reader knows v 1"),
    ("no version", PAGE.replace(b'"v":1,', b""), "MISSING_FIELD", "$", "'v' is missing: notation version"),
]


@pytest.mark.parametrize(("line", "code", "where", "text"), [case[1:] for case in KEYS], ids=[case[0] for case in KEYS])
def test_keys(line: bytes, code: str, where: str | None, text: str) -> None:
    error = refused(line)
    assert (error.code, error.where) == (code, where)
    assert text in str(error)


@pytest.mark.parametrize("name", [name for name in FIELDS if name in BASE])
def test_required_fields(name: str) -> None:
    error = refused(line_of(**{name: ...}))
    assert (error.code, error.where) == ("MISSING_FIELD", "$")
    assert f"the field {name!r} is missing" in str(error)


@pytest.mark.parametrize(
    "text", ['":', '":1,"v":', " :", "a:b:c", '\\":', "\t:", ':"', "\\", '{"v":1}', "\N{FULLWIDTH COLON}", "\n:"]
)
def test_colons_and_quotes_in_texts_are_no_keys(text: str) -> None:
    record = decode_line(line_of(match=text, source=text, _x={text: [text, {text: text}]}))
    assert (record.match, record.source) == (text, text)
    assert record.extensions == {"_x": {text: [text, {text: text}]}}
    assert decode_line(write_record(record)) == record


# Values


VALUES: list[tuple[dict[str, Any], str, str, str]] = [
    (
        {"v": "1"},
        "WRONG_TYPE",
        "$.v",
        'expected a whole number without quotes, got a text in "quotes"; notation version, the integer 1',
    ),
    ({"v": True}, "WRONG_TYPE", "$.v", "expected a whole number without quotes, got true or false"),
    ({"match": ""}, "OUT_OF_RANGE", "$.match", "length >= 1; id of the match"),
    ({"match": 7}, "WRONG_TYPE", "$.match", 'expected a text in "quotes", got a whole number without quotes'),
    ({"match": None}, "WRONG_TYPE", "$.match", "got null"),
    ({"game": 0}, "OUT_OF_RANGE", "$.game", "a whole number without quotes >= 1"),
    ({"game": None}, "WRONG_TYPE", "$.game", "got null"),
    ({"hand": 0}, "OUT_OF_RANGE", "$.hand", "a whole number without quotes >= 1; deal of the game, from 1"),
    ({"hand": 1_000_001}, "OUT_OF_RANGE", "$.hand", "<= 1000000"),
    ({"hand": 10**30}, "OUT_OF_RANGE", "$.hand", "<= 1000000"),
    ({"hand": 1.0}, "WRONG_TYPE", "$.hand", "got a number with a fraction"),
    ({"hand": "1"}, "WRONG_TYPE", "$.hand", 'got a text in "quotes"'),
    ({"rules": 3}, "WRONG_TYPE", "$.rules", "got a whole number without quotes; a rule set's name"),
    ({"rules": "argentno"}, "UNKNOWN_RULES", "$.rules", "did you mean 'argentino'?"),
    ({"rules": {}}, "UNKNOWN_RULES", "$.rules", '"base"'),
    ({"rules": {"base": "truc", "targt": 9}}, "UNKNOWN_RULES", "$.rules", "did you mean 'target'?"),
    ({"rules": {"base": "truc", "target": "x"}}, "UNKNOWN_RULES", "$.rules", "1 to 100"),
    ({"players": ["ana"]}, "OUT_OF_RANGE", "$.players", "length >= 2; names in seat order"),
    ({"players": list("abcdefg")}, "OUT_OF_RANGE", "$.players", "length <= 6"),
    ({"players": ["ana", ""]}, "OUT_OF_RANGE", "$.players[1]", "length >= 1"),
    ({"players": ["ana", "b" * 101]}, "OUT_OF_RANGE", "$.players[1]", "length <= 100"),
    ({"players": ["ana", 2]}, "WRONG_TYPE", "$.players[1]", "got a whole number without quotes"),
    ({"players": "ana ben"}, "WRONG_TYPE", "$.players", 'got a text in "quotes"'),
    ({"players": ["a", "b", "c"]}, "SEAT_COUNT", "$.players", "3 players, but argentino is played by 2, 4, 6"),
    ({"players": ["a"] * 4}, "SEAT_COUNT", "$.deal", "2 hands for 4 players"),
    ({"deal": ["7c 5c 12e"] * 3}, "SEAT_COUNT", "$.deal", "3 hands for 2 players"),
    ({"dealer": 2}, "UNKNOWN_SEAT", "$.dealer", "no seat 2 at a table of 2"),
    ({"dealer": 6}, "OUT_OF_RANGE", "$.dealer", "<= 5"),
    ({"dealer": -1}, "OUT_OF_RANGE", "$.dealer", ">= 0"),
    ({"dealer": "ana"}, "WRONG_TYPE", "$.dealer", "seat of the dealer, counted from 0"),
    ({"score": [0]}, "OUT_OF_RANGE", "$.score", "length 2"),
    ({"score": [0, 0, 0]}, "OUT_OF_RANGE", "$.score", "length 2"),
    ({"score": [0, 201]}, "OUT_OF_RANGE", "$.score[1]", "<= 200"),
    ({"score": [-1, 0]}, "OUT_OF_RANGE", "$.score[0]", ">= 0"),
    ({"score": 3}, "WRONG_TYPE", "$.score", "got a whole number without quotes"),
    ({"turned": "7o"}, "TURNED_UNUSED", "$.turned", "argentino turns no card"),
    ({"rules": "paulista"}, "TURNED_MISSING", "$", "paulista turns a card"),
    ({"rules": "paulista", "turned": "8o"}, "UNKNOWN_CARD", "$.turned", "no card '8o'"),
    ({"rules": "paulista", "turned": "?"}, "UNKNOWN_CARD", "$.turned", "'?' is not one card"),
    ({"rules": "paulista", "turned": "7o 6o"}, "UNKNOWN_CARD", "$.turned", "'7o 6o' is not one card"),
    ({"rules": "paulista", "turned": ""}, "UNKNOWN_CARD", "$.turned", "'' is not one card"),
    ({"rules": "paulista", "turned": None}, "WRONG_TYPE", "$.turned", "got null"),
    ({"format": "redonda"}, "FORMAT_UNUSED", "$.format", "only six players have a format, here are 2"),
    ({"format": "pica"}, "OUT_OF_RANGE", "$.format", "invalid enum value 'pica'"),
    ({"deal": ["7c 5c 8e", None]}, "UNKNOWN_CARD", "$.deal[0]", "no card '8e'; a card is a rank"),
    ({"deal": [None, "7c Q♠ 1e"]}, "UNKNOWN_CARD", "$.deal[1]", "French letters are not read"),
    ({"deal": ["7c,5c,12e", None]}, "UNKNOWN_CARD", "$.deal[0]", "with spaces between: '7c 5c 12e'"),
    ({"deal": [["7c"], None]}, "WRONG_TYPE", "$.deal[0]", "got a list in [brackets]"),
    ({"deal": {}}, "WRONG_TYPE", "$.deal", "got an object in {braces}"),
    ({"events": ["0 7c", "0 trucco"]}, "UNKNOWN_EVENT", "$.events[1]", "'trucco'; did you mean 'truco'?"),
    ({"events": ["0 7c", "2 truco"]}, "UNKNOWN_SEAT", "$.events[1]", "no seat 2 at a table of 2"),
    ({"events": ["7 truco"]}, "UNKNOWN_SEAT", "$.events[0]", "no seat 7"),
    ({"events": ["0 8e"]}, "UNKNOWN_CARD", "$.events[0]", "no card '8e'"),
    ({"events": ["truco"]}, "UNKNOWN_EVENT", "$.events[0]", "as in '0 truco'"),
    ({"events": [""]}, "UNKNOWN_EVENT", "$.events[0]", "as in '0 truco'"),
    ({"events": [7]}, "WRONG_TYPE", "$.events[0]", "got a whole number without quotes"),
    ({"events": ["0 mazo"] * 201}, "OUT_OF_RANGE", "$.events", "length <= 200"),
    ({"points": [1]}, "OUT_OF_RANGE", "$.points", "length 2"),
    ({"points": [1, -1]}, "OUT_OF_RANGE", "$.points[1]", ">= 0"),
    ({"at": "2026-03-14"}, "WRONG_TYPE", "$.at", "RFC 3339"),
    ({"at": "2026-03-14T21:04:00"}, "WRONG_TYPE", "$.at", "timezone"),
    ({"at": "2026-02-30T21:04:00Z"}, "WRONG_TYPE", "$.at", "RFC3339"),
    ({"at": 1}, "WRONG_TYPE", "$.at", "got a whole number without quotes"),
    ({"source": 1}, "WRONG_TYPE", "$.source", "free text"),
    ({"times": [1]}, "BAD_TIMES", "$.times", "1 times for 2 events"),
    ({"times": [2, 1]}, "BAD_TIMES", "$.times[1]", "1 comes after 2"),
    ({"times": [1, 2.5]}, "WRONG_TYPE", "$.times[1]", "got a number with a fraction"),
    ({"times": [-1, 2]}, "OUT_OF_RANGE", "$.times[0]", ">= 0"),
    ({"times": [1, 2**31]}, "OUT_OF_RANGE", "$.times[1]", "<= 2147483647"),
]


@pytest.mark.parametrize(
    ("changes", "code", "where", "text"),
    VALUES,
    ids=[f"{next(iter(case[0]))}-{case[1]}-{i}" for i, case in enumerate(VALUES)],
)
def test_values(changes: dict[str, Any], code: str, where: str, text: str) -> None:
    error = refused(line_of(**changes))
    assert (error.code, error.where) == (code, where)
    assert text in str(error)
    assert str(error).startswith(f"{where}: ") or where == "$"


@pytest.mark.parametrize("number", [b"1e400", b"9" * 5000, b"-1e999"])
def test_numbers_beyond_all_bounds(number: bytes) -> None:
    for line in (PAGE.replace(b'"hand":12', b'"hand":' + number), PAGE[:-1] + b',"_x":[' + number + b"]}"):
        assert refused(line).code == "OUT_OF_RANGE"


def test_large_numbers_in_extensions_are_kept() -> None:
    line = PAGE[:-1] + b',"_x":[123456789012345678901234567890,-1,0.5]}'
    assert write_record(decode_line(line)) == line


def test_a_message_that_says_what_to_do_says_it_in_the_words_of_the_code() -> None:
    """The command line adds the remedy of the code where the message does not hold it: nothing is to be said twice."""
    for changes, code, _, _ in VALUES:
        if code in ("TURNED_UNUSED", "TURNED_MISSING", "FORMAT_UNUSED", "UNKNOWN_SEAT"):
            said = str(refused(line_of(**changes)))
            assert CODES[code].remedy in said, said
            assert said.count(CODES[code].remedy.split("`")[0]) == 1, said


def test_hand_sizes_and_repeated_cards_are_for_the_replay() -> None:
    for deal in (["7c", "12o 11o 3b"], ["7c 7c 7c 7c 7c", ""], ["7c 5c 12e", "7c 5c 12e"]):
        assert decode_line(line_of(deal=deal)).deal == deal


def test_messages_are_short_whatever_the_line_holds() -> None:
    long = "x" * 100_000
    for changes in ({"events": [f"0 {long}"]}, {"deal": [long, None]}, {long: 1}, {"events": [long]}):
        assert len(str(refused(line_of(**changes)))) < 400


# Laws

names = st.text(min_size=1, max_size=20).filter(lambda text: "\0" not in text)
extras = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
words = st.sampled_from(
    ["truco", "Quiero", "no quiero", "son_buenas", "28", "mazo", "SHOW 7c 5c", "cover", "falta envido"]
)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    seats = draw(st.sampled_from([2, 4, 6]))
    hands = st.none() | st.lists(st.sampled_from([*CARDS, "?"]), max_size=4).map(" ".join)
    seat = st.integers(0, seats - 1)
    event = st.builds("{} {}".format, seat, words | st.sampled_from(CARDS))
    record: dict[str, Any] = {
        "v": 1,
        "match": draw(names),
        "hand": draw(st.integers(1, 1_000_000)),
        "rules": draw(st.sampled_from(["argentino", "gaucho", {"base": "argentino", "target": 15}])),
        "players": draw(st.lists(names, min_size=seats, max_size=seats)),
        "dealer": draw(seat),
        "score": draw(st.tuples(st.integers(0, 200), st.integers(0, 200))),
        "deal": draw(st.lists(hands, min_size=seats, max_size=seats)),
        "events": draw(st.lists(event, max_size=6)),
    }
    optional: dict[str, st.SearchStrategy[Any]] = {
        "game": st.integers(1, 9),
        "points": st.tuples(st.integers(0, 200), st.integers(0, 200)),
        "source": st.text(max_size=9).filter(lambda text: "\0" not in text),
        "at": st.datetimes(timezones=st.just(datetime.UTC)).map(datetime.datetime.isoformat),
    }
    for name, strategy in optional.items():
        if draw(st.booleans()):
            record[name] = draw(strategy)
    if draw(st.booleans()):
        record["times"] = sorted(draw(st.integers(0, 10**6)) for _ in record["events"])
    if seats == 6 and draw(st.booleans()):
        record["format"] = draw(st.sampled_from(["redonda", "pica-pica"]))
    for name in draw(st.lists(names, max_size=3)):
        record["_" + name] = draw(extras)
    return record


@settings(max_examples=200, deadline=None)
@given(records(), st.booleans())
def test_reading_what_was_written_is_the_identity(value: dict[str, Any], plain: bool) -> None:
    record = decode_line(json.dumps(value, ensure_ascii=plain).encode())
    written = write_record(record)
    assert decode_line(written) == canonical(record)
    assert write_record(decode_line(written)) == written
    kept = {key: item for key, item in json.loads(written).items() if key.startswith("_")}
    assert kept == {key: item for key, item in value.items() if key.startswith("_")}
    VALIDATOR.validate(json.loads(written))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60), st.integers(0, len(PAGE)), st.integers(0, 30))
def test_any_bytes_are_a_record_or_refused(noise: bytes, start: int, cut: int) -> None:
    for line in (noise, PAGE[:start] + noise + PAGE[start + cut :]):
        try:
            write_record(decode_line(line))
        except NotationError as error:
            assert error.code in CODES


# Schema


def test_the_committed_schema_is_the_generated_one() -> None:
    committed = ROOT / "schemas" / "record.schema.json"
    assert committed.read_text(encoding="utf-8") == json.dumps(record_schema(), indent=2) + "\n"


def test_every_field_is_described_and_the_schema_is_one() -> None:
    schema = record_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == list(FIELDS)
    assert all(field["description"] for field in schema["properties"].values())


@pytest.mark.parametrize("record", RECORDS, ids=[record["match"] for record in RECORDS])
def test_the_schema_accepts_every_case(record: dict[str, Any]) -> None:
    VALIDATOR.validate(record)


# JSON Schema calls 1.0 an integer, and takes `format` for a note.
BEYOND_SCHEMA = [{"hand": 1.0}, *(case[0] for case in VALUES if "at" in case[0])]
SHAPES = [case for case in VALUES if case[1] in ("WRONG_TYPE", "OUT_OF_RANGE") and case[0] not in BEYOND_SCHEMA]


@pytest.mark.parametrize(
    "changes", [case[0] for case in SHAPES], ids=[f"{next(iter(case[0]))}-{i}" for i, case in enumerate(SHAPES)]
)
def test_the_schema_refuses_wrong_shapes(changes: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(BASE | changes)


def test_the_schema_refuses_unknown_and_missing_fields() -> None:
    VALIDATOR.validate(BASE | {"_x": 1})
    for record in (BASE | {"dealr": 1}, {key: BASE[key] for key in BASE if key != "deal"}):
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(record)


# House


def test_reading_needs_no_engine_and_no_tables() -> None:
    import subprocess

    heavy = "duckdb|pandas|polars|numba|pyarrow|matplotlib|typer"
    code = "import sys, trucostats.batch; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert not [name for name in loaded if re.fullmatch(rf"({heavy})|trucostats\.kernel.*", name)]


def test_no_letter_is_a_card_by_accident() -> None:
    for letter in set(string.ascii_lowercase) - set("eboc"):
        assert refused(line_of(deal=[f"7{letter}", None])).code == "UNKNOWN_CARD"
