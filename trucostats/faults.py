"""Faults for test logs: good lines in, the same lines out, some of them spoilt in a known way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, Final

from trucostats.record import from_json, to_json
from trucostats.vocab import CARD_INDEX, CARDS


def _broken(line: bytes, rng: Random) -> list[bytes]:
    return [line[: rng.randrange(1, len(line) - 1)]]


def _not_utf8(line: bytes, rng: Random) -> list[bytes]:
    at = line.index(b'"players":["') + len(b'"players":["')
    return [line[:at] + b"\xff" + line[at:]]


def _key_twice(line: bytes, rng: Random) -> list[bytes]:
    return [line[:-1] + b',"dealer":0}']


def _changed(change: Callable[[dict[str, Any], Random], None]) -> Callable[[bytes, Random], list[bytes]]:
    def spoil(line: bytes, rng: Random) -> list[bytes]:
        record = from_json(line)
        change(record, rng)
        return [to_json(record)]

    return spoil


def _unknown_field(record: dict[str, Any], rng: Random) -> None:
    record["dealler"] = record.pop("dealer")


def _missing_field(record: dict[str, Any], rng: Random) -> None:
    del record[rng.choice(("match", "hand", "players", "dealer", "score", "deal", "events"))]


def _wrong_type(record: dict[str, Any], rng: Random) -> None:
    record[rng.choice(("hand", "dealer"))] = "1"


def _unknown_rules(record: dict[str, Any], rng: Random) -> None:
    record["rules"] = "truco-ciego"


def _unknown_card(record: dict[str, Any], rng: Random) -> None:
    record["deal"][0] = "8e " + (record["deal"][0] or "? ? ?").partition(" ")[2]


def _unknown_event(record: dict[str, Any], rng: Random) -> None:
    events = record["events"]
    place = rng.randrange(len(events) + 1)
    events.insert(place, "0 trucazo")


def _unknown_seat(record: dict[str, Any], rng: Random) -> None:
    record["events"].append(f"{len(record['players'])} quiero")


def _card_twice(record: dict[str, Any], rng: Random) -> None:
    first, second = (hand.split() if hand else ["?"] * 3 for hand in record["deal"][:2])
    named = [card for card in first if card != "?"] or ["7c"]
    first[0] = named[0]
    second[0] = first[0]
    record["deal"][:2] = [" ".join(first), " ".join(second)]


def _card_not_held(record: dict[str, Any], rng: Random) -> None:
    dealt = {card for hand in record["deal"] for card in (hand or "").split()} | {record.get("turned", "")}
    # A turned card is certainly nobody's; a card that is nowhere might be one of the unknown ones.
    nowhere = record.get("turned") or rng.choice([card for card in CARDS if card not in dealt])
    for place, text in enumerate(record["events"]):
        seat, _, what = text.partition(" ")
        if what in CARD_INDEX:
            record["events"][place] = f"{seat} {nowhere}"
            return
    record["events"].insert(0, f"{(record['dealer'] + 1) % len(record['players'])} {nowhere}")


def _nothing_to_answer(record: dict[str, Any], rng: Random) -> None:
    record["events"].insert(0, f"{rng.randrange(len(record['players']))} quiero")


def _foreign_word(record: dict[str, Any], rng: Random) -> None:
    rules = record["rules"]
    word = "doze" if "truc" in (rules, rules["base"] if isinstance(rules, dict) else None) else "truc"
    record["events"].insert(0, f"{(record['dealer'] + 1) % len(record['players'])} {word}")


def _after_the_end(record: dict[str, Any], rng: Random) -> None:
    record["events"].append(f"{rng.randrange(len(record['players']))} mazo")


def _wrong_claim(record: dict[str, Any], rng: Random) -> None:
    record["points"][rng.randrange(2)] += 1


def _wrong_score(record: dict[str, Any], rng: Random) -> None:
    side = rng.randrange(2)
    record["score"][side] += -1 if record["score"][side] else 1


def _other_players(record: dict[str, Any], rng: Random) -> None:
    record["players"][rng.randrange(len(record["players"]))] += "?"


def _repeated(line: bytes, rng: Random) -> list[bytes]:
    return [line, line]


def _conflict(line: bytes, rng: Random) -> list[bytes]:
    record = from_json(line)
    _wrong_claim(record, rng)
    return [line, to_json(record)]


def _lost(line: bytes, rng: Random) -> list[bytes]:
    return []


# Named by the finding that a reader makes of it in a fully known hand with nothing to decide first.
FAULTS: Final[dict[str, Callable[[bytes, Random], list[bytes]]]] = {
    "BAD_JSON": _broken,
    "BAD_UTF8": _not_utf8,
    "DUPLICATE_KEY": _key_twice,
    "UNKNOWN_FIELD": _changed(_unknown_field),
    "MISSING_FIELD": _changed(_missing_field),
    "WRONG_TYPE": _changed(_wrong_type),
    "UNKNOWN_RULES": _changed(_unknown_rules),
    "UNKNOWN_CARD": _changed(_unknown_card),
    "UNKNOWN_EVENT": _changed(_unknown_event),
    "UNKNOWN_SEAT": _changed(_unknown_seat),
    "DUPLICATE_CARD": _changed(_card_twice),
    "CARD_NOT_HELD": _changed(_card_not_held),
    "NOTHING_PENDING": _changed(_nothing_to_answer),
    "UNKNOWN_CALL": _changed(_foreign_word),
    "HAND_OVER": _changed(_after_the_end),
    "POINTS_DIFFER": _changed(_wrong_claim),
    "SCORE_NOT_CARRIED": _changed(_wrong_score),
    "PLAYERS_CHANGED": _changed(_other_players),
    "HAND_REPEATED": _repeated,
    "HAND_CONFLICT": _conflict,
    "HAND_GAP": _lost,
}


def faulty(
    lines: Iterable[bytes], rate: float, seed: int = 0, kinds: Iterable[str] = tuple(FAULTS)
) -> Iterator[tuple[bytes, str | None]]:
    """Yield lines, a share `rate` of them spoilt, each with the name of its fault (see `FAULTS`) or None.

    Every kind is as likely. A lost line (`HAND_GAP`) leaves no trace of its own; a repeated one is yielded twice, the second
    time with its fault. The same seed spoils the same lines in the same way.

    >>> good = b'{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],"deal":[null,null],"events":[]}'
    >>> [(line[-9:], fault) for line, fault in faulty([good], 1.0, kinds=["UNKNOWN_SEAT"])]
    [(b'quiero"]}', 'UNKNOWN_SEAT')]
    """
    rng = Random(f"{seed}/faults")
    chosen = list(kinds)
    for line in lines:
        if rng.random() >= rate:
            yield line, None
            continue
        kind = rng.choice(chosen)
        spoilt = FAULTS[kind](line, rng)
        for place, text in enumerate(spoilt):
            yield text, kind if place == len(spoilt) - 1 else None
