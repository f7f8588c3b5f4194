"""Hyperbolic geometry of the spatial hypergraph (HySH, AreoRAG §III-B). Pure numpy; imports nothing else of ours.

`lorentz` the Lorentz model · `polar` exp, log, transport and alignment at any depth · `midpoint` the four midpoints ·
`embedding` closed-form embedding · `frames` site frames and alignment · `train` the learned embedding ([train] extra).
"""

from __future__ import annotations

from .embedding import Embedding, embed_closed_form
from .lorentz import Lorentz
from .midpoint import Midpoint, einstein, lambda_weighted, oem, outward_midpoint

__all__ = [
    "Embedding",
    "Lorentz",
    "Midpoint",
    "einstein",
    "embed_closed_form",
    "lambda_weighted",
    "oem",
    "outward_midpoint",
]
