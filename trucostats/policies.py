"""Players for simulated games, and the loop that lets them play: who acts, what he chooses, seeded and alike on every platform.

Which events are possible is asked of the kernel (`legal`, `check_card`); a policy only chooses among them.
"""

from __future__ import annotations

from typing import Any, Final

from trucostats.chance import happens, pick_bit
from trucostats.kernel.check import check_card, waiting
from trucostats.kernel.envido import envido_worth
from trucostats.kernel.jit import jit
from trucostats.kernel.params import STRENGTH
from trucostats.kernel.state import (
    ACCEPT,
    AL_RESTO,
    BUENAS,
    CONTRAFLOR,
    COVER,
    DECLARE,
    DECLINE,
    ENVIDO,
    ENVIDO_CALL,
    FALTA,
    FLOR,
    FLOR_CALL,
    MAZO,
    N_VERBS,
    NO_QUIERO,
    NOBODY,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    REAL,
    TIE,
    TRUCO_CALL,
    has,
    may_hold,
    team,
)

POLICIES: Final[dict[str, str]] = {
    "random": "chooses uniformly a seat that may act, then one of its legal verbs, then a card; numbers are true.",
    "plain": "plays by strength: calls, accepts and raises above thresholds, bluffs now and then, wins tricks as cheaply as it can.",
    "envido": "opens the envido with the first word whenever it may, accepts every call, never raises, never calls truco; plays any card.",
    "cards": "makes no calls at all, accepts what it is called, and plays any card.",
}
A_RANDOM, A_PLAIN, AN_ENVIDO, A_CARDS = range(len(POLICIES))
# Before a flor or an envido that wins the game is settled, there may be words left to say but no card to play.
SILENT: Final = -1
ENVIDO_WORDS: Final = 7 << ENVIDO
FLOR_WORDS: Final = 7 << FLOR
RAISE_WORDS: Final = ((1 << (N_VERBS - RAISE)) - 1) << RAISE
BETS: Final = ENVIDO_WORDS | FLOR_WORDS | RAISE_WORDS


@jit
def fill_powers(c: Any, powers: Any) -> None:
    """Write for each card the share, in percent, of the other cards that it beats, a tie counted half."""
    for card in range(40):
        halves = 0
        for other in range(40):
            if other != card:
                if c[STRENGTH, card] > c[STRENGTH, other]:
                    halves += 2
                elif c[STRENGTH, card] == c[STRENGTH, other]:
                    halves += 1
        powers[card] = halves * 50 // 39


@jit
def playable(s: Any, r: Any, seat: int, verb: int) -> int:
    """Return the set of cards that a seat may play or cover, turn and pending calls apart."""
    cards = 0
    for card in range(40):
        if may_hold(s, seat, card) and check_card(s, r, seat, verb, card) == OK:
            cards |= 1 << card
    return cards


@jit
def true_words(s: Any, seat: int, verbs: int) -> int:
    """Take out of a set of verbs the number of a hand that has none."""
    return verbs & ~(1 << DECLARE) if s.value[seat] < 0 else verbs


@jit
def outlook(s: Any, c: Any, powers: Any, seat: int) -> int:
    """Return how likely, roughly and in percent, the seat's cards are to win the hand for its side."""
    cards = s.dealt[seat] if s.trick == 0 else s.held[seat]
    laid = 0
    if s.trick > 0 and has(s.played, seat) and s.best_seat == seat:
        for card in range(40):
            if (s.dealt[seat] >> card) & 1 and c[STRENGTH, card] == s.best:
                laid = max(laid, powers[card])
    high = 0
    low = 0
    high_strength = -1
    for card in range(40):
        if (cards >> card) & 1:
            if powers[card] > high:
                low = high
                high = powers[card]
                high_strength = c[STRENGTH, card]
            elif powers[card] > low:
                low = powers[card]
    if s.trick == 0:
        if s.dealt_each == 1:
            return high
        return min(max(high + low - 75, 3), 97)
    if laid > high:
        low = high
        high = laid
    elif laid > low:
        low = laid
    first = s.results[0]
    won = first == team(seat)
    facing = s.best >= 0 and not has(s.played, seat) and s.best_sides != 1 << team(seat)
    if s.trick == 2 or first == TIE:
        if facing:
            if high_strength == s.best:
                return 98 if won else (50 if first == TIE else 1)
            return 99 if high_strength > s.best else 1
        return high
    if won:
        if facing and high_strength >= s.best:
            return 98
        return low if facing else 100 - (100 - high) * (100 - low) // 100
    if facing:
        return low if high_strength > s.best else 1
    return high * low // 100


