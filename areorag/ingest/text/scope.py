"""What a sentence's targets have to do with its components: lists of targets, clause breaks, and names said before.

"The two drill samples contain …" names no target: the document's main targets are meant. In "A and B contain Si, whereas
C is rich in Mn" the list (A, B) is the one before Si, C the one before Mn. Both are features of a pair, not decisions.
"""

from __future__ import annotations

import re

from .spans import Span

PLURAL = re.compile(
    r"(?i)\b(?:both|two|all|these|other)\s(?:of\s)?(?:the\s|these\s)?(?:\w+\s){0,2}?"
    r"(?:samples|targets|rocks|drill holes|holes|powders|soils|materials|outcrops)\b|\bthe two\b"
)
SINGULAR = re.compile(
    r"(?i)\b(?:this|the)\s(?:\w+\s){0,1}(?:sample|target|rock|drill hole|powder|soil|specimen|tailings|unit|outcrop|"
    r"section|member|feature)\b|\bits?\b"
)
_GAP = re.compile(
    r"^(?:['’]s)?[\"”’]?\s?(?:\([^()]{0,40}\)|\[\d+\])?\s?(?:,|;| and| or|,? and|/|&|_|-)?\s?"
    r"(?:the |and |or )?(?:target |\(?[a-z]\) )?[\"“‘]?$"
)
_BREAK = re.compile(
    r"[;:]|, (?:whereas|while|but|and (?:the|it|is|are|in|at)|which)|"
    r"\b(?:whereas|while|but|however|than|compared|unlike|relative to|similar to)\b"
)


def target_lists(text: str, targets: list[Span]) -> list[list[Span]]:
    """Targets of one sentence, grouped into coordinated lists ("A (sol 1), B and C" is one)."""
    out: list[list[Span]] = []
    for t in sorted(targets):
        if out and _GAP.match(text[out[-1][-1].end : t.start]):
            out[-1].append(t)
        else:
            out.append([t])
    return out


def list_features(text: str, lists: list[list[Span]], t: Span, head: int, tail: int) -> dict[str, float]:
    """Where the list of `t` stands to the component list [head, tail) of the same sentence.

    ``tl_b0`` is the list before it, ``tl_b1`` the one before that, ``tl_a0`` the one after; ``_ok`` without and ``_brk``
    with a clause break between; ``_alone`` when no list stands on the other side.
    """
    mine = next(k for k, group in enumerate(lists) if t in group)
    before = [k for k, g in enumerate(lists) if g[-1].end <= head]
    after = [k for k, g in enumerate(lists) if g[0].start >= tail]
    if mine in before:
        tag, between, alone = f"b{min(before[-1] - mine, 2)}", text[lists[mine][-1].end : head], not after
    elif mine in after:
        tag, between, alone = f"a{min(mine - after[0], 2)}", text[tail : lists[mine][0].start], not before
    else:
        tag, between, alone = "in", "", True
    out = {f"tl_{tag}": 1.0, f"tl_{tag}_{'brk' if _BREAK.search(between) else 'ok'}": 1.0}
    if alone:
        out[f"tl_{tag}_alone"] = 1.0
    out["tl_lists"] = min(4, len(lists)) / 4
    out["tl_size"] = min(6, len(lists[mine])) / 6
    out["tl_only"] = float(len(lists) == 1)
    return out
