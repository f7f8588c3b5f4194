"""What retrieval keeps in memory of the graph: one array per property, loaded once per state of the graph.

The embedding space of HySH (ρ, u) and the scalars that semantic constraints test (AreoRAG §III-C) are read by id in
pages; text vectors come from the graph and are kept on disk by content hash, so that only what changed is fetched
again. Distances and footprints are never decided here: those come from the database (`spatial`).
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..planet.lexicon import fold, get_lexicon
from .dense import semantic_text, spatial_text
from .order import id_ranks

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..llm.embed import Embedder
    from ..settings import Settings

log = logging.getLogger(__name__)
PAGE = 5000
_CODED = ("kind", "body", "platform", "instrument", "institution", "level")

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass
class Coded:
    """A text column as codes into its vocabulary; -1 is unknown."""

    codes: npt.NDArray[np.int32]
    names: list[str]

    def value(self, row: int) -> str | None:
        """The text of a row."""
        code = int(self.codes[row])
        return self.names[code] if code >= 0 else None

    def is_in(self, wanted: set[str]) -> npt.NDArray[np.bool_]:
        """(n,) whether the row's value is one of `wanted` (exact names)."""
        hit = np.array([name in wanted for name in self.names] + [False], dtype=bool)
        return np.asarray(hit[self.codes])


@dataclass(frozen=True)
class FactRow:
    """A fact stated by a text: what it says, its embedding (d,), how sure."""

    text: str
    vector: npt.NDArray[np.float32]
    confidence: float


