"""On Earth: questions about a city with the same code and another body (Spatial-RAG §5, delivery and pass rates).

The sample is New York: points of interest with short descriptions, streets as polylines, parks as polygons. The paper's
four rates: *delivery*, the share of questions that get an answer; *spatial sparse pass*, the question's spatial query is
read right (places, relation, distance); *spatial dense pass*, all places of the answer lie where the question asked;
*semantic pass*, the first place is of the kind asked and its description has one of the words asked for. The paper has
the last two judged by a language model; here plane trigonometry on a local map and plain words judge, neither of them
the retriever's. The sparse rate is over all questions, the last two over the delivered ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..graph.connection import Database
from ..graph.model import Observation, ProductRef
from ..planet.bodies import get_body
from ..planet.gazetteer import Feature, Gazetteer
from ..settings import Settings, load_settings

if TYPE_CHECKING:
    from ..retrieval.engine import Retriever
    from ..retrieval.intent.model import SpatialIntent

TOLERANCE_M = 30.0
METRES_PER_DEGREE = math.pi / 180.0 * 6_378_137.0


def sample() -> dict[str, Any]:
    """The city as shipped: ``points``, ``streets``, ``parks``."""
    data: dict[str, Any] = json.loads(
        resources.files("areorag.sample").joinpath("city", "new_york.json").read_text("utf-8")
    )
    return data


def questions() -> list[dict[str, Any]]:
    """The questions with the places, distance and words that a right answer has."""
    text = resources.files("areorag.sample").joinpath("city", "questions.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def city_gazetteer(city: dict[str, Any] | None = None) -> Gazetteer:
    """Every point, street and park as a named place on Earth."""
    data = city or sample()
    features = [
        Feature(
            p["name"], p["category"], p["lon"], p["lat"], None, None, tuple(p["aliases"]), "Earth", status="project"
        )
        for p in data["points"]
    ]
    for kind, key, geometry in (("street", "line", "LineString"), ("park", "ring", "Polygon")):
        for item in data[f"{kind}s"]:
            xy = item[key]
            shape: Any = xy if kind == "street" else [[*xy, xy[0]]]
            lon, lat = sum(p[0] for p in xy) / len(xy), sum(p[1] for p in xy) / len(xy)
            features.append(
                Feature(
                    item["name"],
                    kind,
                    lon,
                    lat,
                    body="Earth",
                    aliases=tuple(item["aliases"]),
                    status="project",
                    geojson={"type": geometry, "coordinates": shape},
                )
            )
    return Gazetteer.from_features(features, "Earth")


def city_observations(city: dict[str, Any] | None = None) -> list[Observation]:
    """The points of interest as records of the hypergraph."""
    data = city or sample()
    out = []
    for p in data["points"]:
        name = p["name"].lower().replace(" ", "-")
        out.append(
            Observation(
                id=f"{data['city'].lower().replace(' ', '-')}/{name}",
                kind="derived",
                body="Earth",
                footprint={"type": "Point", "coordinates": [p["lon"], p["lat"]]},
                footprint_source="city sample",
                position_lon_deg=p["lon"],
                position_lat_deg=p["lat"],
                resolution_m=10.0,
                targets=[p["name"]],
                authority=0.8,
                product=ProductRef(data_id=name, source_file="city sample", version="1"),
                text=f"{p['name']}: {p['category']}. {p['text']}",
            )
        )
    return out


def load_city(db: Database, settings: Settings) -> int:
    """Write the sample into a graph; returns how many places it has."""
    from ..graph.writer import write_observations
    from ..ingest.build import RowBuilder
    from ..llm.embed import get_embedder

    rows = RowBuilder(settings, get_embedder(settings)).build(city_observations())
    write_observations(db, rows, "city-sample")
    return len(rows)


def city_retriever(db: Database, settings: Settings) -> Retriever:
    """A retriever for the sample: body Earth, places of the city."""
    from ..llm.embed import get_embedder
    from ..retrieval.engine import Retriever

    own = settings.model_copy(update={"body": "Earth"})
    return Retriever(db, own, get_embedder(own), gazetteer=city_gazetteer())


def run(
    home: Any = None, k: int = 5, settings: Settings | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Load the sample into a throw-away graph and ask every question.

    Returns
    -------
    dict
        ``n, delivery, spatial_sparse_pass, spatial_dense_pass, semantic_pass`` in per cent and the questions with what
        came back.
    """
    chosen = settings or load_settings()
    with Database.temporary(chosen.model_copy(update={"body": "Earth"})) as db:
        load_city(db, chosen)
        return ask_all(city_retriever(db, chosen), k, progress)


