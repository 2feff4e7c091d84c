"""What a player did tells of his cards, whichever seat he has and however late he did it; what nobody does is solved again."""

from __future__ import annotations

import pytest

from trucostats.hand import Hand
from trucostats.rules import rules_of
from trucostats.solver.blueprint import blueprint_of
from trucostats.solver.live import Live, evaluate, ranges_of

SPOTS = {
    "deal": ((), 0, "12c 3e 6c"),
    "one card": (("0 12c", "1 truco"), 0, "12c 3e 6c"),
    "trick 2": (("0 12e", "1 2o", "1 5e", "0 3e", "0 truco"), 1, "2o 5e 5o"),
    "last card": (("0 12e", "1 2o", "1 5e", "0 3e", "0 7c", "1 truco"), 0, "12e 3e 7c"),
}


def spot(events: tuple[str, ...], hero: int, cards: str, mano: int = 0) -> Hand:
    """The same hand with either seat as mano."""
    turned = tuple(f"{(int(event[0]) + mano) % 2}{event[1:]}" for event in events)
    deal = [cards if (seat + mano) % 2 == hero else None for seat in (0, 1)]
    return Hand.deal("argentino", deal, dealer=1 - mano).play(*turned)


def worths(live: Live) -> dict[str, float]:
    return {option.action: option.points for option in live.options}


@pytest.mark.parametrize("name", SPOTS)
def test_the_seats_do_not_matter(name: str) -> None:
    events, hero, cards = SPOTS[name]
    one = evaluate(spot(events, hero, cards), hero, target=5e-4)
    other = evaluate(spot(events, hero, cards, mano=1), 1 - hero, target=5e-4)
    assert one.status == other.status
    assert {rival.ranks for rival in one.rivals} == {rival.ranks for rival in other.rivals}
    played = [option.action for option in one.options if option.frequency > 0.5]
    assert [worths(one)[word] for word in played] == pytest.approx([worths(other)[word] for word in played], abs=0.03)


@pytest.mark.parametrize("name", ["trick 2", "last card"])
def test_a_call_after_the_first_trick_tells_of_the_caller(name: str) -> None:
    events, hero, cards = SPOTS[name]
    hand = spot(events, hero, cards)
    plan = blueprint_of(rules_of("argentino"))
    with_call, without = ranges_of(hand, hero, plan), ranges_of(spot(events[:-1], hero, cards), hero, plan)
    assert with_call.track is not None
    assert with_call.track.events == len(events)
    assert not with_call.track.inside  # the blueprint, whose nodes are others, is not asked
    assert abs(with_call.rival - without.rival).sum() > 0.002


def test_a_call_that_loses_more_is_refused() -> None:
    events, hero, cards = SPOTS["trick 2"]
    live = evaluate(spot(events, hero, cards), hero)
    assert live.best.action == "no-quiero"  # by the whole solution quiero is worth -1.27
    assert worths(live)["quiero"] == pytest.approx(-1.27, abs=0.06)


def test_the_blueprint_is_not_asked_where_its_players_never_come() -> None:
    plan = blueprint_of(rules_of("argentino"))
    assert plan is not None
    called = ("0 12c", "1 truco", "0 retruco", "1 vale-cuatro")
    assert plan.share(spot(("0 12c",), 1, "2c 3e 6c")) > 0.1
    assert plan.share(spot(called, 0, "12c 7o 6c")) < 1e-5
    assert evaluate(spot(called, 0, "12c 7o 6c"), 0, target=0.01).status == "solved"


def test_an_envido_over_a_truco_leaves_the_truco_to_be_answered() -> None:
    plan = blueprint_of(rules_of("argentino"))
    assert plan is not None
    plain = Hand.deal("argentino", [None, None], dealer=1).play("0 truco")
    over = plain.play("1 envido", "0 no-quiero")
    assert plan.track(over).node == plan.track(plain).node
    assert plan.track(over.play("1 no-quiero")).node != plan.track(plain).node
    accepted = plain.play("1 envido", "0 quiero", "0 20", "1 27", "1 quiero")
    assert plan.track(accepted).node == plan.track(plain.play("1 quiero")).node
