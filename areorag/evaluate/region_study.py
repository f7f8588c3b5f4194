"""Every ablation, masking and injection of ``eval regions`` over one archive loaded once: tables and pictures (§IV, Q2, Q3).

``areorag eval regions --study FOLDER``, and the part ``regions-ablations`` of the results page. Differences to the full
system are paired by question, with a 95 % bootstrap interval; "better" and "worse" count questions whose F1 changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ..settings import Settings
from .conflict_plots import pyplot, save
from .region_questions import N_REGION, N_TEMPORAL, SEED
from .regions import EVERY, RECORDS, World, opened

NAMES = {
    None: "AreoRAG (full)",
    "sparse": "w/o exact space (place only in the text)",
    "dense": "w/o dense spatial text",
    "semantic": "w/o dense topic",
    "pareto": "w/o Pareto front",
    "plausibility": "w/o plausibility and expansion",
    "oem": "w/o region vector",
    "einstein": "Einstein midpoint instead of OEM",
    "euclidean": "Euclidean instead of hyperbolic",
    "feedback": "w/o feedback",
    "coverage": "w/o coverage selection (top k)",
    "mlg": "w/o HySH (line graph, MLG)",
    "pict": "w/o PICT (MCC)",
    "uniform": "w/o conflict classes (uniform filter)",
    "delta_hp": "w/o cross-source signal (ΔH_p)",
    "both": "w/o both (text-only RAG)",
}
SHARES = (0.3, 0.5, 0.7)
INJECTED = (None, "mlg", "pict", "uniform", "delta_hp", "both")
MASKED = (None, "mlg", "sparse", "both")
Told = Callable[[str, int, int], None]
Key = tuple[str | None, float, float]


def run(
    home: Path | None = None,
    *,
    settings: Settings | None = None,
    records: int = RECORDS,
    n_region: int = N_REGION,
    n_temporal: int = N_TEMPORAL,
    seed: int = SEED,
    keep: Path | None = None,
    progress: Told | None = None,
) -> dict[str, Any]:
    """Measure everything; → ``{observations, questions, ablations, baselines, forms, mask, inject}``, lists of rows.

    Parameters
    ----------
    keep : file of the configurations that are measured already: a study that was stopped goes on where it was. Used
        only for the same archive and questions, removed at the end
    """
    plan: list[tuple[str | None, float, float]] = [(None, 0.0, 0.0), *((a, 0.0, 0.0) for a in EVERY)]
    plan += [(a, share, 0.0) for share in SHARES for a in MASKED]
    plan += [(a, 0.0, share) for share in SHARES for a in INJECTED]
    asked = {"home": str(home), "records": records, "region": n_region, "temporal": n_temporal, "seed": seed}
    results = _kept(keep, asked)
    with opened(home, settings, records, seed) as (db, base, science):
        world = World(db, base, n_region=n_region, n_temporal=n_temporal, seed=seed, science=science)
        for n, (ablate, mask, inject) in enumerate(plan):
            if progress is not None:
                progress(f"{NAMES[ablate]}, mask {mask:g}, inject {inject:g}", n, len(plan))
            if (ablate, mask, inject) not in results:
                results[ablate, mask, inject] = world.measure(ablate, mask, inject)
                _keep(keep, asked, results)
    if keep is not None:
        keep.unlink(missing_ok=True)
    full = results[None, 0.0, 0.0]
    out: dict[str, Any] = {
        "observations": full["observations"],
        "questions": {g: f["n"] for g, f in full["methods"]["areorag"].items()},
        "scientific_pairs": len(science),
        "seed": seed,
    }
    out["ablations"] = [row(NAMES[a], results[a, 0.0, 0.0], full) for a in (None, *EVERY)]
    out["baselines"] = [
        {"method": name} | _figures(groups) for name, groups in full["methods"].items() if name != "areorag"
    ]
    out["forms"] = [
        {"configuration": NAMES[a]} | {g: f["f1"] for g, f in results[a, 0.0, 0.0]["methods"]["areorag"].items()}
        for a in (None, *EVERY)
    ]
    out["line_graph"] = results["mlg", 0.0, 0.0].get("line_graph", {})
    for name, shares, which in (("mask", 1, MASKED), ("inject", 2, INJECTED)):
        rows = []
        for share in (0.0, *SHARES):
            key = (share, 0.0) if shares == 1 else (0.0, share)
            rows += [{"share": share} | row(NAMES[a], results[a, *key], results[None, *key]) for a in which]
            rows += [
                {"share": share, "configuration": m} | _figures(g)
                for m, g in results[None, *key]["methods"].items()
                if m not in ("areorag", "text-only dense")
            ]
        out[name] = rows
    return out


def _kept(path: Path | None, asked: Mapping[str, Any]) -> dict[Key, dict[str, Any]]:
    if path is None or not path.is_file():
        return {}
    try:
        data = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError:
        return {}
    return {(a, m, i): r for a, m, i, r in data["results"]} if data["asked"] == asked else {}


def _keep(path: Path | None, asked: Mapping[str, Any], results: Mapping[Key, dict[str, Any]]) -> None:
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [[*key, result] for key, result in results.items()]
    temporary = path.with_suffix(".tmp")
    temporary.write_bytes(orjson.dumps({"asked": asked, "results": rows}, option=orjson.OPT_SERIALIZE_NUMPY))
    temporary.replace(path)


def row(name: str, result: Mapping[str, Any], full: Mapping[str, Any]) -> dict[str, Any]:
    """One line of a table: scores, paired difference to the full system, and what triage did."""
    ours = [q["f1"] for q in result["questions"]]
    theirs = [q["f1"] for q in full["questions"]]
    low, mean, high = interval(np.array(ours) - np.array(theirs))
    triage = result["triage"]
    return (
        {"configuration": name}
        | _figures(result["methods"]["areorag"])
        | {
            "delta_f1": mean,
            "delta_low": low,
            "delta_high": high,
            "better": sum(a > b for a, b in zip(ours, theirs, strict=True)),
            "worse": sum(a < b for a, b in zip(ours, theirs, strict=True)),
            "cpr": triage["cpr"],
            "pairs_met": triage["pairs_met"],
            "nrr": triage["nrr"],
            "nrr_contradicting": triage["nrr_contradicting"],
            "false_before": triage["false_before_triage"],
            "false_after": triage["false_in_evidence"],
            "right_answers_lost": triage["right_answers_lost"],
        }
    )


def _figures(groups: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    out = {}
    for group in ("region", "temporal"):
        if group in groups:
            out[f"{group}_recall@5"], out[f"{group}_f1"] = groups[group]["recall@5"], groups[group]["f1"]
    return out


def interval(differences: np.ndarray, seed: int = 1, n: int = 2000) -> tuple[float, float, float]:
    """(2.5 %, mean, 97.5 %) in points of per cent of the mean of paired differences, by bootstrap over questions."""
    rng = np.random.default_rng(seed)
    at = rng.integers(len(differences), size=(n, len(differences)))
    means = 100 * differences[at].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return round(float(low), 1), round(float(100 * differences.mean()), 1), round(float(high), 1)


# ---------------------------------------------------------------- page


PICTURES = ("regions_ablations.svg", "regions_robustness.svg")


def page(result: Mapping[str, Any]) -> str:
    """The section of the results page, pictures beside it in ``results/``."""
    return markdown(result, [f"results/{name}" for name in PICTURES])


def markdown(result: Mapping[str, Any], pictures: Sequence[str] = ()) -> str:
    """The tables."""
    asked = result["questions"]
    lines = [
        f"{result['observations']:,} records, {asked['all']} questions ({asked['region']} on regions, "
        f"{asked['temporal']} on seasons; "
        + ", ".join(f"{asked[f]} {f}" for f in ("stated", "best", "topic", "words", "agree") if f in asked)
        + f"), {result['scientific_pairs']} scientific disagreements among the records. F1 and recall@5 in per cent; "
        "ΔF1 to the full system in points, paired by question, with its 95 % interval.",
        "",
        _table(
            ["configuration", "region r@5", "region F1", "season r@5", "season F1", "ΔF1", "better / worse", "CPR",
             "right answers lost"],
            [
                [r["configuration"], r.get("region_recall@5"), r.get("region_f1"), r.get("temporal_recall@5"),
                 r.get("temporal_f1"), _delta(r), f"{r['better']} / {r['worse']}", r["cpr"], r["right_answers_lost"]]
                for r in result["ablations"]
            ]
            + [
                [f"*{r['method']}*", r.get("region_recall@5"), r.get("region_f1"), r.get("temporal_recall@5"),
                 r.get("temporal_f1"), "", "", "", ""]
                for r in result["baselines"]
            ],
        ),
        "CPR: of the scientific disagreements that a question is about and meets, those whose two sides stay. Right "
        "answers lost: gold records that triage left out, all questions.",
        "",
        "F1 by form of question:",
        "",
        _table(
            ["configuration", "stated", "best", "topic", "words", "agree"],
            [[r["configuration"], *(r.get(f) for f in ("stated", "best", "topic", "words", "agree"))] for r in result["forms"]],
        ),
    ]  # fmt: skip
    graph = result.get("line_graph")
    if graph:
        lines += [f"The line graph of these records has {graph['edges']:,} edges (built in {graph['build_s']} s).", ""]
    said = {
        "mask": "Masked: a share of the records without place names and incidence; their outlines stay",
        "inject": "Injected: a share of the records with a false copy of lower authority (false position, opposite "
        "claim, other mineral). NRR: of the copies among the evidence, those that triage leaves out; *contradicting* are "
        "the copies that state the opposite",
    }
    for name, what in said.items():
        head = ["share", "configuration", "region r@5", "region F1", "season F1"]
        more = ["NRR", "NRR, contradicting", "false in evidence, before → after"] if name == "inject" else []
        rows = []
        for r in result[name]:
            row_ = [
                f"{r['share']:g}",
                r["configuration"],
                r.get("region_recall@5"),
                r.get("region_f1"),
                r.get("temporal_f1"),
            ]
            if more:
                shown = f"{r['false_before']} → {r['false_after']}" if "false_before" in r else ""
                row_ += [r.get("nrr"), r.get("nrr_contradicting"), shown]
            rows.append(row_)
        lines += [f"{what}.", "", _table([*head, *more], rows)]
    lines += [f"![{Path(p).stem.replace('_', ' ')}]({p})" for p in pictures]
    return "\n".join(lines) + "\n"


def _delta(r: Mapping[str, Any]) -> str:
    if r["better"] == r["worse"] == 0:
        return "0"
    return f"{r['delta_f1']:+.1f} ({r['delta_low']:+.1f} to {r['delta_high']:+.1f})"


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    def cell(value: Any) -> str:
        return "" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)

    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell(v) for v in r) + " |" for r in rows]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- pictures


def plots(result: Mapping[str, Any], folder: Path) -> list[Path]:
    """``regions_ablations.svg`` and ``regions_robustness.svg`` in `folder`.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    return [
        _ablations(result["ablations"], folder / PICTURES[0]),
        _robustness(result, folder / PICTURES[1]),
    ]


