"""Do two claims disagree? Structured comparison without a language model (AreoRAG §III-D stage 1; METHODS §5).

`compare` turns two claims into numbers: how far their quantities are apart after unit conversion and uncertainty,
whether one denies what the other asserts, how their qualities stand on axes of opposites, and what they have in
common. The detector (`classifier`) weighs them; `signals` says in words what was found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from .profile import Profile
from .quantities import Quantity, quantities
from .source import Source
from .stance import Stance, axes, concepts, content_words, graded_concepts, jaccard, stance

_YES_NO = re.compile(r"^\s*(?:is|are|do|does|did|has|have|had|was|were|can|could|will)\b", re.IGNORECASE)
_REL_TOLERANCE = {
    "length": 0.02,
    "temperature": 0.012,
    "inertia": 0.18,
    "number": 0.12,
    "fraction": 0.12,
    "duration": 0.2,
}
_IGNORED_TEXT_DIMENSIONS = {"number", "count", "duration", "angle", "frequency", "latitude", "longitude"}


@dataclass(frozen=True)
class NumberMatch:
    """Two quantities of the same kind and how they compare; ``gap`` in combined half-widths, ``log_ratio`` natural."""

    a: Quantity
    b: Quantity
    gap: float
    log_ratio: float
    compatible: bool
    sign_flip: bool

    @property
    def relative(self) -> float:
        """|a − b| over the larger magnitude."""
        top = max(abs(self.a.mid), abs(self.b.mid))
        return abs(self.a.mid - self.b.mid) / top if top > 0 else 0.0


@dataclass(frozen=True)
class Comparison:
    """What comparing two claims gave: number matches, stances, axes, feature values and signals in words."""

    matches: tuple[NumberMatch, ...]
    stance_a: Stance
    stance_b: Stance
    features: dict[str, float]
    signals: tuple[str, ...]
    main: NumberMatch | None = None
    extra: dict[str, float] = field(default_factory=dict)


def _bounds(q: Quantity, tolerance: float) -> tuple[float, float]:
    slack = q.sigma + tolerance * abs(q.mid)
    if q.dimension == "temperature":
        slack = q.sigma + 2.5
    low = -math.inf if q.limit == "upper" else q.low - slack
    high = math.inf if q.limit == "lower" else q.high + slack
    return low, high


def match_numbers(a: Quantity, b: Quantity) -> NumberMatch:
    """Compare two quantities of one dimension: intervals widened by precision, "about", ± and a tolerance by kind."""
    tolerance = _REL_TOLERANCE.get(a.dimension, 0.1)
    a_low, a_high = _bounds(a, tolerance)
    b_low, b_high = _bounds(b, tolerance)
    compatible = a_low <= b_high and b_low <= a_high
    if a.limit == b.limit and a.limit is not None:
        compatible = True
    distance = max(0.0, max(a.low, b.low) - min(a.high, b.high))
    if a.limit or b.limit:
        distance = abs(a.mid - b.mid) if not compatible else 0.0
    width = a.sigma + b.sigma + tolerance * max(abs(a.mid), abs(b.mid)) + (5.0 if a.dimension == "temperature" else 0.0)
    gap = distance / width if width > 0 else (0.0 if distance == 0 else 50.0)
    if a.mid * b.mid > 0:
        log_ratio = abs(math.log(abs(a.mid) / abs(b.mid)))
    else:
        log_ratio = 0.0 if a.mid == b.mid else 5.0
    top = max(abs(a.mid), abs(b.mid))
    flip = a.mid * b.mid < 0 and abs(abs(a.mid) - abs(b.mid)) <= 0.15 * top
    return NumberMatch(a, b, min(gap, 200.0), min(log_ratio, 30.0), compatible, flip)


def _aligned(a: Quantity, b: Quantity) -> tuple[Quantity, Quantity]:
    """Where one side names an oxide and the other no species, both are taken for the oxide."""
    for x, y, first in ((a, b, True), (b, a, False)):
        if x.oxide and y.species is None and y.dimension == "fraction" and x.oxide_factor != 1.0:
            factor = x.oxide_factor
            scaled = replace(y, low=y.low / factor, high=y.high / factor, sigma=y.sigma / factor, species=x.species)
            return (x, scaled) if first else (scaled, x)
    return a, b


def _same_kind(a: Quantity, b: Quantity) -> bool:
    if a.dimension != b.dimension:
        fractions = {a.dimension, b.dimension} == {"fraction", "number"}
        bare = a if a.dimension == "number" else b
        return fractions and 0.0 <= bare.low <= 1.0
    if a.species and b.species and a.species != b.species:
        return False
    if a.aspect and b.aspect and a.aspect != b.aspect:
        return False
    return a.dimension not in ("count",) or a.unit == b.unit


def _relabelled(a: Sequence[Quantity], b: Sequence[Quantity]) -> list[tuple[Quantity, Quantity]]:
    """Pairs of one kind; those with the same word before them where there are any, else the first of each kind."""
    pairs = [(x, y) for x in a for y in b if _same_kind(x, y)]
    labelled = [(x, y) for x, y in pairs if x.label and x.label == y.label] if len(pairs) > 1 else []
    species = [(x, y) for x, y in pairs if x.species and x.species == y.species]
    chosen = species or labelled
    if chosen:
        return chosen
    first: dict[str, tuple[Quantity, Quantity]] = {}
    for x, y in pairs:
        first.setdefault(x.dimension, (x, y))
    return list(first.values())


def number_matches(a: Source, b: Source) -> list[NumberMatch]:
    """Comparable quantities: values first; a value without numbers borrows those of its text."""
    qa, qb = quantities(a.value), quantities(b.value)
    if not qa and not qb:
        return []
    if not qa:
        qa = tuple(q for q in quantities(a.text) if q.dimension not in _IGNORED_TEXT_DIMENSIONS)
    if not qb:
        qb = tuple(q for q in quantities(b.text) if q.dimension not in _IGNORED_TEXT_DIMENSIONS)
    return [match_numbers(*_aligned(x, y)) for x, y in _relabelled(qa, qb)]


def _axis_features(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[float, float, list[str]]:
    opposed, agreed, names = 0.0, 0.0, []
    for name in a.keys() & b.keys():
        product = a[name] * b[name]
        if product < 0:
            opposed = max(opposed, min(abs(a[name]), abs(b[name])) + 0.25 * (abs(a[name] - b[name]) / 2.0))
            names.append(name)
        elif product > 0:
            agreed = max(agreed, min(abs(a[name]), abs(b[name])))
    return min(1.0, opposed), agreed, names


def _topic_grade(source: Source, topics: Set[str], s: Stance) -> float | None:
    """How far a claim asserts the thing asked about: the value's word on it, else the value's polarity, else the text."""
    in_value = graded_concepts(source.value)
    named = [g for name, g in in_value.items() if name in topics]
    if named:
        grade = max(named)
        return 0.0 if s.polarity == 0.0 and grade > 0.5 and min(in_value.values()) > 0.5 else grade
    if s.polarity is not None:
        return s.polarity
    in_text = [g for name, g in graded_concepts(source.text).items() if name in topics]
    return max(in_text) if in_text else None


def _concept_features(a: Source, b: Source, topics: Set[str]) -> dict[str, float]:
    ga, gb = graded_concepts(a.value), graded_concepts(b.value)
    ta, tb = graded_concepts(f"{a.value}. {a.text}"), graded_concepts(f"{b.value}. {b.text}")
    shared_value, shared = ga.keys() & gb.keys(), ta.keys() & tb.keys()
    diffs = [abs(ga[c] - gb[c]) for c in shared_value]
    text_diffs = [abs(ta[c] - tb[c]) * (1.0 if c in topics else 0.6) for c in shared]
    agree = [min(ga[c], gb[c]) for c in shared_value if abs(ga[c] - gb[c]) < 0.35]
    only_a, only_b = ga.keys() - tb.keys(), gb.keys() - ta.keys()
    denied = [ta[c] for c in ta.keys() - tb.keys() if ta[c] == 0.0] + [
        tb[c] for c in tb.keys() - ta.keys() if tb[c] == 0.0
    ]
    return {
        "concept_diff": max(diffs, default=0.0),
        "concept_text_diff": max(text_diffs, default=0.0),
        "concept_agree": float(len(agree)) / 3.0,
        "concept_jaccard": jaccard(set(ga), set(gb)) if ga and gb else 0.5,
        "concept_disjoint": float(bool(ga) and bool(gb) and not shared),
        "concept_extra": min(1.0, (len(only_a) + len(only_b)) / 4.0),
        "concept_denied": min(1.0, len(denied) / 2.0),
    }


def _number_features(matches: list[NumberMatch]) -> tuple[dict[str, float], NumberMatch | None]:
    zeros = dict.fromkeys(
        (
            "num_any",
            "num_gap",
            "num_log_ratio",
            "num_relative",
            "num_compatible",
            "num_flip",
            "num_limit",
            "num_count",
            "num_some_compatible",
        ),
        0.0,
    )
    if not matches:
        return zeros, None
    main = max(matches, key=lambda m: (not m.compatible, m.gap))
    share = sum(m.compatible for m in matches) / len(matches)
    return {
        "num_any": 1.0,
        "num_gap": math.log1p(main.gap) / 3.0,
        "num_log_ratio": min(main.log_ratio, 7.0) / 3.0,
        "num_relative": min(main.relative, 2.0) / 2.0,
        "num_compatible": share,
        "num_flip": float(main.sign_flip),
        "num_limit": float(main.a.limit is not None or main.b.limit is not None),
        "num_count": min(len(matches), 4) / 4.0,
        "num_some_compatible": float(share > 0),
    }, main


def _polarity_features(a: Stance, b: Stance, grade_a: float | None, grade_b: float | None) -> dict[str, float]:
    both = a.polarity is not None and b.polarity is not None
    pa, pb = a.polarity if a.polarity is not None else 0.5, b.polarity if b.polarity is not None else 0.5
    graded = grade_a is not None and grade_b is not None
    gap = abs((grade_a or 0.0) - (grade_b or 0.0)) if graded else 0.0
    return {
        "pol_both": float(both),
        "pol_diff": abs(pa - pb) if both else 0.0,
        "pol_same_absent": float(both and pa < 0.3 and pb < 0.3),
        "pol_same_present": float(both and pa > 0.55 and pb > 0.55),
        "pol_one_absent": float((a.polarity == 0.0) != (b.polarity == 0.0)),
        "topic_known": float(graded),
        "topic_diff": gap,
        "topic_opposed": float(graded and min(grade_a or 0.0, grade_b or 0.0) < 0.2 and gap > 0.4),
        "hedged": 0.5 * (float(a.hedged) + float(b.hedged)),
        "hedged_absent": float((a.hedged and b.polarity == 0.0) or (b.hedged and a.polarity == 0.0)),
        "minor_any": float(a.minor or b.minor),
        "minor_one": float(a.minor != b.minor),
        "strong_one": float(a.strong != b.strong),
        "strong_minor": float((a.strong and not a.minor and b.minor) or (b.strong and not b.minor and a.minor)),
        "stable_any": float(a.stable or b.stable),
        "change_words": min(1.0, (a.change_words + b.change_words) / 4.0),
    }


def _words(comparison: dict[str, float], main: NumberMatch | None, opposed: list[str]) -> tuple[str, ...]:
    out = []
    if main is not None and not main.compatible:
        out.append(f"{main.a.text} against {main.b.text}: {main.gap:.1f} times the combined uncertainty apart")
    elif main is not None:
        out.append(f"{main.a.text} and {main.b.text} agree within uncertainty")
    if comparison["topic_opposed"] or comparison["pol_one_absent"]:
        out.append("one claim asserts what the other denies")
    if opposed:
        out.append("opposite qualities: " + ", ".join(sorted(opposed)))
    if comparison["concept_diff"] > 0.4:
        out.append("the same substance or form is asserted to different degrees")
    return tuple(out)


_ASKS = re.compile(
    r"\b(above|over|more than|greater than|higher than|exceed(?:s|ing)?|at least|below|under|less than|lower than|"
    r"deeper than|older than|thicker than|larger than|smaller than)\b",
    re.IGNORECASE,
)


def threshold_answers(question: str, a: Source, b: Source) -> tuple[float, float]:
    """(agree, differ) of two claims' answers to a question with a threshold ("Is methane above 10 ppb?"); 0, 0 without."""
    asked = [q for q in quantities(question, bare=False) if q.dimension not in ("latitude", "longitude", "angle")]
    if not _ASKS.search(question) or not asked:
        return 0.0, 0.0
    bound = asked[0]
    answers: list[bool] = []
    for source in (a, b):
        same = [q for q in quantities(source.value) if _same_kind(q, bound)]
        if not same:
            return 0.0, 0.0
        q = same[0]
        if (q.limit == "upper" and q.high > bound.mid) or (q.limit == "lower" and q.low < bound.mid):
            return 0.0, 0.0
        answers.append(q.mid > bound.mid)
    return float(answers[0] == answers[1]), float(answers[0] != answers[1])


