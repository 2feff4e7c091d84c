"""The values of every rule set are pinned: a changed value breaks a test, whatever else notices it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mutate_rules import CASES, mutants, pinned, values_of

from trucostats.batch import read_batch
from trucostats.replay import replay_batch
from trucostats.rules import NAMES, rules_of, rules_of_label
from trucostats.rules.options import OPTIONS, idle
from trucostats.simulate import simulate


@pytest.mark.parametrize("label", pinned())
def test_values_are_the_reviewed_ones(label):
    found = values_of(rules_of_label(label))
    found["special_hand"] = dict(found["special_hand"]) if found["special_hand"] else None
    assert found == pinned()[label]


def test_values_follow_the_reference():
    """The reference lists the tables of the rule texts as data, written before this package."""
    reference = json.loads((CASES / "rule_sets.json").read_text("utf-8"))
    for label, values in reference.items():
        rules = values_of(rules_of_label(label))
        rules["special_hand"] = dict(rules["special_hand"]) if rules["special_hand"] else None
        for option, value in values.items():
            if option in ("order_rule", "court_codes"):
                continue
            found = rules[option]
            if option == "order_strong_to_weak" and value:
                found, value = ([" ".join(sorted(group.split())) for group in order] for order in (found, value))
            assert found == value, (label, option)


@pytest.mark.parametrize("name", NAMES)
def test_every_changed_value_is_noticed(name):
    for option, other, spec in mutants(name):
        changed = values_of(rules_of(spec))
        changed["special_hand"] = dict(changed["special_hand"]) if changed["special_hand"] else None
        assert changed != pinned()[name], (option, other)


@pytest.mark.parametrize("name", NAMES)
def test_an_idle_option_changes_nothing(name):
    rules = rules_of(name)
    batches = [
        read_batch(list(simulate(rules, hands=300, players=seats, seed=seats, policy="random", faults=0.2)))
        for seats in rules.players
    ]
    played = [replay_batch(batch) for batch in batches]
    for option in idle(rules):
        bounds = OPTIONS[option].bounds
        for value in bounds or OPTIONS[option].choices:
            other = rules_of({"base": name, option: value})
            for batch, before in zip(batches, played, strict=True):
                batch.rules = [other]
                after = replay_batch(batch)
                for table in ("final", "hands", "events", "calls", "seats", "tricks"):
                    assert np.array_equal(getattr(after, table), getattr(before, table)), (option, value)


def test_options_that_do_something_are_not_idle():
    assert not idle(rules_of({"base": "rioplatense", "players": [2, 4, 6], "truco_timing": "turn_any", "accept_by_play": True})) & {
        "envido_over_truco", "falta", "pica_falta", "flor_points", "after_card_window", "caller_may_play"
    }  # fmt: skip
