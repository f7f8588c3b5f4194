"""Labelled pairs from the literature: a compact table expanded with registry facts to the evaluation's JSON shape.

Form of ``data/literature_*.txt`` (three lines a pair)::

    LETTER | question | subject | property | lon lat | source
    A INSTRUMENT WHEN key=value … | value | text
    B INSTRUMENT WHEN key=value … | value | text

LETTER is T, S, I, N or = (temporal, scale, instrument, noise, none); WHEN is a date or ``MY30/Ls330``; a "!" after A or
B marks the faulty side. Keys: r resolution, d depth, i e p angles, lt local solar hour, pl platform, k kind, auth, inst,
lvl, flags, lon, lat, id (underscores stand for spaces). What is not given is filled from the instrument registry with a
seeded spread, as real labels spread.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any

from ..errors import SettingsError
from ..planet.instruments import InstrumentSpec, get_instrument
from ..planet.marstime import from_ls, ltst, mars_time, mission_sol

LABELS = {"T": "temporal", "S": "scale", "I": "instrument", "N": "noise", "=": "none"}
FILES = ("temporal", "scale", "instrument", "noise", "none", "hard", "more", "fresh")
SOL_HOUR_S = 88775.244 / 24.0
BENIGN_FLAGS = ("CLUTTER_CHECKED", "PARTIAL_DUST_COVER", "COMPRESSED", "BINNED_2X2", "OFF_NADIR", "LOW_SUN", "SUMMED")
LEVELS = {
    "visible imaging": ("RDR map-projected", "calibrated", "SDP calibrated", "RDR", "radiance-factor calibrated"),
    "reflectance spectroscopy": ("MTRDR", "I/F, atmosphere removed", "L2 reflectance", "parameter map"),
    "laser altimetry": ("MEGDR 1/128 deg", "PEDR"),
    "radar sounding": ("L2 radargram", "RDR radargram"),
}
LANDERS = ("Viking Lander 1", "Viking Lander 2", "Phoenix", "InSight", "Pathfinder")


@dataclass(frozen=True)
class SideSpec:
    """One side as written in the table."""

    instrument: str
    when: str
    options: dict[str, str]
    value: str
    text: str
    faulty: bool


def parse_side(line: str) -> SideSpec:
    """Read an ``A`` or ``B`` line.

    Raises
    ------
    SettingsError
        The line has not the three parts.
    """
    parts = [p.strip() for p in line.split(" | ")]
    head = parts[0].split()
    dated = [i for i, w in enumerate(head) if re.fullmatch(r"\d{4}-\d\d-\d\d|MY\d+/Ls\d+(\.\d+)?", w)]
    if len(parts) != 3 or not dated:
        raise SettingsError(f"not a side of a pair: {line[:80]}")
    options = dict(w.split("=", 1) for w in head[dated[0] + 1 :])
    instrument = " ".join(head[1 : dated[0]]).replace("_", " ")
    return SideSpec(instrument, head[dated[0]], options, parts[1], parts[2], head[0].endswith("!"))


def observation_time(when: str, hour: float | None, lon_deg: float, rng: random.Random) -> datetime:
    """UTC of a date or MY/Ls, moved within the sol to the local solar hour where one is wanted."""
    match = re.fullmatch(r"MY(\d+)/Ls([\d.]+)", when)
    if match:
        base = from_ls(int(match[1]), float(match[2]) % 360.0)
    else:
        base = datetime.fromisoformat(when).replace(tzinfo=UTC) + timedelta(hours=rng.uniform(0, 23.9))
    if hour is not None:
        base += timedelta(seconds=((hour - float(ltst(base, lon_deg)) + 12.0) % 24.0 - 12.0) * SOL_HOUR_S)
    return base.replace(microsecond=0)


def _resolution(spec: InstrumentSpec, rng: random.Random) -> float:
    low, high = spec.resolution_m
    mid = math.exp(rng.uniform(math.log(low), math.log(low) + 0.45 * (math.log(high) - math.log(low))))
    return float(f"{mid:.3g}")


def _data_id(spec: InstrumentSpec, when: datetime, rng: random.Random) -> str:
    stem = re.sub(r"[^A-Za-z0-9]", "", spec.name).upper()[:6]
    forms = (
        f"{stem}_{rng.randint(1000, 99999):06d}_{rng.randint(100, 3600)}",
        f"{stem}{when:%y%m%d}{rng.randint(0, 99):02d}",
        f"{stem}_{rng.randint(10**8, 10**9)}",
    )
    return rng.choice(forms)


def _angles(spec: InstrumentSpec, kind: str, options: dict[str, str], rng: random.Random) -> tuple[float | None, ...]:
    optical = spec.band_nm is not None and spec.target != "atmosphere" and "laser" not in spec.technique
    if kind != "orbital" or not optical:
        return tuple(float(options[k]) if k in options else None for k in "iep")
    incidence = float(options.get("i", round(rng.uniform(35, 68), 1)))
    emission = float(options.get("e", round(abs(rng.gauss(3, 4)), 1)))
    phase = float(options.get("p", round(abs(incidence + rng.uniform(-1, 1) * emission), 1)))
    return incidence, emission, phase


def build_side(
    spec: InstrumentSpec,
    when: datetime,
    lon: float,
    lat: float,
    claim: dict[str, str],
    options: dict[str, str],
    rng: random.Random,
) -> dict[str, Any]:
    """One side in the evaluation's JSON shape from registry facts, a time and a claim."""
    kind = options.get("k", spec.kind)
    platform = options.get("pl", spec.platform).replace("_", " ")
    resolution = float(options["r"]) if "r" in options else _resolution(spec, rng)
    depth = float(options["d"]) if "d" in options else spec.penetration_depth_m
    incidence, emission, phase = _angles(spec, kind, options, rng)
    time = mars_time(when)
    authority = (
        float(options["auth"]) if "auth" in options else min(0.98, max(0.4, spec.authority + rng.gauss(0, 0.025)))
    )
    flags = [f for f in options.get("flags", "").split(",") if f]
    if not flags and rng.random() < 0.12:
        flags = [rng.choice(BENIGN_FLAGS)]
    level = options.get("lvl", "").replace("_", " ") or rng.choice(
        LEVELS.get(spec.technique, ("calibrated", "RDR", "L2"))
    )
    sol = _sol(platform, when) if kind == "insitu" else None
    radius = resolution * (
        rng.uniform(200, 6000) if "imaging" in spec.technique or kind == "derived" else rng.uniform(0.5, 3)
    )
    return {
        "data_id": options.get("id", _data_id(spec, when, rng)),
        "platform": platform,
        "instrument": spec.name,
        "institution": options.get("inst", spec.institution).replace("_", " "),
        "kind": kind,
        "lon_deg_east": round(float(options.get("lon", lon + rng.gauss(0, 0.003))), 4),
        "lat_deg": round(float(options.get("lat", lat + rng.gauss(0, 0.003))), 4),
        "footprint_radius_m": float(f"{max(radius, 0.5 * resolution):.2g}"),
        "resolution_m": resolution,
        "band_nm": None if spec.band_nm is None else list(spec.band_nm),
        "penetration_depth_m": depth,
        "incidence_deg": incidence,
        "emission_deg": emission,
        "phase_deg": phase,
        "start_time": when.isoformat().replace("+00:00", "Z"),
        "ls_deg": round(time.ls_deg, 1),
        "mars_year": time.mars_year,
        "sol": sol,
        "processing_level": level,
        "quality_flags": flags,
        "authority": round(authority, 2),
        "claim": claim,
    }


