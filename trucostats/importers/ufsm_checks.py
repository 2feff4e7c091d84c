"""Does a UFSM row agree with itself: results against calls and cards, points against the running score."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from trucostats.importers.ufsm_events import Hand
from trucostats.importers.ufsm_facts import ENVIDO_VALUE, TRUCO_VALUE, Facts

TARGET: Final = 24

Score = tuple[int, int]


def claimed_points(facts: Facts) -> list[int] | None:
    """Return the points the row says each side won, or None if it does not say who won some of them."""
    points = [0, 0]
    parts = (
        (facts.truco_tally, facts.hand_winner),
        (facts.envido_tally, facts.envido_winner),
        (facts.flor_tally, facts.flor_winner),
    )
    for tally, winner in parts:
        if not tally:
            continue
        if winner is None or tally < 0:
            return None
        points[winner] += tally
    # A plain flor counts 3 in the running score, though its own columns stay empty.
    if not facts.flor_tally and len(facts.flor) == 1:
        points[facts.flor[0][1]] += 3
    return points


def check_results(facts: Facts, hand: Hand, score: Score) -> list[str]:
    """Return a sentence for each result that differs from what calls and cards give."""
    return [*_envido(facts, score), *_flor(facts), *_truco(facts, hand)]


def _envido(facts: Facts, score: Score) -> list[str]:
    won, tally, refused = facts.envido_winner, facts.envido_tally or 0, facts.envido_refused
    stored = f"quemGanhouEnvido {_who(won)}, tentosEnvido {tally}"
    if not facts.envido or facts.flor:
        if won is None and not tally and refused is None:
            return []
        why = f"quemFlor {facts.flor[0][1] + 1} cancels the envido" if facts.flor else "nobody called envido"
        return [f"{why}, but quemNegouEnvido {_who(refused)}, {stored}"]
    words = "+".join(f"{word} {seat + 1}" for word, seat in facts.envido)
    last, caller = facts.envido[-1]
    wrong = []
    if any(first[1] == second[1] for first, second in pairwise(facts.envido)):
        wrong.append(f"a player raises his own envido: {words}")
    before = sum(ENVIDO_VALUE.get(word, 0) for word, _ in facts.envido[:-1])
    if refused is not None:
        if refused == caller:
            wrong.append(f"quemNegouEnvido {refused + 1} is the last caller of {words}")
        elif won != caller or tally != max(before, 1):
            wrong.append(f"{words} declined by {refused + 1} gives {caller + 1} {max(before, 1)}, but {stored}")
        return wrong
    if not facts.envido_accepted:
        return [*wrong, f"{words} has no answer: quemNegouEnvido 0, {stored}"]
    value = before + ENVIDO_VALUE[last] if last in ENVIDO_VALUE else max(TARGET - max(score), 1)
    if tally != value:
        wrong.append(f"{words} accepted is worth {value}, but {stored}")
    mano, pie = facts.mano, 1 - facts.mano
    first, second = facts.envido_points[mano], facts.envido_points[pie]
    if first is not None and second is not None:
        best = mano if first >= second or facts.concealed == pie else pie
        if won != best:
            numbers = f"{facts.envido_points[0]}-{facts.envido_points[1]}"
            wrong.append(f"pontosEnvido {numbers} (mano {mano + 1}), but {stored}")
    return wrong


def _flor(facts: Facts) -> list[str]:
    holders = [seat for word, seat in facts.flor if word == "flor"]
    if len(holders) > len(set(holders)):
        return [f"quemFlor and quemFlorFlor are both {holders[0] + 1}"]
    return [
        f"{word} and {answer} are both of {seat + 1}: a flor is not answered by its own side"
        for (word, seat), (answer, other) in pairwise(facts.flor)
        if seat == other
    ]


def _truco(facts: Facts, hand: Hand) -> list[str]:
    """Compare winner and points of the hand; a refusal that was ruled out is already told."""
    won, tally = facts.hand_winner, facts.truco_tally
    refused, fold, decided = hand.facts.truco_refused, facts.fold, hand.line.winner
    stored = f"quemGanhouTruco {_who(won)}, tentosTruco {tally}"
    value = TRUCO_VALUE[facts.truco[-1].word] if facts.truco else 1
    wrong = []
    if refused is not None and fold is not None and refused != fold:
        wrong.append(f"quemNegouTruco {refused + 1} and quemBaralho {fold + 1} both end the hand")
    if refused is not None:
        if not facts.truco:
            return [*wrong, f"quemNegouTruco {refused + 1}, but nobody called truco"]
        winner, value = 1 - refused, value - 1
    elif fold is not None:
        if decided is not None:
            wrong.append(f"quemBaralho {fold + 1}, but the tricks decide the hand")
        answers = bool(facts.truco) and hand.events[-2:-1] == [f"{facts.truco[-1].seat} {facts.truco[-1].word}"]
        winner, value = 1 - fold, value - 1 if answers else value
    elif decided is not None:
        winner = decided
    else:
        return [*wrong, f"no column says how the hand ended: no refusal, no fold, tricks undecided, but {stored}"]
    if winner != won or tally != value:
        wrong.append(f"calls and cards give {winner + 1} {value}, but {stored}")
    return wrong


def check_score(facts: Facts, stored: Score, score: Score, after: tuple[int | None, int | None]) -> list[str]:
    """Return a sentence for each thing that is wrong with the score.

    `stored` is the score before the hand as the row gives it, `score` the one it is read as: 0-0 where the score falls.
    """
    wrong = []
    if score != stored:
        fall = (
            f"the score falls from tentosAnteriores {stored[0]}-{stored[1]} to tentosPosteriores {after[0]}-{after[1]}"
        )
        wrong.append(f"{fall}: read as a new game from 0-0")
    elif max(score) >= TARGET:
        wrong.append(f"tentosAnteriores {stored[0]}-{stored[1]} has already reached {TARGET}")
    claim = claimed_points(facts)
    if claim is None:
        tallies = f"tentosTruco {facts.truco_tally}, tentosEnvido {facts.envido_tally}, tentosFlor {facts.flor_tally}"
        winners = ", ".join(
            f"{name} {_who(seat)}"
            for name, seat in (
                ("quemGanhouTruco", facts.hand_winner),
                ("quemGanhouEnvido", facts.envido_winner),
                ("quemGanhouFlor", facts.flor_winner),
            )
        )
        return [*wrong, f"points that nobody won: {tallies}, but {winners}"]
    early = [won - (facts.truco_tally or 0) * (seat == facts.hand_winner) for seat, won in enumerate(claim)]
    if facts.truco_tally and max(score) < TARGET <= max(old + won for old, won in zip(score, early, strict=True)):
        rest = f"tentosTruco {facts.truco_tally} is added too"
        wrong.append(f"envido and flor ({early[0]}-{early[1]}) win the game at {TARGET}, but {rest}")
    if after[0] is not None and after[1] is not None:
        rises = [after[0] - score[0], after[1] - score[1]]
        capped = [min(won, max(TARGET - old, 0)) for won, old in zip(claim, score, strict=True)]
        if any(rise not in (won, cap) for rise, won, cap in zip(rises, claim, capped, strict=True)):
            wrong.append(f"the score rises by {rises[0]}-{rises[1]}, but tentos and flor give {claim[0]}-{claim[1]}")
    return wrong


def _who(seat: int | None) -> int:
    return 0 if seat is None else seat + 1
