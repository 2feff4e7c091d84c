"""A second, naive engine that replays and judges truco hands, to compare the fast one with.

It works on plain strings, lists and dicts, imports nothing of the package and is written for reading, not speed.
Seats are numbers, cards are strings such as "7c", events are strings such as "0 envido".
"""

from __future__ import annotations

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
    flor_value,
    match_winner,
    next_format,
    piezas_of,
    rules_of,
    strengths,
    turns_a_card,
)

__all__ = ["Table", "legal", "match_winner", "next_format", "open_table", "perft", "replay", "rules_of"]

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


class Table:
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
        if facts.extra is not None and facts.extra % 2 == facts.dealer % 2:
            self.cancel_deal()

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
        self.refused: set[int] = set()
        self.silent_flores: list[int] = []
        self.deciding = False
        self.special: int | str | None = None  # the side, or "both"
        special = self.facts.rules["special_hand"]
        if special and self.score_known:
            at, least = special["at"], special["scope"] == "ge"
            sides = [side for side in (0, 1) if self.low[side] == at or (least and self.low[side] > at)]
            self.special = "both" if len(sides) == 2 else sides[0] if sides else None
            self.deciding = len(sides) == 1

    def copy(self) -> Table:
        """An independent copy."""
        twin = Table.__new__(Table)
        for key, value in self.__dict__.items():
            twin.__dict__[key] = value.copy() if isinstance(value, (list, dict, set)) else value
        return twin

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
        return self.facts.ladder[level - 1][1] if level else self.facts.rules["hand_value"]

    def stake(self) -> int:
        """What the hand is worth if nobody calls again."""
        if self.special in (0, 1):
            return self.facts.rules["special_hand"]["value"]
        return self.value(self.level)

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
            return card not in self.named[seat]
        return self.missing[seat] > self.spent_missing[seat] and card not in self.seen

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
            return "BETTING_FORBIDDEN" if rules["special_hand"]["on_bet"] == "illegal" else ""
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
                return "BET_PENDING" if seat != caller or self.call["played"] else ""  # type: ignore[index]
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
            right = kind == "mazo" or (seat in self.answers_for(top[1]) and seat not in self.refused)
        elif kind == "raise" and rules["truco_timing"] != "turn_before":
            right = seat in (turn, self.window) or rules["truco_timing"] == "any_time"
            if rules["truco_timing"] == "turn_any" and rules["after_card_window"] == "while_trick_open":
                right = right or any(seat == other for other, _ in self.table)
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
            return "COMMITTED_CARD" if bound else ""
        return "COMMITTED_CARD" if bound and event.cards and event.cards[0] != bound else ""

    # ------------------------------------------------------------------ settling

    def settles(self, kind: str) -> bool:
        """True if an event of this kind settles something first."""
        if self.envido == "accepted":
            return kind not in ("number", "son-buenas")
        return self.flor == "open" and kind != "flor"

    def settle(self) -> None:
        """Score what was left open."""
        if self.envido == "accepted":
            self.settle_envido()
        elif self.flor == "open":
            self.settle_flor("")

    def add(self, family: str, side: int, points: int) -> None:
        """Book points, unless the game is already won."""
        target = self.facts.rules["target"]
        if self.game_over or max(self.low) >= target:
            return
        old = self.points[family]
        if old is not None:
            self.points[family] = (old[0] + points, old[1]) if side == 0 else (old[0], old[1] + points)
        self.low[side] += points
        self.high[side] += points
        if self.facts.rules["score_timing"] == "immediate":
            self.end_game_if_won()

    def add_unknown(self, family: str, most: int) -> None:
        """Book points of which nobody knows whose they are."""
        if self.game_over or max(self.low) >= self.facts.rules["target"]:
            return
        self.points[family] = None
        self.score_known = False
        self.high = [points + most for points in self.high]

    def end_game_if_won(self) -> None:
        """Reaching the target ends the game."""
        target = self.facts.rules["target"]
        for side in (0, 1):
            if self.low[side] >= target and not self.game_over:
                self.win_game(side if self.high[1 - side] < target else None)

    def win_game(self, side: int | None) -> None:
        """The game is over, and the hand with it."""
        self.game_over = self.over = True
        self.game_winner = side

    def falta(self, side: int) -> int | None:
        """What an accepted falta pays if this side wins it."""
        rules = self.facts.rules
        if self.facts.pica and rules["pica_falta"] is not None:
            return rules["pica_falta"]
        if self.falta_score is None:
            return None
        target, half = rules["target"], rules["target"] // 2
        leader, own = max(self.falta_score), self.falta_score[side]
        points = {
            "leader_to_target": target - leader,
            "win_game": target - own,
            "malas_game": target - own if leader < half else target - leader,
            "half_then_target": half - leader if leader < half else target - leader,
            "winner_to_half": half - own if leader < half else target - leader,
        }[rules["falta"]]
        return max(1, points)

    def remember_score(self) -> None:
        """A falta is counted on the score at the moment of acceptance."""
        self.falta_score = (self.low[0], self.low[1]) if self.score_known else None

    @staticmethod
    def sum_of(calls: list[str]) -> int:
        """Envidos and reales added up."""
        return sum({"envido": 2, "real-envido": 3}.get(word, 0) for word in calls)

    def envido_points(self, side: int) -> int | None:
        """What the accepted envido pays if this side wins it."""
        points = self.sum_of(self.envido_calls)
        if "falta-envido" not in self.envido_calls:
            return points
        falta = self.falta(side)
        if falta is None:
            return None
        return falta + points if self.facts.rules["falta_stack"] == "add" else falta

    def settle_envido(self) -> None:
        """Find the winner of an accepted envido and book it."""
        self.envido = "done"
        ignore = self.facts.rules["envido_resolution"] == "cards"
        numbers: dict[int, int | None] = {}  # of those who can win; None where unknown
        for seat in self.in_play():
            said = self.spoken.get(seat)
            if said is not None:
                numbers[seat] = said
            elif seat not in self.spoken or (ignore and self.number_of(seat) is not None):
                numbers[seat] = self.number_of(seat)
        if self.facts.rules["envido_declaration"] == "rival_must_beat":
            winner, sides = self.pass_of_rivals(numbers)
        else:
            sure = [seat for seat in numbers if numbers[seat] is not None]
            vague = [seat for seat in numbers if numbers[seat] is None]
            winner = max(sure, key=lambda seat: numbers[seat] or 0) if sure else None
            sides = {seat % 2 for seat in vague} | ({winner % 2} if winner is not None else set())
            if vague:
                winner = None
        if len(sides) == 1:
            side = sides.pop()
            points = self.envido_points(side)
            if points is None:
                self.add_unknown("envido", FAR)
            else:
                before = self.low[side]
                self.add("envido", side, points)
                number = numbers[winner] if winner is not None else None
                if winner is not None and number is not None and number >= 0:
                    self.proofs.append((winner, number, self.low[side] - before))
        else:
            self.add_unknown("envido", max(self.envido_points(side) or FAR for side in (0, 1)))
        best = numbers.get(winner) if winner is not None else None
        if winner is None or best is None:
            return
        order = self.in_play()
        for seat in order:
            if seat in self.spoken and self.spoken[seat] is None:
                own = self.number_of(seat)
                if own is not None and (own > best or (own == best and order.index(seat) < order.index(winner))):
                    self.warnings.append("CONCEDED_BETTER")

    def pass_of_rivals(self, numbers: dict[int, int | None]) -> tuple[int | None, set[int]]:
        """One pass in which only rivals of the best so far speak; every way it can end."""
        ends: set[int | None] = {None}
        vague = False
        for seat in self.in_play():
            if seat not in numbers:
                continue
            after: set[int | None] = set()
            for best in ends:
                if best is not None and best % 2 == seat % 2:
                    after.add(best)
                    continue
                mine, rival = numbers[seat], numbers[best] if best is not None else -2
                if mine is None or rival is None:
                    vague = True
                    after |= {seat, best} if best is not None else {seat}
                else:
                    after.add(seat if mine > rival else best)
            ends = after
        sides = {best % 2 for best in ends if best is not None}
        return (next(iter(ends)) if len(ends) == 1 and not vague else None), sides

    def refuse_envido(self) -> None:
        """The calls before the last one go to its caller."""
        self.envido = "done"
        self.refused = set()
        self.add("envido", self.envido_seat % 2, max(1, self.sum_of(self.envido_calls[:-1])))

    def settle_flor(self, accepted: str) -> None:
        """Pay the announced flores; `accepted` is the contraflor word that was accepted, if any."""
        self.flor = "done"
        flores = [seat for seat in self.flores if seat not in self.out]
        sides = sorted({seat % 2 for seat in flores})
        mode = self.facts.rules["flor_points"]
        if not accepted and len(sides) == 1:
            self.add("flor", sides[0], 3 * len(flores) if mode.endswith("_each") else 3)
            return
        if not accepted and mode == "own_flors_3_each":
            for side in (self.mano % 2, 1 - self.mano % 2):
                self.add("flor", side, 3 * sum(seat % 2 == side for seat in flores))
            return
        amounts: list[int | None]
        if accepted == "contraflor-al-resto":
            amounts = [self.falta(0), self.falta(1)]
        elif accepted:
            amounts = [6, 6]
        else:
            plain = {"best_takes_3": 3, "best_takes_3_each": 3 * len(flores), "con_flor_quiero_4": 4}[mode]
            amounts = [plain, plain]
        values = {seat: flor_value(self.known[seat], self.facts.piezas) for seat in flores}
        if len(sides) == 1:
            winner: int | None = sides[0]
        elif any(self.missing[seat] for seat in flores):
            winner = None
        else:
            winner = max((seat for seat in self.seats if seat in flores), key=lambda seat: values[seat] or 0) % 2
        points = amounts[winner] if winner is not None else None
        if winner is None or points is None:
            self.add_unknown("flor", max(amount or FAR for amount in amounts))
        else:
            self.add("flor", winner, points)

    def refuse_flor(self) -> None:
        """A refused contraflor pays 4, an al-resto over a contraflor 6."""
        self.flor = "done"
        self.refused = set()
        self.add("flor", self.flor_seat % 2, 6 if len(self.flor_words) > 1 else 4)

    # ------------------------------------------------------------------ playing

    def apply(self, event: Event) -> None:
        """Carry out an event that has no fault."""
        rules, seat, kind, side = self.facts.rules, event.seat, event.kind, event.seat % 2
        if kind == "show":
            for card in event.cards:
                self.reveal(seat, card, shown=True)
                self.open_cards[seat] += (card,)
            return
        if seat != self.window:
            self.window = None
        if self.special is not None and kind in ("raise", "envido", "flor"):
            self.punish(side)
        elif kind == "accept-hand":
            self.deciding = False
        elif kind == "decline-hand":
            self.deciding = False
            self.end_hand(1 - side, rules["special_hand"]["pass_value"])
        elif kind in ("card", "cover"):
            self.play(seat, event.cards[0] if event.cards else None, kind == "cover")
        elif kind == "raise":
            if self.call is not None:
                self.accept_truco(side)
                if self.over:
                    return
            self.called = True
            card = event.cards[0] if event.cards else None
            if card:
                self.reveal(seat, card)
            self.refused = set()
            level = self.facts.raises.index(event.word) + 1
            self.call = {"level": level, "seat": seat, "card": card, "played": False}
        elif kind == "envido":
            self.called = True
            self.put_on_hold()
            self.envido, self.envido_seat = "pending", seat
            self.envido_calls.append(event.word)
            self.refused = set()
        elif kind == "flor":
            self.call_flor(seat, event.word)
        elif kind in ("number", "son-buenas"):
            self.spoken[seat] = event.number if kind == "number" else None
            if self.speaker() is None:
                self.settle_envido()
        elif kind == "quiero":
            self.accept(side)
        elif kind == "no-quiero":
            self.refused.add(seat)
            self.refuse_if_all(seat)
        elif kind == "mazo":
            self.fold(seat)
        elif kind == "ask-count":
            self.cancel_deal()

    def punish(self, side: int) -> None:
        """A bet in a special hand where that is not merely illegal."""
        special = self.facts.rules["special_hand"]
        self.infraction = "BETTING_FORBIDDEN"
        if special["on_bet"] == "bettor_loses_game":
            self.finish(None)
            if not self.game_over:
                self.win_game(1 - side)
            self.over = True
            return
        winner = 1 - side
        if special["on_bet"] == "literal_ten_pair_loses" and self.special in (0, 1):
            winner = 1 - int(self.special)
        self.end_hand(winner, special["value"])

    def put_on_hold(self) -> None:
        """An envido or flor over a truco suspends or cancels it."""
        if self.call is not None and self.facts.rules["envido_over_truco"] == "cancel":
            self.call = None

    def accept_truco(self, side: int) -> None:
        """The truco that waits is accepted by this side."""
        assert self.call is not None
        call, self.call = self.call, None
        self.refused = set()
        self.level, self.owner = call["level"], side
        if call["card"] and call["card"] not in self.named[call["seat"]]:
            self.bound[call["seat"]] = call["card"]
        if call["seat"] == self.facts.extra:
            self.end_hand(1 - side, self.value(self.level))

    def accept(self, side: int) -> None:
        """Quiero."""
        if self.flor == "pending":
            self.refused = set()
            self.remember_score()
            self.settle_flor(self.flor_words[-1])
        elif self.envido == "pending":
            self.refused = set()
            self.envido = "accepted"
            self.remember_score()
        else:
            self.accept_truco(side)

    def refuse_if_all(self, seat: int) -> None:
        """End the waiting call if enough of the answering side have refused."""
        top = self.top()
        if top is None or top[1] % 2 == seat % 2 or not self.refused:
            return
        if self.facts.rules["refusal"] == "all_partners" and not set(self.answers_for(top[1])) <= self.refused:
            return
        if top[0] == "flor":
            self.refuse_flor()
        elif top[0] == "envido":
            self.refuse_envido()
        else:
            self.call = None
            self.end_hand(top[1] % 2, self.value(self.level))

    def call_flor(self, seat: int, word: str) -> None:
        """Announce a flor or raise over one."""
        self.called = True
        self.refused = set()
        self.flor_seat = seat
        if seat not in self.flores:
            self.flores.append(seat)
        if word != "flor":
            self.flor = "pending"
            self.flor_words.append(word)
            return
        if self.envido == "pending":
            self.envido = "done"
        self.put_on_hold()
        self.flor = "open"
        others = [other for other in self.in_play() if other not in self.flores and not self.used[other]]
        if len({other % 2 for other in self.flores}) == 1 and not any(self.may_hold_flor(other) for other in others):
            self.settle_flor("")

    def reveal(self, seat: int, card: str, shown: bool = False) -> None:
        """A card of an unknown hand becomes known."""
        if card in self.known[seat]:
            return
        self.known[seat] += (card,)
        self.seen.add(card)
        self.missing[seat] -= 1
        if shown and self.missing[seat] < self.spent_missing[seat]:
            self.spent_missing[seat] -= 1
            self.named[seat] += (card,)

    def play(self, seat: int, card: str | None, covered: bool) -> None:
        """Put a card on the table."""
        if self.call is not None:
            if self.call["seat"] % 2 != seat % 2:
                self.accept_truco(seat % 2)
                if self.over:
                    return
            else:
                self.call["played"] = True
        if not self.used[seat] and self.facts.rules["flor"] and not self.missing[seat] and seat not in self.flores:
            if flor_value(self.known[seat], self.facts.piezas) is not None:
                self.warnings.append("FLOR_NOT_ANNOUNCED")
                self.silent_flores.append(seat)
        self.used[seat] += 1
        if card is not None:
            self.reveal(seat, card)
            self.named[seat] += (card,)
            if not covered:
                self.open_cards[seat] += (card,)
            if self.bound.get(seat) == card:
                del self.bound[seat]
        elif self.missing[seat] > self.spent_missing[seat]:
            self.spent_missing[seat] += 1
        else:
            self.ghosts[seat] += 1
        self.table.append((seat, None if covered else card))
        self.window = seat
        self.close_trick()

    def close_trick(self) -> None:
        """Judge the trick once everybody has played, and the hand once it is decided."""
        if self.turn() is not None:
            return
        ranks = [(self.facts.strength[card], seat) for seat, card in self.table if card is not None]
        best = max((rank for rank, _ in ranks), default=0)
        tops = [seat for rank, seat in ranks if rank == best]
        leader = self.leaders[-1]
        if len({seat % 2 for seat in tops}) == 1:
            self.tricks.append(tops[0] % 2)
            leader = tops[0]
        else:
            self.tricks.append("tie")
            if tops and self.facts.rules["tie_leader"] == "first_to_tie":
                leader = tops[0]
        self.table = []
        won = [result for result in self.tricks if result != "tie"]
        if len(won) > 1 and len(set(won)) < len(won):
            self.end_hand(next(int(side) for side in won if won.count(side) == 2), self.stake())
        elif won and (len(won) < len(self.tricks) or self.facts.size == 1):
            self.end_hand(int(won[0]), self.stake())
        elif len(self.tricks) == self.facts.size:
            fallback = None if self.facts.rules["all_tied"] == "void" else self.mano % 2
            self.end_hand(fallback, self.stake())
        else:
            self.leaders.append(leader)
            self.move_lead()

    def move_lead(self) -> None:
        """Somebody who has folded does not lead."""
        if not self.table:
            turn = self.turn()
            if turn is not None:
                self.leaders[-1] = turn

    def fold(self, seat: int) -> None:
        """Mazo."""
        side = seat % 2
        self.out |= set(self.in_play(side)) if self.facts.rules["mazo_scope"] == "team" else {seat}
        if self.in_play(side):
            self.refuse_if_all(seat)
            if not self.over:
                self.move_lead()
                if self.table:
                    self.close_trick()
            return
        if self.envido == "pending" and self.envido_seat % 2 != side:
            self.refuse_envido()
        if self.flor == "pending" and self.flor_seat % 2 != side:
            self.refuse_flor()
        if self.game_over:
            return
        points = self.stake()
        early = self.facts.rules["mazo_early_extra"] and not self.tricks and not self.called
        if early and self.special not in (0, 1):
            points = self.facts.rules["hand_value"] + 1
        self.end_hand(1 - side, points)

    def cancel_deal(self) -> None:
        """A misdeal: the deal is void."""
        self.void = True
        self.finish(None)
        self.over = True

    def end_hand(self, winner: int | None, points: int) -> None:
        """The hand, or the duel, is decided."""
        self.call = None
        if winner is not None:
            self.add("truco", winner, points)
            if self.special == "both" and not self.game_over:
                self.win_game(winner)
        if self.facts.rules["flor_unannounced"] == "rival_3" and not self.game_over:
            for side in (self.mano % 2, 1 - self.mano % 2):
                for _ in [seat for seat in self.silent_flores if seat % 2 != side]:
                    self.add("flor", side, 3)
        if not self.game_over:
            self.end_game_if_won()
        self.finish(winner)
        if self.game_over:
            return
        if self.facts.pica and len(self.winners) < 3:
            self.start((self.mano + 1) % self.facts.n)
        else:
            self.over = True

    def finish(self, winner: int | None) -> None:
        """File the tricks of a hand that is over."""
        self.winners.append(winner)
        self.file_tricks()

    def file_tricks(self) -> None:
        begun = len(self.tricks) + (1 if self.table else 0)
        self.past_tricks += self.tricks
        self.past_leaders += self.leaders[:begun]
        self.tricks, self.leaders, self.table = [], [], []

    # ------------------------------------------------------------------ reporting

    def check_proofs(self) -> None:
        """The winner of an envido must have shown his number by the end."""
        rules = self.facts.rules
        if rules["proof"] == "not_required" or not self.over:
            return
        for seat, number, points in self.proofs:
            if envido_value(dict.fromkeys(self.open_cards[seat]), self.facts.piezas) == number:
                continue
            self.warnings.append("MISSING_PROOF")
            side = seat % 2
            needed = self.game_winner == side and self.low[side] - points < rules["target"] <= self.low[side]
            old = self.points["envido"]
            if rules["proof"] == "forfeit" and not needed:
                self.low[side] -= points
                if old is not None:
                    self.points["envido"] = (old[0] - points, old[1]) if side == 0 else (old[0], old[1] - points)

    def report(self, illegal_at: int | None, reason: str | None) -> dict[str, Any]:
        """The replay of a record that ends here."""
        if self.over and (self.leaders or self.tricks):
            self.file_tricks()  # the game ended in the middle
        top = self.top()
        if self.over:
            pending = None
        else:
            pending = "decision" if self.deciding else top[0] if top else None
        status = "void" if self.void else "complete" if self.over else "open"
        winner: Any = self.winners if self.facts.pica else (self.winners or [None])[0]
        next_dealer = None
        if self.over:
            next_dealer = self.facts.dealer if self.void else (self.facts.dealer + 1) % self.facts.n
        whole = [None if self.missing[seat] else self.known[seat] for seat in range(self.facts.n)]
        return {
            "status": "illegal" if reason else status,
            "legal": reason is None,
            "illegal_at": illegal_at,
            "reason": reason,
            "tricks": self.past_tricks + self.tricks,
            "leaders": self.past_leaders + self.leaders,
            "hand_winner": winner,
            "stake": self.stake(),
            "turn": self.turn(),
            "pending": pending,
            "envido_values": [None if hand is None else envido_value(hand, self.facts.piezas) for hand in whole],
            "flor_values": [None if hand is None else flor_value(hand, self.facts.piezas) for hand in whole],
            "points": {family: None if won is None else list(won) for family, won in self.points.items()},
            "score_after": list(self.low) if self.score_known else None,
            "hand_over": self.over,
            "game_over": self.game_over,
            "game_winner": self.game_winner,
            "next_dealer": next_dealer,
            "void": self.void,
            "infraction": self.infraction,
            "warnings": list(self.warnings),
        }

    # ------------------------------------------------------------------ choosing

    def held(self, seat: int) -> list[str]:
        """Every card that can be played by name from this hand."""
        return [card for card in DECK if self.holds(seat, card)]

    def candidates(self, seat: int) -> list[str]:
        """The events a seat might try, without `show`; most have a fault."""
        rules = self.facts.rules
        words = ["quiero", "no-quiero", "mazo", "accept-hand", "decline-hand", "ask-count", *self.facts.raises]
        if rules["envido"]:
            words += ENVIDOS
        if rules["flor"]:
            words += FLORES
        cards: list[str] = []
        if seat in self.seats and seat == self.turn():
            cards = self.held(seat)
            words += cards
            if rules["covered_from"] is not None:
                words += ["cover " + card for card in cards]
                if self.missing[seat] > self.spent_missing[seat]:
                    words.append("cover")
        if rules["commit"] and seat in self.seats:
            words += [f"{word} {card}" for word in self.facts.raises for card in self.held(seat)]
        if self.envido == "accepted" and seat == self.speaker():
            words += ["son-buenas", *map(str, self.may_say(seat))]
        return [f"{seat} {word}" for word in words]

    def after(self, text: str) -> Table | str:
        """The table after an event, or the code of its fault."""
        event = Event(text, self.facts.n)
        table = self.copy()
        if table.settles(event.kind):
            table.settle()
        code = table.fault(event)
        if code:
            return code
        table.apply(event)
        return table

    def options(self) -> list[str]:
        """All legal events of every seat, without `show`, sorted."""
        settled = self.copy()
        settled.settle()
        found = []
        for seat in range(self.facts.n):
            for text in dict.fromkeys([*self.candidates(seat), *settled.candidates(seat)]):
                event = Event(text, self.facts.n)
                judge = settled if self.settles(event.kind) else self
                if not judge.fault(event):
                    found.append(text)
        return sorted(found)


