"""How well the chances of `advise_team` to win a hand are calibrated, and where the habits of its players come from.

    python benchmarks/teams_calibration.py habits
    python benchmarks/teams_calibration.py calibration --players 4 --matches 300

`habits` draws deals between two, plays them by the blueprint of the argentino, and fits how often its players call and accept to
`policies.outlook`. `calibration` simulates matches and compares the predicted chance to win the hand, at every quiero to a call of
the truco, with what then happened. The matches of even number fit the baselines, those of odd number test all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trucostats.advisor.position import Position
from trucostats.advisor.teams import FITTED, VERB_MASK, Habits, TeamAdvice, advise_team
from trucostats.hand import Hand, positions
from trucostats.kernel.check import waiting
from trucostats.kernel.engine import step
from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.kernel.state import OK, PLAY, QUIERO, RAISE, TRUCO_CALL, team
from trucostats.notation import decode_line
from trucostats.policies import fill_powers, outlook
from trucostats.simulate import simulate
from trucostats.solver.blueprint import blueprint_of
from trucostats.solver.growth import BETS, CARDS, CHILD, CODE, FIRST, KIND, LEFT_0, PLAYER, RANK
from trucostats.solver.growth import DECISION_NODE as DECISION
from trucostats.strength import strength_index, strength_table
from trucostats.vocab import CARD_INDEX, card_name
from trucostats.words import parse_event

RULES = "argentino"
BLIND: Habits = replace(FITTED, bluff=(1.0, 1.0, 1.0), stand=1.0, loose=1.0)  # every deal as likely, whatever was said
BINS = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0000001])
RESAMPLED = 400


def powers_of(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the share of cards that each card beats, in percent."""
    powers = np.zeros(40, np.int64)
    fill_powers(cards, powers)
    return powers


def blueprint_decisions(deals: int, seed: int) -> dict[str, list[tuple[float, float]]]:
    """Return, by what is decided, the outlook of who decides and how often the blueprint does it with his cards."""
    rng = np.random.default_rng(seed)
    hand = Hand.deal(RULES, [None, None])
    plan = blueprint_of(hand.rules)
    assert plan is not None
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(deals):
        six = rng.permutation(40)[:6]
        held = [[int(card) for card in six[:3]], [int(card) for card in six[3:]]]
        states, row, cards = Hand.deal(RULES, [" ".join(map(card_name, own)) for own in held]).kernel
        powers = powers_of(cards)
        node = 0
        while plan.grown.nodes[node, KIND] == DECISION:
            here = plan.grown.nodes[node]
            seat, bets, n = int(here[PLAYER]), int(here[BETS]), int(here[BETS]) + int(here[CARDS])
            left = int(here[LEFT_0 + seat])
            own = plan.deck.index_of_cards(held[seat])
            mix = plan.mix(node)[:, own].astype(float)
            actions = plan.grown.actions[int(here[FIRST]) : int(here[FIRST]) + n]
            codes = [int(code) for code in actions[:bets, CODE]]
            x = outlook(states[0], cards, powers, seat) / 100
            level = int(states[0].pending) if QUIERO in codes else int(states[0].level)
            calls = sum(mix[k] for k in range(bets) if codes[k] >= RAISE)
            if QUIERO in codes:
                found.setdefault(f"accept {level}", []).append((x, mix[codes.index(QUIERO)] + calls))
            if any(code >= RAISE for code in codes):
                found.setdefault(f"call {level + 1}", []).append((x, calls))
            shares, moves = [], []
            for k in range(n):
                rank = int(actions[k, RANK])
                if rank < 0:
                    shares.append(mix[k])
                    moves.append((k, codes[k]))
                elif any(plan.deck.rank_of[card] == rank for card in held[seat]):
                    card = next(card for card in held[seat] if plan.deck.rank_of[card] == rank)
                    shares.append(mix[bets + int(plan.deck.slot[left, rank, own])])
                    moves.append((k, PLAY | card << 5))
            total = sum(shares)
            if total <= 0:
                break
            k, code = moves[int(rng.choice(len(moves), p=np.array(shares) / total))]
            if code < 0 or step(states, row, cards, seat, code) != OK:
                break
            if code & VERB_MASK == PLAY:
                held[seat].remove(code >> 5)
            node = int(actions[k, CHILD])
    return found


