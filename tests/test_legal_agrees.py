"""Kernel and oracle list the same legal events after random legal beginnings of hands of every rule set."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import oracle
import pytest
from random_hands import random_record
from test_oracle_agrees import VARIANTS

from trucostats.hand import Hand
from trucostats.notation import decode_line
from trucostats.rules import rules_of

POSITIONS = int(os.environ.get("TRUCOSTATS_RANDOM_HANDS", "1500")) // 10
TABLES: list[Any] = [*VARIANTS, {"base": "brasileiro", "manilhas": "douradinha"}]


def legal_beginning(rng: random.Random, spec: str | dict[str, Any], players: int) -> dict[str, Any]:
    """A random record cut off at a random place before its first fault."""
    while True:
        record = random_record(rng, spec, players, rng.random() < 0.25)
        found = oracle.replay(record)
        if found["illegal_at"] != "deal" and found["status"] != "malformed":
            legal = len(record["events"]) if found["legal"] else found["illegal_at"]
            return record | {"events": record["events"][: rng.randint(0, legal)]}


def listed(record: dict[str, Any]) -> list[str]:
    """The kernel's legal events, sorted; it lists no `show`, and every number an unknown hand may have, like the oracle."""
    return sorted(Hand.from_record(decode_line(json.dumps(record).encode())).legal())


@pytest.mark.parametrize("spec", TABLES, ids=lambda s: s if isinstance(s, str) else "-".join(s.values()))
def test_legal_events(spec: str | dict[str, Any]) -> None:
    rng = random.Random(f"legal {spec}")
    counts = rules_of(spec).players
    bad = []
    for _ in range(POSITIONS):
        record = legal_beginning(rng, spec, rng.choice(counts))
        kernel, naive = listed(record), oracle.legal(record)
        if kernel != naive:
            bad.append((sorted(set(kernel) - set(naive)), sorted(set(naive) - set(kernel)), record))
    assert not bad, f"{len(bad)} differ; first (kernel alone, oracle alone, record): {json.dumps(bad[0])}"
