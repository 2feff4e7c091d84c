"""Games of calls alone: two players, each with a secret that nobody plays, who call, answer, and in the end compare.

The envido is one, and so are the small games of the books. Such a tree is written down node by node and solved by the same walk as
the truco. What it comes to is then told from the average strategies by `Told`, a second way of going through the tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.solver.deck import HAND_SIZE, deck_of_secrets
from trucostats.solver.game import LONGEST, Solver
from trucostats.solver.growth import (
    BEFORE_LOSE,
    BEFORE_TIE,
    BEFORE_WIN,
    BETS,
    CHILD,
    DECISION_NODE,
    DEPTH,
    FIRST,
    FREE,
    KIND,
    LAST_CARD,
    LEFT_0,
    LEFT_1,
    MOST_BETS,
    N_BLOCKS,
    N_STORE,
    NO_CALL,
    OUTCOME,
    PLAYER,
    STORE,
    TEMPLATE,
    TERMINAL,
    Grown,
)
from trucostats.solver.solve import Worth, run_until, worths_of
from trucostats.solver.walk import EVALUATE

Outcome = tuple[int, int, int]  # points of player 0, of player 1, and who wins the game by them, -1 for nobody


@dataclass(frozen=True)
class End:
    """The calls end, whatever the secrets are."""

    outcome: Outcome


@dataclass(frozen=True)
class Showdown:
    """The secrets are compared: what follows if that of `player` is lower than the other's, equal, or higher."""

    player: int
    lower: Outcome
    equal: Outcome
    higher: Outcome


@dataclass(frozen=True)
class Choice:
    """A player decides between some words, each with what follows."""

    player: int
    ways: tuple[tuple[str, Node], ...]


Node = End | Showdown | Choice


