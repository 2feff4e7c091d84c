"""Logs as bytes: find the files, decompress them, cut them at newlines into shares of work. What a line says is not read here."""

from __future__ import annotations

import glob
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from trucostats.errors import DatasetError

SUFFIXES: Final = tuple(kind + packed for kind in (".jsonl", ".ndjson") for packed in ("", ".gz", ".zst"))
STDIN: Final = "-"
BLOCK: Final = 1 << 20
SHARE_LINES: Final = 50_000
SHARE_BYTES: Final = 32 << 20
# A longer line is no record, whatever it says; more of it than this is not kept for the reject file.
LINE_KEPT: Final = 16 << 20
_MAGIC: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

Logs = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Source:
    """One log: the name the tables give it, its path (None for standard input), its size on disk if it has one."""

    name: str
    path: Path | None
    size: int | None


class Block(NamedTuple):
    """Whole lines of a log, the bytes read for them after decompression, and the position reached in the file."""

    data: bytes
    size: int
    position: int


@dataclass(slots=True)
class Segment:
    """Neighbouring lines of one log; `first_line` counts from 1."""

    file: str
    first_line: int
    blocks: list[bytes] = field(default_factory=list)
    lines: int = 0
    size: int = 0


@dataclass(slots=True)
class Share:
    """The lines that make one part of a dataset, of one log or of several, and the input bytes read when it was full."""

    number: int
    segments: list[Segment]
    position: int = 0

    @property
    def lines(self) -> int:
        """All its lines, blank ones too."""
        return sum(segment.lines for segment in self.segments)

    @property
    def size(self) -> int:
        """All its bytes."""
        return sum(segment.size for segment in self.segments)


def find_logs(logs: Logs) -> list[Source]:
    """Return the logs that files, folders, patterns and `-` (standard input) name, each once, folders in the order of names.

    A folder is searched through for the endings of `SUFFIXES`; folders in it that are datasets are left out.
    Raises `DatasetError` if something does not exist or holds no log.
    """
    given = [logs] if isinstance(logs, (str, os.PathLike)) else list(logs)
    found: dict[Any, Source] = {}
    for item in given:
        name = os.fspath(item)
        if name == STDIN:
            found[STDIN] = Source(STDIN, None, None)
            continue
        for path in _expand(name):
            found.setdefault(path.resolve(), _source(path))
    if not given:
        raise DatasetError("no log was given; name a file, a folder, a pattern, or - for standard input")
    return list(found.values())


def total_size(sources: list[Source]) -> int | None:
    """Return the bytes of all logs on disk, or None if one has no size."""
    sizes = [source.size for source in sources]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _expand(name: str) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        return _search(path)
    if path.exists():
        return [path]
    if not glob.has_magic(name):
        raise DatasetError(
            f"there is no file or folder {name!r}; check the path, or quote a pattern such as 'logs/*.jsonl'"
        )
    matches = [Path(match) for match in sorted(glob.glob(name, recursive=True))]  # noqa: PTH207
    files = [file for match in matches for file in (_search(match, True) if match.is_dir() else [match])]
    if not files:
        raise DatasetError(f"no log matches {name!r}")
    return files


def _search(folder: Path, may_be_empty: bool = False) -> list[Path]:
    found = []
    for root, folders, files in os.walk(folder, onerror=_refuse_folder):
        # The reject file of a dataset is a log by its name, and its lines are no hands.
        if "dataset.json" in files:
            folders.clear()
            continue
        folders.sort()
        found += [Path(root, file) for file in sorted(files) if file.lower().endswith(SUFFIXES)]
    if not found and not may_be_empty:
        raise DatasetError(f"there is no log in the folder {str(folder)!r}; logs end in {', '.join(SUFFIXES)}")
    return found


def _refuse_folder(error: OSError) -> None:
    raise DatasetError(f"the folder {error.filename!r} cannot be read: {error.strerror}") from error


def _source(path: Path) -> Source:
    name = os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")
    return Source(name, path, path.stat().st_size if path.is_file() else None)


def read_shares(sources: list[Source], faults: list[str]) -> Iterator[Share]:
    """Yield the lines of some logs in shares of about `SHARE_LINES` lines, in order, holding one share at a time.

    A log that cannot be read to its end gives what can be read; the reason is added to `faults`.
    """
    share = Share(0, [])
    before = 0
    for source in sources:
        line, position = 1, 0
        blocks = read_blocks(source)
        while True:
            try:
                block = next(blocks, None)
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
                faults.append(f"{source.name} cannot be read beyond line {line - 1:,}: {reason}")
                break
            if block is None:
                break
            lines = block.data.count(b"\n") + (not block.data.endswith(b"\n"))
            if not share.segments or share.segments[-1].file != source.name:
                share.segments.append(Segment(source.name, line))
            segment = share.segments[-1]
            segment.blocks.append(block.data)
            segment.lines += lines
            segment.size += block.size
            line += lines
            position = block.position
            share.position = before + position
            if share.lines >= SHARE_LINES or share.size >= SHARE_BYTES:
                yield share
                share = Share(share.number + 1, [], share.position)
        before += source.size if source.size is not None else position
    if share.segments:
        share.position = before
        yield share


def read_blocks(source: Source) -> Iterator[Block]:
    """Yield the whole lines of a log in blocks of about a megabyte; the last line may lack its newline.

    What is compressed shows by its first bytes. Raises `OSError` if the log cannot be opened or is damaged, after the
    lines before the damage.
    """
    kept: list[bytes] = []
    held = size = total = 0
    with closing(_open(source)) as raw:
        stream, packed = _decompress(raw)
        failure: OSError | None = None
        while True:
            try:
                data = stream.read(BLOCK)
            except (OSError, ValueError) as error:
                failure = error if isinstance(error, OSError) else OSError(str(error))
                break
            if not data:
                break
            size += len(data)
            total += len(data)
            position = raw.tell() if packed and source.size is not None else total
            cut = data.rfind(b"\n") + 1
            if not cut:
                if held <= LINE_KEPT:
                    kept.append(data)
                held += len(data)
                continue
            head = data[:cut] if held <= LINE_KEPT else data[data.index(b"\n") : cut]
            yield Block(b"".join((*kept, head)), size, position)
            kept, held, size = ([data[cut:]], len(data) - cut, 0) if cut < len(data) else ([], 0, 0)
        if held:
            yield Block(b"".join(kept), size, source.size or total)
        if failure:
            raise failure


def _open(source: Source) -> Any:
    if source.path is not None:
        return source.path.open("rb")
    stdin: Any = getattr(sys.stdin, "buffer", sys.stdin)
    return _Lent(stdin)


class _Lent(io.BufferedReader):
    """Standard input, which is not ours to close."""

    def close(self) -> None:
        """Let go of it."""


def _decompress(raw: Any) -> tuple[Any, bool]:
    head = raw.peek(4)[:4]
    for magic, codec in _MAGIC.items():
        if head.startswith(magic):
            import pyarrow as pa  # noqa: PLC0415  (not needed for a plain log)

            return pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), codec), True
    return raw, False
