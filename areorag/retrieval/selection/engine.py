"""`select`: one signature for every selector (GeoRAG §2.B, stages 1 and 6 around the selectors)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...errors import EmptyQuestionError, SelectionError, UnknownNameError
from . import baselines
from .baselines import Reranker
from .coverage import DemandModel, demand_report, first_round_hops, greedy_cover, model_demand
from .objective import lazy_greedy
from .subqueries import Generator, SubQuery, generated, own_parts
from .types import SELECTORS, Candidate, Kept, Options, Selection, as_candidates

if TYPE_CHECKING:
    from ..passages import PassageIndex


class Embeds(Protocol):
    """The part of an embedder that selection uses."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Texts → (n, d) unit vectors."""


@dataclass
class _Problem:
    """A question over a pool, ready for any selector."""

    question: str
    pool: list[Candidate]
    vectors: np.ndarray
    query: np.ndarray
    prior: np.ndarray
    k: int
    options: Options
    parts: Callable[[], tuple[list[SubQuery], np.ndarray]]
    reranker: Reranker | None
    notes: list[str]
    expand: bool = False
    given: bool = False
    _similarity: np.ndarray | None = None
    _model: DemandModel | None = None

    @property
    def similarity(self) -> np.ndarray:
        """(n, n) cosines within the pool."""
        if self._similarity is None:
            self._similarity = self.vectors @ self.vectors.T
        return self._similarity

    @property
    def model(self) -> DemandModel:
        """P_Q and the sub-queries behind it."""
        if self._model is None:
            parts, vectors = self.parts()
            hops = None
            if self.expand:
                hops = first_round_hops(self.pool, self.prior, self.vectors, self.query, self.options)
            self._model = model_demand(
                self.prior,
                self.vectors,
                self.query,
                [p.text for p in parts],
                [p.kind for p in parts],
                vectors,
                self.options,
                hops,
            )
        return self._model


def select(
    question: str,
    items: Sequence[Any] = (),
    *,
    k: int = 5,
    selector: str = "coverage",
    embedder: Embeds | None = None,
    query_vector: np.ndarray | None = None,
    sub_queries: Sequence[str] | None = None,
    generator: Generator | None = None,
    reranker: Reranker | None = None,
    index: PassageIndex | None = None,
    options: Options | None = None,
) -> Selection:
    """Keep the k items that together serve `question` best.

    Parameters
    ----------
    items : the candidates, best first: `Candidate`, text, (id, text[, score]), mappings or objects with id and text
        (title, score, vector, entities where they have them). Only the first `options.pool` are used. May be left out
        when `index` is given: then its own first round gives them.
    k : how many to keep; with fewer candidates all are kept
    selector : coverage, facility, topk, mmr, dpp, rrf, rerank or graph
    embedder : for what comes without a vector; default the one that the settings name
    query_vector : (d,) of the question, where it is known
    sub_queries, generator : sub-queries, or a language model that writes them; default the question's own parts
    reranker : (question, texts) → scores, a cross-encoder, for ``rerank``; default the one that the settings name
    index : a corpus; ``graph`` searches it whole (without one it builds an index over `items`)

    Returns
    -------
    Selection: kept items in order with the demand each covers, the demands left uncovered, notes on odd input. The
    result is a function of the arguments (no randomness); an empty pool gives an empty selection.

    Raises
    ------
    EmptyQuestionError
        The question has no words.
    UnknownNameError
        There is no such selector.
    SelectionError
        k < 1, vectors of different lengths, a question vector without direction, or no candidate with a usable vector.

    Examples
    --------
    >>> import numpy as np
    >>> pool = [Candidate("a", "ice", vector=np.array([1.0, 0.0])), Candidate("b", "dust", vector=np.array([0.0, 1.0]))]
    >>> select("ice?", pool, k=1, selector="topk", query_vector=np.array([1.0, 0.1])).ids
    ['a']
    """
    options = options or Options()
    if not question or not question.strip():
        raise EmptyQuestionError("the question is empty. Ask with at least one word")
    if selector not in SELECTORS:
        raise UnknownNameError(f"unknown selector {selector!r}: use one of {', '.join(SELECTORS)}")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise SelectionError(f"k is {k!r}; it must be a whole number of at least 1")
    if selector == "graph":
        return _select_graph(question, items, int(k), index, embedder, query_vector)
    if not len(items) and index is not None:
        items = index.pool(question, options.pool, vector=query_vector)
        embedder = embedder or index.embedder
    pool, notes = as_candidates(items)
    if not pool:
        return Selection(selector, (), notes=("the pool is empty", *notes))
    if len(pool) > options.pool:
        notes.append(f"only the first {options.pool} of {len(pool)} candidates were considered")
        pool = pool[: options.pool]
    if k > len(pool):
        notes.append(f"{k} items were asked for, the pool has {len(pool)}")
    lazy = _Lazy(embedder)
    vectors = _vectors(pool, lazy, notes)
    query = _query(question, query_vector, lazy, vectors.shape[1])
    problem = _Problem(
        question=question,
        pool=pool,
        vectors=vectors,
        query=query,
        prior=_prior(pool, vectors @ query),
        k=min(int(k), len(pool)),
        options=options,
        parts=lambda: _parts(question, sub_queries, generator, lazy, vectors, query, options),
        reranker=reranker,
        notes=notes,
        given=sub_queries is not None or generator is not None,
        expand=selector == "coverage" if options.expand is None else options.expand,
    )
    return _RUN[selector](problem)


