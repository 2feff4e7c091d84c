"""From the facts of one UFSM row to the events of a hand.

The base keeps facts, not a sequence: which cards lay in which trick, who called what, who declined, who folded. The order
is reconstructed by one fixed procedure.

1. *Play.* The mano leads, then the winner of each trick. The places for calls are the moments before each card, and the
   moment after the last card if the tricks decide nothing. Where an overwritten code leaves two cards possible the weaker
   one was laid, unless only the stronger one ends the hand as recorded.
2. *Truco.* Each raise stands at a place where its caller is to play, or answers the raise before it at the same place. Of all
   such placings the one nearest to the recorded tricks is taken, the earliest of several. A refused raise, and a raise
   answered by a fold, stand after the last card. A refusal that winner, cards or fold rule out is not written.
3. *Envido.* Calls follow the ladder. They stand before the opener's first card, ahead of his truco; if the mano called truco
   before the first card, the other side's envido and flor answer it.
4. *Flor.* Announced at the holder's first opportunity: over the other side's envido or truco, or before his first card.

If no placing is legal, the calls are written at the recorded tricks all the same, and a contradiction says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from trucostats.importers.ufsm_cards import Table, read_cards
from trucostats.importers.ufsm_facts import (
    ENVIDO_NUMBERS,
    SEAT_NAMES,
    TRUCO_VALUE,
    Facts,
    Notes,
    Raise,
    cell_name,
    suit_name,
)

_FAR: Final = 10


@dataclass(slots=True)
class Line:
    """The play of a hand: cards in order, who is to play at each place, and the winner if the tricks decide it."""

    cards: list[tuple[int, str]]
    movers: list[int]
    winner: int | None

    @property
    def end(self) -> int | None:
        """The place after the last card, or None if the tricks decided the hand."""
        return len(self.cards) if self.winner is None else None


@dataclass(slots=True)
class Hand:
    """What a row becomes: deal, events, play and notes; `facts` are those written, without a refusal that was ruled out."""

    deal: list[str | None]
    events: list[str]
    line: Line
    notes: Notes
    facts: Facts


def reconstruct(facts: Facts) -> Hand:
    """Return deal and events of a row by the procedure of this module."""
    hand, fits = _attempt(facts, stronger=False)
    if not fits and any(note.startswith("card.") for note in hand.notes.reconstructed):
        other, other_fits = _attempt(facts, stronger=True)
        return other if other_fits else hand
    return hand


def _attempt(facts: Facts, stronger: bool) -> tuple[Hand, bool]:
    """Return the hand, and whether it is legal and ends as the row says."""
    notes = Notes()
    cards, table = read_cards(facts, stronger, notes)
    line = _line(facts.mano, table, notes)
    facts = _without_false_refusal(facts, line, notes)
    places = _place(facts, line)
    ended = facts.truco_refused is not None or facts.fold is not None or line.winner == facts.hand_winner
    fits = places is not None and ended
    if places is None:
        places = _place_anyhow(facts.truco, line)
        notes.wrong(f"no legal order of calls and cards has {_truco_text(facts)} with {_play_text(line)}")
    else:
        _note_far_calls(facts, line, places, notes)
    events = _Writer(facts, line, places, _numbers(facts, cards, notes), notes).write()
    deal = [" ".join(hand) if any(card != "?" for card in hand) else None for hand in cards]
    return Hand(deal, events, line, notes, facts), fits


def _without_false_refusal(facts: Facts, line: Line, notes: Notes) -> Facts:
    """Return the facts without a refused truco that the rest of the row rules out."""
    refused = facts.truco_refused
    if refused is None or not facts.truco:
        return facts
    without = replace(facts, truco_refused=None)
    if refused == facts.hand_winner:
        why = f"quemGanhouTruco is {refused + 1} too"
    elif line.winner is not None:
        why = "the cards decide the hand"
    elif facts.truco[-1].seat == refused:
        why = f"the last raise is of {refused + 1} too"
    elif facts.fold is not None and _place(facts, line) is None and _place(without, line) is not None:
        why = f"only quemBaralho {facts.fold + 1} fits the cards"
    else:
        return facts
    notes.wrong(f"quemNegouTruco {refused + 1}, but {why}: the refusal is not written")
    notes.keep("quemNegouTruco")
    return without


def _line(mano: int, table: Table, notes: Notes) -> Line:
    """Order the cards: mano first, then the winner of each trick, until the tricks decide the hand."""
    line = Line([], [], None)
    leader, broken = mano, False
    results: list[int | None] = []
    for trick in range(3):
        first, second = table[leader][trick], table[1 - leader][trick]
        if broken or line.winner is not None:
            if first is not None or second is not None:
                why = "an unfinished trick" if broken else "the tricks decided the hand"
                notes.wrong(f"cards in trick {trick + 1} after {why}")
                for column in (cell_name(trick, 0), cell_name(trick, 1)):
                    notes.keep(column, suit_name(column))
            continue
        if first is not None:
            line.movers.append(leader)
            line.cards.append((leader, first.words))
        if second is not None:
            if first is None:
                names = SEAT_NAMES[1 - leader], SEAT_NAMES[leader]
                notes.wrong(f"trick {trick + 1} has a card of {names[0]} only, but {names[1]} leads")
            line.movers.append(1 - leader)
            line.cards.append((1 - leader, second.words))
        if first is None or second is None:
            broken = True
            line.movers.append(leader if first is None else 1 - leader)
            continue
        if first.strength != second.strength:
            leader = leader if first.strength > second.strength else 1 - leader
            results.append(leader)
        else:
            results.append(None)
        line.winner = _decided(results, mano)
    if not broken and line.winner is None:
        line.movers.append(leader)
    return line


def _decided(results: list[int | None], mano: int) -> int | None:
    """Return who has won the hand by the winners of the tricks so far, None for a tie among them."""
    for seat in (0, 1):
        if results.count(seat) == 2:
            return seat
    taken = [seat for seat in results if seat is not None]
    if len(results) >= 2 and len(taken) == 1:
        return taken[0]
    if len(results) < 3:
        return None
    return taken[0] if taken else mano


def _place(facts: Facts, line: Line) -> list[int] | None:
    """Return the place of each raise, nearest to the recorded tricks, or None if no order is legal."""
    calls, end = facts.truco, line.end
    if facts.truco_refused is not None and (end is None or not calls or calls[-1].seat == facts.truco_refused):
        return None
    if facts.fold is not None and (end is None or facts.truco_refused not in (None, facts.fold)):
        return None
    if [call.word for call in calls] != list(TRUCO_VALUE)[: len(calls)]:
        return None
    if any(first.seat == second.seat for first, second in pairwise(calls)):
        return None
    best: list[int] | None = None
    least = 0
    for places in _placings(calls, line, []):
        if facts.truco_refused is not None:
            if places[-1] != end:
                continue
        elif facts.fold is not None and end is not None and line.movers[end] != facts.fold:
            if not places or places[-1] != end or calls[-1].seat == facts.fold:
                continue
        cost = sum(_distance(call, place) for call, place in zip(calls, places, strict=True))
        if best is None or cost < least:
            best, least = places, cost
    return best


def _placings(calls: list[Raise], line: Line, so_far: list[int]) -> list[list[int]]:
    """Return all legal placings of the raises, earlier ones first."""
    if len(so_far) == len(calls):
        return [so_far]
    caller = calls[len(so_far)].seat
    last = so_far[-1] if so_far else None
    found = []
    for place in range(last or 0, len(line.movers)):
        if place == last or line.movers[place] == caller:
            found += _placings(calls, line, [*so_far, place])
    return found


def _distance(call: Raise, place: int) -> int:
    """Return how far a place is from the recorded trick.

    Older rows count a call made between two tricks to the trick before, so that place is only a little worse.
    """
    trick = place // 2 + 1
    if call.trick in (None, trick):
        return 0
    if call.trick == trick - 1 and place % 2 == 0:
        return 1
    return _FAR * abs(trick - (call.trick or 0))


def _place_anyhow(calls: list[Raise], line: Line) -> list[int]:
    """Return a place for each raise, in order and near the recorded trick, legal or not."""
    places: list[int] = []
    last = len(line.cards) if line.winner is None else len(line.cards) - 1
    for call in calls:
        fits = [place for place in range(last + 1) if line.movers[place] == call.seat]
        nearest = min(fits, key=lambda place: _distance(call, place), default=last)
        places.append(max(nearest, places[-1] if places else 0))
    return places


def _note_far_calls(facts: Facts, line: Line, places: list[int], notes: Notes) -> None:
    """Note the calls and the fold that stand in another trick than the recorded one, by either way of counting."""
    for call, place in zip(facts.truco, places, strict=True):
        if _distance(call, place) >= _FAR:
            where = f"the cards leave it trick {place // 2 + 1}"
            notes.wrong(f"{call.word} of {call.seat + 1} is recorded in trick {call.trick}, but {where}")
    end = line.end
    if facts.fold is not None and end is not None and facts.fold_trick is not None:
        trick = end // 2 + 1
        # Older rows count the fold by the tricks completed before it.
        if facts.fold_trick not in (trick, max(trick - 1, 1)):
            notes.wrong(f"quandoBaralho {facts.fold_trick}, but the cards end in trick {trick}")


def _truco_text(facts: Facts) -> str:
    names = {"truco": "Truco", "retruco": "Retruco", "vale-cuatro": "ValeQuatro"}
    parts = [f"quem{names[call.word]} {call.seat + 1} (quando {call.trick or 0})" for call in facts.truco]
    if facts.truco_refused is not None:
        parts.append(f"quemNegouTruco {facts.truco_refused + 1}")
    if facts.fold is not None:
        parts.append(f"quemBaralho {facts.fold + 1} (quando {facts.fold_trick or 0})")
    return ", ".join(parts)


def _play_text(line: Line) -> str:
    if not line.cards:
        return "no card played"
    return "the cards " + ", ".join(f"{SEAT_NAMES[seat]} {words}" for seat, words in line.cards)


def _numbers(facts: Facts, cards: list[list[str]], notes: Notes) -> list[str]:
    """Return the declarations of an accepted envido: if the second player conceded, or the cards do not tell all."""
    mano, pie = facts.mano, 1 - facts.mano
    first, second = facts.envido_points[mano], facts.envido_points[pie]
    if not facts.envido_accepted or first not in ENVIDO_NUMBERS or second not in ENVIDO_NUMBERS:
        return []
    conceded = facts.concealed == pie and facts.envido_winner == mano
    if not conceded and not any("?" in hand for hand in cards):
        return []
    notes.reconstructed.append("envido.numbers")
    beaten = first is not None and second is not None and second <= first
    return [f"{mano} {first}", f"{pie} son-buenas" if conceded or beaten else f"{pie} {second}"]


class _Writer:
    """Writes the events, place by place."""

    def __init__(self, facts: Facts, line: Line, places: list[int], numbers: list[str], notes: Notes) -> None:
        self.facts = facts
        self.line = line
        self.places = places
        self.numbers = numbers
        self.notes = notes
        self.events: list[str] = []
        self.envido_open = bool(facts.envido)
        self.flor_open = bool(facts.flor)

    def write(self) -> list[str]:
        """Return the events of the hand."""
        facts, line = self.facts, self.line
        last = len(line.cards) if line.winner is None else len(line.cards) - 1
        for place in range(last + 1):
            if place < 2:
                self._before_card(place, final=place == last)
            self._raises(place)
            if place < 2 and self.flor_open and (place == last or facts.flor[0][1] == line.movers[place]):
                self._flor()
            if place < len(line.cards):
                seat, words = line.cards[place]
                self.events.append(f"{seat} {words}")
        # Declining the truco and going to the deck are one act where the base gives both to the same player.
        if facts.fold is not None and facts.fold != facts.truco_refused:
            self.events.append(f"{facts.fold} mazo")
            self._note("fold.place")
        elif facts.fold is not None:
            self.notes.keep("quemBaralho", "quandoBaralho")
        return self.events

    def _note(self, part: str) -> None:
        if part not in self.notes.reconstructed:
            self.notes.reconstructed.append(part)

    def _before_card(self, place: int, final: bool) -> None:
        """Write flor and envido that the player to move opens; at the last place also those that found no other."""
        facts, mover = self.facts, self.line.movers[place]
        raiser = facts.truco[0].seat if facts.truco and place == 0 == self.places[0] else None
        opener = facts.envido[0][1] if self.envido_open else None
        # A truco of the mano comes before an envido of the other side, which answers it.
        over_truco = opener is not None and raiser == mover != opener
        if self.flor_open and facts.flor[0][1] == mover != opener and not over_truco:
            self._flor()
        if opener is not None and not over_truco and (opener == mover or final):
            self._envido()

    def _raises(self, place: int) -> None:
        facts, calls = self.facts, self.facts.truco
        for index, call in enumerate(calls):
            if self.places[index] != place:
                continue
            self.events.append(f"{call.seat} {call.word}")
            self._note("truco.place")
            if place == index == 0:
                self._over_truco(call.seat)
            if index + 1 < len(calls):
                accepted = self.places[index + 1] != place
            elif facts.truco_refused is not None:
                accepted = False
                self.events.append(f"{facts.truco_refused} no-quiero")
            else:
                accepted = not self._fold_answers(call, place)
            if accepted:
                self.events.append(f"{1 - call.seat} quiero")
                self._note("truco.answer")

    def _fold_answers(self, call: Raise, place: int) -> bool:
        """Return whether the fold answers the last raise: the points say so, or it is not the folder's turn."""
        facts, end = self.facts, self.line.end
        if facts.fold is None or facts.fold == call.seat or place != end:
            return False
        return self.line.movers[end] != facts.fold or facts.truco_tally == TRUCO_VALUE[call.word] - 1

    def _over_truco(self, caller: int) -> None:
        if self.envido_open and self.facts.envido[0][1] != caller:
            self._envido()
        if self.flor_open and self.facts.flor[0][1] != caller:
            self._flor()

    def _envido(self) -> None:
        facts, caller = self.facts, self.facts.envido[-1][1]
        self.envido_open = False
        self.events += [f"{seat} {word}" for word, seat in facts.envido]
        self._note("envido.place")
        if len(facts.envido) > 1:
            self._note("envido.order")
        if facts.envido_refused is not None:
            self.events.append(f"{facts.envido_refused} no-quiero")
        elif self.flor_open and facts.flor[0][1] != caller:
            self._flor()
        elif facts.envido_accepted:
            self.events.append(f"{1 - caller} quiero")
            self.events += self.numbers
            self._note("envido.answer")

    def _flor(self) -> None:
        facts = self.facts
        self.flor_open = False
        self.events += [f"{seat} {word}" for word, seat in facts.flor]
        self._note("flor.place")
        word, caller = facts.flor[-1]
        if facts.flor_refused is not None:
            self.events.append(f"{facts.flor_refused} no-quiero")
        elif word != "flor":
            self.events.append(f"{1 - caller} quiero")
            self._note("flor.answer")
