"""The words of a log: what people write for an event or a hand of cards, and the integers of `vocab` it stands for.

Reading is generous, writing is not: capitals, accents, `_`, `-` and spaces do not matter, and Spanish, Portuguese, Catalan
and English forms of a word are understood, but `event_name` of `vocab` gives one canonical form back. Nothing here knows
whether an event is legal, and no word depends on the events before it.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from trucostats.errors import NotationError
from trucostats.rules import Rules
from trucostats.vocab import CARD_INDEX, CARDS, NO_CARD, RAISES, VERBS, event_name, pack, pack_show

RIO, BRAZIL, CATALONIA = range(3)
FAMILIES: Final = ("rio", "brazil", "catalonia")
SEATS: Final = "012345"
SEAT_SHIFT: Final = 32
CODE_MASK: Final = (1 << SEAT_SHIFT) - 1
UNKNOWN: Final = -1
SHOWN_LIMIT: Final = 4
# Bounds what a hostile log can make a cache hold; a real one has a few hundred distinct events.
CACHE_LIMIT: Final = 100_000
CACHE_TEXT: Final = 80

# Written with spaces for the reader; matching ignores them. Every verb also answers to its own canonical word.
ALIASES: Final[dict[str, str]] = {
    "cover": "tapada, carta tapada, tapo, tapa, cubierta, carta cubierta, cubro, volteada, quemada, boca abajo, coberta, "
    "carta coberta, cubro, encoberta, carta encoberta, fechada, carta fechada, face down, covered",
    "envido": "envit, toco",
    "real-envido": "real, real envit",
    "falta-envido": "falta, la falta, falta envit",
    "son-buenas": "buenas, boas, sao boas, bones, son bones",
    "flor": "tengo flor, tenho flor, tinc flor",
    "contraflor": "flor y contraflor, flor e contraflor",
    "contraflor-al-resto": "contraflor resto, contraflor o resto, contraflor ao resto, contraflor e o resto, "
    "flor y contraflor al resto, flor e contraflor ao resto",
    "quiero": "quero, aceito, acepto, accepto, vem, desce, cai, vull, si, sim, con flor quiero, com flor quero, accept",
    "no-quiero": "nao quero, no vull, corro, fujo, recuso, rechazo, no acepto, nao aceito, no accepto, no, nao, achico, "
    "me achico, con flor me achico, com flor me achico, refuse",
    "mazo": "al mazo, me voy, me voy al mazo, voy al mazo, me voy a baraja, a baraja, baralho, vou ao baralho, "
    "vou pro baralho, ao baralho, vou pro mato, vou para o mato, me'n vaig, fold",
    "accept-hand": "acepto la mano, juego la mano, aceito a mao, jogo a mao, jogamos a mao, accepto la ma, jugo la ma",
    "decline-hand": "no acepto la mano, paso la mano, nao aceito a mao, passo a mao, corro a mao, passo la ma",
    "show": "muestro, muestra, mostro, mostra, enseño, ensenyo",
    "ask-count": "cuantas cartas, con cuantas cartas, quantas cartas, com quantas cartas, quantes cartes, amb quantes cartes",
    "retruco": "re truco",
    "retruc": "re truc",
    "vale-cuatro": "vale 4, vale quatro, quatre val, val quatre",
    "seis": "vale seis, vale 6, six, meio pau",
    "nove": "vale nove, vale 9, nine, nueve, vale nueve",
    "dez": "vale dez, vale 10, ten, diez, vale diez",
    "doze": "vale doze, vale 12, twelve, doce, vale doce",
}
BEFORE_CARD: Final = ("play", "juego", "juega", "jogo", "joga", "jugo", "juga", "tiro", "tira")
# A raise said as the answer accepts first, and the acceptance is part of the raise.
BEFORE_RAISE: Final = (
    "quiero",
    "quiero y",
    "acepto y",
    "quero",
    "quero e",
    "aceito e",
    "vull",
    "vull i",
    "pido",
    "peço",
    "canto",
)
BEFORE_NUMBER: Final = ("tengo", "tenho", "tinc", "digo", "canto")
# Words that mean something only where a side decides on a special hand; elsewhere they would hide a slip.
FAMILY_ALIASES: Final[dict[int, dict[str, str]]] = {
    RIO: {},
    BRAZIL: {"accept-hand": "jogo, jogamos, jogar, juego", "decline-hand": "passo, passamos, passar, paso"},
    CATALONIA: {"accept-hand": "jugo, juguem, jugar, juego", "decline-hand": "passo, passem, passar, paso"},
}

# How many cards may stand behind a word.
CARDS_TAKEN: Final[dict[str, tuple[int, int]]] = {
    "play": (1, 1),
    "cover": (0, 1),
    "show": (1, SHOWN_LIMIT),
    **dict.fromkeys(RAISES, (0, 1)),
}

_SEPARATORS: Final = re.compile(r"[\s_\-]+")
_NUMBER: Final = re.compile(rf"(?:(?:{'|'.join(BEFORE_NUMBER)})[\s_\-]+)?([0-9]{{1,2}})")
_IGNORED: Final = frozenset(" -_!¡?¿.,;:'’´`\"")
_CARD_LIKE: Final = re.compile(r"[0-9]{1,3}[^\W\d_]|[ajqk][ebocshd]|[0-9ajqk]{1,2}[♠♣♥♦]")
_FRENCH: Final = re.compile(r"([ajqk]|[0-9]{1,2})([shdc♠♣♥♦])")
_FRENCH_SUITS: Final = dict(zip("shdc♠♥♦♣", "ecobecob", strict=True))
_SUIT_NAME: Final = re.compile(r"([0-9]{1,2})(?:de)?([ebocp])[a-z]{2,7}")


def _key(text: str) -> str:
    """Reduce a word to what matters: no capitals, accents, separators or punctuation."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in letters if not (c in _IGNORED or unicodedata.combining(c)))


