"""The command to practise with: quiz."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trucostats.cli.advice_page import percent
from trucostats.cli.app import GAME, announce_compiling, examples, usage_error
from trucostats.cli.output import printable, write_text

if TYPE_CHECKING:
    from datetime import date

    from trucostats.advisor.advise import Advice
    from trucostats.advisor.quiz import Deck, Spot


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the app."""
    app.command(rich_help_panel=GAME, epilog=_QUIZ)(quiz)


_QUIZ = examples(
    "quiz",
    "quiz --count 5 --seed 7",
    "quiz --from club.jsonl --player ana",
    "printf '1\\n2\\n' | trucostats quiz --count 2",
)


def quiz(
    *,
    count: Annotated[int, typer.Option(min=1, help="How many spots to ask.")] = 10,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="LOG|DIR", help="Ask the bad decisions of a log, or of a dataset with decisions."
        ),
    ] = None,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="With --from: those of this player.")] = None,
    seed: Annotated[int | None, typer.Option(help="Deal the same spots again.")] = None,
    deck: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where the deck is kept; in the data folder of the user if left out."),
    ] = None,
    lang: Annotated[Literal["en", "es", "pt"], typer.Option(help="The language of the spots and reasons.")] = "en",
) -> None:
    """Ask what to do in spots, grade the answers by what they lose, and ask again when a spot is due.

    First the spots of the deck that are due, then new ones. An answer is the number of an option or its word; the end of the input, or
    an interrupt, ends with the account.
    """
    if player is not None and source is None:
        raise usage_error("--player goes with --from")
    from datetime import UTC, datetime  # noqa: PLC0415

    announce_compiling()
    from trucostats.advisor import quiz as spots  # noqa: PLC0415
    from trucostats.advisor.advise import advise  # noqa: PLC0415

    path = Path(deck) if deck is not None else spots.deck_path()
    kept, today = spots.Deck.read(path), datetime.now(UTC).astimezone().date()
    losses: list[float] = []
    try:
        for number, (spot, known) in enumerate(_asked(kept, today, source, player, seed), start=1):
            advice = known or advise(spot.position, target=spots.TARGET)
            action = _ask(number, spot, advice, lang)
            if action is None:
                break
            answer = spots.grade(advice, action, lang)
            losses.append(answer.loss)
            card = kept.learn(spot, answer.mark, today)
            kept.write(path)
            verdict = (
                "right"
                if answer.loss == 0
                else f"{answer.mark or 'fine'}: {answer.loss:.2f} points lost, best is {answer.best.action}"
            )
            worths = ", ".join(
                f"{option.action} {percent(option.match) if advice.by_match else f'{option.points:+.2f}'}"
                for option in spots.real(advice)
            )
            write_text(
                printable(f"{verdict}. {answer.why}\n({worths}; {spot.source}; again on {card.due})\n", keep="\n")
            )
            if number >= count:
                break
    except KeyboardInterrupt:
        write_text("")
    right = sum(loss == 0 for loss in losses)
    mean = f", {sum(losses) / len(losses):.3f} points lost on average" if losses else ""
    write_text(f"{len(losses)} answered, {right} right{mean}. The deck has {len(kept.cards)} spots: {path}")


def _asked(
    kept: Deck, today: date, source: str | None, player: str | None, seed: int | None
) -> Iterator[tuple[Spot, Advice | None]]:
    """Yield the spots to ask: those that are due, then those that the deck does not have."""
    from trucostats.advisor import quiz as spots  # noqa: PLC0415

    keys = set(kept.cards)
    yield from ((spot, None) for spot in kept.due(today))
    fresh: Iterator[tuple[Spot, Advice | None]]
    fresh = iter(spots.dealt_spots(seed)) if source is None else ((spot, None) for spot in _mistakes(source, player))
    yield from ((spot, advice) for spot, advice in fresh if spot.key not in keys)


def _mistakes(source: str, player: str | None) -> Iterator[Spot]:
    from trucostats.advisor.quiz import spot_at, spots_of  # noqa: PLC0415

    if not (Path(source) / "dataset.json").is_file():
        from trucostats.advisor.losses import QUICK  # noqa: PLC0415
        from trucostats.advisor.review import review  # noqa: PLC0415

        yield from spots_of(review(source, player=player, effort=QUICK).decisions)
        return
    from trucostats.queries import sql  # noqa: PLC0415

    query = (
        "SELECT DISTINCT ON (hand_id, event) file, line, event, normal FROM decisions JOIN hands USING (hand_id) "
        "WHERE mark IS NOT NULL AND status IN ('solved', 'exact') AND ($player IS NULL OR player = $player) ORDER BY hand_id, event"
    )
    for row in sorted(sql(query, source, params={"player": player}).rows(), key=lambda row: -row["normal"]):
        yield spot_at(row["file"], row["line"], row["event"])


def _ask(number: int, spot: Spot, advice: Advice, lang: Literal["en", "es", "pt"]) -> str | None:
    """Show a spot and return the action that was chosen; None where the input ends."""
    from trucostats.advisor.quiz import real  # noqa: PLC0415
    from trucostats.tell import tell  # noqa: PLC0415

    words = [option.action for option in real(advice)]
    record = spot.hand.record
    lines = list(tell(record, language=lang).splitlines()[1:])
    listed = "  ".join(f"{place}) {word}" for place, word in enumerate(words, start=1))
    write_text(printable("\n".join([f"— {number} —", *lines, f"{spot.hand.players[spot.hero]}: {listed}"]), keep="\n"))
    while True:
        sys.stdout.write("? ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            write_text("")
            return None
        said = line.strip().casefold()
        if said.isdecimal() and 0 < int(said) <= len(words):
            return words[int(said) - 1]
        if said in words:
            return said
        write_text(printable(f"{said!r} is no option; write a number from 1 to {len(words)}, or its word"))
