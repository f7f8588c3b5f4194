"""A synthetic archive of the paper's size and shape (AreoRAG §IV-A), for speed and retrieval tests.

The records are invented, the way they are spread is not: near-polar orbits with the inclinations of MRO and MGS give
the headings of the strips and the crowding at high latitudes; MRO frames are taken near 15 h local time; HiRISE and
CRISM go to named features and come back to the sites that the missions monitor, CTX maps; MOLA records are pieces of
ground track with a few gridded products of the whole planet; rovers drive their real routes, sol by sol. Equal seeds
give equal archives. Two thirds of the HiRISE frames say why they were taken, in the words of one of ten themes
(``data/region_words.json``), as the labels of real ones do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..graph.model import Band, Claim, Observation, ProductRef
from ..planet import marstime
from ..planet.bodies import MARS
from ..planet.coordinates import destination, normalise_lon
from ..planet.gazetteer import Feature, Gazetteer
from ..planet.geojson import split_at_antimeridian
from ..planet.missions import get_mission, sol_to_utc

PAPER_TOTAL = 53_012
PAPER_SHARES = {"HiRISE": 8_213, "CTX": 15_471, "CRISM": 4_182, "MOLA": 22_605, "rover": 2_541}
"""Hyperedges by source in the paper's archive."""
SEED = 20_260_801
_BLOCK = 1_000

FloatArray = npt.NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class _Camera:
    """How an orbital instrument of MRO takes frames: metres, shares of (mapping, targeted, monitored)."""

    name: str
    institution: str
    width_m: tuple[float, float]
    length_m: tuple[float, float]
    resolution_m: tuple[float, ...]
    band: tuple[str, float, float]
    level: str
    shares: tuple[float, float, float]
    authority: float
    depth_m: float


_CAMERAS = {
    "HiRISE": _Camera("HiRISE", "University of Arizona", (5_000, 6_100), (6_000, 26_000), (0.25, 0.25, 0.25, 0.5, 1.0),
                      ("RED", 550.0, 850.0), "3", (0.2, 0.5, 0.3), 0.95, 1e-6),
    "CTX": _Camera("CTX", "MSSS", (27_000, 31_000), (40_000, 300_000), (5.0, 5.5, 6.0),
                   ("PAN", 500.0, 700.0), "2", (0.6, 0.3, 0.1), 0.9, 1e-6),
    "CRISM": _Camera("CRISM", "JHU/APL", (9_500, 11_500), (10_000, 20_000), (18.0, 18.0, 36.0),
                     ("IR", 1002.0, 3920.0), "4", (0.15, 0.55, 0.3), 0.9, 1e-4),
}  # fmt: skip
_MRO = (93.0 - 0.35, "2006-11-07", "2026-06-30", 15.0)
_MGS = (92.87, "1999-03-01", "2001-06-30")
_MINERALS = (
    "olivine", "Fe/Mg-smectite", "Al-smectite", "Mg-carbonate", "hematite", "polyhydrated sulfate", "hydrated silica",
    "low-calcium pyroxene", "kaolinite", "water ice",
)  # fmt: skip
_MONITORED = (
    "Jezero", "Gale", "Gusev", "Meridiani Planum", "Oxia Planum", "Nili Fossae", "Mawrth Vallis", "Northeast Syrtis",
    "Eberswalde", "Holden", "Hale", "Palikir", "Russell", "Proctor", "Matara", "Inca City", "South pole", "North pole",
    "Juventae Chasma", "Melas Chasma", "Candor Chasma", "Coprates Chasma", "Cerberus Fossae", "Korolev", "Endeavour",
    "InSight landing site", "Phoenix landing site", "Zhurong landing site", "Nili Patera", "Hellas Planitia",
)  # fmt: skip
_OXIDES = (("SiO2", 40.0, 55.0), ("FeOT", 12.0, 24.0), ("MgO", 3.0, 14.0), ("K2O", 0.1, 3.0), ("CaO", 3.0, 9.0))


@cache
def _routes() -> dict[str, Any]:
    """Per mission: share of the rover records, stops by sol, instruments (name, institution, m, authority, nm)."""
    data: dict[str, Any] = json.loads(
        resources.files(__package__).joinpath("data", "rover_routes.json").read_text("utf-8")
    )
    return data


