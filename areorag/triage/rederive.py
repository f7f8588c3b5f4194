"""Derive a stored conflict's probabilities again from its features: the proof that a node holds all it needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UnknownNameError
from .classifier import Model, shipped_model
from .features import feature_names

if TYPE_CHECKING:
    from ..graph.connection import Database


def rederive(db: Database, conflict_id: str, model: Model | None = None) -> dict[str, float]:
    """Probabilities of the five labels from the stored features and the weights in use.

    They equal the stored ones when the weights' version is the stored one and no proof of error or person stood over them.

    Raises
    ------
    UnknownNameError
        No conflict has that id.
    """
    rows = db.read("conflict_features", id=conflict_id)
    if not rows:
        raise UnknownNameError(f"no conflict has the id {conflict_id!r}. List them with  areorag conflicts")
    features = json.loads(rows[0]["features"])
    z = np.array([features[name] for name in feature_names()])
    prediction = (model or shipped_model()).predict(z)[0]
    p = {c: prediction.p_conflict * v for c, v in prediction.p_category.items()}
    return p | {"none": 1.0 - prediction.p_conflict}
