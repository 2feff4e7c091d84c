"""Match equity: identities, matches counted by hand, matches played out, and the figures that an independent computation has found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.rules import rules_of
from trucostats.rules.house import parse_rules
from trucostats.solver import outcomes
from trucostats.solver.deck import deals, deck_of_strengths
from trucostats.solver.equity import COLUMNS, MatchEquity, match_equity
from trucostats.solver.game import Solver
from trucostats.solver.growth import grow_tree
from trucostats.solver.outcomes import (
    Outcome,
    Outcomes,
    chances_of,
    combine,
    equilibrium,
    outcomes_of,
    read_outcomes,
    write_outcomes,
)
from trucostats.solver.solve import points, solve
from trucostats.vocab import parse_card

ARGENTINO = rules_of("argentino")


def made(*rows: tuple[object, ...], part: str = "hand", rules: str = "argentino") -> Outcomes:
    return Outcomes.of(
        [Outcome(*row) for row in rows],  # type: ignore[arg-type]
        rules=parse_rules(rules),
        status="made up",
        part=part,
    )


# How hands end in the computation whose table of chances is checked below, rounded: the truco alone, and an envido game without falta.
TRUCO = (
    (0.209, 1, 0), (0.208, 2, 0), (0.0085, 3, 0), (0.0002, 4, 0), (0.325, 0, 1), (0.233, 0, 2), (0.016, 0, 3), (0.0006, 0, 4),
)  # fmt: skip
ENVIDO = (
    (0.13505, 0, 0), (0.27286, 1, 0), (0.07588, 2, 0), (0.06763, 3, 0), (0.01898, 5, 0), (0.22657, 0, 1), (0.10907, 0, 2),
    (0.07792, 0, 3), (0.01601, 0, 5),
)  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> MatchEquity:
    return match_equity(combine(made(*TRUCO, part="truco"), made(*ENVIDO, part="envido")))


# Identities


@pytest.mark.parametrize("part", ["truco", "envido", "hand"])
def test_what_one_side_wins_the_other_loses(part: str) -> None:
    equity = match_equity(equilibrium(ARGENTINO, part))
    for own in range(30):
        for rival in range(30):
            assert equity.chance(own, rival, 0) + equity.chance(rival, own, 1) == pytest.approx(1, abs=1e-12)


def test_points_help(whole: MatchEquity) -> None:
    for mano in (0, 1):
        table = whole.table[mano, :30, :30]
        assert (np.diff(table, axis=0) > 0).all()
        assert (np.diff(table, axis=1) < 0).all()


def test_a_fair_hand_makes_an_even_match() -> None:
    equity = match_equity(made((0.5, 2, 0), (0.5, 0, 2)))
    assert equity.chance(0, 0, 0) == equity.chance(0, 0, 1) == pytest.approx(0.5)
    assert equity.chance(4, 5, 0) == equity.chance(4, 5, 1)


# By hand


def test_to_one_point() -> None:
    equity = match_equity(made((0.3, 1, 0), (0.7, 0, 4)), 1)
    assert equity.chance(0, 0, 0) == pytest.approx(0.3)
    assert equity.chance(0, 0, 1) == pytest.approx(0.7)
    assert (equity.chance(1, 0, 0), equity.chance(0, 3, 1)) == (1, 0)


def test_to_two_points_the_mano_passes() -> None:
    p = 0.6
    equity = match_equity(made((p, 1, 0), (1 - p, 0, 1)), 2)
    assert equity.chance(1, 1, 0) == pytest.approx(p)
    assert equity.chance(1, 0, 0) == pytest.approx(p + (1 - p) * (1 - p))
    assert equity.chance(0, 0, 0) == pytest.approx(p * (1 - p + p * p) + (1 - p) * (1 - p) * p)


def test_a_hand_without_points_is_dealt_again() -> None:
    equity = match_equity(made((0.5, 0, 0), (0.5, 1, 0)), 1)
    # 0.5 at once, else the other is mano: x = 0.5 + 0.5 (1 - x).
    assert equity.chance(0, 0, 0) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("first", "chance"), [("mano", 1.0), ("pie", 0.0)])
def test_where_both_reach_the_target_the_envido_has_won(first: str, chance: float) -> None:
    equity = match_equity(made((1.0, 2, 2, first)), 2)
    assert equity.chance(0, 0, 0) == chance
    assert equity.chance(0, 0, 1) == 1 - chance


def test_the_envido_is_scored_before_the_truco() -> None:
    truco = made((1.0, 1, 0), part="truco")
    envido = made((0.5, 0, 1), (0.5, 0, 0), part="envido")
    both = combine(truco, envido)
    assert {(row.mano, row.pie, row.first, row.chance) for row in both.rows} == {(1, 1, "pie", 0.5), (1, 0, None, 0.5)}
    assert match_equity(both).chance(29, 29, 0) == 0.5
    assert "independent" in both.status


def test_equals_matches_played_out(whole: MatchEquity) -> None:
    rng = np.random.default_rng(5)
    rows = whole.outcomes.rows
    chances = [row.chance for row in rows]
    for start, mano in (((0, 0), 0), ((20, 26), 0), ((27, 28), 1)):
        n, wins = 3000, 0
        for _ in range(n):
            score, lead, winner = list(start), mano, -1
            while winner < 0:
                row = rows[rng.choice(len(rows), p=chances)]
                gains = [(row.mano, lead), (row.pie, 1 - lead)]
                for won, side in gains if row.first != "pie" else gains[::-1]:
                    score[side] += won
                    if score[side] >= 30 and winner < 0:
                        winner = side
                lead = 1 - lead
            wins += winner == 0
        expected = whole.chance(*start, mano)
        assert abs(wins / n - expected) < 4 * (expected * (1 - expected) / n) ** 0.5


# Figures of an independent computation with the truco alone and an envido game beside it


@pytest.mark.parametrize(
    ("own", "rival", "mano", "pie"),
    [
        (0, 0, 0.496, 0.504),
        (28, 28, 0.462, 0.538),
        (29, 29, 0.493, 0.507),
        (29, 28, 0.612, 0.678),
        (29, 25, 0.876, 0.892),
        (25, 29, 0.108, 0.124),
    ],
)
def test_chances(whole: MatchEquity, own: int, rival: int, mano: float, pie: float) -> None:
    assert whole.chance(own, rival, 0) == pytest.approx(mano, abs=0.0015)
    assert whole.chance(own, rival, 1) == pytest.approx(pie, abs=0.0015)


@pytest.mark.parametrize(
    ("own", "rival", "steps"),
    [
        (15, 15, (0.252, 0.167, 0.123)),
        (20, 26, (0.219, 0.094, 0.045)),
        (26, 20, (0.278, 0.232, 0.207)),
        (27, 27, (0.252, 0.233, 0)),
        (28, 28, (0.322, 0, 0)),
        (29, 20, (0.325, 0.335, 0.318)),
        (29, 25, (0.359, 0.276, 0.234)),
        (29, 26, (0.276, 0.234, 0.493)),
        (29, 27, (0.234, 0.493, 0)),
        (29, 28, (0.493, 0, 0)),
        (28, 26, (0.261, 0.207, 0.322)),
        (28, 25, (0.282, 0.261, 0.207)),
    ],
)
def test_take_points(whole: MatchEquity, own: int, rival: int, steps: tuple[float, ...]) -> None:
    found = whole.take_points(own, rival)
    assert [step.word for step in found] == ["truco", "retruco", "vale-cuatro"]
    assert [step.linear for step in found] == pytest.approx([1 / 4, 1 / 6, 1 / 8])
    assert [step.chance for step in found] == pytest.approx(steps, abs=0.0015)


def test_who_refuses_into_defeat_never_refuses(whole: MatchEquity) -> None:
    assert [step.chance for step in whole.take_points(10, 29)] == [0, 0, 0]


@pytest.mark.parametrize(("score", "value"), [((0, 0), 0.037), ((15, 15), 0.053), ((25, 25), 0.092), ((29, 29), 0.5)])
def test_what_a_point_is_worth(whole: MatchEquity, score: tuple[int, int], value: float) -> None:
    for mano in (0, 1):
        assert whole.point_value(*score, mano) == pytest.approx(value, abs=0.001)


def test_the_ladder_of_other_rules() -> None:
    equity = match_equity(made((0.5, 1, 0), (0.5, 0, 1), rules="truc"))
    assert equity.target == 12
    brazil = match_equity(made((0.5, 1, 0), (0.5, 0, 1), rules="paulista"))
    assert [(step.word, step.accepted, step.refused) for step in brazil.take_points(0, 0)] == [
        ("truco", 3, 1), ("seis", 6, 3), ("nove", 9, 6), ("doze", 12, 9),
    ]  # fmt: skip


# Tables


def test_rows_and_arrow(whole: MatchEquity) -> None:
    table = whole.arrow()
    assert table.column_names == list(COLUMNS)
    assert table.num_rows == 900
    row = next(row for row in table.to_pylist() if (row["score_0"], row["score_1"]) == (29, 28))
    assert row["chance_pie"] == whole.chance(29, 28, 1)
    assert all(field.metadata[b"comment"] for field in table.schema)
    assert b"made up" in table.schema.metadata[b"outcomes"]


# What is refused


def test_scores_that_are_none(whole: MatchEquity) -> None:
    for score in ((-1, 0), (30, 30), (0, -3)):
        with pytest.raises(SolverError, match="no score of a match to 30"):
            whole.chance(*score)
    with pytest.raises(SolverError, match="0 to 29"):
        whole.take_points(30, 12)
    with pytest.raises(SolverError, match="0 to 29"):
        whole.point_value(3, 31)
    with pytest.raises(SolverError, match="not 2"):
        whole.chance(0, 0, 2)


def test_distributions_that_are_none() -> None:
    with pytest.raises(SolverError, match="sum to"):
        made((0.5, 1, 0))
    with pytest.raises(SolverError, match="from 0 up"):
        made((1.2, 1, 0), (-0.2, 0, 1))
    with pytest.raises(SolverError, match="which does first"):
        made((1.0, 1, 1))
    with pytest.raises(SolverError, match="no match ends"):
        match_equity(made((1.0, 0, 0)))
    with pytest.raises(SolverError, match="1 point or more"):
        match_equity(made((1.0, 1, 0)), 0)
    with pytest.raises(SolverError, match="only by: argentino"):
        equilibrium(rules_of("gaucho"))
    with pytest.raises(SolverError, match="the envido that of gaucho"):
        combine(made((1.0, 1, 0)), made((1.0, 1, 0), rules="gaucho"))


def test_the_target_does_not_change_how_a_hand_ends() -> None:
    fifteen = parse_rules("argentino target=15")
    assert equilibrium(fifteen).rows == equilibrium(ARGENTINO).rows
    with pytest.raises(SolverError):
        equilibrium(parse_rules("argentino flor=true"))


# Joined to the solver


def small_game(dealer: int) -> Solver:
    strength = card_tables(ARGENTINO)[NO_TURNED][STRENGTH]
    cards = [parse_card(card) for card in ["4e", "4b", "4o", "10e", "10b", "3e", "3b", "3o", "1e"]]
    deck = deck_of_strengths([int(strength[card]) if card in cards else -1 for card in range(40)])
    grown = grow_tree(Hand.deal(ARGENTINO, [None, None], dealer=dealer), deck)
    solver = Solver(deck, grown, deals(deck), np.array([points(int(a), int(b), None) for a, b, _ in grown.outcomes]))
    solver.run(60)
    return solver


def test_outcomes_of_a_solution_sum_to_its_value() -> None:
    found = {}
    for dealer in (1, 0):
        solver = small_game(dealer)
        before = solver.game.worth.copy()
        chances = chances_of(solver)
        assert (solver.game.worth == before).all()
        assert chances.sum() == pytest.approx(1, abs=1e-5)
        found[dealer] = outcomes_of(solver, rules=ARGENTINO, command="made by hand")
        value = float(solver.values(1 - dealer).sum(dtype=np.float64))
        assert found[dealer].mean == pytest.approx(value, abs=1e-5)
        certificate = found[dealer].certificate
        assert certificate["iterations"] == 60
        assert certificate["value_low"] <= value <= certificate["value_high"]
        assert (found[dealer].part, certificate["command"]) == ("truco", "made by hand")
    # Whoever deals, the mano's side ends up with as much.
    assert found[0].mean == pytest.approx(found[1].mean, abs=0.002)
    with pytest.raises(SolverError, match="rules="):
        outcomes_of(solver)


LATE = ("0 3c", "1 2e", "0 4e", "1 5c")


def test_outcomes_need_a_whole_hand() -> None:
    spot = solve(Hand.deal("argentino", [None, None]).play(*LATE), iterations=25)
    assert chances_of(spot.solver).sum() == pytest.approx(1, abs=1e-5)
    with pytest.raises(SolverError, match="from the deal"):
        outcomes_of(spot)


def test_a_hand_played_for_the_match(whole: MatchEquity) -> None:
    hand = Hand.deal("argentino", [None, None], score=(29, 29)).play(*LATE)
    worth = whole.worth(hand)
    assert (worth(1, 0, 0), worth(0, 3, 1)) == (0.5, -0.5)
    spot = solve(hand, worth=worth, target=0.0005)
    assert -0.5 < spot.values[0] < 0.5
    early = Hand.deal("argentino", [None, None], score=(20, 26)).play(*LATE)
    assert whole.worth(early)(2, 0, None) == pytest.approx(whole.chance(22, 26, 1) - 0.5)
    other = Hand.deal("argentino", [None, None], score=(20, 26), dealer=0)
    assert whole.worth(other)(0, 1, None) == pytest.approx(whole.chance(20, 27, 0) - 0.5)
    with pytest.raises(SolverError, match="played to 15"):
        whole.worth(Hand.deal({"base": "argentino", "target": 15}, [None, None]))


# The file of data


def test_the_file_is_written_as_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.toml"
    first = made((0.25, 2, 1, "pie"), (0.75, 0, 1), part="truco")
    write_outcomes(replace(first, certificate={"exploitability": 0.01, "command": 'a "b"'}), path)
    write_outcomes(made((1.0, 1, 0), part="envido"), path)
    write_outcomes(made((1.0, 1, 0), part="truco", rules="truc"), path)
    envido, truco, truc = sorted(
        read_outcomes(path.read_text("utf-8")), key=lambda found: (found.rules.name, found.part)
    )
    assert truco.rows == first.rows
    assert truco.certificate == {"exploitability": 0.01, "command": 'a "b"'}
    assert (envido.part, str(truc.rules)) == ("envido", "truc")
    write_outcomes(made((1.0, 0, 1), part="truco"), path)
    again = [found for found in read_outcomes(path.read_text("utf-8")) if found.part == "truco"]
    assert [found.rows[0].pie for found in again if found.rules == ARGENTINO] == [1]
    assert len(again) == 2


def test_every_entry_has_a_certificate() -> None:
    shipped = read_outcomes((Path(outcomes.__file__).parent / "data" / outcomes.FILE).read_text("utf-8"))
    assert {found.part for found in shipped if found.rules == ARGENTINO} >= {"truco", "envido"}
    for found in shipped:
        assert found.certificate["exploitability"] < 0.01
        assert found.certificate["iterations"] > 0
        value = found.certificate.get("value_low", found.certificate.get("value"))
        assert found.mean == pytest.approx(value, abs=0.01)
