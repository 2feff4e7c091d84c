"""Commands on the game itself: rules, schema, perft, simulate."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from trucostats.cli.app import GAME, Group, announce_compiling, examples, group, note, usage_error
from trucostats.cli.output import to_json, write_lines, write_parts, write_rows, write_text

if TYPE_CHECKING:
    from trucostats.cli.output import Part
    from trucostats.rules import Rules

RulesFormat = Literal["table", "json", "markdown"]
Output = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write; standard output if left out.")
]


class RulesGroup(Group):
    """`rules` lists, `rules NAME` shows."""

    empty: ClassVar[str] = "list"
    implied: ClassVar[str | None] = "show"


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the app."""
    rules = group("List, show and compare rule sets.", cls=RulesGroup)
    rules.command("list", epilog=_LIST)(list_rules)
    rules.command("show", epilog=_SHOW)(show_rules)
    rules.command("diff", epilog=_DIFF)(diff_rules)
    app.add_typer(rules, name="rules", rich_help_panel=GAME, epilog=_SHOW)
    app.command(rich_help_panel=GAME, epilog=_SIMULATE)(simulate)
    app.command(rich_help_panel=GAME, epilog=_PERFT)(perft)
    app.command(rich_help_panel=GAME, epilog=_SCHEMA)(schema)


def complete_rules(incomplete: str) -> list[str]:
    """Return the rule sets that begin with a text, for shell completion."""
    from trucostats.rules import NAMES  # noqa: PLC0415

    return [name for name in NAMES if name.startswith(incomplete)]


_LIST = examples("rules list", "rules list --format json")


def list_rules(
    format: Annotated[RulesFormat, typer.Option(help="How to print.")] = "table",
    output: Output = None,
) -> None:
    """List the rule sets."""
    from trucostats.rules import NAMES, rules_of  # noqa: PLC0415
    from trucostats.rules.describe import TITLES  # noqa: PLC0415

    names = ("name", "game", "players", "target", "stakes", "envido", "flor", "turned card")
    rows = []
    for rules in map(rules_of, NAMES):
        stakes = " ".join(map(str, (rules.hand_value, *(worth for _, worth in rules.ladder))))
        players = " ".join(map(str, rules.players))
        rows.append(
            (rules.name, TITLES[rules.name], players, rules.target, stakes, rules.envido, rules.flor, rules.turned_card)
        )
    write_rows(names, rows, format, output)


_SHOW = examples(
    "rules show argentino",
    "rules show brasileiro manilhas=vira scale=2-4-8-12",
    "rules show --rules club.toml --format markdown",
)


def show_rules(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME [OPTION=VALUE]...",
            help="A rule set, with options that differ.",
            autocompletion=complete_rules,
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="FILE.toml", help="House rules: `base`, and the options that differ from it."),
    ] = None,
    format: Annotated[RulesFormat, typer.Option(help="How to print.")] = "table",
    output: Output = None,
) -> None:
    """Show all of a rule set: ranking, stakes, what may be called when, special hands, and every option with its source."""
    from trucostats.rules.describe import describe, rules_markdown  # noqa: PLC0415
    from trucostats.rules.house import parse_rules, read_rules  # noqa: PLC0415

    if (rules is None) == (not name):
        raise usage_error("give the name of a rule set, or --rules with a file of house rules")
    chosen = read_rules(rules) if rules is not None else parse_rules(" ".join(name or ()))
    if format == "json":
        write_text(to_json(describe(chosen), indent=2), output)
    elif format == "markdown":
        write_text(rules_markdown(chosen), output)
    else:
        write_parts(_parts(chosen), output)


