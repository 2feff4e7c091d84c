"""How one hand may end in points, from the mano's side: read off a solution, joined from its parts, kept in a file of data.

The file `data/outcomes.toml` holds the distributions of equilibrium play, one entry for each rule set and part of the hand, with how far
from the equilibrium each is and what computed it. `write_outcomes` puts an entry in.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.rules import Rules
from trucostats.rules.house import parse_rules
from trucostats.solver.deck import HAND_SIZE
from trucostats.solver.game import Solver
from trucostats.solver.growth import LEFT_0, LEFT_1, PLAYER
from trucostats.solver.solve import Solution, solve
from trucostats.solver.walk import EVALUATE

Side = Literal["mano", "pie"]
PARTS: Final = ("truco", "envido", "hand")
FILE: Final = "outcomes.toml"
# Figures that people have rounded need not sum to one exactly.
LOOSE: Final = 0.01
# Options that say nothing about how a hand is played, so that a distribution holds for any value of them.
INDIFFERENT: Final = ("target", "court_cards", "evidence", "score_cap", "players")
# What the worth of one outcome is raised by to find its chance: no number of points, so that no two worths become equal by it.
RAISED: Final = np.float32(0.7390851)
HEAD: Final = """\
# How a hand between two ends in equilibrium: rows of (chance, points of the mano's side, points of the other side, and who scores
# first where both do). Written by trucostats.solver.outcomes.write_outcomes.
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way in which a hand may end: how likely, the points of the mano's side and of the other, who scores first if both do."""

    chance: float
    mano: int
    pie: int
    first: Side | None = None


@dataclass(frozen=True)
class Outcomes:
    """How one hand may end in points, from the mano's side; the chances sum to one.

    `part` is "truco", "envido" or "hand" (all of it); `status` says where the chances come from and what they leave out; `hands`
    is how many were counted, None where they were computed; `certificate` what a computation is sure of.

    >>> coin = Outcomes.of([Outcome(0.4, 1, 0), Outcome(0.6, 0, 2)], rules=parse_rules("argentino"), status="made up")
    >>> round(coin.mean, 2), round(coin.void, 2)
    (-0.8, 0.0)
    """

    rows: tuple[Outcome, ...]
    rules: Rules
    part: str
    status: str
    hands: int | None = None
    certificate: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rows: Iterable[Outcome],
        *,
        rules: Rules,
        status: str,
        part: str = "hand",
        hands: int | None = None,
        certificate: Mapping[str, Any] | None = None,
    ) -> Outcomes:
        """Return the distribution of some rows, like ones joined and the chances made to sum to one.

        Raises `SolverError` for chances or points below zero, and for chances that are far from one in sum.
        """
        joined: dict[tuple[int, int, Side | None], float] = {}
        for row in rows:
            if row.chance < 0 or row.mano < 0 or row.pie < 0:
                raise SolverError(f"an outcome has a chance and points from 0 up, not {row}")
            both = row.mano > 0 and row.pie > 0
            if both and row.first not in ("mano", "pie"):
                raise SolverError(f"both sides score in {row}: say which does first, 'mano' or 'pie'")
            key = row.mano, row.pie, row.first if both else None
            joined[key] = joined.get(key, 0.0) + row.chance
        total = sum(joined.values())
        if abs(total - 1) > LOOSE:
            raise SolverError(f"the chances of the outcomes sum to {total:.4f}, not to one")
        kept = tuple(
            Outcome(chance / total, mano, pie, first)
            for (mano, pie, first), chance in sorted(joined.items(), key=lambda item: (-item[1], item[0][:2]))
            if chance > 0
        )
        return cls(kept, rules, part, status, hands, dict(certificate or {}))

    @property
    def mean(self) -> float:
        """Points per hand that the mano's side wins less those it loses."""
        return sum((row.chance * (row.mano - row.pie) for row in self.rows), 0.0)

    @property
    def void(self) -> float:
        """The chance of a hand that gives nobody points."""
        return sum((row.chance for row in self.rows if not row.mano and not row.pie), 0.0)

    def fits(self, rules: Rules) -> bool:
        """Say whether these rules are played as those of the distribution, to whatever target."""
        same = {name: value for name, value in self.rules.values if name not in INDIFFERENT}
        return same == {name: value for name, value in rules.values if name not in INDIFFERENT}


