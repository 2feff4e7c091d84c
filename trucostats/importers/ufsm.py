"""Import of the UFSM base of human truco (Universidade Federal de Santa Maria): hands of two players, gaúcho rules, to 24.

Three layouts are told apart by their header: tabs with a match id (`dbtrucocbr`), commas without (`dbtrucoimitacao`), and the
second with tabs and the word NULL. One row is one hand; `trucostats.importers.ufsm_events` turns its columns into events.

What a record says beyond the notation stands in its `_ufsm`:

* `row`: idMao. `match`: idPartida as stored. `hand_winner`: seat of quemGanhouTruco. `envido_points`: the recorded numbers.
* `reconstructed`: parts the base does not record and the importer chose: `truco.place`, `truco.answer`, `envido.place`,
  `envido.order`, `envido.answer`, `envido.numbers`, `flor.place`, `fold.place`, `card.SEAT.TRICK` (a card whose code the base
  overwrote), `score` (a new game, counted from 0-0).
* `raw`: columns that could not be expressed, as stored.

Rows that contradict themselves are kept and told as IMPORT_CONTRADICTION; rows that cannot be a hand as IMPORT_SKIPPED.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, Literal

from trucostats.errors import Finding, NotationError
from trucostats.importers.ufsm_events import (
    ENVIDO_VALUE,
    TRICK_NAMES,
    TRUCO_VALUE,
    Cell,
    Facts,
    Hand,
    Raise,
    reconstruct,
)

Rows = Literal["distinct", "unmirrored", "all"]

RULES: Final[dict[str, Any]] = {"base": "gaucho", "covered_from": 1, "score_timing": "end_of_hand"}
"""The rules of the base: gaúcho, with cards laid face down from the first trick on."""

TARGET: Final = 24
PLAYERS: Final = ("Robo", "Humano")

# The published counts of the base (1,597 hands) leave out these ranges of idMao, where each hand is stored a second time from the
# other side with its calls misaligned. No rule on the rows themselves gives that set: the ranges hold 73 hands whose other
# side is not in the file, and 20 rows of the part kept (1946 to 1966 without 1952) mirror rows before them.
TWIN_ROWS: Final = (range(972, 1946), range(2572, 3196))
KEPT_ROWS: Final = (range(1, 972), range(1946, 2572))

_SUITS: Final = {"ESPADAS": "e", "BASTOS": "b", "OURO": "o", "COPAS": "c"}
_NOTHING: Final = ("", "NULL")
_SIZES: Final = ("Alta", "Media", "Baixa")
_REQUIRED: Final = (
    "idMao",
    "jogadorMao",
    *(f"carta{size}{player}" for size in _SIZES for player in PLAYERS),
    *(f"{trick}Carta{player}" for trick in TRICK_NAMES for player in PLAYERS),
    *(f"naipeCarta{size}{player}" for size in _SIZES for player in PLAYERS),
    *(f"naipe{trick.capitalize()}Carta{player}" for trick in TRICK_NAMES for player in PLAYERS),
    "quemTruco",
    "quemGanhouTruco",
    "tentosTruco",
    *(f"tentos{when}{player}" for when in ("Anteriores", "Posteriores") for player in PLAYERS),
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

    `rows` chooses among hands that are stored twice, once from each side: `distinct` leaves out the row ranges the published
    counts leave out (`TWIN_ROWS`), `unmirrored` leaves out each row that mirrors an earlier one in deal and score, and `all`
    keeps everything. Raises `NotationError` if the header is not that of the base.
    """
    opened = open(source, "rb") if isinstance(source, str | os.PathLike) else nullcontext(source)
    with opened as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        try:
            yield from _Reader(rows).read(text)
        finally:
            text.detach()


