"""The options of a rule set: what each may be, what it means, where it comes from.

A rule set is a choice of values for these options and nothing else. The same table checks the values of the shipped
rule sets, of records that override them, and of house-rule files, and the rule pages are generated from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trucostats.errors import RulesError, did_you_mean
from trucostats.vocab import CARD_INDEX, RAISES


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its default, the values it may take, its meaning and its source.

    `choices` lists the allowed words; `bounds` the allowed numbers; None in `choices` allows null.
    """

    default: Any
    meaning: str
    source: str
    choices: tuple[Any, ...] = ()
    bounds: tuple[int, int] | None = None
    nullable: bool = False


def _yes_no(default: bool, meaning: str, source: str) -> Option:
    return Option(default, meaning, source, choices=(False, True))


def _number(default: int | None, low: int, high: int, meaning: str, source: str, nullable: bool = False) -> Option:
    return Option(default, meaning, source, bounds=(low, high), nullable=nullable)


def _word(meaning: str, source: str, *choices: str) -> Option:
    return Option(choices[0], meaning, source, choices=choices)


ARGENTINE_ORDER: Final = (
    "1e", "1b", "7e", "7o", "3b 3c 3e 3o", "2b 2c 2e 2o", "1c 1o", "12b 12c 12e 12o", "11b 11c 11e 11o",
    "10b 10c 10e 10o", "7b 7c", "6b 6c 6e 6o", "5b 5c 5e 5o", "4b 4c 4e 4o",
)  # fmt: skip
SPECIAL_KEYS: Final[dict[str, tuple[Any, ...]]] = {
    "at": (1, 100),
    "scope": ("eq", "ge"),
    "value": (1, 100),
    "pass_value": (0, 100),
    "on_bet": ("illegal", "bettor_loses_hand", "literal_ten_pair_loses", "bettor_loses_game"),
}

