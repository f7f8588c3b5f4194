"""Cross-validated figures of conflict triage on the project's own literature pairs, baselines and ablations beside them.

Network k of the shipped ensemble never saw fold k, so each pair is judged by its own network alone: the whole chain (test
of the faulty side, abstention, recalibration) is measured on pairs it was not trained on. Subjects are kept whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..triage.baselines import NAMES, run_baseline
from ..triage.classifier import LABELS, Model, shipped_model
from ..triage.features import feature_groups
from ..triage.literature import literature_pairs
from ..triage.pict import Triage
from ..triage.simulate import simulated_pairs
from ..triage.train import FOLDS, SIMULATED, folds, group_of
from .conflict import judge, metrics

if TYPE_CHECKING:
    from ..settings import Settings


def fold_model(model: Model, k: int) -> Model:
    """The network pair that was trained without fold k."""
    return replace(model, detectors=(model.detectors[k],), classifiers=(model.classifiers[k],))


def out_of_fold(
    settings: Settings, pairs: Sequence[dict[str, Any]], fold: Sequence[int], ablate: str | None = None
) -> list[dict[str, Any]]:
    """Contract results of every pair, each from the network that did not see it."""
    model = shipped_model()
    out: list[dict[str, Any]] = [{} for _ in pairs]
    embedder = None
    for k in range(len(model.detectors)):
        triage = Triage(settings, embedder=embedder, model=fold_model(model, k), ablate=ablate)
        embedder = triage.embedded.embedder if triage.embedded is not None else None
        rows = [i for i, f in enumerate(fold) if f == k]
        for i, verdict in zip(rows, judge([pairs[i] for i in rows], triage), strict=True):
            out[i] = verdict.as_pair_result(str(pairs[i]["id"]))
    return out


def _short(m: dict[str, Any]) -> dict[str, Any]:
    return {k: m[k] for k in ("cca", "cpr", "nrr", "ece", "accuracy") if k in m} | {
        "balanced": m["detection"]["balanced"]
    }


def run(settings: Settings | None = None, out: Path | None = None, ablate: bool = True) -> dict[str, Any]:
    """Figures, baselines and ablations on literature pairs; pictures into `out` when given."""
    from ..settings import load_settings

    use = settings or load_settings()
    seed = int(shipped_model().meta["seed"])
    literature = literature_pairs(20260801 + seed)
    made = simulated_pairs(SIMULATED, 20260802 + seed)
    fold = folds([group_of(p) for p in literature + made], FOLDS, seed)[: len(literature)]
    results = out_of_fold(use, literature, list(fold))
    full = metrics(literature, results)
    report: dict[str, Any] = {"n": len(literature), "pict": full, "model": shipped_model().version}
    report["baselines"] = {name: _short(metrics(literature, run_baseline(name, literature, use))) for name in NAMES}
    if ablate:
        groups = [g for g in dict.fromkeys(feature_groups()) if g != "entropy"]
        report["ablations"] = {
            g: _short(metrics(literature, out_of_fold(use, literature, list(fold), ablate=g))) for g in groups
        }
    if out is not None:
        _draw(report, literature, results, out)
    return report


def _draw(
    report: dict[str, Any], pairs: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]], out: Path
) -> None:
    from .conflict_plots import ablation, confusion, reliability

    table = [[report["pict"]["confusion"][t][g] for g in LABELS] for t in LABELS]
    confusion(table, out / "pict_confusion.svg", f"Literature pairs, cross-validated (n = {len(pairs)})")
    sure = [r["p"][r["predicted"]] for r in results]
    right = [r["predicted"] == p["label"] for p, r in zip(pairs, results, strict=True)]
    reliability(sure, right, out / "pict_reliability.svg", f"Reliability, ECE {report['pict']['ece']:.3f}")
    if "ablations" in report:
        bars = {"all features": report["pict"]["cca"]} | {
            f"without {g}": m["cca"] for g, m in report["ablations"].items()
        }
        ablation(bars, out / "pict_ablation.svg", "Feature groups left out")


def main() -> None:
    """Write ``docs/img/pict_*.svg`` and the figures as JSON to standard output."""
    import json
    import sys

    sys.stdout.write(json.dumps(run(out=Path("docs/img")), indent=1) + "\n")


if __name__ == "__main__":
    main()
