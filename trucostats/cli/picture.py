"""Pictures into files, for the commands that draw."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from trucostats.cli.app import usage_error
from trucostats.cli.output import STREAM, open_output

PICTURES: Final = ("png", "svg", "pdf")


def picture_kind(output: str) -> str:
    """Return the kind of picture that the name of a file stands for, PNG for standard output."""
    kind = Path(output).suffix.lower().removeprefix(".") if output != STREAM else "png"
    if kind not in PICTURES:
        raise usage_error(f"{output!r} does not end in .{', .'.join(PICTURES)}")
    return kind


def plotting(module: str) -> Any:
    """Return a module of the package that draws, or raise the error that says what to install."""
    try:
        # By name, since an extra brings it, as pandas and Polars in `queries`.
        import_module("matplotlib")
        return import_module(module)
    except ImportError as error:
        raise usage_error('pictures need matplotlib; pip install "trucostats[plots]"') from error


def save_picture(output: str, size: tuple[float, float], draw: Callable[[Any], object]) -> None:
    """Write a picture of a size in inches, which `draw` paints into the axes it is given."""
    kind = picture_kind(output)
    matplotlib, figures = import_module("matplotlib"), import_module("matplotlib.figure")
    figure = figures.Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    # Without a date and random names, the same data gives the same file.
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with open_output(output) as stream, matplotlib.rc_context({"svg.hashsalt": "trucostats"}):
        figure.savefig(stream, format=kind, dpi=150, metadata=undated)
