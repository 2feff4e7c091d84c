"""Lines in bulk: the columns say what the records say, and no line is lost or let in that the line reader would not."""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trucostats import batch as module
from trucostats.batch import NO_TIME, Batch, finding_of, read_batch
from trucostats.columns import EPOCH
from trucostats.errors import NotationError
from trucostats.notation import BOM, LINE_LIMIT, Record, decode_line
from trucostats.rules import rules_of
from trucostats.vocab import CARDS, FORMATS, NO_CARD, pack
from trucostats.words import parse_event, parse_hand

CASES = Path(__file__).parent / "cases" / "hand_cases.jsonl"
LINES = [json.dumps(json.loads(line)["record"]).encode() for line in CASES.read_text(encoding="utf-8").splitlines()]
GOOD = (
    b'{"v":1,"match":"m","game":2,"hand":3,"rules":"argentino","players":["ana","ben"],"dealer":1,"score":[4,5],'
    b'"deal":["7c 5c 12e","12o 11o 3b"],"events":["0 envido","1 no-quiero"],"points":[1,0]}'
)


def or_default(value: Any, default: Any) -> Any:
    return default if value is msgspec.UNSET else value


def row_of(record: Record) -> dict[str, Any]:
    """What the columns must say of a record, one field at a time, as slowly and plainly as can be."""
    rules = rules_of(record.rules)
    deal = np.full((6, 4), -1)
    for seat, hand in enumerate(record.deal):
        cards = parse_hand(hand or "")[:4]
        deal[seat, : len(cards)] = cards
    events = [parse_event(text, rules) for text in record.events]
    at = record.at
    return {
        "rules": rules,
        "seats": len(record.players),
        "dealer": record.dealer,
        "score": list(record.score),
        "turned": NO_CARD if record.turned is msgspec.UNSET else parse_hand(record.turned)[0],
        "format": FORMATS.index(or_default(record.format, "redonda")),
        "deal": deal.tolist(),
        "null_hand": [seat < len(record.deal) and record.deal[seat] is None for seat in range(6)],
        "deal_overflow": any(len((hand or "").split()) > 4 for hand in record.deal),
        "event_seat": [seat for seat, _ in events],
        "event_code": [code for _, code in events],
        "claim": list(or_default(record.points, (-1, -1))),
        "match": record.match,
        "game": or_default(record.game, 1),
        "hand": record.hand,
        "players": record.players,
        "at": NO_TIME if at is msgspec.UNSET else round((at - EPOCH) / (EPOCH.resolution)),
        "source": or_default(record.source, None),
        "times": or_default(record.times, []),
        "extensions": or_default(record.extensions, None),
    }


def rows_of(batch: Batch) -> dict[int, dict[str, Any]]:
    """The rows of a batch by their line numbers."""
    rows = {}
    for i in range(len(batch)):
        events = slice(batch.event_start[i], batch.event_start[i + 1])
        times = slice(batch.times_start[i], batch.times_start[i + 1])
        rows[int(batch.line[i])] = {
            "rules": batch.rules[batch.rules_id[i]],
            "event_seat": batch.event_seat[events].tolist(),
            "event_code": batch.event_code[events].tolist(),
            "times": batch.times[times].tolist(),
            "extensions": batch.extensions[i] if batch.extensions else None,
            **{name: getattr(batch, name)[i] for name in ("match", "players", "source")},
            **{
                name: getattr(batch, name)[i].tolist()
                for name in (
                    *("seats", "dealer", "score", "turned", "format", "deal", "null_hand", "deal_overflow"),
                    *("claim", "game", "hand", "at"),
                )
            },
        }
    return rows


def check(lines: Sequence[bytes], first_line: int = 1) -> Batch:
    """Compare a batch with its lines read one by one."""
    batch = read_batch(lines, first_line, file="log.jsonl")
    rows, rejects, blank = {}, [], 0
    for number, line in enumerate(lines, first_line):
        text = line.removeprefix(BOM) if number == 1 else line
        if not text.strip():
            blank += 1
            continue
        try:
            rows[number] = row_of(decode_line(line, first=number == 1))
        except NotationError as error:
            rejects.append((number, line, finding_of(error, line, number, "log.jsonl")))
    assert rows_of(batch) == rows
    assert [(reject.line, reject.raw, reject.finding) for reject in batch.rejects] == rejects
    assert batch.blank == blank
    return batch


