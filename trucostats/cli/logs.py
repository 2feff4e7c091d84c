"""Commands on logs: ingest, validate, replay, show, import."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trucostats.cli.app import DONE, FINDINGS, LOGS, announce_compiling, examples, group, note, usage_error
from trucostats.cli.output import console, open_input, printable, to_json, write_lines, write_text

if TYPE_CHECKING:
    from trucostats.errors import Finding
    from trucostats.importers.ufsm import Imported
    from trucostats.record import Record
    from trucostats.tell import Judged

Lang = Literal["en", "es", "pt"]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the app."""
    app.command(rich_help_panel=LOGS, epilog=_INGEST)(ingest)
    app.command(rich_help_panel=LOGS, epilog=_VALIDATE)(validate)
    app.command(rich_help_panel=LOGS, epilog=_REPLAY)(replay)
    app.command(rich_help_panel=LOGS, epilog=_SHOW)(show)
    foreign = group("Turn logs of other programs into records.")
    foreign.command("ufsm", epilog=_UFSM)(import_ufsm)
    app.add_typer(foreign, name="import", rich_help_panel=LOGS, epilog=_UFSM)


_INGEST = examples(
    "ingest club.jsonl --out tables",
    "ingest logs/ 'more/*.jsonl.gz' --out tables --jobs 4",
    "ingest - --out tables < club.jsonl",
)


def ingest(
    logs: Annotated[
        list[str], typer.Argument(metavar="LOG", help="Files, folders, patterns, or - for standard input.")
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="The dataset: a new or empty folder, or one to add to.")
    ],
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; all cores if left out.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first error.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no account.")] = False,
) -> int:
    """Add the hands of logs to a dataset of Parquet tables.

    Every line is accounted for: accepted + rejected + duplicates = lines read. Exit code 1 if a line was rejected or a
    finding is an error.
    """
    from trucostats.errors import CODES  # noqa: PLC0415
    from trucostats.ingest import FaultFound  # noqa: PLC0415
    from trucostats.ingest import ingest as ingest_logs  # noqa: PLC0415

    announce_compiling(quiet)
    try:
        with _progress(quiet) as progress:
            report = ingest_logs(logs, out, jobs=jobs, strict=strict, progress=progress)
    except FaultFound as fault:
        note(f"stopped at the first error: {fault}")
        return FINDINGS
    bad = report.rejected or any(CODES[code].severity == "error" for code in report.findings)
    if not quiet:
        lines = [report.summary()]
        # The only fault of a well-formed line that keeps it out is a conflict.
        away = {code for code in report.findings if CODES[code].family == "malformed" or code == "HAND_CONFLICT"}
        illegal = any(CODES[code].family == "illegal" for code in report.findings)
        kept = "in accepted hands" + (
            "; illegal ones are kept up to the fault, with status 'illegal'" if illegal else ""
        )
        for heading, codes in (
            (f"rejected lines: {out.rstrip('/')}/rejects.jsonl", away),
            (kept, report.findings.keys() - away),
        ):
            lines += [heading] if codes else []
            lines += [
                f"  {count:>9,}  {code:<20} {CODES[code].severity}: {CODES[code].meaning}"
                for code, count in report.findings.items()
                if code in codes
            ]
        write_text(printable("\n".join(lines), keep="\n"))
    return FINDINGS if bad else DONE


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int, int | None, int], None] | None]:
    """Give a function that moves a bar on standard error, or None where nobody would see it."""
    screen = None if quiet else console(error=True)
    if screen is None or not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[hands]:,} hands"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("", total=None, hands=0)
        yield lambda done, total, hands: bar.update(task, completed=done, total=total, hands=hands)


_VALIDATE = examples(
    "validate club.jsonl", "validate logs/ --format json > findings.jsonl", "validate - --max 10 < club.jsonl"
)


def validate(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Files, folders, patterns, or - for standard input.")
    ],
    format: Annotated[
        Literal["text", "json"], typer.Option(help="A line of text or a JSON object for each finding.")
    ] = "text",
    most: Annotated[int | None, typer.Option("--max", min=0, help="Print so many findings; all are counted.")] = None,
) -> int:
    """Say what is wrong with logs: place, what it is, and what to do.

    First the findings of each line, in order, then those between the hands of a match. The account goes to standard error.
    Exit code 1 if a finding is an error.
    """
    from trucostats.logs import Checked, check_logs  # noqa: PLC0415

    announce_compiling()
    checked = Checked()
    tell = _finding_text if format == "text" else _finding_json
    for count, finding in enumerate(check_logs(files, checked)):
        if most is None or count < most:
            write_text(tell(finding))
    hidden = max(checked.errors + checked.warnings - most, 0) if most is not None else 0
    note(checked.summary() + (f" ({hidden:,} not printed)" if hidden else ""))
    return FINDINGS if checked.errors else DONE


def _finding_text(finding: Finding) -> str:
    remedy = "" if finding.remedy in finding.message else f"; {finding.remedy}"
    place, _, _ = str(finding).rpartition(f": {finding.message} [")
    return printable(f"{place}: {finding.severity}: {finding.message}{remedy} [{finding.code}]")


