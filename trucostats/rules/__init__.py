"""Rule sets as values: a name or an object of a record on one side, a frozen `Rules` on the other."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from trucostats.errors import RulesError, did_you_mean
from trucostats.rules.options import OPTIONS, check_option

NAMES: Final = (
    "argentino", "rioplatense", "gaucho", "uruguayo", "truc", "brasileiro", "paulista", "mineiro",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule set: a name, the options that differ from it, and the value of every option.

    Two rule sets with the same values are equal and hash alike, whatever they were written as.

    >>> rules_of({"base": "argentino", "target": 15}).target
    15
    """

    name: str
    overrides: tuple[tuple[str, Any], ...]
    values: tuple[tuple[str, Any], ...]

    def __getattr__(self, option: str) -> Any:
        for name, value in object.__getattribute__(self, "values"):
            if name == option:
                return value
        raise AttributeError(option)

    @property
    def turns_card(self) -> bool:
        """Whether these rules turn a card (vira or muestra)."""
        return self.turned_card is not None

    @property
    def raises(self) -> tuple[str, ...]:
        """The words of the ladder, in order."""
        return tuple(word for word, _ in self.ladder)

    def spec(self) -> str | dict[str, Any]:
        """Return what a record's `rules` field says: the name, or an object with the overriding options."""
        return (
            self.name
            if not self.overrides
            else {"base": self.name} | {key: _plain(value) for key, value in self.overrides}
        )

    def __str__(self) -> str:
        """Return a short label: `argentino`, `argentino target=15`."""
        return " ".join([self.name, *(f"{key}={_label(value)}" for key, value in self.overrides)])


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple) and value[0][0] == "at":
        return dict(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _label(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(_plain(value), separators=(",", ":"))


def rules_of_label(label: str) -> Rules:
    """Return the rule set of a label as tables hold it; the inverse of `str(rules)`.

    >>> rules_of_label("argentino flor=true target=15").target
    15
    """
    name, *rest = re.split(r" (?=\w+=)", label)
    spec: dict[str, Any] = {"base": name}
    for part in rest:
        option, _, text = part.partition("=")
        try:
            spec[option] = json.loads(text)
        except ValueError:
            spec[option] = text
    return rules_of(spec)


@cache
def _data(name: str) -> dict[str, Any]:
    if name not in NAMES:
        raise RulesError(f"there is no rule set {name!r}{did_you_mean(name, NAMES)} (known: {', '.join(NAMES)})")
    return tomllib.loads(resources.files(__package__).joinpath("data", f"{name}.toml").read_text("utf-8"))


def rules_of(spec: str | Mapping[str, Any]) -> Rules:
    """Return the rule set that a name, or an object `{"base": name, option: value, ...}`, stands for.

    Raises `RulesError` naming the option and what it may be. Source of names and options: the rules reference, A.7.2.

    >>> rules_of("truc").target, rules_of({"base": "brasileiro", "scale": "2-4-8-12"}).hand_value
    (12, 2)
    """
    if isinstance(spec, str):
        return _rules_of_name(spec)
    if not isinstance(spec, Mapping) or not isinstance(spec.get("base"), str):
        raise RulesError('rules are a name, or an object with a "base" name and the options that differ')
    return _build(spec["base"], {key: value for key, value in spec.items() if key != "base"})


@cache
def _rules_of_name(name: str) -> Rules:
    return _build(name, {})


def _build(name: str, overrides: Mapping[str, Any]) -> Rules:
    data = _data(name)
    variants: dict[str, dict[str, Any]] = data.get("variants", {})
    values: dict[str, Any] = {option: OPTIONS[option].default for option in OPTIONS}
    shown: dict[str, Any] = {}
    layers = [{key: value for key, value in data.items() if key != "variants"}]
    for option, choices in variants.items():
        chosen = overrides.get(option, next(iter(choices)))
        if not isinstance(chosen, str) or chosen not in choices:
            raise RulesError(
                f"rule option {option!r} is {chosen!r}; it may be {', '.join(choices)}{did_you_mean(chosen, choices)}"
            )
        layers.append(choices[chosen])
        if chosen != next(iter(choices)):
            shown[option] = chosen
    plain = {key: value for key, value in overrides.items() if key not in variants}
    if unknown := [key for key in plain if key not in OPTIONS]:
        raise RulesError(
            f"rule set {name!r} has no option {unknown[0]!r}{did_you_mean(unknown[0], [*OPTIONS, *variants])}"
        )
    for layer in [*layers, plain]:
        for key, value in layer.items():
            if value == "null":
                value = None
            if key == "special_hand" and isinstance(value, Mapping) and values[key] is not None:
                value = dict(values[key]) | dict(value)
            checked = check_option(key, value)
            if layer is plain and checked != values[key]:
                shown[key] = checked
            values[key] = checked
    if values["order_strong_to_weak"] is None and values["turned_card"] is None:
        raise RulesError("rule option 'order_strong_to_weak' is null; only a turned card can give the order")
    return Rules(name, tuple(sorted(shown.items())), tuple(values.items()))


def variants(name: str) -> dict[str, tuple[str, ...]]:
    """Return the options of one rule set that choose whole blocks of data, with the words they may take."""
    return {option: tuple(choices) for option, choices in _data(name).get("variants", {}).items()}
