"""Depth of sensing, spectral coverage and technique: what one instrument can sense and the other cannot (§III-D).

Sources: thermal skin depth δ = (I/ρc) √(P/π) (Kieffer et al. 1977, JGR 82, 4249; Putzig & Mellon 2007, Icarus 191,
68); radar: 1/e power depth c / (2π f √ε tan δ) (Ulaby et al. 1986; Watters et al. 2007, Science 318, 1125); gamma
rays: mean free path 1/(μρ), μ = 0.06 cm² g⁻¹ at 2 MeV (NIST XCOM; Boynton et al. 2007); reflectance: some grain
diameters (Hapke 2012, ch. 9); dust coats of 1–100 µm (Johnson & Grundy 2001, GRL 28, 2101; Kinch et al. 2007).
"""

from __future__ import annotations

import math
import re

from ..source import Source
from ..tables import Substance, substances
from .base import SOL_S, Bridge, Pair, metres, ramp

SPEED_OF_LIGHT = 299_792_458.0
HEAT_CAPACITY = 1.2e6  # ρc of dry Martian regolith, J m-3 K-1: Piqueux & Christensen 2009, JGR 114, E09005
DUST_COAT_M = 5e-5
_RADAR_MHZ = {"MARSIS": 4.0, "SHARAD": 20.0, "MOSIR": 15.0, "RIMFAX": 600.0, "RoPeR": 55.0}

# what a technique can tell about a kind of property: 1 directly, 0.5 in part or by inference, 0 not at all
_CAN: dict[str, dict[str, float]] = {
    "visible imaging": {"mineral": 0.3, "element": 0, "hydration": 0.2, "ground ice": 0.2, "organics": 0, "small landform": 1},
    "reflectance spectroscopy": {"mineral": 0.9, "element": 0.1, "hydration": 1, "ground ice": 0.4, "organics": 0.3},
    "thermal emission spectroscopy": {"mineral": 0.8, "element": 0.1, "hydration": 0.4, "ground ice": 0.3, "organics": 0},
    "thermal emission imaging": {"mineral": 0.5, "element": 0, "hydration": 0.1, "ground ice": 0.4, "thermal inertia": 1},
    "gamma-ray spectroscopy": {"mineral": 0, "element": 1, "hydration": 0.7, "ground ice": 0.8},
    "neutron spectroscopy": {"mineral": 0, "element": 0.3, "hydration": 0.8, "ground ice": 0.9},
    "radar sounding": {"mineral": 0, "element": 0, "ground ice": 0.8, "radar interface": 1, "liquid water": 0.7},
    "ground-penetrating radar": {"mineral": 0, "element": 0, "ground ice": 0.8, "radar interface": 1, "liquid water": 0.7},
    "alpha-particle x-ray spectroscopy": {"mineral": 0.2, "element": 1, "hydration": 0.2, "organics": 0},
    "x-ray fluorescence": {"mineral": 0.4, "element": 1, "hydration": 0.1, "organics": 0},
    "x-ray diffraction": {"mineral": 1, "element": 0.4, "hydration": 0.5, "organics": 0, "iron oxidation": 0.8},
    "moessbauer spectroscopy": {"mineral": 0.7, "iron oxidation": 1, "element": 0.2, "hydration": 0.1},
    "laser-induced breakdown spectroscopy": {"mineral": 0.4, "element": 1, "hydration": 0.6, "organics": 0.1},
    "raman spectroscopy": {"mineral": 0.9, "element": 0, "hydration": 0.6, "organics": 1},
    "evolved gas analysis": {"mineral": 0.6, "element": 0.2, "hydration": 0.9, "organics": 1, "salts": 0.8},
    "wet chemistry": {"mineral": 0.2, "salts": 1, "element": 0.4, "organics": 0},
    "microscopy": {"grain size": 1, "small landform": 1, "mineral": 0.2, "element": 0},
    "laser altimetry": {"elevation": 1, "small landform": 0.2, "mineral": 0},
}  # fmt: skip


def thermal_skin_depth_m(inertia_tiu: float, period_s: float, heat_capacity: float = HEAT_CAPACITY) -> float:
    """Depth, metres, at which a temperature wave of `period_s` has fallen to 1/e: (I/ρc) √(P/π).

    >>> round(thermal_skin_depth_m(200.0, SOL_S), 3)
    0.028
    """
    return inertia_tiu / heat_capacity * math.sqrt(period_s / math.pi)


