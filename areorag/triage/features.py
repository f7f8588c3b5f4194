"""The conflict features z of AreoRAG Eq. 18 as METHODS §5 extends them: one vector a pair, the same for (a, b) and (b, a).

Groups (for ablation): entropy, geometry, resolution, depth, spectrum, time, authority, sensitivity, bridges, claims,
cues. Raw differences alone cannot label a pair, so each also enters multiplied by the sensitivity of the property asked.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .bridges import Bridge, Pair, run_all
from .bridges.base import ramp
from .bridges.numeric import magnitude
from .bridges.provenance import flag_severity, level_suspicion, suspicion
from .bridges.scale import resolved_by_both, target_size
from .claims import compare
from .profile import profile
from .source import Source
from .stance import graded_concepts, stance
from .tables import DIMENSIONS, property_classes

FloatArray = npt.NDArray[np.float64]

CUES: dict[str, re.Pattern[str]] = {
    "change": re.compile(r"\b(?:new|newly|fresh|changed?|appear\w*|vanish\w*|disappear\w*|fad\w+|grew|grow\w*|moved?|advanc\w+|"
                         r"retreat\w*|formed|brighten\w*|darken\w*|gone|still|again|season\w*|spring|summer|autumn|winter|"
                         r"sublim\w+|storm|morning|afternoon|night\w*|noon|dawn|sunrise|sunset|evening|after|before|"
                         r"later|earlier|since|no longer|now|active|quiet|onset|already|remains?|yet)\b"),
    "scale": re.compile(r"\b(?:small|fine|narrow|thin|tiny|metres? (?:wide|across|apart|high|thick)|millimetres?|centimetres?|"
                        r"kilometres?|grains?|spots?|points?|patch\w*|pixels?|cells?|average[ds]?|averages|mean|regional|mixed|"
                        r"unresolved|resolved|outcrops?|smooth|featureless|uniform|massive|plain|footprint|global|local|wide|"
                        r"scattered|isolated|within|mosaic|map|grid\w*|um|mm|cm)\b"),
    "instrument": re.compile(r"\b(?:spectr\w+|bands?|absorption\w*|echo\w*|reflect\w+|radar|neutron\w*|gamma|diffraction|x-ray|"
                             r"laser|lines?|depth|deep|below|beneath|surface|interior|coat\w*|dust\w*|drill\w*|powder|brush\w*|"
                             r"ground|interface|basal|infrared|visible|ultraviolet|thermal|emissivity|column|limb|occultation|"
                             r"incidence|illumination|shadow\w*|low sun|phase angle|amorphous|crystalline|signature|"
                             r"colou?r|bulk|"
                             r"upper|senses?|limit|enrichment)\b"),
    "error": re.compile(r"\b(?:lists?|listed|table|catalogue|catalog|record\w*|entry|file|header|label\w*|reads?|"
         r"typed?|report\w*|"
                        r"summary|calibrat\w+|recalibrat\w+|reprocess\w+|artefact\w*|artifact\w*|spikes?|noise|noisy|clutter|"
                        r"background|contaminat\w+|saturat\w+|telluric|blank|seam|stripes?|corrected|uncorrected|converted|"
                        r"transcri\w+|printed|spreadsheet|delivered|export\w*|preliminary|first release|revised|frame|column|"
                        r"single|isolated|one frame|cosmic|misread|quotes?|swapped|flagged|stuck|glitch\w*)\b"),
}  # fmt: skip


@dataclass(frozen=True)
class Features:
    """The vector z (n,), the pair it was computed from and the bridges it contains."""

    z: FloatArray
    pair: Pair
    bridges: dict[str, Bridge | None]

    def as_dict(self) -> dict[str, float]:
        """Feature name → value."""
        return dict(zip(feature_names(), (float(v) for v in self.z), strict=True))


def _log_ratio(a: float | None, b: float | None) -> tuple[float, float]:
    if a is None or b is None or a <= 0 or b <= 0:
        return 0.0, 0.0
    return abs(math.log(a / b)), 1.0


def _gap(a: float | None, b: float | None, scale: float) -> tuple[float, float]:
    return (0.0, 0.0) if a is None or b is None else (abs(a - b) / scale, 1.0)


def band_overlap(a: tuple[float, float] | None, b: tuple[float, float] | None) -> tuple[float, float]:
    """(share of the narrower range, in log wavelength, that both cover; known)."""
    if a is None or b is None or min(a[0], b[0]) <= 0:
        return 0.0, 0.0
    low, high = math.log(max(a[0], b[0])), math.log(min(a[1], b[1]))
    width = min(math.log(a[1] / a[0]), math.log(b[1] / b[0]))
    return (max(0.0, high - low) / width if width > 1e-9 else float(high >= low)), 1.0


def _grade(source: Source) -> float:
    polarity = stance(source.value).polarity
    if polarity is not None:
        return polarity
    grades = graded_concepts(source.value)
    return max(grades.values()) if grades else 0.5


def _metadata(pair: Pair) -> dict[str, dict[str, float]]:
    a, b = pair.a, pair.b
    di, ki = _gap(a.incidence_deg, b.incidence_deg, 90.0)
    de, _ = _gap(a.emission_deg, b.emission_deg, 60.0)
    dp, kp = _gap(a.phase_deg, b.phase_deg, 120.0)
    ln_res, known_res = _log_ratio(a.scale_m, b.scale_m)
    ln_depth, known_depth = _log_ratio(a.depth_m, b.depth_m)
    overlap, known_band = band_overlap(a.bands, b.bands)
    scales = pair.scales_m or (1.0, 1.0)
    kinds = {a.kind, b.kind}
    targets = {s.spec.target if s.spec else "" for s in (a, b)}
    return {
        "geometry": {"d_incidence": di, "d_emission": de, "d_phase": dp, "angles_known": ki, "phase_known": kp},
        "resolution": {
            "ln_resolution": ln_res / 10.0,
            "resolution_known": known_res,
            "log_fine": math.log10(scales[0]) / 6.0,
            "log_coarse": math.log10(scales[1]) / 6.0,
            "insitu_orbital": float("insitu" in kinds and len(kinds) > 1),
            "both_insitu": float(kinds == {"insitu"}),
            "both_orbital": float("insitu" not in kinds),
            "resolved_by_both": resolved_by_both(pair),
        },
        "depth": {"ln_depth": ln_depth / 10.0, "depth_known": known_depth},
        "spectrum": {
            "band_overlap": overlap,
            "band_known": known_band,
            "same_technique": float(bool(a.technique) and a.technique == b.technique),
            "same_instrument": float(bool(a.instrument) and a.instrument == b.instrument),
            "same_platform": float(bool(a.platform) and a.platform == b.platform),
            "air": float("atmosphere" in targets),
            "air_only": float(targets == {"atmosphere"}),
            "subsurface_one": float("subsurface" in targets and len(targets) > 1),
        },
    }


def _time_and_trust(pair: Pair) -> dict[str, dict[str, float]]:
    a, b = pair.a, pair.b
    sols, gap = pair.sols, pair.delta_ls_deg
    flags = (flag_severity(a.quality_flags), flag_severity(b.quality_flags))
    levels = (level_suspicion(a), level_suspicion(b))
    doubts = (suspicion(a), suspicion(b))
    return {
        "time": {
            "log_sols": math.log1p(sols) / 9.0 if sols is not None else 0.0,
            "sols_known": float(sols is not None),
            "d_ls": gap / 180.0 if gap is not None else 0.0,
            "d_hours": pair.delta_hours / 12.0 if pair.delta_hours is not None else 0.0,
            "hours_known": float(pair.delta_hours is not None),
            "within_ten_sols": float(sols is not None and sols < 10.0),
            "d_mars_years": min(12.0, sols / 668.6) / 12.0 if sols is not None else 0.0,
        },
        "authority": {
            "authority_gap": abs(a.authority - b.authority),
            "authority_min": min(a.authority, b.authority),
            "authority_low": ramp(0.82 - min(a.authority, b.authority), 0.0, 0.2),
            "flag_max": max(flags),
            "flag_gap": abs(flags[0] - flags[1]),
            "level_max": max(levels),
            "doubt_max": max(doubts),
            "doubt_gap": abs(doubts[0] - doubts[1]),
        },
    }


def _sensitivity(pair: Pair) -> dict[str, float]:
    prof = pair.profile
    out = {f"s_{name}": float(v) for name, v in zip(DIMENSIONS, prof.sensitivity, strict=True)}
    out |= {f"class_{c.name}": float(w) for c, w in zip(property_classes(), prof.weights, strict=True)}
    ln_res, _ = _log_ratio(pair.a.scale_m, pair.b.scale_m)
    ln_depth, _ = _log_ratio(pair.a.depth_m, pair.b.depth_m)
    sols = pair.sols or 0.0
    out |= {
        "x_resolution": prof.of("resolution") * ramp(ln_res, 0.7, 6.0),
        "x_depth": prof.of("depth") * ramp(ln_depth, 1.0, 8.0),
        "x_season": prof.of("season") * (pair.delta_ls_deg or 0.0) / 180.0,
        "x_event": prof.of("event") * ramp(math.log1p(sols), 0.5, 7.0),
        "x_diurnal": prof.of("diurnal") * (pair.delta_hours or 0.0) / 12.0,
        "s_most": float(prof.sensitivity.max()),
        "s_time": max(prof.of("season"), prof.of("event"), prof.of("diurnal")),
        "profile_matched": float(prof.matched),
    }
    return out


def _bridge_features(pair: Pair, bridges: dict[str, Bridge | None]) -> dict[str, float]:
    out = {f"b_{name}": (b.score if b is not None else 0.0) for name, b in bridges.items()}
    for category in ("scale", "instrument", "temporal", "noise"):
        scores = sorted((b.score for b in bridges.values() if b is not None and b.category == category), reverse=True)
        out[f"best_{category}"] = scores[0] if scores else 0.0
        out[f"second_{category}"] = scores[1] if len(scores) > 1 else 0.0
    physical = max(out["best_scale"], out["best_instrument"], out["best_temporal"])
    out["unexplained"] = 1.0 - physical
    out["magnitude"] = magnitude(pair) / 5.0
    size = target_size(pair)
    out["size_known"] = float(size is not None)
    out["size_stated"] = float(size is not None and size[2])
    scales = pair.scales_m
    out["size_in_coarse"] = (
        0.0 if size is None or scales is None else max(-1.0, min(1.0, math.log10(size[0] / scales[1]) / 4.0))
    )
    return out


def _direction(pair: Pair) -> dict[str, float]:
    """Which side asserts: the finer, the deeper, the later, the better-trusted one (symmetric under exchange)."""
    ga, gb = _grade(pair.a), _grade(pair.b)
    gap = ga - gb
    fine = gap if pair.fine_is_a else -gap
    depth = 0.0
    if pair.a.depth_m and pair.b.depth_m and pair.a.depth_m != pair.b.depth_m:
        depth = gap if pair.a.depth_m > pair.b.depth_m else -gap
    later = 0.0
    if pair.a.start and pair.b.start and pair.a.start != pair.b.start:
        later = gap if pair.a.start > pair.b.start else -gap
    doubt = suspicion(pair.a) - suspicion(pair.b)
    return {
        "fine_asserts": fine * float((pair.scales_m or (1.0, 1.0))[1] > 2 * (pair.scales_m or (1.0, 1.0))[0]),
        "deep_asserts": depth,
        "later_asserts": later,
        "doubtful_asserts": gap if doubt > 0.1 else (-gap if doubt < -0.1 else 0.0),
    }


def _cues(pair: Pair) -> dict[str, float]:
    words = f"{pair.a.value} {pair.a.text} {pair.b.value} {pair.b.text}".lower()
    return {f"cue_{name}": min(1.0, len(set(p.findall(words))) / 4.0) for name, p in CUES.items()}


def build_pair(
    question: str,
    a: Source,
    b: Source,
    anchor_cosine: FloatArray | None = None,
    cosines: dict[str, float] | None = None,
) -> Pair:
    """Profile and comparison of two sources as one `Pair`."""
    prof = profile(question, a, b, anchor_cosine)
    return Pair(question, a, b, prof, compare(question, a, b, prof, cosines))


def grouped(
    pair: Pair, bridges: dict[str, Bridge | None], h_inter: float | None, cross: float | None
) -> dict[str, dict[str, float]]:
    """All features by group."""
    groups: dict[str, dict[str, float]] = {
        "entropy": {
            "h_inter": max(-3.0, min(3.0, h_inter)) / 3.0 if h_inter is not None else 0.0,
            "h_known": float(h_inter is not None),
            "cross_support": max(-5.0, min(5.0, cross)) / 5.0 if cross is not None else 0.0,
        }
    }
    groups |= _metadata(pair)
    groups |= _time_and_trust(pair)
    groups["sensitivity"] = _sensitivity(pair)
    groups["bridges"] = _bridge_features(pair, bridges) | _direction(pair)
    groups["claims"] = dict(pair.comparison.features)
    groups["cues"] = _cues(pair)
    return groups


def featurise(pair: Pair, h_inter: float | None = None, cross: float | None = None) -> Features:
    """z of a pair; `h_inter` (bits) and cross-support X (nats a token) where a language model gave them."""
    bridges = run_all(pair)
    groups = grouped(pair, bridges, h_inter, cross)
    z = np.array([v for g in groups.values() for v in g.values()], dtype=np.float64)
    return Features(np.nan_to_num(z, nan=0.0, posinf=5.0, neginf=-5.0), pair, bridges)


@lru_cache(maxsize=1)
def _layout() -> tuple[tuple[str, str], ...]:
    blank = Source("", "", "elevation", "1 m", "")
    pair = build_pair("", blank, blank)
    groups = grouped(pair, run_all(pair), None, None)
    return tuple((group, name) for group, members in groups.items() for name in members)


def feature_names() -> tuple[str, ...]:
    """Names in the order of z."""
    return tuple(name for _, name in _layout())


def feature_groups() -> tuple[str, ...]:
    """Group of each feature in the order of z."""
    return tuple(group for group, _ in _layout())
