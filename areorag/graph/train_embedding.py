"""``areorag train embedding``: learn directions from the graph's relations, keep versions, swap them (METHODS §1).

The learned directions are written beside the closed form: ``learned_direction`` and ``learned_version`` on each node,
and one ``(:EmbeddingVersion)`` node with what was done and how well. `use_embedding` makes one of them the active
``direction``/``lorentz``; ``closed`` computes the closed form again, which needs nothing stored. Radii never change.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import HyperbolicError, UnknownNameError
from ..hyperbolic.embedding import directions
from ..hyperbolic.lorentz import from_polar
from ..hyperbolic.train import Config, train
from .colocation import describe_many, load_index, rules_of
from .hysh import closed_form_version
from .placing import place_entities
from .relations import colocation_pairs, containment_pairs

if TYPE_CHECKING:
    from ..settings import Settings
    from .connection import Database

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int | None], None]
Float = NDArray[np.float64]
CLOSED = "closed"
_BATCH = 2000


def run(
    *,
    settings: Settings,
    seed: int = 1,
    dim: int = 64,
    out: Path | None = None,
    resume: bool = False,
    use: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train on the graph of the settings, write and activate the result; or, with `use`, activate a version.

    Parameters
    ----------
    out : folder for checkpoint, weights and curve; default: ``embeddings`` in the cache folder
    resume : go on from the checkpoint of an interrupted run with the same data and settings
    use : ``closed`` or a learned version's id: swap to it and train nothing

    Returns
    -------
    {version, nodes, pairs: {containment, incidence, colocation}, epochs, best_epoch, loss, seconds,
    steps_s: {relations, training, writing}, curve, curve_plot, weights}

    Raises
    ------
    MissingExtraError
        torch or geoopt is not installed (not needed for `use`).
    HyperbolicError
        The graph holds no related observations.
    """
    from .connection import Database

    with Database.open(settings) as db:
        if use is not None:
            n = use_embedding(db, use, settings, progress=progress)
            return {"version": active_version(db), "nodes": n}
        return train_graph(db, settings, seed=seed, dim=dim, out=out, resume=resume, progress=progress)


def train_graph(
    db: Database,
    settings: Settings,
    *,
    seed: int = 1,
    dim: int = 64,
    out: Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    config: Config | None = None,
) -> dict[str, Any]:
    """:func:`run` on an open database."""
    begin = datetime.now(UTC)
    clock = [time.perf_counter()]
    folder = out or settings.cache_dir / "embeddings"
    config = config or Config(K=settings.curvature, dim=dim, seed=seed)
    names, rho, unit, pairs = relations_of(db, settings)
    all_pairs = np.concatenate(list(pairs.values()))
    clock.append(time.perf_counter())
    result = train(rho, unit, all_pairs, config, checkpoint=folder / "checkpoint.npz", resume=resume, progress=progress)
    clock.append(time.perf_counter())
    version = _version(config, result.coordinates)
    folder.mkdir(parents=True, exist_ok=True)
    weights = folder / f"{version.replace('/', '-')}.npz"
    np.savez_compressed(weights, ids=np.array(names), rho=rho, u=result.coordinates)
    curve = plot_curve(result.curve, weights.with_suffix(".png"))
    record = {
        "id": version,
        "kind": "learned",
        "K": config.K,
        "dim": config.dim,
        "seed": config.seed,
        "nodes": len(names),
        "pairs": len(all_pairs),
        "epochs": result.curve[-1][0],
        "best_epoch": result.best_epoch,
        "loss": result.loss,
        "losses": [v for _, _, v in result.curve],
        "created": begin,
        "seconds": (datetime.now(UTC) - begin).total_seconds(),
    }
    store_learned(db, record, names, result.coordinates)
    _activate(db, settings, version, names, rho, result.coordinates, progress)
    clock.append(time.perf_counter())
    return {
        "version": version,
        "nodes": len(names),
        "pairs": {kind: len(p) for kind, p in pairs.items()},
        "epochs": result.curve[-1][0],
        "best_epoch": result.best_epoch,
        "stopped_early": result.stopped_early,
        "loss": record["loss"],
        "seconds": clock[-1] - clock[0],
        "steps_s": dict(zip(("relations", "training", "writing"), np.diff(clock).tolist(), strict=True)),
        "curve": [list(row) for row in result.curve],
        "curve_plot": str(curve) if curve else None,
        "weights": str(weights),
    }