@jit
def choose_card(s: Any, r: Any, c: Any, powers: Any, rng: Any, seat: int) -> int:
    """Return the card that a plain player plays: the cheapest that wins, else one that ties, else the weakest."""
    cards = playable(s, r, seat, PLAY)
    weakest = -1
    strongest = -1
    winning = -1
    tying = -1
    for card in range(40):
        if not (cards >> card) & 1:
            continue
        strength = c[STRENGTH, card]
        if weakest < 0 or strength < c[STRENGTH, weakest]:
            weakest = card
        if strongest < 0 or strength > c[STRENGTH, strongest]:
            strongest = card
        if strength > s.best and (winning < 0 or strength < c[STRENGTH, winning]):
            winning = card
        if strength == s.best:
            tying = card
    if s.played == 0:
        if s.results[0] == TIE or s.trick == 0:
            return strongest if s.results[0] == TIE or happens(rng, 70) else weakest
        return weakest if s.results[0] == team(seat) and happens(rng, 60) else strongest
    if s.best_sides == 1 << team(seat):
        return weakest
    if tying >= 0 and (s.results[0] == team(seat) or (s.trick == 0 and powers[strongest] > 85)):
        return tying
    if winning >= 0:
        return winning
    return tying if tying >= 0 and s.trick == 0 else weakest


@jit
def envido_word(s: Any, rng: Any, verbs: int, value: int, wanted: int) -> int:
    """Return the envido word for a value that may call one, or -1: the dearer, the better the value."""
    if value < wanted:
        return -1
    if (verbs >> FALTA) & 1 and value >= 32 and happens(rng, 25):
        return FALTA
    if (verbs >> REAL) & 1 and value >= 30 and happens(rng, 45):
        return REAL
    if (verbs >> ENVIDO) & 1:
        return ENVIDO
    return REAL if (verbs >> REAL) & 1 and value >= 31 else -1


@jit
def raise_of(s: Any, r: Any, c: Any, powers: Any, rng: Any, seat: int, verbs: int) -> int:
    """Return the code of the legal raise, now and then with a card put forward where the rules know that."""
    verb = RAISE
    while not (verbs >> verb) & 1:
        verb += 1
    if r.commit and s.trick < 2 and not has(s.played, seat) and happens(rng, 25):
        card = choose_card(s, r, c, powers, rng, seat)
        if card >= 0:
            return verb | ((card + 1) << 5)
    return verb


@jit
def answer_envido(s: Any, r: Any, rng: Any, seat: int, verbs: int) -> int:
    """Answer an envido call by the value of the hand and the price."""
    value = s.value[seat] + (1 if seat == s.mano else 0)
    price = envido_worth(s, r, 1 - team(seat)) if s.n_falta == 0 else 9
    wanted = 25 + min(price, 9) // 2
    if verbs & ENVIDO_WORDS and (value >= 30 or happens(rng, 2)):
        word = envido_word(s, rng, verbs, value, min(wanted + 3, 31))
        if word >= 0 and happens(rng, 60):
            return word
    rival = s.score[1 - team(seat)]
    # A refusal that loses the game costs nothing more by accepting.
    if value >= wanted or rival + s.envido_before >= r.target or happens(rng, 5):
        return QUIERO
    return NO_QUIERO


