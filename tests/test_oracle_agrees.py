"""Kernel and oracle agree on random hands of every rule set."""

from __future__ import annotations

import json
import os
import random

import oracle
import pytest
from random_hands import random_record

from trucostats.batch import read_batch
from trucostats.errors import RulesError
from trucostats.replay import replay_batch
from trucostats.rules import NAMES, rules_of
from trucostats.verdicts import malformed_verdict, verdict

SCALE = int(os.environ.get("TRUCOSTATS_RANDOM_HANDS", "2000"))
KEYS = (
    "status", "legal", "illegal_at", "reason", "tricks", "leaders", "hand_winner", "stake", "turn", "pending", "envido_values",
    "flor_values", "points", "score_after", "hand_over", "game_over", "game_winner", "next_dealer", "void", "infraction",
)  # fmt: skip
VARIANTS = [*NAMES, {"base": "brasileiro", "scale": "2-4-8-12"}, {"base": "brasileiro", "manilhas": "vira"}]


def playable(record):
    try:
        return len(record["players"]) in rules_of(record["rules"]).players
    except RulesError:
        return False


def judged(records):
    batch = read_batch([json.dumps(record).encode() for record in records])
    replayed = replay_batch(batch)
    verdicts = {int(batch.line[i]): verdict(batch, replayed, i) for i in range(len(batch))}
    verdicts |= {reject.line: malformed_verdict(reject) for reject in batch.rejects}
    return [verdicts[line + 1] for line in range(len(records))]


def differences(record, got):
    want = oracle.replay(record)
    found = [key for key in KEYS if got[key] != want[key]]
    warnings = sorted(
        f["code"] for f in got["findings"] if f["code"] in ("FLOR_NOT_ANNOUNCED", "CONCEDED_BETTER", "MISSING_PROOF")
    )
    if warnings != sorted(want["warnings"]):
        found.append("warnings")
    return found, want


@pytest.mark.parametrize("spec", VARIANTS, ids=lambda s: s if isinstance(s, str) else "-".join(s.values()))
def test_random_hands(spec):
    rng = random.Random(str(spec))
    counts = rules_of(spec).players
    records = [random_record(rng, spec, rng.choice(counts), rng.random() < 0.25) for _ in range(SCALE)]
    records = [record for record in records if playable(record)]
    bad = []
    for record, got in zip(records, judged(records), strict=True):
        keys, want = differences(record, got)
        if keys:
            bad.append((keys, {key: (got[key], want[key]) for key in keys if key != "warnings"}, record))
    assert not bad, f"{len(bad)} differ; first: {json.dumps(bad[0])}"