class Writer:
    """Writes a tree of calls as the arrays that the walk reads."""

    def __init__(self, secrets: int) -> None:
        """Start an empty tree for players with so many secrets."""
        self.secrets, self.store = secrets, 0
        self.nodes: list[list[int]] = []
        self.actions: list[list[int]] = []
        self.templates: list[list[int]] = []
        self.outcomes: list[Outcome] = []
        self.choices: list[int] = []

    def outcome(self, outcome: Outcome) -> int:
        """Return the number of an outcome."""
        if outcome not in self.outcomes:
            self.outcomes.append(outcome)
        return self.outcomes.index(outcome)

    def write(self, node: Node, depth: int = 1) -> int:
        """Write a node and all below it and return its number."""
        number, here = len(self.nodes), [0] * FREE
        self.nodes.append(here)
        here[LEFT_0] = here[LEFT_1] = HAND_SIZE
        if isinstance(node, End):
            here[KIND], here[OUTCOME] = TERMINAL, self.outcome(node.outcome)
            return number
        here[PLAYER] = node.player
        if isinstance(node, Showdown):
            seven = [NO_CALL] * 7
            # The template is told from the side of the other player.
            for place, outcome in ((BEFORE_LOSE, node.higher), (BEFORE_TIE, node.equal), (BEFORE_WIN, node.lower)):
                seven[place] = self.outcome(outcome)
            here[KIND], here[TEMPLATE] = LAST_CARD, len(self.templates)
            self.templates.append(seven)
            return number
        if not 0 < len(node.ways) <= MOST_BETS or depth >= LONGEST:
            raise SolverError(f"a choice has 1 to {MOST_BETS} ways, and a line less than {LONGEST} choices")
        here[KIND], here[BETS], here[FIRST], here[STORE] = DECISION_NODE, len(node.ways), len(self.actions), self.store
        self.store += len(node.ways) * self.secrets
        self.actions += [[0, -1, 0] for _ in node.ways]
        for k, (_, child) in enumerate(node.ways):
            self.actions[here[FIRST] + k][CHILD] = self.write(child, depth + 1)
        return number

    def grown(self) -> Grown:
        """Return the arrays."""
        used = np.zeros(DEPTH, np.int64)
        used[N_STORE], used[N_BLOCKS] = self.store, self.secrets**2
        # One block of joint weights serves all nodes, since nobody ever shows a part of his secret.
        blocks = np.full((self.secrets + 1) ** 2, -1, np.int32)
        blocks[-1] = 0
        return Grown(
            np.array(self.nodes, np.int32), np.array(self.actions, np.int32).reshape(-1, 3),
            np.array(self.templates, np.int32).reshape(-1, 7), np.array(self.outcomes, np.int32), blocks, used,
        )  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A moment of decision: what has been said, who decides, and by his secret how often he comes here and does what.

    `reach` is the chance that he has the secret and it comes to this; `frequency[k]` how often he says word k, NaN for a secret he
    cannot have here; `worth[k]` what that is worth to him.
    """

    said: tuple[str, ...]
    player: int
    words: tuple[str, ...]
    reach: NDArray[np.float64]
    frequency: NDArray[np.float64]
    worth: NDArray[np.float64]

    @property
    def overall(self) -> dict[str, float]:
        """How often each word is said here, over all secrets; nothing where the play never comes."""
        total = self.reach.sum()
        if total <= 0:
            return {}
        return {
            word: float(np.nansum(share * self.reach) / total)
            for word, share in zip(self.words, self.frequency, strict=True)
        }


@dataclass
class Told:
    """What a pair of strategies comes to: the chance of each outcome, and every moment of decision, by what outcomes are worth."""

    worth: NDArray[np.float64]
    outcomes: dict[Outcome, float] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)


class CallGame:
    """A tree of calls with the joint weights of the secrets, to be solved and told.

    `joint` has a row for each secret of player 0 and a column for each of player 1, as many, the weakest first; `worth` is what
    an outcome is worth to player 0.

    >>> flip = Choice(0, (("pass", End((0, 0, -1))), ("bet", Showdown(0, (0, 1, -1), (0, 0, -1), (1, 0, -1)))))
    >>> game = CallGame(flip, np.ones((3, 3)), lambda a, b, _: a - b)
    >>> exploitability = game.solve(target=1e-4)
    >>> round(game.value, 2)
    0.22
    """

    def __init__(self, tree: Node, joint: NDArray[np.float64], worth: Worth) -> None:
        """Write the tree for the walk."""
        writer = Writer(len(joint))
        writer.write(tree)
        grown = writer.grown()
        self.tree, self.joint, self.grown = tree, joint / joint.sum(), grown
        self.worth = worths_of(writer.outcomes, worth)
        self.number = {outcome: k for k, outcome in enumerate(writer.outcomes)}
        self.solver = Solver(deck_of_secrets(len(joint)), grown, joint, self.worth)

    def solve(self, *, target: float, seconds: float | None = None, iterations: int | None = None) -> float:
        """Iterate until the exploitability is at most the target, or seconds or iterations are spent; return it."""
        return run_until(self.solver, target=target, seconds=seconds, iterations=iterations)

    @property
    def value(self) -> float:
        """What the game is worth to player 0."""
        return float(self.solver.values(0, EVALUATE).sum(dtype=np.float64))

    def mix(self, node: int) -> NDArray[np.float64]:
        """Return the average strategy at a node: (words, secrets), even where nothing was learnt."""
        here, size = self.grown.nodes[node], len(self.joint)
        start, bets = int(here[STORE]), int(here[BETS])
        table = self.solver.work.average[start : start + bets * size].reshape(bets, size).astype(np.float64)
        total = table.sum(axis=0)
        return np.where(total > 0, table / np.where(total > 0, total, 1), 1 / bets)

    def tell(self, worth: Worth | None = None) -> Told:
        """Return the chances of all outcomes under the average strategies, and the lines, in the order of the tree; with `worth`
        what they are worth to players who go by something else than what they played for.
        """
        told = Told(self.worth if worth is None else worths_of(list(self.number), worth))
        ones = np.ones(len(self.joint))
        self._look(self.tree, 0, (ones, ones), (), told)
        return told

    def _look(
        self, node: Node, number: int, reach: tuple[NDArray[np.float64], ...], said: tuple[str, ...], told: Told
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what a node is worth to each player's secrets, weighted by the reach of the other's; add it to what is told."""
        if isinstance(node, Choice):
            return self._choose(node, number, reach, said, told)
        parts: list[tuple[NDArray[np.float64] | float, Outcome]] = (
            [(1.0, node.outcome)] if isinstance(node, End) else []
        )
        if isinstance(node, Showdown):
            above = np.sign(np.subtract.outer(np.arange(len(self.joint)), np.arange(len(self.joint))))
            above = above if node.player == 0 else -above
            parts = [(above == -1, node.lower), (above == 0, node.equal), (above == 1, node.higher)]
        values = np.zeros((2, len(self.joint)))
        for mask, outcome in parts:
            weights = self.joint * mask
            chance = float(reach[0] @ weights @ reach[1])
            told.outcomes[outcome] = told.outcomes.get(outcome, 0.0) + chance
            worth = told.worth[self.number[outcome]]
            values[0] += weights @ reach[1] * worth
            values[1] -= reach[0] @ weights * worth
        return values[0], values[1]

    def _choose(
        self, node: Choice, number: int, reach: tuple[NDArray[np.float64], ...], said: tuple[str, ...], told: Told
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        who, mixed = node.player, self.mix(number)
        place, first = len(told.lines), int(self.grown.nodes[number, FIRST])
        values = np.zeros((2, len(self.joint)))
        gains = np.zeros_like(mixed)
        other = self.joint @ reach[1] if who == 0 else reach[0] @ self.joint
        for k, (word, child) in enumerate(node.ways):
            below = tuple(r * mixed[k] if player == who else r for player, r in enumerate(reach))
            under = self._look(child, int(self.grown.actions[first + k, CHILD]), below, (*said, word), told)
            gains[k] = under[who]
            values[who] += mixed[k] * under[who]
            values[1 - who] += under[1 - who]
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(other > 0, gains / other, np.nan)
        shares = np.where(other > 0, mixed, np.nan)
        line = Line(said, who, tuple(word for word, _ in node.ways), reach[who] * other, shares, worth)
        told.lines.insert(place, line)
        return values[0], values[1]


__all__ = ["CallGame", "Choice", "End", "Line", "Node", "Outcome", "Showdown", "Told"]
