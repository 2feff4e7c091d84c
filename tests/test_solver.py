"""What a solved truco must obey: closed forms, take points, certificates, symmetries, sizes of the tree."""

import os
import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from naive_solver import toy_deck

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.rules import rules_of
from trucostats.solver.deck import consistent, deals, deck_of
from trucostats.solver.growth import (
    CHILD,
    DECISION_NODE,
    FIRST,
    FOLD,
    KIND,
    LAST_CARD,
    LAST_STORE,
    LEFT_0,
    LEFT_1,
    N_STORE,
    NO_CALL,
    STORE,
    TEMPLATE,
    grow_tree,
    played_ranks,
)  # fmt: skip
from trucostats.solver.solve import solve, solver_of
from trucostats.solver.walk import EVALUATE
from trucostats.vocab import CARDS, VERB_INDEX, parse_card

ARGENTINE = {"base": "argentino", "envido": False}
DEAL = Hand.deal(ARGENTINE, [None, None])
AFTER_TWO = ("0 3c", "1 2e", "0 4e", "1 5c")  # one trick each; seat 1 leads the last
AFTER_ONE = ("0 4c", "1 2c")
QUIERO, NO_QUIERO = VERB_INDEX["quiero"], VERB_INDEX["no-quiero"]


def action(solution, name):
    return next(action for action in solution.actions() if action.name == name)


def narrowed(solution, name, weights):
    """The joint weights of the full hands after the player has done what the solution has him do."""
    deck, seat = solution.deck, solution.player
    played = played_ranks(solution.hand, deck)[seat]
    full = deck.full(len(played), deck.index(played))
    kept = np.zeros(len(weights))
    kept[full[full >= 0]] = np.nan_to_num(action(solution, name).frequency)[full >= 0]
    return weights * (kept[:, None] if seat == 0 else kept[None, :])


def prior(hand):
    deck = deck_of(hand.rules)
    return consistent(deck, played_ranks(hand, deck))


# Three ways to come to an exposed last card with so much at stake that seat 0 may raise.
EXPOSED = [
    (1, (*AFTER_TWO, "1 10c")),
    (2, ("0 3c", "1 truco", "0 quiero", *AFTER_TWO[1:], "1 10c")),
    (3, ("0 truco", "1 retruco", "0 quiero", *AFTER_TWO, "1 10c")),
]


@pytest.mark.parametrize(("stake", "events"), EXPOSED, ids=["truco", "retruco", "vale cuatro"])
def test_last_card_bluffs_are_one_in_2s_plus_1_of_the_winners_and_calls_2s_in_2s_plus_1(stake, events):
    hand = DEAL.play(*events)
    solution = solve(hand, target=1e-5, iterations=4000)
    call = action(solution, ("truco", "retruco", "vale-cuatro")[stake - 1])
    mass, ten = solution.mass, solution.deck.rank_of[parse_card("10c")]
    ranks = np.arange(len(mass))
    wins = ranks >= ten  # a tie wins for him who won the first trick
    calls = np.nan_to_num(call.frequency) * mass
    assert call.frequency[wins & (mass > 0)] == pytest.approx(1, abs=0.01)
    assert calls[~wins].sum() == pytest.approx(calls[wins].sum() / (2 * stake + 1), rel=0.02)
    # The leader, in the node that follows the call.
    solver = solution.solver
    root = solver.grown.nodes[0]
    k = next(k for k in range(8) if solver.grown.actions[root[FIRST] + k, 2] == call.code)
    node = solver.grown.nodes[solver.grown.actions[root[FIRST] + k, CHILD]]
    codes = [int(solver.grown.actions[node[FIRST] + k, 2]) for k in (0, 1)]
    assert codes == [QUIERO, NO_QUIERO]
    accepts, refuses = solver.work.average[node[STORE] : node[STORE] + 2]
    assert accepts / (accepts + refuses) == pytest.approx(2 * stake / (2 * stake + 1), abs=0.01)
    # Who bluffs gets what he would have got without.
    assert call.worth[~wins & (mass > 0)] == pytest.approx(-stake, abs=0.02)


