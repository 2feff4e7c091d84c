"""The plan of the house, held by reading the code: who may import whom, one door for each third party, small files, no blank labels.

The plan is `HOUSES`: the street from bytes to what people look at. A house may import those it names, which stand before it. A
new module or package has to be given its place here.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "trucostats"
LONGEST = 450
BLANK_LABELS = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "base", "core", "lib", "tools"}


@dataclass(frozen=True)
class House:
    """Some modules (or packages, with all in them), and the houses they may import."""

    modules: str
    imports: str


HOUSES = {
    "words": House("errors vocab home", ""),
    "rules": House("rules", "words"),
    "tables": House("tables", ""),
    "arrays": House("arrays", "tables"),
    # The reader does not know the rules of play: notation never imports kernel.
    "notation": House("words record notation columns batch", "words rules"),
    "importers": House("importers", "words rules notation"),
    "kernel": House("kernel", "words rules"),
    "reasons": House("reasons", "words kernel"),
    "series": House("series", "words rules kernel"),
    "hand": House("hand phrases tell perft", "words rules notation kernel reasons series"),
    "play": House("chance policies games faults simulate", "words rules notation kernel series"),
    "replay": House("rows strength notes replay verdicts", "words rules notation kernel reasons"),
    "build": House("build", "words rules notation kernel replay tables arrays"),
    "queries": House("dataset queries", "words rules tables"),
    "matches": House("matches by_match", "words rules tables arrays series"),
    "ingest": House(
        "known sources pieces parts derived store decisions workers crew ingest",
        "words rules notation kernel replay tables arrays build matches queries",
    ),
    "logs": House("logs", "words rules notation kernel replay tables build matches ingest"),
    "schemas": House("schemas", "words rules notation tables"),
    "solver": House("solver", "words rules notation kernel hand"),
    "plots": House("plots heatmap", ""),
    "advisor": House("advisor", "words rules notation kernel hand play replay queries logs solver"),
    "report": House("report", "words rules tables queries plots"),
    "cli": House(
        "cli __main__",
        "words rules tables notation importers kernel hand play queries ingest logs schemas solver plots advisor report",
    ),
}

# Third parties by the only houses or modules that import them; what is not here is not imported at all.
DOORS = {
    "msgspec": "notation",
    "numba": "kernel.jit",
    "duckdb": "dataset",
    "typer": "cli",
    "rich": "cli",
    "matplotlib": "plots report",
    "filelock": "store",
    "xxhash": "build",
    "pyarrow": "tables arrays build queries matches ingest logs plots report cli solver.equity",
    "numpy": "notation kernel hand play replay arrays build matches ingest solver advisor report",
}
# Installed by an extra and imported by name, where a caller asks for its kind of table.
BY_NAME = {"pandas", "polars"}
HEAVY = ("numba", "duckdb", "pandas", "polars", "matplotlib", "pyarrow", "numpy", "typer", "rich")


@dataclass(frozen=True)
class Import:
    """One import statement: the module it stands in (without the package's name), what it imports, the line."""

    module: str
    target: str
    line: int
    for_types: bool


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")


SOURCES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@lru_cache(maxsize=1)
def imports() -> list[Import]:
    """Return every import of the package, those inside functions too."""
    found = []
    for module, path in SOURCES.items():
        tree = ast.parse(path.read_text("utf-8"))
        typing_only = {
            id(node)
            for block in ast.walk(tree)
            if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
            for statement in block.body
            for node in ast.walk(statement)
        }
        for node in ast.walk(tree):
            targets: list[str] = []
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path}:{node.lineno}: relative import; write the whole name"
                source = node.module or ""
                inner = [f"{source}.{alias.name}" for alias in node.names]
                targets = [name if name.removeprefix("trucostats.") in SOURCES else source for name in inner]
            found += [Import(module, target, node.lineno, id(node) in typing_only) for target in dict.fromkeys(targets)]
    return found


def house_of(module: str) -> str | None:
    """Return the house that a module belongs to, by its own name or that of its package."""
    parts = module.split(".")
    names = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    return next((name for name, house in HOUSES.items() if names & set(house.modules.split())), None)


def inside() -> list[Import]:
    """Return the imports of the package's own modules; the package itself, which holds nothing, is left out."""
    own = [found for found in imports() if found.target.split(".")[0] == "trucostats" and found.target != "trucostats"]
    return [
        Import(found.module, found.target.removeprefix("trucostats."), found.line, found.for_types) for found in own
    ]


def outside() -> list[tuple[Import, str]]:
    """Return the imports of third parties and their top names."""
    tops = [(found, found.target.split(".")[0]) for found in imports()]
    return [(found, top) for found, top in tops if top != "trucostats" and top not in sys.stdlib_module_names]


def place(found: Import) -> str:
    return f"trucostats/{SOURCES[found.module].relative_to(PACKAGE)}:{found.line}"


def test_the_street_has_one_direction() -> None:
    for at, (name, house) in enumerate(HOUSES.items()):
        later = set(house.imports.split()) - set(list(HOUSES)[:at])
        assert not later, f"the house {name} names {later}, which do not stand before it"


