"""Random numbers and shuffled deals for simulated games: seeded, and alike on every platform, compiled or not."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trucostats.kernel.jit import jit


def seeded(*key: object) -> NDArray[np.int64]:
    """Return the state of a generator whose numbers depend on these values alone.

    >>> rng = seeded("seed", 1)
    >>> [below(rng, 40) for _ in range(5)]
    [4, 19, 11, 33, 35]
    """
    digest = blake2b("/".join(map(str, key)).encode(), digest_size=24).digest()
    # Each of the two recurrences needs a state that is not all zero.
    return np.array([int.from_bytes(digest[at : at + 4], "big") % 4294944442 + 1 for at in range(0, 24, 4)], np.int64)


@jit
def draw(rng: Any) -> int:
    """Return the next number, 0 to 2**32 - 210, of L'Ecuyer's MRG32k3a; no product passes 2**53, so every platform agrees."""
    first = (1403580 * int(rng[1]) - 810728 * int(rng[0])) % 4294967087
    rng[0] = rng[1]
    rng[1] = rng[2]
    rng[2] = first
    second = (527612 * int(rng[5]) - 1370589 * int(rng[3])) % 4294944443
    rng[3] = rng[4]
    rng[4] = rng[5]
    rng[5] = second
    return int((first - second) % 4294967087)


@jit
def below(rng: Any, n: int) -> int:
    """Return a random number from 0 to n - 1."""
    return int((draw(rng) * n) >> 32)


@jit
def happens(rng: Any, percent: int) -> bool:
    """Return true in so many of a hundred cases."""
    return below(rng, 100) < percent


@jit
def pick_bit(rng: Any, bits: int) -> int:
    """Return the position of one of the set bits, each as likely."""
    n = 0
    rest = bits
    while rest:
        rest &= rest - 1
        n += 1
    skip = below(rng, n)
    position = 0
    while True:
        if (bits >> position) & 1:
            if skip == 0:
                return position
            skip -= 1
        position += 1


@jit
def deal_cards(s: Any, r: Any, rng: Any, seats: int, each: int, turned: int, pack: Any, deal: Any) -> None:
    """Shuffle as much of the pack as is needed into hands; `turned` is 1 where a card is turned, which is then `pack[0]`."""
    for card in range(40):
        pack[card] = card
    for place in range(seats * each + turned):
        other = place + below(rng, 40 - place)
        card = pack[place]
        pack[place] = pack[other]
        pack[other] = card
    deal[:] = -1
    for seat in range(seats):
        for place in range(each):
            deal[seat, place] = pack[turned + seat * each + place]
