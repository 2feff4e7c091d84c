"""The command line itself: the app, its groups, its exit codes, and how an error is told in one line.

Exit codes: 0 done; 1 done, and the data has errors; 2 the call cannot be carried out (arguments, files, queries); 3 a defect of
trucostats; 130 interrupted; 141 nobody reads the output any more.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final

import typer
from typer.core import TyperGroup

from trucostats.cli.output import printable

DONE, FINDINGS, REFUSED, DEFECT, INTERRUPTED, UNREAD = 0, 1, 2, 3, 130, 141
DEBUG: Final = "TRUCOSTATS_DEBUG"
LOGS, GAME, STATISTICS = "Logs", "The game", "Statistics"

# Typer does not export the base of its usage errors, and has moved it between releases.
_UsageError: Final[type[Any]] = typer.BadParameter.__mro__[1]
_CallError: Final[type[Any]] = typer.BadParameter.__mro__[2]
_ADVICE: Final = {
    errno.ENOENT: "check the path",
    errno.EISDIR: "name a file, not a folder",
    errno.ENOTDIR: "a part of the path is a file; check the path",
    errno.EACCES: "check the permissions, or use another place",
    errno.EPERM: "check the permissions, or use another place",
    errno.EROFS: "the place can only be read; use another",
    errno.ENOSPC: "make room, or use another place",
    errno.EEXIST: "remove it, or use another name",
    errno.ELOOP: "check the links in the path",
}


class Group(TyperGroup):
    """A group of commands listed by panel; where a first word is `implied`, it may be left out."""

    empty: ClassVar[str] = "--help"
    implied: ClassVar[str | None] = None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put in the word that was left out."""
        if not args and not ctx.resilient_parsing:
            args = [self.empty]
        elif args and self.implied and args[0] not in (*self.commands, *ctx.help_option_names):
            args = [self.implied, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete commands, and what may follow the word that was left out."""
        found: list[Any] = super().shell_complete(ctx, incomplete)
        if self.implied:
            for param in self.commands[self.implied].params:
                if param.param_type_name == "argument":
                    found += param.shell_complete(ctx, incomplete)
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, one section for each panel."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if not command.hidden:
                panels.setdefault(command.rich_help_panel or "Commands", []).append(
                    (name, command.get_short_help_str(300))
                )
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


class Root(Group):
    """The outermost group, which turns every exception into one line and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit, or, unless `standalone_mode`, return what it returned."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        try:
            code = super().main(args, "trucostats", complete_var, False, windows_expand_args, **extra)
        except Exception as error:
            if os.environ.get(DEBUG) and not isinstance(error, _CallError):
                raise
            message, code = told(error)
            with suppress(OSError):
                print(f"trucostats: {message}", file=sys.stderr)
        sys.exit(code if isinstance(code, int) else DONE)

    def invoke(self, ctx: Any) -> Any:
        """Run a command to the end of its output; what nobody reads is not an error."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _close_output()
            raise typer.Exit(UNREAD) from None
        return result


def _close_output() -> None:
    # The interpreter flushes standard output once more when it ends, which would complain again.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def told(error: Exception) -> tuple[str, int]:
    """Return what an exception says in one line, and the exit code it stands for."""
    from trucostats.errors import TrucoError  # noqa: PLC0415

    if isinstance(error, _CallError):
        message = str(error.format_message()).rstrip(".")
        context = getattr(error, "ctx", None)
        return _line(f"{message}; see `{context.command_path} --help`" if context else message), REFUSED
    if isinstance(error, TrucoError):
        return _line(str(error)), REFUSED
    if isinstance(error, OSError):
        name = f"{os.fsdecode(error.filename)!r}: " if isinstance(error.filename, (str, bytes)) else ""
        advice = f"; {_ADVICE[error.errno]}" if error.errno in _ADVICE else ""
        return _line(f"{name}{error.strerror or error}{advice}"), REFUSED
    if isinstance(error, typer.Abort):
        return "interrupted", INTERRUPTED
    if isinstance(error, MemoryError):
        return "out of memory; read less at once, or use fewer --jobs", REFUSED
    return _line(f"{type(error).__name__}: {error}; this is a defect of trucostats, {DEBUG}=1 shows where"), DEFECT


def _line(text: str) -> str:
    return printable(" ".join(text.split()))


def examples(*lines: str) -> str:
    """Return the examples of a command as the end of its help."""
    return "\n".join(["\b", "Examples:", *(f"  trucostats {line}" for line in lines)])


def usage_error(message: str) -> Exception:
    """Return the exception for arguments that do not go together."""
    error: Exception = _UsageError(message)
    return error


def group(help: str, **settings: Any) -> typer.Typer:
    """Return an app of commands with the settings all of them share."""
    return typer.Typer(
        help=help,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        **settings,
    )


def note(text: str) -> None:
    """Write a line about the work to standard error."""
    print(printable(text), file=sys.stderr, flush=True)


def announce_compiling(quiet: bool = False, *, solver: bool = False) -> None:
    """Say on standard error that the first use takes a while, if this is the first: of the engine, or of the solver."""
    from trucostats.kernel import jit  # noqa: PLC0415

    if quiet or jit.compiled_before("walk." if solver else ""):
        return
    note("compiling the solver (once, about 30 s)…" if solver else "compiling the rules engine (once, about 20 s)…")
