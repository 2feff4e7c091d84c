"""Each disputed case has its other reading as an option, and the option does what that reading says."""

from __future__ import annotations

import json
from pathlib import Path

import oracle
import pytest
from cases.other_readings import NO_OPTION, READINGS

from trucostats.batch import read_batch
from trucostats.errors import RulesError
from trucostats.replay import replay_batch
from trucostats.rules import rules_of
from trucostats.verdicts import verdict

CASES = {
    case["id"]: case
    for case in map(json.loads, (Path(__file__).parent / "cases/hand_cases.jsonl").read_text("utf-8").splitlines())
}


def judged(record):
    batch = read_batch([json.dumps(record).encode()])
    assert not batch.rejects, batch.rejects
    found = verdict(batch, replay_batch(batch), 0)
    return found | {"warnings": [finding["code"] for finding in found["findings"] if finding["severity"] == "warning"]}


def with_options(record, options):
    rules = record["rules"]
    base = {"base": rules} if isinstance(rules, str) else rules
    return record | {"rules": base | options}


@pytest.mark.parametrize(
    ("case", "options", "expect"),
    READINGS,
    ids=[f"{case}-{'-'.join(map(str, options.values()))[:40]}" for case, options, _ in READINGS],
)
def test_reading(case, options, expect):
    got = judged(with_options(CASES[case]["record"], options))
    assert {key: got[key] for key in expect} == expect


def test_every_disputed_case_is_here():
    disputed = {name for name, case in CASES.items() if case["disputed"]}
    assert disputed == {case for case, _, _ in READINGS} | set(NO_OPTION)


def test_unannounced_flor_pays_the_rival():
    record = CASES["AR-146"]["record"] | {"events": ["0 7c", "1 mazo"]}
    got = judged(with_options(record, {"flor_unannounced": "rival_3"}))
    assert got["points"] == {"envido": [0, 0], "flor": [0, 3], "truco": [1, 0], "other": [0, 0]}


def test_three_teams_are_refused():
    """BR-065: the reference knows the reading "three teams of two" and refuses it."""
    record = CASES["BR-065"]["record"]
    assert read_batch([json.dumps(record | {"score": [0, 0, 0]}).encode()]).rejects
    with pytest.raises(RulesError, match="no option 'teams'"):
        rules_of(record["rules"] | {"teams": 3})


TABLE_OF_FOUR = {"v": 1, "match": "four", "hand": 1, "players": ["p0", "p1", "p2", "p3"]}


def test_a_tied_trick_is_led_by_the_first_of_the_tied_whoever_leads_for_partners():
    record = TABLE_OF_FOUR | {
        "rules": {"base": "mineiro", "partner_lead": "last", "tie_leader": "first_to_tie"}, "dealer": 3, "score": [0, 0],
        "deal": ["4c 3c 12e", "2b 12c 2c", "12b 3o 4e", "3e 2o 4b"], "events": ["0 3c", "1 2b", "2 3o", "3 3e"],
    }  # fmt: skip
    for found in (judged(record), oracle.replay(record)):
        assert (found["tricks"], found["leaders"]) == (["tie"], [0, 0])
    won = record | {"events": ["0 3c", "1 2b", "2 3o", "3 2o"]}
    for found in (judged(won), oracle.replay(won)):
        assert (found["tricks"], found["leaders"]) == ([0], [0, 2])


def test_a_player_who_has_played_all_his_cards_puts_none_forward():
    record = TABLE_OF_FOUR | {
        "rules": "brasileiro", "dealer": 1, "score": [10, 10], "deal": ["3e 2o 6o", "2e 10o 1c", "5o 12c 6b", "11o 4e 11b"],
        "events": [
            "2 6b", "3 11b", "0 6o", "1 10o", "3 11o", "0 3e", "1 1c", "2 cover", "0 2o", "1 cover 2e", "2 cover 12c", "2 seis 5o",
        ],
    }  # fmt: skip
    for found in (judged(record), oracle.replay(record)):
        assert (found["illegal_at"], found["reason"]) == (11, "CARD_NOT_HELD")