@jit
def plain(s: Any, r: Any, c: Any, powers: Any, rng: Any, seat: int, verbs: int) -> int:
    """Return the event code that the policy `plain` chooses; see `POLICIES`."""
    value = s.value[seat]
    family = waiting(s)
    if verbs & (1 << DECLARE | 1 << BUENAS):
        beaten = s.best_speaker != NOBODY and value <= s.spoken[s.best_speaker]
        if (verbs >> DECLARE) & 1 and not (beaten and happens(rng, 85)):
            return DECLARE | (value << 5)
        if (verbs >> BUENAS) & 1:
            return BUENAS
    chance = outlook(s, c, powers, seat)
    if (verbs >> ACCEPT) & 1:
        return ACCEPT if chance >= 40 or happens(rng, 15) else DECLINE
    if verbs & FLOR_WORDS and s.flor_value[seat] >= 0:
        if family != FLOR_CALL and (verbs >> CONTRAFLOR) & 1 and s.flor_value[seat] >= 31 and happens(rng, 50):
            return CONTRAFLOR
        if (verbs >> AL_RESTO) & 1 and s.flor_value[seat] >= 34 and happens(rng, 40):
            return AL_RESTO
        if (verbs >> FLOR) & 1:
            return FLOR
    if family == FLOR_CALL:
        return QUIERO if s.flor_value[seat] >= 29 else NO_QUIERO
    if family == ENVIDO_CALL:
        return answer_envido(s, r, rng, seat, verbs)
    bonus = 1 if seat == s.mano else 0
    if verbs & ENVIDO_WORDS:
        wanted = 27
        if happens(rng, 30):
            wanted = 24
        if happens(rng, 6):
            wanted = 0
        word = envido_word(s, rng, verbs, value + bonus, wanted)
        if word >= 0 and happens(rng, 85):
            return word
    if verbs & RAISE_WORDS:
        wanted = 72 + 6 * s.level + (14 if family == TRUCO_CALL else 0) - (6 if s.trick > 0 else 0)
        if (chance >= wanted and happens(rng, 65)) or (chance < 30 and happens(rng, 4)):
            return raise_of(s, r, c, powers, rng, seat, verbs)
    if family == TRUCO_CALL:
        hopeless = s.score[1 - team(seat)] + r.worth[s.level] >= r.target
        if chance >= 42 + 4 * s.pending or hopeless or happens(rng, 6):
            if (verbs >> PLAY) & 1 and happens(rng, 50):
                return PLAY | (choose_card(s, r, c, powers, rng, seat) << 5)
            return QUIERO
        return MAZO if (verbs >> MAZO) & 1 and happens(rng, 8) else NO_QUIERO
    if (verbs >> MAZO) & 1 and s.trick > 0 and chance < 4 and happens(rng, 25):
        return MAZO
    if not (verbs >> PLAY) & 1:
        return SILENT
    card = choose_card(s, r, c, powers, rng, seat)
    if (verbs >> COVER) & 1 and s.played and c[STRENGTH, card] < s.best and happens(rng, 40):
        return COVER | (card << 5)
    return PLAY | (card << 5)


@jit
def any_choice(s: Any, r: Any, rng: Any, seat: int, verbs: int) -> int:
    """Return one of the legal events of a seat: a verb, then a card, each as likely."""
    verb = pick_bit(rng, verbs)
    if verb == PLAY or verb == COVER:
        return verb | (pick_bit(rng, playable(s, r, seat, verb)) << 5)
    if verb == DECLARE:
        return verb | (s.value[seat] << 5)
    if verb >= RAISE and r.commit and s.special == NOBODY and happens(rng, 30):
        free = 0
        for card in range(40):
            if check_card(s, r, seat, verb, card + 1) == OK:
                free |= 1 << card
        if free:
            return verb | ((pick_bit(rng, free) + 1) << 5)
    return verb


@jit
def quiet(s: Any, r: Any, rng: Any, seat: int, verbs: int, opens: bool) -> int:
    """Return what a player chooses who calls nothing but, if he `opens`, the envido with the first word, and a flor he holds."""
    if verbs & (1 << DECLARE | 1 << BUENAS):
        return DECLARE | (s.value[seat] << 5) if (verbs >> DECLARE) & 1 else BUENAS
    if (verbs >> ACCEPT) & 1:
        return ACCEPT
    if (verbs >> QUIERO) & 1:
        return QUIERO
    if opens and (verbs >> FLOR) & 1 and s.flor_value[seat] >= 0:
        return FLOR
    if opens and (verbs >> ENVIDO) & 1:
        return ENVIDO
    if not (verbs >> PLAY) & 1:
        return SILENT
    return PLAY | (pick_bit(rng, playable(s, r, seat, PLAY)) << 5)


@jit
def choose(s: Any, r: Any, c: Any, powers: Any, rng: Any, policy: int, seat: int, verbs: int) -> int:
    """Return the event code that a policy chooses among the legal verbs of a seat, or `SILENT` if it wants none of them."""
    if policy == A_RANDOM:
        return any_choice(s, r, rng, seat, verbs)
    if policy == A_PLAIN:
        return plain(s, r, c, powers, rng, seat, verbs)
    return quiet(s, r, rng, seat, verbs, policy == AN_ENVIDO)
