"""The whole truco of argentino from the deal, solved: what the measures of the advisor are held against.

    python benchmarks/whole.py              # solve it (about half an hour, 1 GB), or find it in out/bench
    python benchmarks/whole.py --average F  # take the average strategies from a file

The file holds the sums of the strategies of every node, each hand's weighted by how often it comes there by its own choices: float32,
in the order of the tree, as `solver.blueprint.build` has them before it rounds any.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from report import say

from trucostats.rules import rules_of
from trucostats.solver.blueprint import build, from_the_deal
from trucostats.solver.deck import deals, deck_at
from trucostats.solver.game import Solver
from trucostats.solver.growth import grow_tree

RULES = "argentino"
TARGET = 9e-5
OUT = Path(__file__).parent.parent / "out"
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


def main() -> None:
    solver = solved(arguments(__doc__).parse_args().average)
    exploitability, low, high = solver.exploitability()
    print(f"exploitability {exploitability:.6f} points a hand, worth to the mano in [{low:.6f}, {high:.6f}]")


if __name__ == "__main__":
    main()
