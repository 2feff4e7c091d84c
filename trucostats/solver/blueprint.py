"""The blueprint: the whole truco of two solved from the deal, of which the early stages are kept.

Kept are the strategies until each has played a card (two bytes a frequency) and what actions are worth, and how often they win, until one has; what comes
later is solved again from the state the hand is in, with the ranges that the early stages give.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.home import data_home, whole_file
from trucostats.rules import Rules
from trucostats.solver.deck import Deck, deals, deck_at
from trucostats.solver.game import Solver
from trucostats.solver.growth import (
    BETS,
    BLOCK,
    CARDS,
    CHILD,
    DECISION_NODE,
    FIRST,
    KIND,
    LEFT_0,
    LEFT_1,
    PLAYER,
    RANK,
    STORE,
    Grown,
    grow_tree,
)
from trucostats.solver.track import Track, after_card, track
from trucostats.solver.walk import EVALUATE, RESPOND

KEPT: Final = 4  # strategies are kept while both hold at least so many cards together
VALUED: Final = 5  # and worths of actions while they hold so many
UNIT: Final = 2e-4  # of a kept worth, in the greatest stake over 4
WIN_UNIT: Final = 2e-5  # of a kept chance, from one half
NONE: Final = np.int16(-32768)  # for what no deal leads to
# The options that the truco of two, envido and flor apart, depends on.
TRUCO_OPTIONS: Final = (
    "hand_value", "ladder", "order_strong_to_weak", "turned_card", "succession", "truco_timing", "accept_by_play", "after_card_window",
    "all_tied", "third_tied", "tie_leader",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Blueprint:
    """Strategies of the early stages. `about` says what was solved, how exactly, and by which command."""

    deck: Deck
    grown: Grown
    strategy: NDArray[np.uint16]
    worths: NDArray[np.int16]
    wins: NDArray[np.int16]
    about: dict[str, Any]

    def mix(self, node: int) -> NDArray[np.floating]:
        """Return the strategy of a node: (bets and card slots, hands), each hand's frequencies adding up to 1."""
        rows, size, start = shape(self.grown, self.deck, node)
        kept = self.strategy[start : start + rows * size].reshape(rows, size).astype(np.float32)
        total = kept.sum(axis=0)
        return kept / np.where(total > 0, total, 1)

    def worth(self, node: int) -> NDArray[np.float64] | None:
        """Return what each action is worth by hand, in points of the acting player who answers the rival's strategy as well as he can.

        NaN where no deal leads; None if not kept.
        """
        return self._kept(node, self.worths, self.about["unit"], 0.0)

    def win_chance(self, node: int) -> NDArray[np.float64] | None:
        """Return how likely each action by each hand wins the hand, half counted where nobody wins; None if not kept."""
        return self._kept(node, self.wins, WIN_UNIT, 0.5)

    @cached_property
    def places(self) -> dict[int, int]:
        """Where the worths of each node that has some begin."""
        found, at = {}, 0
        for node, here in enumerate(self.grown.nodes):
            if valued(here):
                found[node] = at
                rows, size, _ = shape(self.grown, self.deck, node)
                at += rows * size
        return found

    def _kept(self, node: int, kept: NDArray[np.int16], unit: float, zero: float) -> NDArray[np.float64] | None:
        if not valued(self.grown.nodes[node]):
            return None
        rows, size, _ = shape(self.grown, self.deck, node)
        start = self.places[node]
        own = kept[start : start + rows * size].reshape(rows, size)
        return np.where(own == NONE, np.nan, own * unit + zero)

    def track(self, hand: Hand) -> Track:
        """Follow a hand as far as the blueprint goes, see `track.track`."""
        return track(hand, self.grown, self.deck, self.mix, mano=hand.mano)

    def share(self, hand: Hand) -> float:
        """Return how often its players come to where a hand is, among all deals; 0 where they never do."""
        exact = track(hand, self.grown, self.deck, self.mix, 0.0, mano=hand.mano)
        every = deals(self.deck)
        return float(exact.reach[0] @ every @ exact.reach[1] / every.sum())


def shape(grown: Grown, deck: Deck, node: int) -> tuple[int, int, int]:
    """Return the rows and columns of the strategy of a node, and where it begins in the store."""
    here = grown.nodes[node]
    left = int(here[LEFT_0 + int(here[PLAYER])])
    return int(here[BETS]) + (left if here[CARDS] > 0 else 0), int(deck.sizes[left]), int(here[STORE])


def valued(here: NDArray[np.int32]) -> bool:
    """Say whether the worths of a node's actions are kept."""
    return bool(here[KIND] == DECISION_NODE and here[LEFT_0] + here[LEFT_1] >= VALUED)


def truco_key(rules: Rules) -> str:
    """Return a short name of the truco of a rule set: alike for rule sets whose truco of two is the same game."""
    values = json.dumps([getattr(rules, name) for name in TRUCO_OPTIONS])
    return hashlib.sha256(values.encode()).hexdigest()[:12]


