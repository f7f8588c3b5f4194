"""What a sub-question is searched by: its text, the words that tell it from the others, and the kind it wants.

A hyperedge answers a sub-question by what it says beyond the entity it is entered by. Therefore the names of earlier
answers are no words of the search (that they are bound is known), nor is the noun that says which kind is wanted, and a
word that stands in several sub-questions of one plan counts less: it does not tell them apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from .hypergraph import WORD, stem, stems
from .plan import TYPES, Plan

_REFERENCE = re.compile(r"#\d+\b")
_KIND = re.compile(rf"(?i)(?:{'|'.join(p for p, _ in TYPES)})")


@dataclass(frozen=True)
class Ask:
    """A sub-question: `text` with answers filled in, weights of its `words` in (0, 1], `wants` labels, best first.

    `targets` are its target hyperedges with their match in (0, 1].
    """

    text: str
    words: Mapping[str, float] = field(default_factory=dict, hash=False)
    wants: tuple[str, ...] = ()
    targets: Mapping[str, float] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, text: str, wants: Sequence[str] = ()) -> Ask:
        """A question that stands alone: every content word counts the same."""
        return cls(text, dict.fromkeys(stems(text), 1.0), tuple(wants))

    def spelled(self) -> set[str]:
        """The words as stems and as the text has them: what a full-text index knows."""
        return {w for w in WORD.findall(self.text.casefold()) if stem(w) in self.words} | set(self.words)

    def filled(self, text: str) -> Ask:
        """The same with another text."""
        return replace(self, text=text)


@lru_cache(maxsize=4096)
def is_kind(word: str) -> bool:
    """True for a noun that names a kind of entity ("mineral", "target")."""
    return _KIND.fullmatch(word) is not None


def asks(plan: Plan, targets: Mapping[str, Mapping[str, float]] | None = None) -> dict[int, Ask]:
    """The sub-questions of a plan by step, with their target hyperedges (given by text).

    Words of a step weigh 1 / (number of the plan's steps that have the word). A step of kinds alone keeps those.
    """
    bare = {i: _REFERENCE.sub(" ", s.question) for i, s in plan.steps.items()}
    found = {i: list(dict.fromkeys(stems(text))) for i, text in bare.items()}
    shared = Counter(w for words in found.values() for w in words)
    out = {}
    for i, words in found.items():
        telling = [w for w in words if not is_kind(w)] or words
        text = " ".join(bare[i].split())
        out[i] = Ask(text, {w: 1.0 / shared[w] for w in telling}, plan.steps[i].wants, (targets or {}).get(text, {}))
    return out