class _Lazy:
    """An embedder that is looked up only when something has to be embedded."""

    def __init__(self, embedder: Embeds | None) -> None:
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if self._embedder is None:
            from ...llm.embed import get_embedder
            from ...settings import load_settings

            self._embedder = get_embedder(load_settings())
        return np.asarray(self._embedder.embed(list(texts)), float)


def _vectors(pool: Sequence[Candidate], embedder: _Lazy, notes: list[str]) -> np.ndarray:
    """(n, d) unit vectors of the pool; a vector without direction becomes a zero row, with a note."""
    missing = [i for i, c in enumerate(pool) if c.vector is None]
    computed = embedder.embed([pool[i].full_text for i in missing]) if missing else np.zeros((0, 0))
    rows: list[np.ndarray] = [
        np.asarray(c.vector, float).ravel() if c.vector is not None else np.zeros(0) for c in pool
    ]
    for at, i in enumerate(missing):
        rows[i] = computed[at]
    lengths = {r.size for r in rows}
    if len(lengths) != 1 or 0 in lengths:
        raise SelectionError(f"candidates have vectors of different lengths ({sorted(lengths)}); use one embedder")
    x = np.stack(rows)
    norm = np.linalg.norm(np.where(np.isfinite(x), x, 0.0), axis=1)
    usable = np.isfinite(x).all(axis=1) & (norm > 1e-12)
    if not usable.any():
        raise SelectionError("no candidate has a usable vector (all are zero or not finite)")
    if not usable.all():
        bad = [pool[i].id for i in np.flatnonzero(~usable)[:5]]
        notes.append(f"{int((~usable).sum())} candidates have a zero or non-finite vector ({', '.join(bad)})")
    return np.where(usable[:, None], np.where(np.isfinite(x), x, 0.0) / np.maximum(norm, 1e-12)[:, None], 0.0)


def _query(question: str, vector: np.ndarray | None, embedder: _Lazy, d: int) -> np.ndarray:
    q = np.asarray(vector if vector is not None else embedder.embed([question])[0], float).ravel()
    norm = float(np.linalg.norm(q)) if np.isfinite(q).all() else 0.0
    if q.size != d:
        raise SelectionError(f"the question's vector has {q.size} numbers, the candidates' have {d}; use one embedder")
    if not norm > 1e-12:
        raise SelectionError("the question's vector is zero or not finite")
    return q / norm


