"""The sample logs say what their README and expected.json promise; kernel and oracle agree on them.

`python tests/test_samples.py` writes the simulated logs and expected.json again; look at the difference before you keep it.
"""

from __future__ import annotations

import json
import shlex
import tempfile
from pathlib import Path
from typing import Any

import oracle
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from trucostats.cli import app
from trucostats.dataset import table_files
from trucostats.ingest import ingest
from trucostats.logs import check_logs, replay_log

SAMPLES = Path(__file__).parent.parent / "data/samples"
FILES = sorted(path.name for path in SAMPLES.glob("*.jsonl"))
SIMULATED = {
    "argentino_2.jsonl": "--rules argentino --players 2 --matches 1 --seed 21",
    "argentino_4.jsonl": "--rules argentino --players 4 --matches 1 --seed 22",
    "argentino_6_pica_pica.jsonl": "--rules argentino --players 6 --matches 1 --seed 23",
    "rioplatense_2.jsonl": "--rules rioplatense --players 2 --matches 1 --seed 24",
    "gaucho_2.jsonl": "--rules gaucho --players 2 --matches 1 --seed 25",
    "truc_4.jsonl": "--rules truc --players 4 --matches 1 --seed 26",
    "brasileiro_queda.jsonl": "--rules brasileiro --players 4 --matches 1 --series queda --seed 27",
    "brasileiro_vira.jsonl": "--rules 'brasileiro manilhas=vira' --players 4 --matches 1 --seed 28",
    "douradinha_6.jsonl": "--rules 'brasileiro manilhas=douradinha' --players 6 --matches 1 --seed 29",
    "paulista_4.jsonl": "--rules paulista --players 4 --matches 1 --seed 30",
    "mineiro_4.jsonl": "--rules mineiro --players 4 --matches 1 --seed 31",
    "uruguayo_2.jsonl": "--rules uruguayo --players 2 --matches 1 --seed 32",
    "one_view.jsonl": "--rules argentino --players 2 --matches 1 --view 0 --seed 33",
}
COMPARED = (
    "status", "legal", "illegal_at", "reason", "tricks", "leaders", "hand_winner", "stake", "turn", "pending", "envido_values",
    "flor_values", "points", "score_after", "hand_over", "game_over", "game_winner", "next_dealer", "void", "infraction",
)  # fmt: skip
Expected = dict[str, dict[str, Any]]


def simulated(name: str) -> bytes:
    result = CliRunner().invoke(app, ["simulate", *shlex.split(SIMULATED[name])])
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


def results(path: Path) -> list[dict[str, Any]]:
    """Return what the replay says of each line, in short."""
    said = []
    for verdict in replay_log(path):
        points = (
            [sum(parts) for parts in zip(*verdict["points"].values(), strict=True)] if verdict["score_after"] else None
        )
        said.append({"line": verdict["line"], "match": verdict["match"], "status": verdict["status"], "points": points})
        said[-1] |= {"score_after": verdict["score_after"], "game_winner": verdict["game_winner"]}
    return said


def outcome(path: Path, folder: Path) -> dict[str, Any]:
    """Return what an ingest makes of a log: its account, its findings, its games, and for worked examples every line."""
    report = ingest(path, folder, jobs=1)
    games = [row for file in table_files(folder)["games"] for row in pq.read_table(file).to_pylist()]
    found: dict[str, Any] = {
        key: getattr(report, key) for key in ("lines", "blank", "accepted", "rejected", "duplicates")
    }
    found["findings"] = dict(sorted(report.findings.items()))
    if path.name in SIMULATED:
        keys = ("match", "game", "hands", "score0", "score1", "winner")
        found["games"] = [
            {key: game[key] for key in keys} for game in sorted(games, key=lambda game: int(game["game"]))
        ]
    else:
        found["results"] = results(path)
    return found


@pytest.fixture(scope="module")
def expected() -> Expected:
    found: Expected = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
    return found


def test_every_sample_is_told(expected: Expected) -> None:
    assert sorted(expected) == FILES
    readme = (SAMPLES / "README.md").read_text("utf-8")
    assert [name for name in FILES if f"`{name}`" not in readme] == []
    assert [name for name, arguments in SIMULATED.items() if f"`{arguments}`" not in readme] == []


@pytest.mark.parametrize("name", FILES)
def test_results(name: str, expected: Expected, tmp_path: Path) -> None:
    assert outcome(SAMPLES / name, tmp_path / "tables") == expected[name]


@pytest.mark.parametrize("name", SIMULATED)
def test_seed(name: str) -> None:
    assert (SAMPLES / name).read_bytes() == simulated(name)


@pytest.mark.parametrize("name", [name for name in FILES if name != "messy.jsonl"])
def test_oracle_agrees(name: str) -> None:
    lines = (SAMPLES / name).read_text("utf-8").splitlines()
    for line, said in zip(lines, replay_log(SAMPLES / name), strict=True):
        want = oracle.replay(json.loads(line))
        assert {key: said[key] for key in COMPARED} == {key: want[key] for key in COMPARED}, line


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith("_examples.jsonl")])
def test_examples_give_the_points_of_the_text(name: str) -> None:
    """The claim of each line was written down from the rule text, before any replay."""
    lines = [json.loads(line) for line in (SAMPLES / name).read_text("utf-8").splitlines()]
    claims = [line.get("points") for line in lines]
    assert [said["points"] for said, claim in zip(results(SAMPLES / name), claims, strict=True) if claim] == [
        claim for claim in claims if claim
    ]


def test_messy_findings_are_those_of_the_readme() -> None:
    found = [(finding.line, finding.code) for finding in check_logs(SAMPLES / "messy.jsonl")]
    table = [
        line.split("|") for line in (SAMPLES / "README.md").read_text("utf-8").splitlines() if line.startswith("| ")
    ]
    told = [(int(row[1]), row[3].strip(" `")) for row in table if row[1].strip().isdigit() and row[3].strip() != "-"]
    assert sorted(told) == sorted(found)


def test_together_they_make_one_dataset(tmp_path: Path, expected: Expected) -> None:
    report = ingest(SAMPLES, tmp_path / "tables", jobs=1)
    for key in ("lines", "accepted", "rejected", "duplicates"):
        assert getattr(report, key) == sum(file[key] for file in expected.values())


def write() -> None:
    for name in SIMULATED:
        (SAMPLES / name).write_bytes(simulated(name))
    found = {}
    for path in sorted(SAMPLES.glob("*.jsonl")):
        with tempfile.TemporaryDirectory() as folder:
            found[path.name] = outcome(path, Path(folder, "tables"))
    parts = []
    for name, file in found.items():
        rows = {key: value for key, value in file.items() if isinstance(value, list)}
        head = json.dumps({key: value for key, value in file.items() if key not in rows})[:-1]
        for key, items in rows.items():
            head += f', "{key}": [\n    ' + ",\n    ".join(map(json.dumps, items)) + "\n  ]"
        parts.append(f'  "{name}": {head}}}')
    (SAMPLES / "expected.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


if __name__ == "__main__":
    write()
