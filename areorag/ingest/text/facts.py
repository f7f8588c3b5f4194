"""Facts of one piece of text without a model: entities with roles, claims, exact quotes (AreoRAG §III-B.1).

A fact is a sentence that binds at least two entities, or that says what a target contains. Its quote is the sentence as
the source has it; ``check_fact`` refuses a fact whose quote is not at its place.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...graph.model import Claim, Fact, Mention, Passage
from ...planet.gazetteer import Feature
from ...planet.lexicon import Lexicon, get_lexicon
from .amounts import amount_near, certainty_of, find_amounts, level_of, polarity_of
from .candidates import STOP, normal
from .extract import find_all
from .invisible import see
from .lexicons import element_names, instruments
from .places import find_places
from .relations import Pair
from .spans import Span, Zones

ROLES = {
    "Target": "target",
    "Feature": "place",
    "Mineral": "component",
    "Element": "component",
    "Material": "component",
    "Instrument": "instrument",
    "Concept": "concept",
}
MAX_NAME = 100  # characters; whole lines in capitals are no names, and the database indexes names
#: Types of spans that can be contained; an oxide's entity is a concept, its span a material.
COMPONENTS = frozenset({"Mineral", "Element", "Material"})
SHARE_UNITS = frozenset({"wt%", "%", "ppm", "ppb", "vol%", "mol%", "at%", "area%"})
_REPORTS = re.compile(
    r"(?i)\b(?:contain|detect|found|identif|observ|host|bear|hold|expos|report|reveal|occur|map(?:s|ped)\b|present\b|"
    r"absent|absence|lack|abundan|rich\b|outcrop|consist of|dominated by|signatures? of|evidence (?:for|of))"
)
_TAG = re.compile(r"\s?\(([A-Z][\w .'-]{2,30})\)")
_ABBREVIATION = re.compile(r"((?:[A-Z][\w'-]+ ){1,3}[A-Z][\w'-]+)[\"”’]? \(([A-Z]{2,4})\)")
_NAME = re.compile(
    r"(?<![\w.])((?:[A-ZÀ-Þ][\wÀ-ÿ'’.-]*[\wÀ-ÿ])(?:\s(?:of|the|de|la|von|van|and|for)(?=\s[A-ZÀ-Þ])|\s[A-ZÀ-Þ0-9][\wÀ-ÿ'’-]*)*)"
)


@dataclass(frozen=True)
class Named:
    """A mention with the entity it names."""

    span: Span
    label: str
    name: str


@dataclass
class Extracted:
    """What one segment gave: mentions, facts, features with places, and what was dropped."""

    mentions: list[Mention] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    features: dict[str, Feature] = field(default_factory=dict)
    dropped: int = 0


def check_fact(fact: Fact, text: str, base: int = 0) -> bool:
    """True when the fact's quote stands in the document exactly where it says (`text` starts at offset `base`)."""
    return bool(fact.quote) and text[fact.start - base : fact.end - base] == fact.quote


def _canonical(span: Span, lexicon: Lexicon) -> tuple[str, str]:
    """Label and name of the entity a component span names."""
    if span.type == "Element":
        low = span.text.lower()
        symbol = element_names().get(low) or (span.text if len(span.text) <= 2 else None)
        term = lexicon.get(symbol) if symbol else None
        return "Element", term.name if term else (symbol or span.text)
    term = lexicon.get(span.text)
    name = term.name if term else re.sub(r"\s+", " ", span.text.lower())
    return ("Mineral" if span.type == "Mineral" else "Concept"), name


def _cover(length: int, spans: Iterable[tuple[int, int]]) -> bytearray:
    """One byte a character, 1 where a span lies: whether [a, b) is free is ``cover.find(1, a, b) < 0``."""
    cover = bytearray(length)
    for a, b in spans:
        cover[a:b] = b"\1" * (b - a)
    return cover


