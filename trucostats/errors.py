"""The exception tree and the codes of findings.

A *finding* is a fault in the data, kept as a value; an *exception* is a fault of the call. Codes are stable: they are
columns of the `findings` table and may be filtered on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

Family = Literal["malformed", "illegal", "inconsistent"]
Severity = Literal["error", "warning"]


class TrucoError(Exception):
    """Base of every exception this package raises on purpose."""


class NotationError(TrucoError):
    """A line, card, event or rule name that is not of the notation.

    `code` is one of the malformed codes in `CODES`; `where` is a JSON path such as `$.events[4]`, or None.
    """

    def __init__(self, code: str, message: str, where: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.where = where


class RulesError(TrucoError):
    """A rule set or option that does not exist, or an option value out of its range."""


class PositionError(TrucoError):
    """A position that nobody can be advised on: nobody decides, somebody else does, cards are missing, a place does not exist."""


class SolverError(TrucoError):
    """A position that the solver cannot take, or a request it cannot meet."""


class IllegalEvent(TrucoError):
    """An event that the rules forbid in the state it was applied to; `code` is one of the illegal codes in `CODES`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class DatasetError(TrucoError):
    """A dataset folder that cannot be read or written as asked."""


class QueryError(TrucoError):
    """A query that does not exist, or SQL that cannot run."""


@dataclass(frozen=True, slots=True)
class Code:
    """What a finding code means: its family, severity, a sentence saying what is wrong and one saying what to do."""

    family: Family
    severity: Severity
    meaning: str
    remedy: str


def _malformed(meaning: str, remedy: str) -> Code:
    return Code("malformed", "error", meaning, remedy)


def _illegal(meaning: str, remedy: str) -> Code:
    return Code("illegal", "error", meaning, remedy)


def _differs(meaning: str, remedy: str) -> Code:
    return Code("inconsistent", "error", meaning, remedy)


def _notes(family: Family, meaning: str, remedy: str) -> Code:
    return Code(family, "warning", meaning, remedy)


