"""Synonym hyperedges: entities that name the same thing, found, decided, explained, and never merged (PRoH, step 1).

Names of one label are compared by the cosine of their embeddings; pairs above a threshold form a graph whose connected
components are candidates. Rules (same term of the lexicon, same letters, abbreviation, spelling) and, where there is
one, a language model decide which members of a component belong together. Taking a synonym back is deleting one node.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, Field

from ...errors import BudgetError, ModelError, UnknownNameError
from ...graph.ids import fold
from ...llm.prompt import fence, load_prompt
from ...planet.lexicon import get_lexicon

if TYPE_CHECKING:
    from ...graph.connection import Database, Transaction
    from ...llm.chat import ChatModel
    from ...llm.embed import Embedder

COSINE = 0.80
MAX_COMPONENT = 24


class _Groups(BaseModel):
    groups: list[list[int]] = Field(default_factory=list, max_length=32)


@dataclass(frozen=True)
class Synonym:
    """One decision: members (entity ids), why, by which method, and the lowest cosine among them."""

    members: tuple[str, ...]
    names: tuple[str, ...]
    method: str
    why: str
    score: float
    label: str = "Concept"

    @property
    def id(self) -> str:
        """Id of the hyperedge: a hash of its members."""
        return "synonym:" + hashlib.sha256("|".join(self.members).encode()).hexdigest()[:12]


def components(vectors: np.ndarray, threshold: float = COSINE) -> list[list[int]]:
    """Connected components (two or more) of the graph of pairs with cosine ≥ threshold; vectors: (n, d) unit rows."""
    n = len(vectors)
    parent = list(range(n))
    rows = max(1, min(1024, 20_000_000 // max(1, n)))  # 80 MB of cosines at a time

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for lo in range(0, n, rows):
        block = vectors[lo : lo + rows] @ vectors[lo:].T
        for i, j in zip(*np.nonzero(block >= threshold), strict=True):
            if j <= i:
                continue
            a, b = root(lo + int(i)), root(lo + int(j))
            if a != b:
                parent[max(a, b)] = min(a, b)
    groups: dict[int, list[int]] = defaultdict(list)
    for i in range(n):
        groups[root(i)].append(i)
    return [g for g in groups.values() if len(g) > 1]


def same_name(a: str, b: str) -> str | None:
    """Why two names are one name by rule, or None.

    >>> same_name("John Klein", "John_Klein"), same_name("Confidence Hills", "CH")
    ('same letters', 'abbreviation')
    >>> same_name("hematite", "magnetite") is None
    True
    """
    lexicon = get_lexicon()
    ta, tb = lexicon.get(a), lexicon.get(b)
    if ta is not None and tb is not None:
        return "same term of the lexicon" if ta.name == tb.name else None
    fa, fb = fold(a), fold(b)
    if fa.replace(" ", "") == fb.replace(" ", ""):
        return "same letters"
    digits = (re.findall(r"\d+", fa), re.findall(r"\d+", fb))
    if digits[0] != digits[1]:
        return None
    if fa.rstrip("s") == fb.rstrip("s"):
        return "singular and plural"
    short, long = (a, b) if len(a) < len(b) else (b, a)
    words = re.findall(r"[A-Za-z]+", long)
    if short.isupper() and 2 <= len(short) == len(words) and short == "".join(w[0].upper() for w in words):
        return "abbreviation"
    least = min(len(fa), len(fb))
    if least >= 6 and fa[0] == fb[0] and _misspelt(a, b) and _edits(fa, fb) <= (1 if least < 9 else 2):
        return "spelling"
    return None


def _misspelt(a: str, b: str) -> bool:
    """Whether two names may differ by a slip: only in words of five letters and more. Formulas, abbreviations and initials
    ("Walker D", "Walker J") differ by one letter for a reason.
    """
    wa, wb = re.findall(r"\w+", a), re.findall(r"\w+", b)
    if len(wa) != len(wb) or any(c.isdigit() for c in a):
        return False
    apart = [(x, y) for x, y in zip(wa, wb, strict=True) if x.casefold() != y.casefold()]
    return all(min(len(x), len(y)) >= 5 and not (x.isupper() and y.isupper()) for x, y in apart)


def _edits(a: str, b: str) -> int:
    from rapidfuzz.distance import OSA

    return int(OSA.distance(a, b))


def decide(names: Sequence[str], chat: ChatModel | None = None) -> list[tuple[list[int], str, str]]:
    """Groups (indices, method, why) of one component that name one thing: by rule, then by a model where there is one.

    A spelling variant of a mineral that is itself a mineral is no synonym (the lexicon knows both).
    """
    parent = list(range(len(names)))
    reason: dict[int, str] = {}

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i in range(len(names)):
        for j in range(i):
            why = same_name(names[i], names[j])
            if why:
                a, b = sorted((root(i), root(j)))
                parent[b] = a
                reason[a] = why
    groups: dict[int, list[int]] = defaultdict(list)
    for i in range(len(names)):
        groups[root(i)].append(i)
    out = [(g, "lexicon", reason.get(r, "rule")) for r, g in groups.items() if len(g) > 1]
    if chat is None or len(names) > MAX_COMPONENT or len(groups) == 1:
        return out
    prompt = load_prompt("same_name")
    listed = "\n".join(f"{i}. {' '.join(n.split())}" for i, n in enumerate(names))
    try:
        said = chat.structured(prompt.render(names=fence(listed)), _Groups, max_tokens=300)
    except BudgetError:
        raise
    except ModelError:
        return out
    taken = {i for g, _, _ in out for i in g}
    for group in said.groups:
        fresh = sorted({i for i in group if 0 <= i < len(names) and i not in taken})
        if len(fresh) > 1:
            taken.update(fresh)
            out.append((fresh, f"model:{chat.name}", f"decided by {chat.name} under {prompt.id}"))
    return out


def find_synonyms(
    db: Database,
    embedder: Embedder,
    chat: ChatModel | None = None,
    *,
    threshold: float = COSINE,
    notes: list[str] | None = None,
) -> list[Synonym]:
    """Synonyms among the participants of text facts, label by label; nothing is written.

    Parameters
    ----------
    threshold : least cosine of two names that are compared
    notes : takes what the reader should know: a budget that was used up, groups too large for the model
    """
    by_label: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for r in db.read("text_entity_names"):
        if r["name"]:
            by_label[r["label"]].append((r["id"], r["name"]))
    out: list[Synonym] = []
    notes = [] if notes is None else notes
    large = 0
    for label in sorted(by_label):
        ids, names = zip(*by_label[label], strict=True)
        vectors = embedder.embed([n.casefold() for n in names])
        groups = components(vectors, threshold)
        inside = {i for g in groups for i in g}
        groups += _abbreviations(names, inside)
        for group in groups:
            large += chat is not None and len(group) > MAX_COMPONENT
            try:
                decided = decide([names[i] for i in group], chat)
            except BudgetError as exc:
                notes.append(
                    f"{exc}. From there on the rules decide alone; answers given so far are kept for the next time"
                )
                chat = None
                decided = decide([names[i] for i in group])
            for members, method, why in decided:
                chosen = sorted((group[m] for m in members), key=lambda i: ids[i])
                sims = vectors[chosen] @ vectors[chosen].T
                out.append(
                    Synonym(
                        tuple(ids[i] for i in chosen),
                        tuple(names[i] for i in chosen),
                        method,
                        why,
                        round(float(sims.min()), 3),
                        label,
                    )
                )
    if large:
        notes.append(
            f"{large:,} groups of more than {MAX_COMPONENT} names were too large for the model: the rules decided"
        )
    return out


def _abbreviations(names: Sequence[str], inside: set[int]) -> list[list[int]]:
    """Abbreviations with their long form, which embeddings do not bring together."""
    long: dict[str, list[int]] = defaultdict(list)
    for i, n in enumerate(names):
        words = re.findall(r"[A-Za-z]+", n)
        if len(words) > 1:
            long["".join(w[0].upper() for w in words)].append(i)
    return [[i, *long[n]] for i, n in enumerate(names) if n.isupper() and len(long.get(n, ())) == 1 and i not in inside]


def write_synonyms(db: Database, synonyms: Iterable[Synonym]) -> int:
    """Write `:Synonym` hyperedges; how many. The entities keep their properties and relationships.

    One whose members are not all in the graph any more is left out.
    """
    rows = [
        {
            "id": s.id,
            "members": list(s.members),
            "p": {
                "id": s.id,
                "method": s.method,
                "score": s.score,
                "name": " = ".join(s.names),
                "text": f"{' and '.join(s.names)} name the same thing ({s.why})",
            },
        }
        for s in synonyms
    ]
    rows.sort(key=lambda r: str(r["id"]))

    def work(tx: Transaction) -> int:
        tx.run("write_lock")
        return int(tx.run("text_write_synonyms", rows=rows)[0]["n"])

    return db.transact(work) if rows else 0


def written_synonyms(db: Database) -> list[dict[str, Any]]:
    """The `:Synonym` hyperedges of the graph. → ``[{id, method, score, text, members, names, label}]``, by id."""
    return db.read("text_synonyms")


def remove_synonyms(db: Database, ids: Sequence[str] | None = None) -> int:
    """Take synonym hyperedges back, all of them where no ids are given; how many there were."""
    wanted = [r["id"] for r in written_synonyms(db)] if ids is None else sorted(set(ids))
    return int(db.write("text_delete_synonyms", ids=wanted)[0]["n"]) if wanted else 0


def look_for_synonyms(
    db: Database,
    embedder: Embedder,
    chat: ChatModel | None,
    *,
    threshold: float = COSINE,
    write: bool = False,
    only: Sequence[str] = (),
) -> dict[str, Any]:
    """Candidates and what the graph holds, as one list; `write` writes the candidates, or `only` those of some ids.

    Returns
    -------
    dict
        ``synonyms``: ``{id, label, names, members, score, method, why, written}`` each; ``written``: how many were
        written now; ``notes``: what cut the search short.

    Raises
    ------
    UnknownNameError
        `only` names an id that is no candidate.
    """
    notes: list[str] = []
    found = {s.id: s for s in find_synonyms(db, embedder, chat, threshold=threshold, notes=notes)}
    strange = [i for i in only if i not in found]
    if strange:
        raise UnknownNameError(f"no candidate has the id {strange[0]}. List them with  areorag synonyms")
    n = write_synonyms(db, [s for s in found.values() if not only or s.id in only]) if write else 0
    kept = {r["id"]: r for r in written_synonyms(db)}
    rows = [
        {
            "id": s.id,
            "label": s.label,
            "names": list(s.names),
            "members": list(s.members),
            "score": s.score,
            "method": s.method,
            "why": s.why,
            "written": s.id in kept,
        }
        for s in found.values()
    ]
    for r in kept.values():
        if r["id"] not in found:
            why = str(r["text"]).rpartition(" (")[2].removesuffix(")")
            row = {k: r[k] for k in ("id", "label", "names", "members", "score", "method")}
            rows.append(row | {"why": why, "written": True})
    return {"synonyms": rows, "written": n, "notes": notes}
