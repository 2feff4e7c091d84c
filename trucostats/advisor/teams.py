"""Advice at a table of four or six: a heuristic, by deals drawn under what is known, weighed, and played with open cards.

No solver reaches so far, so nothing here is an equilibrium, and every figure is labelled `heuristic`. The cards that the hero does not
know are dealt at random, under everything public (`solver.ranges`). Each deal is weighed by how likely it made the others call and
accept (`Habits`). Then every action is tried in every deal: nobody calls again, a call of one's own is answered as the habits say, and the
tricks go as they do with all cards open and each side playing as one (with more than `OPEN_CARDS` cards left the first are played by
rule). Open cards make both sides wiser than they are: sampling by deals like this is known as perfect information Monte Carlo, after
M. Ginsberg, GIB: imperfect information in a computationally challenging game, 2001. docs/advisor.md has how well it is calibrated.

A duel of pica-pica is between two, and goes to the solver.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from trucostats.advisor.intervals import wilson
from trucostats.advisor.playouts import CHANCE, GAME, OPEN_CARDS, RESULT, WON_0, WON_1, sample
from trucostats.advisor.position import Position
from trucostats.chance import seeded
from trucostats.errors import SolverError
from trucostats.hand import Hand, positions
from trucostats.kernel.check import waiting
from trucostats.kernel.state import (
    AL_RESTO,
    ASK_COUNT,
    BUENAS,
    COVER,
    DECLARE,
    ENVIDO,
    FALTA,
    FLOR,
    NOBODY,
    PLAY,
    QUIERO,
    RAISE,
    TRUCO_CALL,
    team,
)
from trucostats.policies import fill_powers
from trucostats.rules import rules_of
from trucostats.solver.deck import HAND_SIZE
from trucostats.solver.equity import MatchEquity, TakePoint
from trucostats.solver.live import Live, evaluate
from trucostats.solver.ranges import NONE_LEFT, Known, hands_at, mask_of
from trucostats.solver.solve import worths_of
from trucostats.vocab import VERB_BITS, event_name
from trucostats.words import parse_event

SAMPLES: Final = 400
VERB_MASK: Final = (1 << VERB_BITS) - 1
Cards = str | Iterable[str]


@dataclass(frozen=True)
class Habits:
    """How players call and accept, as logistic curves of `policies.outlook`, their own rough chance to win the hand (0 to 1).

    `call[k]` and `accept[k]` are where the curves of step k + 1 of the ladder (truco, retruco, vale cuatro) are half way up,
    the widths how flat they are, `bluff[k]` and `stand` the share of calls and acceptances that no cards explain. The curves of both
    calls and of accepting a truco were fitted to the blueprint of the argentino of two, see docs/advisor.md. That of accepting a
    retruco is an assumption, for the blueprint hardly ever comes there so early; the vale cuatro is taken like the retruco.
    Of an envido players think by their number: half of them would call a plain one with `envido`, a real or a falta envido with
    `real` points more, `loose` of them with any number. That is an assumption.
    """

    bluff: tuple[float, float, float] = (0.05, 0.02, 0.02)
    call: tuple[float, float, float] = (1.04, 1.06, 1.06)
    call_width: float = 0.05
    stand: float = 0.02
    accept: tuple[float, float, float] = (0.36, 0.6, 0.6)
    accept_width: float = 0.1
    envido: float = 26.5
    real: float = 3.0
    envido_width: float = 1.5
    loose: float = 0.05

    def row(self) -> NDArray[np.float64]:
        """Return the numbers in the order that `playouts` takes them in."""
        calls = (*self.bluff, *self.call, self.call_width)
        accepts = (self.stand, *self.accept, self.accept_width)
        return np.array([*calls, *accepts, self.envido, self.real, self.envido_width, self.loose])


FITTED: Final = Habits()


@dataclass(frozen=True)
class TeamOption:
    """One action, as far as play-outs tell; the names are those of `solver.live.Option`.

    `points` are net points of the hero's side from here on, `error` their standard error from sampling alone; `win` is the chance to
    win the hand, or the game before its end (half where nobody does), from `low` to `high` at 95 %, again by sampling alone;
    `match` is the match-winning chance, None without a match equity. A heuristic mixes nothing, so `frequency` is None.
    """

    action: str
    frequency: None
    points: float
    match: float | None
    win: float
    error: float
    low: float
    high: float


@dataclass(frozen=True)
class TeamAdvice:
    """A decision at a table of four or six, estimated.

    `left_out` are legal actions that are not valued: words of an envido or a flor, and calls that put a card forward. `samples`
    deals were drawn, worth `effective` equally likely ones once weighed. `take` is the take point of a truco that waits for the
    hero's side; `partners` the seats of partners whose cards were known in part at least.
    """

    hand: Hand
    hero: int
    status: Literal["heuristic"]
    options: tuple[TeamOption, ...]
    left_out: tuple[str, ...]
    take: TakePoint | None
    samples: int
    effective: float
    seconds: float
    partners: tuple[int, ...]

    @property
    def best(self) -> TeamOption:
        """The action that is worth most, in chances to win the match where they are known."""
        return max(self.options, key=lambda option: option.points if option.match is None else option.match)

    def option(self, action: str) -> TeamOption | None:
        """Return an option by its word, or None."""
        return next((option for option in self.options if option.action == action), None)

    @property
    def win_if_quiero(self) -> float | None:
        """The chance to win the hand if the hero accepts the truco that waits, None if none waits for his side."""
        accepted = self.option("quiero")
        return None if self.take is None or accepted is None else accepted.win


def advise_team(
    hand: Hand,
    hero: int,
    *,
    partner_cards: Mapping[int, Cards] | Cards | None = None,
    match: MatchEquity | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    habits: Habits = FITTED,
    open_cards: int = OPEN_CARDS,
    seconds: float | None = None,
) -> TeamAdvice | Live:
    """Return what every action of a player of four or six comes to, as he sees the hand; a `Live` in a duel of pica-pica.

    `partner_cards` are the cards his partners were dealt, as far as he knows them (signs): by seat, or those of his partner at a table
    of four; `?` for one he does not know. By default they are what the deal names, unless it names a rival's card as
    well: then it is a log of everybody, not what he saw. Equal arguments give equal advice. `seconds` is for the solver of a duel. Raises
    `SolverError` where nothing can be advised.

    >>> hand = Hand.deal("argentino", ["1e 7e 3b", None, None, None]).play("0 3b", "1 4b", "2 4c", "3 4e", "0 1e")
    >>> advice = advise_team(hand.play("1 truco"), 0, samples=20)
    >>> advice.status, advice.best.action, advice.win_if_quiero
    ('heuristic', 'retruco', 1.0)
    """
    begun = time.perf_counter()
    check_table(hand, hero, samples)
    if hand.duel is not None:
        return evaluate(
            *duel_of_two(hand, hero), match=None if match is None else duel_worth(match, hand, hero), seconds=seconds
        )
    view, partners = seen_by(hand, hero, partner_cards)
    codes, left_out = actions_of(view, hero)
    masks, first, count, unknown = candidates(view, hero)
    moments, seats, verbs = calls_before(view, hero)
    states, row, cards = view.kernel
    powers = np.zeros(40, np.int64)
    fill_powers(cards, powers)
    hands, weights = np.zeros((samples, 6), np.int64), np.zeros(samples)
    ends, n_ends = np.zeros((samples, len(codes), 2, 5)), np.zeros((samples, len(codes)), np.int64)
    drawn = sample(
        states, moments, seats, verbs, row, cards, powers, habits.row(), seeded("team", seed), masks, first, count, unknown, hero,
        np.array(codes, np.int64), open_cards, hands, weights, ends, n_ends,
    )  # fmt: skip
    if not drawn or weights.sum() <= 0:
        raise SolverError(NONE_LEFT)
    # Shares sum to one but for rounding, which is rounded off below: a sure hand is sure.
    share = weights / weights.sum()
    effective = float(1 / (share**2).sum())
    worth, now = None if match is None else match.worth(view), view.settled().score
    score = None if now is None else (now[team(hero)], now[1 - team(hero)])
    sign = 1 if team(hero) == 0 else -1
    options = []
    for k, code in enumerate(codes):
        chance = ends[:, k, :, CHANCE] * (np.arange(2) < n_ends[:, k, None])
        net = (chance * (ends[:, k, :, WON_0] - ends[:, k, :, WON_1])).sum(axis=1) * sign
        won = 0.5 + (chance * ends[:, k, :, RESULT]).sum(axis=1) * sign / 2
        equity = None
        if worth is not None:
            by_end = worths(ends[:, k], worth)
            equity = round(0.5 + sign * float(share @ (chance * by_end).sum(axis=1)), 12)
        mean, win = round(float(share @ net), 12), min(max(round(float(share @ won), 12), 0.0), 1.0)
        error = math.sqrt(float((share**2) @ (net - mean) ** 2))
        options.append(
            TeamOption(event_name(code), None, mean, equity, win, error, *wilson(win * effective, effective))
        )
    return TeamAdvice(
        view, hero, "heuristic", tuple(options), left_out, take_point(view, hero, match, score), samples, effective,
        time.perf_counter() - begun, partners,
    )  # fmt: skip


def check_table(hand: Hand, hero: int, samples: int) -> None:
    """Raise `SolverError` for a hand that no player of four or six decides on, or whose own cards the hero's record lacks."""
    if hand.seats == 2:
        raise SolverError("a hand between two is for the solver, see `solver.live.evaluate`")
    if not 0 <= hero < hand.seats:
        raise SolverError(f"there is no seat {hero} at a table of {hand.seats}; seats count from 0")
    if hand.over:
        raise SolverError("the hand is over: there is nothing to advise")
    if "?" in hand.dealt(hero):
        raise SolverError(f"the cards of the hero (seat {hero}) must be known; write them in the deal")
    if samples < 2:
        raise SolverError(f"advice needs 2 deals or more, not {samples}")


