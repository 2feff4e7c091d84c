"""A log read from beginning to end: what the replay says of each line, what is wrong with it, and one record of it.

Nothing is stored; `ingest` makes a dataset. A log is a file, plain or compressed, or `-` for standard input.
"""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import merge
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trucostats.errors import DatasetError, Finding, NotationError
from trucostats.sources import STDIN, Logs, Source, find_logs, read_blocks

if TYPE_CHECKING:
    import pyarrow as pa

    from trucostats.batch import Batch
    from trucostats.record import Record
    from trucostats.replay import Replayed

BATCH_LINES: Final = 4096


@dataclass(slots=True)
class Checked:
    """What a check has seen so far."""

    files: int = 0
    lines: int = 0
    records: int = 0
    errors: int = 0
    warnings: int = 0

    def summary(self) -> str:
        """Return the account as one line of text."""
        counted = [
            f"{number:,} {noun}{'' if number == 1 else 's'}"
            for number, noun in (
                (self.files, "file"),
                (self.lines, "line"),
                (self.errors, "error"),
                (self.warnings, "warning"),
            )
        ]
        return f"{counted[0]}, {counted[1]}: {counted[2]}, {counted[3]}"


def one_log(log: str | os.PathLike[str]) -> Source:
    """Return the log that a path or `-` names; raise `DatasetError` for a folder or a path that does not exist."""
    name = os.fspath(log)
    if name == STDIN:
        return Source(STDIN, None, None)
    path = Path(name)
    if path.is_dir():
        raise DatasetError(f"{name!r} is a folder; name one log in it")
    if not path.exists():
        raise DatasetError(f"there is no file {name!r}; check the path")
    return Source(name, path, None)


