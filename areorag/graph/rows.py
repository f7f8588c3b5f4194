"""What the writer takes: one observation with its coordinates, cells, entities and embedding, checked.

`HyperedgeRow` is the bound form f = (I, P_foot, T_win, S_band, O_target, ℓ_res) of AreoRAG Definition 1; `properties`
flattens it to a node's properties, `content_hash` says whether two records say the same thing.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ..errors import DatabaseError
from .ids import entity_id
from .model import Observation

DERIVED_FIELDS = frozenset({"warnings", "text"})
"""Fields that follow from the reader, not from the product: they do not make a new version."""


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity an observation is bound to, and in which role."""

    role: str
    label: str
    name: str
    properties: dict[str, Any] = field(default_factory=dict)
    id: str = field(init=False, compare=False)
    """Id of the entity node (`ids.entity_id`), or the one given in `properties`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", str(self.properties.get("id") or entity_id(self.label, self.name)))


@dataclass(frozen=True, slots=True)
class HyperedgeRow:
    """One observation hyperedge, ready to write.

    Attributes
    ----------
    observation : the record
    hysh : ``rho, depth, direction, lorentz, position_xyz, scale_m, scale_source, embedding_version`` as
        `hysh.HyshRows.row` gives them; None where the observation has no place
    cells : ids ``order/index`` of the HEALPix cover
    entities : what it binds
    embedding : unit vector of its text, or None
    embedder : name of the model that made it
    digest : `content_hash` of the record, where it is known already
    geog : the footprint as a `planet.geometry.Geography`, where it is built already
    node : the row's `writer.node_parameters`, where they are made ahead of the transaction
    """

    observation: Observation
    hysh: dict[str, Any] | None = None
    cells: Sequence[str] = ()
    entities: Sequence[EntityRef] = ()
    embedding: Sequence[float] | None = None
    embedder: str | None = None
    digest: str | None = None
    geog: Any = None
    node: dict[str, Any] | None = None

    @property
    def recipe(self) -> str:
        """Names what was computed with: it changes when coordinates or embeddings must be computed again."""
        return f"{(self.hysh or {}).get('embedding_version', '-')}|{self.embedder or '-'}"


def content_hash(observation: Observation) -> str:
    """sha256 (hex) over what the record says: all fields but warnings, text, and where the file lay."""
    data = observation.model_dump(mode="json", exclude=set(DERIVED_FIELDS))
    product = data["product"]
    data["product"] = {key: product[key] for key in ("data_id", "lid", "version")}
    return hashlib.sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()


def fullness(observation: Observation) -> int:
    """How much a record says: number of fields that are known; an outline counts for three."""
    data = observation.model_dump(exclude={"meta", "warnings", "text", "product"})
    known = sum(1 for value in data.values() if value not in (None, [], "", {}))
    return known + (2 if observation.footprint else 0) + len(observation.claims)


def check_vector(name: str, owner: str, vector: Sequence[float]) -> None:
    """Refuse a vector that Neo4j would take and never find again.

    Raises
    ------
    DatabaseError
        It is empty, zero, or has a number that is not finite.
    """
    if not all(map(math.isfinite, vector)):
        raise DatabaseError(f"{owner}: {name} has a number that is not finite; not written")
    if math.hypot(*vector) ** 2 <= 0.0:
        raise DatabaseError(f"{owner}: {name} is a zero vector; not written")


def check_row(row: HyperedgeRow) -> None:
    """Refuse zero and non-finite vectors and coordinates (see `check_vector`)."""
    owner = row.observation.id
    if row.embedding is not None:
        check_vector("embedding", owner, row.embedding)
    if row.hysh is not None:
        for name in ("lorentz", "direction", "position_xyz"):
            check_vector(name, owner, row.hysh[name])
        for name in ("rho", "depth", "scale_m"):
            if not math.isfinite(row.hysh[name]):
                raise DatabaseError(f"{owner}: {name} is not finite; not written")


def display_name(observation: Observation) -> str:
    """Caption of the node: instrument and DataID."""
    instrument = observation.instrument
    return f"{instrument} {observation.id}" if instrument and instrument not in observation.id else observation.id


def wkt_of(geometry: dict[str, Any] | None) -> str | None:
    """GeoJSON geometry as WKT with every digit: the shortest text that reads back to the same numbers.

    GEOS writes 16 digits, one too few for some numbers: what is placed from the graph must be what was placed before.

    >>> wkt_of({"type": "Point", "coordinates": [0.23430853333145762, 5.0]})
    'POINT (0.23430853333145762 5)'
    """
    if geometry is None:
        return None
    kind = str(geometry["type"])
    if kind == "GeometryCollection":
        return f"GEOMETRYCOLLECTION ({', '.join(str(wkt_of(g)) for g in geometry['geometries'])})"
    inside = _wkt_list(geometry["coordinates"])
    return f"{kind.upper()} {f'({inside})' if kind == 'Point' else inside}"


def _wkt_list(value: Any) -> str:
    if isinstance(value[0], int | float):
        return " ".join(repr(float(v)).removesuffix(".0") for v in value[:2])
    return f"({', '.join(map(_wkt_list, value))})"


def properties(row: HyperedgeRow, digest: str) -> dict[str, Any]:
    """Properties of the ``:Observation`` node but the two points; no None among them."""
    o = row.observation
    band = o.band
    hysh = row.hysh or {}
    flat: dict[str, Any] = {
        "id": o.id,
        "name": display_name(o),
        "kind": o.kind,
        "body": o.body,
        "platform": o.platform,
        "instrument": o.instrument,
        "institution": o.institution,
        "footprint": wkt_of(o.footprint),
        "footprint_source": o.footprint_source,
        "lon_deg": o.position_lon_deg,
        "lat_deg": o.position_lat_deg,
        "resolution_m": o.resolution_m,
        "band_name": band.name if band else None,
        "band_min_nm": band.min_nm if band else None,
        "band_max_nm": band.max_nm if band else None,
        "band_centers_nm": band.centers_nm if band else None,
        "start": o.start,
        "stop": o.stop,
        "ls_deg": o.ls_deg,
        "ls_label_deg": o.ls_label_deg,
        "mars_year": o.mars_year,
        "sol": o.sol,
        "lmst": o.lmst,
        "incidence_deg": o.incidence_deg,
        "emission_deg": o.emission_deg,
        "phase_deg": o.phase_deg,
        "penetration_depth_m": o.penetration_depth_m,
        "targets": o.targets or None,
        "quality_flags": o.quality_flags or None,
        "authority": o.authority,
        "processing_level": o.processing_level,
        "derived_from": o.derived_from or None,
        "data_id": o.product.data_id,
        "product_lid": o.product.lid,
        "product_version": o.product.version,
        "source_file": o.product.source_file,
        "product_sha256": o.product.sha256,
        "warnings": o.warnings or None,
        "text": o.text or display_name(o),
        "meta": orjson.dumps(o.meta, option=orjson.OPT_SORT_KEYS).decode() if o.meta else None,
        "content_hash": digest,
        "known_hashes": [digest],
        "fullness": fullness(o),
        "recipe": row.recipe,
        "embedding": row.embedding,
        "embedder": row.embedder,
        "confidence": o.authority,
    }
    for name in ("rho", "depth", "direction", "lorentz", "scale_m", "scale_source", "embedding_version"):
        flat[name] = hysh.get(name)
    return {key: value for key, value in flat.items() if value is not None}
