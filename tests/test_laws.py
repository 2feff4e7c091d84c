"""Laws that hold for every hand of every rule set, tried on random walks."""

import json
import os
import random
import subprocess
import sys

import pytest
from random_hands import random_record

from trucostats.batch import read_batch
from trucostats.errors import NotationError, RulesError
from trucostats.hand import Hand, positions
from trucostats.kernel.engine import step
from trucostats.kernel.params import NO_TURNED, STRENGTH, card_tables
from trucostats.kernel.state import OK
from trucostats.notation import canonical, decode_line, write_record
from trucostats.replay import replay_batch
from trucostats.rules import NAMES, rules_of
from trucostats.simulate import simulate
from trucostats.verdicts import verdict
from trucostats.vocab import CARD_INDEX, CARDS, NO_CARD, RAISES, VERB_INDEX, VERBS, event_name, pack

TABLES = [(name, seats) for name in NAMES for seats in rules_of(name).players]
WITH_CARD = ("play", "cover", *RAISES)
VOCABULARY = [pack(verb) for verb in VERBS if verb not in ("show", "declare", "play", "cover")]
VOCABULARY += [pack("play", card) for card in range(40)] + [pack("cover", card) for card in (*range(40), NO_CARD)]
VOCABULARY += [pack("declare", number) for number in range(48)] + [
    pack(word, card + 1) for word in RAISES for card in range(40)
]
UNNAMED = pack("cover", NO_CARD)


def records_of(rules, seats, **options):
    return [decode_line(line) for line in simulate(rules, players=seats, policy="random", **options)]


def odd_records(name, count):
    """Records with options, unknown cards and faults; those that are no records left out."""
    rng = random.Random(f"laws {name}")
    found = []
    while len(found) < count:
        record = random_record(rng, name, rng.choice(rules_of(name).players), rng.random() < 0.4)
        try:
            found.append(decode_line(json.dumps(record).encode()))
        except (NotationError, RulesError):
            continue
    return found


def verdicts(lines):
    batch = read_batch(lines)
    replayed = replay_batch(batch)
    return [verdict(batch, replayed, i) for i in range(len(batch))]


def walk(record):
    """The positions of a record up to its first fault."""
    try:
        yield from positions(record)
    except Exception as error:
        assert type(error).__name__ == "IllegalEvent"


@pytest.mark.parametrize("name", NAMES)
def test_legal_list_is_what_is_accepted_and_a_refusal_changes_nothing(name):
    """Every seat tries every event of the vocabulary at random moments."""
    rng = random.Random(name)
    tried = accepted_in_all = 0
    for record in odd_records(name, 30):
        hands = list(walk(record))
        for hand in rng.sample(hands, min(2, len(hands))):
            listed = set(hand.actions())
            states, row, cards = hand.kernel
            before = states[0].tobytes()
            accepted = set()
            for seat in range(hand.seats):
                for code in VOCABULARY:
                    if step(states, row, cards, seat, code) == OK:
                        accepted.add((seat, code))
                        states, _, _ = hand.kernel
                    else:
                        assert states[0].tobytes() == before, f"{hand!r}: {seat} {event_name(code)}"
            # A covered card need not be named, also where all are known; the list then names them.
            unnamed = {(seat, UNNAMED) for seat, code in listed if code & 31 == VERB_INDEX["cover"]}
            assert accepted - unnamed == listed - unnamed, f"{hand.record}"
            assert unnamed <= accepted
            tried += 1
            accepted_in_all += len(accepted)
    assert tried >= 30
    assert accepted_in_all > tried


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_hand_cut_anywhere_is_a_legal_position(name, seats):
    for view in (None, seats - 1):
        records = records_of(name, seats, hands=8, seed=1, view=view)
        cuts = []
        for record in records:
            plain = json.loads(write_record(record))
            plain.pop("points")
            cuts += [plain | {"events": plain["events"][:end]} for end in range(len(plain["events"]))]
        found = verdicts([json.dumps(cut).encode() for cut in cuts])
        assert all(one["legal"] and one["status"] in ("open", "complete") for one in found)
        # What follows a cut is one of the events that the position lists.
        for record in records:
            for hand, event in zip(positions(record), record.events, strict=True):
                assert event in hand.legal() or event.endswith("cover")


@pytest.mark.parametrize("name", NAMES)
def test_writing_and_reading_give_the_record_back(name):
    for record in odd_records(name, 60):
        line = write_record(record)
        assert decode_line(line) == canonical(record)
        assert write_record(decode_line(line)) == line


