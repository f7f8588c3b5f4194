"""The answer without a language model: extractive sentences, each with the numbers of the sources it rests on.

AreoRAG §III-E (differential context): agreeing sources are told together; instrument and scale conflicts keep both
sides; temporal ones are put in order of time; what triage calls noise is left out and named as left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..graph.model import Claim
from ..planet.lexicon import get_lexicon
from ..planet.units import length as metres
from .model import ConflictView, Sentence, Source

_WORD = re.compile(r"[^\W_]+")
_BARE = re.compile(r"[-+±<>~≈≤≥\s\d.,eE–]*(?:to|and)?[-+±<>~≈≤≥\s\d.,eE–]*")
MAX_GROUPS = 6
MAX_LISTED = 8
_CLASS_WORDS = {"instrument": "what the instruments can sense", "scale": "resolution", "temporal": "time"}


def relevant(prop: str, asked: Sequence[str]) -> bool:
    """True when a claim's property is the one asked, or belongs to the group asked (carbonate ⊂ minerals)."""
    lexicon = get_lexicon()
    for name in asked:
        if lexicon.same(prop, name):
            return True
        term, claim_term = lexicon.get(name), lexicon.get(prop)
        if term is not None and claim_term is not None:
            if claim_term.name in lexicon.narrower(term.name):
                return True
            if term.name in ("mineralogy", "composition") and claim_term.category in (
                "mineral",
                "mineral group",
                "composition",
            ):
                return True
            if term.name in ("mineralogy", "composition") and claim_term.kind in ("mineral", "group"):
                return True
    return False


def topics(question: str, claims: Sequence[Claim]) -> list[str]:
    """Properties of `claims` that the question names in its own words, for questions outside the lexicon."""
    words = {stem(w) for w in _WORD.findall(question.lower())}
    named = []
    for prop in dict.fromkeys(c.property for c in claims):
        own = {stem(w) for w in _WORD.findall(prop.lower())}
        if own and own <= words:
            named.append(prop)
    return named


def stem(word: str) -> str:
    """A word without its plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def where_from(source: Source) -> str:
    """``CRISM from orbit (18 m)``, ``PIXL on the ground``, ``the HiRISE terrain model``, ``the text “…”``."""
    if source.kind == "fact":
        return f"the text “{_title(source)}”"
    name = source.instrument or source.id
    if source.kind == "insitu":
        return f"{name} on the ground"
    if source.kind == "orbital":
        return f"{name} from orbit" + (f" ({metres(source.resolution_m)})" if source.resolution_m else "")
    if source.kind in ("derived",):
        return f"the {name} product" + (f" ({metres(source.resolution_m)})" if source.resolution_m else "")
    return name


def _join(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else ", ".join(unique[:-1]) + " and " + unique[-1]


def _stance(claim: Claim) -> str:
    if claim.polarity:
        return claim.polarity
    value = (claim.value or "").strip()
    if value and not _BARE.fullmatch(value):
        return value  # it says its own unit, or needs none
    unit = "" if claim.unit in (None, "1") else claim.unit
    return f"{value} {unit}".strip() or "stated"


def quote(text: str) -> str:
    """A source's words on one line, without the closing stop, cut at 280 characters."""
    text = " ".join(text.split()).rstrip(".")
    return text[:277] + "…" if len(text) > 280 else text


def group_sentences(
    prop: str, members: Sequence[tuple[Source, Claim]], conflicts: Sequence[ConflictView]
) -> list[Sentence]:
    """Sentences about one property: each source's statement, agreement told once, conflicts pointed at."""
    mine = [c for c in conflicts if get_lexicon().same(c.property, prop)]
    temporal = any(c.category == "temporal" for c in mine)
    if temporal:
        members = sorted(members, key=lambda m: m[0].start or "")
    out: list[Sentence] = []
    by_stance: dict[str, list[tuple[Source, Claim]]] = {}
    for source, claim in members:
        by_stance.setdefault(_stance(claim), []).append((source, claim))
    for entries in by_stance.values():
        numbers = list(dict.fromkeys(s.n for s, _ in entries))
        first_source, first_claim = entries[0]
        lead = where_from(first_source)
        if temporal and first_source.mars_year is not None and first_source.ls_deg is not None:
            lead += f", MY {first_source.mars_year} Ls {first_source.ls_deg:.0f}°"
        said = quote(first_claim.text or f"{first_claim.property}: {first_claim.value}")
        subject = first_claim.subject[:1].upper() + first_claim.subject[1:]
        text = f"{subject}: {lead} reports {prop} {_stance(first_claim)} (“{said}”)."
        out.append(Sentence(text=text, cites=[first_source.n]))
        others = [(s, c) for s, c in entries[1:] if s.n != first_source.n]
        if others:
            names = _join([where_from(s) for s, _ in others])
            agree = "agrees" if len({where_from(s) for s, _ in others}) == 1 else "agree"
            out.append(Sentence(text=f"{names} {agree}: “{quote(others[0][1].text)}”.", cites=numbers))
    for conflict in mine:
        if conflict.category == "noise" or conflict.opaque:
            text = "These two cannot both hold and no physical difference between them explains it."
        else:
            text = f"These do not contradict each other: {_CLASS_WORDS[conflict.category]} explains the difference."
        if all(conflict.kept):
            out.append(Sentence(text=text, cites=[conflict.a, conflict.b], conflicts=[conflict.letter]))
    return out


