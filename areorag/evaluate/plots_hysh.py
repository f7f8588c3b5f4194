"""Pictures of docs/hysh.md:  ``python -m areorag.evaluate.plots_hysh [FOLDER]``  (AreoRAG §III-B).

Poincaré-disk view of the sample archive, radius against resolution, the four midpoints side by side, relationships
against k beside the line graph. Needs matplotlib (extra ``plots``). Everything is computed, nothing drawn by hand.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtraError
from ..graph.colocation_index import ColocationIndex, ColocationRules, Site
from ..graph.hysh import HyshRows, embed_observations
from ..graph.model import Observation
from ..hyperbolic.midpoint import einstein, lambda_weighted, oem, outward_midpoint

log = logging.getLogger(__name__)

Float = NDArray[np.float64]
_MARKERS = "osD^vP*X<>hpd"
_COLOURS = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#000000",
    "#aec7e8", "#7f7f7f", "#98df8a",
)  # fmt: skip


def main(folder: Path = Path("docs/img")) -> list[Path]:
    """Draw all pictures into `folder`; → their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    observations = sample_observations()
    return [
        plot_disk(observations, folder / "hysh_disk.png"),
        plot_radius(observations, folder / "hysh_radius.png"),
        plot_midpoints(folder / "hysh_midpoints.png"),
        plot_edges(folder / "hysh_edges.png"),
    ]


def sample_observations() -> list[Observation]:
    """The observations of the sample archive that ships with the package."""
    from importlib import resources

    from ..ingest.adapters import read_path

    with resources.as_file(resources.files("areorag.sample") / "archive") as archive:
        reports = read_path(archive)
    return [o for report in reports for o in report.observations]


def _figure(width: float, height: float, columns: int) -> tuple[Any, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns)


def _settings() -> Any:
    from ..settings import Settings

    return Settings()


