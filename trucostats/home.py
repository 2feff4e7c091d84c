"""Where files of the user are kept, by the XDG base directory specification, how they are written, and how much of the machine is ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def cache_home() -> Path:
    """Return the folder for what can be made again: below `XDG_CACHE_HOME`, by default `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trucostats"


def data_home() -> Path:
    """Return the folder for what is worth keeping: below `XDG_DATA_HOME`, by default `~/.local/share`."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "trucostats"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a stream to write a file by, which appears whole and in place of an older one, or not at all if the writing fails."""
    import tempfile  # noqa: PLC0415  (what `--help` does not need is imported where it is used)

    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


__all__ = ["cache_home", "cores", "data_home", "whole_file"]
