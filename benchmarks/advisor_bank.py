"""How good the advice is: what the advised action loses, in points a decision, over the bank of 2,000 labelled spots.

    python benchmarks/advisor_bank.py              # every spot; an hour, most of it for the early spots off the path
    python benchmarks/advisor_bank.py --early 4    # only so many of each kind and stage of those; about 15 minutes
    python benchmarks/advisor_bank.py --every 10   # one in ten

The bank, its labels and its seed are those of `bank.py`. The advice is what `solver.live.evaluate` says as users get it. Beside it stand
advisors that need no solver: they accept a call if the chance to win without calls against any hand of the rival (`prior`) is at least
the take point, or that plus the margin that is best on this very bank; or always; or never.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from report import keep, say

from trucostats.hand import Hand
from trucostats.solver.live import evaluate

FILE = Path(__file__).parent / "bank.jsonl.gz"
TAKE = {"truco": 1 / 4, "retruco": 1 / 6, "vale-cuatro": 1 / 8}
MARGINS = np.arange(-0.1, 0.62, 0.01)
SPOTS = 2000
WANTED, WANTED_KIND = 0.003, 0.01
Spot = dict[str, Any]


def read(path: Path = FILE) -> list[Spot]:
    """Return the spots of the bank."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def loss(spot: Spot, action: str) -> float:
    """Return what an action loses against the best of a spot."""
    return max(spot["values"].values()) - spot["values"][action]


def advise(spot: Spot) -> dict[str, Any]:
    """Return what the advisor says at a spot, what that loses, and what its mixture loses."""
    hero, begun = spot["hero"], time.perf_counter()
    hand = Hand.deal("argentino", [spot["cards"] if seat == hero else None for seat in (0, 1)]).play(*spot["events"])
    live = evaluate(hand, hero)
    mixed = sum(option.frequency * loss(spot, option.action) for option in live.options)
    return {
        "action": live.best.action, "loss": loss(spot, live.best.action), "mixed": mixed, "status": live.status,
        "seconds": time.perf_counter() - begun,
    }  # fmt: skip


def answer(spot: Spot, margin: float) -> float:
    """Return what is lost by accepting a call from the take point and a margin on."""
    return loss(spot, "quiero" if spot["prior"] >= TAKE[spot["kind"]] + margin else "no-quiero")


def interval(losses: Iterable[float]) -> tuple[int, float, float]:
    """Return how many there are, their mean, and half the width of its 95 % interval."""
    values = np.array(list(losses))
    wide = 1.96 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return len(values), float(values.mean()), wide


def simple(spots: list[Spot]) -> dict[str, Callable[[Spot], float]]:
    """Return the advisors without a solver, by name, for spots of one kind that answer a call."""
    best = min(MARGINS, key=lambda margin: float(np.mean([answer(spot, margin) for spot in spots])))
    return {
        "pot odds": lambda spot: answer(spot, 0.0), f"best margin {best:+.2f}": lambda spot: answer(spot, best),
        "always": lambda spot: loss(spot, "quiero"), "never": lambda spot: loss(spot, "no-quiero"),
    }  # fmt: skip


def groups(spots: list[Spot]) -> dict[str, list[int]]:
    """Return the places of the spots by what they have in common: everything, the kind, and kind, path and stage."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, spot in enumerate(spots):
        path = "on" if spot["path"] else "off"
        for name in (
            "all",
            f"{path} the path",
            spot["kind"],
            f"{spot['kind']}, {path}",
            f"{spot['kind']}, {path}, {spot['stage']}",
        ):
            found[name].append(at)
    return {name: found[name] for name in sorted(found, key=lambda name: (name.count(","), name))}


def chosen(spots: list[Spot], early: int, only: str | None) -> list[Spot]:
    """Return the spots to ask at: of the early ones off the path, which are dear, at most so many of each kind and stage."""
    have: Counter[tuple[str, str]] = Counter()
    found = []
    for spot in spots:
        dear = not spot["path"] and spot["stage"] in ("deal", "one card")
        have[spot["kind"], spot["stage"]] += dear
        if only in (None, "early" if dear else "other") and (not dear or have[spot["kind"], spot["stage"]] <= early):
            found.append(spot)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="ask at one spot in so many")
    parser.add_argument("--early", type=int, default=SPOTS, help="early spots off the path, of each kind and stage")
    parser.add_argument(
        "--only", choices=("early", "other"), help="only the early spots off the path, or only the others"
    )
    parser.add_argument("--stage", choices=("deal", "one card", "trick 1", "trick 2"), help="only spots of a stage")
    options = parser.parse_args()
    spots = chosen(read()[:: options.every], options.early, options.only)
    spots = [spot for spot in spots if options.stage in (None, spot["stage"])]
    advice = []
    advise(spots[-1])  # so that no spot's seconds count what the first call of a process loads
    for at, spot in enumerate(spots):
        advice.append(advise(spot))
        if at % 200 == 199:
            say(f"{at + 1} of {len(spots)}")
    rows = []
    for name, places in groups(spots).items():
        n, mean, wide = interval(advice[at]["loss"] for at in places)
        mixed = float(np.mean([advice[at]["mixed"] for at in places]))
        half, many, most = (float(x) for x in np.quantile([advice[at]["seconds"] for at in places], (0.5, 0.99, 1)))
        rows.append(
            {
                "spots": name,
                "n": n,
                "loss": mean,
                "interval": wide,
                "mixed": mixed,
                "median_seconds": half,
                "seconds_of_99": many,
                "most_seconds": most,
            }
        )
        print(
            f"{name:28} {n:5d} {mean:9.5f} +- {wide:.5f}   mixed {mixed:.5f}   seconds: median {half:.3f}, 99 % below {many:.3f}, most {most:.3f}"
        )
    print("answers without a solver: points lost a decision")
    plain = []
    for kind in TAKE:
        for where in (True, False):
            asked = [spot for spot in spots if spot["kind"] == kind and spot["path"] == where]
            for name, rule in (simple(asked) if asked else {}).items():
                n, mean, wide = interval(map(rule, asked))
                plain.append({"kind": kind, "on": where, "advisor": name, "n": n, "loss": mean, "interval": wide})
                print(f"{kind:12} {'on' if where else 'off':4} {name:18} {n:5d} {mean:9.5f} +- {wide:.5f}")
    worst = max((row for row in rows if row["spots"] in (*TAKE, "raise", "card")), key=lambda row: row["loss"])
    print(
        f"mean {rows[0]['loss']:.5f} (wanted <= {WANTED}), worst kind {worst['spots']} {worst['loss']:.5f} (wanted <= {WANTED_KIND})"
    )
    name = (
        "-".join(["advisor_bank", *[part.replace(" ", "") for part in (options.only, options.stage) if part]]) + ".json"
    )
    keep(name, {"rows": rows, "without_solver": plain, "advice": advice})


if __name__ == "__main__":
    main()