def ask_all(retriever: Retriever, k: int = 5, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Ask every question of a retriever over the sample."""
    city = sample()
    where = {
        f"{city['city'].lower().replace(' ', '-')}/{p['name'].lower().replace(' ', '-')}": p for p in city["points"]
    }
    shapes = _shapes(city)
    rows = questions()
    out = []
    for i, row in enumerate(rows):
        found = retriever.retrieve(row["question"], k=k)
        places = [where[e.id] for e in found.evidence if e.id in where]
        spatial = bool(places) and all(_in_place(p, row, shapes) for p in places)
        semantic = bool(places) and _on_topic(places[0], row)
        out.append(
            {
                "id": row["id"],
                "question": row["question"],
                "delivered": bool(places),
                "spatial_sparse": _read_right(found.intent, row),
                "spatial_dense": spatial,
                "semantic": semantic,
                "answers": [p["name"] for p in places],
                "read_as": [f"{a} {b}" for a, b in found.intent.describe()],
            }
        )
        if progress is not None:
            progress(i + 1, len(rows))
    delivered = [q for q in out if q["delivered"]]

    def share(key: str, of: list[dict[str, Any]]) -> float:
        return round(100 * sum(bool(q[key]) for q in of) / max(1, len(of)), 1)

    return {
        "n": len(out),
        "delivery": share("delivered", out),
        "spatial_sparse_pass": share("spatial_sparse", out),
        "spatial_dense_pass": share("spatial_dense", delivered),
        "semantic_pass": share("semantic", delivered),
        "body": get_body("Earth").name,
        "questions": out,
    }


# ---------------------------------------------------------------- the judge: plane geometry on a local map


def _shapes(city: dict[str, Any]) -> dict[str, tuple[str, list[tuple[float, float]]]]:
    out: dict[str, tuple[str, list[tuple[float, float]]]] = {}
    for p in city["points"]:
        out[p["name"]] = ("point", [(p["lon"], p["lat"])])
    for s in city["streets"]:
        out[s["name"]] = ("line", [tuple(v) for v in s["line"]])
    for p in city["parks"]:
        out[p["name"]] = ("area", [*(tuple(v) for v in p["ring"]), tuple(p["ring"][0])])
    return out


def _local(lon: float, lat: float) -> tuple[float, float]:
    return lon * METRES_PER_DEGREE * math.cos(math.radians(40.77)), lat * METRES_PER_DEGREE


def _distance(p: dict[str, Any], kind: str, line: list[tuple[float, float]]) -> float:
    """Metres from a place to a point, polyline or area (0 inside)."""
    x, y = _local(p["lon"], p["lat"])
    xy = [_local(*v) for v in line]
    if kind == "point" or len(xy) == 1:
        return math.hypot(x - xy[0][0], y - xy[0][1])
    if kind == "area" and _inside(x, y, xy):
        return 0.0
    return min(_to_segment(x, y, a, b) for a, b in pairwise(xy))


def _to_segment(x: float, y: float, a: tuple[float, float], b: tuple[float, float]) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    t = max(0.0, min(1.0, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy or 1.0)))
    return math.hypot(x - a[0] - t * dx, y - a[1] - t * dy)


def _inside(x: float, y: float, ring: list[tuple[float, float]]) -> bool:
    hit = False
    for (x0, y0), (x1, y1) in pairwise(ring):
        if (y0 > y) != (y1 > y) and x < (x1 - x0) * (y - y0) / (y1 - y0) + x0:
            hit = not hit
    return hit


def _in_place(p: dict[str, Any], row: dict[str, Any], shapes: dict[str, Any]) -> bool:
    """Does a place lie where the question asked? A route or "between" is the straight line between the two."""
    names = row["places"]
    epsilon = row["epsilon_m"] if row["epsilon_m"] is not None else 500.0
    if row["relation"] in ("along", "between") and len(names) == 2:
        line = [shapes[n][1][0] if shapes[n][0] == "point" else _middle(shapes[n][1]) for n in names]
        return _distance(p, "line", line) <= epsilon + TOLERANCE_M
    return min(_distance(p, *shapes[n]) for n in names) <= epsilon + TOLERANCE_M


def _middle(line: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(v[0] for v in line) / len(line), sum(v[1] for v in line) / len(line)


def _read_right(intent: SpatialIntent, row: dict[str, Any]) -> bool:
    """Places, relation and distance as the question has them; "near" and "within" with the same distance are one."""
    alike = {"within": "near", None: "near"}
    relation = alike.get(intent.relation, intent.relation)
    wanted = alike.get(row["relation"], row["relation"])
    distance = row["epsilon_m"]
    near = intent.distance_m is None or distance is None or abs(intent.distance_m - distance) <= 0.01 * distance
    return set(intent.places) == set(row["places"]) and relation == wanted and near


def _on_topic(p: dict[str, Any], row: dict[str, Any]) -> bool:
    text = f"{p['name']} {p['text']}".lower()
    kind = not row["categories"] or p["category"] in row["categories"]
    return kind and (not row["words"] or any(w in text for w in row["words"]))
