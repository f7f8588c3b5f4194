"""Figures and tables of ``docs/selection.md``: selectors against k, ablations, significance, two peaks (GeoRAG §4).

``python -m areorag.evaluate.selection_report DATA DOCS`` runs every selector on each ``<name>_corpus.jsonl`` and
``<name>_questions.jsonl`` under DATA, writes the plots to ``DOCS/img`` and the tables between the markers of
``DOCS/selection.md``. Greedy selectors are nested, so one run at the largest k serves every k.
"""

from __future__ import annotations

import logging
import math
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..retrieval.passages import Embeds, PassageIndex
from ..retrieval.selection import Candidate, select
from .jsonl import read_jsonl
from .selection import ABLATIONS, ablated, default_embedder, metrics, select_ids

log = logging.getLogger(__name__)
SHOWN = ("graph", "coverage", "facility", "topk", "mmr", "dpp", "rrf")
K_MAX = 20
BEGIN, END = "<!-- generated: selection -->", "<!-- end: selection -->"


def mcnemar(a: Sequence[bool], b: Sequence[bool]) -> float:
    """Exact two-sided McNemar test on paired outcomes: the binomial tail of the discordant pairs (p-value)."""
    only_a = sum(x and not y for x, y in zip(a, b, strict=True))
    only_b = sum(y and not x for x, y in zip(a, b, strict=True))
    n = only_a + only_b
    tail = sum(math.comb(n, i) for i in range(min(only_a, only_b) + 1)) * 0.5**n
    return min(1.0, 2.0 * tail)


def study(name: str, data: Path, embedder: Embeds) -> dict[str, Any]:
    """All selectors and ablations on one question set → rankings of `K_MAX` ids by run name, and the gold."""
    index = PassageIndex.build(read_jsonl(data / f"{name}_corpus.jsonl", ("id",)), embedder)
    asked = read_jsonl(data / f"{name}_questions.jsonl", ("id", "question", "gold"))
    runs: dict[str, list[list[str]]] = {}
    plan: list[tuple[str, str, str | None, str]] = [(s, s, None, "hybrid") for s in SHOWN]
    plan.append(("topk, dense only", "topk", None, "dense"))
    plan += [(f"{s} without {a}", s, a, "hybrid") for s in ("graph", "coverage") for a in ABLATIONS]
    for label, selector, without, how in plan:
        if selector == "graph" and without == "dw":
            continue
        options, chain = ablated(without)
        runs[label] = [
            select_ids(index, str(q["question"]), selector, K_MAX, options, chain, how=how, ablate=without)
            for q in asked
        ]
        log.info("%s: %s done", name, label)
    return {"name": name, "passages": len(index.items), "gold": [set(map(str, q["gold"])) for q in asked], "runs": runs}


def hits(result: dict[str, Any], run: str, k: int) -> list[bool]:
    """For each question, whether all its gold is among the first k."""
    return [g <= set(s[:k]) for g, s in zip(result["gold"], result["runs"][run], strict=True)]


def tables(results: Sequence[dict[str, Any]]) -> str:
    """Markdown: all-gold and recall at 5, the p-value against top-k, and the ablations."""
    out = [f"Measured with Python {platform.python_version()} and the stock embedder; k = 5, per cent.", ""]
    for r in results:
        out += [f"**{r['name']}** ({len(r['gold'])} questions, {r['passages']} pooled passages)", ""]
        out += ["| run | all-gold@5 | recall@5 | all-gold@10 | McNemar p against topk |", "|---|---|---|---|---|"]
        base = hits(r, "topk", 5)
        for label in r["runs"]:
            at5 = metrics([(g, s[:5]) for g, s in zip(r["gold"], r["runs"][label], strict=True)])
            at10 = metrics([(g, s[:10]) for g, s in zip(r["gold"], r["runs"][label], strict=True)])
            p = "" if label == "topk" else f"{mcnemar(hits(r, label, 5), base):.2g}"
            out.append(f"| {label} | {at5[1]:.1f} | {at5[0]:.1f} | {at10[1]:.1f} | {p} |")
        out.append("")
    return "\n".join(out)


