"""The pages of rule sets agree with the engine, labels are read back, and the generated files are current."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_calls import (
    ROOT,
)

from trucostats import schemas
from trucostats.errors import CODES
from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.rules import NAMES, rules_of, variants
from trucostats.rules.describe import describe, ranking
from trucostats.rules.house import parse_rules
from trucostats.rules.options import OPTIONS
from trucostats.vocab import CARD_INDEX, CARDS


@pytest.mark.parametrize("name", NAMES)
def test_the_ranking_shown_is_that_of_the_engine(name: str) -> None:
    for spec in [name, *({"base": name, option: word} for option, words in variants(name).items() for word in words)]:
        rules = rules_of(spec)
        groups = ranking(rules)
        for turned in range(NO_TURNED) if rules.turns_card else [NO_TURNED]:
            strength = card_tables(rules)[turned, STRENGTH]
            engine: dict[int, set[str]] = {}
            for card, value in enumerate(strength.tolist()):
                engine.setdefault(value, set()).add(CARDS[card])
            wanted = [engine[value] for value in sorted(engine, reverse=True)]
            assert named(rules, groups, turned) == wanted, (str(rules), turned)


def named(rules: Any, groups: list[list[str]], turned: int) -> list[set[str]]:
    """Put the cards that a turned card makes in the place of their description."""
    if not rules.turns_card:
        return [set(group) for group in groups]
    rank, suit = CARDS[turned][:-1], CARDS[turned][-1]
    order = describe(rules)["turned"].split(" as ")[-1].split(",")[0].split()
    found: list[set[str]] = []
    taken: set[str] = set()
    for group in groups:
        if group[0].startswith("manilha "):
            cards = {order[(order.index(rank) + 1) % len(order)] + group[0][-1]}
        elif group[0].endswith(" of the turned suit"):
            card = group[0].split()[0] + suit
            cards = {f"12{suit}" if card == CARDS[turned] else card}
        else:
            cards = set(group) - taken
        taken |= cards
        if cards:
            found.append(cards)
    if rules.turned_card == "muestra" and rank in ("2", "4", "5", "11", "10"):
        # The turned card itself is in nobody's hand; the engine leaves it where it would be without a muestra.
        assert CARD_INDEX[CARDS[turned]] == turned
    return found


@pytest.mark.parametrize(
    "spec",
    [
        *NAMES,
        {"base": "argentino", "flor": True, "target": 15},
        {"base": "brasileiro", "scale": "2-4-8-12", "manilhas": "vira"},
        {"base": "gaucho", "covered_from": 1, "max_envido": None},
        {"base": "brasileiro", "covered_from": None},
        {"base": "truc", "special_hand": None},
        {"base": "truc", "special_hand": {"at": 10, "on_bet": "bettor_loses_game"}},
        {"base": "argentino", "ladder": [["truco", 2], ["retruco", 5]], "players": [2]},
        {"base": "argentino", "order_strong_to_weak": [*OPTIONS["order_strong_to_weak"].default[::-1]]},
    ],
    ids=str,
)
def test_labels_of_the_tables_are_read_back(spec: Any) -> None:
    rules = rules_of(spec)
    assert parse_rules(str(rules)) == rules
    if isinstance(spec, dict):
        assert parse_rules(json.dumps(rules.spec())) == rules


def test_generated_files_are_current() -> None:
    assert schemas.stale(ROOT) == [], "run python -m trucostats.schemas"


def test_write_all_writes_what_is_generated(tmp_path: Path) -> None:
    assert {path.name: path.read_text("utf-8") for path in schemas.write_all(tmp_path)} == schemas.schemas()
    assert {path.name: path.read_text("utf-8") for path in schemas.write_docs(tmp_path)} == schemas.docs()
    (tmp_path / "schemas").mkdir()
    assert len(schemas.stale(tmp_path)) == len(schemas.schemas()) + len(schemas.docs())


def test_the_page_of_findings_has_every_code() -> None:
    page = (ROOT / "schemas" / "findings.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == sorted(
        (code for code in CODES if code != "OK"),
        key=lambda code: (["malformed", "illegal", "inconsistent"].index(CODES[code].family), list(CODES).index(code)),
    )


# Options that are told in words only by the table of options, or elsewhere on the page.
TOLD_ELSEWHERE = {"evidence", "turned_card", "succession", "envido", "flor"}


@pytest.mark.parametrize("name", NAMES)
def test_every_option_changes_what_the_page_says(name: str) -> None:
    """A rule page that stayed as it was would be wrong for the house rules that choose the option."""
    both = {"envido": True, "flor": True, "covered_from": 2, "accept_by_play": True, "truco_timing": "turn_any"}
    if rules_of(name).special_hand is None:
        both["special_hand"] = {"at": 10, "scope": "eq", "value": 3, "pass_value": 1, "on_bet": "illegal"}
    whole = rules_of({"base": name} | both)
    for option, about in OPTIONS.items():
        for choice in set(about.choices) - {getattr(whole, option), "muestra", "manilha", None}:
            other = rules_of({"base": name} | both | {option: choice})
            told = [
                {key: page[key] for key in ("ranking", "turned", "ladder", "calls", "windows", "special_hand")}
                for page in map(describe, (whole, other))
            ]
            hidden = option in TOLD_ELSEWHERE or (option == "pica_policy" and 6 not in whole.players)
            assert hidden or told[0] != told[1], (option, choice)
