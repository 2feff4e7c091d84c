"""The quiz: the same seed, graded answers, the deck over days, and the end of the input."""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

import pytest
from cli_calls import DONE, refused, run
from test_review import BLUNDER

from trucostats.advisor.advise import advise
from trucostats.advisor.position import position_from
from trucostats.advisor.quiz import GAP, Card, Deck, Spot, dealt_spots, deck_path, grade, real, spot_at
from trucostats.errors import DatasetError

TODAY = date(2026, 3, 14)


def spot(events: str = "0 6e, 1 7o, 1 truco") -> Spot:
    position = position_from(hand="4b 5c 6e", events=events)
    return Spot(position.hero_view(), position.hero, "here")


def test_an_answer_is_graded_by_what_it_loses() -> None:
    advice = advise(spot().position, target=0.01)
    right, wrong = grade(advice, "no-quiero"), grade(advice, "quiero", "es")
    assert (right.loss, right.mark) == (0, None)
    assert wrong.best.action == "no-quiero"
    assert wrong.loss == pytest.approx(-1 - next(o.points for o in advice.options if o.action == "quiero"))
    assert wrong.mark in ("bad", "very bad")
    assert "no-quiero" in wrong.why


def test_near_the_end_an_answer_is_graded_by_the_match() -> None:
    position = position_from(hand="1e 7e 3c", events="0 envido, 1 real-envido", score="28-27")
    advice = advise(position)
    wrong = grade(advice, "quiero")
    assert advice.by_match
    assert wrong.best.action == "falta-envido"
    assert wrong.chosen.points > wrong.best.points
    lost = (wrong.best.match or 0) - (wrong.chosen.match or 0)
    assert wrong.loss == pytest.approx(lost / 0.037, rel=0.05)  # a point is worth .037 of a match at 0-0


def test_the_same_seed_deals_the_same_spots() -> None:
    one, other = ([found.key for found, _ in islice(dealt_spots(5), 3)] for _ in range(2))
    assert one == other
    assert len(set(one)) == 3
    for found, advice in islice(dealt_spots(5), 3):
        worths = sorted((option.points for option in real(advice)), reverse=True)
        assert worths[0] - worths[1] >= GAP or worths[0] - worths[-1] >= GAP
        assert "?" in found.hand.dealt(1 - found.hero)


def test_intervals_grow_while_a_spot_is_known() -> None:
    card, days = Card({}, 0, "here", TODAY.isoformat()), []
    today = TODAY
    for _ in range(5):
        card = card.after(None, today)
        days.append(card.days)
        today += timedelta(days=card.days)
        assert card.due == today.isoformat()
    assert days == [1, 3, 8, 22, 64]
    assert (card.ease, card.known, card.seen, card.missed) == (3.0, 5, 5, 0)
    missed = card.after("very bad", today)
    assert (missed.days, missed.known, missed.missed, missed.ease) == (1, 0, 1, 2.8)
    assert card.after("doubtful", today).days == 64


def test_a_spot_comes_again_when_it_is_due(tmp_path: Path) -> None:
    path, deck, asked = tmp_path / "a" / "deck.json", Deck(), spot()
    deck.learn(asked, "bad", TODAY)
    deck.write(path)
    again = Deck.read(path)
    assert again.cards == deck.cards
    assert again.due(TODAY) == []
    (due,) = again.due(TODAY + timedelta(days=1))
    assert (due.key, due.hand, due.hero) == (asked.key, asked.hand, asked.hero)


def test_a_deck_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deck.json").write_text("[]")
    with pytest.raises(DatasetError, match="no deck of spots"):
        Deck.read(tmp_path / "deck.json")
    assert "no deck" in refused("quiz", "--deck", tmp_path / "deck.json")
    assert "--player goes with --from" in refused("quiz", "--player", "ana")


def test_the_deck_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert deck_path() == Path("/somewhere/trucostats/quiz.json")


def test_a_spot_of_a_log_has_the_mano_on_seat_0(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(BLUNDER + "\n")
    found = spot_at(str(tmp_path / "log.jsonl"), 1, 5)
    assert (found.hero, found.hand.mano, found.hand.players[found.hero]) == (1, 0, "ana")
    assert found.hand.dealt(0) == ["1b", "7o", "?"]


def test_the_quiz_takes_answers_until_the_input_ends(tmp_path: Path) -> None:
    deck = tmp_path / "deck.json"
    result = run("quiz", "--seed", "3", "--count", "5", "--deck", deck, stdin="1\nnonsense\n2\n")
    assert result.exit_code == DONE
    assert "is no option" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("2 answered, ")
    assert len(json.loads(deck.read_text())["spots"]) == 2
    again = run("quiz", "--seed", "3", "--count", "1", "--deck", deck, stdin="1\n")
    assert len(json.loads(deck.read_text())["spots"]) == 3, again.stdout


def test_own_mistakes_are_asked(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(BLUNDER + "\n")
    result = run(
        "quiz", "--from", log, "--player", "ana", "--deck", tmp_path / "d.json", stdin="quiero\n", env={"LANG": "C"}
    )
    assert result.exit_code == DONE
    assert "very bad" in result.stdout
    assert f"{log}:1:5" in result.stdout
