"""Are the advisor's chances right? Hands that people played, held out by match: P(win | quiero) and P(the rival folds).

    TRUCOSTATS_UFSM_DIR=... python benchmarks/calibration.py

The hands are those of the UFSM base (gaúcho rules), which is not part of the project: set the variable to the folder that holds it.
Asked is every truco, retruco and vale cuatro that one side accepted, or called: the side whose cards are recorded whatever happened.
The truco is played as in argentino; the envido and the flor are left out, as are hands with covered cards and rows of the base that
contradict themselves. Where in a trick a truco was called the base does not say, nor always that it was accepted: the importer infers it.
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prior import Prior
from report import in_out, keep, say

from trucostats.errors import TrucoError
from trucostats.hand import Hand
from trucostats.importers.ufsm import read_ufsm
from trucostats.kernel.state import NO_QUIERO
from trucostats.rules import rules_of
from trucostats.solver.blueprint import blueprint_of
from trucostats.solver.growth import BETS, CODE, FIRST, played_ranks
from trucostats.solver.live import evaluate, holding, ranges_of
from trucostats.solver.solve import solve
from trucostats.vocab import CARD_INDEX

FILE = "dbtrucocbr_maos.csv"
SIDE = 0  # the cards of this side are recorded in 95 % of the hands with a truco, those of the other in 74 %
CALLS = ("truco", "retruco", "vale-cuatro")
RULES: dict[str, Any] = {"base": "argentino", "envido": False}
FOLDS, SEED, RESAMPLED = 5, 1, 2000
BINS = np.linspace(0, 1, 6)
EDGE = 0.01
Array = NDArray[np.float64]


@dataclass
class Asked:
    """A call that one side made and the other answered: from whose side it is looked at, and what came of it."""

    match: str
    hand: Hand
    hero: int
    call: int
    caller_is_mano: bool
    came: bool


def truco_alone(record: dict[str, Any]) -> tuple[list[str], list[str | None]] | None:
    """Return the events and the deal of a hand without envido and flor, the mano being seat 0; None if a card was covered."""
    mano = 1 - int(record["dealer"])
    events, truco, other = [], False, False
    for event in record["events"]:
        seat, word = event.split(" ", 1)
        said = f"{(int(seat) - mano) % 2} {word}"
        if word in CARD_INDEX:
            events.append(said)
        elif word in CALLS:
            events.append(said)
            truco = True
        elif word in ("quiero", "no-quiero"):
            if other:
                other = False
            elif truco:
                events.append(said)
                truco = False
        elif "envido" in word or "flor" in word:
            other = True
        elif word == "mazo":
            break
        elif not word.isdigit() and word not in ("son-buenas", "paso", "pass", "show"):
            return None
        elif not word.isdigit():
            other = False
    deal = record["deal"]
    return events, [deal[mano], deal[1 - mano]]


def asked(folder: Path) -> tuple[list[Asked], list[Asked]]:
    """Return the calls that were accepted, from the side of who accepted, and all calls, from the side of who called."""
    accepted, calls, illegal = [], [], 0
    for imported in read_ufsm(folder / FILE):
        record = imported.record
        told = None if record is None else truco_alone(record)
        if record is None or told is None or imported.findings:
            continue
        if any(note.startswith("card.") for note in record["_ufsm"]["reconstructed"]):
            continue
        events, deal = told
        mano, winner = 1 - int(record["dealer"]), record["_ufsm"]["hand_winner"]
        for at, event in enumerate(events[:-1]):
            seat, word = event.split()
            if word not in CALLS:
                continue
            caller, answer = int(seat), events[at + 1].split()[1]
            for hero in ((SIDE - mano) % 2,):
                cards = deal[hero]
                if cards is None or "?" in cards or (hero != caller and answer != "quiero"):
                    continue
                try:
                    hand = Hand.deal(RULES, [cards if s == hero else None for s in (0, 1)]).play(*events[: at + 1])
                except TrucoError:
                    illegal += 1
                    continue
                came = answer == "no-quiero" if hero == caller else (winner - mano) % 2 == hero
                found = Asked(record["match"], hand, hero, CALLS.index(word), caller == 0, came)
                (calls if hero == caller else accepted).append(found)
    say(f"{len(accepted)} accepted, {len(calls)} called, {illegal} left out because they are not legal in argentino")
    return accepted, calls


def win_if_accepted(spot: Asked, iterations: int) -> float:
    """Return the advisor's chance to win after quiero."""
    option = evaluate(spot.hand, spot.hero, iterations=iterations).option("quiero")
    assert option is not None and option.win is not None
    return option.win


