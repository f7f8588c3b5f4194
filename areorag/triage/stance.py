"""What a claim says in words: polarity, degree, negation, hedges and opposites (claim comparison, AreoRAG §III-D).

No language model: a short list of English ways to deny, hedge and grade, a table of opposite qualities
(``data/axes.tsv``), and the substances and landforms of ``data/bands.tsv`` and ``data/sizes.tsv`` as concepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

from .tables import axis_rows, concept_rows

_NEGATOR = re.compile(
    r"\b(?:no|not|non|none|without|lacks?|lacking|free of|absence of|absent|never|neither|nor|cannot|can't|isn't|"
    r"aren't|wasn't|don't|doesn't|didn't|fails? to|failed to|failure to|no longer|no sign of|no evidence of|nothing|"
    r"undetected|devoid of|rules? out|ruled out|excludes?|missing|unable to|too (?:low|small|weak|faint) to|"
    r"below (?:the )?(?:detection|limit)|rather than|instead of|unlike|hardly|barely|vanish\w*|disappear\w*)\b"
)
_ABSENT = re.compile(
    r"\b(?:absent|absence|no|none|not (?:detected|seen|observed|present|visible|found|resolved|required|needed|recogni[sz]\w+|"
    r"identified|evident|apparent|discernible|measured|mapped|there|confirmed|active|possible|supported|distinguish\w+)|"
    r"nondetection|non-detection|undetected|undetectable|lacks?|lacking|without|devoid|missing|negligible|nothing|"
    r"invisible|unresolved|below (?:the )?(?:detection|quantification)|below (?:its |the )?(?:detection )?limits?|free of|"
    r"ruled out|never|neither|nor|cannot be|unseen|unrecogni[sz]ed|featureless|disappeared|vanished|gone|faded|inactive|"
    r"[a-z]+-free|empty|barren|unchanged|too (?:faint|small|weak) to|indistinguishable from|fails? to)\b"
)
_PRESENT = re.compile(
    r"\b(?:present|detected|observed|seen|visible|found|abundant|common|contains?|containing|bearing|rich|exposed|"
    r"confirmed|identified|mapped|strong|clear|distinct|prominent|pervasive|widespread|numerous|many|dominat\w+|"
    r"exists?|occurs?|covered (?:by|with)|shows?|resolved|active|evident|unambiguous|measured|recogni[sz]ed|formed|"
    r"appeared|appears|new|growing|extensive|dense|thick|substantial|yes|occup\w+|exhibits?|displays?|hosts?|up to|"
    r"several|hundreds|dozens|major|well[- ]developed|enriched|elevated|\w+-bearing|\w+-rich|remains?|persists?)\b"
)
_MINOR = re.compile(
    r"\b(?:minor|trace|traces|little|weak|weakly|faint|few|sparse|scarce|rare|slight|slightly|small amounts?|low|poor|"
    r"barely|marginal|subtle|limited|scattered|modest|subordinate|accessory|hardly|negligible|some)\b"
)
_STRONG = re.compile(
    r"\b(?:abundant|rich|strong|strongly|major|dominant|dominated|dominates?|pervasive|high|widespread|extensive|deep|"
    r"mainly|mostly|predominantly|chiefly|thick|dense|large|intense|pure|nearly pure|massive|main|many|numerous)\b"
)
_SCARCE = re.compile(
    r"\b(?:very (?:few|little|low|sparse|rare|weak)|almost (?:no|none|absent|nothing)|practically (?:no|none)|nearly absent|"
    r"hardly any|scarcely|only traces?|next to no(?:ne|thing)?|extremely (?:low|rare)|few if any)\b"
)
_HEDGE = re.compile(
    r"\b(?:tentative\w*|possibl[ey]|possibility|ambiguous|inconclusive|uncertain|may|might|could|perhaps|hints?|suggest\w*|"
    r"compatible with|consistent with|candidate|probabl[ey]|likely|apparent(?:ly)?|interpreted|attributed|permitted|"
    r"cannot be excluded|not excluded|not required|plausibl[ey]|inferred)\b"
)
_CHANGED = re.compile(
    r"\b(?:new|newly|fresh|freshly|changed|changes?|appeared|vanished|disappeared|faded|fading|grew|grown|growth|moved|moving|"
    r"migrated|advanced|retreated|retreat|shifted|formed|brightened|darkened|lengthened|widened|since|after|before|"
    r"earlier|later|previous(?:ly)?|by then|now|still|again|first|subsequent\w*|repeat|between (?:the )?(?:images?|visits|"
    r"orbits)|season\w*|spring|summer|autumn|winter|sublim\w+|storm|morning|afternoon|night\w*|noon|dawn|dusk|evening|"
    r"sunrise|sunset|predawn|pre-dawn|midday|recent\w*|developing|decay\w*|onset|melted|deposited|eroded|collapsed|"
    r"annual|year|weeks?|months?|days?|hours?|sols|today|over time|progressively|anymore|no longer|until|reappear\w*)\b"
)
_STABLE = re.compile(
    r"\b(?:unchanged|no change|same as|still|remains?|persist\w*|stable|permanent|constant|identical)\b"
)


@dataclass(frozen=True)
class Stance:
    """Polarity 0 (absent) .. 1 (present) or None when the words do not say; degree, hedge and change cues."""

    polarity: float | None
    minor: bool
    strong: bool
    hedged: bool
    change_words: int
    stable: bool


def _clauses(text: str) -> list[str]:
    parts = re.split(r"[;,:.()](?!\d)|\b(?:but|although|though|whereas|while|however|with|and|yet)\b", text)
    return [p.strip() for p in parts if p.strip()]


@lru_cache(maxsize=8192)
def stance(text: str) -> Stance:
    """Read the polarity of a short value or of a sentence.

    >>> stance("present, several hundred metres long").polarity
    0.9
    >>> stance("no such cloud").polarity
    0.0
    """
    low = text.lower()
    absent, present = _ABSENT.search(low), _PRESENT.search(low)
    polarity: float | None = None
    if absent and (not present or absent.start() <= present.start() + 12):
        polarity = 0.0
        if re.search(r"\bno (?:doubt|longer (?:absent|hidden)|less than|more than|later)\b|not only", low):
            polarity = 0.9
    elif present:
        polarity = 0.9
    minor, strong = bool(_MINOR.search(low)), bool(_STRONG.search(low))
    hedged = bool(_HEDGE.search(low))
    if polarity == 0.9 and minor and not strong:
        polarity = 0.6
    if polarity is None and minor and not strong:
        polarity = 0.4
    if _SCARCE.search(low):
        polarity = 0.2
    if polarity is not None and polarity > 0.5 and hedged:
        polarity = min(polarity, 0.7)
    return Stance(polarity, minor, strong, hedged, len(_CHANGED.findall(low)), bool(_STABLE.search(low)))


def _negated(clause: str, position: int) -> bool:
    """A negator within the five words before `position`, or "… absent / not detected" right after."""
    before = " ".join(clause[:position].split()[-5:])
    after = " ".join(clause[position:].split()[:5])
    tail = re.search(
        r"^\S+(?:\s\S+)?\s(?:is |are |was |were |has |have |had )?(?:been )?(?:absent|not |undetected|missing|lacking|gone|"
        r"vanished|disappeared|faded|below)",
        after,
    )
    return bool(_NEGATOR.search(before)) or tail is not None


@lru_cache(maxsize=1)
def _axes() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(rf"(?<![\w-])(?:{plus})(?![\w-])"), re.compile(rf"(?<![\w-])(?:{minus})(?![\w-])"))
        for name, plus, minus in axis_rows()
    )


@lru_cache(maxsize=8192)
def axes(text: str) -> Mapping[str, float]:
    """Place of a text on each axis it mentions, in [-1, 1]; negation turns the sign."""
    out: dict[str, float] = {}
    low = text.lower()
    clauses = _clauses(low)
    for name, plus, minus in _axes():
        if not plus.search(low) and not minus.search(low):
            continue
        signs: list[float] = []
        for clause in clauses:
            for pattern, sign in ((plus, 1.0), (minus, -1.0)):
                for m in pattern.finditer(clause):
                    turned = -sign if _negated(clause, m.start()) else sign
                    if sign > 0 and name != "amount" and _MINOR.search(clause[max(0, m.start() - 20) : m.start()]):
                        turned = -0.5
                    signs.append(turned)
        if signs:
            out[name] = sum(signs) / len(signs)
    return out


@lru_cache(maxsize=1)
def _concepts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"(?:{words})", re.IGNORECASE)) for name, words in concept_rows())


@lru_cache(maxsize=8192)
def concepts(text: str) -> frozenset[str]:
    """Names of the substances, landforms and phenomena a text mentions."""
    return frozenset(name for name, pattern in _concepts() if pattern.search(text))


@lru_cache(maxsize=8192)
def graded_concepts(text: str) -> Mapping[str, float]:
    """Degree 0 (denied) .. 1 (strong) to which a text asserts each concept it mentions."""
    out: dict[str, list[float]] = {}
    low = text.lower()
    named = [(name, pattern) for name, pattern in _concepts() if pattern.search(low)]
    for clause in _clauses(low):
        for name, pattern in named:
            for m in pattern.finditer(clause):
                around = clause[max(0, m.start() - 28) : m.end() + 22]
                grade = 0.8
                if _negated(clause, m.start()) or re.match(r"[a-z]*[- ]free\b", clause[m.end() :]):
                    grade = 0.0
                elif _MINOR.search(around):
                    grade = 0.35
                elif _STRONG.search(around):
                    grade = 1.0
                if grade > 0.5 and _HEDGE.search(around):
                    grade = 0.6
                out.setdefault(name, []).append(grade)
    return {name: sum(g) / len(g) for name, g in out.items()}


_STOP_WORDS = (
    "a an the of in on at to for from by with and or is are was were be been it its this that these those "
    "as into near about there which has have had than then also only very more most no not over under "
    "between within "
)
_STOP = frozenset(_STOP_WORDS.split())


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """Lower-case words that carry meaning, plural s removed."""
    words: Iterable[str] = re.findall(r"[a-z][a-z0-9-]+", text.lower())
    kept = (w for w in words if w not in _STOP)
    return frozenset(w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w for w in kept)


def jaccard(a: Set[str], b: Set[str]) -> float:
    """|a ∩ b| / |a ∪ b|; 0 for two empty sets."""
    return len(a & b) / len(a | b) if a | b else 0.0
