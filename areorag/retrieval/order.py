"""Ties are broken by id: the place of each id among all of them, so that arrays can be sorted without their strings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def id_ranks(ids: Sequence[str]) -> npt.NDArray[np.int64]:
    """(n,) place of each id among all ids in order.

    >>> id_ranks(["b", "c", "a"]).tolist()
    [1, 2, 0]
    """
    order = sorted(range(len(ids)), key=ids.__getitem__)
    rank = np.empty(len(ids), dtype=np.int64)
    rank[np.asarray(order, dtype=np.int64)] = np.arange(len(ids))
    return rank
