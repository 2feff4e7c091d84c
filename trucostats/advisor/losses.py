"""What a decision lost: every option's worth as the acting player saw it, taken apart into the things that he decided.

One event may be several decisions. Who plays a card decides whether to call instead (`raise`), which card (`card`), and, while he may
still call the envido, to let it pass (`envido`). The losses of `raise` and `card` add up to the loss of the event.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np

from trucostats.advisor.grades import METRIC, Kind, Mark, mark_of
from trucostats.advisor.position import Position
from trucostats.errors import IllegalEvent, NotationError, SolverError
from trucostats.hand import Hand
from trucostats.record import Record
from trucostats.rules import Rules
from trucostats.solver.blueprint import blueprint_of
from trucostats.solver.envido import PASS, EnvidoSolution, solve_envido
from trucostats.solver.equity import MatchEquity, equity_of, is_late
from trucostats.solver.live import RARE, Live, Utility, evaluate, ranges_of
from trucostats.solver.solve import Worth
from trucostats.vocab import CARD_INDEX, ENVIDO_CALLS, FLOR_CALLS, RAISES

Status = Literal["exact", "solved", "blueprint", "envido alone", "forced", "not evaluated"]
Basis = Literal["solved", "by the worth of a point"]
FORCED: Final = "only one thing could be done"
ENVIDO_TARGET: Final = 1e-3
ENVIDO_ITERATIONS: Final = 1000
ANSWERS: Final = ("quiero", "no-quiero", "mazo")


@dataclass(frozen=True, slots=True)
class Effort:
    """How exactly decisions are solved: at most `iterations` each, to `target` points; `seconds` solves for so long, early ones too.

    `rare` says whether to solve states before both have played a card to which equilibrium hardly ever comes: a minute each.
    """

    iterations: int | None = 100
    target: float = 0.005
    seconds: float | None = None
    rare: bool = True


QUICK: Final = Effort(iterations=40, target=0.02, rare=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a log, evaluated or not.

    `loss` is in points, `match_loss` in chances to win the match (`basis` says how it was found), `normal` the match loss in points
    at 0-0, by which it is marked; None where nothing was evaluated, for the `reason`. `frequency` is how often the equilibrium does what was done, `worth` what
    each option is worth in points. `exploitability` is that of the solve, in its `utility`: points a hand, or chances to win
    the match. `score` is the player's before the decision, then his rival's.
    """

    file: str
    line: int
    event: int
    match: str
    game: int
    hand: int
    seat: int
    player: str
    kind: Kind
    done: str
    status: Status
    reason: str | None = None
    best: str | None = None
    loss: float | None = None
    match_loss: float | None = None
    basis: Basis | None = None
    normal: float | None = None
    mark: Mark | None = None
    frequency: float | None = None
    exploitability: float | None = None
    utility: Utility | None = None
    score: tuple[int, int] | None = None
    rules: str = ""
    is_mano: bool = False
    worth: dict[str, float] = field(default_factory=dict)

    @property
    def evaluated(self) -> bool:
        """Whether there is a loss."""
        return self.loss is not None

    @property
    def place(self) -> str:
        """The decision as `LOG:LINE:EVENT`, which shows and solves it again."""
        return f"{self.file}:{self.line}:{self.event}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with the place and the name of the metric."""
        return {"place": self.place, "metric": METRIC, **asdict(self)}

    def row(self) -> dict[str, Any]:
        """Return the row of the table `decisions`, with match, game and hand in place of the hand's number."""
        own, rival = self.score or (None, None)
        return self.to_dict() | {"score_own": own, "score_rival": rival, "options": len(self.worth)}


def point_at_start(equity: MatchEquity) -> float:
    """Return what a point is worth at 0-0 in chances to win the match, mano and pie averaged."""
    return (equity.point_value(0, 0, 0) + equity.point_value(0, 0, 1)) / 2


@lru_cache(maxsize=512)
def _envido_of(rules: Rules, turned: str | None, score: tuple[int, int]) -> EnvidoSolution:
    """Return the solution of the envido at a score, the mano's first."""
    hand = Hand.deal(rules, [None, None], score=score, turned=turned)
    return solve_envido(hand, target=ENVIDO_TARGET, iterations=ENVIDO_ITERATIONS)


