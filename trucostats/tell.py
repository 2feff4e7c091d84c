"""Telling a hand as a person would read it: plain text in English, Spanish or Portuguese. What happened is asked of `Hand`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from trucostats.errors import IllegalEvent
from trucostats.hand import Hand
from trucostats.phrases import PHRASES
from trucostats.record import ABSENT, Record
from trucostats.vocab import (
    CARD_INDEX,
    CARDS,
    ENVIDO_CALLS,
    FLOR_CALLS,
    NO_CARD,
    RAISES,
    SUITS,
    VERB_BITS,
    VERBS,
    shown_cards,
)
from trucostats.words import parse_event

COURTS: Final = ("10", "11", "12")
VERB_MASK: Final = (1 << VERB_BITS) - 1
SLIGHT: Final = 0.005  # points; what loses less is told as fine
NUMBERS: Final = ("declare", "son-buenas")


class Judged(NamedTuple):
    """What a review says of a decision: its kind, its mark (None if fine), the points it lost, and what was better."""

    kind: str
    mark: str | None
    loss: float
    best: str


def tell(
    record: Record,
    at: int | None = None,
    language: str = "en",
    judged: Mapping[int, Sequence[Judged]] | None = None,
) -> str:
    """Return a hand in words: who deals, the cards, every event with its number, the tricks, the points and the score after.

    With `at`, the position before event `at` (or at the end, with the number of events): the table, what the hand is worth, what
    waits, and what each player may do. A hand with a fault is told up to it. `language` is en, es or pt. `judged` has, by the index
    of an event, what a review says of its decisions; each event is then followed by them. Raises `ValueError` for
    another language or a position that does not exist, and `IllegalEvent` for a deal or a position that the rules forbid.

    >>> from trucostats.notation import decode_line
    >>> record = decode_line(b'{"v":1,"match":"club","hand":3,"rules":"argentino","players":["ana","ben"],"dealer":1,'
    ...     b'"score":[12,20],"deal":["7c 5c 12e","12o 11o 3b"],"events":["0 envido","1 quiero","0 32","1 son-buenas","0 mazo"]}')
    >>> print(tell(record))
    Match club, game 1, hand 3 (argentino)
    ana and ben. Score 12-20. ben deals, ana leads.
      ana holds king of swords, 5 of cups, 7 of cups
      ben holds 3 of clubs, knight of coins, king of coins
    <BLANKLINE>
      0 ana calls envido.
      1 ben accepts.
      2 ana says 32.
      3 ben concedes.
    Envido: ana with 32, 2 points.
      4 ana folds.
    Hand: ben, 1 point.
    Score 14-21.
    """
    if language not in PHRASES:
        raise ValueError(f"there is no language {language!r}; it is {', '.join(PHRASES)}")
    start = Hand.from_record(record.but(events=[], times=ABSENT))
    teller = _Teller(start, language, judged or {})
    if at is None:
        lines = [*teller.heading(record, start), *teller.story(start, record.events)]
    elif 0 <= at <= len(record.events):
        lines = [*teller.heading(record, start), *teller.position(start.play(*record.events[:at]), at)]
    else:
        raise ValueError(f"there is no event {at}; the hand has {len(record.events)}, counted from 0")
    return "\n".join(lines)


class _Teller:
    """The phrases of a language and the names of a table."""

    def __init__(self, hand: Hand, language: str, judged: Mapping[int, Sequence[Judged]]) -> None:
        self.words, self.judged = PHRASES[language], judged
        self.rules, self.names = hand.rules, hand.players
        deck = "french" if hand.rules.court_cards[0] == "Q" else "spanish"
        ranks = dict(zip(COURTS, self.words[f"{deck}_courts"].split(), strict=True))
        suits = dict(zip(SUITS, self.words[f"{deck}_suits"].split(), strict=True))
        self.card_names = [f"{ranks.get(card[:-1], card[:-1])} {self.words['of']} {suits[card[-1]]}" for card in CARDS]

    def say(self, phrase: str, **values: object) -> str:
        return self.words[phrase].format(**values)

    def card(self, name: str) -> str:
        return self.card_names[CARD_INDEX[name]]

    def points(self, n: int) -> str:
        return self.say("point") if n == 1 else self.say("points", n=n)

    def together(self, names: list[str]) -> str:
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} {self.words['and']} {names[-1]}"

    def side(self, hand: Hand, team: int) -> str:
        seats = range(hand.seats) if hand.duel is None else (hand.mano, (hand.mano + 3) % 6)
        return self.together([self.names[seat] for seat in sorted(seats) if seat % 2 == team])

    def score(self, hand: Hand) -> str:
        return "?-?" if hand.score is None else f"{hand.score[0]}-{hand.score[1]}"

    def heading(self, record: Record, start: Hand) -> Iterator[str]:
        """Yield who plays, deals and leads, and the cards."""
        game = 1 if record.game is ABSENT else record.game
        yield self.say("heading", match=record.match, game=game, hand=record.hand, rules=self.rules)
        score = f"{record.score[0]}-{record.score[1]}"
        mano = self.names[(record.dealer + 1) % start.seats]
        yield self.say(
            "before", names=self.together(list(self.names)), score=score, dealer=self.names[record.dealer], mano=mano
        )
        if start.turned:
            yield self.say("turned", card=self.card(start.turned))
        for seat, name in enumerate(self.names):
            yield "  " + self.say("holds", name=name, cards=self.holding(start.dealt(seat)))
        yield ""

    def holding(self, cards: list[str]) -> str:
        """Return cards in words; unknown ones are counted."""
        known = [self.card(card) for card in cards if card != "?"]
        unknown = len(cards) - len(known)
        if not known:
            return self.say("unknown") if unknown else self.say("nothing")
        return ", ".join(known + ([self.say("some_unknown", n=unknown)] if unknown else []))

    def story(self, hand: Hand, events: list[str]) -> Iterator[str]:
        """Yield every event in words and what followed from it, to the end or to the first fault."""
        if hand.duel is not None:
            yield self.duel(hand)
        for at, text in enumerate(events):
            seat, code = parse_event(text, self.rules)
            verb = VERBS[code & VERB_MASK]
            try:
                after = hand.play(text)
            except IllegalEvent as fault:
                yield self.say("illegal", why=fault)
                return
            before = hand
            # An accepted envido or an announced flor is settled by the first event that is no word of its kind.
            if hand.unsettled and verb not in (NUMBERS if hand.unsettled == "envido" else FLOR_CALLS):
                before = hand.settled()
                yield from self.results(hand, before)
            yield f"{at:>3} {self.event(self.names[seat], verb, code >> VERB_BITS)}"
            yield from (f"      {self.judgement(one)}" for one in self.judged.get(at, ()))
            yield from self.results(before, after)
            hand = after
        end = hand.settled()
        yield from self.results(hand, end)
        yield from self.ending(end)

    def duel(self, hand: Hand) -> str:
        seats = (hand.mano, (hand.mano + 3) % 6)
        return self.say("duel", n=(hand.duel or 0) + 1, names=self.together([self.names[seat] for seat in seats]))

    def event(self, name: str, verb: str, argument: int) -> str:
        """Return one event in words."""
        word = verb.replace("-", " ")
        if verb in RAISES or verb in ENVIDO_CALLS:
            if argument:
                return self.say("call_card", name=name, word=word, card=self.card_names[argument - 1])
            return self.say("call", name=name, word=word)
        if verb in FLOR_CALLS:
            return self.say("flor", name=name, word=word)
        if verb == "play" or (verb == "cover" and argument != NO_CARD):
            return self.say(verb if verb == "play" else "cover_known", name=name, card=self.card_names[argument])
        if verb == "show":
            return self.say(verb, name=name, cards=", ".join(self.card_names[card] for card in shown_cards(argument)))
        return self.say(verb, name=name, n=argument)

    def judgement(self, judged: Judged) -> str:
        """Return what a review says of a decision."""
        kind = self.words[f"kind_{judged.kind}"]
        if judged.mark is None and judged.loss < SLIGHT:
            return f"{kind}: {self.words['fine']}"
        mark = self.words[judged.mark or "slight"]
        return self.say("judged", kind=kind, mark=mark, n=f"{judged.loss:.2f}", best=judged.best)

    def results(self, before: Hand, after: Hand) -> Iterator[str]:
        """Yield what changed between two states: tricks, points, the hand, the duel."""
        for place in range(len(before.tricks), len(after.tricks)):
            winner, n = after.tricks[place], len(before.results) + place - len(before.tricks) + 1
            yield (
                self.say("tie", n=n) if winner == "tie" else self.say("trick", n=n, side=self.side(before, int(winner)))
            )
        for family, won in after.points.items():
            had = before.points[family]
            if won is None or had is None:
                if won is None and had is not None:
                    yield self.say("lost_unknown", family=family.capitalize())
                continue
            for team in (0, 1):
                if won[team] > had[team]:
                    yield self.won(family, before, after, team, won[team] - had[team])
        if after.duel != before.duel:
            yield self.duel(after)
        elif before.pending in ("envido", "flor") and after.pending == "truco":
            yield self.say("still", family="truco")

    def won(self, family: str, before: Hand, after: Hand, team: int, points: int) -> str:
        said = {"side": self.side(before, team), "points": self.points(points)}
        seat = after.envido_winner
        if family == "envido" and seat is not None and before.envido_winner is None:
            number = after.said(seat)
            return self.say("won_envido_by", number=after.envido(seat) if number is None else number, **said)
        return self.say(f"won_{family}", **said)

    def ending(self, end: Hand) -> Iterator[str]:
        """Yield how the hand ended, or who is to act."""
        if end.void:
            yield self.say("void")
        elif end.over:
            if end.state()["infraction"]:
                yield self.say("forbidden")
            if end.winner is None and not end.game_over:
                yield self.say("nobody")
        else:
            yield self.waiting(end) or self.say("unfinished", name=self.names[end.turn or 0])
        yield self.say("score", score=self.score(end))
        if end.game_winner is not None:
            yield self.say(
                "game",
                side=self.together([name for seat, name in enumerate(self.names) if seat % 2 == end.game_winner]),
            )

    def waiting(self, hand: Hand) -> str | None:
        """Return what waits for whom, or None."""
        if hand.pending is None:
            return None
        answers = [seat for seat, code in hand.actions() if VERBS[code & VERB_MASK] in ("quiero", "accept-hand")]
        side = self.side(hand, answers[0] % 2)
        if hand.pending == "decision":
            return self.say("decides", side=side)
        return self.say("waits", family=hand.pending.capitalize(), side=side)

    def position(self, hand: Hand, at: int) -> Iterator[str]:
        """Yield the state of a hand: table, tricks, stake, what waits, what each may do."""
        yield self.say("position", n=at)
        if hand.duel is not None:
            yield self.duel(hand)
        if hand.results:
            told = [self.words["tied"] if won == "tie" else self.side(hand, int(won)) for won in hand.results]
            yield self.say("tricks", tricks=", ".join(told))
        table = [f"{self.names[seat]} {'?' if card == '?' else self.card(card)}" for seat, card in hand.table.items()]
        yield self.say("table", cards=", ".join(table)) if table else self.say("empty")
        for seat, name in enumerate(self.names):
            yield "  " + self.say("holds", name=name, cards=self.holding(hand.cards(seat)))
        yield self.say("score", score=self.score(hand)) + " " + self.say("worth", points=self.points(hand.stake))
        if hand.turn is None:
            yield self.say("over")
            return
        if waits := self.waiting(hand):
            yield waits
        else:
            yield self.say("turn", name=self.names[hand.turn])
        for seat, name in enumerate(self.names):
            if words := self.choices(hand, seat):
                yield "  " + self.say("may", name=name, words=", ".join(words))

    def choices(self, hand: Hand, seat: int) -> list[str]:
        """Return the words a player may say now, as the notation writes them; the cards of unknown hands are not listed."""
        legal = [event.partition(" ")[2] for event in hand.legal(seat)]
        if "?" not in hand.cards(seat):
            return legal
        short = {"cover": self.words["any_cover"]}
        told = [self._any(word) or short.get(word.partition(" ")[0], word.partition(" ")[0]) for word in legal]
        return list(dict.fromkeys(told))

    def _any(self, word: str) -> str | None:
        if word in CARD_INDEX:
            return self.words["any_card"]
        return self.words["any_number"] if word.isdigit() else None
