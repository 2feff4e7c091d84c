"""The examples of every docstring of the package run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import trucostats

# Written out on import: `python -m trucostats` and the like.
MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(trucostats.__path__, "trucostats.")
    if not found.name.endswith(".__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [
        example for name in MODULES for test in finder.find(importlib.import_module(name)) for example in test.examples
    ]
    assert len(examples) > len(MODULES)
