"""One refusal for a name that is none of the known ones."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import AreoRAGError, UsageError


def known(what: str, name: str, names: Iterable[str], error: type[AreoRAGError] = UsageError) -> str:
    """The name, where it is one of `names`.

    Raises
    ------
    UsageError
        (or `error`) It is not; the message lists those there are.

    >>> known("scale", "small", ("small", "paper"))
    'small'
    """
    there = tuple(names)
    if name not in there:
        raise error(f"unknown {what} {name!r}: use {', '.join(there)}")
    return name
