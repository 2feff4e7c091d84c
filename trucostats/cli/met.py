"""The command on the match: met, the match equity table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from trucostats.cli.app import GAME, announce_compiling, examples, usage_error
from trucostats.cli.game import Output, complete_rules
from trucostats.cli.output import Format, Part, format_for, write_parts, write_rows, write_table
from trucostats.cli.picture import picture_kind, plotting, save_picture
from trucostats.cli.stats import FormatOption

if TYPE_CHECKING:
    from trucostats.rules import Rules
    from trucostats.solver.equity import MatchEquity
    from trucostats.solver.outcomes import Outcomes

POSITIONS: Final = ("mano", "pie")
LAST_ROWS: Final = 5


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the app."""
    app.command(rich_help_panel=GAME, epilog=_MET)(met)


def complete_outcomes(incomplete: str) -> list[str]:
    """Return the words for how hands end that begin with a text, for shell completion."""
    return [word for word in ("equilibrium", "truco") if word.startswith(incomplete)]


_MET = examples(
    "met",
    "met --score 27-25",
    "met --outcomes tables --seats 4 --rules gaucho",
    "met --target 15 -o met.parquet --plot met.png",
)


def met(
    *,
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A rule set, a label, or a file of house rules.", autocompletion=complete_rules
        ),
    ] = "argentino",
    target: Annotated[
        int | None, typer.Option(min=1, max=200, help="Points that win the match; those of the rules if left out.")
    ] = None,
    outcomes: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="How hands end: equilibrium, truco (its truco alone), or the DIR of a dataset, as `ingest --out` made it.",
            autocompletion=complete_outcomes,
        ),
    ] = "equilibrium",
    seats: Annotated[int, typer.Option(help="With a dataset: hands of so many players.")] = 2,
    score: Annotated[
        str | None, typer.Option(metavar="OWN-RIVAL", help="One score, yours first, as in 27-25: all there is to say.")
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="In a table or Markdown, every score.")] = False,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw it too: .png, .svg or .pdf (needs trucostats[plots]).")
    ] = None,
    format: FormatOption = None,
    output: Output = None,
) -> None:
    """Tell the chance of winning the match at a score, what a point is worth there, and what accepting a call needs.

    A hand is supposed to end alike at every score. The chances are those of your side: mano, if it leads the next hand. JSON, CSV
    and Parquet have a row for every score; a table shows the scores that matter most.
    """
    if plot is not None:
        picture_kind(plot)
        heatmap = plotting("trucostats.heatmap")
    own_rival = _score(score) if score is not None else None
    equity = _equity(rules, target, outcomes, seats)
    chosen = format_for(format, output)
    if own_rival is not None:
        _write_score(equity, own_rival, chosen, output)
    elif chosen == "table":
        write_parts(_page(equity, all), output)
    else:
        table = equity.arrow()
        if chosen == "markdown" and not all:
            shown = _shown(equity.target)
            rows = [tuple(row.values()) for row in equity.rows() if row["score_0"] in shown and row["score_1"] in shown]
            write_rows(table.column_names, rows, chosen, output)
        else:
            write_table(table, chosen, output)
    if plot is not None:
        save_picture(plot, heatmap.SIZE, lambda axes: heatmap.draw_equity(equity.arrow(), axes))


