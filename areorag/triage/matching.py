"""Which claims of retrieved evidence speak of the same thing: property, subject and place."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from ..graph.model import Claim, Observation
from ..planet.bodies import get_body
from ..planet.lexicon import get_lexicon
from .bridges.place import separation_m
from .source import Source
from .stance import content_words, jaccard
from .tables import property_classes

NEAR_M = 20_000.0
_SUBSTANCES = ("mineral", "group", "element", "oxide")


@lru_cache(maxsize=4096)
def property_kind(prop: str) -> str:
    """The property class whose keywords match, else the property's own words."""
    for cls in property_classes():
        if cls.keywords.search(prop):
            return cls.name
    return re.sub(r"\W+", " ", prop.lower()).strip()


def subject_key(claim: Claim) -> str:
    """Claims are compared within one kind of property."""
    return property_kind(claim.property)


@lru_cache(maxsize=4096)
def same_property(a: str, b: str) -> bool:
    """True when two properties can contradict each other: one name, one within the other, or one kind of quantity.

    Two minerals (elements, oxides) of different name never do: carbonate seen says nothing of smectite missed.
    """
    lexicon = get_lexicon()
    ta, tb = lexicon.get(a), lexicon.get(b)
    if ta is not None and tb is not None:
        if ta.name == tb.name or tb.name in lexicon.narrower(ta.name) or ta.name in lexicon.narrower(tb.name):
            return True
        if ta.kind in _SUBSTANCES or tb.kind in _SUBSTANCES or "group" in ta.category + tb.category:
            return False
    if jaccard(content_words(a), content_words(b)) > 0:
        return True
    return property_kind(a) == property_kind(b)


def same_subject(a: Claim, b: Claim) -> bool:
    """Names that mean one thing: equal, contained, or alike in words."""
    sa, sb = a.subject.strip().lower(), b.subject.strip().lower()
    if not sa or not sb or sa == sb or sa in sb or sb in sa:
        return True
    return jaccard(content_words(sa), content_words(sb)) >= 0.5 or fuzz.token_set_ratio(sa, sb) >= 85


def reach_m(observation: Observation) -> float:
    """How far from its centre an observation speaks, metres."""
    source = Source.from_observation(observation, Claim(id="", subject="", property="", value=""))
    return max(source.footprint_radius_m or 0.0, 3.0 * (source.scale_m or 0.0))


def meet(a: Observation, b: Observation) -> bool:
    """Do the places overlap or lie within reach? True where one has no position (then the subject decides)."""
    if (
        a.position_lon_deg is None
        or a.position_lat_deg is None
        or b.position_lon_deg is None
        or b.position_lat_deg is None
    ):
        return True
    radius = get_body(a.body).equatorial_radius_m
    apart = separation_m(a.position_lon_deg, a.position_lat_deg, b.position_lon_deg, b.position_lat_deg, radius)
    return apart <= max(NEAR_M, reach_m(a) + reach_m(b))


def comparable(oa: Observation, ca: Claim, ob: Observation, cb: Claim) -> bool:
    """Same body, same property, and the same subject or place; or one speaks of the target that the other is a record of."""
    if oa.body != ob.body or not same_property(ca.property, cb.property):
        return False
    if _is_target(ca, ob) or _is_target(cb, oa):
        return True
    return same_subject(ca, cb) and (meet(oa, ob) or ca.subject.strip().lower() == cb.subject.strip().lower())


def _is_target(claim: Claim, record: Observation) -> bool:
    """Whether a claim's subject is a named target of a record (a label's target may also be the body itself)."""
    subject = claim.subject.strip().lower()
    return subject != record.body.lower() and subject in {t.strip().lower() for t in record.targets}
