"""Random well-formed records: mostly legal play that goes deep, with some faults, options and unknown cards."""

from __future__ import annotations

import random
from typing import Any

from oracle import Table
from oracle_deal import Facts, deal_fault, parse
from oracle_rules import DECK, ENVIDOS, FLORES, RAISES, RANKS, rules_of, turns_a_card

CHANCE: dict[str, list[Any]] = {
    "target": [1, 9, 12, 15, 18, 20, 30, 40],
    "truco_timing": ["turn_before", "turn_any", "any_time"],
    "accept_by_play": [False, True],
    "reply_by": ["any", "pie", "next_player"],
    "refusal": ["first_answer", "all_partners"],
    "caller_may_play": [True, False],
    "after_card_window": ["until_next_act", "while_trick_open", "until_trick_ends"],
    "envido": [False, True],
    "max_envido": [1, 2, 3, None, 99],
    "real_once": [True, False],
    "allow_self_raise": [False, True],
    "envido_caller": ["any", "pie"],
    "envido_window": ["before_own_first_card", "first_trick"],
    "envido_over_truco": ["suspend", "cancel"],
    "envido_declaration": ["all_in_turn", "rival_must_beat"],
    "envido_resolution": ["spoken", "cards"],
    "falta": ["leader_to_target", "win_game", "malas_game", "half_then_target", "winner_to_half"],
    "falta_stack": ["replace", "add"],
    "pica_falta": [None, 6, 7, 10],
    "proof": ["not_required", "required", "forfeit"],
    "flor": [False, True],
    "flor_points": ["best_takes_3", "best_takes_3_each", "own_flors_3_each", "con_flor_quiero_4"],
    "flor_unannounced": ["warn", "rival_3"],
    "resto_adds_flores": [False, True, True],
    "resto_refused": ["as_contraflor", "as_flor", "as_flor"],
    "mazo_scope": ["player", "team"],
    "mazo_envido": ["counts_as_refusal", "forbidden"],
    "mazo_early_extra": [False, True],
    "mazo_timing": ["turn", "any_time", "any_time"],
    "score_timing": ["immediate", "end_of_hand"],
    "score_cap": [False, True, True],
    "all_tied": ["mano", "void", "non_dealer"],
    "third_tied": ["first_trick", "void", "void"],
    "tie_leader": ["same", "first_to_tie"],
    "partner_lead": ["first", "last", "last"],
    "covered_from": [None, 1, 2, 3],
    "covered_by": ["any", "leader_only"],
    "cover_after_tie": [True, False, False],
    "both_special_value": ["hand_value", "special_value", "special_value"],
    "commit": [False, True],
    "misdeal": [False, True],
    "one_card": [False, True],
}
# Options that show only together with another: how to choose that one, half of the time.
NEEDS: dict[str, tuple[str, list[Any]]] = {
    "after_card_window": ("truco_timing", ["turn_any"]),
    "resto_adds_flores": ("flor", [True]),
    "resto_refused": ("flor", [True]),
    "cover_after_tie": ("covered_from", [1, 2]),
}
ON_BET = ["illegal", "bettor_loses_hand", "literal_ten_pair_loses", "bettor_loses_game"]


def random_options(rng: random.Random, rules: str | dict[str, Any], players: int) -> dict[str, Any]:
    """The rules with a few options overridden, for a table of so many players."""
    chosen: dict[str, Any] = {"base": rules} if isinstance(rules, str) else dict(rules)
    for name in rng.sample(sorted(CHANCE), rng.randint(1, 6)):
        chosen[name] = rng.choice(CHANCE[name])
        if name in NEEDS and rng.random() < 0.5:
            other, values = NEEDS[name]
            chosen[other] = rng.choice(values)
    if chosen["base"] == "brasileiro" and rng.random() < 0.3:
        manilhas = ["fixed", "vira", "douradinha"]
        fits = [word for word in manilhas if players in rules_of({**chosen, "manilhas": word})["players"]]
        chosen["manilhas"] = rng.choice(fits)
        chosen["scale"] = rng.choice(["1-3-6-9", "2-4-8-12"])
    merged = rules_of(chosen)
    if turns_a_card(merged) and merged["base"] != "uruguayo" and rng.random() < 0.3:
        chosen["succession"] = rng.choice(["natural_french", "truco_order"])
    if merged["special_hand"] and rng.random() < 0.3:
        chosen["special_hand"] = {
            "scope": rng.choice(["eq", "ge"]),
            "on_bet": rng.choice(ON_BET),
            "value": rng.randint(1, 5),
        }
    elif not merged["special_hand"] and rng.random() < 0.05:
        target = merged["target"]
        chosen["special_hand"] = {
            "at": max(1, target - 1),
            "scope": "eq",
            "value": 3,
            "pass_value": 1,
            "on_bet": rng.choice(ON_BET),
        }
    elif rng.random() < 0.05:
        chosen["special_hand"] = None
    return chosen


