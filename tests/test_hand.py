"""`Hand`: what people ask of a position."""

import json

import pytest

from trucostats.batch import read_batch
from trucostats.errors import IllegalEvent, NotationError, RulesError
from trucostats.hand import Hand, positions
from trucostats.notation import decode_line, write_record
from trucostats.replay import replay_batch
from trucostats.rules import NAMES, rules_of
from trucostats.simulate import simulate
from trucostats.verdicts import findings_of
from trucostats.vocab import CARD_INDEX

DEAL = ["7c 5c 12e", "12o 11o 3b"]


def hand(**options):
    return Hand.deal("argentino", DEAL, **options)


def test_a_hand_never_changes():
    first = hand()
    before = first.state()
    second = first.play("0 truco")
    assert first.state() == before
    assert (first.pending, second.pending) == (None, "truco")
    assert first.events == ()
    assert second.events == ("0 truco",)
    assert first != second
    assert second == hand().play("0 Truco!")
    assert hash(second) == hash(hand().play("0 truco"))
    with pytest.raises(AttributeError):
        first.score = (1, 1)


def test_a_game_told_by_its_properties():
    told = hand(score=(3, 4)).play("0 truco", "1 quiero", "0 7c", "1 3b", "1 12o")
    assert (told.turn, told.stake, told.trick, told.tricks, told.leaders) == (0, 2, 2, (1,), (0, 1))
    assert told.table == {1: "12o"}
    assert told.cards(0) == ["12e", "5c"]
    assert told.dealt(0) == ["12e", "5c", "7c"]
    over = told.play("0 12e")
    assert over.over
    assert over.winner == 1
    assert over.score == (3, 6)
    assert over.points == {"envido": (0, 0), "flor": (0, 0), "truco": (0, 2)}
    assert over.turn is None
    assert over.pending is None
    assert over.legal() == []


def test_events_are_read_generously_and_kept_in_canonical_words():
    assert hand().play("0 Falta Envido", "1 No Quiero", "0 juego 7C").events == (
        "0 falta-envido",
        "1 no-quiero",
        "0 7c",
    )


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ("1 7c", "NOT_YOUR_TURN"),
        ("0 3b", "CARD_NOT_HELD"),
        ("0 retruco", "LADDER_ORDER"),
        ("0 quiero", "NOTHING_PENDING"),
        ("0 flor", "UNKNOWN_CALL"),
    ],
)
def test_why_not_and_play_give_the_same_reason(event, code):
    reason = hand().why_not(event)
    assert reason.endswith(f"[{code}]")
    assert not hand().can(event)
    with pytest.raises(IllegalEvent) as fault:
        hand().play("0 show 7c", event)
    assert fault.value.code == code
    assert f"`{event}`" in str(fault.value)
    assert str(fault.value).startswith("event 1 ")
    assert reason.rpartition(" [")[0] in str(fault.value)


def test_a_fault_names_what_would_be_right():
    hand = Hand.deal("argentino", DEAL)
    assert "the turn is ana's" in hand.why_not("1 3b")
    assert "those of ana make 32" in hand.play("0 envido", "1 quiero").why_not("0 33")
    # Nobody has to play a card before the number is said or the call is answered.
    assert "the turn" not in hand.play("0 envido", "1 quiero").why_not("1 20")
    assert "the turn" not in hand.play("0 truco").why_not("0 quiero")
    line = hand.play("0 7c").record.but(events=["0 7c", "0 5c"])
    batch = read_batch([write_record(line)])
    (found,) = findings_of(batch, replay_batch(batch), 0)
    assert "ana did `5c`; the turn is ben's" in found.message


def test_words_that_are_none():
    assert "did you mean 'truco'" in hand().why_not("0 trucco")
    assert hand().why_not("3 truco").endswith("[UNKNOWN_SEAT]")
    with pytest.raises(NotationError):
        hand().play("0 trucco")
    with pytest.raises(NotationError):
        hand().play("2 truco")