def from_the_deal(rules: Rules, turned: str | None) -> Hand:
    """Return a hand nobody has seen, seat 0 being mano."""
    return Hand.deal(rules, [None, None], turned=turned)


def build(
    rules: Rules,
    *,
    turned: str | None = None,
    target: float = 1e-4,
    iterations: int = 2000,
    look: int = 20,
    report: Callable[[Solver, float], None] = lambda _solver, _exploitability: None,
    command: str = "",
) -> tuple[Blueprint, Solver]:
    """Solve the truco of two from the deal until its exploitability is at most `target`; takes minutes and about 1 GB.

    `report` is called every `look` iterations. The certificate in `about` is that of the strategies as kept, rounded, with the
    later stages as solved.
    """
    hand, deck = from_the_deal(rules, turned), deck_at(rules, turned)
    grown = grow_tree(hand, deck)
    solver = Solver(deck, grown, deals(deck), (grown.outcomes[:, 0] - grown.outcomes[:, 1]).astype(float))
    while True:
        solver.run(min(look, iterations - solver.iterations))
        exploitability = solver.exploitability()[0]
        report(solver, exploitability)
        if exploitability <= target or solver.iterations >= iterations:
            return keep(rules, turned, solver, command), solver


def keep(rules: Rules, turned: str | None, solver: Solver, command: str) -> Blueprint:
    """Round the early stages of a solved truco, put them back into the solver, and certify what comes of it."""
    deck, full = solver.deck, solver.grown
    small = grow_tree(from_the_deal(rules, turned), deck, least=KEPT)
    early = np.flatnonzero(
        (full.nodes[:, KIND] == DECISION_NODE) & (full.nodes[:, LEFT_0] + full.nodes[:, LEFT_1] >= KEPT)
    )
    kept = np.flatnonzero(small.nodes[:, KIND] == DECISION_NODE)
    if not np.array_equal(full.nodes[early][:, [PLAYER, BETS, CARDS]], small.nodes[kept][:, [PLAYER, BETS, CARDS]]):
        raise SolverError("the early stages of the tree are not those of the whole")
    before = solver.exploitability()[0]
    rounded = []
    for node in early:
        rows, size, start = shape(full, deck, int(node))
        average = solver.work.average[start : start + rows * size].reshape(rows, size)
        total = average.sum(axis=0)
        share = np.divide(average, total, out=np.zeros_like(average), where=total > 0)
        whole = np.round(share * 65535).astype(np.uint16)
        rounded.append(whole.ravel())
        sums = np.maximum(whole.sum(axis=0, dtype=np.float64), 1)
        average[:] = whole / sums * (total > 0)
    exploitability, low, high = solver.exploitability()
    value = float(solver.values(0, EVALUATE).sum(dtype=np.float64))
    unit = UNIT * max(1.0, float(np.abs(solver.game.worth).max()) / 4)
    about: dict[str, Any] = {
        "format": 1, "rules": rules.spec(), "key": truco_key(rules), "turned": turned, "value": value, "interval": [low, high],
        "exploitability": exploitability, "exploitability_before_rounding": before, "iterations": solver.iterations,
        "seconds": round(solver.seconds), "command": command, "method": "DCFR(1.5, 0.5, 2), alternating, no random numbers",
        "unit": unit, "actions": int(sum(map(len, rounded))),
    }  # fmt: skip
    early_nodes = [int(node) for node in early if valued(full.nodes[node])]
    worths = record(solver, early_nodes, unit, RESPOND)
    wins = record(solver, early_nodes, WIN_UNIT, EVALUATE, np.sign(solver.game.worth) / 2)
    return Blueprint(deck, small, np.concatenate(rounded), worths, wins, about)


def record(
    solver: Solver, nodes: list[int], unit: float, mode: int, worth: NDArray[np.floating] | None = None
) -> NDArray[np.int16]:
    """Return what the actions of some early nodes are worth to the acting player by hand, in units; overwrites the regrets."""
    solver.record(mode, worth)
    masses = node_masses(solver, set(nodes))
    found = []
    for node in nodes:
        rows, size, start = shape(solver.grown, solver.deck, node)
        gains = solver.work.regret[start : start + rows * size].reshape(rows, size)
        mass = masses[node]
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(mass > 0, gains / mass, np.nan) / unit
        found.append(np.where(np.isfinite(each), np.clip(np.round(each), -32767, 32767), NONE).astype(np.int16).ravel())
    return np.concatenate(found)


