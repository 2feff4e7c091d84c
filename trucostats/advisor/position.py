"""A decision to be advised on: the hand at that moment, the seat that decides, and what that seat may know.

A position is a record cut off at the decision: alone in a file, a line of a log (`LOG:LINE:EVENT`), or written as options.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NoReturn, TypeVar

from trucostats.errors import IllegalEvent, NotationError, PositionError
from trucostats.hand import Hand
from trucostats.logs import find_record, one_log, read_lines
from trucostats.notation import decode_line, parse_turned
from trucostats.record import ABSENT, Record
from trucostats.rules import Rules
from trucostats.rules.house import parse_rules
from trucostats.vocab import ENVIDO_CALLS, FLOR_CALLS, RAISES, VERB_INDEX, VERB_MASK, VERBS, card_name
from trucostats.words import parse_hand, shorten

T = TypeVar("T")
Kind = Literal["answer", "special", "declare", "turn"]
CALLS: Final = {"truco": RAISES, "envido": ENVIDO_CALLS, "flor": FLOR_CALLS}
MAZO: Final = VERB_INDEX["mazo"]
UNKNOWN: Final = "?"
STDIN: Final = "-"

_PLACE: Final = re.compile(r"(.+?):(\d{1,9})(?::(\d{1,9}))?", re.DOTALL)
_SCORE: Final = re.compile(r"\s*(\d{1,3})\s*[-:,]\s*(\d{1,3})\s*")
_BETWEEN: Final = re.compile(r"[,;\n]+")


@dataclass(frozen=True, slots=True)
class Position:
    """A decision: the hand before it, with all that the source knows, and the seat that decides, the hero.

    `source` says where it comes from; `match`, `at` (time of the deal), `line` and `event` are those of a log, None where there
    is none; `done` is what the log says was done, None if the record ends there.
    """

    hand: Hand
    hero: int
    source: str
    match: str | None = None
    at: datetime.datetime | None = None
    line: int | None = None
    event: int | None = None
    done: str | None = None

    @property
    def kind(self) -> Kind:
        """What is decided: the answer to a call, a special hand, a number to say, or what to do in turn."""
        if self.hand.pending == "decision":
            return "special"
        call = self.call
        # Who called may act as well, where the rules let him play on or raise his own envido.
        if call is not None and call[0] % 2 != self.hero % 2:
            return "answer"
        if self.hand.unsettled == "envido" and self.hand.state()["speaker"] == self.hero:
            return "declare"
        return "turn"

    @property
    def call(self) -> tuple[int, str] | None:
        """The seat and the word of the call that waits, or None."""
        return _call(self.hand)

    @property
    def score(self) -> tuple[int, int] | None:
        """The score now from the hero's side first, with an accepted envido; None where that went to nobody knows whom."""
        score = self.hand.settled().score
        return None if score is None else (score[self.hero % 2], score[1 - self.hero % 2])

    def cards(self) -> list[str]:
        """Return the cards the hero still holds, `?` for one that is not known."""
        return self.hand.cards(self.hero)

    def hero_view(self) -> Hand:
        """Return the hand as the hero sees it: the cards of others are unknown until they lie open on the table.

        Covered cards of others lose their name, and so do cards put forward with a call, unless played or shown before the
        decision. Where a log has an envido accepted and no numbers, the view does not know who won it; `score` has what the source knows.

        >>> spot = position_from(hand="7c 5c 12e", events="0 12e, 1 3b, 1 truco")
        >>> spot.hero_view().dealt(1)
        ['3b', '?', '?']
        """
        hand, record = self.hand, self.hand.record
        shown = hand.state()["shown"]
        assert isinstance(shown, list)
        deal = [
            text if seat == self.hero or text is None else " ".join([UNKNOWN] * len(text.split()))
            for seat, text in enumerate(record.deal)
        ]
        events = [_as_seen(text, self.hero, shown) for text in record.events]
        return Hand.from_record(record.but(deal=deal, events=events))

    def options(self) -> list[str]:
        """Return what the hero may do, in the words of the notation, without the seat.

        >>> position_from(hand="7c 5c 12e", seat=1, events="0 truco").options()[-4:]
        ['quiero', 'no-quiero', 'mazo', 'retruco']
        """
        return [text.partition(" ")[2] for text in self.hero_view().legal(self.hero)]

    def __str__(self) -> str:
        """Return the position in one line."""
        return f"{self.source}: {self.who} decides with {' '.join(self.cards())}"

    @property
    def who(self) -> str:
        """The one who decides, by name and seat."""
        return _named(self.hand, self.hero)


