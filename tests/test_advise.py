"""Advice: right where the answer is known, honest about how sure it is, and the same on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cli_calls import refused, run

from trucostats.advisor.advise import advise
from trucostats.advisor.position import Position, position_from
from trucostats.advisor.solving import solve_position, weights_of
from trucostats.advisor.why import sentence
from trucostats.cli.advice_page import WORDS, advice_page
from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.rules import rules_of
from trucostats.solver.blueprint import blueprint_of, built_here, read_blueprint, same_cards, truco_key, write_blueprint
from trucostats.solver.equity import equity_of
from trucostats.solver.live import Option, evaluate
from trucostats.vocab import CARDS

RETRUCO = "0 7o, 1 2e, 0 truco, 1 retruco"


def test_a_hand_that_cannot_lose_accepts_and_one_that_cannot_win_refuses() -> None:
    sure = advise(position_from(hand="1e 7o 4c", events=RETRUCO))
    assert sure.p_win == pytest.approx(1, abs=1e-6)
    assert sure.best.action in ("quiero", "vale-cuatro")
    lost = advise(position_from(hand="4c 5c 6e", events="0 6e, 1 3b, 1 truco"))
    assert lost.best.action == "no-quiero"
    assert lost.best.points == pytest.approx(-1, abs=1e-3)


def test_every_legal_action_is_told_with_frequencies_that_add_up() -> None:
    position = position_from(hand="7c 3c 12e", events="0 12e, 1 2e, 1 truco")
    found = advise(position)
    assert {option.action for option in found.options} == set(position.options()) - {
        "mazo",
        "envido",
        "real-envido",
        "falta-envido",
    }
    assert sum(option.frequency for option in found.options) == pytest.approx(1, abs=1e-4)
    assert found.take_point["points"] == pytest.approx(1 / 4)
    assert sum(part.share for part in found.range) == pytest.approx(1)


def test_the_first_decisions_are_looked_up_and_agree_with_a_live_solve() -> None:
    hand = Hand.deal("argentino", ["7c 3c 12e", None], dealer=1).play("0 3c", "1 truco")
    known = evaluate(hand, 0)
    assert known.status == "blueprint"
    plan = blueprint_of(rules_of("argentino"))
    assert plan is not None
    assert plan.about["exploitability"] < 1e-4
    assert plan.about["value"] == pytest.approx(-0.1905, abs=3e-4)
    solved = evaluate(hand, 0, iterations=60, seconds=60.0)
    assert solved.status == "solved"
    for option in solved.options:
        other = known.option(option.action)
        assert other is not None
        assert option.points == pytest.approx(other.points, abs=0.05)


def test_frequencies_of_the_blueprint_add_up_at_every_node() -> None:
    plan = blueprint_of(rules_of("argentino"))
    assert plan is not None
    for node in (0, 1, 2):
        if plan.grown.nodes[node, 0] == 1:
            total = plan.mix(node).sum(axis=0)
            assert np.all((np.abs(total - 1) < 1e-6) | (total == 0))


def test_rule_sets_of_the_same_truco_share_a_blueprint_and_others_do_not(tmp_path: Path) -> None:
    assert truco_key(rules_of("argentino")) == truco_key(rules_of({"base": "argentino", "target": 15, "flor": True}))
    assert truco_key(rules_of("argentino")) != truco_key(rules_of("mineiro"))
    plan = blueprint_of(rules_of("argentino"))
    assert plan is not None
    path = write_blueprint(plan, tmp_path)
    assert "0.0000" in path.name
    assert np.array_equal(read_blueprint(path, rules_of("argentino")).strategy, plan.strategy)
    with pytest.raises(SolverError, match="another game"):
        read_blueprint(path, rules_of("mineiro"))
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"nothing")
    with pytest.raises(SolverError, match="no blueprint"):
        read_blueprint(broken, rules_of("argentino"))


def test_a_blueprint_built_here_is_used_if_it_is_more_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of("argentino")
    plan = blueprint_of(rules)
    assert plan is not None
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    built_here().mkdir(parents=True)
    try:
        for gap, name in ((0.5, "worse"), (1e-9, "better")):
            write_blueprint(replace(plan, about=plan.about | {"exploitability": gap, "command": name}), built_here())
        blueprint_of.cache_clear()
        found = blueprint_of(rules)
        assert found is not None
        assert found.about["command"] == "better"
        (built_here() / "argentino-0.1.npz").write_bytes(b"cut off")
        blueprint_of.cache_clear()
        with pytest.raises(SolverError, match=r"argentino-0\.1\.npz.*remove it"):
            blueprint_of(rules)
    finally:
        blueprint_of.cache_clear()


def test_nine_blueprints_serve_the_forty_turned_cards_of_paulista() -> None:
    paulista = rules_of("paulista")
    made = [f"{rank}e" for rank in (4, 5, 6, 7, 10, 11, 12, 1, 2)]
    fits = {card: [one for one in made if same_cards(paulista, one, card)] for card in CARDS}
    assert all(len(found) == 1 for found in fits.values())
    assert fits["3b"] == fits["2o"] == ["2e"]


def test_said_numbers_narrow_the_range() -> None:
    silent = advise(position_from(hand="7c 3c 12e", events="0 12e, 1 2e, 1 truco"))
    spoken = advise(position_from(hand="7c 3c 12e", events="0 envido, 1 quiero, 0 30, 1 33, 0 12e, 1 2e, 1 truco"))
    assert silent.chances is not None
    assert spoken.chances is not None
    assert silent.chances["cards"] == pytest.approx(silent.chances["envido"])
    assert spoken.chances["cards"] is None
    assert spoken.chances["envido"] is not None
    assert sum(part.share > 0 for part in spoken.range) < sum(part.share > 0 for part in silent.range)


def ranked(*worths: tuple[str, float, float | None]) -> list[Option]:
    return [Option(action, None, points, match, None, None) for action, points, match in worths]


def test_the_reason_never_argues_against_the_advice() -> None:
    leave = ranked(("no-quiero", -1, None), ("quiero", -1.28, None))
    for language, words in (("en", "otherwise"), ("es", "dice otra cosa"), ("pt", "diz outra coisa")):
        said = sentence(language, leave, 0.42, 1 / 3, 0.3, 0.4)  # type: ignore[arg-type]
        assert words in said
        assert "-1.28" in said
    accept = ranked(("quiero", 0.1, None), ("no-quiero", -1, None))
    assert "otherwise" in sentence("en", accept, 0.2, 1 / 3, None, None)
    assert "otherwise" not in sentence("en", leave, 0.2, 1 / 3, None, None)


def test_what_is_best_for_the_match_alone_is_told_by_the_match() -> None:
    spot = ranked(("falta-envido", 1.5, 0.92), ("quiero", 3.74, 0.87), ("no-quiero", -2, 0.39))
    said = sentence("en", spot, None, None, None, None)
    assert said == "falta-envido wins the match 92 % of the time, quiero 87 %; it is not what brings most points."
    leave = ranked(("no-quiero", -1.0, 0.5), ("quiero", -0.9, 0.4))
    assert "50 % of the time, quiero 40 %" in sentence("en", leave, 0.42, 1 / 3, None, None)
    for points in (1.5, 3.735):
        assert "-" not in sentence("en", ranked(("a", points, None), ("b", points - 1, None)), None, None, None, None)


def test_near_the_end_an_envido_is_answered_for_the_match() -> None:
    late = position_from(hand="1e 7e 3c", events="0 envido, 1 real-envido", score="28-27")
    advice = advise(late)
    assert advice.utility == "match"
    assert advice.exploitability is not None
    assert advice.exploitability < 1e-5
    by_match = [option.match for option in advice.ranked]
    assert by_match == sorted(by_match, reverse=True)
    assert (advice.best.frequency or 0) > 0.9
    # Before the end nothing but points counts, and both columns are of one and the same play.
    early = advise(position_from(hand="1e 7e 3c", events="0 envido, 1 real-envido", score="3-4"))
    assert early.utility == "points"
    assert early.best is max(early.options, key=lambda option: option.points)
    assert all(0 < (option.match or 0) < 1 for option in early.options)


def test_an_envido_that_is_best_is_not_explained_by_the_truco() -> None:
    said = advise(position_from(hand="1e 7e 3c", events="1 truco", dealer=0)).why()
    assert "envido" in said.split()[0]
    assert "after quiero" not in said


def test_an_exploitability_comes_with_its_unit() -> None:
    spot = "0 12e, 1 2e, 1 truco"
    late = advise(position_from(hand="7c 3c 12e", events=spot, score="27-27"))
    early = advise(position_from(hand="7c 3c 12e", events=spot))
    assert (early.utility, late.utility) == ("points", "match")
    assert late.to_dict()["utility"] == "match"
    assert "of matches" in str(advice_page(late, "en")[-1])
    assert "points a hand" in str(advice_page(early, "en")[-1])


def test_rules_without_a_blueprint_say_that_nothing_was_read_from_play() -> None:
    spot = position_from(
        rules="paulista", turned="6o", hand="2o 5c 12e", events="0 3e, 1 12e, 0 truco", dealer=1, seat=1
    )
    notes = " ".join(advise(spot).notes)
    assert "blueprint build --rules paulista --turned 6o" in notes
    assert "no match equity" in notes
    given = equity_of(rules_of("truc"))
    assert given is not None
    assert "no match equity" not in " ".join(advise(spot, equity=given).notes)


@pytest.mark.parametrize("words", ["", "1 envido, 0 quiero, ", "1 envido, 0 quiero, 1 5, 0 27, "])
def test_leaving_costs_the_truco_whoever_has_won_the_envido(words: str) -> None:
    advice = advise(position_from(hand="7c 2e 5e", events=words + "1 12e, 0 2e", dealer=0))
    leave = next(option for option in advice.options if option.action == "mazo")
    assert (leave.points, leave.win) == (-1, 0)
    assert (leave.match is None) == (words == "1 envido, 0 quiero, ")


def test_late_in_the_match_the_players_play_for_it() -> None:
    early = advise(position_from(hand="7c 3c 12e", events="0 12e, 1 2e, 1 truco"))
    late = advise(position_from(hand="7c 3c 12e", events="0 12e, 1 2e, 1 truco", score="10-29"))
    assert early.take_point["match"] == pytest.approx(0.25, abs=0.01)
    assert late.take_point["match"] == pytest.approx(0, abs=1e-9)
    assert late.best.action != "no-quiero"


def test_an_open_envido_is_a_heuristic_and_an_answer_to_one_names_its_limits() -> None:
    opening = advise(position_from(hand="7c 5c 12e"))
    assert opening.status == "heuristic"
    assert {"envido", "real-envido", "falta-envido", "truco", "mazo", "7c"} <= {
        option.action for option in opening.options
    }
    answer = advise(position_from(hand="7c 6c 12e", seat=1, events="0 envido"))
    assert answer.best.action != "no-quiero"
    assert any("envido was solved alone" in text for text in answer.notes)


def test_what_it_cannot_answer_it_says() -> None:
    with pytest.raises(SolverError, match="table of four"):
        advise(position_from(hand="7c 5c 12e"), partner="1e ? ?")
    assert equity_of(rules_of("uruguayo")) is None


def test_a_table_of_four_gets_a_heuristic_that_says_so() -> None:
    found = advise(
        position_from(hand="1e 7e 3b", seats=4, seat=0, events="0 3b, 1 4b, 2 4c, 3 4e, 0 1e, 1 truco"),
        partner="? ? 4c",
    )
    assert found.status == "heuristic"
    assert found.p_win == pytest.approx(1)
    assert found.to_dict()["actions"][0]["frequency"] is None


def test_ranges_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ranges.json"
    file.write_text(json.dumps([{"3c 1e 4e": 1}, {"2e 4b 5b": 1, "2e 1b 7e": 1}]), "utf-8")
    position = position_from(events="0 3c, 1 2e", unknown=True)
    assert np.count_nonzero(weights_of(position.hand, str(file))) == 2
    found = solve_position(position, ranges=str(file), target=0.01)
    assert found.exploitability <= 0.01
    file.write_text('{"a": 1}', "utf-8")
    with pytest.raises(SolverError, match="two objects"):
        weights_of(position.hand, str(file))


def test_the_command_tells_the_same_as_table_and_json() -> None:
    options = ["advise", "--hand", "7c 3c 12e", "--events", "0 12e, 1 2e, 1 truco"]
    told = json.loads(run(*options, "--format", "json").stdout)
    assert {
        "to_act",
        "status",
        "exploitability",
        "actions",
        "best",
        "p_win",
        "take_point",
        "bluff_needed",
        "range",
        "evidence",
        "why",
    } <= set(told)
    assert told["actions"][0].keys() >= {"action", "ev_points", "ev_match", "se", "frequency"}
    for language, word in (("en", "you win"), ("es", "ganás"), ("pt", "você ganha")):
        page = run(*options, "--lang", language)
        assert page.exit_code == 0
        assert word in page.stdout
        assert ("exploitability" in page.stdout) == (language == "en")
    assert len({tuple(words) for words in WORDS.values()}) == 1


def test_solve_and_blueprint_commands() -> None:
    spec = '{"base":"argentino","envido":false}'
    told = json.loads(run("solve", "--rules", spec, "--events", "0 3c, 1 2e", "--format", "json").stdout)
    assert told["values"][0] == -told["values"][1]
    assert told["exploitability"] <= 0.002
    assert told["strategy"][0].keys() == {"hand", "weight", "action", "frequency", "worth"}
    shown = json.loads(run("blueprint", "show", "--format", "json").stdout)
    assert shown["exploitability"] < 1e-4
    assert "--events" in refused("solve")


def test_an_accepted_envido_that_is_not_settled_yet_counts_in_the_score_and_not_in_what_a_refusal_costs() -> None:
    asked = Hand.deal("argentino", ["7c 5c 12e", "12o 11o 3b"], score=(20, 27)).play(
        "0 truco", "1 envido", "0 quiero", "0 32", "1 son-buenas"
    )
    position = Position(asked, 1, "test")
    assert position.score == (27, 22)
    take = advise(position, seconds=2).take_point
    assert take["points"] == 0.25
    equity = equity_of(asked.rules)
    assert equity is not None
    assert take["match"] == pytest.approx(equity.take_point(27, 22, 2, 1, 0))


def test_who_cannot_know_who_won_the_envido_is_advised_at_the_score_that_the_source_knows() -> None:
    told = Hand.deal("argentino", ["4e 5e 3c", "2e 6e 3o"]).play("0 truco", "1 envido", "0 quiero", "1 quiero", "0 4e")
    position = Position(told, 1, "test")
    assert position.hero_view().settled().score is None
    assert position.score == (0, 2)
    advice = advise(position)
    assert all(option.match is not None for option in advice.options)
