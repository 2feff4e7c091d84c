"""Envido and flor of a set of cards, and what a partly known hand may still be. Source: A.2.3, A.2.10, A.7.1 item 14."""

from __future__ import annotations

from typing import Any

import numpy as np

from trucostats.kernel.jit import jit
from trucostats.kernel.params import FACE, PIEZA
from trucostats.kernel.state import NO_VALUE, UNKNOWN_VALUE, count_cards

ALL_CARDS = (1 << 40) - 1
# Powers of two differ modulo 67, so that what is left of one tells which it is.
PLACE = np.zeros(67, np.int64)
PLACE[[(1 << place) % 67 for place in range(40)]] = np.arange(40)


@jit
def lowest(members: int) -> int:
    """Return the lowest member of a set of cards or verbs that is not empty."""
    return PLACE[(members & -members) % 67]


@jit
def envido_of(cards: int, c: Any) -> int:
    """Return the envido of a set of cards, -1 with two or more piezas."""
    piezas = 0
    pieza = 0
    single = 0
    best = 0
    suit = -1
    high = -1
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if c[PIEZA, card] > 0:
            piezas += 1
            pieza = max(pieza, c[PIEZA, card])
            continue
        face = c[FACE, card]
        single = max(single, face)
        if card // 10 != suit:
            suit = card // 10
            high = face
        else:
            best = max(best, 20 + high + face)
            high = max(high, face)
    if piezas > 1:
        return NO_VALUE
    if piezas == 1:
        return pieza + single
    return max(best, single)


@jit
def flor_of(cards: int, c: Any) -> int:
    """Return the flor of three cards, -1 if they are none."""
    piezas = 0
    pieza = 0
    digits = 0
    faces = 0
    suit = -1
    one_suit = True
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if c[PIEZA, card] > 0:
            piezas += 1
            digits += c[PIEZA, card] % 10
            pieza = max(pieza, c[PIEZA, card])
        else:
            faces += c[FACE, card]
            if suit >= 0 and suit != card // 10:
                one_suit = False
            suit = card // 10
    if piezas == 0:
        return 20 + faces if one_suit else NO_VALUE
    if piezas == 1 and not one_suit:
        return NO_VALUE
    return pieza + digits - pieza % 10 + faces


@jit
def set_values(s: Any, seat: int, c: Any) -> None:
    """Write the envido and flor of a seat whose dealt cards are all known."""
    if s.hidden_dealt[seat] == 0:
        s.value[seat] = envido_of(s.dealt[seat], c)
        s.flor_value[seat] = flor_of(s.dealt[seat], c) if count_cards(s.dealt[seat]) == 3 else NO_VALUE


@jit
def could_be(s: Any, seat: int, c: Any, number: int, flor: bool) -> bool:
    """Say whether the seat's dealt cards can make an envido number, or any flor, given all cards known elsewhere."""
    hidden = s.hidden_dealt[seat]
    known = s.dealt[seat]
    if flor and hidden + count_cards(known) != 3:
        return False
    if hidden == 0:
        return s.flor_value[seat] >= 0 if flor else s.value[seat] == number
    free = ALL_CARDS & ~s.seen
    for i in range(40):
        if not (free >> i) & 1:
            continue
        one = known | (1 << i)
        if hidden == 1:
            if flor_of(one, c) >= 0 if flor else envido_of(one, c) == number:
                return True
            continue
        for j in range(i + 1, 40):
            if not (free >> j) & 1:
                continue
            two = one | (1 << j)
            if hidden == 2:
                if flor_of(two, c) >= 0 if flor else envido_of(two, c) == number:
                    return True
                continue
            for k in range(j + 1, 40):
                if (free >> k) & 1:
                    three = two | (1 << k)
                    if flor_of(three, c) >= 0 if flor else envido_of(three, c) == number:
                        return True
    return False


@jit
def unknown(value: int) -> bool:
    """Say whether a value is not known."""
    return value == UNKNOWN_VALUE
