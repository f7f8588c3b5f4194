"""The answer with a language model: the same differential context, prompted; citations checked against the context.

A citation that is in no source is removed and reported; a sentence that is left without any is removed and reported.
When the model fails or its budget is used up, the composed answer takes its place and the trace says so.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from ..errors import ModelError
from ..llm.prompt import fence, load_prompt
from .model import ConflictView, Sentence, Source, Trace

if TYPE_CHECKING:
    from ..llm.chat import ChatModel

log = logging.getLogger(__name__)

MAX_TEXT = 900


class DraftSentence(BaseModel):
    """One sentence of a model's draft."""

    text: str
    cites: list[int] = Field(default_factory=list)


class Draft(BaseModel):
    """What the model has to return."""

    sentences: list[DraftSentence]


def source_block(source: Source) -> str:
    """One source for the prompt: its number, and fenced as data its provenance and what it says (ids and names come from
    files too).
    """
    head = f"{source.id} | {source.label()}"
    if not source.kept:
        return f"[{source.n}] left out: {source.why_left_out}\n{fence(head, f'SOURCE {source.n}')}"
    says = [c.text or f"{c.subject}: {c.property} {c.polarity or ''} {c.value or ''}" for c in source.claims] or [
        source.text
    ]
    said = fence(f"{head}\n{' '.join(says)[:MAX_TEXT]}", f"SOURCE {source.n}")
    return f"[{source.n}]\n{said}"


def conflict_block(conflict: ConflictView) -> str:
    """One conflict for the prompt: sides, category, the physics."""
    c = conflict
    said = fence(f"{c.property}: {c.explanation}", f"CONFLICT {c.letter}")
    return f"{c.letter} ({c.category}) between [{c.a}] and [{c.b}]\n{said}"


def write(
    chat: ChatModel, question: str, sources: Sequence[Source], conflicts: Sequence[ConflictView], trace: Trace
) -> list[Sentence]:
    """The model's sentences, checked; an empty list when there is nothing usable (then compose the answer)."""
    prompt = load_prompt("answer")
    before = chat.usage.as_dict()
    try:
        draft = chat.structured(
            prompt.render(
                question=fence(question, "QUESTION"),
                sources="\n".join(source_block(s) for s in sources),
                conflicts="\n".join(conflict_block(c) for c in conflicts) or "none",
            ),
            Draft,
            max_tokens=1200,
        )
    except ModelError as exc:
        log.warning("the language model gave no usable answer: %s", exc)
        trace.notes.append(f"the language model gave no usable answer ({exc}); composed instead")
        return []
    finally:
        after = chat.usage.as_dict()
        trace.tokens = {k: int(after[k] - before[k]) for k in ("calls", "cached", "tokens_in", "tokens_out")}
        trace.prompts[prompt.name] = prompt.sha256
    sentences = check(draft, sources, conflicts, trace)
    if sentences:
        trace.model, trace.cost = chat.name, chat.cost
        if trace.path == "composed":
            trace.path = "language model"
    else:
        trace.notes.append("no sentence of the language model cited a source; composed instead")
    return sentences


def check(draft: Draft, sources: Sequence[Source], conflicts: Sequence[ConflictView], trace: Trace) -> list[Sentence]:
    """Keep what is cited to a source in the context; report what is removed."""
    known = {s.n for s in sources}
    out: list[Sentence] = []
    for item in draft.sentences:
        text = " ".join(item.text.split())
        good = [n for n in dict.fromkeys(item.cites) if n in known]
        trace.removed_citations += [f"[{n}]" for n in dict.fromkeys(item.cites) if n not in known]
        if not good or not text:
            trace.notes.append(f"removed a sentence without a source: {text[:120]}")
            continue
        letters = [c.letter for c in conflicts if {c.a, c.b} <= set(good)]
        out.append(Sentence(text=text, cites=good, conflicts=letters))
    return out
