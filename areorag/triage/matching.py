"""Which claims of retrieved evidence speak of the same thing: property, subject and place."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from ..graph.model import Claim, Observation
from ..planet.bodies import get_body
from .bridges.place import separation_m
from .source import Source
from .stance import content_words, jaccard
from .tables import property_classes

NEAR_M = 20_000.0


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
    """Same body, same property, and the same subject or place."""
    if oa.body != ob.body:
        return False
    same_words = jaccard(content_words(ca.property), content_words(cb.property)) > 0 or property_kind(
        ca.property
    ) == property_kind(cb.property)
    return (
        same_words
        and same_subject(ca, cb)
        and (meet(oa, ob) or ca.subject.strip().lower() == cb.subject.strip().lower())
    )
