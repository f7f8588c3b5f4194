"""Pictures of a conflict evaluation: confusion, reliability, ablation (``docs/img/pict_*.svg``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MissingExtraError
from ..triage.classifier import LABELS


def pyplot() -> Any:
    """matplotlib drawing into SVG, the same bytes for the same figures."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    mpl.use("svg")
    mpl.rcParams.update(
        {"svg.hashsalt": "areorag", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    )
    import matplotlib.pyplot as plt

    return plt


def save(figure: Any, path: Path) -> Path:
    """Write a figure without a date; → its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    return path


def confusion(table: Sequence[Sequence[int]], path: Path, title: str) -> Path:
    """Counts of (truth, prediction), rows and columns in the order of LABELS."""
    plt = pyplot()
    counts = np.asarray(table, dtype=float)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    figure, ax = plt.subplots(figsize=(4.2, 3.8))
    ax.imshow(share, cmap="Blues", vmin=0, vmax=1)
    ax.set_xticks(range(len(LABELS)), LABELS, rotation=35, ha="right")
    ax.set_yticks(range(len(LABELS)), LABELS)
    ax.set_xlabel("predicted")
    ax.set_ylabel("labelled")
    for i in range(len(LABELS)):
        for j in range(len(LABELS)):
            if counts[i, j]:
                ax.text(
                    j,
                    i,
                    f"{counts[i, j]:.0f}",
                    ha="center",
                    va="center",
                    color="white" if share[i, j] > 0.55 else "black",
                )
    ax.set_title(title)
    out = save(figure, path)
    plt.close(figure)
    return out


def reliability(confidence: Sequence[float], correct: Sequence[bool], path: Path, title: str, bins: int = 10) -> Path:
    """Accuracy against stated confidence in equal bins, with the number of pairs in each."""
    plt = pyplot()
    c, ok = np.asarray(confidence, dtype=float), np.asarray(correct, dtype=float)
    index = np.clip((c * bins).astype(int), 0, bins - 1)
    figure, (ax, low) = plt.subplots(2, 1, figsize=(4.2, 4.4), height_ratios=(3, 1), sharex=True)
    ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls="--")
    centres = [(c[index == k].mean(), ok[index == k].mean()) for k in range(bins) if (index == k).any()]
    ax.plot(*zip(*centres, strict=True), marker="o", color="#1f5fa8")
    ax.set_ylabel("share right")
    ax.set_title(title)
    low.bar((np.arange(bins) + 0.5) / bins, np.bincount(index, minlength=bins), width=0.9 / bins, color="0.7")
    low.set_xlabel("stated confidence")
    low.set_ylabel("pairs")
    out = save(figure, path)
    plt.close(figure)
    return out


def ablation(rows: Mapping[str, float], path: Path, title: str) -> Path:
    """One bar a variant, the first is the reference."""
    plt = pyplot()
    names, values = list(rows), [100 * v for v in rows.values()]
    figure, ax = plt.subplots(figsize=(5.2, 0.34 * len(names) + 1.0))
    colours = ["#1f5fa8"] + ["0.65"] * (len(names) - 1)
    ax.barh(range(len(names)), values, color=colours)
    ax.axvline(values[0], color="#1f5fa8", lw=0.8, ls=":")
    for i, v in enumerate(values):
        ax.text(v + 0.6, i, f"{v:.1f}", va="center")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(0, 108)
    ax.set_xlabel("CCA, per cent")
    ax.set_title(title)
    out = save(figure, path)
    plt.close(figure)
    return out
