"""What people did in a spot: exact counts from a few hands, the ladder of classes, what is left out, and where there is no number."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from trucostats.advisor.classes import LADDERS, situation_of, strength_of
from trucostats.advisor.evidence import Evidence, Rate, evidence
from trucostats.advisor.position import position_from
from trucostats.dataset import connect, fetch
from trucostats.errors import DatasetError, PositionError, QueryError
from trucostats.ingest import ingest
from trucostats.simulate import simulate

WEAK = "7c 5c 12e"  # third tenth of strength, envido 32
MANO = "12o 11o 3b"
PLAYED = ["0 3b", "1 12e", "0 12o", "1 7c"]  # the mano wins both tricks
LOST = ["0 3b", "1 1e", "1 7e", "0 12o"]  # and loses both


def hand(match: str, events: list[str], **more: Any) -> bytes:
    record = {
        "v": 1, "match": match, "hand": 1, "rules": "argentino", "players": ["ana", "ben"], "dealer": 1, "score": [0, 0],
        "deal": [MANO, WEAK], "events": events,
    }  # fmt: skip
    return json.dumps(record | more).encode()


TRUCO = [
    hand("a", ["0 truco", "1 quiero", *PLAYED]),
    hand("b", ["0 truco", "1 no-quiero"], at="2026-03-14T12:00:00Z"),
    hand("c", ["0 truco", "1 retruco", "0 no-quiero"], players=["ana", "cora"]),
    hand("d", ["0 truco", "1 retruco", "0 quiero", *PLAYED]),
    hand("e", ["0 truco", "1 mazo"], deal=[MANO, None]),
    hand("f", ["0 truco", "1 quiero", *LOST], deal=[MANO, "1e 1b 7e"]),
    hand("g", ["0 3b", "1 12e", "0 truco", "1 quiero", "0 12o", "1 7c"], at="2026-05-01T12:00:00Z"),
    hand("h", ["0 truco", "1 no-quiero"], rules="gaucho"),
    hand("i", ["0 truco"]),
    hand("j", ["0 truco", "1 no-quiero"], players=[*"abcd"], dealer=3, deal=[None] * 4),
]


def dataset(folder: Path, lines: list[bytes]) -> Path:
    log = folder / "log.jsonl"
    log.write_bytes(b"\n".join(lines) + b"\n")
    ingest([log], folder / "tables", jobs=1)
    return folder / "tables"


@pytest.fixture(scope="module")
def truco(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dataset(tmp_path_factory.mktemp("truco"), TRUCO)


FACED = position_from(hand=WEAK, events="0 truco")


def counts(rate: Rate) -> tuple[int, int]:
    return rate.x, rate.n


def test_the_same_spot_is_counted(truco: Path) -> None:
    found = evidence(truco, FACED, least=4)
    assert (
        found.where
        == "truco to the pie, first trick, hand in the 3rd strength decile, 3 cards left, argentino, two players"
    )
    assert found.question == "how often is a truco accepted or raised"
    assert (found.x, found.n, found.level, found.rate) == (3, 4, 0, 0.75)
    assert (found.low, found.high) == pytest.approx((0.300642, 0.954413), abs=1e-6)
    assert {did: counts(rate) for did, rate in found.did.items()} == {
        "no-quiero": (1, 4),
        "quiero": (1, 4),
        "raise": (2, 4),
    }
    assert counts(found.won) == (0, 1)
    assert counts(found.folded) == (1, 2)
    assert {did: (mean.n, mean.mean) for did, mean in found.points.items()} == {
        "no-quiero": (1, -1.0), "quiero": (1, -2.0), "raise": (2, -0.5),
    }  # fmt: skip
    assert (found.points["quiero"].sd, found.points["raise"].sd, found.points["raise"].se) == (
        None,
        pytest.approx(12.5**0.5),
        2.5,
    )
    assert (found.players, found.matches, found.names) == (2, 4, (("ben", 3), ("cora", 1)))
    assert (found.selection, found.reason) == ("shown-only", None)


def test_classes_widen_until_there_are_enough(truco: Path) -> None:
    found = evidence(truco, FACED, least=5)
    assert (found.where, found.level) == ("truco, hand in the 1st to 5th strength decile, argentino, two players", 5)
    assert (found.x, found.n, found.selection) == (4, 5, "shown-only"), "with the truco of the second trick"
    assert counts(found.won) == (0, 2)
    widest = evidence(truco, FACED)
    assert (widest.where, widest.level) == ("truco, argentino, two players", len(LADDERS["truco"]) - 1)
    assert (widest.x, widest.n, widest.selection) == (5, 7, "none"), (
        "unknown cards too; leaving the hand is no acceptance"
    )
    assert counts(widest.won) == (1, 3)
    assert [n for _, n in widest.ladder] == [4, 4, 4, 4, 4, 5, 7]
    assert len({where for where, _ in widest.ladder}) == len(widest.ladder), "every class has its name"


def test_hands_of_other_rules_and_tables_and_open_hands_do_not_count(truco: Path) -> None:
    spot = position_from(hand=WEAK, rules="gaucho", events="0 truco")
    assert (evidence(truco, spot).x, evidence(truco, spot).n) == (0, 1)
    spot = position_from(hand=WEAK, seats=4, events="0 truco")
    assert (evidence(truco, spot).n, evidence(truco, spot).names) == (1, (("b", 1),))
    spot = position_from(hand=WEAK, seats=6, events="0 truco")
    found = evidence(truco, spot)
    assert (found.n, found.low, found.rate, found.reason) == (0, None, None, "the dataset has no comparable decision")
    assert found.selection == "none"


def test_the_match_of_the_position_does_not_count(truco: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(TRUCO[0])
    found = evidence(truco, position_from(f"{log}:1:1"), least=3)
    assert (found.x, found.n, found.matches, found.without_match) == (2, 3, 3, "a")


def test_only_hands_of_before(truco: Path, tmp_path: Path) -> None:
    assert evidence(truco, FACED, before="2026-04-01").n == 1, "hands without a time do not count"
    assert evidence(truco, FACED, before="2026-06-01").n == 2
    log = tmp_path / "log.jsonl"
    log.write_bytes(hand("z", ["0 truco"], at="2026-05-01T12:00:00Z"))
    found = evidence(truco, position_from(str(log)), as_of_hand=True)
    assert (found.n, found.before) == (1, "2026-05-01 12:00:00+00:00"), "the hand of the same moment is not before"
    with pytest.raises(PositionError, match="the record has no time `at`; say before which day instead"):
        evidence(truco, FACED, as_of_hand=True)
    with pytest.raises(PositionError, match="exclude each other"):
        evidence(truco, position_from(str(log)), as_of_hand=True, before="2026-01-01")
    with pytest.raises(QueryError, match="a time is written 2026-03-14"):
        evidence(truco, FACED, before="yesterday")


def test_decisions_of_one_player(truco: Path) -> None:
    assert counts(Rate.of(evidence(truco, FACED, player="cora").x, evidence(truco, FACED, player="cora").n)) == (1, 1)
    assert evidence(truco, FACED, player="it's nobody").n == 0


def test_cards_known_of_all(tmp_path: Path) -> None:
    found = evidence(dataset(tmp_path, TRUCO[:4]), FACED, least=1)
    assert (found.n, found.selection) == (4, "all-known")


def test_unknown_own_cards_are_compared_without_cards(truco: Path) -> None:
    found = evidence(truco, position_from(events="0 truco", unknown=True))
    assert (found.n, found.selection, len(found.ladder)) == (7, "none", 1)
    assert strength_of(position_from(hand="7c ? ?", events="0 truco", unknown=True)) is None


def test_tricks_are_those_of_the_answerer(truco: Path) -> None:
    spot = position_from(hand=WEAK, events="0 3b, 1 12e, 0 truco")
    found = evidence(truco, spot, least=1)
    assert (
        found.where
        == "truco to the pie, first trick lost, hand in the 3rd strength decile, 2 cards left, argentino, two players"
    )
    assert (found.x, found.n) == (1, 1)


def test_a_retruco_is_another_question(truco: Path) -> None:
    spot = position_from(hand=MANO, events="0 truco, 1 retruco")
    found = evidence(truco, spot, least=1)
    assert (found.where[:19], found.x, found.n) == ("retruco to the mano", 1, 2)
    assert counts(found.won) == (1, 1)
    assert {did: mean.mean for did, mean in found.points.items()} == {"no-quiero": -2.0, "quiero": 3.0}


ENVIDO = [
    hand("p", ["0 envido", "1 quiero", "0 20", "1 32", *PLAYED]),
    hand("q", ["0 envido", "1 real-envido", "0 no-quiero", *PLAYED]),
    hand("r", ["0 envido", "1 no-quiero", *PLAYED], deal=["12o 11o 3b", "7c 4c 12e"]),
    hand("s", ["0 envido", "1 no-quiero", "0 truco", "1 no-quiero"], deal=[MANO, "1o 4b 12e"]),
]
ENVIDO[2] = ENVIDO[2].replace(b"1 7c", b"1 4c")


def test_an_envido_is_compared_by_its_number(tmp_path: Path) -> None:
    tables = dataset(tmp_path, ENVIDO)
    spot = position_from(hand="5o 7o 1b", events="0 envido")
    found = evidence(tables, spot, least=2)
    assert found.where == "envido to the pie, the first call, envido 32, argentino, two players"
    assert (found.x, found.n, counts(found.won), counts(found.folded)) == (2, 2, (1, 1), (1, 1))
    assert {did: mean.mean for did, mean in found.points.items()} == {"quiero": 2.0, "raise": 2.0}
    near = evidence(tables, spot, least=3)
    assert (near.where, near.x, near.n) == (
        "envido to the pie, the first call, envido 31 to 33, argentino, two players",
        2,
        3,
    )
    assert [n for _, n in evidence(tables, spot).ladder] == [0, 2, 3, 3, 3, 4]


def test_a_chance_to_call(tmp_path: Path) -> None:
    tables = dataset(tmp_path, [*TRUCO[:4], TRUCO[6], *ENVIDO])
    found = evidence(tables, position_from(hand=MANO), least=1)
    assert found.question == "how often is truco called"
    assert found.where.startswith(
        "a chance to call truco by the mano, first trick, hand in the 8th strength decile, 3 cards left"
    )
    assert (found.x, found.n) == (5, 9), "who opens the envido is counted when he then plays or calls"
    assert counts(found.folded) == (2, 5)
    assert counts(found.won) == (1, 1)
    envido = evidence(tables, position_from(hand=MANO), about="envido", least=1)
    assert (envido.question, envido.x, envido.n) == ("how often is any envido called", 4, 9)
    assert (counts(envido.folded), counts(envido.won)) == ((2, 4), (0, 1))


def test_a_card_is_highest_middle_or_lowest_of_those_held(tmp_path: Path) -> None:
    tables = dataset(tmp_path, [TRUCO[6], *ENVIDO[:2]])
    first = evidence(tables, position_from(hand=MANO), about="card", least=1)
    assert (first.question, first.x, first.n) == ("how often is the highest card played", 3, 3)
    spot = position_from(hand=WEAK, events="0 3b, 1 12e, 0 12o")
    second = evidence(tables, spot, about="card", least=2)
    assert second.where.startswith(
        "a card by the pie, no truco accepted, first trick lost, hand in the 3rd strength decile, 2 cards left"
    )
    assert {did: counts(rate) for did, rate in second.did.items()} == {"highest": (2, 2)}
    assert evidence(tables, spot).question == "how often is truco called"


@pytest.mark.parametrize(
    ("options", "about", "says"),
    [
        ({"hand": WEAK, "events": "0 envido, 1 quiero"}, None, "no table tells of saying one's number"),
        ({"hand": WEAK, "rules": "paulista", "turned": "4e", "score": "3-11", "seats": 4}, None, "no table tells of a special hand"),
        ({"hand": "7c 5c 3e", "rules": "truc", "events": "0 truc", "seat": 0}, None, "no table tells of acting where others have to"),
        ({"hand": WEAK, "events": "0 truco, 1 quiero"}, "truco", "truco is not possible here"),
    ],
)  # fmt: skip
def test_decisions_that_no_table_tells_of(truco: Path, options: dict[str, Any], about: Any, says: str) -> None:
    found = evidence(truco, position_from(**options), about=about)
    assert (found.reason, found.n, found.ladder) == (says, 0, ())
    assert found.to_dict()["reason"] == says


def test_a_folder_that_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is not a dataset"):
        evidence(tmp_path, FACED)


def test_it_is_json(truco: Path) -> None:
    plain = json.loads(json.dumps(evidence(truco, FACED, least=4).to_dict()))
    assert {key: plain[key] for key in ("x", "n", "rate", "level", "selection", "without_match", "before")} == {
        "x": 3, "n": 4, "rate": 0.75, "level": 0, "selection": "shown-only", "without_match": None, "before": None,
    }  # fmt: skip
    assert plain["names"] == [{"name": "ben", "n": 3}, {"name": "cora", "n": 1}]
    assert plain["did"]["quiero"]["n"] == 4
    assert plain["ladder"][-1] == {"where": "truco, argentino, two players", "n": 7}


def test_the_interval_is_that_of_the_statistics(truco: Path) -> None:
    connection = connect(truco, comments=False)
    for x, n in ((0, 1), (3, 4), (7, 7), (50, 1000)):
        row = fetch(
            connection, "SELECT wilson_low($x, $n) AS low, wilson_high($x, $n) AS high", {"x": x, "n": n}
        ).to_pylist()[0]
        assert (Rate.of(x, n).low, Rate.of(x, n).high) == pytest.approx((row["low"], row["high"]))


@pytest.mark.parametrize("about", LADDERS)
def test_every_class_contains_the_one_before(about: str) -> None:
    steps = LADDERS[about]
    for tight, wide in pairwise(steps):
        for name in ("same_position", "same_tricks", "same_cards_left", "same_step"):
            assert getattr(tight, name) >= getattr(wide, name)
        for name in ("within", "envido_within"):
            close, far = getattr(tight, name), getattr(wide, name)
            assert far < 0 or 0 <= close <= far


def test_the_strength_is_that_of_the_tables(truco: Path) -> None:
    connection = connect(truco, comments=False)
    row = fetch(
        connection, "SELECT DISTINCT strength FROM seats WHERE cards = '12e 5c 7c' AND rules = 'argentino'"
    ).to_pylist()[0]
    assert strength_of(FACED) == row["strength"]
    situation = situation_of(FACED)
    assert situation is not None and situation.tenth == int(row["strength"] * 10)


def test_many_simulated_hands_agree_with_plain_sql(tmp_path: Path) -> None:
    tables = dataset(tmp_path, list(simulate("argentino", hands=4000, seed=3)))
    found: Evidence = evidence(tables, FACED)
    sql = """
        SELECT count(*) FILTER (WHERE answer IN ('quiero', 'played', 'raise')) AS x, count(*) AS n
        FROM calls
        WHERE word = 'truco' AND NOT answerer_is_mano AND trick = 1 AND answerer_strength >= 0.2 AND answerer_strength < 0.3
            AND answer NOT IN ('none', 'cancelled') AND hand_id IN (SELECT hand_id FROM hands WHERE status = 'complete')
            AND (hand_id, answer_event) IN (SELECT (hand_id, event) FROM events WHERE cards_left = 3)
    """
    connection = connect(tables, comments=False)
    assert (found.level, found.n > 30) == (0, True)
    assert fetch(connection, sql).to_pylist() == [{"x": found.x, "n": found.n}]
    assert found.points["no-quiero"].mean == -1
    assert found.won.n == found.did["quiero"].x
