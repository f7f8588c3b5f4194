"""Bridges B(Ω_i, Ω_j, M_i, M_j) and fault tests, each an executable argument with numbers (AreoRAG Definition 7)."""

from __future__ import annotations

from collections.abc import Callable

from .base import HOLDS, Bridge, Pair
from .instrument import coating, frequency, penetration, spectral_coverage, technique
from .numeric import datum, impossible, oxide, sign_flip, unit_mixup, unusual
from .place import misplaced
from .provenance import artefact, clock, insensitive, quality, same_observation
from .scale import point_against_area, subpixel
from .temporal import season, secular, storm, time_of_day
from .viewing import viewing

PHYSICAL: tuple[Callable[[Pair], Bridge | None], ...] = (
    subpixel,
    point_against_area,
    penetration,
    coating,
    spectral_coverage,
    technique,
    frequency,
    viewing,
    season,
    time_of_day,
    storm,
    secular,
)
FAULTS: tuple[Callable[[Pair], Bridge | None], ...] = (
    datum,
    sign_flip,
    unit_mixup,
    oxide,
    impossible,
    unusual,
    misplaced,
    clock,
    quality,
    artefact,
    same_observation,
    insensitive,
)
NAMES = tuple(f.__name__ for f in (*PHYSICAL, *FAULTS))
# tests that show an error by themselves, against hints that only make one likelier
DECISIVE = frozenset(
    {"datum", "sign", "unit", "decimal shift", "oxide", "impossible value", "coordinate flip", "clock"}
)


def run_all(pair: Pair) -> dict[str, Bridge | None]:
    """Every bridge and fault test on a pair, by function name, in a fixed order."""
    return {f.__name__: f(pair) for f in (*PHYSICAL, *FAULTS)}


__all__ = ["DECISIVE", "FAULTS", "HOLDS", "NAMES", "PHYSICAL", "Bridge", "Pair", "run_all"]
