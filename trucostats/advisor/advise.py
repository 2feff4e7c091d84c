"""`advise`: what to do at a decision, what it is worth, how sure that is, and why, in one sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from trucostats.advisor.evidence import Evidence, evidence
from trucostats.advisor.position import Position
from trucostats.advisor.teams import advise_team, take_point
from trucostats.advisor.why import Language, sentence
from trucostats.errors import SolverError
from trucostats.hand import Hand
from trucostats.solver.blueprint import blueprint_of
from trucostats.solver.deck import Deck
from trucostats.solver.envido import PASS, solve_envido
from trucostats.solver.envido import TARGET as ENVIDO_TARGET
from trucostats.solver.equity import MatchEquity, TakePoint, equity_of, is_late
from trucostats.solver.live import Live, Option, Rival, Utility, evaluate, played_for
from trucostats.solver.solve import TARGET, points
from trucostats.vocab import ENVIDO_CALLS

NO_TAKE_POINT: Final[dict[str, float | None]] = {"points": None, "match": None}
SOLVED_SHARE: Final = 0.99  # of a range must be solved for a chance over it


@dataclass(frozen=True)
class Class:
    """Part of the rival's range: hands whose best card left is of a rank.

    `share` of his hands now, `told` with what was said of the envido alone, `prior` by the cards alone; `win` how often the hero
    wins the hand against them (None if not solved).
    """

    best: str
    share: float
    told: float
    prior: float
    win: float | None


@dataclass(frozen=True)
class Advice:
    """What is known of a decision.

    `status` is `exact`, `solved` (by a live solve), `blueprint` (looked up in a solve of the whole hand, whose exploitability it
    is), or `heuristic`; `utility` is what the solve played for, the unit of its exploitability and of the options' errors: points, or
    chances to win the match. `take_point` is the least chance to win with which accepting is right, in points and for the match;
    `bluff_needed` the share of the rival's hands that the hero beats more often than not at which accepting breaks even, and
    `bluff_share` what that share is; `chances` how the chance to win after quiero grew out of the cards, the words about the envido and the
    rival's calls and cards, None where those hands were not solved.
    """

    position: Position
    status: str
    exploitability: float | None
    iterations: int
    seconds: float
    options: tuple[Option, ...]
    evidence: Evidence | None
    notes: tuple[str, ...]
    take_point: dict[str, float | None] = field(default_factory=lambda: dict(NO_TAKE_POINT))
    range: tuple[Class, ...] = ()
    bluff_needed: float | None = None
    bluff_share: float | None = None
    chances: dict[str, float | None] | None = None
    utility: Utility = "points"

    @property
    def by_match(self) -> bool:
        """Whether options go by the chance to win the match rather than by points: near its end, where that chance is known."""
        late = is_late(self.position.score, self.position.hand.rules.target)
        return late and all(option.match is not None for option in self.options)

    @property
    def ranked(self) -> list[Option]:
        """The options, the one worth most first."""
        by_match = self.by_match
        return sorted(self.options, key=lambda option: -((option.match or 0) if by_match else option.points))

    @property
    def best(self) -> Option:
        """The option that is worth most, the first of those ranked."""
        return self.ranked[0]

    @property
    def p_win(self) -> float | None:
        """The chance to win the hand after quiero, where a call waits."""
        return next((option.win for option in self.options if option.action == "quiero"), None)

    def why(self, language: Language = "en") -> str:
        """Return the reason in one sentence: English, Spanish or Portuguese."""
        take = self.take_point["match"] if self.take_point["match"] is not None else self.take_point["points"]
        return sentence(language, self.ranked, self.p_win, take, self.bluff_needed, self.bluff_share)

    def to_dict(self, language: Language = "en") -> dict[str, Any]:
        """Return the advice as JSON has it."""
        actions = [
            {
                "action": option.action, "ev_points": option.points, "ev_match": option.match, "se": option.error,
                "frequency": option.frequency, "p_win": option.win,
            }
            for option in self.options
        ]  # fmt: skip
        return {
            "to_act": self.position.hero, "status": self.status, "exploitability": self.exploitability, "utility": self.utility,
            "iterations": self.iterations, "seconds": round(self.seconds, 4), "actions": actions, "best": self.best.action,
            "p_win": self.p_win, "take_point": self.take_point, "bluff_needed": self.bluff_needed,
            "bluff_share": self.bluff_share, "chances": self.chances,
            "range": [
                {"best_card": part.best, "share": part.share, "told": part.told, "prior": part.prior, "p_win": part.win}
                for part in self.range
            ],
            "evidence": None if self.evidence is None else self.evidence.to_dict(), "notes": list(self.notes),
            "why": self.why(language),
        }  # fmt: skip


def advise(
    position: Position,
    *,
    tables: Path | str | None = None,
    equity: MatchEquity | None = None,
    target: float = TARGET,
    seconds: float | None = None,
    blueprint: bool = True,
    partner: str | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> Advice:
    """Return advice on a decision, from what the hero can see.

    `tables` is a dataset to look for the same spot in; `equity` the match equity to use (default: that of equilibrium hands of the
    rule set, where the package has it); `target` and `seconds` bound a live solve, see `solver.live.evaluate`, and `tell` hears of a long one. At
    tables of four and six the advice is a heuristic, which may know the cards `partner` was dealt (of four). Raises `SolverError`
    where there is no answer: an unknown hand of the hero, covered cards, a flor that waits.

    >>> from trucostats.advisor.position import position_from
    >>> advice = advise(position_from(hand="7c 3c 12e", events="0 12e, 1 2e, 1 truco"))
    >>> advice.best.action, advice.status, round(advice.take_point["points"], 3)
    ('quiero', 'solved', 0.25)
    """
    begun = time.perf_counter()
    hand, hero = position.hero_view(), position.hero
    if partner is not None and hand.seats != 4:
        raise SolverError("a partner's cards are known at a table of four only")
    equity = equity if equity is not None else equity_of(hand.rules)
    notes: list[str] = []
    if equity is not None and position.score is None:
        equity = None
        notes.append("nobody knows the score, so chances to win the match are left out")
    found = None if tables is None else evidence(tables, position)
    if hand.seats != 2:
        return of_a_team(position, hand, equity, found, notes, seconds, partner)
    if position.kind == "declare":
        raise SolverError("a number is to be said; there is nothing to choose but what the cards say")
    if hand.pending == "flor":
        raise SolverError("a flor waits; the solver does not play the flor")
    if hand.pending == "envido":
        return answered_envido(position, hand, equity, found, notes, begun)
    match = None if equity is None else equity.worth(position.hand)
    late = equity is not None and is_late(position.score, hand.rules.target)
    laid = bool(np.any(hand.kernel[0][0].cards_played[:2]))
    by_match = late and (laid or seconds is not None)
    if late and not by_match:
        notes.append(
            "from the deal the hand was solved for points, although the score is late; give --seconds to solve it for the match"
        )
    live = evaluate(
        hand, hero, match=match, by_match=by_match, target=target, seconds=seconds, blueprint=blueprint, tell=tell,
    )  # fmt: skip
    if blueprint and blueprint_of(hand.rules, hand.turned) is None:
        notes.append(
            "there is no blueprint of this game, so what the rival called and played tells nothing of his cards here; "
            f"`trucostats blueprint build --rules {hand.rules.name}{f' --turned {hand.turned}' if hand.turned else ''}` makes one"
        )
    if equity is None and position.score is not None:
        notes.append("there is no match equity of these rules, so chances to win the match are left out")
    if not live.inside:
        notes.append("play in equilibrium does not come here: the ranges rest on small errors of the players")
    options = [*live.options, *left_out(position, equity)]
    status: str = live.status
    calls = [word for word in position.options() if word in ENVIDO_CALLS]
    if calls:
        options, status = with_envido(hand, hero, options, calls), "heuristic"
        notes.append(
            "the envido is open: worths are those of the truco and of the envido, each solved alone, added up; what one tells for the other is left out"
        )
        if late:
            notes.append("the score is late, but what is added up is points: chances to win the match are left out")
    advice = Advice(
        position, status, live.exploitability, live.iterations, 0.0, tuple(options), found, tuple(notes),
        told_take_point(take_point(position.hand, position.hero, equity, position.score)), classes(live.rivals, live.deck),
        utility=live.utility,
    )  # fmt: skip
    return replace(advice, **bluffs(live, advice), seconds=time.perf_counter() - begun)


def of_a_team(
    position: Position,
    hand: Hand,
    equity: MatchEquity | None,
    found: Evidence | None,
    notes: list[str],
    seconds: float | None,
    partner: str | None,
) -> Advice:
    """Return advice at a table of four or six: by sampled deals, or by the solver in a duel of two."""
    if equity is not None and hand.settled().score is None:
        equity = None
        notes.append("nobody at the table knows the score, so chances to win the match are left out")
    told = advise_team(
        hand, position.hero, match=equity, seconds=seconds, partner_cards=None if partner is None else partner.split()
    )
    if isinstance(told, Live):
        notes.append("a duel of two: the cards of earlier duels are left out")
        return Advice(
            position, told.status, told.exploitability, told.iterations, told.seconds, told.options, found, tuple(notes),
            range=classes(told.rivals, told.deck), utility=told.utility,
        )  # fmt: skip
    options = tuple(
        Option(option.action, None, option.points, option.match, option.win, option.error) for option in told.options
    )
    notes += [
        f"{told.samples} deals drawn, worth {told.effective:.0f} alike; ± is the standard error of the points; players call by habits fitted to the play of two",
        *([f"not valued: {', '.join(told.left_out)}"] if told.left_out else []),
    ]
    return Advice(
        position,
        told.status,
        None,
        told.samples,
        told.seconds,
        options,
        found,
        tuple(notes),
        told_take_point(told.take),
    )


def left_out(position: Position, equity: MatchEquity | None) -> list[Option]:
    """Return what the solver leaves out because it ends the hand at once: leaving it."""
    hand, hero = position.hand, position.hero
    if "mazo" not in position.options() or hand.pending:
        return []
    # An accepted envido gives its points whether one stays or leaves, and maybe nobody knows to whom.
    before, after = hand.settled(), hand.play(f"{hero} mazo").settled()
    had, has = before.points["truco"], after.points["truco"]
    if had is None or has is None:
        return []
    won = has[hero] - had[hero] - (has[1 - hero] - had[1 - hero])
    chance = None
    if equity is not None and after.score is not None:
        game = after.game_winner
        ours = equity.chance(*after.score, 1 - hand.mano % 2) if game is None else float(game == 0)
        chance = ours if hero == 0 else 1 - ours
    return [Option("mazo", 0.0, float(won), chance, 0.0, 0.0)]


def with_envido(hand: Hand, hero: int, options: list[Option], calls: Iterable[str]) -> list[Option]:
    """Return the options with what the envido adds: passing it by for cards and trucos, calling it with the best of them to follow."""
    number = hand.envido(hero)
    solution = solve_envido(hand)
    line = next((each for each in solution.lines if not each.said), None)
    if line is None or number is None or line.player != hero:
        return options
    which = solution.numbers.index(number)
    worth = {word: float(line.worth[k][which]) for k, word in enumerate(line.words)}
    often = {word: float(line.frequency[k][which]) for k, word in enumerate(line.words)}
    best = max(options, key=lambda option: option.points)
    # Passing ends one's own turn: the rival may still call.
    passed = worth.get(PASS, 0.0)
    found = [
        replace(option, points=option.points + (passed if option.action != "mazo" else 0.0), match=None, frequency=None if option.frequency is None else option.frequency * often.get(PASS, 1.0))
        for option in options
    ]  # fmt: skip
    called = [
        Option(word, often[word], worth[word] + best.points, None, best.win, None) for word in calls if word in worth
    ]
    return [*found, *called]


def answered_envido(
    position: Position, hand: Hand, equity: MatchEquity | None, found: Evidence | None, notes: list[str], begun: float
) -> Advice:
    """Return advice on the answer to an envido, from the envido solved alone with the hero's number."""
    number = hand.envido(position.hero)
    if number is None:
        raise SolverError("the hero's cards must be known to answer an envido; write them in the deal")
    match = None if equity is None else equity.worth(position.hand)
    utility, worth, target = played_for(match, is_late(position.score, hand.rules.target), ENVIDO_TARGET)
    solution = solve_envido(hand, worth=worth, target=target)
    which = solution.numbers.index(number)
    line = solution.valued(points).line()
    chances = None if match is None else solution.valued(match).line().worth[:, which] + 0.5
    options = tuple(
        Option(word, float(line.frequency[k][which]), float(line.worth[k][which]), None if chances is None else float(chances[k]), None, None)
        for k, word in enumerate(line.words)
    )  # fmt: skip
    notes.append("the envido was solved alone: what it tells for the truco is left out")
    return Advice(
        position, "solved", solution.exploitability, solution.game.solver.iterations, time.perf_counter() - begun, options, found,
        tuple(notes), utility=utility,
    )  # fmt: skip


