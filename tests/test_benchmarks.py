"""The benchmarks run and say what they compare; how fast anything is, is no test."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from trucostats.rules import NAMES, rules_of
from trucostats.simulate import simulate

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


def test_team_advice_is_compared_with_what_happened(load: Callable[[str], Any]) -> None:
    bench = load("teams_calibration")
    found = list(bench.cases(4, 1, 1, ["plain"] * 4, 4, "plain"))
    assert {tuple(case.predicted) for case in found} == {("advice", "blind", "partner open")}
    assert all(0 <= chance <= 1 for case in found for chance in case.predicted.values())
    assert {case.won for case in found} <= {0.0, 0.5, 1.0}
    assert bench.fit_curve([(0.1, 0.0), (0.4, 0.0), (0.5, 1.0), (0.9, 1.0)])[1] == pytest.approx(0.45, abs=0.05)
