"""What one row of the UFSM base says, decoded: cards by code and suit, who called what, who won what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SEAT_NAMES: Final = ("Robo", "Humano")
SIZE_NAMES: Final = ("Alta", "Media", "Baixa")
TRICK_NAMES: Final = ("primeira", "segunda", "terceira")

COVERED: Final = -1
FOLDED: Final = -10

TRUCO_VALUE: Final = {"truco": 2, "retruco": 3, "vale-cuatro": 4}
ENVIDO_VALUE: Final = {"envido": 2, "real-envido": 3}
ENVIDO_NUMBERS: Final = range(34)

_RANKS: Final = {1: "4", 2: "5", 3: "6", 4: "7", 6: "10", 7: "11", 8: "12", 12: "1", 16: "2", 24: "3"}
_SINGLE: Final = {40: "7o", 42: "7e", 50: "1b", 52: "1e"}
_SUITS: Final = {4: "bc", 12: "oc"}


def known_code(code: int | None) -> bool:
    """Return whether a number is the code of a card."""
    return code in _RANKS or code in _SINGLE


def card_of(code: int | None, suit: str | None) -> str | None:
    """Return the card of a code and a suit letter, or None if there is no such card or the suit is not known.

    >>> card_of(24, "e"), card_of(40, None), card_of(4, "o")
    ('3e', '7o', None)
    """
    if code is None:
        return None
    single = _SINGLE.get(code)
    if single is not None:
        return single if suit in (None, single[-1]) else None
    rank = _RANKS.get(code)
    if rank is None or suit is None or suit not in _SUITS.get(code, "ebco"):
        return None
    return rank + suit


def _value(card: str) -> int:
    rank = int(card[:-1])
    return rank if rank < 10 else 0


def envido_of(cards: Sequence[str]) -> int:
    """Return the envido of up to three cards.

    >>> envido_of(["7c", "5c", "12e"]), envido_of(["1e", "6b", "11o"])
    (32, 6)
    """
    best = 0
    for index, card in enumerate(cards):
        best = max(best, _value(card))
        for other in cards[index + 1 :]:
            if card[-1] == other[-1]:
                best = max(best, 20 + _value(card) + _value(other))
    return best


def flor_of(cards: Sequence[str]) -> int | None:
    """Return the value of a flor, or None if the cards are none.

    >>> flor_of(["7c", "5c", "12c"]), flor_of(["7c", "5c", "12e"]), flor_of(["7c", "5c", "?"])
    (32, None, None)
    """
    if "?" in cards or len({card[-1] for card in cards}) != 1:
        return None
    return 20 + sum(_value(card) for card in cards)


def cell_name(trick: int, seat: int) -> str:
    """Return the column of a card played.

    >>> cell_name(0, 1)
    'primeiraCartaHumano'
    """
    return f"{TRICK_NAMES[trick]}Carta{SEAT_NAMES[seat]}"


def suit_name(column: str) -> str:
    """Return the column of the suit that belongs to the column of a card.

    >>> suit_name("primeiraCartaHumano")
    'naipePrimeiraCartaHumano'
    """
    return f"naipe{column[0].upper()}{column[1:]}"


@dataclass(slots=True)
class Cell:
    """A card as the base stores it: a code and a suit letter, either of which may be missing."""

    code: int | None
    suit: str | None

    @property
    def played(self) -> bool:
        """Whether the cell of a trick holds a card: filler has no suit, and who has folded laid none."""
        return self.code == COVERED or (self.suit is not None and self.code != FOLDED)

    @property
    def overwritten(self) -> bool:
        """Whether a sentinel stands in place of the code."""
        return self.code is None or self.code <= 0


@dataclass(slots=True)
class Raise:
    """One call of the truco family: word, seat and the trick the base gives (None if it gives none)."""

    word: str
    seat: int
    trick: int | None


@dataclass(slots=True)
class Facts:
    """One row, decoded. Seat 0 is Robo, seat 1 Humano; None stands for nobody, and for what is not recorded."""

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
    flor_winner: int | None = None
    flor_tally: int | None = None
    truco: list[Raise] = field(default_factory=list)
    truco_refused: int | None = None
    hand_winner: int | None = None
    truco_tally: int | None = None
    fold: int | None = None
    fold_trick: int | None = None

    @property
    def envido_accepted(self) -> bool:
        """Whether the last envido was accepted: the base records refusals, and who won."""
        won = self.envido_winner is not None or bool(self.envido_tally)
        return bool(self.envido) and self.envido_refused is None and won


@dataclass(slots=True)
class Notes:
    """What is said about a row beside its events.

    `reconstructed` names the parts the base does not record, `contradictions` are sentences, `columns` are the columns
    that could not be expressed.
    """

    reconstructed: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)

    def wrong(self, sentence: str) -> None:
        """Note a contradiction."""
        self.contradictions.append(sentence)

    def keep(self, *columns: str) -> None:
        """Note columns that could not be expressed."""
        self.columns += columns
