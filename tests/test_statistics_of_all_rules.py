"""Every statistic over simulated matches of every rule set: a number, or a reason why there is none."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from trucostats.dataset import Filters
from trucostats.ingest import ingest
from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.queries import lacks, list_queries, run
from trucostats.rules import NAMES, rules_of
from trucostats.rules.manilhas import manilhas
from trucostats.simulate import simulate
from trucostats.vocab import CARD_INDEX, CARDS

SPECS: list[str | dict[str, Any]] = [
    *NAMES,
    {"base": "brasileiro", "scale": "2-4-8-12"},
    {"base": "brasileiro", "manilhas": "vira"},
    {"base": "brasileiro", "manilhas": "douradinha"},
]
LABELS = [str(rules_of(spec)) for spec in SPECS]
# Statistics of the log, which may have nothing to tell; the simulated players never err and have no clock.
OF_THE_LOG = {"findings_summary", "decision_marks", "error_rate", "performance", "snap_accept", "think_time"}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("all")
    log = folder / "log.jsonl"
    lines: list[bytes] = []
    for spec, label in zip(SPECS, LABELS, strict=True):
        for players in rules_of(spec).players:
            lines += simulate(spec, matches=25, players=players, seed=5, match=f"{label} {players}")
    log.write_bytes(b"\n".join(lines))
    assert ingest(log, folder / "tables", jobs=1).rejected == 0
    return folder / "tables"


def number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@pytest.mark.parametrize("query", list_queries(), ids=lambda query: query.name)
def test_a_statistic_says_a_number_or_a_reason(query: Any, tables: Path) -> None:
    params = {"by": "all"} if any(param.name == "by" for param in query.params) else {}
    rows = run(query.name, tables, params=params).rows()
    assert not [row for row in rows for value in row.values() if isinstance(value, float) and not math.isfinite(value)]
    if "rules" not in dict(query.columns) or query.name in OF_THE_LOG:
        return
    for label in LABELS:
        own = [row for row in rows if row["rules"] == label]
        assert own, f"nothing about {label}"
        absent = [feature for feature in query.rules if lacks(label, feature)]
        for row in own:
            given = {key: value for key, value in row.items() if key not in ("rules", "reason") and value is not None}
            if absent:
                assert given == {}
                assert row["reason"] == f"these rules have no {absent[0]}"
            elif given or row["reason"] != "no opportunity":
                assert any(number(value) for value in given.values())
                if query.rules and "n" in row:
                    assert row["reason"] == (None if row["n"] else "no opportunity")


@pytest.mark.parametrize("name", NAMES)
def test_a_filter_by_rules_gives_the_rows_of_these_rules(name: str, tables: Path) -> None:
    for query in (
        "truco_answers",
        "special_hand",
        "special_hand_result",
        "covered_cards",
        "manilhas_held",
        "manilha_cards",
    ):
        params = {"by": "all"} if any(param.name == "by" for param in run(query, tables).query.params) else {}  # type: ignore[union-attr]
        own = [row for row in run(query, tables, params=params).rows() if row["rules"].split(" ")[0] == name]
        assert run(query, tables, filters=Filters(rules=name), params=params).rows() == own


def test_the_raises_of_brazil_are_counted_by_word(tables: Path) -> None:
    rows = run("truco_answers", tables, params={"by": "all"}).rows()
    words = {(row["rules"], row["word"]) for row in rows if row["n"]}
    for label in LABELS:
        raises = rules_of({"base": label}).raises if label in NAMES else ("truco", "seis", "nove")
        assert {(label, word) for word in raises} <= words


def test_manilhas_are_dealt_as_often_as_they_must(tables: Path) -> None:
    for row in run("manilha_cards", tables).rows():
        if row["reason"] is None:
            hands = row["dealt"] / row["share"]
            error = math.sqrt(row["reference"] * (1 - row["reference"]) / hands)
            assert abs(row["share"] - row["reference"]) < 4 * error, row
    shares: dict[str, float] = {}
    for row in run("manilhas_held", tables, params={"by": "all"}).rows():
        if row["share"] is not None:
            shares[row["rules"]] = shares.get(row["rules"], 0) + row["share"]
    assert all(share == pytest.approx(1) for share in shares.values())
    assert set(shares) == set(LABELS) - {"truc"}


@pytest.mark.parametrize("spec", [*SPECS, {"base": "paulista", "succession": "natural_french"}], ids=str)
def test_manilhas_are_the_cards_that_nothing_equals_above_all_others(spec: Any) -> None:
    rules = rules_of(spec)
    for turned in CARDS if rules.turns_card else (None,):
        strength = card_tables(rules)[CARD_INDEX[turned] if turned else NO_TURNED][STRENGTH]
        alone = []
        for level in sorted(set(strength.tolist()), reverse=True):
            cards = [card for card in CARDS if strength[CARD_INDEX[card]] == level]
            if len(cards) > 1:
                break
            alone += cards
        assert [card for card, _ in manilhas(rules, turned)] == alone
    assert manilhas(rules) == () or not rules.turns_card
