"""Findings: claims from the literature, in JSON-LD side files (format: docs/findings.md), tied to observations.

A finding ``about`` a product becomes a ``:Claim`` that the product's observation asserts, beside the label's own; it
never makes a new version of the observation. One that is about no product, or about one that is not in the graph, is
an observation hyperedge of its own, with the place, instrument and time that the file gives.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ..errors import LabelError
from ..graph.decide import product_key
from ..graph.ids import fold
from ..graph.model import Claim, Observation, ProductRef, well_formed

if TYPE_CHECKING:
    from ..graph.connection import Database, Transaction
    from ..graph.rows import EntityRef
    from .build import RowBuilder

log = logging.getLogger(__name__)

MAX_BYTES = 256 << 20
_OWN = (
    "platform", "instrument", "institution", "resolution_m", "start", "stop", "lmst", "incidence_deg", "emission_deg",
    "phase_deg", "penetration_depth_m", "processing_level", "quality_flags", "authority", "mars_year", "sol", "ls_deg",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One finding: its claim, its citation, what it is about, and its own place and circumstances."""

    claim: Claim
    citation: str
    about: str | None
    own: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Hash of what it says."""
        data = [self.claim.model_dump(mode="json"), self.citation, self.about, self.own]
        return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()


@dataclass
class FindingsFile:
    """A parsed side file; `problems` name the findings left out, in plain words."""

    path: Path
    sha256: str
    findings: list[Finding]
    problems: list[str]


def is_findings(path: Path) -> bool:
    """Whether a file is a FindingSet, by content."""
    if path.suffix.lower() not in (".json", ".jsonld"):
        return False
    try:
        with path.open("rb") as stream:
            return b"FindingSet" in stream.read(1 << 16)
    except OSError:
        return False


def read_findings(path: Path) -> FindingsFile:
    """Read a side file; a bad finding is left out and named.

    Raises
    ------
    LabelError
        The file is not a JSON-LD FindingSet.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise LabelError(f"{path.name} is larger than {MAX_BYTES >> 20} MB")
        raw = path.read_bytes()
        data = well_formed(json.loads(raw))
    except (OSError, ValueError) as exc:
        raise LabelError(f"{path.name} is not JSON ({type(exc).__name__})") from None
    except RecursionError:
        raise LabelError(f"{path.name} is nested too deep") from None
    rows = data.get("findings") if isinstance(data, dict) else None
    if not isinstance(rows, list) or "FindingSet" not in str(data.get("@type")):
        raise LabelError(f"{path.name} is not a FindingSet (docs/findings.md)")
    found: dict[str, Finding] = {}
    problems = []
    for number, row in enumerate(rows):
        try:
            finding = _finding(row)
        except (ValueError, TypeError) as exc:
            name = row.get("@id") or row.get("id") if isinstance(row, dict) else None
            problems.append(f"finding {name or number}: {_plain(exc)}")
            continue
        if finding.claim.id in found:
            problems.append(f"finding {finding.claim.id}: its id stands twice, the later one was left out")
        found.setdefault(finding.claim.id, finding)
    return FindingsFile(path, hashlib.sha256(raw).hexdigest(), list(found.values()), problems)


def _plain(exc: Exception) -> str:
    if isinstance(exc, ValidationError):
        first = exc.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(str(p) for p in first['loc'])}: {first['msg']}"
    return str(exc)


def _finding(row: Any) -> Finding:
    if not isinstance(row, dict):
        raise ValueError("not an object")
    name = row.get("@id") or row.get("id")
    if not name or not row.get("property"):
        raise ValueError("an id and a property are needed")
    value = row.get("value")
    claim = Claim(
        id=str(name),
        subject=str(row.get("subject") or row.get("about") or name),
        property=str(row["property"]),
        value=None if value is None else str(value),
        polarity=row.get("polarity"),
        low=row.get("low"),
        high=row.get("high"),
        unit=row.get("unit"),
        text=str(row.get("text") or ""),
    )
    own = {key: row[key] for key in _OWN if row.get(key) is not None}
    for key, other in (("lon_deg", "lon"), ("lat_deg", "lat")):
        number = row.get(key, row.get(other))
        if number is not None:
            own[key] = float(number)
    for key in ("kind", "body", "footprint", "footprint_radius_m", "constructed"):
        if row.get(key) is not None:
            own[key] = row[key]
    if row.get("@id") and row.get("id"):
        own["id"] = str(row["id"])
    about = row.get("about")
    return Finding(claim, str(row.get("citation") or ""), str(about) if about else None, own)