def chances_of(solver: Solver) -> NDArray[np.float64]:
    """Return how likely each row of `solver.grown.outcomes` is when both play their average strategies, exactly.

    Where the strategies are still those of no iteration, everything is as likely as anything.
    """
    worth = solver.game.worth
    base = float(solver.values(0, EVALUATE).sum(dtype=np.float64))
    chances = []
    for k in range(len(worth)):
        raised = worth.copy()
        raised[k] += RAISED
        value = float(solver.values(0, EVALUATE, raised).sum(dtype=np.float64))
        chances.append((value - base) / float(raised[k] - worth[k]))
    return np.maximum(np.array(chances), 0.0)


def outcomes_of(spot: Solution | Solver, *, rules: Rules | None = None, command: str = "") -> Outcomes:
    """Return how a hand ends under the average strategies of a solution from the deal on, exactly but for rounding.

    A `Solver` does not know its rules, so it needs `rules`. Seat 0 is mano where seat 1 deals. The truco alone: the envido and the
    flor are settled before it. Raises `SolverError` for a solution from later in the hand.
    """
    solver = spot.solver if isinstance(spot, Solution) else spot
    known = spot.hand.rules if isinstance(spot, Solution) else rules
    if known is None:
        raise SolverError("a solver does not know its rules; give rules=")
    root = solver.grown.nodes[0]
    if int(root[LEFT_0]) != HAND_SIZE or int(root[LEFT_1]) != HAND_SIZE:
        raise SolverError("this solution begins after cards were played; the outcomes of a hand need one from the deal")
    mano = int(root[PLAYER])
    won, chances = solver.grown.outcomes[:, :2], chances_of(solver)
    exploitability, low, high = solver.exploitability()
    bounds = (low, high) if mano == 0 else (-high, -low)
    rows = [
        Outcome(float(chance), int(pair[mano]), int(pair[1 - mano]), "mano" if pair.all() else None)
        for pair, chance in zip(won, chances, strict=True)
    ]
    certificate: dict[str, Any] = {
        "exploitability": round(max(exploitability, 0.0), 7),
        "value_low": round(bounds[0], 6),
        "value_high": round(bounds[1], 6),
        "iterations": solver.iterations,
        "seconds": round(solver.seconds),
    }
    if command:
        certificate["command"] = command
    status = f"the truco alone, solved to {certificate['exploitability']:.2g} points a hand"
    return Outcomes.of(rows, rules=known, status=status, part="truco", certificate=certificate)


def solve_outcomes(
    rules: Rules | str, *, target: float = 0.0005, iterations: int | None = None, seconds: float | None = None
) -> Outcomes:
    """Solve the truco of a rule set from the deal on and return how its hands end; this takes many minutes.

    `target` is the exploitability to reach, in points per hand; `iterations` and `seconds` bound the work. To renew the entry of a
    rule set: `write_outcomes(solve_outcomes("argentino", target=0.0005))`.
    """
    known = parse_rules(rules) if isinstance(rules, str) else rules
    spot = solve(Hand.deal(known, [None, None], dealer=1), target=target, iterations=iterations, seconds=seconds)
    bound = f"target={target}" if iterations is None else f"iterations={iterations}"
    return outcomes_of(spot, command=f'write_outcomes(solve_outcomes("{known}", {bound}))')


