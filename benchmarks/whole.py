"""The whole truco of argentino from the deal, solved: what the measures of the advisor are held against.

    python benchmarks/whole.py              # solve it (about half an hour, 1 GB), or find it in out/bench
    python benchmarks/whole.py --average F  # take the average strategies from a file
    python benchmarks/whole.py --average F --trembles 200  # solve it into F while all players err now and then (some minutes)

The file holds the sums of the strategies of every node, each hand's weighted by how often it comes there by its own choices: float32,
in the order of the tree, as `solver.blueprint.build` has them before it rounds any.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from report import OUT, say

from trucostats.rules import rules_of
from trucostats.solver.blueprint import build, from_the_deal
from trucostats.solver.deck import deals, deck_at
from trucostats.solver.game import Solver
from trucostats.solver.growth import grow_tree
from trucostats.solver.solve import TREMBLE

RULES = "argentino"
TARGET = 9e-5
DEEPEST = 99  # no hand has so many decisions
CACHE = OUT / "bench" / "argentino-average.npy"


def arguments(about: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that all measures of the advisor have."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--average", type=Path, default=CACHE, help="the solved game (default: %(default)s, made if absent)"
    )
    return parser


def unsolved() -> Solver:
    """Return the whole game before any iteration."""
    rules = rules_of(RULES)
    deck = deck_at(rules, None)
    grown = grow_tree(from_the_deal(rules, None), deck)
    return Solver(deck, grown, deals(deck), (grown.outcomes[:, 0] - grown.outcomes[:, 1]).astype(float))


def solved(path: Path = CACHE) -> Solver:
    """Return the solved game, from a file or else solved now and written there."""
    if not path.exists():
        say(f"solving the whole game to {TARGET:g} points a hand; this is long")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npy")

        def look(solver: Solver, left: float) -> None:
            say(f"{solver.iterations} iterations: {left:.6f}")
            if left <= TARGET:
                np.save(part, solver.work.average)

        build(rules_of(RULES), target=TARGET, report=look)
        part.rename(path)
    solver = unsolved()
    solver.work.average[:] = np.load(path)
    return solver


def trembled(path: Path, iterations: int) -> Solver:
    """Return the game solved with errors of all players, so that what follows on them is solved too, and write it to a file."""
    solver = unsolved()
    solver.run(iterations, tremble=TREMBLE, depth=DEEPEST)
    np.save(path, solver.work.average)
    return solver


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--trembles", type=int, metavar="N", help="solve it anew in N iterations with errors")
    options = parser.parse_args()
    solver = trembled(options.average, options.trembles) if options.trembles else solved(options.average)
    exploitability, low, high = solver.exploitability()
    print(f"exploitability {exploitability:.6f} points a hand, worth to the mano in [{low:.6f}, {high:.6f}]")


if __name__ == "__main__":
    main()
