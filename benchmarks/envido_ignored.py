"""What it costs to forget the envido numbers in the truco that follows: `python benchmarks/envido_ignored.py`.

Deals are random; an envido is called, accepted and declared honestly, both play a card as the blueprint does, and the player to
act calls truco. The rival's answer is evaluated with the numbers, and once more as if no envido had been spoken of; the loss is what
the second answer is worth less than the best by the first. Prints one row for each way the numbers came out.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
from report import say

from trucostats.hand import Hand
from trucostats.rules import rules_of
from trucostats.solver.blueprint import Blueprint, blueprint_of
from trucostats.solver.live import evaluate
from trucostats.vocab import CARDS

NUMBERS = ("0 envido", "1 quiero")


def declared(hand: Hand) -> Hand:
    """Return the hand with an envido accepted and the numbers said: the pie concedes what he cannot beat."""
    mano, pie = hand.envido(0), hand.envido(1)
    assert mano is not None
    assert pie is not None
    return hand.play(*NUMBERS, f"0 {mano}", f"1 {pie}" if pie > mano else "1 son-buenas")


def play_card(hand: Hand, seat: int, plan: Blueprint, rng: random.Random) -> Hand:
    """Return the hand after a card drawn as the blueprint plays, calls left out."""
    found = evaluate(
        hand.from_record(
            hand.record.but(deal=[text if s == seat else None for s, text in enumerate(hand.record.deal)])
        ),
        seat,
    )
    cards = [option for option in found.options if option.action in CARDS]
    weights = [option.frequency + 1e-6 for option in cards]
    return hand.play(f"{seat} {rng.choices(cards, weights)[0].action}")


def spot(rng: random.Random, plan: Blueprint) -> tuple[Hand, Hand, int] | None:
    """Return a truco that waits, with and without the envido spoken of, and who answers; None where the tricks tied nobody's way."""
    cards = rng.sample(CARDS, 6)
    plain = Hand.deal("argentino", [" ".join(cards[:3]), " ".join(cards[3:])], dealer=1)
    plain = play_card(play_card(plain, 0, plan, rng), 1, plan, rng)
    caller = plain.turn
    if caller is None:
        return None
    events = [*plain.events, f"{caller} truco"]
    start = Hand.deal("argentino", [" ".join(cards[:3]), " ".join(cards[3:])], dealer=1)
    return declared(start).play(*events), start.play(*events), 1 - caller


def seen_by(hand: Hand, seat: int) -> Hand:
    """Return the hand with the other's cards unknown."""
    return Hand.from_record(
        hand.record.but(deal=[text if s == seat else None for s, text in enumerate(hand.record.deal)])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spots", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    plan = blueprint_of(rules_of("argentino"))
    assert plan is not None
    rng = random.Random(options.seed)
    losses: dict[str, list[float]] = {}
    moves: list[float] = []
    while sum(map(len, losses.values())) < options.spots:
        found = spot(rng, plan)
        if found is None:
            continue
        told, plain, hero = found
        label, forgot = (
            evaluate(seen_by(told, hero), hero, target=0.002),
            evaluate(seen_by(plain, hero), hero, target=0.002),
        )
        chosen = label.option(forgot.best.action)
        assert chosen is not None
        kind = (
            "the rival said a number"
            if any(text.startswith(f"{1 - hero} ") and text.split()[1].isdigit() for text in told.events)
            else "the rival conceded"
        )
        losses.setdefault(kind, []).append(label.best.points - chosen.points)
        other = forgot.option("quiero")
        same = label.option("quiero")
        if other is not None and same is not None:
            moves.append(abs(other.points - same.points))
    for kind, values in losses.items():
        each = np.array(values)
        say(
            f"{kind}: n {len(each)}, mean loss {each.mean():.4f} ± {1.96 * each.std(ddof=1) / np.sqrt(len(each)):.4f} points a decision, wrong in {np.mean(each > 0.01):.1%}"
        )
    both = np.concatenate([np.array(values) for values in losses.values()])
    say(
        f"all: n {len(both)}, mean loss {both.mean():.4f} ± {1.96 * both.std(ddof=1) / np.sqrt(len(both)):.4f}; quiero moves by {np.mean(moves):.3f} points on average"
    )


if __name__ == "__main__":
    main()