@dataclass
class Columns:
    """n observations, rows sorted by id.

    Attributes
    ----------
    ids : n ids; `row_of` maps back
    coded : kind, body, platform, instrument, institution, level
    resolution_m, start, stop, ls_deg, mars_year, sol, confidence, lon, lat : (n,) NaN where unknown; times in unix s
    rho, direction : (n,), (n, d) coordinates of H^d, NaN where not placed
    texts, targets, hashes : n each
    vectors : (n, dim) float32 text embeddings, unit length (zero rows where there is none)
    semantic, spatial : unique masked texts embedded, (m, dim), with the row's index into them (n,)
    semantic_texts : the m masked texts, lower case
    facts : text hyperedges by id
    topic_rows : canonical name of a property or value → rows that make a claim on it
    """

    ids: list[str]
    coded: dict[str, Coded]
    resolution_m: FloatArray
    start: FloatArray
    stop: FloatArray
    ls_deg: FloatArray
    mars_year: FloatArray
    sol: FloatArray
    confidence: FloatArray
    lon: FloatArray
    lat: FloatArray
    rho: FloatArray
    direction: FloatArray
    texts: list[str]
    targets: list[list[str]]
    hashes: list[str]
    vectors: npt.NDArray[np.float32]
    semantic: npt.NDArray[np.float32]
    semantic_of: IntArray
    spatial: npt.NDArray[np.float32]
    spatial_of: IntArray
    semantic_texts: list[str] = field(default_factory=list)
    row_of: dict[str, int] = field(default_factory=dict)
    topic_rows: dict[str, IntArray] = field(default_factory=dict)
    facts: dict[str, FactRow] = field(default_factory=dict)
    version: str = ""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def id_rank(self) -> IntArray:
        """(n,) place of each row's id among all ids in order: ties are broken by id."""
        return id_ranks(self.ids)

    def mentions(self, words: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(n,) whether a record's masked text holds one of some words (lower case)."""
        key = tuple(words)
        known = self._mentions.get(key)
        if known is None:
            if len(self._mentions) >= 256:
                self._mentions.clear()
            known = np.array([any(w in text for w in key) for text in self.semantic_texts], dtype=bool)
            self._mentions[key] = known
        return np.asarray(known[self.semantic_of])

    @cached_property
    def _mentions(self) -> dict[tuple[str, ...], npt.NDArray[np.bool_]]:
        return {}

    def edge_vector(self, name: str) -> npt.NDArray[np.float32] | None:
        """Text embedding of a hyperedge (observation or fact), or None."""
        row = self.row_of.get(name)
        if row is not None:
            return np.asarray(self.vectors[row])
        fact = self.facts.get(name)
        return fact.vector if fact is not None else None

    def take(self, rows: IntArray, ids: Sequence[str]) -> Columns:
        """The given rows under the given ids (an evaluation's altered copy); every array is a copy."""
        return Columns(
            ids=list(ids),
            coded={k: Coded(c.codes[rows], c.names) for k, c in self.coded.items()},
            resolution_m=self.resolution_m[rows],
            start=self.start[rows],
            stop=self.stop[rows],
            ls_deg=self.ls_deg[rows],
            mars_year=self.mars_year[rows],
            sol=self.sol[rows],
            confidence=self.confidence[rows],
            lon=self.lon[rows],
            lat=self.lat[rows],
            rho=self.rho[rows],
            direction=self.direction[rows],
            texts=[self.texts[i] for i in rows],
            targets=[self.targets[i] for i in rows],
            hashes=[self.hashes[i] for i in rows],
            vectors=self.vectors[rows],
            semantic=self.semantic,
            semantic_of=self.semantic_of[rows],
            semantic_texts=self.semantic_texts,
            spatial=self.spatial,
            spatial_of=self.spatial_of[rows],
            row_of={name: i for i, name in enumerate(ids)},
            facts=self.facts,
            version=f"{self.version} altered",
        )

    def rows(self, ids: Sequence[str]) -> IntArray:
        """Row numbers of ids that are here, in their order."""
        return np.array([self.row_of[i] for i in ids if i in self.row_of], dtype=np.int64)


class ColumnStore:
    """The columns of one database, loaded on first use and again after the graph's content changed."""

    def __init__(self, db: Database, settings: Settings, embedder: Embedder) -> None:
        self.db, self.settings, self.embedder = db, settings, embedder
        self._lock = threading.Lock()
        self._columns: Columns | None = None
        self._version = ""
        self._stamp = ""
        self._pinned: Columns | None = None

    def pin(self, columns: Columns) -> None:
        """Use these columns whatever the graph holds (evaluations alter a copy, never the graph)."""
        self._pinned = columns

    def get(self) -> Columns:
        """Columns of the graph as it is now."""
        if self._pinned is not None:
            return self._pinned
        version = self.db.version()
        with self._lock:
            if self._columns is not None and version == self._version:
                return self._columns
            stamp = repr(self.db.read("retrieval_stamp")[0])
            if self._columns is None or stamp != self._stamp:
                self._columns = self._from_disk(stamp) or self._load(stamp)
                self._stamp = stamp
            self._version = version
            return self._columns

    @property
    def stamp(self) -> str:
        """State of the content the columns were loaded from."""
        return self._stamp

    def refresh(self) -> None:
        """Load again at the next question (after edits of the graph by hand)."""
        with self._lock:
            self._columns, self._version, self._stamp = None, "", ""

    # ------------------------------------------------------------ loading
    def _from_disk(self, stamp: str) -> Columns | None:
        from . import column_cache

        return column_cache.read(self._disk_path("columns"), stamp)

    def _load(self, stamp: str) -> Columns:
        rows: list[dict[str, Any]] = []
        after = ""
        while True:
            page = self.db.read("retrieval_columns", after=after, limit=PAGE)
            rows += page
            if len(page) < PAGE:
                break
            after = page[-1]["id"]
        columns = build_columns(rows, self._vectors(rows), self.embedder, stamp)
        columns.topic_rows = self._topics(columns)
        columns.facts = self._facts()
        from . import column_cache

        column_cache.write(self._disk_path("columns"), columns, stamp)
        return columns

    def _facts(self) -> dict[str, FactRow]:
        rows: list[dict[str, Any]] = []
        after = ""
        while True:
            page = self.db.read("retrieval_facts", after=after, limit=PAGE)
            rows += [r for r in page if r["text"]]
            if len(page) < PAGE:
                break
            after = page[-1]["id"]
        if not rows:
            return {}
        vectors = np.asarray(self.embedder.embed([r["text"] for r in rows]), dtype=np.float32)
        return {
            r["id"]: FactRow(r["text"], v, 0.5 if r["confidence"] is None else float(r["confidence"]))
            for r, v in zip(rows, vectors, strict=True)
        }

    def _topics(self, columns: Columns) -> dict[str, IntArray]:
        """Rows by what their claims are on."""
        found: dict[str, set[int]] = {}
        after = ""
        while True:
            page = self.db.read("retrieval_claims", after=after, limit=PAGE)
            for claim in page:
                row = columns.row_of.get(claim["hyperedge"])
                if row is None:
                    continue
                for name in (claim["property"], claim["value"]):
                    if name:
                        found.setdefault(topic_key(name), set()).add(row)
            last = page[-1]["id"] if page else None
            if last is None or last == after:
                break
            after = last
        return {name: np.array(sorted(rows), dtype=np.int64) for name, rows in found.items()}

    def _vectors(self, rows: list[dict[str, Any]]) -> npt.NDArray[np.float32]:
        """Text vectors by content hash: from disk, else from the graph, else embedded now."""
        dim = self.embedder.dim
        out = np.zeros((len(rows), dim), dtype=np.float32)
        keys = [f"{r['hash']}|{hashlib.sha256((r['text'] or '').encode()).hexdigest()[:16]}" for r in rows]
        path = self._disk_path("vectors")
        from . import column_cache

        known = column_cache.read_vectors(path, dim)
        missing = []
        for i, key in enumerate(keys):
            at = known[0].get(key) if known is not None else None
            if at is None:
                missing.append(i)
            else:
                assert known is not None
                out[i] = known[1][at]
        if not missing:
            return out
        stored = [i for i in missing if rows[i].get("embedder") == self.embedder.name]
        for lo in range(0, len(stored), 1000):
            part = stored[lo : lo + 1000]
            found = {
                r["id"]: r["embedding"] for r in self.db.read("retrieval_vectors", ids=[rows[i]["id"] for i in part])
            }
            for i in part:
                vector = found.get(rows[i]["id"])
                if vector is not None and len(vector) == dim:
                    out[i] = vector
        rest = [i for i in missing if not out[i].any() and rows[i]["text"]]
        if rest:
            out[rest] = self.embedder.embed([rows[i]["text"] for i in rest])
        column_cache.write_vectors(path, keys, out)
        return out

    def _disk_path(self, what: str) -> Path:
        name = hashlib.sha256(
            f"{self.db.uri}|{self.db.database}|{self.settings.home}|{self.embedder.name}".encode()
        ).hexdigest()[:16]
        return self.settings.cache_dir / "retrieval" / f"{what}-{name}.npz"


def topic_key(name: str) -> str:
    """One key for a property or mineral and its aliases."""
    term = get_lexicon().get(name)
    return fold(term.name) if term is not None else fold(name)


def build_columns(
    rows: Sequence[dict[str, Any]], vectors: npt.NDArray[np.float32], embedder: Embedder, version: str = ""
) -> Columns:
    """Columns from the rows of ``retrieval_columns`` and their text vectors (n, dim)."""

    def numbers(name: str) -> FloatArray:
        return np.array([np.nan if r[name] is None else r[name] for r in rows], dtype=np.float64)

    texts = [r["text"] or "" for r in rows]
    targets = [list(r["targets"] or ()) for r in rows]
    masked = [semantic_text(t, names) for t, names in zip(texts, targets, strict=True)]
    semantic, semantic_of = _unique_embed(masked, embedder)
    spatial, spatial_of = _unique_embed(
        [spatial_text(r["body"], names) for r, names in zip(rows, targets, strict=True)], embedder
    )
    dims = {len(r["direction"]) for r in rows if r["direction"]}
    d = max(dims, default=3)
    direction = np.full((len(rows), d), np.nan)
    for i, r in enumerate(rows):
        if r["direction"] and len(r["direction"]) == d:
            direction[i] = r["direction"]
    ids = [r["id"] for r in rows]
    return Columns(
        ids=ids,
        coded={name: _code([r[name] for r in rows]) for name in _CODED},
        resolution_m=numbers("resolution_m"),
        start=numbers("start"),
        stop=numbers("stop"),
        ls_deg=numbers("ls_deg"),
        mars_year=numbers("mars_year"),
        sol=numbers("sol"),
        confidence=np.nan_to_num(numbers("confidence"), nan=0.5),
        lon=numbers("lon"),
        lat=numbers("lat"),
        rho=numbers("rho"),
        direction=direction,
        texts=texts,
        targets=targets,
        hashes=[r["hash"] or "" for r in rows],
        vectors=vectors,
        semantic=semantic,
        semantic_of=semantic_of,
        semantic_texts=[t.lower() for t in dict.fromkeys(masked)],
        spatial=spatial,
        spatial_of=spatial_of,
        row_of={id_: i for i, id_ in enumerate(ids)},
        version=version,
    )


def _code(values: Sequence[str | None]) -> Coded:
    names: dict[str, int] = {}
    codes = np.array([-1 if v is None else names.setdefault(v, len(names)) for v in values], dtype=np.int32)
    return Coded(codes, list(names))


def _unique_embed(texts: list[str], embedder: Embedder) -> tuple[npt.NDArray[np.float32], IntArray]:
    unique: dict[str, int] = {}
    of = np.array([unique.setdefault(t, len(unique)) for t in texts], dtype=np.int64)
    if not unique:
        return np.zeros((0, embedder.dim), dtype=np.float32), of
    return np.asarray(embedder.embed(list(unique)), dtype=np.float32), of
