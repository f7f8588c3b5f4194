"""Scientific disagreements put into the evaluation's archive: both sides right, the physics says why they differ (§III-D).

Written for this evaluation from the physics alone; neither the triage nor the simulated pairs it was trained on are used.
``scale``: metre-sized boulders or polygons that HiRISE resolves and CTX cannot. ``instrument``: ice buried below tens of
metres, which a radar sees and a spectrometer of the uppermost 0.1 mm does not. ``temporal``: frost that is there in the
winter of its hemisphere and gone in summer.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np

from ..graph.model import Band, Claim, Observation, ProductRef
from ..planet.bodies import MARS
from ..planet.coordinates import destination, normalise_lon
from ..planet.gazetteer import Feature, Gazetteer
from ..planet.instruments import get_instrument
from ..planet.marstime import from_ls

LABELS = ("scale", "instrument", "temporal")
_SENSORS: dict[str, dict[str, Any]] = {
    "HiRISE": {"platform": "MRO", "institution": "University of Arizona", "resolution_m": 0.25, "half_m": 3_000.0,
               "band": Band(name="RED", min_nm=550.0, max_nm=850.0), "penetration_depth_m": 1e-6},
    "CTX": {"platform": "MRO", "institution": "MSSS", "resolution_m": 6.0, "half_m": 12_000.0,
            "band": Band(name="PAN", min_nm=500.0, max_nm=700.0), "penetration_depth_m": 1e-6},
    "CRISM": {"platform": "MRO", "institution": "JHU/APL", "resolution_m": 18.0, "half_m": 5_000.0,
              "band": Band(name="IR", min_nm=1002.0, max_nm=3920.0), "penetration_depth_m": 1e-4},
    "SHARAD": {"platform": "MRO", "institution": "ASI", "resolution_m": 1_000.0, "half_m": 8_000.0,
               "band": None, "penetration_depth_m": 700.0},
}  # fmt: skip


def disagreements(n: int, seed: int) -> list[tuple[Observation, Observation, str]]:
    """n pairs (a, b, label), the labels in turn, each at a named place of its own; equal seeds give equal pairs."""
    rng = np.random.default_rng([seed, 5])
    named = [f for f in Gazetteer.load("Mars").features if f.status == "approved" and f.diameter_m and f.code != "AL"]
    cold = [f for f in named if 55 < abs(f.lat) < 75]
    mild = [f for f in named if abs(f.lat) < 50]
    cold = [cold[i] for i in rng.permutation(len(cold))]
    mild = [mild[i] for i in rng.permutation(len(mild))]
    out: list[tuple[Observation, Observation, str]] = []
    for i in range(n):
        label = LABELS[i % len(LABELS)]
        place = (mild if label == "scale" else cold)[i // len(LABELS) + (len(cold) // 2 if label == "temporal" else 0)]
        out.append((*_pair(rng, label, place, i), label))
    return out


def _pair(rng: np.random.Generator, label: str, place: Feature, i: int) -> tuple[Observation, Observation]:
    reach = min(place.radius_m, 30_000.0) * np.sqrt(rng.uniform()) / MARS.radius_m
    lon, lat = destination(place.lon, place.lat, float(rng.uniform(0, 360)), float(reach))
    at = (float(normalise_lon(lon)), float(lat))
    year, ls = int(rng.integers(29, 36)), float(rng.uniform(0, 360))
    winter = 300.0 if at[1] > 0 else 120.0
    if label == "scale":
        what, size = (("boulders", "1 to 3 m across"), ("polygonal ground", "cells 3 to 6 m wide"))[i // 3 % 2]
        a = _record(f"PSP_{i:04d}_fine", "HiRISE", at, place, year, ls, what, True, f"{what}, {size}, resolved")
        b = _record(f"P{i:04d}_coarse", "CTX", at, place, year, ls + 20, what, False, f"no {what} seen")
    elif label == "instrument":
        a = _record(f"S_{i:04d}_RGRAM", "SHARAD", at, place, year, ls, "water ice", True,
                    f"water ice in the subsurface, base reflector at {int(rng.integers(30, 120))} m depth")  # fmt: skip
        b = _record(f"FRT{i:05d}_SURF", "CRISM", at, place, year, ls + 15, "water ice", False,
                    "no water ice absorption at the surface")  # fmt: skip
    else:
        a = _record(f"FRT{i:05d}_COLD", "CRISM", at, place, year, winter + float(rng.uniform(-25, 25)), "frost", True,
                    "frost covers the surface")  # fmt: skip
        b = _record(f"FRT{i:05d}_WARM", "CRISM", at, place, year, winter + 180 + float(rng.uniform(-25, 25)), "frost",
                    False, "surface free of frost")  # fmt: skip
    return a, b


def _record(
    name: str, instrument: str, at: tuple[float, float], place: Feature, year: int, ls: float, what: str,
    there: bool, said: str,
) -> Observation:  # fmt: skip
    from ..ingest.describe import describe

    sensor: Mapping[str, Any] = _SENSORS[instrument]
    half, (lon, lat) = sensor["half_m"] / MARS.radius_m, at
    corners = [destination(lon, lat, bearing, half * 1.4142) for bearing in (45.0, 135.0, 225.0, 315.0)]
    ring = [[round(float(normalise_lon(x)), 6), round(float(y), 6)] for x, y in corners]
    split = max(p[0] for p in ring) - min(p[0] for p in ring) > 90
    shape = {"type": "Point", "coordinates": list(at)} if split else {
        "type": "Polygon", "coordinates": [[*ring, ring[0]]]
    }  # fmt: skip
    start = from_ls(year + int(ls // 360), ls % 360)
    text = f"{said} at {place.name}"
    out = Observation(
        id=name, kind="orbital", platform=sensor["platform"], instrument=instrument,
        institution=sensor["institution"], footprint=shape, footprint_source="synthetic",
        position_lon_deg=round(lon, 6), position_lat_deg=round(lat, 6), resolution_m=sensor["resolution_m"],
        band=sensor["band"], penetration_depth_m=sensor["penetration_depth_m"], start=start,
        stop=start + timedelta(minutes=2), ls_deg=ls % 360, mars_year=year + int(ls // 360), targets=[place.name],
        authority=0.9, processing_level="4", product=ProductRef(data_id=name, source_file="synthetic", version="1"),
        claims=[Claim(id=f"{name}#1", subject=place.name, property=what, value=what,
                      polarity="present" if there else "absent", text=text)],
    )  # fmt: skip
    out.text = describe(out, get_instrument(instrument), None, None)
    return out