def standalone(finding: Finding, source: FindingsFile, relative: str) -> Observation:
    """The observation hyperedge of a finding that no observation in the graph stands for.

    Raises
    ------
    ValueError
        A value is outside its domain; pydantic names the field.
    """
    own = dict(finding.own)
    lon, lat = own.pop("lon_deg", None), own.pop("lat_deg", None)
    if lon is not None:
        lon = (lon + 180.0) % 360.0 - 180.0
    body = own.pop("body", "Mars")
    radius = own.pop("footprint_radius_m", None)
    name = own.pop("id", None) or finding.claim.id
    constructed = own.pop("constructed", None)
    footprint = own.pop("footprint", None)
    place = "given" if footprint else None
    if footprint is None and radius and lon is not None and lat is not None:
        footprint, place = _circle(lon, lat, float(radius), body), "radius"
    text = " ".join(
        part.rstrip(".") + "."
        for part in (f"{own.get('instrument') or 'Finding'} on {finding.claim.subject}", finding.claim.text)
        if part
    )
    meta = {"citation": finding.citation} | ({"constructed": True} if constructed else {})
    return Observation(
        id=name,
        kind=own.pop("kind", "derived"),
        body=body,
        footprint=footprint,
        footprint_source=place,
        position_lon_deg=lon,
        position_lat_deg=lat,
        derived_from=[finding.about] if finding.about else [],
        product=ProductRef(data_id=name, source_file=relative, sha256=source.sha256),
        claims=[finding.claim],
        text=text,
        meta=meta,
        **_season(own),
    )


def _season(own: dict[str, Any]) -> dict[str, Any]:
    """Mars Year and L_s from the start time where the file does not give them."""
    if own.get("start") and "ls_deg" not in own and "mars_year" not in own:
        from datetime import UTC, datetime

        from ..planet.marstime import mars_time

        start = datetime.fromisoformat(str(own["start"]).replace("Z", "+00:00"))
        when = mars_time(start if start.tzinfo else start.replace(tzinfo=UTC))
        own |= {"ls_deg": round(float(when.ls_deg) % 360.0, 4) % 360.0, "mars_year": int(when.mars_year)}
    return own


def _circle(lon: float, lat: float, radius_m: float, body: str) -> dict[str, Any]:
    """A circle as a polygon of 48 points, split at the antimeridian."""
    from ..planet.bodies import get_body
    from ..planet.geometry import polygon, to_geojson

    angle = radius_m / get_body(body).equatorial_radius_m
    phi, lam = math.radians(lat), math.radians(lon)
    ring = []
    for k in range(48):
        b = 2.0 * math.pi * k / 48
        y = math.asin(math.sin(phi) * math.cos(angle) + math.cos(phi) * math.sin(angle) * math.cos(b))
        x = lam + math.atan2(
            math.sin(b) * math.sin(angle) * math.cos(phi), math.cos(angle) - math.sin(phi) * math.sin(y)
        )
        ring.append(((math.degrees(x) + 180.0) % 360.0 - 180.0, math.degrees(y)))
    return to_geojson(polygon(ring))