def _scan(record: dict[str, Any]) -> tuple[list[Event], int | str | None, str | None]:
    """Take the record apart, or say where it is malformed and why."""
    cards = [card for hand in record["deal"] if hand is not None for card in hand.split() if card != "?"]
    if record.get("turned") is not None:
        cards.append(record["turned"])
    if any(card not in IN_DECK for card in cards):
        return [], "deal", "UNKNOWN_CARD"
    events = []
    for index, text in enumerate(record["events"]):
        try:
            events.append(Event(text, len(record["players"])))
        except Malformed as wrong:
            return [], index, str(wrong)
    return events, None, None


def _blank(record: dict[str, Any], status: str, at: int | str, reason: str) -> dict[str, Any]:
    """The replay of a line whose play was never looked at."""
    nobody = [None] * len(record["players"])
    return {
        "status": status,
        "legal": False,
        "illegal_at": at,
        "reason": reason,
        "tricks": [],
        "leaders": [],
        "hand_winner": None,
        "stake": None,
        "turn": None,
        "pending": None,
        "envido_values": nobody,
        "flor_values": list(nobody),
        "points": {family: [0, 0] for family in FAMILIES},
        "score_after": list(record["score"]),
        "hand_over": False,
        "game_over": False,
        "game_winner": None,
        "next_dealer": None,
        "void": False,
        "infraction": None,
        "warnings": [],
    }


