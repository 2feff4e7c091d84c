"""Field names of the kernel's records must not hide attributes of np.record, or plain Python would read those instead."""

from __future__ import annotations

import numpy as np
import pytest

from trucostats import rows
from trucostats.kernel.params import RULES_ROW
from trucostats.kernel.state import STATE, STATE_FIELDS

TYPES = {"STATE": STATE, "RULES_ROW": RULES_ROW} | {
    name: getattr(rows, name) for name in dir(rows) if name.endswith("_ROW")
}


@pytest.mark.parametrize("name", TYPES)
def test_no_field_hides_an_attribute(name):
    assert not set(TYPES[name].names) & set(dir(np.record))


def test_every_field_of_the_state_has_a_meaning():
    assert all(meaning for _, _, meaning in STATE_FIELDS)
    assert len({name for name, _, _ in STATE_FIELDS}) == len(STATE_FIELDS)
