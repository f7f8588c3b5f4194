"""PICT: detect, classify, bridge, recalibrate (AreoRAG §III-D).

`Triage.assess` judges one pair of sources; `Triage.triage_evidence` all claim pairs of retrieved evidence. Nothing is
ever removed from the graph: a verdict says which side stays in the context, and why.
"""

from __future__ import annotations

import builtins
import hashlib
import itertools
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..graph.model import Claim, Observation
from ..settings import Settings
from .bridges import Bridge, Pair
from .classifier import CATEGORIES, Model, Prediction, shipped_model
from .context import Embedded, Likeness, embed_pair, make_pair
from .explain import best_bridge, explain
from .faulty import Blame, blame
from .features import Features, featurise
from .matching import comparable, subject_key
from .recalibration import Parameters, base_confidence, recalibrate
from .source import Source

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..llm.chat import ChatModel
    from ..llm.embed import Embedder
    from .entropy import Interaction

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Verdict:
    """The outcome for one pair of claims.

    ``category`` is one of noise, instrument, scale, temporal, none; ``p`` has those five keys and sums to 1; ``kept`` says
    which sides stay in the context; ``opaque`` that no physical bridge holds; ``signals`` what detection saw, apart.
    """

    a_id: str
    b_id: str
    property: str
    detected: bool
    category: str
    p: dict[str, float]
    c_base: tuple[float, float]
    c_triage: tuple[float, float]
    kept: tuple[bool, bool]
    opaque: bool
    abstained: bool
    bridge: str | None
    explanation: str
    h_inter: float | None = None
    cross_support: float | None = None
    sub_category: str | None = None
    faulty_side: str | None = None
    features: dict[str, float] = field(default_factory=dict)
    signals: dict[str, Any] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    bridge_name: str | None = None
    bridge_source: str = ""
    claim_ids: tuple[str | None, str | None] = (None, None)
    question: str = ""
    subject: str = ""
    model: str = ""
    epsilon: float = 0.3
    delta_ls_deg: float | None = None
    overruled: str | None = None

    @builtins.property  # the field `property` hides the builtin here
    def id(self) -> str:
        """Stable id of the pair of claims, whatever their order."""
        ends = sorted(f"{i}\0{c or ''}" for i, c in zip((self.a_id, self.b_id), self.claim_ids, strict=True))
        return "c-" + hashlib.sha256("\0".join([*ends, self.property]).encode()).hexdigest()[:10]

    def as_pair_result(self, pair_id: str) -> dict[str, Any]:
        """The contract's entry of ``eval conflict``."""
        return {
            "id": pair_id,
            "detected": self.detected,
            "predicted": self.category,
            "p": self.p,
            "h_inter": self.h_inter,
            "cross_support": self.cross_support,
            "c_base": list(self.c_base),
            "c_triage": list(self.c_triage),
            "kept": list(self.kept),
            "opaque": self.opaque,
            "abstained": self.abstained,
            "bridge": self.bridge,
            "sub_category": self.sub_category,
            "faulty_side": self.faulty_side,
            "explanation": self.explanation,
            "signals": self.signals,
        }


@dataclass(frozen=True)
class _Decision:
    detected: bool
    category: str
    p: dict[str, float]
    abstained: bool
    signals: dict[str, Any]


