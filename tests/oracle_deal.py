"""A deal in play for the test oracle: what is known of it, and what is wrong with the next event."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from oracle_rules import (
    DECK,
    ENVIDOS,
    FLORES,
    IN_DECK,
    PLAIN,
    RAISES,
    envido_value,
    feasible_flor,
    feasible_numbers,
    piezas_of,
    rules_of,
    strengths,
    turns_a_card,
)

FAMILIES = ["envido", "flor", "truco", "other"]
FAR = 10_000  # no score is as high


class Malformed(Exception):
    """The text of an event or card means nothing."""


class Event:
    """One event taken apart: seat, kind, word, cards, number."""

    __slots__ = ("cards", "kind", "number", "seat", "word")

    def __init__(self, text: str, seats: int) -> None:
        seat, *rest = text.split(" ")
        if not seat.isdigit() or int(seat) >= seats:
            raise Malformed("UNKNOWN_SEAT")
        self.seat = int(seat)
        self.word = rest[0] if rest else ""
        self.cards = rest[1:]
        self.number = -1
        takes = 0
        if self.word in RAISES:
            self.kind, takes = "raise", 1
        elif self.word in ENVIDOS:
            self.kind = "envido"
        elif self.word in FLORES:
            self.kind = "flor"
        elif self.word in PLAIN:
            self.kind = self.word
        elif self.word == "cover":
            self.kind, takes = "cover", 1
        elif self.word == "show" and self.cards:
            self.kind, takes = "show", 40
        elif self.word.isdigit() and not self.cards:
            self.kind, self.number = "number", int(self.word)
        elif self.word[-1:] in ("e", "b", "o", "c") and self.word[:-1].isdigit():
            self.kind, self.cards, takes = "card", [self.word, *self.cards], 1
        else:
            raise Malformed("UNKNOWN_EVENT")
        if len(self.cards) > takes:
            raise Malformed("UNKNOWN_EVENT")
        if any(card not in IN_DECK for card in self.cards):
            raise Malformed("UNKNOWN_CARD")


class Facts:
    """What does not change during a deal."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.rules = rules_of(record["rules"])
        self.n = len(record["players"])
        self.dealer: int = record["dealer"]
        self.pica = record.get("format", "redonda") == "pica-pica"
        self.turned: str | None = record.get("turned") if turns_a_card(self.rules) else None
        self.piezas = piezas_of(self.rules, self.turned)
        self.strength = strengths(self.rules, self.turned)
        self.ladder: list[tuple[str, int]] = [(word, value) for word, value in self.rules["ladder"]]
        self.raises = [word for word, _ in self.ladder]
        limit = self.rules["max_envido"]
        self.max_envido = FAR if limit is None or limit >= 99 else limit
        hands = [None if hand is None else hand.split() for hand in record["deal"]]
        sizes = sorted({len(hand) for hand in hands if hand is not None})
        self.size = 1 if sizes == [1] else 3
        self.hands = [["?"] * self.size if hand is None else hand for hand in hands]
        four = [seat for seat in range(self.n) if len(self.hands[seat]) == 4]
        self.extra: int | None = four[0] if four else None


@lru_cache(maxsize=4096)
def parse(text: str, seats: int) -> Event:
    """The event a string stands for; nobody changes it."""
    return Event(text, seats)


def deal_fault(facts: Facts, score: list[int]) -> str:
    """Why the deal is illegal, or nothing."""
    rules = facts.rules
    sizes = [len(hand) for hand in facts.hands]
    if facts.extra is not None:
        if not rules["misdeal"] or sorted(sizes) != [3] * (facts.n - 1) + [4]:
            return "DEAL_SIZE"
    elif set(sizes) == {1}:
        if not rules["one_card"]:
            return "DEAL_SIZE"
        special = rules["special_hand"]
        if special and max(score) >= special["at"]:
            return "ONE_CARD_DEAL_NOT_ALLOWED"
    elif set(sizes) != {3}:
        return "DEAL_SIZE"
    known = [card for hand in facts.hands for card in hand if card != "?"]
    if facts.turned:
        known.append(facts.turned)
    return "DUPLICATE_CARD" if len(known) != len(set(known)) else ""


