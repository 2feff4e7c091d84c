"""What people write for an event, and what it stands for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trucostats.errors import CODES, NotationError
from trucostats.rules import NAMES, rules_of
from trucostats.vocab import CARDS, NO_CARD, RAISES, VERBS, card_name, event_name, pack, pack_show
from trucostats.words import (
    ALIASES,
    BEFORE_CARD,
    BEFORE_RAISE,
    CACHE_LIMIT,
    FAMILIES,
    FAMILY_ALIASES,
    RIO,
    EventTable,
    canonical_event,
    family_of,
    hand_name,
    parse_event,
    parse_hand,
)

CASES = Path(__file__).parent / "cases" / "hand_cases.jsonl"
RULES = {name: rules_of(name) for name in NAMES}
ONE_OF_EACH = {0: RULES["argentino"], 1: RULES["brasileiro"], 2: RULES["truc"]}


def said(text: str, rules: str = "argentino") -> str:
    """The canonical words of what seat 0 says."""
    return canonical_event(f"0 {text}", RULES[rules])[2:]


def fault(text: str, rules: str = "argentino") -> tuple[str, str]:
    with pytest.raises(NotationError) as caught:
        parse_event(text, RULES[rules])
    assert CODES[caught.value.code].family == "malformed"
    return caught.value.code, str(caught.value)


def test_families() -> None:
    spoken = {name: FAMILIES[family_of(rules)] for name, rules in RULES.items()}
    assert {name for name in spoken if spoken[name] == "rio"} == {"argentino", "rioplatense", "gaucho", "uruguayo"}
    assert {name for name in spoken if spoken[name] == "brazil"} == {"brasileiro", "paulista", "mineiro"}
    assert spoken["truc"] == "catalonia"
    assert FAMILIES[family_of(rules_of({"base": "brasileiro", "scale": "2-4-8-12"}))] == "brazil"


@pytest.mark.parametrize("family", ONE_OF_EACH)
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("play", "declare", "show")])
def test_canonical_words_exist_in_every_family(verb: str, family: int) -> None:
    # A word of another rule set is illegal, which is for the replay to say, and never malformed.
    assert parse_event(f"1 {verb}", ONE_OF_EACH[family]) == (1, pack(verb, NO_CARD if verb == "cover" else 0))


@pytest.mark.parametrize("family", ONE_OF_EACH)
def test_every_alias_gives_its_word(family: int) -> None:
    rules = ONE_OF_EACH[family]
    for aliases in (ALIASES, FAMILY_ALIASES[family]):
        for verb, words in aliases.items():
            for word in words.split(","):
                card = " 7c" if verb == "show" else ""
                assert canonical_event(f"0 {word.strip()}{card}", rules) == f"0 {verb}{card}"


def test_no_alias_has_two_meanings() -> None:
    for family in FAMILY_ALIASES:
        seen: dict[str, str] = {}
        for aliases in (ALIASES, FAMILY_ALIASES[family]):
            for verb, words in aliases.items():
                for word in words.split(","):
                    assert seen.setdefault(word.strip(), verb) == verb


@pytest.mark.parametrize("before", BEFORE_RAISE)
@pytest.mark.parametrize("verb", RAISES)
def test_a_raise_said_as_the_answer_is_the_raise(before: str, verb: str) -> None:
    assert said(f"{before} {verb}") == verb


@pytest.mark.parametrize("before", BEFORE_CARD)
def test_a_verb_before_a_card_is_a_play(before: str) -> None:
    for rules in RULES:
        assert said(f"{before} 7c", rules) == "7c"


WRITTEN = [
    ("quiero", "argentino", "Quiero QUIERO quiero! ¡Quiero! quero aceito acepto vull Sim si"),
    ("no-quiero", "argentino", "no-quiero NO_QUIERO no__quiero noquiero nao-quero não-quero no-vull corro fujo no"),
    ("mazo", "argentino", "mazo MAZO me-voy-al-mazo me_voy al-mazo"),
    ("retruco", "argentino", "retruco re-truco quiero_retruco Quiero-y-Retruco"),
    ("vale-cuatro", "argentino", "vale-cuatro vale_cuatro valecuatro vale4 vale-4 quiero-vale-cuatro quiero-vale-4"),
    ("vale-cuatro", "gaucho", "vale-quatro quero-vale-quatro"),
    ("son-buenas", "argentino", "son-buenas Son_Buenas sonbuenas buenas são-boas són-bones"),
    ("seis", "paulista", "seis SEIS six vale-seis vale-6 meio-pau quero-seis"),
    ("nove", "paulista", "nove nine nueve vale-nove"),
    ("dez", "mineiro", "dez ten diez vale-dez"),
    ("doze", "paulista", "doze twelve doce vale-doze"),
    ("accept-hand", "brasileiro", "accept-hand jogo jogamos aceito-a-mão"),
    ("decline-hand", "brasileiro", "decline-hand passo passamos"),
    ("accept-hand", "truc", "juguem jugo"),
    ("contraflor", "gaucho", "contraflor contra-flor flor-y-contraflor"),
    (
        "contraflor-al-resto",
        "gaucho",
        "contraflor-al-resto contra-flor-al-resto contra-flor-o-resto contraflor_al_resto",
    ),
    ("real-envido", "argentino", "real-envido real_envido realenvido real"),
    ("falta-envido", "argentino", "falta-envido FALTA_ENVIDO falta la-falta"),
    ("envido", "argentino", "envido envit toco"),
    ("28", "argentino", "28 tengo-28"),
    ("7", "argentino", "7 07"),
    ("cover", "brasileiro", "cover tapada carta-coberta encoberta"),
    ("ask-count", "brasileiro", "ask-count com-quantas-cartas"),
]


@pytest.mark.parametrize(("word", "rules", "texts"), WRITTEN, ids=[f"{case[0]}-{case[1]}" for case in WRITTEN])
def test_what_people_write(word: str, rules: str, texts: str) -> None:
    for text in texts.split():
        assert said(text, rules) == word
        assert said(text.replace("-", " "), rules) == word


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("me voy al mazo", "mazo"),
        ("quiero vale cuatro", "vale-cuatro"),
        ("Con flor me achico", "no-quiero"),
        ("con flor quiero", "quiero"),
        ("me'n vaig", "mazo"),
        ("cover 4e", "cover 4e"),
        ("tapada 4E", "cover 4e"),
        ("cover ?", "cover"),
        ("truco 3b", "truco 3b"),
        ("quiero retruco 12e", "retruco 12e"),
        ("SHOW 7c 5c", "show 7c 5c"),
        ("muestro 7c 5c 12e 1b", "show 7c 5c 12e 1b"),
        ("12E", "12e"),
        (" 7c ", "7c"),
    ],
)
def test_phrases(text: str, word: str) -> None:
    assert said(text) == word


FAULTS = [
    ("0 trucco", "UNKNOWN_EVENT", "no rule set knows 'trucco'; did you mean 'truco'?"),
    ("0 quierro", "UNKNOWN_EVENT", "did you mean 'quiero'?"),
    ("0 sonbuena", "UNKNOWN_EVENT", "did you mean 'son-buenas'?"),
    ("0 xyzzy", "UNKNOWN_EVENT", "the words are in the notation"),
    ("0 paso", "UNKNOWN_EVENT", "no rule set knows 'paso'"),
    ("truco", "UNKNOWN_EVENT", "as in '0 truco'"),
    ("ana truco", "UNKNOWN_EVENT", "as in '0 truco'"),
    ("0", "UNKNOWN_EVENT", "as in '0 truco'"),
    ("", "UNKNOWN_EVENT", "as in '0 truco'"),
    ("0  ", "UNKNOWN_EVENT", "as in '0 truco'"),
    ("0 ...", "UNKNOWN_EVENT", "no rule set knows '...'"),
    ("0 ?", "UNKNOWN_EVENT", "only a covered card may stay unknown"),
    ("0 show ?", "UNKNOWN_EVENT", "only a covered card may stay unknown"),
    ("0 truco ?", "UNKNOWN_EVENT", "only a covered card may stay unknown"),
    ("0 7c 5c", "UNKNOWN_EVENT", "'play' takes one card"),
    ("0 quiero 7c", "UNKNOWN_EVENT", "'quiero' takes no card"),
    ("0 show", "UNKNOWN_EVENT", "'show' takes 1 to 4 cards"),
    ("0 show 1e 2e 3e 4e 5e", "UNKNOWN_EVENT", "'show' takes 1 to 4 cards"),
    ("0 cover 1e 2e", "UNKNOWN_EVENT", "'cover' takes 0 to 1 cards"),
    ("0 128", "UNKNOWN_EVENT", "no rule set knows '128'"),
    ("0 2.5", "UNKNOWN_EVENT", "no rule set knows '2.5'"),
    ("0 -5", "UNKNOWN_EVENT", "no rule set knows '-5'"),
    ("0 7%", "UNKNOWN_EVENT", "no rule set knows '7%'"),
    ("0 ٣", "UNKNOWN_EVENT", "no rule set knows '٣'"),
    ("0 -7c", "UNKNOWN_EVENT", "did you mean '7c'?"),
    ("6 truco", "UNKNOWN_SEAT", "no seat 6"),
    ("10 truco", "UNKNOWN_SEAT", "no seat 10"),
    ("-1 truco", "UNKNOWN_SEAT", "no seat -1"),
    ("00 truco", "UNKNOWN_SEAT", "no seat 00"),
    ("٣ truco", "UNKNOWN_SEAT", "no seat ٣"),
    ("0 8e", "UNKNOWN_CARD", "no card '8e'; a card is a rank"),
    ("0 13c", "UNKNOWN_CARD", "no card '13c'"),
    ("0 0e", "UNKNOWN_CARD", "no card '0e'"),
    ("0 7x", "UNKNOWN_CARD", "no card '7x'"),
    ("0 cover 9b", "UNKNOWN_CARD", "no card '9b'"),
    ("0 7s", "UNKNOWN_CARD", "French suits are written spades e, hearts c, diamonds o, clubs b; did you mean '7e'?"),
    ("0 7h", "UNKNOWN_CARD", "did you mean '7c'?"),
    ("0 7♦", "UNKNOWN_CARD", "did you mean '7o'?"),
    ("0 10♣", "UNKNOWN_CARD", "did you mean '10b'?"),
    ("0 9s", "UNKNOWN_CARD", "there is no 9 in this deck"),
    (
        "0 Ks",
        "UNKNOWN_CARD",
        "French letters are not read, because Q is 11 in Argentine decks and 10 in Brazilian ones",
    ),
    ("0 Q♠", "UNKNOWN_CARD", "French letters are not read"),
    ("0 truco Jc", "UNKNOWN_CARD", "French letters are not read"),
    ("0 7 de copas", "UNKNOWN_CARD", "did you mean '7c'?"),
    ("0 12 bastos", "UNKNOWN_CARD", "did you mean '12b'?"),
    ("0 4 paus", "UNKNOWN_CARD", "did you mean '4b'?"),
]


@pytest.mark.parametrize(("text", "code", "words"), FAULTS, ids=[repr(case[0]) for case in FAULTS])
def test_faults(text: str, code: str, words: str) -> None:
    found, message = fault(text)
    assert (found, words in message) == (code, True), message


def test_a_word_of_the_special_hand_is_none_where_there_is_no_special_hand() -> None:
    assert said("passo", "brasileiro") == said("passo", "truc") == "decline-hand"
    assert fault("0 passo", "argentino")[0] == "UNKNOWN_EVENT"


def test_a_raise_of_another_rule_set_stays_that_raise() -> None:
    assert (said("truco", "truc"), said("retruc", "argentino"), said("retruco", "paulista")) == (
        "truco",
        "retruc",
        "retruco",
    )


def test_every_event_of_the_cases_is_canonical() -> None:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)["record"]
        assert [canonical_event(text, rules_of(record["rules"])) for text in record["events"]] == record["events"]


cards = st.sampled_from(range(len(CARDS)))
codes = st.one_of(
    cards.map(lambda card: pack("play", card)),
    st.one_of(cards, st.just(NO_CARD)).map(lambda card: pack("cover", card)),
    st.integers(0, 99).map(lambda number: pack("declare", number)),
    st.lists(cards, min_size=1, max_size=4).map(pack_show),
    st.tuples(st.sampled_from(RAISES), st.integers(0, len(CARDS))).map(lambda both: pack(*both)),
    st.sampled_from([v for v in VERBS if v not in ("play", "cover", "declare", "show", *RAISES)]).map(pack),
)


@given(st.integers(0, 5), codes, st.sampled_from(sorted(RULES)))
def test_parsing_is_the_inverse_of_naming(seat: int, code: int, rules: str) -> None:
    text = f"{seat} {event_name(code)}"
    assert parse_event(text, RULES[rules]) == (seat, code)
    assert parse_event(text.upper().replace("-", "_"), RULES[rules]) == (seat, code)


@given(st.lists(st.sampled_from([*range(len(CARDS)), NO_CARD]), max_size=6))
def test_hands_round_trip(hand: list[int]) -> None:
    assert parse_hand(hand_name(hand)) == hand
    assert parse_hand("  ".join(map(card_name, [c for c in hand if c != NO_CARD])).upper()) == [
        c for c in hand if c != NO_CARD
    ]


@given(st.text(max_size=30))
def test_any_text_is_an_event_or_a_fault(text: str) -> None:
    for rules in ONE_OF_EACH.values():
        for event in (text, f"0 {text}"):
            try:
                seat, code = parse_event(event, rules)
            except NotationError as error:
                assert error.code in ("UNKNOWN_EVENT", "UNKNOWN_SEAT", "UNKNOWN_CARD")
            else:
                assert parse_event(f"{seat} {event_name(code)}", rules) == (seat, code)


def test_the_table_of_events_stays_small() -> None:
    table = EventTable(RIO)
    assert (table["0 " + "x" * 1000], len(table)) == (-1, 0)
    table.update((str(i), -1) for i in range(CACHE_LIMIT))
    assert (table["0 truco"] >= 0, len(table)) == (True, CACHE_LIMIT)