# The defaults are those of `argentino`.
OPTIONS: Final[dict[str, Option]] = {
    "players": Option((2, 4, 6), "numbers of players the rules allow", "A.2.1"),
    "target": _number(30, 1, 100, "points that win the game", "A.2.1"),
    "hand_value": _number(1, 1, 12, "points of a hand without a call", "A.2.1"),
    "ladder": Option(
        (("truco", 2), ("retruco", 3), ("vale-cuatro", 4)), "the raises in order, each with its value when accepted", "A.2.2"
    ),
    "order_strong_to_weak": Option(ARGENTINE_ORDER, "cards from the strongest to the weakest; a group is equal", "A.2.1"),
    "turned_card": Option(
        None, "what a turned card does: manilha (the next rank) or muestra (piezas of its suit)", "A.4.2, A.5",
        choices=(None, "manilha", "muestra"),
    ),
    "succession": _word("which rank follows the turned card", "A.4.2", "natural_french", "truco_order"),
    "truco_timing": _word(
        "when truco may be called: on one's turn before the card, also right after it, or at any time", "A.6 #4",
        "turn_before", "turn_any", "any_time",
    ),
    "accept_by_play": _yes_no(False, "playing a card accepts the call", "A.1"),
    "caller_may_play": _yes_no(True, "with accept_by_play, the caller may play while his call is open", "A.1"),
    "after_card_window": _word(
        "with turn_any, until when one may call after one's card", "A.1", "until_next_act", "while_trick_open", "until_trick_ends"
    ),
    "reply_by": _word("who of the other side may answer", "A.2.2", "any", "pie", "next_player"),
    "refusal": _word("whether one refusal is enough", "A.2.2", "first_answer", "all_partners"),
    "envido": _yes_no(True, "the envido is played", "A.2.3"),
    "max_envido": _number(2, 1, 98, "how many plain envidos; null is unlimited", "A.2.5", nullable=True),
    "real_once": _yes_no(True, "real envido may be called once only", "A.2.5"),
    "allow_self_raise": _yes_no(False, "a side may raise its own envido", "A.3"),
    "envido_caller": _word("who may open the envido", "A.2.4", "any", "pie"),
    "envido_window": _word("until when one may open it", "A.2.4", "before_own_first_card", "first_trick"),
    "envido_over_truco": _word("what an envido does to a truco that waits", "A.2.8", "suspend", "cancel"),
    "envido_declaration": _word("who says a number", "A.2.7", "all_in_turn", "rival_must_beat"),
    "envido_resolution": _word("whether a concession binds", "A.2.7", "spoken", "cards"),
    "falta": _word(
        "what an accepted falta envido is worth", "A.2.6",
        "leader_to_target", "win_game", "malas_game", "half_then_target", "winner_to_half",
    ),
    "falta_stack": _word("whether a falta replaces the calls before it", "A.2.5", "replace", "add"),
    "pica_falta": _number(None, 1, 100, "fixed worth of a falta inside a pica-pica duel", "A.2.6", nullable=True),
    "proof": _word("whether the winning number must be shown", "A.2.7", "not_required", "required", "forfeit"),
    "flor": _yes_no(False, "the flor is played", "A.2.10"),
    "flor_points": _word(
        "what plain flores are worth", "A.2.10",
        "best_takes_3", "best_takes_3_each", "own_flors_3_each", "con_flor_quiero_4",
    ),
    "resto_adds_flores": _yes_no(False, "an accepted contraflor al resto adds 3 for each flor announced", "A.2.10"),
    "resto_refused": _word(
        "what a contraflor al resto refused straight over a flor pays: 4, or the 3 of a flor", "A.2.10", "as_contraflor", "as_flor"
    ),
    "flor_unannounced": _word("what an unannounced flor costs", "A.2.10", "warn", "rival_3"),
    "mazo_scope": _word("who leaves with a mazo", "A.2.8", "player", "team"),
    "mazo_envido": _word("a mazo while an envido waits", "A.2.8", "counts_as_refusal", "forbidden"),
    "mazo_timing": _word("when one may leave with no call waiting", "A.2.8", "turn", "any_time"),
    "mazo_early_extra": _yes_no(False, "one point more for leaving before any call in the first trick", "A.2.8"),
    "score_cap": _yes_no(False, "a score stops at the target", "A.0.2"),
    "score_timing": _word("whether the game ends at once or after the hand", "A.2.8", "immediate", "end_of_hand"),
    "all_tied": _word("who wins a hand of tied tricks", "A.0.2", "mano", "void", "non_dealer"),
    "third_tied": _word("who wins a hand of one trick each and a tied third", "A.0.2", "first_trick", "void"),
    "partner_lead": _word("which of two partners with equal winning cards leads", "A.0.2", "first", "last"),
    "tie_leader": _word("who leads after a tied trick", "A.0.2", "same", "first_to_tie"),
    "covered_from": _number(None, 1, 3, "first trick in which a card may be covered", "A.4.1", nullable=True),
    "covered_by": _word("who may cover a card", "A.4.1", "any", "leader_only"),
    "cover_after_tie": _yes_no(True, "a card may be covered after a tied trick", "A.4.1"),
    "commit": _yes_no(False, "a card may be put forward with a call", "A.4.1"),
    "misdeal": _yes_no(False, "the rules of an extra card apply", "A.4.1"),
    "one_card": _yes_no(False, "the one-card deal exists", "A.1"),
    "both_special_value": _word(
        "what a hand with both sides on the special score is worth", "A.1, A.7.1 #11", "hand_value", "special_value"
    ),
    "special_hand": Option(None, "the hand of ten or eleven", "A.1, A.4.1", nullable=True),
    "pica_policy": _word(
        "when six players play pica-pica", "A.2.9",
        "alternate_until_target_minus_5", "alternate_always", "leader_5_to_24", "both_between_5_and_25", "until_half",
    ),
    "court_cards": Option(("sota/J", "caballo/Q", "rey/K"), "what 10, 11 and 12 are called", "A.0.1"),
    "evidence": Option("", "what the rule set rests on", "A.0.3"),
}  # fmt: skip


# Options that do nothing unless another is on, or has the value named.
NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "envido": (
        "max_envido", "real_once", "allow_self_raise", "envido_caller", "envido_window", "envido_declaration", "envido_resolution",
        "falta", "falta_stack", "proof", "mazo_envido",
    ),
    "flor": ("flor_points", "resto_adds_flores", "resto_refused", "flor_unannounced"),
    "turned_card": ("succession",),
    "accept_by_play": ("caller_may_play",),
    "covered_from": ("covered_by", "cover_after_tie"),
    "special_hand": ("both_special_value",),
}  # fmt: skip


