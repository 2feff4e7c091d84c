"""Mutation check: change one value of one rule set at a time and see which tests notice.

`python tests/mutate_rules.py` prints, for every rule set, how many changed values the pinned table notices (all must), how many the
rule cases and golden hands notice by behaviour, and the values that only the pinned table notices.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trucostats.batch import read_batch
from trucostats.errors import RulesError
from trucostats.replay import replay_batch
from trucostats.rules import NAMES, Rules, rules_of
from trucostats.rules.options import OPTIONS, SPECIAL_KEYS
from trucostats.simulate import simulate
from trucostats.verdicts import malformed_verdict, verdict

CASES = Path(__file__).parent / "cases"
SKIPPED = ("court_cards", "evidence")  # words for people; no rule


def plain(value: Any) -> Any:
    """Return a rule value as JSON has it."""
    return json.loads(json.dumps(value))


def pinned() -> dict[str, dict[str, Any]]:
    """Return the reviewed values of every rule set."""
    loaded: dict[str, dict[str, Any]] = json.loads((CASES / "rule_values.json").read_text("utf-8"))
    return loaded


def values_of(rules: Rules) -> dict[str, Any]:
    """Return every value of a rule set."""
    return {name: plain(value) for name, value in rules.values}


def changed_values(name: str, value: Any) -> Iterator[Any]:
    """Yield values an option might be changed to."""
    option = OPTIONS[name]
    if name in SKIPPED:
        return
    if name == "players":
        yield [2] if value != [2] else [4]
    elif name == "ladder":
        for step in range(len(value)):
            yield [[word, worth + (place == step)] for place, (word, worth) in enumerate(value)]
        if len(value) > 1:
            yield value[:-1]
    elif name == "order_strong_to_weak":
        for place in range(len(value or ()) - 1):
            yield [*value[:place], value[place + 1], value[place], *value[place + 2 :]]
    elif name == "special_hand":
        if value is None:
            yield {"at": 10, "scope": "eq", "value": 3, "pass_value": 1, "on_bet": "illegal"}
            return
        special = dict(value)
        yield None
        for key, allowed in SPECIAL_KEYS.items():
            for other in allowed if isinstance(allowed[0], str) else (special[key] + 1,):
                if other != special[key]:
                    yield special | {key: other}
    elif option.choices:
        yield from (choice for choice in option.choices if choice != value)
    elif option.bounds:
        yield option.bounds[0] if value is None else value + 1
        if option.nullable and value is not None:
            yield None


def corpus(name: str) -> list[dict[str, Any]]:
    """Return records of one rule set: its cases, and simulated hands of every number of players."""
    records = []
    for line in (CASES / "hand_cases.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)["record"]
        if record["rules"] == name:
            records.append(record)
    for players in rules_of(name).players:
        for policy in ("plain", "random"):
            records += [json.loads(line) for line in simulate(name, hands=60, players=players, seed=1, policy=policy)]
    return records


def judged(records: list[dict[str, Any]]) -> list[str]:
    """Return the verdict of every record as text."""
    batch = read_batch([json.dumps(record).encode() for record in records])
    replayed = replay_batch(batch)
    by_line = {int(batch.line[i]): verdict(batch, replayed, i) for i in range(len(batch))}
    by_line |= {reject.line: malformed_verdict(reject) for reject in batch.rejects}
    return [json.dumps(by_line[line + 1]) for line in range(len(records))]


def mutants(name: str) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield (option, changed value, options that make the change) for every value of a rule set that can be changed."""
    for option, value in values_of(rules_of(name)).items():
        for other in changed_values(option, value):
            spec = {"base": name, option: other}
            try:
                if values_of(rules_of(spec))[option] != value:
                    yield option, other, spec
            except RulesError:
                continue


def survivors(name: str) -> tuple[int, list[str]]:
    """Return how many values were changed, and the changes that alter no verdict of the corpus."""
    records = corpus(name)
    want = judged(records)
    count = 0
    alive = []
    for option, other, spec in mutants(name):
        count += 1
        if judged([record | {"rules": spec} for record in records]) == want:
            alive.append(f"{option}={json.dumps(other)}")
    return count, alive


def main() -> None:
    """Print the report."""
    for name in sys.argv[1:] or NAMES:
        count, alive = survivors(name)
        print(
            f"{name}: {count} values changed, {count - len(alive)} noticed by behaviour; pinned table only: {', '.join(alive) or 'none'}"
        )


if __name__ == "__main__":
    main()
