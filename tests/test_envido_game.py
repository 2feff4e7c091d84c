"""The envido alone as a game: the books' small game through the same walk, the equilibrium's figures, and its rules by the kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.solver.calls import CallGame, Choice, End, Showdown
from trucostats.solver.envido import grow_envido, number_pairs, solve_envido
from trucostats.solver.growth import CHILD, FIRST
from trucostats.solver.ranges import hands_at

BEFORE = Hand.deal("argentino", [None, None])
PLAIN = "envido", "real-envido"


def difference(won0, won1, game):
    return float(won0 - won1)


def kuhn():
    """Kuhn 1950: three cards, one each; check or bet 1 into a pot of 2."""

    def show(stake):
        return Showdown(0, (0, stake, -1), (0, 0, -1), (stake, 0, -1))

    def facing(player):
        return Choice(player, (("fold", End((1, 0, -1) if player else (0, 1, -1))), ("call", show(2))))

    second = Choice(1, (("check", show(1)), ("bet", facing(0))))
    return Choice(0, (("check", second), ("bet", facing(1))))


def test_kuhn_poker_is_worth_minus_an_eighteenth():
    game = CallGame(kuhn(), 1 - np.eye(3), difference)
    exploitability = game.solve(target=5e-5)
    assert exploitability <= 5e-5
    assert game.value == pytest.approx(-1 / 18, abs=1e-4)
    told = game.tell()
    # The second player's equilibrium is one; the first has a free share of bluffs, with three times as many bets of the king.
    lines = {line.said: line for line in told.lines}
    assert lines[("check",)].frequency[1] == pytest.approx([1 / 3, 0, 1], abs=0.02)
    assert lines[("bet",)].frequency[1] == pytest.approx([0, 1 / 3, 1], abs=0.02)
    bluff, _, value = lines[()].frequency[1]
    assert value == pytest.approx(3 * bluff, abs=0.03)
    assert sum(told.outcomes.values()) == pytest.approx(1)
    assert sum((a - b) * chance for (a, b, _), chance in told.outcomes.items()) == pytest.approx(game.value, abs=1e-6)


def test_without_compiling_the_same():
    """The walk in plain Python, in its own process, comes to what the compiled one does."""
    code = """
