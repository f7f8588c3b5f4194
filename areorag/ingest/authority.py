"""Authority of an observation, 0..1: one documented rule from instrument, processing level and producer (AreoRAG §III-D).

``authority = instrument × level × producer``, less 0.05 for each quality flag that is not nominal (at most 0.2):

=============================  ======  =====================================================================
factor                         value   when
=============================  ======  =====================================================================
instrument                     0..1    the registry's figure; 0.75 where the registry does not know it
level calibrated               1.00    RDR, CODMAC 3-4, PDS4 Calibrated
level derived                  0.97    CODMAC 5 and above, PDS4 Derived: more steps, more choices
level partially processed      0.95    CODMAC 2 with corrections, PDS4 Partially Processed
level raw                      0.92    EDR, CODMAC 1-2, PDS4 Raw
level unknown                  0.90    nothing says
producer the instrument's own  1.00    the registry's institution, or an agency's archive
producer other                 0.97    another named institution
producer unknown               0.94    no institution named
=============================  ======  =====================================================================
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..planet.instruments import InstrumentSpec

UNKNOWN_INSTRUMENT = 0.75
LEVELS = {"calibrated": 1.0, "derived": 0.97, "partially processed": 0.95, "raw": 0.92, "unknown": 0.90}
_NOMINAL = re.compile(r"^(ok|nominal|good|none|n|complete\w*|normal)$", re.I)
_AGENCY = {"USGS", "JPL", "NASA GSFC", "JAXA", "CNSA", "DLR"}


def level_class(level: str | None) -> str:
    """Which row of the table a processing level belongs to."""
    text = (level or "").lower()
    if not text:
        return "unknown"
    if "partially" in text:
        return "partially processed"
    digit = re.search(r"(?:codmac|level)\s*([1-8])", text) or re.fullmatch(r"([1-8])[a-z]?", text)
    if re.search(r"\bderived\b|ddr|\bdtm\b|mosaic|megdr|mrdr|radargram", text):
        return "derived"
    if "calibrated" in text or re.search(r"rdr|calib|processed", text):
        return "calibrated"
    if "raw" in text or "edr" in text:
        return "raw"
    if digit:
        number = int(digit.group(1))
        return "derived" if number >= 5 else "calibrated" if number >= 3 else "raw"
    return "unknown"


def is_nominal(flag: str) -> bool:
    """Whether a quality flag says that all is well."""
    return bool(_NOMINAL.match(flag.strip()))


def authority(
    spec: InstrumentSpec | None, level: str | None, institution: str | None, flags: Sequence[str] = ()
) -> float:
    """Authority in [0, 1], rounded to 3 digits, by the rule in the module's table."""
    base = spec.authority if spec is not None else UNKNOWN_INSTRUMENT
    factor = LEVELS[level_class(level)]
    if institution is None:
        producer = 0.94
    elif institution in _AGENCY or (spec is not None and _same(institution, spec.institution)):
        producer = 1.0
    else:
        producer = 0.97
    penalty = min(0.2, 0.05 * sum(1 for f in flags if not is_nominal(f)))
    return round(max(0.0, min(1.0, base * factor * producer - penalty)), 3)


def _same(a: str, b: str) -> bool:
    left, right = a.lower(), b.lower()
    return left == right or left in right.split("/") or right in left or left in right
