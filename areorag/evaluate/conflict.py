"""Evaluation of conflict triage on labelled pairs: CCA, CPR, NRR, detection, calibration (AreoRAG §IV; CONTRACTS).

Only ``id``, ``question``, ``a`` and ``b`` of a pair reach the predictor; labels are read after every prediction is made.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..triage.classifier import LABELS
from ..triage.network import expected_calibration_error
from ..triage.source import Source
from .jsonl import read_jsonl

if TYPE_CHECKING:
    from ..settings import Settings
    from ..triage.pict import Verdict

EXPLAINABLE = ("instrument", "scale", "temporal")


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Pairs of a JSON Lines file.

    Raises
    ------
    UsageError
        The file cannot be read, or a line is no pair.
    """
    return read_jsonl(path, required=("id", "question", "a", "b"))


def wrong_side(pair: dict[str, Any]) -> str | None:
    """Which side of a noise pair is wrong: as labelled, else the lower authority; None when neither says."""
    if pair.get("noisy_side") in ("a", "b"):
        return str(pair["noisy_side"])
    a, b = pair["a"].get("authority"), pair["b"].get("authority")
    if a is None or b is None or a == b:
        return None
    return "a" if a < b else "b"


def metrics(pairs: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The contract's figures over the pairs that have a label; absent where there is nothing to measure."""
    known = [(p, r) for p, r in zip(pairs, results, strict=True) if p.get("label") in LABELS]
    if not known:
        return {}
    truth = [p["label"] for p, _ in known]
    guess = [r["predicted"] for _, r in known]
    conflicts = [i for i, t in enumerate(truth) if t != "none"]
    agree = [i for i, t in enumerate(truth) if t == "none"]
    explainable = [i for i, t in enumerate(truth) if t in EXPLAINABLE]
    noise = [i for i, t in enumerate(truth) if t == "noise"]
    detected = [bool(r["detected"]) for _, r in known]
    tp, fp = sum(detected[i] for i in conflicts), sum(detected[i] for i in agree)
    recall, specificity = _share(tp, len(conflicts)), _share(len(agree) - fp, len(agree))
    precision = _share(tp, tp + fp)
    rejected = 0
    for i in noise:
        side = wrong_side(known[i][0])
        rejected += int(side is not None and known[i][1]["kept"] == [side != "a", side != "b"])
    confidence = np.array([r["p"][r["predicted"]] for _, r in known])
    correct = np.array([t == g for t, g in zip(truth, guess, strict=True)], dtype=np.float64)
    return {
        "cca": _share(sum(truth[i] == guess[i] for i in conflicts), len(conflicts)),
        "cpr": _share(sum(all(known[i][1]["kept"]) for i in explainable), len(explainable)),
        "nrr": _share(rejected, len(noise)),
        "detection": {
            "precision": precision,
            "recall": recall,
            "f1": _share(2 * tp, 2 * tp + fp + len(conflicts) - tp),
            "specificity": specificity,
            "balanced": None if recall is None or specificity is None else 0.5 * (recall + specificity),
        },
        "ece": expected_calibration_error(confidence, correct),
        "accuracy": float(correct.mean()),
        "confusion": {
            t: {g: sum(x == t and y == g for x, y in zip(truth, guess, strict=True)) for g in LABELS} for t in LABELS
        },
    }


def _share(part: float, whole: float) -> float | None:
    return None if not whole else float(part / whole)


def judge(pairs: Sequence[dict[str, Any]], triage: Any) -> list[Verdict]:
    """Verdicts of pairs; the predictor sees nothing but question and sides."""
    return [
        triage.assess(str(p["question"]), Source.from_pair_json(p["a"]), Source.from_pair_json(p["b"])) for p in pairs
    ]


def run(
    pairs: Path | str,
    llm: str = "none",
    baseline: str | None = None,
    ablate: str | None = None,
    settings: Settings | None = None,
) -> dict[str, Any]:
    """Detect and classify the conflicts of a file of pairs.

    Parameters
    ----------
    pairs : JSON Lines file of the contract's form
    llm : ``none``, or a provider as in the settings (adds interaction entropy and cross-support)
    baseline : none, mcc, delta-hp, majority, latest or rules, instead of PICT
    ablate : a feature group to leave out

    Raises
    ------
    UsageError
        Unreadable pairs, or an unknown baseline or feature group.
    """
    from ..settings import load_settings
    from ..triage.features import feature_groups
    from ..triage.pict import Triage

    rows = read_pairs(Path(pairs))
    use = (settings or load_settings()).model_copy(update={"llm": llm})
    chat = None
    if llm != "none":
        from ..llm.chat import get_chat

        chat = get_chat(use)
    if ablate is not None and ablate not in feature_groups():
        raise UsageError(f"unknown feature group {ablate!r}: use {', '.join(dict.fromkeys(feature_groups()))}")
    began = time.perf_counter()
    if baseline is not None:
        from ..triage.baselines import run_baseline

        results = run_baseline(baseline, rows, use, chat)
        version = f"baseline {baseline}"
    else:
        triage = Triage(use, chat, ablate=ablate)
        results = [v.as_pair_result(str(p["id"])) for p, v in zip(rows, judge(rows, triage), strict=True)]
        version = triage.model.version
    seconds = time.perf_counter() - began
    out: dict[str, Any] = {"n": len(rows)}
    out |= metrics(rows, results)
    out |= {"model": version, "llm": llm, "seconds": seconds}
    if chat is not None:
        out["cost"] = chat.usage.as_dict()
    return out | {"pairs": results}