def _ablations(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    plt = pyplot()
    rows = [r for r in rows if r["configuration"] != NAMES[None]]
    at = np.arange(len(rows))[::-1]
    mean = np.array([r["delta_f1"] for r in rows])
    low, high = (np.array([r[k] for r in rows]) for k in ("delta_low", "delta_high"))
    figure, ax = plt.subplots(figsize=(7.2, 4.6))
    ax.barh(
        at,
        mean,
        color=["#b2432f" if h < 0 else "#2f6d8f" if v > 0 else "#9a9a9a" for h, v in zip(high, low, strict=True)],
    )
    ax.errorbar(
        mean,
        at,
        xerr=[np.maximum(mean - low, 0), np.maximum(high - mean, 0)],
        fmt="none",
        ecolor="black",
        lw=0.8,
        capsize=2,
    )
    ax.axvline(0, color="black", lw=0.8)
    ax.set_yticks(at, [r["configuration"] for r in rows])
    ax.set_xlabel("change of F1 without the part, points of per cent (95 % interval)")
    out = save(figure, path)
    plt.close(figure)
    return out


def _robustness(result: Mapping[str, Any], path: Path) -> Path:
    plt = pyplot()
    labels = dict.fromkeys(r["configuration"] for name in ("mask", "inject") for r in result[name])
    look = {label: ("osD^vPX*ph"[n % 10], f"C{n % 10}") for n, label in enumerate(labels)}
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.8), sharey=True)
    for ax, name in zip(axes, ("mask", "inject"), strict=True):
        series: dict[str, list[tuple[float, float]]] = {}
        for r in result[name]:
            series.setdefault(r["configuration"], []).append((r["share"], (r["region_f1"] + r["temporal_f1"]) / 2))
        for label, points in series.items():
            x, y = zip(*points, strict=True)
            ours = label == NAMES[None]
            marker, colour = look[label]
            style: dict[str, Any] = {"lw": 2.2, "color": "black"} if ours else {"lw": 1.0, "color": colour}
            ax.plot(x, y, marker=marker, ms=4, label=label, **style)
        ax.set_xlabel("share of records masked" if name == "mask" else "share of records with a false copy")
        ax.set_xticks([0, *SHARES])
        ax.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.18))
    axes[0].set_ylabel("F1, mean of region and season, %")
    axes[0].set_ylim(0, 100)
    out = save(figure, path)
    plt.close(figure)
    return out
