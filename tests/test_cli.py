"""The commands: every one, every format, exit codes, and one line for everything that goes wrong."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from cli_calls import (
    DONE,
    FINDINGS,
    GARBAGE,
    GOOD,
    OWN_CALL,
    REFUSED,
    ROOT,
    ingested,
    mixture,
    refused,
    rows_of,
    run,
    shell,
    simulated,
)
from test_import_ufsm import file_of
from test_import_ufsm import row as ufsm_row

from trucostats.errors import CODES
from trucostats.rules import NAMES, rules_of, variants
from trucostats.rules.describe import describe, differences, rules_markdown
from trucostats.rules.house import parse_rules
from trucostats.rules.options import OPTIONS

GROUPS = {
    "blueprint": ["build", "show"],
    "import": ["ufsm"],
    "rules": ["list", "show", "diff"],
    "stats": ["list", "describe", "run"],
}
PLAIN = [
    "ingest",
    "validate",
    "replay",
    "show",
    "simulate",
    "perft",
    "schema",
    "query",
    "plot",
    "met",
    "advise",
    "solve",
    "review",
    "quiz",
    "exploit",
]
COMMANDS = [[name] for name in PLAIN] + [[name, part] for name, parts in GROUPS.items() for part in parts]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulated(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def tables(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ingested(log, tmp_path_factory.mktemp("data"))


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    return mixture(tmp_path)


# Help


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == DONE
    about = result.stdout.split("\n\n")[1].strip()
    assert len(about) > 15
    assert (
        f"  trucostats {' '.join(command if command != ['stats', 'run'] else ['stats'])}"
        in result.stdout.split("Examples:")[1]
    )
    assert run(*command, "-h").stdout == result.stdout


def test_every_option_says_what_it_is() -> None:
    for command in COMMANDS:
        text = run(*command, "--help").stdout
        for section in ("Arguments", "Options"):
            if f"{section}:\n" not in text:
                continue
            body = text.split(f"{section}:\n")[1].split("\n\n")[0]
            for entry in re.split(r"\n(?=  \S)", "\n" + body)[1:]:
                assert len(entry.split()) > 2, (command, entry)


def test_the_help_lists_every_command_in_a_panel() -> None:
    text = run("--help").stdout
    panels = re.findall(r"^(Logs|Statistics|The game):\n((?:  .*\n)+)", text, re.MULTILINE)
    assert [panel for panel, _ in panels] == ["Logs", "Statistics", "The game"]
    listed = [line.split()[0] for _, body in panels for line in body.splitlines() if re.match(r"  \S", line)]
    assert sorted(listed) == sorted([*PLAIN, *GROUPS])
    assert "Exit codes" in text
    assert run().stdout == text


def test_the_examples_parse() -> None:
    """No example uses a command or an option that does not exist."""
    for command in COMMANDS:
        for line in run(*command, "--help").stdout.split("Examples:\n")[1].splitlines():
            words = line.split()
            if words[:1] != ["trucostats"]:
                continue
            text = run(*command, "--help").stdout
            for word in words:
                if word.startswith("--"):
                    assert word in text, line


def test_version() -> None:
    assert re.fullmatch(r"trucostats \d+\.\d+\.\d+\S*\n", run("--version").stdout)


def test_a_wrong_command_or_option_is_one_line_with_a_hint() -> None:
    assert "'replay'" in refused("reply")
    assert "trucostats validate --help" in refused("validate", "--jsno", "x")
    assert "'FILE'" in refused("replay") or "FILE" in refused("replay")
    assert "--out" in refused("ingest", "x.jsonl")


def test_completion_knows_commands_rule_sets_and_statistics() -> None:
    for words, expected in (
        ("trucostats ", b"validate"),
        ("trucostats rules show g", b"gaucho"),
        ("trucostats stats describe hand_w", b"hand_win"),
        ("trucostats stats hand_w", b"hand_win"),
        ("trucostats rules pa", b"paulista"),
        ("trucostats stats hand_win --ta", b"--tables"),
    ):
        env = {
            "_TRUCOSTATS_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        }
        done = shell(env=env)
        assert expected in done.stdout, done


# What is imported


def test_help_and_the_package_load_nothing_heavy() -> None:
    heavy = ("numba", "duckdb", "pandas", "polars", "matplotlib", "numpy", "pyarrow", "msgspec")
    check = f"import sys; print([name for name in {heavy!r} if name in sys.modules])"
    for code in (
        "import trucostats",
        "import trucostats.cli",
        "from trucostats.cli import app\ntry: app(['--help'])\nexcept SystemExit: pass",
        "from trucostats.cli import app\ntry: app(['stats', '--help'])\nexcept SystemExit: pass",
        "from trucostats.cli import app\ntry: app(['rules', 'show', 'truc'])\nexcept SystemExit: pass",
    ):
        done = subprocess.run([sys.executable, "-c", f"{code}\n{check}"], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]", code


def test_help_takes_less_than_twice_the_time_of_its_libraries() -> None:
    def fastest(code: str) -> float:
        times = []
        for _ in range(7):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
            times.append(time.perf_counter() - start)
        return min(times)

    help_code = "from trucostats.cli import app\ntry: app(['--help'])\nexcept SystemExit: pass"
    ratios = []
    for _ in range(3):
        ratios.append(fastest(help_code) / fastest("import typer, rich"))
        if ratios[-1] < 2:
            return
    pytest.fail(f"{ratios}")


# ingest


def test_ingest_accounts_for_every_line(mixed: Path, tmp_path: Path) -> None:
    out = tmp_path / "tables"
    result = run("ingest", mixed, mixed, "--out", out, "--jobs", "1")
    assert result.exit_code == FINDINGS
    assert "5 lines (and 1 blank): 2 hands accepted, 3 lines rejected, 0 duplicates" in result.stdout
    assert f"rejected lines: {out}/rejects.jsonl" in result.stdout
    away, _, kept = result.stdout.partition("in accepted hands; illegal ones are kept up to the fault")
    for code in ("MISSING_FIELD", "BAD_JSON", "BAD_UTF8"):
        assert code in away
    assert "OWN_CALL" in kept
    assert len((out / "rejects.jsonl").read_text().splitlines()) == 3


def test_ingest_of_good_hands_is_done_and_again_all_are_duplicates(log: Path, tmp_path: Path) -> None:
    first, second = (run("ingest", log, "--out", tmp_path / "t", "--jobs", "1") for _ in range(2))
    assert (first.exit_code, second.exit_code) == (DONE, DONE)
    hands = len(log.read_text().splitlines())
    assert f"{hands:,} hands accepted, 0 lines rejected, 0 duplicates" in first.stdout
    assert f"0 hands accepted, 0 lines rejected, {hands:,} duplicates" in second.stdout
    assert first.stderr == "" or "compiling" in first.stderr


def test_ingest_reads_standard_input_and_can_be_quiet(tmp_path: Path) -> None:
    result = run("ingest", "-", "--out", tmp_path / "t", "--quiet", stdin=GOOD + "\n")
    assert (result.exit_code, result.output) == (DONE, "")


def test_ingest_strict_stops_at_the_first_error(mixed: Path, tmp_path: Path) -> None:
    result = run("ingest", mixed, "--out", tmp_path / "t", "--strict", "--jobs", "1")
    assert result.exit_code == FINDINGS
    assert re.search(r"line 2.*MISSING_FIELD", result.stderr)


def test_ingest_refuses(tmp_path: Path, log: Path) -> None:
    assert "there is no file or folder" in refused("ingest", tmp_path / "nowhere.jsonl", "--out", tmp_path / "t")
    (tmp_path / "file").write_text("x")
    assert "is a file" in refused("ingest", log, "--out", tmp_path / "file")
    assert "--jobs" in refused("ingest", log, "--out", tmp_path / "t", "--jobs", "0")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    assert "other" in refused("ingest", log, "--out", tmp_path / "other")
    assert (tmp_path / "other" / "letter.txt").read_text() == "mine"


# validate


def test_validate_says_place_kind_and_remedy(mixed: Path) -> None:
    result = run("validate", mixed)
    assert result.exit_code == FINDINGS
    lines = result.stdout.splitlines()
    assert [int(re.search(r"line (\d+)", line)[1]) for line in lines] == [2, 4, 5, 6]  # type: ignore[index]
    assert lines[2].startswith(f"{mixed}, line 5, event 1: error: ")
    assert lines[2].endswith("let the other side answer [OWN_CALL]")
    assert "1 file, 5 lines: 4 errors, 0 warnings" in result.stderr


def test_validate_as_json_lines(mixed: Path) -> None:
    found = [json.loads(line) for line in run("validate", mixed, "--format", "json").stdout.splitlines()]
    assert [finding["code"] for finding in found] == ["MISSING_FIELD", "BAD_JSON", "OWN_CALL", "BAD_UTF8"]
    assert found[2] == {
        "file": str(mixed), "line": 5, "match": "two", "game": 1, "hand": 1, "event": 1, "family": "illegal", "severity": "error",
        "code": "OWN_CALL", "message": found[2]["message"], "remedy": CODES["OWN_CALL"].remedy,
    }  # fmt: skip


def test_validate_prints_no_more_than_asked_and_counts_all(mixed: Path) -> None:
    result = run("validate", mixed, "--max", "1")
    assert len(result.stdout.splitlines()) == 1
    assert "4 errors, 0 warnings (3 not printed)" in result.stderr
    assert result.exit_code == FINDINGS
    assert run("validate", mixed, "--max", "0").stdout == ""


def test_validate_compares_the_hands_of_a_match(tmp_path: Path) -> None:
    second = GOOD.replace('"hand":1', '"hand":2').replace("[0,0]", "[2,2]").replace('"dealer":1', '"dealer":0')
    second = (
        second.replace('"0 ', '"x ')
        .replace('"1 ', '"0 ')
        .replace('"x ', '"1 ')
        .replace('["7c 5c 12e","12o 11o 3b"]', '["12o 11o 3b","7c 5c 12e"]')
    )
    second = second.replace("[2,1]", "[1,2]")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    files[0].write_text(second + "\n" + GOOD.replace('"match":"club"', '"match":"other"') + "\n")
    files[1].write_text(GOOD + "\n" + GOOD + "\n" + GOOD.replace("club", "club").replace("12e", "11e") + "\n")
    found = [json.loads(line) for line in run("validate", *files, "--format", "json").stdout.splitlines()]
    assert [(finding["code"], Path(finding["file"]).name, finding["line"]) for finding in found] == [
        ("HAND_REPEATED", "b.jsonl", 2),
        ("HAND_CONFLICT", "b.jsonl", 3),
        ("SCORE_NOT_CARRIED", "a.jsonl", 1),
    ]


def test_validate_of_a_good_log_is_silent(log: Path) -> None:
    result = run("validate", log)
    assert (result.exit_code, result.stdout) == (DONE, "")
    hands = len(log.read_text().splitlines())
    assert f"1 file, {hands:,} lines: 0 errors, 0 warnings" in result.stderr


def test_validate_warnings_are_no_errors(tmp_path: Path) -> None:
    path = tmp_path / "gap.jsonl"
    path.write_text(GOOD + "\n" + GOOD.replace('"hand":1', '"hand":5') + "\n")
    result = run("validate", path)
    assert "warning" in result.stdout
    assert result.exit_code == DONE


# replay


def test_replay_says_a_line_for_every_line_in_order(mixed: Path) -> None:
    result = run("replay", mixed)
    assert result.exit_code == DONE
    said = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["line"], one["status"]) for one in said] == [
        (1, "complete"), (2, "malformed"), (4, "malformed"), (5, "illegal"), (6, "malformed"),
    ]  # fmt: skip
    notation = (
        "line match game hand status legal illegal_at reason findings tricks leaders hand_winner stake turn pending envido_values flor_values "
        "points score_after hand_over game_over game_winner next_dealer void infraction"
    )
    assert all(list(one) == notation.split() for one in said)
    assert said[0]["points"] == {"envido": [2, 0], "flor": [0, 0], "truco": [0, 1], "other": [0, 0]}


def test_replay_reads_standard_input_and_compressed_logs(mixed: Path, tmp_path: Path) -> None:
    wanted = run("replay", mixed).stdout
    assert run("replay", "-", stdin=mixed.read_bytes()).stdout == wanted
    packed = tmp_path / "mixed.jsonl.gz"
    packed.write_bytes(gzip.compress(mixed.read_bytes()))
    assert run("replay", packed).stdout == wanted
    out = tmp_path / "out.jsonl"
    assert run("replay", mixed, "-o", out).stdout == ""
    assert out.read_text() == wanted


def test_replay_tells_where_a_damaged_log_ends(log: Path, tmp_path: Path) -> None:
    packed = tmp_path / "cut.jsonl.gz"
    packed.write_bytes(gzip.compress(log.read_bytes())[:-40])
    result = run("replay", packed)
    assert result.exit_code == REFUSED
    assert "cannot be read" in result.stderr


def test_replay_agrees_with_the_cases() -> None:
    cases = [
        json.loads(line) for line in (ROOT / "tests" / "cases" / "hand_cases.jsonl").read_text("utf-8").splitlines()
    ]
    stdin = "\n".join(json.dumps(case["record"]) for case in cases)
    said = [json.loads(line) for line in run("replay", "-", stdin=stdin).stdout.splitlines()]
    assert len(said) == len(cases)
    for one, case in zip(said, cases, strict=True):
        expected = {key: value for key, value in case["expect"].items() if key in one}
        assert {key: one[key] for key in expected} == expected, case["id"]


# show


def test_show_tells_a_hand_in_three_languages(mixed: Path) -> None:
    english = run("show", mixed)
    assert english.exit_code == DONE
    assert "ana" in english.stdout
    assert run("show", mixed, "--lang", "en").stdout == english.stdout
    told = {lang: run("show", mixed, "--lang", lang).stdout for lang in ("en", "es", "pt")}
    assert len(set(told.values())) == 3
    assert run("show", "-", stdin=mixed.read_bytes()).stdout == english.stdout


def test_show_finds_a_hand_by_line_or_by_match_and_hand(log: Path) -> None:
    records = [json.loads(line) for line in log.read_text().splitlines()]
    number, wanted = next(
        (n, one) for n, one in enumerate(records, start=1) if one["match"] != records[0]["match"] and one["hand"] == 3
    )
    by_line = run("show", log, "--line", str(number)).stdout
    assert wanted["match"] in by_line
    assert run("show", log, "--match", wanted["match"], "--hand", "3", "--game", "1").stdout == by_line
    assert run("show", log, "--match", wanted["match"]).stdout != by_line


def test_show_a_position(mixed: Path) -> None:
    texts = [run("show", mixed, "--at", str(at)).stdout for at in range(9)]
    assert len(set(texts)) == 9


def test_show_refuses(mixed: Path) -> None:
    assert "no record of line 70" in refused("show", mixed, "--line", "70")
    assert "no record of match nobody, hand 3" in refused("show", mixed, "--match", "nobody", "--hand", "3")
    assert "line 2 is no record" in refused("show", mixed, "--line", "2")
    assert "event 99" in refused("show", mixed, "--at", "99")
    assert "--lang" in refused("show", mixed, "--lang", "fr")


# rules


@pytest.mark.parametrize("name", NAMES)
def test_rules_show_has_everything_in_every_format(name: str) -> None:
    page = json.loads(run("rules", "show", name, "--format", "json").stdout)
    assert page == json.loads(json.dumps(describe(rules_of(name))))
    table, markdown = run("rules", "show", name).stdout, run("rules", name, "--format", "markdown").stdout
    assert markdown == rules_markdown(rules_of(name))
    shown = table.partition("\nOPTIONS; ")[2]
    for option in page["options"]:
        assert f"| `{option['name']}` |" in markdown
        assert (f"\n{option['name']} " in shown) == option["applies"]
    assert [option["name"] for option in page["options"]] == list(OPTIONS)
    assert all(option["meaning"] and option["allowed"] and ("source" in option) for option in page["options"])
    assert [step["call"] for step in page["ladder"]] == list(rules_of(name).raises)
    assert all(choice in table for choices in variants(name).values() for choice in choices)


def test_rules_list_and_diff() -> None:
    assert [row["name"] for row in rows_of(run("rules", "list", "--format", "json"))] == list(NAMES)
    assert run("rules").stdout == run("rules", "list").stdout
    assert "| name |" in run("rules", "list", "--format", "markdown").stdout
    rows = rows_of(run("rules", "diff", "argentino", "argentino target=15 flor=true", "--format", "json"))
    assert rows == [
        {"option": "target", "argentino": "30", "argentino flor=true target=15": "15"},
        {"option": "flor", "argentino": "false", "argentino flor=true target=15": "true"},
    ]
    same = run("rules", "diff", "truc", "truc")
    assert (same.exit_code, same.stdout) == (DONE, "")
    assert "same rules" in same.stderr
    assert differences(rules_of("truc"), rules_of("gaucho"))


def test_house_rules_from_a_file(tmp_path: Path) -> None:
    house = tmp_path / "club.toml"
    house.write_text('base = "gaucho"\ntarget = 12\nladder = [["truco", 2], ["retruco", 4]]\n')
    page = json.loads(run("rules", "show", "--rules", house, "--format", "json").stdout)
    assert (page["name"], page["target"], page["ladder"][1]["accepted"]) == ("gaucho", 12, 4)
    assert rows_of(run("rules", "diff", "gaucho", house, "--format", "json"))
    assert f'"rules":{{"base":"gaucho",' in run("simulate", "--rules", house, "--hands", "1").stdout  # noqa: F541
    for text, said in (
        ('base = "gauchoo"', "did you mean 'gaucho'"), ('base = "gaucho"\ntargt = 3', "did you mean 'target'"), ("base = ", "club.toml"),
        ("target = 3", '"base"'), ('base = "gaucho"\ntarget = 500', "1 to 100"),
    ):  # fmt: skip
        house.write_text(text)
        line = refused("rules", "show", "--rules", house)
        assert said in line
        assert "club.toml" in line
    house.write_bytes(GARBAGE)
    assert "club.toml" in refused("rules", "show", "--rules", house)


def test_unknown_rule_sets_and_options_are_one_line_with_a_hint() -> None:
    assert "did you mean 'gaucho'" in refused("rules", "show", "gauchu")
    assert "did you mean 'argentino'" in refused("simulate", "--rules", "argentine", "--hands", "1")
    assert "did you mean 'target'" in refused("rules", "show", "truc", "tarjet=3")
    assert "no option" in refused("rules", "show", "truc", "nonsense", "target=3")
    assert "argentino" in refused("rules", "show", "")
    assert "give the name" in refused("rules", "show")
    assert "check the path" in refused("rules", "show", "--rules", "nowhere.toml")


# schema


def test_schema_prints_what_the_files_hold() -> None:
    for name, file in (("record", "record.schema.json"), ("tables", "tables.json")):
        assert json.loads(run("schema", name).stdout) == json.loads((ROOT / "schemas" / file).read_text("utf-8"))
    assert run("schema").stdout == run("schema", "record").stdout
    assert run("schema", "tables", "--format", "markdown").stdout == (ROOT / "schemas" / "tables.md").read_text("utf-8")
    assert run("schema", "findings", "--format", "markdown").stdout == (ROOT / "schemas" / "findings.md").read_text(
        "utf-8"
    )
    assert set(json.loads(run("schema", "findings").stdout)) == set(CODES) - {"OK"}
    assert "| `deal` | yes |" in run("schema", "record", "--format", "markdown").stdout


# simulate


def test_simulate_is_a_log_of_legal_hands_and_repeats_itself(tmp_path: Path) -> None:
    args = ("simulate", "--rules", "truc", "--players", "4", "--hands", "20", "--seed", "7", "--policy", "cards")
    lines = run(*args).stdout
    assert run(*args, "-o", tmp_path / "x.jsonl").stdout == ""
    assert (tmp_path / "x.jsonl").read_text() == lines
    assert len(lines.splitlines()) == 20
    assert run("validate", "-", stdin=lines).exit_code == DONE
    assert run(*args[:-4], "--seed", "8").stdout != lines
    assert len(json.loads(lines.splitlines()[0])["players"]) == 4


def test_simulate_by_matches_with_a_policy_for_each_seat() -> None:
    lines = [
        json.loads(line)
        for line in run("simulate", "--matches", "2", "--policy", "plain,cards", "--view", "0").stdout.splitlines()
    ]
    assert len({line["match"] for line in lines}) == 2
    assert run("simulate", "--hands", "30", "--faults", "1", "--seed", "2").exit_code == DONE


def test_simulate_refuses() -> None:
    assert "policy" in refused("simulate", "--hands", "1", "--policy", "lucky")
    assert "brasileiro" in refused("simulate", "--rules", "brasileiro", "--hands", "1", "--players", "2")
    assert "series" in refused("simulate", "--hands", "1", "--series", "best_of_9")
    assert "--hands" in refused("simulate", "--hands", "0")


# perft


def test_perft_counts_the_reference_deal(tmp_path: Path) -> None:
    rows = rows_of(run("perft", "--rules", "argentino", "--depth", "3", "--no-mazo", "--format", "json"))
    assert [row["histories"] for row in rows] == [7, 37, 113, rows[-1]["histories"]]
    cards = rows_of(
        run("perft", "--rules", "argentino", "--depth", "0", "--no-mazo", "--calls", "", "--format", "json")
    )
    assert [row["histories"] for row in cards] == [3, 9, 18, 36, 20, 20, 36]
    truco = run(
        "perft",
        "--rules",
        "argentino",
        "--calls",
        "truco,retruco,vale-cuatro",
        "--no-mazo",
        "--depth",
        "5",
        "--format",
        "csv",
    ).stdout
    assert truco.splitlines()[:6] == ["depth,histories", "1,4", "2,15", "3,42", "4,117", "5,225"]
    path = tmp_path / "position.jsonl"
    path.write_text(json.dumps({**json.loads(GOOD), "deal": ["1e 3c 11o", "7e 2b 10c"], "events": ["0 envido"]}))
    assert rows_of(run("perft", path, "--depth", "1", "--format", "json"))[0]["histories"] > 3
    assert run("perft", "-", "--depth", "1", stdin=path.read_text()).stdout == run("perft", path, "--depth", "1").stdout


def test_perft_divide_adds_up() -> None:
    rows = rows_of(run("perft", "--rules", "truc", "--divide", "--depth", "3", "--format", "json"))
    assert rows[-1] == {"event": "all", "histories": sum(row["histories"] for row in rows[:-1])}
    whole = rows_of(run("perft", "--rules", "truc", "--depth", "3", "--format", "json"))
    assert whole[2]["histories"] == rows[-1]["histories"]


@pytest.mark.parametrize("label", [*NAMES, *(f"brasileiro manilhas={word}" for word in ("vira", "douradinha"))])
def test_perft_has_a_deal_for_every_rule_set_and_table(label: str) -> None:
    for players in parse_rules(label).players:
        deal = ("--rules", label, "--players", str(players))
        rows = rows_of(run("perft", *deal, "--depth", "2", "--divide", "--format", "json"))
        assert rows[-1]["histories"] == rows_of(run("perft", *deal, "--depth", "2", "--format", "json"))[1]["histories"]
    assert run("perft", "--rules", label, "--depth", "1").exit_code == DONE


def test_perft_refuses(tmp_path: Path) -> None:
    assert "--rules" in refused("perft")
    assert "--rules" in refused("perft", "x.jsonl", "--rules", "truc")
    assert "--deal" in refused("perft", "x.jsonl", "--deal", "1e 2e 3e / 4e 5e 6e")
    assert "--players" in refused("perft", "x.jsonl", "--players", "2")
    assert "--players" in refused("perft", "--rules", "truc", "--players", "2", "--deal", "1e 2e 3e / 4e 5e 6e")
    assert "it is by 2, 4" in refused("perft", "--rules", "truc", "--players", "6")
    assert "did you mean" in refused("perft", "--rules", "trucc")
    assert "1x" in refused("perft", "--rules", "argentino", "--deal", "1x 2e 3e / 4e 5e 6e")
    assert "twice" in refused("perft", "--rules", "argentino", "--deal", "1e 2e 3e / 1e 5e 6e")
    assert "call" in refused("perft", "--rules", "argentino", "--calls", "trucco")
    assert "--depth" in refused("perft", "--rules", "argentino", "--depth", "-1")
    path = tmp_path / "illegal.jsonl"
    path.write_text(OWN_CALL)
    assert "own" in refused("perft", path)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_long_count_can_be_interrupted() -> None:
    call = [
        sys.executable,
        "-c",
        "from trucostats.cli import main; main()",
        "perft",
        "--rules",
        "brasileiro",
        "--depth",
        "0",
    ]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (-signal.SIGINT, 130)
    assert b"Traceback" not in said


# plot


@pytest.mark.parametrize("name", ["envido-wins", "truco-acceptance", "mano-advantage"])
def test_plots_are_pictures(name: str, tables: Path, tmp_path: Path) -> None:
    for ending, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        out = tmp_path / f"picture.{ending}"
        result = run("plot", name, "--tables", tables, "-o", out)
        assert (result.exit_code, result.output) == (DONE, "")
        assert out.read_bytes().startswith(magic)
    first = out.with_suffix(".svg").read_bytes()
    run("plot", name, "--tables", tables, "-o", tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_bytes() == first


def test_plots_of_nothing_and_to_a_pipe(tables: Path, tmp_path: Path) -> None:
    assert run("plot", "envido-wins", "--tables", tables, "--rules", "truc", "-o", tmp_path / "x.png").exit_code == DONE
    assert shell("plot", "envido-wins", "--tables", tables, "-o", "-").stdout.startswith(b"\x89PNG")


def test_plot_refuses(tables: Path, tmp_path: Path) -> None:
    assert ".png, .svg" in refused("plot", "envido-wins", "--tables", tables, "-o", tmp_path / "x.gif")
    assert "mano-advantage" in refused("plot", "mano", "--tables", tables, "-o", tmp_path / "x.png")
    assert "--output" in refused("plot", "envido-wins", "--tables", tables)
    assert "ingest" in refused("plot", "envido-wins", "--tables", tmp_path / "nowhere", "-o", tmp_path / "x.png")
    assert "check the path" in refused("plot", "envido-wins", "--tables", tables, "-o", tmp_path / "no" / "x.png")
    assert list(tmp_path.iterdir()) == []


# import


def test_import_ufsm_writes_a_log_and_its_findings(tmp_path: Path) -> None:
    deal = ("3e 12b 5b", "2o 11b 4b")
    clean = ufsm_row("3e 12b", "2o 11b", deal=deal)
    contradicting = ufsm_row("3e 12b", "2o 11b", deal=deal, idMao=2, quemGanhouTruco=2)
    base = tmp_path / "maos.csv"
    base.write_bytes(file_of(clean))
    log, findings = tmp_path / "ufsm.jsonl", tmp_path / "findings.jsonl"
    result = run("import", "ufsm", base, "-o", log, "--findings", findings)
    assert (result.exit_code, result.stdout, findings.read_text()) == (DONE, "", "")
    assert "1 rows, 1 records" in result.stderr
    assert run("validate", log).exit_code == DONE
    base.write_bytes(file_of(clean, contradicting) + b"3\tm\n")
    result = run("import", "ufsm", "-", "--findings", findings, stdin=base.read_bytes())
    assert result.exit_code == FINDINGS
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["_ufsm"]["row"] for record in records] == [1, 2]
    told = [json.loads(line) for line in findings.read_text().splitlines()]
    assert {finding["line"] for finding in told} == {3, 4}
    assert {finding["code"] for finding in told} == {"IMPORT_CONTRADICTION", "IMPORT_SKIPPED"}
    assert f"{len(told)} findings" in result.stderr


def test_import_ufsm_refuses_what_is_no_base(tmp_path: Path, log: Path) -> None:
    assert "not a UFSM base" in refused("import", "ufsm", log)
    assert "not a UFSM base" in refused("import", "ufsm", "-", stdin=b"")
    assert "check the path" in refused("import", "ufsm", tmp_path / "nowhere.csv")
    assert "folder" in refused("import", "ufsm", tmp_path)
    path = tmp_path / "garbage.csv"
    path.write_bytes(GARBAGE)
    assert "not a UFSM base" in refused("import", "ufsm", path)


# stats and query


def test_stats_list_and_describe() -> None:
    rows = rows_of(run("stats", "list", "--format", "json"))
    assert {"chapter", "name", "question"} == set(rows[0])
    assert run("stats").stdout == run("stats", "list").stdout
    for row in rows:
        text = run("stats", "describe", row["name"]).stdout
        assert row["question"] in text
        assert "SELECT" in text


def test_stats_runs_by_name_with_and_without_run(tables: Path) -> None:
    whole = run("stats", "hand-win", "--tables", tables)
    assert whole.exit_code == DONE
    assert whole.stdout.splitlines()[0].split() == ["rules", "split", "x", "n", "rate", "low", "high"]
    for args in (
        ["run", "hand_win", "--tables", tables],
        ["--tables", tables, "hand win"],
        ["hand_win", f"--tables={tables}"],
    ):
        assert run("stats", *args).stdout == whole.stdout


def test_a_player_nobody_knows_is_refused_and_an_empty_answer_explained(tables: Path) -> None:
    assert refused("stats", "hand-win", "--tables", tables, "--player", "Ana").endswith("did you mean 'ana'?")
    assert "nobody called 'zoe'" in refused("query", "FROM hands", "--tables", tables, "--player", "zoe")
    assert "review LOG --write" in run("stats", "performance", "--tables", tables).stderr
    assert "no hands are left" in run("stats", "hand-win", "--tables", tables, "--where", "hand = 0").stderr


def test_stats_filters_and_parameters(tables: Path) -> None:
    def stats(*args: str) -> list[dict[str, Any]]:
        return rows_of(run("stats", *args, "--tables", tables, "--format", "json"))

    assert {row["split"] for row in stats("hand_win")} == {"ana", "ben"}
    assert {row["split"] for row in stats("hand_win", "--player", "ana")} == {"ana"}
    assert stats("hand_win", "--rules", "truc") == []
    assert stats("hand_win", "--where", "seats = 4") == []
    assert stats("hand_win", "--since", "2026-01-01") == stats("hand_win", "--until", "2026-01-01T10:00:00Z") == []
    assert {row["split"] for row in stats("truco_open", "--param", "by=mano")} == {"mano", "not mano"}


def test_every_statistic_runs(tables: Path) -> None:
    for row in rows_of(run("stats", "list", "--format", "json")):
        assert run("stats", row["name"], "--tables", tables, "--format", "csv").exit_code == DONE, row["name"]


def test_stats_refuses(tables: Path, tmp_path: Path) -> None:
    assert "did you mean 'hand_win'" in refused("stats", "hand_wim", "--tables", tables)
    assert "did you mean 'hand_win'" in refused("stats", "describe", "hand_wim")
    assert "--tables" in refused("stats", "hand_win")
    assert "ingest" in refused("stats", "hand_win", "--tables", tmp_path / "nowhere")
    assert "not a dataset" in refused("stats", "hand_win", "--tables", tmp_path)
    (tmp_path / "file").write_text("x")
    assert "file" in refused("stats", "hand_win", "--tables", tmp_path / "file")
    assert "NAME=VALUE" in refused("stats", "truco_open", "--tables", tables, "--param", "by")
    assert "truco_open" in refused("stats", "truco_open", "--tables", tables, "--param", "by=moon")
    assert "parameter" in refused("stats", "truco_open", "--tables", tables, "--param", "bye=mano")
    assert "2026-03-14" in refused("stats", "hand_win", "--tables", tables, "--since", "yesterday")
    assert "filter" in refused("stats", "hand_win", "--tables", tables, "--where", "no_such = 3")
    assert "filter" in refused("stats", "hand_win", "--tables", tables, "--where", "1); DROP TABLE hands; --")
    assert "csv" in refused("stats", "hand_win", "--tables", tables, "--format", "xls")


VALUES = "SELECT 'a|b' AS text, 1 AS n, 0.5 AS r, NULL AS nothing, true AS yes, [1, 2] AS list, TIMESTAMP '2026-03-14 20:00:00' AS at"


def test_query_in_every_format(tables: Path, tmp_path: Path) -> None:
    def query(form: str) -> str:
        result = run("query", VALUES, "--tables", tables, "--format", form)
        assert result.exit_code == DONE, result.output
        return result.stdout

    assert json.loads(query("json")) == [
        {"text": "a|b", "n": 1, "r": 0.5, "nothing": None, "yes": True, "list": [1, 2], "at": "2026-03-14T20:00:00"}
    ]
    assert list(csv.reader(io.StringIO(query("csv")))) == [
        ["text", "n", "r", "nothing", "yes", "list", "at"], ["a|b", "1", "0.5", "", "true", "[1,2]", "2026-03-14T20:00:00"],
    ]  # fmt: skip
    assert query("markdown").splitlines() == [
        "| text | n | r | nothing | yes | list | at |", "|---|---:|---:|---|---|---|---|",
        "| a\\|b | 1 | 0.5 | - | yes | [1,2] | 2026-03-14T20:00:00 |",
    ]  # fmt: skip
    assert query("table").splitlines()[2].split() == ["a|b", "1", "0.5", "-", "yes", "[1,2]", "2026-03-14T20:00:00"]
    out = tmp_path / "out.parquet"
    assert run("query", VALUES, "--tables", tables, "-o", out).exit_code == DONE
    assert pq.read_table(out).column_names == ["text", "n", "r", "nothing", "yes", "list", "at"]
    piped = shell("query", VALUES, "--tables", tables, "--format", "parquet")
    assert pq.read_table(io.BytesIO(piped.stdout)).num_rows == 1


@pytest.mark.parametrize(
    ("name", "start"),
    [("x.json", "[\n"), ("x.csv", "n\n"), ("x.md", "| n |\n"), ("x.txt", "n\n-\n"), ("x.dat", "n\n-\n")],
)
def test_the_ending_of_the_file_gives_the_format(tables: Path, tmp_path: Path, name: str, start: str) -> None:
    assert run("query", "SELECT 1 AS n", "--tables", tables, "-o", tmp_path / name).stdout == ""
    assert (tmp_path / name).read_text().startswith(start)


def test_query_from_standard_input_without_rows_and_with_equal_names(tables: Path) -> None:
    assert rows_of(
        run("query", "-", "--tables", tables, "--format", "json", stdin="SELECT count(*) AS n FROM hands")
    ) != [{"n": 0}]
    assert run("query", "SELECT 1 AS n WHERE false", "--tables", tables, "--format", "json").stdout == "[]\n"
    assert run("query", "SELECT 1 AS n WHERE false", "--tables", tables).stdout == "n\n-\n"
    assert len(rows_of(run("query", "SELECT 1 AS a, 2 AS a", "--tables", tables, "--format", "json"))[0]) == 2
    assert rows_of(run("query", "SELECT $p AS p", "--tables", tables, "--param", "p=x", "--format", "json")) == [
        {"p": "x"}
    ]
    assert rows_of(
        run(
            "query",
            "SELECT 'nan'::DOUBLE AS x, 10::HUGEINT ** 30 AS y, '\\xAA'::BLOB AS b",
            "--tables",
            tables,
            "--format",
            "json",
        )
    )


def test_query_refuses(tables: Path) -> None:
    for text in (
        "SELEC 1",
        "SELECT",
        "",
        "SELECT nothing FROM hands",
        "DROP TABLE hands",
        "SELECT 1; SELECT 2",
        "COPY hands TO '/tmp/x.csv'",
    ):
        assert len(refused("query", text, "--tables", tables)) < 2000
    assert "UTF-8" in refused("query", "-", "--tables", tables, stdin=b"\xff\xfe")
    refused("query", "SELECT * FROM read_csv('/etc/passwd')", "--tables", tables)
