"""The public tree of a hand between two players whose cards nobody has seen, grown by the kernel's own `check` and `step`.

A node is a public state; what differs between the cards a player may hold is left to vectors over his hands. Left out, because no
player gains by them: leaving on one's own turn, raising right after accepting on the same turn (he could have raised at once) and,
once the last leader has shown his last card, his raising, and a winning rival's not raising. What the model leaves out although
it may matter is said in docs/advisor.md: covered cards, cards put forward with a call, and playing on while one's own call waits.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trucostats.hand import Hand
from trucostats.kernel.check import check, waiting
from trucostats.kernel.engine import step
from trucostats.kernel.jit import jit
from trucostats.kernel.params import STRENGTH
from trucostats.kernel.state import (
    ACCEPT,
    DECISION,
    DECLINE,
    ENVIDO_DONE,
    FLOR_DONE,
    N_VERBS,
    NO_QUIERO,
    NOTHING,
    OK,
    PLAY,
    QUIERO,
    RAISE,
    STATE,
    remaining,
)
from trucostats.solver.deck import HAND_SIZE, Deck

TERMINAL, DECISION_NODE, LAST_CARD = range(3)
KIND, PLAYER, FIRST, BETS, CARDS, STORE, OUTCOME, LEFT_0, LEFT_1, BLOCK, TEMPLATE, FREE = range(12)
CHILD, RANK, CODE = range(3)
BEFORE_LOSE, BEFORE_TIE, BEFORE_WIN, FOLD, AFTER_LOSE, AFTER_TIE, AFTER_WIN = range(7)
NO_CALL: Final = -1
PARENT, ACCEPTED, PASSED, PLAYED_0, PLAYED_1 = range(5)
LAST_STORE: Final = 4  # numbers kept for each last card: the loser's play and call, the leader's quiero and no quiero
ROOM: Final = (1 << 21, 1 << 17, 1 << 12)  # a first guess of the nodes, by the cards already played
OUTCOMES: Final = 64
TEMPLATES: Final = 256
PASS_CODE: Final = -1
LAST_CODE: Final = -2
MOST_BETS: Final = 8


class Grown(NamedTuple):
    """The arrays that growing fills: nodes and actions as columns of integers, templates of last cards, and outcomes.

    An outcome is the points that team 0 and team 1 win from here and the team that wins the game by them, -1 for none.
    """

    nodes: NDArray[np.int32]
    actions: NDArray[np.int32]
    templates: NDArray[np.int32]
    outcomes: NDArray[np.int32]
    blocks: NDArray[np.int32]
    used: NDArray[np.int64]


NODES, ACTIONS, N_TEMPLATES, N_OUTCOMES, N_STORE, N_BLOCKS, DEPTH = range(7)


@jit
def outcome_of(g: Any, s: Any, score0: int, score1: int) -> int:
    """Return the number of the outcome of a hand that is over."""
    won0, won1, game = int(s.score[0]) - score0, int(s.score[1]) - score1, int(s.game_winner)
    n = g.used[N_OUTCOMES]
    for k in range(n):
        if g.outcomes[k, 0] == won0 and g.outcomes[k, 1] == won1 and g.outcomes[k, 2] == game:
            return k
    g.outcomes[n, 0] = won0
    g.outcomes[n, 1] = won1
    g.outcomes[n, 2] = game
    g.used[N_OUTCOMES] = n + 1
    return int(n)


@jit
def unseen(s: Any, cards_of: Any, rank: int) -> int:
    """Return a card of a rank that may still be played, or -1."""
    for k in range(cards_of.shape[1]):
        card = cards_of[rank, k]
        if card >= 0 and not (s.seen >> card) & 1:
            return int(card)
    return -1


@jit
def witnesses(s: Any, c: Any) -> Any:
    """Return four cards that may still be played: one, and for it one that loses to it, ties with it and wins against it.

    They are sought among all forty, for a small deck may have no such four.
    """
    for card in range(40):
        low, tie, high = -1, -1, -1
        for other in range(40):
            if other != card and not (s.seen >> other) & 1:
                if c[STRENGTH, other] < c[STRENGTH, card]:
                    low = other
                elif c[STRENGTH, other] > c[STRENGTH, card]:
                    high = other
                else:
                    tie = other
        if not (s.seen >> card) & 1 and low >= 0 and tie >= 0 and high >= 0:
            return card, low, tie, high
    return -1, -1, -1, -1


@jit
def play_out(rows: Any, s: Any, r: Any, c: Any, seat: int, card: int, g: Any, score0: int, score1: int) -> int:
    """Return the outcome of playing the last card of the hand."""
    rows[0] = s
    step(rows, r, c, seat, PLAY | (card << 5))
    return outcome_of(g, rows[0], score0, score1)


@jit
def last_template(rows: Any, s: Any, r: Any, c: Any, g: Any, score0: int, score1: int) -> int:
    """Return the number of the template of what follows when the leader of the last trick shows his last card.

    What the other holds matters only by whether it loses, ties or wins, so any three such cards tell the outcomes.
    """
    leader, other = int(s.turn), 1 - int(s.turn)
    seven = np.full(7, NO_CALL, np.int32)
    shown_card, losing, tying, winning = witnesses(s, c)
    rows[0] = s
    step(rows, r, c, leader, PLAY | (shown_card << 5))
    shown = rows[2:4]
    shown[0] = rows[0]
    seven[BEFORE_LOSE] = play_out(rows, shown[0], r, c, other, losing, g, score0, score1)
    seven[BEFORE_TIE] = play_out(rows, shown[0], r, c, other, tying, g, score0, score1)
    seven[BEFORE_WIN] = play_out(rows, shown[0], r, c, other, winning, g, score0, score1)
    for verb in range(RAISE, N_VERBS):
        if check(shown[0], r, c, other, verb, 0) == OK:
            step(shown, r, c, other, verb)
            rows[0] = shown[0]
            step(rows, r, c, leader, NO_QUIERO)
            seven[FOLD] = outcome_of(g, rows[0], score0, score1)
            step(shown, r, c, leader, QUIERO)
            seven[AFTER_LOSE] = play_out(rows, shown[0], r, c, other, losing, g, score0, score1)
            seven[AFTER_TIE] = play_out(rows, shown[0], r, c, other, tying, g, score0, score1)
            seven[AFTER_WIN] = play_out(rows, shown[0], r, c, other, winning, g, score0, score1)
            break
    n = g.used[N_TEMPLATES]
    for k in range(n):
        same = True
        for field in range(7):
            same = same and g.templates[k, field] == seven[field]
        if same:
            return k
    g.templates[n, :] = seven
    g.used[N_TEMPLATES] = n + 1
    return int(n)


@jit
def first_block(sizes: Any, left0: int, left1: int) -> int:
    """Return where the blocks of so many cards left begin, in a list of all that could be."""
    place = 0
    for k0 in range(4):
        for k1 in range(4):
            if k0 == left0 and k1 == left1:
                return place
            place += int(sizes[3 - k0] * sizes[3 - k1])
    return place


@jit
def block_of(g: Any, sizes: Any, left0: int, left1: int, played0: int, played1: int) -> int:
    """Return where the joint weights of the hands still possible begin, given what both have played."""
    place = first_block(sizes, left0, left1) + played0 * int(sizes[3 - left1]) + played1
    if g.blocks[place] < 0:
        g.blocks[place] = g.used[N_BLOCKS]
        g.used[N_BLOCKS] += sizes[left0] * sizes[left1]
    return int(g.blocks[place])


@jit
def push(stack: Any, meta: Any, top: int, parent: int, accepted: int, passed: int, played0: int, played1: int) -> None:
    """Note what is known of a state that waits to be grown."""
    meta[top, PARENT] = parent
    meta[top, ACCEPTED] = accepted
    meta[top, PASSED] = passed
    meta[top, PLAYED_0] = played0
    meta[top, PLAYED_1] = played1


@jit
def grow(
    stack: Any,
    meta: Any,
    rows: Any,
    r: Any,
    c: Any,
    cards_of: Any,
    up: Any,
    sizes: Any,
    g: Any,
    score0: int,
    score1: int,
    least: int,
    alive: Any,
) -> int:
    """Grow the tree from the state and the played cards on top of the stack; return 0, or 1 if an array is too small.

    `stack` has states, `meta` what is known of each; `rows` six scratch states. States in which fewer than `least` cards are
    left to both together are not grown further: they are terminal nodes without an outcome. `alive[p, k, m]` says whether a player
    may have played multiset m of k ranks.
    """
    top = 0
    while top >= 0:
        node = int(g.used[NODES])
        at = int(g.used[ACTIONS])
        if node >= g.nodes.shape[0] or at + 32 >= g.actions.shape[0] or top + 64 >= stack.shape[0]:
            return 1
        s = rows[4:6]
        s[0] = stack[top]
        parent, accepted, passed = int(meta[top, PARENT]), int(meta[top, ACCEPTED]), int(meta[top, PASSED])
        played0, played1 = int(meta[top, PLAYED_0]), int(meta[top, PLAYED_1])
        top -= 1
        if parent >= 0:
            g.actions[parent, CHILD] = node
        g.used[NODES] = node + 1
        left0, left1 = remaining(s[0], 0), remaining(s[0], 1)
        here = g.nodes[node]
        here[LEFT_0] = left0
        here[LEFT_1] = left1
        here[BLOCK] = block_of(g, sizes, left0, left1, played0, played1)
        here[FIRST] = at
        if s[0].over:
            here[KIND] = TERMINAL
            here[OUTCOME] = outcome_of(g, s[0], score0, score1)
            continue
        if left0 + left1 < least:
            here[KIND] = TERMINAL
            here[OUTCOME] = NO_CALL
            continue
        here[KIND] = DECISION_NODE
        family = waiting(s[0])
        if family == NOTHING:
            player = int(s[0].turn)
        elif family == DECISION:
            player = int(s[0].special)
        else:
            player = 1 - int(s[0].truco_seat)
        late = False
        just = int(s[0].last_card)
        if family == NOTHING and passed == 0 and just >= 0 and just != player:
            for verb in range(RAISE, N_VERBS):
                late = late or check(s[0], r, c, just, verb, 0) == OK
            if late:
                player = just
        here[PLAYER] = player
        bets = 0
        if late:
            g.actions[at, CODE] = PASS_CODE
            g.actions[at, RANK] = -1
            top += 1
            stack[top] = s[0]
            push(stack, meta, top, at, accepted, 1, played0, played1)
            bets = 1
        last = family == NOTHING and not late and s[0].trick == 2 and s[0].played == 0 and left0 == 1 and left1 == 1
        if last:
            g.actions[at + bets, CODE] = LAST_CODE
            g.actions[at + bets, RANK] = -1
            bets += 1
        for verb in range(QUIERO, N_VERBS):
            is_answer = verb in (QUIERO, NO_QUIERO, ACCEPT, DECLINE)
            if not is_answer and (verb < RAISE or accepted == player):
                continue
            if check(s[0], r, c, player, verb, 0) != OK:
                continue
            top += 1
            rows[0] = s[0]
            step(rows, r, c, player, verb)
            stack[top] = rows[0]
            now = player if verb == QUIERO else -1
            push(stack, meta, top, at + bets, now, 0, played0, played1)
            g.actions[at + bets, CODE] = verb
            g.actions[at + bets, RANK] = -1
            bets += 1
        cards = 0
        if family == NOTHING and not late and not last:
            for rank in range(cards_of.shape[0]):
                card = unseen(s[0], cards_of, rank)
                if card < 0 or check(s[0], r, c, player, PLAY, card) != OK:
                    continue
                own_left, own_played = (left0, played0) if player == 0 else (left1, played1)
                now_played = int(up[4 - own_left, rank, own_played])
                if not alive[player, 4 - own_left, now_played]:
                    continue
                top += 1
                rows[0] = s[0]
                step(rows, r, c, player, PLAY | (card << 5))
                stack[top] = rows[0]
                if player == 0:
                    push(stack, meta, top, at + bets + cards, -1, 0, now_played, played1)
                else:
                    push(stack, meta, top, at + bets + cards, -1, 0, played0, now_played)
                g.actions[at + bets + cards, CODE] = PLAY | (card << 5)
                g.actions[at + bets + cards, RANK] = rank
                cards += 1
        here[BETS] = bets
        here[CARDS] = cards
        g.used[ACTIONS] = at + bets + cards
        own = left0 if player == 0 else left1
        here[STORE] = g.used[N_STORE]
        g.used[N_STORE] += (bets + (own if cards > 0 else 0)) * sizes[own]
        if last:
            leaf = node
            if bets > 1:
                leaf = int(g.used[NODES])
                if leaf >= g.nodes.shape[0]:
                    return 1
                g.used[NODES] = leaf + 1
                g.actions[at, CHILD] = leaf
                g.nodes[leaf, :] = here
            else:
                g.used[ACTIONS] = at
                g.used[N_STORE] = here[STORE]
                here[BETS] = 0
            template = last_template(rows, s[0], r, c, g, score0, score1)
            g.nodes[leaf, KIND] = LAST_CARD
            g.nodes[leaf, TEMPLATE] = template
            g.nodes[leaf, STORE] = g.used[N_STORE]
            if g.templates[template, FOLD] != NO_CALL:
                g.used[N_STORE] += LAST_STORE * sizes[1]
    return 0


def grow_tree(hand: Hand, deck: Deck, *, least: int = 0, weights: NDArray[np.float64] | None = None) -> Grown:
    """Return the tree below a hand of two, whose hands are taken as unknown and whose envido and flor as closed.

    States in which both hold fewer than `least` cards together are not grown further; cards that no hand of positive weight has
    (`weights` as in `solve.solver_of`) are not played.
    """
    alive = playable(deck, weights)
    played = played_ranks(hand, deck)
    states, row, cards = public(hand).kernel
    state = states[0]
    state.envido, state.flor = ENVIDO_DONE, FLOR_DONE
    score0, score1 = (int(points) for points in state.score)
    room = ROOM[min(sum(map(len, played)), len(ROOM) - 1)]
    while True:
        stack, meta, rows = np.zeros(1024, STATE), np.zeros((1024, 5), np.int64), np.zeros(6, STATE)
        stack[0] = state
        meta[0] = (-1, -1, 0, deck.index(played[0]), deck.index(played[1]))
        grown = Grown(
            np.zeros((room, FREE), np.int32), np.zeros((room * 3 + 64, 3), np.int32),
            np.zeros((TEMPLATES, 7), np.int32), np.zeros((OUTCOMES, 3), np.int32),
            np.full(int(deck.sizes.sum()) ** 2, -1, np.int32), np.zeros(DEPTH, np.int64),
        )  # fmt: skip
        if not grow(
            stack, meta, rows, row, cards, deck.cards_of, deck.up, deck.sizes, grown, score0, score1, least, alive
        ):
            used = grown.used
            return grown._replace(
                nodes=grown.nodes[: used[NODES]], actions=grown.actions[: used[ACTIONS]],
                templates=grown.templates[: used[N_TEMPLATES]], outcomes=grown.outcomes[: used[N_OUTCOMES]],
            )  # fmt: skip
        room *= 4


def playable(deck: Deck, weights: NDArray[np.float64] | None) -> NDArray[np.bool_]:
    """Return which multisets each player may come to have played: (2, 4, multisets), parts of hands of positive weight."""
    alive = np.zeros((2, HAND_SIZE + 1, int(deck.sizes.max())), np.bool_)
    for player in (0, 1):
        alive[player, HAND_SIZE, : deck.sizes[HAND_SIZE]] = True if weights is None else weights.any(axis=1 - player)
    spread(alive, deck.up, deck.sizes)
    return alive


@jit
def spread(alive: Any, up: Any, sizes: Any) -> None:
    """Let every part of a hand that is alive be alive too."""
    for player in range(2):
        for size in range(HAND_SIZE, 0, -1):
            for rank in range(up.shape[1]):
                for part in range(sizes[size - 1]):
                    more = int(up[size, rank, part])
                    if more >= 0 and alive[player, size, more]:
                        alive[player, size - 1, part] = True


def public(hand: Hand) -> Hand:
    """Return a hand as somebody sees it who holds no cards: what has been played and said, and nothing else."""
    record = hand.record
    return Hand.from_record(record.but(deal=[None] * len(record.deal)))


def played_ranks(hand: Hand, deck: Deck) -> tuple[list[int], list[int]]:
    """Return the ranks of the cards that each of two players has shown."""
    shown = [int(cards) for cards in hand.kernel[0][0].shown[:2]]
    first, second = ([int(deck.rank_of[card]) for card in range(40) if cards >> card & 1] for cards in shown)
    return first, second


__all__ = ["Grown", "grow_tree", "played_ranks", "public"]
