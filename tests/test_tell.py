"""Hands in words."""

import json
import re

import pytest

from trucostats.errors import IllegalEvent
from trucostats.hand import positions
from trucostats.notation import decode_line
from trucostats.phrases import PHRASES
from trucostats.rules import NAMES, rules_of
from trucostats.simulate import simulate
from trucostats.tell import tell

TABLES = [(name, seats) for name in NAMES for seats in rules_of(name).players]


def record(events, **changes):
    base = {
        "v": 1, "match": "m", "hand": 1, "rules": "argentino", "players": ["ana", "ben"], "dealer": 1, "score": [0, 0],
        "deal": ["7c 5c 12e", "12o 11o 3b"],
    }  # fmt: skip
    return decode_line(json.dumps(base | changes | {"events": events}).encode())


def test_languages_have_the_same_phrases():
    """Every language has every phrase, with the same places to fill."""
    places = {
        language: {key: sorted(re.findall(r"{\w+}", text)) for key, text in phrases.items()}
        for language, phrases in PHRASES.items()
    }
    for language, phrases in places.items():
        assert phrases.keys() == places["en"].keys()
        differing = {key for key, found in phrases.items() if found != places["en"][key]}
        assert not differing, language


@pytest.mark.parametrize("language", PHRASES)
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_whole_matches_can_be_told(name, seats, language):
    for view in (None, 0):
        for line in simulate(name, players=seats, hands=6, seed=3, policy="random", view=view):
            one = decode_line(line)
            text = tell(one, language=language)
            assert all(player in text for player in one.players)
            assert re.findall(r"(?m)^ *(\d+) ", text) == [str(n) for n in range(len(one.events))]
            assert "{" not in text
            assert "\x1b" not in text
            for at in range(0, len(one.events) + 1, 3):
                assert tell(one, at=at, language=language)


def test_the_score_after_is_told():
    for line in simulate("gaucho", matches=3, seed=2):
        one = decode_line(line)
        after = [before + won for before, won in zip(one.score, one.points, strict=True)]
        assert f"Score {after[0]}-{after[1]}." in tell(one)


def test_a_settled_envido_is_told_before_the_event_that_settles_it():
    lines = tell(record(["0 envido", "1 quiero", "0 7c", "1 truco"])).splitlines()
    assert lines[5:] == [
        "  0 ana calls envido.",
        "  1 ben accepts.",
        "Envido: ana with 32, 2 points.",
        "  2 ana plays the 7 of cups.",
        "  3 ben calls truco.",
        "Truco waits for an answer of ana.",
        "Score 2-0.",
    ]


def test_a_truco_under_an_envido_still_waits():
    assert "The truco still waits." in tell(record(["0 truco", "1 envido", "0 no-quiero"]))


def test_what_nobody_knows_is_not_guessed():
    text = tell(record(["0 envido", "1 quiero"], deal=["7c 5c 12e", None]))
    assert "ben holds a hand nobody knows" in text
    assert "Envido: nobody knows who won it." in text
    assert text.endswith("Score ?-?.")


def test_a_fault_is_told_and_ends_the_story():
    lines = tell(record(["0 envido", "0 quiero", "1 quiero"])).splitlines()
    assert lines[-1].startswith("Not legal: event 1 `0 quiero`: ")
    assert "[" not in lines[-1]


def test_the_end_of_a_game_is_told():
    assert tell(record(["0 mazo"], score=[10, 29])).splitlines()[-3:] == [
        "Hand: ben, 1 point.",
        "Score 10-30.",
        "Game: ben.",
    ]


def test_an_open_hand_says_who_is_to_play():
    assert "The hand is not finished: ana to play." in tell(record([]))


def test_a_position_says_what_each_may_do():
    lines = tell(record(["0 7c", "1 truco", "0 quiero"]), at=2).splitlines()
    assert "On the table: ana 7 of cups." in lines
    assert "Score 0-0. The hand is worth 1 point." in lines
    assert "Truco waits for an answer of ana." in lines
    assert lines[-1] == "  ana may: quiero, no-quiero, mazo, retruco"


def test_a_position_lists_the_legal_events():
    (line,) = simulate("argentino", players=4, hands=1, seed=4)
    one = decode_line(line)
    for at, hand in enumerate(positions(one)):
        text = tell(one, at=at)
        for seat, name in enumerate(one.players):
            words = [event.partition(" ")[2] for event in hand.legal(seat)]
            assert (f"  {name} may: {', '.join(words)}" in text.splitlines()) == bool(words)


def test_unknown_hands_list_no_cards():
    text = tell(record([], deal=[None, None]), at=0)
    assert text.splitlines()[-1] == "  ana may: any card, envido, real-envido, falta-envido, mazo, truco"


def test_cards_are_named_as_their_deck_names_them():
    paulista = {"rules": "paulista", "turned": "4e", "deal": ["10e 11b 12c", None]}
    assert "queen of spades, jack of clubs, king of hearts" in tell(record([], **paulista))
    assert "dama de espadas, valete de paus, rei de copas" in tell(record([], **paulista), language="pt")
    assert "sota de espadas" in tell(record([], deal=["10e 1e 2e", None]), language="es")


def test_arguments_are_judged():
    with pytest.raises(ValueError, match="en, es, pt"):
        tell(record([]), language="ca")
    with pytest.raises(ValueError, match="no event 1; the hand has 0"):
        tell(record([]), at=1)
    with pytest.raises(IllegalEvent, match="the deal"):
        tell(record([], deal=["7c 5c 12e", "7c 11o 3b"]))