@cache
def rationales() -> tuple[tuple[str, ...], ...]:
    """Per theme the phrases that frames give as their rationale."""
    data = json.loads(resources.files(__package__).joinpath("data", "region_words.json").read_text("utf-8"))
    return tuple(tuple(t["record"]) for t in data["themes"])


def _rationale(rng: Rng, camera: str) -> str | None:
    themes = rationales()
    theme, phrase, silent = int(rng.integers(len(themes))), rng.uniform(), rng.uniform() > 2 / 3
    if camera != "HiRISE" or silent:
        return None
    return themes[theme][int(phrase * len(themes[theme]))]


def shares(n_total: int = PAPER_TOTAL) -> dict[str, int]:
    """Number of records by source, in the paper's proportions, adding up to `n_total`."""
    exact = {k: n_total * v / PAPER_TOTAL for k, v in PAPER_SHARES.items()}
    out = {k: math.floor(v + 1e-9) for k, v in exact.items()}
    for k in sorted(exact, key=lambda k: out[k] - exact[k])[: n_total - sum(out.values())]:
        out[k] += 1
    return out


def synthetic_archive(n_total: int = PAPER_TOTAL, seed: int = SEED) -> Iterator[Observation]:
    """Yield `n_total` observations; bounded memory; the same for the same arguments.

    Raises
    ------
    UsageError
        n_total is not positive.
    """
    if n_total < 1:
        raise UsageError(f"an archive of {n_total} records cannot be made")
    gazetteer = Gazetteer.load("Mars")
    for k, (source, n) in enumerate(shares(n_total).items()):
        for block, start in enumerate(range(0, n, _BLOCK)):
            rng = np.random.default_rng([seed, k, block])
            size = min(_BLOCK, n - start)
            if source in _CAMERAS:
                yield from _frames(rng, _CAMERAS[source], size, start, gazetteer)
            elif source == "MOLA":
                yield from _tracks(rng, size, start, n)
            else:
                yield from _rover(rng, size, start, gazetteer)


def _unix(text: str) -> float:
    return marstime.to_unix(datetime.fromisoformat(text))


def _heading(lat: FloatArray, inclination_deg: float) -> FloatArray:
    """Bearing of the ascending ground track at a latitude, degrees."""
    s = math.cos(math.radians(inclination_deg)) / np.cos(np.radians(np.clip(lat, -89.0, 89.0)))
    return np.asarray(np.degrees(np.arcsin(np.clip(s, -1.0, 1.0))))


def _centres(rng: Rng, camera: _Camera, n: int, gazetteer: Gazetteer) -> tuple[FloatArray, FloatArray]:
    """Where frames are aimed: all along the orbit, at named features, at monitored sites."""
    inclination = math.radians(_MRO[0])
    lat = np.degrees(np.arcsin(np.sin(inclination) * np.sin(rng.uniform(-np.pi, np.pi, n))))
    lon = rng.uniform(-180.0, 180.0, n)
    kind = rng.choice(3, n, p=camera.shares)
    named = [f for f in gazetteer.features if f.status == "approved" and f.diameter_m and abs(f.lat) < 86.0]
    size = np.array([f.diameter_m or 1.0 for f in named])
    pick = rng.choice(len(named), n, p=np.sqrt(size) / np.sqrt(size).sum())
    sites = [f for f in (gazetteer.find(name) for name in _MONITORED) if f is not None]
    site = rng.choice(len(sites), n)
    for i in np.flatnonzero(kind > 0):
        f: Feature = named[pick[i]] if kind[i] == 1 else sites[site[i]]
        reach = min(max(f.radius_m, 3_000.0), 400_000.0 if kind[i] == 1 else 25_000.0)
        arc = reach * math.sqrt(rng.uniform()) / MARS.radius_m
        lon[i], lat[i] = destination(f.lon, f.lat, rng.uniform(0.0, 360.0), arc)
    return lon, np.clip(lat, -87.2, 87.2)


