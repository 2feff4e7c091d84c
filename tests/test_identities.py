"""Identities between deals and between rule sets: other seats, other suits, other words, the same tree and the same points."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from trucostats.hand import Hand
from trucostats.kernel.params import FACE, NO_TURNED, PIEZA, STRENGTH, card_tables
from trucostats.perft import divide, perft
from trucostats.rules import NAMES, Rules, rules_of
from trucostats.series import Format
from trucostats.vocab import CARD_INDEX, CARDS, RANKS, SUITS

# Every rule set with every number of players, and six in duels.
TABLES: list[tuple[str, int, Format | None]] = [
    (name, seats, form)
    for name in NAMES
    for seats in rules_of(name).players
    for form in ((None, "pica-pica") if seats == 6 else (None,))
]
# Endings of a tree are counted where it has no more than so many histories.
WALKED = 250
DEALS = 4

Rename = Callable[[str], str]


def same(text: str) -> str:
    return text


def rules_for(name: str, **options: Any) -> Rules:
    return rules_of({"base": name, **options})


def dealt(rng: random.Random, rules: Rules, seats: int, pack: list[str] | None = None) -> dict[str, Any]:
    """Arguments of a random deal; its score is often late, where the end of the game and the special hands are."""
    turned = rng.choice(CARDS) if rules.turns_card else None
    cards = rng.sample([card for card in pack or CARDS if card != turned], 3 * seats)
    late = [max(0, rules.target - rng.randint(1, 4)) for _ in (0, 1)]
    return {
        "hands": [" ".join(cards[3 * seat : 3 * seat + 3]) for seat in range(seats)],
        "dealer": rng.randrange(seats),
        "score": tuple(rng.choice([late, [0, 0], [rng.randrange(rules.target), late[1]]])),
        "turned": turned,
    }


def endings(hand: Hand, depth: int | None, swapped: bool = False, mazo: bool = True) -> Counter[tuple[Any, ...]]:
    """Count how the histories of a hand end, or where they stand after `depth` events: points, winners and tricks, by side."""

    def side(winner: Any) -> Any:
        return winner if winner is None or winner == "tie" else (winner + swapped) % 2

    found: Counter[tuple[Any, ...]] = Counter()
    walk = [(hand, 0)]
    while walk:
        at, done = walk.pop()
        events = [] if depth == done else [event for event in at.legal() if not (event.endswith("mazo") and not mazo)]
        walk += [(at.play(event), done + 1) for event in events]
        if not events:
            end = at.settled()
            points = tuple((family, won and tuple(won[:: -1 if swapped else 1])) for family, won in end.points.items())
            found[points, side(end.winner), side(end.game_winner), tuple(map(side, end.tricks)), end.stake] += 1
    return found


def assert_alike(one: Hand, two: Hand, rename: Rename, *, swapped: bool = False) -> None:
    """Assert that two hands have the same tree: counts by depth, counts below each first event, and ways to end."""
    counts = perft(one, 4, declarations=True)
    assert perft(two, 4, declarations=True) == counts
    for depth in range(1, len(counts.counts) + 1):
        below = divide(one, depth, declarations=True)
        assert divide(two, depth, declarations=True) == {rename(event): count for event, count in below.items()}
    walked = max((depth for depth, count in enumerate(counts.counts, 1) if count <= WALKED), default=0)
    assert endings(one, walked) == endings(two, walked, swapped)


@pytest.mark.parametrize("name", NAMES)
def test_cards_alone_have_36_histories(name: str) -> None:
    """Whatever was dealt: 3 x 3, then at most one trick is left to choose in, and ties and wins end the hand alike."""
    rng = random.Random(f"cards {name}")
    specs = [{"players": [2], "covered_from": None}]
    if name == "brasileiro":
        specs += [specs[0] | {"manilhas": word, "scale": "2-4-8-12"} for word in ("vira", "douradinha")]
    for spec in specs:
        rules = rules_for(name, **spec)
        for _ in range(150):
            hand = Hand.deal(rules, **dealt(rng, rules, 2) | {"score": (0, 0)})
            assert perft(hand, mazo=False, calls=()).leaves == 36
            assert perft(hand, mazo=False, calls=()).counts[:4] == (3, 9, 18, 36)


@pytest.mark.parametrize(("name", "seats", "form"), TABLES)
def test_other_seats_have_the_same_tree(name: str, seats: int, form: Format | None) -> None:
    rng = random.Random(f"seats {name} {seats} {form}")
    rules = rules_of(name)
    for _ in range(DEALS):
        deal = dealt(rng, rules, seats)
        plain = Hand.deal(rules, **deal, format=form)
        for by in {1, rng.randrange(1, seats)}:
            hands, score = deal["hands"], deal["score"]
            moved = deal | {
                "hands": hands[-by:] + hands[:-by],
                "dealer": (deal["dealer"] + by) % seats,
                "score": score[::-1] if by % 2 else score,
            }
            assert_alike(
                plain, Hand.deal(rules, **moved, format=form),
                lambda event, by=by: f"{(int(event[0]) + by) % seats}{event[1:]}",  # type: ignore[misc]
                swapped=by % 2 == 1,
            )  # fmt: skip


def swap_cards(deal: dict[str, Any], other: dict[str, str]) -> tuple[dict[str, Any], Rename]:
    """The deal with other cards, and the renaming of its events."""

    def rename(text: str) -> str:
        return " ".join(other.get(word, word) for word in text.split(" "))

    turned = deal["turned"] and other.get(deal["turned"], deal["turned"])
    return deal | {"hands": [rename(hand) for hand in deal["hands"]], "turned": turned}, rename


@pytest.mark.parametrize(("name", "seats", "form"), TABLES)
def test_equal_cards_have_the_same_tree(name: str, seats: int, form: Format | None) -> None:
    """Without envido and flor only the strength of a card matters."""
    rng = random.Random(f"equal {name} {seats} {form}")
    rules = rules_for(name, envido=False, flor=False)
    for _ in range(DEALS):
        deal = dealt(rng, rules, seats)
        turned = CARD_INDEX[deal["turned"]] if deal["turned"] else NO_TURNED
        strength = card_tables(rules)[turned][STRENGTH]
        other: dict[str, str] = {}
        for level in set(strength.tolist()):
            equal = [CARDS[card] for card in range(40) if strength[card] == level and card != turned]
            other |= dict(zip(equal, rng.sample(equal, len(equal)), strict=True))
        swapped, rename = swap_cards(deal, other)
        assert_alike(Hand.deal(rules, **deal, format=form), Hand.deal(rules, **swapped, format=form), rename)


def suits_alike(rules: Rules, other: dict[str, str], turned: str | None) -> list[str]:
    """The ranks whose cards count the same in every way once all suits have changed."""
    tables = card_tables(rules)
    before = tables[CARD_INDEX[turned] if turned else NO_TURNED]
    after = tables[CARD_INDEX[other[turned]] if turned else NO_TURNED]
    return [
        rank
        for rank in RANKS
        if all(
            before[kind][CARD_INDEX[rank + suit]] == after[kind][CARD_INDEX[other[rank + suit]]]
            for kind in (STRENGTH, FACE, PIEZA)
            for suit in SUITS
        )
    ]


@pytest.mark.parametrize(("name", "seats", "form"), TABLES)
def test_other_suits_have_the_same_tree(name: str, seats: int, form: Format | None) -> None:
    """Envido and flor ask only which cards are of one suit: the suits may change, the turned card's too, where no card is above its rank."""
    rng = random.Random(f"suits {name} {seats} {form}")
    rules = rules_for(name, envido=True, flor=True)
    tried = flores = 0
    while tried < DEALS:
        other_suit = dict(zip(SUITS, rng.sample(SUITS, 4), strict=True))
        other = {card: card[:-1] + other_suit[card[-1]] for card in CARDS}
        turned = rng.choice(CARDS) if rules.turns_card else None
        pack = [rank + suit for rank in suits_alike(rules, other, turned) for suit in SUITS if rank + suit != turned]
        if other_suit == {suit: suit for suit in SUITS} or len(pack) < 3 * seats:
            continue
        deal = dealt(rng, rules, seats, pack) | {"turned": turned}
        if tried % 2:  # as many flores as the pack gives
            cards = sorted(rng.sample(pack, len(pack)), key=lambda card: card[-1])
            deal["hands"] = [" ".join(cards[3 * seat : 3 * seat + 3]) for seat in range(seats)]
        swapped, rename = swap_cards(deal, other)
        plain = Hand.deal(rules, **deal, format=form)
        flores += any(plain.flor(seat) is not None for seat in range(seats))
        assert_alike(plain, Hand.deal(rules, **swapped, format=form), rename)
        tried += 1
    assert flores


