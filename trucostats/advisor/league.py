"""How hands end in points where you play: the distribution behind a match equity, counted in a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from trucostats.dataset import Filters, quote
from trucostats.errors import DatasetError
from trucostats.queries import sql
from trucostats.rules import Rules
from trucostats.rules.house import parse_rules
from trucostats.solver.equity import LATE
from trucostats.solver.outcomes import Outcome, Outcomes

ENOUGH: Final = 200
COUNT: Final = """
WITH ends AS (
    SELECT
        if(mano % 2 = 0, envido0 + flor0, envido1 + flor1) AS early_mano,
        if(mano % 2 = 0, envido1 + flor1, envido0 + flor0) AS early_pie,
        if(mano % 2 = 0, truco0, truco1) AS truco_mano,
        if(mano % 2 = 0, truco1, truco0) AS truco_pie
    FROM hands
    ANTI JOIN uncounted USING (hand_id)
    ANTI JOIN pica_pica USING (hand_id)
    WHERE greatest(score0, score1) < $before
)
SELECT
    early_mano + truco_mano AS mano,
    early_pie + truco_pie AS pie,
    if(early_mano <> early_pie, early_mano > early_pie, truco_mano > 0) AS mano_first,
    count(*) AS hands
FROM ends
WHERE early_mano IS NOT NULL AND early_pie IS NOT NULL
GROUP BY ALL
ORDER BY hands DESC, mano, pie, mano_first
"""
PLAYED: Final = """
SELECT rules, seats, count(*) AS hands FROM hands ANTI JOIN uncounted USING (hand_id) GROUP BY ALL ORDER BY hands DESC, rules, seats
"""


def league_outcomes(
    tables_dir: Path | str,
    rules: Rules | str = "argentino",
    *,
    seats: int = 2,
    least: int = ENOUGH,
    filters: Filters | None = None,
) -> Outcomes:
    """Return how the hands of a dataset end in points, from the mano's side; the envido and the flor count as scored first.

    Counted are legal, complete hands of exactly these rules and so many players, dealt before either side had four fifths of the
    target, and whose points are all known. `filters` may narrow them more. Raises `DatasetError` for fewer than `least` hands,
    saying which the dataset has.

    >>> league_outcomes("logs/tables", "gaucho").hands  # doctest: +SKIP
    1204
    """
    known = parse_rules(rules) if isinstance(rules, str) else rules
    table = f"rules = {quote(str(known))} AND seats = {int(seats)}"
    extra = filters or Filters()
    chosen = Filters(
        player=extra.player, rules=extra.rules, since=extra.since, until=extra.until,
        where=table if extra.where is None else f"{table} AND ({extra.where}\n)",
    )  # fmt: skip
    rows = sql(COUNT, tables_dir, filters=chosen, params={"before": LATE * known.target}).rows()
    hands = sum(row["hands"] for row in rows)
    if hands < max(least, 1):
        raise DatasetError(_too_few(tables_dir, known, seats, hands, max(least, 1)))
    found = [
        Outcome(
            row["hands"] / hands, row["mano"], row["pie"],
            ("mano" if row["mano_first"] else "pie") if row["mano"] and row["pie"] else None,
        )
        for row in rows
    ]  # fmt: skip
    status = (
        f"counted in {hands:,} hands of {seats} players, dealt before either side had {LATE * known.target:g} points"
    )
    return Outcomes.of(found, rules=known, status=status, hands=hands)


def _too_few(tables_dir: Path | str, rules: Rules, seats: int, hands: int, least: int) -> str:
    played = [
        f"{row['rules']} with {row['seats']} players ({row['hands']:,})" for row in sql(PLAYED, tables_dir).rows()
    ]
    have = f"it has complete hands of {'; '.join(played[:4])}" if played else "it has no complete hands"
    return (
        f"{hands} hands of {rules} with {seats} players are too few to say how a hand ends (at least {least}, dealt before either side has "
        f"{LATE * rules.target:g} points); {have}; ingest more logs, or use how hands end in equilibrium"
    )


__all__ = ["ENOUGH", "league_outcomes"]
