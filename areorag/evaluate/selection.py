"""``areorag eval selection``: evidence selection on multi-hop questions over a pooled corpus (GeoRAG §4).

`run` gives the contract's shape. What the gold says is read for the metrics only; a selector sees a question and a
corpus and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UnknownNameError
from ..retrieval.passages import Embeds, PassageIndex
from ..retrieval.selection.graph import ChainOptions, cover_hops
from ..retrieval.selection.types import SELECTORS, Options
from .choices import known
from .jsonl import read_jsonl

ABLATIONS = ("subqueries", "gate", "dw", "expansion")
Progress = Callable[[str, int, int | None], None]


def run(
    corpus: Path | str,
    questions: Path | str,
    selector: str = "coverage",
    k: int = 5,
    *,
    candidates: str = "hybrid",
    pool: int = 200,
    ablate: str | None = None,
    embedder: Embeds | None = None,
    settings: Any = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Select k passages for each question; metrics where the gold is known.

    Parameters
    ----------
    corpus : JSON Lines ``{id, title, text}``; questions : JSON Lines ``{id, question[, gold]}``
    selector : coverage, facility, topk, mmr, dpp, rrf or graph
    candidates : first round: dense, bm25 or hybrid (the same pool for every selector but ``graph``)
    ablate : subqueries, gate, dw or expansion, switched off; None for the whole method

    Returns
    -------
    ``{n, k, recall, all_gold, seconds, selector, passages, build_seconds, questions: [{id, selected}]}``; recall and
    all_gold in per cent, null when no question has gold; seconds are for the questions, without building the index.

    Raises
    ------
    UsageError, UnknownNameError, SelectionError
        A file cannot be used, or a name is not known.
    """
    if selector not in SELECTORS:
        raise UnknownNameError(f"unknown selector {selector!r}: use one of {', '.join(SELECTORS)}")
    options, chain_options = ablated(ablate, pool)
    passages = read_jsonl(corpus, ("id",))
    asked = read_jsonl(questions, ("id", "question"))
    started = time.perf_counter()
    if progress:
        progress("index", 0, len(passages))
    index = PassageIndex.build(passages, embedder or default_embedder(settings))
    built = time.perf_counter() - started
    selected: list[list[str]] = []
    started = time.perf_counter()
    for at, row in enumerate(asked):
        selected.append(
            select_ids(index, str(row["question"]), selector, k, options, chain_options, how=candidates, ablate=ablate)
        )
        if progress:
            progress("questions", at + 1, len(asked))
    seconds = time.perf_counter() - started
    scored = [(set(map(str, r["gold"])), s) for r, s in zip(asked, selected, strict=True) if r.get("gold")]
    recall, all_gold = metrics(scored)
    return {
        "n": len(asked),
        "k": k,
        "recall": recall,
        "all_gold": all_gold,
        "seconds": round(seconds, 3),
        "selector": selector,
        "candidates": candidates,
        "ablate": ablate,
        "passages": len(passages),
        "build_seconds": round(built, 3),
        "questions": [{"id": r["id"], "selected": s} for r, s in zip(asked, selected, strict=True)],
    }


def default_embedder(settings: Any = None) -> Embeds:
    """The embedder of the settings."""
    from ..llm.embed import get_embedder
    from ..settings import load_settings

    return get_embedder(settings or load_settings())


def ablated(name: str | None, pool: int = 200) -> tuple[Options, ChainOptions]:
    """Options with one part switched off.

    Raises
    ------
    UnknownNameError
        There is no such ablation.
    """
    if name is not None:
        known("ablation", name, ABLATIONS, UnknownNameError)
    options, chain = Options(pool=pool), ChainOptions()
    if name == "subqueries":
        return replace(options, beta=0.0), replace(chain, rest=0.0, answers=0.0)
    if name == "gate":
        return replace(options, gate=0.0), replace(chain, decay=1.0)
    if name == "dw":
        return replace(options, transport=False), chain
    if name == "expansion":
        return replace(options, expand=False), replace(chain, rounds=0)
    return options, chain


def select_ids(
    index: PassageIndex,
    question: str,
    selector: str,
    k: int,
    options: Options,
    chain_options: ChainOptions,
    *,
    how: str = "hybrid",
    ablate: str | None = None,
) -> list[str]:
    """Ids of the passages that one selector keeps for one question, best first."""
    from ..retrieval.selection import select

    if selector == "graph":
        chain = index.chain(question, chain_options)
        return [index.items[i].id for i in cover_hops(chain, k, index.same)]
    vector = index.embedder.embed([question])[0]
    pool = index.pool(question, options.pool, how=how, vector=vector)
    sub_queries = [question] if ablate == "subqueries" and selector != "rrf" else None
    chosen = select(
        question,
        pool,
        k=k,
        selector=selector,
        embedder=index.embedder,
        query_vector=vector,
        sub_queries=sub_queries,
        options=options,
    )
    return chosen.ids


def metrics(scored: Sequence[tuple[set[str], Iterable[str]]]) -> tuple[float | None, float | None]:
    """Mean recall and share of questions with all gold among the selected, per cent; None without gold."""
    if not scored:
        return None, None
    found = [len(gold & set(s)) / len(gold) for gold, s in scored]
    return (
        round(100.0 * sum(found) / len(found), 2),
        round(100.0 * sum(f == 1.0 for f in found) / len(found), 2),
    )
