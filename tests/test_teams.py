"""Advice at tables of four and six: what is dealt, what is known, sure and lost hands, and whom it goes to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trucostats.advisor.intervals import wilson
from trucostats.advisor.playouts import OPEN_CARDS, open_play, sample
from trucostats.advisor.teams import (
    FITTED,
    TeamAdvice,
    advise_team,
    calls_before,
    candidates,
    seen_by,
)
from trucostats.chance import seeded
from trucostats.errors import IllegalEvent, SolverError
from trucostats.hand import Hand
from trucostats.kernel.params import STRENGTH, card_tables
from trucostats.kernel.values import envido_of, flor_of
from trucostats.policies import fill_powers
from trucostats.solver.equity import Outcome, Outcomes, match_equity
from trucostats.solver.live import Live
from trucostats.solver.ranges import mask_of
from trucostats.strength import mano_wins
from trucostats.vocab import card_name

NO_ENVIDO = {"base": "argentino", "envido": False}
SAID = ("0 envido", "1 quiero", "0 27", "1 31", "2 son-buenas", "3 son-buenas")


def deal(cards: str | list[str | None], players: int = 4, rules: Any = "argentino", **more: Any) -> Hand:
    hands = [cards, *[None] * (players - 1)] if isinstance(cards, str) else cards
    return Hand.deal(rules, hands, **more)


def advised(hand: Hand, hero: int = 0, **options: Any) -> TeamAdvice:
    advice = advise_team(hand, hero, **{"samples": 60} | options)
    assert isinstance(advice, TeamAdvice)
    assert advice.status == "heuristic"
    return advice


def dealt(hand: Hand, hero: int, n: int = 200, **options: Any) -> np.ndarray:
    """Return the hands that the sampler deals to the others: (n, seats)."""
    view, _ = seen_by(hand, hero, options.get("partner_cards"))
    masks, first, count, unknown = candidates(view, hero)
    states, row, cards = view.kernel
    powers = np.zeros(40, np.int64)
    fill_powers(cards, powers)
    moments, seats, verbs = calls_before(view, hero)
    hands, weights = np.zeros((n, 6), np.int64), np.zeros(n)
    assert sample(
        states, moments, seats, verbs, row, cards, powers, FITTED.row(), seeded(1), masks, first, count, unknown, hero,
        np.zeros(0, np.int64), OPEN_CARDS, hands, weights, np.zeros((n, 0, 2, 5)), np.zeros((n, 0), np.int64),
    )  # fmt: skip
    assert (weights > 0).all()
    return hands


@pytest.mark.parametrize("players", [4, 6])
def test_only_possible_cards_are_dealt(players: int) -> None:
    hand = deal("7c 5c 12e", players).play(
        "0 12e", "1 3b", "2 4b", *(["3 6e", "4 11o", "5 2c"] if players == 6 else ["3 6e"])
    )
    hand = hand.play("1 2e")
    hands = dealt(hand, 0)[:, 1:players]
    assert all(int(mask).bit_count() == 3 for mask in hands.ravel())
    for row in hands:
        assert int(np.bitwise_or.reduce(row)).bit_count() == 3 * (players - 1)
    assert not (hands & mask_of(["7c", "5c", "12e"])).any()
    assert (hands[:, 0] & mask_of(["3b", "2e"]) == mask_of(["3b", "2e"])).all()
    assert (hands[:, 1] & mask_of(["4b"])).all()
    assert not (hands[:, 1:] & mask_of(["3b", "2e"])).any()
    assert len(np.unique(hands[:, 1])) > 50


def test_every_deal_is_as_likely() -> None:
    # Whoever holds a card nobody has seen is each of three, or nobody, by the cards that are left.
    hands = dealt(deal("7c 5c 12e"), 0, 4000)
    shares = [(hands[:, seat] & mask_of(["1e"]) != 0).mean() for seat in (1, 2, 3)]
    assert shares == pytest.approx([3 / 37] * 3, abs=0.017)


def test_what_was_said_of_the_envido_holds() -> None:
    table = card_tables(deal("7c 5c 12e").rules)[40]
    hand = deal("7c 12c 5e").play(*SAID)
    hands = dealt(hand, 0)
    assert {int(envido_of(int(mask), table)) for mask in hands[:, 1]} == {31}
    assert max(int(envido_of(int(mask), table)) for mask in hands[:, 3]) > 0
    assert max(int(envido_of(int(mask), table)) for mask in hands[:, 2]) <= 31
    flor = deal("7c 12e 5e", rules={"base": "argentino", "flor": True}).play("0 12e", "1 flor", "1 4b", "2 4c", "3 6e")
    table = card_tables(flor.rules)[40]
    hands = dealt(flor, 0)
    assert all(flor_of(int(mask), table) >= 0 for mask in hands[:, 1])
    assert not any(flor_of(int(mask), table) >= 0 for mask in hands[:, 2])


def test_a_covered_card_is_gone() -> None:
    hand = deal("6c 5c 12e", rules="mineiro").play("0 6c", "1 3b", "2 5b", "3 6e", "1 2e", "2 cover", "3 12c")
    advice = advised(hand)
    assert {"5c", "12e", "cover 5c"} <= {option.action for option in advice.options}


def test_a_lost_hand_is_lost_and_a_sure_one_sure() -> None:
    lost = deal("4c 4b 5c").play("0 4c", "1 1b", "2 4e", "3 5b", "1 1e", "2 6e", "3 5e")
    advice = advised(lost.play("0 truco", "1 retruco"))
    assert advice.win_if_quiero == 0
    assert advice.best.action in ("no-quiero", "mazo")
    sure = deal("1e 7e 3b").play("0 3b", "1 4b", "2 4c", "3 4e", "0 1e", "1 truco")
    advice = advised(sure)
    assert advice.win_if_quiero == 1
    assert advice.option("quiero").points == 2
    assert advice.option("no-quiero").points == -1
    assert advice.best.action == "retruco"
    assert advice.take.linear == 0.25
    assert (advice.option("quiero").low, advice.option("quiero").high) == (pytest.approx(0.94, abs=0.01), 1)


def test_the_calls_of_others_count() -> None:
    before = deal("7e 3b 4c", rules=NO_ENVIDO, dealer=2)
    called, again = before.play("3 truco"), before.play("3 truco", "0 retruco", "3 vale-cuatro")
    open_minded = FITTED.__class__(bluff=(1, 1, 1), stand=1, loose=1)
    blind = advised(called, samples=300, habits=open_minded)
    assert blind.effective == pytest.approx(300)
    assert advised(called, samples=300).win_if_quiero < blind.win_if_quiero - 0.05
    assert advised(again, samples=300).take.linear == 0.125
    assert advised(again, samples=300).effective < 300


def test_cards_of_the_partner_are_used() -> None:
    events = ("3 truco",)
    alone = deal("4b 5c 6o", rules=NO_ENVIDO, dealer=2).play(*events)
    strong = advised(alone, partner_cards="1e 1b 7e")
    weak = advised(alone, partner_cards=["4c", "4e", "5b"])
    assert strong.partners == weak.partners == (2,)
    assert advised(alone).partners == ()
    assert strong.win_if_quiero > 0.9
    assert weak.win_if_quiero < 0.3
    assert (dealt(alone, 0, partner_cards="1e ? ?")[:, 2] & mask_of(["1e"])).all()
    # The record of a side knows the partner; a record of everybody is not what the hero saw.
    side = deal(["4b 5c 6o", None, "1e 1b 7e", None], rules=NO_ENVIDO, dealer=2).play(*events)
    assert advised(side).win_if_quiero == strong.win_if_quiero
    everybody = deal(["4b 5c 6o", "3b 3c 3e", "1e 1b 7e", "2b 2c 2e"], rules=NO_ENVIDO, dealer=2).play(*events)
    assert [option.win for option in advised(everybody).options] == [option.win for option in advised(alone).options]
    with pytest.raises(SolverError, match="no partner"):
        advised(alone, partner_cards={1: "1e 1b 7e"})
    with pytest.raises(IllegalEvent):
        advised(alone, partner_cards="4b 1b 7e")
    with pytest.raises(SolverError, match="by seat"):
        advised(deal("4b 5c 6o", 6), partner_cards="1e 1b 7e")


def open_result(hand: Hand) -> int:
    """Return who wins the tricks with open cards as `playouts` finds it."""
    states, row, cards = hand.kernel
    return open_play(
        states[:1].repeat(42),
        row,
        cards,
        np.zeros((20, 8), np.int64),
        np.zeros(20, np.int64),
        np.zeros((20, 2), np.int64),
    )


def naive_result(hand: Hand) -> int:
    """Return the same by looking at every play."""
    if hand.over:
        return 0 if hand.winner is None else 1 - 2 * hand.winner
    results = [naive_result(hand.play(f"{hand.turn} {card}")) for card in hand.cards(hand.turn)]
    return max(results) if hand.turn % 2 == 0 else min(results)


def test_open_cards_are_played_best() -> None:
    rng = np.random.default_rng(5)
    strengths = card_tables(deal("7c 5c 12e").rules)[40, STRENGTH]
    for _ in range(200):
        cards = rng.permutation(40)[:6]
        hand = Hand.deal("argentino", [" ".join(map(card_name, cards[:3])), " ".join(map(card_name, cards[3:]))])
        assert (open_result(hand) == 1) == mano_wins(strengths[cards[:3]], strengths[cards[3:]])
    results = set()
    for _ in range(6):
        cards = rng.permutation(40)[:12]
        hand = Hand.deal("argentino", [" ".join(map(card_name, cards[k : k + 3])) for k in (0, 3, 6, 9)])
        hand = hand.play(*(f"{seat} {hand.cards(seat)[0]}" for seat in range(4)))
        results.add(naive_result(hand))
        assert open_result(hand) == naive_result(hand)
    assert results == {1, -1}


def test_equal_seeds_give_equal_advice() -> None:
    hand = deal("7e 3b 4c", rules=NO_ENVIDO)
    first, second, other = (advised(hand, seed=seed).options for seed in (4, 4, 5))
    assert first == second != other
    assert all(option.frequency is None and option.error >= 0 for option in first)
    assert all(option.low <= option.win <= option.high for option in first)


def test_six_play_too() -> None:
    advice = advised(deal("1e 1b 7e", 6, rules=NO_ENVIDO))
    assert {option.action for option in advice.options} == {"1e", "1b", "7e", "mazo", "truco"}
    assert advice.option("7e").win > 0.95
    known = advised(deal("4b 5c 6o", 6, rules=NO_ENVIDO), partner_cards={2: "1e 1b ?", 4: "7e 7o 3b"})
    assert known.partners == (2, 4)
    assert known.best.win > 0.95


def test_words_of_the_envido_are_left_out_but_an_answer_is_valued() -> None:
    advice = advised(deal("7c 6c 12e"))
    assert advice.left_out == ("envido", "real-envido", "falta-envido")
    asked = deal("7c 6c 12e", dealer=2).play("3 envido")
    advice = advised(asked, samples=300)
    assert advice.take is None
    assert advice.win_if_quiero is None
    assert advice.option("quiero").points > advice.option("no-quiero").points + 1  # 33 rarely loses
    with pytest.raises(SolverError, match="nothing to decide"):
        advised(deal("7c 6c 12e", dealer=2), 0)


def test_at_the_score_the_match_counts() -> None:
    even = Outcomes.of([Outcome(0.5, 1, 0), Outcome(0.5, 0, 1)], rules=deal("7c 5c 12e").rules, status="coins")
    equity = match_equity(even)
    hand = deal("4b 5c 6o", rules=NO_ENVIDO, dealer=2, score=(10, 29)).play("3 truco")
    advice = advised(hand, match=match_equity(even))
    assert advice.take.chance == 0
    assert advice.option("no-quiero").match == pytest.approx(0)
    assert advice.best.action in ("quiero", "retruco")
    even_hand = deal("1e 7e 3b", score=(28, 28)).play("0 3b", "1 4b", "2 4c", "3 4e", "0 1e", "1 truco")
    assert advised(even_hand, match=equity).option("quiero").match == 1
    assert advised(even_hand, match=equity).take.chance == pytest.approx(0.25)


def test_an_envido_may_win_the_game_first() -> None:
    hand = deal("7c 6c 12e", dealer=2, score=(29, 0)).play("3 envido")
    advice = advised(hand, samples=200)
    assert advice.option("quiero").win > 0.8


def test_a_duel_of_pica_pica_goes_to_the_solver() -> None:
    hands: list[str | None] = [None] * 6
    hands[4] = "1e 3o 5b"
    hand = Hand.deal(NO_ENVIDO, hands, format="pica-pica").play("0 3c", "3 3b", "0 2e", "3 4c")
    assert hand.duel == 1
    duel = hand.play("1 2b", "4 3o", "4 5b", "1 1c", "1 truco")
    advice = advise_team(duel, 4)
    assert isinstance(advice, Live)
    assert advice.status != "heuristic"
    assert advice.option("quiero").win == pytest.approx(1)
    with pytest.raises(SolverError, match="not in the duel"):
        hands[3] = "4e 6b 6o"
        before = Hand.deal(NO_ENVIDO, hands, format="pica-pica").play("0 3c", "3 4e", "0 2e", "3 6b")
        advise_team(before, 3)


def test_what_cannot_be_advised_is_said() -> None:
    with pytest.raises(SolverError, match="must be known"):
        advise_team(deal("7c 5c ?"), 0)
    with pytest.raises(SolverError, match="between two"):
        advise_team(Hand.deal("argentino", ["7c 5c 12e", None]), 0)
    with pytest.raises(SolverError, match="no seat 4"):
        advise_team(deal("7c 5c 12e"), 4)
    with pytest.raises(SolverError, match="over"):
        advise_team(deal("7c 5c 12e").play("0 truco", "1 no-quiero"), 0)
    with pytest.raises(SolverError, match="2 deals"):
        advise_team(deal("7c 5c 12e"), 0, samples=1)
    assert wilson(0.0, 100)[0] == 0


def test_no_chance_for_the_match_where_nobody_knows_the_score() -> None:
    even = Outcomes.of([Outcome(0.5, 1, 0), Outcome(0.5, 0, 1)], rules=deal("7c 5c 12e").rules, status="coins")
    asked = deal("7c 5c 12e").play("0 envido", "1 quiero", "0 12e", "1 truco")
    assert asked.settled().score is None
    known = deal("7c 5c 12e").play("0 12e", "1 truco")
    for hand, match, chance in ((asked, None, None), (known, match_equity(even), pytest.approx(0.25, abs=0.01))):
        take = advised(hand, 0, match=match).take
        assert take is not None
        assert (take.word, take.linear, take.chance) == ("truco", 0.25, chance)
