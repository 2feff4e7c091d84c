"""The oracle against the cases with expected results, and perft numbers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import oracle
import pytest
from oracle_rules import DECK, ENVIDOS, FLORES, IDS, PLAIN, RAISES, RULE_SETS, rules_of
from random_hands import random_record

CASES = Path(__file__).parent / "cases"


def read(name: str) -> list[dict[str, Any]]:
    """The cases of a file."""
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines() if line]


def named(cases: list[dict[str, Any]]) -> list[Any]:
    """Cases as parameters named by their id."""
    return [pytest.param(case, id=case["id"]) for case in cases]


@pytest.mark.parametrize("case", named(read("hand_cases.jsonl")))
def test_hand(case: dict[str, Any]) -> None:
    found = oracle.replay(case["record"])
    assert {key: found[key] for key in case["expect"]} == case["expect"]


@pytest.mark.parametrize("case", named(read("match_cases.jsonl")))
def test_match(case: dict[str, Any]) -> None:
    expect = case["expect"]
    if "next_format" in expect:
        assert oracle.next_format(case["rules"], case["score"], case["previous_format"]) == expect["next_format"]
    else:
        assert oracle.match_winner(case["series"], case["games"]) == expect["match_winner"]
        assert len(case["games"]) == expect["games"]


@pytest.mark.parametrize("case", named(read("hand_cases.jsonl")))
def test_events_of_a_case_are_among_the_legal_ones(case: dict[str, Any]) -> None:
    record, expect = case["record"], case["expect"]
    if expect["illegal_at"] == "deal":
        assert oracle.legal(record) == []
        return
    for index, text in enumerate(record["events"]):
        if " show " in text:
            continue
        listed = text in oracle.legal({**record, "events": record["events"][:index]})
        assert listed == (index != expect["illegal_at"])
        if index == expect["illegal_at"]:
            break


def deal(rules: Any, *hands: str | None, events: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """A record with the usual seats."""
    n = len(hands)
    return {
        "v": 1,
        "match": "test",
        "hand": 1,
        "rules": rules,
        "players": [f"p{seat}" for seat in range(n)],
        "dealer": n - 1,
        "score": [0, 0],
        "deal": list(hands),
        "events": list(events),
        **more,
    }


DUEL = ("1e 3c 11o", "7e 2b 10c")
TRUCO = {"truco", "retruco", "vale-cuatro", "quiero", "no-quiero"}


@pytest.mark.parametrize(("depth", "nodes"), [(1, 3), (2, 9), (3, 18), (4, 36), (None, 36)])
def test_perft_cards(depth: int | None, nodes: int) -> None:
    assert oracle.perft(deal("argentino", *DUEL), depth, with_mazo=False, words=set()) == nodes


@pytest.mark.parametrize(("depth", "nodes"), [(1, 4), (2, 15), (3, 42), (4, 117), (5, 225), (None, 2441)])
def test_perft_truco(depth: int | None, nodes: int) -> None:
    assert oracle.perft(deal("argentino", *DUEL), depth, with_mazo=False, words=TRUCO) == nodes


@pytest.mark.parametrize(("depth", "nodes"), [(1, 7), (2, 37), (3, 113), (4, 342)])
def test_perft_envido(depth: int, nodes: int) -> None:
    assert oracle.perft(deal("argentino", *DUEL), depth, with_mazo=False) == nodes


@pytest.mark.parametrize(("depth", "nodes"), [(1, 8), (2, 44), (3, 148), (4, 445)])
def test_perft_mazo(depth: int, nodes: int) -> None:
    assert oracle.perft(deal("argentino", *DUEL), depth) == nodes


@pytest.mark.parametrize(("depth", "nodes"), [(1, 7), (2, 37), (3, 117), (4, 380)])
def test_perft_hand_alone(depth: int, nodes: int) -> None:
    record = deal("argentino", *DUEL)
    assert oracle.perft(record, depth, with_mazo=False, stop_at_game_over=False) == nodes


@pytest.mark.parametrize(
    ("falta", "at_14", "at_15"),
    [
        ("leader_to_target", 16, 15),
        ("win_game", 27, 27),
        ("malas_game", 27, 15),
        ("half_then_target", 1, 15),
        ("winner_to_half", 12, 15),
    ],
)
def test_falta_worked_values(falta: str, at_14: int, at_15: int) -> None:
    for rival, points in ((14, at_14), (15, at_15)):
        record = deal({"base": "argentino", "falta": falta}, "7c 6c 12e", "7o 4o 12b", score=[3, rival])
        record["events"] = ["0 falta-envido", "1 quiero"]
        assert oracle.replay(record)["points"]["envido"] == [points, 0]


FOUR = ("7c 5c 12e", "12o 11o 3b", "4e 5e 6b", "10c 11c 2b")
BOTH_FLOR = ("4c 5c 1c", "7o 6o 10o")


@pytest.mark.parametrize(
    ("options", "hands", "events", "reason"),
    [
        ({"reply_by": "pie"}, FOUR, ["0 truco", "1 quiero"], "NOT_YOUR_TURN"),
        ({"reply_by": "pie"}, FOUR, ["0 truco", "3 quiero"], None),
        ({"reply_by": "next_player"}, FOUR, ["0 truco", "3 quiero"], "NOT_YOUR_TURN"),
        ({"reply_by": "next_player"}, FOUR, ["0 truco", "3 mazo"], None),
        ({"refusal": "all_partners"}, FOUR, ["0 truco", "1 no-quiero", "1 no-quiero"], "NOT_YOUR_TURN"),
        ({"refusal": "all_partners"}, FOUR, ["0 truco", "1 no-quiero", "3 no-quiero", "0 7c"], "HAND_OVER"),
        ({"refusal": "all_partners"}, FOUR, ["0 truco", "1 no-quiero", "3 quiero", "0 7c"], None),
        ({"envido_caller": "pie"}, FOUR, ["0 envido"], "NOT_PIE"),
        ({"mazo_envido": "forbidden"}, FOUR, ["0 envido", "1 mazo"], "BET_PENDING"),
        ({"mazo_scope": "team"}, FOUR, ["0 mazo", "1 3b"], "HAND_OVER"),
        ({}, FOUR, ["0 mazo", "0 7c"], "FOLDED"),
        ({}, FOUR, ["0 7c", "1 3b", "2 4e", "3 truco", "0 envido"], "ENVIDO_AFTER_CARD"),
        ({"allow_self_raise": True}, FOUR, ["0 envido", "0 real-envido"], None),
        ({"max_envido": 1}, FOUR, ["0 envido", "1 envido"], "LADDER_ORDER"),
        ({"real_once": False}, FOUR, ["0 real-envido", "1 real-envido"], None),
        ({"commit": True}, FOUR, ["0 truco 7c", "1 retruco", "0 vale-cuatro 5c"], "COMMITTED_CARD"),
        ({}, FOUR, ["0 truco 7c"], "UNKNOWN_CALL"),
        ({"covered_from": 1, "covered_by": "leader_only"}, FOUR, ["0 7c", "1 cover 3b"], "COVER_NOT_ALLOWED"),
        ({"flor": True}, BOTH_FLOR, ["0 flor", "1 contraflor", "0 contraflor"], "LADDER_ORDER"),
        ({"flor": True}, BOTH_FLOR, ["0 flor", "0 flor"], "FLOR_DUPLICATE"),
        ({"flor": True}, BOTH_FLOR, ["0 truco", "1 retruco", "0 flor"], "BET_PENDING"),
        ({"flor": True}, BOTH_FLOR, ["0 truco", "1 flor", "0 contraflor", "1 quiero", "1 quiero"], None),
        ({"flor": True}, BOTH_FLOR, ["1 flor"], "NOT_YOUR_TURN"),
        ({"truco_timing": "turn_any"}, FOUR, ["0 7c", "1 3b", "0 truco"], "NOT_YOUR_TURN"),
        (
            {"truco_timing": "turn_any", "after_card_window": "while_trick_open"},
            FOUR,
            ["0 7c", "1 3b", "0 truco"],
            None,
        ),
        ({"accept_by_play": True}, FOUR, ["0 truco", "0 7c", "1 3b", "1 retruco"], "NOT_YOUR_TURN"),
        ({"accept_by_play": True, "caller_may_play": False}, FOUR, ["0 truco", "0 7c"], "BET_PENDING"),
    ],
)
def test_option(options: dict[str, Any], hands: tuple[str, ...], events: list[str], reason: str | None) -> None:
    found = oracle.replay(deal({"base": "argentino", **options}, *hands, events=tuple(events)))
    assert found["reason"] == reason
    if reason:
        assert found["illegal_at"] == len(events) - 1


@pytest.mark.parametrize(
    ("events", "at", "reason"),
    [
        (["0 8e"], 0, "UNKNOWN_CARD"),
        (["0 1e", "1 jump"], 1, "UNKNOWN_EVENT"),
        (["2 1e"], 0, "UNKNOWN_SEAT"),
    ],
)
def test_malformed(events: list[str], at: int, reason: str) -> None:
    found = oracle.replay(deal("argentino", *DUEL, events=tuple(events)))
    assert (found["status"], found["illegal_at"], found["reason"]) == ("malformed", at, reason)


def test_an_unknown_hand_leaves_the_envido_open() -> None:
    record = deal("argentino", "7c 5c 12e", None, events=("0 envido", "1 quiero", "0 12e"))
    found = oracle.replay(record)
    assert found["points"] == {"envido": None, "flor": [0, 0], "truco": [0, 0], "other": [0, 0]}
    assert found["score_after"] is None
    spoken = oracle.replay({**record, "events": ["0 envido", "1 quiero", "0 32", "1 33"]})
    assert spoken["points"]["envido"] == [0, 2]
    assert "1 33" in oracle.legal({**record, "events": ["0 envido", "1 quiero", "0 32"]})


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("name", IDS)
def test_listed_events_are_the_accepted_ones(name: str, partial: bool) -> None:
    rng = random.Random(f"{name} {partial}")
    for players in RULE_SETS[name]["players"]:
        for _ in range(4):
            record = random_record(rng, name, players, partial)
            record["events"] = record["events"][: rng.randint(0, len(record["events"]))]
            before = oracle.replay(record)
            if not before["legal"]:
                continue
            words = [*RAISES, *ENVIDOS, *FLORES, *PLAIN, *DECK, *map(str, range(48))]
            words += [f"cover {card}" for card in DECK]
            if rules_of(record["rules"])["commit"]:
                words += [f"{word} {card}" for word in RAISES for card in DECK]
            tried = [f"{seat} {word}" for seat in range(players) for word in words]
            accepted = [
                text for text in tried if oracle.replay({**record, "events": [*record["events"], text]})["legal"]
            ]
            assert [text for text in oracle.legal(record) if not text.endswith("cover")] == sorted(accepted)


def test_random_records_repeat_with_their_seed() -> None:
    once, twice = ([random_record(random.Random(7), "gaucho", 4, True) for _ in range(3)] for _ in range(2))
    assert once == twice
