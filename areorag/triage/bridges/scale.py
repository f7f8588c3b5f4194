"""Sub-pixel mixing: what a coarse pixel cannot show of a fine target (scale-dependent conflicts, AreoRAG §III-D).

Areal mixing is linear in radiance (Adams et al. 1986, JGR 91, 8098): a target that fills the fraction f of a pixel
keeps the fraction f of its band depth. A landform needs about three samples across to be recognised (Johnson 1958;
for planetary images McEwen et al. 2007, JGR 112, E05S02: "3 pixels").
"""

from __future__ import annotations

import math
import re

from ..profile import target_size_m
from ..quantities import Quantity, quantities
from ..source import Source
from .base import Bridge, Pair, metres, ramp

SAMPLES_TO_RECOGNISE = 3.0
BAND_DEPTH_LIMIT = 0.01  # CRISM targeted, single pixel: Viviano-Beck et al. 2014, JGR 119, 1403
_POINT_PROPERTIES = (
    "mineral",
    "element",
    "salts",
    "hydration",
    "thermal inertia",
    "iron oxidation",
    "ground ice",
    "organics",
)
_NOT_A_SIZE = re.compile(
    r"elevation|altitude|above|below|depth of|wavelength|band|away|distance|from the|pixel|footprint|spacing|"
    r"per pixel|resolution|sampling|areoid|beneath|deep\b|column",
    re.I,
)
_LENGTHWISE = re.compile(r"\blong\b|length|stretch|extend", re.I)


def fill_fraction(size_m: float, pixel_m: float, linear: bool) -> float:
    """Share of a pixel that one target fills: size/pixel for a line across it, (size/pixel)² for a compact one; ≤ 1.

    >>> round(fill_fraction(6.0, 18.0, linear=False), 3)
    0.111
    """
    ratio = min(1.0, size_m / pixel_m)
    return ratio if linear else ratio * ratio


def mixed_band_depth(depth: float, fraction: float) -> float:
    """Band depth left after areal mixing with a featureless background of equal albedo: fraction · depth."""
    return fraction * depth


def spots_to_hit(fraction: float, confidence: float = 0.95) -> float:
    """Random spots needed to hit a component that covers `fraction` of the ground at least once."""
    if fraction >= 1.0:
        return 1.0
    return math.log(1.0 - confidence) / math.log(1.0 - max(fraction, 1e-12))


def stated_size_m(source: Source) -> tuple[float, bool] | None:
    """Extent of the thing a claim describes, metres, and whether it is a length along a line; None if not stated."""
    best: tuple[float, bool] | None = None
    for text in (source.value, source.text):
        sizes: list[tuple[float, bool]] = []
        for q in quantities(text, bare=False):
            if q.dimension != "length" or q.mid <= 0:
                continue
            around = text[max(0, q.start - 26) : q.start + len(q.text) + 18]
            if _NOT_A_SIZE.search(around):
                continue
            sizes.append((_size_of(q), bool(_LENGTHWISE.search(text[q.start : q.start + len(q.text) + 18]))))
        widths = [s for s in sizes if not s[1]]
        if widths or sizes:
            best = min(widths or sizes)
            break
    return best


def _size_of(q: Quantity) -> float:
    return math.sqrt(q.low * q.high) if q.low > 0 else q.high


def target_size(pair: Pair) -> tuple[float, bool, bool] | None:
    """(size in metres, linear, stated) of what the pair is about: stated by a claim, else usual for the thing named."""
    stated = stated_size_m(pair.fine) or stated_size_m(pair.coarse)
    if stated is not None:
        return stated[0], stated[1], True
    usual = target_size_m(pair.question, pair.a, pair.b)
    return None if usual is None else (usual[0], usual[1], False)


def subpixel(pair: Pair) -> Bridge | None:
    """Is the target resolved by one product and lost in the pixel of the other?"""
    scales = pair.scales_m
    size = target_size(pair)
    if scales is None or size is None or scales[1] / scales[0] < 1.8:
        return None
    fine, coarse = scales
    size_m, linear, stated = size
    if any(pair.profile.weight(p) > 0.5 for p in _POINT_PROPERTIES) and not stated:
        return None
    samples_fine, samples_coarse = size_m / fine, size_m / coarse
    lost = 1.0 - ramp(math.log10(max(samples_coarse, 1e-9)), math.log10(0.6), math.log10(SAMPLES_TO_RECOGNISE * 2))
    seen = ramp(math.log10(max(samples_fine, 1e-9)), math.log10(0.5), math.log10(SAMPLES_TO_RECOGNISE))
    score = lost * seen * (0.35 + 0.65 * pair.profile.of("resolution"))
    if not stated:
        score *= 0.85
    fraction = fill_fraction(size_m, coarse, linear)
    kind = "as stated" if stated else "usual for such a target"
    text = (
        f"the target is about {metres(size_m)} ({kind}): {samples_fine:.2g} samples across at {metres(fine)} but "
        f"{samples_coarse:.2g} at {metres(coarse)}, where it fills {100 * fraction:.2g} % of a pixel "
        f"({SAMPLES_TO_RECOGNISE:.0f} samples are needed to recognise a form)"
    )
    numbers = {
        "size_m": size_m,
        "samples_fine": samples_fine,
        "samples_coarse": samples_coarse,
        "fraction": fraction,
        "stated": float(stated),
    }
    return Bridge("sub-pixel", "scale", "resolution", score, text, numbers, "Johnson 1958; McEwen et al. 2007")


def resolved_by_both(pair: Pair) -> float:
    """Degree to which both products would have shown the target, 0..1 (then resolution explains nothing)."""
    size, scales = target_size(pair), pair.scales_m
    if size is None or scales is None:
        return 0.0
    return ramp(math.log10(size[0] / scales[1]), math.log10(3.0), math.log10(15.0)) * (1.0 if size[2] else 0.6)


def point_against_area(pair: Pair) -> Bridge | None:
    """Does one side measure a spot of a mixed ground whose average the other measures?"""
    scales = pair.scales_m
    if scales is None or scales[1] / scales[0] < 20.0:
        return None
    fine, coarse = scales
    share = (fine / coarse) ** 2
    ratio = math.log10(coarse / fine)
    score = pair.profile.of("resolution") * ramp(ratio, 1.0, 4.5)
    if pair.profile.of("resolution") < 0.5:
        score *= 0.6
    spots = spots_to_hit(0.1)
    text = (
        f"a {metres(fine)} spot is {share:.1e} of a {metres(coarse)} cell: the cell gives the average of the ground, the "
        f"spot one component; a component on 10 % of the ground is missed by fewer than {spots:.0f} random spots, and in "
        f"the cell keeps a tenth of its band depth"
    )
    numbers = {"share": share, "log10_ratio": ratio, "spots": spots}
    return Bridge("point against area", "scale", "mixing", score, text, numbers, "Adams et al. 1986; binomial sampling")
