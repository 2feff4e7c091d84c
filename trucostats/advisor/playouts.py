"""Deals drawn under what is known of a table of four or six, how likely its calls were, and how they end with open cards.

Only the kernel plays: a deal is a state with its unknown cards filled in, a result is where `step` leads.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from trucostats.chance import below
from trucostats.kernel.check import caller, waiting
from trucostats.kernel.engine import step
from trucostats.kernel.jit import jit
from trucostats.kernel.params import STRENGTH
from trucostats.kernel.scoring import end_hand, hand_worth
from trucostats.kernel.settle import settle
from trucostats.kernel.state import (
    ENVIDO,
    ENVIDO_CALL,
    FALTA,
    FLOR_CALL,
    MAZO,
    NO_QUIERO,
    NOBODY,
    NOTHING,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    TRUCO_CALL,
    has,
    next_in,
    remaining,
    team,
)
from trucostats.kernel.values import lowest, set_values
from trucostats.policies import choose_card, outlook, playable

# With so many cards left or fewer the play is searched to its end; before that each seat plays by rule.
OPEN_CARDS: Final = 12
TRIES: Final = 200_000
# Places of the numbers of `teams.Habits.row`.
BLUFF, CALL, CALL_WIDTH, STAND, ACCEPT, ACCEPT_WIDTH, ENVIDO_MIDDLE, REAL_MORE, ENVIDO_WIDTH, LOOSE = (
    0, 3, 6, 7, 8, 11, 12, 13, 14, 15
)  # fmt: skip
WON_0, WON_1, GAME, RESULT, CHANCE = range(5)


@jit
def draw_deal(rng: Any, masks: Any, first: Any, count: Any, seats: Any, out: Any) -> bool:
    """Write a hand for each of some seats into `out`, all deals without a common card as likely; false if none was found.

    The hands of seat `seats[k]` are `masks[first[k] : first[k] + count[k]]`.
    """
    for _ in range(TRIES):
        taken = 0
        fine = True
        for k in range(len(seats)):
            hand = masks[first[k] + below(rng, count[k])]
            if hand & taken:
                fine = False
                break
            taken |= hand
            out[seats[k]] = hand
        if fine:
            return True
    return False


@jit
def fill_in(s: Any, c: Any, hands: Any) -> None:
    """Make the unknown cards of a state those of some dealt hands; of a hand that covered a card, its weakest is gone."""
    for seat in range(s.seats):
        if s.hidden_dealt[seat] == 0:
            continue
        new = hands[seat] & ~s.dealt[seat]
        for _ in range(s.hidden_dealt[seat] - s.hidden[seat]):
            weakest = lowest(new)
            for card in range(40):
                if (new >> card) & 1 and c[STRENGTH, card] < c[STRENGTH, weakest]:
                    weakest = card
            new &= ~(1 << weakest)
        s.dealt[seat] = hands[seat]
        s.held[seat] |= new
        s.seen |= hands[seat]
        s.hidden[seat] = 0
        s.hidden_dealt[seat] = 0
        set_values(s, seat, c)


@jit
def rising(x: float, middle: float, width: float) -> float:
    """Return the logistic curve."""
    return 1.0 / (1.0 + np.exp((middle - x) / width))


@jit
def says_yes(s: Any, c: Any, powers: Any, habits: Any, seat: int) -> float:
    """Return how likely a player accepts the truco that waits."""
    shade = rising(outlook(s, c, powers, seat) / 100.0, habits[ACCEPT + min(s.pending, 3) - 1], habits[ACCEPT_WIDTH])
    return habits[STAND] + (1.0 - habits[STAND]) * shade


@jit
def likelihood(s: Any, c: Any, powers: Any, habits: Any, seat: int, verb: int) -> float:
    """Return how likely a player with known cards was to say what he said; 1 for what the habits know nothing of."""
    if verb >= RAISE:
        place = min(s.pending if s.pending > 0 else s.level, 2)
        shade = rising(outlook(s, c, powers, seat) / 100.0, habits[CALL + place], habits[CALL_WIDTH])
        return habits[BLUFF + place] + (1.0 - habits[BLUFF + place]) * shade
    family = waiting(s)
    if (verb == QUIERO or verb == PLAY) and family == TRUCO_CALL:
        return says_yes(s, c, powers, habits, seat)
    if (ENVIDO <= verb <= FALTA or (verb == QUIERO and family == ENVIDO_CALL)) and s.value[seat] >= 0:
        middle = habits[ENVIDO_MIDDLE] + (habits[REAL_MORE] if verb > ENVIDO and verb != QUIERO else 0.0)
        shade = rising(float(s.value[seat]), middle, habits[ENVIDO_WIDTH])
        return habits[LOOSE] + (1.0 - habits[LOOSE]) * shade
    return 1.0


@jit
def order_cards(s: Any, r: Any, c: Any, moves: Any) -> int:
    """Write the cards that the seat in turn may play, one of each strength, and return how many: first those that win the trick.

    In either half the weaker come first.
    """
    cards = playable(s, r, s.turn, PLAY)
    n = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        strength = c[STRENGTH, card]
        place = n
        double = False
        for k in range(n):
            other = c[STRENGTH, moves[k]]
            double = double or other == strength
            before = other > strength if (other > s.best) == (strength > s.best) else strength > s.best
            if before and place == n:
                place = k
        if double:
            continue
        for k in range(n, place, -1):
            moves[k] = moves[k - 1]
        moves[place] = card
        n += 1
    return n


@jit
def sign_of(s: Any) -> int:
    """Return 1 if team 0 has won a hand that is over, or the game before its end, -1 if team 1 has, else 0."""
    winner = s.hand_winner if s.hand_winner != NOBODY else s.game_winner
    if winner == NOBODY:
        return 0
    return 1 if winner == 0 else -1


@jit
def open_play(stack: Any, r: Any, c: Any, moves: Any, left: Any, best: Any) -> int:
    """Return who wins the tricks from `stack[0]` on with open cards, nobody calling: 1 for team 0, -1 for team 1, 0 for nobody.

    Alpha-beta, each side playing as one. `stack` has two rows for each depth.
    """
    depth = 0
    entering = True
    value = 0
    while True:
        s = stack[2 * depth]
        if entering:
            if s.over:
                value = sign_of(s)
                entering = False
                depth -= 1
                continue
            left[depth] = order_cards(s, r, c, moves[depth])
            best[depth, 0] = -2 if team(s.turn) == 0 else 2
            best[depth, 1] = 0
        else:
            if depth < 0:
                return value
            if team(s.turn) == 0:
                best[depth, 0] = max(best[depth, 0], value)
            else:
                best[depth, 0] = min(best[depth, 0], value)
        if best[depth, 1] < left[depth] and not cut_off(stack, best, depth):
            card = moves[depth, best[depth, 1]]
            best[depth, 1] += 1
            stack[2 * depth + 2] = s
            if step(stack[2 * depth + 2 : 2 * depth + 4], r, c, s.turn, PLAY | (card << 5)) != OK:
                return 0
            depth += 1
            entering = True
        else:
            value = best[depth, 0]
            entering = False
            depth -= 1


@jit
def cut_off(stack: Any, best: Any, depth: int) -> bool:
    """Say whether a node needs no more looking at: its side has all there is, or the other side will not let it come here."""
    own = team(stack[2 * depth].turn)
    value = best[depth, 0]
    if value == (1 if own == 0 else -1):
        return True
    for above in range(depth):
        if team(stack[2 * above].turn) != own:
            if (own == 0 and value >= best[above, 0]) or (own == 1 and value <= best[above, 0]):
                return True
    return False


@jit
def cards_left(s: Any) -> int:
    """Return how many cards those still in hold."""
    n = 0
    for seat in range(s.seats):
        if has(s.still_in, seat):
            n += remaining(s, seat)
    return n


@jit
def play_by_rule(rows: Any, r: Any, c: Any, powers: Any, rng: Any, most: int) -> None:
    """Play cards by the rule of `policies.choose_card` until no more than `most` are left."""
    s = rows[0]
    while not s.over and cards_left(s) > most:
        card = choose_card(s, r, c, powers, rng, s.turn)
        if card < 0 or step(rows, r, c, s.turn, PLAY | (card << 5)) != OK:
            return


@jit
def answer(rows: Any, r: Any, c: Any, yes: bool) -> None:
    """Let the side that a truco waits for accept it, or all of it refuse."""
    s = rows[0]
    asked = 1 - team(s.truco_seat)
    seat = next_in(s, s.truco_seat)
    for _ in range(s.seats):
        # Where one player alone may answer, the others are refused by the rules.
        if team(seat) == asked and s.pending > 0 and not s.over:
            step(rows, r, c, seat, QUIERO if yes else NO_QUIERO)
        seat = next_in(s, seat)


@jit
def write_end(s: Any, r: Any, start: Any, result: int, chance: float, out: Any) -> None:
    """Write one end of a hand: points won from `start` on by each team, who wins the game by it, who won the tricks, how likely.

    A hand under way is ended as its tricks will.
    """
    if not s.over:
        end_hand(s, r, NOBODY if result == 0 else 0 if result > 0 else 1, hand_worth(s, r))
    out[WON_0] = s.score[0] - start.score[0]
    out[WON_1] = s.score[1] - start.score[1]
    out[GAME] = s.game_winner
    out[RESULT] = result
    out[CHANCE] = chance


@jit
def tricks(stack: Any, r: Any, c: Any, powers: Any, rng: Any, moves: Any, left: Any, best: Any, open_cards: int) -> int:
    """Return who wins the tricks of the state in `stack[0]`; above `open_cards` cards the first are played by rule."""
    play_by_rule(stack[0:2], r, c, powers, rng, open_cards)
    return open_play(stack, r, c, moves, left, best)


@jit
def try_action(
    start: Any, r: Any, c: Any, powers: Any, habits: Any, rng: Any, stack: Any, moves: Any, left: Any, best: Any,
    seat: int, code: int, open_cards: int, out: Any,
) -> int:  # fmt: skip
    """Write into `out` the ends that an action of a full deal may have, and return how many: 2 if a call of its side is answered.

    Once said, nobody calls again; the side asked by a truco accepts as the habits say, the best of its players for it.
    """
    keep = start[0]
    work = stack[0:2]
    work[0] = keep
    s = work[0]
    verb = code & 31
    if step(work, r, c, seat, code) != OK:
        return 0
    if waiting(s) == NOTHING or waiting(s) == TRUCO_CALL:
        settle(s, r, c)
    elif waiting(s) == ENVIDO_CALL or waiting(s) == FLOR_CALL:
        # A refusal or a fold that does not yet bind the partners.
        asked = 1 - team(caller(s, waiting(s)))
        family = waiting(s)
        for other in range(s.seats):
            if team(other) == asked and waiting(s) == family and has(s.still_in, other):
                step(work, r, c, other, NO_QUIERO)
    chance = 1.0
    if not s.over and waiting(s) == TRUCO_CALL:
        asked = 1 - team(s.truco_seat)
        if asked == team(seat) and (verb == NO_QUIERO or verb == MAZO):
            answer(work, r, c, False)
        else:
            yes = 0.0
            for other in range(s.seats):
                if team(other) == asked and has(s.still_in, other):
                    yes = max(yes, says_yes(s, c, powers, habits, other))
            refused = stack[2:4]
            refused[0] = s
            answer(refused, r, c, False)
            write_end(refused[0], r, keep, sign_of(refused[0]), 1.0 - yes, out[1])
            chance = yes
            answer(work, r, c, True)
    if s.over:
        write_end(s, r, keep, sign_of(s), chance, out[0])
    else:
        stack[len(stack) - 1] = s
        result = tricks(stack, r, c, powers, rng, moves, left, best, open_cards)
        write_end(stack[len(stack) - 1], r, keep, result, chance, out[0])
    return 1 if chance == 1.0 else 2


@jit
def weigh(moments: Any, seats: Any, verbs: Any, c: Any, powers: Any, habits: Any, hands: Any, work: Any) -> float:
    """Return how likely a deal makes all that was said: `moments[k]` is the state before seat `seats[k]` said `verbs[k]`."""
    weight = 1.0
    for k in range(len(seats)):
        work[0] = moments[k]
        fill_in(work[0], c, hands)
        weight *= likelihood(work[0], c, powers, habits, seats[k], verbs[k])
    return weight


@jit
def sample(
    state: Any, moments: Any, seats: Any, verbs: Any, r: Any, c: Any, powers: Any, habits: Any, rng: Any,
    masks: Any, first: Any, count: Any, unknown: Any, hero: int, codes: Any, open_cards: int,
    hands: Any, weights: Any, ends: Any, n_ends: Any,
) -> bool:  # fmt: skip
    """Draw deals, weigh each and try every action in it; false if no deal agrees with what is known.

    `state` has two rows; `ends` is (deals, actions, 2, 5), see `write_end`.
    """
    room = 2 * 20
    stack = state[:1].repeat(room + 2)
    work = state.copy()
    moves = np.zeros((20, 8), np.int64)
    left = np.zeros(20, np.int64)
    best = np.zeros((20, 2), np.int64)
    for n in range(len(weights)):
        if not draw_deal(rng, masks, first, count, unknown, hands[n]):
            return False
        weights[n] = weigh(moments, seats, verbs, c, powers, habits, hands[n], work)
        work[0] = state[0]
        fill_in(work[0], c, hands[n])
        for k in range(len(codes)):
            n_ends[n, k] = try_action(
                work, r, c, powers, habits, rng, stack, moves, left, best, hero, codes[k], open_cards, ends[n, k]
            )
    return True


__all__ = ["OPEN_CARDS", "likelihood", "sample"]
