"""`Hand`: a readable view of one state of the kernel, for people, docs and notebooks. It decides nothing itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from trucostats.errors import CODE_NAMES, CODES, IllegalEvent, NotationError
from trucostats.kernel.check import waiting
from trucostats.kernel.deal import start
from trucostats.kernel.engine import step
from trucostats.kernel.legal import list_actions
from trucostats.kernel.params import NO_TURNED, card_tables, rules_row
from trucostats.kernel.scoring import hand_worth
from trucostats.kernel.settle import finish
from trucostats.kernel.state import (
    COVER,
    ENVIDO_DECLARING,
    FLOR_OPEN,
    NOBODY,
    OK,
    PLAY,
    STATE_FIELDS,
    TIE,
    blank_states,
)  # fmt: skip
from trucostats.notation import canonical, decode_line, write_record
from trucostats.reasons import reason
from trucostats.record import ABSENT, Record
from trucostats.rules import Rules, rules_of
from trucostats.series import Format
from trucostats.vocab import CARDS, PENDING, VERB_BITS, VERB_MASK, card_name, event_name
from trucostats.words import parse_event, parse_hand

# Unknown hands can play any card: six seats, each with the cards it may play, cover or put forward.
ACTION_ROOM: Final = 2048
PEOPLE: Final = ("ana", "ben", "cora", "dino", "elsa", "fito")


class Hand:
    """One deal at one moment: what is on the table, what waits, what may be done.

    A hand never changes; `play` returns a new one. Seats count from 0, teams are seat % 2.

    >>> hand = Hand.deal("argentino", ["7c 5c 12e", "12o 11o 3b"], dealer=1, score=(12, 20))
    >>> hand = hand.play("0 envido").play("1 falta-envido")
    >>> hand.pending, hand.legal()
    ('envido', ['0 quiero', '0 no-quiero', '0 mazo'])
    >>> hand.play("0 quiero", "0 32", "1 son-buenas").score
    (22, 20)
    """

    __slots__ = ("_cards", "_places", "_record", "_row", "_states", "rules")

    rules: Rules

    def __init__(
        self, record: Record, rules: Rules, row: Any, cards: Any, states: Any, places: tuple[tuple[int, int], ...]
    ) -> None:
        """Wrap a state; use `Hand.deal` or `Hand.from_record`."""
        self._record, self._row, self._cards, self._states, self._places = record, row, cards, states, places
        self.rules = rules

    @classmethod
    def deal(
        cls,
        rules: str | Mapping[str, Any] | Rules,
        hands: Sequence[str | None],
        *,
        dealer: int | None = None,
        score: tuple[int, int] = (0, 0),
        turned: str | None = None,
        format: Format | None = None,
        players: Sequence[str] | None = None,
    ) -> Hand:
        """Return a hand that has just been dealt.

        `hands` are as in a record, one per seat: `"7c 5c 12e"`, `?` for an unknown card, None for an unknown hand. `dealer`
        defaults to the last seat, so that seat 0 leads. Raises `NotationError` or `RulesError` for what no record may say and
        `IllegalEvent` for a deal that the rules forbid.
        """
        known = rules if isinstance(rules, Rules) else rules_of(rules)
        record = Record(
            v=1, match="hand", hand=1, rules=known.spec(), players=list(players or PEOPLE[: len(hands)]),
            dealer=len(hands) - 1 if dealer is None else dealer, score=score, turned=turned or ABSENT, format=format or ABSENT,
            deal=list(hands), events=[],
        )  # fmt: skip
        return cls.from_record(decode_line(write_record(record)))

    @classmethod
    def from_record(cls, record: Record) -> Hand:
        """Return the hand at the end of a record's events, with nothing settled that still waits for words.

        Raises `IllegalEvent` at the first event, or the deal, that the rules forbid; its message names the place.

        >>> line = (b'{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],'
        ...         b'"deal":["7c 5c 12e",null],"events":["0 truc"]}')
        >>> Hand.from_record(decode_line(line)).pending
        'truco'
        """
        hand = _dealt(record)
        return hand.play(*record.events)

    def play(self, *events: str) -> Hand:
        """Return the hand after some events, each a seat and what it does: `"0 truco"`.

        Raises `NotationError` for words that are none and `IllegalEvent` for what the rules forbid, saying which event it
        was, why, and what would be right.

        >>> Hand.deal("argentino", [None, None]).play("1 7c")
        Traceback (most recent call last):
            ...
        trucostats.errors.IllegalEvent: event 0 `1 7c`: it is another player's turn; the turn is ana's
        """
        if not events:
            return self
        states = self._states.copy()
        places = list(self._places)
        for text in events:
            seat, code = self._read(text)
            fault = step(states, self._row, self._cards, seat, code)
            if fault != OK:
                name = CODE_NAMES[fault]
                why = reason(name, states[0], seat, self.players)
                raise IllegalEvent(name, f"event {len(places)} `{seat} {event_name(code)}`: {why}")
            places.append((seat, code))
        return Hand(self._record, self.rules, self._row, self._cards, states, tuple(places))

    def _read(self, text: str) -> tuple[int, int]:
        seat, code = parse_event(text, self.rules)
        if seat >= self.seats:
            raise NotationError(
                "UNKNOWN_SEAT", f"there is no seat {seat} at a table of {self.seats}; seats count from 0"
            )
        return seat, code

    def can(self, event: str) -> bool:
        """Say whether an event is legal now.

        >>> hand = Hand.deal("argentino", ["7c 5c 12e", "12o 11o 3b"])
        >>> hand.can("0 truco"), hand.can("0 retruco")
        (True, False)
        """
        return self.why_not(event) is None

    def why_not(self, event: str) -> str | None:
        """Return why an event is not legal now and what would be, or None if it is.

        >>> Hand.deal("argentino", ["7c 5c 12e", "12o 11o 3b"]).why_not("1 quiero")
        'there is nothing to answer; remove the answer, or add the call it answers [NOTHING_PENDING]'
        """
        try:
            seat, code = self._read(event)
        except NotationError as error:
            return f"{error} [{error.code}]"
        fault = step(self._states.copy(), self._row, self._cards, seat, code)
        name = CODE_NAMES[fault]
        return None if fault == OK else f"{reason(name, self._s, seat, self.players)} [{name}]"

    def legal(self, seat: int | None = None) -> list[str]:
        """Return every legal event but `show`, of all seats or of one, in the order seat, verb, card.

        >>> Hand.deal("argentino", ["7c 5c 12e", None]).legal()
        ['0 12e', '0 5c', '0 7c', '0 envido', '0 real-envido', '0 falta-envido', '0 mazo', '0 truco']
        """
        return [f"{who} {event_name(code)}" for who, code in self.actions() if seat is None or who == seat]

    def actions(self) -> list[tuple[int, int]]:
        """Return the legal events as seats and event codes (see `vocab`)."""
        seats, codes = np.zeros(ACTION_ROOM, np.int64), np.zeros(ACTION_ROOM, np.int64)
        n = list_actions(self._states.copy(), self._row, self._cards, seats, codes)
        return list(zip(seats[:n].tolist(), codes[:n].tolist(), strict=True))

    def settled(self) -> Hand:
        """Return the hand as if the record ended here: an accepted envido or an announced flor gives its points.

        >>> hand = Hand.deal("argentino", ["7c 5c 12e", "12o 11o 3b"]).play("0 envido", "1 quiero")
        >>> hand.score, hand.settled().score
        ((0, 0), (2, 0))
        """
        states = self._states.copy()
        finish(states[0], self._row, self._cards)
        return Hand(self._record, self.rules, self._row, self._cards, states, self._places)

    @property
    def _s(self) -> Any:
        return self._states[0]

    @property
    def kernel(self) -> tuple[Any, Any, Any]:
        """A copy of the state (two rows, the second scratch), the rules row and the card table, as kernel functions take them."""
        return self._states.copy(), self._row, self._cards

    @property
    def record(self) -> Record:
        """The record of this hand up to now, without claims."""
        return self._record.but(events=list(self.events), points=ABSENT, times=ABSENT)

    @property
    def events(self) -> tuple[str, ...]:
        """The events so far, in canonical words."""
        return tuple(f"{seat} {event_name(code)}" for seat, code in self._places)

    @property
    def players(self) -> tuple[str, ...]:
        """The names, in seat order."""
        return tuple(self._record.players)

    @property
    def seats(self) -> int:
        """How many play."""
        return len(self._record.players)

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self._record.dealer)

    @property
    def mano(self) -> int:
        """The seat that leads first; in pica-pica, of the duel being played."""
        return int(self._s.mano)

    @property
    def turned(self) -> str | None:
        """The turned card, or None."""
        return None if self._s.turned == NO_TURNED else card_name(int(self._s.turned))

    @property
    def duel(self) -> int | None:
        """The pica-pica duel being played, from 0, or None where all play together."""
        return None if self._s.duel < 0 else int(self._s.duel)

    @property
    def turn(self) -> int | None:
        """The seat that plays the next card, whether or not a call waits; None once the hand is over."""
        return None if self.over else int(self._s.turn)

    @property
    def pending(self) -> str | None:
        """The family of the call that waits for an answer: truco, envido, flor, decision, or None."""
        return None if self.over else PENDING[waiting(self._s)]

    @property
    def stake(self) -> int:
        """What winning the tricks is worth if nobody calls again."""
        return int(hand_worth(self._s, self._row))

    @property
    def score(self) -> tuple[int, int] | None:
        """The score now, by team; None once points are won that nobody knows whose."""
        return None if self._s.envido_unknown or self._s.flor_unknown else _pair(self._s.score)

    @property
    def points(self) -> dict[str, tuple[int, int] | None]:
        """The points of this deal so far, by family and team; None where nobody knows who won them."""
        s = self._s
        return {
            "envido": None if s.envido_unknown else _pair(s.points_envido),
            "flor": None if s.flor_unknown else _pair(s.points_flor),
            "truco": _pair(s.points_truco),
        }

    @property
    def trick(self) -> int:
        """The trick being played, or last played, from 1."""
        return max(int(self._s.n_leaders), 1)

    @property
    def tricks(self) -> tuple[int | str, ...]:
        """The winners of the tricks so far: a team, or `"tie"`; in pica-pica duel after duel."""
        return tuple("tie" if winner == TIE else int(winner) for winner in self._s.all_tricks[: self._s.n_tricks])

    @property
    def results(self) -> tuple[int | str, ...]:
        """The winners of the tricks of this hand, or of the pica-pica duel being played."""
        return self.tricks[len(self.tricks) - int(self._s.trick) :]

    @property
    def leaders(self) -> tuple[int, ...]:
        """The seats that led, or are about to lead, each trick."""
        return tuple(int(seat) for seat in self._s.all_leaders[: self._s.n_leaders])

    @property
    def table(self) -> dict[int, str]:
        """The cards of the trick being played, by seat; `?` for a covered one."""
        cards: dict[int, str] = {}
        for seat, code in self._places:
            verb, argument = code & VERB_MASK, code >> VERB_BITS
            if verb in (PLAY, COVER):
                cards[seat] = CARDS[argument] if verb == PLAY else "?"
        # Whoever has played to this trick has played his last card to it.
        return {seat: card for seat, card in cards.items() if self._s.played >> seat & 1}

    @property
    def over(self) -> bool:
        """Whether the hand is decided (or void)."""
        return bool(self._s.over)

    @property
    def void(self) -> bool:
        """Whether it was a misdeal that does not count."""
        return bool(self._s.void)

    @property
    def winner(self) -> int | None:
        """The team that won the hand, or the last duel; None if open or nobody's."""
        return _side(self._s.hand_winner)

    @property
    def game_over(self) -> bool:
        """Whether the game is won."""
        return bool(self._s.game_over)

    @property
    def game_winner(self) -> int | None:
        """The team that won the game, or None."""
        return _side(self._s.game_winner)

    @property
    def envido_winner(self) -> int | None:
        """The seat that won the envido by numbers, of the duel being played; None if nobody did, or more than one may have."""
        return _side(self._s.envido_winner)

    @property
    def unsettled(self) -> str | None:
        """The family, envido or flor, whose words may still follow before its points are given, or None."""
        if self._s.envido == ENVIDO_DECLARING:
            return "envido"
        return "flor" if self._s.flor == FLOR_OPEN else None

    def cards(self, seat: int) -> list[str]:
        """Return the cards a seat still holds, `?` for each that nobody knows.

        >>> Hand.deal("argentino", ["7c 5c ?", None]).play("0 7c").cards(0)
        ['5c', '?']
        """
        s = self._s
        known = [card_name(card) for card in range(40) if s.held[seat] >> card & 1]
        return known + ["?"] * int(s.hidden[seat])

    def dealt(self, seat: int) -> list[str]:
        """Return the cards a seat was dealt, `?` for each that nobody has identified."""
        s = self._s
        return [card_name(card) for card in range(40) if s.dealt[seat] >> card & 1] + ["?"] * int(s.hidden_dealt[seat])

    def envido(self, seat: int) -> int | None:
        """Return the envido number of the dealt cards; None if unknown or if they have none.

        >>> Hand.deal("argentino", ["7c 5c 12e", None]).envido(0)
        32
        """
        return None if self._s.value[seat] < 0 else int(self._s.value[seat])

    def said(self, seat: int) -> int | None:
        """Return the envido number a player has said, or None."""
        return None if self._s.spoken[seat] < 0 else int(self._s.spoken[seat])

    def flor(self, seat: int) -> int | None:
        """Return the flor of the dealt cards; None if unknown or none."""
        return None if self._s.flor_value[seat] < 0 else int(self._s.flor_value[seat])

    def folded(self, seat: int) -> bool:
        """Say whether a player has left the hand."""
        return not self._s.still_in >> seat & 1

    def state(self) -> dict[str, int | list[int]]:
        """Return every field of the kernel's state by name; `kernel.state.STATE_FIELDS` says what each means.

        >>> Hand.deal("argentino", [None, None]).state()["hidden"]
        [3, 3, 0, 0, 0, 0]
        """
        return {
            name: [int(v) for v in self._s[name]] if shape else int(self._s[name]) for name, shape, _ in STATE_FIELDS
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hand):
            return NotImplemented
        return (
            self.rules == other.rules
            and self._record.players == other._record.players
            and self.state() == other.state()
        )

    def __hash__(self) -> int:
        return hash((self.rules, bytes(self._states[0].tobytes())))

    def __repr__(self) -> str:
        """Return the hand in one line.

        >>> Hand.deal("argentino", ["7c 5c 12e", None]).play("0 envido")
        <Hand argentino 0-0: ana 12e 5c 7c, ben ? ? ?; ana to play, envido waits>
        """
        held = ", ".join(f"{name} {' '.join(self.cards(seat)) or '-'}" for seat, name in enumerate(self.players))
        score = "?-?" if self.score is None else f"{self.score[0]}-{self.score[1]}"
        state = "game over" if self.game_over else "void" if self.void else "over"
        if self.turn is not None:
            state = f"{self.players[self.turn]} to play" + (f", {self.pending} waits" if self.pending else "")
        return f"<Hand {self.rules} {score}: {held}; {state}>"


