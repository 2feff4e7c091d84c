"""A rival as he plays: rates shrunk to the pool, answers moved to a rate, and the counter to him."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_calls import DONE, refused, run
from table_rows import write_rows

from trucostats.advisor.position import position_from
from trucostats.advisor.rival import STRENGTH, FoldRate, counter, fold_rates, moved_folds
from trucostats.errors import PositionError

SPOT = {"hand": "7c 3c 12e", "events": "0 12e, 1 2e, 1 7e"}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset in which ben folds 9 of 10 trucos, and the others 10 of 30."""
    rows = [
        {"table": "calls", "hand_id": hand, "family": "truco", "word": "truco", "answerer": "ben" if hand < 10 else "cora",
         "answer": "no-quiero" if hand < 9 or 20 <= hand < 30 else "quiero"}
        for hand in range(40)
    ]  # fmt: skip
    return write_rows(tmp_path_factory.mktemp("rival"), rows)


def test_a_rate_is_shrunk_to_everybody(tables: Path) -> None:
    rate = fold_rates(tables, "ben", "argentino")["truco"]
    assert (rate.x, rate.n, rate.pool_n) == (9, 10, 40)
    assert rate.pool == pytest.approx(20 / 42)
    assert rate.rate == pytest.approx((9 + STRENGTH * 20 / 42) / (10 + STRENGTH))
    assert rate.low < rate.rate < rate.high
    assert FoldRate.of("truco", 0, 0, 1, 2).rate == pytest.approx(0.5)
    with pytest.raises(PositionError, match="check the name"):
        fold_rates(tables, "nobody", "argentino")


def test_answers_move_to_a_rate_and_keep_their_order() -> None:
    folds, weight = np.array([0.0, 0.3, 0.6, 1.0]), np.array([0.1, 0.4, 0.3, 0.2])
    for wanted in (0.05, 0.5, 0.95):
        moved = moved_folds(folds, weight, wanted)
        assert float(weight @ moved) == pytest.approx(wanted, abs=1e-6)
        assert (np.diff(moved) > 0).all()


def test_a_bluff_pays_against_who_folds_and_costs_against_who_does_not() -> None:
    spot = position_from(**SPOT)

    def against(x: int) -> object:
        return counter(spot, "ben", {"truco": FoldRate.of("truco", x, 1000, x, 1000)}, target=0.005)

    often, seldom = against(950), against(20)
    assert often.best == "truco"
    assert often.gain > 0.5
    assert often.risk >= 0
    assert often.exploitability > 0
    worth = {found: next(o for o in found.options if o.action == "truco") for found in (often, seldom)}
    assert worth[often].against > worth[seldom].against
    assert worth[often].equilibrium == worth[seldom].equilibrium
    assert worth[often].low <= worth[often].against <= worth[often].high
    even = worth[often].fold_equilibrium
    same = counter(
        spot, "ben", {"truco": FoldRate.of("truco", round(even * 1e6), 10**6, round(even * 1e6), 10**6)}, target=0.005
    )
    assert same.gain == pytest.approx(0, abs=0.05)


def test_the_command(tables: Path) -> None:
    words = ["exploit", "--hand", SPOT["hand"], "--events", SPOT["events"], "--tables", tables, "--target", "0.01"]
    result = run(*words, "--against", "ben")
    assert result.exit_code == DONE
    assert "9 of 10" in result.stdout
    said = json.loads(run(*words, "--against", "ben", "--format", "json").stdout)
    assert {"best", "gain", "risk", "exploitability", "options", "player", "best_equilibrium"} == set(said)
    assert "check the name" in refused(*words, "--against", "nobody")
    answer = ["exploit", "--hand", "7c 3c 12e", "--events", "0 12e, 1 2e, 1 truco, 0 retruco, 1 vale-cuatro"]
    assert "no call to make" in refused(*answer, "--tables", tables, "--against", "ben")


def test_a_review_against_a_rival_tells_the_calls_that_were_missed(tables: Path, tmp_path: Path) -> None:
    log = tmp_path / "club.jsonl"
    log.write_text(
        '{"v":1,"match":"m","hand":1,"rules":"argentino","players":["ana","ben"],"dealer":1,"score":[0,0],"deal":["4b 5c 6e",'
        '"1e 1b 7o"],"events":["0 6e","1 7o","1 1b","0 4b"]}\n'
    )
    words = ["review", log, "--quick", "--against", "ben", "--tables", tables]
    said = json.loads(run(*words, "--format", "json").stdout)["against"]
    assert [each["place"] for each in said] == [f"{log}:1:3"]
    assert said[0]["player"] == "ben"
    assert {option["action"] for option in said[0]["options"]} >= {"truco", "4b"}
    assert "AGAINST ben, as often as he folds" in run(*words).stdout
    assert "--tables DIR" in refused("review", log, "--against", "ben")
