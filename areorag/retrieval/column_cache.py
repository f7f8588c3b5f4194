"""Columns on disk, so that a command started afresh need not read the whole graph again.

One npz without pickle per graph and embedder: arrays as they are, strings as JSON bytes. It is used only where the stamp
of the graph's content is the same; a damaged or older file is read again from the graph and replaced.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from .columns import Coded, Columns, FactRow

log = logging.getLogger(__name__)
FORMAT = 2
_ARRAYS = (
    "resolution_m", "start", "stop", "ls_deg", "mars_year", "sol", "confidence", "lon", "lat", "rho", "direction",
    "vectors", "semantic", "semantic_of", "spatial", "spatial_of",
)  # fmt: skip


def write(path: Path, columns: Columns, stamp: str) -> None:
    """Write; a failure is a warning, never an error."""
    facts = list(columns.facts.items())
    strings = {
        "format": FORMAT,
        "stamp": stamp,
        "ids": columns.ids,
        "texts": columns.texts,
        "semantic_texts": columns.semantic_texts,
        "targets": columns.targets,
        "hashes": columns.hashes,
        "coded": {k: c.names for k, c in columns.coded.items()},
        "topics": list(columns.topic_rows),
        "facts": [[i, f.text, f.confidence] for i, f in facts],
    }
    arrays: dict[str, Any] = {name: getattr(columns, name) for name in _ARRAYS}
    arrays |= {f"coded_{k}": c.codes for k, c in columns.coded.items()}
    arrays |= {f"topic_{n}": rows for n, rows in enumerate(columns.topic_rows.values())}
    arrays["fact_vectors"] = np.stack([f.vector for _, f in facts]) if facts else np.zeros((0, 1), np.float32)
    arrays["strings"] = np.frombuffer(orjson.dumps(strings), dtype=np.uint8)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp.npz")
        np.savez(temporary, **arrays)
        temporary.replace(path)
    except OSError as exc:
        log.warning("retrieval cache %s not written: %s", path, exc.strerror)


def read(path: Path, stamp: str) -> Columns | None:
    """Columns of that stamp, or None."""
    try:
        with np.load(path, allow_pickle=False) as data:
            strings = orjson.loads(data["strings"].tobytes())
            if strings["format"] != FORMAT or strings["stamp"] != stamp:
                return None
            vectors = data["fact_vectors"]
            columns = Columns(
                ids=strings["ids"],
                coded={k: Coded(data[f"coded_{k}"], names) for k, names in strings["coded"].items()},
                texts=strings["texts"],
                semantic_texts=strings["semantic_texts"],
                targets=strings["targets"],
                hashes=strings["hashes"],
                row_of={name: i for i, name in enumerate(strings["ids"])},
                topic_rows={name: data[f"topic_{n}"] for n, name in enumerate(strings["topics"])},
                facts={i: FactRow(t, vectors[n], float(c)) for n, (i, t, c) in enumerate(strings["facts"])},
                version=stamp,
                **{name: data[name] for name in _ARRAYS},
            )
    except (OSError, ValueError, KeyError, EOFError, orjson.JSONDecodeError):
        return None
    return columns if len(columns.vectors) == len(columns.ids) else None


def read_vectors(path: Path, dim: int) -> tuple[dict[str, int], npt.NDArray[np.float32]] | None:
    """(row by content key, (n, dim) text vectors) kept of that width, or None."""
    try:
        with np.load(path, allow_pickle=False) as data:
            keys, vectors = data["keys"], data["vectors"]
    except (OSError, ValueError, KeyError, EOFError):
        return None
    if vectors.ndim != 2 or vectors.shape[1] != dim or len(keys) != len(vectors):
        return None
    return {str(k): i for i, k in enumerate(keys.tolist())}, vectors


def write_vectors(path: Path, keys: list[str], vectors: npt.NDArray[np.float32]) -> None:
    """Keep them; a failure is a warning, never an error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp.npz")
        np.savez(temporary, keys=np.array(keys), vectors=vectors)
        temporary.replace(path)
    except OSError as exc:
        log.warning("retrieval cache %s not written: %s", path, exc.strerror)
