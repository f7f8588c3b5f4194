"""Queries for the database's full-text indexes."""

from __future__ import annotations

from collections.abc import Iterable

MOST_WORDS = 64
"""Words of one query: the index refuses a query of more than a thousand clauses."""


def any_of(words: Iterable[str]) -> str:
    """Texts that hold any of some words (letters and digits only, lower case), each once; "" where there is none.

    >>> any_of(["ice", "frost", "ice"])
    'ice OR frost'
    """
    return " OR ".join(list(dict.fromkeys(words))[:MOST_WORDS])
