"""Logs into a dataset: what a log may be, what a run may suffer, and that every line is accounted for."""

from __future__ import annotations

import base64
import errno
import gzip
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trucostats import parts, sources, store, workers
from trucostats.dataset import connect
from trucostats.errors import DatasetError
from trucostats.ingest import FaultFound, IngestReport, ingest
from trucostats.tables import TABLES, schema

PART_TABLES = ("hands", "seats", "calls", "tricks", "events", "findings")
POSIX = pytest.mark.skipif(os.name != "posix", reason="forks and kills")


def line(hand: int = 1, match: str = "m", score: tuple[int, int] = (0, 0), **more: Any) -> bytes:
    record = {
        "v": 1, "match": match, "hand": hand, "rules": "argentino", "players": ["ana", "ben"], "dealer": hand % 2,
        "score": score, "deal": ["7c 5c 12e", "12o 11o 3b"],
    }  # fmt: skip
    mano = 1 - hand % 2
    return json.dumps(record | {"events": [f"{mano} truco", f"{1 - mano} no-quiero"]} | more).encode()


def match_of(name: str, hands: int) -> list[bytes]:
    """A match whose hands follow from one another: the mano wins a point."""
    return [line(hand, name, (hand // 2, (hand - 1) // 2)) for hand in range(1, hands + 1)]


def log_of(matches: int, hands: int = 10) -> bytes:
    return b"".join(one + b"\n" for number in range(matches) for one in match_of(f"m{number}", hands))


def write(path: Path, data: bytes | list[bytes]) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else b"".join(one + b"\n" for one in data))
    return path


def count(report: IngestReport) -> tuple[int, int, int, int]:
    assert report.lines == report.accepted + report.rejected + report.duplicates
    return report.accepted, report.rejected, report.duplicates, report.blank


def part_table(out: Path, name: str) -> pa.Table:
    files = sorted((out / "parts").glob(f"[0-9]*/{name}.parquet"))
    return pa.concat_tables([pq.read_table(file) for file in files])


def derived_table(out: Path, name: str) -> pa.Table:
    return pq.read_table(
        out / "derived" / json.loads((out / "dataset.json").read_text())["derived"] / f"{name}.parquet"
    )


def rejects(out: Path) -> list[dict[str, Any]]:
    return [json.loads(one) for one in (out / "rejects.jsonl").read_bytes().splitlines()]


def contents(out: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of a dataset, the hands named by their lines instead of their ids."""
    names = {row["hand_id"]: (row["file"], row["line"]) for row in part_table(out, "hands").to_pylist()}
    found = {}
    for name in PART_TABLES:
        found[name] = part_table(out, name).to_pylist()
    for name in ("games", "matches"):
        found[name] = derived_table(out, name).to_pylist()
    found["between"] = derived_table(out, "findings").to_pylist()
    found["rejects"] = rejects(out)
    for rows in found.values():
        for row in rows:
            if row.get("hand_id") is not None:
                row["hand_id"] = names[row["hand_id"]]
        rows.sort(key=lambda row: json.dumps(row, default=str, sort_keys=True))
    return found


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of about a hundred hands."""
    monkeypatch.setattr(sources, "SHARE_LINES", 100)
    monkeypatch.setattr(sources, "BLOCK", 4096)


# What comes out


def test_layout(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", [*match_of("m", 3), b"{"])
    report = ingest(log, out)
    assert count(report) == (3, 1, 0, 0)
    assert report.summary() == "4 lines: 3 hands accepted, 1 line rejected, 0 duplicates"
    assert report.findings == {"BAD_JSON": 1}
    assert [(one.file, one.lines, one.accepted, one.rejected) for one in report.files] == [(log.as_posix(), 4, 3, 1)]
    assert json.loads((out / "dataset.json").read_text()) == {"format": 1, "derived": "000001", "parts": ["000001"]}
    assert sorted(path.name for path in out.iterdir() if path.name != ".lock") == [
        "dataset.json",
        "derived",
        "parts",
        "rejects.jsonl",
    ]
    assert [path.name for path in (out / "derived").iterdir()] == ["000001"]
    names = {f"{name}.parquet" for name in (*PART_TABLES, "files")} | {"rejects.jsonl"}
    assert {path.name for path in (out / "parts" / "000001").iterdir()} == names
    assert part_table(out, "hands")["hand_id"].to_pylist() == [1 << 32 | row for row in range(3)]
    assert rejects(out)[0] | {"message": ""} == {
        "file": log.as_posix(),
        "line": 4,
        "code": "BAD_JSON",
        "message": "",
        "text": "{",
    }
    assert part_table(out, "findings").to_pylist()[0]["hand_id"] is None
    assert derived_table(out, "matches").num_rows == 1


def test_files_carry_the_schema_with_the_comments(tmp_path: Path, out: Path) -> None:
    ingest(write(tmp_path / "a.jsonl", match_of("m", 3)), out)
    for name in PART_TABLES:
        found = pq.read_schema(out / "parts" / "000001" / f"{name}.parquet")
        assert found.equals(schema(name)), name
        first = found.field(0)
        assert first.metadata[b"comment"].decode() == TABLES[name].columns[0].meaning
    for name in ("games", "matches", "findings", "files"):
        assert derived_table(out, name).schema.equals(schema(name))


def test_the_dataset_can_be_queried(tmp_path: Path, out: Path) -> None:
    ingest(write(tmp_path / "a.jsonl", [*match_of("a", 4), *match_of("b", 2)]), out)
    connection = connect(out)
    assert connection.sql("SELECT match, hands FROM matches ORDER BY match").fetchall() == [("a", 4), ("b", 2)]
    assert connection.sql("SELECT count(*) FROM hands JOIN seats USING (hand_id)").fetchall() == [(12,)]
    connection.close()


def test_faults_between_hands_are_found(tmp_path: Path, out: Path) -> None:
    hands = match_of("m", 4)
    report = ingest(write(tmp_path / "a.jsonl", [hands[0], hands[3], hands[1]]), out)
    assert report.findings == {"HAND_GAP": 1}
    assert derived_table(out, "findings")["code"].to_pylist() == ["HAND_GAP"]


def test_an_empty_log_makes_an_empty_dataset(tmp_path: Path, out: Path) -> None:
    report = ingest(write(tmp_path / "a.jsonl", b""), out)
    assert count(report) == (0, 0, 0, 0)
    assert list((out / "parts").iterdir()) == []
    connection = connect(out)
    assert connection.sql("SELECT count(*) FROM hands").fetchall() == [(0,)]
    connection.close()


def test_progress_is_told(tmp_path: Path, out: Path, small_parts: None) -> None:
    log = write(tmp_path / "a.jsonl", log_of(50))
    told: list[tuple[int, int | None, int]] = []
    ingest(log, out, jobs=1, progress=lambda *step: told.append(step))
    assert len(told) > 3
    assert told == sorted(told)
    assert told[-1] == (log.stat().st_size, log.stat().st_size, 500)


# What a log may be


def test_compressed_logs(tmp_path: Path, out: Path) -> None:
    data = [log_of(1), log_of(2)[len(log_of(1)) :], b"".join(one + b"\n" for one in match_of("z", 5))]
    write(tmp_path / "a.jsonl.gz", gzip.compress(data[0]) + gzip.compress(data[1]))
    with pa.CompressedOutputStream(str(tmp_path / "b.jsonl.zst"), "zstd") as stream:
        stream.write(data[2])
    report = ingest(tmp_path, out)
    assert count(report) == (25, 0, 0, 0)
    assert [one.bytes for one in report.files] == [len(data[0]) + len(data[1]), len(data[2])]


def test_compression_shows_by_the_content(tmp_path: Path, out: Path) -> None:
    write(tmp_path / "a.jsonl", gzip.compress(log_of(1)))
    write(tmp_path / "b.jsonl.gz", b"".join(one + b"\n" for one in match_of("z", 5)))
    assert count(ingest(tmp_path, out)) == (15, 0, 0, 0)


def test_standard_input(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(log_of(2)))
    monkeypatch.setattr(sys, "stdin", stdin)
    told: list[tuple[int, int | None, int]] = []
    report = ingest("-", out, progress=lambda *step: told.append(step))
    assert count(report) == (20, 0, 0, 0)
    assert report.files[0].file == "-"
    assert told == [(len(log_of(2)), None, 20)]
    assert not stdin.buffer.closed


def test_folders_and_patterns(tmp_path: Path, out: Path) -> None:
    (tmp_path / "logs" / "2026").mkdir(parents=True)
    write(tmp_path / "logs" / "b.jsonl", match_of("b", 2))
    write(tmp_path / "logs" / "a.ndjson", match_of("a", 2))
    write(tmp_path / "logs" / "2026" / "c.jsonl", match_of("c", 2))
    write(tmp_path / "logs" / "notes.txt", b"nothing")
    names = [source.name.rsplit("/", 1)[1] for source in sources.find_logs(tmp_path / "logs")]
    assert names == ["a.ndjson", "b.jsonl", "c.jsonl"]
    pattern = str(tmp_path / "logs" / "**" / "*.jsonl")
    found = sources.find_logs(
        [pattern, tmp_path / "logs" / "b.jsonl", str(tmp_path / "logs" / ".." / "logs" / "b.jsonl")]
    )
    assert [source.path.name for source in found if source.path] == ["c.jsonl", "b.jsonl"]
    assert count(ingest([tmp_path / "logs"], out)) == (6, 0, 0, 0)


def test_a_dataset_inside_the_folder_is_no_log(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [*match_of("a", 2), b"{"])
    ingest(tmp_path, tmp_path / "out")
    assert count(ingest(tmp_path, tmp_path / "out")) == (0, 1, 2, 0)


@pytest.mark.parametrize("name", ["nothing.jsonl", "no*.jsonl", "empty"])
def test_a_log_that_is_not_there(tmp_path: Path, out: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match=r"no file or folder|no log"):
        ingest(str(tmp_path / name), out)
    assert not out.exists()


def test_no_log_at_all(out: Path) -> None:
    with pytest.raises(DatasetError, match="no log was given"):
        ingest([], out)


def test_line_ends_byte_order_mark_blank_lines_truncated_end(tmp_path: Path, out: Path) -> None:
    one, two, three = match_of("m", 3)
    log = write(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + one + b"\r\n\r\n \n" + two + b"\n\n" + three[:-20])
    report = ingest(log, out)
    assert count(report) == (2, 1, 0, 3)
    assert part_table(out, "hands")["line"].to_pylist() == [1, 4]
    assert (rejects(out)[0]["line"], rejects(out)[0]["text"]) == (6, three[:-20].decode())
    assert report.files[0].bytes == log.stat().st_size
    again = tmp_path / "b.jsonl"
    assert count(ingest(write(again, three), out)) == (1, 0, 0, 0)


def test_small_logs_share_a_batch(tmp_path: Path, out: Path) -> None:
    bom, other = b"\xef\xbb\xbf", line(2, "m0", (9, 9))
    write(tmp_path / "a.jsonl", bom + b"\n".join([*match_of("m0", 2), b"", b"{"]))
    write(tmp_path / "b.jsonl", bom + b"{\n" + other + b"\n" + line(1, "n", events=["0 quiero"]))
    write(tmp_path / "c.jsonl", bom + b"\n" + match_of("m0", 2)[0] + b"\n" + line(1, "p"))
    report = ingest([tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")], out)
    rows = [
        (Path(one.file).name, one.lines, one.accepted, one.rejected, one.duplicates, one.blank) for one in report.files
    ]
    assert rows == [("a.jsonl", 3, 2, 1, 0, 1), ("b.jsonl", 3, 1, 2, 0, 0), ("c.jsonl", 2, 1, 0, 1, 1)]
    hands = [(Path(row["file"]).name, row["line"]) for row in part_table(out, "hands").to_pylist()]
    assert hands == [("a.jsonl", 1), ("a.jsonl", 2), ("b.jsonl", 3), ("c.jsonl", 3)]
    found = [(Path(entry["file"]).name, entry["line"], entry["code"], entry["text"]) for entry in rejects(out)]
    assert found == [
        ("a.jsonl", 4, "BAD_JSON", "{"),
        ("b.jsonl", 1, "BAD_JSON", "\ufeff{"),
        ("b.jsonl", 2, "HAND_CONFLICT", other.decode()),
    ]
    findings = [(Path(row["file"]).name, row["line"], row["code"]) for row in part_table(out, "findings").to_pylist()]
    assert findings[0] == ("b.jsonl", 3, "NOTHING_PENDING")
    assert [place[:2] for place in findings[1:]] == [place[:2] for place in found]


def test_the_last_line_needs_no_newline(tmp_path: Path, out: Path) -> None:
    assert count(ingest(write(tmp_path / "a.jsonl", log_of(1)[:-1]), out)) == (10, 0, 0, 0)


def test_bytes_that_are_no_text(tmp_path: Path, out: Path) -> None:
    bad = [b'{"v":1,"match":"\xff"}', b"\0" * 50, '{"v":1}'.encode("utf-16"), "ñandú".encode()]
    report = ingest(write(tmp_path / "a.jsonl", [line(1), *bad, line(2, score=(1, 0))]), out)
    assert count(report) == (2, 4, 0, 0)
    found = rejects(out)
    assert [entry["code"] for entry in found] == ["BAD_UTF8", "NUL_BYTE", "NUL_BYTE", "BAD_JSON"]
    kept = [base64.b64decode(entry["base64"]) if "base64" in entry else entry["text"].encode() for entry in found]
    assert kept == bad


def test_a_line_of_ten_megabytes(tmp_path: Path, out: Path) -> None:
    long = b'{"v":1,"match":"' + b"x" * 10_000_000 + b'"}'
    report = ingest(write(tmp_path / "a.jsonl", [line(1), long, line(2, score=(1, 0))]), out)
    assert count(report) == (2, 1, 0, 0)
    assert part_table(out, "hands")["line"].to_pylist() == [1, 3]
    assert (rejects(out)[0]["code"], len(rejects(out)[0]["text"])) == ("TOO_LONG", len(long))
    assert count(ingest(tmp_path / "a.jsonl", out)) == (0, 1, 2, 0)
    assert len(rejects(out)) == 1


def test_a_line_without_end_is_cut_for_the_reject_file(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LINE_KEPT", 3_000_000)
    log = write(tmp_path / "a.jsonl", [line(1), b"x" * 9_000_000, line(2, score=(1, 0)), b"y" * 9_000_000])
    report = ingest(log, out)
    assert count(report) == (2, 2, 0, 0)
    assert part_table(out, "hands")["line"].to_pylist() == [1, 3]
    assert [entry["line"] for entry in rejects(out)] == [2, 4]
    assert all(len(entry["text"]) < 5_000_000 for entry in rejects(out))
    assert report.files[0].bytes == log.stat().st_size


def test_a_damaged_archive_gives_what_can_be_read(tmp_path: Path, out: Path) -> None:
    packed = gzip.compress(os.urandom(100_000).hex().encode() + b"\n" + log_of(200))
    whole = write(tmp_path / "a.jsonl.gz", gzip.compress(b"\n".join(match_of("z", 4))))
    write(tmp_path / "b.jsonl.gz", packed[: len(packed) - 200])
    with pytest.raises(DatasetError, match=r"b\.jsonl\.gz cannot be read beyond line .*everything else was stored"):
        ingest([tmp_path / "b.jsonl.gz", whole], out)
    assert part_table(out, "hands")["match"].to_pylist()[-4:] == ["z"] * 4


# What is there already


def test_repeated_hands_count_once(tmp_path: Path, out: Path) -> None:
    hands = match_of("m", 3)
    spaced = json.dumps(json.loads(hands[1]), indent=None, separators=(" , ", " : ")).encode()
    report = ingest(write(tmp_path / "a.jsonl", [*hands, hands[0], spaced]), out)
    assert count(report) == (3, 0, 2, 0)
    assert not rejects(out)


def test_the_first_of_two_hands_in_conflict_stays(tmp_path: Path, out: Path) -> None:
    other = line(2, "m", (1, 0), events=[])
    log = write(tmp_path / "a.jsonl", [*match_of("m", 2), other, other])
    report = ingest(log, out)
    assert count(report) == (2, 2, 0, 0)
    assert report.findings == {"HAND_CONFLICT": 2}
    assert [(entry["line"], entry["code"], entry["text"]) for entry in rejects(out)] == [
        (3, "HAND_CONFLICT", other.decode()),
        (4, "HAND_CONFLICT", other.decode()),
    ]
    row = part_table(out, "findings").to_pylist()[0]
    assert (row["match"], row["game"], row["hand"], row["family"]) == ("m", 1, 2, "inconsistent")
    assert count(ingest(log, out)) == (0, 2, 2, 0)
    assert len(rejects(out)) == 2


def test_a_second_run_adds_nothing(tmp_path: Path, out: Path, small_parts: None) -> None:
    log = write(tmp_path / "a.jsonl", log_of(30) + b"{\n{\n[]\n" + line(1, "m0", (5, 5)) + b"\n")
    first = ingest(log, out, jobs=1)
    before, stored = contents(out), sorted((out / "parts").rglob("*"))
    again = ingest(log, out, jobs=1)
    assert (again.accepted, again.duplicates, again.rejected) == (0, first.accepted, first.rejected)
    assert contents(out) == before
    assert sorted((out / "parts").rglob("*")) == stored
    assert derived_table(out, "files")["accepted"].to_pylist() == [300, 0]


def test_a_second_run_adds_what_is_new(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", [*match_of("m", 4), b"{"])
    ingest(log, out)
    with log.open("ab") as file:
        file.write(b"\n".join([b"{", *match_of("m", 6)[4:], *match_of("n", 2)]))
    assert count(ingest(log, out)) == (4, 2, 4, 0)
    assert [entry["line"] for entry in rejects(out)] == [5, 6]
    ids = part_table(out, "hands")["hand_id"].to_pylist()
    assert len(set(ids)) == 8
    assert part_table(out, "hands")["line"].to_pylist() == [1, 2, 3, 4, 7, 8, 9, 10]
    assert [(row["match"], row["hands"]) for row in derived_table(out, "matches").to_pylist()] == [("m", 6), ("n", 2)]


# Who does the work


def test_the_result_does_not_depend_on_the_number_of_jobs(tmp_path: Path, small_parts: None) -> None:
    data = log_of(60) + b"{\n\n" + line(3, "m7", (9, 9)) + b"\n" + log_of(5) + line(1, "n", events=["0 quiero"]) + b"\n"
    write(tmp_path / "a.jsonl", data)
    write(tmp_path / "b.jsonl", log_of(70))
    reports = [
        ingest([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path / f"out{jobs}", jobs=jobs) for jobs in (1, 2)
    ]
    for report in reports:
        report.seconds = 0
    assert reports[0] == reports[1]
    assert reports[0].duplicates == 650
    one, two = tmp_path / "out1", tmp_path / "out2"
    files = [path.relative_to(one) for path in sorted(one.rglob("*")) if path.is_file()]
    assert files == [path.relative_to(two) for path in sorted(two.rglob("*")) if path.is_file()]
    timed = [path for path in files if path.name != "files.parquet"]
    assert len(timed) > 30
    assert [path for path in timed if (one / path).read_bytes() != (two / path).read_bytes()] == []


def test_the_order_of_matches_does_not_depend_on_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trucostats import by_match

    hands = [one for number in range(30) for one in match_of(f"m{number}", 5)]
    log = write(tmp_path / "a.jsonl", hands[::-1])
    ingest(log, tmp_path / "small", jobs=1)
    monkeypatch.setattr(by_match, "BIN_HANDS", 40)
    ingest(log, tmp_path / "large", jobs=1)
    assert contents(tmp_path / "small") == contents(tmp_path / "large")
    assert not list((tmp_path / "large").glob(".spill*"))


def test_jobs_must_be_some(tmp_path: Path, out: Path) -> None:
    with pytest.raises(DatasetError, match="at least one process"):
        ingest(write(tmp_path / "a.jsonl", b""), out, jobs=0)


@pytest.fixture(params=["forked", "alone"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers begin as they do on Linux, and as they do elsewhere."""
    if request.param == "alone":
        monkeypatch.setattr(workers, "_FORKS", False)
    elif not workers._FORKS:
        pytest.skip("this system does not fork workers")


@pytest.mark.usefixtures("_both_ways", "small_parts")
def test_workers_of_both_kinds(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", log_of(40))
    assert ingest(log, out, jobs=3).accepted == 400
    ingest(log, tmp_path / "one", jobs=1)
    assert contents(out) == contents(tmp_path / "one")


@pytest.mark.usefixtures("_both_ways", "small_parts")
def test_a_worker_that_is_killed(tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write(tmp_path / "a.jsonl", log_of(40))
    begin = workers.Workers.start

    def begin_and_die(self: workers.Workers) -> workers.Worker:
        worker = begin(self)
        worker.kill()
        return worker

    monkeypatch.setattr(workers.Workers, "start", begin_and_die)
    with pytest.raises(DatasetError, match=r"worker process ended unexpectedly \(code -9\)"):
        ingest(log, out, jobs=2)
    monkeypatch.undo()
    assert ingest(log, out, jobs=1).accepted == 400


@pytest.mark.usefixtures("_both_ways", "small_parts")
def test_what_stopped_one_worker_is_what_is_told(tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, calls = workers.Workers.start, itertools.count()

    def begin_once(self: workers.Workers) -> workers.Worker:
        if next(calls):
            raise OSError(errno.EMFILE, "Too many open files")
        return begin(self)

    monkeypatch.setattr(workers.Workers, "start", begin_once)
    with pytest.raises(DatasetError, match="Too many open files; what was stored before is whole"):
        ingest(write(tmp_path / "a.jsonl", log_of(40)), out, jobs=2)


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
@pytest.mark.parametrize(
    "around",
    [
        "os.close(1)", "os.close(0); os.close(1); os.close(2)", "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "os.environ['PYTHONWARNINGS'] = 'error'", "os.chdir(gone); os.rmdir(gone)",
    ],
)  # fmt: skip
def test_workers_in_an_odd_process(around: str, tmp_path: Path, out: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        f"import os, signal, sys; from trucostats import sources; sources.SHARE_LINES, sources.BLOCK = 100, 4096; gone = {str(gone)!r}; {around}; "
        "from trucostats.ingest import ingest; report = ingest(sys.argv[1], sys.argv[2], jobs=2); sys.exit(report.accepted != 400)"
    )
    log = write(tmp_path / "a.jsonl", log_of(40))
    command = [sys.executable, "-c", code, str(log), str(out)]
    run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_files_and_processes_do_not_stay_behind(tmp_path: Path, small_parts: None) -> None:
    log = write(tmp_path / "a.jsonl", log_of(40))
    ingest(log, tmp_path / "first", jobs=2)
    opened = Path("/proc/self/fd")
    before = len(list(opened.iterdir()))
    for number in range(3):
        ingest(log, tmp_path / str(number), jobs=2)
    assert len(list(opened.iterdir())) == before
    assert begun_by(os.getpid()) == []


@pytest.mark.usefixtures("_both_ways")
def test_a_worker_that_dies(tmp_path: Path, out: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_START", "import os; os._exit(7)")
    with pytest.raises(DatasetError, match=r"worker process ended unexpectedly \(code 7\)"):
        ingest(write(tmp_path / "a.jsonl", log_of(40)), out, jobs=2)
    assert list((out / "parts").iterdir()) == []


@pytest.mark.usefixtures("_both_ways")
def test_a_fault_of_the_program_in_a_worker_is_told(
    tmp_path: Path, out: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "import trucostats.pieces as p; p.BATCH_LINES = 'many'; from trucostats.crew import serve; serve()"
    monkeypatch.setattr(workers, "_START", f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); {broken}")
    with pytest.raises(RuntimeError, match="unsupported operand"):
        ingest(write(tmp_path / "a.jsonl", log_of(40)), out, jobs=2)


# Strict


@pytest.mark.parametrize("jobs", [1, 2])
def test_strict_stops_at_the_first_fault(tmp_path: Path, out: Path, small_parts: None, jobs: int) -> None:
    hands = log_of(50).splitlines()
    hands[320] = b'{"v":2}'
    hands[400] = b"{"
    log = write(tmp_path / "a.jsonl", hands)
    with pytest.raises(FaultFound) as caught:
        ingest(log, out, jobs=jobs, strict=True)
    assert (caught.value.finding.code, caught.value.finding.line) == ("UNKNOWN_VERSION", 321)
    stored = part_table(out, "hands")["line"].to_pylist()
    assert stored == list(range(1, len(stored) + 1))
    assert 100 <= len(stored) <= 320
    assert not rejects(out)
    assert derived_table(out, "matches").num_rows == -(-len(stored) // 10)


def test_strict_stops_at_illegal_events_and_conflicts(tmp_path: Path) -> None:
    illegal = write(tmp_path / "a.jsonl", [line(1), line(2, score=(1, 0), events=["0 quiero"]), b"{"])
    with pytest.raises(FaultFound) as caught:
        ingest(illegal, tmp_path / "a", strict=True)
    assert (caught.value.finding.code, caught.value.finding.line, caught.value.finding.event) == (
        "NOTHING_PENDING",
        2,
        0,
    )
    conflict = write(tmp_path / "b.jsonl", [line(1), line(1, score=(3, 3))])
    with pytest.raises(
        FaultFound, match=r"line 2: hand 1 of game 1 of the match 'm' was read before .*\[HAND_CONFLICT\]"
    ):
        ingest(conflict, tmp_path / "b", strict=True)


def test_strict_tells_faults_between_hands(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", [line(1), line(2, score=(4, 4))])
    with pytest.raises(FaultFound, match="SCORE_NOT_CARRIED"):
        ingest(log, out, strict=True)
    more = write(tmp_path / "b.jsonl", match_of("n", 3))
    assert count(ingest(more, out, strict=True)) == (3, 0, 0, 0)


# Where it is written


def test_a_folder_that_is_not_a_dataset_is_refused(tmp_path: Path) -> None:
    log = write(tmp_path / "a.jsonl", match_of("m", 1))
    (tmp_path / "mine").mkdir()
    write(tmp_path / "mine" / "letter.txt", b"dear")
    with pytest.raises(DatasetError, match="not empty and is not a dataset"):
        ingest(log, tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
    (tmp_path / "yours" / "derived").mkdir(parents=True)
    write(tmp_path / "yours" / "derived" / "thesis.txt", b"dear")
    with pytest.raises(DatasetError, match="not empty and is not a dataset"):
        ingest(log, tmp_path / "yours")
    with pytest.raises(DatasetError, match="is a file"):
        ingest(log, log)
    (tmp_path / "empty").mkdir()
    assert count(ingest(log, tmp_path / "empty")) == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"format": 2, "derived": "000000", "parts": []}', "not of format 1"),
        (b"{", "cannot be read"),
        (b"[]", "not of format"),
        (b'{"format": 1, "derived": "../..", "parts": []}', "damaged"),
    ],
)
def test_a_manifest_that_is_not_ours(tmp_path: Path, out: Path, text: bytes, message: str) -> None:
    log = write(tmp_path / "a.jsonl", match_of("m", 1))
    ingest(log, out)
    write(out / "dataset.json", text)
    with pytest.raises(DatasetError, match=message):
        ingest(log, out)
    assert part_table(out, "hands").num_rows == 1


def test_a_damaged_part_is_named(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", match_of("m", 1))
    ingest(log, out)
    write(out / "parts" / "000001" / "hands.parquet", b"PAR1")
    with pytest.raises(DatasetError, match=r"000001 cannot be read .*; remove that folder"):
        ingest(log, out)


@pytest.mark.parametrize("name", ["parts", "derived", "rejects.jsonl", "dataset.json", ".lock", "parts/000001"])
def test_links_are_not_written_through(tmp_path: Path, out: Path, name: str) -> None:
    log = write(tmp_path / "a.jsonl", match_of("m", 1))
    ingest(log, out)
    (out / ".lock").touch()
    elsewhere = tmp_path / "elsewhere"
    (out / name).rename(elsewhere)
    (out / name).symlink_to(elsewhere)
    with pytest.raises(DatasetError, match="is a link, and a dataset is not written through links"):
        ingest(write(tmp_path / "b.jsonl", match_of("n", 1)), out)


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    ingest(write(tmp_path / "a.jsonl", match_of("m", 1)), tmp_path / "out")
    assert (tmp_path / "disk" / "dataset.json").exists()


@pytest.fixture
def tiny_disk() -> Iterator[Path]:
    disk = Path(
        tempfile.mkdtemp()
    )  # not below tmp_path: a mount left by a killed run would stop pytest from cleaning up
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=640k", "tmpfs", str(disk)], capture_output=True, check=False
    ).returncode:
        pytest.skip("cannot mount here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)
    disk.rmdir()


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system in memory")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk(tmp_path: Path, tiny_disk: Path, small_parts: None, jobs: int) -> None:
    log = write(tmp_path / "a.jsonl", log_of(200))
    with pytest.raises(
        DatasetError, match=r"cannot write to .*: No space left on device; what was stored before is whole"
    ):
        ingest(log, tiny_disk / "out", jobs=jobs)
    hands = part_table(tiny_disk / "out", "hands")
    assert hands["line"].to_pylist() == list(range(1, hands.num_rows + 1))
    assert not list((tiny_disk / "out" / "parts").glob(".*"))
    connection = connect(tiny_disk / "out")
    assert connection.sql("SELECT count(*) FROM hands").fetchall() == [(hands.num_rows,)]
    connection.close()
    subprocess.run(["mount", "-o", "remount,size=50m", str(tiny_disk)], check=True)
    assert ingest(log, tiny_disk / "out", jobs=jobs).duplicates == hands.num_rows
    assert part_table(tiny_disk / "out", "hands").num_rows == 2000


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system in memory")
def test_a_disk_that_cannot_be_written(tmp_path: Path, tiny_disk: Path) -> None:
    log = write(tmp_path / "a.jsonl", match_of("m", 1))
    ingest(log, tiny_disk / "out")
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    for name in ("out", "new"):
        with pytest.raises(DatasetError, match=r"Read-only file system|cannot be written"):
            ingest(log, tiny_disk / name)


def test_a_failure_to_write_leaves_no_part(
    tmp_path: Path, out: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(tmp_path / "a.jsonl", log_of(40))
    whole = parts.TableWriter.add
    written: list[Path] = []

    def fail(self: parts.TableWriter, table: pa.Table) -> None:
        written.append(Path())
        if len(written) > 20:
            raise OSError(28, "No space left on device")
        whole(self, table)

    with monkeypatch.context() as patch:
        patch.setattr(parts.TableWriter, "add", fail)
        with pytest.raises(DatasetError, match="No space left on device"):
            ingest(log, out, jobs=1)
    assert part_table(out, "hands").num_rows > 0
    assert not list((out / "parts").glob(".*"))
    assert ingest(log, out, jobs=1).duplicates > 0
    ingest(log, tmp_path / "fresh", jobs=1)
    assert contents(out) == contents(tmp_path / "fresh")


# Two at once, and runs that are killed


def test_two_ingests_at_once(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", match_of("m", 1))
    with store.open_store(out):
        code = "import sys; from trucostats.ingest import ingest; ingest(sys.argv[1], sys.argv[2])"
        other = subprocess.run(
            [sys.executable, "-c", code, str(log), str(out)], capture_output=True, text=True, check=False
        )
        assert "another ingest is writing to" in other.stderr.splitlines()[-1]
        with pytest.raises(DatasetError, match=r"another ingest is writing to .*; wait for it or use another folder"):
            ingest(log, out)
    assert count(ingest(log, out)) == (1, 0, 0, 0)


def test_leftovers_of_killed_runs_are_removed(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", match_of("m", 1))
    ingest(log, out)
    for name in ("parts/.tmp-000002-aa", "derived/.tmp-000002-aa", "derived/000007", ".spill-aa"):
        (out / name).mkdir()
        write(out / name / "x", b"x")
    write(out / ".tmp-rejects.jsonl", b"x")
    write(out / "mine.txt", b"x")
    ingest(log, out)
    assert not [path for path in out.rglob("*") if path.name.startswith((".tmp", ".spill"))]
    assert [path.name for path in (out / "derived").iterdir()] == ["000002"]
    assert (out / "mine.txt").exists()


_KILLED = """
    import os, random, signal, sys, time
    from pathlib import Path
    import trucostats.by_match, trucostats.matches
    from trucostats import sources
    from trucostats.dataset import connect
    from trucostats.ingest import ingest
    sources.SHARE_LINES, sources.BLOCK = 100, 4096
    log, out, moments = sys.argv[1], Path(sys.argv[2]), random.Random(int(sys.argv[3]))
    ingest(log, out.with_name("warm"), jobs=1)
    started = time.perf_counter()
    ingest(log, out.with_name("timed"), jobs=1)
    whole = time.perf_counter() - started
    cut = 0
    for attempt in range(8):
        if (child := os.fork()) == 0:
            ingest(log, out, jobs=1)
            os._exit(0)
        time.sleep(whole * moments.choice([0.02, 0.1, 0.2, 0.3, 0.5, 0.95]) * moments.random() * 2)
        os.kill(child, signal.SIGKILL)
        cut += os.waitpid(child, 0)[1] == signal.SIGKILL
        if (out / "dataset.json").exists():
            connection = connect(out, comments=False)
            connection.sql("SELECT count(*), max(cards) FROM hands JOIN seats USING (hand_id)").fetchall()
            connection.close()
    report = ingest(log, out, jobs=1)
    print(cut, report.lines, report.accepted, report.duplicates)
"""


@POSIX
def test_killed_at_any_moment(tmp_path: Path, out: Path) -> None:
    data = log_of(100) + b"{\n" + line(3, "m7", (9, 9)) + b"\n{\n" + log_of(20)
    log = write(tmp_path / "a.jsonl", data)
    command = [sys.executable, "-c", textwrap.dedent(_KILLED), str(log), str(out), str(os.getpid())]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    cut, lines, accepted, repeated = map(int, run.stdout.split())
    assert cut >= 3
    assert lines == 1203
    assert accepted + repeated == 1200
    assert contents(out) == contents(tmp_path / "timed")
    files = derived_table(out, "files")
    assert sum(files["accepted"].to_pylist()) == 1000
    assert [path.name for path in (out / "derived").iterdir()] == [
        json.loads((out / "dataset.json").read_text())["derived"]
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_end_when_their_ingest_is_killed(tmp_path: Path, out: Path) -> None:
    log = write(tmp_path / "a.jsonl", log_of(400))
    code = (
        "import sys; from trucostats import sources; sources.SHARE_LINES, sources.BLOCK = 100, 4096; "
        "from trucostats.ingest import ingest; ingest(sys.argv[1], sys.argv[2], jobs=2)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(log), str(out)], stderr=subprocess.DEVNULL) as run:
        while not list((out / "parts").glob("[0-9]*")):
            time.sleep(0.01)
        helpers = begun_by(run.pid)
        run.kill()
    assert len(helpers) == 3  # two workers and the process they come from
    deadline = time.monotonic() + 30
    while any(map(runs, helpers)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    report = ingest(log, out, jobs=1)
    assert 0 < report.accepted < 4000
    assert part_table(out, "hands").num_rows == 4000


def begun_by(process: int) -> list[int]:
    """Return all processes that one began, and those began."""
    children = [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return children + [one for child in children for one in begun_by(child)]


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_interrupted_by_hand(tmp_path: Path, out: Path, small_parts: None) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    log = write(tmp_path / "a.jsonl", log_of(40))
    with pytest.raises(KeyboardInterrupt):
        ingest(log, out, jobs=2, progress=stop)
    assert not list((out / "parts").glob(".*"))
    assert part_table(out, "hands").num_rows >= 100
    assert ingest(log, out, jobs=1).accepted < 400