def test_last_cards_kept_as_two_numbers_play_as_the_tree_does():
    """Below a leader who has yet to show his card, a call is accepted as often as the closed form says."""
    solution = solve(DEAL.play(*AFTER_TWO), target=1e-5, iterations=20000)
    grown, average = solution.solver.grown, solution.solver.work.average
    node = grown.nodes[grown.actions[grown.nodes[0, FIRST], CHILD]]
    assert node[KIND] == LAST_CARD
    assert grown.templates[node[TEMPLATE], FOLD] != NO_CALL
    pooled = average[node[STORE] :][: LAST_STORE * solution.deck.ranks].reshape(-1, LAST_STORE)
    shown = action(solution, "card").frequency * solution.mass
    # Where fewer lose than would bluff, all of them do.
    losing = np.tril(solution.solver.joint.T, -1).sum(axis=1)
    winning = solution.mass - losing
    often = (shown > 0.3 * shown.max()) & (losing > 1.2 * winning / 3) & (winning > 0.1 * losing)
    share = pooled[:, 2] / (pooled[:, 2] + pooled[:, 3])
    assert often.sum() > 3
    assert share[often] == pytest.approx(2 / 3, abs=0.03)


@pytest.mark.parametrize("start", [AFTER_ONE, ("0 3c", "1 3e")], ids=["won", "tied"])
def test_a_call_is_accepted_from_a_quarter_a_sixth_and_an_eighth_on(start):
    """The chance to win, both going on well, of the hands to which quiero and no quiero are worth the same: stakes 2, 3 and 4.

    With the first trick tied only the vale cuatro is asked about: no hand hesitates at the retruco there, and the truco's chance
    moves with how far it is solved, since who accepts may yet raise.
    """
    hand = DEAL.play(*start)
    weights, who = prior(hand), hand.turn
    steps = ((who, "truco", 1 / 4, 0.01), (1 - who, "retruco", 1 / 6, 0.02), (who, "vale-cuatro", 1 / 8, 0))
    spot = solve(hand, weights=weights, target=2e-4)
    for seat, name, theory, near in steps:
        weights = narrowed(spot, name, weights)
        hand = hand.play(f"{seat} {name}")
        spot = solve(hand, weights=weights, target=2e-4)
        chance = spot.win_chances()["quiero"]
        gain = action(spot, "quiero").worth - action(spot, "no-quiero").worth
        known = ~np.isnan(gain) & (spot.mass > 1e-9)
        if name == "vale-cuatro":  # nothing can be raised after it: the law is exact, hand by hand
            assert chance[known] == pytest.approx((gain[known] + 1) / 8, abs=1e-4)
        elif start == AFTER_ONE:
            alike = known & (np.abs(np.nan_to_num(gain, nan=9)) < 0.02)
            assert alike.sum() >= 3
            assert np.average(chance[alike], weights=spot.mass[alike]) == pytest.approx(theory, abs=near), name


def test_win_chances_are_chances_and_those_of_a_refusal_none():
    spot = solve(DEAL.play(*AFTER_ONE, "1 truco"), target=0.005)
    chances = spot.win_chances()
    assert set(chances) == {action.name for action in spot.actions()}
    assert np.nanmax(np.abs(chances["no-quiero"])) < 1e-5
    for chance in chances.values():
        assert np.nanmin(chance) > -1e-5
        assert np.nanmax(chance) < 1 + 1e-5
    assert {action.name: np.nanmin(action.worth) for action in spot.actions()}["no-quiero"] == pytest.approx(
        -1, abs=1e-5
    )


def test_the_value_is_zero_sum_and_inside_its_certificate_and_the_exploitability_falls():
    for events in ((), ("1 truco",), ("1 10c",)):
        solver = solver_of(DEAL.play(*AFTER_ONE, *events))
        seen = []
        for _ in range(4):
            solver.run(50)
            exploitability, low, high = solver.exploitability()
            values = [float(solver.values(seat).sum(dtype=float)) for seat in (0, 1)]
            assert sum(values) == pytest.approx(0, abs=1e-5)
            assert low - 1e-6 <= values[0] <= high + 1e-6
            assert exploitability == pytest.approx((high - low) / 2)
            assert exploitability > -1e-6
            seen.append(exploitability)
        assert seen == sorted(seen, reverse=True)
        assert seen[-1] < 0.005


