"""Perft: the reference numbers, and the kernel against pinned counts and against the oracle for every rule set and table.

`python tests/test_perft.py` writes the pinned counts anew, and refuses where kernel and oracle differ.
"""

import json
import random
import sys
from pathlib import Path

import oracle
import pytest
from cli_calls import rows_of, run

from trucostats.hand import Hand
from trucostats.notation import write_record
from trucostats.perft import Perft, divide, perft
from trucostats.rules import NAMES, rules_of
from trucostats.vocab import CARDS

# Every rule set of the texts: those with a name, and the variants.
SPECS = [
    *NAMES,
    {"base": "brasileiro", "scale": "2-4-8-12"},
    {"base": "brasileiro", "manilhas": "vira"},
    {"base": "brasileiro", "manilhas": "douradinha"},
]
FOLDER = Path(__file__).with_name("perft")
DUEL = Hand.deal("argentino", ["1e 3c 11o", "7e 2b 10c"])
LADDER = ("truco", "retruco", "vale-cuatro")
# The oracle walks about as many nodes a second.
ORACLE_NODES = 500
# Counts are pinned up to the first above this.
PINNED_NODES = 15_000


def hand_of(case):
    return Hand.deal(
        case["rules"], case["deal"], dealer=case["dealer"], score=tuple(case["score"]), turned=case["turned"], format=case["format"]
    )  # fmt: skip


def oracle_counts(hand, depth, **options):
    record = hand.record
    plain = {
        "v": 1, "match": "m", "hand": 1, "rules": record.rules, "players": record.players, "dealer": record.dealer,
        "score": list(record.score), "deal": record.deal, "events": record.events,
    }  # fmt: skip
    plain |= {"turned": hand.turned} if hand.turned else {}
    plain |= {"format": record.format} if record.format == "pica-pica" else {}
    return oracle.perft(plain, depth, with_declarations=True, **options)


@pytest.mark.parametrize(
    ("options", "counts", "leaves"),
    [
        ({"mazo": False, "calls": ()}, (3, 9, 18, 36), 36),
        ({"mazo": False, "calls": LADDER}, (4, 15, 42, 117, 225), 2441),
        ({"mazo": False}, (7, 37, 113, 342), None),
        ({}, (8, 44, 148, 445), None),
        ({"mazo": False, "stop_at_game_over": False}, (7, 37, 117, 380), 109_845),
    ],
)
def test_reference_deal(options, counts, leaves):
    """Two players, Argentine order, no flor, declarations omitted: two other implementations agree on these."""
    full = perft(DUEL, **options)
    assert full.counts[: len(counts)] == counts
    assert leaves in (None, full.leaves)
    assert perft(DUEL, len(counts), **options).counts == counts


def test_divide_adds_up():
    for depth in (1, 2, 5, None):
        for options in ({}, {"declarations": True}, {"calls": LADDER}):
            whole = perft(DUEL, depth, **options)
            assert sum(divide(DUEL, depth, **options).values()) == (
                whole.leaves if depth is None else whole.counts[depth - 1]
            )


def test_perft_goes_on_from_where_the_events_end():
    after = DUEL.play("0 envido", "1 quiero")
    assert perft(after, 1, declarations=True).counts == (len(after.legal()),)
    assert perft(after.record, 3) == perft(after, 3)
    assert perft(DUEL.play("0 mazo")) == Perft((), 1)


def test_unknown_call_is_named():
    with pytest.raises(ValueError, match="no call 'truco!'"):
        perft(DUEL, calls=["truco!"])


def cases():
    return [case for path in sorted(FOLDER.glob("*.json")) for case in json.loads(path.read_text("utf-8"))]


def test_every_rule_set_and_table_is_pinned():
    wanted = {
        (str(rules_of(spec)), seats, form)
        for spec in SPECS
        for seats in rules_of(spec).players
        for form in (None, "pica-pica")[: 1 + (seats == 6)]
    }
    assert {(str(rules_of(case["rules"])), len(case["deal"]), case["format"]) for case in cases()} == wanted


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_pinned_counts(case):
    assert list(perft(hand_of(case), len(case["counts"]), declarations=True).counts) == case["counts"]


