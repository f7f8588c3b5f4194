"""Multi-hop questions generated from the project's own graph, with gold paths (3 to 6 hops; METHODS §4).

A question is a walk e₀ – f₁ – e₁ – … – f_k – e_k over text facts in which every entity is met once. It names e₀,
hints at each fact by its rare words, and asks for e_k. Seeds are fixed; the generator knows nothing of the reasoner.
Hard questions hint by two words that many facts have, and walks that can go on under another name of the
entity it reached (a synonym hyperedge).
"""

from __future__ import annotations

import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..retrieval.reasoning.run import PARTS as ABLATIONS

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..llm.chat import ChatModel
    from ..llm.embed import Embedder
    from ..retrieval.reasoning import ReasoningOptions
    from ..settings import Settings

_WORD = re.compile(r"[A-Za-z][a-z]{4,}")
_LABEL = {
    "Target": "target",
    "Mineral": "mineral",
    "Element": "element",
    "Instrument": "instrument",
    "Feature": "place",
    "Concept": "subject",
}
_CROWDED = 40
_RARE, _COMMON = 12, (6, 60)  # facts that have a word: at most; between


def generate(
    db: Database, n: int = 120, seed: int = 7, hops: tuple[int, int] = (3, 6), *, hard: bool = False
) -> list[dict[str, Any]]:
    """Questions ``{id, question, answers, path: [fact ids], entities: [names], hops}`` from a graph's text facts.

    Parameters
    ----------
    hard : hints of two words that 6 to 60 facts have, instead of the three rarest of at most 12; and walks over synonyms.
        Such a question may have other good answers than the one it was made from: figures are to be compared, not taken
        for shares of 100
    """
    rows = db.read("reason_all_facts")
    facts = {r["id"]: r for r in rows if 2 <= len(r["nodes"]) <= 12}
    names = {x["id"]: (x["name"], x["label"]) for r in facts.values() for x in r["nodes"]}
    of: dict[str, list[str]] = {}
    for f, r in facts.items():
        for x in r["nodes"]:
            of.setdefault(x["id"], []).append(f)
    frequency = Counter(w for r in facts.values() for w in set(_WORD.findall((r["text"] or "").lower())))
    rng = random.Random(seed)
    other = _other_names(db) if hard else {}
    starts = sorted(e for e in of if len(of[e]) >= 2 and names[e][1] != "Concept")
    out: list[dict[str, Any]] = []
    tries = 0
    while len(out) < n and tries < 200 * n and starts:
        tries += 1
        k = hops[0] + len(out) % (hops[1] - hops[0] + 1)
        walk = _walk(rng, rng.choice(starts), k, facts, of, names, other)
        if walk is None:
            continue
        entities, path = walk
        made = _phrase(entities, path, facts, names, frequency, rng if hard else None)
        if made is None:
            continue
        answers = sorted(
            {x["name"] for x in facts[path[-1]]["nodes"] if x["label"] == names[entities[-1]][1]}
            - {names[e][0] for e in entities[:-1]}
        )
        if len(answers) > 3:
            continue
        out.append(
            {
                "id": f"g{len(out) + 1:03d}",
                "question": made,
                "answers": answers,
                "path": path,
                "entities": [names[e][0] for e in entities],
                "hops": k,
            }
        )
    return out


def _other_names(db: Database) -> dict[str, list[str]]:
    """The synonyms of each entity that has any."""
    out: dict[str, list[str]] = {}
    for r in db.read("text_synonyms"):
        for e in r["members"]:
            out.setdefault(e, []).extend(m for m in sorted(r["members"]) if m != e)
    return out


