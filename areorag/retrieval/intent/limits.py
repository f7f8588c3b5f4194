"""What the numbers of a question may be: one table, one check, for the grammar's readers and for a model's reading.

A number outside its domain is never dropped in silence: the reader refuses it (`Scan.refuse`), and the reason is kept
among the readings (`SpatialIntent.notes`), shown with them and stored with the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...errors import UnusableQuestionError
from ...planet.units import length
from .model import REFUSED, SpatialIntent


@dataclass(frozen=True)
class Domain:
    """Closed interval of a quantity. `unit` is written after a number; ``m`` is written as people write lengths."""

    low: float
    high: float
    unit: str = ""

    def text(self, value: float) -> str:
        """A value of this quantity for people."""
        if self.unit == "m":
            size = abs(value)
            said = f"{size / 1000:,.0f} km" if size >= 1e7 / 2 else length(size) if size else "0 m"
            return f"-{said}" if value < 0 else said
        return f"{value:,.10g}{self.unit}" if abs(value) >= 10_000 else f"{value:.10g}{self.unit}"


DOMAINS: dict[str, Domain] = {
    "latitude": Domain(-90, 90, "°"),
    "longitude": Domain(-360, 360, "°"),
    "minutes or seconds of arc": Domain(0, 59.9999),
    "solar longitude": Domain(0, 360, "°"),
    "half width of a season": Domain(0, 180, "°"),
    "Mars Year": Domain(1, 99),
    "sol": Domain(0, 99_999),
    "year": Domain(1950, 2049),
    "resolution": Domain(1e-6, 1e7, "m"),
    "distance": Domain(0, 1e9, "m"),
    "processing level": Domain(0, 8),
}
"""Mars Year 1 began in 1955; spacecraft years lie inside ours; CODMAC levels end at 8, those of NASA at 4."""


def outside(what: str, *values: float | None, high: float | None = None) -> str | None:
    """Why one of the values cannot be; None where all can. None among the values is an open side.

    Parameters
    ----------
    what : key of `DOMAINS`
    high : upper limit where it depends on the body (half the way round it, for a distance)
    """
    domain = DOMAINS[what]
    top = domain.high if high is None else high
    for value in values:
        if value is not None and not domain.low <= value <= top:
            said = domain.text(value) if math.isfinite(value) else "that large"
            return f"{what} {said} is not between {domain.text(domain.low)} and {domain.text(top)}"
    return None


def check_usable(intent: SpatialIntent) -> SpatialIntent:
    """The reading, where something usable is left of what it asks.

    Raises
    ------
    UnusableQuestionError
        The only place of the question, or its only constraint, could not be used: every record would be "in place".
    """
    notes = intent.notes
    place = [r for r in intent.readings if r.step == "note" and r.field == "geometry" and REFUSED in r.value]
    if place and not intent.is_spatial:
        raise UnusableQuestionError(f"{place[0].value}, and the question names no other place. Correct it or name one")
    if any(REFUSED in n for n in notes) and not intent.constrains:
        raise UnusableQuestionError(f"{notes[0]}, and the question asks for nothing else. Correct it and ask again")
    return intent