def plot_disk(observations: Sequence[Observation], path: Path) -> Path:
    """The archive in the Poincaré disk, longitude as the angle: at K = -1, and at K = -0.02, where depths differ."""
    rows = embed_observations([o for o in observations if o.body == "Mars"], _settings())
    names = [o.instrument or "?" for o in observations if o.body == "Mars"]
    figure, axes = _figure(11, 5.6, 2)
    for axis, K in zip(axes, (-1.0, -0.02), strict=True):
        _disk(axis)
        radius = np.tanh(0.5 * np.sqrt(-K) * rows.rho)
        angle = np.radians(rows.lonlat[:, 0])
        for i, name in enumerate(_frequent(names)):
            mine = (
                np.array([n == name or (name == "others" and n not in _frequent(names)) for n in names]) & rows.placed
            )
            marker = _MARKERS[i % len(_MARKERS)]
            axis.plot(
                radius[mine] * np.cos(angle[mine]),
                radius[mine] * np.sin(angle[mine]),
                marker,
                ms=5,
                alpha=0.75,
                label=name,
            )
        for ell in (1e5, 1e3, 1e1, 1e-1):
            r = np.tanh(0.5 * np.sqrt(-K) * np.log(3_396_190.0 / ell))
            _circle(axis, r, ":", "0.6")
            if K > -0.5:
                axis.annotate(f"{ell:g} m", (0, r), fontsize=7, color="0.4", ha="center")
        axis.set_title(f"K = {K:g}")
    axes[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    figure.suptitle("Sample archive: depth is resolution, angle is longitude (latitude is folded away)")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    return path


def _frequent(names: Sequence[str]) -> list[str]:
    count = {n: names.count(n) for n in set(names)}
    top = sorted(count, key=lambda n: (-count[n], n))[:11]
    return [*top, "others"] if len(count) > 11 else top


def _disk(axis: Any) -> None:
    _circle(axis, 1.0, "-", "0.3")
    axis.plot(0, 0, "+", color="0.3", ms=8)
    axis.set_aspect("equal")
    axis.set_axis_off()


def _circle(axis: Any, r: float, style: str, colour: str) -> None:
    t = np.linspace(0, 2 * np.pi, 200)
    axis.plot(r * np.cos(t), r * np.sin(t), style, color=colour, lw=0.8)


def plot_radius(observations: Sequence[Observation], path: Path) -> Path:
    """ρ (stored, what is computed with) and x₀ (the paper's r) against resolution, for the sample archive."""
    rows: HyshRows = embed_observations([o for o in observations if o.body == "Mars"], _settings())
    ok = rows.placed
    figure, axes = _figure(10, 4.2, 2)
    for axis, y, name in (
        (axes[0], rows.rho, "ρ = ln(ℓ_max/ℓ)"),
        (axes[1], rows.depth, "x₀ = cosh ρ  (the paper's r)"),
    ):
        for i, source in enumerate(("label", "instrument", "footprint", "unknown")):
            mine = ok & np.array([s == source for s in rows.scale_source])
            if np.any(mine):
                axis.plot(rows.scale_m[mine], y[mine], _MARKERS[i], ms=4, alpha=0.6, label=f"ℓ from the {source}")
        axis.set(xscale="log", xlabel="resolution ℓ, m", ylabel=name)
        axis.invert_xaxis()
        axis.grid(alpha=0.3)
    axes[1].set_yscale("log")
    axes[0].legend(fontsize=8)
    figure.suptitle("Radius against resolution, sample archive")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    return path


def plot_midpoints(path: Path) -> Path:
    """The four midpoints of the counterexample to Theorem 1, and of a coarse, a middle and a fine product."""
    cases = [
        ("Counterexample: depths 3, 3, 2.9", np.array([3.0, 3.0, 2.9]), np.radians([0.0, 180.0, 90.0])),
        ("Coarse, middle, fine: depths 1, 2, 4", np.array([1.0, 2.0, 4.0]), np.radians([200.0, 80.0, 20.0])),
    ]
    figure, axes = _figure(11, 6.4, 2)
    means = (("einstein", einstein), ("λ-weighted (the paper's p = 0)", lambda_weighted), ("OEM, p = 2", oem),
             ("outward midpoint", outward_midpoint))  # fmt: skip
    for axis, (title, rho, angle) in zip(axes, cases, strict=True):
        _disk(axis)
        u = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        p = np.tanh(rho / 2)[:, None] * u
        axis.plot(p[:, 0], p[:, 1], "ko", ms=7, label="members")
        for (name, mean), marker in zip(means, "sD^*", strict=True):
            m = mean(rho, u)
            at = np.tanh(m.rho / 2) * m.u
            axis.plot(*at, marker, ms=13 if marker == "*" else 8, alpha=0.8, label=f"{name}: ρ = {float(m.rho):.4f}")
        axis.text(0, 1.1, title, fontsize=10, ha="center")
        if title.startswith("Counter"):  # the four lie close together: enlarge them
            inset = axis.inset_axes(
                (0.62, 0.03, 0.36, 0.36), xlim=(-0.06, 0.06), ylim=(0.1, 0.22), xticks=[], yticks=[]
            )
            for (_, mean), marker in zip(means, "sD^*", strict=True):
                m = mean(rho, u)
                at = np.tanh(m.rho / 2) * m.u
                inset.plot(*at, marker, ms=13 if marker == "*" else 8, alpha=0.8)
            axis.indicate_inset_zoom(inset)
        axis.set_ylim(-1.05, 1.2)
        axis.legend(loc="lower center", bbox_to_anchor=(0.5, -0.2), fontsize=8, frameon=False, ncols=2)
    figure.savefig(path, dpi=110, bbox_inches="tight")
    return path


def count_edges(ks: Sequence[int], seed: int = 1) -> list[tuple[int, int, int]]:
    """(k, relationships of the co-locations, edges of the line graph) for k frames over one place; both are built."""
    out = []
    for k in ks:
        index = ColocationIndex()
        index.fill(_stack(k, seed))
        out.append((k, sum(map(len, index.groups().values())), sum(1 for _ in index.line_graph())))
    return out


def count_edges_archive(ns: Sequence[int]) -> list[tuple[int, int, int]]:
    """(n, relationships, line-graph edges) for synthetic archives of n observations; both are built."""
    from ..planet.geometry import footprint
    from .synthetic import synthetic_archive

    out = []
    for n in ns:
        observations = list(synthetic_archive(n))
        rows = embed_observations(observations, _settings())
        index = ColocationIndex(ColocationRules())
        geogs = [footprint(o.footprint) if o.footprint else None for o in observations]
        index.fill([Site(o.id, o.body, g, float(r)) for o, g, r in zip(observations, geogs, rows.rho, strict=True)])
        out.append((n, sum(map(len, index.groups().values())), sum(1 for _ in index.line_graph())))
    return out


def _stack(k: int, seed: int) -> list[Site]:
    from ..planet.geometry import footprint

    rng = np.random.default_rng(seed)
    sites = []
    for i in range(k):
        lon, lat, half = 77.5 + rng.normal(0, 0.02), 18.4 + rng.normal(0, 0.02), 0.1 + rng.exponential(0.2)
        ring = [(lon + a * half, lat + b * half) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
        sites.append(Site(f"{i:05d}", "Mars", footprint({"type": "Polygon", "coordinates": [ring]})))
    return sites


def plot_edges(path: Path) -> Path:
    """Relationships against the number of observations, beside the line graph, built for real."""
    stack = np.array(count_edges([2, 5, 10, 20, 50, 100, 200, 400]))
    archive = np.array(count_edges_archive([1000, 2000, 4000, 8000]))
    figure, axes = _figure(10, 4.2, 2)
    for axis, data, title in (
        (axes[0], stack, "k observations of one place"),
        (axes[1], archive, "synthetic archive of n observations"),
    ):
        axis.loglog(data[:, 0], data[:, 1], "o-", label="co-location hyperedges (GROUPS)")
        axis.loglog(data[:, 0], np.maximum(data[:, 2], 1), "s--", label="line graph")
        axis.set(xlabel="observations", ylabel="relationships", title=title)
        axis.grid(alpha=0.3, which="both")
        axis.legend(fontsize=8)
    figure.savefig(path, dpi=110, bbox_inches="tight")
    return path


if __name__ == "__main__":
    main(*(Path(a) for a in sys.argv[1:2]))
