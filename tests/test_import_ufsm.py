"""The UFSM importer: small made-up rows in all layouts, and the counts of the real base where it is at hand."""

from __future__ import annotations

import io
import os
from collections import Counter
from pathlib import Path
from typing import Any

import oracle
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trucostats.errors import NotationError
from trucostats.importers.ufsm import Imported, Rows, read_ufsm

SUITS = {"e": "ESPADAS", "b": "BASTOS", "o": "OURO", "c": "COPAS"}
CODES = {"4": 1, "5": 2, "6": 3, "10": 6, "11": 7, "12": 8, "1": 12, "2": 16, "3": 24}
SINGLE = {"7o": 40, "7e": 42, "1b": 50, "1e": 52, "7b": 4, "7c": 4}
CARDS = [f"carta{size}{who}" for who in ("Robo", "Humano") for size in ("Alta", "Media", "Baixa")]
TRICKS = [f"{trick}Carta{who}" for who in ("Robo", "Humano") for trick in ("primeira", "segunda", "terceira")]
WHO = (
    *("quemPediuEnvido", "quemPediuFaltaEnvido", "quemPediuRealEnvido", "quemNegouEnvido", "quemGanhouEnvido"),
    *("quemFlor", "quemContraFlor", "quemContraFlorResto", "quemNegouFlor", "quemGanhouFlor"),
    *("quemTruco", "quemRetruco", "quemValeQuatro", "quemNegouTruco", "quemGanhouTruco", "quemBaralho"),
    *("quemEnvidoEnvido", "quemFlorFlor", "quemEscondeuPontosEnvido"),
)
NUMBERS = (
    *("quandoTruco", "quandoRetruco", "quandoValeQuatro", "quandoBaralho"),
    *("pontosEnvidoRobo", "pontosEnvidoHumano", "tentosEnvido", "tentosFlor", "tentosTruco"),
    *("tentosAnterioresRobo", "tentosAnterioresHumano", "tentosPosterioresRobo", "tentosPosterioresHumano"),
)


def suit_of(column: str) -> str:
    return f"naipe{column[0].upper()}{column[1:]}"


COLUMNS = ("idMao", "idPartida", "jogadorMao", *CARDS, *TRICKS, *map(suit_of, (*CARDS, *TRICKS)), *WHO, *NUMBERS)

DEAL = ("3e 12b 5c", "1b 2o 2b")


def cell(text: str) -> tuple[str, str]:
    """Code and suit of `3e`, of a number such as `-46` (no suit), or of both as in `-46:e`."""
    if ":" in text or text.lstrip("-").isdigit():
        code, _, suit = text.partition(":")
        return code, SUITS.get(suit, "NULL")
    return str(SINGLE.get(text) or CODES[text[:-1]]), SUITS[text[-1]]


def row(robo: str = "", humano: str = "", deal: tuple[str, str] = DEAL, **given: Any) -> dict[str, str]:
    """One row: the cards each side laid, and any column by name. Robo is mano, the score 0-0 and 1-0 after."""
    cells = dict.fromkeys(COLUMNS, "0")
    cells |= dict.fromkeys((*CARDS, *TRICKS, *map(suit_of, (*CARDS, *TRICKS))), "NULL")
    cells |= {"idMao": "1", "idPartida": "m", "jogadorMao": "1", "tentosTruco": "1", "tentosPosterioresRobo": "1"}
    cells |= {"quemGanhouTruco": "1", "pontosEnvidoRobo": "NULL", "pontosEnvidoHumano": "NULL"}
    for names, cards in ((CARDS[:3], deal[0]), (CARDS[3:], deal[1]), (TRICKS[:3], robo), (TRICKS[3:], humano)):
        for name, card in zip(names, cards.split(), strict=False):
            cells[name], cells[suit_of(name)] = cell(card)
    return cells | {name: str(value) for name, value in given.items()}


