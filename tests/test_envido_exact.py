"""The envido table of the catalogue: exactly by enumeration, and within its interval by simulated play."""

from __future__ import annotations

import math
from itertools import combinations

import duckdb
import pyarrow as pa
import pytest

from trucostats.ingest import ingest
from trucostats.kernel.params import NO_TURNED, card_tables
from trucostats.kernel.values import envido_of
from trucostats.queries import run
from trucostats.rules import rules_of
from trucostats.simulate import simulate

# Value, % of hands, % won as mano, % won as pie, % tied, over all 76,767,600 deals of two hands.
TABLE = """
0 1.09 0.57 0.00 0.57
1 1.50 1.74 0.85 0.88
2 2.47 3.91 2.28 1.63
3 3.68 7.40 4.79 2.61
4 5.14 12.51 8.69 3.82
5 6.84 19.55 14.29 5.26
6 8.79 28.83 21.89 6.93
7 10.97 40.66 31.82 8.84
20 3.68 43.39 40.41 2.99
21 3.77 46.81 43.75 3.06
22 3.77 50.61 47.55 3.06
23 5.10 55.90 51.16 4.74
24 5.10 61.19 56.45 4.74
25 6.48 68.01 61.62 6.40
26 6.48 74.84 68.45 6.40
27 7.89 83.25 75.19 8.06
28 4.13 87.44 83.22 4.22
29 4.25 91.79 87.43 4.35
30 2.87 94.59 91.78 2.81
31 2.96 97.48 94.59 2.89
32 1.50 98.72 97.48 1.24
33 1.54 100.00 98.72 1.28
"""
ROWS = [tuple(float(number) for number in line.split()) for line in TABLE.split("\n") if line]


@pytest.fixture(scope="module")
def exact():
    """Win counts of every value over all deals, by SQL over the kernel's values of the 9,880 hands."""
    cards = card_tables(rules_of("argentino"))[NO_TURNED]
    masks = [sum(1 << card for card in hand) for hand in combinations(range(40), 3)]
    hands = pa.table({"mask": masks, "value": [int(envido_of(mask, cards)) for mask in masks]})
    with duckdb.connect() as connection:
        connection.register("hands", hands)
        return connection.execute(
            """SELECT a.value, count(*) AS n, count_if(a.value > b.value) AS above, count_if(a.value = b.value) AS tied
            FROM hands AS a JOIN hands AS b ON a.mask & b.mask = 0 GROUP BY 1 ORDER BY 1"""
        ).fetchall()


def test_enumerated_deals_give_the_table_exactly(exact):
    assert sum(n for _, n, _, _ in exact) == 76_767_600
    found = [
        (value, n / 767_676, 100 * (above + tied) / n, 100 * above / n, 100 * tied / n)
        for value, n, above, tied in exact
    ]
    assert [tuple(round(number, 2) for number in row) for row in found] == [
        pytest.approx(row, abs=0.0051) for row in ROWS
    ]


def test_simulated_envidos_reproduce_the_table(tmp_path, exact):
    log = tmp_path / "envido.jsonl"
    log.write_bytes(
        b"".join(line + b"\n" for line in simulate("argentino", hands=40_000, players=2, policy="envido", seed=7))
    )
    report = ingest([log], tmp_path / "out", jobs=1)
    assert report.accepted == report.lines >= 40_000
    assert not report.findings
    reference = {}
    for value, n, above, tied in exact:
        reference[value, "mano"] = (above + tied) / n
        reference[value, "pie"] = above / n
    rows = run("envido_win_by_value", tmp_path / "out").rows()
    assert len(rows) == len(reference) == 44
    for row in rows:
        expected = reference[row["value"], row["position"]]
        assert row["reference"] == pytest.approx(expected)
        # 44 intervals at once: four standard errors of the exact rate, or the whole of a rate of 0 or 1
        margin = 4 * math.sqrt(expected * (1 - expected) / row["n"])
        assert row["n"] >= 150
        assert abs(row["rate"] - expected) <= margin