def _layout(header: str) -> tuple[str, list[str]]:
    """Return delimiter and column names of a header line, or raise `NotationError` naming the first missing column."""
    delimiter = "\t" if "\t" in header else ","
    names = [name.strip().strip('"') for name in header.rstrip("\r\n").split(delimiter)]
    missing = [name for name in _REQUIRED if name not in names]
    if missing:
        raise NotationError(
            "MISSING_FIELD",
            f"not a UFSM base: the header has no column {missing[0]!r} ({len(missing)} of {len(_REQUIRED)} needed are missing)",
        )
    return delimiter, names


class _Row:
    """The cells of one row, read as numbers and seats; what cannot be read becomes a problem."""

    def __init__(self, cells: Mapping[str, str], line: int) -> None:
        self.cells = cells
        self.line = line
        self.problems: list[str] = []

    def text(self, column: str) -> str | None:
        value = self.cells.get(column, "").strip().strip('"')
        return None if value in _NOTHING else value

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
        if value in (None, 0):
            return None
        if value in (1, 2):
            return int(value) - 1
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

    def key(self, mirrored: bool) -> tuple[object, ...]:
        """Return what a hand and its twin share: match, mano, dealt codes and scores, on request seen from the other side."""
        own, other = ("Humano", "Robo") if mirrored else ("Robo", "Humano")
        mano = self.text("jogadorMao")
        if mirrored:
            mano = {"1": "2", "2": "1"}.get(mano or "", mano)
        names = [*(f"carta{size}" for size in _SIZES), "tentosAnteriores", "tentosPosteriores"]
        return self.text("idPartida"), mano, *(self.text(name + player) for name in names for player in (own, other))


@dataclass(slots=True)
class _Match:
    """Where a match stands while its rows are read."""

    stored: str
    name: str
    hand: int
    score: tuple[int, int] | None


class _Reader:
    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.seen: dict[tuple[object, ...], int] = {}
        self.blocks: dict[str, int] = {}
        self.match: _Match | None = None

    def read(self, text: io.TextIOWrapper) -> Iterator[Imported]:
        header = text.readline()
        delimiter, names = _layout(header)
        quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
        reader = csv.reader(text, delimiter=delimiter, quoting=quoting)
        while True:
            line = reader.line_num + 2
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield _skip(line, f"the line cannot be read: {error}")
                continue
            if not cells:
                continue
            if len(cells) != len(names):
                yield _skip(line, f"the row has {len(cells)} columns where the header names {len(names)}")
                continue
            yield self._row(_Row(dict(zip(names, cells, strict=True)), line), "idPartida" in names)

    def _row(self, row: _Row, has_match: bool) -> Imported:
        number = row.number("idMao")
        twin = self.seen.get(row.key(mirrored=True)) if has_match else None
        if has_match:
            self.seen.setdefault(row.key(mirrored=False), row.line)
            skipped = self._left_out(row, number, twin)
            if skipped is not None:
                return skipped
        mano = row.seat("jogadorMao")
        before, after = row.pair("tentosAnteriores"), row.pair("tentosPosteriores")
        if number is None or mano is None or before[0] is None or before[1] is None or min(before[0], before[1]) < 0:
            names = ("idMao", "jogadorMao", "tentosAnterioresRobo", "tentosAnterioresHumano")
            return _skip(row.line, "the row is no hand: " + ", ".join(f"{name} {row.text(name) or 'NULL'}" for name in names))
        facts = _facts(row, mano)
        hand = reconstruct(facts)
        score, fresh = _score((before[0], before[1]), after)
        match = self._advance(row, number, score, after, fresh, has_match)
        wrong = [*row.problems, *hand.contradictions, *_results(facts, hand), *_totals(row, facts, score, after, fresh)]
        if twin is not None:
            wrong.append(f"the row mirrors the row at line {twin}: the same hand, stored from the other side")
        record = _record(row, facts, hand, match, score, fresh)
        findings = [
            Finding("IMPORT_CONTRADICTION", f"row {number}: {message}", line=row.line, match=match.name, hand=match.hand)
            for message in wrong
        ]
        return Imported(row.line, record, findings)

    def _left_out(self, row: _Row, number: int | None, twin: int | None) -> Imported | None:
        """Return a row that the choice of rows leaves out, or None."""
        if self.rows == "all":
            return None
        ranged = self.rows == "distinct" and number is not None
        if twin is not None and not (ranged and any(number in kept for kept in KEPT_ROWS)):
            return Imported(row.line, None, [], f"mirror twin of line {twin}")
        if ranged and any(number in left for left in TWIN_ROWS):
            return _skip(
                row.line,
                f"row {number} lies where the base repeats its hands from the other side (idMao 972 to 1945 and 2572 to 3195), "
                "but no earlier row mirrors it; rows 'unmirrored' reads it",
            )
        return None

    def _advance(
        self, row: _Row, number: int, score: tuple[int, int], after: tuple[int | None, int | None], fresh: bool, has_match: bool
    ) -> _Match:
        """Return the match and hand number of a row; a score that falls, or an id that comes back, starts another match."""
        last = self.match
        stored = row.text("idPartida") or "" if has_match else ""
        falls = last is not None and last.score is not None and any(new < old for new, old in zip(score, last.score, strict=True))
        if last is None or last.stored != stored or fresh or falls:
            block = self.blocks[stored] = self.blocks.get(stored, 0) + 1
            name = f"ufsm-{number}" if not stored else stored if block == 1 else f"{stored}/{block}"
            last = _Match(stored, name, 0, None)
        last.hand += 1
        last.score = (after[0], after[1]) if after[0] is not None and after[1] is not None else None
        self.match = last
        return last


