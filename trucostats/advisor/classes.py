"""The classes of comparable decisions: what makes two spots alike, from the most exact class to the widest, in words.

A class asks for the same rule set (without its options), number of players and word; the classes of `LADDERS` ask for more.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from trucostats.advisor.position import UNKNOWN, Position
from trucostats.kernel.params import STRENGTH
from trucostats.solver.deck import turned_index
from trucostats.strength import strength_index, strength_table
from trucostats.vocab import ENVIDO_CALLS, FLOR_CALLS, parse_card

TENTHS: Final = 10
ANY: Final = -1
BEST: Final = 33  # the best envido without a turned card
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")
_TRICKS: Final = {
    "": "first trick",
    "w": "first trick won",
    "l": "first trick lost",
    "t": "first trick tied",
    "wl": "one trick each, the first won",
    "lw": "one trick each, the first lost",
    "tt": "two tricks tied",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One class of the ladder: what has to be the same; `within` tenths of strength and `envido_within` points, -1 for any cards."""

    same_position: bool = False
    same_tricks: bool = False
    same_cards_left: bool = False
    same_step: bool = False
    within: int = ANY
    envido_within: int = ANY


LADDERS: Final[dict[str, tuple[Step, ...]]] = {
    "truco": (
        Step(same_position=True, same_tricks=True, same_cards_left=True, same_step=True, within=0),
        Step(same_position=True, same_tricks=True, same_step=True, within=0),
        Step(same_position=True, same_tricks=True, same_step=True, within=1),
        Step(same_tricks=True, same_step=True, within=1),
        Step(same_tricks=True, same_step=True, within=2),
        Step(same_step=True, within=2),
        Step(same_step=True),
    ),
    "envido": (
        Step(same_position=True, same_cards_left=True, same_step=True, within=0, envido_within=0),
        Step(same_position=True, same_step=True, envido_within=0),
        Step(same_position=True, same_step=True, envido_within=1),
        Step(same_step=True, envido_within=1),
        Step(envido_within=2),
        Step(),
    ),
    "flor": (
        Step(same_position=True, within=1),
        Step(same_position=True),
        Step(),
    ),
    "card": (
        Step(same_position=True, same_tricks=True, same_cards_left=True, same_step=True, within=0),
        Step(same_position=True, same_tricks=True, same_cards_left=True, within=1),
        Step(same_tricks=True, same_cards_left=True, within=2),
        Step(same_tricks=True, same_cards_left=True),
    ),
}


