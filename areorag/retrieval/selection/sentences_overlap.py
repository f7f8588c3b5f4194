"""Entity-weighted overlap of sentences (PRoH, EWO): how strongly two share what few others name.

The entities of running text are its phrases, one or two content words as stems. A phrase that few sentences hold weighs
much; one that many hold joins nothing in particular and is left out. Two facts of one chain often share a single phrase
in otherwise different words, where a cosine of whole sentences sees nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .tokens import QUESTION_WORDS, fold, stem, words

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

MOST = 60  # sentences that share a phrase, above which it is too common to be a link
LONGEST = 2  # words of a phrase


def phrases_of(text: str) -> set[str]:
    """Stems of content words and of pairs of them that stand together.

    >>> sorted(phrases_of("The renal arteries of patients"))
    ['arteri', 'patient', 'renal', 'renal arteri']
    """
    run = [w.text for w in words(fold(text))]
    stems = [stem(w) for w in run]
    out: set[str] = set()
    for i, first in enumerate(run):
        if first in QUESTION_WORDS or len(first) < 2:
            continue
        if len(first) > 3 and not first.isdigit():
            out.add(stems[i])
        for j in range(i + 1, min(i + LONGEST, len(run))):
            if run[j] not in QUESTION_WORDS:
                out.add(" ".join(stems[i : j + 1]))
    return out


class Overlap:
    """Phrases of sentences as a sparse incidence, weighted by ln(N / n_p) / ln(N / 2).

    Parameters
    ----------
    texts : the sentences, each in its different readings, (n,) of collections
    group : equal for repeated sentences (n,): a repetition is not a second holder of a phrase
    """

    def __init__(self, texts: Sequence[Collection[str]], group: np.ndarray) -> None:
        from scipy.sparse import csr_matrix

        held = [set().union(*(phrases_of(t) for t in readings)) for readings in texts]
        by_group: dict[int, set[str]] = {}
        for g, phrases in zip(group, held, strict=True):
            by_group.setdefault(int(g), set()).update(phrases)
        holders = Counter(p for phrases in by_group.values() for p in phrases)
        column = {p: j for j, p in enumerate(sorted(p for p, n in holders.items() if 2 <= n <= MOST))}
        rows = [(i, column[p]) for i, phrases in enumerate(held) for p in phrases if p in column]
        at = np.array(rows, np.int64).reshape(-1, 2)
        n = max(len(by_group), 3)
        self.weight = np.array([np.log(n / holders[p]) / np.log(n / 2) for p in column])
        shape = (len(held), len(column))
        self.rows: csr_matrix = csr_matrix((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=shape)
        self.columns: csc_matrix = self.rows.tocsc()

    def of(self, unit: int) -> np.ndarray:
        """EWO of one sentence with every one (n,), in [0, 1): W / (1 + W), W = Σ w_p² over shared phrases."""
        mine = self.rows.indices[self.rows.indptr[unit] : self.rows.indptr[unit + 1]]
        total = np.asarray(self.columns[:, mine] @ self.weight[mine] ** 2)
        return np.asarray(total / (1.0 + total))