def _run(record: dict[str, Any], events: list[Event]) -> tuple[Table | None, int | None, str | None]:
    """Play the events; the table before the first fault, its index and code."""
    facts = Facts(record)
    code = deal_fault(facts, record["score"])
    if code:
        return None, None, code
    table = Table(facts, record["score"])
    for index, event in enumerate(events):
        judge = table
        if table.settles(event.kind):
            judge = table.copy()
            judge.settle()
        code = judge.fault(event)
        if code:
            return table, index, code
        table = judge
        table.apply(event)
    return table, None, None


def replay(record: dict[str, Any]) -> dict[str, Any]:
    """Replay a record: the keys of a replay, and `warnings`."""
    events, at, reason = _scan(record)
    if at is not None:
        return _blank(record, "malformed", at, reason or "")
    table, index, code = _run(record, events)
    if table is None:
        return _blank(record, "illegal", "deal", code or "")
    declared = index is not None and events[index].kind in ("number", "son-buenas")
    if not (declared and table.envido == "accepted"):
        table.settle()
    table.check_proofs()
    return table.report(index, code)


def open_table(record: dict[str, Any]) -> Table | None:
    """The table after a record's events, nothing settled; None unless all of it is legal."""
    events, at, _ = _scan(record)
    table, _, code = (None, None, None) if at is not None else _run(record, events)
    return None if code else table