def position_from(
    source: str | None = None,
    *,
    hand: str | None = None,
    score: str | None = None,
    rules: str | None = None,
    events: str | None = None,
    dealer: int | None = None,
    seats: int | None = None,
    turned: str | None = None,
    seat: int | None = None,
    unknown: bool = False,
) -> Position:
    """Return the position that a command is asked about, by a source or by options.

    `source` is a file or `-` (standard input) with one record, or `LOG:LINE` or `LOG:LINE:EVENT`: a line from 1 of a log, plain or
    compressed, and the index from 0 of the event that was the decision, by default what comes after the last event.

    Without it, `hand` is what the hero was dealt (cards he has played may be left out), `score` the points before the deal with
    team 0 first (`25-27`), `rules` a name, a label, a JSON object or a file (argentino), `events` what happened, by commas,
    `dealer` a seat, by default the last, so that seat 0 is mano; `seats` by default the fewest the rules allow, `turned` the turned
    card.

    `seat` is who asks, by default who acted at EVENT, or else has to act: who answers first, says his number, or is in turn. His
    cards must be known unless `unknown`. Raises `PositionError`, `NotationError`, `IllegalEvent`, `RulesError`, `DatasetError`.

    >>> spot = position_from(hand="7c 5c 12e", score="25-27", events="1 truco, 0 quiero, 0 5c, 1 4o", dealer=0, seat=0)
    Traceback (most recent call last):
        ...
    trucostats.errors.IllegalEvent: --events: event 2 `0 5c`: it is another player's turn; the turn is seat 1's
    >>> spot = position_from(hand="7c 5c 12e", score="25-27", events="1 truco, 0 retruco, 1 quiero, 1 4o", dealer=0)
    >>> spot.hero, spot.kind, spot.score, spot.options()[:3]
    (0, 'turn', (25, 27), ['12e', '5c', '7c'])
    """
    options = {
        "--hand": hand, "--score": score, "--rules": rules, "--events": events, "--dealer": dealer, "--seats": seats, "--turned": turned,
    }  # fmt: skip
    given = [name for name, value in options.items() if value is not None]
    if source is not None:
        if given:
            raise PositionError(f"{given[0]} does not go with {source!r}, which says all of it; give one or the other")
        return _of_source(source, seat, unknown)
    if not given:
        raise PositionError("no position; name a file, LOG:LINE:EVENT or -, or give --hand and --events")
    return _of_options(
        hand, score or "0-0", parse_rules(rules or "argentino"), events or "", dealer, seats, turned, seat, unknown
    )


def _of_source(source: str, seat: int | None, unknown: bool) -> Position:
    found = None if source == STDIN or Path(source).exists() else _PLACE.fullmatch(source)
    log, line, event = (found[1], int(found[2]), found[3]) if found else (source, None, None)
    name = "standard input" if log == STDIN else log
    if line == 0:
        raise PositionError(f"{source!r}: lines count from 1, events from 0")
    try:
        number, record = _only_record(log) if line is None else find_record(log, line=line)
    except NotationError as error:
        _fail(name, error)
    place = name if line is None else f"{name}, line {number}"
    at = len(record.events) if event is None else int(event)
    if at > len(record.events):
        raise PositionError(
            f"{place}: there is no event {at}; the record has {len(record.events)}, so the decision is 0 to {len(record.events)}"
        )
    try:
        hand = Hand.from_record(record.but(events=record.events[:at], points=ABSENT, times=ABSENT))
    except (IllegalEvent, NotationError) as error:
        _fail(place, error)
    _check_score(record.score, hand.rules, place)
    done = record.events[at] if at < len(record.events) else None
    actor = int(done.split(None, 1)[0]) if done is not None and event is not None else None
    hero = _hero(hand, seat, place, actor)
    _check_cards(hand, hero, place, unknown, "write them in the record's deal")
    time = None if record.at is ABSENT else record.at
    assert time is None or isinstance(time, datetime.datetime)
    return Position(hand, hero, source if found else name, record.match, time, number, at, done)


