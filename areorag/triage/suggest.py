"""What would settle a conflict: which instrument, at which resolution or season, and what exists already nearby.

AreoRAG §III-E. The rule follows the category: scale wants an image between the two resolutions; an instrument conflict
wants a technique whose depth or wavelengths cover both sides; a temporal one wants the same instrument at the season
that is missing; noise wants the better source once more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..graph.connection import Database
from ..planet.units import length

if TYPE_CHECKING:
    from ..graph.model import Observation
    from .pict import Verdict

REACH_M = 30_000.0


@dataclass(frozen=True)
class Suggestion:
    """`what` would decide; `nearest` is the product in the graph that comes closest to it, or None."""

    what: str
    nearest: str | None = None


def suggest(db: Database, verdict: Verdict, known: Sequence[Observation] = ()) -> Suggestion | None:
    """The suggestion for a detected conflict; None where the two sides have no place or nothing sensible is known.

    Parameters
    ----------
    known : records already at hand, which are not read again; a text fact is one of these
    """
    from ..graph.reader import observations

    found = {o.id: o for o in known if o.id in (verdict.a_id, verdict.b_id)}
    found |= {o.id: o for o in observations(db, [i for i in (verdict.a_id, verdict.b_id) if i not in found])}
    if len(found) < 2:
        return None
    a, b = found[verdict.a_id], found[verdict.b_id]
    what, instruments, best = _wanted(verdict, a, b)
    if what is None:
        return None
    return Suggestion(what, _nearest(db, a, b, instruments, best))


def _wanted(verdict: Verdict, a: Observation, b: Observation) -> tuple[str | None, list[str], Any]:
    """(words, instruments that would do, sort key of candidate rows)."""
    from ..planet.instruments import all_instruments

    fine, coarse = sorted((_scale(a), _scale(b)))
    if verdict.category == "scale":
        middle = math.sqrt(fine * coarse)
        names = [i.name for i in all_instruments() if i.resolution_m and fine <= i.resolution_m[0] < coarse]
        text = f"{verdict.property} of the same ground at a resolution between {length(fine)} and {length(coarse)}"

        def fit(row: Any) -> float:
            """Distance from the middle in ln; what is not between the two comes last."""
            res = row["resolution_m"]
            return abs(math.log(res / middle)) if res and fine < res < 0.8 * coarse else math.inf

        return text, names, fit
    if verdict.category == "instrument":
        sides = {a.instrument, b.instrument}
        names = [i.name for i in all_instruments() if i.name not in sides and _bridges(i, a, b)]
        text = f"{verdict.property} of the same spot by a technique that senses what both {a.instrument} and {b.instrument} do"
        return text, names, lambda r: r["distance_m"]
    if verdict.category == "temporal":
        names = [n for n in (a.instrument, b.instrument) if n]
        later = max((o for o in (a, b)), key=lambda o: o.start.timestamp() if o.start else 0.0)
        season = (
            f" near Ls {later.ls_deg:.0f}° of another Mars Year" if later.ls_deg is not None else " at another season"
        )
        text = f"{' or '.join(dict.fromkeys(names)) or 'the same instrument'} again{season}"
        return text, names, lambda r: _season_gap(r["ls_deg"], later.ls_deg)
    if verdict.category == "noise":
        better = a if a.authority >= b.authority else b
        text = f"a second, independent value of {verdict.property} from a source like {better.instrument or better.id}"
        return text, [better.instrument] if better.instrument else [], lambda r: r["distance_m"]
    return None, [], None


def _scale(observation: Observation) -> float:
    """Metres: what the label says, else what the instrument reaches, else one metre."""
    from ..planet.instruments import get_instrument

    if observation.resolution_m:
        return observation.resolution_m
    spec = get_instrument(observation.instrument, observation.platform)
    return spec.resolution_m[0] if spec is not None and spec.resolution_m else 1.0


def _bridges(instrument: Any, a: Observation, b: Observation) -> bool:
    """True when the instrument's wavelengths overlap one side's and its depth lies between or beyond both sides'."""
    depth = instrument.penetration_depth_m
    depths = [d for d in (a.penetration_depth_m, b.penetration_depth_m) if d]
    deep_enough = depth is not None and bool(depths) and depth >= min(depths)
    bands = [o.band for o in (a, b) if o.band is not None and o.band.min_nm and o.band.max_nm]
    overlap = instrument.band_nm is not None and any(
        instrument.band_nm[0] < (band.max_nm or 0) and instrument.band_nm[1] > (band.min_nm or 0) for band in bands
    )
    return deep_enough or overlap


def _season_gap(ls: float | None, wanted: float | None) -> float:
    if ls is None or wanted is None:
        return 180.0
    return abs((ls - wanted + 180.0) % 360.0 - 180.0)


def _nearest(db: Database, a: Observation, b: Observation, instruments: list[str], key: Any) -> str | None:
    from ..planet.bodies import get_body
    from ..planet.coordinates import position_xyz

    at = a if a.position_lon_deg is not None else b
    if at.position_lon_deg is None or at.position_lat_deg is None or not instruments:
        return None
    x, y, z = (float(v) for v in position_xyz(at.position_lon_deg, at.position_lat_deg, get_body(at.body)))
    rows = db.read("suggest_nearest", instruments=instruments, x=x, y=y, z=z, reach=REACH_M, not_ids=[a.id, b.id])
    if not rows:
        return None
    row = min(rows, key=lambda r: (key(r), r["distance_m"], r["id"]))
    if math.isinf(key(row)):
        return None
    facts = [length(row["resolution_m"])] if row["resolution_m"] else []
    if row["mars_year"] is not None and row["ls_deg"] is not None:
        facts.append(f"MY {row['mars_year']}, Ls {row['ls_deg']:.0f}°")
    facts.append(f"{length(row['distance_m'])} away" if row["distance_m"] >= 1.0 else "at the same place")
    return f"{row['id']} ({row['instrument']}, {', '.join(facts)})"
