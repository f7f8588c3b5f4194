"""`areorag eval regions`: generated region and season questions over the ingested archive (AreoRAG §IV).

Questions are made from the archive's own records, fixed by the seed; gold comes from `region_gold`, which shares no
code with the retriever. In the same run: text-only dense retrieval, sorting by distance, a weighted sum of text and
distance, and the naive union of both. recall@5 is |top 5 ∩ gold| / min(5, |gold|); F1 is over the first
k = max(5, min(|gold|, 20)) results. Records within the gold's tolerance of a border count for and against nobody.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..graph.connection import Database
from ..llm.embed import Embedder, get_embedder
from ..planet.gazetteer import Feature, Gazetteer
from ..retrieval.engine import Retriever
from ..retrieval.intent import parse_intent
from ..retrieval.intent.resolve import query_region
from ..settings import Settings, load_settings
from .region_gold import Archive, Gold

log = logging.getLogger(__name__)
Progress = Callable[[int, int], None]

N_REGION, N_TEMPORAL = 200, 150
SEED = 20260801
ABLATIONS: dict[str, tuple[str, ...]] = {
    "sparse": ("sparse",),
    "dense": ("dense",),
    "semantic": ("semantic",),
    "pareto": ("pareto",),
    "plausibility": ("plausibility", "expansion"),
    "oem": ("oem",),
    "einstein": ("outward",),
    "euclidean": ("hyperbolic",),
    "feedback": ("feedback",),
    "coverage": ("coverage",),
}
"""What each ``--ablate`` leaves out of the retriever. ``both`` is text-only dense retrieval (Standard RAG)."""
ANSWER_ABLATIONS = ("mlg", "pict", "uniform", "delta_hp")
"""Ablations of construction and triage: they do not change what is retrieved here and are refused with that reason."""
_SEASONS = {
    "spring": {"north": (0, 90), "south": (180, 270)},
    "summer": {"north": (90, 180), "south": (270, 360)},
    "autumn": {"north": (180, 270), "south": (0, 90)},
    "winter": {"north": (270, 360), "south": (90, 180)},
}
_DEG_M = 59_274.7


@dataclass(frozen=True)
class Question:
    """One generated question with the specification its gold is computed from."""

    id: str
    kind: str
    question: str
    spec: Mapping[str, Any]


@dataclass
class Result:
    """Scores of one method."""

    recall: list[float] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, found: list[str], gold: Gold, seconds: float) -> None:
        """Score one ranked list."""
        k = max(5, min(len(gold.ids), 20))
        judged = [i for i in found if i not in gold.doubtful]
        top5, top = judged[:5], judged[:k]
        self.recall.append(len(set(top5) & gold.ids) / min(5, len(gold.ids)))
        hits = len(set(top) & gold.ids)
        precision = hits / len(top) if top else 0.0
        recall = hits / min(k, len(gold.ids))
        self.f1.append(2 * precision * recall / (precision + recall) if hits else 0.0)
        self.seconds.append(seconds)

    def summary(self) -> dict[str, float]:
        """Per cent and milliseconds."""
        return {
            "recall@5": round(100 * float(np.mean(self.recall)), 1),
            "f1": round(100 * float(np.mean(self.f1)), 1),
            "p50_ms": round(1000 * float(np.median(self.seconds)), 1),
        }


# ---------------------------------------------------------------- questions


class Generator:
    """Questions about an archive, each with at least one right answer."""

    def __init__(self, archive: Archive, seed: int = SEED) -> None:
        self.archive = archive
        self.rng = np.random.default_rng(seed)
        self.gazetteer = Gazetteer.load("Mars")
        self.rows = [r for r in archive.rows if r["instrument"] and r["lon"] is not None]
        if not self.rows:
            raise UsageError(
                "the archive has no placed observation of an instrument. Fill it with  areorag ingest PATH"
            )

    def questions(self, n_region: int = N_REGION, n_temporal: int = N_TEMPORAL) -> list[tuple[Question, Gold]]:
        """Region questions, then season questions; those without an answer are drawn again."""
        out: list[tuple[Question, Gold]] = []
        for kind, n, make in (("region", n_region, self._region), ("temporal", n_temporal, self._temporal)):
            made = tries = 0
            while made < n and tries < 30 * n:
                tries += 1
                row = self.rows[int(self.rng.integers(len(self.rows)))]
                drawn = make(row)
                if drawn is None:
                    continue
                gold = self.archive.gold(drawn[1])
                if not gold.ids:
                    continue
                made += 1
                out.append((Question(f"{kind[0]}{made:03d}", kind, drawn[0], drawn[1]), gold))
        return out

    def _place(self, row: Mapping[str, Any]) -> tuple[Feature, dict[str, Any]] | None:
        found = [
            f for f in self.gazetteer.containing(row["lon"], row["lat"]) if f.status == "approved" and f.code != "AL"
        ]
        found = [f for f in found if f.radius_m > 3_000 and abs(f.lat) < 84]
        if not found:
            return None
        feature = found[int(self.rng.integers(min(3, len(found))))]
        if feature.code == "AA" and feature.diameter_m:
            return feature, {"cap": [feature.lon, feature.lat, feature.diameter_m / 2 / _DEG_M]}
        if feature.bbox is None:
            return None
        return feature, {"box": list(feature.bbox)}

    def _region(self, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        form = int(self.rng.integers(7))
        instrument = str(row["instrument"])
        if form >= 5:
            return self._by_numbers(row, instrument, form)
        placed = self._place(row)
        if placed is None:
            return None
        feature, region = placed
        name = f"{feature.name} crater" if feature.code == "AA" else feature.name
        spec: dict[str, Any] = {"region": region, "instruments": [instrument]}
        if form == 0:
            return f"Which {instrument} observations show {name}?", spec
        if form == 1:
            km = int(self.rng.choice([20, 50, 100]))
            return f"{instrument} data within {km} km of {name}", spec | {"epsilon_deg": km * 1000 / _DEG_M}
        if form == 2:
            limit = _above(row["resolution_m"])
            if limit is None:
                return None
            spec = {"region": region, "finer_m": limit * 1.0001}
            return f"images of {name} at {limit:g} m per pixel or better", spec
        if form == 3:
            spec = {"region": region, "not_instruments": [instrument]}
            return f"everything in {name} but not from {instrument}", spec
        return f"{row['kind'].replace('insitu', 'in situ')} data for {name}", {"region": region, "kinds": [row["kind"]]}

    def _by_numbers(self, row: Mapping[str, Any], instrument: str, form: int) -> tuple[str, dict[str, Any]] | None:
        lon, lat = round(float(row["lon"]), 1), round(float(row["lat"]), 1)
        if abs(lat) > 80 or abs(lon) > 170:
            return None
        spec: dict[str, Any] = {"instruments": [instrument]}
        if form == 5:
            w, e, s, n = lon - 1.5, lon + 1.5, lat - 1.0, lat + 1.0
            text = f"{instrument} in the box {w % 360:.1f} to {e % 360:.1f}E, {_ns(s)} to {_ns(n)}"
            if w % 360 > e % 360:
                return None
            return text, spec | {"region": {"box": [w, e, s, n]}}
        km = int(self.rng.choice([10, 30, 80]))
        west = (-lon) % 360
        text = f"{instrument} within {km} km of lat {_ns(lat)}, lon {west:.1f}W"
        return text, spec | {"region": {"cap": [lon, lat, 0.0]}, "epsilon_deg": km * 1000 / _DEG_M}

    def _temporal(self, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        form = int(self.rng.integers(6))
        if form == 5:
            return self._by_sol(row)
        placed = self._place(row)
        if placed is None or row["ls_deg"] is None or row["mars_year"] is None:
            return None
        feature, region = placed
        name = f"{feature.name} crater" if feature.code == "AA" else feature.name
        spec: dict[str, Any] = {"region": region}
        year, ls = int(row["mars_year"]), float(row["ls_deg"])
        if form in (0, 1):
            half = "north" if self.rng.random() < 0.5 else "south"
            season = next(
                s for s, w in _SEASONS.items() if w[half][0] <= ls < w[half][1] or (ls == 360 and w[half][1] == 360)
            )
            spec["ls"] = [list(_SEASONS[season][half])]
            if form == 0:
                return f"{half}ern {season} observations of {name}", spec
            return f"What was seen at {name} in {half}ern {season} of MY {year}?", spec | {"mars_years": [year]}
        if form == 2:
            low, high = round(ls - 20) % 360, round(ls + 20) % 360
            return f"{name} between Ls {low} and Ls {high}", spec | {"ls": [[low, high]]}
        if form == 3:
            years = list(range(year, year + int(self.rng.integers(1, 4))))
            text = f"MY {years[0]}" if len(years) == 1 else f"MY {years[0]} to {years[-1]}"
            return f"changes at {name}, {text}", spec | {"mars_years": years}
        return self._by_date(row, name, spec)

    def _by_date(self, row: Mapping[str, Any], name: str, spec: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        if row["start"] is None:
            return None
        year = datetime.fromtimestamp(row["start"], UTC).year
        last = year + int(self.rng.integers(0, 3))
        begin, end = datetime(year, 1, 1, tzinfo=UTC).timestamp(), datetime(last + 1, 1, 1, tzinfo=UTC).timestamp()
        words = f"in {year}" if last == year else f"from {year} to {last}"
        return f"observations of {name} {words}", spec | {"start": begin, "stop": end}

    def _by_sol(self, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        if row["sol"] is None:
            return None
        low = max(0, int(row["sol"]) - int(self.rng.integers(5, 60)))
        high = int(row["sol"]) + int(self.rng.integers(5, 60))
        spec = {"sols": [low, high], "platforms": [row["platform"]], "instruments": [row["instrument"]]}
        return f"{row['platform']} {row['instrument']} measurements, sols {low} to {high}", spec


def _above(resolution_m: float | None) -> float | None:
    """A round bound that the record meets."""
    if resolution_m is None:
        return None
    return next((b for b in (0.5, 1, 5, 10, 20, 50, 100, 500) if resolution_m <= b), None)


def _ns(lat: float) -> str:
    return f"{abs(lat):.1f}{'N' if lat >= 0 else 'S'}"


# ---------------------------------------------------------------- methods


class Baselines:
    """Four simple retrievers over the same records and embeddings."""

    def __init__(self, retriever: Retriever) -> None:
        self.r = retriever
        self.columns = retriever.columns.get()
        lon, lat = np.radians(self.columns.lon), np.radians(self.columns.lat)
        self.u = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)

    def run(self, question: str, k: int) -> dict[str, tuple[list[str], float]]:
        """Method → (ids, seconds)."""
        t0 = time.perf_counter()
        dense = np.asarray(self.columns.vectors @ self.r.embed([question])[0], dtype=float)
        t1 = time.perf_counter()
        distance = self._distance(question)
        t2 = time.perf_counter()
        near = np.argsort(np.where(np.isfinite(distance), distance, np.inf), kind="stable")
        text = np.argsort(-dense, kind="stable")
        weighted = np.argsort(
            -(0.5 * dense + 0.5 / (1.0 + np.nan_to_num(distance, nan=1e9) / 100_000.0)), kind="stable"
        )
        union = list(dict.fromkeys(i for pair in zip(near[:k], text[:k], strict=True) for i in pair))
        ids = self.columns.ids
        return {
            "text-only dense": ([ids[i] for i in text[:k]], t1 - t0),
            "sorted by distance": ([ids[i] for i in near[:k]], t2 - t1),
            "spatial-text weighted sum": ([ids[i] for i in weighted[:k]], t2 - t0),
            "naive union": ([ids[i] for i in union[:k]], t2 - t0),
        }

    def _distance(self, question: str) -> np.ndarray:
        """Metres from each record's centre to the centre of the place asked (NaN without one)."""
        from ..planet.coordinates import to_unit
        from ..planet.geometry import centroid

        region = query_region(parse_intent(question), self.r.gazetteer)
        if not region.bounded or region.regions[0].whole:
            return np.full(len(self.columns), np.nan)
        centre = to_unit(*centroid(region.regions[0]))
        return np.asarray(np.arccos(np.clip(self.u @ centre, -1, 1)) * self.r.gazetteer.body.radius_m)