def _only_record(log: str) -> tuple[int, Record]:
    """Return the one record of a log and its line."""
    found: tuple[int, Record] | None = None
    for first, lines in read_lines(one_log(log)):
        for number, line in enumerate(lines, first):
            if not line.strip():
                continue
            if found is not None:
                raise PositionError(
                    f"{log!r} has more than one record; say which decision is meant: {log}:LINE:EVENT, lines from 1, events from 0"
                )
            try:
                found = number, decode_line(line, first=number == 1)
            except NotationError as error:
                raise NotationError(error.code, f"line {number} is no record: {error}", error.where) from error
    if found is None:
        raise PositionError(f"{log!r} has no record; a position is one line of the notation, cut off at the decision")
    return found


def _of_options(
    cards: str | None, score: str, rules: Rules, events: str, dealer: int | None, seats: int | None,
    turned: str | None, seat: int | None, unknown: bool,
) -> Position:  # fmt: skip
    n = rules.players[0] if seats is None else seats
    if n not in rules.players:
        raise PositionError(f"--seats: {rules.name} is played by {', '.join(map(str, rules.players))}, not by {n}")
    if rules.turns_card != (turned is not None):
        hint = "name it with --turned" if rules.turns_card else "leave --turned out"
        raise PositionError(f"{rules.name} turns {'a' if rules.turns_card else 'no'} card; {hint}")
    for name, value in (("--dealer", dealer), ("--seat", seat)):
        if value is not None and not 0 <= value < n:
            raise PositionError(f"{name}: there is no seat {value} at a table of {n}; seats count from 0")
    if not (pair := _SCORE.fullmatch(score)):
        raise PositionError(f"--score is {shorten(score)}; write the points of seat 0's team first, as in 25-27")
    points = int(pair[1]), int(pair[2])
    _check_score(points, rules, "--score")
    if turned is not None:
        _try("--turned", parse_turned, turned)
    own = [] if cards is None else _try("--hand", parse_hand, cards)
    texts = [text.strip() for text in _BETWEEN.split(events) if text.strip()]

    def deal(hands: Sequence[str | None]) -> Hand:
        people = [f"seat {seat}" for seat in range(n)]
        return Hand.deal(rules, hands, dealer=dealer, score=points, turned=turned, players=people)

    # Who decides follows from the events alone, and the hand is his.
    blind = _play(deal([None] * n), texts)
    hero = _hero(blind, seat, "the position", None)
    hands: list[str | None] = [None] * n
    if cards is not None:
        # Nobody has to remember a card that lies on the table.
        gone = [card for card in blind.dealt(hero) if card != UNKNOWN and card not in cards.casefold().split()]
        room = len(blind.dealt(hero)) - len(own)
        hands[hero] = " ".join([*cards.casefold().split(), *gone[: max(room, 0)]])
    try:
        hand = deal(hands)
    except (IllegalEvent, NotationError) as error:
        _fail("--hand", error)
    try:
        hand = _play(hand, texts)
    except IllegalEvent as error:
        if error.code == "CARD_NOT_HELD":
            raise IllegalEvent(
                error.code, f"{error} (--hand is what seat {hero} was dealt, who decides next)"
            ) from error
        raise
    _check_cards(hand, hero, "the position", unknown, "give them with --hand '7c 5c 12e'")
    return Position(hand, hero, "options")


def _play(hand: Hand, texts: Sequence[str]) -> Hand:
    for index, text in enumerate(texts):
        try:
            hand = hand.play(text)
        except IllegalEvent as error:
            _fail("--events", error)
        except NotationError as error:
            _fail(f"--events: event {index} `{text}`", error)
    return hand


