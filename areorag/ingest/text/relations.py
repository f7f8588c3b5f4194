"""Which target contains what: (target, component) pairs from elements, minerals, oxides and materials near names.

The text side of the claims of AreoRAG Definition 1. For each component mention the targets of its sentence, or the
target the passage is about when the sentence names none, are scored by a logistic model over distance, order,
coordination and the words around them (``data/contains_model.json``; names play no part).
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from .scope import PLURAL, SINGULAR, list_features, target_lists
from .spans import Span, Zones
from .targets import score

_OXIDE = re.compile(
    r"(?<![A-Za-z0-9])(?:SiO2|TiO2|Al2O3|Cr2O3|Fe2O3|FeOT?|FeO\*|MnO2?|MgO|CaO|Na2O|K2O|P2O5|SO3|SO2|ZnO|NiO|H2O|CO2|CH4|"
    r"MgSO4|CaSO4|NaCl)(?![A-Za-z0-9])"
)
_MATERIAL = re.compile(
    r"(?<![A-Za-z])(?:X-ray amorphous (?:material|component)s?|amorphous component\(s\)|"
    r"amorphous (?:component|material|phase)s?|(?<=\d )Amorphous(?= \d)|mafic silicates|mudstones?|sandstones?|"
    r"(?:breccio-)?conglomerates?|clays?(?: minerals?)?|silica|alkalis?|perchlorates?|organics?|organic molecules|"
    r"chlorobenzene|(?:[A-Z][a-z]|ferric|iron|manganese)[- ]oxides?|nitrates?|opaline silica)(?![A-Za-z])"
)
TRIGGER = {
    "contain": r"contain\w*|compris\w*|consist(?:s|ed|ing) of|compos\w+|made up|includ\w+|dominated|bear(?:s|ing)",
    "rich": r"rich\w*|enrich\w*|elevated|high\w*|abundan\w*|increas\w*|strong\w*|excess|greater|large\w*|significant",
    "poor": r"poor\w*|deplet\w*|low\w*|decreas\w*|weak\w*|minor|trace|less",
    "detect": (
        r"detect\w*|identif\w*|observ\w*|found|reveal\w*|show\w*|display\w*|exhibit\w*|indicat\w*|confirm\w*|"
        r"presence|present"
    ),
    "amount": r"wt\.? ?%|ppm|%|content\w*|concentration\w*|abundance\w*|composition\w*|ratio\w*|mineralogy|chemistry",
    "consistent": r"consistent|evidence|suggest\w*|likely|interpret\w*|possibl\w*|attributed",
    "not": r"\bno\b|\bnot\b|absen\w+|lack\w*|without|nor\b",
    "other": r"compar\w*|unlike|whereas|however|while|than|versus|vs|similar|differ\w*",
    "model": r"laborator\w*|experiment\w*|standard\w*|calibrat\w*|terrestrial|Earth|analog\w*|model\w*|simulat\w*",
    "vein": r"veins?|nodules?|matrix|cement|coating|crystal\w*|fractures?|host|grains?|concretion\w*",
}
_JOIN = re.compile(
    r"^(?:-\w+)?(?:\s?\([^()]{0,40}\))?\s?(?:[,/;+&-]|,? and|,? or|, as well as)?\s?"
    r"(?:(?:a|an|the|and|or|some|possibly|minor|significant|of|\d+\s?\S{1,2}|~?\d+\.?\d*\s?(?:wt\.?)?\s?%?)\s)*$"
)
_TRIGGER = {k: re.compile(rf"(?i)\b(?:{v})") for k, v in TRIGGER.items()}


_FUNCTION = frozenset(
    "in of with by from for to at on and than as is are was were has have the a an that which may be not no also "  # noqa: SIM905
    "between or sol sols target drill member".split()
)


@dataclass(frozen=True)
class Pair:
    """A target and a component it is said to contain; `sentence` quotes the component's sentence exactly."""

    target: Span
    component: Span
    probability: float
    sentence: tuple[int, int]


@dataclass(frozen=True)
class RelationModel:
    """Weights and threshold of the pair model."""

    weights: dict[str, float]
    threshold: float

    def payload(self) -> dict[str, Any]:
        """JSON form."""
        return {"weights": self.weights, "threshold": self.threshold}


@cache
def default_model() -> RelationModel:
    """The shipped weights."""
    d = json.loads((resources.files(__package__) / "data" / "contains_model.json").read_text("utf-8"))
    return RelationModel(d["weights"], float(d["threshold"]))


