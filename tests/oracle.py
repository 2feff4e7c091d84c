"""A second, naive engine that replays and judges truco hands, to compare the fast one with.

It works on plain strings, lists and dicts, imports nothing of the package and is written for reading, not speed.
Seats are numbers, cards are strings such as "7c", events are strings such as "0 envido".
"""

from __future__ import annotations

from typing import Any

from oracle_deal import FAMILIES, FAR, Event, Facts, Malformed, Position, deal_fault, parse
from oracle_rules import DECK, ENVIDOS, FLORES, IN_DECK, envido_value, flor_value, match_winner, next_format, rules_of

__all__ = ["Table", "legal", "match_winner", "next_format", "open_table", "perft", "replay", "rules_of"]


class Table(Position):
    """A position that can be played on."""

    def __init__(self, facts: Facts, score: list[int]) -> None:
        super().__init__(facts, score)
        if facts.extra is not None and facts.extra % 2 == facts.dealer % 2:
            self.cancel_deal()

    def copy(self) -> Table:
        """An independent copy."""
        twin = Table.__new__(Table)
        for key, value in self.__dict__.items():
            twin.__dict__[key] = value.copy() if isinstance(value, (list, dict, set)) else value
        return twin

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
        if self.facts.rules["score_cap"]:
            points = min(points, target - self.low[side])
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
            return int(rules["pica_falta"])
        if self.falta_score is None:
            return None
        target, half = rules["target"], rules["target"] // 2
        leader, own = max(self.falta_score), self.falta_score[side]
        points: int = {
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
            extra = 3 * len(flores) if self.facts.rules["resto_adds_flores"] else 0
            amounts = [None if falta is None else falta + extra for falta in (self.falta(0), self.falta(1))]
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
        """A refused contraflor pays 4, an al-resto over a contraflor 6; straight over a flor it may pay that flor."""
        self.flor = "done"
        points = 6 if len(self.flor_words) > 1 else 4
        if self.flor_words == ["contraflor-al-resto"] and self.facts.rules["resto_refused"] == "as_flor":
            points = 3
        self.add("flor", self.flor_seat % 2, points)

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
                if self.accept_truco(side):
                    return
            self.called = True
            committed = event.cards[0] if event.cards else None
            if committed:
                self.reveal(seat, committed)
            self.forget_refusals("truco")
            level = self.facts.raises.index(event.word) + 1
            self.call = {"level": level, "seat": seat, "card": committed, "played": False}
        elif kind == "envido":
            self.called = True
            self.put_on_hold()
            self.envido, self.envido_seat = "pending", seat
            self.envido_calls.append(event.word)
            self.forget_refusals("envido")
        elif kind == "flor":
            self.call_flor(seat, event.word)
        elif kind in ("number", "son-buenas"):
            self.spoken[seat] = event.number if kind == "number" else None
            if self.speaker() is None:
                self.settle_envido()
        elif kind == "quiero":
            self.accept(side)
        elif kind == "no-quiero":
            top = self.top()
            assert top is not None
            self.refused.add((top[0], seat))
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
            self.forget_refusals("truco")

    def accept_truco(self, side: int) -> bool:
        """The truco that waits is accepted by this side; true if that ends the hand (extra card)."""
        assert self.call is not None
        call, self.call = self.call, None
        self.forget_refusals("truco")
        self.level, self.owner = call["level"], side
        if call["card"] and call["card"] not in self.named[call["seat"]]:
            self.bound[call["seat"]] = call["card"]
        if call["seat"] == self.facts.extra:
            self.end_hand(1 - side, self.value(self.level))
            return True
        return False

    def forget_refusals(self, family: str) -> None:
        """A new or an answered call: earlier refusals of its family are void."""
        self.refused = {(other, seat) for other, seat in self.refused if other != family}

    def accept(self, side: int) -> None:
        """Quiero."""
        if self.flor == "pending":
            self.remember_score()
            self.settle_flor(self.flor_words[-1])
        elif self.envido == "pending":
            self.envido = "accepted"
            self.remember_score()
        else:
            self.accept_truco(side)

    def refuse_if_all(self, seat: int) -> None:
        """End the waiting call if enough of the answering side have refused."""
        top = self.top()
        if top is None or top[1] % 2 == seat % 2:
            return
        refused = {other for family, other in self.refused if family == top[0]}
        if not refused:
            return
        if self.facts.rules["refusal"] == "all_partners" and not set(self.answers_for(top[1])) <= refused:
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
        self.forget_refusals("flor")
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
                if self.accept_truco(seat % 2):
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
        completes = self.turn() is None
        self.close_trick()
        if completes and self.facts.rules["after_card_window"] == "until_trick_ends":
            self.window = None

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
            leader = tops[-1] if self.facts.rules["partner_lead"] == "last" else tops[0]
        else:
            self.tricks.append("tie")
            if tops and self.facts.rules["tie_leader"] == "first_to_tie":
                leader = tops[0]
        self.table = []
        won = [result for result in self.tricks if result != "tie"]
        if len(won) > 1 and len(set(won)) < len(won):
            self.end_hand(next(int(side) for side in won if won.count(side) == 2), self.stake())
        elif won and (len(won) < len(self.tricks) or self.facts.size == 1):
            split = len(won) == 2  # one trick each and a tied third
            nobody = split and self.facts.rules["third_tied"] == "void"
            self.end_hand(None if nobody else int(won[0]), self.stake())
        elif len(self.tricks) == self.facts.size:
            fallbacks = {"void": None, "mano": self.mano % 2, "non_dealer": 1 - self.facts.dealer % 2}
            self.end_hand(fallbacks[self.facts.rules["all_tied"]], self.stake())
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
        if early and not self.pays_special():
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
            "pending": None if self.over else pending,
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
        cards = [card for card in self.known[seat] if self.holds(seat, card)]
        if self.missing[seat] > self.spent_missing[seat]:
            cards += [card for card in DECK if card not in self.seen]
        return cards

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
        event = parse(text, self.facts.n)
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
                event = parse(text, self.facts.n)
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
            events.append(parse(text, len(record["players"])))
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
    *,
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