def rival_folds(spot: Asked, iterations: int) -> float:
    """Return how often the rival refuses the call in equilibrium, against the hero's cards."""
    hand, hero = spot.hand, spot.hero
    plan = blueprint_of(hand.rules)
    assert plan is not None
    ranges = ranges_of(hand, hero, plan)
    h = holding(hand, hero, plan.deck)
    early = plan.track(hand)
    if early.inside:
        grown, mix, node = plan.grown, plan.mix(early.node), early.node
    else:
        found = solve(hand, weights=ranges.weights, iterations=iterations)
        found.actions()
        grown, mix, node = found.solver.grown, found.solver.work.sigma[0], 0
    here = grown.nodes[node]
    codes = grown.actions[here[FIRST] : here[FIRST] + here[BETS], CODE].tolist()
    refuses = mix[codes.index(NO_QUIERO)]
    played = played_ranks(hand, plan.deck)[1 - hero]
    full = plan.deck.full(len(played), plan.deck.index(played))
    weights = np.where(full >= 0, ranges.rival[np.maximum(full, 0)], 0)
    assert h >= 0
    return float(weights @ refuses[: len(weights)] / weights.sum())


def prior_of(prior: Prior, spot: Asked) -> float:
    """Return how often the hero wins without calls against every hand of the rival."""
    deck = prior.solver.deck
    words = (event.split()[1] for event in spot.hand.events)
    ranks = [int(deck.rank_of[CARD_INDEX[word]]) for word in words if word in CARD_INDEX]
    return prior.win(prior.after(ranks), spot.hero, holding(spot.hand, spot.hero, deck))


def logit(chance: Array) -> Array:
    """Return the log odds, of chances kept off 0 and 1."""
    kept = np.clip(chance, EDGE, 1 - EDGE)
    return np.log(kept / (1 - kept))


def logistic(x: Array, y: Array, ridge: float = 0.1) -> Callable[[Array], Array]:
    """Fit a logistic regression by Newton's method; return what it predicts."""
    design = np.column_stack([np.ones(len(x)), x])
    weights = np.zeros(design.shape[1])
    penalty = ridge * np.eye(len(weights))
    penalty[0, 0] = 0
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ weights))
        hessian = design.T @ (design * (p * (1 - p))[:, None]) + penalty + 1e-9 * np.eye(len(weights))
        weights += np.linalg.solve(hessian, design.T @ (y - p) - penalty @ weights)
    return lambda new: 1 / (1 + np.exp(-np.column_stack([np.ones(len(new)), new]) @ weights))


def stage_of(spot: Asked) -> int:
    """Return the stage of a spot: no card, one, a trick or two tricks played."""
    return (0, 1, 2, 2, 3, 3)[sum(event.split()[1] in CARD_INDEX for event in spot.hand.events)]


def predictions(spots: list[Asked], advisor: Array, prior: Array) -> dict[str, Array]:
    """Return the chances of each way to predict; what is fitted is fitted on the other folds of matches."""
    y = np.array([spot.came for spot in spots], float)
    facts = np.column_stack(
        [logit(prior), *([[stage_of(spot) == k for spot in spots] for k in (1, 2, 3)]),
         *([[spot.call == k for spot in spots] for k in (1, 2)]), [spot.caller_is_mano for spot in spots]]
    ).astype(float)  # fmt: skip
    matches = sorted({spot.match for spot in spots})
    fold_of = dict(zip(matches, np.random.default_rng(SEED).permutation(len(matches)) % FOLDS, strict=True))
    fold = np.array([fold_of[spot.match] for spot in spots])
    found = {name: np.zeros(len(y)) for name in ("constant", "prior + margin", "logistic", "advisor refitted")}
    margins = np.arange(-0.5, 0.51, 0.01)
    for k in range(FOLDS):
        train, test = fold != k, fold == k
        found["constant"][test] = y[train].mean()
        best = min(margins, key=lambda m: float(((np.clip(prior[train] + m, 0, 1) - y[train]) ** 2).mean()))
        found["prior + margin"][test] = np.clip(prior[test] + best, 0, 1)
        found["logistic"][test] = logistic(facts[train], y[train])(facts[test])
        fitted = logistic(np.column_stack([logit(advisor), facts[:, 1:]])[train], y[train])
        found["advisor refitted"][test] = fitted(np.column_stack([logit(advisor), facts[:, 1:]])[test])
    return {"advisor": advisor, "constant": found.pop("constant"), "prior": prior, **found}


def brier(p: Array, y: Array) -> Array:
    """Return the squared errors."""
    return (p - y) ** 2


