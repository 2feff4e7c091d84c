"""A share of lines becomes a part of a dataset: read, judged, replayed, written as Parquet into a folder of its own.

The work is a generator that asks twice, which hands are new and which rejects are not on record. Whoever drives it answers:
it may be in the same process or at the other end of a pipe.
"""

from __future__ import annotations

import base64
import datetime
import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from trucostats.arrays import rows_table, strings
from trucostats.errors import Finding
from trucostats.known import CONFLICT, NEW, Keys, Mask, Verdicts
from trucostats.pieces import Piece, name_files, read_pieces, rejects_of
from trucostats.sources import Share
from trucostats.tables import schema

if TYPE_CHECKING:
    from trucostats.batch import Reject

ROW_GROUP: Final = 131_072
COMPRESSION_LEVEL: Final = -5  # measured: a quarter of the writing time less than level 1, files a quarter larger
# Numbers of few distinct values; a dictionary makes them a half to a third as large and no slower to write.
FEW_VALUES: Final = ("legal", "strength", "answerer_strength")
PART_TABLES: Final = ("hands", "seats", "calls", "tricks", "events", "findings")
ORDINAL_SHIFT: Final = 32
REJECTS: Final = "rejects.jsonl"
_DEAL: Final = -1


@dataclass(slots=True)
class Tally:
    """What became of the lines of one log: `lines` without the blank ones, `bytes` after decompression."""

    file: str
    bytes: int = 0
    lines: int = 0
    accepted: int = 0
    rejected: int = 0
    duplicates: int = 0
    blank: int = 0

    def add(self, other: Tally) -> None:
        """Count the lines of another tally in."""
        for name in ("bytes", "lines", "accepted", "rejected", "duplicates", "blank"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def check(self) -> None:
        """Raise `RuntimeError` unless every line is accounted for."""
        if self.accepted + self.rejected + self.duplicates != self.lines:
            raise RuntimeError(f"lines were lost: {self}")


@dataclass(frozen=True, slots=True)
class Job:
    """A share and the part it becomes: ordinal of the part, folder to write into, time of the ingest."""

    share: Share
    ordinal: int
    folder: Path
    started: datetime.datetime
    strict: bool


@dataclass(slots=True)
class Part:
    """What became of a share: tallies by log, findings by code, the first error if the ingest is strict.

    `written` says that the folder holds a part; a share without new hands and rejects makes none.
    """

    tallies: list[Tally]
    findings: Counter[str] = field(default_factory=Counter)
    fault: Finding | None = None
    written: bool = False


# A part asks with (keys, contents) and is told verdicts, then with digests and is told a mask.
Question = tuple[Keys, Keys] | Keys
Work = Generator[Question, Any, Part]


@contextmanager
def kept_memory() -> Iterator[None]:
    """Have Arrow take its memory from jemalloc for a while, where it is built in."""
    # Measured: a tenth faster than mimalloc, which gives memory back after every table and fetches it again for the next.
    before = pa.default_memory_pool()
    with suppress(NotImplementedError):
        pa.set_memory_pool(pa.jemalloc_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)


def get_ready() -> None:
    """Import and load what `make_part` will need, as a worker does while it waits for its first job."""
    import trucostats.build  # noqa: PLC0415
    import trucostats.matches  # noqa: F401, PLC0415
    from trucostats.batch import read_batch  # noqa: PLC0415
    from trucostats.replay import replay_batch  # noqa: PLC0415

    replay_batch(read_batch([]))


def make_part(job: Job) -> Work:
    """Make a part out of a share; ask which hands are new, then which rejects are; return what became of the lines."""
    from trucostats.build import hand_keys, texts_of  # noqa: PLC0415  (heavy, and only needed where the work is done)

    pieces, keys, contents = [], [], []
    files = [segment.file for segment in job.share.segments]
    lines = [segment.lines for segment in job.share.segments]
    sizes = [segment.size for segment in job.share.segments]
    for piece in read_pieces(job.share.segments):
        piece.texts = texts_of(piece.batch)
        piece.keys = hand_keys(piece.batch, piece.texts)
        pieces.append(piece)
        keys.append(piece.keys[0])
        contents.append(piece.keys[1])
    ends = np.cumsum([len(column) for column in keys])
    verdicts: Verdicts = yield np.concatenate(keys), np.concatenate(contents)
    for piece, given in zip(pieces, np.split(verdicts, ends[:-1]), strict=True):
        piece.verdicts = given

    rejects = [found for piece in pieces for found in rejects_of(piece, files)]
    fresh: Mask = yield np.array([_digest(files[owner], reject.raw) for owner, reject in rejects], np.uint64)
    part = Part(_tallies(pieces, files, lines, sizes))
    for piece in pieces:
        piece.lines.clear()
    part.findings.update(reject.finding.code for _, reject in rejects)

    new = [(files[owner], reject) for (owner, reject), keep in zip(rejects, fresh.tolist(), strict=True) if keep]
    accepted = sum(tally.accepted for tally in part.tallies)
    tables = _tables(pieces, files, job.ordinal << ORDINAL_SHIFT) if accepted else {}
    if "findings" in tables:
        part.findings.update(tables["findings"]["code"].to_pylist())
    if job.strict:
        part.fault = _first_fault(files, rejects, tables.get("findings"))
    if part.fault is None and (accepted or new):
        _write(job, part, tables, new)
        part.written = True
    return part


def _tallies(pieces: list[Piece], files: list[str], lines: list[int], sizes: list[int]) -> list[Tally]:
    counts = np.zeros((len(files), 3), np.int64)
    malformed = np.zeros(len(files), np.int64)
    for piece in pieces:
        np.add.at(counts, (piece.segment, piece.verdicts), 1)
        conflicts = int(np.count_nonzero(piece.verdicts == CONFLICT))
        owners = [owner for _, owner, _ in piece.rejects]
        if len(owners) + len(piece.rows) - conflicts + piece.batch.blank != len(piece.lines):
            raise RuntimeError(f"lines were lost: a batch of {len(piece.lines):,}")
        np.add.at(malformed, owners, 1)
    tallies = []
    for i, file in enumerate(files):
        accepted, repeated, _ = counts[i].tolist()
        rejected = int(malformed[i])
        filled = accepted + repeated + rejected
        tallies.append(Tally(file, sizes[i], filled, accepted, rejected, repeated, lines[i] - filled))
    if sum(tally.blank for tally in tallies) != sum(piece.batch.blank for piece in pieces):
        raise RuntimeError(f"lines were lost: {tallies}")
    return tallies


def _digest(file: str, raw: bytes) -> int:
    return int.from_bytes(blake2b(file.encode() + b"\0" + raw, digest_size=8).digest(), "little")


def recorded_digests(path: Path) -> Iterator[int]:
    """Yield the digest of each line that a reject file holds."""
    with path.open("rb") as lines:
        for line in lines:
            entry = json.loads(line)
            raw = base64.b64decode(entry["base64"]) if "base64" in entry else entry["text"].encode()
            yield _digest(entry["file"], raw)


def _tables(pieces: list[Piece], files: list[str], hand_id: int) -> dict[str, pa.Table]:
    from trucostats.build import build_tables  # noqa: PLC0415
    from trucostats.replay import replay_batch  # noqa: PLC0415

    built: dict[str, list[pa.Table]] = {name: [] for name in PART_TABLES}
    names = strings(files)
    for piece in pieces:
        keep = piece.verdicts == NEW
        if keep.any():
            tables = build_tables(piece.batch, replay_batch(piece.batch), "", hand_id, keep, piece.keys, piece.texts)
            for name, table in name_files(tables, piece, names, keep).items():
                built[name].append(table)
            hand_id += int(np.count_nonzero(keep))
    return {name: pa.concat_tables(tables) for name, tables in built.items()}


def _first_fault(files: list[str], rejects: list[tuple[int, Reject]], found: pa.Table | None) -> Finding | None:
    """Return the first error of a share in the order of its lines."""
    faults = [(owner, reject.line, reject.finding) for owner, reject in rejects[:1]]
    if found is not None:
        errors = [row for row in found.to_pylist() if row["severity"] == "error"]
        faults += [(files.index(row["file"]), row["line"], finding_of(row)) for row in errors]
    return min(faults, key=lambda fault: fault[:2])[2] if faults else None


def finding_of(row: dict[str, Any]) -> Finding:
    """Return the finding that a row of the table `findings` holds."""
    event = "deal" if row["event"] == _DEAL else row["event"]
    return Finding(row["code"], row["message"], row["line"], row["file"], row["match"], row["game"], row["hand"], event)


def _write(job: Job, part: Part, tables: dict[str, pa.Table], rejects: list[tuple[str, Reject]]) -> None:
    job.folder.mkdir()
    if rejects:
        rows = _finding_rows(rejects)
        tables["findings"] = pa.concat_tables([tables["findings"], rows]) if tables else rows
    for name in PART_TABLES:
        with TableWriter(job.folder / f"{name}.parquet", name) as writer:
            if name in tables:
                writer.add(tables.pop(name))
    with (job.folder / REJECTS).open("wb") as file:
        file.writelines(_reject_line(name, reject) for name, reject in rejects)
    with TableWriter(job.folder / "files.parquet", "files") as writer:
        writer.add(file_rows(part.tallies, job.started))


def _finding_rows(rejects: list[tuple[str, Reject]]) -> pa.Table:
    rows = []
    for file, reject in rejects:
        found = reject.finding
        event = _DEAL if found.event == "deal" else found.event
        place = {"file": file, "line": reject.line, "hand_id": None, "match": found.match, "game": found.game}
        kind = {"family": found.family, "severity": found.severity, "code": found.code, "message": found.message}
        rows.append(place | {"hand": found.hand, "event": event} | kind)
    return rows_table("findings", rows)


def _reject_line(file: str, reject: Reject) -> bytes:
    entry: dict[str, Any] = {
        "file": file,
        "line": reject.line,
        "code": reject.finding.code,
        "message": reject.finding.message,
    }
    try:
        entry["text"] = reject.raw.decode()
    except UnicodeDecodeError:
        entry["base64"] = base64.b64encode(reject.raw).decode()
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


class TableWriter:
    """A Parquet file of one table, written in row groups of about `ROW_GROUP` rows whatever the size of what comes."""

    def __init__(self, path: Path, name: str) -> None:
        self._pending: list[pa.Table] = []
        self._rows = 0
        fields = list(schema(name))
        words = [field.name for field in fields if pa.types.is_dictionary(field.type) or field.name in FEW_VALUES]
        integers = [field.name for field in fields if pa.types.is_signed_integer(field.type)]
        # Measured: a third faster than a dictionary and statistics for every column, and as small.
        self._writer = pq.ParquetWriter(
            path,
            schema(name),
            compression="zstd",
            compression_level=COMPRESSION_LEVEL,
            use_dictionary=words,
            column_encoding={column: "DELTA_BINARY_PACKED" for column in integers if column not in words},
            write_statistics=["hand_id"],
            write_batch_size=65_536,
        )

    def add(self, table: pa.Table) -> None:
        """Take rows; they are written when there are enough of them."""
        self._pending.append(table)
        self._rows += table.num_rows
        if self._rows >= ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        # Chunks with dictionaries of their own would be written as plain text.
        table = pa.concat_tables(self._pending).unify_dictionaries()
        self._pending, self._rows = [], 0
        self._writer.write_table(table, ROW_GROUP)

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        try:
            if failed is None and self._rows:
                self._flush()
        finally:
            self._writer.close()


def file_rows(tallies: Iterable[Tally], started: datetime.datetime) -> pa.Table:
    """Return the rows of the table `files` for some logs of one ingest."""
    rows = [asdict(tally) | {"ingested_at": started} for tally in tallies]
    return rows_table("files", rows)
