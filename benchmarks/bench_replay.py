"""Load and replay: hands a second from lines of a log, against PokerKit from files of its own notation.

PokerKit writes the poker hands itself: two players, no-limit Texas hold'em, legal actions drawn at random. Each side then reads a
hand from bytes and walks through all of its states.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path

from report import Row, medians

TRUCO_HANDS = 100_000
POKER_HANDS = 100
STACK = 200
LINES_AT_ONCE = 4000


def poker_hands(count: int, seed: int = 1) -> list[bytes]:
    """Return so many hands of poker in the notation of PokerKit, as files."""
    from pokerkit import Automation, HandHistory, NoLimitTexasHoldem

    game = NoLimitTexasHoldem(tuple(Automation), True, 0, (1, 2), 2)
    rng = random.Random(seed)
    files = []
    for _ in range(count):
        state = game((STACK, STACK), 2)
        while state.status:
            draw = rng.random()
            if draw < 0.1 and state.can_fold():
                state.fold()
            elif draw < 0.35 and state.can_complete_bet_or_raise_to():
                state.complete_bet_or_raise_to(state.min_completion_betting_or_raising_to_amount)
            else:
                state.check_or_call()
        file = BytesIO()
        HandHistory.from_game_state(game, state).dump(file)
        files.append(file.getvalue())
    return files


def replay_poker(files: Sequence[bytes]) -> int:
    """Load and replay hands of poker; return the number of their states."""
    from pokerkit import HandHistory

    return sum(1 for file in files for _ in HandHistory.load(BytesIO(file)))


def replay_truco(lines: Sequence[bytes]) -> int:
    """Read and replay hands of truco; return the number of their legal events."""
    from trucostats.batch import read_batch
    from trucostats.replay import replay_batch

    events = 0
    for first in range(0, len(lines), LINES_AT_ONCE):
        replayed = replay_batch(read_batch(lines[first : first + LINES_AT_ONCE], first + 1))
        events += int(replayed.hands["events"].sum())
    return events


def measure(log: Path, hands: int = TRUCO_HANDS) -> list[Row]:
    """Compare the two, in hands a second."""
    with log.open("rb") as file:
        lines = list(islice(file, hands))
    files = poker_hands(POKER_HANDS)
    replay_truco(lines[:10])
    replay_poker(files[:2])
    truco, poker = medians(lambda: replay_truco(lines), lambda: replay_poker(files))
    return [
        Row("load and replay", len(lines) / truco, len(files) / poker, "hands/s", ">= 100", "PokerKit, poker for two")
    ]
