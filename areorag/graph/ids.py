"""Ids of shared nodes: every writer that names an entity gets the same id for it."""

from __future__ import annotations

import hashlib
import re
import unicodedata

ENTITY_LABELS = ("Feature", "Instrument", "Platform", "Institution", "Mineral", "Element", "Target", "Concept")
"""Second labels of ``:Entity`` nodes."""

_NOT_WORD = re.compile(r"[\W_]+")


def fold(name: str) -> str:
    """Lower case, no accents, runs of punctuation as one space.

    >>> fold("Séítah-N"), fold("HiRISE")
    ('seitah n', 'hirise')
    """
    text = unicodedata.normalize("NFKD", name.casefold())
    text = "".join(char for char in text if not unicodedata.combining(char))
    return _NOT_WORD.sub(" ", text).strip()


def entity_id(label: str, name: str) -> str:
    """Id of an entity: its label in lower case, a colon, its folded name.

    >>> entity_id("Feature", "Jezero"), entity_id("Instrument", "HiRISE")
    ('feature:jezero', 'instrument:hirise')

    Raises
    ------
    ValueError
        The label is not one of `ENTITY_LABELS`.
    """
    if label not in ENTITY_LABELS:
        raise ValueError(f"{label!r} is not an entity label; one of {', '.join(ENTITY_LABELS)}")
    return f"{label.lower()}:{fold(name) or short_hash(name)}"


def short_hash(text: str, length: int = 12) -> str:
    """First hex digits of the sha256 of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:length]