def _walk(
    rng: random.Random,
    start: str,
    k: int,
    facts: dict[str, dict[str, Any]],
    of: dict[str, list[str]],
    names: dict[str, tuple[str, str]],
    other: dict[str, list[str]],
) -> tuple[list[str], list[str]] | None:
    entities = [start]
    path: list[str] = []
    for i in range(k):
        here = entities[-1]
        options = [f for f in of[here] if f not in path]
        if here in other:
            renamed = {f for e in other[here] for f in of.get(e, ())} - set(of[here])
            options = sorted(renamed - set(path)) or options
        rng.shuffle(options)
        for f in options[:20]:
            onward = [
                x["id"]
                for x in facts[f]["nodes"]
                if x["id"] not in entities
                and len(of[x["id"]]) <= _CROWDED
                and (i == k - 1 or len(of[x["id"]]) >= 2)
                and names[x["id"]][1] != "Concept"
            ]
            if onward:
                path.append(f)
                entities.append(rng.choice(sorted(onward)))
                break
        else:
            return None
    return entities, path


def _phrase(
    entities: list[str],
    path: list[str],
    facts: dict[str, dict[str, Any]],
    names: dict[str, tuple[str, str]],
    frequency: Counter[str],
    rng: random.Random | None,
) -> str | None:
    """ "Which mineral is reported with the target … that is reported with …": outermost clause last in the walk."""
    parts = []
    for i, f in enumerate(path):
        text = (facts[f]["text"] or "").lower()
        own = {w for x in facts[f]["nodes"] for w in x["name"].lower().split()}
        said = {w for w in _WORD.findall(text) if w not in own}
        if rng is None:
            cues = sorted((w for w in said if frequency[w] <= _RARE), key=lambda w: (frequency[w], w))[:3]
        else:
            fit = sorted(w for w in said if _COMMON[0] <= frequency[w] <= _COMMON[1])
            cues = rng.sample(fit, min(2, len(fit)))
        if len(cues) < 2:
            return None
        what = _LABEL.get(names[entities[i + 1]][1], "subject")
        parts.append((what, " and ".join(cues)))
    inner = names[entities[0]][0]
    for what, hint in parts[:-1]:
        inner = f"the {what} that is reported regarding {hint} together with {inner}"
    what, hint = parts[-1]
    return f"Which {what} is reported regarding {hint} together with {inner}?"