import numpy as np
from trucostats.solver.calls import CallGame
from trucostats.kernel.jit import config
from test_envido_game import difference, kuhn
game = CallGame(kuhn(), 1 - np.eye(3), difference)
print(int(config.DISABLE_JIT), game.solve(target=0, iterations=50), game.value)
"""
    path = os.pathsep.join(
        [str(Path(__file__).parent), str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    )
    found = []
    for disable in "10":
        env = os.environ | {"NUMBA_DISABLE_JIT": disable, "PYTHONPATH": path}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
        found.append([float(number) for number in run.stdout.split()])
    (plain, *ours), (compiled, *wanted) = found
    assert (plain, compiled) == (1, 0)
    assert ours == pytest.approx(wanted, abs=1e-4)
    assert ours[0] < 0.01


def test_kuhn_poker_from_the_other_seat_is_the_same():
    def turned(node):
        if isinstance(node, Choice):
            return Choice(1 - node.player, tuple((word, turned(child)) for word, child in node.ways))
        if isinstance(node, End):
            a, b, game = node.outcome
            return End((b, a, game))
        return Showdown(1, *((b, a, game) for a, b, game in (node.lower, node.equal, node.higher)))

    game = CallGame(turned(kuhn()), 1 - np.eye(3), difference)
    game.solve(target=5e-5)
    assert game.value == pytest.approx(1 / 18, abs=1e-4)


@pytest.fixture(scope="module")
def plain():
    return solve_envido(BEFORE, calls=PLAIN, target=5e-5)


def test_the_mano_of_an_envido_without_falta(plain):
    assert plain.exploitability <= 5e-5
    assert plain.mano_value == pytest.approx(-0.0361, abs=1e-4)
    assert plain.value == plain.mano_value
    assert sum(plain.points().values()) == pytest.approx(1)
    assert sum((a - b) * chance for (a, b), chance in plain.points().items()) == pytest.approx(plain.value, abs=1e-5)


def best(game, node, number, player, reach):
    """Return what a player's secrets are worth to him if he answers the other's strategy, of that reach, as well as he can."""
    joint = game.joint if player == 0 else game.joint.T
    if isinstance(node, Choice):
        first = int(game.grown.nodes[number, FIRST])
        children = [(child, int(game.grown.actions[first + k, CHILD])) for k, (_, child) in enumerate(node.ways)]
        if node.player == player:
            return np.max([best(game, child, at, player, reach) for child, at in children], axis=0)
        mixed = game.mix(number)
        return sum(best(game, child, at, player, reach * mixed[k]) for k, (child, at) in enumerate(children))

    def worth(outcome):
        return (outcome[0] - outcome[1]) * (1 - 2 * player)

    if isinstance(node, End):
        return joint @ reach * worth(node.outcome)
    size = len(reach)
    mine, other = np.arange(size)[:, None], np.arange(size)[None, :]
    own, rival = (node.lower, node.higher) if node.player == player else (node.higher, node.lower)
    table = np.where(mine < other, worth(own), np.where(mine > other, worth(rival), worth(node.equal)))
    return (joint * table) @ reach


def test_the_exploitability_is_that_of_best_answers_found_otherwise(plain):
    game, ones = plain.game, np.ones(22)
    found = sum(best(game, game.tree, 0, player, ones).sum() for player in (0, 1)) / 2
    assert found == pytest.approx(plain.exploitability, abs=2e-6)
    rough = solve_envido(BEFORE, iterations=3)
    found = sum(best(rough.game, rough.game.tree, 0, player, ones).sum() for player in (0, 1)) / 2
    assert found == pytest.approx(rough.exploitability, abs=1e-5)
    assert found > 0.05


def test_a_strategy_by_number(plain):
    assert plain.numbers == (*range(8), *range(20, 34))
    opening = plain.line()
    assert (opening.player, opening.words) == (0, ("pass", *PLAIN))
    assert opening.reach.sum() == pytest.approx(1)
    assert opening.frequency.sum(axis=0) == pytest.approx(np.ones(22))
    answer = plain.line("envido")
    quiero = answer.frequency[answer.words.index("quiero")]
    refused = answer.frequency[answer.words.index("no-quiero")]
    assert refused[:4] == pytest.approx(np.ones(4), abs=0.02)
    assert refused[-4:] == pytest.approx(np.zeros(4), abs=0.02)
    assert quiero[plain.numbers.index(27)] + answer.frequency[2:, plain.numbers.index(27)].sum() > 0.98
    assert 0 < answer.overall["quiero"] < 1
    # No quiero costs one point, whatever the number.
    assert answer.worth[answer.words.index("no-quiero")] == pytest.approx(-np.ones(22))
    with pytest.raises(SolverError, match="nobody decides"):
        plain.line("quiero")


def test_calls_tell_of_the_hands(plain):
    hands = hands_at(BEFORE)
    assert (plain.likelihood(1, "envido") == 1).all()
    opened = plain.likelihood(0, "envido") + plain.likelihood(0, "real-envido") + plain.likelihood(0, "pass")
    assert opened == pytest.approx(np.ones(len(hands)))
    weights = plain.likelihood(1, "envido", "quiero")
    assert (weights * hands.envido).sum() / weights.sum() > hands.envido.mean() + 3
    with pytest.raises(SolverError, match="not among"):
        plain.likelihood(1, "envido", "truco")


def test_the_rules_make_the_ladder():
    words = {line.said for line in solve_envido(BEFORE, iterations=1).lines}
    assert ("envido", "envido", "real-envido", "falta-envido") in words
    assert ("pass", "real-envido", "falta-envido") in words
    assert ("envido", "envido", "envido") not in words
    once = Hand.deal({"base": "argentino", "max_envido": 1}, [None, None])
    assert ("envido", "envido") not in {line.said for line in solve_envido(once, iterations=1).lines}


def test_a_falta_is_worth_what_the_score_says():
    def outcomes(score):
        hand = Hand.deal("argentino", [None, None], score=score)
        return set(solve_envido(hand, calls=["falta-envido"], iterations=1).outcomes)

    assert outcomes((28, 20)) == {(0, 0, -1), (1, 0, -1), (0, 1, -1), (2, 0, 0), (0, 2, -1)}
    assert (0, 30, 1) in outcomes((0, 0))
    # At 29 all, every point ends the game.
    assert {game for won0, won1, game in outcomes((29, 29)) if won0 or won1} == {0, 1}


def test_who_needs_one_point_never_refuses_where_only_the_game_counts():
    hand = Hand.deal("argentino", [None, None], score=(29, 29))

    def game_won(won0, won1, game):
        return 0.0 if game is None else 1.0 - 2 * game

    solution = solve_envido(hand, worth=game_won, target=1e-3)
    answer = solution.line("envido")
    assert answer.worth[answer.words.index("no-quiero")] == pytest.approx(-np.ones(22))
    assert answer.overall["no-quiero"] < 0.01


def test_from_the_middle_and_from_the_other_seat():
    other = solve_envido(Hand.deal("argentino", [None, None], dealer=0), calls=PLAIN, target=1e-4)
    assert other.mano_value == pytest.approx(-0.0361, abs=2e-4)
    assert other.value == -other.mano_value
    assert other.line().player == 1
    called = solve_envido(BEFORE.play("0 envido"), calls=PLAIN, target=1e-3)
    assert called.line().player == 1
    assert called.line().words[:2] == ("quiero", "no-quiero")
    first = solve_envido(BEFORE.play("0 truco"), calls=PLAIN, target=1e-3)
    assert first.line().words == ("pass", *PLAIN)


def test_numbers_after_a_card_are_of_the_hands_that_have_it():
    numbers, ways = number_pairs(BEFORE.play("0 7c"))
    assert ways[numbers < 7].sum() == 0
    assert ways.sum() == 741 * 7770


def test_hands_with_a_flor_do_not_play():
    hand = Hand.deal("uruguayo", [None, None], turned="4e")
    solution = solve_envido(hand, iterations=25)
    assert solution.numbers[-1] == 37
    hands = hands_at(hand)
    assert (solution.likelihood(0)[hands.flor >= 0] == 0).all()


def test_a_closed_envido_is_refused():
    for events in (("0 envido", "1 no-quiero"), ("0 3c", "1 2c"), ("0 envido", "1 quiero")):
        with pytest.raises(SolverError, match="closed"):
            grow_envido(BEFORE.play(*events))
    with pytest.raises(SolverError, match="two"):
        grow_envido(Hand.deal("argentino", [None] * 4))
