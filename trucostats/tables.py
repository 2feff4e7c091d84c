"""Every table and column, declared once: type, unit and meaning. Arrow schemas, Parquet metadata and the dictionary follow.

`schema("hands")` is what Parquet files carry; `dictionary()` and `dictionary_markdown()` are what people read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pyarrow as pa

FORMAT_VERSION: Final = 1
_WORD: Final = pa.dictionary(pa.int32(), pa.string())
_TYPES: Final[dict[str, pa.DataType]] = {
    "i1": pa.int8(),
    "i2": pa.int16(),
    "i4": pa.int32(),
    "i8": pa.int64(),
    "u8": pa.uint64(),
    "f4": pa.float32(),
    "bool": pa.bool_(),
    "word": _WORD,
    "text": pa.string(),
    "time": pa.timestamp("us", tz="UTC"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: name, type, unit ("" if none), meaning, and whether it may be null."""

    name: str
    kind: str
    unit: str
    meaning: str
    nullable: bool

    @property
    def type(self) -> pa.DataType:
        """The Arrow type."""
        return _TYPES[self.kind]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: name, what a row is, its columns."""

    name: str
    grain: str
    columns: tuple[Column, ...]


def _table(name: str, grain: str, *rows: tuple[str, str, str, str]) -> Table:
    return Table(
        name,
        grain,
        tuple(
            Column(column, kind.rstrip("?"), unit, meaning, kind.endswith("?")) for column, kind, unit, meaning in rows
        ),
    )


_HAND_ID = ("hand_id", "i8", "", "the hand, unique in the dataset; joins all tables")
_RULES = ("rules", "word", "", "rule set with the options that differ from it, as `rules show` takes it")
_SCORES = (
    ("score_own", "i2", "points", "score of the player's side before the deal"),
    ("score_rival", "i2", "points", "score of the other side before the deal"),
)

TABLES: Final[dict[str, Table]] = {
    table.name: table
    for table in (
        _table(
            "hands",
            "one row per deal that is a record, legal or not",
            _HAND_ID,
            ("file", "word", "", "log the line came from"),
            ("line", "i8", "", "line of that log, from 1"),
            ("match", "word", "", "id of the match"),
            ("game", "i4", "", "game of the match, from 1"),
            ("hand", "i4", "", "deal of the game, from 1"),
            _RULES,
            ("base_rules", "word", "", "rule set without its options"),
            ("seats", "i1", "players", "players at the table"),
            ("players", "word", "", "names in seat order, joined by ' / '"),
            ("dealer", "i1", "seat", "seat of the dealer"),
            ("mano", "i1", "seat", "seat that leads first (of the first duel in pica-pica)"),
            ("format", "word?", "", "redonda or pica-pica; null unless six play"),
            ("turned", "word?", "", "turned card (vira, muestra)"),
            ("at", "time?", "", "time of the deal as logged"),
            ("source", "word?", "", "source as logged"),
            ("score0", "i2", "points", "score of team 0 before the deal"),
            ("score1", "i2", "points", "score of team 1 before the deal"),
            ("status", "word", "", "complete, open, void or illegal"),
            ("legal", "bool", "", "every event and the deal are legal"),
            ("fault", "word?", "", "code of the first illegal event"),
            ("fault_event", "i2?", "", "its index; -1 for the deal"),
            ("events", "i2", "", "legal events"),
            ("tricks", "i1", "", "tricks completed (of all duels)"),
            ("trick1", "i1?", "team", "winner of the first trick: 0, 1, or 2 for a tie"),
            ("trick2", "i1?", "team", "winner of the second trick"),
            ("trick3", "i1?", "team", "winner of the third trick"),
            (
                "hand_winner",
                "i1?",
                "team",
                "side that won the hand (the last duel in pica-pica); null if nobody or undecided",
            ),
            ("mano_won", "bool?", "", "the mano's side won the hand; null if nobody did, undecided, or pica-pica"),
            ("ended_by", "word", "", "cards, refusal, mazo, declined, infraction, game, misdeal, or open"),
            ("level", "i1", "step", "accepted step of the truco ladder"),
            ("called_level", "i1", "step", "highest step called"),
            ("stake", "i2", "points", "what the hand is worth if nobody calls again"),
            ("envido_calls", "i1", "", "calls of the envido family"),
            ("envido_accepted", "bool", "", "an envido was accepted"),
            ("envido0", "i2?", "points", "envido points of team 0; null if its winner is unknown"),
            ("envido1", "i2?", "points", "envido points of team 1"),
            ("flor0", "i2?", "points", "flor points of team 0; null if its winner is unknown"),
            ("flor1", "i2?", "points", "flor points of team 1"),
            ("truco0", "i2", "points", "truco points of team 0 (tricks, refusals, folds, special hands)"),
            ("truco1", "i2", "points", "truco points of team 1"),
            ("score0_after", "i2?", "points", "score of team 0 after the deal; null if unknown"),
            ("score1_after", "i2?", "points", "score of team 1 after the deal"),
            ("hand_over", "bool", "", "the hand is decided"),
            ("game_over", "bool", "", "the game is won"),
            ("game_winner", "i1?", "team", "who won it"),
            ("next_dealer", "i1?", "seat", "who deals next; null while the hand is open"),
            ("void", "bool", "", "misdeal"),
            ("infraction", "bool", "", "a forbidden bet ended a special hand"),
            ("claim0", "i2?", "points", "points of team 0 as the log claims them"),
            ("claim1", "i2?", "points", "points of team 1 as the log claims them"),
            ("hand_key", "u8", "", "digest of match, game and hand"),
            ("content_key", "u8", "", "digest of everything the record says"),
        ),
        _table(
            "seats",
            "one row per player and hand",
            _HAND_ID,
            ("seat", "i1", "seat", "seat of the player"),
            ("player", "word", "", "name of the player"),
            ("rival", "word?", "", "name of the rival; null unless two play"),
            ("team", "i1", "team", "seat mod 2"),
            ("position", "i1", "", "order from the mano: 0 for the mano"),
            ("is_mano", "bool", "", "leads first"),
            ("is_pie", "bool", "", "last of his side"),
            _RULES,
            ("cards", "word?", "", "dealt cards in deck order (e b o c, low to high); null if not all known"),
            ("envido", "i1?", "points", "envido of the dealt cards; null if unknown or none"),
            ("flor", "i1?", "points", "flor of the dealt cards; null if none or unknown"),
            ("known", "bool", "", "all dealt cards are known"),
            (
                "strength",
                "f4?",
                "share",
                "share of rival hands beaten with open cards and best play, mano and pie averaged",
            ),
            *_SCORES,
            ("won", "bool?", "", "own side won the hand; null if nobody did or undecided"),
            ("points_own", "i2?", "points", "all points of the own side in this deal"),
            ("points_rival", "i2?", "points", "all points of the other side"),
            ("envido_own", "i2?", "points", "envido points of the own side"),
            ("envido_rival", "i2?", "points", "envido points of the other side"),
            ("flor_own", "i2?", "points", "flor points of the own side"),
            ("flor_rival", "i2?", "points", "flor points of the other side"),
            ("truco_own", "i2", "points", "truco points of the own side"),
            ("truco_rival", "i2", "points", "truco points of the other side"),
            ("first_trick", "i1?", "", "own side in the first trick: 1 won, 0 lost, 2 tied"),
            ("second_trick", "i1?", "", "own side in the second trick"),
            ("third_trick", "i1?", "", "own side in the third trick"),
            ("first_card", "word?", "", "card played first, null if none or covered unnamed"),
            ("first_card_rank", "i1?", "", "1 the strongest dealt card, 2, 3 the weakest"),
            ("envido_chance", "bool", "", "could open the envido at one of his events"),
            ("envido_first_word", "bool", "", "that chance came as mano before any card"),
            ("envido_opened", "bool", "", "made the first envido call"),
            (
                "envido_won",
                "bool?",
                "",
                "own side won an accepted envido; null if none was accepted or its winner is unknown",
            ),
            ("truco_chance", "bool", "", "could make the first truco call at one of his events"),
            ("truco_opened", "bool", "", "made the first truco call"),
            ("word_held", "bool", "", "could raise a truco accepted earlier at one of his own turns"),
            ("word_used", "bool", "", "raised it"),
            ("flor_chance", "bool", "", "held a flor and could announce it at one of his events"),
            ("flor_announced", "bool", "", "announced a flor"),
            ("declared", "i1?", "points", "envido number said"),
            ("conceded", "bool", "", "said son buenas"),
            ("folded_in", "i1?", "trick", "trick in which he left the hand; null if he did not"),
            ("covered", "i1", "cards", "cards covered"),
        ),
        _table(
            "calls",
            "one row per truco, envido or flor call",
            _HAND_ID,
            ("call", "i1", "", "number of the call in the deal, from 0"),
            ("event", "i2", "", "index of its event"),
            ("family", "word", "", "truco, envido or flor"),
            ("word", "word", "", "the word called"),
            ("opening", "bool", "", "first call of its family in the hand or duel"),
            ("step", "i1", "", "step of the ladder: truco 1, retruco 2, …; number of the call in its family otherwise"),
            ("seat", "i1", "seat", "seat of the caller"),
            ("player", "word", "", "name of the caller"),
            ("team", "i1", "team", "side of the caller"),
            ("is_mano", "bool", "", "the caller is the mano"),
            ("position", "i1", "", "order of the caller from the mano"),
            _RULES,
            ("trick", "i1", "trick", "trick in which it was called, from 1"),
            ("after_card", "bool", "", "the caller had played to this trick"),
            ("over_truco", "bool", "", "an envido or flor called while a truco waited"),
            ("first_trick", "i1?", "", "the caller's side in the first trick so far: 1 won, 0 lost, 2 tied"),
            ("refused_worth", "i2", "points", "what a refusal gives the caller's side"),
            ("accepted_worth", "i2", "points", "what an acceptance puts at stake (a falta: if the caller wins it)"),
            *_SCORES,
            ("envido", "i1?", "points", "envido of the caller's cards"),
            ("strength", "f4?", "share", "strength of the caller's dealt cards, as in seats"),
            ("answer", "word", "", "quiero, no-quiero, raise, mazo, played (accepted by a card), cancelled, or none"),
            ("answer_seat", "i1?", "seat", "seat that answered; the rival's seat when two play and nobody answered"),
            ("answerer", "word?", "", "name of that player"),
            ("answerer_is_mano", "bool?", "", "the answerer is the mano"),
            ("answerer_envido", "i1?", "points", "envido of the answerer's cards"),
            ("answerer_strength", "f4?", "share", "strength of the answerer's dealt cards"),
            ("can_raise", "bool", "", "the answerer could have raised"),
            ("answer_event", "i2?", "", "index of the answer"),
            (
                "won",
                "bool?",
                "",
                "the caller's side won the hand (truco), the envido or the flor; null if nobody or unknown",
            ),
            (
                "net",
                "i2?",
                "points",
                "points of that family, won less lost, of the caller's side in this hand or duel's deal",
            ),
        ),
        _table(
            "tricks",
            "one row per trick begun with at least one card",
            _HAND_ID,
            ("trick", "i1", "trick", "number of the trick in the deal, from 1"),
            ("duel", "i1?", "", "number of the duel in pica-pica, from 1"),
            ("leader", "i1", "seat", "seat that led"),
            ("complete", "bool", "", "everybody still in has played"),
            ("winner", "i1?", "team", "winning side: 0, 1, or 2 for a tie; null if not complete"),
            *(
                (
                    f"card{seat}",
                    "word?",
                    "",
                    f"card of seat {seat}; `cover` for a covered card nobody named; null if not played",
                )
                for seat in range(6)
            ),
            ("covered", "i1", "", "set of seats that covered (bit s for seat s)"),
        ),
        _table(
            "events",
            "one row per legal event, with the state before it",
            _HAND_ID,
            ("event", "i2", "", "index in the record"),
            ("seat", "i1", "seat", "who acted"),
            ("word", "word", "", "what: play, cover, declare, or the word said"),
            ("card", "word?", "", "card played, covered, or put forward"),
            ("number", "i1?", "points", "number declared"),
            ("trick", "i1", "trick", "trick being played, from 1"),
            ("position", "i1", "", "order of the player from the mano"),
            ("turn", "i1", "seat", "seat to play the next card"),
            ("pending", "word?", "", "family of the call that waits: truco, envido, flor, decision"),
            ("level", "i1", "step", "accepted step of the truco ladder"),
            ("stake", "i2", "points", "what the hand is worth if nobody calls again"),
            ("owner", "i1?", "team", "side that may raise; null if either"),
            ("cards_left", "i1", "cards", "cards the player holds"),
            ("first_trick", "i1?", "", "the player's side in the first trick so far: 1 won, 0 lost, 2 tied"),
            ("score_own", "i2", "points", "score of the player's side at this moment"),
            ("score_rival", "i2", "points", "score of the other side at this moment"),
            (
                "legal",
                "i4",
                "",
                "set of verbs the player might have used (bit k: verb k of the vocabulary), as `can(legal, 'truco')` reads it",
            ),
            ("time_ms", "i4?", "ms", "time since the deal as logged"),
        ),
        _table(
            "games",
            "one row per game of a match",
            ("match", "word", "", "id of the match"),
            ("game", "i4", "", "game of the match"),
            _RULES,
            ("seats", "i1", "players", "players at the table"),
            ("hands", "i4", "", "deals recorded"),
            ("first_hand", "i4", "", "number of the first deal recorded"),
            ("last_hand", "i4", "", "number of the last deal recorded"),
            ("score0", "i2?", "points", "last known score of team 0"),
            ("score1", "i2?", "points", "last known score of team 1"),
            ("finished", "bool", "", "the last hand ended the game"),
            ("winner", "i1?", "team", "side that won it"),
            ("clean", "bool", "", "every hand legal and no finding between hands"),
        ),
        _table(
            "matches",
            "one row per match",
            ("match", "word", "", "id of the match"),
            _RULES,
            ("seats", "i1", "players", "players at the table"),
            ("players", "text", "", "names in seat order, joined by ' / '"),
            ("team0", "text", "", "names of team 0, joined by ' + '"),
            ("team1", "text", "", "names of team 1"),
            ("games", "i4", "", "games recorded"),
            ("hands", "i4", "", "deals recorded"),
            ("won0", "i4", "games", "games won by team 0"),
            ("won1", "i4", "games", "games won by team 1"),
            ("finished", "bool", "", "the last recorded game was finished"),
            ("winner", "i1?", "team", "side that won more games; null if unfinished or level"),
            ("first_at", "time?", "", "time of the first deal"),
            ("last_at", "time?", "", "time of the last deal"),
        ),
        _table(
            "findings",
            "one row per finding of an accepted line, and per rejected line",
            ("file", "word", "", "log"),
            ("line", "i8", "", "line of that log"),
            ("hand_id", "i8?", "", "the hand; null for a rejected line"),
            ("match", "text?", "", "id of the match, if it could be read"),
            ("game", "i4?", "", "game of the match"),
            ("hand", "i4?", "", "deal of the game"),
            ("event", "i2?", "", "index of the event; -1 for the deal; null for the whole record"),
            ("family", "word", "", "malformed, illegal or inconsistent"),
            ("severity", "word", "", "error or warning"),
            ("code", "word", "", "stable code, see the page of findings"),
            ("message", "text", "", "what is wrong, in a sentence"),
        ),
        _table(
            "decisions",
            "one row per decision that `review --write` judged; an event may be several",
            _HAND_ID,
            ("event", "i2", "", "index of the event in the record"),
            ("kind", "word", "", "envido, answer, raise (to call or not), or card (which)"),
            ("seat", "i1", "seat", "who decided"),
            ("player", "word", "", "name of the player"),
            ("is_mano", "bool", "", "leads first"),
            _RULES,
            ("done", "word", "", "what was done: a word, a card, `pass` (the envido), or `no call`"),
            ("best", "word?", "", "what was worth most; null where nothing was evaluated"),
            ("options", "i1", "", "options that were evaluated"),
            ("status", "word", "", "exact, solved, blueprint, envido alone, forced, or not evaluated"),
            ("reason", "text?", "", "why it was not evaluated"),
            ("loss", "f4?", "points", "what the best option is worth more than what was done, as the player saw it"),
            ("match_loss", "f4?", "chance", "the same in chances to win the match"),
            ("basis", "word?", "", "match loss `solved`, or the loss in points `by the worth of a point` at the score"),
            ("normal", "f4?", "points", "the match loss over the worth of a point at 0-0"),
            ("mark", "word?", "", "doubtful, bad or very bad by the normalised loss; null if fine"),
            ("frequency", "f4?", "share", "how often the equilibrium does what was done"),
            ("exploitability", "f4?", "", "how far from the equilibrium the evaluation is, in its utility"),
            ("utility", "word?", "", "unit of the exploitability: points (a hand) or match (chances to win)"),
            ("score_own", "i2?", "points", "score of the player's side at the decision"),
            ("score_rival", "i2?", "points", "score of the other side at the decision"),
            ("metric", "word", "", "name of the thresholds and formulas: only equal names compare"),
        ),
        _table(
            "files",
            "one row per log and ingest",
            ("file", "word", "", "log"),
            ("ingested_at", "time", "", "when"),
            ("bytes", "i8", "bytes", "size read, after decompression"),
            ("lines", "i8", "lines", "lines read, blank ones apart"),
            ("accepted", "i8", "lines", "hands added"),
            ("rejected", "i8", "lines", "lines in the reject file"),
            ("duplicates", "i8", "lines", "hands already in the dataset"),
            ("blank", "i8", "lines", "blank lines"),
        ),
    )
}


@cache
def schema(name: str) -> pa.Schema:
    """Return the Arrow schema of a table, with unit and meaning as field metadata.

    >>> schema("tricks").field("leader").metadata[b"comment"]
    b'seat that led'
    """
    table = TABLES[name]
    fields = [
        pa.field(
            column.name,
            column.type,
            column.nullable,
            {"comment": column.meaning} | ({"unit": column.unit} if column.unit else {}),
        )
        for column in table.columns
    ]
    return pa.schema(fields, {"table": name, "grain": table.grain, "trucostats_format": str(FORMAT_VERSION)})


def dictionary() -> dict[str, Any]:
    """Return the data dictionary: every table with its grain and columns, as `schemas/tables.json` holds it."""
    return {
        "format": FORMAT_VERSION,
        "tables": {
            table.name: {
                "grain": table.grain,
                "columns": [
                    {
                        "name": column.name,
                        "type": "string" if column.kind in ("word", "text") else str(column.type),
                        "unit": column.unit or None,
                        "nullable": column.nullable,
                        "meaning": column.meaning,
                    }
                    for column in table.columns
                ],
            }
            for table in TABLES.values()
        },
    }


def dictionary_markdown() -> str:
    """Return the data dictionary as a Markdown page, as `schemas/tables.md` holds it."""
    lines = [
        "# Tables",
        "",
        "Generated from `trucostats/tables.py`. Teams are seat mod 2; `null` means not known or does not apply.",
        "",
    ]
    for table in TABLES.values():
        lines += [
            f"## {table.name}",
            "",
            f"{table.grain[0].upper()}{table.grain[1:]}.",
            "",
            "| column | type | unit | meaning |",
            "|---|---|---|---|",
        ]
        for column in table.columns:
            kind = "string" if column.kind in ("word", "text") else str(column.type)
            meaning = column.meaning.replace("|", "\\|")
            lines.append(
                f"| `{column.name}` | {kind}{', null' if column.nullable else ''} | {column.unit} | {meaning} |"
            )
        lines.append("")
    return "\n".join(lines)
