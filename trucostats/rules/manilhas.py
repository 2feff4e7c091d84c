"""The cards that rank alone above all others: manilhas and piezas that a turned card makes, fixed manilhas, matas."""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from trucostats.rules import Rules
from trucostats.rules.options import OPTIONS

# Piezas from the strongest, each with what it counts in the envido; manilhas from the weakest suit.
PIEZAS: Final = (("2", 30), ("4", 29), ("5", 28), ("11", 27), ("10", 27))
MANILHA_SUITS: Final = ("o", "e", "c", "b")
SUCCESSION: Final = {
    "natural_french": ("1", "2", "3", "4", "5", "6", "7", "11", "10", "12"),
    "truco_order": ("4", "5", "6", "7", "10", "11", "12", "1", "2", "3"),
}


def next_rank(rank: str, succession: str) -> str:
    """Return the rank that follows the turned one. Source: A.4.2.

    >>> next_rank("7", "natural_french"), next_rank("7", "truco_order"), next_rank("3", "truco_order")
    ('11', '10', '4')
    """
    line = SUCCESSION[succession]
    return line[(line.index(rank) + 1) % len(line)]


def pieza(rank: str, turned: str) -> str:
    """Return the pieza of a rank: the 12 takes the place of the turned card. Source: A.5.

    >>> pieza("2", "7c"), pieza("2", "2c")
    ('2c', '12c')
    """
    card = rank + turned[-1]
    return "12" + turned[-1] if card == turned else card


def manilhas(rules: Rules, turned: str | None = None) -> tuple[tuple[str, str], ...]:
    """Return these cards from the strongest, each with what it is called; none where a card should be turned and is not known.

    >>> from trucostats.rules import rules_of
    >>> manilhas(rules_of("mineiro"))
    (('4b', '4b'), ('7c', '7c'), ('1e', '1e'), ('7o', '7o'))
    >>> manilhas(rules_of("paulista"), "3c")
    (('4b', 'manilha b'), ('4c', 'manilha c'), ('4e', 'manilha e'), ('4o', 'manilha o'))
    >>> manilhas(rules_of("uruguayo"), "2o")[0], manilhas(rules_of("truc"))
    (('12o', '2 of the turned suit'), ())
    """
    if rules.turns_card and turned is None:
        return ()
    if rules.turned_card == "manilha":
        rank = next_rank(str(turned)[:-1], rules.succession)
        return tuple((rank + suit, f"manilha {suit}") for suit in reversed(MANILHA_SUITS))
    groups = rules.order_strong_to_weak or OPTIONS["order_strong_to_weak"].default
    matas = tuple((card, card) for card in takewhile(lambda group: " " not in group, groups))
    if rules.turned_card == "muestra":
        piezas = tuple((pieza(rank, str(turned)), f"{rank} of the turned suit") for rank, _ in PIEZAS)
        return piezas + matas
    return matas