def run(
    questions: Path | None = None,
    mask: float | None = None,
    inject: float | None = None,
    ablate: str | None = None,
    home: Path | None = None,
    progress: Progress | None = None,
    n_region: int = N_REGION,
    n_temporal: int = N_TEMPORAL,
    seed: int = SEED,
    settings: Settings | None = None,
    records: int = 2000,
) -> dict[str, Any]:
    """Generate questions over an archive, answer them, score them and the baselines.

    Parameters
    ----------
    questions : a file this command wrote earlier (JSON Lines id, kind, question, spec) instead of new ones
    mask : share of records whose place names and incidence are hidden from the retriever (hyperedge masking)
    inject : share of records that get a copy with a false position and a false season (noise)
    ablate : one of `ABLATIONS`, or ``both``
    home : the managed database to use; None: a throw-away one with `records` synthetic observations

    Raises
    ------
    UsageError
        Unknown ablation, or an archive without placed observations.
    """
    if ablate in ANSWER_ABLATIONS:
        raise UsageError(
            f"--ablate {ablate} changes construction or triage, not retrieval: see  areorag eval conflict --ablate"
        )
    if ablate is not None and ablate != "both" and ablate not in ABLATIONS:
        raise UsageError(f"unknown ablation {ablate!r}: use {', '.join([*ABLATIONS, 'both'])}")
    base = settings or load_settings(**({"home": home} if home is not None else {}))
    with _graph(base, home, records) as db:
        embedder = get_embedder(base)
        archive = Archive(_rows(db, base.body))
        drawn = (
            _from_file(questions, archive) if questions else Generator(archive, seed).questions(n_region, n_temporal)
        )
        retriever = Retriever(db, base, embedder, without=ABLATIONS.get(ablate or "", ()))
        if mask or inject:
            _disturb(retriever, mask or 0.0, inject or 0.0, seed, embedder)
        return _evaluate(retriever, drawn, ablate, progress) | {
            "observations": len(archive.rows),
            "mask": mask,
            "inject": inject,
            "ablate": ablate,
            "seed": seed,
        }