def file_of(*rows: dict[str, str], delimiter: str = "\t", match: bool = True, end: str = "\n") -> bytes:
    names = [name for name in COLUMNS if match or name != "idPartida"]
    lines = [names, *([cells[name] for name in names] for cells in rows)]
    return "".join(delimiter.join(line) + end for line in lines).encode()


def read(*rows: dict[str, str], choose: Rows = "distinct", **layout: Any) -> list[Imported]:
    return list(read_ufsm(io.BytesIO(file_of(*rows, **layout)), rows=choose))


def one(robo: str = "", humano: str = "", **given: Any) -> Imported:
    [imported] = read(row(robo, humano, **given))
    assert imported.record is not None
    return imported


def events(imported: Imported) -> str:
    assert imported.record is not None
    return ", ".join(imported.record["events"])


def clean(imported: Imported) -> str:
    """The events of a row without a contradiction, whose record is legal and gives the claimed points."""
    assert [finding.message for finding in imported.findings] == []
    assert imported.record is not None
    found = oracle.replay(imported.record)
    assert found["legal"], found
    assert total(found) == imported.record["points"]
    return events(imported)


def total(found: dict[str, Any]) -> list[int] | None:
    parts = list(found["points"].values())
    if any(part is None for part in parts):
        return None
    return [sum(part[side] for part in parts) for side in (0, 1)]


def messages(imported: Imported) -> str:
    return "; ".join(finding.message for finding in imported.findings)


# -- layouts


def test_layouts_agree() -> None:
    sample = row("3e 12b", "2b 2o", quemTruco=2, quandoTruco=3, quemNegouTruco=1, quemGanhouTruco=2)
    sample |= {"tentosPosterioresRobo": "0", "tentosPosterioresHumano": "1"}
    tabs, commas, plain = read(sample), read(sample, delimiter=",", match=False), read(sample, match=False)
    crlf = read(sample, end="\r\n")
    expected = "0 3e, 1 2b, 0 12b, 1 2o, 1 truco, 0 no-quiero"
    assert [events(found[0]) for found in (tabs, commas, plain, crlf)] == [expected] * 4
    names = [found[0].record["match"] for found in (tabs, commas, plain, crlf) if found[0].record]
    assert names == ["m", "ufsm-1", "ufsm-1", "m"]


def test_path_and_mark(tmp_path: Path) -> None:
    path = tmp_path / "base.csv"
    path.write_bytes(b"\xef\xbb\xbf" + file_of(row("3e 12b", "2b 2o")))
    assert [imported.line for imported in read_ufsm(path)] == [2]


def test_foreign_header() -> None:
    with pytest.raises(NotationError, match=r"no column 'jogadorMao'.*missing") as caught:
        list(read_ufsm(io.BytesIO(b"idMao\tcartaAltaRobo\n1\t52\n")))
    assert caught.value.code == "MISSING_FIELD"


def test_record() -> None:
    imported = one(
        "3e 12b 5c", "2b 2o 1b", pontosEnvidoRobo=5, pontosEnvidoHumano=23, quemGanhouTruco=2, tentosPosterioresRobo=0,
        tentosPosterioresHumano=1,
    )  # fmt: skip
    assert imported.line == 2
    assert imported.record == {
        "v": 1,
        "match": "m",
        "hand": 1,
        "rules": {"base": "gaucho", "covered_from": 1, "score_timing": "end_of_hand"},
        "players": ["Robo", "Humano"],
        "dealer": 1,
        "score": [0, 0],
        "deal": ["3e 12b 5c", "1b 2o 2b"],
        "events": ["0 3e", "1 2b", "0 12b", "1 2o", "1 1b", "0 5c"],
        "points": [0, 1],
        "_ufsm": {
            "row": 1, "match": "m", "hand_winner": 1, "envido_points": [5, 23], "reconstructed": [], "raw": {},
        },
    }  # fmt: skip


# -- cards


def test_codes() -> None:
    dealt = [one(deal=deal, quemBaralho=2).record for deal in (("7o 7b 4c", "1c 7e 10b"), ("1e 11o 6e", "3c 7c 2e"))]
    assert [record["deal"] for record in dealt if record] == [["7o 7b 4c", "1c 7e 10b"], ["1e 11o 6e", "3c 7c 2e"]]


