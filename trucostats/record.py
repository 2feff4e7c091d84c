"""What a record is: the fields of one line of a log, their types, bounds and meanings, and the schema that follows from them."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

VERSION: Final = 1
EVENT_LIMIT: Final = 200
SCHEMA_ID: Final = "urn:trucostats:record:1"
ABSENT: Final = UNSET  # a field that a record does not give

Name = Annotated[str, Meta(min_length=1, max_length=100)]
Points = Annotated[int, Meta(ge=0, le=200)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Seat = Annotated[int, Meta(ge=0, le=5)]
Milliseconds = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class Extensions(dict[str, Any]):
    """The extension fields of a record, by their names with the leading `_`. No key of a line is read into it directly."""


class Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One deal as a log says it: names, cards and events as written, an absent field as `msgspec.UNSET`.

    The order of the fields is the order in which they are written. A record made by hand is not checked; write it and
    read it back to check it.

    >>> from trucostats.notation import decode_line
    >>> record = decode_line(b'{"v":1,"match":"m","hand":1,"rules":"truc","players":["ana","ben"],"dealer":1,"score":[0,0],'
    ...                      b'"deal":["7c 5c 12e",null],"events":["0 Truc"]}')
    >>> record.players, record.events, record.points is UNSET
    (['ana', 'ben'], ['0 Truc'], True)
    """

    v: Annotated[Literal[1], Meta(description="notation version, the integer 1")]
    match: Annotated[str, Meta(min_length=1, description="id of the match, any non-empty string")]
    game: Annotated[
        Count | UnsetType, Meta(description="game of the match (queda, best of three), from 1; absent means 1")
    ] = UNSET
    hand: Annotated[Count, Meta(description="deal of the game, from 1")]
    rules: Annotated[
        str | dict[str, Any],
        Meta(description='a rule set\'s name, or an object with a "base" name and the options that differ from it'),
    ]
    players: Annotated[
        list[Name],
        Meta(
            min_length=2,
            max_length=6,
            description="names in seat order; their number is the number of seats; team = seat mod 2",
        ),
    ]
    dealer: Annotated[Seat, Meta(description="seat of the dealer, counted from 0; mano is the next seat")]
    score: Annotated[tuple[Points, Points], Meta(description="points of [team 0, team 1] before the deal")]
    turned: Annotated[
        str | UnsetType,
        Meta(description="the turned card (vira, muestra), where the rules turn one: rank and suit, as in 7o"),
    ] = UNSET
    format: Annotated[
        Literal["redonda", "pica-pica"] | UnsetType,
        Meta(description='six players only: "redonda" (also when absent) or "pica-pica", three duels in order'),
    ] = UNSET
    deal: Annotated[
        list[str | None],
        Meta(
            min_length=2,
            max_length=6,
            description='one hand per seat, as in "7c 5c 12e"; ? for a card nobody recorded, null for an unknown hand',
        ),
    ]
    events: Annotated[
        list[str],
        Meta(
            max_length=EVENT_LIMIT, description='what happened, in order: "<seat> <what>", as in "0 envido" or "1 7c"'
        ),
    ]
    points: Annotated[
        tuple[Points, Points] | UnsetType,
        Meta(description="points of [team 0, team 1] the log says the deal gave: a claim, checked against the replay"),
    ] = UNSET
    at: Annotated[
        Annotated[datetime.datetime, Meta(tz=True)] | UnsetType,
        Meta(description="time of the deal, RFC 3339 with its offset, as in 2026-03-14T21:04:00-03:00"),
    ] = UNSET
    source: Annotated[str | UnsetType, Meta(description="where the record comes from, free text")] = UNSET
    times: Annotated[
        Annotated[list[Milliseconds], Meta(max_length=EVENT_LIMIT)] | UnsetType,
        Meta(description="milliseconds since the deal, one per event, not decreasing"),
    ] = UNSET
    extensions: Extensions | UnsetType = UNSET

    def but(self, **changes: Any) -> Record:
        """Return this record with some fields changed; `ABSENT` leaves a field out."""
        return structs.replace(self, **changes)


class OpenRecord(Record, frozen=True, kw_only=True, forbid_unknown_fields=False, gc=False):
    """A record decoded without a look at the keys it does not know; its reader has to look at them."""


FIELDS: Final[tuple[str, ...]] = tuple(name for name in Record.__struct_fields__ if name != "extensions")
OPTIONAL: Final[tuple[str, ...]] = ("game", "turned", "format", "points", "at", "source", "times")


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a record. What one field says about another is beyond it.

    >>> record_schema()["required"]
    ['v', 'match', 'hand', 'rules', 'players', 'dealer', 'score', 'deal', 'events']
    """
    generated = msgspec.json.schema(Record, schema_hook=lambda _: {"type": "object"})
    fields = dict(generated["$defs"]["Record"])
    properties = {name: fields["properties"][name] for name in FIELDS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "trucostats record, version 1: one deal of truco, one line of a log",
        "type": "object",
        "properties": properties,
        "patternProperties": {
            "^_": {"description": "an extension: kept by every tool that rewrites a record, never read"}
        },
        "required": fields["required"],
        "additionalProperties": False,
    }


def from_json(line: bytes) -> dict[str, Any]:
    """Return a line as a plain dict, unchecked as a record; for tools that change logs."""
    return msgspec.json.decode(line, type=dict[str, Any])


def to_json(value: Any, *, sort_keys: bool = False) -> bytes:
    """Return a value as compact JSON."""
    return msgspec.json.encode(value, order="sorted" if sort_keys else None)