def deepest(case):
    """The most events whose histories the oracle can count."""
    return max(depth for depth, count in enumerate(case["counts"], 1) if count <= ORACLE_NODES)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_oracle_counts_the_same_below_each_event(case):
    hand, depth = hand_of(case), deepest(case)
    below = divide(hand, depth, declarations=True)
    assert below == {event: oracle_counts(hand.play(event), depth - 1) for event in hand.legal()}
    assert sum(below.values()) == case["counts"][depth - 1]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_the_command_divides_every_pinned_deal(case, tmp_path):
    path = tmp_path / "position.jsonl"
    path.write_bytes(write_record(hand_of(case).record))
    depth = deepest(case)
    rows = rows_of(run("perft", path, "--depth", str(depth), "--divide", "--declarations", "--format", "json"))
    assert [row["event"] for row in rows] == [*hand_of(case).legal(), "all"]
    assert rows[-1]["histories"] == sum(row["histories"] for row in rows[:-1]) == case["counts"][depth - 1]


def deals(spec, seats, form):
    """A fresh deal at 0-0 with a flor where that matters, a late score, and a partly unknown deal."""
    rules = rules_of(spec)
    name = "-".join(spec.values()) if isinstance(spec, dict) else spec
    rng = random.Random(f"{name} {seats} {form}")
    for kind in ("early", "late", "partial"):
        cards = rng.sample(CARDS, 3 * seats + 1)
        hands = [cards[3 * seat : 3 * seat + 3] for seat in range(seats)]
        if rules.flor and kind == "early":
            suit = [card for card in CARDS if card[-1] == "o" and card != cards[-1]]
            rest = [card for card in CARDS if card[-1] != "o" and card != cards[-1]]
            flores = rng.sample(suit, 6)
            others = rng.sample(rest, 3 * seats)
            hands = [flores[:3], flores[3:], *(others[3 * seat : 3 * seat + 3] for seat in range(seats - 2))]
        score = [0, 0]
        if kind == "late":
            special = dict(rules.special_hand)["at"] if rules.special_hand else rules.target - 2
            score = [special, rules.target - 3]
        deal = [" ".join(hand) for hand in hands]
        if kind == "partial":
            deal[1] = None
        yield {
            "id": f"{name}-{seats}{'-pica' * (form == 'pica-pica')}-{kind}", "rules": spec, "dealer": rng.randrange(seats), "score": score,
            "turned": cards[-1] if rules.turns_card else None, "format": form, "deal": deal,
        }  # fmt: skip


def pinned(case):
    """The counts of a deal; ends the program where kernel and oracle differ."""
    hand = hand_of(case)
    counts = list(perft(hand, 1, declarations=True).counts)
    while counts[-1] <= PINNED_NODES and len(counts) < 8:
        deeper = list(perft(hand, len(counts) + 1, declarations=True).counts)
        if len(deeper) == len(counts):
            break
        counts = deeper
    for at, count in enumerate(counts, 1):
        if count <= ORACLE_NODES and (judged := oracle_counts(hand, at)) != count:
            sys.exit(
                f"{case}: depth {at}: kernel {count}, oracle {judged}; first events: {divide(hand, at, declarations=True)}"
            )
    return counts


def pin():
    for name in NAMES:
        found = [
            case | {"counts": pinned(case)}
            for spec in SPECS
            if rules_of(spec).name == name
            for seats in rules_of(spec).players
            for form in (None, "pica-pica")[: 1 + (seats == 6)]
            for case in deals(spec, seats, form)
        ]
        text = ",\n".join(json.dumps(case) for case in found)
        (FOLDER / f"{name}.json").write_text(f"[\n{text}\n]\n", "utf-8")
        print(name, *(f"\n  {case['id']} {case['counts']}" for case in found))


if __name__ == "__main__":
    pin()