def test_unknown_hand() -> None:
    imported = one("3e", "-10", deal=("3e 12b 5c", "0 0 0"), quemBaralho=2, quandoBaralho=1)
    assert imported.record is not None and imported.record["deal"] == ["3e 12b 5c", None]
    assert clean(imported) == "0 3e, 1 mazo"


def test_no_card() -> None:
    imported = one(deal=("4:o 12b 5c", DEAL[1]), quemBaralho=2)
    assert imported.record is not None
    assert imported.record["deal"][0] == "? 12b 5c"
    assert imported.record["_ufsm"]["raw"] == {"cartaAltaRobo": "4", "naipeCartaAltaRobo": "OURO"}
    assert "cartaAltaRobo 4 with suit o is no card" in messages(imported)


def test_filler_is_no_card() -> None:
    imported = one("3e -46", "2b 1", quemTruco=1, quandoTruco=2, quemNegouTruco=2)
    assert clean(imported) == "0 3e, 1 2b, 0 truco, 1 no-quiero"


def test_overwritten_code_is_a_card_laid() -> None:
    imported = one("3e -46:c", "2b 0", quemBaralho=2, quandoBaralho=2)
    assert clean(imported) == "0 3e, 1 2b, 0 5c, 1 mazo"
    assert imported.record is not None
    assert imported.record["_ufsm"]["reconstructed"] == ["card.0.2", "fold.place"]


def test_ambiguous_card_is_the_weaker_unless_the_result_says_otherwise() -> None:
    deal = ("3e 12b 5b", "2o 11b 4b")
    assert clean(one("3e -46:b", "2o 0", deal=deal, quemBaralho=2, quandoBaralho=2)) == "0 3e, 1 2o, 0 5b, 1 mazo"
    assert clean(one("3e -46:b", "2o 11b", deal=deal)) == "0 3e, 1 2o, 0 12b, 1 11b"


def test_own_fold_is_no_card() -> None:
    imported = one(
        "12b -10:e", "2b 2o", quemBaralho=1, quandoBaralho=2, quemGanhouTruco=2, tentosPosterioresRobo=0,
        tentosPosterioresHumano=1,
    )  # fmt: skip
    assert clean(imported) == "0 12b, 1 2b, 1 2o, 0 mazo"


def test_face_down() -> None:
    named = one("-1:c 3e 12b", "2b 2o 1b", quemGanhouTruco=2, tentosPosterioresRobo=0, tentosPosterioresHumano=1)
    assert clean(named) == "0 cover 5c, 1 2b, 1 2o, 0 3e, 0 12b, 1 1b"
    assert events(one("-1", "2b", quemBaralho=1)).startswith("0 cover, 1 2b")


def test_contradicting_cards_become_unknown() -> None:
    stranger = one("3o", "2b", quemTruco=2, quandoTruco=1)
    assert stranger.record is not None and stranger.record["deal"][0] == "? 12b 5c"
    assert "primeiraCartaRobo 3o is not among the dealt cards 3e 12b 5c" in messages(stranger)
    shared = one(deal=("3e 12b 5c", "3e 2o 2b"), quemBaralho=2)
    assert shared.record is not None and shared.record["deal"] == ["? 12b 5c", "? 2o 2b"]
    assert "the same card is in two places: 3e" in messages(shared)
    points = one(deal=("3e 12b 5e", DEAL[1]), quemBaralho=2, pontosEnvidoRobo=5)
    assert points.record is not None and points.record["deal"][0] == "? 12b ?"
    assert "pontosEnvidoRobo 5, but 3e 12b 5e make 28" in messages(points)


# -- calls


