"""Where files of the user are kept. Source: the XDG base directory specification."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """Return the folder for what can be made again: below `XDG_CACHE_HOME`, by default `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trucostats"


def data_home() -> Path:
    """Return the folder for what is worth keeping: below `XDG_DATA_HOME`, by default `~/.local/share`."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "trucostats"


__all__ = ["cache_home", "data_home"]