# Order matters: the kernel knows a code by its position in this table.
CODES: Final[dict[str, Code]] = {
    "OK": Code("illegal", "warning", "nothing is wrong", "nothing to do"),
    # illegal, in the order in which several are judged
    "GAME_OVER": _illegal("the game is already won", "end the hand's events where the game was won"),
    "HAND_OVER": _illegal("the hand is already decided", "end the events where the hand was decided"),
    "NOT_IN_DUEL": _illegal("this player is not in the duel being played", "write the three duels one after another"),
    "FOLDED": _illegal("this player has left the hand", "remove the event, or the earlier mazo"),
    "DECISION_PENDING": _illegal(
        "the side on the special score must first accept or decline the hand", "write accept-hand or decline-hand first"
    ),
    "NOT_YOUR_DECISION": _illegal("only the side on the special score decides", "name a player of that side"),
    "UNKNOWN_CALL": _illegal("this rule set does not have this word", "check the rule set of the record"),
    "BETTING_FORBIDDEN": _illegal("no bets are allowed in this special hand", "remove the bet"),
    "ENVIDO_CLOSED": _illegal(
        "the envido is closed",
        "envido belongs in the first trick, once, before a truco is accepted and before any flor",
    ),
    "ENVIDO_AFTER_CARD": _illegal(
        "a player who has played a card may not open the envido",
        "let a player open who has not played, or check the order",
    ),
    "NOT_PIE": _illegal(
        "under this rule only the last player of each side opens the envido", "name the pie of the side"
    ),
    "FLOR_CLOSED": _illegal(
        "the flor is closed",
        "a flor is announced in the first trick, before one's own first card and before it is settled",
    ),
    "OWN_CALL": _illegal("the call that waits is this side's own", "let the other side answer"),
    "BET_PENDING": _illegal("a call waits for its answer", "write the answer first"),
    "NOTHING_PENDING": _illegal("there is nothing to answer", "remove the answer, or add the call it answers"),
    "NOTHING_TO_CONCEDE": _illegal("nobody has said a number yet", "the first to speak says a number"),
    "FALSE_DECLARATION": _illegal("the cards do not make this number", "check the number and the dealt cards"),
    "FLOR_NOT_HELD": _illegal("this hand is no flor", "check the dealt cards"),
    "FLOR_DUPLICATE": _illegal("this player has already announced his flor", "remove the second announcement"),
    "FLOR_NO_RIVAL": _illegal(
        "no flor of the other side is announced", "a contraflor answers a flor of the other side"
    ),
    "NOT_OWNER": _illegal("only the side that accepted may raise", "let the other side raise"),
    "LADDER_ORDER": _illegal("calls go up the ladder one step at a time", "write the step that is next"),
    "NOT_YOUR_TURN": _illegal("it is another player's turn", "check the order of play"),
    "CARD_NOT_HELD": _illegal("this player does not hold that card", "check the deal and the cards played before"),
    "COVER_NOT_ALLOWED": _illegal("no card may be covered here", "play the card face up"),
    "COMMITTED_CARD": _illegal("the card put forward with the call must be played", "play that card"),
    "DEAL_SIZE": _illegal("the hands do not have the right number of cards", "three cards each"),
    "ONE_CARD_DEAL_NOT_ALLOWED": _illegal("a one-card deal is not allowed at this score", "deal three cards"),
    "DUPLICATE_CARD": _illegal("a card is dealt twice", "check the deal and the turned card"),
    # warnings of a legal hand
    "FLOR_NOT_ANNOUNCED": _notes(
        "inconsistent", "a flor was held and not announced", "nothing to do: no points follow"
    ),
    "CONCEDED_BETTER": _notes("inconsistent", "a better number was conceded", "nothing to do: the spoken word binds"),
    "MISSING_PROOF": _notes("inconsistent", "the winning number was never shown", "add the show event if it happened"),
    # malformed
    "BAD_JSON": _malformed("the line is not JSON", "write one JSON object per line"),
    "BAD_UTF8": _malformed("the line is not UTF-8", "save the log as UTF-8"),
    "NUL_BYTE": _malformed("the line contains a NUL byte", "remove it; the file may be damaged or UTF-16"),
    "TOO_LONG": _malformed("the line is longer than the limit", "one line is one hand; check for missing newlines"),
    "TOO_DEEP": _malformed("the line is nested too deeply", "flatten the extension fields"),
    "NOT_AN_OBJECT": _malformed("the line is JSON but not an object", "write one JSON object per line"),
    "DUPLICATE_KEY": _malformed("a key is given twice", "keep one of the two"),
    "UNKNOWN_FIELD": _malformed(
        "the notation has no such field", "rename it, or start it with _ to keep it as an extension"
    ),
    "MISSING_FIELD": _malformed("a required field is missing", "add the field"),
    "WRONG_TYPE": _malformed("a field has the wrong type", "see `trucostats schema`"),
    "OUT_OF_RANGE": _malformed("a value is out of its range", "see `trucostats schema`"),
    "UNKNOWN_VERSION": _malformed("the notation version is not known", "this reader knows v 1"),
    "UNKNOWN_RULES": _malformed("the rule set or one of its options does not exist", "see `trucostats rules list`"),
    "SEAT_COUNT": _malformed("the fields do not agree on the number of seats", "one name and one hand for every seat"),
    "UNKNOWN_CARD": _malformed("there is no such card", "write it as 7c or 12e"),
    "UNKNOWN_EVENT": _malformed("no rule set knows this event", "see the notation for the words"),
    "UNKNOWN_SEAT": _malformed("there is no such seat at this table", "seats count from 0"),
    "TURNED_MISSING": _malformed(
        "this rule set turns a card, and the record does not name it", "add the field `turned`"
    ),
    "TURNED_UNUSED": _malformed("this rule set turns no card", "remove the field `turned`"),
    "FORMAT_UNUSED": _malformed("only six players have a format", "remove the field `format`"),
    "BAD_TIMES": _malformed("`times` needs one number per event, not decreasing", "check the times"),
    # inconsistent: with the record itself
    "POINTS_DIFFER": _differs("the log claims other points than the events give", "check the claim and the events"),
    "SCORE_OVER_TARGET": _differs("the score before the deal has already reached the target", "check the score"),
    "DECLARED_IMPOSSIBLE": _differs(
        "cards seen later contradict the declared number", "check the number and the cards"
    ),
    "FLOR_IMPOSSIBLE": _differs("cards seen later contradict the announced flor", "check the flor and the cards"),
    # inconsistent: with the neighbours in the match
    "SCORE_NOT_CARRIED": _differs("the score does not follow from the hand before", "check the score of both hands"),
    "DEALER_NOT_PASSED": _differs("the deal did not pass as the hand before says", "check the dealer of both hands"),
    "HAND_GAP": _notes("inconsistent", "hands are missing before this one", "add them if they exist"),
    "GAME_GAP": _notes("inconsistent", "games are missing before this one", "add them if they exist"),
    "HAND_AFTER_END": _differs("the game was already won before this hand", "start a new game or match"),
    "GAME_AFTER_END": _notes(
        "inconsistent", "a side had already won two games", "nothing to do unless this is a best of three"
    ),
    "GAME_UNFINISHED": _notes("inconsistent", "a new game began before this one was won", "add the missing hands"),
    "PLAYERS_CHANGED": _differs("the players differ from the hand before", "one match has the same players"),
    "RULES_CHANGED": _differs("the rules differ from the hand before", "one match has one rule set"),
    "FORMAT_NOT_NEXT": _differs("the format is not the one that comes next", "redonda and pica-pica take turns"),
    "HAND_CONFLICT": _differs(
        "the same hand is already here with other content",
        "the first stays; to have the other, ingest into a new folder",
    ),
    "HAND_REPEATED": _notes("inconsistent", "the same hand was already read", "nothing to do: it counts once"),
    # import of foreign logs
    "IMPORT_CONTRADICTION": _differs("the row contradicts itself", "see the message; the row is kept as it is"),
    "IMPORT_SKIPPED": _malformed("the row cannot be turned into a hand", "see the message"),
}


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return `; did you mean 'x'?` for the known word that is nearest, capitals apart, or nothing.

    >>> did_you_mean("Trucco", ["truc", "truco"]), did_you_mean("flor", ["truco"])
    ("; did you mean 'truco'?", '')
    """
    import difflib  # noqa: PLC0415  (only a fault needs it)

    names = {str(name).casefold(): str(name) for name in known}
    near = difflib.get_close_matches(str(word).casefold(), names, n=1, cutoff=0.6)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


CODE_NAMES: Final[tuple[str, ...]] = tuple(CODES)
CODE_INDEX: Final[dict[str, int]] = {name: index for index, name in enumerate(CODE_NAMES)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one line: where it is, what it is, what to do.

    `event` is the index of the event, `"deal"`, or None for the whole record; `line` counts from 1.
    """

    code: str
    message: str
    line: int | None = None
    file: str | None = None
    match: str | None = None
    game: int | None = None
    hand: int | None = None
    event: int | str | None = None

    @property
    def family(self) -> Family:
        """`malformed`, `illegal` or `inconsistent`."""
        return CODES[self.code].family

    @property
    def severity(self) -> Severity:
        """`error` or `warning`."""
        return CODES[self.code].severity

    @property
    def remedy(self) -> str:
        """What to do about it, in one phrase."""
        return CODES[self.code].remedy

    def __str__(self) -> str:
        """Tell the finding as one line of text: file, line, event, sentence, code.

        >>> str(Finding("NOT_OWNER", "only the side that accepted may raise; ben called truco", line=12, event=4))
        'line 12, event 4: only the side that accepted may raise; ben called truco [NOT_OWNER]'
        """
        place = [self.file] if self.file else []
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.event is not None:
            place.append("deal" if self.event == "deal" else f"event {self.event}")
        where = ", ".join(place)
        return f"{where}: {self.message} [{self.code}]" if where else f"{self.message} [{self.code}]"