def legal(record: dict[str, Any]) -> list[str]:
    """Every event that may come next, without `show`, sorted."""
    table = open_table(record)
    return [] if table is None else table.options()


def perft(
    record: dict[str, Any],
    depth: int | None,
    with_mazo: bool = True,
    with_declarations: bool = False,
    words: set[str] | None = None,
    stop_at_game_over: bool = True,
) -> int:
    """Count the legal histories of exactly `depth` more events, or with None all that cannot go on.

    `words` keeps only these words besides cards; without `stop_at_game_over` an early win does not cut the hand short.
    """
    rules = {"base": record["rules"]} if isinstance(record["rules"], str) else dict(record["rules"])
    if not stop_at_game_over:
        rules["score_timing"] = "end_of_hand"
    table = open_table({**record, "rules": rules})

    def wanted(text: str) -> bool:
        word = text.split(" ")[1]
        if word == "mazo" and not with_mazo:
            return False
        if (word.isdigit() or word == "son-buenas") and not with_declarations:
            return False
        return words is None or word in IN_DECK or word in words

    def count(node: Table, left: int | None) -> int:
        if left == 0:
            return 1
        moves = [text for text in node.options() if wanted(text)]
        if left is None and not moves:
            return 1
        total = 0
        for text in moves:
            child = node.after(text)
            if isinstance(child, Table):
                total += count(child, None if left is None else left - 1)
        return total

    return 0 if table is None else count(table, depth)
