"""What people did in such a spot, and what came of it: a position looked up in a dataset.

The most exact class of comparable decisions that has enough of them is taken, see `classes`. Decisions of the match that the position
comes from never count, and with `before` none that were made later.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from trucostats.advisor.classes import Situation, situation_of
from trucostats.advisor.intervals import wilson
from trucostats.advisor.position import Position
from trucostats.dataset import Filters, connect, fetch
from trucostats.errors import PositionError
from trucostats.kernel.params import STRENGTH
from trucostats.vocab import CARDS

LEAST: Final = 30
Selection = Literal["none", "all-known", "shown-only"]
About = Literal["truco", "envido", "card"]
ACCEPTED: Final = ("quiero", "raise")


@dataclass(frozen=True, slots=True)
class Rate:
    """Cases `x` of `n` opportunities with the Wilson 95 % interval, None without an opportunity.

    >>> Rate.of(3, 4).low
    0.30064...
    """

    x: int
    n: int
    low: float | None
    high: float | None

    @classmethod
    def of(cls, x: int, n: int) -> Rate:
        """Return the rate of some cases with its interval."""
        if not n:
            return cls(x, n, None, None)
        return cls(x, n, *wilson(x, n))

    @property
    def rate(self) -> float | None:
        """The share, None without an opportunity."""
        return self.x / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of `n` numbers of points, their standard deviation and the standard error; None where there are too few."""

    n: int
    mean: float | None
    sd: float | None
    se: float | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found. `x` of `n` is the answer to `question`, in the class that `where` names.

    `did` is how often each thing was done: quiero, no-quiero and raise for an answer (a card played on is a quiero, leaving the hand
    a no-quiero), call and other for a chance to call, highest, middle and lowest for a card. `won` is how often those who said quiero
    won: the hand, or the envido; of a call, the caller once it was accepted. `folded` is how often the rival gave way to the raise,
    or to the call. `points` are points of that family in the hand, won less lost, by what was done. `names` are those who decided
    most often. `selection` says whether the cards that the class asks for were known of all: `shown-only` is biased. `ladder` is n of
    every class, from the most exact on; `level` the place of the chosen one. `reason` says why there is no number.
    """

    question: str
    where: str
    x: int
    n: int
    low: float | None
    high: float | None
    did: dict[str, Rate]
    won: Rate
    folded: Rate
    points: dict[str, Mean]
    players: int
    matches: int
    names: tuple[tuple[str, int], ...]
    selection: Selection
    level: int
    ladder: tuple[tuple[str, int], ...]
    without_match: str | None
    before: str | None
    reason: str | None

    @property
    def rate(self) -> float | None:
        """The share, None without an opportunity."""
        return self.x / self.n if self.n else None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON, with the rate next to its numbers."""
        plain = asdict(self)
        plain["rate"] = self.rate
        plain["names"] = [{"name": name, "n": n} for name, n in self.names]
        plain["ladder"] = [{"where": where, "n": n} for where, n in self.ladder]
        return plain


def evidence(
    dataset_dir: Path | str,
    position: Position,
    *,
    about: About | None = None,
    before: str | date | None = None,
    as_of_hand: bool = False,
    player: str | None = None,
    least: int = LEAST,
) -> Evidence:
    """Return what people did in a spot like this, in the most exact class with at least `least` decisions, or the widest.

    `about` says which chance is meant where the hero is in turn: truco, envido or card, by default the first that he has. Only hands
    dealt `before` a time count if it is given, or before the hand itself with `as_of_hand`; hands without a time do not count then.
    `player` looks at the decisions of one player. The match of the position never counts. Raises `PositionError`, `DatasetError`
    and `QueryError`.

    >>> from trucostats.advisor.position import position_from
    >>> spot = position_from(hand="7c 5c 12e", events="0 truco", seat=1)
    >>> evidence("logs/tables", spot).where  # doctest: +SKIP
    'truco to the pie, first trick, hand in the 2nd strength decile, 3 cards left, argentino, two players'
    """
    if as_of_hand:
        if position.at is None:
            raise PositionError(f"{position.source}: the record has no time `at`; say before which day instead")
        if before is not None:
            raise PositionError("a day and the time of the hand itself exclude each other; give one of them")
        before = position.at
    situation = situation_of(position, about)
    if situation is None:
        return _nothing(position, about, before)
    filters = Filters(player=player, until=before)
    connection = connect(dataset_dir, filters=filters, comments=False)
    try:
        rows = fetch(connection, _query(situation.answers), _params(situation, position)).to_pylist()
    finally:
        connection.close()
    return _evidence(situation, rows, position, least, before)