def relations_of(db: Database, settings: Settings) -> tuple[list[str], Float, Float, dict[str, NDArray[np.int64]]]:
    """(ids, rho (n,), unit (n, 3), pairs by kind) of observations and placed features of the settings' body."""
    rows = db.read("hysh_training_nodes", body=settings.body)
    if not rows:
        raise HyperbolicError(f"no placed observations of {settings.body} in the graph; ingest some first")
    names = [r["id"] for r in rows]
    row = {name: i for i, name in enumerate(names)}
    rho = np.array([r["rho"] for r in rows])
    unit = np.array([r["xyz"] for r in rows], dtype=np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    index = load_index(db, settings)
    bound = [(row[r["h"]], row[r["e"]]) for r in db.read("hysh_training_incidence") if r["h"] in row and r["e"] in row]
    return names, rho, unit, {
        "containment": containment_pairs(index, row),
        "incidence": np.array(sorted(bound), dtype=np.int64).reshape(-1, 2),
        "colocation": colocation_pairs(index, row),
    }  # fmt: skip


def store_learned(db: Database, record: dict[str, Any], names: list[str], u: Float) -> None:
    """Write a learned version's node and its directions beside the active ones (nothing is activated)."""
    db.write("hysh_version_write", record=record)
    for at in range(0, len(names), _BATCH):
        rows = [{"id": n, "u": v} for n, v in zip(names[at : at + _BATCH], u[at : at + _BATCH].tolist(), strict=True)]
        db.write("hysh_learned_write", rows=rows, version=record["id"])


def active_version(db: Database) -> str | None:
    """Version of the coordinates most observations carry; None in an empty graph."""
    rows = db.read("hysh_versions_in_use")
    return str(rows[0]["version"]) if rows else None


def use_embedding(db: Database, version: str, settings: Settings, *, progress: Progress | None = None) -> int:
    """Make ``closed`` or a learned version the active coordinates; co-locations and entities follow. → nodes changed

    Raises
    ------
    UnknownNameError
        No node carries that version.
    """
    closed = version == CLOSED or version.startswith("closed/")
    rows = db.read("hysh_swap_source", version=None if closed else version)
    if not rows:
        known = [CLOSED, *(r["version"] for r in db.read("hysh_versions_learned"))]
        raise UnknownNameError(f"no embedding {version!r} in the graph; there are: {', '.join(known)}")
    names, rho = [r["id"] for r in rows], np.array([r["rho"] for r in rows])
    if closed:
        u = directions([r["xyz"] for r in rows], dim=settings.embedding_dim if settings.spatial_share == 1.0 else 3)
    else:
        u = np.array([r["u"] for r in rows])
    _activate(db, settings, closed_form_version(settings) if closed else version, names, rho, u, progress)
    return len(rows)


def _activate(
    db: Database, settings: Settings, version: str, names: list[str], rho: Float, u: Float, progress: Progress | None
) -> None:
    """Write coordinates as the active ones; co-locations' midpoints and entities follow.

    Who belongs to which co-location depends on footprints alone, so nothing is intersected again.
    """
    for at in range(0, len(names), _BATCH):
        part = slice(at, at + _BATCH)
        told = zip(
            names[part], u[part].tolist(), from_polar(rho[part], u[part], settings.curvature).tolist(), strict=True
        )
        db.write("hysh_swap_write", rows=[{"id": n, "u": v, "x": x} for n, v, x in told], version=version)
        if progress:
            progress("coordinates", min(at + _BATCH, len(names)), len(names))
    row = {name: i for i, name in enumerate(names)}
    groups = db.read("hysh_colocation_member_ids")
    for at in range(0, len(groups), _BATCH):
        whole, mixed = [], []
        for group in groups[at : at + _BATCH]:
            if all(m in row for m in group["members"]):
                members = [_member(m, rho[row[m]], u[row[m]], version) for m in group["members"]]
                whole.append({"id": group["id"], "focus": group["focus"], "body": None, "members": members})
            else:  # some of its members carry other coordinates
                mixed.append(group["id"])
        whole += db.read("hysh_colocation_members", ids=mixed) if mixed else []
        db.write("hysh_colocation_midpoints", rows=describe_many(whole, rules_of(settings), settings))
        if progress:
            progress("co-locations", min(at + _BATCH, len(groups)), len(groups))
    place_entities(db, settings)


def _member(name: str, rho: float, u: Float, version: str) -> dict[str, Any]:
    """A member as `describe_many` wants it, for its midpoint."""
    return {"id": name, "rho": rho, "direction": u.tolist(), "instrument": None, "xyz": None, "version": version}


def plot_curve(curve: list[tuple[int, float, float]], path: Path) -> Path | None:
    """Training and validation loss by epoch as PNG; None where matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    epochs = [e for e, _, _ in curve]
    axes.plot(epochs, [a for _, a, _ in curve], "o-", label="training")
    axes.plot(epochs, [b for _, _, b in curve], "s-", label="held-out pairs")
    axes.set(xlabel="epoch", ylabel="loss (nats)", title="Learned directions")
    axes.legend()
    figure.savefig(path, dpi=120)
    return path


def _version(config: Config, u: Float) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(u).tobytes() + json.dumps([config.K, config.dim]).encode())
    return f"learned/1;K={config.K:g};d={config.dim};seed={config.seed};{digest.hexdigest()[:12]}"