def fit_curve(rows: list[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the floor, middle and width of the logistic curve that makes the decisions likeliest, by a grid."""
    x, y = np.array(rows).T
    best, chosen = -np.inf, (0.0, 0.0, 0.0)
    for floor in (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3):
        for middle in np.arange(0.2, 1.41, 0.02):
            for width in (0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3):
                p = np.clip(floor + (1 - floor) / (1 + np.exp((middle - x) / width)), 1e-6, 1 - 1e-6)
                likely = float((y * np.log(p) + (1 - y) * np.log(1 - p)).mean())
                if likely > best:
                    best, chosen = likely, (floor, float(middle), width)
    return chosen


def show_habits(deals: int, seed: int) -> None:
    """Print the curves and what they are fitted to."""
    for name, rows in sorted(blueprint_decisions(deals, seed).items()):
        x, y = np.array(rows).T
        if len(rows) < 100:
            print(f"{name}: {len(rows)} decisions, too few")
            continue
        floor, middle, width = fit_curve(rows)
        print(
            f"{name}: {len(rows)} decisions, {y.mean():.3f} of them yes; floor {floor} middle {middle:.2f} width {width}"
        )
        cells = [(x >= low) & (x < low + 0.1 + 1e-9 * (low > 0.85)) for low in np.arange(0, 0.95, 0.1)]
        print("   yes by outlook:", " ".join(f"{y[cell].mean():.2f}({cell.sum()})" for cell in cells if cell.any()))


@dataclass(frozen=True)
class Case:
    """One quiero: the match, what is predicted, what a player may go by without the advice, and whether his side won the hand."""

    match: str
    predicted: dict[str, float]
    strength: float
    outlook: float
    step: int
    won: float
    effective: float


def cases(players: int, matches: int, seed: int, policy: list[str], samples: int, heroes: str) -> Iterator[Case]:
    """Yield every quiero of simulated matches, redonda only, by players of one policy."""
    ways: dict[str, Callable[[Hand, int], TeamAdvice]] = {
        "advice": lambda hand, hero: advise_team(blind(hand, hero), hero, samples=samples),
        "blind": lambda hand, hero: advise_team(blind(hand, hero), hero, samples=samples, habits=BLIND),
        "partner open": lambda hand, hero: advise_team(
            blind(hand, hero), hero, samples=samples,
            partner_cards={seat: hand.dealt(seat) for seat in range(players) if seat != hero and team(seat) == team(hero)},
        ),
    }  # fmt: skip
    for line in simulate(RULES, matches=matches, players=players, seed=seed, policy=policy):
        record = decode_line(line)
        if record.format == "pica-pica" or not any(text.endswith("quiero") for text in record.events):
            continue
        end = Hand.from_record(record)
        for before, text in zip(positions(record), record.events, strict=True):
            seat, code = parse_event(text, before.rules)
            if code != QUIERO or before.pending != "truco" or policy[seat] != heroes:
                continue
            states, _, table = before.kernel
            assert waiting(states[0]) == TRUCO_CALL
            levels = table[STRENGTH][[CARD_INDEX[card] for card in before.dealt(seat)]][None, :]
            found = {name: way(before, seat) for name, way in ways.items()}
            yield Case(
                record.match, {name: float(advice.win_if_quiero or 0.0) for name, advice in found.items()},
                float(strength_table(card_tables(before.rules)[NO_TURNED])[strength_index(levels)][0]),
                outlook(states[0], table, powers_of(table), seat) / 100, int(states[0].pending),
                0.5 if end.winner is None else float(end.winner == team(seat)), found["advice"].effective,
            )  # fmt: skip


def blind(hand: Hand, hero: int) -> Hand:
    """Return a hand as its player sees it, so that no card of others can slip in."""
    return Position(hand, hero, "simulated").hero_view()


def fit_logistic(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients of a logistic regression with a constant, by Newton's method."""
    full = np.column_stack([np.ones(len(x)), x])
    beta = np.zeros(full.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-full @ beta))
        beta += np.linalg.solve((full * (p * (1 - p))[:, None]).T @ full + 1e-6 * np.eye(len(beta)), full.T @ (y - p))
    return beta


def scores(p: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the Brier score and the log loss of each prediction; chances are kept 1/200 away from 0 and 1 for the second."""
    safe = np.clip(p, 0.005, 0.995)
    return (p - y) ** 2, -(y * np.log(safe) + (1 - y) * np.log(1 - safe))


def report(found: list[Case]) -> None:
    """Print the reliability and the scores of the test half against the baselines fitted to the other."""
    fits = np.array([int(case.match[-4:]) % 2 == 0 for case in found])
    y = np.array([case.won for case in found])
    features = np.array([[case.strength, case.outlook, case.step == 2, case.step == 3] for case in found], float)
    test = y[~fits]

    def logistic(columns: list[int]) -> NDArray[np.float64]:
        beta = fit_logistic(features[fits][:, columns], y[fits])
        return 1 / (1 + np.exp(-(beta[0] + features[~fits][:, columns] @ beta[1:])))

    guesses = {
        "constant": np.full(len(test), y[fits].mean()),
        "strength alone": logistic([0]),
        "outlook alone": logistic([1]),
        "outlook and step": logistic([1, 2, 3]),
    }
    for name in found[0].predicted:
        guesses[name] = np.array([case.predicted[name] for case in found])[~fits]
    matches = np.array([case.match for case in found])[~fits]
    print(f"{len(found)} quieros, {len(test)} in {len(set(matches))} test matches; won {test.mean():.3f}", end="; ")
    print(f"effective deals {np.mean([case.effective for case in found]):.0f}")
    print("prediction           mean   Brier  log loss  less Brier than the constant, than outlook and step (95 %)")
    names, which = np.unique(matches, return_inverse=True)
    drawn = np.random.default_rng(0).multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLED)
    weights = drawn[:, which]
    for name, p in guesses.items():
        brier, loss = scores(p, test)
        print(f"{name:20} {p.mean():.3f}  {brier.mean():.4f}  {loss.mean():.4f}  ", end="")
        for other in ("constant", "outlook and step"):
            gain = scores(guesses[other], test)[0] - brier
            low, high = np.quantile((weights @ gain) / weights.sum(axis=1), [0.025, 0.975])
            print(f"  {gain.mean():+.4f} ({low:+.4f} to {high:+.4f})", end="")
        print()
    for name in found[0].predicted:
        print(f"{name}: predicted, won, n")
        p = guesses[name]
        for low, high in pairwise(BINS):
            cell = (p >= low) & (p < high)
            if cell.any():
                error = np.sqrt(test[cell].var() / cell.sum())
                print(
                    f"  {low:.1f}-{min(high, 1):.1f}  {p[cell].mean():.3f}  {test[cell].mean():.3f} +- {error:.3f}  {cell.sum():5d}"
                )
    for level in (1, 2, 3):
        step_of = np.array([case.step for case in found])[~fits] == level
        if step_of.any():
            p = guesses["advice"]
            print(f"step {level}: n {step_of.sum()}, predicted {p[step_of].mean():.3f}, won {test[step_of].mean():.3f}")


def main() -> None:
    """Print what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("habits", "calibration"))
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--deals", type=int, default=20000)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--policy", default="plain", help="one for all, or one for each team: plain,random; the first answers"
    )
    asked = parser.parse_args()
    if asked.what == "habits":
        show_habits(asked.deals, asked.seed)
        return
    teams = asked.policy.split(",")
    policy = [teams[seat % len(teams)] for seat in range(asked.players)]
    begun = time.perf_counter()
    found = list(cases(asked.players, asked.matches, asked.seed, policy, asked.samples, teams[0]))
    print(f"{asked.players} players, {asked.matches} matches of {asked.policy}, {time.perf_counter() - begun:.0f} s")
    report(found)


if __name__ == "__main__":
    main()