def _skip(line: int, message: str) -> Imported:
    return Imported(line, None, [Finding("IMPORT_SKIPPED", message, line=line)])


def _facts(row: _Row, mano: int) -> Facts:
    """Decode the columns of a row."""

    def cells(names: list[str], player: str) -> list[Cell]:
        return [Cell(row.number(name + player), row.suit(f"naipe{name[0].upper()}{name[1:]}{player}")) for name in names]

    dealt = [f"carta{size}" for size in _SIZES]
    tricks = [f"{trick}Carta" for trick in TRICK_NAMES]
    called = [(word, row.seat(column)) for word, column in _ENVIDO_COLUMNS]
    flores = [(word, row.seat(column)) for word, column in _FLOR_COLUMNS]
    raises = [(word, row.seat(f"quem{name}"), row.number(f"quando{name}")) for word, name in _TRUCO_COLUMNS]
    return Facts(
        mano=mano,
        dealt=(cells(dealt, "Robo"), cells(dealt, "Humano")),
        played=(cells(tricks, "Robo"), cells(tricks, "Humano")),
        envido=[(word, seat) for word, seat in called if seat is not None],
        envido_refused=row.seat("quemNegouEnvido"),
        envido_winner=row.seat("quemGanhouEnvido"),
        envido_tally=row.number("tentosEnvido"),
        envido_points=row.pair("pontosEnvido"),
        concealed=row.seat("quemEscondeuPontosEnvido"),
        flor=[(word, seat) for word, seat in flores if seat is not None],
        flor_refused=row.seat("quemNegouFlor"),
        truco=[Raise(word, seat, trick or None) for word, seat, trick in raises if seat is not None],
        truco_refused=row.seat("quemNegouTruco"),
        hand_winner=row.seat("quemGanhouTruco"),
        truco_tally=row.number("tentosTruco"),
        fold=row.seat("quemBaralho"),
        fold_trick=row.number("quandoBaralho") or None,
    )


def _score(before: tuple[int, int], after: tuple[int | None, int | None]) -> tuple[tuple[int, int], bool]:
    """Return the score before the hand and whether it opens a new game.

    The first hand of a game is stored under the match before it, with that match's final score as the score before: the score
    then falls.
    """
    falls = any(new is not None and new < old for new, old in zip(after, before, strict=True))
    return ((0, 0), True) if falls else (before, False)


