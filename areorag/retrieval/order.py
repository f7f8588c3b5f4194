"""Order of records: by id for ties, and by what a question orders them by (the finest, the latest, the closest)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .columns import Columns
    from .intent.model import Order
    from .ranking import Ranked


def id_ranks(ids: Sequence[str]) -> npt.NDArray[np.int64]:
    """(n,) place of each id among all ids in order.

    >>> id_ranks(["b", "c", "a"]).tolist()
    [1, 2, 0]
    """
    order = sorted(range(len(ids)), key=ids.__getitem__)
    rank = np.empty(len(ids), dtype=np.int64)
    rank[np.asarray(order, dtype=np.int64)] = np.arange(len(ids))
    return rank


def in_order(order: Order, columns: Columns, ranked: Ranked) -> npt.NDArray[np.int64]:
    """Positions of the candidates in the order a question asks for (m,); equal ones, and unknown ones last, by score.

    Resolution counts in metres, time by the start of the observation, closeness by the distance between footprint and
    place (0 where they meet).
    """
    rows = ranked.rows
    key = {
        "finest": columns.resolution_m[rows],
        "coarsest": -columns.resolution_m[rows],
        "latest": -columns.start[rows],
        "earliest": columns.start[rows],
        "closest": ranked.distance_m,
    }[order]
    place = np.empty(len(rows), dtype=np.int64)
    place[ranked.order] = np.arange(len(rows))
    return np.lexsort((place, np.where(np.isfinite(key), key, np.inf)))
