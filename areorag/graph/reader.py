"""Reads observations back from the graph as the records of the contract, and simple lists for the commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from ..errors import UnknownNameError
from .connection import Database
from .model import Band, Claim, Observation, ProductRef

_PLAIN = (
    "id", "kind", "body", "platform", "instrument", "institution", "footprint_source", "resolution_m", "start", "stop",
    "ls_deg", "ls_label_deg", "mars_year", "sol", "lmst", "incidence_deg", "emission_deg", "phase_deg",
    "penetration_depth_m", "authority", "processing_level", "text",
)  # fmt: skip
_LISTS = ("targets", "quality_flags", "derived_from", "warnings")


def geojson_of(wkt: str | None) -> dict[str, Any] | None:
    """WKT as a GeoJSON geometry."""
    if not wkt:
        return None
    from shapely import from_wkt
    from shapely.geometry import mapping

    return _lists(mapping(from_wkt(wkt)))  # type: ignore[no-any-return]


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    return [_lists(item) for item in value] if isinstance(value, (list, tuple)) else value


def observation_of(node: dict[str, Any], claims: Iterable[dict[str, Any]] = ()) -> Observation:
    """An `Observation` from its node's properties and its claims' properties."""
    band_values = [node.get(f"band_{name}") for name in ("name", "min_nm", "max_nm", "centers_nm")]
    band = None
    if any(value is not None for value in band_values):
        band = Band(name=band_values[0], min_nm=band_values[1], max_nm=band_values[2], centers_nm=band_values[3])
    fields = {name: node[name] for name in _PLAIN if node.get(name) is not None}
    return Observation(
        **fields,
        **{name: list(node.get(name) or []) for name in _LISTS},
        footprint=geojson_of(node.get("footprint")),
        position_lon_deg=node.get("lon_deg"),
        position_lat_deg=node.get("lat_deg"),
        band=band,
        product=ProductRef(
            data_id=node["data_id"],
            lid=node.get("product_lid"),
            version=node.get("product_version"),
            source_file=node.get("source_file"),
            sha256=node.get("product_sha256"),
        ),
        claims=[claim_of(c) for c in claims],
        meta=orjson.loads(node["meta"]) if node.get("meta") else {},
    )


def claim_of(node: dict[str, Any]) -> Claim:
    """A `Claim` from its node's properties."""
    return Claim(**{name: node[name] for name in Claim.model_fields if node.get(name) is not None})


def observation(db: Database, name: str) -> Observation:
    """The observation of an id; an id ``DataID@tag`` gives a superseded record.

    Raises
    ------
    UnknownNameError
        There is none; the message names the nearest ids.
    """
    found = observations(db, [name])
    if found:
        return found[0]
    near = [row["id"] for row in db.read("observation_ids_like", prefix=name.strip()[:200], limit=3)]
    hint = f" Did you mean {', '.join(near)}?" if near else " List some with  areorag retrieve"
    raise UnknownNameError(f"no observation {name[:80]!r} in the graph.{hint}")


def observations(db: Database, ids: Iterable[str]) -> list[Observation]:
    """The observations of some ids, in the order asked; unknown ids are left out."""
    wanted = list(ids)
    rows = {row["id"]: row for row in db.read("observations_by_id", ids=wanted)}
    return [observation_of(rows[i]["node"], rows[i]["claims"]) for i in wanted if i in rows]
