"""Import of the UFSM base of human truco (Universidade Federal de Santa Maria): two players, gaúcho rules, to 24.

Three layouts are told apart by their header: tabs with a match id (`dbtrucocbr`), commas without one (`dbtrucoimitacao`), and
the second with tabs. One row is one hand; `trucostats.importers.ufsm_events` turns its columns into events.

What a record says beyond the notation stands in its `_ufsm`:

* `row`: idMao. `match`: idPartida as stored. `hand_winner`: the seat of quemGanhouTruco. `envido_points`: the numbers of both.
* `reconstructed`: parts the base does not record and the importer chose: `truco.place`, `truco.answer`, `envido.place`,
  `envido.order`, `envido.answer`, `envido.numbers`, `flor.place`, `flor.answer`, `fold.place`, `card.SEAT.TRICK` (a card
  whose code the base overwrote), `score` (a new game, counted from 0-0).
* `raw`: columns that could not be expressed, as stored.

Rows that contradict themselves are kept and told as IMPORT_CONTRADICTION; rows that cannot be a hand as IMPORT_SKIPPED.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from trucostats.errors import Finding, NotationError
from trucostats.importers.ufsm_checks import Score, check_results, check_score, claimed_points
from trucostats.importers.ufsm_events import Hand, reconstruct
from trucostats.importers.ufsm_facts import SEAT_NAMES, SIZE_NAMES, Cell, Facts, Raise, cell_name, suit_name

Rows = Literal["distinct", "unmirrored", "all"]

# The base lays cards face down from the first trick on, and plays a hand to its end though the envido has won the game.
RULES: Final[Mapping[str, Any]] = {"base": "gaucho", "covered_from": 1, "score_timing": "end_of_hand"}

# The published counts of the 165-column base (1,597 hands) leave out these ranges of idMao, where hands are stored again from
# the other side, with calls that do not fit them. No rule on the rows themselves gives just that set: 73 rows of the
# ranges have no twin in the file, and 20 rows of the part that is kept (1946 to 1966 without 1952) mirror rows before them.
TWIN_ROWS: Final = (range(972, 1946), range(2572, 3196))
KEPT_ROWS: Final = (range(1, 972), range(1946, 2572))

_SUITS: Final = {"ESPADAS": "e", "BASTOS": "b", "OURO": "o", "COPAS": "c"}
_DEALT: Final = [[f"carta{size}{player}" for size in SIZE_NAMES] for player in SEAT_NAMES]
_PLAYED: Final = [[cell_name(trick, seat) for trick in range(3)] for seat in (0, 1)]
_CARDS: Final = [name for names in (*_DEALT, *_PLAYED) for name in names]
_SCORES: Final = [f"tentos{when}{player}" for when in ("Anteriores", "Posteriores") for player in SEAT_NAMES]
_REQUIRED: Final = (
    *("idMao", "jogadorMao"),
    *_CARDS,
    *(suit_name(name) for name in _CARDS),
    *("quemTruco", "quemGanhouTruco", "tentosTruco"),
    *_SCORES,
)
_ENVIDO_COLUMNS: Final = (
    ("envido", "quemPediuEnvido"),
    ("envido", "quemEnvidoEnvido"),
    ("real-envido", "quemPediuRealEnvido"),
    ("falta-envido", "quemPediuFaltaEnvido"),
)
_FLOR_COLUMNS: Final = (
    ("flor", "quemFlor"),
    ("flor", "quemFlorFlor"),
    ("contraflor", "quemContraFlor"),
    ("contraflor-al-resto", "quemContraFlorResto"),
    ("contraflor-al-resto", "quemContraFlorFalta"),
)
_TRUCO_COLUMNS: Final = (("truco", "Truco"), ("retruco", "Retruco"), ("vale-cuatro", "ValeQuatro"))


@dataclass(slots=True)
class Imported:
    """One row of the base: its physical line, the record, and what is wrong with it.

    `record` is None for a row that is no hand (a finding says why) and for a mirror twin (`skipped` says of which line).
    """

    line: int
    record: dict[str, Any] | None
    findings: list[Finding] = field(default_factory=list)
    skipped: str | None = None


def read_ufsm(source: str | os.PathLike[str] | BinaryIO, *, rows: Rows = "distinct") -> Iterator[Imported]:
    """Yield the rows of a UFSM file in order, each as a record of the notation.

    Many hands are stored twice, once from each side. `rows` chooses: `distinct` leaves out the row ranges that the published
    counts leave out, `unmirrored` leaves out each row that mirrors an earlier one in deal and score, and `all` keeps everything.
    Raises `NotationError` if the header is not that of the base.
    """
    if isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as stream:
            yield from read_ufsm(stream, rows=rows)
        return
    text = io.TextIOWrapper(source, encoding="utf-8-sig", errors="replace", newline="")
    try:
        yield from _Reader(rows).read(text)
    finally:
        text.detach()


class _Row:
    """The cells of one row, read as numbers, seats and suits; what cannot be read becomes a problem."""

    def __init__(self, cells: Mapping[str, str], line: int) -> None:
        self.cells = cells
        self.line = line
        self.problems: list[str] = []

    def text(self, column: str) -> str | None:
        value = self.cells.get(column, "").strip().strip('"')
        return None if value in ("", "NULL") else value

    def number(self, column: str) -> int | None:
        value = self.text(column)
        if value is None:
            return None
        try:
            return int(value)
        except ValueError:
            self.problems.append(f"{column} is {value!r}, not a number")
            return None

    def seat(self, column: str) -> int | None:
        value = self.number(column)
        if value is None or value == 0:
            return None
        if value in (1, 2):
            return value - 1
        self.problems.append(f"{column} is {value}, not 0, 1 or 2")
        return None

    def suit(self, column: str) -> str | None:
        value = self.text(column)
        if value is None or value == "0":
            return None
        letter = _SUITS.get(value.upper())
        if letter is None:
            self.problems.append(f"{column} is {value!r}, not a suit")
        return letter

    def pair(self, column: str) -> tuple[int | None, int | None]:
        return self.number(f"{column}Robo"), self.number(f"{column}Humano")

    def key(self, mirrored: bool) -> tuple[str | None, ...]:
        """Return what a hand and its twin share (match, mano, dealt codes, scores), on request from the other side."""
        mano = self.text("jogadorMao")
        if mirrored:
            mano = {"1": "2", "2": "1"}.get(mano or "", mano)
        order = SEAT_NAMES[::-1] if mirrored else SEAT_NAMES
        names = [*(f"carta{size}" for size in SIZE_NAMES), "tentosAnteriores", "tentosPosteriores"]
        return self.text("idPartida"), mano, *(self.text(name + player) for name in names for player in order)


@dataclass(slots=True)
class _Match:
    """Where a match stands while its rows are read: its stored id, its name, the hands so far and the score after them."""

    stored: str
    name: str
    hand: int
    score: tuple[int | None, int | None]


class _Reader:
    """Reads the rows of one file."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.seen: dict[tuple[str | None, ...], int] = {}
        self.blocks: dict[str, int] = {}
        self.match: _Match | None = None

    def read(self, text: io.TextIOWrapper) -> Iterator[Imported]:
        header = text.readline().rstrip("\r\n")
        tabs = "\t" in header
        names = [name.strip().strip('"') for name in header.split("\t" if tabs else ",")]
        missing = [name for name in _REQUIRED if name not in names]
        if missing:
            counts = f"{len(missing)} of {len(_REQUIRED)} needed columns are missing"
            raise NotationError("MISSING_FIELD", f"not a UFSM base: no column {missing[0]!r} in the header ({counts})")
        # A quote means nothing in the layouts with tabs, and read as one it would swallow lines.
        reader = csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(text)
        while True:
            line = reader.line_num + 2
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield _unusable(line, f"the line cannot be read: {error}")
                continue
            if len(cells) == len(names):
                yield self._row(_Row(dict(zip(names, cells, strict=True)), line))
            elif cells:
                yield _unusable(line, f"the row has {len(cells)} columns where the header names {len(names)}")

    def _row(self, row: _Row) -> Imported:
        twin = None
        if "idPartida" in row.cells:
            twin = self.seen.get(row.key(mirrored=True))
            self.seen.setdefault(row.key(mirrored=False), row.line)
        number, mano, before = row.number("idMao"), row.seat("jogadorMao"), row.pair("tentosAnteriores")
        left_out = self._left_out(row.line, number, twin)
        if left_out is not None:
            return left_out
        if number is None or mano is None or before[0] is None or before[1] is None or min(before[0], before[1]) < 0:
            names = ("idMao", "jogadorMao", "tentosAnterioresRobo", "tentosAnterioresHumano")
            cells = ", ".join(f"{name} {row.text(name) or 'NULL'}" for name in names)
            return _unusable(row.line, f"the row is no hand without numbers in all of {cells}")
        facts = _facts(row, mano)
        hand = reconstruct(facts)
        stored, after = (before[0], before[1]), row.pair("tentosPosteriores")
        # The first hand of a game is stored under the match before it, with the final score of that as the score before.
        fresh = any(new is not None and new < old for new, old in zip(after, stored, strict=True))
        score = (0, 0) if fresh else stored
        match = self._advance(row, number, score, after, fresh)
        wrong = [
            *row.problems,
            *hand.notes.contradictions,
            *check_results(facts, hand, score),
            *check_score(facts, stored, score, after),
        ]
        if twin is not None:
            wrong.append(f"the row mirrors the row at line {twin}: the same hand, stored from the other side")
        return Imported(
            row.line,
            _record(row, hand, match, score, fresh),
            [
                Finding("IMPORT_CONTRADICTION", f"row {number}: {told}", row.line, match=match.name, hand=match.hand)
                for told in wrong
            ],
        )

    def _left_out(self, line: int, number: int | None, twin: int | None) -> Imported | None:
        """Return a row that the choice of rows leaves out, or None."""
        # Nothing is seen in the layouts without a match id: they hold no twins.
        if self.rows == "all" or not self.seen:
            return None
        published = self.rows == "distinct"
        if twin is not None and not (published and any(number in kept for kept in KEPT_ROWS)):
            return Imported(line, None, [], f"mirror twin of line {twin}")
        if published and any(number in left for left in TWIN_ROWS):
            return _unusable(
                line,
                f"row {number} lies where the base repeats its hands from the other side (972 to 1945, 2572 to 3195), "
                "but mirrors no earlier row; rows='unmirrored' reads it",
            )
        return None

    def _advance(
        self, row: _Row, number: int, score: Score, after: tuple[int | None, int | None], fresh: bool
    ) -> _Match:
        """Return match and hand of a row: a score that falls, or an id that comes back, starts another match."""
        last, stored = self.match, row.text("idPartida") or ""
        falls = last is not None and any(
            old is not None and new < old for new, old in zip(score, last.score, strict=True)
        )
        if last is None or last.stored != stored or fresh or falls:
            block = self.blocks[stored] = self.blocks.get(stored, 0) + 1
            name = f"ufsm-{number}" if not stored else stored if block == 1 else f"{stored}/{block}"
            last = _Match(stored, name, 0, after)
        last.hand += 1
        last.score = after
        self.match = last
        return last


