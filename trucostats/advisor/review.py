"""What a log says of how well its players decided: every decision of hands of two, its loss, and the rates of each player.

A decision is judged as the acting player saw it, against a rival who plays the equilibrium, never by how the hand came out. What cannot be evaluated is
kept with a reason in words. See `grades` for the marks and `losses` for what counts as a decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from trucostats.advisor.grades import KINDS, METRIC, THRESHOLDS, Rate, accuracy, pr
from trucostats.advisor.losses import Decision, Effort, Judge
from trucostats.advisor.luck import deal_values
from trucostats.advisor.position import Position
from trucostats.errors import IllegalEvent, NotationError
from trucostats.hand import Hand
from trucostats.logs import read_records
from trucostats.record import ABSENT, Record
from trucostats.words import canonical_event

WORST: Final = 10
Placed = tuple[str, int, Record | NotationError]


@dataclass(frozen=True, slots=True)
class HandResult:
    """What a hand brought a player: net points in all and of the truco, and the luck of his deal (None where it is not known)."""

    player: str
    net: int | None
    truco: int
    luck: float | None


@dataclass(frozen=True, slots=True)
class Unread:
    """A line, or the rest of one, that was not reviewed, and why."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """The account of one player.

    `decisions` = `evaluated` + `forced` + the sum of `skipped`, which is by reason. `rates` are millipoints per decision by kind, and `overall`
    of all; standard errors suppose decisions that do not depend on each other. `net` and `truco` are points of the whole hand and of its truco over
    `hands`; `luck` is over the `lucky` hands for which it is known, `adjusted` their truco result less luck.
    """

    player: str
    hands: int
    decisions: int
    evaluated: int
    forced: int
    skipped: dict[str, int]
    rates: dict[str, Rate]
    overall: Rate
    marks: dict[str, int]
    pr: float | None
    accuracy: float | None
    match_loss: float | None
    net: int
    truco: int
    lucky: int
    luck: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class Review:
    """Every decision of a log in order, what the hands brought, and what was not read."""

    decisions: tuple[Decision, ...]
    results: tuple[HandResult, ...]
    unread: tuple[Unread, ...]

    def worst(self, count: int = WORST, player: str | None = None) -> list[Decision]:
        """Return the decisions that lost most, by normalised loss, those without any loss left out."""
        found = [d for d in self.decisions if (d.normal or 0.0) > 0 and player in (None, d.player)]
        return sorted(found, key=lambda d: -(d.normal or 0.0))[:count]

    def players(self) -> list[PlayerReview]:
        """Return the account of every player, by name."""
        return [
            self.player(name) for name in sorted({d.player for d in self.decisions} | {r.player for r in self.results})
        ]

    def player(self, name: str) -> PlayerReview:
        """Return the account of one player."""
        own = [d for d in self.decisions if d.player == name]
        done = [d for d in own if d.loss is not None]
        losses = [d.loss or 0.0 for d in done]
        normal = [d.normal or 0.0 for d in done]
        forced = sum(d.status == "forced" for d in own)
        results = [r for r in self.results if r.player == name]
        lucky = [r for r in results if r.luck is not None]
        luck = sum(r.luck or 0.0 for r in lucky)
        known = [d.match_loss for d in done if d.match_loss is not None]
        return PlayerReview(
            name, len(results), len(own), len(done), forced,
            dict(Counter(d.reason or "" for d in own if d.loss is None and d.status != "forced")),
            {kind: Rate.of([d.loss or 0.0 for d in done if d.kind == kind]) for kind in KINDS},
            Rate.of(losses),
            {mark: sum(d.mark == mark for d in done) for mark, _ in reversed(THRESHOLDS)},
            pr(normal), accuracy(normal), sum(known) if known else None,
            sum(r.net or 0 for r in results), sum(r.truco for r in results),
            len(lucky), luck, sum(r.truco for r in lucky) - luck,
        )  # fmt: skip

    def to_dict(self, worst: int = WORST, player: str | None = None) -> dict[str, Any]:
        """Return the review as plain values for JSON."""
        accounts = [asdict(account) for account in self.players() if player in (None, account.player)]
        return {
            "metric": METRIC, "thresholds": dict(THRESHOLDS), "players": accounts,
            "worst": [d.to_dict() for d in self.worst(worst, player)],
            "decisions": [d.to_dict() for d in self.decisions if player in (None, d.player)],
            "unread": [asdict(line) for line in self.unread],
        }  # fmt: skip


def review(
    logs: str | Path | Sequence[str | Path],
    *,
    player: str | None = None,
    effort: Effort | None = None,
    tell: Callable[[int], None] = lambda _hands: None,
) -> Review:
    """Return the review of some logs; with `player`, of his decisions alone. Raises `DatasetError` for a log that is not there.

    A hand takes seconds; `tell` hears after each how many there were.
    """
    return review_records(read_records(logs), player=player, effort=effort, tell=tell)


def review_records(
    records: Iterable[Placed],
    *,
    player: str | None = None,
    effort: Effort | None = None,
    tell: Callable[[int], None] = lambda _hands: None,
) -> Review:
    """Return the review of records, each with the log and the line it is said to come from; see `review`.

    >>> from trucostats.notation import decode_line
    >>> record = decode_line(b'{"v":1,"match":"club","hand":1,"rules":"argentino","players":["ana","ben"],"dealer":1,"score":[0,0],'
    ...     b'"deal":["4b 5c 6e","1e 1b 7o"],"events":["0 6e","1 7o","1 truco","0 retruco","1 quiero","1 1b","0 4b","1 1e"]}')
    >>> found = review_records([("club.jsonl", 1, record)])
    >>> [(d.place, d.done, d.best, d.mark) for d in found.worst(1, "ana")]
    [('club.jsonl:1:3', 'retruco', 'no-quiero', 'very bad')]
    """
    decisions: list[Decision] = []
    results: list[HandResult] = []
    unread: list[Unread] = []
    for number, (file, line, record) in enumerate(records):
        tell(number)
        if isinstance(record, NotationError):
            unread.append(Unread(file, line, f"no record: {record}"))
            continue
        if player is not None and player not in record.players:
            continue
        try:
            start = Hand.from_record(record.but(events=[], points=ABSENT, times=ABSENT))
        except (IllegalEvent, NotationError) as error:
            unread.append(Unread(file, line, str(error)))
            continue
        hand = start
        try:
            for one in _followed(file, line, record, start, player, effort or Effort()):
                hand, found = one
                decisions += found
        except IllegalEvent as error:
            unread.append(Unread(file, line, f"reviewed up to {error}"))
            continue
        results += [result for result in _results(start, hand.settled()) if player in (None, result.player)]
    return Review(tuple(decisions), tuple(results), tuple(unread))


def _followed(
    file: str, line: int, record: Record, start: Hand, player: str | None, effort: Effort
) -> Iterator[tuple[Hand, Sequence[Decision]]]:
    """Yield the hand after each event, and the decisions of the event."""
    game = 1 if record.game is ABSENT else record.game
    place = {"file": file, "line": line, "match": record.match, "game": game, "hand": record.hand}
    judge, hand = Judge(start, place, effort), start
    for index, text in enumerate(record.events):
        after = hand.play(text)
        event = canonical_event(text, hand.rules)
        seat = int(event[0])
        wanted = player in (None, hand.players[seat])
        found = judge.decisions(Position(hand, seat, file, record.match, None, line, index, event), wanted)
        hand = after
        yield hand, found


def _results(start: Hand, end: Hand) -> Iterator[HandResult]:
    """Yield what a finished hand brought each of two players."""
    if start.seats != 2 or not end.over or end.void:
        return
    values = deal_values(start.rules, start.turned)
    mano = start.mano
    luck = None
    if values is not None:
        hands = [start.dealt(seat) for seat in (mano, 1 - mano)]
        if all("?" not in cards for cards in hands):
            luck = values.luck(*hands)
    truco = end.points["truco"] or (0, 0)
    for seat in (0, 1):
        net = None
        if end.score is not None and start.score is not None:
            won = [after - before for after, before in zip(end.score, start.score, strict=True)]
            net = won[seat] - won[1 - seat]
        sign = 1 if seat == mano else -1
        yield HandResult(start.players[seat], net, truco[seat] - truco[1 - seat], None if luck is None else sign * luck)


__all__ = ["HandResult", "PlayerReview", "Review", "Unread", "review", "review_records"]