def test_envido_ladder_and_order() -> None:
    imported = one(
        "3e 12b -46", "2b 2o 1", quemPediuEnvido=2, quemPediuRealEnvido=1, quemPediuFaltaEnvido=2, quemNegouEnvido=1,
        quemGanhouEnvido=2, tentosEnvido=5, quemTruco=1, quandoTruco=1, quemBaralho=2, quandoBaralho=3,
        pontosEnvidoRobo=5, pontosEnvidoHumano=23, tentosTruco=2, tentosPosterioresRobo=2, tentosPosterioresHumano=5,
        jogadorMao=2,
    )  # fmt: skip
    assert events(imported).startswith("1 envido, 0 real-envido, 1 falta-envido, 0 no-quiero, 1 2b, 0 truco, 1 quiero")
    assert imported.record is not None
    assert {"envido.order", "envido.place", "truco.place"} <= set(imported.record["_ufsm"]["reconstructed"])


def test_envido_answers_the_truco_of_the_mano() -> None:
    imported = one(
        "3e 12b", "2b", quemPediuEnvido=2, quemGanhouEnvido=2, tentosEnvido=2, quemTruco=1, quandoTruco=1,
        quemBaralho=2, quandoBaralho=2, tentosTruco=2, pontosEnvidoRobo=5, pontosEnvidoHumano=23,
        tentosPosterioresRobo=2, tentosPosterioresHumano=2,
    )  # fmt: skip
    assert clean(imported) == "0 truco, 1 envido, 0 quiero, 1 quiero, 0 3e, 1 2b, 0 12b, 1 mazo"


def test_concession_is_said() -> None:
    given = {"quemPediuEnvido": 1, "quemGanhouEnvido": 1, "tentosEnvido": 2, "pontosEnvidoHumano": 7}
    deal = ("3e 12b 5e", "1b 2o 7c")
    imported = one("3e", "-10", deal=deal, quemEscondeuPontosEnvido=2, pontosEnvidoRobo=28, quemBaralho=2,
                   quandoBaralho=1, tentosPosterioresRobo=3, **given)  # fmt: skip
    assert clean(imported) == "0 envido, 1 quiero, 0 28, 1 son-buenas, 0 3e, 1 mazo"


def test_flor_over_envido() -> None:
    imported = one(
        "3e", "-10", deal=("3e 12b 5c", "2b 4b 6b"), quemPediuEnvido=1, quemFlor=2, quemBaralho=2, quandoBaralho=1,
        tentosPosterioresHumano=3, pontosEnvidoHumano=32, pontosEnvidoRobo=5,
    )  # fmt: skip
    assert clean(imported) == "0 envido, 1 flor, 0 3e, 1 mazo"


def test_flor_against_flor() -> None:
    imported = one(
        "3e", "-10", deal=("3e 5e 7e", "2b 4b 6b"), quemFlor=1, quemFlorFlor=2, quemGanhouFlor=1, tentosFlor=6,
        quemBaralho=2, quandoBaralho=1, tentosPosterioresRobo=7,
    )  # fmt: skip
    assert clean(imported) == "0 flor, 1 flor, 0 3e, 1 mazo"


def test_raises_stand_in_their_tricks() -> None:
    imported = one(
        "3e 12b 5c", "2b 2o 1b", quemTruco=1, quandoTruco=2, quemRetruco=2, quandoRetruco=3, quemValeQuatro=1,
        quandoValeQuatro=3, tentosTruco=4, quemGanhouTruco=2, tentosPosterioresRobo=0, tentosPosterioresHumano=4,
    )  # fmt: skip
    assert clean(imported) == (
        "0 3e, 1 2b, 0 truco, 1 quiero, 0 12b, 1 2o, 1 retruco, 0 vale-cuatro, 1 quiero, 1 1b, 0 5c"
    )


def test_call_between_tricks_may_count_to_the_trick_before() -> None:
    imported = one("3e -46", "2b 1", quemTruco=1, quandoTruco=1, quemNegouTruco=2)
    assert clean(imported) == "0 3e, 1 2b, 0 truco, 1 no-quiero"


