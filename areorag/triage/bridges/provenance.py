"""Fault tests on provenance: quality flags, superseded or preliminary processing, artefacts, clocks (METHODS §5).

The label itself often says what is wrong with a product. A flag counts by what it means, not by its presence: most
real products carry harmless ones.
"""

from __future__ import annotations

import re

from ...planet.marstime import mars_time
from ..source import Source
from .base import Bridge, Pair, ramp

_FLAG_WEIGHT: tuple[tuple[str, float], ...] = (
    (r"checked|validated|passed|nominal|\bok\b|good|removed|corrected|none|verified|calibrated$|complete$|subtracted$", 0.0),
    (r"corrupt|saturat|artefact|artifact|uncalibrat|not_?calibrat|superseded|obsolete|invalid|fail|mis-?regist|mis-?match|"
     r"wrong|error|suspect|stuck|clipped|bad_?|spike|spurious|contaminat|ghost|cross-?talk|hot_?pixel|dead|glitch|"
     r"unreliable|do_?not_?use|withdrawn|retracted|ocr|unverified|unvalidated|transcri|anomal|fault|lost|truncat|"
     r"garbled|duplicate|swap|ambigu|unflagged|deprecated|outdated|replaced|drift|leak|stray|not_?corrected|uncorrected|"
     r"out_?of_?range|overflow|residual", 1.0),
    (r"degrad|noisy|noise|low_?snr|snr_?low|dropout|missing|gap|incomplete|preliminary|provisional|interpolat|extrapolat|"
     r"pointing|blur|smear|jitter|low_?signal|marginal|data_?loss|warning|uncertain|poor|weak_?signal|edge|limit", 0.6),
    (r"partial|dust|haze|oblique|compress|summ|binn|low_?sun|shadow|cloud|frost|lossy|window|subframe|single|rough|warm|"
     r"night|tilt|off_?nadir|coarse", 0.1),
)  # fmt: skip
_LEVEL_WEIGHT: tuple[tuple[str, float], ...] = (
    (r"scanned|ocr|transcri|digiti[sz]ed|hand-?(?:typed|entered|copied)|press|draft|superseded|obsolete|unvalidated|withdrawn|"
     r"unofficial|mirror|copied|spreadsheet|legacy|outdated|deprecated|replaced|erratum|social|blog|news|wiki|brochure|"
     r"re-?keyed|first[- ]release|old version|old calibration|earlier calibration|pre-?flight|third[- ]party|"
     r"reprojected|re-?gridded by|converted by|unverified|export", 1.0),
    (r"quick-?look|preliminary|provisional|browse|uncalibrated|\braw\b|experimental|unrefereed|automat|beta|snapshot|"
     r"level 0|level 1a|quick|rapid|near[- ]real[- ]time|thumbnail|uncorrected|without (?:atmospher|correction)|no correction|"
     r"v0|version 0|secondary|report table|student|citizen|volunteer|crowd", 0.6),
    (r"compil|summary|literature|review|catalog|table|mosaic", 0.2),
)  # fmt: skip
_ID_WORDS = re.compile(r"summary|copy|mirror|old|draft|_ql|quick|prelim|press|ocr|scan|backup|tmp|test|legacy|report|transcri|"
                       r"handbook|compil|unoff|export|convert|rekey", re.I)  # fmt: skip
_INSTITUTION = re.compile(r"literature|unknown|mirror|third|aggregat|citizen|volunteer|compil|press|unaffiliated|"
                          r"hobby|media|wiki|"
                          r"secondary|portal|repackag|contractor|student|archive copy|reseller|"
                          r"derived catalogue", re.I)  # fmt: skip
