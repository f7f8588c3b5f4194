"""What a bridge is: an executable physical argument with numbers (AreoRAG Definition 7, Eq. 17; METHODS §5).

A bridge looks at a `Pair` and either has nothing to say (None) or returns a `Bridge`: how well the physical effect
accounts for the disagreement (score 0..1), whether it holds, the argument in one sentence with its numbers, and where
the physics comes from. A fault test is a bridge of category ``noise``: it shows that no physics is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from ..claims import Comparison
from ..profile import Profile
from ..source import TROPICAL_YEAR_SOLS, Source

DAY_S = 86400.0
SOL_S = 88775.244  # one Martian solar day, Allison & McEwen 2000
HOLDS = 0.35


@dataclass(frozen=True)
class Bridge:
    """One argument. ``faulty`` names the side a fault test found wrong ("a" or "b")."""

    name: str
    category: str
    sub_category: str
    score: float
    text: str
    numbers: dict[str, float] = field(default_factory=dict)
    source: str = ""
    faulty: str | None = None

    @property
    def holds(self) -> bool:
        """True when the effect is large enough to carry the explanation."""
        return self.score >= HOLDS


@dataclass(frozen=True)
class Pair:
    """Two sources, the question, the profile of the property and the comparison of the claims."""

    question: str
    a: Source
    b: Source
    profile: Profile
    comparison: Comparison

    @cached_property
    def text(self) -> str:
        """All words of both claims and the question, lower case."""
        sides = (self.a, self.b)
        parts = [self.question, *(f"{s.subject} {s.property} {s.value} {s.text}" for s in sides)]
        return " ".join(parts).lower()

    @cached_property
    def scales_m(self) -> tuple[float, float] | None:
        """(finer, coarser) resolution, metres."""
        if self.a.scale_m is None or self.b.scale_m is None:
            return None
        return min(self.a.scale_m, self.b.scale_m), max(self.a.scale_m, self.b.scale_m)

    @cached_property
    def fine_is_a(self) -> bool:
        """True when side a has the finer resolution (or the same)."""
        return (self.a.scale_m or math.inf) <= (self.b.scale_m or math.inf)

    @property
    def fine(self) -> Source:
        """The side of finer resolution."""
        return self.a if self.fine_is_a else self.b

    @property
    def coarse(self) -> Source:
        """The side of coarser resolution."""
        return self.b if self.fine_is_a else self.a

    @cached_property
    def days(self) -> float | None:
        """Time between the observations, days."""
        if self.a.start is None or self.b.start is None:
            return None
        return abs((self.a.start - self.b.start).total_seconds()) / DAY_S

    @property
    def sols(self) -> float | None:
        """Time between the observations, sols."""
        return None if self.days is None else self.days * DAY_S / SOL_S

    @cached_property
    def delta_ls_deg(self) -> float | None:
        """Cyclic difference of solar longitude, degrees in [0, 180]."""
        if self.a.ls_deg is None or self.b.ls_deg is None:
            return None
        gap = abs(self.a.ls_deg - self.b.ls_deg) % 360.0
        return min(gap, 360.0 - gap)

    @cached_property
    def cumulative_ls_gap_deg(self) -> float | None:
        """|ΔT| of Eq. 20: cumulative degrees of L_s between the observations."""
        if self.a.cumulative_ls_deg is not None and self.b.cumulative_ls_deg is not None:
            return abs(self.a.cumulative_ls_deg - self.b.cumulative_ls_deg)
        return None if self.sols is None else 360.0 * self.sols / TROPICAL_YEAR_SOLS

    @cached_property
    def delta_hours(self) -> float | None:
        """Cyclic difference of local solar time, hours in [0, 12]."""
        if self.a.local_hour is None or self.b.local_hour is None:
            return None
        gap = abs(self.a.local_hour - self.b.local_hour) % 24.0
        return min(gap, 24.0 - gap)

    def side(self, letter: str) -> Source:
        """Source by letter."""
        return self.a if letter == "a" else self.b


def ramp(x: float, low: float, high: float) -> float:
    """0 below `low`, 1 above `high`, linear between."""
    if high <= low:
        return float(x >= high)
    return min(1.0, max(0.0, (x - low) / (high - low)))


def metres(x: float) -> str:
    """A length in the unit a person would use.

    >>> metres(0.00035), metres(18.0), metres(450000.0)
    ('0.35 mm', '18 m', '450 km')
    """
    for limit, factor, unit in ((1e-3, 1e6, "µm"), (1e-2, 1e3, "mm"), (1.0, 1e2, "cm"), (1e3, 1.0, "m")):
        scaled = x * factor
        if x < limit and not (unit == "µm" and scaled >= 100):
            return f"{scaled:.3g} {unit}"
    return f"{x / 1e3:.3g} km"
