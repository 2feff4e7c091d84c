"""The folder of a dataset: locked while one ingest writes, and whole at every moment.

    OUT/dataset.json             format, the generation of derived tables, the parts it covers
    OUT/parts/<id>/              hands, seats, calls, tricks, events, findings, files (Parquet), rejects.jsonl
    OUT/derived/<generation>/    games, matches, findings, files (Parquet), computed from all parts
    OUT/rejects.jsonl            the rejected lines of all parts

A part is written under another name and appears by one rename; a generation is current when dataset.json names it.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import filelock

from trucostats.errors import DatasetError

# Arrow and NumPy are imported where they are used: a folder that cannot be used should be refused at once.
if TYPE_CHECKING:
    from concurrent.futures import Future

    from trucostats.derived import Derivation, Derived
    from trucostats.known import KnownHands, RecordedRejects
    from trucostats.parts import Tally

MANIFEST: Final = "dataset.json"
LOCK: Final = ".lock"
PARTS: Final = "parts"
DERIVED: Final = "derived"
_NUMBER: Final = re.compile(r"\d{6,}")
_SCRATCH: Final = re.compile(r"\.(tmp|spill)-[\w.-]+")
_FIRST: Final = "000000"


class Store:
    """A dataset open for writing; use `open_store`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.parts = root / PARTS
        self.derived = root / DERIVED
        self._token = secrets.token_hex(4)
        self.manifest: dict[str, Any] = {}

    def part_names(self) -> list[str]:
        """Return the committed parts, oldest first."""
        return sorted(_numbers(self.parts), key=int)

    def next_ordinal(self) -> int:
        """Return an ordinal above those of all parts."""
        return max((int(name) for name in self.part_names()), default=0) + 1

    def scratch(self, ordinal: int) -> Path:
        """Return the folder to write a part into. It does not exist; no run before or after uses the same."""
        return self.parts / f".tmp-{ordinal:06d}-{self._token}"

    def commit(self, ordinal: int) -> None:
        """Make the part that was written into `scratch(ordinal)` visible, all tables at once."""
        with writing(self.root):
            self.scratch(ordinal).rename(self.parts / f"{ordinal:06d}")

    def load(self) -> tuple[KnownHands, RecordedRejects]:
        """Return what the dataset holds, its hands and its rejects, as digests; make a dataset of an empty folder first."""
        import numpy as np  # noqa: PLC0415
        import pyarrow.parquet as pq  # noqa: PLC0415

        from trucostats.arrays import numbers_of  # noqa: PLC0415
        from trucostats.known import KnownHands, RecordedRejects  # noqa: PLC0415
        from trucostats.parts import REJECTS, recorded_digests  # noqa: PLC0415

        if not self.manifest:
            with writing(self.root):
                self._create()
        known = KnownHands()
        digests = [np.zeros(0, np.uint64)]
        for name in self.part_names():
            part = self.parts / name
            try:
                with pq.ParquetFile(part / "hands.parquet") as file:
                    table = file.read(["hand_key", "content_key"], use_threads=False)
                known.add(numbers_of(table["hand_key"]), numbers_of(table["content_key"]))
                digests.append(np.fromiter(recorded_digests(part / REJECTS), np.uint64))
            except (OSError, ValueError, KeyError) as error:
                raise DatasetError(
                    f"the part {part} cannot be read ({_first_line(error)}); remove that folder and ingest its logs again"
                ) from error
        return known, RecordedRejects(np.concatenate(digests))

    def finish(
        self,
        started: datetime.datetime,
        tallies: list[Tally],
        elsewhere: Callable[[Derivation], Future[Derived]] | None = None,
    ) -> Derived:
        """Recompute what depends on all parts, and swap it in; `elsewhere` has it computed by another process.

        Nothing but the table `files` is computed anew if no part has come since the last time.
        """
        from trucostats.derived import DERIVED_TABLES, Derivation, Derived  # noqa: PLC0415

        with writing(self.root):
            parts = self.part_names()
            old = self.derived / str(self.manifest["derived"])
            fresh = parts != self.manifest["parts"]
            number = f"{int(self.manifest['derived']) + 1:06d}"
            folder = self.derived / f".tmp-{number}-{self._token}"
            folder.mkdir()
            hands = [self.parts / name / "hands.parquet" for name in parts]
            derivation = Derivation(folder, hands, self.root / f".spill-{self._token}")
            waiting = elsewhere(derivation) if fresh and elsewhere else None
            rows = _file_rows(self, old, started, tallies)
            if fresh:
                self._write_rejects(parts)
                derived = waiting.result() if waiting else derivation.run()
            else:
                derived = Derived()
                for name in DERIVED_TABLES:
                    shutil.copyfile(old / f"{name}.parquet", folder / f"{name}.parquet")
            _write_rows(folder / "files.parquet", "files", rows)
            folder.rename(self.derived / number)
            self._write_manifest(number, parts)
            shutil.rmtree(old, ignore_errors=True)
        return derived

    def _write_rejects(self, parts: list[str]) -> None:
        from trucostats.parts import REJECTS  # noqa: PLC0415

        new = self.root / f".tmp-{REJECTS}"
        with new.open("wb") as whole:
            for name in parts:
                with (self.parts / name / REJECTS).open("rb") as part:
                    shutil.copyfileobj(part, whole)
        new.replace(self.root / REJECTS)

    def _write_manifest(self, derived: str, parts: list[str]) -> None:
        from trucostats.tables import FORMAT_VERSION  # noqa: PLC0415

        self.manifest = {"format": FORMAT_VERSION, DERIVED: derived, PARTS: parts}
        new = self.root / f".tmp-{MANIFEST}"
        new.write_text(json.dumps(self.manifest, indent=1) + "\n", encoding="utf-8")
        new.replace(self.root / MANIFEST)

    def _create(self) -> None:
        """Make an empty dataset: no part, and derived tables without rows."""
        from trucostats.derived import DERIVED_TABLES  # noqa: PLC0415

        first = self.derived / _FIRST
        shutil.rmtree(first, ignore_errors=True)
        first.mkdir(parents=True)
        for name in (*DERIVED_TABLES, "files"):
            _write_rows(first / f"{name}.parquet", name)
        self._write_manifest(_FIRST, [])

    def clear(self) -> None:
        """Remove what killed runs left behind: unfinished parts, generations that are not current, files for the sort."""
        for folder in (self.parts, self.derived):
            folder.mkdir(exist_ok=True)
        for folder in (self.root, self.parts, self.derived):
            for entry in folder.iterdir():
                if _SCRATCH.fullmatch(entry.name):
                    _remove(entry)
        for name in _numbers(self.derived):
            if name != self.manifest.get(DERIVED):
                _remove(self.derived / name)

    def abandon(self) -> None:
        """Remove what this run wrote and did not commit."""
        for folder in (self.parts, self.derived):
            for entry in folder.glob(f".tmp-*-{self._token}"):
                shutil.rmtree(entry, ignore_errors=True)