def compare(question: str, a: Source, b: Source, prof: Profile, cosines: dict[str, float] | None = None) -> Comparison:
    """Compare the claims of `a` and `b`; `cosines` are the embedder's likenesses (value, text), if there is one."""
    sa, sb = stance(a.value), stance(b.value)
    ta, tb = stance(a.text), stance(b.text)
    topics = concepts(f"{a.property} {b.property}") or concepts(question)
    matches = number_matches(a, b)
    numbers, main = _number_features(matches)
    value_axes = _axis_features(axes(a.value), axes(b.value))
    text_axes = _axis_features(axes(f"{a.value}. {a.text}"), axes(f"{b.value}. {b.text}"))
    grade_a, grade_b = _topic_grade(a, topics, sa), _topic_grade(b, topics, sb)
    wa, wb = content_words(a.value), content_words(b.value)
    same_answer, other_answer = threshold_answers(question, a, b)
    features = numbers | _polarity_features(sa, sb, grade_a, grade_b) | _concept_features(a, b, topics)
    features |= {
        "axis_opposed": value_axes[0],
        "axis_agreed": value_axes[1],
        "axis_text_opposed": text_axes[0],
        "axis_text_agreed": text_axes[1],
        "axis_count": min(1.0, len(text_axes[2]) / 3.0),
        "text_pol_diff": abs(ta.polarity - tb.polarity) if ta.polarity is not None and tb.polarity is not None else 0.0,
        "text_one_absent": float((ta.polarity == 0.0) != (tb.polarity == 0.0)),
        "any_absent": float(0.0 in (sa.polarity, sb.polarity)),
        "threshold_same": same_answer,
        "threshold_other": other_answer,
        "value_jaccard": jaccard(wa, wb),
        "value_contained": len(wa & wb) / max(1, min(len(wa), len(wb))),
        "text_jaccard": jaccard(content_words(a.text), content_words(b.text)),
        "value_equal": float(a.value.strip().lower() == b.value.strip().lower()),
        "yes_no": float(bool(_YES_NO.search(question))),
        "property_equal": float(a.property.strip().lower() == b.property.strip().lower()),
        "subject_jaccard": jaccard(content_words(a.subject), content_words(b.subject)),
        "cos_value": (cosines or {}).get("value", 0.5),
        "cos_text": (cosines or {}).get("text", 0.5),
    }
    return Comparison(tuple(matches), sa, sb, features, _words(features, main, value_axes[2] or text_axes[2]), main)
