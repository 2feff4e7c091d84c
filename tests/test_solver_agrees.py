"""On decks of a few cards the solver and the naive solver, which leaves nothing out, find the same value."""

import pytest
from naive_solver import Naive, toy_deck

from trucostats.hand import Hand
from trucostats.solver.solve import solve
from trucostats.vocab import VERBS

ARGENTINE = {"base": "argentino", "envido": False}
SHORT = ARGENTINE | {"ladder": [["truco", 2], ["retruco", 3]]}
CATALAN = {"base": "truc", "special_hand": None}
MINEIRO = {"base": "mineiro", "covered_from": None, "special_hand": None, "ladder": [["truco", 4], ["seis", 6]]}
SIX = "1e 7e 3e 2c 12o 4o"
SEVEN = "1e 1b 7e 3e 3b 2c 4o"
EIGHT = "1e 3e 3b 2c 2b 12o 4o 4b"
PAIRS = "3e 3b 2c 2b 12o 12e 4o"
SOLVED = 5e-4

# A name, rules, the deck, what has happened, the dealer (the other is mano), and how near the naive bounds must come.
CASES = [
    ("from the deal, six cards, no two alike", ARGENTINE, SIX, "", 1, 0.002),
    ("from the deal, seven cards with a tie", SHORT, SEVEN, "", 1, 0.01),
    ("one card played", ARGENTINE, SEVEN, "0 3e", 1, 0.004),
    ("one card played, seat 1 mano", ARGENTINE, SEVEN, "1 7e", 0, 0.004),
    ("a truco waits in the first trick", ARGENTINE, SEVEN, "0 3e, 1 truco", 1, 0.002),
    ("a retruco waits in the first trick", ARGENTINE, SEVEN, "0 truco, 1 retruco", 1, 0.004),
    ("after the first trick", ARGENTINE, SEVEN, "0 3e, 1 1b", 1, 0.002),
    ("after a tie", ARGENTINE, SEVEN, "0 3e, 1 3b", 1, 0.002),
    ("after the first trick, eight cards", ARGENTINE, EIGHT, "0 2c, 1 12o", 1, 0.002),
    ("a truco accepted in the first trick", ARGENTINE, EIGHT, "0 2c, 1 truco, 0 quiero, 1 3e", 1, 0.002),
    ("a truco waits in the second trick, seat 1 mano", ARGENTINE, EIGHT, "1 2c, 0 12o, 1 4o, 0 truco", 0, 0.002),
    ("after the second trick", ARGENTINE, EIGHT, "0 2c, 1 12o, 0 4o, 1 3e", 1, 0.001),
    ("the last card shown", ARGENTINE, EIGHT, "0 2c, 1 12o, 0 4o, 1 3e, 1 2b", 1, 0.001),
    ("calls also after one's card, from the deal", CATALAN, "3e 3b 2c 12o 12e 4o", "", 1, 0.002),
    ("calls also after one's card, one card played", CATALAN, PAIRS, "0 2c", 1, 0.004),
    ("a call right after one's card waits", CATALAN, PAIRS, "0 2c, 0 truc", 1, 0.002),
    ("calls also after one's card, seat 1 mano, a trick lost", CATALAN, PAIRS + " 3c", "1 2c, 0 3c", 0, 0.002),
    ("a tie of all tricks is void, from the deal", MINEIRO, "3e 3b 2c 2b 12o 12e", "", 1, 0.002),
    ("a tie of all tricks is void, one card played", MINEIRO, "4b 3e 3b 2c 2b 12o 12e", "0 3e", 1, 0.004),
    ("a tie of all tricks is void, after a tie", MINEIRO, "4b 3e 3b 2c 2b 12o 12e", "0 3e, 1 3b", 1, 0.002),
    ("a tie of all tricks is void, after two ties", MINEIRO, "4b " + PAIRS, "0 3e, 1 3b, 0 2c, 1 2b", 1, 0.002),
]


@pytest.mark.parametrize(
    ("spec", "deck", "events", "dealer", "gap"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_the_solver_leaves_out_only_what_nobody_misses(spec, deck, events, dealer, gap):
    hand = Hand.deal(spec, [None, None], dealer=dealer).play(*filter(None, events.split(", ")))
    naive = Naive(hand, deck)
    low, high = naive.solve(gap)
    solution = solve(hand, deck=toy_deck(hand.rules, deck), target=SOLVED, iterations=4000)
    _, least, most = solution.solver.exploitability()
    assert low <= high
    assert high - low <= gap
    assert least <= solution.values[0] <= most
    assert solution.exploitability <= SOLVED
    # Both intervals hold the one value of the game.
    assert least <= high + 1e-6
    assert low <= most + 1e-6
    assert low - 2 * SOLVED <= solution.values[0] <= high + 2 * SOLVED


def test_the_naive_solver_leaves_nothing_out():
    """It offers the mazo on one's turn, the next call to him who has just accepted one, and every course of play."""
    hand = Hand.deal(ARGENTINE, [None, None])
    naive = Naive(hand, SIX)
    assert naive.deals == 20
    assert [VERBS[code] for code, _ in naive.graph.found[0].words] == ["mazo", "truco"]
    assert (naive.player < 0).sum() > 20 * 2441  # the ends of cards and truco alone, see test_perft
    accepted = Naive(hand.play("0 truco", "1 retruco", "0 quiero"), SIX)
    assert [VERBS[code] for code, _ in accepted.graph.found[0].words] == ["mazo", "vale-cuatro"]