class Triage:
    """Conflict triage with shipped weights.

    Parameters
    ----------
    settings : thresholds and hyper-parameters; ``load_settings()`` by default
    chat : a language model that returns log-probabilities, or None (claims decide alone)
    embedder : sentence embedder, or None for that of the settings
    model : other weights than the shipped ones
    ablate : a feature group to leave out (for ablation tables)
    """

    def __init__(
        self,
        settings: Settings | None = None,
        chat: ChatModel | None = None,
        embedder: Embedder | None = None,
        *,
        model: Model | None = None,
        ablate: str | None = None,
    ) -> None:
        from ..settings import load_settings

        self.settings = settings or load_settings()
        self.chat, self._embedder, self._model, self.ablate = chat, embedder, model, ablate

    @cached_property
    def model(self) -> Model:
        """Weights in use."""
        return self._model or shipped_model()

    @cached_property
    def embedded(self) -> Embedded | None:
        """Embedder with the anchors of the property classes."""
        return Embedded.of(self.settings, self._embedder)

    @cached_property
    def parameters(self) -> Parameters:
        """Hyper-parameters of the recalibration; ε is that of the language model in use."""
        s = self.settings
        epsilon = s.epsilon
        if self.chat is not None:
            from .entropy import epsilon_of

            epsilon = epsilon_of(self.chat.name, s)
        return Parameters(epsilon, s.eta, s.beta, s.beta_temp, s.tau_temp_deg, s.alpha)

    # ------------------------------------------------------------ one pair
    def assess(
        self,
        question: str,
        a: Source,
        b: Source,
        *,
        similarity: tuple[float, float] | None = None,
        overruled: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """Judge one pair of claims.

        Parameters
        ----------
        question : what was asked
        similarity : cosines of question and each source, when retrieval has them; else from the embedder
        overruled : a person's decision on this conflict (category, who, when, why), which stands over the classifier
        """
        like = embed_pair(question, a, b, self.embedded)
        pair = make_pair(question, a, b, like)
        interaction = self._interaction(question, a, b)
        features = featurise(
            pair, interaction.h_inter if interaction else None, interaction.cross_support if interaction else None
        )
        learned = self.model.predict(features.z, self.ablate)[0]
        prediction = fuse(learned, features.bridges, same_value=_same_value(a, b))
        decision = self._decide(prediction, interaction, features)
        if overruled is not None:
            decision = _overruled(decision, str(overruled["category"]))
        return self._verdict(question, pair, features, decision, interaction, _base(like, similarity), overruled)

    def _interaction(self, question: str, a: Source, b: Source) -> Interaction | None:
        if self.chat is None:
            return None
        from .entropy import interaction

        return interaction(self.chat, question, a, b)

    def _decide(self, prediction: Prediction, interaction: Interaction | None, features: Features) -> _Decision:
        by_claims = prediction.p_conflict >= self.model.threshold
        h = interaction.h_inter if interaction is not None else None
        by_entropy = h is not None and h > self.parameters.epsilon
        detected = by_claims or by_entropy
        p_conflict = max(prediction.p_conflict, 0.5) if by_entropy else prediction.p_conflict
        p = {c: p_conflict * v for c, v in prediction.p_category.items()}
        p["none"] = 1.0 - p_conflict
        total = sum(p.values())
        p = {c: v / total for c, v in p.items()}
        abstained = detected and prediction.confidence < self.settings.abstain_below
        signals = {
            "claims": by_claims,
            "claim_probability": prediction.p_conflict,
            "entropy": by_entropy if h is not None else None,
            "said": list(features.pair.comparison.signals),
        }
        return _Decision(detected, prediction.category if detected else "none", p, abstained, signals)

    def _verdict(
        self,
        question: str,
        pair: Pair,
        features: Features,
        decision: _Decision,
        interaction: Interaction | None,
        c_base: tuple[float, float],
        overruled: Mapping[str, Any] | None,
    ) -> Verdict:
        category = decision.category
        found = (
            blame(pair, features.bridges) if category == "noise" and not decision.abstained else Blame(None, "", None)
        )
        bridge = best_bridge(features.bridges, category, found)
        kept = (found.side != "a", found.side != "b")
        h = interaction.h_inter if interaction is not None else None
        c_triage = tuple(
            recalibrate(
                base,
                "none" if decision.abstained else category,
                h_inter=h,
                delta_ls_deg=pair.cumulative_ls_gap_deg,
                faulty=found.side == letter,
                parameters=self.parameters,
            )
            for letter, base in zip("ab", c_base, strict=True)
        )
        opaque = decision.detected and (category == "noise" or decision.abstained or bridge is None or not bridge.holds)
        note = None
        if overruled is not None:
            note = (
                f"{overruled['category']} by {overruled.get('who')} on {overruled.get('when')}: {overruled.get('why')}"
            )
        return Verdict(
            a_id=pair.a.data_id,
            b_id=pair.b.data_id,
            property=pair.a.property,
            detected=decision.detected,
            category=category,
            p=decision.p,
            c_base=c_base,
            c_triage=(c_triage[0], c_triage[1]),
            kept=kept,
            opaque=opaque,
            abstained=decision.abstained,
            bridge=None if bridge is None or not decision.detected else bridge.text,
            explanation=explain(pair, decision.detected, category, bridge, found, decision.abstained),
            h_inter=h,
            cross_support=interaction.cross_support if interaction is not None else None,
            sub_category=bridge.sub_category if bridge is not None and decision.detected else None,
            faulty_side=found.side,
            features=features.as_dict(),
            signals=decision.signals,
            numbers=dict(bridge.numbers) if bridge is not None else {},
            bridge_name=bridge.name if bridge is not None else None,
            bridge_source=bridge.source if bridge is not None else "",
            claim_ids=(pair.a.claim_id, pair.b.claim_id),
            question=question,
            subject=pair.a.subject,
            model=self.model.version,
            epsilon=self.parameters.epsilon,
            delta_ls_deg=pair.cumulative_ls_gap_deg,
            overruled=note,
        )

    # ------------------------------------------------------------ evidence
    def triage_evidence(
        self,
        question: str,
        observations: Sequence[Observation],
        similarity: Mapping[str, float] | None = None,
        *,
        db: Database | None = None,
    ) -> list[Verdict]:
        """Judge all comparable claim pairs of retrieved evidence: the same property of the same subject or place.

        Parameters
        ----------
        similarity : cosine of the question and each observation by id, from retrieval
        db : where decisions by people are kept; they stand over the classifier

        Returns
        -------
        list of Verdict
            Conflicts first, the most certain first; pairs that agree follow.
        """
        decisions: dict[str, dict[str, Any]] = {}
        if db is not None:
            from .store import decisions as read_decisions

            decisions = read_decisions(db, [o.id for o in observations])
        verdicts = []
        for (oa, ca), (ob, cb) in _claim_pairs(observations):
            a, b = _source(oa, ca), _source(ob, cb)
            sim = None
            if similarity is not None and oa.id in similarity and ob.id in similarity:
                sim = (similarity[oa.id], similarity[ob.id])
            key = pair_key(ca.id, cb.id)
            verdicts.append(self.assess(question, a, b, similarity=sim, overruled=decisions.get(key)))
        verdicts.sort(key=lambda v: (not v.detected, v.p["none"]))
        return verdicts


def _source(observation: Observation, claim: Claim) -> Source:
    import dataclasses

    return dataclasses.replace(Source.from_observation(observation, claim), data_id=observation.id)


def pair_key(a: str | None, b: str | None) -> str:
    """Key of a pair of claims, whatever their order."""
    return "\0".join(sorted((a or "", b or "")))


def _claim_pairs(
    observations: Sequence[Observation],
) -> list[tuple[tuple[Observation, Claim], tuple[Observation, Claim]]]:
    rows = [(o, c) for o in observations for c in o.claims]
    by_key: dict[str, list[tuple[Observation, Claim]]] = {}
    for row in rows:
        by_key.setdefault(subject_key(row[1]), []).append(row)
    out = []
    for group in by_key.values():
        for x, y in itertools.combinations(group, 2):
            if x[0].id != y[0].id and comparable(x[0], x[1], y[0], y[1]):
                out.append((x, y))
    return out


def _base(like: Likeness, similarity: tuple[float, float] | None) -> tuple[float, float]:
    cosines = similarity or like.base or (0.0, 0.0)
    return base_confidence(cosines[0]), base_confidence(cosines[1])


def _overruled(decision: _Decision, category: str) -> _Decision:
    detected = category != "none"
    p = {c: (0.96 if c == category else 0.01) for c in (*CATEGORIES, "none")}
    return _Decision(detected, category, p, False, decision.signals | {"overruled": True})


def _same_value(a: Source, b: Source) -> bool:
    """Do both claims state the very same value, word for word?"""
    return bool(a.value.strip()) and a.value.strip().casefold() == b.value.strip().casefold()


def fuse(prediction: Prediction, bridges: Mapping[str, Bridge | None], *, same_value: bool = False) -> Prediction:
    """Let proofs stand over the learned weights.

    The classifier sees the fault tests as features among two hundred; where one of them proves a bookkeeping error by itself
    (an impossible value, a coordinate flip, a datum offset, a lost sign, the same digits with a shifted point), the odds of
    noise are multiplied by e³ and a conflict is certain. Two claims of the very same value do not contradict each other.
    """
    proofs = [bridges.get(name) for name in ("impossible", "misplaced", "datum", "sign_flip")]
    shifted = bridges.get("unit_mixup")
    proven = any(b is not None and b.score >= 0.9 and b.faulty for b in proofs)
    if not proven and not (shifted is not None and shifted.name == "decimal shift"):
        return replace(prediction, p_conflict=min(prediction.p_conflict, 0.1)) if same_value else prediction
    raised = {c: v * (math.exp(3.0) if c == "noise" else 1.0) for c, v in prediction.p_category.items()}
    total = sum(raised.values())
    return Prediction(max(prediction.p_conflict, 0.95), {c: v / total for c, v in raised.items()})


def strongest(bridges: Mapping[str, Bridge | None], category: str) -> Bridge | None:
    """The bridge of a category with the highest score, or None."""
    found = [b for b in bridges.values() if b is not None and b.category == category]
    return max(found, key=lambda b: b.score, default=None)
