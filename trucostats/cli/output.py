"""What commands print: tables in the formats asked for, on a terminal, into a pipe or into a file."""

from __future__ import annotations

import io
import json
import math
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal

from trucostats.home import whole_file

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console
    from rich.table import Table

Format = Literal["table", "json", "csv", "markdown", "parquet"]
STREAM: Final = "-"
_SUFFIXES: Final[dict[str, Format]] = {
    ".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown", ".parquet": "parquet", ".txt": "table",
}  # fmt: skip
# No line in a pipe is wrapped, however long.
_ENDLESS: Final = 1_000_000
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
Row = Sequence[Any]
# A text, or the names of columns with rows.
Part = str | tuple[Sequence[str], Sequence[Row]]


def printable(text: str, keep: str = "") -> str:
    """Return a text with its control characters but those to keep spelled out, so that no log can steer the terminal or break a line.

    >>> print(printable("ana\\x1b[2J"))
    ana\\x1b[2J
    """
    return _CONTROL.sub(
        lambda match: match[0] if match[0] in keep else match[0].encode("unicode_escape").decode(), text
    )


def console(error: bool = False) -> Console:
    """Return a Rich console; into a pipe it writes no colours and wraps nothing."""
    from rich.console import Console  # noqa: PLC0415

    stream = sys.stderr if error else sys.stdout
    plain = not stream.isatty()
    return Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        width=_ENDLESS if plain else None,
        no_color=True if plain else None,
    )


def format_for(format: Format | None, output: str | None) -> Format:
    """Return the format that was asked for, or the one that the name of the file stands for, or a table."""
    return format or _SUFFIXES.get(Path(output or "").suffix.lower(), "table")


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """Open a file to read, or take standard input for `-`."""
    if name == STREAM:
        yield sys.stdin.buffer
        return
    with Path(name).open("rb") as stream:
        yield stream


@contextmanager
def open_output(output: str | None) -> Iterator[BinaryIO]:
    """Open a file that appears whole at the end or not at all; None and `-` are standard output.

    Raises `DatasetError` for a link that leads out of the file's folder, `OSError` for a place that cannot be written to.
    """
    if output is None or output == STREAM:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = _target(Path(output))
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        with path.open("wb") as stream:  # a device or a pipe; a folder refuses by itself
            yield stream
        return
    with ExitStack() as stack:
        try:
            whole = stack.enter_context(whole_file(path))
        except OSError as error:
            raise OSError(error.errno, error.strerror, output) from error
        yield whole


def _target(path: Path) -> Path:
    from trucostats.errors import DatasetError  # noqa: PLC0415

    if not path.is_symlink():
        return path
    try:
        found = path.resolve()
    except (OSError, RuntimeError) as error:
        raise DatasetError(f"{str(path)!r} is a link that leads nowhere; name the file itself") from error
    special = found.exists() and not found.is_file() and not found.is_dir()
    if not special and found.parent != path.parent.resolve():
        raise DatasetError(f"{str(path)!r} is a link that leads out of its folder; name the file itself")
    return path if special else found


def write_text(text: str, output: str | None = None) -> None:
    """Write a text as UTF-8, ending in a line break, to a file or standard output."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None or output == STREAM:
        sys.stdout.write(text)
        return
    with open_output(output) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


def write_lines(lines: Iterable[bytes], output: str | None) -> None:
    """Write lines without their line breaks, as they come, to a file or standard output."""
    with open_output(output) as stream:
        for line in lines:
            stream.write(line + b"\n")


def to_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON, with null for numbers that JSON does not have."""
    separators = (",", ":") if indent is None else None
    return json.dumps(_finite(value), ensure_ascii=False, indent=indent, default=_plain, separators=separators)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    from decimal import Decimal  # noqa: PLC0415

    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value.hex() if isinstance(value, bytes) else str(value)


def write_table(table: pa.Table, format: Format | None, output: str | None) -> None:
    """Write an Arrow table in a format; Parquet keeps its types, the others its values."""
    chosen = format_for(format, output)
    if chosen == "parquet":
        import pyarrow.parquet as pq  # noqa: PLC0415

        from trucostats.errors import TrucoError  # noqa: PLC0415

        if output in (None, STREAM) and sys.stdout.isatty():
            raise TrucoError("Parquet is not for a terminal; give a file with -o, or another --format")
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        with open_output(output) as stream:
            stream.write(buffer.getbuffer())
        return
    columns = [column.to_pylist() for column in table.columns]
    write_rows(table.column_names, list(zip(*columns, strict=True)), chosen, output)


def write_rows(
    names: Sequence[str], rows: Sequence[Row], format: Format | None = None, output: str | None = None
) -> None:
    """Write rows under the names of their columns as a table, JSON, CSV or Markdown."""
    chosen = format_for(format, output)
    if chosen == "table":
        write_parts([(names, rows)], output)
        return
    write: Callable[[Sequence[str], Sequence[Row]], str] = {"json": _json, "csv": _csv, "markdown": _markdown}[chosen]
    write_text(write(names, rows), output)


def write_parts(parts: Sequence[Part], output: str | None = None) -> None:
    """Write texts and tables one after another: for a terminal within its width, otherwise without wrapping anything."""
    if output not in (None, STREAM) or not sys.stdout.isatty():
        write_text("\n\n".join(part if isinstance(part, str) else aligned(*part) for part in parts), output)
        return
    screen = console()
    for number, part in enumerate(parts):
        if number:
            screen.print()
        screen.print(part if isinstance(part, str) else _rich_table(*part))


def _json(names: Sequence[str], rows: Sequence[Row]) -> str:
    keys = [name if names.index(name) == i else f"{name}_{i}" for i, name in enumerate(names)]
    lines = [json.dumps(_finite(dict(zip(keys, row, strict=True))), ensure_ascii=False, default=_plain) for row in rows]
    return "[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]" if lines else "[]"


def _csv(names: Sequence[str], rows: Sequence[Row]) -> str:
    import csv  # noqa: PLC0415

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple, dict)):
        return to_json(value)
    return value if isinstance(value, (str, int, float)) else _plain(value)


def _markdown(names: Sequence[str], rows: Sequence[Row]) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells) + " |"

    right = _numeric(names, rows)
    rule = "|" + "|".join("---:" if is_right else "---" for is_right in right) + "|"
    return "\n".join([line(map(printable, names)), rule, *(line(map(cell_text, row)) for row in rows)])


def aligned(names: Sequence[str], rows: Sequence[Row]) -> str:
    """Return rows as text with columns of one width, numbers to the right."""
    cells = [[printable(name) for name in names], *([cell_text(value) for value in row] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    right = _numeric(names, rows)
    lines = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def cell_text(value: Any) -> str:
    """Return a value as a person reads it in a cell: a dash for nothing, four decimals at most."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".") if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple, dict)):
        return printable(to_json(value))
    return printable(value if isinstance(value, str) else str(_plain(value)))


def _numeric(names: Sequence[str], rows: Sequence[Row]) -> list[bool]:
    from numbers import Number  # noqa: PLC0415

    def is_number(value: Any) -> bool:
        return isinstance(value, Number) and not isinstance(value, bool)

    return [
        any(is_number(row[i]) for row in rows) and all(row[i] is None or is_number(row[i]) for row in rows)
        for i in range(len(names))
    ]


def _rich_table(names: Sequence[str], rows: Sequence[Row]) -> Table:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, right in zip(names, _numeric(names, rows), strict=True):
        table.add_column(printable(name), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell_text(value)) for value in row))
    return table
