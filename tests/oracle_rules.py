"""Rule data, cards and numbers for the test oracle: strings, lists and dicts only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

RULE_SETS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "cases" / "rule_sets.json").read_text(encoding="utf-8")
)
IDS = ["truc", "argentino", "rioplatense", "brasileiro", "uruguayo", "paulista", "mineiro", "gaucho"]

RANKS = ["1", "2", "3", "4", "5", "6", "7", "10", "11", "12"]
DECK = [rank + suit for suit in "eboc" for rank in RANKS]
IN_DECK = frozenset(DECK)

RAISES = ["truco", "retruco", "vale-cuatro", "truc", "retruc", "seis", "nove", "dez", "doze"]
ENVIDOS = ["envido", "real-envido", "falta-envido"]
FLORES = ["flor", "contraflor", "contraflor-al-resto"]
PLAIN = ["quiero", "no-quiero", "mazo", "accept-hand", "decline-hand", "ask-count", "son-buenas"]

# Options that the data file leaves out because every rule set has the same value.
DEFAULTS: dict[str, Any] = {
    "refusal": "first_answer",
    "caller_may_play": True,
    "after_card_window": "until_next_act",
    "envido_resolution": "spoken",
    "proof": "not_required",
    "flor_unannounced": "warn",
    "pica_policy": "alternate_until_target_minus_5",
    "covered_by": "any",
    "cover_after_tie": True,
    "partner_lead": "first",
    "third_tied": "first_trick",
    "mazo_timing": "turn",
    "both_special_value": "hand_value",
    "resto_adds_flores": False,
    "resto_refused": "as_contraflor",
    "score_cap": False,
    "commit": False,
    "misdeal": False,
    "one_card": False,
    "succession": "natural_french",
}

NATURAL = ["1", "2", "3", "4", "5", "6", "7", "11", "10", "12"]
TRUCO_ORDER = ["4", "5", "6", "7", "10", "11", "12", "1", "2", "3"]
PIEZAS = {"2": 30, "4": 29, "5": 28, "11": 27, "10": 27}


def rules_of(spec: str | dict[str, Any]) -> dict[str, Any]:
    """The merged options of a rule set's name or of a base with overrides."""
    given = {"base": spec} if isinstance(spec, str) else dict(spec)
    base = given.pop("base")
    merged = {**DEFAULTS, **RULE_SETS[base], "base": base}
    if base == "brasileiro":
        if given.get("manilhas", "fixed") != "fixed":
            merged.update(RULE_SETS[f"brasileiro manilhas={given['manilhas']}"])
        if given.get("scale", "1-3-6-9") != "1-3-6-9":
            scaled = RULE_SETS[f"brasileiro scale={given['scale']}"]
            for key in ("hand_value", "ladder", "special_hand"):
                merged[key] = scaled[key]
    for key, value in given.items():
        if key == "special_hand" and isinstance(value, dict):
            merged[key] = {**(merged[key] or {}), **value}
        else:
            merged[key] = value
    return merged


def turns_a_card(rules: dict[str, Any]) -> bool:
    """True where the rules turn a card (vira or muestra)."""
    return not rules.get("order_strong_to_weak")


def suit_of(card: str) -> str:
    """The suit letter."""
    return card[-1]


def face(card: str) -> int:
    """What the card counts in envido and flor."""
    rank = int(card[:-1])
    return rank if rank <= 7 else 0


def piezas_of(rules: dict[str, Any], turned: str | None) -> dict[str, int]:
    """The promoted cards of the turned suit and their numbers; empty where there are none."""
    if rules["base"] != "uruguayo" or not turned:
        return {}
    found = {}
    for rank, value in PIEZAS.items():
        card = rank + suit_of(turned)
        found["12" + suit_of(turned) if card == turned else card] = value
    return found


