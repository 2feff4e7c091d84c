"""One decorator for every kernel function, and where the compiled code is kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numba
from numba.core import config as numba_config
from numba.core import types

config: Any = numba_config  # its attributes are made at run time
_SOURCES: Final = (
    "kernel", "errors", "vocab", "rows", "notes", "replay", "strength", "series", "chance", "games", "policies", "perft", "solver",
    "advisor/playouts",
)  # fmt: skip


def cache_folder() -> Path:
    """Return the folder of compiled kernels: one per content of their sources, since Numba does not track callees.

    `NUMBA_CACHE_DIR` wins; otherwise it is below `XDG_CACHE_HOME` (default `~/.cache`).
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    digest = hashlib.sha256(numba.__version__.encode())
    package = Path(__file__).parent.parent
    for part in _SOURCES:
        for source in sorted([*package.glob(f"{part}/*.py"), *package.glob(f"{part}.py")]):
            digest.update(source.read_bytes())
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "trucostats" / f"kernel-{digest.hexdigest()[:16]}"


def compiled_before() -> bool:
    """Say whether an earlier run left compiled code, so that this one will not pay for compiling."""
    folder = cache_folder()
    return bool(config.DISABLE_JIT) or any(folder.rglob("*.nbc"))


config.CACHE_DIR = str(cache_folder())


def _widen(kind: Any) -> Any:
    kind = types.unliteral(kind)  # type: ignore[no-untyped-call]
    return types.int64 if isinstance(kind, types.Integer) else kind


def jit(function: Callable[..., Any]) -> Any:
    """Compile a kernel function on first use and keep the result; plain Python under `NUMBA_DISABLE_JIT=1`.

    Calls between kernel functions pass every integer as 64 bits and never as a literal: Numba would otherwise compile a
    function again for each literal and width it is called with, which made the first use three times as long.
    """
    compiled: Any = numba.njit(cache=True, error_model="numpy")(function)
    if not config.DISABLE_JIT:
        resolve = compiled.get_call_template

        def resolve_widened(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return resolve(tuple(map(_widen, args)), {name: _widen(kind) for name, kind in kws.items()})

        compiled.get_call_template = resolve_widened
    return compiled