def test_types_and_shapes() -> None:
    batch = read_batch([GOOD, GOOD])
    kinds = {
        "line": "int64", "rules_id": "int32", "seats": "int8", "dealer": "int8", "score": "int16", "turned": "int8",
        "format": "int8", "deal": "int8", "null_hand": "bool", "deal_overflow": "bool", "event_start": "int64",
        "event_seat": "int8", "event_code": "int32", "claim": "int16", "game": "int32", "hand": "int32", "at": "int64",
        "times_start": "int64", "times": "int32",
    }  # fmt: skip
    assert {name: str(getattr(batch, name).dtype) for name in kinds} == kinds
    shapes = {
        "score": (2, 2),
        "deal": (2, 6, 4),
        "null_hand": (2, 6),
        "claim": (2, 2),
        "event_start": (3,),
        "event_seat": (4,),
    }
    assert {name: getattr(batch, name).shape for name in shapes} == shapes
    assert (batch.rules, batch.extensions, batch.rejects, batch.blank) == ([rules_of("argentino")], None, [], 0)


def test_a_batch_without_lines() -> None:
    for lines in ([], [b""], [b"", b"  \r"], [b"{}"]):
        batch = check(lines)
        assert (len(batch), batch.event_start.tolist(), batch.deal.shape) == (0, [0], (0, 6, 4))


def test_all_cases_at_once() -> None:
    batch = check(LINES)
    assert [(reject.finding.code, reject.finding.event, reject.finding.match) for reject in batch.rejects] == [
        ("UNKNOWN_CARD", "deal", "AR-164")
    ]
    assert len(batch.rules) == len({rules_of(json.loads(line)["rules"]) for line in LINES})


def test_line_numbers_go_on_from_the_first() -> None:
    batch = check([GOOD, b"", b"nonsense", GOOD], first_line=1000)
    assert (batch.line.tolist(), batch.blank, batch.rejects[0].line) == ([1000, 1003], 1, 1002)


def test_byte_order_mark_belongs_to_line_one() -> None:
    assert len(check([BOM + GOOD, GOOD])) == 2
    assert check([BOM, GOOD]).blank == 1
    assert len(check([BOM + GOOD[:-1] + b',"_x":1}'])) == 1
    for lines, first_line in (([GOOD, BOM + GOOD], 1), ([BOM + GOOD, GOOD], 2)):
        batch = check(lines, first_line)
        assert [reject.finding.code for reject in batch.rejects] == ["BAD_JSON"]
        assert len(batch) == 1


def test_findings_say_where() -> None:
    finding = read_batch([GOOD, GOOD.replace(b"1 no-quiero", b"1 no-quero")], file="a.jsonl").rejects[0].finding
    assert (finding.file, finding.line, finding.match, finding.game, finding.hand) == ("a.jsonl", 2, "m", 2, 3)
    assert (finding.event, finding.code, finding.family) == (1, "UNKNOWN_EVENT", "malformed")
    assert str(finding).startswith("a.jsonl, line 2, event 1: $.events[1]: no rule set knows 'no-quero'; did you mean")


