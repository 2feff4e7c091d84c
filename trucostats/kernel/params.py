"""Rule sets as the kernel reads them: one record of small integers, and one table of cards for each turned card."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trucostats.rules import Rules
from trucostats.rules.manilhas import MANILHA_SUITS, PIEZAS, next_rank, pieza
from trucostats.rules.options import OPTIONS
from trucostats.vocab import CARD_INDEX, CARDS, RAISES, RANKS, SUITS, VERB_INDEX

STRENGTH, FACE, PIEZA = range(3)
NO_TURNED: Final = 40
PLAIN_ORDER: Final = ("4", "5", "6", "7", "10", "11", "12", "1", "2", "3")

# Options that are one small integer: the position of the value among its choices, or the number itself (0 for null).
_WORDS: Final = tuple(
    name
    for name, option in OPTIONS.items()
    if option.choices and name not in ("turned_card", "succession", "pica_policy")
)
_NUMBERS: Final = ("target", "hand_value", "max_envido", "pica_falta", "covered_from")
RULES_ROW: Final = np.dtype(
    (
        np.record,
        [(name, "i8") for name in (*_WORDS, *_NUMBERS)]
        + [
            ("worth", "i8", (6,)),
            ("steps", "i8"),
            ("step_of", "i8", (len(RAISES),)),
            ("raise_bit", "i8", (6,)),
            ("cards", "i8"),
        ]
        + [(f"special_{key}", "i8") for key in ("at", "scope", "value", "pass_value", "on_bet")],
    )
)


def rules_row(rules: Rules) -> Any:
    """Return a one-row array of `RULES_ROW` for a rule set; `worth[k]` is the value of step k of the ladder, 0 the hand,
    `raise_bit[k]` the verb that calls it as a bit.
    """
    return _rules_row(rules).copy()


@lru_cache(maxsize=64)
def _rules_row(rules: Rules) -> Any:
    rows = np.zeros(1, RULES_ROW)
    row = rows[0]
    for name in _WORDS:
        setattr(row, name, OPTIONS[name].choices.index(getattr(rules, name)))
    for name in _NUMBERS:
        setattr(row, name, getattr(rules, name) or 0)
    row.worth[0] = rules.hand_value
    row.steps = len(rules.ladder)
    for step, (word, worth) in enumerate(rules.ladder, start=1):
        row.worth[step] = worth
        row.step_of[RAISES.index(word)] = step
        row.raise_bit[step] = 1 << VERB_INDEX[word]
    special = dict(rules.special_hand) if rules.special_hand else None
    if special is not None:
        row.special_at = special["at"]
        row.special_scope = ("eq", "ge").index(special["scope"])
        row.special_value = special["value"]
        row.special_pass_value = special["pass_value"]
        row.special_on_bet = ("illegal", "bettor_loses_hand", "literal_ten_pair_loses", "bettor_loses_game").index(
            special["on_bet"]
        )
    return rows


def card_tables(rules: Rules) -> NDArray[np.int64]:
    """Return an array (41, 3, 40): for each turned card (40 for none) the strength, face value and pieza value of every card.

    Strengths start at 0 for the weakest and are equal for equal cards. Face values count for the envido; a pieza value is
    0 for a card that is no pieza. Source: rules reference A.2.1, A.2.3, A.4.2, A.5, A.7.1 item 14.
    """
    return _card_tables(rules.turned_card, rules.succession, rules.order_strong_to_weak)


@lru_cache(maxsize=64)
def _card_tables(turned_card: str | None, succession: str, order: tuple[str, ...] | None) -> NDArray[np.int64]:
    tables = np.zeros((41, 3, 40), np.int64)
    face = [int(card[:-1]) if int(card[:-1]) < 10 else 0 for card in CARDS]
    for turned in range(41):
        tables[turned, FACE] = face
        if turned_card is None or turned == NO_TURNED:
            groups = order or OPTIONS["order_strong_to_weak"].default
            for strength, group in enumerate(reversed(groups)):
                for card in group.split():
                    tables[turned, STRENGTH, CARD_INDEX[card]] = strength
        elif turned_card == "manilha":
            _fill_manilhas(tables[turned], turned, succession)
        else:
            _fill_piezas(tables[turned], turned)
    tables.setflags(write=False)
    return tables


def _fill_manilhas(table: NDArray[np.int64], turned: int, succession: str) -> None:
    manilha = next_rank(CARDS[turned][:-1], succession)
    plain = [name for name in PLAIN_ORDER if name != manilha]
    for strength, name in enumerate(plain):
        for suit in SUITS:
            table[STRENGTH, CARD_INDEX[name + suit]] = strength
    for extra, suit in enumerate(MANILHA_SUITS):
        table[STRENGTH, CARD_INDEX[manilha + suit]] = len(plain) + extra


def _fill_piezas(table: NDArray[np.int64], turned: int) -> None:
    order = OPTIONS["order_strong_to_weak"].default
    for strength, group in enumerate(reversed(order)):
        for card in group.split():
            table[STRENGTH, CARD_INDEX[card]] = strength
    for place, (rank, value) in enumerate(reversed(PIEZAS)):
        card = CARD_INDEX[pieza(rank, CARDS[turned])]
        table[STRENGTH, card] = len(order) + place
        table[PIEZA, card] = value


class RuleBook:
    """A growing set of rule sets in kernel form: `rows[i]` belongs to `rules[i]`, its card tables are `cards[rows[i].cards]`.

    Rule sets that rank the cards alike share their tables.
    """

    def __init__(self) -> None:
        self.rules: list[Rules] = []
        self.rows: Any = np.zeros(0, RULES_ROW)
        self.cards: NDArray[np.int64] = np.zeros((0, 41, 3, 40), np.int64)
        self._index: dict[Rules, int] = {}
        self._tables: dict[tuple[Any, ...], int] = {}

    def add(self, rules: Rules) -> int:
        """Return the index of a rule set, adding it when it is new."""
        index = self._index.get(rules)
        if index is None:
            index = self._index[rules] = len(self.rules)
            self.rules.append(rules)
            if index == len(self.rows):
                self.rows = np.resize(self.rows, max(8, 2 * index)) if index else np.zeros(8, RULES_ROW)
            self.rows[index] = rules_row(rules)[0]
            self.rows[index].cards = self._table(rules)
        return index

    def _table(self, rules: Rules) -> int:
        key = (rules.turned_card, rules.succession, rules.order_strong_to_weak)
        place = self._tables.get(key)
        if place is None:
            place = self._tables[key] = len(self.cards)
            self.cards = np.concatenate([self.cards, card_tables(rules)[None]])
        return place


__all__ = ["FACE", "NO_TURNED", "PIEZA", "RANKS", "RULES_ROW", "STRENGTH", "RuleBook", "card_tables", "rules_row"]
