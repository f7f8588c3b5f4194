"""Target mentions: names of rocks, soils, drill holes and outcrops a rover team gave (O_target of AreoRAG Eq. 4).

Names are decided document by document: a logistic model over the contexts of all occurrences of a name (``candidates``)
gives a first probability, names that share a list lift each other ("Stark (sol 1), Sparkle and Clinton"), and every
occurrence of an accepted name is a mention. The weights in ``data/target_model.json`` know contexts, not names;
`train.run` fits them to any directory of brat files.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from .candidates import STOP, Candidate, find_candidates, normal
from .lexicons import known_places
from .spans import Span, Zones


@dataclass(frozen=True)
class TargetModel:
    """Weights of the two passes and the threshold on the second."""

    first: dict[str, float]
    second: dict[str, float]
    threshold: float

    @classmethod
    def from_json(cls, text: str) -> TargetModel:
        """Read the weights file."""
        d = json.loads(text)
        return cls(d["first"], d["second"], float(d["threshold"]))


@cache
def default_model() -> TargetModel:
    """The shipped weights."""
    return TargetModel.from_json((resources.files(__package__) / "data" / "target_model.json").read_text("utf-8"))


def score(weights: dict[str, float], features: dict[str, float]) -> float:
    """Logistic probability of a sparse feature vector."""
    z = sum(weights.get(k, 0.0) * v for k, v in features.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, z))))


def second_features(
    candidate: Candidate, first: dict[str, float], candidates: dict[str, Candidate]
) -> dict[str, float]:
    """Features of the second pass: the first pass's logit, the list neighbours' and the document's level."""
    p = min(max(first[candidate.name], 1e-6), 1 - 1e-6)
    near = [first[n] for n in candidate.listed_with if n in first]
    parts = [first[n] for n in candidates if n != candidate.name and (n in candidate.name or candidate.name in n)]
    out = {
        "bias": 1.0,
        "logit": math.log(p / (1 - p)),
        "near_max": max(near, default=0.0),
        "near_mean": sum(near) / len(near) if near else 0.0,
        "has_near": float(bool(near)),
        "part_max": max(parts, default=0.0),
        "doc_top": sum(sorted(first.values())[-3:]) / 3.0,
    }
    for key in ("known", "near_known", "place"):
        out[key] = candidate.features.get(key, 0.0)
    return out


def name_probabilities(candidates: dict[str, Candidate], model: TargetModel) -> dict[str, float]:
    """Probability that each candidate names a target."""
    first = {n: score(model.first, c.features) for n, c in candidates.items()}
    return {n: score(model.second, second_features(c, first, candidates)) for n, c in candidates.items()}


def mentions_of(text: str, names: set[str]) -> list[Span]:
    """Every occurrence of the names, longest first, without overlap; in capitals too (titles)."""
    taken: list[tuple[int, int]] = [
        m.span() for place in _longer_places(names) for m in re.finditer(re.escape(place), text, re.I)
    ]
    out: list[Span] = []
    variants = sorted({v for n in names for v in (n, n.upper()) if len(v) > 1}, key=lambda v: (-len(v), v))
    for variant in variants:
        upper = variant.isupper() and variant not in names
        if upper and len(variant) < 6:
            continue
        for m in re.finditer(rf"(?<![A-Za-z0-9]){re.escape(variant)}(?![A-Za-z0-9])(?!-?[A-Z]\\b)", text):
            a, b = m.span()
            if any(a < d and c < b for c, d in taken):
                continue
            taken.append((a, b))
            out.append(Span(a, b, "Target", text[a:b]))
    return sorted(out)


def _longer_places(names: set[str]) -> list[str]:
    """Known places whose name contains one of `names` ("Gillespie Lake" when "Gillespie" was accepted)."""
    return sorted(p for p in known_places() if p not in names and any(n in p and n != p for n in names))


def _aliases(text: str, names: set[str]) -> set[str]:
    """Abbreviations introduced in brackets: "Confidence Hills (CH)"."""
    out = set()
    for name in names:
        words = re.split(r"[ _]", name)
        if len(words) < 2:
            continue
        initials = "".join(w[0] for w in words if w)
        if re.search(rf"{re.escape(name)}[\"”']? \({initials}\)", text):
            out.add(initials)
    return out


@dataclass(frozen=True)
class Targets:
    """Mentions of a document and the probability of each mentioned name."""

    spans: tuple[Span, ...]
    probability: dict[str, float]


def read_targets(text: str, zones: Zones | None = None, model: TargetModel | None = None) -> Targets:
    """Target mentions with the probability that their name is a target's."""
    zones = zones or Zones(text)
    model = model or default_model()
    candidates = find_candidates(text, zones)
    probability = {n: p for n, p in name_probabilities(candidates, model).items() if p >= model.threshold}
    for name, p in list(probability.items()):
        base = normal(name)
        if len(base) > 3 and base not in STOP and base not in known_places():
            probability.setdefault(base, p)
        for alias in _aliases(text, {name}):
            probability.setdefault(alias, p)
    spans = tuple(
        s
        for s in mentions_of(text, set(probability))
        if not (zones.in_authors(s.start) and re.match(r"[0-9]|,? [A-Z]\.", text[s.end : s.end + 4]))
        and not re.search(r"[A-Z]\.\s?$", text[max(0, s.start - 3) : s.start])
    )
    by_upper = {n.upper(): p for n, p in probability.items()}
    return Targets(spans, {s.text: probability.get(s.text, by_upper.get(s.text, 1.0)) for s in spans})


def find_targets(text: str, zones: Zones | None = None, model: TargetModel | None = None) -> list[Span]:
    """All target mentions of `text`, sorted by offset."""
    return list(read_targets(text, zones, model).spans)