def _try(place: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except NotationError as error:
        _fail(place, error)


def _fail(place: str, error: NotationError | IllegalEvent) -> NoReturn:
    """Raise an error again with the place it belongs to."""
    if isinstance(error, NotationError):
        raise NotationError(error.code, f"{place}: {error}", error.where) from error
    raise IllegalEvent(error.code, f"{place}: {error}") from error


def _named(hand: Hand, seat: int) -> str:
    place, name = f"seat {seat}", hand.players[seat]
    return place if name == place else f"{name} ({place})"


def _call(hand: Hand) -> tuple[int, str] | None:
    words = CALLS.get(hand.pending or "")
    if words is None:
        return None
    for text in reversed(hand.events):
        seat, _, word = text.partition(" ")
        if (verb := word.split(" ")[0]) in words:
            return int(seat), verb
    return None


def deciders(hand: Hand) -> list[int]:
    """Return the seats that have something to decide, the one who has to act first; none if the hand is over.

    Leaving the hand, which some rules allow at any time, is no decision of its own.

    >>> hand = Hand.deal("argentino", [None] * 4)
    >>> deciders(hand), deciders(hand.play("0 truco"))
    ([0], [1, 3])
    """
    able = {seat for seat, code in hand.actions() if code & VERB_MASK != MAZO}
    call = _call(hand)
    if call is not None:
        first = call[0] + 1
    elif hand.unsettled == "envido" and hand.pending is None:
        speaker = hand.state()["speaker"]
        assert isinstance(speaker, int)
        first = speaker
    else:
        first = hand.mano if hand.turn is None or hand.pending is not None else hand.turn
    return sorted(able, key=lambda seat: (seat - first) % hand.seats)


def _check_score(score: tuple[int, int], rules: Rules, place: str) -> None:
    if max(score) >= rules.target:
        raise PositionError(f"{place}: at {score[0]}-{score[1]} the game to {rules.target} is over; check the score")


def _hero(hand: Hand, seat: int | None, place: str, actor: int | None) -> int:
    able = deciders(hand)
    if not able:
        over = "the game is won" if hand.game_over else "the hand is over"
        last = f", the last `{hand.events[-1]}`" if hand.events else ""
        raise PositionError(
            f"{place}: {over} after {len(hand.events)} events{last}; nobody decides: cut the events off at the decision, as LOG:LINE:EVENT does"
        )
    if seat is None:
        return actor if actor in able and actor is not None else able[0]
    if not 0 <= seat < hand.seats:
        raise PositionError(f"{place}: there is no seat {seat} at a table of {hand.seats}; seats count from 0")
    if seat not in able:
        others = " or ".join(_named(hand, other) for other in able)
        what = f"a {hand.pending} waits for" if hand.pending not in (None, "decision") else "to act is"
        raise PositionError(
            f"{place}: {_named(hand, seat)} has nothing to decide: {what} {others}; leave --seat out, or name one of these"
        )
    return seat


def _check_cards(hand: Hand, hero: int, place: str, unknown: bool, remedy: str) -> None:
    held, played = hand.cards(hero), hand.state()["cards_played"]
    assert isinstance(played, list)
    if unknown or (UNKNOWN not in hand.dealt(hero) and len(held) + played[hero] == len(hand.dealt(hero))):
        return
    raise PositionError(
        f"{place}: {_named(hand, hero)} decides, and holds {' '.join(held)}; advice needs all of his cards: {remedy}, "
        "and name those he covered; only `solve` takes `?`"
    )


def _as_seen(text: str, hero: int, shown: Sequence[int]) -> str:
    """Return an event without the card that only its player knows."""
    seat, _, what = text.partition(" ")
    verb, _, card = what.partition(" ")
    if int(seat) == hero or not card:
        return text
    if verb == "cover":
        return f"{seat} cover"
    open_cards = {card_name(index) for index in range(40) if shown[int(seat)] >> index & 1}
    return f"{seat} {verb}" if verb in VERBS and verb in RAISES and card not in open_cards else text