def random_score(rng: random.Random, options: dict[str, Any]) -> list[int]:
    """A score below the target, often near it or at the special score."""
    target, special = options["target"], options["special_hand"]
    if (
        special
        and special["at"] < target
        and rng.random() < (0.04 if options["both_special_value"] == "hand_value" else 0.4)
    ):
        return [special["at"], special["at"]]
    score = []
    for _ in (0, 1):
        kind = rng.random()
        if special and kind < 0.15:
            points = special["at"]
        elif kind < 0.4:
            points = target - rng.randint(1, 4)
        else:
            points = rng.randrange(target)
        score.append(max(0, min(points, target - 1)))
    return score


def random_pack(rng: random.Random, options: dict[str, Any], size: int, duels: bool) -> list[str]:
    """So many cards, now and then such that tied tricks are likely; more often where ties matter."""
    matters = [options["third_tied"] == "void", options["all_tied"] == "non_dealer", options["partner_lead"] == "last"]
    matters.append(not options["cover_after_tie"])
    if rng.random() >= (0.5 if any(matters) else 0.1):
        return rng.sample(DECK, size)
    if duels and size == 19:  # the two of a duel have the same ranks
        ranks = rng.sample(RANKS, 10)
        pairs = [rng.sample([rank + suit for suit in "eboc"], 2) for rank in ranks[:9]]
        return [one for one, _ in pairs] + [two for _, two in pairs] + [ranks[9] + rng.choice("eboc")]
    few = rng.sample(RANKS, -(-size // 4))
    return rng.sample([card for card in DECK if card[:-1] in few], size)


def random_deal(rng: random.Random, options: dict[str, Any], record: dict[str, Any], partial: bool) -> None:
    """Fill in the dealt and the turned cards."""
    n = len(record["players"])
    sizes = [3] * n
    if options["one_card"] and rng.random() < 0.1:
        sizes = [1] * n
    elif options["misdeal"] and "format" not in record and rng.random() < 0.06:
        sizes[rng.randrange(n)] = 4
    pack = random_pack(rng, options, sum(sizes) + 1, "format" in record)
    if turns_a_card(options):
        record["turned"] = pack[-1]
    hands, at = [], 0
    alike = rng.random() < 0.25 and options["flor"]
    for size in sizes:
        hand = pack[at : at + size]
        if alike and size == 3 and rng.random() < 0.7:
            free = [card for card in DECK if card[-1] == hand[0][-1] and card not in pack]
            if len(free) > 1:
                hand[1:] = rng.sample(free, 2)
                pack += hand
        hands.append(hand)
        at += size
    record["deal"] = [" ".join(hand) for hand in hands]
    if not partial or rng.random() < 0.15:
        return
    view = rng.choice(["one", "some", "some"])
    keep = rng.randrange(n)
    for seat, hand in enumerate(hands):
        if view == "one":
            hidden = [] if seat == keep else list(range(len(hand)))
        else:
            hidden = [place for place in range(len(hand)) if rng.random() < 0.3]
        if len(hidden) == len(hand) and rng.random() < 0.5 and sizes.count(4) == 0:
            record["deal"][seat] = None
        else:
            record["deal"][seat] = " ".join("?" if place in hidden else card for place, card in enumerate(hand))


def weight(text: str, special: bool) -> float:
    """How much an event should be preferred; calls are likely, but not at once the end of the hand."""
    word = text.split(" ")[1]
    if special and word in (*FLORES, *ENVIDOS, *RAISES):
        return 0.02
    if word in ("flor", "contraflor", "contraflor-al-resto"):
        return 3.0
    if word in ENVIDOS:
        return 0.8
    if word in RAISES:
        return 0.5 if len(text.split(" ")) == 2 else 0.1
    if word == "cover":
        return 0.25
    return {
        "quiero": 3.0,
        "no-quiero": 0.4,
        "mazo": 0.06,
        "decline-hand": 0.3,
        "accept-hand": 3.0,
        "son-buenas": 0.3,
    }.get(word, 1.0)


def random_show(rng: random.Random, table: Table) -> str:
    """A seat shows some cards of its own."""
    seat = rng.randrange(table.facts.n)
    cards = list(table.known[seat]) or rng.sample(DECK, 1)
    return " ".join([str(seat), "show", *rng.sample(cards, rng.randint(1, len(cards)))])


def random_event(rng: random.Random, table: Table) -> str:
    """Any canonical event, most of the time a faulty one."""
    turn = table.turn()
    seat = turn if turn is not None and rng.random() < 0.4 else rng.randrange(table.facts.n)
    card = rng.choice(DECK)
    held = table.known[seat]
    if held and rng.random() < 0.6:
        card = rng.choice(held)
    rules = table.facts.rules
    words = ["quiero", "no-quiero", "mazo", "son-buenas", "cover", card, card, card, *table.facts.raises]
    words += [str(rng.randint(0, 40)), f"cover {card}", f"show {card}", f"{rng.choice(table.facts.raises)} {card}"]
    words += ["accept-hand", "decline-hand"] if rules["special_hand"] or rng.random() < 0.1 else []
    words += ENVIDOS if rules["envido"] or rng.random() < 0.1 else []
    words += FLORES if rules["flor"] or rng.random() < 0.1 else []
    words += ["ask-count"] if rules["misdeal"] or rng.random() < 0.1 else []
    words += RAISES if rng.random() < 0.1 else []
    own = table.number_of(seat)
    if own is not None and own >= 0:
        words.append(str(own))
    return f"{seat} {rng.choice(words)}"


def pick(rng: random.Random, table: Table) -> tuple[str, Table] | None:
    """A legal event and the table after it; None if nothing can follow."""
    settled = table.copy()
    settled.settle()
    seats = list(table.seats)
    rng.shuffle(seats)
    pool = [text for seat in seats for text in dict.fromkeys(table.candidates(seat) + settled.candidates(seat))]
    special = table.special is not None
    ranked = sorted(pool, key=lambda text: rng.random() ** (1.0 / weight(text, special)), reverse=True)
    for text in ranked:
        event = parse(text, table.facts.n)
        judge = settled if table.settles(event.kind) else table
        if not judge.fault(event):
            after = judge.copy()
            after.apply(event)
            return text, after
    return None


def random_record(rng: random.Random, rules: str | dict[str, Any], players: int, partial: bool) -> dict[str, Any]:
    """One random deal with its events."""
    chosen: str | dict[str, Any] = rules
    if rng.random() < 0.4:
        chosen = random_options(rng, rules, players)
    options = rules_of(chosen)
    record: dict[str, Any] = {
        "v": 1,
        "match": "random",
        "hand": 1,
        "rules": chosen,
        "players": [f"p{seat}" for seat in range(players)],
        "dealer": rng.randrange(players),
        "score": random_score(rng, options),
    }
    if players == 6 and rng.random() < 0.5:
        record["format"] = "pica-pica"
    random_deal(rng, options, record, partial)
    events: list[str] = []
    record["events"] = events
    facts = Facts(record)
    if deal_fault(facts, record["score"]):
        return record
    table = Table(facts, record["score"])
    length = rng.randint(0, 14) if rng.random() < 0.25 else 80
    odd = rng.randint(0, 12) if rng.random() < 0.35 else -1
    for step in range(length):
        if step == odd:
            text = random_event(rng, table)
        elif rng.random() < (0.3 if table.over else 0.03):
            text = random_show(rng, table)
        else:
            found = pick(rng, table)
            if found is None:
                break
            text, table = found
            events.append(text)
            continue
        events.append(text)
        after = table.after(text)
        if isinstance(after, str):
            if rng.random() < 0.7:
                break  # most records end with their fault
            events.pop()
            continue
        table = after
    return record