def test_every_module_has_its_place() -> None:
    homeless = [module for module in SOURCES if module and house_of(module) is None]
    assert not homeless, f"give these a place in HOUSES: {', '.join(homeless)}"


@pytest.mark.parametrize("name", HOUSES)
def test_a_house_imports_only_those_it_names(name: str) -> None:
    allowed = {name, *HOUSES[name].imports.split()}
    strangers = [
        f"{place(found)} imports {found.target}"
        for found in inside()
        if house_of(found.module) == name and house_of(found.target) not in allowed
    ]
    assert not strangers, "\n".join(strangers)


def test_no_modules_import_each_other() -> None:
    graph: defaultdict[str, set[str]] = defaultdict(set)
    for found in inside():
        if not found.for_types and found.module != found.target:
            graph[found.module].add(found.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' <- '.join(error.args[1])}")


def test_one_door_for_each_third_party() -> None:
    strangers = []
    for found, top in outside():
        doors = DOORS.get(top, "").split()
        if found.module not in doors and house_of(found.module) not in doors:
            strangers.append(f"{place(found)} imports {top}, which is for {', '.join(doors) or 'nobody'}")
    assert not strangers, "\n".join(strangers)


def test_the_dependencies_are_those_that_are_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = {
        re.split(r"[<>=!~\[; ]", wanted)[0]
        for wanted in [*project["dependencies"], *extras["plots"], *extras["pandas"], *extras["polars"]]
    }
    assert declared == {top for _, top in outside() if top in DOORS} | BY_NAME


def test_importing_trucostats_loads_nothing_heavy() -> None:
    code = f"import sys, trucostats; print([name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert loaded.stdout.strip() == "[]"


def test_an_ingest_loads_no_data_frames(tmp_path: Path) -> None:
    log = ROOT / "data" / "samples"
    code = f"""
import sys
from trucostats.ingest import ingest
for jobs in (1, 2):
    assert ingest({str(log)!r}, {str(tmp_path / "out")!r}, jobs=jobs).lines
print([name for name in ("pandas", "polars", "duckdb", "matplotlib") if name in sys.modules])
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert loaded.stdout.strip() == "[]"


def test_files_fit_in_the_head() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in [*SOURCES.values(), *PACKAGE.rglob("*.sql")]}
    long = [f"{path.relative_to(ROOT)}: {length} lines" for path, length in lengths.items() if length > LONGEST]
    assert not long, f"longer than {LONGEST} lines:\n" + "\n".join(long)


def test_names_say_what_is_inside() -> None:
    blank = [
        str(path.relative_to(ROOT)) for path in [*SOURCES.values(), *PACKAGE.rglob("*/")] if path.stem in BLANK_LABELS
    ]
    assert not blank, f"these names say nothing: {', '.join(blank)}"


def public_without_docstring(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    missing = [] if ast.get_docstring(tree) else [f"{path.relative_to(ROOT)}: the module"]

    def look(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith(
                "_"
            ):
                marks = {ast.unparse(mark).split(".")[-1] for mark in node.decorator_list}
                if not ast.get_docstring(node) and not marks & {"overload", "setter", "override"}:
                    missing.append(f"{path.relative_to(ROOT)}:{node.lineno}: {prefix}{node.name}")
                if isinstance(node, ast.ClassDef):
                    look(node.body, f"{prefix}{node.name}.")

    look(tree.body, "")
    return missing


def test_every_public_name_has_a_docstring() -> None:
    missing = [name for path in SOURCES.values() for name in public_without_docstring(path)]
    assert not missing, "no docstring:\n" + "\n".join(missing)


def test_every_table_and_column_is_documented() -> None:
    from trucostats.tables import TABLES

    page = (ROOT / "schemas" / "tables.md").read_text("utf-8")
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(TABLES)
    missing = [
        f"{table.name}.{column.name}"
        for table in TABLES.values()
        for column in table.columns
        if f"| `{column.name}` |" not in sections[table.name]
    ]
    assert not missing
    assert all(column.meaning for table in TABLES.values() for column in table.columns)


def commands() -> list[str]:
    """Return every command that does something, as it is typed."""
    from typer.main import get_command

    from trucostats.cli import app

    def walk(command: Any, path: str) -> list[str]:
        inner = getattr(command, "commands", None)
        return (
            [path]
            if inner is None
            else [found for name, part in inner.items() for found in walk(part, f"{path} {name}")]
        )

    return walk(get_command(app), "trucostats")


def test_every_command_is_documented() -> None:
    pages = "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))])
    # `stats run NAME` and `rules show NAME` are typed without their second word.
    missing = [
        name for name in commands() if not re.search(rf"\b{name.removesuffix(' run').removesuffix(' show')}\b", pages)
    ]
    assert not missing, f"neither README.md nor docs/ shows: {', '.join(missing)}"


def test_every_statistic_is_documented() -> None:
    from trucostats.queries import list_queries

    page = (ROOT / "docs" / "statistics.md").read_text("utf-8")
    missing = [query.name for query in list_queries() if not re.search(rf"\b{query.name}\b", page.replace("-", "_"))]
    assert not missing, f"docs/statistics.md does not tell of {', '.join(missing)}"
