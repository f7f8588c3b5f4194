"""Observations as JSON-LD with the published context (AreoRAG Definition 1: jsc, the JSON-LD scientific content)."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

from ..graph.model import Observation

CONTEXT_ID = "urn:areorag:context:observation:v1"


@lru_cache(maxsize=1)
def context() -> dict[str, Any]:
    """The published context document."""
    text = resources.files(__package__).joinpath("context.jsonld").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def to_jsonld(observation: Observation, *, embed: bool = True) -> dict[str, Any]:
    """The observation as a JSON-LD node; `embed` puts the context in, else it is named.

    Ids become IRIs: a LID (``urn:…``) as it is, any other data id under ``urn:areorag:product:``.
    """
    record = observation.model_dump(mode="json", exclude_none=True)
    record["id"] = iri(observation.id)
    record["derived_from"] = [iri(d) for d in observation.derived_from]
    head: Any = context()["@context"] if embed else CONTEXT_ID
    return {"@context": head, **record}


def iri(data_id: str) -> str:
    """IRI of a data id."""
    from urllib.parse import quote

    return data_id if data_id.startswith("urn:") else "urn:areorag:product:" + quote(data_id, safe="-._~:")
