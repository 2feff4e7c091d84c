"""The formats of six players and the winners of series: every match case, and what the policies leave open."""

import json
from pathlib import Path

import pytest

from trucostats.rules import rules_of
from trucostats.series import PICA_POLICIES, match_winner, next_format

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("match_cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_match_case(case):
    if "games" in case:
        assert match_winner(case["series"], case["games"]) == case["expect"]["match_winner"]
        assert len(case["games"]) == case["expect"]["games"]
    else:
        assert (
            next_format(rules_of(case["rules"]), case["score"], case["previous_format"])
            == case["expect"]["next_format"]
        )


def formats(policy, score, target=30):
    rules = rules_of({"base": "argentino", "pica_policy": policy, "target": target})
    return [next_format(rules, score, previous) for previous in (None, "redonda", "pica-pica")]


@pytest.mark.parametrize(
    ("policy", "score", "after_redonda"),
    [
        ("alternate_until_target_minus_5", [24, 0], "pica-pica"),
        ("alternate_until_target_minus_5", [0, 25], "redonda"),
        ("alternate_always", [29, 29], "pica-pica"),
        ("leader_5_to_24", [4, 4], "redonda"),
        ("leader_5_to_24", [0, 5], "pica-pica"),
        ("leader_5_to_24", [25, 5], "redonda"),
        ("both_between_5_and_25", [5, 24], "pica-pica"),
        ("both_between_5_and_25", [5, 25], "redonda"),
        ("until_half", [14, 0], "pica-pica"),
        ("until_half", [15, 0], "redonda"),
    ],
)
def test_window_of_each_policy(policy, score, after_redonda):
    assert formats(policy, score)[1:] == [after_redonda, "redonda"]


def test_first_hand_is_a_redonda_except_where_pica_pica_comes_first():
    first = {policy: formats(policy, [6, 6])[0] for policy in PICA_POLICIES}
    assert first.pop("both_between_5_and_25") == "pica-pica"
    assert set(first.values()) == {"redonda"}


@pytest.mark.parametrize(
    ("series", "games", "winner"),
    [
        ("best_of_3", [], None),
        ("best_of_3", [0, 1], None),
        ("best_of_3", [1, 0, 1], 1),
        ("best_of_3", [None, 0, None], None),
        ("queda", [0, 0], 0),
        ("queda", [0, None], None),
        ("queda", [None, None, 0], 0),
        ("queda", [0, 1, None], None),
        ("queda", [0, 1, None, 1], 1),
    ],
)
def test_series(series, games, winner):
    assert match_winner(series, games) == winner


def test_unknown_series_is_named():
    with pytest.raises(ValueError, match="best_of_3 or queda"):
        match_winner("best_of_5", [])
