"""Spots to practise on: dealt at random or taken from somebody's mistakes, graded by what an answer loses, and kept until they are known.

The deck repeats a spot in the manner of SM-2 (P. A. Wozniak, 1990): after 1 day, after 3, then each time after `ease` times as long.
A spot that was missed begins again tomorrow. It is a JSON file of plain values, and holds only what the player who decides could see.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from trucostats.advisor.advise import Advice, advise
from trucostats.advisor.grades import Mark, mark_of
from trucostats.advisor.losses import Decision, mirrored, point_at_start
from trucostats.advisor.position import Position, deciders
from trucostats.errors import DatasetError, SolverError
from trucostats.hand import Hand
from trucostats.home import data_home, whole_file
from trucostats.logs import find_record
from trucostats.notation import decode_line, write_record
from trucostats.record import ABSENT
from trucostats.solver.equity import equity_of
from trucostats.solver.live import Option
from trucostats.vocab import CARD_INDEX, CARDS, RAISES

FORMAT: Final = 1
TARGET: Final = 0.01  # points of exploitability to which a spot is solved
GAP: Final = 0.1  # points between the best option and the next for a spot to be worth asking
EASE, LEAST_EASE, MOST_EASE = 2.5, 1.3, 3.0
FIRST_DAYS: Final = (1, 3)
TRIES: Final = 200
CALLS: Final = 0.35  # how often somebody calls in a spot dealt at random


@dataclass(frozen=True, slots=True)
class Spot:
    """A decision to be asked: the hand as its player sees it, his seat, and where it comes from."""

    hand: Hand
    hero: int
    source: str

    @property
    def key(self) -> str:
        """A short name that the same spot always has."""
        text = write_record(self.hand.record.but(match="quiz", hand=1, game=ABSENT)) + b"%d" % self.hero
        return hashlib.sha256(text).hexdigest()[:12]

    @property
    def position(self) -> Position:
        """The decision, for `advise`."""
        return Position(self.hand, self.hero, self.source)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, graded: the option chosen and the best, the loss in points (as at 0-0), its mark, and the reason in a sentence."""

    chosen: Option
    best: Option
    loss: float
    mark: Mark | None
    why: str


@dataclass(frozen=True, slots=True)
class Card:
    """What the deck knows of a spot: when it is due, the days between, how easy it is, how often it was seen and missed."""

    record: dict[str, Any]
    hero: int
    source: str
    due: str
    days: int = 0
    ease: float = EASE
    known: int = 0
    seen: int = 0
    missed: int = 0

    def after(self, mark: Mark | None, today: date) -> Card:
        """Return the card after an answer with this mark.

        Without a mark it is known: 1 day, 3 days, then `ease` times as long, and easier by 0.1. Doubtful: as long as before, harder by
        0.05. Bad or very bad: again tomorrow from the start, harder by 0.2.
        """
        known, days, ease, missed = self.known, self.days, self.ease, self.missed
        if mark is None:
            days = FIRST_DAYS[known] if known < len(FIRST_DAYS) else round(days * ease)
            known, ease = known + 1, min(ease + 0.1, MOST_EASE)
        elif mark == "doubtful":
            days, ease = max(days, 1), max(ease - 0.05, LEAST_EASE)
        else:
            known, days, ease, missed = 0, 1, max(ease - 0.2, LEAST_EASE), missed + 1
        due = (today + timedelta(days=days)).isoformat()
        return replace(self, due=due, days=days, ease=round(ease, 2), known=known, seen=self.seen + 1, missed=missed)


