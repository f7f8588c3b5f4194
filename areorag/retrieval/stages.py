"""One question on its way through the stages of retrieval (AreoRAG §III-C; Spatial-RAG §4; GeoRAG for the last step).

Each stage is counted and timed, and can be left out (`Retriever.without`) for ablation; exclusions are enforced whatever is
left out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .columns import Columns
from .expansion import Expansion, Search, expand, topic_entities
from .filters import Constraint, constraints
from .intent.model import SpatialIntent
from .intent.resolve import QueryRegion, query_region, region_summary
from .model import Evidence, Nearest, Retrieval
from .order import in_order
from .ranking import Ranked, RegionVector, rank, region_vector
from .reporting import empty_message, explain_candidates, explain_outside, relaxations
from .tradeoff import model_weights

if TYPE_CHECKING:
    from ..planet.gazetteer import Gazetteer
    from .engine import Retriever

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

FARTHEST_M = 2.1e7
"""Half the circumference of the largest body: a reach beyond which there is nothing more, metres."""


class _Clock:
    def __init__(self, seconds: dict[str, float], name: str) -> None:
        self.seconds, self.name = seconds, name

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *exc: object) -> None:
        self.seconds[self.name] = self.seconds.get(self.name, 0.0) + time.perf_counter() - self.start


class Run:
    """One question on its way through the stages."""

    def __init__(self, retriever: Retriever, k: int, selector: str, explain: bool) -> None:
        self.r, self.k, self.selector, self.explain = retriever, k, selector, explain
        self.seconds: dict[str, float] = {}

    def clock(self, name: str) -> _Clock:
        return _Clock(self.seconds, name)

    def go(self, intent: SpatialIntent) -> Retrieval:
        r = self.r
        out = Retrieval(intent, seconds=self.seconds, selector=self.selector)
        with self.clock("columns"):
            columns = r.columns.get()
        out.counts.append(("hyperedges", len(columns)))
        with self.clock("spatial"):
            region = query_region(intent, r.gazetteer)
            out.region = region
        with self.clock("constraints"):
            tests = constraints(intent, columns) + self._excluded_places(region, columns)
            tests += _not_itself(intent, region, columns)
        with self.clock("spatial"):
            rows, distance, epsilon = self._places(region, columns)
            if intent.order == "closest" and intent.distance_m is None and (epsilon or intent.geometry):
                rows, distance, epsilon = self._farther(region, columns, tests, rows, distance, epsilon)
        out.trace["region"] = region_summary(region, epsilon)
        if region.bounded:
            out.counts.append(("in place", len(rows)))
        keep = np.ones(len(rows), dtype=bool)
        for test in tests:
            keep &= test.mask[rows]
        candidates, d = rows[keep], distance[keep]
        out.counts.append(("on topic", len(candidates)))
        if len(candidates) == 0:
            self._nothing(out, columns, region, rows, tests)
            return out
        with self.clock("scores"):
            ranked = rank(
                intent,
                columns,
                candidates,
                d,
                epsilon,
                region.bounded,
                r.embed,
                lambda_spatial=r.settings.lambda_spatial,
                pool=r.settings.pool,
                without=r.without,
            )
            ranked = self._weigh(intent, columns, ranked)
        out.counts.append(("on the Pareto front", int(np.sum(ranked.layer == 0))))
        out.lambdas = ranked.weights.as_dict()
        out.trace["lambda"] = ranked.weights.source
        expansion = self._expansion(intent, columns, ranked, out)
        self._finish(ranked, columns, expansion, out)
        with self.clock("select"):
            chosen = self._select(intent, columns, ranked, out)
        out.ids = [columns.ids[ranked.rows[i]] for i in chosen]
        with self.clock("fetch"):
            out.evidence = self._evidence(columns, ranked, chosen, expansion)
        out.counts.append(("kept", len(out.evidence)))
        if self.explain:
            out.explanation = explain_candidates(
                columns, rows, distance, tests, ranked, [e.id for e in out.evidence], region
            ) + explain_outside(columns, region, tests, rows, r.spatial(columns))
        return out

    # ------------------------------------------------------------ stages
    def _weigh(self, intent: SpatialIntent, columns: Columns, ranked: Ranked) -> Ranked:
        """λ by the model where one is configured and both place and topic were asked."""
        chat = self.r.chat
        if chat is None or not 0 < ranked.weights.spatial < 1:
            return ranked
        front = [i for i in ranked.order if ranked.layer[i] == 0]
        shown = [
            (float(ranked.scores["f_s"][i]), float(ranked.scores["f_k"][i]), columns.texts[ranked.rows[i]])
            for i in front
        ]
        ranked.weigh(model_weights(chat, intent.question, shown, ranked.weights), columns.id_rank)
        return ranked

    def _places(self, region: QueryRegion, columns: Columns) -> tuple[IntArray, FloatArray, float]:
        """C_s: rows in place, their distances (0 inside) and ε; all rows where no place was asked."""
        if not region.bounded:
            return np.arange(len(columns)), np.zeros(len(columns)), 0.0
        if "sparse" in self.r.without:
            return np.arange(len(columns)), np.full(len(columns), np.nan), 0.0
        found = self.r.spatial(columns).candidates(region.regions, region.epsilon_m, region.relation, explain=False)
        rows = np.array([columns.row_of.get(i, -1) for i in found.ids], dtype=np.int64)
        known = rows >= 0
        rows, distance = rows[known], np.asarray(found.distance_m, dtype=np.float64)[known]
        order = np.argsort(rows, kind="stable")
        return rows[order], distance[order], float(found.epsilon_m)

    def _farther(
        self,
        region: QueryRegion,
        columns: Columns,
        tests: list[Constraint],
        rows: IntArray,
        distance: FloatArray,
        epsilon: float,
    ) -> tuple[IntArray, FloatArray, float]:
        """The place with a wider reach, until k records meet the constraints or the whole body is searched."""
        allowed = np.all([test.mask for test in tests], axis=0) if tests else np.ones(len(columns), dtype=bool)
        while region.bounded and epsilon < FARTHEST_M and int(allowed[rows].sum()) < self.k:
            region.epsilon_m = min(max(4.0 * epsilon, 1000.0), FARTHEST_M)
            rows, distance, epsilon = self._places(region, columns)
        return rows, distance, epsilon

    def _excluded_places(self, region: QueryRegion, columns: Columns) -> list[Constraint]:
        """Records centred in an excluded place are out."""
        if not region.excluded:
            return []
        from ..planet.geometry import covers_point

        gone = np.zeros(len(columns), dtype=bool)
        for place in region.excluded:
            found = self.r.spatial(columns).candidates(place, 0.0, "intersects", explain=False)
            for id_ in found.ids:
                row = columns.row_of.get(id_)
                if row is not None and np.isfinite(columns.lon[row]):
                    gone[row] |= covers_point(place, float(columns.lon[row]), float(columns.lat[row]))
        return [Constraint("not place", "outside the excluded places", ~gone)]

    def _expansion(self, intent: SpatialIntent, columns: Columns, ranked: Ranked, out: Retrieval) -> Expansion:
        r, s = self.r, self.r.settings
        if "plausibility" in r.without or "expansion" in r.without:
            return Expansion()
        seeds = topic_entities(intent, [f.name for f in out.region.features] if out.region else ())
        pool = [columns.ids[i] for i in ranked.rows[ranked.order[: s.pool]]]
        places = _Coordinates(columns, r.gazetteer, s.ell_max_m)
        search = Search(s.tau0, s.tau_decay, s.min_triples, s.max_depth)
        with self.clock("expansion"):
            found = expand(
                r.db,
                seeds,
                pool,
                ranked.question,
                entity_vectors=r.embed,
                edge_vector=columns.edge_vector,
                coordinates=places,
                model=r.model,
                search=search,
                K=s.curvature,
            )
        out.trace["expansion"] = {
            "seeds": found.seeds,
            "steps": found.steps,
            "thresholds": found.thresholds,
            "triples": len(found.triples),
            "model": r.model.name,
        }
        ranked_facts = sorted(
            ((i, s) for i, s in found.plausibility.items() if i in columns.facts), key=lambda p: (-p[1], p[0])
        )
        out.facts = [(i, s, tuple(str(t) for t in found.paths.get(i, ()))) for i, s in ranked_facts[:20]]
        return found

    def _finish(self, ranked: Ranked, columns: Columns, expansion: Expansion, out: Retrieval) -> None:
        """Plausibility, OEM and feedback into the final score."""
        r = self.r
        with self.clock("oem"):
            plausible = np.array([expansion.plausibility.get(columns.ids[i], 0.0) for i in ranked.rows])
            ranked.add("plausibility", plausible)
            vector: RegionVector | None = None
            if "oem" not in r.without:
                vector = region_vector(columns, ranked, r.settings.curvature, r.settings.oem_power, without=r.without)
                if vector is not None:
                    ranked.add("oem", vector.nearness)
                    out.trace["oem"] = vector.as_dict()
            prior = r.feedback(r.columns.stamp)
            if prior.spots:
                ranked.add("prior", prior.prior(columns.direction[ranked.rows]))
                out.trace["feedback"] = {"conflicts": len(prior.spots)}
            ranked.sort(columns.id_rank)

    def _select(self, intent: SpatialIntent, columns: Columns, ranked: Ranked, out: Retrieval) -> list[int]:
        """Positions in `ranked` of the kept candidates: in the order asked for, or chosen by the selector."""
        if intent.order is not None:
            out.selector = f"order: {intent.order} first"
            return [int(i) for i in in_order(intent.order, columns, ranked)[: self.k]]
        top = ranked.order[: self.r.settings.pool]
        if "coverage" in self.r.without or self.selector == "topk" or len(top) <= self.k:
            return [int(i) for i in top[: self.k]]
        from .selection import Candidate, select

        items = [
            Candidate(
                id=columns.ids[ranked.rows[i]],
                text=columns.texts[ranked.rows[i]],
                score=float(ranked.total[i]),
                vector=columns.vectors[ranked.rows[i]],
                entities=tuple(columns.targets[ranked.rows[i]]),
            )
            for i in top
        ]
        chosen = select(
            intent.question or "everything",
            items,
            k=self.k,
            selector=self.selector,
            embedder=_Warm(self.r),
            query_vector=ranked.question,
        )
        place = {columns.ids[ranked.rows[i]]: int(i) for i in top}
        if chosen.demands:
            total = sum(x.weight for x in chosen.demands)
            out.coverage = sum(x.weight for x in chosen.demands if x.covered) / total if total > 0 else None
        return [place[i] for i in chosen.ids]

    def _evidence(self, columns: Columns, ranked: Ranked, chosen: list[int], expansion: Expansion) -> list[Evidence]:
        from ..graph.reader import observations

        ids = [columns.ids[ranked.rows[i]] for i in chosen]
        records = {o.id: o for o in observations(self.r.db, ids)}
        out = []
        for i, id_ in zip(chosen, ids, strict=True):
            record = records.get(id_)
            if record is None:
                continue  # forgotten since the columns were loaded
            path = tuple(str(t) for t in expansion.paths.get(id_, ()))
            out.append(Evidence(id_, float(ranked.total[i]), ranked.scores_of(i), record.text, record, path))
        return out

    def _nothing(
        self,
        out: Retrieval,
        columns: Columns,
        region: QueryRegion,
        rows: npt.NDArray[np.int64],
        tests: list[Constraint],
    ) -> None:
        """Nothing meets all constraints: what was understood, what is near, what to relax."""
        from .reporting import nearest_records

        index = self.r.spatial(columns)
        out.relax = relaxations(rows, tests, region)
        out.nearest = [Nearest(*n) for n in nearest_records(columns, region, tests, index)]
        out.message = empty_message(out.intent, region, out.nearest, out.relax, len(columns))
        out.counts.append(("kept", 0))
        if self.explain:
            out.explanation = explain_candidates(columns, rows, np.zeros(len(rows)), tests, None, [], region)
            out.explanation += explain_outside(columns, region, tests, rows, index)


def _not_itself(intent: SpatialIntent, region: QueryRegion, columns: Columns) -> list[Constraint]:
    """A record that is only the reference place is out: "near the hotel" does not ask for the hotel (G_r, G_t).

    Such a record is no observation of an instrument and has the place's name as its one target.
    """
    if not region.bounded or intent.relation not in (
        "near",
        "along",
        "between",
        "north_of",
        "south_of",
        "east_of",
        "west_of",
    ):
        return []
    names = {f.name for f in region.features}
    unmeasured = columns.coded["instrument"].codes < 0
    itself = np.zeros(len(columns), dtype=bool)
    for row in np.flatnonzero(unmeasured):
        itself[row] = len(columns.targets[row]) == 1 and columns.targets[row][0] in names
    return [Constraint("not reference", "another than the place itself", ~itself)] if itself.any() else []


class _Warm:
    """The retriever's in-memory embeddings behind the embedder's protocol."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dim) unit vectors."""
        return self._retriever.embed(texts)


class _Coordinates:
    """(ρ, u) of a hyperedge by id, of a named feature by its position and size."""

    def __init__(self, columns: Columns, gazetteer: Gazetteer, ell_max_m: float | None) -> None:
        self.columns, self.gazetteer = columns, gazetteer
        self.ell_max = ell_max_m or gazetteer.body.radius_m
        self._known: dict[str, tuple[float, npt.NDArray[np.float64]] | None] = {}

    def __call__(self, name: str) -> tuple[float, npt.NDArray[np.float64]] | None:
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> tuple[float, npt.NDArray[np.float64]] | None:
        row = self.columns.row_of.get(name)
        if row is not None:
            rho = float(self.columns.rho[row])
            return (rho, self.columns.direction[row]) if np.isfinite(rho) else None
        from ..planet.coordinates import to_unit

        feature = self.gazetteer.find(name)
        if feature is None:
            return None
        size = max(1.0, 2.0 * feature.radius_m)
        return max(0.0, float(np.log(self.ell_max / size))), np.asarray(to_unit(feature.lon, feature.lat))
