"""Commands on a dataset: stats, query, plot."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from trucostats.cli.app import STATISTICS, Group, examples, group, note, usage_error
from trucostats.cli.output import Format, write_rows, write_table, write_text
from trucostats.cli.picture import picture_kind, plotting, save_picture

if TYPE_CHECKING:
    from trucostats.dataset import Filters

Tables = Annotated[str, typer.Option("--tables", metavar="DIR", help="The dataset, as `ingest --out` made it.")]
FormatOption = Annotated[
    Format | None, typer.Option(help="How to print; by the ending of the file of -o, otherwise a table.")
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write; standard output if left out.")
]
Player = Annotated[str | None, typer.Option(help="Hands in which this player sat.")]
RuleSet = Annotated[str | None, typer.Option("--rules", metavar="NAME", help="Hands of this rule set.")]
Since = Annotated[str | None, typer.Option(metavar="TIME", help="Hands dealt since, as in 2026-03-14.")]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Hands dealt before.")]
Where = Annotated[str | None, typer.Option(metavar="SQL", help="Hands of which this holds, as in 'seats = 2'.")]
Params = Annotated[
    list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter; may be repeated.")
]


class StatsGroup(Group):
    """`stats` lists, `stats NAME` runs."""

    empty: ClassVar[str] = "list"
    implied: ClassVar[str | None] = "run"


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the app."""
    stats = group(
        "List, define and compute statistics; `trucostats stats NAME --tables DIR` computes one.", cls=StatsGroup
    )
    stats.command("list", epilog=_LIST)(list_statistics)
    stats.command("describe", epilog=_DESCRIBE)(describe_statistic)
    stats.command("run", epilog=_RUN)(run_statistic)
    app.add_typer(stats, name="stats", rich_help_panel=STATISTICS, epilog=_RUN)
    app.command(rich_help_panel=STATISTICS, epilog=_QUERY)(query)
    app.command(rich_help_panel=STATISTICS, epilog=_PLOT)(plot)


def complete_statistics(incomplete: str) -> list[str]:
    """Return the statistics that begin with a text, for shell completion."""
    from trucostats.queries import list_queries  # noqa: PLC0415

    return [query.name for query in list_queries() if query.name.startswith(incomplete.replace("-", "_"))]


_LIST = examples("stats list", "stats list --format json")


def list_statistics(format: FormatOption = None, output: Output = None) -> None:
    """List the statistics by chapter."""
    from trucostats.queries import list_queries  # noqa: PLC0415

    rows = [(query.section, query.name, query.question) for query in list_queries()]
    write_rows(("chapter", "name", "question"), rows, format, output)


_DESCRIBE = examples("stats describe truco-accept")


def describe_statistic(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A statistic.", autocompletion=complete_statistics)],
    output: Output = None,
) -> None:
    """Define a statistic: question, grain, columns, parameters, and the SQL that computes it."""
    from trucostats.queries import describe  # noqa: PLC0415

    write_text(describe(name), output)


_RUN = examples(
    "stats hand-win --tables tables",
    "stats truco-open --tables tables --player ana --since 2026-01-01 --param by=mano -o ana.csv",
)


def run_statistic(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A statistic.", autocompletion=complete_statistics)],
    *,
    tables: Tables,
    player: Player = None,
    rules: RuleSet = None,
    since: Since = None,
    until: Until = None,
    where: Where = None,
    param: Params = None,
    format: FormatOption = None,
    output: Output = None,
) -> None:
    """Compute a statistic over the hands that the filters keep; the word `run` may be left out."""
    from trucostats.queries import find, run  # noqa: PLC0415

    reads = dict(find(name).needs)
    result = run(
        name, tables, filters=_filters(tables, player, rules, since, until, where), params=_params(param)
    ).arrow()
    write_table(result, format, output)
    if not result.num_rows:
        note(
            "no decisions of these hands have been reviewed: `trucostats review LOG --write DIR` puts them into the tables"
            if "decisions" in reads
            else "no hands are left by these filters, or none with what this statistic counts"
        )


_QUERY = examples(
    'query "SELECT ended_by, count(*) AS n FROM hands GROUP BY ALL" --tables tables',
    "query - --tables tables -o out.parquet < my.sql",
)


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT, or - to read it from standard input.")],
    *,
    tables: Tables,
    param: Params = None,
    player: Player = None,
    rules: RuleSet = None,
    since: Since = None,
    until: Until = None,
    where: Where = None,
    format: FormatOption = None,
    output: Output = None,
) -> None:
    """Run SQL (DuckDB) over the tables hands, seats, calls, tricks, events, games, matches, decisions, findings and files.

    `trucostats schema tables --format markdown` describes them.
    """
    from trucostats.errors import QueryError  # noqa: PLC0415
    from trucostats.queries import sql as run_sql  # noqa: PLC0415

    if sql == "-":
        try:
            sql = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise QueryError("standard input is not UTF-8; a query is text") from error
    result = run_sql(sql, tables, filters=_filters(tables, player, rules, since, until, where), params=_params(param))
    write_table(result.arrow(), format, output)


def _filters(
    tables: str, player: str | None, rules: str | None, since: str | None, until: str | None, where: str | None
) -> Filters:
    from trucostats.dataset import Filters  # noqa: PLC0415

    if player is not None:
        _check_player(tables, player)
    return Filters(player=player, rules=rules, since=since, until=until, where=where)


def _check_player(tables: str, player: str) -> None:
    """Refuse a name that nobody in the tables has; an empty answer would look like one."""
    from trucostats.errors import QueryError, did_you_mean  # noqa: PLC0415
    from trucostats.queries import sql  # noqa: PLC0415

    names = sql("SELECT DISTINCT player FROM seats", tables).arrow()["player"].to_pylist()
    if player not in names:
        raise QueryError(f"nobody called {player!r} plays in these tables{did_you_mean(player, names)}")


def _params(given: list[str] | None) -> dict[str, str]:
    params = {}
    for word in given or ():
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise usage_error(f"--param is {word!r}; it is written NAME=VALUE")
        params[name.strip()] = value
    return params


_PLOT = examples(
    "plot envido-wins --tables tables -o envido.png",
    "plot mano-advantage --tables tables -o mano.svg --rules argentino",
)


def plot(
    name: Annotated[Literal["envido-wins", "truco-acceptance", "mano-advantage"], typer.Argument(help="What to draw.")],
    *,
    tables: Tables,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The picture to write: .png, .svg or .pdf.")
    ],
    player: Player = None,
    rules: RuleSet = None,
    since: Since = None,
    until: Until = None,
    where: Where = None,
    param: Params = None,
) -> None:
    """Draw a picture of a statistic (needs trucostats[plots])."""
    picture_kind(output)
    picture = plotting("trucostats.plots").PLOTS[name]
    from trucostats.queries import run  # noqa: PLC0415

    result = run(
        picture.query, tables, filters=_filters(tables, player, rules, since, until, where), params=_params(param)
    )
    save_picture(output, picture.size, lambda axes: picture.draw(result.arrow(), axes))
