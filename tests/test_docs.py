"""The examples of the README and of docs/ run and print what they say.

A block ```` ```jsonl NAME ```` is saved under its name, ```` ```python ```` is executed, ```` ```pycon ```` is a doctest, and every `$ trucostats …` of
```` ```console ```` is run and its output compared; a line `…` stands for more lines. `python tests/test_docs.py` writes the outputs again.
"""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner

from trucostats.cli import app

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
BLOCK: Final = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MORE: Final = "…"
SIMULATE: Final = "simulate --rules argentino --hands 20000 --seed 1 --policy plain -o out/demo.jsonl"
DEMO: Final = "stats mano-advantage --tables out/demo --rules argentino"


def run(arguments: str) -> str:
    """Run the command line with a line of arguments and return what it prints."""
    result = CliRunner().invoke(app, shlex.split(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1), f"{arguments}: {result.output}"
    return "".join(line for line in result.output.splitlines(keepends=True) if not line.startswith("compiling"))


def plain(text: str) -> list[str]:
    """Return lines to compare: numbers to four decimals, one blank for many."""
    text = re.sub(r"\d+\.\d{5,}", lambda number: f"{float(number[0]):.4f}", text)
    return [re.sub(r"[ -]{2,}", " ", line).strip() for line in text.rstrip().splitlines()]


def console(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output below it."""
    commands: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append((line[2:].strip(), ""))
        else:
            commands[-1] = (commands[-1][0], commands[-1][1] + line)
    return commands


def agrees(said: str, printed: str) -> bool:
    want, got = plain(said), plain(printed)
    if MORE in want:
        want = want[: want.index(MORE)]
        return got[: len(want)] == want and len(got) > len(want)
    return want == got


def prepare(folder: Path) -> None:
    shutil.copytree(ROOT / "data", folder / "data")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for kind, name, body in BLOCK.findall(page.read_text("utf-8")):
        if kind in ("jsonl", "csv") and name:
            Path(name).write_text(body, "utf-8")
        elif kind == "python":
            exec(compile(body, f"{page.name}", "exec"), names)
        elif kind == "pycon":
            example = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
            assert runner.run(example, clear_globs=False).failed == 0
            names = example.globs
        elif kind == "console":
            for command, said in console(body):
                if command.startswith("trucostats "):
                    printed = run(command.removeprefix("trucostats "))
                    assert agrees(said, printed), f"$ {command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [target for target in targets if target and not (page.parent / target).exists()] == []


def test_design_names_every_module() -> None:
    page = (ROOT / "docs/design.md").read_text("utf-8")
    names = {
        path.name.removesuffix(".py")
        for path in (ROOT / "trucostats").iterdir()
        if not path.name.startswith(("_", "py."))
    }
    assert [name for name in sorted(names) if f"`{name}`" not in page and f"`{name}/`" not in page] == []


def demo_table() -> str:
    """Make the demo's dataset in the working directory and return the first table that it prints."""
    Path("out").mkdir()
    run(SIMULATE)
    run("ingest data/samples out/demo.jsonl --out out/demo")
    return run(DEMO)


def test_first_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table at the top of the README is the first one of `make demo`."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert SIMULATE in makefile
    assert "ingest data/samples out/demo.jsonl --out out/demo" in makefile
    assert "for name in mano-advantage" in makefile
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    (shown,) = [body for _, name, body in BLOCK.findall((ROOT / "README.md").read_text("utf-8")) if name == "demo"]
    assert agrees(shown, demo_table())


def filled(block: re.Match[str]) -> str:
    """Return a block with the outputs that its commands give now."""
    kind, name, body = block.groups()
    if kind in ("jsonl", "csv") and name:
        Path(name).write_text(body, "utf-8")
    if kind == "python":
        exec(compile(body, "example", "exec"), {})
    if name == "demo":
        return f"```{kind} {name}\n{shortened(demo_table(), body)}```"
    if kind != "console":
        return block[0]
    text = ""
    for command, said in console(body):
        printed = (
            shortened(run(command.removeprefix("trucostats ")), said) if command.startswith("trucostats ") else said
        )
        text += f"$ {command}\n{printed}"
    return f"```console\n{text}```"


def shortened(printed: str, said: str) -> str:
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    if MORE in said.splitlines():
        lines = [*lines[: said.splitlines().index(MORE)], MORE]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    import os
    import tempfile

    for page in [path for path in PAGES if not sys.argv[1:] or path.name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder:
            prepare(Path(folder))
            os.chdir(folder)
            page.write_text(BLOCK.sub(filled, page.read_text("utf-8")), "utf-8")
            os.chdir(ROOT)
