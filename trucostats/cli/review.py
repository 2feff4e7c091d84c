"""The command that judges the decisions of a log: review."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trucostats.cli.app import GAME, announce_compiling, examples, note, usage_error
from trucostats.cli.game import Output
from trucostats.cli.output import Part, format_for, to_json, write_parts, write_rows, write_text

if TYPE_CHECKING:
    from trucostats.advisor.losses import Decision
    from trucostats.advisor.review import PlayerReview, Review
    from trucostats.advisor.rival import Counter

PACE = 10  # hands between two signs of life
ReviewFormat = Literal["table", "json", "csv", "markdown"]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the app."""
    app.command(rich_help_panel=GAME, epilog=_REVIEW)(review)


_REVIEW = examples(
    "review club.jsonl",
    "review club.jsonl --player ana --worst 20",
    "review logs/ --quick --write tables",
    "review club.jsonl --format csv -o decisions.csv",
    "review club.jsonl --quick --against ben --tables tables",
)


def review(
    logs: Annotated[
        list[str], typer.Argument(metavar="LOG", help="Files, folders, patterns, or - for standard input.")
    ],
    *,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Only the decisions of this player.")] = None,
    worst: Annotated[int, typer.Option(min=0, metavar="N", help="Show so many of the worst decisions.")] = 10,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Solve less exactly, and leave out rare early states, which take a minute each."),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Solve each decision for so long, early ones of any rules too.")
    ] = None,
    write: Annotated[
        str | None, typer.Option(metavar="DIR", help="Put the decisions into this dataset, as the table decisions.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Say too where calls against this rival, as he plays, were missed."),
    ] = None,
    tables: Annotated[
        str | None, typer.Option(metavar="DIR", help="The dataset that tells how the rival of --against answers.")
    ] = None,
    format: Annotated[ReviewFormat | None, typer.Option(help="How to print.")] = None,
    output: Output = None,
) -> None:
    """Say what every decision of a log lost: error rates, PR, the luck of the deals, and the worst ones with their places.

    Hands of two; each takes some seconds. A decision is judged as the player saw it, against a rival in equilibrium. `LOG:LINE:EVENT` is what `advise` takes;
    csv has a row for each decision, json has all there is.
    """
    from trucostats.advisor.losses import QUICK, Effort  # noqa: PLC0415

    if quick and seconds is not None:
        raise usage_error("--quick and --seconds exclude each other; give one of them")
    if (against is None) != (tables is None):
        raise usage_error("--against NAME needs --tables DIR, which tells how he answers, and the other way round")
    if write is not None:
        from trucostats.dataset import read_manifest  # noqa: PLC0415

        read_manifest(write)  # a folder that is no dataset is refused before the work
    announce_compiling()
    from trucostats.advisor.review import review as judge  # noqa: PLC0415

    effort = QUICK if quick else Effort(seconds=seconds, iterations=None if seconds else Effort().iterations)
    found = judge(logs, player=player, effort=effort, tell=_told if sys.stderr.isatty() else lambda _hands: None)
    if player is not None and not any(d.player == player for d in found.decisions):
        raise usage_error(f"{player!r} decides nothing in these logs; check the name")
    met: list[tuple[Decision, Counter]] = []
    if against is not None and tables is not None:
        from trucostats.advisor.rival import counters  # noqa: PLC0415

        met = list(counters(found.decisions, against, tables))
    chosen = format_for(format, output)
    if chosen == "json":
        told = found.to_dict(worst, player)
        if against is not None:
            told["against"] = [{"place": decision.place, **counter.to_dict()} for decision, counter in met]
        write_text(to_json(told, indent=2), output)
    elif chosen == "csv":
        rows = [d.to_dict() for d in found.decisions]
        names = list(rows[0]) if rows else ["place"]
        write_rows(names, [tuple(row.values()) for row in rows], chosen, output)
    else:
        parts = _page(found, worst) + ([] if against is None else _against(met, against, worst))
        _write_page(parts, chosen == "markdown", output)
    for line in found.unread:
        note(f"{line.file}, line {line.line}: not reviewed: {line.reason}")
    if write is not None:
        from trucostats.decisions import write_decisions  # noqa: PLC0415

        written, missing = write_decisions(write, [d.row() for d in found.decisions])
        lost = f"; {missing:,} are of hands that are not in it: ingest the log first" if missing else ""
        note(f"{written:,} decisions written to {write}{lost}")