def _pair(values: Any) -> tuple[int, int]:
    return int(values[0]), int(values[1])


def _side(value: Any) -> int | None:
    return None if value == NOBODY else int(value)


def _dealt(record: Record) -> Hand:
    rules, record = rules_of(record.rules), canonical(record)
    deal, null_hand = np.full((6, 4), -1, np.int64), np.zeros(6, np.bool_)
    fault = OK
    for seat, text in enumerate(record.deal):
        hand = [] if text is None else parse_hand(text)
        null_hand[seat] = text is None
        if len(hand) > deal.shape[1]:
            fault = CODE_NAMES.index("DEAL_SIZE")
        else:
            deal[seat, : len(hand)] = hand
    turned = NO_TURNED if record.turned is ABSENT else parse_hand(record.turned)[0]
    table = np.array(
        [len(record.players), record.dealer, turned, int(record.format == "pica-pica"), *record.score], np.int64
    )
    row, cards = rules_row(rules)[0], card_tables(rules)[turned]
    states = blank_states()
    fault = fault or start(states[0], row, cards, table, deal, null_hand)
    if fault != OK:
        name = CODE_NAMES[fault]
        raise IllegalEvent(name, f"the deal: {CODES[name].meaning}; {CODES[name].remedy}")
    return Hand(record, rules, row, cards, states, ())


def positions(record: Record) -> Iterator[Hand]:
    """Yield the hand before each event of a record; raise `IllegalEvent` at an event that is not legal.

    >>> line = (b'{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],'
    ...         b'"deal":["7c 5c 12e",null],"events":["0 truc","1 quiero"]}')
    >>> [hand.pending for hand in positions(decode_line(line))]
    [None, 'truco']
    """
    hand = _dealt(record)
    for event in record.events:
        yield hand
        hand = hand.play(event)