@pytest.mark.parametrize(
    ("arguments", "error", "code"),
    [
        ({"hands": ["7c 5c 12e", "7c 11o 3b"]}, IllegalEvent, "DUPLICATE_CARD"),
        ({"hands": ["7c 5c", "12o 11o 3b"]}, IllegalEvent, "DEAL_SIZE"),
        ({"hands": ["7c 5c 12e 1e 2e", "12o 11o 3b"]}, IllegalEvent, "DEAL_SIZE"),
        ({"hands": ["8c 5c 12e", None]}, NotationError, "UNKNOWN_CARD"),
        ({"hands": [None, None, None]}, NotationError, "SEAT_COUNT"),
        ({"hands": DEAL, "turned": "7o"}, NotationError, "TURNED_UNUSED"),
        ({"hands": DEAL, "rules": "uruguayo"}, NotationError, "TURNED_MISSING"),
        ({"hands": DEAL, "dealer": 2}, NotationError, "UNKNOWN_SEAT"),
    ],
)
def test_deals_that_are_refused(arguments, error, code):
    with pytest.raises(error) as fault:
        Hand.deal(arguments.pop("rules", "argentino"), arguments.pop("hands"), **arguments)
    assert fault.value.code == code


def test_rules_may_be_a_name_an_object_or_a_value():
    spec = {"base": "argentino", "target": 15}
    assert Hand.deal(spec, DEAL) == Hand.deal(rules_of(spec), DEAL)
    with pytest.raises(RulesError):
        Hand.deal("argentin", DEAL)


def test_settling_is_asked_for():
    open_envido = hand().play("0 envido", "1 quiero")
    assert open_envido.unsettled == "envido"
    assert open_envido.legal(1) == []
    assert open_envido.score == (0, 0)
    settled = open_envido.settled()
    assert (settled.score, settled.unsettled, settled.envido_winner) == ((2, 0), None, 0)
    assert open_envido.play("0 7c").score == (2, 0)
    spoken = open_envido.play("0 32", "1 son-buenas")
    assert (spoken.said(0), spoken.said(1), spoken.envido_winner) == (32, None, 0)


def test_unknown_hands_stay_unknown():
    partial = Hand.deal("argentino", ["7c 5c 12e", None]).play("0 envido", "1 quiero").settled()
    assert partial.score is None
    assert partial.points["envido"] is None
    assert partial.envido_winner is None
    assert partial.cards(1) == ["?"] * 3
    assert partial.envido(1) is None
    assert len([event for event in partial.play("0 7c").legal() if event.split(" ")[1] in CARD_INDEX]) == 37


def test_pica_pica():
    deal = ["1e 2e 3e", "4e 5e 6e", "7e 10e 11e", "1b 2b 3b", "4b 5b 6b", "7b 10b 11b"]
    duels = Hand.deal("argentino", deal, format="pica-pica", dealer=5)
    assert (duels.duel, duels.mano, duels.turn) == (0, 0, 0)
    assert duels.why_not("1 4e").endswith("[NOT_IN_DUEL]")
    after = duels.play("0 1e", "3 1b", "0 3e", "3 2b")
    assert (after.duel, after.mano, after.tricks, after.results) == (1, 1, (0, 0), ())
    assert after.points["truco"] == (1, 0)


@pytest.mark.parametrize("name", NAMES)
def test_positions_of_whole_matches(name):
    for line in simulate(name, matches=2, seed=8):
        record = decode_line(line)
        steps = list(positions(record))
        assert [step.events for step in steps] == [tuple(record.events[:k]) for k in range(len(record.events))]
        assert all(event in step.legal() for step, event in zip(steps, record.events, strict=True))
        end = Hand.from_record(record)
        assert end.record.events == record.events
        assert json.loads(write_record(end.record)) == {
            key: value for key, value in json.loads(line).items() if key != "points"
        }
        before, after = record.score, end.settled().score
        assert [now - then for now, then in zip(after, before, strict=True)] == list(record.points)


def test_positions_raise_at_the_fault():
    (line,) = simulate("argentino", hands=1, seed=1)
    record = decode_line(line.replace(b'"events":[', b'"events":["0 quiero",'))
    steps = positions(record)
    assert next(steps).events == ()
    with pytest.raises(IllegalEvent, match=r"event 0 `0 quiero`: there is nothing to answer"):
        next(steps)