def radar_depth_m(frequency_hz: float, permittivity: float, loss_tangent: float) -> float:
    """One-way 1/e power depth, metres: c / (2π f √ε tan δ)."""
    return SPEED_OF_LIGHT / (2 * math.pi * frequency_hz * math.sqrt(permittivity) * loss_tangent)


def radar_range_resolution_m(bandwidth_hz: float, permittivity: float) -> float:
    """Vertical resolution in a medium, metres: c / (2 B √ε)."""
    return SPEED_OF_LIGHT / (2 * bandwidth_hz * math.sqrt(permittivity))


def gamma_free_path_m(density_kg_m3: float, mu_m2_kg: float = 0.006) -> float:
    """Mean free path of a gamma ray, metres: 1/(μ ρ)."""
    return 1.0 / (mu_m2_kg * density_kg_m3)


def coating_transmission(thickness_m: float, grain_m: float = 3e-6) -> float:
    """Two-way share of reflected light that passes a dust coat: exp(−2·1.5·t/d) for grains of diameter d, fill 0.5."""
    return math.exp(-1.5 * thickness_m / grain_m)


def _depth_reason(source: Source) -> str:
    depth = source.depth_m or 0.0
    name = source.instrument or "the instrument"
    technique = source.technique
    if technique in ("radar sounding", "ground-penetrating radar"):
        mhz = _RADAR_MHZ.get(source.spec.name if source.spec else "", 20.0)
        reach = radar_depth_m(mhz * 1e6, 3.2, 0.005)
        return f"{name} at {mhz:g} MHz reaches about {metres(reach)} (1/e) in ice-like ground"
    if technique == "gamma-ray spectroscopy":
        return f"{name} senses gamma rays from {metres(3 * gamma_free_path_m(1500.0))} (three free paths)"
    if technique.startswith("thermal"):
        day = thermal_skin_depth_m(200.0, SOL_S)
        return f"{name} sees the emitting {metres(depth or 5e-5)}; its temperature averages a diurnal skin of {metres(day)}"
    return f"{name} senses {metres(depth)}" if depth else f"{name} has no depth stated"


def penetration(pair: Pair) -> Bridge | None:
    """Do the instruments sense different depths of a thing that changes with depth?"""
    da, db = pair.a.depth_m, pair.b.depth_m
    if not da or not db:
        return None
    ratio = max(da, db) / min(da, db)
    if ratio < 3.0:
        return None
    score = pair.profile.of("depth") * ramp(math.log10(ratio), 0.5, 3.0)
    deep, shallow = (pair.a, pair.b) if da > db else (pair.b, pair.a)
    text = (
        f"{_depth_reason(deep)}, {_depth_reason(shallow)}: depths differ by a factor {ratio:.2g}, so a layer that only one "
        "of them reaches separates the two"
    )
    numbers = {"depth_a_m": da, "depth_b_m": db, "ratio": ratio}
    return Bridge("penetration", "instrument", "depth", score, text, numbers, "see module: skin depths by technique")


def coating(pair: Pair) -> Bridge | None:
    """Does a thin coat of dust hide from one instrument what the other reaches?"""
    da, db = pair.a.depth_m, pair.b.depth_m
    if not da or not db:
        return None
    shallow, deep = min(da, db), max(da, db)
    words = bool(
        re.search(r"\bdust|coat|brush|abrad|drill|grind|rind|varnish|abras|\brat\b|fresh interior|interior", pair.text)
    )
    reach = ramp(math.log10(deep / DUST_COAT_M), -0.5, 1.0) * (1.0 - ramp(math.log10(shallow / DUST_COAT_M), 0.3, 1.3))
    score = pair.profile.of("coating") * reach * (1.0 if words else 0.6)
    if score <= 0.02:
        return None
    left = coating_transmission(2e-5)
    text = (
        f"a dust coat of 20 µm lets {100 * left:.2g} % of reflected light through: the sensor of {metres(shallow)} sees the "
        f"coat, the one of {metres(deep)} what lies below"
    )
    return Bridge("coating", "instrument", "dust cover", score, text, {"transmission": left}, "Johnson & Grundy 2001")


def covered(source: Source, substance: Substance) -> float | None:
    """Share of a substance's diagnostic bands within a source's spectral range; None for a non-optical technique."""
    if source.bands is None or not substance.bands_nm:
        return None
    low, high = source.bands
    return sum(low <= band <= high for band in substance.bands_nm) / len(substance.bands_nm)


