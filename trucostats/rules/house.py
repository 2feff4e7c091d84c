"""Rule sets as people write them: a name, a label of the tables, an object, or a file of house rules."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from trucostats.errors import RulesError
from trucostats.rules import Rules, rules_of
from trucostats.vocab import CARDS

_WORDS: Final = {"true": True, "false": False, "null": None, "none": None}
_CARD: Final = re.compile("|".join(sorted(CARDS, key=len, reverse=True)))
# Their values are text with blanks, which a label leaves out.
_GROUPS: Final = "order_strong_to_weak"


def parse_rules(text: str) -> Rules:
    """Return the rule set that a text names: `argentino`, a label of the tables, a JSON object, or a `.toml` or `.json` file.

    A label is a name with the options that differ from it, as `str(Rules)` writes it. Raises `RulesError`, `OSError` for a file.

    >>> str(parse_rules("argentino target=15 flor=true"))
    'argentino flor=true target=15'
    >>> parse_rules('{"base": "truc", "target": 9}').target
    9
    """
    text = text.strip()
    if text.startswith("{"):
        return _of_json(text, "the rules")
    if text.endswith((".toml", ".json")):
        return read_rules(text)
    name, *options = text.split()
    spec: dict[str, Any] = {}
    for word in options:
        option, sign, value = word.partition("=")
        if not sign:
            raise RulesError(f"{word!r} is no option; options follow the name of the rule set, as in 'argentino target=15'")
        if option in spec:
            raise RulesError(f"the option {option!r} is given twice; keep one of the two")
        spec[option] = _value(option, value)
    return rules_of({"base": name} | spec if spec else name)


def read_rules(path: str | Path) -> Rules:
    """Return the house rules of a TOML or JSON file: `base`, the rule set they start from, and the options that differ.

    Raises `RulesError` naming the file and what is wrong with it, `OSError` if it cannot be read.
    """
    try:
        text = Path(path).read_text("utf-8")
        if str(path).endswith(".json"):
            return _of_json(text, str(path))
        return rules_of(tomllib.loads(text))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RulesError) as error:
        raise RulesError(f"{path}: {error}") from error


def _of_json(text: str, where: str) -> Rules:
    try:
        spec = json.loads(text)
    except ValueError as error:
        raise RulesError(f"{where}: this is not JSON: {error}") from error
    return rules_of(spec)


def _value(option: str, text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if text[:1] in ("[", "{"):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise RulesError(f"rule option {option!r} is {text!r}, which cannot be read; write it as in JSON, without blanks") from error
        if option == _GROUPS and isinstance(value, list):
            return [" ".join(_CARD.findall(str(group))) for group in value]
        return value
    return text
