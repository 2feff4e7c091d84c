"""What would have been right where an event is not legal, as far as the state of the hand tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trucostats.errors import CODES
from trucostats.kernel.check import waiting
from trucostats.kernel.state import ENVIDO_DECLARING


def remedy_of(code: str, state: Any, seat: int, players: Sequence[str], *, waits: bool) -> str:
    """Return what would have been right, else the remedy that the code always has.

    `state` is that of the hand before the fault, or what a replay keeps of it; `waits` says that an answer or a number is waited for, so
    that it does not matter who plays next.
    """
    if code == "NOT_YOUR_TURN" and not (waits or state.over) and 0 <= state.turn < len(players):
        return f"the turn is {players[state.turn]}'s"
    if code == "FALSE_DECLARATION" and state.hidden_dealt[seat] == 0 and state.value[seat] >= 0:
        return f"those of {players[seat]} make {state.value[seat]}"
    return CODES[code].remedy


def reason(code: str, state: Any, seat: int, players: Sequence[str]) -> str:
    """Return why an event of a seat is not legal in a state of the kernel, and what would have been right."""
    waits = bool(waiting(state)) or state.envido == ENVIDO_DECLARING
    return f"{CODES[code].meaning}; {remedy_of(code, state, seat, players, waits=waits)}"


__all__ = ["reason", "remedy_of"]
