"""``areorag eval facts``: fact retrieval for knowledge-hypergraph questions on one messy document (PRoH §experiments).

A question is *located* when all its gold sentences stand in the corpus, compared by letters and digits alone (the
text is a PDF's: words are glued, hyphens broken). A gold sentence counts as found when a retrieved passage of at most
120 words holds it. Gold is read for the metrics only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnknownNameError
from ..llm.chat import get_chat
from ..retrieval.passages import Embeds
from ..retrieval.reasoning.run import PARTS as ABLATIONS
from ..retrieval.selection.sentences import SentenceIndex, SentenceOptions
from ..retrieval.selection.tokens import letters
from ..settings import load_settings
from .answer_score import answer_scores
from .choices import known
from .jsonl import read_jsonl
from .selection import default_embedder

if TYPE_CHECKING:
    from ..llm.chat import ChatModel
    from ..settings import Settings

CUTS = (5, 10, 20)
WORDS = 120
Progress = Callable[[str, int, int | None], None]


def run(
    corpus: Path | str,
    questions: Path | str,
    *,
    ablate: str | None = None,
    embedder: Embeds | None = None,
    settings: Settings | None = None,
    chat: ChatModel | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Retrieve 20 passages a question and score the gold sentences found.

    Parameters
    ----------
    corpus : JSON Lines ``{id, title, text}``; questions : JSON Lines ``{id, question[, gold_sentences, hops]}``
    ablate : ewo (no weight along shared text and phrases), synonyms (short forms are not spelled out and whole words must match),
        plan (the question is asked as it stands, without its parts), target (fixed passages instead of passages grown
        around what is relevant), trajectories (the expansion starts from the best sentence alone)

    chat : a language model that answers from the first passages (default: the configured one, if any)

    Returns
    -------
    ``{n, located, recall, all_gold, by_hops, halves, r_s, selected: [{id, texts}], …}`` in per cent; metrics are null
    where no question is located. halves: all_gold of every second question and of the others. r_s: mean over gold
    sentences of the best cosine with a sentence of the first 5 passages.
    With a language model ``answers: {f1, em, …}`` with the calls and tokens it took.

    Raises
    ------
    UsageError, UnknownNameError, SelectionError
        A file cannot be used, or the ablation is not known.
    """
    options = ablated(ablate)
    settings = settings or load_settings()
    chat = chat or get_chat(settings)
    documents = read_jsonl(corpus, ("id", "text"))
    asked = read_jsonl(questions, ("id", "question"))
    if progress:
        progress("index", 0, len(documents))
    started = time.perf_counter()
    index = SentenceIndex.build(documents, embedder or default_embedder(settings), options=options)
    built = time.perf_counter() - started
    started = time.perf_counter()
    found: list[list[str]] = []
    for at, question in enumerate(index.ask([str(q["question"]) for q in asked])):
        found.append([f.text for f in index.search(question, CUTS[-1])])
        if progress:
            progress("questions", at + 1, len(asked))
    seconds = time.perf_counter() - started
    out = score(index, documents, asked, found)
    out |= {
        "ablate": ablate,
        "seconds": round(seconds, 3),
        "build_seconds": round(built, 3),
        "sentences": len(index.units),
        "passages_per_second": round(len(index.windows) / max(built, 1e-9), 1),
        "selected": [{"id": q["id"], "texts": t} for q, t in zip(asked, found, strict=True)],
    }
    if chat is not None:
        told = [
            (str(q["id"]), str(q["question"]), q.get("answers") or [], t) for q, t in zip(asked, found, strict=True)
        ]
        out["answers"] = answer_scores(chat, told)
    return out


def ablated(name: str | None) -> SentenceOptions:
    """Options with one part switched off.

    Raises
    ------
    UnknownNameError
        There is no such ablation.
    """
    options = SentenceOptions()
    if name is not None:
        known("ablation", name, ABLATIONS, UnknownNameError)
    if name == "ewo":
        return replace(options, kinship=0.0, overlap=0.0)
    if name == "synonyms":
        return replace(options, grams=False, short_forms=False)
    if name == "plan":
        return replace(options, parts=0.0)
    if name == "trajectories":
        return replace(options, trajectories=1)
    if name == "target":
        return replace(options, grow=False)
    return options


def located(
    documents: Sequence[dict[str, Any]], asked: Sequence[dict[str, Any]]
) -> list[tuple[dict[str, Any], list[str]]]:
    """Questions whose gold sentences all stand in the documents, with the letters and digits of these sentences."""
    whole = [letters(str(d["text"])) for d in documents]
    keyed = [(q, [letters(str(s)) for s in q.get("gold_sentences") or []]) for q in asked]
    return [(q, keys) for q, keys in keyed if keys and all(any(k in t for t in whole) for k in keys)]


def score(
    index: SentenceIndex,
    documents: Sequence[dict[str, Any]],
    asked: Sequence[dict[str, Any]],
    found: Sequence[list[str]],
) -> dict[str, Any]:
    """The metrics of the contract over the located questions."""
    rows: list[tuple[str, list[list[bool]]]] = []
    golds: list[tuple[list[str], list[str]]] = []
    texts_of = {id(q): texts for q, texts in zip(asked, found, strict=True)}
    for q, keys in located(documents, asked):
        sentences, texts = [str(s) for s in q["gold_sentences"]], texts_of[id(q)]
        passages = [letters(t) if len(t.split()) <= WORDS else "" for t in texts]
        rows.append((str(q.get("hops", "")), [[any(k in p for p in passages[:cut]) for k in keys] for cut in CUTS]))
        golds.append((sentences, texts[: CUTS[0]]))
    hops = {h: [f for g, f in rows if g == h] for h in ("1", "2")}
    hops["multi"] = [f for g, f in rows if g.isdigit() and int(g) > 1]
    total = _summary([f for _, f in rows])
    return {
        "n": len(asked),
        "located": len(rows),
        **total,
        "by_hops": {h: {"n": len(f), **_summary(f)} for h, f in hops.items()},
        "halves": [_summary([f for _, f in rows[k::2]])["all_gold"] for k in range(2)],
        "r_s": _similarity(index, golds),
    }


def _summary(rows: Sequence[list[list[bool]]]) -> dict[str, dict[str, float | None]]:
    recall: dict[str, float | None] = {}
    every: dict[str, float | None] = {}
    for at, cut in enumerate(CUTS):
        hit = [float(np.mean(r[at])) for r in rows]
        recall[str(cut)] = round(100.0 * float(np.mean(hit)), 2) if rows else None
        every[str(cut)] = round(100.0 * float(np.mean([h == 1.0 for h in hit])), 2) if rows else None
    return {"recall": recall, "all_gold": every}


def _similarity(index: SentenceIndex, golds: Sequence[tuple[list[str], list[str]]]) -> float | None:
    """R-S: for each gold sentence the best cosine with a sentence of the retrieved passages; mean, per cent."""
    if not golds:
        return None
    wanted = index.embedder.embed([s for g, _ in golds for s in g])
    spans = {}
    for i, j in index.windows:
        first, last = index.units[i], index.units[j - 1]
        spans[index.documents[first.document][first.start : last.end].strip()] = (i, j)
    means, at = [], 0
    for sentences, texts in golds:
        held = np.concatenate([np.arange(*spans[t]) for t in texts])
        near = wanted[at : at + len(sentences)] @ index.vectors[held].T
        means.append(float(near.max(axis=1).mean()))
        at += len(sentences)
    return round(100.0 * float(np.mean(means)), 2)
