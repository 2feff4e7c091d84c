"""The generated pages: what a record, a table and a finding are, and the rule sets. `python -m trucostats.schemas` writes them all.

>>> sorted(schemas())
['findings.md', 'record.schema.json', 'tables.json', 'tables.md']
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from trucostats.errors import CODES

_FAMILIES: Final = {
    "malformed": "The line is not a record. It goes to the reject file as it is.",
    "illegal": "A record whose events break the rules. Everything before the fault is kept.",
    "inconsistent": "Legal, but the record or its neighbours contradict it.",
}
# The kernel's word for "no fault"; no finding has it.
_NOTHING_WRONG: Final = "OK"


def schemas() -> dict[str, str]:
    """Return the files of the folder `schemas/` by name."""
    from trucostats.tables import dictionary, dictionary_markdown  # noqa: PLC0415

    return {
        "record.schema.json": _json(record_schema()),
        "tables.json": _json(dictionary()),
        "tables.md": dictionary_markdown(),
        "findings.md": findings_markdown(),
    }


def docs() -> dict[str, str]:
    """Return the generated files of the folder `docs/` by name."""
    from trucostats.rules.describe import rules_page  # noqa: PLC0415

    return {"rules.md": rules_page()}


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of a record."""
    from trucostats.record import record_schema as generate  # noqa: PLC0415

    return generate()


def record_markdown() -> str:
    """Return the fields of a record as a Markdown page."""
    schema = record_schema()
    lines = [
        "# Record",
        "",
        "One line of a log, a JSON object. Fields that start with `_` are extensions: kept, never read.",
        "",
    ]
    lines += ["| field | required | meaning |", "|---|---|---|"]
    for name, field in schema["properties"].items():
        lines.append(f"| `{name}` | {'yes' if name in schema['required'] else 'no'} | {_cell(field['description'])} |")
    return "\n".join(lines) + "\n"


def findings() -> dict[str, dict[str, str]]:
    """Return every code of a finding with its family, severity, meaning and remedy.

    >>> findings()["NOT_OWNER"]["meaning"]
    'only the side that accepted may raise'
    """
    return {
        name: {"family": code.family, "severity": code.severity, "meaning": code.meaning, "remedy": code.remedy}
        for name, code in CODES.items()
        if name != _NOTHING_WRONG
    }


def findings_markdown() -> str:
    """Return the codes of findings as a Markdown page, one section for each family."""
    lines = ["# Findings", "", "Generated from `trucostats/errors.py`. Codes are stable: filter on them.", ""]
    for family, said in _FAMILIES.items():
        lines += [f"## {family}", "", said, "", "| code | severity | what is wrong | what to do |", "|---|---|---|---|"]
        for name, code in findings().items():
            if code["family"] == family:
                lines.append(f"| `{name}` | {code['severity']} | {_cell(code['meaning'])} | {_cell(code['remedy'])} |")
        lines.append("")
    return "\n".join(lines)


def tables() -> dict[str, Any]:
    """Return the data dictionary."""
    from trucostats.tables import dictionary  # noqa: PLC0415

    return dictionary()


def tables_markdown() -> str:
    """Return the data dictionary as a Markdown page."""
    from trucostats.tables import dictionary_markdown  # noqa: PLC0415

    return dictionary_markdown()


def write_all(folder: str | Path) -> list[Path]:
    """Write the files of `schemas/` into a folder; return their paths."""
    return _write(schemas(), Path(folder))


def write_docs(folder: str | Path) -> list[Path]:
    """Write the generated files of `docs/` into a folder; return their paths."""
    return _write(docs(), Path(folder))


def stale(root: str | Path) -> list[str]:
    """Return the files below a project's root that are not as they would be generated now."""
    wanted = {Path("schemas", name): text for name, text in schemas().items()} | {
        Path("docs", name): text for name, text in docs().items()
    }
    return [str(path) for path, text in wanted.items() if _read(Path(root, path)) != text]


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


def _write(files: dict[str, str], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in files]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    _ROOT: Final = Path(__file__).parent.parent
    for written in (*write_all(_ROOT / "schemas"), *write_docs(_ROOT / "docs")):
        print(written.relative_to(_ROOT))