_ARTEFACT = re.compile(
    r"artefact|artifact|detector|spike|despik|striping|stripe|ghost|stray light|saturat|hot pixel|cosmic ray|calibration|"
    r"uncalibrat|clutter|ambiguity|crosstalk|background|contaminat|telluric|terrestrial|leak|etalon|bit error|compression|"
    r"blank|dropout|out[- ]of[- ]band|dead|glitch|interference|misread|transcri|typo|mislabel|swapped|wrong|erroneous|"
    r"single (?:pixel|spectrum|frame|shot)|one (?:pixel|spectrum|frame|shot)|isolated pixel|noise level|not repeated|"
    r"never repeated|smile|column noise|seam|mosaic edge|decompress|corrupt|instrument noise|without correction|"
    r"lists|listed|tabulated|reads|the (?:table|catalogue|catalog|header|record|entry|file|label)\b|column|printed|quotes|"
    r"stated as|recorded as|delivered|exported|converted", re.I)  # fmt: skip
_CLOCK = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")


def flag_severity(flags: tuple[str, ...]) -> float:
    """Worst meaning among quality flags: 0 harmless, 1 the product is faulty.

    >>> flag_severity(("CLUTTER_CHECKED",)), flag_severity(("DETECTOR_SATURATED",))
    (0.0, 1.0)
    """
    worst = 0.0
    for flag in flags:
        low = flag.lower().replace(" ", "_").replace("-", "_")
        if re.search(
            r"(?:^|_)(?:not|no|without|un)_?(?:calib|correct|remov|subtract|check|valid|simul|verif|applied|nominal)",
            low,
        ):
            worst = 1.0
            continue
        worst = max(worst, next((weight for pattern, weight in _FLAG_WEIGHT if re.search(pattern, low)), 0.25))
    return worst


def level_suspicion(source: Source) -> float:
    """How far processing level, identifier and institution speak of an unreviewed or second-hand product, 0..1."""
    low = source.processing_level.lower()
    level = next((weight for pattern, weight in _LEVEL_WEIGHT if re.search(pattern, low)), 0.0)
    hints = 0.25 * bool(_ID_WORDS.search(source.data_id)) + 0.3 * bool(_INSTITUTION.search(source.institution))
    return min(1.0, level + hints)


def suspicion(source: Source) -> float:
    """Provenance evidence that a side is faulty, 0..1: flags, level, warnings, low authority."""
    flags = flag_severity(source.quality_flags + source.warnings)
    low_authority = ramp(0.8 - source.authority, 0.0, 0.4)
    cues = 0.15 * min(2, len(_ARTEFACT.findall(f"{source.value} {source.text}")))
    return min(1.0, 0.6 * flags + 0.45 * level_suspicion(source) + 0.35 * low_authority + cues)


def quality(pair: Pair) -> Bridge | None:
    """Does one side's label say that the product is faulty, superseded or second-hand?"""
    sa, sb = suspicion(pair.a), suspicion(pair.b)
    gap = abs(sa - sb)
    if max(sa, sb) < 0.2 or gap < 0.1:
        return None
    odd = "a" if sa > sb else "b"
    side = pair.side(odd)
    why = [f"flags {', '.join(side.quality_flags)}"] if side.quality_flags else []
    if side.processing_level:
        why.append(f"level '{side.processing_level}'")
    why.append(f"authority {side.authority:.2f} against {pair.side('b' if odd == 'a' else 'a').authority:.2f}")
    text = f"{side.data_id} is the weaker product: " + ", ".join(why)
    sub = (
        "calibration"
        if re.search("calib|supersed", " ".join((*side.quality_flags, side.processing_level)), re.I)
        else "processing"
    )
    return Bridge(
        "quality", "noise", sub, ramp(gap, 0.1, 0.7), text, {"suspicion_a": sa, "suspicion_b": sb}, "label", odd
    )


