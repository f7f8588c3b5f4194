"""The last step of ``areorag ask`` on retrieved evidence, and what the paper puts in its place (AreoRAG Table III).

``pict`` (w/o PICT): MultiRAG's MCC, every disagreement costs the side that is less like the question. ``uniform`` (w/o
conflict classification): conflicts as we detect them, but each is taken for noise and the less trusted side goes.
``delta_hp`` (w/o interaction entropy): TruthfulRAG's ΔH_p decides what a conflict is. It needs a model's
log-probabilities; without one likeness to the question stands in, and as many pairs of a question count as conflicts as
our detector finds, those whose sides differ most in it. Classification stays in both cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..answer.arp import MAX_PARTNERS, Chosen, left_out, settle
from ..answer.compose import relevant, topics
from ..graph.connection import Database
from ..graph.model import Observation
from ..triage.baselines import RULE_CONFLICT, claims_disagree, less_like
from ..triage.classifier import CATEGORIES
from ..triage.context import embed_pair, make_pair
from ..triage.pict import Triage, Verdict
from ..triage.source import Source

if TYPE_CHECKING:
    from ..retrieval.engine import Retrieval
    from ..retrieval.intent.model import SpatialIntent

Records = Callable[[Sequence[str]], list[Observation]]
Partners = Callable[[Sequence[str]], list[str]]


class Remembering(Triage):
    """PICT that judges a pair of claims under one question once: configurations share their verdicts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known: dict[tuple[str, str | None, str | None], Verdict] = {}

    def assess(self, question: str, a: Source, b: Source, **kwargs: Any) -> Verdict:
        """As `Triage.assess`."""
        key = (question, a.claim_id, b.claim_id)
        if key not in self.known:
            self.known[key] = super().assess(question, a, b, **kwargs)
        return self.known[key]


class _Instead(Triage):
    """A triage that changes the verdicts of another."""

    def __init__(self, of: Remembering) -> None:
        super().__init__(of.settings, of.chat, of._embedder, model=of._model)
        self.of = of

    def assess(self, question: str, a: Source, b: Source, **kwargs: Any) -> Verdict:
        """The other's verdict, changed."""
        return self.change(question, a, b, self.of.assess(question, a, b, **kwargs))

    def change(self, question: str, a: Source, b: Source, verdict: Verdict) -> Verdict:
        """What this ablation makes of a verdict."""
        raise NotImplementedError


class Uniform(_Instead):
    """Every detected conflict is noise; the lower authority goes, of equals the one less like the question."""

    def change(self, question: str, a: Source, b: Source, verdict: Verdict) -> Verdict:
        """See the class."""
        if not verdict.detected:
            return verdict
        side = "a" if (a.authority, verdict.c_base[0]) < (b.authority, verdict.c_base[1]) else "b"
        return _dropping(verdict, side)


class Mcc(_Instead):
    """MultiRAG: the claims' comparison detects, whichever side is less like the question goes."""

    def change(self, question: str, a: Source, b: Source, verdict: Verdict) -> Verdict:
        """See the class."""
        like = embed_pair(question, a, b, self.of.embedded)
        if claims_disagree(make_pair(question, a, b, like)) < RULE_CONFLICT:
            return replace(verdict, detected=False, category="none", kept=(True, True), faulty_side=None)
        return _dropping(verdict, less_like(like))


class DeltaHp(_Instead):
    """TruthfulRAG's ΔH_p in place of the cross-source signal; PICT's classes stay."""

    def triage_evidence(
        self,
        question: str,
        observations: Sequence[Observation],
        similarity: Mapping[str, float] | None = None,
        *,
        db: Database | None = None,
    ) -> list[Verdict]:
        """All pairs; which of them are conflicts is decided among those of one question."""
        found = self.of.triage_evidence(question, observations, similarity, db=db)
        gaps = [self._gap(question, v, observations) for v in found]
        if self.of.chat is not None:
            chosen = {i for i, gap in enumerate(gaps) if gap > self.of.parameters.epsilon}
        else:
            order = sorted(range(len(found)), key=lambda i: (-gaps[i], found[i].id))
            chosen = set(order[: sum(v.detected for v in found)])
        out = [self._taken(v) if i in chosen else _agreeing(v) for i, v in enumerate(found)]
        return sorted(out, key=lambda v: (not v.detected, v.p["none"]))

    def change(self, question: str, a: Source, b: Source, verdict: Verdict) -> Verdict:
        """One pair by itself is as the other triage judges it."""
        return verdict

    def _gap(self, question: str, verdict: Verdict, observations: Sequence[Observation]) -> float:
        if self.of.chat is None:
            return abs(verdict.c_base[0] - verdict.c_base[1])
        from ..triage.entropy import parametric_gain

        sides = [Source.from_observation(o, c) for o in observations for c in o.claims if c.id in verdict.claim_ids]
        gains = [parametric_gain(self.of.chat, question, side) for side in sides]
        return abs(gains[0] - gains[-1]) if gains else 0.0

    def _taken(self, verdict: Verdict) -> Verdict:
        if verdict.detected:
            return verdict
        category = max(CATEGORIES, key=lambda c: verdict.p[c])
        if category != "noise":
            return replace(verdict, detected=True, category=category)
        return _dropping(verdict, "a" if verdict.c_base[0] < verdict.c_base[1] else "b")


def _dropping(verdict: Verdict, side: str | None) -> Verdict:
    return replace(
        verdict, detected=True, category="noise", kept=(side != "a", side != "b"), faulty_side=side, opaque=True
    )


def _agreeing(verdict: Verdict) -> Verdict:
    return replace(verdict, detected=False, category="none", kept=(True, True), faulty_side=None)


def triages(base: Remembering) -> dict[str, Triage]:
    """The triage of each ablation of it; the others use `base`."""
    return {"pict": Mcc(base), "uniform": Uniform(base), "delta_hp": DeltaHp(base)}


@dataclass
class Judged:
    """Evidence after triage: ids that stay, in their order; what was left out; what was compared."""

    kept: list[str]
    dropped: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    verdicts: list[Verdict] = field(default_factory=list)


def judge(
    triage: Triage, question: str, retrieval: Retrieval, ids: Sequence[str], records: Records, partners: Partners
) -> Judged:
    """Triage of retrieved evidence with what states the same beside it, as ``areorag ask`` does it.

    Parameters
    ----------
    ids : the evidence, best first
    records : observations of ids, in any order
    partners : ids of observations that state the same property of the same thing as the given ones
    """
    intent: SpatialIntent = retrieval.intent
    by_id = {o.id: o for o in records(ids)}
    scores = {e.id: dict(e.scores) for e in retrieval.evidence}
    chosen = [Chosen(by_id[i], 0.0, scores.get(i, {})) for i in ids if i in by_id]
    asked = list(intent.properties)
    claiming = [c.observation.id for c in chosen if c.observation.claims]
    for o in records(partners(claiming)[: MAX_PARTNERS * 4]) if claiming else []:
        barred = (
            o.instrument in intent.exclude.instruments
            or o.platform in intent.exclude.platforms
            or o.kind in intent.exclude.kinds
        )
        if not barred and (not asked or any(relevant(c.property, asked) for c in o.claims)):
            chosen.append(Chosen(o, added=True))
    asked = asked or topics(question, [c for item in chosen for c in item.observation.claims])
    verdicts = settle(triage, question, chosen, asked)
    dropped = set(left_out(verdicts))
    return Judged([i for i in ids if i not in dropped], dropped, {c.observation.id for c in chosen}, verdicts)