def _parts(rules: Rules) -> list[Part]:
    """Return the page of a rule set as texts and tables."""
    from trucostats.rules.describe import describe, value_text  # noqa: PLC0415

    page: dict[str, Any] = describe(rules)
    stakes = ("call", "accepted", "refused")
    parts: list[Part] = [
        f"{page['title']}: {rules}\n{', '.join(map(str, page['players']))} players, to {page['target']} points. Evidence: {page['evidence']}.",
        "RANKING, from the strongest" + (f"\n{page['turned']}" if page["turned"] else ""),
        (("place", "cards"), [(place, "  ".join(cards)) for place, cards in enumerate(page["ranking"], start=1)]),
        ", ".join(f"{rank} is {court}" for rank, court in page["court_cards"].items()),
        f"STAKES; a hand without a call is worth {page['hand_value']}",
        (("step", *stakes), [tuple(step.values()) for step in page["ladder"]]),
    ]
    if page["calls"]:
        parts.append((stakes, [tuple(call.values()) for call in page["calls"]]))
    parts += ["WHEN", (("what", "rule"), [tuple(window.values()) for window in page["windows"]])]
    if page["special_hand"]:
        parts += ["SPECIAL HAND", page["special_hand"]["rule"]]
    if page["variants"]:
        rows = [(variant["name"], variant["value"], ", ".join(variant["allowed"])) for variant in page["variants"]]
        parts += ["VARIANTS", (("variant", "value", "allowed"), rows)]
    above = {"order_strong_to_weak": "the ranking above"} if rules.order_strong_to_weak else {}
    options = [
        (o["name"], above.get(o["name"]) or value_text(o["value"]), o["default"], o["allowed"], o["meaning"])
        for o in page["options"]
        if o["applies"]
    ]
    left_out = len(page["options"]) - len(options)
    return [
        *parts,
        f"OPTIONS; {left_out} that do nothing in these rules are left out, --format json and markdown have all, with their sources",
        (("option", "value", "default", "allowed", "meaning"), options),
    ]


_DIFF = examples(
    "rules diff argentino gaucho", "rules diff truc 'truc target=9'", "rules diff argentino club.toml --format json"
)


def diff_rules(
    one: Annotated[
        str, typer.Argument(metavar="A", help="A rule set, a label, or a file.", autocompletion=complete_rules)
    ],
    other: Annotated[str, typer.Argument(metavar="B", help="Another.", autocompletion=complete_rules)],
    format: Annotated[RulesFormat, typer.Option(help="How to print.")] = "table",
    output: Output = None,
) -> None:
    """Show the options in which two rule sets differ."""
    from trucostats.rules.describe import differences  # noqa: PLC0415
    from trucostats.rules.house import parse_rules  # noqa: PLC0415

    first, second = parse_rules(one), parse_rules(other)
    rows = differences(first, second)
    if not rows and format == "table":
        note(f"{first} and {second} are the same rules")
        return
    write_rows(
        ("option", str(first), str(second)) if str(first) != str(second) else ("option", one, other),
        rows,
        format,
        output,
    )


_SCHEMA = examples("schema > record.schema.json", "schema tables --format markdown", "schema findings -o findings.json")


def schema(
    what: Annotated[Literal["record", "tables", "findings"], typer.Argument(help="What to describe.")] = "record",
    format: Annotated[Literal["json", "markdown"], typer.Option(help="How to print.")] = "json",
    output: Output = None,
) -> None:
    """Print the schema of records, the dictionary of the tables, or the codes of findings."""
    from trucostats import schemas  # noqa: PLC0415

    pages = {
        "record": (schemas.record_schema, schemas.record_markdown),
        "tables": (schemas.tables, schemas.tables_markdown),
        "findings": (schemas.findings, schemas.findings_markdown),
    }
    as_json, as_markdown = pages[what]
    write_text(to_json(as_json(), indent=2) if format == "json" else as_markdown(), output)


_SIMULATE = examples(
    "simulate --rules gaucho --hands 1000 --players 4 -o test.jsonl",
    "simulate --rules truc --matches 3 --seed 7 --policy cards | trucostats replay -",
)


def simulate(
    *,
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A rule set, a label, or a file of house rules.", autocompletion=complete_rules
        ),
    ] = "argentino",
    hands: Annotated[int | None, typer.Option(min=1, help="Stop after so many hands.")] = None,
    matches: Annotated[int | None, typer.Option(min=1, help="Play so many matches.")] = None,
    players: Annotated[int | None, typer.Option(help="How many play; the fewest the rules allow if left out.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same log.")] = 0,
    policy: Annotated[
        str, typer.Option(help="How they play: plain, random, envido, cards; by commas one for each seat.")
    ] = "plain",
    series: Annotated[str | None, typer.Option(help="Several games a match: best_of_3 or queda.")] = None,
    view: Annotated[int | None, typer.Option(min=0, metavar="SEAT", help="Only what this seat saw.")] = None,
    faults: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of lines that get a fault.")] = 0.0,
    output: Output = None,
) -> None:
    """Play hands and write them as a log."""
    from trucostats.rules.house import parse_rules  # noqa: PLC0415

    chosen = parse_rules(rules)
    announce_compiling()
    from trucostats.simulate import simulate as play  # noqa: PLC0415

    policies = policy.split(",")
    try:
        lines = play(
            chosen, matches=matches, hands=hands, players=players, seed=seed, policy=policies if len(policies) > 1 else policy,
            series=series, view=view, faults=faults,
        )  # fmt: skip
    except ValueError as error:
        raise usage_error(str(error)) from error
    write_lines(lines, output)