def node_masses(solver: Solver, wanted: set[int]) -> dict[int, NDArray[np.float64]]:
    """Return for some nodes how likely each hand of the acting player is there, by chance and the rival's choices."""
    deck, grown, joint = solver.deck, solver.grown, solver.game.joint
    found: dict[int, NDArray[np.float64]] = {}
    waiting = [(0, (solver.reach[0].astype(np.float64), solver.reach[1].astype(np.float64)))]
    while waiting:
        node, reach = waiting.pop()
        here = grown.nodes[node]
        if here[KIND] != DECISION_NODE or here[LEFT_0] + here[LEFT_1] < VALUED:
            continue
        player, left = int(here[PLAYER]), int(here[LEFT_0 + int(here[PLAYER])])
        n0, n1, block = int(deck.sizes[here[LEFT_0]]), int(deck.sizes[here[LEFT_1]]), int(here[BLOCK])
        weights = joint[block : block + n0 * n1].reshape(n0, n1)
        if node in wanted:
            found[node] = weights @ reach[1] if player == 0 else reach[0] @ weights
        rows, size, start = shape(grown, deck, node)
        average = solver.work.average[start : start + rows * size].reshape(rows, size)
        total = average.sum(axis=0)
        sigma = average / np.where(total > 0, total, 1)
        bets = int(here[BETS])
        for k in range(bets + int(here[CARDS])):
            action = grown.actions[int(here[FIRST]) + k]
            now = list(reach)
            if action[RANK] < 0:
                now[player] = reach[player] * sigma[k]
            else:
                now[player] = after_card(deck, left, int(action[RANK]), bets, sigma, reach[player], 0.0)
            waiting.append((int(action[CHILD]), (now[0], now[1])))
    return found


def write_blueprint(blueprint: Blueprint, folder: Path) -> Path:
    """Write a blueprint into a folder and return its path; the name has the rule set and the certified exploitability."""
    about = blueprint.about
    name = about["rules"] if isinstance(about["rules"], str) else about["rules"]["base"]
    turned = f"-{about['turned']}" if about["turned"] else ""
    path = folder / f"{name}{turned}-{about['exploitability']:.6f}.npz"
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with whole_file(path) as file:
        np.savez_compressed(file, strategy=blueprint.strategy, worths=blueprint.worths, wins=blueprint.wins, about=text)
    return path


@contextmanager
def opened(path: Path | Any) -> Iterator[Any]:
    """Open the arrays of a blueprint; raises `SolverError` if there are none."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            yield arrays
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise SolverError(f"{path}: no blueprint can be read from it ({error}); remove it, or build it again") from None


def about_of(path: Path | Any) -> dict[str, Any]:
    """Return what a file says of the blueprint in it."""
    with opened(path) as arrays:
        about: dict[str, Any] = json.loads(arrays["about"].tobytes())
    return about


def read_blueprint(path: Path | Any, rules: Rules, turned: str | None = None) -> Blueprint:
    """Read a blueprint, for a turned card or for the one it was made for.

    Raises `SolverError` if it is none, or not of the truco of these rules.
    """
    with opened(path) as arrays:
        about = json.loads(arrays["about"].tobytes())
        strategy, worths, wins = arrays["strategy"], arrays["worths"], arrays["wins"]
    if about["key"] != truco_key(rules):
        raise SolverError(f"{path}: a blueprint of {about['rules']}, whose truco is another game than that of {rules}")
    turned = turned or about["turned"]
    deck = deck_at(rules, turned)
    grown = grow_tree(from_the_deal(rules, turned), deck, least=KEPT)
    if len(strategy) != about["actions"] or len(strategy) != sum(
        int(np.prod(shape(grown, deck, int(node))[:2]))
        for node in np.flatnonzero(grown.nodes[:, KIND] == DECISION_NODE)
    ):
        raise SolverError(f"{path}: a blueprint of another version; build it again")
    return Blueprint(deck, grown, strategy, worths, wins, about)


@lru_cache(maxsize=16)
def blueprint_of(rules: Rules, turned: str | None = None) -> Blueprint | None:
    """Return the most exact blueprint for the truco of a rule set, or None: from the package, or built and kept in `data_home()`.

    Turned cards of one rank share a blueprint, and so do two ranks where the cards that are left are as many of each strength.

    >>> from trucostats.rules import rules_of
    >>> blueprint_of(rules_of("argentino")).about["exploitability"] < 1e-4
    True
    """
    key, found = truco_key(rules), []
    for folder in (resources.files("trucostats.solver").joinpath("data"), built_here()):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name.endswith(".npz"):
                about = about_of(path)
                if about["key"] == key and same_cards(rules, about["turned"], turned):
                    found.append((about["exploitability"], path))
    return read_blueprint(min(found, key=lambda each: each[0])[1], rules, turned) if found else None


def same_cards(rules: Rules, one: str | None, other: str | None) -> bool:
    """Say whether two turned cards leave as many cards of each strength, so that the truco is the same.

    >>> from trucostats.rules import rules_of
    >>> paulista = rules_of("paulista")
    >>> same_cards(paulista, "4e", "4o"), same_cards(paulista, "2e", "3b"), same_cards(paulista, "4e", "5e")
    (True, True, False)
    """
    if one is None or other is None:
        return one == other
    return bool(np.array_equal(deck_at(rules, one).counts, deck_at(rules, other).counts))


def built_here() -> Path:
    """Return the folder of the blueprints that were built here."""
    return data_home() / "blueprints"


__all__ = ["Blueprint", "blueprint_of", "build", "read_blueprint", "write_blueprint"]