def find_concepts(text: str, zones: Zones, taken: bytearray) -> list[Span]:
    """Capitalised names and abbreviations that nothing else claimed: what general texts are about."""
    out = []
    lower = set(re.findall(r"(?<![\w])[a-zà-ÿ][\wà-ÿ-]+", text))
    starts = {a for a, _ in zones.sentences}
    for m in _NAME.finditer(text):
        a, b = m.span(1)
        if zones.in_authors(a) or zones.in_references(a):
            continue
        words = [(w.start() + a, w.end() + a) for w in re.finditer(r"\S+", m[1])]
        while words and text[words[0][0] : words[0][1]].rstrip(".") in STOP:
            words.pop(0)
        while words and text[words[-1][0] : words[-1][1]].rstrip(".") in STOP:
            words.pop()
        if not words:
            continue
        a, b = words[0][0], words[-1][1]
        name = text[a:b]
        single = len(words) == 1
        if not 2 <= len(name) <= MAX_NAME or (
            single and (name.lower() in lower or (a in starts and not name.isupper()))
        ):
            continue
        if single and (len(name) < 3 or name.isdigit()):
            continue
        if taken.find(1, a, b) >= 0:
            continue
        out.append(Span(a, b, "Concept", name))
    return out


def find_instruments(text: str, zones: Zones) -> list[Span]:
    """Instruments by name, outside authors and references."""
    names = sorted(instruments(), key=len, reverse=True)
    pattern = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, names)) + r")(?![\w])")
    return [
        Span(m.start(), m.end(), "Instrument", m[1])
        for m in pattern.finditer(text)
        if len(m[1]) > 2 and not (zones.in_authors(m.start()) or zones.in_references(m.start()))
    ]


def _abbreviations(text: str) -> dict[str, str]:
    """Abbreviation -> the words before it whose initials it is: "The Confidence Hills (CH)"."""
    out = {}
    for m in _ABBREVIATION.finditer(text):
        words = m[1].split()[-len(m[2]) :]
        if "".join(w[0] for w in words) == m[2]:
            out[m[2]] = " ".join(words)
    return out


def _mentions(text: str, body: str) -> tuple[list[Named], tuple[Pair, ...], dict[str, Feature], Zones]:
    found = find_all(text)
    zones, lexicon = found.zones, get_lexicon()
    out: list[Named] = []
    short = _abbreviations(text)
    for s in found.spans:
        if s.type == "Target":
            out.append(Named(s, "Target", normal(short.get(s.text, s.text)) or s.text))
        else:
            label, name = _canonical(s, lexicon)
            out.append(Named(s, label, name))
    taken = _cover(len(text), ((n.span.start, n.span.end) for n in out))
    features: dict[str, Feature] = {}
    for s, feature in find_places(text, zones, body):
        if taken.find(1, s.start, s.end) < 0:
            features[feature.name] = feature
            out.append(Named(s, "Feature", feature.name))
    out += [Named(s, "Instrument", instruments()[s.text]) for s in find_instruments(text, zones)]
    taken = _cover(len(text), ((n.span.start, n.span.end) for n in out))
    out += [Named(s, "Concept", " ".join(s.text.split())) for s in find_concepts(text, zones, taken)]
    return sorted(out, key=lambda n: (n.span.start, -n.span.end)), found.pairs, features, zones


def _claim(fact_id: str, pair: Pair, subject: str, prop: str, sentence: str, base: int, others: list[Span]) -> Claim:
    """The claim of one (target, component) pair; offsets of `sentence` begin at `base` of the text.

    Amounts followed by names ("5.2 wt% (Stephen), 5.3 wt% (Neil)") go to the target they name.
    """
    a, b = pair.component.start - base, pair.component.end - base
    spans = [(o.start - base, o.end - base) for o in others if o.start != pair.component.start]
    amounts = [x for x in find_amounts(sentence) if x.unit in SHARE_UNITS]
    tagged = {m[1].strip(): x for x in amounts if (m := _TAG.match(sentence[x.end : x.end + 40]))}
    amount = tagged.get(pair.target.text) or amount_near(sentence, a, b, spans, amounts)
    polarity = polarity_of(sentence, a, b)
    level = level_of(sentence, a, b)
    return Claim(
        id=f"{fact_id}#{hashlib.sha256(f'{subject}|{prop}|{a}'.encode()).hexdigest()[:6]}",
        subject=subject,
        property=prop,
        value=amount.text if amount else ("absent" if polarity == "absent" else level or prop),
        polarity=polarity,
        low=amount.low if amount else None,
        high=amount.high if amount else None,
        unit=amount.unit if amount else None,
        text=" ".join(sentence.split()),
    )