def read_lines(source: Source) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines of a log in batches, each with the number of its first line.

    Raises `DatasetError` where the log cannot be read any further.
    """
    number = 1
    try:
        for block in read_blocks(source):
            lines = block.data.split(b"\n")
            if not lines[-1]:
                lines.pop()
            for start in range(0, len(lines), BATCH_LINES):
                yield number + start, lines[start : start + BATCH_LINES]
            number += len(lines)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        where = "cannot be read" if number == 1 else f"cannot be read beyond line {number - 1:,}"
        raise DatasetError(f"{source.name!r} {where}: {reason}") from error


def read_records(logs: Logs) -> Iterator[tuple[str, int, Record | NotationError]]:
    """Yield every line of some logs that is not blank: the log, the line, and its record or why it is none. Raises `DatasetError`."""
    from trucostats.notation import decode_line  # noqa: PLC0415

    for source in find_logs(logs):
        for first, lines in read_lines(source):
            for number, text in enumerate(lines, first):
                if not text.strip():
                    continue
                try:
                    yield source.name, number, decode_line(text, first=number == 1)
                except NotationError as error:
                    yield source.name, number, error


def replay_log(log: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """Yield what the replay says of every line of a log that is not blank, in order, with the keys of the notation."""
    source = one_log(log)
    from trucostats.batch import read_batch  # noqa: PLC0415  (heavy, and a wrong path should fail at once)
    from trucostats.kernel.params import RuleBook  # noqa: PLC0415
    from trucostats.replay import replay_batch  # noqa: PLC0415
    from trucostats.verdicts import hands_with_findings, malformed_verdict, verdict  # noqa: PLC0415

    book = RuleBook()
    for first, lines in read_lines(source):
        batch = read_batch(lines, first)
        replayed = replay_batch(batch, book)
        suspects = set(hands_with_findings(batch, replayed))
        quick = replace(replayed, final=_rows(replayed.final), hands=_rows(replayed.hands))
        hands = (verdict(batch, quick, i, None if i in suspects else []) for i in range(len(batch)))
        yield from merge(hands, map(malformed_verdict, batch.rejects), key=lambda said: said["line"])


def _rows(array: Any) -> list[Any]:
    """Return records as named tuples, since a field of a NumPy record takes several microseconds to read."""
    row = namedtuple("row", array.dtype.names)  # type: ignore[misc]
    return list(map(row._make, zip(*(array[name].tolist() for name in array.dtype.names), strict=True)))


def check_logs(logs: Logs, checked: Checked | None = None) -> Iterator[Finding]:
    """Yield what is wrong with some logs: the findings of each line in order, then those between the hands of a match.

    `checked` is counted up on the way. A hand that is there twice counts once, as in a dataset. Raises `DatasetError`.
    """
    checked = Checked() if checked is None else checked
    for finding in _check_logs(find_logs(logs), checked):
        if finding.severity == "error":
            checked.errors += 1
        else:
            checked.warnings += 1
        yield finding


def _check_logs(sources: list[Source], checked: Checked) -> Iterator[Finding]:
    from trucostats.batch import read_batch  # noqa: PLC0415
    from trucostats.build import build_tables, hand_keys  # noqa: PLC0415
    from trucostats.kernel.params import RuleBook  # noqa: PLC0415
    from trucostats.known import NEW, KnownHands  # noqa: PLC0415
    from trucostats.matches import NEEDED  # noqa: PLC0415
    from trucostats.replay import replay_batch  # noqa: PLC0415

    book, known, hands = RuleBook(), KnownHands(), []
    for source in sources:
        checked.files += 1
        for first, lines in read_lines(source):
            batch = read_batch(lines, first, file=source.name)
            checked.lines += len(lines) - batch.blank
            verdicts = known.judge(*hand_keys(batch))
            replayed = replay_batch(batch, book)
            rejects = (reject.finding for reject in batch.rejects)
            yield from merge(
                rejects, _of_hands(batch, replayed, verdicts, source.name), key=lambda finding: finding.line or 0
            )
            built = build_tables(batch, replayed, source.name, checked.records, verdicts == NEW)["hands"]
            checked.records += built.num_rows
            hands.append(built.select(list(NEEDED)))
    if hands:
        yield from _between_hands(hands)


def _of_hands(batch: Batch, replayed: Replayed, verdicts: Any, file: str) -> Iterator[Finding]:
    from trucostats.known import CONFLICT, REPEATED  # noqa: PLC0415
    from trucostats.verdicts import findings_of, hands_with_findings  # noqa: PLC0415

    suspects = set(hands_with_findings(batch, replayed)) | set(verdicts.nonzero()[0].tolist())
    said = {CONFLICT: "HAND_CONFLICT", REPEATED: "HAND_REPEATED"}
    for i in sorted(suspects):
        if code := said.get(int(verdicts[i])):
            match, game, hand = batch.match[i], int(batch.game[i]), int(batch.hand[i])
            other = " with other content" if code == "HAND_CONFLICT" else ""
            message = f"hand {hand} of game {game} of the match {match!r} was read before{other}"
            yield Finding(code, message, int(batch.line[i]), file, match, game, hand)
        yield from findings_of(batch, replayed, i, file)


def _between_hands(hands: list[pa.Table]) -> Iterator[Finding]:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    from trucostats.matches import derive  # noqa: PLC0415

    table = pa.concat_tables(hands).unify_dictionaries()
    keys = table.select(["match", "game", "hand", "hand_id"]).set_column(0, "match", table["match"].cast(pa.string()))
    order = pc.sort_indices(keys, [(name, "ascending") for name in keys.column_names])
    for derived in derive(table.take(order).to_batches()):
        for row in derived["findings"].to_pylist():
            yield Finding(row["code"], row["message"], row["line"], row["file"], row["match"], row["game"], row["hand"])


def find_record(
    log: str | os.PathLike[str],
    *,
    line: int | None = None,
    match: str | None = None,
    game: int | None = None,
    hand: int | None = None,
) -> tuple[int, Record]:
    """Return a record of a log with the number of its line: by line, by match, game and hand, or the first.

    Raises `NotationError` if the line is no record, `DatasetError` if nothing fits.
    """
    from trucostats.notation import decode_line  # noqa: PLC0415

    by_line = line is not None or (match is None and game is None and hand is None)
    for first, lines in read_lines(one_log(log)):
        for number, text in enumerate(lines, first):
            if line not in (None, number) or not text.strip():
                continue
            try:
                record = decode_line(text, first=number == 1)
            except NotationError as error:
                if by_line:
                    raise NotationError(error.code, f"line {number} is no record: {error}", error.where) from error
                continue
            if match in (None, record.match) and hand in (None, record.hand) and game in (None, record.game or 1):
                return number, record
    wanted = {"line": line, "match": match, "game": game, "hand": hand}
    said = ", ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
    raise DatasetError(
        f"{os.fspath(log)!r} has no record" + (f" of {said}; `trucostats replay` lists what it has" if said else "")
    )