def find_materials(text: str, zones: Zones) -> list[Span]:
    """Oxides and bulk materials: components that are neither an element nor a mineral."""
    out = []
    for pattern in (_OXIDE, _MATERIAL):
        for m in pattern.finditer(text):
            people = zones.in_authors(m.start()) or zones.in_references(m.start())
            out += [] if people else [Span(m.start(), m.end(), "Material", m[0])]
    return sorted(out)


def _bucket(prefix: str, value: int, edges: tuple[int, ...]) -> str:
    for edge in edges:
        if value <= edge:
            return f"{prefix}<={edge}"
    return f"{prefix}>{edges[-1]}"


@dataclass(frozen=True)
class Scope:
    """Targets to consider for one component: the nearest mention of each name; `extra` are names said elsewhere because
    the document is about them.
    """

    names: dict[str, Span]
    extra: frozenset[str]


class PairContext:
    """Everything about one document the features need."""

    def __init__(self, text: str, targets: list[Span], components: list[Span], zones: Zones) -> None:
        self.text, self.targets, self.components, self.zones = text, targets, components, zones
        self.sent_t = [zones.sentence_of(t.start) for t in targets]
        self.starts = [t.start for t in targets]
        components = sorted(components)
        self.comp_starts = [c.start for c in components]
        counts: dict[str, int] = {}
        for t in targets:
            counts[t.text] = counts.get(t.text, 0) + 1
        self.counts = counts
        self.total = max(1, len(targets))
        self.order = sorted(components)
        # a title stands above an author block; the first words of any other text are no title
        head = text[: max(zones.title_end, 150)] if zones.header_end else ""
        self.title = {n for n in counts if n.upper() in head.upper()}
        self.by_count = sorted(counts, key=lambda n: -counts[n])
        self.top = self.by_count[0] if counts else ""
        self.main = [n for n in self.by_count[:2] if counts[n] >= 0.2 * self.total]
        self.in_sentence: dict[int, list[Span]] = {}
        for t, st in zip(targets, self.sent_t, strict=True):
            self.in_sentence.setdefault(st, []).append(t)
        self.lists = {st: target_lists(text, ts) for st, ts in self.in_sentence.items()}
        self.headings = [
            t
            for t in targets
            if re.match(r"\s?(?:\([^)]{0,40}\))?:", text[t.end : t.end + 45]) and zones.header_end < t.start
        ]
        self.heading_starts = {t.start for t in self.headings}
        self._lists: dict[int, tuple[int, int]] = {}
        self._words: dict[tuple[int, int], dict[str, float]] = {}

    def list_window(self, c: Span) -> tuple[int, int]:
        """Start of the first and end of the last component of the list `c` stands in ("Si, Al, and alkalis")."""
        if c.start not in self._lists:
            self._lists[c.start] = self._list_window(c)
        return self._lists[c.start]

    def _list_window(self, c: Span) -> tuple[int, int]:
        i = bisect_right(self.comp_starts, c.start) - 1
        lo = hi = i
        while lo > 0 and _JOIN.match(self.text[self.order[lo - 1].end : self.order[lo].start]):
            lo -= 1
        while hi + 1 < len(self.order) and _JOIN.match(self.text[self.order[hi].end : self.order[hi + 1].start]):
            hi += 1
        return self.order[max(lo, 0)].start, self.order[max(hi, 0)].end

    def _components_in(self, lo: int, hi: int) -> int:
        """Number of components that begin in [lo, hi)."""
        return max(0, bisect_left(self.comp_starts, hi) - bisect_left(self.comp_starts, lo))

    def _around(self, c: Span, a: int, b: int) -> dict[str, float]:
        """Trigger words near a component (`win`), before and after its list; [a, b) is its sentence."""
        if (c.start, c.end) not in self._words:
            text, (head, tail) = self.text, self.list_window(c)
            near = {
                "win_": text[max(a, c.start - 40) : min(b, c.end + 40)],
                "lead_": text[max(a, head - 35) : head],
                "trail_": text[tail : min(b, tail + 35)],
            }
            self._words[c.start, c.end] = {
                place + key: 1.0 for place, part in near.items() for key, p in _TRIGGER.items() if p.search(part)
            }
        return self._words[c.start, c.end]

    def candidates(self, c: Span) -> Scope:
        """Target names to consider for a component: its sentence's, else the last ones; and the document's main ones."""
        s = self.zones.sentence_of(c.start)
        near: dict[str, Span] = {}
        for t in self.in_sentence.get(s, ()):
            self._keep(near, t, c)
        inside = bool(near)
        if not inside:
            self._before(c, s, near)
        a, b = self.zones.sentences[s]
        main: list[str] = []
        if not inside:
            main = [n for n in self.main if n in self.title or self.counts[n] >= 0.35 * self.total]
            main += self.by_count[:2] if PLURAL.search(self.text, a, b) else []
        extra = frozenset(main) - near.keys()
        for t in self.targets:
            if t.text in extra and (t.text not in near or t.start <= c.start):
                near[t.text] = t
        return Scope(near, extra)

    def _before(self, c: Span, s: int, near: dict[str, Span]) -> None:
        """Targets of the last sentence that names some, of the heading above, and the first of the next sentence."""
        i = bisect_right(self.starts, c.start) - 1
        reach = 25 if i >= 0 and self.targets[i].text in (self.title | {self.top}) else 6
        if i >= 0 and s - self.sent_t[i] <= reach:
            for t in self.in_sentence[self.sent_t[i]]:
                self._keep(near, t, c)
        for t in reversed(self.headings):
            if t.start < c.start:
                if c.start - t.start < 3500:
                    self._keep(near, t, c)
                break
        j = i + 1
        if j < len(self.targets) and self.sent_t[j] - s == 1:
            self._keep(near, self.targets[j], c)

    @staticmethod
    def _keep(near: dict[str, Span], t: Span, c: Span) -> None:
        old = near.get(t.text)
        if old is None or abs(t.start - c.start) < abs(old.start - c.start):
            near[t.text] = t

    def features(self, c: Span, t: Span, scope: Scope) -> dict[str, float]:
        """Sparse features of the pair (component mention, nearest mention of the target)."""
        text, names = self.text, scope.names
        before = t.end <= c.start
        lo, hi = (t.end, c.start) if before else (c.end, t.start)
        between = text[lo:hi] if hi > lo else ""
        st, sc = self.zones.sentence_of(t.start), self.zones.sentence_of(c.start)
        a, b = self.zones.sentences[sc]
        sentence = text[a:b]
        same = st == sc
        order = "fwd" if before else "bwd"
        f: dict[str, float] = {"bias": 1.0, ("same" if same else _bucket("sents", abs(sc - st), (1, 2, 4, 10))): 1.0}
        f["type_" + c.type] = 1.0
        if same:
            f[_bucket("dist_" + order, hi - lo, (3, 8, 20, 50, 100, 200))] = 1.0
        other = sum(1 for n, x in names.items() if n != t.text and lo <= x.start < hi)
        f[_bucket("targets_between", other, (0, 1, 3))] = 1.0
        comps = self._components_in(lo, hi) - self.comp_starts.count(c.start) * (lo <= c.start < hi)
        f[_bucket("comps_between", comps, (0, 1, 3, 6))] = 1.0
        f["order_" + order + ("_same" if same else "_far")] = 1.0
        head, tail = self.list_window(c)
        f |= self._around(c, a, b)
        f |= {"btw_" + key: 1.0 for key, pattern in _TRIGGER.items() if pattern.search(between[-200:])}
        f["names_in_scope"] = min(len(names), 6) / 6
        f["share"] = self.counts[t.text] / self.total
        f["in_title"] = float(t.text in self.title)
        f["in_title_far"] = float(t.text in self.title and not same)
        f["top"] = float(t.text == self.top)
        f["top_far"] = float(t.text == self.top and not same)
        f["heading"] = float(t.start in self.heading_starts)
        self._shape(f, c, t, head, tail)
        if same:
            f |= list_features(text, self.lists[sc], t, head, tail)
        else:
            self._said_elsewhere(f, sentence, t)
        f["extra"] = float(t.text in scope.extra)
        f["semicolons"] = min(3, between.count(";")) / 3
        f["list_size"] = min(8, self._components_in(head, tail)) / 8
        f["t_before_list"] = float(t.end <= head)
        f["t_next_to_list"] = float(0 <= head - t.end < 25 or 0 <= t.start - tail < 12)
        if c.type == "Material":
            f["mat_" + c.text.lower().rstrip("s")[:12]] = 1.0
            f["oxide"] = float(bool(_OXIDE.fullmatch(c.text)))
        f["sole"] = float(len(self.counts) == 1)
        f["few"] = float(len(self.counts) <= 3)
        f["many_names"] = float(len(self.counts) > 8)
        f["long"] = float(len(sentence) > 300)
        nearest = min(names.values(), key=lambda x: abs(x.start - c.start))
        f["nearest"] = float(nearest.text == t.text)
        after = text[t.end : t.end + 25]
        f["t_paren"] = float(bool(re.match(r"\s?\(", after)))
        f["t_material"] = float(bool(re.match(r"\s(?:target|rock|soil|drill|sample|mudstone|sandstone|vein)", after)))
        f["t_in"] = float(
            bool(re.search(r"\b(?:in|at|for|from|of|on) (?:the )?[\"“]?$", text[max(0, t.start - 12) : t.start]))
        )
        f["clause"] = float(bool(re.search(r"[;:]|, (?:whereas|while|but)", between)))
        f["c_rich"] = float(bool(re.match(r"-?(?:rich|bearing|poor)", text[c.end : c.end + 9])))
        f["caption"] = float(bool(re.match(r"(?:Fig|Table)", sentence)))
        f["digits"] = min(1.0, sum(ch.isdigit() for ch in sentence) / 40)
        f["title"] = float(c.start < self.zones.header_end + 1)
        f["log_dist"] = math.log1p(max(0, hi - lo)) / 6
        return {k: v for k, v in f.items() if v}

    def _said_elsewhere(self, f: dict[str, float], sentence: str, t: Span) -> None:
        """A target of another sentence: does this one speak of "the sample" or "both samples", and is it a main one?"""
        one, several = bool(SINGULAR.search(sentence)), bool(PLURAL.search(sentence))
        f["far_one"] = float(one)
        f["far_several"] = float(several)
        f["far_several_top2"] = float(several and t.text in self.by_count[:2])
        f["far_top2"] = float(t.text in self.by_count[:2])
        f["far_share"] = self.counts[t.text] / self.total
        f["far_main_one"] = float(one and t.text in self.main)

    def _shape(self, f: dict[str, float], c: Span, t: Span, head: int, tail: int) -> None:
        """Nesting of the component and the function words at the edges of the list and of the target."""
        text = self.text
        i = bisect_right(self.comp_starts, c.start) - 1
        around = self.order[max(0, i - 3) : i + 5]
        f["inner"] = float(any(o != c and o.covers(c) for o in around))
        f["outer"] = float(any(o != c and c.covers(o) for o in around))
        f["inner_" + c.type] = f["inner"]
        for key, side in (
            ("head", re.search(r"([a-z]+)\W{0,3}$", text[max(0, head - 16) : head])),
            ("tail", re.match(r"\W{0,3}([a-z]+)", text[tail : tail + 16])),
            ("t_pre", re.search(r"([a-z]+)\W{0,3}$", text[max(0, t.start - 16) : t.start])),
            ("t_post", re.match(r"\W{0,3}([a-z]+)", text[t.end : t.end + 16])),
        ):
            if side and side[1] in _FUNCTION:
                f[f"{key}_{side[1]}"] = 1.0