def two_peaks(degrees: float, seed: int, n: int = 60, d: int = 24) -> tuple[list[Candidate], np.ndarray, np.ndarray]:
    """A pool with two demand peaks `degrees` apart and off-topic noise; the question leans to the first peak.

    Returns
    -------
    The candidates (ids ``a…`` and ``b…`` serve the peaks), the question (d,) and the peaks (2, d).
    """
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(d, 2)))[0].T
    t = math.radians(degrees)
    peaks = np.stack([basis[0], math.cos(t) * basis[0] + math.sin(t) * basis[1]])
    question = 0.7 * peaks[0] + 0.3 * peaks[1]
    question /= np.linalg.norm(question)
    centre = np.vstack([np.repeat(peaks[:1], n // 3, 0), np.repeat(peaks[1:], n // 3, 0), np.zeros((n // 3, d))])
    noise = rng.normal(size=centre.shape)
    x = centre + np.where(np.arange(len(centre))[:, None] < 2 * (n // 3), 0.07, 1.0) * noise
    names = [f"{'abn'[i // (n // 3)]}{i}" for i in range(len(centre))]
    return [Candidate(m, m, vector=v) for m, v in zip(names, x, strict=True)], question, peaks


class _Peaks:
    """Embeds the two sub-queries of a constructed case."""

    def __init__(self, peaks: np.ndarray) -> None:
        self._peaks = peaks

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self._peaks[0 if t == "first" else 1] for t in texts])


def two_peak_curve(
    selectors: Sequence[str], degrees: Sequence[float], seeds: int = 40, k: int = 5
) -> dict[str, list[float]]:
    """Share of constructed cases (per cent) where both peaks have a kept item, against the peaks' distance."""
    out: dict[str, list[float]] = {s: [] for s in selectors}
    for angle in degrees:
        for s in selectors:
            both = 0
            for seed in range(seeds):
                pool, question, peaks = two_peaks(angle, seed)
                kept = select(
                    "q",
                    pool,
                    k=k,
                    selector=s,
                    query_vector=question,
                    embedder=_Peaks(peaks),
                    sub_queries=["first", "second"],
                )
                both += {"a", "b"} <= {i[0] for i in kept.ids}
            out[s].append(100.0 * both / seeds)
    return out


def plot_against_k(results: Sequence[dict[str, Any]], path: Path) -> None:
    """All-gold against k = 2…20 for every selector."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * len(results), 4.2), layout="constrained")
    axes = figure.subplots(1, len(results), squeeze=False)[0]
    ks = range(2, K_MAX + 1)
    for ax, r in zip(axes, results, strict=True):
        for s in SHOWN:
            style = {"linewidth": 2.2} if s in ("graph", "coverage") else {"linewidth": 1.1, "linestyle": "--"}
            ax.plot(ks, [100 * float(np.mean(hits(r, s, k))) for k in ks], label=s, **style)
        ax.set_title(f"{r['name']}: {len(r['gold'])} questions, {r['passages']} passages")
        ax.set_xlabel("k, passages kept")
        ax.set_ylabel("questions with all gold kept (%)")
        ax.set_ylim(0, 100)
        ax.grid(alpha=0.25)
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path)


def plot_two_peaks(curve: dict[str, list[float]], degrees: Sequence[float], path: Path) -> None:
    """Two-peak coverage against the angle between the peaks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.0), layout="constrained")
    ax = figure.subplots()
    for s, y in curve.items():
        ax.plot(degrees, y, marker="o", markersize=3, label=s, linewidth=2.2 if s == "coverage" else 1.2)
    ax.set_xlabel("angle between the two demand peaks (degrees)")
    ax.set_ylabel("cases with both peaks covered, k = 5 (%)")
    ax.set_ylim(-3, 103)
    ax.grid(alpha=0.25)
    ax.legend(frameon=False, fontsize=8)
    figure.savefig(path)


def run(data: Path | str, docs: Path | str, *, embedder: Embeds | None = None) -> dict[str, Any]:
    """Measure, plot, and write the tables into ``selection.md``; returns the results."""
    data, docs = Path(data), Path(docs)
    (docs / "img").mkdir(parents=True, exist_ok=True)
    embedder = embedder or default_embedder()
    names = sorted(p.name.removesuffix("_corpus.jsonl") for p in data.glob("*_corpus.jsonl"))
    results = [study(n, data, embedder) for n in names]
    degrees = [20, 30, 40, 50, 60, 70, 80, 90]
    curve = two_peak_curve(("coverage", "facility", "topk", "mmr", "dpp"), degrees)
    plot_against_k(results, docs / "img" / "selection-all-gold.svg")
    plot_two_peaks(curve, degrees, docs / "img" / "selection-two-peaks.svg")
    text = tables(results)
    text += "\nTwo-peak coverage (constructed, k = 5, 40 cases a point, per cent of cases with both peaks kept)\n\n"
    text += "| degrees apart | " + " | ".join(map(str, degrees)) + " |\n|" + "---|" * (len(degrees) + 1) + "\n"
    text += "".join(f"| {s} | " + " | ".join(f"{v:.0f}" for v in y) + " |\n" for s, y in curve.items())
    page = docs / "selection.md"
    old = page.read_text("utf-8") if page.is_file() else f"# Evidence selection\n\n{BEGIN}\n{END}\n"
    head, _, rest = old.partition(BEGIN)
    page.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", "utf-8")
    return {"results": results, "two_peaks": curve}


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    run(sys.argv[1], sys.argv[2])