@lru_cache(maxsize=2)
def _query(answers: bool) -> str:
    folder = resources.files(__package__)
    seen = folder.joinpath("answers.sql" if answers else "turns.sql").read_text("utf-8")
    return f"WITH seen AS (\n{seen}),\n{folder.joinpath('classes.sql').read_text('utf-8')}"


def _params(situation: Situation, position: Position) -> dict[str, Any]:
    params = situation.params() | {"without_match": position.match}
    if situation.answers:
        return params
    _, _, cards = position.hand.kernel
    # Where a card is turned, the order of the cards is another in every hand.
    fixed = position.hand.turned is None
    levels: list[int] = np.asarray(cards[STRENGTH]).tolist()
    return params | {"order": list(CARDS) if fixed else [""], "levels": levels if fixed else [0]}


def _evidence(
    situation: Situation, rows: list[dict[str, Any]], position: Position, least: int, before: str | date | None
) -> Evidence:
    steps = situation.ladder()
    counts = [sum(row["n"] for row in rows if row["place"] == place) for place in range(len(steps))]
    level = next((place for place, n in enumerate(counts) if n >= least), len(steps) - 1)
    found = {row["did"]: row for row in rows if row["place"] == level}
    any_row: dict[str, Any] = next(iter(found.values()), {"players": 0, "matches": 0, "names": [], "unknown": 0})
    n = counts[level]
    wanted = ACCEPTED if situation.answers else ("highest",) if situation.about == "card" else ("call",)
    asked = Rate.of(sum(found[did]["n"] for did in wanted if did in found), n)
    by_cards = steps[level].within >= 0 or steps[level].envido_within >= 0
    chosen = found.get("quiero" if situation.answers else wanted[0])
    raised = found.get("raise" if situation.answers else "call")
    return Evidence(
        question=_question(situation),
        where=situation.where(steps[level]),
        x=asked.x, n=asked.n, low=asked.low, high=asked.high,
        did={did: Rate.of(row["n"], n) for did, row in found.items()},
        won=Rate.of(chosen["won_x"], chosen["won_n"]) if chosen else Rate.of(0, 0),
        folded=Rate.of(raised["folded_x"], raised["folded_n"]) if raised else Rate.of(0, 0),
        points={did: Mean(row["net_n"], row["mean"], row["sd"], row["se"]) for did, row in found.items()},
        players=any_row["players"], matches=any_row["matches"], names=tuple((who["name"], who["n"]) for who in any_row["names"]),
        selection="none" if not by_cards else "shown-only" if any_row["unknown"] else "all-known",
        level=level,
        ladder=tuple(zip(map(situation.where, steps), counts, strict=True)),
        without_match=position.match, before=None if before is None else str(before),
        reason=None if n else "the dataset has no comparable decision",
    )  # fmt: skip


def _question(situation: Situation) -> str:
    if situation.answers:
        return f"how often is {'an' if situation.word == 'envido' else 'a'} {situation.word} accepted or raised"
    if situation.about == "card":
        return "how often is the highest card played"
    return f"how often is {'any envido' if situation.about == 'envido' else situation.word} called"


def _nothing(position: Position, about: About | None, before: str | date | None) -> Evidence:
    if position.hand.duel is not None:
        reason = "pica-pica is not compared"
    elif position.kind == "turn" and about is not None:
        reason = f"{about} is not possible here"
    else:
        what = {"special": "a special hand", "declare": "saying one's number"}.get(
            position.kind, "acting where others have to"
        )
        reason = f"no table tells of {what}"
    none = Rate.of(0, 0)
    day = None if before is None else str(before)
    return Evidence("", "", 0, 0, None, None, {}, none, none, {}, 0, 0, (), "none", 0, (), position.match, day, reason)
