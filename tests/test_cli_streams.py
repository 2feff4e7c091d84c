"""The command line and files, streams, terminals and signals: nothing half written, no traceback, no stray control character."""

from __future__ import annotations

import gzip
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from cli_calls import (
    DONE,
    FINDINGS,
    GARBAGE,
    GOOD,
    REFUSED,
    ingested,
    mixture,
    refused,
    run,
    shell,
    simulated,
)
from typer.testing import CliRunner

from trucostats import schemas
from trucostats.cli import app


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulated(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def tables(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ingested(log, tmp_path_factory.mktemp("data"))


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    return mixture(tmp_path)


@pytest.mark.parametrize("command", [["validate"], ["replay"], ["show"], ["import", "ufsm"], ["perft"]], ids=" ".join)
def test_files_that_cannot_be_read_are_one_line(command: list[str], tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.jsonl"
    assert "nowhere.jsonl" in refused(*command, nowhere)
    assert tmp_path.name in refused(*command, tmp_path)
    (tmp_path / "file").write_text("x")
    assert "file" in refused(*command, tmp_path / "file" / "x.jsonl")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", GARBAGE, b"\xff\xfe\n", b"\x00" * 5000, b"{" * 100_000, b"[" * 100_000 + b"\n"],
    ids=range(7),
)
def test_logs_of_anything_give_no_traceback(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes(content)
    lines = [line for line in content.split(b"\n") if line.strip()]
    assert run("replay", path).exit_code == DONE
    assert len(run("replay", path).stdout.splitlines()) == len(lines)
    result = run("validate", path)
    assert result.exit_code == (FINDINGS if lines else DONE)
    assert run("ingest", path, "--out", tmp_path / "t", "--jobs", "1").exit_code == (FINDINGS if lines else DONE)
    assert "any.jsonl" in refused("show", path) or "line 1" in refused("show", path)


def test_a_text_of_a_log_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        GOOD.replace('"quiero', '"\\u001b[2Jquiero')
        .replace('"1 quiero"', '"1 \\u001b[31mquiero"')
        .replace("club", "c\\u001bub")
        + "\n"
    )
    assert "\x1b" not in run("validate", path).stdout
    assert "\x1b" not in run("replay", path).stdout


def test_output_is_whole_or_not_there(tmp_path: Path, log: Path) -> None:
    old = tmp_path / "old.jsonl"
    old.write_text("old")
    packed = tmp_path / "cut.jsonl.gz"
    packed.write_bytes(gzip.compress(log.read_bytes())[:-40])
    assert run("replay", packed, "-o", old).exit_code == REFUSED
    assert old.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.jsonl.gz", "old.jsonl"]
    assert run("replay", log, "-o", old).exit_code == DONE
    assert old.read_text() == run("replay", log).stdout
    mask = os.umask(0)
    os.umask(mask)
    assert old.stat().st_mode & 0o777 == 0o666 & ~mask


def test_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    assert "check the path" in refused("rules", "list", "-o", tmp_path / "nowhere" / "x.txt")
    assert "folder" in refused("rules", "list", "-o", tmp_path)
    (tmp_path / "file").write_text("x")
    assert "x.txt" in refused("rules", "list", "-o", tmp_path / "file" / "x.txt")
    assert "/proc/x.txt" in refused("rules", "list", "-o", "/proc/x.txt")


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_a_folder_that_may_not_be_written_is_one_line() -> None:
    with tempfile.TemporaryDirectory() as folder:
        sealed = Path(folder)
        sealed.chmod(0o555)
        # Once before the rights are given up: the account of nobody may not even read the interpreter.
        first = "import os\nfrom trucostats.cli import app\ntry: app(['rules', 'list', '-o', os.devnull])\nexcept SystemExit: pass\nimport tempfile"
        second = f"os.geteuid() or os.setuid(65534)\napp(['rules', 'list', '-o', '{sealed}/x.txt'])"
        call = [sys.executable, "-c", f"{first}\n{second}"]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        sealed.chmod(0o755)
    assert done.returncode == REFUSED
    assert re.fullmatch(
        r"trucostats: '.*x\.txt': Permission denied; check the permissions, or use another place\n", done.stderr
    )


def test_output_never_goes_through_a_link_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    (tmp_path / "in" / "link.txt").symlink_to(outside)
    assert "link" in refused("rules", "list", "-o", tmp_path / "in" / "link.txt")
    assert outside.read_text() == "mine"
    (tmp_path / "in" / "real.txt").write_text("old")
    (tmp_path / "in" / "near.txt").symlink_to("real.txt")
    assert run("rules", "list", "-o", tmp_path / "in" / "near.txt").exit_code == DONE
    assert (tmp_path / "in" / "near.txt").is_symlink()
    assert (tmp_path / "in" / "real.txt").read_text() == run("rules").stdout
    (tmp_path / "in" / "loop.txt").symlink_to("loop.txt")
    refused("rules", "list", "-o", tmp_path / "in" / "loop.txt")
    assert run("rules", "list", "-o", "/dev/null").exit_code == DONE
    assert run("rules", "list", "-o", "-").stdout == run("rules").stdout


def test_a_pipe_gets_no_colours_and_no_wrapping(tables: Path) -> None:
    wide = "SELECT '" + "x" * 300 + "' AS wide, 'ñandú' AS name"
    for env in ({}, {"COLUMNS": "40"}, {"TERM": "xterm-256color"}):
        done = shell("query", wide, "--tables", tables, env=env)
        assert b"\x1b" not in done.stdout
        assert max(map(len, done.stdout.decode().splitlines())) > 300


def test_characters_that_the_terminal_lacks_are_spelled_out() -> None:
    done = shell("rules", "show", "gaucho", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == DONE
    assert b"ga\\xfacho" in done.stdout


def on_terminal(*args: str | Path, env: dict[str, str] | None = None, keep: float = 0) -> tuple[bytes, int]:
    """Run the program on a pseudo terminal; return all it wrote there and its exit code."""
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    call = [sys.executable, "-c", "from trucostats.cli import main; main()", *map(str, args)]
    with subprocess.Popen(
        call, stdin=child, stdout=child, stderr=child, env=os.environ | {"TERM": "xterm", "COLUMNS": "80"} | (env or {})
    ) as process:
        os.close(child)
        written = b""
        while True:
            try:
                more = os.read(parent, 65536)
            except OSError:
                break
            if not more:
                break
            written += more
        code = process.wait()
    os.close(parent)
    return written, code


def test_a_terminal_gets_its_width_and_colours_unless_refused(tables: Path) -> None:
    written, code = on_terminal("rules", "show", "argentino")
    assert code == DONE
    assert b"\x1b[1m" in written
    plain, _ = on_terminal("rules", "show", "argentino", env={"NO_COLOR": "1"})
    assert not re.search(rb"\x1b\[\d*;?3\d", plain)
    assert max(len(line) for line in re.sub(rb"\x1b\[[\d;]*m", b"", written).decode().splitlines()) <= 80
    assert (
        b"Parquet is not for a terminal"
        in on_terminal("query", "SELECT 1", "--tables", tables, "--format", "parquet")[0]
    )


def test_a_terminal_gets_a_progress_bar(log: Path, tmp_path: Path) -> None:
    written, code = on_terminal("ingest", log, "--out", tmp_path / "t", "--jobs", "1")
    assert code == DONE
    assert b"hands accepted" in written
    assert b"\x1b[" in written
    quiet, _ = on_terminal("ingest", log, "--out", tmp_path / "q", "--jobs", "1", "--quiet")
    assert quiet.strip() == b""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_reader_who_stops_reading_is_no_error(log: Path) -> None:
    call = [sys.executable, "-c", "from trucostats.cli import main; main()", "simulate", "--hands", "100000"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(60) == 141
    assert [line for line in said.splitlines() if not line.startswith(b"compiling")] == []


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_is_130() -> None:
    call = [
        sys.executable,
        "-c",
        "from trucostats.cli import main; main()",
        "simulate",
        "--hands",
        "100000000",
        "-o",
        os.devnull,
    ]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
        assert process.returncode == 130
    assert b"Traceback" not in said
    assert out == b""


def test_a_defect_is_one_line_and_debug_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("some\nthing")

    monkeypatch.setattr(schemas, "findings", broken)
    result = run("schema", "findings")
    assert result.exit_code == 3
    assert re.fullmatch(
        r"trucostats: ZeroDivisionError: some thing; this is a defect of trucostats, TRUCOSTATS_DEBUG=1 shows where\n",
        result.stderr,
    )
    shown = CliRunner().invoke(app, ["schema", "findings"], env={"TRUCOSTATS_DEBUG": "1"})
    assert isinstance(shown.exception, ZeroDivisionError)


def test_the_first_use_is_announced(monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    from trucostats.kernel import jit

    monkeypatch.setattr(jit, "compiled_before", lambda _module: False)
    assert run("validate", log).stderr.splitlines()[0] == "compiling the rules engine (once, about 20 s)…"
    monkeypatch.setattr(jit, "compiled_before", lambda _module: True)
    assert "compiling" not in run("validate", log).stderr