def compose(
    sources: Sequence[Source], conflicts: Sequence[ConflictView], asked: Sequence[str], compare: bool
) -> list[Sentence]:
    """The sentences of an answer. Every one cites at least one source.

    `asked` are the properties of the question (lexicon names), `compare` whether it asks if sources agree.
    """
    kept = [s for s in sources if s.kept]
    groups: dict[str, list[tuple[Source, Claim]]] = {}
    lexicon = get_lexicon()
    for source in kept:
        for claim in source.claims:
            if not asked or relevant(claim.property, asked):
                term = lexicon.get(claim.property)
                groups.setdefault(term.name if term else claim.property, []).append((source, claim))
    exact = {p for p in groups for a in asked if lexicon.same(p, a)}
    order = sorted(groups, key=lambda p: (p not in exact, -_weight(groups[p], conflicts, p)))
    out: list[Sentence] = []
    told: set[int] = set()
    for prop in order[:MAX_GROUPS]:
        sentences = group_sentences(prop, groups[prop], conflicts)
        out += sentences
        told.update(n for s in sentences for n in s.cites)
    if compare and order:
        out = _verdict(groups, conflicts, order) + out
    texts = [s for s in kept if s.kind == "passage"]
    out += [Sentence(text=f"{_title(s)} says: “{quote(s.quoted or s.text)}”.", cites=[s.n]) for s in texts]
    rest = [s for s in kept if s.n not in told and not s.claims and s.kind in ("orbital", "insitu", "derived")]
    if rest and not out:
        out += [Sentence(text=_describe(s), cites=[s.n]) for s in rest[:MAX_LISTED]]
    elif rest:
        names = _join([f"{where_from(s)}" for s in rest[:MAX_LISTED]])
        out.append(Sentence(text=f"The place is also covered by {names}.", cites=[s.n for s in rest[:MAX_LISTED]]))
    for source in sources:
        if not source.kept:
            letters = [c.letter for c in conflicts if source.n in (c.a, c.b)]
            out.append(Sentence(text="One record is left out as noise.", cites=[source.n], conflicts=letters))
    return out


def _title(source: Source) -> str:
    return source.citations[0] if source.citations else source.source_file or source.id


def _weight(members: Sequence[tuple[Source, Claim]], conflicts: Sequence[ConflictView], prop: str) -> float:
    """Properties with a conflict and more sources come first: the disagreement is often the science."""
    has_conflict = any(get_lexicon().same(c.property, prop) for c in conflicts)
    return 2.0 * has_conflict + 0.2 * len(members) + max(s.score for s, _ in members)


def _verdict(
    groups: dict[str, list[tuple[Source, Claim]]], conflicts: Sequence[ConflictView], order: Sequence[str]
) -> list[Sentence]:
    """Whether orbit and ground (or whatever sources there are) agree, property by property."""
    same = get_lexicon().same
    agree, differ = [], []
    for prop in order:
        kinds = {s.kind for s, _ in groups[prop]}
        of_prop = [c for c in conflicts if same(c.property, prop) and all(c.kept)]
        if of_prop:
            differ.append((prop, of_prop))
        elif len({s.n for s, _ in groups[prop]}) > 1 and len(kinds) > 1:
            agree.append(prop)
    out = []
    if agree:
        numbers = sorted({s.n for p in agree for s, _ in groups[p]})
        out.append(Sentence(text=f"Orbit and ground agree on {_join(agree)}.", cites=numbers))
    for prop, found in differ:
        numbers = sorted({n for c in found for n in (c.a, c.b)})
        reasons = _join([_CLASS_WORDS.get(c.category, "an unexplained cause") for c in found])
        text = f"The sources differ on {prop}; the reason found is {reasons}."
        out.append(Sentence(text=text, cites=numbers, conflicts=[c.letter for c in found]))
    return out


def _describe(source: Source) -> str:
    when = ""
    if source.start:
        when = f" on {source.start[:10]}"
    if source.mars_year is not None and source.ls_deg is not None:
        when += f" (MY {source.mars_year}, Ls {source.ls_deg:.1f}°)"
    verb = "measured" if source.kind == "insitu" else "observed"
    scale = f" at {metres(source.resolution_m)} per pixel" if source.resolution_m and source.kind != "insitu" else ""
    return f"{source.instrument or source.kind} {verb} the place{when}{scale}: {source.id}."