def _claim(row: _Row, facts: Facts) -> list[int] | None:
    """Return the points the row says each side won, or None if it does not say who won some of them."""
    points = [0, 0]
    flor_tally, flor_winner = row.number("tentosFlor"), row.seat("quemGanhouFlor")
    for tally, winner in ((facts.truco_tally, facts.hand_winner), (facts.envido_tally, facts.envido_winner), (flor_tally, flor_winner)):
        if tally:
            if winner is None:
                return None
            points[winner] += tally
    # A plain flor counts 3 in the running score, though its own columns stay empty.
    if not flor_tally and len(facts.flor) == 1:
        points[facts.flor[0][1]] += 3
    return points


def _results(facts: Facts, hand: Hand) -> list[str]:
    """Return where the recorded results differ from the calls and cards."""
    return [*_envido_results(facts), *_truco_results(facts, hand)]


def _envido_results(facts: Facts) -> list[str]:
    won, tally = facts.envido_winner, facts.envido_tally or 0
    stored = f"quemGanhouEnvido {_who(won)}, tentosEnvido {tally}"
    if not facts.envido or facts.flor:
        if won is None and not tally and (facts.envido_refused is None or facts.envido):
            return []
        why = f"quemFlor {facts.flor[0][1] + 1} cancels the envido" if facts.flor else "nobody called envido"
        return [f"{why}, but quemNegouEnvido {_who(facts.envido_refused)}, {stored}"]
    words = "+".join(f"{word} {seat + 1}" for word, seat in facts.envido)
    caller, refused = facts.envido[-1][1], facts.envido_refused
    wrong = []
    if any(first[1] == second[1] for first, second in zip(facts.envido, facts.envido[1:], strict=False)):
        wrong.append(f"a player raises his own envido: {words}")
    before = sum(ENVIDO_VALUE.get(word, 0) for word, _ in facts.envido[:-1])
    if refused is not None:
        if refused == caller:
            wrong.append(f"quemNegouEnvido {refused + 1} is the last caller of {words}")
        if won != 1 - refused or tally != max(before, 1):
            wrong.append(f"{words} declined by {refused + 1} gives {2 - refused} {max(before, 1)}, but {stored}")
        return wrong
    if won is None and not tally:
        return [*wrong, f"{words} has no answer: quemNegouEnvido 0, {stored}"]
    value = before + ENVIDO_VALUE.get(facts.envido[-1][0], 0)
    if facts.envido[-1][0] != "falta-envido" and tally != value:
        wrong.append(f"{words} accepted is worth {value}, but {stored}")
    first, second = facts.envido_points[facts.mano], facts.envido_points[1 - facts.mano]
    if first is not None and second is not None:
        best = facts.mano if first >= second or facts.concealed == 1 - facts.mano else 1 - facts.mano
        if won != best:
            wrong.append(f"pontosEnvido {facts.envido_points[0]}-{facts.envido_points[1]} (mano {facts.mano + 1}), but {stored}")
    return wrong


def _truco_results(facts: Facts, hand: Hand) -> list[str]:
    won, tally = facts.hand_winner, facts.truco_tally
    stored = f"quemGanhouTruco {_who(won)}, tentosTruco {tally}"
    level = TRUCO_VALUE[facts.truco[-1].word] if facts.truco else 1
    wrong = []
    if facts.truco_refused is not None and facts.fold is not None and facts.truco_refused != facts.fold:
        wrong.append(f"quemNegouTruco {facts.truco_refused + 1} and quemBaralho {facts.fold + 1} both end the hand")
    if facts.truco_refused is not None:
        if not facts.truco:
            return [*wrong, f"quemNegouTruco {facts.truco_refused + 1}, but nobody called truco"]
        winner, values = 1 - facts.truco_refused, {level - 1}
    elif facts.fold is not None:
        winner, values = 1 - facts.fold, {level, level - 1} if facts.truco and hand.events[-2:-1] != [f"{facts.fold} quiero"] else {level}
        if hand.line.winner is not None:
            wrong.append(f"quemBaralho {facts.fold + 1}, but the cards decide the hand")
    elif hand.line.winner is not None:
        winner, values = hand.line.winner, {level}
    else:
        return [*wrong, f"no column says how the hand ended: quemNegouTruco 0, quemBaralho 0, tricks undecided, {stored}"]
    if winner != won or tally not in values:
        wrong.append(f"calls and cards give {winner + 1} {max(values)}, but {stored}")
    return wrong


