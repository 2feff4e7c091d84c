"""Simulated logs of any rule set: seeded, legal, complete; optionally as one player saw them, optionally with faults.

The players are those of `policies`. The same arguments give the same bytes on every platform, and the first matches of a longer
simulation are those of a shorter one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from trucostats.chance import seeded
from trucostats.errors import RulesError, did_you_mean
from trucostats.faults import faulty
from trucostats.games import EVENT_ROOM, GAME_ROW, TABLE_FIELDS, play_game
from trucostats.kernel.params import NO_TURNED, card_tables, rules_row
from trucostats.kernel.state import COVER, RAISE, blank_states
from trucostats.policies import POLICIES
from trucostats.record import to_json
from trucostats.rules import Rules, rules_of
from trucostats.series import NO_FORMAT, PICA_POLICIES, SERIES, match_winner
from trucostats.vocab import CARDS, FORMATS, NO_CARD, VERB_BITS, VERB_MASK, event_name, pack

NAMES: Final = ("ana", "ben", "cora", "dino", "elsa", "fito")
HANDS_AT_ONCE: Final = 64
SIX: Final = 6
HAND_FIELDS: Final = ("dealer", "turned", "format", "score", "points", "deal", "shown", "event_end")


class _EventTexts(dict[tuple[int, int], str]):
    """The JSON text of an event, by seat and code."""

    def __missing__(self, key: tuple[int, int]) -> str:
        text = self[key] = f'"{key[0]} {event_name(key[1])}"'
        return text


_EVENT_TEXTS: Final = _EventTexts()


def simulate(
    rules: str | Mapping[str, Any] | Rules = "argentino",
    *,
    matches: int | None = None,
    hands: int | None = None,
    players: int | None = None,
    seed: int = 0,
    policy: str | Sequence[str] = "plain",
    names: Sequence[str] | None = None,
    series: str | None = None,
    view: int | None = None,
    faults: float = 0.0,
    match: str = "sim",
) -> Iterator[bytes]:
    """Yield canonical record lines (no line break) of simulated matches, each played to its end.

    Give `matches`, or `hands` to stop after so many deals (the last match is then unfinished), or neither for one match. `players`
    defaults to the fewest the rules allow. `policy` is one of `policies.POLICIES`, or one for each seat. `series` is one of
    `series.SERIES`, or None for matches of one game. `view` hides the cards that this seat never saw. `faults` is the share of
    lines that get a fault (see `faults.faulty`). Matches are called `match-seed-number`. Raises `ValueError` or `RulesError` for
    arguments that do not go together.

    >>> (line,) = simulate("argentino", hands=1, seed=7, policy="envido")
    >>> print(line[line.index(b'"deal"'):].decode())
    "deal":["6e 11c 2c","12c 11e 7o"],"events":["0 envido","1 quiero","0 22","1 7","0 11c","1 11e","0 2c","1 12c"],"points":[3,0]}
    """
    rules = rules if isinstance(rules, Rules) else rules_of(rules)
    seats = rules.players[0] if players is None else players
    if seats not in rules.players:
        raise RulesError(f"{rules.name} is not played by {seats}; it is by {', '.join(map(str, rules.players))}")
    names = NAMES[:seats] if names is None else tuple(names)
    if len(names) != seats or len(set(names)) != seats:
        raise ValueError(f"{seats} players need {seats} different names, not {list(names)}")
    if view is not None and not 0 <= view < seats:
        raise ValueError(f"there is no seat {view} at a table of {seats}; seats count from 0")
    if series is not None and series not in SERIES:
        raise ValueError(f"there is no series {series!r}; it is {' or '.join(SERIES)}")
    if matches is None and hands is None:
        matches = 1
    table = _Table(rules, seats, _policies(policy, seats), names, view)
    lines = _matches(table, matches, hands, seed, series, match)
    if not faults:
        return lines
    return (line for line, _ in faulty(lines, faults, seed))


def _policies(policy: str | Sequence[str], seats: int) -> list[int]:
    chosen = [policy] * seats if isinstance(policy, str) else list(policy)
    if len(chosen) != seats:
        raise ValueError(f"{seats} players need one policy or {seats}, not {len(chosen)}")
    for name in chosen:
        if name not in POLICIES:
            raise ValueError(
                f"there is no policy {name!r}{did_you_mean(name, POLICIES)} (known: {', '.join(POLICIES)})"
            )
    return [list(POLICIES).index(name) for name in chosen]


def _matches(
    table: _Table, matches: int | None, hands: int | None, seed: int, series: str | None, name: str
) -> Iterator[bytes]:
    left = hands
    number = 0
    while (matches is None or number < matches) and (left is None or left > 0):
        number += 1
        rng = seeded(seed, table.rules.name, number)
        match = f"{name}-{seed}-{number:04d}"
        winners: list[int | None] = []
        dealer = table.first_dealer(rng)
        while left is None or left > 0:
            for line in table.game(match, len(winners) + 1, rng, dealer, left):
                yield line
                if left is not None:
                    left -= 1
            winners.append(table.winner)
            if series is None or match_winner(series, winners) is not None:
                break
            dealer = table.dealer


class _Table:
    """Everything that stays the same from hand to hand, prepared once."""

    def __init__(self, rules: Rules, seats: int, policy: list[int], names: Sequence[str], view: int | None) -> None:
        self.rules, self.seats, self.view = rules, seats, view
        self.row, self.cards = rules_row(rules)[0], card_tables(rules)
        self.pica = PICA_POLICIES.index(rules.pica_policy)
        self.policy = np.array([*policy, *[0] * (6 - seats)], np.int64)
        self.blank = blank_states()
        self.hands = np.zeros(HANDS_AT_ONCE, GAME_ROW)
        self.event_seat = np.zeros(HANDS_AT_ONCE * EVENT_ROOM, np.int64)
        self.event_code = np.zeros(HANDS_AT_ONCE * EVENT_ROOM, np.int64)
        self.words = f',"rules":{_json(rules.spec())},"players":{_json(list(names))},"dealer":'
        self.winner: int | None = None
        self.dealer = 0

    def first_dealer(self, rng: Any) -> int:
        """Return the seat that deals first."""
        return int(rng[0]) % self.seats

    def game(self, match: str, game: int, rng: Any, dealer: int, most: int | None) -> Iterator[bytes]:
        """Play a game and yield its lines; `winner` and `dealer` (of the next game) are set at its end."""
        state = np.zeros(len(TABLE_FIELDS), np.int64)
        state[0], state[3] = dealer, NO_FORMAT
        head = f'{{"v":1,"match":{_json(match)},"game":{game},"hand":'
        played = 0
        over = False
        while not over and (most is None or played < most):
            room = HANDS_AT_ONCE if most is None else min(HANDS_AT_ONCE, most - played)
            n = play_game(
                self.row, self.cards, self.seats, int(self.rules.turns_card), self.pica, self.policy, rng, state, self.blank,
                self.hands[:room], self.event_seat, self.event_code,
            )  # fmt: skip
            if n < 0:
                raise RuntimeError(f"a policy chose an event that the rules forbid (code {-1 - n})")
            fields = (self.hands[name][:n].tolist() for name in HAND_FIELDS)
            end = int(self.hands["event_end"][n - 1])
            events = list(zip(self.event_seat[:end].tolist(), self.event_code[:end].tolist(), strict=True))
            start = 0
            for deals, turned, form, score, points, deal, shown, stop in zip(*fields, strict=True):
                played += 1
                happened = events[start:stop]
                start = stop
                if self.view is not None:
                    deal, happened = self.seen(deal, happened, shown)
                words = ",".join([_EVENT_TEXTS[event] for event in happened])
                dealt = ",".join([_hand_text(hand) for hand in deal[: self.seats]])
                more = f',"turned":"{CARDS[turned]}"' if turned != NO_TURNED else ""
                if self.seats == SIX:
                    more += f',"format":"{FORMATS[form]}"'
                yield (
                    f'{head}{played}{self.words}{deals},"score":[{score[0]},{score[1]}]{more},"deal":[{dealt}],'
                    f'"events":[{words}],"points":[{points[0]},{points[1]}]}}'
                ).encode()
            over = bool(self.hands["over"][n - 1])
        self.winner = int(self.hands["winner"][n - 1]) if over else None
        self.dealer = int(state[0])

    def seen(self, deal: list[list[int]], events: list[Any], shown: list[int]) -> tuple[list[list[int]], list[Any]]:
        """Return the deal and the events of a hand as the seat of `view` saw them."""
        hidden = [
            [card if seat == self.view or card < 0 or shown[seat] >> card & 1 else NO_CARD for card in hand]
            for seat, hand in enumerate(deal)
        ]
        kept = []
        for seat, code in events:
            verb, argument = code & VERB_MASK, code >> VERB_BITS
            if seat != self.view and verb == COVER:
                code = pack("cover", NO_CARD)
            elif seat != self.view and verb >= RAISE and argument and not shown[seat] >> (argument - 1) & 1:
                code = verb
            kept.append((seat, code))
        return hidden, kept


def _json(value: Any) -> str:
    return to_json(value).decode()


def _hand_text(cards: list[int]) -> str:
    held = [card for card in cards if card >= 0]
    if all(card == NO_CARD for card in held):
        return "null"
    return '"' + " ".join(["?" if card == NO_CARD else CARDS[card] for card in held]) + '"'
