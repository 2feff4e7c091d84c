"""Ranges by enumeration: what is public takes out exactly the hands it should, and two ranges make the deals they should."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.kernel.params import NO_TURNED, card_tables
from trucostats.kernel.values import envido_of
from trucostats.notation import decode_line
from trucostats.rules import rules_of
from trucostats.simulate import simulate
from trucostats.solver.deck import consistent, deals
from trucostats.solver.growth import played_ranks
from trucostats.solver.ranges import (
    Known,
    hands_at,
    hands_of,
    hero_row,
    joint,
    mask_of,
    pairs,
    possible,
    summary,
    types_by_number,
)
from trucostats.solver.solve import solve
from trucostats.vocab import CARD_INDEX, CARDS

OWN = ("1e", "7c", "4b")
BEFORE = Hand.deal("argentino", [None, None])
ENVIDO = "0 envido", "1 quiero"


def names(mask):
    return {CARDS[card] for card in range(40) if mask >> card & 1}


@pytest.mark.parametrize(("rules", "turned", "count"), [("argentino", None, 9880), ("uruguayo", "4e", 9139)])
def test_every_hand_is_there_once_with_its_type_and_numbers(rules, turned, count):
    turned = NO_TURNED if turned is None else CARD_INDEX[turned]
    hands = hands_of(rules_of(rules), turned)
    assert len(set(hands.masks.tolist())) == len(hands) == count
    cards = card_tables(rules_of(rules))[turned]
    for k in range(0, len(hands), 97):
        assert hands.types[k] == hands.deck.index_of_cards(hands.cards[k])
        assert hands.envido[k] == envido_of(int(hands.masks[k]), cards)
    # Two piezas make no envido, and are always a flor.
    assert (hands.flor[hands.envido < 0] >= 0).all()
    assert (hands.envido < 0).any() == (rules == "uruguayo")


# The number said by the pie, or the number conceded to: hands, bits of the type of ranks, chance of a mata.
SAID = [
    ((), 7770, 8.13, 0.230),
    (("0 20", "1 27"), 573, 6.73, 0.401),
    (("0 20", "1 31"), 203, 4.69, 0.374),
    (("0 20", "1 20"), 337, 4.91, 0.080),
    (("0 5", "1 0"), 108, 3.12, 0.0),
    (("0 5", "1 25"), 532, 5.62, 0.079),
    (("0 20", "1 32"), 102, 4.96, 0.69),
    (("0 28", "1 son-buenas"), 6839, 8.05, 0.206),
]


@pytest.mark.parametrize(("said", "count", "bits", "mata"), SAID)
def test_a_number_said_leaves_the_hands_that_have_it(said, count, bits, mata):
    hand = BEFORE.play(*(ENVIDO if said else ()), *said)
    told = summary(hands_at(hand), possible(hand, 1, OWN))
    assert told.hands == count
    assert told.entropy == pytest.approx(bits, abs=0.006)
    assert told.shares["a mata"] == pytest.approx(mata, abs=0.0065)


def test_a_number_and_a_card_seen_leave_a_handful():
    counts = {}
    for card in sorted(set(CARDS) - set(OWN)):
        hand = BEFORE.play(*ENVIDO, "0 20", "1 27", "0 7c", f"1 {card}")
        fits = possible(hand, 1, OWN)
        counts[card] = int(fits.sum()), len(set(hands_at(hand).types[fits].tolist()))
    assert max(counts.values()) == (101, 37)
    assert counts["6o"] == (43, 21)
    # The 27 of 3b 4b is in nobody's hand, so a 3b seen leaves few others.
    assert min(counts.values()) == (14, 9)


def test_a_mano_who_has_spoken_wins_ties_so_one_may_concede_to_the_same_number():
    hand = BEFORE.play(*ENVIDO, "0 28", "1 son-buenas")
    assert hands_at(hand).envido[possible(hand, 1)].max() == 28
    assert possible(hand, 1, honest=False).all()
    # Of one who has not spoken nothing is known, though his rival has won by default.
    assert possible(BEFORE.play(*ENVIDO, "0 28"), 1).all()
    assert set(hands_at(hand).envido[possible(hand, 0)].tolist()) == {28}


def test_only_what_is_on_the_table_counts():
    hand = Hand.deal("argentino", ["1e 7c 4b", "3b 3c 12o"]).play("0 4b", "1 3b")
    known = Known.of(hand, 1, OWN)
    assert names(known.holds) == {"3b"}
    assert names(known.lacks) == set(OWN)
    everyone = Known.of(hand, 1)
    assert names(everyone.lacks) == {"4b"}
    shown = hand.play("1 show 12o")
    assert names(Known.of(shown, 1).holds) == {"3b", "12o"}
    assert "12o" in names(Known.of(shown, 0).lacks)


def test_partners_concede_nothing_to_each_other():
    hand = Hand.deal("argentino", [None] * 4)
    hand = hand.play("0 envido", "1 quiero", "0 24", "1 27", "2 son-buenas", "3 son-buenas")
    assert Known.of(hand, 2).most == 27
    assert Known.of(hand, 3).most is None
    assert Known.of(hand, 1).number == 27


def test_a_flor_announced_or_not():
    hand = Hand.deal({"base": "argentino", "flor": True}, [None, None])
    assert Known.of(hand, 0).flor is None
    hand = hand.play("0 flor")
    hands = hands_at(hand)
    assert possible(hand, 0).sum() == 480
    assert possible(hand, 1).all()
    hand = hand.play("0 3c", "1 2e")
    assert (hands.flor[possible(hand, 1)] < 0).all()
    assert (hands.flor[possible(hand, 1, honest=False)] >= 0).any()
    assert Known.of(BEFORE.play("0 3c"), 0).flor is None


def test_the_joint_weights_without_knowledge_are_the_deals():
    assert np.array_equal(joint(BEFORE), deals(hands_at(BEFORE).deck))


@pytest.mark.parametrize(
    "events", [("0 3c",), ("0 3c", "1 3b"), ("0 3c", "1 3b", "0 4e", "1 4o"), ("0 7c", "1 1c", "1 1o")]
)
def test_the_joint_weights_after_cards_are_the_consistent_ones(events):
    hand = BEFORE.play(*events)
    deck = hands_at(hand).deck
    found, wanted = joint(hand), consistent(deck, played_ranks(hand, deck))
    assert np.array_equal(found > 0, wanted > 0)
    assert np.ptp(wanted[wanted > 0] / found[wanted > 0]) < 1e-9


def test_the_joint_weights_are_those_of_a_count_one_by_one():
    rng = np.random.default_rng(5)
    hands = hands_at(BEFORE)
    some = np.zeros((2, len(hands)))
    for row in some:
        row[rng.choice(len(hands), 150, replace=False)] = rng.random(150)
    some[1, :40] = some[0, :40] = 1.0
    found = joint(BEFORE, some[0], some[1])
    wanted = np.zeros_like(found)
    for a, b in ((a, b) for a in np.flatnonzero(some[0]) for b in np.flatnonzero(some[1])):
        if not hands.masks[a] & hands.masks[b]:
            wanted[hands.types[a], hands.types[b]] += some[0, a] * some[1, b]
    assert np.allclose(found, wanted, rtol=1e-9, atol=0)


def test_the_heros_own_cards_count_exactly():
    row = hero_row(BEFORE, OWN, np.ones(9880))
    hands = hands_at(BEFORE)
    wanted = np.zeros(len(row))
    for cards in combinations(sorted(set(range(40)) - {CARD_INDEX[name] for name in OWN}), 3):
        wanted[hands.deck.index_of_cards(cards)] += 1
    assert np.array_equal(row, wanted)


def test_types_of_ranks_and_numbers():
    hands = hands_at(BEFORE)
    table = types_by_number(hands, np.ones(len(hands)))
    assert (table > 0).sum() == 1476
    assert table.sum() == 9880
    fits = possible(BEFORE.play(*ENVIDO, "0 20", "1 33"), 1)
    assert np.array_equal(table[:, 33], np.bincount(hands.types[fits], minlength=len(table)))


def test_a_number_said_moves_the_worth_of_a_spot():
    """With 31 the mano who has shown 3c and 4e holds the 7e, which loses to nothing the pie may have but the 1e and 1b."""
    cards = "0 3c", "1 2e", "0 4e", "1 5c"
    plain = BEFORE.play(*cards)
    said = BEFORE.play(*ENVIDO, "0 31", "1 son-buenas", *cards)
    worth = [solve(hand, weights=joint(hand), target=0.001).values[0] for hand in (plain, said)]
    assert worth[0] == pytest.approx(solve(plain, target=0.001).values[0], abs=0.002)
    assert worth[1] > worth[0] + 0.5


def test_what_cannot_be_is_said():
    hand = BEFORE.play(*ENVIDO, "0 20", "1 33")
    with pytest.raises(SolverError, match="agree"):
        joint(hand, np.zeros(9880), np.ones(9880))
    with pytest.raises(SolverError, match="agree"):
        summary(hands_at(hand), np.zeros(9880))
    with pytest.raises(SolverError, match="two"):
        joint(Hand.deal("argentino", [None] * 4))
    with pytest.raises(SolverError, match="three cards"):
        Known.of(Hand.deal({"base": "argentino", "one_card": True}, ["7c", "3c"]), 0)


def test_a_summary_leaves_out_the_cards_gone():
    hands = hands_at(BEFORE)
    holds = (hands.masks & mask_of(["1e"])) != 0
    assert summary(hands, holds).shares["a 1e"] == pytest.approx(1)
    assert summary(hands, holds, mask_of(["1e"])).shares["a 1e"] == 0
    told = summary(hands, np.ones(len(hands)))
    assert told.shares["flor"] == pytest.approx(480 / 9880)
    assert sum(told.shares[name] for name in told.shares if name.startswith("envido")) == pytest.approx(1)


def test_pairs_of_labels_are_symmetric():
    hands = hands_at(BEFORE)
    ways = pairs(hands, hands.envido, 34, np.ones(len(hands)), np.ones(len(hands)))
    assert ways.sum() == 76_767_600
    assert np.array_equal(ways, ways.T)


@pytest.mark.parametrize(("rules", "players"), [("argentino", 2), ("argentino", 6), ("uruguayo", 4), ("gaucho", 2)])
@pytest.mark.parametrize("policy", ["plain", "random"])
def test_the_hand_he_has_is_always_among_the_possible(rules, players, policy):
    """Players of the plain policy concede and announce honestly, random ones do not."""
    seen = 0
    for line in simulate(rules, hands=25, players=players, policy=policy, seed=3):
        hand = Hand.from_record(decode_line(line))
        for seat in range(players):
            fits = possible(hand, seat, hand.dealt((seat + 1) % players), honest=policy == "plain")
            assert fits[hands_at(hand).index(hand.dealt(seat))], (hand.events, seat)
            seen += fits.sum() < 1000
    assert seen


def test_a_filter_takes_well_below_a_millisecond():
    """A loose bound, for busy machines; benchmarks/envido_coupling.py measures."""
    hand = BEFORE.play(*ENVIDO, "0 20", "1 27", "0 7c", "1 12e")
    known, hands = Known.of(hand, 1, OWN), hands_at(hand)
    begun = time.perf_counter()
    for _ in range(20):
        known.possible(hands)
    assert (time.perf_counter() - begun) / 20 < 0.005
