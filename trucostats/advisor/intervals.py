"""How sure a share is."""

from __future__ import annotations

from math import sqrt
from typing import Final

Z: Final = 1.959963984540054  # standard errors to either side of a 95 % interval


def wilson(x: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of x in n cases, of which there is at least a part. Source: E. B. Wilson 1927.

    >>> [round(end, 3) for end in wilson(3, 4)]
    [0.301, 0.954]
    """
    middle, reach = x + Z * Z / 2, Z * sqrt(max(x * (n - x), 0.0) / n + Z * Z / 4)
    share = x / n
    low, high = (middle - reach) / (n + Z * Z), (middle + reach) / (n + Z * Z)
    return max(min(low, share), 0.0), min(max(high, share), 1.0)


__all__ = ["Z", "wilson"]
