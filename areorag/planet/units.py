"""Lengths as people write them."""

from __future__ import annotations


def length(metres: float) -> str:
    """A length with the unit people use.

    >>> [length(x) for x in (0.0004, 0.017, 0.25, 18, 20_000)]
    ['0.4 mm', '1.7 cm', '0.25 m', '18 m', '20 km']
    """
    if metres < 0.01:
        return f"{metres * 1000:.3g} mm"
    if metres < 0.1:
        return f"{metres * 100:.3g} cm"
    if metres < 1000:
        return f"{metres:.3g} m"
    return f"{metres / 1000:,.4g} km"
