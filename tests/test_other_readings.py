"""Each disputed case has its other reading as an option, and the option does what that reading says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases.other_readings import NO_OPTION, READINGS

from trucostats.batch import read_batch
from trucostats.replay import replay_batch
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
