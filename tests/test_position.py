"""A decision to be advised on: where it comes from, who decides, what that player may know, and what is said where it is none."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from trucostats.advisor.position import Position, deciders, position_from
from trucostats.errors import DatasetError, IllegalEvent, NotationError, PositionError, RulesError, TrucoError
from trucostats.hand import Hand, positions
from trucostats.notation import decode_line
from trucostats.simulate import simulate

EVENTS = ["0 envido", "1 quiero", "0 32", "1 son-buenas", "0 12e", "1 3b", "1 truco", "0 quiero"]


def line(events: list[str] | None = None, **more: Any) -> str:
    record = {
        "v": 1, "match": "m", "hand": 1, "rules": "argentino", "players": ["ana", "ben"], "dealer": 1, "score": [12, 20],
        "deal": ["7c 5c 12e", "12o 11o 3b"], "events": EVENTS if events is None else events,
    }  # fmt: skip
    return json.dumps(record | more)


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([line([]), "", line(at="2026-03-14T21:04:00-03:00"), "{}"]) + "\n", "utf-8")
    return str(path)


def refused(*args: Any, kind: type[TrucoError] = PositionError, **options: Any) -> str:
    with pytest.raises(kind) as caught:
        position_from(*args, **options)
    assert type(caught.value) is kind
    return str(caught.value)


# sources


def test_a_file_with_one_record_is_cut_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "spot.jsonl"
    path.write_text(line(EVENTS[:7]) + "\n", "utf-8")
    spot = position_from(str(path))
    assert (spot.hero, spot.kind, spot.call, spot.match, spot.line, spot.event) == (
        0,
        "answer",
        (1, "truco"),
        "m",
        1,
        7,
    )
    assert spot.cards() == ["5c", "7c"]
    assert spot.score == (14, 20)
    assert spot.done is None
    assert str(spot) == f"{path}: ana (seat 0) decides with 5c 7c"


def test_standard_input_is_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line(EVENTS[:7]).encode())))
    spot = position_from("-")
    assert (spot.hero, spot.source) == (0, "standard input")


def test_an_event_of_a_log_is_the_position_before_it(log: str) -> None:
    spot = position_from(f"{log}:3:1")
    assert (spot.hero, spot.hand.events, spot.done, spot.line, spot.event) == (1, ("0 envido",), "1 quiero", 3, 1)
    assert spot.at is not None and spot.at.isoformat() == "2026-03-14T21:04:00-03:00"
    assert position_from(f"{log}:3").event == len(EVENTS)
    assert position_from(f"{log}:1:0").hand.events == ()


def test_a_compressed_log_is_a_log(log: str, tmp_path: Path) -> None:
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(log).read_bytes()))
    assert position_from(f"{packed}:3:6").hand == position_from(f"{log}:3:6").hand


def test_a_file_may_be_called_like_a_place(tmp_path: Path) -> None:
    path = tmp_path / "log:1:7"
    path.write_text(line(EVENTS[:7]), "utf-8")
    assert position_from(str(path)).event == 7


def test_who_acted_decides_where_several_may() -> None:
    assert deciders(Hand.deal("argentino", [None] * 4).play("0 truco")) == [1, 3]
    assert position_from(hand="7c 5c 12e", seats=4, events="0 truco").hero == 1
    assert position_from(hand="7c 5c 12e", seats=4, events="0 truco", seat=3).hero == 3


def test_who_acted_decides_in_a_log_of_four(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    deal = ["7c 5c 12e", "12o 11o 3b", "4e 4b 4o", "5e 5b 5o"]
    path.write_text(line(["0 truco", "3 no-quiero", "1 no-quiero"], players=[*"abcd"], deal=deal, dealer=3), "utf-8")
    assert position_from(f"{path}:1:1").hero == 3
    assert position_from(f"{path}:1:1", seat=1).hero == 1


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (":3:99", "line 3: there is no event 99; the record has 8, so the decision is 0 to 8"),
        (":0:1", "lines count from 1, events from 0"),
        ("", "has more than one record; say which decision is meant"),
    ],
)
def test_a_place_that_does_not_exist(log: str, place: str, says: str) -> None:
    assert says in refused(log + place)


def test_a_line_that_is_no_record_and_a_log_that_is_no_file(log: str, tmp_path: Path) -> None:
    assert "line 4 is no record: the field 'v' is missing" in refused(f"{log}:4:0", kind=NotationError)
    assert "has no record of line 77" in refused(f"{log}:77", kind=DatasetError)
    assert "there is no file" in refused(str(tmp_path / "no.jsonl:3:1"), kind=DatasetError)
    (tmp_path / "empty.jsonl").write_text("\n")
    assert "has no record; a position is one line" in refused(str(tmp_path / "empty.jsonl"))


def test_an_illegal_event_of_a_log_is_named_unless_it_comes_later(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(line(["0 truco", "0 quiero"]), "utf-8")
    said = refused(str(path), kind=IllegalEvent)
    assert said == f"{path}: event 1 `0 quiero`: the call that waits is this side's own; let the other side answer"
    assert position_from(f"{path}:1:1").hero == 1


# options


def test_options_make_a_position() -> None:
    spot = position_from(hand="7c 5c 12e", score="25-27", events="0 12e, 1 3b; 1 truco")
    assert (spot.hero, spot.hand.dealer, spot.hand.mano, spot.score) == (0, 1, 0, (25, 27))
    assert spot.match is None
    assert position_from(hand="7c 5c 12e", score="25-27", events="0 envido").score == (27, 25), "the hero's side first"


def test_cards_that_lie_on_the_table_may_be_left_out() -> None:
    assert position_from(hand="7c 5c", events="0 12e, 1 3b, 1 truco").hand == position_from(
        hand="7c 5c 12e", events="0 12e, 1 3b, 1 truco"
    ).hand  # fmt: skip


def test_rules_are_written_as_everywhere(tmp_path: Path) -> None:
    house = tmp_path / "club.toml"
    house.write_text('base = "argentino"\ntarget = 15\n', "utf-8")
    for rules in ("argentino target=15", '{"base": "argentino", "target": 15}', str(house)):
        assert position_from(hand="7c 5c 12e", rules=rules).hand.rules.target == 15
    spot = position_from(hand="7c 5c 12e", rules="uruguayo", turned="4e")
    assert spot.hand.turned == "4e"
    assert position_from(hand="7c 5c 12e", rules="brasileiro").hand.seats == 4, "the fewest the rules allow"


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({}, PositionError, "no position; name a file, LOG:LINE:EVENT or -, or give --hand and --events"),
        ({"hand": "7c 5c"}, IllegalEvent, "--hand: the deal: the hands do not have the right number of cards"),
        ({"hand": "7c 5c 8e"}, NotationError, "--hand: there is no card '8e'"),
        ({"hand": "7c 5c 5c"}, IllegalEvent, "--hand: the deal: a card is dealt twice"),
        ({"hand": "7c 5c 12e", "events": "0 trucco"}, NotationError, "--events: event 0 `0 trucco`: no rule set knows 'trucco'; did you mean"),
        ({"hand": "7c 5c 12e", "events": "truco"}, NotationError, "event 0 `truco`: 'truco' names no seat"),
        ({"hand": "7c 5c 12e", "events": "0 truco, 0 quiero"}, IllegalEvent, "--events: event 1 `0 quiero`: the call that waits"),
        ({"hand": "7c 5c 12e", "events": "0 12e, 1 7c"}, IllegalEvent, "event 1 `1 7c`: this player does not hold that card"),
        ({"hand": "7c 5c 12e", "score": "25"}, PositionError, "--score is '25'; write the points of seat 0's team first"),
        ({"hand": "7c 5c 12e", "score": "30-2"}, PositionError, "at 30-2 the game to 30 is over"),
        ({"hand": "7c 5c 12e", "score": "999-2"}, PositionError, "--score: at 999-2 the game to 30 is over"),
        ({"hand": "7c 5c 12e", "rules": "argentina"}, RulesError, "argentino"),
        ({"hand": "7c 5c 12e", "seats": 3}, PositionError, "--seats: argentino is played by 2, 4, 6, not by 3"),
        ({"hand": "7c 5c 12e", "dealer": 2}, PositionError, "--dealer: there is no seat 2 at a table of 2"),
        ({"hand": "7c 5c 12e", "seat": 2}, PositionError, "--seat: there is no seat 2"),
        ({"hand": "7c 5c 12e", "turned": "4e"}, PositionError, "argentino turns no card; leave --turned out"),
        ({"hand": "7c 5c 12e", "rules": "uruguayo"}, PositionError, "uruguayo turns a card; name it with --turned"),
        ({"hand": "7c 5c 12e", "rules": "uruguayo", "turned": "4e 5e"}, NotationError, "--turned: '4e 5e' is not one card"),
        ({"source": "log.jsonl:1:2", "score": "1-2"}, PositionError, "--score does not go with 'log.jsonl:1:2'"),
    ],
)  # fmt: skip
def test_options_that_make_none(options: dict[str, Any], kind: type[TrucoError], says: str) -> None:
    assert says in refused(kind=kind, **options)


# who decides


def test_the_speaker_decides_what_to_say_and_then_who_is_in_turn() -> None:
    spot = position_from(hand="7c 5c 12e", events="0 envido, 1 quiero")
    assert (spot.hero, spot.kind) == (0, "declare")
    spot = position_from(hand="12o 11o 3b", events="0 envido, 1 quiero, 0 32")
    assert (spot.hero, spot.kind) == (1, "declare")
    spot = position_from(hand="7c 5c 12e", events="0 envido, 1 quiero, 0 32, 1 son-buenas")
    assert (spot.hero, spot.kind) == (0, "turn")


def test_a_special_hand_is_decided_by_the_side_on_it() -> None:
    spot = position_from(hand="7c 5c 12e", rules="paulista", turned="4e", score="3-11", seats=4)
    assert (spot.hero % 2, spot.kind) == (1, "special")


def test_who_called_may_play_on_where_the_rules_let_him() -> None:
    options = {"hand": "7c 5c 3e", "rules": "truc", "events": "0 truc"}
    assert position_from(**options).hero == 1
    spot = position_from(**options, seat=0)
    assert (spot.kind, spot.options()) == ("turn", ["3e", "5c", "7c"])


def test_whose_hand_it_is_that_lacks_a_card() -> None:
    said = refused(hand="7c 5c 12e", events="0 4e, 1 3b, 1 truco", kind=IllegalEvent)
    assert "event 0 `0 4e`" in said
    assert said.endswith("(--hand is what seat 0 was dealt, who decides next)")


def test_who_has_nothing_to_decide() -> None:
    said = refused(hand="7c 5c 12e", events="0 truco", seat=0)
    assert "seat 0 has nothing to decide: a truco waits for seat 1; leave --seat out" in said
    assert "to act is seat 0;" in refused(hand="7c 5c 12e", seat=1)
    said = refused(hand="7c 5c 12e", events="0 truco, 1 no-quiero")
    assert "the hand is over after 2 events, the last `1 no-quiero`; nobody decides" in said
    assert "the game is won" in refused(hand="7c 5c 12e", score="29-3", events="0 truco, 1 no-quiero")


# what the hero may know


def test_the_view_has_only_what_the_hero_saw(log: str) -> None:
    spot = position_from(f"{log}:3")
    assert spot.hero == 1
    view = spot.hero_view()
    assert view.dealt(1) == ["3b", "11o", "12o"]
    assert view.dealt(0) == ["12e", "?", "?"]
    assert view.events == spot.hand.events
    assert view.score == spot.hand.score == (14, 20)


def test_the_view_looks_ahead_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(line(["0 12e", "1 3b", "1 11o", "0 7c", "0 show 5c"], deal=["7c 5c ?", None]), "utf-8")
    assert position_from(f"{path}:1:1", unknown=True).hero_view().dealt(0) == ["12e", "?", "?"]
    assert position_from(f"{path}:1:2", unknown=True).hand.dealt(1) == ["3b", "?", "?"]


def test_a_covered_card_of_another_has_no_name(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    deal = ["4e 5c 1o", "3b 5b 11o", "6e 6b 6c", "7e 7b 7c"]
    events = ["0 4e", "1 3b", "2 6e", "3 7e", "1 cover 5b", "2 6b"]
    path.write_text(line(events, players=[*"abcd"], deal=deal, rules="brasileiro", dealer=3, score=[0, 0]), "utf-8")
    spot = position_from(str(path))
    assert spot.hero == 3
    view = spot.hero_view()
    assert view.events[4] == "1 cover"
    assert view.dealt(1) == ["3b", "?", "?"]
    assert position_from(f"{path}:1:4").hero_view().legal(1) == position_from(f"{path}:1:4").hand.legal(1)


@pytest.mark.parametrize(("rules", "players"), [("rioplatense", 2), ("uruguayo", 2), ("brasileiro", 4), ("gaucho", 6)])
def test_what_can_be_done_can_be_done_in_the_view(rules: str, players: int) -> None:
    for text in simulate(rules, hands=12, seed=11, players=players, policy="random"):
        for hand in positions(decode_line(text)):
            for hero in deciders(hand):
                view = Position(hand, hero, "simulated").hero_view()
                assert set(hand.legal(hero)) <= set(view.legal(hero))
                shown = hand.state()["shown"]
                assert isinstance(shown, list)
                for seat in set(range(players)) - {hero}:
                    known = sum(card != "?" for card in view.dealt(seat))
                    assert known == shown[seat].bit_count(), "nothing that did not lie open, and all that did"


@pytest.mark.parametrize("hand", [None, "7c ? ?", "? ? ?"])
def test_own_cards_have_to_be_known_except_to_solve(hand: str | None) -> None:
    said = refused(hand=hand, events="0 truco")
    assert "the position: seat 1 decides, and holds" in said
    assert "give them with --hand '7c 5c 12e'" in said
    assert "only `solve` takes `?`" in said
    assert "?" in position_from(hand=hand, events="0 truco", unknown=True).cards()


def test_own_cards_of_a_record_have_to_be_known(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(line(["0 truco"], deal=["7c 5c 12e", None]), "utf-8")
    assert "ben (seat 1) decides, and holds ? ? ?" in refused(str(path))
    assert "write them in the record's deal" in refused(str(path))
    assert position_from(f"{path}:1:0").hero == 0