def seen_by(hand: Hand, hero: int, partner_cards: Mapping[int, Cards] | Cards | None) -> tuple[Hand, tuple[int, ...]]:
    """Return the hand as the hero sees it, with what he knows of his partners' cards, and whose these are."""
    view = Position(hand, hero, "advice").hero_view()
    mates = [seat for seat in range(hand.seats) if seat != hero and team(seat) == team(hero)]
    told: dict[int, list[str]] = {}
    if partner_cards is None:
        written = [text or "" for text in hand.record.deal]
        if all(set(words(written[seat])) <= {"?"} for seat in range(hand.seats) if team(seat) != team(hero)):
            told = {seat: hand.dealt(seat) for seat in mates}
    elif isinstance(partner_cards, Mapping):
        told = {seat: words(cards) for seat, cards in partner_cards.items()}
    elif len(mates) == 1:
        told = {mates[0]: words(partner_cards)}
    else:
        raise SolverError("with two partners, give their cards by seat: {2: '1e ? ?'}")
    if strange := sorted(set(told) - set(mates)):
        raise SolverError(f"seat {strange[0]} is no partner of seat {hero}")
    told = {seat: cards for seat, cards in told.items() if set(cards) - {"?"}}
    if not told:
        return view, ()
    deal = list(view.record.deal)
    for seat, cards in told.items():
        deal[seat] = " ".join([*cards, *["?"] * (HAND_SIZE - len(cards))])
    return Hand.from_record(view.record.but(deal=deal)), tuple(sorted(told))


