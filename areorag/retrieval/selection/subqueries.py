"""Sub-queries of a question (GeoRAG §2.B stage 2): from its own parts, or from a language model the caller brings.

Without a model the parts are: the names it holds, what is left without them, its clauses, and one reading for each
side of an *or*/*and*/comma comparison. Entities met in first-round results are added by the coverage selector: they
are what reaches a subject that the question never names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .tokens import QUESTION_WORDS, Phrase, fold, letters, phrases, words

if TYPE_CHECKING:
    from ...llm.chat import ChatModel

Generator = Callable[[str, int], Sequence[str]]
"""(question, n) → up to n sub-queries: a language model behind a function."""

_CLAUSE = re.compile(
    r"\s*[,;:?]\s+|\s+(?:that|which|who|whose|whom|where|when|while|and|or|than|but|if|whether|because|as well as)\s+"
    r"|\s+(?:in|on|at|of|for|by|with|from|during|near|between)\s+(?=which|whom|the\s)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“”«]([^\"“”»]{3,80})[\"“”»]")
_MOST_WORDS = 64  # a part longer than this is cut: an embedder would cut it anyway


class SubQuery(NamedTuple):
    """One sub-query: its text and what kind of part it is (name, rest, clause, side, model, question)."""

    text: str
    kind: str


def without(folded: str, spans: Sequence[tuple[int, int]]) -> str:
    """`folded` without the stretches `spans`, spaces tidied."""
    for start, end in sorted(spans, reverse=True):
        folded = folded[:start] + " " + folded[end:]
    return " ".join(folded.split())


def residual(question: str, spans: Sequence[tuple[int, int]]) -> str:
    """What the question asks beyond the names at `spans` (offsets in the folded question)."""
    return without(fold(question), spans)


def own_parts(question: str, n: int = 20) -> list[SubQuery]:
    """Up to `n` sub-queries from the question's own parts, in a fixed order, without repeats.

    A question of one word or one clause gives itself.
    """
    folded = fold(question)[:4000]
    names = _names(folded)
    found = [SubQuery(folded[a:b], "name") for a, b in names]
    if names:
        found.append(SubQuery(without(folded, names), "rest"))
    for a, b in names[:6] if len(names) > 1 else []:
        others = [s for s in names if s != (a, b)]
        found.append(SubQuery(without(folded, others), "side"))
    found.extend(SubQuery(part.strip(), "clause") for part in _CLAUSE.split(folded))
    out: dict[str, SubQuery] = {}
    for text, kind in found:
        cut = " ".join(text.split()[:_MOST_WORDS]).strip(" ,.;:?'\"")
        key = letters(cut)
        if key and key not in out and any(w.text not in QUESTION_WORDS for w in words(cut)):
            out[key] = SubQuery(cut, kind)
    return list(out.values())[:n] or [SubQuery(" ".join(folded.split()[:_MOST_WORDS]), "question")]


def _names(folded: str) -> list[tuple[int, int]]:
    """Stretches of the question that are names: quoted text and capitalised phrases, longest first where they meet."""
    spans = [m.span(1) for m in _QUOTED.finditer(folded)]
    found: list[Phrase] = phrases(folded)
    for p in found:
        if not any(a <= p.start and p.end <= b for a, b in spans):
            spans.append((p.start, p.end))
    return sorted(set(spans))


def generated(question: str, n: int, generator: Generator) -> list[SubQuery]:
    """Sub-queries of a language model; the question's own parts when it gives nothing usable."""
    texts = [t.strip() for t in generator(question, n) if isinstance(t, str) and t.strip()]
    unique = list(dict.fromkeys(" ".join(t.split()[:_MOST_WORDS]) for t in texts))[:n]
    return [SubQuery(t, "model") for t in unique] or own_parts(question, n)


def chat_generator(chat: ChatModel) -> Generator:
    """Sub-queries written by a configured language model (``llm/prompts/sub_queries.md``).

    A model that fails or returns nothing valid gives no sub-queries, and the question's own parts take over; a spent
    budget is raised (`BudgetError`).
    """
    from pydantic import BaseModel

    from ...errors import BudgetError, ModelError
    from ...llm.prompt import fence, load_prompt

    class SubQueries(BaseModel):
        queries: list[str]

    def generate(question: str, n: int) -> Sequence[str]:
        prompt = load_prompt("sub_queries").render(most=str(n), question=fence(question))
        try:
            return chat.structured(prompt, SubQueries, max_tokens=512).queries
        except BudgetError:
            raise
        except ModelError:
            return []

    return generate
