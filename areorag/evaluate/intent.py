"""`areorag eval intent`: how well questions are read (contract: eval intent; AreoRAG §III-C).

A gold field that is absent is not scored; sets are unordered; numbers agree within 1 %, intervals and areas when they
overlap by at least `OVERLAP` (intersection over union); a `must_not` hit fails the question.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..planet.instruments import get_instrument
from ..planet.lexicon import fold, get_lexicon
from ..retrieval.intent import SpatialIntent, parse_intent
from ..settings import Settings

OVERLAP = 0.8
NUMBER_TOLERANCE = 0.01
POINT_TOLERANCE_DEG = 0.01


def read_questions(path: Path | None = None, split: str | None = None) -> list[dict[str, Any]]:
    """JSON Lines of questions; the project's own set where no path is given.

    Raises
    ------
    UsageError
        The file is missing or a line is not a question; the message names the line.
    """
    if path is None:
        text = resources.files(__package__).joinpath("data", "intent.jsonl").read_text("utf-8")
    else:
        try:
            text = Path(path).read_text("utf-8")
        except OSError as exc:
            raise UsageError(f"questions {path} cannot be read: {exc.strerror}") from None
    out = []
    for n, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            str(row["question"])
        except (json.JSONDecodeError, KeyError, TypeError) as exc:
            raise UsageError(f"line {n} of {path or 'intent.jsonl'} is not a question: {exc}") from None
        if split is None or row.get("split") == split:
            out.append(row)
    return out


def run(
    questions: Path | None = None,
    llm: str = "none",
    split: str | None = None,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Read every question and score the fields its gold states.

    Parameters
    ----------
    questions : JSON Lines as in the contract; None: the project's own
    llm : ``none`` reads by grammar; otherwise the model of the settings is asked and the grammar checks
    split : only questions of that ``split`` (``dev``, ``heldout``, ``later``, ``domains``)
    progress : called with (done, total)

    Returns
    -------
    dict
        ``questions: [{id, intent, …}]``, ``fields`` and ``whole`` in per cent, ``by_field``, ``by_difficulty``.
    """
    rows = read_questions(questions, split)
    read = _reader(llm, settings)
    out: list[dict[str, Any]] = []
    by_field: dict[str, list[int]] = {}
    by_group: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        intent = read(str(row["question"])) if str(row["question"]).strip() else SpatialIntent()
        predicted = intent.contract()
        result: dict[str, Any] = {"id": row.get("id", str(i)), "intent": predicted}
        if isinstance(row.get("intent"), dict):
            marks, hits = score(_UNSAID | predicted, row["intent"], row.get("must_not") or {}, intent)
            ok = all(marks.values()) and not hits
            result.update({"ok": ok, "wrong": [k for k, v in marks.items() if not v], "must_not": hits})
            for name, good in marks.items():
                by_field.setdefault(name, []).append(int(good))
            by_group.setdefault(str(row.get("difficulty", "all")), []).append(int(ok))
        if intent.disagreements:
            result["disagreements"] = intent.disagreements
        out.append(result)
        if progress is not None:
            progress(i + 1, len(rows))
    return {"n": len(rows), **_summary(out, by_field, by_group), "questions": out}


def _summary(
    out: Sequence[Mapping[str, Any]], by_field: dict[str, list[int]], by_group: dict[str, list[int]]
) -> dict[str, Any]:
    scored = [q for q in out if "ok" in q]
    marks = [m for values in by_field.values() for m in values]
    if not scored:
        return {"scored": 0}
    return {
        "scored": len(scored),
        "fields": round(100 * sum(marks) / max(1, len(marks)), 1),
        "whole": round(100 * sum(q["ok"] for q in scored) / len(scored), 1),
        "must_not_hits": sum(bool(q["must_not"]) for q in scored),
        "by_field": {k: {"n": len(v), "right": round(100 * sum(v) / len(v), 1)} for k, v in sorted(by_field.items())},
        "by_difficulty": {k: {"n": len(v), "whole": round(100 * sum(v) / len(v), 1)} for k, v in by_group.items()},
    }


def _reader(llm: str, settings: Settings | None) -> Callable[[str], SpatialIntent]:
    if llm == "none":
        return parse_intent
    from ..retrieval.intent.model_reader import understand
    from ..settings import load_settings

    chosen = settings or load_settings(llm=llm)
    return lambda question: understand(question, settings=chosen)


# ---------------------------------------------------------------- scoring


def score(
    predicted: Mapping[str, Any],
    gold: Mapping[str, Any],
    must_not: Mapping[str, Sequence[Any]],
    intent: SpatialIntent | None = None,
) -> tuple[dict[str, bool], list[str]]:
    """(field → right, must_not hits) of one question."""
    marks = {name: same(name, predicted.get(name), value) for name, value in gold.items() if name in predicted}
    hits = [f"{k}: {bad}" for k, values in must_not.items() for bad in values if forbidden(k, predicted.get(k), bad)]
    return marks, hits


