"""Related pairs for the learned embedding: containment, incidence, co-location (AreoRAG §III-B, METHODS §1).

Containment is exact: the coarser product's footprint covers the finer one's on the sphere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .colocation_index import ColocationIndex

Int = NDArray[np.int64]
_CHUNK = 20_000


def containment_pairs(index: ColocationIndex, row: Mapping[str, int]) -> Int:
    """(m, 2) rows (contained, container), the container coarser by resolution; sorted.

    Parameters
    ----------
    index : observations with their neighbours
    row : id → row; ids that are not in it are left out
    """
    inner, outer = [], []
    for a, b in index.line_graph():
        first, second = index.site(a), index.site(b)
        if first.rho is None or second.rho is None or first.rho == second.rho or a not in row or b not in row:
            continue
        fine, coarse = (first, second) if first.rho > second.rho else (second, first)
        if coarse.geog.dimension == 2:
            inner.append(fine)
            outer.append(coarse)
    held = _covers([s.geog for s in outer], [s.geog for s in inner])
    found = [(row[f.id], row[c.id]) for f, c, ok in zip(inner, outer, held, strict=True) if ok]
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def colocation_pairs(index: ColocationIndex, row: Mapping[str, int]) -> Int:
    """(m, 2) rows (member, focus) of every co-location; sorted."""
    found = [
        (row[member], row[focus])
        for focus, members in index.groups().items()
        for member in members
        if member != focus and member in row and focus in row
    ]
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def _covers(outer: list[Any], inner: list[Any]) -> list[bool]:
    import spherely

    from ..planet.geometry import covers

    out = [False] * len(outer)
    simple = []
    for i, (g, h) in enumerate(zip(outer, inner, strict=True)):
        if len(g.parts) == len(h.parts) == 1 and g.margin_rad == h.margin_rad == 0:
            simple.append(i)
        else:
            out[i] = covers(g, h)
    for at in range(0, len(simple), _CHUNK):
        rows = simple[at : at + _CHUNK]
        a = np.array([outer[i].parts[0] for i in rows], dtype=object)
        b = np.array([inner[i].parts[0] for i in rows], dtype=object)
        for i, ok in zip(rows, np.atleast_1d(spherely.covers(a, b)), strict=True):
            out[i] = bool(ok)
    return out