def log_loss(p: Array, y: Array) -> Array:
    """Return the logarithmic losses, of chances kept off 0 and 1."""
    kept = np.clip(p, EDGE, 1 - EDGE)
    return -np.where(y > 0, np.log(kept), np.log(1 - kept))


def by_match(values: Array, spots: list[Asked]) -> tuple[float, float]:
    """Return the 95 % interval of a mean, whole matches being drawn again."""
    matches = sorted({spot.match for spot in spots})
    place = np.array([matches.index(spot.match) for spot in spots])
    sums, counts = np.bincount(place, values), np.bincount(place)
    drawn = np.random.default_rng(SEED).integers(len(matches), size=(RESAMPLED, len(matches)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def judge(name: str, spots: list[Asked], advisor: Array, prior: Array) -> dict[str, Any]:
    """Print and return how good each way to predict is."""
    y = np.array([spot.came for spot in spots], float)
    ways = predictions(spots, advisor, prior)
    base = brier(ways["constant"], y)
    rows = []
    print(f"{name}: {len(spots)} decisions of {len({spot.match for spot in spots})} matches, came true {y.mean():.3f}")
    print(f"{'':18} brier   log loss  skill   brier less the advisor's, 95 % by match")
    for way, p in ways.items():
        each = brier(p, y)
        low, high = by_match(each - brier(advisor, y), spots)
        rows.append({
            "way": way, "brier": each.mean(), "log_loss": log_loss(p, y).mean(), "skill": 1 - each.mean() / base.mean(),
            "against_advisor": [(each - brier(advisor, y)).mean(), low, high],
        })  # fmt: skip
        row = rows[-1]
        print(
            f"{way:18} {row['brier']:.4f}  {row['log_loss']:.4f} {row['skill']:7.3f}   {row['against_advisor'][0]:+.4f} [{low:+.4f}, {high:+.4f}]"
        )
    bins = []
    for low, high in itertools.pairwise(BINS):
        inside = (advisor >= low) & ((advisor < high) | (high == 1))
        if inside.any():
            bins.append([int(inside.sum()), float(advisor[inside].mean()), float(y[inside].mean())])
            print(f"  advisor {low:.1f}-{high:.1f}: n {bins[-1][0]:3d}, said {bins[-1][1]:.3f}, came {bins[-1][2]:.3f}")
    return {"what": name, "n": len(spots), "rate": y.mean(), "rows": rows, "bins": bins}


def draw(found: list[dict[str, Any]], path: Path) -> None:
    """Draw what was said against what came, bins with the interval of their number."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, several = plt.subplots(1, len(found), figsize=(5 * len(found), 4.5), squeeze=False)
    for axes, part in zip(several[0], found, strict=True):
        n, said, came = (np.array(column, float) for column in zip(*part["bins"], strict=True))
        smooth = (came * n + 2) / (n + 4)
        axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
        axes.errorbar(said, came, yerr=1.96 * np.sqrt(smooth * (1 - smooth) / (n + 4)), marker="o", capsize=3)
        for x, y, count in zip(said, came, n, strict=True):
            axes.annotate(f"n {count:.0f}", (x, y), xytext=(6, -12), textcoords="offset points")
        axes.set(xlabel="chance by the advisor", ylabel="came true", title=part["what"], xlim=(0, 1), ylim=(0, 1))
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=300, help="decisions of each sort at most, drawn by a seed")
    parser.add_argument("--iterations", type=int, default=100, help="of each solve")
    parser.add_argument("--only", choices=("win", "folds"), help="one of the two questions")
    options = parser.parse_args()
    folder = os.environ.get("TRUCOSTATS_UFSM_DIR")
    if not folder or not (Path(folder) / FILE).is_file():
        say("the UFSM base is not part of the project: set TRUCOSTATS_UFSM_DIR to the folder that holds it")
        return
    prior, found = Prior(), []
    assert blueprint_of(rules_of("argentino")) is not None
    jobs: tuple[Callable[[Asked, int], float], ...] = (win_if_accepted, rival_folds)
    for name, spots, predict in zip(("P(win | quiero)", "P(the rival folds)"), asked(Path(folder)), jobs, strict=True):
        if options.only not in (None, "win" if predict is win_if_accepted else "folds"):
            continue
        drawn = np.sort(np.random.default_rng(SEED).permutation(len(spots))[: options.most])
        some = [spots[int(at)] for at in drawn]
        advisor = np.array([predict(spot, options.iterations) for spot in some])
        found.append(judge(name, some, advisor, np.array([prior_of(prior, spot) for spot in some])))
    draw(found, in_out("calibration.png"))
    keep("calibration.json", {"parts": found})


if __name__ == "__main__":
    main()
