"""The vocabulary: cards, words, and the integers that stand for them. A code is a position in a list of this module.

An *event code* packs a verb and its argument: `code = verb | argument << 5`. The argument is a card for `play`, a card or
`NO_CARD` for `cover`, the number for `declare`, a card plus one for a raise with a card put forward (0 without), and up to four
cards plus one, six bits each, for `show`.
"""

from __future__ import annotations

from typing import Final

from trucostats.errors import NotationError

RANKS: Final = ("1", "2", "3", "4", "5", "6", "7", "10", "11", "12")
SUITS: Final = ("e", "b", "o", "c")
CARDS: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
CARD_INDEX: Final[dict[str, int]] = {name: index for index, name in enumerate(CARDS)}
NO_CARD: Final = 63

VERBS: Final = (
    "play",
    "cover",
    "envido",
    "real-envido",
    "falta-envido",
    "declare",
    "son-buenas",
    "flor",
    "contraflor",
    "contraflor-al-resto",
    "quiero",
    "no-quiero",
    "mazo",
    "accept-hand",
    "decline-hand",
    "show",
    "ask-count",
    "truc",
    "retruc",
    "truco",
    "retruco",
    "vale-cuatro",
    "seis",
    "nove",
    "dez",
    "doze",
)
VERB_INDEX: Final[dict[str, int]] = {name: index for index, name in enumerate(VERBS)}
FIRST_RAISE: Final = VERB_INDEX["truc"]
RAISES: Final = VERBS[FIRST_RAISE:]
ENVIDO_CALLS: Final = ("envido", "real-envido", "falta-envido")
FLOR_CALLS: Final = ("flor", "contraflor", "contraflor-al-resto")

PENDING: Final = (None, "truco", "envido", "flor", "decision")
STATUSES: Final = ("complete", "open", "void", "illegal", "malformed")
FORMATS: Final = ("redonda", "pica-pica")
VERB_BITS: Final = 5
VERB_MASK: Final = (1 << VERB_BITS) - 1


def parse_card(name: str) -> int:
    """Return the index of a card, 0 to 39.

    Raises `NotationError` (UNKNOWN_CARD) for a name that is not a card.

    >>> parse_card("7c"), card_name(36)
    (36, '7c')
    """
    index = CARD_INDEX.get(name)
    if index is None:
        raise NotationError(
            "UNKNOWN_CARD", f"there is no card {name!r}; a card is a rank {' '.join(RANKS)} and a suit e b o c"
        )
    return index


def card_name(index: int) -> str:
    """Return the name of a card from its index; the inverse of `parse_card`."""
    return CARDS[index]


def pack(verb: str, argument: int = 0) -> int:
    """Return the event code of a verb and its argument.

    >>> pack("truco"), pack("play", parse_card("1b"))
    (19, 320)
    """
    return VERB_INDEX[verb] | argument << VERB_BITS


def event_name(code: int) -> str:
    """Return the canonical words of an event code, without the seat.

    >>> event_name(pack("play", parse_card("7c"))), event_name(pack("declare", 28))
    ('7c', '28')
    """
    verb, argument = VERBS[code & VERB_MASK], code >> VERB_BITS
    if verb == "play":
        return CARDS[argument]
    if verb == "cover":
        return "cover" if argument == NO_CARD else f"cover {CARDS[argument]}"
    if verb == "declare":
        return str(argument)
    if verb == "show":
        return "show " + " ".join(CARDS[card] for card in shown_cards(argument))
    if verb in RAISES and argument:
        return f"{verb} {CARDS[argument - 1]}"
    return verb


def shown_cards(argument: int) -> list[int]:
    """Return the cards of a `show` argument, in the order they were named."""
    cards = []
    while argument:
        cards.append((argument & 63) - 1)
        argument >>= 6
    return cards


def pack_show(cards: list[int]) -> int:
    """Return the event code of showing one to four cards; the inverse of `shown_cards`."""
    argument = 0
    for card in reversed(cards):
        argument = argument << 6 | (card + 1)
    return pack("show", argument)