def _table(family: int) -> dict[str, str]:
    table = {_key(verb): verb for verb in VERBS if verb not in ("play", "declare")}
    for aliases in (ALIASES, FAMILY_ALIASES[family]):
        for verb, words in aliases.items():
            table |= {_key(word): verb for word in words.split(",")}
    for key, verb in list(table.items()):
        if verb in RAISES:
            table |= {_key(before) + key: verb for before in BEFORE_RAISE}
    return table


_WORDS: Final = tuple(_table(family) for family in range(len(FAMILIES)))
_BEFORE_CARD: Final = frozenset(map(_key, BEFORE_CARD))


def family_of(rules: Rules) -> int:
    """Return which family of words a rule set speaks: 0 the River Plate, 1 Brazil, 2 Catalonia.

    >>> from trucostats.rules import rules_of
    >>> [FAMILIES[family_of(rules_of(name))] for name in ("gaucho", "mineiro", "truc")]
    ['rio', 'brazil', 'catalonia']
    """
    raises = {word for word, _ in rules.ladder}
    if "truc" in raises:
        return CATALONIA
    return RIO if raises & {"retruco", "vale-cuatro"} else BRAZIL


def _split(what: str) -> tuple[list[str], list[int]]:
    """Return the tokens of the word and the cards behind it, `NO_CARD` for `?`."""
    tokens = [token for token in _SEPARATORS.split(what.casefold()) if token]
    cards: list[int] = []
    while tokens and (tokens[-1] in CARD_INDEX or tokens[-1] == "?"):
        cards.append(CARD_INDEX.get(tokens.pop(), NO_CARD))
    return tokens, cards[::-1]


def _verb(tokens: list[str], family: int, cards: list[int]) -> str | None:
    key = _key("".join(tokens))
    if cards and (not tokens or key in _BEFORE_CARD):
        return "play"
    return _WORDS[family].get(key)