def _totals(
    row: _Row, facts: Facts, score: tuple[int, int], after: tuple[int | None, int | None], fresh: bool
) -> list[str]:
    """Return what is wrong with the score of a row."""
    wrong = []
    before = f"{row.text('tentosAnterioresRobo')}-{row.text('tentosAnterioresHumano')}"
    if fresh:
        wrong.append(f"the score falls from tentosAnteriores {before} to tentosPosteriores {after[0]}-{after[1]}: read as a new game from 0-0")
    elif max(score) >= TARGET:
        wrong.append(f"tentosAnteriores {before} has already reached {TARGET}")
    claim = _claim(row, facts)
    if claim is None:
        wrong.append("points without a winner: " + ", ".join(
            f"{name} {row.text(name) or 'NULL'}" for name in ("tentosTruco", "quemGanhouTruco", "tentosEnvido", "quemGanhouEnvido", "tentosFlor")
        ))
    elif after[0] is not None and after[1] is not None:
        rises = [after[0] - score[0], after[1] - score[1]]
        capped = [min(points, max(TARGET - old, 0)) for points, old in zip(claim, score, strict=True)]
        if any(rise not in (points, cap) for rise, points, cap in zip(rises, claim, capped, strict=True)):
            wrong.append(f"the score rises by {rises[0]}-{rises[1]}, but tentos and flor give {claim[0]}-{claim[1]}")
    return wrong


def _record(row: _Row, facts: Facts, hand: Hand, match: _Match, score: tuple[int, int], fresh: bool) -> dict[str, Any]:
    reconstructed = [*hand.reconstructed, "score"] if fresh else hand.reconstructed
    extra: dict[str, Any] = {
        "row": row.number("idMao"),
        "hand_winner": facts.hand_winner,
        "envido_points": list(facts.envido_points),
        "reconstructed": reconstructed,
    }
    if match.stored:
        extra["match"] = match.stored
    raw = _unexpressed(row, facts, hand, fresh)
    if raw:
        extra["raw"] = raw
    record: dict[str, Any] = {
        "v": 1,
        "match": match.name,
        "hand": match.hand,
        "rules": dict(RULES),
        "players": list(PLAYERS),
        "dealer": 1 - facts.mano,
        "score": list(score),
        "deal": hand.deal,
        "events": hand.events,
    }
    claim = _claim(row, facts)
    if claim is not None:
        record["points"] = claim
    record["_ufsm"] = extra
    return record


def _unexpressed(row: _Row, facts: Facts, hand: Hand, fresh: bool) -> dict[str, str]:
    """Return the columns of a row that its events and fields do not show, as stored."""
    columns: list[str] = []
    if fresh:
        columns += ["tentosAnterioresRobo", "tentosAnterioresHumano"]
    if facts.concealed is not None and not any(event.endswith("son-buenas") for event in hand.events):
        columns.append("quemEscondeuPontosEnvido")
    if not facts.envido:
        columns += ["quemNegouEnvido"]
    if not facts.truco:
        columns += ["quemNegouTruco"]
    if facts.fold is not None and facts.truco_refused == facts.fold:
        columns += ["quemBaralho", "quandoBaralho"]
    columns += ["pontosFlorRobo", "pontosFlorHumano", "quemEscondeuPontosFlor"]
    for trick in hand.line.left_over:
        for player in PLAYERS:
            name = f"{TRICK_NAMES[int(trick[-1]) - 1]}Carta{player}"
            columns += [name, f"naipe{name[0].upper()}{name[1:]}"]
    return {name: value for name in columns if (value := row.text(name)) not in (None, "0")}


def _who(seat: int | None) -> int:
    return 0 if seat is None else seat + 1
