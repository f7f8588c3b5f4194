"""The answer and everything it rests on, as one record that can be stored, shown and audited (AreoRAG Algorithm 1)."""

from __future__ import annotations

import html
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from ..graph.model import Claim, Record
from ..planet.units import length as metres

Category = Literal["noise", "instrument", "scale", "temporal"]


class Source(Record):
    """One numbered source of an answer: a product, a document, or the statement that it was left out."""

    n: int
    id: str
    kind: str
    platform: str | None = None
    instrument: str | None = None
    institution: str | None = None
    resolution_m: float | None = None
    mars_year: int | None = None
    ls_deg: float | None = None
    sol: int | None = None
    start: str | None = None
    lon_deg: float | None = None
    lat_deg: float | None = None
    footprint: dict[str, Any] | None = None
    authority: float | None = None
    quality_flags: list[str] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    text: str = ""
    quoted: str | None = Field(default=None, description="the sentence of `text` that the answer quotes")
    claims: list[Claim] = Field(default_factory=list)
    citations: list[str] = Field(default_factory=list, description="literature behind the claims")
    source_file: str | None = None
    sha256: str | None = None
    lid: str | None = None
    version: str | None = None
    score: float = 0.0
    scores: dict[str, float] = Field(default_factory=dict)
    kept: bool = True
    why_left_out: str | None = None
    confidence_before: float | None = None
    confidence_after: float | None = None

    def label(self) -> str:
        """``CRISM · JHU/APL · 18 m · MY 28 Ls 163.2°``: what is known, nothing else."""
        parts = [self.instrument or self.kind, self.institution]
        if self.resolution_m is not None:
            parts.append(metres(self.resolution_m))
        if self.mars_year is not None and self.ls_deg is not None:
            parts.append(f"MY {self.mars_year} Ls {self.ls_deg:.1f}°")
        if self.sol is not None:
            parts.append(f"sol {self.sol}")
        return " · ".join(p for p in parts if p)


class Sentence(Record):
    """One sentence with the numbers of the sources it cites; `conflicts` are letters."""

    text: str
    cites: list[int]
    conflicts: list[str] = Field(default_factory=list)

    def __str__(self) -> str:
        return self.text + " " + "".join(f"[{n}]" for n in self.cites)


class ConflictView(Record):
    """A triaged conflict as an answer shows it."""

    letter: str
    id: str
    category: Category
    sub_category: str | None = None
    opaque: bool = False
    abstained: bool = False
    overruled: str | None = None
    property: str
    a: int
    b: int
    a_id: str
    b_id: str
    p: dict[str, float]
    h_inter: float | None = None
    bridge: str | None = None
    explanation: str
    features: dict[str, float] = Field(default_factory=dict)
    confidence_before: tuple[float, float]
    confidence_after: tuple[float, float]
    kept: tuple[bool, bool]
    faulty_side: str | None = None
    would_settle: str | None = None
    nearest: str | None = None


class Trace(Record):
    """How the answer came about: enough to run it again."""

    path: Literal["composed", "language model", "reasoning"] = "composed"
    model: str | None = None
    prompts: dict[str, str] = Field(default_factory=dict, description="prompt file -> sha256")
    tokens: dict[str, int] = Field(default_factory=dict)
    cost: float | None = None
    intent: dict[str, Any] = Field(default_factory=dict)
    read_as: list[str] = Field(default_factory=list)
    stages: list[tuple[str, int]] = Field(default_factory=list, description="(what was left, how many)")
    seconds: dict[str, float] = Field(default_factory=dict)
    lambdas: dict[str, float] = Field(default_factory=dict)
    selector: str | None = None
    coverage: float | None = None
    explain: list[dict[str, Any]] = Field(default_factory=list)
    reasoning: dict[str, Any] | None = None
    removed_citations: list[str] = Field(default_factory=list)
    settings: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    graph_version: str | None = None
    region_vector: list[float] | None = None
    notes: list[str] = Field(default_factory=list)


class Answer(Record):
    """A cited, conflict-aware answer. ``str(answer)`` is the text a terminal shows."""

    id: str
    question: str
    created: datetime
    text: str
    sentences: list[Sentence] = Field(default_factory=list)
    sources: list[Source] = Field(default_factory=list)
    conflicts: list[ConflictView] = Field(default_factory=list)
    suggestions: list[str] = Field(default_factory=list)
    trace: Trace = Field(default_factory=Trace)
    found: bool = True

    @property
    def evidence(self) -> list[Source]:
        """The sources that were kept, best first."""
        return [s for s in self.sources if s.kept]

    @property
    def left_out(self) -> list[Source]:
        """Sources triaged as noise: in the graph, not in the context."""
        return [s for s in self.sources if not s.kept]

    @property
    def citations(self) -> list[str]:
        """DataIDs that some sentence cites, in order of their numbers."""
        used = {n for s in self.sentences for n in s.cites}
        return [s.id for s in self.sources if s.n in used]

    def __str__(self) -> str:
        from .render import answer_text

        return answer_text(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"