def _find(text: str, family: int) -> int:
    """Return `seat << 32 | code` of an event, or `UNKNOWN`."""
    parts = text.split(None, 1)
    if len(parts) < 2 or len(parts[0]) != 1 or parts[0] not in SEATS:
        return UNKNOWN
    seat = int(parts[0]) << SEAT_SHIFT
    what = parts[1].strip()
    if number := _NUMBER.fullmatch(what.casefold()):
        return seat | pack("declare", int(number[1]))
    tokens, cards = _split(what)
    verb = _verb(tokens, family, cards)
    if verb is None or what[0] in "-_":
        return UNKNOWN
    least, most = CARDS_TAKEN.get(verb, (0, 0))
    if not least <= len(cards) <= most or (NO_CARD in cards and verb != "cover"):
        return UNKNOWN
    if verb == "show":
        code = pack_show(cards)
    elif verb == "cover":
        code = pack(verb, cards[0] if cards else NO_CARD)
    elif verb == "play":
        code = pack(verb, cards[0])
    else:
        code = pack(verb, cards[0] + 1 if cards else 0)
    return seat | code


class EventTable(dict[str, int]):
    """Events already read, as `seat << 32 | code`, or -1 for what is no event; a text not met yet is read when asked for.

    >>> table = EventTable(RIO)
    >>> table["1 Quiero retruco"] == 1 << 32 | pack("retruco"), table["1 quierro"]
    (True, -1)
    """

    def __init__(self, family: int) -> None:
        super().__init__()
        self.family = family

    def __missing__(self, text: str) -> int:
        packed = _find(text, self.family)
        if len(text) <= CACHE_TEXT and len(self) < CACHE_LIMIT:
            self[text] = packed
        return packed


EVENT_TABLES: Final = tuple(EventTable(family) for family in range(len(FAMILIES)))


def parse_event(text: str, rules: Rules) -> tuple[int, int]:
    """Return the seat and the event code of an event as a log writes it.

    Raises `NotationError`: UNKNOWN_SEAT, UNKNOWN_CARD or UNKNOWN_EVENT, each with what was meant where that can be guessed.
    A word of another rule set is read all the same: that it is not of this one is for the replay to say.

    >>> from trucostats.rules import rules_of
    >>> argentino = rules_of("argentino")
    >>> parse_event("0 7c", argentino), parse_event("1 Me voy al mazo", argentino)
    ((0, 1152), (1, 12))
    >>> parse_event("0 trucco", argentino)
    Traceback (most recent call last):
        ...
    trucostats.errors.NotationError: no rule set knows 'trucco'; did you mean 'truco'?
    """
    family = family_of(rules)
    packed = EVENT_TABLES[family][text]
    if packed < 0:
        raise NotationError(*event_fault(text, family))
    return packed >> SEAT_SHIFT, packed & CODE_MASK


def canonical_event(text: str, rules: Rules) -> str:
    """Return an event in canonical words; the same errors as `parse_event`.

    >>> from trucostats.rules import rules_of
    >>> canonical_event("1 SON_BUENAS!", rules_of("argentino")), canonical_event("0 aceito", rules_of("paulista"))
    ('1 son-buenas', '0 quiero')
    """
    seat, code = parse_event(text, rules)
    return f"{seat} {event_name(code)}"


def parse_hand(text: str) -> list[int]:
    """Return the cards of a hand, `NO_CARD` for `?`, in the order they are written.

    Raises `NotationError` (UNKNOWN_CARD). How many cards a hand has, and whether one is there twice, is not looked at.

    >>> parse_hand("7c ? 12e")
    [36, 63, 9]
    """
    cards = []
    for token in text.casefold().split():
        card = NO_CARD if token == "?" else CARD_INDEX.get(token)
        if card is None:
            raise NotationError("UNKNOWN_CARD", card_fault(token))
        cards.append(card)
    return cards


def hand_name(cards: Iterable[int]) -> str:
    """Return a hand as it is written; the inverse of `parse_hand`."""
    return " ".join("?" if card == NO_CARD else CARDS[card] for card in cards)