def _unusable(line: int, message: str) -> Imported:
    return Imported(line, None, [Finding("IMPORT_SKIPPED", message, line)])


def _facts(row: _Row, mano: int) -> Facts:
    """Decode the columns of a row."""

    def cells(names: list[str]) -> list[Cell]:
        return [Cell(row.number(name), row.suit(suit_name(name))) for name in names]

    envido = [(word, row.seat(column)) for word, column in _ENVIDO_COLUMNS]
    flor = [(word, row.seat(column)) for word, column in _FLOR_COLUMNS]
    truco = [(word, row.seat(f"quem{name}"), row.number(f"quando{name}")) for word, name in _TRUCO_COLUMNS]
    return Facts(
        mano=mano,
        dealt=(cells(_DEALT[0]), cells(_DEALT[1])),
        played=(cells(_PLAYED[0]), cells(_PLAYED[1])),
        envido=[(word, seat) for word, seat in envido if seat is not None],
        envido_refused=row.seat("quemNegouEnvido"),
        envido_winner=row.seat("quemGanhouEnvido"),
        envido_tally=row.number("tentosEnvido"),
        envido_points=row.pair("pontosEnvido"),
        concealed=row.seat("quemEscondeuPontosEnvido"),
        flor=[(word, seat) for word, seat in flor if seat is not None],
        flor_refused=row.seat("quemNegouFlor"),
        flor_winner=row.seat("quemGanhouFlor"),
        flor_tally=row.number("tentosFlor"),
        truco=[Raise(word, seat, trick or None) for word, seat, trick in truco if seat is not None],
        truco_refused=row.seat("quemNegouTruco"),
        hand_winner=row.seat("quemGanhouTruco"),
        truco_tally=row.number("tentosTruco"),
        fold=row.seat("quemBaralho"),
        fold_trick=row.number("quandoBaralho") or None,
    )