def _score(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(\d{1,3})\s*[-:a/ ]\s*(\d{1,3})\s*", text)
    if not found:
        raise usage_error(f"--score is {text!r}; it is written with your points first, as in 27-25")
    return int(found[1]), int(found[2])


def _equity(rules: str, target: int | None, outcomes: str, seats: int) -> MatchEquity:
    from trucostats.rules.house import parse_rules  # noqa: PLC0415

    known = parse_rules(rules)
    announce_compiling()
    from trucostats.solver.equity import match_equity  # noqa: PLC0415

    return match_equity(_outcomes(known, outcomes, seats), known.target if target is None else target)


def _outcomes(rules: Rules, outcomes: str, seats: int) -> Outcomes:
    from trucostats.errors import SolverError  # noqa: PLC0415
    from trucostats.solver.outcomes import equilibrium  # noqa: PLC0415

    if outcomes in ("equilibrium", "truco"):
        if seats != 2:
            raise usage_error("--seats goes with a dataset; the equilibrium is that of two players")
        try:
            return equilibrium(rules, "hand" if outcomes == "equilibrium" else "truco")
        except SolverError as error:
            raise SolverError(f"{error}; a dataset of such hands will do: --outcomes DIR") from error
    from trucostats.advisor.league import league_outcomes  # noqa: PLC0415

    return league_outcomes(outcomes, rules, seats=seats)


def _shown(target: int) -> list[int]:
    """Return the scores that a table has room for: steps first, then every one of the last few."""
    step = 5 if target > 15 else 2
    return sorted({*range(0, target, step), *range(max(target - LAST_ROWS, 0), target)})


def _page(equity: MatchEquity, every: bool) -> list[Part]:
    """Return the table of a match as texts and tables: own points down, the rival's across."""
    scores = list(range(equity.target)) if every else _shown(equity.target)
    names = ("own", *(f"{rival:>5}" for rival in scores))
    parts: list[Part] = [_about(equity)]
    for mano, position in enumerate(POSITIONS):
        rows = [
            (own, *(f"{100 * equity.chance(own, rival, mano):5.1f}" for rival in scores)) for own in reversed(scores)
        ]
        parts += [
            f"CHANCE TO WIN THE MATCH, in %, own side {position} in the next hand; rival's points across",
            (names, rows),
        ]
    rows = [(own, *(f"{equity.point_value(own, rival, 0):.3f}" for rival in scores)) for own in reversed(scores)]
    return [*parts, "WORTH OF A POINT, in chances to win, own side mano in the next hand", (names, rows)]


def _about(equity: MatchEquity) -> str:
    return f"{equity.outcomes.rules}, match to {equity.target} points.\nHow hands end: {equity.outcomes.status}."


def _write_score(equity: MatchEquity, score: tuple[int, int], format: Format, output: str | None) -> None:
    own, rival = score
    found: list[dict[str, Any]] = []
    for mano, position in enumerate(POSITIONS):
        chance, point = equity.chance(own, rival, mano), equity.point_value(own, rival, mano)
        low, high = equity.interval(own, rival, mano)
        found += [
            {
                "score_0": own, "score_1": rival, "next_hand": position, "chance": chance, "low": low, "high": high, "point": point, "call": step.word,
                "accepted": step.accepted, "refused": step.refused, "take_linear": step.linear, "take": step.chance,
            }
            for step in equity.take_points(own, rival, mano)
        ]  # fmt: skip
    if format == "table":
        write_parts(_score_page(equity, found), output)
    elif format == "parquet":
        import pyarrow as pa  # noqa: PLC0415

        write_table(pa.Table.from_pylist(found), format, output)
    else:
        write_rows(list(found[0]), [tuple(row.values()) for row in found], format, output)


def _score_page(equity: MatchEquity, found: list[dict[str, Any]]) -> list[Part]:
    own, rival = found[0]["score_0"], found[0]["score_1"]
    counted = equity.outcomes.hands is not None
    chances = {
        row["next_hand"]: (
            row["next_hand"],
            *(f"{100 * share:.1f} %" for share in (row["chance"], *((row["low"], row["high"]) if counted else ()))),
            row["point"],
        )
        for row in found
    }
    steps = {
        word: [row for row in found if row["call"] == word] for word in dict.fromkeys(row["call"] for row in found)
    }
    takes = [
        (word, rows[0]["accepted"], rows[0]["refused"], *(f"{100 * share:.1f} %" for share in
         (rows[0]["take_linear"], rows[0]["take"], rows[1]["take"])))
        for word, rows in steps.items()
    ]  # fmt: skip
    return [
        f"{own} to {rival}. {_about(equity)}",
        (
            ("next hand", "chance to win", *(("low", "high") if counted else ()), "worth of a point"),
            list(chances.values()),
        ),
        "TAKE POINTS: the least chance of winning the hand with which to accept a call of the rival, if points are only points and at this\n"
        "score, your side being mano or pie in the next hand. 0 % says that there is nothing to lose by accepting.",
        (("call", "accepted", "refused", "by points", "mano next", "pie next"), takes),
    ]
