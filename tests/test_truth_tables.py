"""Small tables that can be counted in full, through the kernel's own functions."""

import collections
import itertools

import numpy as np
import pytest

from trucostats.hand import Hand
from trucostats.kernel.params import FACE, NO_TURNED, PIEZA, STRENGTH, card_tables, rules_row
from trucostats.kernel.state import BLANK, NOBODY, TIE
from trucostats.kernel.tricks import decided
from trucostats.kernel.values import envido_of, flor_of
from trucostats.rules import NAMES, rules_of
from trucostats.vocab import CARD_INDEX, CARDS

ENVIDO_OF_HANDS = {
    0: 108, 1: 148, 2: 244, 3: 364, 4: 508, 5: 676, 6: 868, 7: 1084, 20: 364, 21: 372, 22: 372, 23: 504, 24: 504, 25: 640, 26: 640,
    27: 780, 28: 408, 29: 420, 30: 284, 31: 292, 32: 148, 33: 152,
}  # fmt: skip
HANDS = [sum(1 << card for card in cards) for cards in itertools.combinations(range(40), 3)]


def table(rules, turned=NO_TURNED):
    return card_tables(rules_of(rules))[turned]


def test_every_trick_of_two_cards():
    """40 x 40 duels, a card against itself tied with the rest of its group: 730 won, 730 lost, 100 tied."""
    results = collections.Counter()
    for first, second in itertools.permutations(CARDS, 2):
        hand = Hand.deal("argentino", [f"{first} ? ?", f"{second} ? ?"]).play(f"0 {first}", f"1 {second}")
        results[hand.tricks[0]] += 1
    assert results == {0: 730, 1: 730, "tie": 100}


@pytest.mark.parametrize(("rules", "strengths"), [("argentino", 14), ("truc", 10), ("brasileiro", 14), ("mineiro", 14)])
def test_number_of_strengths(rules, strengths):
    assert len(set(table(rules)[STRENGTH])) == strengths


@pytest.mark.parametrize("rules", ["paulista", "uruguayo"])
def test_number_of_strengths_with_any_turned_card(rules):
    wanted = {"paulista": {13}, "uruguayo": {19}}[rules]
    assert {len(set(table(rules, turned)[STRENGTH])) for turned in range(40)} == wanted


def winner(pattern, mano, row):
    rows = BLANK.copy()
    state = rows[0]
    state.mano, state.dealt_each = mano, 3
    for trick, result in enumerate(pattern):
        state.results[trick] = result
        state.trick = trick + 1
        found = decided(state, row)
        if found != NOBODY:
            return found
    return None


@pytest.mark.parametrize("rules", [name for name in NAMES if rules_of(name).all_tied == "mano"])
@pytest.mark.parametrize("mano", [0, 1])
def test_every_pattern_of_three_tricks(rules, mano):
    """27 patterns, 14 for the mano and 13 for the pie: the difference is the hand of three ties."""
    row = rules_row(rules_of(rules))[0]
    patterns = list(itertools.product((0, 1, TIE), repeat=3))
    won = collections.Counter(winner(pattern, mano, row) for pattern in patterns)
    assert won == {mano: 14, 1 - mano: 13}
    assert winner((TIE, TIE, TIE), mano, row) == mano


def test_a_hand_of_ties_may_be_nobodys():
    row = rules_row(rules_of("mineiro"))[0]
    assert collections.Counter(winner(pattern, 0, row) for pattern in itertools.product((0, 1, TIE), repeat=3)) == {
        0: 13,
        1: 13,
        None: 1,
    }


def test_envido_of_every_hand():
    cards = table("argentino")
    assert collections.Counter(envido_of(hand, cards) for hand in HANDS) == ENVIDO_OF_HANDS
    assert not set(range(8, 20)) & set(ENVIDO_OF_HANDS)
    assert sum(value * count for value, count in ENVIDO_OF_HANDS.items()) / 9880 == pytest.approx(17.361, abs=5e-4)


def test_flor_of_every_hand():
    cards = table("argentino")
    values = [flor_of(hand, cards) for hand in HANDS]
    flores = [value for value in values if value >= 0]
    assert len(flores) == 480
    assert (min(flores), max(flores)) == (20, 38)


def test_court_cards_count_nothing_and_no_card_is_a_pieza():
    cards = table("argentino")
    assert [cards[FACE, CARD_INDEX[name]] for name in ("1e", "7c", "10o", "11b", "12e")] == [1, 7, 0, 0, 0]
    assert not cards[PIEZA].any()


def test_uruguayan_maxima():
    """Over all 40 turned cards an envido is at most 37 and a flor at most 47; both are reached."""
    best_envido, best_flor = 0, 0
    for turned in range(40):
        cards = table("uruguayo", turned)
        # Only hands with a pieza can pass 33; the others are those of the plain tables.
        piezas = np.flatnonzero(cards[PIEZA]).tolist()
        assert sorted(cards[PIEZA, piezas]) == [27, 27, 28, 29, 30]
        others = [card for card in range(40) if card != turned]
        for pieza in piezas:
            for pair in itertools.combinations([card for card in others if card != pieza], 2):
                hand = 1 << pieza | 1 << pair[0] | 1 << pair[1]
                best_envido = max(best_envido, envido_of(hand, cards))
                best_flor = max(best_flor, flor_of(hand, cards))
    assert (best_envido, best_flor) == (37, 47)
