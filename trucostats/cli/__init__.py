"""The command line: arguments in, one library call, lines out. `trucostats --help` lists the commands."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from trucostats.cli import advise, exploit, game, logs, met, quiz, review, stats
from trucostats.cli.app import Root, examples, group

app = group(
    "Records of truco: check them, replay them, make tables and statistics of them.",
    cls=Root,
    name="trucostats",
    epilog=examples(
        "validate club.jsonl", "ingest club.jsonl --out tables", "stats hand-win --tables tables", "rules show gaucho"
    )
    + "\n\nExit codes: 0 done; 1 done, and the data has errors; 2 the call cannot be carried out; 130 interrupted.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415

        print(f"trucostats {version('trucostats')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Do nothing by itself."""


for _commands in (logs, stats, game, advise, review, quiz, exploit, met):
    _commands.register(app)


def main() -> None:
    """Run the command line and exit."""
    # A stream that was closed before the start is None.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        # A name in a log may have characters that the terminal or the locale does not.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    app()


__all__ = ["app", "main"]
