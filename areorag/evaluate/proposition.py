"""Proposition 1 measured: how many observations there are at each scale, N(ℓ) against A/ℓ² (AreoRAG §III-B).

    python -m areorag.evaluate.proposition [ARCHIVE…] [--out docs/results/proposition.json]

measures the sample archive that ships with the package and every folder of labels named.

The proposition speaks of the observations *needed* to cover an area at resolution ℓ with frames of a fixed number of
samples: N ∝ A/ℓ². Real archives are surveys, not tilings: what they cover shrinks with the resolution too. So both are
fitted: log N against log ℓ as it is, and log N/A with the covered area A divided out, which the proposition speaks of.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..graph.model import Observation


def measure(observations: Iterable[Observation], *, least: int = 20) -> dict[str, Any]:
    """Fit the exponents on the levels (octaves of ℓ) that hold at least `least` frames with an area.

    Returns
    -------
    {frames, levels: [{resolution_m, n, covered_m2, mean_area_m2, samples_a_frame}], slope_n, slope_density, r2_density,
    predicted: -2}: N ∝ ℓ^slope_n as counted, N/A ∝ ℓ^slope_density with A the area the frames cover together (overlaps
    counted). A product that several files describe counts once. `samples_a_frame` is the mean of area/ℓ²: what the
    proposition takes as constant.

    Raises
    ------
    UsageError
        Fewer than two levels.
    """
    from ..planet.bodies import get_body
    from ..planet.geometry import area_m2, footprint

    by_level: dict[int, list[tuple[float, float]]] = {}
    seen: set[str] = set()
    for o in observations:
        if o.footprint is None or o.resolution_m is None or o.kind == "insitu" or o.id in seen:
            continue
        seen.add(o.id)
        geog = footprint(o.footprint)
        area = 0.0 if geog.whole else area_m2(geog, get_body(o.body))
        if area > 0:
            by_level.setdefault(int(np.floor(np.log2(o.resolution_m))), []).append((o.resolution_m, area))
    levels = []
    for _, rows in sorted(by_level.items()):
        if len(rows) >= least:
            ell, area = np.array(rows).T
            levels.append(
                {
                    "resolution_m": float(np.exp(np.mean(np.log(ell)))),
                    "n": len(rows),
                    "covered_m2": float(area.sum()),
                    "mean_area_m2": float(area.mean()),
                    "samples_a_frame": float(np.mean(area / ell**2)),
                }
            )
    if len(levels) < 2:
        raise UsageError("Proposition 1 needs frames at two resolutions at least; ingest more")
    x = np.log([level["resolution_m"] for level in levels])
    n = np.log([level["n"] for level in levels])
    density = n - np.log([level["covered_m2"] for level in levels])
    slope_n, _ = _fit(x, n)
    slope, r2 = _fit(x, density)
    frames = sum(map(len, by_level.values()))
    return {
        "frames": frames,
        "levels": levels,
        "slope_n": slope_n,
        "slope_density": slope,
        "r2_density": r2,
        "predicted": -2.0,
    }


def run(archives: Iterable[Path] = (), *, least: int = 10) -> dict[str, Any]:
    """:func:`measure` of the sample archive and of folders of labels, Mars only; by name."""
    from ..ingest.adapters import read_path
    from .plots_hysh import sample_observations

    found = {"sample archive": sample_observations()}
    for path in archives:
        found[path.name] = [o for report in read_path(path) for o in report.observations]
    return {name: measure((o for o in rows if o.body == "Mars"), least=least) for name, rows in found.items()}


def _fit(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> tuple[float, float]:
    """(slope, R²) of a straight line."""
    slope, offset = np.polyfit(x, y, 1)
    rest = y - (slope * x + offset)
    total = float(np.sum((y - y.mean()) ** 2))
    return float(slope), 1.0 - float(np.sum(rest**2)) / total if total > 0 else 1.0


if __name__ == "__main__":
    import orjson

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/results/proposition.json"))
    given = parser.parse_args()
    given.out.write_bytes(orjson.dumps(run(given.archives), option=orjson.OPT_INDENT_2))
