"""A rule set as people read it: ranking, ladder, what may be called when, special hands, and every option with its source.

`describe` gives it as plain data, `rules_markdown` as one page; `docs/rules.md` is `rules_page`, the page of all rule sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trucostats.rules import NAMES, Rules, rules_of, variants
from trucostats.rules.options import OPTIONS, SPECIAL_KEYS, idle

Row = tuple[str, str, str]

TITLES: Final = {
    "argentino": "Truco argentino", "rioplatense": "Truco rioplatense", "gaucho": "Truco gaúcho (cego)",
    "uruguayo": "Truco uruguayo (con muestra)", "truc": "Truc (Catalonia)", "brasileiro": "Truco brasileiro",
    "paulista": "Truco paulista", "mineiro": "Truco mineiro",
}  # fmt: skip
_PLAIN: Final = ("3", "2", "1", "12", "11", "10", "7", "6", "5", "4")
_FRENCH: Final = "natural_french"
_SAYS: Final[dict[tuple[str, Any], str]] = {
    ("truco_timing", "turn_before"): "on one's turn before one's card, or as the answer to the call before",
    ("truco_timing", "turn_any"): "on one's turn before one's card or right after it, or as the answer to the call before",
    ("truco_timing", "any_time"): "at any time when no call waits, or as the answer to the call before",
    ("after_card_window", "until_next_act"): "until somebody else acts",
    ("after_card_window", "while_trick_open"): "until the trick is complete",
    ("after_card_window", "until_trick_ends"): "until somebody else acts, and not after the card that completes a trick",
    ("reply_by", "any"): "any player of the other side",
    ("reply_by", "pie"): "the last player of the other side",
    ("reply_by", "next_player"): "the player of the other side who sits next after the caller",
    ("refusal", "first_answer"): "the first answer binds",
    ("refusal", "all_partners"): "a call is refused when every partner has refused",
    ("envido_window", "before_own_first_card"): "in the first trick, before one's own first card and before a truco is accepted",
    ("envido_window", "first_trick"): "in the first trick, before a truco is accepted",
    ("envido_caller", "any"): "any player opens it",
    ("envido_caller", "pie"): "only the last player of a side opens it",
    ("envido_over_truco", "suspend"): "it comes before a truco that waits, which must be answered afterwards",
    ("envido_over_truco", "cancel"): "it comes before a truco that waits, which falls away and may be called again",
    ("envido_declaration", "all_in_turn"): "from the mano in order, each says a number or that theirs are good",
    ("envido_declaration", "rival_must_beat"): "only rivals of the best number so far speak, and must beat it",
    ("falta", "leader_to_target"): "what the leader needs to win the game",
    ("falta", "win_game"): "the game",
    ("falta", "malas_game"): "the game if both are in the first half, otherwise what the leader needs to win it",
    ("falta", "half_then_target"): "what the leader needs to reach half the target, from there on to win the game",
    ("falta", "winner_to_half"): "what the winner needs to reach half the target, from there on what the leader needs to win",
    ("flor_points", "best_takes_3"): "3 for the best",
    ("flor_points", "best_takes_3_each"): "the best takes 3 for every flor announced",
    ("flor_points", "own_flors_3_each"): "3 for every flor to its own side",
    ("flor_points", "con_flor_quiero_4"): "3, or 4 for the best if both sides hold one",
    ("mazo_scope", "player"): "a player leaves alone; the hand is lost when the whole side has left",
    ("mazo_scope", "team"): "a player who leaves takes the side with him",
    ("mazo_envido", "counts_as_refusal"): "with an envido waiting, leaving refuses it too",
    ("mazo_envido", "forbidden"): "not while an envido waits",
    ("mazo_timing", "turn"): "with no call waiting, on one's turn",
    ("mazo_timing", "any_time"): "with no call waiting, at any time",
    ("score_timing", "immediate"): "the game ends when a side reaches the target",
    ("score_timing", "end_of_hand"): "the game ends after the hand in which a side reaches the target",
    ("resto_refused", "as_contraflor"): "4",
    ("resto_refused", "as_flor"): "3",
    ("all_tied", "mano"): "three tied tricks go to the mano's side",
    ("all_tied", "void"): "three tied tricks go to nobody",
    ("all_tied", "non_dealer"): "three tied tricks go to the side that did not deal",
    ("third_tied", "first_trick"): "one trick each and a tied third go to the side that won the first",
    ("third_tied", "void"): "one trick each and a tied third go to nobody",
    ("partner_lead", "first"): "of partners with equal winning cards the first to have played leads",
    ("partner_lead", "last"): "of partners with equal winning cards the last to have played leads",
    ("tie_leader", "same"): "after a tied trick the same player leads again",
    ("tie_leader", "first_to_tie"): "after a tied trick the first of the tied players leads",
    ("covered_by", "any"): "by any player",
    ("covered_by", "leader_only"): "by the player who leads",
    ("both_special_value", "hand_value"): "and is worth what a hand without a call is",
    ("both_special_value", "special_value"): "and is worth what a special hand is",
    ("scope", "eq"): "exactly", ("scope", "ge"): "at least",
    ("on_bet", "illegal"): "no bet is allowed in it",
    ("on_bet", "bettor_loses_hand"): "a side that bets in it loses the hand",
    ("on_bet", "literal_ten_pair_loses"): "whoever bets in it, the side on the special score loses the hand",
    ("on_bet", "bettor_loses_game"): "a side that bets in it loses the game",
}  # fmt: skip


def _says(rules: Rules, option: str) -> str:
    return _SAYS[option, getattr(rules, option)]


def describe(rules: Rules) -> dict[str, Any]:
    """Return everything about a rule set as plain data that JSON can hold.

    >>> page = describe(rules_of("truc"))
    >>> page["ranking"][0], [(step["call"], step["accepted"], step["refused"]) for step in page["ladder"]]
    (['3e', '3b', '3o', '3c'], [('truc', 2, 1), ('retruc', 3, 2)])
    """
    return {
        "name": rules.name,
        "title": TITLES[rules.name],
        "rules": rules.spec(),
        "players": list(rules.players),
        "target": rules.target,
        "hand_value": rules.hand_value,
        "evidence": rules.evidence,
        "ranking": ranking(rules),
        "turned": _turned(rules),
        "court_cards": dict(zip(("10", "11", "12"), rules.court_cards, strict=True)),
        "ladder": ladder(rules),
        "calls": [dict(zip(("call", "accepted", "refused"), row, strict=True)) for row in _calls(rules)],
        "windows": [{"what": what, "rule": rule} for what, rule in _windows(rules)],
        "special_hand": _special(rules),
        "variants": [
            {"name": name, "value": dict(rules.overrides).get(name, choices[0]), "allowed": list(choices)}
            for name, choices in variants(rules.name).items()
        ],
        "options": options(rules),
    }


def ranking(rules: Rules) -> list[list[str]]:
    """Return the cards from the strongest to the weakest, equal cards together.

    Where a card is turned, the groups it makes stand first and say so; the cards of those groups are not in the groups below.
    Source: A.2.1, A.4.2, A.5.
    """
    if rules.turned_card == "manilha":
        return [[f"manilha {suit}"] for suit in ("b", "c", "e", "o")] + [
            [rank + suit for suit in "eboc"] for rank in _PLAIN
        ]
    groups = [
        _in_suits(group.split()) for group in rules.order_strong_to_weak or OPTIONS["order_strong_to_weak"].default
    ]
    if rules.turned_card == "muestra":
        return [[f"{rank} of the turned suit"] for rank in ("2", "4", "5", "11", "10")] + groups
    return groups


def _in_suits(cards: list[str]) -> list[str]:
    return sorted(cards, key=lambda card: "eboc".index(card[-1]))


def _turned(rules: Rules) -> str | None:
    if rules.turned_card == "manilha":
        order = "1 2 3 4 5 6 7 11 10 12" if rules.succession == _FRENCH else "4 5 6 7 10 11 12 1 2 3"
        return f"the four cards of the rank after the turned card are manilhas; ranks follow one another as {order}, and begin again"
    if rules.turned_card == "muestra":
        return "2 4 5 11 10 of the turned suit are piezas; if the turned card is one of them, the 12 of its suit takes its place"
    return None


def ladder(rules: Rules) -> list[dict[str, Any]]:
    """Return the raises in order, each with what it is worth when accepted and when refused.

    >>> ladder(rules_of("mineiro"))[1]
    {'step': 2, 'call': 'seis', 'accepted': 6, 'refused': 4}
    """
    worths = [rules.hand_value, *(worth for _, worth in rules.ladder)]
    return [
        {"step": step, "call": word, "accepted": worth, "refused": worths[step - 1]}
        for step, (word, worth) in enumerate(rules.ladder, start=1)
    ]


def _calls(rules: Rules) -> list[Row]:
    rows: list[Row] = []
    if rules.envido:
        times = (
            "any number of times"
            if rules.max_envido is None
            else "once"
            if rules.max_envido == 1
            else f"up to {rules.max_envido} times"
        )
        before = "1, or what was called before"
        rows.append(("envido", f"2 more, {times}", before))
        rows.append(("real-envido", "3 more, once" if rules.real_once else "3 more, any number of times", before))
        falta = _says(rules, "falta") + (
            ", added to the calls before" if rules.falta_stack == "add" else ", in place of the calls before"
        )
        if rules.pica_falta is not None:
            falta += f"; {rules.pica_falta} in a pica-pica duel"
        rows.append(("falta-envido", falta, before))
    if rules.flor:
        rows.append(("flor", _says(rules, "flor_points"), "-"))
        rows.append(("contraflor", "6", "4"))
        rows.append(
            (
                "contraflor-al-resto",
                f"as a falta: {_says(rules, 'falta')}" + "; 3 more for each flor" * rules.resto_adds_flores,
                f"{_says(rules, 'resto_refused')}, or 6 over a contraflor",
            )
        )
    return rows


def _windows(rules: Rules) -> Iterator[tuple[str, str]]:
    after = f"; after the card {_says(rules, 'after_card_window')}" if rules.truco_timing == "turn_any" else ""
    yield rules.raises[0], _says(rules, "truco_timing") + after
    yield "raises", "one step at a time; after the first, only the side that accepted the last one"
    yield "answers", f"{_says(rules, 'reply_by')}; {_says(rules, 'refusal')}"
    if rules.accept_by_play:
        alone = "" if rules.caller_may_play else "; the caller waits for the answer"
        yield "accepting by a card", f"playing a card accepts a {rules.raises[0]}{alone}"
    if rules.envido:
        raised = "; a side may raise its own call" if rules.allow_self_raise else ""
        yield (
            "envido",
            f"{_says(rules, 'envido_window')}; {_says(rules, 'envido_caller')}; {_says(rules, 'envido_over_truco')}{raised}",
        )
        bound = "the spoken words decide" if rules.envido_resolution == "spoken" else "the cards decide"
        proof = {
            "not_required": "",
            "required": "; the winner shows the cards",
            "forfeit": "; a winner who does not show the cards forfeits",
        }
        yield "numbers", f"{_says(rules, 'envido_declaration')}; {bound}{proof[rules.proof]}"
    if rules.flor:
        missed = "; one that is not announced gives the other side 3" if rules.flor_unannounced == "rival_3" else ""
        yield (
            "flor",
            f"in the first trick, before one's own first card and before it is settled; it closes the envido{missed}",
        )
    if rules.covered_from is not None:
        tied = "" if rules.cover_after_tie else "; not in a trick that follows a tied one"
        yield "covered cards", f"from trick {rules.covered_from} on, {_says(rules, 'covered_by')}{tied}"
    if rules.commit:
        yield "card put forward", "a raise may name a card, which must be played if the raise is accepted"
    early = "; leaving before any call in the first trick costs one point more" if rules.mazo_early_extra else ""
    with_envido = f"; {_says(rules, 'mazo_envido')}" if rules.envido else ""
    yield "mazo", f"{_says(rules, 'mazo_timing')}; {_says(rules, 'mazo_scope')}{with_envido}{early}"
    yield "ties", "; ".join(_says(rules, option) for option in ("third_tied", "all_tied", "tie_leader", "partner_lead"))
    capped = "; points beyond the target are not booked" if rules.score_cap else ""
    yield "end of the game", _says(rules, "score_timing") + capped
    if rules.one_card:
        yield (
            "one-card deal",
            "a hand of one card each, where the dealer and the cutter agree and no side is on the special score",
        )
    if rules.misdeal:
        yield (
            "misdeal",
            "a card too many on the cutter's side may be bet on until somebody asks how many cards there are, which voids the deal; "
            "on the dealer's side the deal is void at once",
        )
    if 6 in rules.players:
        yield "six players", f"redonda and pica-pica by turns: {rules.pica_policy.replace('_', ' ')}"


def _special(rules: Rules) -> dict[str, Any] | None:
    if rules.special_hand is None:
        return None
    special = dict(rules.special_hand)
    scope = _SAYS["scope", special["scope"]]
    return special | {
        "rule": f"a side with {scope} {special['at']} points plays the hand for {special['value']} or gives {special['pass_value']}; "
        f"{_SAYS['on_bet', special['on_bet']]}; if both sides are there nobody decides, and the hand decides the game {_says(rules, 'both_special_value')}"
    }


def options(rules: Rules) -> list[dict[str, Any]]:
    """Return every option: name, value, whether it is the default, the values it may take, its meaning, its source, and whether
    it does anything in this rule set.
    """
    rows, without = [], idle(rules)
    for name, option in OPTIONS.items():
        value = getattr(rules, name)
        rows.append(
            {
                "name": name,
                "value": plain(value),
                "default": value == option.default,
                "allowed": allowed(name),
                "meaning": option.meaning,
                "source": option.source,
                "applies": name not in without,
            }
        )
    return rows


def allowed(name: str) -> str:
    """Return the values an option may take, in words.

    >>> allowed("target"), allowed("max_envido"), allowed("all_tied")
    ('1 to 100', '1 to 98, null', 'mano, void, non_dealer')
    """
    option = OPTIONS[name]
    shaped = {
        "players": "a list of 2, 4, 6",
        "ladder": "one to four pairs of a raise and a rising value",
        "order_strong_to_weak": "the 40 cards in groups, null with a turned card",
        "special_hand": f"null, or {', '.join(SPECIAL_KEYS)}",
        "court_cards": "three names",
        "evidence": "text",
    }
    if name in shaped:
        return shaped[name]
    if option.bounds:
        return f"{option.bounds[0]} to {option.bounds[1]}" + ", null" * option.nullable
    return ", ".join(value_text(choice) for choice in option.choices)


def plain(value: Any) -> Any:
    """Return an option's value as JSON holds it."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple) and value[0][0] == "at":
        return dict(value)
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def value_text(value: Any) -> str:
    """Return an option's value as one reads it in a table.

    >>> value_text(None), value_text(True), value_text((("truc", 2), ("retruc", 3)))
    ('null', 'true', 'truc 2, retruc 3')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return ", ".join(f"{key} {value_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        pairs = bool(value) and all(isinstance(item, (list, tuple)) for item in value)
        return ", ".join(" ".join(map(value_text, item)) if pairs else value_text(item) for item in value)
    return str(value)


def differences(one: Rules, other: Rules) -> list[Row]:
    """Return the options in which two rule sets differ: name, value of the first, value of the second.

    >>> differences(rules_of("argentino"), rules_of({"base": "argentino", "target": 15}))
    [('target', '30', '15')]
    """
    return [
        (name, value_text(plain(getattr(one, name))), value_text(plain(getattr(other, name))))
        for name in OPTIONS
        if getattr(one, name) != getattr(other, name) and name != "evidence"
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _rows(*rows: tuple[Any, ...]) -> list[str]:
    """Return a Markdown table, its first row the heads."""
    lines = ["| " + " | ".join(_cell(value_text(cell)) for cell in row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:], ""]


def rules_markdown(rules: Rules, level: int = 1) -> str:
    """Return the page of one rule set, its title a heading of a level."""
    page = describe(rules)
    mark = "#" * (level + 1)
    label = str(rules) if rules.overrides else rules.name
    lines = [f"{'#' * level} {page['title']}: `{label}`", ""]
    lines += [
        f"{', '.join(map(str, page['players']))} players, to {page['target']} points. Evidence: {page['evidence']}.",
        "",
    ]
    lines += [f"{mark} Ranking", ""]
    if page["turned"]:
        lines += [f"A card is turned: {page['turned']}.", ""]
    lines += _rows(
        ("place", "cards"), *((place, " ".join(group)) for place, group in enumerate(page["ranking"], start=1))
    )
    lines += [
        "In these rules " + ", ".join(f"{rank} is {name}" for rank, name in page["court_cards"].items()) + ".",
        "",
    ]
    lines += [f"{mark} Stakes", "", f"A hand without a call is worth {page['hand_value']}.", ""]
    lines += _rows(
        ("step", "call", "accepted", "refused"),
        *((s["step"], f"`{s['call']}`", s["accepted"], s["refused"]) for s in page["ladder"]),
    )
    if page["calls"]:
        lines += _rows(
            ("call", "accepted", "refused"), *((f"`{c['call']}`", c["accepted"], c["refused"]) for c in page["calls"])
        )
    lines += [f"{mark} When", "", *_rows(("what", "rule"), *((w["what"], w["rule"]) for w in page["windows"]))]
    if page["special_hand"]:
        said = page["special_hand"]["rule"]
        lines += [f"{mark} Special hand", "", f"{said[0].upper()}{said[1:]}.", ""]
    lines += [f"{mark} Options", ""]
    if page["variants"]:
        lines += _rows(
            ("variant", "value", "allowed"), *((f"`{v['name']}`", v["value"], v["allowed"]) for v in page["variants"])
        )
    lines += _rows(
        ("option", "value", "allowed", "meaning", "source"),
        *(
            (
                f"`{o['name']}`",
                o["value"] if o["default"] else f"**{value_text(o['value'])}**",
                o["allowed"],
                o["meaning"],
                o["source"],
            )
            for o in page["options"]
        ),
    )
    return "\n".join(lines).rstrip() + "\n"


def rules_page() -> str:
    """Return the page of all rule sets, as `docs/rules.md` holds it."""
    sets = [rules_of(name) for name in NAMES]
    lines = [
        "# Rule sets", "", "Generated from `trucostats/rules/`. A record names a rule set, or an object with a `base` and the options that differ from",
        "it; a value in bold differs from `argentino`. Cards are a rank and a suit: e espadas, b bastos, o oros, c copas. Sources are",
        "chapters of the rules reference: A.0 what all systems share, A.1 truc, A.2 argentino, A.3 rioplatense, A.4 the Brazilian rules, A.5 other",
        "rules, A.6 contradictions of the texts, A.7 rulings where they are silent.", "",
    ]  # fmt: skip
    heads = ("rules", "players", "target", "ladder", "envido", "flor", "turned card", "special hand")
    lines += _rows(
        heads,
        *(
            (
                f"[`{rules.name}`](#{_anchor(rules)})", rules.players, rules.target,
                " ".join(map(str, (rules.hand_value, *(worth for _, worth in rules.ladder)))), "yes" if rules.envido else "no",
                "yes" if rules.flor else "no", rules.turned_card or "no", f"at {dict(rules.special_hand)['at']}" if rules.special_hand else "no",
            )
            for rules in sets
        ),
    )  # fmt: skip
    return "\n".join(lines) + "\n" + "\n".join(rules_markdown(rules, level=2) for rules in sets)


def _anchor(rules: Rules) -> str:
    """Return the anchor that GitHub and Sphinx give the heading of a rule set."""
    kept = "".join(
        letter for letter in f"{TITLES[rules.name]} {rules.name}".lower() if letter.isalnum() or letter in " -"
    )
    return kept.replace(" ", "-")
