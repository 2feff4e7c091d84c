"""The values of every rule set are pinned: a changed value breaks a test, whatever else notices it."""

from __future__ import annotations

import json

import pytest
from mutate_rules import CASES, mutants, pinned, values_of

from trucostats.rules import NAMES, rules_of, rules_of_label


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