@contextmanager
def open_store(out: str | os.PathLike[str]) -> Iterator[Store]:
    """Open a dataset for writing, or make one, and hold its lock. What killed runs left is removed.

    Raises `DatasetError` if the folder is not a dataset and not empty, another ingest holds it, or it cannot be written.
    """
    root = Path(out).resolve()
    with writing(root):
        if root.exists() and not root.is_dir():
            raise DatasetError(f"{root} is a file; a dataset is a folder")
        root.mkdir(parents=True, exist_ok=True)
        _refuse_links(root)
        _refuse_foreign(root)
        lock = filelock.FileLock(root / LOCK)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout as error:
            raise DatasetError(f"another ingest is writing to {root}; wait for it or use another folder") from error
    try:
        store = Store(root)
        with writing(root):
            if (root / MANIFEST).exists():
                store.manifest = read_manifest(root)
            store.clear()
        try:
            yield store
        finally:
            store.abandon()
    finally:
        lock.release()


def read_manifest(root: Path) -> dict[str, Any]:
    """Return what dataset.json says; raise `DatasetError` if it is not there or not of this format."""
    from trucostats.tables import FORMAT_VERSION  # noqa: PLC0415

    try:
        manifest = json.loads((root / MANIFEST).read_bytes())
    except (OSError, ValueError) as error:
        raise DatasetError(f"{root / MANIFEST} cannot be read: {_first_line(error)}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT_VERSION:
        raise DatasetError(f"{root / MANIFEST} is not of format {FORMAT_VERSION}, which this version reads and writes")
    if not _NUMBER.fullmatch(str(manifest.get(DERIVED))) or not isinstance(manifest.get(PARTS), list):
        raise DatasetError(f"{root / MANIFEST} is damaged; remove the folder and ingest its logs again")
    return manifest


@contextmanager
def writing(root: Path) -> Iterator[None]:
    """Turn what the system says when it cannot write into a `DatasetError`."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else _first_line(error)
        raise DatasetError(f"cannot write to {root}: {reason}; what was stored before is whole") from error


def _first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0].rstrip(".") or type(error).__name__


def _numbers(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir() if _NUMBER.fullmatch(entry.name)]


def _refuse_links(root: Path) -> None:
    for place in (root, root / PARTS, root / DERIVED):
        entries = [place] if place.is_symlink() else list(place.iterdir()) if place.is_dir() else []
        for entry in entries:
            if entry.is_symlink():
                raise DatasetError(
                    f"{entry} is a link, and a dataset is not written through links; replace it by what it names"
                )


def _refuse_foreign(root: Path) -> None:
    inside = {entry.name for entry in root.iterdir()}
    if MANIFEST in inside:
        return
    # A run may have been killed before it could write dataset.json.
    unborn = inside <= {LOCK, PARTS, DERIVED, f".tmp-{MANIFEST}"}
    for name, ours in ((PARTS, set()), (DERIVED, {_FIRST})):
        if unborn and name in inside:
            unborn = {entry.name for entry in (root / name).iterdir()} <= ours
    if not unborn:
        raise DatasetError(f"{root} is not empty and is not a dataset; use an empty or a new folder")


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()


def _file_rows(store: Store, old: Path, started: datetime.datetime, tallies: list[Tally]) -> Any:
    """Return the table `files`: what it held, the runs that were killed before they could add to it, and this run."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    from trucostats.arrays import listed, rows_table  # noqa: PLC0415
    from trucostats.parts import file_rows  # noqa: PLC0415
    from trucostats.tables import schema  # noqa: PLC0415

    def read(path: Path) -> Any:
        with pq.ParquetFile(path) as file:
            return file.read(use_threads=False)

    before = read(old / "files.parquet")
    told = pa.concat_arrays(
        [*before["ingested_at"].chunks, listed(schema("files").field("ingested_at").type, [started])]
    )
    new = [name for name in store.part_names() if name not in store.manifest["parts"]]
    killed = [read(store.parts / name / "files.parquet") for name in new]
    rows: dict[tuple[datetime.datetime, str], Counter[str]] = {}
    for table in killed:
        for row in table.filter(pc.invert(pc.is_in(table["ingested_at"], told))).to_pylist():
            rows.setdefault((row.pop("ingested_at"), row.pop("file")), Counter()).update(row)
    summed = [{"ingested_at": moment, "file": file, **counts} for (moment, file), counts in rows.items()]
    return pa.concat_tables([before, rows_table("files", summed), file_rows(tallies, started)])


def _write_rows(path: Path, name: str, rows: Any = None) -> None:
    from trucostats.parts import TableWriter  # noqa: PLC0415

    with TableWriter(path, name) as writer:
        if rows is not None:
            writer.add(rows)
