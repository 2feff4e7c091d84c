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
    "play": "juego, juega, jogo, joga, jugo, juga, tiro, tira",
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
# A raise said as the answer accepts first, and the acceptance is part of the raise.
BEFORE_RAISE: Final = ("quiero", "quiero y", "acepto y", "quero", "quero e", "aceito e", "vull", "vull i", "pido", "peço", "canto")
BEFORE_NUMBER: Final = ("tengo", "tenho", "tinc", "digo", "canto")
# Words that mean something only where a side decides on a special hand; elsewhere they would hide a slip.
FAMILY_ALIASES: Final[dict[int, dict[str, str]]] = {
    RIO: {},
    BRAZIL: {"accept-hand": "jogo, jogamos, jogar, juego", "decline-hand": "passo, passamos, passar, paso"},
    CATALONIA: {"accept-hand": "jugo, juguem, jugar, juego", "decline-hand": "passo, passem, passar, paso"},
}

_SEPARATORS: Final = re.compile(r"[\s_\-]+")
_NUMBER: Final = re.compile(rf"(?:{'|'.join(BEFORE_NUMBER)})?([0-9]{{1,2}})")
_CARD_LIKE: Final = re.compile(r"[0-9]{1,3}[^\W\d_]|[0-9ajqk]{1,2}[shdc♠♣♥♦]")
_FRENCH: Final = re.compile(r"(?:[ajqk]|[2-9]|10)[shdc♠♣♥♦]")
_SUIT_NAME: Final = re.compile(r"([0-9]{1,2})(?:de)?(e|b|o|c|p)[a-z]{2,7}")


def _key(text: str) -> str:
    """Reduce a word to what matters: no capitals, accents, separators or punctuation."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())


def _table(family: int) -> dict[str, str]:
    table = {}
    for aliases in (ALIASES, FAMILY_ALIASES[family]):
        for verb, words in aliases.items():
            table |= {_key(word): verb for word in words.split(",")}
    for verb in RAISES:
        for word in [key for key, meant in table.items() if meant == verb] + [verb]:
            table |= {_key(before + word): verb for before in BEFORE_RAISE}
    return table | {_key(verb): verb for verb in VERBS if verb != "declare"}


_WORDS: Final = tuple(_table(family) for family in range(len(FAMILIES)))


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


def _split(what: str) -> tuple[str, list[str], list[int], bool]:
    """Return the key of the word, its tokens, the cards behind it, and whether a `?` stands for a card."""
    tokens = [token for token in _SEPARATORS.split(what.casefold()) if token]
    cards: list[int] = []
    while tokens and tokens[-1] in CARD_INDEX:
        cards.append(CARD_INDEX[tokens.pop()])
    unknown = len(tokens) > 1 and tokens[-1] == "?"
    if unknown:
        tokens.pop()
    return _key("".join(tokens)), tokens, cards[::-1], unknown


def _find(text: str, family: int) -> int:
    """Return `seat << 32 | code` of an event, or `UNKNOWN`."""
    parts = text.split(None, 1)
    if len(parts) < 2 or len(parts[0]) != 1 or parts[0] not in SEATS:
        return UNKNOWN
    key, tokens, cards, unknown = _split(parts[1])
    verb = _WORDS[family].get(key) if tokens else "play"
    if verb is None:
        number = _NUMBER.fullmatch(key)
        verb = "declare" if number else ""
    if unknown and verb != "cover" or cards and unknown:
        return UNKNOWN
    count = len(cards)
    if verb == "play" and count == 1:
        code = pack("play", cards[0])
    elif verb == "play" and not count and tokens and family != RIO:
        return UNKNOWN
    elif verb == "cover" and count <= 1:
        code = pack("cover", cards[0] if cards else NO_CARD)
    elif verb == "show" and 1 <= count <= SHOWN_LIMIT:
        code = pack_show(cards)
    elif verb in RAISES and count <= 1:
        code = pack(verb, cards[0] + 1 if cards else 0)
    elif verb == "declare" and not count and number:
        code = pack("declare", int(number[1]))
    elif verb and verb not in ("play", "show", "declare", "cover") and not count:
        code = pack(verb)
    else:
        return UNKNOWN
    return int(parts[0]) << SEAT_SHIFT | code
