"""How fast the solver is: exploitability against time by stage, and how long `evaluate` takes, first and later in a process.

    python benchmarks/solver_speed.py              # without the deal
    python benchmarks/solver_speed.py --deal 20    # and so many iterations from the deal (a second or two each)

Times are those of this machine as busy as it is; the load is printed. What is compiled is compiled before: run it twice.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from report import keep

from trucostats.hand import Hand
from trucostats.solver.live import evaluate
from trucostats.solver.solve import TREMBLE, solver_of

SPOTS: dict[str, tuple[tuple[str, ...], int, str]] = {
    "deal": ((), 0, "12e 3b 4o"),
    "one card": (("0 12e",), 1, "2c 3e 6c"),
    "trick 1": (("0 12e", "1 2b"), 1, "2b 3e 6c"),
    "trick 1 tied": (("0 12e", "1 12b"), 0, "12e 3b 4o"),
    "trick 1, truco": (("0 12e", "1 2b", "1 truco"), 0, "12e 3b 4o"),
    "trick 2": (("0 12e", "1 2b", "1 6c", "0 3b"), 0, "12e 3b 4o"),
    "trick 2, truco": (("0 12e", "1 2b", "1 6c", "0 3b", "0 truco"), 1, "2b 3e 6c"),
}
RARE: dict[
    str, tuple[tuple[str, ...], int, str]
] = {  # where the blueprint does not say, for its players never come there
    "one card, 1e led": (("0 1e",), 1, "2c 3e 6c"),
    "one card, retruco": (("0 12e", "1 truco", "0 retruco"), 1, "2c 3e 6c"),
}
LOOKS = (10, 25, 50, 75, 100, 150, 200, 300, 400, 600, 1000)
WANTED = {"deal": 0.0, "one card": 0.005, "trick 1": 0.002, "trick 1 tied": 0.002, "trick 1, truco": 0.002}
LIMIT = {"one card": 15.0, "trick 1": 1.0, "trick 1 tied": 1.0, "trick 1, truco": 1.0}
LATE = 0.05  # seconds for an answer after the second trick
AGAIN, LONG = 5, 10.0


def curve(events: tuple[str, ...], longest: float, most: int | None = None) -> list[dict[str, Any]]:
    """Solve from a state on; return iterations, seconds so far without the looks, and exploitability, until the time is over."""
    hand = Hand.deal({"base": "argentino", "envido": False}, [None, None]).play(*events)
    begun = time.perf_counter()
    solver = solver_of(hand)
    grown, found = time.perf_counter() - begun, []
    for look in LOOKS if most is None else [*(n for n in LOOKS if n < most), most]:
        if solver.seconds > longest:
            break
        solver.run(look - solver.iterations, tremble=TREMBLE)
        found.append({
            "iterations": look, "growing": grown, "seconds": solver.seconds, "exploitability": solver.exploitability()[0],
            "actions": len(solver.work.average),
        })  # fmt: skip
    return found


def latency(name: str) -> list[float]:
    """Return how long the first calls of `evaluate` take, the first with what it loads."""
    events, hero, cards = (SPOTS | RARE)[name]
    hand = Hand.deal("argentino", [cards if seat == hero else None for seat in (0, 1)]).play(*events)
    times = []
    for _ in range(AGAIN + 1):
        begun = time.perf_counter()
        evaluate(hand, hero)
        times.append(time.perf_counter() - begun)
        if len(times) > 1 and sum(times) > LONG:
            break
    return times


def in_a_process(name: str) -> dict[str, float]:
    """Return the seconds of the first and of later calls in a process of their own, and of the process up to the first answer."""
    begun = time.perf_counter()
    run = [sys.executable, __file__, "--latency", name]
    done = subprocess.run(run, check=True, capture_output=True, text=True)
    first, *later = json.loads(done.stdout)
    return {"first": first, "later": statistics.median(later), "process": time.perf_counter() - begun - sum(later)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deal", type=int, default=0, help="iterations from the deal")
    parser.add_argument("--longest", type=float, default=25.0, help="seconds of each solve")
    parser.add_argument(
        "--latency", choices=sorted(SPOTS | RARE), help="only print the seconds of some calls of evaluate"
    )
    parser.add_argument("--calls", action="store_true", help="only how long evaluate takes")
    options = parser.parse_args()
    if options.latency:
        print(json.dumps(latency(options.latency)))
        return
    curves: dict[str, list[dict[str, Any]]] = {}
    for name, (events, _, _) in SPOTS.items():
        if options.calls or (not events and not options.deal):
            continue
        curve(events, 0.0, 1)
        curves[name] = curve(events, options.longest, None if events else options.deal)
        last = curves[name][-1]
        print(f"{name}: {last['actions']:,} numbers, {last['seconds'] / last['iterations'] * 1000:.2f} ms an iteration")
        print(
            "   "
            + ", ".join(f"{at['iterations']}: {at['exploitability']:.5f} {at['seconds']:.2f} s" for at in curves[name])
        )
        wanted = WANTED.get(name)
        reached = next((at["seconds"] for at in curves[name] if wanted and at["exploitability"] <= wanted), None)
        if wanted and reached is not None:
            print(f"   {wanted} after {reached:.2f} s (wanted < {LIMIT[name]:g} s)", flush=True)
    print(
        f"evaluate, seconds: the first call in a process, later calls (trick 2 wanted < {LATE}), process until the first answer"
    )
    calls = {}
    for name in SPOTS | RARE:
        calls[name] = in_a_process(name)
        print(
            f"{name:16} {calls[name]['first']:7.3f} {calls[name]['later']:7.3f} {calls[name]['process']:7.3f}",
            flush=True,
        )
    load = os.getloadavg()
    print(f"load of the machine: {load[0]:.1f} on {os.cpu_count()} cores")
    keep(f"solver_speed{'-calls' if options.calls else ''}.json", {"curves": curves, "evaluate": calls})


if __name__ == "__main__":
    main()