def _place_pairs(named: list[Named], sentence: tuple[int, int], text: str, said: set[str]) -> list[Pair]:
    """Minerals that the sentence reports at its only place, or reports to be absent there ("not detected in Jezero").

    Only words of finding, holding or missing make it a report; what is said of a target of the sentence is not said of the
    place as well.
    """
    places = {n.name: n.span for n in named if n.label == "Feature"}
    if len(places) != 1 or any(n.label == "Target" for n in named) or not _REPORTS.search(text):
        return []
    (place,) = places.values()
    minerals = {n.name: n.span for n in named if n.label == "Mineral" and n.name not in said}
    return [Pair(place, span, 0.5, sentence) for span in minerals.values()]


def extract_facts(
    text: str, passages: list[Passage], document_id: str, *, base: int = 0, body: str = "Mars"
) -> Extracted:
    """Facts of one segment, each inside one passage.

    Parameters
    ----------
    text : the segment; base : offset of its first character in the document
    passages : the segment's passages; a sentence that spans two is quoted from the first
    """
    seen = see(text)
    named, pairs, features, zones = _mentions(seen.text, body)
    out = Extracted(features=features)
    for n in named:
        a, b = seen.source(n.span.start, n.span.end)
        out.mentions.append(Mention(start=base + a, end=base + b, text=text[a:b], type=n.label, name=n.name))
    by_sentence: dict[int, list[Named]] = defaultdict(list)
    for n in named:
        by_sentence[zones.sentence_of(n.span.start)].append(n)
    said: dict[int, list[Pair]] = defaultdict(list)
    for p in pairs:
        said[zones.sentence_of(p.component.start)].append(p)
    names = {(n.span.start, n.span.end): n for n in named}
    for i, (a, b) in enumerate(zones.sentences):
        if zones.in_references(a) or (a < zones.header_end and b <= zones.header_end):
            continue
        fact = _fact(text, seen.source(a, b), base, passages, document_id)
        if fact is None:
            continue
        entities = [(ROLES.get(n.label, "concept"), n.label, n.name) for n in by_sentence[i]]
        claims: dict[tuple[str, str], Claim] = {}
        for p in said[i]:
            t = names.get((p.target.start, p.target.end))
            subject = t.name if t else normal(p.target.text)
            c = names[p.component.start, p.component.end]
            others = [n.span for n in by_sentence[i] if n.span.type in COMPONENTS]
            claim = _claim(fact.id, p, subject, c.name, seen.text[a:b], a, others)
            old = claims.get((subject, c.name))
            if old is None or (old.unit is None and claim.unit is not None):
                claims[subject, c.name] = claim
            entities.append(("target", "Target", subject))
        for p in _place_pairs(by_sentence[i], (a, b), seen.text[a:b], {c for _, c in claims}):
            place, what = names[p.target.start, p.target.end].name, names[p.component.start, p.component.end].name
            others = [n.span for n in by_sentence[i] if n.span.type in COMPONENTS]
            claims.setdefault((place, what), _claim(fact.id, p, place, what, seen.text[a:b], a, others))
        fact.claims = list(claims.values())
        fact.entities = list(dict.fromkeys(entities))
        if len({(t, n) for _, t, n in fact.entities}) < 2:
            continue
        hedge = certainty_of(fact.quote)
        best = max((p.probability for p in said[i]), default=0.5)
        fact.confidence = round(hedge * (0.4 + 0.5 * best), 3)
        if check_fact(fact, text, base):
            out.facts.append(fact)
        else:
            out.dropped += 1
    return out


def fact_id(passage_id: str, start: int, quote: str) -> str:
    """Id of the fact that quotes `quote` at `start` from a passage: a passage's facts are its own, and go with it."""
    return "fact:" + hashlib.sha256(f"{passage_id}|{start}|{quote}".encode()).hexdigest()[:16]


def _fact(text: str, place: tuple[int, int], base: int, passages: list[Passage], document_id: str) -> Fact | None:
    """An empty fact quoting [a, b) of the segment, cut to the passage it begins in."""
    a, b = place
    quote = text[a:b]
    a += len(quote) - len(quote.lstrip())
    home = next((p for p in passages if p.start <= base + a < p.end), None)
    if home is None:
        return None
    b = min(b, home.end - base)
    quote = text[a:b].rstrip()
    if len(quote) < 12:
        return None
    return Fact(
        id=fact_id(home.id, base + a, quote),
        document_id=document_id,
        passage_id=home.id,
        start=base + a,
        end=base + a + len(quote),
        quote=quote,
        text=" ".join(see(quote).text.split()),
    )