def card_fault(token: str) -> str:
    """Say why a token is no card, and which card may have been meant."""
    shown = shorten(token)
    if french := _FRENCH.fullmatch(token.casefold()):
        rank, suit = french.groups()
        if rank.isdigit():
            meant = f"{rank}{_FRENCH_SUITS[suit]}"
            hint = f"; did you mean {meant!r}?" if meant in CARD_INDEX else f"; there is no {rank} in this deck"
            return f"there is no card {shown}: French suits are written spades e, hearts c, diamonds o, clubs b{hint}"
        return (
            f"there is no card {shown}: French letters are not read, because Q is 11 in Argentine decks and 10 in Brazilian "
            "ones; write rank 1 2 3 4 5 6 7 10 11 12 and suit e b o c"
        )
    if named := _SUIT_NAME.fullmatch(_key(token)):
        meant = named[1] + named[2].replace("p", "b")
        return f"there is no card {shown}" + (f"; did you mean {meant!r}?" if meant in CARD_INDEX else "")
    apart = re.split(r"[,;/+-]+", token)
    if len(apart) > 1 and all(part in CARD_INDEX for part in apart):
        return f"there is no card {shown}; cards are written with spaces between: {shorten(' '.join(apart))}"
    return f"there is no card {shown}; a card is a rank 1 2 3 4 5 6 7 10 11 12 and a suit e b o c"


@lru_cache(maxsize=4096)
def event_fault(text: str, family: int) -> tuple[str, str]:
    """Return the code and the message for a text that is no event."""
    parts = text.split(None, 1)
    shown = shorten(text)
    if parts and parts[0].lstrip("+-").isdecimal() and (len(parts[0]) > 1 or parts[0] not in SEATS):
        return (
            "UNKNOWN_SEAT",
            f"there is no seat {shorten(parts[0], quote=False)} in {shown}; seats count from 0 to {SEATS[-1]}",
        )
    if len(parts) < 2 or parts[0] not in SEATS:
        return (
            "UNKNOWN_EVENT",
            f"{shown} names no seat or nothing done; an event is a seat and what it does, as in '0 truco'",
        )
    tokens, cards = _split(parts[1])
    what = shorten(parts[1])
    if tokens and _CARD_LIKE.fullmatch(tokens[-1]) and (len(tokens) == 1 or _verb(tokens[:-1], family, [NO_CARD])):
        return "UNKNOWN_CARD", card_fault(tokens[-1])
    if _SUIT_NAME.fullmatch(_key("".join(tokens))):
        return "UNKNOWN_CARD", card_fault(parts[1])
    verb = _verb(tokens, family, cards)
    if verb is None or parts[1][0] in "-_":
        return "UNKNOWN_EVENT", f"no rule set knows {what}{_meant(parts[1], family)}"
    if NO_CARD in cards:
        return "UNKNOWN_EVENT", f"{what} names no card; only a covered card may stay unknown, written 'cover'"
    least, most = CARDS_TAKEN.get(verb, (0, 0))
    takes = "no card" if most == 0 else "one card" if most == least else f"{least} to {most} cards"
    return (
        "UNKNOWN_EVENT",
        f"{what} has {len(cards)} cards, but {verb!r} takes {takes}; write one event for each thing done",
    )


def _meant(what: str, family: int) -> str:
    key = _key(what)[:CACHE_TEXT]
    # Only words of about this length can be near; to compare with all of them takes milliseconds.
    words = {
        word: verb
        for word, verb in _WORDS[family].items()
        if abs(len(word) - len(key)) <= 2 and verb != word[-len(verb) :]
    }
    words |= {word: word for word in (*VERBS, *CARDS) if word not in ("play", "declare")}
    # "canto envido": a word that is one, with more around it.
    near = [part for part in key.split() if part in words][-1:]
    near = near or difflib.get_close_matches(key, list(words), n=1, cutoff=0.7)
    return f"; did you mean {words[near[0]]!r}?" if near else "; the words are in the notation"


def shorten(text: str, quote: bool = True, limit: int = 60) -> str:
    """Return a text of a log for a message: quoted, and cut where it is long."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(cut) if quote else cut