def test_fold_answers_a_raise_if_the_points_say_so() -> None:
    refused = one("3e -46", "2b 1", quemTruco=1, quandoTruco=2, quemBaralho=2, quandoBaralho=2)
    assert clean(refused) == "0 3e, 1 2b, 0 truco, 1 mazo"
    accepted = one("3e 5c", "2b 0", quemTruco=1, quandoTruco=2, quemBaralho=2, quandoBaralho=2, tentosTruco=2,
                   tentosPosterioresRobo=2)  # fmt: skip
    assert clean(accepted) == "0 3e, 1 2b, 0 truco, 1 quiero, 0 5c, 1 mazo"


# -- contradictions


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"quemNegouTruco": 2}, "quemNegouTruco 2, but nobody called truco"),
        ({"quemBaralho": 1, "quandoBaralho": 1}, "calls and cards give 2 1, but quemGanhouTruco 1, tentosTruco 1"),
        ({}, "no column says how the hand ended"),
        ({"quemBaralho": 2, "quemGanhouEnvido": 2}, "nobody called envido, but quemNegouEnvido 0, quemGanhouEnvido 2"),
        ({"quemBaralho": 2, "quemPediuEnvido": 1}, "envido 1 has no answer"),
        (
            {"quemBaralho": 2, "quemPediuEnvido": 1, "quemNegouEnvido": 2, "quemGanhouEnvido": 1, "tentosEnvido": 2},
            "envido 1 declined by 2 gives 1 1, but quemGanhouEnvido 1, tentosEnvido 2",
        ),
        (
            {"quemBaralho": 2, "quemPediuFaltaEnvido": 1, "quemGanhouEnvido": 1, "tentosEnvido": 5},
            "falta-envido 1 accepted is worth 24, but quemGanhouEnvido 1, tentosEnvido 5",
        ),
        ({"quemBaralho": 2, "tentosPosterioresRobo": 9}, "the score rises by 9-0, but tentos and flor give 1-0"),
        ({"quemBaralho": 2, "tentosEnvido": 2}, "points that nobody won"),
        ({"quemBaralho": 2, "tentosAnterioresRobo": 25, "tentosPosterioresRobo": 26}, "25-0 has already reached 24"),
        ({"quemBaralho": 2, "quemTruco": 7}, "quemTruco is 7, not 0, 1 or 2"),
        ({"quemBaralho": 2, "tentosTruco": "?"}, "tentosTruco is '?', not a number"),
        ({"quemBaralho": 2, "quemRetruco": 1}, "no legal order of calls and cards has quemRetruco 1"),
        (
            {"quemTruco": 1, "quandoTruco": 1, "quemNegouTruco": 2, "quemGanhouTruco": 2},
            "quemNegouTruco 2, but quemGanhouTruco is 2 too: the refusal is not written",
        ),
    ],
)
def test_contradictions_are_told(given: dict[str, Any], told: str) -> None:
    imported = one(**given)
    assert told in messages(imported)
    assert {finding.code for finding in imported.findings} == {"IMPORT_CONTRADICTION"}
    assert {finding.line for finding in imported.findings} == {2}


def test_refusal_that_cannot_be_is_kept_raw() -> None:
    imported = one("3e", "2b", quemTruco=1, quandoTruco=1, quemNegouTruco=2, quemGanhouTruco=2)
    assert imported.record is not None
    assert imported.record["_ufsm"]["raw"] == {"quemNegouTruco": "2"}


def test_envido_that_wins_the_game() -> None:
    imported = one(
        "3e", "-10", quemPediuEnvido=1, quemNegouEnvido=2, quemGanhouEnvido=1, tentosEnvido=1, quemBaralho=2,
        tentosAnterioresRobo=23, tentosPosterioresRobo=25,
    )  # fmt: skip
    assert "envido and flor (1-0) win the game at 24, but tentosTruco 1 is added too" in messages(imported)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"jogadorMao": 0}, "no hand without numbers in all of idMao 1, jogadorMao 0"),
        ({"tentosAnterioresRobo": "NULL"}, "tentosAnterioresRobo NULL"),
        ({"tentosAnterioresHumano": "-3"}, "tentosAnterioresHumano -3"),
        ({"idMao": "x"}, "idMao x"),
    ],
)
def test_rows_that_are_no_hand(given: dict[str, str], told: str) -> None:
    [imported] = read(row(**given))
    assert imported.record is None
    assert [finding.code for finding in imported.findings] == ["IMPORT_SKIPPED"]
    assert told in messages(imported)


