"""Whole hands, envido and truco, of the advice against simple players on duplicate deals: every deal is played twice, seats swapped.

    python benchmarks/duplicate.py                    # 200 deals against each, some 40 minutes
    python benchmarks/duplicate.py --rival plain --deals 50

There is no exact match for the joint game, so hands are dealt. Playing each deal from both seats takes out most of the luck of the cards; what
is left is told as an interval, beside that of as many hands that were not duplicated. The advice always does what it calls best, at 0-0.
Once numbers were said and before each has played a card it takes the blueprint's word, which knows nothing of numbers: a live solve
would take a minute. The rivals are the policies of `trucostats simulate`.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from report import in_out, machine, say

from trucostats.advisor.advise import advise
from trucostats.advisor.intervals import Z
from trucostats.advisor.position import Position, deciders
from trucostats.chance import seeded
from trucostats.hand import Hand
from trucostats.kernel.legal import legal
from trucostats.policies import POLICIES, SILENT, choose, fill_powers, true_words
from trucostats.solver.live import evaluate
from trucostats.vocab import CARDS, ENVIDO_CALLS, event_name

RULES, SEED, DEALS = "argentino", 20261130, 200
RIVALS = ("plain", "envido", "cards", "random")


@dataclass
class Rival:
    """A policy of the simulator that plays one seat of a hand, with chance numbers of its own."""

    policy: int
    rng: NDArray[np.int64]

    def choice(self, hand: Hand, seat: int) -> str | None:
        """Return what it does, None if it has nothing to say or do."""
        work, row, cards = hand.kernel
        verbs = true_words(work[0], seat, legal(work, row, cards, seat))
        code = choose(work[0], row, cards, powers(), self.rng, self.policy, seat, verbs)
        return None if code == SILENT else event_name(code)


@lru_cache(maxsize=1)
def powers() -> Any:
    """Return what the policies hold each card to be worth."""
    _, _, cards = Hand.deal(RULES, [None, None]).kernel
    found = np.zeros(40, np.int64)
    fill_powers(cards, found)
    return found


def advised(hand: Hand, seat: int, truco: list[str]) -> str:
    """Return what the advice does; `truco` are the events so far without those of the envido."""
    position = Position(hand, seat, "duplicate")
    if position.kind == "declare":
        return number_or_concession(hand, seat)
    said = any(hand.said(other) is not None for other in range(hand.seats))
    if said and sum(hand.kernel[0][0].cards_played[:2]) < 2:
        deal: list[str | None] = [None, None]
        deal[seat] = " ".join(hand.dealt(seat))
        live = evaluate(Hand.deal(RULES, deal, dealer=hand.dealer).play(*truco), seat)
        return max(live.options, key=lambda option: option.points).action
    return advise(position).best.action


def number_or_concession(hand: Hand, seat: int) -> str:
    """Return the words for one's number: the number, or that the other is better."""
    own, said = hand.envido(seat), hand.said(1 - seat)
    assert own is not None
    beaten = said is not None and (own < said or (own == said and seat != hand.mano))
    return "son-buenas" if beaten else str(own)


def play(deal: tuple[str, str], me: int, rival: Rival) -> tuple[int, int]:
    """Play a hand, the advice on a seat; return the points it wins, and those of the envido among them."""
    hand, truco = Hand.deal(RULES, deal, dealer=1), list[str]()
    while not hand.over:
        able = deciders(hand)
        if not able:
            break
        word = advised(hand, able[0], truco) if able[0] == me else rival.choice(hand, able[0])
        if word is None:
            break
        envido = hand.pending == "envido"
        event = f"{able[0]} {word}"
        hand = hand.play(event)
        if not (word in ENVIDO_CALLS or word == "son-buenas" or word.isdigit() or (envido and word.endswith("quiero"))):
            truco.append(event)
    hand = hand.settled()
    score, envido_points = hand.score, hand.points["envido"]
    assert score is not None
    assert envido_points is not None
    return score[me] - score[1 - me], envido_points[me] - envido_points[1 - me]


def duel(name: str, deals: int, first: int) -> NDArray[np.float64]:
    """Return what the advice won of every deal from both seats: (deals, seats, all or of the envido); what is played is kept below `out`."""
    chance = random.Random(SEED)
    policy, won = list(POLICIES).index(name), np.zeros((deals, 2, 2))
    for _ in range(first):
        chance.sample(CARDS, 6)
    for number in range(first, first + deals):
        if number % 20 == 0:
            say(f"  {name}: {number} of {first + deals}")
            np.save(in_out(f"duplicate-{name}-{first}.npy"), won[: number - first])
        six = chance.sample(CARDS, 6)
        deal = " ".join(six[:3]), " ".join(six[3:])
        for me in (0, 1):
            won[number - first, me] = play(deal, me, Rival(policy, seeded(SEED, name, number)))
    np.save(in_out(f"duplicate-{name}-{first}.npy"), won)
    return won


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rival", choices=RIVALS, action="append", help="a policy; all if left out")
    parser.add_argument("--deals", type=int, default=DEALS, help="deals against each")
    parser.add_argument("--first", type=int, default=0, help="begin with this deal, so as to go on with an earlier run")
    options = parser.parse_args()
    print(json.dumps(machine()))
    print(
        "rival     deals  points a hand, 95 %     of it envido     as mano  as pie   sd of a hand  of a pair  hands saved"
    )
    for name in options.rival or RIVALS:
        won = duel(name, options.deals, options.first)
        pairs = won.mean(axis=1)
        mean, envido = pairs.mean(axis=0)
        spread, single = pairs.std(axis=0, ddof=1), won[:, :, 0].std(ddof=1)
        reach = Z * spread / np.sqrt(len(pairs))
        saved = (single**2 / 2) / spread[0] ** 2
        print(
            f"{name:9} {len(pairs):5}  {mean:+.3f} +- {reach[0]:.3f}        {envido:+.3f} +- {reach[1]:.3f}  "
            f"{won[:, 0, 0].mean():+.3f}   {won[:, 1, 0].mean():+.3f}   {single:.2f}          {spread[0]:.2f}       {saved:.1f} x",
            flush=True,
        )


if __name__ == "__main__":
    main()
