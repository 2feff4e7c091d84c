"""The benchmarks run and say what they compare; how fast anything is, is no test."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trucostats.chance import seeded
from trucostats.hand import Hand
from trucostats.policies import POLICIES
from trucostats.rules import NAMES, rules_of
from trucostats.simulate import simulate
from trucostats.solver.growth import (
    BETS,
    CARDS,
    DECISION_NODE,
    FOLD,
    KIND,
    LAST_CARD,
    LAST_STORE,
    LEFT_0,
    NO_CALL,
    PLAYER,
    STORE,
    TEMPLATE,
)
from trucostats.solver.solve import solver_of
from trucostats.solver.walk import RESPOND

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module


def test_a_row_is_judged_by_its_ratio(load: Callable[[str], Any], tmp_path: Path) -> None:
    report = load("report")
    rows = [
        report.Row("ingest", 4.0, 1.0, "s", "<= 5", "decode"),
        report.Row("replay", 90.0, 1.0, "hands/s", ">= 100", "other"),
        report.Row("first use", 20.0, None),
    ]
    assert [row.ok for row in rows] == [True, False, None]
    table = report.show(rows).splitlines()
    assert table[1].split() == ["ingest", "4.00", "1.00", "s", "4.00", "<=", "5", "yes", "decode"]
    assert "NO" in table[2]
    report.save(rows, tmp_path / "out" / "bench.json")
    saved = json.loads((tmp_path / "out" / "bench.json").read_text("utf-8"))
    assert [set(row) for row in saved["rows"]] == [
        {"name", "value", "reference", "unit", "ratio", "target", "ok", "against"}
    ] * 3
    assert {"python", "cores", "duckdb"} <= set(saved["machine"])


def test_both_sides_of_the_replay_are_replayed(load: Callable[[str], Any]) -> None:
    bench = load("bench_replay")
    files = bench.poker_hands(3)
    assert all(file.startswith(b"variant = 'NT'") for file in files)
    assert bench.replay_poker(files) > 3 * 5
    lines = list(simulate("argentino", hands=20, seed=1))
    assert bench.replay_truco(lines) == sum(len(json.loads(line)["events"]) for line in lines)


def test_a_statistic_is_compared_with_a_scan(load: Callable[[str], Any], tmp_path: Path) -> None:
    load("synthetic_tables").write_dataset(tmp_path, 200)
    (row,) = load("bench_queries").measure(tmp_path, ["hand_win"])
    assert row.name == "statistic hand_win"
    assert row.ratio > 0


def test_every_rule_set_is_compared_with_argentino(load: Callable[[str], Any], tmp_path: Path) -> None:
    bench = load("bench_rules")
    tables = bench.logs(tmp_path, 12)
    assert {(log.rules, log.players) for log in tables} == {
        *((name, min(rules_of(name).players)) for name in NAMES), ("argentino", 4)
    }  # fmt: skip
    assert all(log.hands == len(log.path.read_bytes().splitlines()) == 12 for log in tables)
    lines = tables[0].path.read_bytes().splitlines()
    assert tables[0].events == sum(len(json.loads(line)["events"]) for line in lines)
    assert bench.processor_seconds(tables[0]) > 0


def test_the_run_imports_every_part(load: Callable[[str], Any]) -> None:
    assert {path.stem for path in FOLDER.glob("bench_*.py")} <= {
        name for name in vars(load("run")) if name.startswith("bench_")
    }


def test_the_bank_has_its_spots_and_the_advice_on_one_is_among_its_options(load: Callable[[str], Any]) -> None:
    bench = load("advisor_bank")
    spots = bench.read()
    assert len(spots) == 2000
    assert {spot["kind"] for spot in spots} == {"truco", "retruco", "vale-cuatro", "raise", "card"}
    assert all(len(spot["values"]) > 1 and spot["error"] <= 1e-3 for spot in spots)
    answers = [spot for spot in spots if spot["kind"] in bench.TAKE]
    assert all({"quiero", "no-quiero"} <= set(spot["values"]) for spot in answers)
    never = bench.simple(answers)["never"]
    assert min(map(never, answers)) == 0 < max(map(never, answers))
    spot = next(spot for spot in spots if spot["stage"] == "trick 2" and spot["kind"] == "truco")
    advice = bench.advise(spot)
    assert advice["action"] in spot["values"]
    assert advice["loss"] >= 0
    assert bench.interval([1.0, 3.0])[:2] == (2, 2.0)


def test_truco_without_calls_is_won_by_the_better_cards(load: Callable[[str], Any]) -> None:
    prior = load("prior").Prior(iterations=2)
    deck = prior.solver.deck
    best, worst = deck.index([13, 12, 11]), deck.index([0, 0, 0])
    assert prior.win(0, 0, best) > 0.99
    assert prior.win(0, 1, worst) < 0.01
    assert prior.win(prior.after([0, 13]), 1, deck.index([12, 11])) == 1.0


def test_a_match_is_won_hand_by_hand(load: Callable[[str], Any]) -> None:
    bench = load("head_to_head")
    assert len(set(bench.wide())) >= 20
    even = np.array([0.5, 0.5]), np.array([[1, 0], [0, 1]])
    always = np.array([1.0]), np.array([[2, 0]])
    assert bench.match_chance(even, even, 4) == pytest.approx(0.5)
    assert bench.match_chance(even, always, 3) > 0.9
    assert bench.match_chance(always, always, 30) == 1.0


def test_the_take_point_is_where_accepting_begins_to_pay(load: Callable[[str], Any]) -> None:
    bench = load("take_points")
    chance = np.linspace(0, 1, 101)
    more = 4 * (chance - 0.25)
    point, lost = bench.threshold(np.ones(101), chance, more)
    assert point == pytest.approx(0.25, abs=0.011)
    assert lost == pytest.approx(0.0, abs=1e-9)
    assert bench.loss_at(0.5, np.ones(101), chance, more) > 0


def test_a_hand_that_was_played_becomes_truco_alone(load: Callable[[str], Any]) -> None:
    bench = load("calibration")
    record = {
        "dealer": 0, "deal": ["3e 2c 7c", "11c 10e 4b"],
        "events": ["1 envido", "0 quiero", "1 1", "0 27", "1 11c", "0 truco", "1 quiero", "0 3e", "0 mazo"],
    }  # fmt: skip
    events, deal = bench.truco_alone(record)
    assert events == ["0 11c", "1 truco", "0 quiero", "1 3e"]
    assert deal == ["11c 10e 4b", "3e 2c 7c"]
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0] * 20)
    fitted = bench.logistic(x[:, None], (x > 0).astype(float))
    low, high = fitted(np.array([[-2.0], [2.0]]))
    assert low < 0.2
    assert high > 0.8


def test_the_more_iterations_the_nearer_the_equilibrium(load: Callable[[str], Any]) -> None:
    bench = load("solver_speed")
    looks = bench.curve(bench.SPOTS["trick 2"][0], 1.0, 200)
    assert looks[-1]["iterations"] == 200
    assert looks[-1]["exploitability"] < looks[0]["exploitability"]


def test_a_deal_is_played_from_both_seats(load: Callable[[str], Any]) -> None:
    bench = load("duplicate")
    deal = "1e 7o 3c", "4b 5c 6o"
    strong, weak = (
        bench.play(deal, me, bench.Rival(list(POLICIES).index("cards"), seeded("duplicate"))) for me in (0, 1)
    )
    assert strong[0] >= 2  # it calls, and this rival accepts every call
    assert -2 <= weak[0] < 0
    said = Hand.deal("argentino", ("7c 6c 3c", "2e 4o 5e")).play("0 envido", "1 quiero", "0 33")
    assert (bench.number_or_concession(said, 1), bench.number_or_concession(said, 0)) == ("son-buenas", "33")


def test_team_advice_is_compared_with_what_happened(load: Callable[[str], Any]) -> None:
    bench = load("teams_calibration")
    found = list(bench.cases(4, 1, 1, ["plain"] * 4, 4, "plain"))
    assert {tuple(case.predicted) for case in found} == {("advice", "blind", "partner open")}
    assert all(0 <= chance <= 1 for case in found for chance in case.predicted.values())
    assert {case.won for case in found} <= {0.0, 0.5, 1.0}
    assert bench.fit_curve([(0.1, 0.0), (0.4, 0.0), (0.5, 1.0), (0.9, 1.0)])[1] == pytest.approx(0.45, abs=0.05)


def test_what_can_be_won_from_a_script_is_bounded_from_both_sides(load: Callable[[str], Any]) -> None:
    """Somebody who may follow a script, solved: what is won from him at most is what the solution wins, and both ends are best answers."""
    bench, owner_of = load("head_to_head_bound"), load("prior").owner_of
    hand = Hand.deal("argentino", [None, None]).play("0 4c", "1 2c")

    def even(solver: Any) -> Any:
        found = np.zeros_like(solver.work.average)
        for node in solver.grown.nodes:
            left = node[LEFT_0 + node[PLAYER]]
            size, start = int(solver.deck.sizes[left]), int(node[STORE])
            if node[KIND] == LAST_CARD and solver.grown.templates[node[TEMPLATE], FOLD] != NO_CALL:
                found[start : start + LAST_STORE * size] = 0.5
            if node[KIND] == DECISION_NODE:
                ways = np.ones((node[BETS] + (left if node[CARDS] else 0), size))
                ways[node[BETS] :] = solver.deck.valid[left, : len(ways) - node[BETS], :size]
                found[start : start + ways.size] = (ways / np.maximum(ways.sum(axis=0), 1)).ravel()
        return found

    for who in (0, 1):
        solver = solver_of(hand)
        script = even(solver)
        game = bench.Blend(solver, owner_of(solver), who, 0.3, script)
        game.run(300)
        found = game.measured()
        solved = 0.7 * found["least"] + 0.3 * found["from_script"]
        assert found["most_from_blend"] == pytest.approx(solved, abs=0.002)
        assert found["most_from_blend"] >= solved - 1e-6
        best = float(solver.values(1 - who, RESPOND).sum())
        solver.work.average[:] = script
        against_script = float(solver.values(1 - who, RESPOND).sum())
        assert against_script > found["from_script"] > found["least"]
        for part, most in ((0.0, best), (1.0, against_script)):
            end = bench.Blend(solver, owner_of(solver), who, part, script)
            solver.work.average[:] = np.where(owner_of(solver) == who, game.kept, script)
            assert end.measured()["most_from_blend"] == pytest.approx(most, abs=1e-5)
