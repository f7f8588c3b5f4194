"""Four simple retrievers beside ours: text alone, distance alone, a weighted sum, and the union of the first two."""

from __future__ import annotations

import time

import numpy as np

from ..planet.coordinates import to_unit
from ..planet.geometry import centroid
from ..retrieval.engine import Retriever
from ..retrieval.intent import parse_intent
from ..retrieval.intent.resolve import query_region

NAMES = ("text-only dense", "sorted by distance", "spatial-text weighted sum", "naive union")


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
        region = query_region(parse_intent(question), self.r.gazetteer)
        if not region.bounded or region.regions[0].whole:
            return np.full(len(self.columns), np.nan)
        centre = to_unit(*centroid(region.regions[0]))
        return np.asarray(np.arccos(np.clip(self.u @ centre, -1, 1)) * self.r.gazetteer.body.radius_m)