def _strips(lon: FloatArray, lat: FloatArray, heading: FloatArray, length: FloatArray, width: FloatArray) -> FloatArray:
    """Corner points of strips, (n, 4, 2), lengths in metres."""
    rings = []
    for along, across in ((-1, -1), (-1, 1), (1, 1), (1, -1)):
        end = destination(lon, lat, heading, along * length / 2.0 / MARS.radius_m)
        rings.append(np.stack(destination(*end, heading + 90.0, across * width / 2.0 / MARS.radius_m), axis=-1))
    return np.stack(rings, axis=1)


def _footprint(ring: FloatArray) -> dict[str, Any]:
    points = [[round(float(x), 6), round(float(y), 6)] for x, y in ring]
    shape = {"type": "Polygon", "coordinates": [[*points, points[0]]]}
    lons = [p[0] for p in points]
    plain = max(lons) - min(lons) < 90.0 and max(abs(p[1]) for p in points) < 85.0
    return shape if plain else split_at_antimeridian(shape)


def _incidence(lat: FloatArray, ls: FloatArray, hour: FloatArray) -> FloatArray:
    """Solar incidence from latitude, season and local time, degrees."""
    sub = np.arcsin(math.sin(math.radians(25.19)) * np.sin(np.radians(ls)))
    phi, h = np.radians(lat), np.radians((hour - 12.0) * 15.0)
    return np.asarray(np.degrees(np.arccos(np.sin(phi) * np.sin(sub) + np.cos(phi) * np.cos(sub) * np.cos(h))))


def _lat_code(lat: float) -> int:
    """Orbit angle of the frame's centre as HiRISE and CTX product names write it (descending node 0, tenths)."""
    return round((180.0 + lat) * 10.0) % 3600


def _frames(rng: Rng, camera: _Camera, n: int, start: int, gazetteer: Gazetteer) -> Iterator[Observation]:
    lon, lat = _centres(rng, camera, n, gazetteer)
    inclination, begin, end, hour = _MRO
    t = rng.uniform(_unix(begin), _unix(end), n)
    local = np.mod(24.0 * (marstime.msd_unix(t) + lon / 360.0), 24.0)
    t = t + (hour + rng.normal(0.0, 0.15, n) - local) / 24.0 * marstime.SOL_SECONDS
    length = np.exp(rng.uniform(np.log(camera.length_m[0]), np.log(camera.length_m[1]), n))
    rings = _strips(lon, lat, _heading(lat, inclination), length, rng.uniform(*camera.width_m, n))
    ls, year = marstime.solar_longitude_unix(t), marstime.mars_year_unix(t)
    incidence, emission = _incidence(lat, ls, np.full(n, hour)), np.abs(rng.normal(0.0, 9.0, n))
    resolution = rng.choice(camera.resolution_m, n)
    why = np.random.default_rng([start, n, 1])  # apart, so that it changes nothing else
    for i in range(n):
        orbit = int((t[i] - _unix("2006-03-10")) / 6_720.0)
        serial = start + i
        code = f"{orbit:06d}_{_lat_code(lat[i]):04d}"
        name = {
            "HiRISE": f"ESP_{code}_RED_{serial:06d}",
            "CTX": f"B{serial % 30:02d}_{code}_XN_{serial:06d}",
            "CRISM": f"FRT{serial:08X}_07_IF166L_TRR3",
        }[camera.name]
        places = gazetteer.containing(float(lon[i]), float(lat[i]), limit=2)
        claims = _mineral_claims(rng, name, places) if camera.name == "CRISM" else []
        yield _observation(
            id=name,
            kind="orbital",
            platform="MRO",
            instrument=camera.name,
            institution=camera.institution,
            footprint=_footprint(rings[i]),
            position_lon_deg=round(float(normalise_lon(lon[i])), 6),
            position_lat_deg=round(float(lat[i]), 6),
            resolution_m=float(resolution[i]),
            band=Band(name=camera.band[0], min_nm=camera.band[1], max_nm=camera.band[2]),
            start=marstime.from_unix(round(t[i], 3)),
            stop=marstime.from_unix(round(t[i] + length[i] / 3_400.0, 3)),
            ls_deg=round(float(ls[i]), 4) % 360.0,
            mars_year=int(year[i]),
            incidence_deg=round(float(min(incidence[i], 120.0)), 2),
            emission_deg=round(float(min(emission[i], 60.0)), 2),
            penetration_depth_m=camera.depth_m,
            targets=[f.name for f in places],
            authority=camera.authority,
            processing_level=camera.level,
            claims=claims,
            rationale=_rationale(why, camera.name),
        )