_PERFT = examples(
    "perft position.jsonl --depth 5",
    "perft position.jsonl --divide",
    "perft --rules argentino --deal '1e 3c 11o / 7e 2b 10c' --depth 0 --no-mazo",
    "perft --rules gaucho --players 6 --divide",
)
# Hands of no pattern for up to six, and a card to turn.
_DEAL = ("1e 3c 11o", "7e 2b 10c", "6o 5b 12c", "4e 1c 7o", "2o 11e 5c", "10b 6c 3e")
_TURNED = "3o"


def perft(
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="A log whose first record is the position, or -.")
    ] = None,
    *,
    rules: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A rule set, in place of a position.", autocompletion=complete_rules),
    ] = None,
    deal: Annotated[
        str | None, typer.Option(metavar="HANDS", help="With --rules: the hands, by slashes; a fixed deal if left out.")
    ] = None,
    turned: Annotated[str | None, typer.Option(metavar="CARD", help="With --rules: the turned card.")] = None,
    players: Annotated[
        int | None,
        typer.Option(metavar="N", help="With --rules: how many play the fixed deal; as few as can if left out."),
    ] = None,
    depth: Annotated[
        int, typer.Option(min=0, help="How many more events; 0 is to the end of the hand, which may take very long.")
    ] = 4,
    divide: Annotated[bool, typer.Option("--divide", help="A line for each first event.")] = False,
    mazo: Annotated[bool, typer.Option(help="With or without leaving the hand.")] = True,
    declarations: Annotated[bool, typer.Option(help="With or without saying numbers.")] = False,
    calls: Annotated[
        str | None, typer.Option(metavar="WORDS", help="Only these calls, by commas; '' for cards alone.")
    ] = None,
    format: Annotated[Literal["table", "json", "csv", "markdown"], typer.Option(help="How to print.")] = "table",
    output: Output = None,
) -> None:
    """Count the legal ways in which a hand can go on, by depth; the last row counts those that cannot."""
    if (position is None) == (rules is None):
        raise usage_error("give the file of a position, or --rules")
    if position is not None and (deal, turned, players) != (None, None, None):
        raise usage_error("--deal, --turned and --players go with --rules")
    if None not in (deal, players):
        raise usage_error("--players is for the fixed deal; --deal says itself how many play")
    from trucostats.logs import find_record  # noqa: PLC0415
    from trucostats.rules.house import parse_rules  # noqa: PLC0415

    record = find_record(position)[1] if position is not None else None
    chosen = parse_rules(rules or "argentino")
    if players not in (None, *chosen.players):
        raise usage_error(f"{chosen.name} is not played by {players}; it is by {', '.join(map(str, chosen.players))}")
    announce_compiling()
    from trucostats import perft as engine  # noqa: PLC0415
    from trucostats.hand import Hand  # noqa: PLC0415

    if record is not None:
        hand = Hand.from_record(record)
    else:
        hands = [text.strip() for text in deal.split("/")] if deal else list(_DEAL[: players or chosen.players[0]])
        hand = Hand.deal(chosen, hands, turned=turned or (_TURNED if chosen.turns_card else None))
    words = None if calls is None else [word.strip() for word in calls.split(",") if word.strip()]
    with _interruptible():
        try:
            if divide:
                counts = engine.divide(hand, depth or None, mazo=mazo, declarations=declarations, calls=words)
                rows: list[tuple[Any, ...]] = [*counts.items(), ("all", sum(counts.values()))]
            else:
                found = engine.perft(hand, depth or None, mazo=mazo, declarations=declarations, calls=words)
                rows = [*enumerate(found.counts, start=1), ("ends", found.leaves)]
        except ValueError as error:
            raise usage_error(str(error)) from error
    write_rows(("event" if divide else "depth", "histories"), rows, format, output)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let an interrupt end the program at once: compiled code does not look for one."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # not in the main thread, which alone is interrupted
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
