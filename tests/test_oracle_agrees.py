"""Kernel and oracle agree on random hands of every rule set: on the verdict, and on what is legal at every position they pass."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import oracle
import pytest
from random_hands import random_record

from trucostats.batch import read_batch
from trucostats.errors import RulesError
from trucostats.hand import Hand
from trucostats.notation import decode_line
from trucostats.replay import replay_batch
from trucostats.rules import NAMES, rules_of
from trucostats.verdicts import malformed_verdict, verdict

# 1000 takes under a minute on two cores, 5000 a few minutes.
SCALE = int(os.environ.get("TRUCOSTATS_RANDOM_HANDS", "1000"))
KEYS = (
    "status", "legal", "illegal_at", "reason", "tricks", "leaders", "hand_winner", "stake", "turn", "pending", "envido_values",
    "flor_values", "points", "score_after", "hand_over", "game_over", "game_winner", "next_dealer", "void", "infraction",
)  # fmt: skip
VARIANTS: list[Any] = [
    *NAMES,
    {"base": "brasileiro", "scale": "2-4-8-12"},
    {"base": "brasileiro", "manilhas": "vira"},
    {"base": "brasileiro", "manilhas": "douradinha"},
]


def playable(record: dict[str, Any]) -> bool:
    try:
        return len(record["players"]) in rules_of(record["rules"]).players
    except RulesError:
        return False


def judged(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    batch = read_batch([json.dumps(record).encode() for record in records])
    replayed = replay_batch(batch)
    verdicts = {int(batch.line[i]): verdict(batch, replayed, i) for i in range(len(batch))}
    verdicts |= {reject.line: malformed_verdict(reject) for reject in batch.rejects}
    return [verdicts[line + 1] for line in range(len(records))]


def differences(record: dict[str, Any], got: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    want = oracle.replay(record)
    found = [key for key in KEYS if got[key] != want[key]]
    warnings = sorted(
        f["code"] for f in got["findings"] if f["code"] in ("FLOR_NOT_ANNOUNCED", "CONCEDED_BETTER", "MISSING_PROOF")
    )
    if warnings != sorted(want["warnings"]):
        found.append("warnings")
    return found, want


def legal_lists(record: dict[str, Any]) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield (events so far, the kernel's legal events, the oracle's) before each event up to the first fault, and after the last.

    Both list every card and number that an unknown hand may have, and no `show`.
    """
    table = oracle.open_table(record | {"events": []})
    if table is None:
        return
    hand = Hand.from_record(decode_line(json.dumps(record | {"events": []}).encode()))
    yield 0, sorted(hand.legal()), table.options()
    for done, event in enumerate(record["events"], start=1):
        after = table.after(event)
        if isinstance(after, str):
            return
        table, hand = after, hand.play(event)
        yield done, sorted(hand.legal()), table.options()


@pytest.mark.parametrize("spec", VARIANTS, ids=lambda s: s if isinstance(s, str) else "-".join(s.values()))
def test_random_hands(spec: str | dict[str, Any]) -> None:
    rng = random.Random(str(spec))
    counts = rules_of(spec).players
    records = [random_record(rng, spec, rng.choice(counts), rng.random() < 0.25) for _ in range(SCALE)]
    records = [record for record in records if playable(record)]
    bad = []
    lists_differ = []
    for record, got in zip(records, judged(records), strict=True):
        keys, want = differences(record, got)
        if keys:
            bad.append((keys, {key: (got[key], want[key]) for key in keys if key != "warnings"}, record))
        elif want["status"] != "malformed":
            for done, kernel, naive in legal_lists(record):
                if kernel != naive:
                    alone = sorted(set(kernel) - set(naive)), sorted(set(naive) - set(kernel))
                    lists_differ.append((*alone, done, record))
    assert not bad, f"{len(bad)} differ; first: {json.dumps(bad[0])}"
    assert not lists_differ, (
        f"{len(lists_differ)} legal lists differ; first (kernel alone, oracle alone, events so far, record): {json.dumps(lists_differ[0])}"
    )