BAD = [
    b"", b"{", b"[]", b"null", b"\xff", b"\0", GOOD + b"\0", GOOD + GOOD, GOOD[:-1], GOOD[:-1] + b',"hand":3}',
    GOOD[:-1] + b',"_x":1,"_x":2}', GOOD[:-1] + b',"_x":{"a":1,"a":2}}', GOOD[:-1] + b',"hnd":3}', GOOD[:-1] + b',"_x":\xff}',
    GOOD[:-1] + b',"_x":' + b"[" * 40 + b"]" * 40 + b"}", GOOD[:-1] + b',"_x":"' + b"x" * LINE_LIMIT + b'"}',
    GOOD[:-1] + b',"extensions":{}}', GOOD[:-1] + b',"turned":"7o"}', GOOD[:-1] + b',"format":"redonda"}',
    GOOD[:-1] + b',"times":[1]}', GOOD[:-1] + b',"times":[2,1]}', GOOD[:-1] + b',"_x":1e999}',
    GOOD.replace(b'"v":1', b'"v":2'), GOOD.replace(b'"dealer":1', b'"dealer":2'), GOOD.replace(b'"ben"', b'"ben","cat"'),
    GOOD.replace(b"1 no-quiero", b"1 nonsense"), GOOD.replace(b"1 no-quiero", b"3 no-quiero"), GOOD.replace(b"7c", b"8c"),
    GOOD.replace(b"argentino", b"nowhere"), GOOD.replace(b'"argentino"', b'{"base":"nowhere"}'),
    GOOD.replace(b'"argentino"', b'{"base":"truc","base":"truc"}'), GOOD.replace(b'"argentino"', b'{"base":' * 500 + b"1" + b"}" * 500),
    GOOD.replace(b'"argentino"', b'{"base":"argentino","target":' + b"[" * 990 + b"]" * 990 + b"}"),
    GOOD.replace(b"[4,5]", b"[4,5,6]"), GOOD.replace(b"argentino", b"paulista"),
    GOOD.replace(b"7c 5c", b"7c\\u00015c"),
    GOOD.replace(b"7c 5c", b"7c,5c"), GOOD.replace(b"12e", b"22e"), GOOD.replace(b"12e", b"02e"), GOOD.replace(b"12e", b"??"),
]  # fmt: skip
FINE = [
    GOOD, GOOD + b"\r", b" " + GOOD, GOOD[:-1] + b',"_x":{"a":[{":":1}]}}', GOOD[:-1] + b',"_x":1,"_y":":"}',
    GOOD[:-1] + b',"at":"2026-03-14T21:04:00.123456-03:00"}', GOOD[:-1] + b',"at":"1969-12-31T23:59:59Z","_x":0}',
    GOOD[:-1] + b',"times":[1,1],"source":"a:b"}', GOOD.replace(b'"hand":', b'"hand" :'), GOOD.replace(b'"m"', b'"a\\":b"'),
    GOOD.replace(b'"m"', b'"a :b"'), GOOD.replace(b"1 no-quiero", b"1 No Quiero!"), GOOD.replace(b"7c 5c 12e", b""),
    GOOD.replace(b'"7c 5c 12e"', b"null"), GOOD.replace(b"7c 5c 12e", b"? ? ?"), GOOD.replace(b"7c 5c 12e", b" 7C  5c 12E "),
    GOOD.replace(b"7c 5c 12e", b"1e 2e 3e 4e 5e 6e"), GOOD.replace(b"7c 5c 12e", b"1e 2e 3e ?"), GOOD.replace(b"7c 5c 12e", b"7c"),
    GOOD.replace(b"7c 5c 12e", b"? 1e  2e 3e 4e"), GOOD.replace(b'"argentino"', b'{"base":"argentino","target":15}'),
    GOOD.replace(b"argentino", b"truc"), GOOD.replace(b'"argentino"', b'"paulista","turned":"7o"').replace(b"1 no-quiero", b"1 passo"),
    GOOD.replace(b'"events":["0 envido","1 no-quiero"]', b'"events":[]'), GOOD.replace(b'"game":2,', b""),
    GOOD.replace(b',"points":[1,0]', b""), GOOD.replace(b"1 no-quiero", b"1 show 1e 2e 3e 4e"), GOOD.replace(b"7c 5c", b"7c\\t5c"),
    GOOD.replace(b"7c 5c", b"7c\\n5c"), GOOD.replace(b"7c 5c", b"7c\xc2\xa05c"),
    b'{"v":1,"match":"six","hand":1,"rules":"argentino","players":["a","b","c","d","e","f"],"dealer":5,"score":[0,0],'
    b'"format":"pica-pica","deal":["1e 2e 3e",null,"? ? 4e",null,null,"12c"],"events":["5 cover","3 cover 4e"],"times":[7,9]}',
]  # fmt: skip