def artefact(pair: Pair) -> Bridge | None:
    """Do a claim's own words speak of an artefact, a single unrepeated sample, or a copied table?"""
    na, nb = (len({m.lower() for m in _ARTEFACT.findall(f"{s.value} {s.text}")}) for s in (pair.a, pair.b))
    if na == nb == 0:
        return None
    odd = None if na == nb else ("a" if na > nb else "b")
    text = "a claim speaks of a calibration, an artefact, an unrepeated sample or a copied table"
    return Bridge(
        "artefact", "noise", "calibration", ramp(max(na, nb), 0.0, 3.0), text, {"a": na, "b": nb}, "claim text", odd
    )


def _clock_fault(source: Source) -> tuple[float, str]:
    worst, why = 0.0, ""
    if source.start is not None and source.stated_ls_deg is not None:
        computed = mars_time(source.start)
        gap = abs(computed.ls_deg - source.stated_ls_deg % 360.0)
        gap = min(gap, 360.0 - gap)
        if gap > 3.0:
            worst, why = (
                ramp(gap, 2.0, 12.0),
                f"stated Ls {source.stated_ls_deg:.1f}° but its start time gives {computed.ls_deg:.1f}°",
            )
        if (
            source.stated_mars_year is not None
            and abs(source.stated_mars_year - computed.mars_year) >= 1
            and 5 < computed.ls_deg < 355
        ):
            worst, why = (
                max(worst, 0.8),
                f"stated MY {source.stated_mars_year} but its start time gives MY {computed.mars_year}",
            )
    hour = source.local_hour
    if hour is not None:
        for hh, mm in _CLOCK.findall(f"{source.value} {source.text}"):
            gap = abs(hour - int(hh) - int(mm) / 60.0) % 24.0
            gap = min(gap, 24.0 - gap)
            if gap > 2.0 and worst < 0.7:
                worst, why = (
                    0.4 + 0.3 * ramp(gap, 2.0, 8.0),
                    f"it says {hh}:{mm}, its start time gives {hour:.1f} h local solar time",
                )
    return worst, why


def clock(pair: Pair) -> Bridge | None:
    """Does a side's own clock contradict itself (stated L_s, Mars Year or local time against the start time)?"""
    fa, fb = _clock_fault(pair.a), _clock_fault(pair.b)
    if max(fa[0], fb[0]) < 0.2:
        return None
    odd = None if fa[0] == fb[0] else ("a" if fa[0] > fb[0] else "b")
    worst = max(fa, fb)
    return Bridge("clock", "noise", "processing", worst[0], worst[1], {}, "Allison & McEwen 2000", odd)


def same_observation(pair: Pair) -> Bridge | None:
    """Same technique, like resolution, near in time: nothing physical is left to differ."""
    scales = pair.scales_m
    if scales is None or not pair.a.technique:
        return None
    alike = 1.0 - ramp(scales[1] / scales[0], 2.0, 12.0)
    alike *= 1.0 if pair.a.technique == pair.b.technique else 0.5
    soon = (
        1.0
        if pair.days is None
        else 1.0 - ramp(pair.days, 5.0, 400.0) * max(pair.profile.of("event"), pair.profile.of("season"))
    )
    hour = 1.0 if pair.delta_hours is None else 1.0 - ramp(pair.delta_hours, 1.0, 4.0) * pair.profile.of("diurnal")
    score = 0.8 * alike * soon * hour
    if score < 0.1:
        return None
    text = "same technique, like resolution, and no time in which the property could have changed"
    return Bridge("same observation", "noise", "processing", score, text, {}, "metadata")


def insensitive(pair: Pair) -> Bridge | None:
    """The property asked depends on none of the dimensions in which the observations differ."""
    most = float(pair.profile.sensitivity.max())
    if most > 0.5:
        return None
    score = 0.9 * (1.0 - ramp(most, 0.1, 0.5))
    if score < 0.05:
        return None
    text = f"{pair.profile.name} depends little on resolution, depth, season or geometry (at most {most:.2f})"
    return Bridge("insensitive property", "noise", "processing", score, text, {"sensitivity": most}, "properties.tsv")