def _prior(pool: Sequence[Candidate], cosine: np.ndarray) -> np.ndarray:
    """The retriever's own scores where every candidate has one, else cosine with the question (n,)."""
    if all(c.score is not None for c in pool):
        return np.array([c.score for c in pool], float)
    return cosine


def _parts(
    question: str,
    given: Sequence[str] | None,
    generator: Generator | None,
    embedder: _Lazy,
    vectors: np.ndarray,
    query: np.ndarray,
    options: Options,
) -> tuple[list[SubQuery], np.ndarray]:
    """Sub-queries and their unit vectors; those that embed to nothing are dropped, the question itself stands in."""
    n = options.sub_queries
    if given is not None:
        parts = [SubQuery(t.strip(), "given") for t in dict.fromkeys(given) if t and t.strip()][:n]
    elif generator is not None:
        parts = generated(question, n, generator)
    else:
        parts = own_parts(question, n)
    if not parts:
        return [SubQuery(question, "question")], query[None, :]
    x = embedder.embed([p.text for p in parts])
    if x.shape[1] != vectors.shape[1]:
        raise SelectionError(f"sub-queries have vectors of {x.shape[1]} numbers, candidates of {vectors.shape[1]}")
    norm = np.linalg.norm(np.where(np.isfinite(x), x, 0.0), axis=1)
    ok = np.isfinite(x).all(axis=1) & (norm > 1e-12)
    if not ok.any():
        return [SubQuery(question, "question")], query[None, :]
    return [p for p, good in zip(parts, ok, strict=True) if good], x[ok] / norm[ok][:, None]


def _finish(p: _Problem, name: str, chosen: list[int], gains: Sequence[float], **trace: Any) -> Selection:
    demands, covers = demand_report(p.model, chosen, [c.id for c in p.pool], p.options)
    kept = tuple(
        Kept(p.pool[i].id, i, p.pool[i].text, float(p.prior[i]), float(g), c)
        for i, g, c in zip(chosen, gains, covers, strict=True)
    )
    return Selection(name, kept, demands, tuple(p.notes), trace)


def _plain(p: _Problem, name: str, chosen: list[int], scores: np.ndarray) -> Selection:
    """A baseline's result, without sub-queries (they cost an embedding each and it does not use them)."""
    kept = tuple(Kept(p.pool[i].id, i, p.pool[i].text, float(p.prior[i]), float(scores[i])) for i in chosen)
    return Selection(name, kept, (), tuple(p.notes))


