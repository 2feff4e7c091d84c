"""The commands on one position: advise, solve, and the blueprint behind them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from trucostats.cli.advice_page import advice_page, percent
from trucostats.cli.app import GAME, announce_compiling, examples, group, note, usage_error
from trucostats.cli.game import Output, complete_rules
from trucostats.cli.output import to_json, write_parts, write_text

if TYPE_CHECKING:
    from trucostats.solver.solve import Solution

JsonOrTable = Literal["table", "json"]
SOLVED_ROWS: Final = 40

Source = Annotated[
    str | None,
    typer.Argument(
        metavar="[POSITION]", help="A file with one record, - for standard input, or LOG:LINE or LOG:LINE:EVENT."
    ),
]
HandOption = Annotated[
    str | None, typer.Option("--hand", metavar="CARDS", help='The cards you were dealt, as in "7c 5c 12e".')
]
Score = Annotated[str | None, typer.Option(metavar="A-B", help="Points before the hand, team 0 first, as in 25-27.")]
RulesOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="A rule set, a label, JSON, or a file of house rules.", autocompletion=complete_rules
    ),
]
Events = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help='What has happened: "0 7c, 1 truco". Seats count from 0; seat 0 is mano unless --dealer says so.',
    ),
]
Dealer = Annotated[int | None, typer.Option(help="The seat of the dealer.")]
Turned = Annotated[str | None, typer.Option(metavar="CARD", help="The turned card, where the rules turn one.")]
Seat = Annotated[int | None, typer.Option(help="The seat that asks; by default the one that has to act.")]
FormatChoice = Annotated[JsonOrTable, typer.Option("--format", help="table or json.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the app."""
    app.command(rich_help_panel=GAME, epilog=_ADVISE)(advise)
    app.command(rich_help_panel=GAME, epilog=_SOLVE)(solve)
    plans = group("Solve the whole truco of two, and keep the early stages.")
    plans.command("build", epilog=_BUILD)(blueprint_build)
    plans.command("show", epilog=examples("blueprint show", "blueprint show --rules mineiro"))(blueprint_show)
    app.add_typer(plans, name="blueprint", rich_help_panel=GAME)


_ADVISE = examples(
    'advise --hand "7c 3c 12e" --events "0 12e, 1 2e, 1 truco"',
    'advise --hand "1e 7o 4c" --score 28-25 --events "0 7o, 1 2e, 0 truco, 1 retruco" --lang es',
    "advise club.jsonl:12:5 --tables tables",
)


def advise(
    source: Source = None,
    *,
    hand: HandOption = None,
    score: Score = None,
    rules: RulesOption = None,
    events: Events = None,
    dealer: Dealer = None,
    turned: Turned = None,
    seat: Seat = None,
    seats: Annotated[
        int | None, typer.Option(help="Players at the table; by default the fewest the rules allow.")
    ] = None,
    partner: Annotated[
        str | None,
        typer.Option(
            metavar="CARDS",
            help="At a table of four, the cards your partner was dealt, as far as you know: ? for others.",
        ),
    ] = None,
    tables: Annotated[str | None, typer.Option(metavar="DIR", help="A dataset to look for the same spot in.")] = None,
    target: Annotated[
        float, typer.Option(min=0, help="Solve until no more than so many points a hand can be won off the solution.")
    ] = 0.002,
    seconds: Annotated[
        float | None, typer.Option(min=0, help="Solve no longer than this, and do not look in the blueprint.")
    ] = None,
    blueprint: Annotated[
        bool,
        typer.Option(
            help="Use the blueprint for ranges and early decisions; without it all hands are as likely to have acted so."
        ),
    ] = True,
    lang: Annotated[
        Literal["en", "es", "pt"], typer.Option(help="The language of the answer; notes are in English.")
    ] = "en",
    format: FormatChoice = "table",
    output: Output = None,
) -> None:
    """Say what to do: what every action is worth in points and in chances to win the match, how sure that is, and why.

    The position is that of the decision. With four and six players the answer is a heuristic. It says whether it is exact, solved (with its exploitability),
    looked up in the blueprint, or a heuristic.
    """  # fmt: skip
    announce_compiling(solver=True)
    from trucostats.advisor.advise import advise as ask  # noqa: PLC0415
    from trucostats.advisor.position import position_from  # noqa: PLC0415

    position = position_from(
        source, hand=hand, score=score, rules=rules, events=events, dealer=dealer, seats=seats, turned=turned, seat=seat
    )
    found = ask(
        position, tables=tables, target=target, seconds=seconds, blueprint=blueprint, partner=partner, tell=note
    )
    if format == "json":
        write_text(to_json(found.to_dict(lang), indent=2), output)
    else:
        write_parts(advice_page(found, lang), output)


_SOLVE = examples(
    'solve --rules \'{"base":"argentino","envido":false}\' --events "0 3c, 1 2e"',
    'solve --events "0 3c, 1 2e, 0 truco" --target 0.0005 --format json',
    "solve club.jsonl:3:4 --ranges blueprint",
)