def turned(events):
    return [f"{1 - int(event[0])}{event[1:]}" for event in events]


@pytest.mark.parametrize("events", [AFTER_ONE, (*AFTER_ONE, "1 truco"), ("0 3c", "1 3e"), AFTER_TWO], ids=" ".join)
def test_changing_the_seats_changes_the_sign_of_the_value(events):
    here = solve(DEAL.play(*events), target=5e-4)
    there = solve(Hand.deal(ARGENTINE, [None, None], dealer=0).play(*turned(events)), target=5e-4)
    assert there.values[0] == pytest.approx(-here.values[0], abs=1e-3)


def test_equal_cards_may_change_places_and_unplayed_cards_need_not_be_known():
    here = solve(DEAL.play(*AFTER_ONE), iterations=50)
    others = [DEAL.play("0 4e", "1 2o"), Hand.deal(ARGENTINE, ["4c 3e 1e", "2c 7o ?"]).play(*AFTER_ONE)]
    for other in others:
        assert solve(other, iterations=50).values == here.values


def test_without_compilation_the_value_is_the_same():
    program = (
        "from trucostats.hand import Hand; from trucostats.solver.solve import solve;"
        f"hand = Hand.deal({ARGENTINE!r}, [None, None]).play(*{AFTER_TWO!r}, '1 truco');"
        "print(repr(solve(hand, iterations=25).values[0]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )  # fmt: skip
    compiled = solve(DEAL.play(*AFTER_TWO, "1 truco"), iterations=25).values[0]
    assert float(done.stdout) == pytest.approx(compiled, abs=1e-6)


MINEIRO = Hand.deal("mineiro", [None, None])
WRONG = [
    (DEAL.play("0 mazo"), "over"),
    (Hand.deal("argentino", [None] * 4), "4 players"),
    (Hand.deal("argentino", [None, None]).play("0 envido"), "unanswered envido"),
    (Hand.deal({"base": "argentino", "flor": True}, [None, None]).play("0 flor", "1 contraflor"), "unanswered flor"),
    (MINEIRO.play("0 3c", "1 3e", "0 cover"), "covered"),
    (MINEIRO.play("0 3c", "1 3e", "0 cover 2e"), "covered"),
    (Hand.deal("argentino", ["4c 3e 1e", None]).play("0 show 3e"), "shown"),
    (Hand.deal("truc", ["7c", "3c"]), "3 cards each"),
]


@pytest.mark.parametrize(("hand", "said"), WRONG, ids=[f"{said}-{n}" for n, (_, said) in enumerate(WRONG)])
def test_what_is_no_truco_of_two_to_be_solved_is_refused_with_a_reason(hand, said):
    with pytest.raises(SolverError, match=said):
        solve(hand)


def test_a_card_that_is_not_in_the_deck_is_refused():
    with pytest.raises(SolverError, match="not in the deck"):
        solve(DEAL.play("0 5c"), deck=toy_deck(DEAL.rules, "1e 7e 3e 2c 12o 4o"))


def test_the_tree_after_two_tricks_has_4_decisions_and_252_numbers():
    grown = solver_of(DEAL.play(*AFTER_TWO)).grown
    assert np.bincount(grown.nodes[:, KIND]).tolist() == [3, 4, 4]
    assert grown.used[N_STORE] == 252
    tied = solver_of(DEAL.play("0 3c", "1 3e", "0 2c", "1 2e")).grown
    assert np.bincount(tied.nodes[:, KIND]).tolist() == [3, 4, 4]


def test_the_tree_from_the_deal_has_7_196_and_4234_decisions_with_all_cards_and_one_and_two_played():
    deck = deck_of(DEAL.rules)
    grown = grow_tree(DEAL, deck)
    left = grown.nodes[:, LEFT_0] + grown.nodes[:, LEFT_1]
    decisions = np.bincount(left[grown.nodes[:, KIND] == DECISION_NODE], minlength=7)
    assert decisions[::-1].tolist() == [7, 196, 4234, 89010, 260734, 0, 0]
    assert Counter(left[grown.nodes[:, KIND] == LAST_CARD].tolist()) == {2: 544007}


@pytest.mark.parametrize(
    "events", [(), ("0 5c",), ("0 truco", "1 retruco", "0 vale-cuatro", "1 quiero")], ids=["deal", "card", "vale"]
)
def test_a_tree_walked_in_parts_by_three_gives_bit_by_bit_what_one_walk_gives(events, monkeypatch):
    """A deck of ten cards, so that the whole tree is small; a tremble two decisions deep reaches across the cut."""
    monkeypatch.setattr("trucostats.solver.game.cores", lambda: 3)
    cut = solver_of(DEAL.play(*events), deck=toy_deck(DEAL.rules, "1e 7e 3e 2c 12o 4o 5c 6c 6e 4e"))
    assert len(cut.front.root) > 3
    whole = solver_of(DEAL.play(*events), deck=cut.deck)
    whole.front = whole.front._replace(root=whole.front.root[:0])
    for solver in (cut, whole):
        solver.run(12, tremble=0.2, depth=2)
    assert cut.exploitability() == whole.exploitability()
    assert cut.work.regret.tobytes() == whole.work.regret.tobytes()
    assert cut.work.average.tobytes() == whole.work.average.tobytes()
    for solver in (cut, whole):
        solver.record(EVALUATE)
    assert cut.work.regret.tobytes() == whole.work.regret.tobytes()
    assert cut.work.sigma[0].tobytes() == whole.work.sigma[0].tobytes()
    assert cut.work.action_value[0].tobytes() == whole.work.action_value[0].tobytes()


def test_without_calls_the_mano_wins_4467_in_ten_thousand_hands():
    """A vale cuatro accepted before the first card leaves nothing to call; 4 points a hand."""
    solver = solver_of(DEAL.play("0 truco", "1 retruco", "0 vale-cuatro", "1 quiero"))
    solver.run(60)
    exploitability, low, high = (x / 4 for x in solver.exploitability())
    assert exploitability < 1e-4
    assert (1 + low) / 2 <= 0.44672 <= (1 + high) / 2
    assert (1 + float(solver.values(0).sum()) / 4) / 2 == pytest.approx(0.4467, abs=1e-4)


def test_a_deck_of_forty_has_14_ranks_101_pairs_502_hands_and_76767600_deals():
    deck = deck_of(rules_of("argentino"))
    assert deck.sizes.tolist() == [1, 14, 101, 502]
    assert deals(deck).sum() == 76_767_600
    assert prior(DEAL).sum() == 76_767_600


@pytest.mark.parametrize(
    "played", [("", ""), ("3e", ""), ("3e", "3b"), ("3e 3b", "2c"), ("2c", "3e 4o"), ("3e 3b 3c", "4o 4b")]
)
def test_consistent_hands_weigh_as_many_deals_of_cards_as_they_stand_for(played):
    names = ["3e", "3b", "3c", "2c", "2b", "4o", "4b", "1e"]
    deck = toy_deck(DEAL.rules, " ".join(names))
    cards = [[CARDS.index(name) for name in names.split()] for names in played]
    dealt = [parse_card(name) for name in names]
    counted = np.zeros((len(deck.multisets[3]), len(deck.multisets[3])))
    for first in combinations(dealt, 3):
        for second in combinations([card for card in dealt if card not in first], 3):
            if set(cards[0]) <= set(first) and set(cards[1]) <= set(second):
                counted[deck.index_of_cards(first), deck.index_of_cards(second)] += 1
    weights = consistent(deck, tuple([int(deck.rank_of[card]) for card in side] for side in cards))
    assert weights / weights.sum() == pytest.approx(counted / counted.sum())