@contextmanager
def _graph(settings: Settings, home: Path | None, records: int) -> Iterator[Database]:
    if home is not None or settings.neo4j_uri:
        with Database.open(settings) as db:
            yield db
        return
    from ..graph.writer import write_observations
    from ..ingest.build import RowBuilder
    from .synthetic import synthetic_archive

    with Database.temporary(settings) as db:
        rows = RowBuilder(settings, get_embedder(settings)).build(list(synthetic_archive(records)))
        write_observations(db, rows, "eval-regions")
        yield db


def _rows(db: Database, body: str) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    after = ""
    while True:
        page = db.read("region_gold_rows", after=after, limit=5000, body=body)
        out += page
        if len(page) < 5000:
            return out
        after = page[-1]["id"]


def _from_file(path: Path, archive: Archive) -> list[tuple[Question, Gold]]:
    out = []
    for line in Path(path).read_text("utf-8").splitlines():
        if line.strip():
            d = json.loads(line)
            out.append((Question(d["id"], d["kind"], d["question"], d["spec"]), archive.gold(d["spec"])))
    return [(q, g) for q, g in out if g.ids]


def _evaluate(
    retriever: Retriever, drawn: list[tuple[Question, Gold]], ablate: str | None, progress: Progress | None
) -> dict[str, Any]:
    baselines = Baselines(retriever)
    tables: dict[str, dict[str, Result]] = {}
    listed = []
    for n, (question, gold) in enumerate(drawn):
        k = max(5, min(len(gold.ids), 20)) + len(gold.doubtful)
        others = baselines.run(question.question, k)
        if ablate == "both":
            found, seconds = others["text-only dense"]
        else:
            t = time.perf_counter()
            found = retriever.retrieve(question.question, k=k).ids
            seconds = time.perf_counter() - t
        for name, (ids, spent) in {"areorag": (found, seconds), **others}.items():
            for group in (question.kind, "all"):
                tables.setdefault(name, {}).setdefault(group, Result()).add(ids, gold, spent)
        listed.append(
            {
                "id": question.id,
                "kind": question.kind,
                "question": question.question,
                "spec": dict(question.spec),
                "gold": len(gold.ids),
                "doubtful": len(gold.doubtful),
                "recall@5": round(tables["areorag"]["all"].recall[-1], 4),
                "f1": round(tables["areorag"]["all"].f1[-1], 4),
            }
        )
        if progress is not None:
            progress(n + 1, len(drawn))
    return {
        "n": len(drawn),
        "methods": {name: {g: r.summary() for g, r in groups.items()} for name, groups in tables.items()},
        "questions": listed,
    }


