"""The review of a log: marks, forced decisions, accounts that add up, luck, and what is written into a dataset."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_calls import DONE, GOOD, ingested, refused, rows_of, run

from trucostats.advisor import grades
from trucostats.advisor.losses import QUICK, mirrored
from trucostats.advisor.luck import deal_values
from trucostats.advisor.review import Review, review, review_records
from trucostats.hand import Hand
from trucostats.logs import read_records
from trucostats.notation import decode_line
from trucostats.rules import rules_of
from trucostats.solver.deck import deals

SAMPLES = Path(__file__).parent.parent / "data" / "samples"
# ana accepts a retruco with nothing, and all that follows is lost.
BLUNDER = (
    '{"v":1,"match":"club","hand":2,"rules":"argentino","players":["ana","ben"],"dealer":0,"score":[2,1],"deal":["4b 5c 6e",'
    '"1e 1b 7o"],"events":["1 7o","0 6e","1 1b","0 truco","1 retruco","0 quiero","0 4b"]}'
)
FOUR = (
    '{"v":1,"match":"four","hand":1,"rules":"argentino","players":["ana","ben","cora","dino"],"dealer":3,"score":[0,0],'
    '"deal":["7c 5c 12e","12o 11o 3b","4b 5b 6b","4e 5e 6e"],"events":["0 7c","1 12o"]}'
)


def one(line: str, **changes: Any) -> Review:
    record = decode_line(json.dumps(json.loads(line) | changes).encode())
    return review_records([("club.jsonl", 1, record)], effort=QUICK)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "club.jsonl"
    path.write_text("\n".join([GOOD, BLUNDER, FOUR]) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def found(log: Path) -> Review:
    return review(log, effort=QUICK)


def test_a_retruco_accepted_with_nothing_is_very_bad(found: Review, log: Path) -> None:
    worst = found.worst(1)[0]
    assert (worst.place, worst.player, worst.kind, worst.done) == (f"{log}:2:5", "ana", "answer", "quiero")
    assert worst.best == "no-quiero"
    assert worst.mark == "very bad"
    assert worst.worth["no-quiero"] == pytest.approx(-2)
    assert worst.loss == pytest.approx(worst.worth["no-quiero"] - worst.worth["quiero"])


def test_the_seats_do_not_matter() -> None:
    hand = Hand.deal("argentino", ["4b 5c 6e", "1e 1b 7o"], dealer=0, score=(2, 1)).play(
        "1 7o", "0 6e", "1 truco", "0 quiero"
    )
    record = hand.record
    other = mirrored(record).record
    here, there = (review_records([("x", 1, each)], effort=QUICK).decisions for each in (record, other))
    assert [(d.player, d.kind, d.done, d.loss) for d in here] == [(d.player, d.kind, d.done, d.loss) for d in there]


def test_a_match_to_another_target_is_judged_by_its_own() -> None:
    found = one(BLUNDER, rules={"base": "argentino", "target": 15})
    assert found.worst(1)[0].best == "no-quiero"
    assert found.worst(1)[0].basis == "solved"


def test_a_quick_review_does_not_solve_rare_states_from_the_deal() -> None:
    found = one(BLUNDER, dealer=1, deal=["1e 4c 6e", "2c 3b 5o"], events=["0 truco", "1 quiero", "0 1e", "1 2c"])
    (reason,) = {d.reason or "" for d in found.decisions if d.kind == "answer"}
    assert "--quick" in reason


def test_counts_add_up(found: Review) -> None:
    for account in found.players():
        assert account.decisions == account.evaluated + account.forced + sum(account.skipped.values())
        assert account.evaluated == sum(rate.n for rate in account.rates.values()) == account.overall.n
        assert all(account.skipped)
    for d in found.decisions:
        assert (d.loss is None) == (d.reason is not None)
        assert d.loss is None or (d.loss >= 0 and d.normal is not None and d.best in d.worth and d.done in d.worth)
        assert d.mark == grades.mark_of(d.normal)
    assert {d.match for d in found.decisions if "hands of 4" in (d.reason or "")} == {"four"}


def test_forced_decisions_do_not_count() -> None:
    events = ["0 1e", "1 4b", "0 truco", "1 retruco", "0 vale-cuatro", "1 quiero", "0 7c", "1 1b", "1 5c", "0 4e"]
    found = one(GOOD, deal=["7c 1e 4e", "4b 1b 5c"], events=events, points=[0, 4])
    assert not found.unread
    for event in (8, 9):
        assert [(d.status, d.kind, d.loss) for d in found.decisions if d.event == event] == [("forced", "card", None)]
    assert [d.kind for d in found.decisions if d.event == 6] == ["card"]
    said = one(GOOD)
    assert [d.reason for d in said.decisions if d.done in ("32", "son-buenas")] == [
        "saying one's number is not evaluated"
    ] * len([d for d in said.decisions if d.done in ("32", "son-buenas")])


def test_the_loss_of_a_card_is_that_of_the_call_and_that_of_the_card(found: Review) -> None:
    rows = [d for d in found.decisions if (d.match, d.hand, d.event) == ("club", 2, 2)]
    assert [d.kind for d in rows] == ["raise", "card"]
    silent, card = rows
    best = max(*silent.worth.values(), *card.worth.values())
    assert (silent.loss or 0) + (card.loss or 0) == pytest.approx(best - card.worth[card.done])


def test_what_cannot_be_judged_is_told() -> None:
    assert {d.reason for d in one(GOOD, deal=[None, "12o 11o 3b"]).decisions if d.player == "ana"} == {
        "the player's own cards are not known"
    }
    flor = one(GOOD, rules="rioplatense", deal=["7c 5c 12c", "12o 11o 3b"], events=["0 7c"], points=[0, 0])
    assert [d.reason for d in flor.decisions] == ["a flor is not evaluated"]
    other = one(
        GOOD, rules={"base": "argentino", "all_tied": "non_dealer"}, events=["0 truco", "1 quiero"], points=[0, 0]
    )
    assert "no strategy for this" in (next(d for d in other.decisions if d.kind != "envido").reason or "")
    broken = one(GOOD, events=["0 12e", "0 7c"], points=[0, 0])
    assert "event 1" in broken.unread[0].reason
    assert broken.decisions


def test_thresholds_are_frozen() -> None:
    """Whoever changes one of these gives the metric another name."""
    frozen = {"truco-pr@1": ((("very bad", 0.40), ("bad", 0.15), ("doubtful", 0.05)), 500.0, 5.0)}
    assert frozen[grades.METRIC] == (grades.THRESHOLDS, grades.PR_SCALE, grades.ACCURACY_SCALE)
    assert grades.pr([0.01, 0.03]) == pytest.approx(10)
    assert grades.accuracy([0.0]) == 100
    assert grades.pr([]) is None
    assert grades.Rate.of([]) == grades.Rate(0, None, None)


def test_luck_is_zero_on_average() -> None:
    values = deal_values(rules_of("argentino"))
    assert values is not None
    weights = deals(values.blueprint.deck)
    for worth, mass, game in ((values.mano, weights.sum(1), values.game), (values.pie, weights.sum(0), -values.game)):
        assert float(worth @ mass / mass.sum()) == pytest.approx(game, abs=1e-4)


def test_luck_of_two_is_one_sum(found: Review) -> None:
    both = [found.player(name) for name in ("ana", "ben")]
    assert both[0].luck == pytest.approx(-both[1].luck)
    assert both[0].luck < 0
    assert both[0].adjusted == pytest.approx(both[0].truco - both[0].luck)


def test_records_of_a_folder_are_read(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "argentino_2.jsonl", tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text("nonsense\n" + GOOD + "\n")
    found = list(read_records(tmp_path))
    assert len(found) == 32
    assert isinstance(found[30][2], Exception)


# The command


def test_the_page(log: Path) -> None:
    result = run("review", log, "--quick", "--worst", "1")
    assert result.exit_code == DONE
    assert "REVIEW by truco-pr@1" in result.stdout
    assert f"{log}:2:5" in result.stdout
    assert "hands of 4 are not evaluated" in result.stdout
    markdown = run("review", log, "--quick", "--format", "markdown", "--player", "ana")
    assert "| player | decisions |" in markdown.stdout
    assert "ben" not in markdown.stdout.partition("THE WORST")[0]


def test_json_has_all_there_is(log: Path) -> None:
    said = json.loads(run("review", log, "--quick", "--format", "json").stdout)
    assert set(said) == {"metric", "thresholds", "players", "worst", "decisions", "unread"}
    assert said["worst"][0]["place"] == f"{log}:2:5"
    assert {
        "place",
        "kind",
        "done",
        "best",
        "loss",
        "match_loss",
        "normal",
        "mark",
        "status",
        "reason",
        "worth",
    } <= set(said["decisions"][0])
    lines = run("review", log, "--quick", "--format", "csv").stdout.splitlines()
    assert len(lines) == 1 + len(said["decisions"])


def test_decisions_are_written_into_a_dataset(log: Path, tmp_path: Path) -> None:
    tables = ingested(log, tmp_path)
    for _ in range(2):  # a second review takes the place of the first
        result = run("review", log, "--quick", "--write", tables, "--player", "ana")
        assert result.exit_code == DONE
    rows = rows_of(run("query", "FROM decisions", "--tables", tables, "--format", "json"))
    assert len(rows) == int(result.stderr.split(" decisions written")[0].split()[-1])
    bad = rows_of(run("stats", "decision-marks", "--tables", tables, "--format", "json"))
    assert sum(row["x"] for row in bad if row["mark"] == "very bad") >= 1
    joined = "SELECT mark, score_before FROM (SELECT mark, score0 AS score_before FROM decisions JOIN hands USING (hand_id) WHERE mark = 'very bad')"
    assert rows_of(run("query", joined, "--tables", tables, "--format", "json"))
    assert run("ingest", log, "--out", tables, "--jobs", "1").exit_code == DONE
    assert rows_of(run("query", "FROM decisions", "--tables", tables, "--format", "json")) == rows


def test_what_the_command_refuses(log: Path, tmp_path: Path) -> None:
    assert "exclude each other" in refused("review", log, "--quick", "--seconds", "1")
    assert "check the name" in refused("review", log, "--quick", "--player", "nobody")
    assert "is not a dataset" in refused("review", log, "--write", tmp_path)
    assert "none.jsonl" in refused("review", tmp_path / "none.jsonl")


def test_show_tells_the_marks(log: Path) -> None:
    told = run("show", log, "--line", "2", "--review")
    assert told.exit_code == DONE
    lines = told.stdout.splitlines()
    at = lines.index("  5 ana accepts.")
    assert lines[at + 1].startswith("      answer: very bad, ")
    assert lines[at + 1].endswith("points lost, no-quiero is better")
    assert "      respuesta: muy mala, " in run("show", log, "--line", "2", "--review", "--lang", "es").stdout
    assert "hands of 4" in run("show", log, "--line", "3", "--review").stderr
    assert "exclude each other" in refused("show", log, "--review", "--at", "1")