def idle(rules: Any) -> set[str]:
    """Return the options that do nothing in a rule set, whatever they say.

    >>> from trucostats.rules import rules_of
    >>> sorted(idle(rules_of("rioplatense")))[:3], "falta" in idle(rules_of("truc"))
    (['after_card_window', 'both_special_value', 'caller_may_play'], True)
    """
    found = {name for key, names in NEEDS.items() if not getattr(rules, key) for name in names}
    if not (rules.envido or rules.flor):
        found.add("envido_over_truco")
    if rules.truco_timing != "turn_any":
        found.add("after_card_window")
    if 6 not in rules.players:
        found |= {"pica_policy", "pica_falta"}
    return found


def check_option(name: str, value: Any) -> Any:
    """Return the value of an option in its stored form, or raise `RulesError` naming the option and its allowed values.

    >>> check_option("max_envido", 99) is None
    True
    """
    option = OPTIONS.get(name)
    if option is None:
        raise RulesError(f"there is no rule option {name!r}{did_you_mean(name, OPTIONS)}")
    if name in _SHAPED:
        return _SHAPED[name](value)
    if name == "max_envido" and value == 99:
        return None
    if value is None and (option.nullable or None in option.choices):
        return None
    if option.choices:
        for choice in option.choices:
            if value == choice and type(value) is type(choice):
                return value
        allowed = ", ".join(
            "null" if c is None else str(c).lower() if isinstance(c, bool) else c for c in option.choices
        )
        raise RulesError(f"rule option {name!r} is {value!r}; it may be {allowed}{did_you_mean(value, option.choices)}")
    if option.bounds:
        low, high = option.bounds
        if type(value) is not int or not low <= value <= high:
            raise RulesError(
                f"rule option {name!r} is {value!r}; it may be {low} to {high}" + " or null" * option.nullable
            )
        return value
    if not isinstance(value, str):
        raise RulesError(f"rule option {name!r} is {value!r}; it must be text")
    return value


def _players(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)) or not value or not all(type(n) is int and n in (2, 4, 6) for n in value):
        raise RulesError(f"rule option 'players' is {value!r}; it lists some of 2, 4, 6")
    return tuple(sorted(set(value)))


def _ladder(value: Any) -> tuple[tuple[str, int], ...]:
    try:
        ladder = tuple((str(word), int(worth)) for word, worth in value)
    except (TypeError, ValueError):
        ladder = ()
    words = [word for word, _ in ladder]
    worths = [worth for _, worth in ladder]
    if (
        not 1 <= len(ladder) <= 4
        or len(set(words)) < len(words)
        or sorted(set(worths)) != worths
        or not set(words) <= set(RAISES)
    ):
        raise RulesError(
            f"rule option 'ladder' is {value!r}; it lists one to four pairs of a word of {', '.join(RAISES)} and a rising value"
        )
    return ladder


def _order(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    groups = tuple(value) if isinstance(value, (list, tuple)) else ()
    cards = [card for group in groups for card in str(group).split()]
    if sorted(cards) != sorted(CARD_INDEX):
        raise RulesError(
            "rule option 'order_strong_to_weak' must name each of the 40 cards once, equal cards in one group"
        )
    return groups


def _special(value: Any) -> tuple[tuple[str, Any], ...] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or set(value) != set(SPECIAL_KEYS):
        raise RulesError(f"rule option 'special_hand' is null or has the keys {', '.join(SPECIAL_KEYS)}")
    for key, allowed in SPECIAL_KEYS.items():
        given = value[key]
        if isinstance(allowed[0], int):
            if type(given) is not int or not allowed[0] <= given <= int(allowed[1]):
                raise RulesError(
                    f"rule option 'special_hand.{key}' is {given!r}; it may be {allowed[0]} to {allowed[1]}"
                )
        elif given not in allowed:
            raise RulesError(f"rule option 'special_hand.{key}' is {given!r}; it may be {', '.join(map(str, allowed))}")
    return tuple((key, value[key]) for key in SPECIAL_KEYS)


def _court(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise RulesError("rule option 'court_cards' names the three cards 10, 11 and 12")
    return tuple(str(name) for name in value)


_SHAPED: Final = {
    "players": _players,
    "ladder": _ladder,
    "order_strong_to_weak": _order,
    "special_hand": _special,
    "court_cards": _court,
}