def _disturb(retriever: Retriever, mask: float, inject: float, seed: int, embedder: Embedder) -> None:
    """Hide place names and incidence of a share of the records; add false copies of a share. In memory only."""
    from ..retrieval.spatial import SpatialIndex
    from ..retrieval.spatial_arrays import FootprintArrays

    columns = retriever.columns.get()
    rng = np.random.default_rng(seed)
    n = len(columns)
    if mask:
        hidden = rng.random(n) < mask
        blank = np.vstack([columns.spatial, np.zeros((1, embedder.dim), dtype=np.float32)])
        vectors = columns.vectors.copy()
        vectors[hidden] = columns.semantic[columns.semantic_of[hidden]]
        columns = replace(
            columns,
            spatial=blank,
            spatial_of=np.where(hidden, len(blank) - 1, columns.spatial_of),
            vectors=vectors,
            targets=[[] if h else t for h, t in zip(hidden, columns.targets, strict=True)],
        )
    rows = retriever.db.read("spatial_all", body=retriever.settings.body)
    if inject:
        columns, false_rows = _with_copies(columns, rows, inject, rng)
        rows = rows + false_rows
    body = retriever.gazetteer.body
    index = SpatialIndex(None, body, arrays=FootprintArrays.from_rows(rows, body))
    retriever.columns.pin(columns)
    retriever.pin_spatial(columns, index)


def _with_copies(
    columns: Any, rows: list[dict[str, Any]], share: float, rng: np.random.Generator
) -> tuple[Any, list[dict[str, Any]]]:
    """Copies with mirrored longitude and a season half a year off; text and all else as the original."""
    at = np.flatnonzero(rng.random(len(columns)) < share)
    where = {r["id"]: r for r in rows}
    ids = [f"{columns.ids[i]}~false" for i in at]
    false_rows = []
    for i, id_ in zip(at, ids, strict=True):
        lon, lat = columns.lon[i], columns.lat[i]
        if np.isfinite(lon) and columns.ids[i] in where:
            false_rows.append({"id": id_, "footprint": None, "lon": float(-lon), "lat": float(lat)})
    every = np.concatenate([np.arange(len(columns)), at])
    out = columns.take(every, columns.ids + ids)
    half = np.arange(len(columns), len(every))
    out.lon[half] = -out.lon[half]
    out.ls_deg[half] = np.mod(out.ls_deg[half] + 180.0, 360.0)
    return out, false_rows


__all__ = ["ABLATIONS", "Baselines", "Generator", "Question", "run"]
