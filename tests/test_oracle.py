"""The oracle against the cases with expected results, and perft numbers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import oracle
import pytest
from cases.other_readings import READINGS
from oracle_rules import DECK, ENVIDOS, FLORES, IDS, PLAIN, RAISES, RULE_SETS, rules_of
from random_hands import random_options, random_record

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
        ({"accept_by_play": True, "truco_timing": "any_time"}, FOUR, ["1 truco", "1 3b"], "BET_PENDING"),
        ({"accept_by_play": True, "truco_timing": "turn_any"}, FOUR, ["0 7c", "0 truco", "0 5c"], "BET_PENDING"),
        (
            {"accept_by_play": True, "commit": True},
            FOUR,
            ["0 truco 5c", "0 7c", "1 quiero", "1 3b", "2 4e", "3 10c", "1 12o", "2 5e", "3 11c", "0 12e"],
            "COMMITTED_CARD",
        ),
    ],
)
def test_option(options: dict[str, Any], hands: tuple[str, ...], events: list[str], reason: str | None) -> None:
    found = oracle.replay(deal({"base": "argentino", **options}, *hands, events=tuple(events)))
    assert found["reason"] == reason
    if reason:
        assert found["illegal_at"] == len(events) - 1


EQUAL_PARTNERS = ("3c 1e 5e", "4c 5c 6c", "3o 1b 6e", "4b 5b 6b")
SHARED_TRICK = ["0 3c", "1 4c", "2 3o", "3 4b"]
ONE_EACH = ("3c 4e 2o", "4c 3e 2b")
ONE_EACH_EVENTS = ["0 3c", "1 4c", "0 4e", "1 3e", "1 2b", "0 2o"]
ALL_EQUAL = ("3c 2e 1o", "3o 2b 1c")
ALL_EQUAL_EVENTS = ["0 3c", "1 3o", "0 2e", "1 2b", "0 1o", "1 1c"]
BETTER_LAST = ("4c 3e 2e", "5c 1e 6e")
AL_RESTO = ["0 flor", "1 contraflor-al-resto", "0 quiero"]
AL_RESTO_OF_FOUR = ("4c 5c 1c", "7o 6o 10o", "4e 5e 6e", "1b 2b 3o")
SPECIAL = {"at": 10, "scope": "eq", "value": 3, "pass_value": 1, "on_bet": "illegal"}


def in_truco(ours: int, theirs: int) -> dict[str, Any]:
    """Points of a hand without envido and flor."""
    return {"points": {"envido": [0, 0], "flor": [0, 0], "truco": [ours, theirs], "other": [0, 0]}}


def in_flor(ours: int, theirs: int) -> dict[str, Any]:
    """Points of a hand that has come to a flor only."""
    return {"points": {"envido": [0, 0], "flor": [ours, theirs], "truco": [0, 0], "other": [0, 0]}}


@pytest.mark.parametrize(
    ("options", "hands", "events", "score", "expect"),
    [
        ({}, EQUAL_PARTNERS, SHARED_TRICK, [0, 0], {"turn": 0}),
        ({"partner_lead": "last"}, EQUAL_PARTNERS, SHARED_TRICK, [0, 0], {"turn": 2, "leaders": [0, 2]}),
        # A trick that two sides share is tied: partner_lead has no say in it.
        ({"partner_lead": "last"}, ALL_EQUAL, ALL_EQUAL_EVENTS[:2], [0, 0], {"turn": 0}),
        ({}, ONE_EACH, ONE_EACH_EVENTS, [0, 0], in_truco(1, 0) | {"hand_winner": 0}),
        (
            {"third_tied": "void"},
            ONE_EACH,
            ONE_EACH_EVENTS,
            [0, 0],
            in_truco(0, 0) | {"hand_winner": None, "status": "complete", "void": False, "next_dealer": 0},
        ),
        # The second trick tied: the first decides, whatever the third would be.
        ({"third_tied": "void"}, ("3c 2e 1o", "4c 2b 1c"), ["0 3c", "1 4c", "0 2e", "1 2b"], [0, 0], in_truco(1, 0)),
        ({"third_tied": "void"}, ALL_EQUAL, ALL_EQUAL_EVENTS, [0, 0], in_truco(1, 0)),
        ({"all_tied": "non_dealer"}, ALL_EQUAL, ALL_EQUAL_EVENTS, [0, 0], in_truco(1, 0)),
        ({"all_tied": "void"}, ALL_EQUAL, ALL_EQUAL_EVENTS, [0, 0], in_truco(0, 0)),
        ({}, FOUR, ["3 mazo"], [0, 0], {"reason": "NOT_YOUR_TURN"}),
        ({"mazo_timing": "any_time"}, FOUR, ["3 mazo", "0 7c", "1 3b", "2 4e"], [0, 0], {"tricks": [1], "turn": 1}),
        ({"mazo_timing": "any_time"}, FOUR, ["3 mazo", "1 mazo"], [0, 0], in_truco(1, 0)),
        ({"mazo_timing": "any_time"}, FOUR, ["3 mazo", "3 mazo"], [0, 0], {"reason": "FOLDED"}),
        ({"mazo_timing": "any_time"}, FOUR, ["0 truco", "2 mazo"], [0, 0], {"reason": "BET_PENDING"}),
        # The card of a player who has folded still wins; the next seat still in leads.
        (
            {"mazo_timing": "any_time"},
            FOUR,
            ["0 7c", "1 3b", "1 mazo", "2 4e", "3 10c"],
            [0, 0],
            {"tricks": [1], "leaders": [0, 2], "turn": 2},
        ),
        ({"special_hand": SPECIAL}, BETTER_LAST, ["0 mazo"], [10, 10], in_truco(0, 1) | {"game_winner": 1}),
        (
            {"special_hand": SPECIAL, "both_special_value": "special_value"},
            BETTER_LAST,
            ["0 4c", "1 5c", "1 6e", "0 mazo"],
            [10, 10],
            in_truco(0, 3) | {"score_after": [10, 13], "game_winner": 1},
        ),
        # With one side on the special score the option says nothing.
        (
            {"special_hand": {**SPECIAL, "value": 2}, "both_special_value": "special_value"},
            BETTER_LAST,
            ["0 accept-hand"],
            [10, 9],
            {"stake": 2},
        ),
        ({"covered_from": 2}, ALL_EQUAL, ["0 3c", "1 3o", "0 cover 2e"], [0, 0], {"reason": None, "turn": 1}),
        (
            {"covered_from": 2, "cover_after_tie": False},
            ALL_EQUAL,
            ["0 3c", "1 3o", "0 cover 2e"],
            [0, 0],
            {"reason": "COVER_NOT_ALLOWED"},
        ),
        (
            {"covered_from": 2, "cover_after_tie": False},
            ONE_EACH,
            ["0 3c", "1 4c", "0 cover 4e"],
            [0, 0],
            {"reason": None},
        ),
        ({"flor": True}, BOTH_FLOR, AL_RESTO, [0, 20], in_flor(0, 10)),
        ({"flor": True, "resto_adds_flores": True}, BOTH_FLOR, AL_RESTO, [0, 20], in_flor(0, 16)),
        (
            {"flor": True, "resto_adds_flores": True},
            AL_RESTO_OF_FOUR,
            ["0 flor", "1 flor", "2 flor", "1 contraflor-al-resto", "0 quiero"],
            [0, 20],
            in_flor(19, 0) | {"score_after": [19, 20]},
        ),
        ({"flor": True, "resto_adds_flores": True}, BOTH_FLOR, [*AL_RESTO[:2], "0 no-quiero"], [0, 20], in_flor(0, 4)),
        (
            {"flor": True, "resto_adds_flores": True, "score_cap": True},
            BOTH_FLOR,
            AL_RESTO,
            [0, 20],
            in_flor(0, 10) | {"score_after": [0, 30], "game_winner": 1},
        ),
        (
            {"score_cap": True},
            DUEL,
            ["0 truco", "1 retruco", "0 no-quiero"],
            [5, 29],
            in_truco(0, 1) | {"score_after": [5, 30], "game_winner": 1},
        ),
        (
            {"score_cap": True, "proof": "forfeit", "score_timing": "end_of_hand"},
            DUEL,
            ["0 envido", "1 quiero", "0 mazo"],
            [3, 29],
            {"warnings": ["MISSING_PROOF"], "score_after": [3, 30], "game_winner": 1},
        ),
        (
            {"truco_timing": "turn_any", "after_card_window": "until_trick_ends"},
            FOUR,
            ["0 7c", "0 truco"],
            [0, 0],
            {"reason": None, "pending": "truco"},
        ),
        (
            {"truco_timing": "turn_any", "after_card_window": "until_trick_ends"},
            FOUR,
            ["0 7c", "1 3b", "0 truco"],
            [0, 0],
            {"reason": "NOT_YOUR_TURN"},
        ),
        ({"truco_timing": "turn_any"}, FOUR, ["0 7c", "1 3b", "2 4e", "3 10c", "3 truco"], [0, 0], {"reason": None}),
        (
            {"truco_timing": "turn_any", "after_card_window": "until_trick_ends"},
            FOUR,
            ["0 7c", "1 3b", "2 4e", "3 10c", "3 truco"],
            [0, 0],
            {"reason": "NOT_YOUR_TURN"},
        ),
        (
            {"truco_timing": "turn_any", "after_card_window": "until_trick_ends"},
            FOUR,
            ["0 7c", "1 3b", "2 4e", "3 10c", "1 truco"],
            [0, 0],
            {"reason": None},
        ),
    ],
)
def test_other_reading(
    options: dict[str, Any], hands: tuple[str, ...], events: list[str], score: list[int], expect: dict[str, Any]
) -> None:
    rules = {"base": "argentino", **options}
    found = oracle.replay(deal(rules, *hands, events=tuple(events), score=score))
    assert {key: found[key] for key in expect} == expect


@pytest.mark.parametrize(
    ("all_tied", "winners"), [("mano", [0, 1, 0]), ("non_dealer", [0, 0, 0]), ("void", [None] * 3)]
)
def test_all_tied_in_duels(all_tied: str, winners: list[int | None]) -> None:
    hands = ("3c 2e 1o", "12c 11c 10c", "4c 5c 6c", "3o 2b 1c", "12o 11o 10o", "4o 5o 6o")
    events = []
    for one, two in ((0, 3), (1, 4), (2, 5)):
        for mine, other in zip(hands[one].split(), hands[two].split(), strict=True):
            events += [f"{one} {mine}", f"{two} {other}"]
    record = deal({"base": "argentino", "all_tied": all_tied}, *hands, events=tuple(events), format="pica-pica")
    assert oracle.replay(record)["hand_winner"] == winners


@pytest.mark.parametrize(("case", "options", "expect"), READINGS)
def test_reading_of_a_case(case: str, options: dict[str, Any], expect: dict[str, Any]) -> None:
    record = next(known["record"] for known in read("hand_cases.jsonl") if known["id"] == case)
    base = {"base": record["rules"]} if isinstance(record["rules"], str) else record["rules"]
    found = oracle.replay({**record, "rules": {**base, **options}})
    assert {key: found[key] for key in expect} == expect


def test_random_options_fit_the_table() -> None:
    rng = random.Random(3)
    for name in IDS:
        for players in RULE_SETS[name]["players"]:
            for _ in range(300):
                rules = rules_of(random_options(rng, name, players))
                assert players in rules["players"]
                assert rules["special_hand"] is None or rules["special_hand"]["at"] >= 1


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