# Argentino without envido, and truc: what has to be the same for one tree, in the manner of either. The rest of what differs does not
# show: words, who may sit down, deals that do not occur here, and in the first the end of the game.
UNSEEN = {"ladder", "players", "one_card", "evidence", "target", "special_hand"}
TRUC = rules_of("truc")
WORDS = {"truc": "truco", "retruc": "retruco"}
TO_ARGENTINO: tuple[dict[str, Any], dict[str, Any]] = (
    {"envido": False, "order_strong_to_weak": list(TRUC.order_strong_to_weak), "ladder": [["truco", 2], ["retruco", 3]]},
    {"truco_timing": "turn_before", "accept_by_play": False},
)  # fmt: skip
TO_TRUC: tuple[dict[str, Any], dict[str, Any]] = (
    TO_ARGENTINO[0] | {
        "truco_timing": "turn_any", "accept_by_play": True, "target": 12, "special_hand": dict(TRUC.special_hand)
    },
    {},
)  # fmt: skip


def as_argentino(event: str) -> str:
    return " ".join(WORDS.get(word, word) for word in event.split(" "))


def first_difference(argentino: dict[str, Any], truc: dict[str, Any], scores: list[tuple[int, int]]) -> str | None:
    """Say in what the two differ over many deals, or None."""
    rng = random.Random("truc and argentino")
    one, two = rules_for("argentino", **argentino), rules_for("truc", **truc)
    for _ in range(60):
        seats = rng.choice((2, 2, 4))
        deal = dealt(rng, two, seats) | {"score": rng.choice(scores)}
        left, right = Hand.deal(one, **deal), Hand.deal(two, **deal)
        for mazo in (True, False):
            if perft(left, 6, mazo=mazo) != perft(right, 6, mazo=mazo):
                return "counts"
            if divide(left, 5, mazo=mazo) != {as_argentino(e): n for e, n in divide(right, 5, mazo=mazo).items()}:
                return "events"
        if endings(left, 3) != endings(right, 3):
            return "endings"
    return None


@pytest.mark.parametrize(
    ("options", "scores"),
    [(TO_ARGENTINO, [(0, 0), (3, 7)]), (TO_TRUC, [(0, 0), (3, 7), (10, 4), (11, 9), (8, 11), (11, 11)])],
    ids=["as argentino", "as truc"],
)
def test_argentino_without_envido_is_truc(
    options: tuple[dict[str, Any], dict[str, Any]], scores: list[tuple[int, int]]
) -> None:
    assert first_difference(*options, scores) is None
    argentino, truc = (
        dict(rules_for(name, **own).values) for name, own in zip(("argentino", "truc"), options, strict=True)
    )
    assert {option for option in truc if truc[option] != argentino[option]} <= UNSEEN
    # Each of the options is needed.
    for which in (0, 1):
        for option in options[which]:
            less = tuple(
                {k: v for k, v in side.items() if k != option or at != which} for at, side in enumerate(options)
            )
            assert first_difference(less[0], less[1], scores) is not None, option