@pytest.mark.parametrize("line", FINE)
def test_good_line_alone(line: bytes) -> None:
    assert len(check([line])) == 1


@pytest.mark.parametrize("line", BAD, ids=lambda line: repr(line[-60:]))
def test_bad_line_alone_and_among_good_ones(line: bytes) -> None:
    for lines in ([line], [GOOD, line], [line, GOOD], [GOOD[:-1] + b',"_x":1}', line, line, GOOD]):
        assert len(check(lines)) == len(lines) - lines.count(line)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FINE + BAD), max_size=12), st.sampled_from([1, 7]))
def test_any_mix_of_lines(lines: list[bytes], first_line: int) -> None:
    check(lines, first_line)


def test_more_lines_than_a_block() -> None:
    rng = random.Random(4)
    lines = [rng.choice(FINE) if rng.random() < 0.1 else GOOD for _ in range(1500)]
    lines[700], lines[1400] = BAD[9], BAD[12]
    batch = check(lines)
    assert [reject.line for reject in batch.rejects] == [701, 1401]


def test_damaged_lines() -> None:
    rng = random.Random(5)
    pieces = [
        b'"',
        b":",
        b",",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\\",
        b" ",
        b"null",
        b"1",
        b"-",
        b'"_x":1,',
        b'"v":1,',
        b" :",
        b'":',
        b"\xc3",
    ]
    lines = []
    for _ in range(3000):
        line = bytearray(rng.choice(LINES))
        for _ in range(rng.randint(0, 2)):
            place = rng.randrange(len(line))
            line[place : place + rng.randint(0, 2)] = rng.choice(pieces)
        lines.append(bytes(line))
    for start in range(0, len(lines), 50):
        check(lines[start : start + 50], start + 1)


def test_the_decoder_learns_the_words_of_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder = module._Decoder()
    monkeypatch.setattr(module, "_decoder", lambda: decoder)
    odd = GOOD.replace(b"1 no-quiero", b"1 No Quiero!!!")
    with pytest.raises(msgspec.ValidationError):
        decoder.decode(odd)
    assert len(check([odd, GOOD])) == 2
    assert decoder.decode(odd).events[1] == "1 No Quiero!!!"
    check([odd.replace(b"1 No", b"1 Nonsense")])
    assert "1 Nonsense Quiero!!!" not in decoder.texts
    monkeypatch.setattr(module, "KNOWN_LIMIT", len(decoder.texts))
    check([odd.replace(b"!!!", b"!!")])
    assert "1 No Quiero!!" not in decoder.texts


def test_words_that_depend_on_the_rule_set() -> None:
    brazil = GOOD.replace(b'"argentino"', b'"paulista","turned":"7o"').replace(b"1 no-quiero", b"1 passo")
    river = GOOD.replace(b"1 no-quiero", b"1 passo")
    batch = check([brazil, river, GOOD, brazil])
    codes = [pack(verb) for verb in ("envido", "decline-hand", "envido", "no-quiero", "envido", "decline-hand")]
    assert batch.event_code.tolist() == codes
    assert [reject.line for reject in batch.rejects] == [2]


def test_equal_rule_sets_are_one() -> None:
    batch = check([GOOD, GOOD.replace(b'"argentino"', b'{"base":"argentino"}'), GOOD.replace(b"argentino", b"truc")])
    assert (len(batch.rules), batch.rules_id.tolist()) == (2, [0, 0, 1])


def test_every_card_is_read() -> None:
    hands = [f"{card} {CARDS[i - 1]} ?" for i, card in enumerate(CARDS)]
    batch = read_batch([GOOD.replace(b"7c 5c 12e", hand.encode()) for hand in hands])
    assert batch.deal[:, 0].tolist() == [[i, (i - 1) % 40, NO_CARD, -1] for i in range(40)]


def test_the_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    read_batch([GOOD, b"{"])
    assert gc.isenabled()
    gc.disable()
    try:
        read_batch([GOOD])
        assert not gc.isenabled()
    finally:
        gc.enable()