def told_take_point(step: TakePoint | None) -> dict[str, float | None]:
    """Return the chance to win at which accepting the truco that waits breaks even: in points, and for the match at this score."""
    return dict(NO_TAKE_POINT) if step is None else {"points": step.linear, "match": step.chance}


def bluffs(live: Live, advice: Advice) -> dict[str, Any]:
    """Return how often the rival must be bluffing for accepting to break even, how often he is, and how the chance to win came about."""
    known = [rival for rival in live.rivals if rival.win is not None]
    take = advice.take_point["match"] if advice.take_point["match"] is not None else advice.take_point["points"]
    if advice.p_win is None or take is None or not known:
        return {}
    share, win, prior, told = (
        np.array([getattr(rival, name) for rival in known]) for name in ("share", "win", "prior", "told")
    )
    beaten = win > 1 / 2

    def mean(weight: Any) -> float:
        return float((weight * win).sum() / weight.sum()) if weight.sum() > 0 else 0.0

    def over(weight: Any) -> float | None:
        # Hands that what was said rules out were not solved.
        return mean(weight) if weight.sum() > SOLVED_SHARE else None

    chances = {"cards": over(prior), "envido": over(told), "play": mean(share)}
    needed = None
    if share[beaten].sum() > 0 and share[~beaten].sum() > 0:
        bluff, value = mean(share * beaten), mean(share * ~beaten)
        needed = min(max((take - value) / (bluff - value), 0.0), 1.0)
    return {"bluff_needed": needed, "bluff_share": float(share[beaten].sum() / share.sum()), "chances": chances}


def classes(rivals: Iterable[Rival], deck: Deck) -> tuple[Class, ...]:
    """Return the rival's range by the best card he still holds, the likeliest first."""
    by_best: dict[int, list[Rival]] = {}
    for rival in rivals:
        if rival.ranks:
            by_best.setdefault(max(rival.ranks), []).append(rival)
    found = []
    for rank, hands in by_best.items():
        share = sum(rival.share for rival in hands)
        known = [rival for rival in hands if rival.win is not None]
        mass = sum(rival.share for rival in known)
        win = sum(rival.share * (rival.win or 0) for rival in known) / mass if mass > 0 else None
        found.append(
            Class(deck.name(rank), share, sum(rival.told for rival in hands), sum(rival.prior for rival in hands), win)
        )
    return tuple(sorted(found, key=lambda part: (-part.share, -part.prior)))


__all__ = ["Advice", "Class", "advise"]
