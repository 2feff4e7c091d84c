"""What a command costs before it does anything, and what the first one pays for compiling the rules engine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from report import Row, medians, seconds

MAIN = "from trucostats.cli import main; main()"


def python(code: str, *arguments: str, **env: str) -> Callable[[], object]:
    """Return a call that runs some code in a new interpreter."""
    call = [sys.executable, "-c", code, *arguments]
    return lambda: subprocess.run(call, check=True, capture_output=True, env=os.environ | env)


def measure(log: Path) -> list[Row]:
    """Compare `--help` with loading its libraries, and the first replay of one hand with the second."""
    own, bare = medians(python(MAIN, "--help"), python("import typer, rich"))
    with tempfile.TemporaryDirectory() as folder, log.open("rb") as file:
        hand = Path(folder, "hand.jsonl")
        hand.write_bytes(b"".join(islice(file, 1)))
        replay = python(MAIN, "replay", str(hand), NUMBA_CACHE_DIR=str(Path(folder, "cache")))
        first = seconds(replay)
        second, _ = medians(replay, lambda: None)
    return [
        Row("trucostats --help", own, bare, "s", "<= 2", "import typer, rich"),
        Row("first use, compiling", first, second, "s", "", "the same command again"),
    ]