def _record(row: _Row, hand: Hand, match: _Match, score: Score, fresh: bool) -> dict[str, Any]:
    facts = hand.facts
    columns = [*hand.notes.columns, "pontosFlorRobo", "pontosFlorHumano", "quemEscondeuPontosFlor"]
    if fresh:
        columns += _SCORES[:2]
    if not any(event.endswith(" son-buenas") for event in hand.events):
        columns.append("quemEscondeuPontosEnvido")
    if not facts.envido:
        columns.append("quemNegouEnvido")
    extra: dict[str, Any] = {
        "row": row.number("idMao"),
        "match": match.stored or None,
        "hand_winner": facts.hand_winner,
        "envido_points": list(facts.envido_points),
        "reconstructed": [*hand.notes.reconstructed, "score"] if fresh else hand.notes.reconstructed,
        "raw": {name: text for name in columns if (text := row.text(name)) not in (None, "0")},
    }
    record: dict[str, Any] = {
        "v": 1,
        "match": match.name,
        "hand": match.hand,
        "rules": dict(RULES),
        "players": list(SEAT_NAMES),
        "dealer": 1 - facts.mano,
        "score": list(score),
        "deal": hand.deal,
        "events": hand.events,
    }
    claim = claimed_points(facts)
    if claim is not None:
        record["points"] = claim
    record["_ufsm"] = extra
    return record