def solve(
    source: Source = None,
    *,
    score: Score = None,
    rules: RulesOption = None,
    events: Events = None,
    dealer: Dealer = None,
    turned: Turned = None,
    ranges: Annotated[
        str,
        typer.Option(
            metavar="uniform|blueprint|FILE",
            help="How likely hands are: all alike, as the blueprint plays, or two lists of weights by hand in a JSON file.",
        ),
    ] = "uniform",
    utility: Annotated[Literal["points", "match"], typer.Option(help="What the players play for.")] = "points",
    target: Annotated[
        float, typer.Option(min=0, help="Stop at this exploitability, in the unit of --utility.")
    ] = 0.002,
    seconds: Annotated[float | None, typer.Option(min=0, help="Stop after so long.")] = None,
    iterations: Annotated[int | None, typer.Option(min=1, help="Stop after so many iterations.")] = None,
    format: FormatChoice = "table",
    output: Output = None,
) -> None:
    """Solve the truco of two from a public state on, nobody's cards being known: values, exploitability, strategy of who acts.

    Cards on the table are known, hands are not. The envido counts as closed.
    """
    announce_compiling(solver=True)
    from trucostats.advisor.position import position_from  # noqa: PLC0415
    from trucostats.advisor.solving import solve_position  # noqa: PLC0415

    if source is None and events is None and rules is None:
        raise usage_error("name a position, or describe it with --events and --rules")
    position = position_from(
        source, hand=None, score=score, rules=rules, events=events or (None if source else ""), dealer=dealer, seats=None, turned=turned,
        unknown=True,
    )  # fmt: skip
    found = solve_position(
        position, ranges=ranges, utility=utility, target=target, seconds=seconds, iterations=iterations
    )
    if format == "json":
        write_text(to_json(_solved(found, utility, every=True), indent=2), output)
        return
    told = _solved(found, utility, every=False)
    rows = [
        (row["hand"], row["action"], percent(row["frequency"]), f"{row['worth']:+.3f}", percent(row["weight"]))
        for row in told["strategy"]
    ]
    unit = "points" if utility == "points" else "chances to win the match"
    write_parts(
        [
            f"{position.source}: worth {told['values'][0]:+.4f} to team 0, {told['values'][1]:+.4f} to team 1 ({unit}).",
            f"Exploitability {told['exploitability']:.2g} after {told['iterations']} iterations, {told['seconds']:.2f} s.",
            f"STRATEGY of seat {found.player}, its likeliest hands",
            (("holds", "action", "frequency", "worth", "likely"), rows),
        ],
        output,
    )  # fmt: skip


def _solved(found: Solution, utility: str, *, every: bool) -> dict[str, Any]:
    from trucostats.advisor.solving import strategy_rows  # noqa: PLC0415

    rows = strategy_rows(found)
    return {
        "values": list(found.values), "exploitability": found.exploitability, "iterations": found.solver.iterations,
        "seconds": round(found.solver.seconds, 4), "utility": utility, "player": found.player,
        "strategy": rows if every else rows[:SOLVED_ROWS],
    }  # fmt: skip


_BUILD = examples(
    "blueprint build --rules paulista --turned 4e --target 0.01",
    "blueprint build --rules argentino -o blueprints",
)


def blueprint_build(
    *,
    rules: RulesOption = "argentino",
    turned: Turned = None,
    target: Annotated[float, typer.Option(min=0, help="Stop at this exploitability in points a hand.")] = 1e-4,
    iterations: Annotated[int, typer.Option(min=1, help="Stop after so many iterations.")] = 2000,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="The folder to write it into; by default that in which advise looks."
        ),
    ] = None,
) -> None:
    """Solve the whole truco of two from the deal; takes from minutes to an hour, and 1 GB. advise uses it from then on.

    Where a card is turned there is one for each rank; suits do not matter.
    No random numbers are used: the same command gives the same blueprint.
    """
    announce_compiling(solver=True)
    from trucostats.rules.house import parse_rules  # noqa: PLC0415
    from trucostats.solver.blueprint import build, built_here, write_blueprint  # noqa: PLC0415

    known = parse_rules(rules or "argentino")
    command = (
        f"trucostats blueprint build --rules {rules}"
        + (f" --turned {turned}" if turned else "")
        + f" --target {target:g}"
    )
    output = output or built_here()
    output.mkdir(parents=True, exist_ok=True)
    note("growing the tree…")
    plan, _ = build(
        known, turned=turned, target=target, iterations=iterations, command=command,
        report=lambda solver, gap: note(f"{solver.iterations} iterations, {solver.seconds:.0f} s: exploitability {gap:.6f}"),
    )  # fmt: skip
    print(write_blueprint(plan, output))


def blueprint_show(*, rules: RulesOption = "argentino", turned: Turned = None, format: FormatChoice = "table") -> None:
    """Tell what the blueprint for a rule set is: the value of the game, how exact, and how it was made."""
    from trucostats.errors import SolverError  # noqa: PLC0415
    from trucostats.rules.house import parse_rules  # noqa: PLC0415

    announce_compiling(solver=True)
    from trucostats.solver.blueprint import blueprint_of  # noqa: PLC0415

    plan = blueprint_of(parse_rules(rules or "argentino"), turned)
    if plan is None:
        card = f" --turned {turned}" if turned else ""
        raise SolverError(
            f"there is none yet; `trucostats blueprint build --rules {rules}{card}` makes it, in minutes to an hour"
        )
    if format == "json":
        write_text(to_json(plan.about, indent=2))
    else:
        write_parts([(("what", "value"), [(name, str(value)) for name, value in plan.about.items()])])