def _finding_json(finding: Finding) -> str:
    keys = ("file", "line", "match", "game", "hand", "event", "family", "severity", "code", "message", "remedy")
    return to_json({key: getattr(finding, key) for key in keys})


_REPLAY = examples(
    "replay club.jsonl", "replay - < club.jsonl | jq .score_after", "replay club.jsonl.gz -o replayed.jsonl"
)


def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A log, or - for standard input.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write; standard output if left out.")
    ] = None,
) -> None:
    """Replay a log: one JSON object for each line that is not blank, in order, malformed lines too."""
    from trucostats.logs import one_log, replay_log  # noqa: PLC0415

    one_log(file)
    announce_compiling()
    # Nothing in it needs the care of `to_json`, which takes three times as long.
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    write_lines((encode(said).encode("utf-8", "backslashreplace") for said in replay_log(file)), output)


_SHOW = examples(
    "show club.jsonl",
    "show club.jsonl --line 12 --at 4",
    "show club.jsonl --match final --hand 3 --lang es",
    "show club.jsonl --line 12 --review",
)


def show(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log, or - for standard input.")],
    *,
    line: Annotated[int | None, typer.Option(min=1, help="Line of the log, from 1.")] = None,
    match: Annotated[str | None, typer.Option(help="Id of the match.")] = None,
    game: Annotated[int | None, typer.Option(min=1, help="Game of the match.")] = None,
    hand: Annotated[int | None, typer.Option(min=1, help="Deal of the game.")] = None,
    at: Annotated[
        int | None, typer.Option(min=0, metavar="EVENT", help="Stop before this event, counted from 0.")
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Say below each event how its decisions are judged; hands of two.")
    ] = False,
    lang: Annotated[Lang, typer.Option(help="Language.")] = "en",
) -> None:
    """Tell a hand in words: the deal, what happened, the score; with --at, the position before an event.

    Without --line, --match, --game or --hand it is the first record of the log.
    """
    from trucostats.logs import find_record  # noqa: PLC0415

    if review and at is not None:
        raise usage_error("--review and --at exclude each other; give one of them")
    place, record = find_record(log, line=line, match=match, game=game, hand=hand)
    announce_compiling()
    from trucostats.tell import tell  # noqa: PLC0415

    judged = _judged(log, place, record) if review else None
    try:
        write_text(printable(tell(record, at, lang, judged), keep="\n"))
    except ValueError as error:
        raise usage_error(str(error)) from error


def _judged(log: str, line: int, record: Record) -> dict[int, list[Judged]]:
    """Return what a review says of the decisions of a record, by event; what was not evaluated goes to standard error."""
    from trucostats.advisor.review import review_records  # noqa: PLC0415
    from trucostats.tell import Judged  # noqa: PLC0415

    found: dict[int, list[Judged]] = {}
    reasons: dict[str, int] = {}
    for d in review_records([(log, line, record)]).decisions:
        if d.loss is not None and d.best is not None:
            found.setdefault(d.event, []).append(Judged(d.kind, d.mark, d.loss, d.best))
        elif d.reason and d.status != "forced":
            reasons[d.reason] = reasons.get(d.reason, 0) + 1
    for reason, count in reasons.items():
        note(f"not judged: {count} decision{'' if count == 1 else 's'}: {reason}")
    return found


_UFSM = examples(
    "import ufsm dbtrucocbr_maos.csv -o ufsm.jsonl", "import ufsm - --findings findings.jsonl < maos.csv > ufsm.jsonl"
)


def import_ufsm(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of the UFSM base, or - for standard input.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="LOG", help="The log to write; standard output if left out.")
    ] = None,
    findings: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where to write the findings as JSON lines.")
    ] = None,
    rows: Annotated[
        Literal["distinct", "unmirrored", "all"],
        typer.Option(help="Which of the rows that are stored from both sides to keep."),
    ] = "distinct",
) -> int:
    """Turn the UFSM base of human truco into records.

    Rows that contradict themselves are kept and told; rows that are no hand are left out and told. The account goes to
    standard error. Exit code 1 if there is a finding.
    """
    from trucostats.importers.ufsm import read_ufsm  # noqa: PLC0415

    counts: dict[str, int] = {
        "rows": 0,
        "records": 0,
        "mirrored rows left out": 0,
        "rows that are no hand": 0,
        "findings": 0,
    }
    told: list[bytes] = []
    with open_input(file) as stream:
        write_lines(_records(read_ufsm(stream, rows=rows), file, counts, told), output)
    if findings is not None:
        write_lines(told, findings)
    note(", ".join(f"{number:,} {noun}" for noun, number in counts.items()))
    return FINDINGS if counts["findings"] else DONE


def _records(rows: Iterator[Imported], file: str, counts: dict[str, int], told: list[bytes]) -> Iterator[bytes]:
    for row in rows:
        counts["rows"] += 1
        for finding in row.findings:
            counts["findings"] += 1
            place: dict[str, Any] = {
                "file": file,
                "line": finding.line or row.line,
                "code": finding.code,
                "severity": finding.severity,
            }
            told.append(to_json(place | {"message": finding.message}).encode())
        if row.record is not None:
            counts["records"] += 1
            yield to_json(row.record).encode()
        else:
            counts["rows that are no hand" if row.skipped is None else "mirrored rows left out"] += 1