@dataclass(frozen=True, slots=True)
class Way:
    """One option: its word, what it is worth in points and in chances to win the match, how often the equilibrium takes it."""

    word: str
    points: float
    match: float | None
    frequency: float | None


class Judge:
    """Evaluates the decisions of one hand in order; it remembers the words of the envido on the way."""

    def __init__(self, start: Hand, place: dict[str, Any], effort: Effort) -> None:
        """Take the hand as dealt, what all its decisions have in common, and how exactly to solve."""
        self.start, self.place, self.effort = start, place, effort
        self.said: list[str] = []
        self.plain: list[str] = []  # the events without the envido and the flor
        self.closed = False
        self.equity = equity_of(start.rules)

    def decisions(self, position: Position, wanted: bool = True) -> list[Decision]:
        """Return the decisions of an event, `position.done`, if they are wanted, and go on behind it."""
        assert position.done is not None
        word = position.done.partition(" ")[2]
        verb = word.partition(" ")[0]
        options = [text.partition(" ")[2] for text in position.hand.legal(position.hero)]
        envido = position.hand.pending == "envido" or any(option in ENVIDO_CALLS for option in options)
        found = []
        if wanted and verb not in ("show", "ask-count"):
            found = list(self._decisions(position, word, options, envido))
        self._remember(position.hand, position.done, verb, envido)
        return found

    def _remember(self, hand: Hand, event: str, verb: str, envido: bool) -> None:
        answers = hand.pending == "envido" and verb in ("quiero", "no-quiero")
        if verb in ENVIDO_CALLS or answers:
            self.said.append(verb)
        elif envido and hand.pending != "envido":
            self.said.append(PASS)
        self.closed |= answers
        answers |= hand.pending == "flor" and verb in ("quiero", "no-quiero")
        if not (verb in (*ENVIDO_CALLS, *FLOR_CALLS, "son-buenas", "show") or answers or verb.isdigit()):
            self.plain.append(event)

    def _decisions(self, position: Position, word: str, options: list[str], envido: bool) -> Iterable[Decision]:
        hand, seat = position.hand, position.hero
        verb = word.partition(" ")[0]
        base = self._base(position, word)
        real = [option for option in options if option != "mazo"]
        if hand.seats != 2:
            yield replace(base, reason=f"hands of {hand.seats} are not evaluated, only those of two")
        elif "?" in hand.dealt(seat):
            yield replace(base, reason="the player's own cards are not known")
        elif len(real) < 2 and verb != "mazo":
            yield replace(base, status="forced", reason=FORCED)
        elif verb.isdigit() or verb == "son-buenas":
            yield replace(base, reason="saying one's number is not evaluated")
        elif any(option in FLOR_CALLS for option in options) or hand.pending == "flor":
            yield replace(base, reason="a flor is not evaluated")
        elif hand.pending == "decision":
            yield replace(base, reason="playing or passing a special hand is not evaluated")
        elif verb == "cover" or " " in word:
            yield replace(base, reason="a card covered or put forward is not evaluated")
        else:
            if envido:
                yield self._envido(position, base, verb)
            if hand.pending != "envido" and verb not in ENVIDO_CALLS:
                yield from self._truco(position, base, verb, real)

    def _base(self, position: Position, word: str) -> Decision:
        """Return the decision before anything is evaluated."""
        pending = position.hand.pending
        kind: Kind = "card"
        if (
            pending in ("envido", "flor")
            or word in (*ENVIDO_CALLS, *FLOR_CALLS)
            or word.isdigit()
            or word == "son-buenas"
        ):
            kind = "envido"
        elif pending is not None:
            kind = "answer"
        elif word.partition(" ")[0] in RAISES:
            kind = "raise"
        assert position.event is not None
        return Decision(
            **self.place, event=position.event, seat=position.hero, player=position.hand.players[position.hero], kind=kind,
            done=word, status="not evaluated", score=position.score, rules=str(position.hand.rules),
            is_mano=position.hero == position.hand.mano,
        )  # fmt: skip

    def _envido(self, position: Position, base: Decision, verb: str) -> Decision:
        base = replace(base, kind="envido")
        hand, seat = position.hand, position.hero
        number = hand.envido(seat)
        score = self.start.score
        if number is None or score is None:
            return replace(base, reason="the player's envido or the score is not known")
        if hand.rules.flor and hand.flor(seat) is not None:
            return replace(base, reason="who holds a flor does not play the envido")
        try:
            solution = _envido_of(hand.rules, hand.turned, score if hand.mano == 0 else score[::-1])
            line = solution.line(*self.said)
        except SolverError as error:
            return replace(base, reason=f"the envido alone: {error}")
        place = solution.numbers.index(number) if number in solution.numbers else -1
        worths, shares = line.worth[:, place], line.frequency[:, place]
        if place < 0 or np.isnan(worths).any():
            return replace(base, reason="the envido alone never comes here with this number")
        did = (
            {"mazo": "no-quiero"}.get(verb, verb) if hand.pending == "envido" else verb if verb in line.words else PASS
        )
        ways = [
            Way(word, float(points), None, float(share))
            for word, points, share in zip(line.words, worths, shares, strict=True)
        ]
        return self._graded(base, ways, did, position, "envido alone", solution.exploitability, "points")

    def _truco(self, position: Position, base: Decision, verb: str, options: list[str]) -> Iterable[Decision]:
        try:
            live = self._live(position)
        except (SolverError, IllegalEvent, NotationError) as error:
            yield replace(base, reason=str(error))
            return
        ways = [Way(o.action, o.points, o.match, o.frequency) for o in live.options if o.points == o.points]
        if verb == "mazo" or (position.hand.pending is None and not ways):
            ways.append(self._leaving(position, len(ways)))
        elif position.hand.pending == "truco" and verb in CARD_INDEX:
            verb = "quiero"  # accepted by playing on
        if verb not in [way.word for way in ways]:
            why = (
                "the solver leaves out calling right after accepting: it is raising, later"
                if verb in RAISES
                else "the solver leaves this out"
            )
            yield replace(base, status="not evaluated", reason=why)
            return
        solved = live.status, live.exploitability, live.utility
        if position.hand.pending is not None or verb == "mazo":
            yield self._graded(base, ways, verb, position, *solved)
            return
        cards = [way for way in ways if way.word in CARD_INDEX]
        calls = [way for way in ways if way.word in RAISES]
        if calls:
            # Letting a call go is worth what the best card is.
            silent = max(cards, key=_value, default=None)
            both = [
                *calls,
                *([replace(silent, word="no call", frequency=sum(c.frequency or 0 for c in cards))] if silent else []),
            ]
            done = verb if verb in RAISES else "no call"
            if len(both) > 1:
                yield self._graded(replace(base, kind="raise"), both, done, position, *solved)
        if verb in CARD_INDEX and len(cards) > 1:
            yield self._graded(replace(base, kind="card"), cards, verb, position, *solved)

    def _live(self, position: Position) -> Live:
        """Return the evaluation of a truco decision; raise `SolverError` where it would take minutes."""
        view, hero, effort = position.hero_view(), position.hero, self.effort
        state = position.hand.state()["cards_played"]
        assert isinstance(state, list)
        swap = view.mano == 1
        if swap:  # the blueprint's mano sits on seat 0
            view, hero = mirrored(view.record), 1 - hero
        match = None
        if self.equity is not None and (known := position.hand.settled()).score is not None:
            match = self.equity.worth(known)
            match = _turned(match) if swap else match
        if sum(state) > 1:
            late = match is not None and is_late(position.hand.settled().score, view.rules.target)
            return evaluate(
                view, hero, match=match, target=effort.target, seconds=effort.seconds, iterations=effort.iterations,
                by_match=late,
            )  # fmt: skip
        # Early, the blueprint knows the answer, but nothing of the envido.
        record = position.hero_view().record.but(
            events=self.plain, score=position.hand.settled().score or self.start.score
        )
        early = mirrored(record) if swap else Hand.from_record(record)
        plan = blueprint_of(early.rules, early.turned)
        followed = None if plan is None else plan.track(early)
        if (
            plan is not None
            and followed is not None
            and followed.inside
            and plan.worth(followed.node) is not None
            and not ranges_of(early, hero, plan).spoken
        ):
            if not effort.rare and plan.share(early) < RARE:
                raise SolverError(
                    "equilibrium hardly ever comes here, and to solve it takes a minute; leave out --quick for that"
                )
            return evaluate(early, hero)
        if effort.seconds is None:
            raise SolverError(
                "before each has played a card the package has no strategy for this; seconds for each decision solve it"
            )
        return evaluate(view, hero, match=match, seconds=effort.seconds)

    def _leaving(self, position: Position, options: int) -> Way:
        """Return what leaving the hand is worth."""
        before, seat = position.hand.settled(), position.hero
        after = position.hand.play(f"{seat} mazo").settled()
        side = seat % 2
        if before.score is None or after.score is None:
            won = [
                end - start
                for start, end in zip(before.points["truco"] or (0, 0), after.points["truco"] or (0, 0), strict=True)
            ]
        else:
            won = [end - start for start, end in zip(before.score, after.score, strict=True)]
        match = None
        if self.equity is not None and before.score is not None:
            chance = self.equity.worth(before)(won[0], won[1], after.game_winner)
            match = 0.5 + (chance if side == 0 else -chance)
        return Way("mazo", float(won[side] - won[1 - side]), match, 0.0 if options else 1.0)

    def _graded(
        self,
        base: Decision,
        ways: list[Way],
        done: str,
        position: Position,
        status: Status,
        exploitability: float,
        utility: Utility,
    ) -> Decision:
        """Return a decision with its losses and its mark."""
        by_match = all(way.match is not None for way in ways)
        best = max(ways, key=_value if by_match else lambda way: way.points)
        did = next((way for way in ways if way.word == done), None)
        if did is None:
            return replace(
                base, reason=f"{done} is not among what was evaluated: {', '.join(way.word for way in ways)}"
            )
        loss = max(best.points - did.points, 0.0)
        match_loss: float | None = None
        basis: Basis | None = None
        normal = loss
        score = position.hand.settled().score
        if self.equity is not None and score is not None and max(score) < self.equity.target:
            start = point_at_start(self.equity)
            if by_match:
                match_loss, basis = max((best.match or 0.0) - (did.match or 0.0), 0.0), "solved"
            else:
                following = 1 - position.hand.mano % 2
                match_loss, basis = loss * self.equity.point_value(*score, following), "by the worth of a point"
            normal = match_loss / start
        return replace(
            base, status=status, best=best.word, loss=loss, match_loss=match_loss, basis=basis, normal=normal, mark=mark_of(normal),
            frequency=did.frequency, exploitability=exploitability, utility=utility, worth={way.word: way.points for way in ways}, done=done,
        )  # fmt: skip


def mirrored(record: Record) -> Hand:
    """Return a hand of two with the seats exchanged.

    >>> from trucostats.hand import Hand
    >>> mirrored(Hand.deal("argentino", ["7c 5c 12e", None], dealer=0).play("1 3b").record)
    <Hand argentino 0-0: ben ? ?, ana 12e 5c 7c; ana to play>
    """
    events = [f"{1 - int(event[0])}{event[1:]}" for event in record.events]
    score = record.score[1], record.score[0]
    return Hand.from_record(
        record.but(
            players=record.players[::-1], dealer=1 - record.dealer, score=score, deal=record.deal[::-1], events=events
        )
    )


def _turned(worth: Worth) -> Worth:
    """Return what outcomes are worth to the other side."""
    return lambda won0, won1, game: -worth(won1, won0, None if game is None else 1 - game)


def _value(way: Way) -> float:
    return way.points if way.match is None else way.match


__all__ = ["FORCED", "QUICK", "Decision", "Effort", "Judge", "point_at_start"]