class Deck:
    """The spots somebody has seen, by key."""

    def __init__(self, cards: dict[str, Card] | None = None) -> None:
        """Take the cards of a deck, none for a new one."""
        self.cards = cards or {}

    @classmethod
    def read(cls, path: Path) -> Deck:
        """Read a deck; one that is not there is empty. Raises `DatasetError` for a file that is none."""
        try:
            told = json.loads(path.read_text("utf-8"))
            if told["format"] != FORMAT:
                raise ValueError(f"format {told['format']}")
            return cls({key: Card(**card) for key, card in told["spots"].items()})
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise DatasetError(
                f"{str(path)!r} is no deck of spots: {error}; name another with --deck, or remove it"
            ) from error

    def write(self, path: Path) -> None:
        """Write the deck; the file appears whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        cards = {key: asdict(card) for key, card in sorted(self.cards.items())}
        text = json.dumps({"format": FORMAT, "spots": cards}, ensure_ascii=False, indent=1) + "\n"
        with whole_file(path) as file:
            file.write(text.encode())

    def due(self, today: date) -> list[Spot]:
        """Return the spots to ask again today, those longest due first."""
        found = sorted((card.due, key) for key, card in self.cards.items() if card.due <= today.isoformat())
        return [spot_of(self.cards[key]) for _, key in found]

    def learn(self, spot: Spot, mark: Mark | None, today: date) -> Card:
        """Note the mark of an answer and return the card, which says when the spot comes again."""
        record = json.loads(write_record(spot.hand.record))
        card = self.cards.get(spot.key) or Card(record, spot.hero, spot.source, today.isoformat())
        self.cards[spot.key] = card.after(mark, today)
        return self.cards[spot.key]


def deck_path() -> Path:
    """Return where the deck is kept."""
    return data_home() / "quiz.json"


def spot_of(card: Card) -> Spot:
    """Return the spot of a card of the deck."""
    return Spot(Hand.from_record(decode_line(json.dumps(card.record).encode())), card.hero, card.source)


def dealt_spots(seed: int | None = None, rules: str = "argentino") -> Iterator[tuple[Spot, Advice]]:
    """Yield spots dealt at random, with the advice on each: after a trick or two, or with a truco that waits.

    Who came there has played at random. Only spots in which the best option is worth `GAP` points more than the next are asked. The
    same seed gives the same spots.
    """
    rng = random.Random(seed)
    missed = 0
    while missed < TRIES:
        hand = _played(rng, rules)
        missed += 1
        able = [] if hand is None or hand.over else deciders(hand)
        if hand is None or not able:
            continue
        spot = Spot(Position(hand, able[0], "dealt").hero_view(), able[0], "dealt")
        try:
            advice = advise(spot.position, target=TARGET)
        except SolverError:
            continue
        worths = sorted({round(option.points, 6) for option in real(advice)}, reverse=True)
        if len(worths) > 1 and worths[0] - worths[1] >= GAP:
            missed = 0
            yield spot, advice


def _played(rng: random.Random, rules: str) -> Hand | None:
    """Return a hand between two, played at random to a decision after the first trick."""
    cards = rng.sample(CARDS, 6)
    hand = Hand.deal(rules, [" ".join(cards[:3]), " ".join(cards[3:])])
    wanted = rng.choice((2, 2, 3, 4))
    calls = rng.random() < 2 * CALLS
    while not hand.over:
        legal = [event for event in hand.legal() if event.partition(" ")[2] in (*CARD_INDEX, *RAISES, "quiero")]
        laid = sum(int(n) for n in hand.kernel[0][0].cards_played[:2])
        raising = [event for event in legal if event.partition(" ")[2] in RAISES]
        playing = [event for event in legal if event not in raising]
        if laid >= wanted:
            can_call = calls and hand.pending is None and raising
            return hand.play(rng.choice(raising)) if can_call else hand
        if not playing:
            return None
        hand = hand.play(rng.choice(raising if raising and rng.random() < CALLS / 4 else playing))
    return None


def spots_of(decisions: Iterable[Decision]) -> Iterator[Spot]:
    """Yield the spots of decisions of a review that were solved, worst first; each event once."""
    wanted = [d for d in decisions if d.status in ("solved", "exact") and d.mark is not None]
    places: set[str] = set()
    for d in sorted(wanted, key=lambda d: -(d.normal or 0.0)):
        if d.place not in places:
            places.add(d.place)
            yield spot_at(d.file, d.line, d.event)


def spot_at(log: str, line: int, event: int) -> Spot:
    """Return the spot before an event of a line of a log, as who acted saw it, the mano on seat 0."""
    _, record = find_record(log, line=line)
    hand = Hand.from_record(record.but(events=record.events[:event], points=ABSENT, times=ABSENT))
    hero = int(record.events[event].split(None, 1)[0])
    seen = Position(hand, hero, log).hero_view()
    source = f"{log}:{line}:{event}"
    return Spot(mirrored(seen.record), 1 - hero, source) if seen.mano == 1 else Spot(seen, hero, source)


def real(advice: Advice) -> list[Option]:
    """Return the options to choose from: not leaving the hand where one may also refuse or play on."""
    return [option for option in advice.options if option.action != "mazo"]


def grade(advice: Advice, action: str, language: Literal["en", "es", "pt"] = "en") -> Answer:
    """Return an answer to a spot, graded by the points it loses; near the end of a match by the chances to win it, in points at 0-0.

    >>> from trucostats.advisor.position import position_from
    >>> advice = advise(position_from(hand="4b 5c 6e", events="0 6e, 1 7o, 1 truco"), target=0.01)
    >>> grade(advice, advice.best.action).loss
    0.0
    """
    options = real(advice)
    chosen = next(option for option in options if option.action == action)
    best = next(option for option in advice.ranked if option in options)
    loss = best.points - chosen.points
    if advice.by_match and (equity := equity_of(advice.position.hand.rules)) is not None:
        loss = ((best.match or 0) - (chosen.match or 0)) / point_at_start(equity)
    return Answer(chosen, best, loss, mark_of(loss), advice.why(language))


__all__ = [
    "Answer",
    "Card",
    "Deck",
    "Spot",
    "dealt_spots",
    "deck_path",
    "grade",
    "real",
    "spot_at",
    "spot_of",
    "spots_of",
]