def order_of(rules: dict[str, Any], turned: str | None) -> list[list[str]]:
    """All cards, strongest group first."""
    if not turns_a_card(rules):
        return [group.split() for group in rules["order_strong_to_weak"]]
    if rules["base"] == "uruguayo":
        promoted = sorted(piezas_of(rules, turned), key=lambda card: -_place(card, turned or ""))
        groups = [[card] for card in promoted]
        for group in RULE_SETS["argentino"]["order_strong_to_weak"]:
            groups.append([card for card in group.split() if card not in promoted])
        return groups
    line = NATURAL if rules["succession"] == "natural_french" else TRUCO_ORDER
    top = line[(line.index(turned[:-1]) + 1) % 10] if turned else ""
    groups = [[top + suit] for suit in "bceo"] if top else []
    for rank in reversed(TRUCO_ORDER):
        if rank != top:
            groups.append([rank + suit for suit in "bceo"])
    return groups


def _place(card: str, turned: str) -> int:
    ladder = ["10", "11", "5", "4", "2"]
    rank = card[:-1]
    return ladder.index(turned[:-1] if rank == "12" else rank)


def strengths(rules: dict[str, Any], turned: str | None) -> dict[str, int]:
    """Card to strength: a higher number wins."""
    groups = order_of(rules, turned)
    return {card: len(groups) - place for place, group in enumerate(groups) for card in group}


def envido_value(cards: Iterable[str], piezas: dict[str, int]) -> int | None:
    """The envido number of a whole hand; null with two piezas or no card."""
    hand = list(cards)
    promoted = [card for card in hand if card in piezas]
    if not hand or len(promoted) > 1:
        return None
    if promoted:
        return piezas[promoted[0]] + max([face(card) for card in hand if card not in piezas], default=0)
    best = max(face(card) for card in hand)
    for one, two in combinations(hand, 2):
        if suit_of(one) == suit_of(two):
            best = max(best, 20 + face(one) + face(two))
    return best


def flor_value(cards: Iterable[str], piezas: dict[str, int]) -> int | None:
    """The flor's number, or null where the three cards are no flor."""
    hand = list(cards)
    if len(hand) != 3:
        return None
    promoted = sorted((piezas[card] for card in hand if card in piezas), reverse=True)
    rest = [card for card in hand if card not in piezas]
    if len(promoted) < 2 and len({suit_of(card) for card in rest}) != 1:
        return None
    points = sum(face(card) for card in rest)
    if not promoted:
        return 20 + points
    return promoted[0] + sum(value % 10 for value in promoted[1:]) + points


@lru_cache(maxsize=4096)
def _numbers(
    known: frozenset[str], missing: int, unseen: frozenset[str], piezas: tuple[tuple[str, int], ...]
) -> set[int]:
    promoted = dict(piezas)
    return {
        number
        for more in combinations(sorted(unseen), missing)
        if (number := envido_value([*known, *more], promoted)) is not None
    }


def feasible_numbers(known: list[str], missing: int, unseen: frozenset[str], piezas: dict[str, int]) -> set[int]:
    """Every envido number that some completion of the hand has."""
    return _numbers(frozenset(known), missing, unseen, tuple(sorted(piezas.items())))


def feasible_flor(known: list[str], missing: int, unseen: frozenset[str], piezas: dict[str, int]) -> bool:
    """True if some completion of the hand is a flor."""
    if missing == 0:
        return flor_value(known, piezas) is not None
    return any(flor_value([*known, *more], piezas) is not None for more in combinations(sorted(unseen), missing))


def next_format(rules: str | dict[str, Any], score: list[int], previous_format: str | None) -> str:
    """Six players: the format of the next deal."""
    options = rules_of(rules)
    if previous_format != "redonda":
        return "redonda"
    policy, target = options["pica_policy"], options["target"]
    low, high = min(score), max(score)
    allowed = {
        "alternate_until_target_minus_5": high < target - 5,
        "alternate_always": True,
        "leader_5_to_24": 5 <= high < 25,
        "both_between_5_and_25": low >= 5 and high < 25,
        "until_half": high < target // 2,
    }[policy]
    return "pica-pica" if allowed else "redonda"


def match_winner(series: str, games: list[int | None]) -> int | None:
    """The winner of a series, or null while undecided."""
    wins, ties = [0, 0], 0
    for winner in games:
        if winner is None:
            ties += 1
        else:
            wins[winner] += 1
        for side in (0, 1):
            if wins[side] == 2 or (series == "queda" and wins[side] == 1 and wins[1 - side] == 0 and ties == 2):
                return side
    return None
