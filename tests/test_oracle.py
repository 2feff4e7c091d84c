"""The oracle against the cases with expected results, and perft numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import oracle
import pytest

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