@pytest.mark.parametrize("name", NAMES)
def test_hand_and_replay_say_the_same(name):
    for record in odd_records(name, 40):
        (told,) = verdicts([write_record(record)])
        hands = list(walk(record))
        if not told["legal"]:
            assert len(hands) == (0 if told["illegal_at"] == "deal" else told["illegal_at"] + 1)
            continue
        hand = Hand.from_record(record).settled()
        for key in ("stake", "turn", "pending", "game_over", "game_winner", "void"):
            assert getattr(hand, key) == told[key], key
        assert list(hand.tricks) == told["tricks"]
        assert list(hand.leaders) == told["leaders"]
        assert hand.score == (told["score_after"] and tuple(told["score_after"]))
        assert {family: won and list(won) for family, won in hand.points.items()} == {
            f: told["points"][f] for f in ("envido", "flor", "truco")
        }
        assert [hand.envido(seat) for seat in range(hand.seats)] == told["envido_values"]


def turned_seats(record, by):
    """The same hand with everybody `by` seats further round the table."""
    n = len(record["players"])
    moved = dict(record)
    for field in ("players", "deal"):
        moved[field] = [record[field][(seat - by) % n] for seat in range(n)]
    moved["dealer"] = (record["dealer"] + by) % n
    for field in ("score", "points"):
        moved[field] = [record[field][(side + by) % 2] for side in range(2)]
    moved["events"] = [f"{(int(event[0]) + by) % n}{event[1:]}" for event in record["events"]]
    return moved


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_turning_the_table_changes_nothing_but_seats(name, seats):
    plain = [json.loads(write_record(record)) for record in records_of(name, seats, hands=12, seed=4)]
    told = verdicts([json.dumps(record).encode() for record in plain])
    for by in range(1, seats):
        moved = verdicts([json.dumps(turned_seats(record, by)).encode() for record in plain])
        for before, after in zip(told, moved, strict=True):

            def side(winner, by=by):
                return winner if winner in (None, "tie") else (winner + by) % 2

            assert after["status"] == before["status"] == "complete"
            assert after["tricks"] == [side(winner) for winner in before["tricks"]]
            assert after["leaders"] == [(seat + by) % seats for seat in before["leaders"]]
            assert after["score_after"] == [before["score_after"][(which + by) % 2] for which in range(2)]
            assert after["game_winner"] == side(before["game_winner"])
            assert after["envido_values"] == [before["envido_values"][(seat - by) % seats] for seat in range(seats)]
            assert after["next_dealer"] == (before["next_dealer"] + by) % seats
            assert [finding["code"] for finding in after["findings"]] == [
                finding["code"] for finding in before["findings"]
            ]


@pytest.mark.parametrize("name", [name for name in NAMES if not rules_of(name).flor])
def test_equal_cards_may_change_places(name):
    """Without envido and flor only the strength of a card matters."""
    rng = random.Random(name)
    spec = {"base": name, "envido": False}
    rules = rules_of(spec)
    for record in records_of(spec, rules.players[-1], hands=30, seed=6):
        plain = json.loads(write_record(record))
        turned = CARD_INDEX[plain["turned"]] if rules.turns_card else NO_TURNED
        strength = card_tables(rules)[turned][STRENGTH]
        other = {}
        for level in set(strength.tolist()):
            equal = [CARDS[card] for card in range(40) if strength[card] == level and card != turned]
            other |= dict(zip(equal, rng.sample(equal, len(equal)), strict=True))

        def swap(text, other=other):
            return " ".join(other.get(word, word) for word in text.split(" "))

        swapped = plain | {
            "deal": [swap(hand) for hand in plain["deal"]],
            "events": [swap(event) for event in plain["events"]],
        }
        before, after = verdicts([json.dumps(one).encode() for one in (plain, swapped)])
        for told in (before, after):
            told.pop("envido_values")
            told.pop("flor_values")
            told.pop("line")
        assert before == after


def test_plain_python_judges_the_same():
    """JIT on and off: verdicts of random records with options, unknown cards and faults."""
    lines = b"\n".join(write_record(record) for name in NAMES for record in odd_records(name, 30))
    script = (
        "import json, sys\nfrom trucostats.batch import read_batch\nfrom trucostats.replay import replay_batch\n"
        "from trucostats.verdicts import verdict\nbatch = read_batch(sys.stdin.buffer.read().split(b'\\n'))\n"
        "replayed = replay_batch(batch)\nprint(*(json.dumps(verdict(batch, replayed, i)) for i in range(len(batch))), sep='\\n')"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", script], input=lines, env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True, check=True,
        ).stdout
        for disabled in ("0", "1")
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"\n") == 30 * len(NAMES)