def test_torn_line() -> None:
    data = file_of(row(quemBaralho=2)) + b"2\tm\t1\n\n" + file_of(row(quemBaralho=2)).split(b"\n")[1] + b"\n"
    found = list(read_ufsm(io.BytesIO(data)))
    assert [imported.line for imported in found] == [2, 3, 5]
    assert "the row has 3 columns where the header names" in messages(found[1])


# -- matches and twins


def test_score_that_falls_opens_a_game() -> None:
    first = row(quemBaralho=2, tentosAnterioresRobo=22, tentosPosterioresRobo=23)
    second = row(idMao=2, quemBaralho=2, tentosAnterioresRobo=25, tentosPosterioresRobo=1)
    third = row(idMao=3, quemBaralho=2, tentosAnterioresRobo=1, tentosPosterioresRobo=2)
    records = [imported.record for imported in read(first, second, third)]
    places = [(record["match"], record["hand"], record["score"]) for record in records if record]
    assert places == [("m", 1, [22, 0]), ("m/2", 1, [0, 0]), ("m/2", 2, [1, 0])]
    told = read(first, second)[1]
    assert "falls from tentosAnteriores 25-0 to tentosPosteriores 1-0: read as a new game from 0-0" in messages(told)
    assert told.record is not None
    assert told.record["_ufsm"]["reconstructed"] == ["fold.place", "score"]
    assert told.record["_ufsm"]["raw"] == {"tentosAnterioresRobo": "25"}


def test_matches_without_an_id_are_told_by_the_score() -> None:
    rows = [
        row(idMao=number, quemBaralho=2, tentosAnterioresRobo=old, tentosPosterioresRobo=old + 1)
        for number, old in ((1, 0), (2, 1), (7, 0), (8, 1))
    ]
    records = [imported.record for imported in read(*rows, delimiter=",", match=False)]
    assert [(record["match"], record["hand"]) for record in records if record] == [
        ("ufsm-1", 1),
        ("ufsm-1", 2),
        ("ufsm-7", 1),
        ("ufsm-7", 2),
    ]


def mirror(cells: dict[str, str], number: int) -> dict[str, str]:
    """The same deal and score from the other side."""
    twin = dict(cells) | {"idMao": str(number), "jogadorMao": {"1": "2", "2": "1"}[cells["jogadorMao"]]}
    for name, value in cells.items():
        if name.endswith("Robo"):
            other = name.removesuffix("Robo") + "Humano"
            twin[name], twin[other] = cells[other], value
    return twin


def test_twins() -> None:
    hand = row(quemBaralho=2)
    other = row(quemBaralho=2, tentosAnterioresRobo=1, tentosPosterioresRobo=2)
    rows = [hand, mirror(hand, 972), mirror(other, 973), mirror(hand, 1946), mirror(hand, 4000)]
    distinct, unmirrored, everything = (read(*rows, choose=choose) for choose in ("distinct", "unmirrored", "all"))
    assert [imported.record is not None for imported in distinct] == [True, False, False, True, False]
    assert [imported.skipped for imported in distinct] == [
        None,
        "mirror twin of line 2",
        None,
        None,
        "mirror twin of line 2",
    ]
    assert "row 973 lies where the base repeats its hands" in messages(distinct[2])
    assert "the row mirrors the row at line 2" in messages(distinct[3])
    assert [imported.record is not None for imported in unmirrored] == [True, False, True, False, False]
    assert all(imported.record is not None for imported in everything)


# -- anything goes in, nothing is lost