def combine(truco: Outcomes, envido: Outcomes) -> Outcomes:
    """Return how a whole hand ends if its truco and its envido have nothing to do with each other.

    They do have: both come from the same cards, and a card played or a number said tells of both. The envido is scored first.

    >>> rules = parse_rules("argentino")
    >>> truco = Outcomes.of([Outcome(0.5, 1, 0), Outcome(0.5, 0, 1)], rules=rules, status="a coin", part="truco")
    >>> envido = Outcomes.of([Outcome(1.0, 2, 0)], rules=rules, status="always his", part="envido")
    >>> [(row.mano, row.pie, row.first) for row in combine(truco, envido).rows]
    [(2, 1, 'mano'), (3, 0, None)]
    """
    if not truco.fits(envido.rules):
        raise SolverError(f"the truco is that of {truco.rules}, the envido that of {envido.rules}")
    rows = [
        Outcome(
            a.chance * b.chance, a.mano + b.mano, a.pie + b.pie,
            b.first or ("mano" if b.mano else "pie" if b.pie else a.first),
        )
        for a in truco.rows for b in envido.rows
    ]  # fmt: skip
    status = f"truco and envido as if independent ({truco.status}; {envido.status})"
    certificate = {"truco": dict(truco.certificate), "envido": dict(envido.certificate)}
    return Outcomes.of(rows, rules=truco.rules, status=status, part="hand", certificate=certificate)


@cache
def _shipped() -> tuple[Outcomes, ...]:
    return read_outcomes(resources.files(__package__).joinpath("data", FILE).read_text("utf-8"))


def read_outcomes(text: str) -> tuple[Outcomes, ...]:
    """Return the distributions that the text of a file of outcomes holds."""
    return tuple(
        Outcomes.of(
            [Outcome(*row) for row in entry["rows"]], rules=parse_rules(entry["rules"]), status=entry["status"],
            part=entry["part"], certificate=entry.get("certificate"),
        )
        for entry in tomllib.loads(text).get("outcomes", [])
    )  # fmt: skip


def equilibrium(rules: Rules, part: str = "hand") -> Outcomes:
    """Return the distribution of equilibrium play that comes with the package, for a rule set and a part of the hand.

    The whole hand is put together from its truco and its envido where it is not there as one. Raises `SolverError` for rules
    of which nobody has computed it.

    >>> round(equilibrium(parse_rules("argentino"), "truco").mean, 2)
    -0.19
    """
    found = {known.part: known for known in _shipped() if known.fits(rules)}
    if part in found:
        return found[part]
    if part == "hand" and "truco" in found and not rules.envido:
        return found["truco"]
    if part == "hand" and {"truco", "envido"} <= set(found):
        return combine(found["truco"], found["envido"])
    have = ", ".join(dict.fromkeys(str(known.rules) for known in _shipped()))
    raise SolverError(f"nobody has computed how the {part} ends in equilibrium by the rules {rules} (only by: {have})")


def write_outcomes(outcomes: Outcomes, path: Path | str | None = None) -> None:
    """Put a distribution into the file of data, in place of the one of the same rules and part.

    `path` is the file; that of the package if left out, which wants a source tree rather than an installed package.
    """
    file = Path(__file__).parent / "data" / FILE if path is None else Path(path)
    before = read_outcomes(file.read_text("utf-8")) if file.exists() else ()
    kept = [known for known in before if (str(known.rules), known.part) != (str(outcomes.rules), outcomes.part)]
    entries = sorted([*kept, outcomes], key=lambda known: (str(known.rules), PARTS.index(known.part)))
    file.write_text(HEAD + "".join(map(_entry, entries)), "utf-8")
    _shipped.cache_clear()


def _entry(outcomes: Outcomes) -> str:
    lines = ["", "[[outcomes]]"]
    for key, value in (("rules", str(outcomes.rules)), ("part", outcomes.part), ("status", outcomes.status)):
        lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    lines.append("rows = [")
    for row in outcomes.rows:
        first = f', "{row.first}"' if row.first else ""
        lines.append(f"  [{float(f'{row.chance:.8g}')!r}, {row.mano}, {row.pie}{first}],")
    lines.append("]")
    if outcomes.certificate:
        lines.append("[outcomes.certificate]")
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in outcomes.certificate.items()]
    return "\n".join(lines) + "\n"


__all__ = [
    "Outcome",
    "Outcomes",
    "chances_of",
    "combine",
    "equilibrium",
    "outcomes_of",
    "read_outcomes",
    "solve_outcomes",
    "write_outcomes",
]