def named_substances(pair: Pair) -> list[Substance]:
    """Substances the pair is about: those of the property, else of the question, else of the values."""
    values = f"{pair.a.value}; {pair.b.value}"
    for text in (f"{pair.a.property} {pair.b.property}", pair.question, values):
        found = [s for s in substances() if s.words.search(text)]
        if found:
            return found[:4]
    return []


def spectral_coverage(pair: Pair) -> Bridge | None:
    """Does the diagnostic band lie in the range of one instrument only?"""
    best: Bridge | None = None
    for substance in named_substances(pair):
        ca, cb = covered(pair.a, substance), covered(pair.b, substance)
        if ca is None or cb is None:
            continue
        gap = abs(ca - cb)
        if gap < 0.2:
            continue
        one_blind = min(ca, cb) == 0.0
        score = pair.profile.of("technique") * (0.9 if one_blind else 0.5) * ramp(gap, 0.1, 0.5)
        seer, blind = (pair.a, pair.b) if ca > cb else (pair.b, pair.a)
        assert seer.bands is not None
        assert blind.bands is not None
        seen = [b for b in substance.bands_nm if seer.bands[0] <= b <= seer.bands[1]]
        names = seer.instrument or "one", blind.instrument or "the other"
        text = (
            f"{substance.name} shows at {', '.join(f'{b / 1000:g}' for b in seen[:4])} µm, inside the "
            f"{seer.bands[0] / 1000:g}-{seer.bands[1] / 1000:g} µm of {names[0]}; {names[1]} "
            f"({blind.bands[0] / 1000:g}-{blind.bands[1] / 1000:g} µm) covers {min(ca, cb) * 100:.0f} % of its bands"
        )
        bridge = Bridge(
            "spectral coverage", "instrument", "wavelength", score, text, {"cover_a": ca, "cover_b": cb}, "bands.tsv"
        )
        if best is None or bridge.score > best.score:
            best = bridge
    return best


def capability(source: Source, pair: Pair) -> float | None:
    """What the technique can tell of the kind of property asked, 0..1; None if the table has no entry."""
    row = _CAN.get(source.technique)
    if row is None or pair.profile.name not in row:
        return None
    return row[pair.profile.name]


def technique(pair: Pair) -> Bridge | None:
    """Do the techniques respond to different things (elements against minerals, crystals against all, …)?"""
    ta, tb = pair.a.technique, pair.b.technique
    if not ta or not tb or ta == tb:
        return None
    ca, cb = capability(pair.a, pair), capability(pair.b, pair)
    gap = abs(ca - cb) if ca is not None and cb is not None else 0.35
    score = pair.profile.of("technique") * (0.35 + 0.65 * ramp(gap, 0.1, 0.6))
    if pair.a.spec and pair.b.spec and pair.a.spec.target != pair.b.spec.target:
        score = min(1.0, score + 0.1)
    able = "" if ca is None or cb is None else f" (fitness for {pair.profile.name}: {ca:g} and {cb:g})"
    text = f"{pair.a.instrument} works by {ta}, {pair.b.instrument} by {tb}{able}: they respond to different things"
    return Bridge("technique", "instrument", "technique", score, text, {"gap": gap}, "instrument registry")


def frequency(pair: Pair) -> Bridge | None:
    """Two sounders: does the higher frequency lose the deep echo, or the wider pulse miss the thin layer?"""
    sounders = ("radar sounding", "ground-penetrating radar")
    if pair.a.technique not in sounders or pair.b.technique not in sounders or pair.a.spec is pair.b.spec:
        return None
    names = [s.spec.name if s.spec else "" for s in (pair.a, pair.b)]
    depths = [radar_depth_m(_RADAR_MHZ.get(n, 20.0) * 1e6, 4.0, 0.01) for n in names]
    ratio = max(depths) / min(depths)
    if ratio < 1.5:
        return None
    text = (
        f"in ground of ε = 4, tan δ = 0.01 the 1/e power depth is {metres(depths[0])} for {names[0]} and {metres(depths[1])} "
        f"for {names[1]}"
    )
    score = 0.9 * ramp(ratio, 1.2, 3.0) * max(pair.profile.of("depth"), pair.profile.of("technique"))
    return Bridge("radar frequency", "instrument", "depth", score, text, {"ratio": ratio}, "Ulaby et al. 1986")
