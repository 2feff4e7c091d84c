"""Rule sets as people write them: a name, a label of the tables, an object, or a file of house rules."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from trucostats.errors import RulesError
from trucostats.rules import NAMES, Rules, rules_of, rules_of_label


def parse_rules(text: str) -> Rules:
    """Return the rule set that a text names: `argentino`, a label of the tables, a JSON object, or a `.toml` or `.json` file.

    A label is a name with the options that differ from it, as `str(Rules)` writes it. Raises `RulesError`, `OSError` for a file.

    >>> str(parse_rules("argentino target=15 flor=true"))
    'argentino flor=true target=15'
    >>> parse_rules('{"base": "truc", "target": 9}').target
    9
    """
    text = text.strip()
    if not text:
        raise RulesError(f"the rules are empty; name a rule set: {', '.join(NAMES)}")
    if text.startswith("{"):
        return _of_json(text)
    if text.endswith((".toml", ".json")):
        return read_rules(text)
    name, *options = text.split()
    if options and "=" not in options[0]:
        raise RulesError(
            f"{options[0]!r} is no option; options follow the name of the rule set, as in '{name} target=15'"
        )
    return rules_of_label(text)


def read_rules(path: str | Path) -> Rules:
    """Return the house rules of a TOML or JSON file: `base`, the rule set they start from, and the options that differ.

    Raises `RulesError` naming the file and what is wrong with it, `OSError` if it cannot be read.
    """
    try:
        text = Path(path).read_text("utf-8")
        if str(path).endswith(".json"):
            return _of_json(text)
        return rules_of(tomllib.loads(text))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, RulesError) as error:
        raise RulesError(f"{path}: {error}") from error


def _of_json(text: str) -> Rules:
    try:
        spec = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"these rules are not JSON: {error}") from error
    return rules_of(spec)
