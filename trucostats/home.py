"""Where files of the user are kept, by the XDG base directory specification, and how much of the machine is ours."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """Return the folder for what can be made again: below `XDG_CACHE_HOME`, by default `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trucostats"


def data_home() -> Path:
    """Return the folder for what is worth keeping: below `XDG_DATA_HOME`, by default `~/.local/share`."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "trucostats"


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


__all__ = ["cache_home", "cores", "data_home"]
