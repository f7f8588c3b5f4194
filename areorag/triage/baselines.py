"""Baselines in the same harness: what others do with disagreement (AreoRAG §IV, Table III).

``none``: keep everything (standard RAG). ``mcc``: uniform filter, drop whichever side agrees less with the question's
other evidence, whatever the reason (MultiRAG). ``delta-hp``: drop the side that raises a language model's entropy most
(TruthfulRAG; with no model, likeness to the question stands in for it). ``majority``: the better-trusted side wins.
``latest``: the later observation wins. ``rules``: the bridges without the learned classifier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .bridges import Bridge, Pair, run_all
from .classifier import CATEGORIES
from .context import Embedded, Likeness, embed_pair, make_pair
from .faulty import blame
from .recalibration import base_confidence
from .source import Source

if TYPE_CHECKING:
    from ..llm.chat import ChatModel
    from ..settings import Settings

Side = str | None
NAMES = ("none", "mcc", "delta-hp", "majority", "latest", "rules")
RULE_CONFLICT = 0.5


def claims_disagree(pair: Pair) -> float:
    """Probability-like score of a contradiction from the comparison alone, no learned weights."""
    f = pair.comparison.features
    if f["num_any"]:
        return 0.9 if f["num_compatible"] < 0.5 else 0.1
    opposed = max(
        f["topic_opposed"],
        f["axis_opposed"],
        0.9 * f["concept_diff"],
        0.8 * f["pol_one_absent"],
        0.7 * f["axis_text_opposed"],
    )
    return min(0.95, max(0.05, opposed))


def rule_category(bridges: dict[str, Bridge | None]) -> dict[str, float]:
    """Shares of the four categories from the strongest argument for each."""
    best = {
        c: max((b.score for b in bridges.values() if b is not None and b.category == c), default=0.0)
        for c in CATEGORIES
    }
    total = sum(v**3 for v in best.values())
    return {c: (v**3 / total if total > 0 else 0.25) for c, v in best.items()}


def _later(pair: Pair) -> Side:
    if pair.a.start is None or pair.b.start is None or pair.a.start == pair.b.start:
        return None
    return "a" if pair.a.start < pair.b.start else "b"


def _less_trusted(pair: Pair) -> Side:
    if pair.a.authority == pair.b.authority:
        return None
    return "a" if pair.a.authority < pair.b.authority else "b"


def less_like(like: Likeness) -> Side:
    """The side whose claim is less like the question; None where both are alike."""
    if like.base is None or like.base[0] == like.base[1]:
        return None
    return "a" if like.base[0] < like.base[1] else "b"


def _more_confusing(chat: ChatModel | None, pair: Pair, like: Likeness) -> Side:
    if chat is None:
        return less_like(like)
    from .entropy import parametric_gain

    ga, gb = parametric_gain(chat, pair.question, pair.a), parametric_gain(chat, pair.question, pair.b)
    return None if ga == gb else ("a" if ga > gb else "b")


def _result(pair_id: str, detected: bool, p: dict[str, float], dropped: Side, like: Likeness) -> dict[str, Any]:
    conflict = max(CATEGORIES, key=lambda c: p[c])
    base = [base_confidence(c) for c in (like.base or (0.0, 0.0))]
    kept = [dropped != "a", dropped != "b"]
    after = [b if k else 0.0 for b, k in zip(base, kept, strict=True)]
    return {
        "id": pair_id,
        "detected": detected,
        "predicted": conflict if detected else "none",
        "p": p,
        "h_inter": None,
        "c_base": base,
        "c_triage": after,
        "kept": kept,
        "opaque": False,
        "abstained": False,
        "bridge": None,
    }


def _noise_only(score: float) -> dict[str, float]:
    """A method that takes every disagreement for an error."""
    return {"noise": score, "instrument": 0.0, "scale": 0.0, "temporal": 0.0, "none": 1.0 - score}


def _judge(name: str, row: dict[str, Any], embedded: Embedded | None, chat: ChatModel | None) -> dict[str, Any]:
    question = str(row["question"])
    a, b = Source.from_pair_json(row["a"]), Source.from_pair_json(row["b"])
    like = embed_pair(question, a, b, embedded)
    pair = make_pair(question, a, b, like)
    if name == "none":
        return _result(str(row["id"]), False, _noise_only(0.0), None, like)
    score = claims_disagree(pair)
    detected = score >= RULE_CONFLICT
    if name == "rules":
        bridges = run_all(pair)
        shares = rule_category(bridges)
        p = {c: score * v for c, v in shares.items()} | {"none": 1.0 - score}
        noise = detected and max(shares, key=lambda c: shares[c]) == "noise"
        return _result(str(row["id"]), detected, p, blame(pair, bridges).side if noise else None, like)
    choose: dict[str, Callable[[], Side]] = {
        "mcc": lambda: less_like(like),
        "delta-hp": lambda: _more_confusing(chat, pair, like),
        "majority": lambda: _less_trusted(pair),
        "latest": lambda: _later(pair),
    }
    return _result(str(row["id"]), detected, _noise_only(score), choose[name]() if detected else None, like)


def run_baseline(
    name: str, rows: Sequence[dict[str, Any]], settings: Settings, chat: ChatModel | None = None
) -> list[dict[str, Any]]:
    """Results of a baseline in the contract's form.

    Raises
    ------
    UsageError
        Unknown name.
    """
    if name not in NAMES:
        raise UsageError(f"unknown baseline {name!r}: use {', '.join(NAMES)}")
    embedded = Embedded.of(settings)
    return [_judge(name, row, embedded, chat) for row in rows]