def _unit_scores(scores: np.ndarray) -> np.ndarray:
    """Scores on [0, 1]: MMR and DPP weigh them against cosines, whatever scale a retriever uses."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def _coverage(p: _Problem) -> Selection:
    chosen, scores, distances = greedy_cover(p.model.weights, p.similarity, p.k, p.options, p.prior)
    return _finish(p, "coverage", chosen, scores, distance=distances)


def _facility(p: _Problem) -> Selection:
    chosen, gains = lazy_greedy(p.model.weights, p.similarity, p.k)
    return _finish(p, "facility", chosen, gains, value=float(np.sum(gains)))


def _topk(p: _Problem) -> Selection:
    return _plain(p, "topk", baselines.top_k(p.prior, p.k), p.prior)


def _mmr(p: _Problem) -> Selection:
    scores = _own_scale(p)
    return _plain(p, "mmr", baselines.mmr(scores, p.similarity, p.k, lam=p.options.mmr_lambda), scores)


def _dpp(p: _Problem) -> Selection:
    scores = _own_scale(p)
    return _plain(p, "dpp", baselines.dpp(scores, p.similarity, p.k), scores)


def _own_scale(p: _Problem) -> np.ndarray:
    """Cosines stay as they are (the baselines' own form); a foreign scale is brought to [0, 1]."""
    inside = float(p.prior.min()) >= -1.0 and float(p.prior.max()) <= 1.5
    return p.prior if inside else _unit_scores(p.prior)


def _rrf(p: _Problem) -> Selection:
    """Fuses the retriever's ranking, the cosine and BM25 within the pool, and the rankings of sub-queries given to it.

    The question's own parts are not fused: each would count as much as the question, and measured it is worse by ten
    points.
    """
    from .bm25 import BM25

    lexical = BM25([c.full_text for c in p.pool]).scores(p.question)
    rankings = [baselines.order(p.prior), baselines.order(p.vectors @ p.query)]
    if lexical.any():
        rankings.append(baselines.order(lexical)[: int((lexical > 0).sum())])
    if p.given:
        rankings.extend(baselines.order(row) for row in p.model.similarity)
    fused = baselines.reciprocal_rank_fusion(rankings, len(p.pool), constant=p.options.rrf_k)
    return _plain(p, "rrf", baselines.top_k(fused, p.k), fused)


def _rerank(p: _Problem) -> Selection:
    reranker = p.reranker
    if reranker is None:
        from ...settings import load_settings

        reranker = baselines.configured_reranker(load_settings().reranker)
    scores = baselines.rerank(p.question, [c.full_text for c in p.pool], reranker)
    return _plain(p, "rerank", baselines.top_k(scores, p.k), scores)


_RUN: dict[str, Callable[[_Problem], Selection]] = {
    "coverage": _coverage,
    "facility": _facility,
    "topk": _topk,
    "mmr": _mmr,
    "dpp": _dpp,
    "rrf": _rrf,
    "rerank": _rerank,
}


def _select_graph(
    question: str,
    items: Sequence[Any],
    k: int,
    index: PassageIndex | None,
    embedder: Embeds | None,
    query_vector: np.ndarray | None,
) -> Selection:
    """Expansion over the corpus (or over the items), then coverage of every hop, with each item's reason."""
    from ..passages import PassageIndex
    from .graph import cover_hops

    notes: list[str] = []
    if index is None:
        pool, notes = as_candidates(items)
        if not pool:
            return Selection("graph", (), notes=("the pool is empty", *notes))
        lazy = _Lazy(embedder)
        vectors = _vectors(pool, lazy, notes).astype(np.float32)
        index = PassageIndex.build(pool, lazy, vectors=vectors)
    if k > len(index.items):
        notes.append(f"{k} items were asked for, the pool has {len(index.items)}")
    vector = None if query_vector is None else _query(question, query_vector, _Lazy(None), index.vectors.shape[1])
    chain = index.chain(question, vector=vector)
    chosen = cover_hops(chain, k, index.same)
    titles = [c.title or c.id for c in index.items]
    kept = []
    for i in chosen:
        covers = []
        if chain.named[i] > 0:
            covers.append(f"named in the question: {titles[i]}")
        if chain.origin[i] >= 0:
            covers.append(f"next hop from {titles[int(chain.origin[i])]}")
        c = index.items[i]
        kept.append(Kept(c.id, i, c.text, float(chain.score[i]), float(chain.score[i] - chain.base[i]), tuple(covers)))
    return Selection("graph", tuple(kept), _hop_demands(chain, chosen, titles, index), tuple(notes))


def _hop_demands(chain: Any, chosen: Sequence[int], titles: Sequence[str], index: PassageIndex) -> tuple[Any, ...]:
    """The demands of the hops: every name in the question, and the branch of every seed that was kept."""
    from .types import Demand

    out = []
    have = set(chosen)
    for i in np.flatnonzero(chain.named > 0).tolist():
        kept = index.items[i].id if i in have else None
        out.append(Demand(titles[i], "name", float(chain.named[i]), 1.0, 1.0 if kept else 0.0, kept))
    for seed, (targets, gains) in chain.branches.items():
        if seed not in have:
            continue
        served = [int(t) for t in targets[np.argsort(-gains, kind="stable")] if int(t) in have]
        best = float(gains.max())
        reached = float(gains[np.flatnonzero(targets == served[0])[0]]) if served else 0.0
        by = index.items[served[0]].id if served else None
        out.append(Demand(f"what {titles[seed]} leads to", "hop", best, best, reached, by))
    return tuple(out)
