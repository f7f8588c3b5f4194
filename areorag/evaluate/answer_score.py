"""Answer F1 and exact match with what they cost: calls and tokens (PRoH §experiments).

Scored as SQuAD does (Rajpurkar et al. 2016): case, punctuation and articles do not count, the best of several gold answers
does. Used by ``eval facts`` and ``eval multihop`` when a language model is configured.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from ..errors import BudgetError, ModelError
from ..llm.prompt import fence, load_prompt

if TYPE_CHECKING:
    from ..llm.chat import ChatModel

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_SIGN = re.compile(r"[^\w\s]|_")
EVIDENCE = 5  # passages or facts a model is shown
CHARS = 1200


class _Short(BaseModel):
    answer: str = Field(max_length=400)


def normal(text: str) -> str:
    """Folded case, without punctuation, articles and doubled blanks.

    >>> normal("The  Mt. Sharp!")
    'mt sharp'
    """
    folded = _SIGN.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_ARTICLE.sub(" ", folded).split())


def exact_match(said: str, golds: Sequence[str]) -> bool:
    """True when the answer is one of the gold answers."""
    return normal(said) in {normal(g) for g in golds}


def f1(said: str, golds: Sequence[str]) -> float:
    """Largest token F1 of the answer and a gold answer, in [0, 1].

    >>> f1("the calcium sulfate", ["calcium sulfate veins"])
    0.8
    """
    best = 0.0
    for gold in golds:
        a, b = normal(said).split(), normal(gold).split()
        common = sum((Counter(a) & Counter(b)).values())
        if common:
            best = max(best, 2 * common / (len(a) + len(b)))
    return best


def short_answer(chat: ChatModel, question: str, evidence: Sequence[str]) -> str:
    """What the model answers from the evidence; "" for "unknown".

    Raises
    ------
    ModelError
        It gave no valid answer. BudgetError: its budget is spent.
    """
    shown = "\n".join(f"{i}. {text[:CHARS]}" for i, text in enumerate(evidence[:EVIDENCE], start=1))
    text = load_prompt("answer_short").render(
        question=fence(question, "QUESTION"), evidence=fence(shown or "(nothing)", "EVIDENCE")
    )
    said = chat.structured(text, _Short, max_tokens=120).answer.strip()
    return "" if normal(said) == "unknown" else said


def answer_scores(
    chat: ChatModel,
    asked: Sequence[tuple[str, str, Sequence[str], Sequence[str]]],
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Answers of a model from the evidence that retrieval found, scored.

    Parameters
    ----------
    asked : (id, question, gold answers, evidence texts best first)

    Returns
    -------
    ``{n, f1, em, unanswered, failed, usage: {calls, tokens_in, tokens_out, …}, answers: [{id, answer, f1, em}]}``; f1 and em
    in per cent over all n questions that have gold answers (a failed or missing answer counts 0), null without any. After
    the budget is spent nothing more is asked: ``stopped`` says why.
    """
    todo = [a for a in asked if a[2]]
    before = chat.usage.as_dict()
    rows: list[dict[str, Any]] = []
    failed, stopped = 0, None
    for at, (key, question, golds, evidence) in enumerate(todo):
        said = ""
        if stopped is None:
            try:
                said = short_answer(chat, question, evidence)
            except BudgetError as exc:
                stopped = str(exc)
            except ModelError:
                failed += 1
        rows.append({"id": key, "answer": said, "f1": round(f1(said, golds), 4), "em": exact_match(said, golds)})
        if progress:
            progress(at + 1, len(todo))
    spent = {k: v - before[k] for k, v in chat.usage.as_dict().items() if isinstance(v, int | float) and k in before}
    n = len(rows)
    return {
        "n": n,
        "f1": round(100 * sum(r["f1"] for r in rows) / n, 1) if n else None,
        "em": round(100 * sum(r["em"] for r in rows) / n, 1) if n else None,
        "unanswered": sum(not r["answer"] for r in rows),
        "failed": failed,
        "stopped": stopped,
        "model": chat.name,
        "prompt": load_prompt("answer_short").id,
        "usage": {k: round(v, 3) if isinstance(v, float) else v for k, v in spent.items()},
        "answers": rows,
    }
