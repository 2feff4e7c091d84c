"""Calls of the command line, for the tests of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from trucostats.cli import app

ROOT = Path(__file__).parent.parent
DONE, FINDINGS, REFUSED = 0, 1, 2
GOOD = (
    '{"v":1,"match":"club","hand":1,"rules":"argentino","players":["ana","ben"],"dealer":1,"score":[0,0],"deal":["7c 5c 12e",'
    '"12o 11o 3b"],"events":["0 envido","1 quiero","0 32","1 son-buenas","0 12e","1 3b","1 truco","0 no-quiero"],"points":[2,1]}'
)
OWN_CALL = GOOD.replace("club", "two").replace('"1 quiero"', '"0 quiero"')
GARBAGE = bytes(range(256)) * 40


def run(*args: str | Path, stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> Result:
    result = CliRunner().invoke(app, [str(arg) for arg in args], input=stdin, env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"{args} raised") from result.exception
    assert "Traceback" not in result.output
    return result


def refused(*args: str | Path, stdin: str | bytes | None = None) -> str:
    """Run a call that cannot be carried out; return the one line it says."""
    result = run(*args, stdin=stdin)
    assert result.exit_code == REFUSED, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith("compiling")]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("trucostats: ")
    return lines[0]


def shell(
    *args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    code = "from trucostats.cli import main; main()"
    call = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(
        call, input=stdin, capture_output=True, check=False, timeout=300, env=os.environ | (env or {})
    )


def rows_of(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == DONE, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def simulated(folder: Path) -> Path:
    """Return a log of six simulated matches."""
    path = folder / "sim.jsonl"
    result = run("simulate", "--rules", "gaucho", "--matches", "6", "--seed", "3", "-o", path)
    assert result.exit_code == DONE, result.output
    return path


def ingested(log: Path, folder: Path) -> Path:
    """Return the dataset of a log."""
    assert run("ingest", log, "--out", folder / "tables", "--jobs", "1").exit_code == DONE
    return folder / "tables"


def mixture(folder: Path) -> Path:
    """Return a log with a good hand, a blank line, three lines that are no records and an illegal hand."""
    path = folder / "mixed.jsonl"
    path.write_bytes("\n".join([GOOD, '{"v":1}', "", "no json", OWN_CALL]).encode() + b"\n\xff\xfe\n")
    return path