def pair_rows(context: PairContext) -> list[tuple[Span, Span, dict[str, float]]]:
    """(component, target mention, features) of every candidate pair outside authors and references."""
    out = []
    for c in context.components:
        if context.zones.in_references(c.start) or context.zones.in_authors(c.start):
            continue
        scope = context.candidates(c)
        out += [(c, t, context.features(c, t, scope)) for t in scope.names.values()]
    return out


def smoothed(
    context: PairContext, rows: list[tuple[Span, Span, dict[str, float]]], weights: dict[str, float]
) -> list[float]:
    """Probabilities of the rows, each logit averaged with the best of its list ("Si, Al and K" stand together)."""
    logits = []
    groups: dict[tuple[int, int, int], float] = {}
    keys = []
    for c, t, f in rows:
        p = min(max(score(weights, f), 1e-9), 1 - 1e-9)
        z = math.log(p / (1 - p))
        key = (t.start, *context.list_window(c))
        groups[key] = max(groups.get(key, -99.0), z)
        logits.append(z)
        keys.append(key)
    return [1.0 / (1.0 + math.exp(-(z + groups[k]) / 2)) for z, k in zip(logits, keys, strict=True)]


def find_pairs(
    context: PairContext, model: RelationModel | None = None, certainty: dict[str, float] | None = None
) -> list[Pair]:
    """Pairs the model accepts, by component offset.

    A pair's probability is the relation's times the probability that the name is a target's (`certainty`, 1 if absent).
    """
    model = model or default_model()
    rows = pair_rows(context)
    sentences = context.zones.sentences
    out = []
    for (c, t, _), p in zip(rows, smoothed(context, rows, model.weights), strict=True):
        p *= (certainty or {}).get(t.text, 1.0)
        if p >= model.threshold:
            out.append(Pair(t, c, p, sentences[context.zones.sentence_of(c.start)]))
    return out
