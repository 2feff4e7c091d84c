"""Logs into a dataset: in parallel, in parts, adding only what is new, with every line accounted for.

>>> import tempfile
>>> from pathlib import Path
>>> with tempfile.TemporaryDirectory() as folder:
...     log = Path(folder, "club.jsonl")
...     _ = log.write_text('{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],'
...                        '"deal":["7c 5c 12e",null],"events":["0 truc","1 no-quiero"]}\\n{"v":1}\\n')
...     print(ingest(log, Path(folder, "out"), jobs=1).summary())
2 lines: 1 hand accepted, 1 line rejected, 0 duplicates
"""

from __future__ import annotations

import datetime
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING

from trucostats.errors import DatasetError, Finding
from trucostats.home import cores
from trucostats.sources import Logs, Share, find_logs, read_shares, total_size

if TYPE_CHECKING:
    from trucostats.derived import Derivation, Derived
    from trucostats.parts import Part, Tally
    from trucostats.store import Store

Progress = Callable[[int, int | None, int], None]


class FaultFound(DatasetError):
    """The first fault of a strict ingest, as `finding`."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one log gave: bytes after decompression, and what became of its lines, blank ones apart."""

    file: str
    bytes: int
    lines: int
    accepted: int
    rejected: int
    duplicates: int
    blank: int


@dataclass(slots=True)
class IngestReport:
    """What an ingest did: `lines = accepted + rejected + duplicates`, blank lines apart; findings of these lines by code."""

    lines: int = 0
    accepted: int = 0
    rejected: int = 0
    duplicates: int = 0
    blank: int = 0
    findings: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    files: list[FileReport] = field(default_factory=list)

    def summary(self) -> str:
        """Return the account of the lines as one line of text."""
        hands = f"{self.accepted:,} hand{'' if self.accepted == 1 else 's'} accepted"
        rejected = f"{self.rejected:,} line{'' if self.rejected == 1 else 's'} rejected"
        duplicates = f"{self.duplicates:,} duplicate{'' if self.duplicates == 1 else 's'}"
        blank = f" (and {self.blank:,} blank)" if self.blank else ""
        return f"{self.lines:,} line{'' if self.lines == 1 else 's'}{blank}: {hands}, {rejected}, {duplicates}"


def ingest(
    logs: Logs,
    out_dir: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Add the hands of some logs to a dataset, and return what became of their lines.

    `logs` are files, folders, patterns or `-` for standard input: JSON lines, plain or compressed by gzip or zstd. `out_dir` is
    a dataset, or a new or empty folder. `jobs` processes work at it, all cores by default; the result does not depend on
    them. A hand that is already there counts as a duplicate; with other content it is rejected (HAND_CONFLICT). A run may
    be killed at any moment: the dataset stays whole, and the next run adds what is missing.

    `progress` is called with the bytes read, the bytes in all (None if not known) and the hands accepted.
    Raises `DatasetError` if a log or the folder cannot be used, and, if `strict`, `FaultFound` at the first error: what was
    stored before it stays, the rest is not written.
    """
    clock = time.perf_counter()
    if jobs is not None and jobs < 1:
        raise DatasetError(f"jobs is {jobs}; at least one process has to work")
    sources = find_logs(logs)
    from trucostats.store import open_store  # noqa: PLC0415  (heavy, and wrong arguments should fail at once)

    with open_store(out_dir) as store:
        run = _Run(store, strict, progress, total_size(sources))
        damaged: list[str] = []
        report = run.report(run.read(read_shares(sources, damaged), jobs or cores()))
    report.seconds = time.perf_counter() - clock
    if run.fault:
        raise FaultFound(run.fault)
    if damaged:
        raise DatasetError("; ".join(damaged) + "; everything else was stored")
    return report


class _Run:
    """One ingest: what was counted, and the first fault if it is strict."""

    def __init__(self, store: Store, strict: bool, progress: Progress | None, total: int | None) -> None:
        self.started = datetime.datetime.now(datetime.UTC)
        self.tallies: dict[str, Tally] = {}
        self.fault: Finding | None = None
        self._store = store
        self._strict = strict
        self._progress = progress
        self._total = total
        self._first = store.next_ordinal()
        self._findings: Counter[str] = Counter()
        self._accepted = 0
        self._lines = 0

    def read(self, shares: Iterator[Share], jobs: int) -> Derived:
        """Make parts out of all shares, commit them in order up to the first fault, and finish the dataset."""
        from trucostats.crew import Crew, Judge, make_here  # noqa: PLC0415
        from trucostats.store import writing  # noqa: PLC0415

        ahead = list(islice(shares, 2))
        crew = Crew(jobs, len(ahead)) if jobs > 1 and len(ahead) > 1 else None
        waiting: deque[tuple[int, int, Part | Future[Part]]] = deque()
        with writing(self._store.root), crew or nullcontext():
            from trucostats.parts import Job  # noqa: PLC0415  (heavy: after the workers are on their way)

            judge = Judge(*self._store.load())
            for share in chain(ahead, shares):
                self._lines += share.lines
                ordinal = self._first + share.number
                job = Job(share, ordinal, self._store.scratch(ordinal), self.started, self._strict)
                waiting.append((ordinal, share.position, crew.make(job, judge) if crew else make_here(job, judge)))
                del share, job
                while waiting and not self.fault and (crew is None or len(waiting) > jobs + 1):
                    self._take(*waiting.popleft())
                if self.fault:
                    break
            while waiting and not self.fault:
                self._take(*waiting.popleft())
            if crew and not self.fault:
                return self._finish(crew.derive)
        return self._finish()

    def _finish(self, elsewhere: Callable[[Derivation], Future[Derived]] | None = None) -> Derived:
        return self._store.finish(self.started, list(self.tallies.values()), elsewhere)

    def _take(self, ordinal: int, position: int, made: Part | Future[Part]) -> None:
        part = made.result() if isinstance(made, Future) else made
        if part.fault:
            self.fault = part.fault
            return
        if part.written:
            self._store.commit(ordinal)
        for tally in part.tallies:
            if tally.file in self.tallies:
                self.tallies[tally.file].add(tally)
            else:
                self.tallies[tally.file] = tally
            self._accepted += tally.accepted
        self._findings.update(part.findings)
        if self._progress:
            self._progress(position, self._total, self._accepted)

    def report(self, derived: Derived) -> IngestReport:
        """Return the account, with the findings between hands; in a strict run the first error of these is the fault."""
        from trucostats.parts import finding_of  # noqa: PLC0415

        report = IngestReport()
        for tally in self.tallies.values():
            tally.check()
            counts = (tally.lines, tally.accepted, tally.rejected, tally.duplicates, tally.blank)
            report.files.append(FileReport(tally.file, tally.bytes, *counts))
            report.lines += tally.lines
            report.accepted += tally.accepted
            report.rejected += tally.rejected
            report.duplicates += tally.duplicates
            report.blank += tally.blank
        if not self.fault and report.lines + report.blank != self._lines:
            raise RuntimeError(f"lines were lost: {report.lines + report.blank:,} of {self._lines:,}")
        for (part, code), count in derived.codes.items():
            if part >= self._first:
                self._findings[code] += count
        report.findings = dict(self._findings.most_common())
        ours = [row for part, row in derived.errors.items() if part >= self._first]
        if self._strict and self.fault is None and ours:
            self.fault = finding_of(min(ours, key=lambda row: row["hand_id"]))
        return report
