"""Sentence embedders behind one protocol, with a content-hash cache on disk.

``settings.embedder`` names one: ``minilm`` (default: onnxruntime, offline; passages in bulk by its 8-bit form, ADR 75),
``minilm:float32`` (the same, passages too in 32-bit floats), ``openai:<model>`` (any OpenAI-compatible
endpoint) or ``st:<model>`` (sentence-transformers, extra ``[st]``). Labels of one instrument share almost all their
text, so texts are deduplicated and every embedding is computed once per machine.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from ..errors import MissingExtraError, ModelError, SettingsError
from ..settings import Settings
from .minilm_int8 import UnlikeFloatError

log = logging.getLogger(__name__)

CHUNK = 512  # texts embedded between two writes to the cache


@runtime_checkable
class Embedder(Protocol):
    """Texts in, unit vectors out."""

    name: str
    dim: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed `texts` → float32 (n, dim), each row of unit length."""


class VectorCache:
    """Vectors by (model, sha256 of the text) in one SQLite file, safe for several processes."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path, timeout=60, check_same_thread=False, isolation_level=None)
        self._lock = threading.Lock()
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS v (k BLOB PRIMARY KEY, x BLOB NOT NULL) WITHOUT ROWID")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        out: dict[bytes, np.ndarray] = {}
        with self._lock:
            for lo in range(0, len(keys), 500):
                part = keys[lo : lo + 500]
                marks = ",".join("?" * len(part))
                for k, x in self._db.execute(f"SELECT k, x FROM v WHERE k IN ({marks})", part):
                    out[k] = np.frombuffer(x, np.float32)
        return out

    def put(self, items: Sequence[tuple[bytes, np.ndarray]]) -> None:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            rows = [(k, x.astype(np.float32).tobytes()) for k, x in items]
            self._db.executemany("INSERT OR REPLACE INTO v VALUES (?, ?)", rows)
            self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()


class CachedEmbedder:
    """An embedder whose results are kept: deduplicates, looks up, computes the rest, stores."""

    def __init__(
        self, name: str, dim: int, encode: Callable[[list[str]], np.ndarray], cache: VectorCache | None
    ) -> None:
        self.name, self.dim, self._encode, self._cache = name, dim, encode, cache

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed `texts` → float32 (n, dim), rows of unit length; an empty list gives shape (0, dim)."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        keys = [hashlib.sha256(f"{self.name}\0{t}".encode("utf-8", "surrogatepass")).digest()[:20] for t in texts]
        known = self._cache.get(list(dict.fromkeys(keys))) if self._cache else {}
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in known}
        todo = list(missing.items())
        for lo in range(0, len(todo), CHUNK):
            part = todo[lo : lo + CHUNK]
            vectors = self._encode([t.encode("utf-8", "replace").decode() for _, t in part])
            if vectors.shape != (len(part), self.dim) or not np.isfinite(vectors).all():
                raise ModelError(f"the embedder {self.name} returned vectors of the wrong shape or non-finite numbers")
            fresh = [(k, v) for (k, _), v in zip(part, vectors, strict=True)]
            known.update(fresh)
            if self._cache:
                self._cache.put(fresh)
        return np.stack([known[k] for k in keys])


def _unit(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def _openai(model: str, settings: Settings) -> tuple[int, Callable[[list[str]], np.ndarray]]:
    from openai import OpenAI, OpenAIError

    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else "none"
    client = OpenAI(base_url=settings.llm_base_url, api_key=key, timeout=settings.llm_timeout_s, max_retries=4)

    def encode(texts: list[str]) -> np.ndarray:
        try:
            reply = client.embeddings.create(model=model, input=texts)
        except OpenAIError as exc:
            raise ModelError(f"embeddings from {model} failed: {type(exc).__name__}") from None
        return _unit(np.array([d.embedding for d in reply.data], np.float32))

    return int(encode(["dimension"]).shape[1]), encode


def _sentence_transformers(model: str) -> tuple[int, Callable[[list[str]], np.ndarray]]:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError("sentence-transformers", "st") from None
    net = SentenceTransformer(model)

    def encode(texts: list[str]) -> np.ndarray:
        return _unit(np.asarray(net.encode(texts, show_progress_bar=False), np.float32))

    return int(encode(["dimension"]).shape[1]), encode


def get_embedder(settings: Settings, *, cache: bool = True) -> CachedEmbedder:
    """The embedder that `settings` name.

    Raises
    ------
    SettingsError
        The name is none of ``minilm``, ``minilm:float32``, ``openai:<model>``, ``st:<model>``.
    ModelError
        The model cannot be loaded or its service does not answer.
    """
    kind, _, model = settings.embedder.partition(":")
    encode: Callable[[list[str]], np.ndarray]
    if kind == "minilm" and model in ("", "float32"):
        from .minilm import MiniLM

        net = MiniLM(settings.cache_dir)
        name, dim, encode = net.name, net.dim, net.encode
    elif kind == "openai" and model:
        dim, encode = _openai(model, settings)
        name = settings.embedder
    elif kind == "st" and model:
        dim, encode = _sentence_transformers(model)
        name = settings.embedder
    else:
        raise SettingsError(f"unknown embedder {settings.embedder!r}: use minilm, openai:<model> or st:<model>")
    return CachedEmbedder(name, dim, encode, _store(settings, cache))


def get_passage_embedder(settings: Settings, *, cache: bool = True) -> CachedEmbedder:
    """The embedder for passages in bulk, in the same space as `get_embedder`: for ``minilm`` its 8-bit form where the
    processor reproduces the 32-bit one, else the same. Errors as there.
    """
    if settings.embedder == "minilm":
        from .minilm import MiniLM8

        try:
            net = MiniLM8(settings.cache_dir)
        except UnlikeFloatError as exc:
            log.warning("%s; passages are embedded in 32-bit floats", exc)
        else:
            return CachedEmbedder(net.name, net.dim, net.encode, _store(settings, cache))
    return get_embedder(settings, cache=cache)


def _store(settings: Settings, wanted: bool) -> VectorCache | None:
    return VectorCache(settings.cache_dir / "embeddings.sqlite") if wanted else None
