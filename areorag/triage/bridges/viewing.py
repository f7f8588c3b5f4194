"""Viewing and illumination: the same ground under other angles (instrument-inherent conflicts, AreoRAG §III-D).

Shading contrast of a slope s under incidence i is about tan i · tan s for a Lambert surface (Horn 1981); a step of
height h casts a shadow h · tan i. Dust and rough ground brighten toward opposition by tens of per cent (Hapke 2012,
ch. 9; Soderblom et al. 2006, Icarus 184, 401). Specular and forward-scattering surfaces invert it.
"""

from __future__ import annotations

import math
import re

from .base import Bridge, Pair, ramp

_CUES = re.compile(r"shadow|illuminat|low sun|high sun|sun(?:light)? angle|overhead|grazing|opposition|phase angle|"
                   r"specular|glint|"
                   r"shad(?:ed|ing)|oblique|nadir|emission angle|backscatter|forward[- ]scatter|photometric|glancing|low light|"
                   r"incidence|viewing|lit from|noon sun|high-sun|low-sun|stereo|look angle|slant")  # fmt: skip


def shading_contrast(slope_deg: float, incidence_deg: float) -> float:
    """Relative brightness change of a slope facing the Sun on a Lambert surface: tan i · sin s + cos s − 1.

    >>> round(shading_contrast(2.0, 70.0) / shading_contrast(2.0, 20.0), 1)
    7.8
    """
    s, i = math.radians(slope_deg), math.radians(min(incidence_deg, 89.0))
    return math.tan(i) * math.sin(s) + math.cos(s) - 1.0


def shadow_length_m(height_m: float, incidence_deg: float) -> float:
    """Length of the shadow of a step of `height_m`, metres: h · tan i."""
    return height_m * math.tan(math.radians(min(incidence_deg, 89.9)))


def phase_ratio(phase_a_deg: float, phase_b_deg: float, g: float = 0.35) -> float:
    """Ratio of backscattered brightness at two phase angles, one-term Henyey-Greenstein with asymmetry −g."""

    def p(phase: float) -> float:
        return float((1 - g * g) / (1 + g * g - 2 * g * math.cos(math.radians(phase))) ** 1.5)

    ratio = p(phase_a_deg) / p(phase_b_deg)
    return max(ratio, 1.0 / ratio)


def _gap(a: float | None, b: float | None) -> float:
    return 0.0 if a is None or b is None else abs(a - b)


def viewing(pair: Pair) -> Bridge | None:
    """Do incidence, emission or phase differ enough to change how the thing asked looks?"""
    di = _gap(pair.a.incidence_deg, pair.b.incidence_deg)
    de = _gap(pair.a.emission_deg, pair.b.emission_deg)
    dp = _gap(pair.a.phase_deg, pair.b.phase_deg)
    cues = len(set(_CUES.findall(pair.text)))
    size = max(ramp(di, 8, 35), ramp(de, 8, 35), ramp(dp, 12, 55))
    if size == 0.0:
        return None
    score = size * min(1.0, pair.profile.of("viewing") + 0.3 * min(cues, 2)) * (1.0 if cues else 0.55)
    parts, numbers = [], {"d_incidence": di, "d_emission": de, "d_phase": dp, "cues": float(cues)}
    ia, ib = pair.a.incidence_deg, pair.b.incidence_deg
    if ia is not None and ib is not None and di >= 5:
        contrast = shading_contrast(3.0, max(ia, ib)) / max(1e-6, shading_contrast(3.0, min(ia, ib)))
        numbers["contrast_ratio"] = contrast
        parts.append(f"incidence {ia:.0f}° against {ib:.0f}°: a 3° slope has {contrast:.1f} times the shading contrast")
    if pair.a.phase_deg is not None and pair.b.phase_deg is not None and dp >= 10:
        ratio = phase_ratio(pair.a.phase_deg, pair.b.phase_deg)
        numbers["phase_ratio"] = ratio
        parts.append(
            f"phase {pair.a.phase_deg:.0f}° against {pair.b.phase_deg:.0f}°: brightness differs by {ratio:.2f}"
        )
    if de >= 8:
        parts.append(f"emission angles differ by {de:.0f}°")
    text = "; ".join(parts) or "viewing geometry differs"
    return Bridge("viewing", "instrument", "geometry", score, text, numbers, "Horn 1981; Hapke 2012")