def evaluate(
    db: Database,
    questions: list[dict[str, Any]],
    settings: Settings,
    embedder: Embedder,
    chat: ChatModel | None = None,
    *,
    ablate: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Run the reasoner on generated questions.

    Returns
    -------
    ``{n, hit1, hit5, path_recall, by_hops, seconds_p50, seconds, questions}``: shares in per cent of questions whose answer
    is first or among the first five, the mean share of gold facts among the facts returned (at most 20), and the median
    of a question's seconds. With a model, `usage` of the reasoning and `answers`: F1, EM, calls and tokens of its short
    answers from the facts found (`answer_score`).
    """
    from ..retrieval.reasoning import reason
    from .answer_score import answer_scores

    options = ablated(ablate)
    start = time.perf_counter()
    rows = []
    told = []
    for i, q in enumerate(questions):
        begun = time.perf_counter()
        result = reason(db, q["question"], settings, embedder, chat, options=options)
        taken = time.perf_counter() - begun
        told.append((q["id"], q["question"], q["answers"], [f.text for f in result.facts]))
        found = [n for n, _ in result.answers[:5]]
        facts = [f.id for f in result.facts[:20]]
        gold = set(q["answers"])
        rows.append(
            {
                "id": q["id"],
                "hops": q["hops"],
                "hit1": bool(found[:1] and found[0] in gold),
                "hit5": bool(gold & set(found)),
                "path_recall": len(set(q["path"]) & set(facts)) / len(q["path"]),
                "answers": found,
                "edges": result.trace.budget["edges"],
                "seconds": round(taken, 4),
                "spent_by": result.trace.budget["spent_by"],
            }
        )
        if progress:
            progress(i + 1, len(questions))
    out: dict[str, Any] = {"n": len(rows), "ablate": ablate} | _means(rows)
    out["by_hops"] = {str(h): _means([r for r in rows if r["hops"] == h]) for h in sorted({r["hops"] for r in rows})}
    out["seconds_p50"] = round(statistics.median(r["seconds"] for r in rows), 3) if rows else None
    if chat is not None:
        out["usage"] = chat.usage.as_dict()
        out["answers"] = answer_scores(chat, told)
    out["seconds"] = round(time.perf_counter() - start, 2)
    out["questions"] = rows
    return out


def _means(rows: list[dict[str, Any]]) -> dict[str, Any]:
    n = max(1, len(rows))
    return {
        "hit1": round(100 * sum(r["hit1"] for r in rows) / n, 1),
        "hit5": round(100 * sum(r["hit5"] for r in rows) / n, 1),
        "path_recall": round(100 * sum(r["path_recall"] for r in rows) / n, 1),
    }


def ablated(name: str | None) -> ReasoningOptions:
    """The reasoner's options with one part off.

    Raises
    ------
    UnknownNameError
        There is no such part.
    """
    from ..errors import UnknownNameError
    from ..retrieval.reasoning import ReasoningOptions
    from .choices import known

    if name is not None:
        known("ablation", name, ABLATIONS, UnknownNameError)
    return ReasoningOptions().without(name) if name else ReasoningOptions()


@contextmanager
def _opened(corpus: Path | None, home: Path | None) -> Iterator[tuple[Database, Settings, Embedder, ChatModel | None]]:
    """The user's graph; or a throw-away one of a corpus with its synonyms written."""
    from ..graph.connection import Database
    from ..ingest.text.pipeline import ingest_text
    from ..ingest.text.synonyms import find_synonyms, write_synonyms
    from ..llm.chat import get_chat
    from ..llm.embed import get_embedder
    from ..settings import load_settings

    settings = load_settings(home=home) if home else load_settings()
    embedder, chat = get_embedder(settings), get_chat(settings)
    with Database.open(settings) if corpus is None else Database.temporary(settings) as db:
        if corpus is not None:
            ingest_text(db, [Path(corpus)], settings, embedder=embedder)
            write_synonyms(db, find_synonyms(db, embedder))
        yield db, settings, embedder, chat


def _questions(db: Database, n: int, seed: int, hard: bool) -> list[dict[str, Any]]:
    from ..errors import UsageError

    asked = generate(db, n, seed, hard=hard)
    if not asked:
        raise UsageError("the graph holds no chains of text facts. Give texts with --corpus FOLDER, or ingest some")
    return asked


def run(
    corpus: Path | None = None,
    n: int = 120,
    seed: int = 7,
    ablate: str | None = None,
    home: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    hard: bool = False,
) -> dict[str, Any]:
    """Generate and answer questions over the user's graph, or over a corpus read into a throw-away database.

    Raises
    ------
    UnknownNameError
        The ablation is not known.
    UsageError
        The graph's facts chain no question.
    """
    ablated(ablate)  # an unknown name is told before a server starts
    with _opened(corpus, home) as (db, settings, embedder, chat):
        return evaluate(db, _questions(db, n, seed, hard), settings, embedder, chat, ablate=ablate, progress=progress)


def study(corpus: Path, n: int = 120, seed: int = 7) -> dict[str, Any]:
    """`run` as it is and without each part, on one graph, for plain and for hard questions.

    Returns
    -------
    ``{full: {n, hit1, hit5, path_recall, seconds_p50, by_hops}, ewo: …, hard: {full: …, ewo: …}}``
    """
    kept = ("n", "hit1", "hit5", "path_recall", "seconds_p50", "by_hops")
    with _opened(corpus, None) as (db, settings, embedder, chat):
        sets: list[dict[str, Any]] = []
        for hard in (False, True):
            asked = _questions(db, n, seed, hard)
            sets.append({})
            for name in (None, *ABLATIONS):
                found = evaluate(db, asked, settings, embedder, chat, ablate=name)
                sets[-1][name or "full"] = {k: found[k] for k in kept}
        return sets[0] | {"hard": sets[1]}
