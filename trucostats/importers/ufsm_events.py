"""From the columns of one UFSM row to the events of a hand.

The base keeps facts, not a sequence: which cards lay in which trick, who called what, who declined, who folded. The order
is reconstructed by one fixed procedure.

1. *Cards.* A cell with a suit is a card that was played, also where its code was overwritten by a sentinel (-46 the other
   side folded, -15 lost, -10 folded): the card is then the one of that suit left in the hand, or the last one left; if two are
   left, the weaker. Code -1 is a card laid face down. A dealt card that the play or another dealt card contradicts is `?`.
2. *Play.* The mano leads, then the winner of each trick. The places for calls are the moments before each card, and the
   moment after the last card if the tricks decide nothing.
3. *Truco.* Each raise stands at a place where its caller is to play, or answers the raise before it at the same place. Of all
   such placings the one nearest to the recorded tricks is taken, the earliest of several. A refused raise, and a raise answered
   by a fold, stand after the last card.
4. *Envido.* Calls follow the ladder. They stand before the opener's first card, ahead of his truco; if the mano called truco
   before the first card, the other side's envido and flor answer it.
5. *Flor.* Announced at the holder's first opportunity: over the other side's envido or truco, or before his first card.

If no placing is legal, the calls are written at the recorded tricks all the same, and a contradiction says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SEAT_NAMES: Final = ("Robo", "Humano")
TRICK_NAMES: Final = ("primeira", "segunda", "terceira")
COVERED: Final = -1

TRUCO_VALUE: Final = {"truco": 2, "retruco": 3, "vale-cuatro": 4}
ENVIDO_VALUE: Final = {"envido": 2, "real-envido": 3}
_FAR: Final = 10

_RANKS: Final = {1: "4", 2: "5", 3: "6", 4: "7", 6: "10", 7: "11", 8: "12", 12: "1", 16: "2", 24: "3"}
_SINGLE: Final = {40: "7o", 42: "7e", 50: "1b", 52: "1e"}
_SUITS: Final = {4: "bc", 12: "oc"}


def card_of(code: int, suit: str | None) -> str | None:
    """Return the card of a code and a suit letter, or None if there is no such card or the suit is not known.

    >>> card_of(24, "e"), card_of(40, None), card_of(4, "o")
    ('3e', '7o', None)
    """
    single = _SINGLE.get(code)
    if single is not None:
        return single if suit in (None, single[-1]) else None
    rank = _RANKS.get(code)
    if rank is None or suit is None or suit not in _SUITS.get(code, "ebco"):
        return None
    return rank + suit


def known_code(code: int | None) -> bool:
    """Return whether a number is the code of a card."""
    return code in _RANKS or code in _SINGLE


def envido_of(cards: Sequence[str]) -> int:
    """Return the envido of three cards.

    >>> envido_of(["7c", "5c", "12e"]), envido_of(["1e", "6b", "11o"])
    (32, 6)
    """
    best = 0
    values = [(card[-1], int(card[:-1]) if int(card[:-1]) < 10 else 0) for card in cards]
    for index, (suit, value) in enumerate(values):
        best = max(best, value)
        for other_suit, other in values[index + 1 :]:
            if suit == other_suit:
                best = max(best, 20 + value + other)
    return best


def is_flor(cards: Sequence[str]) -> bool:
    """Return whether three cards share their suit."""
    return len(cards) == 3 and len({card[-1] for card in cards}) == 1


@dataclass(slots=True)
class Cell:
    """A card as the base stores it: a code and a suit letter, either of which may be missing."""

    code: int | None
    suit: str | None

    @property
    def played(self) -> bool:
        """Whether the cell of a trick holds a card: filler has no suit, except a face-down card."""
        return self.suit is not None or self.code == COVERED


@dataclass(slots=True)
class Raise:
    """One call of the truco family: word, seat and the trick the base gives (None if it gives none)."""

    word: str
    seat: int
    trick: int | None


@dataclass(slots=True)
class Facts:
    """One row, decoded. Seat 0 is Robo, seat 1 Humano; a seat that is None means nobody."""

    mano: int
    dealt: tuple[list[Cell], list[Cell]]
    played: tuple[list[Cell], list[Cell]]
    envido: list[tuple[str, int]] = field(default_factory=list)
    envido_refused: int | None = None
    envido_winner: int | None = None
    envido_tally: int | None = None
    envido_points: tuple[int | None, int | None] = (None, None)
    concealed: int | None = None
    flor: list[tuple[str, int]] = field(default_factory=list)
    flor_refused: int | None = None
    truco: list[Raise] = field(default_factory=list)
    truco_refused: int | None = None
    hand_winner: int | None = None
    truco_tally: int | None = None
    fold: int | None = None
    fold_trick: int | None = None


@dataclass(slots=True)
class Play:
    """A card on the table: its words as an event, and its strength (0 for a covered card)."""

    words: str
    strength: int


@dataclass(slots=True)
class Line:
    """The play of a hand: cards in order, who is to move before each, and what the tricks decide."""

    cards: list[tuple[int, str]]
    movers: list[int]
    winner: int | None
    left_over: list[str]

    @property
    def end(self) -> int | None:
        """The place after the last card, or None if the tricks decided the hand."""
        return len(self.cards) if self.winner is None else None


@dataclass(slots=True)
class Hand:
    """What a row becomes: deal and events, the parts that were reconstructed, and the contradictions met."""

    deal: list[str | None]
    events: list[str]
    line: Line
    reconstructed: list[str]
    contradictions: list[str]
    unexpressed: list[str]


def reconstruct(facts: Facts) -> Hand:
    """Return deal and events of a row by the procedure of this module."""
    notes: list[str] = []
    wrong: list[str] = []
    cards, plays = _cards(facts, notes, wrong)
    line = _line(facts.mano, plays, wrong)
    places = _place(facts.truco, facts, line)
    if places is None:
        places = _place_anyhow(facts.truco, line)
        wrong.append(f"no legal order of calls and cards has {_truco_text(facts)} with {_play_text(line)}")
    else:
        wrong += _far_calls(facts, line, places)
    numbers = _numbers(facts, cards, notes)
    events = _Writer(facts, line, places, numbers).write()
    if facts.truco:
        notes.append("truco.place")
        if any(word.endswith(" quiero") for word in events):
            notes.append("truco.answer")
    if facts.envido:
        notes.append("envido.place")
        if len(facts.envido) > 1:
            notes.append("envido.order")
        if facts.envido_refused is None:
            notes.append("envido.answer")
    if facts.flor:
        notes.append("flor.place")
    if facts.fold is not None:
        notes.append("fold.place")
    deal = [" ".join(hand) if any(card != "?" for card in hand) else None for hand in cards]
    return Hand(deal, events, line, notes, wrong, line.left_over)


# -- cards ---------------------------------------------------------------------------------------------------------------


def _cards(facts: Facts, notes: list[str], wrong: list[str]) -> tuple[list[list[str]], list[list[Play | None]]]:
    """Return both hands (`?` where unknown or contradicted) and the cards played per seat and trick."""
    hands: list[list[str]] = []
    plays: list[list[Play | None]] = []
    for seat in (0, 1):
        hand = _dealt(facts, seat, wrong)
        plays.append(_played(facts, seat, hand, notes, wrong))
        hands.append(hand)
    _drop_shared(hands, plays, wrong)
    for seat in (0, 1):
        _check_points(facts, seat, hands[seat], wrong)
    return hands, plays


def _dealt(facts: Facts, seat: int, wrong: list[str]) -> list[str]:
    hand = []
    for name, cell in zip(("Alta", "Media", "Baixa"), facts.dealt[seat], strict=True):
        card = card_of(cell.code, cell.suit) if cell.code is not None else None
        if card is None and cell.code not in (None, 0) and (cell.suit is not None or not known_code(cell.code)):
            wrong.append(f"carta{name}{SEAT_NAMES[seat]} {cell.code} with suit {cell.suit or 'NULL'} is no card")
        hand.append(card or "?")
    return hand


def _played(facts: Facts, seat: int, hand: list[str], notes: list[str], wrong: list[str]) -> list[Play | None]:
    """Match the cards of the tricks with the hand; a dealt card that the play contradicts becomes `?`."""
    cells = facts.played[seat]
    codes = [cell.code for cell in facts.dealt[seat]]
    free = [0, 1, 2]
    found: list[Play | None] = [None, None, None]
    open_tricks: list[int] = []
    mismatched: list[int] = []
    for trick, cell in enumerate(cells):
        if not cell.played:
            continue
        card = card_of(cell.code, cell.suit) if cell.code is not None and cell.code > 0 else None
        if card is None:
            if cell.code is not None and cell.code > 0:
                wrong.append(f"{_cell_name(trick, seat)} {cell.code} with suit {cell.suit} is no card")
            else:
                open_tricks.append(trick)
            continue
        found[trick] = Play(card, cell.code or 0)
        place = next((index for index in free if hand[index] == card), None)
        if place is None:
            mismatched.append(trick)
        else:
            free.remove(place)
    for trick in mismatched:
        play, code = found[trick], cells[trick].code
        same = [index for index in free if codes[index] == code]
        unknown = [index for index in free if hand[index] == "?"]
        place = (same or unknown or free or [None])[-1]  # type: ignore[list-item]
        if place is None or play is None:
            continue
        if hand[place] != "?":
            wrong.append(f"{_cell_name(trick, seat)} {play.words} is not among the dealt cards {' '.join(hand)}")
            hand[place] = "?"
        free.remove(place)
    for trick in sorted(open_tricks, key=lambda trick: cells[trick].suit is None):
        found[trick] = _hidden_card(cells[trick], trick, seat, hand, codes, free, notes, wrong)
    return found


def _hidden_card(
    cell: Cell,
    trick: int,
    seat: int,
    hand: list[str],
    codes: list[int | None],
    free: list[int],
    notes: list[str],
    wrong: list[str],
) -> Play | None:
    """Return the card behind a sentinel or lying face down: the one of its suit that is left, or the last one left."""
    fits = [index for index in free if cell.suit is not None and hand[index].endswith(cell.suit)]
    if cell.suit is not None and not fits and free:
        wrong.append(f"{_cell_name(trick, seat)} {cell.code} has suit {cell.suit}, and no card of it is left in {' '.join(hand)}")
    if not fits and len(free) == 1 and hand[free[0]] != "?":
        fits = free[:]
    covered = cell.code == COVERED
    if not fits or (covered and len(fits) > 1):
        if not covered:
            wrong.append(f"{_cell_name(trick, seat)} {cell.code} cannot be told: the code was overwritten")
            return None
        return Play("cover", 0)
    place = min(fits, key=lambda index: codes[index] or 0)
    free.remove(place)
    notes.append(f"card.{seat}.{trick + 1}")
    if covered:
        return Play(f"cover {hand[place]}", 0)
    return Play(hand[place], codes[place] or 0)


def _drop_shared(hands: list[list[str]], plays: list[list[Play | None]], wrong: list[str]) -> None:
    """Make a card unknown wherever it is dealt if it is dealt twice, or dealt to one and played by the other."""
    table = [{play.words for play in row if play is not None} for row in plays]
    everything = [card for hand in hands for card in hand if card != "?"]
    twice = {card for card in everything if everything.count(card) > 1}
    for seat in (0, 1):
        twice |= {card for card in hands[seat] if card in table[1 - seat]}
    if twice:
        wrong.append(f"the same card is in two places: {' '.join(sorted(twice))}")
    both = table[0] & table[1] - {"cover"}
    if both:
        wrong.append(f"both players lay the same card: {' '.join(sorted(both))}")
    for seat in (0, 1):
        hands[seat][:] = ["?" if card in twice else card for card in hands[seat]]


def _check_points(facts: Facts, seat: int, hand: list[str], wrong: list[str]) -> None:
    """Compare the recorded envido with the cards; if they differ some suit is wrong, so the suited cards are unknown."""
    recorded = facts.envido_points[seat]
    if "?" not in hand and recorded is not None:
        real = envido_of(hand)
        if real != recorded:
            wrong.append(f"pontosEnvido{SEAT_NAMES[seat]} {recorded}, but {' '.join(hand)} make {real}")
            suits = [card[-1] for card in hand]
            shared = [card for card in hand if suits.count(card[-1]) > 1]
            hand[:] = ["?" if card in shared or not shared else card for card in hand]
    if any(holder == seat for _, holder in facts.flor):
        known = {card[-1] for card in hand if card != "?"}
        if len(known) > 1:
            wrong.append(f"quemFlor {seat + 1}, but {' '.join(hand)} is no flor")
            hand[:] = ["?", "?", "?"]


def _cell_name(trick: int, seat: int) -> str:
    return f"{TRICK_NAMES[trick]}Carta{SEAT_NAMES[seat]}"


# -- play ----------------------------------------------------------------------------------------------------------------


def _line(mano: int, plays: list[list[Play | None]], wrong: list[str]) -> Line:
    """Order the cards: mano first, then the winner of each trick, until the tricks decide the hand."""
    line = Line([], [], None, [])
    leader, results, open_play = mano, list[int | None](), True
    for trick in range(3):
        first, second = plays[leader][trick], plays[1 - leader][trick]
        if not open_play or line.winner is not None:
            if first is not None or second is not None:
                why = "an unfinished trick" if line.winner is None else "the hand was decided"
                wrong.append(f"cards in trick {trick + 1} after {why}")
                line.left_over.append(f"trick {trick + 1}")
            continue
        if first is not None:
            line.movers.append(leader)
            line.cards.append((leader, first.words))
        if second is not None:
            if first is None:
                wrong.append(f"trick {trick + 1} has a card of {SEAT_NAMES[1 - leader]} only, but {SEAT_NAMES[leader]} leads")
            line.movers.append(1 - leader)
            line.cards.append((1 - leader, second.words))
        if first is None or second is None:
            open_play = False
            line.movers.append(leader if first is None else 1 - leader)
            continue
        if first.strength != second.strength:
            leader = leader if first.strength > second.strength else 1 - leader
            results.append(leader)
        else:
            results.append(None)
        line.winner = _decided(results, mano)
    if open_play and line.winner is None:
        line.movers.append(leader)
    return line


def _decided(results: list[int | None], mano: int) -> int | None:
    for seat in (0, 1):
        if results.count(seat) == 2:
            return seat
    taken = [seat for seat in results if seat is not None]
    if len(results) >= 2 and len(taken) == 1:
        return taken[0]
    if len(results) < 3:
        return None
    return taken[0] if taken else mano


# -- placing the truco ---------------------------------------------------------------------------------------------------


def _place(calls: list[Raise], facts: Facts, line: Line) -> list[int] | None:
    """Return the place of each raise, nearest to the recorded tricks, or None if no order is legal."""
    end = line.end
    if facts.truco_refused is not None and (end is None or not calls or calls[-1].seat == facts.truco_refused):
        return None
    if facts.fold is not None and end is None:
        return None
    words = list(TRUCO_VALUE)
    if [call.word for call in calls] != words[: len(calls)]:
        return None
    if any(first.seat == second.seat for first, second in zip(calls, calls[1:], strict=False)):
        return None
    best: tuple[int, list[int]] | None = None
    for places in _placings(calls, line, 0, []):
        if facts.truco_refused is not None and places[-1] != end:
            continue
        if facts.fold is not None and end is not None and not _may_fold(facts, line, calls, places, end):
            continue
        cost = sum(_distance(call, place) for call, place in zip(calls, places, strict=True))
        if best is None or cost < best[0]:
            best = (cost, places)
    return best[1] if best else None


def _placings(calls: list[Raise], line: Line, index: int, so_far: list[int]) -> list[list[int]]:
    if index == len(calls):
        return [so_far]
    start = so_far[-1] if so_far else 0
    found = []
    for place in range(start, len(line.movers)):
        answer = bool(so_far) and place == start
        if answer or line.movers[place] == calls[index].seat:
            found += _placings(calls, line, index + 1, [*so_far, place])
    return found


def _may_fold(facts: Facts, line: Line, calls: list[Raise], places: list[int], end: int) -> bool:
    if line.movers[end] == facts.fold:
        return True
    return bool(places) and places[-1] == end and calls[-1].seat != facts.fold


def _distance(call: Raise, place: int) -> int:
    """Return how far a place is from the recorded trick.

    Older rows count a call made between two tricks to the trick before, so that place is only a little worse.
    """
    if call.trick is None:
        return 0
    trick = place // 2 + 1
    if trick == call.trick:
        return 0
    if trick == call.trick + 1 and place % 2 == 0:
        return 1
    return _FAR * abs(trick - call.trick)


def _far_calls(facts: Facts, line: Line, places: list[int]) -> list[str]:
    """Return the calls and folds that stand in another trick than the recorded one, by either way of counting."""
    far = [
        f"{call.word} of {call.seat + 1} is recorded in trick {call.trick}, but the cards leave it trick {place // 2 + 1}"
        for call, place in zip(facts.truco, places, strict=True)
        if _distance(call, place) >= _FAR
    ]
    end = line.end
    if facts.fold is not None and end is not None and facts.fold_trick is not None:
        # Older rows count the fold by the tricks completed before it.
        trick = end // 2 + 1
        if facts.fold_trick not in (trick, max(trick - 1, 1)):
            far.append(f"quandoBaralho {facts.fold_trick}, but the cards end in trick {trick}")
    return far


def _place_anyhow(calls: list[Raise], line: Line) -> list[int]:
    places: list[int] = []
    last = len(line.movers) - 1 if line.winner is None else max(len(line.cards) - 1, 0)
    for call in calls:
        fits = [place for place in range(last + 1) if line.movers[place] == call.seat]
        near = min(fits or [last], key=lambda place: _distance(call, place))
        places.append(max(near, places[-1] if places else 0))
    return places


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


# -- numbers of the envido -----------------------------------------------------------------------------------------------


def _numbers(facts: Facts, cards: list[list[str]], notes: list[str]) -> list[str]:
    """Return the declarations of an accepted envido: where the second player conceded, or the cards do not tell it all."""
    mano, pie = facts.mano, 1 - facts.mano
    first, second = facts.envido_points[mano], facts.envido_points[pie]
    if first is None or second is None:
        return []
    conceded = facts.concealed == pie and facts.envido_winner == mano
    if conceded or any("?" in hand for hand in cards):
        notes.append("envido.numbers")
        return [f"{mano} {first}", f"{pie} son-buenas" if conceded or second <= first else f"{pie} {second}"]
    return []


# -- writing the events --------------------------------------------------------------------------------------------------


class _Writer:
    """Writes the events place by place."""

    def __init__(self, facts: Facts, line: Line, places: list[int], numbers: list[str]) -> None:
        self.facts = facts
        self.line = line
        self.places = places
        self.numbers = numbers
        self.events: list[str] = []
        self.envido_done = not facts.envido
        self.flor_done = not facts.flor

    def write(self) -> list[str]:
        facts, line = self.facts, self.line
        last = len(line.movers) if line.winner is None else len(line.cards)
        for place in range(last):
            if place < 2:
                self._before_card(place, final=place == last - 1)
            self._raises(place)
            if place < len(line.cards):
                seat, words = line.cards[place]
                self.events.append(f"{seat} {words}")
        # Declining the truco and going to the deck are one act where the base gives both to the same player.
        if facts.fold is not None and facts.fold != facts.truco_refused:
            self.events.append(f"{facts.fold} mazo")
        return self.events

    def _before_card(self, place: int, final: bool) -> None:
        """Write flor and envido that the player to move opens here; at the last place also what has found no other."""
        facts, mover = self.facts, self.line.movers[place]
        truco_first = any(where == place for where in self.places) and place == 0
        envido_here = not self.envido_done and (facts.envido[0][1] == mover or (final and not truco_first))
        flor_here = not self.flor_done and facts.flor[0][1] == mover
        waits = place == 0 and truco_first and not self.envido_done and facts.envido[0][1] != mover
        if flor_here and not waits and not (envido_here and facts.envido[0][1] == mover):
            self._flor()
        if envido_here:
            self._envido()
        if final and not truco_first and not self.flor_done:
            self._flor()

    def _raises(self, place: int) -> None:
        facts, calls = self.facts, self.facts.truco
        here = [index for index, where in enumerate(self.places) if where == place]
        for index in here:
            call = calls[index]
            self.events.append(f"{call.seat} {call.word}")
            if place == 0 and index == 0:
                self._over_truco(call.seat)
            if index + 1 < len(calls):
                if self.places[index + 1] != place:
                    self.events.append(f"{1 - call.seat} quiero")
                continue
            if facts.truco_refused is not None:
                self.events.append(f"{facts.truco_refused} no-quiero")
            elif not self._fold_answers(call, place):
                self.events.append(f"{1 - call.seat} quiero")

    def _fold_answers(self, call: Raise, place: int) -> bool:
        """Return whether the fold is the answer to the last raise: by the recorded points, or because it cannot be a turn."""
        facts, end = self.facts, self.line.end
        if facts.fold is None or facts.fold == call.seat or end is None or place != end:
            return False
        return self.line.movers[end] != facts.fold or facts.truco_tally == TRUCO_VALUE[call.word] - 1

    def _over_truco(self, caller: int) -> None:
        facts = self.facts
        if not self.envido_done and facts.envido[0][1] != caller:
            self._envido()
        if not self.flor_done and (facts.flor[0][1] != caller or len(self.line.cards) == 0):
            self._flor()

    def _envido(self) -> None:
        facts = self.facts
        self.envido_done = True
        self.events += [f"{seat} {word}" for word, seat in facts.envido]
        caller = facts.envido[-1][1]
        if not self.flor_done and facts.envido_refused is None and facts.flor[0][1] != caller:
            self._flor()
        elif facts.envido_refused is not None:
            self.events.append(f"{facts.envido_refused} no-quiero")
        elif facts.envido_winner is not None or facts.envido_tally:
            self.events.append(f"{1 - caller} quiero")
            self.events += self.numbers

    def _flor(self) -> None:
        facts = self.facts
        self.flor_done = True
        self.events += [f"{seat} {word}" for word, seat in facts.flor]
        word, caller = facts.flor[-1]
        if facts.flor_refused is not None:
            self.events.append(f"{facts.flor_refused} no-quiero")
        elif word != "flor":
            self.events.append(f"{1 - caller} quiero")