def place_findings(
    db: Database, source: FindingsFile, relative: str
) -> tuple[list[tuple[str, Finding]], list[Observation]]:
    """Split findings: (observation id, finding) where it is about one in the graph, and records for the rest.

    Findings about what was forgotten are left out.
    """
    keys = sorted({product_key(f.about) for f in source.findings if f.about})
    known = {row["key"]: row["id"] for row in db.read("observations_by_product_key", keys=keys)}
    forgotten = {row["key"] for row in db.read("tombstones_by_product_key", keys=keys)}
    attached, alone = [], []
    for finding in source.findings:
        if finding.about and product_key(finding.about) in forgotten:
            continue
        home = known.get(product_key(finding.about)) if finding.about else None
        if home is not None and home != finding.own.get("id", finding.claim.id):
            attached.append((home, finding))
            continue
        try:
            alone.append(standalone(finding, source, relative))
        except (ValueError, TypeError) as exc:
            source.problems.append(f"finding {finding.claim.id}: {_plain(exc)}")
    return attached, alone


def attach(
    db: Database, attached: Iterable[tuple[str, Finding]], builder: RowBuilder, run_id: str, run: dict[str, Any]
) -> list[str]:
    """Write findings as claims of observations; return the ids of the observations that gained one.

    A finding that says the same as before is left alone; one that changed retires the earlier claim.
    """
    pairs = sorted(attached, key=lambda pair: pair[1].claim.id)
    known = {row["id"]: row for row in db.read("claims_digests", ids=[f.claim.id for _, f in pairs])}
    fresh = [(home, f) for home, f in pairs if (known.get(f.claim.id) or {}).get("digest") != f.digest]
    if not fresh:
        return []
    homes = {row["id"]: row for row in db.read("observation_texts", ids=sorted({home for home, _ in fresh}))}
    from .build import claim_refs, semantic_text

    texts: dict[str, str] = {}
    claims, binds = [], []
    entities: dict[str, EntityRef] = {}
    for home, finding in fresh:
        node = homes[home]
        text = str(texts.get(home) or node["text"] or "")
        if finding.claim.text and finding.claim.text.rstrip(".") not in text:
            texts[home] = f"{text.rstrip()} {finding.claim.text.rstrip('.')}.".strip()
        refs = claim_refs([finding.claim], node["body"])
        entities |= {ref.id: ref for ref in refs}
        binds.append({"h": home, "to": [{"e": ref.id, "role": ref.role} for ref in refs]})
        claims.append({"h": home, "claim": _claim(finding), "about": sorted(r.id for r in _about(finding, refs))})
    updates = []
    if texts:
        order = sorted(texts)
        blank = {
            name: Observation(id=name, kind="derived", product=ProductRef(data_id=name), text=texts[name])
            for name in order
        }
        vectors = builder.embedder.embed([semantic_text(blank[n]) for n in order]) if builder.embedder else None
        for i, name in enumerate(order):
            updates.append(
                {"id": name, "text": texts[name], "embedding": None if vectors is None else vectors[i].tolist()}
            )
    changed = [
        {"id": f.claim.id, "tag": (known[f.claim.id]["digest"] or "label")[:8]} for _, f in fresh if f.claim.id in known
    ]

    def work(tx: Transaction) -> None:
        from ..graph.writer import entity_parameters

        tx.run("write_lock")
        tx.run("write_run", id=run_id, p=run)
        if changed:
            tx.run("supersede_claims", rows=changed)
        tx.run("write_entities", rows=[entity_parameters(entities[k]) for k in sorted(entities)])
        tx.run("write_finding_claims", rows=claims)
        tx.run("merge_binds", rows=binds)
        tx.run("write_observation_texts", rows=updates)

    db.transact(work)
    return sorted({home for home, _ in fresh})


def _claim(finding: Finding) -> dict[str, Any]:
    from ..graph.writer import claim_parameters

    extra = {
        "citation": finding.citation or None,
        "digest": finding.digest,
        "constructed": finding.own.get("constructed"),
    }
    return claim_parameters(finding.claim) | {key: value for key, value in extra.items() if value is not None}


def _about(finding: Finding, refs: Iterable[EntityRef]) -> Iterator[EntityRef]:
    words = {fold(w) for w in (finding.claim.subject, finding.claim.property, finding.claim.value or "")}
    for ref in refs:
        if fold(ref.name) in words or ref.role == "subject":
            yield ref