def same(name: str, predicted: Any, gold: Any) -> bool:
    """Do prediction and gold agree in this field?"""
    if name in _SETS:
        return _names(name, predicted or []) == _names(name, gold or [])
    if name == "exclude":
        keys = set(gold or {}) & {"instruments", "platforms", "places", "kinds", "institutions", "levels"}
        return all(_names(k, (predicted or {}).get(k, [])) == _names(k, gold[k]) for k in keys)
    if name == "notes":  # each gold text stands in a note of its own, and there are no more notes
        found = [any(text in note for note in predicted) for text in gold]
        return len(predicted) == len(gold) and all(found)
    if name == "compare":
        return bool(predicted) == bool(gold)
    if predicted is None or gold is None:
        return predicted is None and gold is None
    if name == "relation":
        return bool(predicted == gold)
    if name == "distance_m":
        return _number(predicted, gold)
    if name == "ls_deg":
        return _overlap_ls(predicted, gold) >= OVERLAP
    if name == "resolution_m":
        return _bounds(predicted, gold)
    if name == "sols":
        return predicted.get("mission") == gold.get("mission") and all(
            _number(predicted.get(k), gold.get(k)) for k in ("min", "max")
        )
    if name == "dates":
        return _overlap_dates(predicted, gold) >= OVERLAP
    if name == "geometry":
        return _geometry(predicted, gold)
    return bool(predicted == gold)


def forbidden(name: str, predicted: Any, bad: Any) -> bool:
    """Does the prediction hold the forbidden value?"""
    if predicted is None:
        return False
    if name in _SETS:
        return bool(_names(name, [bad]) & _names(name, predicted))
    if name == "geometry":
        return _geometry(predicted, bad)
    return same(name, predicted, bad)


_SETS = ("places", "mars_years", "instruments", "platforms", "kinds", "properties", "institutions", "levels")
_UNSAID: dict[str, Any] = {"institutions": [], "levels": [], "notes": []}
"""Fields that a reading states only where there is something."""
_PLATFORM_ALIASES = {"mex": "mars express", "ody": "mars odyssey", "curiosity": "msl", "perseverance": "m2020",
                     "spirit": "mer-a", "opportunity": "mer-b", "odyssey": "mars odyssey"}  # fmt: skip


def _names(field: str, values: Sequence[Any]) -> set[str]:
    return {_canonical(field, v) for v in values}


def _canonical(field: str, value: Any) -> str:
    text = fold(str(value)).strip()
    if field == "instruments":
        spec = get_instrument(str(value))
        name = spec.name if spec is not None else str(value)
        return fold("MOC" if name.startswith("MOC") else name)
    if field == "properties":
        term = get_lexicon().get(str(value))
        return fold(term.name) if term is not None else text.rstrip("s")
    if field == "platforms":
        return _PLATFORM_ALIASES.get(text, text)
    return text


def _number(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is None and b is None
    return abs(float(a) - float(b)) <= NUMBER_TOLERANCE * max(abs(float(a)), abs(float(b)))


def _bounds(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """One-sided bounds agree when their open side and their number do; two-sided ones also by overlap."""
    if all(_number(x, y) for x, y in zip(a, b, strict=True)):
        return True
    if None in a or None in b:
        return False
    inter = max(0.0, min(a[1], b[1]) - max(a[0], b[0]))
    union = max(a[1], b[1]) - min(a[0], b[0])
    return bool(union > 0 and inter / union >= OVERLAP)


def _overlap_ls(a: Sequence[float], b: Sequence[float]) -> float:
    """Intersection over union of two windows on the circle; a window of no width is taken as 1° wide."""

    def cover(window: Sequence[float]) -> list[tuple[float, float]]:
        lo, hi = window[0] % 360, window[1]
        hi = hi % 360 or (360.0 if hi else 0.0)
        if lo == hi:
            lo, hi = lo - 0.5, hi + 0.5
        return [(lo, hi)] if lo <= hi else [(lo, 360.0), (0.0, hi)]

    first, second = cover(a), cover(b)
    inter = sum(max(0.0, min(x[1], y[1]) - max(x[0], y[0])) for x in first for y in second)
    union = sum(x[1] - x[0] for x in first) + sum(x[1] - x[0] for x in second) - inter
    return inter / union if union > 0 else 0.0


def _overlap_dates(a: Sequence[str | None], b: Sequence[str | None]) -> float:
    """Intersection over union of day ranges; an open side counts as 1960 or 2040 and must be open in both."""
    if [x is None for x in a] != [x is None for x in b]:
        return 0.0
    low, high = date(1960, 1, 1).toordinal(), date(2040, 1, 1).toordinal()

    def span(pair: Sequence[str | None]) -> tuple[int, int]:
        first = date.fromisoformat(pair[0][:10]).toordinal() if pair[0] else low
        last = date.fromisoformat(pair[1][:10]).toordinal() if pair[1] else high
        return first, last + 1

    (a0, a1), (b0, b1) = span(a), span(b)
    inter, union = max(0, min(a1, b1) - max(a0, b0)), max(a1, b1) - min(a0, b0)
    return inter / union if union > 0 else 0.0


def _geometry(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Points within 0.01°, lines by their vertices, areas by overlap (plane degrees, longitudes in [-180, 180])."""
    from shapely.geometry import shape

    try:
        first, second = shape(a), shape(b)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    if first.area > 0 and second.area > 0:
        union = first.union(second).area
        return bool(union > 0 and first.intersection(second).area / union >= OVERLAP)
    if first.area > 0 or second.area > 0:
        return False
    return bool(first.geom_type == second.geom_type and first.hausdorff_distance(second) <= POINT_TOLERANCE_DEG)
