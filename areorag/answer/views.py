"""From retrieval's evidence and triage's verdicts to the records an answer shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..graph.model import Observation
from ..triage.recalibration import normalised
from .model import ConflictView, Source

if TYPE_CHECKING:
    from ..retrieval.reasoning.run import AnswerFact
    from ..retrieval.texts import Text
    from ..triage.pict import Verdict


def source_of(n: int, observation: Observation, score: float, scores: Mapping[str, float]) -> Source:
    """A numbered source from an observation, or a text fact read as one, and its scores."""
    o = observation
    titles = [str(o.meta["document"])] if o.meta.get("document") else []
    return Source(
        n=n,
        id=o.id,
        kind="fact" if "passage_id" in o.meta else o.kind,
        platform=o.platform,
        instrument=o.instrument,
        institution=o.institution,
        resolution_m=o.resolution_m,
        mars_year=o.mars_year,
        ls_deg=o.ls_deg,
        sol=o.sol,
        start=o.model_dump(mode="json")["start"],
        lon_deg=o.position_lon_deg,
        lat_deg=o.position_lat_deg,
        footprint=o.footprint,
        authority=o.authority,
        quality_flags=o.quality_flags,
        warnings=o.warnings,
        text=o.text,
        claims=o.claims,
        citations=list(dict.fromkeys([*titles, *(c.citation for c in o.claims if c.citation)])),
        source_file=o.product.source_file,
        sha256=o.product.sha256,
        lid=o.product.lid,
        version=o.product.version,
        score=float(score),
        scores={k: float(v) for k, v in scores.items()},
    )


def passage_source(n: int, found: Text) -> Source:
    """A numbered source from a passage of a document."""
    row = found.row
    return Source(
        n=n,
        id=str(row["id"]),
        kind="passage",
        instrument=None,
        text=str(row["text"]),
        quoted=found.sentence,
        source_file=row.get("source_file"),
        sha256=row.get("sha256"),
        score=found.cosine,
        scores={"f_k": found.cosine},
        citations=[str(row["title"])] if row.get("title") else [],
    )


def fact_source(n: int, fact: AnswerFact) -> Source:
    """A numbered source from a hyperedge that reasoning went through."""
    return Source(n=n, id=fact.id, kind=fact.kind.lower(), text=fact.text, source_file=fact.source or None,
                  score=fact.score, scores={"path": fact.score})  # fmt: skip


def conflict_view(letter: str, verdict: Verdict, numbers: Mapping[str, int]) -> ConflictView:
    """A triaged pair as the answer shows it; `numbers` maps DataIDs to source numbers."""
    return ConflictView(
        letter=letter,
        id=verdict.id,
        category=verdict.category,
        sub_category=verdict.sub_category,
        opaque=verdict.opaque,
        abstained=verdict.abstained,
        overruled=verdict.overruled,
        property=verdict.property,
        a=numbers[verdict.a_id],
        b=numbers[verdict.b_id],
        a_id=verdict.a_id,
        b_id=verdict.b_id,
        p={k: float(v) for k, v in verdict.p.items()},
        h_inter=verdict.h_inter,
        bridge=verdict.bridge,
        explanation=verdict.explanation,
        features={k: float(v) for k, v in verdict.features.items()},
        confidence_before=(normalised(verdict.c_base[0]), normalised(verdict.c_base[1])),
        confidence_after=(normalised(verdict.c_triage[0]), normalised(verdict.c_triage[1])),
        kept=tuple(verdict.kept),
        faulty_side=verdict.faulty_side,
    )
