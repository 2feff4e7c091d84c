"""What waits for more words of its kind, and what the end of a record settles. Source: A.7.1 items 5 and 6."""

from __future__ import annotations

from typing import Any

from trucostats.kernel.check import is_flor
from trucostats.kernel.envido import check_proof, settle_envido
from trucostats.kernel.flor import settle_flor
from trucostats.kernel.jit import jit
from trucostats.kernel.state import BUENAS, DECLARE, ENVIDO_DECLARING, FLOR_OPEN


@jit
def unsettled(s: Any, verb: int) -> bool:
    """Say whether an event of this verb first settles an accepted envido or an announced flor."""
    if s.envido == ENVIDO_DECLARING and verb != DECLARE and verb != BUENAS:
        return True
    return s.flor == FLOR_OPEN and not is_flor(verb)


@jit
def settle(s: Any, r: Any, c: Any) -> None:
    """Settle whatever waits for more words of its kind."""
    if s.envido == ENVIDO_DECLARING:
        settle_envido(s, r, c)
    if s.flor == FLOR_OPEN:
        settle_flor(s, r, 0)


@jit
def finish(s: Any, r: Any, c: Any) -> None:
    """End the record here: settle what waits and judge the proof of the envido."""
    settle(s, r, c)
    check_proof(s, r, c)
