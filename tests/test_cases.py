"""Every rule case is a test named by its id: the kernel says what the case expects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trucostats.batch import read_batch
from trucostats.replay import replay_batch
from trucostats.verdicts import malformed_verdict, verdict

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases/hand_cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def verdicts():
    batch = read_batch([json.dumps(case["record"]).encode() for case in CASES])
    replayed = replay_batch(batch)
    by_line = {int(batch.line[i]): verdict(batch, replayed, i) for i in range(len(batch))}
    return by_line | {reject.line: malformed_verdict(reject) for reject in batch.rejects}


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case["id"] for case in CASES])
def test_case(number, verdicts):
    got = verdicts[number + 1]
    got["warnings"] = [finding["code"] for finding in got["findings"] if finding["severity"] == "warning"]
    expect = CASES[number]["expect"]
    assert {key: got[key] for key in expect} == expect
