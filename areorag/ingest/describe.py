"""One paragraph that says what an observation is: the text that is embedded, searched and cited (AreoRAG Eq. 4, I).

Only facts of the record go in, in words people search with: instrument and technique, platform, target, place, time,
season, resolution, band, and the producers' own rationale.
"""

from __future__ import annotations

from ..graph.model import Observation
from ..planet.instruments import InstrumentSpec

_SEASONS = ("northern spring", "northern summer", "northern autumn", "northern winter")


def coordinates_in_words(lon: float, lat: float) -> str:
    """``18.45° N, 77.45° E`` with as many digits as are useful."""
    ns = "N" if lat >= 0 else "S"
    return f"{abs(lat):.4g}° {ns}, {lon % 360.0:.5g}° E"


def length_in_words(metres: float) -> str:
    """``25 cm``, ``6 m``, ``14.8 km``."""
    if metres < 1e-3:
        return f"{metres * 1e6:.3g} µm"
    if metres < 0.01:
        return f"{metres * 1e3:.3g} mm"
    if metres < 1.0:
        return f"{metres * 100:.3g} cm"
    return f"{metres:.4g} m" if metres < 1000 else f"{metres / 1000:.4g} km"


def _what(o: Observation, spec: InstrumentSpec | None, title: str | None) -> str:
    technique = spec.technique if spec is not None else None
    head = " ".join(x for x in (o.instrument, technique) if x) or "Observation"
    on = f" on {o.platform}" if o.platform else ""
    noun = {"derived": "derived product", "insitu": "in-situ observation", "orbital": "orbital observation"}[o.kind]
    named = f" ({title})" if title else ""
    return f"{head}{on}: {noun} {o.id}{named}"


def _where(o: Observation) -> str | None:
    places = [t for t in o.targets if t != o.body]
    of = f"of {', '.join(places)} on {o.body}" if places else f"of {o.body}"
    if o.footprint is not None and o.footprint.get("coordinates") == [
        [[-180.0, -90.0], [180.0, -90.0], [180.0, 90.0], [-180.0, 90.0], [-180.0, -90.0]]
    ]:
        return f"{of}, the whole planet"
    if o.position_lon_deg is None or o.position_lat_deg is None:
        return of
    return f"{of} at {coordinates_in_words(o.position_lon_deg, o.position_lat_deg)}"


def _when(o: Observation) -> str | None:
    parts = []
    if o.start is not None:
        days = o.stop is not None and (o.stop - o.start).days > 1
        parts.append(
            f"taken {o.start:%Y-%m-%d}" + (f" to {o.stop:%Y-%m-%d}" if days and o.stop else f" {o.start:%H:%M} UTC")
        )
    if o.sol is not None:
        parts.append(f"sol {o.sol}")
    if o.ls_deg is not None:
        year = f"Mars Year {o.mars_year}, " if o.mars_year is not None else ""
        parts.append(f"{year}solar longitude {o.ls_deg:.1f}° ({_SEASONS[int(o.ls_deg // 90) % 4]})")
    if o.lmst is not None:
        parts.append(f"local mean solar time {o.lmst[:5]}")
    return ", ".join(parts) or None


def _how(o: Observation) -> str | None:
    parts = []
    if o.resolution_m is not None:
        parts.append(f"resolution {length_in_words(o.resolution_m)} per pixel")
    if o.band is not None:
        limits = ""
        if o.band.min_nm is not None and o.band.max_nm is not None and o.band.max_nm > o.band.min_nm:
            limits = f"{o.band.min_nm:.0f}-{o.band.max_nm:.0f} nm"
        elif o.band.centers_nm:
            limits = f"{o.band.centers_nm[0]:.0f} nm"
        words = " ".join(x for x in (o.band.name, limits) if x)
        if words:
            parts.append(f"band {words}")
    if o.incidence_deg is not None:
        parts.append(f"incidence {o.incidence_deg:.0f}°")
    if o.emission_deg is not None:
        parts.append(f"emission {o.emission_deg:.0f}°")
    if o.processing_level:
        parts.append(f"level {o.processing_level}")
    return ", ".join(parts) or None


def describe(o: Observation, spec: InstrumentSpec | None, title: str | None, rationale: str | None) -> str:
    """The paragraph for an observation."""
    sentences = [_what(o, spec, title) + " " + (_where(o) or "")]
    if rationale:
        sentences.append(rationale.rstrip("."))
    sentences += [s[0].upper() + s[1:] for s in (_when(o), _how(o)) if s]
    if o.derived_from:
        shown = ", ".join(o.derived_from[:4]) + (
            f" and {len(o.derived_from) - 4} more" if len(o.derived_from) > 4 else ""
        )
        sentences.append(f"Made from {shown}")
    if o.institution:
        sentences.append(f"Produced by {o.institution}")
    if o.claims:
        sentences += [c.text.rstrip(".") for c in o.claims[:6] if c.text]
    return ". ".join(" ".join(s.split()) for s in sentences) + "."