def _sol(platform: str, when: datetime) -> int | None:
    try:
        return int(mission_sol(platform, when))
    except (KeyError, ValueError, LookupError):
        return None


def expand(lines: list[str], rng: random.Random, number: int) -> dict[str, Any]:
    """Three lines → one labelled pair.

    Raises
    ------
    SettingsError
        A line cannot be read or names an unknown instrument.
    """
    head = [p.strip() for p in lines[0].split(" | ")]
    if len(head) != 6:
        raise SettingsError(f"pair {number}: the first line has {len(head)} parts, not 6: {lines[0][:80]}")
    letter, question, subject, prop, place, source = head
    lon, lat = (float(v) for v in place.split())
    sides: dict[str, Any] = {}
    noisy = None
    for key, line in zip("ab", lines[1:3], strict=True):
        side = parse_side(line)
        spec = get_instrument(side.instrument, side.options.get("pl", "").replace("_", " ") or None)
        if spec is None:
            raise SettingsError(f"pair {number}: unknown instrument {side.instrument!r}")
        hour = float(side.options["lt"]) if "lt" in side.options else _usual_hour(spec, rng)
        when = observation_time(side.when, hour, lon, rng)
        claim = {"subject": subject, "property": prop, "value": side.value, "text": side.text}
        sides[key] = build_side(spec, when, lon, lat, claim, side.options, rng)
        noisy = key if side.faulty else noisy
    pair = {"id": f"lit-{number:03d}", "question": question, **sides, "label": LABELS[letter], "source": source}
    if letter == "N":
        pair["noisy_side"] = noisy
    return pair


def _usual_hour(spec: InstrumentSpec, rng: random.Random) -> float:
    """Local solar hour at which a platform usually looks."""
    if spec.kind == "insitu":
        return rng.uniform(10.5, 15.0)
    sun_synchronous = {"MRO": 15.0, "MGS": 14.0, "Mars Odyssey": 16.5}
    base = sun_synchronous.get(spec.platform)
    return rng.uniform(7.5, 17.5) if base is None else rng.gauss(base, 0.3)


def literature_pairs(seed: int = 20260801, only: tuple[str, ...] = FILES) -> list[dict[str, Any]]:
    """All literature pairs, expanded; the seed fixes what the table leaves open."""
    out: list[dict[str, Any]] = []
    for name in only:
        for lines in _blocks(name):
            out.append(expand(lines, random.Random(f"{seed}:{lines[0]}"), len(out) + 1))
    return out


def _blocks(name: str) -> Iterator[list[str]]:
    text = resources.files(__package__).joinpath("data", f"literature_{name}.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) % 3:
        raise SettingsError(f"literature_{name}.txt: lines are not in threes")
    for start in range(0, len(lines), 3):
        yield lines[start : start + 3]