class Position:
    """One deal in play. Containers are one level deep, so that a copy is shallow and cheap."""

    def __init__(self, facts: Facts, score: list[int]) -> None:
        self.facts = facts
        n = facts.n
        self.low = list(score)  # points that are certain
        self.high = list(score)  # points that are possible
        self.score_known = True
        self.points: dict[str, tuple[int, int] | None] = dict.fromkeys(FAMILIES, (0, 0))
        self.over = self.game_over = self.void = False
        self.game_winner: int | None = None
        self.infraction: str | None = None
        self.warnings: list[str] = []
        self.proofs: list[tuple[int, int, int]] = []  # seat, number, points
        # What is known of the cards.
        self.known = [tuple(card for card in hand if card != "?") for hand in facts.hands]
        self.missing = [hand.count("?") for hand in facts.hands]
        self.spent_missing = [0] * n  # unnamed covers that took an unknown card
        self.ghosts = [0] * n  # unnamed covers that took one of the known cards
        self.named: list[tuple[str, ...]] = [()] * n  # cards played by name
        self.used = [0] * n
        self.open_cards: list[tuple[str, ...]] = [()] * n  # seen face up or shown
        self.seen = {card for hand in self.known for card in hand}
        if facts.turned:
            self.seen.add(facts.turned)
        # Duels that are over.
        self.past_tricks: list[int | str] = []
        self.past_leaders: list[int] = []
        self.winners: list[int | None] = []
        self.start((facts.dealer + 1) % n)

    def start(self, mano: int) -> None:
        """Begin the hand, or the next duel."""
        n = self.facts.n
        self.mano = mano
        self.seats = [mano, (mano + 3) % n] if self.facts.pica else [(mano + i) % n for i in range(n)]
        self.out: set[int] = set()
        self.table: list[tuple[int, str | None]] = []  # the current trick; None is face down
        self.tricks: list[int | str] = []
        self.leaders = [mano]
        self.window: int | None = None  # who played the last card, until another acts
        self.level = 0
        self.owner: int | None = None
        self.call: dict[str, Any] | None = None  # the truco that waits
        self.bound: dict[int, str] = {}
        self.called = False
        self.envido = ""  # "", pending, accepted, done
        self.envido_calls: list[str] = []
        self.envido_seat = -1
        self.falta_score: tuple[int, int] | None = None
        self.spoken: dict[int, int | None] = {}  # None is a concession
        self.flor = ""  # "", open, pending, done
        self.flores: list[int] = []
        self.flor_seat = -1
        self.flor_words: list[str] = []
        self.refused: set[tuple[str, int]] = set()  # family and seat of each no-quiero so far
        self.silent_flores: list[int] = []
        self.deciding = False
        self.special: int | str | None = None  # the side, or "both"
        special = self.facts.rules["special_hand"]
        if special and self.score_known:
            at, least = special["at"], special["scope"] == "ge"
            sides = [side for side in (0, 1) if self.low[side] == at or (least and self.low[side] > at)]
            self.special = "both" if len(sides) == 2 else sides[0] if sides else None
            self.deciding = len(sides) == 1

    # ------------------------------------------------------------------ looking

    def in_play(self, side: int | None = None) -> list[int]:
        """Who is still in, in order from the mano."""
        return [seat for seat in self.seats if seat not in self.out and side in (None, seat % 2)]

    def turn(self) -> int | None:
        """Who plays the next card."""
        if self.over or not self.leaders:
            return None
        played = [seat for seat, _ in self.table]
        start = self.seats.index(self.leaders[-1])
        for seat in self.seats[start:] + self.seats[:start]:
            if seat not in self.out and seat not in played:
                return seat
        return None

    def value(self, level: int) -> int:
        """What the ladder pays at a level."""
        return self.facts.ladder[level - 1][1] if level else int(self.facts.rules["hand_value"])

    def stake(self) -> int:
        """What the hand is worth if nobody calls again."""
        if self.pays_special():
            return int(self.facts.rules["special_hand"]["value"])
        return self.value(self.level)

    def pays_special(self) -> bool:
        """True where the hand has the fixed value of the special hand."""
        if self.special == "both":
            return bool(self.facts.rules["both_special_value"] == "special_value")
        return self.special is not None

    def top(self) -> tuple[str, int] | None:
        """The call that waits for an answer: family and caller."""
        if self.flor == "pending":
            return "flor", self.flor_seat
        if self.envido == "pending":
            return "envido", self.envido_seat
        if self.call is not None:
            return "truco", self.call["seat"]
        return None

    def answers_for(self, caller: int) -> list[int]:
        """Who may answer a call by word."""
        side = self.in_play(1 - caller % 2)
        mode = self.facts.rules["reply_by"]
        if mode == "pie":
            return side[-1:]
        if mode == "next_player":
            start = self.seats.index(caller)
            return [seat for seat in self.seats[start:] + self.seats[:start] if seat in side][:1]
        return side

    def unseen(self) -> frozenset[str]:
        """Cards that nobody is known to have."""
        return frozenset(card for card in DECK if card not in self.seen)

    def holds(self, seat: int, card: str) -> bool:
        """True if the card can still be in this hand."""
        if card in self.known[seat]:
            return card not in self.named[seat] and self.has_cards(seat)
        return self.missing[seat] > self.spent_missing[seat] and card not in self.seen

    def has_cards(self, seat: int) -> bool:
        """True unless every card has been played; the last one may be what an unnamed cover took."""
        return self.used[seat] < len(self.known[seat]) + self.missing[seat]

    def was_dealt(self, seat: int, card: str) -> bool:
        """True if the card can have been dealt to this seat."""
        return card in self.known[seat] or (self.missing[seat] > 0 and card not in self.seen)

    def number_of(self, seat: int) -> int | None:
        """The envido number where the hand is known; -1 for a hand without a number; None if unknown."""
        if self.missing[seat]:
            return None
        value = envido_value(self.known[seat], self.facts.piezas)
        return -1 if value is None else value

    def may_hold_flor(self, seat: int) -> bool:
        """True if the seat's hand is, or can be, a flor."""
        if len(self.known[seat]) + self.missing[seat] != 3:
            return False
        return feasible_flor(list(self.known[seat]), self.missing[seat], self.unseen(), self.facts.piezas)

    def may_say(self, seat: int) -> set[int]:
        """The numbers a seat can have."""
        return feasible_numbers(list(self.known[seat]), self.missing[seat], self.unseen(), self.facts.piezas)

    def speaker(self) -> int | None:
        """Who declares next once the envido is accepted."""
        best: int | None = None
        for seat in self.in_play():
            if self.facts.rules["envido_declaration"] == "rival_must_beat" and best is not None:
                if best % 2 == seat % 2:
                    continue
            if seat not in self.spoken:
                return seat
            said = self.spoken[seat]
            if said is not None and (best is None or said > (self.spoken[best] or 0)):
                best = seat
        return None

    # ------------------------------------------------------------------ judging

    def fault(self, event: Event) -> str:
        """The code of what is wrong with an event, or nothing. Settling comes before."""
        rules, seat, kind, side = self.facts.rules, event.seat, event.kind, event.seat % 2
        if kind == "show":
            return "" if all(self.was_dealt(seat, card) for card in event.cards) else "CARD_NOT_HELD"
        if self.game_over:
            return "GAME_OVER"
        if self.over:
            return "HAND_OVER"
        if seat not in self.seats:
            return "NOT_IN_DUEL"
        if seat in self.out:
            return "FOLDED"
        decision = kind in ("accept-hand", "decline-hand")
        if self.deciding:
            if not decision:
                return "DECISION_PENDING"
            return "" if side == self.special else "NOT_YOUR_DECISION"
        declaration = kind in ("number", "son-buenas")
        if (
            (kind == "raise" and (event.word not in self.facts.raises or (event.cards and not rules["commit"])))
            or ((kind == "envido" or declaration) and not rules["envido"])
            or (kind == "flor" and not rules["flor"])
            or (decision and not rules["special_hand"])
            or (kind == "ask-count" and not rules["misdeal"])
        ):
            return "UNKNOWN_CALL"
        if self.special is not None and kind in ("raise", "envido", "flor"):
            if rules["special_hand"]["on_bet"] == "illegal":
                return "BETTING_FORBIDDEN"
            return "" if all(self.holds(seat, card) for card in event.cards) else "CARD_NOT_HELD"
        opening = kind == "envido" and self.envido != "pending"
        code = self.window_fault(event, opening) or self.pending_fault(event)
        if code:
            return code
        top = self.top()
        if (
            (kind in ("quiero", "no-quiero") and top is None)
            or decision
            or (declaration and self.envido != "accepted")
            or (kind == "ask-count" and top is None)
        ):
            return "NOTHING_PENDING"
        if kind == "son-buenas" and all(said is None for said in self.spoken.values()):
            return "NOTHING_TO_CONCEDE"
        if kind == "number" and event.number not in self.may_say(seat):
            return "FALSE_DECLARATION"
        if kind == "flor":
            if not self.may_hold_flor(seat):
                return "FLOR_NOT_HELD"
            if event.word == "flor" and seat in self.flores:
                return "FLOR_DUPLICATE"
            if event.word != "flor" and all(other % 2 == side for other in self.flores):
                return "FLOR_NO_RIVAL"
        return self.ladder_fault(event) or self.turn_fault(event) or self.card_fault(event)

    def window_fault(self, event: Event, opening: bool) -> str:
        """Closed windows of envido and flor."""
        rules, seat = self.facts.rules, event.seat
        if opening:
            raised = self.call is not None and self.call["level"] > 1
            if self.tricks or self.level or raised or self.envido or self.flores:
                return "ENVIDO_CLOSED"
            if self.used[seat]:
                answering = self.call is not None and self.call["seat"] % 2 != seat % 2
                if rules["envido_window"] != "first_trick" or not answering:
                    return "ENVIDO_AFTER_CARD"
            if rules["envido_caller"] == "pie" and seat != self.in_play(seat % 2)[-1]:
                return "NOT_PIE"
        if event.kind == "flor" and (self.tricks or self.used[seat] or self.flor == "done"):
            return "FLOR_CLOSED"
        return ""

    def pending_fault(self, event: Event) -> str:
        """What a waiting call forbids."""
        rules, seat, kind, word = self.facts.rules, event.seat, event.kind, event.word
        if kind == "flor" and self.flor == "open":
            return "OWN_CALL" if word != "flor" and self.flor_seat % 2 == seat % 2 else ""
        if kind in ("number", "son-buenas") and self.envido == "accepted":
            return ""
        top = self.top()
        if top is None:
            return ""
        family, caller = top
        if caller % 2 == seat % 2:
            if kind == "envido" and family == "envido" and rules["allow_self_raise"]:
                return ""
            if kind in ("raise", "envido", "flor", "quiero", "no-quiero"):
                return "OWN_CALL"
            if kind in ("card", "cover") and family == "truco" and rules["accept_by_play"] and rules["caller_may_play"]:
                may = seat == caller == self.turn() and not self.call["played"]  # type: ignore[index]
                return "" if may else "BET_PENDING"
            return "BET_PENDING"
        if kind in ("quiero", "no-quiero"):
            return ""
        if kind == "mazo":
            return "BET_PENDING" if family == "envido" and rules["mazo_envido"] == "forbidden" else ""
        if family == "flor":
            return "" if kind == "flor" and word != "flor" else "BET_PENDING"
        if family == "envido":
            return "" if kind == "envido" or word == "flor" else "BET_PENDING"
        assert self.call is not None
        plain = self.call["level"] == 1 and not self.tricks
        if kind == "raise" or (kind in ("envido", "flor") and plain):
            return ""
        if kind in ("card", "cover") and rules["accept_by_play"]:
            return ""
        if kind == "ask-count" and self.facts.extra is not None and caller == self.facts.extra:
            return ""
        return "BET_PENDING"

    def ladder_fault(self, event: Event) -> str:
        """Who may raise, and by how much."""
        if event.kind == "raise":
            level = self.facts.raises.index(event.word) + 1
            if self.call is not None:
                return "" if level == self.call["level"] + 1 else "LADDER_ORDER"
            if self.owner is not None and self.owner != event.seat % 2:
                return "NOT_OWNER"
            return "" if level == self.level + 1 else "LADDER_ORDER"
        calls = self.envido_calls
        if event.kind == "envido":
            if "falta-envido" in calls:
                return "LADDER_ORDER"
            if event.word == "envido" and ("real-envido" in calls or calls.count("envido") >= self.facts.max_envido):
                return "LADDER_ORDER"
            if event.word == "real-envido" and "real-envido" in calls and self.facts.rules["real_once"]:
                return "LADDER_ORDER"
        if event.kind == "flor" and self.flor == "pending":
            if event.word == "contraflor" or "contraflor-al-resto" in self.flor_words:
                return "LADDER_ORDER"
        return ""

    def turn_fault(self, event: Event) -> str:
        """Whether it is the seat's turn to do this."""
        rules, seat, kind = self.facts.rules, event.seat, event.kind
        top, turn = self.top(), self.turn()
        if kind in ("number", "son-buenas"):
            right = seat == self.speaker()
        elif kind == "ask-count":
            right = seat == self.facts.dealer
        elif kind in ("card", "cover"):
            right = seat == turn
        elif kind == "flor" and self.flor == "open":
            right = True
        elif top is not None and top[1] % 2 == seat % 2:
            right = True  # raising one's own envido
        elif top is not None:
            right = kind == "mazo" or (seat in self.answers_for(top[1]) and (top[0], seat) not in self.refused)
        elif kind == "raise" and rules["truco_timing"] != "turn_before":
            right = seat in (turn, self.window) or rules["truco_timing"] == "any_time"
            if rules["truco_timing"] == "turn_any" and rules["after_card_window"] == "while_trick_open":
                right = right or any(seat == other for other, _ in self.table)
        elif kind == "mazo" and rules["mazo_timing"] == "any_time":
            right = True
        else:
            right = seat == turn
        return "" if right else "NOT_YOUR_TURN"

    def card_fault(self, event: Event) -> str:
        """Whether the card can be played so."""
        rules, seat, kind = self.facts.rules, event.seat, event.kind
        if kind not in ("card", "cover", "raise"):
            return ""
        if any(not self.holds(seat, card) for card in event.cards):
            return "CARD_NOT_HELD"
        bound = self.bound.get(seat)
        if kind == "cover":
            first = rules["covered_from"]
            if first is None or len(self.tricks) + 1 < first:
                return "COVER_NOT_ALLOWED"
            if rules["covered_by"] == "leader_only" and seat != self.leaders[-1]:
                return "COVER_NOT_ALLOWED"
            if not rules["cover_after_tie"] and self.tricks and self.tricks[-1] == "tie":
                return "COVER_NOT_ALLOWED"
            return "COMMITTED_CARD" if bound else ""
        return "COMMITTED_CARD" if bound and event.cards and event.cards[0] != bound else ""