VALUES = st.sampled_from(
    ["NULL", "0", "1", "2", "3", "-1", "-15", "-46", "-10", "24", "4", "99", "x", "", *SUITS.values()]
)


@settings(max_examples=150, deadline=None)
@example(("3e -46:c", "2b"), {"cartaMediaHumano": "NULL"}, {"quemFlor": "2", "quemBaralho": "2", "quemContraFlor": "2"})
@given(
    st.sampled_from([("3e 12b 5c", "2b 2o 1b"), ("3e -46:c", "2b"), ("", ""), ("12b 3e", "1b 2b")]),
    st.dictionaries(st.sampled_from(COLUMNS), VALUES, max_size=8),
    st.dictionaries(st.sampled_from(WHO), st.sampled_from(["1", "2"]), max_size=6),
)
def test_whatever_is_illegal_is_told(cards: tuple[str, str], cells: dict[str, str], who: dict[str, str]) -> None:
    [imported] = read(row(*cards) | who | cells, choose="all")
    if imported.record is None:
        assert [finding.code for finding in imported.findings] == ["IMPORT_SKIPPED"]
    elif not imported.findings:
        found = oracle.replay(imported.record)
        assert found["legal"], (found, imported.record)
        assert total(found) == imported.record["points"]


# -- the real base


def real_file() -> Path:
    folder = os.environ.get("TRUCOSTATS_UFSM_DIR")
    if not folder:
        pytest.skip("the UFSM base is not part of the project: set TRUCOSTATS_UFSM_DIR to the folder that holds it")
    path = Path(folder) / "dbtrucocbr_maos.csv"
    if not path.is_file():
        pytest.skip(f"{path} does not exist")
    return path


def words_of(record: dict[str, Any]) -> set[str]:
    return {event.split(" ", 1)[1] for event in record["events"]}


def ufsm_counts(records: list[dict[str, Any]]) -> dict[str, int]:
    counts = Counter({"hands": len(records)})
    for record in records:
        words = words_of(record)
        counts["mano"] += record["_ufsm"]["hand_winner"] == 1 - record["dealer"]
        counts["envido"] += bool(words & {"envido", "real-envido", "falta-envido"})
        for word in ("truco", "retruco", "vale-cuatro", "flor"):
            counts[word] += word in words
    return dict(counts)


def test_real_counts() -> None:
    found = list(read_ufsm(real_file()))
    records = [imported.record for imported in found if imported.record is not None]
    assert ufsm_counts(records) == {
        "hands": 1597,
        "mano": 657,
        "truco": 1213,
        "retruco": 342,
        "vale-cuatro": 101,
        "envido": 1003,
        "flor": 130,
    }
    numbers = [record["_ufsm"]["row"] for record in records]
    assert numbers == [*range(1, 972), *range(1946, 2572)]
    assert len(found) == 3195
    assert all(imported.skipped or imported.findings for imported in found if imported.record is None)


def test_real_twins() -> None:
    path = real_file()
    unmirrored = [imported for imported in read_ufsm(path, rows="unmirrored") if imported.record is not None]
    everything = list(read_ufsm(path, rows="all"))
    assert len(unmirrored) == 1650
    assert sum(imported.record is not None for imported in everything) == 3195


def test_real_hands_are_legal_or_told() -> None:
    legal: Counter[str] = Counter()
    agree: Counter[str] = Counter()
    for imported in read_ufsm(real_file()):
        if imported.record is None:
            continue
        number = imported.record["_ufsm"]["row"]
        block = "A" if number <= 513 else "B" if number <= 971 else "mirrored" if number <= 1966 else "C"
        found = oracle.replay(imported.record)
        same = total(found) == imported.record.get("points")
        legal[block] += found["legal"]
        agree[block] += found["legal"] and same
        assert (found["legal"] and same) or imported.findings, (number, found)
    assert legal == {"A": 508, "B": 458, "mirrored": 17, "C": 605}
    assert agree == {"A": 423, "B": 445, "C": 601, "mirrored": 0}