def _told(hands: int) -> None:
    if hands and hands % PACE == 0:
        note(f"{hands:,} hands reviewed…")


def _write_page(parts: list[Part], markdown: bool, output: str | None) -> None:
    if not markdown:
        write_parts(parts, output)
        return
    import io  # noqa: PLC0415
    from contextlib import redirect_stdout  # noqa: PLC0415

    texts = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        with redirect_stdout(io.StringIO()) as stream:
            write_rows(*part, "markdown")
        texts.append(stream.getvalue().strip())
    write_text("\n\n".join(texts), output)


def _page(found: Review, worst: int) -> list[Part]:
    from trucostats.advisor.grades import KINDS, METRIC, THRESHOLDS  # noqa: PLC0415

    accounts = found.players()
    marks = ", ".join(f"{mark} from {least:g}" for mark, least in reversed(THRESHOLDS))
    parts: list[Part] = [
        f"REVIEW by {METRIC}: what a loss does to the match, in points at 0-0; {marks}",
        (_SUMMARY, list(map(_summary, accounts))),
    ]
    parts += [
        "ERROR RATE: thousandths of a point lost per decision, ± standard error",
        (
            ("player", *KINDS, "all"),
            [(a.player, *(_rate(a.rates[kind]) for kind in KINDS), _rate(a.overall)) for a in accounts],
        ),
    ]
    if any(a.lucky for a in accounts):
        names = ("player", "hands", "points", "truco", "luck of the deal", "truco less luck")
        rows = [(a.player, a.hands, a.net, a.truco, round(a.luck, 2), round(a.adjusted, 2)) for a in accounts]
        parts += [
            "RESULT in net points; the luck is that of the truco, of hands whose cards are all known",
            (names, rows),
        ]
    skipped: dict[str, int] = {}
    for account in accounts:
        for reason, count in account.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count
    if skipped:
        parts += ["NOT EVALUATED", (("decisions", "why"), [(count, reason) for reason, count in skipped.items()])]
    if bad := found.worst(worst):
        parts += ["THE WORST", (_WORST, list(map(_bad, bad)))]
    return parts


def _against(met: list[tuple[Decision, Counter]], rival: str, count: int) -> list[Part]:
    """Return where the counter to a rival differs from the equilibrium, what it gains most first."""
    if not met:
        return [f"AGAINST {rival} there was no call to make in these logs that was evaluated, once a card lay there"]
    other = [(d, c) for d, c in met if c.best != c.best_equilibrium]
    heading = (
        f"AGAINST {rival}, as often as he folds: {len(other)} of {len(met)} decisions on a call should go another way"
    )
    rows = [
        (
            d.place, d.player, d.done, c.best, c.best_equilibrium, f"{c.gain:+.3f}", f"{c.risk:.3f}", f"{c.exploitability:.3f}",
        )
        for d, c in sorted(other, key=lambda each: -each[1].gain)[:count]
    ]  # fmt: skip
    names = ("place", "player", "did", "against him", "equilibrium", "gain", "lost if he does not", "exploitable by")
    return [heading, (names, rows)] if rows else [heading]


_SUMMARY = ("player", "decisions", "evaluated", "forced", "doubtful", "bad", "very bad", "PR", "accuracy")
_WORST = ("place", "player", "kind", "did", "best", "loss", "match loss", "at 0-0", "mark", "how")


def _summary(account: PlayerReview) -> tuple[Any, ...]:
    rating = None if account.pr is None else round(account.pr, 1)
    accuracy = None if account.accuracy is None else f"{account.accuracy:.1f} %"
    marks = account.marks.values()
    return account.player, account.decisions, account.evaluated, account.forced, *marks, rating, accuracy


def _rate(rate: Any) -> str:
    if rate.mean is None:
        return "-"
    error = "" if rate.se is None else f" ± {rate.se:.0f}"
    return f"{rate.mean:.0f}{error} (n={rate.n})"


def _bad(decision: Decision) -> tuple[Any, ...]:
    match = None if decision.match_loss is None else f"{100 * decision.match_loss:.2f} %"
    return (
        decision.place, decision.player, decision.kind, decision.done, decision.best, f"{decision.loss:.3f}", match,
        None if decision.normal is None else f"{decision.normal:.3f}", decision.mark, decision.status,
    )  # fmt: skip
