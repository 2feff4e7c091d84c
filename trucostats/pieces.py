"""The lines of a share in batches of one size, whatever the size of the logs they come from, and where every line came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.arrays import Words, numbers_of
from trucostats.errors import Finding
from trucostats.known import CONFLICT, Verdicts
from trucostats.sources import Segment
from trucostats.tables import schema

if TYPE_CHECKING:
    from trucostats.batch import Batch, Reject
    from trucostats.build import Texts

BATCH_LINES: Final = 8192
_BOM: Final = b"\xef\xbb\xbf"
# The reader is told that no line is the first of a log: the byte order marks are gone before it reads.
_ANY_LINE: Final = 2


@dataclass(slots=True)
class Piece:
    """A batch, and for each of its hands the segment it came from; `batch.line` and the rejects count in their logs.

    `rows` are the places of the hands among `lines`. A reject stands beside its place and its segment.
    """

    batch: Batch
    lines: list[bytes]
    rows: NDArray[np.int64]
    segment: NDArray[np.int64]
    rejects: list[tuple[int, int, Reject]]
    verdicts: Verdicts
    keys: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None
    texts: Texts | None = None


def read_pieces(segments: list[Segment]) -> Iterator[Piece]:
    """Yield the lines of a share as batches; its blocks are let go on the way."""
    lines: list[bytes] = []
    runs: list[tuple[int, int, int]] = []
    for number, segment in enumerate(segments):
        data = b"".join(segment.blocks)
        segment.blocks.clear()
        some = data.split(b"\n")
        if data.endswith(b"\n"):
            some.pop()
        del data
        start = 0
        while start < len(some):
            taken = some[start : start + BATCH_LINES - len(lines)]
            runs.append((number, segment.first_line + start, len(taken)))
            lines += taken
            start += len(taken)
            if len(lines) == BATCH_LINES:
                yield _piece(lines, runs, segments)
                lines, runs = [], []
    if lines:
        yield _piece(lines, runs, segments)


def _piece(lines: list[bytes], runs: list[tuple[int, int, int]], segments: list[Segment]) -> Piece:
    from trucostats.batch import read_batch  # noqa: PLC0415  (heavy)

    numbers, firsts, counts = (np.array(column) for column in zip(*runs, strict=True))
    segment = np.repeat(numbers, counts)
    starts = np.cumsum(counts) - counts
    line = np.arange(len(lines)) + np.repeat(firsts - starts, counts)
    plain = lines
    for place in starts[firsts == 1].tolist():
        if lines[place].startswith(_BOM):
            plain = list(lines) if plain is lines else plain
            plain[place] = lines[place].removeprefix(_BOM)
    batch = read_batch(plain, _ANY_LINE)
    rows = batch.line - _ANY_LINE
    rejects = []
    for reject in batch.rejects:
        place = reject.line - _ANY_LINE
        owner, number = int(segment[place]), int(line[place])
        finding = replace(reject.finding, line=number, file=segments[owner].file)
        rejects.append((place, owner, replace(reject, line=number, raw=lines[place], finding=finding)))
    # What is on record is not told again, so the rejects become findings here and not with the hands.
    batch.line, batch.rejects = line[rows], []
    return Piece(batch, lines, rows, segment[rows], rejects, np.zeros(0, np.uint8))


def rejects_of(piece: Piece, files: list[str]) -> list[tuple[int, Reject]]:
    """Return the rejected lines of a piece in order with their segments, those that conflict with a known hand among them."""
    conflicts = np.flatnonzero(piece.verdicts == CONFLICT).tolist()
    if conflicts:
        from trucostats.batch import Reject  # noqa: PLC0415

        batch = piece.batch
        for i in conflicts:
            place, owner, line = int(piece.rows[i]), int(piece.segment[i]), int(batch.line[i])
            match, game, hand = batch.match[i], int(batch.game[i]), int(batch.hand[i])
            said = f"hand {hand} of game {game} of the match {match!r} was read before with other content; the first stays; to have this one, ingest into a new folder"
            finding = Finding("HAND_CONFLICT", said, line, files[owner], match, game, hand)
            piece.rejects.append((place, owner, Reject(line, piece.lines[place], finding)))
        piece.rejects.sort(key=lambda reject: reject[0])
    return [(owner, reject) for _, owner, reject in piece.rejects]


def name_files(
    tables: dict[str, pa.Table], piece: Piece, files: pa.Array, kept: NDArray[np.bool_]
) -> dict[str, pa.Table]:
    """Write the logs of the hands into the tables that name them."""
    owners = piece.segment[kept]
    hands = tables["hands"]
    first = hands["hand_id"][0].as_py()
    findings = tables["findings"]
    rows = numbers_of(findings["hand_id"]) - first
    return tables | {
        "hands": _with_file("hands", hands, owners, files),
        "findings": _with_file("findings", findings, owners[rows], files),
    }


def _with_file(name: str, table: pa.Table, owners: NDArray[np.int64], files: pa.Array) -> pa.Table:
    column: Any = Words(files)(owners)
    field = schema(name).field("file")
    return table.set_column(table.schema.get_field_index("file"), field, column)