@dataclass(frozen=True, slots=True)
class Situation:
    """What of a position is compared. `tricks` are letters from the hero's side: w won, l lost, t tied; `step` is the accepted step of
    the truco in turn, and the step of the call that waits otherwise; `place` counts from the mano, `tenth` counts the tenths of strength from 0."""

    about: str
    word: str
    answers: bool
    rules: str
    seats: int
    place: int
    tricks: str
    cards_left: int
    step: int
    tenth: int | None
    envido: int | None

    def ladder(self) -> list[Step]:
        """Return the classes this position has a place in: those by cards need the hero's cards."""
        return [
            step
            for step in LADDERS[self.about]
            if (step.within < 0 or self.tenth is not None) and (step.envido_within < 0 or self.envido is not None)
        ]

    def params(self) -> dict[str, Any]:
        """Return the parameters of the queries."""
        ladder = [{"place": place, **asdict(step)} for place, step in enumerate(self.ladder())]
        found = {
            "ladder": ladder, "word": self.word, "rules": self.rules, "seats": self.seats, "tricks": self.tricks, "cards_left": self.cards_left,
            "step": self.step, "order_from_mano": self.place, "tenth": self.tenth, "envido": self.envido,
        }  # fmt: skip
        return found if self.answers else found | {"about": self.about}

    def where(self, step: Step) -> str:
        """Return a class of this position in words."""
        return ", ".join([*self._fixed(step), *self._cards(step), f"{self.rules}, {NUMBERS[self.seats]} players"])

    def _fixed(self, step: Step) -> list[str]:
        position = (
            "the mano" if self.place == 0 else "the pie" if self.seats == 2 else f"a player {self.place} after the mano"
        )
        if self.answers:
            parts = [f"{self.word} to {position}" if step.same_position else self.word]
        else:
            what = "a card" if self.about == "card" else f"a chance to call {self.word}"
            parts = [f"{what} by {position}" if step.same_position else what]
        if step.same_step and self.answers and self.about == "envido":
            parts.append("the first call" if self.step == 1 else f"call number {self.step}")
        if step.same_step and not self.answers and self.about == "card":
            parts.append("no truco accepted" if self.step == 0 else f"step {self.step} of the truco accepted")
        if step.same_tricks:
            parts.append(_TRICKS[self.tricks])
        return parts

    def _cards(self, step: Step) -> list[str]:
        parts = []
        if step.envido_within >= 0 and self.envido is not None:
            best = max(self.envido, BEST)
            low, high = max(self.envido - step.envido_within, 0), min(self.envido + step.envido_within, best)
            parts.append(f"envido {low}" if low == high else f"envido {low} to {high}")
        if step.within >= 0 and self.tenth is not None:
            low, high = max(self.tenth - step.within, 0) + 1, min(self.tenth + step.within, TENTHS - 1) + 1
            deciles = _ordinal(low) if low == high else f"{_ordinal(low)} to {_ordinal(high)}"
            parts.append(f"hand in the {deciles} strength decile")
        if step.same_cards_left:
            parts.append(f"{self.cards_left} card{'' if self.cards_left == 1 else 's'} left")
        return parts


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def strength_of(position: Position) -> float | None:
    """Return the strength of the hero's dealt hand as the tables have it: the share of rival hands it beats; None if not known.

    >>> from trucostats.advisor.position import position_from
    >>> round(strength_of(position_from(hand="1e 1b 7e")), 3)
    1.0
    """
    dealt = position.hand.dealt(position.hero)
    if UNKNOWN in dealt or len(dealt) != 3:
        return None
    _, _, cards = position.hand.kernel
    levels = cards[STRENGTH][np.array([[parse_card(card) for card in dealt]])]
    return float(strength_table(cards, turned_index(position.hand.turned))[strength_index(levels)][0])


def situation_of(position: Position, about: str | None = None) -> Situation | None:
    """Return what of a position is compared with others, None for a decision that no table tells of.

    `about` chooses among what may be done in turn: truco, envido or card; by default the first of them that is possible.
    """
    hand, hero = position.hand, position.hero
    answers = position.kind == "answer"
    if hand.duel is not None or not (answers or (position.kind == "turn" and hand.pending is None)):
        return None
    if answers:
        call = position.call
        assert call is not None
        about, word = hand.pending or "", call[1]
        said = [text.split()[1] for text in hand.events]
        step = {
            "truco": lambda: hand.rules.raises.index(word) + 1,
            "envido": lambda: sum(verb in ENVIDO_CALLS for verb in said),
            "flor": lambda: FLOR_CALLS.index(word) + 1,
        }[about]()
    else:
        options = position.options()
        words = {
            "truco": [word for word in options if word in hand.rules.raises],
            "envido": [word for word in options if word in ENVIDO_CALLS],
            "card": ["card"] if hand.turn == hero else [],
        }
        possible = [kind for kind in words if words[kind]] if hand.turn == hero else []
        about = about or (possible[0] if possible else None)
        if about is None or about not in possible:
            return None
        word, step = words[about][0], int(str(hand.state()["level"]))
    strength = strength_of(position)
    results = ["t" if winner == "tie" else "w" if winner == hero % 2 else "l" for winner in hand.results]
    return Situation(
        about, word, answers, hand.rules.name, hand.seats, (hero - hand.mano) % hand.seats, "".join(results),
        len(position.cards()), step, None if strength is None else min(int(strength * TENTHS), TENTHS - 1), hand.envido(hero),
    )  # fmt: skip
