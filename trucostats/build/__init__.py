"""From a replayed batch to Arrow tables: `hands`, `seats`, `calls`, `tricks`, `events`, `findings`, and the digests of hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trucostats.arrays import Mask, as_table
from trucostats.build.calls import calls_table, events_table, tricks_table
from trucostats.build.context import Context, context_of
from trucostats.build.digests import hand_keys
from trucostats.build.hands import hands_table, seats_table
from trucostats.build.texts import Texts, texts_of
from trucostats.errors import Finding
from trucostats.replay import Replayed
from trucostats.verdicts import findings_of, hands_with_findings

if TYPE_CHECKING:
    from trucostats.batch import Batch

Keys = NDArray[np.uint64]


def build_tables(
    batch: Batch,
    replayed: Replayed,
    file: str,
    first_hand_id: int,
    keep: Mask | None = None,
    keys: tuple[Keys, Keys] | None = None,
    texts: Texts | None = None,
) -> dict[str, pa.Table]:
    """Return the tables of the kept hands of a batch; `hand_id` counts on from `first_hand_id`.

    `keys` are those of `hand_keys` and `texts` those of `texts_of`, computed when left out. Rejected lines of the batch appear in `findings` without a hand.
    """
    n = len(batch)
    kept = np.arange(n) if keep is None else np.flatnonzero(keep)
    hand_id = np.full(n, -1, np.int64)
    hand_id[kept] = first_hand_id + np.arange(len(kept))
    texts = texts or texts_of(batch)
    context = context_of(batch, replayed, kept, hand_id, texts)
    return {
        "hands": hands_table(context, file, keys or hand_keys(batch, texts)),
        "seats": seats_table(context),
        "calls": calls_table(context),
        "tricks": tricks_table(context),
        "events": events_table(context),
        "findings": _findings(context, file),
    }


def _findings(x: Context, file: str) -> pa.Table:
    found: list[tuple[int | None, Finding]] = [(None, reject.finding) for reject in x.batch.rejects]
    for i in hands_with_findings(x.batch, x.replayed):
        if x.hand_id[i] >= 0:
            found += [(int(x.hand_id[i]), finding) for finding in findings_of(x.batch, x.replayed, i, file)]
    return findings_table(found, file)


def findings_table(found: Sequence[tuple[int | None, Finding]], file: str) -> pa.Table:
    """Return findings, each with the id of its hand or None, as the `findings` table."""
    findings = [finding for _, finding in found]
    columns: dict[str, Any] = {
        "file": [finding.file or file for finding in findings],
        "line": [finding.line for finding in findings],
        "hand_id": [hand_id for hand_id, _ in found],
        "match": [finding.match for finding in findings],
        "game": [finding.game for finding in findings],
        "hand": [finding.hand for finding in findings],
        "event": [-1 if finding.event == "deal" else finding.event for finding in findings],
        "family": [finding.family for finding in findings],
        "severity": [finding.severity for finding in findings],
        "code": [finding.code for finding in findings],
        "message": [finding.message for finding in findings],
    }
    return as_table("findings", columns)


__all__ = ["Texts", "build_tables", "findings_table", "hand_keys", "texts_of"]