def words(cards: Cards) -> list[str]:
    """Return cards given as one text or several."""
    return cards.split() if isinstance(cards, str) else list(cards)


def actions_of(view: Hand, hero: int) -> tuple[list[int], tuple[str, ...]]:
    """Return the codes of the hero's actions that can be valued, and the words of the others."""
    codes, left_out = [], []
    for seat, code in view.actions():
        verb = code & VERB_MASK
        if seat != hero:
            continue
        unvalued = ENVIDO <= verb <= FALTA or FLOR <= verb <= AL_RESTO or verb in (DECLARE, BUENAS, ASK_COUNT)
        if view.state()["special"] == NOBODY and (unvalued or (verb >= RAISE and code >> VERB_BITS)):
            left_out.append(event_name(code))
        else:
            codes.append(code)
    if not codes:
        asked = "has only words of the envido or the flor to say" if left_out else "has nothing to decide"
        raise SolverError(f"{view.players[hero]} (seat {hero}) {asked}")
    return codes, tuple(left_out)


def candidates(
    view: Hand, hero: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return every hand that each seat with unknown cards may have been dealt: all of them, where each seat's begin, how many, the seats."""
    hands = hands_at(view)
    dealt = [mask_of(card for card in view.dealt(seat) if card != "?") for seat in range(view.seats)]
    unknown = [seat for seat in range(view.seats) if seat != hero and "?" in view.dealt(seat)]
    found = []
    for seat in unknown:
        others = sum(dealt[other] for other in range(view.seats) if other != seat)
        fits = hands.masks & (dealt[seat] | others) == dealt[seat]
        for honest in (True, False):
            fine = fits & Known.of(view, seat, honest=honest).possible(hands)
            if fine.any():
                break
        else:
            raise SolverError(f"no hand of {view.players[seat]} (seat {seat}) agrees with what is known")
        found.append(hands.masks[fine])
    count = np.array([len(some) for some in found], np.int64)
    every = np.concatenate(found) if found else np.zeros(0, np.int64)
    return every, np.cumsum(count) - count, count, np.array(unknown, np.int64)


def calls_before(view: Hand, hero: int) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """Return the states before the others' calls and acceptances, who spoke, and the verbs."""
    moments, seats, verbs = [view.kernel[0][:1]], [], []
    for before, text in zip(positions(view.record), view.events, strict=True):
        seat, code = parse_event(text, view.rules)
        verb = code & VERB_MASK
        state = before.kernel[0][:1]
        accepts = waiting(state[0]) == TRUCO_CALL and team(int(state[0].truco_seat)) != team(seat)
        if seat == hero or verb == COVER or (verb == PLAY and not accepts):
            continue
        if verb >= RAISE or verb in (PLAY, QUIERO) or ENVIDO <= verb <= FALTA:
            moments.append(state)
            seats.append(seat)
            verbs.append(verb)
    return np.concatenate(moments)[1:], np.array(seats, np.int64), np.array(verbs, np.int64)


def worths(ends: NDArray[np.float64], worth: Any) -> NDArray[np.float64]:
    """Return what some ends of a hand (deals, 2, 5) are worth to team 0."""
    kinds, which = np.unique(ends[..., [WON_0, WON_1, GAME]].reshape(-1, 3), axis=0, return_inverse=True)
    found: NDArray[np.float64] = worths_of(kinds, worth)[which.ravel()].reshape(ends.shape[:-1])
    return found


def take_point(view: Hand, hero: int, match: MatchEquity | None, score: tuple[int, int] | None) -> TakePoint | None:
    """Return the chance to win the hand that accepting the truco that waits for the hero's side needs, None if none does.

    `score` has the hero's side first.
    """
    states, row, _ = view.kernel
    state = states[0]
    if waiting(state) != TRUCO_CALL or team(int(state.truco_seat)) == team(hero):
        return None
    accepted, refused = int(row.worth[int(state.pending)]), int(row.worth[int(state.level)])
    linear = (accepted - refused) / (2 * accepted)
    chance = None
    if match is not None and score is not None and max(score) < match.target:
        chance = match.take_point(*score, accepted, refused, int(1 - team(view.mano) != team(hero)))
    word = view.rules.ladder[int(state.pending) - 1][0]
    return TakePoint(word, accepted, refused, linear, chance)


def duel_of_two(hand: Hand, hero: int) -> tuple[Hand, int]:
    """Return the duel of pica-pica under way as a hand of two whose mano is seat 0, and the hero's seat in it.

    What earlier duels have shown is not known to it. Raises `SolverError` if the hero is not in the duel.
    """
    record = hand.record
    members = (hand.mano, (hand.mano + 3) % 6)
    if hero not in members:
        raise SolverError(f"{hand.players[hero]} (seat {hero}) is not in the duel under way")
    seats = {seat: at for at, seat in enumerate(members)}
    start: Hand | None = None
    events = []
    for before, text in zip(positions(record), record.events, strict=True):
        if before.duel == hand.duel:
            start = start or before
            seat, _, word = text.partition(" ")
            events.append(f"{seats[int(seat)]} {word}")
    score = (start or hand).score
    if score is None:
        raise SolverError("nobody knows the score of this duel: points were won whose owner is unknown")
    if hand.rules.pica_falta is not None and any(text.endswith("falta-envido") for text in events):
        raise SolverError("a falta envido is worth a fixed number in this duel, which a hand of two does not know")
    if team(hand.mano) == 1:
        score = score[1], score[0]
    spec = hand.rules.spec()
    two = {"base": spec} if isinstance(spec, str) else dict(spec)
    rules = hand.rules if 2 in hand.rules.players else rules_of(two | {"players": [2, *hand.rules.players]})
    deal = [record.deal[seat] if seat == hero else None for seat in members]
    return Hand.deal(rules, deal, dealer=1, score=score, turned=hand.turned).play(*events), seats[hero]


def duel_worth(match: MatchEquity, hand: Hand, hero: int) -> Any:
    """Return the worth of the ends of a duel, by the score that follows it, as if the next hand came then."""
    return match.worth(duel_of_two(hand, hero)[0])


__all__ = ["FITTED", "Habits", "TeamAdvice", "TeamOption", "advise_team"]
