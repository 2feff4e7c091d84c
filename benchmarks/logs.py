"""Write a log of any length for the benchmarks: two-player Argentine matches of legal hands, scores carried from hand to hand."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

RANKS = ("1", "2", "3", "4", "5", "6", "7", "10", "11", "12")
DECK = [rank + suit for suit in "eboc" for rank in RANKS]
ORDER = ["4", "5", "6", "7", "10", "11", "12", "1", "2", "3"]
TOP = {"1e": 14, "1b": 13, "7e": 12, "7o": 11}
TARGET = 30
MATCHES = 400


def strength(card: str) -> int:
    return TOP.get(card, ORDER.index(card[:-1]))


def envido(cards: list[str]) -> int:
    suits: dict[str, list[int]] = {}
    for card in cards:
        suits.setdefault(card[-1], []).append(int(card[:-1]) if int(card[:-1]) < 10 else 0)
    best = max(suits.values(), key=lambda values: (len(values), max(values)))
    if len(best) == 1:
        return max(values[0] for values in suits.values())
    return 20 + sum(sorted(best)[-2:])


def play_hand(rng: random.Random, hands: list[list[str]], mano: int, room: list[int]) -> tuple[list[str], list[int]]:
    """Play one hand; `room` is what each side needs to win. Return its events and its points."""
    events: list[str] = []
    points = [0, 0]
    pie = 1 - mano
    if rng.random() < 0.6:
        events.append(f"{mano} envido")
        if rng.random() < 0.3:
            events.append(f"{pie} no-quiero")
            points[mano] += 1
        else:
            first, second = envido(hands[mano]), envido(hands[pie])
            events += [f"{pie} quiero", f"{mano} {first}"]
            events.append(f"{pie} {second}" if second > first else f"{pie} son-buenas")
            points[pie if second > first else mano] += 2
        if any(points[side] >= room[side] for side in (0, 1)):
            return events, points
    left = [list(cards) for cards in hands]
    for cards in left:
        rng.shuffle(cards)
    wins: list[int] = []
    stake, owner, leader = 1, -1, mano
    words = ["truco", "retruco", "vale-cuatro"]
    for _ in range(3):
        played: dict[int, str] = {}
        for seat in (leader, 1 - leader):
            if words and owner in (-1, seat) and rng.random() < 0.2:
                events.append(f"{seat} {words.pop(0)}")
                if rng.random() < 0.4:
                    events.append(f"{1 - seat} no-quiero")
                    points[seat] += stake
                    return events, points
                events.append(f"{1 - seat} quiero")
                stake, owner = stake + 1, 1 - seat
            played[seat] = left[seat].pop()
            events.append(f"{seat} {played[seat]}")
        a, b = strength(played[0]), strength(played[1])
        wins.append(0 if a > b else 1 if b > a else 2)
        leader = leader if wins[-1] == 2 else wins[-1]
        decided = [won for won in wins if won != 2]
        if len(wins) == 1:
            continue
        if wins.count(0) == 2 or wins.count(1) == 2 or (2 in wins and decided) or len(wins) == 3:
            winner = decided[0] if decided and (2 in wins or len(wins) == 2) else mano if not decided else wins[2]
            points[winner] += stake
            break
    return events, points


def match_lines(rng: random.Random, number: int) -> list[str]:
    """Return the hands of one game of a match."""
    score, dealer, lines = [0, 0], rng.randrange(2), []
    while max(score) < TARGET:
        pack = rng.sample(DECK, 6)
        hands = [pack[:3], pack[3:]]
        room = [TARGET - points for points in score]
        events, points = play_hand(rng, hands, 1 - dealer, room)
        record = {
            "v": 1, "match": f"club-{number:07d}-#######", "game": 1, "hand": len(lines) + 1, "rules": "argentino",
            "players": [f"ana{number % 97}", f"ben{number % 89}"], "dealer": dealer, "score": list(score),
            "deal": [" ".join(cards) for cards in hands], "events": events,
        }  # fmt: skip
        lines.append(json.dumps(record, separators=(",", ":")))
        for side in (1 - dealer, dealer):
            score[side] += points[side]
        dealer = 1 - dealer
    return lines


def write_log(path: Path, hands: int, seed: int = 1) -> None:
    """Write a log of so many hands; the same few hundred matches come again under new names."""
    rng = random.Random(seed)
    page = "".join(f"{line}\n" for number in range(MATCHES) for line in match_lines(rng, number))
    size = page.count("\n")
    with path.open("w", encoding="utf-8") as log:
        for copy in range(-(-hands // size)):
            text = page.replace("#######", f"{copy:07d}")
            left = hands - copy * size
            log.write(text if left >= size else "".join(text.splitlines(keepends=True)[:left]))


if __name__ == "__main__":
    write_log(Path(sys.argv[1]), int(sys.argv[2]))
