"""The cards of a UFSM row: both hands, and what each player laid in each trick.

A cell with a suit is a card that was laid, also where a sentinel stands in place of its code (-46 the other side folded, -15
lost): it is the card of that suit left in the hand, or the last one left. Code -1 is a card laid face down, -10 (folded) is
none. A dealt card that the play, another dealt card or the recorded envido contradicts is unknown, `?`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

from trucostats.importers.ufsm_facts import (
    COVERED,
    ENVIDO_NUMBERS,
    SEAT_NAMES,
    SIZE_NAMES,
    Cell,
    Facts,
    Notes,
    card_of,
    cell_name,
    envido_of,
    flor_of,
    known_code,
    suit_name,
)

_COUNTING: Final = [rank + suit for suit in "ebco" for rank in ("1", "2", "3", "4", "5", "6", "7", "10")]


@dataclass(slots=True)
class Play:
    """A card on the table: its words as an event, and its strength (0 for a covered card).

    Codes rise with the strength of the cards, so the code is the strength.
    """

    words: str
    strength: int


Table = list[list[Play | None]]


def read_cards(facts: Facts, stronger: bool, notes: Notes) -> tuple[list[list[str]], Table]:
    """Return both hands (`?` where unknown) and the cards laid per seat and trick.

    `stronger` picks the stronger of two cards where an overwritten code leaves both possible, otherwise the weaker is taken.
    """
    hands: list[list[str]] = []
    table: Table = []
    for seat in (0, 1):
        matcher = _Matcher(facts, seat, stronger, notes)
        table.append(matcher.match())
        hands.append(matcher.hand)
    _drop_shared(hands, table, notes)
    for seat in (0, 1):
        _check_points(facts, seat, hands[seat], table[seat], notes)
        for place, card in enumerate(hands[seat]):
            if card == "?":
                column = f"carta{SIZE_NAMES[place]}{SEAT_NAMES[seat]}"
                notes.keep(column, suit_name(column))
    return hands, table


class _Matcher:
    """Matches the cards a player laid with those he was dealt."""

    def __init__(self, facts: Facts, seat: int, stronger: bool, notes: Notes) -> None:
        self.seat = seat
        self.stronger = stronger
        self.notes = notes
        self.cells = facts.played[seat]
        self.codes = [cell.code or 0 for cell in facts.dealt[seat]]
        self.hand = [self._dealt(name, cell) for name, cell in zip(SIZE_NAMES, facts.dealt[seat], strict=True)]
        self.free = [0, 1, 2]

    def _dealt(self, size: str, cell: Cell) -> str:
        card = card_of(cell.code, cell.suit)
        if card is None and cell.code and (cell.suit is not None or not known_code(cell.code)):
            suit = cell.suit or "NULL"
            self.notes.wrong(f"carta{size}{SEAT_NAMES[self.seat]} {cell.code} with suit {suit} is no card")
        return card or "?"

    def match(self) -> list[Play | None]:
        """Return the card laid in each trick, None where there was none."""
        found: list[Play | None] = [None, None, None]
        strangers: list[int] = []
        hidden: list[int] = []
        for trick, cell in enumerate(self.cells):
            if not cell.played:
                continue
            card = card_of(cell.code, cell.suit)
            if cell.overwritten:
                hidden.append(trick)
            elif card is None:
                self.notes.wrong(f"{cell_name(trick, self.seat)} {cell.code} with suit {cell.suit} is no card")
                self._keep(trick)
            else:
                found[trick] = Play(card, cell.code or 0)
                if card in self.hand and self.hand.index(card) in self.free:
                    self.free.remove(self.hand.index(card))
                else:
                    strangers.append(trick)
        for trick in strangers:
            self._make_room(trick, card_of(self.cells[trick].code, self.cells[trick].suit) or "?")
        for trick in sorted(hidden, key=lambda trick: self.cells[trick].suit is None):
            found[trick] = self._hidden(trick)
        return found

    def _make_room(self, trick: int, card: str) -> None:
        """Make a dealt card unknown for a card that was laid and not dealt: one of its code, or the weakest left."""
        same = [place for place in self.free if self.codes[place] == self.cells[trick].code]
        unknown = [place for place in self.free if self.hand[place] == "?"]
        places = same or unknown or self.free
        if not places:
            return
        if self.hand[places[-1]] != "?":
            self.notes.wrong(f"{cell_name(trick, self.seat)} {card} is not among the dealt cards {' '.join(self.hand)}")
            self.hand[places[-1]] = "?"
        self.free.remove(places[-1])

    def _hidden(self, trick: int) -> Play | None:
        """Return a card whose code was overwritten, or that lies face down."""
        cell, name = self.cells[trick], cell_name(trick, self.seat)
        fits = [place for place in self.free if cell.suit is not None and self.hand[place].endswith(cell.suit)]
        if cell.suit is not None and not fits:
            left = " ".join(self.hand[place] for place in self.free)
            self.notes.wrong(f"{name} {cell.code} has suit {cell.suit}, but the cards left are {left or 'none'}")
        if not fits and len(self.free) == 1 and self.hand[self.free[0]] != "?":
            fits = self.free[:]
        covered = cell.code == COVERED
        if covered and len(fits) != 1:
            return Play("cover", 0)
        if not fits:
            self._keep(trick)
            return None
        place = (max if self.stronger else min)(fits, key=lambda place: self.codes[place])
        self.free.remove(place)
        self.notes.reconstructed.append(f"card.{self.seat}.{trick + 1}")
        return Play(f"cover {self.hand[place]}", 0) if covered else Play(self.hand[place], self.codes[place])

    def _keep(self, trick: int) -> None:
        column = cell_name(trick, self.seat)
        self.notes.keep(column, suit_name(column))


def _drop_shared(hands: list[list[str]], table: Table, notes: Notes) -> None:
    """Make a card unknown wherever it is dealt if it is dealt twice, or dealt to one and laid by the other."""
    laid = [{play.words for play in row if play is not None} for row in table]
    dealt = [card for hand in hands for card in hand if card != "?"]
    twice = {card for card in dealt if dealt.count(card) > 1}
    for seat in (0, 1):
        twice |= {card for card in hands[seat] if card in laid[1 - seat]}
    if twice:
        notes.wrong(f"the same card is in two places: {' '.join(sorted(twice))}")
    both = (laid[0] & laid[1]) - {"cover"}
    if both:
        notes.wrong(f"both players lay the same card: {' '.join(sorted(both))}")
    for hand in hands:
        hand[:] = ["?" if card in twice else card for card in hand]


def _check_points(facts: Facts, seat: int, hand: list[str], laid: list[Play | None], notes: Notes) -> None:
    """Compare recorded envido and flor with the cards; where they differ some suit is wrong, so suited cards are unknown."""
    recorded, name = facts.envido_points[seat], SEAT_NAMES[seat]
    # For a hand with flor the base often gives the value of the flor as its envido.
    if recorded is not None and recorded != flor_of(hand):
        if recorded not in ENVIDO_NUMBERS:
            notes.wrong(f"pontosEnvido{name} {recorded} is no envido")
        elif "?" not in hand and envido_of(hand) != recorded:
            notes.wrong(f"pontosEnvido{name} {recorded}, but {' '.join(hand)} make {envido_of(hand)}")
            suits = [card[-1] for card in hand]
            shared = [card for card in hand if suits.count(card[-1]) > 1]
            hand[:] = ["?" if card in shared or not shared else card for card in hand]
        on_table = [play.words for play in laid if play is not None and not play.words.startswith("cover")]
        if "?" in hand and not _can_make([*hand, *on_table], recorded):
            hand[:] = ["?", "?", "?"]
    if any(holder == seat for _, holder in facts.flor) and len({card[-1] for card in hand if card != "?"}) > 1:
        notes.wrong(f"quemFlor {seat + 1}, but {' '.join(hand)} is no flor")
        hand[:] = ["?", "?", "?"]


def _can_make(cards: list[str], number: int) -> bool:
    """Return whether a hand with these cards, `?` apart, can make a number."""
    known = sorted({card for card in cards if card != "?"})
    if len(known) > 3:
        return False
    rest = [card for card in _COUNTING if card not in known]
    return any(envido_of([*known, *more]) == number for more in combinations(rest, 3 - len(known)))