def _mineral_claims(rng: Rng, name: str, places: list[Feature]) -> list[Claim]:
    if not places or rng.uniform() > 0.5:
        return []
    where = places[0].name
    local = np.random.default_rng(sum(where.encode()))  # what a region holds does not depend on the frame
    mineral = _MINERALS[int(local.choice(len(_MINERALS), 3)[rng.integers(3)])]
    there = bool(rng.uniform() < 0.85)
    polarity = "present" if there else "absent"
    text = f"{mineral} {'detected' if there else 'not detected'} at {where}"
    return [Claim(id=f"{name}#1", subject=where, property=mineral, value=mineral, polarity=polarity, text=text)]


def _tracks(rng: Rng, n: int, start: int, total: int) -> Iterator[Observation]:
    """MOLA: pieces of ground track, and one gridded product of the planet (or a tile of it) in a thousand."""
    inclination, begin, end = _MGS
    lat = np.clip(
        np.degrees(np.arcsin(np.sin(math.radians(inclination)) * np.sin(rng.uniform(-np.pi, np.pi, n)))), -86.9, 86.9
    )
    lon, t = rng.uniform(-180.0, 180.0, n), rng.uniform(_unix(begin), _unix(end), n)
    arc = np.radians(np.exp(rng.uniform(np.log(0.3), np.log(12.0), n)))
    turn = np.where(rng.uniform(size=n) < 0.5, 0.0, 180.0)  # ascending or descending
    heading = np.where(turn > 0, 180.0 - _heading(lat, inclination), _heading(lat, inclination))
    ls, year = marstime.solar_longitude_unix(t), marstime.mars_year_unix(t)
    low = rng.uniform(-7_000.0, 8_000.0, n)
    for i in range(n):
        serial = start + i
        if serial % 1_000 == 0:
            yield _grid(serial, start // 1_000 + i // 1_000)
            continue
        steps = np.linspace(-0.5, 0.5, max(3, int(np.degrees(arc[i])) + 2)) * arc[i]
        x, y = destination(lon[i], lat[i], heading[i], steps)
        line = [[round(float(a), 5), round(float(b), 5)] for a, b in zip(x, y, strict=True)]
        name = f"AP{10_000 + serial // 60:05d}{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[serial % 26]}_{serial:06d}"
        claim = Claim(
            id=f"{name}#1",
            subject=name,
            property="elevation",
            low=round(float(low[i]), 1),
            high=round(float(low[i]) + 900.0, 1),
            unit="m",
            text=f"elevation {low[i]:.0f} to {low[i] + 900:.0f} m",
        )
        yield _observation(
            id=name,
            kind="orbital",
            platform="MGS",
            instrument="MOLA",
            institution="NASA GSFC",
            footprint=split_at_antimeridian({"type": "LineString", "coordinates": line}),
            position_lon_deg=round(float(normalise_lon(lon[i])), 6),
            position_lat_deg=round(float(lat[i]), 6),
            resolution_m=300.0,
            band=Band(name="1064 nm", min_nm=1064.0, max_nm=1064.0),
            start=marstime.from_unix(round(t[i], 3)),
            stop=marstime.from_unix(round(t[i] + math.degrees(arc[i]) * 19.6, 3)),
            ls_deg=round(float(ls[i]), 4) % 360.0,
            mars_year=int(year[i]),
            emission_deg=0.3,
            authority=0.93,
            processing_level="3",
            claims=[claim],
        )


def _grid(serial: int, k: int) -> Observation:
    """A gridded product: the whole planet, a hemisphere's cap or a tile of 90° by 44°."""
    boxes = [(-180.0, 180.0, -90.0, 90.0), (-180.0, 180.0, 57.0, 90.0), (-180.0, 180.0, -90.0, -57.0)]
    boxes += [(w, w + 90.0, s, s + 44.0) for s in (-88.0, -44.0, 0.0, 44.0) for w in (-180.0, -90.0, 0.0, 90.0)]
    west, east, south, north = boxes[k % len(boxes)]
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    name = f"MEG{'TCRS'[k % 4]}{k:03d}_{serial:06d}"
    middle = float(normalise_lon((west + east) / 2.0))
    return _observation(
        id=name,
        kind="derived",
        platform="MGS",
        instrument="MOLA",
        institution="NASA GSFC",
        footprint={"type": "Polygon", "coordinates": [ring]},
        position_lon_deg=middle,
        position_lat_deg=(south + north) / 2,
        resolution_m=463.0,
        start=marstime.from_unix(_unix(_MGS[1])),
        stop=marstime.from_unix(_unix(_MGS[2])),
        authority=0.93,
        processing_level="5",
    )


def _rover(rng: Rng, n: int, start: int, gazetteer: Gazetteer) -> Iterator[Observation]:
    routes = _routes()
    missions = list(routes)
    weight = np.array([routes[m]["weight"] for m in missions], dtype=float)
    which = rng.choice(len(missions), n, p=weight / weight.sum())
    for i in range(n):
        mission = missions[which[i]]
        route, instruments = routes[mission]["route"], routes[mission]["instruments"]
        sol = int(rng.integers(route[0][0], route[-1][0] + 1))
        hour = rng.uniform(9.0, 17.0)
        when = sol_to_utc(mission, sol + hour / 24.0)
        stops = [(s, gazetteer.get(name)) for s, name in route]
        at = int(np.searchsorted([s for s, _ in stops], sol, side="right")) - 1
        (s0, here), (s1, there) = stops[at], stops[min(at + 1, len(stops) - 1)]
        share = (sol - s0) / (s1 - s0) if s1 > s0 else 0.0
        lon = here.lon + share * (there.lon - here.lon) + rng.normal(0.0, 1e-4)
        lat = here.lat + share * (there.lat - here.lat) + rng.normal(0.0, 1e-4)
        instrument, institution, resolution, authority, centre = instruments[int(rng.integers(len(instruments)))]
        name = f"{mission.replace('-', '')}_{instrument.upper().replace('-', '')}_{sol:04d}_{start + i:06d}"
        clock = marstime.mars_time(when)
        claims = []
        if instrument in {"APXS", "ChemCam", "PIXL"}:
            oxide, least, most = _OXIDES[int(rng.integers(len(_OXIDES)))]
            value = float(rng.uniform(least, most))
            claims = [
                Claim(
                    id=f"{name}#1",
                    subject=here.name,
                    property=oxide,
                    value=f"{value:.2f}",
                    low=round(value * 0.9, 3),
                    high=round(value * 1.1, 3),
                    unit="wt%",
                    polarity="present",
                    text=f"{oxide} {value:.2f} wt% at {here.name}",
                )
            ]
        parent = here.parent or get_mission(mission).title
        yield _observation(
            id=name,
            kind="insitu",
            platform=mission,
            instrument=instrument,
            institution=institution,
            footprint={"type": "Point", "coordinates": [round(float(normalise_lon(lon)), 7), round(float(lat), 7)]},
            position_lon_deg=round(float(normalise_lon(lon)), 7),
            position_lat_deg=round(float(lat), 7),
            resolution_m=resolution,
            band=Band(min_nm=centre - 30.0, max_nm=centre + 30.0) if centre else None,
            start=when,
            stop=when + timedelta(minutes=5),
            ls_deg=round(clock.ls_deg, 4) % 360.0,
            mars_year=clock.mars_year,
            sol=sol,
            lmst=marstime.hms(hour),
            penetration_depth_m=1e-4,
            targets=[here.name, parent],
            authority=authority,
            processing_level="4",
            claims=claims,
        )


def _observation(**fields: Any) -> Observation:
    from ..ingest.describe import describe
    from ..planet.instruments import get_instrument

    name, rationale = fields["id"], fields.pop("rationale", None)
    obs = Observation(
        footprint_source="synthetic", product=ProductRef(data_id=name, source_file="synthetic", version="1"), **fields
    )
    obs.text = describe(obs, get_instrument(obs.instrument or ""), None, rationale)
    return obs
