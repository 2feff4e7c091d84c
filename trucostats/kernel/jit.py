"""One decorator for every kernel function, and where the compiled code is kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import numba
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import config as numba_config
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime.nrt import rtsys as runtime

from trucostats.home import cache_home

config: Any = numba_config  # its attributes are made at run time
_SOURCES: Final = (
    "kernel", "errors", "vocab", "rows", "notes", "replay", "strength", "series", "chance", "games", "policies", "perft", "solver",
    "advisor/playouts",
)  # fmt: skip


def cache_folder() -> Path:
    """Return the folder of compiled kernels: one per content of their sources, since Numba does not track callees.

    `NUMBA_CACHE_DIR` wins; otherwise it is in `cache_home()`.
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    digest = hashlib.sha256(numba.__version__.encode())
    package = Path(__file__).parent.parent
    for part in _SOURCES:
        for source in sorted([*package.glob(f"{part}/*.py"), *package.glob(f"{part}.py")]):
            digest.update(source.read_bytes())
    return cache_home() / f"kernel-{digest.hexdigest()[:16]}"


def compiled_before(module: str = "") -> bool:
    """Say whether an earlier run left compiled code (of a module), so that this one will not pay for compiling."""
    folder = cache_folder()
    return bool(config.DISABLE_JIT) or any(folder.rglob(f"{module}*.nbc"))


config.CACHE_DIR = str(cache_folder())


class _Cache(FunctionCache):
    """A cache that loads compiled code without setting up Numba's compiler first, which takes as long as all the rest."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature, or None."""
        runtime.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]


class _LinkedImpl(CompileResultCacheImpl):
    """Keeps of a function what is linked into others."""

    def reduce(self, cres: Any) -> Any:
        """Return what is written of a compiled function."""
        cres.library.serialize_using_object_code = cres.library.serialize_using_bitcode
        return cres._reduce()


class _LinkedCache(_Cache):
    _impl_class: Any = _LinkedImpl


@contextmanager
def _linked_only(context: Any) -> Iterator[None]:
    """Let Numba make no machine code of what is compiled now; it is linked into the code that calls it."""
    codegen = context.codegen()
    if "_add_module" in vars(codegen):
        yield
        return
    codegen._add_module = lambda module: None
    codegen.set_env = lambda name, env: None
    context.get_executable = _without_code
    try:
        yield
    finally:
        del codegen._add_module, codegen.set_env, context.get_executable


def _without_code(library: Any, fndesc: Any, env: Any) -> Any:
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "", 0, env, (library,))


def _widen(kind: Any) -> Any:
    kind = types.unliteral(kind)  # type: ignore[no-untyped-call]
    return types.int64 if isinstance(kind, types.Integer) else kind


def jit(function: Callable[..., Any]) -> Any:
    """Compile a kernel function on first use and keep the result; plain Python under `NUMBA_DISABLE_JIT=1`.

    Calls between kernel functions pass every integer as 64 bits and never as a literal: Numba would otherwise compile a
    function again for each literal and width it is called with, which made the first use three times as long. They also go
    to a version that is linked into its callers and has neither machine code of its own nor what a call from Python needs,
    a third of the work.
    """
    if config.DISABLE_JIT:
        return function
    compiled = _dispatcher(function, _Cache)

    @cache
    def linked() -> Any:
        """Make the other version when something that calls the function is compiled; code from an earlier run needs none."""
        return _linked(function)

    def resolve_widened(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return linked().get_call_template(tuple(map(_widen, args)), {key: _widen(kind) for key, kind in kws.items()})

    compiled.get_call_template = resolve_widened
    compiled.get_overload = lambda signature: linked().get_overload(signature)
    return compiled


def _linked(function: Callable[..., Any]) -> Any:
    name = f"{function.__name__}_inside"
    copy = FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
    copy.__qualname__ = name
    copy.__module__ = function.__module__
    inside = _dispatcher(copy, _LinkedCache, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    compile_inside = inside.compile

    def compile_linked(signature: Any) -> Any:
        with global_compiler_lock, _linked_only(inside.targetctx):
            return compile_inside(signature)

    inside.compile = compile_linked
    return inside


def _dispatcher(function: Callable[..., Any], cache: type[_Cache], **options: Any) -> Any:
    compiled: Any = numba.njit(error_model="numpy", nogil=True, **options)(function)
    compiled._cache = cache(function)
    return compiled
